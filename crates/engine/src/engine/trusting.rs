//! Where trust meets what was read: what was approved counts, as long as it is what was approved.

use std::path::Path;
use std::sync::Arc;

use becket_core::config::{Loaded, Refused};
use becket_core::diagnostic::{Code, Diagnostic};
use becket_core::dialect::Compat;
use becket_core::hook::{Disabled, HookSpec};
use becket_core::outcome::Note;

use super::Engine;
use super::standing::{Allowed, Standing};
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
        self.layers.permit(permissions, &allowed);
        loaded.rules.retain(|it| allowed.rule(it));
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
