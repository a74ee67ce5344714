//! The recorded rows of in-process hooks, and what lies beside them.

use std::sync::{Arc, Mutex};

use becket::Compat;
use becket::chain::{Args, Block, Chain, ChainError, EVENTS, max_resumes, prompt_context, refusal};
use serde_json::{Value, json};

use super::agent::{Agent, Ended, Turn};
use super::row::{LoopRow, golden};

const LS: Turn = Turn::Call { tool: "bash", command: "ls" };

/// The hooks and the model's turns that the setup of a row describes.
fn set_up(setup: &str) -> (Agent, Vec<Turn>) {
    let mut agent = Agent::new();
    let mut turns = vec![LS, Turn::Say];
    let mut pre = |answer: Value| agent.answers("PreToolUse", Some(answer));
    match setup {
        "no hooks; model: one bash tool call `ls`, then text" => (),
        r#"PreToolUse returns "no""# => pre(json!("no")),
        r#"PreToolUse returns "", a second PreToolUse returns text"# => {
            pre(json!(""));
            pre(json!("text"));
        }
        "PreToolUse returns False, a second returns text" => {
            pre(json!(false));
            pre(json!("text"));
        }
        "PreToolUse returns True" => pre(json!(true)),
        r#"PreToolUse returns {"decision":"allow"}"# => pre(json!({ "decision": "allow" })),
        r#"PreToolUse returns "no"; a second PreToolUse and a PostToolUse record that they ran"# => {
            pre(json!("no"));
            agent.records("PreToolUse");
            agent.records("PostToolUse");
        }
        r#"PreToolUse sets block.input.command to "pwd" and returns None"# => {
            let pwd = |args: &mut Args<'_>| {
                args.block().unwrap().input["command"] = "pwd".into();
                Ok(None)
            };
            agent.chain.register_hook("PreToolUse", pwd).unwrap();
        }
        r#"PostToolUse returns "ignored""# => agent.answers("PostToolUse", Some(json!("ignored"))),
        r#"PreToolUse raises ValueError("hook crashed")"# => {
            let crash = |_: &mut Args<'_>| Err("ValueError: hook crashed".to_owned());
            agent.chain.register_hook("PreToolUse", crash).unwrap();
        }
        "model calls tool `nope`; PostToolUse returns None" => {
            agent.records("PostToolUse");
            turns = vec![Turn::Call { tool: "nope", command: "ls" }, Turn::Say];
        }
        other => return set_up_stop(agent, other),
    }
    (agent, turns)
}

fn set_up_stop(mut agent: Agent, setup: &str) -> (Agent, Vec<Turn>) {
    match setup {
        r#"Stop returns "keep going" the first time, then None; model: text a, then text b"# => {
            let mut first = true;
            let once =
                move |_: &mut Args<'_>| Ok(std::mem::take(&mut first).then(|| json!("keep going")));
            agent.chain.register_hook("Stop", once).unwrap();
            (agent, vec![Turn::Say, Turn::Say])
        }
        r#"Stop always returns "again"; the model has three texts, then the recording ends"# => {
            agent.answers("Stop", Some(json!("again")));
            (agent, vec![Turn::Say, Turn::Say, Turn::Say])
        }
        r#"Stop returns """# => {
            agent.answers("Stop", Some(json!("")));
            (agent, vec![Turn::Say])
        }
        other => panic!("nobody knows how to set up `{other}`"),
    }
}

#[test]
fn every_recorded_loop_does_what_it_did() {
    for row in golden().s04 {
        let LoopRow { label, setup, tool_calls, messages, error, side_effects } = row;
        let (mut agent, turns) = set_up(&setup);
        let ended = agent.run(&turns);
        assert_eq!(agent.tool_calls, tool_calls, "{label}");
        assert_eq!(agent.messages, messages, "{label}");
        match (ended, error.as_deref()) {
            (Ok(()), None) | (Err(Ended::OutOfTurns), Some("loop wanted another model call")) => (),
            (Err(Ended::Hook(ChainError::Hook(error))), Some(theirs)) => {
                assert_eq!(error, theirs, "{label}");
            }
            (ended, error) => panic!("{label}: {ended:?}, expected {error:?}"),
        }
        let recorded = agent.recorded.lock().unwrap().clone();
        if let Some(expected) = side_effects {
            assert_eq!(recorded, expected, "{label}");
        }
        if setup.contains("`nope`") {
            assert_eq!(recorded, ["PostToolUse"], "{label}: it fires for unknown tools too");
        }
    }
}

#[test]
fn the_first_answer_is_the_only_one_and_nothing_is_not_an_answer() {
    let called = Arc::new(Mutex::new(Vec::new()));
    let mut chain: Chain<String> = Chain::new();
    for (index, answer) in [None, Some(json!(null)), Some(json!("later"))].into_iter().enumerate() {
        let called = Arc::clone(&called);
        let hook = move |_: &mut Args<'_>| {
            called.lock().unwrap().push(index);
            Ok(answer.clone())
        };
        chain.register_hook("UserPromptSubmit", hook).unwrap();
    }
    let answer = chain.trigger_hooks("UserPromptSubmit", Args::UserPromptSubmit { query: "q" });
    assert_eq!(answer, Ok(Some(json!(null))));
    assert_eq!(*called.lock().unwrap(), [0, 1]);
}

#[test]
fn a_failure_ends_the_chain_and_is_an_error_of_the_trigger_only() {
    let mut agent = Agent::new();
    let crash = |_: &mut Args<'_>| Err("crash".to_owned());
    agent.chain.register_hook("Stop", crash).unwrap();
    agent.records("Stop");
    assert_eq!(agent.run(&[Turn::Say]), Err(Ended::Hook(ChainError::Hook("crash".to_owned()))));
    assert_eq!(*agent.recorded.lock().unwrap(), [""; 0]);
    let mut block = Block::new("t", "bash", json!({}));
    let fine = agent.chain.trigger_hooks("PreToolUse", Args::PreToolUse { block: &mut block });
    assert_eq!(fine, Ok(None));
}

#[test]
fn an_event_that_does_not_exist_is_an_error_and_so_are_foreign_arguments() {
    let mut chain: Chain<String> = Chain::new();
    let unknown = || Err(ChainError::UnknownEvent("SessionStart".to_owned()));
    assert_eq!(chain.register_hook("SessionStart", |_| Ok(None)), unknown());
    let query = || Args::UserPromptSubmit { query: "q" };
    assert_eq!(chain.trigger_hooks("SessionStart", query()), unknown().map(|()| None));
    let wrong = ChainError::WrongArguments { event: "Stop".to_owned(), given: "UserPromptSubmit" };
    assert_eq!(chain.trigger_hooks("Stop", query()), Err(wrong));
    for event in EVENTS {
        assert_eq!(chain.register_hook(event, |_| Ok(None)), Ok(()), "{event}");
    }
}

#[test]
fn each_event_hands_over_what_it_is_about() {
    let mut chain: Chain<String> = Chain::new();
    let prompt = |args: &mut Args<'_>| Ok(args.query().map(Into::into));
    chain.register_hook("UserPromptSubmit", prompt).unwrap();
    let result = |args: &mut Args<'_>| Ok(args.output().cloned());
    chain.register_hook("PostToolUse", result).unwrap();
    let messages = |args: &mut Args<'_>| {
        args.messages().unwrap().push(json!("added"));
        Ok(None)
    };
    chain.register_hook("Stop", messages).unwrap();
    let answer = chain.trigger_hooks("UserPromptSubmit", Args::UserPromptSubmit { query: "hello" });
    assert_eq!(answer, Ok(Some(json!("hello"))));
    let (mut block, output) = (Block::new("t", "bash", json!({})), json!("out"));
    let after = Args::PostToolUse { block: &mut block, output: &output };
    assert_eq!(chain.trigger_hooks("PostToolUse", after), Ok(Some(json!("out"))));
    let mut messages = vec![json!("q")];
    let stop = Args::Stop { messages: &mut messages };
    assert_eq!(chain.trigger_hooks("Stop", stop), Ok(None));
    assert_eq!(messages, [json!("q"), json!("added")]);
}

#[test]
fn what_blocks_is_what_python_calls_true_and_the_model_reads_it_as_python_shows_it() {
    for (answer, told) in [
        (json!("no"), Some("no")),
        (json!(["a", 1]), Some("['a', 1]")),
        (json!(3), Some("3")),
        (json!(0), None),
        (json!([]), None),
        (json!({}), None),
        (json!(null), None),
    ] {
        assert_eq!(refusal(Some(&answer)).as_deref(), told, "{answer}");
    }
    assert_eq!(refusal(None), None);
}

#[test]
fn safe_uses_the_answer_to_a_prompt_and_lets_a_loop_end() {
    let answer = json!("in /work");
    assert_eq!(prompt_context(Compat::Exact, Some(&answer)), None);
    assert_eq!(prompt_context(Compat::Safe, Some(&answer)).as_deref(), Some("in /work"));
    assert_eq!(prompt_context(Compat::Safe, Some(&json!(""))), None);
    assert_eq!((max_resumes(Compat::Exact), max_resumes(Compat::Safe)), (usize::MAX, 8));
}
