//! No matcher makes its compiler or its search panic or hang, in any of the languages.
#![no_main]

use becket_core::matcher::{Fit, Matcher, MatcherLanguage};
use libfuzzer_sys::fuzz_target;

const LANGUAGES: [MatcherLanguage; 6] = [
    MatcherLanguage::Nothing,
    MatcherLanguage::Name,
    MatcherLanguage::Glob,
    MatcherLanguage::EcmaRegex,
    MatcherLanguage::NamesOrRegex,
    MatcherLanguage::ToolPattern,
];

// The first line is the pattern, the rest the subject.
fuzz_target!(|text: &str| {
    let (pattern, subject) = text.split_once('\n').unwrap_or((text, ""));
    for language in LANGUAGES {
        let matcher = Matcher::new(language, pattern);
        let valid = matcher.validate().is_ok();
        match matcher.fit(subject) {
            Fit::Never(_) => assert!(!valid, "`{pattern}` was called valid"),
            Fit::Yes | Fit::No => (),
        }
    }
});
