//! Where trust meets what was read: what was approved counts, as long as it is what was approved.

use std::path::Path;
use std::sync::Arc;

use becket_core::config::{Loaded, Refused, unite};
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::dialect::Compat;
use becket_core::hook::{Disabled, HookSpec};
use becket_core::outcome::Note;
use becket_core::rules::RuleSpec;

use super::Engine;
use super::standing::{Allowed, Standing, of_switch};
use crate::permission::Permissions;
use crate::trust::{Admission, Grant, Look, Review, Ruling, Trust, needs_trust};

/// What trust made of what was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Trusted {
    /// What the project wants to grant, whether or not it counts.
    pub(super) grants: Vec<Grant>,
    /// What is wrong with whoever should know what was approved.
    pub(super) problem: Option<Diagnostic>,
    /// What every outcome says about it.
    pub(super) notes: Vec<Note>,
    /// What stands in for hooks that are not what was approved.
    pub(super) changed: Vec<Refused>,
}

impl Trusted {
    /// Whether the same is approved, gone and different.
    pub(super) fn stands_like(&self, other: &Self) -> bool {
        let changed = |it: &Self| {
            it.changed.iter().map(|it| (it.file.clone(), it.name.clone())).collect::<Vec<_>>()
        };
        self.problem == other.problem
            && self.notes == other.notes
            && changed(self) == changed(other)
    }
}

/// Who says what may count, and where from.
pub(super) struct Truster<'t> {
    pub(super) trust: Option<&'t Trust>,
    pub(super) workspace: &'t Path,
    pub(super) layers: &'t Standing,
    pub(super) look: Look<'t>,
}

impl Truster<'_> {
    /// Lets count what may count of what was read, and switches off what somebody switched off.
    ///
    /// `may` says whether an approved hook may run, as far as its own dialect is concerned.
    pub(super) fn settle(
        &self,
        loaded: &mut Loaded,
        permissions: &mut Permissions,
        may: impl Fn(&HookSpec) -> bool,
    ) -> Trusted {
        let mut grants = self.layers.grants(self.workspace);
        grants.extend(loaded.rules.iter().filter_map(Grant::of));
        grants.extend(loaded.switches.iter().map(|it| of_switch(*it, self.workspace)));
        let ruling = self
            .trust
            .map(|it| Ruling::new(it, self.workspace, (&loaded.specs, &grants), self.look));
        let (ruling, problem) = ruling.unzip();
        let (mut notes, mut changed) = (Vec::new(), Vec::new());
        if let Some(ruling) = &ruling {
            changed = self.lift(ruling, loaded, may);
            let present = loaded.specs.iter().filter(|it| needs_trust(it.layer));
            notes.extend(ruling.gone(present).iter().map(|it| gone(it)));
        }
        let allowed = Allowed { ruling: ruling.as_ref(), workspace: self.workspace };
        for spec in loaded.specs.iter_mut().filter(|it| it.disabled.is_none()) {
            spec.disabled = self.layers.off(spec.layer, &allowed);
        }
        loaded.switches.retain(|it| allowed.switch(*it));
        unite(&mut loaded.specs, &loaded.switches);
        self.layers.permit(permissions, &allowed);
        let (rules, withheld): (Vec<_>, Vec<_>) =
            std::mem::take(&mut loaded.rules).into_iter().partition(|it| allowed.rule(it));
        loaded.rules = rules;
        loaded.diagnostics.extend(needs_approval(&withheld));
        notes.extend(allowed.note(&grants));
        Trusted { grants, problem: problem.flatten(), notes, changed }
    }

    /// Lets hooks run that were approved. Where something else was approved, somebody is asked.
    fn lift(
        &self,
        ruling: &Ruling,
        loaded: &mut Loaded,
        may: impl Fn(&HookSpec) -> bool,
    ) -> Vec<Refused> {
        let mut others = Vec::new();
        let withheld = |disabled: &Option<Disabled>| *disabled == Some(Disabled::Untrusted);
        for spec in loaded.specs.iter_mut().filter(|it| withheld(&it.disabled)) {
            match ruling.hook(spec, self.look) {
                Admission::Granted if may(spec) => spec.disabled = None,
                Admission::Changed => others.push(changed(spec)),
                Admission::Granted | Admission::Unknown => (),
            }
        }
        // What was approved and cannot be read any more was a guard, perhaps.
        let broken = loaded.refused.iter_mut().filter(|it| withheld(&it.disabled));
        for refused in broken.filter(|it| ruling.knows_file(&it.file)) {
            refused.disabled = None;
        }
        others
    }
}

/// What stands in for a hook that is not what was approved.
fn changed(spec: &HookSpec) -> Refused {
    let message = format!("`{}` is not what was approved", spec.name);
    let why = Diagnostic {
        code: Code::Settings,
        message,
        origin: spec.origin.clone(),
        excerpt: None,
        hint: Some("`becket trust` shows what is different".to_owned()),
    };
    Refused {
        file: Arc::clone(&spec.origin.file),
        name: Some(spec.name.clone()),
        why,
        events: spec.events.clone(),
        matcher: spec.matcher.clone(),
        dialect: spec.dialect,
        // No original knows approvals, so none goes on without.
        compat: Compat::Safe,
        layer: spec.layer,
        disabled: None,
    }
}

/// Says once for each file that what it allows does not count.
fn needs_approval(withheld: &[RuleSpec]) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = Vec::new();
    for spec in withheld {
        if !told.iter().any(|it| it.origin.file == spec.origin.file) {
            let message = "a project's permissions count only when somebody has approved it";
            let found = Diagnostic::of_file(Code::GrantNeedsTrust, &spec.origin.file, message);
            let found = found.with_hint("`becket trust` shows and approves them");
            told.push(Diagnostic { origin: spec.origin.clone(), ..found });
        }
    }
    told
}

fn gone(key: &str) -> Note {
    let text = format!("the approved {key} is gone; `becket trust` forgets it");
    Note::General { code: "approved_gone", text }
}

impl Engine {
    /// What the workspace brings along, beside what was approved of it as this state folder remembers.
    pub fn review(&self, folder: Option<&Path>) -> Review {
        let configuration = self.configuration();
        let (read, rules) = (&configuration.read, configuration.registry.rules());
        Review::new(&self.workspace, folder, &read.specs, (&read.trusted.grants, rules.specs()))
    }

    /// Why nothing of the workspace is trusted, if whoever should know could not be asked.
    pub fn trust_problem(&self) -> Option<Diagnostic> {
        self.configuration().read.trusted.problem.clone()
    }
}
