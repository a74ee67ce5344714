//! Exit codes and streams: what scripts rely on.

use std::io::Read;
use std::process::Stdio;

use crate::becket::{Bench, command};

const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#;

#[test]
fn wrong_usage_is_64_and_never_the_code_of_a_block() {
    let bench = Bench::new().with_hook("a", "before_tool_dispatch", "true");
    let hooks = bench.path(".openharness/hooks");
    let hooks = hooks.to_str().unwrap();
    let misuses: [&[&str]; 10] = [
        &[],
        &["--nope"],
        &["nope"],
        &["fire"],
        &["fire", "PreToolUse", "--nope"],
        &["fire", "PreToolUsage", "--dialect", "oah", "--hooks", hooks],
        &["fire", "PreToolUse", "--dialect", "cobol", "--hooks", hooks],
        &["fire", "PreToolUse", "--hooks", hooks],
        &["fire", "PreToolUse", "--dialect", "oah"],
        &["schema", "nope"],
    ];
    for args in misuses {
        let ran = bench.run(args, CALL);
        assert_eq!(ran.code, 64, "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout, "", "{args:?}");
        assert!(!ran.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn a_misspelt_event_gets_the_nearest_known_name() {
    let ran = Bench::new().fire("PreToolUsage", CALL, &["--json"]);
    assert_eq!(ran.error()["hint"], "did you mean `PreToolUse`?");
}

#[test]
fn every_command_has_help_with_an_example() {
    let bench = Bench::new();
    let top = bench.run(&["--help"], "");
    assert_eq!(top.code, 0);
    for command in ["demo", "check", "list", "explain", "fire", "schema", "completions", "man"] {
        assert!(top.stdout.contains(command), "{command} is not in --help");
        let help = bench.run(&[command, "--help"], "");
        assert_eq!(help.code, 0, "{command}");
        assert!(
            help.stdout.contains(&format!("becket {command}")),
            "{command}: no example\n{}",
            help.stdout
        );
        assert!(help.stdout.contains("Example"), "{command}: no example\n{}", help.stdout);
    }
}

#[test]
fn a_payload_that_is_not_json_is_65_with_the_position() {
    let ran = Bench::new().fire("PreToolUse", "{\n  \"tool_name\": nope }", &["--json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (65, ""));
    let error = ran.error();
    assert_eq!(
        (error["code"].as_str(), error["line"].as_u64(), error["column"].as_u64()),
        (Some("E_PARSE"), Some(2), Some(17))
    );
    assert_eq!(error["file"], "standard input");
}

#[test]
fn a_payload_that_two_readers_could_read_differently_is_65() {
    let rows = [
        ("", "E_FIELD"),
        ("[]", "E_SCHEMA"),
        ("{} {}", "E_PARSE"),
        (r#"{"tool_name":"A","tool_name":"B","tool_input":{}}"#, "E_DUP_KEY"),
        (r#"{"tool_input":{}}"#, "E_FIELD"),
        (r#"{"tool_name":"","tool_input":{}}"#, "E_SCHEMA"),
        (r#"{"tool_name":"A"}"#, "E_FIELD"),
        (r#"{"tool_name":"A","tool_input":"ls"}"#, "E_SCHEMA"),
        (r#"{"tool_name":"A","tool_input":null}"#, "E_SCHEMA"),
        (r#"{"tool_name":"A\u0000","tool_input":{}}"#, "E_CHAR"),
        (r#"{"tool_name":"A","tool_input":{"command":"a\u0000b"}}"#, "E_CHAR"),
        (r#"{"tool_name":"\ud800","tool_input":{}}"#, "E_ENCODING"),
        (r#"{"tool_name":"A","tool_input":{"n":NaN}}"#, "E_PARSE"),
        (r#"{"tool_name":"A","tool_input":{},"session_id":"../x"}"#, "E_SESSION_ID"),
    ];
    let bench = Bench::new();
    for (payload, code) in rows {
        let ran = bench.fire("PreToolUse", payload, &["--json"]);
        assert_eq!(
            (ran.code, ran.error()["code"].as_str()),
            (65, Some(code)),
            "{payload}: {}",
            ran.stderr
        );
    }
    let deep = format!(
        r#"{{"tool_name":"A","tool_input":{{"a":{}1{}}}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    assert_eq!(bench.fire("PreToolUse", &deep, &["--json"]).error()["code"], "E_DEPTH");
}

#[test]
fn a_payload_file_that_is_not_there_is_65() {
    let ran = Bench::new().fire("PreToolUse", "", &["--input", "nowhere.json", "--json"]);
    assert_eq!(ran.code, 65);
    assert_eq!(ran.error()["file"], "nowhere.json");
}

#[test]
fn a_configuration_that_cannot_be_used_is_78() {
    let bench = Bench::new()
        .with_hook("a", "before_tool_dispatch", "exit 2")
        .with_file(".openharness/hooks/b.yaml", "name: b\n");
    let exact = bench.fire("PreToolUse", CALL, &["--compat", "exact", "--json"]);
    assert_eq!((exact.code, exact.stdout.as_str()), (78, ""));
    assert!(exact.error()["file"].as_str().unwrap().ends_with("b.yaml"));
    assert_eq!(exact.error()["line"], 1);
    assert_eq!(bench.fire("PreToolUse", CALL, &[]).code, 2, "the good hook still runs in safe");
    let missing =
        bench.run(&["fire", "PreToolUse", "--dialect", "oah", "--hooks", "nowhere"], CALL);
    assert_eq!(missing.code, 78, "{}", missing.stderr);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let bench = Bench::new();
    let mut child = command(bench.folder.path())
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn output_in_a_pipe_has_no_colours() {
    let ran =
        Bench::new().with_hook("a", "before_tool_dispatch", "exit 2").fire("PreToolUse", CALL, &[]);
    assert!(ran.stdout.contains("PreToolUse  deny"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "{:?}", ran.stdout);
}

#[test]
fn text_of_a_hook_cannot_drive_the_terminal() {
    let bench = Bench::new().with_hook(
        "a",
        "before_tool_dispatch",
        r"printf 'no\033[2J\rallowed' >&2; exit 2",
    );
    let ran = bench.fire("PreToolUse", CALL, &[]);
    assert_eq!(ran.code, 2);
    assert!(!ran.stdout.contains(['\u{1b}', '\r']), "{:?}", ran.stdout);
}

#[test]
fn the_version_is_told() {
    let ran = Bench::new().run(&["--version"], "");
    assert_eq!((ran.code, ran.stdout.trim()), (0, concat!("becket ", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn a_full_disk_is_told_and_not_a_pass() {
    let bench = Bench::new().with_hook("a", "before_tool_dispatch", "true");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let hooks = bench.path(".openharness/hooks");
    let status = command(bench.folder.path())
        .args(["list", "--json", "--dialect", "oah", "--hooks"])
        .arg(hooks)
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(69));
}

#[test]
fn the_directory_may_stand_before_the_command_too() {
    let bench = Bench::new().with_hook("a", "before_tool_dispatch", "true");
    let elsewhere = Bench::new();
    let folder = bench.folder.path().to_str().unwrap().to_owned();
    for args in [["-C", &folder, "list", "--json"], ["list", "--json", "-C", &folder]] {
        let ran = elsewhere.run(&args, "");
        assert_eq!(ran.json()["hooks"][0]["name"], "a", "{}", ran.stderr);
    }
}

#[test]
fn wrong_usage_names_what_is_missing_and_what_is_possible() {
    let bench = Bench::new();
    assert!(bench.run(&["fire"], "").stderr.contains("<EVENT>"));
    let compat = bench.run(&["list", "--compat", "foo"], "").stderr;
    assert!(compat.contains("safe") && compat.contains("exact"), "{compat}");
}

#[test]
fn ending_becket_ends_its_hooks() {
    let bench = Bench::new().with_hook(
        "a",
        "before_tool_dispatch",
        "echo $$ > pid.part; mv pid.part pid; exec sleep 60",
    );
    let hooks = bench.path(".openharness/hooks");
    let mut child = command(bench.folder.path())
        .args(["fire", "before_tool_dispatch", "--dialect", "oah", "--hooks"])
        .arg(hooks)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), CALL.as_bytes()).unwrap();
    let pid_file = bench.path("pid");
    while !pid_file.exists() {
        std::thread::yield_now();
    }
    let hook: u32 = std::fs::read_to_string(pid_file).unwrap().trim().parse().unwrap();
    let killed = std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while std::path::Path::new(&format!("/proc/{hook}")).exists() {
        assert!(std::time::Instant::now() < until, "the hook is still there");
        std::thread::yield_now();
    }
}
