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
//! Invariant: the map between objects is fixed before the search and one-to-one.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use program::cfa::{Cfa, ConstantValue, EdgeId, FunctionId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::types::Type;
use rustc_hash::{FxBuildHasher, FxHashMap};
use semantics::callgraph::CallGraph;
use semantics::compare::{Comparison, Side};
use semantics::effects as plain;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::{ObjectKind, Objects, Root, root};
use semantics::pointsto::PointsTo;

use crate::alignment::Alignment;

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
}

/// A set as both programs see it, and whether a foreign object was left out.
type Translated = (ObjectSet, bool);

/// The effects of both programs.
#[derive(Debug)]
pub(crate) struct Effects<'a> {
    comparison: &'a Comparison<'a>,
    sets: Vec<Translated>,
    original: Own,
    modified: Own,
    /// Of the modified program.
    objects: Objects,
    /// Escaped objects of both programs that may hold pointers.
    pointing: ObjectSet,
    /// A foreign object that escaped may lead code outside the program to other objects in one program than in the other.
    foreign_escapes: bool,
}

impl<'a> Effects<'a> {
    /// Finds objects, where pointers lead, and what operations do, in both programs.
    pub(crate) fn new(comparison: &'a Comparison<'a>, alignment: &Alignment, calls: [&CallGraph; 2]) -> Self {
        let (original, modified) = (comparison.original, comparison.modified);
        let [original_calls, modified_calls] = calls;
        let map = comparison.correspondence();
        let (o, m) = (Objects::new(original, original_calls), Objects::new(modified, modified_calls));
        let split = |v: VarId, w: VarId| o.is_split(v) && m.is_split(w);
        let original_objects =
            Objects::with_split(original, original_calls, |v| map.content_back(v).is_some_and(|w| split(v, w)));
        let modified_objects =
            Objects::with_split(modified, modified_calls, |w| map.content(w).is_some_and(|v| split(v, w)));
        let objects = ObjectMap::new(comparison, alignment, &original_objects, &modified_objects);
        let mut translator = Translator::default();
        let own = |translator: &mut Translator, side, cfa, calls, objects_of: &Objects| {
            let points_to = PointsTo::new(cfa, calls, objects_of);
            let effects = plain::Effects::new(cfa, calls, objects_of, &points_to);
            translator.own(side, cfa, objects_of, (&points_to, &effects), &objects)
        };
        let modified_own = own(&mut translator, Side::Modified, modified, modified_calls, &modified_objects);
        let original_own = own(&mut translator, Side::Original, original, original_calls, &original_objects);
        let mut pointing = translator.sets[modified_own.escaped as usize].0.clone();
        pointing.union_with(&translator.sets[original_own.escaped as usize].0);
        let pointing = pointing.iter().filter(|object| may_point(modified, &modified_objects, *object)).collect();
        let foreign_escapes = modified_own.foreign_escaped.iter().any(|v| !leads_alike(comparison, *v));
        Self {
            comparison,
            pointing,
            foreign_escapes,
            sets: translator.sets,
            original: original_own,
            modified: modified_own,
            objects: modified_objects,
        }
    }

    fn own(&self, side: Side) -> &Own {
        match side {
            Side::Original => &self.original,
            Side::Modified => &self.modified,
        }
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
        let mut writes = self.of(side, edge).writes.clone();
        match self.comparison.program(side).edge(edge).operation {
            Operation::Call { result, .. } => {
                if let Some(result) = result {
                    writes.subtract(self.variable(side, result));
                }
                writes
            }
            Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => ObjectSet::new(),
        }
    }

    /// The variable a call assigns.
    pub(crate) fn result(&self, side: Side, call: EdgeId) -> Option<VarId> {
        match self.comparison.program(side).edge(call).operation {
            Operation::Call { result, .. } => result,
            Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => None,
        }
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

    /// The variables of a function of the original program.
    pub(crate) fn locals(&self, function: FunctionId) -> &[VarId] {
        &self.original.locals[function.index()]
    }

    /// The name of an object for people.
    pub(crate) fn name(&self, object: ObjectId) -> String {
        self.objects.name(self.comparison.modified, object)
    }
}

/// What an object is to the other program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// This object of the modified program.
    Object(ObjectId),
    /// The other program has an object at the same address, of another type.
    Foreign,
    /// The modified program has nothing like it.
    OriginalOnly,
}

/// The map from the objects of each program to combined numbers.
#[derive(Debug)]
struct ObjectMap {
    original: Vec<Number>,
    modified: Vec<Number>,
}

impl ObjectMap {
    fn new(comparison: &Comparison, alignment: &Alignment, o: &Objects, m: &Objects) -> Self {
        let mut map = Self {
            original: vec![Number::OriginalOnly; o.len()],
            modified: (0..m.len()).map(|index| Number::Object(ObjectId::new(index))).collect(),
        };
        map.pair(ObjectId::EXTERNAL, ObjectId::EXTERNAL);
        let correspondence = comparison.correspondence();
        for variable in comparison.modified.variable_ids() {
            let mine = m.of_variable(variable);
            let Some(other) = correspondence.identity(variable) else { continue };
            let theirs = o.of_variable(other);
            let literal = matches!(comparison.modified.variable(variable).kind, VarKind::StringLiteral(_));
            if literal || (correspondence.content(variable) == Some(other) && mine.count == theirs.count) {
                mine.iter().zip(theirs.iter()).for_each(|(object, other)| map.pair(object, other));
            } else {
                mine.iter().for_each(|object| map.modified[object.index()] = Number::Foreign);
                theirs.iter().for_each(|object| map.original[object.index()] = Number::Foreign);
            }
        }
        for (object, kind) in m.iter().map(|(id, object)| (id, &object.kind)) {
            if let ObjectKind::Heap { site } = kind
                && let Some(other) = alignment.of(*site).filter(|e| comparison.identical(*site, *e)).and_then(|e| o.heap(e))
            {
                map.pair(object, other);
            }
        }
        map
    }

    fn pair(&mut self, modified: ObjectId, original: ObjectId) {
        self.original[original.index()] = Number::Object(modified);
    }

    fn number(&self, side: Side, object: ObjectId) -> Number {
        match side {
            Side::Original => self.original[object.index()],
            Side::Modified => self.modified[object.index()],
        }
    }

    fn is_shared(&self, side: Side, object: ObjectId) -> bool {
        matches!(self.number(side, object), Number::Object(_))
    }
}

/// A number or the address of a function: nothing to write to.
fn is_constant(cfa: &Cfa, expr: ExprId) -> bool {
    let mut at = expr;
    while let Expr::Cast(inner) = cfa.exprs.get(at) {
        at = *inner;
    }
    matches!(cfa.exprs.get(at), Expr::Int(_) | Expr::Float(_) | Expr::FunctionAddress(_))
}

fn is_literal(cfa: &Cfa, objects: &Objects, object: ObjectId) -> bool {
    objects.variable_of(object).is_some_and(|v| matches!(cfa.variable(v).kind, VarKind::StringLiteral(_)))
}

/// Whether an object may hold pointers. Integers made of pointers do not count: what they lead to has escaped before.
fn may_point(program: &Cfa, objects: &Objects, object: ObjectId) -> bool {
    let Some(ty) = objects.get(object).ty else { return true };
    let mut wait = vec![ty];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(ty) = wait.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match program.types.get(ty) {
            Type::Pointer(_) | Type::VaList => return true,
            Type::Array { element, .. } => wait.push(element.ty),
            Type::Record(record) => wait.extend(program.types.record(*record).fields.iter().map(|f| f.ty.ty)),
            Type::Void
            | Type::Bool
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Function(_)
            | Type::Enum(_)
            | Type::Vector { .. } => {}
        }
    }
    false
}

/// Whether a foreign variable of the modified program leads where that of the original leads: both are static, no
/// operation names them as what it writes, and their initial values lead to the same variables.
fn leads_alike(comparison: &Comparison, variable: VarId) -> bool {
    let Some(other) = comparison.correspondence().identity(variable) else { return false };
    let (modified, original) = (comparison.modified, comparison.original);
    if is_assigned(modified, variable) || is_assigned(original, other) {
        return false;
    }
    let (Some(mine), Some(theirs)) = (initial_closure(modified, variable), initial_closure(original, other)) else {
        return false;
    };
    mine.iter().all(|v| comparison.correspondence().identity(*v).is_some_and(|o| theirs.contains(&o)))
}

/// Whether an operation writes the variable by name.
fn is_assigned(program: &Cfa, variable: VarId) -> bool {
    program.edges.iter().any(|edge| match &edge.operation {
        Operation::Assign { place, .. } => root(program, *place) == Some(Root::Variable(variable)),
        Operation::Declare { variable: v } => *v == variable,
        Operation::Havoc { variable: v, .. } | Operation::Call { result: v, .. } => *v == Some(variable),
        Operation::Asm(asm) => asm.outputs.iter().any(|o| root(program, o.expr) == Some(Root::Variable(variable))),
        Operation::Assume { .. } | Operation::Return { .. } | Operation::Blank | Operation::Unsupported { .. } => false,
    })
}

/// The variables whose addresses are in the initial value of one, and in theirs.
fn initial_closure(program: &Cfa, variable: VarId) -> Option<BTreeSet<VarId>> {
    let mut closure = BTreeSet::new();
    let mut wait = vec![variable];
    while let Some(v) = wait.pop() {
        let initializer = program.variable(v).initializer.as_ref()?;
        if initializer.unsupported.is_some() {
            return None;
        }
        for scalar in &initializer.scalars {
            if let ConstantValue::Address { variable, .. } = scalar.value
                && closure.insert(variable)
            {
                wait.push(variable);
            }
        }
    }
    Some(closure)
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
        let mut foreign = false;
        let mut translated = ObjectSet::new();
        for object in set.iter() {
            match objects.number(side, object) {
                Number::Object(object) => {
                    translated.insert(object);
                }
                Number::Foreign => foreign = true,
                Number::OriginalOnly => {}
            }
        }
        let number = u32::try_from(self.sets.len()).unwrap_or(u32::MAX);
        self.sets.push((translated, foreign));
        known.insert(set.clone(), number);
        number
    }

    fn own(
        &mut self,
        side: Side,
        cfa: &Cfa,
        objects: &Objects,
        (points_to, effects): (&PointsTo, &plain::Effects),
        map: &ObjectMap,
    ) -> Own {
        let edges = cfa.edge_ids().map(|edge| {
            let effect = effects.of(edge);
            [effect.uses, effect.defs, effect.kills].map(|set| self.add(side, set, map))
        });
        let edges = edges.collect();
        let exprs = (0..cfa.exprs.len()).map(|e| self.add(side, effects.uses_of(ExprId::new(e)), map)).collect();
        let variables = cfa.variable_ids().map(|v| self.add(side, &objects.of_variable(v).set(), map)).collect();
        let wholes = cfa.variable_ids().map(|v| {
            let range = objects.of_variable(v);
            let plain = |o: ObjectId| objects.is_single(o) && map.is_shared(side, o);
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
            (
                ObjectKind::Heap { .. } | ObjectKind::External | ObjectKind::Variable(_) | ObjectKind::Member { .. },
                _,
            ) => None,
        });
        let is_foreign = |object: &ObjectId| map.number(side, *object) == Number::Foreign;
        let mut foreign_escaped: Vec<VarId> =
            points_to.anything().iter().filter(is_foreign).filter_map(|object| objects.variable_of(object)).collect();
        foreign_escaped.dedup();
        let heap = sites.collect();
        let escaped = self.add(side, points_to.anything(), map);
        let arguments = self.arguments(side, cfa, (objects, points_to), map);
        Own { edges, exprs, variables, wholes, locals, heap, arguments, escaped, foreign_escaped }
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
