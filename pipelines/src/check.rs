//! `residue check`: original and modified program in, a verdict about the change out.
//!
//! Arguments become units, units go through the chain, outcomes are printed.
//! Does not know how a unit is checked (`chain`) or what the lines look like (`summary`).

use std::io::IsTerminal;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use console::{Budget, Console, Ending, Exhaustion, Exit, Output, Progress, SharedOptions, Statistics, Watched};
use formats::{ProgramOptions, Reason, Verdict, shown};
use miette::{Context, IntoDiagnostic, miette};
use program::Choice;
use program::source::without_detours;

use crate::cache::{Artifacts, Cache, Trust};
use crate::chain::{self, Checked, Fallback, Location, Settings, Unit, UnitOriginal, UnitProgram};
use crate::change::{self, Change, Links, Plan, Purpose};
use crate::folder;
use crate::link::{self, List};
use crate::outcome::{CheckReport, Class, Detector, Failure, Verifier, Via, Why};
use crate::report::{self, ReportFile};
use crate::revision::ReadOptions;
use crate::schedule::{DriverBug, Schedule};
use crate::stage::{Allowance, Messages};
use crate::summary::{self, FailOn};

const EXAMPLES: &str = "\
Examples:
  residue check original.c modified.c
  residue check --entry push,pop original.c modified.c
  residue check --git HEAD~1 src/queue.c
  residue check --git origin/main..HEAD --entry push,pop --fail-on regression -- 'src/**/*.c'

Exit codes: 0 TRUE, 1 FALSE, 2 unusable input (also of a single unit) or an output that cannot be written, 3 UNKNOWN, 101 a
bug of ours; of several units the worst in the order 101, 2, 1, 3, 0. --fail-on chooses which results count. After signal n
128 + n.";

/// Check a change: can the modified program violate its property where the original does not?
///
/// A program is a C file, a folder (its files *.c, as one program), or a list of files @NAME.list
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = "residue check [OPTIONS] ORIGINAL MODIFIED
       residue check [OPTIONS] --git BASE[..HEAD] [FILE]...
       residue check [OPTIONS] --task FILE.yml")]
pub(crate) struct CheckArguments {
    /// The program before and the one after the change; with --git files, folders or patterns of the repository (all C
    /// files if there are none)
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare two git revisions; without HEAD the modified one is the working tree
    #[arg(long, value_name = "BASE[..HEAD]", conflicts_with = "task", help_heading = "Revisions")]
    git: Option<String>,
    /// The flags of each file [default: compile_commands.json or build/compile_commands.json of the revision, else of the
    /// working tree]
    #[arg(long, value_name = "FILE", requires = "git", help_heading = "Revisions")]
    compile_commands: Option<PathBuf>,
    /// Check the files that a pattern names (several separated by commas) as one program; may be given several times
    #[arg(long, value_name = "PATTERN", conflicts_with = "task", help_heading = "Programs of several files")]
    link: Vec<String>,
    /// Check the files that the compilation database compiles for a target as one program; without a name all of its files
    #[arg(long, value_name = "NAME", requires = "git", num_args = 0..=1, require_equals = true, default_missing_value = "",
        help_heading = "Programs of several files")]
    target: Vec<String>,
    /// How differences are detected
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    detector: Detector,
    /// Whether the verifier follows the condition itself or checks the residual program [default: native; reduce for
    /// verifiers that are not ours]
    #[arg(long, value_enum, value_name = "HOW")]
    via: Option<Via>,
    /// Who verifies: `verify`, or a BenchExec tool-info module with options for the tool, e.g. esbmc or
    /// `cpachecker:--svcomp25 --heap 2000M`
    #[arg(long, value_name = "NAME[:OPTIONS]", default_value_t)]
    verifier: Verifier,
    /// Verify the whole modified program where the change check is UNKNOWN
    #[arg(long)]
    fallback: bool,
    /// Which results are failures for the exit code: regression, violation, unknown, vacuous
    #[arg(long, value_enum, value_delimiter = ',', default_value = "violation,unknown", value_name = "CLASS[,CLASS]")]
    fail_on: Vec<FailOn>,
    /// How many units are checked at once [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Run")]
    jobs: Option<NonZero<usize>>,
    /// Keep outcomes in this folder, which may be shared, and use those that are there
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    cache: Option<PathBuf>,
    /// Use the cache although others may write to it: whoever does chooses the verdicts
    #[arg(long, requires = "cache", help_heading = "Run")]
    trust_cache: bool,
    /// Keep all artifacts in this folder, which is new, empty or of an earlier run
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object instead of the verdict lines
    #[arg(long)]
    json: bool,
    /// Write the map from the lines of the residual program to those of the modified one
    #[arg(long, value_name = "FILE.json", requires = "via")]
    map: Option<PathBuf>,
    /// Write a report for people (.html), code hosts (.sarif) or programs (.json); may be given several times
    #[arg(long, value_name = "FILE")]
    report: Vec<ReportFile>,
    /// Print what each stage counted and its CPU seconds on stderr
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    shared: SharedOptions,
}

/// A unit with its folder for artifacts and its name in messages.
pub(crate) struct Planned {
    pub(crate) unit: Unit,
    pub(crate) folder: PathBuf,
    pub(crate) name: String,
}

pub(crate) fn check(arguments: &CheckArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    let via = via(arguments)?;
    let budget = shared.budget_of(Watched::Driver)?;
    say_at_the_end(arguments);
    let temporary = tempfile::Builder::new().prefix(crate::git::TEMPORARY).tempdir();
    let temporary = temporary.into_diagnostic().wrap_err("cannot make a temporary folder")?;
    console::remove_at_the_end(temporary.path());
    let (folder, unwritten) = artifacts_folder(arguments, temporary.path())?;
    let folder = folder.as_path();
    keep_inputs(arguments, folder)?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let progress = if arguments.git.is_some() { shared.progress() } else { Progress::none() };
    let mut schedule = Schedule { jobs: arguments.jobs.unwrap_or(cores), budget: &budget, progress: &progress };
    let plan = match plan(arguments, &schedule, folder) {
        Err(_) if budget.exhausted() => return nothing(arguments, &budget),
        plan => plan?,
    };
    progress.finish();
    tell(&plan, shared.console());
    let several = plan.units.len() > 1;
    // A single unit shows the progress of its stages.
    let shown = if several { shared.progress() } else { Progress::none() };
    schedule.progress = &shown;
    shown.phase("checking");
    if several && !shared.quiet && !std::io::stderr().is_terminal() {
        shared.console().print(format!("checking {} units", plan.units.len()));
    }
    // What is kept is kept with its messages.
    let collected = several || arguments.cache.is_some();
    let settings = settings(arguments, via, if collected { Messages::Collected } else { Messages::Direct });
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
        let explanation = ending.reason().explanation().unwrap_or_default();
        if json { to_json(&report).unwrap_or_default() } else { format!("not decided: {explanation}\n{}\n", report.verdict) }
    });
}

/// Where artifacts go. A verdict is worth more than they are: where they cannot be written, they are not kept, and why.
///
/// # Errors
/// If the folder is somebody else's.
fn artifacts_folder(arguments: &CheckArguments, temporary: &Path) -> miette::Result<(PathBuf, Vec<String>)> {
    let Some(folder) = arguments.out.as_deref() else { return Ok((temporary.to_owned(), Vec::new())) };
    let unwritten = |error: String| {
        let message = format!("{}: the artifacts cannot be kept: {error}", shown::name(folder));
        Ok((temporary.to_owned(), vec![message]))
    };
    let claimed = match folder::claim(folder)? {
        Ok(claimed) => claimed,
        Err(error) => return unwritten(error),
    };
    let probe = tempfile::Builder::new().prefix(".residue-").tempfile_in(&claimed);
    match probe.and_then(|probe| std::fs::write(probe.path(), [b' '; 4096])) {
        Ok(()) => Ok((claimed, Vec::new())),
        Err(error) => unwritten(error.to_string()),
    }
}

/// The cache, if one is wanted and can be relied on.
fn cache(arguments: &CheckArguments, settings: &Settings, units: usize) -> miette::Result<Option<Cache>> {
    let Some(folder) = &arguments.cache else { return Ok(None) };
    let units = u32::try_from(units).unwrap_or(u32::MAX).max(1);
    let is_looked_at = arguments.out.is_some() || !arguments.report.is_empty();
    let artifacts = if is_looked_at { Artifacts::Wanted } else { Artifacts::Unwanted };
    let trust = if arguments.trust_cache { Trust::Everybody } else { Trust::Ourselves };
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
    if let Some((cache, key)) = &keyed
        && let Some(checked) = cache.find(key, unit, folder, &allowance.run)
    {
        return Ok(checked);
    }
    let is_stale = keyed.as_ref().is_some_and(|(cache, key)| cache.has_one_of_other_tools(key));
    let mut checked = chain::run(unit, settings, folder, allowance)?;
    if is_stale {
        checked.messages.insert_str(0, "warning: the outcome in the cache is of other tools: checked anew\n");
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
            Err(error) if alone && !error.is::<DriverBug>() => return Err(error),
            Err(error) => failures.push(Failure {
                path: planned.unit.modified.shown.clone(),
                entry: Some(planned.unit.options.entry.clone()),
                message: summary::words(&error),
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

/// How the verifier is restricted; a verifier that is not ours cannot follow a condition.
fn via(arguments: &CheckArguments) -> miette::Result<Via> {
    match (arguments.via, &arguments.verifier) {
        (Some(Via::Native), Verifier::Foreign { name, .. }) => Err(miette!(
            help = "use --via reduce, or leave it out",
            "{name} cannot follow a condition: --via native is for `verify`"
        )),
        (None, Verifier::Foreign { .. }) => Ok(Via::Reduce),
        (via, Verifier::Native | Verifier::Foreign { .. }) => Ok(via.unwrap_or_default()),
    }
}

fn settings(arguments: &CheckArguments, via: Via, messages: Messages) -> Settings {
    let shared = &arguments.shared;
    Settings {
        detector: arguments.detector,
        via,
        verifier: arguments.verifier.clone(),
        fallback: if arguments.fallback { Fallback::Full } else { Fallback::None },
        verbosity: if shared.quiet { Some("-q") } else { shared.verbose.then_some("-v") },
        statistics: arguments.stats.then_some("--stats"),
        messages,
    }
}

/// The units: of a change in a repository, or of two programs.
fn plan(arguments: &CheckArguments, schedule: &Schedule<'_>, folder: &Path) -> miette::Result<Plan> {
    let shared = &arguments.shared;
    let task = shared.load_task()?;
    let all = shared.all_program_options(task.as_ref())?;
    let Some((first, others)) = all.split_first() else { return Ok(Plan::default()) };
    let several = if others.is_empty() { Several::One } else { Several::Units };
    let mut plan = plan_property(arguments, schedule, task.as_ref(), (first, folder), several)?;
    for options in others {
        let more = plan_property(arguments, schedule, task.as_ref(), (options, folder), several)?;
        // Files are skipped and refused for reasons that no property changes.
        plan.units.extend(more.units);
    }
    Ok(plan)
}

/// The units for one property: the only one, or one of several, which have folders of their own.
fn plan_property(
    arguments: &CheckArguments,
    schedule: &Schedule<'_>,
    task: Option<&console::Task>,
    (options, folder): (&ProgramOptions, &Path),
    several: Several,
) -> miette::Result<Plan> {
    let shared = &arguments.shared;
    let only = matches!(several, Several::One);
    let own = if only { folder.to_owned() } else { folder.join(options.property.to_string()) };
    let folder = own.as_path();
    let entries = entries(&options.entry)?;
    let choice = if shared.names_property(task) { Choice::Named } else { Choice::Implied };
    if let Some(range) = &arguments.git {
        let given = shared.data_model.is_some() || shared.ilp32 || shared.lp64;
        let read = ReadOptions {
            data_model: given.then_some(options.data_model),
            preprocessor: options.preprocessor.clone(),
            compile_commands: arguments.compile_commands.clone(),
        };
        // The stages of a unit run in its folder.
        let folder = &std::path::absolute(folder).into_diagnostic()?;
        let own: Vec<PathBuf> = arguments.out.iter().chain(&arguments.cache).cloned().collect();
        let (pathspecs, entries) = (arguments.files.as_slice(), entries.as_slice());
        let purpose = if arguments.report.is_empty() { Purpose::Check } else { Purpose::Report };
        let links = &Links { patterns: arguments.link.clone(), targets: arguments.target.clone() };
        let change = Change { range, pathspecs, links, read: &read, options, choice, entries, own: &own, folder, purpose };
        return change::plan(&change, schedule);
    }
    let (original, modified) = programs(arguments, task)?;
    if !arguments.link.is_empty() {
        return linked(&arguments.link, (&original, &modified), folder, &(options.clone(), choice, entries));
    }
    let alone = entries.len() == 1;
    let units = entries.into_iter().map(|entry| Planned {
        folder: if alone { folder.to_owned() } else { folder.join(&entry) },
        name: if only {
            format!("{} {entry}", program(&modified).shown)
        } else {
            format!("{} {entry} {}", program(&modified).shown, options.property)
        },
        unit: Unit {
            original: UnitOriginal::Program(program(&original)),
            modified: program(&modified),
            options: implied(&modified, ProgramOptions { entry, ..options.clone() }, choice),
            location: Location::Named,
        },
    });
    Ok(Plan { units: units.collect(), ..Plan::default() })
}

/// The units of two folders in which patterns name the files of programs.
fn linked(
    links: &[String],
    (original, modified): (&Path, &Path),
    folder: &Path,
    (options, choice, entries): &(ProgramOptions, Choice, Vec<String>),
) -> miette::Result<Plan> {
    for program in [original, modified] {
        if !program.is_dir() {
            return Err(miette!(help = "name two folders", "--link: {} is no folder", shown::name(program)));
        }
    }
    let mut plan = Plan::default();
    for link in links {
        for entry in entries {
            let unit_folder = if links.len() * entries.len() == 1 {
                folder.to_owned()
            } else {
                folder.join(link::folder_name(link)).join(entry)
            };
            folder::enter(folder, &unit_folder)?;
            let list = |tree: &Path, side: &str| -> miette::Result<UnitProgram> {
                let files = link::files_below(tree, link)?.into_iter().map(|file| std::path::absolute(tree.join(file)));
                let files: Vec<PathBuf> = files.collect::<Result<_, _>>().into_diagnostic()?;
                let list = link::write_list(&unit_folder, Path::new(side), List::Program, &files)?;
                let shown = without_detours(&tree.join(link).to_string_lossy());
                Ok(UnitProgram { shown, file: link::within(&unit_folder, &list), revision: None })
            };
            let (before, after) = (list(original, "original")?, list(modified, "modified")?);
            let options = implied(&after.file, ProgramOptions { entry: entry.clone(), ..options.clone() }, *choice);
            let name = format!("{} {entry}", after.shown);
            let unit = Unit { original: UnitOriginal::Program(before), modified: after, options, location: Location::Named };
            plan.units.push(Planned { unit, folder: unit_folder, name });
        }
    }
    Ok(plan)
}

/// The options with the property the modified program is about.
fn implied(modified: &Path, options: ProgramOptions, choice: Choice) -> ProgramOptions {
    // What cannot be read is told by the stage that reads it.
    let property = (choice == Choice::Implied).then(|| program::load_about(modified, &options, choice).ok()).flatten();
    ProgramOptions { property: property.map_or(options.property, |cfa| cfa.options.property), ..options }
}

/// The entry functions of `f,g`.
fn entries(text: &str) -> miette::Result<Vec<String>> {
    let mut entries: Vec<String> = Vec::new();
    for entry in text.split(',').map(str::trim) {
        let is_name = entry.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        if entry.is_empty() || !is_name {
            return Err(miette!(help = "separate several functions by commas", "--entry: `{entry}` is no name of a function"));
        }
        if !entries.iter().any(|other| other == entry) {
            entries.push(entry.to_owned());
        }
    }
    Ok(entries)
}

/// The two programs: from the command line or from the task.
fn programs(arguments: &CheckArguments, task: Option<&console::Task>) -> miette::Result<(PathBuf, PathBuf)> {
    let task = match (arguments.files.as_slice(), task) {
        ([original, modified], None) => return Ok((original.clone(), modified.clone())),
        ([], Some(task)) => task,
        (_, Some(task)) => return Err(miette!("{} names the programs: give no others", task.file.display())),
        (_, None) => {
            return Err(miette!(
                help = "residue check ORIGINAL MODIFIED, or --git BASE FILE..., or --task FILE.yml; see --help",
                "two programs are needed, the original and the modified one"
            ));
        }
    };
    let original = task.original.clone().ok_or_else(|| {
        miette!(
            help = "add `options: {{difference_verification: {{original_input_file: FILE}}}}`",
            "{} does not name the original program",
            shown::name(&task.file)
        )
    })?;
    Ok((original, task.modified.clone()))
}

fn program(file: &Path) -> UnitProgram {
    UnitProgram { shown: without_detours(&file.to_string_lossy()), file: file.to_owned(), revision: None }
}

/// Checks that no input would be overwritten, nor one file be written twice.
fn keep_inputs(arguments: &CheckArguments, folder: &Path) -> miette::Result<()> {
    let task = arguments.shared.load_task()?;
    let named = task.iter().flat_map(|task| task.original.iter().chain([&task.modified]));
    let given = arguments.files.iter().filter(|_| arguments.git.is_none());
    let inputs = given.chain(named).chain(&arguments.shared.task).chain(&arguments.compile_commands).map(PathBuf::as_path);
    let inputs: Vec<&Path> = inputs.collect();
    let files: Vec<PathBuf> = inputs.iter().flat_map(|input| formats::inputs::all_files(input).unwrap_or_default()).collect();
    folder::is_apart(folder, inputs.iter().copied().chain(files.iter().map(PathBuf::as_path)))?;
    let outputs = arguments.map.as_deref().into_iter().chain(arguments.report.iter().map(ReportFile::path));
    Ok(console::keep_apart(inputs, outputs)?)
}

/// Says what is not checked, and what may be wrong with the rest.
fn tell(plan: &Plan, console: Console) {
    plan.warnings.iter().for_each(|warning| console.warning(warning));
    for skipped in &plan.skipped {
        let note = summary::note(skipped);
        let has_units = plan.units.iter().any(|planned| planned.unit.modified.shown == skipped.path);
        match skipped.why {
            Why::Deleted => console.warning(note),
            Why::NoEntry if has_units => console.note(note),
            Why::Unchanged | Why::Invisible => console.note(note),
            // The lines of the verdict say so.
            Why::NoEntry | Why::DeletedInUse | Why::Elsewhere | Why::NotC => {}
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
    errors.map(|error| summary::words(&error)).collect()
}

fn copy(from: &Path, to: &Path) -> miette::Result<()> {
    let bytes = std::fs::read(from).into_diagnostic().wrap_err_with(|| format!("cannot read {}", shown::name(from)))?;
    Ok(Output::new(Some(to)).write(|out| out.write_all(&bytes))?)
}

/// Whether one unit was checked or several.
#[derive(Clone, Copy)]
enum Several {
    One,
    Units,
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
    let text = if arguments.json { to_json(report)? } else { summary::text(report) };
    let interrupted = budget.signal().filter(|_| report.verdict == Verdict::Unknown(Reason::Interrupted));
    let exit = interrupted.map_or_else(|| summary::exit(report, &arguments.fail_on), Exit::Interrupted);
    let is_all = arguments.report.is_empty() && arguments.map.is_none();
    console::answer(&text, if is_all { exit } else { Exit::Usage })?;
    Ok(exit)
}

fn to_json(report: &CheckReport) -> miette::Result<String> {
    Ok(serde_json::to_string(report).into_diagnostic()? + "\n")
}
