//! The examples of the repository, run as their README says.
#![expect(clippy::indexing_slicing, reason = "a test fails loudly")]

use serde_json::json;

use crate::becket::{has, repository, run_in};

fn fire(example: &str, payload: &str) -> crate::becket::Ran {
    let hooks = format!("examples/hooks/{example}/.openharness/hooks");
    let input = format!("examples/hooks/{example}/{payload}.json");
    let args = [
        "fire",
        "before_tool_dispatch",
        "--dialect",
        "oah",
        "--hooks",
        &hooks,
        "--input",
        &input,
        "--json",
        "--no-journal",
    ];
    run_in(&repository(), &args, "")
}

fn blocks_what_is_dangerous_only(example: &str) {
    let dangerous = fire(example, "dangerous");
    assert_eq!(dangerous.code, 2, "{}{}", dangerous.stdout, dangerous.stderr);
    let outcome = dangerous.json();
    let reason = json!([{ "hook": "block-dangerous-commands", "text": "Command blocked: contains dangerous pattern" }]);
    assert_eq!(outcome["reasons"], reason);
    assert_eq!(outcome["effects"][1], json!({ "kind": "deny_tool" }));
    assert_eq!(outcome["effects"][0]["kind"], "stop_loop");
    let harmless = fire(example, "harmless");
    assert_eq!(
        (harmless.code, harmless.json()["decision"].as_str()),
        (0, Some("pass")),
        "{}",
        harmless.stdout
    );
}

#[test]
fn seed_002_s_full_example_blocks_a_dangerous_command() {
    if !has("node", "block-dangerous") {
        return;
    }
    blocks_what_is_dangerous_only("block-dangerous");
}

#[test]
fn the_same_example_in_plain_sh() {
    blocks_what_is_dangerous_only("block-dangerous-sh");
}

#[test]
fn the_demo_and_the_example_are_the_same_hook() {
    let read = |path: &str| std::fs::read_to_string(repository().join(path)).unwrap();
    for (ours, theirs) in [
        (
            "crates/cli/demo/block-dangerous.yaml",
            "examples/hooks/block-dangerous-sh/.openharness/hooks/block-dangerous.yaml",
        ),
        (
            "crates/cli/demo/scripts/check-command.sh",
            "examples/hooks/block-dangerous-sh/.openharness/hooks/scripts/check-command.sh",
        ),
    ] {
        assert_eq!(read(ours), read(theirs));
    }
}
