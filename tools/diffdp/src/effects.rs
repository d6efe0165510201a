//! What the operations of both programs do, over the objects of both.
//!
//! Objects of the modified program keep their numbers; an object of the original has that of its counterpart.
//! * A variable that exists in both programs with different types has one address and two contents: it is *foreign*.
//!   Foreign objects are kept out of all sets and remembered as a flag where they are read, which is the same as being in
//!   every V, and cheaper.
//! * What exists in one program only is mentioned by no identical operation, and no unaffected pointer leads there (its
//!   value agrees in both programs, so it leads to what both have). The one exception is a pointer an external returns in
//!   both: if the modified program gets the address of an object of its own, the original may have got that of memory
//!   outside the program with the same content. So objects of the modified program alone are affected from when they are
//!   first written on its own, and objects of the original alone are left out.
//!
//! String literals are constants and no part of any set. A function that is active is not entered again by the search, so
//! the locals of recursive functions are single objects here.
//! Invariant: the map between objects is fixed before the search and one-to-one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use indexmap::IndexMap;
use program::cfa::{Cfa, EdgeId, FunctionId, Known, Operation, VarId};
use program::expr::ExprId;
use program::types::Type;
use rustc_hash::{FxBuildHasher, FxHashMap};
use semantics::compare::{Alignment, Comparison, Side};
use semantics::facts::Facts;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::{ObjectKind, Objects};
use semantics::pointsto::PointsTo;

use crate::combined::{Number, ObjectMap, Translated, translate};
use crate::leads::{is_constant, is_literal, leads_alike, may_point, steered};
use crate::raw::Raw;

/// What an operation does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// What its outcome depends on.
    pub(crate) reads: &'a ObjectSet,
    /// It depends on a foreign object.
    pub(crate) reads_foreign: bool,
    /// What it may write.
    pub(crate) writes: &'a ObjectSet,
    /// What it certainly overwrites as a whole.
    pub(crate) kills: &'a ObjectSet,
}

/// What the value of an expression depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reads<'a> {
    /// Objects with counterpart.
    pub(crate) objects: &'a ObjectSet,
    /// A foreign object is among them.
    pub(crate) foreign: bool,
}

type SetNumber = u32;

/// The effects of one program in terms of the objects of both.
#[derive(Debug)]
struct Own {
    edges: Vec<[SetNumber; 3]>,
    exprs: Vec<SetNumber>,
    variables: Vec<SetNumber>,
    wholes: Vec<SetNumber>,
    locals: Vec<Vec<VarId>>,
    heap: Vec<(EdgeId, ObjectId)>,
    /// For each argument of a call without body: what it may lead to, if it may be a pointer into the program's memory.
    arguments: FxHashMap<EdgeId, Box<[Option<SetNumber>]>>,
    /// What code outside the program may reach.
    escaped: SetNumber,
    /// Foreign variables among it.
    foreign_escaped: Vec<VarId>,
    /// Variables that are given pointers to memory of the program by name.
    steered: BTreeSet<VarId>,
}

/// The effects of both programs.
#[derive(Debug)]
pub(crate) struct Effects<'a> {
    comparison: &'a Comparison<'a>,
    sets: Vec<Translated>,
    original: Own,
    modified: Own,
    /// The original and the modified program for themselves.
    raw: [Raw; 2],
    numbers: ObjectMap,
    /// Escaped objects of both programs that may hold pointers.
    pointing: ObjectSet,
    /// Objects that exist in both programs.
    shared: ObjectSet,
    /// By function of the modified program: the objects that end with it, and in the original with its counterpart.
    ending: Vec<ObjectSet>,
    /// A foreign object that escaped may lead code outside the program to other objects in one program than in the other.
    foreign_escapes: bool,
}

impl<'a> Effects<'a> {
    /// Finds objects, where pointers lead, and what operations do, in both programs.
    pub(crate) fn new(comparison: &'a Comparison<'a>, alignment: &Alignment, facts: &[Facts<'a>; 2]) -> Self {
        let (original, modified) = (comparison.original, comparison.modified);
        let [original_calls, modified_calls] = [facts[0].calls(), facts[1].calls()];
        let correspondence = comparison.correspondence();
        let (o, m) = (facts[0].objects(), facts[1].objects());
        let split = |v: VarId, w: VarId| o.is_split(v) && m.is_split(w);
        let original_objects =
            Objects::with_split(original, original_calls, |v| correspondence.content_back(v).is_some_and(|w| split(v, w)))
                .without_recursion(original);
        let modified_objects =
            Objects::with_split(modified, modified_calls, |w| correspondence.content(w).is_some_and(|v| split(v, w)))
                .without_recursion(modified);
        let objects = ObjectMap::new(comparison, alignment, &original_objects, &modified_objects);
        let mut translator = Translator::default();
        let raw = [Raw::new(original, original_calls, original_objects), Raw::new(modified, modified_calls, modified_objects)];
        let modified_own = translator.own(Side::Modified, modified, &raw[1], &objects);
        let original_own = translator.own(Side::Original, original, &raw[0], &objects);
        let mut pointing = translator.sets[modified_own.escaped as usize].0.clone();
        pointing.union_with(&translator.sets[original_own.escaped as usize].0);
        let pointing = pointing.iter().filter(|object| may_point(modified, &raw[1].objects, *object)).collect();
        let foreign_escapes = modified_own.foreign_escaped.iter().any(|v| {
            let other = correspondence.identity(*v);
            let steered = modified_own.steered.contains(v) || other.is_none_or(|o| original_own.steered.contains(&o));
            steered || !leads_alike(comparison, *v)
        });
        Self {
            comparison,
            pointing,
            shared: objects.shared(),
            ending: ending(comparison, &modified_own, &translator.sets),
            foreign_escapes,
            sets: translator.sets,
            original: original_own,
            modified: modified_own,
            raw,
            numbers: objects,
        }
    }

    fn own(&self, side: Side) -> &Own {
        match side {
            Side::Original => &self.original,
            Side::Modified => &self.modified,
        }
    }

    /// One program for itself, by its own objects.
    pub(crate) fn raw(&self, side: Side) -> &Raw {
        &self.raw[usize::from(side == Side::Modified)]
    }

    /// The objects of the modified program.
    fn objects(&self) -> &Objects {
        &self.raw(Side::Modified).objects
    }

    /// Objects of one program as both see them, and whether a foreign one was among them.
    pub(crate) fn translate(&self, side: Side, raw: &ObjectSet) -> (ObjectSet, bool) {
        translate(side, raw, &self.numbers)
    }

    fn set(&self, number: SetNumber) -> &Translated {
        &self.sets[number as usize]
    }

    /// What the step along an edge does; for a call that enters a body, the binding of its parameters, for a return the
    /// evaluation of its value.
    pub(crate) fn of(&self, side: Side, edge: EdgeId) -> Access<'_> {
        let [reads, writes, kills] = self.own(side).edges[edge.index()];
        let (reads, reads_foreign) = self.set(reads);
        Access { reads, reads_foreign: *reads_foreign, writes: &self.set(writes).0, kills: &self.set(kills).0 }
    }

    /// What the value of an expression depends on.
    pub(crate) fn reads(&self, side: Side, expr: ExprId) -> Reads<'_> {
        let (objects, foreign) = self.set(self.own(side).exprs[expr.index()]);
        Reads { objects, foreign: *foreign }
    }

    /// The objects of a variable that have a counterpart.
    pub(crate) fn variable(&self, side: Side, variable: VarId) -> &ObjectSet {
        &self.set(self.own(side).variables[variable.index()]).0
    }

    /// The objects of a variable if writing it overwrites all of them and all have a counterpart.
    pub(crate) fn whole(&self, side: Side, variable: VarId) -> &ObjectSet {
        &self.set(self.own(side).wholes[variable.index()]).0
    }

    /// What a call of a function without a body writes besides its result.
    pub(crate) fn memory_writes(&self, side: Side, edge: EdgeId) -> ObjectSet {
        let Some(call) = self.comparison.program(side).edge(edge).operation.call() else { return ObjectSet::new() };
        let mut writes = self.of(side, edge).writes.clone();
        if let Some(result) = call.result {
            writes.subtract(self.variable(side, result));
        }
        writes
    }

    /// What the call of an external may write in the modified program and not in the original, where both have it.
    pub(crate) fn writes_beyond(&self, modified: EdgeId, original: EdgeId) -> ObjectSet {
        let mut own = self.memory_writes(Side::Modified, modified);
        own.subtract(&self.memory_writes(Side::Original, original));
        own.intersection(&self.shared)
    }

    /// The variable a call assigns.
    pub(crate) fn result(&self, side: Side, call: EdgeId) -> Option<VarId> {
        self.comparison.program(side).edge(call).operation.result()
    }

    /// Whether a call of a function without a body may be led to other objects through its arguments than the call of one
    /// in the other program, `same` telling which arguments agree; or through what escaped before.
    pub(crate) fn leads_elsewhere(
        &self,
        modified: EdgeId,
        original: EdgeId,
        w: &ObjectSet,
        same: impl Fn(usize) -> bool,
    ) -> bool {
        let differs = |own: &Own, edge: EdgeId| {
            let arguments = own.arguments.get(&edge);
            arguments.is_some_and(|all| all.iter().enumerate().any(|(i, targets)| targets.is_some() && !same(i)))
        };
        self.foreign_escapes
            || self.pointing.intersects(w)
            || differs(&self.modified, modified)
            || differs(&self.original, original)
    }

    /// Whether two calls that allocate memory allocate the same object.
    pub(crate) fn same_allocation(&self, modified: EdgeId, original: EdgeId) -> bool {
        let of = |own: &Own, edge: EdgeId| own.heap.iter().find(|(e, _)| *e == edge).map(|(_, object)| *object);
        let (m, o) = (of(&self.modified, modified), of(&self.original, original));
        m.is_some() && m == o
    }

    /// Pairs of calls, of the modified program and of the original, that allocate the same object.
    pub(crate) fn allocations(&self) -> Vec<[u32; 2]> {
        let theirs: FxHashMap<ObjectId, EdgeId> = self.original.heap.iter().map(|(edge, object)| (*object, *edge)).collect();
        self.modified.heap.iter().filter_map(|(edge, object)| Some([edge.0, theirs.get(object)?.0])).collect()
    }

    /// What an object of the modified program is.
    pub(crate) fn kind(&self, object: ObjectId) -> &ObjectKind {
        &self.objects().get(object).kind
    }

    /// The objects that end when a function of the modified program and its counterpart return: nobody reads what they hold
    /// before it is arbitrary again.
    pub(crate) fn ending(&self, function: FunctionId) -> &ObjectSet {
        &self.ending[function.index()]
    }

    /// The variables of a function of the original program.
    pub(crate) fn locals(&self, function: FunctionId) -> &[VarId] {
        &self.original.locals[function.index()]
    }

    /// The name of an object for people.
    pub(crate) fn name(&self, object: ObjectId) -> String {
        self.objects().name(self.comparison.modified, object)
    }

    /// The name of an object within its function.
    pub(crate) fn own_name(&self, object: ObjectId) -> String {
        self.objects().own_name(self.comparison.modified, object)
    }

    /// The variable of the modified program an object belongs to.
    pub(crate) fn variable_of(&self, object: ObjectId) -> Option<VarId> {
        self.objects().variable_of(object)
    }
}

/// By function of the modified program: its automatic objects, unless they stand for what does not end with its counterpart.
fn ending(comparison: &Comparison, own: &Own, sets: &[Translated]) -> Vec<ObjectSet> {
    let (original, modified, map) = (comparison.original, comparison.modified, comparison.correspondence());
    let of_function = |function: FunctionId| {
        let other = map.function(function);
        let ends = |variable: VarId| {
            let known = original.variable(variable);
            known.is_automatic() && other.is_some() && known.function == other
        };
        let mut objects = ObjectSet::new();
        for variable in &own.locals[function.index()] {
            if modified.variable(*variable).is_automatic() && map.identity(*variable).is_none_or(ends) {
                objects.union_with(&sets[own.variables[variable.index()] as usize].0);
            }
        }
        objects
    };
    modified.function_ids().map(of_function).collect()
}

/// What an operation depends on; what a function of known effect yields may depend on all its arguments lead to.
fn known_uses<'s>(cfa: &Cfa, edge: EdgeId, uses: &'s ObjectSet, points_to: &PointsTo) -> Cow<'s, ObjectSet> {
    let Operation::Call { callee, arguments, .. } = &cfa.edge(edge).operation else { return Cow::Borrowed(uses) };
    if cfa.enters(*callee) || !matches!(cfa.function(*callee).known, Some(Known::Pure | Known::Allocate | Known::Memory)) {
        return Cow::Borrowed(uses);
    }
    let pointers = arguments.iter().filter(|a| matches!(cfa.types.get(cfa.exprs.ty(**a)), Type::Pointer(_)));
    Cow::Owned(pointers.fold(uses.clone(), |all, a| all.union(points_to.targets(*a))))
}

/// Collects translated sets, each once.
#[derive(Debug, Default)]
struct Translator {
    sets: Vec<Translated>,
    known: [IndexMap<ObjectSet, SetNumber, FxBuildHasher>; 2],
}

impl Translator {
    fn add(&mut self, side: Side, set: &ObjectSet, objects: &ObjectMap) -> SetNumber {
        let known = &mut self.known[usize::from(side == Side::Modified)];
        if let Some(number) = known.get(set) {
            return *number;
        }
        let number = u32::try_from(self.sets.len()).unwrap_or(u32::MAX);
        self.sets.push(translate(side, set, objects));
        known.insert(set.clone(), number);
        number
    }

    fn own(&mut self, side: Side, cfa: &Cfa, raw: &Raw, map: &ObjectMap) -> Own {
        let Raw { objects, points_to, effects } = raw;
        let edges = cfa.edge_ids().map(|edge| {
            let effect = effects.of(edge);
            let uses = known_uses(cfa, edge, effect.uses, points_to);
            [&*uses, effect.defs, effect.kills].map(|set| self.add(side, set, map))
        });
        let edges = edges.collect();
        let exprs = (0..cfa.exprs.len()).map(|e| self.add(side, effects.uses_of(ExprId::new(e)), map)).collect();
        let variables = cfa.variable_ids().map(|v| self.add(side, &objects.of_variable(v).set(), map)).collect();
        let wholes = cfa.variable_ids().map(|v| {
            let range = objects.of_variable(v);
            let plain = |o: ObjectId| objects.is_single(o) && map.is_numbered(side, o);
            let set = if range.iter().all(plain) { range.set() } else { ObjectSet::new() };
            self.add(side, &set, map)
        });
        let wholes = wholes.collect();
        let mut locals = vec![Vec::new(); cfa.functions.len()];
        for variable in cfa.variable_ids() {
            if let Some(function) = cfa.variable(variable).function {
                locals[function.index()].push(variable);
            }
        }
        let sites = objects.iter().filter_map(|(id, object)| match (&object.kind, map.number(side, id)) {
            (ObjectKind::Heap { site }, Number::Object(object)) => Some((*site, object)),
            (ObjectKind::Heap { .. } | ObjectKind::External | ObjectKind::Variable(_) | ObjectKind::Member { .. }, _) => None,
        });
        let is_foreign = |object: &ObjectId| map.number(side, *object) == Number::Foreign;
        let mut foreign_escaped: Vec<VarId> =
            points_to.anything().iter().filter(is_foreign).filter_map(|object| objects.variable_of(object)).collect();
        foreign_escaped.dedup();
        let heap = sites.collect();
        let escaped = self.add(side, points_to.anything(), map);
        let arguments = self.arguments(side, cfa, (objects, points_to), map);
        let steered = steered(cfa, objects, points_to);
        Own { edges, exprs, variables, wholes, locals, heap, arguments, escaped, foreign_escaped, steered }
    }

    fn arguments(
        &mut self,
        side: Side,
        cfa: &Cfa,
        (objects, points_to): (&Objects, &PointsTo),
        map: &ObjectMap,
    ) -> FxHashMap<EdgeId, Box<[Option<SetNumber>]>> {
        let mut known = FxHashMap::default();
        for edge in cfa.edge_ids() {
            let Operation::Call { callee, arguments, .. } = &cfa.edge(edge).operation else { continue };
            if cfa.enters(*callee) {
                continue;
            }
            let target = |argument: &ExprId| {
                let targets = points_to.targets(*argument);
                // A number made of no pointer to an object leads nowhere the callee would not get to anyway.
                let is_number = !matches!(cfa.types.get(cfa.exprs.ty(*argument)), Type::Pointer(_));
                let is_plain = is_number && targets.only() == Some(ObjectId::EXTERNAL);
                let is_text = targets.iter().all(|o| is_literal(cfa, objects, o));
                (!is_plain && !is_text && !is_constant(cfa, *argument)).then(|| self.add(side, targets, map))
            };
            known.insert(edge, arguments.iter().map(target).collect());
        }
        known
    }
}
