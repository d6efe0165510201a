//! Places as people wrote them: an assertion, not what it expands to.
//!
//! A detector knows the preprocessed text. Where the file is at hand that it was made from, the lines of that are quoted.
//! Does not know where the lines of files come from.

use std::borrow::Cow;

use super::{Explanation, Place, ProgramSide};
use crate::dense;

/// Lines quoted of one place at most.
pub const LINES: u32 = 4;
/// Characters quoted of one line at most.
pub const LONGEST_LINE: usize = 400;

impl Place {
    /// The place as people wrote it, where macros have changed the line; `written` gives a line of a file as it was before,
    /// if it is known.
    ///
    /// Its columns go by what stands before and behind it in both lines, and where that differs, by all of the line. Where
    /// there is nothing to quote, the text itself is the line.
    #[must_use]
    pub fn as_written<'a>(self, written: impl Fn(&str, u32) -> Option<Cow<'a, str>>) -> Self {
        let last = self.end_line.clamp(self.line, self.line.saturating_add(LINES - 1));
        let lines = (self.line..=last).map(|line| Some(written(&self.file, line)?.trim_end().to_owned()));
        let place = match lines.collect::<Option<Vec<String>>>() {
            Some(lines) => self.quoting(&lines, last),
            None => self,
        };
        place.with_a_line()
    }

    /// The place within these lines in place of its own.
    fn quoting(mut self, written: &[String], last: u32) -> Self {
        let (Some(first), Some(end), Some(expanded), Some(expanded_end)) =
            (written.first(), written.last(), self.lines.first(), self.lines.last())
        else {
            return self;
        };
        let cut = |line: &String| line.chars().take(LONGEST_LINE).collect::<String>();
        if first.trim().is_empty() || written.iter().map(cut).eq(self.lines.iter().map(|line| line.trim_end().to_owned())) {
            return self;
        }
        let (begins, ends) = ((self.column as usize).saturating_sub(1), (self.end_column as usize).saturating_sub(1));
        let before = common(first.bytes(), expanded.bytes());
        let behind = common(end.bytes().rev(), expanded_end.trim_end().bytes().rev());
        let rest = expanded_end.trim_end().len().saturating_sub(ends);
        let indent = first.len() - first.trim_start().len();
        let start = if begins <= before { begins.max(indent) } else { indent };
        let stop = match (written.len(), self.lines.len()) {
            // The macro is further right.
            (1, 1) if ends <= before => ends,
            _ if rest <= behind => end.len() - rest,
            _ => end.len(),
        };
        let start = start_of(first, start);
        let stop = start_of(end, stop.max(if written.len() == 1 { start } else { 0 }));
        let count = written.len();
        let pieces = written.iter().enumerate().map(|(number, line)| {
            let hi = if number + 1 == count { stop } else { line.len() };
            line.get(if number == 0 { start } else { 0 }..hi).unwrap_or(line)
        });
        self.text = pieces.flat_map(str::split_whitespace).collect::<Vec<&str>>().join(" ");
        (self.column, self.end_line, self.end_column) = (dense(start) + 1, last, dense(stop) + 1);
        self.lines = written.iter().map(cut).collect();
        self
    }

    /// The place with its text for the line where there is none, as where a marker splits a statement.
    fn with_a_line(mut self) -> Self {
        if self.lines.first().is_none_or(|line| line.trim().is_empty()) && !self.text.is_empty() {
            let text: String = self.text.chars().take(LONGEST_LINE).collect();
            (self.column, self.end_line, self.end_column) = (1, self.line, dense(text.len()) + 1);
            self.lines = vec![text];
        }
        self
    }
}

impl Explanation {
    /// Every place as people wrote it, see [`Place::as_written`].
    #[must_use]
    pub fn as_written<'a>(mut self, written: impl Fn(ProgramSide, &str, u32) -> Option<Cow<'a, str>>) -> Self {
        let quote = |place: &mut Place| {
            let side = place.program;
            *place = place.clone().as_written(|file, line| written(side, file, line));
        };
        for change in &mut self.changes {
            change.original.iter_mut().chain(&mut change.modified).for_each(quote);
        }
        for finding in &mut self.findings {
            finding.place.iter_mut().chain(&mut finding.original).for_each(quote);
            finding.causes.iter_mut().flat_map(|cause| &mut cause.chain).for_each(|link| quote(&mut link.place));
        }
        self
    }
}

/// How many bytes two texts have in common.
fn common(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// The nearest place at or before `at` where a character begins.
fn start_of(line: &str, at: usize) -> usize {
    (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(column: u32, end: u32, text: &str, line: &str) -> Place {
        Place {
            program: ProgramSide::Modified,
            file: "a.c".to_owned(),
            function: None,
            edge: None,
            line: 3,
            column,
            end_line: 3,
            end_column: end,
            physical_line: 30,
            start_offset: 0,
            end_offset: 1,
            text: text.to_owned(),
            lines: vec![line.to_owned()],
        }
    }

    #[test]
    fn an_assertion_is_quoted_as_it_was_written() {
        let expanded = place(4, 11, "v <= 10", "   v <= 10");
        let quoted = expanded.clone().as_written(|_, _| Some(Cow::Borrowed("    assert(v <= LIMIT);")));
        assert_eq!((quoted.text.as_str(), quoted.column, quoted.end_column), ("assert(v <= LIMIT);", 5, 24));
        assert_eq!(quoted.lines, ["    assert(v <= LIMIT);"]);
        assert_eq!(expanded.clone().as_written(|_, _| None), expanded);
    }

    #[test]
    fn no_excerpt_is_empty() {
        let split = place(9, 1, "x = 1", "").as_written(|_, _| None);
        assert_eq!((split.lines, split.column, split.end_column), (vec!["x = 1".to_owned()], 1, 6));
    }
}
