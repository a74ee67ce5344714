//! What a project brings along, beside what was approved of it: for people to look at.

use std::path::Path;

use becket_core::decision::Decision;
use becket_core::diagnostic::{Diagnostic, Origin};
use becket_core::hook::HookSpec;
use becket_core::rules::RuleSpec;
use serde_json::{Value, json};

use super::cover::{Cover, Covered};
use super::project::Project;
use super::record::{Kept, Record, without_values};
use super::{Grant, all_of, content_of, key_of, keys_in, needs_trust};
use crate::digest::Digest;

/// Everything that a project brings along.
#[derive(Debug)]
pub struct Review {
    /// The project.
    pub project: Project,
    /// Its hooks and rules.
    pub items: Vec<Item>,
    /// What was approved and is not there any more.
    pub gone: Vec<Kept>,
    /// The digest of all that needs approval, wherever the project lies.
    pub digest: Digest,
    /// What is wrong with the approvals; if something is, nothing is approved.
    pub problem: Option<Diagnostic>,
    /// When something was approved last, in milliseconds since 1970.
    pub approved_at_ms: Option<u64>,
}

/// A hook or a rule of a project.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is called in its project.
    pub key: String,
    /// What it says: of a hook everything, of a rule its text.
    pub entry: Value,
    /// Where it was written.
    pub origin: Origin,
    /// The files it names.
    pub files: Vec<Covered>,
    /// What it depends on and an approval does not cover, each as a fragment.
    pub beyond: Vec<String>,
    /// How it stands.
    pub standing: Standing,
    pub(super) content: Digest,
}

/// How something of a project stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// A person approved exactly this.
    Approved,
    /// It can only forbid, so it counts anyway.
    Tightens,
    /// Nobody has looked at it.
    New,
    /// It is not what was approved.
    Changed(Box<Kept>),
    /// It cannot be approved.
    Unfit(String),
}

impl Standing {
    /// The word for it in output.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Tightens => "tightens",
            Self::New => "new",
            Self::Changed(_) => "changed",
            Self::Unfit(_) => "unfit",
        }
    }
}

impl Item {
    /// Whether approving it is possible, and makes a difference.
    pub fn can_be_approved(&self) -> bool {
        !matches!(self.standing, Standing::Tightens | Standing::Unfit(_))
    }

    /// Whether somebody has to look at it.
    pub fn is_pending(&self) -> bool {
        !matches!(self.standing, Standing::Approved | Standing::Tightens)
    }

    /// What it says, in the form that is kept: the values of variables and headers are digests.
    pub fn kept_entry(&self) -> Value {
        without_values(&self.entry)
    }

    fn hook(spec: &HookSpec, project: &Project) -> Self {
        let cover = Cover::of(spec, project, &|_| ());
        let entry = spec.content();
        let content = content_of(&entry, &spec.origin, &cover, project);
        Self {
            key: key_of(spec, project),
            entry,
            origin: spec.origin.clone(),
            files: cover.files,
            beyond: cover.beyond,
            standing: cover.unfit.map_or(Standing::New, Standing::Unfit),
            content,
        }
    }

    fn grant(grant: &Grant, project: &Project) -> Self {
        let entry = grant.content();
        let content = content_of(&entry, &grant.origin, &Cover::default(), project);
        let key = format!("{}{}", keys_in("rule", &grant.origin.file, project), grant.text);
        Self::plain(key, entry, &grant.origin, (Standing::New, content))
    }

    /// A rule that forbids or asks.
    fn objection(spec: &RuleSpec) -> Self {
        let text = format!("{} {}", spec.decision.name(), spec.rule);
        let entry = json!({ "rule": text, "layer": spec.layer.name() });
        Self::plain(text, entry, &spec.origin, (Standing::Tightens, Digest::of(&[])))
    }

    fn plain(key: String, entry: Value, origin: &Origin, state: (Standing, Digest)) -> Self {
        let (standing, content) = state;
        let origin = origin.clone();
        Self { key, entry, origin, files: Vec::new(), beyond: Vec::new(), standing, content }
    }
}

impl Review {
    /// Looks at what a workspace brings along; others' hooks and rules are passed over.
    pub(crate) fn new(
        workspace: &Path,
        folder: Option<&Path>,
        specs: &[HookSpec],
        (grants, rules): (&[Grant], &[RuleSpec]),
    ) -> Self {
        let project = Project::at(workspace);
        let hooks = specs.iter().filter(|it| needs_trust(it.layer));
        let hooks = hooks.map(|it| Item::hook(it, &project));
        let grants = grants.iter().filter(|it| needs_trust(it.layer));
        let grants = grants.map(|it| Item::grant(it, &project));
        let objects = |it: &&RuleSpec| needs_trust(it.layer) && it.decision > Decision::Allow;
        let objections = rules.iter().filter(objects).map(Item::objection);
        let mut items: Vec<Item> = hooks.chain(grants).chain(objections).collect();
        let wanting = items.iter().filter(|it| it.can_be_approved());
        let digest = all_of(wanting.map(|it| it.content));
        let (record, problem) = match folder.map(|it| Record::read(it, &project)) {
            None => (None, None),
            Some(Ok(record)) => (record, None),
            Some(Err(problem)) => (None, Some(problem)),
        };
        let approved_at_ms = record.as_ref().map(|it| it.at_ms);
        let gone = record.map(|it| compare(&mut items, &it, &project)).unwrap_or_default();
        Self { project, items, gone, digest, problem, approved_at_ms }
    }

    /// What somebody has to look at.
    pub fn pending(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|it| it.is_pending())
    }

    /// Keeps that a person has seen all of this and approved what can be approved.
    pub fn approve(&self, folder: &Path) -> Result<(), String> {
        Record::write(folder, &self.project, &self.items)
    }

    /// Forgets what was approved in the project of a workspace; `false` when nothing was.
    pub fn forget(workspace: &Path, folder: &Path) -> std::io::Result<bool> {
        Record::remove(folder, &Project::at(workspace))
    }
}

/// Says of each item how it stands, and returns what is gone.
fn compare(items: &mut [Item], record: &Record, project: &Project) -> Vec<Kept> {
    let mut left = record.items.clone();
    for item in items.iter_mut().filter(|it| it.standing == Standing::New) {
        if record.approves(item.content, project) {
            item.standing = Standing::Approved;
            left.retain(|it| it.key != item.key);
        }
    }
    for item in items.iter_mut().filter(|it| it.standing == Standing::New) {
        if let Some(at) = left.iter().position(|it| it.key == item.key) {
            item.standing = Standing::Changed(Box::new(left.remove(at)));
        }
    }
    left
}
