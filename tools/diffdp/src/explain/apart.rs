//! Why the two programs are not at the same place: the branching, call or obstacle at which they parted.

use formats::explanation::LinkKind;
use program::cfa::{EdgeId, LocationId, Operation};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

use super::trace::{Chain, Root, Tracer};
use crate::step::Partner;

impl Tracer<'_, '_> {
    /// Goes back from a pair, along the steps by which the search first came there, to where both programs last did the
    /// same; what the modified program decided alone right behind it is where they parted. `last` is a step from the pair.
    pub(super) fn apart(&mut self, pair: u32, last: Option<EdgeId>, chain: &mut Chain) -> Root {
        let (mut parted, mut added) = (None, None);
        let mut step = last.map(|edge| (pair, edge, u32::MAX));
        let mut at = pair;
        loop {
            if let Some((from, edge, arrival)) = step {
                let v = self.trail.before(from, arrival);
                match self.stepper.step(self.pair(from).0, &v, &self.known(from), edge).partner {
                    Some(partner) if self.in_step(from, edge, partner) => {
                        added = added.or(self.is_changed(edge).then_some(edge));
                        break;
                    }
                    Some(_) | None if self.decides(edge) => parted = Some((from, edge, arrival)),
                    Some(_) | None => added = if self.is_changed(edge) { Some(edge) } else { added },
                }
                at = from;
            }
            let Some(arrival) = self.trail.discovery(at) else { break };
            step = self.trail.get(arrival).via.map(|(from, edge)| (from, edge, arrival));
            if step.is_none() {
                break;
            }
        }
        let root = match parted {
            Some((from, edge, arrival)) => self.parting(from, edge, arrival, chain),
            None => self.obstacle(pair),
        };
        match (root, added) {
            (Root::Unclear, Some(edge)) => Root::Change(self.changed(edge)),
            (root, _) => root,
        }
    }

    /// Whether both programs make the step they were aligned to make together, behind calls they were aligned to make.
    fn in_step(&self, from: u32, edge: EdgeId, partner: Partner) -> bool {
        let aligned = |m: EdgeId, o: EdgeId| self.alignment.of(m) == Some(o);
        let mine = self.stepper.stacks.calls(self.pair(from).0.modified.stack);
        let theirs = self.stepper.walker.stacks.calls(partner.from.stack);
        partner.edge.is_some_and(|o| aligned(edge, o)) && mine.zip(theirs).all(|(m, o)| aligned(m, o))
    }

    /// Whether a step decides what is executed next.
    fn decides(&self, edge: EdgeId) -> bool {
        let program = self.comparison.modified;
        matches!(program.edge(edge).operation, Operation::Assume { .. }) || program.entered_callee(edge).is_some()
    }

    fn is_changed(&self, edge: EdgeId) -> bool {
        let blank = matches!(self.comparison.modified.edge(edge).operation, Operation::Blank | Operation::Declare { .. });
        !blank && !self.alignment.of(edge).is_some_and(|o| self.comparison.identical(edge, o))
    }

    /// Why the original waits at a branching or a call.
    fn parting(&mut self, from: u32, edge: EdgeId, arrival: u32, chain: &mut Chain) -> Root {
        let v = self.trail.before(from, arrival);
        let is_assume = matches!(self.comparison.modified.edge(edge).operation, Operation::Assume { .. });
        let length = chain.len();
        if is_assume
            && let Some((original, objects, point)) = self.stepper.blocked(self.pair(from).0, &v, &self.known(from), edge)
        {
            for object in objects.iter() {
                chain.push(self.step(LinkKind::Decides, from, edge, None, Some(object)));
                match self.affected_before(from, Some(point), object, arrival, chain) {
                    Root::Unclear => chain.truncate(length),
                    root @ Root::Change(_) => return root,
                }
            }
            chain.push(self.step(LinkKind::Decides, from, edge, None, None));
            return self.foreign(edge, original);
        }
        chain.push(self.step(LinkKind::Decides, from, edge, None, None));
        match self.alignment.of(edge) {
            None => Root::Change(self.changes.inserted(edge)),
            Some(original) if !self.comparison.identical(edge, original) => Root::Change(self.changes.replaced(edge, original)),
            Some(_) => self.obstacle(from),
        }
    }

    /// What the original, walked on from a pair, does not get past: if the modified program does not have it, or has
    /// something else in its place, that is the change.
    fn obstacle(&mut self, pair: u32) -> Root {
        let original = self.pair(pair).0.original;
        let stop = self.stepper.walker.steps(original, None).last().map_or(original, |(_, to, _)| *to);
        for &edge in self.comparison.original.out_edges(stop.location) {
            match self.became[edge.index()] {
                None => return Root::Change(self.changes.deleted(edge)),
                Some(modified) if !self.comparison.identical(modified, edge) => {
                    return Root::Change(self.changes.replaced(modified, edge));
                }
                Some(_) => {}
            }
        }
        Root::Unclear
    }

    /// What leads from a location to the nearest violation and is not in the original: the call or condition behind which
    /// it is, or the violation itself.
    pub(super) fn new_error(&mut self, from: LocationId) -> Root {
        let Some((error, path)) = self.nearest_error(from) else { return Root::Unclear };
        match path.into_iter().find(|edge| self.decides(*edge) && self.is_changed(*edge)) {
            Some(edge) => Root::Change(self.changed(edge)),
            None if self.is_changed(error) => Root::Change(self.changed(error)),
            None => Root::Unclear,
        }
    }

    /// The nearest violation behind a location, as one that the original has elsewhere.
    pub(super) fn moved_error(&mut self, from: LocationId) -> Root {
        match self.nearest_error(from).and_then(|(edge, _)| Some((edge, self.alignment.of(edge)?))) {
            Some((edge, original)) => Root::Change(self.changes.moved(edge, original)),
            None => Root::Unclear,
        }
    }

    /// An operation of the modified program, inserted or made of another one.
    fn changed(&mut self, edge: EdgeId) -> u32 {
        match self.alignment.of(edge) {
            Some(original) => self.changes.replaced(edge, original),
            None => self.changes.inserted(edge),
        }
    }

    /// The nearest edge to an error location, and the edges on the way there.
    fn nearest_error(&self, from: LocationId) -> Option<(EdgeId, Vec<EdgeId>)> {
        let program = self.comparison.modified;
        let mut pending = VecDeque::from([from]);
        let mut via: FxHashMap<LocationId, Option<EdgeId>> = FxHashMap::default();
        via.insert(from, None);
        while let Some(location) = pending.pop_front() {
            for &edge in program.out_edges(location) {
                let target = program.edge(edge).target;
                if program.location(target).is_error {
                    let back = |edge: &EdgeId| via.get(&program.edge(*edge).source).copied().flatten();
                    let mut path: Vec<EdgeId> = std::iter::successors(back(&edge), back).collect();
                    path.reverse();
                    return Some((edge, path));
                }
                let entry = program.entered_callee(edge).and_then(|callee| program.function(callee).entry);
                for next in entry.into_iter().chain([target]) {
                    via.entry(next).or_insert_with(|| {
                        pending.push_back(next);
                        Some(edge)
                    });
                }
            }
        }
        None
    }
}
