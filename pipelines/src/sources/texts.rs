//! Preprocessed texts of earlier runs, in the folder of a cache.
//!
//! A text is found by the hash of all that makes it: the compiler, the flags, the path of the file, and the names and contents
//! of all files of the repository that a directive could mean, wherever they lie: a header that is new, or lies where it is
//! found earlier, is another hash. What the text took from elsewhere (headers of the system or of a build) is in the entry as
//! one hash over the contents of every file that one of the included names could mean in one of the folders that were
//! searched, those that were not there among them.
//! Invariant: a text that the preprocessor would not make is not used, as long as nobody else writes to the folder. What
//! depends on more (the age of a file, names that macros make, symbolic links) is not kept.
//! Does not know what becomes of the texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use formats::{DataModel, sha256_hex};
use serde::{Deserialize, Serialize};

use super::affected::{Needed, quoted};
use super::compiler::Compiler;
use super::linked::{Linked, linked};
use super::raw::Written;
use super::revision::{Prepared, Reader, Source};
use super::scope::Scope;
use crate::run::cache::{Trust, read, write};
use crate::run::identity::of_executables;

/// The first word of an entry; another layout gets another one.
const FORMAT: &str = "residue-text-1";
/// The folder in that of the cache.
const FOLDER: &str = "texts";
/// Larger headers are not looked at.
const LARGEST: u64 = 1 << 26;
/// Texts of earlier runs.
pub(crate) struct Texts {
    folder: PathBuf,
    trust: Trust,
    /// Which build of ours says what texts define and mention.
    driver: String,
    compilers: [OnceLock<Option<Compiler>>; 2],
    /// Hashes of files that have been read.
    files: Mutex<BTreeMap<PathBuf, Option<String>>>,
    /// Hashes of what names mean in folders.
    states: Mutex<BTreeMap<String, String>>,
}

/// Everything of the repository and the command line that makes a text.
#[derive(Serialize)]
struct Key<'a> {
    driver: &'a str,
    compiler: &'a str,
    path: &'a str,
    arguments: Vec<String>,
    directory: String,
    data_model: String,
    /// The files of the repository that it may be made of, and their hashes.
    files: Vec<(String, String)>,
}

/// What a file of the cache holds behind its first line.
#[derive(Serialize, Deserialize)]
struct Entry {
    key: String,
    /// The names of all headers, as they are included.
    names: BTreeSet<String>,
    /// Where they are looked for.
    folders: BTreeSet<String>,
    /// The hash of what is there.
    state: String,
    text: String,
    linked: Option<Linked>,
}

/// A source that has been read, and what a linker sees of it.
pub(super) type Read = (Source, Option<Linked>);

impl Texts {
    /// The texts in the folder of a cache; `None` if it cannot be told which build of ours this is.
    pub(crate) fn open(folder: &Path, trust: Trust) -> Option<Self> {
        let driver = of_executables(&[std::env::current_exe().ok()?])?.concat();
        let (compilers, files, states) = (Default::default(), Mutex::default(), Mutex::default());
        Some(Self { folder: folder.join(FOLDER), trust, driver, compilers, files, states })
    }

    /// Reads a file of a revision, from the cache if its text is there.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub(super) fn read(
        &self,
        (reader, side): (&Reader<'_>, usize),
        scope: &Scope<'_>,
        (path, other): (&str, &str),
    ) -> miette::Result<Read> {
        let prepared = reader.prepare(path, other)?;
        let Some((key, names)) = self.key((reader, side), scope, &prepared) else {
            return read_anew(reader, prepared).map(|(read, _)| read);
        };
        let place = self.folder.join(&key[..2]).join(&key);
        if let Some(entry) = self.find(reader, &place, &key) {
            return Ok((reader.source(prepared, entry.text.into_bytes()), entry.linked));
        }
        let compiler = self.compiler(prepared.data_model);
        let mut folders: BTreeSet<PathBuf> = compiler.into_iter().flat_map(|compiler| compiler.folders.clone()).collect();
        folders.extend(prepared.searched());
        let ((source, linked), entered) = read_anew(reader, prepared)?;
        if let (Some(names), Ok(text)) = (with_headers(names, &entered), String::from_utf8(source.text.clone())) {
            folders.extend(entered.iter().filter_map(|file| file.parent().map(Path::to_owned)));
            let folders: BTreeSet<String> = folders.iter().filter_map(|folder| reader.portable(folder)).collect();
            let state = self.state(reader, &names, &folders);
            let entry = Entry { key, names, folders, state, text, linked: linked.clone() };
            // What cannot be kept is made again.
            let _ = serde_json::to_string(&entry).is_ok_and(|content| write(place, self.trust, FORMAT, &content).is_ok());
        }
        Ok((source, linked))
    }

    fn find(&self, reader: &Reader<'_>, place: &Path, key: &str) -> Option<Entry> {
        let entry: Entry = serde_json::from_str(&read(place, self.trust, FORMAT)?).ok()?;
        let is_right = entry.key == key && self.state(reader, &entry.names, &entry.folders) == entry.state;
        (is_right && reader.may_be_made_of(entry.text.as_bytes())).then_some(entry)
    }

    /// The key of a text and the names that its files of the repository include; `None` if it depends on more.
    fn key(
        &self,
        (reader, side): (&Reader<'_>, usize),
        scope: &Scope<'_>,
        prepared: &Prepared,
    ) -> Option<(String, BTreeSet<String>)> {
        let Needed::Files(needed) = scope.needed(side, &prepared.path) else { return None };
        let compiler = self.compiler(prepared.data_model)?;
        let (mut files, mut names) = (Vec::new(), BTreeSet::new());
        for path in needed {
            let file = reader.file(&path);
            let included = included(&std::fs::read(&file).ok()?)?;
            names.extend(included);
            files.push((path, self.hash(&file)?));
        }
        let key = Key {
            driver: &self.driver,
            compiler: &compiler.identity,
            path: &prepared.path,
            arguments: prepared.arguments().map(|argument| reader.without_tree(argument)).collect(),
            directory: reader.portable(&reader.directory(prepared))?,
            data_model: prepared.data_model.to_string(),
            files,
        };
        prepared.is_alone().then_some((sha256_hex(&serde_json::to_vec(&key).ok()?), names))
    }

    /// What names mean in folders, as far as it is not part of a key.
    fn state(&self, reader: &Reader<'_>, names: &BTreeSet<String>, folders: &BTreeSet<String>) -> String {
        let tree = reader.file("").to_string_lossy().into_owned();
        let question = sha256_hex(format!("{tree}\n{names:?}\n{folders:?}").as_bytes());
        if let Some(known) = lock(&self.states).get(&question) {
            return known.clone();
        }
        let mut found = String::new();
        for folder in folders.iter().map(|folder| reader.in_tree(folder)) {
            for name in names {
                let file = folder.join(name);
                if !reader.is_tracked(&file) {
                    found.push_str(&self.hash(&file).unwrap_or_default());
                }
                found.push('\n');
            }
        }
        let state = sha256_hex(found.as_bytes());
        lock(&self.states).insert(question, state.clone());
        state
    }

    /// The hash of a file; `None` if there is none.
    fn hash(&self, file: &Path) -> Option<String> {
        if let Some(known) = lock(&self.files).get(file) {
            return known.clone();
        }
        let is_file = std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST);
        let hash = is_file.then(|| std::fs::read(file).ok()).flatten().map(|bytes| sha256_hex(&bytes));
        lock(&self.files).insert(file.to_owned(), hash.clone());
        hash
    }

    fn compiler(&self, model: DataModel) -> Option<&Compiler> {
        let (cell, flags) = match model {
            DataModel::LP64 => (&self.compilers[0], None),
            DataModel::ILP32 => (&self.compilers[1], Some("-m32")),
        };
        cell.get_or_init(|| Compiler::ask(flags)).as_ref()
    }
}

/// Runs the preprocessor; also the files that the text is made of.
fn read_anew(reader: &Reader<'_>, prepared: Prepared) -> miette::Result<(Read, Vec<PathBuf>)> {
    let (text, entered) = reader.preprocessed(&prepared)?;
    let source = reader.source(prepared, text);
    let linked = linked(&source);
    Ok(((source, linked), entered))
}

/// Adds the names that headers include; `None` if one says something that no name or content tells.
fn with_headers(mut names: BTreeSet<String>, entered: &[PathBuf]) -> Option<BTreeSet<String>> {
    for file in entered {
        names.extend(included(&std::fs::read(file).ok()?)?);
    }
    Some(names)
}

/// The names in directives that include or ask for a header; `None` if a text depends on more than names and contents.
fn included(text: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8_lossy(text);
    let mut names = Vec::new();
    if text.contains("__TIMESTAMP__") || Written::of(&text).computed {
        return None;
    }
    for line in text.lines().filter(|line| line.contains("include")) {
        names.extend(quoted(line).into_iter().map(str::to_owned));
    }
    Some(names)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
