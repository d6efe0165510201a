//! What operations read, may write and certainly overwrite, as sets of memory objects.
//!
//! In the interprocedural form: the step along a call edge into a body binds the parameters, the step along a return edge
//! assigns the result at the call site returned to, the call of a function without a body is one operation.
//! * `uses`: objects the operation's outcome depends on, those that determine *where* it writes included;
//! * `defs`: objects it may change; a store through a pointer may change all its targets;
//! * `kills ⊆ defs`: objects it overwrites completely for certain: single ones, whole (a store to a member, element or
//!   bit-field of an object never is whole).
//!
//! Externals (ALGORITHM.md 2.5 of `diffdp`): write everything that escaped, yield arbitrary results. Their outcome is an input that
//! may depend on the arguments and what these are known to point to; it is not traced through their hidden state.
//! Does not know values: whether two operations agree is the matter of the detectors.

use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use program::cfa::{Cfa, EdgeId, Function, FunctionId, InlineAsm, Known, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::known::Moves;

use crate::callgraph::{CallGraph, external_returns};
use crate::object_set::{ObjectId, ObjectSet};
use crate::objects::{Objects, Root, root};
use crate::pointsto::{PointsTo, memory_function};

/// What an operation does to memory.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'a> {
    /// What its outcome depends on.
    pub uses: &'a ObjectSet,
    /// What it may change.
    pub defs: &'a ObjectSet,
    /// What it certainly overwrites as a whole.
    pub kills: &'a ObjectSet,
    /// It always completes, whatever the data: it may be skipped or taken like an assignment. Undefined behaviour is
    /// ignored. For a call that enters a body only the binding of the parameters is meant.
    pub completes: bool,
    /// What it writes is an input or indeterminate, so any value may be chosen.
    pub arbitrary: bool,
}

/// What a whole call of a function may read and write, with all it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Objects that may be read.
    pub refs: ObjectSet,
    /// Objects that may be written.
    pub mods: ObjectSet,
}

/// The effects of all operations of a program.
#[derive(Clone, Debug)]
pub struct Effects {
    sets: Sets,
    of_expression: Vec<SetId>,
    reads_input: FixedBitSet,
    edges: Vec<Stored>,
    results: Vec<Stored>,
    summaries: Vec<Summary>,
}

impl Effects {
    /// Computes the effects of all operations. Time linear in the program and the sizes of the sets.
    #[must_use]
    pub fn new(cfa: &Cfa, calls: &CallGraph, objects: &Objects, points_to: &PointsTo) -> Self {
        let mut builder = Builder::new(cfa, objects, points_to);
        builder.add_expressions();
        for edge in cfa.edge_ids() {
            let stored = builder.edge(edge);
            builder.effects.edges.push(stored);
            let result = builder.result_at(edge);
            builder.effects.results.push(result);
        }
        let mut effects = builder.effects;
        effects.summarise(cfa, calls);
        effects
    }

    /// The effect of the step along an edge. For a call that enters a body: binding the parameters. For a return:
    /// reading the value; see [`Self::returning`] for the whole step.
    #[must_use]
    pub fn of(&self, edge: EdgeId) -> Effect<'_> {
        self.effect(self.edges[edge.index()])
    }

    /// The effect of the step along return edge `from` to behind the call edge `to`: the result is assigned there.
    #[must_use]
    pub fn returning(&self, cfa: &Cfa, from: EdgeId, to: EdgeId) -> Effect<'_> {
        let (read, write) = (self.edges[from.index()], self.results[to.index()]);
        let arbitrary = matches!(cfa.edge(from).operation, Operation::Return { value: None });
        self.effect(Stored { uses: read.uses, arbitrary, ..write })
    }

    /// What the value of an expression depends on; for a place, what its address depends on.
    #[must_use]
    pub fn uses_of(&self, expr: ExprId) -> &ObjectSet {
        self.sets.get(self.of_expression[expr.index()])
    }

    /// Whether evaluating an expression reads an input: a volatile access that may be outside the program.
    #[must_use]
    pub fn reads_input(&self, expr: ExprId) -> bool {
        self.reads_input.contains(expr.index())
    }

    /// What a call of a function with a body may read and write, parameters and locals included.
    #[must_use]
    pub fn summary(&self, function: FunctionId) -> &Summary {
        &self.summaries[function.index()]
    }

    /// What a call edge may read and write until behind the call, arguments and result included.
    #[must_use]
    pub fn whole_call(&self, cfa: &Cfa, edge: EdgeId) -> Summary {
        let binding = self.of(edge);
        let mut whole = Summary { refs: binding.uses.clone(), mods: binding.defs.clone() };
        if let Some(callee) = cfa.entered_callee(edge) {
            let summary = self.summary(callee);
            whole.refs.union_with(&summary.refs);
            whole.mods.union_with(&summary.mods);
            whole.mods.union_with(self.sets.get(self.results[edge.index()].defs));
        }
        whole
    }

    fn effect(&self, stored: Stored) -> Effect<'_> {
        Effect {
            uses: self.sets.get(stored.uses),
            defs: self.sets.get(stored.defs),
            kills: self.sets.get(stored.kills),
            completes: stored.completes,
            arbitrary: stored.arbitrary,
        }
    }

    fn summarise(&mut self, cfa: &Cfa, calls: &CallGraph) {
        let mut own = vec![Summary::default(); cfa.functions.len()];
        for edge in cfa.edge_ids() {
            let function = cfa.location(cfa.edge(edge).source).function;
            let summary = &mut own[function.index()];
            let effect = self.of(edge);
            summary.refs.union_with(effect.uses);
            summary.mods.union_with(effect.defs);
            summary.mods.union_with(self.sets.get(self.results[edge.index()].defs));
        }
        // Callees first; the functions of a recursive component share one summary.
        for group in calls.bottom_up().chunk_by(|&a, &b| calls.same_component(a, b)) {
            let mut shared = Summary::default();
            for &function in group {
                let callees = calls.callees(function).iter().map(|c| &own[c.index()]);
                for summary in std::iter::once(&own[function.index()]).chain(callees) {
                    shared.refs.union_with(&summary.refs);
                    shared.mods.union_with(&summary.mods);
                }
            }
            for &function in group {
                own[function.index()] = shared.clone();
            }
        }
        self.summaries = own;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SetId(u32);

impl SetId {
    const EMPTY: Self = Self(0);
}

/// Sets by number, each once.
#[derive(Clone, Debug)]
struct Sets {
    sets: IndexSet<ObjectSet, rustc_hash::FxBuildHasher>,
}

impl Sets {
    fn add(&mut self, set: ObjectSet) -> SetId {
        SetId(u32::try_from(self.sets.insert_full(set).0).unwrap_or(0))
    }

    fn get(&self, id: SetId) -> &ObjectSet {
        &self.sets[id.0 as usize]
    }
}

#[derive(Clone, Copy, Debug)]
struct Stored {
    uses: SetId,
    defs: SetId,
    kills: SetId,
    completes: bool,
    arbitrary: bool,
}

impl Stored {
    const NOTHING: Self = Self { uses: SetId::EMPTY, defs: SetId::EMPTY, kills: SetId::EMPTY, completes: true, arbitrary: false };
}

/// Objects written: possibly, and for certain.
#[derive(Clone, Debug, Default)]
struct Written {
    defs: ObjectSet,
    kills: ObjectSet,
}

struct Builder<'a> {
    cfa: &'a Cfa,
    objects: &'a Objects,
    points_to: &'a PointsTo,
    effects: Effects,
    /// The set of all objects.
    all: Option<SetId>,
}

impl<'a> Builder<'a> {
    fn new(cfa: &'a Cfa, objects: &'a Objects, points_to: &'a PointsTo) -> Self {
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
    fn add_expressions(&mut self) {
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

    fn edge(&mut self, edge: EdgeId) -> Stored {
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
        Stored { completes: external_returns(known), arbitrary, ..self.stored(uses, written) }
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
    fn result_at(&mut self, edge: EdgeId) -> Stored {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::Loops;
    use crate::test_program::TestProgram;

    struct Fixture {
        cfa: Cfa,
        objects: Objects,
        effects: Effects,
    }

    impl Fixture {
        fn new(p: TestProgram) -> Self {
            let cfa = p.build();
            let calls = CallGraph::new(&cfa, &Loops::new(&cfa));
            let objects = Objects::new(&cfa, &calls);
            let points_to = PointsTo::new(&cfa, &calls, &objects);
            let effects = Effects::new(&cfa, &calls, &objects, &points_to);
            Self { cfa, objects, effects }
        }

        fn names(&self, set: &ObjectSet) -> String {
            let names: Vec<_> = set.iter().map(|o| self.objects.name(&self.cfa, o).replace("main::", "")).collect();
            names.join(" ")
        }

        /// `uses / defs / kills`.
        fn show(&self, effect: Effect<'_>) -> String {
            [effect.uses, effect.defs, effect.kills].map(|s| self.names(s)).join(" / ")
        }

        fn of(&self, edge: EdgeId) -> String {
            self.show(self.effects.of(edge))
        }
    }

    /// p04, p39: a store through a pointer kills only the one object it must hit.
    #[test]
    fn stores_through_pointers_write_their_targets() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let (x, y, n) = (p.local("x", p.int, main), p.local("y", p.int, main), p.local("n", p.int, main));
        let (one, two) = (p.local("p", p.pointer, main), p.local("q", p.pointer, main));
        let mut at = p.entry(main);
        for (to, of) in [(one, x), (two, x), (two, y)] {
            let (place, value) = (p.place(to), p.address_of(of));
            p.assign(&mut at, place, value);
        }
        let value = p.value(n);
        let (first, second) = (p.target(one), p.target(two));
        let sure = p.assign(&mut at, first, value);
        let unsure = p.assign(&mut at, second, value);
        let place = p.place(n);
        let read = p.load(second);
        let load = p.assign(&mut at, place, read);
        let f = Fixture::new(p);
        assert_eq!(f.of(sure), "n p / x / x");
        assert_eq!(f.of(unsure), "n q / x y / ");
        assert_eq!(f.of(load), "x y q / n / n");
    }

    /// p29, p35, p36: members of one object, elements and affected indices never clear it.
    #[test]
    fn parts_of_an_object_are_never_killed() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let record = p.record(&[p.int, p.int]);
        let (split, whole) = (p.local("s", record, main), p.local("t", record, main));
        let array = p.local("a", record, main);
        let i = p.local("i", p.int, main);
        let kept = p.local("kept", p.pointer, main);
        let mut at = p.entry(main);
        let (place, address) = (p.place(kept), p.address_of(whole));
        p.assign(&mut at, place, address);
        let zero = p.constant(0);
        let s = p.place(split);
        let member = p.field(s, 1);
        let by_name = p.assign(&mut at, member, zero);
        let t = p.place(whole);
        let member = p.field(t, 1);
        let part = p.assign(&mut at, member, zero);
        let (place, index) = (p.place(array), p.value(i));
        let element = p.expr(Expr::Index(place, index), p.int);
        let indexed = p.assign(&mut at, element, zero);
        let value = p.load(t);
        let copy = p.assign(&mut at, s, value);
        let f = Fixture::new(p);
        assert_eq!(f.of(by_name), " / s.(unnamed) / s.(unnamed)");
        assert_eq!(f.of(part), " / t / ");
        assert_eq!(f.of(indexed), "i / a.(unnamed) a.(unnamed) / ");
        assert_eq!(f.of(copy), "t / s.(unnamed) s.(unnamed) / s.(unnamed) s.(unnamed)");
    }

    #[test]
    fn calls_bind_and_returns_assign_at_the_call() {
        let mut p = TestProgram::new();
        let (main, g) = (p.function("main"), p.function("g"));
        let (x, y) = (p.local("x", p.int, main), p.local("y", p.int, main));
        let (a, total) = (p.parameter("a", p.int, g), p.global("total", p.int));
        let mut at = p.entry(main);
        let value = p.value(x);
        let call = p.call(&mut at, g, &[value], Some(y));
        p.finish_function(at, None);
        let mut at = p.entry(g);
        let (place, value) = (p.place(total), p.value(a));
        p.assign(&mut at, place, value);
        let back = p.finish_function(at, Some(value));
        let f = Fixture::new(p);
        assert_eq!(f.of(call), "x / g::a / g::a");
        assert_eq!(f.show(f.effects.returning(&f.cfa, back, call)), "g::a / y / y");
        let whole = f.effects.whole_call(&f.cfa, call);
        assert_eq!(f.names(&whole.refs), "x g::a");
        assert_eq!(f.names(&whole.mods), "y g::a total");
        assert_eq!(f.names(&f.effects.summary(main).mods), "y g::a total");
    }

    #[test]
    fn externals_write_what_escaped_and_only_known_ones_do_not() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let (unknown, pure) = (p.external("ioctl", None), p.external("printf", Some(Known::Pure)));
        let abort = p.external("abort", Some(Known::NoReturn));
        let (x, y, r) = (p.local("x", p.int, main), p.local("y", p.int, main), p.local("r", p.int, main));
        let mut at = p.entry(main);
        let address = p.address_of(x);
        p.address_of(y);
        let call = p.call(&mut at, unknown, &[address], Some(r));
        let later = p.call(&mut at, unknown, &[], None);
        let print = p.call(&mut at, pure, &[address], Some(r));
        let stop = p.call(&mut at, abort, &[], None);
        let f = Fixture::new(p);
        assert_eq!(f.of(call), "x / external memory x r / r");
        assert_eq!(f.of(later), " / external memory x / ");
        assert_eq!(f.of(print), "x / r / r");
        assert!(f.effects.of(call).completes && !f.effects.of(stop).completes);
    }

    #[test]
    fn inputs_declarations_and_the_unknown() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let input = p.external("__VERIFIER_nondet_int", Some(Known::Input));
        let x = p.local("x", p.int, main);
        let mut at = p.entry(main);
        let declare = p.then(&mut at, Operation::Declare { variable: x });
        let havoc = p.then(&mut at, Operation::Havoc { variable: Some(x), input });
        let unknown = p.then(&mut at, Operation::Unsupported { construct: "va_arg".into() });
        let f = Fixture::new(p);
        for edge in [declare, havoc] {
            assert_eq!(f.of(edge), " / x / x");
            assert!(f.effects.of(edge).arbitrary && f.effects.of(edge).completes);
        }
        assert_eq!(f.of(unknown), "external memory x / external memory x / ");
        assert!(!f.effects.of(unknown).completes);
    }

    /// A volatile access is an input only where its pointer may leave the program.
    #[test]
    fn volatile_reads_of_own_objects_are_no_inputs() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let x = p.local("x", p.int, main);
        let (own, device) = (p.local("p", p.pointer, main), p.local("q", p.pointer, main));
        let mut at = p.entry(main);
        let (place, value) = (p.place(own), p.address_of(x));
        p.assign(&mut at, place, value);
        let seven = p.constant(7);
        let (place, value) = (p.place(device), p.cast(seven, p.pointer));
        p.assign(&mut at, place, value);
        let reads = [own, device].map(|v| {
            let pointer = p.value(v);
            let place = p.expr(Expr::Dereference { pointer, volatile: true }, p.int);
            p.load(place)
        });
        let f = Fixture::new(p);
        assert_eq!(reads.map(|r| f.effects.reads_input(r)), [false, true]);
        assert_eq!(f.names(f.effects.uses_of(reads[0])), "x p");
        assert_eq!(f.names(f.effects.uses_of(reads[1])), "external memory q");
    }
}
