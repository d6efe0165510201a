//! Units of one changed file, or of one program of several files, of which both revisions are read.
//!
//! Invariant: what cannot be compared is a unit without an original, a failure, or skipped for a reason that is told.
//! Does not know which files are looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::{DataModel, Library, ProgramOptions, shown};
use miette::{Diagnostic, miette};
use program::Choice;
use program::library::Bodies;

use super::definitions::{is_known, mentions};
use super::elsewhere::{Changes, Text};
use super::entries;
use super::link::{self, List};
use super::plan::{Candidate, Change, LinkedProgram, Plan, Purpose};
use super::revision::{Reader, Ready, Source, comparable, place};
use super::scope::Scope;
use super::texts::Texts;
use crate::run::facts::Facts;
use crate::run::outcome::{Failure, Skipped, Why};
use crate::run::unit::{Location, Planned, RevisionOf, Surroundings, Unit, UnitOriginal, UnitProgram, within};
use crate::run::words::words;
use crate::run::{facts, folder};

/// Makes the plan for one file.
pub(super) struct FilePlanner<'a> {
    pub(super) change: &'a Change<'a>,
    pub(super) base: &'a Reader<'a>,
    pub(super) head: &'a Reader<'a>,
    /// How the user calls the revisions.
    pub(super) names: (&'a str, &'a str),
    pub(super) renamed: Arc<BTreeMap<String, String>>,
    pub(super) scope: &'a Scope<'a>,
    /// Files of both revisions that have been read.
    pub(super) ready: Ready,
    /// Texts of earlier runs.
    pub(super) texts: Option<Texts>,
}

/// The original of a program, read.
enum Original {
    Source(Program),
    Absent(String),
}

/// A program of one revision.
struct Program {
    sources: Vec<Source>,
    /// The name of a program of several files, even if it has one only.
    linked: Option<String>,
}

impl Program {
    fn file(source: Source) -> Self {
        Self { sources: vec![source], linked: None }
    }

    /// What people know it as.
    fn name(&self) -> &str {
        match (&self.linked, self.sources.first()) {
            (Some(name), _) => name,
            (None, Some(source)) => &source.path,
            (None, None) => "",
        }
    }

    fn data_model(&self) -> Option<DataModel> {
        self.sources.first().map(|source| source.data_model)
    }

    /// The files of the modified program that are compiled with other flags than in this one, and the flags.
    fn built_otherwise(&self, modified: &Self) -> Vec<(String, String)> {
        let other = |source: &Source| self.sources.iter().find(|other| other.path == source.path);
        let built =
            modified.sources.iter().filter_map(|source| Some((source.path.clone(), source.built_otherwise(other(source)?)?)));
        built.collect()
    }

    fn texts(&self) -> Vec<Vec<u8>> {
        self.sources.iter().map(|source| source.text.clone()).collect()
    }
}

impl FilePlanner<'_> {
    pub(super) fn plan(&self, candidate: &Candidate) -> Plan {
        let mut plan = Plan::default();
        if let Err(error) = self.fill(candidate, &mut plan) {
            plan.failures.push(Failure { path: candidate.modified.clone(), entry: None, message: words(&error) });
        }
        plan
    }

    fn fill(&self, candidate: &Candidate, plan: &mut Plan) -> miette::Result<()> {
        let path = &candidate.modified;
        let former = candidate.original.as_ref().unwrap_or(path);
        let modified = self.head.read(path, former)?;
        plan.warnings
            .extend(modified.warnings.iter().map(|warning| format!("{}: {}", shown::one_line(path), shown::one_line(warning))));
        let original = match &candidate.original {
            None => Original::Absent(format!("{} does not have the file", self.names.0)),
            Some(former) => match self.base.read(former, path) {
                Ok(source) if source.data_model == modified.data_model => {
                    let is_same = comparable(&source) == comparable(&modified);
                    let (original, text) = (Some(vec![source.text.clone()]), modified.text.clone());
                    plan.texts.push(Text { path: path.clone(), original, modified: vec![text] });
                    if let Some(flags) = modified.built_otherwise(&source) {
                        plan.skip_build(path, flags);
                        if is_same {
                            return Ok(());
                        }
                    }
                    if is_same {
                        let why = if source.bytes == modified.bytes { Why::Unchanged } else { Why::Invisible };
                        plan.skipped.push(Skipped { path: path.clone(), entry: None, why, detail: None });
                        return Ok(());
                    }
                    Original::Source(Program::file(source))
                }
                Ok(_) => Original::Absent("the data model has changed".to_owned()),
                Err(error) => {
                    plan.warnings.push(format!("{}: {error}", shown::one_line(former)));
                    Original::Absent("the original cannot be preprocessed".to_owned())
                }
            },
        };
        if let Original::Absent(_) = &original {
            plan.texts.push(Text { path: path.clone(), original: None, modified: vec![modified.text.clone()] });
        }
        self.units((&original, &Program::file(modified)), plan)
    }

    fn units(&self, (original, modified): (&Original, &Program), plan: &mut Plan) -> miette::Result<()> {
        let source = match original {
            Original::Source(source) => Some(source),
            Original::Absent(_) => None,
        };
        let entries = entries::of_texts(self.change.entries, &modified.texts())?;
        for pattern in self.change.entries.iter().filter(|entry| !entries.iter().any(|name| entries::means(entry, name))) {
            let (path, entry, why) = (modified.name().to_owned(), Some(pattern.clone()), Why::NoEntry);
            plan.skipped.push(Skipped { path, entry, why, detail: None });
        }
        let alone = source.map(|source| self.left_alone(source, modified, &entries)).unwrap_or_default();
        let (alone, entries): (Vec<String>, Vec<String>) = entries.into_iter().partition(|entry| alone.contains(entry));
        let unaffected =
            |entry| Skipped { path: modified.name().to_owned(), entry: Some(entry), why: Why::Unaffected, detail: None };
        plan.skipped.extend(alone.into_iter().map(unaffected));
        if entries.is_empty() {
            return Ok(());
        }
        let surroundings = self.surroundings(source, modified)?;
        entries.iter().try_for_each(|entry| self.unit(entry, (original, modified), &surroundings, plan))
    }

    /// The entry functions to which a change is nothing, nor to what is assumed of their arguments: where programs consist of the
    /// same files. With a library of the user's anything may be called.
    fn left_alone(&self, original: &Program, modified: &Program, entries: &[String]) -> BTreeSet<String> {
        let former = |path: &String| self.renamed.get(path).unwrap_or(path).clone();
        let is_same_file = |(other, source): (&Source, &Source)| other.path == former(&source.path);
        let has_same_files =
            original.sources.len() == modified.sources.len() && original.sources.iter().zip(&modified.sources).all(is_same_file);
        let options = self.change.options;
        if !has_same_files || self.change.every || matches!(options.library, Library::Folder(_)) {
            return BTreeSet::new();
        }
        let text = Text { path: String::new(), original: Some(original.texts()), modified: modified.texts() };
        let assumed = options.caller.assume.iter().flat_map(|text| mentions(text.as_bytes())).collect();
        let called = Bodies::own(options.data_model).calls();
        let alone = Changes::of(&[text]).left_alone(("", entries), &assumed, |name| called.contains(name) || is_known(name));
        alone.into_iter().map(str::to_owned).collect()
    }

    pub(super) fn plan_program(&self, program: &LinkedProgram) -> Plan {
        let mut plan = Plan::default();
        if let Err(error) = self.fill_program(program, &mut plan) {
            plan.failures.push(Failure { path: program.name.clone(), entry: None, message: words(&error) });
        }
        plan
    }

    /// A program of several files: it has changed if one of them has.
    fn fill_program(&self, linked: &LinkedProgram, plan: &mut Plan) -> miette::Result<()> {
        if linked.after.is_empty() {
            let (path, why) = (linked.name.clone(), Why::Deleted);
            plan.skipped.push(Skipped { path, entry: None, why, detail: None });
            return Ok(());
        }
        let former = |path: &String| self.renamed.get(path).unwrap_or(path).clone();
        let newer = |path: &String| self.renamed.iter().find(|(_, old)| *old == path).map_or(path, |(new, _)| new).clone();
        let read = |reader: &Reader<'_>, paths: &[String], other: &dyn Fn(&String) -> String| {
            let is_head = std::ptr::eq(reader, self.head);
            // What no difference can be seen in is read once for both revisions.
            let one = |path: &String| {
                let is_heads = is_head || self.scope.is_of_both(path);
                let (ready, reader) = if is_heads { (&self.ready[1], self.head) } else { (&self.ready[0], reader) };
                match ready.get(path) {
                    Some(source) => Ok(source.clone()),
                    None => reader.read(path, &other(path)),
                }
            };
            let sources = paths.iter().map(one).collect::<miette::Result<Vec<Source>>>()?;
            if sources.windows(2).any(|pair| pair[0].data_model != pair[1].data_model) {
                return Err(miette!(help = "choose one with --data-model", "its files are compiled for several data models"));
            }
            Ok(Program { sources, linked: Some(linked.name.clone()) })
        };
        let modified = read(self.head, &linked.after, &former)?;
        for source in &modified.sources {
            let told = |warning: &String| format!("{}: {}", shown::one_line(&source.path), shown::one_line(warning));
            plan.warnings.extend(source.warnings.iter().map(told));
        }
        let original = if linked.before.is_empty() {
            Original::Absent(format!("{} does not have the program", self.names.0))
        } else {
            match read(self.base, &linked.before, &newer) {
                Ok(program) if program.data_model() == modified.data_model() => Original::Source(program),
                Ok(_) => Original::Absent("the data model has changed".to_owned()),
                Err(error) => {
                    plan.warnings.push(format!("{}: {error}", shown::one_line(&linked.name)));
                    Original::Absent("the original cannot be preprocessed".to_owned())
                }
            }
        };
        let before = match &original {
            Original::Source(program) => Some(program),
            Original::Absent(_) => None,
        };
        let original_texts = before.map(Program::texts);
        plan.texts.push(Text { path: linked.name.clone(), original: original_texts, modified: modified.texts() });
        let built = before.map(|before| before.built_otherwise(&modified)).unwrap_or_default();
        for (path, flags) in &built {
            plan.skip_build(path, flags.clone());
        }
        if let Some(before) = before.filter(|before| is_same(before, &modified, &former)) {
            if !built.is_empty() {
                return Ok(());
            }
            let bytes = |program: &Program| program.sources.iter().map(|source| source.bytes.clone()).collect::<Vec<_>>();
            let why = if bytes(before) == bytes(&modified) { Why::Unchanged } else { Why::Invisible };
            plan.skipped.push(Skipped { path: linked.name.clone(), entry: None, why, detail: None });
            return Ok(());
        }
        self.units((&original, &modified), plan)
    }

    /// Both texts of a file that was not asked for; nothing if it cannot be read, for then nobody says anything about it.
    pub(super) fn text(&self, candidate: &Candidate) -> Option<Text> {
        let path = &candidate.modified;
        let former = candidate.original.as_ref().unwrap_or(path);
        let modified = self.head.read(path, former).ok()?.text;
        if !self.scope.concerns(candidate) {
            return Some(Text { path: path.clone(), original: Some(vec![modified.clone()]), modified: vec![modified] });
        }
        let original = candidate.original.as_ref().and_then(|former| Some(vec![self.base.read(former, path).ok()?.text]));
        Some(Text { path: path.clone(), original, modified: vec![modified] })
    }

    /// The surroundings of both programs. A header that only one of them includes may be in both revisions all the same.
    fn surroundings(&self, original: Option<&Program>, modified: &Program) -> miette::Result<[Arc<Surroundings>; 2]> {
        if self.change.purpose == Purpose::Check {
            return Ok(Default::default());
        }
        let of = |reader: &Reader<'_>, program: &Program, more: &[String]| -> miette::Result<Surroundings> {
            let mut all = Surroundings::default();
            for source in &program.sources {
                // What no difference can be seen in was read in one revision for both.
                let found = if reader.has_read(source) {
                    reader.surroundings(source, more)?
                } else {
                    self.head.surroundings(source, &[])?
                };
                all.headers.extend(found.headers);
                // The files of a program of several are shown as its headers are.
                all.headers.extend(program.linked.is_some().then(|| (source.path.clone(), source.bytes.clone())));
                let new: Vec<_> = found.macros.into_iter().filter(|definition| !all.macros.contains(definition)).collect();
                all.macros.extend(new);
            }
            Ok(all)
        };
        let after = of(self.head, modified, &[])?;
        let former: Vec<String> = after.headers.keys().map(|name| self.renamed.get(name).unwrap_or(name).clone()).collect();
        let before = original.map(|original| of(self.base, original, &former)).transpose()?;
        Ok([Arc::new(before.unwrap_or_default()), Arc::new(after)])
    }

    /// One entry function of a file: writes the programs into the folder of the unit.
    fn unit(
        &self,
        entry: &str,
        (original, modified): (&Original, &Program),
        [before, after]: &[Arc<Surroundings>; 2],
        plan: &mut Plan,
    ) -> miette::Result<()> {
        let own = modified.linked.as_ref().map_or_else(|| modified.name().to_owned(), |name| link::folder_name(name));
        let folder = self.change.folder.join(own).join(entry);
        let mut options = ProgramOptions {
            data_model: modified.data_model().unwrap_or(self.change.options.data_model),
            entry: entry.to_owned(),
            preprocessor: Vec::new(),
            ..self.change.options.clone()
        };
        folder::enter(self.change.folder, &folder)?;
        let program = self.put(&folder, ("modified", self.names.1), (modified, None), after)?;
        let mut choice = Choice::Named;
        match defines(&within(&folder, &program.file), &options, self.change.choice) {
            Ok(Some(facts)) => {
                options.property = facts.property;
                if !facts.can_violate {
                    // Where all assertions were taken out, those of the original say what it is about.
                    choice = self.change.choice;
                }
            }
            Ok(None) => {
                let (path, entry, why) = (modified.name().to_owned(), Some(entry.to_owned()), Why::NoEntry);
                plan.skipped.push(Skipped { path, entry, why, detail: None });
                return remove(&folder, &modified.files("modified"));
            }
            Err(error) => {
                let message = words(&error.into());
                plan.failures.push(Failure { path: modified.name().to_owned(), entry: Some(entry.to_owned()), message });
                return Ok(());
            }
        }
        let original = match original {
            Original::Absent(why) => UnitOriginal::Absent(why.clone()),
            Original::Source(source) => {
                let program = self.put(&folder, ("original", self.names.0), (source, Some(modified)), before)?;
                match defines(&within(&folder, &program.file), &options, choice) {
                    Ok(Some(facts)) => {
                        options.property = facts.property;
                        UnitOriginal::Program(program)
                    }
                    Ok(None) => UnitOriginal::Absent(format!("the original does not define {entry}")),
                    Err(error) => {
                        plan.warnings.push(format!("{}: {error}", source.name()));
                        UnitOriginal::Absent("the original cannot be read".to_owned())
                    }
                }
            }
        };
        let name = format!("{} {entry}", modified.name());
        plan.units.push(Planned {
            unit: Unit { original, modified: program, options, location: Location::Folder },
            folder,
            name,
        });
        Ok(())
    }

    /// Writes a program of the revision called `name` and its preprocessed text below `folder/side`, where files of
    /// `twins`, the modified program that is already there, may have the same texts.
    fn put(
        &self,
        folder: &Path,
        (side, name): (&str, &str),
        (program, twins): (&Program, Option<&Program>),
        surroundings: &Arc<Surroundings>,
    ) -> miette::Result<UnitProgram> {
        // Nobody writes to what is not kept for people; of what is, one file in place of two would change with the other.
        let is_ours = !self.change.is_kept;
        let twins: BTreeMap<&str, &Source> = match self.change.purpose {
            Purpose::Check if is_ours => twins.iter().flat_map(|twins| &twins.sources).map(|twin| (&*twin.path, twin)).collect(),
            Purpose::Check | Purpose::Report => BTreeMap::new(),
        };
        let side = Path::new(side);
        for source in &program.sources {
            let file = side.join(&source.path);
            place(&folder.join(&file), &source.bytes, source.copy().filter(|_| is_ours).as_deref())?;
            let text = file.with_extension("i");
            let twin = twins.get(source.path.as_str()).filter(|twin| twin.text == source.text);
            let twin = twin.map(|twin| folder.join("modified").join(&twin.path).with_extension("i"));
            place(&folder.join(text), &source.text, twin.as_deref())?;
        }
        let sources: Vec<PathBuf> = program.sources.iter().map(|source| PathBuf::from(&source.path)).collect();
        let texts: Vec<PathBuf> = sources.iter().map(|source| source.with_extension("i")).collect();
        let (file, preprocessed) = match (&program.linked, &sources[..], &texts[..]) {
            (None, [source], [text]) => (side.join(source), side.join(text)),
            _ => {
                let list = |kind: List, files: &[PathBuf]| link::write_list(folder, side, kind, files);
                (list(List::Sources, &sources)?, list(List::Program, &texts)?)
            }
        };
        let mut flags: Vec<String> = Vec::new();
        for flag in program.sources.iter().flat_map(|source| &source.flags) {
            flags.extend((!flags.contains(flag)).then(|| flag.clone()));
        }
        let revision = RevisionOf {
            name: name.to_owned(),
            source: file,
            flags,
            surroundings: Arc::clone(surroundings),
            renamed: Arc::clone(&self.renamed),
        };
        Ok(UnitProgram { shown: program.name().to_owned(), file: preprocessed, revision: Some(revision) })
    }
}

impl Program {
    /// The files that [`FilePlanner::put`] writes.
    fn files(&self, side: &str) -> Vec<PathBuf> {
        let side = Path::new(side);
        let lists = self.linked.is_some().then(|| link::LISTS.map(|list| side.join(list)));
        let sources = self.sources.iter().map(|source| side.join(&source.path));
        sources.flat_map(|file| [file.with_extension("i"), file]).chain(lists.into_iter().flatten()).collect()
    }
}

/// Whether both programs consist of the same files with texts that mean the same, in the same order: of two weak definitions the
/// linker takes the first, and constructors run in the order of their files.
fn is_same(original: &Program, modified: &Program, former: &dyn Fn(&String) -> String) -> bool {
    let same =
        |(other, source): (&Source, &Source)| other.path == former(&source.path) && comparable(other) == comparable(source);
    original.sources.len() == modified.sources.len() && original.sources.iter().zip(&modified.sources).all(same)
}

/// What is known of a program for the property it is about, if it defines its entry function.
fn defines(file: &Path, options: &ProgramOptions, choice: Choice) -> Result<Option<Arc<Facts>>, program::diagnostic::Diagnostic> {
    match facts::about(file, options, choice) {
        Ok(facts) => Ok(Some(facts)),
        Err(error) if error.code().is_some_and(|code| code.to_string() == "program::entry") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes files of a unit that is none, and the folders that are empty then.
fn remove(folder: &Path, files: &[PathBuf]) -> miette::Result<()> {
    for file in files.iter().map(|file| folder.join(file)) {
        // Both names may be the same.
        if file.exists() {
            std::fs::remove_file(&file).map_err(|error| miette!("cannot remove {}: {error}", shown::name(&file)))?;
        }
        let _ = file.ancestors().skip(1).take_while(|parent| parent.starts_with(folder)).try_for_each(std::fs::remove_dir);
    }
    Ok(())
}
