//! The command line of `diffdp`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use console::{Budget, ChangeArguments, Exit, Output};
use formats::DifferenceGraph;
use program::cfa::Cfa;
use program::seal;
use program::{Choice, can_violate};

use crate::by_name::Pair;
use crate::{Config, Detected, Kind, LeftOut, Match, Statistics, Wanted, detect_with};

const EXAMPLES: &str = "\
Examples:
  diffdp original.c modified.c | condgen | reduce | verify
  diffdp --property no-overflow --explain -o graph.json original.c modified.c
  diffdp --certificate certificate.json -o graph.json original.c modified.c

Exit codes: 0 the graph is written, 2 unusable input or output, 101 a bug of ours; after signal n 128 + n.";

/// Find where the modified program may fail although the original does not, by data dependencies and property
#[derive(Parser, Clone, Debug)]
#[command(name = "diffdp", version, after_help = EXAMPLES)]
pub struct Options {
    /// When operations of the two programs match
    #[arg(long = "match", value_enum, default_value_t, value_name = "HOW")]
    pub matching: Matching,
    /// Leave out what makes graphs smaller, to see what it brings
    #[arg(long, value_enum, value_name = "KIND[,KIND]", value_delimiter = ',')]
    pub without: Vec<Kind>,
    /// Write what makes every edge of the graph right, for `residue validate`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Options of every detector.
    #[command(flatten)]
    pub change: ChangeArguments,
}

/// When operations match.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// If they are identical
    Identical,
    /// Conditions also if the modified one implies the original one
    #[default]
    Implied,
    /// Conditions as before, and values if a solver proves them equal
    Semantic,
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
    let program_options = change.shared.program_options(task.as_ref())?;
    let (original, modified) = change.programs(task.as_ref())?;
    let inputs = [&original, &modified].into_iter().chain(&change.shared.task).map(PathBuf::as_path);
    console::keep_apart(inputs, options.certificate.as_deref())?;
    let choice = if change.shared.names_property(task.as_ref()) { Choice::Named } else { Choice::Implied };
    let pair = Pair::read(&original, &modified, &program_options, choice)?;
    for (path, program) in [&original, &modified].into_iter().zip(pair.programs()) {
        seal::refuse(path, program.source.text(), program.options.property)?;
    }
    let can_be_violated = can_violate(pair.programs()[1]);
    let mut loading = Budget::cpu_used();
    let matching = match options.matching {
        Matching::Identical => Match::Identical,
        Matching::Implied => Match::Implied,
        Matching::Semantic => Match::Semantic,
    };
    let left_out: LeftOut = options.without.iter().copied().collect();
    let config = Config { matching, left_out, ..Config::default() };
    let wanted = Wanted {
        explanation: change.wants_explanation(),
        certificate: options.certificate.is_some(),
        only_whether_settled: false,
    };
    let look =
        |(original, modified): (&Cfa, &Cfa), wanted| detect_with(original, modified, &config, wanted, &mut || budget.exhausted());
    let by_name = pair.by_name(&budget).filter(|_| !left_out.has(Kind::Library));
    let quick = Wanted { only_whether_settled: true, ..wanted };
    let settled = by_name.map(|pair| look(pair, quick)).filter(|found| found.graph.indicators.is_empty());
    let Detected { graph, statistics, explanation, certificate } = settled.unwrap_or_else(|| {
        let before = Budget::cpu_used();
        let (original, modified) = pair.linked();
        loading += Budget::cpu_used().saturating_sub(before);
        look((&original, &modified), wanted)
    });
    if !can_be_violated {
        console.warning("the modified program has nothing to violate: every verdict about it is vacuous");
    }
    if let (Some(certificate), Some(path)) = (&certificate, &options.certificate) {
        Output::new(Some(path)).write(|out| certificate.write(out))?;
    }
    change.write(&console, &graph, explanation.as_ref())?;
    if change.stats {
        print(&graph, statistics, loading.as_secs_f64());
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
