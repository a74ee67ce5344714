//! Every code of `becket check` by an example that has it and one that has not.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use becket::core::diagnostic::{Code, Severity};
use tempfile::TempDir;

use crate::becket::{copy, repository, run_with};

/// What `check` says about a copy of a folder: the codes, and how it ends.
fn check(folder: &Path) -> (BTreeSet<String>, i32) {
    let copied = TempDir::new().unwrap();
    copy(folder, copied.path());
    let settings = ["settings.json", ".openharness/settings.json"];
    let named = settings.iter().find(|it| copied.path().join(it).exists());
    let mut args = vec!["check", "--json"];
    args.extend(named.iter().flat_map(|it| ["--dialect", "openharness", "-C", ".", "--hooks", it]));
    // Whose home a workspace is, is not a project.
    let home = [("HOME", copied.path().join("home").display().to_string())];
    let ran = run_with(copied.path(), &args, "", &home);
    let report = ran.json();
    let problems = report["problems"].as_array().unwrap();
    (problems.iter().map(|it| it["code"].as_str().unwrap().to_owned()).collect(), ran.code)
}

/// Codes whose examples cannot be kept as files: something too large, or no file at all.
fn make(code: &str, folder: &Path) -> bool {
    let hooks = folder.join(".openharness/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let write = |bytes: &[u8]| fs::write(hooks.join("a.yaml"), bytes).unwrap();
    match code {
        "E_READ" => symlink("nowhere", hooks.join("a.yaml")).unwrap(),
        "E_NOT_FILE" => symlink("/dev/zero", hooks.join("a.yaml")).unwrap(),
        "E_ENCODING" => write(b"name: a\xff\n"),
        "E_SIZE" => write("# long\n".repeat(200_000).as_bytes()),
        "E_DEPTH" => write(("[".repeat(100) + &"]".repeat(100)).as_bytes()),
        "E_LINK" => {
            fs::create_dir(folder.join(".claude")).unwrap();
            symlink("/etc/hostname", folder.join(".claude/settings.json")).unwrap();
        }
        "E_COUNT" => write(format!("[{}]", "x, ".repeat(30_000)).as_bytes()),
        _ => return false,
    }
    true
}

/// Codes that no workspace can show: managed files stand outside of all of them.
const ELSEWHERE: [&str; 1] = ["E_OWNER"];

#[test]
fn every_code_has_an_example_that_triggers_it_and_one_without_a_fault() {
    let examples = repository().join("fixtures/findings");
    let mut wrong = Vec::new();
    for (_, code, severity, _) in Code::all().filter(|row| !ELSEWHERE.contains(&row.1)) {
        let made = TempDir::new().unwrap();
        let folder = if make(code, made.path()) {
            made.path().to_path_buf()
        } else if !examples.join(code).exists() {
            wrong.push(format!("{code}: no example in `fixtures/findings`"));
            continue;
        } else {
            let right = check(&examples.join(code).join("right"));
            if right != (BTreeSet::new(), 0) {
                wrong.push(format!("{code}, right: {right:?}"));
            }
            examples.join(code).join("wrong")
        };
        let expected = (BTreeSet::from([code.to_owned()]), i32::from(severity == Severity::Error));
        let found = check(&folder);
        if found != expected {
            wrong.push(format!("{code}, wrong: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_example_belongs_to_a_code() {
    let known: BTreeSet<_> = Code::all().map(|row| row.1.to_owned()).collect();
    for entry in fs::read_dir(repository().join("fixtures/findings")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name), "{name}");
    }
}

#[test]
fn the_hooks_that_are_shown_as_examples_have_no_fault() {
    for entry in fs::read_dir(repository().join("examples/hooks")).unwrap() {
        let path = entry.unwrap().path();
        let (codes, exit) = check(&path);
        let faults: Vec<_> = codes.iter().filter(|it| it.starts_with("E_")).collect();
        assert_eq!((faults, exit), (vec![], 0), "{}: {codes:?}", path.display());
    }
}
