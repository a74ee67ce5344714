//! How much of everything there may be: each limit once, with its default and its bounds.

/// One limit, as settings know it.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Its name in settings.
    pub name: &'static str,
    /// What it limits.
    pub what: &'static str,
    /// What it is when nobody says.
    pub default: usize,
    /// The least it can be set to.
    pub floor: usize,
    /// The most it can be set to.
    pub ceiling: usize,
}

macro_rules! limits {
    ($($name:ident: $default:expr, $floor:expr, $ceiling:expr, $what:literal;)*) => {
        /// The limits in force.
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub struct Limits {
            $(#[doc = $what] pub $name: usize,)*
        }

        impl Limits {
            /// Every limit there is.
            pub const TABLE: &'static [Limit] = &[$(Limit {
                name: stringify!($name),
                what: $what,
                default: $default,
                floor: $floor,
                ceiling: $ceiling,
            },)*];

            /// Sets a limit by its name, and keeps it within its bounds; false when there is none.
            pub fn set(&mut self, name: &str, value: usize) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value.clamp($floor, $ceiling),)*
                    _ => return false,
                }
                true
            }

            /// The value of a limit by its name.
            pub fn get(&self, name: &str) -> Option<usize> {
                match name {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }
    };
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

limits! {
    parallel: 8, 1, 256, "How many hooks of one event run at once";
    processes: 32, 1, 256, "How many processes of hooks run at once, over all events";
    queue: 256, 1, 4096, "How many hooks that nobody waits for may wait or run";
    depth: 3, 1, 8, "How many hooks may stand above each other";
    stdout_bytes: MIB, KIB, 16 * MIB, "What is kept of a command's standard output";
    stderr_bytes: 64 * KIB, KIB, MIB, "What is kept of a command's standard error";
    body_bytes: MIB, KIB, 16 * MIB, "What is kept of an HTTP answer";
    text_chars: 10_000, 100, 1_000_000, "How much text of one hook reaches the model";
    gate_grace_ms: 250, 0, 2_000, "Milliseconds between asking a gate's command to end and ending it";
    guard_after_ms: 20, 0, 1_000, "Milliseconds that a command runs before its guardian is started; 0: the guardian is there first";
    grace_ms: 2_000, 0, 10_000, "Milliseconds between asking any other command to end and ending it";
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn a_limit_is_never_set_beyond_its_bounds() {
        for limit in Limits::TABLE {
            let mut limits = Limits::default();
            assert_eq!(limits.get(limit.name), Some(limit.default), "{}", limit.name);
            assert!(limits.set(limit.name, usize::MAX));
            assert_eq!(limits.get(limit.name), Some(limit.ceiling), "{}", limit.name);
            assert!(limits.set(limit.name, 0));
            assert_eq!(limits.get(limit.name), Some(limit.floor), "{}", limit.name);
        }
        assert!(!Limits::default().set("no_such_limit", 1));
    }
}
