//! What makes a graph of `diffcond` right: nothing differs at any node, and which operations are taken together.
//!
//! Only looks on; `residue validate` makes up its own mind about each step. Memory that is allocated at one place of one program and
//! at several of the other is paired with the first only: what comes out then is refused there, not wrong.

use formats::certificate::{Move, Moves, Recorded};
use formats::{Certificate, DifferenceGraph, Producer};
use program::cfa::{EdgeId, Known};
use rustc_hash::FxHashSet;
use semantics::compare::Comparison;

/// What was noted while the programs were compared.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    recorded: Recorded,
    allocations: Vec<[u32; 2]>,
    /// Edges that allocate, of the modified and of the original program.
    taken: [FxHashSet<EdgeId>; 2],
}

impl Notes {
    /// The original makes these moves before the first pair.
    pub(crate) fn start(&mut self, moves: Vec<Move>) {
        self.recorded.start = Moves(moves);
    }

    /// It makes these along an edge of the graph.
    pub(crate) fn step(&mut self, comparison: &Comparison, (from, edge, to): (u32, EdgeId, u32), moves: Vec<Move>) {
        for step in &moves {
            if let Move::With(other) = *step {
                self.allocate(comparison, edge, EdgeId(other));
            }
        }
        self.recorded.along.insert((from, edge.0), (to, Moves(moves)));
    }

    fn allocate(&mut self, comparison: &Comparison, mine: EdgeId, theirs: EdgeId) {
        let program = comparison.modified;
        let callee = program.edge(mine).operation.call().map(|call| call.callee);
        let allocates = callee.is_some_and(|callee| program.function(callee).known == Some(Known::Allocate));
        let is_new = |edges: &[FxHashSet<EdgeId>; 2]| !edges[0].contains(&mine) && !edges[1].contains(&theirs);
        if allocates && is_new(&self.taken) {
            self.taken[0].insert(mine);
            self.taken[1].insert(theirs);
            self.allocations.push([mine.0, theirs.0]);
        }
    }
}

/// The certificate of a graph that was built from `initial` on; `pairs` says which numbers pairs of points had then.
pub(crate) fn write(comparison: &Comparison, notes: Notes, graph: &DifferenceGraph, initial: u32, pairs: usize) -> Certificate {
    let map = comparison.correspondence();
    let start = notes.recorded.start.clone();
    let (built, moves) = notes.recorded.renumbered(graph, initial);
    let is_pair = |number: &Option<u32>| number.is_some_and(|number| (number as usize) < pairs);
    Certificate {
        producer: Producer::new("diffcond", env!("CARGO_PKG_VERSION")),
        variables: comparison.modified.variable_ids().map(|v| map.identity(v).map(|other| other.0)).collect(),
        renamed: Vec::new(),
        allocations: notes.allocations,
        objects: Vec::new(),
        // The data states of both programs agree, as far as both have them.
        sets: vec![Vec::new()],
        nodes: built.iter().map(|number| is_pair(number).then_some(0)).collect(),
        start,
        moves,
    }
}

/// The certificate of a graph of one leaf, of programs that are the same.
pub(crate) fn of_equal(graph: &DifferenceGraph) -> Certificate {
    Certificate {
        producer: Producer::new("diffcond", env!("CARGO_PKG_VERSION")),
        variables: Vec::new(),
        renamed: Vec::new(),
        allocations: Vec::new(),
        objects: Vec::new(),
        sets: Vec::new(),
        nodes: vec![None; graph.nodes as usize],
        start: Moves::default(),
        moves: vec![Moves::default(); graph.edges.len()],
    }
}
