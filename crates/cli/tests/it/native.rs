//! Our own hooks from the command line: the starter folder, rules that are named, and what is shown.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::becket::{Bench, command};

const PUSH: &str = r#"{"tool_name":"Bash","tool_input":{"command":"cd sub && git push"}}"#;
const STARTER: [&str; 6] =
    ["--dialect", "becket", "--hooks", ".becket/hooks", "--rules", ".becket/settings.yaml"];

fn fire(bench: &Bench, event: &str, payload: &str, more: &[&str]) -> (i32, Value) {
    let args: Vec<&str> = ["fire", event, "--json"].iter().chain(more).copied().collect();
    let ran = bench.run(&args, payload);
    (ran.code, ran.json())
}

#[test]
fn the_starter_folder_works_at_once_and_is_never_written_over() {
    let bench = Bench::new();
    let written = bench.run(&["init", "--json"], "").json();
    assert!(written["written"].as_array().unwrap().contains(&json!(".becket/settings.yaml")));
    let check = bench.run(&["check", "--deny-warnings", "--json"], "");
    assert_eq!((check.code, &check.json()["problems"]), (0, &json!([])));

    let (code, outcome) = fire(&bench, "PreToolUse", PUSH, &STARTER);
    assert_eq!((code, &outcome["decision"]), (3, &json!("ask")));
    assert_eq!(outcome["reasons"][0]["rule"], "Bash(git push *)");

    fs::create_dir(bench.path(".git")).unwrap();
    fs::write(bench.path(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let (code, outcome) = fire(&bench, "PreToolUse", PUSH, &STARTER);
    assert_eq!((code, &outcome["decision"]), (2, &json!("deny")));
    let own = outcome["reasons"].as_array().unwrap().iter().find(|it| it["hook"].is_string());
    assert_eq!(own.unwrap()["hook"], "protected-branch");

    let call = r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_output":"a"}"#;
    assert_eq!(fire(&bench, "PostToolUse", call, &STARTER).0, 0);
    let log = fs::read_to_string(bench.path(".becket/log/tools.jsonl")).unwrap();
    let line: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(line["tool_output"], "a");

    fs::write(bench.path(".becket/settings.yaml"), "# mine\n").unwrap();
    let again = bench.run(&["init"], "");
    assert_eq!(again.code, 78);
    assert_eq!(fs::read_to_string(bench.path(".becket/settings.yaml")).unwrap(), "# mine\n");
}

#[test]
fn of_a_project_that_nobody_approved_only_what_forbids_counts() {
    let bench = Bench::new();
    bench.run(&["init"], "");
    let (code, outcome) = fire(&bench, "PreToolUse", PUSH, &[]);
    assert_eq!((code, &outcome["decision"]), (3, &json!("ask")));
    assert_eq!(outcome["reasons"][0]["rule"], "Bash(git push *)");
    let codes: Vec<&str> = outcome["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"untrusted") && codes.contains(&"untrusted_settings"), "{codes:?}");
}

#[test]
fn a_list_tells_layer_mode_order_and_the_rules_with_their_origin() {
    let bench = Bench::new()
        .with_file(".becket/hooks/a.yaml", "name: a\nevents: [Stop]\nmode: canary\ncanary_percent: 10\norder: 3\nhandler: { type: command, command: 'true' }\n")
        .with_file("home/.config/becket/settings.yaml", "permissions: { deny: [Bash(rm *)], default: ask }\nguards: [catastrophic]\n");
    let list = bench.run(&["list", "--json"], "").json();
    let hook = &list["hooks"][0];
    assert_eq!(
        (&hook["scope"], &hook["dialect"], &hook["mode"], &hook["order"], &hook["trusted"]),
        (&json!("project"), &json!("becket"), &json!("canary"), &json!(3), &json!(false))
    );
    assert_eq!(list["rules"]["deny"][0]["rule"], "Bash(rm *)");
    assert_eq!(list["rules"]["deny"][0]["scope"], "user");
    let source = list["rules"]["deny"][0]["source"].as_str().unwrap();
    assert!(source.ends_with(".config/becket/settings.yaml:1:23"), "{source}");
    assert_eq!(list["rules"]["default"], json!([{ "decision": "ask", "scope": "user" }]));
    assert_eq!(list["rules"]["guards"], json!(["catastrophic"]));
    let text = bench.run(&["list"], "").stdout;
    for part in ["canary 10%, order 3", "deny   Bash(rm *)", "guard  catastrophic"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn rules_on_the_command_line_may_be_json_or_yaml_and_must_be_readable() {
    let bench = Bench::new()
        .with_file(
            "rules.json",
            r#"{"allow":["Bash(ls *)"],"ask":[],"deny":["Bash(git push *)"],"default":"ask"}"#,
        )
        .with_file("rules.yaml", "allow: [Bash(ls *)]\ndeny: [Bash(git push *)]\ndefault: ask\n")
        .with_file("broken.yaml", "deny: ['Bash(']\n");
    let call = |command: &str| json!({ "tool_name": "Bash", "tool_input": { "command": command } });
    for file in ["rules.json", "rules.yaml"] {
        for (command, code) in [("ls -l", 0), ("git push", 2), ("make", 3)] {
            let payload = call(command).to_string();
            let found = fire(&bench, "PreToolUse", &payload, &["--rules", file]).0;
            assert_eq!(found, code, "{file}: {command}");
        }
    }
    let ran = bench.run(&["fire", "PreToolUse", "--json", "--rules", "broken.yaml"], PUSH);
    assert_eq!((ran.code, &ran.error()["code"]), (78, &json!("E_RULE")));
    let ran = bench.run(&["fire", "PreToolUse", "--json", "--rules", "nowhere.yaml"], PUSH);
    assert_eq!((ran.code, &ran.error()["code"]), (78, &json!("E_READ")));
    assert_eq!(bench.run(&["check", "--rules", "broken.yaml"], "").code, 1);
}

#[test]
fn an_explanation_tells_the_rules_behind_if_and_how_much_a_hook_counts() {
    let bench = Bench::new().with_file(
        "hooks/a.yaml",
        "name: a\nevents: [PreToolUse]\nif: Bash(git push *)\nmode: shadow\ntimeout: 250ms\nhandler: { type: command, command: 'true' }\n",
    );
    let named = ["--dialect", "becket", "--hooks", "hooks"];
    let args: Vec<&str> = ["explain", "PreToolUse"].iter().chain(&named).copied().collect();
    let story = bench.run(&args, PUSH).stdout;
    for part in ["its `if: Bash(git push *)` hits this call", "250 ms", "mode: shadow"] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let args: Vec<&str> = args.into_iter().chain(["--json"]).collect();
    let hook = bench.run(&args, PUSH).json()["hooks"][0].clone();
    assert_eq!(
        (&hook["mode"], &hook["counts"], &hook["if"]),
        (&json!("shadow"), &json!(false), &json!(["Bash(git push *)"]))
    );
}

#[test]
fn a_command_inherits_the_variables_it_names_and_no_others() {
    let bench = Bench::new().with_file(
        "hooks/a.yaml",
        "name: a\nevents: [PreToolUse]\nenv: [WANTED]\nhandler: { type: command, command: 'echo \"$WANTED $OTHER.\" >&2; exit 2' }\n",
    );
    let mut child = command(bench.folder.path())
        .args(["fire", "PreToolUse", "--json", "--dialect", "becket", "--hooks", "hooks"])
        .env("WANTED", "yes")
        .env("OTHER", "no")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), PUSH.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(outcome["reasons"][0]["text"], "yes .");
}

#[test]
fn a_file_of_rules_may_switch_the_built_in_guard_on() {
    let payload = r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}"#;
    for (rules, code) in [
        (r#"{"allow":["Bash"],"default":"allow"}"#, 0),
        (r#"{"allow":["Bash"],"default":"allow","guards":["catastrophic"]}"#, 2),
        (r#"{"allow":["Bash"],"default":"allow","builtin_guard":true}"#, 2),
    ] {
        let bench = Bench::new().with_file("rules.json", rules);
        let ran = bench.run(&["fire", "PreToolUse", "--rules", "rules.json"], payload);
        assert_eq!(ran.code, code, "{rules}: {}", ran.stdout);
    }
}
