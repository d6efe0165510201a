//! Residual programs of real changes: on random pairs they do what the uncovered paths of the modified program do, and those
//! of the task pairs are C again.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use formats::task::PairTask;
use formats::{DataModel, DifferenceGraph};
use program::cfa::Cfa;
use program::source::SourceFile;
use reduce::{Config, Fold, reduce};
use residue_tests::oracle::{Sample, for_seeds, load};
use residue_tests::{shared, tasks};
use semantics::cursor::{ConditionCursor, Coverage};
use semantics::interpreter::{EdgeObserver, Limits, Origin, Outcome, Request, run};

/// Random pairs that are tried.
const PAIRS: u64 = 600;
/// Steps of the detector on a task pair: enough for most of them.
const STEPS: u64 = 20_000;

fn condition(graph: &DifferenceGraph, modified: &Cfa) -> ConditionCursor {
    let budget = console::Budget::unlimited();
    let (condition, _) = condgen::condition(graph, condgen::Size::Folded, &budget).unwrap();
    ConditionCursor::new(condition, "condition", modified).unwrap()
}

/// How a run ends, and whether its path is covered.
fn execute(cfa: &Cfa, cursor: Option<&ConditionCursor>, values: &[u128]) -> (Outcome, bool) {
    let mut coverage = cursor.map_or(Coverage::Uncovered, ConditionCursor::start);
    let mut next = values.iter().copied();
    let mut inputs = |request: &Request| if let Origin::Input(_) = request.origin { next.next() } else { Some(0) };
    let mut observer = EdgeObserver(|edge| {
        coverage = cursor.map_or(coverage, |cursor| cursor.step(coverage, edge));
        ControlFlow::Continue(())
    });
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let outcome = run(cfa, &mut inputs, &mut observer, limits).outcome;
    (outcome, coverage.is_covered())
}

/// Runs that were compared: uncovered and covered ones.
fn compare(sample: &Sample, graph: &DifferenceGraph) -> [usize; 2] {
    let cursor = condition(graph, &sample.modified);
    let mut count = [0; 2];
    for fold in [Fold::None, Fold::Cfa] {
        let config = Config { fold, ..Config::default() };
        let text = reduce(&sample.modified, &cursor, config, &[]).unwrap().text;
        let residual = load("residual.c", &text);
        for number in 0..81u128 {
            let values: Vec<u128> = (0..12).map(|position| number / 3u128.pow(position % 4) % 3).collect();
            let (expected, covered) = execute(&sample.modified, Some(&cursor), &values);
            let (found, _) = execute(&residual, None, &values);
            count[usize::from(covered)] += 1;
            let fails = |outcome: &Outcome| *outcome == Outcome::ErrorReached;
            let right = match fold {
                Fold::None => fails(&found) == (fails(&expected) && !covered),
                Fold::Cfa => fails(&found) || covered || !fails(&expected),
            };
            let told = || {
                format!(
                    "{fold:?} {values:?} covered {covered}, {expected:?}, {found:?}: {}\n---- residual\n{text}",
                    sample.describe()
                )
            };
            assert!(right, "{}", told());
        }
    }
    count
}

#[test]
fn residual_programs_of_random_pairs_keep_the_uncovered_paths() {
    let counts = for_seeds(0..PAIRS, |seed| {
        let sample = Sample::new(seed);
        let config = diffdp::Config::default();
        let precise = diffdp::detect(&sample.original, &sample.modified, &config, &mut || false).0;
        let syntactic = diffcond::detect(&sample.original, &sample.modified, &mut || false);
        [compare(&sample, &precise), compare(&sample, &syntactic)]
    });
    let total = |which: usize| counts.iter().flatten().map(|count| count[which]).sum::<usize>();
    eprintln!("uncovered runs: {}, covered: {}", total(0), total(1));
    assert!(total(0) > 1000 && total(1) > 1000);
}

/// Compiles a text with gcc, without output.
fn compiles(text: &str, model: DataModel) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("residual.c"), text).unwrap();
    let mut arguments = vec!["-x", "c", "-fsyntax-only", "-std=gnu11", "-w", "residual.c"];
    if model == DataModel::ILP32 {
        arguments.push("-m32");
    }
    let gcc = duct::cmd("gcc", arguments).dir(folder.path()).stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
    if gcc.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&gcc.stdout).chars().take(2000).collect()) }
}

fn build(file: &Path, pair: &PairTask) -> Result<(), String> {
    let ([original, modified], options) = tasks::programs(file, pair)?;
    let mut steps = 0;
    let mut interrupted = || {
        steps += 1;
        steps > STEPS
    };
    let graph = diffdp::detect(&original, &modified, &diffdp::Config::default(), &mut interrupted).0;
    let cursor = condition(&graph, &modified);
    let text = reduce(&modified, &cursor, Config::default(), &[]).map_err(|error| error.to_string())?.text;
    compiles(&text, pair.data_model)?;
    let source = SourceFile::new("residual.c", text);
    program::load_source(source, &options).map(|_| ()).map_err(|error| format!("not read again: {error}"))
}

#[test]
fn residual_programs_of_the_task_pairs_are_programs_again() {
    let Some(folder) = shared("tasks") else { return };
    let pairs = tasks::pairs(&folder);
    let found = for_seeds(0..pairs.len() as u64, |number| {
        let (file, pair) = &pairs[number as usize];
        build(file, pair).map_err(|error| format!("{}: {error}", pair.id))
    });
    let failed: Vec<_> = found.iter().filter_map(|result| result.as_ref().err()).map(String::as_str).collect();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), pairs.len(), failed.join("\n"));
}
