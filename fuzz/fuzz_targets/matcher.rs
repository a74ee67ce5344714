//! No matcher makes its compiler or its search panic or hang, and every shortcut agrees with the engine.
#![no_main]

use becket_core::matcher::{Fit, Matcher, MatcherLanguage};
use libfuzzer_sys::fuzz_target;

const LANGUAGES: [MatcherLanguage; 7] = [
    MatcherLanguage::Nothing,
    MatcherLanguage::Name,
    MatcherLanguage::Glob,
    MatcherLanguage::EcmaRegex,
    MatcherLanguage::NamesOrRegex,
    MatcherLanguage::ToolPattern,
    MatcherLanguage::Items,
];

// The first line is the pattern, the rest the subject.
fuzz_target!(|text: &str| {
    let (pattern, subject) = text.split_once('\n').unwrap_or((text, ""));
    for language in LANGUAGES {
        let matcher = Matcher::new(language, pattern);
        let valid = matcher.validate().is_ok();
        let fit = matcher.fit(subject);
        if let Fit::Never(_) = fit {
            assert!(!valid, "`{pattern}` was called valid");
        }
        if language == MatcherLanguage::EcmaRegex && valid && is_quick(pattern, subject) {
            assert_eq!(fit == Fit::Yes, original(pattern, subject), "`{pattern}` on `{subject}`");
        }
    }
});

/// Whether the original engine is sure to come to an end.
fn is_quick(pattern: &str, subject: &str) -> bool {
    let choices = pattern.matches(['*', '+', '?', '{', '|']).count();
    choices <= 4 && pattern.len() <= 100 && subject.len() <= 20
}

fn original(pattern: &str, subject: &str) -> bool {
    let flags = regress::Flags { unicode: true, ..regress::Flags::default() };
    regress::Regex::with_flags(pattern, flags).is_ok_and(|it| it.find(subject).is_some())
}
