//! How many tests passed, as the test runners say it.

use std::fmt;

/// The count so far.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Tally {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Tally {
    /// Adds what a line of a runner's summary says; other lines say nothing.
    pub(super) fn read(&mut self, line: &str) {
        let of_cargo = line.starts_with("test result:");
        let of_nextest = line.trim_start().starts_with("Summary [");
        if !of_cargo && !of_nextest {
            return;
        }
        let words: Vec<&str> = line.split([' ', ';', ',']).filter(|it| !it.is_empty()).collect();
        for pair in words.windows(2) {
            let [number, word] = pair else { continue };
            let Ok(number) = number.parse::<usize>() else { continue };
            match *word {
                "passed" => self.passed += number,
                "failed" | "timed" => self.failed += number,
                "ignored" | "skipped" => self.skipped += number,
                _ => (),
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn both_runners_are_understood() {
        let mut tally = Tally::default();
        for line in [
            "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.1s",
            "     Summary [   1.234s] 12 tests run: 10 passed (1 slow), 1 failed, 1 timed out, 2 skipped",
            "test a::10 passed ... ok",
        ] {
            tally.read(line);
        }
        assert_eq!(tally.to_string(), "15 passed, 2 failed, 3 skipped");
    }
}
