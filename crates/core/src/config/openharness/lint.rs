//! Ways in which a hook that loads would still not do what its author wants.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::script::{Script, Text, Wish};
use super::super::tools::{Misspelt, Spelling, misspelt};
use super::super::tree::Problems;
use super::super::variables;
use super::entry::Written;
use super::{Code, Dialect, EventKind, HookSpec, Reading, World};
use crate::hook::Handler;
use crate::matcher::{Fit, Matcher, MatcherLanguage};

/// What a command is told in its environment.
const VARIABLES: [&str; 2] = ["OPENHARNESS_HOOK_PAYLOAD", "OPENHARNESS_HOOK_EVENT"];
/// Where the program keeps its settings, below somebody's home.
const FOLDER: &str = ".openharness";
/// The longest that a hook for every tool should hold up a call.
const SHORT: Duration = Duration::from_secs(20);

/// Reports everything that does not stop the hook from being loaded.
pub(super) fn lint(
    spec: &HookSpec,
    written: &Written,
    (own_event, world): (bool, &dyn World),
    problems: &mut Problems<'_>,
) {
    problems.found.extend(written.harmless.iter().cloned());
    let Some(kind) = spec.events.first() else { return };
    lint_matcher(kind, written, problems);
    lint_blocking(kind, written, problems);
    lint_waiting(spec, kind, written, problems);
    match &spec.handler {
        Handler::Command { command, .. } => {
            let script = Script::read(command, &spec.workspace, world);
            script.lint(&written.body, world, problems);
            lint_command(command, &script, written, problems);
            lint_input(&script, written, problems);
            if own_event && *kind == EventKind::PreToolUse {
                lint_guard(&script, written, problems);
            }
        }
        Handler::Http { url, headers, .. } => {
            if !url.starts_with("http://") && !url.starts_with("https://") {
                let message = "the URL must start with `http://` or `https://`";
                problems.report(Code::Url, &written.body, message);
            }
            let variable = headers.iter().find(|it| it.1.written().contains('$'));
            if let Some((name, _)) = variable {
                let message = format!("the header `{name}` is sent as it stands, with its `$`");
                let hint = "this dialect fills nothing in there";
                problems.report_with_hint(Code::Placeholder, &written.body, message, hint);
            }
        }
        Handler::Prompt { .. } | Handler::Agent { .. } => {
            let asks = *kind == EventKind::PreToolUse && !written.blocks;
            if let Some(span) = written.says_blocks.as_ref().filter(|_| asks) {
                let message = "every call waits for the model, and its no is passed over";
                let hint = "leave `block_on_failure` out, or ask at `post_tool_use`";
                problems.report_with_hint(Code::CannotBlock, span, message, hint);
            }
        }
        Handler::McpTool { .. } | Handler::InProcess(_) => (),
    }
}

/// Hooks that hold everything up, or break what they hang on.
fn lint_waiting(spec: &HookSpec, kind: &EventKind, written: &Written, problems: &mut Problems<'_>) {
    let all = written.matcher.as_deref().is_none_or(|it| it.is_empty() || it == "*");
    let asks = matches!(spec.handler, Handler::Prompt { .. } | Handler::Agent { .. });
    match kind {
        EventKind::PreCompact => {
            let message = "in the original any hook at `pre_compact` makes compaction fail";
            problems.report(Code::CompactBreaks, &written.body, message);
        }
        EventKind::PreToolUse if all && asks => {
            let message = "every tool call waits until a model has answered";
            let hint = "use a command here, or give it a matcher";
            problems.report_with_hint(Code::ModelInPath, &written.body, message, hint);
        }
        EventKind::PreToolUse if all && written.timeout > SHORT => {
            let seconds = written.timeout.as_secs();
            let message = format!("every tool call may wait {seconds} s for this hook");
            let hint = "give it `\"timeout_seconds\": 5`, or a matcher";
            problems.report_with_hint(Code::SlowForAll, &written.body, message, hint);
        }
        _ => (),
    }
    let seconds = written.timeout.as_secs();
    if seconds >= 1000 && seconds.is_multiple_of(500) {
        let message = format!("{seconds} s are {} minutes", seconds / 60);
        let hint =
            format!("this dialect counts seconds: {seconds} ms are {}", seconds.div_ceil(1000));
        problems.report_with_hint(Code::TimeoutUnit, &written.body, message, hint);
    }
}

/// A glob that no subject of this event can match.
fn lint_matcher(kind: &EventKind, written: &Written, problems: &mut Problems<'_>) {
    let Some(matcher) = written.matcher.as_deref().filter(|it| !it.is_empty()) else { return };
    let name = kind.name_in(Dialect::OpenHarness).unwrap_or_default();
    let (message, hint) = match kind {
        EventKind::UserPromptSubmit => return,
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::Notification => {
            let foreign = |c: char| !(c.is_alphanumeric() || "_-.:/*?[]!@".contains(c));
            if !matcher.contains(foreign) && !matcher.contains(".*") {
                lint_tool(matcher, written, problems);
                return;
            }
            let message = format!("`{matcher}` is a glob here and matches no name of a tool");
            (message, "one glob such as `read_*`; give each alternative a hook of its own")
        }
        _ => {
            if Matcher::new(MatcherLanguage::Glob, matcher).fit(name) == Fit::Yes {
                return;
            }
            let message = format!("at `{name}` a matcher is tried on the event's own name");
            (message, "leave the matcher out")
        }
    };
    problems.report_with_hint(Code::MatcherNever, &written.matcher_span, message, hint);
}

/// Settings of a project, which the program does not have.
pub(super) fn lint_place(reading: Reading<'_>, at: &Range<usize>, problems: &mut Problems<'_>) {
    let folder = reading.file.path.parent();
    let home = reading.world.variable("HOME").map(|home| Path::new(&home).join(FOLDER));
    let named = reading.world.variable("OPENHARNESS_CONFIG_DIR").map(PathBuf::from);
    let looked = [home, named].into_iter().flatten().any(|it| Some(it.as_path()) == folder);
    if folder.is_some_and(|it| it.ends_with(FOLDER)) && !looked {
        let message = "the original does not look for settings in a project";
        let hint =
            "it reads `~/.openharness/settings.json`, and what `OPENHARNESS_CONFIG_DIR` names";
        problems.report_with_hint(Code::Place, at, message, hint);
    }
}

/// A name that no tool of the program has.
fn lint_tool(name: &str, written: &Written, problems: &mut Problems<'_>) {
    let at = &written.matcher_span;
    match misspelt(name, Spelling::Snake) {
        Some(Misspelt::Elsewhere(known)) => {
            let message = format!("the program has no tool called `{name}`, and capitals count");
            problems.report_with_hint(Code::MatcherNever, at, message, format!("write `{known}`"));
        }
        Some(Misspelt::Nearly(known)) => {
            let message = format!("is there a tool called `{name}`?");
            let hint = format!("did you mean `{known}`?");
            problems.report_with_hint(Code::ToolName, at, message, hint);
        }
        None => (),
    }
}

/// A wish to block where nothing can be blocked.
fn lint_blocking(kind: &EventKind, written: &Written, problems: &mut Problems<'_>) {
    let blockable = kind.block_in(Dialect::OpenHarness, |_| None).is_some();
    if let Some(span) = written.says_blocks.as_ref().filter(|_| written.blocks && !blockable) {
        let name = kind.name_in(Dialect::OpenHarness).unwrap_or_default();
        let message = format!("`{name}` cannot be blocked, so `block_on_failure` has no effect");
        let hint = "only `pre_tool_use` and `pre_compact` can";
        problems.report_with_hint(Code::CannotBlock, span, message, hint);
    }
}

fn lint_command(
    command: &str,
    script: &Script<'_>,
    written: &Written,
    problems: &mut Problems<'_>,
) {
    let at = &written.body;
    if command.trim().is_empty() {
        let message = "an empty command always succeeds, so this refuses and does nothing";
        problems.report(Code::Field, at, message);
    }
    let later = || script.evaluated().any(|word| word.shown().contains("$ARGUMENTS"));
    if written.quoted {
        let message = "`$ARGUMENTS` stands in quotes, where the original's own quotes break it";
        let hint = "write it without quotes; it arrives as one word";
        problems.report_with_hint(Code::TemplateInShell, at, message, hint);
    } else if later() {
        let message = "`$ARGUMENTS` would become part of what another shell runs";
        let hint = "give it to a script as an argument";
        problems.report_with_hint(Code::TemplateInShell, at, message, hint);
    }
    if let Some(name) = script.unquoted(&VARIABLES) {
        let message = format!("`${name}` stands without quotes and is split into words");
        let hint = format!("write `\"${name}\"`");
        problems.report_with_hint(Code::UnquotedVar, at, message, hint);
    }
    let followed = |text: &str| {
        let after = text.chars().next();
        after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if command.contains("${ARGUMENTS}") {
        let message = "`${ARGUMENTS}` is not filled in, so the shell finds nothing there";
        problems.report_with_hint(Code::Placeholder, at, message, "write `$ARGUMENTS`");
    } else if command.split("$ARGUMENTS").skip(1).any(followed) {
        let message = "`$ARGUMENTS` is filled in also as the beginning of a longer name";
        problems.report(Code::Placeholder, at, message);
    }
}

/// A script that looks for the event where other systems put it.
fn lint_input(script: &Script<'_>, written: &Written, problems: &mut Problems<'_>) {
    let at = &written.body;
    variables::lint(Dialect::OpenHarness, &VARIABLES, script, at, problems);
    let told = |text: &Text| text.has("OPENHARNESS_HOOK") || text.has("$ARGUMENTS");
    if script.reads_input() && !script.any(told) {
        let message = "it reads standard input, and nothing is there";
        let hint = "the payload is in `$OPENHARNESS_HOOK_PAYLOAD` and `$ARGUMENTS`";
        problems.report_with_hint(Code::NoStdin, at, message, hint);
    }
}

/// A command that is meant to refuse, and cannot.
fn lint_guard(script: &Script<'_>, written: &Written, problems: &mut Problems<'_>) {
    let hint = "set `block_on_failure` to true and exit with any code but 0 to refuse";
    let (code, message) = match (script.wish(""), written.blocks) {
        (Wish::Shown, _) if script.refuses() && !script.fails() => (
            Code::NeverBlocks,
            "what a command prints is not read in this dialect, so this refuses nothing",
        ),
        (Wish::Shown, false) => {
            (Code::NeverBlocks, "its exit code refuses nothing without `block_on_failure`")
        }
        (Wish::Named, false) => {
            (Code::CannotBlock, "this looks like a guard, and its failure lets the tool run")
        }
        (Wish::None | Wish::Named | Wish::Shown, _) => return,
    };
    problems.report_with_hint(code, &written.body, message, hint);
}
