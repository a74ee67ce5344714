//! How much a hook's answer counts.

/// How much a hook's answer counts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Mode {
    /// It counts.
    #[default]
    Enforce,
    /// What it would have refused or rewritten is told to the person, and goes ahead.
    Warn,
    /// What it would have done is recorded, and goes ahead.
    Shadow,
    /// It counts for so many of a hundred sessions; for the others it is recorded.
    Canary(u8),
}

impl Mode {
    /// The word for it in configuration and output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Warn => "warn",
            Self::Shadow => "shadow",
            Self::Canary(_) => "canary",
        }
    }

    /// What it comes to for one hook in one session: never a canary.
    ///
    /// Nothing is drawn. The same session gives the same answer every time, on every machine, and
    /// a larger share keeps the sessions that a smaller one had. Outside of a session only a share
    /// of all of them counts.
    #[must_use]
    pub fn in_session(self, session: Option<&str>, hook: &str) -> Self {
        let Self::Canary(percent) = self else { return self };
        let chosen = match session {
            _ if percent >= 100 => true,
            Some(session) => place_of(session, hook) < u64::from(percent),
            None => false,
        };
        if chosen { Self::Enforce } else { Self::Shadow }
    }
}

/// The place of a session among a hundred, for one hook: FNV-1a, and its bits mixed once more, since
/// ids that differ in one digit should not stand side by side.
fn place_of(session: &str, hook: &str) -> u64 {
    let bytes = session.bytes().chain([0]).chain(hook.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (hash ^ (hash >> 33)) % 100
}

#[cfg(test)]
mod tests {
    use super::Mode;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_larger_share_keeps_the_sessions_of_a_smaller_one(
            session in ".{0,20}", hook in "[a-z-]{1,10}", small in 1_u8..=100, more in 0_u8..=99,
        ) {
            let large = small.saturating_add(more).min(100);
            let counts = |share| Mode::Canary(share).in_session(Some(&session), &hook) == Mode::Enforce;
            prop_assert!(!counts(small) || counts(large));
            prop_assert!(counts(100));
        }
    }

    #[test]
    fn a_tenth_of_the_sessions_is_about_a_tenth() {
        let counts = |n: u32| {
            Mode::Canary(10).in_session(Some(&format!("session-{n}")), "guard") == Mode::Enforce
        };
        let share = (0..10_000).filter(|n| counts(*n)).count();
        assert!((900..=1100).contains(&share), "{share} of 10,000");
    }

    #[test]
    fn outside_of_a_session_a_canary_only_records() {
        assert_eq!(Mode::Canary(99).in_session(None, "guard"), Mode::Shadow);
        assert_eq!(Mode::Canary(100).in_session(None, "guard"), Mode::Enforce);
    }
}
