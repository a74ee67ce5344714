//! The recorded malformed settings: what is said of each, and what is in force all the same.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use becket::{Compat, Dialect, Engine, Trust};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use super::workspace::fixtures;
use crate::tombstones::answer_for_missing;

#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    layer: String,
    file: Value,
    expect: Expected,
}

#[derive(Debug, Deserialize)]
struct Expected {
    code: String,
    hooks_active: usize,
    validate_exit: i32,
    gate_while_broken: String,
}

/// Rows that are judged otherwise, each with the code that is told instead and whether that is an
/// error.
const OTHERWISE: [(&str, &str, bool); 7] = [
    // Any number of hooks may be registered; how many may match one event is bounded elsewhere.
    ("cfg-many_hooks", "-", false),
    // A broken managed file has the finding of any other; that nothing else starts is the host's.
    ("cfg-managed_bad", "E_FIELD", true),
    ("cfg-managed_world_writable", "E_OWNER", true),
    ("cfg-managed_wrong_owner", "E_OWNER", true),
    // What needs approval is told by the outcome and by `list`; it is no fault of the file.
    ("cfg-project_hook_untrusted", "-", false),
    ("cfg-project_allow_all", "W_GRANT_NEEDS_TRUST", false),
    // The mode of a script that is not there cannot be wrong.
    ("cfg-script_not_exec", "W_SCRIPT_MODE", true),
];

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(fixtures("safety/bad_inputs/index.json")).unwrap();
    let index: Value = serde_json::from_str(&text).unwrap();
    let rows = index["entries"].as_array().unwrap().iter();
    let rows = rows.filter(|it| it["kind"] == "config" && it["dialect"] == "claude");
    rows.map(|it| serde_json::from_value(it.clone()).unwrap()).collect()
}

/// Puts the file of a row where its layer keeps it; false where this machine cannot.
fn lay_out(row: &Row, folder: &Path) -> bool {
    let place = folder.join(match row.layer.as_str() {
        "managed" => "etc/claude-code/managed-settings.json",
        "user" => "home/.claude/settings.json",
        _ => ".claude/settings.json",
    });
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    let valid = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}"#;
    let write = |bytes: &[u8]| fs::write(&place, bytes).unwrap();
    match (&row.file, row.id.as_str()) {
        (Value::String(name), _) => {
            fs::copy(fixtures("safety/bad_inputs").join(name), &place).unwrap();
        }
        (_, "cfg-deep") => write(("[".repeat(20_000) + &"]".repeat(20_000)).as_bytes()),
        (_, "cfg-huge") => write(format!(r#"{{"x":"{}"}}"#, "x".repeat(17 << 20)).as_bytes()),
        (_, "cfg-many_hooks") => {
            let hooks: Vec<String> = (0..5000)
                .map(|at| format!(r#"{{"type":"command","command":"true {at}"}}"#))
                .collect();
            let hooks = hooks.join(",");
            write(format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{hooks}]}}]}}}}"#).as_bytes());
        }
        (_, "cfg-managed_world_writable") => {
            write(valid.as_bytes());
            fs::set_permissions(&place, fs::Permissions::from_mode(0o666)).unwrap();
        }
        (_, "cfg-managed_wrong_owner") => {
            write(valid.as_bytes());
            return std::os::unix::fs::chown(&place, Some(12345), None).is_ok();
        }
        (_, "cfg-config_is_fifo") => {
            let made = std::process::Command::new("mkfifo").arg(&place).status().unwrap();
            assert!(made.success());
        }
        (_, "cfg-config_is_dev") => symlink("/dev/zero", &place).unwrap(),
        (_, "cfg-config_symlink_out") => {
            let elsewhere = folder.with_extension("elsewhere");
            fs::write(&elsewhere, valid).unwrap();
            symlink(&elsewhere, &place).unwrap();
        }
        (_, other) => panic!("nobody knows how to make `{other}`"),
    }
    true
}

#[test]
fn every_recorded_file_is_judged_as_recorded() {
    let mut seen = 0;
    for row in rows() {
        let folder = TempDir::new().unwrap();
        if !lay_out(&row, folder.path()) {
            continue;
        }
        for script in ["check.sh", "c.sh"] {
            fs::write(folder.path().join(script), "#!/bin/sh\n").unwrap();
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(folder.path().join(script), mode).unwrap();
        }
        fs::write(folder.path().join("plain.txt"), "text").unwrap();
        let trust = if row.layer == "project-untrusted" { Trust::Withheld } else { Trust::Given };
        let engine = Engine::builder()
            .workspace(folder.path())
            .home(folder.path().join("home"))
            .machine(folder.path())
            .discover(trust)
            .lint(true)
            .build();
        let codes: BTreeSet<_> = engine.diagnostics().iter().map(|it| it.code.name()).collect();
        let error = engine.diagnostics().iter().any(becket::core::diagnostic::Diagnostic::is_error);
        let otherwise = OTHERWISE.iter().find(|it| it.0 == row.id);
        let recorded = (row.expect.code.as_str(), row.expect.validate_exit == 1);
        let expected = otherwise.map_or(recorded, |it| (it.1, it.2));
        let told = codes.contains(expected.0) || expected.0 == "-" && codes.is_empty();
        assert!(told, "{}: {codes:?}", row.id);
        assert_eq!(error, expected.1, "{}: {codes:?}", row.id);
        let snapshot = engine.snapshot();
        let active = snapshot.hooks().filter(|it| it.spec().disabled.is_none()).count();
        let expected = if row.id == "cfg-many_hooks" { 5000 } else { row.expect.hooks_active };
        assert_eq!(active, expected, "{}", row.id);
        // How many hooks may match is found out at the event.
        if row.id != "cfg-many_hooks" {
            assert_eq!(answer_for_missing(&engine), row.expect.gate_while_broken, "{}", row.id);
        }
        seen += 1;
    }
    assert!(seen >= 53, "only {seen} rows were tried");
}

#[test]
fn the_secret_of_a_header_is_never_part_of_what_is_shown() {
    let folder = TempDir::new().unwrap();
    let settings = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"https://example.com/",
        "headers":{"Authorization":"Bearer $HOME"},"allowedEnvVars":["HOME"]}]}]}}"#;
    fs::write(folder.path().join("settings.json"), settings).unwrap();
    let path = folder.path().join("settings.json");
    let engine = Engine::builder().compat(Compat::Safe).hooks(Dialect::ClaudeCode, path).build();
    let shown = format!("{:?}", engine.snapshot().hooks().next().unwrap().spec().handler);
    assert!(shown.contains("HOME") && !shown.contains(&std::env::var("HOME").unwrap_or_default()));
}
