//! Claude Code: one JSON line in, exit code 2 or one JSON object out.

mod answer;
mod model;
mod specific;

use serde_json::{Map, Value};

use self::answer::{Answer, Bad};
use super::native::decoded;
use super::objection::{self, Objection, Sign, Signs};
use super::unified::{ended, first_lines, seconds};
use super::{Envelope, Question, Wire, object, root_variable, sealed};
use crate::decision::Decision;
use crate::event::{Event, EventKind};
use crate::hook::Hook;
use crate::profile::OutputCodec;
use crate::reply::{Captured, Exit, Reply};
use crate::verdict::{Failure, FailureKind, OnFailure, Remark, Stop, Verdict};

/// The fields every envelope begins with, in this order.
const COMMON: [&str; 9] = [
    "session_id",
    "transcript_path",
    "cwd",
    "prompt_id",
    "permission_mode",
    "agent_id",
    "agent_type",
    "effort",
    "hook_event_name",
];
/// What every event of ours carries, and no envelope of the original's.
const OURS: [&str; 3] = ["run_id", "workspace_id", ENV_FILE];
/// The field by which a harness names a file that hooks may write variables into.
const ENV_FILE: &str = "env_file";
/// The events at which such a file is told.
const ENV_FILE_EVENTS: [EventKind; 4] =
    [EventKind::SessionStart, EventKind::Setup, EventKind::CwdChanged, EventKind::FileChanged];
/// Exit code 2 blocks.
const BLOCKS: Exit = Exit::Code(2);
/// More than this many characters of one text are not given to the model.
const MAX_CONTEXT: usize = 10_000;

/// What refuses, wherever it stands.
const SIGNS: Signs = &[
    (r#""decision""#, Some(r#""block""#), Sign::Blocks),
    (r#""decision""#, Some(r#""deny""#), Sign::Blocks),
    (r#""decision""#, None, Sign::Holds(BEHAVIOUR)),
    (r#""continue""#, Some("false"), Sign::Stops),
    (r#""reason""#, None, Sign::Reason),
    (r#""stopReason""#, None, Sign::StopReason),
    (r#""hookSpecificOutput""#, None, Sign::Holds(SPECIFIC)),
    // Where the object around it was left out, or cut off.
    (r#""permissionDecision""#, Some(r#""deny""#), Sign::Blocks),
    (r#""permissionDecisionReason""#, None, Sign::Reason),
    (r#""behavior""#, Some(r#""deny""#), Sign::Blocks),
];
const SPECIFIC: Signs = &[
    (r#""permissionDecision""#, Some(r#""deny""#), Sign::Blocks),
    (r#""permissionDecision""#, Some(r#""ask""#), Sign::Asks),
    (r#""permissionDecision""#, Some(r#""defer""#), Sign::Asks),
    (r#""permissionDecisionReason""#, None, Sign::Reason),
    (r#""decision""#, None, Sign::Holds(BEHAVIOUR)),
];
const BEHAVIOUR: Signs =
    &[(r#""behavior""#, Some(r#""deny""#), Sign::Blocks), (r#""message""#, None, Sign::Reason)];

/// The grammar of Claude Code.
#[derive(Debug)]
pub(super) struct ClaudeCode;

impl sealed::Sealed for ClaudeCode {}

impl Wire for ClaudeCode {
    fn envelope(&self, hook: &Hook, event: &Event) -> Envelope {
        let mut body = Value::Object(body(hook, event)).to_string();
        body.push('\n');
        let variables = root_variable(hook).into_iter().chain(variables(event)).collect();
        Envelope { body: body.into_bytes(), variables, ..Envelope::default() }
    }

    fn question(&self, hook: &Hook, event: &Event, text: &str, _: &Envelope) -> Question {
        model::question(hook, text, &Value::Object(body(hook, event)).to_string())
    }

    fn verdict(&self, hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
        verdict(hook, event, reply).map(cut_context)
    }
}

/// The event as one JSON object.
fn body(hook: &Hook, event: &Event) -> Map<String, Value> {
    let name = event.kind().name_in(hook.spec().dialect).unwrap_or(event.kind().name());
    let mut body = Map::new();
    for field in COMMON {
        let value = match field {
            "hook_event_name" => Some(name.into()),
            _ => event.field(field).cloned(),
        };
        body.extend(value.map(|value| (field.to_owned(), value)));
    }
    for (field, value) in event.fields() {
        let field = if field == "tool_output" { "tool_response" } else { field };
        if !OURS.contains(&field) && !body.contains_key(field) {
            body.insert(field.to_owned(), value.clone());
        }
    }
    body
}

fn variables(event: &Event) -> Vec<(String, String)> {
    let mut variables = vec![("CLAUDECODE", "1"), ("CLAUDE_CODE_ENTRYPOINT", "becket")];
    variables.extend(event.text("session_id").map(|it| ("CLAUDE_CODE_SESSION_ID", it)));
    let effort = event.field("effort").and_then(|it| it.get("level")?.as_str());
    variables.extend(effort.map(|it| ("CLAUDE_EFFORT", it)));
    let file = event.text(ENV_FILE).filter(|_| ENV_FILE_EVENTS.contains(event.kind()));
    variables.extend(file.map(|it| ("CLAUDE_ENV_FILE", it)));
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    variables.into_iter().map(owned).collect()
}

fn verdict(hook: &Hook, event: &Event, reply: &Reply) -> Result<Verdict, Failure> {
    match reply {
        Reply::Exited { end, stdout, stderr } => exited(hook, event, *end, (stdout, stderr)),
        Reply::Http { status: 200..=299, json, body } => match decoded(body).trim() {
            "" => Ok(Verdict::default()),
            // In safe only JSON that is called JSON can say more than no.
            text if text.starts_with('{') && (*json || is_exact(hook)) => read(hook, event, body),
            _ => {
                let failure = Failure::new(FailureKind::BadOutput, "the answer is not JSON");
                objection_or(hook, event, body, failure)
            }
        },
        Reply::Http { status, body, .. } => {
            let message = format!("the server answered with status {status}");
            objection_or(hook, event, body, Failure::new(FailureKind::BadExit, message))
        }
        Reply::Text { text, .. } => model::judge(hook, event, text),
        Reply::NotAsked => {
            Err(Failure::new(FailureKind::NotStarted, "there is nothing to ask: the text is empty"))
        }
        Reply::InProcess(verdict) => Ok(Verdict::clone(verdict)),
        Reply::TimedOut { limit, stdout, .. } => {
            let message = format!("no answer within {}", seconds(*limit));
            objection_or(hook, event, stdout, Failure::new(FailureKind::TimedOut, message))
        }
        Reply::ConditionFalse { .. } => Ok(Verdict::default()),
        Reply::CutOff { failure, body } => objection_or(hook, event, body, failure.clone()),
        Reply::Failed(failure) => Err(failure.clone()),
    }
}

fn exited(
    hook: &Hook,
    event: &Event,
    end: Exit,
    (stdout, stderr): (&Captured, &Captured),
) -> Result<Verdict, Failure> {
    // Whatever ends badly here makes no worktree.
    let fails = *event.kind() == EventKind::WorktreeCreate && end != Exit::Code(0);
    if end == BLOCKS || fails {
        return Ok(blocked(hook, event, (stdout, stderr)));
    }
    if end == Exit::Code(0) {
        return read(hook, event, stdout);
    }
    let (_, failure) = ended(hook, end, stderr);
    let text = decoded(stdout);
    let answered = whole(&text).and_then(|it| Answer::read(hook, event, it).ok());
    match answered.map(Answer::verdict) {
        Some(verdict) if is_exact(hook) => Ok(verdict),
        Some(verdict) if counts(&verdict) && hook.on_failure(event.kind()) == OnFailure::Allow => {
            Ok(without_allow(verdict, &failure))
        }
        Some(_) | None => objection_or(hook, event, stdout, failure),
    }
}

/// Whether an answer says more than that it does not mind.
fn counts(verdict: &Verdict) -> bool {
    let Verdict { patches, context, messages, extras, .. } = verdict;
    verdict.objects()
        || !(patches.is_empty() && context.is_empty() && messages.is_empty() && extras.is_empty())
}

/// What a hook answered that failed afterwards counts, as in the original; its permission does not.
fn without_allow(mut verdict: Verdict, failure: &Failure) -> Verdict {
    let text = format!("its answer counts although it failed ({}): {failure}", failure.kind);
    verdict.remarks.push(Remark { code: "answer_kept", text });
    if verdict.decision == Decision::Allow {
        verdict.decision = Decision::Pass;
        let text = "its permission does not count: it failed".to_owned();
        verdict.remarks.push(Remark { code: "allow_dropped", text });
    }
    verdict
}

/// A block by exit code: standard error says why, and what was printed undoes nothing.
fn blocked(hook: &Hook, event: &Event, (stdout, stderr): (&Captured, &Captured)) -> Verdict {
    let (why, text) = (decoded(stderr), decoded(stdout));
    let answered = whole(&text).and_then(|it| Answer::read(hook, event, it).ok());
    let said = answered.map(Answer::verdict);
    let reason = match why.trim() {
        "" => said.as_ref().and_then(|it| it.reason.clone()),
        why => Some(why.to_owned()),
    };
    let mut verdict = specific::block(event, reason, hook);
    if let Some(said) = said {
        verdict.stop = said.stop;
        if said.decision == Decision::Allow {
            let text = "it allows in what it prints and blocks by its exit code, which counts";
            verdict.remarks.push(Remark { code: "conflict", text: text.to_owned() });
        }
    }
    verdict
}

/// Reads an answer that came the regular way.
fn read(hook: &Hook, event: &Event, output: &Captured) -> Result<Verdict, Failure> {
    let text = decoded(output);
    if text.trim().is_empty() {
        return Ok(Verdict::default());
    }
    if let Some(remark) = backgrounded(&text) {
        return Ok(Verdict { remarks: vec![remark], ..Verdict::default() });
    }
    let failure = match whole(&text).map(|it| Answer::read(hook, event, it)) {
        Some(Ok(answer)) => return Ok(strictest(hook, event, answer.verdict(), &text)),
        Some(Err(Bad(message))) => Failure::new(FailureKind::BadOutput, message),
        None if output.truncated => {
            Failure::new(FailureKind::TooLarge, "the output is longer than what is kept")
        }
        None if text.trim_start().starts_with('{') => {
            let message = format!("the output is not JSON: `{}`", first_lines(text.trim()));
            Failure::new(FailureKind::BadOutput, message)
        }
        None => return Ok(said(hook, event, &text, output)),
    };
    objection_or(hook, event, output, failure)
}

/// What a hook printed that is no answer.
fn said(hook: &Hook, event: &Event, text: &str, output: &Captured) -> Verdict {
    let mut verdict = specific::plain_text(hook, event, text.trim());
    if answer::stands_in(text) {
        let text = "other text stands around its answer, so the original does not read it";
        let remark = Remark { code: "text_around_json", text: text.to_owned() };
        if hook.profile().keep_objections
            && let Some(found) = objection::find(&decoded(output), output.is_cut(), SIGNS)
        {
            verdict = refusal(hook, event, found);
        }
        verdict.remarks.push(remark);
    }
    verdict
}

/// An answer of which another reading is stricter: a key that stands twice, say.
fn strictest(hook: &Hook, event: &Event, verdict: Verdict, text: &str) -> Verdict {
    if is_exact(hook) || verdict.decision == Decision::Deny {
        return verdict;
    }
    match objection::find(text, false, SIGNS) {
        Some(found) if found.blocks && !feeds_back(event) => {
            let mut refusal = refusal(hook, event, found);
            let text = "its answer can be read in two ways; the stricter one counts".to_owned();
            refusal.remarks.push(Remark { code: "conflict", text });
            refusal
        }
        Some(_) | None => verdict,
    }
}

/// Whether a block is a word to the model here, and nothing else.
fn feeds_back(event: &Event) -> bool {
    matches!(event.kind(), EventKind::PostToolUse | EventKind::PostToolUseFailure)
}

/// A hook may say first of all that nobody is to wait for it.
fn backgrounded(text: &str) -> Option<Remark> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = stream.next()?.ok()?;
    let text = "it said that nobody is to wait for it, so what it printed decides nothing; \
        set `async` to have it started in the background";
    let remark = Remark { code: "async_answer", text: text.to_owned() };
    (first.get("async") == Some(&Value::Bool(true))).then_some(remark)
}

/// A refusal that arrived, in whatever company, is never lost.
fn objection_or(
    hook: &Hook,
    event: &Event,
    output: &Captured,
    failure: Failure,
) -> Result<Verdict, Failure> {
    if !hook.profile().keep_objections {
        return Err(failure);
    }
    let Some(found) = objection::find(&decoded(output), output.is_cut(), SIGNS) else {
        return Err(failure);
    };
    let mut verdict = refusal(hook, event, found);
    verdict.remarks.push(objection::kept(&failure));
    Ok(verdict)
}

/// What a refusal means whose company could not be read.
fn refusal(hook: &Hook, event: &Event, found: Objection) -> Verdict {
    let mut verdict = match (found.blocks, found.asks) {
        (true, _) => specific::block(event, found.reason, hook),
        (false, true) => {
            Verdict { decision: Decision::Ask, reason: found.reason, ..Verdict::default() }
        }
        (false, false) => Verdict::default(),
    };
    verdict.stop = found.stops.then_some(Stop { reason: found.stop_reason });
    verdict
}

fn is_exact(hook: &Hook) -> bool {
    hook.profile().output == OutputCodec::ClaudeCodeAlone
}

/// The one object a text consists of.
fn whole(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(&object::whole_characters(text.trim())) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    }
}

/// Texts for the model have a bound, and what is cut off is marked.
fn cut_context(mut verdict: Verdict) -> Verdict {
    let mut cut = false;
    for text in &mut verdict.context {
        let length = text.chars().count();
        if length > MAX_CONTEXT {
            let kept: String = text.chars().take(MAX_CONTEXT).collect();
            *text = format!("{kept}\n[cut here: the hook said {length} characters]");
            cut = true;
        }
    }
    if cut {
        let text = format!("its text for the model was cut at {MAX_CONTEXT} characters");
        verdict.remarks.push(Remark { code: "context_cut", text });
    }
    verdict
}
