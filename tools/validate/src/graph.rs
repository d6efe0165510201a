//! The check of a difference graph, edge by edge.
//!
//! A node stands for a place in each program and the objects that may differ there. It is right if every edge of the modified
//! program that leaves its place is in the graph, and each is right: it leads to an indicator; or to a leaf, because the
//! property cannot be violated any more or the original is bound to violate it; or to a node such that the original, making the
//! moves that the certificate names, comes to its place, and nothing differs there but what the node says. Then no violation
//! that is new is behind a node from which no indicator can be reached.
//! Source: [DiffDP23, Lemmas 1 to 3, Thm. 2], as local conditions.

use std::collections::{BTreeMap, BTreeSet};

use formats::certificate::Moves;
use formats::{Certificate, DifferenceGraph};
use program::cfa::{Cfa, EdgeId, FunctionId, Operation};
use semantics::facts::Facts;
use semantics::object_set::ObjectSet;
use semantics::stack::{Point, StackTable, Step};
use smt::encode::Implications;
use smt::queries::Queries;
use smt::solver::Limits;

use crate::Refusal;
use crate::certain::{Certain, Passage};
use crate::held::Held;
use crate::initial;
use crate::joint::{Joint, Solver};
use crate::kept::Kept;
use crate::map::Map;
use crate::reach::{Reach, must_not_be_compared};
use crate::same::Same;
use crate::touch::Touch;
use crate::types::Types;

/// Steps the solver may take for one question: more than the detector takes, so that it does not give up first.
const RESOURCES: u32 = 1_000_000;

/// How often what variables hold at a node may become something else; afterwards only less.
const CHANGES: u32 = 50;

/// Where the two programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    modified: Point,
    original: Point,
}

pub(crate) struct Checker<'a> {
    graph: &'a DifferenceGraph,
    certificate: &'a Certificate,
    pub(crate) joint: Joint<'a>,
    pub(crate) certain: Certain,
    reach: Reach,
    /// Of the modified and of the original program.
    pub(crate) stacks: [StackTable; 2],
    indicator: Vec<bool>,
    /// By node: the objects that may differ there; none for indicators and leaves.
    affected: Vec<Option<ObjectSet>>,
    places: Vec<Option<Place>>,
    /// By node: what variables hold there, as far as it is known yet: what all edges bring that were looked at.
    held: Vec<Held>,
    /// By node and edge of the graph (none at the start): what was brought when the edge was looked at last.
    brought: Vec<BTreeMap<Option<usize>, Held>>,
    /// By node: how often less, or something else, became known.
    changes: Vec<u32>,
    /// Nodes that were come to and not looked at since, or since it became known that their variables hold less.
    open: BTreeSet<u32>,
}

/// Checks that every edge of a graph is right by its certificate.
pub(crate) fn check(original: &Cfa, modified: &Cfa, graph: &DifferenceGraph, certificate: &Certificate) -> Result<(), Refusal> {
    certificate.check_against(graph).map_err(|error| Refusal::whole(error.to_string()))?;
    names(modified, graph)?;
    let is_indicator = |node: u32| graph.indicators.binary_search(&node).is_ok();
    if is_indicator(0) {
        // Nothing is claimed.
        return Ok(());
    }
    if graph.edges.is_empty() && original.is_same_as(modified) && !modified.starts_threads() {
        return Ok(());
    }
    let mut types = Types::default();
    let map = Map::new(modified, original, (&certificate.variables, &certificate.renamed), &mut types).map_err(Refusal::whole)?;
    let facts = [original, modified].map(Facts::new);
    let mut same = Same::new(modified, original, &map, types);
    let allocations = allocations(modified, original, certificate, &mut same).map_err(Refusal::whole)?;
    let mut touch = Touch::new(&facts, &map, &allocations);
    let certain = Certain::new(&mut touch.original, facts[0].calls());
    let affected = affected(&touch, certificate).map_err(Refusal::whole)?;
    let start = initial::differing(&mut same, &touch);
    let limits = Limits { timeout: None, resources: Some(RESOURCES), stop: None };
    let solver = Queries::z3(limits).ok().map(|queries| Solver { implications: implications(modified, original, &map), queries });
    let kept = Kept::new(modified, original, &map);
    let held = kept.at_start(modified, original);
    let mut checker = Checker {
        graph,
        certificate,
        joint: Joint { same, touch, solver, held: Held::default(), executor: Default::default(), kept, compares_values: false },
        certain,
        reach: Reach::new(modified),
        stacks: [StackTable::new(), StackTable::new()],
        indicator: (0..graph.nodes).map(is_indicator).collect(),
        places: vec![None; affected.len()],
        held: vec![Held::default(); affected.len()],
        brought: vec![BTreeMap::new(); affected.len()],
        changes: vec![0; affected.len()],
        open: BTreeSet::new(),
        affected,
    };
    checker.start((start, held))?;
    checker.nodes()
}

/// Questions about what the two programs have in common.
fn implications<'a>(modified: &'a Cfa, original: &'a Cfa, map: &'a Map) -> Implications<'a> {
    let is_known = |cfa: &Cfa, function: FunctionId| cfa.function(function).entry.is_some();
    let function = move |function: FunctionId| {
        map.function(function).filter(|other| is_known(modified, function) == is_known(original, *other))
    };
    Implications::new(modified, original, |variable| map.content(variable), function)
}

/// What the graph says of edges is what they are: a condition is made of their names, and folded by where they begin.
fn names(modified: &Cfa, graph: &DifferenceGraph) -> Result<(), Refusal> {
    for (number, listed) in &graph.cfa_edges {
        let edge = EdgeId(*number);
        if edge.index() >= modified.edges.len() {
            return Err(Refusal::whole(format!("the modified program has no edge {number}")));
        }
        let found = modified.placed_edge_info(edge);
        if found.key != listed.key || (listed.leaves.is_some() && listed.leaves != found.leaves) {
            return Err(Refusal::whole(format!("edge {number} of the modified program is another one than the graph says")));
        }
    }
    Ok(())
}

/// Pairs of calls of the same function with the same arguments that allocate memory, each at most once.
fn allocations(
    modified: &Cfa,
    original: &Cfa,
    certificate: &Certificate,
    same: &mut Same,
) -> Result<Vec<(EdgeId, EdgeId)>, String> {
    let mut taken = rustc_hash::FxHashSet::default();
    let mut checked = Vec::with_capacity(certificate.allocations.len());
    for [mine, theirs] in &certificate.allocations {
        let (mine, theirs) = (EdgeId(*mine), EdgeId(*theirs));
        let exist = mine.index() < modified.edges.len() && theirs.index() < original.edges.len();
        if !exist || !taken.insert((0, mine)) || !taken.insert((1, theirs)) || !same.operations(mine, theirs) {
            return Err(format!("edges {} and {} do not allocate the same memory", mine.0, theirs.0));
        }
        checked.push((mine, theirs));
    }
    Ok(checked)
}

/// The sets of objects, by node.
fn affected(touch: &Touch, certificate: &Certificate) -> Result<Vec<Option<ObjectSet>>, String> {
    let objects = touch.objects(&certificate.objects)?;
    let sets =
        certificate.sets.iter().map(|set| set.iter().filter_map(|object| objects.get(*object as usize).copied()).collect());
    let sets: Vec<ObjectSet> = sets.collect();
    Ok(certificate.nodes.iter().map(|node| sets.get((*node)? as usize).cloned()).collect())
}

impl<'a> Checker<'a> {
    pub(crate) fn modified(&self) -> &'a Cfa {
        self.joint.touch.modified.cfa
    }

    pub(crate) fn original(&self) -> &'a Cfa {
        self.joint.touch.original.cfa
    }

    /// The first node.
    fn start(&mut self, begin: (ObjectSet, Held)) -> Result<(), Refusal> {
        if self.affected[0].is_none() && !self.leaving_edges(0).is_empty() {
            return Err(Refusal::start("it has no place, and edges leave it"));
        }
        let modified = StackTable::start(self.modified());
        let original = StackTable::start(self.original());
        let moves = self.certificate.start.clone();
        self.arrive(0, modified, &moves, original, begin, (None, None)).map_err(|why| Refusal::start(&why))
    }

    /// The edges of the graph that leave a node, by index.
    fn leaving_edges(&self, node: u32) -> std::ops::Range<usize> {
        let edges = &self.graph.edges;
        edges.partition_point(|edge| edge.from < node)..edges.partition_point(|edge| edge.from <= node)
    }

    /// All nodes that are come to, each with its edges. What is not right while more is taken to be known of variables than in the
    /// end may be right then: a node counts as it was when it was looked at last.
    fn nodes(&mut self) -> Result<(), Refusal> {
        let mut refused: BTreeMap<u32, Refusal> = BTreeMap::new();
        while let Some(node) = self.open.pop_first() {
            match self.node(node) {
                Ok(()) => drop(refused.remove(&node)),
                Err(refusal) => drop(refused.insert(node, refusal)),
            }
        }
        refused.into_values().next().map_or(Ok(()), Err)
    }

    /// A node with its edges.
    fn node(&mut self, node: u32) -> Result<(), Refusal> {
        let Some(place) = self.places[node as usize] else { return Ok(()) };
        let listed = self.leaving_edges(node);
        let leaving = self.modified().out_edges(place.modified.location).to_vec();
        if listed.len() != leaving.len() {
            return Err(Refusal::node(node, "its edges are not those that the program has there"));
        }
        let mut result = Ok(());
        for edge in &leaving {
            let index = listed.clone().find(|index| self.graph.edges[*index].edge == edge.0);
            let checked = match index {
                Some(index) => self.edge(place, index).map_err(|why| Refusal::edge(node, *edge, &why)),
                None => Err(Refusal::edge(node, *edge, "the graph does not have it")),
            };
            result = result.and(checked);
        }
        result
    }

    /// One edge of the graph, which leaves the node at `place`.
    fn edge(&mut self, place: Place, index: usize) -> Result<(), String> {
        let (to, edge) = (self.graph.edges[index].to, EdgeId(self.graph.edges[index].edge));
        if self.indicator[to as usize] {
            return Ok(());
        }
        let is_leaf = self.affected[to as usize].is_none();
        if is_leaf && !self.leaving_edges(to).is_empty() {
            return Err(format!("node {to} has no place, and edges leave it"));
        }
        let program = self.joint.touch.modified.cfa;
        let step = self.stacks[0].step(program, place.modified, edge);
        let next = match step {
            Step::Recursion { .. } => return Err("it calls a function that is active".to_owned()),
            Step::End(_) if is_leaf => return Ok(()),
            Step::End(point) | Step::Within(point) | Step::Enter { point, .. } | Step::Return { point, .. } => point,
        };
        if must_not_be_compared(program, edge) {
            return Err("nobody knows what it does".to_owned());
        }
        let is_asm = matches!(program.edge(edge).operation, Operation::Asm(_));
        if is_leaf && !is_asm && !self.reach.violates(program, &self.stacks[0], next) {
            return Ok(());
        }
        let node = self.graph.edges[index].from as usize;
        let before = (self.affected[node].clone().unwrap_or_default(), self.held[node].clone());
        if is_leaf {
            self.joint.held.clone_from(&before.1);
            if self.joint.cannot_pass(edge) {
                return Ok(());
            }
        }
        let moves = self.certificate.moves[index].clone();
        let found = self.arrive(to, next, &moves, place.original, before.clone(), (Some(index), Some((edge, step))));
        if found.is_ok() {
            return found;
        }
        // Perhaps values are equal that are not the same.
        self.joint.compares_values = true;
        let found = self.arrive(to, next, &moves, place.original, before, (Some(index), Some((edge, step))));
        self.joint.compares_values = false;
        found
    }

    /// Makes the moves of the original and checks what the node they lead to says.
    fn arrive(
        &mut self,
        node: u32,
        modified: Point,
        moves: &Moves,
        original: Point,
        (affected, held): (ObjectSet, Held),
        (via, step): (Option<usize>, Option<(EdgeId, Step)>),
    ) -> Result<(), String> {
        self.joint.held = held;
        let (at, affected) = self.follow(moves, original, affected, step)?;
        let Some(allowed) = &self.affected[node as usize] else {
            // A leaf: that the modified program cannot violate the property any more was looked at before.
            if step.is_none() && !self.reach.violates(self.modified(), &self.stacks[0], modified) {
                return Ok(());
            }
            let is_bound = self.original().location(at.location).is_error
                || self.certain.piece(&mut self.joint.touch.original, at.location, None) == Some(Passage::Violates);
            return if is_bound { Ok(()) } else { Err("it leads to a leaf, and a violation may follow".to_owned()) };
        };
        if self.modified().location(modified.location).is_error {
            return Err("it violates the property and leads to no indicator".to_owned());
        }
        let affected = if affected.is_subset(allowed) { affected } else { self.joint.reconciled(affected) };
        if !affected.is_subset(allowed) {
            let names: Vec<String> = affected.difference(allowed).iter().map(|o| self.joint.touch.name(o)).collect();
            return Err(format!("{} may differ behind it, which node {node} does not say", names.join(", ")));
        }
        let place = Place { modified, original: at };
        match self.places[node as usize] {
            Some(known) if known != place => return Err(format!("node {node} is come to at two places")),
            Some(_) => self.bring(node, via),
            None => {
                self.places[node as usize] = Some(place);
                self.held[node as usize] = self.joint.held.clone();
                self.brought[node as usize].insert(via, std::mem::take(&mut self.joint.held));
                self.open.insert(node);
            }
        }
        Ok(())
    }

    /// What variables hold at a node that was come to before: what all edges bring. A name may be put in for another one as less
    /// becomes known, so this is no descent; after some changes only less counts, so that it ends.
    fn bring(&mut self, node: u32, via: Option<usize>) {
        let programs = (self.modified(), self.original());
        let at = node as usize;
        self.brought[at].insert(via, std::mem::take(&mut self.joint.held));
        let mut all = self.brought[at].values();
        let mut held = all.next().cloned().unwrap_or_default();
        for other in all {
            held.meet(programs, other);
        }
        if self.changes[at] >= CHANGES {
            held.meet(programs, &self.held[at]);
        }
        if !held.is(programs, &self.held[at]) {
            self.changes[at] += 1;
            self.held[at] = held;
            self.open.insert(node);
        }
    }
}
