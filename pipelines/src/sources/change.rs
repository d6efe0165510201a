//! From a change in a git repository to units: which files differ, and how both revisions of each are read.
//!
//! A file is selected if its preprocessed text differs, whatever the reason: its own text, a header, a macro, a flag.
//! Invariant: every file that a pathspec names is a unit, a failure, or skipped for a reason that is told.
//! Does not know how a unit is checked.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::shown;
use miette::miette;

use super::affected::Needed;
use super::definitions::{external_names, is_known};
use super::elsewhere::Changes;
use super::git::{Repository, Revision};
use super::link::patterns;
use super::linked::linked as linked_to;
use super::plan::{Candidate, Change, LinkedProgram, Links, Plan};
use super::program::FilePlanner;
use super::program_at::{files_of, is_c};
use super::raw::is_of_the_library;
use super::reach::{Reach, reduce};
use super::revision::{Reader, databases};
use super::scope::Scope;
use super::texts::Texts;
use crate::run::outcome::{Skipped, Why};
use crate::run::schedule::Schedule;

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
    let laid = change.with.iter().map(|file| repository.inside(file)).collect::<Result<Vec<String>, _>>()?;
    for (path, revision) in laid.iter().flat_map(|path| [(path, &base), (path, &head)]) {
        repository.lay_over(revision, path)?;
    }
    let mut renamed = repository.renames(&base, &head)?;
    renamed.retain(|path, _| !laid.contains(path));
    let renamed = Arc::new(renamed);
    let databases = Needed::Files(databases(&repository, change.read));
    repository.fetch(&base, &databases)?;
    repository.fetch(&head, &databases)?;
    let reader =
        |revision| Ok::<_, miette::Report>(Reader::new(&repository, revision, change.read)?.of_targets(&change.links.targets));
    let readers = (reader(&base)?, reader(&head)?);
    let scope = Scope::of(&repository, (&base, &head), (&readers.0, &readers.1), &laid)?;
    let file = FilePlanner {
        change,
        base: &readers.0,
        head: &readers.1,
        names: (&base.name, &head.name),
        renamed: Arc::clone(&renamed),
        scope: &scope,
        ready: Default::default(),
        texts: change.cache.and_then(|(folder, trust)| Texts::open(folder, trust)),
    };
    let mut plan = Plan::default();
    for revision in [&base, &head] {
        let told = |name: &String| {
            format!("{} of {} is a symbolic link that leads nowhere in it: left out", shown::one_line(name), revision.name)
        };
        plan.warnings.extend(revision.left_out.iter().map(told));
    }
    fill(plan, file, &laid, schedule)
}

/// Fills the plan, file by file and program by program.
fn fill(mut plan: Plan, mut file: FilePlanner<'_>, laid: &[String], schedule: &Schedule<'_>) -> miette::Result<Plan> {
    let (change, scope) = (file.change, file.scope);
    let (repository, base, head) = (scope.repository, scope.base, scope.head);
    // Whoever writes a harness means it, unless something else is named.
    let meant: Vec<PathBuf> = laid.iter().filter(|path| is_c(path)).map(|path| repository.top.join(path)).collect();
    let pathspecs = if change.pathspecs.is_empty() { meant.as_slice() } else { change.pathspecs };
    let (mut candidates, mut deleted) = select(repository, (base, head), &file.renamed, pathspecs)?;
    let mut programs = linked(change.links, repository, (base, head), (file.base, file.head))?;
    for path in laid.iter().filter(|path| is_c(path)) {
        programs.iter_mut().for_each(|program| program.take_with(path));
    }
    let is_linked = |path: &String| programs.iter().any(|program| program.after.contains(path));
    candidates.retain(|candidate| !is_linked(&candidate.modified));
    deleted.retain(|path| !programs.iter().any(|program| program.before.contains(path)));
    let (seen, unseen): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(|candidate| scope.concerns(candidate));
    let (others, mut rest): (Vec<Candidate>, Vec<Candidate>) = {
        let (all, _) = select(repository, (base, head), &file.renamed, &[])?;
        let known: BTreeSet<&String> = seen.iter().map(|candidate| &candidate.modified).collect();
        let all = all.into_iter().filter(|other| !known.contains(&other.modified) && !is_linked(&other.modified));
        all.partition(|candidate| scope.concerns(candidate))
    };
    let (mut changed, same): (Vec<LinkedProgram>, Vec<LinkedProgram>) =
        programs.into_iter().partition(|program| scope.concerns_program(program, &file.renamed));
    scope.fetch_to_look(&changed)?;
    schedule.progress.phase("preprocessing");
    let (ready, left_out) = reduce(&reach(&file, &BTreeSet::new()), &mut changed, schedule);
    file.ready = ready;
    if !(seen.is_empty() && unseen.is_empty() && changed.len() + same.len() == 1) {
        // Whoever else is looked at may use them.
        rest.extend(left_out.into_iter().map(Candidate::unchanged));
    }
    let (changed, same): (Vec<&LinkedProgram>, Vec<&LinkedProgram>) = (changed.iter().collect(), same.iter().collect());
    scope.fetch(seen.iter().chain(&others), &changed, &deleted)?;
    read_at_once(&mut file, &changed, schedule);
    let file = &file;
    let stopped = || schedule.budget.exhausted();
    let plan_file = |candidate: &Candidate| if stopped() { Plan::default() } else { file.plan(candidate) };
    let plans = schedule.parallel(&seen, |candidate| candidate.modified.clone(), plan_file);
    let plan_program = |program: &&LinkedProgram| if stopped() { Plan::default() } else { file.plan_program(program) };
    let linked_plans = schedule.parallel(&changed, |program| program.name.clone(), plan_program);
    let others = if pathspecs.is_empty() { Vec::new() } else { others };
    let texts = schedule.parallel(&others, |other| other.modified.clone(), |other| file.text(other));
    if stopped() {
        return Err(miette!("the run ended while the files were read"));
    }
    plans.into_iter().chain(linked_plans).for_each(|part| plan.take(part));
    plan.texts.extend(texts.into_iter().flatten());
    let unchanged = unseen.iter().map(|candidate| candidate.modified.clone()).chain(same.iter().map(|same| same.name.clone()));
    plan.skipped.extend(unchanged.map(|path| Skipped { path, entry: None, why: Why::Unchanged, detail: None }));
    let original = |path: &str| Some(vec![file.base.read(path, path).ok()?.text]);
    read_users(&mut plan, file, (rest, &same), &deleted, schedule)?;
    plan.look_elsewhere(change.entries, &deleted, original);
    let named: Vec<&Candidate> = seen.iter().chain(&unseen).collect();
    plan.skip_foreign(file, pathspecs, &named)?;
    plan.skip_built_otherwise(file)?;
    let linked = changed.iter().chain(&same).flat_map(|program| &program.after);
    let files: BTreeSet<&String> = seen.iter().chain(&unseen).map(|candidate| &candidate.modified).chain(linked).collect();
    plan.need_entries(change.entries, |entry| {
        let found = repository.mentions(head, &BTreeSet::from([entry.to_owned()]));
        found.is_ok_and(|found| found.iter().any(|path| files.contains(path)))
    })?;
    Ok(plan)
}

/// What programs of both revisions reach, and what is `named` without being reached.
fn reach<'a>(file: &'a FilePlanner<'_>, named: &'a BTreeSet<String>) -> Reach<'a> {
    Reach {
        base: file.base,
        head: file.head,
        renamed: &file.renamed,
        scope: file.scope,
        texts: file.texts.as_ref(),
        entries: file.change.entries,
        named,
        options: file.change.options,
    }
}

/// Reads the files of programs that are not read yet; what cannot be read is read again where it is told.
fn read_at_once(file: &mut FilePlanner<'_>, programs: &[&LinkedProgram], schedule: &Schedule<'_>) {
    let paths: BTreeSet<&String> = programs.iter().flat_map(|program| &program.after).collect();
    let paths: Vec<&String> = paths.into_iter().filter(|path| !file.ready[1].contains_key(*path)).collect();
    let read = |path: &&String| {
        let former = file.renamed.get(*path).unwrap_or(path);
        if schedule.budget.exhausted() {
            return None;
        }
        let source = match &file.texts {
            Some(texts) => texts.read((file.head, 1), file.scope, (path, former)).ok()?.0,
            None => file.head.read(path, former).ok()?,
        };
        Some(((*path).clone(), source))
    };
    let read: Vec<_> = schedule.parallel(&paths, |path| (*path).clone(), read);
    file.ready[1].extend(read.into_iter().flatten());
}

/// Reads the files that a change does not concern and that use what has changed, directly or through others.
fn read_users(
    plan: &mut Plan,
    file: &FilePlanner<'_>,
    (mut rest, programs): (Vec<Candidate>, &[&LinkedProgram]),
    deleted: &[String],
    schedule: &Schedule<'_>,
) -> miette::Result<()> {
    let scope = file.scope;
    let gone = deleted.iter().filter_map(|path| Some(external_names(&[file.base.read(path, path).ok()?.text])));
    let gone: BTreeSet<String> = gone.flatten().collect();
    let mut programs = programs.to_vec();
    let flags = file.head.flags();
    let mut spliced = None;
    loop {
        if rest.is_empty() && programs.is_empty() {
            return Ok(());
        }
        let mut names = Changes::of(&plan.texts).names();
        names.extend(gone.iter().cloned());
        if names.is_empty() {
            return Ok(());
        }
        add_names_of_flags(&flags, &mut names);
        if spliced.is_none() {
            spliced = Some(scope.repository.spliced(scope.head)?);
        }
        let mut users = scope.repository.mentions(scope.head, &names)?;
        users.extend(spliced.iter().flatten().cloned());
        let users = scope.including(users);
        let uses = |candidate: &Candidate| users.contains(&candidate.modified);
        let (found, others): (Vec<Candidate>, Vec<Candidate>) = rest.into_iter().partition(uses);
        let has_user = |program: &&LinkedProgram| program.after.iter().any(|path| users.contains(path));
        let (linked, unused): (Vec<&LinkedProgram>, Vec<&LinkedProgram>) = programs.into_iter().partition(has_user);
        (rest, programs) = (others, unused);
        if found.is_empty() && linked.is_empty() {
            return Ok(());
        }
        scope.fetch(found.iter(), &linked, &[])?;
        let texts = schedule.parallel(&found, |other| other.modified.clone(), |other| file.text(other));
        plan.texts.extend(texts.into_iter().flatten());
        let read = schedule.parallel(&linked, |program| program.name.clone(), |program| file.plan_program(program));
        plan.texts.extend(read.into_iter().flat_map(|part| part.texts));
        if schedule.budget.exhausted() {
            return Err(miette!("the run ended while the files were read"));
        }
    }
}

/// Adds the names that flags define as something in which one of the names is a word.
fn add_names_of_flags(flags: &str, names: &mut BTreeSet<String>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii();
    loop {
        // Whatever stands behind the flag may be part of its value.
        let found = flags.split("-D").skip(1).filter_map(|flag| {
            let flag = flag.trim_start_matches(|c: char| !is_part(c));
            let (name, value) = flag.split_at(flag.find(|c| !is_part(c))?);
            value.split(|c| !is_part(c)).any(|word| names.contains(word)).then(|| name.to_owned())
        });
        let new: Vec<String> = found.filter(|name| !names.contains(name)).collect();
        if new.is_empty() {
            return;
        }
        names.extend(new);
    }
}

impl Plan {
    /// Says what differs and is no C, but may be part of programs; where files are named, only what nobody can see in them.
    fn skip_foreign(&mut self, file: &FilePlanner<'_>, pathspecs: &[PathBuf], named: &[&Candidate]) -> miette::Result<()> {
        let scope = file.scope;
        let modules = scope.moved_modules();
        let foreign = scope.differing.iter().filter(|path| is_foreign(path));
        let skipped = |path: &String, why: Why, detail: Option<String>| Skipped { path: path.clone(), entry: None, why, detail };
        if pathspecs.is_empty() {
            let foreign = foreign.chain(modules).map(|path| skipped(path, Why::NotC, None));
            let links = scope.moved_links().map(|path| skipped(path, Why::Link, None));
            let taken = scope.taken_in()?.into_keys().map(|path| skipped(path, Why::NotC, Some(TAKEN_IN.to_owned())));
            self.skipped.extend(foreign.chain(links).chain(taken));
            return Ok(());
        }
        let paths: BTreeSet<String> = named.iter().map(|candidate| candidate.modified.clone()).collect();
        for (path, takers) in scope.taken_in()? {
            if !takers.is_disjoint(&paths) || uses_names_of(file, takers, &paths)? {
                self.skipped.push(skipped(path, Why::NotC, Some(TAKEN_IN.to_owned())));
            }
        }
        if !modules.is_empty() {
            let strange = scope.strangers(named.iter().map(|candidate| candidate.modified.clone()));
            let strange = strange.into_iter().find(|name| !is_of_the_library(name));
            let told = |path: &&String| {
                format!("{} is a submodule: that another commit of it is used is not checked", shown::one_line(path))
            };
            match strange {
                None => self.warnings.extend(modules.iter().map(told)),
                Some(name) => {
                    let detail = |path: &&String| skipped(path, Why::NotC, Some(format!("{name} may be a file of it")));
                    self.skipped.extend(modules.iter().map(detail));
                }
            }
        }
        let foreign: BTreeSet<&String> = foreign.collect();
        if !foreign.is_empty() {
            let users = users_of_names(file, named)?;
            let detail = || Some("it has a name that is used here and defined in no file that is named".to_owned());
            let of_them = foreign.into_iter().filter(|path| users.contains(*path));
            self.skipped.extend(of_them.map(|path| skipped(path, Why::NotC, detail())));
        }
        Ok(())
    }
}

/// Whether a file that is named may use something that others define.
fn uses_names_of(file: &FilePlanner<'_>, others: BTreeSet<String>, named: &BTreeSet<String>) -> miette::Result<bool> {
    let scope = file.scope;
    let others: Vec<String> = others.into_iter().filter(|path| is_c(path) && scope.head.has(path)).collect();
    scope.fetch_files(others.clone())?;
    let mut names = BTreeSet::new();
    for path in &others {
        // What cannot be read may define anything.
        let Ok(source) = file.head.read(path, path) else { return Ok(true) };
        names.extend(external_names(&[source.text]));
    }
    file.change.entries.iter().for_each(|entry| _ = names.remove(entry));
    Ok(!names.is_empty() && !scope.including(scope.repository.mentions(scope.head, &names)?).is_disjoint(named))
}

/// The files of both revisions that have a name which files use and do not define.
fn users_of_names(file: &FilePlanner<'_>, named: &[&Candidate]) -> miette::Result<BTreeSet<String>> {
    let (scope, mut names, mut defined) = (file.scope, BTreeSet::new(), BTreeSet::new());
    scope.fetch(named.iter().copied(), &[], &[])?;
    for candidate in named {
        let former = candidate.original.as_ref().unwrap_or(&candidate.modified);
        // What cannot be read is a failure of its own.
        let Some(linked) = file.head.read(&candidate.modified, former).ok().as_ref().and_then(linked_to) else { continue };
        names.extend(linked.mentions);
        defined.extend(linked.defines);
    }
    names.retain(|name| !defined.contains(name) && !is_known(name));
    let mut users = BTreeSet::new();
    if !names.is_empty() {
        for revision in [scope.base, scope.head] {
            users.extend(scope.repository.mentions(revision, &names)?);
        }
    }
    Ok(users)
}

/// Said of files that the assembler takes in.
const TAKEN_IN: &str = "it becomes part of a program as it is";

/// Endings of programs that may be linked to C programs and are none: assembly, C++, and what programs are generated from.
const FOREIGN: [&str; 12] = ["s", "S", "asm", "cc", "cpp", "cxx", "c++", "C", "l", "y", "ll", "yy"];

/// Endings of what C files and headers are made from, behind theirs.
const TEMPLATES: [&str; 8] = ["in", "cmake", "tmpl", "template", "tpl", "j2", "jinja", "m4"];

fn is_foreign(path: &str) -> bool {
    let path = Path::new(path);
    let ends = |endings: &[&str]| path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one));
    // `configure.in` is made into no part of a program.
    let is_code = |made: &Path| made.extension().is_some_and(|ending| ["c", "h", "inc"].iter().any(|code| ending == *code));
    ends(&FOREIGN) || ends(&TEMPLATES) && is_code(&path.with_extension(""))
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
        let files = |revision: &Revision| Ok::<_, miette::Report>(files_of(repository, revision, link)?);
        for pattern in patterns(link) {
            let has = |revision: &Revision| Ok::<_, miette::Report>(!files_of(repository, revision, pattern)?.is_empty());
            if !has(base)? && !has(head)? {
                return Err(names_nothing(pattern, (base, head)));
            }
        }
        programs.push(LinkedProgram { name: link.clone(), before: files(base)?, after: files(head)? });
    }
    for target in &links.targets {
        let name = if target.is_empty() { "compile_commands.json".to_owned() } else { target.clone() };
        programs.push(LinkedProgram { name, before: before.files_of(target)?, after: after.files_of(target)? });
    }
    for program in &programs {
        if program.before.is_empty() && program.after.is_empty() {
            return Err(names_nothing(&program.name, (base, head)));
        }
    }
    Ok(programs)
}

fn names_nothing(name: &str, (base, head): (&Revision, &Revision)) -> miette::Report {
    miette!(
        help = "quote patterns, so that the shell passes them on; they are relative to the current folder and lead through no symbolic link",
        "{} names no C file of {} nor of {}",
        shown::one_line(name),
        base.name,
        head.name
    )
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
        base.has(former).then(|| former.clone())
    };
    let deleted = before.iter().filter(|path| !head.has(path) && !renames.values().any(|former| former == *path));
    let deleted = deleted.cloned().collect();
    let candidates = after.into_iter().map(|modified| Candidate { original: origin(&modified), modified }).collect();
    Ok((candidates, deleted))
}
