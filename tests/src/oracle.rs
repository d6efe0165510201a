//! The soundness oracle: a pair of random programs, all runs of both, and the question whether a condition covers a
//! regression.
//!
//! A regression is a violating run of the modified program while the original has none at all: inputs are existential, and
//! the initial data state is the same for all runs. A condition that covers one is unsound.
//! Does not know how conditions are computed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use formats::{Condition, DifferenceGraph, ProgramOptions};
use program::cfa::{Cfa, EdgeId};
use program::source::SourceFile;
use semantics::cursor::{ConditionCursor, Coverage};
use semantics::interpreter::{Limits, Origin, Outcome, Request, run};

use crate::generate::Generator;
use crate::naming::{disturbed, named};
use crate::respell::respelled;

/// Inputs per run; programs with longer runs are not decided.
const MOST_INPUTS: usize = 8;
/// Runs per program.
const MOST_RUNS: usize = 1500;
/// Edges per run; far more than a generated program passes unless it spins.
const MOST_STEPS: usize = 6000;
/// Violating runs that are kept.
const MOST_VIOLATIONS: usize = 150;
/// Other runs that are kept.
const MOST_OTHERS: usize = 30;
/// Checks replaced for a safe original.
const REPAIRS: usize = 25;
/// Changes tried for a violating one.
const CHANGES: usize = 8;

/// All runs of a program, as far as the oracle is concerned.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// The edges of violating runs.
    pub violations: Vec<Vec<EdgeId>>,
    /// The edges of some other runs.
    pub others: Vec<Vec<EdgeId>>,
    /// Every run was tried.
    pub complete: bool,
    /// How many runs there were.
    pub count: usize,
}

/// Tries all input sequences.
///
/// # Panics
/// If a run has undefined behaviour or meets an unsupported construct: the generator makes no such program.
#[must_use]
pub fn all_runs(cfa: &Cfa, most_violations: usize) -> Runs {
    let mut runs = Runs { complete: true, ..Runs::default() };
    // Each value with the greatest one to try.
    let mut prefix: Vec<(u128, u128)> = Vec::new();
    loop {
        let mut read: Vec<(u128, u128)> = Vec::new();
        let mut too_long = false;
        let mut inputs = |request: &Request| match request.origin {
            // Of an uninitialised object only one bit is used.
            Origin::Input(_) | Origin::Object { .. } => {
                let most = if matches!(request.origin, Origin::Input(_)) { 2 } else { 1 };
                let value = prefix.get(read.len()).map_or(0, |(value, _)| *value);
                read.push((value, most));
                too_long |= read.len() > MOST_INPUTS;
                (!too_long).then_some(value)
            }
            other @ (Origin::External(_)
            | Origin::Parameter(_)
            | Origin::MissingResult(_)
            | Origin::Volatile(_)
            | Origin::Comparison(_)
            | Origin::Allocation(_)) => panic!("a generated program reads {other:?}"),
        };
        let limits = Limits { steps: MOST_STEPS, ..Limits::default() };
        let done = run(cfa, &mut inputs, &mut (), limits);
        runs.count += 1;
        runs.complete &= !too_long;
        match done.outcome {
            _ if too_long => {}
            Outcome::ErrorReached if runs.violations.len() < most_violations => runs.violations.push(done.trace),
            Outcome::Finished if runs.others.len() < MOST_OTHERS => runs.others.push(done.trace),
            Outcome::ErrorReached | Outcome::Finished | Outcome::Aborted => {}
            Outcome::StepLimit if spins(&done.trace) => {}
            Outcome::StepLimit | Outcome::InputsExhausted(_) => runs.complete = false,
            other @ (Outcome::MemoryLimit | Outcome::Stopped | Outcome::Undefined { .. } | Outcome::Unsupported { .. }) => {
                panic!("{other:?} at {}", done.trace.last().map_or(String::new(), |e| cfa.edge_text(*e)))
            }
        }
        read.truncate(MOST_INPUTS);
        while read.last().is_some_and(|(value, most)| value == most) {
            read.pop();
        }
        let Some((last, _)) = read.last_mut() else { return runs };
        *last += 1;
        prefix = read;
        if runs.count == MOST_RUNS || (!runs.complete && runs.violations.len() >= most_violations) {
            runs.complete = false;
            return runs;
        }
    }
}

/// Whether a run ended in a loop without effect: all other loops of a generated program are short.
fn spins(trace: &[EdgeId]) -> bool {
    let tail = &trace[trace.len().saturating_sub(200)..];
    (1..=6).any(|period| tail.iter().zip(&tail[period..]).all(|(a, b)| a == b))
}

/// A pair of random programs and what is known of them.
#[derive(Debug)]
pub struct Sample {
    /// The seed it was made from.
    pub seed: u64,
    /// The original's text and the modified program's.
    pub texts: [String; 2],
    /// The original.
    pub original: Cfa,
    /// The modified program.
    pub modified: Cfa,
    /// No run of the original violates the property.
    pub safe: bool,
    /// Violating runs of the modified program.
    pub violations: Vec<Vec<EdgeId>>,
    /// Some other runs of it.
    pub others: Vec<Vec<EdgeId>>,
}

impl Sample {
    /// The pair of a seed: mostly a safe original with a violating change.
    ///
    /// # Panics
    /// If the front end refuses a generated program.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut generator = Generator::new(seed);
        let mut program = generator.program();
        let mut original = load("original.c", &program.to_string());
        let mut runs = all_runs(&original, 1);
        // Some originals stay as they are, so that violations may be covered.
        for _ in 0..if seed.is_multiple_of(8) { 0 } else { REPAIRS } {
            let Some(edge) = runs.violations.first().and_then(|run| run.last()) else { break };
            generator.replace_check(&mut program, original.edge_key(*edge).line as usize);
            original = load("original.c", &program.to_string());
            runs = all_runs(&original, 1);
        }
        let safe = runs.complete && runs.violations.is_empty();
        let attempts = if safe { CHANGES } else { 1 };
        let mut attempt = 0;
        loop {
            attempt += 1;
            let texts = [program.to_string(), generator.change(&program).to_string()];
            let modified = load("modified.c", &texts[1]);
            let runs = all_runs(&modified, MOST_VIOLATIONS);
            if attempt == attempts || !runs.violations.is_empty() {
                return Self { seed, texts, original, modified, safe, violations: runs.violations, others: runs.others };
            }
        }
    }

    /// The pair of two programs.
    #[must_use]
    pub fn from_texts(original: &str, modified: &str) -> Self {
        let texts = [original.to_owned(), modified.to_owned()];
        let (original, modified) = (load("original.c", original), load("modified.c", modified));
        let (before, after) = (all_runs(&original, 1), all_runs(&modified, MOST_VIOLATIONS));
        let safe = before.complete && before.violations.is_empty();
        Self { seed: 0, texts, original, modified, safe, violations: after.violations, others: after.others }
    }

    /// The pair of a seed's original and the same with values computed in other ways, some of them wrongly: mostly a violating
    /// change of a safe original.
    #[must_use]
    pub fn respelled(seed: u64) -> Self {
        let original = Self::new(seed).texts[0].clone();
        let mut rng = fastrand::Rng::with_seed(seed);
        // A quarter is a harmless change.
        let wrong = if seed.is_multiple_of(4) { 0 } else { 1 + rng.usize(..2) };
        let mut attempt = 0;
        loop {
            attempt += 1;
            let sample = Self { seed, ..Self::from_texts(&original, &respelled(&original, &mut rng, wrong)) };
            if attempt == CHANGES || wrong == 0 || !sample.violations.is_empty() {
                return sample;
            }
        }
    }

    /// The pair of a seed's original and the same with values named, some of them wrongly; the original is the one with the
    /// names now and then.
    #[must_use]
    pub fn named(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let plain = Self::new(seed).texts[0].clone();
        let plain = if seed % 4 == 1 || rng.bool() { disturbed(&plain, &mut rng) } else { plain };
        // A quarter is mostly harmless; another one is wrong only where a name is given too early.
        let wrong = if seed % 4 < 2 { 0 } else { 1 + rng.usize(..2) };
        let mut attempt = 0;
        loop {
            attempt += 1;
            let other = named(&plain, &mut rng, wrong);
            let (before, after) = if rng.u8(..3) == 0 { (&other, &plain) } else { (&plain, &other) };
            let sample = Self { seed, ..Self::from_texts(before, after) };
            if attempt == CHANGES || seed.is_multiple_of(4) || sample.is_regression() {
                return sample;
            }
        }
    }

    /// The pair of a seed's original and the same with numbers assigned in front of some values, in either order.
    #[must_use]
    pub fn disturbed(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let plain = Self::new(seed).texts[0].clone();
        let mut attempt = 0;
        loop {
            attempt += 1;
            let other = disturbed(&plain, &mut rng);
            let (before, after) = if rng.bool() { (&other, &plain) } else { (&plain, &other) };
            let sample = Self { seed, ..Self::from_texts(before, after) };
            if attempt == CHANGES || seed.is_multiple_of(2) || sample.is_regression() {
                return sample;
            }
        }
    }

    /// Whether the change is a regression, as far as anyone tried.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        self.safe && !self.violations.is_empty()
    }

    /// What the condition that a difference graph gives makes of the violating runs.
    ///
    /// # Panics
    /// If graph or condition are malformed.
    #[must_use]
    pub fn judge(&self, graph: &DifferenceGraph) -> Judged {
        let budget = console::Budget::unlimited();
        let (condition, finished) = condgen::condition(graph, condgen::Size::Folded, &budget).expect("a graph");
        assert!(finished.is_ok());
        let judged = self.judge_condition(condition);
        let (minimal, _) = condgen::condition(graph, condgen::Size::Minimal, &budget).expect("a graph");
        assert_eq!(self.judge_condition(minimal), judged, "folded: {}", self.describe());
        judged
    }

    /// What a difference graph makes of the violating runs, by the definition of Algorithm 1; the graph may be
    /// nondeterministic, as unsound rules make it.
    #[must_use]
    pub fn judge_graph(&self, graph: &DifferenceGraph) -> Judged {
        let mut uncovered: BTreeSet<u32> = graph.indicators.iter().copied().collect();
        loop {
            let before = uncovered.len();
            uncovered.extend(graph.edges.iter().filter(|e| uncovered.contains(&e.to)).map(|e| e.from).collect::<Vec<_>>());
            if uncovered.len() == before {
                break;
            }
        }
        let is_covered = |run: &&Vec<EdgeId>| {
            let mut nodes = BTreeSet::from([0]);
            run.iter().any(|edge| {
                let steps = graph.edges.iter().filter(|e| e.edge == edge.0 && nodes.contains(&e.from));
                nodes = steps.map(|e| e.to).collect();
                !nodes.is_subset(&uncovered)
            }) || !uncovered.contains(&0)
        };
        let covered = self.violations.iter().filter(is_covered).count();
        Judged { covered, unsound: self.safe && covered > 0, others: self.others.iter().filter(is_covered).count() }
    }

    /// What a condition makes of the violating runs.
    ///
    /// # Panics
    /// If the condition is not one of the modified program.
    #[must_use]
    pub fn judge_condition(&self, condition: Condition) -> Judged {
        let cursor = ConditionCursor::new(condition, "condition", &self.modified).expect("a condition of the program");
        let is_covered = |run: &&Vec<EdgeId>| {
            run.iter().fold(cursor.start(), |coverage: Coverage, edge| cursor.step(coverage, *edge)).is_covered()
        };
        let covered = self.violations.iter().filter(is_covered).count();
        Judged { covered, unsound: self.safe && covered > 0, others: self.others.iter().filter(is_covered).count() }
    }

    /// Both programs, for a report.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut text = format!("seed {}", self.seed);
        for (name, program) in ["original", "modified"].iter().zip(&self.texts) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n---- {name}\n{program}");
        }
        text
    }
}

/// What a condition does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// How many violating runs it covers.
    pub covered: usize,
    /// How many of the other runs it covers.
    pub others: usize,
    /// It covers a regression.
    pub unsound: bool,
}

/// A program from its text.
///
/// # Panics
/// If the front end refuses it.
#[must_use]
pub fn load(name: &str, text: &str) -> Cfa {
    let source = SourceFile::new(name, text.to_owned());
    program::load_source(source, &ProgramOptions::default()).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Does something for each seed, on all cores; the results come in the order of the seeds.
pub fn for_seeds<T: Send>(seeds: std::ops::Range<u64>, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get) as u64;
    let (work, seeds) = (&work, &seeds);
    let mut found: Vec<(u64, T)> = std::thread::scope(|scope| {
        let start = |first: u64| {
            scope.spawn(move || {
                (seeds.start + first..seeds.end).step_by(threads as usize).map(|seed| (seed, work(seed))).collect::<Vec<_>>()
            })
        };
        let handles: Vec<_> = (0..threads).map(start).collect();
        handles.into_iter().flat_map(|handle| handle.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    });
    found.sort_by_key(|(seed, _)| *seed);
    found.into_iter().map(|(_, result)| result).collect()
}
