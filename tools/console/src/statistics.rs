//! The numbers that `--stats` prints on stderr.

use crate::diagnostics::line;
use std::collections::BTreeMap;

/// Named numbers, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    entries: Vec<(String, Number)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Count(u64),
    Seconds(f64),
}

impl Statistics {
    /// No numbers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a count.
    pub fn count(&mut self, name: &str, value: impl TryInto<u64>) {
        self.entries.push((name.to_owned(), Number::Count(value.try_into().unwrap_or(u64::MAX))));
    }

    /// Adds a time in seconds.
    pub fn seconds(&mut self, name: &str, value: f64) {
        self.entries.push((name.to_owned(), Number::Seconds(value)));
    }

    /// Adds the numbers of a part, behind what is there.
    pub fn append(&mut self, part: Self) {
        self.entries.extend(part.entries);
    }

    /// The numbers by name, for a report.
    #[must_use]
    pub fn as_map(&self) -> BTreeMap<String, f64> {
        #[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 do not occur")]
        let value = |number: Number| match number {
            Number::Count(count) => count as f64,
            Number::Seconds(seconds) => seconds,
        };
        self.entries.iter().map(|(name, number)| (name.clone(), value(*number))).collect()
    }

    /// Prints one `name: value` line each on stderr.
    pub fn print(&self) {
        for text in self.lines() {
            line(format_args!("{text}"));
        }
    }

    fn lines(&self) -> Vec<String> {
        let width = self.entries.iter().map(|(name, _)| name.chars().count() + 1).max().unwrap_or(0);
        let text = |(name, number): &(String, Number)| match number {
            Number::Count(count) => format!("{:width$} {count}", format!("{name}:")),
            Number::Seconds(seconds) => format!("{:width$} {seconds:.3} s", format!("{name}:")),
        };
        self.entries.iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned() {
        let mut statistics = Statistics::new();
        statistics.count("nodes", 12_usize);
        statistics.seconds("CPU time", 0.25);
        assert_eq!(statistics.lines(), ["nodes:    12", "CPU time: 0.250 s"]);
        assert_eq!(statistics.as_map()["nodes"], 12.0);
    }
}
