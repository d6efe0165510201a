//! The rows of the change as blocks of a page: what is shown, what is folded, and what is left out of a long file.
//!
//! Interesting rows are changed ones, causes, and lines the counterexample visits, each with some context. What lies between
//! them is folded; in a long file it is only summed up, so that a page stays small.
//! Does not know HTML.

use std::collections::{BTreeMap, BTreeSet};

use formats::report::Mark;
use serde::Serialize;

use super::diff::{Row, Side};
use super::highlight::{Highlighter, Part};
use super::unit::FileView;

/// Rows of context around an interesting one.
const CONTEXT: usize = 4;
/// Shorter stretches between interesting rows are shown.
const SHORTEST_FOLD: usize = 8;
/// Longer texts are not shown whole.
const WHOLE_TEXT: usize = 4_000;
/// Rows shown of a long text, so that the page of a change of everything stays readable and opens at once.
const MOST_ROWS: usize = 2_000;
/// Characters shown of a line.
const LONGEST_LINE: usize = 2_000;

/// A stretch of rows.
#[derive(Debug, Serialize)]
pub(crate) struct Block {
    /// `shown`, `folded` or `omitted`.
    kind: &'static str,
    /// What a folded or omitted stretch holds.
    summary: String,
    rows: Vec<PageRow>,
}

/// One row.
#[derive(Debug, Serialize)]
pub(crate) struct PageRow {
    old: Option<PageSide>,
    new: Option<PageSide>,
    changed: bool,
    mark: Option<&'static str>,
    /// Indices of the causes that are on the line.
    causes: Vec<usize>,
    /// Changed definitions that the line uses.
    uses: Vec<String>,
    visited: bool,
}

/// A line of one text.
#[derive(Debug, Serialize)]
pub(crate) struct PageSide {
    line: u32,
    parts: Vec<Part>,
}

/// How many lines have which mark.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Counts {
    covered: usize,
    recheck: usize,
    cause: usize,
    changed: usize,
    removed: usize,
    total: usize,
}

impl Counts {
    /// The counts of several files.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            covered: self.covered + other.covered,
            recheck: self.recheck + other.recheck,
            cause: self.cause + other.cause,
            changed: self.changed + other.changed,
            removed: self.removed + other.removed,
            total: self.total + other.total,
        }
    }
}

/// Counts over all rows.
pub(crate) fn counts(view: &FileView) -> Counts {
    let of = |mark: Mark| view.marks.values().filter(|known| **known == mark).count();
    let changed = || view.rows.iter().filter(|row| row.is_changed());
    Counts {
        covered: of(Mark::Covered),
        recheck: of(Mark::Recheck),
        cause: of(Mark::Cause),
        changed: changed().filter(|row| row.modified().is_some()).count(),
        removed: changed().filter(|row| row.original().is_some()).count(),
        total: view.rows.iter().filter(|row| row.modified().is_some()).count(),
    }
}

/// Stretches of equal marks along the modified text for the strip beside it: mark, first line, number of lines.
pub(crate) fn strip(view: &FileView) -> Vec<(&'static str, u32, u32)> {
    let mut stretches: Vec<(&'static str, u32, u32)> = Vec::new();
    for (line, mark) in &view.marks {
        match stretches.last_mut() {
            Some((last, first, count)) if *last == mark.name() && *first + *count + 1 >= *line => *count = *line - *first + 1,
            _ => stretches.push((mark.name(), *line, 1)),
        }
    }
    stretches
}

/// The rows of a unit as blocks.
/// `visited` are the lines that the counterexample passes.
pub(crate) fn blocks(view: &mut FileView, visited: &BTreeSet<u32>) -> Vec<Block> {
    let shown = shown_rows(view, visited);
    let whole = view.rows.len() <= WHOLE_TEXT;
    let mut blocks: Vec<Block> = Vec::new();
    let rows = std::mem::take(&mut view.rows);
    let view = &*view;
    let mut colours = [Highlighter::default(); 2];
    let mut rest = rows.into_iter().zip(shown).peekable();
    while let Some((_, is_shown)) = rest.peek() {
        let is_shown = *is_shown;
        let mut stretch = Vec::new();
        while let Some((row, _)) = rest.next_if(|(_, shown)| *shown == is_shown) {
            stretch.push(row);
        }
        let kind = if is_shown {
            "shown"
        } else if whole {
            "folded"
        } else {
            "omitted"
        };
        let summary = if is_shown { String::new() } else { summary(&stretch, &view.marks) };
        let rows = if kind == "omitted" {
            stretch.iter().for_each(|row| skip(row, &mut colours));
            Vec::new()
        } else {
            stretch.into_iter().map(|row| page_row(row, view, visited, &mut colours)).collect()
        };
        blocks.push(Block { kind, summary, rows });
    }
    blocks
}

/// Which rows are shown at once.
fn shown_rows(view: &FileView, visited: &BTreeSet<u32>) -> Vec<bool> {
    let mut shown = vec![false; view.rows.len()];
    let mut count = 0;
    let is_to_blame = |line: u32| visited.contains(&line) || view.causes.contains_key(&line) || view.uses.contains_key(&line);
    // Of a change of everything, what matters must not be lost.
    let first = |row: &Row| row.modified().is_some_and(is_to_blame);
    let then = |row: &Row| row.is_changed() && !first(row);
    let wanted = [&first as &dyn Fn(&Row) -> bool, &then];
    for (index, _) in wanted.iter().flat_map(|test| view.rows.iter().enumerate().filter(|(_, row)| test(row))) {
        if count >= MOST_ROWS {
            break;
        }
        let first = index.saturating_sub(CONTEXT);
        for slot in shown.iter_mut().take(index + CONTEXT + 1).skip(first) {
            count += usize::from(!std::mem::replace(slot, true));
        }
    }
    if shown.iter().all(|slot| !slot) {
        shown.iter_mut().take(SHORTEST_FOLD * 4).for_each(|slot| *slot = true);
    }
    // A stretch that is hardly longer than the line that would stand for it is shown.
    let mut index = 0;
    while index < shown.len() {
        let length = shown.iter().skip(index).take_while(|slot| !**slot).count();
        if (1..SHORTEST_FOLD).contains(&length) {
            shown.iter_mut().skip(index).take(length).for_each(|slot| *slot = true);
        }
        index += length.max(1);
    }
    shown
}

fn summary(rows: &[Row], marks: &BTreeMap<u32, Mark>) -> String {
    let of = |wanted: Mark| {
        let known = rows.iter().filter_map(|row| marks.get(&row.modified()?));
        known.filter(|mark| **mark == wanted).count()
    };
    let changed = rows.iter().filter(|row| row.is_changed()).count();
    let counts = [
        (changed, "changed"),
        (of(Mark::Covered), "covered"),
        (of(Mark::Recheck), "to be rechecked"),
        (of(Mark::Cause), "causes"),
    ];
    let parts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    let unchanged = if changed == 0 { "unchanged " } else { "" };
    let plural = if rows.len() == 1 { "line" } else { "lines" };
    let details = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("{} {unchanged}{plural}{details}", rows.len())
}

fn page_row(row: Row, view: &FileView, visited: &BTreeSet<u32>, colours: &mut [Highlighter; 2]) -> PageRow {
    let line = row.modified();
    let changed = row.is_changed();
    let (old, new) = match row {
        Row::Same(old, new) => (Some(old), Some(new)),
        Row::Changed(old, new) => (old, new),
    };
    let [old_colours, new_colours] = colours;
    PageRow {
        old: old.map(|old| side(old, old_colours)),
        new: new.map(|new| side(new, new_colours)),
        changed,
        mark: line.and_then(|line| view.marks.get(&line)).map(|mark| mark.name()),
        causes: line.and_then(|line| view.causes.get(&line)).cloned().unwrap_or_default(),
        uses: line.and_then(|line| view.uses.get(&line)).cloned().unwrap_or_default(),
        visited: line.is_some_and(|line| visited.contains(&line)),
    }
}

/// A line as it is shown: in colours, or where it is very long, its beginning without.
fn side(side: Side, colours: &mut Highlighter) -> PageSide {
    let Side { line, text } = side;
    let parts = match text.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => {
            colours.skip(&text);
            vec![Part { kind: "", text: format!("{}…", text.get(..end).unwrap_or_default()) }]
        }
        None => colours.line(&text),
    };
    PageSide { line, parts }
}

/// Notes what rows that are not shown leave open.
fn skip(row: &Row, [old_colours, new_colours]: &mut [Highlighter; 2]) {
    let (old, new) = match row {
        Row::Same(old, new) => (Some(old), Some(new)),
        Row::Changed(old, new) => (old.as_ref(), new.as_ref()),
    };
    old.into_iter().for_each(|side| old_colours.skip(&side.text));
    new.into_iter().for_each(|side| new_colours.skip(&side.text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_shown_however_much_is_changed() {
        let side = |line| Side { line, text: String::new() };
        let rows = (1..=9_000).map(|line| Row::Changed(None, Some(side(line)))).collect();
        let mut view = FileView { rows, ..FileView::default() };
        view.causes.insert(8_500, vec![0]);
        let blocks = blocks(&mut view, &BTreeSet::from([7_000]));
        let is_shown = |line: u32| {
            let mut rows = blocks.iter().flat_map(|block| &block.rows);
            rows.any(|row| row.new.as_ref().is_some_and(|new| new.line == line))
        };
        assert!(is_shown(8_500) && is_shown(7_000) && is_shown(1));
        assert!(!is_shown(6_000));
    }
}
