//! `becket doctor` and `becket list --show-origin`.

use std::fs;

use serde_json::json;

use super::Ground;

#[test]
fn a_project_with_nothing_wrong_is_well() {
    let ground = Ground::new();
    ground.approve("project");
    let told = ground.run("project", &["doctor"]);
    assert_eq!(told.code, 0, "{}", told.stdout);
    for text in [".openharness/hooks", "oah, project: 1 hooks", "1 approved", "all is well"] {
        assert!(told.stdout.contains(text), "{text}: {}", told.stdout);
    }
    let value = ground.run("project", &["doctor", "--json"]).json();
    assert_eq!((&value["well"], &value["places"][0]["dialect"]), (&json!(true), &json!("oah")));
}

#[test]
fn what_waits_or_is_broken_or_never_fires_is_told_with_what_to_do() {
    let ground = Ground::new();
    let told = ground.run("project", &["doctor"]);
    assert_eq!(told.code, 1);
    assert!(
        told.stdout.contains("1 not approved, 0 approved: run `becket trust`"),
        "{}",
        told.stdout
    );
    ground.write(
        "project/.openharness/hooks/dead.yaml",
        "name: dead\nevents: [before_tool_dispatch]\nmatcher: '('\nhandler: { type: command, command: 'true' }\n",
    );
    ground.approve("project");
    let value = ground.run("project", &["doctor", "--json"]).json();
    assert_eq!(value["idle"][0]["hook"], "dead");
    assert_eq!(value["well"], false);
    ground.write("project/.openharness/hooks/dead.yaml", "name: dead\n");
    let value = ground.run("project", &["doctor", "--json"]).json();
    assert_eq!(value["places"][0]["refused"], 1);
    assert!(!value["problems"].as_array().unwrap().is_empty());
}

#[test]
fn a_state_folder_that_cannot_be_written_is_told() {
    let ground = Ground::new();
    fs::create_dir_all(ground.path("home/.local")).unwrap();
    fs::write(ground.path("home/.local/state"), "").unwrap();
    let told = ground.run("project", &["doctor", "--json"]);
    assert_eq!(told.code, 1, "{}", told.stdout);
    let problems = &told.json()["state"]["problems"];
    assert!(!problems.as_array().unwrap().is_empty(), "{problems}");
}

#[test]
fn the_origin_of_everything_in_force_is_shown_in_order() {
    let ground = Ground::new();
    ground.write("project/.becket/settings.yaml", "permissions:\n  deny: [Bash(rm *)]\n");
    ground.approve("project");
    ground.hook("project", "other", "true");
    let value = ground.run("project", &["list", "--show-origin", "--json"]).json();
    let hook = |at: usize| {
        let it = &value["hooks"][at];
        (it["position"].clone(), it["name"].clone(), it["trust"].clone(), it["line"].clone())
    };
    assert_eq!(hook(0), (json!(1), json!("guard"), json!("approved"), json!(1)));
    assert_eq!(hook(1), (json!(2), json!("other"), json!("new"), json!(1)));
    let rule = &value["rules"]["deny"][0];
    let source = rule["source"].as_str().unwrap();
    assert!(source.ends_with("settings.yaml:2:10") && rule["scope"] == "project", "{rule}");
    let told = ground.run("project", &["list", "--show-origin"]).stdout;
    for text in ["1.", "guard.yaml:1", "trust: approved", "trust: new", "settings.yaml:2"] {
        assert!(told.contains(text), "{text}: {told}");
    }
}
