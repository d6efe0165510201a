//! The check of a condition against the difference graph it was made from.
//!
//! The condition and the graph follow the same paths of the modified program. A path that the condition covers must have come
//! to a node of the graph from which no indicator can be reached. Behind an indicator the graph does not go on, and the path may:
//! there the condition must be in a state that accepts nothing any more. That the condition covers less is no matter.

use formats::condition::StateKind;
use formats::{Condition, DifferenceGraph};
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
    let accepts = may_accept(condition.condition());
    let mut met = FxHashSet::default();
    let mut wait = vec![(0u32, condition.start())];
    while let Some((node, coverage)) = wait.pop() {
        let Coverage::Open(state) = coverage else { continue };
        if !met.insert((node, state)) {
            continue;
        }
        if graph.indicators.binary_search(&node).is_ok() && accepts[state as usize] {
            return Err(Refusal::node(node, "it is an indicator, and the condition may cover what is behind it"));
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

/// By state of the condition: an accepting one may follow, whatever the path.
fn may_accept(condition: &Condition) -> Vec<bool> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); condition.states().len()];
    condition.edges().for_each(|(from, edge)| before[edge.to as usize].push(from));
    let mut accepts = vec![false; before.len()];
    let mut wait: Vec<u32> =
        (0u32..).zip(condition.states()).filter(|(_, kind)| **kind == StateKind::Accepting).map(|(q, _)| q).collect();
    while let Some(state) = wait.pop() {
        if !std::mem::replace(&mut accepts[state as usize], true) {
            wait.extend(&before[state as usize]);
        }
    }
    accepts
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
