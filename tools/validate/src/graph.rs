//! The check of a difference graph, edge by edge.
//!
//! A node stands for a place in each program and the objects that may differ there. It is right if every edge of the modified
//! program that leaves its place is in the graph, and each is right: it leads to an indicator; or to a leaf, because the
//! property cannot be violated any more or the original is bound to violate it; or to a node such that the original, making the
//! moves that the certificate names, comes to its place, and nothing differs there but what the node says. Then no violation
//! that is new is behind a node from which no indicator can be reached.
//! Source: [DiffDP23, Lemmas 1 to 3, Thm. 2], as local conditions.

use formats::certificate::{Move, Moves};
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
use crate::initial;
use crate::joint::{Joint, Solver};
use crate::map::Map;
use crate::reach::{Reach, must_not_be_compared};
use crate::same::Same;
use crate::touch::Touch;
use crate::types::Types;

/// Steps the solver may take for one question: more than the detector takes, so that it does not give up first.
const RESOURCES: u32 = 1_000_000;

/// Where the two programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    modified: Point,
    original: Point,
}

struct Checker<'a> {
    graph: &'a DifferenceGraph,
    certificate: &'a Certificate,
    joint: Joint<'a>,
    certain: Certain,
    reach: Reach,
    /// Of the modified and of the original program.
    stacks: [StackTable; 2],
    indicator: Vec<bool>,
    /// By node: the objects that may differ there; none for indicators and leaves.
    affected: Vec<Option<ObjectSet>>,
    places: Vec<Option<Place>>,
    /// Nodes that were come to and not looked at yet.
    open: Vec<u32>,
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
    if graph.edges.is_empty() && original.fingerprint() == modified.fingerprint() && !modified.starts_threads() {
        return Ok(());
    }
    let mut types = Types::default();
    let map = Map::new(modified, original, &certificate.variables, &mut types).map_err(Refusal::whole)?;
    let facts = [original, modified].map(Facts::new);
    let mut same = Same::new(modified, original, &map, types);
    let allocations = allocations(modified, original, certificate, &mut same).map_err(Refusal::whole)?;
    let mut touch = Touch::new(&facts, &map, &allocations);
    let certain = Certain::new(&mut touch.original, facts[0].calls());
    let affected = affected(&touch, certificate).map_err(Refusal::whole)?;
    let start = initial::differing(&mut same, &touch);
    let limits = Limits { timeout: None, resources: Some(RESOURCES), stop: None };
    let solver = Queries::z3(limits).ok().map(|queries| Solver { implications: implications(modified, original, &map), queries });
    let mut checker = Checker {
        graph,
        certificate,
        joint: Joint { same, touch, solver, compares_values: false },
        certain,
        reach: Reach::new(modified),
        stacks: [StackTable::new(), StackTable::new()],
        indicator: (0..graph.nodes).map(is_indicator).collect(),
        places: vec![None; affected.len()],
        open: Vec::new(),
        affected,
    };
    checker.start(&start)?;
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

impl Checker<'_> {
    fn modified(&self) -> &Cfa {
        self.joint.touch.modified.cfa
    }

    fn original(&self) -> &Cfa {
        self.joint.touch.original.cfa
    }

    /// The first node.
    fn start(&mut self, differing: &ObjectSet) -> Result<(), Refusal> {
        if self.affected[0].is_none() && !self.leaving_edges(0).is_empty() {
            return Err(Refusal::start("it has no place, and edges leave it"));
        }
        let modified = StackTable::start(self.modified());
        let original = StackTable::start(self.original());
        let moves = self.certificate.start.clone();
        self.arrive(0, modified, &moves, original, differing.clone(), None).map_err(|why| Refusal::start(&why))
    }

    /// The edges of the graph that leave a node, by index.
    fn leaving_edges(&self, node: u32) -> std::ops::Range<usize> {
        let edges = &self.graph.edges;
        edges.partition_point(|edge| edge.from < node)..edges.partition_point(|edge| edge.from <= node)
    }

    /// All nodes that are come to, each with its edges.
    fn nodes(&mut self) -> Result<(), Refusal> {
        while let Some(node) = self.open.pop() {
            let Some(place) = self.places[node as usize] else { continue };
            let listed = self.leaving_edges(node);
            let leaving = self.modified().out_edges(place.modified.location).to_vec();
            for edge in &leaving {
                let index = listed.clone().find(|index| self.graph.edges[*index].edge == edge.0);
                let index = index.ok_or_else(|| Refusal::edge(node, *edge, "the graph does not have it"))?;
                self.edge(place, index).map_err(|why| Refusal::edge(node, *edge, &why))?;
            }
            if listed.len() != leaving.len() {
                return Err(Refusal::node(node, "an edge leaves it that the program does not have there"));
            }
        }
        Ok(())
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
        let affected = self.affected[node].clone().unwrap_or_default();
        let moves = self.certificate.moves[index].clone();
        let found = self.arrive(to, next, &moves, place.original, affected.clone(), Some((edge, step)));
        if found.is_ok() {
            return found;
        }
        // Perhaps values are equal that are not the same.
        self.joint.compares_values = true;
        let found = self.arrive(to, next, &moves, place.original, affected, Some((edge, step)));
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
        affected: ObjectSet,
        step: Option<(EdgeId, Step)>,
    ) -> Result<(), String> {
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
        if !affected.is_subset(allowed) {
            let names: Vec<String> = affected.difference(allowed).iter().map(|o| self.joint.touch.name(o)).collect();
            return Err(format!("{} may differ behind it, which node {node} does not say", names.join(", ")));
        }
        let place = Place { modified, original: at };
        match self.places[node as usize] {
            Some(known) if known != place => Err(format!("node {node} is come to at two places")),
            Some(_) => Ok(()),
            None => {
                self.places[node as usize] = Some(place);
                self.open.push(node);
                Ok(())
            }
        }
    }

    /// Where the moves lead the original, and what may differ then.
    fn follow(
        &mut self,
        moves: &Moves,
        from: Point,
        mut affected: ObjectSet,
        step: Option<(EdgeId, Step)>,
    ) -> Result<(Point, ObjectSet), String> {
        let mut at = from;
        let mut together = false;
        for one in &moves.0 {
            match (one, step) {
                (Move::With(_) | Move::LeaveWith, Some(step)) if !together => {
                    together = true;
                    (at, affected) = self.together(*one, step, at, &affected)?;
                }
                (Move::With(_) | Move::LeaveWith, _) => return Err("the original cannot make a joint step here".to_owned()),
                (Move::To(_) | Move::Enter | Move::Leave, _) => {
                    let written;
                    (at, written) = self.alone(*one, at)?;
                    affected.union_with(&written);
                }
            }
        }
        if let (Some((edge, step)), false) = (step, together) {
            affected.union_with(&self.written_alone(edge, step));
        }
        Ok((at, affected))
    }

    /// What the modified program may write in a step that it makes alone.
    fn written_alone(&mut self, edge: EdgeId, step: Step) -> ObjectSet {
        let modified = &mut self.joint.touch.modified;
        match step {
            Step::Return { call, .. } => {
                let result = modified.cfa.edge(call).operation.result();
                result.map(|result| modified.variable(result)).unwrap_or_default()
            }
            Step::Within(_) | Step::Enter { .. } | Step::End(_) | Step::Recursion { .. } => modified.of(edge).writes.clone(),
        }
    }

    /// A move that the original makes while the modified program waits: where it leads, and what it may write.
    fn alone(&mut self, one: Move, at: Point) -> Result<(Point, ObjectSet), String> {
        let cfa = self.joint.touch.original.cfa;
        match one {
            Move::To(location) => {
                let location = program::cfa::LocationId(location);
                if location.index() >= cfa.locations.len()
                    || cfa.location(location).function != cfa.location(at.location).function
                {
                    return Err(format!("location {} is not in the function the original is in", location.0));
                }
                match self.certain.piece(&mut self.joint.touch.original, at.location, Some(location)) {
                    Some(Passage::Passes(written)) => Ok((Point { location, stack: at.stack }, written)),
                    // Then it has violated the property, wherever it is said to be.
                    Some(Passage::Violates) => Ok((Point { location, stack: at.stack }, ObjectSet::new())),
                    None => Err(format!("the original may stay away from location {}", location.0)),
                }
            }
            Move::Enter => {
                let &[edge] = cfa.out_edges(at.location) else { return Err("the original does not call here".to_owned()) };
                match self.stacks[1].step(cfa, at, edge) {
                    Step::Enter { point, .. } => Ok((point, self.joint.touch.original.of(edge).writes.clone())),
                    Step::Within(_) | Step::Return { .. } | Step::End(_) | Step::Recursion { .. } => {
                        Err("the original enters no function here".to_owned())
                    }
                }
            }
            Move::Leave => {
                let (call, to) = self.leaving(at)?;
                let result = cfa.edge(call).operation.result();
                let written = result.map(|result| self.joint.touch.original.variable(result)).unwrap_or_default();
                Ok((to, written))
            }
            Move::With(_) | Move::LeaveWith => Err("it is no move to make alone".to_owned()),
        }
    }

    /// The call that the original, at the exit of a function, returns to, and the point behind it.
    fn leaving(&self, at: Point) -> Result<(EdgeId, Point), String> {
        let cfa = self.original();
        if cfa.function(cfa.location(at.location).function).exit != Some(at.location) {
            return Err("the original is not at the exit of its function".to_owned());
        }
        let (call, below) = self.stacks[1].pop(at.stack).ok_or("the original has nothing to return to")?;
        Ok((call, Point { location: cfa.edge(call).target, stack: below }))
    }

    /// A joint step: where it leads the original, and what may differ then.
    fn together(
        &mut self,
        one: Move,
        (edge, step): (EdgeId, Step),
        at: Point,
        affected: &ObjectSet,
    ) -> Result<(Point, ObjectSet), String> {
        let cfa = self.joint.touch.original.cfa;
        let (other, theirs) = match one {
            Move::With(other) => {
                let other = EdgeId(other);
                if !cfa.out_edges(at.location).contains(&other) {
                    return Err(format!("the original is not where its edge {} begins", other.0));
                }
                (Some(other), self.stacks[1].step(cfa, at, other))
            }
            Move::To(_) | Move::Enter | Move::Leave | Move::LeaveWith => {
                let (call, point) = self.leaving(at)?;
                (None, Step::Return { call, point })
            }
        };
        match (step, theirs, other) {
            (Step::Within(_), Step::Within(point), Some(other)) => {
                let is_assume = matches!(self.modified().edge(edge).operation, Operation::Assume { .. });
                let joint = &mut self.joint;
                let after = if is_assume { joint.assume((edge, other), affected) } else { joint.within((edge, other), affected) };
                Ok((point, after?))
            }
            (Step::Enter { .. }, Step::Enter { point, .. }, Some(other)) => {
                Ok((point, self.joint.enter((edge, other), affected)?))
            }
            (Step::Return { call, .. }, Step::Return { call: called, point }, other) => {
                Ok((point, self.joint.leave((edge, other), (call, called), affected)?))
            }
            (_, _, _) => Err("the two programs do not make the same kind of step".to_owned()),
        }
    }
}
