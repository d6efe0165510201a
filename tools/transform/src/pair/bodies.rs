//! The functions of a pair: those inside the boundary twice, the others once.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId};
use program::known::Handlers;
use program::source::Span;
use program::types::{QualType, Type, TypeId};
use rustc_hash::FxHashMap;
use semantics::effects::Effects;
use semantics::facts::Facts;
use semantics::float_views::sees_bits_of_floats;
use semantics::loops::Loops;

use super::call::Site;
use super::checks::{conversions, flags, reads, require_fit, unset};
use super::compare::{Floats, local};
use super::external::{External, Leaving, external, leaving};
use super::journal::{Journal, Outside};
use super::padding::looked_at;
use super::parts::{reachable, values};
use super::plan::Plan;
use super::writer::Writer;
use super::{Event, Functions, Meeting, Pair, PairError, PairedCall, Pairing, Relation};
use crate::editor::Editor;
use crate::merge::Merged;

/// Which copy of a function is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The one for both programs.
    Shared,
    /// That of a version.
    Copy(usize),
}

/// How a version ended the program: kind and code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) kind: VarId,
    pub(super) code: VarId,
}

/// What the calls of a program read and write.
pub(super) struct Footprint<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) effects: Effects,
}

impl<'a> Footprint<'a> {
    pub(super) fn new(cfa: &'a Cfa) -> Self {
        let facts = Facts::new(cfa);
        let effects = Effects::new(cfa, facts.calls(), facts.objects(), facts.points_to());
        Self { facts, effects }
    }
}

/// A pair while it is made.
pub(super) struct Bodies<'a> {
    pub(super) pairing: &'a Pairing<'a>,
    pub(super) plan: &'a Plan,
    pub(super) relation: Relation,
    pub(super) merged: Merged,
    pub(super) editor: Editor,
    pub(super) journal: Journal,
    pub(super) ended: [Ended; 2],
    /// Functions that may end the program, by version.
    pub(super) may_end: [Functions; 2],
    pub(super) footprints: [Footprint<'a>; 2],
    /// Types of objects in which somebody looks at bytes that are no member's.
    pub(super) taken_apart: BTreeSet<TypeId>,
    /// When floats are the same for what goes on with one of them.
    pub(super) inner_floats: Floats,
    pub(super) is_outermost: bool,
    pub(super) goals: Vec<(Event, LocationId)>,
    pub(super) calls: Vec<PairedCall>,
    pub(super) loops: [Loops; 2],
    pub(super) meetings: Vec<Meeting>,
    pub(super) heads: Vec<Meeting>,
    /// What functions were given that change it, by parameter.
    pub(super) given: BTreeMap<(FunctionId, usize), VarId>,
    pub(super) is_in_turns: bool,
    sites: Vec<Site>,
    differs: BTreeMap<FunctionId, LocationId>,
    undefined: BTreeMap<FunctionId, LocationId>,
}

impl<'a> Bodies<'a> {
    pub(super) fn new(pairing: &'a Pairing<'a>, plan: &'a Plan, relation: Relation, merged: Merged, mut editor: Editor) -> Self {
        let int = QualType::plain(editor.int());
        let mut ended = || Ended { kind: editor.ghost("ended", int), code: editor.ghost("code", int) };
        let ended = [ended(), ended()];
        let may_end = [(pairing.original, &plan.original), (pairing.modified, &plan.modified)].map(|(cfa, inside)| {
            let ends = |function: &FunctionId| {
                let own = reachable(cfa, [*function]);
                let mut edges = cfa.edge_ids().filter(|edge| own.contains(&cfa.location(cfa.edge(*edge).source).function));
                edges.any(|edge| leaving(cfa, edge).is_some_and(|leaving| !matches!(leaving, Leaving::Undefined(_))))
            };
            inside.iter().copied().filter(|function| ends(function)).collect()
        });
        let journal = Journal::new(&mut editor);
        let footprints = [Footprint::new(pairing.original), Footprint::new(pairing.modified)];
        let taken_apart = (0..2).flat_map(|side| looked_at(&footprints[side].facts).into_iter().map(move |id| (side, id)));
        let taken_apart =
            taken_apart.map(|(side, id)| editor.parts.variables[merged.maps[side].variable(id).index()].ty.ty).collect();
        let sees_bits = [pairing.original, pairing.modified].into_iter().any(|cfa| sees_bits_of_floats(cfa, |_| false));
        let real = pairing.real_entry();
        Self {
            pairing,
            plan,
            relation,
            merged,
            journal,
            ended,
            may_end,
            footprints,
            taken_apart,
            inner_floats: if sees_bits { Floats::Exactly } else { Floats::Alike },
            is_outermost: plan.lemma.is_none() && plan.original.contains(&real),
            goals: Vec::new(),
            calls: Vec::new(),
            loops: [Loops::new(pairing.original), Loops::new(pairing.modified)],
            meetings: Vec::new(),
            heads: Vec::new(),
            given: BTreeMap::new(),
            is_in_turns: false,
            sites: Vec::new(),
            differs: BTreeMap::new(),
            undefined: BTreeMap::new(),
            editor,
        }
    }

    pub(super) fn build(mut self) -> Result<Pair, PairError> {
        let (original, modified) = (self.pairing.original, self.pairing.modified);
        if self.is_outermost && self.writes_elsewhere() {
            return Err(PairError::Unsupported("a write to memory that is no object of the program".to_owned()));
        }
        // What a lemma is about may be called by nobody here, but by code outside.
        let lemma = [self.plan.lemma, self.plan.lemma.and_then(|function| self.pairing.counterpart(function))];
        let inside = [
            reachable_inside(original, lemma[0], &self.plan.original),
            reachable_inside(modified, lemma[1], &self.plan.modified),
        ];
        for function in &inside[0] {
            self.body(0, *function, Mode::Copy(0));
        }
        for function in &inside[1] {
            self.body(1, *function, Mode::Copy(1));
        }
        for function in reachable(original, [original.entry]).difference(&self.plan.original) {
            if self.plan.lemma.is_none() {
                self.body(0, *function, Mode::Shared);
            }
        }
        let mut parameters = Vec::new();
        let entry = original.entry;
        if let Some(function) = self.plan.lemma {
            parameters = self.start(function)?;
        } else if self.plan.original.contains(&entry) {
            if self.pairing.counterpart(entry) != Some(modified.entry) {
                return Err(PairError::Unsupported("the entry function has another type".to_owned()));
            }
            parameters = self.start(entry)?;
        } else {
            self.editor.parts.entry = self.function(0, entry);
        }
        for site in std::mem::take(&mut self.sites) {
            self.site(&site)?;
        }
        let mut assumptions = original.assumptions.clone();
        assumptions.extend(modified.assumptions.iter().cloned());
        assumptions.sort();
        assumptions.dedup();
        self.editor.assumptions = assumptions;
        let counts = self.journal.counts();
        self.meetings.iter_mut().for_each(|meeting| meeting.variables.extend(&counts));
        let Self { goals, calls, is_outermost, meetings, heads, is_in_turns, editor, .. } = self;
        Ok(Pair { recast: editor.finish(), goals, calls, is_outermost, parameters, meetings, heads, is_in_turns })
    }

    pub(super) fn function(&self, side: usize, own: FunctionId) -> FunctionId {
        self.merged.maps[side].functions[own.index()]
    }

    fn body(&mut self, side: usize, own: FunctionId, mode: Mode) {
        let cfa = self.pairing.cfa(side);
        let function = self.function(side, own);
        let (Some(entry), Some(exit)) = (cfa.function(own).entry, cfa.function(own).exit) else { return };
        let mut places: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        let mut pending = vec![entry];
        let mut order = Vec::new();
        for location in [entry, exit] {
            let new = self.editor.location_in(function);
            places.entry(location).or_insert(new);
        }
        while let Some(location) = pending.pop() {
            order.push(location);
            for edge in cfa.out_edges(location) {
                let target = cfa.edge(*edge).target;
                if let Entry::Vacant(place) = places.entry(target) {
                    place.insert(self.editor.location_in(function));
                    pending.push(target);
                }
            }
        }
        let flags = match mode {
            Mode::Copy(_) => {
                let variables = unset(cfa, own).into_iter().map(|variable| self.merged.maps[side].variable(variable));
                flags(&mut self.editor, function, variables.collect::<Vec<_>>().into_iter())
            }
            Mode::Shared => BTreeMap::new(),
        };
        let begin = self.begin(&flags, places[&entry]);
        if let Mode::Copy(_) = mode {
            self.heads(side, own, &places);
        }
        let known = &mut self.editor.parts.functions[function.index()];
        (known.entry, known.exit) = (Some(begin), Some(places[&exit]));
        for location in order {
            let edges = cfa.out_edges(location);
            let source = match (mode, edges.first()) {
                (Mode::Copy(version), Some(first)) => {
                    self.checked(version, (places[&location], edges), &flags, self.spans(side, *first))
                }
                _ => places[&location],
            };
            for edge in edges {
                let target = self.noted(side, *edge, places[&cfa.edge(*edge).target], &flags);
                self.edge(side, (*edge, source, target, places[&exit]), mode);
            }
        }
    }

    /// Nothing is written where a function begins.
    fn begin(&mut self, flags: &BTreeMap<VarId, VarId>, entry: LocationId) -> LocationId {
        let mut begin = entry;
        for flag in flags.values() {
            let here = self.editor.location_beside(entry);
            let (place, zero) = (self.editor.place(*flag), self.editor.number(self.editor.int(), 0));
            let at = (Span::default(), Span::default());
            self.editor.add(here, begin, Operation::Assign { place, value: zero }, at);
            begin = here;
        }
        begin
    }

    /// Notes behind an edge which variables it wrote, or made arbitrary: where the edge leads.
    pub(super) fn noted(&mut self, side: usize, own: EdgeId, target: LocationId, flags: &BTreeMap<VarId, VarId>) -> LocationId {
        let cfa = self.pairing.cfa(side);
        let mut target = target;
        for (variable, is_written) in cfa.edge(own).operation.sets(&cfa.exprs) {
            let Some(flag) = flags.get(&self.merged.maps[side].variable(variable)) else { continue };
            let here = self.editor.location_beside(target);
            let (place, value) = (self.editor.place(*flag), self.editor.number(self.editor.int(), u128::from(is_written)));
            let at = self.spans(side, own);
            self.editor.add(here, target, Operation::Assign { place, value }, at);
            target = here;
        }
        target
    }

    /// Checks in front of the edges of a location that they are defined; the location that they leave.
    pub(super) fn checked(
        &mut self,
        version: usize,
        (location, edges): (LocationId, &[EdgeId]),
        flags: &BTreeMap<VarId, VarId>,
        at: (Span, Span),
    ) -> LocationId {
        let cfa = self.pairing.cfa(version);
        let operations: Vec<Operation> = edges.iter().map(|edge| self.merged.operation(version, cfa.edge(*edge))).collect();
        let mut undefined = Vec::new();
        let mut unfit = Vec::new();
        for operation in &operations {
            unfit.extend(conversions(&self.editor, operation));
        }
        let reads = operations.iter().flat_map(|operation| reads(&self.editor.parts.exprs, operation));
        let asked: BTreeMap<VarId, bool> =
            reads.filter_map(|(variable, certain)| Some((*flags.get(&variable)?, certain))).collect();
        let mut writer = Writer { editor: &mut self.editor, here: location, at };
        for (flag, certain) in asked {
            if version == 1 || certain {
                let (value, one) = (writer.editor.load(flag), writer.editor.number(writer.editor.int(), 1));
                let is_written = writer.editor.equal(value, one);
                undefined.push(writer.require(is_written));
            }
        }
        unfit.sort_unstable();
        unfit.dedup();
        for conversion in unfit.into_iter().filter(|_| version == 1 && self.relation.preserve) {
            match require_fit(&mut writer, conversion) {
                Some(outside) => undefined.extend(outside),
                None => writer.then(Operation::Unsupported { construct: "conversion of a long double".into() }),
            }
        }
        let here = writer.here;
        if version == 1 && self.relation.preserve {
            undefined.into_iter().for_each(|from| self.less_defined(from, at));
        }
        here
    }

    /// The modified version is not defined here.
    fn less_defined(&mut self, from: LocationId, at: (Span, Span)) {
        let function = self.editor.parts.locations[from.index()].function;
        let known = self.undefined.get(&function).copied();
        let error = self.editor.error_behind(from, known, at);
        if known.is_none() {
            self.undefined.insert(function, error);
            self.goals.push((Event::LessDefined, error));
        }
    }

    pub(super) fn spans(&self, side: usize, edge: EdgeId) -> (Span, Span) {
        let edge = self.pairing.cfa(side).edge(edge);
        (self.merged.span(side, edge.span), self.merged.span(side, edge.statement))
    }

    /// One edge: between which locations, and where its function ends.
    pub(super) fn edge(
        &mut self,
        side: usize,
        (own, source, target, exit): (EdgeId, LocationId, LocationId, LocationId),
        mode: Mode,
    ) {
        let cfa = self.pairing.cfa(side);
        let at = self.spans(side, own);
        let operation = self.merged.operation(side, cfa.edge(own));
        if let Some(leaving) = leaving(cfa, own) {
            self.leave((source, target, exit), (leaving, operation, at), mode);
            return;
        }
        let origin = Some((u8::from(side == 1), own));
        let callee = cfa.entered_callee(own);
        let Mode::Copy(version) = mode else {
            match callee.filter(|callee| self.plan.original.contains(callee)) {
                Some(callee) => self.sites.push(Site::of(own, callee, (source, target), at, &operation)),
                None => self.keep(source, target, operation, at, origin),
            }
            return;
        };
        if values(&operation).iter().any(|expr| self.is_volatile(*expr)) {
            let construct = "access to volatile memory".into();
            self.keep(source, target, Operation::Unsupported { construct }, at, origin);
            return;
        }
        match (callee, &operation) {
            (Some(callee), _) if self.plan.summary(self.pairing, version, callee).is_some() => {
                let original = self.plan.summary(self.pairing, version, callee).unwrap_or(callee);
                self.summarized((version, original), (source, target), operation, at);
            }
            (Some(callee), _) if self.may_end[version].contains(&callee) => {
                let behind = self.editor.location_beside(source);
                self.keep(source, behind, operation, at, origin);
                let zero = self.editor.number(self.editor.int(), 0);
                let kind = self.editor.load(self.ended[version].kind);
                let goes_on = self.editor.equal(kind, zero);
                let ends = self.editor.location_beside(source);
                self.editor.branch(behind, goes_on, (target, ends), at);
                self.editor.add(ends, exit, Operation::Return { value: None }, at);
            }
            (None, Operation::Call { .. } | Operation::Havoc { .. }) => self.outside(version, (source, target), operation, at),
            // What it writes is known, but not what it does besides: it may end the program, or talk to a device.
            (None, Operation::Asm(asm)) if !asm.template.trim().is_empty() => {
                let construct = "inline assembly where the versions differ".into();
                self.keep(source, target, Operation::Unsupported { construct }, at, origin);
            }
            _ => self.keep(source, target, operation, at, origin),
        }
    }

    fn keep(
        &mut self,
        source: LocationId,
        target: LocationId,
        operation: Operation,
        at: (Span, Span),
        origin: Option<(u8, EdgeId)>,
    ) {
        let new = self.editor.add(source, target, operation, at);
        self.editor.origin[new.index()] = origin;
    }

    fn is_volatile(&self, expr: ExprId) -> bool {
        let exprs = &self.editor.parts.exprs;
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            let expr = exprs.get(expr);
            let is_volatile = match *expr {
                Expr::Dereference { volatile, .. } => volatile,
                Expr::Variable(variable) => self.editor.parts.variables[variable.index()].ty.qualifiers.is_volatile,
                _ => false,
            };
            if is_volatile {
                return true;
            }
            pending.extend(super::parts::operands(expr).into_iter().flatten());
        }
        false
    }

    /// An operation that ends the program, or is undefined.
    fn leave(
        &mut self,
        (source, target, exit): (LocationId, LocationId, LocationId),
        (leaving, operation, at): (Leaving, Operation, (Span, Span)),
        mode: Mode,
    ) {
        match (mode, leaving) {
            (Mode::Copy(1), Leaving::Undefined(_)) if self.relation.preserve => {
                self.less_defined(source, at);
            }
            (_, Leaving::Undefined(_)) | (Mode::Shared, Leaving::Abort) => {
                self.editor.add(source, target, Operation::Blank, at);
            }
            (Mode::Shared, _) => {
                self.editor.add(source, target, operation, at);
            }
            (Mode::Copy(version), leaving) => {
                let Operation::Call { callee, arguments, .. } = operation else { return };
                let ended = self.ended[version];
                let int = self.editor.int();
                let mut code = self.editor.number(int, 0);
                let kind = match leaving {
                    Leaving::Undefined(_) | Leaving::Abort => 1,
                    Leaving::Exit(handlers) => {
                        if let Some(first) = arguments.first() {
                            // Nobody outside sees more of it.
                            let (whole, byte) = (self.editor.expr(Expr::Cast(*first), int), self.editor.number(int, 0xff));
                            code = self.editor.expr(Expr::Binary(BinaryOp::BitAnd, whole, byte), int);
                        }
                        match handlers {
                            Handlers::None => 2,
                            Handlers::AtExit => 3,
                            Handlers::AtQuickExit => 4,
                        }
                    }
                    Leaving::Other => 1000,
                };
                if leaving == Leaving::Other {
                    let name = self.editor.parts.functions[callee.index()].name.clone();
                    let call = Outside { name, arguments, result: None, operation: Operation::Blank };
                    let differs = self.differs_in(source, at);
                    let mut writer = Writer { editor: &mut self.editor, here: source, at };
                    self.journal.write_event(&mut writer, version, &call, differs);
                    let here = writer.here;
                    self.end(here, exit, ended, (kind, code), at);
                } else {
                    self.end(source, exit, ended, (kind, code), at);
                }
            }
        }
    }

    fn end(&mut self, here: LocationId, exit: LocationId, ended: Ended, (kind, code): (u128, ExprId), at: (Span, Span)) {
        let mut writer = Writer { editor: &mut self.editor, here, at };
        let kind = writer.editor.number(writer.editor.int(), kind);
        writer.set(ended.code, code);
        writer.set(ended.kind, kind);
        let here = writer.here;
        self.editor.add(here, exit, Operation::Return { value: None }, at);
    }

    /// Where a version goes that makes another event than the original; nowhere if that is not looked at.
    fn differs_in(&mut self, beside: LocationId, at: (Span, Span)) -> Option<LocationId> {
        if self.is_outermost && !self.relation.events {
            return None;
        }
        let function = self.editor.parts.locations[beside.index()].function;
        if let Some(known) = self.differs.get(&function) {
            return Some(*known);
        }
        let differs = self.editor.location_beside(beside);
        let error = self.editor.error_behind(differs, None, at);
        self.goals.push((Event::Differs, error));
        self.differs.insert(function, differs);
        Some(differs)
    }

    /// A call of a function that does the same in both versions.
    fn summarized(
        &mut self,
        (version, original): (usize, FunctionId),
        (source, target): (LocationId, LocationId),
        operation: Operation,
        at: (Span, Span),
    ) {
        let Operation::Call { arguments, result, .. } = operation.clone() else { return };
        let name = format!("{} {}", original.index(), self.pairing.original.function(original).name).into();
        let call = Outside { name, arguments, result, operation };
        let mut writer = Writer { editor: &mut self.editor, here: source, at };
        let other = self.journal.write_summary(&mut writer, version, &call);
        writer.lead(target);
        match other {
            // What the original does not do may be undefined.
            Some(other) if self.relation.preserve => self.less_defined(other, at),
            Some(other) => _ = self.editor.add(other, target, Operation::Blank, at),
            None => {}
        }
    }

    /// A call of a function without a body, by a version.
    fn outside(&mut self, version: usize, (source, target): (LocationId, LocationId), operation: Operation, at: (Span, Span)) {
        let mut operation = operation;
        let (callee, arguments, mut result) = match &operation {
            Operation::Call { callee, arguments, result } => (*callee, arguments.clone(), *result),
            Operation::Havoc { variable, input } => (*input, Vec::new(), *variable),
            _ => return,
        };
        let function = self.editor.parts.functions[callee.index()].clone();
        let what = external(&function);
        if what == External::Value && result.is_none() {
            // What nobody looks at is read all the same, and the next value is the next one.
            result = self.ignored(function.ty, source);
            match &mut operation {
                Operation::Call { result: unused, .. } => *unused = result,
                Operation::Havoc { variable, .. } => *variable = result,
                _ => {}
            }
        }
        let (name, given, is_readable) = self.shown(&function.name, &arguments);
        let call = Outside { name, arguments: given, result, operation: operation.clone() };
        let has_pointers = arguments.iter().any(|argument| self.is_pointer(*argument));
        let mut unsupported = false;
        let differs = if what == External::Event { self.differs_in(source, at) } else { None };
        let mut writer = Writer { editor: &mut self.editor, here: source, at };
        match what {
            External::Event if is_readable => self.journal.write_event(&mut writer, version, &call, differs),
            External::Value if is_readable => self.journal.write_value(&mut writer, version, &call, what),
            External::Computed if !has_pointers => self.journal.write_value(&mut writer, version, &call, what),
            External::Event | External::Value => unsupported = true,
            External::Computed | External::Modelled => writer.then(operation.clone()),
        }
        if unsupported {
            let construct = format!("memory that is passed to {}", function.name).into();
            writer.then(Operation::Unsupported { construct });
        }
        writer.lead(target);
    }

    /// A variable for a result that is ignored.
    fn ignored(&mut self, function: TypeId, at: LocationId) -> Option<VarId> {
        let Type::Function(ty) = self.editor.parts.types.get(function) else { return None };
        let result = ty.result.ty;
        let is_void = matches!(self.editor.parts.types.get(result), Type::Void);
        let own = self.editor.parts.locations[at.index()].function;
        (!is_void).then(|| local(&mut self.editor, own, "ignored", result))
    }

    fn is_pointer(&self, expr: ExprId) -> bool {
        matches!(self.editor.parts.types.get(self.editor.type_of(expr)), Type::Pointer(_))
    }

    /// What is seen of arguments: the name with the texts of literals, and the other values. Whether that is all.
    fn shown(&self, name: &str, arguments: &[ExprId]) -> (Box<str>, Vec<ExprId>, bool) {
        let (mut name, mut given, mut all) = (name.to_owned(), Vec::new(), true);
        for argument in arguments {
            let ty = self.editor.type_of(*argument);
            match (self.editor.parts.types.get(ty), self.literal(*argument)) {
                (_, Some(text)) => name += &format!("\0{}", text.escape_ascii()),
                (Type::Pointer(to), None) => {
                    all &= self.is_opaque(to.ty);
                    given.push(*argument);
                }
                (Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_), None) => given.push(*argument),
                _ => all = false,
            }
        }
        (name.into(), given, all)
    }

    /// Nobody can look into it: a stream.
    fn is_opaque(&self, ty: TypeId) -> bool {
        let Type::Record(id) = self.editor.parts.types.get(ty) else { return false };
        let record = self.editor.parts.types.record(*id);
        !record.complete || record.tag.as_deref() == Some("_IO_FILE")
    }

    /// The text of a string literal.
    fn literal(&self, expr: ExprId) -> Option<Box<[u8]>> {
        let variable = self.editor.parts.exprs.beginning_of(expr)?;
        let VarKind::StringLiteral(text) = &self.editor.parts.variables[variable.index()].kind else { return None };
        Some(text.clone())
    }

    /// Whether a version writes through a pointer that leads out of the program.
    fn writes_elsewhere(&self) -> bool {
        (0..2).any(|side| {
            let cfa = self.pairing.cfa(side);
            let inside = if side == 0 { &self.plan.original } else { &self.plan.modified };
            let inside = reachable_inside(cfa, None, inside);
            let Footprint { facts, effects } = &self.footprints[side];
            let leads_out = |edge: EdgeId| {
                let mut objects = effects.of(edge).defs.iter();
                objects.any(|object| {
                    let kind = &facts.objects().get(object).kind;
                    matches!(kind, semantics::objects::ObjectKind::External)
                })
            };
            let mut edges = cfa.edge_ids().filter(|edge| inside.contains(&cfa.location(cfa.edge(*edge).source).function));
            edges.any(|edge| matches!(cfa.edge(edge).operation, Operation::Assign { .. }) && leads_out(edge))
        })
    }
}

/// The functions inside that the program may come to.
fn reachable_inside(cfa: &Cfa, lemma: Option<FunctionId>, inside: &Functions) -> Functions {
    reachable(cfa, lemma.into_iter().chain([cfa.entry])).intersection(inside).copied().collect()
}
