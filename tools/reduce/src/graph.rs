//! Residual functions as graphs: the product folded.
//!
//! `none` keeps one node per location and state of the condition. `cfa` keeps one node per location in each residual
//! function; an edge is cut there only if the condition covers it in all states that reach the location. Clones that one
//! call edge of one residual function would enter become one residual function, and functions that came out equal are
//! merged.
//! Invariant: folding only adds paths.
//! Source: the folders of the reducer-based approach; see the README for the deviation.

use cwriter::{Node, ResidualFunction, Target};
use indexmap::IndexMap;
use program::cfa::{Cfa, EdgeId, LocationId, Operation};
use rustc_hash::FxBuildHasher;
use semantics::cursor::Coverage;
use semantics::product::{CloneId, Product, Step};

use crate::Fold;

/// The residual of a program all of whose paths are covered: an entry function that does nothing.
pub(crate) fn nothing(cfa: &Cfa) -> ResidualFunction {
    let node = Node { location: cfa.entry_location(), edges: Vec::new() };
    ResidualFunction { function: cfa.entry, nodes: vec![node], exits: 0 }
}

/// Folds the product; the first function is that of the entry.
pub(crate) fn fold(cfa: &Cfa, product: &Product, step: Step<'_>, fold: Fold) -> Vec<ResidualFunction> {
    let classes = match fold {
        Fold::None => (0..product.clones().count()).collect(),
        Fold::Cfa => unify_callees(cfa, product, step),
    };
    let mut members: IndexMap<CloneId, Vec<CloneId>, FxBuildHasher> = IndexMap::default();
    for (id, _) in product.clones() {
        members.entry(classes[id]).or_default().push(id);
    }
    let number: Vec<usize> = classes.iter().map(|class| members.get_index_of(class).unwrap_or(0)).collect();
    let folder = Folder { cfa, product, step, fold, number: &number, members: members.values().cloned().collect() };
    (0..folder.members.len()).map(|class| folder.function(class)).collect()
}

/// For `cfa`: the representative of each clone after clones entered from one call edge of one class were unified.
fn unify_callees(cfa: &Cfa, product: &Product, step: Step<'_>) -> Vec<CloneId> {
    let mut parent: Vec<CloneId> = (0..product.clones().count()).collect();
    let mut calls = Vec::new();
    for (id, clone) in product.clones() {
        for &(location, coverage) in &clone.nodes {
            for &edge in cfa.out_edges(location) {
                let Some(callee) = cfa.entered_callee(edge) else { continue };
                let next = step(coverage, edge);
                if let (false, Some(callee)) = (next.is_covered(), product.find(callee, next)) {
                    calls.push((id, edge, callee));
                }
            }
        }
    }
    loop {
        let mut entered: IndexMap<(CloneId, EdgeId), CloneId, FxBuildHasher> = IndexMap::default();
        let mut changed = false;
        for &(caller, edge, callee) in &calls {
            let (caller, callee) = (root(&mut parent, caller), root(&mut parent, callee));
            let first = *entered.entry((caller, edge)).or_insert(callee);
            let first = root(&mut parent, first);
            if first != callee {
                parent[first.max(callee)] = first.min(callee);
                changed = true;
            }
        }
        if !changed {
            return (0..parent.len()).map(|id| root(&mut parent, id)).collect();
        }
    }
}

fn root(parent: &mut [CloneId], id: CloneId) -> CloneId {
    let mut id = id;
    while parent[id] != id {
        parent[id] = parent[parent[id]];
        id = parent[id];
    }
    id
}

struct Folder<'a> {
    cfa: &'a Cfa,
    product: &'a Product,
    step: Step<'a>,
    fold: Fold,
    /// The class of each clone.
    number: &'a [usize],
    /// The clones of each class.
    members: Vec<Vec<CloneId>>,
}

/// What one node of a residual function stands for.
type NodeKey = (LocationId, Option<Coverage>);

impl Folder<'_> {
    fn key(&self, location: LocationId, coverage: Coverage) -> NodeKey {
        match self.fold {
            Fold::None => (location, Some(coverage)),
            Fold::Cfa => (location, None),
        }
    }

    /// The exits of a class: the coverages it can be left in, or one for all.
    fn exits(&self, class: usize) -> Vec<Option<Coverage>> {
        let all = self.members[class].iter().flat_map(|id| self.product.of(*id).exits.iter().copied());
        let mut exits: Vec<Option<Coverage>> = match self.fold {
            Fold::None => all.map(Some).collect(),
            Fold::Cfa => all.map(|_| None).collect(),
        };
        exits.sort_unstable();
        exits.dedup();
        exits
    }

    fn function(&self, class: usize) -> ResidualFunction {
        let clones: Vec<_> = self.members[class].iter().map(|id| self.product.of(*id)).collect();
        let mut states: IndexMap<NodeKey, Vec<Coverage>, FxBuildHasher> = IndexMap::default();
        for clone in &clones {
            for &(location, coverage) in &clone.nodes {
                states.entry(self.key(location, coverage)).or_default().push(coverage);
            }
        }
        let exits = self.exits(class);
        let mut numbers: IndexMap<NodeKey, Node, FxBuildHasher> = IndexMap::default();
        let first = clones.first().map(|c| self.key(self.cfa.function(c.function).entry.unwrap_or(LocationId(0)), c.entry));
        let mut work: Vec<NodeKey> = first.into_iter().collect();
        for key in &work {
            numbers.insert(*key, Node { location: key.0, edges: Vec::new() });
        }
        let mut next = 0;
        while next < work.len() {
            let key = work[next];
            next += 1;
            let mut edges = Vec::new();
            for &edge in self.cfa.out_edges(key.0) {
                let kept: Vec<Coverage> = states.get(&key).into_iter().flatten().map(|q| (self.step)(*q, edge)).collect();
                let target = self.target(edge, &kept, &exits, |key| {
                    let (index, new) = intern(&mut numbers, key);
                    if new {
                        work.push(key);
                    }
                    index
                });
                edges.push((edge, target));
            }
            if let Some(node) = numbers.get_mut(&key) {
                node.edges = edges;
            }
        }
        let function = clones.first().map_or(self.cfa.entry, |clone| clone.function);
        ResidualFunction { function, nodes: numbers.into_values().collect(), exits: exits.len() }
    }

    /// Where an edge leads; `next` are the coverages behind it in all states its source stands for.
    fn target(
        &self,
        edge: EdgeId,
        next: &[Coverage],
        exits: &[Option<Coverage>],
        mut node: impl FnMut(NodeKey) -> usize,
    ) -> Target {
        // Only if the condition covers the edge in all states it is cut.
        let Some(open) = next.iter().copied().find(|coverage| !coverage.is_covered()) else { return Target::Cut };
        let target = self.cfa.edge(edge).target;
        if let Some(callee) = self.cfa.entered_callee(edge) {
            let clone = self.product.find(callee, open);
            let class = clone.map_or(0, |clone| self.number[clone]);
            let after = self.exits(class).into_iter().map(|exit| match exit {
                Some(coverage) => node((target, Some(coverage))),
                None => node((target, None)),
            });
            return Target::Call { callee: class, after: after.collect() };
        }
        if let Operation::Return { .. } = self.cfa.edge(edge).operation {
            let wanted = match self.fold {
                Fold::None => Some(open),
                Fold::Cfa => None,
            };
            return Target::Return(exits.iter().position(|exit| *exit == wanted).unwrap_or(0));
        }
        Target::Node(node(self.key(target, open)))
    }
}

fn intern(numbers: &mut IndexMap<NodeKey, Node, FxBuildHasher>, key: NodeKey) -> (usize, bool) {
    let before = numbers.len();
    let entry = numbers.entry(key);
    let index = entry.index();
    entry.or_insert(Node { location: key.0, edges: Vec::new() });
    (index, index == before)
}
