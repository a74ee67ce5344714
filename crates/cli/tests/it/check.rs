//! `becket check`: every problem, each with its place.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use serde_json::Value;

use crate::becket::{Bench, repository, run_in};

/// The ten broken files, in the order of their names: file, code, line, column.
const BROKEN: [(&str, &str, u64, u64); 10] = [
    ("bad-regex.yaml", "E_REGEX", 3, 10),
    ("bad-timeout.yaml", "E_TIMEOUT", 6, 20),
    ("bad-url.yaml", "E_URL", 5, 8),
    ("parse.yaml", "E_PARSE", 1, 7),
    ("same-name.yaml", "E_DUP_NAME", 2, 7),
    ("twice.yaml", "E_DUP_KEY", 5, 1),
    ("unknown-capability.yaml", "E_CAPABILITY", 5, 5),
    ("unknown-event.yaml", "E_UNKNOWN_EVENT", 2, 32),
    ("unknown-field.yaml", "E_UNKNOWN_FIELD", 6, 3),
    ("unknown-handler.yaml", "E_HANDLER", 3, 18),
];

#[test]
fn ten_differently_broken_files_are_ten_located_problems() {
    let ran = run_in(
        &repository(),
        &["check", "--dialect", "oah", "--hooks", "fixtures/oah/broken", "--json"],
        "",
    );
    assert_eq!(ran.code, 1);
    let report = ran.json();
    let found: Vec<_> = report["problems"].as_array().unwrap().iter().map(place).collect();
    let expected: Vec<_> =
        BROKEN.iter().map(|row| (row.0.to_owned(), row.1.to_owned(), row.2, row.3)).collect();
    assert_eq!(found, expected);
    assert_eq!((report["errors"].as_u64(), report["warnings"].as_u64()), (Some(10), Some(0)));
    for problem in report["problems"].as_array().unwrap() {
        assert!(problem["hint"].is_string() || problem["code"] == "E_PARSE", "{problem}");
    }
}

fn place(problem: &Value) -> (String, String, u64, u64) {
    let file = problem["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let number = |key: &str| problem[key].as_u64().unwrap();
    (file, problem["code"].as_str().unwrap().to_owned(), number("line"), number("column"))
}

#[test]
fn a_person_sees_file_line_column_excerpt_code_and_hint() {
    let ran = run_in(&repository(), &["check", "fixtures/oah/broken"], "");
    assert_eq!(ran.code, 1);
    let expected = "\
error[E_UNKNOWN_FIELD]: `handler` has no field `timeout`
 --> fixtures/oah/broken/unknown-field.yaml:6:3
  |
6 |   timeout: 5
  |   ^^^^^^^
  |
  = hint: did you mean `timeout_seconds`?
";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("10 errors, 0 warnings in 10 files; 1 hook can run"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("as oah"), "{}", ran.stderr);
}

#[test]
fn the_good_hook_among_the_broken_ones_still_runs_and_the_others_are_notes() {
    let args = [
        "fire",
        "before_tool_dispatch",
        "--dialect",
        "oah",
        "--hooks",
        "fixtures/oah/broken",
        "--json",
        "--no-journal",
    ];
    let ran = run_in(&repository(), &args, r#"{"tool_name":"Bash","tool_input":{}}"#);
    assert_eq!(ran.code, 2);
    let outcome = ran.json();
    let said = outcome["reasons"].as_array().unwrap();
    assert!(said.iter().any(|it| it["text"] == "good ran"), "{said:?}");
    let notes = outcome["notes"].as_array().unwrap();
    // The hook with the bad matcher is registered and says itself why it never fires.
    assert_eq!(notes.iter().filter(|note| note["code"] == "not_in_force").count(), 10);
    let dead = outcome["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|hook| hook["name"] == "bad-regex")
        .unwrap();
    assert_eq!(dead["skip"]["code"], "matcher_invalid");
}

#[test]
fn hooks_without_problems_are_fine() {
    let ran = Bench::new().with_hook("a", "before_tool_dispatch", "true").run(&["check"], "");
    assert_eq!((ran.code, ran.stdout.trim()), (0, "fine: 1 hook, nothing to complain about"));
}

#[test]
fn warnings_fail_only_when_they_are_denied() {
    let hook = "name: a\nevents: [before_context_build]\nmatcher: x\nhandler: { type: command, command: \"true\" }\n";
    let bench = Bench::new().with_file(".openharness/hooks/a.yaml", hook);
    assert_eq!(bench.run(&["check"], "").code, 0);
    assert_eq!(bench.run(&["check", "--deny-warnings"], "").code, 1);
}

#[test]
fn files_and_workspaces_can_be_named() {
    let bench = Bench::new().with_file(".openharness/hooks/a.yaml", "name: a\n");
    let file = bench.path(".openharness/hooks/a.yaml");
    for path in [bench.folder.path(), &bench.path(".openharness/hooks"), &file] {
        let ran = bench.run(&["check", path.to_str().unwrap(), "--json"], "");
        assert_eq!((ran.code, ran.json()["errors"].as_u64()), (1, Some(2)), "{}", path.display());
    }
    assert_eq!(bench.run(&["check", "nowhere"], "").code, 78);
}

#[test]
fn hostile_files_are_refused_within_bounds() {
    let bomb = (1..9).fold("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, level| {
        let alias = format!("*a{}", level - 1);
        text + &format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 10].join(","))
    });
    let rows = [
        ("laughs", bomb, "E_COUNT"),
        ("deep", "[".repeat(100_000), "E_DEPTH"),
        (
            "deep-block",
            (0..200).fold(String::new(), |text, depth| text + &" ".repeat(depth) + "k:\n"),
            "E_DEPTH",
        ),
        ("huge", format!("# {}\n", "x".repeat(2 * 1024 * 1024)), "E_SIZE"),
        ("tag", "name: !!python/object/apply:os.system ['id']\n".to_owned(), "E_TAG"),
        ("self", "a: &a [*a]\n".to_owned(), "E_ALIAS"),
        ("two", "name: a\n---\nname: b\n".to_owned(), "E_MULTI_DOC"),
        ("nul", "name: \"a\u{0}\"\n".to_owned(), "E_PARSE"),
        ("list", "- name: a\n".to_owned(), "E_SCHEMA"),
    ];
    for (name, text, code) in rows {
        let bench = Bench::new().with_file(".openharness/hooks/a.yaml", &text);
        let ran = bench.run(&["check", "--json"], "");
        assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
        assert_eq!(ran.json()["problems"][0]["code"], code, "{name}: {}", ran.stdout);
    }
}

#[test]
fn a_fifo_among_the_hooks_is_named_and_not_opened() {
    let bench = Bench::new().with_hook("good", "before_tool_dispatch", "true");
    let fifo = bench.path(".openharness/hooks/pipe.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let ran = bench.run(&["check", "--json"], "");
    assert_eq!(
        (ran.code, ran.json()["problems"][0]["code"].clone()),
        (1, Value::from("E_NOT_FILE"))
    );
}

#[test]
fn a_single_file_outside_any_workspace_can_be_checked() {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.yaml"), "name: a\n").unwrap();
    let ran = run_in(folder.path(), &["check", "a.yaml", "--json"], "");
    assert_eq!((ran.code, ran.json()["errors"].as_u64()), (1, Some(2)), "{}", ran.stderr);
}
