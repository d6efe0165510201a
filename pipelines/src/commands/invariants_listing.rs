//! What `residue invariants` found, as `--json` prints it and reports are made of it: the tables of all windows, and over all of
//! them a row for each fact and the changes from version to version.
//!
//! Does not know how it was found or what a report looks like.

use std::collections::BTreeMap;

use formats::Producer;
use formats::invariant_table::{Beside, Blame, ChurnKind, Evidence, EvidenceKind, Instance, InvariantTable, Strength};
use serde::Serialize;

use crate::run::outcome::Failure;

/// Inputs of a run that are shown in a cell.
const MOST_INPUTS: usize = 40;

/// What `--json` prints and a report has.
#[derive(Serialize)]
pub(super) struct Listing {
    pub(super) format: &'static str,
    pub(super) version: u32,
    pub(super) producer: Producer,
    pub(super) units: Vec<Told>,
    pub(super) failures: Vec<Failure>,
}

/// A version.
#[derive(Serialize)]
pub(super) struct VersionTold {
    /// The file, or the commit in short.
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
    /// The first line of its message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subject: Option<String>,
    /// The name of the file in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// Why it takes part in nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unreadable: Option<String>,
}

impl VersionTold {
    pub(super) const fn file(name: String) -> Self {
        Self { name, commit: None, subject: None, path: None, unreadable: None }
    }
}

/// Versions that were compared at once, by position.
#[derive(Serialize)]
pub(super) struct Window {
    pub(super) versions: Vec<usize>,
    pub(super) table: InvariantTable,
}

/// A fact over all versions.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) point: String,
    pub(super) expression: String,
    pub(super) family: String,
    /// The fact where a version has other names for its variables, by the position of the version.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) names: BTreeMap<usize, String>,
    /// A letter for each version, `.` where it was not asked.
    pub(super) letters: String,
    #[serde(skip)]
    pub(super) cells: Vec<Cell>,
}

/// What a letter rests on, in words.
#[derive(Clone, Default, Serialize)]
pub(super) struct Cell {
    pub(super) letter: String,
    pub(super) said: String,
    pub(super) inputs: Vec<String>,
    pub(super) more: usize,
}

/// What became of a fact from a version to the next.
#[derive(Serialize)]
pub(super) struct Change {
    /// The position of the row.
    pub(super) row: usize,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: ChurnKind,
    /// The lines of the point in the version after.
    pub(super) lines: Vec<u32>,
    /// The inputs on which one of the two fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inputs: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) blame: Option<Blame>,
    /// The fact with the constants of the version before, if this one has those of the version after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<String>,
    /// The fact with the constants of the version after, if this one has those of the version before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<String>,
}

impl Change {
    pub(super) const fn sign(&self) -> char {
        match self.kind {
            ChurnKind::Broken | ChurnKind::Dead | ChurnKind::Undefined | ChurnKind::OutOfScope => '-',
            ChurnKind::Gained | ChurnKind::Revived | ChurnKind::Defined | ChurnKind::InScope => '+',
            ChurnKind::Open => '?',
        }
    }
}

/// How all facts of a point changed together.
#[derive(Serialize)]
pub(super) struct Strengthening {
    pub(super) point: String,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) strength: Strength,
}

/// The versions of a file.
#[derive(Serialize)]
pub(super) struct Told {
    pub(super) path: String,
    pub(super) versions: Vec<VersionTold>,
    pub(super) rows: Vec<Row>,
    pub(super) changes: Vec<Change>,
    /// Where it is not `equal`.
    pub(super) strengths: Vec<Strengthening>,
    pub(super) windows: Vec<Window>,
}

impl Told {
    /// Puts windows together.
    pub(super) fn new(path: String, mut versions: Vec<VersionTold>, windows: Vec<Window>) -> Self {
        let count = versions.len();
        let (mut rows, mut changes, mut strengths): (Vec<Row>, Vec<Change>, Vec<Strengthening>) = Default::default();
        for Window { versions: of, table } in &windows {
            for (file, at) in table.versions.iter().zip(of) {
                versions[*at].unreadable.clone_from(&file.unreadable);
            }
            let row_of: Vec<usize> = table.instances.iter().map(|one| row(&mut rows, table, one, count)).collect();
            for (one, row) in table.instances.iter().zip(&row_of) {
                for (number, at) in of.iter().enumerate() {
                    let name = one.names.get(&number).cloned();
                    rows[*row].names.extend(name.map(|name| (*at, name)));
                    let cell = cell(one, number);
                    // Of a version of two windows what is known counts.
                    let known = &mut rows[*row].cells[*at];
                    if matches!(known.letter.as_str(), "." | "?") {
                        *known = cell;
                    }
                }
            }
            for churn in &table.churns {
                let beside = table.beside(churn);
                if beside == Beside::Hidden {
                    continue;
                }
                let expression = |at: usize| table.instances[at].expression.clone();
                let (before, after) = match beside {
                    Beside::Before(at) => (Some(expression(at)), None),
                    Beside::After(at) => (None, Some(expression(at))),
                    Beside::Nothing | Beside::Hidden => (None, None),
                };
                let one = &table.instances[churn.instance];
                let inputs = [churn.to, churn.from].into_iter().find_map(|at| execution(one, at)).map(|one| inputs(one).0);
                changes.push(Change {
                    row: row_of[churn.instance],
                    from: of[churn.from],
                    to: of[churn.to],
                    kind: churn.kind,
                    lines: table.points[one.point].lines[churn.to].clone(),
                    inputs,
                    blame: churn.blame.clone(),
                    before,
                    after,
                });
            }
            strengths.extend(strengthened(table, of));
        }
        // A gap is not known, and not for want of asking.
        let gaps = || versions.iter().enumerate().filter_map(|(at, one)| Some((at, one.unreadable.as_ref()?)));
        for row in &mut rows {
            for (at, why) in gaps() {
                row.cells[at] = Cell { letter: "?".to_owned(), said: why.clone(), ..Cell::default() };
            }
            row.letters = row.cells.iter().map(|cell| cell.letter.as_str()).collect();
        }
        Self { path, versions, rows, changes, strengths, windows }
    }
}

/// The row of an instance, which is made if there is none.
fn row(rows: &mut Vec<Row>, table: &InvariantTable, one: &Instance, count: usize) -> usize {
    let point = &table.points[one.point].name;
    if let Some(known) = rows.iter().position(|row| (&row.point, &row.expression) == (point, &one.expression)) {
        return known;
    }
    let blank = Cell { letter: ".".to_owned(), said: "not asked".to_owned(), ..Cell::default() };
    let (point, expression, family) = (point.clone(), one.expression.clone(), one.family.clone());
    let names = BTreeMap::new();
    rows.push(Row { point, expression, family, names, letters: String::new(), cells: vec![blank; count] });
    rows.len() - 1
}

fn strengthened(table: &InvariantTable, of: &[usize]) -> Vec<Strengthening> {
    let read: Vec<usize> = (0..of.len()).filter(|at| table.versions[*at].program.is_some()).collect();
    let mut found = Vec::new();
    for pair in read.windows(2) {
        let &[from, to] = pair else { continue };
        for (number, point) in table.points.iter().enumerate() {
            let strength = table.strength(number, (from, to)).filter(|strength| *strength != Strength::Equal);
            let point = point.name.clone();
            found.extend(strength.map(|strength| Strengthening { point, from: of[from], to: of[to], strength }));
        }
    }
    found
}

fn execution(one: &Instance, at: usize) -> Option<&Evidence> {
    let fails = one.status.chars().nth(at) == Some('F');
    one.evidence.iter().find(|one| fails && one.kind == EvidenceKind::Execution && one.versions.contains(&at))
}

/// The inputs of a run, and how many more there are.
fn inputs(one: &Evidence) -> (Vec<String>, usize) {
    let all = one.inputs.as_deref().unwrap_or_default();
    let shown = all.iter().take(MOST_INPUTS).map(|input| format!("{} = {}", input.source, input.value)).collect();
    (shown, all.len().saturating_sub(MOST_INPUTS))
}

/// Inputs on one line: values of one function stand behind its name.
pub(super) fn on_one_line(inputs: &[String], most: usize) -> String {
    let (mut text, mut known) = (String::new(), "");
    for input in inputs.iter().take(most) {
        let (source, value) = input.split_once(" = ").unwrap_or((input, ""));
        text += if text.is_empty() { "" } else { ", " };
        text += if source == known { value } else { input };
        known = source;
    }
    let more = inputs.len().saturating_sub(most);
    if more > 0 { format!("{text}, and {more} more") } else { text }
}

fn cell(one: &Instance, at: usize) -> Cell {
    let letter = one.status.chars().nth(at).unwrap_or('?');
    let evidence = one.evidence.iter().find(|one| one.versions.contains(&at));
    let by = evidence.and_then(|one| one.by.as_deref()).unwrap_or("the analysis");
    let kind = evidence.map(|one| one.kind);
    let reason = one.reasons.get(&at).map_or("", String::as_str);
    let said = match (letter, kind) {
        ('H' | 'U', Some(EvidenceKind::Inductive)) => format!("proved by {by}: invariants that are inductive together"),
        ('H' | 'U', Some(EvidenceKind::Exhaustive)) => format!("proved by {by}: all paths were looked at"),
        ('H' | 'U', Some(EvidenceKind::External)) => format!("{by} says so of a program of all versions"),
        ('U', _) => "the text has no way to the point".to_owned(),
        ('F', _) => "fails in a run with these inputs".to_owned(),
        ('N', _) => format!("not there: {reason}"),
        _ => reason.to_owned(),
    };
    let said = match one.names.get(&at) {
        Some(name) => format!("{name}: {said}"),
        None => said,
    };
    let (inputs, more) = evidence.filter(|one| one.kind == EvidenceKind::Execution).map(inputs).unwrap_or_default();
    Cell { letter: letter.to_string(), said, inputs, more }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_said_once() {
        let inputs = ["f() = 1", "f() = 2", "g() = 3", "f() = 4"].map(str::to_owned);
        assert_eq!(on_one_line(&inputs, 9), "f() = 1, 2, g() = 3, f() = 4");
        assert_eq!(on_one_line(&inputs, 2), "f() = 1, 2, and 2 more");
    }
}
