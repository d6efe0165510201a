//! A program as one revision has it: a file, or those that a pattern of `--link` names, with files laid over the revision.
//!
//! Of several files those are linked that the entry function reaches, as where two revisions are compared, and those that define
//! what a fact or a point names.
//! Does not know other revisions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use formats::{DataModel, ProgramOptions};
use miette::miette;

use super::affected::Needed;
use super::git::{GitError, Repository, Revision};
use super::link;
use super::plan::LinkedProgram;
use super::reach::{Reach, reduce};
use super::revision::{ReadOptions, Reader, Source, databases};
use super::scope::Scope;
use crate::run::schedule::Schedule;
use crate::run::words::words;

/// How programs are read, and what is asked of them.
pub(crate) struct Reading<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) read: &'a ReadOptions,
    pub(crate) options: &'a ProgramOptions,
    /// Paths of files that are laid over every revision.
    pub(crate) laid: &'a [String],
    /// Names in what is asked.
    pub(crate) named: &'a BTreeSet<String>,
    pub(crate) schedule: &'a Schedule<'a>,
}

/// Which program.
pub(crate) enum Which {
    /// The file of a path in the repository.
    File(String),
    /// The files that a `--link` names.
    Link(String),
}

/// The preprocessed texts of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProgramTexts {
    pub(crate) data_model: DataModel,
    /// Each with the path of its file.
    pub(crate) texts: Vec<(String, Vec<u8>)>,
}

impl Reading<'_> {
    /// Reads a program in a revision: nothing if the revision does not have it, or why it cannot be read.
    pub(crate) fn program(&self, revision: &Revision, which: &Which) -> Option<Result<ProgramTexts, String>> {
        let sources = match which {
            Which::File(path) => revision.has(path).then(|| self.file(revision, path).map(|source| vec![source])),
            Which::Link(link) => self.linked(revision, link).transpose(),
        };
        Some(sources?.and_then(ProgramTexts::of).map_err(|error| words(&error)))
    }

    fn file(&self, revision: &Revision, path: &str) -> miette::Result<Source> {
        self.repository.fetch(revision, &Needed::Files(databases(self.repository, self.read)))?;
        let reader = Reader::new(self.repository, revision, self.read)?;
        let scope = Scope::of_one(self.repository, revision, &reader, self.laid)?;
        scope.fetch_files(vec![path.to_owned()])?;
        reader.read(path, path)
    }

    fn linked(&self, revision: &Revision, link: &str) -> miette::Result<Option<Vec<Source>>> {
        let files = files_of(self.repository, revision, link)?;
        if files.is_empty() {
            return Ok(None);
        }
        self.repository.fetch(revision, &Needed::Files(databases(self.repository, self.read)))?;
        let reader = Reader::new(self.repository, revision, self.read)?;
        let scope = Scope::of_one(self.repository, revision, &reader, self.laid)?;
        let mut program = LinkedProgram { name: link.to_owned(), before: files.clone(), after: files };
        self.laid.iter().filter(|path| is_c(path)).for_each(|path| program.take_with(path));
        let mut programs = [program];
        scope.fetch_to_look(&programs)?;
        let reach = Reach {
            base: &reader,
            head: &reader,
            renamed: &BTreeMap::new(),
            scope: &scope,
            texts: None,
            entries: std::slice::from_ref(&self.options.entry),
            named: self.named,
            options: self.options,
        };
        let ([_, mut ready], _) = reduce(&reach, &mut programs, self.schedule);
        let [program] = programs;
        let source = |path: &String| ready.remove(path).map_or_else(|| reader.read(path, path), Ok);
        program.after.iter().map(source).collect::<miette::Result<_>>().map(Some)
    }
}

impl ProgramTexts {
    fn of(sources: Vec<Source>) -> miette::Result<Self> {
        let data_model = sources.first().map(|source| source.data_model).unwrap_or(DataModel::LP64);
        if sources.iter().any(|source| source.data_model != data_model) {
            return Err(miette!(help = "choose one with --data-model", "its files are compiled for several data models"));
        }
        Ok(Self { data_model, texts: sources.into_iter().map(|source| (source.path, source.text)).collect() })
    }
}

/// The C files of a revision that the patterns of `link` name, sorted.
///
/// # Errors
/// If git cannot say.
pub(super) fn files_of(repository: &Repository, revision: &Revision, link: &str) -> Result<Vec<String>, GitError> {
    let mut files = BTreeSet::new();
    for pattern in link::patterns(link) {
        files.extend(repository.files(revision, &link::pathspec(pattern))?);
    }
    Ok(files.into_iter().filter(|file| is_c(file)).collect())
}

/// Whether a file is C by its name.
pub(crate) fn is_c(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "c" || extension == "i")
}
