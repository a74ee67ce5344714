//! What a person answered with "always", kept outside the project it was said about.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_core::decision::Decision;
use becket_core::diagnostic::{Code, Diagnostic, Origin};
use becket_core::hook::Layer;
use becket_core::rule::Rule;
use becket_core::rules::RuleSpec;
use serde::{Deserialize, Serialize};

use crate::state;

/// The answers about one project.
#[derive(Debug)]
pub(crate) struct Answers {
    path: PathBuf,
}

#[derive(Debug, Default, Deserialize, Serialize)]
struct Written {
    /// The project, for whoever reads the file.
    project: PathBuf,
    allow: Vec<String>,
}

impl Answers {
    /// Those about a project, in a folder of ours.
    pub(crate) fn about(project: &Path, folder: &Path) -> Self {
        let name = format!("{}.json", state::name_for(project));
        Self { path: folder.join("answers").join(name) }
    }

    /// Where they are.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The rules they are, and what is wrong with the file.
    pub(crate) fn read(&self) -> (Vec<RuleSpec>, Vec<Diagnostic>) {
        let wrong = |message: String| {
            Diagnostic::of_file(Code::Settings, &Arc::new(self.path.clone()), message)
        };
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return (Vec::new(), Vec::new());
            }
            Err(error) => {
                return (
                    Vec::new(),
                    vec![wrong(format!("remembered answers cannot be read: {error}"))],
                );
            }
        };
        let written: Written = match serde_json::from_str(&text) {
            Ok(written) => written,
            Err(error) => {
                return (
                    Vec::new(),
                    vec![wrong(format!("remembered answers cannot be read: {error}"))],
                );
            }
        };
        let mut found = Vec::new();
        let specs = written.allow.iter().filter_map(|text| match Rule::parse(text) {
            Ok(rule) => Some(self.spec(rule)),
            Err(error) => {
                found.push(wrong(format!("a remembered answer is no rule: {error}")));
                None
            }
        });
        let specs = specs.collect();
        (specs, found)
    }

    /// Remembers one more.
    pub(crate) fn remember(&self, project: &Path, rule: &Rule) -> io::Result<RuleSpec> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let mut written: Written = serde_json::from_str(&text).unwrap_or_default();
        project.clone_into(&mut written.project);
        let text = rule.to_string();
        if !written.allow.contains(&text) {
            written.allow.push(text);
        }
        state::write(&self.path, &serde_json::to_vec_pretty(&written)?)?;
        Ok(self.spec(rule.clone()))
    }

    /// It is the person's own word, wherever it was said: it binds like their settings.
    fn spec(&self, rule: Rule) -> RuleSpec {
        let origin = Origin { file: Arc::new(self.path.clone()), ..Origin::default() };
        RuleSpec { rule, decision: Decision::Allow, reason: None, layer: Layer::User, origin }
    }
}
