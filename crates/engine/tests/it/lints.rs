//! Every way in which a hook would silently never fire or never block, in the dialect it is written in.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

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

#[test]
fn open_agent_harness() {
    let hook = |more: Value| {
        let handler = json!({ "type": "command", "command": RUN, "timeout_seconds": 5 });
        let mut hook = json!({ "name": "a", "events": ["before_tool_dispatch"], "matcher": "Bash", "handler": handler });
        for (key, value) in more.as_object().unwrap() {
            hook[key] = value.clone();
        }
        hook
    };
    let runs = |command: &str| {
        hook(json!({ "handler": { "type": "command", "command": command, "timeout_seconds": 5 } }))
    };
    let plain = || hook(json!({}));
    let event = |name: &str| hook(json!({ "events": [name] }));
    let matcher = |text: &str| hook(json!({ "matcher": text }));
    let never: &[&str] = &["W_NEVER_BLOCKS"];
    let rows = [
        (plain(), EXIT_2, &[][..]),
        (plain(), EXIT_1, never),
        (plain(), DENY, never),
        (plain(), BLOCK_1, never),
        (plain(), BLOCK, &[]),
        (plain(), "command -v jq > tools || exit 1\n", &[]),
        (plain(), "# exit 1 refuses nothing: not allowed\ncat > seen\n", &[]),
        (plain(), "import sys\nprint('blocked', file=sys.stderr)\nsys.exit(1)\n", never),
        (plain(), "console.error('denied'); process.exit(1);\n", never),
        (hook(json!({ "name": "guard" })), "grep -q rm && exit 1\n", never),
        (hook(json!({ "on_failure": "deny" })), EXIT_1, &[]),
        (
            hook(json!({ "on_failure": "deny", "events": ["after_tool_dispatch"] })),
            "",
            &["W_CANNOT_BLOCK"],
        ),
        (
            hook(json!({ "events": ["run_completed"], "matcher": "hook" })),
            EXIT_2,
            &["W_CANNOT_BLOCK"],
        ),
        (hook(json!({ "events": ["run_failed"], "matcher": "cron" })), "", &["W_MATCHER_NEVER"]),
        (hook(json!({ "events": ["run_failed"], "matcher": "^api" })), "", &[]),
        (matcher("Bash(git push:*)"), "", &["W_MATCHER_NEVER"]),
        (matcher("/Bash/"), "", &["W_MATCHER_NEVER"]),
        (matcher("Bash, Write"), "", &["W_MATCHER_NEVER"]),
        (matcher("Bash | Write"), "", &["W_MATCHER_NEVER"]),
        (matcher("(?i)bash"), "", &["E_REGEX"]),
        (matcher("bash"), "", &["W_TOOL_NAME"]),
        (matcher("Bash|Wirte"), "", &["W_TOOL_NAME"]),
        (matcher("^(Bash|Write)$"), "", &[]),
        (matcher("mcp__.*"), "", &[]),
        (matcher("deploy"), "", &[]),
        (event("after_tool_dispatch"), "", &[]),
        (runs("./gone.sh"), "", &["W_SCRIPT_NOT_HERE"]),
        (runs("python3 /nonexistent/guard.py"), "", &["W_SCRIPT_MISSING"]),
        (runs("hook.sh"), "", &["W_SCRIPT_MISSING"]),
        (runs("cat > ./out.json"), "", &[]),
        (runs("cd sub && ./gone.sh"), "", &[]),
        (runs("echo \"$HOOK_TOOL_INPUT\" >> log"), "", &["W_VARIABLE"]),
        (plain(), "grep -q rm \"$CLAUDE_PROJECT_DIR/x\" && exit 2\n", &["W_VARIABLE"]),
        (plain(), "INPUT=$(cat)\necho \"$INPUT\" >> log\n", &[]),
        (
            plain(),
            "echo '{\"hookSpecificOutput\":{\"patch\":{\"tool_input\":{}}}}'\n",
            &["W_CAPABILITY_MISSING"],
        ),
        (
            hook(json!({ "capabilities": ["rewrite_tool_request"] })),
            "jq '{hookSpecificOutput:{patch:{tool_input:{}}}}'\n",
            &[],
        ),
        (
            event("after_tool_dispatch"),
            "echo '{\"suppressOutput\": true}'\n",
            &["W_CAPABILITY_MISSING"],
        ),
        (plain(), "echo '{\"systemMessage\":\"x\"}'\n", &["W_OUTPUT_IGNORED"]),
        (
            hook(
                json!({ "matcher": "Edit", "events": ["after_tool_dispatch"], "handler": { "type": "command", "command": "npx eslint ." } }),
            ),
            "",
            &["W_POST_EXIT"],
        ),
        (
            hook(
                json!({ "matcher": "Edit", "events": ["after_tool_dispatch"], "handler": { "type": "command", "command": "npx eslint . || true" } }),
            ),
            "",
            &[],
        ),
        (
            hook(json!({ "matcher": ".*", "handler": { "type": "command", "command": "true" } })),
            "",
            &["W_SLOW_FOR_ALL"],
        ),
        (
            hook(
                json!({ "handler": { "type": "command", "command": "true", "timeout_seconds": 3000 } }),
            ),
            "",
            &["W_TIMEOUT_UNIT"],
        ),
        (
            hook(
                json!({ "handler": { "type": "command", "command": "true", "timeout_seconds": 3600 } }),
            ),
            "",
            &[],
        ),
        (
            hook(
                json!({ "matcher": ".*", "handler": { "type": "prompt", "prompt": { "inline": "safe?" } } }),
            ),
            "",
            &["W_MODEL_IN_PATH"],
        ),
    ];
    expect(Dialect::Oah, &rows, Value::to_string);
}

#[test]
fn openharness() {
    let never: &[&str] = &["W_NEVER_BLOCKS"];
    let rows = [
        (json!({ "matcher": "bash", "command": RUN, "block_on_failure": true }), EXIT_1, &[][..]),
        (json!({ "matcher": "bash", "command": RUN }), EXIT_1, never),
        (json!({ "matcher": "bash", "command": RUN, "block_on_failure": true }), BLOCK, never),
        (json!({ "matcher": "bash", "command": "./hook.sh --guard" }), "", &[]),
        (json!({ "matcher": "bash", "command": "security-check" }), "", &["W_CANNOT_BLOCK"]),
        (json!({ "matcher": "bash", "command": "cargo check" }), "", &[]),
        (json!({ "matcher": "Bash", "command": "true" }), "", &["W_MATCHER_NEVER"]),
        (json!({ "matcher": "^bash$", "command": "true" }), "", &["W_MATCHER_NEVER"]),
        (json!({ "matcher": "write_.*", "command": "true" }), "", &["W_MATCHER_NEVER"]),
        (json!({ "matcher": "bash|grep", "command": "true" }), "", &["W_MATCHER_NEVER"]),
        (json!({ "matcher": "bash,grep", "command": "true" }), "", &["W_MATCHER_NEVER"]),
        (json!({ "matcher": "edit_flie", "command": "true" }), "", &["W_TOOL_NAME"]),
        (json!({ "matcher": "*_file", "command": "true" }), "", &[]),
        (
            json!({ "matcher": "bash", "command": RUN }),
            "request=$(cat)\necho \"$request\" > log\n",
            &["W_NO_STDIN"],
        ),
        (
            json!({ "matcher": "bash", "command": RUN }),
            "import sys, json\ncall = json.load(sys.stdin)\n",
            &["W_NO_STDIN"],
        ),
        (
            json!({ "matcher": "bash", "command": RUN }),
            "printf '%s' \"$OPENHARNESS_HOOK_PAYLOAD\" | grep -c rm > log\n",
            &[],
        ),
        (
            json!({ "matcher": "bash", "command": RUN }),
            "echo \"$TOOL_NAME\" > log\n",
            &["W_VARIABLE"],
        ),
        (
            json!({ "matcher": "bash", "command": "bash -c 'log $ARGUMENTS'" }),
            "",
            &["E_TEMPLATE_IN_SHELL"],
        ),
        (json!({ "matcher": "bash", "command": "eval $ARGUMENTS" }), "", &["E_TEMPLATE_IN_SHELL"]),
        (json!({ "matcher": "bash", "command": "" }), "", &["E_FIELD"]),
        (json!({ "matcher": "*", "command": "true" }), "", &["W_SLOW_FOR_ALL"]),
        (json!({ "matcher": "*", "command": "true", "timeout_seconds": 5 }), "", &[]),
        (json!({ "command": "true", "timeout_seconds": 5000 }), "", &["E_TIMEOUT"]),
        (json!({ "matcher": "*", "prompt": "safe? $ARGUMENTS" }), "", &["W_MODEL_IN_PATH"]),
        (
            json!({ "matcher": "bash", "prompt": "safe?", "block_on_failure": false }),
            "",
            &["W_CANNOT_BLOCK"],
        ),
        (
            json!({ "matcher": "bash", "type": "agent", "prompt": "safe?", "timeout_seconds": 1000 }),
            "",
            &["W_TIMEOUT_UNIT"],
        ),
        (
            json!({ "matcher": "bash", "url": "http://127.0.0.1:9/", "headers": { "Authorization": "Bearer $TOKEN" } }),
            "",
            &["W_PLACEHOLDER"],
        ),
        (
            json!({ "matcher": "bash", "hooks": [{ "type": "command", "command": "true" }] }),
            "",
            &["E_NESTED"],
        ),
    ];
    expect(Dialect::OpenHarness, &rows, |given| {
        json!({ "hooks": { "pre_tool_use": [given] } }).to_string()
    });
}

#[test]
fn seed_000() {
    let pre = |more: Value| merged(json!({ "events": ["PRE_TOOL_USE"], "command": RUN }), &more);
    let never: &[&str] = &["W_NEVER_BLOCKS"];
    let rows = [
        (pre(json!({ "can_block": true })), EXIT_1, &[][..]),
        (pre(json!({})), EXIT_1, never),
        (pre(json!({})), BLOCK, never),
        (pre(json!({ "can_block": true })), BLOCK, never),
        (pre(json!({ "command": "grep -q rm && exit 1" })), "", never),
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
fn learn_claude_code() {
    let hook = |event: &str, more: Value| json!({ event: [merged(json!({ "matcher": "bash", "command": RUN }), &more)] });
    let pre = |more: Value| hook("PreToolUse", more);
    let post = |more: Value| hook("PostToolUse", more);
    let never: &[&str] = &["W_NEVER_BLOCKS"];
    let input = "case $HOOK_TOOL_INPUT in *rm*) echo 'not allowed' >&2; exit 1 ;; esac\n";
    let rows = [
        (pre(json!({})), input, &[][..]),
        (pre(json!({})), &input.replace("exit 1", "exit 2"), never),
        (pre(json!({})), &input.replace("exit 1", "exit 3"), never),
        (pre(json!({})), DENY, never),
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
fn microai() {
    let pre = |more: Value| merged(json!({ "matcher": "Bash", "command": RUN }), &more);
    let never: &[&str] = &["W_NEVER_BLOCKS"];
    let input = "case $INPUT in *rm*) echo 'not allowed' >&2; exit 1 ;; esac\n";
    let rows = [
        (pre(json!({ "continueOnFailure": false })), input, &[][..]),
        (pre(json!({ "continueOnFailure": true })), input, never),
        (pre(json!({})), input, never),
        (pre(json!({ "continueOnFailure": false })), DENY, never),
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

fn merged(mut hook: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        hook[key] = value.clone();
    }
    hook
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
