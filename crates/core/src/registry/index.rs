//! Finding the few hooks that match among thousands, without trying each.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use aho_corasick::{AhoCorasick, MatchKind};

use super::{HookId, Registry};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::matcher::Fit;

/// The hooks of one kind of event.
#[derive(Debug, Default)]
pub(super) struct KindIndex {
    ids: Vec<HookId>,
    reads_input: bool,
    used: AtomicBool,
    literals: OnceLock<Vec<LiteralIndex>>,
}

/// The hooks of one dialect, since dialects may look at different subjects.
#[derive(Debug)]
struct LiteralIndex {
    dialect: Dialect,
    automaton: Option<AhoCorasick>,
    /// Whose literal each pattern of the automaton is.
    owners: Vec<HookId>,
    /// Hooks that have to be tried one by one.
    others: Vec<HookId>,
}

/// What trying the matchers of one kind of event came to, in configured order.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    /// The hooks that match.
    pub(crate) hooks: Vec<HookId>,
    /// Those whose matcher is wrong, so that they never will.
    pub(crate) dead: Vec<HookId>,
}

/// Below this many hooks, trying each is faster than looking up.
const WORTH_AN_INDEX: usize = 24;

impl KindIndex {
    pub(super) fn push(&mut self, id: HookId, reads_input: bool) {
        self.ids.push(id);
        self.reads_input |= reads_input;
    }

    pub(super) fn reads_input(&self) -> bool {
        self.reads_input
    }

    pub(super) fn ids(&self) -> &[HookId] {
        &self.ids
    }

    /// The hooks whose matcher matches, in configured order.
    ///
    /// Building the automaton takes longer than one scan, so the first event scans: a
    /// process that fires a single event and ends never pays for an index.
    pub(super) fn matching(&self, registry: &Registry, event: &Event) -> Matching {
        let first = !self.used.swap(true, Ordering::Relaxed);
        if self.ids.len() < WORTH_AN_INDEX || (first && self.literals.get().is_none()) {
            let mut found = Matching::default();
            for id in &self.ids {
                found.try_hook(registry, *id, event);
            }
            return found;
        }
        let mut found = Matching::default();
        for index in self.literals.get_or_init(|| self.build(registry)) {
            index.collect(registry, event, &mut found);
        }
        found.hooks.sort_unstable();
        found.hooks.dedup();
        found
    }

    fn build(&self, registry: &Registry) -> Vec<LiteralIndex> {
        let mut indexes: Vec<LiteralIndex> = Vec::new();
        let mut literals: Vec<Vec<&str>> = Vec::new();
        for id in &self.ids {
            let Some(hook) = registry.hook(*id) else { continue };
            let dialect = hook.spec().dialect;
            let at = indexes.iter().position(|it| it.dialect == dialect).unwrap_or_else(|| {
                indexes.push(LiteralIndex {
                    dialect,
                    automaton: None,
                    owners: Vec::new(),
                    others: Vec::new(),
                });
                literals.push(Vec::new());
                indexes.len() - 1
            });
            let (Some(index), Some(literals)) = (indexes.get_mut(at), literals.get_mut(at)) else {
                continue;
            };
            match hook.matcher().literals() {
                Some(parts) => {
                    index.owners.extend(parts.iter().map(|_| *id));
                    literals.extend(parts.iter().map(String::as_str));
                }
                None => index.others.push(*id),
            }
        }
        for (index, literals) in indexes.iter_mut().zip(literals) {
            let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(literals);
            match automaton {
                Ok(automaton) => index.automaton = Some(automaton),
                // Too many or too long for an automaton: try them one by one.
                Err(_) => index.others.append(&mut index.owners),
            }
        }
        indexes
    }
}

impl LiteralIndex {
    fn collect(&self, registry: &Registry, event: &Event, found: &mut Matching) {
        let mut candidates = Vec::new();
        match (event.subject_in(self.dialect), &self.automaton) {
            (Some(subject), Some(automaton)) => {
                let owners = automaton.find_overlapping_iter(subject);
                candidates.extend(
                    owners.filter_map(|it| self.owners.get(it.pattern().as_usize()).copied()),
                );
            }
            // Without a subject the literals say nothing; the dialect decides.
            (None, _) | (_, None) => candidates.extend(&self.owners),
        }
        candidates.extend(&self.others);
        for id in candidates {
            found.try_hook(registry, id, event);
        }
    }
}

impl Matching {
    fn try_hook(&mut self, registry: &Registry, id: HookId, event: &Event) {
        let Some(hook) = registry.hook(id) else { return };
        match hook.fit(event) {
            Fit::Yes if hook.is_wanted(event) => self.hooks.push(id),
            Fit::Never(_) => self.dead.push(id),
            Fit::Yes | Fit::No => (),
        }
    }
}
