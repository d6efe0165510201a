//! Folded conditions cover the same paths of the program as those with a state for every statement.

use std::collections::BTreeSet;

use formats::{Condition, DifferenceGraph};
use program::cfa::{Cfa, LocationId, Operation};
use residue_tests::oracle::{Sample, for_seeds};
use residue_tests::{shared, tasks};
use semantics::cursor::{ConditionCursor, Coverage};

/// Random pairs that are tried; `RESIDUE_PAIRS` changes it, `RESIDUE_SEED` the first.
const PAIRS: u64 = 2_000;
/// Steps of the detector on a task pair: enough for most of them.
const STEPS: u64 = 20_000;
/// Positions of a program that are looked at.
const POSITIONS: usize = 60_000;
/// Calls within calls that are followed.
const DEEPEST: usize = 12;

fn condition(graph: &DifferenceGraph, size: condgen::Size) -> Condition {
    condgen::condition(graph, size, &console::Budget::unlimited()).unwrap().0
}

/// States of the condition with one for every statement, and of the folded one, after they were followed along the same paths.
fn compare(graph: &DifferenceGraph, cfa: &Cfa, what: &str) -> [usize; 2] {
    let [minimal, folded] = [condgen::Size::Minimal, condgen::Size::Folded].map(|size| condition(graph, size));
    let sizes = [&minimal, &folded].map(|condition| condition.states().len());
    assert!(sizes[1] <= sizes[0] && folded.edges().count() <= minimal.edges().count(), "{what}: {sizes:?}");
    let mut bytes = Vec::new();
    folded.write(&mut bytes).unwrap();
    assert!(Condition::read(&bytes, "folded").unwrap() == folded, "{what}");
    let [minimal, folded] = [minimal, folded].map(|condition| ConditionCursor::new(condition, "condition", cfa).unwrap());
    let start = (cfa.entry_location(), Vec::<LocationId>::new(), minimal.start(), folded.start());
    let mut seen = BTreeSet::from([start.clone()]);
    let mut wait = vec![start];
    while let Some((location, stack, one, other)) = wait.pop() {
        let same = matches!(
            (one, other),
            (Coverage::Covered, Coverage::Covered)
                | (Coverage::Uncovered, Coverage::Uncovered)
                | (Coverage::Open(_), Coverage::Open(_))
        );
        assert!(same, "{what}: {one:?} and {other:?} in {}", cfa.function(cfa.location(location).function).name);
        if !matches!(one, Coverage::Open(_)) || seen.len() > POSITIONS {
            continue;
        }
        for edge in cfa.out_edges(location) {
            let (mut target, mut calls) = (cfa.edge(*edge).target, stack.clone());
            if let Some(entry) = cfa.entered_callee(*edge).and_then(|callee| cfa.function(callee).entry) {
                calls.push(target);
                target = entry;
            } else if let Operation::Return { .. } = cfa.edge(*edge).operation {
                let Some(back) = calls.pop() else { continue };
                target = back;
            }
            let next = (target, calls, minimal.step(one, *edge), folded.step(other, *edge));
            if next.1.len() <= DEEPEST && seen.insert(next.clone()) {
                wait.push(next);
            }
        }
    }
    sizes
}

fn graphs(original: &Cfa, modified: &Cfa) -> [DifferenceGraph; 2] {
    let limited = || {
        let mut steps = 0;
        move || {
            steps += 1;
            steps > STEPS
        }
    };
    let graph = diffdp::detect(original, modified, &diffdp::Config::default(), &mut limited()).0;
    [diffcond::detect(original, modified, &mut limited()), graph]
}

#[test]
fn of_random_pairs() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (pairs, first) = (number("RESIDUE_PAIRS", PAIRS), number("RESIDUE_SEED", 0));
    let sizes = for_seeds(first..first + pairs, |seed| {
        let sample = Sample::new(seed);
        graphs(&sample.original, &sample.modified).map(|graph| compare(&graph, &sample.modified, &sample.describe()))
    });
    let [minimal, folded] = [0, 1].map(|side| sizes.iter().flatten().map(|sizes| sizes[side]).sum::<usize>());
    eprintln!("{pairs} pairs: {minimal} states, {folded} of them when folded");
    assert!(2 * folded < minimal, "{folded} of {minimal} states");
}

#[test]
fn of_task_pairs() {
    let Some(folder) = shared("tasks") else { return };
    let pairs = tasks::pairs(&folder);
    let sizes = for_seeds(0..pairs.len() as u64, |number| {
        let (file, pair) = &pairs[number as usize];
        let ([original, modified], _) = tasks::programs(file, pair).unwrap();
        graphs(&original, &modified).map(|graph| compare(&graph, &modified, &pair.id))
    });
    let mut folded: Vec<usize> = sizes.iter().flatten().map(|sizes| sizes[1]).collect();
    folded.sort_unstable();
    assert!(folded[folded.len() / 2] <= 40, "{folded:?}");
}
