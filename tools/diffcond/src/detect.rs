//! Lockstep of two programs along identical operations.
//!
//! A node of the graph is a pair of points, each with its call stack. An edge of the modified program with an identical
//! edge of the original leads to the pair behind both; one without leads to an indicator. Nothing is known of data, of the
//! property, or of how to take up the comparison again.
//! Operations that do nothing are no difference: both programs pass them at will.
//! Invariant: at every pair the two data states agree (objects without counterpart aside, which identical operations do
//! not mention): the globals the programs use have equal initial values, or the first node is the indicator.
//! Source: [DiffCond20 §3.2]; ALGORITHM.md 7, 2.4 (of `diffdp`).

use std::collections::{BTreeMap, BTreeSet};

use formats::certificate::Move;
use formats::difference_graph::DifferenceGraphBuilder;
use formats::{Certificate, DifferenceGraph, Explanation, Producer};
use indexmap::IndexSet;
use program::cfa::{Cfa, EdgeId, Operation};
use rustc_hash::FxBuildHasher;
use semantics::compare::{Comparison, provenance};
use semantics::reach::not_compared;
use semantics::stack::{Point, StackTable, Step};

use crate::certificate::{self, Notes};
use crate::explain::{End, explain};

/// The one node of all leaves; indicators count down from it.
const LEAF: u32 = u32::MAX;
/// Operations without effect that are passed in a row at most.
const BLANKS: usize = 10_000;

/// The difference graph of two programs.
///
/// `interrupted` is asked before every step; once it says yes, what was not compared becomes an indicator.
/// Soundness: no regression is behind a node from which no indicator can be reached.
/// Precision: the first difference on a path ends the comparison.
///
/// Source: [DiffCond20 §3.2].
#[must_use]
pub fn detect(original: &Cfa, modified: &Cfa, interrupted: &mut dyn FnMut() -> bool) -> DifferenceGraph {
    detect_and_explain(original, modified, interrupted).0
}

/// The same graph, and the first difference behind each of its indicators.
#[must_use]
pub fn detect_and_explain(
    original: &Cfa,
    modified: &Cfa,
    interrupted: &mut dyn FnMut() -> bool,
) -> (DifferenceGraph, Explanation) {
    let (graph, explanation, _) = detect_with(original, modified, None, interrupted);
    (graph, explanation)
}

/// The same, and what makes the graph right.
#[must_use]
pub fn detect_and_certify(
    original: &Cfa,
    modified: &Cfa,
    interrupted: &mut dyn FnMut() -> bool,
) -> (DifferenceGraph, Explanation, Option<Certificate>) {
    detect_with(original, modified, Some(Notes::default()), interrupted)
}

fn detect_with(
    original: &Cfa,
    modified: &Cfa,
    notes: Option<Notes>,
    interrupted: &mut dyn FnMut() -> bool,
) -> (DifferenceGraph, Explanation, Option<Certificate>) {
    let producer = Producer::new("diffcond", env!("CARGO_PKG_VERSION"));
    let describe = |edge: u32| modified.placed_edge_info(EdgeId(edge));
    if original.is_same_as(modified) && !modified.starts_threads() {
        let graph = DifferenceGraphBuilder::new().finish(provenance(original, modified, producer, Vec::new()), LEAF, describe);
        let explanation = explain(&Comparison::new(original, modified), &[], &graph);
        let certificate = notes.map(|_| certificate::of_equal(&graph));
        return (graph, explanation, certificate);
    }
    let comparison = Comparison::new(original, modified);
    let mut search = Search {
        comparison: &comparison,
        stacks: [StackTable::new(), StackTable::new()],
        pairs: IndexSet::default(),
        graph: DifferenceGraphBuilder::new(),
        indicators: BTreeMap::new(),
        ends: Vec::new(),
        degraded: BTreeSet::new(),
        notes,
    };
    let initial = search.run(interrupted);
    let degraded = search.degraded.into_iter().collect();
    let graph = search.graph.finish(provenance(original, modified, producer, degraded), initial, describe);
    let explanation = explain(&comparison, &search.ends, &graph);
    let pairs = search.pairs.len();
    let certificate = search.notes.map(|notes| certificate::write(&comparison, notes, &graph, initial, pairs));
    (graph, explanation, certificate)
}

/// Where both programs are: the modified one first.
type Pair = (Point, Point);

/// Where an edge leads.
enum Target {
    Pair(Pair),
    Leaf,
    Indicator(&'static str, String),
}

struct Search<'a> {
    comparison: &'a Comparison<'a>,
    /// Of the modified and of the original program.
    stacks: [StackTable; 2],
    pairs: IndexSet<Pair, FxBuildHasher>,
    graph: DifferenceGraphBuilder,
    indicators: BTreeMap<(EdgeId, &'static str, String), u32>,
    ends: Vec<End>,
    degraded: BTreeSet<String>,
    /// What a certificate is made of, if one is wanted.
    notes: Option<Notes>,
}

impl Search<'_> {
    fn run(&mut self, interrupted: &mut dyn FnMut() -> bool) -> u32 {
        let names = self.comparison.differing_globals();
        if !names.is_empty() {
            for name in names {
                let detail = format!("{name} differs in type, initial value or definedness");
                self.end(None, StackTable::start(self.comparison.original), "differing-global", &detail);
                self.graph.add_indicator(0, None, "differing-global", detail);
            }
            return 0;
        }
        let program = self.comparison.modified;
        let start = (StackTable::start(program), StackTable::start(self.comparison.original));
        let mut moves = Vec::new();
        let started = self.settle(start.0, start.1, &mut moves);
        if let Some(notes) = &mut self.notes {
            notes.start(moves);
        }
        match started {
            Target::Pair(pair) => self.pairs.insert(pair),
            Target::Leaf => return LEAF,
            Target::Indicator(rule, detail) => {
                self.end(None, start.1, rule, &detail);
                self.graph.add_indicator(0, None, rule, detail);
                return 0;
            }
        };
        let mut next = 0;
        while let Some(&pair) = self.pairs.get_index(next) {
            for &edge in program.out_edges(pair.0.location) {
                let mut moves = Vec::new();
                let target = if interrupted() {
                    self.degraded.insert("the search was interrupted".to_owned());
                    Target::Indicator("interrupted", "the search ended before this was settled".to_owned())
                } else {
                    self.step(pair, edge, &mut moves)
                };
                self.draw(next, pair.1, edge, target, moves);
            }
            next += 1;
        }
        0
    }

    fn end(&mut self, edge: Option<EdgeId>, original: Point, rule: &'static str, detail: &str) {
        let original = behind_blanks(self.comparison.original, original);
        self.ends.push(End { edge, original, rule, detail: detail.to_owned() });
    }

    fn draw(&mut self, from: usize, there: Point, edge: EdgeId, target: Target, moves: Vec<Move>) {
        let number = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let to = match target {
            Target::Leaf => LEAF,
            Target::Pair(pair) => number(self.pairs.insert_full(pair).0),
            Target::Indicator(rule, detail) => {
                let node = LEAF - 1 - number(self.indicators.len());
                let key = (edge, rule, detail.clone());
                match self.indicators.get(&key) {
                    Some(known) => *known,
                    None => {
                        self.end(Some(edge), there, rule, &detail);
                        self.graph.add_indicator(node, Some(edge.0), rule, detail);
                        self.indicators.insert(key, node);
                        node
                    }
                }
            }
        };
        self.graph.add_edge(number(from), edge.0, to);
        if let Some(notes) = &mut self.notes {
            notes.step(self.comparison, (number(from), edge, to), moves);
        }
    }

    /// Where an edge leads, and what the original does meanwhile.
    fn step(&mut self, (here, there): Pair, edge: EdgeId, moves: &mut Vec<Move>) -> Target {
        let program = self.comparison.modified;
        let step = self.stacks[0].step(program, here, edge);
        if let Some(construct) = not_compared(program, edge) {
            let detail = format!("{construct} has no sound treatment");
            self.degraded.insert(construct);
            return Target::Indicator("unsupported", detail);
        }
        let next = match step {
            Step::Recursion { callee } => {
                let name = &program.function(callee).name;
                return Target::Indicator("recursion", format!("{name} is called while it is active"));
            }
            Step::End(_) => return Target::Leaf,
            Step::Within(point) if matches!(program.edge(edge).operation, Operation::Blank) => {
                return self.settle(point, there, moves);
            }
            Step::Within(point) | Step::Enter { point, .. } | Step::Return { point, .. } => point,
        };
        match self.follow(edge, &step, there) {
            Some((other, point)) => {
                moves.push(Move::With(other.0));
                self.settle(next, point, moves)
            }
            None => Target::Indicator("unmatched", self.unmatched(there)),
        }
    }

    /// An identical operation of the original, and the point behind it.
    fn follow(&mut self, edge: EdgeId, step: &Step, there: Point) -> Option<(EdgeId, Point)> {
        let original = self.comparison.original;
        let other = original.out_edges(there.location).iter().find(|o| self.comparison.identical(edge, **o))?;
        let point = match (*step, self.stacks[1].step(original, there, *other)) {
            (Step::Return { call, .. }, Step::Return { call: other, point }) => self.returns_alike(call, other).then_some(point),
            (Step::Within(_), Step::Within(point))
            | (Step::Enter { .. }, Step::Enter { point, .. })
            | (Step::End(_), Step::End(point)) => Some(point),
            (Step::Within(_) | Step::Enter { .. } | Step::Return { .. } | Step::End(_) | Step::Recursion { .. }, _) => None,
        };
        Some((*other, point?))
    }

    /// Whether the results of two calls go to corresponding variables.
    fn returns_alike(&self, modified: EdgeId, original: EdgeId) -> bool {
        let result = |program: &Cfa, call: EdgeId| program.edge(call).operation.result();
        match (result(self.comparison.modified, modified), result(self.comparison.original, original)) {
            (None, None) => true,
            (Some(mine), Some(theirs)) => self.comparison.correspondence().content(mine) == Some(theirs),
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// What becomes of a pair a step leads to; the original passes what does nothing.
    fn settle(&self, modified: Point, original: Point, moves: &mut Vec<Move>) -> Target {
        let (mine, theirs) = (self.comparison.modified, self.comparison.original);
        let before = original;
        let original = behind_blanks(theirs, before);
        moves.extend((original != before).then_some(Move::To(original.location.0)));
        let fails = (mine.location(modified.location).is_error, theirs.location(original.location).is_error);
        match fails {
            (true, false) => Target::Indicator("new-violation", "the original is not at an error location".to_owned()),
            (_, true) => Target::Leaf,
            (false, false) if mine.out_edges(modified.location).is_empty() => Target::Leaf,
            (false, false) => Target::Pair((modified, original)),
        }
    }

    fn unmatched(&self, there: Point) -> String {
        let original = self.comparison.original;
        match original.out_edges(there.location) {
            [] => "the original ends here".to_owned(),
            &[edge, ..] => {
                let line = original.source.position(original.edge(edge).span.lo).line;
                format!("the original has `{}` at line {line} here", original.edge_text(edge))
            }
        }
    }
}

/// A point behind the operations that do nothing.
fn behind_blanks(program: &Cfa, from: Point) -> Point {
    let mut at = from;
    for _ in 0..BLANKS {
        match program.out_edges(at.location) {
            [edge] if matches!(program.edge(*edge).operation, Operation::Blank) => {
                at.location = program.edge(*edge).target;
            }
            _ => return at,
        }
    }
    from
}
