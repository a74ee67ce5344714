//! The readable cases of `spec/`, run.
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use becket::Builder;
use becket::case::{read, run};
use becket_agent::model::Scripted;
use serde_json::Value;

#[tokio::test]
async fn every_case_of_the_specification_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for case in read(&path, &text).unwrap() {
            count += 1;
            let found = run(&case, &lend).await;
            wrong.extend(
                found
                    .iter()
                    .map(|it| format!("{}:{}: {}\n    {it}", path.display(), case.line, case.name)),
            );
        }
    }
    assert!(count > 50, "only {count} cases were found");
    assert!(wrong.is_empty(), "{} of {count} cases:\n{}", wrong.len(), wrong.join("\n"));
}

fn lend(builder: Builder, script: &Value) -> Builder {
    let scripted = Arc::new(Scripted::from_json(script).unwrap());
    builder.model(Arc::<Scripted>::clone(&scripted)).subagent(scripted)
}
