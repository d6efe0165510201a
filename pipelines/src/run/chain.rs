//! The chain for one unit: detector, condition generator, reducer, verifier, and the last judgement.
//!
//! Every stage is a process that reads and writes files in the folder of the unit.
//! Invariant: whatever ends a stage early makes the unit undecided, never dismissed.
//! Does not know where the programs come from or how many units there are.

use std::path::{Path, PathBuf};
use std::time::Duration;

use formats::{CallerOptions, Library, ProgramOptions, Reason, ResidualMap, Validation, Verdict, VerdictReport};
use miette::{Context, IntoDiagnostic};
use program::caller::CALLER;
use program::seal;

use super::artifacts::{
    self, CERTIFICATE, CHANGE_REPORT, CONDITION, EXPLANATION, GRAPH, HARNESS, REPORT, RESIDUAL, RESIDUAL_MAP, WITNESS,
};
use super::facts;
use super::foreign;
use super::judgement::{Question, UNSATISFIED, judge, judged_again, judgement, proved, undecided, vacuous};
use super::outcome::{Asked, Class, Detector, Outcome, StageTime, Turn, Verifier, Via};
use super::proofs::PROOF;
use super::residual;
use super::stage::{Allowance, Finished, Messages, Stage, StageError};
use super::unit::{Checked, Location, Settings, Unit, UnitOriginal, UnitProgram, assumed, programs};
use super::validated;
use super::written;

/// Checks one unit; its artifacts go to `folder`, which exists and has no artifacts of an earlier check ([`clear`]).
///
/// # Errors
/// If a program cannot be used or a stage fails; an early end is no error but an outcome.
pub(crate) fn run(unit: &Unit, settings: &Settings, folder: &Path, mut allowance: Allowance) -> miette::Result<Checked> {
    if let Some(checked) = decided_by_name(unit, settings, folder, &mut allowance)? {
        return Ok(checked);
    }
    let mut chain = Chain::new(unit, settings, folder, allowance);
    let answer = match chain.answer() {
        Ok(answer) => answer,
        Err(ChainError::Stage(error)) => match error.reason() {
            Some(reason) => {
                chain.messages.push_str(&error.note());
                Err(reason)
            }
            None => return Err(error.into()),
        },
        Err(ChainError::Other(report)) => return Err(report),
    };
    chain.outcome(answer)
}

/// The longest time for a unit without bodies of the C library, which is also at most a quarter of what it has.
const LONGEST_BY_NAME: Duration = Duration::from_secs(5);

/// The same where steps decide.
const STEPS_BY_NAME: u64 = 400_000;

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
    let has_bodies =
        |program: &UnitProgram| facts::of(&unit.readable(program, folder), &unit.options).is_ok_and(|facts| facts.has_library);
    let compares = settings.detector != Detector::None && !allowance.cpu.is_some_and(|left| left.is_zero());
    if !unit.options.library.is_own() || !compares || !(has_bodies(original) || has_bodies(&unit.modified)) {
        return Ok(None);
    }
    let options = ProgramOptions { library: Library::None, ..unit.options.clone() };
    let (whole, unit) = (unit, Unit { options, ..unit.clone() });
    // With a limit of steps no clock decides how far this look goes: a budget in seconds only ends everything.
    let slice = match settings.steps {
        Some(_) => allowance.cpu,
        None => Some(allowance.cpu.map_or(LONGEST_BY_NAME, |cpu| (cpu / 4).min(LONGEST_BY_NAME))),
    };
    let own = Allowance { cpu: slice, ..allowance.clone() };
    // What is not the answer is not told: whoever is asked next has the same to say.
    let collected = Settings { messages: Messages::Collected, ..settings.clone() };
    let mut chain = Chain::new(&unit, &collected, folder, own);
    chain.steps = settings.steps.map(|steps| (steps / 4).min(STEPS_BY_NAME));
    if let Ok(answer) = chain.answer()
        && answer.as_ref().is_ok_and(|report| !matches!(report.verdict, Verdict::Unknown(_)))
    {
        let run = chain.allowance.run.clone();
        let mut checked = chain.outcome(answer)?;
        compare_with_bodies(&mut checked.outcome, whole, folder, &run);
        return Ok(Some(checked));
    }
    let spent = slice.map(|slice| chain.allowance.cpu.map_or(slice, |left| slice.saturating_sub(left)));
    allowance.cpu = allowance.cpu.map(|cpu| cpu.saturating_sub(spent.unwrap_or_default()));
    artifacts::clear(folder)?;
    Ok(None)
}

/// Where the original could not be run for want of a body of the C library, it is run with bodies.
fn compare_with_bodies(outcome: &mut Outcome, unit: &Unit, folder: &Path, budget: &console::Budget) {
    if outcome.class != Class::NotCompared {
        return;
    }
    if let Some(again) = judged_again(unit, folder, outcome, budget).filter(|again| again.class != Class::NotCompared) {
        (outcome.class, outcome.about, outcome.violation) = (again.class, again.about, again.violation);
    }
}

/// What the verifier said in the end; if it did not come so far, why.
type Answer = Result<VerdictReport, Reason>;

/// One run of the chain.
struct Chain<'a> {
    unit: &'a Unit,
    settings: &'a Settings,
    folder: &'a Path,
    allowance: Allowance,
    stages: Vec<StageTime>,
    messages: String,
    unwritten: Vec<String>,
    /// The turns of verifiers, with the verdicts of those that were asked.
    turns: Vec<Turn>,
    /// The one that is asked.
    at: usize,
    /// Whether there is a residual program.
    is_reduced: bool,
    /// How many steps `verify` may do.
    steps: Option<u64>,
    /// What a check of the condition has found, if there had to be one.
    validation: Option<Validation>,
}

/// Whether `verify` printed a verdict, and no error.
fn is_verdict(stdout: &str) -> bool {
    serde_json::from_str::<VerdictReport>(stdout.trim()).is_ok()
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

impl<'a> Chain<'a> {
    fn new(unit: &'a Unit, settings: &'a Settings, folder: &'a Path, allowance: Allowance) -> Self {
        let (stages, messages, unwritten, turns) = (Vec::new(), String::new(), Vec::new(), settings.turns.clone());
        let (steps, validation) = (settings.steps, None);
        let (at, is_reduced) = (0, false);
        Self { unit, settings, folder, allowance, stages, messages, unwritten, turns, at, is_reduced, steps, validation }
    }

    /// Asks one verifier after the other until one decides. Each may use its share of the CPU time that is left then; what is
    /// found out about the change before may use the shares of all that are asked about the change. With a limit of steps
    /// there are no shares.
    fn answer(&mut self) -> Result<Answer, ChainError> {
        let mut answer = Err(Reason::Budget);
        if self.allowance.cpu.is_some_and(|left| left.is_zero()) {
            return Ok(answer);
        }
        let original = match (&self.unit.original, self.settings.detector) {
            (UnitOriginal::Absent(_), _) | (_, Detector::None) => None,
            (UnitOriginal::Program(original), Detector::Diffcond | Detector::Diffdp) => Some(original.file.clone()),
        };
        let is_asked = |turn: &Turn| turn.about == Asked::Change || original.is_some();
        let asked: Vec<usize> = (0..self.turns.len()).filter(|at| is_asked(&self.turns[*at])).collect();
        let about_change = asked.iter().filter(|at| self.turns[**at].about == Asked::Change).count();
        let mut detected = Ok(());
        for (number, at) in asked.iter().enumerate() {
            if number == 0 {
                if let Some(original) = &original {
                    detected = self.within_share(about_change, asked.len(), |chain| chain.detect(original))?;
                }
            } else if self.allowance.stopped() {
                break;
            } else {
                self.put_away(*at)?;
            }
            self.at = *at;
            answer = match (self.turns[*at].about, &original, &detected) {
                (Asked::Change, Some(_), Err(reason)) => Err(reason.clone()),
                (Asked::Change, Some(_), Ok(())) => {
                    self.within_share(1, asked.len() - number, Self::verify_change)?.map(|report| self.with_validation(report))
                }
                (Asked::Change, None, _) | (Asked::Program, ..) => {
                    self.within_share(1, asked.len() - number, Self::verify_whole)?
                }
            };
            let verdict = answer.as_ref().map_or_else(|reason| Verdict::Unknown(reason.clone()), |report| report.verdict.clone());
            self.turns[*at].verdict = Some(verdict.to_string());
            if !matches!(verdict, Verdict::Unknown(_)) {
                break;
            }
        }
        Ok(answer)
    }

    /// Does something with so many of so many shares of the CPU time that is left; the inner error says why it came to no end.
    fn within_share<T>(
        &mut self,
        shares: usize,
        of: usize,
        work: impl FnOnce(&mut Self) -> Result<T, ChainError>,
    ) -> Result<Result<T, Reason>, ChainError> {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).max(1);
        let whole = self.allowance.cpu;
        let share = whole.map(|cpu| (cpu / count(of)).saturating_mul(count(shares)).min(cpu));
        let share = if shares == of || self.settings.steps.is_some() { whole } else { share };
        self.allowance.cpu = share;
        let result = work(self);
        let spent = share.zip(self.allowance.cpu).map(|(had, left)| had.saturating_sub(left));
        self.allowance.cpu = whole.map(|cpu| cpu.saturating_sub(spent.unwrap_or_default()));
        match result {
            Ok(done) => Ok(Ok(done)),
            Err(ChainError::Stage(error)) => match error.reason() {
                Some(reason) => {
                    self.messages.push_str(&error.note());
                    Ok(Err(reason))
                }
                None => Err(ChainError::Stage(error)),
            },
            Err(error) => Err(error),
        }
    }

    /// Removes the evidence of a verifier that did not decide; what the last one said of the change is kept when the whole
    /// program's turn comes.
    fn put_away(&self, next: usize) -> miette::Result<()> {
        let report = self.folder.join(REPORT);
        if self.turns[next].about == Asked::Program && report.is_file() {
            let kept = std::fs::rename(&report, self.folder.join(CHANGE_REPORT));
            kept.into_diagnostic().wrap_err("cannot keep the verdict of the change check")?;
        }
        for name in [REPORT, WITNESS, HARNESS] {
            match std::fs::remove_file(self.folder.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error).into_diagnostic().wrap_err("cannot remove what another verifier has left");
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// What a verifier has said of the change, as far as it may be said: a TRUE rests on the condition.
    fn with_validation(&self, mut report: VerdictReport) -> VerdictReport {
        if report.verdict != Verdict::True || !validated::is_needed(self.settings, self.unit, Asked::Change) {
            return report;
        }
        match self.validation.as_ref().map_or_else(|| Some(Reason::NotChecked), Validation::reason) {
            Some(reason) => {
                report.verdict = Verdict::Unknown(reason.clone());
                report.reason = Some(reason);
            }
            None => {
                let evidence = "what the condition covers was checked edge by edge, by the certificate of the detector";
                report.assumptions.push(evidence.to_owned());
            }
        }
        report
    }

    /// The verifier on what the change leaves to check.
    fn verify_change(&mut self) -> Result<VerdictReport, ChainError> {
        match self.turns[self.at].via {
            Via::Native => self.verify_modified(Some(CONDITION)),
            Via::Reduce => {
                self.reduce()?;
                self.verify_residual(&self.path(RESIDUAL), RESIDUAL_MAP)
            }
        }
    }

    /// The folder of the verifier whose turn it is, if it is not ours.
    fn foreign_folder(&self) -> String {
        artifacts::foreign(self.turns[..self.at].iter().filter(|turn| turn.verifier != Verifier::Native).count())
    }

    /// The modified program without a condition. A verifier that is not ours gets it as the residual program of a condition
    /// that covers nothing, because that has everything such verifiers ask for.
    fn verify_whole(&mut self) -> Result<VerdictReport, ChainError> {
        match self.turns[self.at].verifier {
            Verifier::Native => self.verify_modified(None),
            Verifier::Foreign { .. } => {
                let unit = self.unit;
                let own = self.foreign_folder();
                std::fs::create_dir_all(self.folder.join(&own)).into_diagnostic()?;
                let readable = unit.readable(&unit.modified, self.folder);
                let [graph, condition, residual, map] =
                    [GRAPH, CONDITION, RESIDUAL, RESIDUAL_MAP].map(|name| format!("{own}/{name}"));
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
        let map_file = self.folder.join(map);
        if report.reason == Some(Reason::Budget) && !map_file.exists() {
            // `reduce` had no time left either, and this verdict names no line.
            return Ok(report);
        }
        let bytes = std::fs::read(map_file).into_diagnostic().wrap_err_with(|| format!("cannot read {map}"))?;
        residual::to_modified(&mut report, &ResidualMap::read(&bytes, map).into_diagnostic()?);
        Ok(report)
    }

    fn verify_modified(&mut self, condition: Option<&str>) -> Result<VerdictReport, ChainError> {
        let program = self.unit.modified.file.clone();
        // What cannot be read is told by a stage, and a folder or a list has no such file.
        let text = std::fs::read(self.readable(&program)).unwrap_or_default();
        seal::refuse(Path::new(&self.unit.modified.shown), &text, self.unit.options.property).map_err(miette::Report::new)?;
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
        let certificate = self.settings.validated.then(|| ["--certificate".into(), self.path(CERTIFICATE).into_os_string()]);
        let stage = stage.args(certificate.into_iter().flatten());
        self.finish(tool, stage.within(&self.allowance).arg("--").arg(original).arg(&self.unit.modified.file))?;
        written::rewrite(self.unit, self.folder)?;
        let stage = self.stage("condgen").args(self.own_word()).arg("-o").arg(self.path(CONDITION));
        self.finish("condgen", stage.within(&self.allowance).arg("--").arg(self.path(GRAPH)))?;
        if self.settings.validated {
            let (validation, finished, note) = validated::validate(self.unit, self.settings, self.folder, &self.allowance);
            self.messages.push_str(&note);
            if let Some(finished) = finished {
                self.record(validated::STAGE, &finished);
            }
            self.validation = Some(validation);
        }
        Ok(())
    }

    fn reduce(&mut self) -> Result<(), ChainError> {
        if self.is_reduced {
            return Ok(());
        }
        let stage = self.stage("reduce").args(self.own_word()).arg("--map").arg(self.path(RESIDUAL_MAP));
        let stage = stage.arg("-o").arg(self.path(RESIDUAL)).within(&self.allowance);
        self.finish("reduce", stage.arg("--").arg(self.path(CONDITION)))?;
        self.is_reduced = true;
        Ok(())
    }

    /// The verifier on `program`, following the condition if one is named.
    fn verify(&mut self, program: &Path, condition: Option<&str>) -> Result<VerdictReport, ChainError> {
        match self.turns[self.at].verifier.clone() {
            Verifier::Native => self.verify_natively(program, condition),
            Verifier::Foreign { name, options } => self.verify_elsewhere(&name, &options, program),
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
            folder: &self.folder.join(self.foreign_folder()),
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
        if let Some(steps) = self.steps {
            stage = stage.arg("--steps").arg(steps.to_string());
        }
        if self.settings.keeps_proofs && program == self.unit.modified.file {
            stage = stage.arg("--proof").arg(self.path(PROOF));
        }
        stage = stage.arg("--witness").arg(self.path(WITNESS)).arg("--harness").arg(self.path(HARNESS));
        let stdout = match self.finish("verify", stage.within(&self.allowance).arg("--").arg(program)) {
            Ok(finished) => finished.stdout,
            // It could not write its evidence; the verdict is there all the same.
            Err(StageError::Failed { code: 2, stdout, messages, .. }) if is_verdict(&stdout) => {
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
    fn outcome(mut self, answer: Answer) -> miette::Result<Checked> {
        let verdict = answer.as_ref().map_or_else(|reason| Verdict::Unknown(reason.clone()), |report| report.verdict.clone());
        let is_unsatisfied = verdict == Verdict::True && self.assumes_too_much();
        let mut verification = answer.ok();
        let question = Question { turn: &self.turns[self.at], tried: &self.turns[..self.at] };
        let (verdict, judgement) = match verdict {
            Verdict::True if is_unsatisfied => (Verdict::True, judgement(Class::Vacuous, UNSATISFIED)),
            Verdict::True if self.is_vacuous(verification.as_ref())? => {
                let judgement = judgement(Class::Vacuous, vacuous(self.unit.options.property));
                (Verdict::True, judgement)
            }
            Verdict::True => (Verdict::True, judgement(Class::NoRegression, proved(self.unit, self.folder, question))),
            Verdict::Unknown(reason) => {
                // A stage that was told to end says that it was interrupted, or that its share is used up.
                let reason = self.allowance.ended().map_or(reason, console::Exhaustion::reason);
                let about = undecided(question, &reason);
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
            via: self.turns[self.at].via,
            verifier: self.turns[self.at].verifier.clone(),
            verdict,
            class: judgement.class,
            about: judgement.about,
            assumed: assumed(unit, self.folder),
            violation: judgement.violation,
            validation: self.validation,
            cached: false,
            turns: self.turns,
            stages: self.stages,
            artifacts: artifacts::found(self.folder),
            verification,
        };
        let (folder, unwritten) = (self.folder.to_owned(), self.unwritten);
        Ok(Checked { outcome, unit: unit.clone(), folder, messages: self.messages, unwritten })
    }

    /// Whether it is proved that no arguments satisfy what is assumed of them. What nobody can say of them is not.
    fn assumes_too_much(&mut self) -> bool {
        if self.unit.options.caller.assume.is_empty() {
            return false;
        }
        let stage = Stage::new("verify", Messages::Collected).args(self.program_options()).arg("--only-assumed");
        let stage = match self.unit.location {
            Location::Named => stage,
            Location::Folder => stage.within_folder(self.folder),
        };
        let found = stage.within(&self.allowance).arg("--").arg(&self.unit.modified.file).run(&self.allowance);
        found.is_ok_and(|finished| {
            self.allowance.spend(finished.cpu);
            finished.stdout.trim() == "TRUE"
        })
    }

    /// Whether the modified program calls no error function at all: a residual program may do so only because nothing is
    /// left to check.
    fn is_vacuous(&self, verification: Option<&VerdictReport>) -> miette::Result<bool> {
        let whole = matches!((self.turns[self.at].via, &self.turns[self.at].verifier), (Via::Native, Verifier::Native));
        match verification.filter(|_| whole) {
            Some(report) => Ok(report.vacuous),
            None => {
                let modified = self.unit.readable(&self.unit.modified, self.folder);
                Ok(!facts::of(&modified, &self.unit.options)?.can_violate)
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
pub(crate) fn flags(options: &ProgramOptions) -> Vec<String> {
    let ProgramOptions { data_model, entry, property, preprocessor, caller, library } = options;
    let mut flags = vec![format!("--data-model={data_model}"), format!("--entry={entry}"), format!("--property={property}")];
    if !caller.is_default() {
        flags.extend([format!("--entry-depth={}", caller.depth), format!("--entry-length={}", caller.length)]);
        flags.extend(caller.assume.iter().map(|expression| format!("--assume={expression}")));
        flags.extend(caller.malloc_may_fail.then(|| "--malloc-may-fail".to_owned()));
    }
    flags.extend(preprocessor.iter().map(|argument| format!("--cpp-arg={argument}")));
    flags.extend(library.flags());
    flags
}
