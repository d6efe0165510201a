//! Algorithm 1 against a naive reference, and the minimised condition against the unminimised one.

use super::*;
use formats::{
    DataModel, DifferenceGraphBuilder, EdgeInfo, EdgeKey, Leaves, OperationKind, ProgramFile, ProgramOptions, Provenance,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn info(number: u32) -> EdgeInfo {
    EdgeInfo {
        key: EdgeKey {
            function: "main".to_owned(),
            line: number + 1,
            column: 1,
            end_line: number + 1,
            end_column: 5,
            kind: OperationKind::Assign,
            branch: None,
            ordinal: 0,
        },
        start_offset: 0,
        end_offset: 4,
        enters: None,
        text: format!("x = {number};"),
        leaves: None,
    }
}

fn graph(initial: u32, edges: &[(u32, u32, u32)], indicators: &[u32]) -> DifferenceGraph {
    let file = |path: &str| ProgramFile { path: path.to_owned(), sha256: String::new(), ..ProgramFile::default() };
    let mut builder = DifferenceGraphBuilder::new();
    for &(from, edge, to) in edges {
        builder.add_edge(from, edge, to);
    }
    for &indicator in indicators {
        builder.add_indicator(indicator, None, "test", "");
    }
    let options = ProgramOptions { data_model: DataModel::ILP32, ..ProgramOptions::default() };
    let producer = Producer::new("test", "0");
    let provenance = Provenance { producer, original: file("old.c"), modified: file("new.c"), options, degraded: None };
    builder.finish(provenance, initial, info)
}

fn generated(graph: &DifferenceGraph) -> Automaton {
    algorithm::generate(graph, &|| false).unwrap()
}

fn step(automaton: &Automaton, state: u32, edge: u32) -> Option<u32> {
    automaton.edges.iter().find(|&&(from, label, _)| (from, label) == (state, edge)).map(|&(.., to)| to)
}

fn accepts(automaton: &Automaton, state: Option<u32>) -> bool {
    state.is_some_and(|state| automaton.states[state as usize] == StateKind::Accepting)
}

/// Whether two automata cover the same paths: no reachable pair of states (`None` is "left it") disagrees.
fn same_paths(a: &Automaton, b: &Automaton) -> bool {
    let labels: BTreeSet<u32> = a.edges.iter().chain(&b.edges).map(|&(_, label, _)| label).collect();
    let mut seen = BTreeSet::from([(Some(0), Some(0))]);
    let mut wait = vec![(Some(0), Some(0))];
    while let Some((left, right)) = wait.pop() {
        if accepts(a, left) != accepts(b, right) {
            return false;
        }
        for &label in &labels {
            let next = (left.and_then(|state| step(a, state, label)), right.and_then(|state| step(b, state, label)));
            if seen.insert(next) {
                wait.push(next);
            }
        }
    }
    true
}

/// Algorithm 1 as it is printed, on sets; `None` is a node that line 7 drops.
fn reference(graph: &DifferenceGraph) -> Automaton {
    let edges: BTreeSet<(u32, u32, u32)> = graph.edges.iter().map(|edge| (edge.from, edge.edge, edge.to)).collect();
    let mut b: BTreeSet<u32> = graph.indicators.iter().copied().collect();
    while let Some(&(m, ..)) = edges.iter().find(|(m, _, n)| b.contains(n) && !b.contains(m)) {
        b.insert(m);
    }
    let mut f: BTreeSet<u32> = edges.iter().filter(|(m, _, n)| b.contains(m) && !b.contains(n)).map(|&(.., n)| n).collect();
    if !b.contains(&0) {
        f.insert(0);
    }
    let kind = |node: u32| if f.contains(&node) { StateKind::Accepting } else { StateKind::Open };
    let kept = edges.into_iter().filter(|(m, _, n)| b.contains(m) && (b.contains(n) || f.contains(n)));
    Automaton { states: (0..graph.nodes).map(kind).collect(), stays: vec![false; graph.nodes as usize], edges: kept.collect() }
}

/// Number of classes of states with an accepting future, by refinement of all classes at once.
fn distinguishable(automaton: &Automaton) -> usize {
    let mut live: BTreeSet<u32> =
        (0..).zip(&automaton.states).filter(|(_, kind)| **kind == StateKind::Accepting).map(|(state, _)| state).collect();
    while let Some(&(from, ..)) = automaton.edges.iter().find(|(from, _, to)| live.contains(to) && !live.contains(from)) {
        live.insert(from);
    }
    let mut class: BTreeMap<u32, usize> =
        live.iter().map(|&state| (state, usize::from(accepts(automaton, Some(state))))).collect();
    let mut classes = class.values().collect::<BTreeSet<_>>().len();
    loop {
        let signature = |state: u32| {
            let out = automaton.edges.iter().filter(|&&(from, _, to)| from == state && live.contains(&to));
            (class[&state], out.map(|&(_, label, to)| (label, class[&to])).collect::<BTreeSet<_>>())
        };
        let distinct: Vec<_> = live.iter().map(|&state| signature(state)).collect::<BTreeSet<_>>().into_iter().collect();
        let next = live.iter().map(|&state| (state, distinct.binary_search(&signature(state)).unwrap())).collect();
        if distinct.len() == classes {
            return classes;
        }
        classes = distinct.len();
        class = next;
    }
}

prop_compose! {
    /// Mostly forward edges, so that both covered and uncovered parts exist; now and then one back.
    fn any_graph()(
        raw in prop::collection::btree_map((0..12_u32, 0..3_u32), prop_oneof![8 => 1..5_u32, 1 => 16..20_u32], 20..37),
        indicators in prop::collection::btree_set(3..16_u32, 0..3),
    ) -> DifferenceGraph {
        let edges: Vec<(u32, u32, u32)> =
            raw.into_iter().map(|((from, edge), jump)| (from, edge, if jump < 16 { from + jump } else { (from + jump) % 12 })).collect();
        graph(0, &edges, &indicators.into_iter().collect::<Vec<_>>())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn algorithm_1_is_the_reference(graph in any_graph()) {
        prop_assert_eq!(graph.check(), Ok(()));
        let automaton = generated(&graph);
        prop_assert!(same_paths(&automaton, &reference(&graph)));
        // Final acceptance, final non-acceptance, no unreachable state.
        for &(from, ..) in &automaton.edges {
            prop_assert_eq!(automaton.states[from as usize], StateKind::Open);
        }
        let reachable = Automaton::reachable(0, &automaton.states, &automaton.stays, &automaton.edges);
        prop_assert_eq!(&reachable, &automaton);
    }

    #[test]
    fn minimisation_keeps_the_paths(graph in any_graph()) {
        let automaton = generated(&graph);
        let smallest = minimize::minimize(&automaton);
        prop_assert!(same_paths(&automaton, &smallest));
        let is_live = |kind: &&StateKind| **kind != StateKind::Indicator;
        prop_assert_eq!(smallest.states.iter().filter(is_live).count(), distinguishable(&automaton));
        prop_assert!(smallest.states.iter().filter(|kind| **kind == StateKind::Indicator).count() <= 1);
        prop_assert_eq!(&minimize::minimize(&smallest), &smallest);
        let (condition, outcome) = condition(&graph, Size::Minimal, &Budget::unlimited()).unwrap();
        prop_assert_eq!(outcome, Ok(()));
        prop_assert_eq!(condition.states(), smallest.states.as_slice());
    }
}

/// A program without calls and a graph over it: a node is a location and a layer.
#[derive(Clone, Debug)]
struct Placed {
    /// By location where its edges lead; an edge has the number `2 * location` or the next one.
    targets: Vec<Vec<u32>>,
    graph: DifferenceGraph,
}

/// Layers of a graph.
const LAYERS: u32 = 3;

fn place(targets: &[Vec<u32>], edge: u32) -> Option<Leaves> {
    Some(Leaves { location: edge / 2, edges: u32::try_from(targets[edge as usize / 2].len()).unwrap() })
}

prop_compose! {
    /// Each edge leads to some layer of the location behind it; a node in ten leaves one of its edges out.
    fn placed()(
        targets in prop::collection::vec(prop::collection::vec(0..8_u32, 1..3), 8),
        layers in prop::collection::vec(0..LAYERS, 8 * 2 * LAYERS as usize),
        omitted in prop::collection::vec(prop::bool::weighted(0.1), 8 * LAYERS as usize),
        ends in prop::collection::btree_map(1..8 * LAYERS, any::<bool>(), 1..6),
    ) -> Placed {
        let mut edges = Vec::new();
        for node in (0..8 * LAYERS).filter(|node| !ends.contains_key(node)) {
            let (location, layer) = (node / LAYERS, node % LAYERS);
            for (number, target) in (0..).zip(&targets[location as usize]) {
                if number > 0 && omitted[node as usize] {
                    continue;
                }
                let to = target * LAYERS + layers[((location * 2 + number) * LAYERS + layer) as usize];
                edges.push((node, location * 2 + number, to));
            }
        }
        let indicators: Vec<u32> = ends.iter().filter_map(|(node, indicator)| indicator.then_some(*node)).collect();
        let mut graph = graph(0, &edges, &indicators);
        for (number, info) in &mut graph.cfa_edges {
            info.leaves = place(&targets, *number);
        }
        Placed { targets, graph }
    }
}

/// Where a path is along an automaton; an edge that is not listed is passed where it stays.
fn pass(automaton: &Automaton, state: Option<u32>, edge: u32) -> Option<u32> {
    let state = state.filter(|state| automaton.states[*state as usize] != StateKind::Indicator)?;
    if automaton.states[state as usize] == StateKind::Accepting {
        return Some(state);
    }
    step(automaton, state, edge).or_else(|| automaton.stays[state as usize].then_some(state))
}

/// Whether two automata cover the same paths of a program.
fn same_paths_of(targets: &[Vec<u32>], a: &Automaton, b: &Automaton) -> bool {
    let mut seen = BTreeSet::from([(0, Some(0), Some(0))]);
    let mut wait = vec![(0u32, Some(0), Some(0))];
    while let Some((location, left, right)) = wait.pop() {
        if accepts(a, left) != accepts(b, right) {
            return false;
        }
        for (number, target) in (0..).zip(&targets[location as usize]) {
            let edge = location * 2 + number;
            let next = (*target, pass(a, left, edge), pass(b, right, edge));
            if seen.insert(next) {
                wait.push(next);
            }
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn folding_keeps_the_paths_of_the_program(placed in placed()) {
        let leaves = |edge: u32| place(&placed.targets, edge);
        let minimal = minimize::minimize(&generated(&placed.graph));
        let folded = fold::fold(&minimal, &leaves);
        prop_assert!(same_paths_of(&placed.targets, &minimal, &folded), "{minimal:?}\n{folded:?}");
        prop_assert!(folded.states.len() <= minimal.states.len() && folded.edges.len() <= minimal.edges.len());
        // At most one state for each node of a location, if no node leaves out anything.
        let complete = minimal.edges.chunk_by(|a, b| a.0 == b.0).all(|edges| leaves(edges[0].1).unwrap().edges as usize == edges.len());
        prop_assert!(!complete || folded.states.len() <= LAYERS as usize * 2 + 2);
        let (condition, outcome) = condition(&placed.graph, Size::Folded, &Budget::unlimited()).unwrap();
        prop_assert_eq!(outcome, Ok(()));
        prop_assert_eq!(condition.states(), folded.states.as_slice());
    }

    #[test]
    fn nothing_is_folded_where_nobody_says_what_edges_leave(graph in any_graph()) {
        let minimal = minimize::minimize(&generated(&graph));
        prop_assert_eq!(fold::fold(&minimal, &|_| None), minimal);
    }
}

#[test]
fn one_state_is_left_for_a_decision() {
    // Six statements, then a branch: one side is covered, the other is not.
    let edges: Vec<(u32, u32, u32)> = (0..6).map(|node| (node, 2 * node, node + 1)).chain([(6, 12, 7), (6, 13, 8)]).collect();
    let mut graph = graph(0, &edges, &[8]);
    for (number, info) in &mut graph.cfa_edges {
        info.leaves = Some(Leaves { location: number / 2, edges: if *number < 12 { 1 } else { 2 } });
    }
    let (folded, _) = condition(&graph, Size::Folded, &Budget::unlimited()).unwrap();
    assert_eq!(folded.states(), [StateKind::Open, StateKind::Accepting, StateKind::Indicator]);
    assert!(folded.stays(0) && folded.edges().count() == 2 && folded.format_version() == 2);
    let (minimal, _) = condition(&graph, Size::Minimal, &Budget::unlimited()).unwrap();
    assert_eq!((minimal.states().len(), minimal.format_version()), (9, 1));
}

#[test]
fn edges_into_indicators_stay_listed() {
    // Two states with the same covered future but different indicators: one state that lists both edges.
    let graph = graph(0, &[(0, 0, 1), (0, 1, 2), (1, 2, 3), (1, 3, 4), (2, 2, 5), (2, 3, 6)], &[4, 6]);
    let smallest = minimize::minimize(&generated(&graph));
    assert_eq!(smallest.states, [StateKind::Open, StateKind::Open, StateKind::Accepting, StateKind::Indicator]);
    assert_eq!(smallest.edges, [(0, 0, 1), (0, 1, 1), (1, 2, 2), (1, 3, 3)]);
}

#[test]
fn nothing_to_check_and_nothing_covered() {
    let nothing_new = graph(0, &[(0, 0, 1), (1, 1, 0)], &[]);
    let (all, _) = condition(&nothing_new, Size::Minimal, &Budget::unlimited()).unwrap();
    assert!(all.covers_everything());
    assert_eq!(all.states().len(), 1);
    let everything_new = graph(0, &[(0, 0, 1), (1, 1, 2)], &[2]);
    let (none, _) = condition(&everything_new, Size::Minimal, &Budget::unlimited()).unwrap();
    assert_eq!(none.states(), [StateKind::Indicator]);
    assert_eq!(none.edges().count(), 0);
}

#[test]
fn an_interrupted_run_covers_nothing() {
    let budget = Budget::unlimited();
    budget.stop();
    let (condition, outcome) = condition(&graph(0, &[(0, 0, 1)], &[]), Size::Minimal, &budget).unwrap();
    assert_eq!(outcome, Err(Interrupted));
    assert_eq!(condition.states(), [StateKind::Indicator]);
    assert_eq!(condition.provenance().degraded.as_deref(), Some(&["condgen was interrupted".to_owned()][..]));
}
