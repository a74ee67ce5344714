//! Where trust meets the hooks in force: what was approved runs, as long as it is what was approved.

use std::path::Path;
use std::sync::PoisonError;

use becket_core::diagnostic::Diagnostic;
use becket_core::hook::{Disabled, HookSpec};
use becket_core::registry::Registry;

use super::Engine;
use crate::trust::{Grant, Review, Ruling, Seal};

/// What is known about the trust in the hooks of an engine.
#[derive(Debug, Default)]
pub(super) struct Trusted {
    pub(super) ruling: Option<Ruling>,
    /// What project settings want to grant, whether or not it counts.
    pub(super) grants: Vec<Grant>,
    /// What is wrong with whoever should know what was approved.
    pub(super) problem: Option<Diagnostic>,
    /// Hooks that run because they were approved, by their place among the specs.
    pub(super) seals: Vec<(usize, Seal)>,
}

impl Trusted {
    /// Lets those hooks run that were approved, if nothing else speaks against it.
    pub(super) fn lift(&mut self, specs: &mut [HookSpec], may: impl Fn(&HookSpec) -> bool) {
        let Some(ruling) = &self.ruling else { return };
        for (at, spec) in specs.iter_mut().enumerate() {
            if spec.disabled != Some(Disabled::Untrusted) || !may(spec) {
                continue;
            }
            if let Some(seal) = ruling.seal(spec) {
                spec.disabled = None;
                self.seals.push((at, seal));
            }
        }
    }

    /// Holds back hooks whose files are not what was approved any more, and lets them run again when
    /// they are; whether anything is different now.
    fn look_again(&mut self, specs: &mut [HookSpec]) -> bool {
        let Some(ruling) = &self.ruling else { return false };
        let mut different = false;
        for (at, seal) in &mut self.seals {
            let Some(spec) = specs.get_mut(*at) else { continue };
            let held = spec.disabled == Some(Disabled::Untrusted);
            if ruling.holds(spec, seal) == held {
                spec.disabled = (!held).then_some(Disabled::Untrusted);
                different = true;
            }
        }
        different
    }
}

impl Engine {
    /// What the workspace brings along, beside what was approved of it as this state folder remembers.
    pub fn review(&self, folder: Option<&Path>) -> Review {
        let specs = self.specs.lock().unwrap_or_else(PoisonError::into_inner);
        let trusted = self.trusted.lock().unwrap_or_else(PoisonError::into_inner);
        let registry = self.snapshot();
        let rules = registry.rules().specs();
        Review::new(&self.workspace, folder, &specs, (&trusted.grants, rules))
    }

    /// Why nothing of the workspace is trusted, if whoever should know could not be asked.
    pub fn trust_problem(&self) -> Option<Diagnostic> {
        self.trusted.lock().unwrap_or_else(PoisonError::into_inner).problem.clone()
    }

    /// Looks whether the files of approved hooks are still what they were; a `stat` for each.
    pub(super) fn look_again(&self) {
        let mut trusted = self.trusted.lock().unwrap_or_else(PoisonError::into_inner);
        if trusted.seals.is_empty() {
            return;
        }
        let mut specs = self.specs.lock().unwrap_or_else(PoisonError::into_inner);
        if trusted.look_again(&mut specs) {
            self.put_in_force(&specs);
        }
    }

    /// Puts hooks in force, in place of those that are.
    pub(super) fn put_in_force(&self, specs: &[HookSpec]) {
        let mut registry = self.registry.write().unwrap_or_else(PoisonError::into_inner);
        let generation = registry.generation() + 1;
        let rules = std::sync::Arc::clone(registry.rules());
        let next = Registry::new(specs.to_vec(), self.refused.clone(), generation);
        *registry = std::sync::Arc::new(next.with_rules(rules));
    }
}
