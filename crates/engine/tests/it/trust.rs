//! Trust in a host that runs for long: what is approved, changed or taken back counts at the next event.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::PathBuf;

use becket::trust::{Review, Standing};
use becket::{Decision, Engine, Event, EventKind, Outcome, Trust};
use serde_json::json;
use tempfile::TempDir;

struct Host {
    folder: TempDir,
    engine: Engine,
}

impl Host {
    /// An engine over a project with one hook that refuses.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let project = folder.path().join("project");
        fs::create_dir_all(project.join(".openharness/hooks")).unwrap();
        fs::write(
            project.join(".openharness/hooks/guard.yaml"),
            "name: guard\nevents: [before_tool_dispatch]\nhandler: { type: command, command: sh guard.sh }\n",
        )
        .unwrap();
        fs::write(project.join("guard.sh"), "exit 2\n").unwrap();
        let engine = Engine::builder()
            .workspace(&project)
            .home(folder.path().join("home"))
            .machine(folder.path().join("machine"))
            .discover(Trust::Stored(folder.path().join("state")))
            .build();
        Self { folder, engine }
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn script(&self, text: &str) {
        fs::write(self.folder.path().join("project/guard.sh"), text).unwrap();
    }

    fn review(&self) -> Review {
        self.engine.review(Some(&self.state()))
    }

    async fn fire(&self) -> Outcome {
        let fields = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
        let fields = fields.as_object().cloned().unwrap();
        self.engine.fire(Event::new(EventKind::PreToolUse, fields)).await
    }
}

#[tokio::test]
async fn what_is_approved_or_taken_back_meanwhile_counts_at_the_next_event() {
    let host = Host::new();
    assert_eq!(host.fire().await.decision, Decision::Pass);
    host.review().approve(&host.state()).unwrap();
    assert_eq!(host.fire().await.decision, Decision::Deny);
    assert!(Review::forget(host.engine.workspace(), &host.state()).unwrap());
    assert_eq!(host.fire().await.decision, Decision::Pass);
}

#[tokio::test]
async fn a_script_that_changes_between_two_events_is_not_started() {
    let host = Host::new();
    host.review().approve(&host.state()).unwrap();
    assert_eq!(host.fire().await.decision, Decision::Deny);
    for round in 0..20 {
        host.script(&format!("touch ran\n: {round}\n"));
        let outcome = host.fire().await;
        assert_eq!(outcome.decision, Decision::Ask, "{round}");
        host.script("exit 2\n");
        assert_eq!(host.fire().await.decision, Decision::Deny, "{round}");
    }
    assert!(!host.folder.path().join("project/ran").exists());
}

#[tokio::test]
async fn what_was_shown_is_approved_and_not_what_came_after() {
    let host = Host::new();
    let shown = host.review();
    host.script("touch ran\n");
    shown.approve(&host.state()).unwrap();
    assert_eq!(host.fire().await.decision, Decision::Ask);
    assert!(!host.folder.path().join("project/ran").exists());
    assert!(matches!(host.review().items.first().unwrap().standing, Standing::Changed(_)));
}

#[tokio::test]
async fn a_digest_of_the_host_trusts_that_content_only() {
    let host = Host::new();
    let digest = host.review().digest;
    let build = || {
        Engine::builder()
            .workspace(host.folder.path().join("project"))
            .home(host.folder.path().join("home"))
            .machine(host.folder.path().join("machine"))
            .discover(Trust::Exactly(digest))
            .build()
    };
    assert!(build().trust_problem().is_none());
    host.script("exit 0\n");
    assert!(build().trust_problem().is_some());
}
