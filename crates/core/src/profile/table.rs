//! The rows: one constant per dialect, and what `exact` changes in it.

use std::time::Duration;

use super::{
    AfterBlock, Channel, Complete, ExitMap, ExitMeaning, FailureDefaults, HttpDeadline, Order,
    OutputCodec, PatchRules, Profile, ReasonPick, ReloadMoment, ResponseScope, Shell, StopMeaning,
    Strictness, TextsGo, Timeouts, TrustRule, Waves, WithoutSubject,
};
use crate::dialect::{Compat, Dialect};
use crate::matcher::MatcherLanguage;
use crate::patch::MergeRule;
use crate::verdict::OnFailure;

pub(super) const fn profile(dialect: Dialect, compat: Compat) -> &'static Profile {
    match (dialect, compat) {
        (Dialect::Becket, _) => &BECKET,
        (Dialect::Oah, Compat::Safe) => &OAH,
        (Dialect::Oah, Compat::Exact) => &OAH_EXACT,
        (Dialect::OpenHarness, _) => &OPENHARNESS,
        (Dialect::T15, _) => &T15,
        (Dialect::LccS08, _) => &LCC_S08,
        (Dialect::Microai, _) => &MICROAI,
        (Dialect::ClaudeCode, _) => &CLAUDE_CODE,
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
};

/// Our own rules; the other rows say where they differ.
const BECKET: Profile = Profile {
    exit: exits(ExitMeaning::Fail, ExitMeaning::Block),
    output: OutputCodec::UnifiedStrict,
    on_failure: failures(OnFailure::Ask, OnFailure::Ask),
    after_block: AfterBlock::Stop,
    reason: ReasonPick::First,
    matcher: MatcherLanguage::EcmaRegex,
    without_subject: WithoutSubject::Fires,
    input: &[Channel::Stdin],
    shell: Shell::Sh,
    timeout: Timeouts {
        command: None,
        prompt: HALF_A_MINUTE,
        agent: A_MINUTE,
        unlimited: false,
        documented: true,
    },
    strictness: Strictness::RefuseEntry,
    patch: PatchRules { tool: MergeRule::Shallow, gated: true, ..REPLACE },
    reload: ReloadMoment::Event,
    trust: TrustRule::Content,
    waves: Waves::Sequential,
    order: Order::FileName,
    matches_patched_event: true,
    complete: Complete::AtExit,
    http_deadline: HttpDeadline::Total,
    follow_redirects: false,
    stop: StopMeaning::EndsRun,
    texts: TextsGo::ToTheirReaders,
    responses: ResponseScope::Every,
    keep_objections: true,
    documented_capabilities: true,
    resolve_secrets: true,
    broken_condition_skips: false,
    companions: &[],
    tool_id_field: "tool_use_id",
    root_variable: Some("BECKET_WORKSPACE_ROOT"),
};

/// Open Agent Harness as seeds 002 and 003 describe it: a failing hook is logged and the run goes on.
const OAH: Profile = Profile {
    timeout: Timeouts { documented: false, ..BECKET.timeout },
    on_failure: failures(OnFailure::Allow, OnFailure::Allow),
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
        unlimited: true,
        documented: false,
    },
    strictness: Strictness::RefuseAll,
    reload: ReloadMoment::Session,
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
        unlimited: false,
        documented: true,
    },
    strictness: Strictness::Ignore,
    reload: ReloadMoment::Prompt,
    trust: TrustRule::UserOnly,
    order: Order::Written,
    ..BECKET
};

const T15: Profile = Profile {
    exit: exits(ExitMeaning::Fail, ExitMeaning::Fail),
    output: OutputCodec::None,
    on_failure: failures(OnFailure::Allow, OnFailure::Deny),
    matcher: MatcherLanguage::Nothing,
    input: &[Channel::Stdin, Channel::Placeholders],
    timeout: always(HALF_A_MINUTE),
    order: Order::Written,
    ..BECKET
};

const LCC_S08: Profile = Profile {
    exit: ExitMap {
        zero: ExitMeaning::Answer,
        one: ExitMeaning::Block,
        two: ExitMeaning::Inject,
        other: ExitMeaning::Ignore,
        signal: ExitMeaning::Ignore,
    },
    output: OutputCodec::Lcc,
    on_failure: failures(OnFailure::Allow, OnFailure::Allow),
    after_block: AfterBlock::RunRest,
    reason: ReasonPick::Last,
    matcher: MatcherLanguage::Name,
    input: &[Channel::Environment],
    timeout: always(HALF_A_MINUTE),
    strictness: Strictness::Ignore,
    patch: REPLACE,
    reload: ReloadMoment::Never,
    trust: TrustRule::Marker,
    order: Order::Written,
    ..BECKET
};

const MICROAI: Profile = Profile {
    exit: exits(ExitMeaning::Fail, ExitMeaning::Fail),
    output: OutputCodec::None,
    on_failure: failures(OnFailure::Allow, OnFailure::Allow),
    matcher: MatcherLanguage::ToolPattern,
    input: &[Channel::Environment],
    timeout: always(FIVE_SECONDS),
    companions: &["settings.local.json"],
    strictness: Strictness::Ignore,
    reload: ReloadMoment::Never,
    order: Order::Written,
    ..BECKET
};

const CLAUDE_CODE: Profile = Profile {
    output: OutputCodec::ClaudeCode,
    on_failure: failures(OnFailure::Allow, OnFailure::Allow),
    matcher: MatcherLanguage::NamesOrRegex,
    timeout: Timeouts {
        command: TEN_MINUTES,
        prompt: HALF_A_MINUTE,
        agent: A_MINUTE,
        unlimited: false,
        documented: true,
    },
    strictness: Strictness::Ignore,
    patch: REPLACE,
    waves: Waves::Parallel,
    order: Order::Written,
    ..BECKET
};
