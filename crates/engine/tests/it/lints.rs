//! Every way in which a hook would silently never fire or never block, in the dialect it is written in.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use becket::{Dialect, Engine};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What is found in a workspace with this hook file and this script, by code, in the order of places.
fn codes(dialect: Dialect, file: &str, text: &str, script: &str) -> Vec<&'static str> {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    let hooks = write(file, text);
    write(".claude/.claude_trusted", "");
    let script = write("hook.sh", script);
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    let engine = Engine::builder().workspace(folder.path()).hooks(dialect, hooks).lint(true);
    engine.build().diagnostics().iter().map(|it| it.code.name()).collect()
}

fn expect(dialect: Dialect, rows: &[(Value, &str, &[&str])], find: impl Fn(&Value) -> String) {
    let (mut wrong, file) = (Vec::new(), file_of(dialect));
    for (given, script, expected) in rows {
        let found = codes(dialect, file, &find(given), script);
        if found != *expected {
            wrong.push(format!("{given}\n{script}\n  found {found:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn file_of(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Oah => "a.yaml",
        Dialect::T15 => "hooks.json",
        Dialect::LccS08 => ".hooks.json",
        _ => "settings.json",
    }
}

const RUN: &str = "./hook.sh";
const EXIT_1: &str = "grep -q rm && { echo 'rm is not allowed' >&2; exit 1; }\n";
const EXIT_2: &str = "grep -q rm && { echo 'rm is not allowed' >&2; exit 2; }\n";
const DENY: &str = "printf '%s' '{\"permissionDecision\":\"deny\"}'\n";
const BLOCK: &str = "printf '%s' '{\"decision\": \"block\"}'\n";
const BLOCK_1: &str = "echo '{\"decision\": \"block\"}'\nexit 1\n";

const NEVER: &[&str] = &["W_NEVER_BLOCKS"];

fn merged(mut hook: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        hook[key] = value.clone();
    }
    hook
}

fn oah(more: &Value) -> Value {
    let handler = json!({ "type": "command", "command": RUN, "timeout_seconds": 5 });
    let hook = json!({ "name": "a", "events": ["before_tool_dispatch"], "matcher": "Bash", "handler": handler });
    merged(hook, more)
}

fn oah_command(command: &str) -> Value {
    oah(&json!({ "handler": { "type": "command", "command": command, "timeout_seconds": 5 } }))
}

fn oah_event(event: &str) -> Value {
    oah(&json!({ "events": [event] }))
}

#[test]
fn what_open_agent_harness_does_not_take_for_a_refusal() {
    let plain = || oah(&json!({}));
    let late = json!({ "on_failure": "deny", "events": ["after_tool_dispatch"] });
    let over = json!({ "events": ["run_completed"], "matcher": "hook" });
    let rows = [
        (plain(), EXIT_2, &[][..]),
        (plain(), EXIT_1, NEVER),
        (plain(), DENY, NEVER),
        (plain(), BLOCK_1, NEVER),
        (plain(), BLOCK, &[]),
        (plain(), "command -v jq > tools || exit 1\n", &[]),
        (plain(), "# exit 1 refuses nothing: not allowed\ncat > seen\n", &[]),
        (plain(), "import sys\nprint('blocked', file=sys.stderr)\nsys.exit(1)\n", NEVER),
        (plain(), "console.error('denied'); process.exit(1);\n", NEVER),
        (oah(&json!({ "name": "guard" })), "grep -q rm && exit 1\n", NEVER),
        (oah(&json!({ "on_failure": "deny" })), EXIT_1, &[]),
        (oah(&late), "", &["W_CANNOT_BLOCK"]),
        (oah(&over), EXIT_2, &["W_CANNOT_BLOCK"]),
    ];
    expect(Dialect::Oah, &rows, Value::to_string);
}

#[test]
fn what_a_regular_expression_of_open_agent_harness_never_matches() {
    let matcher = |text: &str| oah(&json!({ "matcher": text }));
    let ended = |text: &str| oah(&json!({ "events": ["run_failed"], "matcher": text }));
    let rows = [
        (ended("cron"), "", &["W_MATCHER_NEVER"][..]),
        (ended("^api"), "", &[]),
        (matcher("Bash(git push:*)"), "", &["W_MATCHER_NEVER"]),
        (matcher("/Bash/"), "", &["W_MATCHER_NEVER"]),
        (matcher("Bash, Write"), "", &["W_MATCHER_NEVER"]),
        (matcher("Bash | Write"), "", &["W_MATCHER_NEVER"]),
        (matcher("*"), "", &["E_REGEX"]),
        (matcher("(?i)bash"), "", &["E_REGEX"]),
        (matcher("bash"), "", &["W_TOOL_NAME"]),
        (matcher("Bash|Wirte"), "", &["W_TOOL_NAME"]),
        (matcher("^(Bash|Write)$"), "", &[]),
        (matcher("mcp__.*"), "", &[]),
        (matcher("deploy"), "", &[]),
    ];
    expect(Dialect::Oah, &rows, Value::to_string);
}

#[test]
fn scripts_and_answers_that_do_not_arrive_in_open_agent_harness() {
    let plain = || oah(&json!({}));
    let rewrites = oah(&json!({ "capabilities": ["rewrite_tool_request"] }));
    let patch = "jq '{hookSpecificOutput:{patch:{tool_input:{}}}}'\n";
    let quiet = "echo '{\"suppressOutput\": true}'\n";
    let rows = [
        (oah_command("./gone.sh"), "", &["W_SCRIPT_NOT_HERE"][..]),
        (oah_command("python3 /nonexistent/guard.py"), "", &["W_SCRIPT_MISSING"]),
        (oah_command("hook.sh"), "", &["W_SCRIPT_MISSING"]),
        (oah_command("cat > ./out.json"), "", &[]),
        (oah_command("cd sub && ./gone.sh"), "", &[]),
        (oah_command("echo \"$HOOK_TOOL_INPUT\" >> log"), "", &["W_VARIABLE"]),
        (plain(), "grep -q rm \"$CLAUDE_PROJECT_DIR/x\" && exit 2\n", &["W_VARIABLE"]),
        (plain(), "INPUT=$(cat)\necho \"$INPUT\" >> log\n", &[]),
        (plain(), patch, &["W_CAPABILITY_MISSING"]),
        (rewrites, patch, &[]),
        (oah_event("after_tool_dispatch"), quiet, &["W_CAPABILITY_MISSING"]),
        (plain(), "echo '{\"systemMessage\":\"x\"}'\n", &["W_OUTPUT_IGNORED"]),
        (oah_event("after_tool_dispatch"), "echo '{\"systemMessage\":\"x\"}'\n", &[]),
    ];
    expect(Dialect::Oah, &rows, Value::to_string);
}

#[test]
fn hooks_of_open_agent_harness_that_hold_up_or_disturb() {
    let runs =
        |matcher: &str, handler: Value| oah(&json!({ "matcher": matcher, "handler": handler }));
    let after =
        |command: &str| merged(oah_command(command), &json!({ "events": ["after_tool_dispatch"] }));
    let limit = |seconds: u32| {
        runs("Bash", json!({ "type": "command", "command": "true", "timeout_seconds": seconds }))
    };
    let asks = json!({ "type": "prompt", "prompt": { "inline": "safe?" } });
    let rows = [
        (after("npx eslint ."), "", &["W_POST_EXIT"][..]),
        (after("npx eslint . || true"), "", &[]),
        (after("cargo fmt"), "", &[]),
        (runs(".*", json!({ "type": "command", "command": "true" })), "", &["W_SLOW_FOR_ALL"]),
        (limit(3000), "", &["W_TIMEOUT_UNIT"]),
        (limit(3600), "", &[]),
        (runs(".*", asks.clone()), "", &["W_MODEL_IN_PATH"]),
        (runs("Bash", asks), "", &[]),
    ];
    expect(Dialect::Oah, &rows, Value::to_string);
}

fn openharness(more: &Value) -> Value {
    merged(json!({ "matcher": "bash" }), more)
}

fn openharness_file(given: &Value) -> String {
    json!({ "hooks": { "pre_tool_use": [given] } }).to_string()
}

#[test]
fn hooks_of_openharness_that_never_fire_or_never_block() {
    let command = |more: Value| merged(openharness(&json!({ "command": RUN })), &more);
    let matcher = |text: &str| json!({ "matcher": text, "command": "true" });
    let rows = [
        (command(json!({ "block_on_failure": true })), EXIT_1, &[][..]),
        (command(json!({})), EXIT_1, NEVER),
        (command(json!({ "block_on_failure": true })), BLOCK, NEVER),
        (command(json!({ "command": "./hook.sh --guard" })), "", &[]),
        (command(json!({ "command": "security-check" })), "", &["W_CANNOT_BLOCK"]),
        (command(json!({ "command": "cargo check" })), "", &[]),
        (command(json!({ "command": "" })), "", &["E_FIELD"]),
        (
            openharness(&json!({ "prompt": "safe?", "block_on_failure": false })),
            "",
            &["W_CANNOT_BLOCK"],
        ),
        (
            openharness(&json!({ "hooks": [{ "type": "command", "command": "true" }] })),
            "",
            &["E_NESTED"],
        ),
        (matcher("Bash"), "", &["W_MATCHER_NEVER"]),
        (matcher("^bash$"), "", &["W_MATCHER_NEVER"]),
        (matcher("write_.*"), "", &["W_MATCHER_NEVER"]),
        (matcher("bash|grep"), "", &["W_MATCHER_NEVER"]),
        (matcher("bash,grep"), "", &["W_MATCHER_NEVER"]),
        (matcher("edit_flie"), "", &["W_TOOL_NAME"]),
        (matcher("*_file"), "", &[]),
    ];
    expect(Dialect::OpenHarness, &rows, openharness_file);
}

#[test]
fn hooks_of_openharness_that_are_not_told_or_hold_up() {
    let command = |more: Value| merged(openharness(&json!({ "command": RUN })), &more);
    let all = |more: Value| merged(json!({ "matcher": "*" }), &more);
    let agent = json!({ "type": "agent", "prompt": "safe?", "timeout_seconds": 1000 });
    let headers =
        json!({ "url": "http://127.0.0.1:9/", "headers": { "Authorization": "Bearer $TOKEN" } });
    let payload = "printf '%s' \"$OPENHARNESS_HOOK_PAYLOAD\" | grep -c rm > log\n";
    let rows = [
        (command(json!({})), "request=$(cat)\necho \"$request\" > log\n", &["W_NO_STDIN"][..]),
        (command(json!({})), "import sys, json\ncall = json.load(sys.stdin)\n", &["W_NO_STDIN"]),
        (command(json!({})), payload, &[]),
        (command(json!({})), "echo \"$TOOL_NAME\" > log\n", &["W_VARIABLE"]),
        (command(json!({ "command": "bash -c 'log $ARGUMENTS'" })), "", &["E_TEMPLATE_IN_SHELL"]),
        (command(json!({ "command": "eval $ARGUMENTS" })), "", &["E_TEMPLATE_IN_SHELL"]),
        (all(json!({ "command": "true" })), "", &["W_SLOW_FOR_ALL"]),
        (all(json!({ "command": "true", "timeout_seconds": 5 })), "", &[]),
        (all(json!({ "command": "true", "timeout_seconds": 5000 })), "", &["E_TIMEOUT"]),
        (all(json!({ "prompt": "safe? $ARGUMENTS" })), "", &["W_MODEL_IN_PATH"]),
        (openharness(&agent), "", &["W_TIMEOUT_UNIT"]),
        (openharness(&headers), "", &["W_PLACEHOLDER"]),
    ];
    expect(Dialect::OpenHarness, &rows, openharness_file);
}

#[test]
fn hooks_of_seed_000_that_do_not_do_their_work() {
    let pre = |more: Value| merged(json!({ "events": ["PRE_TOOL_USE"], "command": RUN }), &more);
    let rows = [
        (pre(json!({ "can_block": true })), EXIT_1, &[][..]),
        (pre(json!({})), EXIT_1, NEVER),
        (pre(json!({})), BLOCK, NEVER),
        (pre(json!({ "can_block": true })), BLOCK, NEVER),
        (pre(json!({ "command": "grep -q rm && exit 1" })), "", NEVER),
        (pre(json!({ "command": "allowlist.sh {tool_name}" })), "", &["W_CANNOT_BLOCK"]),
        (pre(json!({ "command": "log.sh {tool_name}" })), "", &[]),
        (pre(json!({ "command": "log.sh {result}" })), "", &["W_PLACEHOLDER_NEVER"]),
        (
            pre(json!({ "command": "log.sh {tool_name}", "events": ["SESSION_START"] })),
            "",
            &["W_PLACEHOLDER_NEVER"],
        ),
        (pre(json!({ "command": "sh -c 'log {args}'" })), "", &["E_TEMPLATE_IN_SHELL"]),
        (pre(json!({ "command": "echo \"$TOOL_NAME\" >> log" })), "", &["W_VARIABLE"]),
        (pre(json!({ "command": "cat >> log" })), "", &[]),
        (
            pre(json!({ "events": ["POST_TOOL_USE"], "command": "black {file}" })),
            "",
            &["W_POST_EXIT"],
        ),
        (pre(json!({ "events": ["POST_TOOL_USE"], "command": "black {file}; exit 0" })), "", &[]),
        (pre(json!({ "matcher": "Bash" })), "", &["E_UNKNOWN_FIELD"]),
        (pre(json!({ "timeout": 5 })), "", &["E_UNKNOWN_FIELD"]),
        (pre(json!({ "events": ["pre_tool_use"] })), "", &["E_UNKNOWN_EVENT"]),
        (pre(json!({ "type": "command" })), "", &["E_HANDLER"]),
    ];
    expect(Dialect::T15, &rows, |given| json!([given]).to_string());
}

#[test]
fn hooks_of_learn_claude_code_that_do_not_do_their_work() {
    let hook = |event: &str, more: Value| json!({ event: [merged(json!({ "matcher": "bash", "command": RUN }), &more)] });
    let pre = |more: Value| hook("PreToolUse", more);
    let post = |more: Value| hook("PostToolUse", more);
    let input = "case $HOOK_TOOL_INPUT in *rm*) echo 'not allowed' >&2; exit 1 ;; esac\n";
    let rows = [
        (pre(json!({})), input, &[][..]),
        (pre(json!({})), &input.replace("exit 1", "exit 2"), NEVER),
        (pre(json!({})), &input.replace("exit 1", "exit 3"), NEVER),
        (pre(json!({})), DENY, NEVER),
        (pre(json!({})), EXIT_1, &[]),
        (pre(json!({})), "grep -q rm /dev/stdin && exit 1\n", &["W_NO_STDIN"]),
        (pre(json!({ "matcher": "Bash" })), "", &["W_MATCHER_NEVER"]),
        (pre(json!({ "matcher": "Edit" })), "", &["W_MATCHER_NEVER"]),
        (pre(json!({ "matcher": "write_*" })), "", &["W_MATCHER_NEVER"]),
        (pre(json!({ "matcher": "wirte_file" })), "", &["W_TOOL_NAME"]),
        (pre(json!({ "command": "echo \"$HOOK_TOOL_OUTPUT\" >> log" })), "", &["W_VARIABLE"]),
        (pre(json!({ "command": "echo \"$INPUT\" >> log" })), "", &["W_VARIABLE"]),
        (pre(json!({})), "echo '{\"updatedInput\":{}}'\n", &["W_OUTPUT_IGNORED"]),
        (pre(json!({})), "echo '{\"permissionDecision\":\"allow\"}'\n", &["W_OUTPUT_IGNORED"]),
        (
            post(json!({})),
            "echo 'one moment'\necho '{\"additionalContext\":\"x\"}'\n",
            &["W_TEXT_AROUND_JSON"],
        ),
        (post(json!({})), "echo 'one moment' >&2\necho '{\"additionalContext\":\"x\"}'\n", &[]),
        (post(json!({ "command": "ruff check ." })), "", &["W_POST_EXIT"]),
        (post(json!({ "command": "ruff check .; exit 0" })), "", &[]),
        (hook("preToolUse", json!({})), "", &["E_UNKNOWN_EVENT"]),
    ];
    expect(Dialect::LccS08, &rows, |given| json!({ "hooks": given }).to_string());
}

#[test]
fn hooks_of_microai_that_do_not_do_their_work() {
    let pre = |more: Value| merged(json!({ "matcher": "Bash", "command": RUN }), &more);
    let input = "case $INPUT in *rm*) echo 'not allowed' >&2; exit 1 ;; esac\n";
    let rows = [
        (pre(json!({ "continueOnFailure": false })), input, &[][..]),
        (pre(json!({ "continueOnFailure": true })), input, NEVER),
        (pre(json!({})), input, NEVER),
        (pre(json!({ "continueOnFailure": false })), DENY, NEVER),
        (pre(json!({})), "[ -d .git ] || exit 1\necho \"$INPUT\" >> log\n", &[]),
        (pre(json!({ "continueOnFailure": false })), EXIT_1, &[]),
        (pre(json!({ "continueOnFailure": false })), "request=$(cat)\nexit 1\n", &["W_NO_STDIN"]),
        (pre(json!({ "command": "jq -r .command >> log" })), "", &["W_NO_STDIN"]),
        (pre(json!({ "command": "jq -nc '$ENV.INPUT' >> log" })), "", &[]),
        (pre(json!({ "command": "echo \"$HOOK_TOOL_NAME\" >> log" })), "", &["W_VARIABLE"]),
        (pre(json!({ "condition": "./gone.sh" })), "", &["W_SCRIPT_NOT_HERE"]),
        (pre(json!({ "matcher": "Raed" })), "", &["W_TOOL_NAME"]),
        (pre(json!({ "matcher": "read_file" })), "", &["W_MATCHER_NEVER"]),
        (pre(json!({ "matcher": "^Bash$" })), "", &["W_MATCHER_NEVER"]),
        (pre(json!({ "matcher": "mcp__github__push" })), "", &[]),
        (pre(json!({ "timeout": 30 })), "", &["W_TIMEOUT_UNIT"]),
    ];
    expect(Dialect::Microai, &rows, |given| {
        json!({ "hooks": { "PreToolUse": [given] } }).to_string()
    });
}

#[test]
fn a_script_that_cannot_be_started_is_told_from_one_that_can() {
    let folder = TempDir::new().unwrap();
    let findings = |command: &str| -> Vec<&'static str> {
        let hook = json!({ "name": "a", "events": ["run_failed"], "handler": { "type": "command", "command": command } });
        fs::write(folder.path().join("a.yaml"), hook.to_string()).unwrap();
        let builder = Engine::builder().workspace(folder.path()).lint(true);
        let engine = builder.hooks(Dialect::Oah, folder.path().join("a.yaml")).build();
        engine.diagnostics().iter().map(|it| it.code.name()).collect()
    };
    let write = |name: &str, text: &str, mode: u32| {
        let path: &Path = &folder.path().join(name);
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    write("plain.sh", "#!/bin/sh\ntrue\n", 0o644);
    write("ready.sh", "#!/bin/sh\ntrue\n", 0o755);
    write("strange.sh", "#!/usr/bin/env -S no-such-interpreter -x\n", 0o755);
    for (command, expected) in [
        ("./plain.sh", &["W_SCRIPT_MODE"][..]),
        ("sh ./plain.sh", &[]),
        ("./ready.sh", &[]),
        ("exec ./ready.sh x", &[]),
        ("./strange.sh", &["W_INTERPRETER"]),
        ("sh ./strange.sh", &[]),
        ("/nonexistent/python3 ./ready.sh", &["W_INTERPRETER"]),
        ("\"$HOME/gone.sh\"", &[]),
        ("./ready.sh && ./gone.sh", &["W_SCRIPT_NOT_HERE"]),
    ] {
        assert_eq!(findings(command), expected, "{command}");
    }
}

#[test]
fn what_the_specifications_themselves_show_has_no_error() {
    let seed_000 = json!([
        { "events": ["POST_TOOL_USE"], "command": "black {file} && isort {file}; exit 0" },
        { "events": ["PRE_TOOL_USE"], "type": "COMMAND", "command": "check_tool_allowlist.sh {tool_name}; exit $?" },
        { "events": ["POST_TOOL_USE"], "type": "PROMPT", "prompt": "Summarize what {tool_name} did: {result}" },
    ]);
    let bash = "echo \"[$(date -Iseconds)] Bash: $INPUT\" >> /tmp/bash-log.txt";
    let audit = "jq -nc --arg tool \"$TOOL_NAME\" --arg input \"$INPUT\" --arg ts \"$TIMESTAMP\" '{timestamp: $ts, tool: $tool, input: $input}' >> audit.jsonl";
    let structured = "jq -nc '{ts: $ENV.TIMESTAMP, tool: $ENV.TOOL_NAME, input: ($ENV.INPUT | fromjson)}' >> hooks.jsonl";
    let seed_004 = json!({ "hooks": {
        "PreToolUse": [
            { "matcher": "Bash", "command": bash },
            { "matcher": "*", "command": audit },
            { "matcher": "*", "command": structured },
            { "matcher": "Bash(git:*)", "command": "log-git.sh \"$INPUT\"" },
            { "matcher": "Bash", "command": "validation-script.sh $INPUT", "timeout": 3000, "continueOnFailure": false },
            { "matcher": "*", "command": "log.sh", "continueOnFailure": true },
            { "matcher": "Bash", "command": "security-check.sh", "continueOnFailure": false },
        ],
        "UserPromptSubmit": [{ "command": "echo \"$PROMPT\" >> /tmp/prompts.txt" }],
        "SessionStart": [{ "command": "echo \"Session started: $SESSION_ID at $TIMESTAMP\" >> /tmp/sessions.txt" }],
        "SessionEnd": [{ "command": "notify-session-end.sh \"$SESSION_ID\"" }],
    } });
    for (dialect, text) in [(Dialect::T15, seed_000), (Dialect::Microai, seed_004)] {
        let found = codes(dialect, file_of(dialect), &text.to_string(), "");
        let harmless = ["W_CANNOT_BLOCK", "W_SLOW_FOR_ALL", "W_PREFIX", "W_UNQUOTED_VAR"];
        let other: Vec<_> = found.iter().filter(|it| !harmless.contains(it)).collect();
        assert!(other.is_empty(), "{}: {other:?}", dialect.name());
    }
}
