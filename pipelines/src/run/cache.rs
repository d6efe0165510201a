//! Outcomes of earlier checks, in a folder that several processes of one user may share, or of several if the user says so.
//!
//! An entry is found by the hash of its [`Key`], which holds everything that can change a verdict, and is used only if the
//! key inside it is the same and its content has the hash it was written with. Entries that differ in nothing but the tools
//! lie in one folder, so that it can be said that there is one of other tools.
//! Invariant: an entry that is damaged, foreign, or of another version is as good as none. What ended early (budget,
//! memory, a signal) is never kept. Of an entry that others may have written only the verdict is believed, and of a FALSE
//! not even that: it is replayed. What is printed is said anew.
//! Does not know how a unit is checked.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use console::Output;
use formats::{ProgramOptions, Reason, Verdict, VerdictReport, sha256_hex, shown};
use miette::{Context, IntoDiagnostic, miette};
use rustix::fs::{Mode, OFlags};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::artifacts::is_artifact;
use super::facts;
use super::identity;
use super::judgement;
use super::outcome::{Class, Detector, Outcome, Turn, Verifier, Via};
use super::schedule::thread;
use super::stage::binary;
use super::unit::{self, Checked, Settings, Unit, UnitOriginal, UnitProgram};

/// The first word of an entry; another layout gets another one.
const FORMAT: &str = "residue-cache-3";

/// Larger entries are none.
const LARGEST: u64 = 1 << 30;

/// A folder with outcomes.
pub(crate) struct Cache {
    folder: PathBuf,
    trust: Trust,
    /// Identity of every tool that takes part.
    tools: BTreeMap<String, String>,
    /// CPU time a unit of this run can count on; `None` without a limit.
    share: Option<Duration>,
    artifacts: Artifacts,
}

/// Who may have written the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The user alone: the folder is the user's, and nobody else may write to it.
    Ourselves,
    /// Whoever may write to the folder.
    Everybody,
}

/// What this run does with the artifacts of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Artifacts {
    /// They are written again.
    Wanted,
    /// Nobody looks at them: of large programs they are most of an entry.
    Unwanted,
}

/// Everything that can change an outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Key {
    driver: String,
    /// Version of the front end, which is part of every tool.
    front_end: u32,
    tools: BTreeMap<String, String>,
    /// `None`: there is no original, and the reason.
    original: Result<KeyProgram, String>,
    modified: KeyProgram,
    options: ProgramOptions,
    detector: Detector,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    validated: bool,
    turns: Vec<Turn>,
    verifier_versions: Vec<String>,
    /// What goes into messages and artifacts.
    flags: Vec<String>,
    epoch: Option<String>,
}

/// A program as a key sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeyProgram {
    path: String,
    file: String,
    /// The bytes of the file.
    sha256: String,
    /// The preprocessed text: headers, macros and flags are in it.
    text: String,
    /// The automaton.
    cfa: String,
}

/// What a file of the cache holds behind its first line.
#[derive(Serialize, Deserialize)]
struct Entry {
    key: Key,
    /// CPU seconds the unit could count on; absent without a limit.
    share: Option<f64>,
    outcome: Outcome,
    messages: String,
    /// The texts of artifacts; nothing for one that says what the outcome says of the verification, byte for byte.
    files: BTreeMap<String, Option<String>>,
}

/// An entry of which the texts of artifacts are passed over.
#[derive(Deserialize)]
struct EntryHead {
    key: Key,
    share: Option<f64>,
    outcome: Outcome,
    messages: String,
    files: BTreeMap<String, IgnoredAny>,
}

impl Cache {
    /// The cache in `folder`, for units that are checked as `settings` say, of which each has `share` CPU time.
    ///
    /// Absent if the identity of a tool cannot be told: nothing could be known about an entry.
    ///
    /// # Errors
    /// If the folder cannot be made, or others may write to it.
    pub(crate) fn open(
        (folder, trust): (&Path, Trust),
        settings: &Settings,
        share: Option<Duration>,
        artifacts: Artifacts,
    ) -> miette::Result<Option<Self>> {
        claim(folder, trust)?;
        let detector = match settings.detector {
            Detector::None => None,
            Detector::Diffcond => Some("diffcond"),
            Detector::Diffdp => Some("diffdp"),
        };
        let reduces = |turn: &Turn| turn.via == Via::Reduce || turn.verifier != Verifier::Native;
        let reducer = settings.turns.iter().any(reduces).then_some("reduce");
        let names: Vec<&str> = ["residue", "condgen", "verify"].into_iter().chain(detector).chain(reducer).collect();
        let Ok(paths) = names.iter().map(|name| binary(name)).collect::<Result<Vec<PathBuf>, _>>() else { return Ok(None) };
        let Some(identities) = identity::of_executables(&paths) else { return Ok(None) };
        let tools = names.into_iter().map(str::to_owned).zip(identities).collect();
        Ok(Some(Self { folder: folder.to_owned(), trust, tools, share, artifacts }))
    }

    /// The key of a unit; `None` if its programs cannot be read, which the stages will tell.
    pub(crate) fn key(&self, unit: &Unit, settings: &Settings, folder: &Path) -> Option<Key> {
        // Both programs at the same time: reading them is most of what a hit costs.
        let (original, modified) = std::thread::scope(|scope| {
            let original = match &unit.original {
                UnitOriginal::Program(program) => Ok(thread().spawn_scoped(scope, move || key_program(unit, program, folder))),
                UnitOriginal::Absent(why) => Err(why.clone()),
            };
            let modified = key_program(unit, &unit.modified, folder);
            (original.map(|thread| thread.ok()?.join().ok().flatten()), modified)
        });
        let original = match original {
            Ok(program) => Ok(program?),
            Err(why) => Err(why),
        };
        let flags = settings.verbosity.iter().chain(&settings.statistics).map(|flag| (*flag).to_owned());
        let flags = flags.chain(settings.steps.map(|steps| format!("--steps={steps}")));
        Some(Key {
            driver: env!("CARGO_PKG_VERSION").to_owned(),
            front_end: program::LOWERING_VERSION,
            tools: self.tools.clone(),
            original,
            modified: modified?,
            options: unit.options.clone(),
            detector: settings.detector,
            validated: settings.validated,
            turns: settings.turns.clone(),
            verifier_versions: settings.turns.iter().map(|turn| turn.verifier.version()).collect::<Option<_>>()?,
            flags: flags.collect(),
            epoch: std::env::var("SOURCE_DATE_EPOCH").ok(),
        })
    }

    /// The outcome of an earlier check with this key; its artifacts are written to `folder` if they are wanted.
    pub(crate) fn find(&self, key: &Key, unit: &Unit, folder: &Path, budget: &console::Budget) -> Option<Checked> {
        let text = read(&self.file(key), self.trust, FORMAT)?;
        let content = text.as_str();
        let (found, share, mut outcome, messages, files) = match self.artifacts {
            Artifacts::Wanted => {
                let Entry { key, share, outcome, messages, files } = serde_json::from_str(content).ok()?;
                (key, share, outcome, messages, files)
            }
            Artifacts::Unwanted => {
                let EntryHead { key, share, outcome, messages, files } = serde_json::from_str(content).ok()?;
                files.keys().all(|name| is_artifact(name)).then_some(())?;
                (key, share, outcome, messages, BTreeMap::new())
            }
        };
        let enough = match (&outcome.verdict, share, self.share) {
            (Verdict::True | Verdict::False(_), _, _) | (Verdict::Unknown(_), None, _) => true,
            (Verdict::Unknown(_), Some(_), None) => false,
            (Verdict::Unknown(_), Some(had), Some(has)) => had >= has.as_secs_f64(),
        };
        let asks = |outcome: &Outcome| outcome.turns.iter().zip(&key.turns).all(|(turn, wanted)| turn.asks_as(wanted));
        let verdict = Some(outcome.verdict.to_string());
        let decides = |turn: &Turn| turn.verifier == outcome.verifier && turn.verdict == verdict;
        let decided = outcome.turns.get(outcome.tried().len()).is_some_and(decides);
        if found != *key || !enough || !is_kept(&outcome) || outcome.turns.len() != key.turns.len() || !asks(&outcome) || !decided
        {
            return None;
        }
        if !files.keys().all(|name| is_artifact(name)) || !outcome.artifacts.names().into_iter().all(is_artifact) {
            return None;
        }
        let wanted: BTreeMap<String, String> =
            outcome.artifacts.names().into_iter().map(|n| (n.to_owned(), String::new())).collect();
        if self.artifacts == Artifacts::Wanted && !wanted.keys().eq(files.keys()) {
            return None;
        }
        let judgement = judgement::judged_again(unit, folder, &outcome, budget)?;
        let report = outcome.verification.as_ref().map(report_text);
        for (name, text) in files {
            let text = text.or_else(|| report.clone())?;
            std::fs::write(folder.join(name), text).ok()?;
        }
        (outcome.class, outcome.about, outcome.violation) = (judgement.class, judgement.about, judgement.violation);
        (outcome.original, outcome.modified) = unit::programs(unit, folder).ok()?;
        outcome.assumed = unit::assumed(unit, folder);
        outcome.options.clone_from(&unit.options);
        outcome.detector = key.detector;
        outcome.cached = true;
        if let Some(report) = &mut outcome.verification {
            report
                .assumptions
                .push(format!("the verdict is that of an earlier check, as the cache {} has it", shown::name(&self.folder)));
        }
        let unwritten = Vec::new();
        Some(Checked { outcome, unit: unit.clone(), folder: folder.to_owned(), messages, unwritten })
    }

    /// Keeps an outcome, if it is one to keep.
    ///
    /// # Errors
    /// If the entry cannot be written; the check itself is not concerned.
    pub(crate) fn keep(&self, key: Key, checked: &Checked) -> miette::Result<()> {
        if !is_kept(&checked.outcome) {
            return Ok(());
        }
        let report = checked.outcome.verification.as_ref().map(report_text);
        let mut files = BTreeMap::new();
        for name in checked.outcome.artifacts.names() {
            let bytes = std::fs::read(checked.folder.join(name)).into_diagnostic()?;
            // Text in another encoding is not kept.
            let Ok(text) = String::from_utf8(bytes) else { return Ok(()) };
            // The invariants of a large program are most of an entry: they are there once.
            files.insert(name.to_owned(), Some(text).filter(|text| Some(text) != report.as_ref()));
        }
        let file = self.file(&key);
        let share = self.share.map(|share| share.as_secs_f64());
        let entry = Entry { key, share, outcome: checked.outcome.clone(), messages: checked.messages.clone(), files };
        let content = serde_json::to_string(&entry).into_diagnostic()?;
        write(file, self.trust, FORMAT, &content)
    }

    /// What a proof of the original rested on, if it was checked.
    pub(crate) fn proof_of_original(&self, key: &Key) -> Option<Vec<u8>> {
        Some(text_of(&self.proof(key.original.as_ref().ok()?), self.trust)?.into_bytes())
    }

    /// Keeps what a proof of the modified program rests on.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn keep_proof(&self, key: &Key, text: &str) -> io::Result<()> {
        let file = self.proof(&key.modified);
        let mode = if self.trust == Trust::Ourselves { 0o700 } else { 0o777 };
        if let Some(folder) = file.parent() {
            DirBuilder::new().recursive(true).mode(mode).create(folder)?;
        }
        let is_link = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if is_link(&file) || file.parent().is_some_and(is_link) {
            return Err(io::Error::other("a symbolic link is in the way"));
        }
        Output::File(file).write_text(text).map_err(io::Error::other)
    }

    /// Where the proof of a program is; the fingerprint tells how the program was read.
    fn proof(&self, program: &KeyProgram) -> PathBuf {
        self.folder.join("proofs").join(format!("{}.json", program.cfa))
    }

    /// Whether there is an outcome that differs in nothing but the tools that found it.
    pub(crate) fn has_one_of_other_tools(&self, key: &Key) -> bool {
        let file = self.file(key);
        let mut others = file.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
        !file.exists() && others.next().is_some()
    }

    fn file(&self, key: &Key) -> PathBuf {
        // A key is plain data; were it not written, its place would only hold another key.
        let hash = |key: &Key| sha256_hex(&serde_json::to_vec(key).unwrap_or_default());
        let (driver, verifier_versions) = (String::new(), Vec::new());
        let subject = hash(&Key { driver, front_end: 0, tools: BTreeMap::new(), verifier_versions, ..key.clone() });
        self.folder.join(&subject[..2]).join(subject).join(hash(key))
    }
}

/// A report of a verifier as `verify` writes it.
fn report_text(report: &VerdictReport) -> String {
    // What cannot be written is no text of an artifact.
    serde_json::to_string(report).unwrap_or_default() + "\n"
}

/// Which build of the driver and of the tool `name` runs: another one of the same version may give other answers. `None` if that cannot
/// be told, so that nothing can be known about an entry.
pub(crate) fn build_of(name: &str) -> Option<String> {
    Some(identity::of_executables(&[std::env::current_exe().ok()?, binary(name).ok()?])?.join(" "))
}

/// Makes the folder of a cache of what the tool `name` finds; what to tell where nothing can be kept.
///
/// # Errors
/// As [`claim`].
pub(crate) fn claim_for(name: &str, folder: &Path, trust: Trust) -> miette::Result<Option<&'static str>> {
    claim(folder, trust)?;
    Ok(build_of(name).is_none().then_some("the executables of the tools cannot be read: nothing is cached"))
}

/// Makes the folder of a cache, if it is not there.
///
/// # Errors
/// If it cannot be made, or others may write to it.
pub(crate) fn claim(folder: &Path, trust: Trust) -> miette::Result<()> {
    let cannot = || format!("cannot make the cache {}", shown::name(folder));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).into_diagnostic().wrap_err_with(cannot)?;
    let metadata = std::fs::metadata(folder).into_diagnostic().wrap_err_with(cannot)?;
    if trust == Trust::Ourselves && !is_ours(&metadata) {
        return Err(miette!(
            help = "take the right to write from them (chmod go-w), or say --trust-cache: whoever may write there chooses the verdicts",
            "the cache {} is not yours alone",
            shown::name(folder)
        ));
    }
    Ok(())
}

/// What an entry holds behind its first line. It is a file of ours, no link, and has the hash it was written with; `None` for
/// anything else.
pub(crate) fn read(file: &Path, trust: Trust, format: &str) -> Option<String> {
    let text = text_of(file, trust)?;
    let (first, content) = text.split_once('\n')?;
    (first == head(format, content)).then(|| content.to_owned())
}

/// The text of a file that is ours and no link; `None` for anything else.
pub(crate) fn text_of(file: &Path, trust: Trust) -> Option<String> {
    let opened = rustix::fs::open(file, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
    let mut opened = std::fs::File::from(opened.ok()?);
    let metadata = opened.metadata().ok().filter(|data| data.is_file() && data.len() <= LARGEST)?;
    let is_believed = trust == Trust::Everybody || is_ours(&metadata);
    let mut text = String::new();
    opened.read_to_string(&mut text).ok().filter(|_| is_believed)?;
    Some(text)
}

/// Writes an entry.
///
/// # Errors
/// If it cannot be written, or a link is in its place.
pub(crate) fn write(file: PathBuf, trust: Trust, format: &str, content: &str) -> miette::Result<()> {
    write_text(file, trust, &format!("{}\n{content}", head(format, content)))
}

/// Writes a text without a hash.
///
/// # Errors
/// As [`write`].
pub(crate) fn write_text(file: PathBuf, trust: Trust, text: &str) -> miette::Result<()> {
    if let Some(folder) = file.parent() {
        let mode = if trust == Trust::Ourselves { 0o700 } else { 0o777 };
        DirBuilder::new().recursive(true).mode(mode).create(folder).into_diagnostic()?;
        if std::fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(miette!("{}: is a symbolic link", shown::name(folder)));
        }
    }
    // What is there is replaced, not followed; nobody waits for who reads what is no file.
    match std::fs::symlink_metadata(&file) {
        Ok(metadata) if metadata.is_symlink() => return Err(miette!("{}: is a symbolic link", shown::name(&file))),
        Ok(metadata) if !metadata.is_file() => return Err(miette!("{}: is no file", shown::name(&file))),
        Ok(_) | Err(_) => {}
    }
    Ok(Output::File(file).write_text(text)?)
}

/// The first line of an entry.
fn head(format: &str, content: &str) -> String {
    format!("{format} {}", sha256_hex(content.as_bytes()))
}

/// Whether a file or folder is the user's, and nobody else may write to it.
fn is_ours(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

/// Whether an outcome holds for another run as well, and is consistent.
fn is_kept(outcome: &Outcome) -> bool {
    match (&outcome.verdict, outcome.class) {
        (Verdict::True, Class::NoRegression | Class::Vacuous)
        | (Verdict::False(_), Class::Regression | Class::NotCompared | Class::ViolationInBoth) => true,
        (Verdict::Unknown(reason), Class::Undecided) => match reason {
            Reason::Unsupported { .. } | Reason::NoProgress | Reason::Recursion => true,
            // With more time or another load the answer may be another.
            Reason::Budget
            | Reason::Memory
            | Reason::Solver
            | Reason::Interrupted
            | Reason::Internal
            | Reason::NotChecked
            | Reason::Verifier(_)
            | Reason::Refused(_) => false,
        },
        (Verdict::True | Verdict::False(_) | Verdict::Unknown(_), _) => false,
    }
}

fn key_program(unit: &Unit, program: &UnitProgram, folder: &Path) -> Option<KeyProgram> {
    let facts = facts::of(&unit.readable(program, folder), &unit.options).ok()?;
    let checked = unit::checked_program(unit, program, folder).ok()?;
    Some(KeyProgram {
        path: program.shown.clone(),
        file: program.file.to_string_lossy().into_owned(),
        sha256: checked.sha256,
        text: facts.text.clone(),
        cfa: facts.cfa.clone(),
    })
}
