//! `residue check`: original and modified program in, a verdict about the change out.
//!
//! Arguments become units, units go through the chain, outcomes are printed.
//! Does not know how a unit is checked (`chain`) or what the lines look like (`summary`).

use std::io::IsTerminal;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use console::{Budget, Ending, Exhaustion, Exit, Held, Output, Progress, Statistics, Watched};
use formats::{Reason, Verdict, shown};
use miette::{Context, IntoDiagnostic, miette};

use super::arguments::{self, CheckArguments};
use super::summary;
use super::units::{self, Several};
use crate::report::{self, ReportFile};
use crate::run::cache::{Artifacts, Cache, claim};
use crate::run::outcome::{CheckReport, Class, Failure, Verifier, Why};
use crate::run::proofs::Proofs;
use crate::run::schedule::{DriverBug, Schedule};
use crate::run::stage::{Allowance, Messages, StageError};
use crate::run::unit::{Checked, Location, Planned, Settings};
use crate::run::validated::validate_again;
use crate::run::words::{note, words};
use crate::run::{artifacts, chain, facts, folder};
use crate::sources::entries;
use crate::sources::git::TEMPORARY;
use crate::sources::plan::Plan;

pub(crate) fn check(arguments: &CheckArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    let turns = arguments::turns(arguments)?;
    let budget = shared.budget_of(Watched::Driver)?;
    say_at_the_end(arguments);
    let temporary = tempfile::Builder::new().prefix(TEMPORARY).tempdir();
    let temporary = temporary.into_diagnostic().wrap_err("cannot make a temporary folder")?;
    console::remove_at_the_end(temporary.path());
    let Kept { folder, unwritten, held: _held } = artifacts_folder(arguments, temporary.path())?;
    let folder = folder.as_path();
    keep_inputs(arguments, folder)?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let progress = if arguments.git.is_some() { shared.progress() } else { Progress::none() };
    let mut schedule = Schedule { jobs: arguments.jobs.unwrap_or(cores), budget: &budget, progress: &progress };
    if let Some((folder, trust)) = arguments.trusted_cache() {
        claim(folder, trust)?;
    }
    let plan = match units::plan(arguments, &schedule, folder) {
        Err(_) if budget.exhausted() => return nothing(arguments, &budget),
        plan => plan?,
    };
    progress.finish();
    tell(&plan, arguments);
    let several = plan.units.len() > 1;
    // A single unit shows the progress of its stages.
    let shown = if several { shared.progress() } else { Progress::none() };
    schedule.progress = &shown;
    shown.phase("checking");
    if several && !shared.quiet && !std::io::stderr().is_terminal() {
        shared.console().print(format!("checking {} units", plan.units.len()));
    }
    if let ([only], Some(true), false) = (plan.units.as_slice(), shared.entry.as_deref().map(entries::is_pattern), shared.quiet) {
        shared.console().print(format!("checking {}: nothing else that --entry means", shown::one_line(&only.name)));
    }
    // What is kept is kept with its messages.
    // An object says what a stage said.
    let collected = several || arguments.cache.is_some() || arguments.json;
    if several && arguments.proof.is_some() {
        return Err(miette!(
            help = "use --cache DIR, where each unit has its own",
            "--proof is for one unit, and there are {}",
            plan.units.len()
        ));
    }
    let settings = arguments::settings(arguments, turns, if collected { Messages::Collected } else { Messages::Direct });
    let cache = cache(arguments, &settings, plan.units.len())?;
    let check = |planned: &Planned, allowance| check_unit(planned, folder, &settings, cache.as_ref(), allowance);
    let results = schedule.run(&plan.units, |planned| planned.name.clone(), check);
    shown.finish();
    finish(arguments, &budget, plan, results, unwritten)
}

/// What is printed should the driver be ended by its own watchdog.
fn say_at_the_end(arguments: &CheckArguments) {
    let json = arguments.json;
    console::set_last_word(move |ending: Ending| {
        let mut report = summary::report(Vec::new(), Vec::new(), Vec::new());
        (report.verdict, report.class) = (ending.verdict(), Class::Undecided);
        let explanation = ending.reason().explanation();
        if json { to_json(&report).unwrap_or_default() } else { format!("not decided: {explanation}\n{}\n", report.verdict) }
    });
}

/// Where artifacts go. A verdict is worth more than they are: where they cannot be written, they are not kept, and why.
struct Kept {
    folder: PathBuf,
    unwritten: Vec<String>,
    /// Keeps other runs out of it.
    held: Option<Held>,
}

/// The folder of `--out`, or a temporary one.
///
/// # Errors
/// If the folder is somebody else's.
fn artifacts_folder(arguments: &CheckArguments, temporary: &Path) -> miette::Result<Kept> {
    let kept = |folder: &Path, unwritten, held| Ok(Kept { folder: folder.to_owned(), unwritten, held });
    let Some(folder) = arguments.out.as_deref() else { return kept(temporary, Vec::new(), None) };
    let unwritten = |error: String| {
        let message = format!("{}: the artifacts cannot be kept: {error}", shown::name(folder));
        kept(temporary, vec![message], None)
    };
    let (claimed, held) = match folder::claim(folder)? {
        Ok(claimed) => claimed,
        Err(error) => return unwritten(error),
    };
    let probe = tempfile::Builder::new().prefix(".residue-").tempfile_in(&claimed);
    match probe.and_then(|probe| std::fs::write(probe.path(), [b' '; 4096])) {
        Ok(()) => kept(&claimed, Vec::new(), Some(held)),
        Err(error) => unwritten(error.to_string()),
    }
}

/// The cache, if one is wanted and can be relied on.
fn cache(arguments: &CheckArguments, settings: &Settings, units: usize) -> miette::Result<Option<Cache>> {
    let Some((folder, trust)) = arguments.trusted_cache() else { return Ok(None) };
    let units = u32::try_from(units).unwrap_or(u32::MAX).max(1);
    let is_looked_at = arguments.out.is_some() || !arguments.report.is_empty() || arguments.validated;
    let artifacts = if is_looked_at { Artifacts::Wanted } else { Artifacts::Unwanted };
    let share = arguments.shared.budget.map(|budget| budget / units);
    let cache = Cache::open((folder, trust), settings, share, artifacts)?;
    if cache.is_none() {
        arguments.shared.console().warning("the executables of the tools cannot be read: nothing is cached");
    }
    Ok(cache)
}

/// One unit: from the cache, or through the chain.
fn check_unit(
    planned: &Planned,
    root: &Path,
    settings: &Settings,
    cache: Option<&Cache>,
    allowance: Allowance,
) -> miette::Result<Checked> {
    let Planned { unit, folder, .. } = planned;
    // Programs of revisions are there already, and nothing else is.
    if unit.location == Location::Named {
        folder::enter(root, folder)?;
    }
    let keyed = cache.and_then(|cache| Some((cache, cache.key(unit, settings, folder)?)));
    let mut refused = None;
    if let Some((cache, key)) = &keyed
        && let Some(mut checked) = cache.find(key, unit, folder, &allowance.run)
    {
        // What an entry says of its condition is not believed.
        match validate_again(&mut checked, settings, &allowance) {
            Ok(()) => return Ok(checked),
            Err(why) => refused = Some(why),
        }
        artifacts::clear(folder)?;
    }
    let proofs = Proofs { file: settings.proof.as_deref(), cache: keyed.as_ref().map(|(cache, key)| (*cache, key)) };
    let wrong = settings.keeps_proofs.then(|| proofs.lay_out(folder)).flatten();
    let is_stale = keyed.as_ref().is_some_and(|(cache, key)| cache.has_one_of_other_tools(key));
    let mut checked = chain::run(unit, settings, folder, allowance)?;
    if is_stale {
        checked.messages.insert_str(0, "warning: the outcome in the cache is of other tools: checked anew\n");
    }
    if let Some(why) = refused {
        let told = format!("warning: an outcome of the cache is left out, its condition is refused: {why}\n");
        checked.messages.insert_str(0, &told);
    }
    if let Some(error) = wrong {
        let told = format!("warning: the proof of another version is left out, and the file stays as it is: {error}\n");
        checked.messages.insert_str(0, &told);
    }
    if settings.keeps_proofs
        && checked.outcome.verdict == Verdict::True
        && let Err(error) = proofs.keep(folder)
    {
        checked.messages.push_str(&format!("warning: what the proof rests on is not kept: {error}\n"));
    }
    if let Some((cache, key)) = keyed
        && let Err(error) = cache.keep(key, &checked)
    {
        checked.messages.push_str(&format!("warning: the outcome is not cached: {error}\n"));
    }
    Ok(checked)
}

/// Everything after the units were checked: the verdict first, then what is written about it.
fn finish(
    arguments: &CheckArguments,
    budget: &Budget,
    plan: Plan,
    results: Vec<miette::Result<Checked>>,
    mut unwritten: Vec<String>,
) -> miette::Result<Exit> {
    let Plan { units, mut failures, skipped, .. } = plan;
    let alone = units.len() == 1 && failures.is_empty() && skipped.is_empty();
    let mut all = Vec::new();
    let has_bug = results.iter().any(|result| result.as_ref().is_err_and(|error| error.is::<DriverBug>()));
    for (planned, result) in units.iter().zip(results) {
        match result {
            Ok(checked) => all.push(checked),
            Err(error) if alone && error.downcast_ref().is_some_and(StageError::was_told) => return Ok(Exit::Usage),
            Err(error) if alone && !error.is::<DriverBug>() => return Err(error),
            Err(error) => failures.push(Failure {
                path: planned.unit.modified.shown.clone(),
                entry: Some(planned.unit.options.entry.clone()),
                message: words(&error),
            }),
        }
    }
    let several = if units.len() > 1 { Several::Units } else { Several::One };
    all.iter().for_each(|checked| comment(arguments, checked, several));
    let console = arguments.shared.console();
    failures
        .iter()
        .for_each(|failure| console.print(format!("error: {}: {}", shown::one_line(&failure.path), failure.message.trim())));
    let outcomes = all.iter().map(|checked| checked.outcome.clone()).collect();
    let mut report = summary::report(outcomes, failures, skipped);
    if has_bug && !report.class.is_violation() {
        (report.verdict, report.class) = (Verdict::Unknown(Reason::Internal), Class::Undecided);
    }
    let exit = print(arguments, budget, &report)?;
    let exit = if has_bug { Exit::Internal } else { exit };
    unwritten.extend(all.iter().flat_map(|checked| checked.unwritten.iter().cloned()));
    unwritten.extend(write_reports(arguments, &all, &report));
    unwritten.iter().for_each(|message| console.print(format!("error: {message}")));
    let is_complete = unwritten.is_empty() || matches!(exit, Exit::Interrupted(_) | Exit::Internal);
    Ok(if is_complete { exit } else { Exit::Usage })
}

/// The run ended before there was anything to check.
fn nothing(arguments: &CheckArguments, budget: &Budget) -> miette::Result<Exit> {
    let mut report = summary::report(Vec::new(), Vec::new(), Vec::new());
    let reason = budget.check().map_or(Reason::Interrupted, Exhaustion::reason);
    (report.verdict, report.class) = (Verdict::Unknown(reason), Class::Undecided);
    print(arguments, budget, &report)
}

/// Checks that no input would be overwritten, nor one file be written twice.
fn keep_inputs(arguments: &CheckArguments, folder: &Path) -> miette::Result<()> {
    let task = arguments.shared.load_task()?;
    let named = task.iter().flat_map(|task| task.original.iter().chain([&task.modified]));
    let given = arguments.files.iter().filter(|_| arguments.git.is_none());
    let given = given.chain(&arguments.with);
    if given.clone().any(|file| file == Path::new("-")) {
        let help = "write it to a file, or connect the stages: diffdp - modified.c | condgen | reduce | verify";
        return Err(miette!(help = help, "`-` is no program here: what is checked is read more than once"));
    }
    let inputs = given.chain(named).chain(&arguments.shared.task).chain(&arguments.compile_commands).map(PathBuf::as_path);
    let inputs: Vec<&Path> = inputs.collect();
    let files: Vec<PathBuf> = inputs.iter().flat_map(|input| formats::inputs::all_files(input).unwrap_or_default()).collect();
    folder::is_apart(folder, inputs.iter().copied().chain(files.iter().map(PathBuf::as_path)))?;
    let outputs = arguments.map.iter().chain(&arguments.proof).map(PathBuf::as_path);
    let outputs = outputs.chain(arguments.report.iter().map(ReportFile::path));
    Ok(console::keep_apart(inputs, outputs)?)
}

/// Says what is not checked, and what may be wrong with the rest.
fn tell(plan: &Plan, arguments: &CheckArguments) {
    let console = arguments.shared.console();
    if !arguments.shared.names_property(None) && arguments.shared.task.is_none() {
        // What cannot be read is told by the stage that reads it.
        let facts = |planned: &Planned| {
            facts::of(&planned.unit.readable(&planned.unit.modified, &planned.folder), &planned.unit.options).ok()
        };
        for planned in &plan.units {
            if let Some(aside) = facts(planned).and_then(|facts| facts.aside.clone()) {
                console.warning(format!("{}: {aside}", planned.unit.modified.shown));
            }
        }
    }
    plan.warnings.iter().for_each(|warning| console.warning(warning));
    for skipped in &plan.skipped {
        let text = note(skipped);
        let has_units = plan.units.iter().any(|planned| planned.unit.modified.shown == skipped.path);
        match skipped.why {
            Why::Deleted => console.warning(text),
            Why::NoEntry if has_units => console.note(text),
            Why::Unchanged | Why::Invisible | Why::Unaffected => console.note(text),
            // The lines of the verdict say so.
            Why::NoEntry | Why::DeletedInUse | Why::Elsewhere | Why::NotC | Why::Build | Why::Built | Why::Link => {}
        }
    }
}

/// What is written while the artifacts of all units are still there; what could not be written.
fn write_reports(arguments: &CheckArguments, checked: &[Checked], report: &CheckReport) -> Vec<String> {
    let maps = checked.iter().filter_map(|Checked { outcome, folder, .. }| {
        let (map, name) = (arguments.map.as_ref()?, outcome.artifacts.residual_map.as_ref()?);
        copy(&folder.join(name), map).err()
    });
    let errors = maps.chain(report::write(&arguments.report, checked, report));
    errors.map(|error| words(&error)).collect()
}

fn copy(from: &Path, to: &Path) -> miette::Result<()> {
    let bytes = std::fs::read(from).into_diagnostic().wrap_err_with(|| format!("cannot read {}", shown::name(from)))?;
    Ok(Output::new(Some(to)).write(|out| out.write_all(&bytes))?)
}

/// What stderr gets about a unit.
fn comment(arguments: &CheckArguments, checked: &Checked, several: Several) {
    let Checked { outcome, messages, .. } = checked;
    let console = arguments.shared.console();
    if !messages.is_empty() {
        // With several units it must be said whose they are.
        if let Several::Units = several {
            console.print(format!("{} {}:", shown::one_line(&outcome.modified.path), outcome.options.entry));
        }
        console.print(messages.trim_end());
    }
    if arguments.stats {
        let mut statistics = Statistics::new();
        outcome.stages.iter().for_each(|stage| statistics.seconds(&format!("{}-cpu-seconds", stage.stage), stage.cpu_seconds));
        statistics.print();
    }
    match outcome.verifier {
        // It has told them itself.
        Verifier::Native => {}
        Verifier::Foreign { .. } => {
            let assumptions = outcome.verification.iter().flat_map(|report| &report.assumptions);
            assumptions.for_each(|assumption| console.note(assumption));
        }
    }
}

fn print(arguments: &CheckArguments, budget: &Budget, report: &CheckReport) -> miette::Result<Exit> {
    let text = if arguments.json { to_json(report)? } else { shown::lines(&summary::text(report)).into_owned() };
    let interrupted = budget.signal().filter(|_| report.verdict == Verdict::Unknown(Reason::Interrupted));
    let exit = interrupted.map_or_else(|| summary::exit(report, &arguments.fail_on), Exit::Interrupted);
    let is_all = arguments.report.is_empty() && arguments.map.is_none();
    console::answer(&text, if is_all { exit } else { Exit::Usage })?;
    Ok(exit)
}

fn to_json(report: &CheckReport) -> miette::Result<String> {
    Ok(serde_json::to_string(report).into_diagnostic()? + "\n")
}
