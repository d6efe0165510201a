//! The chain for one unit: detector, condition generator, reducer, verifier, and the last judgement.
//!
//! Every stage is a process that reads and writes files in the folder of the unit.
//! Invariant: whatever ends a stage early makes the unit undecided, never dismissed.
//! Does not know where the programs come from or how many units there are.

use std::path::{Path, PathBuf};

use formats::{ProgramOptions, Reason, Verdict, VerdictReport, sha256_hex};
use miette::{Context, IntoDiagnostic};

use crate::outcome::{Artifacts, CheckedProgram, Class, Detector, Outcome, StageTime, Verifier, Via};
use crate::replay::{self, Comparison, Judgement, Original};
use crate::stage::{Allowance, Finished, Messages, Stage, StageError};

/// Names of the artifacts in the folder of a unit.
pub(crate) const GRAPH: &str = "difference-graph.json";
const CONDITION: &str = "condition.graphml";
const RESIDUAL: &str = "residual.c";
const RESIDUAL_MAP: &str = "residual-map.json";
const WITNESS: &str = "witness.graphml";
const HARNESS: &str = "harness.c";
const REPORT: &str = "verdict.json";

/// How every unit of a run is checked.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) detector: Detector,
    pub(crate) via: Via,
    pub(crate) verifier: Verifier,
    /// `-q` or `-v` for the stages.
    pub(crate) verbosity: Option<&'static str>,
    /// `--stats` for the stages.
    pub(crate) statistics: Option<&'static str>,
    pub(crate) messages: Messages,
}

/// One pair of programs with an entry function.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) original: UnitOriginal,
    pub(crate) modified: UnitProgram,
    /// How both are read.
    pub(crate) options: ProgramOptions,
}

/// A program of a unit.
#[derive(Clone, Debug)]
pub(crate) struct UnitProgram {
    /// The path the user knows.
    pub(crate) shown: String,
    /// The file the stages read.
    pub(crate) file: PathBuf,
}

/// The program before the change.
#[derive(Clone, Debug)]
pub(crate) enum UnitOriginal {
    /// A program.
    Program(UnitProgram),
    /// There is none; why. The modified program is verified as a whole.
    #[expect(dead_code, reason = "revisions with new files come next")]
    Absent(String),
}

/// An outcome with what belongs to it on the disk and on the screen.
pub(crate) struct Checked {
    pub(crate) outcome: Outcome,
    /// Where the artifacts are.
    pub(crate) folder: PathBuf,
    /// What the stages had to say, if it was collected.
    pub(crate) messages: String,
}

/// Checks one unit; its artifacts go to `folder`, which exists and loses those of an earlier check.
///
/// # Errors
/// If a program cannot be used or a stage fails; an early end is no error but an outcome.
pub(crate) fn run(unit: &Unit, settings: &Settings, folder: &Path, allowance: Allowance) -> miette::Result<Checked> {
    clear(folder)?;
    let mut chain = Chain { unit, settings, folder, allowance, stages: Vec::new(), messages: String::new() };
    let verification = match chain.verification() {
        Ok(report) => Some(report),
        Err(ChainError::Stage(StageError::Interrupted { .. })) => None,
        Err(ChainError::Stage(error)) => return Err(error.into()),
        Err(ChainError::Other(report)) => return Err(report),
    };
    chain.outcome(verification)
}

/// One run of the chain.
struct Chain<'a> {
    unit: &'a Unit,
    settings: &'a Settings,
    folder: &'a Path,
    allowance: Allowance,
    stages: Vec<StageTime>,
    messages: String,
}

/// Why the chain broke.
enum ChainError {
    Stage(StageError),
    Other(miette::Report),
}

impl From<StageError> for ChainError {
    fn from(error: StageError) -> Self {
        Self::Stage(error)
    }
}

impl From<miette::Report> for ChainError {
    fn from(report: miette::Report) -> Self {
        Self::Other(report)
    }
}

impl Chain<'_> {
    /// All stages; what the verifier says in the end.
    fn verification(&mut self) -> Result<VerdictReport, ChainError> {
        let unit = self.unit;
        let original = match (&unit.original, self.settings.detector) {
            (UnitOriginal::Absent(_), _) | (_, Detector::None) => return self.verify(&unit.modified.file, None),
            (UnitOriginal::Program(original), Detector::Diffcond | Detector::Diffdp) => original,
        };
        self.detect(&original.file)?;
        match self.settings.via {
            Via::Native => self.verify(&unit.modified.file, Some(CONDITION)),
            Via::Reduce => {
                self.reduce()?;
                self.verify(&self.folder.join(RESIDUAL), None)
            }
        }
    }

    /// Detector and condition generator.
    fn detect(&mut self, original: &Path) -> Result<(), ChainError> {
        let tool = match self.settings.detector {
            Detector::Diffcond => "diffcond",
            Detector::None | Detector::Diffdp => "diffdp",
        };
        let stage = self.stage(tool).args(self.program_options()).arg("-o").arg(self.folder.join(GRAPH));
        self.finish(tool, stage.arg(original).arg(&self.unit.modified.file).within(&self.allowance))?;
        let stage = self.stage("condgen").arg("-o").arg(self.folder.join(CONDITION)).arg(self.folder.join(GRAPH));
        self.finish("condgen", stage)?;
        Ok(())
    }

    fn reduce(&mut self) -> Result<(), ChainError> {
        let stage = self.stage("reduce").arg("--map").arg(self.folder.join(RESIDUAL_MAP));
        self.finish("reduce", stage.arg("-o").arg(self.folder.join(RESIDUAL)).arg(self.folder.join(CONDITION)))?;
        Ok(())
    }

    /// The verifier on `program`, following the condition if one is named.
    fn verify(&mut self, program: &Path, condition: Option<&str>) -> Result<VerdictReport, ChainError> {
        match &self.settings.verifier {
            Verifier::Native => self.verify_natively(program, condition),
            Verifier::Foreign { name, .. } => Err(miette::miette!("the verifier {name} is not known").into()),
        }
    }

    fn verify_natively(&mut self, program: &Path, condition: Option<&str>) -> Result<VerdictReport, ChainError> {
        let mut stage = self.stage("verify").arg("--json");
        stage = match condition {
            Some(condition) => stage.arg("--condition").arg(self.folder.join(condition)),
            None => stage.args(self.program_options()),
        };
        stage = stage.arg("--witness").arg(self.folder.join(WITNESS)).arg("--harness").arg(self.folder.join(HARNESS));
        let finished = self.finish("verify", stage.within(&self.allowance).arg(program))?;
        let text = finished.stdout.lines().last().unwrap_or_default();
        std::fs::write(self.folder.join(REPORT), &finished.stdout).into_diagnostic()?;
        Ok(serde_json::from_str(text).into_diagnostic().wrap_err("verify did not print a verdict")?)
    }

    /// The outcome: replays a counterexample on both programs and says what the verdict is about.
    ///
    /// A counterexample that does not replay on the modified program makes the verdict UNKNOWN.
    fn outcome(self, mut verification: Option<VerdictReport>) -> miette::Result<Checked> {
        let verdict = verification.as_ref().map_or(Verdict::Unknown(Reason::Budget), |report| report.verdict.clone());
        let (verdict, judgement) = match verdict {
            Verdict::True => (Verdict::True, judgement(Class::NoRegression, "no regression")),
            Verdict::Unknown(reason) => (Verdict::Unknown(reason), judgement(Class::Undecided, "not decided")),
            Verdict::False => self.judge(verification.as_ref())?,
        };
        if let (Verdict::Unknown(reason), Some(report)) = (&verdict, &mut verification) {
            report.verdict = verdict.clone();
            report.reason = Some(reason.clone());
        }
        let unit = self.unit;
        let original = match &unit.original {
            UnitOriginal::Program(program) => Some(checked(program)?),
            UnitOriginal::Absent(_) => None,
        };
        let outcome = Outcome {
            original,
            modified: checked(&unit.modified)?,
            options: unit.options.clone(),
            detector: self.settings.detector,
            via: self.settings.via,
            verifier: self.settings.verifier.clone(),
            verdict,
            class: judgement.class,
            about: judgement.about,
            violation: judgement.violation,
            stages: self.stages,
            artifacts: artifacts(self.folder),
            verification,
        };
        Ok(Checked { outcome, folder: self.folder.to_owned(), messages: self.messages })
    }

    fn judge(&self, verification: Option<&VerdictReport>) -> miette::Result<(Verdict, Judgement)> {
        let counterexample = verification.and_then(|report| report.counterexample.as_ref());
        let inputs = counterexample.map(|found| found.inputs.as_slice()).unwrap_or_default();
        let unit = self.unit;
        let original = match &unit.original {
            UnitOriginal::Program(program) => Original::Program(&program.file, &unit.options),
            UnitOriginal::Absent(why) => Original::Absent(why),
        };
        Ok(match replay::compare(&original, &unit.modified.file, &unit.options, inputs)? {
            Comparison::NotReplayed(what) => {
                let about = format!("the counterexample does not replay on the modified program: {what}");
                (Verdict::Unknown(Reason::Solver), judgement(Class::Undecided, about))
            }
            Comparison::Replayed(judgement) => (Verdict::False, judgement),
        })
    }

    fn stage(&self, tool: &'static str) -> Stage {
        Stage::new(tool, self.settings.messages).args(self.settings.verbosity).args(self.settings.statistics)
    }

    /// How the programs are read, as flags.
    fn program_options(&self) -> Vec<String> {
        let ProgramOptions { data_model, entry, property, preprocessor } = &self.unit.options;
        let mut flags = vec![format!("--data-model={data_model}"), format!("--entry={entry}"), format!("--property={property}")];
        flags.extend(preprocessor.iter().map(|argument| format!("--cpp-arg={argument}")));
        flags
    }

    fn finish(&mut self, name: &str, stage: Stage) -> Result<Finished, StageError> {
        let finished = stage.run(&self.allowance)?;
        self.allowance.spend(finished.cpu);
        self.stages.push(StageTime { stage: name.to_owned(), cpu_seconds: finished.cpu.as_secs_f64() });
        self.messages.push_str(&finished.messages);
        Ok(finished)
    }
}

fn judgement(class: Class, about: impl Into<String>) -> Judgement {
    Judgement { class, about: about.into(), violation: None }
}

fn checked(program: &UnitProgram) -> miette::Result<CheckedProgram> {
    let bytes = std::fs::read(&program.file);
    let bytes = bytes.into_diagnostic().wrap_err_with(|| format!("cannot read {}", program.file.display()))?;
    Ok(CheckedProgram { path: program.shown.clone(), sha256: sha256_hex(&bytes) })
}

/// Removes what an earlier check left, which would be taken for artifacts of this one.
fn clear(folder: &Path) -> miette::Result<()> {
    for name in [GRAPH, CONDITION, RESIDUAL, RESIDUAL_MAP, WITNESS, HARNESS, REPORT] {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).into_diagnostic().wrap_err_with(|| format!("cannot remove {}", path.display()));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// The artifacts that are there.
fn artifacts(folder: &Path) -> Artifacts {
    let found = |name: &str| folder.join(name).is_file().then(|| name.to_owned());
    Artifacts {
        difference_graph: found(GRAPH),
        condition: found(CONDITION),
        residual_program: found(RESIDUAL),
        residual_map: found(RESIDUAL_MAP),
        witness: found(WITNESS),
        harness: found(HARNESS),
        verification: found(REPORT),
    }
}
