//! The command line of `diffcond`.

use std::path::PathBuf;

use clap::Parser;
use console::{Budget, ChangeArguments, Exit, Output};
use formats::DifferenceGraph;
use program::seal;
use program::{Choice, can_violate};

use crate::{detect_and_certify, detect_and_explain};

const EXAMPLES: &str = "\
Examples:
  diffcond original.c modified.c | condgen | reduce | verify
  diffcond --32 --explain -o graph.json original.c modified.c

Exit codes: 0 the graph is written, 2 unusable input or output, 101 a bug of ours; after signal n 128 + n.";

/// Find where the modified program differs from the original, operation by operation
#[derive(Parser, Clone, Debug)]
#[command(name = "diffcond", version, after_help = EXAMPLES)]
pub struct Options {
    /// Write what makes every edge of the graph right, for `residue validate`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Options of every detector.
    #[command(flatten)]
    pub change: ChangeArguments,
}

/// Reads both programs, compares them and writes the difference graph.
///
/// # Errors
/// A report of what cannot be read or written.
pub fn run(options: Options) -> miette::Result<Exit> {
    let change = &options.change;
    let console = change.shared.console();
    let budget = change.shared.budget()?;
    let task = change.shared.load_task()?;
    let mut program_options = change.shared.program_options(task.as_ref())?;
    let (original, modified) = change.programs(task.as_ref())?;
    let inputs = [&original, &modified].into_iter().chain(&change.shared.task).map(PathBuf::as_path);
    console::keep_apart(inputs, options.certificate.as_deref())?;
    let choice = if change.shared.names_property(task.as_ref()) { Choice::Named } else { Choice::Implied };
    let paths = [original, modified];
    let modified = program::load_about(&paths[1], &program_options, choice)?;
    program_options.property = modified.options.property;
    let original = program::load(&paths[0], &program_options)?;
    for (path, program) in paths.iter().zip([&original, &modified]) {
        seal::refuse(path, program.source.text(), program_options.property)?;
    }
    let loaded = Budget::cpu_used();
    let mut exhausted = || budget.exhausted();
    let (graph, explanation, certificate) = match options.certificate {
        Some(_) => detect_and_certify(&original, &modified, &mut exhausted),
        None => {
            let (graph, explanation) = detect_and_explain(&original, &modified, &mut exhausted);
            (graph, explanation, None)
        }
    };
    if !can_violate(&modified) {
        console.warning("the modified program has nothing to violate: every verdict about it is vacuous");
    }
    if let Some((certificate, path)) = certificate.zip(options.certificate) {
        Output::new(Some(&path)).write(|out| certificate.write(out))?;
    }
    change.write(&console, &graph, Some(&explanation))?;
    if change.stats {
        print(&graph, loaded.as_secs_f64());
    }
    Ok(Exit::Success)
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
