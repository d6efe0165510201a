//! Plans: what is compared, which units come of it, and what is not checked.
//!
//! Does not know how files are read.

use std::path::{Path, PathBuf};

use formats::ProgramOptions;
use miette::miette;
use program::Choice;

use super::definitions::external_names;
use super::elsewhere::{Changes, Text};
use super::entries::{self, is_pattern};
use super::revision::ReadOptions;
use crate::run::cache::Trust;
use crate::run::outcome::{Failure, Skipped, Why};
use crate::run::unit::Planned;

/// What is compared.
pub(crate) struct Change<'a> {
    /// `BASE`, `BASE..HEAD` or `BASE...HEAD`.
    pub(crate) range: &'a str,
    /// Files and patterns; empty means every C file.
    pub(crate) pathspecs: &'a [PathBuf],
    /// Programs of several files.
    pub(crate) links: &'a Links,
    /// Files that both revisions are taken to have.
    pub(crate) with: &'a [PathBuf],
    pub(crate) read: &'a ReadOptions,
    /// How programs are read; entry function, data model and preprocessor options come from elsewhere.
    pub(crate) options: &'a ProgramOptions,
    /// Whether the property is named there.
    pub(crate) choice: Choice,
    pub(crate) entries: &'a [String],
    /// Whether functions that the change leaves alone are checked like others.
    pub(crate) every: bool,
    /// Folders for our own files, which are no part of the change.
    pub(crate) own: &'a [PathBuf],
    /// Below it each unit gets a folder.
    pub(crate) folder: &'a Path,
    /// Whether that is kept for people, who may write to what is in it.
    pub(crate) is_kept: bool,
    pub(crate) purpose: Purpose,
    /// The folder of a cache, and who may write to it.
    pub(crate) cache: Option<(&'a Path, Trust)>,
}

/// What the programs are read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// For verdicts.
    Check,
    /// Also for reports, which show headers and macros.
    Report,
}

/// What there is to do.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) units: Vec<Planned>,
    pub(crate) failures: Vec<Failure>,
    pub(crate) skipped: Vec<Skipped>,
    /// What people should know.
    pub(crate) warnings: Vec<String>,
    /// The texts that were compared.
    pub(crate) texts: Vec<Text>,
}

/// Which files form one program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    /// Patterns; those of one element belong to one program.
    pub(crate) patterns: Vec<String>,
    /// Targets of the build by their names in the compilation database; an empty name is all of it.
    pub(crate) targets: Vec<String>,
}

/// A program of several files in both revisions.
pub(super) struct LinkedProgram {
    pub(super) name: String,
    /// Its files in the original revision.
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
}

impl LinkedProgram {
    /// Makes a file of both revisions one of the program.
    pub(super) fn take_with(&mut self, path: &String) {
        for files in [&mut self.before, &mut self.after] {
            if !files.is_empty() && !files.contains(path) {
                files.push(path.clone());
            }
        }
    }
}

/// A file of the modified revision and where it comes from.
pub(super) struct Candidate {
    pub(super) modified: String,
    pub(super) original: Option<String>,
}

impl Candidate {
    /// A file that is the same in both revisions.
    pub(super) fn unchanged(path: String) -> Self {
        Self { original: Some(path.clone()), modified: path }
    }
}

impl Plan {
    /// Takes over what is to be done for a part of the change.
    pub(super) fn take(&mut self, part: Self) {
        self.units.extend(part.units);
        self.failures.extend(part.failures);
        self.skipped.extend(part.skipped);
        self.warnings.extend(part.warnings);
        self.texts.extend(part.texts);
    }

    /// Takes down that a file is compiled with other flags, which are not followed.
    pub(super) fn skip_build(&mut self, path: &str, flags: String) {
        self.skipped.push(Skipped { path: path.to_owned(), entry: None, why: Why::Build, detail: Some(flags) });
    }

    /// Refuses the names of functions that are nowhere: they are slips of the pen.
    pub(super) fn need_entries(&self, entries: &[String], mentioned: impl Fn(&str) -> bool) -> miette::Result<()> {
        for entry in entries {
            let unaffected = self.skipped.iter().filter(|skipped| skipped.why == Why::Unaffected);
            let mut known =
                self.units.iter().map(|unit| &unit.unit.options.entry).chain(unaffected.filter_map(|one| one.entry.as_ref()));
            let somewhere = known.any(|known| entries::means(entry, known));
            if is_pattern(entry) {
                // What has not changed is not looked through for functions.
                if !somewhere && self.failures.is_empty() && self.skipped.is_empty() {
                    return Err(entries::nothing(entry));
                }
                continue;
            }
            if !somewhere && self.failures.is_empty() && !mentioned(entry) {
                return Err(miette!(
                    help = "name the functions to start at with --entry",
                    "no file defines the entry function {entry}"
                ));
            }
        }
        Ok(())
    }

    /// Finds what has changed where no unit sees it.
    pub(super) fn look_elsewhere(
        &mut self,
        entries: &[String],
        deleted: &[String],
        original: impl Fn(&str) -> Option<Vec<Vec<u8>>>,
    ) {
        let texts = std::mem::take(&mut self.texts);
        let differs = |text: &Text| text.original.as_ref() != Some(&text.modified);
        let is_alone = texts.len() < 2;
        if deleted.is_empty() && (is_alone || !texts.iter().any(differs)) {
            return;
        }
        let changes = Changes::of(&texts);
        let mut skipped = Vec::new();
        for path in deleted {
            let names = original(path).map(|text| external_names(&text));
            let user = names.as_ref().and_then(|names| changes.user_of(names));
            let (why, detail) = match (&names, user) {
                (None, _) => (Why::DeletedInUse, Some("nobody knows what it defined".to_owned())),
                (Some(_), Some((user, name))) => (Why::DeletedInUse, Some(format!("{user} uses {name}"))),
                (Some(_), None) => (Why::Deleted, None),
            };
            skipped.push(Skipped { path: path.clone(), entry: None, why, detail });
        }
        skipped.append(&mut self.skipped);
        self.skipped = skipped;
        let units = self.units.iter().map(|planned| (planned.unit.modified.shown.clone(), planned.unit.options.entry.clone()));
        let unchanged = self.skipped.iter().filter(|skipped| matches!(skipped.why, Why::Unchanged | Why::Invisible));
        let text =
            |path: &str| texts.iter().find(|text| text.path == path).map(|text| text.modified.as_slice()).unwrap_or_default();
        // What cannot be read is a failure of its own.
        let named = |path: &str| entries::of_texts(entries, text(path)).unwrap_or_default();
        let unchanged = unchanged.flat_map(|skipped| named(&skipped.path).into_iter().map(|entry| (skipped.path.clone(), entry)));
        let unaffected = self.skipped.iter().filter(|skipped| skipped.why == Why::Unaffected);
        let unaffected = unaffected.filter_map(|skipped| Some((skipped.path.clone(), skipped.entry.clone()?)));
        let looked_at: Vec<(String, String)> = units.chain(unchanged).chain(unaffected).collect();
        for (path, entry) in looked_at {
            if !changes.defines(&path, &entry) {
                continue;
            }
            if let Some((name, file)) = changes.used_by(&path, &entry) {
                let detail = Some(format!("it uses {name}, which has changed in {file}"));
                self.skipped.push(Skipped { path, entry: Some(entry), why: Why::Elsewhere, detail });
            }
        }
    }
}
