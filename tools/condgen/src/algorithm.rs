//! Algorithm 1: the condition of a difference graph.
//!
//! Source: [DiffDP23 Alg. 1 l. 1-7].

use crate::automaton::{Automaton, backward_reachable};
use formats::{DifferenceGraph, StateKind};

/// The budget was exhausted before it was known which states are accepting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Builds the condition of `graph`: non-accepting are exactly the nodes from which an indicator can be reached.
///
/// `graph` keeps the invariants of its type. States that cannot be reached from the initial node are left out.
pub(crate) fn generate(graph: &DifferenceGraph, exhausted: &dyn Fn() -> bool) -> Result<Automaton, Interrupted> {
    let edges: Vec<(u32, u32, u32)> = graph.edges.iter().map(|edge| (edge.from, edge.edge, edge.to)).collect();
    // l. 1-5: `can_regress` is B.
    let can_regress = backward_reachable(graph.nodes as usize, &edges, graph.indicators.iter().copied());
    if exhausted() {
        return Err(Interrupted);
    }
    // l. 6: every other node is accepting; those that no state of B leads to are unreachable now.
    let mut kinds: Vec<StateKind> =
        can_regress.iter().map(|&can| if can { StateKind::Open } else { StateKind::Accepting }).collect();
    for &indicator in &graph.indicators {
        kinds[indicator as usize] = StateKind::Indicator;
    }
    // l. 7: acceptance is final.
    let kept: Vec<(u32, u32, u32)> = edges.into_iter().filter(|&(from, ..)| can_regress[from as usize]).collect();
    Ok(Automaton::reachable(0, &kinds, &vec![false; kinds.len()], &kept))
}
