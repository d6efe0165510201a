//! Certificates: what the detector writes down is found right by a check that shares no rule with it.

use diffdp::{Config, Detected, Wanted, detect_with};
use formats::{Certificate, Condition, DifferenceGraph};
use program::cfa::Cfa;
use residue_tests::oracle::{Sample, for_seeds};
use residue_tests::{shared, tasks};
use semantics::cursor::ConditionCursor;

/// Random pairs that are tried; `RESIDUE_PAIRS` changes it, `RESIDUE_SEED` the first.
const PAIRS: u64 = 2_000;
/// Steps of the detector on a task pair: enough for most of them.
const STEPS: u64 = 20_000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

fn certified(original: &Cfa, modified: &Cfa, config: &Config) -> (DifferenceGraph, Certificate) {
    let wanted = Wanted { explanation: false, certificate: true };
    let mut steps = 0;
    let mut interrupted = || {
        steps += 1;
        steps > STEPS
    };
    let Detected { graph, certificate, .. } = detect_with(original, modified, config, wanted, &mut interrupted);
    (graph, certificate.unwrap())
}

fn condition(graph: &DifferenceGraph) -> Condition {
    condgen::condition(graph, condgen::Size::Folded, &console::Budget::unlimited()).unwrap().0
}

/// What the check says of a pair's graph, read back from what was written.
fn refusal(original: &Cfa, modified: &Cfa, config: &Config) -> Option<String> {
    let (graph, certificate) = certified(original, modified, config);
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    let certificate = Certificate::read(&bytes, "certificate").unwrap();
    let covers = ConditionCursor::new(condition(&graph), "condition", modified).unwrap();
    let refused = validate::validate(original, modified, &graph, &certificate);
    let refused = refused.and_then(|()| validate::validate_condition(&graph, &covers));
    refused.err().map(|refusal| refusal.to_string())
}

#[test]
fn of_random_pairs() {
    let (pairs, first) = (number("RESIDUE_PAIRS", PAIRS), number("RESIDUE_SEED", 0));
    let refused = for_seeds(first..first + pairs, |seed| {
        let sample = Sample::new(seed);
        refusal(&sample.original, &sample.modified, &Config::default()).map(|why| format!("seed {seed}: {why}"))
    });
    let refused: Vec<String> = refused.into_iter().flatten().collect();
    assert!(refused.is_empty(), "{} of {pairs}: {}", refused.len(), refused[..refused.len().min(8)].join("\n"));
}

#[test]
fn of_task_pairs() {
    let Some(folder) = shared("tasks") else { return };
    let pairs = tasks::pairs(&folder);
    let refused = for_seeds(0..pairs.len() as u64, |number| {
        let (file, pair) = &pairs[number as usize];
        let ([original, modified], _) = tasks::programs(file, pair).unwrap();
        refusal(&original, &modified, &Config::default()).map(|why| format!("{}: {why}", pair.id))
    });
    let refused: Vec<String> = refused.into_iter().flatten().collect();
    assert!(refused.is_empty(), "{} of {}: {}", refused.len(), pairs.len(), refused.join("\n"));
}
