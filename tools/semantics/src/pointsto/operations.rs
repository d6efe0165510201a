//! Constraints of operations and initial values: which pointers objects may hold, and what escapes.
//!
//! Does not know how the value of an expression comes about; it has its node already.

use program::cfa::{ConstantValue, EdgeId, FunctionId, InlineAsm, Known, Operation, VarId, VarKind};
use program::expr::ExprId;
use program::known::{Allocation, Moves, special};
use program::types::Type;

use super::solver::Node;
use super::{Builder, memory_function};
use crate::object_set::ObjectId;

impl Builder<'_> {
    pub(super) fn add_initial(&mut self, variable: VarId) {
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

    pub(super) fn add_edge(&mut self, edge: EdgeId) {
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

    pub(super) fn escape(&mut self, value: ExprId) {
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
}

/// Whether a function gives a block back that it then may yield.
fn takes_back(name: &str) -> bool {
    special(name).and_then(|row| row.allocation).is_some_and(Allocation::takes_back)
}
