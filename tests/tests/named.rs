//! Random programs whose values got names, were read earlier, or moved into functions: what `diffdp` covers is no regression,
//! its certificates are found right, and where nothing is forgotten it covers regressions, which are refused.

use diffdp::{Config, Detected, Match, Rules, Wanted, detect_with};
use formats::{Certificate, DifferenceGraph};
use residue_tests::oracle::{Sample, for_seeds};
use residue_tests::proofs::number;

/// Random pairs that are tried; `RESIDUE_PAIRS` changes it, `RESIDUE_SEED` the first.
const PAIRS: u64 = 2000;

fn found(sample: &Sample, matching: Match, rules: Rules) -> (DifferenceGraph, Certificate) {
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let config = Config { matching, rules, ..Config::default() };
    let Detected { graph, certificate, .. } = detect_with(&sample.original, &sample.modified, &config, wanted, &mut || false);
    (graph, certificate.unwrap())
}

#[derive(Default)]
struct Row {
    regression: bool,
    harmless: bool,
    /// Nothing is left to check, with `--match identical`, `implied` and `semantic`.
    nothing_left: [bool; 3],
    wrong: Vec<String>,
    missed: bool,
}

fn examine(sample: &Sample) -> Row {
    let mut row =
        Row { regression: sample.is_regression(), harmless: sample.safe && sample.violations.is_empty(), ..Row::default() };
    for (mode, matching) in [Match::Identical, Match::Implied, Match::Semantic].into_iter().enumerate() {
        let (graph, certificate) = found(sample, matching, Rules::SOUND);
        row.nothing_left[mode] = graph.indicators.is_empty();
        if sample.judge(&graph).unsound {
            row.wrong.push(format!("{matching:?}: a regression is covered: {}", sample.describe()));
        }
        if let Err(why) = validate::validate(&sample.original, &sample.modified, &graph, &certificate) {
            row.wrong.push(format!("{matching:?}: {why}: {}", sample.describe()));
        }
    }
    let (graph, certificate) = found(sample, Match::Implied, Rules::without("noforget").unwrap());
    row.missed = sample.judge_graph(&graph).unsound;
    if row.missed && validate::validate(&sample.original, &sample.modified, &graph, &certificate).is_ok() {
        row.wrong.push(format!("what was not forgotten is accepted: {}", sample.describe()));
    }
    row
}

/// What came of many pairs: regressions, harmless ones and of how many of these nothing is left in each mode, and regressions that
/// are covered where nothing is forgotten.
struct Sums {
    pairs: usize,
    regressions: usize,
    harmless: usize,
    left: [usize; 3],
    missed: usize,
}

/// Looks at pairs and refuses what is wrong with any.
fn sums(sample: impl Fn(u64) -> Sample + Sync) -> Sums {
    let first = number("RESIDUE_SEED", 0);
    let rows = for_seeds(first..first + number("RESIDUE_PAIRS", PAIRS), |seed| examine(&sample(seed)));
    let wrong: Vec<&String> = rows.iter().flat_map(|row| &row.wrong).collect();
    assert!(wrong.is_empty(), "{} are wrong, the first: {}", wrong.len(), wrong[0]);
    let count = |which: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| which(row)).count();
    let sums = Sums {
        pairs: rows.len(),
        regressions: count(&|row| row.regression),
        harmless: count(&|row| row.harmless),
        left: [0, 1, 2].map(|mode| count(&|row| row.harmless && row.nothing_left[mode])),
        missed: count(&|row| row.missed),
    };
    let Sums { pairs, regressions, harmless, left, missed } = &sums;
    eprintln!(
        "{pairs} pairs, {regressions} regressions; nothing is left of {left:?} of {harmless} harmless ones; where nothing is forgotten \
         {missed} regressions are covered"
    );
    sums
}

#[test]
fn values_are_seen_through_names_or_left_to_check() {
    let Sums { pairs, regressions, left, missed, .. } = sums(Sample::named);
    assert!(regressions * 30 > pairs && left[1] > left[0] + pairs / 50 && missed > 0);
}

/// Numbers assigned where they are there already, or are not.
#[test]
fn numbers_are_assigned_again() {
    let Sums { pairs, regressions, left, missed, .. } = sums(Sample::disturbed);
    assert!(regressions * 30 > pairs && left[1] > left[0] && missed > 0);
}

fn program(body: &str) -> String {
    format!(
        "extern void reach_error(void); extern unsigned char __VERIFIER_nondet_uchar(void);\nint g; int *p = &g;\n\
         static int next(int v) {{ int w = v + 1; return w; }}\n\
         int main(void) {{ int a = __VERIFIER_nondet_uchar(), b = 1, x = 0; {body} }}"
    )
}

/// Where the operand of a named value is written before the name is used, in each way in which it can be, the name does not stand
/// for the value any more; without that rule regressions are covered, and refused.
#[test]
fn what_is_written_is_forgotten() {
    for (original, modified) in [
        ("b = 2; x = b + 1; if (x != 3) reach_error();", "int t = b + 1; b = 2; x = t; if (x != 3) reach_error();"),
        (
            "g = b; *p = 2; x = g + 1; if (x != 3) reach_error();",
            "g = b; int t = g + 1; *p = 2; x = t; if (x != 3) reach_error();",
        ),
        ("b = 2; x = next(b); if (x != 3) reach_error();", "int t = b; b = 2; x = t + 1; if (x != 3) reach_error();"),
        ("b = 2; if (b == 1) reach_error();", "const int ok = b == 1; b = 2; if (ok) reach_error();"),
        (
            "for (int i = 0; i < 3; i++) { b = i; x = b + 1; } if (x != 3) reach_error();",
            "int t; for (int i = 0; i < 3; i++) { t = b + 1; b = i; x = t; } if (x != 3) reach_error();",
        ),
    ] {
        let sample = Sample::from_texts(&program(original), &program(modified));
        assert!(sample.is_regression(), "{}", sample.describe());
        let judged = |rules: Rules| {
            let (graph, certificate) = found(&sample, Match::Implied, rules);
            let refused = validate::validate(&sample.original, &sample.modified, &graph, &certificate).is_err();
            (sample.judge_graph(&graph).unsound, refused)
        };
        assert_eq!(judged(Rules::SOUND), (false, false), "{modified}");
        assert_eq!(judged(Rules::without("noforget").unwrap()), (true, true), "{modified}");
    }
}
