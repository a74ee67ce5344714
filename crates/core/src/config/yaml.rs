//! YAML 1.2 into the tree.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};

use super::tree::{Data, Entry, MAX_DEPTH, MAX_NODES, Node, Problems};
use crate::diagnostic::Code;

/// Every so many bytes of a text count as one more value, so that aliases cannot multiply a long one.
const COUNTS_AS_ONE: usize = 256;

/// Reads a text with exactly one document. An empty text is an empty value.
pub(super) fn parse(text: &str, problems: &mut Problems<'_>) -> Option<Node> {
    let events = Parser::new_from_str(text);
    let mut reader =
        Reader { events, problems, anchors: HashMap::new(), nodes: 0, end: text.len() };
    reader.document()
}

struct Reader<'p, 's, I> {
    events: I,
    problems: &'p mut Problems<'s>,
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    end: usize,
}

impl<'t, I: Iterator<Item = Result<(Event<'t>, Span), ScanError>>> Reader<'_, '_, I> {
    fn document(&mut self) -> Option<Node> {
        let mut document = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::DocumentStart(..) if document.is_some() => {
                    let hint = "put each hook into a file of its own";
                    self.problems.report_with_hint(
                        Code::MultiDoc,
                        &bytes(&span),
                        "a second document begins here",
                        hint,
                    );
                    return None;
                }
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => (),
                other => document = Some(self.node(other, &span, 0)?),
            }
        }
        let empty = Node { data: Data::Null, span: 0..0 };
        Some(document.unwrap_or(empty))
    }

    /// The next event; `None` after an error, which has then been reported.
    fn next(&mut self) -> Option<(Event<'t>, Span)> {
        loop {
            match self.events.next() {
                Some(Ok((Event::Anchor(..), _))) => (),
                Some(Ok(event)) => return Some(event),
                Some(Err(error)) => {
                    self.refuse(&error);
                    return None;
                }
                None => {
                    self.problems.report(
                        Code::Parse,
                        &(self.end..self.end),
                        "the text ends too early",
                    );
                    return None;
                }
            }
        }
    }

    fn refuse(&mut self, error: &ScanError) {
        let at = error.marker().byte_offset().unwrap_or(self.end);
        let mut message = error.info();
        let code = match &message {
            text if text.contains("nesting") || text.contains("recursion") => Code::Depth,
            text if text.contains("anchor") || text.contains("alias") => Code::Aliases,
            _ => Code::Parse,
        };
        if let Some(first) = message.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        self.problems.report(code, &(at..at), message);
    }

    fn node(&mut self, event: Event<'t>, span: &Span, depth: usize) -> Option<Node> {
        let before = self.nodes;
        self.count(1, span, depth)?;
        let (data, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.count(text.len() / COUNTS_AS_ONE, span, depth)?;
                (self.scalar(&text, style, tag.as_deref(), span), anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", span);
                (self.list(depth)?, anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", span);
                (self.map(depth)?, anchor)
            }
            Event::Alias(anchor) => return self.alias(anchor, span, depth),
            _ => {
                self.problems.report(Code::Parse, &bytes(span), "a value is expected here");
                return None;
            }
        };
        let node = Node { data, span: bytes(span) };
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), self.nodes - before));
        }
        Some(node)
    }

    fn count(&mut self, nodes: usize, span: &Span, depth: usize) -> Option<()> {
        self.nodes += nodes;
        if depth > MAX_DEPTH {
            self.problems.report(
                Code::Depth,
                &bytes(span),
                format!("nested deeper than {MAX_DEPTH} levels"),
            );
            return None;
        }
        if self.nodes > MAX_NODES {
            self.problems.report(
                Code::Count,
                &bytes(span),
                format!("more than {MAX_NODES} values"),
            );
            return None;
        }
        Some(())
    }

    fn alias(&mut self, anchor: usize, span: &Span, depth: usize) -> Option<Node> {
        let Some((node, size)) = self.anchors.get(&anchor) else {
            self.problems.report(
                Code::Aliases,
                &bytes(span),
                "the alias stands inside what it refers to",
            );
            return None;
        };
        // The place that counts for messages is where the alias stands.
        let (node, size) = (Node { data: node.data.clone(), span: bytes(span) }, *size);
        self.count(size, span, depth)?;
        Some(node)
    }

    fn list(&mut self, depth: usize) -> Option<Data> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Some(Data::List(items)),
                (event, span) => items.push(self.node(event, &span, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Option<Data> {
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let (event, key_span) = self.next()?;
            if event == Event::MappingEnd {
                self.problems.report_duplicate_keys(&entries);
                return Some(Data::Map(entries));
            }
            let key = if let Event::Scalar(text, ..) = event {
                text.into_owned()
            } else {
                self.problems.report(Code::Schema, &bytes(&key_span), "a key must be plain text");
                return None;
            };
            self.count(key.len() / COUNTS_AS_ONE, &key_span, depth)?;
            let (event, span) = self.next()?;
            let value = self.node(event, &span, depth + 1)?;
            entries.push(Entry { key, key_span: bytes(&key_span), value });
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: &Span) -> Data {
        let plain = style == ScalarStyle::Plain;
        match tag.map(|tag| (tag.core_suffix(), tag)) {
            None if plain => resolve(text),
            None | Some((Some("str"), _)) => Data::Text(text.to_owned()),
            Some((Some("int" | "float" | "bool" | "null"), _)) => resolve(text),
            Some((_, tag)) => {
                self.refuse_tag(tag, span);
                Data::Text(text.to_owned())
            }
        }
    }

    fn check_tag(&mut self, tag: Option<&Tag>, allowed: &str, span: &Span) {
        if let Some(tag) = tag.filter(|it| it.core_suffix() != Some(allowed)) {
            self.refuse_tag(tag, span);
        }
    }

    /// Reports a tag. What stands behind it is read on: it may say what the file was meant to guard.
    fn refuse_tag(&mut self, tag: &Tag, span: &Span) {
        let place = span.tag_span().map_or_else(|| bytes(span), |it| bytes(&it));
        self.problems.report_with_hint(
            Code::Tag,
            &place,
            format!("the tag `{}` is not allowed", tag.original()),
            "remove the tag",
        );
    }
}

fn bytes(span: &Span) -> Range<usize> {
    span.byte_range().unwrap_or_default()
}

/// The core schema of YAML 1.2: `yes`, `no` and `on` are text.
fn resolve(text: &str) -> Data {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Bool(true),
        "false" | "False" | "FALSE" => Data::Bool(false),
        _ if is_number(text) => Data::Number(text.to_owned()),
        _ => Data::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let based = |prefix, radix| {
        text.strip_prefix(prefix)
            .is_some_and(|it: &str| !it.is_empty() && it.chars().all(|c| c.is_digit(radix)))
    };
    let special =
        matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN");
    let starts = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let decimal = starts
        && digits.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c))
        && digits.parse::<f64>().is_ok();
    decimal || special || based("0x", 16) || based("0o", 8)
}
