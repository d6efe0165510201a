//! Functions as graphs of places: what is written of a program.
//!
//! Does not know why edges are cut.

use indexmap::IndexSet;
use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation};
use rustc_hash::FxBuildHasher;

/// Number of a residual function.
pub type FunctionIndex = usize;

/// Where an edge of a residual function leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Nowhere: every path over it is covered.
    Cut,
    /// To a node of the same function.
    Node(usize),
    /// Into a residual function and, depending on the exit it is left by, to a node of this one.
    Call {
        /// The callee.
        callee: FunctionIndex,
        /// The nodes after the call, by exit.
        after: Vec<usize>,
    },
    /// Out of the function, by an exit.
    Return(usize),
}

/// A location of a residual function.
#[derive(Clone, Debug)]
pub struct Node {
    /// The location.
    pub location: LocationId,
    /// Its outgoing edges in the order of the automaton.
    pub edges: Vec<(EdgeId, Target)>,
}

/// A residual function.
#[derive(Clone, Debug)]
pub struct ResidualFunction {
    /// What it is a version of.
    pub function: FunctionId,
    /// Its nodes; the first is its entry.
    pub nodes: Vec<Node>,
    /// By how many exits it can be left.
    pub exits: usize,
}

/// All of a program: each function that is called from the entry, and the whole of it.
#[must_use]
pub fn whole(cfa: &Cfa) -> Vec<ResidualFunction> {
    let mut order: IndexSet<FunctionId, FxBuildHasher> = IndexSet::default();
    order.insert(cfa.entry);
    let mut functions = Vec::new();
    while let Some(&function) = order.get_index(functions.len()) {
        functions.push(all_of(cfa, function, &mut order));
    }
    functions
}

fn all_of(cfa: &Cfa, function: FunctionId, order: &mut IndexSet<FunctionId, FxBuildHasher>) -> ResidualFunction {
    let mut places: IndexSet<LocationId, FxBuildHasher> = IndexSet::default();
    places.extend(cfa.function(function).entry);
    let mut nodes = Vec::new();
    while let Some(&location) = places.get_index(nodes.len()) {
        let mut edges = Vec::new();
        for &edge in cfa.out_edges(location) {
            let target = cfa.edge(edge).target;
            let target = match (&cfa.edge(edge).operation, cfa.entered_callee(edge)) {
                (_, Some(callee)) => {
                    let after = vec![places.insert_full(target).0];
                    Target::Call { callee: order.insert_full(callee).0, after }
                }
                (Operation::Return { .. }, None) => Target::Return(0),
                _ => Target::Node(places.insert_full(target).0),
            };
            edges.push((edge, target));
        }
        nodes.push(Node { location, edges });
    }
    ResidualFunction { function, nodes, exits: 1 }
}
