//! What an operation does but for the things in it that have lost their counterpart: a number, and what stands in the blanks.
//!
//! Two operations with the same number are taken to do the same to whatever stands in their blanks. Numbers are hashes: who
//! uses them guesses.

use std::hash::{Hash, Hasher};

use program::cfa::{EdgeId, FunctionId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use rustc_hash::FxHasher;

use super::content::Program;

/// Parts of an operation that are looked at; of one with more, nothing is said.
const LARGEST: usize = 300;

/// Numbers of what has a counterpart, equal for two that correspond; none for blanks.
pub(super) struct Numbers<'n> {
    pub(super) variable: &'n dyn Fn(VarId) -> Option<u32>,
    pub(super) function: &'n dyn Fn(FunctionId) -> Option<u32>,
}

/// What is in an operation, from the outside in: shapes, and the variables that stand in blanks.
struct Reading<'r, 'n> {
    program: &'r Program<'r>,
    numbers: &'r Numbers<'n>,
    hasher: FxHasher,
    blanks: Vec<VarId>,
}

/// A number for what an operation does but for blanks, and the variables there.
pub(super) fn read(program: &Program, edge: EdgeId, numbers: &Numbers) -> (u32, Vec<VarId>) {
    let mut reading = Reading { program, numbers, hasher: FxHasher::default(), blanks: Vec::new() };
    let operation = &program.0.edge(edge).operation;
    std::mem::discriminant(operation).hash(&mut reading.hasher);
    let (mut exprs, mut variables): (Vec<ExprId>, Vec<VarId>) = (Vec::new(), Vec::new());
    match operation {
        Operation::Declare { variable } => variables.push(*variable),
        Operation::Assume { condition, truth } => {
            truth.hash(&mut reading.hasher);
            exprs.push(*condition);
        }
        Operation::Assign { place, value } => exprs.extend([*place, *value]),
        Operation::Havoc { variable, .. } => variables.extend(variable),
        Operation::Call { callee, arguments, result } => {
            reading.function(*callee);
            exprs.extend(arguments);
            variables.extend(result);
        }
        Operation::Return { value } => exprs.extend(value),
        Operation::Blank | Operation::Asm(_) | Operation::Unsupported { .. } => {}
    }
    variables.iter().for_each(|variable| reading.variable(*variable));
    exprs.reverse();
    let mut parts = 0;
    while let Some(expr) = exprs.pop() {
        parts += 1;
        if parts > LARGEST {
            edge.hash(&mut reading.hasher);
            break;
        }
        reading.expression(expr);
        let operands: Vec<ExprId> = program.0.exprs.get(expr).operands().collect();
        exprs.extend(operands.into_iter().rev());
    }
    let token = reading.hasher.finish();
    (u32::try_from(token & u64::from(u32::MAX)).unwrap_or(0), reading.blanks)
}

impl Reading<'_, '_> {
    fn variable(&mut self, variable: VarId) {
        if let Some(number) = (self.numbers.variable)(variable) {
            (0_u8, number).hash(&mut self.hasher);
        } else {
            let ty = self.program.0.variable(variable).ty.ty;
            (1_u8, self.program.1[ty.index()]).hash(&mut self.hasher);
            self.blanks.push(variable);
        }
    }

    fn function(&mut self, function: FunctionId) {
        match (self.numbers.function)(function) {
            Some(number) => (2_u8, number).hash(&mut self.hasher),
            None => (3_u8, self.program.1[self.program.0.function(function).ty.index()]).hash(&mut self.hasher),
        }
    }

    fn expression(&mut self, expr: ExprId) {
        let program = self.program;
        let node = program.0.exprs.get(expr);
        std::mem::discriminant(node).hash(&mut self.hasher);
        if !node.is_place() {
            program.1[program.0.exprs.ty(expr).index()].hash(&mut self.hasher);
        }
        match node {
            Expr::Int(bits) | Expr::Float(bits) => bits.hash(&mut self.hasher),
            Expr::Unary(operator, _) => operator.hash(&mut self.hasher),
            Expr::Binary(operator, ..) => operator.hash(&mut self.hasher),
            Expr::Field(_, number) => number.hash(&mut self.hasher),
            Expr::FunctionAddress(function) => self.function(*function),
            Expr::Variable(variable) => match &program.0.variable(*variable).kind {
                VarKind::StringLiteral(bytes) => bytes.hash(&mut self.hasher),
                VarKind::Global { .. }
                | VarKind::StaticLocal
                | VarKind::Local
                | VarKind::CompoundLiteral
                | VarKind::Parameter(_)
                | VarKind::Temporary(_) => self.variable(*variable),
            },
            Expr::Zero
            | Expr::Load(_)
            | Expr::AddressOf(_)
            | Expr::Cast(_)
            | Expr::Conditional(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Dereference { .. }
            | Expr::Index(..) => {}
        }
    }
}
