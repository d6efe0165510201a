//! The automaton between difference graph and condition: states, edges, and nothing about where they come from.

use formats::StateKind;
use std::collections::VecDeque;

/// States by number, the initial one first, and edges `(from, CFA edge, to)`, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// What each state says.
    pub states: Vec<StateKind>,
    /// Which states an edge of the program that they do not list leads back to.
    pub stays: Vec<bool>,
    /// The edges; a state has at most one per CFA edge.
    pub edges: Vec<(u32, u32, u32)>,
}

impl Automaton {
    /// The automaton that covers no path.
    #[must_use]
    pub fn uncovered() -> Self {
        Self { states: vec![StateKind::Indicator], stays: vec![false], edges: Vec::new() }
    }

    /// The part that can be reached from `initial`, numbered in breadth-first order.
    ///
    /// `edges` are ascending by source.
    #[must_use]
    pub(crate) fn reachable(initial: u32, kinds: &[StateKind], staying: &[bool], edges: &[(u32, u32, u32)]) -> Self {
        let mut numbers: Vec<Option<u32>> = vec![None; kinds.len()];
        let (mut states, mut stays) = (vec![kinds[initial as usize]], vec![staying[initial as usize]]);
        numbers[initial as usize] = Some(0);
        let mut queue = VecDeque::from([initial]);
        let mut renumbered = Vec::with_capacity(edges.len());
        while let Some(state) = queue.pop_front() {
            let from = numbers[state as usize].unwrap_or(0);
            let start = edges.partition_point(|&(source, ..)| source < state);
            for &(_, edge, to) in edges[start..].iter().take_while(|&&(source, ..)| source == state) {
                let target = *numbers[to as usize].get_or_insert_with(|| {
                    queue.push_back(to);
                    states.push(kinds[to as usize]);
                    stays.push(staying[to as usize]);
                    u32::try_from(states.len() - 1).unwrap_or(u32::MAX)
                });
                renumbered.push((from, edge, target));
            }
        }
        renumbered.sort_unstable();
        renumbered.dedup();
        Self { states, stays, edges: renumbered }
    }
}

/// Indices of edges by one of their ends.
pub(crate) struct Adjacency {
    starts: Vec<usize>,
    edges: Vec<usize>,
}

impl Adjacency {
    /// Groups `ends`, the end of each edge, for `count` states.
    pub(crate) fn new(count: usize, ends: impl Iterator<Item = usize> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for end in ends.clone() {
            starts[end + 1] += 1;
        }
        for state in 0..count {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut edges = vec![0; starts[count]];
        for (index, end) in ends.enumerate() {
            edges[next[end]] = index;
            next[end] += 1;
        }
        Self { starts, edges }
    }

    /// The edges at `state`.
    pub(crate) fn at(&self, state: usize) -> &[usize] {
        &self.edges[self.starts[state]..self.starts[state + 1]]
    }
}

/// The states from which a state of `targets` can be reached, themselves included.
pub(crate) fn backward_reachable(count: usize, edges: &[(u32, u32, u32)], targets: impl Iterator<Item = u32>) -> Vec<bool> {
    let incoming = Adjacency::new(count, edges.iter().map(|&(_, _, to)| to as usize));
    let mut reaches = vec![false; count];
    let mut wait: Vec<u32> = targets.collect();
    for &target in &wait {
        reaches[target as usize] = true;
    }
    while let Some(state) = wait.pop() {
        for &index in incoming.at(state as usize) {
            let from = edges[index].0;
            if !std::mem::replace(&mut reaches[from as usize], true) {
                wait.push(from);
            }
        }
    }
    reaches
}
