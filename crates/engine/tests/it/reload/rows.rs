//! The recorded sequences.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use becket::{Decision, Event, EventKind};
use serde_json::Value;

use super::{Workspace, call, codes, edited, notes, t15};

const RECORDED: [&str; 9] = [
    "reload-partial_write",
    "reload-same_mtime",
    "reload-rename_over",
    "reload-delete",
    "reload-emfile",
    "reload-two_files",
    "reload-symlink_swap",
    "reload-grow_while_read",
    "reload-storm",
];

#[test]
fn every_recorded_sequence_has_its_test() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/safety/bad_inputs");
    let index: Value =
        serde_json::from_str(&fs::read_to_string(file.join("index.json")).unwrap()).unwrap();
    let rows = index["entries"].as_array().unwrap().iter().filter(|it| it["kind"] == "reload");
    let ids: BTreeSet<&str> = rows.clone().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, RECORDED.into_iter().collect());
    assert!(rows.clone().all(|it| file.join(it["file"].as_str().unwrap()).exists()));
}

#[tokio::test]
async fn partial_write_keeps_the_last_good_version_and_says_so() {
    let workspace = Workspace::new(&[("hooks.yaml", &t15(1, ": first"))]);
    let engine = workspace.engine();
    assert_eq!(engine.fire(call()).await.decision, Decision::Deny);
    workspace.write("hooks.yaml", &t15(1, ": first")[..40]);
    let outcome = engine.fire(call()).await;
    assert_eq!((outcome.decision, outcome.generation), (Decision::Deny, 1));
    let told = notes(&outcome, "kept_last_good");
    assert!(told.len() == 1 && told[0].contains("hooks.yaml"), "{told:?}");
    let problems = engine.problems();
    assert!(problems.len() == 1 && problems[0].kept, "{problems:?}");
    workspace.write("hooks.yaml", t15(1, ": first"));
    let outcome = engine.fire(call()).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(notes(&outcome, "kept_last_good"), Vec::<String>::new());
    assert!(engine.problems().is_empty());
}

#[tokio::test]
async fn same_mtime_does_not_hide_an_edit() {
    let workspace = Workspace::new(&[("hooks.yaml", &t15(1, ": old"))]);
    let engine = workspace.engine();
    let path = workspace.file("hooks.yaml");
    assert_eq!(engine.fire(call()).await.decision, Decision::Deny);
    let before = fs::metadata(&path).unwrap();
    workspace.write("hooks.yaml", t15(0, ": new"));
    let times = FileTimes::new().set_modified(before.modified().unwrap());
    File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
    let after = fs::metadata(&path).unwrap();
    assert_eq!(
        (after.len(), after.modified().unwrap()),
        (before.len(), before.modified().unwrap())
    );
    assert_eq!(engine.fire(call()).await.decision, Decision::Pass);
}

#[tokio::test]
async fn rename_over_shows_the_old_or_the_new_set() {
    let workspace = Workspace::new(&[("hooks.yaml", &t15(1, ": a"))]);
    let engine = workspace.engine();
    for round in 0..100 {
        workspace.replace("hooks.yaml", &t15(1, &format!(": {round}")));
        let outcome = engine.fire(call()).await;
        assert_eq!(outcome.decision, Decision::Deny, "{round}");
        assert_eq!(outcome.registry().hooks().count(), 1, "{round}");
        assert_eq!(codes(&outcome), ["reloaded", "failed"], "{round}: {:?}", outcome.notes);
    }
    assert_eq!(engine.snapshot().generation(), 101);
}

#[tokio::test]
async fn delete_does_not_open_the_gate_until_somebody_confirms_it() {
    let hook = "name: guard\nevents: [PreToolUse]\nhandler: { type: command, command: exit 2 }\n";
    let session = || Event::new(EventKind::SessionStart, serde_json::Map::new());
    let managed = "etc/becket/hooks/guard.yaml";
    for (name, confirmed) in [
        ("hooks.yaml", Decision::Pass),
        ("home/.config/becket/hooks/guard.yaml", Decision::Pass),
        // Only a new process believes that an administrator's file is gone.
        (managed, Decision::Deny),
    ] {
        for by_host in [true, false] {
            let workspace =
                Workspace::new(&[(name, if name == "hooks.yaml" { FIRST } else { hook })]);
            let engine = workspace.engine();
            fs::remove_file(workspace.file(name)).unwrap();
            edited(&engine, &workspace.file(name)).await;
            let outcome = engine.fire(call()).await;
            assert_eq!(outcome.decision, Decision::Deny, "{name}");
            let told = notes(&outcome, "kept_last_good");
            assert!(told.len() == 1 && told[0].contains("gone"), "{name}: {told:?}");
            let told =
                if by_host { engine.reload_now() } else { engine.fire(session()).await.notes };
            let gone =
                told.iter().any(|it| it.code() == "reloaded" && it.to_string().contains("gone: `"));
            assert_eq!(gone, name != managed, "{name}: {told:?}");
            assert_eq!(engine.fire(call()).await.decision, confirmed, "{name}");
        }
    }
}

const FIRST: &str =
    "hooks:\n  - events: [PRE_TOOL_USE]\n    command: exit 1\n    can_block: true\n";

/// The process has no descriptor left to open the file with.
#[test]
fn emfile_keeps_the_last_good_version() {
    const INSIDE: &str = "RELOAD_ROW_EMFILE";
    if std::env::var_os(INSIDE).is_none() {
        let own = std::env::current_exe().unwrap();
        let name = "reload::rows::emfile_keeps_the_last_good_version";
        let ran = Command::new(own).args([name, "--exact"]).env(INSIDE, "1").output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
        return;
    }
    let workspace = Workspace::new(&[("hooks.yaml", &t15(1, ": first"))]);
    let engine = workspace.engine();
    workspace.write("hooks.yaml", t15(0, ": other"));
    let mut held = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
        assert!(held.len() < 2_000_000);
    }
    let told = engine.reload_now();
    let kept = engine.problems();
    drop(held);
    assert!(
        kept.len() == 1 && kept[0].kept && kept[0].why.contains("cannot be read"),
        "{told:?} {kept:?}"
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert!(
        engine.snapshot().hooks().any(|it| format!("{:?}", it.spec().handler).contains("first"))
    );
    engine.reload_now();
    assert_eq!(runtime.block_on(engine.fire(call())).decision, Decision::Pass);
}

#[tokio::test]
async fn two_files_change_one_by_one_and_the_generation_tells_which() {
    let hook = |name: &str, exit: u8| {
        format!(
            "name: {name}\nevents: [PreToolUse]\nhandler: {{ type: command, command: exit {exit} }}\n"
        )
    };
    let files = [(".becket/hooks/a.yaml", hook("a", 0)), (".becket/hooks/b.yaml", hook("b", 0))];
    let workspace = Workspace::new(&files.each_ref().map(|it| (it.0, it.1.as_str())));
    let engine = workspace.engine();
    let mut seen = Vec::new();
    for (name, text) in [(files[0].0, hook("a", 2)), (files[1].0, hook("b", 2))] {
        workspace.replace(name, &text);
        edited(&engine, &workspace.file(name)).await;
        let outcome = engine.fire(call()).await;
        let exits = outcome
            .registry()
            .hooks()
            .map(|it| format!("{:?}", it.spec().handler).contains("exit 2"));
        seen.push((outcome.generation, exits.collect::<Vec<_>>()));
    }
    assert_eq!(seen, [(2, vec![true, false]), (3, vec![true, true])]);
}

#[tokio::test]
async fn symlink_swap_is_noticed() {
    let workspace = Workspace::new(&[("a.yaml", &t15(1, ": a")), ("b.yaml", &t15(0, ": b"))]);
    symlink("a.yaml", workspace.file("hooks.yaml")).unwrap();
    let engine = workspace.engine();
    assert_eq!(engine.fire(call()).await.decision, Decision::Deny);
    symlink("b.yaml", workspace.file("next")).unwrap();
    fs::rename(workspace.file("next"), workspace.file("hooks.yaml")).unwrap();
    assert_eq!(engine.fire(call()).await.decision, Decision::Pass);
}

#[tokio::test]
async fn grow_while_read_ends_and_never_shows_half_a_hook() {
    let workspace = Workspace::new(&[("hooks.yaml", &t15(1, ": first"))]);
    let engine = workspace.engine();
    let script = "for i in $(seq 300); do printf '#' >> hooks.yaml; done";
    let mut writer =
        Command::new("bash").args(["-c", script]).current_dir(workspace.path()).spawn().unwrap();
    while writer.try_wait().unwrap().is_none() {
        let outcome = engine.fire(call()).await;
        assert_eq!(outcome.decision, Decision::Deny);
        assert_eq!(outcome.registry().hooks().count(), 1);
    }
}
