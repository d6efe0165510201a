//! The check of a condition against the difference graph it was made from.
//!
//! The condition and the graph follow the same paths of the modified program. A path that the condition covers must have come
//! to a node of the graph from which no indicator can be reached. That the condition covers less is no matter.

use formats::DifferenceGraph;
use program::cfa::EdgeId;
use rustc_hash::FxHashSet;
use semantics::cursor::{ConditionCursor, Coverage};

use crate::Refusal;

/// Checks that a condition covers no path on which the graph may still come to an indicator.
///
/// # Errors
/// The first edge along which it does.
pub(crate) fn check(graph: &DifferenceGraph, condition: &ConditionCursor) -> Result<(), Refusal> {
    let open = may_reach_indicator(graph);
    if condition.start().is_covered() && open[0] {
        return Err(Refusal::node(0, "the condition covers everything"));
    }
    let mut met = FxHashSet::default();
    let mut wait = vec![(0u32, condition.start())];
    while let Some((node, coverage)) = wait.pop() {
        if !matches!(coverage, Coverage::Open(_)) || !met.insert((node, coverage)) {
            continue;
        }
        let first = graph.edges.partition_point(|edge| edge.from < node);
        for edge in graph.edges[first..].iter().take_while(|edge| edge.from == node) {
            let next = condition.step(coverage, EdgeId(edge.edge));
            if next.is_covered() && open[edge.to as usize] {
                let why = format!("the condition covers it, and an indicator is behind node {}", edge.to);
                return Err(Refusal::edge(node, EdgeId(edge.edge), &why));
            }
            wait.push((edge.to, next));
        }
    }
    Ok(())
}

/// By node: an indicator can be reached from it.
fn may_reach_indicator(graph: &DifferenceGraph) -> Vec<bool> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); graph.nodes as usize];
    graph.edges.iter().for_each(|edge| before[edge.to as usize].push(edge.from));
    let mut open = vec![false; graph.nodes as usize];
    let mut wait = graph.indicators.clone();
    while let Some(node) = wait.pop() {
        if !std::mem::replace(&mut open[node as usize], true) {
            wait.extend(&before[node as usize]);
        }
    }
    open
}
