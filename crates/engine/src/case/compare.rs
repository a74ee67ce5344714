//! Holding what came against what was expected.

use serde_json::Value;

/// Lists of which a case names only the members it cares about.
const OPEN_LISTS: [&str; 2] = ["hooks", "notes"];

/// One line per difference; none when everything stated is so.
pub(super) fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let mut found_wrong = Vec::new();
    compare(expected, found, "", &mut found_wrong);
    found_wrong
}

fn compare(expected: &Value, found: &Value, place: &str, wrong: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (key, value) in expected {
                let place = format!("{place}/{key}");
                match found.get(key) {
                    Some(Value::Array(members)) if OPEN_LISTS.contains(&key.as_str()) => {
                        contains(value, members, &place, wrong);
                    }
                    // A case says `null` for what must not be there.
                    None if value.is_null() => (),
                    found => compare(value, found.unwrap_or(&Value::Null), &place, wrong),
                }
            }
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            for (at, (expected, found)) in expected.iter().zip(found).enumerate() {
                compare(expected, found, &format!("{place}/{at}"), wrong);
            }
        }
        _ if expected == found => (),
        _ => {
            let place = if place.is_empty() { "/" } else { place };
            wrong.push(format!("{place} is {found}, expected {expected}"));
        }
    }
}

/// Each member named must be among those there are; an empty list means there are none.
fn contains(expected: &Value, members: &[Value], place: &str, wrong: &mut Vec<String>) {
    let named = expected.as_array().map_or(&[][..], Vec::as_slice);
    if named.is_empty() && !members.is_empty() {
        wrong.push(format!("{place} is {}, expected none", Value::from(members.to_vec())));
    }
    for one in named {
        if !members.iter().any(|member| differences(one, member).is_empty()) {
            wrong.push(format!("{place} has no {one}; it is {}", Value::from(members.to_vec())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::differences;
    use serde_json::json;

    #[test]
    fn what_is_not_stated_may_be_anything_and_what_is_stated_must_hold() {
        let found =
            json!({ "decision": "deny", "effects": [{ "kind": "deny_tool" }], "trace": "x" });
        assert!(differences(&json!({ "decision": "deny" }), &found).is_empty());
        assert_eq!(differences(&json!({ "decision": "pass" }), &found).len(), 1);
        assert_eq!(differences(&json!({ "effects": [] }), &found).len(), 1);
        assert_eq!(differences(&json!({ "missing": 1 }), &found).len(), 1);
    }

    #[test]
    fn notes_named_must_be_among_those_there_are() {
        let found = json!({ "notes": [{ "code": "a", "text": "t" }, { "code": "b" }] });
        assert!(differences(&json!({ "notes": [{ "code": "b" }] }), &found).is_empty());
        assert_eq!(differences(&json!({ "notes": [{ "code": "c" }] }), &found).len(), 1);
        assert_eq!(differences(&json!({ "notes": [] }), &found).len(), 1);
    }
}
