//! A version with conditions that are evaluated and change nothing: which do given inputs falsify?
//!
//! What is executed is the version itself, by the concrete interpreter: each condition is a fork whose ways meet at once.
//! Nothing but such a run makes a letter `F` or `X`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use formats::verdict::InputValue;
use program::cfa::{Cfa, EdgeId, LocationId, Operation};
use program::expr::ExprId;
use program::source::Span;
use semantics::interpreter::{EdgeObserver, Inputs, Limits, Outcome, Run, input_value, run};
use transform::Editor;

use crate::prepare::Prepared;
use crate::question::Question;

/// What a run falsified.
#[derive(Debug)]
pub(crate) struct Seen {
    /// Positions of questions.
    pub(crate) falsified: BTreeSet<usize>,
    pub(crate) run: Run,
}

impl Seen {
    /// What the run read, by name.
    pub(crate) fn inputs(&self, cfa: &Cfa) -> Vec<InputValue> {
        let reads = self.run.reads.iter().filter(|read| !read.decided);
        reads.map(|read| input_value(cfa, read)).collect()
    }
}

/// A version that can be watched.
#[derive(Debug)]
pub(crate) struct Watched {
    cfa: Cfa,
    /// The edges that are passed where a condition does not hold.
    fails: BTreeMap<EdgeId, usize>,
    /// The edges of conditions that say whether an expression has a value.
    evaluates: BTreeMap<EdgeId, usize>,
    /// The edges that are passed where a condition holds.
    holds: BTreeSet<EdgeId>,
    /// How many edges are those of the version.
    own: usize,
}

impl Watched {
    /// The version with some of the questions, by their positions.
    pub(crate) fn new(prepared: &Prepared, version: usize, asked: &[(usize, &Question)]) -> Self {
        let mut editor = Editor::new(&prepared.cfa);
        let mut by_place: BTreeMap<LocationId, Vec<(usize, bool, ExprId)>> = BTreeMap::new();
        for (number, question) in asked {
            for (at, condition) in question.of[version].iter().flatten() {
                by_place.entry(*at).or_default().push((*number, question.is_value, *condition));
            }
        }
        let place = (Span::default(), Span::default());
        let (mut fails, mut evaluates, mut holds) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        for (at, conditions) in by_place {
            let behind = editor.before(at);
            let mut here = at;
            for (position, (number, is_value, condition)) in conditions.iter().enumerate() {
                let next = if position + 1 == conditions.len() { behind } else { editor.location_beside(at) };
                let side = editor.location_beside(at);
                let condition = editor.truth(*condition);
                let yes = editor.add(here, next, Operation::Assume { condition, truth: true }, place);
                let no = editor.add(here, side, Operation::Assume { condition, truth: false }, place);
                editor.add(side, next, Operation::Blank, place);
                fails.insert(no, *number);
                holds.insert(yes);
                if *is_value {
                    evaluates.extend([(yes, *number), (no, *number)]);
                }
                here = next;
            }
        }
        Self { cfa: editor.finish().cfa, fails, evaluates, holds, own: prepared.cfa.edges.len() }
    }

    /// The program that is executed.
    pub(crate) fn cfa(&self) -> &Cfa {
        &self.cfa
    }

    /// Runs it; until one question is falsified if `until` says which.
    pub(crate) fn run(&self, inputs: &mut dyn Inputs, until: Option<usize>, limits: Limits) -> Seen {
        let mut falsified = BTreeSet::new();
        let mut watch = EdgeObserver(|edge: EdgeId| {
            let Some(number) = self.fails.get(&edge) else { return ControlFlow::Continue(()) };
            falsified.insert(*number);
            if until == Some(*number) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let run = run(&self.cfa, inputs, &mut watch, limits);
        if let Outcome::Undefined { edge, .. } = run.outcome {
            falsified.extend(self.evaluates.get(&edge));
        }
        // What depends on where objects lie need not be so elsewhere.
        if run.looks_at_addresses {
            falsified.clear();
        }
        Seen { falsified, run }
    }

    /// The edges of the version that a run passes up to where a condition is looked at last, or does not hold; each once, in
    /// the order in which it is passed first.
    pub(crate) fn passed(&self, inputs: &mut dyn Inputs, limits: Limits) -> Vec<EdgeId> {
        let (mut all, mut known, mut until) = (Vec::new(), BTreeSet::new(), None);
        let mut watch = EdgeObserver(|edge: EdgeId| {
            if edge.index() < self.own && known.insert(edge) {
                all.push(edge);
            }
            let fails = self.fails.contains_key(&edge);
            if fails || self.holds.contains(&edge) {
                until = Some(all.len());
            }
            if fails { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        run(&self.cfa, inputs, &mut watch, limits);
        all.truncate(until.unwrap_or(all.len()));
        all
    }
}
