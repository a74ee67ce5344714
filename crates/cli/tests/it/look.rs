//! `list`, `explain`, `schema`, `completions`, `man`: looking without running anything.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use serde_json::{Value, json};

use crate::becket::{Bench, Ran};

fn bench() -> Bench {
    Bench::new()
        .with_hook("audit", "run_completed", "touch ran")
        .with_hook("guard", "before_tool_dispatch", "touch ran")
        .with_file(
            ".openharness/hooks/fmt.yaml",
            "name: fmt\nevents: [before_tool_dispatch]\nmatcher: Edit\nhandler: { type: command, command: touch ran, timeout_seconds: 7 }\n",
        )
        .with_file(
            ".openharness/hooks/dead.yaml",
            "name: dead\nevents: [before_tool_dispatch]\nmatcher: \"(\"\nhandler: { type: command, command: touch ran }\n",
        )
        .with_file(".openharness/hooks/lost.yaml", "name: lost\nevents: [nowhere]\nhandler: { type: command, command: x }\n")
}

fn named(bench: &Bench, args: &[&str], input: &str) -> Ran {
    let hooks = bench.path(".openharness/hooks");
    let mut all = args.to_vec();
    all.extend(["--dialect", "oah", "--hooks", hooks.to_str().unwrap()]);
    bench.run(&all, input)
}

fn hook<'v>(list: &'v Value, name: &str) -> &'v Value {
    list["hooks"].as_array().unwrap().iter().find(|hook| hook["name"] == name).unwrap()
}

#[test]
fn list_tells_observers_from_interceptors() {
    let bench = bench();
    let list = named(&bench, &["list", "--json"], "").json();
    assert_eq!(hook(&list, "audit")["part"], "lifecycle");
    assert_eq!(hook(&list, "guard")["part"], "interceptor");
    assert_eq!(hook(&list, "guard")["scope"], "command line");
    assert_eq!(list["refused"][0]["code"], "E_UNKNOWN_EVENT");
    let shown = named(&bench, &["list"], "");
    assert!(shown.stdout.contains("PreToolUse\n"), "{}", shown.stdout);
    assert!(shown.stdout.contains("audit  lifecycle"), "{}", shown.stdout);
    assert!(shown.stderr.contains("not in force"), "{}", shown.stderr);
}

#[test]
fn list_shows_untrusted_hooks_of_a_project_and_says_that_they_are() {
    let list = bench().run(&["list", "--json"], "").json();
    assert_eq!(hook(&list, "guard")["state"], "untrusted");
    assert_eq!(hook(&list, "guard")["scope"], "project");
}

#[test]
fn explain_says_of_every_hook_why_it_would_or_would_not_run_and_runs_none() {
    let bench = bench();
    let call = r#"{"tool_name":"Bash","tool_input":{}}"#;
    let plan = named(&bench, &["explain", "before_tool_dispatch", "--json"], call).json();
    let why = |name| {
        (
            hook(&plan, name)["state"].as_str().unwrap().to_owned(),
            hook(&plan, name)["why"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(
        why("guard"),
        ("would_run".to_owned(), "it has no matcher, so it runs for every such event".to_owned())
    );
    assert_eq!(
        why("fmt"),
        ("skipped".to_owned(), "matcher `Edit` does not match tool name `Bash`".to_owned())
    );
    assert!(
        why("dead").1.starts_with("it can never fire: `(` is not a regular expression"),
        "{:?}",
        why("dead")
    );
    assert_eq!(hook(&plan, "fmt")["timeout_ms"], 7000);
    assert_eq!(hook(&plan, "guard")["on_failure"], "allow");
    assert_eq!(hook(&plan, "guard")["block"], "deny_tool");
    assert_eq!(plan["refused"][0]["code"], "E_UNKNOWN_EVENT");
    let shown = named(&bench, &["explain", "before_tool_dispatch"], call).stdout;
    for text in [
        "1. guard",
        "runs: it has no matcher",
        "does not run: matcher `Edit`",
        "1 more hang on other events",
        "not in force:",
    ] {
        assert!(shown.contains(text), "{text}:\n{shown}");
    }
    assert!(!bench.path("ran").exists());
}

#[test]
fn explain_without_a_payload_says_what_the_matcher_would_look_at() {
    let bench = bench();
    let plan = named(&bench, &["explain", "before_tool_dispatch", "--json"], "").json();
    assert_eq!(
        hook(&plan, "fmt")["why"],
        "the input has no `tool_name`; with one, matcher `Edit` decides"
    );
}

#[test]
fn schemas_are_printed_by_name() {
    let bench = Bench::new();
    for name in ["becket-hook", "oah-hook", "settings", "envelope", "outcome"] {
        let schema = bench.run(&["schema", name], "").json();
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#", "{name}");
        assert!(bench.run(&["schema"], "").stdout.contains(name));
    }
    let all = bench.run(&["schema", "--json"], "").json();
    assert_eq!(all.as_object().unwrap().len(), 5);
}

#[test]
fn a_real_outcome_and_a_real_envelope_fit_their_schemas() {
    let bench = Bench::new().with_hook(
        "a",
        "before_tool_dispatch",
        "cat > envelope.json; echo no >&2; exit 2",
    );
    let outcome =
        bench.fire("PreToolUse", r#"{"tool_name":"Bash","tool_input":{}}"#, &["--json"]).json();
    let envelope: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("envelope.json")).unwrap())
            .unwrap();
    for (name, value) in [("outcome", outcome), ("envelope", envelope)] {
        let schema = bench.run(&["schema", name], "").json();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<_> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}: {value}");
    }
}

#[test]
fn completions_and_manual_are_printed() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = bench.run(&["completions", shell], "");
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("explain"), "{shell}");
    }
    assert!(bench.run(&["man"], "").stdout.contains(".TH becket"));
}

#[test]
fn the_demo_blocks_rewrites_asks_and_cleans_up() {
    let ran = Bench::new().run(&["demo"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for text in [
        "PreToolUse  deny  (stop_loop, deny_tool)",
        "Command blocked: contains dangerous pattern",
        r#"tool_input is now {"command":"npm run lint"}"#,
        "PreToolUse  ask",
        "failed (not_started)",
        r#"tool_output is now "host=db token=***""#,
        "Try next:",
    ] {
        assert!(ran.stdout.contains(text), "{text}:\n{}", ran.stdout);
    }
    let folder = ran.stdout.split("temporary folder ").nth(1).unwrap().split(',').next().unwrap();
    assert!(!std::path::Path::new(folder).exists(), "{folder} is still there");
}

#[test]
fn events_are_listed_with_what_they_mean() {
    let events = Bench::new().run(&["list", "--events", "--json"], "").json();
    let stop = events.as_array().unwrap().iter().find(|event| event["name"] == "Stop").unwrap();
    assert_eq!(stop["summary"], json!("the agent is about to stop"));
}

#[test]
fn a_file_that_breaks_keeps_its_guards_in_the_next_process_and_doctor_says_so() {
    let guard = "name: guard\nevents: [PreToolUse]\nhandler: { type: command, command: exit 2 }\n";
    let bench = Bench::new().with_file("home/.config/becket/hooks/guard.yaml", guard);
    let call = r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let fire = || bench.run(&["fire", "PreToolUse", "--json"], call);
    assert_eq!(fire().code, 2);
    std::fs::write(bench.path("home/.config/becket/hooks/guard.yaml"), guard.split_at(30).0)
        .unwrap();
    let ran = fire();
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert_eq!(ran.json()["notes"][0]["code"], "kept_last_good");
    let ran = bench.run(&["doctor", "--json"], "");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.json()["kept"].as_array().unwrap().len(), 1, "{}", ran.stdout);
    assert!(bench.run(&["doctor"], "").stdout.contains("counts as it was before"));
}

#[test]
fn explain_and_list_show_what_answers_for_a_hook_that_is_missing() {
    let broken = "name: guard\nevents: [PreToolUse]\nmatcher: Bash\nhandler: { type: command }\n";
    let bench = Bench::new().with_file("home/.config/becket/hooks/guard.yaml", broken);
    let call = r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let explained = bench.run(&["explain", "PreToolUse", "--json", "--input", "-"], call).json();
    let tombstones = explained["tombstones"].as_array().unwrap();
    assert_eq!((tombstones.len(), &tombstones[0]["decision"]), (1, &"ask".into()));
    assert!(tombstones[0]["reason"].as_str().unwrap().contains("guard.yaml:4"));
    let listed = bench.run(&["list"], "");
    assert!(listed.stderr.contains("not in force, somebody is asked"), "{}", listed.stderr);
}
