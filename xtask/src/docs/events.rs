//! The page of events.

use std::cell::RefCell;

use becket_core::dialect::Dialect;
use becket_core::event::EventKind;
use becket_core::patch::Scope;

use super::markdown::{self, code, codes, section};

/// The dialects that give events names of their own.
fn foreign() -> impl Iterator<Item = Dialect> {
    Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Becket)
}

pub(super) fn page() -> String {
    let intro = "An agent fires these events, in the order in which a session meets them. Any of an \
event's names is understood wherever becket asks for one; case and separators do not matter. \
`.becket/settings.yaml` may declare more.";
    markdown::page("Events", "`crates/core/src/event/table.rs`", intro)
        + &moments()
        + &names()
        + &blocks()
}

fn moments() -> String {
    let row = |kind: &EventKind| {
        vec![
            code(kind.name()),
            kind.summary().to_owned(),
            subject(kind),
            codes(kind.rewrites().iter().copied().map(Scope::field)),
            codes(kind.needs().iter().copied()),
        ]
    };
    let header = ["event", "when", "matchers look at", "hooks may rewrite", "needs"];
    let intro = "A matcher is tried on the field named here; where there is none, a hook fires whatever \
its matcher says, unless its dialect knows better. What a hook may rewrite it may rewrite only if \
it declares the capability, in the dialects that have capabilities.";
    section("What happens", intro, &header, &rows(row))
}

fn names() -> String {
    let header: Vec<&str> =
        ["event"].into_iter().chain(foreign().map(Dialect::name)).chain(["also"]).collect();
    let row = |kind: &EventKind| {
        let theirs: Vec<&str> = foreign().filter_map(|dialect| kind.name_in(dialect)).collect();
        let also = kind.aliases().filter(|alias| !theirs.contains(alias));
        let mut cells = vec![code(kind.name())];
        cells.extend(foreign().map(|dialect| code(kind.name_in(dialect).unwrap_or_default())));
        cells.push(codes(also));
        cells
    };
    let intro = "What each system calls it; a gap means that the system does not have it. The last column \
is what other clients say.";
    section("Names", intro, &header, &rows(row))
}

fn blocks() -> String {
    let header: Vec<&str> = ["event"].into_iter().chain(Dialect::ALL.map(Dialect::name)).collect();
    let row = |kind: &EventKind| {
        let mut cells = vec![code(kind.name())];
        cells.extend(Dialect::ALL.map(|dialect| block(kind, dialect)));
        cells
    };
    let mut rows = rows(row);
    rows.retain(|row| row.iter().skip(1).any(|cell| !cell.is_empty() && cell != "nothing"));
    let intro = "The [effect](effects.md) of a hook that refuses, by the rules of the dialect it is written \
in. Events that no hook can block are left out.";
    section("What a block does", intro, &header, &rows)
}

fn rows(row: impl Fn(&EventKind) -> Vec<String>) -> Vec<Vec<String>> {
    EventKind::KNOWN.iter().map(row).collect()
}

fn subject(kind: &EventKind) -> String {
    let Some(field) = kind.subject_in(Dialect::Becket) else { return String::new() };
    let without: Vec<&str> = foreign()
        .filter(|dialect| kind.name_in(*dialect).is_some() && kind.subject_in(*dialect).is_none())
        .map(Dialect::name)
        .collect();
    let except = if without.is_empty() { "" } else { &format!(" (not in {})", codes(without)) };
    format!("{}{except}", code(field))
}

fn block(kind: &EventKind, dialect: Dialect) -> String {
    if kind.name_in(dialect).is_none() {
        return String::new();
    }
    // Asking shows on which fields of the event the answer depends.
    let asked = RefCell::new(Vec::new());
    let effect = kind.block_in(dialect, |pointer| {
        asked.borrow_mut().push(pointer.to_owned());
        None
    });
    let effect = effect.map_or("nothing".to_owned(), |effect| code(effect.name()));
    match asked.into_inner().as_slice() {
        [] => effect,
        fields => {
            format!("{effect}, unless {} says otherwise", codes(fields.iter().map(String::as_str)))
        }
    }
}
