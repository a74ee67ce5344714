//! Rules, hooks and defaults together: who wins, and what an agent may never change by itself.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use becket::core::diagnostic::Origin;
use becket::core::hook::Layer;
use becket::core::rule::Rule;
use becket::core::rules::{Precedence, RuleSpec};
use becket::point::{PreToolUse, ToolAction};
use becket::port::{Answer, Ask, AskRequest, Consent, Model, ModelRequest};
use becket::terrain::Disk;
use becket::{Builder, Decision, Dialect, Engine, Event, EventKind};
use serde_json::{Value, json};

#[expect(clippy::unwrap_used, reason = "a test may stop here")]
fn rule(decision: Decision, text: &str) -> RuleSpec {
    let rule = Rule::parse(text).unwrap();
    RuleSpec { rule, decision, reason: None, layer: Layer::CommandLine, origin: Origin::default() }
}

fn call(tool: &str, input: &Value) -> Event {
    let fields = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": "t1" });
    Event::new(EventKind::PreToolUse, fields.as_object().cloned().unwrap_or_default())
}

fn action(decision: Decision) -> ToolAction {
    match decision {
        Decision::Pass => ToolAction::pass(),
        Decision::Allow => ToolAction::allow(),
        Decision::Ask => ToolAction::ask("hook"),
        Decision::Deny => ToolAction::deny("hook"),
    }
}

/// What must come of a rule, a hook and a default: the strongest of rule and hook, and the
/// default only where both are silent.
fn expected(rule: Decision, hook: Decision, default: Decision) -> Decision {
    match rule.max(hook) {
        Decision::Pass => default,
        spoken => spoken,
    }
}

fn with(builder: Builder, rule_says: Decision, default: Decision) -> Builder {
    let builder = match rule_says {
        Decision::Pass => builder,
        spoken => builder.rules([rule(spoken, "Deploy")]),
    };
    match default {
        Decision::Pass => builder,
        spoken => builder.default_decision(Layer::Host, spoken),
    }
}

#[tokio::test]
async fn all_combinations_of_rule_hook_and_default_have_one_answer_each() {
    for precedence in [Precedence::RulesFirst, Precedence::HooksFirst] {
        for rule_says in Decision::ALL {
            for hook_says in Decision::ALL {
                for default in Decision::ALL {
                    let builder = Engine::builder().precedence(precedence);
                    let engine = with(builder, rule_says, default).build();
                    engine.on::<PreToolUse>(move |_| action(hook_says));
                    let outcome = engine.fire(call("Deploy", &json!({}))).await;
                    let at = format!("{precedence:?}: {rule_says:?} {hook_says:?} {default:?}");
                    assert_eq!(outcome.decision, expected(rule_says, hook_says, default), "{at}");
                    assert_eq!(outcome.is_blocked(), outcome.decision == Decision::Deny, "{at}");
                    let silent = outcome.reasons.is_empty();
                    assert_eq!(silent, outcome.decision <= Decision::Allow, "{at}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_weak_layer_lifts_no_default_of_a_strong_one() {
    let weak = RuleSpec { layer: Layer::Project, ..rule(Decision::Allow, "Deploy") };
    let engine = || Engine::builder().rules([weak.clone()]);
    let managed = engine().default_decision(Layer::Managed, Decision::Ask).build();
    assert_eq!(managed.fire(call("Deploy", &json!({}))).await.decision, Decision::Ask);
    let own = engine().default_decision(Layer::Project, Decision::Ask).build();
    assert_eq!(own.fire(call("Deploy", &json!({}))).await.decision, Decision::Allow);
}

#[tokio::test]
async fn what_a_hook_makes_of_a_call_is_judged_again() {
    let engine =
        Engine::builder().rules([rule(Decision::Deny, "mcp__db__run(table:users)")]).build();
    engine.on::<PreToolUse>(|_| ToolAction::rewrite(json!({ "table": "users" })));
    let outcome = engine.fire(call("mcp__db__run", &json!({ "table": "orders" }))).await;
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(outcome.notes.iter().any(|it| it.code() == "patched_into_refusal"), "{outcome:?}");
}

#[tokio::test]
async fn a_hook_cannot_rewrite_its_way_out_of_a_refusal() {
    let refused = rule(Decision::Deny, "mcp__db__run(table:users)");
    let engine = |precedence| {
        let engine = Engine::builder().rules([refused.clone()]).precedence(precedence).build();
        engine.on::<PreToolUse>(|_| ToolAction::rewrite(json!({ "table": "orders" })));
        engine
    };
    let users = call("mcp__db__run", &json!({ "table": "users" }));
    let first = engine(Precedence::RulesFirst).fire(users.clone()).await;
    assert_eq!(first.decision, Decision::Deny);
    // Somebody who wants hooks to mend calls before rules look at them says so.
    let mended = engine(Precedence::HooksFirst).fire(users).await;
    assert_eq!(mended.decision, Decision::Pass);
}

#[tokio::test]
async fn a_permission_is_for_one_call_and_for_one_time() {
    let engine = Engine::builder().rules([rule(Decision::Allow, "Deploy")]).build();
    let event = call("Deploy", &json!({ "to": "test" }));
    let outcome = engine.fire(event.clone()).await;
    let other = call("Deploy", &json!({ "to": "production" }));
    assert!(!outcome.permits(&other.tool_call().unwrap()));
    assert!(outcome.permits(&event.tool_call().unwrap()));
    assert!(!outcome.permits(&event.tool_call().unwrap()), "it was used already");
}

#[tokio::test]
async fn a_file_that_became_a_link_meanwhile_is_not_permitted_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("app.py"), "x").unwrap();
    std::fs::write(root.join(".env"), "secret").unwrap();
    let rules = [rule(Decision::Allow, "Read(./**)"), rule(Decision::Deny, "Read(.env)")];
    let engine = Engine::builder()
        .workspace(&root)
        .terrain(Arc::new(Disk::with_home(&root)))
        .rules(rules)
        .build();
    let event = call("Read", &json!({ "file_path": "app.py" }));
    let outcome = engine.fire(event.clone()).await;
    assert_eq!(outcome.decision, Decision::Allow);
    std::fs::remove_file(root.join("app.py")).unwrap();
    std::os::unix::fs::symlink(".env", root.join("app.py")).unwrap();
    assert!(!outcome.permits(&event.tool_call().unwrap()));
}

#[tokio::test]
async fn an_agent_does_not_change_our_configuration_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::builder().workspace(folder.path()).build();
    for path in [".becket/hooks/guard.yaml", "src/../.BECKET/settings.yaml", "/etc/becket/x"] {
        for tool in ["Edit", "Write", "MultiEdit"] {
            let outcome = engine.fire(call(tool, &json!({ "file_path": path }))).await;
            assert_eq!(outcome.decision, Decision::Ask, "{tool} {path}");
        }
        let read = engine.fire(call("Read", &json!({ "file_path": path }))).await;
        assert_eq!(read.decision, Decision::Pass, "reading {path} is nobody's harm");
    }
    let other = engine.fire(call("Edit", &json!({ "file_path": "src/becket.rs" }))).await;
    assert_eq!(other.decision, Decision::Pass);
}

/// A person who always says the same, and remembers what they were asked.
struct Person {
    answer: Consent,
    asked: Mutex<Vec<AskRequest>>,
}

impl Ask for Person {
    fn ask(&self, question: AskRequest) -> Pin<Box<dyn Future<Output = Consent> + Send + '_>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(question);
        Box::pin(async { self.answer.clone() })
    }
}

impl Person {
    fn who_says(answer: Consent) -> Arc<Self> {
        Arc::new(Self { answer, asked: Mutex::default() })
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[tokio::test]
async fn a_person_who_is_asked_has_the_last_word_unless_something_refuses() {
    let push = call("Bash", &json!({ "command": "git push" }));
    for (consent, expected) in [
        (Consent::Once, Decision::Allow),
        (Consent::Refused(Some("not today".to_owned())), Decision::Deny),
    ] {
        let person = Person::who_says(consent);
        let builder = || Engine::builder().ask(Arc::<Person>::clone(&person));
        let engine = builder().rules([rule(Decision::Ask, "Bash(git push:*)")]).build();
        assert_eq!(engine.fire(push.clone()).await.decision, expected);
        assert_eq!(person.asked(), 1);
        let refused = builder().rules([rule(Decision::Deny, "Bash(git push:*)")]).build();
        assert_eq!(refused.fire(push.clone()).await.decision, Decision::Deny);
        let headless = builder().headless(true).rules([rule(Decision::Ask, "Bash")]).build();
        assert_eq!(headless.fire(push.clone()).await.decision, Decision::Deny);
        assert_eq!(person.asked(), 1, "what is refused is not asked about, and nobody is there");
    }
}

#[tokio::test]
async fn always_is_remembered_for_this_very_command_also_by_the_next_engine() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let person = Person::who_says(Consent::Always);
    let engine = |person: &Arc<Person>| {
        Engine::builder()
            .workspace(&project)
            .ask(Arc::<Person>::clone(person))
            .answers(folder.path().join("state"))
            .default_decision(Layer::User, Decision::Ask)
            .build()
    };
    let test = call("Bash", &json!({ "command": "npm test" }));
    let first = engine(&person);
    assert_eq!(first.fire(test.clone()).await.decision, Decision::Allow);
    assert_eq!(first.fire(test.clone()).await.decision, Decision::Allow);
    assert_eq!(person.asked(), 1);
    let later = Person::who_says(Consent::Refused(None));
    let next = engine(&later);
    assert_eq!(next.fire(test).await.decision, Decision::Allow);
    let other = next.fire(call("Bash", &json!({ "command": "npm test && rm -rf x" }))).await;
    assert_eq!(other.decision, Decision::Deny);
    assert_eq!(later.asked(), 1);
    let rules: Vec<String> =
        next.snapshot().rules().specs().iter().map(|it| it.rule.to_string()).collect();
    assert!(rules.contains(&"Bash(npm test)".to_owned()), "{rules:?}");
}

#[tokio::test]
async fn what_no_rule_says_exactly_is_allowed_once_and_not_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let person = Person::who_says(Consent::Always);
    let engine = Engine::builder()
        .ask(Arc::<Person>::clone(&person))
        .answers(folder.path())
        .rules([rule(Decision::Ask, "Bash")])
        .build();
    let outcome = engine.fire(call("Bash", &json!({ "command": "cat $(ls)" }))).await;
    assert_eq!(outcome.decision, Decision::Allow);
    assert!(outcome.notes.iter().any(|it| it.code() == "not_remembered"), "{outcome:?}");
}

/// A model that answers each question after as many turns as it is told to wait.
struct Slow {
    waits: Mutex<Vec<usize>>,
}

impl Model for Slow {
    fn ask(&self, request: ModelRequest) -> Answer<'_> {
        let wait = self.waits.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or(0);
        let ok = !request.prompt.contains("refuse");
        Box::pin(async move {
            for _ in 0..wait {
                tokio::task::yield_now().await;
            }
            Ok(json!({ "ok": ok, "reason": "no" }).to_string().into())
        })
    }
}

#[tokio::test]
async fn a_thousand_orders_of_completion_give_one_outcome() {
    let folder = tempfile::tempdir().unwrap();
    let prompt = |text: &str| json!({ "type": "prompt", "prompt": text, "continueOnBlock": true });
    let hooks: Vec<Value> =
        ["first", "second", "refuse this", "fourth", "fifth", "sixth"].map(prompt).into();
    let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": hooks }] } });
    let file = folder.path().join("settings.json");
    std::fs::write(&file, settings.to_string()).unwrap();
    let slow = Arc::new(Slow { waits: Mutex::default() });
    let engine = Engine::builder()
        .workspace(folder.path())
        .hooks(Dialect::ClaudeCode, &file)
        .model(Arc::<Slow>::clone(&slow))
        .rules([rule(Decision::Ask, "Deploy")])
        .build();
    let mut outcomes = Vec::new();
    let mut order: Vec<usize> = (0..6).collect();
    for turn in 0..1000 {
        let (one, other) = (turn % 6, (turn / 6 + turn % 5) % 6);
        order.swap(one, other);
        order.rotate_left(turn % 7);
        slow.waits.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&order);
        let outcome = engine.fire(call("Deploy", &json!({}))).await;
        let kinds: Vec<_> = outcome.effects.iter().map(|it| it.kind).collect();
        let seen = (outcome.decision, kinds, outcome.patched.clone());
        if !outcomes.contains(&seen) {
            outcomes.push(seen);
        }
    }
    assert_eq!(outcomes.len(), 1, "{outcomes:?}");
    assert_eq!(outcomes[0].0, Decision::Deny);
}
