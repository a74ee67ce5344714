//! JSON and JSONC into the tree.

use std::ops::Range;

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::tree::{Data, Entry, MAX_DEPTH, MAX_NODES, Node, Problems};
use crate::diagnostic::Code;

/// Whether comments and trailing commas may stand in a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Comments {
    Allowed,
    Refused,
}

/// Reads a text with exactly one value.
pub(super) fn parse(text: &str, comments: Comments, problems: &mut Problems<'_>) -> Option<Node> {
    let loose = comments == Comments::Allowed;
    let options = ParseOptions {
        allow_comments: loose,
        allow_trailing_commas: loose,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => parsed.value,
        Err(error) => {
            let code = match error.kind() {
                ParseErrorKind::NestingDepthExceeded => Code::Depth,
                _ => Code::Parse,
            };
            let range = error.range();
            problems.report(
                code,
                &(range.start..range.end),
                error.kind().to_string().to_lowercase(),
            );
            return None;
        }
    };
    let Some(value) = parsed else {
        problems.report(Code::Parse, &(0..0), "the file is empty");
        return None;
    };
    let mut nodes = 0;
    node(value, 0, &mut nodes, problems)
}

fn node(
    value: Value<'_>,
    depth: usize,
    nodes: &mut usize,
    problems: &mut Problems<'_>,
) -> Option<Node> {
    let span = range(&value);
    *nodes += 1;
    if depth > MAX_DEPTH {
        problems.report(Code::Depth, &span, format!("nested deeper than {MAX_DEPTH} levels"));
        return None;
    }
    if *nodes > MAX_NODES {
        problems.report(Code::Count, &span, format!("more than {MAX_NODES} values"));
        return None;
    }
    let data = match value {
        Value::NullKeyword(_) => Data::Null,
        Value::BooleanLit(literal) => Data::Bool(literal.value),
        Value::NumberLit(literal) => Data::Number(literal.value.to_owned()),
        Value::StringLit(literal) => Data::Text(literal.value.into_owned()),
        Value::Array(array) => {
            let mut items = Vec::with_capacity(array.elements.len());
            for element in array.elements {
                items.push(node(element, depth + 1, nodes, problems)?);
            }
            Data::List(items)
        }
        Value::Object(object) => {
            let mut entries = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let key_span = match &property.name {
                    ObjectPropName::String(literal) => literal.range.start..literal.range.end,
                    ObjectPropName::Word(literal) => literal.range.start..literal.range.end,
                };
                let key = property.name.into_string();
                entries.push(Entry {
                    key,
                    key_span,
                    value: node(property.value, depth + 1, nodes, problems)?,
                });
            }
            problems.report_duplicate_keys(&entries);
            Data::Map(entries)
        }
    };
    Some(Node { data, span })
}

fn range(value: &Value<'_>) -> Range<usize> {
    let range = value.range();
    range.start..range.end
}
