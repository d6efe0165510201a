//! The past of a program: what it was before a range of commits, and in each commit of it that changes its files or what these
//! include.
//!
//! Merges count by their first parent: what was done beside it is one change. Former names of a single file are followed as far
//! as git sees a rename; which files a pattern names is looked up in each commit.
//! Does not know what the texts are wanted for.

use std::collections::BTreeSet;
use std::path::Path;

use formats::shown;
use miette::miette;

use super::affected::name_of;
use super::command_flags::normalised;
use super::git::{GitError, Repository};
use super::link;
use super::program_at::{ProgramTexts, Reading, Which, is_c};
use super::revision::databases;

/// Commits of a range that are looked at because they change a header; of more, only those that change the program's own files.
const MOST_HEADERS: usize = 256;

/// Headers, by their names.
const HEADERS: [&str; 3] = [":(top,glob)**/*.h", ":(top,glob)**/*.inc", ":(top,glob)**/*.def"];

/// Whose past.
#[derive(Clone, Copy)]
pub(crate) enum Of<'a> {
    /// Of a file, from where the user is.
    File(&'a Path),
    /// Of the files that a `--link` names.
    Link(&'a str),
}

/// What the program was at one time.
pub(crate) struct Version {
    /// The commit in short, or `the working tree`.
    pub(crate) name: String,
    /// The commit; `None` is the working tree.
    pub(crate) commit: Option<String>,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The name of the file then; `None` for a program of several.
    pub(crate) path: Option<String>,
    /// The preprocessed texts, or why there are none.
    pub(crate) texts: Result<ProgramTexts, String>,
}

/// All versions, oldest first.
pub(crate) struct Past {
    pub(crate) versions: Vec<Version>,
    /// What people should know.
    pub(crate) warnings: Vec<String>,
}

/// A commit, and the name of a single file in it.
struct Commit {
    id: String,
    name: String,
    subject: String,
    path: Option<String>,
    /// Whether it changes the file itself.
    is_own: bool,
}

impl Commit {
    fn of(record: &Record, path: Option<String>) -> Self {
        let Record { id, short, subject, .. } = record.clone();
        Self { id, name: short, subject, path, is_own: true }
    }
}

/// The versions of a program in a range: that of the base, if it has the program, then the changes.
///
/// # Errors
/// If git cannot say, or a file is none of the repository.
pub(crate) fn versions(reading: &Reading<'_>, range: &str, of: Of<'_>) -> miette::Result<Past> {
    let repository = reading.repository;
    let sides = repository.range(range)?;
    let path = match of {
        Of::File(file) => Some(inside(repository, file)?),
        Of::Link(_) => None,
    };
    let (base, tip) = (repository.commit(&sides.base)?, repository.commit(sides.head.as_deref().unwrap_or("HEAD"))?);
    let (commits, warnings) = commits(reading, &format!("{base}..{tip}"), &base, (of, path.as_deref()))?;
    let which = |path: &'_ Option<String>| match (of, path) {
        (Of::Link(link), _) => Which::Link(link.to_owned()),
        (Of::File(_), path) => Which::File(path.clone().unwrap_or_default()),
    };
    let mut found: Vec<Version> = Vec::new();
    for Commit { id, name, subject, path, is_own } in commits {
        let revision = repository.checkout(&id)?;
        for path in reading.laid {
            repository.lay_over(&revision, path)?;
        }
        let Some(texts) = reading.program(&revision, &which(&path)) else { continue };
        if is_own || found.last().is_none_or(|last| last.texts != texts) {
            found.push(Version { name, commit: Some(id), subject, path, texts });
        }
    }
    if sides.head.is_none() {
        let tree = repository.working_tree(&[])?;
        for path in reading.laid {
            repository.lay_over(&tree, path)?;
        }
        let texts = reading.program(&tree, &which(&path));
        if let Some(texts) = texts.filter(|texts| found.last().is_none_or(|last| last.texts != *texts)) {
            found.push(Version { name: "the working tree".to_owned(), commit: None, subject: String::new(), path, texts });
        }
    }
    match (of, found.is_empty()) {
        (_, false) => Ok(Past { versions: found, warnings }),
        (Of::File(file), true) => {
            let help = "name it as the last commit of the range does";
            Err(miette!(help = help, "no commit of {range} has {}", shown::name(file)))
        }
        (Of::Link(link), true) => {
            let help = "quote patterns, so that the shell passes them on; they are relative to the current folder";
            Err(miette!(help = help, "{} names no C file of a commit of {range}", shown::one_line(link)))
        }
    }
}

/// The path of a file in the repository.
fn inside(repository: &Repository, file: &Path) -> miette::Result<String> {
    let path = normalised(&repository.here.join(file));
    let path = path.strip_prefix(&repository.top).ok().and_then(Path::to_str);
    let path = path.filter(|path| !path.chars().any(char::is_control));
    Ok(path.ok_or_else(|| miette!("{} is no file of the repository", shown::name(file)))?.to_owned())
}

/// The base and the commits that may change the texts, oldest first, and what people should know.
fn commits(
    reading: &Reading<'_>,
    range: &str,
    base: &str,
    (of, path): (Of<'_>, Option<&str>),
) -> Result<(Vec<Commit>, Vec<String>), GitError> {
    let repository = reading.repository;
    let plain = ["log", "--first-parent", "--no-color", "--no-show-signature", "-z", "--format=%x1e%H%x1f%h%x1f%s"];
    let own = match (of, path) {
        (Of::Link(link), _) => {
            let patterns: Vec<String> =
                link::patterns(link).map(|pattern| link::pathspec(pattern).to_string_lossy().into_owned()).collect();
            let end = [range, "--"].into_iter().chain(patterns.iter().map(String::as_str));
            records(&repository.text_here(&plain.into_iter().chain(end).collect::<Vec<_>>())?)
        }
        (Of::File(_), path) => {
            let mut arguments = vec!["log", "--first-parent", "--diff-merges=first-parent", "--no-ext-diff", "--no-textconv"];
            // Git follows one plain path only.
            arguments.extend(["--no-color", "--no-show-signature", "-M", "--follow", "--name-status", "-z"]);
            arguments.extend(["--format=%x1e%H%x1f%h%x1f%s", range, "--", path.unwrap_or_default()]);
            records(&repository.text(&arguments)?)
        }
    };
    // What is laid over may include the files that it is for.
    let included: &[&str] = if reading.laid.iter().any(|path| is_c(path)) { &[":(top,glob)**/*.c"] } else { &[] };
    let other_names = other_names(reading, [base, range.rsplit("..").next().unwrap_or("HEAD")])?;
    let files = HEADERS.into_iter().chain(included.iter().copied());
    let names = other_names.iter().flatten().map(String::as_str);
    // Without a pattern every commit is one.
    let patterns = files.chain(names).filter(|_| other_names.is_some());
    let end = [range, "--"].into_iter().chain(patterns);
    let mut others = records(&repository.text(&plain.into_iter().chain(end).collect::<Vec<_>>())?);
    let mut warnings = Vec::new();
    if others.len() > MOST_HEADERS {
        let count = others.len();
        warnings.push(format!("{count} commits change headers: only those are looked at that change the program's own files"));
        others.clear();
    }
    let order = repository.text(&["rev-list", "--first-parent", range])?;
    // From the newest to the oldest, so that former names are known.
    let (mut found, mut name) = (Vec::new(), path.map(str::to_owned));
    for id in order.lines() {
        let is_it = |record: &&Record| record.id == id;
        let (change, other) = (own.iter().find(is_it), others.iter().find(is_it));
        let Some(record) = change.or(other) else { continue };
        if let Some(new) = change.and_then(|change| change.paths.last()) {
            name = Some(new.clone());
        }
        // Of several files some may not be linked.
        let is_own = change.is_some() && path.is_some();
        found.push(Commit { is_own, ..Commit::of(record, name.clone()) });
        if let Some([former, _]) = change.map(|change| change.paths.as_slice()) {
            name = Some(former.clone());
        }
    }
    let text = repository.text(&["log", "-1", "--no-color", "--no-show-signature", "-z", "--format=%x1e%H%x1f%h%x1f%s", base])?;
    found.extend(records(&text).iter().map(|one| Commit::of(one, name.clone())));
    found.reverse();
    Ok((found, warnings))
}

/// Patterns for what texts of these commits include that has no name of a header; nothing where a change of any file may be one
/// of a program: by links, and by flags of a build.
fn other_names(reading: &Reading<'_>, commits: [&str; 2]) -> Result<Option<BTreeSet<String>>, GitError> {
    let mut patterns = BTreeSet::new();
    let is_header = |name: &str| [".h", ".inc", ".def"].iter().any(|end| name.ends_with(end));
    for commit in commits {
        let revision = reading.repository.checkout(commit)?;
        if !revision.links.is_empty() || databases(reading.repository, reading.read).iter().any(|file| revision.has(file)) {
            return Ok(None);
        }
        let includes = reading.repository.includes(&revision)?;
        for name in includes.all_names().into_iter().map(name_of).filter(|name| !is_header(name)) {
            if name.contains(['*', '?', '[', '\\']) {
                return Ok(None);
            }
            patterns.insert(format!(":(top,glob)**/{name}"));
        }
    }
    Ok(Some(patterns))
}

/// A commit as git lists it.
#[derive(Clone)]
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
