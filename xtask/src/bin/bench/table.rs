//! What was measured, as a table for people.

use std::fmt::Write;

use crate::probe::Samples;

/// One line: what is ours, what it is held against, and what we want.
pub(crate) struct Row {
    scenario: String,
    ours: Vec<String>,
    /// The floor is the sum of these.
    floor: Vec<String>,
    goal: Goal,
}

/// What we want. Missing it is told and nothing else: no test fails because a machine was slow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// Nanoseconds.
    AtMost(f64),
    /// Times the floor.
    Ratio(f64),
    /// Only to be seen.
    None,
}

const MEDIAN: (usize, usize) = (1, 2);
const P10: (usize, usize) = (1, 10);

impl Row {
    pub(crate) fn new(scenario: &str, ours: &[&str], floor: &[&str], goal: Goal) -> Self {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        Self { scenario: scenario.to_owned(), ours: owned(ours), floor: owned(floor), goal }
    }
}

/// The table.
pub(crate) fn render(rows: &[Row], samples: &Samples) -> String {
    let mut text = line(["scenario", "becket", "floor", "ratio", "goal", ""]);
    for row in rows {
        let (ours, floor) = (sum(samples, &row.ours, MEDIAN), sum(samples, &row.floor, MEDIAN));
        let ratio = ours / floor;
        let (goal, met) = match row.goal {
            Goal::AtMost(most) => (format!("<= {}", time(most)), Some(ours <= most)),
            Goal::Ratio(most) => (format!("<= {most}x"), Some(ratio <= most)),
            Goal::None => (String::new(), None),
        };
        let met = met.map_or("", |met| if met { "met" } else { "missed" });
        let both = |names: &[String], median| {
            format!("{} ({})", time(median), time(sum(samples, names, P10)))
        };
        let floor = format!("{} {}", both(&row.floor, floor), row.floor.join(" + "));
        let cells =
            [&row.scenario, &both(&row.ours, ours), &floor, &format!("{ratio:.2}x"), &goal, met];
        text += &line(cells);
    }
    text
}

fn line(cells: [&str; 6]) -> String {
    const WIDTHS: [usize; 6] = [44, 22, 54, 9, 12, 6];
    let mut text = String::new();
    for (cell, width) in cells.iter().zip(WIDTHS) {
        let _ = write!(text, "{cell:width$} ");
    }
    text.trim_end().to_owned() + "\n"
}

fn sum(samples: &Samples, names: &[String], share: (usize, usize)) -> f64 {
    names.iter().map(|name| samples.quantile(name, share).unwrap_or(f64::NAN)).sum()
}

/// Nanoseconds in a unit that fits.
fn time(nanos: f64) -> String {
    match nanos {
        short if short < 1e3 => format!("{short:.1} ns"),
        middle if middle < 1e6 => format!("{:.2} us", middle / 1e3),
        long => format!("{:.2} ms", long / 1e6),
    }
}
