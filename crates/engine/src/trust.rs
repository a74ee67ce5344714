//! Which hooks and grants of a project may count: those whose content a person approved.
//!
//! What is approved is content, never a name or a place alone: the entry as read, every local file
//! it names, and the project it stands in. Approvals are kept outside of any project.

mod cover;
mod project;
mod record;
mod review;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::decision::Decision;
use becket_core::diagnostic::{Code, Diagnostic, Origin};
use becket_core::hook::{HookSpec, Layer};
use becket_core::rules::RuleSpec;
use serde_json::{Value, json};

use self::cover::Cover;
pub use self::cover::Covered;
pub(crate) use self::cover::Look;
pub use self::project::Project;
use self::record::Record;
pub use self::record::{Kept, KeptFile};
pub use self::review::{Item, Review, Standing};
use crate::digest::Digest;

/// Whether what a workspace brings along may count.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Trust {
    /// Hooks are registered and shown, and never run; rules may forbid, never allow.
    Withheld,
    /// The host has looked at it.
    Given,
    /// What a person approved counts, as the state folder (see [`state::folder`](crate::state::folder)) remembers.
    Stored(PathBuf),
    /// All of it counts if together it has this digest, else nothing.
    Exactly(Digest),
}

/// Something that loosens what an agent may do, beside hooks: an allow rule, or a setting that weakens.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// What it grants, in words of the configuration, such as `allow Bash(ls)`.
    pub text: String,
    /// Who wrote it.
    pub layer: Layer,
    /// Where it was written.
    pub origin: Origin,
}

impl Grant {
    /// What a rule grants, if it does.
    pub(crate) fn of(spec: &RuleSpec) -> Option<Self> {
        let text = format!("allow {}", spec.rule);
        (spec.decision == Decision::Allow).then(|| Self {
            text,
            layer: spec.layer,
            origin: spec.origin.clone(),
        })
    }

    fn content(&self) -> Value {
        json!({ "grant": self.text, "layer": self.layer.name() })
    }
}

/// Whether something stands in a project, so that it needs trust.
pub(crate) const fn needs_trust(layer: Layer) -> bool {
    match layer {
        Layer::Project | Layer::Local => true,
        Layer::Managed | Layer::CommandLine | Layer::Host | Layer::User => false,
    }
}

/// What a hook is; `None` where nobody can approve it.
fn hook_content(spec: &HookSpec, project: &Project, look: Look<'_>) -> Option<Digest> {
    let cover = Cover::of(spec, project, look);
    let content = content_of(&spec.content(), &spec.origin, &cover, project);
    cover.unfit.is_none().then_some(content)
}

/// What a hook is called in its project.
fn key_of(spec: &HookSpec, project: &Project) -> String {
    format!("{}{}", keys_in("hook", &spec.origin.file, project), spec.name)
}

/// What the keys of all hooks, or of all rules, begin with that stand in a file.
fn keys_in(kind: &str, file: &Path, project: &Project) -> String {
    format!("{kind} {} ", in_project(file, project).display())
}

/// What an entry is: its words, the file it stands in, and the files it names.
fn content_of(entry: &Value, origin: &Origin, cover: &Cover, project: &Project) -> Digest {
    let (entry, file) = (entry.to_string(), in_project(&origin.file, project));
    let files: Vec<&[u8]> = cover.files.iter().map(|it| it.digest.bytes()).collect();
    let own = [b"becket 1".as_slice(), file.as_os_str().as_encoded_bytes(), entry.as_bytes()];
    Digest::of(&[own.as_slice(), &files].concat())
}

/// A file of the project by its name there, by whatever way it was reached.
fn in_project(file: &Path, project: &Project) -> PathBuf {
    let real = std::fs::canonicalize(file);
    project.name_of(real.as_deref().unwrap_or(file))
}

/// The digest of everything together, whatever the order.
fn all_of(contents: impl Iterator<Item = Digest>) -> Digest {
    let mut contents: Vec<Digest> = contents.collect();
    contents.sort();
    contents.dedup();
    let parts: Vec<&[u8]> = contents.iter().map(Digest::bytes).collect();
    Digest::of(&[&[b"becket all".as_slice()], parts.as_slice()].concat())
}

/// Who decides about the content of one project, and what they decided.
#[derive(Debug)]
pub(crate) struct Ruling {
    project: Project,
    admits: Admits,
}

#[derive(Debug)]
enum Admits {
    Nothing,
    Everything,
    These(Record),
}

impl Ruling {
    /// What counts of these hooks and grants, and what is wrong with whoever should know.
    pub(crate) fn new(
        trust: &Trust,
        workspace: &Path,
        (specs, grants): (&[HookSpec], &[Grant]),
        look: Look<'_>,
    ) -> (Self, Option<Diagnostic>) {
        let project = Project::at(workspace);
        let (admits, problem) = match trust {
            Trust::Withheld => (Admits::Nothing, None),
            Trust::Given => (Admits::Everything, None),
            Trust::Stored(folder) => {
                look(&record::path_of(folder, &project));
                match Record::read(folder, &project) {
                    Ok(record) => (record.map_or(Admits::Nothing, Admits::These), None),
                    Err(problem) => (Admits::Nothing, Some(problem)),
                }
            }
            Trust::Exactly(wanted) => {
                let hooks = specs.iter().filter(|it| needs_trust(it.layer));
                let hooks = hooks.filter_map(|it| hook_content(it, &project, look));
                let grants = grants.iter().filter(|it| needs_trust(it.layer));
                let found = all_of(hooks.chain(grants.map(|it| grant_content(it, &project))));
                if found == *wanted {
                    (Admits::Everything, None)
                } else {
                    (Admits::Nothing, Some(differs(*wanted, found, &project)))
                }
            }
        };
        (Self { project, admits }, problem)
    }

    /// Whether a hook of the project may run.
    pub(crate) fn hook(&self, spec: &HookSpec, look: Look<'_>) -> Admission {
        let content = || hook_content(spec, &self.project, look);
        match &self.admits {
            Admits::Nothing => Admission::Unknown,
            Admits::Everything => content().map_or(Admission::Unknown, |_| Admission::Granted),
            Admits::These(record) => {
                if content().is_some_and(|it| record.approves(it, &self.project)) {
                    Admission::Granted
                } else if record.knows(&key_of(spec, &self.project)) {
                    Admission::Changed
                } else {
                    Admission::Unknown
                }
            }
        }
    }

    /// Whether something was approved that stands, or stood, in this file.
    pub(crate) fn knows_file(&self, file: &Path) -> bool {
        let keys = ["hook", "rule"].map(|kind| keys_in(kind, file, &self.project));
        let known = |it: &Kept| keys.iter().any(|begin| it.key.starts_with(begin));
        matches!(self.admits, Admits::Everything) || self.approved().any(known)
    }

    /// The hooks that were approved and are not among these.
    pub(crate) fn gone<'s>(&self, specs: impl Iterator<Item = &'s HookSpec>) -> Vec<String> {
        let there: Vec<String> = specs.map(|it| key_of(it, &self.project)).collect();
        let hooks = self.approved().filter(|it| it.key.starts_with("hook "));
        hooks.filter(|it| !there.contains(&it.key)).map(|it| it.key.clone()).collect()
    }

    fn approved(&self) -> impl Iterator<Item = &Kept> {
        let record = if let Admits::These(record) = &self.admits { Some(record) } else { None };
        record.into_iter().flat_map(|it| &it.items)
    }

    /// Whether a grant counts.
    pub(crate) fn admits(&self, grant: &Grant) -> bool {
        match &self.admits {
            Admits::Nothing => !needs_trust(grant.layer),
            Admits::Everything => true,
            Admits::These(record) => {
                let content = || grant_content(grant, &self.project);
                !needs_trust(grant.layer) || record.approves(content(), &self.project)
            }
        }
    }
}

/// Whether a hook of a project may run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Admission {
    /// It is what somebody approved.
    Granted,
    /// Something else was approved by its name.
    Changed,
    /// Nobody has approved anything like it.
    Unknown,
}

fn grant_content(grant: &Grant, project: &Project) -> Digest {
    content_of(&grant.content(), &grant.origin, &Cover::default(), project)
}

fn differs(wanted: Digest, found: Digest, project: &Project) -> Diagnostic {
    let message =
        format!("what this project brings along is {found}, not {wanted}: nothing of it counts");
    Diagnostic::of_file(Code::Settings, &Arc::new(project.root.clone()), message)
        .with_hint("`becket trust --json` shows what there is")
}
