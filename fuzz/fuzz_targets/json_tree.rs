//! No bytes make the JSON readers panic; JSONC takes whatever JSON takes, and means the same.
#![no_main]

use std::path::PathBuf;
use std::sync::Arc;

use becket_core::config::File;
use becket_core::config::tree::{Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = File { path: Arc::new(PathBuf::from("settings.json")), bytes: bytes.to_vec() };
    let (json, jsonc) = (parse(&file, Format::Json), parse(&file, Format::Jsonc));
    if let Ok((_, json)) = &json {
        let (_, jsonc) = jsonc.as_ref().expect("JSON is JSONC");
        assert_eq!(json, jsonc);
    }
    for problems in [json.err(), jsonc.err()].into_iter().flatten() {
        assert!(!problems.is_empty(), "refused without a reason");
    }
});
