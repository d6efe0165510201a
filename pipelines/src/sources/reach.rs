//! Which files of a program of several files its entry functions reach, as a linker sees it.
//!
//! A file is reached if it defines for the linker what a reached one mentions, or if it counts although nothing names it
//! (constructors, assembly). All others are left out of the program: nothing in them is ever executed, and no object of theirs
//! is read. Only files that may define what is mentioned are preprocessed to know: see [`super::raw`].
//! Invariant: what is not understood is reached, and a file in which the change can be seen is never left out.
//! Does not know what is done with the program.

use std::collections::{BTreeMap, BTreeSet};

use formats::ProgramOptions;
use program::library::Bodies;

use super::affected::name_of;
use super::entries::is_pattern;
use super::linked::{Linked, linked};
use super::plan::LinkedProgram;
use super::raw::{Written, is_of_the_library};
use super::revision::{Reader, Ready};
use super::scope::Scope;
use super::texts::Texts;
use crate::run::schedule::Schedule;

/// Where and what is looked for.
pub(super) struct Reach<'a> {
    pub(super) base: &'a Reader<'a>,
    pub(super) head: &'a Reader<'a>,
    /// New names of files to former ones.
    pub(super) renamed: &'a BTreeMap<String, String>,
    pub(super) scope: &'a Scope<'a>,
    /// Texts of earlier runs.
    pub(super) texts: Option<&'a Texts>,
    pub(super) entries: &'a [String],
    /// Names that files are kept for although nothing that is reached mentions them.
    pub(super) named: &'a BTreeSet<String>,
    /// How programs are read.
    pub(super) options: &'a ProgramOptions,
}

/// Leaves out of programs what they do not need; what was read to know it, and the files of the modified revision that some
/// program lacks now.
pub(super) fn reduce(reach: &Reach<'_>, programs: &mut [LinkedProgram], schedule: &Schedule<'_>) -> (Ready, BTreeSet<String>) {
    let mut search = Search::new(reach, schedule);
    let mut left_out = BTreeSet::new();
    for program in programs {
        let Some(kept) = search.kept(program) else { continue };
        left_out.extend(program.after.iter().filter(|path| !kept.contains(*path)).cloned());
        let newer = |path: &String| reach.renamed.iter().find(|(_, old)| *old == path).map_or(path, |(new, _)| new).clone();
        program.before.retain(|path| reach.scope.is_affected(path) || kept.contains(&newer(path)));
        program.after.retain(|path| kept.contains(path));
    }
    (search.ready, left_out)
}

/// What is known of the files while programs are looked through.
struct Search<'a> {
    reach: &'a Reach<'a>,
    schedule: &'a Schedule<'a>,
    ready: Ready,
    linked: [BTreeMap<String, Option<Linked>>; 2],
    /// What the texts of files and headers may define.
    written: BTreeMap<String, Written>,
    by_name: BTreeMap<&'a str, Vec<&'a String>>,
}

impl<'a> Search<'a> {
    fn new(reach: &'a Reach<'a>, schedule: &'a Schedule<'a>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for path in &reach.scope.head.files {
            by_name.entry(name_of(path)).or_default().push(path);
        }
        Self { reach, schedule, ready: Default::default(), linked: Default::default(), written: BTreeMap::new(), by_name }
    }

    /// The files of a program that have to be linked; `None` if all have.
    fn kept(&mut self, program: &LinkedProgram) -> Option<BTreeSet<String>> {
        let scope = self.reach.scope;
        // Which functions a pattern stands for is known once all files are read.
        if self.reach.entries.iter().any(|entry| is_pattern(entry)) {
            return None;
        }
        let affected = |path: &&String| scope.is_affected(path) || self.reach.renamed.contains_key(*path);
        let mut read: BTreeSet<String> = program.after.iter().filter(affected).cloned().collect();
        let before: BTreeSet<String> = program.before.iter().filter(|path| scope.is_affected(path)).cloned().collect();
        if read.len() == program.after.len() {
            return None;
        }
        let mut kept = read.clone();
        self.read(0, &before);
        self.read(1, &read);
        let mut open: BTreeSet<String> = self.reach.entries.iter().cloned().collect();
        open.extend(self.reach.named.iter().cloned());
        open.extend(self.of_the_library()?);
        let unseen: Vec<&String> = program.after.iter().filter(|path| !read.contains(*path)).collect();
        let closures: BTreeMap<&String, Option<Vec<String>>> =
            unseen.into_iter().map(|path| (path, self.closure(path))).collect();
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut reached: BTreeSet<(usize, String)> = BTreeSet::new();
        loop {
            if self.schedule.budget.exhausted() {
                return None;
            }
            let new: BTreeSet<String> = open.difference(&names).cloned().collect();
            names.append(&mut open);
            let may = |closure: &Option<Vec<String>>| closure.as_ref().is_none_or(|texts| self.may_define(texts, &new));
            let found = closures.iter().filter(|(path, closure)| !read.contains(**path) && may(closure));
            let found: BTreeSet<String> = found.map(|(path, _)| (*path).clone()).collect();
            self.read(1, &found);
            read.extend(found);
            let all = before.iter().map(|path| (0, path.clone())).chain(read.iter().map(|path| (1, path.clone())));
            let mut grown = false;
            for place in all {
                // What cannot be read or is no C is told when the program is read.
                let linked = self.linked[place.0].get(&place.1)?.as_ref()?;
                open.extend(linked.same.iter().filter(|same| !same.is_disjoint(&names)).flatten().cloned());
                let is_wanted = linked.always || !linked.defines.is_disjoint(&names);
                if is_wanted && reached.insert(place.clone()) {
                    grown = true;
                    open.extend(linked.mentions.iter().cloned());
                    kept.extend((place.0 == 1).then_some(place.1));
                }
            }
            open.retain(|name| !names.contains(name));
            if !grown && open.is_empty() {
                break;
            }
        }
        self.is_complete(&reached).then_some(kept)
    }

    /// Whether the entry functions were found, and nobody gives them functions that nothing names.
    fn is_complete(&self, reached: &BTreeSet<(usize, String)>) -> bool {
        let linked = || reached.iter().filter_map(|(side, path)| self.linked[*side].get(path)?.as_ref());
        // The system calls `main`.
        let is_given = |entry: &String| entry != "main" && linked().any(|linked| linked.takes_functions.contains(entry));
        let is_found = |entry: &String| linked().any(|linked| linked.defines.contains(entry));
        self.reach.entries.iter().all(|entry| is_found(entry) && !is_given(entry))
    }

    /// The functions that bodies of the C library call.
    fn of_the_library(&self) -> Option<BTreeSet<String>> {
        let options = self.reach.options;
        Some(match &options.library {
            formats::Library::Own => Bodies::own(options.data_model).calls(),
            formats::Library::None => BTreeSet::new(),
            // A folder of the user may have anything.
            formats::Library::Folder(_) => return None,
        })
    }

    /// Reads files of one revision, and what they say to a linker.
    fn read(&mut self, side: usize, paths: &BTreeSet<String>) {
        let reach = self.reach;
        let paths: Vec<&String> = paths.iter().filter(|path| !self.ready[side].contains_key(*path)).collect();
        let reader = if side == 0 { reach.base } else { reach.head };
        let newer = |path: &String| reach.renamed.iter().find(|(_, old)| *old == path).map(|(new, _)| new.clone());
        let work = |path: &&String| {
            let other = if side == 0 { newer(path) } else { reach.renamed.get(*path).cloned() };
            let names = (path.as_str(), other.as_ref().unwrap_or(path).as_str());
            let (source, linked) = match reach.texts {
                Some(texts) => texts.read((reader, side), reach.scope, names).ok()?,
                None => {
                    let source = reader.read(names.0, names.1).ok()?;
                    let linked = linked(&source);
                    (source, linked)
                }
            };
            Some(((*path).clone(), source, linked))
        };
        for (path, source, linked) in self.schedule.parallel(&paths, |path| (*path).clone(), work).into_iter().flatten() {
            self.linked[side].insert(path.clone(), linked);
            self.ready[side].insert(path, source);
        }
    }

    /// The texts that a file of the modified revision is made of, as far as names of headers tell; `None` if it may be made of
    /// others, or its flags say more than where to look for them.
    fn closure(&mut self, path: &str) -> Option<Vec<String>> {
        let scope = self.reach.scope;
        if !self.reach.head.is_plain(path) {
            return None;
        }
        let (mut found, mut todo) = (BTreeSet::new(), vec![path.to_owned()]);
        while let Some(path) = todo.pop() {
            if found.contains(&path) {
                continue;
            }
            if scope.head.links.contains(&path) {
                return None;
            }
            if !self.written.contains_key(&path) {
                let bytes = std::fs::read(scope.head.tree.join(&path)).ok()?;
                self.written.insert(path.clone(), Written::of(&String::from_utf8_lossy(&bytes)));
            }
            let written = self.written.get(&path).filter(|written| !written.open)?;
            for name in &written.includes {
                match self.by_name.get(name_of(name)) {
                    Some(others) => todo.extend(others.iter().map(|other| (*other).clone())),
                    None if is_of_the_library(name) => {}
                    None => return None,
                }
            }
            found.insert(path);
        }
        Some(found.into_iter().collect())
    }

    fn may_define(&self, texts: &[String], names: &BTreeSet<String>) -> bool {
        texts.iter().any(|text| self.written.get(text).is_none_or(|written| !written.names.is_disjoint(names)))
    }
}
