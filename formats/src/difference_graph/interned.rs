//! Version 2 of the file: what occurs often is written once.
//!
//! Texts stand in a list. What an edge of the program says is a row of numbers, most of them differences to the edge before, so
//! that edges that say the same one after the other have one row; an edge is the number of its row. Edges of the graph are
//! differences to the edge before.
//! Invariant: what is written is read as it was. Memory is taken for what a file holds, not for what its numbers claim.
//! Does not know what else is in the file.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::GraphEdge;
use crate::artifact::Inconsistency;
use crate::{EdgeInfo, EdgeKey, Leaves, OperationKind};

/// Numbers of a row.
const COLUMNS: usize = 15;

/// How many bytes one byte of the file may stand for, on average.
const LARGEST_RATIO: usize = 256;
/// Bytes that every file may stand for.
const ALWAYS_ALLOWED: usize = 1 << 24;

/// The numbers of a row: the edge's number, function, line, column, end line, end column, start offset, end offset, kind, branch,
/// ordinal, text, function entered, location left, and how many edges leave it. [`Row::between`] says what each is.
pub(super) type Numbers = [i64; COLUMNS];

/// The parts of a graph, interned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Interned {
    pub(super) edges: Vec<i64>,
    pub(super) strings: Vec<String>,
    pub(super) rows: Vec<Numbers>,
    pub(super) cfa_edges: Vec<u32>,
}

/// Where the edge before stands: what the numbers of the next are differences to.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    number: u32,
    line: u32,
    column: u32,
    start_offset: u64,
    location: u32,
}

impl Before {
    const fn of(number: u32, info: &EdgeInfo, before: Self) -> Self {
        let location = match info.leaves {
            Some(leaves) => leaves.location,
            None => before.location,
        };
        Self { number, line: info.key.line, column: info.key.column, start_offset: info.start_offset, location }
    }

    /// What the column is a difference to, on a line.
    const fn column_on(self, line: u32) -> u32 {
        if line == self.line { self.column } else { 0 }
    }
}

/// The graph in its short form; `None` if a number is so large that a difference cannot be written.
pub(super) fn intern(edges: &[GraphEdge], cfa_edges: &BTreeMap<u32, EdgeInfo>) -> Option<Interned> {
    let difference = |one: u32, other: u32| i64::from(one) - i64::from(other);
    let mut interned = Interned::default();
    let mut last = GraphEdge { from: 0, to: 0, edge: 0 };
    for edge in edges {
        let numbers = [(edge.from, last.from), (edge.to, last.to), (edge.edge, last.edge)];
        interned.edges.extend(numbers.map(|(one, other)| difference(one, other)));
        last = *edge;
    }
    let mut strings: IndexSet<&str, FxBuildHasher> = IndexSet::default();
    let mut rows: IndexSet<Numbers, FxBuildHasher> = IndexSet::default();
    let mut before = Before::default();
    for (&number, info) in cfa_edges {
        let mut string = |text| i64::try_from(strings.insert_full(text).0).ok();
        let offset = |offset: u64| i64::try_from(offset).ok();
        let (key, leaves) = (&info.key, info.leaves);
        let numbers = [
            difference(number, before.number),
            string(&key.function)?,
            difference(key.line, before.line),
            difference(key.column, before.column_on(key.line)),
            difference(key.end_line, key.line),
            difference(key.end_column, key.column),
            offset(info.start_offset)? - offset(before.start_offset)?,
            offset(info.end_offset)? - offset(info.start_offset)?,
            string(key.kind.name())?,
            key.branch.map_or(0, |branch| 1 + i64::from(branch)),
            i64::from(key.ordinal),
            string(&info.text)?,
            info.enters.as_deref().map_or(Some(0), |name| Some(1 + string(name)?))?,
            leaves.map_or(0, |leaves| difference(leaves.location, before.location)),
            leaves.map_or(0, |leaves| 1 + i64::from(leaves.edges)),
        ];
        interned.cfa_edges.push(u32::try_from(rows.insert_full(numbers).0).ok()?);
        before = Before::of(number, info, before);
    }
    interned.strings = strings.into_iter().map(str::to_owned).collect();
    interned.rows = rows.into_iter().collect();
    Some(interned)
}

/// A row with its texts, whatever the edge before is.
struct Row<'a> {
    numbers: Numbers,
    function: &'a str,
    kind: OperationKind,
    branch: Option<bool>,
    ordinal: u32,
    text: &'a str,
    enters: Option<&'a str>,
    /// How many edges leave the location, if it is named.
    leaving: Option<u32>,
}

impl<'a> Row<'a> {
    fn new(numbers: Numbers, strings: &'a [String]) -> Result<Self, String> {
        let [.., kind, branch, ordinal, text, enters, _, leaving] = numbers;
        let string = |number: i64| {
            let found = usize::try_from(number).ok().and_then(|index| strings.get(index));
            found.map(String::as_str).ok_or_else(|| format!("string {number} is not listed"))
        };
        let small = |number: i64, what: &str| u32::try_from(number).map_err(|_| format!("{number} is no {what}"));
        Ok(Self {
            numbers,
            function: string(numbers[1])?,
            kind: string(kind)?.parse()?,
            branch: match branch {
                0 => None,
                1 => Some(false),
                2 => Some(true),
                other => return Err(format!("{other} is no branch: 0 is none, 1 false, 2 true")),
            },
            ordinal: small(ordinal, "ordinal")?,
            text: string(text)?,
            enters: if enters == 0 { None } else { Some(string(enters.saturating_sub(1))?) },
            leaving: if leaving == 0 { None } else { Some(small(leaving.saturating_sub(1), "number of edges")?) },
        })
    }

    /// The edge that the row describes behind another one, with its number.
    fn behind(&self, before: Before) -> Result<(u32, EdgeInfo), String> {
        let [number, _, line, column, end_line, end_column, start, end, .., location, _] = self.numbers;
        let sum = |one: u32, difference: i64, what: &str| {
            let sum = i64::from(one).checked_add(difference).and_then(|sum| u32::try_from(sum).ok());
            sum.ok_or_else(|| format!("{one} and {difference} make no {what}"))
        };
        let offset = |one: u64, difference: i64| {
            one.checked_add_signed(difference).ok_or_else(|| format!("{one} and {difference} make no offset"))
        };
        let number = sum(before.number, number, "number of an edge")?;
        let line = sum(before.line, line, "line")?;
        let column = sum(before.column_on(line), column, "column")?;
        let start_offset = offset(before.start_offset, start)?;
        let leaves = match self.leaving {
            Some(edges) => Some(Leaves { location: sum(before.location, location, "location")?, edges }),
            None => None,
        };
        let key = EdgeKey {
            function: self.function.to_owned(),
            line,
            column,
            end_line: sum(line, end_line, "line")?,
            end_column: sum(column, end_column, "column")?,
            kind: self.kind,
            branch: self.branch,
            ordinal: self.ordinal,
        };
        let (enters, text) = (self.enters.map(str::to_owned), self.text.to_owned());
        let end_offset = offset(start_offset, end)?;
        Ok((number, EdgeInfo { key, start_offset, end_offset, enters, text, leaves }))
    }

    /// Bytes that an edge takes.
    fn size(&self) -> usize {
        size_of::<EdgeInfo>() + self.function.len() + self.text.len() + self.enters.map_or(0, str::len)
    }
}

/// The edges of the graph and those of the program, of a file of so many bytes.
///
/// # Errors
/// [`Inconsistency`] names the first number that fits nowhere.
pub(super) fn expand(interned: &Interned, bytes: usize) -> Result<(Vec<GraphEdge>, BTreeMap<u32, EdgeInfo>), Inconsistency> {
    let rows: Vec<Row<'_>> = interned
        .rows
        .iter()
        .enumerate()
        .map(|(index, numbers)| {
            Row::new(*numbers, &interned.strings).map_err(|why| Inconsistency::new(format!("rows[{index}]"), why))
        })
        .collect::<Result<_, _>>()?;
    let (mut left, mut before) = (bytes.saturating_mul(LARGEST_RATIO).saturating_add(ALWAYS_ALLOWED), Before::default());
    let mut cfa_edges = BTreeMap::new();
    for (index, &row) in interned.cfa_edges.iter().enumerate() {
        let wrong = |why: String| Inconsistency::new(format!("cfa_edges[{index}]"), why);
        let row = rows.get(row as usize).ok_or_else(|| wrong(format!("row {row} is not listed")))?;
        let enough = left.checked_sub(row.size());
        left = enough.ok_or_else(|| wrong("the edges add up to more than a file of this size may stand for".to_owned()))?;
        let (number, info) = row.behind(before).map_err(wrong)?;
        before = Before::of(number, &info, before);
        if cfa_edges.insert(number, info).is_some() {
            return Err(wrong(format!("CFA edge {number} is listed twice")));
        }
    }
    Ok((graph_edges(&interned.edges)?, cfa_edges))
}

fn graph_edges(numbers: &[i64]) -> Result<Vec<GraphEdge>, Inconsistency> {
    let (triples, rest) = numbers.as_chunks::<3>();
    if !rest.is_empty() {
        return Err(Inconsistency::new("edges", format!("there are {} numbers, not three for each edge", numbers.len())));
    }
    let mut edges = Vec::with_capacity(triples.len());
    let mut last = [0u32; 3];
    for (index, triple) in triples.iter().enumerate() {
        for (place, (known, difference)) in last.iter_mut().zip(triple).enumerate() {
            let sum = i64::from(*known).checked_add(*difference).and_then(|sum| u32::try_from(sum).ok());
            *known = sum.ok_or_else(|| {
                let what = ["from", "to", "edge"][place];
                Inconsistency::new(format!("edges[{}]", 3 * index + place), format!("{known} and {difference} make no `{what}`"))
            })?;
        }
        let [from, to, edge] = last;
        edges.push(GraphEdge { from, to, edge });
    }
    Ok(edges)
}
