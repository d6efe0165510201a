//! The versions that `residue invariants` compares: files and folders as they are, or what git has of them.
//!
//! Does not know what is asked of them.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use console::{Budget, Progress};
use formats::artifact::sha256_hex;
use formats::{ProgramOptions, inputs, shown};
use miette::{Context, IntoDiagnostic, miette};

use super::invariants_arguments::InvariantsArguments;
use super::invariants_listing::VersionTold;
use super::units::listed;
use crate::run::essence::names;
use crate::run::outcome::Failure;
use crate::run::schedule::Schedule;
use crate::run::words::words;
use crate::sources::git::Repository;
use crate::sources::history::{self, Of};
use crate::sources::link::{self, List};
use crate::sources::program_at::{ProgramTexts, Reading, is_c};
use crate::sources::revision::{ReadOptions, write};

/// A version.
pub(super) struct Version {
    pub(super) told: VersionTold,
    /// The program as the tool reads it.
    pub(super) file: PathBuf,
    /// Of its texts, if git has them; nothing where it cannot be read.
    pub(super) hash: Option<String>,
}

/// Versions that are compared.
pub(super) struct Unit {
    pub(super) path: String,
    pub(super) versions: Vec<Version>,
    pub(super) options: ProgramOptions,
    /// Where the files are, if not where the user has them.
    pub(super) folder: Option<PathBuf>,
}

/// The versions of each file and program, and what cannot be compared.
///
/// # Errors
/// If the arguments contradict each other, or the only file or program cannot be compared.
pub(super) fn units(
    arguments: &InvariantsArguments,
    budget: &Budget,
    folder: &Path,
) -> miette::Result<(Vec<Unit>, Vec<Failure>)> {
    let options = arguments.shared.program_options(None)?;
    match &arguments.git {
        Some(range) => of_history(arguments, range, (options, budget), folder),
        None if arguments.link.is_empty() => Ok((vec![as_they_are(arguments, None, options, folder)?], Vec::new())),
        None => {
            let unit = |(number, link): (usize, &String)| {
                as_they_are(arguments, Some(link), options.clone(), &folder.join(number.to_string()))
            };
            Ok((arguments.link.iter().enumerate().map(unit).collect::<miette::Result<_>>()?, Vec::new()))
        }
    }
}

/// Versions that are files, lists, or folders, of which a pattern may name the files.
fn as_they_are(
    arguments: &InvariantsArguments,
    link: Option<&str>,
    options: ProgramOptions,
    folder: &Path,
) -> miette::Result<Unit> {
    let version = |(number, given): (usize, &PathBuf)| -> miette::Result<Version> {
        let named = match link {
            Some(_) if !given.is_dir() => {
                return Err(miette!(help = "name folders, or give --git", "--link: {} is no folder", shown::name(given)));
            }
            Some(link) => Some(link::files_below(given, link)?.into_iter().map(|file| given.join(file)).collect()),
            None => inputs::files(given).into_diagnostic()?.map(|files| files.into_iter().map(|file| file.path).collect()),
        };
        if named.is_none() {
            std::fs::read(given).into_diagnostic().wrap_err_with(|| shown::name(given))?;
        }
        let file = match (named, link, arguments.with.as_slice()) {
            // The tool reads it.
            (_, None, []) => given.clone(),
            (named, _, with) => {
                let files = named.unwrap_or_else(|| vec![given.clone()]);
                listed(folder, &number.to_string(), (files, with), shown::name(given))?.file
            }
        };
        Ok(Version { told: VersionTold::file(shown::name(given)), file, hash: Some(String::new()) })
    };
    let versions = arguments.files.iter().enumerate().map(version).collect::<miette::Result<Vec<_>>>()?;
    let last = arguments.files.last().map(|file| shown::name(file)).unwrap_or_default();
    Ok(Unit { path: link.map_or(last, str::to_owned), versions, options, folder: None })
}

/// The past of files and programs.
fn of_history(
    arguments: &InvariantsArguments,
    range: &str,
    (options, budget): (ProgramOptions, &Budget),
    folder: &Path,
) -> miette::Result<(Vec<Unit>, Vec<Failure>)> {
    let shared = &arguments.shared;
    let given = shared.data_model.is_some() || shared.ilp32 || shared.lp64;
    let read = ReadOptions {
        data_model: given.then_some(options.data_model),
        preprocessor: options.preprocessor.clone(),
        compile_commands: None,
    };
    let repository = Repository::open()?;
    let laid = arguments.with.iter().map(|file| repository.inside(file)).collect::<Result<Vec<String>, _>>()?;
    let progress = Progress::none();
    let jobs = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let schedule = Schedule { jobs, budget, progress: &progress };
    let named = named(arguments)?;
    let reading =
        Reading { repository: &repository, read: &read, options: &options, laid: &laid, named: &named, schedule: &schedule };
    let files = arguments.files.iter().map(|file| (shown::name(file), Of::File(file)));
    let mut all: Vec<(String, Of<'_>)> = files.chain(arguments.link.iter().map(|link| (link.clone(), Of::Link(link)))).collect();
    if all.is_empty() {
        // Whoever writes a harness means it, unless something else is named.
        let meant = arguments.with.iter().filter(|file| is_c(&file.to_string_lossy()));
        all.extend(meant.map(|file| (shown::name(file), Of::File(file))));
    }
    let (mut units, mut failures) = (Vec::new(), Vec::new());
    let alone = all.len() == 1;
    for (number, (path, of)) in all.into_iter().enumerate() {
        let found = history::versions(&reading, range, of).and_then(|past| {
            past.warnings.iter().for_each(|warning| shared.console().warning(format!("{}: {warning}", shown::one_line(&path))));
            unit(path.clone(), past.versions, &options, &folder.join(number.to_string()))
        });
        match found {
            Ok(unit) => units.push(unit),
            Err(error) if alone => return Err(error),
            Err(error) => failures.push(Failure { path, entry: None, message: words(&error) }),
        }
    }
    if units.is_empty() && failures.is_empty() {
        return Err(miette!(help = "name files, or give --link", "nothing is named whose versions are to be compared"));
    }
    Ok((units, failures))
}

/// The names in points and facts: a file that defines one of them belongs to a program though nothing that runs leads there.
fn named(arguments: &InvariantsArguments) -> miette::Result<BTreeSet<String>> {
    let mut texts: Vec<Vec<u8>> = arguments.at.iter().chain(&arguments.of).map(|text| text.clone().into_bytes()).collect();
    for file in &arguments.invariants {
        texts.push(std::fs::read(file).into_diagnostic().wrap_err_with(|| shown::name(file))?);
    }
    Ok(texts.iter().flat_map(|text| names(text)).map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Writes the versions of a program where the tool reads them.
fn unit(path: String, found: Vec<history::Version>, options: &ProgramOptions, folder: &Path) -> miette::Result<Unit> {
    let model = found.iter().rev().find_map(|one| one.texts.as_ref().ok()).map_or(options.data_model, |one| one.data_model);
    let mut versions = Vec::new();
    for one in found {
        let own = one.name.replace(' ', "-");
        let single = PathBuf::from(format!("{own}.i"));
        let (texts, unreadable) = match one.texts {
            Ok(program) if program.data_model == model => (Some(program), None),
            Ok(program) => (None, Some(format!("it is compiled for {}", program.data_model))),
            Err(why) => (None, Some(why)),
        };
        let (file, hash) = match &texts {
            None => (single, None),
            Some(ProgramTexts { texts, .. }) if one.path.is_some() => {
                let text: &[u8] = texts.first().map_or(&[], |(_, text)| text);
                write(&folder.join(&single), text)?;
                (single, Some(sha256_hex(text)))
            }
            Some(program) => {
                let side = Path::new(&own);
                let files: Vec<PathBuf> = program.texts.iter().map(|(path, _)| Path::new(path).with_extension("i")).collect();
                for (file, (_, text)) in files.iter().zip(&program.texts) {
                    write(&folder.join(side).join(file), text)?;
                }
                (link::write_list(folder, side, List::Program, &files)?, Some(hash_of(program)))
            }
        };
        let (name, commit, subject, path) = (one.name, one.commit, Some(one.subject), one.path);
        let told = VersionTold { name, commit, subject: subject.filter(|text| !text.is_empty()), path, unreadable };
        versions.push(Version { told, file, hash });
    }
    let options = ProgramOptions { data_model: model, preprocessor: Vec::new(), ..options.clone() };
    Ok(Unit { path, versions, options, folder: Some(folder.to_owned()) })
}

fn hash_of(program: &ProgramTexts) -> String {
    let lines = program.texts.iter().map(|(path, text)| format!("{}  {path}\n", sha256_hex(text)));
    sha256_hex(lines.collect::<String>().as_bytes())
}
