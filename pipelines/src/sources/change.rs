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

use super::git::{Repository, Revision};
use super::link;
use super::plan::{Candidate, Change, LinkedProgram, Links, Plan};
use super::program::FilePlanner;
use super::revision::Reader;
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
    let mut renamed = repository.renames(&base, &head)?;
    let laid = change.with.iter().map(|file| repository.inside(file)).collect::<Result<Vec<String>, _>>()?;
    for path in &laid {
        repository.lay_over(&base, path)?;
        repository.lay_over(&head, path)?;
        renamed.remove(path);
    }
    let renamed = Arc::new(renamed);
    // Whoever writes a harness means it, unless something else is named.
    let meant: Vec<PathBuf> = laid.iter().filter(|path| is_c(path)).map(|path| repository.top.join(path)).collect();
    let pathspecs = if change.pathspecs.is_empty() { meant.as_slice() } else { change.pathspecs };
    let (mut candidates, mut deleted) = select(&repository, (&base, &head), &renamed, pathspecs)?;
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
    let mut programs = linked(change.links, &repository, (&base, &head), (base_reader, head_reader))?;
    for path in laid.iter().filter(|path| is_c(path)) {
        programs.iter_mut().for_each(|program| program.take_with(path));
    }
    let programs = programs;
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
    let others = if pathspecs.is_empty() { Vec::new() } else { others(&repository, (&base, &head), &renamed, &candidates)? };
    let others: Vec<Candidate> = others.into_iter().filter(|other| !is_linked(&other.modified)).collect();
    let texts = schedule.parallel(&others, |other| other.modified.clone(), |other| file.text(other));
    plan.texts.extend(texts.into_iter().flatten());
    plan.look_elsewhere(change.entries, &deleted, |path| Some(vec![readers.0.read(path, path).ok()?.text]));
    if pathspecs.is_empty() {
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
