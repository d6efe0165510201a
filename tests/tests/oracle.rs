//! Random pairs: no condition covers a regression, and each rule of the construction is missed when it is taken away.

use std::sync::LazyLock;

use diffdp::{Config, Rules};
use formats::DifferenceGraph;
use residue_tests::oracle::{Sample, for_seeds};

/// Pairs that are tried; `RESIDUE_PAIRS` changes it.
const PAIRS: u64 = 20_000;
/// One in so many of them is tried without each rule.
const ABLATED: u64 = 8;

fn pairs() -> u64 {
    std::env::var("RESIDUE_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(PAIRS)
}

fn first_seed() -> u64 {
    std::env::var("RESIDUE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// The graph of `diffdp` with some rules, interrupted after a number of steps.
fn diffdp_graph(sample: &Sample, rules: Rules, mut steps: u64) -> DifferenceGraph {
    let mut interrupted = || {
        steps = steps.saturating_sub(1);
        steps == 0
    };
    let config = Config { rules, ..Config::default() };
    diffdp::detect(&sample.original, &sample.modified, &config, &mut interrupted).0
}

fn diffcond_graph(sample: &Sample, mut steps: u64) -> DifferenceGraph {
    let mut interrupted = || {
        steps = steps.saturating_sub(1);
        steps == 0
    };
    diffcond::detect(&sample.original, &sample.modified, &mut interrupted)
}

/// When the interrupted runs of a sample end.
fn some_steps(seed: u64, round: u64) -> u64 {
    let mut rng = fastrand::Rng::with_seed(seed.wrapping_mul(31).wrapping_add(round));
    let most = [8, 40, 200][rng.usize(..3)];
    rng.u64(1..most)
}

/// What is known of a random pair.
#[derive(Default, Debug)]
struct Row {
    unsound: Vec<String>,
    safe: bool,
    regression: bool,
    /// Some violating runs are covered, because the original fails as well.
    covered: bool,
    covered_syntactically: bool,
    /// Violating runs are left to check and others are not.
    partly: bool,
}

/// All pairs, examined once for all tests.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = for_seeds(first_seed()..first_seed() + pairs(), examine);
    let count = |which: fn(&Row) -> bool| rows.iter().filter(|row| which(row)).count();
    eprintln!(
        "{} pairs, {} with a safe original, {} regressions; covered violations: {} ({} syntactically); partly covered: {}",
        rows.len(),
        count(|row| row.safe),
        count(|row| row.regression),
        count(|row| row.covered),
        count(|row| row.covered_syntactically),
        count(|row| row.partly),
    );
    rows
});

fn examine(seed: u64) -> Row {
    let sample = Sample::new(seed);
    let mut row = Row { safe: sample.safe, regression: sample.is_regression(), ..Row::default() };
    let mut note = |what: &str, graph: &DifferenceGraph| {
        let judged = sample.judge(graph);
        if judged.unsound {
            row.unsound.push(format!("{what} covers a regression: {}", sample.describe()));
        }
        judged
    };
    let full = note("diffdp", &diffdp_graph(&sample, Rules::SOUND, u64::MAX));
    let syntactic = note("diffcond", &diffcond_graph(&sample, u64::MAX));
    for round in 0..2 {
        note("interrupted diffdp", &diffdp_graph(&sample, Rules::SOUND, some_steps(seed, round)));
    }
    note("interrupted diffcond", &diffcond_graph(&sample, some_steps(seed, 2)));
    row.covered = full.covered > 0;
    row.partly = full.others > 0 && full.covered < sample.violations.len();
    row.covered_syntactically = syntactic.covered > 0;
    row
}

/// Whether the rules without one of them cover a regression.
fn misses(sample: &Sample, name: &str) -> bool {
    let rules = Rules::without(name).unwrap();
    let unsound = |steps| sample.judge_graph(&diffdp_graph(sample, rules, steps)).unsound;
    // Emission without the check matters only where the first pass was interrupted.
    if name == "nocheck" { (0..4).any(|round| unsound(some_steps(sample.seed, round))) } else { unsound(u64::MAX) }
}

#[test]
fn no_condition_covers_a_regression() {
    let unsound: Vec<_> = ROWS.iter().flat_map(|row| &row.unsound).collect();
    assert!(unsound.is_empty(), "{} conditions, the first:\n{}", unsound.len(), unsound[0]);
}

#[test]
fn the_pairs_are_worth_trying() {
    let count = |which: fn(&Row) -> bool| ROWS.iter().filter(|row| which(row)).count();
    assert!(count(|row| row.regression) * 4 > ROWS.len(), "too few regressions");
    assert!(count(|row| row.covered) * 100 > ROWS.len(), "hardly any violation of both programs is covered");
    assert!(count(|row| row.partly) * 100 > ROWS.len(), "hardly any condition covers some paths and leaves others");
}

#[test]
fn each_missing_rule_is_found() {
    // Of each regression, which ablations cover it.
    let missed = for_seeds(first_seed()..first_seed() + pairs() / ABLATED, |seed| {
        let sample = Sample::new(seed);
        if sample.is_regression() { Rules::ABLATIONS.map(|name| misses(&sample, name)) } else { Default::default() }
    });
    let counts: Vec<_> = (0..Rules::ABLATIONS.len()).map(|position| missed.iter().filter(|row| row[position]).count()).collect();
    eprintln!("pairs that show a missing rule: {:?}", Rules::ABLATIONS.iter().zip(&counts).collect::<Vec<_>>());
    for (name, count) in Rules::ABLATIONS.iter().zip(counts) {
        // The last two are shown by the pair below.
        let least = if matches!(*name, "onephase" | "nocheck") { 0 } else { missed.len() / 500 };
        assert!(count >= least, "{name} is found by {count} pairs only");
    }
}

/// A regression whose change is affecting the check in the second round of the loop only.
fn loop_pair() -> Sample {
    let program = |start: i32| {
        format!(
            "extern void reach_error(void);\n\
             int main(void) {{\n\
             int x = 0, y = {start};\n\
             for (int i = 0; i < 3; i++) {{ if (x == 1) reach_error(); x = y; }}\n\
             return 0; }}\n"
        )
    };
    Sample::from_texts(&program(0), &program(1))
}

#[test]
fn one_phase_and_unchecked_emission_are_found() {
    let sample = loop_pair();
    assert!(sample.is_regression());
    let unsound = |rules: Rules, steps: u64| sample.judge_graph(&diffdp_graph(&sample, rules, steps)).unsound;
    assert!(!unsound(Rules::SOUND, u64::MAX));
    assert!(unsound(Rules::without("onephase").unwrap(), u64::MAX));
    assert!((1..100).any(|steps| unsound(Rules::without("nocheck").unwrap(), steps)));
    assert!(!(1..100).any(|steps| unsound(Rules::SOUND, steps)));
}
