//! What the operations of both programs do, over the objects of both.
//!
//! Objects of the modified program keep their numbers; an object of the original has the number of its counterpart, or one
//! of its own behind them. An object without counterpart is *foreign*: its content never agrees. Foreign objects are kept
//! out of all sets and remembered as a flag where they are read, which is the same as being in every V, and cheaper.
//! Invariant: the map between objects is fixed before the search and one-to-one.

use fixedbitset::FixedBitSet;
use indexmap::IndexMap;
use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId, VarKind};
use program::expr::ExprId;
use rustc_hash::FxBuildHasher;
use semantics::callgraph::CallGraph;
use semantics::compare::{Comparison, Side};
use semantics::effects as plain;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::{ObjectKind, Objects};
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
    modified_objects: Objects,
    original_objects: Objects,
    /// Objects of the original program by combined number, for names.
    back: Vec<Option<ObjectId>>,
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
            translator.own(side, cfa, objects_of, &effects, &objects)
        };
        let modified_own = own(&mut translator, Side::Modified, modified, modified_calls, &modified_objects);
        let original_own = own(&mut translator, Side::Original, original, original_calls, &original_objects);
        Self {
            comparison,
            sets: translator.sets,
            original: original_own,
            modified: modified_own,
            back: objects.back(),
            modified_objects,
            original_objects,
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
        match self.back.get(object.index()).copied().flatten() {
            Some(original) if object.index() >= self.modified_objects.len() => {
                self.original_objects.name(self.comparison.original, original)
            }
            _ => self.modified_objects.name(self.comparison.modified, object),
        }
    }
}

/// The map from the objects of each program to combined numbers.
#[derive(Debug)]
struct ObjectMap {
    original: Vec<ObjectId>,
    /// By combined number.
    foreign: FixedBitSet,
    modified_count: usize,
}

impl ObjectMap {
    fn new(comparison: &Comparison, alignment: &Alignment, o: &Objects, m: &Objects) -> Self {
        let mut original = vec![None; o.len()];
        original[ObjectId::EXTERNAL.index()] = Some(ObjectId::EXTERNAL);
        let mut foreign = FixedBitSet::with_capacity(o.len() + m.len());
        foreign.insert_range(..);
        foreign.remove(ObjectId::EXTERNAL.index());
        let map = comparison.correspondence();
        for variable in comparison.modified.variable_ids() {
            let mine = m.of_variable(variable);
            if matches!(comparison.modified.variable(variable).kind, VarKind::StringLiteral(_)) {
                // A constant; nothing ever affects it.
                mine.iter().for_each(|object| foreign.remove(object.index()));
            }
            let Some(theirs) = map.content(variable).map(|v| o.of_variable(v)) else { continue };
            if mine.count == theirs.count {
                for (object, other) in mine.iter().zip(theirs.iter()) {
                    original[other.index()].get_or_insert(object);
                    foreign.remove(object.index());
                }
            }
        }
        for (object, kind) in m.iter().map(|(id, object)| (id, &object.kind)) {
            if let ObjectKind::Heap { site } = kind
                && let Some(other) = alignment.of(*site).filter(|e| comparison.identical(*site, *e)).and_then(|e| o.heap(e))
            {
                original[other.index()] = Some(object);
                foreign.remove(object.index());
            }
        }
        let mut next = m.len();
        let mut number = |known: Option<ObjectId>| {
            known.unwrap_or_else(|| {
                next += 1;
                ObjectId::new(next - 1)
            })
        };
        let original: Vec<ObjectId> = original.into_iter().map(&mut number).collect();
        for variable in comparison.original.variable_ids() {
            if matches!(comparison.original.variable(variable).kind, VarKind::StringLiteral(_)) {
                for object in o.of_variable(variable).iter() {
                    foreign.remove(original[object.index()].index());
                }
            }
        }
        Self { original, foreign, modified_count: m.len() }
    }

    fn combined(&self, side: Side, object: ObjectId) -> ObjectId {
        match side {
            Side::Original => self.original[object.index()],
            Side::Modified => object,
        }
    }

    fn back(&self) -> Vec<Option<ObjectId>> {
        let mut back = vec![None; self.modified_count + self.original.len()];
        for (index, combined) in self.original.iter().enumerate() {
            back[combined.index()] = Some(ObjectId::new(index));
        }
        back
    }
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
        for object in set.iter().map(|object| objects.combined(side, object)) {
            if objects.foreign.contains(object.index()) {
                foreign = true;
            } else {
                translated.insert(object);
            }
        }
        let number = u32::try_from(self.sets.len()).unwrap_or(u32::MAX);
        self.sets.push((translated, foreign));
        known.insert(set.clone(), number);
        number
    }

    fn own(&mut self, side: Side, cfa: &Cfa, objects: &Objects, effects: &plain::Effects, map: &ObjectMap) -> Own {
        let edges = cfa.edge_ids().map(|edge| {
            let effect = effects.of(edge);
            [effect.uses, effect.defs, effect.kills].map(|set| self.add(side, set, map))
        });
        let edges = edges.collect();
        let exprs = (0..cfa.exprs.len()).map(|e| self.add(side, effects.uses_of(ExprId::new(e)), map)).collect();
        let variables = cfa.variable_ids().map(|v| self.add(side, &objects.of_variable(v).set(), map)).collect();
        let wholes = cfa.variable_ids().map(|v| {
            let range = objects.of_variable(v);
            let plain = |o: ObjectId| objects.is_single(o) && !map.foreign.contains(map.combined(side, o).index());
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
        let sites = objects.iter().filter_map(|(id, object)| match object.kind {
            ObjectKind::Heap { site } => Some((site, map.combined(side, id))),
            ObjectKind::External | ObjectKind::Variable(_) | ObjectKind::Member { .. } => None,
        });
        Own { edges, exprs, variables, wholes, locals, heap: sites.collect() }
    }
}
