//! Rules and settings of a project: what tightens counts at once, what loosens after approval.

use becket::{Decision, Engine, Event, EventKind, Trust};
use serde_json::json;

use super::{Ground, notes, standing};

const SETTINGS: &str = "project/.becket/settings.yaml";

/// What a project's rules say about a command.
fn decision(ground: &Ground, command: &str) -> (i32, String) {
    let call = json!({ "tool_name": "Bash", "tool_input": { "command": command } }).to_string();
    ground.write("rule.json", &call);
    let file = ground.path("rule.json");
    let args = ["fire", "PreToolUse", "--json", "--input", file.to_str().unwrap()];
    let fired = ground.run("project", &args);
    (fired.code, fired.json()["decision"].as_str().unwrap().to_owned())
}

#[test]
fn a_project_may_forbid_at_once_and_allow_when_somebody_approved_it() {
    let ground = Ground::new();
    std::fs::remove_dir_all(ground.path("project/.openharness")).unwrap();
    ground.write(
        SETTINGS,
        "permissions:\n  allow: [Bash(ls)]\n  ask: [Bash(cp *)]\n  deny: [Bash(rm *)]\n",
    );
    assert_eq!(decision(&ground, "rm x"), (2, "deny".to_owned()));
    assert_eq!(decision(&ground, "cp x y"), (3, "ask".to_owned()));
    assert_eq!(decision(&ground, "ls"), (0, "pass".to_owned()));
    assert!(notes(&ground.fire("project", &[]).json()).contains(&"untrusted_settings"));
    let review = ground.review("project");
    assert_eq!(standing(&review, "allow Bash(ls)"), "new");
    assert_eq!(standing(&review, "deny Bash(rm *)"), "tightens");
    ground.approve("project");
    assert_eq!(decision(&ground, "ls"), (0, "allow".to_owned()));
    // Another allowance waits; the one that was approved counts.
    ground.write(SETTINGS, "permissions:\n  allow: [Bash(ls), Bash(git *)]\n");
    assert_eq!(decision(&ground, "ls"), (0, "allow".to_owned()));
    assert_eq!(decision(&ground, "git push"), (0, "pass".to_owned()));
}

#[test]
fn settings_that_loosen_wait_for_approval() {
    let ground = Ground::new();
    ground.approve("project");
    assert!(ground.runs("project"));
    ground
        .write(SETTINGS, "disabled: true\npermissions:\n  default: allow\n  order: hooks_first\n");
    assert!(
        ground.runs("project"),
        "an approved guard is not switched off by what nobody approved"
    );
    let review = ground.review("project");
    for grant in ["default allow", "order hooks_first", "disabled true"] {
        assert_eq!(standing(&review, grant), "new", "{grant}");
    }
    ground.approve("project");
    assert!(!ground.runs("project"));
    assert_eq!(ground.fire("project", &[]).json()["hooks"][0]["skip"]["code"], "disabled");
    assert_eq!(decision(&ground, "ls"), (0, "allow".to_owned()));
}

#[test]
fn a_hook_that_is_switched_off_stays_off_when_it_is_approved() {
    let ground = Ground::new();
    std::fs::remove_dir_all(ground.path("project/.openharness")).unwrap();
    ground.write(
        "project/.becket/hooks/guard.yaml",
        "name: guard\nevents: [PreToolUse]\nenabled: false\nhandler: { type: command, command: touch ran-guard }\n",
    );
    ground.approve("project");
    assert!(!ground.runs("project"));
    assert_eq!(ground.fire("project", &[]).json()["hooks"][0]["skip"]["code"], "disabled");
}

#[tokio::test(flavor = "current_thread")]
async fn nobody_below_an_administrator_switches_off_their_hooks() {
    let ground = Ground::new();
    let hook = |name: &str| {
        format!(
            "name: {name}\nevents: [PreToolUse]\nhandler: {{ type: command, command: exit 2 }}\n"
        )
    };
    ground.write("machine/etc/becket/hooks/managed.yaml", &hook("managed"));
    ground.write("home/.config/becket/hooks/own.yaml", &hook("own"));
    ground.write("home/.config/becket/settings.yaml", "disabled: true\n");
    ground.write(SETTINGS, "disabled: true\n");
    ground.write("project/.becket/settings.local.yaml", "disabled: true\n");
    let engine = Engine::builder()
        .workspace(ground.path("project"))
        .home(ground.path("home"))
        .machine(ground.path("machine"))
        .discover(Trust::Given)
        .build();
    let states: Vec<_> = engine
        .snapshot()
        .hooks()
        .map(|it| (it.name().to_owned(), it.spec().disabled.is_none()))
        .collect();
    let expected = [("managed", true), ("own", false), ("guard", false)];
    assert_eq!(states, expected.map(|(name, runs)| (name.to_owned(), runs)));
    let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let event = Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap());
    assert_eq!(engine.fire(event).await.decision, Decision::Deny);
}
