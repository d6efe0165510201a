//! From two programs to a difference graph, in process.

use std::rc::Rc;

use formats::certificate::Recorded;
use formats::difference_graph::DifferenceGraphBuilder;
use formats::{Certificate, DifferenceGraph, Explanation, Producer};
use program::cfa::{Cfa, EdgeId};
use semantics::compare::{Alignment, Comparison, Renames, Side, provenance};
use semantics::facts::Facts;
use semantics::object_set::ObjectSet;
use semantics::reach::Assembly;

use crate::certificate;
use crate::effects::Effects;
use crate::explain::explain;
use crate::implication::{Decided, Implies, Never};
use crate::kinds::{Kind, LeftOut};
use crate::names::Names;
use crate::points::Walker;
use crate::rules::Rules;
use crate::search::{self, Record};
use crate::semantic::Semantic;
use crate::skip::Skips;
use crate::step::{Parts, Stepper};
use crate::trail::Trail;

/// When operations of the original match those of the modified program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Match {
    /// Only if they are identical.
    Identical,
    /// Assumes also if the modified one implies it.
    #[default]
    Implied,
    /// The same, and values also if a solver proves them equal.
    Semantic,
}

/// How differences are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which operations match.
    pub matching: Match,
    /// The rules in force; anything but [`Rules::SOUND`] is for experiments.
    pub rules: Rules,
    /// What is left out; nothing, but for measurements.
    pub left_out: LeftOut,
}

impl Default for Config {
    fn default() -> Self {
        Self { matching: Match::default(), rules: Rules::SOUND, left_out: LeftOut::default() }
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

/// What is wanted besides the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Why indicators are indicators.
    pub explanation: bool,
    /// What makes every edge right.
    pub certificate: bool,
    /// Only whether nothing is left to check: where something may be, the search ends, and the graph is one indicator.
    pub only_whether_settled: bool,
}

/// A difference graph and what was wanted with it.
#[derive(Clone, Debug)]
pub struct Detected {
    /// The graph.
    pub graph: DifferenceGraph,
    /// Numbers about the run.
    pub statistics: Statistics,
    /// Why indicators are indicators; none if that was not wanted.
    pub explanation: Option<Explanation>,
    /// What makes every edge right; none if that was not wanted.
    pub certificate: Option<Certificate>,
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
    let found = detect_with(original, modified, config, Wanted::default(), interrupted);
    (found.graph, found.statistics)
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
    let wanted = Wanted { explanation: true, ..Wanted::default() };
    let Detected { graph, statistics, explanation, .. } = detect_with(original, modified, config, wanted, interrupted);
    let explanation = explanation.unwrap_or_else(|| nothing_to_explain(&graph));
    (graph, statistics, explanation)
}

fn nothing_to_explain(graph: &DifferenceGraph) -> Explanation {
    Explanation { provenance: graph.provenance.clone(), changes: Vec::new(), findings: Vec::new() }
}

/// The same graph with whatever else is wanted; see [`detect`].
#[must_use]
pub fn detect_with(
    original: &Cfa,
    modified: &Cfa,
    config: &Config,
    wanted: Wanted,
    interrupted: &mut dyn FnMut() -> bool,
) -> Detected {
    let producer = producer(config);
    let describe = |edge: u32| modified.placed_edge_info(EdgeId(edge));
    if original.is_same_as(modified) && !modified.starts_threads() {
        let graph = DifferenceGraphBuilder::new().finish(provenance(original, modified, producer, Vec::new()), 0, describe);
        let explanation = wanted.explanation.then(|| nothing_to_explain(&graph));
        let certificate = wanted.certificate.then(|| certificate::of_equal(&graph));
        return Detected { graph, statistics: Statistics::default(), explanation, certificate };
    }
    let renames = if config.left_out.has(Kind::Renames) { Renames::None } else { Renames::Guessed };
    let comparison = Comparison::with_renames(original, modified, renames);
    let alignment = Alignment::new(&comparison);
    let facts = [original, modified].map(Facts::new);
    let effects = Effects::new(&comparison, &alignment, &facts);
    let semantic = (config.matching == Match::Semantic).then(|| Rc::new(Semantic::new(&comparison, &effects, config.rules)));
    let mut stepper = stepper(config, (&comparison, &alignment), &facts, &effects, semantic);
    let mut start = ObjectSet::new();
    for variable in comparison.initially_different() {
        start.union_with(effects.variable(Side::Modified, *variable));
    }
    let record = Record {
        trail: wanted.explanation.then(Trail::default),
        moved: wanted.certificate.then(Recorded::default),
        only_whether_settled: wanted.only_whether_settled,
    };
    let found = search::run(&facts[1], &effects, &mut stepper, config.rules, start, record, interrupted);
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
    if found.interrupted && wanted.only_whether_settled {
        return Detected { graph, statistics, explanation: None, certificate: None };
    }
    let explanation = found.history.trail.as_ref().map(|trail| explain(&mut stepper, &found.history, trail, &graph));
    let written = found.moved.map(|moved| certificate::write(&stepper, &graph, (found.initial, &found.history.table), moved));
    Detected { graph, statistics, explanation, certificate: written }
}

fn producer(config: &Config) -> Producer {
    let producer = Producer::new("diffdp", env!("CARGO_PKG_VERSION")).with_option(
        "match",
        match config.matching {
            Match::Identical => "identical",
            Match::Implied => "implied",
            Match::Semantic => "semantic",
        },
    );
    match config.left_out.names() {
        Some(names) => producer.with_option("without", &names),
        None => producer,
    }
}

fn stepper<'a>(
    config: &Config,
    (comparison, alignment): (&'a Comparison<'a>, &'a Alignment),
    facts: &'a [Facts<'a>; 2],
    effects: &'a Effects<'a>,
    semantic: Option<Rc<Semantic<'a>>>,
) -> Stepper<'a> {
    let skips = Skips::new(comparison.original, facts[0].calls(), effects);
    let implication: Box<dyn Implies> = match config.matching {
        Match::Identical => Box::new(Never),
        Match::Implied | Match::Semantic => Box::new(Decided::new(comparison, effects)),
    };
    let sees_names = config.matching != Match::Identical && !config.left_out.has(Kind::Names);
    let names = sees_names.then(|| Rc::new(Names::new(comparison, effects, config.rules)));
    Stepper::new(Parts {
        comparison,
        effects,
        alignment,
        rules: config.rules,
        left_out: config.left_out,
        implication,
        semantic,
        names,
        walker: Walker::new(comparison.original, effects, (!config.left_out.has(Kind::Walks)).then_some(skips)),
        reach: [0, 1].map(|side| facts[side].reach(Assembly::Opaque)),
    })
}
