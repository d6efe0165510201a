//! The command line of `diffdp`.

use clap::{Parser, ValueEnum};
use console::{Budget, ChangeArguments, Exit};
use formats::DifferenceGraph;
use program::{Choice, can_violate};

use crate::{Config, Match, Statistics, detect, detect_and_explain};

/// Find where the modified program may fail although the original does not, by data dependencies and property
#[derive(Parser, Clone, Debug)]
#[command(name = "diffdp", version)]
pub struct Options {
    /// When a condition of the original matches one of the modified program
    #[arg(long = "match", value_enum, default_value_t, value_name = "HOW")]
    pub matching: Matching,
    /// Options of every detector.
    #[command(flatten)]
    pub change: ChangeArguments,
}

/// When conditions match.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// If they are identical
    Identical,
    /// If the modified one implies the original one
    #[default]
    Implied,
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
    let choice = if change.shared.names_property(task.as_ref()) { Choice::Named } else { Choice::Implied };
    let modified = program::load_about(&modified, &program_options, choice)?;
    program_options.property = modified.options.property;
    let original = program::load(&original, &program_options)?;
    let loaded = Budget::cpu_used();
    let matching = match options.matching {
        Matching::Identical => Match::Identical,
        Matching::Implied => Match::Implied,
    };
    let config = Config { matching, ..Config::default() };
    let interrupted = &mut || budget.exhausted();
    let (graph, statistics, explanation) = if change.wants_explanation() {
        let (graph, statistics, explanation) = detect_and_explain(&original, &modified, &config, interrupted);
        (graph, statistics, Some(explanation))
    } else {
        let (graph, statistics) = detect(&original, &modified, &config, interrupted);
        (graph, statistics, None)
    };
    if !can_violate(&modified) {
        console.warning("the modified program has nothing to violate: every verdict about it is vacuous");
    }
    change.write(&console, &graph, explanation.as_ref())?;
    if change.stats {
        print(&graph, statistics, loaded.as_secs_f64());
    }
    Ok(Exit::Success)
}

fn print(graph: &DifferenceGraph, statistics: Statistics, loading: f64) {
    let mut numbers = console::Statistics::new();
    numbers.count("pairs", statistics.pairs);
    numbers.count("steps", statistics.expansions);
    numbers.count("solver queries", statistics.queries);
    numbers.count("nodes", graph.nodes);
    numbers.count("edges", graph.edges.len());
    numbers.count("indicators", graph.indicators.len());
    numbers.seconds("CPU for reading", loading);
    numbers.seconds("CPU", Budget::cpu_used().as_secs_f64());
    numbers.print();
}
