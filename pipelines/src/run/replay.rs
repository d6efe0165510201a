//! The last judgement: replays a counterexample on the modified and on the original program.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use console::{Budget, Exhaustion};
use formats::ProgramOptions;
use formats::verdict::InputValue;
use program::cfa::{Cfa, EdgeId};
use program::violation::Violation;
use semantics::interpreter::{self, EdgeObserver, Limits, Origin, Outcome, Recorded, Run};
use semantics::own_text;

use super::outcome::{Class, Place};

/// Bounds of one replay.
pub(crate) const LIMITS: Limits = Limits { steps: 50_000_000, memory: 1 << 30, skips_library: false };

/// Edges between two looks at the budget.
const EDGES: u32 = 4096;

/// What the replays show.
pub(crate) enum Comparison {
    /// The modified program does not reach an error on these inputs; what it does instead.
    NotReplayed(String),
    /// The run ended before that was known.
    Ended(Exhaustion),
    /// It does.
    Replayed(Judgement),
}

/// What a violation means for the change.
pub(crate) struct Judgement {
    /// What kind of violation it is.
    pub(crate) class: Class,
    /// The line that says what the verdict is about.
    pub(crate) about: String,
    /// Where the modified program violates the property.
    pub(crate) violation: Option<Place>,
}

/// The original that a violation is compared with.
pub(crate) enum Original<'a> {
    /// A program.
    Program(PathBuf, &'a ProgramOptions),
    /// There is none; why.
    Absent(&'a str),
}

/// Runs both programs on the inputs of a counterexample.
///
/// A regression is claimed only if both runs read the same inputs in the same order, function by function; the claim is
/// about these inputs only.
pub(crate) fn compare(
    original: &Original<'_>,
    modified: &Path,
    options: &ProgramOptions,
    inputs: &[InputValue],
    budget: &Budget,
) -> miette::Result<Comparison> {
    let cfa = program::load(modified, options)?;
    let mut recorded = Recorded::new(&cfa, inputs);
    let run = interpreter::run(&cfa, &mut recorded, &mut until(budget), LIMITS);
    if let (Outcome::Stopped, Some(exhaustion)) = (&run.outcome, budget.check()) {
        return Ok(Comparison::Ended(exhaustion));
    }
    if run.outcome != Outcome::ErrorReached {
        return Ok(Comparison::NotReplayed(ending(&run)));
    }
    let violation = violation(&cfa, &run);
    let place = violation.as_ref().map(ToString::to_string).unwrap_or_default();
    let what = operation(&cfa, &run).map(|what| format!("{what}; ")).unwrap_or_default();
    let read = input_names(&cfa, &run);
    drop(cfa);
    let (class, about) = match passes(original, inputs, &read, budget) {
        Ok(true) => (Class::Regression, format!("regression at {place} ({what}the original passes on these inputs)")),
        Ok(false) => (Class::ViolationInBoth, format!("violation at {place} also in the original{}", behind(&what))),
        Err(reason) => (Class::NotCompared, format!("violation at {place}, original not compared: {reason}{}", behind(&what))),
    };
    Ok(Comparison::Replayed(Judgement { class, about, violation }))
}

/// Stops a replay when the run has to end.
fn until(budget: &Budget) -> EdgeObserver<impl FnMut(EdgeId) -> ControlFlow<()> + '_> {
    let mut passed = 0u32;
    EdgeObserver(move |_| {
        passed = passed.wrapping_add(1);
        let ends = passed.is_multiple_of(EDGES) && budget.exhausted();
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

/// Whether the original ends without a violation on the inputs whose names the modified program `read`; else why nothing
/// can be said.
fn passes(original: &Original<'_>, inputs: &[InputValue], read: &[String], budget: &Budget) -> Result<bool, String> {
    let (path, options) = match original {
        Original::Program(path, options) => (path, options),
        Original::Absent(why) => return Err((*why).to_owned()),
    };
    let cfa = program::load(path, options).map_err(|error| error.to_string())?;
    let mut recorded = Recorded::new(&cfa, inputs);
    let run = interpreter::run(&cfa, &mut recorded, &mut until(budget), LIMITS);
    if let (Outcome::Stopped, Some(exhaustion)) = (&run.outcome, budget.check()) {
        return Err(exhaustion.to_string());
    }
    if recorded.diverged() || !is_prefix(&input_names(&cfa, &run), read) {
        return Err("inputs are read differently".to_owned());
    }
    match &run.outcome {
        Outcome::ErrorReached => Ok(false),
        Outcome::Finished | Outcome::Aborted | Outcome::InputsExhausted(_) => Ok(true),
        Outcome::StepLimit
        | Outcome::MemoryLimit
        | Outcome::Undefined { .. }
        | Outcome::Unsupported { .. }
        | Outcome::Stopped => Err(ending(&run)),
    }
}

fn input_names(cfa: &Cfa, run: &Run) -> Vec<String> {
    let calls = run.reads.iter().filter(|read| matches!(read.request.origin, Origin::Input(_) | Origin::External(_)));
    calls.map(|read| interpreter::origin_name(cfa, read.request.origin)).collect()
}

/// Whether one run read what the other did, as far as the shorter one went.
fn is_prefix(one: &[String], other: &[String]) -> bool {
    one.iter().zip(other).all(|(a, b)| a == b)
}

/// The statement that reaches the error.
fn violation(cfa: &Cfa, run: &Run) -> Option<Place> {
    let place = cfa.source.location(cfa.edge(own_text::end(cfa, run)?.edge).span.lo);
    Some(Place { file: place.file.to_owned(), line: place.line })
}

/// What is wrong with the operation that a run ends with, for a property of operations.
fn operation(cfa: &Cfa, run: &Run) -> Option<String> {
    let callee = cfa.called(*run.trace.last()?)?;
    let what = Violation::of_function(&cfa.function(callee).name)?.name();
    let within = own_text::end(cfa, run)?.within;
    Some(within.map_or_else(|| what.to_owned(), |callee| format!("{what} in `{}`", cfa.function(callee).name)))
}

/// The kind of a violation at the end of a line.
fn behind(what: &str) -> String {
    what.strip_suffix("; ").map(|what| format!(" ({what})")).unwrap_or_default()
}

fn ending(run: &Run) -> String {
    match &run.outcome {
        Outcome::StepLimit | Outcome::MemoryLimit => "it does not end within the limits of a replay".to_owned(),
        Outcome::Undefined { kind, .. } => format!("it runs into undefined behaviour ({})", kind.name()),
        Outcome::Unsupported { construct, .. } => format!("it runs into an unsupported construct ({construct})"),
        Outcome::InputsExhausted(_) => "it reads more inputs".to_owned(),
        Outcome::ErrorReached | Outcome::Finished | Outcome::Aborted | Outcome::Stopped => {
            "it ends without a violation".to_owned()
        }
    }
}
