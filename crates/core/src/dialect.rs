//! The systems whose hooks we speak: names only.
//!
//! How a system behaves is data in [`profile`](crate::profile); how it *writes*
//! hooks is in [`config`](crate::config); how its hooks are *called and answer* is
//! in [`wire`](crate::wire).

/// One system's way of doing hooks.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Dialect {
    /// Our own.
    Becket,
    /// Open Agent Harness, `.openharness/hooks/*.yaml` (seeds 002 and 003).
    Oah,
    /// HKUDS/OpenHarness, the program that seed 000 describes.
    OpenHarness,
    /// Seed 000 as it is written.
    T15,
    /// learn-claude-code's file hooks (`.hooks.json`).
    LccS08,
    /// The `MicroAI` adapter specification (seed 004).
    Microai,
    /// Claude Code's `settings.json`.
    ClaudeCode,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 7] = [
        Self::Becket,
        Self::Oah,
        Self::OpenHarness,
        Self::T15,
        Self::LccS08,
        Self::Microai,
        Self::ClaudeCode,
    ];

    /// The name used in configuration, on the command line and in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Becket => "becket",
            Self::Oah => "oah",
            Self::OpenHarness => "openharness",
            Self::T15 => "t15",
            Self::LccS08 => "lcc-s08",
            Self::Microai => "microai",
            Self::ClaudeCode => "claude-code",
        }
    }

    /// The dialect with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// Whose behaviour is wanted where a system has quirks.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Compat {
    /// Everything a dialect documents, with what crashes, hangs or is silently dead mended.
    #[default]
    Safe,
    /// What the original program does, quirks included.
    Exact,
}

impl Compat {
    /// The name used on the command line and in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Exact => "exact",
        }
    }
}
