//! The objects of both programs, by the numbers of the modified one.
//!
//! An object of the original has the number of the object of the modified program that it is. What exists in both with
//! different types is *foreign*: it may always differ, so it is in no set, and who reads it reads what may differ. What only
//! the original has, and what never changes, is left out: no operation that is the same in both mentions it, and no pointer
//! that agrees leads there.

use formats::certificate::CertifiedObject;
use program::cfa::{Cfa, EdgeId, FunctionId, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::facts::Facts;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::{ObjectKind, Objects};

use crate::access::{Number, Program, holds_pointers};
use crate::map::Map;
use crate::outside;

/// Both programs.
#[derive(Debug)]
pub(crate) struct Touch<'a> {
    pub(crate) modified: Program<'a>,
    pub(crate) original: Program<'a>,
    /// Objects that exist in both.
    shared: ObjectSet,
    /// What code outside the program may find pointers in, in either program.
    pointing: ObjectSet,
    /// Something foreign may lead code outside to other objects in one program than in the other.
    foreign_leads: bool,
}

impl<'a> Touch<'a> {
    /// `allocations` are pairs of calls, checked to be the same, that allocate the same object.
    pub(crate) fn new(facts: &[Facts<'a>; 2], map: &Map, allocations: &[(EdgeId, EdgeId)]) -> Self {
        let [original, modified] = facts;
        let (o, m) = (original.objects(), modified.objects());
        let split: FxHashSet<(VarId, VarId)> = modified.cfa().variable_ids().filter_map(|v| Some((v, map.content(v)?))).collect();
        let split: Vec<_> = split.into_iter().filter(|(v, w)| m.is_split(*v) && o.is_split(*w)).collect();
        let mine: FxHashSet<VarId> = split.iter().map(|(v, _)| *v).collect();
        let theirs: FxHashSet<VarId> = split.iter().map(|(_, w)| *w).collect();
        let of = |facts: &Facts<'a>, may_split: &FxHashSet<VarId>| {
            Objects::with_split(facts.cfa(), facts.calls(), |v| may_split.contains(&v)).without_recursion(facts.cfa())
        };
        let mut modified = Program::new(modified, of(modified, &mine));
        let mut original = Program::new(original, of(original, &theirs));
        number(&mut modified, &mut original, map, allocations);
        let shared = original.numbers.iter().filter_map(|n| if let Number::Object(object) = n { Some(*object) } else { None });
        let shared = shared.collect();
        let escaped = |program: &Program| program.translate(program.points_to.anything()).0;
        let pointing = escaped(&modified).union(&escaped(&original));
        let may_point = |object: &ObjectId| modified.objects.get(*object).ty.is_none_or(|ty| holds_pointers(modified.cfa, ty));
        let pointing = pointing.iter().filter(may_point).collect();
        let foreign_leads = !outside::lead_alike(&modified, &original, map, &foreign_escaped(&modified));
        Self { modified, original, shared, pointing, foreign_leads }
    }

    /// The set of objects a certificate lists.
    pub(crate) fn objects(&self, listed: &[CertifiedObject]) -> Result<Vec<ObjectId>, String> {
        let objects = &self.modified.objects;
        let mut known: FxHashMap<CertifiedObject, ObjectId> = FxHashMap::default();
        for (id, object) in objects.iter() {
            let name = match &object.kind {
                ObjectKind::External => CertifiedObject::External,
                ObjectKind::Variable(variable) => CertifiedObject::Variable(variable.0, Vec::new()),
                ObjectKind::Member { variable, path } => CertifiedObject::Variable(variable.0, path.to_vec()),
                ObjectKind::Heap { site } => CertifiedObject::Allocation(site.0),
            };
            known.insert(name, id);
        }
        let find = |object: &CertifiedObject| known.get(object).copied().ok_or_else(|| format!("there is no object {object:?}"));
        listed.iter().map(find).collect()
    }

    /// The name of an object for people.
    pub(crate) fn name(&self, object: ObjectId) -> String {
        self.modified.objects.name(self.modified.cfa, object)
    }

    /// What may differ once two functions have returned: what both held by themselves is arbitrary then, and the original may
    /// choose it to be the same.
    pub(crate) fn without_ended(&self, affected: &ObjectSet, map: &Map, functions: [FunctionId; 2]) -> ObjectSet {
        let (modified, original) = (self.modified.cfa, self.original.cfa);
        let is_own = |cfa: &Cfa, variable: VarId, function: FunctionId| {
            let known = cfa.variable(variable);
            known.function == Some(function) && known.is_automatic()
        };
        let ends = |object: &ObjectId| {
            self.modified.objects.variable_of(*object).is_some_and(|variable| {
                is_own(modified, variable, functions[0])
                    && map.identity(variable).is_none_or(|other| is_own(original, other, functions[1]))
            })
        };
        affected.iter().filter(|object| !ends(object)).collect()
    }

    /// What a call of a function without a body may write in the modified program only, of what both have.
    pub(crate) fn writes_beyond(&mut self, mine: EdgeId, theirs: EdgeId) -> ObjectSet {
        let (a, b) = (self.modified.memory_writes(mine), self.original.memory_writes(theirs));
        a.difference(&b).intersection(&self.shared)
    }

    /// Whether code outside the program may be led elsewhere by what escaped earlier, if `affected` may differ.
    pub(crate) fn outside_is_led_elsewhere(&self, affected: &ObjectSet) -> bool {
        self.foreign_leads || self.pointing.intersects(affected)
    }
}

/// Gives the objects of both programs their numbers.
fn number(modified: &mut Program, original: &mut Program, map: &Map, allocations: &[(EdgeId, EdgeId)]) {
    let (m, o) = (&modified.objects, &original.objects);
    for index in 0..m.len() {
        modified.numbers[index] = Number::Object(ObjectId::new(index));
    }
    original.numbers[ObjectId::EXTERNAL.index()] = Number::Object(ObjectId::EXTERNAL);
    for variable in modified.cfa.variable_ids() {
        let mine = m.of_variable(variable);
        let kind = &modified.cfa.variable(variable).kind;
        if matches!(kind, VarKind::StringLiteral(_)) {
            mine.iter().for_each(|object| modified.numbers[object.index()] = Number::LeftOut);
            continue;
        }
        let Some(other) = map.identity(variable) else { continue };
        let theirs = o.of_variable(other);
        // What is not defined here is an input, whatever its type.
        let is_input = |kind: &VarKind| matches!(kind, VarKind::Global { defined: false, .. });
        let inputs = is_input(kind) && is_input(&original.cfa.variable(other).kind);
        let same = (inputs || map.content(variable).is_some()) && mine.count == theirs.count;
        for object in mine.iter().filter(|_| !same) {
            modified.numbers[object.index()] = Number::Foreign;
        }
        for (index, object) in theirs.iter().enumerate() {
            let number = ObjectId(mine.first.0.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)));
            original.numbers[object.index()] = if same { Number::Object(number) } else { Number::Foreign };
        }
    }
    for (mine, theirs) in allocations {
        if let (Some(object), Some(other)) = (m.heap(*mine), o.heap(*theirs)) {
            original.numbers[other.index()] = Number::Object(object);
        }
    }
}

/// The foreign variables that code outside the program may look at.
fn foreign_escaped(program: &Program) -> Vec<VarId> {
    let foreign = program.points_to.anything().iter().filter(|object| program.numbers[object.index()] == Number::Foreign);
    let mut variables: Vec<VarId> = foreign.filter_map(|object| program.objects.variable_of(object)).collect();
    variables.dedup();
    variables
}
