//! The chain for one unit: detector, condition generator, reducer, verifier, and the last judgement.
//!
//! Every stage is a process that reads and writes files in the folder of the unit.
//! Invariant: whatever ends a stage early makes the unit undecided, never dismissed.
//! Does not know where the programs come from or how many units there are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use formats::{CallerOptions, Library, ProgramOptions, Property, Reason, ResidualMap, Verdict, VerdictReport, shown};
use miette::{Context, IntoDiagnostic};
use program::caller::CALLER;
use program::seal;

use crate::essence::essence;
use crate::foreign;
use crate::link;
use crate::outcome::{Artifacts, CheckedProgram, Class, Detector, Outcome, StageTime, Verifier, Via};
use crate::replay::{self, Comparison, Judgement, Original};
use crate::revision::Surroundings;
use crate::stage::{Allowance, Finished, Messages, Stage, StageError};

/// Names of the artifacts in the folder of a unit.
pub(crate) const GRAPH: &str = "difference-graph.json";
pub(crate) const EXPLANATION: &str = "explanation.json";
const CONDITION: &str = "condition.graphml";
const RESIDUAL: &str = "residual.c";
const RESIDUAL_MAP: &str = "residual-map.json";
const WITNESS: &str = "witness.graphml";
const HARNESS: &str = "harness.c";
const REPORT: &str = "verdict.json";
/// The folder of a verifier that is not ours.
const FOREIGN: &str = "verifier";
/// What the verifier said about the change before the whole modified program was verified.
const CHANGE_REPORT: &str = "change-verdict.json";

/// All of them.
const ARTIFACTS: [&str; 9] = [GRAPH, EXPLANATION, CONDITION, RESIDUAL, RESIDUAL_MAP, WITNESS, HARNESS, REPORT, CHANGE_REPORT];

/// Whether a unit has an artifact of this name.
pub(crate) fn is_artifact(name: &str) -> bool {
    ARTIFACTS.contains(&name)
}
/// Bytes of a file up to which it is told that only its text has changed.
const LONGEST_COMPARED: usize = 4 << 20;

/// How every unit of a run is checked.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) detector: Detector,
    pub(crate) via: Via,
    pub(crate) verifier: Verifier,
    pub(crate) fallback: Fallback,
    /// `-q` or `-v` for the stages.
    pub(crate) verbosity: Option<&'static str>,
    /// `--stats` for the stages.
    pub(crate) statistics: Option<&'static str>,
    pub(crate) messages: Messages,
}

/// What happens when the change check is UNKNOWN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// Nothing.
    None,
    /// The modified program is verified as a whole.
    Full,
}

/// One pair of programs with an entry function.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) original: UnitOriginal,
    pub(crate) modified: UnitProgram,
    /// How both are read.
    pub(crate) options: ProgramOptions,
    /// Where the files of the programs are.
    pub(crate) location: Location,
}

/// Where the files of the programs of a unit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// Where the user has them.
    Named,
    /// In the folder of the unit, relative to it; the stages run there.
    Folder,
}

/// A program of a unit.
#[derive(Clone, Debug)]
pub(crate) struct UnitProgram {
    /// The path the user knows.
    pub(crate) shown: String,
    /// The file the stages read.
    pub(crate) file: PathBuf,
    /// What it was taken from, for a program of a revision.
    pub(crate) revision: Option<RevisionOf>,
}

/// Where a program of a revision comes from.
#[derive(Clone, Debug)]
pub(crate) struct RevisionOf {
    /// The revision as the user calls it.
    pub(crate) name: String,
    /// The file before preprocessing, in the folder of the unit.
    pub(crate) source: PathBuf,
    /// How it was preprocessed.
    pub(crate) flags: Vec<String>,
    /// Its headers and macros, where a report is wanted.
    pub(crate) surroundings: Arc<Surroundings>,
    /// Former names of files that were renamed on the way to the modified revision.
    pub(crate) renamed: Arc<BTreeMap<String, String>>,
}

/// The program before the change.
#[derive(Clone, Debug)]
pub(crate) enum UnitOriginal {
    /// A program.
    Program(UnitProgram),
    /// There is none; why. The modified program is verified as a whole.
    Absent(String),
}

/// An outcome with what belongs to it on the disk and on the screen.
pub(crate) struct Checked {
    pub(crate) outcome: Outcome,
    /// What was checked.
    pub(crate) unit: Unit,
    /// Where the artifacts are.
    pub(crate) folder: PathBuf,
    /// What the stages had to say, if it was collected.
    pub(crate) messages: String,
    /// What could not be written.
    pub(crate) unwritten: Vec<String>,
}

impl Unit {
    /// The file of one of its programs as this process reads it.
    pub(crate) fn readable(&self, program: &UnitProgram, folder: &Path) -> PathBuf {
        match self.location {
            Location::Named => program.file.clone(),
            Location::Folder => link::within(folder, &program.file),
        }
    }

    /// The file of one of its programs before preprocessing.
    pub(crate) fn source(&self, program: &UnitProgram, folder: &Path) -> PathBuf {
        match &program.revision {
            Some(revision) => link::within(folder, &revision.source),
            None => self.readable(program, folder),
        }
    }
}

/// Checks one unit; its artifacts go to `folder`, which exists and has no artifacts of an earlier check ([`clear`]).
///
/// # Errors
/// If a program cannot be used or a stage fails; an early end is no error but an outcome.
pub(crate) fn run(unit: &Unit, settings: &Settings, folder: &Path, mut allowance: Allowance) -> miette::Result<Checked> {
    if let Some(checked) = decided_by_name(unit, settings, folder, &mut allowance)? {
        return Ok(checked);
    }
    let (stages, messages, unwritten) = (Vec::new(), String::new(), Vec::new());
    let mut chain = Chain { unit, settings, folder, allowance, stages, messages, unwritten };
    let answer = match chain.answer() {
        Ok(answer) => answer,
        Err(ChainError::Stage(error)) => match error.reason() {
            Some(reason) => {
                chain.messages.push_str(&error.note());
                Answer::none(reason)
            }
            None => return Err(error.into()),
        },
        Err(ChainError::Other(report)) => return Err(report),
    };
    chain.outcome(answer)
}

/// The longest time for a unit without bodies of the C library, which is also at most a quarter of what it has.
const LONGEST_BY_NAME: Duration = Duration::from_secs(5);

/// What a short check says of the unit without bodies of the C library, if it decides it.
///
/// What is known of a function by name is less than its body says, but there is less to look at: a comparison passes over a
/// call where it would end within a body, and a verifier too.
fn decided_by_name(
    unit: &Unit,
    settings: &Settings,
    folder: &Path,
    allowance: &mut Allowance,
) -> miette::Result<Option<Checked>> {
    let UnitOriginal::Program(original) = &unit.original else { return Ok(None) };
    let has_bodies = |program: &UnitProgram| {
        let cfa = program::load(&unit.readable(program, folder), &unit.options);
        cfa.is_ok_and(|cfa| cfa.functions.iter().any(|function| cfa.source.is_library(function.span)))
    };
    let compares = settings.detector != Detector::None && !allowance.cpu.is_some_and(|left| left.is_zero());
    if !unit.options.library.is_own() || !compares || !(has_bodies(original) || has_bodies(&unit.modified)) {
        return Ok(None);
    }
    let options = ProgramOptions { library: Library::None, ..unit.options.clone() };
    let unit = Unit { options, ..unit.clone() };
    let slice = allowance.cpu.map_or(LONGEST_BY_NAME, |cpu| (cpu / 4).min(LONGEST_BY_NAME));
    let own = Allowance { cpu: Some(slice), ..allowance.clone() };
    let (stages, messages, unwritten) = (Vec::new(), String::new(), Vec::new());
    let mut chain = Chain { unit: &unit, settings, folder, allowance: own, stages, messages, unwritten };
    if let Ok(answer) = chain.answer()
        && answer.report.as_ref().is_ok_and(|report| !matches!(report.verdict, Verdict::Unknown(_)))
    {
        return chain.outcome(answer).map(Some);
    }
    let spent = chain.allowance.cpu.map_or(slice, |left| slice.saturating_sub(left));
    allowance.cpu = allowance.cpu.map(|cpu| cpu.saturating_sub(spent));
    clear(folder)?;
    Ok(None)
}

/// What the verifier said in the end.
struct Answer {
    /// If it did not come so far, why.
    report: Result<VerdictReport, Reason>,
    question: Question,
}

/// What the verifier was asked.
enum Question {
    /// Whether the change can violate the property.
    Change,
    /// Whether the modified program can; because the question about the change was not decided for this reason.
    Program(Reason),
}

impl Answer {
    const fn none(reason: Reason) -> Self {
        Self { report: Err(reason), question: Question::Change }
    }
}

/// One run of the chain.
struct Chain<'a> {
    unit: &'a Unit,
    settings: &'a Settings,
    folder: &'a Path,
    allowance: Allowance,
    stages: Vec<StageTime>,
    messages: String,
    unwritten: Vec<String>,
}

/// Why the chain broke.
enum ChainError {
    Stage(StageError),
    Other(miette::Report),
}

impl From<foreign::Failure> for ChainError {
    fn from(error: foreign::Failure) -> Self {
        match error {
            foreign::Failure::Stage(error) => Self::Stage(error),
            foreign::Failure::Other(report) => Self::Other(report),
        }
    }
}

impl From<miette::Report> for ChainError {
    fn from(report: miette::Report) -> Self {
        Self::Other(report)
    }
}

impl From<StageError> for ChainError {
    fn from(error: StageError) -> Self {
        Self::Stage(error)
    }
}

impl Chain<'_> {
    /// The change check, and where it is UNKNOWN the fallback.
    ///
    /// With a CPU budget the change check gets half of it if there is a fallback.
    fn answer(&mut self) -> Result<Answer, ChainError> {
        if self.allowance.cpu.is_some_and(|left| left.is_zero()) {
            return Ok(Answer::none(Reason::Budget));
        }
        let question = Question::Change;
        let original = match (&self.unit.original, self.settings.detector) {
            (UnitOriginal::Absent(_), _) | (_, Detector::None) => {
                return Ok(Answer { report: Ok(self.verify_whole()?), question });
            }
            (UnitOriginal::Program(original), Detector::Diffcond | Detector::Diffdp) => original.file.clone(),
        };
        let whole = self.allowance.cpu;
        let change = match self.settings.fallback {
            Fallback::None => whole,
            Fallback::Full => whole.map(|cpu| cpu / 2),
        };
        self.allowance.cpu = change;
        let found = match self.check_change(&original) {
            Ok(report) => Ok(report),
            // A stage that ended early leaves time for the fallback.
            Err(ChainError::Stage(error)) if self.settings.fallback == Fallback::Full => match error.reason() {
                Some(reason) => {
                    self.messages.push_str(&error.note());
                    Err(reason)
                }
                None => return Err(ChainError::Stage(error)),
            },
            Err(error) => return Err(error),
        };
        let reason = match &found {
            Ok(VerdictReport { verdict: Verdict::Unknown(reason), .. }) | Err(reason) => reason.clone(),
            Ok(_) => return Ok(Answer { report: found, question }),
        };
        if self.settings.fallback == Fallback::None || self.allowance.stopped() {
            return Ok(Answer { report: found, question });
        }
        let spent = change.zip(self.allowance.cpu).map(|(had, left)| had.saturating_sub(left));
        self.allowance.cpu = whole.map(|cpu| cpu.saturating_sub(spent.unwrap_or_default()));
        if found.is_ok() {
            let kept = std::fs::rename(self.folder.join(REPORT), self.folder.join(CHANGE_REPORT));
            kept.into_diagnostic().wrap_err("cannot keep the verdict of the change check")?;
        }
        let question = Question::Program(reason);
        Ok(match self.verify_whole() {
            Ok(report) => Answer { report: Ok(report), question },
            Err(ChainError::Stage(error)) => match error.reason() {
                Some(reason) => {
                    self.messages.push_str(&error.note());
                    Answer { report: Err(reason), question }
                }
                None => return Err(ChainError::Stage(error)),
            },
            Err(error) => return Err(error),
        })
    }

    /// Detector, condition generator, and the verifier on what is left.
    fn check_change(&mut self, original: &Path) -> Result<VerdictReport, ChainError> {
        self.detect(original)?;
        match self.settings.via {
            Via::Native => self.verify_modified(Some(CONDITION)),
            Via::Reduce => {
                self.reduce()?;
                self.verify_residual(&self.path(RESIDUAL), RESIDUAL_MAP)
            }
        }
    }

    /// The modified program without a condition. A verifier that is not ours gets it as the residual program of a condition
    /// that covers nothing, because that has everything such verifiers ask for.
    fn verify_whole(&mut self) -> Result<VerdictReport, ChainError> {
        match self.settings.verifier {
            Verifier::Native => self.verify_modified(None),
            Verifier::Foreign { .. } => {
                let unit = self.unit;
                std::fs::create_dir_all(self.folder.join(FOREIGN)).into_diagnostic()?;
                let readable = unit.readable(&unit.modified, self.folder);
                let [graph, condition, residual, map] =
                    [GRAPH, CONDITION, RESIDUAL, RESIDUAL_MAP].map(|name| format!("{FOREIGN}/{name}"));
                foreign::compare_nothing(&readable, &unit.modified.file, &unit.options, &self.folder.join(&graph))?;
                let stage = self.stage("condgen").args(self.own_word()).arg("-o").arg(self.path(&condition));
                self.finish("condgen", stage.within(&self.allowance).arg("--").arg(self.path(&graph)))?;
                let stage = self.stage("reduce").args(self.own_word()).arg("--map").arg(self.path(&map));
                let stage = stage.arg("-o").arg(self.path(&residual)).within(&self.allowance);
                self.finish("reduce", stage.arg("--").arg(self.path(&condition)))?;
                self.verify_residual(&self.path(&residual), &map)
            }
        }
    }

    /// The verifier on a residual program; its lines become those of the modified program.
    fn verify_residual(&mut self, residual: &Path, map: &str) -> Result<VerdictReport, ChainError> {
        let mut report = self.verify(residual, None)?;
        let bytes = std::fs::read(self.folder.join(map)).into_diagnostic().wrap_err_with(|| format!("cannot read {map}"))?;
        crate::residual::to_modified(&mut report, &ResidualMap::read(&bytes, map).into_diagnostic()?);
        Ok(report)
    }

    fn verify_modified(&mut self, condition: Option<&str>) -> Result<VerdictReport, ChainError> {
        let program = self.unit.modified.file.clone();
        self.verify(&program, condition)
    }

    /// Detector and condition generator.
    fn detect(&mut self, original: &Path) -> Result<(), ChainError> {
        let tool = match self.settings.detector {
            Detector::Diffcond => "diffcond",
            Detector::None | Detector::Diffdp => "diffdp",
        };
        let stage = self.stage(tool).args(self.program_options()).arg("-o").arg(self.path(GRAPH));
        let stage = stage.arg("--explain-json").arg(self.path(EXPLANATION));
        self.finish(tool, stage.within(&self.allowance).arg("--").arg(original).arg(&self.unit.modified.file))?;
        let stage = self.stage("condgen").args(self.own_word()).arg("-o").arg(self.path(CONDITION));
        self.finish("condgen", stage.within(&self.allowance).arg("--").arg(self.path(GRAPH)))?;
        Ok(())
    }

    fn reduce(&mut self) -> Result<(), ChainError> {
        let stage = self.stage("reduce").args(self.own_word()).arg("--map").arg(self.path(RESIDUAL_MAP));
        let stage = stage.arg("-o").arg(self.path(RESIDUAL)).within(&self.allowance);
        self.finish("reduce", stage.arg("--").arg(self.path(CONDITION)))?;
        Ok(())
    }

    /// The verifier on `program`, following the condition if one is named.
    fn verify(&mut self, program: &Path, condition: Option<&str>) -> Result<VerdictReport, ChainError> {
        match &self.settings.verifier {
            Verifier::Native => self.verify_natively(program, condition),
            Verifier::Foreign { name, options } => self.verify_elsewhere(name, options, program),
        }
    }

    fn verify_elsewhere(&mut self, name: &str, options: &[String], residual: &Path) -> Result<VerdictReport, ChainError> {
        let residual = self.readable(residual);
        let program_options = &self.residual_options(&residual);
        let job = foreign::Job {
            name,
            options,
            residual: &residual,
            program_options,
            folder: &self.folder.join(FOREIGN),
            messages: self.settings.messages,
        };
        let (report, finished) = foreign::verify(&job, &self.allowance)?;
        if let Some(finished) = finished {
            self.record(name, &finished);
        }
        let text = serde_json::to_string(&report).into_diagnostic()? + "\n";
        self.keep(REPORT, &text);
        Ok(report)
    }

    fn verify_natively(&mut self, program: &Path, condition: Option<&str>) -> Result<VerdictReport, ChainError> {
        let mut stage = self.stage("verify").arg("--json");
        stage = match condition {
            Some(condition) => stage.args(self.own_word()).arg("--condition").arg(self.path(condition)),
            None if program == self.unit.modified.file => stage.args(self.program_options()),
            // A residual program is preprocessed already.
            None => stage.args(
                flags(&self.residual_options(&self.readable(program))).into_iter().filter(|flag| !flag.starts_with("--cpp-arg=")),
            ),
        };
        stage = stage.arg("--witness").arg(self.path(WITNESS)).arg("--harness").arg(self.path(HARNESS));
        let stdout = match self.finish("verify", stage.within(&self.allowance).arg("--").arg(program)) {
            Ok(finished) => finished.stdout,
            // It could not write its evidence; the verdict is there all the same.
            Err(StageError::Failed { code: 2, stdout, messages, .. }) if !stdout.is_empty() => {
                self.messages.push_str(&messages);
                self.unwritten.push("the evidence of the verdict cannot be written".to_owned());
                stdout
            }
            Err(error) => return Err(error.into()),
        };
        self.keep(REPORT, &stdout);
        let text = stdout.lines().last().unwrap_or_default();
        Ok(serde_json::from_str(text).into_diagnostic().wrap_err("verify did not print a verdict")?)
    }

    /// Keeps an artifact that nothing depends on.
    fn keep(&mut self, name: &str, text: &str) {
        let file = self.folder.join(name);
        if let Err(error) = std::fs::write(&file, text) {
            self.unwritten.push(format!("{}: cannot be written: {error}", file.display()));
        }
    }

    /// The outcome: replays a counterexample on both programs and says what the verdict is about.
    ///
    /// A counterexample that does not replay on the modified program makes the verdict UNKNOWN.
    fn outcome(self, answer: Answer) -> miette::Result<Checked> {
        let Answer { report, question } = answer;
        let verdict = report.as_ref().map_or_else(|reason| Verdict::Unknown(reason.clone()), |report| report.verdict.clone());
        let mut verification = report.ok();
        let (verdict, judgement) = match verdict {
            Verdict::True if self.is_vacuous(verification.as_ref())? => {
                let judgement = judgement(Class::Vacuous, vacuous(self.unit.options.property));
                (Verdict::True, judgement)
            }
            Verdict::True => (Verdict::True, judgement(Class::NoRegression, proved(self.unit, self.folder, &question))),
            Verdict::Unknown(reason) => {
                // A stage that was told to end says that it was interrupted, or that its share is used up.
                let reason = self.allowance.ended().map_or(reason, console::Exhaustion::reason);
                let about = undecided(&question, &reason);
                (Verdict::Unknown(reason), judgement(Class::Undecided, about))
            }
            Verdict::False(_) => judge(self.unit, self.folder, verification.as_ref(), &self.allowance.run)?,
        };
        if let (Verdict::Unknown(reason), Some(report)) = (&verdict, &mut verification) {
            report.verdict = verdict.clone();
            report.reason = Some(reason.clone());
        }
        let unit = self.unit;
        let (original, modified) = programs(unit, self.folder)?;
        let outcome = Outcome {
            original,
            modified,
            options: unit.options.clone(),
            detector: self.settings.detector,
            via: self.settings.via,
            verifier: self.settings.verifier.clone(),
            verdict,
            class: judgement.class,
            about: judgement.about,
            violation: judgement.violation,
            cached: false,
            stages: self.stages,
            artifacts: artifacts(self.folder),
            verification,
        };
        let (folder, unwritten) = (self.folder.to_owned(), self.unwritten);
        Ok(Checked { outcome, unit: unit.clone(), folder, messages: self.messages, unwritten })
    }

    /// Whether the modified program calls no error function at all: a residual program may do so only because nothing is
    /// left to check.
    fn is_vacuous(&self, verification: Option<&VerdictReport>) -> miette::Result<bool> {
        let whole = matches!((self.settings.via, &self.settings.verifier), (Via::Native, Verifier::Native));
        match verification.filter(|_| whole) {
            Some(report) => Ok(report.vacuous),
            None => {
                let modified = self.unit.readable(&self.unit.modified, self.folder);
                Ok(!program::can_violate(&program::load(&modified, &self.unit.options)?))
            }
        }
    }

    fn stage(&self, tool: &'static str) -> Stage {
        let stage = Stage::new(tool, self.settings.messages).args(self.settings.verbosity).args(self.settings.statistics);
        match self.unit.location {
            Location::Named => stage,
            Location::Folder => stage.within_folder(self.folder),
        }
    }

    /// An artifact as the stages call it.
    fn path(&self, name: &str) -> PathBuf {
        match self.unit.location {
            Location::Named => self.folder.join(name),
            Location::Folder => PathBuf::from(name),
        }
    }

    /// A file that the stages call by this path, as this process does.
    fn readable(&self, path: &Path) -> PathBuf {
        match self.unit.location {
            Location::Named => path.to_owned(),
            Location::Folder => self.folder.join(path),
        }
    }

    /// How the programs are read, as flags.
    fn program_options(&self) -> Vec<String> {
        flags(&self.unit.options)
    }

    /// How the residual program is read: it has the caller of an entry function that needs one, and says so in its head.
    fn residual_options(&self, residual: &Path) -> ProgramOptions {
        let text = std::fs::read(residual).unwrap_or_default();
        let made = seal::reading(&text).map(|reading| reading.entry).filter(|entry| entry.starts_with(CALLER));
        match made {
            Some(entry) => ProgramOptions { entry, caller: CallerOptions::default(), ..self.unit.options.clone() },
            None => self.unit.options.clone(),
        }
    }

    /// The preprocessor arguments of the user, for stages that take them from an artifact: what stands in both is the user's
    /// own word.
    fn own_word(&self) -> impl Iterator<Item = String> {
        self.unit.options.preprocessor.iter().map(|argument| format!("--cpp-arg={argument}"))
    }

    fn finish(&mut self, name: &str, stage: Stage) -> Result<Finished, StageError> {
        let finished = stage.run(&self.allowance)?;
        self.record(name, &finished);
        Ok(finished)
    }

    fn record(&mut self, name: &str, finished: &Finished) {
        self.allowance.spend(finished.cpu);
        self.stages.push(StageTime { stage: name.to_owned(), cpu_seconds: finished.cpu.as_secs_f64() });
        self.messages.push_str(&finished.messages);
    }
}

/// How a program is read, as flags.
fn flags(options: &ProgramOptions) -> Vec<String> {
    let ProgramOptions { data_model, entry, property, preprocessor, caller, library } = options;
    let mut flags = vec![format!("--data-model={data_model}"), format!("--entry={entry}"), format!("--property={property}")];
    if !caller.is_default() {
        flags.extend([format!("--entry-depth={}", caller.depth), format!("--entry-length={}", caller.length)]);
        flags.extend(caller.assume.iter().map(|expression| format!("--assume={expression}")));
    }
    flags.extend(preprocessor.iter().map(|argument| format!("--cpp-arg={argument}")));
    flags.extend(library.flags());
    flags
}

/// What TRUE is about.
fn proved(unit: &Unit, folder: &Path, question: &Question) -> String {
    match (question, &unit.original) {
        (Question::Program(reason), _) => {
            format!("no violation in the whole modified program (the change check was undecided: {reason})")
        }
        (Question::Change, UnitOriginal::Absent(why)) => format!("no violation in the whole modified program ({why})"),
        (Question::Change, UnitOriginal::Program(original)) => match same_for_the_compiler(unit, folder, original) {
            true => "no regression (the text changed, what the compiler sees did not)".to_owned(),
            false => "no regression".to_owned(),
        },
    }
}

/// Whether the files differ and the preprocessed texts do not.
fn same_for_the_compiler(unit: &Unit, folder: &Path, original: &UnitProgram) -> bool {
    let files = [original, &unit.modified].map(|program| unit.readable(program, folder));
    let [Ok(before), Ok(after)] = [0, 1].map(|side: usize| std::fs::read(&files[side])) else { return false };
    if before == after || before.len().max(after.len()) > LONGEST_COMPARED {
        return false;
    }
    let [before, after] = files.map(|file| program::preprocess::read_source(&file, &unit.options));
    before.is_ok_and(|before| after.is_ok_and(|after| essence(before.text()) == essence(after.text())))
}

/// What a counterexample says, replayed on both programs.
fn judge(
    unit: &Unit,
    folder: &Path,
    verification: Option<&VerdictReport>,
    budget: &console::Budget,
) -> miette::Result<(Verdict, Judgement)> {
    let counterexample = verification.and_then(|report| report.counterexample.as_ref());
    let inputs = counterexample.map(|found| found.inputs.as_slice()).unwrap_or_default();
    let original = match &unit.original {
        UnitOriginal::Program(program) => Original::Program(unit.readable(program, folder), &unit.options),
        UnitOriginal::Absent(why) => Original::Absent(why),
    };
    let modified = unit.readable(&unit.modified, folder);
    Ok(match replay::compare(&original, &modified, &unit.options, inputs, budget)? {
        Comparison::Ended(exhaustion) => {
            let about = format!("the counterexample of the verifier was not replayed to its end: {exhaustion}");
            (Verdict::Unknown(exhaustion.reason()), judgement(Class::Undecided, about))
        }
        Comparison::NotReplayed(what) => {
            let about = format!("the counterexample does not replay on the modified program: {what}");
            (Verdict::Unknown(Reason::Solver), judgement(Class::Undecided, about))
        }
        Comparison::Replayed(judgement) => (Verdict::False(unit.options.property), judgement),
    })
}

/// What an outcome that somebody else may have written is about, said anew: a FALSE is replayed, and whether there is anything
/// to violate is looked up. `None` if it does not hold.
pub(crate) fn judged_again(unit: &Unit, folder: &Path, outcome: &Outcome, budget: &console::Budget) -> Option<Judgement> {
    match &outcome.verdict {
        Verdict::True if outcome.class == Class::Vacuous => {
            let modified = unit.readable(&unit.modified, folder);
            let violates = program::can_violate(&program::load(&modified, &unit.options).ok()?);
            (!violates).then(|| judgement(Class::Vacuous, vacuous(unit.options.property)))
        }
        Verdict::True => Some(judgement(Class::NoRegression, proved(unit, folder, &question(&outcome.about)))),
        Verdict::Unknown(reason) => Some(judgement(Class::Undecided, undecided(&question(&outcome.about), reason))),
        Verdict::False(_) => match judge(unit, folder, outcome.verification.as_ref(), budget).ok()? {
            (Verdict::False(_), judgement) => Some(judgement),
            (Verdict::True | Verdict::Unknown(_), _) => None,
        },
    }
}

/// The question that an outcome answers, as the line about it says.
fn question(about: &str) -> Question {
    let whole = about.split_once("(the change check was undecided: ").and_then(|(_, rest)| rest.strip_suffix(')'));
    let neither =
        || about.split_once("by the change check (")?.1.split_once(") nor for the whole program").map(|(reason, _)| reason);
    let reason = whole.or_else(neither);
    reason.and_then(|reason| reason.parse().ok()).map_or(Question::Change, Question::Program)
}

fn judgement(class: Class, about: impl Into<String>) -> Judgement {
    Judgement { class, about: about.into(), violation: None }
}

fn undecided(question: &Question, reason: &Reason) -> String {
    let what = match question {
        Question::Change => "not decided".to_owned(),
        Question::Program(reason) => format!("not decided, neither by the change check ({reason}) nor for the whole program"),
    };
    reason.explanation().map_or(what.clone(), |explanation| format!("{what}: {explanation}"))
}

/// What a TRUE is about where nothing could have been violated.
fn vacuous(property: Property) -> String {
    match property {
        Property::UnreachCall => "nothing to violate: the modified program calls no reach_error and has no assertion".to_owned(),
        Property::Assert => "nothing to violate: the modified program has no assertion".to_owned(),
        Property::DivZero
        | Property::Shift
        | Property::NoOverflow
        | Property::ValidDeref
        | Property::ValidFree
        | Property::ValidMemtrack => {
            format!("nothing to violate: the modified program has no operation that {property} is about")
        }
    }
}

/// The programs of a unit for its outcome: the original if there is one, and the modified one.
pub(crate) fn programs(unit: &Unit, folder: &Path) -> miette::Result<(Option<CheckedProgram>, CheckedProgram)> {
    let original = match &unit.original {
        UnitOriginal::Program(program) => Some(checked_program(unit, program, folder)?),
        UnitOriginal::Absent(_) => None,
    };
    Ok((original, checked_program(unit, &unit.modified, folder)?))
}

/// A program of a unit for its outcome.
pub(crate) fn checked_program(unit: &Unit, program: &UnitProgram, folder: &Path) -> miette::Result<CheckedProgram> {
    let file = unit.source(program, folder);
    let cannot = || format!("cannot read {}", shown::one_line(&program.shown));
    let files = formats::inputs::hashed(&file).into_diagnostic().wrap_err_with(cannot)?.unwrap_or_default();
    let sha256 = formats::inputs::sha256(&file).into_diagnostic().wrap_err_with(cannot)?;
    let name = |path: &Path| path.to_string_lossy().into_owned();
    let revision = program.revision.as_ref();
    Ok(CheckedProgram {
        path: program.shown.clone(),
        sha256,
        files,
        revision: revision.map(|revision| revision.name.clone()),
        source: revision.map(|revision| name(&revision.source)),
        preprocessed: revision.map(|_| name(&program.file)),
        flags: revision.map(|revision| revision.flags.clone()).unwrap_or_default(),
    })
}

/// Removes what an earlier check left, which would be taken for artifacts of this one.
pub(crate) fn clear(folder: &Path) -> miette::Result<()> {
    for name in ARTIFACTS {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).into_diagnostic().wrap_err_with(|| format!("cannot remove {}", shown::name(&path)));
            }
            Ok(()) | Err(_) => {}
        }
    }
    let other = folder.join(FOREIGN);
    if other.is_dir() {
        std::fs::remove_dir_all(&other).into_diagnostic().wrap_err_with(|| format!("cannot remove {}", shown::name(&other)))?;
    }
    Ok(())
}

/// The artifacts that are there.
fn artifacts(folder: &Path) -> Artifacts {
    let found = |name: &str| folder.join(name).is_file().then(|| name.to_owned());
    Artifacts {
        difference_graph: found(GRAPH),
        explanation: found(EXPLANATION),
        condition: found(CONDITION),
        residual_program: found(RESIDUAL),
        residual_map: found(RESIDUAL_MAP),
        witness: found(WITNESS),
        harness: found(HARNESS),
        verification: found(REPORT),
        change_verification: found(CHANGE_REPORT),
    }
}
