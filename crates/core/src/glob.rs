//! Globs, as Python's `fnmatch` and shells read them.

/// `fnmatch`: `*`, `?`, `[seq]` and `[!seq]`, anchored at both ends.
pub(crate) fn matches(glob: &str, subject: &str) -> bool {
    let glob: Vec<char> = glob.chars().collect();
    let subject: Vec<char> = subject.chars().collect();
    // Positions to return to when a later character does not fit: the last star.
    let (mut at, mut pos, mut retry) = (0, 0, None);
    while pos < subject.len() {
        match (glob.get(at), subject.get(pos)) {
            (Some('*'), _) => {
                retry = Some((at, pos));
                at += 1;
                continue;
            }
            (Some(_), Some(c)) => {
                if let Some(next) = one_matches(&glob, at, *c) {
                    at = next;
                    pos += 1;
                    continue;
                }
            }
            (None, _) | (_, None) => (),
        }
        let Some((star, from)) = retry else { return false };
        retry = Some((star, from + 1));
        at = star + 1;
        pos = from + 1;
    }
    glob.iter().skip(at).all(|c| *c == '*')
}

/// The position after the glob's element at `at`, if that element matches `c`.
fn one_matches(glob: &[char], at: usize, c: char) -> Option<usize> {
    match glob.get(at)? {
        '?' => Some(at + 1),
        '[' => {
            let negated = glob.get(at + 1) == Some(&'!');
            let start = at + 1 + usize::from(negated);
            // A `]` right at the start belongs to the set.
            let end =
                glob.iter().skip(start + 1).position(|it| *it == ']').map(|it| it + start + 1);
            let Some(set) = end.and_then(|end| glob.get(start..end)) else {
                return (c == '[').then_some(at + 1);
            };
            (set_contains(set, c) != negated).then_some(start + set.len() + 1)
        }
        literal => (*literal == c).then_some(at + 1),
    }
}

fn set_contains(set: &[char], c: char) -> bool {
    let mut rest = set;
    while let [first, tail @ ..] = rest {
        if let ['-', last, after @ ..] = tail {
            if (*first..=*last).contains(&c) {
                return true;
            }
            rest = after;
        } else if *first == c {
            return true;
        } else {
            rest = tail;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_glob_is_anchored_and_knows_sets() {
        assert!(matches("mcp__*", "mcp__fs__read"));
        assert!(matches("*_file", "read_file"));
        assert!(matches("[a-c]?d", "bxd"));
        assert!(matches("[!a]x", "bx"));
        assert!(!matches("[!a]x", "ax"));
        assert!(!matches("ash", "Bash"));
        assert!(!matches("a|b", "a"));
        assert!(matches("*a*b*", "xaxxbx"));
        assert!(!matches("*a*b*c", "xaxxbx"));
    }
}
