//! The rows: one constant per dialect, and what `exact` changes in it.

use std::time::Duration;

use super::{
    AfterBlock, Answers, Channel, Complete, EventTimeout, ExitMap, ExitMeaning, FailureDefaults,
    FailureRefuses, Folder, HttpDeadline, Order, OutputCodec, PatchRules, Profile, ReasonPick,
    ReloadMoment, ResponseScope, Shell, StopMeaning, Strictness, TextsGo, Timeouts, TrustRule,
    Waves, WithoutSubject,
};
use crate::dialect::{Compat, Dialect};
use crate::event::EventKind;
use crate::matcher::MatcherLanguage;
use crate::patch::MergeRule;
use crate::verdict::OnFailure;

pub(super) const fn profile(dialect: Dialect, compat: Compat) -> &'static Profile {
    match (dialect, compat) {
        (Dialect::Becket, _) => &BECKET,
        (Dialect::Oah, Compat::Safe) => &OAH,
        (Dialect::Oah, Compat::Exact) => &OAH_EXACT,
        (Dialect::OpenHarness, Compat::Safe) => &OPENHARNESS,
        (Dialect::OpenHarness, Compat::Exact) => &OPENHARNESS_EXACT,
        (Dialect::T15, _) => &T15,
        (Dialect::LccS08, Compat::Safe) => &LCC_S08,
        (Dialect::LccS08, Compat::Exact) => &LCC_S08_EXACT,
        (Dialect::Microai, Compat::Safe) => &MICROAI,
        (Dialect::Microai, Compat::Exact) => &MICROAI_EXACT,
        (Dialect::ClaudeCode, Compat::Safe) => &CLAUDE_CODE,
        (Dialect::ClaudeCode, Compat::Exact) => &CLAUDE_CODE_EXACT,
    }
}

const FIVE_SECONDS: Option<Duration> = Some(Duration::from_secs(5));
const HALF_A_MINUTE: Option<Duration> = Some(Duration::from_secs(30));
const A_MINUTE: Option<Duration> = Some(Duration::from_mins(1));
const TEN_MINUTES: Option<Duration> = Some(Duration::from_mins(10));

const fn always(timeout: Option<Duration>) -> Timeouts {
    Timeouts {
        command: timeout,
        prompt: timeout,
        agent: timeout,
        events: &[],
        unlimited: false,
        documented: true,
    }
}

const fn exits(one: ExitMeaning, two: ExitMeaning) -> ExitMap {
    ExitMap {
        zero: ExitMeaning::Answer,
        one,
        two,
        other: ExitMeaning::Fail,
        signal: ExitMeaning::Fail,
    }
}

const fn failures(gate: OnFailure, model_gate: OnFailure) -> FailureDefaults {
    FailureDefaults { gate, model_gate }
}

const REPLACE: PatchRules = PatchRules {
    tool: MergeRule::Replace,
    context: MergeRule::Deep,
    model_request: MergeRule::ModelRequest,
    model_response: MergeRule::ModelResponse,
    gated: false,
    anywhere: false,
};

/// Our own rules; the other rows say where they differ.
const BECKET: Profile = Profile {
    exit: exits(ExitMeaning::Fail, ExitMeaning::Block),
    output: OutputCodec::Becket,
    on_failure: failures(OnFailure::Ask, OnFailure::Ask),
    failure_refuses: FailureRefuses::Gates,
    after_block: AfterBlock::Stop,
    reason: ReasonPick::First,
    matcher: MatcherLanguage::Items,
    subjects: &[],
    without_subject: WithoutSubject::Fires,
    input: &[Channel::Stdin],
    shell: Shell::Sh,
    timeout: Timeouts {
        command: None,
        prompt: HALF_A_MINUTE,
        agent: A_MINUTE,
        events: &[],
        unlimited: false,
        documented: true,
    },
    strictness: Strictness::RefuseEntry,
    patch: PatchRules { tool: MergeRule::Shallow, gated: true, ..REPLACE },
    reload: ReloadMoment::Event,
    keeps_last_good: true,
    trust: TrustRule::Content,
    waves: Waves::Sequential,
    answers: Answers::Configured,
    twins_run_once: false,
    order: Order::FileName,
    matches_patched_event: true,
    complete: Complete::AtExit,
    http_deadline: HttpDeadline::Total,
    model_deadline: true,
    agents_are_models: false,
    answer_tokens: None,
    exceptions_escape: false,
    splices_values: false,
    folder: Folder::Layered,
    follow_redirects: false,
    stop: StopMeaning::EndsRun,
    texts: TextsGo::ToTheirReaders,
    responses: ResponseScope::Every,
    keep_objections: true,
    documented_capabilities: true,
    resolve_secrets: true,
    broken_condition_skips: false,
    fit_variables: true,
    context_from: &[],
    context_added: &[],
    companions: &[],
    tool_id_field: "tool_use_id",
    root_variable: Some("BECKET_WORKSPACE_ROOT"),
};

/// Open Agent Harness as seeds 002 and 003 describe it: a failing hook is logged and the run goes on.
const OAH: Profile = Profile {
    output: OutputCodec::UnifiedStrict,
    timeout: Timeouts { documented: false, ..BECKET.timeout },
    on_failure: failures(OnFailure::Allow, OnFailure::Allow),
    matcher: MatcherLanguage::EcmaRegex,
    folder: Folder::OfHooks,
    tool_id_field: "tool_call_id",
    root_variable: Some("OPENHARNESS_WORKSPACE_ROOT"),
    ..BECKET
};

/// Open Agent Harness as the program behaves.
const OAH_EXACT: Profile = Profile {
    // A hook that a signal ended is read like one that ended well.
    exit: ExitMap { signal: ExitMeaning::Answer, ..OAH.exit },
    output: OutputCodec::UnifiedLoose,
    timeout: Timeouts {
        command: None,
        prompt: None,
        agent: None,
        events: &[],
        unlimited: true,
        documented: false,
    },
    strictness: Strictness::RefuseAll,
    reload: ReloadMoment::Session,
    keeps_last_good: false,
    trust: TrustRule::Anything,
    order: Order::ScriptObject,
    matches_patched_event: false,
    complete: Complete::AtPipeClose,
    http_deadline: HttpDeadline::Headers,
    follow_redirects: true,
    stop: StopMeaning::Blocks,
    texts: TextsGo::IntoTheValue,
    responses: ResponseScope::Last,
    keep_objections: false,
    documented_capabilities: false,
    resolve_secrets: false,
    ..OAH
};

const OPENHARNESS: Profile = Profile {
    exit: exits(ExitMeaning::Fail, ExitMeaning::Fail),
    output: OutputCodec::None,
    on_failure: failures(OnFailure::Allow, OnFailure::Deny),
    after_block: AfterBlock::RunRest,
    matcher: MatcherLanguage::Glob,
    without_subject: WithoutSubject::EventName,
    input: &[Channel::Environment, Channel::Placeholders],
    shell: Shell::BashLogin,
    timeout: Timeouts {
        command: HALF_A_MINUTE,
        prompt: HALF_A_MINUTE,
        agent: A_MINUTE,
        events: &[],
        unlimited: false,
        documented: true,
    },
    strictness: Strictness::Ignore,
    trust: TrustRule::UserOnly,
    order: Order::Written,
    resolve_secrets: false,
    root_variable: None,
    failure_refuses: FailureRefuses::WhateverBlocks,
    subjects: &["tool_name", "prompt", "event"],
    agents_are_models: true,
    answer_tokens: Some(512),
    folder: Folder::Plugin {
        manifest: "plugin.json",
        key: "hooks_file",
        files: &["hooks.json", "hooks/hooks.json"],
    },
    ..BECKET
};

const OPENHARNESS_EXACT: Profile = Profile {
    // One hook that is wrong, and the program does not start.
    strictness: Strictness::RefuseAll,
    complete: Complete::AtPipeClose,
    http_deadline: HttpDeadline::EachRead,
    model_deadline: false,
    exceptions_escape: true,
    splices_values: true,
    reload: ReloadMoment::Prompt,
    keeps_last_good: false,
    ..OPENHARNESS
};

const T15: Profile = Profile {
    exit: exits(ExitMeaning::Fail, ExitMeaning::Fail),
    output: OutputCodec::None,
    on_failure: failures(OnFailure::Allow, OnFailure::Deny),
    matcher: MatcherLanguage::Nothing,
    // "Only a stat call for each execution of hooks."
    reload: ReloadMoment::EveryEvent,
    folder: Folder::OfHooks,
    input: &[Channel::Stdin, Channel::Placeholders],
    timeout: always(HALF_A_MINUTE),
    order: Order::Written,
    resolve_secrets: false,
    root_variable: None,
    agents_are_models: true,
    answer_tokens: Some(512),
    ..BECKET
};

/// learn-claude-code's file hooks, with failures told instead of passed over.
const LCC_S08: Profile = Profile {
    exit: exits(ExitMeaning::Block, ExitMeaning::Inject),
    output: OutputCodec::LccStrict,
    on_failure: failures(OnFailure::Allow, OnFailure::Allow),
    after_block: AfterBlock::RunRest,
    reason: ReasonPick::Last,
    matcher: MatcherLanguage::Name,
    folder: Folder::OfHooks,
    input: &[Channel::Environment],
    timeout: always(HALF_A_MINUTE),
    patch: REPLACE,
    order: Order::Written,
    root_variable: None,
    ..BECKET
};

/// learn-claude-code's file hooks as the program behaves.
const LCC_S08_EXACT: Profile = Profile {
    exit: ExitMap { other: ExitMeaning::Ignore, signal: ExitMeaning::Ignore, ..LCC_S08.exit },
    output: OutputCodec::Lcc,
    without_subject: WithoutSubject::EmptyName,
    strictness: Strictness::Ignore,
    // What a hook rewrites is a value that all hooks share, whatever becomes of the event.
    patch: PatchRules { anywhere: true, ..REPLACE },
    trust: TrustRule::Marker,
    complete: Complete::AtPipeClose,
    keep_objections: false,
    fit_variables: false,
    reload: ReloadMoment::Never,
    keeps_last_good: false,
    ..LCC_S08
};

/// The `MicroAI` adapter specification, with what it leaves open decided for the author of a hook.
const MICROAI: Profile = Profile {
    exit: exits(ExitMeaning::Fail, ExitMeaning::Fail),
    output: OutputCodec::None,
    on_failure: failures(OnFailure::Allow, OnFailure::Allow),
    matcher: MatcherLanguage::ToolPattern,
    input: &[Channel::Environment],
    timeout: always(FIVE_SECONDS),
    context_from: &[EventKind::SessionStart, EventKind::UserPromptSubmit],
    context_added: &[EventKind::UserPromptSubmit],
    folder: Folder::Holding(&["settings.json", "settings.local.json"]),
    companions: &["settings.local.json"],
    patch: REPLACE,
    order: Order::Written,
    root_variable: Some("PROJECT_ROOT"),
    ..BECKET
};

/// The specification to the letter: what it does not mention is not there.
const MICROAI_EXACT: Profile = Profile {
    strictness: Strictness::Ignore,
    trust: TrustRule::Anything,
    context_from: &[EventKind::SessionStart],
    context_added: &[],
    broken_condition_skips: true,
    fit_variables: false,
    keep_objections: false,
    reload: ReloadMoment::Never,
    keeps_last_good: false,
    ..MICROAI
};

/// Claude Code, with what it passes over in silence told or mended.
const CLAUDE_CODE: Profile = Profile {
    output: OutputCodec::ClaudeCode,
    on_failure: failures(OnFailure::Allow, OnFailure::Allow),
    matcher: MatcherLanguage::NamesOrRegex,
    timeout: Timeouts {
        command: TEN_MINUTES,
        prompt: HALF_A_MINUTE,
        agent: A_MINUTE,
        events: &CLAUDE_CODE_TIMEOUTS,
        unlimited: false,
        documented: true,
    },
    context_from: &[EventKind::UserPromptSubmit, EventKind::SessionStart],
    patch: REPLACE,
    waves: Waves::Parallel,
    twins_run_once: true,
    order: Order::Written,
    resolve_secrets: false,
    folder: Folder::Holding(&["settings.json", "settings.local.json"]),
    companions: &["settings.local.json"],
    root_variable: Some("CLAUDE_PROJECT_DIR"),
    ..BECKET
};

/// Claude Code as the program behaves.
const CLAUDE_CODE_EXACT: Profile = Profile {
    output: OutputCodec::ClaudeCodeAlone,
    // Hooks that run together all run to their end, whatever one of them says.
    after_block: AfterBlock::RunRest,
    trust: TrustRule::Anything,
    answers: Answers::Arrival,
    keep_objections: false,
    ..CLAUDE_CODE
};

const CLAUDE_CODE_TIMEOUTS: [EventTimeout; 3] = [
    EventTimeout {
        event: EventKind::UserPromptSubmit,
        default: Duration::from_secs(30),
        most: None,
    },
    EventTimeout { event: EventKind::MessageDisplay, default: Duration::from_secs(10), most: None },
    EventTimeout {
        event: EventKind::SessionEnd,
        default: Duration::from_millis(1500),
        most: Some(Duration::from_mins(1)),
    },
];
