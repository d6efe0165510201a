//! From two programs to a difference graph, in process.

use formats::difference_graph::DifferenceGraphBuilder;
use formats::{DifferenceGraph, Explanation, Producer};
use program::cfa::{Cfa, EdgeId};
use semantics::compare::{Alignment, Comparison, Side, provenance};
use semantics::facts::Facts;
use semantics::object_set::ObjectSet;
use semantics::reach::Assembly;

use crate::effects::Effects;
use crate::explain::explain;
use crate::implication::{Decided, Implies, Never};
use crate::points::Walker;
use crate::rules::Rules;
use crate::search;
use crate::skip::Skips;
use crate::step::{Parts, Stepper};
use crate::trail::Trail;

/// When an assume of the original matches one of the modified program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Match {
    /// Only if they are identical.
    Identical,
    /// Also if the modified one implies it.
    #[default]
    Implied,
}

/// How differences are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which assumes match.
    pub matching: Match,
    /// The rules in force; anything but [`Rules::SOUND`] is for experiments.
    pub rules: Rules,
}

impl Default for Config {
    fn default() -> Self {
        Self { matching: Match::default(), rules: Rules::SOUND }
    }
}

/// Numbers about a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Pairs of points reached.
    pub pairs: usize,
    /// Steps made in the first pass.
    pub expansions: u64,
    /// Questions that reached the solver.
    pub queries: u64,
    /// The first pass was ended early.
    pub interrupted: bool,
}

/// The difference graph of two programs.
///
/// `interrupted` is asked before every step of the search; once it says yes, what is known so far is emitted.
/// Soundness: condition generation from the graph covers no violating path of the modified program from whose initial data
/// state the original, its inputs chosen freely, has no violating path; undefined behaviour is ignored.
/// Precision: programs with equal fingerprints give a graph of one leaf.
///
/// Source: [DiffDP23 Alg. 2] in two passes.
#[must_use]
pub fn detect(
    original: &Cfa,
    modified: &Cfa,
    config: &Config,
    interrupted: &mut dyn FnMut() -> bool,
) -> (DifferenceGraph, Statistics) {
    let (graph, statistics, _) = compare(original, modified, config, None, interrupted);
    (graph, statistics)
}

/// The same graph, and why its indicators are indicators.
///
/// Takes the time and the memory of [`detect`] once more at worst, usually a few per cent.
#[must_use]
pub fn detect_and_explain(
    original: &Cfa,
    modified: &Cfa,
    config: &Config,
    interrupted: &mut dyn FnMut() -> bool,
) -> (DifferenceGraph, Statistics, Explanation) {
    let (graph, statistics, explanation) = compare(original, modified, config, Some(Trail::default()), interrupted);
    let nothing = || Explanation { provenance: graph.provenance.clone(), changes: Vec::new(), findings: Vec::new() };
    let explanation = explanation.unwrap_or_else(nothing);
    (graph, statistics, explanation)
}

fn compare(
    original: &Cfa,
    modified: &Cfa,
    config: &Config,
    trail: Option<Trail>,
    interrupted: &mut dyn FnMut() -> bool,
) -> (DifferenceGraph, Statistics, Option<Explanation>) {
    let producer = Producer::new("diffdp", env!("CARGO_PKG_VERSION")).with_option(
        "match",
        match config.matching {
            Match::Identical => "identical",
            Match::Implied => "implied",
        },
    );
    let describe = |edge: u32| modified.placed_edge_info(EdgeId(edge));
    if original.fingerprint() == modified.fingerprint() && !modified.starts_threads() {
        let graph = DifferenceGraphBuilder::new().finish(provenance(original, modified, producer, Vec::new()), 0, describe);
        return (graph, Statistics::default(), None);
    }
    let comparison = Comparison::new(original, modified);
    let alignment = Alignment::new(&comparison);
    let facts = [original, modified].map(Facts::new);
    let effects = Effects::new(&comparison, &alignment, &facts);
    let skips = Skips::new(original, facts[0].calls(), &effects);
    let implication: Box<dyn Implies> = match config.matching {
        Match::Identical => Box::new(Never),
        Match::Implied => Box::new(Decided::new(&comparison, &effects)),
    };
    let mut stepper = Stepper::new(Parts {
        comparison: &comparison,
        effects: &effects,
        alignment: &alignment,
        rules: config.rules,
        implication,
        walker: Walker::new(original, &effects, skips),
        reach: [0, 1].map(|side| facts[side].reach(Assembly::Opaque)),
    });
    let mut start = ObjectSet::new();
    for variable in comparison.initially_different() {
        start.union_with(effects.variable(Side::Modified, *variable));
    }
    let found = search::run(&facts[1], &effects, &mut stepper, config.rules, start, trail, interrupted);
    let mut degraded: Vec<String> = stepper.degraded.iter().cloned().collect();
    if found.interrupted {
        degraded.push("the search was interrupted".to_owned());
    }
    let statistics = Statistics {
        pairs: found.history.table.len(),
        expansions: found.expansions,
        queries: stepper.queries(),
        interrupted: found.interrupted,
    };
    let graph = found.builder.finish(provenance(original, modified, producer, degraded), found.initial, describe);
    let explanation = found.history.trail.as_ref().map(|trail| explain(&mut stepper, &found.history, trail, &graph));
    (graph, statistics, explanation)
}
