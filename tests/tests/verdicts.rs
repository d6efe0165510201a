//! Each analysis of `verify`, alone and all together, never contradicts what executions of random programs show: TRUE means
//! that no run violates the property, or with a condition no uncovered one, and every proof is inductive.

use std::time::Duration;

use console::{Budget, Progress, Statistics};
use engine::evidence::recheck::Gap;
use program::cfa::EdgeId;
use residue_tests::oracle::{self, Sample};
use residue_tests::programs::{self, Rng, Shape};
use semantics::cursor::{ConditionCursor, Coverage};
use semantics::interpreter::{Limits, Outcome, ValueList, run};
use verify::{Conclusion, Kind, Plan, Recheck, analyse};

/// CPU time for a program that is too large to try all its inputs.
const SLICE: Duration = Duration::from_millis(700);

/// Steps for one plan on one program.
const STEPS: u64 = 12_000;

/// Each analysis alone, each left out, and all.
fn plans() -> Vec<Vec<Kind>> {
    let all = Kind::ALL.to_vec();
    let alone = all.iter().map(|kind| vec![*kind]);
    let without = all.iter().map(|kind| all.iter().copied().filter(|other| other != kind).collect());
    alone.chain(without).chain([all.clone()]).collect()
}

/// What came out, by plan: TRUE, FALSE, UNKNOWN.
type Counts = Vec<[usize; 3]>;

/// Whether some violating run is left to check.
fn violated(sample: &Sample, cursor: Option<&ConditionCursor>) -> bool {
    let step = |cursor: &ConditionCursor, run: &[EdgeId]| {
        run.iter().fold(cursor.start(), |coverage: Coverage, edge| cursor.step(coverage, *edge)).is_covered()
    };
    sample.violations.iter().any(|run| cursor.is_none_or(|cursor| !step(cursor, run)))
}

fn judge(sample: &Sample, cursor: Option<&ConditionCursor>, counts: &mut Counts) {
    for (analyses, counts) in plans().iter().zip(counts) {
        let plan = Plan { analyses, recheck: Recheck::Always, steps: Some(STEPS), ..Plan::FULL };
        let budget = Budget::unlimited();
        let mut statistics = Statistics::new();
        let found = analyse(&sample.modified, cursor.cloned(), &budget, &Progress::none(), &mut statistics, plan).unwrap();
        let what = || format!("{analyses:?}, with a condition: {}, {}", cursor.is_some(), sample.describe());
        match found {
            (Conclusion::Safe(..), numbers) => {
                assert!(!violated(sample, cursor), "TRUE for a violation: {}", what());
                let proof = numbers.recheck.unwrap_or(Ok(()));
                assert!(matches!(proof, Ok(()) | Err(Gap::Undecided)), "{proof:?}: {}", what());
                counts[0] += 1;
            }
            (Conclusion::Unsafe(run), _) => {
                assert!(verify::reaches_error(&run), "{}", what());
                counts[1] += 1;
            }
            (Conclusion::Unknown(_), _) => counts[2] += 1,
        }
    }
}

#[test]
fn no_analysis_contradicts_an_execution() {
    let programs = std::env::var("RESIDUE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(24);
    let first = std::env::var("RESIDUE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let mut counts: Counts = vec![[0; 3]; plans().len()];
    for seed in first..first + programs {
        let sample = Sample::new(seed);
        judge(&sample, None, &mut counts);
        let config = diffdp::Config::default();
        let (graph, _) = diffdp::detect(&sample.original, &sample.modified, &config, &mut || false);
        let (condition, _) = condgen::condition(&graph, condgen::Size::Folded, &Budget::unlimited()).unwrap();
        let cursor = ConditionCursor::new(condition, "condition", &sample.modified).unwrap();
        judge(&sample, Some(&cursor), &mut counts);
    }
    for (plan, counts) in plans().iter().zip(&counts) {
        eprintln!("TRUE, FALSE, UNKNOWN: {counts:?} by {plan:?}");
        // Whatever is left out, the others settle programs of both kinds.
        assert!(plan.len() == 1 || counts[0] > 0 && counts[1] > 0, "{plan:?}: {counts:?}");
    }
}

/// Programs with structs, arrays, pointers, bit-fields and casts, executed on random inputs.
#[test]
fn no_verdict_contradicts_an_execution_on_random_inputs() {
    let programs = std::env::var("RESIDUE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let first = std::env::var("RESIDUE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let mut counts = [0usize; 3];
    for seed in first..first + programs {
        let shape = Shape { statements: 3, depth: 2, ..Shape::default() };
        let text = programs::program(seed, shape).text();
        let cfa = oracle::load("program.c", &text);
        let budget = Budget::new(Some(Budget::cpu_used() + SLICE), None).unwrap();
        let plan = Plan { recheck: Recheck::Always, ..Plan::FULL };
        let (conclusion, numbers) = analyse(&cfa, None, &budget, &Progress::none(), &mut Statistics::new(), plan).unwrap();
        match conclusion {
            Conclusion::Safe(..) => {
                let proof = numbers.recheck.unwrap_or(Ok(()));
                assert!(matches!(proof, Ok(()) | Err(Gap::Undecided)), "{proof:?}: seed {seed}\n{text}");
                let mut rng = Rng::new(seed);
                for _ in 0..100 {
                    let values: Vec<u128> =
                        (0..30).map(|_| if rng.one_in(3) { u128::from(rng.draw()) } else { rng.below(6) as u128 }).collect();
                    let run = run(&cfa, &mut ValueList::new(values.clone()), &mut (), Limits::default());
                    assert!(run.outcome != Outcome::ErrorReached, "TRUE, but {values:?} violate: seed {seed}\n{text}");
                }
                counts[0] += 1;
            }
            Conclusion::Unsafe(run) => {
                assert!(verify::reaches_error(&run), "seed {seed}\n{text}");
                counts[1] += 1;
            }
            Conclusion::Unknown(_) => counts[2] += 1,
        }
    }
    eprintln!("TRUE, FALSE, UNKNOWN: {counts:?}");
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}
