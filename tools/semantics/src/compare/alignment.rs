//! Which edge of the original program an edge of the modified one was: the guess that guides the search.
//!
//! Within functions of the same name, edges with identical operations are aligned by a common subsequence of the source
//! order; in the gaps between, edges that do the same kind of thing to the same object (the same callee, the same place
//! assigned, a return, an assume) follow. An alignment is advice: nothing rests on it but how much is covered.

use fixedbitset::FixedBitSet;
use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation};
use rustc_hash::FxHashMap;

use super::sequence::common;
use super::{Comparison, Side};

/// For each edge of the modified program, the edge of the original it was.
#[derive(Debug)]
pub struct Alignment {
    forward: Vec<Option<EdgeId>>,
    kept: FixedBitSet,
}

impl Alignment {
    /// Aligns all functions that exist in both programs.
    #[must_use]
    pub fn new(comparison: &Comparison) -> Self {
        let (original, modified) = (edges_by_function(comparison.original), edges_by_function(comparison.modified));
        let mut alignment = Self {
            forward: vec![None; comparison.modified.edges.len()],
            kept: FixedBitSet::with_capacity(comparison.original.edges.len()),
        };
        for function in comparison.modified.function_ids() {
            if let Some(other) = comparison.correspondence().function(function) {
                alignment.align(comparison, &modified[function.index()], &original[other.index()]);
            }
        }
        alignment
    }

    /// The edge of the original that `modified` was.
    #[must_use]
    pub fn of(&self, modified: EdgeId) -> Option<EdgeId> {
        self.forward[modified.index()]
    }

    /// Whether an edge of the original still exists.
    #[must_use]
    pub fn is_kept(&self, original: EdgeId) -> bool {
        self.kept.contains(original.index())
    }

    /// The location of the original program where the aligned edges of `location` start.
    #[must_use]
    pub fn location(&self, comparison: &Comparison, location: LocationId) -> Option<LocationId> {
        let edges = comparison.modified.out_edges(location).iter();
        edges.filter_map(|e| self.of(*e)).map(|o| comparison.original.edge(o).source).next()
    }

    fn align(&mut self, comparison: &Comparison, modified: &[EdgeId], original: &[EdgeId]) {
        let tokens = |side: Side, edges: &[EdgeId]| -> Vec<u32> {
            edges.iter().map(|e| comparison.operation(side, *e).number()).collect()
        };
        let exact = common(&tokens(Side::Modified, modified), &tokens(Side::Original, original));
        let mut roles = Roles { comparison, numbers: FxHashMap::default() };
        let (mut i, mut j) = (0, 0);
        for &(a, b) in exact.iter().chain(std::iter::once(&(modified.len(), original.len()))) {
            if i < a && j < b {
                let left: Vec<u32> = modified[i..a].iter().map(|e| roles.number(Side::Modified, *e)).collect();
                let right: Vec<u32> = original[j..b].iter().map(|e| roles.number(Side::Original, *e)).collect();
                for (x, y) in common(&left, &right) {
                    self.set(modified[i + x], original[j + y]);
                }
            }
            if a < modified.len() {
                self.set(modified[a], original[b]);
            }
            (i, j) = (a + 1, b + 1);
        }
    }

    fn set(&mut self, modified: EdgeId, original: EdgeId) {
        self.forward[modified.index()] = Some(original);
        self.kept.insert(original.index());
    }
}

/// The edges of each function in the order of the source.
pub(super) fn edges_by_function(program: &Cfa) -> Vec<Vec<EdgeId>> {
    let mut edges = vec![Vec::new(); program.functions.len()];
    for id in program.edge_ids() {
        edges[program.location(program.edge(id).source).function.index()].push(id);
    }
    edges
}

/// What an operation does to what, without how.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Role {
    Declare(u32),
    Assume(bool),
    Assign(u32),
    Input(u32),
    Call(FunctionId),
    Return,
    Blank,
    Asm,
    /// Unlike anything else.
    Other(Side, EdgeId),
}

struct Roles<'a, 'b> {
    comparison: &'b Comparison<'a>,
    numbers: FxHashMap<Role, u32>,
}

impl Roles<'_, '_> {
    fn number(&mut self, side: Side, edge: EdgeId) -> u32 {
        let role = self.role(side, edge);
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(role).or_insert(next)
    }

    fn role(&self, side: Side, edge: EdgeId) -> Role {
        let program = self.comparison.program(side);
        let variable = |v| self.comparison.variable(side, v);
        match &program.edge(edge).operation {
            Operation::Declare { variable: v } => Role::Declare(variable(*v)),
            Operation::Assume { truth, .. } => Role::Assume(*truth),
            Operation::Assign { place, .. } => Role::Assign(self.comparison.value(side, *place).number()),
            Operation::Havoc { variable: Some(v), .. } => Role::Input(variable(*v)),
            Operation::Havoc { variable: None, .. } | Operation::Unsupported { .. } => Role::Other(side, edge),
            Operation::Call { callee, .. } => match side {
                Side::Original => Role::Call(*callee),
                Side::Modified => match self.comparison.correspondence().function(*callee) {
                    Some(function) => Role::Call(function),
                    None => Role::Other(side, edge),
                },
            },
            Operation::Return { .. } => Role::Return,
            Operation::Blank => Role::Blank,
            Operation::Asm(_) => Role::Asm,
        }
    }
}
