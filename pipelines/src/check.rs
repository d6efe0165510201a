//! `residue check`: original and modified program in, a verdict about the change out.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use console::{Budget, Exit, Output, SharedOptions, Statistics};
use formats::{ProgramOptions, Reason, Verdict, VerdictReport};
use miette::{Context, IntoDiagnostic, miette};
use serde::Serialize;

use crate::replay::{self, Comparison};
use crate::stage::Stage;

/// Names of the artifacts in `--out`.
pub(crate) const GRAPH: &str = "difference-graph.json";
const CONDITION: &str = "condition.graphml";
const RESIDUAL: &str = "residual.c";
const RESIDUAL_MAP: &str = "residual-map.json";
const WITNESS: &str = "witness.graphml";
const HARNESS: &str = "harness.c";
const REPORT: &str = "verdict.json";

/// Check a change: can the modified program violate its property where the original does not?
#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// Program before the change
    #[arg(required_unless_present = "task", conflicts_with = "task")]
    original: Option<PathBuf>,
    /// Program after the change
    #[arg(required_unless_present = "task")]
    modified: Option<PathBuf>,
    /// How differences are detected
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    detector: Detector,
    /// Whether the verifier follows the condition itself or checks the residual program
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    via: Via,
    /// Keep all artifacts in this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON object instead of the verdict lines
    #[arg(long)]
    json: bool,
    /// Write the map from the lines of the residual program to those of the modified one
    #[arg(long, value_name = "FILE.json", requires = "via")]
    map: Option<PathBuf>,
    /// Print CPU seconds per stage on stderr
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    shared: SharedOptions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Detector {
    /// Verify the modified program as a whole
    None,
    /// Syntactic differences
    Diffcond,
    /// Data dependencies and the property
    #[default]
    Diffdp,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Via {
    /// The verifier follows the condition
    #[default]
    Native,
    /// The verifier gets the residual program
    Reduce,
}

/// One run of the chain.
struct Chain<'a> {
    original: &'a Path,
    modified: &'a Path,
    options: &'a ProgramOptions,
    verbosity: Option<&'static str>,
    folder: &'a Path,
    budget: &'a Budget,
    statistics: Statistics,
}

/// What `--json` prints.
#[derive(Serialize)]
struct CheckReport {
    verdict: String,
    about: String,
    original: String,
    modified: String,
    statistics: std::collections::BTreeMap<String, f64>,
    verification: VerdictReport,
}

pub(crate) fn check(arguments: &CheckArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    let task = shared.load_task()?;
    let options = shared.program_options(task.as_ref())?;
    let (original, modified) = programs(arguments, task.as_ref())?;
    let budget = shared.budget()?;
    let temporary = tempfile::tempdir().into_diagnostic().wrap_err("cannot make a temporary folder")?;
    let folder = arguments.out.as_deref().unwrap_or(temporary.path());
    std::fs::create_dir_all(folder).into_diagnostic().wrap_err_with(|| format!("cannot make {}", folder.display()))?;
    let verbosity = if shared.quiet { Some("-q") } else { shared.verbose.then_some("-v") };
    let statistics = Statistics::new();
    let chain = Chain { original: &original, modified: &modified, options: &options, verbosity, folder, budget: &budget, statistics };
    chain.run(arguments)
}

/// The two programs: from the command line or from the task.
fn programs(arguments: &CheckArguments, task: Option<&console::Task>) -> miette::Result<(PathBuf, PathBuf)> {
    if let (Some(original), Some(modified)) = (&arguments.original, &arguments.modified) {
        return Ok((original.clone(), modified.clone()));
    }
    let task = task.ok_or_else(|| miette!("no programs are given: name two files or a task with --task"))?;
    let original = task.original.clone().ok_or_else(|| {
        miette!(
            help = "add `options: {{difference_verification: {{original_input_file: FILE}}}}`",
            "{} does not name the original program",
            task.file.display()
        )
    })?;
    Ok((original, task.modified.clone()))
}

impl Chain<'_> {
    fn run(mut self, arguments: &CheckArguments) -> miette::Result<Exit> {
        let shared = &arguments.shared;
        if arguments.detector != Detector::None {
            self.detect(arguments.detector)?;
        }
        let mut report = match (arguments.detector, arguments.via) {
            (Detector::None, _) => self.verify(self.modified, None)?,
            (_, Via::Native) => self.verify(self.modified, Some(CONDITION))?,
            (_, Via::Reduce) => {
                self.reduce(arguments.map.as_deref())?;
                let residual = self.folder.join(RESIDUAL);
                self.verify(&residual, None)?
            }
        };
        let about = self.judge(&mut report)?;
        if arguments.stats {
            self.statistics.print();
        }
        let exit = Exit::from(&report.verdict);
        let text = if arguments.json {
            self.json(report, about)?
        } else {
            if shared.verbose {
                report.assumptions.iter().for_each(|text| shared.console().note(format!("assumption: {text}")));
            }
            format!("{about}\n{}\n", report.verdict)
        };
        Output::new(None).write_text(&text)?;
        Ok(exit)
    }

    /// Detector and condition generator.
    fn detect(&mut self, detector: Detector) -> miette::Result<()> {
        let tool = if detector == Detector::Diffcond { "diffcond" } else { "diffdp" };
        let stage = self.stage(tool).args(self.program_options()).arg("-o").arg(self.folder.join(GRAPH));
        self.finish(tool, stage.arg(self.original).arg(self.modified).within(self.budget))?;
        let stage = self.stage("condgen").arg("-o").arg(self.folder.join(CONDITION)).arg(self.folder.join(GRAPH));
        self.finish("condgen", stage)?;
        Ok(())
    }

    fn reduce(&mut self, map: Option<&Path>) -> miette::Result<()> {
        let kept = self.folder.join(RESIDUAL_MAP);
        let stage = self.stage("reduce").arg("--map").arg(&kept).arg("-o").arg(self.folder.join(RESIDUAL));
        self.finish("reduce", stage.arg(self.folder.join(CONDITION)))?;
        if let Some(map) = map {
            std::fs::copy(&kept, map).into_diagnostic().wrap_err_with(|| format!("cannot write {}", map.display()))?;
        }
        Ok(())
    }

    /// The verifier on `program`, following the condition if one is named.
    fn verify(&mut self, program: &Path, condition: Option<&str>) -> miette::Result<VerdictReport> {
        let mut stage = self.stage("verify").arg("--json");
        stage = match condition {
            Some(condition) => stage.arg("--condition").arg(self.folder.join(condition)),
            None => stage.args(self.program_options()),
        };
        stage = stage.arg("--witness").arg(self.folder.join(WITNESS)).arg("--harness").arg(self.folder.join(HARNESS));
        let finished = self.finish("verify", stage.within(self.budget).arg(program))?;
        let text = finished.lines().last().unwrap_or_default();
        std::fs::write(self.folder.join(REPORT), &finished).into_diagnostic()?;
        serde_json::from_str(text).into_diagnostic().wrap_err("verify did not print a verdict")
    }

    /// Replays a counterexample on both programs; returns what the verdict is about.
    ///
    /// A counterexample that does not replay on the modified program makes the verdict UNKNOWN.
    fn judge(&self, report: &mut VerdictReport) -> miette::Result<String> {
        match report.verdict {
            Verdict::True => Ok("no regression".to_owned()),
            Verdict::Unknown(_) => Ok("not decided".to_owned()),
            Verdict::False => {
                let inputs = report.counterexample.as_ref().map(|found| found.inputs.as_slice()).unwrap_or_default();
                match replay::compare(self.original, self.modified, self.options, inputs)? {
                    Comparison::NotReplayed(what) => {
                        report.verdict = Verdict::Unknown(Reason::Solver);
                        report.reason = Some(Reason::Solver);
                        Ok(format!("the counterexample does not replay on the modified program: {what}"))
                    }
                    Comparison::Replayed(about) => Ok(about),
                }
            }
        }
    }

    fn json(self, verification: VerdictReport, about: String) -> miette::Result<String> {
        let report = CheckReport {
            verdict: verification.verdict.to_string(),
            about,
            original: self.original.display().to_string(),
            modified: self.modified.display().to_string(),
            statistics: self.statistics.as_map(),
            verification,
        };
        Ok(serde_json::to_string(&report).into_diagnostic()? + "\n")
    }

    fn stage(&self, tool: &'static str) -> Stage {
        Stage::new(tool).args(self.verbosity)
    }

    /// How the programs are read, as flags.
    fn program_options(&self) -> Vec<String> {
        let ProgramOptions { data_model, entry, property, preprocessor } = self.options;
        let mut flags = vec![format!("--data-model={data_model}"), format!("--entry={entry}"), format!("--property={property}")];
        flags.extend(preprocessor.iter().map(|argument| format!("--cpp-arg={argument}")));
        flags
    }

    fn finish(&mut self, name: &str, stage: Stage) -> miette::Result<String> {
        let finished = stage.run(self.budget)?;
        self.statistics.seconds(&format!("{name}-cpu-seconds"), finished.cpu_seconds);
        Ok(finished.stdout)
    }
}
