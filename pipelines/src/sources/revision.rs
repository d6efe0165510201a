//! Programs of a revision: read and preprocessed inside its checkout, with the flags of its build.
//!
//! Invariant: line markers and `__FILE__` name files by their path in the repository, so that nothing depends on where
//! the checkout is.
//! Does not know which files are checked, nor what is compared.

mod files;
mod given;
mod markers;
mod readable;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use formats::DataModel;
use miette::miette;
use program::executable::{COMPILER, compiler};
use program::preprocess::{base_arguments, definitions, typed_constants};
use program::source::SourceFile;

pub(crate) use self::files::{place, write};
pub(crate) use self::given::inside;
use self::markers::{entered, in_tree, without_tree};
pub(crate) use self::readable::{is_below, readable_folders};
use self::readable::{is_of_the_system, outside, readable};
pub(super) use self::source::Prepared;
pub(crate) use self::source::{Source, comparable};
use super::affected::{Needed, name_of};
use super::command_flags::{Flags, Translate, normalised};
use super::compile_commands::{Database, PLACES};
use super::git::{GitError, Repository, Revision};
use crate::run::unit::Surroundings;

/// Arguments with a folder in which headers are looked for.
const FOLDERS: [&str; 4] = ["-isystem", "-iquote", "-idirafter", "-I"];

/// Arguments of the user with a file that is read first.
const FIRST: [&str; 2] = ["-include", "-imacros"];

/// How deep files of flags name others.
const DEEPEST_FLAGS: usize = 16;

/// How the programs of a revision are read.
pub(crate) struct Reader<'a> {
    repository: &'a Repository,
    revision: &'a Revision,
    database: Option<Database>,
    /// Whether it is a file of the revision.
    is_own: bool,
    /// Its text.
    database_text: Option<Vec<u8>>,
    /// The folder that was the root of the repository for the database.
    root: PathBuf,
    options: &'a ReadOptions,
    /// The targets of the build that are meant, if any are named.
    targets: &'a [String],
    /// Folders and files, with symbolic links resolved, that a program may be made of.
    readable: Vec<PathBuf>,
    /// Files that are there and among these, or in one of them.
    found_readable: Mutex<BTreeSet<PathBuf>>,
    /// Files that are not known to git, or are as the revision has them.
    found_own: Mutex<BTreeSet<PathBuf>>,
}

/// Where the compilation database may be in a revision.
pub(crate) fn databases(repository: &Repository, options: &ReadOptions) -> BTreeSet<String> {
    let named = options.compile_commands.as_ref().map(|file| normalised(&repository.here.join(file)));
    let inside = named.and_then(|file| file.strip_prefix(&repository.top).ok()?.to_str().map(str::to_owned));
    PLACES.iter().map(|place| (*place).to_owned()).chain(inside).collect()
}

/// What the command line says about reading.
#[derive(Clone, Debug)]
pub(crate) struct ReadOptions {
    /// The data model; `None` leaves it to the flags of the build.
    pub(crate) data_model: Option<DataModel>,
    /// Arguments for the preprocessor, as given.
    pub(crate) preprocessor: Vec<String>,
    /// `--compile-commands`.
    pub(crate) compile_commands: Option<PathBuf>,
}

/// What was read of both revisions, by path.
pub(super) type Ready = [BTreeMap<String, Source>; 2];

impl<'a> Reader<'a> {
    /// A reader for a revision: its own `compile_commands.json` if there is one, else that of the working tree.
    ///
    /// # Errors
    /// If the compilation database cannot be used.
    pub(crate) fn new(repository: &'a Repository, revision: &'a Revision, options: &'a ReadOptions) -> miette::Result<Self> {
        let mut candidates: Vec<PathBuf> = Vec::new();
        if let Some(file) = &options.compile_commands {
            let file = normalised(&repository.here.join(file));
            candidates.extend(file.strip_prefix(&repository.top).ok().map(|inside| revision.tree.join(inside)));
            candidates.push(file);
        } else {
            for tree in [&revision.tree, &repository.top] {
                candidates.extend(PLACES.iter().map(|place| tree.join(place)));
            }
        }
        let named = options.compile_commands.is_some();
        let plain = Self::plain(repository, revision, options);
        // What the user has put there may be a link to a build folder; what the repository has may not lead out of it.
        let is_theirs = |file: &PathBuf| !named && !is_below(&plain.readable, file) && repository.tracks(file);
        let found = candidates.iter().find(|file| file.is_file() && !is_theirs(file)).or(candidates.last().filter(|_| named));
        let database = found.map(|file| Database::read(file)).transpose()?;
        let database_text = found.and_then(|file| std::fs::read(file).ok());
        let root =
            database.as_ref().map(|database| database.root(&|file| revision.has(file), &repository.top)).unwrap_or_default();
        let inside = found.and_then(|file| file.strip_prefix(&revision.tree).ok()?.to_str());
        let is_own = inside.is_some_and(|file| revision.has(file));
        let mut reader = Self { database, is_own, database_text, root, ..plain };
        reader.read_files_of_flags()?;
        Ok(reader)
    }

    /// A reader for a revision that knows no build.
    pub(crate) fn plain(repository: &'a Repository, revision: &'a Revision, options: &'a ReadOptions) -> Self {
        Self {
            repository,
            revision,
            database: None,
            is_own: false,
            database_text: None,
            root: PathBuf::new(),
            options,
            targets: &[],
            readable: readable(repository, revision, &options.preprocessor),
            found_readable: Mutex::default(),
            found_own: Mutex::default(),
        }
    }

    /// Reads the files that commands take flags from, which may name others; they are checked out for it.
    fn read_files_of_flags(&mut self) -> Result<(), GitError> {
        let Some(mut database) = self.database.take() else { return Ok(()) };
        for _ in 0..DEEPEST_FLAGS {
            let named = database.files_of_flags();
            let names: BTreeSet<&str> = named.iter().map(|file| name_of(file)).collect();
            if names.is_empty() {
                break;
            }
            let files = self.revision.files.iter().filter(|path| names.contains(name_of(path)));
            // A link has the name of another file.
            let is_known = self.revision.links.is_empty();
            let needed = if is_known { Needed::Files(files.cloned().collect()) } else { Needed::Everything };
            self.repository.fetch(self.revision, &needed)?;
            if !database.read_files_of_flags(&*self) {
                break;
            }
        }
        self.database = Some(database);
        Ok(())
    }

    /// A reader that takes the flags with which files are compiled for these targets.
    #[must_use]
    pub(crate) fn of_targets(self, targets: &'a [String]) -> Self {
        Self { targets, ..self }
    }

    /// Whether both readers use the same flags for a file of the same name.
    pub(crate) fn has_flags_of(&self, other: &Self) -> bool {
        let databases = (self.database.as_ref(), other.database.as_ref());
        let has_same_files = match databases {
            (Some(own), Some(others)) => own.has_flags_of_files_of(others),
            (None, _) | (_, None) => true,
        };
        self.database_text == other.database_text && has_same_files
    }

    /// Folders outside of the repository that flags name, as far as their text tells.
    pub(super) fn folders_outside(&self) -> Vec<PathBuf> {
        let own = [&self.repository.top, &self.revision.tree];
        let mut found = absolute_folders(&self.flags());
        found.retain(|folder| !own.iter().any(|own| folder.starts_with(own)));
        found
    }

    /// All flags that programs may be read with, and whatever else the compilation database says.
    pub(crate) fn flags(&self) -> String {
        let database = self.database_text.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        format!("{}\n{database}", self.options.preprocessor.join(" "))
    }

    /// The files that the database compiles, whether the revision has them or not; nothing where there is none.
    pub(super) fn compiled(&self) -> Option<BTreeSet<String>> {
        Some(self.database.as_ref()?.files_of(&self.root, "").into_iter().collect())
    }

    /// The flags with which the build compiles a file, and the contents of what is read before it, without saying where a checkout is.
    pub(super) fn command(&self, path: &str) -> Vec<String> {
        let flags = self.database.as_ref().and_then(|database| database.flags(&self.root, path, self.targets, self));
        let flags = flags.unwrap_or_default();
        let top = format!("{}/", self.repository.top.display());
        let first = flags.first.iter().filter(|file| file.is_file() && self.may_read(file));
        let first =
            first.filter_map(|file| Some(format!("a file with SHA-256 {}", formats::sha256_hex(&std::fs::read(file).ok()?))));
        let arguments = flags.arguments.iter().map(|argument| self.without_tree(argument).replace(&top, ""));
        arguments
            .chain(flags.data_model.map(|model| model.to_string()))
            .chain(flags.besides.iter().cloned())
            .chain(first)
            .collect()
    }

    /// Whether the database is a file of the revision: one that is not says nothing of what a change does to flags.
    pub(super) fn has_own_database(&self) -> bool {
        self.is_own
    }

    /// The names of files that are read before every program, or before some.
    pub(crate) fn first(&self) -> BTreeSet<String> {
        let given = &self.options.preprocessor;
        let database = self.database.iter().flat_map(Database::first);
        // The file may be a word of its own.
        let given = given.iter().zip(given.iter().skip(1).map(Some).chain([None])).filter_map(|(argument, next)| {
            let name = FIRST.iter().find_map(|flag| argument.strip_prefix(flag))?;
            if name.is_empty() { next.cloned() } else { Some(name.to_owned()) }
        });
        given.chain(database).map(|path| name_of(&path).to_owned()).collect()
    }

    /// The files of the revision that the build makes a target of; all that it compiles for an empty name.
    ///
    /// # Errors
    /// If there is no compilation database.
    pub(crate) fn files_of(&self, target: &str) -> miette::Result<Vec<String>> {
        let Some(database) = &self.database else {
            return Err(miette!(
                help = "let the build write compile_commands.json, name it with --compile-commands, or name files with --link",
                "there is no compilation database that names targets"
            ));
        };
        let mut files = database.files_of(&self.root, target);
        // In the order of the build, which is that of linking.
        let mut seen = BTreeSet::new();
        files.retain(|file| self.revision.has(file) && seen.insert(file.clone()));
        Ok(files)
    }

    /// Reads and preprocesses the file `path`; if the build does not know it, with the flags of `other_name`.
    ///
    /// # Errors
    /// If it cannot be read or the preprocessor refuses it.
    pub(crate) fn read(&self, path: &str, other_name: &str) -> miette::Result<Source> {
        let prepared = self.prepare(path, other_name)?;
        let (text, _) = self.preprocessed(&prepared)?;
        Ok(self.source(prepared, text))
    }

    /// What [`Reader::read`] does before preprocessing.
    ///
    /// # Errors
    /// If the file cannot be read, or its flags cannot be used.
    pub(super) fn prepare(&self, path: &str, other_name: &str) -> miette::Result<Prepared> {
        let file = self.revision.tree.join(path);
        let cannot = |error: &dyn std::fmt::Display| miette!("{path} of {} cannot be read: {error}", self.revision.name);
        if path.chars().any(char::is_control) {
            return Err(miette!(help = "give the file another name", "its name has control characters"));
        }
        if !self.may_read(&file) {
            return Err(cannot(&"a symbolic link leads out of the repository"));
        }
        let bytes = std::fs::read(&file).map_err(|error| cannot(&error))?;
        if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
            return Err(cannot(&format!("it has a null byte at offset {offset}")));
        }
        let known = |path: &str| self.database.as_ref()?.flags(&self.root, path, self.targets, self);
        let mut flags = known(path).or_else(|| known(other_name)).unwrap_or_else(|| {
            let missing = self.database.is_some().then(|| format!("{path} is not in compile_commands.json"));
            Flags { warnings: missing.into_iter().collect(), ..Flags::default() }
        });
        if let Some(refused) = &flags.refused {
            return Err(miette!(help = "correct the entry, or name another database with --compile-commands", "{refused}"));
        }
        if let Some(file) = flags.first.iter().find(|file| file.exists() && !self.may_read(file)) {
            return Err(outside(&file.to_string_lossy()));
        }
        flags.arguments.extend(self.given());
        let data_model = self.options.data_model.or(flags.data_model).unwrap_or(DataModel::LP64);
        Ok(Prepared { path: path.to_owned(), bytes, flags, data_model })
    }

    /// Refuses a file that is made of one of the working tree that the revision has otherwise. What the preprocessor or anybody
    /// else refuses about it is for who reads it.
    ///
    /// # Errors
    /// If it is made of such a file.
    pub(crate) fn check_own(&self, path: &str) -> miette::Result<()> {
        let Ok(prepared) = self.prepare(path, path) else { return Ok(()) };
        // Where the tools run: folders that the environment names are seen from there.
        let here = &self.repository.here;
        let Ok((_, entered)) = self.run_preprocessor((&self.file(path), here), &prepared.flags, prepared.data_model, &[]) else {
            return Ok(());
        };
        match entered.iter().find(|file| !self.is_of_revision(file)) {
            Some(file) => Err(self.of_another_revision(file)),
            None => Ok(()),
        }
    }

    /// The preprocessed text, and the files it is made of.
    ///
    /// # Errors
    /// If the preprocessor refuses the file.
    pub(super) fn preprocessed(&self, prepared: &Prepared) -> miette::Result<(Vec<u8>, Vec<PathBuf>)> {
        self.preprocess(&self.file(&prepared.path), &prepared.flags, prepared.data_model, &[])
    }

    /// What [`Reader::read`] does after preprocessing.
    pub(super) fn source(&self, prepared: Prepared, text: Vec<u8>) -> Source {
        let Prepared { path, bytes, flags, data_model } = prepared;
        let shown = |argument: &String| argument.replace(&format!("{}/", self.revision.tree.display()), "");
        let flags_shown = flags.arguments.iter().map(shown).collect();
        let (warnings, tree) = (flags.warnings.clone(), self.revision.tree.clone());
        let is_ours = !self.revision.is_working_tree();
        Source { path, bytes, text, data_model, flags: flags_shown, warnings, build: flags, tree, is_ours }
    }

    /// A file of the revision.
    pub(super) fn file(&self, path: &str) -> PathBuf {
        self.revision.tree.join(path)
    }

    /// Whether a file is one that git knows in the revision.
    pub(super) fn is_tracked(&self, file: &Path) -> bool {
        let inside = normalised(file);
        let inside = inside.strip_prefix(&self.revision.tree).ok().and_then(Path::to_str);
        inside.is_some_and(|inside| self.revision.files.contains(inside))
    }

    /// A text in which nothing says where the checkout is.
    pub(super) fn without_tree(&self, text: &str) -> String {
        without_tree(text, &self.revision.tree)
    }

    /// A folder as a text in which nothing says where the checkout is; `None` for a name that is no text.
    pub(super) fn portable(&self, folder: &Path) -> Option<String> {
        folder.to_str().map(|folder| self.without_tree(folder))
    }

    /// The folder that [`Reader::portable`] has written.
    pub(super) fn in_tree(&self, folder: &str) -> PathBuf {
        in_tree(folder, &self.revision.tree)
    }

    /// Whether a text is made of what a program may be made of, as far as its line markers say.
    pub(super) fn may_be_made_of(&self, text: &[u8]) -> bool {
        entered(text, &self.revision.tree).iter().all(|file| self.may_read(file))
    }

    /// Whether a program may be made of a file. Headers are asked for again and again.
    fn may_read(&self, file: &Path) -> bool {
        let known = || self.found_readable.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(file) {
            return true;
        }
        let may = is_below(&self.readable, file);
        known().extend(may.then(|| file.to_owned()));
        may
    }

    /// Where the compiler runs for a file.
    pub(super) fn directory(&self, prepared: &Prepared) -> PathBuf {
        self.directory_of(&prepared.flags)
    }

    fn directory_of(&self, flags: &Flags) -> PathBuf {
        let folder = self.translate(&self.repository.here);
        flags.directory.iter().chain([&folder]).find(|folder| folder.is_dir()).unwrap_or(&self.revision.tree).clone()
    }

    /// Whether the flags of a file only say where headers are, and define macros that are numbers or texts: what it defines is
    /// what texts of the repository name.
    pub(super) fn is_plain(&self, path: &str) -> bool {
        let flags =
            self.database.as_ref().and_then(|database| database.flags(&self.root, path, self.targets, self)).unwrap_or_default();
        let is_known = |folder: &str| Path::new(folder).starts_with(&self.revision.tree) || is_of_the_system(folder);
        let is_plain = |argument: &String| {
            let folder = FOLDERS.iter().find_map(|flag| argument.strip_prefix(flag));
            match (folder, argument.strip_prefix("-D")) {
                (Some(folder), _) => is_known(folder),
                (None, Some(macro_)) => is_plain_macro(macro_),
                (None, None) => {
                    let begins = ["-U", "-std=", "-f"].iter().any(|flag| argument.starts_with(flag));
                    begins || matches!(argument.as_str(), "-ansi" | "-undef" | "-pthread" | "-m32" | "-m64")
                }
            }
        };
        let searched = ["CPATH", "C_INCLUDE_PATH"].iter().any(|name| std::env::var_os(name).is_some());
        !searched && flags.arguments.iter().cloned().chain(self.given()).all(|argument| is_plain(&argument))
    }

    /// Whether a program was read in this revision, and not in another one in which it is the same.
    pub(crate) fn has_read(&self, source: &Source) -> bool {
        source.tree == self.revision.tree
    }

    /// The headers and macros of a program of the revision, and those of the `more` files that the revision has.
    ///
    /// # Errors
    /// If the preprocessor refuses the file.
    pub(crate) fn surroundings(&self, source: &Source, more: &[String]) -> miette::Result<Surroundings> {
        let file = self.revision.tree.join(&source.path);
        let (text, _) = self.preprocess(&file, &source.build, source.data_model, &["-dD"])?;
        let text = SourceFile::new(source.path.as_str(), text);
        let bytes = |name: &String| {
            let trees = [&self.revision.tree, &self.repository.top].into_iter();
            // A name in a line marker is only a name: it may lead anywhere, also to what is no file.
            let mut files =
                trees.map(|tree| tree.join(name)).filter(|file| file.is_file() && is_below(&self.readable[..2], file));
            files.find_map(|file| std::fs::read(file).ok())
        };
        let others = text.files().iter().chain(more).filter(|name| Path::new(name).is_relative() && **name != source.path);
        let headers = others.filter_map(|name| Some((name.clone(), bytes(name)?))).collect();
        Ok(Surroundings { headers, macros: definitions(&text) })
    }

    /// The text, and the files it is made of.
    fn preprocess(
        &self,
        file: &Path,
        flags: &Flags,
        data_model: DataModel,
        more: &[&str],
    ) -> miette::Result<(Vec<u8>, Vec<PathBuf>)> {
        let directory = self.directory_of(flags);
        let (ran, entered) = self.run_preprocessor((file, &directory), flags, data_model, more)?;
        // Before anything of it is shown, messages included.
        if let Some(file) = entered.iter().find(|file| !self.may_read(file)) {
            return Err(outside(&file.to_string_lossy()));
        }
        if let Some(file) = entered.iter().find(|file| !self.is_of_revision(file)) {
            return Err(self.of_another_revision(file));
        }
        if !ran.status.success() {
            let tree = format!("{}/", self.revision.tree.display());
            let message = String::from_utf8_lossy(&ran.stderr).replace(&tree, "");
            let name = &self.revision.name;
            return Err(miette!(
                help = "give the flags of the build with -I and -D, or with --compile-commands",
                "the preprocessor refuses the file in {name}:\n{}",
                message.trim_end()
            ));
        }
        let text = self.with_repository_names(&ran.stdout, &directory);
        Ok((typed_constants(text, &flags.arguments, data_model), entered))
    }

    /// What the preprocessor prints of a file when it runs in a folder, and the files that it read for it.
    fn run_preprocessor(
        &self,
        (file, directory): (&Path, &Path),
        flags: &Flags,
        data_model: DataModel,
        more: &[&str],
    ) -> miette::Result<(std::process::Output, Vec<PathBuf>)> {
        let tree = self.revision.tree.display();
        let mut arguments: Vec<String> = ["-x", "c", "-E"].map(str::to_owned).into();
        arguments.push(format!("-fmacro-prefix-map={tree}/="));
        arguments.extend((data_model == DataModel::ILP32).then(|| "-m32".to_owned()));
        arguments.extend(flags.arguments.iter().cloned());
        arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
        let file = file.to_string_lossy().into_owned();
        arguments.extend(base_arguments(&file).iter().map(|argument| (*argument).to_owned()));
        arguments.push(file);
        let ran = compiler(&arguments).and_then(|command| {
            let command = command.dir(directory).env("SOURCE_DATE_EPOCH", "0").stdin_null();
            command.stdout_capture().stderr_capture().unchecked().run()
        });
        let ran = ran.map_err(|error| miette!("cannot run the preprocessor {COMPILER}: {error}"))?;
        let entered = entered(&ran.stdout, directory);
        Ok((ran, entered))
    }

    /// `path` below `root` as it is in the checkout. What git does not know there, such as the folder of a build, is
    /// used where it is.
    fn in_checkout(&self, path: &Path, root: &Path) -> PathBuf {
        let Ok(inside) = path.strip_prefix(root) else { return path.to_owned() };
        let translated = self.revision.tree.join(inside);
        let untracked = self.repository.top.join(inside);
        let is_strange = self.revision.strangers.get().into_iter().flatten().any(|file| Path::new(file).starts_with(inside));
        if !translated.exists() && untracked.exists() && !is_strange && !self.repository.tracks(&untracked) {
            return untracked;
        }
        translated
    }
}

impl Translate for Reader<'_> {
    fn translate(&self, path: &Path) -> PathBuf {
        let inside = path.starts_with(&self.root) && !self.root.as_os_str().is_empty();
        self.in_checkout(path, if inside { &self.root } else { &self.repository.top })
    }

    fn may_read(&self, path: &Path) -> bool {
        Reader::may_read(self, path)
    }
}

/// The folders that are there of those that flags in a text name by their whole path.
pub(crate) fn absolute_folders(flags: &str) -> Vec<PathBuf> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let named = FOLDERS.iter().flat_map(|flag| flags.split(flag).skip(1)).filter_map(|rest| {
        let rest = rest.trim_start_matches(|c: char| ends(c) || c == ',');
        rest.split(ends).next().filter(|folder| folder.starts_with('/'))
    });
    named.map(PathBuf::from).filter(|folder| folder.is_dir()).collect()
}

/// Whether `NAME` or `NAME=VALUE` is a number, a text, or nothing.
fn is_plain_macro(definition: &str) -> bool {
    let (name, value) = definition.split_once('=').unwrap_or((definition, ""));
    let is_text = |value: &str| value.len() > 1 && value.starts_with('"') && value.ends_with('"');
    let is_number = value.starts_with(|c: char| c.is_ascii_digit() || c == '-')
        && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_'));
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && (value.is_empty() || is_number || is_text(value))
}
