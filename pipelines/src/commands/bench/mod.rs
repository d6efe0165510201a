//! `residue bench-stage`: anybody's detector, condition generator or reducer on the trap pairs of this project.
//!
//! A condition that covers too much is noticed by no later stage: a verifier does not look where it is told not to. Each pair is
//! given to the stage, the other stages are ours, and what comes out is compared with what the violating runs of the pair do.
//! Runs what the command line names, and nothing else. Does not know how our own stages work.

mod traps;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use console::{Budget, Exit};
use formats::{Condition, shown};
use miette::{IntoDiagnostic, miette};
use program::cfa::Cfa;
use semantics::cursor::{ConditionCursor, Coverage};
use serde::Serialize;

use self::traps::{Kind, Trap, Violation, load, traps, violates, violations};
use crate::run::stage::{Allowance, Messages, Stage, StageError};

const EXAMPLES: &str = "\
Examples:
  residue bench-stage ./my-detector
  residue bench-stage --stage condgen -- python3 my_condgen.py --fast
  residue bench-stage --stage reduce --keep wrong ./my-reducer

A detector is called as COMMAND ORIGINAL MODIFIED and prints a difference graph; a condition generator and a reducer read stdin and
write stdout, as `condgen` and `reduce` do.
Exit codes: 0 no regression is lost, 1 some are, 2 the command cannot be used, 3 it gave no answer for some pairs, 101 a bug of ours.";

/// Judge a stage of one's own by pairs whose regressions are known.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchArguments {
    /// Which stage the command is
    #[arg(long, value_enum, default_value_t, value_name = "STAGE")]
    stage: Judged,
    /// Seconds that the command may take for one pair
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Keep the programs of pairs that were not answered rightly, and what the stage made of them, in DIR
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    /// The stage, with its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

/// A stage that can be judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Judged {
    /// Two programs to a difference graph
    #[default]
    Detector,
    /// A difference graph to a condition
    Condgen,
    /// A condition to a residual program
    Reduce,
}

/// What a stage made of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "lowercase")]
enum Verdict {
    /// Every violating run is left to check.
    Sound,
    /// A violating run is not.
    Lost {
        /// What it reads, in order.
        inputs: Vec<String>,
    },
    /// Nothing was left to check where something had to be.
    Nothing,
    /// No artifact that can be used.
    Failed {
        /// Why.
        message: String,
    },
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told {
    format: &'static str,
    version: u32,
    pairs: Vec<OfPair>,
}

#[derive(Serialize)]
struct OfPair {
    name: &'static str,
    #[serde(flatten)]
    verdict: Verdict,
}

/// The name of the marker of a folder that `--keep` filled.
const MARKER: &str = ".residue-bench";

/// Runs the command.
///
/// # Errors
/// If the stage cannot be started, or files cannot be written.
pub(crate) fn bench(arguments: &BenchArguments) -> miette::Result<Exit> {
    let _held = arguments.keep.as_deref().map(|folder| console::claim(folder, MARKER, "bench-stage")).transpose()?;
    let mut told = Told { format: "bench-stage", version: 1, pairs: Vec::new() };
    for trap in traps() {
        let folder = tempfile::tempdir().into_diagnostic()?;
        let verdict = judge(arguments, &trap, folder.path())?;
        if let (Some(kept), true) = (&arguments.keep, verdict != Verdict::Sound) {
            keep(folder.path(), &kept.join(trap.name))?;
        }
        told.pairs.push(OfPair { name: trap.name, verdict });
    }
    let count = |of: &dyn Fn(&Verdict) -> bool| told.pairs.iter().filter(|pair| of(&pair.verdict)).count();
    let wrong = count(&|verdict| matches!(verdict, Verdict::Lost { .. } | Verdict::Nothing));
    let failed = count(&|verdict| matches!(verdict, Verdict::Failed { .. }));
    let exit = match (wrong, failed) {
        (0, 0) => Exit::Success,
        (0, _) => Exit::Unknown,
        _ => Exit::Negative,
    };
    let text = if arguments.json {
        serde_json::to_string_pretty(&told).into_diagnostic()? + "\n"
    } else {
        lines(&told)
            + &format!("{} pairs: {wrong} with a regression that is lost, {failed} without an answer\n", told.pairs.len())
    };
    console::answer(&text, exit)?;
    Ok(exit)
}

/// A line for each pair that was not answered rightly.
fn lines(told: &Told) -> String {
    let mut text = String::new();
    for pair in &told.pairs {
        let said = match &pair.verdict {
            Verdict::Sound => continue,
            Verdict::Lost { inputs } if inputs.is_empty() => "loses a regression".to_owned(),
            Verdict::Lost { inputs } => format!("loses a regression: the run that reads {}", inputs.join(", ")),
            Verdict::Nothing => "leaves nothing to check".to_owned(),
            Verdict::Failed { message } => format!("no answer: {message}"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {}", pair.name, shown::one_line(&said));
    }
    text
}

/// Copies what is in a folder into another one.
fn keep(from: &Path, to: &Path) -> miette::Result<()> {
    console::refuse_link(to)?;
    std::fs::create_dir_all(to).into_diagnostic()?;
    for entry in std::fs::read_dir(from).into_diagnostic()? {
        let entry = entry.into_diagnostic()?;
        let target = to.join(entry.file_name());
        console::refuse_link(&target)?;
        std::fs::copy(entry.path(), target).into_diagnostic()?;
    }
    Ok(())
}

/// What the stage makes of a pair, with all files in a folder.
fn judge(arguments: &BenchArguments, trap: &Trap, folder: &Path) -> miette::Result<Verdict> {
    let [original, modified] = ["original.c", "modified.c"].map(|name| folder.join(name));
    std::fs::write(&original, &trap.original).into_diagnostic()?;
    std::fs::write(&modified, &trap.modified).into_diagnostic()?;
    let cfa = load(&modified.display().to_string(), &trap.modified)?;
    let known = violations(&cfa);
    let file = |name: &str| folder.join(name);
    let (graph, condition, residual) = (file("graph.json"), file("condition.graphml"), file("residual.c"));
    let made = match arguments.stage {
        Judged::Detector => own(arguments, &[&original, &modified], None, &graph)?,
        Judged::Condgen | Judged::Reduce => native("diffdp", &[&original, &modified], &graph),
    };
    let made = made.and_then(|()| match arguments.stage {
        Judged::Condgen => own(arguments, &[], Some(&graph), &condition).unwrap_or_else(|error| Err(error.to_string())),
        Judged::Detector | Judged::Reduce => native("condgen", &[&graph], &condition),
    });
    let made = made.and_then(|()| match arguments.stage {
        Judged::Reduce => own(arguments, &[], Some(&condition), &residual).unwrap_or_else(|error| Err(error.to_string())),
        Judged::Detector | Judged::Condgen => Ok(()),
    });
    let verdict = made.and_then(|()| match arguments.stage {
        Judged::Reduce => of_residual(&residual, &condition, &cfa, &known),
        Judged::Detector | Judged::Condgen => of_condition(&condition, &cfa, trap.kind, &known),
    });
    Ok(verdict.unwrap_or_else(|message| Verdict::Failed { message }))
}

/// Runs a stage of ours; why it left nothing.
fn native(tool: &'static str, inputs: &[&Path], output: &Path) -> Result<(), String> {
    let allowance = Allowance { cpu: None, memory: None, run: Budget::unlimited() };
    let stage = Stage::new(tool, Messages::Collected).args(inputs.iter().map(|path| path.as_os_str())).arg("-o").arg(output);
    let failed = |error: StageError| {
        let text = error.to_string();
        let said = text.lines().find_map(|line| line.strip_prefix("error: ")).map(str::to_owned);
        format!("{tool} refuses what it printed: {}", said.unwrap_or(text))
    };
    stage.run(&allowance).map(|_| ()).map_err(failed)
}

/// Runs the stage that is judged, and writes what it prints to a file; why it printed nothing that can be used.
///
/// # Errors
/// If it cannot be started.
fn own(
    arguments: &BenchArguments,
    programs: &[&Path],
    stdin: Option<&Path>,
    output: &Path,
) -> miette::Result<Result<(), String>> {
    let Some((program, fixed)) = arguments.command.split_first() else { return Err(miette!("no command is given")) };
    let all = fixed.iter().cloned().chain(programs.iter().map(|path| path.as_os_str().to_owned()));
    let command = duct::cmd(program, all).stdout_capture().stderr_capture().unchecked();
    let command = match stdin {
        Some(path) => command.stdin_path(path),
        None => command.stdin_null(),
    };
    let named = shown::name(Path::new(program));
    let cannot = |error: std::io::Error| miette!(help = "name a program that can be run, then its arguments", "{named}: {error}");
    let handle = command.start().map_err(cannot)?;
    let Some(ended) = handle.wait_timeout(Duration::from_secs(arguments.limit)).into_diagnostic()? else {
        handle.kill().into_diagnostic()?;
        return Ok(Err(format!("it took longer than {} s", arguments.limit)));
    };
    if !ended.status.success() {
        let text = String::from_utf8_lossy(&ended.stderr);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Ok(Err(format!("{}: {}", ended.status, last.trim())));
    }
    std::fs::write(output, &ended.stdout).into_diagnostic()?;
    Ok(Ok(()))
}

/// What a condition says of paths.
fn cursor(file: &Path, cfa: &Cfa) -> Result<ConditionCursor, String> {
    let name = file.display().to_string();
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let condition = Condition::read(&bytes, &name).map_err(|error| error.to_string())?;
    ConditionCursor::new(condition, &name, cfa).map_err(|error| error.to_string())
}

fn covers(cursor: &ConditionCursor, run: &Violation) -> bool {
    run.trace.iter().fold(cursor.start(), |coverage: Coverage, edge| cursor.step(coverage, *edge)).is_covered()
}

fn lost(run: &Violation) -> Verdict {
    Verdict::Lost { inputs: run.values.iter().map(u128::to_string).collect() }
}

/// Compares a condition with the violating runs.
fn of_condition(file: &Path, cfa: &Cfa, kind: Kind, known: &[Violation]) -> Result<Verdict, String> {
    let cursor = cursor(file, cfa)?;
    let covered = known.iter().find(|run| kind == Kind::Regression && covers(&cursor, run));
    Ok(match covered {
        Some(run) => lost(run),
        None if kind == Kind::Checked && cursor.start().is_covered() => Verdict::Nothing,
        None => Verdict::Sound,
    })
}

/// Runs a residual program on the inputs of the violating runs that are left to check: it violates the property as well.
fn of_residual(file: &Path, condition: &Path, cfa: &Cfa, known: &[Violation]) -> Result<Verdict, String> {
    let cursor = cursor(condition, cfa)?;
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let residual = load(&file.display().to_string(), &text).map_err(|error| error.to_string())?;
    let missing = known.iter().find(|run| !covers(&cursor, run) && !violates(&residual, &run.values));
    Ok(missing.map_or(Verdict::Sound, lost))
}
