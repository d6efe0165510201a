//! What a change does to how files are built, which no text of a C file shows: files that only one revision compiles, and flags in
//! files of the build where no compilation database of the revisions says what becomes of them.
//!
//! Does not know what the flags mean. Which files a build without a database compiles is not asked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use formats::shown;

use super::affected::{Needed, name_of};
use super::command_flags::may_matter;
use super::git::{GitError, Repository, Revision};
use super::plan::Plan;
use super::program::FilePlanner;
use super::revision::{ReadOptions, Reader, databases};
use crate::run::outcome::{Skipped, Why};

/// Names of files that say how others are built.
const BUILD_FILES: [&str; 10] = [
    "CMakeLists.txt", "meson.build", "meson_options.txt", "meson.options", "configure.ac", "configure.in", "Kbuild",
    "SConstruct", "BUILD", "BUILD.bazel",
];
/// Endings of more of them; of a Makefile what is before the first dot says it, too.
const BUILD_ENDINGS: [&str; 4] = ["mk", "mak", "cmake", "ninja"];
/// Words of commands that choose macros, folders or standards without a flag.
const COMMANDS: [&str; 13] = [
    "add_definitions", "compile_definitions", "compile_options", "include_directories", "compile_features", "c_standard",
    "compile_flags", "c_args", "project_arguments", "global_arguments", "c_std", "ac_define", "config_data",
];

impl Plan {
    /// Says which files only one revision compiles, and which files of the build have other flags.
    ///
    /// # Errors
    /// If git cannot check them out.
    pub(super) fn skip_built_otherwise(&mut self, file: &FilePlanner<'_>) -> Result<(), GitError> {
        let (base, head, scope) = (file.base, file.head, file.scope);
        let mut skipped = |path: &str, detail: String| {
            self.skipped.push(Skipped { path: path.to_owned(), entry: None, why: Why::Built, detail: Some(detail) });
        };
        // Whoever names a target has the files of both revisions compared.
        if file.change.links.targets.is_empty()
            && let (Some(before), Some(after)) = (base.compiled(), head.compiled())
        {
            let newer =
                |path: String| file.renamed.iter().find(|(_, old)| **old == path).map_or(path.clone(), |(new, _)| new.clone());
            let before: BTreeSet<String> = before.into_iter().map(newer).collect();
            // A database may still have the former name of a file.
            let after = after.into_iter().map(|path| if scope.head.has(&path) { path } else { newer(path) });
            let after: BTreeSet<String> = after.collect();
            for path in before.symmetric_difference(&after) {
                let former = file.renamed.get(path).unwrap_or(path);
                // What only one revision has is a new or a deleted file.
                if scope.base.has(former) && scope.head.has(path) {
                    let name = if after.contains(path) { &scope.head.name } else { &scope.base.name };
                    skipped(path, format!("only {name} compiles it, by its compile_commands.json"));
                }
            }
        }
        if base.has_own_database() && head.has_own_database() {
            return Ok(());
        }
        for (path, detail) in build_files(scope.repository, [scope.base, scope.head], &scope.differing, &file.renamed)? {
            skipped(&path, detail);
        }
        Ok(())
    }
}

/// What files that are read with other commands than those of a build, such as a library and its clients, have in their builds that
/// differs: each file, or file of the build, and how.
///
/// # Errors
/// If git cannot check out what is needed, or a database cannot be used.
pub(crate) fn otherwise(
    repository: &Repository,
    revisions: [&Revision; 2],
    paths: &BTreeSet<String>,
    differing: &BTreeSet<String>,
) -> miette::Result<Vec<(String, String)>> {
    let options = ReadOptions { data_model: None, preprocessor: Vec::new(), compile_commands: None };
    let reader = |revision: &'_ Revision| repository.fetch(revision, &Needed::Files(databases(repository, &options)));
    revisions.into_iter().try_for_each(reader)?;
    let readers = [Reader::new(repository, revisions[0], &options)?, Reader::new(repository, revisions[1], &options)?];
    for (reader, revision) in readers.iter().zip(revisions) {
        let first = reader.first();
        let files = revision.files.iter().filter(|path| first.contains(name_of(path))).cloned().collect();
        repository.fetch(revision, &Needed::Files(files))?;
    }
    let mut found = Vec::new();
    for path in paths.iter().filter(|path| revisions.iter().all(|revision| revision.has(path))) {
        let [before, after] = [readers[0].command(path), readers[1].command(path)];
        if let Some(flags) = other_words(&before, &after) {
            found.push((path.clone(), format!("it is compiled with other flags ({flags})")));
        }
    }
    if !readers.iter().all(Reader::has_own_database) {
        found.extend(build_files(repository, revisions, differing, &BTreeMap::new())?);
    }
    Ok(found)
}

/// The files of a build with other flags, and which.
fn build_files(
    repository: &Repository,
    [base, head]: [&Revision; 2],
    differing: &BTreeSet<String>,
    renamed: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, GitError> {
    let paths: BTreeSet<String> = differing.iter().filter(|path| is_build_file(path)).cloned().collect();
    repository.fetch(base, &Needed::Files(paths.clone()))?;
    repository.fetch(head, &Needed::Files(paths.clone()))?;
    let mut found = Vec::new();
    for path in paths {
        let former = renamed.get(&path).unwrap_or(&path);
        let texts = [text(base, former), text(head, &path)];
        let is_moved = texts[1].is_empty() && renamed.values().any(|old| *old == path);
        if let Some(flags) = differing_flags(&texts[0], &texts[1]).filter(|_| !is_moved) {
            let detail =
                format!("its flags have changed ({flags}), and no compile_commands.json of the revisions says for which files");
            found.push((path, detail));
        }
    }
    Ok(found)
}

/// Whether a file says how others are built.
fn is_build_file(path: &str) -> bool {
    let path = Path::new(path);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let ends = path.extension().is_some_and(|ending| BUILD_ENDINGS.iter().any(|one| ending == *one));
    let begins = name.split('.').next().unwrap_or_default();
    ends || BUILD_FILES.contains(&name) || matches!(begins, "Makefile" | "makefile" | "GNUmakefile")
}

/// The text of a file of a revision; nothing if it has none.
fn text(revision: &Revision, path: &str) -> String {
    let file = revision.tree.join(path);
    let is_file = revision.has(path) && std::fs::symlink_metadata(&file).is_ok_and(|file| file.is_file());
    let bytes = if is_file { std::fs::read(&file).unwrap_or_default() } else { Vec::new() };
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What of two texts chooses flags and differs, in words.
fn differing_flags(before: &str, after: &str) -> Option<String> {
    let lines = [lines(before), lines(after)];
    let variables: BTreeSet<String> =
        lines.iter().flatten().flat_map(|line| flags(line)).flat_map(|flag| variables(&flag)).collect();
    let [before, after] = lines.map(|lines| lines.iter().flat_map(|line| choices(line, &variables)).collect::<Vec<String>>());
    other_words(&before, &after)
}

/// The words that only one of two lists has, or that their order is another one.
fn other_words(before: &[String], after: &[String]) -> Option<String> {
    let only = |these: &[String], those: &[String]| these.iter().filter(|one| !those.contains(one)).cloned().collect::<Vec<_>>();
    let found = [only(before, after), only(after, before)].concat();
    let words = if found.is_empty() { "their order".to_owned() } else { shown::one_line(&found.join(", ")).into_owned() };
    (before != after).then_some(words)
}

/// The lines of a text without comments: what a backslash or an open parenthesis continues is one.
fn lines(text: &str) -> Vec<String> {
    let (mut found, mut line, mut open) = (Vec::new(), String::new(), 0usize);
    for part in text.lines() {
        let is_comment = |at: usize| at == 0 || part[..at].ends_with(char::is_whitespace);
        let end = part.match_indices('#').map(|(at, _)| at).find(|at| is_comment(*at)).unwrap_or(part.len());
        let part = &part[..end];
        let part = if part.trim_start().starts_with("dnl ") { "" } else { part };
        let count = |mark: char| part.chars().filter(|c| *c == mark).count();
        // A recipe of a Makefile may have one parenthesis too many.
        open = if part.starts_with('\t') { 0 } else { (open + count('(')).saturating_sub(count(')')) };
        let (part, goes_on) = part.trim_end().strip_suffix('\\').map_or((part, open > 0), |part| (part, true));
        line.push_str(part);
        line.push(' ');
        if !goes_on {
            found.push(std::mem::take(&mut line));
        }
    }
    found.push(line);
    found
}

/// What a line chooses: flags, the whole of a command that defines, or the value of a variable that flags use.
fn choices(line: &str, used: &BTreeSet<String>) -> Vec<String> {
    let lower = line.to_ascii_lowercase();
    let whole = || vec![line.split_whitespace().collect::<Vec<_>>().join(" ")];
    if COMMANDS.iter().any(|command| lower.contains(command)) || assigned(line).is_some_and(|name| used.contains(name)) {
        return whole();
    }
    flags(line)
}

/// The variable that a line gives a value.
fn assigned(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(set) = line.strip_prefix("set(").or_else(|| line.strip_prefix("option(")) {
        return set.split_whitespace().next();
    }
    let (name, _) = line.split_once('=')?;
    Some(name.trim_end_matches([':', '+', '?', '!']).trim()).filter(|name| !name.contains(char::is_whitespace))
}

/// The flags of a line that may matter, with their values.
fn flags(line: &str) -> Vec<String> {
    let mut words = line
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '[' | ']'))
        .filter(|word| !word.is_empty());
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let word = word
            .split_once("=-")
            .filter(|(name, _)| !name.starts_with('-'))
            .map_or(word.to_owned(), |(_, flag)| format!("-{flag}"));
        let word = word.trim_start_matches('(').to_owned();
        if matches!(word.as_str(), "-D" | "-U" | "-I" | "-include" | "-isystem" | "-imacros" | "-iquote" | "-idirafter") {
            found.push(format!("{word} {}", words.next().unwrap_or_default()));
        } else if !matches!(word.as_str(), "-f" | "-m" | "-i" | "-x" | "-A") && may_matter(&word) {
            found.push(word);
        }
    }
    found
}

/// The variables that a flag uses: `$(NAME)` and `${NAME}`.
fn variables(flag: &str) -> Vec<String> {
    let names = flag.split('$').skip(1).filter_map(|rest| rest.strip_prefix(['(', '{']));
    names.filter_map(|rest| rest.split([')', '}']).next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_flags_of_a_build_are_seen_and_nothing_else() {
        for (before, after, expected) in [
            ("CFLAGS = -Wall -DK=1\n", "CFLAGS = -Wextra -DK=2\n", Some("-DK=1, -DK=2")),
            ("CFLAGS = -DK=1 # a\n", "# b\nCFLAGS   = -DK=1\nclean:\n\trm -f x\n", None),
            ("CFLAGS = -O0 \\\n -DK=1\n", "CFLAGS = -O0 \\\n -DK=3\n", Some("-DK=1, -DK=3")),
            ("K = 1\nJ = 1\nX = -DK=$(K)\n", "K = 2\nJ = 2\nX = -DK=$(K)\n", Some("K = 1, K = 2")),
            (
                "a(b)\nadd_definitions(\n  K=1)\n",
                "a(c)\nadd_definitions(\n  K=2)\n",
                Some("add_definitions( K=1), add_definitions( K=2)"),
            ),
            ("c_args: ['-DK=1']\n", "c_args: ['-DK=2']\n", Some("c_args: ['-DK=1'], c_args: ['-DK=2']")),
            ("AC_DEFINE([K], 1)\n", "dnl x\nAC_DEFINE([K], 1)\n", None),
            ("F=-std=c99\n", "F=-std=gnu89\n", Some("-std=c99, -std=gnu89")),
            ("F=-I a -I b\n", "F=-I b -I a\n", Some("their order")),
            ("", "all: a.o\n\tcc -g -o a a.o\n", None),
        ] {
            assert_eq!(differing_flags(before, after).as_deref(), expected, "{before} {after}");
        }
    }

    #[test]
    fn files_of_builds_are_told_by_their_names() {
        for name in ["Makefile", "a/Makefile.am", "x.mk", "CMakeLists.txt", "b/meson.build", "configure.ac", "cmake/x.cmake"] {
            assert!(is_build_file(name), "{name}");
        }
        for name in ["a.c", "README.md", "Makefiles/x", "mk"] {
            assert!(!is_build_file(name), "{name}");
        }
    }
}
