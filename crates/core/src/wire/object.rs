//! Finding the JSON object in what a hook printed.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The object from the first `{` to the last `}`, as the original finds it.
pub(super) fn greedy(text: &str) -> Option<Map<String, Value>> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    match serde_json::from_str(&whole_characters(text.get(start..=end)?)) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    }
}

/// The text with half characters in escapes replaced, as JavaScript's parser would take them.
pub(super) fn whole_characters(text: &str) -> Cow<'_, str> {
    let half = |code: &str, from: u32, to: u32| {
        code.strip_prefix("\\u")
            .and_then(|it| u32::from_str_radix(it.get(..4)?, 16).ok())
            .is_some_and(|it| (from..=to).contains(&it))
    };
    if !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, after) = rest.split_at(at);
        mended.push_str(before);
        let second = after.get(6..).unwrap_or_default();
        let (taken, written) = if half(after, 0xd800, 0xdbff) && half(second, 0xdc00, 0xdfff) {
            (12, after.get(..12))
        } else if half(after, 0xd800, 0xdfff) {
            (6, Some("\\ufffd"))
        } else {
            let pair = after.chars().take(2).map(char::len_utf8).sum();
            (pair, after.get(..pair))
        };
        mended.push_str(written.unwrap_or_default());
        rest = after.get(taken..).unwrap_or_default();
    }
    mended.push_str(rest);
    Cow::Owned(mended)
}

#[cfg(test)]
mod tests {
    use super::{greedy, whole_characters};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_output_makes_the_search_panic(text in r#"[{}"\\a:\[\]0-9 u]{0,60}"#) {
            greedy(&text);
        }

        #[test]
        fn whole_characters_stay_as_they_are(text in ".{0,20}") {
            let json = serde_json::to_string(&text).unwrap_or_default();
            prop_assert_eq!(whole_characters(&json), json.as_str());
        }
    }

    #[test]
    fn an_object_is_found_in_prose_and_two_are_not_one() {
        assert!(greedy("log {\"a\":1} tail").is_some());
        assert!(greedy("{\"a\":1} {\"b\":2}").is_none());
        assert!(greedy("[1]").is_none());
    }

    #[test]
    fn half_a_character_is_mended() {
        let object = greedy(r#"{"a":"x\ud83d","b":"\udc00y","c":"\ud83d\ude00"}"#);
        let values: Vec<_> =
            object.iter().flat_map(|it| it.values()).filter_map(|it| it.as_str()).collect();
        assert_eq!(values, ["x\u{fffd}", "\u{fffd}y", "😀"]);
    }
}
