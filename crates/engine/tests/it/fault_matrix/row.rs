//! The rows as recorded, and what they mean in our words.

use std::fs;
use std::time::Duration;

use becket::core::verdict::{FailureKind, OnFailure};
use becket::{Decision, EffectKind, EventKind, Outcome};

/// How long a handler has, as the rows assume.
const T: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) id: String,
    pub(super) fault: String,
    class: String,
    policy: String,
    expected: String,
    pub(super) status: String,
    bound: String,
    orphans: String,
    audit: String,
}

/// Every row of the matrix.
pub(super) fn rows() -> Vec<Row> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/safety/fault_matrix.csv");
    let text = fs::read_to_string(path).unwrap();
    let rows: Vec<Row> = text.lines().skip(1).map(row).collect();
    assert_eq!(rows.len(), 848);
    rows
}

/// The rows of one fault.
pub(super) fn rows_of(fault: &str) -> Vec<Row> {
    let rows: Vec<Row> = rows().into_iter().filter(|row| row.fault == fault).collect();
    assert_eq!(rows.len(), 12, "{fault}");
    rows
}

fn row(line: &str) -> Row {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                cells.last_mut().unwrap().push('"');
                characters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().unwrap().push(other),
        }
    }
    let [id, _, fault, _, _, class, policy, expected, status, bound, orphans, audit] =
        cells.try_into().expect("twelve cells");
    Row { id, fault, class, policy, expected, status, bound, orphans, audit }
}

/// What the one hook of a row must have come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    /// Why it has no verdict of its own, or had none but for the refusal that was found in it.
    pub(super) failure: Option<FailureKind>,
    /// A note that tells what else was wrong.
    pub(super) note: Option<&'static str>,
}

impl Row {
    pub(super) fn kind(&self) -> EventKind {
        match self.class.as_str() {
            "gate" => EventKind::PreToolUse,
            "mutate" => EventKind::PreModelCall,
            "loop_gate" => EventKind::Stop,
            "observe" => EventKind::PostToolUse,
            other => panic!("{other}"),
        }
    }

    pub(super) fn policy(&self) -> OnFailure {
        match self.policy.as_str() {
            "open" => OnFailure::Allow,
            "ask" => OnFailure::Ask,
            "closed" => OnFailure::Deny,
            other => panic!("{other}"),
        }
    }

    /// How long its handler has: the second that the rows assume where it is used up, and else more
    /// than any machine needs, since such a handler must never come near its deadline.
    pub(super) fn limit(&self) -> Duration {
        let used_up = ["timeout", "timeout_truncated"].contains(&self.status.as_str());
        if used_up { T } else { 30 * T }
    }

    /// How long the answer may take.
    pub(super) fn bound(&self) -> Duration {
        assert!(["timeout+300ms", "300ms after exit"].contains(&self.bound.as_str()));
        let used_up = self.limit() == T;
        // Without optimisation, judging and recording a megabyte takes a while by itself.
        let judging = match self.status.as_str() {
            "timeout_truncated" if cfg!(debug_assertions) => T,
            _ => Duration::ZERO,
        };
        if used_up { T + Duration::from_millis(300) + judging } else { self.limit() / 2 }
    }

    /// What the status of a row is in our words.
    fn record(&self) -> Expected {
        let failed = |kind| Expected { failure: Some(kind), note: None };
        let fine = |note| Expected { failure: None, note };
        match (self.status.as_str(), self.fault.as_str()) {
            ("ok" | "noisy_output" | "ok_config_changed" | "depth_capped", _) => fine(None),
            ("ok_leftover", _) => fine(Some("left_behind")),
            ("not_started", _) => failed(FailureKind::NotStarted),
            ("timeout", _) => failed(FailureKind::TimedOut),
            ("timeout_truncated", _) => {
                Expected { note: Some("truncated"), ..failed(FailureKind::TimedOut) }
            }
            ("crashed" | "http_error", _) => failed(FailureKind::BadExit),
            ("killed", _) => failed(FailureKind::Signalled),
            ("invalid_output", _) => failed(FailureKind::BadOutput),
            ("truncated", "C17") => fine(Some("truncated")),
            // A refusal of which only the beginning was kept.
            ("truncated", "C28") => {
                Expected { note: Some("truncated"), ..failed(FailureKind::TooLarge) }
            }
            ("connect_error" | "tls_error" | "model_error", _) | ("truncated", "H07" | "H08") => {
                failed(FailureKind::Unreachable)
            }
            ("truncated" | "budget", _) => failed(FailureKind::TooLarge),
            ("redirect_refused" | "address_refused" | "refused", _) => failed(FailureKind::Refused),
            other => panic!("{other:?}"),
        }
    }

    /// Compares an outcome with the row.
    pub(super) fn check(&self, outcome: &Outcome, headless: bool) {
        let effects: Vec<EffectKind> = outcome.effects.iter().map(|it| it.kind).collect();
        let (got, at) = ((outcome.decision, effects.as_slice()), &self.id);
        let asks = if headless { Decision::Deny } else { Decision::Ask };
        let aborts = [EffectKind::FailRun];
        let nothing = (&[][..], &[][..]);
        let (asked, aborted) =
            if headless { (&[EffectKind::DenyTool][..], &aborts[..]) } else { nothing };
        match self.expected.as_str() {
            "no_opinion+warning" | "unchanged+warning" => {
                assert_eq!(got, (Decision::Pass, &[][..]), "{at}");
                assert_eq!(outcome.failed_open(), 1, "{at}: it is counted");
            }
            "no_opinion" | "unchanged" | "stop_allowed" => {
                assert_eq!(got, (Decision::Pass, &[][..]), "{at}: {:?}", outcome.notes);
            }
            "ask (deny when nobody can be asked)" => assert_eq!(got, (asks, asked), "{at}"),
            "ask (abort when nobody can be asked)" => assert_eq!(got, (asks, aborted), "{at}"),
            "deny" => assert_eq!(got, (Decision::Deny, &[EffectKind::DenyTool][..]), "{at}"),
            "abort_operation" => assert_eq!(got, (Decision::Deny, &aborts[..]), "{at}"),
            "block_stop (counted, cap 8)" => {
                assert_eq!(got, (Decision::Deny, &[EffectKind::ContinueLoop][..]), "{at}");
            }
            // The run goes on. A refusal after the fact may become the tool's error, as DECISIONS say.
            "continue" => assert!(effects.iter().all(|it| *it == EffectKind::FailTool), "{at}"),
            other => panic!("{other}"),
        }
        assert!(outcome.patched.is_empty(), "{at}");
        self.check_record(outcome);
    }

    fn check_record(&self, outcome: &Outcome) {
        let (expected, at) = (self.record(), &self.id);
        let run = outcome.runs().next().unwrap();
        let failure = run.settled.failure.as_ref().map(|it| it.kind);
        let kept = run.settled.verdict.remarks.iter().find(|it| it.code == "objection_kept");
        match (expected.failure, kept) {
            // The refusal stands, and what went wrong around it is told.
            (Some(kind), Some(remark)) => {
                assert_eq!(failure, None, "{at}");
                assert!(remark.text.contains(kind.name()), "{at}: {}", remark.text);
            }
            (kind, _) => assert_eq!(failure, kind, "{at}: {:?} {:?}", run.settled, run.reply),
        }
        if let Some(code) = expected.note {
            assert!(outcome.notes.iter().any(|it| it.code() == code), "{at}: {:?}", outcome.notes);
        }
    }

    /// Compares what the journal holds with the row.
    pub(super) fn check_journal(&self, journal: &str, outcome: &Outcome) {
        let lines: Vec<&str> = journal.lines().collect();
        let [line] = lines.as_slice() else { panic!("{}: {} records", self.id, lines.len()) };
        assert!(self.audit.starts_with("one record"), "{}", self.id);
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let report = serde_json::to_value(becket::core::report::Report::from(outcome)).unwrap();
        for field in ["decision", "hooks", "notes"] {
            assert_eq!(record["outcome"][field], report[field], "{}: {field}", self.id);
        }
        assert_eq!(self.orphans, "0");
    }
}
