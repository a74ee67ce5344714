//! All hooks in force: an immutable value, replaced as a whole.

mod index;

use std::collections::HashMap;
use std::sync::Arc;

use self::index::KindIndex;
pub(crate) use self::index::Matching;
use crate::config::Refused;
use crate::diagnostic::Diagnostic;
use crate::event::{Event, EventKind};
use crate::hook::{Hook, HookSpec};
use crate::rules::Rules;
use crate::tombstone::Tombstone;

/// The hooks in force.
#[derive(Debug, Default)]
pub struct Registry {
    hooks: Vec<Hook>,
    by_kind: HashMap<EventKind, KindIndex>,
    refused: Vec<Refused>,
    tombstones: Vec<Tombstone>,
    rules: Arc<Rules>,
    generation: u64,
}

/// The place of a hook in its registry. Ids are given in configured order.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct HookId(u32);

impl Registry {
    /// Puts hooks in force, strong layers first; within a layer by their order, else as given.
    ///
    /// `refused` are those that could not be loaded: every outcome says so, and where they may have
    /// guarded something a tombstone answers for them.
    pub fn new(mut specs: Vec<HookSpec>, refused: Vec<Refused>, generation: u64) -> Self {
        specs.sort_by_key(|spec| (spec.layer, spec.order));
        let hooks: Vec<Hook> = specs.into_iter().map(HookSpec::compile).collect();
        let mut by_kind: HashMap<EventKind, KindIndex> = HashMap::new();
        for (id, hook) in (0..).map(HookId).zip(&hooks) {
            for kind in &hook.spec().events {
                by_kind.entry(kind.clone()).or_default().push(id, hook.reads_input());
            }
        }
        let tombstones = refused.iter().filter_map(Tombstone::of).collect();
        Self { hooks, by_kind, refused, tombstones, rules: Arc::default(), generation }
    }

    /// The same with rules in force.
    #[must_use]
    pub fn with_rules(self, rules: Arc<Rules>) -> Self {
        Self { rules, ..self }
    }

    /// The rules in force.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Every hook, in configured order.
    pub fn hooks(&self) -> impl Iterator<Item = &Hook> {
        self.hooks.iter()
    }

    /// One hook.
    pub fn hook(&self, id: HookId) -> Option<&Hook> {
        self.hooks.get(id.0 as usize)
    }

    /// The hooks registered for a kind of event, in configured order.
    pub fn hooks_for(&self, kind: &EventKind) -> impl Iterator<Item = (HookId, &Hook)> {
        let ids = self.by_kind.get(kind).map_or(&[][..], KindIndex::ids);
        ids.iter().filter_map(|id| Some((*id, self.hook(*id)?)))
    }

    /// Those of them whose matcher matches, in configured order.
    pub(crate) fn matching(&self, event: &Event) -> Matching {
        self.by_kind
            .get(event.kind())
            .map_or_else(Matching::default, |index| index.matching(self, event))
    }

    /// Whether any hook of this kind of event is chosen by what a tool is called with.
    pub(crate) fn reads_input(&self, kind: &EventKind) -> bool {
        self.by_kind.get(kind).is_some_and(KindIndex::reads_input)
    }

    /// What could not be loaded.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// What stands in for what could not be loaded.
    pub fn tombstones(&self) -> &[Tombstone] {
        &self.tombstones
    }

    /// Which version of the configuration this is.
    pub fn generation(&self) -> u64 {
        self.generation
    }
}

impl From<Vec<HookSpec>> for Registry {
    fn from(specs: Vec<HookSpec>) -> Self {
        Self::new(specs, Vec::new(), 1)
    }
}

/// A short account of why hooks are missing, for notes.
pub(crate) fn why_refused(refused: &Refused) -> String {
    let Diagnostic { origin, message, .. } = &refused.why;
    match &refused.name {
        Some(name) => format!("hook `{name}` is not in force: {origin}: {message}"),
        None => format!("a hook file is not in force: {origin}: {message}"),
    }
}
