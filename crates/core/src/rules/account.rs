//! How a call was judged, for people.

use super::{Judgement, Rules};
use crate::decision::Decision;
use crate::rule::Call;

/// A call taken apart, with what the rules say about each part and about the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The programs its command line may start, where it has one.
    pub parts: Vec<Part>,
    /// What cannot be seen in it.
    pub doubts: Vec<String>,
    /// Why no allow rule covers it, where there are such rules.
    pub unproven: Option<String>,
    /// What the rules say about the whole.
    pub judgement: Judgement,
}

/// One program that a command line may start.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The command.
    pub command: String,
    /// Where it stands in the line.
    pub place: &'static str,
    /// The rules that speak of it.
    pub rules: Vec<(Decision, String)>,
}

impl Rules {
    /// How they judge a call, and why.
    pub fn account(&self, call: &Call<'_>) -> Account {
        let ours = || self.specs.iter().filter(|it| it.rule.is_about(call.tool));
        let parts = call.analysis().map(|it| it.commands.as_slice()).unwrap_or_default();
        let parts = parts.iter().map(|command| {
            let speaks = ours().filter(|it| it.rule.speaks_of(command));
            Part {
                command: command.shown(),
                place: command.place.name(),
                rules: speaks.map(|it| (it.decision, it.rule.to_string())).collect(),
            }
        });
        let doubts = call.analysis().map(|it| it.doubts.as_slice()).unwrap_or_default();
        let judgement = self.judge(call);
        let has_allow = ours().any(|it| it.decision == Decision::Allow);
        Account {
            parts: parts.collect(),
            doubts: doubts.iter().map(ToString::to_string).collect(),
            unproven: (has_allow && judgement.allowed_by.is_none())
                .then(|| self.why_unproven(call))
                .flatten(),
            judgement,
        }
    }
}
