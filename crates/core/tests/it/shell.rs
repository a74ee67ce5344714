//! Command lines from outside: whatever they are, they are taken apart quickly and never believed too much.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use becket_core::guard;
use becket_core::shell::judge::{Hit, Proof, allows, hits};
use becket_core::shell::pattern::CommandPattern;
use becket_core::shell::{Analysis, DoubtKind, MAX_BYTES};
use proptest::prelude::*;

fn pattern(text: &str) -> CommandPattern {
    CommandPattern::parse(text).unwrap()
}

fn names(text: &str) -> Vec<String> {
    let analysis = Analysis::of(text);
    analysis.commands.iter().filter_map(|it| it.name()).map(str::to_owned).collect()
}

/// Without limits each of these would take hours, or the stack.
#[test]
fn bombs_are_answered_and_never_proven() {
    let bombs = [
        "$(".repeat(5000),
        "{".repeat(100_000),
        "{ ".repeat(20_000),
        "true && ".repeat(100_000),
        "a&&".repeat(20_000),
        "${".repeat(20_000),
        "((".repeat(20_000),
        "$((".repeat(20_000),
        "`".repeat(20_001),
        "\\`".repeat(20_000),
        "(".repeat(60_000),
        "if ".repeat(20_000),
        "case x in ".repeat(6000),
        "f() ".repeat(10_000),
        "f() { ".repeat(10_000),
        "cat <<E ".repeat(8000),
        "a | ".repeat(16_000),
        "sudo ".repeat(12_000),
        "eval ".repeat(12_000),
        "bash -c '".repeat(7000),
        "{a,b}".repeat(10_000),
        format!("x{}", "{a,".repeat(20_000)),
        "\"".repeat(65_535),
        "[[ ( ".repeat(12_000),
        "<(".repeat(30_000),
        "x=(".repeat(20_000),
        "a[".repeat(30_000),
    ];
    for bomb in bombs {
        let analysis = Analysis::of(&bomb);
        let _ = guard::catastrophic(&analysis);
        let proof = allows(&[pattern("true:*"), pattern("a:*"), pattern("sudo:*")], &analysis);
        let head: String = bomb.chars().take(12).collect();
        assert_ne!(proof, Proof::Proven, "{head}");
    }
}

#[test]
fn a_long_text_of_words_is_no_bomb() {
    let text = format!("echo {}", "word ".repeat(13_000));
    assert!(text.len() <= MAX_BYTES);
    assert_eq!(allows(&[pattern("echo:*")], &Analysis::of(&text)), Proof::Proven);
}

#[test]
fn what_is_visible_beyond_a_limit_is_still_forbidden() {
    let long = format!("git status {}; rm -rf build", "a".repeat(MAX_BYTES));
    let deep = format!("git log {}rm -rf build{}", "$(".repeat(200), ")".repeat(200));
    for text in [long, deep, "git commit -m \"open; rm -rf build".to_owned()] {
        let analysis = Analysis::of(&text);
        assert!(analysis.hides().is_some());
        assert!(matches!(hits(&pattern("rm:*"), &analysis), Hit::Yes { .. }));
        assert!(matches!(hits(&pattern("curl:*"), &analysis), Hit::Perhaps { .. }));
    }
}

#[test]
fn every_command_is_found_wherever_it_stands() {
    let cases: [(&str, &[&str]); 8] = [
        ("a; b && c || d | e & f", &["a", "b", "c", "d", "e", "f"]),
        ("a \"$(b `c`)\" <(d)", &["c", "b", "d", "a"]),
        ("cat <<E <<'F'\n$(a)\nE\n$(b)\nF\nc", &["cat", "a", "c"]),
        ("sudo -u x env A=1 timeout 5 rm x", &["sudo", "env", "timeout", "rm"]),
        ("bash -ec 'a; b'", &["bash", "a", "b"]),
        ("find . -exec a {} + -o -exec b \\;", &["find", "a", "b"]),
        ("f() { a; }; for x in 1; do b; done; case x in y) c;; esac", &["a", "b", "c"]),
        ("r\\m; 'r'm; $'\\x72m'; {rm,x}; /bin/rm", &["rm", "rm", "rm", "rm", "rm"]),
    ];
    for (text, wanted) in cases {
        assert_eq!(names(text), wanted, "{text}");
    }
}

#[test]
fn a_part_that_is_not_proven_is_named_with_the_reason() {
    let allowed = [pattern("git:*")];
    let open = |text: &str| match allows(&allowed, &Analysis::of(text)) {
        Proof::Proven => None,
        Proof::Open { part, why } => Some(format!("{part}: {why}")),
    };
    assert_eq!(open("git status && git diff"), None);
    assert_eq!(open("git status; rm x"), Some("rm x: is not allowed".to_owned()));
    assert_eq!(open("git log > x"), Some("git log: writes `x`".to_owned()));
    assert_eq!(open("A=1 git log"), Some("git log: sets `A`".to_owned()));
    let unknown = "git log $X: has `$X` in it, which is not known before it runs";
    assert_eq!(open("git log $X"), Some(unknown.to_owned()));
}

#[test]
fn an_option_that_a_rule_spells_out_is_allowed() {
    let proven =
        |rule: &str, text: &str| allows(&[pattern(rule)], &Analysis::of(text)) == Proof::Proven;
    assert!(!proven("sed:*", "sed -i s/a/b/ x"));
    assert!(proven("sed -i:*", "sed -i s/a/b/ x"));
    assert!(!proven("tar:*", "tar xf a.tar"));
    assert!(proven("tar xf:*", "tar xf a.tar"));
    assert!(proven("sort -o out in", "sort -o out in"));
    assert!(proven("uv run:*", "uv run pytest -q"));
    assert!(!proven("uv:*", "uv run rm x"));
}

#[test]
fn a_star_alone_allows_everything_and_hits_everything() {
    let analysis = Analysis::of("$X | sh");
    assert_eq!(allows(&[pattern("*")], &analysis), Proof::Proven);
    assert!(matches!(hits(&pattern("*"), &analysis), Hit::Yes { .. }));
}

#[test]
fn options_in_a_forbidden_command_may_stand_in_any_order() {
    for text in ["rm -rf x", "rm -fr x", "rm -r -f x", "rm --recursive --force x", "rm x -rvf"] {
        let hit = hits(&pattern("rm -rf:*"), &Analysis::of(text));
        assert!(matches!(hit, Hit::Yes { .. }), "{text}");
    }
    assert_eq!(hits(&pattern("rm -rf:*"), &Analysis::of("rm -r x")), Hit::No);
}

#[test]
fn characters_that_cannot_be_seen_are_a_doubt() {
    for text in ["git lo\u{200b}g", "git status \u{202e}x", "git\u{ad} x", "git a\r"] {
        assert!(
            Analysis::of(text).doubts.iter().any(|it| it.kind == DoubtKind::Disguise),
            "{text:?}"
        );
    }
    let family = "git commit -m '\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} café'";
    assert_eq!(allows(&[pattern("git:*")], &Analysis::of(family)), Proof::Proven);
}

/// Pieces that a shell cares about, so that chance finds its way into the grammar.
fn shellish() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "rm", "git", "ls", "echo", "x", " ", " ", " ", ";", "&&", "|", "&", "\n", "(", ")", "{",
        "}", "$(", "`", "\"", "'", "\\", "$", "${", "<<E\n", "E\n", "<", ">", "=", "[[", "]]",
        "((", "))", "if", "then", "fi", "do", "done", "case", "in", "esac", "#", "!", "*", "~",
        "-c", "bash", "sudo", "eval", "find", "-exec", "{}", ",", "é", "\u{200b}",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|it| it.concat())
}

/// A text that ends in the middle of something is continued by what follows.
fn is_whole(text: &str, analysis: &Analysis) -> bool {
    let readable = analysis.doubts.iter().all(|it| it.kind != DoubtKind::Unreadable);
    readable && !text.contains("<<") && !text.ends_with('\\')
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".{0,200}") {
        let analysis = Analysis::of(&text);
        let _ = (guard::catastrophic(&analysis), analysis.operands());
        let _ = (hits(&pattern("rm:*"), &analysis), allows(&[pattern("git:*")], &analysis));
    }

    #[test]
    fn no_shell_text_makes_it_panic_and_it_is_always_the_same(text in shellish()) {
        let analysis = Analysis::of(&text);
        prop_assert_eq!(&analysis, &Analysis::of(&text));
        let _ = (guard::catastrophic(&analysis), analysis.operands());
    }

    #[test]
    fn what_is_not_proven_is_not_proven_with_more_behind_it(text in shellish(), more in shellish()) {
        let allowed = [pattern("git:*"), pattern("ls:*"), pattern("echo:*")];
        let longer = format!("{text}\n{more}");
        let before = Analysis::of(&text);
        let whole = is_whole(&text, &before) && !before.commands.is_empty();
        if whole && allows(&allowed, &before) != Proof::Proven {
            prop_assert_ne!(allows(&allowed, &Analysis::of(&longer)), Proof::Proven);
        }
    }

    #[test]
    fn what_is_hit_is_hit_with_more_around_it(text in shellish(), more in shellish()) {
        let analysis = Analysis::of(&text);
        let hit = matches!(hits(&pattern("rm:*"), &analysis), Hit::Yes { .. });
        if is_whole(&text, &analysis) && hit {
            prop_assert_ne!(hits(&pattern("rm:*"), &Analysis::of(&format!("{text}\n{more}"))), Hit::No);
            prop_assert_ne!(hits(&pattern("rm:*"), &Analysis::of(&format!("ls; {text}"))), Hit::No);
        }
    }

    #[test]
    fn a_pattern_is_printed_as_it_was_written(text in "[a-z*: -]{1,20}") {
        if let Ok(pattern) = CommandPattern::parse(&text) {
            prop_assert_eq!(CommandPattern::parse(&pattern.to_string()).unwrap(), pattern);
        }
    }
}
