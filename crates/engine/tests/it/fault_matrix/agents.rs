//! Agents that never stop, fire their own hook, ask for what they may not, say nothing, or die.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use becket::core::hook::{Handler, HookSpec, Text};
use becket::port::{Answer, Cut, PortError, Spoken, Subagent, SubagentRequest};
use becket::{Decision, Engine, Event, EventKind};

use super::bench::{engine, fields, finish, hook, walk};
use super::row::{Row, rows_of};

pub(super) const RUN: [&str; 5] = ["A01", "A02", "A03", "A04", "A05"];

fn agent() -> Handler {
    Handler::Agent { agent: "reviewer".into(), task: Text::Inline("look at this".into()) }
}

/// An agent that always comes to the same end.
struct Ends(Result<Spoken, PortError>);

impl Subagent for Ends {
    fn run(&self, request: SubagentRequest) -> Answer<'_> {
        assert_eq!((request.turns, request.depth), (8, 1));
        Box::pin(std::future::ready(self.0.clone()))
    }
}

async fn ends(fault: &str, answer: Result<Spoken, PortError>) {
    let agents = Arc::new(Ends(answer));
    let agents = || Arc::<Ends>::clone(&agents);
    walk(rows_of(fault), fields(), |folder| (hook(folder, agent()), engine().subagent(agents())))
        .await;
}

#[tokio::test]
async fn a01_an_agent_that_never_stops() {
    ends("A01", Ok(Spoken { cut: Some(Cut::Turns), ..Spoken::default() })).await;
}

#[tokio::test]
async fn a04_an_agent_without_a_verdict() {
    ends("A04", Ok("I had a look at it.".into())).await;
}

#[tokio::test]
async fn a05_an_agent_that_dies() {
    ends("A05", Err(PortError::Died("ended by signal 9".to_owned()))).await;
}

/// An agent whose tool calls go through the engine that runs it.
#[derive(Default)]
struct Fires {
    engine: OnceLock<Weak<Engine>>,
    tool: &'static str,
    seen: std::sync::Mutex<Vec<Decision>>,
}

impl Subagent for Fires {
    fn run(&self, _: SubagentRequest) -> Answer<'_> {
        Box::pin(async move {
            let engine = self.engine.get().and_then(Weak::upgrade).expect("it runs");
            let mut fields = fields().as_object().cloned().unwrap();
            fields.insert("tool_name".into(), self.tool.into());
            let outcome = engine.fire(Event::new(EventKind::PreToolUse, fields)).await;
            self.seen.lock().unwrap().push(outcome.decision);
            Ok(r#"{"ok":true}"#.into())
        })
    }
}

async fn fire(row: &Row, tool: &'static str, others: Option<HookSpec>) -> Vec<Decision> {
    let folder = tempfile::TempDir::new().unwrap();
    let agents = Arc::new(Fires { tool, ..Fires::default() });
    let mut spec = hook(folder.path(), agent());
    spec.events = vec![row.kind(), EventKind::PreToolUse];
    spec.events.dedup();
    spec.on_failure = Some(row.policy());
    spec.timeout = Some(Duration::from_secs(30));
    let builder = finish(engine(), folder.path(), false).subagent(Arc::<Fires>::clone(&agents));
    // One group with it: a block ends its own group.
    let beside = |other| HookSpec { source: Arc::clone(&spec.source), ..other };
    let builder = others.map(beside).into_iter().fold(builder, becket::Builder::hook);
    let engine = Arc::new(builder.hook(spec).build());
    agents.engine.set(Arc::downgrade(&engine)).unwrap();
    let outcome = engine.fire(Event::new(row.kind(), fields().as_object().cloned().unwrap())).await;
    row.check(&outcome, false);
    agents.seen.lock().unwrap().clone()
}

#[tokio::test]
async fn a02_an_agent_whose_tool_call_fires_its_own_hook() {
    for row in rows_of("A02") {
        // The third below the first is refused, by the policy of the hook; those above it go on.
        let refused = match row.policy() {
            becket::core::verdict::OnFailure::Allow => Decision::Pass,
            becket::core::verdict::OnFailure::Ask => Decision::Ask,
            becket::core::verdict::OnFailure::Deny => Decision::Deny,
        };
        let seen = fire(&row, "Bash", None).await;
        assert_eq!(seen, [refused, Decision::Pass, Decision::Pass], "{}", row.id);
    }
}

#[tokio::test]
async fn a03_an_agent_that_asks_for_a_tool_it_may_not_use() {
    for row in rows_of("A03") {
        let folder = tempfile::TempDir::new().unwrap();
        let mut guard = hook(folder.path(), super::bench::command("exit 2"));
        guard.events = vec![EventKind::PreToolUse];
        guard.matcher = Some("Forbidden".to_owned());
        guard.name = "guard".to_owned();
        let seen = fire(&row, "Forbidden", Some(guard)).await;
        assert_eq!(seen.first(), Some(&Decision::Deny), "{}", row.id);
    }
}
