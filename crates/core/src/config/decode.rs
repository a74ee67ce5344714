//! Walking the tree: what is there, what is missing, what nobody knows.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::tree::{Data, Entry, Node, Problems};
use crate::diagnostic::{Code, nearest};
use crate::dialect::Compat;
use crate::event::{CustomEvent, EventKind};

/// The fields of one mapping. Asking for a field makes it known; [`Fields::close`] reports the rest.
#[derive(Debug)]
pub(super) struct Fields<'n> {
    entries: &'n [Entry],
    span: Range<usize>,
    what: &'static str,
    known: Vec<&'static str>,
}

impl<'n> Fields<'n> {
    /// Opens a mapping; anything else is reported.
    pub(super) fn open(
        node: &'n Node,
        what: &'static str,
        problems: &mut Problems<'_>,
    ) -> Option<Self> {
        match &node.data {
            Data::Map(entries) => {
                let head =
                    entries.first().map_or_else(|| node.span.clone(), |it| it.key_span.clone());
                Some(Self { entries, span: head, what, known: Vec::new() })
            }
            Data::Null => {
                Some(Self { entries: &[], span: node.span.clone(), what, known: Vec::new() })
            }
            other => {
                let message = format!("{what} must be a mapping, not {}", other.what());
                problems.report(Code::Schema, &node.span, message);
                None
            }
        }
    }

    /// A field that may be missing.
    pub(super) fn optional(&mut self, key: &'static str) -> Option<&'n Node> {
        self.known.push(key);
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// A field that must be there.
    pub(super) fn required(
        &mut self,
        key: &'static str,
        problems: &mut Problems<'_>,
    ) -> Option<&'n Node> {
        let found = self.optional(key);
        if found.is_none() {
            problems.report(
                Code::Field,
                &self.span,
                format!("{} needs the field `{key}`", self.what),
            );
        }
        found
    }

    /// Reports every field that nobody asked for.
    pub(super) fn close(&self, problems: &mut Problems<'_>) {
        for entry in self.entries {
            let key = entry.key.as_str();
            if self.known.contains(&key) {
                continue;
            }
            let message = format!("{} has no field `{key}`", self.what);
            let hint = match nearest(key, self.known.iter().copied()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("it has: {}", list(&self.known)),
            };
            problems.report_with_hint(Code::UnknownField, &entry.key_span, message, hint);
        }
    }
}

/// A text that is not empty.
pub(super) fn text<'n>(node: &'n Node, what: &str, problems: &mut Problems<'_>) -> Option<&'n str> {
    match &node.data {
        Data::Text(text) if !text.trim().is_empty() => Some(text),
        Data::Text(_) | Data::Null => {
            problems.report(Code::Field, &node.span, format!("{what} must not be empty"));
            None
        }
        other => {
            let message = format!("{what} must be text, not {}", other.what());
            match other {
                Data::Number(_) | Data::Bool(_) => {
                    problems.report_with_hint(
                        Code::Schema,
                        &node.span,
                        message,
                        "put it in quotes",
                    );
                }
                Data::Null | Data::Text(_) | Data::List(_) | Data::Map(_) => {
                    problems.report(Code::Schema, &node.span, message);
                }
            }
            None
        }
    }
}

/// The items of a list.
pub(super) fn items<'n>(
    node: &'n Node,
    what: &str,
    problems: &mut Problems<'_>,
) -> Option<&'n [Node]> {
    match &node.data {
        Data::List(items) => Some(items),
        other => {
            problems.report(
                Code::Schema,
                &node.span,
                format!("{what} must be a list, not {}", other.what()),
            );
            None
        }
    }
}

/// The items of a list that must not be empty. In `safe` a single text is a list of one: the lints
/// tell, and it does not make the hook unusable.
pub(super) fn one_or_more<'n>(
    node: &'n Node,
    what: &str,
    compat: Compat,
    problems: &mut Problems<'_>,
) -> Option<&'n [Node]> {
    let nodes = match (&node.data, compat) {
        (Data::Text(_), Compat::Safe) => std::slice::from_ref(node),
        _ => items(node, what, problems)?,
    };
    if nodes.is_empty() {
        problems.report(Code::Field, &node.span, format!("{what} must not be empty"));
        return None;
    }
    Some(nodes)
}

/// The texts of a list; they may be empty.
pub(super) fn words(node: &Node, what: &str, problems: &mut Problems<'_>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    for item in items(node, what, problems)? {
        match &item.data {
            Data::Text(word) => words.push(word.clone()),
            other => {
                let message = format!("{what} must hold texts, not {}", other.what());
                problems.report_with_hint(Code::Schema, &item.span, message, "put it in quotes");
            }
        }
    }
    Some(words)
}

/// A whole number within bounds.
pub(super) fn integer(
    node: &Node,
    what: &str,
    bounds: RangeInclusive<i64>,
    problems: &mut Problems<'_>,
) -> Option<i64> {
    let number = match &node.data {
        Data::Number(text) => whole(text).filter(|it| bounds.contains(it)),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    };
    if number.is_none() {
        let message = format!("{what} must be a whole number");
        let hint = format!("from {} to {}", bounds.start(), bounds.end());
        problems.report_with_hint(Code::Schema, &node.span, message, hint);
    }
    number
}

/// A number without a fraction, also where it is written with one, such as `5.0`.
fn whole(text: &str) -> Option<i64> {
    let (number, fraction) = text.split_once('.').unwrap_or((text, ""));
    number.parse().ok().filter(|_| fraction.chars().all(|c| c == '0'))
}

/// True or false.
pub(super) fn boolean(node: &Node, what: &str, problems: &mut Problems<'_>) -> Option<bool> {
    if let Data::Bool(value) = node.data {
        return Some(value);
    }
    let message = format!("{what} must be `true` or `false`, not {}", node.data.what());
    problems.report(Code::Schema, &node.span, message);
    None
}

/// One of a few words, by the name each has.
pub(super) fn word<T: Copy>(
    node: &Node,
    what: &str,
    known: &[(&str, T)],
    problems: &mut Problems<'_>,
) -> Option<T> {
    let word = text(node, what, problems)?;
    let found = known.iter().find(|it| it.0 == word).map(|it| it.1);
    if found.is_none() {
        let names: Vec<&str> = known.iter().map(|it| it.0).collect();
        let hint = format!("one of {}", list(&names));
        problems.report_with_hint(
            Code::Schema,
            &node.span,
            format!("{what} cannot be `{word}`"),
            hint,
        );
    }
    found
}

/// A mapping from text to text.
pub(super) fn texts(
    node: &Node,
    what: &str,
    problems: &mut Problems<'_>,
) -> Option<Vec<(String, String, Range<usize>)>> {
    let Data::Map(entries) = &node.data else {
        problems.report(
            Code::Schema,
            &node.span,
            format!("{what} must be a mapping, not {}", node.data.what()),
        );
        return None;
    };
    let mut pairs = Vec::with_capacity(entries.len());
    for entry in entries {
        match &entry.value.data {
            Data::Text(value) => {
                pairs.push((entry.key.clone(), value.clone(), entry.key_span.clone()));
            }
            other => {
                let message = format!("`{}` must be text, not {}", entry.key, other.what());
                problems.report_with_hint(
                    Code::Schema,
                    &entry.value.span,
                    message,
                    "put it in quotes",
                );
            }
        }
    }
    Some(pairs)
}

/// Words in backticks, for hints.
pub(super) fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The kinds of event that a node names, alone or in a list, in the words of whatever system; none
/// where one of them is not known.
pub(super) fn kinds_named(node: &Node, custom: &[Arc<CustomEvent>]) -> Vec<EventKind> {
    let nodes = match &node.data {
        Data::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let custom = |name: &str| custom.iter().find(|it| it.name == name).map(Arc::clone);
    let kind = |node: &Node| match &node.data {
        Data::Text(name) => custom(name).map(EventKind::Custom).or_else(|| EventKind::named(name)),
        _ => None,
    };
    nodes.iter().map(kind).collect::<Option<_>>().unwrap_or_default()
}

/// The matcher of an entry that cannot be loaded, where it can be read.
pub(super) fn matcher_text(node: &Node) -> Option<&str> {
    let Data::Map(entries) = &node.data else { return None };
    match &entries.iter().find(|it| it.key == "matcher")?.value.data {
        Data::Text(text) => Some(text),
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::List(_) | Data::Map(_) => None,
    }
}
