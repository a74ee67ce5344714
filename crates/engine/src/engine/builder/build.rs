//! Putting what was read in force.

use std::sync::{Arc, RwLock};

use becket_core::event::Scene;

use super::super::Engine;
use super::super::reload::{Configuration, Due, Reloader};
use super::Builder;
use crate::archive::{Archive, Cache};
use crate::journal::Journal;
use crate::permission::Answers;

impl Builder {
    /// Reads everything and puts it in force.
    ///
    /// What is wrong is in [`Engine::diagnostics`]; the rest works.
    pub fn build(mut self) -> Engine {
        self.workspace =
            std::path::absolute(&self.workspace).unwrap_or_else(|_| self.workspace.clone());
        let workspace = Arc::new(self.workspace.clone());
        let archive = Archive::with_cache(self.cache.as_deref().map(Cache::below));
        self.provide(&archive);
        let read = self.read(&archive, None, Due::at_start());
        Engine {
            diagnostics: read.diagnostics.clone(),
            fatal: read.fatal,
            configuration: RwLock::new(Arc::new(Configuration::first(read))),
            reloader: Reloader::new(archive),
            surroundings: Arc::new(self.surroundings()),
            background: crate::run::Background::default(),
            journal: self.journal.clone().map(|folder| {
                folder.and_then(|folder| Journal::open(&folder).map_err(|error| error.to_string()))
            }),
            person: self.lent.person.clone(),
            answers: self.remembered(),
            scene: Scene { root: Arc::clone(&workspace), terrain: Arc::clone(&self.terrain) },
            workspace,
            headless: self.headless,
            strict: self.strict,
            sources: self,
        }
    }

    /// The answers that are remembered about the workspace.
    pub(in crate::engine) fn remembered(&self) -> Option<Answers> {
        Some(Answers::about(&self.workspace, self.answers.as_ref()?))
    }
}
