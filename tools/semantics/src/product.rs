//! The product of a program with a condition, function by function.
//!
//! A *clone* is a function entered with one state of the condition. Its nodes are pairs of a location and a state; what
//! is known of a callee is the set of states in which it can be left. So calls are followed without inlining, and
//! recursion is no special case.
//! Invariant: a node is in a clone iff some path of the automata (feasible or not) reaches it, uncovered so far.
//! Does not know C text, nor how nodes are merged.

use indexmap::{IndexMap, IndexSet};
use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation};
use rustc_hash::FxBuildHasher;

use crate::cursor::Coverage;

/// Number of a clone.
pub type CloneId = usize;
/// Follows a condition: the coverage of a path after one more edge.
pub type Step<'s> = &'s dyn Fn(Coverage, EdgeId) -> Coverage;

/// A function entered with one state of the condition.
#[derive(Debug)]
pub struct ProductClone {
    /// The function.
    pub function: FunctionId,
    /// The coverage at its entry.
    pub entry: Coverage,
    /// The nodes reached, the entry first.
    pub nodes: IndexSet<(LocationId, Coverage), FxBuildHasher>,
    /// The coverages in which it can be left.
    pub exits: IndexSet<Coverage, FxBuildHasher>,
    callers: Vec<(CloneId, EdgeId)>,
}

/// The product.
#[derive(Debug)]
pub struct Product {
    clones: IndexMap<(FunctionId, Coverage), ProductClone, FxBuildHasher>,
    /// Nodes of all clones.
    size: usize,
}

impl Product {
    /// Explores the product from the entry of the program; time linear in its edges.
    ///
    /// `start` must not be covered.
    #[must_use]
    pub fn new(cfa: &Cfa, start: Coverage, step: Step<'_>) -> Self {
        let mut product = Self { clones: IndexMap::default(), size: 0 };
        product.explore(cfa, start, step, usize::MAX);
        product
    }

    /// Number of nodes of the product, or some number from `enough` on if there are that many; time linear in what is counted.
    #[must_use]
    pub fn count(cfa: &Cfa, start: Coverage, step: Step<'_>, enough: usize) -> usize {
        let mut product = Self { clones: IndexMap::default(), size: 0 };
        product.explore(cfa, start, step, enough);
        product.size
    }

    fn explore(&mut self, cfa: &Cfa, start: Coverage, step: Step<'_>, enough: usize) {
        let mut work = Vec::new();
        self.enter(cfa, cfa.entry, start, None, &mut work);
        while let Some((clone, node)) = work.pop()
            && self.size < enough
        {
            let (location, coverage) = self.clones[clone].nodes[node];
            for &edge in cfa.out_edges(location) {
                let next = step(coverage, edge);
                if !next.is_covered() {
                    self.pass(cfa, clone, edge, next, &mut work);
                }
            }
        }
    }

    fn pass(&mut self, cfa: &Cfa, clone: CloneId, edge: EdgeId, next: Coverage, work: &mut Vec<(CloneId, usize)>) {
        let target = cfa.edge(edge).target;
        if let Some(callee) = cfa.entered_callee(edge) {
            let callee = self.enter(cfa, callee, next, Some((clone, edge)), work);
            let exits: Vec<Coverage> = self.clones[callee].exits.iter().copied().collect();
            for exit in exits {
                self.add(clone, target, exit, work);
            }
        } else if let Operation::Return { .. } = cfa.edge(edge).operation {
            if self.clones[clone].exits.insert(next) {
                for (caller, call) in self.clones[clone].callers.clone() {
                    self.add(caller, cfa.edge(call).target, next, work);
                }
            }
        } else {
            self.add(clone, target, next, work);
        }
    }

    fn enter(
        &mut self,
        cfa: &Cfa,
        function: FunctionId,
        entry: Coverage,
        caller: Option<(CloneId, EdgeId)>,
        work: &mut Vec<(CloneId, usize)>,
    ) -> CloneId {
        let next = self.clones.len();
        let (id, _) = self.clones.insert_full_or_get((function, entry), || ProductClone {
            function,
            entry,
            nodes: IndexSet::default(),
            exits: IndexSet::default(),
            callers: Vec::new(),
        });
        if id == next {
            // `entered_callee` and the entry function both guarantee a body.
            let location = cfa.function(function).entry.unwrap_or_else(|| cfa.entry_location());
            self.add(id, location, entry, work);
        }
        if let Some(caller) = caller
            && !self.clones[id].callers.contains(&caller)
        {
            self.clones[id].callers.push(caller);
        }
        id
    }

    fn add(&mut self, clone: CloneId, location: LocationId, coverage: Coverage, work: &mut Vec<(CloneId, usize)>) {
        let (node, new) = self.clones[clone].nodes.insert_full((location, coverage));
        if new {
            self.size += 1;
            work.push((clone, node));
        }
    }

    /// All clones; the first is that of the entry function.
    pub fn clones(&self) -> impl Iterator<Item = (CloneId, &ProductClone)> {
        self.clones.values().enumerate()
    }

    /// A clone.
    #[must_use]
    pub fn of(&self, id: CloneId) -> &ProductClone {
        &self.clones[id]
    }

    /// The clone of a function entered with a coverage.
    #[must_use]
    pub fn find(&self, function: FunctionId, entry: Coverage) -> Option<CloneId> {
        self.clones.get_index_of(&(function, entry))
    }

    /// Number of nodes of all clones.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }
}

/// `entry(..).or_insert_with(..)` that tells the position.
trait InsertFull<K, V> {
    fn insert_full_or_get(&mut self, key: K, value: impl FnOnce() -> V) -> (usize, &mut V);
}

impl<K: std::hash::Hash + Eq, V> InsertFull<K, V> for IndexMap<K, V, FxBuildHasher> {
    fn insert_full_or_get(&mut self, key: K, value: impl FnOnce() -> V) -> (usize, &mut V) {
        let entry = self.entry(key);
        let index = entry.index();
        (index, entry.or_insert_with(value))
    }
}
