//! Random programs whose values are computed in other ways: what `diffdp --match semantic` covers is no regression, its
//! certificates are found right, and without renaming apart what is affected it covers regressions.

use diffdp::{Config, Detected, Match, Rules, Wanted, detect_with};
use formats::{Certificate, DifferenceGraph};
use residue_tests::oracle::{Sample, for_seeds};
use residue_tests::proofs::number;

/// Random pairs that are tried; `RESIDUE_PAIRS` changes it, `RESIDUE_SEED` the first.
const PAIRS: u64 = 500;

fn found(sample: &Sample, config: &Config) -> (DifferenceGraph, Certificate) {
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let Detected { graph, certificate, .. } = detect_with(&sample.original, &sample.modified, config, wanted, &mut || false);
    (graph, certificate.unwrap())
}

fn semantic(rules: Rules) -> Config {
    Config { matching: Match::Semantic, rules, ..Config::default() }
}

#[derive(Default)]
struct Row {
    regression: bool,
    /// Nothing is left to check, with `--match implied` and with `--match semantic`.
    nothing_left: [bool; 2],
    harmless: bool,
    wrong: Vec<String>,
    missed: bool,
}

fn examine(seed: u64) -> Row {
    let sample = Sample::respelled(seed);
    let mut row =
        Row { regression: sample.is_regression(), harmless: sample.safe && sample.violations.is_empty(), ..Row::default() };
    let (before, _) = found(&sample, &Config::default());
    let (graph, certificate) = found(&sample, &semantic(Rules::SOUND));
    row.nothing_left = [before.indicators.is_empty(), graph.indicators.is_empty()];
    if sample.judge(&graph).unsound {
        row.wrong.push(format!("a regression is covered: {}", sample.describe()));
    }
    if let Err(why) = validate::validate(&sample.original, &sample.modified, &graph, &certificate) {
        row.wrong.push(format!("{why}: {}", sample.describe()));
    }
    let (graph, certificate) = found(&sample, &semantic(Rules::without("noapart").unwrap()));
    row.missed = sample.judge_graph(&graph).unsound;
    if row.missed && validate::validate(&sample.original, &sample.modified, &graph, &certificate).is_ok() {
        row.wrong.push(format!("what was not renamed apart is accepted: {}", sample.describe()));
    }
    row
}

#[test]
fn values_are_equal_or_left_to_check() {
    let first = number("RESIDUE_SEED", 0);
    let rows = for_seeds(first..first + number("RESIDUE_PAIRS", PAIRS), examine);
    let count = |which: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| which(row)).count();
    let harmless = count(&|row| row.harmless);
    let [before, after] = [0, 1].map(|mode| count(&|row| row.harmless && row.nothing_left[mode]));
    let (regressions, missed) = (count(&|row| row.regression), count(&|row| row.missed));
    eprintln!(
        "{} pairs, {regressions} regressions; nothing is left of {before} and of {after} of {harmless} harmless ones; without \
         renaming apart {missed} regressions are covered",
        rows.len()
    );
    let wrong: Vec<&String> = rows.iter().flat_map(|row| &row.wrong).collect();
    assert!(wrong.is_empty(), "{} are wrong, the first: {}", wrong.len(), wrong[0]);
    assert!(regressions * 30 > rows.len() && after > before + rows.len() / 20 && missed > 0);
}

/// Equal expressions of what differs are taken for equal values where nothing is renamed apart, and only there.
#[test]
fn what_differs_is_renamed_apart() {
    let program = |start: i32, sum: &str| {
        format!(
            "extern void reach_error(void); int g = 1; int main(void) {{ int r = {start}; int x = {sum}; if (x == 3) reach_error(); }}"
        )
    };
    let sample = Sample::from_texts(&program(1, "g + r"), &program(2, "r + g"));
    assert!(sample.is_regression());
    let judged = |rules: Rules| {
        let (graph, certificate) = found(&sample, &semantic(rules));
        let refused = validate::validate(&sample.original, &sample.modified, &graph, &certificate).is_err();
        (sample.judge_graph(&graph).unsound, refused)
    };
    assert_eq!(judged(Rules::SOUND), (false, false));
    assert_eq!(judged(Rules::without("noapart").unwrap()), (true, true));
}
