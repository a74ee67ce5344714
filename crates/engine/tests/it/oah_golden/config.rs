//! Hook files: which load and as what, and where the others are wrong.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket::core::config::{self, Loaded, Place};
use becket::core::diagnostic::{Code, Diagnostic};
use becket::core::hook::{Handler, HookSpec, Layer, Template, Text};
use becket::core::patch::{Capability, Scope};
use becket::core::world::World;
use becket::{Compat, Dialect, source};
use serde_json::{Map, Value, json};

use super::row::{ConfigRow, Registered, golden};
use super::workspace::Workspace;

/// What the tests' environment would look like if tests could set variables.
struct Outside;

impl World for Outside {
    fn variable(&self, name: &str) -> Option<String> {
        (name == "HOOK_TOK").then(|| "tok".to_owned())
    }
    fn has_file(&self, path: &Path) -> bool {
        path.is_file()
    }
    fn knows_secret(&self, _: &str) -> bool {
        false
    }
}

/// Reads hook files through the engine; those that need a variable, with the outside above.
fn load(workspace: &Workspace, files: &BTreeMap<String, String>) -> Loaded {
    for (name, text) in files {
        workspace.write(&format!(".openharness/hooks/{name}"), text);
    }
    if files.values().any(|text| text.contains("HOOK_TOK")) {
        let place = Place {
            dialect: Dialect::Oah,
            compat: Compat::Exact,
            layer: Layer::CommandLine,
            source: Arc::new(workspace.hooks()),
            workspace: Arc::new(workspace.path().to_path_buf()),
            disabled: None,
            events: Vec::new(),
        };
        let (files, problems) = source::files(&workspace.hooks(), &[]);
        assert_eq!(problems, []);
        return config::read(&place, &files, &Outside);
    }
    let engine = workspace.builder().build();
    Loaded {
        specs: engine.snapshot().hooks().map(|hook| hook.spec().clone()).collect(),
        diagnostics: engine.diagnostics().to_vec(),
        refused: engine.snapshot().refused().to_vec(),
        fatal: engine.is_refused(),
        ..Loaded::default()
    }
}

#[test]
fn every_recorded_file_loads_as_it_loaded_or_fails_where_it_failed() {
    for ConfigRow { label, files, ok, error } in golden().config {
        let workspace = Workspace::new();
        let loaded = load(&workspace, &files);
        match (ok, error) {
            (Some(hooks), None) => check_registered(&label, &loaded, hooks),
            (None, Some(error)) => check_refused(&label, &loaded, &files, &error),
            other => panic!("{label}: {other:?}"),
        }
    }
}

fn check_registered(label: &str, loaded: &Loaded, hooks: BTreeMap<String, Registered>) {
    assert!(!loaded.fatal && loaded.refused.is_empty(), "{label}: {:?}", loaded.diagnostics);
    let found = loaded.specs.iter().map(|spec| (spec.name.clone(), registered(spec)));
    let mut expected = hooks;
    for hook in expected.values_mut().filter(|hook| hook.handler_type == "http") {
        // The original fills in the method when it calls, we when we read.
        let handler = hook.definition["handler"].as_object_mut().unwrap();
        handler.entry("method").or_insert_with(|| "POST".into());
    }
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected, "{label}");
}

fn check_refused(label: &str, loaded: &Loaded, files: &BTreeMap<String, String>, error: &str) {
    assert!(loaded.fatal, "{label}: everything is refused");
    assert!(loaded.specs.is_empty(), "{label}: also the good files");
    assert!(!loaded.refused.is_empty(), "{label}");
    let named = files.keys().find(|name| error.contains(&format!("hooks/{name}:")));
    let (name, text) = files.get_key_value(named.or(files.keys().next()).unwrap()).unwrap();
    let in_file = |it: &&Diagnostic| it.is_error() && it.origin.file.ends_with(name);
    let lines: Vec<_> =
        loaded.diagnostics.iter().filter(in_file).map(|it| it.origin.line).collect();
    let expected = lines_meant(error, text);
    assert!(
        lines.iter().any(|line| expected.contains(line)),
        "{label}: {lines:?} not in {expected:?}"
    );
}

/// The lines that an error of the original may be about.
fn lines_meant(error: &str, text: &str) -> Vec<usize> {
    if let Some((_, rest)) = error.split_once("at line ") {
        return vec![rest.split(',').next().unwrap().parse().unwrap()];
    }
    if let Some((_, rest)) = error.split_once("Environment variable ") {
        let name = rest.split(' ').next().unwrap();
        return lines_where(text, |line| line.contains(name));
    }
    // Each kind of handler complains about the fields of the others; what else is named counts.
    let pointers: Vec<_> = error.split([' ', ';']).filter(|word| word.starts_with('/')).collect();
    let of_alternatives = ["/handler", "/handler/type"];
    let own: Vec<_> = pointers.iter().filter(|it| !of_alternatives.contains(it)).collect();
    match own.first() {
        Some(pointer) => block_of(pointer, text),
        None => block_of("/handler", text),
    }
}

fn lines_where(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    (1..).zip(text.lines()).filter(|(_, line)| wanted(line)).map(|(number, _)| number).collect()
}

/// The lines of the field a pointer ends at, with what is indented below it; `/` is the whole file.
fn block_of(pointer: &str, text: &str) -> Vec<usize> {
    let is_field = |part: &&str| !part.is_empty() && part.parse::<usize>().is_err();
    let Some(field) = pointer.rsplit('/').find(is_field) else {
        return (1..=text.lines().count().max(1)).collect();
    };
    let head = format!("{field}:");
    let from = lines_where(text, |line| line.trim_start().starts_with(&head))[0];
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(text.lines().nth(from - 1).unwrap());
    let below = text.lines().skip(from).take_while(|line| indent(line) > own).count();
    (from..=from + below).collect()
}

/// A hook as the original would list it.
fn registered(spec: &HookSpec) -> Registered {
    let events: Vec<_> =
        spec.events.iter().map(|kind| kind.name_in(Dialect::Oah).unwrap().to_owned()).collect();
    let mut definition = json!({ "name": spec.name, "events": events, "handler": handler(spec) });
    let capabilities: Vec<_> =
        spec.capabilities.iter().map(|it| capability(*it).to_owned()).collect();
    if let Some(matcher) = &spec.matcher {
        definition["matcher"] = matcher.as_str().into();
    }
    if !capabilities.is_empty() {
        definition["capabilities"] = json!(capabilities);
    }
    Registered {
        name: spec.name.clone(),
        events,
        matcher: spec.matcher.clone(),
        handler_type: spec.handler.kind().to_owned(),
        capabilities,
        definition,
    }
}

fn handler(spec: &HookSpec) -> Value {
    let texts = |pairs: &[(String, Template)]| -> Option<Value> {
        let pairs = pairs.iter().map(|(name, value)| (name.clone(), value.written().into()));
        let pairs: Map<String, Value> = pairs.collect();
        (!pairs.is_empty()).then_some(pairs.into())
    };
    let text = |text: &Text| match text {
        Text::Inline(text) => json!({ "inline": text }),
        Text::File(file) => json!({ "file": file }),
    };
    let mut fields = match &spec.handler {
        Handler::Command { command, cwd, environment, .. } => {
            json!({ "command": command, "cwd": cwd, "environment": texts(environment) })
        }
        Handler::Http { url, method, headers } => {
            json!({ "url": url, "method": method, "headers": texts(headers) })
        }
        Handler::Prompt { prompt, model_ref } => {
            json!({ "prompt": text(prompt), "model_ref": model_ref })
        }
        Handler::Agent { agent, task } => json!({ "agent": agent, "task": text(task) }),
        other => panic!("{other:?}"),
    };
    fields["type"] = spec.handler.kind().into();
    fields["timeout_seconds"] = json!(spec.timeout.map(|it| it.as_secs()));
    fields.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    fields
}

fn capability(capability: Capability) -> &'static str {
    match capability {
        Capability::Rewrite(Scope::Context) => "rewrite_context",
        Capability::Rewrite(Scope::ModelRequest) => "rewrite_model_request",
        Capability::Rewrite(Scope::ModelResponse) => "rewrite_model_response",
        Capability::Rewrite(Scope::ToolInput) => "rewrite_tool_request",
        Capability::Rewrite(Scope::ToolOutput) => "rewrite_tool_response",
        Capability::SuppressOutput => "suppress_output",
        other => panic!("{other:?}"),
    }
}

const GOOD: &str =
    "name: n\nevents: [before_tool_dispatch]\nhandler:\n  type: command\n  command: x\n";

fn load_one(text: &str) -> Loaded {
    load(&Workspace::new(), &BTreeMap::from([("a.yaml".to_owned(), text.to_owned())]))
}

/// Line and code of the first error in a file that everything is refused for.
fn first_error(text: &str) -> (usize, Code) {
    let loaded = load_one(text);
    assert!(loaded.fatal && loaded.specs.is_empty(), "{text}");
    let why = &loaded.refused.first().unwrap().why;
    assert!(why.is_error(), "{text}");
    (why.origin.line, why.code)
}

fn with_handler(lines: &[&str]) -> String {
    format!("name: n\nevents: [before_tool_dispatch]\nhandler:\n  {}\n", lines.join("\n  "))
}

#[test]
fn a_hook_that_is_wrong_is_refused_at_the_line_that_is() {
    for (text, line, code) in [
        (
            "name: 5\nevents: [run_failed]\nhandler: { type: command, command: x }\n",
            1,
            Code::Schema,
        ),
        (
            "name: ''\nevents: [run_failed]\nhandler: { type: command, command: x }\n",
            1,
            Code::Field,
        ),
        ("name: n\nevents: []\nhandler: { type: command, command: x }\n", 2, Code::Field),
        ("name: n\nevents: run_failed\nhandler: { type: command, command: x }\n", 2, Code::Schema),
        (
            "name: n\nevents: [run_failed, 5]\nhandler: { type: command, command: x }\n",
            2,
            Code::Schema,
        ),
        ("name: n\nevents: [run_failed]\nhandler: x\n", 3, Code::Schema),
        ("name: n\nevents: [run_failed]\nhandler:\n", 3, Code::Field),
        ("name: n\nevents: [run_failed]\nhandler: { command: x }\n", 3, Code::Field),
        (
            "name: n\nevents: [run_failed]\nhandler: { type: script, command: x }\n",
            3,
            Code::Handler,
        ),
        (
            "name: n\nevents: [run_failed]\nhandler: { type: command, command: '' }\n",
            3,
            Code::Field,
        ),
        (
            "name: n\nevents: [run_failed]\nhandler: { type: command, command: [a] }\n",
            3,
            Code::Schema,
        ),
        (
            "name: n\nname: m\nevents: [run_failed]\nhandler: { type: command, command: x }\n",
            2,
            Code::DupKey,
        ),
        ("- name: n\n", 1, Code::Schema),
        ("text\n", 1, Code::Schema),
        ("name: n\n---\nname: m\n", 2, Code::MultiDoc),
        ("name: n\nevents: ]\n", 2, Code::Parse),
    ] {
        assert_eq!(first_error(text), (line, code), "{text}");
    }
    for (more, code) in [
        ("matcher: 5\n", Code::Schema),
        ("matcher:\n", Code::Field),
        ("capabilities: suppress_output\n", Code::Schema),
        ("capabilities: [suppress_output, suppress_output]\n", Code::Schema),
        ("capabilities: [rewrite_everything]\n", Code::Capability),
        ("on_failure: deny\n", Code::UnknownField),
        ("description: x\n", Code::UnknownField),
        ("timeout_seconds: 5\n", Code::UnknownField),
    ] {
        assert_eq!(first_error(&format!("{GOOD}{more}")), (6, code), "{more}");
    }
}

#[test]
fn a_handler_that_is_wrong_is_refused_at_the_line_that_is() {
    for (lines, line, code) in [
        (&["type: command", "command: x", "url: http://x"][..], 6, Code::UnknownField),
        (&["type: command", "command: x", "timeout: 5"], 6, Code::UnknownField),
        (&["type: command", "command: x", "timeout_seconds: -1"], 6, Code::Timeout),
        (&["type: command", "command: x", "timeout_seconds:"], 6, Code::Timeout),
        (&["type: command", "command: x", "cwd: 5"], 6, Code::Schema),
        (&["type: command", "command: x", "environment: [A]"], 6, Code::Schema),
        (&["type: command", "command: x", "environment: { A: 5 }"], 6, Code::Schema),
        (&["type: http", "method: POST"], 4, Code::Field),
        (&["type: http", "url: ''"], 5, Code::Field),
        (&["type: http", "url: /path"], 5, Code::Url),
        (&["type: http", "url: 'http://x y'"], 5, Code::Url),
        (&["type: http", "url: 'http://x/${secrets.T}'"], 5, Code::Url),
        (&["type: http", "url: http://x", "method: post"], 6, Code::Method),
        (&["type: http", "url: http://x", "method: HEAD"], 6, Code::Method),
        (&["type: http", "url: http://x", "headers: { A: true }"], 6, Code::Schema),
        (&["type: prompt"], 4, Code::Field),
        (&["type: prompt", "prompt: {}"], 5, Code::Field),
        (&["type: prompt", "prompt: { inline: a, file: b }"], 5, Code::Schema),
        (&["type: prompt", "prompt: { inline: a, text: b }"], 5, Code::UnknownField),
        (&["type: prompt", "prompt: { inline: '' }"], 5, Code::Field),
        (&["type: prompt", "prompt: { inline: a }", "model_ref: ''"], 6, Code::Field),
        (&["type: agent", "agent: a"], 4, Code::Field),
        (&["type: agent", "task: { inline: a }"], 4, Code::Field),
        (&["type: agent", "agent: a", "task: text"], 6, Code::Schema),
    ] {
        assert_eq!(first_error(&with_handler(lines)), (line, code), "{lines:?}");
    }
}

#[test]
fn what_the_original_accepts_is_accepted() {
    for lines in [
        &["type: command", "command: x", "timeout_seconds: 5.0"][..],
        &["type: command", "command: x", "timeout_seconds: 100000000"],
        &["type: command", "command: './no/such/script.sh'"],
        &["type: command", "command: x", "environment: {}"],
        &["type: http", "url: 'ftp://x.y/z'"],
        &["type: http", "url: 'web+hook://x.y/z?a=%20#f'"],
        &["type: http", "url: 'https://user:secret@x.y'"],
        &["type: http", "url: http://x", "method: GET"],
        &["type: prompt", "prompt: { file: ../outside.md }"],
        &["type: prompt", "prompt: { inline: a }", "model_ref: m/x", "timeout_seconds: 1"],
        &["type: agent", "agent: a", "task: { file: no/such.md }"],
    ] {
        let loaded = load_one(&with_handler(lines));
        assert!(!loaded.fatal, "{lines:?}: {:?}", loaded.diagnostics);
        assert_eq!(loaded.specs.len(), 1, "{lines:?}");
    }
    for more in ["matcher: '*'\n", "capabilities: []\n", "# comment\n", "---\n"] {
        let text = if more == "---\n" { format!("{more}{GOOD}") } else { format!("{GOOD}{more}") };
        assert!(!load_one(&text).fatal, "{text}");
    }
}

#[test]
fn two_hooks_of_one_name_are_a_reason_to_refuse_everything() {
    let files = ["a.yaml", "b.yaml"].map(|name| (name.to_owned(), GOOD.to_owned()));
    let loaded = load(&Workspace::new(), &BTreeMap::from(files));
    assert!(loaded.fatal && loaded.specs.is_empty());
    let why = &loaded.refused[0].why;
    assert_eq!((why.code, why.origin.line), (Code::DupName, 1));
    assert!(why.origin.file.ends_with("b.yaml"));
}

#[test]
fn only_plain_files_that_end_in_yaml_are_hooks() {
    let names = ["a.yml", "a.YAML", "a.json", "a.yaml.bak", "b.yaml/inner.yaml", "README.md"];
    let files = names.map(|name| (name.to_owned(), "not: [a hook".to_owned()));
    let loaded = load(&Workspace::new(), &BTreeMap::from(files));
    assert!(!loaded.fatal, "{:?}", loaded.diagnostics);
    assert!(loaded.specs.is_empty());
}

#[test]
fn a_variable_is_expanded_in_every_text_and_only_where_it_is_spelt_right() {
    let loaded = load_one(
        "name: '${env.HOOK_TOK}.${env.HOOK_TOK}'\n\
         events: [run_failed]\n\
         matcher: '${env.HOOK_TOK}|${env.x-y}|${HOOK_TOK}|${env.}'\n\
         handler:\n  type: command\n  command: 'echo ${env.HOOK_TOK}'\n  \
           environment: { '${env.HOOK_TOK}': '${env.HOOK_TOK}' }\n",
    );
    let [spec] = &loaded.specs[..] else { panic!("{:?}", loaded.diagnostics) };
    assert_eq!(spec.name, "tok.tok");
    assert_eq!(spec.matcher.as_deref(), Some("tok|${env.x-y}|${HOOK_TOK}|${env.}"));
    let Handler::Command { command, environment, .. } = &spec.handler else { panic!("{spec:?}") };
    assert_eq!(command, "echo tok");
    assert_eq!(environment, &[("${env.HOOK_TOK}".to_owned(), Template::literal("tok"))]);
}

#[test]
fn an_empty_folder_has_no_hooks_and_nothing_wrong_with_it() {
    let loaded = load(&Workspace::new(), &BTreeMap::new());
    assert!(!loaded.fatal && loaded.specs.is_empty() && loaded.diagnostics.is_empty());
    assert_eq!(
        loaded.refused.iter().map(|it| it.file.as_ref()).collect::<Vec<&PathBuf>>(),
        [] as [&PathBuf; 0]
    );
}
