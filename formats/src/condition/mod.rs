//! Conditions: which paths of the modified program need no further examination.
//!
//! A [`Condition`] covers a path iff some prefix of it leads from the initial state 0 to an accepting state. A missing
//! edge means uncovered, and so does an indicator, for ever. Only a state that *stays* is not left by an edge of the program
//! that it does not list; what it does not cover leads to an indicator.
//! Invariants: no edge leaves an accepting state or an indicator, and neither stays; a state has at most one edge per CFA edge;
//! CFA edges are numbered in the order of their keys, edges of a state in the order of these numbers.
//! Does not know how a condition is computed (`condgen`) or applied (`reduce`, `verify`).

mod dot;
mod graphml;
mod spc;

use crate::artifact::Inconsistency;
use crate::{ArtifactError, EdgeInfo, EdgeKey, Producer, Provenance};
use std::collections::BTreeMap;
use std::io;

/// The name of the format in messages.
pub const FORMAT: &str = "condition";
/// The newest format version: the first in which states can stay.
pub const VERSION: u64 = 2;

/// What a state of a condition says about the paths that reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateKind {
    /// Not decided yet.
    Open,
    /// The path is covered.
    Accepting,
    /// The path stays uncovered for ever.
    Indicator,
}

/// An edge that leaves a state of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionEdge {
    /// Index into [`Condition::cfa_edges`].
    pub edge: u32,
    /// Target state.
    pub to: u32,
}

/// A condition (Q, δ, q0, F) over the edges of the modified program; q0 is state 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    producer: Producer,
    provenance: Provenance,
    states: Vec<StateKind>,
    /// Which states stay.
    stays: Vec<bool>,
    /// Edges of all states, sorted by source and CFA edge.
    edges: Vec<ConditionEdge>,
    /// Where the edges of each state begin; one entry more than states.
    starts: Vec<usize>,
    cfa_edges: Vec<EdgeInfo>,
}

impl Condition {
    /// The initial state.
    pub const INITIAL: u32 = 0;

    /// Builds a condition from its states and its edges `(from, edge, to)`, where `edge` is a key of `cfa_edges`.
    ///
    /// CFA edges that no edge names are dropped. Time O(E log E).
    ///
    /// # Errors
    /// [`Inconsistency`] if an invariant of the type would break.
    pub fn new(
        producer: Producer,
        provenance: Provenance,
        states: Vec<StateKind>,
        edges: &[(u32, u32, u32)],
        cfa_edges: &BTreeMap<u32, EdgeInfo>,
    ) -> Result<Self, Inconsistency> {
        let (table, numbers) = number_by_key(edges, cfa_edges)?;
        let mut triples = Vec::with_capacity(edges.len());
        for &(from, edge, to) in edges {
            let number = numbers.get(&edge).copied().unwrap_or(u32::MAX);
            triples.push((from, number, to));
        }
        triples.sort_unstable();
        triples.dedup();
        check_edges(&states, &triples, &table)?;
        let starts = (0..=states.len()).map(|state| triples.partition_point(|&(from, _, _)| (from as usize) < state)).collect();
        let edges = triples.into_iter().map(|(_, edge, to)| ConditionEdge { edge, to }).collect();
        let stays = vec![false; states.len()];
        Ok(Self { producer, provenance, states, stays, edges, starts, cfa_edges: table })
    }

    /// The same condition in which these states stay where an edge of the program is not listed.
    ///
    /// # Errors
    /// [`Inconsistency`] if one of them does not exist, is accepting or an indicator.
    pub fn with_staying(mut self, states: impl IntoIterator<Item = u32>) -> Result<Self, Inconsistency> {
        for state in states {
            match self.states.get(state as usize).zip(self.stays.get_mut(state as usize)) {
                Some((StateKind::Open, stays)) => *stays = true,
                Some((StateKind::Accepting, _)) => {
                    return Err(Inconsistency::new(place(state), "an accepting state cannot stay"));
                }
                Some((StateKind::Indicator, _)) => return Err(Inconsistency::new(place(state), "an indicator cannot stay")),
                None => return Err(Inconsistency::new(place(state), "the state does not exist")),
            }
        }
        Ok(self)
    }

    /// Reads a condition in GraphML; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no consistent condition of a known version.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        graphml::read(bytes, file)
    }

    /// Writes the condition in GraphML.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, out: impl io::Write) -> io::Result<()> {
        graphml::write(self, out)
    }

    /// Writes the condition as a picture for Graphviz.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_dot(&self, out: impl io::Write) -> io::Result<()> {
        dot::write(self, out)
    }

    /// Writes the condition in the automaton language of CPAchecker.
    ///
    /// What that covers is a part of what the condition covers: edges go by their text.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_spc(&self, out: impl io::Write) -> io::Result<()> {
        spc::write(self, out)
    }

    /// The tool that wrote the condition.
    #[must_use]
    pub const fn producer(&self) -> &Producer {
        &self.producer
    }

    /// The detector, the programs and how they were read.
    #[must_use]
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The kinds of all states, by number.
    #[must_use]
    pub fn states(&self) -> &[StateKind] {
        &self.states
    }

    /// The kind of a state; a number that is no state counts as an indicator.
    #[must_use]
    pub fn kind(&self, state: u32) -> StateKind {
        self.states.get(state as usize).copied().unwrap_or(StateKind::Indicator)
    }

    /// Whether an edge of the program that `state` does not list leads back to it.
    #[must_use]
    pub fn stays(&self, state: u32) -> bool {
        self.stays.get(state as usize) == Some(&true)
    }

    /// The oldest version of the format that can say this.
    #[must_use]
    pub fn format_version(&self) -> u64 {
        if self.stays.contains(&true) { VERSION } else { 1 }
    }

    /// Whether paths that reach `state` are covered.
    #[must_use]
    pub fn is_accepting(&self, state: u32) -> bool {
        self.kind(state) == StateKind::Accepting
    }

    /// Whether every path is covered: nothing has to be checked.
    #[must_use]
    pub fn covers_everything(&self) -> bool {
        self.is_accepting(Self::INITIAL)
    }

    /// The edges that leave `state`, ascending by CFA edge.
    #[must_use]
    pub fn edges_from(&self, state: u32) -> &[ConditionEdge] {
        let bounds = (self.starts.get(state as usize), self.starts.get(state as usize + 1));
        let (Some(&start), Some(&end)) = bounds else { return &[] };
        self.edges.get(start..end).unwrap_or(&[])
    }

    /// All edges as `(from, edge)`, ascending.
    pub fn edges(&self) -> impl Iterator<Item = (u32, ConditionEdge)> + '_ {
        (0..).zip(&self.states).flat_map(|(state, _)| self.edges_from(state).iter().map(move |&edge| (state, edge)))
    }

    /// The state behind an edge of the program that leaves `state`; `None` means uncovered.
    ///
    /// `edge` is an index into [`Self::cfa_edges`], or `None` if the condition does not name the edge.
    #[must_use]
    pub fn successor(&self, state: u32, edge: Option<u32>) -> Option<u32> {
        let edges = self.edges_from(state);
        let index = edge.and_then(|edge| edges.binary_search_by_key(&edge, |edge| edge.edge).ok());
        match index {
            Some(index) => edges.get(index).map(|edge| edge.to),
            None => self.stays(state).then_some(state),
        }
    }

    /// The CFA edges the condition names, ascending by key.
    #[must_use]
    pub fn cfa_edges(&self) -> &[EdgeInfo] {
        &self.cfa_edges
    }

    /// The index of a CFA edge in [`Self::cfa_edges`].
    #[must_use]
    pub fn edge_number(&self, key: &EdgeKey) -> Option<u32> {
        let index = self.cfa_edges.binary_search_by(|info| info.key.cmp(key)).ok()?;
        u32::try_from(index).ok()
    }

    /// Whether the path along these CFA edges (indices, from the entry on) is covered.
    #[must_use]
    pub fn covers(&self, path: impl IntoIterator<Item = u32>) -> bool {
        let mut state = Self::INITIAL;
        for edge in path {
            if self.is_accepting(state) {
                return true;
            }
            let Some(next) = self.successor(state, Some(edge)) else { return false };
            state = next;
        }
        self.is_accepting(state)
    }
}

/// What a state is called in messages.
fn place(state: u32) -> String {
    format!("state {state}")
}

/// The named CFA edges in the order of their keys, and their indices there.
fn number_by_key(
    edges: &[(u32, u32, u32)],
    cfa_edges: &BTreeMap<u32, EdgeInfo>,
) -> Result<(Vec<EdgeInfo>, BTreeMap<u32, u32>), Inconsistency> {
    let mut named: Vec<u32> = edges.iter().map(|&(_, edge, _)| edge).collect();
    named.sort_unstable();
    named.dedup();
    let mut table = Vec::with_capacity(named.len());
    for number in named {
        let info =
            cfa_edges.get(&number).ok_or_else(|| Inconsistency::new("edges", format!("CFA edge {number} is not listed")))?;
        table.push((number, info));
    }
    table.sort_by(|(_, a), (_, b)| a.key.cmp(&b.key));
    if let Some([(_, info), _]) = table.array_windows::<2>().find(|[(_, a), (_, b)]| a.key == b.key) {
        return Err(Inconsistency::new("edges", format!("two CFA edges have the key {}", info.key)));
    }
    let numbers = table.iter().zip(0..).map(|(&(number, _), index)| (number, index)).collect();
    // Where an edge begins is in the fingerprint's program, not in a condition.
    let table = table.into_iter().map(|(_, info)| EdgeInfo { leaves: None, ..info.clone() });
    Ok((table.collect(), numbers))
}

/// Checks edges that are sorted by source and CFA edge.
fn check_edges(states: &[StateKind], edges: &[(u32, u32, u32)], table: &[EdgeInfo]) -> Result<(), Inconsistency> {
    if states.is_empty() {
        return Err(Inconsistency::new("states", "there is no initial state"));
    }
    let mut last = None;
    for &(from, edge, to) in edges {
        let place = || {
            let key = table.get(edge as usize).map(|info| info.key.to_string()).unwrap_or_default();
            format!("edge from state {from} at {key}")
        };
        let kind = |state: u32| {
            let missing = || Inconsistency::new(place(), format!("state {state} does not exist"));
            states.get(state as usize).copied().ok_or_else(missing)
        };
        kind(to)?;
        match kind(from)? {
            StateKind::Open => {}
            StateKind::Accepting => return Err(Inconsistency::new(place(), "an edge leaves an accepting state")),
            StateKind::Indicator => return Err(Inconsistency::new(place(), "an edge leaves an indicator")),
        }
        if last.replace((from, edge)) == Some((from, edge)) {
            return Err(Inconsistency::new(place(), "the state has another edge for the same CFA edge"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
