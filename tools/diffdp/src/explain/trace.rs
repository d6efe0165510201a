//! Following an affected object back to the change.
//!
//! At each arrival of an object the step that brought it is made again: if it brings the object with nothing affected
//! before, the step is where the change acts; if it does with one other object affected, that one carries it; else the
//! object was there before.

use program::cfa::{EdgeId, Operation, VarKind};
use rustc_hash::FxHashMap;
use semantics::compare::{Alignment, Changes, Comparison, Side};
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::stack::Point;

use formats::explanation::LinkKind;

use crate::effects::Effects;
use crate::search::History;
use crate::step::{Outcome, Pair, Partner, Stepper};
use crate::trail::Trail;

/// Other objects that are tried as carriers at most.
const TRIED: usize = 64;

/// A link that still names edges and objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) kind: LinkKind,
    pub(super) side: Side,
    pub(super) edge: EdgeId,
    pub(super) object: Option<ObjectId>,
    pub(super) from: Option<ObjectId>,
    /// The edge whose text stands for the object if it is a temporary.
    pub(super) writer: EdgeId,
}

/// The links of a chain; from the end to the change while it is traced.
pub(super) type Chain = Vec<Step>;

/// Where a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// At a change, by its number.
    Change(u32),
    /// At nothing that could be named.
    Unclear,
}

/// Where an object at a pair comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The search started with it.
    Start,
    /// It was affected at another pair before, and nothing happened to it.
    Same(u32),
    /// A step along an edge from a pair gives it a value that depends on another object.
    From(u32, EdgeId, ObjectId),
    /// A step along an edge from a pair affects it by itself.
    Here(u32, EdgeId, Option<Partner>),
    /// None of this could be shown.
    Unknown,
}

/// Follows objects back.
#[derive(Debug)]
pub(super) struct Tracer<'s, 'a> {
    pub(super) stepper: &'s mut Stepper<'a>,
    pub(super) comparison: &'a Comparison<'a>,
    pub(super) effects: &'a Effects<'a>,
    pub(super) alignment: &'a Alignment,
    pub(super) history: &'s History,
    pub(super) trail: &'s Trail,
    pub(super) changes: Changes<'a>,
    /// For each edge of the original, what it became.
    pub(super) became: Vec<Option<EdgeId>>,
    sources: FxHashMap<(u32, ObjectId), Source>,
}

impl<'s, 'a> Tracer<'s, 'a> {
    pub(super) fn new(stepper: &'s mut Stepper<'a>, history: &'s History, trail: &'s Trail) -> Self {
        let (comparison, effects, alignment) = (stepper.comparison, stepper.effects, stepper.alignment);
        let mut became = vec![None; comparison.original.edges.len()];
        for edge in comparison.modified.edge_ids() {
            if let Some(original) = alignment.of(edge) {
                became[original.index()] = Some(edge);
            }
        }
        let changes = Changes::new(comparison);
        Self { stepper, comparison, effects, alignment, history, trail, changes, became, sources: FxHashMap::default() }
    }

    /// Follows an object that is affected at a pair before an arrival, or by the original's walk from there to a point.
    pub(super) fn affected_before(
        &mut self,
        pair: u32,
        walked: Option<Point>,
        object: ObjectId,
        arrival: u32,
        chain: &mut Chain,
    ) -> Root {
        if self.trail.is_before(pair, object, arrival) {
            return self.trace(pair, object, chain);
        }
        let original = self.pair(pair).0.original;
        match walked.and_then(|point| self.skipped(original, point, object)) {
            Some(edge) => self.only_original(pair, edge, object, chain),
            None => Root::Unclear,
        }
    }

    /// Follows an object that is affected at a pair.
    fn trace(&mut self, pair: u32, object: ObjectId, chain: &mut Chain) -> Root {
        let (mut pair, mut object) = (pair, object);
        loop {
            match self.source(pair, object) {
                Source::Same(before) => pair = before,
                Source::From(before, edge, carrier) => {
                    chain.push(self.step(LinkKind::Carries, before, edge, Some(object), Some(carrier)));
                    (pair, object) = (before, carrier);
                }
                Source::Here(before, edge, partner) => return self.introduced(before, edge, partner, object, chain),
                Source::Start => return self.starts_different(object),
                Source::Unknown => return Root::Unclear,
            }
        }
    }

    fn source(&mut self, pair: u32, object: ObjectId) -> Source {
        if let Some(known) = self.sources.get(&(pair, object)) {
            return *known;
        }
        let found = self.find_source(pair, object);
        self.sources.insert((pair, object), found);
        found
    }

    fn find_source(&mut self, pair: u32, object: ObjectId) -> Source {
        let Some(arrival) = self.trail.first(pair, object) else { return Source::Unknown };
        let Some((from, edge)) = self.trail.get(arrival).via else { return Source::Start };
        let (here, there) = (self.pair(from).0, self.pair(pair).0);
        let was_there = self.trail.is_before(from, object, arrival);
        if was_there && self.passes_by(here, there, edge, object) {
            return Source::Same(from);
        }
        if let Some(partner) = self.brings((from, here), there, edge, object, &ObjectSet::new()) {
            return Source::Here(from, edge, partner);
        }
        let only = |o: ObjectId| std::iter::once(o).collect::<ObjectSet>();
        if was_there && self.brings((from, here), there, edge, object, &only(object)).is_some() {
            return Source::Same(from);
        }
        let before = self.trail.before(from, arrival);
        let read = self.effects.of(Side::Modified, edge).reads.intersection(&before);
        for carrier in read.iter().chain(before.difference(&read).iter()).take(TRIED) {
            if carrier != object && self.brings((from, here), there, edge, object, &only(carrier)).is_some() {
                return Source::From(from, edge, carrier);
            }
        }
        if was_there {
            return Source::Same(from);
        }
        // Where there are several ways to see that it agrees, no single object closes all of them.
        let needed = |tracer: &mut Self, carrier: &ObjectId| {
            let others = before.difference(&only(*carrier));
            *carrier != object && tracer.brings((from, here), there, edge, object, &others).is_none()
        };
        if self.brings((from, here), there, edge, object, &before).is_none() {
            return Source::Unknown;
        }
        let carriers: Vec<ObjectId> = read.iter().chain(before.difference(&read).iter()).take(TRIED).collect();
        let found = carriers.iter().copied().find(|carrier| needed(self, carrier));
        let found = found.or_else(|| read.iter().find(|carrier| *carrier != object));
        found.map_or(Source::Unknown, |carrier| Source::From(from, edge, carrier))
    }

    /// Whether a step certainly leaves an object alone: cheap, for the many steps that do.
    fn passes_by(&self, here: Pair, there: Pair, edge: EdgeId, object: ObjectId) -> bool {
        let plain = match self.comparison.modified.edge(edge).operation {
            Operation::Assume { .. } | Operation::Blank => true,
            Operation::Assign { .. } => !self.effects.of(Side::Modified, edge).writes.contains(object),
            Operation::Declare { .. }
            | Operation::Havoc { .. }
            | Operation::Call { .. }
            | Operation::Return { .. }
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => false,
        };
        plain && here.original == there.original
    }

    /// Whether a step leads to a pair and brings an object there if these are affected before it; what the original did.
    fn brings(
        &mut self,
        (number, here): (u32, Pair),
        there: Pair,
        edge: EdgeId,
        object: ObjectId,
        v: &ObjectSet,
    ) -> Option<Option<Partner>> {
        let stepped = self.stepper.step(here, v, &self.known(number), edge);
        match stepped.outcome {
            Outcome::Pair(pair, w) if pair == there && w.contains(object) => Some(stepped.partner),
            Outcome::Pair(..) | Outcome::Leaf | Outcome::Indicator(_) => None,
        }
    }

    /// The change by which a step affects an object all by itself.
    fn introduced(&mut self, from: u32, edge: EdgeId, partner: Option<Partner>, object: ObjectId, chain: &mut Chain) -> Root {
        let Some(partner) = partner else { return self.alone(from, edge, object, chain) };
        let pair = self.pair(from).0;
        if let Some(skipped) = self.skipped(pair.original, partner.from, object) {
            return self.only_original(from, skipped, object, chain);
        }
        if let Some((carrier, skipped)) = self.skipped_carrier(pair.original, partner, edge) {
            chain.push(self.step(LinkKind::Carries, from, edge, Some(object), Some(carrier)));
            return self.only_original(from, skipped, carrier, chain);
        }
        chain.push(self.step(LinkKind::Affects, from, edge, Some(object), None));
        let Some(original) = partner.edge else { return Root::Change(self.changes.inserted(edge)) };
        if !self.comparison.identical(edge, original) {
            return Root::Change(self.changes.replaced(edge, original));
        }
        let calls = [self.stepper.stacks.pop(pair.modified.stack), self.stepper.walker.stacks.pop(partner.from.stack)];
        match calls {
            [Some((m, _)), Some((o, _))] if self.is_return(edge) && !self.comparison.identical(m, o) => {
                Root::Change(self.changes.replaced(m, o))
            }
            _ => self.foreign(edge, original),
        }
    }

    /// An operation of the modified program alone affects what it writes.
    fn alone(&mut self, from: u32, edge: EdgeId, object: ObjectId, chain: &mut Chain) -> Root {
        let root = match self.alignment.of(edge) {
            None => Root::Change(self.changes.inserted(edge)),
            Some(original) if !self.comparison.identical(edge, original) => Root::Change(self.changes.replaced(edge, original)),
            Some(original) => {
                chain.push(self.step(LinkKind::Alone, from, edge, Some(object), None));
                return match self.apart(from, None, chain) {
                    Root::Unclear => Root::Change(self.changes.moved(edge, original)),
                    root @ Root::Change(_) => root,
                };
            }
        };
        chain.push(self.step(LinkKind::Affects, from, edge, Some(object), None));
        root
    }

    /// An operation of the original alone affects what it writes.
    pub(super) fn only_original(&mut self, from: u32, edge: EdgeId, object: ObjectId, chain: &mut Chain) -> Root {
        let link = |kind| Step { kind, side: Side::Original, edge, object: Some(object), from: None, writer: edge };
        match self.became[edge.index()] {
            None => {
                chain.push(link(LinkKind::Affects));
                Root::Change(self.changes.deleted(edge))
            }
            Some(modified) if !self.comparison.identical(modified, edge) => {
                chain.push(link(LinkKind::Affects));
                Root::Change(self.changes.replaced(modified, edge))
            }
            Some(modified) => {
                chain.push(link(LinkKind::Alone));
                match self.apart(from, None, chain) {
                    Root::Unclear => Root::Change(self.changes.moved(modified, edge)),
                    root @ Root::Change(_) => root,
                }
            }
        }
    }

    /// An object that the original writes on its walk to a partner and that the step then reads, and who writes it.
    fn skipped_carrier(&mut self, from: Point, partner: Partner, edge: EdgeId) -> Option<(ObjectId, EdgeId)> {
        let read = self.effects.of(Side::Modified, edge).reads;
        let steps = self.stepper.walker.steps(from, Some(partner.from));
        let carriers: Vec<ObjectId> = read.iter().filter(|o| steps.iter().any(|(_, _, written)| written.contains(*o))).collect();
        carriers.into_iter().find_map(|o| Some((o, self.skipped(from, partner.from, o)?)))
    }

    /// The operation that writes an object on the walk of the original from one point to another.
    pub(super) fn skipped(&mut self, from: Point, to: Point, object: ObjectId) -> Option<EdgeId> {
        let steps = self.stepper.walker.steps(from, Some(to));
        let (start, end, _) = steps.into_iter().find(|(_, _, written)| written.contains(object))?;
        let program = self.comparison.original;
        let mut pending = vec![start.location];
        let mut seen = rustc_hash::FxHashSet::default();
        let mut kept = None;
        while let Some(location) = pending.pop() {
            if location == end.location || !seen.insert(location) {
                continue;
            }
            for &edge in program.out_edges(location) {
                let access = self.effects.of(Side::Original, edge);
                let result = self.effects.result(Side::Original, edge);
                let writes = access.writes.contains(object)
                    || result.is_some_and(|v| self.effects.variable(Side::Original, v).contains(object));
                if writes && !self.alignment.is_kept(edge) {
                    return Some(edge);
                }
                if writes {
                    kept.get_or_insert(edge);
                }
                pending.push(program.edge(edge).target);
                pending.extend(program.entered_callee(edge).and_then(|callee| program.function(callee).entry));
            }
        }
        // The result of a call whose callee is left.
        kept.or_else(|| {
            let exit = self.stepper.walker.stacks.pop(start.stack).map(|(call, _)| call);
            exit.filter(|call| {
                let result = self.effects.result(Side::Original, *call);
                result.is_some_and(|v| self.effects.variable(Side::Original, v).contains(object))
            })
        })
    }

    /// An object of another type in the original is read: its declaration is the change.
    pub(super) fn foreign(&mut self, modified: EdgeId, original: EdgeId) -> Root {
        if let Some(change) = self.changes.redeclared(modified) {
            return Root::Change(change);
        }
        let map = self.comparison.correspondence();
        let program = self.comparison.modified;
        let is_retyped = |v: &&program::cfa::VarId| {
            map.identity(**v).is_some() && !matches!(program.variable(**v).kind, VarKind::Temporary(_))
        };
        if let Some(variable) = self.comparison.without_counterpart(Side::Modified).iter().find(is_retyped) {
            return Root::Change(self.changes.retyped(*variable));
        }
        if self.comparison.identical(modified, original) {
            return Root::Unclear;
        }
        Root::Change(self.changes.replaced(modified, original))
    }

    fn starts_different(&mut self, object: ObjectId) -> Root {
        match self.effects.variable_of(object) {
            Some(variable) => Root::Change(self.changes.initial_value(variable)),
            None => Root::Unclear,
        }
    }

    /// A link at an edge of the modified program that leaves a pair.
    pub(super) fn step(
        &self,
        kind: LinkKind,
        from: u32,
        edge: EdgeId,
        object: Option<ObjectId>,
        carrier: Option<ObjectId>,
    ) -> Step {
        // What is returned goes to the result of the call.
        let call = self.stepper.stacks.pop(self.pair(from).0.modified.stack).map(|(call, _)| call);
        let writer = if self.is_return(edge) { call.unwrap_or(edge) } else { edge };
        Step { kind, side: Side::Modified, edge, object, from: carrier, writer }
    }

    pub(super) fn is_return(&self, edge: EdgeId) -> bool {
        matches!(self.comparison.modified.edge(edge).operation, Operation::Return { .. })
    }
}
