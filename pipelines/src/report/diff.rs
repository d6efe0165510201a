//! The change as rows of two texts side by side.
//!
//! Line markers (`#line`) all count as equal: a program does not change because it moved.
//! Does not know what the lines mean.

use std::time::Duration;

use formats::report::LineRange;
use similar::{Algorithm, DiffOp, TextDiff};

use super::places::is_marker;

/// After this a difference is only approximated; no pair of revisions comes near.
const TIMEOUT: Duration = Duration::from_secs(3);

/// One row: a line of each text; lines of a rewritten stretch stand side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// The same line on both sides; line markers may differ.
    Same(Side, Side),
    /// A line of the original, a line of the modified text, or both.
    Changed(Option<Side>, Option<Side>),
}

/// A line of one text: number and content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    /// Number from 1.
    pub(crate) line: u32,
    /// Content without its end.
    pub(crate) text: String,
}

/// The rows of two texts.
pub(crate) fn rows(original: &str, modified: &str) -> Vec<Row> {
    let (old, new): (Vec<&str>, Vec<&str>) = (original.lines().collect(), modified.lines().collect());
    let (old_keys, new_keys) = (keys(&old), keys(&new));
    let config = TextDiff::configure().algorithm(Algorithm::Patience).timeout(TIMEOUT).clone();
    let diff = config.diff_slices(&old_keys, &new_keys);
    let side = |texts: &[&str], index: usize| Side {
        line: u32::try_from(index + 1).unwrap_or(u32::MAX),
        text: texts.get(index).copied().unwrap_or_default().to_owned(),
    };
    let mut rows = Vec::new();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for op in diff.ops() {
        if let DiffOp::Equal { old_index, new_index, len } = *op {
            pair(&mut rows, &mut removed, &mut added);
            rows.extend((0..len).map(|index| Row::Same(side(&old, old_index + index), side(&new, new_index + index))));
            continue;
        }
        removed.extend(op.old_range().map(|index| side(&old, index)));
        added.extend(op.new_range().map(|index| side(&new, index)));
    }
    pair(&mut rows, &mut removed, &mut added);
    rows
}

/// What is compared of each line.
fn keys<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    lines.iter().map(|line| if is_marker(line.as_bytes()) { "#line" } else { *line }).collect()
}

/// Puts the lines of a changed stretch side by side.
fn pair(rows: &mut Vec<Row>, removed: &mut Vec<Side>, added: &mut Vec<Side>) {
    let (mut old, mut new) = (std::mem::take(removed).into_iter(), std::mem::take(added).into_iter());
    loop {
        match (old.next(), new.next()) {
            (None, None) => return,
            (old, new) => rows.push(Row::Changed(old, new)),
        }
    }
}

impl Row {
    /// The line of the original.
    pub(crate) fn original(&self) -> Option<u32> {
        match self {
            Self::Same(side, _) => Some(side.line),
            Self::Changed(side, _) => side.as_ref().map(|side| side.line),
        }
    }

    /// The line of the modified text.
    pub(crate) fn modified(&self) -> Option<u32> {
        match self {
            Self::Same(_, side) => Some(side.line),
            Self::Changed(_, side) => side.as_ref().map(|side| side.line),
        }
    }

    /// Whether the change touches the row.
    pub(crate) const fn is_changed(&self) -> bool {
        matches!(self, Self::Changed(..))
    }
}

/// The changed lines of the original and of the modified text.
pub(crate) fn changed_lines(rows: &[Row]) -> (Vec<LineRange>, Vec<LineRange>) {
    let changed = || rows.iter().filter(|row| row.is_changed());
    (LineRange::collect(changed().filter_map(Row::original)), LineRange::collect(changed().filter_map(Row::modified)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewritten_lines_stand_side_by_side() {
        let rows = rows("a\nb\nc\nd\n", "a\nB\nc\nd\ne");
        let text = |row: &Row| match row {
            Row::Same(old, new) => format!("{}={} {}", old.line, new.line, new.text),
            Row::Changed(old, new) => {
                let side = |side: &Option<Side>| side.as_ref().map_or_else(String::new, |s| format!("{}{}", s.line, s.text));
                format!("{}|{}", side(old), side(new))
            }
        };
        assert_eq!(rows.iter().map(text).collect::<Vec<_>>(), ["1=1 a", "2b|2B", "3=3 c", "4=4 d", "|5e"]);
        assert_eq!(changed_lines(&rows), (vec![LineRange(2, 2)], vec![LineRange(2, 2), LineRange(5, 5)]));
    }

    #[test]
    fn line_markers_are_no_change() {
        let rows = rows("#line 5 \"a.h\"\nint a;\nint b;\n", "#line 6 \"a.h\"\nint a;\nint c;\n");
        assert_eq!(changed_lines(&rows), (vec![LineRange(3, 3)], vec![LineRange(3, 3)]));
        assert!(matches!(&rows[0], Row::Same(old, new) if old.text != new.text));
    }
}
