//! No command line makes its analysis panic or hang, and nothing unreadable is ever proven.
#![no_main]

use becket_core::guard;
use becket_core::shell::judge::{Proof, allows, hits};
use becket_core::shell::pattern::CommandPattern;
use becket_core::shell::{Analysis, MAX_COMMANDS};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let analysis = Analysis::of(text);
    assert!(analysis.commands.len() <= MAX_COMMANDS);
    let _ = (guard::catastrophic(&analysis), analysis.operands());
    let Ok(git) = CommandPattern::parse("git:*") else { return };
    let _ = hits(&git, &analysis);
    if allows(&[git], &analysis) == Proof::Proven {
        assert!(analysis.hides().is_none(), "`{text}` hides something");
    }
});
