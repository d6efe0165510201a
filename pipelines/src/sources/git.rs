//! Revisions of a git repository: what is in them, what was renamed, and a checkout of each in a folder of its own.
//!
//! A committed revision is written to a temporary folder through an index of its own, so that neither the repository nor
//! the user's index is touched and nothing is left behind but that folder if the machine fails. The working tree is used
//! where it is.
//! Does not know C, nor what the files are wanted for.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use formats::shown;
use program::executable::{find, search_path};
use tempfile::TempDir;

use super::affected::{Includes, Needed, is_prototype};

/// How the names of our temporary folders begin.
pub(crate) const TEMPORARY: &str = "residue-temporary-";
/// No file of our temporary folders, should they lie in the repository.
const TEMPORARY_FILES: &str = ":(top,glob,exclude)**/residue-temporary-*/**";
/// Settings that would write into the repository, run what the repository names, ask other machines, or not see changes.
const SETTINGS: [&str; 11] = [
    "core.splitIndex=false", "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.attributesFile=/dev/null",
    "core.sshCommand=false", "protocol.allow=never", "submodule.recurse=false", "safe.bareRepository=explicit", "core.pager=cat",
    "core.trustctime=true", "core.checkStat=default",
];
/// The environment of git: nothing is fetched, nobody is asked, and a name means what it is the name of.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("LC_ALL", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];
/// The mode of a symbolic link in an index.
const LINK: &str = "120000";
/// That of the commit of another repository.
const MODULE: &str = "160000";

/// A repository seen from the folder the user is in.
#[derive(Debug)]
pub(crate) struct Repository {
    /// Its root, with symbolic links resolved.
    pub(crate) top: PathBuf,
    /// Where the user is, with symbolic links resolved.
    pub(crate) here: PathBuf,
    /// Names of settings that take the effect from those of the repository, and their values.
    settings: Vec<(String, &'static str)>,
}

/// The two sides of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The commit of the original programs.
    pub(crate) base: String,
    /// The commit of the modified programs; `None` is the working tree.
    pub(crate) head: Option<String>,
}

/// A revision whose files can be read.
#[derive(Debug)]
pub(crate) struct Revision {
    /// How the user calls it.
    pub(crate) name: String,
    /// The root of its files.
    pub(crate) tree: PathBuf,
    /// The commit; `None` is the working tree.
    commit: Option<String>,
    /// An index with exactly its files.
    index: PathBuf,
    /// Tracked symbolic links that lead out of the files, which are left out.
    pub(crate) left_out: Vec<String>,
    /// The files it has, links among them; of the working tree those that git knows or could know.
    pub(crate) files: BTreeSet<String>,
    /// The links among them.
    pub(crate) links: BTreeSet<String>,
    /// The commits of other repositories that it has, by their folders.
    pub(crate) modules: BTreeMap<String, String>,
    /// Files of the working tree that are new in the revision it is compared with, and would hide files of this one.
    pub(crate) strangers: OnceLock<BTreeSet<String>>,
    /// Holds index and files; removed at the end.
    _folder: TempDir,
}

/// What an index has.
struct Listed {
    files: BTreeSet<String>,
    links: BTreeSet<String>,
    modules: BTreeMap<String, String>,
}

/// Why git does not give what is wanted.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub(crate) enum GitError {
    /// It cannot be run.
    #[error("cannot run git: {0}")]
    #[diagnostic(help("--git needs the program git on the path"))]
    Start(std::io::Error),
    /// It refuses.
    #[error("git {command}: {message}")]
    Failed {
        /// The subcommand.
        command: String,
        /// What it says.
        message: String,
    },
    /// A name that is no commit.
    #[error("`{name}` is no commit of this repository")]
    #[diagnostic(help("name a branch, a tag or a commit; a shallow clone lacks older ones (git fetch --unshallow)"))]
    NoCommit {
        /// The name.
        name: String,
    },
    /// A file name that cannot be shown.
    #[error("the file name {name:?} is not UTF-8")]
    Name {
        /// The name, as far as it can be shown.
        name: String,
    },
    /// The settings of the repository lead somewhere else.
    #[error("git takes {} for the working tree, which is no repository", shown::name(top))]
    #[diagnostic(help("the settings of the repository say so (core.worktree): remove them"))]
    Elsewhere {
        /// What git names.
        top: PathBuf,
    },
    /// A file that is to be laid over revisions is not in the repository.
    #[error("--with: {} is no file of the repository's folder", shown::name(file))]
    #[diagnostic(help("put it where the files are that it includes; git need not know it"))]
    Outside {
        /// The file.
        file: PathBuf,
    },
    /// A folder or file beside the repository cannot be written.
    #[error("cannot prepare a checkout: {0}")]
    Folder(std::io::Error),
}

impl Repository {
    /// The repository around the current folder.
    ///
    /// # Errors
    /// [`GitError`] if there is none.
    pub(crate) fn open() -> Result<Self, GitError> {
        let here = std::env::current_dir().and_then(std::fs::canonicalize).map_err(GitError::Folder)?;
        let top = text(run(&here, &[], &["rev-parse", "--show-toplevel"], None)?)?;
        let top = std::fs::canonicalize(top.trim_end_matches('\n')).map_err(GitError::Folder)?;
        let is_named = std::env::var_os("GIT_WORK_TREE").is_some() || std::env::var_os("GIT_DIR").is_some();
        if !(is_named || here.starts_with(&top) && top.join(".git").exists()) {
            return Err(GitError::Elsewhere { top });
        }
        let settings = without_drivers(&here);
        Ok(Self { top, here, settings })
    }

    /// Runs git in a folder of the repository; its standard output.
    fn git<A: Into<OsString> + Clone>(&self, folder: &Path, arguments: &[A], index: Option<&Path>) -> Result<Vec<u8>, GitError> {
        run(folder, &self.settings, arguments, index)
    }

    /// The sides of `BASE`, `BASE..HEAD` or `BASE...HEAD` (from where they parted).
    ///
    /// # Errors
    /// [`GitError::NoCommit`].
    pub(crate) fn range(&self, text: &str) -> Result<Range, GitError> {
        let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        if let Some((base, head)) = text.split_once("...") {
            let (base, head) = (self.commit(&or_head(base))?, or_head(head));
            let parted = self.git(&self.top, &["merge-base", &base, &self.commit(&head)?], None)?;
            return Ok(Range { base: self::text(parted)?.trim().to_owned(), head: Some(head) });
        }
        let (base, head) = match text.split_once("..") {
            Some((base, head)) => (or_head(base), Some(or_head(head))),
            None => (text.to_owned(), None),
        };
        for name in [Some(&base), head.as_ref()].into_iter().flatten() {
            self.commit(name)?;
        }
        Ok(Range { base, head })
    }

    /// What git prints, if that is text.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub(crate) fn text(&self, arguments: &[&str]) -> Result<String, GitError> {
        text(self.git(&self.top, arguments, None)?)
    }

    /// What git prints, if that is text, with paths and patterns that are relative to where the user is.
    ///
    /// # Errors
    /// [`GitError`] if git refuses.
    pub(crate) fn text_here(&self, arguments: &[&str]) -> Result<String, GitError> {
        text(self.git(&self.here, arguments, None)?)
    }

    /// The commit of a name.
    ///
    /// # Errors
    /// [`GitError::NoCommit`].
    pub(crate) fn commit(&self, name: &str) -> Result<String, GitError> {
        let wanted = format!("{name}^{{commit}}");
        let found = self.git(&self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted], None);
        let found = found.map_err(|_| GitError::NoCommit { name: name.to_owned() })?;
        Ok(text(found)?.trim().to_owned())
    }

    /// Prepares a temporary folder for the files of a commit; [`Repository::fetch`] writes them.
    ///
    /// # Errors
    /// [`GitError`] if git cannot do it.
    pub(crate) fn checkout(&self, name: &str) -> Result<Revision, GitError> {
        let commit = self.commit(name)?;
        let folder = temporary()?;
        let root = std::fs::canonicalize(folder.path()).map_err(GitError::Folder)?;
        let (index, tree) = (root.join("index"), root.join("tree"));
        std::fs::create_dir(&tree).map_err(GitError::Folder)?;
        self.git(&self.top, &["read-tree", &commit], Some(&index))?;
        let Listed { files, links, modules } = self.listed(&index)?;
        // Folders are looked for by name only.
        let parents: BTreeSet<&Path> = files.iter().filter_map(|file| Path::new(file).parent()).collect();
        parents.iter().try_for_each(|parent| std::fs::create_dir_all(tree.join(parent))).map_err(GitError::Folder)?;
        let (name, left_out) = (name.to_owned(), Vec::new());
        let strangers = OnceLock::new();
        let commit = Some(commit);
        let mut revision = Revision { name, tree, commit, index, left_out, files, links, modules, strangers, _folder: folder };
        if !revision.links.is_empty() {
            // Where they lead is not known before.
            self.fetch(&revision, &Needed::Everything)?;
            revision.left_out = self.leave_out_links(&revision.tree, &revision.index)?;
        }
        Ok(revision)
    }

    /// Writes files of a commit to its folder, if they are not there.
    ///
    /// # Errors
    /// [`GitError`] if git cannot do it.
    pub(crate) fn fetch(&self, revision: &Revision, needed: &Needed) -> Result<(), GitError> {
        if revision.commit.is_none() {
            return Ok(());
        }
        let prefix = format!("--prefix={}/", revision.tree.display());
        // What is laid over the revision, and links that are left out, are there or not on purpose.
        let missing =
            |path: &&String| revision.files.contains(*path) && std::fs::symlink_metadata(revision.tree.join(path)).is_err();
        let wanted: BTreeSet<&String> = match needed {
            Needed::Everything => revision.files.iter().filter(missing).collect(),
            Needed::Files(files) => files.iter().filter(missing).collect(),
        };
        let wanted: Vec<&String> = wanted.into_iter().filter(|path| !revision.left_out.contains(path)).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let names: Vec<u8> = wanted.iter().flat_map(|path| path.bytes().chain([0])).collect();
        let arguments = ["checkout-index", "--force", "--quiet", "-z", "--stdin", &prefix];
        run_with(&self.top, &self.settings, &arguments, Some(&revision.index), Some(names)).map(drop)
    }

    /// What an index has.
    fn listed(&self, index: &Path) -> Result<Listed, GitError> {
        let listed = known(&self.git(&self.top, &["ls-files", "-z", "--stage"], Some(index))?);
        let entries: Vec<(&str, &str)> = listed.iter().filter_map(|entry| entry.split_once('\t')).collect();
        let is_file = |mode: &str| mode.starts_with("100") || mode.starts_with(LINK);
        let files = entries.iter().filter(|(mode, _)| is_file(mode)).map(|(_, name)| (*name).to_owned()).collect();
        let links = entries.iter().filter(|(mode, _)| mode.starts_with(LINK)).map(|(_, name)| (*name).to_owned()).collect();
        let module = |(about, name): &(&str, &str)| Some(((*name).to_owned(), about.strip_prefix(MODULE)?.trim().to_owned()));
        Ok(Listed { files, links, modules: entries.iter().filter_map(module).collect() })
    }

    /// The files that differ between two revisions, or that only one of them has.
    ///
    /// # Errors
    /// [`GitError`] if git cannot compare.
    pub(crate) fn differing(&self, base: &Revision, head: &Revision) -> Result<BTreeSet<String>, GitError> {
        let mut arguments =
            vec!["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-renames", "-z", "--name-only"];
        arguments.extend(base.commit.as_deref());
        arguments.extend(head.commit.as_deref());
        Ok(names(&self.git(&self.top, &arguments, Some(&head.index))?)?.into_iter().collect())
    }

    /// What the files of a revision include.
    ///
    /// # Errors
    /// [`GitError`] if git cannot search them.
    pub(crate) fn includes(&self, revision: &Revision) -> Result<Includes, GitError> {
        let mut all = Includes::default();
        for (path, line) in self.grep(revision, &["-F", "-e", "include", "-e", "import", "-e", "embed", "-e", "incbin"])? {
            all.add(&path, &line);
        }
        // A directive whose name a line splice cuts.
        let cut = r"(#|%:|\?\?=)([[:space:]]|/\*.*\*/)*[a-z_]*(\\|\?\?/)[[:space:]]*$";
        let asks = r"__(h|ha|has|has_[a-z_]*)(\\|\?\?/)[[:space:]]*$";
        // As before, where a comment has begun within the directive.
        let begun =
            r"\*/[[:space:]]*(i|in|inc|incl|inclu|includ|include_[a-z]*|im|imp|impo|impor|e|em|emb|embe)(\\|\?\?/)[[:space:]]*$";
        for (path, _) in self.grep(revision, &["-E", "-e", cut, "-e", asks, "-e", begun])? {
            all.add_computed(&path);
        }
        Ok(all)
    }

    /// The files of the working tree that git does not know, ignored ones among them.
    ///
    /// # Errors
    /// [`GitError`] if git cannot list them.
    pub(crate) fn untracked(&self) -> Result<Vec<String>, GitError> {
        Ok(known(&self.git(&self.top, &["ls-files", "-z", "--others", "--", ":/", TEMPORARY_FILES], None)?))
    }

    /// The files of a revision that have one of these words, or that may put one together from parts.
    ///
    /// # Errors
    /// [`GitError`] if git cannot search them.
    pub(crate) fn mentions(&self, revision: &Revision, words: &BTreeSet<String>) -> Result<BTreeSet<String>, GitError> {
        let mut found = BTreeSet::new();
        let all: Vec<&String> = words.iter().collect();
        for part in all.chunks(500) {
            let patterns = part.iter().flat_map(|word| ["-e", word.as_str()]);
            let arguments: Vec<&str> = ["-w", "-F"].into_iter().chain(patterns).collect();
            let lines = self.grep(revision, &arguments)?.into_iter();
            found.extend(lines.filter(|(_, line)| !is_prototype(line, words)).map(|(path, _)| path));
        }
        found.extend(self.grep(revision, &["-F", "-e", "##", "-e", "%:%:"])?.into_iter().map(|(path, _)| path));
        Ok(found)
    }

    /// The files of a revision that have a name which a line splice may cut.
    ///
    /// # Errors
    /// [`GitError`] if git cannot search them.
    pub(crate) fn spliced(&self, revision: &Revision) -> Result<BTreeSet<String>, GitError> {
        let cut = r"[[:alnum:]_$](\\|\?\?/)[[:space:]]*$";
        Ok(self.grep(revision, &["-E", "-e", cut])?.into_iter().map(|(path, _)| path).collect())
    }

    /// The files of a revision that have a text anywhere.
    ///
    /// # Errors
    /// [`GitError`] if git cannot search them.
    pub(crate) fn having(&self, revision: &Revision, text: &str) -> Result<BTreeSet<String>, GitError> {
        Ok(self.grep(revision, &["-F", "-e", text])?.into_iter().map(|(path, _)| path).collect())
    }

    /// The lines of a revision that match, and their files.
    fn grep(&self, revision: &Revision, patterns: &[&str]) -> Result<Vec<(String, String)>, GitError> {
        let mut arguments = vec!["grep", "-z", "--full-name", "--text", "--no-recurse-submodules", "--no-textconv", "--no-color"];
        arguments.extend(patterns);
        arguments.extend(revision.commit.as_deref());
        let found = match self.git(&self.top, &arguments, Some(&revision.index)) {
            // There is none.
            Err(GitError::Failed { message, .. }) if message.is_empty() => return Ok(Vec::new()),
            found => found?,
        };
        let prefix = revision.commit.as_ref().map(|commit| format!("{commit}:")).unwrap_or_default();
        let lines = found.split(|byte| *byte == b'\n').filter_map(|line| {
            let at = line.iter().position(|byte| *byte == 0)?;
            let path = std::str::from_utf8(&line[..at]).ok()?;
            Some((path.strip_prefix(&prefix)?.to_owned(), String::from_utf8_lossy(&line[at + 1..]).into_owned()))
        });
        Ok(lines.collect())
    }

    /// Removes the symbolic links from a checkout that do not lead to a file or folder in it; their names.
    fn leave_out_links(&self, tree: &Path, index: &Path) -> Result<Vec<String>, GitError> {
        let listed = known(&self.git(&self.top, &["ls-files", "-z", "--stage"], Some(index))?);
        let links = listed.iter().filter_map(|entry| entry.split_once('\t')).filter(|(mode, _)| mode.starts_with(LINK));
        let mut left_out = Vec::new();
        for (_, name) in links {
            let link = tree.join(name);
            if std::fs::symlink_metadata(&link).is_err() {
                continue;
            }
            if !std::fs::canonicalize(&link).is_ok_and(|target| target.starts_with(tree)) {
                std::fs::remove_file(&link).map_err(GitError::Folder)?;
                left_out.push(name.to_owned());
            }
        }
        Ok(left_out)
    }

    /// The working tree, files that are not yet known to git included, ignored ones and the `own` folders excluded: what
    /// we write there is nobody's program.
    ///
    /// # Errors
    /// [`GitError`] if git cannot list them.
    pub(crate) fn working_tree(&self, own: &[PathBuf]) -> Result<Revision, GitError> {
        let folder = temporary()?;
        let index = std::fs::canonicalize(folder.path()).map_err(GitError::Folder)?.join("index");
        let theirs = text(self.git(&self.top, &["rev-parse", "--git-path", "index"], None)?)?;
        let theirs = self.top.join(theirs.trim_end_matches('\n'));
        if theirs.is_file() {
            std::fs::copy(&theirs, &index).map_err(GitError::Folder)?;
            // By its age git knows which files may have changed since without another size or time.
            let age = std::fs::metadata(&theirs).and_then(|metadata| metadata.modified()).map_err(GitError::Folder)?;
            let copy = std::fs::File::options().write(true).open(&index).map_err(GitError::Folder)?;
            copy.set_modified(age).map_err(GitError::Folder)?;
        }
        self.look_at_all(&index)?;
        let mut arguments: Vec<OsString> = ["add", "--intent-to-add", "--", ":/", TEMPORARY_FILES].map(OsString::from).into();
        let own = own.iter().filter_map(|folder| std::fs::canonicalize(folder).ok());
        let inside = own.filter_map(|folder| folder.strip_prefix(&self.top).map(Path::to_owned).ok());
        // Git refuses to leave out what it ignores already.
        let is_ignored = |folder: &PathBuf| {
            self.git(&self.top, &["check-ignore".into(), "--quiet".into(), "--".into(), folder.clone().into_os_string()], None)
                .is_ok()
        };
        let inside = inside.filter(|folder| !is_ignored(folder));
        arguments.extend(inside.map(|folder| format!(":(top,literal,exclude){}", folder.display()).into()));
        self.git(&self.top, &arguments, Some(&index))?;
        let Listed { files, links, mut modules } = self.listed(&index)?;
        for (path, commit) in &mut modules {
            *commit = self.module_there(path, commit);
        }
        Ok(Revision {
            files,
            links,
            modules,
            name: "the working tree".to_owned(),
            tree: self.top.clone(),
            commit: None,
            index,
            left_out: Vec::new(),
            strangers: OnceLock::new(),
            _folder: folder,
        })
    }

    /// What is there of another repository: its commit, if nothing differs from it there, which is `known` where nothing is there.
    fn module_there(&self, path: &str, known: &str) -> String {
        let folder = self.top.join(path);
        if folder.join(".git").symlink_metadata().is_err() {
            return known.to_owned();
        }
        let settings = without_drivers(&folder);
        let ask = |arguments: &[&str]| {
            run(&folder, &settings, arguments, None).ok().map(|out| String::from_utf8_lossy(&out).into_owned())
        };
        let differs = ["status", "--porcelain", "--ignore-submodules=all", "--untracked-files=all"];
        let is_plain = !folder.join(".gitmodules").exists() && ask(&differs).is_some_and(|text| text.is_empty());
        match ask(&["rev-parse", "HEAD"]).filter(|_| is_plain) {
            Some(commit) => format!("{} 0", commit.trim()),
            None => "changes of the working tree".to_owned(),
        }
    }

    /// Lets an index of ours have nothing that git would not look at: files that are assumed unchanged, and those that are there
    /// although they are left out.
    fn look_at_all(&self, index: &Path) -> Result<(), GitError> {
        let listed = known(&self.git(&self.top, &["ls-files", "-v", "-z"], Some(index))?);
        let entries: Vec<(&str, &str)> = listed.iter().filter_map(|entry| entry.split_once(' ')).collect();
        let is_assumed = |tag: &str| tag.chars().all(|c| c.is_ascii_lowercase());
        let is_there = |path: &str| std::fs::symlink_metadata(self.top.join(path)).is_ok();
        let assumed = entries.iter().filter(|(tag, _)| is_assumed(tag));
        let skipped = entries.iter().filter(|(tag, path)| tag.eq_ignore_ascii_case("S") && is_there(path));
        let list = |entries: &mut dyn Iterator<Item = &(&str, &str)>| -> Vec<u8> {
            entries.flat_map(|(_, path)| path.bytes().chain([0])).collect()
        };
        let (assumed, skipped) = (list(&mut assumed.into_iter()), list(&mut skipped.into_iter()));
        for (flag, list) in [("--no-assume-unchanged", assumed), ("--no-skip-worktree", skipped)] {
            if !list.is_empty() {
                run_with(&self.top, &self.settings, &["update-index", flag, "-z", "--stdin"], Some(index), Some(list))?;
            }
        }
        Ok(())
    }

    /// The path in the repository of a file that revisions are taken to have.
    ///
    /// # Errors
    /// If it is no file below the root: what it includes would be found nowhere in a checkout.
    pub(crate) fn inside(&self, file: &Path) -> Result<String, GitError> {
        let resolved = std::fs::canonicalize(self.here.join(file)).ok().filter(|file| file.is_file());
        let inside = resolved.and_then(|file| file.strip_prefix(&self.top).ok()?.to_str().map(str::to_owned));
        inside.ok_or_else(|| GitError::Outside { file: file.to_owned() })
    }

    /// Lays a file of the working tree over a revision.
    ///
    /// # Errors
    /// [`GitError`] if git or the file system refuses.
    pub(crate) fn lay_over(&self, revision: &Revision, path: &str) -> Result<(), GitError> {
        let pathspec = format!(":(top,literal){path}");
        self.git(&self.top, &["add", "--intent-to-add", "--force", "--", &pathspec], Some(&revision.index))?;
        let to = revision.tree.join(path);
        if revision.commit.is_some() {
            let folder = to.parent().unwrap_or(&revision.tree);
            std::fs::create_dir_all(folder).map_err(GitError::Folder)?;
            if !std::fs::canonicalize(folder).is_ok_and(|folder| folder.starts_with(&revision.tree)) {
                return Err(GitError::Outside { file: to });
            }
            let bytes = std::fs::read(self.top.join(path)).map_err(GitError::Folder)?;
            // A link that is there is replaced, not followed.
            let _ = std::fs::remove_file(&to);
            std::fs::write(&to, bytes).map_err(GitError::Folder)?;
        }
        Ok(())
    }

    /// The files of a revision that a pathspec names, relative to the root, sorted.
    ///
    /// # Errors
    /// [`GitError`] if the pathspec is none.
    pub(crate) fn files(&self, revision: &Revision, pathspec: &Path) -> Result<BTreeSet<String>, GitError> {
        let pathspec = self.pathspec(pathspec);
        let arguments = [OsString::from("ls-files"), "-z".into(), "--full-name".into(), "--".into(), pathspec];
        let listed = known(&self.git(&self.here, &arguments, Some(&revision.index))?);
        // The index of the working tree still lists what was deleted.
        Ok(listed.into_iter().filter(|path| revision.has(path)).collect())
    }

    /// Where files of `head` come from that have another name in `base`: new name to former name.
    ///
    /// # Errors
    /// [`GitError`] if git cannot compare.
    pub(crate) fn renames(&self, base: &Revision, head: &Revision) -> Result<BTreeMap<String, String>, GitError> {
        let mut arguments = vec![
            "diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "-M", "-l32767", "-z", "--name-status",
            "--diff-filter=R",
        ];
        arguments.extend(base.commit.as_deref());
        arguments.extend(head.commit.as_deref());
        let fields = names(&self.git(&self.top, &arguments, Some(&head.index))?)?;
        Ok(fields.chunks_exact(3).map(|fields| (fields[2].clone(), fields[1].clone())).collect())
    }

    /// The files git knows below a folder of the working tree; those of a build folder are not among them.
    pub(crate) fn tracks(&self, folder: &Path) -> bool {
        let arguments = [OsString::from("--literal-pathspecs"), "ls-files".into(), "-z".into(), "--".into(), folder.into()];
        self.git(&self.top, &arguments, None).is_ok_and(|listed| !listed.is_empty())
    }

    /// A path as git wants it: what is the name of a file is no pattern with magic, `**` matches folders as in a shell, and absolute
    /// paths are relative to the root.
    fn pathspec(&self, path: &Path) -> OsString {
        let shown = path.to_string_lossy();
        if path.is_absolute() {
            let resolved = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            if let Ok(inside) = resolved.strip_prefix(&self.top) {
                return format!(":(top){}", inside.display()).into();
            }
        }
        if shown.starts_with(':') && shown != ":/" && std::fs::symlink_metadata(self.here.join(path)).is_ok() {
            return format!(":(literal){shown}").into();
        }
        if shown.contains("**") && !shown.starts_with(':') {
            return format!(":(glob){shown}").into();
        }
        path.into()
    }
}

impl Revision {
    /// Whether its files are those of the working tree.
    pub(crate) fn is_working_tree(&self) -> bool {
        self.commit.is_none()
    }

    /// Whether it has a file.
    pub(crate) fn has(&self, path: &str) -> bool {
        let is_there = || self.tree.join(path).is_file();
        match self.commit {
            Some(_) => self.files.contains(path) && !self.links.contains(path) || is_there(),
            None => is_there(),
        }
    }
}

fn temporary() -> Result<TempDir, GitError> {
    tempfile::Builder::new().prefix(TEMPORARY).tempdir().map_err(GitError::Folder)
}

/// Settings that make the drivers for filters, comparisons and merges empty, which the settings of a repository can name and
/// its `.gitattributes` choose.
fn without_drivers(folder: &Path) -> Vec<(String, &'static str)> {
    let pattern = r"^(filter|diff|merge)\..*\.(clean|smudge|process|required|command|textconv|driver)$";
    // Exit code 1: there are none.
    let listed = run(folder, &[], &["config", "-z", "--name-only", "--get-regexp", pattern], None).unwrap_or_default();
    let keys = String::from_utf8_lossy(&listed).into_owned();
    let off = |key: &str| (key.to_owned(), if key.ends_with(".required") { "false" } else { "" });
    keys.split('\0').filter(|key| !key.is_empty()).map(off).collect()
}

/// Runs git; its standard output.
fn run<A: Into<OsString> + Clone>(
    folder: &Path,
    settings: &[(String, &'static str)],
    arguments: &[A],
    index: Option<&Path>,
) -> Result<Vec<u8>, GitError> {
    run_with(folder, settings, arguments, index, None)
}

/// Runs git with an input; its standard output.
fn run_with<A: Into<OsString> + Clone>(
    folder: &Path,
    settings: &[(String, &'static str)],
    arguments: &[A],
    index: Option<&Path>,
    input: Option<Vec<u8>>,
) -> Result<Vec<u8>, GitError> {
    let arguments: Vec<OsString> = arguments.iter().cloned().map(Into::into).collect();
    let fixed = SETTINGS.into_iter().flat_map(|setting| ["-c", setting]);
    let fixed = std::iter::once("--no-pager").chain(fixed).map(OsString::from);
    let git = find("git").map_err(GitError::Start)?;
    let mut command = duct::cmd(git, fixed.chain(arguments.iter().cloned())).dir(folder).env("PATH", search_path());
    command = ENVIRONMENT.into_iter().fold(command, |command, (name, value)| command.env(name, value));
    if !settings.is_empty() {
        // Not as arguments, which end the name of a setting at its first equals sign.
        let before = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
        command = command.env("GIT_CONFIG_COUNT", (before + settings.len()).to_string());
        for (number, (name, value)) in (before..).zip(settings) {
            command = command.env(format!("GIT_CONFIG_KEY_{number}"), name).env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
    }
    if let Some(index) = index {
        command = command.env("GIT_INDEX_FILE", index);
    }
    command = match input {
        Some(bytes) => command.stdin_bytes(bytes),
        None => command.stdin_null(),
    };
    let ran = command.stdout_capture().stderr_capture().unchecked().run().map_err(GitError::Start)?;
    if ran.status.success() {
        return Ok(ran.stdout);
    }
    let command = arguments.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Err(GitError::Failed { command, message: String::from_utf8_lossy(&ran.stderr).trim().to_owned() })
}

/// The fields of an answer to `-z` that are text: what has no name that can be written down is no file of ours, unless it has
/// changed.
fn known(answer: &[u8]) -> Vec<String> {
    let fields = answer.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    fields.filter_map(|field| std::str::from_utf8(field).ok().map(str::to_owned)).collect()
}

/// The fields of an answer to `-z`.
fn names(answer: &[u8]) -> Result<Vec<String>, GitError> {
    let fields = answer.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    fields.map(|field| text(field.to_vec())).collect()
}

fn text(bytes: Vec<u8>) -> Result<String, GitError> {
    String::from_utf8(bytes).map_err(|error| GitError::Name { name: String::from_utf8_lossy(error.as_bytes()).into_owned() })
}
