//! Condition generation from a difference graph.
//!
//! A path of the modified program is covered as soon as it can no longer reach an indicator. The condition is then
//! minimised without changing which paths it covers.
//! Does not know how a difference graph is computed, nor C text or solvers.
//! Source: [DiffDP23 Alg. 1].

mod algorithm;
mod automaton;
mod minimize;

use clap::{Parser, ValueEnum};
use console::{Budget, Exit, Input, Output, StageOptions, Statistics};
use formats::{Condition, DifferenceGraph, Producer, StateKind};
use std::path::PathBuf;

pub use algorithm::Interrupted;
pub use automaton::Automaton;

const EXAMPLES: &str = "\
Examples:
  diffdp original.c modified.c | condgen -o condition.graphml
  condgen --to dot graph.json | dot -Tsvg -o condition.svg

How programs are read is in the graph: an option that says otherwise is refused.
Exit codes: 0 the condition is written, 2 unusable input or output, 101 a bug of ours; after signal n 128 + n.";

/// Turn a difference graph into a condition: the paths of the modified program that need no check
#[derive(Parser, Clone, Debug)]
#[command(name = "condgen", version, after_help = EXAMPLES)]
pub struct Options {
    /// The difference graph, as `diffcond` and `diffdp` write it [default: stdin]
    #[arg(value_name = "GRAPH")]
    pub graph: Option<PathBuf>,
    /// Where to write the condition [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format of the condition
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub to: Format,
    /// Merge states that cover the same paths
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = true,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    pub minimize: bool,
    /// Print sizes and times on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: StageOptions,
}

/// How a condition is written.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Automaton in the style of a violation witness.
    #[default]
    Graphml,
    /// CPAchecker's assumption automaton: edges go by their text, so that less may be covered.
    Spc,
    /// Picture for Graphviz.
    Dot,
}

/// Reads the graph, builds the condition and writes it.
///
/// # Errors
/// A report of what cannot be read or written.
pub fn run(options: Options) -> miette::Result<Exit> {
    let console = options.shared.console();
    let budget = options.shared.budget()?;
    let input = Input::read_or_stdin(options.graph.as_deref())?;
    let inputs = options.graph.iter().chain(&options.shared.task).map(PathBuf::as_path);
    console::keep_apart(inputs, options.output.as_deref())?;
    let graph = DifferenceGraph::read(&input.bytes, &input.name)?;
    let task = options.shared.load_task()?;
    options.shared.check_against(task.as_ref(), &graph.provenance.options, &input.name)?;
    // The detector has warned of it.
    for construct in graph.provenance.degraded.iter().flatten() {
        console.note(format_args!("more than necessary is left to check: {construct}"));
    }
    let size = if options.minimize { Size::Minimal } else { Size::AsGenerated };
    let (condition, outcome) = condition(&graph, size, &budget)?;
    if let Err(Interrupted) = outcome {
        console.warning("interrupted: the condition covers nothing");
    }
    Output::new(options.output.as_deref()).write(|out| match options.to {
        Format::Graphml => condition.write(out),
        Format::Spc => condition.write_spc(out),
        Format::Dot => condition.write_dot(out),
    })?;
    if options.stats {
        statistics(&graph, &condition).print();
    }
    Ok(Exit::Success)
}

/// Whether states that cover the same paths are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// They are.
    Minimal,
    /// They stay as Algorithm 1 leaves them.
    AsGenerated,
}

/// Builds the condition whose covered paths cannot be regressions.
///
/// Time O(E log E) for E edges.
/// Soundness: covers no path from which an indicator can still be reached. A run that `budget` ends early covers nothing.
///
/// # Errors
/// [`formats::artifact::Inconsistency`] if the graph breaks an invariant of its type.
///
/// Source: [DiffDP23 Alg. 1]; states that cannot be reached are left out.
pub fn condition(
    graph: &DifferenceGraph,
    size: Size,
    budget: &Budget,
) -> Result<(Condition, Result<(), Interrupted>), formats::artifact::Inconsistency> {
    graph.check()?;
    let producer = Producer::new("condgen", env!("CARGO_PKG_VERSION")).with_option("minimize", size == Size::Minimal);
    let mut provenance = graph.provenance.clone();
    let (automaton, outcome) = match algorithm::generate(graph, &|| budget.exhausted()) {
        Ok(automaton) if size == Size::Minimal => (minimize::minimize(&automaton), Ok(())),
        Ok(automaton) => (automaton, Ok(())),
        Err(Interrupted) => {
            provenance.degraded.get_or_insert_default().push("condgen was interrupted".to_owned());
            (Automaton::uncovered(), Err(Interrupted))
        }
    };
    let condition = Condition::new(producer, provenance, automaton.states, &automaton.edges, &graph.cfa_edges)?;
    Ok((condition, outcome))
}

fn statistics(graph: &DifferenceGraph, condition: &Condition) -> Statistics {
    let count = |kind: StateKind| condition.states().iter().filter(|state| **state == kind).count();
    let mut statistics = Statistics::new();
    statistics.count("graph nodes", graph.nodes);
    statistics.count("graph edges", graph.edges.len());
    statistics.count("indicators", graph.indicators.len());
    statistics.count("condition states", condition.states().len());
    statistics.count("condition edges", condition.edges().count());
    statistics.count("accepting states", count(StateKind::Accepting));
    statistics.seconds("CPU time", Budget::cpu_used().as_secs_f64());
    statistics
}

#[cfg(test)]
mod tests;
