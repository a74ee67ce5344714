//! The variables a command finds.

use std::ffi::{OsStr, OsString};

use becket_core::dialect::Compat;
use becket_core::hook::Template;
use becket_core::secret;

use super::super::Call;
use crate::port::SECRET_PREFIX;

/// How many hooks stand above a process.
pub(crate) const DEPTH: &str = "BECKET_DEPTH";

/// The whole environment of one command.
#[derive(Debug, Default)]
pub(super) struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// What it inherits, what its harness and dialect add, and what its hook says, later ones first in force.
    pub(super) fn new(call: Call<'_>, own: &[(String, Template)]) -> Result<Self, String> {
        let spec = call.hook.spec();
        let keeps = |name: &str, value: &str| match (&spec.inherits, spec.compat) {
            (Some(named), _) => named.iter().any(|it| it == name),
            (None, Compat::Exact) => true,
            (None, Compat::Safe) => !secret::looks_like(name, value),
        };
        let inherited = std::env::vars_os().filter(|(name, value)| {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            !name.starts_with(SECRET_PREFIX) && keeps(&name, &value)
        });
        let mut all = Self(inherited.collect());
        let variables = call.surroundings.lent.variables.iter().chain(&call.envelope.variables);
        variables.for_each(|(name, value)| all.set(name, value));
        let secrets = &call.surroundings.lent.secrets;
        for (name, value) in own {
            let value = value.resolve(|name| secrets.get(name)).map_err(|it| it.to_string())?;
            all.set(name, value);
        }
        all.set(DEPTH, (call.depth + 1).to_string());
        Ok(all)
    }

    pub(super) fn set(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) {
        let (name, value) = (name.as_ref(), value.as_ref().to_owned());
        match self.0.iter_mut().find(|it| it.0 == name) {
            Some(found) => found.1 = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.iter().find(|it| it.0 == name).map(|it| it.1.as_os_str())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter().map(|(name, value)| (name, value))
    }
}
