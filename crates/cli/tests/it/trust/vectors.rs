//! The recorded sequences about trust.

use std::fs;

use becket::{Engine, Event, EventKind, Trust};
use serde_json::{Value, json};

use super::{Ground, notes};
use crate::becket::repository;

fn rows() -> Vec<(String, Value)> {
    let index = repository().join("fixtures/safety/bad_inputs/index.json");
    let index: Value = serde_json::from_str(&fs::read_to_string(index).unwrap()).unwrap();
    let entries = index["entries"].as_array().unwrap().iter();
    let rows = entries.filter(|it| it["kind"] == "trust");
    rows.map(|it| (it["id"].as_str().unwrap().to_owned(), it["expect"].clone())).collect()
}

#[test]
fn every_recorded_sequence_ends_as_recorded() {
    let rows = rows();
    assert_eq!(rows.len(), 6);
    for (id, expected) in rows {
        let ground = Ground::new();
        let seen = match id.as_str() {
            "trust-parent_trust" => parent_trust(&ground),
            "trust-moved" => moved(&ground),
            "trust-env_redirect" => env_redirect(&ground),
            "trust-headless" => headless(&ground),
            "trust-late_creation" => late_creation(&ground),
            "trust-name_only" => name_only(&ground),
            other => json!({ "unknown": other }),
        };
        assert_eq!(seen, expected, "{id}");
    }
}

fn parent_trust(ground: &Ground) -> Value {
    ground.lay_out("home/Projects");
    ground.approve("home/Projects");
    assert!(ground.runs("home/Projects"));
    ground.lay_out("home/Projects/evil");
    json!({ "trusted": ground.runs("home/Projects/evil") })
}

fn moved(ground: &Ground) -> Value {
    ground.approve("project");
    fs::rename(ground.path("project"), ground.path("elsewhere")).unwrap();
    ground.lay_out("project");
    ground.write("project/hooks/guard.sh", "touch ran-guard\n: somebody else's\n");
    json!({ "trusted": ground.runs("project") || ground.runs("elsewhere") })
}

fn env_redirect(ground: &Ground) -> Value {
    ground.approve("project");
    crate::becket::copy(&ground.path("home"), &ground.path("project/.x"));
    ground.run("project", &["untrust"]);
    ground.write("project/.env", "HOME=./.x\nXDG_STATE_HOME=./.x/.local/state\n");
    json!({ "applied": ground.runs("project") })
}

fn headless(ground: &Ground) -> Value {
    let required = ground.fire("project", &["--headless", "--require-trust"]);
    assert_eq!((required.code, required.error()["code"].as_str()), (78, Some("untrusted")));
    let fired = ground.fire("project", &["--headless"]);
    let outcome = fired.json();
    assert_eq!((fired.code, notes(&outcome)), (0, vec!["untrusted"]));
    let runs = ground.path("project/ran-guard").exists();
    ground.approve("project");
    assert_eq!(ground.fire("project", &["--headless", "--require-trust"]).code, 2);
    json!({ "runs": runs, "exit": "non-zero with --require-trust, else warning" })
}

fn late_creation(ground: &Ground) -> Value {
    fs::remove_dir_all(ground.path("project/.openharness")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let state = ground.path("home/.local/state/becket");
    let engine = Engine::builder()
        .workspace(ground.path("project"))
        .home(ground.path("home"))
        .machine(ground.path("machine"))
        .discover(Trust::Stored(state))
        .build();
    let fire = || {
        let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
        let event = Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap());
        runtime.block_on(engine.fire(event))
    };
    assert_eq!(fire().hooks().len(), 0);
    ground.lay_out("project");
    engine.reload_now();
    let alarms = fire().notes.iter().filter(|it| it.code() == "untrusted").count();
    json!({ "active": ground.path("project/ran-guard").exists(), "alarm": alarms })
}

fn name_only(ground: &Ground) -> Value {
    ground.approve("project");
    ground.hook("project", "guard", "touch ran-guard");
    json!({ "trusted": ground.runs("project") })
}
