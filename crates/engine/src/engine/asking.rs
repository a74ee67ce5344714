//! Asking a person, and remembering what they said.

use becket_core::outcome::{Note, Tally};
use becket_core::profile::MAX_TIMEOUT;
use becket_core::rule::{Call, Rule};
use becket_core::rules::RuleSpec;

use super::Engine;
use crate::port::{AskRequest, Consent};

impl Engine {
    /// Where the hooks and rules want a person asked and there is one, asks.
    pub(super) async fn ask(&self, tally: &mut Tally) {
        tally.conclude();
        let Some(person) = self.person.as_ref().filter(|_| !self.headless) else { return };
        let Some((event, reasons)) = tally.question() else { return };
        let call = Call::of(event);
        let always = call.as_ref().and_then(Rule::for_exactly);
        let question = AskRequest {
            event: event.kind().name().to_owned(),
            tool: call.map(|it| it.tool.to_owned()),
            input: event.field("tool_input").cloned().unwrap_or_default(),
            reasons: reasons.to_vec(),
            always: always.clone(),
        };
        // Whoever does not answer in all that time has not agreed.
        let answer = tokio::time::timeout(MAX_TIMEOUT, person.ask(question)).await;
        let answer = answer.unwrap_or(Consent::Refused(Some("nobody answered".to_owned())));
        match answer {
            Consent::Once => tally.answer(Ok(())),
            Consent::Refused(why) => tally.answer(Err(why)),
            Consent::Always => {
                tally.answer(Ok(()));
                if let Some(why) = self.remember(always.as_ref()) {
                    tally.note(Note::General { code: "not_remembered", text: why });
                }
            }
        }
    }

    /// Puts a remembered answer in force; says why it could not be kept.
    fn remember(&self, rule: Option<&Rule>) -> Option<String> {
        let Some(rule) = rule else {
            return Some(
                "the answer holds for this call only: no rule says exactly this".to_owned(),
            );
        };
        let Some(answers) = &self.answers else {
            return Some("the answer holds for this call only: nothing is kept here".to_owned());
        };
        match answers.remember(&self.workspace, rule) {
            Ok(spec) => {
                self.put(spec);
                None
            }
            Err(error) => Some(format!("the answer holds for this call only: {error}")),
        }
    }

    fn put(&self, spec: RuleSpec) {
        self.replace(|current| current.with_rule(spec));
    }
}
