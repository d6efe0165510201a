//! `residue invariants`: which facts hold in which versions of a file, and which commit broke them.
//!
//! Versions are files, or the commits of a range that change a file. They go to `invdiff`, more than it takes in windows that
//! overlap by one version, so that every version is compared with the one before. What is printed and reported is made of its
//! tables.
//! Does not know how a fact is decided.

use std::path::{Path, PathBuf};

use console::{Exit, Watched};
use formats::artifact::sha256_hex;
use formats::invariant_table::{ChurnKind, InvariantTable};
use formats::{Producer, ProgramOptions, shown};
use miette::{Context, IntoDiagnostic, miette};
use serde::Serialize;

use super::invariants_arguments::InvariantsArguments;
use super::invariants_foreign::Open;
use super::invariants_listing::{Cell, Change, Listing, Told, Window, on_one_line};
use super::invariants_versions::{Unit, units};
use super::{invariants_sarif, invariants_text};
use crate::report::listing;
use crate::run::cache::{self, Trust};
use crate::run::chain::flags;
use crate::run::outcome::{Failure, Verifier};
use crate::run::stage::{Allowance, Messages, Stage};
use crate::run::words::words;
use crate::sources::git::TEMPORARY;

const TEMPLATE: &str = include_str!("invariants.html");

/// The first word of a table of the cache; another layout gets another one.
const FORMAT: &str = "residue-invariants-1";

/// Steps where others are asked for what is hard.
const QUICK: u64 = 60_000;
/// Versions that are compared at once; the last of them is the first of the next.
const WINDOW: usize = 64;

/// What the page is made of.
#[derive(Serialize)]
struct Page<'a> {
    listing: &'a Listing,
    /// For each unit and row what its letters rest on.
    cells: Vec<Vec<&'a [Cell]>>,
    /// For each unit its changes, with their inputs on one line.
    changes: Vec<Vec<(&'a Change, String)>>,
}

/// Runs the command.
///
/// # Errors
/// If the input cannot be used.
pub(crate) fn invariants(arguments: &InvariantsArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    listing::check_names(&arguments.report)?;
    if !shared.property.is_empty() {
        return Err(miette!(help = "leave out --property", "facts are asked for, not a property"));
    }
    let given = arguments.files.iter().chain(&arguments.with).chain(&arguments.invariants).map(PathBuf::as_path);
    console::keep_apart(given, arguments.report.iter().map(PathBuf::as_path))?;
    let budget = shared.budget_of(Watched::Driver)?;
    let temporary = tempfile::Builder::new().prefix(TEMPORARY).tempdir();
    let temporary = temporary.into_diagnostic().wrap_err("cannot make a temporary folder")?;
    console::remove_at_the_end(temporary.path());
    if let Some(cache) = &arguments.cache {
        let untold = cache::claim_for("invdiff", cache, trust(arguments))?;
        untold.into_iter().for_each(|untold| shared.console().warning(untold));
    }
    let (units, mut failures) = units(arguments, &budget, temporary.path())?;
    let count = u32::try_from(units.len()).unwrap_or(u32::MAX).max(1);
    let mut told = Vec::new();
    for unit in units {
        let cpu = shared.budget.map(|all| all / count);
        let mut allowance = Allowance { cpu, memory: budget.memory_limit(), run: budget.clone() };
        match compare(arguments, &unit, temporary.path(), &mut allowance) {
            Ok(windows) => told.push(Told::new(unit.path, unit.versions.into_iter().map(|one| one.told).collect(), windows)),
            Err(error) if count == 1 => return Err(error),
            Err(error) => failures.push(Failure { path: unit.path, entry: None, message: words(&error) }),
        }
    }
    finish(arguments, told, failures)
}

/// The tables of all windows.
fn compare(
    arguments: &InvariantsArguments,
    unit: &Unit,
    folder: &Path,
    allowance: &mut Allowance,
) -> miette::Result<Vec<Window>> {
    let read: Vec<usize> = (0..unit.versions.len()).filter(|at| unit.versions[*at].hash.is_some()).collect();
    if read.len() < 2 {
        let why = unit.versions.iter().find_map(|one| one.told.unreadable.as_ref());
        let why = why.map_or_else(|| "nothing changes it".to_owned(), Clone::clone);
        return Err(miette!("fewer than two versions of {} can be compared: {why}", unit.path));
    }
    let mut windows = Vec::new();
    let mut begin = 0;
    while begin + 1 < read.len() {
        let versions: Vec<usize> = read[begin..(begin + WINDOW).min(read.len())].to_vec();
        begin += versions.len() - 1;
        let table = table(arguments, unit, &versions, folder, allowance)?;
        windows.push(Window { versions, table });
    }
    Ok(windows)
}

/// The table of some versions, of the cache or of the tool.
fn table(
    arguments: &InvariantsArguments,
    unit: &Unit,
    versions: &[usize],
    folder: &Path,
    allowance: &mut Allowance,
) -> miette::Result<InvariantTable> {
    let asked = asked(arguments, &unit.options)?;
    let kept = kept(arguments, unit, versions, &asked);
    let mut table = match kept.as_deref().and_then(|file| cached(arguments, file)) {
        Some(table) => table,
        None => {
            let file = folder.join("table.json");
            let stage = Stage::new("invdiff", Messages::Collected).args(&asked).arg("--to=json").arg("-o").arg(&file);
            let stage = unit.folder.iter().fold(stage, |stage, folder| stage.within_folder(folder));
            let stage = stage.within(allowance).arg("--").args(versions.iter().map(|at| &unit.versions[*at].file));
            let done = stage.run(allowance)?;
            allowance.spend(done.cpu);
            if !done.messages.is_empty() {
                arguments.shared.console().print(done.messages.trim_end());
            }
            let bytes = std::fs::read(&file).into_diagnostic()?;
            let table = InvariantTable::read(&bytes, "invdiff")?;
            if allowance.ended().is_none() {
                keep(arguments, kept.as_deref(), &bytes);
            }
            table
        }
    };
    if arguments.verifier.iter().any(|one| matches!(one, Verifier::Foreign { .. })) {
        table = elsewhere(arguments, unit, (versions, table), folder, allowance)?;
    }
    for (version, at) in table.versions.iter_mut().zip(versions) {
        version.label.clone_from(&unit.versions[*at].told.name);
    }
    Ok(table)
}

/// What is open goes to verifiers that are not ours.
fn elsewhere(
    arguments: &InvariantsArguments,
    unit: &Unit,
    (versions, table): (&[usize], InvariantTable),
    folder: &Path,
    allowance: &mut Allowance,
) -> miette::Result<InvariantTable> {
    let own = tempfile::tempdir_in(folder).into_diagnostic()?;
    let open = Open {
        table,
        versions: versions.iter().map(|at| unit.versions[*at].file.as_path()).collect(),
        within: unit.folder.as_deref(),
        options: &unit.options,
        defined: arguments.defined,
        folder: own.path().to_owned(),
    };
    let (table, left) = open.ask(&arguments.verifier, allowance)?;
    left.iter().for_each(|why| arguments.shared.console().print(format!("note: {}", shown::one_line(why))));
    Ok(table)
}

/// The arguments of the tool that say what is asked.
fn asked(arguments: &InvariantsArguments, options: &ProgramOptions) -> miette::Result<Vec<String>> {
    let mut asked: Vec<String> = flags(options).into_iter().filter(|flag| !flag.starts_with("--property=")).collect();
    asked.extend(arguments.at.iter().map(|point| format!("--at={point}")));
    asked.extend(arguments.of.iter().map(|fact| format!("--of={fact}")));
    asked.extend(arguments.families.iter().map(|list| format!("--families={list}")));
    for file in &arguments.invariants {
        let path = std::path::absolute(file).into_diagnostic()?;
        asked.push(format!("--invariants={}", path.display()));
    }
    asked.extend(arguments.defined.then(|| "--defined".to_owned()));
    // What is easy is settled here; all else is for others.
    let quick = (!arguments.verifier.contains(&Verifier::Native)).then_some(QUICK);
    asked.extend(arguments.steps.or(quick).map(|steps| format!("--steps={steps}")));
    Ok(asked)
}

/// Where the cache has a table: it is of texts, of what is asked, of the time for it, and of the tool.
fn kept(arguments: &InvariantsArguments, unit: &Unit, versions: &[usize], asked: &[String]) -> Option<PathBuf> {
    let cache = arguments.cache.as_ref()?;
    // A file of the user is read together with its headers.
    arguments.git.as_ref()?;
    let mut key = format!("{} {asked:?} {:?}", cache::build_of("invdiff")?, arguments.shared.budget);
    for file in &arguments.invariants {
        key += &format!(" {}", sha256_hex(&std::fs::read(file).ok()?));
    }
    for at in versions {
        key += &format!(" {}", unit.versions[*at].hash.as_ref()?);
    }
    std::path::absolute(cache.join(format!("{}.json", sha256_hex(key.as_bytes())))).ok()
}

/// A table of the cache, if it is as it was written.
fn cached(arguments: &InvariantsArguments, file: &Path) -> Option<InvariantTable> {
    InvariantTable::read(cache::read(file, trust(arguments), FORMAT)?.as_bytes(), "cache").ok()
}

/// Who may write to the cache.
fn trust(arguments: &InvariantsArguments) -> Trust {
    if arguments.trust_cache { Trust::Everybody } else { Trust::Ourselves }
}

/// Keeps a table; one that cannot be kept is found again.
fn keep(arguments: &InvariantsArguments, file: Option<&Path>, table: &[u8]) {
    let Some(file) = file else { return };
    let text = String::from_utf8_lossy(table);
    if let Err(error) = cache::write(file.to_owned(), trust(arguments), FORMAT, &text) {
        arguments.shared.console().warning(format!("the table is not cached: {}", words(&error)));
    }
}

/// Says what came out.
fn finish(arguments: &InvariantsArguments, told: Vec<Told>, failures: Vec<Failure>) -> miette::Result<Exit> {
    let console = arguments.shared.console();
    for failure in &failures {
        console.print(format!("error: {}: {}", shown::one_line(&failure.path), failure.message.trim()));
    }
    let is_bad = |kind: ChurnKind| arguments.fail_on.iter().any(|bad| bad.kind() == kind);
    let mut changes = told.iter().flat_map(|one| &one.changes);
    let mut letters = told.iter().flat_map(|one| &one.rows).flat_map(|row| row.letters.chars()).peekable();
    let exit = match () {
        () if !failures.is_empty() => Exit::Usage,
        () if changes.any(|change| is_bad(change.kind)) => Exit::Negative,
        () if letters.peek().is_some() && letters.all(|letter| matches!(letter, '?' | '.')) => Exit::Unknown,
        () => Exit::Success,
    };
    let text: String = told.iter().map(invariants_text::text).collect::<Vec<_>>().join("\n");
    let producer = Producer::new("residue", env!("CARGO_PKG_VERSION"));
    let listing = Listing { format: "invariants-report", version: 1, producer, units: told, failures };
    let object = serde_json::to_string_pretty(&listing).into_diagnostic()? + "\n";
    let text = if arguments.json { object.clone() } else { shown::lines(&text).into_owned() };
    console::answer(&text, if arguments.report.is_empty() { exit } else { Exit::Usage })?;
    listing::write(&arguments.report, &object, || page(&listing), || invariants_sarif::text(&listing))?;
    Ok(exit)
}

fn page(listing: &Listing) -> miette::Result<String> {
    let (cells, changes) = (listing.units.iter().map(cells).collect(), listing.units.iter().map(changes).collect());
    listing::page("invariants.html", TEMPLATE, Page { listing, cells, changes })
}

fn changes(told: &Told) -> Vec<(&Change, String)> {
    told.changes.iter().map(|change| (change, inputs(change))).collect()
}

/// The inputs behind a change on one line, as many as one reads.
fn inputs(change: &Change) -> String {
    on_one_line(change.inputs.as_deref().unwrap_or_default(), 24)
}

fn cells(told: &Told) -> Vec<&[Cell]> {
    told.rows.iter().map(|row| row.cells.as_slice()).collect()
}
