//! The spanned tree: no text makes it panic, and what it says about places is true.

use std::path::PathBuf;
use std::sync::Arc;

use becket_core::config::File;
use becket_core::config::tree::{Data, Format, Node, Source, parse};
use proptest::prelude::*;
use serde_json::{Map, Value};

fn read(text: &str, format: Format) -> Result<(Source, Node), Vec<String>> {
    let file = File { path: Arc::new(PathBuf::from("f")), bytes: text.as_bytes().to_vec() };
    parse(&file, format).map_err(|found| found.iter().map(|it| it.code.name().to_owned()).collect())
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        r#"[a-z \\"'#:\-\[\]{}é😀\n\t]{0,12}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn json_is_read_the_same_by_all_three_readers(value in any_json()) {
        let text = value.to_string();
        for format in [Format::Json, Format::Jsonc, Format::Yaml] {
            let (_, node) = read(&text, format).unwrap();
            prop_assert_eq!(node.to_json(), value.clone(), "{:?}", format);
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in r##"[\-:{}\[\],&*!|>'"#\n a-z0-9%@\\]{0,80}"##) {
        for format in [Format::Json, Format::Jsonc, Format::Yaml] {
            if let Err(found) = read(&text, format) {
                prop_assert!(!found.is_empty(), "refused without a word: {text:?}");
            }
        }
    }

    #[test]
    fn the_place_of_a_text_is_where_it_stands(words in prop::collection::vec("[a-zé😀]{1,8}", 1..8)) {
        let yaml: String = words.iter().enumerate().fold(String::new(), |text, (at, word)| text + &format!("k{at}: {word}x\n"));
        let (source, node) = read(&yaml, Format::Yaml).unwrap();
        let Data::Map(entries) = &node.data else { return Err(TestCaseError::fail("not a mapping")) };
        for (at, (entry, word)) in entries.iter().zip(&words).enumerate() {
            let written = format!("{word}x");
            prop_assert_eq!(source.text.get(entry.value.span.clone()), Some(written.as_str()));
            let origin = source.origin(&entry.value.span);
            prop_assert_eq!((origin.line, origin.column), (at + 1, format!("k{at}: ").chars().count() + 1));
            prop_assert_eq!(origin.length, word.chars().count() + 1);
        }
    }
}

#[test]
fn comments_and_trailing_commas_are_for_jsonc_only() {
    let text = "{ // a comment\n \"a\": 1, }";
    assert!(read(text, Format::Jsonc).is_ok());
    assert_eq!(read(text, Format::Json).unwrap_err(), ["E_PARSE"]);
}

#[test]
fn every_duplicate_key_is_found_not_only_the_first() {
    let found = read("a: 1\na: 2\nb: { c: 1, c: 2 }\na: 3\n", Format::Yaml).unwrap_err();
    assert_eq!(found, ["E_DUP_KEY", "E_DUP_KEY", "E_DUP_KEY"]);
    assert_eq!(read(r#"{"a":1,"a":2}"#, Format::Json).unwrap_err(), ["E_DUP_KEY"]);
}

#[test]
fn aliases_are_written_out_and_counted() {
    let (_, node) = read("a: &x [1, 2]\nb: *x\n", Format::Yaml).unwrap();
    assert_eq!(node.to_json(), serde_json::json!({ "a": [1, 2], "b": [1, 2] }));
}

#[test]
fn a_byte_order_mark_is_not_content() {
    let (_, node) = read("\u{feff}a: 1\n", Format::Yaml).unwrap();
    assert_eq!(node.to_json(), serde_json::json!({ "a": 1 }));
}
