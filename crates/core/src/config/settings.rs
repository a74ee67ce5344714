//! The settings that stand beside hooks: permissions, events of one's own, and the kind of a workspace.

mod permissions;
mod provisions;

use super::decode::{Fields, boolean, list, text};
use super::tree::{Data, Format, Node, Problems, parse};
use super::{Arc, File};
use crate::decision::EffectKind;
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::event::{CustomEvent, EventKind};
use crate::hook::Layer;
use crate::rules::Guard;

pub use self::permissions::{Permissions, read_rules};
pub use self::provisions::{ModelSetting, Provider, Provisions, SecretSources};

/// What `.becket/settings.yaml` says.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Events that the harness fires by a name of its own.
    pub events: Vec<Arc<CustomEvent>>,
    /// The file of `t15` hooks, instead of `hooks.yaml` and `hooks.json`; relative to the workspace.
    pub hooks_file: Option<String>,
    /// What is said about tool calls.
    pub permissions: Permissions,
    /// Whether the hooks of this layer, and of weaker ones, are switched off.
    pub disabled: bool,
    /// The means of hooks: limits, models, secrets and addresses.
    pub provisions: Provisions,
}

/// The kind of an Open Agent Harness workspace.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum WorkspaceKind {
    /// Hooks run.
    #[default]
    Project,
    /// Hooks are ignored.
    Chat,
}

/// Reads the settings of a layer.
pub fn read_settings(file: &File, layer: Layer) -> (Settings, Vec<Diagnostic>) {
    let (source, root) = match parse(file, Format::Yaml) {
        Ok(parsed) => parsed,
        Err(found) => {
            let permissions = permissions::unreadable(layer, &found);
            return (Settings { permissions, ..Settings::default() }, found);
        }
    };
    let mut problems = Problems::new(&source);
    let mut settings = Settings::default();
    if let Some(mut fields) = Fields::open(&root, "the settings file", &mut problems) {
        if let Some(node) = fields.optional("events") {
            settings.events = events(node, &mut problems);
        }
        if let Some(node) = fields.optional("hooks_file") {
            settings.hooks_file = text(node, "`hooks_file`", &mut problems).map(str::to_owned);
        }
        if let Some(node) = fields.optional("permissions") {
            settings.permissions =
                permissions::permissions(node, layer, &mut problems).unwrap_or_default();
        }
        if let Some(node) = fields.optional("guards") {
            settings.permissions.guards = permissions::guards(node, &mut problems);
        }
        if let Some(node) = fields.optional("disabled") {
            settings.disabled = boolean(node, "`disabled`", &mut problems).unwrap_or_default();
        }
        settings.provisions = provisions::provisions(&mut fields, layer, &mut problems);
        fields.close(&mut problems);
    }
    (settings, problems.found)
}

fn events(node: &Node, problems: &mut Problems<'_>) -> Vec<Arc<CustomEvent>> {
    let Data::Map(entries) = &node.data else {
        problems.report(
            Code::Schema,
            &node.span,
            format!("`events` must be a mapping, not {}", node.data.what()),
        );
        return Vec::new();
    };
    let mut events = Vec::new();
    for entry in entries {
        if let Some(known) = EventKind::named(&entry.key) {
            let message =
                format!("`{}` is already the name of the event `{}`", entry.key, known.name());
            problems.report_with_hint(
                Code::Settings,
                &entry.key_span,
                message,
                "choose another name",
            );
            continue;
        }
        let Some(mut fields) = Fields::open(&entry.value, "an event", problems) else { continue };
        let subject = fields.optional("subject").and_then(|it| text(it, "`subject`", problems));
        let block = fields.optional("block").and_then(|it| effect(it, problems));
        fields.close(problems);
        let (name, subject) = (entry.key.clone(), subject.map(str::to_owned));
        events.push(Arc::new(CustomEvent { name, subject, block }));
    }
    events
}

fn effect(node: &Node, problems: &mut Problems<'_>) -> Option<EffectKind> {
    let name = text(node, "`block`", problems)?;
    let found = EffectKind::ALL.into_iter().find(|kind| kind.name() == name);
    if found.is_none() && name != "none" {
        let names = EffectKind::ALL.map(EffectKind::name);
        let hint = match nearest(name, names.into_iter()) {
            Some(known) => format!("did you mean `{known}`?"),
            None => format!("one of {}, or `none`", list(&names)),
        };
        problems.report_with_hint(
            Code::Settings,
            &node.span,
            format!("`{name}` is not an effect"),
            hint,
        );
    }
    found
}

/// The JSON Schema of `.becket/settings.yaml`, for editors.
pub fn settings_schema() -> serde_json::Value {
    let mut effects: Vec<_> = EffectKind::ALL.map(EffectKind::name).into();
    effects.push("none");
    let mut schema = serde_json::json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "becket settings",
        "description": ".becket/settings.yaml",
        "type": ["object", "null"],
        "additionalProperties": false,
        "properties": {
            "permissions": permissions::schema(),
            "guards": {
                "description": "Built-in guards to switch on",
                "type": "array",
                "items": { "enum": Guard::ALL.map(Guard::name) }
            },
            "disabled": {
                "description": "Switches off the hooks of this layer and of weaker ones",
                "type": "boolean"
            },
            "hooks_file": {
                "description": "The file of t15 hooks, instead of hooks.yaml and hooks.json",
                "type": "string",
                "minLength": 1,
                "pattern": "\\S"
            },
            "events": {
                "description": "Events that the harness fires by a name of its own",
                "type": "object",
                "additionalProperties": {
                    "type": ["object", "null"],
                    "additionalProperties": false,
                    "properties": {
                        "subject": { "type": "string", "description": "The field that matchers are tried against" },
                        "block": { "enum": effects, "description": "What a block does" }
                    }
                }
            }
        }
    });
    if let Some(properties) = schema.get_mut("properties").and_then(|it| it.as_object_mut()) {
        properties.extend(provisions::schema());
    }
    schema
}

/// Reads the `kind:` of `.openharness/settings.yaml`; everything else in it is not ours.
pub fn read_workspace_kind(file: &File) -> (WorkspaceKind, Vec<Diagnostic>) {
    let (source, root) = match parse(file, Format::Yaml) {
        Ok(parsed) => parsed,
        Err(found) => return (WorkspaceKind::default(), found),
    };
    let mut problems = Problems::new(&source);
    let kind = Fields::open(&root, "the settings file", &mut problems)
        .and_then(|mut fields| fields.optional("kind"))
        .and_then(|node| Some((text(node, "`kind`", &mut problems)?, node)));
    let kind = match kind {
        None | Some(("project", _)) => WorkspaceKind::Project,
        Some(("chat", _)) => WorkspaceKind::Chat,
        Some((other, node)) => {
            let message =
                format!("`{other}` is not a kind of workspace; its hooks run as in a project");
            problems.report_with_hint(
                Code::Settings,
                &node.span,
                message,
                "write `project` or `chat`",
            );
            WorkspaceKind::Project
        }
    };
    (kind, problems.found)
}
