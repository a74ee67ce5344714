//! What is left of a hook that could not be loaded.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Code, Compat, Diagnostic, Dialect, Disabled, EventKind, HookSpec, Layer, Place};

/// A hook that could not be loaded, with what could be read of it.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The file it stands in.
    pub file: Arc<PathBuf>,
    /// Its name, where it could be read.
    pub name: Option<String>,
    /// The first reason.
    pub why: Diagnostic,
    /// The events it was written for; none where that could not be read: it may have been any.
    pub events: Vec<EventKind>,
    /// Its matcher, where it could be read.
    pub matcher: Option<String>,
    /// The dialect it is written in.
    pub dialect: Dialect,
    /// Whose behaviour to follow.
    pub compat: Compat,
    /// Who wrote it.
    pub layer: Layer,
    /// Why it would not have run even if it had been loaded.
    pub disabled: Option<Disabled>,
}

impl Place {
    /// A hook of this place, or a whole file of it, that cannot be loaded.
    pub fn refused(
        &self,
        file: &Arc<PathBuf>,
        name: Option<String>,
        found: &[Diagnostic],
    ) -> Refused {
        let unknown = || Diagnostic::of_file(Code::Parse, file, "the file cannot be read");
        let worst = found.iter().find(|it| it.is_error()).or_else(|| found.first());
        Refused {
            file: Arc::clone(file),
            name,
            why: worst.cloned().unwrap_or_else(unknown),
            events: Vec::new(),
            matcher: None,
            dialect: self.dialect,
            compat: self.compat,
            layer: self.layer,
            disabled: self.disabled.clone(),
        }
    }
}

impl Refused {
    /// The same, with what it was written for as far as that could be read.
    #[must_use]
    pub fn about(self, events: Vec<EventKind>, matcher: Option<&str>) -> Self {
        Self { events, matcher: matcher.map(str::to_owned), ..self }
    }

    /// A hook that could be read and must not run all the same.
    #[must_use]
    pub fn instead_of(hook: HookSpec, why: Diagnostic) -> Self {
        Self {
            file: hook.origin.file,
            name: Some(hook.name),
            why,
            events: hook.events,
            matcher: hook.matcher,
            dialect: hook.dialect,
            compat: hook.compat,
            layer: hook.layer,
            disabled: hook.disabled,
        }
    }
}
