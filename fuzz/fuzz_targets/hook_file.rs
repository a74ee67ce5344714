//! No file makes any dialect's decoder panic, and what is refused has a reason.
#![no_main]

use becket_core::config::READABLE;
use becket_core::dialect::Compat;
use becket_core::registry::Registry;
use becket_fuzz::read_file;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for dialect in READABLE {
        for (compat, path) in [(Compat::Safe, "hooks.json"), (Compat::Exact, "hooks.yaml")] {
            let loaded = read_file((dialect, compat), path, bytes);
            assert!(loaded.refused.is_empty() || !loaded.diagnostics.is_empty(), "{loaded:?}");
            let registry = Registry::new(loaded.specs, loaded.refused, 1);
            for hook in registry.hooks() {
                let _ = hook.matcher().validate();
            }
        }
    }
});
