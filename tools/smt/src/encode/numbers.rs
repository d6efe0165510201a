//! Which integers of a program may be addresses: those that were made of pointers, and what was made of them.
//!
//! One look at all operations, again until nothing changes, without regard to their order. What is kept in memory is one.
//! Pointers become integers by casts, as members of a union, and where they are read through pointers that hide them.
//! Knows the operations of a program. Does not see integers from outside: those are addresses by luck.

use program::cfa::{Cfa, ConstantValue, Edge, FunctionId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::Type;
use rustc_hash::FxHashSet;
use semantics::pointers::is_source;
use semantics::views::{Views, variable_of};

/// The integers that may be addresses.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Variables that hold one, or have one within them.
    variables: FxHashSet<VarId>,
    /// Functions that return one.
    results: FxHashSet<FunctionId>,
    /// Variables that pointers may lead to.
    pointed: FxHashSet<VarId>,
    /// What pointers lead to holds one.
    in_memory: bool,
    /// Pointers that lead to pointers, but not by their type.
    views: Option<Views>,
}

impl Numbers {
    /// The numbers of a program, if any is made of a pointer; time linear in it for each step that an address takes from variable to
    /// variable.
    pub(super) fn new(cfa: &Cfa) -> Option<Self> {
        let mut exprs = (0..cfa.exprs.len()).map(ExprId::new);
        let views = Views::new(cfa);
        let initial: Vec<VarId> = cfa.variable_ids().filter(|variable| is_made_of_pointers(cfa, *variable)).collect();
        if views.is_none() && initial.is_empty() && !exprs.any(|expr| is_source(cfa, expr)) {
            return None;
        }
        let mut numbers = Self { views, ..Self::default() };
        for expr in (0..cfa.exprs.len()).map(ExprId::new) {
            if let Expr::AddressOf(place) = *cfa.exprs.get(expr) {
                numbers.pointed.extend(variable_of(cfa, place));
            }
        }
        for variable in initial {
            numbers.set(variable);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for edge in cfa.edge_ids() {
                changed |= numbers.pass(cfa, cfa.edge(edge));
            }
        }
        Some(numbers)
    }

    /// Follows one operation; whether that tells anything new.
    fn pass(&mut self, cfa: &Cfa, edge: &Edge) -> bool {
        match &edge.operation {
            Operation::Assign { place, value } => self.is_address(cfa, *value) && self.keep(cfa, *place),
            Operation::Return { value: Some(value) } => {
                let function = cfa.location(edge.source).function;
                self.is_address(cfa, *value) && self.results.insert(function)
            }
            Operation::Call { callee, arguments, result } => {
                let function = cfa.function(*callee);
                let mut changed = false;
                for (parameter, argument) in function.parameters.iter().zip(arguments) {
                    changed |= self.is_address(cfa, *argument) && self.set(*parameter);
                }
                let gets = result.filter(|_| self.results.contains(callee));
                gets.is_some_and(|result| self.set(result)) || changed
            }
            Operation::Return { value: None }
            | Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Havoc { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => false,
        }
    }

    /// Notes that a place holds an address; whether that is new.
    fn keep(&mut self, cfa: &Cfa, place: ExprId) -> bool {
        match variable_of(cfa, place) {
            Some(variable) => self.set(variable),
            None => !std::mem::replace(&mut self.in_memory, true),
        }
    }

    /// Notes that a variable holds an address; whether that is new.
    fn set(&mut self, variable: VarId) -> bool {
        self.in_memory |= self.pointed.contains(&variable);
        self.variables.insert(variable)
    }

    /// Whether a variable may hold one, or have one within it.
    pub(super) fn holds(&self, variable: VarId) -> bool {
        self.variables.contains(&variable) || self.in_memory && self.pointed.contains(&variable)
    }

    /// Whether the value of an expression may be an address as a number.
    pub(super) fn is_address(&self, cfa: &Cfa, expr: ExprId) -> bool {
        if matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Pointer(_)) {
            return false;
        }
        if is_source(cfa, expr) {
            return true;
        }
        match *cfa.exprs.get(expr) {
            Expr::Cast(operand) => self.is_address(cfa, operand),
            Expr::Load(place) if self.views.as_ref().is_some_and(|views| views.reads_pointers(cfa, place)) => true,
            Expr::Load(place) => match variable_of(cfa, place) {
                Some(variable) => self.holds(variable),
                None => self.in_memory,
            },
            Expr::Unary(UnaryOp::Negate | UnaryOp::Complement, operand) => self.is_address(cfa, operand),
            // The difference of two is none, and which of both is one is not known.
            Expr::Binary(
                BinaryOp::Add | BinaryOp::Subtract | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor,
                left,
                right,
            ) => self.is_address(cfa, left) || self.is_address(cfa, right),
            Expr::Conditional(_, yes, no) => self.is_address(cfa, yes) || self.is_address(cfa, no),
            // The other operators look at bits.
            Expr::Binary(..)
            | Expr::Unary(UnaryOp::Not, _)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Zero
            | Expr::AddressOf(_)
            | Expr::FunctionAddress(_)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..) => false,
        }
    }
}

/// Whether a number within a static object is an address from the start.
fn is_made_of_pointers(cfa: &Cfa, variable: VarId) -> bool {
    let is_address = |value: &ConstantValue| matches!(value, ConstantValue::Address { .. } | ConstantValue::Function(_));
    let is_pointer = |ty| matches!(cfa.types.get(ty), Type::Pointer(_));
    let initializer = cfa.variable(variable).initializer.as_ref();
    initializer.is_some_and(|known| known.scalars.iter().any(|scalar| is_address(&scalar.value) && !is_pointer(scalar.ty)))
}
