//! `hookSpecificOutput`: what each event lets a hook say, and what a block means there.

use serde_json::{Map, Value};

use super::answer::{Bad, flag, text};
use super::{feeds_back, is_exact};
use crate::decision::Decision;
use crate::event::{Event, EventKind};
use crate::hook::Hook;
use crate::patch::{Change, Patch, Scope};
use crate::verdict::{Remark, Stop, Verdict};

const CONTEXT: &str = "additionalContext";

/// The fields that an event knows besides `hookEventName`.
const fn fields(kind: &EventKind) -> &'static [&'static str] {
    match kind {
        EventKind::PreToolUse => {
            &["permissionDecision", "permissionDecisionReason", "updatedInput", CONTEXT]
        }
        EventKind::PermissionRequest => &["decision"],
        EventKind::PermissionDenied => &["retry"],
        EventKind::PostToolUse => {
            &[CONTEXT, "updatedToolOutput", "updatedMCPToolOutput", "classifierContext"]
        }
        EventKind::UserPromptSubmit => &[CONTEXT, "sessionTitle", "suppressOriginalPrompt"],
        EventKind::UserPromptExpansion => &[CONTEXT, "suppressOriginalPrompt"],
        EventKind::SessionStart => {
            &[CONTEXT, "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"]
        }
        EventKind::PreModelSwitch => &["permissionDecision", "permissionDecisionReason"],
        EventKind::PostToolUseFailure
        | EventKind::PostToolBatch
        | EventKind::Setup
        | EventKind::Stop
        | EventKind::SubagentStop
        | EventKind::SubagentStart
        | EventKind::PostModelSwitch
        | EventKind::Notification => &[CONTEXT],
        EventKind::Elicitation | EventKind::ElicitationResult => &["action", "content"],
        EventKind::CwdChanged | EventKind::FileChanged => &["watchPaths"],
        EventKind::WorktreeCreate => &["worktreePath"],
        EventKind::MessageDisplay => &["displayContent"],
        _ => &[],
    }
}

/// What a field is called that only the harness can follow.
const EXTRAS: [(&str, &str); 12] = [
    ("retry", "retry"),
    ("classifierContext", "classifier_context"),
    ("sessionTitle", "session_title"),
    ("suppressOriginalPrompt", "suppress_original_prompt"),
    ("initialUserMessage", "initial_user_message"),
    ("watchPaths", "watch_paths"),
    ("reloadSkills", "reload_skills"),
    ("action", "elicitation_action"),
    ("content", "elicitation_content"),
    ("worktreePath", "worktree_path"),
    ("displayContent", "display_content"),
    ("updatedPermissions", "updated_permissions"),
];

/// What a block means at an event.
pub(super) fn block(event: &Event, reason: Option<String>, hook: &Hook) -> Verdict {
    let why = || format!("blocked by hook `{}`", hook.name());
    if feeds_back(event) {
        // The tool has run: all that is left is to tell the model.
        let context = vec![reason.unwrap_or_else(why)];
        return Verdict { context, ..Verdict::default() };
    }
    let blocks = event.block_in(hook.spec().dialect).is_some();
    // Where nothing can be blocked, the person still sees why somebody wanted to.
    let messages = reason.clone().filter(|_| !blocks).into_iter().collect();
    Verdict { decision: Decision::Deny, reason, messages, ..Verdict::default() }
}

/// What text means that is no answer.
pub(super) fn plain_text(hook: &Hook, event: &Event, text: &str) -> Verdict {
    let mut verdict = Verdict::default();
    let mut extra = |name: &str, value: Value| {
        verdict.extras.insert(name.to_owned(), value);
    };
    match event.kind() {
        EventKind::PreCompact => extra("compact_instructions", Value::from(vec![text])),
        EventKind::WorktreeCreate => extra("worktree_path", text.into()),
        kind if hook.profile().context_from.contains(kind) => verdict.context.push(text.to_owned()),
        _ => (),
    }
    verdict
}

/// Reads what is said for this event in particular.
pub(super) fn read(
    hook: &Hook,
    event: &Event,
    inner: &Map<String, Value>,
    verdict: &mut Verdict,
) -> Result<(), Bad> {
    let name = event.kind().name_in(hook.spec().dialect).unwrap_or_default();
    let said = text(inner, "hookEventName")?;
    match said {
        Some(said) if said == name => fill(hook, event, inner, verdict),
        _ if is_exact(hook) => {
            let text = "`hookSpecificOutput` does not name its event, so it is passed over";
            verdict.remarks.push(Remark { code: "event_mismatch", text: text.to_owned() });
            Ok(())
        }
        None => {
            let text =
                "`hookSpecificOutput` counts here without `hookEventName`; in the original not";
            verdict.remarks.push(Remark { code: "compat", text: text.to_owned() });
            fill(hook, event, inner, verdict)
        }
        Some(said) => {
            let text = format!("its answer speaks of `{said}`; it was asked about `{name}`");
            let mut other = Verdict::default();
            fill(hook, event, inner, &mut other)?;
            // Of an answer to another question only the refusal is safe to follow.
            if other.decision >= Decision::Ask && other.decision > verdict.decision {
                (verdict.decision, verdict.reason) = (other.decision, other.reason);
            }
            verdict.remarks.push(Remark { code: "event_mismatch", text });
            Ok(())
        }
    }
}

fn fill(
    hook: &Hook,
    event: &Event,
    inner: &Map<String, Value>,
    verdict: &mut Verdict,
) -> Result<(), Bad> {
    let known = fields(event.kind());
    for (field, value) in inner.iter().filter(|it| it.0 != "hookEventName" && !it.1.is_null()) {
        if !known.contains(&field.as_str()) {
            let name = event.kind().name();
            let text = format!("its answer has `{field}`, which means nothing at `{name}`");
            verdict.remarks.push(Remark { code: "unknown_field", text });
            continue;
        }
        match field.as_str() {
            "permissionDecision" => permission(hook, inner, verdict)?,
            "permissionDecisionReason" => (),
            "updatedInput" => verdict.patches.push(new_input(hook, event, value)?),
            "decision" => request(hook, event, value, verdict)?,
            "updatedToolOutput" => new_output(hook, event, value, verdict),
            "updatedMCPToolOutput" => new_mcp_output(event, value, verdict),
            CONTEXT => context(event, inner, verdict)?,
            _ => extra(field, value, verdict),
        }
    }
    let declined = inner.get("action").and_then(Value::as_str).is_some_and(|it| it != "accept");
    if declined && known.contains(&"action") {
        verdict.decision = verdict.decision.and(Decision::Deny);
    }
    Ok(())
}

fn extra(field: &str, value: &Value, verdict: &mut Verdict) {
    if let Some((_, name)) = EXTRAS.iter().find(|it| it.0 == field) {
        verdict.extras.insert((*name).to_owned(), value.clone());
    }
}

/// A permission; of two that an answer gives the stronger counts.
fn permission(hook: &Hook, inner: &Map<String, Value>, verdict: &mut Verdict) -> Result<(), Bad> {
    let Some(word) = text(inner, "permissionDecision")? else { return Ok(()) };
    let same = |it: &str| if is_exact(hook) { word == it } else { word.eq_ignore_ascii_case(it) };
    let decision = if same("allow") {
        Decision::Allow
    } else if same("deny") {
        Decision::Deny
    } else if same("ask") {
        Decision::Ask
    } else if same("defer") {
        let text = "`defer` asks here; where the client knows it, it is passed through".to_owned();
        verdict.remarks.push(Remark { code: "defer", text });
        verdict.extras.insert("defer".to_owned(), true.into());
        Decision::Ask
    } else {
        return Err(Bad(format!("`permissionDecision` is `{word}`; nobody knows what that means")));
    };
    if verdict.decision != Decision::Pass && verdict.decision != decision {
        let text = "`decision` and `permissionDecision` disagree; the stronger one counts";
        verdict.remarks.push(Remark { code: "conflict", text: text.to_owned() });
    }
    if decision >= verdict.decision {
        let reason = text(inner, "permissionDecisionReason")?;
        verdict.reason = reason.or_else(|| verdict.reason.take());
    }
    verdict.decision = verdict.decision.and(decision);
    Ok(())
}

/// The answer to a request for permission.
fn request(hook: &Hook, event: &Event, value: &Value, verdict: &mut Verdict) -> Result<(), Bad> {
    let Value::Object(decision) = value else {
        return Err(Bad("`decision` is not an object".to_owned()));
    };
    match text(decision, "behavior")?.as_deref() {
        Some("allow") => {
            verdict.decision = verdict.decision.and(Decision::Allow);
            if let Some(input) = decision.get("updatedInput").filter(|it| !it.is_null()) {
                verdict.patches.push(new_input(hook, event, input)?);
            }
            if let Some(rules) = decision.get("updatedPermissions") {
                extra("updatedPermissions", rules, verdict);
            }
        }
        Some("deny") => {
            let reason = text(decision, "message")?;
            verdict.decision = Decision::Deny;
            if flag(decision, "interrupt")?.unwrap_or_default() {
                verdict.stop = Some(Stop { reason: reason.clone() });
            }
            verdict.reason = reason.or_else(|| verdict.reason.take());
        }
        other => {
            let other = other.unwrap_or("missing");
            return Err(Bad(format!("`behavior` is {other}, not `allow` or `deny`")));
        }
    }
    Ok(())
}

/// Text for the model. A Stop hook that has something to tell the model keeps it going.
fn context(event: &Event, inner: &Map<String, Value>, verdict: &mut Verdict) -> Result<(), Bad> {
    let Some(text) = text(inner, CONTEXT)?.filter(|it| !it.is_empty()) else { return Ok(()) };
    match event.kind() {
        EventKind::Stop | EventKind::SubagentStop => {
            verdict.decision = Decision::Deny;
            verdict.reason = verdict.reason.take().or(Some(text));
        }
        _ => verdict.context.push(text),
    }
    Ok(())
}

/// Arguments without which a call of a tool means nothing.
const NEEDED: [&str; 3] = ["command", "file_path", "url"];

fn new_input(hook: &Hook, event: &Event, value: &Value) -> Result<Patch, Bad> {
    let Value::Object(input) = value else {
        return Err(Bad("`updatedInput` is not an object".to_owned()));
    };
    if !is_exact(hook) {
        let before = event.field("tool_input");
        let had =
            |field: &&&str| before.and_then(|it| it.get(**field)).is_some_and(Value::is_string);
        let lacks = |field: &&&str| !input.get(**field).is_some_and(Value::is_string);
        if let Some(field) = NEEDED.iter().filter(had).find(lacks) {
            return Err(Bad(format!("`updatedInput` has no `{field}`, which the call needs")));
        }
        if input.values().any(|it| it.as_str().is_some_and(|it| it.contains('\0'))) {
            return Err(Bad("`updatedInput` holds a NUL character".to_owned()));
        }
    }
    Ok(Patch { scope: Scope::ToolInput, change: Change::Merge(value.clone()) })
}

/// A new result. The original only takes one of the shape that the tool's own has.
fn new_output(hook: &Hook, event: &Event, value: &Value, verdict: &mut Verdict) {
    let before = event.field("tool_output");
    let fits = before.is_none_or(|it| it.is_object() == value.is_object());
    if !fits {
        let text = if is_exact(hook) {
            "its `updatedToolOutput` is not of the tool's own shape and is passed over"
        } else {
            "its `updatedToolOutput` is not of the tool's own shape; the original passes over it"
        };
        verdict.remarks.push(Remark { code: "compat", text: text.to_owned() });
    }
    if fits || !is_exact(hook) {
        verdict
            .patches
            .push(Patch { scope: Scope::ToolOutput, change: Change::Merge(value.clone()) });
    }
}

fn new_mcp_output(event: &Event, value: &Value, verdict: &mut Verdict) {
    if event.text("tool_name").is_some_and(|it| it.starts_with("mcp__")) {
        verdict
            .patches
            .push(Patch { scope: Scope::ToolOutput, change: Change::Merge(value.clone()) });
    } else {
        let text = "`updatedMCPToolOutput` counts for tools of MCP servers only".to_owned();
        verdict.remarks.push(Remark { code: "unknown_field", text });
    }
}
