//! What lies beside the recorded rows of file hooks.

use becket::core::outcome::State;
use becket::core::skip::Skip;
use becket::core::verdict::FailureKind;
use becket::{Compat, Decision};
use serde_json::{Value, json};

use super::workspace::{Workspace, failures, fire, ls, ran, reason};

/// A hook that tells what it was given.
const TELL: &str =
    r#"echo "$HOOK_EVENT|$HOOK_TOOL_NAME|$HOOK_TOOL_INPUT|${HOOK_TOOL_OUTPUT-unset}" >&2; exit 2"#;

#[tokio::test]
async fn exit_code_2_tells_the_model_and_blocks_nothing() {
    for (command, told) in [
        ("echo ' first'; echo '  second ' >&2; exit 2", &["second"][..]),
        ("printf 'a\\r\\nb\\n' >&2; exit 2", &["a\nb"]),
        ("printf ' \\n' >&2; exit 2", &[]),
        (r#"echo '{"additionalContext":"x","updatedInput":{}}'; exit 2"#, &[]),
    ] {
        let outcome = Workspace::with_commands(&[command]).ls().await;
        assert_eq!(outcome.context, told, "{command}");
        assert_eq!((outcome.decision, outcome.patched.len()), (Decision::Pass, 0), "{command}");
    }
}

#[tokio::test]
async fn exit_code_1_blocks_whatever_was_printed() {
    for (command, why) in [
        ("printf ' first\\nsecond \\n' >&2; exit 1", "first\nsecond"),
        (r#"echo why >&2; echo '{"permissionDecision":"allow"}'; exit 1"#, "why"),
        (r#"echo why >&2; echo '{"additionalContext":"x"}'; exit 1"#, "why"),
        ("echo only to stdout; exit 1", "blocked by hook `PreToolUse[0]`"),
    ] {
        let outcome = Workspace::with_commands(&[command]).ls().await;
        assert_eq!((outcome.decision, reason(&outcome)), (Decision::Deny, why), "{command}");
        assert_eq!(outcome.context, [""; 0], "{command}");
    }
}

#[tokio::test]
async fn every_other_end_means_nothing() {
    for command in [
        "exit 3",
        "exit 255",
        "no_such_zz",
        "kill $$",
        "kill -9 $$",
        r#"echo '{"updatedInput":{"command":"x"}}'; echo x >&2; exit 4"#,
    ] {
        let outcome = Workspace::with_commands(&[command]).ls().await;
        assert_eq!(outcome.decision, Decision::Pass, "{command}");
        assert_eq!((outcome.context.len(), outcome.patched.len()), (0, 0), "{command}");
        assert_eq!((failures(&outcome), outcome.notes), (vec![None], vec![]), "{command}");
    }
}

#[tokio::test]
async fn only_one_whole_object_is_an_answer() {
    for output in [
        "",
        "null",
        "1",
        "\"additionalContext\"",
        "[\"additionalContext\"]",
        "additionalContext",
        "log {\"additionalContext\":\"x\"}",
        "{\"additionalContext\":\"x\"} {}",
        "{'a': 1}",
        "{\"additionalcontext\":\"x\"}",
        "{\"hookSpecificOutput\":{\"additionalContext\":\"x\"}}",
        "{\"decision\":\"block\",\"continue\":false}",
    ] {
        let workspace = Workspace::with_commands(&["cat printed"]);
        workspace.write("printed", output);
        let outcome = workspace.ls().await;
        assert_eq!(outcome.decision, Decision::Pass, "{output}");
        assert_eq!((outcome.context.len(), outcome.patched.len()), (0, 0), "{output}");
        assert_eq!(failures(&outcome), [None], "{output}");
    }
}

#[tokio::test]
async fn an_answer_may_have_blanks_around_it_and_values_of_any_kind() {
    for (output, told) in [
        ("\n {\"additionalContext\": \"x\"}\n", "x"),
        ("{\"additionalContext\": \"\"}", ""),
        ("{\"additionalContext\": {\"a\": [1, true]}}", "{'a': [1, True]}"),
        ("{\"additionalContext\": null}", "None"),
    ] {
        let workspace = Workspace::with_commands(&["cat printed"]);
        workspace.write("printed", output);
        assert_eq!(workspace.ls().await.context, [told], "{output}");
    }
    let workspace = Workspace::with_commands(&["echo '{\"updatedInput\":\"text\"}'", TELL]);
    let outcome = workspace.ls().await;
    assert_eq!(outcome.event.field("tool_input"), Some(&json!("text")));
    assert_eq!(outcome.context, ["PreToolUse|bash|\"text\"|unset"]);
}

#[tokio::test]
async fn a_rewrite_replaces_the_whole_input_also_after_a_block_and_after_the_tool() {
    let rewrite = json!({ "command": "echo '{\"updatedInput\":{\"other\":1}}'" });
    let hooks = [json!({ "command": "exit 1" }), rewrite];
    let outcome = Workspace::with_hooks("PreToolUse", &hooks).ls().await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(outcome.event.field("tool_input"), Some(&json!({ "other": 1 })));
    let outcome = Workspace::with_hooks("PostToolUse", &hooks).fire("PostToolUse", ls()).await;
    assert_eq!(outcome.event.field("tool_input"), Some(&json!({ "other": 1 })));
    let without = Workspace::with_hooks("PreToolUse", &hooks).fire("PreToolUse", Value::Null).await;
    assert_eq!(without.event.field("tool_input"), None);
}

#[tokio::test]
async fn the_event_is_in_variables_and_nothing_is_on_standard_input() {
    let tell = [json!({ "command": TELL })];
    for (event, context, told) in [
        (
            "PreToolUse",
            json!({ "tool_name": "bash", "tool_input": { "a": ["ä", 1.5, null] } }),
            "PreToolUse|bash|{\"a\": [\"ä\", 1.5, null]}|unset",
        ),
        (
            "PostToolUse",
            json!({ "tool_name": "b", "tool_input": {}, "tool_output": "o\nk" }),
            "PostToolUse|b|{}|o\nk",
        ),
        (
            "PostToolUse",
            json!({ "tool_name": "b", "tool_input": {}, "tool_output": "" }),
            "PostToolUse|b|{}|",
        ),
        (
            "PostToolUse",
            json!({ "tool_name": "b", "tool_output": { "ok": true } }),
            "PostToolUse|b|{}|{'ok': True}",
        ),
        ("SessionStart", json!({ "tool_name": "", "tool_input": {} }), "SessionStart||{}|unset"),
        ("PreToolUse", Value::Null, "|||unset"),
    ] {
        let outcome = Workspace::with_hooks(event, &tell).fire(event, context).await;
        assert_eq!(outcome.context, [told]);
    }
    let outcome = Workspace::with_commands(&["cat >&2; echo end >&2; exit 2"]).ls().await;
    assert_eq!(outcome.context, ["end"]);
}

#[tokio::test]
async fn a_variable_holds_ten_thousand_characters_not_bytes() {
    let count = "printf '%s' \"$HOOK_TOOL_OUTPUT\" | wc -c >&2; test -z \"$HOOK_TOOL_OUTPUT_FILE\" && exit 2";
    for (output, bytes) in [
        ("x".repeat(10_000), "10000"),
        ("x".repeat(10_001), "10000"),
        ("ä".repeat(10_001), "20000"),
    ] {
        let context = json!({ "tool_name": "b", "tool_input": {}, "tool_output": output });
        let workspace = Workspace::with_hooks("PostToolUse", &[json!({ "command": count })]);
        assert_eq!(workspace.fire("PostToolUse", context).await.context, [bytes]);
    }
}

#[tokio::test]
async fn a_matcher_is_one_name_and_an_event_without_tool_has_none_to_compare() {
    let hooks = ["bash", "Bash", "bas", "bash ", "*", "", "bash|edit", "^bash$"]
        .map(|it| json!({ "matcher": it, "command": "exit 0" }));
    let workspace = Workspace::with_hooks("PreToolUse", &hooks);
    assert_eq!(ran(&workspace.ls().await), ["PreToolUse[0]", "PreToolUse[4]", "PreToolUse[5]"]);
    let bare = workspace.fire("PreToolUse", Value::Null).await;
    assert_eq!(ran(&bare).len(), hooks.len());
    for nameless in [json!({ "tool_input": {} }), json!({ "tool_name": "", "tool_input": {} })] {
        let outcome = workspace.fire("PreToolUse", nameless).await;
        assert_eq!(ran(&outcome), ["PreToolUse[4]", "PreToolUse[5]"]);
    }
    let session = Workspace::with_hooks("SessionStart", &hooks);
    let context = json!({ "source": "startup", "tool_name": "", "tool_input": {} });
    assert_eq!(ran(&session.fire("SessionStart", context).await).len(), 2);
}

#[tokio::test]
async fn an_untrusted_workspace_runs_nothing_and_says_so() {
    let workspace = Workspace::with_commands(&["touch ran; exit 1"]);
    workspace.distrust();
    let outcome = workspace.ls().await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert_eq!(outcome.hooks()[0].1, State::Skipped(Skip::Untrusted));
    assert!(!workspace.path().join("ran").exists());
    let vouched = workspace.builder().vouched(true).build();
    assert_eq!(fire(&vouched, "PreToolUse", ls()).await.decision, Decision::Deny);
    let safe = workspace.builder().compat(Compat::Safe).build();
    assert_eq!(fire(&safe, "PreToolUse", ls()).await.decision, Decision::Deny);
}

#[tokio::test]
async fn all_hooks_run_in_order_in_the_workspace_and_the_last_reason_stands_first() {
    let commands = [
        "echo 1 >>seen; echo A >&2; exit 1",
        "echo 2 >>seen; exit 0",
        "echo 3 >>seen; echo C >&2; exit 1",
        "echo 4 >>seen; exit 9",
    ];
    let workspace = Workspace::with_commands(&commands);
    let outcome = workspace.ls().await;
    let reasons: Vec<_> = outcome.reasons.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(reasons, ["C", "A"]);
    let seen = std::fs::read_to_string(workspace.path().join("seen")).unwrap();
    assert_eq!(seen, "1\n2\n3\n4\n");
}

#[tokio::test]
async fn a_block_of_a_session_blocks_nothing() {
    let workspace = Workspace::with_hooks("SessionStart", &[json!({ "command": "exit 1" })]);
    let outcome = workspace.fire("SessionStart", json!({ "source": "startup" })).await;
    assert_eq!((outcome.decision, outcome.is_blocked()), (Decision::Pass, false));
    assert_eq!(outcome.notes[0].code(), "cannot_block");
}

#[tokio::test]
async fn output_that_is_not_text_makes_the_program_give_up_on_the_hook() {
    let workspace = Workspace::with_commands(&["printf '\\377' >&2; exit 1"]);
    let outcome = workspace.ls().await;
    assert_eq!(outcome.decision, Decision::Pass);
    assert_eq!(failures(&outcome), [Some(FailureKind::BadOutput)]);
    assert_eq!(workspace.ls_safely().await.decision, Decision::Deny);
}
