//! What operations of both programs read and write, over the objects of the modified one.
//!
//! An object of the original has the number of the object of the modified program that it is. What exists in both with
//! different types is *foreign*: it may always differ, so it is in no set, and who reads it reads what may differ. What only
//! the original has, and what never changes, is left out: no operation that is the same in both mentions it, and no pointer
//! that agrees leads there.
//! Rests on the objects of a program and on where its pointers lead, which are computed as for the detectors (with the same
//! code: `semantics::objects`, `semantics::pointsto`); what an operation does to them is computed here.
//! No function is active twice: the locals of each are single objects.

use std::rc::Rc;

use formats::certificate::CertifiedObject;
use program::cfa::{Cfa, EdgeId, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::known::{Moves, special};
use program::types::{Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::facts::Facts;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::{ObjectKind, Objects, Root, root};
use semantics::pointsto::PointsTo;

use crate::map::Map;
use crate::outside::{self, is_constant};

/// What an operation does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    pub(crate) reads: ObjectSet,
    /// It reads something foreign.
    pub(crate) reads_foreign: bool,
    pub(crate) writes: ObjectSet,
    /// What it certainly overwrites as a whole.
    pub(crate) kills: ObjectSet,
}

/// What an object is in terms of the modified program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Object(ObjectId),
    Foreign,
    LeftOut,
}

/// One of the two programs.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) cfa: &'a Cfa,
    objects: Objects,
    points_to: PointsTo,
    numbers: Vec<Number>,
    known: FxHashMap<EdgeId, Rc<Access>>,
}

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

impl<'a> Program<'a> {
    fn new(facts: &Facts<'a>, objects: Objects) -> Self {
        let points_to = PointsTo::new(facts.cfa(), facts.calls(), &objects);
        let numbers = vec![Number::LeftOut; objects.len()];
        Self { cfa: facts.cfa(), objects, points_to, numbers, known: FxHashMap::default() }
    }

    /// A set in terms of the modified program, and whether something foreign was in it.
    fn translate(&self, set: &ObjectSet) -> (ObjectSet, bool) {
        let mut foreign = false;
        let object = |object: ObjectId| match self.numbers[object.index()] {
            Number::Object(number) => Some(number),
            Number::Foreign => {
                foreign = true;
                None
            }
            Number::LeftOut => None,
        };
        let translated = set.iter().filter_map(object).collect();
        (translated, foreign)
    }

    /// The objects of a variable.
    pub(crate) fn variable(&self, variable: VarId) -> ObjectSet {
        self.translate(&self.objects.of_variable(variable).set()).0
    }

    /// The same if writing the variable overwrites all of it, and the other program has all of it; else nothing.
    pub(crate) fn whole(&self, variable: VarId) -> ObjectSet {
        let set = self.objects.of_variable(variable).set();
        let is_plain = |object| self.objects.is_single(object) && matches!(self.numbers[object.index()], Number::Object(_));
        if set.iter().all(is_plain) { self.translate(&set).0 } else { ObjectSet::new() }
    }

    /// What the value of an expression, or the address of a place, depends on.
    pub(crate) fn reads(&self, expr: ExprId) -> (ObjectSet, bool) {
        let mut raw = ObjectSet::new();
        self.add_reads(expr, &mut raw);
        self.translate(&raw)
    }

    fn add_reads(&self, expr: ExprId, raw: &mut ObjectSet) {
        let mut open = vec![expr];
        let mut met = FxHashSet::default();
        while let Some(expr) = open.pop() {
            if !met.insert(expr) {
                continue;
            }
            if let Expr::Load(place) = *self.cfa.exprs.get(expr) {
                raw.union_with(&self.place(place));
            }
            open.extend(self.cfa.exprs.get(expr).operands());
        }
    }

    /// The objects a place may be in.
    fn place(&self, place: ExprId) -> ObjectSet {
        match (self.objects.direct(self.cfa, place), root(self.cfa, place)) {
            (Some(range), _) => range.set(),
            (None, Some(Root::Pointer { pointer, .. })) => self.points_to.targets(pointer).clone(),
            (None, Some(Root::Variable(_)) | None) => self.points_to.anything().clone(),
        }
    }

    /// What a store to a place certainly overwrites.
    fn overwritten(&self, place: ExprId) -> ObjectSet {
        let all = match self.objects.direct(self.cfa, place) {
            Some(range) if range.whole => range.set(),
            Some(_) => return ObjectSet::new(),
            None => match self.place(place).only() {
                // No object has a part of its own type.
                Some(only) if self.objects.get(only).ty == Some(self.cfa.exprs.ty(place)) => ObjectSet::single(only),
                Some(_) | None => return ObjectSet::new(),
            },
        };
        all.iter().filter(|object| self.objects.is_single(*object)).collect()
    }

    /// What the step along an edge does: for a call that enters a body, binding the parameters; for a return, reading the value.
    pub(crate) fn of(&mut self, edge: EdgeId) -> Rc<Access> {
        if let Some(known) = self.known.get(&edge) {
            return Rc::clone(known);
        }
        let (mut reads, mut writes, mut kills) = (ObjectSet::new(), ObjectSet::new(), ObjectSet::new());
        self.add_access(edge, &mut reads, &mut writes, &mut kills);
        let (reads, reads_foreign) = self.translate(&reads);
        let access = Access { reads, reads_foreign, writes: self.translate(&writes).0, kills: self.translate(&kills).0 };
        let access = Rc::new(access);
        self.known.insert(edge, Rc::clone(&access));
        access
    }

    fn add_access(&self, edge: EdgeId, reads: &mut ObjectSet, writes: &mut ObjectSet, kills: &mut ObjectSet) {
        let write_variable = |variable: VarId, writes: &mut ObjectSet, kills: &mut ObjectSet| {
            let all = self.objects.of_variable(variable).set();
            kills.extend(all.iter().filter(|object| self.objects.is_single(*object)));
            writes.union_with(&all);
        };
        match &self.cfa.edge(edge).operation {
            Operation::Blank | Operation::Return { value: None } => {}
            Operation::Havoc { variable, .. } => {
                if let Some(variable) = variable {
                    write_variable(*variable, writes, kills);
                }
            }
            Operation::Declare { variable } => write_variable(*variable, writes, kills),
            Operation::Assume { condition: value, .. } | Operation::Return { value: Some(value) } => {
                self.add_reads(*value, reads)
            }
            Operation::Assign { place, value } => {
                self.add_reads(*place, reads);
                self.add_reads(*value, reads);
                writes.union_with(&self.place(*place));
                kills.union_with(&self.overwritten(*place));
            }
            Operation::Call { callee, arguments, result } => {
                arguments.iter().for_each(|argument| self.add_reads(*argument, reads));
                if self.cfa.enters(*callee) {
                    let parameters = &self.cfa.function(*callee).parameters;
                    parameters.iter().for_each(|parameter| write_variable(*parameter, writes, kills));
                } else {
                    if let Some(result) = result {
                        write_variable(*result, writes, kills);
                    }
                    self.add_external(edge, arguments, reads, writes);
                }
            }
            Operation::Asm(asm) => {
                for operand in asm.inputs.iter().chain(&asm.outputs) {
                    self.add_reads(operand.expr, reads);
                    if self.cfa.exprs.get(operand.expr).is_place() {
                        reads.union_with(&self.place(operand.expr));
                    }
                }
                asm.outputs.iter().for_each(|operand| {
                    writes.union_with(&self.place(operand.expr));
                });
                if asm.clobbers.iter().any(|clobber| &**clobber == "memory") {
                    reads.union_with(self.points_to.anything());
                    writes.union_with(self.points_to.anything());
                }
            }
            Operation::Unsupported { .. } => {
                reads.union_with(&self.objects.all());
                writes.union_with(&self.objects.all());
            }
        }
    }

    /// What a function without a body does besides yielding a result.
    fn add_external(&self, edge: EdgeId, arguments: &[ExprId], reads: &mut ObjectSet, writes: &mut ObjectSet) {
        let Some(callee) = self.cfa.called(edge) else { return };
        let function = self.cfa.function(callee);
        let lead = |arguments: &[ExprId]| {
            arguments.iter().fold(ObjectSet::new(), |all, argument| all.union(self.points_to.targets(*argument)))
        };
        // An integer that was made of a pointer leads there; of another nobody knows, but it is no address either.
        let leads = |argument: &ExprId| {
            matches!(self.cfa.types.get(self.cfa.exprs.ty(*argument)), Type::Pointer(_))
                || !self.points_to.targets(*argument).contains(ObjectId::EXTERNAL)
        };
        let pointers: Vec<ExprId> = arguments.iter().copied().filter(leads).collect();
        match function.known {
            Some(Known::Error | Known::NoReturn | Known::Free | Known::Input) => {}
            Some(Known::Pure) => {
                reads.union_with(&lead(&pointers));
            }
            Some(Known::Allocate) => {
                reads.union_with(&lead(&pointers));
                writes.extend(self.objects.heap(edge));
            }
            Some(Known::Memory) => {
                reads.union_with(&lead(&pointers));
                let first = arguments.get(..1).unwrap_or_default();
                match special(&function.name).and_then(|row| row.moves) {
                    Some(Moves::Read) => {}
                    Some(Moves::Fill | Moves::Copy { .. }) => {
                        writes.union_with(&lead(first));
                    }
                    None => {
                        writes.union_with(self.points_to.anything());
                    }
                }
            }
            None => {
                writes.union_with(self.points_to.anything());
            }
            Some(Known::Unsupported) => {
                reads.union_with(&self.objects.all());
                writes.union_with(&self.objects.all());
            }
        }
    }

    /// What a call of a function without a body writes besides its result.
    pub(crate) fn memory_writes(&mut self, edge: EdgeId) -> ObjectSet {
        let mut writes = self.of(edge).writes.clone();
        if let Some(result) = self.cfa.edge(edge).operation.result() {
            writes.subtract(&self.variable(result));
        }
        writes
    }

    /// Whether an argument may lead code outside the program to memory of the program that can be written.
    pub(crate) fn leads_inside(&self, argument: ExprId) -> bool {
        if is_constant(self.cfa, argument) {
            return false;
        }
        let targets = self.points_to.targets(argument);
        let is_number = !matches!(self.cfa.types.get(self.cfa.exprs.ty(argument)), Type::Pointer(_));
        !(is_number && targets.only() == Some(ObjectId::EXTERNAL)) && !targets.iter().all(|object| self.is_literal(object))
    }

    fn is_literal(&self, object: ObjectId) -> bool {
        let variable = self.objects.variable_of(object);
        variable.is_some_and(|v| matches!(self.cfa.variable(v).kind, VarKind::StringLiteral(_)))
    }

    /// The object a call allocates, in terms of the modified program.
    pub(crate) fn allocated(&self, edge: EdgeId) -> Option<ObjectId> {
        match self.numbers[self.objects.heap(edge)?.index()] {
            Number::Object(object) => Some(object),
            Number::Foreign | Number::LeftOut => None,
        }
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

/// Whether an object of a type may hold pointers.
pub(crate) fn holds_pointers(cfa: &Cfa, ty: TypeId) -> bool {
    let mut open = vec![ty];
    let mut met = FxHashSet::default();
    while let Some(ty) = open.pop() {
        if !met.insert(ty) {
            continue;
        }
        match cfa.types.get(ty) {
            Type::Pointer(_) | Type::VaList => return true,
            Type::Array { element, .. } => open.push(element.ty),
            Type::Record(record) => open.extend(cfa.types.record(*record).fields.iter().map(|field| field.ty.ty)),
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
