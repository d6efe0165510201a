//! The past of a file: what it was before a range of commits, and in each commit of it that changes the file or what the file
//! includes.
//!
//! Merges count by their first parent: what was done beside it is one change. Former names of the file are followed as far as git
//! sees a rename.
//! Does not know what the texts are wanted for.

use std::path::Path;

use formats::{DataModel, shown};
use miette::miette;

use super::affected::{Needed, name_of};
use super::compile_commands::normalised;
use super::git::{GitError, Repository, Revision};
use super::revision::{ReadOptions, Reader, databases};
use crate::run::words::words;

/// Commits of a range that are looked at because they change a header; of more, only those that change the file.
const MOST_HEADERS: usize = 256;

/// What the file was at one time.
pub(crate) struct Version {
    /// The commit in short, or `the working tree`.
    pub(crate) name: String,
    /// The commit; `None` is the working tree.
    pub(crate) commit: Option<String>,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The name of the file then.
    pub(crate) path: String,
    /// The preprocessed text, or why there is none.
    pub(crate) text: Result<(Vec<u8>, DataModel), String>,
}

/// A commit, and the name of the file in it.
struct Commit {
    id: String,
    name: String,
    subject: String,
    path: String,
    /// Whether it changes the file itself.
    is_own: bool,
}

/// The versions of a file in a range, oldest first: that of the base, if it has the file, then the changes.
///
/// # Errors
/// If git cannot say, or the file is none of the repository.
pub(crate) fn versions(repository: &Repository, range: &str, file: &Path, read: &ReadOptions) -> miette::Result<Vec<Version>> {
    let sides = repository.range(range)?;
    let inside = normalised(&repository.here.join(file));
    let path = inside.strip_prefix(&repository.top).ok().and_then(Path::to_str);
    let path = path.filter(|path| !path.chars().any(char::is_control)).ok_or_else(|| outside(file))?.to_owned();
    let (base, tip) = (repository.commit(&sides.base)?, repository.commit(sides.head.as_deref().unwrap_or("HEAD"))?);
    let commits = commits(repository, (&base, &tip), &path)?;
    let mut found = Vec::new();
    for commit in &commits {
        let revision = repository.checkout(&commit.id)?;
        if !revision.has(&commit.path) {
            continue;
        }
        let text = read_at(repository, &revision, &commit.path, read);
        let Commit { id, name, subject, path, is_own } = commit;
        if !is_own && found.last().is_some_and(|last: &Version| last.text == text) {
            continue;
        }
        let (name, subject, path) = (name.clone(), subject.clone(), path.clone());
        found.push(Version { name, commit: Some(id.clone()), subject, path, text });
    }
    if sides.head.is_none() {
        let tree = repository.working_tree(&[])?;
        let text = tree.has(&path).then(|| read_at(repository, &tree, &path, read));
        if let Some(text) = text.filter(|text| found.last().is_none_or(|last| last.text != *text)) {
            let name = "the working tree".to_owned();
            found.push(Version { name, commit: None, subject: String::new(), path: path.clone(), text });
        }
    }
    if found.is_empty() {
        return Err(miette!(help = "name it as the last commit of the range does", "no commit of {range} has {path}"));
    }
    Ok(found)
}

fn outside(file: &Path) -> miette::Report {
    miette!("{} is no file of the repository", shown::name(file))
}

/// The base and the commits that may change the text, oldest first.
fn commits(repository: &Repository, (base, tip): (&str, &str), path: &str) -> Result<Vec<Commit>, GitError> {
    let range = format!("{base}..{tip}");
    let mut arguments = vec!["log", "--first-parent", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv"];
    // Git follows one plain path only.
    arguments.extend(["--no-color", "--no-show-signature", "-M", "--follow", "--name-status", "-z"]);
    arguments.extend(["--format=%x1e%H%x1f%h%x1f%s", &range, "--", path]);
    let own = records(&repository.text(&arguments)?);
    let mut arguments = vec!["log", "--first-parent", "--no-color", "--no-show-signature", "-z", "--format=%x1e%H%x1f%h%x1f%s"];
    arguments.extend([range.as_str(), "--", ":(top,glob)**/*.h", ":(top,glob)**/*.inc", ":(top,glob)**/*.def"]);
    let others = records(&repository.text(&arguments)?);
    let others = if others.len() > MOST_HEADERS { Vec::new() } else { others };
    let order = repository.text(&["rev-list", "--first-parent", &range])?;
    // From the newest to the oldest, so that former names are known.
    let (mut found, mut name) = (Vec::new(), path.to_owned());
    for id in order.lines() {
        let is_it = |record: &&Record| record.id == id;
        let (change, other) = (own.iter().find(is_it), others.iter().find(is_it));
        let Some(record) = change.or(other) else { continue };
        if let Some(new) = change.and_then(|change| change.paths.last()) {
            name.clone_from(new);
        }
        let (id, short, subject) = (record.id.clone(), record.short.clone(), record.subject.clone());
        found.push(Commit { id, name: short, subject, path: name.clone(), is_own: change.is_some() });
        if let Some([former, _]) = change.map(|change| change.paths.as_slice()) {
            name.clone_from(former);
        }
    }
    let text = repository.text(&["log", "-1", "--no-color", "--no-show-signature", "-z", "--format=%x1e%H%x1f%h%x1f%s", base])?;
    found.extend(records(&text).into_iter().map(|one| Commit {
        id: one.id,
        name: one.short,
        subject: one.subject,
        path: name.clone(),
        is_own: true,
    }));
    found.reverse();
    Ok(found)
}

/// A commit as git lists it.
struct Record {
    id: String,
    short: String,
    subject: String,
    /// The name of the file behind it; for a rename the former one first.
    paths: Vec<String>,
}

fn records(text: &str) -> Vec<Record> {
    let record = |text: &str| {
        let mut fields = text.split('\0').map(|field| field.trim_matches('\n')).filter(|field| !field.is_empty());
        let mut head = fields.next()?.splitn(3, '\x1f');
        let (id, short, subject) = (head.next()?.to_owned(), head.next()?.to_owned(), head.next()?.to_owned());
        // The first is what was done.
        Some(Record { id, short, subject, paths: fields.skip(1).map(str::to_owned).collect() })
    };
    text.split('\x1e').filter_map(record).collect()
}

/// Reads the file in a revision; the error says why it cannot be read.
fn read_at(repository: &Repository, revision: &Revision, path: &str, read: &ReadOptions) -> Result<(Vec<u8>, DataModel), String> {
    let source = || -> miette::Result<_> {
        repository.fetch(revision, &Needed::Files(databases(repository, read)))?;
        let reader = Reader::new(repository, revision, read)?;
        let first = reader.first();
        let mut paths: Vec<String> = revision.files.iter().filter(|file| first.contains(name_of(file))).cloned().collect();
        paths.push(path.to_owned());
        let needed = repository.includes(revision)?.needed(paths, &revision.files);
        repository.fetch(revision, &needed)?;
        reader.read(path, path)
    };
    source().map(|source| (source.text, source.data_model)).map_err(|error| words(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_lists_is_read() {
        let text =
            "\x1eab\x1fa\x1fsays \x1f all\0\nM\0src/a.c\0\x1ecd\x1fc\x1fmoves\0\nR098\0a.c\0src/a.c\0\x1eef\x1fe\x1fmerges\0";
        let found: Vec<(String, String, Vec<String>)> =
            records(text).into_iter().map(|one| (one.short, one.subject, one.paths)).collect();
        let texts = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        assert_eq!(found[0], ("a".to_owned(), "says \x1f all".to_owned(), texts(&["src/a.c"])));
        assert_eq!(found[1].2, texts(&["a.c", "src/a.c"]));
        assert_eq!(found[2].2, texts(&[]));
    }
}
