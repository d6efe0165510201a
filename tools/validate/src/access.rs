//! What operations of one program read and write, over the objects of the modified one.
//!
//! Rests on the objects of the program and on where its pointers lead, which are computed as for the detectors; what an
//! operation does to them is computed here, expression by expression. No function is active twice: the locals of each are
//! single objects. Objects get their numbers from [`crate::touch`], which knows both programs.

use std::rc::Rc;

use program::cfa::{Cfa, EdgeId, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::known::{Moves, special};
use program::types::{Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::facts::Facts;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::{Objects, Root, root};
use semantics::pointsto::PointsTo;

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
pub(crate) enum Number {
    Object(ObjectId),
    Foreign,
    LeftOut,
}

/// One of the two programs.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) cfa: &'a Cfa,
    pub(crate) objects: Objects,
    pub(crate) points_to: PointsTo,
    pub(crate) numbers: Vec<Number>,
    known: FxHashMap<EdgeId, Rc<Access>>,
}

impl<'a> Program<'a> {
    pub(crate) fn new(facts: &Facts<'a>, objects: Objects) -> Self {
        let points_to = PointsTo::new(facts.cfa(), facts.calls(), &objects);
        let numbers = vec![Number::LeftOut; objects.len()];
        Self { cfa: facts.cfa(), objects, points_to, numbers, known: FxHashMap::default() }
    }

    /// A set in terms of the modified program, and whether something foreign was in it.
    pub(crate) fn translate(&self, set: &ObjectSet) -> (ObjectSet, bool) {
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
    pub(crate) fn place(&self, place: ExprId) -> ObjectSet {
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

    /// What the step along an edge may write, by the program's own numbers.
    pub(crate) fn raw_writes(&self, edge: EdgeId) -> ObjectSet {
        let (mut reads, mut writes, mut kills) = (ObjectSet::new(), ObjectSet::new(), ObjectSet::new());
        self.add_access(edge, &mut reads, &mut writes, &mut kills);
        writes
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
        let leads_outside = is_number && targets.only() == Some(ObjectId::EXTERNAL);
        let leads_to_text = targets.iter().all(|object| self.is_literal(object));
        !leads_outside && !leads_to_text
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

/// A number or the address of a function, cast or not: nothing that can be written to.
fn is_constant(cfa: &Cfa, expr: ExprId) -> bool {
    let mut at = expr;
    while let Expr::Cast(inner) = cfa.exprs.get(at) {
        at = *inner;
    }
    matches!(cfa.exprs.get(at), Expr::Int(_) | Expr::Float(_) | Expr::FunctionAddress(_))
}
