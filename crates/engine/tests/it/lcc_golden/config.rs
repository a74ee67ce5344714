//! What becomes of `.hooks.json` files that are not as they should be.

use std::collections::BTreeMap;

use becket::core::diagnostic::Code;
use becket::core::hook::Handler;
use becket::{Compat, Dialect, Engine};
use serde_json::{Map, Value, json};

use super::row::golden;
use super::workspace::Workspace;

/// A file as the label of a row describes it.
fn described(label: &str) -> (&'static str, Code) {
    match label {
        "bad json" => (r#"{"hooks": {"PreToolUse": [{"command": "exit 1"},]}"#, Code::Parse),
        "hooks list" => (r#"{"hooks": [{"command": "exit 1"}]}"#, Code::Schema),
        "unknown event" => {
            (r#"{"hooks": {"PreToolUze": [{"command": "exit 1"}]}}"#, Code::UnknownEvent)
        }
        "missing hooks" => (r#"{"PreToolUse": [{"command": "exit 1"}]}"#, Code::UnknownField),
        other => panic!("nobody knows what a file of the kind `{other}` looks like"),
    }
}

/// The hooks in force, as the program lists them.
fn loaded(engine: &Engine) -> BTreeMap<String, Vec<Value>> {
    let names = ["PreToolUse", "PostToolUse", "SessionStart"];
    let mut loaded: BTreeMap<_, _> = names.map(|it| (it.to_owned(), Vec::new())).into();
    for hook in engine.snapshot().hooks() {
        let event = hook.spec().events[0].name_in(Dialect::LccS08).unwrap();
        let Handler::Command { command, .. } = &hook.spec().handler else { panic!("{hook:?}") };
        let mut fields = Map::from_iter([("command".to_owned(), command.as_str().into())]);
        fields.extend(hook.spec().matcher.as_deref().map(|it| ("matcher".to_owned(), it.into())));
        loaded.get_mut(event).unwrap().push(fields.into());
    }
    loaded
}

fn codes(engine: &Engine) -> Vec<Code> {
    engine.diagnostics().iter().map(|it| it.code).collect()
}

#[test]
fn every_recorded_file_loads_what_it_loaded() {
    for row in golden().s08_config {
        let (text, code) = described(&row.label);
        let workspace = Workspace::with_text(text);
        let exact = workspace.builder().build();
        assert_eq!(loaded(&exact), row.loaded, "{}", row.label);
        assert!(!exact.is_refused(), "{}: the program goes on without hooks", row.label);
        assert!(codes(&exact).contains(&code), "{}: {:?}", row.label, exact.diagnostics());
        let safe = workspace.builder().compat(Compat::Safe).build();
        assert_eq!(loaded(&safe), row.loaded, "{}: there is nothing to run in it", row.label);
        assert!(!safe.snapshot().refused().is_empty(), "{}: a hook is missing", row.label);
    }
}

#[test]
fn files_that_the_program_cannot_read_hold_no_hooks() {
    for text in ["", "[]", "null", "\"x\"", "{\"hooks\": null}", "{\"hooks\": \"x\"}", "// c\n{}"] {
        let engine = Workspace::with_text(text).builder().build();
        assert_eq!(engine.snapshot().hooks().count(), 0, "{text}");
        assert_eq!(engine.diagnostics().len(), 1, "{text}: {:?}", engine.diagnostics());
        assert!(!engine.is_refused(), "{text}");
    }
}

#[test]
fn an_entry_that_the_program_passes_over_does_not_touch_its_neighbours() {
    let entries = [
        json!({ "command": "" }),
        json!({ "command": null }),
        json!({ "command": 5 }),
        json!({ "matcher": "bash" }),
        json!({ "matcher": ["bash"], "command": "exit 1" }),
        json!({ "matcher": 5, "command": "exit 1" }),
        json!({ "matcher": "bash", "hooks": [{ "type": "command", "command": "exit 1" }] }),
        json!({}),
    ];
    for entry in entries {
        let good = json!({ "matcher": "bash", "command": "exit 1" });
        let workspace = Workspace::with_hooks("PreToolUse", &[entry.clone(), good.clone()]);
        let mut expected: BTreeMap<_, _> = loaded(&Engine::builder().build());
        expected.insert("PreToolUse".to_owned(), vec![good]);
        for compat in [Compat::Exact, Compat::Safe] {
            let engine = workspace.builder().compat(compat).build();
            assert_eq!(loaded(&engine), expected, "{entry}");
            assert_eq!(engine.diagnostics().len(), 1, "{entry}: {:?}", engine.diagnostics());
            assert_eq!(engine.diagnostics()[0].origin.line, 1, "{entry}");
            let refused = usize::from(compat == Compat::Safe);
            assert_eq!(engine.snapshot().refused().len(), refused, "{entry}");
        }
    }
}

#[test]
fn a_matcher_that_python_calls_false_is_none() {
    for matcher in [json!(null), json!(""), json!(false), json!(0), json!([]), json!({})] {
        let hook = json!({ "matcher": matcher, "command": "exit 1" });
        let engine = Workspace::with_hooks("PreToolUse", &[hook]).builder().build();
        let registry = engine.snapshot();
        let hooks: Vec<_> = registry.hooks().collect();
        assert_eq!(hooks.len(), 1, "{matcher}");
        assert_eq!(hooks[0].spec().matcher, None, "{matcher}");
    }
}

#[test]
fn of_equal_keys_the_last_counts_and_in_safe_none() {
    let text = r#"{"hooks": {
        "PreToolUse": [{"command": "exit 1"}],
        "PreToolUse": [{"command": "a", "command": "b"}]
    }}"#;
    let workspace = Workspace::with_text(text);
    let exact = workspace.builder().build();
    assert_eq!(loaded(&exact)["PreToolUse"], [json!({ "command": "b" })]);
    assert_eq!(codes(&exact), [Code::DupKey, Code::DupKey]);
    let safe = workspace.builder().compat(Compat::Safe).build();
    assert_eq!(loaded(&safe)["PreToolUse"], [] as [Value; 0]);
    assert_eq!(safe.snapshot().refused().len(), 1);
}

#[test]
fn what_makes_the_program_fall_over_is_refused_as_a_whole_and_in_safe_alone() {
    for broken in [json!({}), json!("x"), json!(null), json!(5), json!(["exit 1"]), json!([null])] {
        let good = json!([{ "command": "exit 0" }]);
        let text = json!({ "hooks": { "PreToolUse": broken, "PostToolUse": good } }).to_string();
        let workspace = Workspace::with_text(&text);
        let exact = workspace.builder().build();
        assert!(exact.is_refused(), "{text}");
        assert_eq!(exact.snapshot().hooks().count(), 0, "{text}");
        let safe = workspace.builder().compat(Compat::Safe).build();
        assert!(!safe.is_refused(), "{text}");
        assert_eq!(loaded(&safe)["PostToolUse"], [json!({ "command": "exit 0" })], "{text}");
        assert_eq!(codes(&safe), [Code::Schema], "{text}");
    }
}

#[test]
fn an_event_of_another_system_is_named_as_such() {
    for (name, code) in [
        ("Stop", Code::EventOtherDialect),
        ("UserPromptSubmit", Code::EventOtherDialect),
        ("before_tool_dispatch", Code::UnknownEvent),
        ("pre_tool_use", Code::UnknownEvent),
        ("preToolUse", Code::UnknownEvent),
        ("Nonsense", Code::UnknownEvent),
    ] {
        let workspace = Workspace::with_hooks(name, &[json!({ "command": "exit 1" })]);
        let engine = workspace.builder().compat(Compat::Safe).build();
        assert_eq!(codes(&engine), [code], "{name}: {:?}", engine.diagnostics());
        assert_eq!(engine.snapshot().hooks().count(), 0, "{name}");
    }
}

#[test]
fn a_folder_without_a_file_has_no_hooks_and_one_with_a_file_is_found() {
    let workspace = Workspace::with_commands(&["exit 1"]);
    let ours = || {
        let found = becket::source::discover(workspace.path()).into_iter();
        found.filter(|it| it.0 == Dialect::LccS08).map(|it| it.1).collect::<Vec<_>>()
    };
    let file = workspace.path().join(".hooks.json");
    assert_eq!(ours(), std::slice::from_ref(&file));
    std::fs::remove_file(file).unwrap();
    assert_eq!(ours(), [] as [std::path::PathBuf; 0]);
}
