//! Finding the JSON object in what a hook printed.

use serde_json::{Map, Value};

/// The most places at which an object is looked for in noise.
const MAX_ATTEMPTS: usize = 64;

/// The object from the first `{` to the last `}`, as the original finds it.
pub(super) fn greedy(text: &str) -> Option<Map<String, Value>> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    match serde_json::from_str(text.get(start..=end)?) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    }
}

/// Every object that stands by itself somewhere in a text.
pub(super) fn scattered(text: &str) -> Vec<Map<String, Value>> {
    let mut found = Vec::new();
    let mut rest = text;
    for _ in 0..MAX_ATTEMPTS {
        let Some(tail) = rest.find('{').and_then(|at| rest.get(at..)) else { break };
        let mut stream = serde_json::Deserializer::from_str(tail).into_iter::<Value>();
        let next = match stream.next() {
            Some(Ok(Value::Object(object))) => {
                found.push(object);
                stream.byte_offset()
            }
            Some(Ok(_) | Err(_)) | None => 1,
        };
        rest = tail.get(next..).unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{greedy, scattered};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_output_makes_the_search_panic(text in r#"[{}"\\a:\[\]0-9 ]{0,60}"#) {
            greedy(&text);
            scattered(&text);
        }
    }

    #[test]
    fn an_object_is_found_in_prose_and_two_are_not_one() {
        assert!(greedy("log {\"a\":1} tail").is_some());
        assert!(greedy("{\"a\":1} {\"b\":2}").is_none());
        assert_eq!(scattered("{\"a\":1} {\"b\":2}").len(), 2);
        assert!(greedy("[1]").is_none());
    }
}
