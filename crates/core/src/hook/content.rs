//! What a hook says, in one fixed form: the same words give the same bytes, whoever reads them.

use serde_json::{Value, json};

use super::{Handler, HookSpec, Mode, Template, Text};
use crate::event::EventKind;
use crate::patch::Capability;
use crate::rule::Rule;
use crate::verdict::OnFailure;

impl HookSpec {
    /// Everything its author decided, and nothing of where or how it was read.
    pub fn content(&self) -> Value {
        // A new field has to be thought about here: what is left out can change unseen.
        let Self {
            name,
            description,
            events,
            matcher,
            handler,
            timeout,
            capabilities,
            on_failure,
            only_if,
            condition,
            mode,
            order,
            inherits,
            budget,
            detached,
            ends_turn,
            dialect,
            layer,
            disabled: _,
            compat: _,
            source: _,
            workspace: _,
            origin: _,
            notes: _,
        } = self;
        json!({
            "name": name,
            "description": description,
            "dialect": dialect.name(),
            "layer": layer.name(),
            "events": events.iter().map(event).collect::<Vec<_>>(),
            "matcher": matcher,
            "if": only_if.iter().map(Rule::to_string).collect::<Vec<_>>(),
            "condition": condition,
            "handler": self::handler(handler),
            "timeout_ms": timeout.map(|it| u64::try_from(it.as_millis()).unwrap_or(u64::MAX)),
            "capabilities": capabilities.iter().copied().map(capability).collect::<Vec<_>>(),
            "on_failure": on_failure.map(OnFailure::name),
            "mode": mode.name(),
            "canary_percent": if let Mode::Canary(percent) = mode { Some(percent) } else { None },
            "order": order,
            "env": inherits,
            "budget": [budget.tokens, budget.turns],
            "detached": detached,
            "ends_turn": ends_turn,
        })
    }

    /// Every text in which it may name a file: command lines, arguments, values, paths.
    pub fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.condition.clone().into_iter().collect();
        match &self.handler {
            Handler::Command { command, args, cwd, environment } => {
                texts.push(command.clone());
                texts.extend(args.iter().flatten().cloned());
                texts.extend(cwd.clone());
                texts.extend(environment.iter().map(|it| it.1.written()));
            }
            Handler::Prompt { prompt: Text::File(path), .. }
            | Handler::Agent { task: Text::File(path), .. } => texts.push(path.clone()),
            Handler::Prompt { prompt: Text::Inline(_), .. }
            | Handler::Agent { task: Text::Inline(_), .. }
            | Handler::Http { .. }
            | Handler::McpTool { .. }
            | Handler::InProcess(_) => (),
        }
        texts
    }
}

fn event(kind: &EventKind) -> Value {
    match kind {
        EventKind::Custom(own) => json!({
            "name": own.name,
            "subject": own.subject,
            "block": own.block.map(crate::decision::EffectKind::name),
        }),
        known => known.name().into(),
    }
}

fn capability(capability: Capability) -> String {
    match capability {
        Capability::Rewrite(scope) => format!("rewrite {}", scope.field()),
        Capability::SuppressOutput => "suppress output".to_owned(),
    }
}

fn handler(handler: &Handler) -> Value {
    let kind = handler.kind();
    match handler {
        Handler::Command { command, args, cwd, environment } => json!({
            "type": kind, "command": command, "args": args, "cwd": cwd,
            "environment": pairs(environment),
        }),
        Handler::Http { url, method, headers } => json!({
            "type": kind, "url": url, "method": method, "headers": pairs(headers),
        }),
        Handler::Prompt { prompt, model_ref } => {
            json!({ "type": kind, "prompt": text(prompt), "model": model_ref })
        }
        Handler::Agent { agent, task } => {
            json!({ "type": kind, "agent": agent, "task": text(task) })
        }
        Handler::McpTool { server, tool, input } => {
            json!({ "type": kind, "server": server, "tool": tool, "input": input })
        }
        Handler::InProcess(id) => json!({ "type": kind, "id": id }),
    }
}

fn pairs(pairs: &[(String, Template)]) -> Value {
    pairs.iter().map(|(name, value)| json!([name, value.written()])).collect()
}

fn text(text: &Text) -> Value {
    match text {
        Text::Inline(text) => json!({ "text": text }),
        Text::File(path) => json!({ "file": path }),
    }
}
