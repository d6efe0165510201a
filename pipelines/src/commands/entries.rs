//! `residue entries`: which functions a check could start with, and what it would assume of their arguments.
//!
//! A function that takes more than numbers is called by a caller that is made for it; here people see what that does, and get
//! it as a C file they can edit (`--write-harness`).
//! Does not know how a caller is made (`program::caller`).

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use console::{Exit, Output, SharedOptions};
use formats::{ProgramOptions, shown};
use miette::{IntoDiagnostic, miette};
use program::caller::{Caller, Candidate, candidates};
use program::preprocess::read_source;
use serde::Serialize;

use crate::sources::entries::{is_of_system, listed, means};

const EXAMPLES: &str = "\
Examples:
  residue entries queue.c
  residue entries --entry push --assume 'n <= 8' --write-harness harness.c queue.c
  residue check --git HEAD~5 --with harness.c --entry harness_push harness.c

Exit codes: 0 they are listed, 2 unusable input or output, 101 a bug of ours; after signal n 128 + n.";

/// List the functions a check can start with, and what it would assume of their arguments.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct EntriesArguments {
    /// The program: a C file, a folder, or a list of files @NAME.list
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write the caller of the function that --entry names as a C file that includes the program
    #[arg(long, value_name = "FILE.c", requires = "entry")]
    write_harness: Option<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shared: SharedOptions,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Listing<'a> {
    format: &'static str,
    version: u32,
    entries: Vec<Listed<'a>>,
}

/// One function.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
    /// What holds of its arguments; absent for `main`.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumes: Option<&'a [String]>,
    /// Why no caller can be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// If the program cannot be read, or a function that is named is not there.
pub(crate) fn entries(arguments: &EntriesArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    let options = shared.program_options(None)?;
    console::keep_apart([arguments.file.as_path()], arguments.write_harness.as_deref())?;
    let mut found = candidates(read_source(&arguments.file, &options)?, &options)?;
    if let Some(names) = &shared.entry {
        let wanted = listed(names)?;
        found.retain(|candidate| wanted.iter().any(|entry| means(entry, &candidate.name)));
        if let Some(missing) = wanted.iter().find(|entry| !found.iter().any(|candidate| means(entry, &candidate.name))) {
            let help = format!("see residue entries {}", shown::name(&arguments.file));
            return Err(miette!(help = help, "the program does not define {}", shown::one_line(missing)));
        }
    } else {
        found.retain(|candidate| !is_of_system(&candidate.file));
    }
    if let Some(file) = &arguments.write_harness {
        let [candidate] = found.as_slice() else {
            return Err(miette!(help = "name one function with --entry", "--write-harness writes one caller"));
        };
        Output::new(Some(file)).write_text(&harness(candidate, &arguments.file, file, &options)?)?;
    }
    let lines = || shown::lines(&found.iter().map(line).collect::<String>()).into_owned();
    let text = if arguments.json { to_json(&found)? } else { lines() };
    console::answer(&text, Exit::Success)?;
    Ok(Exit::Success)
}

fn to_json(found: &[Candidate]) -> miette::Result<String> {
    let listed = |candidate: &'_ Candidate| -> (Option<Vec<String>>, Option<String>) {
        match &candidate.caller {
            Ok(caller) => (caller.as_ref().map(|caller| caller.assumptions.clone()), None),
            Err(error) => (None, Some(error.to_string())),
        }
    };
    let said: Vec<_> = found.iter().map(listed).collect();
    let entries = found.iter().zip(&said).map(|(candidate, (assumes, error))| {
        let Candidate { name, file, line, .. } = candidate;
        Listed { name, file, line: *line, assumes: assumes.as_deref(), error: error.clone() }
    });
    let listing = Listing { format: "residue-entries", version: 1, entries: entries.collect() };
    Ok(serde_json::to_string(&listing).into_diagnostic()? + "\n")
}

/// A function as one line.
fn line(candidate: &Candidate) -> String {
    let Candidate { name, file, line, caller } = candidate;
    let what = match caller {
        Ok(None) => "the system calls it".to_owned(),
        Ok(Some(caller)) => caller.assumptions.join("; "),
        Err(error) => error.to_string(),
    };
    shown::one_line(&format!("{name} at {file}:{line}: {what}")).into_owned() + "\n"
}

/// The caller of a function as a C file that includes the file which defines it.
///
/// # Errors
/// If there is no caller to be made.
fn harness(candidate: &Candidate, program: &Path, own: &Path, options: &ProgramOptions) -> miette::Result<String> {
    let Candidate { name, file, caller, .. } = candidate;
    let caller = match caller {
        Ok(Some(caller)) => caller,
        Ok(None) => return Err(miette!(help = "start there", "the system calls {name}: it needs no caller")),
        Err(error) => return Err(miette!("{error}")),
    };
    let included = if program.is_file() { program } else { Path::new(file) };
    let included = from(own, included)?;
    let entry = format!("harness_{name}");
    let mut text = format!("/* A caller of {name}, to be edited; written by residue entries.\n *\n");
    let _ = writeln!(text, " * Its parameters, and what is declared without a value, are arbitrary:");
    for assumption in &caller.assumptions {
        let _ = writeln!(text, " *   {}", assumption.replace("*/", "* /"));
    }
    let _ = writeln!(text, " *\n * residue check --entry {entry} --git BASE --with {0} {0}\n */", shown::name(own));
    for argument in options.preprocessor.iter().filter(|argument| argument.starts_with("-D")) {
        let _ = writeln!(text, "/* was read with {} */", argument.replace("*/", "* /"));
    }
    let _ = write!(text, "#include \"{included}\"\n\n{}", renamed(caller, &entry));
    Ok(text)
}

/// The text of a caller under another name, with names that people may use.
fn renamed(caller: &Caller, entry: &str) -> String {
    caller.text.replace(&caller.name, entry).replace("__made_", "made_")
}

/// A path as a file in another folder includes it.
fn from(own: &Path, path: &Path) -> miette::Result<String> {
    let absolute = |path: &Path| std::path::absolute(path).into_diagnostic();
    let (own, path) = (absolute(own)?, absolute(path)?);
    let folder: Vec<Component<'_>> = own.parent().into_iter().flat_map(Path::components).collect();
    let parts: Vec<Component<'_>> = path.components().collect();
    let common = folder.iter().zip(&parts).take_while(|(one, other)| one == other).count();
    let up = folder[common..].iter().map(|_| "..".to_owned());
    let down = parts[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    Ok(up.chain(down).collect::<Vec<_>>().join("/"))
}
