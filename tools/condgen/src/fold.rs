//! Folding: states that only the place in the program tells apart become one.
//!
//! Every edge that a state lists leaves the location that its paths have reached, so states of different locations never have
//! an edge in common: where control is says which of them is meant. States of pairwise different locations become one that
//! *stays* on every edge of the program but those that led out of the group, and lists these: what was uncovered, covered,
//! and the way into other groups. Along each path of the program the group is that of the state without folding. So nothing
//! changes but the size: what is left is one state per decision, not one per statement.
//! Relies on a graph that says which location its edges leave, and that its nodes stand for one location each. A state that does
//! not list all edges of one location stays what it is: nothing may be said of edges that it leaves out.
//! To find the fewest groups is colouring a graph; here a state joins that of a predecessor if it can, else the first.

use crate::automaton::{Adjacency, Automaton};
use formats::{Leaves, StateKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Folds a minimal automaton; `leaves` says where an edge of the program begins.
///
/// Time O(E log E) for E edges.
pub(crate) fn fold(automaton: &Automaton, leaves: &dyn Fn(u32) -> Option<Leaves>) -> Automaton {
    let places = places(automaton, leaves);
    let groups = groups(automaton, &places);
    let mut members: FxHashMap<u32, u32> = FxHashMap::default();
    for group in groups.iter().flatten() {
        *members.entry(*group).or_default() += 1;
    }
    let first = groups.iter().flatten().max().map_or(0, |last| last + 1);
    // What is in no group is a class of its own, behind them.
    let class = |state: u32| groups[state as usize].unwrap_or(first + state);
    let mut kinds = vec![StateKind::Open; first as usize + groups.len()];
    for (state, kind) in (0..).zip(&automaton.states) {
        kinds[class(state) as usize] = *kind;
    }
    let stays: Vec<bool> =
        (0..).take(kinds.len()).map(|class: u32| members.get(&class).is_some_and(|count| *count > 1)).collect();
    let mut edges: Vec<(u32, u32, u32)> =
        automaton.edges.iter().map(|&(from, edge, to)| (class(from), edge, class(to))).collect();
    edges.retain(|&(from, _, to)| from != to || !stays[from as usize]);
    edges.sort_unstable();
    Automaton::reachable(class(0), &kinds, &stays, &edges)
}

/// The location of each open state that lists all edges of one.
fn places(automaton: &Automaton, leaves: &dyn Fn(u32) -> Option<Leaves>) -> Vec<Option<u32>> {
    let mut places = vec![None; automaton.states.len()];
    for edges in automaton.edges.chunk_by(|(one, ..), (other, ..)| one == other) {
        let Some(&(state, first, _)) = edges.first() else { continue };
        let Some(known) = leaves(first) else { continue };
        if known.edges as usize == edges.len() && edges.iter().all(|&(_, edge, _)| leaves(edge) == Some(known)) {
            places[state as usize] = Some(known.location);
        }
    }
    places
}

/// A group for each state that has a place, with no place twice in a group.
fn groups(automaton: &Automaton, places: &[Option<u32>]) -> Vec<Option<u32>> {
    let incoming = Adjacency::new(places.len(), automaton.edges.iter().map(|&(.., to)| to as usize));
    let mut groups: Vec<Option<u32>> = vec![None; places.len()];
    let mut taken: FxHashSet<(u32, u32)> = FxHashSet::default();
    // For each location a group such that all before it have a state there.
    let mut full: FxHashMap<u32, u32> = FxHashMap::default();
    // States are numbered in breadth-first order: a predecessor, if not every one, has its group.
    for (state, place) in places.iter().enumerate() {
        let Some(place) = *place else { continue };
        let mut votes: Vec<u32> =
            incoming.at(state).iter().filter_map(|index| groups[automaton.edges[*index].0 as usize]).collect();
        votes.sort_unstable();
        let free = votes.chunk_by(|a, b| a == b).filter(|votes| !taken.contains(&(votes[0], place)));
        let most = free.map(|votes| (votes.len(), std::cmp::Reverse(votes[0]))).max();
        let group = match most {
            Some((_, std::cmp::Reverse(group))) => group,
            None => {
                let group = full.entry(place).or_default();
                while taken.contains(&(*group, place)) {
                    *group += 1;
                }
                *group
            }
        };
        taken.insert((group, place));
        groups[state] = Some(group);
    }
    groups
}
