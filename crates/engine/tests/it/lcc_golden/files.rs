//! The recorded rows of file hooks.

use std::time::Duration;

use becket::core::reply::Reply;
use becket::{Decision, EffectKind, Outcome};
use serde_json::{Map, Value};

use super::row::{FileRow, golden};
use super::workspace::{Workspace, fire, ran, reason, verdicts};

/// What the program says where a hook blocks without a word.
const WORDLESS: &str = "Blocked by hook";

async fn run(row: &FileRow) -> Outcome {
    let workspace = Workspace::with_hooks(&row.event, &row.hooks);
    if !row.opts.trusted {
        workspace.distrust();
    }
    let engine = workspace.builder().vouched(row.opts.sdk).build();
    let context = row.context.clone().map_or(Value::Null, Value::Object);
    fire(&engine, &row.event, context).await
}

fn check(row: &FileRow, outcome: &Outcome) {
    let FileRow { label, event, result, .. } = row;
    assert_eq!(outcome.is_blocked(), result.blocked, "{label}: {outcome:?}");
    let decision = if result.blocked { Decision::Deny } else { Decision::Pass };
    assert_eq!(outcome.decision, decision, "{label}");
    let effects: Vec<_> = outcome.effects.iter().map(|it| it.kind).collect();
    match (result.blocked, event.as_str()) {
        (false, _) => assert_eq!(effects, [], "{label}"),
        (true, "PreToolUse") => assert_eq!(effects, [EffectKind::DenyTool], "{label}"),
        (true, "PostToolUse") => assert_eq!(effects, [EffectKind::FailTool], "{label}"),
        (true, other) => panic!("{label}: what does a block of `{other}` do?"),
    }
    match result.block_reason.as_deref() {
        None => assert_eq!(outcome.reasons, [], "{label}"),
        Some(WORDLESS) => assert!(reason(outcome).contains("blocked by hook"), "{label}"),
        Some(text) => assert_eq!(reason(outcome), text, "{label}"),
    }
    let messages: Vec<_> = outcome.context.iter().map(|it| Value::from(it.as_str())).collect();
    assert_eq!(messages, result.messages, "{label}");
    assert_eq!(outcome.messages, [""; 0], "{label}: nothing is for the person");
    let mut answers = verdicts(outcome).into_iter().filter_map(|it| it.answer.as_ref());
    let permission = answers.find_map(|it| it.get("permissionDecision")).cloned();
    assert_eq!(permission, result.permission_override, "{label}");
    check_context(row, outcome);
}

fn check_context(row: &FileRow, outcome: &Outcome) {
    let about_tool = ["tool_name", "tool_input", "tool_output"];
    let after: Map<_, _> = about_tool
        .iter()
        .filter_map(|it| Some(((*it).to_owned(), outcome.event.field(it)?.clone())))
        .collect();
    assert_eq!(after, row.context_after.clone().unwrap_or_default(), "{}", row.label);
    let changed = row.context != row.context_after;
    assert_eq!(!outcome.patched.is_empty(), changed, "{}", row.label);
}

#[tokio::test]
async fn every_recorded_file_hook_does_what_it_did() {
    for row in golden().s08.iter().filter(|row| row.note.is_none()) {
        check(row, &run(row).await);
    }
}

/// The limit of these rows is the dialect's own; the clock of the test runs ahead while nothing else does.
#[tokio::test(start_paused = true)]
async fn every_recorded_timeout_is_one() {
    let rows = golden().s08.into_iter().filter(|row| row.note.is_some());
    for row in rows {
        assert!(
            row.note.as_deref().unwrap().contains("limit"),
            "{}: another kind of note",
            row.label
        );
        let outcome = run(&row).await;
        check(&row, &outcome);
        assert_eq!(ran(&outcome), ["PreToolUse[0]"], "{}", row.label);
        let run = outcome.runs().next().unwrap();
        let Reply::TimedOut { limit, .. } = &run.reply else { panic!("{}: {run:?}", row.label) };
        assert_eq!(*limit, Duration::from_secs(30), "{}", row.label);
    }
}
