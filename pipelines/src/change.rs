//! From a change in a git repository to units: which files differ, and how both revisions of each are read.
//!
//! A file is selected if its preprocessed text differs, whatever the reason: its own text, a header, a macro, a flag.
//! Invariant: every file that a pathspec names is a unit, a failure, or skipped for a reason that is told.
//! Does not know how a unit is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::{DataModel, ProgramOptions, Property, shown};
use miette::{Diagnostic, miette};
use program::Choice;

use crate::chain::{Location, RevisionOf, Unit, UnitOriginal, UnitProgram};
use crate::check::Planned;
use crate::elsewhere::{Changes, Text, external_names};
use crate::git::{Repository, Revision};
use crate::link::{self, List};
use crate::outcome::{Failure, Skipped, Why};
use crate::revision::{ReadOptions, Reader, Source, Surroundings, comparable, write};
use crate::schedule::Schedule;
use crate::summary::words;

/// What is compared.
pub(crate) struct Change<'a> {
    /// `BASE`, `BASE..HEAD` or `BASE...HEAD`.
    pub(crate) range: &'a str,
    /// Files and patterns; empty means every C file.
    pub(crate) pathspecs: &'a [PathBuf],
    /// Programs of several files.
    pub(crate) links: &'a Links,
    pub(crate) read: &'a ReadOptions,
    /// How programs are read; entry function, data model and preprocessor options come from elsewhere.
    pub(crate) options: &'a ProgramOptions,
    /// Whether the property is named there.
    pub(crate) choice: Choice,
    pub(crate) entries: &'a [String],
    /// Folders for our own files, which are no part of the change.
    pub(crate) own: &'a [PathBuf],
    /// Below it each unit gets a folder.
    pub(crate) folder: &'a Path,
    pub(crate) purpose: Purpose,
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
struct LinkedProgram {
    name: String,
    before: Vec<String>,
    after: Vec<String>,
}

/// A file of the modified revision and where it comes from.
struct Candidate {
    modified: String,
    original: Option<String>,
}

/// Makes the plan for a change.
///
/// # Errors
/// If git cannot read the revisions, a pathspec names nothing, or no program has an entry function.
pub(crate) fn plan(change: &Change<'_>, schedule: &Schedule<'_>) -> miette::Result<Plan> {
    let repository = Repository::open()?;
    let range = repository.range(change.range)?;
    schedule.progress.phase("checking out");
    let base = repository.checkout(&range.base)?;
    let head = range.head.map_or_else(|| repository.working_tree(change.own), |head| repository.checkout(&head))?;
    let renamed = Arc::new(repository.renames(&base, &head)?);
    let (mut candidates, mut deleted) = select(&repository, (&base, &head), &renamed, change.pathspecs)?;
    let mut plan = Plan::default();
    for revision in [&base, &head] {
        let told = |name: &String| {
            format!("{} of {} is a symbolic link that leads nowhere in it: left out", shown::one_line(name), revision.name)
        };
        plan.warnings.extend(revision.left_out.iter().map(told));
    }
    let readers = (Reader::new(&repository, &base, change.read)?, Reader::new(&repository, &head, change.read)?);
    schedule.progress.phase("preprocessing");
    let (base_reader, head_reader) = (&readers.0, &readers.1);
    let programs = linked(change.links, &repository, (&base, &head), (base_reader, head_reader))?;
    let is_linked = |path: &String| programs.iter().any(|program| program.after.contains(path));
    candidates.retain(|candidate| !is_linked(&candidate.modified));
    deleted.retain(|path| !programs.iter().any(|program| program.before.contains(path)));
    let file = FilePlanner {
        change,
        base: base_reader,
        head: head_reader,
        names: (&base.name, &head.name),
        renamed: Arc::clone(&renamed),
    };
    let stopped = || schedule.budget.exhausted();
    let plan_file = |candidate: &Candidate| if stopped() { Plan::default() } else { file.plan(candidate) };
    let plans = schedule.parallel(&candidates, |candidate| candidate.modified.clone(), plan_file);
    let plan_program = |program: &LinkedProgram| if stopped() { Plan::default() } else { file.plan_program(program) };
    let linked_plans = schedule.parallel(&programs, |program| program.name.clone(), plan_program);
    if stopped() {
        return Err(miette!("the run ended while the files were read"));
    }
    for part in plans.into_iter().chain(linked_plans) {
        plan.units.extend(part.units);
        plan.failures.extend(part.failures);
        plan.skipped.extend(part.skipped);
        plan.warnings.extend(part.warnings);
        plan.texts.extend(part.texts);
    }
    let others =
        if change.pathspecs.is_empty() { Vec::new() } else { others(&repository, (&base, &head), &renamed, &candidates)? };
    let others: Vec<Candidate> = others.into_iter().filter(|other| !is_linked(&other.modified)).collect();
    let texts = schedule.parallel(&others, |other| other.modified.clone(), |other| file.text(other));
    plan.texts.extend(texts.into_iter().flatten());
    plan.look_elsewhere(change.entries, &deleted, |path| Some(vec![readers.0.read(path, path).ok()?.text]));
    if change.pathspecs.is_empty() {
        let foreign = foreign(&repository, (&base, &head))?.into_iter();
        plan.skipped.extend(foreign.map(|path| Skipped { path, entry: None, why: Why::NotC, detail: None }));
    }
    let linked = programs.iter().flat_map(|program| &program.after);
    let files: Vec<&String> = candidates.iter().map(|candidate| &candidate.modified).chain(linked).collect();
    plan.need_entries(change.entries, &files, &head)?;
    Ok(plan)
}

/// Endings of programs that may be linked to C programs and are none: assembly, C++, and what programs are generated from.
const FOREIGN: [&str; 12] = ["s", "S", "asm", "cc", "cpp", "cxx", "c++", "C", "l", "y", "ll", "yy"];

/// The files of [`FOREIGN`] that differ.
fn foreign(repository: &Repository, (base, head): (&Revision, &Revision)) -> miette::Result<BTreeSet<String>> {
    let everything = Path::new(":/");
    let mut paths = repository.files(base, everything)?;
    paths.extend(repository.files(head, everything)?);
    paths.retain(|path| {
        let is_foreign = Path::new(path).extension().is_some_and(|ending| FOREIGN.iter().any(|foreign| ending == *foreign));
        is_foreign && std::fs::read(base.tree.join(path)).ok() != std::fs::read(head.tree.join(path)).ok()
    });
    Ok(paths)
}

/// The C files that were not asked for: they may define what the others use.
fn others(
    repository: &Repository,
    (base, head): (&Revision, &Revision),
    renames: &BTreeMap<String, String>,
    candidates: &[Candidate],
) -> miette::Result<Vec<Candidate>> {
    let known: BTreeSet<&String> = candidates.iter().map(|candidate| &candidate.modified).collect();
    let (all, _) = select(repository, (base, head), renames, &[])?;
    Ok(all.into_iter().filter(|candidate| !known.contains(&candidate.modified)).collect())
}

impl Plan {
    /// Refuses the names of functions that are nowhere: they are slips of the pen.
    fn need_entries(&self, entries: &[String], files: &[&String], head: &Revision) -> miette::Result<()> {
        for entry in entries {
            let somewhere = self.units.iter().any(|unit| unit.unit.options.entry == *entry);
            if !somewhere && self.failures.is_empty() && !mentioned(entry, files, head) {
                return Err(miette!(
                    help = "name the functions to start at with --entry",
                    "no file defines the entry function {entry}"
                ));
            }
        }
        Ok(())
    }

    /// Finds what has changed where no unit sees it.
    fn look_elsewhere(&mut self, entries: &[String], deleted: &[String], original: impl Fn(&str) -> Option<Vec<Vec<u8>>>) {
        let texts = std::mem::take(&mut self.texts);
        let differs = |text: &Text| text.original.as_ref() != Some(&text.modified);
        if deleted.is_empty() && !texts.iter().any(differs) {
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
        let unchanged = unchanged.flat_map(|skipped| entries.iter().map(|entry| (skipped.path.clone(), entry.clone())));
        let looked_at: Vec<(String, String)> = units.chain(unchanged).collect();
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

/// The programs of several files that patterns and targets name.
fn linked(
    links: &Links,
    repository: &Repository,
    (base, head): (&Revision, &Revision),
    (before, after): (&Reader<'_>, &Reader<'_>),
) -> miette::Result<Vec<LinkedProgram>> {
    let mut programs = Vec::new();
    for link in &links.patterns {
        let files = |revision: &Revision| -> miette::Result<Vec<String>> {
            let mut files = BTreeSet::new();
            for pattern in link::patterns(link) {
                files.extend(repository.files(revision, &link::pathspec(pattern))?);
            }
            Ok(files.into_iter().filter(is_c).collect())
        };
        programs.push(LinkedProgram { name: link.clone(), before: files(base)?, after: files(head)? });
    }
    for target in &links.targets {
        let name = if target.is_empty() { "compile_commands.json".to_owned() } else { target.clone() };
        programs.push(LinkedProgram { name, before: before.files_of(target)?, after: after.files_of(target)? });
    }
    for program in &programs {
        if program.before.is_empty() && program.after.is_empty() {
            return Err(miette!(
                help = "quote patterns, so that the shell passes them on; they are relative to the current folder",
                "{} names no C file of {} nor of {}",
                shown::one_line(&program.name),
                base.name,
                head.name
            ));
        }
    }
    Ok(programs)
}

fn is_c(file: &String) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// The C files that the pathspecs name in the modified revision, and those only the original one has.
fn select(
    repository: &Repository,
    (base, head): (&Revision, &Revision),
    renames: &BTreeMap<String, String>,
    pathspecs: &[PathBuf],
) -> miette::Result<(Vec<Candidate>, Vec<String>)> {
    let everything = [PathBuf::from(":/")];
    let given = if pathspecs.is_empty() { &everything } else { pathspecs };
    let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
    for pathspec in given {
        let (old, new) = (repository.files(base, pathspec)?, repository.files(head, pathspec)?);
        if old.is_empty() && new.is_empty() && !pathspecs.is_empty() {
            return Err(miette!(
                help = "quote patterns, so that the shell passes them on",
                "{} is no file of {} nor of {}",
                shown::name(pathspec),
                base.name,
                head.name
            ));
        }
        // A file that is named is meant whatever its name; of a folder or a pattern the C files are.
        let named = |files: &BTreeSet<String>| files.len() == 1 && files.iter().any(|file| Path::new(file).ends_with(pathspec));
        before.extend(old.iter().filter(|file| is_c(file) || named(&old)).cloned());
        after.extend(new.iter().filter(|file| is_c(file) || named(&new)).cloned());
    }
    let origin = |path: &String| {
        let former = renames.get(path).unwrap_or(path);
        base.tree.join(former).is_file().then(|| former.clone())
    };
    let deleted = before.iter().filter(|path| !head.tree.join(path).exists() && !renames.values().any(|former| former == *path));
    let deleted = deleted.cloned().collect();
    let candidates = after.into_iter().map(|modified| Candidate { original: origin(&modified), modified }).collect();
    Ok((candidates, deleted))
}

/// Whether a file that is not checked may define the function, so that its name is no slip of the pen.
fn mentioned(entry: &str, files: &[&String], head: &Revision) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    files.iter().any(|file| {
        let bytes = std::fs::read(head.tree.join(file)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).split(|c| !is_name(c)).any(|word| word == entry)
    })
}

/// Makes the plan for one file.
struct FilePlanner<'a> {
    change: &'a Change<'a>,
    base: &'a Reader<'a>,
    head: &'a Reader<'a>,
    names: (&'a str, &'a str),
    renamed: Arc<BTreeMap<String, String>>,
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

    fn texts(&self) -> Vec<Vec<u8>> {
        self.sources.iter().map(|source| source.text.clone()).collect()
    }
}

impl FilePlanner<'_> {
    fn plan(&self, candidate: &Candidate) -> Plan {
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
        let surroundings = self.surroundings(source, modified)?;
        self.change.entries.iter().try_for_each(|entry| self.unit(entry, (original, modified), &surroundings, plan))
    }

    fn plan_program(&self, program: &LinkedProgram) -> Plan {
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
            let sources = paths.iter().map(|path| reader.read(path, &other(path))).collect::<miette::Result<Vec<Source>>>()?;
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
        if let Some(before) = before.filter(|before| is_same(before, &modified, &former)) {
            let bytes = |program: &Program| program.sources.iter().map(|source| source.bytes.clone()).collect::<Vec<_>>();
            let why = if bytes(before) == bytes(&modified) { Why::Unchanged } else { Why::Invisible };
            plan.skipped.push(Skipped { path: linked.name.clone(), entry: None, why, detail: None });
            return Ok(());
        }
        self.units((&original, &modified), plan)
    }

    /// Both texts of a file that was not asked for; nothing if it cannot be read, for then nobody says anything about it.
    fn text(&self, candidate: &Candidate) -> Option<Text> {
        let path = &candidate.modified;
        let former = candidate.original.as_ref().unwrap_or(path);
        let modified = self.head.read(path, former).ok()?.text;
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
                let found = reader.surroundings(source, more)?;
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
        crate::folder::enter(self.change.folder, &folder)?;
        let program = self.put(&folder, ("modified", self.names.1), modified, after)?;
        match defines(&link::within(&folder, &program.file), &options, self.change.choice) {
            Ok(Some(property)) => options.property = property,
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
                let program = self.put(&folder, ("original", self.names.0), source, before)?;
                match defines(&link::within(&folder, &program.file), &options, Choice::Named) {
                    Ok(Some(_)) => UnitOriginal::Program(program),
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

    /// Writes a program of the revision called `name` and its preprocessed text below `folder/side`.
    fn put(
        &self,
        folder: &Path,
        (side, name): (&str, &str),
        program: &Program,
        surroundings: &Arc<Surroundings>,
    ) -> miette::Result<UnitProgram> {
        let side = Path::new(side);
        for source in &program.sources {
            let file = side.join(&source.path);
            write(&folder.join(&file), &source.bytes)?;
            write(&folder.join(file.with_extension("i")), &source.text)?;
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

/// Whether both programs consist of the same files with texts that mean the same.
fn is_same(original: &Program, modified: &Program, former: &dyn Fn(&String) -> String) -> bool {
    let partner = |source: &Source| original.sources.iter().find(|other| other.path == former(&source.path));
    let same = |source: &Source| partner(source).is_some_and(|other| comparable(other) == comparable(source));
    original.sources.len() == modified.sources.len() && modified.sources.iter().all(same)
}

/// The property a program is about, if it defines its entry function.
fn defines(file: &Path, options: &ProgramOptions, choice: Choice) -> Result<Option<Property>, program::diagnostic::Diagnostic> {
    match program::load_about(file, options, choice) {
        Ok(cfa) => Ok(Some(cfa.options.property)),
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
