//! No bytes make the YAML reader panic, and what it returns stays inside its bounds.
#![no_main]

use std::path::PathBuf;
use std::sync::Arc;

use becket_core::config::File;
use becket_core::config::tree::{Data, Format, MAX_DEPTH, MAX_NODES, Node, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = File { path: Arc::new(PathBuf::from("hook.yaml")), bytes: bytes.to_vec() };
    match parse(&file, Format::Yaml) {
        Ok((source, root)) => {
            let mut nodes = 0;
            check(&root, source.text.len(), 0, &mut nodes);
        }
        Err(problems) => assert!(!problems.is_empty(), "refused without a reason"),
    }
});

fn check(node: &Node, end: usize, depth: usize, nodes: &mut usize) {
    *nodes += 1;
    // Aliases may stand for lists of aliases; each level of that costs as many values as it is deep.
    assert!(depth <= MAX_DEPTH + 200 && *nodes <= MAX_NODES, "{depth} deep, {nodes} nodes");
    assert!(node.span.start <= node.span.end && node.span.end <= end, "{:?}", node.span);
    match &node.data {
        Data::List(items) => items.iter().for_each(|item| check(item, end, depth + 1, nodes)),
        Data::Map(entries) => {
            entries.iter().for_each(|entry| check(&entry.value, end, depth + 1, nodes));
        }
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => (),
    }
}
