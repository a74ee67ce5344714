//! Which tools do the same under different names, and where their calls keep what rules look at.

use std::borrow::Cow;

use serde_json::Value;

use super::Call;
use crate::shell::Analysis;

/// What a tool does, as far as rules care.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    /// Runs a command line.
    Shell,
    /// Reads files.
    Read,
    /// Changes files.
    Edit,
    /// Fetches a URL.
    Web,
    /// Starts an agent or a skill.
    Agent,
}

/// The tools of the known clients, by what they do.
const TOOLS: [(Kind, &[&str]); 5] = [
    (
        Kind::Shell,
        &[
            "Bash",
            "bash",
            "Shell",
            "shell",
            "run_shell_command",
            "run_commands",
            "Execute",
            "execute_bash",
            "file_system.bash",
            "run_command",
            "exec_command",
            "local_shell",
        ],
    ),
    (
        Kind::Read,
        &[
            "Read",
            "Grep",
            "Glob",
            "LS",
            "NotebookRead",
            "read_file",
            "read_files",
            "ReadFile",
            "view",
            "grep",
            "glob",
            "grep_search",
            "fs_read",
            "read",
            "list",
            "search_codebase",
        ],
    ),
    (
        Kind::Edit,
        &[
            "Edit",
            "Write",
            "MultiEdit",
            "NotebookEdit",
            "write_file",
            "edit_file",
            "replace",
            "edit",
            "write",
            "create",
            "Create",
            "WriteFile",
            "StrReplaceFile",
            "apply_patch",
            "editor",
            "fs_write",
        ],
    ),
    (Kind::Web, &["WebFetch", "web_fetch", "webfetch", "fetch_web_content", "fetch"]),
    (Kind::Agent, &["Agent", "Task", "Skill", "agent", "task", "spawn_agent", "invoke_agent"]),
];

/// The names that stand for their whole kind in a rule; any other name is that tool and no other.
const LEADERS: [(&str, Kind); 4] =
    [("Bash", Kind::Shell), ("Read", Kind::Read), ("Edit", Kind::Edit), ("WebFetch", Kind::Web)];

/// Names of one and the same tool.
const SAME: [(&str, &str); 1] = [("Agent", "Task")];

const PATHS: [&str; 9] = [
    "file_path",
    "path",
    "notebook_path",
    "filePath",
    "absolute_path",
    "target_file",
    "filename",
    "dir_path",
    "target_directory",
];
const PATH_LISTS: [&str; 3] = ["paths", "file_paths", "files"];
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];
const URLS: [&str; 2] = ["url", "uri"];
const NAMES: [&str; 6] = ["subagent_type", "agent_type", "agent", "agent_name", "skill", "name"];

impl Kind {
    pub(super) fn of(tool: &str) -> Option<Self> {
        TOOLS.iter().find(|(_, names)| names.contains(&tool)).map(|(kind, _)| *kind)
    }
}

/// The name that stands for all tools that do what this one does.
pub(super) fn leader(tool: &str) -> Option<&'static str> {
    let kind = Kind::of(tool)?;
    LEADERS.iter().find(|it| it.1 == kind).map(|it| it.0)
}

/// Whether a rule about one tool also covers another.
pub(super) fn covers(rule: &str, tool: &str) -> bool {
    if SAME.iter().any(|(a, b)| (rule, tool) == (*a, *b) || (rule, tool) == (*b, *a)) {
        return true;
    }
    let leads = LEADERS.iter().find(|(name, _)| *name == rule);
    leads.is_some_and(|(_, kind)| Kind::of(tool) == Some(*kind))
}

/// The command lines of a call, one below the other.
pub(super) fn command(input: &Value) -> Cow<'_, str> {
    let of = |value: &'_ Value| -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            // A list of words is started as it is; joined, it is read at least as strictly.
            Value::Array(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                Some(words.join(" "))
            }
            _ => None,
        }
    };
    if let Value::String(text) = input {
        return Cow::Borrowed(text);
    }
    if let Some(text) = COMMANDS.iter().find_map(|key| input.get(key)?.as_str()) {
        return Cow::Borrowed(text);
    }
    if let Some(Value::Array(lines)) = input.get("commands") {
        let lines: Vec<String> = lines.iter().filter_map(of).collect();
        return Cow::Owned(lines.join("\n"));
    }
    Cow::Owned(COMMANDS.iter().find_map(|key| of(input.get(key)?)).unwrap_or_default())
}

/// Whether a call says what it runs, as text or as a list of words.
pub(super) fn tells_command(input: &Value) -> bool {
    let words = |it: &Value| {
        it.is_string() || it.as_array().is_some_and(|it| it.iter().all(Value::is_string))
    };
    let listed = input
        .get("commands")
        .is_some_and(|it| it.as_array().is_some_and(|it| it.iter().all(words)));
    words(input) || listed || COMMANDS.iter().any(|key| input.get(key).is_some_and(words))
}

/// The paths a call names; where a tool that searches names none, it searches where it runs.
pub(super) fn paths<'e>(call: &Call<'e>) -> Vec<Cow<'e, str>> {
    let input = call.input;
    if let Value::String(text) = input {
        return vec![Cow::Borrowed(text)];
    }
    let single = PATHS.iter().filter_map(|key| input.get(key)?.as_str());
    let lists = PATH_LISTS.iter().filter_map(|key| input.get(key)?.as_array()).flatten();
    let lists = lists.filter_map(|it| it.as_str().or_else(|| it.get("path")?.as_str()));
    let mut paths: Vec<Cow<'e, str>> = single.chain(lists).map(Cow::Borrowed).collect();
    // A glob may lead out of the folder it starts in.
    if matches!(call.tool, "Glob" | "glob")
        && let Some(pattern) = input.get("pattern").and_then(Value::as_str)
    {
        paths.push(Cow::Borrowed(pattern));
    }
    if paths.is_empty() && matches!(call.tool, "Grep" | "grep" | "grep_search" | "LS" | "list") {
        paths.push(call.cwd.to_string_lossy());
    }
    paths
}

/// The files that a command line names, or only those it may change: path and spelling.
pub(super) fn operands(
    call: &Call<'_>,
    reading: bool,
) -> impl Iterator<Item = (Option<String>, String)> {
    let operands = call.analysis().map(Analysis::operands).unwrap_or_default();
    operands.into_iter().filter(move |it| reading || it.writes).map(|it| (it.path, it.shown))
}

/// The URLs a call names.
pub(super) fn urls(input: &Value) -> impl Iterator<Item = &str> {
    let whole = input.as_str();
    whole.into_iter().chain(URLS.iter().filter_map(|key| input.get(key)?.as_str()))
}

/// The names of agents and skills a call names.
pub(super) fn names(input: &Value) -> impl Iterator<Item = &str> {
    NAMES.iter().filter_map(|key| input.get(key)?.as_str())
}
