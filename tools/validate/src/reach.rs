//! From where a program may violate its property, its calls and returns matched.
//!
//! Every condition is taken to be passable either way; what is not understood counts as a violation.

use fixedbitset::FixedBitSet;
use program::cfa::{Cfa, EdgeId, Known, LocationId, Operation};
use semantics::stack::{Point, StackTable};

/// The locations that matter.
#[derive(Debug)]
pub(crate) struct Reach {
    /// From here a violation is reached before the function is left.
    violates: FixedBitSet,
    /// From here the function may be left.
    leaves: FixedBitSet,
}

impl Reach {
    pub(crate) fn new(cfa: &Cfa) -> Self {
        let none = FixedBitSet::with_capacity(cfa.locations.len());
        let mut reach = Self { violates: none.clone(), leaves: none };
        for function in &cfa.functions {
            function.exit.iter().for_each(|exit| reach.leaves.insert(exit.index()));
        }
        grow(cfa, &mut |cfa, location, leaves: &FixedBitSet| passes_to(cfa, location, leaves, leaves), &mut reach.leaves);
        for location in cfa.location_ids() {
            let is_unknown = |edge: &EdgeId| is_not_understood(cfa, *edge);
            let violates = cfa.location(location).is_error || cfa.out_edges(location).iter().any(is_unknown);
            reach.violates.set(location.index(), violates);
        }
        let leaves = &reach.leaves;
        grow(
            cfa,
            &mut |cfa, location, violates: &FixedBitSet| {
                let enters = |edge: &EdgeId| {
                    let entry = cfa.entered_callee(*edge).and_then(|callee| cfa.function(callee).entry);
                    let fails = cfa.location(cfa.edge(*edge).target).is_error;
                    fails || entry.is_some_and(|entry| violates.contains(entry.index()))
                };
                cfa.out_edges(location).iter().any(enters) || passes_to(cfa, location, violates, leaves)
            },
            &mut reach.violates,
        );
        reach
    }

    /// Whether a violation may be reached from a point, in its function or behind one of the calls it returns to.
    pub(crate) fn violates(&self, cfa: &Cfa, stacks: &StackTable, point: Point) -> bool {
        let mut at = point;
        loop {
            if self.violates.contains(at.location.index()) {
                return true;
            }
            if !self.leaves.contains(at.location.index()) {
                return false;
            }
            let Some((call, below)) = stacks.pop(at.stack) else { return false };
            at = Point { location: cfa.edge(call).target, stack: below };
        }
    }
}

/// Whether an edge leads within its function to one of `goals`, the calls on it returning.
fn passes_to(cfa: &Cfa, location: LocationId, goals: &FixedBitSet, leaves: &FixedBitSet) -> bool {
    cfa.out_edges(location).iter().any(|edge| {
        let returns = match cfa.called(*edge) {
            None => true,
            Some(callee) if cfa.enters(callee) => cfa.function(callee).entry.is_some_and(|entry| leaves.contains(entry.index())),
            Some(callee) => match cfa.function(callee).known {
                Some(Known::Error | Known::NoReturn | Known::Unsupported) => false,
                Some(Known::Input | Known::Allocate | Known::Free | Known::Memory | Known::Pure) | None => true,
            },
        };
        returns && goals.contains(cfa.edge(*edge).target.index())
    })
}

/// Adds locations for which `belongs` says so until none is left.
fn grow(cfa: &Cfa, belongs: &mut dyn FnMut(&Cfa, LocationId, &FixedBitSet) -> bool, set: &mut FixedBitSet) {
    let mut open: Vec<LocationId> = cfa.location_ids().collect();
    let mut waits = FixedBitSet::with_capacity(cfa.locations.len());
    waits.insert_range(..);
    let sites = call_sites(cfa);
    while let Some(location) = open.pop() {
        waits.set(location.index(), false);
        if !set.contains(location.index()) {
            if !belongs(cfa, location, set) {
                continue;
            }
            set.insert(location.index());
        }
        let before = cfa.in_edges(location).iter().chain(&sites[location.index()]).map(|edge| cfa.edge(*edge).source);
        for source in before {
            if !set.contains(source.index()) && !waits.put(source.index()) {
                open.push(source);
            }
        }
    }
}

/// By location: the calls of the function that begins there.
fn call_sites(cfa: &Cfa) -> Vec<Vec<EdgeId>> {
    let mut sites = vec![Vec::new(); cfa.locations.len()];
    for edge in cfa.edge_ids() {
        if let Some(entry) = cfa.entered_callee(edge).and_then(|callee| cfa.function(callee).entry) {
            sites[entry.index()].push(edge);
        }
    }
    sites
}

/// Whether nobody knows what an edge does; inline assembly is understood only by comparing it.
pub(crate) fn is_not_understood(cfa: &Cfa, edge: EdgeId) -> bool {
    matches!(cfa.edge(edge).operation, Operation::Asm(_)) || must_not_be_compared(cfa, edge)
}

/// Whether an edge must lead to an indicator, whatever the original does.
pub(crate) fn must_not_be_compared(cfa: &Cfa, edge: EdgeId) -> bool {
    let unknown = |callee| !cfa.enters(callee) && cfa.function(callee).known == Some(Known::Unsupported);
    match &cfa.edge(edge).operation {
        Operation::Asm(asm) => asm.has_labels,
        Operation::Unsupported { .. } => true,
        Operation::Call { .. } | Operation::Havoc { .. } => cfa.called(edge).is_some_and(unknown),
        Operation::Declare { .. }
        | Operation::Assume { .. }
        | Operation::Assign { .. }
        | Operation::Return { .. }
        | Operation::Blank => false,
    }
}
