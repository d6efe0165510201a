//! From answers to letters with their evidence.

use std::collections::BTreeMap;

use formats::invariant_table::{Evidence, EvidenceKind, Instance, InvariantTable, Point as TablePoint};

use crate::points::Point;
use crate::prepare::{Conditions, Fact, Meaning, Prepared};
use crate::question::{Answer, Questions};

/// A letter, why it is not `H` or `F`, and what it rests on.
struct Cell {
    letter: char,
    reason: Option<String>,
    evidence: Vec<Evidence>,
}

impl Cell {
    fn plain(letter: char, reason: impl Into<String>) -> Self {
        Self { letter, reason: Some(reason.into()), evidence: Vec::new() }
    }
}

/// Why nobody knows, if nobody was asked.
fn not_asked() -> String {
    formats::Reason::NotChecked.to_string()
}

/// Makes the rows of a table.
pub(crate) struct Rows<'a> {
    pub(crate) points: &'a [Point],
    pub(crate) facts: &'a [Fact],
    pub(crate) prepared: &'a [Option<Prepared>],
    pub(crate) questions: &'a Questions,
}

impl Rows<'_> {
    /// Writes points, instances and churns into a table.
    pub(crate) fn write(&self, table: &mut InvariantTable) {
        let versions = 0..self.prepared.len();
        for (number, point) in self.points.iter().enumerate() {
            let reachable = versions.clone().map(|version| self.reached(number, version).letter).collect();
            let lines = self.prepared.iter().map(|one| one.as_ref().map_or_else(Vec::new, |one| one.lines[number].clone()));
            table.points.push(TablePoint { name: point.name.clone(), lines: lines.collect(), reachable });
        }
        for (number, fact) in self.facts.iter().enumerate() {
            let cells: Vec<Cell> = versions.clone().map(|version| self.cell(number, version)).collect();
            let mut evidence: Vec<Evidence> = Vec::new();
            for one in cells.iter().flat_map(|cell| &cell.evidence) {
                let same = |known: &&mut Evidence| (known.kind, &known.by, &known.inputs) == (one.kind, &one.by, &one.inputs);
                match evidence.iter_mut().find(same) {
                    Some(known) => known.versions.extend(&one.versions),
                    None => evidence.push(one.clone()),
                }
            }
            let reasons: BTreeMap<usize, String> =
                cells.iter().enumerate().filter_map(|(at, cell)| Some((at, cell.reason.clone()?))).collect();
            table.instances.push(Instance {
                point: fact.point,
                family: fact.family.to_owned(),
                expression: fact.text.to_string(),
                names: self.names(number),
                status: cells.iter().map(|cell| cell.letter).collect(),
                evidence,
                reasons,
            });
        }
        table.churns = table.changes();
    }

    /// How versions with other names say a fact.
    fn names(&self, fact: usize) -> BTreeMap<usize, String> {
        let name = |(version, one): (usize, &Option<Prepared>)| Some((version, one.as_ref()?.renamed.get(&fact)?.to_string()));
        self.prepared.iter().enumerate().filter_map(name).collect()
    }

    /// Whether control comes to a point.
    fn reached(&self, point: usize, version: usize) -> Cell {
        let Some(prepared) = &self.prepared[version] else { return Cell::plain('?', "the version could not be read") };
        match &prepared.points[point] {
            Meaning::Missing(reason) => Cell::plain('N', reason),
            Meaning::Unusable(reason) => Cell::plain('?', reason),
            Meaning::Unreached => {
                let evidence = vec![Evidence { versions: vec![version], kind: EvidenceKind::Structure, by: None, inputs: None }];
                Cell { letter: 'U', reason: None, evidence }
            }
            Meaning::Says { .. } => self.comes(point, version),
        }
    }

    fn comes(&self, point: usize, version: usize) -> Cell {
        let (here, any) = self.questions.points[point];
        let any = any.map(|any| self.questions.answer(any, version));
        match self.questions.answer(here, version) {
            Some(Answer::Proved { by, inductive }) => match any {
                // Nothing undefined is needed to come there, or nothing comes at all.
                None | Some(Some(Answer::Proved { .. })) => proof('U', version, (by, inductive)),
                Some(Some(Answer::Falsified(inputs))) => Cell {
                    letter: 'X',
                    reason: Some("only runs come there in which something undefined has happened".to_owned()),
                    evidence: vec![execution(version, inputs)],
                },
                Some(Some(Answer::Unknown(reason))) => Cell::plain('?', format!("whether any run comes there: {reason}")),
                Some(None) => Cell::plain('?', not_asked()),
            },
            Some(Answer::Falsified(inputs)) => Cell { letter: 'H', reason: None, evidence: vec![execution(version, inputs)] },
            Some(Answer::Unknown(reason)) => Cell::plain('?', format!("whether control comes there: {reason}")),
            None => Cell::plain('?', not_asked()),
        }
    }

    fn cell(&self, fact: usize, version: usize) -> Cell {
        let point = self.reached(self.facts[fact].point, version);
        let Some(prepared) = &self.prepared[version] else { return point };
        match &prepared.facts[fact] {
            _ if point.letter == 'N' => point,
            Meaning::Missing(reason) => Cell::plain('N', reason),
            _ if matches!(point.letter, 'U' | 'X') => point,
            Meaning::Unusable(reason) => Cell::plain('?', reason),
            Meaning::Unreached => Cell::plain('?', not_asked()),
            Meaning::Says { defined, .. } => self.said(fact, version, defined, point),
        }
    }

    /// The letter of a fact that can be asked for: a run that falsifies it is one whatever else is not known.
    fn said(&self, fact: usize, version: usize, defined: &Conditions, point: Cell) -> Cell {
        let (holds, value) = self.questions.facts[fact];
        let value = value.and_then(|value| self.questions.answer(value, version));
        match (self.questions.answer(holds, version), value) {
            (Some(Answer::Falsified(inputs)), _) => {
                Cell { letter: 'F', reason: None, evidence: vec![execution(version, inputs)] }
            }
            (_, Some(Answer::Falsified(inputs))) => Cell {
                letter: 'X',
                reason: Some("the expression has no value there in a run".to_owned()),
                evidence: vec![execution(version, inputs)],
            },
            (Some(Answer::Unknown(reason)), _) => Cell::plain('?', reason),
            (None, _) => Cell::plain('?', not_asked()),
            (_, Some(Answer::Unknown(reason))) => Cell::plain('?', format!("whether it has a value: {reason}")),
            (_, None) if !defined.is_empty() => Cell::plain('?', not_asked()),
            // What holds where nothing comes is no invariant.
            (Some(Answer::Proved { .. }), _) if point.letter != 'H' => Cell { letter: '?', ..point },
            (Some(Answer::Proved { by, inductive }), _) => proof('H', version, (by, inductive)),
        }
    }
}

fn proof(letter: char, version: usize, (by, inductive): (&str, &bool)) -> Cell {
    let kind = if *inductive { EvidenceKind::Inductive } else { EvidenceKind::Exhaustive };
    let evidence = vec![Evidence { versions: vec![version], kind, by: Some(by.to_owned()), inputs: None }];
    Cell { letter, reason: None, evidence }
}

fn execution(version: usize, inputs: &[formats::verdict::InputValue]) -> Evidence {
    Evidence { versions: vec![version], kind: EvidenceKind::Execution, by: None, inputs: Some(inputs.to_vec()) }
}
