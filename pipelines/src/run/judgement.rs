//! What a verdict is about: the line above it, said once when a unit was checked and anew for an outcome of the cache.
//!
//! Invariant: a FALSE is replayed before anything is said of it.
//! Does not know how a verdict came about.

use std::path::Path;

use formats::{Property, Reason, Verdict, VerdictReport};

use super::essence::essence;
use super::outcome::{Class, Outcome};
use super::replay::{self, Comparison, Judgement, Original};
use super::unit::{Unit, UnitOriginal, UnitProgram};

/// Bytes of a file up to which it is told that only its text has changed.
const LONGEST_COMPARED: usize = 4 << 20;

/// What the verifier was asked.
pub(super) enum Question {
    /// Whether the change can violate the property.
    Change,
    /// Whether the modified program can; because the question about the change was not decided for this reason.
    Program(Reason),
}

/// What TRUE is about.
pub(super) fn proved(unit: &Unit, folder: &Path, question: &Question) -> String {
    match (question, &unit.original) {
        (Question::Program(reason), _) => {
            format!("no violation in the whole modified program (the change check was undecided: {reason})")
        }
        (Question::Change, UnitOriginal::Absent(why)) => format!("no violation in the whole modified program ({why})"),
        (Question::Change, UnitOriginal::Program(original)) => match same_for_the_compiler(unit, folder, original) {
            true => "no regression (the text changed, what the compiler sees did not)".to_owned(),
            false => "no regression".to_owned(),
        },
    }
}

/// Whether the files differ and the preprocessed texts do not.
fn same_for_the_compiler(unit: &Unit, folder: &Path, original: &UnitProgram) -> bool {
    let files = [original, &unit.modified].map(|program| unit.readable(program, folder));
    let [Ok(before), Ok(after)] = [0, 1].map(|side: usize| std::fs::read(&files[side])) else { return false };
    if before == after || before.len().max(after.len()) > LONGEST_COMPARED {
        return false;
    }
    let [before, after] = files.map(|file| program::preprocess::read_source(&file, &unit.options));
    before.is_ok_and(|before| after.is_ok_and(|after| essence(before.text()) == essence(after.text())))
}

/// What a counterexample says, replayed on both programs.
pub(super) fn judge(
    unit: &Unit,
    folder: &Path,
    verification: Option<&VerdictReport>,
    budget: &console::Budget,
) -> miette::Result<(Verdict, Judgement)> {
    let counterexample = verification.and_then(|report| report.counterexample.as_ref());
    let inputs = counterexample.map(|found| found.inputs.as_slice()).unwrap_or_default();
    let original = match &unit.original {
        UnitOriginal::Program(program) => Original::Program(unit.readable(program, folder), &unit.options),
        UnitOriginal::Absent(why) => Original::Absent(why),
    };
    let modified = unit.readable(&unit.modified, folder);
    Ok(match replay::compare(&original, &modified, &unit.options, inputs, budget)? {
        Comparison::Ended(exhaustion) => {
            let about = format!("the counterexample of the verifier was not replayed to its end: {exhaustion}");
            (Verdict::Unknown(exhaustion.reason()), judgement(Class::Undecided, about))
        }
        Comparison::NotReplayed(what) => {
            let about = format!("the counterexample does not replay on the modified program: {what}");
            (Verdict::Unknown(Reason::Solver), judgement(Class::Undecided, about))
        }
        Comparison::Replayed(judgement) => (Verdict::False(unit.options.property), judgement),
    })
}

/// What an outcome that somebody else may have written is about, said anew: a FALSE is replayed, and whether there is anything
/// to violate is looked up. `None` if it does not hold.
pub(crate) fn judged_again(unit: &Unit, folder: &Path, outcome: &Outcome, budget: &console::Budget) -> Option<Judgement> {
    match &outcome.verdict {
        Verdict::True if outcome.class == Class::Vacuous => {
            let modified = unit.readable(&unit.modified, folder);
            let violates = program::can_violate(&program::load(&modified, &unit.options).ok()?);
            (!violates).then(|| judgement(Class::Vacuous, vacuous(unit.options.property)))
        }
        Verdict::True => Some(judgement(Class::NoRegression, proved(unit, folder, &question(&outcome.about)))),
        Verdict::Unknown(reason) => Some(judgement(Class::Undecided, undecided(&question(&outcome.about), reason))),
        Verdict::False(_) => match judge(unit, folder, outcome.verification.as_ref(), budget).ok()? {
            (Verdict::False(_), judgement) => Some(judgement),
            (Verdict::True | Verdict::Unknown(_), _) => None,
        },
    }
}

/// The question that an outcome answers, as the line about it says.
fn question(about: &str) -> Question {
    let whole = about.split_once("(the change check was undecided: ").and_then(|(_, rest)| rest.strip_suffix(')'));
    let neither =
        || about.split_once("by the change check (")?.1.split_once(") nor for the whole program").map(|(reason, _)| reason);
    let reason = whole.or_else(neither);
    reason.and_then(|reason| reason.parse().ok()).map_or(Question::Change, Question::Program)
}

pub(super) fn judgement(class: Class, about: impl Into<String>) -> Judgement {
    Judgement { class, about: about.into(), violation: None }
}

pub(super) fn undecided(question: &Question, reason: &Reason) -> String {
    let what = match question {
        Question::Change => "not decided".to_owned(),
        Question::Program(reason) => format!("not decided, neither by the change check ({reason}) nor for the whole program"),
    };
    reason.explanation().map_or(what.clone(), |explanation| format!("{what}: {explanation}"))
}

/// What a TRUE is about where nothing could have been violated.
pub(super) fn vacuous(property: Property) -> String {
    match property {
        Property::UnreachCall => "nothing to violate: the modified program calls no reach_error and has no assertion".to_owned(),
        Property::Assert => "nothing to violate: the modified program has no assertion".to_owned(),
        Property::DivZero
        | Property::Shift
        | Property::NoOverflow
        | Property::ValidDeref
        | Property::ValidFree
        | Property::ValidMemtrack => {
            format!("nothing to violate: the modified program has no operation that {property} is about")
        }
    }
}
