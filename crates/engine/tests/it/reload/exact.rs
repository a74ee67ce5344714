//! Reloading as the originals do it.

use std::fs::{self, File, FileTimes};
use std::path::Path;
use std::time::SystemTime;

use becket::{Compat, Decision, Dialect, Engine, Event, EventKind};
use serde_json::{Value, json};

use super::{Workspace, call, t15};

fn settings(command: &str) -> String {
    let hook = json!({ "type": "command", "command": command });
    json!({ "hooks": { "pre_tool_use": [hook] } }).to_string()
}

/// What the reloader of `OpenHarness` was seen to answer: how many hooks, which, or what it raised.
fn answer(engine: &Engine, expected: &Value) -> Value {
    let told = engine.reload_now();
    if told.iter().any(|it| it.code() == "reload_failed") {
        let parse =
            told[0].to_string().contains("expected") || told[0].to_string().contains("ends");
        return format!("raised {}", if parse { "JSONDecodeError" } else { "ValidationError" })
            .into();
    }
    let registry = engine.snapshot();
    if expected.is_array() {
        let commands = registry.hooks().map(|it| match &it.spec().handler {
            becket::core::hook::Handler::Command { command, .. } => command.clone(),
            other => panic!("{other:?}"),
        });
        return commands.collect();
    }
    registry.hooks().count().into()
}

#[test]
fn openharness_reloads_as_it_was_recorded() {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/openharness/golden.json");
    let golden: Value = serde_json::from_str(&fs::read_to_string(fixture).unwrap()).unwrap();
    let rows = golden["hot_reload"].as_array().unwrap();
    assert_eq!(rows.len(), 9);
    let workspace = Workspace::new(&[]);
    let path = workspace.file("settings.json");
    let engine = Engine::builder().workspace(workspace.path()).compat(Compat::Exact);
    let engine = engine.hooks(Dialect::OpenHarness, &path).build();
    let write = |text: &str| {
        fs::write(&path, text).unwrap();
        // The time of a file is coarser than two edits after each other.
        let later = SystemTime::now() + std::time::Duration::from_mins(1);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_times(FileTimes::new().set_modified(later))
            .unwrap();
    };
    for row in rows {
        let (label, expected) = (row[0].as_str().unwrap(), &row[1]);
        match label {
            "missing file" | "truncated json, 2nd call" | "invalid hook, 2nd call" => (),
            "first load" => fs::write(&path, settings("x")).unwrap(),
            "content changed, mtime restored" => {
                let before = fs::metadata(&path).unwrap().modified().unwrap();
                fs::write(&path, settings("y")).unwrap();
                let times = FileTimes::new().set_modified(before);
                File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
            }
            "truncated json, 1st call" => write("{\"hooks\":"),
            "invalid hook, 1st call" => {
                fs::write(&path, r#"{"hooks": {"pre_tool_use": [{"type": "command"}]}}"#).unwrap();
            }
            "deleted" => fs::remove_file(&path).unwrap(),
            "recreated" => fs::write(&path, settings("z")).unwrap(),
            other => panic!("nobody knows `{other}`"),
        }
        assert_eq!(answer(&engine, expected), *expected, "{label}");
    }
}

#[tokio::test]
async fn each_original_notices_at_its_own_moment() {
    let files = [
        (
            "settings.json",
            Dialect::OpenHarness,
            settings("exit 0"),
            settings("touch seen; exit 0"),
            Some(EventKind::UserPromptSubmit),
        ),
        (".hooks.json", Dialect::LccS08, lcc("exit 0"), lcc("touch seen"), None),
    ];
    for (name, dialect, old, new, moment) in files {
        let workspace = Workspace::new(&[(name, &old)]);
        let engine =
            Engine::builder().workspace(workspace.path()).compat(Compat::Exact).vouched(true);
        let engine = engine.hooks(dialect, workspace.file(name)).build();
        workspace.write(name, &new);
        let seen = || workspace.file("seen").exists();
        assert_eq!(engine.fire(call()).await.decision, Decision::Pass);
        assert!(!seen(), "{name}");
        let moments = [EventKind::SessionStart, EventKind::UserPromptSubmit];
        for kind in moments {
            let due = moment.as_ref() == Some(&kind);
            let _ = engine.fire(Event::new(kind.clone(), serde_json::Map::new())).await;
            let _ = engine.fire(call()).await;
            assert_eq!(seen(), due, "{name}: {}", kind.name());
        }
    }
}

fn lcc(command: &str) -> String {
    json!({ "hooks": { "PreToolUse": [{ "command": command }] } }).to_string()
}

#[tokio::test]
async fn seed_000_looks_before_every_event_and_keeps_what_it_has_in_exact_too() {
    let workspace = Workspace::new(&[("hooks.yaml", &t15(1, ": a"))]);
    let engine = workspace.builder().compat(Compat::Exact).build();
    for (text, decision) in [
        (Some(t15(0, ": b")), Decision::Pass),
        (Some(t15(1, ": c")), Decision::Deny),
        (Some("hooks: [".to_owned()), Decision::Deny),
        (None, Decision::Deny),
    ] {
        match &text {
            Some(text) => workspace.write("hooks.yaml", text),
            None => fs::remove_file(workspace.file("hooks.yaml")).unwrap(),
        }
        assert_eq!(engine.fire(call()).await.decision, decision, "{text:?}");
    }
}
