//! THE table of facts about every known kind of event.
//!
//! Claude Code's names are the spine, since most agents have converged on them; each
//! system's own names are aliases. A new event is one variant and one row.

use super::facts::{Exception, Facts, event, instead, not_in};
use super::kind::{Class, EventKind};
use crate::decision::EffectKind;
use crate::dialect::Dialect::{ClaudeCode, LccS08, Microai, Oah, OpenHarness, T15};
use crate::patch::Scope;

/// The row of one kind.
#[expect(clippy::too_many_lines, reason = "a table is as long as what it lists")]
pub(super) const fn row(kind: &EventKind) -> &'static Facts {
    match kind {
        EventKind::Setup => {
            const {
                &event("Setup", "a workspace is being prepared")
                    .names(&[(ClaudeCode, "Setup")])
                    .subject("trigger")
            }
        }
        EventKind::SessionStart => {
            const {
                &event("SessionStart", "a session begins")
                    .names(&[
                        (OpenHarness, "session_start"),
                        (T15, "SESSION_START"),
                        (LccS08, "SessionStart"),
                        (Microai, "SessionStart"),
                        (ClaudeCode, "SessionStart"),
                    ])
                    .also(&["TaskStart", "TaskResume", "agentSpawn"])
                    .subject("source")
                    .subject_unknown_to(&[Microai, LccS08])
            }
        }
        EventKind::InstructionsLoaded => {
            const {
                &event("InstructionsLoaded", "an instruction file was read")
                    .names(&[(ClaudeCode, "InstructionsLoaded")])
                    .subject("load_reason")
            }
        }
        EventKind::ConfigChange => {
            const {
                &event("ConfigChange", "a configuration file changed")
                    .names(&[(ClaudeCode, "ConfigChange")])
                    .subject("source")
                    .class(Class::Gate)
                    .block(EffectKind::Refuse)
            }
        }
        EventKind::CwdChanged => {
            const {
                &event("CwdChanged", "the working directory changed")
                    .names(&[(ClaudeCode, "CwdChanged")])
            }
        }
        EventKind::FileChanged => {
            const {
                &event("FileChanged", "a watched file changed")
                    .names(&[(ClaudeCode, "FileChanged")])
                    .subject("file_path")
                    .by_file_name()
            }
        }
        EventKind::DirectoryAdded => {
            const {
                &event("DirectoryAdded", "a folder was added to the workspace")
                    .names(&[(ClaudeCode, "DirectoryAdded")])
                    .subject("source")
            }
        }
        EventKind::UserPromptSubmit => {
            const {
                &event("UserPromptSubmit", "a person sent a prompt")
                    .names(&[
                        (OpenHarness, "user_prompt_submit"),
                        (Microai, "UserPromptSubmit"),
                        (ClaudeCode, "UserPromptSubmit"),
                    ])
                    .also(&[
                        "BeforeAgent",
                        "userPromptSubmitted",
                        "beforeSubmitPrompt",
                        "pre_user_prompt",
                        "chat.message",
                    ])
                    .class(Class::Gate)
                    .block(EffectKind::RejectPrompt)
                    .except(const { &[not_in(OpenHarness), not_in(Microai)] })
                    .rewrites(&[Scope::Prompt])
            }
        }
        EventKind::UserPromptExpansion => {
            const {
                &event("UserPromptExpansion", "a prompt is being expanded from a command")
                    .names(&[(ClaudeCode, "UserPromptExpansion")])
                    .also(&["userPromptTransformed", "command.execute.before"])
                    .subject("command_name")
                    .class(Class::Gate)
                    .block(EffectKind::RejectPrompt)
                    .rewrites(&[Scope::Prompt])
            }
        }
        EventKind::PreCompact => {
            const {
                &event("PreCompact", "the context is about to be summarised")
                    .names(&[
                        (OpenHarness, "pre_compact"),
                        (T15, "PRE_COMPACT"),
                        (Oah, "before_context_compact"),
                        (ClaudeCode, "PreCompact"),
                    ])
                    .also(&["PreCompress", "experimental.session.compacting"])
                    .subject("trigger")
                    .subject_unknown_to(&[Oah])
                    .block(EffectKind::SkipCompaction)
                    .except(const { &[instead(Oah, EffectKind::FailRun), not_in(T15)] })
                    .rewrites(&[Scope::Context])
            }
        }
        EventKind::PostCompact => {
            const {
                &event("PostCompact", "the context was summarised and is about to be stored")
                    .names(&[
                        (OpenHarness, "post_compact"),
                        (T15, "POST_COMPACT"),
                        (Oah, "after_context_compact"),
                        (ClaudeCode, "PostCompact"),
                    ])
                    .also(&["session.compacted"])
                    .subject("trigger")
                    .subject_unknown_to(&[Oah])
                    .block(EffectKind::DiscardCompaction)
                    .except(
                        const {
                            &[
                                // Compaction by hand throws; the automatic one is only logged.
                                Exception {
                                    dialect: Oah,
                                    when: Some(("/context/compactedBy", "manual")),
                                    effect: Some(EffectKind::FailRun),
                                },
                                not_in(OpenHarness),
                                not_in(T15),
                                not_in(ClaudeCode),
                            ]
                        },
                    )
                    .rewrites(&[Scope::Context])
            }
        }
        EventKind::PreContextBuild => {
            const {
                &event("PreContextBuild", "the system prompt is about to be put together")
                    .names(&[(Oah, "before_context_build")])
                    .class(Class::Mutate)
                    .block(EffectKind::FailRun)
                    .rewrites(&[Scope::Context])
            }
        }
        EventKind::PostContextBuild => {
            const {
                &event("PostContextBuild", "prompt and history are put together")
                    .names(&[(Oah, "after_context_build")])
                    .also(&[
                        "experimental.chat.messages.transform",
                        "experimental.chat.system.transform",
                    ])
                    .class(Class::Mutate)
                    .block(EffectKind::FailRun)
                    .rewrites(&[Scope::Context])
            }
        }
        EventKind::PreModelSwitch => {
            const {
                &event("PreModelSwitch", "another model is about to be used")
                    .names(&[(ClaudeCode, "PreModelSwitch")])
                    .subject("to_model")
                    .class(Class::Gate)
                    .block(EffectKind::Refuse)
            }
        }
        EventKind::PostModelSwitch => {
            const {
                &event("PostModelSwitch", "another model is used")
                    .names(&[(ClaudeCode, "PostModelSwitch")])
                    .subject("to_model")
            }
        }
        EventKind::PreModelCall => {
            const {
                &event("PreModelCall", "a request is about to be sent to the model")
                    .names(&[(Oah, "before_model_call")])
                    .also(&["BeforeModel", "chat.params", "chat.headers"])
                    .subject("model_ref")
                    .class(Class::Mutate)
                    .block(EffectKind::FailRun)
                    .rewrites(&[Scope::ModelRequest])
            }
        }
        EventKind::PostModelCall => {
            const {
                &event("PostModelCall", "the model has answered")
                    .names(&[(Oah, "after_model_call")])
                    .also(&["AfterModel", "afterAgentResponse", "experimental.text.complete"])
                    .subject("model_ref")
                    .class(Class::Mutate)
                    .block(EffectKind::FailRun)
                    .rewrites(&[Scope::ModelResponse])
            }
        }
        EventKind::MessageDisplay => {
            const {
                &event("MessageDisplay", "text of the model is shown to the person")
                    .names(&[(ClaudeCode, "MessageDisplay")])
            }
        }
        EventKind::PreToolSelection => {
            const {
                &event("PreToolSelection", "the tools the model may choose from are being listed")
                    .also(&["BeforeToolSelection", "tool.definition"])
                    .class(Class::Mutate)
            }
        }
        EventKind::PreToolUse => {
            const {
                &event("PreToolUse", "a tool is about to run")
                    .names(&[
                        (OpenHarness, "pre_tool_use"),
                        (T15, "PRE_TOOL_USE"),
                        (Oah, "before_tool_dispatch"),
                        (LccS08, "PreToolUse"),
                        (Microai, "PreToolUse"),
                        (ClaudeCode, "PreToolUse"),
                    ])
                    .also(&["BeforeTool", "tool_call", "pre_tool", "tool.execute.before"])
                    .subject("tool_name")
                    .class(Class::Gate)
                    .block(EffectKind::DenyTool)
                    .rewrites(&[Scope::ToolInput])
                    .needs(&["tool_name", "tool_input"])
            }
        }
        EventKind::PermissionRequest => {
            const {
                &event("PermissionRequest", "a person is about to be asked for permission")
                    .names(&[(ClaudeCode, "PermissionRequest")])
                    .also(&["permission.ask"])
                    .subject("tool_name")
                    .class(Class::Gate)
                    .block(EffectKind::DenyTool)
                    .rewrites(&[Scope::ToolInput])
                    .needs(&["tool_name", "tool_input"])
            }
        }
        EventKind::PermissionDenied => {
            const {
                &event("PermissionDenied", "permission was refused")
                    .names(&[(ClaudeCode, "PermissionDenied")])
                    .subject("tool_name")
                    .needs(&["tool_name"])
            }
        }
        EventKind::PostToolUse => {
            const {
                &event("PostToolUse", "a tool has run")
                    .names(&[
                        (OpenHarness, "post_tool_use"),
                        (T15, "POST_TOOL_USE"),
                        (Oah, "after_tool_dispatch"),
                        (LccS08, "PostToolUse"),
                        (Microai, "PostToolUse"),
                        (ClaudeCode, "PostToolUse"),
                    ])
                    .also(&["AfterTool", "tool_result", "post_tool", "tool.execute.after"])
                    .subject("tool_name")
                    .block(EffectKind::FailTool)
                    .except(
                        // To Claude Code a block after the fact is a word to the model.
                        const {
                            &[not_in(OpenHarness), not_in(T15), not_in(Microai), not_in(ClaudeCode)]
                        },
                    )
                    .rewrites(&[Scope::ToolOutput])
                    .needs(&["tool_name"])
            }
        }
        EventKind::PostToolUseFailure => {
            const {
                &event("PostToolUseFailure", "a tool has failed")
                    .names(&[(ClaudeCode, "PostToolUseFailure")])
                    .subject("tool_name")
                    .rewrites(&[Scope::ToolOutput])
                    .needs(&["tool_name"])
            }
        }
        EventKind::PostToolBatch => {
            const {
                &event("PostToolBatch", "all tools of one answer have run")
                    .names(&[(ClaudeCode, "PostToolBatch")])
                    .block(EffectKind::StopLoop)
            }
        }
        EventKind::Elicitation => {
            const {
                &event("Elicitation", "a server wants to ask the person something")
                    .names(&[(ClaudeCode, "Elicitation")])
                    .subject("mcp_server_name")
                    .class(Class::Gate)
                    .block(EffectKind::Refuse)
            }
        }
        EventKind::ElicitationResult => {
            const {
                &event("ElicitationResult", "the person has answered a server")
                    .names(&[(ClaudeCode, "ElicitationResult")])
                    .subject("mcp_server_name")
                    .class(Class::Gate)
                    .block(EffectKind::Refuse)
            }
        }
        EventKind::SubagentStart => {
            const {
                &event("SubagentStart", "a subagent begins")
                    .names(&[(ClaudeCode, "SubagentStart")])
                    .subject("agent_type")
            }
        }
        EventKind::SubagentStop => {
            const {
                &event("SubagentStop", "a subagent is about to stop")
                    .names(&[(OpenHarness, "subagent_stop"), (ClaudeCode, "SubagentStop")])
                    .subject("agent_type")
                    .class(Class::Loop)
                    .block(EffectKind::ContinueLoop)
                    .except(const { &[not_in(OpenHarness)] })
            }
        }
        EventKind::TaskCreated => {
            const {
                &event("TaskCreated", "a task is being added to the list")
                    .names(&[(ClaudeCode, "TaskCreated")])
                    .also(&["TodoCreated"])
                    .class(Class::Gate)
                    .block(EffectKind::Refuse)
            }
        }
        EventKind::TaskCompleted => {
            const {
                &event("TaskCompleted", "a task is being ticked off")
                    .names(&[(ClaudeCode, "TaskCompleted")])
                    .also(&["TodoCompleted"])
                    .class(Class::Gate)
                    .block(EffectKind::Refuse)
            }
        }
        EventKind::TeammateIdle => {
            const {
                &event("TeammateIdle", "a background agent has nothing left to do")
                    .names(&[(ClaudeCode, "TeammateIdle")])
                    .class(Class::Loop)
                    .block(EffectKind::ContinueLoop)
            }
        }
        EventKind::WorktreeCreate => {
            const {
                &event("WorktreeCreate", "a worktree is about to be made")
                    .names(&[(ClaudeCode, "WorktreeCreate")])
                    .also(&["post_setup_worktree"])
                    .class(Class::Gate)
                    .block(EffectKind::Refuse)
            }
        }
        EventKind::WorktreeRemove => {
            const {
                &event("WorktreeRemove", "a worktree is removed")
                    .names(&[(ClaudeCode, "WorktreeRemove")])
            }
        }
        EventKind::Notification => {
            const {
                &event("Notification", "the person is being told something")
                    .names(&[(OpenHarness, "notification"), (ClaudeCode, "Notification")])
                    .subject("notification_type")
            }
        }
        EventKind::Stop => {
            const {
                &event("Stop", "the agent is about to stop")
                    .names(&[(OpenHarness, "stop"), (ClaudeCode, "Stop")])
                    .also(&[
                        "AfterAgent",
                        "agentStop",
                        "TaskComplete",
                        "post_agent",
                        "post_cascade_response",
                        "session.idle",
                    ])
                    .class(Class::Loop)
                    .block(EffectKind::ContinueLoop)
                    .except(const { &[not_in(OpenHarness)] })
            }
        }
        EventKind::StopFailure => {
            const {
                &event("StopFailure", "a turn ended with an error")
                    .names(&[(ClaudeCode, "StopFailure")])
                    .also(&["errorOccurred", "TaskError", "session.error"])
                    .subject("error")
                    .over()
            }
        }
        EventKind::RunCompleted => {
            const {
                &event("RunCompleted", "a run has ended well")
                    .names(&[(Oah, "run_completed")])
                    .subject("trigger_type")
                    .over()
            }
        }
        EventKind::RunFailed => {
            const {
                &event("RunFailed", "a run has failed or timed out")
                    .names(&[(Oah, "run_failed")])
                    .subject("trigger_type")
                    .over()
            }
        }
        EventKind::SessionEnd => {
            const {
                &event("SessionEnd", "a session ends")
                    .names(&[
                        (OpenHarness, "session_end"),
                        (T15, "SESSION_END"),
                        (Microai, "SessionEnd"),
                        (ClaudeCode, "SessionEnd"),
                    ])
                    .also(&["SessionShutdown"])
                    .subject("reason")
                    .subject_unknown_to(&[Microai])
                    .class(Class::Farewell)
                    .over()
            }
        }
        EventKind::SessionDelete => {
            const {
                &event("SessionDelete", "a stored session is removed")
                    .also(&["session.deleted"])
                    .over()
            }
        }
        EventKind::Custom(_) => {
            const { &event("", "an event declared in settings").class(Class::Gate) }
        }
    }
}
