//! What a verdict is about: the line above it, said once when a unit was checked and anew for an outcome of the cache.
//!
//! Invariant: a FALSE is replayed before anything is said of it.
//! Does not know how a verdict came about.

use std::path::Path;

use formats::{Property, Reason, Verdict, VerdictReport};

use super::essence::essence;
use super::outcome::{Asked, Class, Outcome, Turn};
use super::replay::{self, Comparison, Judgement, Original};
use super::unit::{Unit, UnitOriginal, UnitProgram};

/// Bytes of a file up to which it is told that only its text has changed.
const LONGEST_COMPARED: usize = 4 << 20;

/// What the verdict answers: what the verifier was asked, and who had been asked before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    /// The turn the verdict is from.
    pub(super) turn: &'a Turn,
    /// Those before it.
    pub(super) tried: &'a [Turn],
}

impl Question<'_> {
    /// Why the change check was undecided: a reason, or several with the names of the verifiers.
    fn reasons(&self) -> String {
        let reason = |turn: &Turn| turn.reason().unwrap_or("not asked").to_owned();
        match self.tried {
            [turn] => reason(turn),
            turns => turns.iter().map(|turn| format!("{}: {}", turn.verifier, reason(turn))).collect::<Vec<_>>().join("; "),
        }
    }
}

/// What TRUE is about.
pub(super) fn proved(unit: &Unit, folder: &Path, question: Question<'_>) -> String {
    match (question.turn.about, &unit.original) {
        (Asked::Program, _) => {
            format!("no violation in the whole modified program (the change check was undecided: {})", question.reasons())
        }
        (Asked::Change, UnitOriginal::Absent(why)) => format!("no violation in the whole modified program ({why})"),
        (Asked::Change, UnitOriginal::Program(original)) => match same_for_the_compiler(unit, folder, original) {
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
    let question = Question { turn: outcome.turns.get(outcome.tried().len())?, tried: outcome.tried() };
    match &outcome.verdict {
        // Whoever says so says less than that there is no regression.
        Verdict::True if outcome.about == UNSATISFIED && !unit.options.caller.assume.is_empty() => {
            Some(judgement(Class::Vacuous, UNSATISFIED))
        }
        Verdict::True if outcome.class == Class::Vacuous => {
            let modified = unit.readable(&unit.modified, folder);
            let violates = program::can_violate(&program::load(&modified, &unit.options).ok()?);
            (!violates).then(|| judgement(Class::Vacuous, vacuous(unit.options.property)))
        }
        Verdict::True => Some(judgement(Class::NoRegression, proved(unit, folder, question))),
        Verdict::Unknown(reason) => Some(judgement(Class::Undecided, undecided(question, reason))),
        Verdict::False(_) => match judge(unit, folder, outcome.verification.as_ref(), budget).ok()? {
            (Verdict::False(_), judgement) => Some(judgement),
            (Verdict::True | Verdict::Unknown(_), _) => None,
        },
    }
}

pub(super) fn judgement(class: Class, about: impl Into<String>) -> Judgement {
    Judgement { class, about: about.into(), violation: None }
}

/// The line about UNKNOWN: who was asked, and what would help.
pub(super) fn undecided(question: Question<'_>, reason: &Reason) -> String {
    let part = |turn: &Turn| match turn.about {
        Asked::Change => format!("by {}", turn.verifier),
        Asked::Program => "for the whole program".to_owned(),
    };
    let because = |turn: &Turn| turn.reason().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let what = match (question.tried, question.turn.about) {
        ([], _) => "not decided".to_owned(),
        ([turn], Asked::Program) => {
            format!("not decided, neither by the change check{} nor for the whole program", because(turn))
        }
        (tried, _) => {
            let tried: Vec<String> = tried.iter().map(|turn| part(turn) + &because(turn)).collect();
            format!("not decided, neither {} nor {}", tried.join(" nor "), part(question.turn))
        }
    };
    format!("{what}: {}", reason.explanation())
}

/// What a TRUE is about where the entry function is never called.
pub(super) const UNSATISFIED: &str = "nothing to violate: no arguments satisfy what is assumed of them";

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
