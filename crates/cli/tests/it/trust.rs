//! Trust by content, from outside: what a project brings along does nothing until a person has approved it.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails loudly")]

mod approve;
mod content;
mod doctor;
mod project;
mod rules;
mod store;
mod unapproved;
mod vectors;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::becket::Ran;

/// A call that hooks may want to look at.
const CALL: &str = r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#;

/// Variables by which a person's shell is told from others.
const MARKS: [&str; 8] = [
    "BECKET_DEPTH",
    "BECKET_RUN",
    "CLAUDECODE",
    "CODEX_SANDBOX",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "QWEN_CODE",
];

/// A person's home with projects beside it.
struct Ground {
    folder: TempDir,
}

impl Ground {
    /// With one project whose hook `guard` starts a script, which leaves a file behind and refuses.
    fn new() -> Self {
        let ground = Self { folder: TempDir::new().unwrap() };
        fs::create_dir(ground.path("home")).unwrap();
        ground.lay_out("project");
        ground
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts the same small project at another place.
    fn lay_out(&self, project: &str) {
        self.hook(project, "guard", "sh hooks/guard.sh");
        self.write(&format!("{project}/hooks/guard.sh"), "touch ran-guard\nexit 2\n");
    }

    fn hook(&self, project: &str, name: &str, command: &str) {
        let command = serde_json::to_string(command).unwrap();
        let yaml = format!(
            "name: {name}\nevents: [before_tool_dispatch]\nhandler: {{ type: command, command: {command} }}\n"
        );
        self.write(&format!("{project}/.openharness/hooks/{name}.yaml"), &yaml);
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The binary in a project, without a terminal.
    fn command(&self, project: impl AsRef<Path>, args: &[&str]) -> Command {
        let mut command = Command::new("setsid");
        command
            .args(["--wait", env!("CARGO_BIN_EXE_becket")])
            .args(args)
            .current_dir(self.path("").join(project))
            .env("HOME", self.path("home"))
            .env_remove("XDG_STATE_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null());
        for mark in MARKS {
            command.env_remove(mark);
        }
        command
    }

    fn run(&self, project: &str, args: &[&str]) -> Ran {
        ran(&mut self.command(project, args))
    }

    /// What a tool call comes to in a project.
    fn fire(&self, project: &str, more: &[&str]) -> Ran {
        self.write("call.json", CALL);
        let call = self.path("call.json");
        let mut args = vec!["fire", "PreToolUse", "--json", "--input", call.to_str().unwrap()];
        args.extend(more);
        self.run(project, &args)
    }

    fn review(&self, project: &str) -> Value {
        let ran = self.run(project, &["trust", "--json"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.json()
    }

    fn digest(&self, project: &str) -> String {
        self.review(project)["digest"].as_str().unwrap().to_owned()
    }

    /// Approves everything in a project.
    fn approve(&self, project: &str) {
        let digest = self.digest(project);
        let ran = self.run(project, &["trust", "--yes", &digest]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }

    /// Whether the hook of a project runs for a call.
    fn runs(&self, project: &str) -> bool {
        let mark = self.path(project).join("ran-guard");
        let _ = fs::remove_file(&mark);
        self.fire(project, &[]);
        mark.exists()
    }

    /// The one file in which approvals are kept.
    fn record(&self) -> PathBuf {
        let folder = self.path("home/.local/state/becket/trust");
        let mut files: Vec<_> =
            fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files.pop().unwrap()
    }
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// How an item of a review stands, by the end of its key.
fn standing<'v>(review: &'v Value, name: &str) -> &'v str {
    let items = review["items"].as_array().unwrap();
    let item = items.iter().find(|it| it["key"].as_str().unwrap().ends_with(name));
    item.unwrap_or(&Value::Null)["standing"].as_str().unwrap_or("absent")
}

/// The codes of the notes of an outcome.
fn notes(outcome: &Value) -> Vec<&str> {
    outcome["notes"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect()
}
