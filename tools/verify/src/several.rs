//! Several properties in one run: one after the other, a line for each, then the worst verdict.
//!
//! Each property has an automaton of its own, so what is proved of one does not depend on the others. The evidence that is
//! written is that of the worst verdict. Does not know how a property is checked.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use console::{Budget, Console, Ending, Exit, Statistics};
use engine::assumed::VACUOUS;
use evidence::{trace, witness};
use formats::verdict::PropertyVerdict;
use formats::{ProgramOptions, Verdict, VerdictReport, shown};
use program::load::Choice;

use crate::Arguments;
use crate::analysis::Numbers;
use crate::answer::{about, producer, reason};
use crate::input::ProgramText;
use crate::job::{Concluded, Job};

/// What has been found so far: printed by a watchdog as well.
type Found = Arc<Mutex<Vec<PropertyVerdict>>>;

/// What is left to report of a property.
struct Checked {
    job: Job,
    concluded: Concluded,
    numbers: Numbers,
    statistics: Statistics,
}

/// Checks a program for each of the properties.
///
/// # Errors
/// As [`crate::run`].
pub(crate) fn run(
    arguments: &Arguments,
    (path, input): (&Path, &ProgramText),
    all: &[ProgramOptions],
    console: &Console,
    budget: &Budget,
) -> miette::Result<Exit> {
    let found: Found = Arc::default();
    say_at_the_end(arguments, all, &found);
    let mut worst: Option<Checked> = None;
    for options in all {
        let mut job = Job::read(path, input, (options.clone(), Choice::Named), None, console)?;
        job.propose(arguments, path, input, console)?;
        let mut statistics = Statistics::new();
        let (conclusion, numbers) = job.analyse(arguments, budget, &mut statistics)?;
        let concluded = job.conclude(conclusion, budget);
        let violation = concluded.run.as_ref().and_then(|run| job.violation(run));
        let verdict = PropertyVerdict { property: options.property, verdict: concluded.verdict.clone(), violation };
        found.lock().unwrap_or_else(PoisonError::into_inner).push(verdict);
        let checked = Checked { job, concluded, numbers, statistics };
        let is_worse = worst.as_ref().is_none_or(|known| {
            Verdict::worst([&known.concluded.verdict, &checked.concluded.verdict]) != known.concluded.verdict
        });
        if is_worse {
            worst = Some(checked);
        }
    }
    let found = found.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match worst {
        Some(mut worst) => {
            if worst.concluded.verdict == Verdict::True {
                worst.job.check_assumed((path, input), console, budget);
            }
            report(arguments, console, budget, &found, worst)
        }
        None => Ok(Exit::Unknown),
    }
}

/// What is printed should this process not come to its end: the rest is not decided.
fn say_at_the_end(arguments: &Arguments, all: &[ProgramOptions], found: &Found) {
    let (json, found) = (arguments.json, Arc::clone(found));
    let properties: Vec<_> = all.iter().map(|options| options.property).collect();
    console::set_last_word(move |ending: Ending| {
        // Whoever holds the list may be the one that does not come to its end.
        let mut verdicts = found.try_lock().map(|found| found.clone()).unwrap_or_default();
        for property in &properties[verdicts.len()..] {
            verdicts.push(PropertyVerdict { property: *property, verdict: ending.verdict(), violation: None });
        }
        let verdict = Verdict::worst(verdicts.iter().map(|found| &found.verdict));
        if !json {
            let explanation = ending.reason().explanation();
            return text(&format!("not decided: {explanation}"), &verdicts, &verdict);
        }
        let report = VerdictReport { properties: verdicts, ..VerdictReport::new(producer(), <_>::default(), verdict) };
        serde_json::to_string(&report).unwrap_or_default() + "\n"
    });
}

/// The lines of a run.
fn text(what: &str, found: &[PropertyVerdict], verdict: &Verdict) -> String {
    let names: Vec<String> = found.iter().map(|found| found.property.to_string()).collect();
    let mut lines = vec![about(what, Some(&names.join(", ")))];
    lines.extend(found.iter().map(|found| format!("{}: {}", found.property, found.verdict)));
    lines.push(verdict.to_string());
    lines.iter().map(|line| format!("{}\n", shown::one_line(line))).collect()
}

fn report(
    arguments: &Arguments,
    console: &Console,
    budget: &Budget,
    found: &[PropertyVerdict],
    worst: Checked,
) -> miette::Result<Exit> {
    let Checked { job, concluded, numbers, mut statistics } = worst;
    let Concluded { verdict, proof, run } = concluded;
    for assumption in &job.assumptions {
        console.note(assumption);
    }
    let exit = match (&verdict, budget.signal()) {
        (Verdict::Unknown(formats::Reason::Interrupted), Some(signal)) => Exit::Interrupted(signal),
        (verdict, _) => Exit::from(verdict),
    };
    let cpu_seconds = Budget::cpu_used().as_secs_f64();
    statistics.seconds("CPU time", cpu_seconds);
    if arguments.stats {
        statistics.print();
    }
    let printed = if arguments.json {
        let report = VerdictReport {
            property: job.cfa.options.property,
            violation: run.as_ref().and_then(|run| job.violation(run)),
            properties: found.to_vec(),
            vacuous: job.unsatisfied,
            assumptions: job.assumptions.clone(),
            cpu_seconds,
            peak_memory: Budget::peak_memory(),
            solver_queries: numbers.queries,
            statistics: statistics.as_map(),
            counterexample: run.as_ref().and_then(|run| witness::counterexample(&job.cfa, &job.edges, run)),
            ..VerdictReport::new(producer(), job.program.clone(), verdict)
        };
        serde_json::to_string(&report).map_err(|error| miette::miette!("{error}"))? + "\n"
    } else {
        let violations: Vec<&str> = found.iter().filter_map(|found| found.violation.as_deref()).collect();
        let undecided = reason(&verdict).map(formats::Reason::explanation);
        let undecided = undecided.map(|explanation| format!("not decided: {explanation}"));
        let vacuous = job.unsatisfied.then(|| VACUOUS.to_owned());
        let what = if violations.is_empty() { undecided.or(vacuous).unwrap_or_default() } else { violations.join(", ") };
        text(&what, found, &verdict)
    };
    console::answer(&printed, exit)?;
    if let Some((invariants, store)) = &proof {
        let behind_calls = &numbers.said;
        job.write_proof(arguments, (console, budget), [(invariants, store), (&behind_calls.0, &behind_calls.1)])?;
    }
    if let Some(run) = &run {
        if arguments.trace {
            console.print(trace::text(&job.cfa, run).trim_end());
        }
        job.write_evidence(arguments, run)?;
    }
    Ok(exit)
}
