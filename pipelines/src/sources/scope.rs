//! What of a repository a change concerns, and what has to be checked out to read it.
//!
//! Does not know what is made of the files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::affected::{ByName, Includes, Needed, affected, by_name, name_of};
use super::git::{GitError, Repository, Revision};
use super::plan::{Candidate, LinkedProgram};
use super::raw::is_of_the_library;
use super::revision::Reader;
use super::untracked::{self, Hiding};

/// What differs between two revisions, and where that can be seen.
pub(super) struct Scope<'a> {
    pub(super) repository: &'a Repository,
    pub(super) base: &'a Revision,
    pub(super) head: &'a Revision,
    /// The files that differ, or that only one revision has.
    pub(super) differing: BTreeSet<String>,
    /// With those of the working tree that git does not know and that hide files of the original revision.
    changed: BTreeSet<String>,
    includes: [Includes; 2],
    /// The files in which a difference can be seen; `None` if that may be all.
    affected: Option<BTreeSet<String>>,
    /// Names of files that are read before the programs.
    first: BTreeSet<String>,
    by_name: [OnceLock<ByName>; 2],
}

impl<'a> Scope<'a> {
    /// Compares two revisions over which files are `laid`.
    ///
    /// # Errors
    /// If git cannot.
    pub(super) fn of(
        repository: &'a Repository,
        (base, head): (&'a Revision, &'a Revision),
        readers: (&Reader<'_>, &Reader<'_>),
        laid: &[String],
    ) -> Result<Self, GitError> {
        let mut differing = repository.differing(base, head)?;
        differing.retain(|path| !laid.contains(path));
        let first: BTreeSet<String> = readers.0.first().into_iter().chain(readers.1.first()).collect();
        let mut includes = [untracked::includes(repository, base, &first)?, untracked::includes(repository, head, &first)?];
        includes.iter_mut().for_each(|includes| add_laid(repository, laid, includes));
        let outside = readers.1.folders_outside();
        let hiding = Hiding::of(repository, (base, head), [&includes[0], &includes[1]], (laid, outside))?;
        let changed_too = &differing | &hiding.files;
        // A link has the name of another file.
        let mut changed = changed_too.clone();
        if !changed.is_empty() {
            changed.extend(base.links.iter().chain(&head.links).cloned());
        }
        if !changed.is_empty() && readers.1.is_led_out() {
            // What lies outside of the repository may lead back to its files.
            let is_known = |name: &&str| base.files.iter().chain(&head.files).any(|path| name_of(path) == *name);
            let names = includes.iter().flat_map(Includes::all_names);
            let strange = names.filter(|name| !is_of_the_library(name) && !is_known(name));
            changed.extend(strange.map(str::to_owned));
        }
        let found = affected(&changed, [&includes[0], &includes[1]]);
        let is_read_first = found.iter().any(|path| first.contains(name_of(path)));
        // Under a link that leads to another folder names mean other files.
        let moved = differing.iter().any(|path| base.links.contains(path) || head.links.contains(path));
        let is_told = readers.0.has_flags_of(readers.1) && !is_read_first && !moved && !hiding.is_anything;
        let affected = is_told.then_some(found);
        let by_name = Default::default();
        Ok(Self { repository, base, head, differing, changed: changed_too, includes, affected, first, by_name })
    }

    /// One revision over which files are `laid`: nothing differs.
    ///
    /// # Errors
    /// If git cannot search it.
    pub(super) fn of_one(
        repository: &'a Repository,
        revision: &'a Revision,
        reader: &Reader<'_>,
        laid: &[String],
    ) -> Result<Self, GitError> {
        let first = reader.first();
        let mut includes = untracked::includes(repository, revision, &first)?;
        add_laid(repository, laid, &mut includes);
        let (differing, changed, affected) = (BTreeSet::new(), BTreeSet::new(), Some(BTreeSet::new()));
        let (includes, by_name) = ([includes.clone(), includes], Default::default());
        Ok(Self { repository, base: revision, head: revision, differing, changed, includes, affected, first, by_name })
    }

    /// The folders of other repositories of which the revisions have different commits: what lies there is not looked at.
    pub(super) fn moved_modules(&self) -> BTreeSet<&String> {
        moved_modules([self.base, self.head])
    }

    /// The symbolic links that lead somewhere else now, to a folder or from one.
    pub(super) fn moved_links(&self) -> impl Iterator<Item = &String> {
        let leads = |revision: &Revision, path: &String| revision.links.contains(path) && revision.tree.join(path).is_dir();
        self.differing.iter().filter(move |path| leads(self.base, path) || leads(self.head, path))
    }

    /// The files that differ and become part of programs without being read as C, and those that take them in.
    ///
    /// # Errors
    /// If git cannot search them.
    pub(super) fn taken_in(&self) -> Result<Taken<'_>, GitError> {
        let revisions = [(self.base, &self.includes[0]), (self.head, &self.includes[1])];
        taken_in(self.repository, revisions, &self.changed)
    }

    /// What files include, directly or through others, and no file of the modified revision is called.
    pub(super) fn strangers(&self, paths: impl IntoIterator<Item = String>) -> BTreeSet<String> {
        strangers(&self.includes[1], paths, self.by_name[1].get_or_init(|| by_name(&self.head.files)))
    }

    /// Whether the texts of a file may differ.
    pub(super) fn is_affected(&self, path: &str) -> bool {
        self.is_strange(path) || self.affected.as_ref().is_none_or(|affected| affected.contains(path))
    }

    /// Whether no difference can be seen in a file of both revisions: it is read in the modified one for both.
    pub(super) fn is_of_both(&self, path: &str) -> bool {
        !self.is_affected(path) && self.head.has(path)
    }

    /// Whether the lines of a file are not told apart, or files are read before it.
    fn is_strange(&self, path: &str) -> bool {
        path.chars().any(char::is_control)
    }

    /// Whether a file may have changed for the compiler.
    pub(super) fn concerns(&self, candidate: &Candidate) -> bool {
        self.is_affected(&candidate.modified) || candidate.original.as_ref() != Some(&candidate.modified)
    }

    /// Whether a program may have changed for the compiler.
    pub(super) fn concerns_program(&self, program: &LinkedProgram, renamed: &BTreeMap<String, String>) -> bool {
        let moved = |path: &String| renamed.contains_key(path) || self.is_affected(path);
        program.before != program.after || program.after.iter().any(moved)
    }

    /// What a text of one revision may be made of.
    pub(super) fn needed(&self, side: usize, path: &str) -> Needed {
        let revision = if side == 0 { self.base } else { self.head };
        if !revision.links.is_empty() || self.is_strange(path) {
            return Needed::Everything;
        }
        let by_name = self.by_name[side].get_or_init(|| by_name(&revision.files));
        self.includes[side].needed_of([path.to_owned()], by_name)
    }

    /// The files that include one of these, directly or through others, and these.
    pub(super) fn including(&self, paths: BTreeSet<String>) -> BTreeSet<String> {
        affected(&paths, [&self.includes[1], &Includes::default()])
    }

    /// Checks out what is needed to read both revisions of files and programs, and deleted files.
    ///
    /// # Errors
    /// If git cannot.
    pub(super) fn fetch<'c>(
        &self,
        candidates: impl Iterator<Item = &'c Candidate> + Clone,
        programs: &[&LinkedProgram],
        deleted: &[String],
    ) -> Result<(), GitError> {
        let before = candidates.clone().filter_map(|candidate| candidate.original.clone());
        let linked = programs.iter().flat_map(|program| program.before.iter().cloned());
        let (both, own): (Vec<String>, Vec<String>) = linked.partition(|path| self.is_of_both(path));
        let before = before.chain(own).chain(deleted.iter().cloned());
        let after = candidates.map(|candidate| candidate.modified.clone());
        let after = after.chain(programs.iter().flat_map(|program| program.after.clone())).chain(both);
        self.fetch_from(self.base, 0, before.collect())?;
        self.fetch_from(self.head, 1, after.collect())
    }

    /// Checks out what is needed to see which files of programs are needed.
    ///
    /// # Errors
    /// If git cannot.
    pub(super) fn fetch_to_look(&self, programs: &[LinkedProgram]) -> Result<(), GitError> {
        let before = programs.iter().flat_map(|program| &program.before).filter(|path| self.is_affected(path));
        self.fetch_from(self.base, 0, before.cloned().collect())?;
        self.fetch_from(self.head, 1, programs.iter().flat_map(|program| program.after.clone()).collect())
    }

    /// Checks out what is needed to read these files of the revision that comes last.
    ///
    /// # Errors
    /// If git cannot.
    pub(super) fn fetch_files(&self, paths: Vec<String>) -> Result<(), GitError> {
        self.fetch_from(self.head, 1, paths)
    }

    fn fetch_from(&self, revision: &Revision, side: usize, mut paths: Vec<String>) -> Result<(), GitError> {
        if revision.is_working_tree() || paths.is_empty() {
            return Ok(());
        }
        paths.extend(revision.files.iter().filter(|path| self.first.contains(name_of(path))).cloned());
        let needed: Needed = self.includes[side].needed(paths, &revision.files);
        self.repository.fetch(revision, &needed)
    }
}

/// Files that become part of programs without being read as C, and those that take them in, directly or through others.
pub(crate) type Taken<'c> = BTreeMap<&'c String, BTreeSet<String>>;

/// What of `changed` is taken in.
///
/// # Errors
/// If git cannot search the revisions.
pub(crate) fn taken_in<'c>(
    repository: &Repository,
    revisions: [(&Revision, &Includes); 2],
    changed: &'c BTreeSet<String>,
) -> Result<Taken<'c>, GitError> {
    let mut found = Taken::new();
    for (revision, includes) in revisions {
        let including = |paths: &BTreeSet<String>| affected(paths, [includes, &Includes::default()]);
        let open = including(&includes.takers(&by_name(&revision.files)));
        for file in changed {
            let mut takers = including(&includes.takers_of(file));
            // The name may stand where a macro is given it.
            if !open.is_empty() && !file.ends_with(".c") && !file.ends_with(".h") {
                let naming = including(&repository.having(revision, name_of(file))?);
                takers.extend(naming.intersection(&open).cloned());
            }
            if !takers.is_empty() {
                found.entry(file).or_default().extend(takers);
            }
        }
    }
    Ok(found)
}

/// The folders of other repositories of which these revisions have different commits, or the working tree something else.
pub(crate) fn moved_modules([base, head]: [&Revision; 2]) -> BTreeSet<&String> {
    let (base, head) = (&base.modules, &head.modules);
    base.keys().chain(head.keys()).filter(|path| base.get(*path) != head.get(*path)).collect()
}

/// What files include that no file of their revision is called.
pub(crate) fn strangers(includes: &Includes, paths: impl IntoIterator<Item = String>, by_name: &ByName) -> BTreeSet<String> {
    match includes.needed_of(paths, by_name) {
        Needed::Everything => BTreeSet::from(["what a macro names".to_owned()]),
        Needed::Files(files) => includes.names_of(&files).into_iter().filter(|name| !by_name.contains_key(name)).collect(),
    }
}

/// Takes down what files include that are laid over a revision.
fn add_laid(repository: &Repository, laid: &[String], includes: &mut Includes) {
    for path in laid {
        let text = std::fs::read(repository.top.join(path)).unwrap_or_default();
        includes.add_text(path, &String::from_utf8_lossy(&text));
    }
}
