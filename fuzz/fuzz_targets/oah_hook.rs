//! No hook file makes the decoder panic, and every hook is either in force or refused with a reason.
#![no_main]

use becket_core::dialect::Compat;
use becket_core::registry::Registry;
use becket_fuzz::read_hook;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for compat in [Compat::Safe, Compat::Exact] {
        let loaded = read_hook(compat, bytes);
        assert_eq!(loaded.specs.len() + loaded.refused.len(), 1, "{loaded:?}");
        assert!(loaded.refused.is_empty() || !loaded.diagnostics.is_empty(), "{loaded:?}");
        let registry = Registry::new(loaded.specs, loaded.refused, 1);
        for hook in registry.hooks() {
            let _ = hook.matcher().validate();
        }
    }
});
