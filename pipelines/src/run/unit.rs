//! Units: what is checked in one go, and how all units of a run are checked.
//!
//! Does not know where the programs come from, nor what a check does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::{ProgramOptions, shown};
use miette::{Context, IntoDiagnostic};
use program::preprocess::MacroDefinition;

use super::facts;
use super::outcome::{CheckedProgram, Detector, Outcome, Turn};
use super::stage::Messages;

/// How every unit of a run is checked.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) detector: Detector,
    /// Whether a TRUE may rest only on conditions that were checked.
    pub(crate) validated: bool,
    /// Who is asked, in this order, until one decides.
    pub(crate) turns: Vec<Turn>,
    /// `-q` or `-v` for the stages.
    pub(crate) verbosity: Option<&'static str>,
    /// How many steps `verify` may do.
    pub(crate) steps: Option<u64>,
    /// The file in which what proofs rest on is kept from one check to the next.
    pub(crate) proof: Option<PathBuf>,
    /// Whether `verify` is to look for such a file in the folder of the unit, and to leave it there.
    pub(crate) keeps_proofs: bool,
    /// `--stats` for the stages.
    pub(crate) statistics: Option<&'static str>,
    pub(crate) messages: Messages,
}

/// One pair of programs with an entry function.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) original: UnitOriginal,
    pub(crate) modified: UnitProgram,
    /// How both are read.
    pub(crate) options: ProgramOptions,
    /// Where the files of the programs are.
    pub(crate) location: Location,
}

/// Where the files of the programs of a unit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// Where the user has them.
    Named,
    /// In the folder of the unit, relative to it; the stages run there.
    Folder,
}

/// A program of a unit.
#[derive(Clone, Debug)]
pub(crate) struct UnitProgram {
    /// The path the user knows.
    pub(crate) shown: String,
    /// The file the stages read.
    pub(crate) file: PathBuf,
    /// What it was taken from, for a program of a revision.
    pub(crate) revision: Option<RevisionOf>,
}

/// Where a program of a revision comes from.
#[derive(Clone, Debug)]
pub(crate) struct RevisionOf {
    /// The revision as the user calls it.
    pub(crate) name: String,
    /// The file before preprocessing, in the folder of the unit.
    pub(crate) source: PathBuf,
    /// How it was preprocessed.
    pub(crate) flags: Vec<String>,
    /// Its headers and macros, where a report is wanted.
    pub(crate) surroundings: Arc<Surroundings>,
    /// Former names of files that were renamed on the way to the modified revision.
    pub(crate) renamed: Arc<BTreeMap<String, String>>,
}

/// The program before the change.
#[derive(Clone, Debug)]
pub(crate) enum UnitOriginal {
    /// A program.
    Program(UnitProgram),
    /// There is none; why. The modified program is verified as a whole.
    Absent(String),
}

/// What a report shows of a program beside its own text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// The files of the repository that it includes, by their path there.
    pub(crate) headers: BTreeMap<String, Vec<u8>>,
    /// The macros that are defined for it.
    pub(crate) macros: Vec<MacroDefinition>,
}

/// A unit with its folder for artifacts and its name in messages.
pub(crate) struct Planned {
    pub(crate) unit: Unit,
    pub(crate) folder: PathBuf,
    pub(crate) name: String,
}

/// An outcome with what belongs to it on the disk and on the screen.
pub(crate) struct Checked {
    pub(crate) outcome: Outcome,
    /// What was checked.
    pub(crate) unit: Unit,
    /// Where the artifacts are.
    pub(crate) folder: PathBuf,
    /// What the stages had to say, if it was collected.
    pub(crate) messages: String,
    /// What could not be written.
    pub(crate) unwritten: Vec<String>,
}

impl Unit {
    /// The file of one of its programs as this process reads it.
    pub(crate) fn readable(&self, program: &UnitProgram, folder: &Path) -> PathBuf {
        match self.location {
            Location::Named => program.file.clone(),
            Location::Folder => within(folder, &program.file),
        }
    }

    /// The file of one of its programs before preprocessing.
    pub(crate) fn source(&self, program: &UnitProgram, folder: &Path) -> PathBuf {
        match &program.revision {
            Some(revision) => within(folder, &revision.source),
            None => self.readable(program, folder),
        }
    }
}

/// The programs of a unit for its outcome: the original if there is one, and the modified one.
pub(crate) fn programs(unit: &Unit, folder: &Path) -> miette::Result<(Option<CheckedProgram>, CheckedProgram)> {
    let original = match &unit.original {
        UnitOriginal::Program(program) => Some(checked_program(unit, program, folder)?),
        UnitOriginal::Absent(_) => None,
    };
    Ok((original, checked_program(unit, &unit.modified, folder)?))
}

/// What the caller that is made for the entry function of the modified program takes for granted; nothing if none is made.
pub(crate) fn assumed(unit: &Unit, folder: &Path) -> Vec<String> {
    if unit.options.entry == "main" && unit.options.caller.assume.is_empty() {
        return Vec::new();
    }
    // What cannot be read has been told by a stage.
    let facts = facts::of(&unit.readable(&unit.modified, folder), &unit.options);
    facts.map(|facts| facts.assumptions.clone()).unwrap_or_default()
}

/// A program of a unit for its outcome.
pub(crate) fn checked_program(unit: &Unit, program: &UnitProgram, folder: &Path) -> miette::Result<CheckedProgram> {
    let file = unit.source(program, folder);
    let cannot = || format!("cannot read {}", shown::one_line(&program.shown));
    let hashes = facts::hashes(&file).into_diagnostic().wrap_err_with(cannot)?;
    let name = |path: &Path| path.to_string_lossy().into_owned();
    let revision = program.revision.as_ref();
    Ok(CheckedProgram {
        path: program.shown.clone(),
        sha256: hashes.sha256.clone(),
        files: hashes.files.clone(),
        revision: revision.map(|revision| revision.name.clone()),
        source: revision.map(|revision| name(&revision.source)),
        preprocessed: revision.map(|_| name(&program.file)),
        flags: revision.map(|revision| revision.flags.clone()).unwrap_or_default(),
    })
}

/// A file of a folder, wherever the folder of a unit is: of a list its `@` stays in front.
pub(crate) fn within(folder: &Path, file: &Path) -> PathBuf {
    match formats::inputs::list(file) {
        Some(list) => listed(&folder.join(list)),
        None => folder.join(file),
    }
}

/// A list as a program.
pub(crate) fn listed(list: &Path) -> PathBuf {
    PathBuf::from(format!("@{}", list.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_mark_in_front() {
        assert_eq!(within(Path::new("/tmp/u"), Path::new("@modified/program.list")), Path::new("@/tmp/u/modified/program.list"));
        assert_eq!(within(Path::new("/tmp/u"), Path::new("modified/a.i")), Path::new("/tmp/u/modified/a.i"));
    }
}
