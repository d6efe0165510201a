//! Immediate post-dominators of one function, leaving out what is doomed.
//!
//! Only paths that come to the exit count: who uses a post-dominator checks that nothing in between can stay away from it
//! ([`PostDominators::can_exit`] at every location passed, no loops). Algorithm of Cooper, Harvey and Kennedy.

use program::cfa::{Cfa, LocationId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The locations of a function that can be reached from its entry, successors first but for loops.
pub(crate) fn post_order(cfa: &Cfa, entry: LocationId) -> Vec<LocationId> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::from_iter([entry]);
    let mut path = vec![(entry, 0)];
    while let Some((location, next)) = path.last_mut() {
        let edges = cfa.out_edges(*location);
        if let Some(&edge) = edges.get(*next) {
            *next += 1;
            let target = cfa.edge(edge).target;
            if seen.insert(target) {
                path.push((target, 0));
            }
        } else {
            order.push(*location);
            path.pop();
        }
    }
    order
}

/// Where all paths that leave a location for the exit meet again.
#[derive(Debug)]
pub(crate) struct PostDominators {
    immediate: FxHashMap<LocationId, LocationId>,
    exit: LocationId,
}

impl PostDominators {
    /// The post-dominators of the locations in `order`; edges to locations that `ignored` names do not exist.
    pub(crate) fn new(cfa: &Cfa, order: &[LocationId], exit: LocationId, ignored: impl Fn(LocationId) -> bool) -> Self {
        let inside = FxHashSet::from_iter(order.iter().copied());
        let predecessors = |location: LocationId| {
            let edges = cfa.in_edges(location).iter();
            edges.map(|e| cfa.edge(*e).source).filter(|source| inside.contains(source))
        };
        let mut numbers: FxHashMap<LocationId, usize> = FxHashMap::default();
        let backwards = backwards(exit, &predecessors, &ignored);
        for (number, &location) in backwards.iter().enumerate() {
            numbers.insert(location, number);
        }
        let mut immediate = vec![None; backwards.len()];
        if let Some(last) = immediate.last_mut() {
            *last = Some(backwards.len() - 1);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (number, &location) in backwards.iter().enumerate().rev().skip(1) {
                let successors = cfa.out_edges(location).iter().map(|e| cfa.edge(*e).target);
                let known = successors.filter_map(|s| numbers.get(&s).copied()).filter(|n| immediate[*n].is_some());
                let meet = known.reduce(|a, b| intersect(&immediate, a, b));
                if meet.is_some() && immediate[number] != meet {
                    immediate[number] = meet;
                    changed = true;
                }
            }
        }
        let named = backwards.iter().zip(&immediate).filter_map(|(l, i)| Some((*l, backwards[(*i)?])));
        Self { immediate: named.filter(|(l, _)| *l != exit).collect(), exit }
    }

    /// The first location behind `location` that every path from it to the exit passes.
    pub(crate) fn immediate(&self, location: LocationId) -> Option<LocationId> {
        self.immediate.get(&location).copied()
    }

    /// Whether a path leads from a location to the exit.
    pub(crate) fn can_exit(&self, location: LocationId) -> bool {
        location == self.exit || self.immediate.contains_key(&location)
    }
}

/// Post-order of the reversed graph from the exit, which comes last.
fn backwards<I: Iterator<Item = LocationId>>(
    exit: LocationId,
    predecessors: &impl Fn(LocationId) -> I,
    ignored: &impl Fn(LocationId) -> bool,
) -> Vec<LocationId> {
    let mut order = Vec::new();
    let mut seen = FxHashSet::from_iter([exit]);
    let mut path = vec![(exit, predecessors(exit))];
    while let Some((location, rest)) = path.last_mut() {
        match rest.next() {
            Some(next) => {
                if !ignored(next) && seen.insert(next) {
                    path.push((next, predecessors(next)));
                }
            }
            None => {
                order.push(*location);
                path.pop();
            }
        }
    }
    order
}

fn intersect(immediate: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        let lower = if a < b { &mut a } else { &mut b };
        match immediate[*lower] {
            Some(up) => *lower = up,
            None => return a.max(b),
        }
    }
    a
}
