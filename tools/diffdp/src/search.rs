//! The two passes of the construction.
//!
//! The first pass computes, for all pairs that can be reached, what may be affected there: the least fixpoint if it is not
//! interrupted. The second pass emits the graph: it decides every step anew from the final sets and draws an edge to a
//! pair only if the pair is in the table and its set includes what the step brings (*checked emission*). Hence any table is
//! sound, whatever order made it and wherever the first pass was stopped.
//! Source: ALGORITHM.md 5; machine-checked as `checked_emission_sound`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use formats::certificate::Recorded;
use formats::difference_graph::DifferenceGraphBuilder;
use indexmap::IndexMap;
use program::cfa::{Cfa, EdgeId};
use rustc_hash::{FxBuildHasher, FxHashMap};
use semantics::facts::Facts;
use semantics::loops::Loops;
use semantics::object_set::ObjectSet;
use semantics::stack::{Point, StackId};

use crate::certificate::{moves_of, start_moves};
use crate::effects::Effects;
use crate::equations::Equations;
use crate::reason::Reason;
use crate::rules::Rules;
use crate::step::{Outcome, Pair, Stepped, Stepper};
use crate::trail::Trail;

/// What the search found, as a graph under construction.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) builder: DifferenceGraphBuilder,
    pub(crate) initial: u32,
    pub(crate) interrupted: bool,
    pub(crate) expansions: u64,
    pub(crate) history: History,
    /// What the original did along each edge drawn, if that was to be recorded.
    pub(crate) moved: Option<Recorded>,
}

/// What is recorded besides the graph, which does not depend on it.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Where affected objects come from.
    pub(crate) trail: Option<Trail>,
    /// What the original does in each step.
    pub(crate) moved: Option<Recorded>,
    /// The first indicator ends the search, and nothing is recorded then.
    pub(crate) only_whether_settled: bool,
}

/// What the search knew, for those who want to know why.
#[derive(Debug)]
pub(crate) struct History {
    /// The pairs with what may be affected there.
    pub(crate) table: IndexMap<Pair, ObjectSet, FxBuildHasher>,
    /// What variables are known to hold there, by number of the pair.
    pub(crate) known: Vec<Rc<Equations>>,
    /// Where the affected objects came from, if that was to be recorded.
    pub(crate) trail: Option<Trail>,
    /// Where the alignment ended.
    pub(crate) ends: Vec<End>,
}

/// An edge of the modified program that leads to an indicator.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// The number of the first pair from which it does; none if there is no pair at all.
    pub(crate) from: Option<u32>,
    pub(crate) edge: Option<EdgeId>,
    pub(crate) reason: Reason,
    /// [`Reason::detail`], by which the graph names the indicator.
    pub(crate) detail: String,
}

/// Runs both passes. `interrupted` is asked before every step and ends the first pass. The `record` is filled on the way.
pub(crate) fn run(
    facts: &Facts,
    effects: &Effects,
    stepper: &mut Stepper,
    rules: Rules,
    start: ObjectSet,
    record: Record,
    interrupted: &mut dyn FnMut() -> bool,
) -> Found {
    let program = facts.cfa();
    let mut search = Search {
        program,
        rules,
        order: Order { loops: facts.loops(), prefixes: FxHashMap::default() },
        table: IndexMap::default(),
        known: Vec::new(),
        trail: record.trail,
        moved: record.moved,
        waiting: Vec::new(),
        queue: BinaryHeap::new(),
        graph: Graph::new(program, effects),
        only_whether_settled: record.only_whether_settled,
        interrupted: false,
        expansions: 0,
    };
    let started = stepper.start(start);
    if let Some(moved) = &mut search.moved {
        moved.start = start_moves(stepper, &started);
    }
    let initial = match started {
        Outcome::Pair(pair, affected) => {
            let known = stepper.at_start(pair.original);
            let number = search.reach(stepper, pair, (&affected, &known), None);
            search.explore(stepper, interrupted);
            match search.interrupted && search.only_whether_settled {
                true => search.graph.indicator(None, None, &Reason::Interrupted),
                false => {
                    if rules.second_pass {
                        search.emit(stepper, number);
                    }
                    number
                }
            }
        }
        Outcome::Leaf => LEAF,
        Outcome::Indicator(reason) => search.graph.indicator(None, None, &reason),
    };
    Found {
        builder: search.graph.builder,
        initial,
        interrupted: search.interrupted,
        expansions: search.expansions,
        history: History { table: search.table, known: search.known, trail: search.trail, ends: search.graph.ends },
        moved: search.moved,
    }
}

/// The graph as far as it is drawn. Pairs are nodes under their number in the table.
struct Graph<'a> {
    program: &'a Cfa,
    effects: &'a Effects<'a>,
    builder: DifferenceGraphBuilder,
    indicators: BTreeMap<(Option<EdgeId>, &'static str, String), u32>,
    ends: Vec<End>,
}

/// The one node of all leaves; indicators count down from it.
const LEAF: u32 = u32::MAX;

impl<'a> Graph<'a> {
    fn new(program: &'a Cfa, effects: &'a Effects<'a>) -> Self {
        Self { program, effects, builder: DifferenceGraphBuilder::new(), indicators: BTreeMap::new(), ends: Vec::new() }
    }

    /// The indicator for an edge, which leaves pair `from`, and a reason.
    fn indicator(&mut self, from: Option<u32>, edge: Option<EdgeId>, reason: &Reason) -> u32 {
        let (rule, detail) = (reason.rule(), reason.detail(self.program, self.effects));
        let count = u32::try_from(self.indicators.len()).unwrap_or(u32::MAX);
        let (builder, ends) = (&mut self.builder, &mut self.ends);
        *self.indicators.entry((edge, rule, detail.clone())).or_insert_with(|| {
            let node = LEAF - 1 - count;
            ends.push(End { from, edge, reason: reason.clone(), detail: detail.clone() });
            builder.add_indicator(node, edge.map(|e| e.0), rule, detail);
            node
        })
    }
}

struct Search<'a> {
    program: &'a Cfa,
    rules: Rules,
    order: Order<'a>,
    table: IndexMap<Pair, ObjectSet, FxBuildHasher>,
    /// By number of the pair.
    known: Vec<Rc<Equations>>,
    trail: Option<Trail>,
    moved: Option<Recorded>,
    /// By number of the pair: in the queue.
    waiting: Vec<bool>,
    queue: BinaryHeap<Reverse<(Rc<[u32]>, u32)>>,
    graph: Graph<'a>,
    /// The first indicator ends the search.
    only_whether_settled: bool,
    interrupted: bool,
    expansions: u64,
}

impl Search<'_> {
    /// Joins what is affected at a pair; whoever is new or grows is explored (again).
    ///
    /// `via` is the pair and the edge they come from.
    fn reach(
        &mut self,
        stepper: &Stepper,
        pair: Pair,
        (affected, holds): (&ObjectSet, &Rc<Equations>),
        via: Option<(u32, EdgeId)>,
    ) -> u32 {
        let entry = self.table.entry(pair);
        let number = u32::try_from(entry.index()).unwrap_or(u32::MAX);
        let known = matches!(entry, indexmap::map::Entry::Occupied(_));
        if known && !self.rules.reexploration {
            return number;
        }
        let mut grows = entry.or_default().union_with(affected);
        match self.known.get_mut(number as usize) {
            Some(there) if !Rc::ptr_eq(there, holds) && !there.follows_from(holds) => grows |= Rc::make_mut(there).meet(holds),
            Some(_) => {}
            None => self.known.push(Rc::clone(holds)),
        }
        if known && !grows {
            return number;
        }
        if !known {
            self.waiting.push(false);
        }
        if let Some(trail) = &mut self.trail {
            trail.record(number, affected, via);
        }
        if !std::mem::replace(&mut self.waiting[number as usize], true) {
            self.queue.push(Reverse((self.order.of(self.program, stepper, pair.modified), number)));
        }
        number
    }

    /// The first pass.
    fn explore(&mut self, stepper: &mut Stepper, interrupted: &mut dyn FnMut() -> bool) {
        while let Some(Reverse((_, number))) = self.queue.pop() {
            self.waiting[number as usize] = false;
            let Some((pair, affected)) = self.table.get_index(number as usize).map(|(p, v)| (*p, v.clone())) else {
                continue;
            };
            for &edge in self.program.out_edges(pair.modified.location) {
                if interrupted() {
                    self.interrupted = true;
                    return;
                }
                self.expansions += 1;
                let known = Rc::clone(&self.known[number as usize]);
                let Stepped { outcome, known, .. } = stepper.step(pair, &affected, &known, edge);
                let target = match &outcome {
                    Outcome::Pair(target, w) => Some(self.reach(stepper, *target, (w, &known), Some((number, edge)))),
                    Outcome::Indicator(_) if self.only_whether_settled => {
                        self.interrupted = true;
                        return;
                    }
                    Outcome::Leaf | Outcome::Indicator(_) => None,
                };
                if !self.rules.second_pass {
                    self.draw(number, edge, &outcome, target);
                }
            }
        }
    }

    /// The second pass.
    fn emit(&mut self, stepper: &mut Stepper, initial: u32) {
        let mut seen = vec![false; self.table.len()];
        let mut pending = vec![initial];
        while let Some(number) = pending.pop() {
            if std::mem::replace(&mut seen[number as usize], true) {
                continue;
            }
            let Some((pair, affected)) = self.table.get_index(number as usize).map(|(p, v)| (*p, v.clone())) else {
                continue;
            };
            for &edge in self.program.out_edges(pair.modified.location) {
                let known = Rc::clone(&self.known[number as usize]);
                let stepped = stepper.step(pair, &affected, &known, edge);
                let target = match &stepped.outcome {
                    Outcome::Pair(target, w) => self.checked(target, w, &stepped.known),
                    Outcome::Leaf | Outcome::Indicator(_) => None,
                };
                pending.extend(target);
                let to = self.draw(number, edge, &stepped.outcome, target);
                if let Some(moved) = &mut self.moved {
                    moved.along.insert((number, edge.0), (to, moves_of(stepper, pair.original, &stepped)));
                }
            }
        }
    }

    /// The number of a pair if an edge may lead to it.
    fn checked(&self, pair: &Pair, w: &ObjectSet, known: &Equations) -> Option<u32> {
        let (index, _, affected) = self.table.get_full(pair)?;
        let included = !self.rules.checked_emission || w.is_subset(affected) && self.known[index].follows_from(known);
        included.then(|| u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Draws the edge and returns the node it leads to.
    fn draw(&mut self, from: u32, edge: EdgeId, outcome: &Outcome, target: Option<u32>) -> u32 {
        let to = match outcome {
            Outcome::Leaf => LEAF,
            Outcome::Indicator(reason) => self.graph.indicator(Some(from), Some(edge), reason),
            Outcome::Pair(..) => target.unwrap_or_else(|| self.graph.indicator(Some(from), Some(edge), &Reason::Interrupted)),
        };
        self.graph.builder.add_edge(from, edge.0, to);
        to
    }
}

/// The order of exploration: reverse post-order within functions, callees between the call and what follows it.
struct Order<'a> {
    loops: &'a Loops,
    prefixes: FxHashMap<StackId, Rc<[u32]>>,
}

impl Order<'_> {
    fn of(&mut self, program: &Cfa, stepper: &Stepper, point: Point) -> Rc<[u32]> {
        let mut key = self.prefix(program, stepper, point.stack).to_vec();
        key.push(self.loops.order(point.location).unwrap_or(u32::MAX));
        key.into()
    }

    fn prefix(&mut self, program: &Cfa, stepper: &Stepper, stack: StackId) -> Rc<[u32]> {
        if let Some(known) = self.prefixes.get(&stack) {
            return Rc::clone(known);
        }
        let calls: Vec<EdgeId> = stepper.stacks.calls(stack).collect();
        let orders = calls.iter().rev().map(|c| self.loops.order(program.edge(*c).source).unwrap_or(u32::MAX));
        let prefix: Rc<[u32]> = orders.collect();
        self.prefixes.insert(stack, Rc::clone(&prefix));
        prefix
    }
}
