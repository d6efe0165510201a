//! Pointers that lead to something with pointers in it, although their type says otherwise: `(char *)&record`, or what `memcpy` gets.
//!
//! What is read through one as a number may be a pointer, or a part of one. One look at all operations, again until nothing
//! changes, without regard to their order; what is kept in memory is one. A pointer that is cast back to its own type is none.
//! Knows types and operations. Does not know where a pointer leads within its object: that walking from a member to its
//! neighbours is no matter of a cast, nor memory that had no type yet.

use program::cfa::{Cfa, Edge, FunctionId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::{Type, TypeId};
use rustc_hash::FxHashSet;

use crate::objects::{Root, root};
use crate::pointers::{Holds, holds_pointer, is_source};

/// The pointers of a program that hide what they lead to, and numbers that were made of them.
#[derive(Debug, Default)]
pub struct Views {
    /// Variables that hold one, or have one within them.
    variables: FxHashSet<VarId>,
    /// Functions that return one.
    results: FxHashSet<FunctionId>,
    /// Variables that pointers may lead to.
    pointed: FxHashSet<VarId>,
    /// What pointers lead to holds one.
    in_memory: bool,
}

impl Views {
    /// The views of a program, if it has any; time linear in it for each step that one takes from variable to variable.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Option<Self> {
        let exprs = || (0..cfa.exprs.len()).map(ExprId::new);
        if !exprs().any(|expr| hides(cfa, expr)) {
            return None;
        }
        let mut views = Self::default();
        for expr in exprs() {
            if let Expr::AddressOf(place) = *cfa.exprs.get(expr) {
                views.pointed.extend(variable_of(cfa, place));
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for edge in cfa.edge_ids() {
                changed |= views.pass(cfa, cfa.edge(edge));
            }
        }
        Some(views)
    }

    /// Whether what is read from a place may be a pointer, or a part of one, without being of such a type.
    #[must_use]
    pub fn reads_pointers(&self, cfa: &Cfa, place: ExprId) -> bool {
        matches!(root(cfa, place), Some(Root::Pointer { pointer, .. }) if self.is_view(cfa, pointer))
    }

    /// Follows one operation; whether that tells anything new.
    fn pass(&mut self, cfa: &Cfa, edge: &Edge) -> bool {
        match &edge.operation {
            Operation::Assign { place, value } => self.is_view(cfa, *value) && self.keep(cfa, *place),
            Operation::Return { value: Some(value) } => {
                self.is_view(cfa, *value) && self.results.insert(cfa.location(edge.source).function)
            }
            Operation::Call { callee, arguments, result } => {
                let mut changed = false;
                for (parameter, argument) in cfa.function(*callee).parameters.iter().zip(arguments) {
                    changed |= self.is_view(cfa, *argument) && self.set(*parameter);
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

    fn keep(&mut self, cfa: &Cfa, place: ExprId) -> bool {
        match variable_of(cfa, place) {
            Some(variable) => self.set(variable),
            None => !std::mem::replace(&mut self.in_memory, true),
        }
    }

    fn set(&mut self, variable: VarId) -> bool {
        self.in_memory |= self.pointed.contains(&variable);
        self.variables.insert(variable)
    }

    /// Whether a value may be a pointer that hides what it leads to, or a number made of one.
    fn is_view(&self, cfa: &Cfa, expr: ExprId) -> bool {
        if hides(cfa, expr) {
            return true;
        }
        if !may_hide(cfa, cfa.exprs.ty(expr)) {
            return false;
        }
        match *cfa.exprs.get(expr) {
            Expr::Cast(operand) => self.is_view(cfa, operand),
            Expr::PointerOffset { pointer, .. } => self.is_view(cfa, pointer),
            Expr::AddressOf(place) => self.reads_pointers(cfa, place),
            Expr::Load(place) => match variable_of(cfa, place) {
                Some(variable) => self.variables.contains(&variable) || self.in_memory && self.pointed.contains(&variable),
                None => self.in_memory,
            },
            Expr::Conditional(_, left, right)
            | Expr::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::BitAnd | BinaryOp::BitOr, left, right) => {
                self.is_view(cfa, left) || self.is_view(cfa, right)
            }
            Expr::Binary(..)
            | Expr::Unary(..)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Zero
            | Expr::FunctionAddress(_)
            | Expr::PointerDifference { .. }
            | Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..) => false,
        }
    }
}

/// Whether a program may read a part of a pointer as a number.
#[must_use]
pub fn may_take_apart(cfa: &Cfa) -> bool {
    (0..cfa.exprs.len())
        .map(ExprId::new)
        .any(|expr| hides(cfa, expr) || matches!(cfa.exprs.get(expr), Expr::Load(_)) && is_source(cfa, expr))
}

/// Whether an expression makes a pointer to something without pointers, or to anything, of one to something with pointers.
#[must_use]
pub fn hides(cfa: &Cfa, expr: ExprId) -> bool {
    let Expr::Cast(operand) = *cfa.exprs.get(expr) else { return false };
    let Type::Pointer(from) = cfa.types.get(cfa.exprs.ty(operand)) else { return false };
    holds_pointer(cfa, from.ty, Holds::Anywhere) && may_hide(cfa, cfa.exprs.ty(expr))
}

/// Whether values of a type may be such pointers: numbers may be, and objects that have numbers or pointers within.
fn may_hide(cfa: &Cfa, ty: TypeId) -> bool {
    match cfa.types.get(ty) {
        Type::Pointer(to) => !holds_pointer(cfa, to.ty, Holds::Anywhere),
        Type::Int { .. } | Type::Enum(_) | Type::Record(_) | Type::Array { .. } => true,
        Type::Void | Type::Bool | Type::Float(_) | Type::Complex(_) | Type::Function(_) | Type::Vector { .. } | Type::VaList => {
            false
        }
    }
}

/// The variable that a place is one of or lies in, if no pointer leads there.
#[must_use]
pub fn variable_of(cfa: &Cfa, place: ExprId) -> Option<VarId> {
    match root(cfa, place) {
        Some(Root::Variable(variable)) => Some(variable),
        Some(Root::Pointer { .. }) | None => None,
    }
}
