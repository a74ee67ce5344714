//! What rules say about calls, by example.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Call, Hit, Rule, Slash, nonsense};
use crate::world::Flat;

fn call<'e>(tool: &'e str, input: &'e Value) -> Call<'e> {
    let analysed = Box::leak(Box::default());
    let here = Path::new("/p");
    Call { tool, input, cwd: here, root: here, terrain: &Flat, analysed }
}

fn rule(text: &str) -> Rule {
    Rule::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn hits(text: &str, tool: &str, input: &Value) -> Hit {
    rule(text).hits(&call(tool, input))
}

#[test]
fn a_rule_without_parentheses_is_about_every_call_of_its_tool() {
    let nothing = json!({});
    for (text, tool, expected) in [
        ("Bash", "Bash", Hit::Yes),
        ("Bash", "BashOutput", Hit::No),
        ("Bash", "run_shell_command", Hit::Yes),
        ("Edit", "Write", Hit::Yes),
        ("Write", "Edit", Hit::No),
        ("Task", "Agent", Hit::Yes),
        ("mcp__fs", "mcp__fs__read", Hit::Yes),
        ("mcp__fs", "mcp__fsx__read", Hit::No),
        ("mcp__fs__read", "mcp__fs__read_all", Hit::No),
        ("mcp__fs__*", "mcp__fs__read", Hit::Yes),
        ("*", "anything", Hit::Yes),
    ] {
        assert_eq!(hits(text, tool, &nothing), expected, "{text} on {tool}");
    }
}

#[test]
fn paths_are_anchored_unless_they_are_bare_names() {
    for (text, path, expected) in [
        ("Edit(src/**)", "src/a.rs", Hit::Yes),
        ("Edit(src/**)", "/p/src/deep/a.rs", Hit::Yes),
        ("Edit(src/**)", "lib/src/a.rs", Hit::No),
        ("Edit(src/**)", "src/../lib/a.rs", Hit::No),
        ("Edit(./src/*.{rs,toml})", "src/a.toml", Hit::Yes),
        ("Edit(./src/*.{rs,toml})", "src/deep/a.toml", Hit::No),
        ("Edit(/etc/**)", "/etc/passwd", Hit::Yes),
        ("Edit(//etc/**)", "/etc/passwd", Hit::Yes),
        ("Edit(.env)", "deep/down/.env", Hit::Yes),
        ("Edit(.env)", ".ENV", Hit::Yes),
        ("Edit(.env)", ".envrc", Hit::No),
        ("Edit(secrets/)", "secrets/a", Hit::Yes),
    ] {
        assert_eq!(hits(text, "Edit", &json!({ "file_path": path })), expected, "{text} on {path}");
    }
}

#[test]
fn allowing_a_path_takes_capitals_at_their_word_and_refusing_does_not() {
    let input = json!({ "file_path": "SRC/a" });
    assert_eq!(hits("Edit(src/**)", "Edit", &input), Hit::Yes);
    assert!(!rule("Edit(src/**)").proves(&call("Edit", &input)));
}

#[test]
fn a_path_that_somebody_may_read_otherwise_is_neither_free_nor_allowed() {
    for path in [
        "",
        "%2e%2e/x",
        "$HOME/x",
        "~root/x",
        "src\\x",
        "src/x.",
        "src/\u{202e}x",
        "/dev/fd/3",
        "/proc/1/fd/3",
        "src/\u{ff0e}env",
    ] {
        let input = json!({ "file_path": path });
        let call = call("Read", &input);
        assert!(matches!(rule("Read(other)").hits(&call), Hit::Perhaps(_)), "{path}");
        assert!(!rule("Read(./**)").proves(&call), "{path}");
    }
    for path in
        ["src/%2eenv", "src/\u{ff0e}env", "file:///p/.env", "/proc/7/root/p/.env", ".env::$DATA"]
    {
        assert_eq!(hits("Read(.env)", "Read", &json!({ "file_path": path })), Hit::Yes, "{path}");
    }
    let decomposed = json!({ "file_path": "src/e\u{301}.txt" });
    assert!(rule("Edit(src/**)").proves(&call("Write", &decomposed)));
}

#[test]
fn in_claude_codes_settings_a_leading_slash_is_the_project() {
    let rule = Rule::parse_with("Edit(/src/**)", Slash::Settings).unwrap();
    assert_eq!(rule.hits(&call("Edit", &json!({ "file_path": "/p/src/a" }))), Hit::Yes);
    assert_eq!(rule.hits(&call("Edit", &json!({ "file_path": "/src/a" }))), Hit::No);
}

#[test]
fn a_domain_is_proven_by_the_host_alone() {
    let proves =
        |text: &str, url: &str| rule(text).proves(&call("WebFetch", &json!({ "url": url })));
    assert!(proves("WebFetch(domain:example.com)", "https://EXAMPLE.com./a"));
    assert!(proves("WebFetch(domain:*.docs.example)", "https://a.b.docs.example/"));
    for url in [
        "https://example.com.evil.test/",
        "https://evil.test/?u=https://example.com/",
        "https://evil.test#@example.com/",
        "https://evil.test\\@example.com/",
        "https://example.com%2eevil.test/",
        "https://ex\u{430}mple.com/",
        "https://exa\u{ad}mple.com/",
        "https://user@example.com/",
        "ftp://example.com/",
    ] {
        assert!(!proves("WebFetch(domain:example.com)", url), "{url}");
    }
    assert!(!proves("WebFetch(domain:*.docs.example)", "https://docs.example/"));
    assert!(!proves("WebFetch(domain:*.docs.example)", "https://evildocs.example/"));
}

#[test]
fn addresses_inside_the_network_make_no_sense_in_any_spelling() {
    for url in [
        "http://[::ffff:169.254.169.254]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://0251.0376.0251.0376/",
        "http://169.254.169.254.nip.io/",
        "http://10.0.0.5/",
        "http://127.1/",
        "http://localhost:8080/",
        "http://[64:ff9b::a00:5]/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://metadata.google.internal/",
    ] {
        assert!(nonsense(&call("WebFetch", &json!({ "url": url }))).is_some(), "{url}");
    }
    for url in ["https://example.com/", "http://93.184.216.34/", "https://nip.io.example/"] {
        assert_eq!(nonsense(&call("WebFetch", &json!({ "url": url }))), None, "{url}");
    }
}

#[test]
fn agents_and_parameters_are_compared_as_text() {
    let agent = json!({ "subagent_type": "reviewer", "model": "small" });
    assert_eq!(hits("Agent(reviewer)", "Agent", &agent), Hit::Yes);
    assert_eq!(hits("Agent(writer)", "Agent", &agent), Hit::No);
    assert_eq!(hits("Agent(model:sm*)", "Task", &agent), Hit::Yes);
    assert!(matches!(hits("Agent(writer)", "Agent", &json!({})), Hit::Perhaps(_)));
    let query = json!({ "table": "users", "limit": 5 });
    assert_eq!(hits("mcp__db__run(table:users)", "mcp__db__run", &query), Hit::Yes);
    assert_eq!(hits("mcp__db__run(limit:5)", "mcp__db__run", &query), Hit::Yes);
    assert_eq!(hits("mcp__db__run(table:orders)", "mcp__db__run", &query), Hit::No);
}

#[test]
fn what_is_no_rule_says_what_to_write() {
    for text in [
        "",
        "Bash(",
        "Bash)",
        "Bash()",
        "(x)",
        "Bash (x",
        "Bash|Edit",
        "WebFetch(example.com)",
        "WebFetch(domain:)",
        "WebFetch(domain:a/b)",
        "Edit(../x)",
        "Bash(x) y",
    ] {
        let error = Rule::parse(text).expect_err(text);
        assert!(!error.message.is_empty() && !error.hint.is_empty(), "{text}");
    }
}

proptest! {
    #[test]
    fn a_rule_printed_is_read_as_itself(
        tool in "(Bash|Edit|Read|mcp__[a-z]{1,4}|mcp__[a-z]{1,4}__[a-z*]{1,4}|Agent|\\*|Custom)",
        spec in proptest::option::of("[a-z ./*:~-]{1,12}"),
    ) {
        let text = spec.map_or(tool.clone(), |spec| format!("{tool}({spec})"));
        if let Ok(rule) = Rule::parse(&text) {
            prop_assert_eq!(Rule::parse(&rule.to_string()), Ok(rule));
        }
    }

    #[test]
    fn what_a_rule_proves_it_also_hits(
        spec in "(\\./)?[a-c*]{1,2}(/[a-c*]{1,2}){0,2}",
        path in "[a-c]{1,2}(/([a-c]{1,2}|\\.\\.|\\.)){0,3}",
    ) {
        let (rule, input) = (rule(&format!("Read({spec})")), json!({ "file_path": path }));
        let call = call("Read", &input);
        prop_assert!(!rule.proves(&call) || rule.hits(&call) == Hit::Yes);
    }
}
