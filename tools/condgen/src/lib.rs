//! Condition generation from a difference graph.
//!
//! A path of the modified program is covered as soon as it can no longer reach an indicator. The condition is then
//! minimised without changing which words it covers, and folded without changing which paths of the program it covers.
//! Does not know how a difference graph is computed, nor C text or solvers.
//! Source: [DiffDP23 Alg. 1].

mod algorithm;
mod automaton;
mod fold;
mod minimize;

use clap::{Parser, ValueEnum};
use console::{Budget, Exit, Input, Output, StageOptions, Statistics};
use formats::condition::VERSION;
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
    /// Version of the GraphML: 1 has a state for every statement, 2 has states that stay where nothing is decided
    #[arg(long, default_value_t = VERSION, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=2))]
    pub format_version: u64,
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
    let size = match (options.minimize, options.to, options.format_version) {
        (false, ..) => Size::AsGenerated,
        // Edges go by their text there: what a state does not list cannot be told apart.
        (true, Format::Spc, _) | (true, Format::Graphml | Format::Dot, 1) => Size::Minimal,
        (true, Format::Graphml | Format::Dot, _) => Size::Folded,
    };
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

/// Which states become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Those that cover the same paths, and those that only the place in the program tells apart.
    Folded,
    /// Those that cover the same paths, whatever the program is.
    Minimal,
    /// None: what Algorithm 1 leaves.
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
    let producer = Producer::new("condgen", env!("CARGO_PKG_VERSION")).with_option("minimize", size != Size::AsGenerated);
    let mut provenance = graph.provenance.clone();
    let (automaton, outcome) = match algorithm::generate(graph, &|| budget.exhausted()) {
        Ok(automaton) => (smaller(automaton, graph, size), Ok(())),
        Err(Interrupted) => {
            provenance.degraded.get_or_insert_default().push("condgen was interrupted".to_owned());
            (Automaton::uncovered(), Err(Interrupted))
        }
    };
    let staying: Vec<u32> = (0..).zip(&automaton.stays).filter_map(|(state, stays)| stays.then_some(state)).collect();
    let condition = Condition::new(producer, provenance, automaton.states, &automaton.edges, &graph.cfa_edges)?;
    Ok((condition.with_staying(staying)?, outcome))
}

fn smaller(automaton: Automaton, graph: &DifferenceGraph, size: Size) -> Automaton {
    let leaves = |edge: u32| graph.cfa_edges.get(&edge).and_then(|info| info.leaves);
    match size {
        Size::AsGenerated => automaton,
        Size::Minimal => minimize::minimize(&automaton),
        Size::Folded => fold::fold(&minimize::minimize(&automaton), &leaves),
    }
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
