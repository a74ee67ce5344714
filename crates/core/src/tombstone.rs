//! What stands where a hook could not be loaded: nobody knows what it would have said, so somebody
//! is asked.

use crate::config::Refused;
use crate::decision::Decision;
use crate::dialect::Compat;
use crate::event::{Class, Event, EventKind};
use crate::hook::{Layer, fit};
use crate::matcher::{Fit, Matcher};
use crate::profile::Profile;

/// The place of a hook that could not be loaded.
#[derive(Debug)]
pub struct Tombstone {
    refused: Refused,
    matcher: Matcher,
}

impl Tombstone {
    /// What stands in for a hook that was refused.
    ///
    /// Nothing does where the original goes on without it, and where it could not have run anyway:
    /// nobody has approved it, or somebody switched it off.
    pub(crate) fn of(refused: &Refused) -> Option<Self> {
        if refused.compat == Compat::Exact || refused.disabled.is_some() {
            return None;
        }
        let language = Profile::of(refused.dialect, refused.compat).matcher;
        let matcher = refused.matcher.as_deref();
        let matcher = matcher.map_or(Matcher::any(), |text| Matcher::new(language, text));
        Some(Self { refused: refused.clone(), matcher })
    }

    /// What could not be loaded, and why.
    pub fn refused(&self) -> &Refused {
        &self.refused
    }

    /// What it is called: the hook's name, else the file's.
    pub fn name(&self) -> String {
        let file = || self.refused.file.file_name().unwrap_or(self.refused.file.as_os_str());
        let name = self.refused.name.clone();
        name.unwrap_or_else(|| file().to_string_lossy().into_owned())
    }

    /// What it answers: at the gates that the hook guarded, as far as that could be read.
    pub fn answer(&self, event: &Event) -> Option<Decision> {
        let Refused { dialect, compat, layer, .. } = self.refused;
        let fits = || fit(&self.matcher, dialect, Profile::of(dialect, compat), event) != Fit::No;
        let stands = self.guards(event.kind()) && event.block_in(dialect).is_some() && fits();
        stands.then_some(if layer == Layer::Managed { Decision::Deny } else { Decision::Ask })
    }

    /// Whether the hook may have been there to refuse this kind of event.
    fn guards(&self, kind: &EventKind) -> bool {
        let known =
            matches!(kind, EventKind::Custom(_)) || kind.name_in(self.refused.dialect).is_some();
        match kind.class() {
            Class::Gate => {
                known && (self.refused.events.is_empty() || self.refused.events.contains(kind))
            }
            // What is about to be sent is held up only for a hook that certainly wanted to see it.
            Class::Mutate => known && self.refused.events.contains(kind),
            Class::Loop | Class::Observe | Class::Farewell => false,
        }
    }

    /// Why it answers, and what to do about it.
    pub fn reason(&self) -> String {
        let why = &self.refused.why;
        let what = match &self.refused.name {
            Some(name) => format!("hook `{name}` could not be loaded"),
            None => "a hook file could not be loaded".to_owned(),
        };
        let hint = why.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        format!(
            "{what}, and nobody knows what it would have said: {}: {}{hint}",
            why.origin, why.message
        )
    }
}
