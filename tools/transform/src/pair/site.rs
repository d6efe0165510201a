//! A call from outside of the boundary: both versions are called, one after the other in the same state.

use std::collections::BTreeSet;

use program::cfa::{EdgeId, FunctionId, LocationId, Operation, VarId, VarKind};
use program::expr::ExprId;
use program::source::Span;
use program::types::{FunctionType, QualType, Type, TypeId};
use semantics::objects::ObjectKind;

use super::bodies::Bodies;
use super::call::Site;
use super::compare::{Floats, compare, local};
use super::followed::{followed, is_seen};
use super::heads::Given;
use super::writer::Writer;
use super::{Event, PairError, PairedCall};
use crate::editor::plain_function;

/// What a call may write.
#[derive(Debug, Default)]
struct Written {
    /// Objects that both versions share.
    shared: BTreeSet<VarId>,
    /// Objects that each version has of its own, and that were equal at the start.
    own: BTreeSet<(VarId, VarId)>,
    /// Objects that nobody here can name.
    elsewhere: bool,
}

impl Bodies<'_> {
    /// Makes the caller of a function, which is inside, with any arguments.
    pub(super) fn start(&mut self, entry: FunctionId) -> Result<Vec<VarId>, PairError> {
        let callee = self.function(0, entry);
        let mut types: Vec<QualType> = self.editor.parts.functions[callee.index()]
            .parameters
            .iter()
            .map(|parameter| self.editor.parts.variables[parameter.index()].ty)
            .collect();
        let given = types.len();
        let maps = &self.merged.maps;
        let state: Vec<[VarId; 2]> = self.plan.state.iter().map(|(a, b)| [maps[0].variable(*a), maps[1].variable(*b)]).collect();
        types.extend(state.iter().map(|[variable, _]| QualType::plain(self.editor.parts.variables[variable.index()].ty.ty)));
        let void = self.editor.ty(Type::Void);
        let ty = FunctionType { result: QualType::plain(void), parameters: types.clone(), variadic: false, unprototyped: false };
        let ty = self.editor.ty(Type::Function(ty));
        let id = FunctionId::new(self.editor.parts.functions.len());
        self.editor.parts.functions.push(plain_function("__residue_pair", ty));
        let (source, behind, exit) = (self.editor.location_in(id), self.editor.location_in(id), self.editor.location_in(id));
        let mut parameters = Vec::new();
        let mut arguments = Vec::new();
        for (number, ty) in types.into_iter().enumerate() {
            let variable = local(&mut self.editor, id, "argument", ty.ty);
            let kind = VarKind::Parameter(u32::try_from(number).unwrap_or(u32::MAX));
            self.editor.parts.variables[variable.index()].kind = kind;
            parameters.push(variable);
            arguments.push(self.editor.load(variable));
        }
        let values = arguments.split_off(given);
        let function = &mut self.editor.parts.functions[id.index()];
        (function.entry, function.exit) = (Some(source), Some(exit));
        function.parameters.clone_from(&parameters);
        self.editor.parts.entry = id;
        let at = (Span::default(), Span::default());
        self.editor.add(behind, exit, Operation::Return { value: None }, at);
        let mut writer = Writer { editor: &mut self.editor, here: source, at };
        for (variables, value) in state.into_iter().zip(values) {
            variables.into_iter().for_each(|variable| writer.set(variable, value));
        }
        let source = writer.here;
        self.site(&Site { edge: None, callee: entry, source, target: behind, at, arguments, result: None })?;
        Ok(parameters)
    }

    /// Writes one call.
    pub(super) fn site(&mut self, site: &Site) -> Result<(), PairError> {
        let caller = self.editor.parts.locations[site.source.index()].function;
        let outer = self.is_outermost && self.pairing.real_entry() == site.callee;
        let twin = self.pairing.counterpart(site.callee).ok_or(PairError::Grow)?;
        if self.plan.lemma.is_none() && self.plan.summaries.contains(&site.callee) {
            self.any_result(site);
            return Ok(());
        }
        let callees = [self.function(0, site.callee), self.function(1, twin)];
        if self.plan.only.is_some_and(|only| site.edge != Some(only)) {
            self.original_alone(site, callees[0]);
            return Ok(());
        }
        let site = &self.left_to_original(site, callees[0]);
        let types = callees.map(|callee| self.editor.parts.functions[callee.index()].ty);
        if types[0] != types[1] {
            let what = "a function whose type is another one in both versions".to_owned();
            return Err(if outer { PairError::Unsupported(what) } else { PairError::Grow });
        }
        let written = self.written(site, caller);
        if written.elsewhere && !outer {
            return Err(PairError::Grow);
        }
        let kept: Vec<(VarId, [VarId; 2])> = written
            .shared
            .iter()
            .map(|variable| {
                let ty = self.editor.parts.variables[variable.index()].ty.ty;
                (*variable, ["before", "after"].map(|name| local(&mut self.editor, caller, name, ty)))
            })
            .collect();
        let results = self.results(callees[0], caller);
        let mut writer = self.anew(site);
        for (variable, [before, _]) in &kept {
            let value = writer.editor.load(*variable);
            writer.set(*before, value);
        }
        for (first, second) in written.own.iter().filter(|_| !outer) {
            let value = writer.editor.load(*first);
            writer.set(*second, value);
        }
        let here = writer.here;
        let both = if self.plan.in_turns { self.side_by_side(site, here, results, &kept) } else { None };
        let here = both.unwrap_or_else(|| self.in_a_row(site, here, (callees, results), &kept));
        let observed = Compared { kept, own: written.own, results, outer, caller };
        self.judge(site, here, &observed)
    }

    /// Nothing has happened yet in front of a call.
    fn anew(&mut self, site: &Site) -> Writer<'_> {
        let mut writer = Writer { editor: &mut self.editor, here: site.source, at: site.at };
        self.journal.reset(&mut writer);
        for version in self.ended {
            let zero = writer.editor.number(writer.editor.int(), 0);
            writer.set(version.kind, zero);
            writer.set(version.code, zero);
        }
        writer
    }

    /// Leaves a call to the original where its arguments satisfy a condition; what is left of it.
    fn left_to_original(&mut self, site: &Site, callee: FunctionId) -> Site {
        let mut left = site.clone();
        let Some(condition) = self.plan.unless.as_ref().filter(|_| self.plan.only.is_some()) else { return left };
        let parameters = &self.editor.parts.functions[callee.index()].parameters;
        let types: Vec<TypeId> =
            parameters.iter().map(|parameter| self.editor.parts.variables[parameter.index()].ty.ty).collect();
        let condition = condition.of_arguments(&mut self.editor, (&site.arguments, &types));
        let mut writer = Writer { editor: &mut self.editor, here: site.source, at: site.at };
        let others = writer.require(condition);
        let source = writer.here;
        self.original_alone(&Site { source, ..left.clone() }, callee);
        left.source = others;
        left
    }

    /// A call of the original only. If that ends the program, the run ends.
    fn original_alone(&mut self, site: &Site, callee: FunctionId) {
        let (kind, may_end) = (self.ended[0].kind, !self.may_end[0].is_empty());
        let mut writer = self.anew(site);
        writer.then(Operation::Call { callee, arguments: site.arguments.clone(), result: site.result });
        if may_end {
            let (kind, zero) = (writer.editor.load(kind), writer.editor.number(writer.editor.int(), 0));
            let goes_on = writer.editor.equal(kind, zero);
            writer.require(goes_on);
        }
        writer.lead(site.target);
    }

    /// A call of what does the same in both versions.
    fn any_result(&mut self, site: &Site) {
        let mut writer = Writer { editor: &mut self.editor, here: site.source, at: site.at };
        if let Some(variable) = site.result {
            writer.then(Operation::Declare { variable });
        }
        writer.lead(site.target);
    }

    /// Calls the original, then the modified version in the state that the original found.
    fn in_a_row(
        &mut self,
        site: &Site,
        here: LocationId,
        (callees, results): ([FunctionId; 2], Option<[VarId; 2]>),
        kept: &[(VarId, [VarId; 2])],
    ) -> LocationId {
        let Given { here, arguments, later } = self.keep_given(callees, (here, site));
        let call = |side: usize| Operation::Call {
            callee: callees[side],
            arguments: arguments.clone(),
            result: results.map(|results| results[side]),
        };
        let mut writer = Writer { editor: &mut self.editor, here, at: site.at };
        writer.then(call(0));
        for (variable, [before, after]) in kept {
            let (now, then) = (writer.editor.load(*variable), writer.editor.load(*before));
            writer.set(*after, now);
            writer.set(*variable, then);
        }
        for (ghost, value) in later {
            writer.set(ghost, value);
        }
        writer.then(call(1));
        writer.here
    }

    fn results(&mut self, callee: FunctionId, caller: FunctionId) -> Option<[VarId; 2]> {
        let ty = self.editor.parts.functions[callee.index()].ty;
        let Type::Function(ty) = self.editor.parts.types.get(ty) else { return None };
        let result = ty.result.ty;
        let is_void = matches!(self.editor.parts.types.get(result), Type::Void);
        (!is_void).then(|| [0, 1].map(|_| local(&mut self.editor, caller, "result", result)))
    }

    /// Compares what both versions did.
    fn judge(&mut self, site: &Site, here: LocationId, compared: &Compared) -> Result<(), PairError> {
        let Compared { outer, caller, .. } = *compared;
        let relation = self.relation;
        let refuse = |what: &str| {
            if outer { PairError::Unsupported(format!("{what} cannot be compared")) } else { PairError::Grow }
        };
        let pairs = self.places(compared)?;
        // Whoever goes on may look at bits that are no member's.
        let is_taken_apart = |(_, (place, _)): &Named| self.taken_apart.contains(&self.editor.type_of(*place));
        if !outer && pairs.iter().any(is_taken_apart) {
            return Err(PairError::Grow);
        }
        let floats = if outer { Floats::Alike } else { self.inner_floats };
        let (ended, may_end) = (self.ended, self.may_end.iter().any(|functions| !functions.is_empty()));
        let mut writer = Writer { editor: &mut self.editor, here, at: site.at };
        let differs = writer.editor.location_beside(here);
        let events = !outer || relation.events;
        if may_end {
            for (a, b) in [(ended[0].kind, ended[1].kind), (ended[0].code, ended[1].code)] {
                let places = (writer.editor.place(a), writer.editor.place(b));
                compare(&mut writer, caller, places, (floats, differs)).map_err(|_| refuse("how it ends"))?;
            }
            let (kind, zero) = (writer.editor.load(ended[0].kind), writer.editor.number(writer.editor.int(), 0));
            let goes_on = writer.editor.equal(kind, zero);
            let over = writer.require(goes_on);
            let behind = std::mem::replace(&mut writer.here, over);
            // Both have ended the program in the same way; what they did before counts.
            self.journal.compare(&mut writer, (events, false), differs);
            writer.here = behind;
        }
        self.journal.compare(&mut writer, (events, !outer), differs);
        for (name, places) in pairs {
            compare(&mut writer, caller, places, (floats, differs)).map_err(|_| refuse(&name))?;
        }
        if let (Some([first, _]), Some(result)) = (compared.results, site.result) {
            let value = writer.editor.load(first);
            writer.set(result, value);
        }
        writer.lead(site.target);
        let error = self.editor.error_behind(differs, None, site.at);
        self.goals.push((Event::Differs, error));
        self.calls.push(PairedCall { edge: site.edge, callee: site.callee, differs: error });
        Ok(())
    }

    /// The places that have to be equal, with names for people.
    fn places(&mut self, compared: &Compared) -> Result<Vec<Named>, PairError> {
        let (outer, relation) = (compared.outer, self.relation);
        let followed = if outer { self.followed() } else { BTreeSet::new() };
        let mut pairs = Vec::new();
        if let Some([a, b]) = compared.results.filter(|_| !outer || relation.returned) {
            pairs.push(("the result".to_owned(), (self.editor.place(a), self.editor.place(b))));
        }
        for (variable, [_, after]) in &compared.kept {
            let known = &self.editor.parts.variables[variable.index()];
            let counts = if known.is_automatic() { relation.memory } else { relation.globals && is_seen(known) };
            if !outer || counts || followed.contains(variable) {
                let name = known.name.to_string();
                pairs.push((name, (self.editor.place(*after), self.editor.place(*variable))));
            }
        }
        for (a, b) in compared.own.iter().filter(|(a, _)| !outer || followed.contains(a)) {
            pairs.push((String::new(), (self.editor.place(*a), self.editor.place(*b))));
        }
        if outer && relation.globals {
            for (name, a, b) in self.other_globals() {
                let (a, b) = (self.editor.place(a), self.editor.place(b));
                if self.editor.type_of(a) != self.editor.type_of(b) {
                    return Err(PairError::Unsupported(format!("{name} has another type, and cannot be compared")));
                }
                pairs.push((name, (a, b)));
            }
        }
        Ok(pairs)
    }

    /// Private objects that can still be seen at the end, of both versions.
    fn followed(&self) -> BTreeSet<VarId> {
        let of = |side: usize| followed(self.pairing, side, self.relation).into_iter().map(move |id| (side, id));
        (0..2).flat_map(of).map(|(side, id)| self.merged.maps[side].variable(id)).collect()
    }

    /// Globals that both programs define, and that are two objects here.
    fn other_globals(&self) -> Vec<(String, VarId, VarId)> {
        let mut found = Vec::new();
        for id in self.pairing.original.variable_ids() {
            let one = self.pairing.original.variable(id);
            let same = |other: &VarId| self.pairing.modified.variable(*other).name == one.name;
            if !is_seen(one) {
                continue;
            }
            let others = self.pairing.modified.variable_ids().filter(|other| is_seen(self.pairing.modified.variable(*other)));
            if let Some(other) = others.into_iter().find(same) {
                let (a, b) = (self.merged.maps[0].variable(id), self.merged.maps[1].variable(other));
                if a != b {
                    found.push((one.name.to_string(), a, b));
                }
            }
        }
        found
    }

    /// What a call may write in either version.
    fn written(&self, site: &Site, caller: FunctionId) -> Written {
        let mut written = Written::default();
        for side in 0..2 {
            let cfa = self.pairing.cfa(side);
            let footprint = &self.footprints[side];
            let own_edge = site.edge.and_then(|edge| self.own_edge(side, edge));
            let mods = match own_edge {
                Some(edge) => footprint.effects.whole_call(cfa, edge).mods,
                None if self.plan.lemma.is_some() => {
                    let callee = if side == 0 { Some(site.callee) } else { self.pairing.counterpart(site.callee) };
                    callee.map(|callee| footprint.effects.summary(callee).mods.clone()).unwrap_or_default()
                }
                None => footprint.effects.summary(cfa.entry).mods.clone(),
            };
            for object in mods.iter() {
                let variable = match footprint.facts.objects().get(object).kind {
                    ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. } => variable,
                    ObjectKind::External | ObjectKind::Heap { .. } => {
                        written.elsewhere = true;
                        continue;
                    }
                };
                self.note(&mut written, side, variable, (site, caller));
            }
        }
        written
    }

    /// The edge of a version that an edge of the original is.
    fn own_edge(&self, side: usize, edge: EdgeId) -> Option<EdgeId> {
        if side == 0 {
            return Some(edge);
        }
        let original = self.pairing.original;
        let function = original.location(original.edge(edge).source).function;
        self.pairing.edges(function).iter().find(|(own, _)| *own == edge).map(|(_, twin)| *twin)
    }

    fn note(&self, written: &mut Written, side: usize, variable: VarId, (site, caller): (&Site, FunctionId)) {
        let known = self.pairing.cfa(side).variable(variable);
        let merged = self.merged.maps[side].variable(variable);
        let inside = if side == 0 { &self.plan.original } else { &self.plan.modified };
        if known.is_automatic() {
            let owner = known.function;
            let is_result = site.result == Some(merged) && !known.address_taken;
            if owner.is_some_and(|owner| inside.contains(&owner)) || is_result {
                return;
            }
            if owner.map(|owner| self.function(side, owner)) == Some(caller) {
                written.shared.insert(merged);
            } else {
                written.elsewhere = true;
            }
            return;
        }
        let correspondence = self.pairing.comparison.correspondence();
        let twin = if side == 0 { correspondence.content_back(variable) } else { correspondence.content(variable) };
        let Some(twin) = twin.filter(|_| !self.plan.is_own(side, variable)) else { return };
        let other = self.merged.maps[1 - side].variable(twin);
        if other == merged {
            written.shared.insert(merged);
            return;
        }
        let pair = if side == 0 { (merged, other) } else { (other, merged) };
        let types = [pair.0, pair.1].map(|id| self.editor.parts.variables[id.index()].ty.ty);
        if types[0] == types[1] {
            written.own.insert(pair);
        }
    }
}

/// Two places that have to be equal, with a name for people.
type Named = (String, (ExprId, ExprId));

/// What is compared behind a call.
struct Compared {
    kept: Vec<(VarId, [VarId; 2])>,
    own: BTreeSet<(VarId, VarId)>,
    results: Option<[VarId; 2]>,
    outer: bool,
    caller: FunctionId,
}
