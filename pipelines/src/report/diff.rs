//! The change as rows of two texts side by side.
//!
//! Does not know what the lines mean.

use std::time::Duration;

use formats::report::LineRange;
use similar::{Algorithm, ChangeTag, TextDiff};

/// After this a difference is only approximated; no pair of revisions comes near.
const TIMEOUT: Duration = Duration::from_secs(3);

/// One row: a line of each text; lines of a rewritten stretch stand side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// The same line on both sides: its numbers there and its text.
    Same(u32, u32, String),
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
    let diff = TextDiff::configure().algorithm(Algorithm::Patience).timeout(TIMEOUT).diff_lines(original, modified);
    let mut rows = Vec::new();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let number = |index: Option<usize>| index.and_then(|index| u32::try_from(index + 1).ok()).unwrap_or(u32::MAX);
        let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
        let (old, new) = (number(change.old_index()), number(change.new_index()));
        match change.tag() {
            ChangeTag::Equal => {
                pair(&mut rows, &mut removed, &mut added);
                rows.push(Row::Same(old, new, text));
            }
            ChangeTag::Delete => removed.push(Side { line: old, text }),
            ChangeTag::Insert => added.push(Side { line: new, text }),
        }
    }
    pair(&mut rows, &mut removed, &mut added);
    rows
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
            Self::Same(line, _, _) => Some(*line),
            Self::Changed(side, _) => side.as_ref().map(|side| side.line),
        }
    }

    /// The line of the modified text.
    pub(crate) fn modified(&self) -> Option<u32> {
        match self {
            Self::Same(_, line, _) => Some(*line),
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
            Row::Same(old, new, text) => format!("{old}={new} {text}"),
            Row::Changed(old, new) => {
                let side = |side: &Option<Side>| side.as_ref().map_or_else(String::new, |s| format!("{}{}", s.line, s.text));
                format!("{}|{}", side(old), side(new))
            }
        };
        assert_eq!(rows.iter().map(text).collect::<Vec<_>>(), ["1=1 a", "2b|2B", "3=3 c", "4=4 d", "|5e"]);
        assert_eq!(changed_lines(&rows), (vec![LineRange(2, 2)], vec![LineRange(2, 2), LineRange(5, 5)]));
    }
}
