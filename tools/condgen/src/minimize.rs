//! Minimisation: the smallest automaton that covers the same paths.
//!
//! A state from which no accepting state can be reached keeps paths uncovered for ever, so all of them become one
//! indicator. The others are merged by partition refinement. Edges into the indicator take no part in it, because a
//! missing edge means the same; a merged state lists those of all its members.
//! Source: A. Valmari, "Fast brief practical DFA minimization", IPL 112(6), 2012.

use crate::automaton::{Adjacency, Automaton, backward_reachable};
use formats::StateKind;

/// The smallest automaton that covers the same paths, with at most one accepting state and one indicator.
///
/// Time O(E log E) for E edges.
pub(crate) fn minimize(automaton: &Automaton) -> Automaton {
    let count = automaton.states.len();
    let is_accepting = |state: &u32| automaton.states[*state as usize] == StateKind::Accepting;
    let numbers = 0..u32::try_from(count).unwrap_or(u32::MAX);
    let live = backward_reachable(count, &automaton.edges, numbers.clone().filter(is_accepting));
    let live_edges: Vec<(u32, u32, u32)> = automaton.edges.iter().copied().filter(|&(_, _, to)| live[to as usize]).collect();
    let (blocks, block_of) = partition(&live, &automaton.states, &live_edges);
    let dead = blocks;
    let class = |state: u32| if live[state as usize] { block_of[state as usize] } else { dead };
    let mut kinds = vec![StateKind::Open; blocks as usize + 1];
    kinds[dead as usize] = StateKind::Indicator;
    for state in numbers.filter(is_accepting) {
        kinds[class(state) as usize] = StateKind::Accepting;
    }
    let mut edges: Vec<(u32, u32, u32)> = automaton
        .edges
        .iter()
        .filter(|&&(from, ..)| live[from as usize])
        .map(|&(from, edge, to)| (class(from), edge, class(to)))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    Automaton::reachable(class(0), &kinds, &vec![false; kinds.len()], &edges)
}

/// Partitions the live states into classes that cover the same paths: number of classes, and class by state.
fn partition(live: &[bool], kinds: &[StateKind], edges: &[(u32, u32, u32)]) -> (u32, Vec<u32>) {
    let count = live.len();
    let mut blocks = Partition::new((0..count).filter(|&state| live[state]).collect(), count, |_| 0);
    for state in (0..count).filter(|&state| kinds[state] == StateKind::Accepting) {
        blocks.mark(state);
    }
    blocks.split();
    // The cords: live edges with the same CFA edge, later also with the same target class.
    let mut by_label: Vec<usize> = (0..edges.len()).collect();
    by_label.sort_unstable_by_key(|&index| (edges[index].1, index));
    let mut cords = Partition::new(by_label, edges.len(), |index| edges[index].1);
    let incoming = Adjacency::new(count, edges.iter().map(|&(_, _, to)| to as usize));
    let (mut block, mut cord) = (1, 0);
    while cord < cords.len() {
        for position in cords.range(cord) {
            blocks.mark(edges[cords.elements[position]].0 as usize);
        }
        blocks.split();
        cord += 1;
        while block < blocks.len() {
            for position in blocks.range(block) {
                for &edge in incoming.at(blocks.elements[position]) {
                    cords.mark(edge);
                }
            }
            cords.split();
            block += 1;
        }
    }
    let class = |set: usize| u32::try_from(set).unwrap_or(u32::MAX);
    (class(blocks.len()), blocks.set_of.iter().map(|&set| class(set)).collect())
}

/// A refinable partition of the numbers below a bound.
struct Partition {
    /// The numbers, set by set; the marked ones of a set come first.
    elements: Vec<usize>,
    /// Where a number is in `elements`.
    position: Vec<usize>,
    set_of: Vec<usize>,
    start: Vec<usize>,
    end: Vec<usize>,
    /// How many numbers of a set are marked.
    marked: Vec<usize>,
    /// Sets with marked numbers.
    touched: Vec<usize>,
}

impl Partition {
    /// All `elements`, which are below `bound`, in sets of neighbours with the same label.
    fn new(elements: Vec<usize>, bound: usize, label: impl Fn(usize) -> u32) -> Self {
        let (mut position, mut set_of) = (vec![0; bound], vec![0; bound]);
        let (mut start, mut end) = (Vec::new(), Vec::new());
        let mut previous = None;
        for (index, &element) in elements.iter().enumerate() {
            let label = label(element);
            if previous.replace(label) != Some(label) {
                start.push(index);
                end.push(index);
            }
            let set = start.len() - 1;
            end[set] = index + 1;
            position[element] = index;
            set_of[element] = set;
        }
        let marked = vec![0; start.len()];
        Self { elements, position, set_of, start, end, marked, touched: Vec::new() }
    }

    fn len(&self) -> usize {
        self.start.len()
    }

    fn range(&self, set: usize) -> std::ops::Range<usize> {
        self.start[set]..self.end[set]
    }

    /// Marks a number, once.
    fn mark(&mut self, element: usize) {
        let set = self.set_of[element];
        let from = self.position[element];
        let to = self.start[set] + self.marked[set];
        if from < to {
            return;
        }
        if self.marked[set] == 0 {
            self.touched.push(set);
        }
        self.marked[set] += 1;
        let other = self.elements[to];
        self.elements.swap(from, to);
        self.position[element] = to;
        self.position[other] = from;
    }

    /// Splits every set into its marked and its unmarked numbers; the smaller part becomes a new set.
    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let marked = std::mem::take(&mut self.marked[set]);
            let (start, end) = (self.start[set], self.end[set]);
            let middle = start + marked;
            if middle == end {
                continue;
            }
            let (new_start, new_end) = if middle - start <= end - middle {
                self.start[set] = middle;
                (start, middle)
            } else {
                self.end[set] = middle;
                (middle, end)
            };
            let new = self.len();
            for position in new_start..new_end {
                self.set_of[self.elements[position]] = new;
            }
            self.start.push(new_start);
            self.end.push(new_end);
            self.marked.push(0);
        }
    }
}
