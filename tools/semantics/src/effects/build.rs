//! The effect of each expression and each edge, from its form and from where pointers lead.
//!
//! Invariant: operands have their sets before the expressions that they stand in.
//! Does not know what a whole call does; that is summed up of the edges of all functions it may enter.

use fixedbitset::FixedBitSet;
use program::cfa::{Cfa, EdgeId, Function, FunctionId, InlineAsm, Known, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::known::Moves;

use super::{Effects, SetId, Sets, Stored};
use crate::callgraph::certainly_returns;
use crate::object_set::{ObjectId, ObjectSet};
use crate::objects::{Objects, Root, root};
use crate::pointsto::{PointsTo, memory_function};

/// Objects written: possibly, and for certain.
#[derive(Clone, Debug, Default)]
struct Written {
    defs: ObjectSet,
    kills: ObjectSet,
}

pub(super) struct Builder<'a> {
    cfa: &'a Cfa,
    objects: &'a Objects,
    points_to: &'a PointsTo,
    pub(super) effects: Effects,
    /// The set of all objects.
    all: Option<SetId>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(cfa: &'a Cfa, objects: &'a Objects, points_to: &'a PointsTo) -> Self {
        let effects = Effects {
            sets: Sets { sets: std::iter::once(ObjectSet::new()).collect() },
            of_expression: Vec::with_capacity(cfa.exprs.len()),
            reads_input: FixedBitSet::with_capacity(cfa.exprs.len()),
            edges: Vec::with_capacity(cfa.edges.len()),
            results: Vec::with_capacity(cfa.edges.len()),
            summaries: Vec::new(),
        };
        Self { cfa, objects, points_to, effects, all: None }
    }

    /// Operands come before the expressions they stand in.
    pub(super) fn add_expressions(&mut self) {
        for id in (0..self.cfa.exprs.len()).map(ExprId::new) {
            let expr = self.cfa.exprs.get(id);
            let mut input = expr.operands().any(|o| self.effects.reads_input.contains(o.index()));
            let mut operands = expr.operands().map(|o| self.effects.of_expression[o.index()]).filter(|&s| s != SetId::EMPTY);
            let (first, second) = (operands.next(), operands.next());
            let set = if let Expr::Load(place) = *expr {
                input |= self.is_outside_volatile(place);
                let mut uses = self.effects.sets.get(first.unwrap_or(SetId::EMPTY)).clone();
                uses.union_with(&self.place_objects(place));
                self.effects.sets.add(uses)
            } else if let Some(second) = second.filter(|&s| Some(s) != first || expr.operands().count() > 2) {
                let mut uses = self.effects.sets.get(second).clone();
                for operand in expr.operands() {
                    uses.union_with(self.effects.uses_of(operand));
                }
                self.effects.sets.add(uses)
            } else {
                first.unwrap_or(SetId::EMPTY)
            };
            self.effects.of_expression.push(set);
            self.effects.reads_input.set(id.index(), input);
        }
    }

    fn is_outside_volatile(&self, place: ExprId) -> bool {
        match root(self.cfa, place) {
            Some(Root::Pointer { pointer, volatile }) => volatile && self.points_to.targets(pointer).contains(ObjectId::EXTERNAL),
            Some(Root::Variable(_)) | None => false,
        }
    }

    /// The objects a place may lie in.
    fn place_objects(&self, place: ExprId) -> ObjectSet {
        if let Some(range) = self.objects.direct(self.cfa, place) {
            return range.set();
        }
        match root(self.cfa, place) {
            Some(Root::Pointer { pointer, .. }) => self.points_to.targets(pointer).clone(),
            Some(Root::Variable(_)) | None => self.points_to.anything().clone(),
        }
    }

    fn written_place(&self, place: ExprId) -> Written {
        if let Some(range) = self.objects.direct(self.cfa, place) {
            let defs = range.set();
            let kills = if range.whole { self.singles(&defs) } else { ObjectSet::new() };
            return Written { defs, kills };
        }
        let defs = self.place_objects(place);
        // A place of the object's own type is all of it: no object contains another of its own type.
        let only = defs.only().filter(|&o| self.objects.get(o).ty == Some(self.cfa.exprs.ty(place)));
        let kills = only.map(|o| self.singles(&ObjectSet::single(o))).unwrap_or_default();
        Written { defs, kills }
    }

    fn written_variable(&self, variable: VarId) -> Written {
        let defs = self.objects.of_variable(variable).set();
        let kills = self.singles(&defs);
        Written { defs, kills }
    }

    fn written_result(&self, result: Option<VarId>) -> Written {
        result.map(|r| self.written_variable(r)).unwrap_or_default()
    }

    fn singles(&self, objects: &ObjectSet) -> ObjectSet {
        objects.iter().filter(|&o| self.objects.is_single(o)).collect()
    }

    fn stored(&mut self, uses: ObjectSet, written: Written) -> Stored {
        let sets = &mut self.effects.sets;
        Stored { uses: sets.add(uses), defs: sets.add(written.defs), kills: sets.add(written.kills), ..Stored::NOTHING }
    }

    pub(super) fn edge(&mut self, edge: EdgeId) -> Stored {
        let cfa = self.cfa;
        match &cfa.edge(edge).operation {
            Operation::Blank | Operation::Return { value: None } => Stored::NOTHING,
            Operation::Declare { variable } | Operation::Havoc { variable: Some(variable), .. } => {
                let written = self.written_variable(*variable);
                Stored { arbitrary: true, ..self.stored(ObjectSet::new(), written) }
            }
            Operation::Havoc { variable: None, .. } => Stored { arbitrary: true, ..Stored::NOTHING },
            Operation::Assume { condition, .. } => {
                let uses = self.effects.uses_of(*condition).clone();
                Stored { completes: false, ..self.stored(uses, Written::default()) }
            }
            Operation::Return { value: Some(value) } => {
                let uses = self.effects.uses_of(*value).clone();
                self.stored(uses, Written::default())
            }
            Operation::Assign { place, value } => {
                let uses = self.effects.uses_of(*place).union(self.effects.uses_of(*value));
                let written = self.written_place(*place);
                self.stored(uses, written)
            }
            Operation::Call { callee, arguments, result } => {
                if cfa.enters(*callee) {
                    self.binding(*callee, arguments)
                } else {
                    self.external(edge, cfa.function(*callee), arguments, *result)
                }
            }
            Operation::Asm(asm) => self.asm(asm),
            Operation::Unsupported { .. } => self.unknown(),
        }
    }

    /// Nothing is known: anything may be read and written, and it may not complete.
    fn unknown(&mut self) -> Stored {
        let (objects, sets) = (self.objects, &mut self.effects.sets);
        let all = *self.all.get_or_insert_with(|| sets.add(objects.all()));
        Stored { uses: all, defs: all, completes: false, ..Stored::NOTHING }
    }

    fn uses_of_all(&self, exprs: &[ExprId]) -> ObjectSet {
        exprs.iter().fold(ObjectSet::new(), |mut set, &e| {
            set.union_with(self.effects.uses_of(e));
            set
        })
    }

    fn binding(&mut self, callee: FunctionId, arguments: &[ExprId]) -> Stored {
        let uses = self.uses_of_all(arguments);
        let mut written = Written::default();
        for &parameter in &self.cfa.function(callee).parameters {
            let one = self.written_variable(parameter);
            written.defs.union_with(&one.defs);
            written.kills.union_with(&one.kills);
        }
        self.stored(uses, written)
    }

    /// What arguments point to, as far as it is known.
    fn known_targets(&self, arguments: &[ExprId]) -> ObjectSet {
        let mut set = ObjectSet::new();
        for &argument in arguments {
            let targets = self.points_to.targets(argument);
            if !targets.contains(ObjectId::EXTERNAL) {
                set.union_with(targets);
            }
        }
        set
    }

    fn external(&mut self, edge: EdgeId, callee: &Function, arguments: &[ExprId], result: Option<VarId>) -> Stored {
        let mut uses = self.uses_of_all(arguments);
        let mut written = self.written_result(result);
        let known = callee.known;
        match known {
            Some(Known::Unsupported) => return self.unknown(),
            Some(Known::Error | Known::NoReturn | Known::Free) => uses = ObjectSet::new(),
            Some(Known::Input) => {}
            Some(Known::Pure) => {
                uses.union_with(&self.known_targets(arguments));
            }
            Some(Known::Allocate) => {
                uses.union_with(&self.known_targets(arguments));
                written.defs.extend(self.objects.heap(edge));
            }
            Some(Known::Memory) if let Some(effect) = memory_function(&callee.name) => {
                self.memory(effect, arguments, &mut uses, &mut written);
            }
            Some(Known::Memory) | None => {
                uses.union_with(&self.known_targets(arguments));
                written.defs.union_with(self.points_to.anything());
            }
        }
        let arbitrary = known == Some(Known::Input);
        Stored { completes: certainly_returns(callee), arbitrary, ..self.stored(uses, written) }
    }

    fn memory(&self, effect: Moves, arguments: &[ExprId], uses: &mut ObjectSet, written: &mut Written) {
        let (to, from) = arguments.split_at(arguments.len().min(1));
        let targets = |exprs: &[ExprId]| exprs.iter().fold(ObjectSet::new(), |set, &e| set.union(self.points_to.targets(e)));
        match effect {
            Moves::Fill => {
                written.defs.union_with(&targets(to));
            }
            Moves::Read => {
                uses.union_with(&targets(arguments));
            }
            Moves::Copy { appends } => {
                // The number of bytes is an argument as well, but no pointer.
                uses.union_with(&targets(from.get(..1).unwrap_or_default()));
                if appends {
                    uses.union_with(&targets(to));
                }
                written.defs.union_with(&targets(to));
            }
        }
    }

    fn asm(&mut self, asm: &InlineAsm) -> Stored {
        let mut uses = ObjectSet::new();
        let mut written = Written::default();
        for operand in asm.inputs.iter().chain(&asm.outputs) {
            uses.union_with(self.effects.uses_of(operand.expr));
            if self.cfa.exprs.get(operand.expr).is_place() {
                uses.union_with(&self.place_objects(operand.expr));
            }
        }
        for operand in &asm.outputs {
            written.defs.union_with(&self.place_objects(operand.expr));
        }
        if asm.clobbers.iter().any(|c| &**c == "memory") {
            uses.union_with(self.points_to.anything());
            written.defs.union_with(self.points_to.anything());
        }
        Stored { completes: false, ..self.stored(uses, written) }
    }

    /// What the return to a call edge writes.
    pub(super) fn result_at(&mut self, edge: EdgeId) -> Stored {
        match self.cfa.edge(edge).operation {
            Operation::Call { callee, result, .. } if self.cfa.enters(callee) => {
                let written = self.written_result(result);
                self.stored(ObjectSet::new(), written)
            }
            Operation::Call { .. }
            | Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => Stored::NOTHING,
        }
    }
}
