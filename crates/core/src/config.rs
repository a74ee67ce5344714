//! How hooks are written down, per dialect: text in, specs and diagnostics out.
//!
//! All formats become one spanned [`tree`], and one decoder walks it, so that every
//! problem of a file is found in one go and each has a place.

pub mod tree;

mod becket;
mod claude_code;
mod decode;
mod env;
mod json;
mod lcc_s08;
mod microai;
mod oah;
mod openharness;
mod refused;
mod script;
mod settings;
mod t15;
mod tools;
mod variables;
mod yaml;

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::dialect::{Compat, Dialect};
use crate::event::{CustomEvent, EventKind};
use crate::hook::{Budget, Disabled, Handler, HookSpec, Layer, Mode};
use crate::profile::{Profile, Strictness};
use crate::rules::RuleSpec;
use crate::world::World;

pub use self::becket::schema as becket_schema;
pub use self::claude_code::{Off, Switch, unite};
pub(crate) use self::microai::variables as microai_variables;
pub use self::oah::schema as oah_schema;
pub use self::refused::Refused;
pub use self::settings::{
    ModelSetting, Permissions, Provider, Provisions, SecretSources, Settings, WorkspaceKind,
    read_rules, read_settings, read_workspace_kind, settings_schema,
};

/// The bytes of one file, as found.
#[derive(Clone, Debug)]
pub struct File {
    /// Where it was found.
    pub path: Arc<PathBuf>,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Under which circumstances files are read.
#[derive(Clone, Debug)]
pub struct Place {
    /// The dialect they are written in.
    pub dialect: Dialect,
    /// Whose behaviour to follow.
    pub compat: Compat,
    /// Who wrote them.
    pub layer: Layer,
    /// The file or folder that was named.
    pub source: Arc<PathBuf>,
    /// The folder that relative paths start from.
    pub workspace: Arc<PathBuf>,
    /// Why none of the hooks may run.
    pub disabled: Option<Disabled>,
    /// Events that settings declare.
    pub events: Vec<Arc<CustomEvent>>,
}

impl Place {
    /// Whether its files were found in a project: then several dialects may read the same file, and
    /// each leaves the entries of the others alone.
    fn is_shared(&self) -> bool {
        matches!(self.layer, Layer::Project | Layer::Local)
    }

    /// A hook of this place that says nothing beyond what every hook must.
    pub fn hook(
        &self,
        name: String,
        events: Vec<EventKind>,
        handler: Handler,
        origin: Origin,
    ) -> HookSpec {
        HookSpec {
            name,
            description: None,
            events,
            matcher: None,
            handler,
            timeout: None,
            capabilities: Vec::new(),
            on_failure: None,
            only_if: Vec::new(),
            condition: None,
            mode: Mode::Enforce,
            order: 0,
            inherits: None,
            budget: Budget::default(),
            detached: false,
            ends_turn: false,
            disabled: self.disabled.clone(),
            dialect: self.dialect,
            compat: self.compat,
            layer: self.layer,
            source: Arc::clone(&self.source),
            workspace: Arc::clone(&self.workspace),
            origin,
            notes: Vec::new(),
        }
    }
}

/// What came of reading a set of files.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The hooks that can be registered, in the order in which they run.
    pub specs: Vec<HookSpec>,
    /// The permission rules that stand beside them.
    pub rules: Vec<RuleSpec>,
    /// What was found wrong.
    pub diagnostics: Vec<Diagnostic>,
    /// Hooks that were refused and are missing from `specs`.
    pub refused: Vec<Refused>,
    /// Words that switch hooks off, those of other files included.
    pub switches: Vec<Switch>,
    /// Whether the original would have refused everything.
    pub fatal: bool,
}

/// The dialects whose files this version reads.
pub const READABLE: [Dialect; 7] = [
    Dialect::Becket,
    Dialect::Oah,
    Dialect::ClaudeCode,
    Dialect::Microai,
    Dialect::LccS08,
    Dialect::OpenHarness,
    Dialect::T15,
];

/// Reads the files of one place, as quickly as an event needs it.
pub fn read(place: &Place, files: &[File], world: &dyn World) -> Loaded {
    load(place, files, world, Care::Enough)
}

/// Reads the files of one place and also says in which ways hooks that load would not do their work.
///
/// This compiles every matcher and looks for every file, which an event should not wait for.
pub fn check(place: &Place, files: &[File], world: &dyn World) -> Loaded {
    load(place, files, world, Care::Every)
}

/// How closely files are looked at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Care {
    /// What makes a hook unusable.
    Enough,
    /// Everything worth telling.
    Every,
}

fn load(place: &Place, files: &[File], world: &dyn World, care: Care) -> Loaded {
    let mut loaded = match place.dialect {
        Dialect::Oah => oah::read(place, files, world, care),
        Dialect::OpenHarness => openharness::read(place, files, world, care),
        Dialect::T15 => t15::read(place, files, world, care),
        Dialect::LccS08 => lcc_s08::read(place, files, world, care),
        Dialect::Microai => microai::read(place, files, world, care),
        Dialect::Becket => becket::read(place, files, world, care),
        Dialect::ClaudeCode => claude_code::read(place, files, world, care),
    };
    let strictness = Profile::of(place.dialect, place.compat).strictness;
    if strictness == Strictness::RefuseAll && !loaded.refused.is_empty() {
        loaded.specs.clear();
        loaded.fatal = true;
    }
    loaded
}
