//! Classes of operations: equal iff the operations are identical.
//!
//! A return is compared without the call site it returns to; who compares returns compares that as well.
//! An unsupported operation is identical to nothing, not even to itself on the other side.

use indexmap::IndexSet;
use program::cfa::{AsmOperand, Cfa, FunctionId, InlineAsm, Operation, VarId};
use rustc_hash::FxBuildHasher;

use super::types::TypeClass;
use super::{Correspondence, Side, ValueClass};

/// The class of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationClass(u32);

impl OperationClass {
    /// The class as a number, equal iff the classes are.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    Declare(u32, TypeClass),
    Assume(ValueClass, bool),
    Assign(ValueClass, TypeClass, ValueClass),
    Havoc(Option<(u32, TypeClass)>, u32),
    Call(u32, Vec<ValueClass>, Option<(u32, TypeClass)>),
    Return(u32, Option<ValueClass>),
    Blank,
    Asm(Box<Asm>),
    Unsupported(Side, u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Asm {
    template: Box<str>,
    outputs: Vec<(Box<str>, ValueClass, TypeClass)>,
    inputs: Vec<(Box<str>, ValueClass, TypeClass)>,
    clobbers: Vec<Box<str>>,
    has_labels: bool,
}

/// Interns the operations of both programs.
#[derive(Debug, Default)]
pub(super) struct OperationInterner {
    shapes: IndexSet<Shape, FxBuildHasher>,
}

/// What the classes of one program's operations are made of.
struct Context<'a> {
    side: Side,
    program: &'a Cfa,
    types: &'a [TypeClass],
    values: &'a [ValueClass],
    correspondence: &'a Correspondence,
}

impl OperationInterner {
    /// The classes of all operations of a program, by edge.
    pub(super) fn classes(
        &mut self,
        side: Side,
        program: &Cfa,
        types: &[TypeClass],
        values: &[ValueClass],
        correspondence: &Correspondence,
    ) -> Vec<OperationClass> {
        let context = Context { side, program, types, values, correspondence };
        let mut classes = Vec::with_capacity(program.edges.len());
        for (index, edge) in program.edges.iter().enumerate() {
            let function = program.location(edge.source).function;
            let shape = context.shape(&edge.operation, function, index);
            let (number, _) = self.shapes.insert_full(shape);
            classes.push(OperationClass(u32::try_from(number).unwrap_or(u32::MAX)));
        }
        classes
    }
}

impl Context<'_> {
    fn shape(&self, operation: &Operation, function: FunctionId, index: usize) -> Shape {
        let value = |e: program::expr::ExprId| self.values[e.index()];
        match operation {
            Operation::Declare { variable } => {
                let (number, class) = self.variable(*variable);
                Shape::Declare(number, class)
            }
            Operation::Assume { condition, truth } => Shape::Assume(value(*condition), *truth),
            Operation::Assign { place, value: written } => {
                Shape::Assign(value(*place), self.types[self.program.exprs.ty(*place).index()], value(*written))
            }
            Operation::Havoc { variable, input } => {
                Shape::Havoc(variable.map(|v| self.variable(v)), self.correspondence.callee_class(self.side, *input))
            }
            Operation::Call { callee, arguments, result } => Shape::Call(
                self.correspondence.callee_class(self.side, *callee),
                arguments.iter().map(|e| value(*e)).collect(),
                result.map(|v| self.variable(v)),
            ),
            Operation::Return { value: result } => {
                Shape::Return(self.correspondence.callee_class(self.side, function), result.map(value))
            }
            Operation::Blank => Shape::Blank,
            Operation::Asm(asm) => Shape::Asm(Box::new(self.asm(asm))),
            Operation::Unsupported { .. } => Shape::Unsupported(self.side, u32::try_from(index).unwrap_or(u32::MAX)),
        }
    }

    fn variable(&self, variable: VarId) -> (u32, TypeClass) {
        let class = self.types[self.program.variable(variable).ty.ty.index()];
        (self.correspondence.variable_class(self.side, variable), class)
    }

    fn asm(&self, asm: &InlineAsm) -> Asm {
        let operand = |operand: &AsmOperand| {
            let class = self.types[self.program.exprs.ty(operand.expr).index()];
            (operand.constraint.clone(), self.values[operand.expr.index()], class)
        };
        Asm {
            template: asm.template.clone(),
            outputs: asm.outputs.iter().map(operand).collect(),
            inputs: asm.inputs.iter().map(operand).collect(),
            clobbers: asm.clobbers.clone(),
            has_labels: asm.has_labels,
        }
    }
}
