//! What happened in the agent: one [`Event`] per occurrence.

mod facts;
mod kind;
mod payload;
mod table;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::patch::Scope;
use crate::shell::Analysis;
use crate::world::{Flat, Terrain};

pub use self::kind::{Class, CustomEvent, EventKind};
pub(crate) use self::payload::strict_json;
pub use self::payload::{MAX_PAYLOAD, PayloadError, parse_payload};

/// One occurrence in the life of an agent, with the data hooks may see.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    kind: EventKind,
    fields: Map<String, Value>,
    moment: Moment,
    scene: Scene,
    analysed: Analysed,
}

/// Where an event happens. It is no part of the event itself: two events that differ in nothing
/// else are equal.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The root of the project.
    pub root: Arc<PathBuf>,
    /// The file system that paths of the event lead into.
    pub terrain: Arc<dyn Terrain>,
}

/// The command line of a call, taken apart when first somebody asks.
#[derive(Clone, Debug, Default)]
pub struct Analysed(OnceLock<Arc<Analysis>>);

impl Analysed {
    /// The analysis of this text, which must be the same each time.
    pub fn of(&self, text: &str) -> &Analysis {
        self.0.get_or_init(|| Arc::new(Analysis::of(text)))
    }
}

impl PartialEq for Analysed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self { root: Arc::new(PathBuf::from("/")), terrain: Arc::new(Flat) }
    }
}

impl PartialEq for Scene {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// When and for whom an event happened, as far as its own fields do not say.
///
/// It is no part of what hooks see as the event: each dialect has its own place for it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Moment {
    /// The time, as RFC 3339 writes it.
    pub time: String,
    /// The name of the person, where it is known.
    pub user: String,
}

/// A tool with its arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolCall<'e> {
    /// The tool's name, such as `Bash`.
    pub name: &'e str,
    /// The arguments, as the model wrote them or as hooks rewrote them.
    pub input: &'e Value,
    /// The id that links call and result.
    pub id: Option<&'e str>,
}

/// Other spellings of canonical fields that payloads may use.
const ALIASES: [(&str, &str); 2] =
    [("tool_call_id", "tool_use_id"), ("tool_response", "tool_output")];

impl Event {
    /// An event with the given fields; unknown ones are passed on to hooks.
    pub fn new(kind: EventKind, mut fields: Map<String, Value>) -> Self {
        for (alias, field) in ALIASES {
            if !fields.contains_key(field)
                && let Some(value) = fields.shift_remove(alias)
            {
                fields.insert(field.to_owned(), value);
            }
        }
        Self {
            kind,
            fields,
            moment: Moment::default(),
            scene: Scene::default(),
            analysed: Analysed::default(),
        }
    }

    /// The event with these fields added where they are missing.
    #[must_use]
    pub fn with_defaults(mut self, defaults: &[(&str, Cow<'_, str>)]) -> Self {
        for (name, value) in defaults {
            if !self.fields.contains_key(*name) {
                self.fields.insert((*name).to_owned(), value.as_ref().into());
            }
        }
        self
    }

    /// The event at its moment.
    #[must_use]
    pub fn at(self, moment: Moment) -> Self {
        Self { moment, ..self }
    }

    /// The event where it happens.
    #[must_use]
    pub fn set_in(self, scene: Scene) -> Self {
        Self { scene, ..self }
    }

    /// The root of the project it happens in.
    pub fn root(&self) -> &Path {
        &self.scene.root
    }

    /// The file system its paths lead into.
    pub fn terrain(&self) -> &dyn Terrain {
        &*self.scene.terrain
    }

    /// What is known about its command line.
    pub fn analysed(&self) -> &Analysed {
        &self.analysed
    }

    /// When it happened; empty when nobody has said.
    pub fn time(&self) -> &str {
        self.text("timestamp").unwrap_or(&self.moment.time)
    }

    /// The name of the person it happened for; empty when nobody has said.
    pub fn user(&self) -> &str {
        self.text("user_name").unwrap_or(&self.moment.user)
    }

    /// The kind of this event.
    pub fn kind(&self) -> &EventKind {
        &self.kind
    }

    /// All fields, canonical ones under their canonical names.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// One field.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// One field that is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name)?.as_str()
    }

    /// Whether it says anything about a tool.
    pub fn is_about_a_tool(&self) -> bool {
        ["tool_name", "tool_input", "tool_output"].iter().any(|it| self.fields.contains_key(*it))
    }

    /// Whether it asks if a tool may be called, so that rules have a say.
    pub fn asks_for_a_call(&self) -> bool {
        matches!(self.kind, EventKind::PreToolUse | EventKind::PermissionRequest)
    }

    /// The tool call this event is about.
    pub fn tool_call(&self) -> Option<ToolCall<'_>> {
        static NOTHING: Value = Value::Null;
        Some(ToolCall {
            name: self.text("tool_name")?,
            input: self.field("tool_input").unwrap_or(&NOTHING),
            id: self.text("tool_use_id"),
        })
    }

    /// The text that a dialect's matchers are tried against, if there is one.
    pub fn subject_in(&self, dialect: Dialect) -> Option<&str> {
        let subject = self.text(self.kind.subject_in(dialect)?).filter(|it| !it.is_empty())?;
        if !self.kind.subject_is_a_file_name() {
            return Some(subject);
        }
        subject.rsplit('/').next().filter(|it| !it.is_empty())
    }

    /// What a block of this event does, by the rules of a dialect.
    pub fn block_in(&self, dialect: Dialect) -> Option<crate::decision::EffectKind> {
        self.kind.block_in(dialect, |pointer| {
            let (field, rest) = pointer.strip_prefix('/')?.split_once('/')?;
            Some(self.field(field)?.pointer(&format!("/{rest}"))?.as_str()?.to_owned())
        })
    }

    /// Puts a rewritten part in place.
    pub(crate) fn rewrite(&mut self, scope: Scope, value: Value) {
        // The reference a request names is also what matchers and envelopes call the model.
        if scope == Scope::ModelRequest
            && let Some(model) = value.get("canonicalModelRef").filter(|it| it.is_string())
        {
            self.fields.insert("model_ref".to_owned(), model.clone());
        }
        self.fields.insert(scope.field().to_owned(), value);
        self.analysed = Analysed::default();
    }
}
