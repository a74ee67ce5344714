//! No payload makes the reader panic, and what it takes means the same when written and read again.
#![no_main]

use becket_core::event::{EventKind, parse_payload};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let (kind, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    let Some(kind) = EventKind::KNOWN.get(usize::from(*kind) % EventKind::KNOWN.len()) else {
        return;
    };
    let Ok(event) = parse_payload(kind.clone(), bytes) else { return };
    let written = serde_json::to_vec(event.fields()).expect("fields are JSON");
    assert_eq!(parse_payload(kind.clone(), &written), Ok(event));
});
