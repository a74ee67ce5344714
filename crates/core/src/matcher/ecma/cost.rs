//! How long a backtracking search may take, judged by the pattern alone.

use std::iter::Peekable;
use std::str::Chars;

/// A bound: `ways` times the length of the subject to the power of `degree`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Cost {
    degree: u32,
    ways: usize,
}

/// A group that is still open.
#[derive(Clone, Copy)]
struct Group {
    /// What the alternative being read costs so far, and the dearest one before it.
    branch: Cost,
    dearest: Cost,
    branches: usize,
    /// Look-around: once it has said yes or no, it is not entered again.
    atomic: bool,
}

impl Cost {
    const ONE: Self = Self { degree: 0, ways: 1 };
    /// The search may begin anywhere, and a repetition may end anywhere.
    const LENGTH: Self = Self { degree: 1, ways: 1 };

    /// The cost of a valid pattern; `None` when it grows exponentially.
    ///
    /// That is where something with several ways to match stands inside a repetition, as
    /// in `(a+)+` or `(a|b)*`. This errs on the side of caution.
    pub(super) fn of(pattern: &str) -> Option<Self> {
        let mut groups = vec![Group::open(false)];
        let mut looks = Self::ONE;
        let mut chars = pattern.chars().peekable();
        let mut in_class = false;
        while let Some(c) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                '[' | ']' => in_class = c == '[',
                _ if in_class => (),
                '(' => groups.push(Group::open(is_look(&mut chars))),
                ')' => {
                    let (group, nested) = (groups.pop()?, groups.len() > 1);
                    let (outer, inner) = (&mut groups.last_mut()?.branch, group.cost());
                    let repeated = matches!(chars.peek(), Some('*' | '+' | '{'));
                    if group.atomic {
                        // Where it stands in a group, that may be repeated.
                        let again = if nested { Self::LENGTH } else { Self::ONE };
                        looks = looks.or(outer.times(inner).times(again));
                    } else if repeated && inner != Self::ONE {
                        return None;
                    } else {
                        *outer = outer.times(inner);
                    }
                }
                '|' => groups.last_mut()?.next_branch(),
                '*' | '+' | '{' => groups.last_mut()?.add(Self::LENGTH),
                '?' => groups.last_mut()?.add(Self { degree: 0, ways: 2 }),
                _ => (),
            }
        }
        Some(groups.pop()?.cost().or(looks).times(Self::LENGTH))
    }

    /// The steps on a subject of this length.
    pub(super) fn steps(self, length: usize) -> usize {
        length.saturating_pow(self.degree).saturating_mul(self.ways)
    }

    fn times(self, other: Self) -> Self {
        let degree = self.degree.saturating_add(other.degree);
        Self { degree, ways: self.ways.saturating_mul(other.ways) }
    }

    fn or(self, other: Self) -> Self {
        Self { degree: self.degree.max(other.degree), ways: self.ways.max(other.ways) }
    }
}

impl Group {
    fn open(atomic: bool) -> Self {
        Self { branch: Cost::ONE, dearest: Cost::ONE, branches: 1, atomic }
    }

    fn add(&mut self, cost: Cost) {
        self.branch = self.branch.times(cost);
    }

    fn next_branch(&mut self) {
        self.dearest = self.dearest.or(self.branch);
        self.branch = Cost::ONE;
        self.branches += 1;
    }

    fn cost(self) -> Cost {
        self.dearest.or(self.branch).times(Cost { degree: 0, ways: self.branches })
    }
}

/// Reads what follows a `(` and says whether that is look-around.
fn is_look(chars: &mut Peekable<Chars<'_>>) -> bool {
    chars.next_if_eq(&'?').is_some() && {
        chars.next_if_eq(&'<');
        matches!(chars.peek(), Some('=' | '!'))
    }
}

#[cfg(test)]
mod tests {
    use super::Cost;

    #[test]
    fn what_could_take_for_ever_is_seen() {
        for pattern in ["(a+)+", "((a)*)*", "(a|b+c)*", "((a+))+", "(a|a)*", "(a?){30}", "(?:a|b)+"]
        {
            assert_eq!(Cost::of(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_search_costs_what_its_choices_multiply_to() {
        for (pattern, degree, ways) in [
            ("ab", 1, 1),
            ("a+b+", 3, 1),
            ("(ab)+", 2, 1),
            (r"(a\+)+", 2, 1),
            ("([+*|])+", 2, 1),
            ("a?(b|c|d)", 1, 6),
            ("a.*|b.*|c", 2, 3),
            ("^(?!.*(a|b)).*$", 2, 2),
            ("(?=.*a)(?=.*b)(?<!c).*", 2, 1),
            ("(?:(?!a|b).)*", 2, 2),
        ] {
            assert_eq!(Cost::of(pattern), Some(Cost { degree, ways }), "{pattern}");
        }
    }
}
