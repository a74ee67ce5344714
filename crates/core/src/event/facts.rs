//! What is known about a kind of event, and how a row of the table is written.

use super::kind::Class;
use crate::decision::EffectKind;
use crate::dialect::Dialect;
use crate::patch::Scope;

/// Everything that is known about one kind of event.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    /// Its name in each dialect that has it.
    pub(super) names: &'static [(Dialect, &'static str)],
    /// What other clients call it.
    pub(super) also: &'static [&'static str],
    pub(super) subject: Subject,
    pub(super) class: Class,
    pub(super) block: Block,
    pub(super) can_stop: bool,
    pub(super) rewrites: &'static [Scope],
    pub(super) needs: &'static [&'static str],
}

/// The field that matchers are tried against.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) field: Option<&'static str>,
    /// The dialects in which the event has no subject all the same.
    pub(super) unknown_to: &'static [Dialect],
    /// Whether it is a path of which only the last part counts, as it is written.
    pub(super) is_file_name: bool,
}

/// What a block does, and for whom it does something else.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) effect: Option<EffectKind>,
    pub(super) except: &'static [Exception],
}

/// The first exception that fits decides.
#[derive(Debug)]
pub(super) struct Exception {
    pub(super) dialect: Dialect,
    /// A JSON pointer into the event and the text it must hold.
    pub(super) when: Option<(&'static str, &'static str)>,
    pub(super) effect: Option<EffectKind>,
}

pub(super) const fn event(name: &'static str, summary: &'static str) -> Facts {
    Facts {
        name,
        summary,
        names: &[],
        also: &[],
        subject: Subject { field: None, unknown_to: &[], is_file_name: false },
        class: Class::Observe,
        block: Block { effect: None, except: &[] },
        can_stop: true,
        rewrites: &[],
        needs: &[],
    }
}

impl Facts {
    pub(super) const fn names(self, names: &'static [(Dialect, &'static str)]) -> Self {
        Self { names, ..self }
    }
    pub(super) const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }
    pub(super) const fn subject(self, field: &'static str) -> Self {
        let subject = Subject { field: Some(field), unknown_to: &[], is_file_name: false };
        Self { subject, ..self }
    }
    pub(super) const fn by_file_name(self) -> Self {
        Self { subject: Subject { is_file_name: true, ..self.subject }, ..self }
    }
    pub(super) const fn subject_unknown_to(self, unknown_to: &'static [Dialect]) -> Self {
        Self { subject: Subject { unknown_to, ..self.subject }, ..self }
    }
    pub(super) const fn class(self, class: Class) -> Self {
        Self { class, ..self }
    }
    pub(super) const fn block(self, effect: EffectKind) -> Self {
        Self { block: Block { effect: Some(effect), except: &[] }, ..self }
    }
    pub(super) const fn except(self, except: &'static [Exception]) -> Self {
        Self { block: Block { except, ..self.block }, ..self }
    }
    pub(super) const fn over(self) -> Self {
        Self { can_stop: false, ..self }
    }
    pub(super) const fn rewrites(self, rewrites: &'static [Scope]) -> Self {
        Self { rewrites, ..self }
    }
    pub(super) const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }
}

pub(super) const fn not_in(dialect: Dialect) -> Exception {
    Exception { dialect, when: None, effect: None }
}

pub(super) const fn instead(dialect: Dialect, effect: EffectKind) -> Exception {
    Exception { dialect, when: None, effect: Some(effect) }
}
