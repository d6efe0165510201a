//! The check of what a detector says: its graph edge by edge, and the condition made from it.
//!
//! Done by `residue validate` in a process of its own, which an ill-meant graph may exhaust or end without ending more.
//! Invariant: what is not found right is never valid.
//! Does not know what is concluded from it, nor what makes a graph right.

use std::ffi::OsString;
use std::path::Path;

use formats::{Condition, ErrorReport, Library, ProgramOptions, Validation, ValidationReport};

use super::artifacts::{CERTIFICATE, CONDITION, GRAPH};
use super::outcome::{Asked, Detector, Outcome};
use super::stage::{Allowance, Finished, Stage, StageError};
use super::unit::{Checked, Location, Settings, Unit, UnitOriginal, UnitProgram};

/// The name of the check among the stages.
pub(super) const STAGE: &str = "validate";

/// Whether a TRUE rests on a condition of which has to be known that it is right.
pub(crate) fn is_needed(settings: &Settings, unit: &Unit, about: Asked) -> bool {
    let compares = matches!(unit.original, UnitOriginal::Program(_)) && settings.detector != Detector::None;
    settings.validated && compares && about == Asked::Change
}

/// Whether the TRUE of an outcome rests on a condition that was found right.
pub(crate) fn is_told(outcome: &Outcome) -> bool {
    let turn = outcome.turns.get(outcome.tried().len());
    outcome.verdict == formats::Verdict::True
        && matches!(outcome.validation, Some(Validation::Valid { .. }))
        && turn.is_some_and(|turn| turn.about == Asked::Change)
}

/// Checks the artifacts of a unit that are in `folder`; also what the process that did so has left, if it came to its end.
pub(super) fn validate(
    unit: &Unit,
    settings: &Settings,
    folder: &Path,
    allowance: &Allowance,
) -> (Validation, Option<Finished>, String) {
    let UnitOriginal::Program(original) = &unit.original else {
        return (Validation::refused("there is no original program"), None, String::new());
    };
    if !folder.join(CERTIFICATE).is_file() {
        let detector = settings.detector;
        return (Validation::refused(format!("{detector} has written no certificate")), None, String::new());
    }
    match stage(unit, settings, folder, original).within(allowance).arg("--").arg(artifact(unit, folder, GRAPH)).run(allowance) {
        Ok(finished) => (answer(&finished.stdout, unit, folder), Some(finished), String::new()),
        Err(error) => {
            let validation = match error.reason() {
                Some(reason) => Validation::Unfinished { reason },
                None => Validation::refused(unusable(&error)),
            };
            (validation, None, error.note())
        }
    }
}

/// Looks at the artifacts of an outcome again that was read somewhere, if its TRUE rests on them; says why it does not hold.
///
/// # Errors
/// If they are not right.
pub(crate) fn validate_again(checked: &mut Checked, settings: &Settings, allowance: &Allowance) -> Result<(), Validation> {
    let outcome = &checked.outcome;
    let about = outcome.turns.get(outcome.tried().len()).map_or(Asked::Change, |turn| turn.about);
    if outcome.verdict != formats::Verdict::True || !is_needed(settings, &checked.unit, about) {
        return Ok(());
    }
    let (validation, ..) = validate(&checked.unit, settings, &checked.folder, allowance);
    checked.outcome.validation = Some(validation.clone());
    if matches!(validation, Validation::Valid { .. }) { Ok(()) } else { Err(validation) }
}

fn stage(unit: &Unit, settings: &Settings, folder: &Path, original: &UnitProgram) -> Stage {
    let file = |flag: &str, program: &UnitProgram| {
        let mut argument = OsString::from(flag);
        argument.push(&program.file);
        argument
    };
    let stage = Stage::new("residue validate", settings.messages).arg(STAGE).args(settings.verbosity).arg("--json");
    // This executable, whatever it is called.
    let stage = std::env::current_exe().into_iter().fold(stage, Stage::executable);
    let stage = match unit.location {
        Location::Named => stage,
        Location::Folder => stage.within_folder(folder),
    };
    // What stands in the graph is the user's own word.
    let stage = stage.args(unit.options.preprocessor.iter().map(|argument| format!("--cpp-arg={argument}")));
    let stage = stage.arg("--certificate").arg(artifact(unit, folder, CERTIFICATE));
    let stage = stage.arg("--condition").arg(artifact(unit, folder, CONDITION));
    // The programs that are checked, whatever the graph names.
    stage.arg(file("--original=", original)).arg(file("--modified=", &unit.modified))
}

/// An artifact as the stages call it.
fn artifact(unit: &Unit, folder: &Path, name: &str) -> OsString {
    match unit.location {
        Location::Named => folder.join(name).into_os_string(),
        Location::Folder => name.into(),
    }
}

/// What the check has printed; of a condition of programs that are read otherwise than this unit's, nothing counts.
fn answer(stdout: &str, unit: &Unit, folder: &Path) -> Validation {
    let line = stdout.lines().last().unwrap_or_default();
    match serde_json::from_str::<ValidationReport>(line).map(|report| report.validation) {
        Ok(valid @ Validation::Valid { .. }) => match about(unit, folder) {
            Ok(()) => valid,
            Err(why) => Validation::refused(why),
        },
        Ok(other) => other,
        Err(error) => Validation::refused(format!("the check has no answer: {error}")),
    }
}

/// Checks that the condition, which the verifier is asked with, is about the programs as this unit reads them.
fn about(unit: &Unit, folder: &Path) -> Result<(), String> {
    let bytes = std::fs::read(folder.join(CONDITION)).map_err(|error| format!("{CONDITION}: {error}"))?;
    let condition = Condition::read(&bytes, CONDITION).map_err(|error| error.to_string())?;
    let found = &condition.provenance().options;
    // What is known of a library function by name holds of its body.
    let by_name = ProgramOptions { library: Library::None, ..unit.options.clone() };
    if *found == unit.options || (unit.options.library.is_own() && *found == by_name) {
        return Ok(());
    }
    Err("the difference graph is about programs that are read in another way".to_owned())
}

/// What is wrong with an artifact that cannot be used.
fn unusable(error: &StageError) -> String {
    match error {
        StageError::Failed { stdout, .. } => {
            let told = stdout.lines().last().and_then(|line| serde_json::from_str::<ErrorReport>(line).ok());
            told.map_or_else(|| error.to_string(), |told| told.message)
        }
        StageError::Start { .. } | StageError::Ended { .. } | StageError::Killed { .. } => error.to_string(),
    }
}
