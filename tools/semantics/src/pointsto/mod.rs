//! Where pointers may lead: whole-program, flow- and context-insensitive inclusion (Andersen).
//!
//! Sound for programs without undefined behaviour: dereferencing an indeterminate pointer, and arithmetic that leaves an
//! object, are undefined. Everything else is conservative:
//! * integers carry the pointers they were cast from; casting an integer that is no constant to a pointer yields
//!   *anything*, a constant other than zero external memory; a pointer that becomes data escapes what it points to;
//! * *anything* is external memory and every object that escaped: was passed to an external or to inline assembly,
//!   stored to external memory, cast to an integer, or is reachable from such an object; undefined globals have escaped.
//!   Externals return anything and may store anything in what escaped. Globals with external linkage that are defined
//!   here and never escape are not written by externals, and externals do not call back;
//! * members of one object are not told apart, so the contents of an object are one set.
//!
//! Does not know values or branches.

mod exposure;
mod solver;
#[cfg(test)]
mod tests;

use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use program::cfa::{Cfa, ConstantValue, EdgeId, FunctionId, InlineAsm, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId, UnaryOp};
use program::known::{Allocation, Moves, special};
use program::types::Type;

use self::exposure::Contents;
use self::solver::{Node, Solver};
use crate::callgraph::CallGraph;
use crate::object_set::{ObjectId, ObjectSet};
use crate::objects::{Objects, Root, root};

/// Where the pointers of a program may lead.
#[derive(Clone, Debug)]
pub struct PointsTo {
    sets: IndexSet<ObjectSet, rustc_hash::FxBuildHasher>,
    of_expression: Vec<u32>,
    anything: ObjectSet,
}

/// The number of the set `{external memory}` among the sets.
const EXTERNAL_ONLY: u32 = 0;

impl PointsTo {
    /// Solves the program. Time cubic at worst, near linear on real programs.
    #[must_use]
    pub fn new(cfa: &Cfa, calls: &CallGraph, objects: &Objects) -> Self {
        let mut builder = Builder::new(cfa, calls, objects);
        builder.add_constraints();
        builder.solver.solve();
        builder.finish()
    }

    /// The objects a pointer may point into; never empty. Also for an integer or aggregate that is kept somewhere or passed
    /// on: the objects of the pointers it was made of.
    #[must_use]
    pub fn targets(&self, pointer: ExprId) -> &ObjectSet {
        let number = self.of_expression.get(pointer.index()).copied().unwrap_or(EXTERNAL_ONLY);
        self.sets.get_index(number as usize).unwrap_or(&self.anything)
    }

    /// External memory and every object that escaped: what code outside the program may read and write.
    #[must_use]
    pub fn anything(&self) -> &ObjectSet {
        &self.anything
    }

    /// Whether code outside the program may know the address of an object.
    #[must_use]
    pub fn is_escaped(&self, object: ObjectId) -> bool {
        self.anything.contains(object)
    }
}

/// The effect of a function known as [`Known::Memory`], if its name is in the table.
pub(crate) fn memory_function(name: &str) -> Option<Moves> {
    special(name)?.moves
}

/// Whether a function gives a block back that it then may yield.
fn takes_back(name: &str) -> bool {
    special(name).and_then(|row| row.allocation).is_some_and(Allocation::takes_back)
}

struct Builder<'a> {
    cfa: &'a Cfa,
    objects: &'a Objects,
    solver: Solver,
    /// Functions that can be called at all.
    live: FixedBitSet,
    /// Expressions whose pointers matter, and their nodes. No node: no pointer.
    flows: FixedBitSet,
    nodes: Vec<Option<Node>>,
    results: Vec<Option<Node>>,
    contents: Contents<'a>,
    /// What constant addresses point to: external memory.
    constant: Node,
}

impl<'a> Builder<'a> {
    fn new(cfa: &'a Cfa, calls: &CallGraph, objects: &'a Objects) -> Self {
        let mut solver = Solver::new(objects.len());
        let constant = solver.node();
        solver.contains(constant, ObjectId::EXTERNAL);
        let live = calls.reachable_from(cfa.entry).into_iter().map(FunctionId::index).collect();
        Self {
            cfa,
            objects,
            solver,
            live,
            flows: FixedBitSet::with_capacity(cfa.exprs.len()),
            nodes: vec![None; cfa.exprs.len()],
            results: vec![None; cfa.functions.len()],
            contents: Contents::new(cfa),
            constant,
        }
    }

    fn add_constraints(&mut self) {
        self.find_exposing_loads();
        self.find_flows();
        for id in (0..self.cfa.exprs.len()).map(ExprId::new) {
            if self.flows.contains(id.index()) {
                self.nodes[id.index()] = self.expression(id);
            }
        }
        self.add_exposures();
        for variable in self.cfa.variable_ids() {
            self.add_initial(variable);
        }
        for edge in self.cfa.edge_ids() {
            if self.live.contains(self.cfa.location(self.cfa.edge(edge).source).function.index()) {
                self.add_edge(edge);
            }
        }
        for &parameter in &self.cfa.function(self.cfa.entry).parameters {
            for object in self.objects.of_variable(parameter).iter() {
                self.solver.contains(Node::content(object), ObjectId::EXTERNAL);
            }
        }
    }

    /// Marks the expressions whose pointers matter: all pointers, integers that are kept, and their operands. Integers that
    /// are only compared yield no pointer.
    fn find_flows(&mut self) {
        for edge in &self.cfa.edges {
            match &edge.operation {
                Operation::Assign { value, .. } | Operation::Return { value: Some(value) } => {
                    self.flows.insert(value.index());
                }
                Operation::Call { arguments, .. } => arguments.iter().for_each(|a| self.flows.insert(a.index())),
                Operation::Asm(asm) => asm.inputs.iter().for_each(|o| self.flows.insert(o.expr.index())),
                Operation::Declare { .. }
                | Operation::Assume { .. }
                | Operation::Havoc { .. }
                | Operation::Return { value: None }
                | Operation::Blank
                | Operation::Unsupported { .. } => {}
            }
        }
        for id in (0..self.cfa.exprs.len()).rev().map(ExprId::new) {
            let expr = *self.cfa.exprs.get(id);
            if self.is_pointer(id) && !expr.is_place() {
                self.flows.insert(id.index());
            }
            if self.flows.contains(id.index()) {
                for operand in self.flowing_operands(&expr) {
                    self.flows.insert(operand.index());
                }
            }
        }
    }

    /// The operands whose pointers may be in the value of an expression. Places are looked through by [`root`].
    fn flowing_operands(&self, expr: &Expr) -> Vec<ExprId> {
        match *expr {
            Expr::Unary(op, operand) => {
                if op == UnaryOp::Not {
                    vec![]
                } else {
                    vec![operand]
                }
            }
            Expr::Binary(op, left, right) => {
                if op.is_predicate() {
                    vec![]
                } else {
                    vec![left, right]
                }
            }
            Expr::PointerOffset { pointer, index, .. } => {
                if self.is_constant(pointer) {
                    vec![pointer, index]
                } else {
                    vec![pointer]
                }
            }
            Expr::PointerDifference { left, right, .. } => {
                if self.is_constant(left) || self.is_constant(right) {
                    vec![left, right]
                } else {
                    vec![]
                }
            }
            Expr::Cast(operand) => vec![operand],
            Expr::Conditional(_, then, otherwise) => vec![then, otherwise],
            Expr::Int(_)
            | Expr::Float(_)
            | Expr::Zero
            | Expr::Load(_)
            | Expr::AddressOf(_)
            | Expr::FunctionAddress(_)
            | Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..) => vec![],
        }
    }

    /// A constant, also when cast.
    fn is_constant(&self, expr: ExprId) -> bool {
        let mut at = expr;
        while let Expr::Cast(operand) = *self.cfa.exprs.get(at) {
            at = operand;
        }
        matches!(self.cfa.exprs.get(at), Expr::Int(_))
    }

    /// The node of an expression whose operands have theirs.
    fn expression(&mut self, id: ExprId) -> Option<Node> {
        let expr = *self.cfa.exprs.get(id);
        match expr {
            Expr::Int(value) => (value != 0 && self.is_pointer(id)).then_some(self.constant),
            Expr::Load(place) => self.loaded(id, place),
            Expr::AddressOf(place) => self.address(place),
            Expr::Cast(operand) => self.cast(id, operand),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Conditional(..) => {
                let mut operands: Vec<Node> = self.flowing_operands(&expr).iter().filter_map(|o| self.nodes[o.index()]).collect();
                operands.dedup();
                if matches!(expr, Expr::PointerDifference { .. }) {
                    operands.iter().for_each(|&o| self.solver.copy(o, Node::ESCAPED));
                }
                self.united(&operands)
            }
            Expr::Float(_)
            | Expr::Zero
            | Expr::FunctionAddress(_)
            | Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..) => None,
        }
    }

    fn united(&mut self, nodes: &[Node]) -> Option<Node> {
        if nodes.len() < 2 {
            return nodes.first().copied();
        }
        let union = self.solver.node();
        nodes.iter().for_each(|&n| self.solver.copy(n, union));
        Some(union)
    }

    fn loaded(&mut self, id: ExprId, place: ExprId) -> Option<Node> {
        let node = if let Some(range) = self.objects.direct(self.cfa, place) {
            let contents: Vec<Node> = range.iter().map(Node::content).collect();
            self.united(&contents)?
        } else {
            let node = self.solver.node();
            match self.pointer_of(place) {
                Some(pointer) => self.solver.load(pointer, node),
                None => self.solver.contains(node, self.solver.anything()),
            }
            node
        };
        if !(self.is_pointer(id) && self.is_punned(place)) {
            return Some(node);
        }
        // Whoever stored an integer in the union chose the pointer.
        let punned = self.solver.node();
        self.solver.copy(node, punned);
        self.solver.contains(punned, self.solver.anything());
        Some(punned)
    }

    /// The pointer through which a place is reached. Places behind pointers without any known target are in external
    /// memory: a null or indeterminate pointer is undefined, an address made of constants is not ours.
    fn pointer_of(&mut self, place: ExprId) -> Option<Node> {
        match root(self.cfa, place) {
            Some(Root::Pointer { pointer, .. }) => Some(self.nodes[pointer.index()].unwrap_or(self.constant)),
            Some(Root::Variable(_)) | None => None,
        }
    }

    fn address(&mut self, place: ExprId) -> Option<Node> {
        match root(self.cfa, place) {
            Some(Root::Variable(variable)) => {
                let node = self.solver.node();
                for object in self.objects.of_variable(variable).iter() {
                    self.solver.contains(node, object);
                }
                Some(node)
            }
            Some(Root::Pointer { pointer, .. }) => self.nodes[pointer.index()],
            None => Some(self.external()),
        }
    }

    fn external(&mut self) -> Node {
        let node = self.solver.node();
        self.solver.contains(node, self.solver.anything());
        node
    }

    fn cast(&mut self, id: ExprId, operand: ExprId) -> Option<Node> {
        if matches!(self.cfa.types.get(self.cfa.exprs.ty(id)), Type::Bool) {
            return None;
        }
        let inner = self.nodes[operand.index()];
        match (self.is_pointer(operand), self.is_pointer(id)) {
            (false, true) if self.is_constant(operand) => (!self.is_zero(operand)).then_some(self.constant),
            (false, true) => {
                let node = self.external();
                let made = self.solver.made();
                self.solver.contains(node, made);
                if let Some(inner) = inner {
                    self.solver.copy(inner, node);
                }
                Some(node)
            }
            (true, true) if self.is_reinterpretation(operand, id) => {
                let (node, punned) = (self.solver.node(), self.solver.punned());
                self.solver.contains(node, punned);
                if let Some(inner) = inner {
                    self.solver.copy(inner, node);
                }
                Some(node)
            }
            (true, true) | (true, false) | (false, false) => inner,
        }
    }

    fn is_zero(&self, expr: ExprId) -> bool {
        let mut at = expr;
        while let Expr::Cast(operand) = *self.cfa.exprs.get(at) {
            at = operand;
        }
        matches!(self.cfa.exprs.get(at), Expr::Int(0))
    }

    fn is_pointer(&self, expr: ExprId) -> bool {
        matches!(self.cfa.types.get(self.cfa.exprs.ty(expr)), Type::Pointer(_))
    }

    /// Whether a place lies in a union that has a member which is no pointer.
    fn is_punned(&self, place: ExprId) -> bool {
        let mut at = place;
        loop {
            match *self.cfa.exprs.get(at) {
                Expr::Field(inner, _) => {
                    if let Type::Record(id) = *self.cfa.types.get(self.cfa.exprs.ty(inner)) {
                        let record = self.cfa.types.record(id);
                        let pointer = |ty| matches!(self.cfa.types.get(ty), Type::Pointer(_));
                        if record.is_union && !record.fields.iter().all(|f| pointer(f.ty.ty)) {
                            return true;
                        }
                    }
                    at = inner;
                }
                Expr::Index(inner, _) => at = inner,
                Expr::Variable(_) | Expr::Dereference { .. } | value!() => return false,
            }
        }
    }

    fn add_initial(&mut self, variable: VarId) {
        let v = self.cfa.variable(variable);
        let range = self.objects.of_variable(variable);
        if matches!(v.kind, VarKind::Global { defined: false, .. }) {
            for object in range.iter() {
                self.solver.contains(Node::ESCAPED, object);
            }
        }
        let Some(initializer) = &v.initializer else { return };
        let content = range.iter().map(Node::content);
        for node in content {
            if initializer.unsupported.is_some() {
                self.solver.contains(node, self.solver.anything());
            }
            for scalar in &initializer.scalars {
                match scalar.value {
                    ConstantValue::Address { variable, .. } => {
                        for target in self.objects.of_variable(variable).iter() {
                            self.solver.contains(node, target);
                        }
                    }
                    ConstantValue::Int(value) => {
                        if value != 0 && matches!(self.cfa.types.get(scalar.ty), Type::Pointer(_)) {
                            self.solver.contains(node, ObjectId::EXTERNAL);
                        }
                    }
                    ConstantValue::Float(_) | ConstantValue::Function(_) => {}
                }
            }
        }
    }

    fn add_edge(&mut self, edge: EdgeId) {
        let cfa = self.cfa;
        match &cfa.edge(edge).operation {
            Operation::Assign { place, value } => {
                if let Some(value) = self.nodes[value.index()] {
                    self.store(value, *place);
                }
                self.store_data(*place);
            }
            Operation::Havoc { variable: Some(variable), .. } => self.store_anything(*variable),
            Operation::Call { callee, arguments, result } => {
                if cfa.enters(*callee) {
                    self.bind(*callee, arguments, *result);
                } else {
                    self.call_external(edge, *callee, arguments, *result);
                }
            }
            Operation::Return { value: Some(value) } => {
                if let Some(value) = self.nodes[value.index()] {
                    let function = cfa.location(cfa.edge(edge).source).function;
                    let result = self.result_of(function);
                    self.solver.copy(value, result);
                }
            }
            Operation::Asm(asm) => self.add_asm(asm),
            Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Havoc { variable: None, .. }
            | Operation::Return { value: None }
            | Operation::Blank
            | Operation::Unsupported { .. } => {}
        }
    }

    fn store(&mut self, value: Node, place: ExprId) {
        if let Some(range) = self.objects.direct(self.cfa, place) {
            range.iter().for_each(|o| self.solver.copy(value, Node::content(o)));
        } else {
            match self.pointer_of(place) {
                Some(pointer) => self.solver.store(value, pointer),
                None => self.solver.copy(value, Node::ESCAPED),
            }
        }
    }

    fn store_anything(&mut self, variable: VarId) {
        // Integers from outside matter where they are cast to pointers only.
        let ty = self.cfa.variable(variable).ty.ty;
        if matches!(self.cfa.types.get(ty), Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_)) {
            return;
        }
        for object in self.objects.of_variable(variable).iter() {
            self.solver.contains(Node::content(object), self.solver.anything());
        }
    }

    fn result_of(&mut self, function: FunctionId) -> Node {
        let solver = &mut self.solver;
        *self.results[function.index()].get_or_insert_with(|| solver.node())
    }

    fn bind(&mut self, callee: FunctionId, arguments: &[ExprId], result: Option<VarId>) {
        let parameters = &self.cfa.function(callee).parameters;
        for (i, &parameter) in parameters.iter().enumerate() {
            match arguments.get(i) {
                Some(argument) => {
                    if let Some(value) = self.nodes[argument.index()] {
                        let objects = self.objects.of_variable(parameter);
                        objects.iter().for_each(|o| self.solver.copy(value, Node::content(o)));
                    }
                }
                None => self.store_anything(parameter),
            }
        }
        for argument in arguments.iter().skip(parameters.len()) {
            self.escape(*argument);
        }
        if let Some(result) = result {
            let value = self.result_of(callee);
            self.copy_to_variable(value, result);
        }
    }

    fn copy_to_variable(&mut self, value: Node, variable: VarId) {
        let objects = self.objects.of_variable(variable);
        objects.iter().for_each(|o| self.solver.copy(value, Node::content(o)));
    }

    fn escape(&mut self, value: ExprId) {
        if let Some(value) = self.nodes[value.index()] {
            self.solver.copy(value, Node::ESCAPED);
        }
    }

    fn call_external(&mut self, edge: EdgeId, callee: FunctionId, arguments: &[ExprId], result: Option<VarId>) {
        let function = self.cfa.function(callee);
        let argument = |i: usize| arguments.get(i).and_then(|a: &ExprId| self.nodes[a.index()]);
        let (first, second) = (argument(0), argument(1));
        match function.known {
            Some(Known::Error | Known::NoReturn | Known::Free) => {}
            Some(Known::Allocate) => {
                let object = self.objects.heap(edge).unwrap_or(ObjectId::EXTERNAL);
                self.allocate(object, first, result);
                // Growing a block may leave it where it was.
                if let (true, Some(old), Some(result)) = (takes_back(&function.name), first, result) {
                    self.copy_to_variable(old, result);
                }
            }
            Some(Known::Memory) if let Some(effect) = memory_function(&function.name) => {
                if let (Moves::Copy { .. }, Some(to), Some(from)) = (effect, first, second) {
                    let moved = self.solver.node();
                    self.solver.load(from, moved);
                    self.solver.store(moved, to);
                }
                if let (Some(result), Some(first)) = (result, first) {
                    self.copy_to_variable(first, result);
                }
            }
            Some(Known::Pure | Known::Input) => {
                for value in arguments.iter().filter_map(|a| self.nodes[a.index()]).collect::<Vec<_>>() {
                    if let Some(result) = result {
                        self.copy_to_variable(value, result);
                    }
                }
                if let Some(result) = result {
                    self.store_anything(result);
                }
            }
            Some(Known::Memory | Known::Unsupported) | None => {
                arguments.iter().for_each(|&a| self.escape(a));
                if let Some(result) = result {
                    self.store_anything(result);
                }
            }
        }
    }

    /// Fresh memory, which may be filled with what the first argument points to.
    fn allocate(&mut self, object: ObjectId, old: Option<Node>, result: Option<VarId>) {
        if let Some(old) = old {
            self.solver.load(old, Node::content(object));
        }
        let Some(result) = result else { return };
        for target in self.objects.of_variable(result).iter() {
            self.solver.contains(Node::content(target), object);
        }
    }

    fn add_asm(&mut self, asm: &InlineAsm) {
        let outside = self.external();
        for input in &asm.inputs {
            if self.cfa.exprs.get(input.expr).is_place() {
                if let Some(address) = self.address(input.expr) {
                    self.solver.copy(address, Node::ESCAPED);
                }
            } else {
                self.escape(input.expr);
            }
        }
        for output in &asm.outputs {
            self.store(outside, output.expr);
        }
    }

    fn finish(self) -> PointsTo {
        let mut anything = self.solver.escaped().clone();
        anything.insert(ObjectId::EXTERNAL);
        let external = ObjectSet::single(ObjectId::EXTERNAL);
        let mut sets: IndexSet<ObjectSet, rustc_hash::FxBuildHasher> = std::iter::once(external).collect();
        let pseudo = self.solver.anything();
        let mut of_expression = vec![EXTERNAL_ONLY; self.nodes.len()];
        for (slot, node) in of_expression.iter_mut().zip(&self.nodes) {
            let Some(node) = *node else { continue };
            let mut set = self.solver.set(node).clone();
            set.remove(self.solver.made());
            set.remove(self.solver.punned());
            if set.remove(pseudo) {
                set.union_with(&anything);
            }
            if !set.is_empty() {
                *slot = u32::try_from(sets.insert_full(set).0).unwrap_or(u32::MAX);
            }
        }
        PointsTo { sets, of_expression, anything }
    }
}
