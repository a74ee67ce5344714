//! Settings and plugins: what is registered, what is dropped, and what is refused.

use becket::core::hook::{Handler, Hook, Text};
use becket::core::verdict::OnFailure;
use becket::{Decision, EventKind};
use serde_json::{Value, json};

use super::row::{PluginRow, golden};
use super::workspace::{Workspace, fire, tool_call};

#[test]
fn every_recorded_definition_is_read_as_it_was() {
    for row in golden().schema {
        let workspace = Workspace::new("pre_tool_use", std::slice::from_ref(&row.input));
        let engine = workspace.builder().build();
        assert_eq!(!engine.is_refused(), row.accepted, "{}: {:?}", row.input, engine.diagnostics());
        let registry = engine.snapshot();
        if !row.accepted {
            assert!(row.errors.unwrap() > 0);
            assert!(engine.diagnostics().iter().any(|it| it.is_error() && it.origin.line > 0));
            assert_eq!(registry.hooks().count(), 0, "{}", row.input);
            continue;
        }
        let hook = registry.hooks().next().unwrap();
        let (class, value) = described(hook);
        assert_eq!(Some(class), row.class, "{}", row.input);
        assert_eq!(Some(value), row.value, "{}", row.input);
    }
}

/// A hook as the original describes it.
fn described(hook: &Hook) -> (String, Value) {
    let spec = hook.spec();
    let text = |text: &Text| match text {
        Text::Inline(text) => Value::from(text.clone()),
        Text::File(file) => panic!("{file}"),
    };
    let mut value = json!({
        "type": spec.handler.kind(),
        "timeout_seconds": hook.spec().timeout.unwrap().as_secs(),
        "matcher": spec.matcher,
        "block_on_failure": spec.on_failure == Some(OnFailure::Deny),
    });
    let class = match &spec.handler {
        Handler::Command { command, .. } => {
            value["command"] = command.as_str().into();
            "CommandHookDefinition"
        }
        Handler::Prompt { prompt, model_ref } => {
            value["prompt"] = text(prompt);
            value["model"] = json!(model_ref);
            "PromptHookDefinition"
        }
        Handler::Agent { agent, task } => {
            value["prompt"] = text(task);
            value["model"] = json!(Some(agent).filter(|it| !it.is_empty()));
            "AgentHookDefinition"
        }
        Handler::Http { url, headers, .. } => {
            let headers =
                headers.iter().map(|(name, value)| (name.clone(), value.written().into()));
            value["url"] = url.as_str().into();
            value["headers"] = Value::Object(headers.collect());
            "HttpHookDefinition"
        }
        other => panic!("{other:?}"),
    };
    (class.to_owned(), value)
}

#[test]
fn the_definitions_between_the_recorded_ones_are_read_by_the_same_rules() {
    for (input, accepted) in [
        (json!({ "command": "" }), true),
        (json!({ "command": "x", "timeout_seconds": "30" }), true),
        (json!({ "command": "x", "timeout_seconds": 600 }), true),
        (json!({ "command": "x", "timeout_seconds": null }), false),
        (json!({ "prompt": "x", "timeout_seconds": 601 }), true),
        (json!({ "type": "agent", "prompt": "x", "timeout_seconds": 1201 }), false),
        (json!({ "command": "x", "block_on_failure": 1 }), true),
        (json!({ "command": "x", "block_on_failure": "maybe" }), false),
        (json!({ "command": "x", "matcher": 5 }), false),
        (json!({ "command": 5 }), false),
        (json!({ "url": "u", "headers": null }), false),
        (json!({ "prompt": "x", "model": null }), true),
        (json!({}), false),
        (json!("x"), false),
        (json!(null), false),
    ] {
        let engine = Workspace::new("stop", std::slice::from_ref(&input)).builder().build();
        assert_eq!(!engine.is_refused(), accepted, "{input}");
    }
}

#[test]
fn one_bad_hook_voids_the_file_even_where_nothing_fires_it() {
    let settings = json!({ "hooks": { "nowhere": [{}], "stop": [{ "command": "x" }] } });
    assert!(Workspace::with_settings(&settings).builder().build().is_refused());
    let workspace = Workspace::with_settings(&json!({}));
    workspace.write("settings.json", "{not json");
    assert!(workspace.builder().build().is_refused());
    for fine in [json!({}), json!({ "hooks": {} })] {
        let engine = Workspace::with_settings(&fine).builder().build();
        assert!(!engine.is_refused() && engine.snapshot().hooks().count() == 0, "{fine}");
    }
}

#[test]
fn only_the_recorded_spellings_of_events_are_registered() {
    for row in golden().settings_event_names {
        let engine = Workspace::new(&row.event, &[json!({ "command": "x" })]).builder().build();
        assert!(!engine.is_refused(), "{}", row.event);
        assert_eq!(engine.snapshot().hooks().count(), row.registered, "{}", row.event);
        assert_eq!(engine.diagnostics().len(), 1 - row.registered, "{}", row.event);
    }
}

fn plugin(row: &PluginRow) -> Workspace {
    let workspace = Workspace::with_settings(&json!({}));
    workspace.write("p/plugin.json", "{\"name\": \"p\"}");
    for (name, value) in &row.files {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        workspace.write(&format!("p/{name}"), &text);
    }
    workspace
}

#[tokio::test]
async fn every_recorded_plugin_is_read_as_it_was() {
    for row in golden().plugins {
        let label = &row.plugin;
        let workspace = plugin(&row);
        let engine = workspace.builder_on("p").build();
        assert_eq!(
            engine.is_refused(),
            row.raised.is_some(),
            "{label}: {:?}",
            engine.diagnostics()
        );
        if row.raised.is_some() {
            assert!((&row.parsed, &row.registered, row.ran) == (&None, &None, None), "{label}");
            continue;
        }
        let registry = engine.snapshot();
        let parsed = row.parsed.as_ref().unwrap();
        for (event, classes) in parsed {
            let known =
                |kind: &EventKind| kind.name_in(becket::Dialect::OpenHarness) == Some(event);
            let kind = EventKind::KNOWN.into_iter().find(known);
            let found = kind.iter().flat_map(|kind| registry.hooks_for(kind));
            let found: Vec<String> = found.map(|(_, hook)| described(hook).0).collect();
            // What the program keeps as raw data never runs; each such event is reported.
            let dead = classes.iter().filter(|it| *it == "dict").count();
            assert_eq!(found.len() + dead, classes.len(), "{label}");
            assert!(found.iter().all(|it| classes.contains(it)), "{label}");
            let reported =
                engine.diagnostics().iter().filter(|it| it.message.contains(event.as_str()));
            assert_eq!(reported.count(), dead.min(1), "{label}");
            let registered = row.registered.as_ref().unwrap().get(event).copied().unwrap_or(0);
            let zombies = if kind.is_some() { dead } else { 0 };
            assert_eq!(found.len() + zombies, registered, "{label}");
        }
        assert_eq!(
            parsed.is_empty(),
            row.registered.as_ref().unwrap().is_empty() && parsed.is_empty()
        );
        if let Some(summary) = &row.summary {
            let hook = registry.hooks().next().unwrap();
            let Handler::Command { command, .. } = &hook.spec().handler else { panic!("{label}") };
            assert!(
                summary.contains(&format!("{}: {command}", hook.spec().handler.kind())),
                "{label}"
            );
        }
        if row.summary_raised.is_some() {
            assert_eq!(registry.hooks().count(), 0, "{label}: there is nothing to stumble over");
        }
        let outcome = fire(&engine, "pre_tool_use", tool_call()).await;
        assert_eq!(outcome.runs().count(), row.ran.unwrap_or(0), "{label}");
        assert_eq!(outcome.decision == Decision::Deny, row.blocked.unwrap_or(false), "{label}");
    }
}

#[test]
fn a_manifest_may_name_another_file() {
    let workspace = Workspace::with_settings(&json!({}));
    workspace.write("p/plugin.json", "{\"hooks_file\": \"other.json\"}");
    workspace.write("p/hooks.json", "{\"stop\": [{\"type\": \"command\", \"command\": \"a\"}]}");
    workspace.write("p/other.json", "{\"stop\": [{\"type\": \"command\", \"command\": \"b\"}]}");
    let registry = workspace.builder_on("p").build().snapshot();
    let names: Vec<_> = registry.hooks().map(|it| described(it).1["command"].clone()).collect();
    assert_eq!(names, ["b"]);
    workspace.write("p/plugin.json", "{\"hooks_file\": \"../other.json\"}");
    workspace.write("other.json", "{\"stop\": [{\"type\": \"command\", \"command\": \"c\"}]}");
    let registry = workspace.builder_on("p").build().snapshot();
    let names: Vec<_> = registry.hooks().map(|it| described(it).1["command"].clone()).collect();
    assert_eq!(names, ["a"], "a manifest speaks about its own folder");
}
