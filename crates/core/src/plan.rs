//! Which hooks run for this event, in what order, and why the others do not.

use crate::dialect::Dialect;
use crate::event::{Event, EventKind};
use crate::hook::Hook;
use crate::outcome::Tally;
use crate::profile::{AfterBlock, Waves};
use crate::registry::{HookId, Matching, Registry};
use crate::skip::{MAX_MATCHING, Skip, held_back};

/// The work one event causes. Computing it runs nothing, so it can be shown.
#[derive(Debug)]
pub struct Plan<'r> {
    registry: &'r Registry,
    /// What is still to run, in configured order.
    ahead: Vec<HookId>,
    /// The subject each dialect saw when the plan was made.
    subjects: Vec<(Dialect, Option<String>)>,
    /// What matches beyond the number that may run.
    beyond: Vec<HookId>,
    /// How many match that nobody has approved.
    untrusted: usize,
    /// Those that can never match.
    dead: Vec<HookId>,
}

/// Plans one event.
pub fn plan<'r>(registry: &'r Registry, event: &Event) -> Plan<'r> {
    let Matching { hooks: matching, dead } = registry.matching(event);
    let untrusted = matching.iter().filter_map(|id| held_back(registry.hook(*id)?, event));
    let untrusted = untrusted.filter(|skip| *skip == Skip::Untrusted).count();
    let mut ahead = may_run(registry, event, matching);
    let beyond =
        if ahead.len() > MAX_MATCHING { ahead.split_off(MAX_MATCHING) } else { Vec::new() };
    Plan { registry, ahead, subjects: subjects(registry, event), beyond, untrusted, dead }
}

/// Those of the matching hooks that nothing holds back.
fn may_run(registry: &Registry, event: &Event, mut matching: Vec<HookId>) -> Vec<HookId> {
    matching.retain(|id| registry.hook(*id).is_some_and(|hook| held_back(hook, event).is_none()));
    matching
}

impl<'r> Plan<'r> {
    /// The waves as they stand now, each a list of hooks that run together.
    pub fn waves(&self) -> Vec<Vec<&'r Hook>> {
        let mut waves: Vec<Vec<&'r Hook>> = Vec::new();
        for hook in self.ahead.iter().filter_map(|id| self.registry.hook(*id)) {
            match waves.last_mut() {
                Some(wave) if twin(hook, wave.iter().copied()).is_some() => (),
                Some(wave) if wave.last().is_some_and(|last| together(last, hook)) => {
                    wave.push(hook);
                }
                Some(_) | None => waves.push(vec![hook]),
            }
        }
        waves
    }

    /// Why a hook that matches is left out all the same: it does what another one does.
    pub fn twin_of(&self, hook: &Hook) -> Option<Skip> {
        let waves = self.waves();
        let of = waves.iter().find_map(|wave| twin(hook, wave.iter().copied()))?;
        Some(Skip::Duplicate { of })
    }

    /// Whether nothing would run.
    pub fn is_empty(&self) -> bool {
        self.ahead.is_empty()
    }

    /// The next wave, judged on the event as it is by now; `None` when all is done.
    pub fn next(&mut self, tally: &mut Tally) -> Option<Vec<(HookId, &'r Hook)>> {
        tally.skip_beyond(&std::mem::take(&mut self.beyond));
        tally.note_untrusted(std::mem::take(&mut self.untrusted));
        tally.note_dead(&std::mem::take(&mut self.dead));
        self.judge_again(tally);
        let mut wave: Vec<(HookId, &'r Hook)> = Vec::new();
        while let Some(id) = self.ahead.first().copied() {
            let hook = self.registry.hook(id)?;
            let stops = hook.profile().after_block == AfterBlock::Stop;
            if let Some(by) = tally.blocker_of(hook).filter(|_| stops).map(str::to_owned) {
                self.ahead.remove(0);
                tally.skip(id, Skip::ShortCircuit { by });
                continue;
            }
            if wave.last().is_some_and(|(_, last)| !together(last, hook)) {
                break;
            }
            if let Some(of) = twin(hook, wave.iter().map(|it| it.1)) {
                self.ahead.remove(0);
                tally.skip(id, Skip::Duplicate { of });
                continue;
            }
            self.ahead.remove(0);
            wave.push((id, hook));
        }
        (!wave.is_empty()).then_some(wave)
    }

    /// A rewrite may have changed what later matchers look at.
    fn judge_again(&mut self, tally: &Tally) {
        let now = subjects(self.registry, tally.event());
        if now == self.subjects {
            return;
        }
        let last = tally.last_run();
        let fresh = |id: &HookId| {
            self.registry.hook(*id).is_some_and(|it| it.profile().matches_patched_event)
        };
        let mut ahead: Vec<HookId> = self.ahead.iter().copied().filter(|id| !fresh(id)).collect();
        let matching = self.registry.matching(tally.event()).hooks;
        let matching = may_run(self.registry, tally.event(), matching);
        ahead.extend(matching.into_iter().filter(|id| fresh(id) && Some(*id) > last));
        ahead.sort_unstable();
        ahead.dedup();
        self.ahead = ahead;
        self.subjects = now;
    }
}

/// The hook of a wave that does the same already, where a dialect runs such hooks once.
fn twin<'h>(hook: &Hook, mut wave: impl Iterator<Item = &'h Hook>) -> Option<String> {
    if !hook.profile().twins_run_once {
        return None;
    }
    wave.find(|it| it.spec().does_the_same(hook.spec())).map(|it| it.spec().place())
}

/// Whether two neighbours run at the same time: hooks of one dialect, whoever wrote them.
fn together(one: &Hook, other: &Hook) -> bool {
    let speaks = |hook: &Hook| (hook.spec().dialect, hook.spec().compat);
    let alike = speaks(one) == speaks(other) && one.spec().workspace == other.spec().workspace;
    one.profile().waves == Waves::Parallel && alike
}

fn subjects(registry: &Registry, event: &Event) -> Vec<(Dialect, Option<String>)> {
    let mut subjects: Vec<(Dialect, Option<String>)> = Vec::new();
    // A pattern may look at what a tool is called with, and hooks before it may rewrite that.
    if registry.reads_input(event.kind()) {
        subjects.push((Dialect::Becket, event.field("tool_input").map(ToString::to_string)));
    }
    // Else only a rewritten model request can change a subject.
    if *event.kind() != EventKind::PreModelCall {
        return subjects;
    }
    for (_, hook) in registry.hooks_for(event.kind()) {
        let dialect = hook.spec().dialect;
        if !subjects.iter().any(|it| it.0 == dialect) {
            subjects.push((dialect, event.subject_in(dialect).map(str::to_owned)));
        }
    }
    subjects
}
