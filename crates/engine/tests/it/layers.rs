//! Which layer may say what, and whose files are read.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use becket::core::rules::Precedence;
use becket::{Builder, Engine, Trust};
use tempfile::TempDir;

const HOOK: &str = "name: m\nevents: [PreToolUse]\nhandler: { type: command, command: exit 2 }\n";

fn write(folder: &TempDir, name: &str, text: &str) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// An engine for which a folder is the machine, with a person and a project in it.
fn builder(folder: &Path) -> Builder {
    Engine::builder()
        .workspace(folder.join("project"))
        .home(folder.join("home"))
        .machine(folder)
        .lint(true)
}

fn codes(engine: &Engine) -> Vec<&'static str> {
    engine.diagnostics().iter().map(|it| it.code.name()).collect()
}

/// What is done to a file, and how.
type Change = (&'static str, fn(&Path));

#[test]
fn a_managed_file_that_others_can_write_is_not_read() {
    let hook = "etc/becket/hooks/m.yaml";
    let changes: [Change; 4] = [
        ("file", |it| fs::set_permissions(it, fs::Permissions::from_mode(0o666)).unwrap()),
        ("folder", |it| {
            let folder = it.parent().unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
        }),
        ("root", |it| {
            let folder = it.parent().unwrap().parent().unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o775)).unwrap();
        }),
        ("link", |it| {
            let elsewhere = it.ancestors().nth(4).unwrap().join("elsewhere.yaml");
            fs::rename(it, &elsewhere).unwrap();
            symlink(elsewhere, it).unwrap();
        }),
    ];
    for (what, change) in changes {
        let folder = TempDir::new().unwrap();
        write(&folder, hook, HOOK);
        let build = || builder(folder.path()).discover(Trust::Given).build();
        assert_eq!(build().snapshot().hooks().count(), 1, "{what}");
        change(&folder.path().join(hook));
        let engine = build();
        assert_eq!(
            (engine.snapshot().hooks().count(), codes(&engine)),
            (0, vec!["E_OWNER"]),
            "{what}"
        );
        assert_eq!(engine.snapshot().refused().len(), 1, "{what}");
    }
}

#[test]
fn managed_settings_that_others_can_write_say_nothing() {
    let folder = TempDir::new().unwrap();
    write(&folder, "etc/becket/settings.yaml", "permissions: { allow: [Bash] }\n");
    let settings = folder.path().join("etc/becket/settings.yaml");
    fs::set_permissions(settings, fs::Permissions::from_mode(0o606)).unwrap();
    let engine = builder(folder.path()).discover(Trust::Given).build();
    assert_eq!(codes(&engine), ["E_OWNER"]);
    let registry = engine.snapshot();
    assert!(registry.rules().specs().iter().all(|it| it.rule.to_string() != "Bash"));
}

#[test]
fn without_discovery_only_what_is_named_counts() {
    let folder = TempDir::new().unwrap();
    write(&folder, "etc/becket/hooks/m.yaml", HOOK);
    write(&folder, "project/.becket/settings.yaml", "permissions: { default: deny }\n");
    let engine = builder(folder.path()).build();
    assert_eq!(engine.snapshot().hooks().count(), 0);
    assert!(engine.snapshot().rules().defaults().is_empty());
}

#[test]
fn a_project_that_nobody_trusts_changes_no_setting() {
    let folder = TempDir::new().unwrap();
    write(
        &folder,
        "project/.becket/settings.yaml",
        "permissions: { allow: [Bash], order: hooks_first, default: allow }\ndisabled: true\n",
    );
    write(&folder, "home/.config/becket/hooks/m.yaml", HOOK);
    let rules = |trust| builder(folder.path()).discover(trust).build().snapshot().rules().clone();
    let (withheld, given) = (rules(Trust::Withheld), rules(Trust::Given));
    let allows = |rules: &becket::core::rules::Rules| {
        rules.specs().iter().any(|it| it.rule.to_string() == "Bash")
    };
    assert_eq!((allows(&withheld), allows(&given)), (false, true));
    assert_eq!((withheld.defaults().len(), given.defaults().len()), (0, 1));
    assert_eq!(withheld.precedence(), Precedence::RulesFirst);
    assert_eq!(given.precedence(), Precedence::HooksFirst);
}

#[test]
fn local_files_are_a_layer_of_their_own() {
    let folder = TempDir::new().unwrap();
    let hook = |name: &str| HOOK.replace("name: m", &format!("name: {name}"));
    write(&folder, "project/.becket/hooks/a.yaml", &hook("a"));
    write(&folder, "project/.becket/hooks/b.local.yaml", &hook("b"));
    write(&folder, "project/.becket/hooks/c.local.yml", &hook("c"));
    let engine = builder(folder.path()).discover(Trust::Given).build();
    let registry = engine.snapshot();
    let layers: Vec<(&str, &str)> =
        registry.hooks().map(|it| (it.name(), it.spec().layer.name())).collect();
    assert_eq!(layers, [("a", "project"), ("b", "local"), ("c", "local")]);
}
