//! `residue check`: original and modified program in, a verdict about the change out.
//!
//! Arguments become units, units go through the chain, outcomes are printed.
//! Does not know how a unit is checked (`chain`).

use std::path::{Path, PathBuf};

use clap::Args;
use console::{Exit, Output, SharedOptions, Statistics};
use formats::Producer;
use miette::{Context, IntoDiagnostic, miette};

use crate::chain::{self, Checked, Settings, Unit, UnitOriginal, UnitProgram};
use crate::outcome::{CheckReport, Detector, FORMAT, VERSION, Verifier, Via};
use crate::stage::{Allowance, Messages};

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
    /// Print what each stage counted and its CPU seconds on stderr
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    shared: SharedOptions,
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
    let settings = Settings {
        detector: arguments.detector,
        via: arguments.via,
        verifier: Verifier::Native,
        verbosity: if shared.quiet { Some("-q") } else { shared.verbose.then_some("-v") },
        statistics: arguments.stats.then_some("--stats"),
        messages: Messages::Direct,
    };
    let allowance = Allowance { cpu: budget.remaining(), memory: budget.memory_limit(), stop: budget.stop_flag() };
    let unit = Unit { original: UnitOriginal::Program(program(original)), modified: program(modified), options };
    let checked = [chain::run(&unit, &settings, folder, allowance)?];
    write_reports(arguments, &checked)?;
    print(arguments, &checked)
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

fn program(file: PathBuf) -> UnitProgram {
    UnitProgram { shown: file.display().to_string(), file }
}

/// What is written while the artifacts of all units are still there.
fn write_reports(arguments: &CheckArguments, checked: &[Checked]) -> miette::Result<()> {
    for Checked { outcome, folder, .. } in checked {
        if let (Some(map), Some(name)) = (&arguments.map, &outcome.artifacts.residual_map) {
            copy(&folder.join(name), map)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> miette::Result<()> {
    std::fs::copy(from, to).into_diagnostic().wrap_err_with(|| format!("cannot write {}", to.display()))?;
    Ok(())
}

fn print(arguments: &CheckArguments, checked: &[Checked]) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    let worst = checked.iter().max_by_key(|checked| checked.outcome.class).ok_or_else(|| miette!("there is nothing to check"))?;
    let verdict = worst.outcome.verdict.clone();
    let exit = Exit::from(&verdict);
    let mut text = String::new();
    for Checked { outcome, messages, .. } in checked {
        if !messages.is_empty() {
            shared.console().print(messages.trim_end());
        }
        if arguments.stats {
            let mut statistics = Statistics::new();
            outcome.stages.iter().for_each(|stage| statistics.seconds(&format!("{}-cpu-seconds", stage.stage), stage.cpu_seconds));
            statistics.print();
        }
        let assumptions = outcome.verification.iter().flat_map(|report| &report.assumptions);
        assumptions.for_each(|assumption| shared.console().note(format!("assumption: {assumption}")));
        text.push_str(&format!("{}\n{}\n", outcome.about, outcome.verdict));
    }
    if arguments.json {
        let report = CheckReport {
            format: FORMAT.to_owned(),
            version: VERSION,
            producer: Producer::new("residue", env!("CARGO_PKG_VERSION")),
            verdict,
            class: worst.outcome.class,
            outcomes: checked.iter().map(|checked| checked.outcome.clone()).collect(),
        };
        text = serde_json::to_string(&report).into_diagnostic()? + "\n";
    }
    Output::new(None).write_text(&text)?;
    Ok(exit)
}
