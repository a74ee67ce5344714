//! Every payload that Claude Code was seen to send reaches a hook as it was.

use std::fs;

use becket::core::event::{EventKind, parse_payload};
use becket::{Compat, Dialect};
use serde_json::Value;

use super::workspace::{Workspace, fixtures};

#[tokio::test]
async fn every_recorded_payload_reaches_a_hook_with_exactly_its_fields() {
    let mut seen = 0;
    for entry in fs::read_dir(fixtures("clients/claude-code")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let recorded: Value = serde_json::from_slice(&bytes).unwrap();
        let name = recorded["hook_event_name"].as_str().unwrap();
        let workspace = Workspace::command(name, "cat > seen");
        let engine = workspace.builder(Compat::Safe).build();
        let kind = EventKind::named(name).unwrap();
        assert_eq!(kind.name_in(Dialect::ClaudeCode), Some(name));
        let event = parse_payload(kind, &bytes).unwrap();
        let outcome = engine.fire(event).await;
        assert_eq!(outcome.notes, [], "{}", path.display());
        let sent = fs::read_to_string(workspace.path().join("seen")).unwrap();
        let line = sent.strip_suffix('\n').unwrap();
        assert!(!line.contains('\n'), "{}: one line", path.display());
        assert_eq!(serde_json::from_str::<Value>(line).unwrap(), recorded, "{}", path.display());
        seen += 1;
    }
    assert_eq!(seen, 71);
}
