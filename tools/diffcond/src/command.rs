//! The command line of `diffcond`.

use std::path::{Path, PathBuf};

use clap::Parser;
use console::{Budget, Console, Exit, Output, SharedOptions, Task};
use formats::DifferenceGraph;
use program::cfa::{Cfa, Known};

use crate::detect;

/// Find where the modified program differs from the original, operation by operation
#[derive(Parser, Clone, Debug)]
#[command(name = "diffcond", version)]
pub struct Options {
    /// The program before the change
    #[arg(value_name = "ORIGINAL", required_unless_present = "task", conflicts_with = "task")]
    pub original: Option<PathBuf>,
    /// The program after the change
    #[arg(value_name = "MODIFIED", required_unless_present = "task", conflicts_with = "task")]
    pub modified: Option<PathBuf>,
    /// Where to write the difference graph [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print sizes and times on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: SharedOptions,
}

/// Reads both programs, compares them and writes the difference graph.
///
/// # Errors
/// A report of what cannot be read or written.
pub fn run(options: Options) -> miette::Result<Exit> {
    let console = options.shared.console();
    let budget = options.shared.budget()?;
    let task = options.shared.load_task()?;
    let program_options = options.shared.program_options(task.as_ref())?;
    let (original, modified) = paths(&options, task.as_ref())?;
    let original = program::load::load(&original, &program_options)?;
    let modified = program::load::load(&modified, &program_options)?;
    let loaded = Budget::cpu_used();
    let graph = detect(&original, &modified, &mut || budget.exhausted());
    warn(&console, &modified, &graph);
    Output::new(options.output.as_deref()).write(|out| graph.write(out))?;
    if options.stats {
        print(&graph, loaded.as_secs_f64());
    }
    Ok(Exit::Success)
}

fn paths(options: &Options, task: Option<&Task>) -> miette::Result<(PathBuf, PathBuf)> {
    let task = task.map(|task| (task.original.as_deref(), task.modified.as_path()));
    match (task, &options.original, &options.modified) {
        (Some((Some(original), modified)), _, _) => Ok((original.to_owned(), modified.to_owned())),
        (None, Some(original), Some(modified)) => {
            let stdin = Path::new("-");
            if original == stdin && modified == stdin {
                return Err(miette::miette!("only one of the two programs can be read from standard input"));
            }
            Ok((original.clone(), modified.clone()))
        }
        (Some((None, _)), _, _) | (None, _, _) => {
            Err(miette::miette!(help = "name a file of two programs", "the task is not about a change"))
        }
    }
}

fn warn(console: &Console, modified: &Cfa, graph: &DifferenceGraph) {
    if !modified.functions.iter().any(|f| f.known == Some(Known::Error)) {
        console.warning("the modified program has nothing to violate: every verdict about it is vacuous");
    }
    for construct in graph.provenance.degraded.iter().flatten() {
        console.warning(format_args!("more than necessary is left to check: {construct}"));
    }
}

fn print(graph: &DifferenceGraph, loading: f64) {
    let mut numbers = console::Statistics::new();
    numbers.count("nodes", graph.nodes);
    numbers.count("edges", graph.edges.len());
    numbers.count("indicators", graph.indicators.len());
    numbers.seconds("CPU for reading", loading);
    numbers.seconds("CPU", Budget::cpu_used().as_secs_f64());
    numbers.print();
}
