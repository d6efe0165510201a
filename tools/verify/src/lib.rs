//! Predicate-abstraction conditional verifier.
//!
//! Reads a program and, if one is given, a condition; decides whether a path the condition leaves uncovered reaches the
//! error; and writes the verdict with its evidence. A FALSE was replayed by the concrete interpreter, a TRUE lists the
//! invariants it rests on.
//! Does not know how a condition came about.

mod analysis;
mod answer;
mod arguments;
mod claims;
mod contracts;
mod input;
mod job;
mod objects;
mod proposals;
mod roomy;
mod several;
mod tables;
mod told;
mod whole;
mod written;

use std::path::{Path, PathBuf};

use console::{Exit, Input, Statistics};
use formats::{Condition, ProgramFile};
use program::load::Choice;
use program::seal::SealError;

pub use analysis::{Analysis, Conclusion, Kind, Numbers, Plan, Recheck, Task, analyse, analyse_with};
pub use answer::reason;
use answer::say_at_the_end;
pub use arguments::Arguments;
pub use contracts::prove_by_contracts;
pub use engine::evidence::replay::{reaches_error, replay};
use input::{ProgramText, residual_options};
use job::Job;
pub use objects::prove_by_objects;
use written::check_witness_name;

/// What is wrong with the command line or an input.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum VerifyError {
    /// A residual program that is not whole.
    #[error("{file}: {source}")]
    #[diagnostic(
        code(verify::residual),
        help("run `reduce` again, and let a shell pipeline fail with its first stage (`set -o pipefail`)")
    )]
    Residual {
        /// The file.
        file: String,
        /// What is wrong with it.
        source: SealError,
    },
    /// Two inputs would come from stdin.
    #[error("both the program and the condition are to be read from stdin")]
    #[diagnostic(help("name a file for one of them"))]
    TwoFromStdin,
    /// A witness in a format that is not written.
    #[error("{file}: unknown kind of witness")]
    #[diagnostic(help("the name of a witness ends with .graphml (format 1.0) or .yml (format 2.0)"))]
    WitnessFormat {
        /// The file named.
        file: String,
    },
    /// The linked solver cannot be used.
    #[error(transparent)]
    Solver(#[from] smt::z3::Z3Error),
}

/// Runs the tool.
///
/// # Errors
/// A report of what cannot be read, used or written.
pub fn run(arguments: Arguments) -> miette::Result<Exit> {
    let console = arguments.shared.console();
    let budget = arguments.shared.budget()?;
    check_witness_name(arguments.witness.as_deref())?;
    let task = arguments.shared.load_task()?;
    let path = arguments.program.clone().or_else(|| task.as_ref().map(|task| task.modified.clone()));
    let path = path.unwrap_or_else(|| PathBuf::from("-"));
    say_at_the_end(&arguments, ProgramFile { path: path.display().to_string(), ..ProgramFile::default() }, None);
    if arguments.condition.as_deref() == Some(Path::new("-")) && path == Path::new("-") {
        return Err(VerifyError::TwoFromStdin.into());
    }
    let inputs = [&path]
        .into_iter()
        .chain(&arguments.condition)
        .chain(&arguments.invariants)
        .chain(&arguments.shared.task)
        .map(PathBuf::as_path);
    let outputs = [&arguments.witness, &arguments.harness, &arguments.proof];
    console::keep_apart(inputs, outputs.into_iter().filter_map(|output| output.as_deref()))?;
    let condition = match &arguments.condition {
        Some(file) => {
            let input = Input::read(file)?;
            let condition = Condition::read(&input.bytes, &input.name)?;
            arguments.shared.check_against(task.as_ref(), &condition.provenance().options, &input.name)?;
            Some((condition, input.name))
        }
        None => None,
    };
    let input = ProgramText::read(&path)?;
    let residual = residual_options(&input)?;
    if let Some(fixed) = &residual {
        arguments.shared.check_against(task.as_ref(), fixed, input.name())?;
    }
    let (all, choice) = match (&condition, residual) {
        (Some((condition, _)), _) => (vec![condition.provenance().options.clone()], Choice::Named),
        (None, Some(fixed)) => (vec![fixed], Choice::Named),
        (None, None) => {
            let choice = if arguments.shared.names_property(task.as_ref()) { Choice::Named } else { Choice::Implied };
            (arguments.shared.all_program_options(task.as_ref())?, choice)
        }
    };
    if let [options] = all.as_slice() {
        let mut job = Job::read(&path, &input, (options.clone(), choice), condition, &console)?;
        if arguments.only_assumed {
            return job.answer_assumed((&path, &input), &budget);
        }
        job.propose(&arguments, &path, &input, &console)?;
        say_at_the_end(&arguments, job.program.clone(), Some(job.property()));
        let mut statistics = Statistics::new();
        let (conclusion, numbers) = job.analyse(&arguments, &budget, &mut statistics)?;
        if numbers.whole {
            job.forget_condition();
        }
        if matches!(conclusion, Conclusion::Safe(..)) {
            job.check_assumed((&path, &input), &console, &budget);
        }
        return job.report(&arguments, &console, &budget, conclusion, numbers, statistics);
    }
    several::run(&arguments, (&path, &input), &all, &console, &budget)
}
