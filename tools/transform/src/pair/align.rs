//! Both versions of a function side by side, in the place of a call: in front of loop heads one waits for the other.
//!
//! The original runs to its next loop head, then the modified version to its own, and so on, so that one iteration of both is
//! between two states that can be compared. Objects that both may write are exchanged whenever the turn changes. Who goes on
//! decides nothing but what can be proved: each version does all that it does alone, in its own state.

use std::collections::BTreeMap;

use program::cfa::{Cfa, FunctionId, LocationId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use semantics::loops::{Loop, Loops};

use super::Meeting;
use super::bodies::{Bodies, Mode};
use super::call::Site;
use super::checks::{flags, unset};
use super::writer::Writer;
use crate::merge::mapped;

/// Locations of both versions together, beyond which they are not put side by side.
const MOST: usize = 6000;

/// One version.
struct Lane<'a> {
    cfa: &'a Cfa,
    function: FunctionId,
    entry: LocationId,
    exit: LocationId,
    /// In reverse post-order of their heads: outer ones first.
    loops: Vec<Loop>,
    locations: usize,
}

/// Where both versions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Both wait; the objects that both write hold the state of the version with this number.
    Waiting { at: [LocationId; 2], holder: usize },
    /// The original has arrived, and now it is the turn of the other.
    Turn([LocationId; 2]),
    /// One of them runs.
    Running { side: usize, at: [LocationId; 2], in_turns: bool },
}

/// Who goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Both,
    Only(usize),
    Nobody,
}

/// What is known while both versions of a call are written.
struct Weft<'a> {
    lanes: [Lane<'a>; 2],
    flags: [BTreeMap<VarId, VarId>; 2],
    kept: &'a [(VarId, [VarId; 2])],
    places: BTreeMap<Place, LocationId>,
    pending: Vec<Place>,
    beside: LocationId,
    results: Option<[VarId; 2]>,
    /// Where both are at the same loop, and where it goes on.
    meetings: Vec<(LocationId, LocationId)>,
    /// Parameters that are given constants keep them, as a rule.
    constants: Vec<ExprId>,
}

impl<'a> Lane<'a> {
    fn new(cfa: &'a Cfa, loops: &Loops, function: FunctionId) -> Option<Self> {
        let known = cfa.function(function);
        let loops: Vec<Loop> = loops.of_function(function).cloned().collect();
        let locations = cfa.locations.iter().filter(|location| location.function == function).count();
        (!loops.is_empty()).then_some(Self { cfa, function, entry: known.entry?, exit: known.exit?, loops, locations })
    }

    fn rank(&self, location: LocationId) -> Option<usize> {
        self.loops.iter().position(|known| known.head == location)
    }

    fn waits_at(&self, location: LocationId) -> bool {
        location == self.exit || self.rank(location).is_some()
    }
}

impl Weft<'_> {
    /// Who goes on: both where they are at the same loop, else the one that is behind, or in an inner loop.
    fn next(&self, at: [LocationId; 2]) -> Next {
        match (self.lanes[0].rank(at[0]), self.lanes[1].rank(at[1])) {
            (None, None) => Next::Nobody,
            (Some(_), None) => Next::Only(0),
            (None, Some(_)) => Next::Only(1),
            (Some(a), Some(b)) if a == b => Next::Both,
            (Some(a), Some(b)) => {
                let (outer, inner, deeper) = if a < b { (a, b, 1) } else { (b, a, 0) };
                let is_inside = |lane: &Lane<'_>| {
                    let inner = lane.loops.get(inner).map(|inner| inner.head);
                    inner.is_some_and(|head| lane.loops.get(outer).is_some_and(|outer| outer.contains(head)))
                };
                Next::Only(if is_inside(&self.lanes[deeper]) { deeper } else { 1 - deeper })
            }
        }
    }

    /// Which state the common objects hold, if there are any.
    fn holder(&self, side: usize) -> usize {
        if self.kept.is_empty() { 0 } else { side }
    }
}

impl Bodies<'_> {
    /// Writes both versions of a call side by side; the location behind both. `None` if not both have loops.
    pub(super) fn side_by_side(
        &mut self,
        site: &Site,
        here: LocationId,
        results: Option<[VarId; 2]>,
        kept: &[(VarId, [VarId; 2])],
    ) -> Option<LocationId> {
        let functions = [site.callee, self.pairing.counterpart(site.callee)?];
        let lane = |side: usize| Lane::new(self.pairing.cfa(side), &self.loops[side], functions[side]);
        let lanes = [lane(0)?, lane(1)?];
        let fits = lanes.iter().all(|lane| lane.cfa.function(lane.function).parameters.len() == site.arguments.len());
        if !fits || lanes[0].locations * (lanes[1].loops.len() + 2) + lanes[1].locations * (lanes[0].loops.len() + 2) > MOST {
            return None;
        }
        let caller = self.editor.parts.locations[here.index()].function;
        let known = [0, 1].map(|side| self.owned(side, functions[side], caller));
        let (start, flags) = self.entered(&lanes, (site, here, caller), results);
        let (places, pending, meetings) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut weft = Weft { lanes, flags, kept, places, pending, beside: here, results, meetings, constants: Vec::new() };
        weft.constants = self.constants(&weft.lanes, site);
        let at = [weft.lanes[0].entry, weft.lanes[1].entry];
        let running = self.place(&mut weft, Place::Running { side: 0, at, in_turns: true });
        self.editor.add(start, running, Operation::Blank, site.at);
        let end = self.editor.location_beside(here);
        while let Some(place) = weft.pending.pop() {
            match place {
                Place::Waiting { at, holder } => self.waiting(&mut weft, (at, holder), site, end),
                Place::Turn(at) => {
                    let here = self.place(&mut weft, place);
                    let mut writer = Writer { editor: &mut self.editor, here, at: site.at };
                    exchange(&mut writer, kept, 1);
                    let here = writer.here;
                    // Not where it goes on alone: that is a loop of its own, to which the last turn does not come. Each
                    // place that reads inputs has to find out which are next, so then there is one.
                    let in_turns = self.journal.counts().is_empty();
                    let next = self.place(&mut weft, Place::Running { side: 1, at, in_turns });
                    self.editor.add(here, next, Operation::Blank, site.at);
                }
                Place::Running { side, at, in_turns } => self.running(&mut weft, (side, at, in_turns)),
            }
        }
        for (here, next) in std::mem::take(&mut weft.meetings) {
            let mut writer = Writer { editor: &mut self.editor, here, at: site.at };
            self.journal.realign(&mut writer);
            writer.lead(next);
        }
        for (side, (variables, exprs)) in known.into_iter().enumerate() {
            self.merged.maps[side].variables = variables;
            self.merged.maps[side].exprs = exprs;
        }
        self.is_in_turns = true;
        Some(end)
    }

    /// Copies the variables of a function for this call; what their names stood for before.
    fn owned(&mut self, side: usize, function: FunctionId, caller: FunctionId) -> (Vec<VarId>, Vec<ExprId>) {
        let cfa = self.pairing.cfa(side);
        let maps = &mut self.merged.maps[side];
        let known = (maps.variables.clone(), maps.exprs.clone());
        let parts = &mut self.editor.parts;
        let is_own = |id: VarId| cfa.variable(id).function == Some(function) && cfa.variable(id).is_automatic();
        for id in cfa.variable_ids().filter(|id| is_own(*id)) {
            let mut copy = parts.variables[maps.variable(id).index()].clone();
            copy.name = format!("{}__{}", copy.name, parts.variables.len()).into();
            copy.function = Some(caller);
            if matches!(copy.kind, VarKind::Parameter(_)) {
                copy.kind = VarKind::Local;
            }
            parts.variables.push(copy);
            maps.variables[id.index()] = VarId::new(parts.variables.len() - 1);
        }
        for id in cfa.exprs.ids() {
            let expr = match *cfa.exprs.get(id) {
                Expr::Variable(variable) if is_own(variable) => Expr::Variable(maps.variable(variable)),
                Expr::Variable(_) | Expr::FunctionAddress(_) => continue,
                ref expr => mapped(expr, |operand| maps.exprs[operand.index()]),
            };
            let ty = parts.exprs.ty(maps.exprs[id.index()]);
            maps.exprs[id.index()] = parts.exprs.intern(expr, ty);
        }
        known
    }

    /// Gives both versions their arguments, and variables that hold nothing yet.
    fn entered(
        &mut self,
        lanes: &[Lane<'_>; 2],
        (site, here, caller): (&Site, LocationId, FunctionId),
        results: Option<[VarId; 2]>,
    ) -> (LocationId, [BTreeMap<VarId, VarId>; 2]) {
        let mut here = here;
        let flags = [0, 1].map(|side| {
            let Lane { cfa, function, .. } = lanes[side];
            let variable = |id: VarId| self.merged.maps[side].variable(id);
            let open: Vec<VarId> = unset(cfa, function).into_iter().map(variable).collect();
            let parameters: Vec<VarId> = cfa.function(function).parameters.iter().map(|id| variable(*id)).collect();
            let own: Vec<VarId> =
                cfa.variable_ids().filter(|id| cfa.variable(*id).function == Some(function)).map(variable).collect();
            let flags = flags(&mut self.editor, caller, open.into_iter());
            let mut writer = Writer { editor: &mut self.editor, here, at: site.at };
            for variable in own.into_iter().chain(results.map(|results| results[side])) {
                let known = &writer.editor.parts.variables[variable.index()];
                let is_scalar = super::compare::is_scalar(writer.editor.parts.types.get(known.ty.ty));
                if is_scalar && known.is_automatic() && !parameters.contains(&variable) {
                    writer.then(Operation::Declare { variable });
                }
            }
            for (parameter, argument) in parameters.iter().zip(&site.arguments) {
                writer.set(*parameter, *argument);
            }
            for flag in flags.values() {
                let zero = writer.editor.number(writer.editor.int(), 0);
                writer.set(*flag, zero);
            }
            here = writer.here;
            flags
        });
        (here, flags)
    }

    fn constants(&mut self, lanes: &[Lane<'_>; 2], site: &Site) -> Vec<ExprId> {
        let mut found = Vec::new();
        for (side, lane) in lanes.iter().enumerate() {
            for (parameter, argument) in lane.cfa.function(lane.function).parameters.iter().zip(&site.arguments) {
                let value = self.editor.load(self.merged.maps[side].variable(*parameter));
                if self.is_constant(*argument) && self.editor.type_of(value) == self.editor.type_of(*argument) {
                    found.push(self.editor.equal(value, *argument));
                }
            }
        }
        found
    }

    fn place(&mut self, weft: &mut Weft<'_>, place: Place) -> LocationId {
        if let Some(known) = weft.places.get(&place) {
            return *known;
        }
        let location = self.editor.location_beside(weft.beside);
        weft.places.insert(place, location);
        weft.pending.push(place);
        location
    }

    fn waiting(&mut self, weft: &mut Weft<'_>, (at, holder): ([LocationId; 2], usize), site: &Site, end: LocationId) {
        let here = self.place(weft, Place::Waiting { at, holder });
        let next = weft.next(at);
        let turn = match next {
            Next::Both => 0,
            Next::Only(side) => side,
            Next::Nobody => 1,
        };
        match next {
            Next::Both => self.meet(weft, here),
            // As a rule one does not go on without the other.
            Next::Only(_) => {
                let int = self.editor.int();
                let (zero, one) = (self.editor.number(int, 0), self.editor.number(int, 1));
                let never = self.editor.equal(zero, one);
                self.meetings.push(Meeting { at: here, variables: Vec::new(), known: vec![never] });
            }
            Next::Nobody => {}
        }
        let mut writer = Writer { editor: &mut self.editor, here, at: site.at };
        if weft.holder(turn) != holder {
            exchange(&mut writer, weft.kept, turn);
        }
        let here = writer.here;
        if next == Next::Nobody {
            self.editor.add(here, end, Operation::Blank, site.at);
            return;
        }
        let running = self.place(weft, Place::Running { side: turn, at, in_turns: next == Next::Both });
        if next == Next::Both {
            weft.meetings.push((here, running));
        } else {
            self.editor.add(here, running, Operation::Blank, site.at);
        }
    }

    /// Notes what there is where both are at the same loop: variables that one name stands for may be equal.
    fn meet(&mut self, weft: &Weft<'_>, here: LocationId) {
        let own = |lane: &Lane<'_>, id: &VarId| {
            let variable = lane.cfa.variable(*id);
            variable.function == Some(lane.function) && variable.is_automatic()
        };
        let mut meeting = Meeting { at: here, variables: Vec::new(), known: weft.constants.clone() };
        for (side, lane) in weft.lanes.iter().enumerate() {
            let own = lane.cfa.variable_ids().filter(|id| own(lane, id));
            meeting.variables.extend(own.map(|id| self.merged.maps[side].variable(id)));
        }
        let [a, b] = &weft.lanes;
        for id in a.cfa.variable_ids().filter(|id| own(a, id)) {
            let name = &a.cfa.variable(id).name;
            let twin = b.cfa.variable_ids().find(|twin| own(b, twin) && b.cfa.variable(*twin).name == *name);
            let Some(twin) = twin else { continue };
            let both = [self.merged.maps[0].variable(id), self.merged.maps[1].variable(twin)];
            meeting.known.extend(self.same(both));
        }
        for (variable, [before, after]) in weft.kept {
            for other in [before, after] {
                meeting.known.extend(self.same([*variable, *other]));
            }
            meeting.variables.extend([*variable, *before, *after]);
        }
        self.meetings.push(meeting);
    }

    /// Whether two scalars of one type are equal.
    fn same(&mut self, both: [VarId; 2]) -> Option<ExprId> {
        let [x, y] = both.map(|variable| self.editor.load(variable));
        let ty = self.editor.type_of(x);
        let is_scalar = super::compare::is_scalar(self.editor.parts.types.get(ty));
        (ty == self.editor.type_of(y) && is_scalar).then(|| self.editor.equal(x, y))
    }

    /// Whether an expression has the same value everywhere.
    fn is_constant(&self, expr: ExprId) -> bool {
        match *self.editor.parts.exprs.get(expr) {
            Expr::Int(_) | Expr::FunctionAddress(_) => true,
            Expr::AddressOf(place) => matches!(*self.editor.parts.exprs.get(place), Expr::Variable(_)),
            Expr::Cast(inner) => self.is_constant(inner),
            _ => false,
        }
    }

    fn running(&mut self, weft: &mut Weft<'_>, (side, at, in_turns): (usize, [LocationId; 2], bool)) {
        let cfa = weft.lanes[side].cfa;
        let here = self.place(weft, Place::Running { side, at, in_turns });
        let edges = cfa.out_edges(at[side]);
        let Some(first) = edges.first() else { return };
        let spans = self.spans(side, *first);
        let source = self.checked(side, (here, edges), &weft.flags[side], spans);
        let exit = self.arrived(weft, (side, at, in_turns), weft.lanes[side].exit);
        for edge in edges {
            let target = self.arrived(weft, (side, at, in_turns), cfa.edge(*edge).target);
            let target = self.noted(side, *edge, target, &weft.flags[side]);
            let before = self.editor.parts.edges.len();
            self.edge(side, (*edge, source, target, exit), Mode::Copy(side));
            for index in before..self.editor.parts.edges.len() {
                let Operation::Return { value } = self.editor.parts.edges[index].operation else { continue };
                let place = weft.results.map(|results| self.editor.place(results[side]));
                self.editor.parts.edges[index].operation = match (place, value) {
                    (Some(place), Some(value)) => Operation::Assign { place, value },
                    _ => Operation::Blank,
                };
            }
        }
    }

    /// Where a version that runs comes to.
    fn arrived(
        &mut self,
        weft: &mut Weft<'_>,
        (side, at, in_turns): (usize, [LocationId; 2], bool),
        target: LocationId,
    ) -> LocationId {
        let mut at = at;
        at[side] = target;
        let place = match (weft.lanes[side].waits_at(target), side == 0 && in_turns) {
            (false, _) => Place::Running { side, at, in_turns },
            (true, true) => Place::Turn(at),
            (true, false) => Place::Waiting { at, holder: weft.holder(side) },
        };
        self.place(weft, place)
    }
}

/// Takes the state of one version away from the objects that both write, and brings that of the other, whose turn it is.
fn exchange(writer: &mut Writer<'_>, kept: &[(VarId, [VarId; 2])], turn: usize) {
    for (variable, [before, after]) in kept {
        let (from, to) = if turn == 1 { (after, before) } else { (before, after) };
        let (now, other) = (writer.editor.load(*variable), writer.editor.load(*to));
        writer.set(*from, now);
        writer.set(*variable, other);
    }
}
