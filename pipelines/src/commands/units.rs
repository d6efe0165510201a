//! From the arguments of `residue check` to units.
//!
//! Does not know how a repository is read, nor how a unit is checked.

use std::path::{Path, PathBuf};

use formats::{ProgramOptions, shown};
use miette::{IntoDiagnostic, miette};
use program::Choice;
use program::source::without_detours;

use super::arguments::CheckArguments;
use crate::run::schedule::Schedule;
use crate::run::unit::{Location, Planned, Unit, UnitOriginal, UnitProgram, within};
use crate::run::{facts, folder};
use crate::sources::change;
use crate::sources::entries;
use crate::sources::link::{self, List};
use crate::sources::plan::{Change, Links, Plan, Purpose};
use crate::sources::revision::ReadOptions;

/// The units: of a change in a repository, or of two programs.
pub(super) fn plan(arguments: &CheckArguments, schedule: &Schedule<'_>, folder: &Path) -> miette::Result<Plan> {
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
    let entries = entries::listed(&options.entry)?;
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
        let with = arguments.with.as_slice();
        // No TRUE without a validated condition.
        let (read, own, every) = (&read, own.as_slice(), arguments.validated);
        let (cache, is_kept) = (arguments.trusted_cache(), arguments.out.is_some());
        let change =
            Change { range, pathspecs, links, with, read, options, choice, entries, every, own, folder, is_kept, purpose, cache };
        return change::plan(&change, schedule);
    }
    let (original, modified) = programs(arguments, task)?;
    if !arguments.link.is_empty() {
        return linked(&arguments.link, &arguments.with, (&original, &modified), folder, &(options.clone(), choice, entries));
    }
    if !arguments.with.is_empty() {
        return laid_over(&arguments.with, (&original, &modified), folder, &(options.clone(), choice, entries));
    }
    let alone = is_one(&entries);
    let files = formats::inputs::files(&modified).into_diagnostic()?;
    let files = files.map_or_else(|| vec![modified.clone()], |files| files.into_iter().map(|file| file.path).collect());
    let units = entries::of_files(&entries, &files, options)?.into_iter().map(|entry| Planned {
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
    with: &[PathBuf],
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
        let files: Vec<PathBuf> = link::files_below(modified, link)?.into_iter().map(|file| modified.join(file)).collect();
        for entry in &entries::of_files(entries, &files, options)? {
            let unit_folder = if links.len() == 1 && is_one(entries) {
                folder.to_owned()
            } else {
                folder.join(link::folder_name(link)).join(entry)
            };
            folder::enter(folder, &unit_folder)?;
            let list = |tree: &Path, side: &str| -> miette::Result<UnitProgram> {
                let files: Vec<PathBuf> = link::files_below(tree, link)?.into_iter().map(|file| tree.join(file)).collect();
                let shown = without_detours(&tree.join(link).to_string_lossy());
                listed(&unit_folder, side, (files, with), shown)
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

/// The units of two programs that a file is laid over: it is linked with both.
fn laid_over(
    with: &[PathBuf],
    (original, modified): (&Path, &Path),
    folder: &Path,
    (options, choice, entries): &(ProgramOptions, Choice, Vec<String>),
) -> miette::Result<Plan> {
    let mut plan = Plan::default();
    let files = formats::inputs::files(modified).into_diagnostic()?;
    let files = files.map_or_else(|| vec![modified.to_owned()], |files| files.into_iter().map(|file| file.path).collect());
    let files: Vec<PathBuf> = files.into_iter().chain(with.iter().cloned()).collect();
    for entry in &entries::of_files(entries, &files, options)? {
        let unit_folder = if is_one(entries) { folder.to_owned() } else { folder.join(entry) };
        folder::enter(folder, &unit_folder)?;
        let list = |program: &Path, side: &str| -> miette::Result<UnitProgram> {
            let files = formats::inputs::files(program).into_diagnostic()?;
            let files = files.map(|files| files.into_iter().map(|file| file.path).collect());
            let shown = without_detours(&program.to_string_lossy());
            listed(&unit_folder, side, (files.unwrap_or_else(|| vec![program.to_owned()]), with), shown)
        };
        let (before, after) = (list(original, "original")?, list(modified, "modified")?);
        let options = implied(&after.file, ProgramOptions { entry: entry.clone(), ..options.clone() }, *choice);
        let name = format!("{} {entry}", after.shown);
        let unit = Unit { original: UnitOriginal::Program(before), modified: after, options, location: Location::Named };
        plan.units.push(Planned { unit, folder: unit_folder, name });
    }
    Ok(plan)
}

/// A program of several files and of those that are laid over it: one of the same name takes the place of the program's own.
pub(super) fn listed(
    folder: &Path,
    side: &str,
    (mut files, with): (Vec<PathBuf>, &[PathBuf]),
    shown: String,
) -> miette::Result<UnitProgram> {
    for file in with {
        files.retain(|own| own.file_name() != file.file_name());
        files.push(file.clone());
    }
    let files: Vec<PathBuf> = files.iter().map(std::path::absolute).collect::<Result<_, _>>().into_diagnostic()?;
    let list = link::write_list(folder, Path::new(side), List::Program, &files)?;
    Ok(UnitProgram { shown, file: within(folder, &list), revision: None })
}

/// The options with the property the modified program is about.
fn implied(modified: &Path, options: ProgramOptions, choice: Choice) -> ProgramOptions {
    // What cannot be read is told by the stage that reads it.
    let property = (choice == Choice::Implied).then(|| facts::about(modified, &options, choice).ok()).flatten();
    ProgramOptions { property: property.map_or(options.property, |facts| facts.property), ..options }
}

/// Whether one function is named, which needs no folder of its own.
fn is_one(entries: &[String]) -> bool {
    matches!(entries, [entry] if !entries::is_pattern(entry))
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

/// Whether one unit was checked or several.
#[derive(Clone, Copy)]
pub(super) enum Several {
    One,
    Units,
}
