//! `residue properties`: a verdict for every assertion of a change, in files or between revisions.
//!
//! Each unit goes to `propdiff`, with the verdicts of its original: those of a file, of the cache, or found first. What is
//! printed are the lines of `propdiff`; a report has the texts, what became of each clause, and the inputs of failures.
//! Does not know how a clause is decided.

use std::fmt::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use console::{Exit, Output, Progress, SharedOptions, Watched};
use formats::artifact::sha256_hex;
use formats::assertions::{AssertionVerdicts, PropertyDifference};
use formats::{Producer, ProgramOptions, Property, Reason, Verdict, shown};
use miette::{Context, IntoDiagnostic, miette};
use program::Choice;
use program::source::without_detours;
use serde::Serialize;

use super::properties_foreign::{self, Found, Open, add};
use super::properties_listing::{Listing, Told};
use super::properties_sarif;
use super::summary::missing_beside;
use crate::report::listing;
use crate::run::cache::{self, Trust};
use crate::run::chain::flags;
use crate::run::outcome::{Failure, Skipped, Verifier, Why};
use crate::run::schedule::Schedule;
use crate::run::stage::{Allowance, Messages, Stage};
use crate::run::unit::{Location, Planned, Unit, UnitOriginal, UnitProgram, within};
use crate::run::words::{note, words};
use crate::run::{facts, folder};
use crate::sources::change;
use crate::sources::git::TEMPORARY;
use crate::sources::plan::{Change, Links, Plan, Purpose};
use crate::sources::revision::ReadOptions;

const EXAMPLES: &str = "\
Examples:
  residue properties --save-verdicts v2.json --verdicts v1.json v1.c v2.c
  residue properties --git origin/main..HEAD --cache .verdicts --deny weaker,removed src/queue.c
  residue properties --report difference.html v1.c v2.c
  residue properties --verifier esbmc --budget 60 v1.c v2.c

Exit codes: 0 all TRUE, 1 something is FALSE or denied, 2 unusable input, 3 UNKNOWN, 101 a bug of ours.";

/// Steps of the check where others are asked for what is hard.
const QUICK: u64 = 90_000;

const TEMPLATE: &str = include_str!("properties.html");

/// What became of the assertions of a change: which are weaker, stronger, new or gone, and a verdict for each
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = "residue properties [OPTIONS] ORIGINAL MODIFIED
       residue properties [OPTIONS] --git BASE[..HEAD] [FILE]...")]
pub(crate) struct PropertiesArguments {
    /// The program before and the one after the change; with --git files, folders or patterns of the repository
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare two git revisions; without HEAD the modified one is the working tree
    #[arg(long, value_name = "BASE[..HEAD]")]
    git: Option<String>,
    /// Check the files that a pattern names (several separated by commas) as one program
    #[arg(long, value_name = "PATTERN", requires = "git")]
    link: Vec<String>,
    /// Lay a file over both revisions, e.g. a harness that is not in their history
    #[arg(long, value_name = "FILE", requires = "git")]
    with: Vec<PathBuf>,
    /// Verdicts of the original, as `propdiff --save-verdicts` wrote them; found first if there are none
    #[arg(long, value_name = "FILE", conflicts_with = "git")]
    verdicts: Option<PathBuf>,
    /// Where the verdicts of the modified program go
    #[arg(long, value_name = "FILE", conflicts_with = "git")]
    save_verdicts: Option<PathBuf>,
    /// Assertions given beside the programs, as for `propdiff`: once for both, or first those of the original, then those of the
    /// modified program
    #[arg(long, value_name = "FILE.yml", conflicts_with = "git")]
    properties: Vec<PathBuf>,
    /// Who checks what the difference leaves open: `verify` (all analyses of `propdiff`), or a BenchExec tool-info module with
    /// options for the tool, e.g. esbmc; given several times, each is asked in turn
    #[arg(long, value_name = "NAME[:OPTIONS]", default_value = "verify")]
    verifier: Vec<Verifier>,
    /// Keep verdicts of programs in this folder, and use those that are there
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Use the cache although others may write to it: whoever does chooses the verdicts
    #[arg(long, requires = "cache")]
    trust_cache: bool,
    /// Check also of what cannot be proved again cheaply so many percent; with 100 nothing rests on earlier verdicts
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    audit: Option<u8>,
    /// Refuse changes of these kinds with exit code 1: weaker, removed, unmatched
    #[arg(long, value_name = "KIND[,KIND]")]
    deny: Option<String>,
    /// Tell on stderr what became of every clause, and why
    #[arg(long)]
    explain: bool,
    /// End each check after this much work, in steps that no clock decides
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Write a report for people (.html), code hosts (.sarif) or programs (.json); may be given several times
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shared: SharedOptions,
}

/// What the page is made of.
#[derive(Serialize)]
struct Page<'a> {
    listing: &'a Listing,
}

/// Runs the command.
///
/// # Errors
/// If the input cannot be used.
pub(crate) fn properties(arguments: &PropertiesArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    listing::check_names(&arguments.report)?;
    let budget = shared.budget_of(Watched::Driver)?;
    let temporary = tempfile::Builder::new().prefix(TEMPORARY).tempdir();
    let temporary = temporary.into_diagnostic().wrap_err("cannot make a temporary folder")?;
    console::remove_at_the_end(temporary.path());
    if let Some(folder) = &arguments.cache {
        let untold = cache::claim_for("propdiff", folder, trust(arguments))?;
        untold.into_iter().for_each(|untold| shared.console().warning(untold));
    }
    let progress = Progress::none();
    let schedule = Schedule { jobs: NonZero::<usize>::MIN, budget: &budget, progress: &progress };
    let plan = plan(arguments, &schedule, temporary.path())?;
    plan.warnings.iter().for_each(|warning| shared.console().warning(warning));
    let (mut told, mut failures) = (Vec::new(), plan.failures);
    let count = u32::try_from(plan.units.len()).unwrap_or(u32::MAX).max(1);
    for planned in &plan.units {
        let allowance =
            Allowance { cpu: shared.budget.map(|all| all / count), memory: budget.memory_limit(), run: budget.clone() };
        match unit(arguments, planned, temporary.path(), allowance) {
            Ok(one) => told.push(one),
            Err(error) if count == 1 => return Err(error),
            Err(error) => failures.push(Failure {
                path: planned.unit.modified.shown.clone(),
                entry: Some(planned.unit.options.entry.clone()),
                message: words(&error),
            }),
        }
    }
    finish(arguments, told, failures, plan.skipped)
}

/// Says what came out.
fn finish(
    arguments: &PropertiesArguments,
    told: Vec<Told>,
    failures: Vec<Failure>,
    skipped: Vec<Skipped>,
) -> miette::Result<Exit> {
    let console = arguments.shared.console();
    let missing = missing_beside(told.iter().map(|one| &one.path), &failures, &skipped);
    let worst = overall(&told, &failures, &missing);
    let mut text = String::new();
    for one in &told {
        if !one.messages.is_empty() {
            console.print(one.messages.trim_end());
        }
        text += &one.lines;
    }
    failures.iter().for_each(|failure| _ = writeln!(text, "{}", shown::one_line(&failure.line())));
    failures
        .iter()
        .for_each(|failure| console.print(format!("error: {}: {}", shown::one_line(&failure.path), failure.message.trim())));
    missing.iter().for_each(|skipped| _ = writeln!(text, "{}", shown::one_line(&note(skipped))));
    skipped.iter().filter(|skipped| !missing.contains(skipped)).for_each(|skipped| console.note(note(skipped)));
    // The assertions of a file that is gone are gone.
    let gone: Vec<&Skipped> = skipped.iter().filter(|skipped| skipped.why == Why::Deleted && denies_removed(arguments)).collect();
    gone.iter().for_each(|skipped| console.print(format!("denied: {}", note(skipped))));
    let denied = !gone.is_empty() || told.iter().any(|one| one.denied);
    let own = Exit::from(&worst);
    let exit = match () {
        () if !failures.is_empty() => Exit::Usage,
        () if own == Exit::Success && denied => Exit::Negative,
        () => own,
    };
    let producer = Producer::new("residue", env!("CARGO_PKG_VERSION"));
    let (format, verdict) = ("properties-report", worst.to_string());
    let not_checked = skipped.iter().map(note).collect();
    let missing = missing.into_iter().cloned().collect();
    let listing = Listing { format, version: 1, producer, verdict, units: told, failures, not_checked, missing };
    let object = serde_json::to_string_pretty(&listing).into_diagnostic()? + "\n";
    _ = writeln!(text, "{}", shown::one_line(&worst.to_string()));
    let text = if arguments.json { object.clone() } else { shown::lines(&text).into_owned() };
    let writes = !arguments.report.is_empty() || arguments.save_verdicts.is_some();
    console::answer(&text, if writes { Exit::Usage } else { exit })?;
    for (file, bytes) in listing.units.iter().filter_map(|one| one.saved.as_ref()) {
        Output::new(Some(file)).write(|out| out.write_all(bytes))?;
    }
    listing::write(&arguments.report, &object, || page(&listing), || properties_sarif::text(&listing))?;
    Ok(exit)
}

/// The worst verdict: of what could not be read, or changed and was not looked at, nothing is known, so that all others are not
/// enough for TRUE.
fn overall(told: &[Told], failures: &[Failure], missing: &[&Skipped]) -> Verdict {
    let failed = failures.iter().map(Failure::verdict);
    let failed: Vec<Verdict> = failed.chain(missing.first().map(|_| Verdict::Unknown(Reason::NotChecked))).collect();
    Verdict::worst(failed.iter().chain(told.iter().map(|one| &one.worst)))
}

/// Whether assertions that are gone are refused.
fn denies_removed(arguments: &PropertiesArguments) -> bool {
    arguments.deny.iter().flat_map(|kinds| kinds.split(',')).any(|kind| kind.trim() == "removed")
}

fn page(listing: &Listing) -> miette::Result<String> {
    listing::page("properties.html", TEMPLATE, Page { listing })
}

/// The units: of a change in a repository, or of two programs.
fn plan(arguments: &PropertiesArguments, schedule: &Schedule<'_>, folder: &Path) -> miette::Result<Plan> {
    let shared = &arguments.shared;
    let options = shared.program_options(None)?;
    let choice = if shared.names_property(None) { Choice::Named } else { Choice::Implied };
    if let Some(range) = &arguments.git {
        let given = shared.data_model.is_some() || shared.ilp32 || shared.lp64;
        let read = ReadOptions {
            data_model: given.then_some(options.data_model),
            preprocessor: options.preprocessor.clone(),
            compile_commands: None,
        };
        let own: Vec<PathBuf> = arguments.cache.iter().cloned().collect();
        let entries: Vec<String> = options.entry.split(',').map(|entry| entry.trim().to_owned()).collect();
        let change = Change {
            range,
            pathspecs: &arguments.files,
            links: &Links { patterns: arguments.link.clone(), targets: Vec::new() },
            with: &arguments.with,
            read: &read,
            options: &options,
            choice,
            entries: &entries,
            every: true,
            own: &own,
            folder,
            is_kept: false,
            purpose: Purpose::Check,
            cache: None,
        };
        return change::plan(&change, schedule);
    }
    let [original, modified] = arguments.files.as_slice() else {
        return Err(miette!(
            help = "residue properties ORIGINAL MODIFIED, or --git BASE FILE...; see --help",
            "two programs are needed, the original and the modified one"
        ));
    };
    let inputs = [original, modified].into_iter().chain(&arguments.verdicts).chain(&arguments.properties).map(PathBuf::as_path);
    console::keep_apart(inputs, arguments.save_verdicts.iter().chain(&arguments.report).map(PathBuf::as_path))?;
    let program =
        |file: &Path| UnitProgram { shown: without_detours(&file.to_string_lossy()), file: file.to_owned(), revision: None };
    let about = |file: &Path| facts::about(file, &options, choice).ok().filter(|facts| facts.can_violate);
    // Where all assertions were taken out, those of the original say what it is about.
    let about = if choice == Choice::Implied { about(modified).or_else(|| about(original)) } else { None };
    let property = about.map_or(options.property, |facts| facts.property);
    let unit = Unit {
        original: UnitOriginal::Program(program(original)),
        modified: program(modified),
        options: ProgramOptions { property, ..options },
        location: Location::Named,
    };
    let name = unit.modified.shown.clone();
    Ok(Plan { units: vec![Planned { unit, folder: folder.join("unit"), name }], ..Plan::default() })
}

/// One unit: the verdicts of the original, then the difference.
fn unit(arguments: &PropertiesArguments, planned: &Planned, root: &Path, mut allowance: Allowance) -> miette::Result<Told> {
    let Planned { unit, folder, .. } = planned;
    if unit.location == Location::Named {
        folder::enter(root, folder)?;
    }
    let folder = std::path::absolute(folder).into_diagnostic()?;
    let (known, new) = (folder.join("original.json"), folder.join("verdicts.json"));
    if let Some(original) = original(unit) {
        let given = arguments.verdicts.as_deref().map(std::path::absolute).transpose().into_diagnostic()?;
        let cached = if given.is_some() { None } else { cached(arguments, unit, original, &folder) };
        match (given, cached) {
            (Some(file), _) => _ = std::fs::copy(&file, &known).into_diagnostic().wrap_err_with(|| shown::name(&file))?,
            (None, Some(text)) => std::fs::write(&known, text).into_diagnostic().wrap_err_with(|| shown::name(&known))?,
            (None, None) => {
                let stage = stage(arguments, unit, &folder).arg("--check").arg("--save-verdicts").arg(&known);
                let stage = stage.args(arguments.properties.first().map(properties_flag)).within(&allowance);
                let done = stage.arg("--").arg(&original.file).run(&allowance)?;
                allowance.spend(done.cpu);
                keep(arguments, cached_file(arguments, unit, original, &folder), &known);
            }
        }
    }
    let mut told = difference(arguments, unit, &folder, &mut allowance)?;
    if let Some(aside) = not_compared(arguments, unit, &folder) {
        told.messages += &format!("warning: {aside}\n");
        if denies_removed(arguments) {
            // What is not compared may be gone.
            told.messages += &format!("denied: {aside}\n");
            told.denied = true;
        }
    }
    if arguments.verifier.iter().any(|one| matches!(one, Verifier::Foreign { .. })) {
        told = elsewhere(arguments, unit, &folder, told, &mut allowance)?;
    } else {
        keep(arguments, cached_file(arguments, unit, &unit.modified, &folder), &new);
    }
    if let Some(file) = &arguments.save_verdicts {
        let bytes = std::fs::read(&new).into_diagnostic()?;
        told.saved = Some((file.clone(), bytes));
    }
    Ok(told)
}

/// That the original is about another property, where nobody has named any.
fn not_compared(arguments: &PropertiesArguments, unit: &Unit, folder: &Path) -> Option<String> {
    let original = original(unit).filter(|_| !arguments.shared.names_property(None))?;
    let file = match unit.location {
        Location::Named => original.file.clone(),
        Location::Folder => within(folder, &original.file),
    };
    let unnamed = ProgramOptions { property: Property::UnreachCall, ..unit.options.clone() };
    let facts = facts::about(&file, &unnamed, Choice::Implied).ok()?;
    let (implied, looked_at) = (facts.property, unit.options.property);
    (facts.can_violate && implied != looked_at).then(|| {
        let name = shown::one_line(&original.shown);
        format!(
            "{name} is about {implied}, which is not compared: the modified program is about {looked_at} (--property {implied})"
        )
    })
}

/// The same by the names that the user knows: a stage is given files of the folder.
fn told_by_names(unit: &Unit, text: &str) -> String {
    let programs = [&unit.modified].into_iter().chain(original(unit));
    programs.fold(text.to_owned(), |text, program| {
        let place = |name: &str| format!("{name}:");
        let (name, own) = (shown::name(&program.file), place(&program.shown));
        // A stage writes a name that would be a command for a code host in another way.
        text.replace(&place(&shown::lines(&name)), &own).replace(&place(&name), &own)
    })
}

/// What people know the verdicts of the original by, whose file is a copy.
fn earlier(arguments: &PropertiesArguments, unit: &Unit) -> String {
    match (&arguments.verdicts, original(unit)) {
        (Some(file), _) => shown::name(file),
        (None, Some(original)) => format!("the verdicts of {}", original.shown),
        (None, None) => String::new(),
    }
}

fn original(unit: &Unit) -> Option<&UnitProgram> {
    match &unit.original {
        UnitOriginal::Program(original) => Some(original),
        UnitOriginal::Absent(_) => None,
    }
}

fn properties_flag(file: &PathBuf) -> String {
    format!("--properties={}", std::path::absolute(file).unwrap_or_else(|_| file.clone()).display())
}

/// The difference, with the verdicts of the original in the folder.
fn difference(arguments: &PropertiesArguments, unit: &Unit, folder: &Path, allowance: &mut Allowance) -> miette::Result<Told> {
    let [known, new, difference] = ["original.json", "verdicts.json", "difference.json"].map(|name| folder.join(name));
    let mut stage = stage(arguments, unit, folder).arg("--check").arg("--save-verdicts").arg(&new);
    if !arguments.verifier.contains(&Verifier::Native) {
        // What is known is proved again, and what is easy; all else is for others.
        stage = stage.args(arguments.steps.is_none().then(|| format!("--steps={QUICK}")));
    }
    let original = original(unit);
    if original.is_some() {
        stage = stage.arg("--verdicts").arg(&known).arg("-o").arg(&difference);
        stage = stage.args(arguments.deny.iter().map(|kinds| format!("--deny={kinds}")));
        stage = stage
            .args(arguments.audit.map(|percent| format!("--audit={percent}")))
            .args(arguments.explain.then_some("--explain"));
        stage = stage.args(arguments.properties.iter().map(properties_flag));
    } else {
        stage = stage.args(arguments.properties.last().map(properties_flag));
    }
    stage = stage.within(allowance).arg("--").args(original.map(|original| &original.file));
    let named = |text: &str| told_by_names(unit, &text.replace(&shown::name(&known), &earlier(arguments, unit)));
    let done = stage.arg(&unit.modified.file).run(allowance).map_err(|error| error.reworded(&named))?;
    allowance.spend(done.cpu);
    told(unit, &named(&done.stdout), named(&done.messages), (&new, original.is_some().then_some(&difference)))
}

/// What is open goes to verifiers that are not ours.
fn elsewhere(
    arguments: &PropertiesArguments,
    unit: &Unit,
    folder: &Path,
    mut told: Told,
    allowance: &mut Allowance,
) -> miette::Result<Told> {
    let verdicts = folder.join("open.json");
    std::fs::copy(folder.join("verdicts.json"), &verdicts).into_diagnostic()?;
    let properties = arguments.properties.last().map(properties_flag).into_iter().collect();
    let found: Found = Open { unit, folder, verdicts, properties }.ask(&arguments.verifier, allowance)?;
    let known = folder.join("original.json");
    if !found.inputs.is_empty() && known.is_file() {
        // Inputs that violate something are run as those of earlier failures are.
        add(&known, &found.inputs)?;
        // Without time for that, nothing is said of what is behind them.
        told = difference(arguments, unit, folder, allowance).unwrap_or(told);
    }
    let property = unit.options.property;
    told.lines = properties_foreign::told(&found, property, &mut told.verdicts, told.difference.as_mut(), &told.lines);
    told.worst = Verdict::worst(told.verdicts.sites.iter().map(|site| &site.verdict));
    told.verdict = told.worst.to_string();
    for why in &found.left {
        _ = writeln!(told.messages, "note: {}", shown::one_line(why));
    }
    Ok(told)
}

fn told(unit: &Unit, stdout: &str, messages: String, files: (&Path, Option<&PathBuf>)) -> miette::Result<Told> {
    let read = |file: &Path| std::fs::read(file).into_diagnostic().wrap_err_with(|| shown::name(file));
    let verdicts = AssertionVerdicts::read(&read(files.0)?, &shown::name(files.0))?;
    let difference = match files.1 {
        Some(file) => Some(PropertyDifference::read(&read(file)?, &shown::name(file))?),
        None => None,
    };
    let worst = Verdict::worst(verdicts.sites.iter().map(|site| &site.verdict));
    // Its last line is of this unit alone.
    let mut lines = String::new();
    let own: Vec<&str> = stdout.trim_end().lines().collect();
    for line in own.iter().take(own.len().saturating_sub(1)) {
        _ = writeln!(lines, "{}", shown::one_line(line));
    }
    let denied = messages.lines().any(|line| line.starts_with("denied: "));
    Ok(Told {
        path: unit.modified.shown.clone(),
        entry: unit.options.entry.clone(),
        verdict: worst.to_string(),
        difference,
        verdicts,
        original: original(unit).map(|program| program.shown.clone()),
        worst,
        lines,
        messages,
        denied,
        saved: None,
    })
}

fn stage(arguments: &PropertiesArguments, unit: &Unit, folder: &Path) -> Stage {
    let stage = Stage::new("propdiff", Messages::Collected).args(flags(&unit.options));
    let stage = stage.args(arguments.steps.map(|steps| format!("--steps={steps}")));
    match unit.location {
        Location::Named => stage,
        Location::Folder => stage.within_folder(folder),
    }
}

/// Who may write to the cache.
fn trust(arguments: &PropertiesArguments) -> Trust {
    if arguments.trust_cache { Trust::Everybody } else { Trust::Ourselves }
}

/// The verdicts of a program that the cache has, if it has any.
fn cached(arguments: &PropertiesArguments, unit: &Unit, program: &UnitProgram, folder: &Path) -> Option<String> {
    let text = cache::text_of(&cached_file(arguments, unit, program, folder)?, trust(arguments))?;
    // What was edited or is of another version is found anew.
    AssertionVerdicts::read(text.as_bytes(), "cache").is_ok().then_some(text)
}

/// Verdicts are of a text, of the way it is read, and of the tool.
fn cached_file(arguments: &PropertiesArguments, unit: &Unit, program: &UnitProgram, folder: &Path) -> Option<PathBuf> {
    let cache = arguments.cache.as_ref()?;
    let readable = unit.readable(program, folder);
    let sha256 = formats::inputs::sha256(&readable).ok()?;
    // What a file includes may change while the file does not.
    let read = facts::of(&readable, &unit.options).ok()?.cfa.clone();
    let is_modified = program.file == unit.modified.file;
    let set = if is_modified { arguments.properties.last() } else { arguments.properties.first() };
    let beside = set.map(|file| std::fs::read(file).map(|bytes| sha256_hex(&bytes))).transpose().ok()?;
    let flags = (flags(&unit.options), arguments.steps);
    let key = format!("{} {sha256} {read} {flags:?} {:?} {beside:?}", cache::build_of("propdiff")?, program.file);
    std::path::absolute(cache.join(format!("{}.json", sha256_hex(key.as_bytes())))).ok()
}

/// Keeps verdicts; what cannot be kept is found again.
fn keep(arguments: &PropertiesArguments, file: Option<PathBuf>, verdicts: &Path) {
    let Some(file) = file else { return };
    let text = std::fs::read_to_string(verdicts).into_diagnostic().wrap_err_with(|| shown::name(verdicts));
    if let Err(error) = text.and_then(|text| cache::write_text(file, trust(arguments), &text)) {
        arguments.shared.console().warning(format!("the verdicts are not cached: {}", words(&error)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_never_true() {
        let failure = Failure { path: "a.c".to_owned(), entry: None, message: "unreadable".to_owned() };
        assert_eq!(
            overall(&[], std::slice::from_ref(&failure), &[]).to_string(),
            "UNKNOWN(unsupported: unusable input at a.c:1)"
        );
        let skipped = Skipped { path: "a.c".to_owned(), entry: None, why: Why::NotC, detail: None };
        assert_eq!(overall(&[], &[], &[&skipped]), Verdict::Unknown(Reason::NotChecked));
        assert_eq!(overall(&[], &[], &[]), Verdict::True);
    }
}
