//! What a value is made of when what variables hold is put in for them.
//!
//! A term is an expression of one program, taken apart: each node is an expression of the program, with terms for operands that
//! may be others than its own, since a variable was replaced by what it holds. It has no volatile access, nothing of what code
//! outside the program owns, and no floating point but what is compared: constants and what is read, widened at most.
//! Does not know which objects may differ.

use std::collections::BTreeMap;
use std::rc::Rc;

use program::cfa::{Cfa, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::{FloatKind, Type, TypeId};
use semantics::object_set::{ObjectId, ObjectSet};

use crate::access::Program;
use crate::types::Types;

/// Nodes of a term at most.
const LARGEST: usize = 400;

/// A node of a term.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) head: ExprId,
    pub(crate) operands: Vec<Rc<Term>>,
    size: usize,
}

impl Term {
    /// A number.
    pub(crate) fn leaf(head: ExprId) -> Self {
        Self { head, operands: Vec::new(), size: 1 }
    }
}

/// A term, and the objects that it depends on and that it names, by the numbers of its program.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) term: Rc<Term>,
    pub(crate) reads: ObjectSet,
    pub(crate) names: ObjectSet,
}

/// What variables of one program hold.
pub(crate) type Facts = BTreeMap<VarId, Rc<Fact>>;

/// Makes terms of one program.
pub(crate) struct Maker<'m, 'a> {
    pub(crate) program: &'m Program<'a>,
    pub(crate) facts: &'m Facts,
    pub(crate) types: &'m mut Types,
}

impl Maker<'_, '_> {
    /// The value of an expression; none if it is no term.
    pub(crate) fn value(&mut self, expr: ExprId) -> Option<Fact> {
        if !is_scalar(self.program.cfa, self.program.cfa.exprs.ty(expr)) {
            return None;
        }
        let (mut reads, mut names) = (ObjectSet::new(), ObjectSet::new());
        let term = self.node(expr, &mut reads, &mut names, LARGEST)?;
        Some(Fact { term, reads, names })
    }

    /// The value of an expression that a variable takes without a conversion.
    pub(crate) fn taken(&mut self, variable: VarId, expr: ExprId) -> Option<Fact> {
        let cfa = self.program.cfa;
        if may_be_held(cfa, variable) && self.is_of_type(variable, expr) { self.value(expr) } else { None }
    }

    fn is_of_type(&mut self, variable: VarId, expr: ExprId) -> bool {
        let cfa = self.program.cfa;
        self.types.same(cfa, cfa.variable(variable).ty.ty, cfa, cfa.exprs.ty(expr))
    }

    fn node(&mut self, expr: ExprId, reads: &mut ObjectSet, names: &mut ObjectSet, most: usize) -> Option<Rc<Term>> {
        let cfa = self.program.cfa;
        let at = *cfa.exprs.get(expr);
        if !is_possible(cfa, expr) {
            return None;
        }
        match at {
            Expr::Zero | Expr::Dereference { volatile: true, .. } => return None,
            Expr::Variable(variable) => {
                if !is_stable(cfa, variable) {
                    return None;
                }
                names.union_with(&self.program.objects.of_variable(variable).set());
            }
            Expr::Field(record, member) => {
                let Type::Record(record) = cfa.types.get(cfa.exprs.ty(record)) else { return None };
                let qualifiers = cfa.types.record(*record).fields.get(member as usize)?.ty.qualifiers;
                if qualifiers.is_volatile || qualifiers.is_atomic {
                    return None;
                }
            }
            Expr::Load(place) => {
                if let Expr::Variable(variable) = *cfa.exprs.get(place)
                    && let Some(fact) = self.facts.get(&variable)
                    && self.is_of_type(variable, expr)
                {
                    reads.union_with(&fact.reads);
                    names.union_with(&fact.names);
                    return (fact.term.size < most).then(|| Rc::clone(&fact.term));
                }
                let objects = self.program.place(place);
                if objects.contains(ObjectId::EXTERNAL) {
                    return None;
                }
                reads.union_with(&objects);
            }
            Expr::Int(_)
            | Expr::Float(_)
            | Expr::AddressOf(_)
            | Expr::FunctionAddress(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Cast(_)
            | Expr::Conditional(..)
            | Expr::Dereference { .. }
            | Expr::Index(..) => {}
        }
        let (mut operands, mut size) = (Vec::new(), 1);
        for operand in at.operands() {
            let term = self.node(operand, reads, names, most.checked_sub(size)?)?;
            size += term.size;
            operands.push(term);
        }
        (size <= most).then(|| Rc::new(Term { head: expr, operands, size }))
    }
}

/// Whether two terms of one program are the same.
pub(crate) fn is_same(cfa: &Cfa, a: &Term, b: &Term) -> bool {
    let alike = || match (cfa.exprs.get(a.head), cfa.exprs.get(b.head)) {
        (Expr::Load(_), Expr::Load(_))
        | (Expr::AddressOf(_), Expr::AddressOf(_))
        | (Expr::Cast(_), Expr::Cast(_))
        | (Expr::Conditional(..), Expr::Conditional(..))
        | (Expr::Dereference { .. }, Expr::Dereference { .. })
        | (Expr::Index(..), Expr::Index(..)) => true,
        (Expr::Unary(x, _), Expr::Unary(y, _)) => x == y,
        (Expr::Binary(x, ..), Expr::Binary(y, ..)) => x == y,
        (Expr::PointerOffset { scale: x, .. }, Expr::PointerOffset { scale: y, .. })
        | (Expr::PointerDifference { scale: x, .. }, Expr::PointerDifference { scale: y, .. }) => x == y,
        // Of a record of the same type, since that is the type of the place.
        (Expr::Field(x, m), Expr::Field(y, n)) => m == n && cfa.exprs.ty(*x) == cfa.exprs.ty(*y),
        (_, _) => false,
    };
    let heads = a.head == b.head || (cfa.exprs.ty(a.head) == cfa.exprs.ty(b.head) && alike());
    heads && a.operands.len() == b.operands.len() && a.operands.iter().zip(&b.operands).all(|(x, y)| is_same(cfa, x, y))
}

/// What decides a condition: the condition has the truth value iff the term is not zero (true) or zero (false).
#[allow(clippy::fn_params_excessive_bools, reason = "the flag is the truth of a condition, as edges have it")]
pub(crate) fn decider<'t>(cfa: &Cfa, condition: &'t Term, truth: bool) -> (&'t Term, bool) {
    let is_zero = |term: &Term| matches!(cfa.exprs.get(term.head), Expr::Int(0));
    let is_truth = |term: &Term| {
        let head = cfa.exprs.get(term.head);
        matches!(head, Expr::Binary(op, ..) if op.is_predicate())
            || matches!(head, Expr::Unary(UnaryOp::Not, _))
            || matches!(cfa.types.get(cfa.exprs.ty(term.head)), Type::Bool)
    };
    let (mut at, mut truth) = (condition, truth);
    loop {
        (at, truth) = match (cfa.exprs.get(at.head), at.operands.as_slice()) {
            (Expr::Unary(UnaryOp::Not, _), [inner]) => (&**inner, !truth),
            (Expr::Binary(BinaryOp::NotEqual, ..), [inner, zero]) if is_zero(zero) => (&**inner, truth),
            (Expr::Binary(BinaryOp::Equal, ..), [inner, zero]) if is_zero(zero) => (&**inner, !truth),
            (Expr::Cast(_), [inner]) if is_truth(at) || is_truth(inner) => (&**inner, truth),
            (_, _) => return (at, truth),
        };
    }
}

/// Whether an expression may be a node: a place or a scalar, or a value with a floating point that is read, and only compared.
fn is_possible(cfa: &Cfa, expr: ExprId) -> bool {
    let at = *cfa.exprs.get(expr);
    let is_real = |expr: ExprId| matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Float(_)) && !cfa.exprs.get(expr).is_place();
    let is_value = at.is_place() || is_scalar(cfa, cfa.exprs.ty(expr)) || is_real(expr) && is_read(cfa, expr);
    // A comparison is the only value of another type that is made of one with a floating point.
    let is_compared = matches!(at, Expr::Binary(op, ..) if op.is_predicate()) || is_real(expr);
    is_value && (is_compared || !at.operands().any(is_real))
}

/// Whether a value with a floating point is a constant or read from memory, as it is or widened. What is computed may be no
/// number, and then its bits are left open.
fn is_read(cfa: &Cfa, expr: ExprId) -> bool {
    let Type::Float(kind @ (FloatKind::Float | FloatKind::Double)) = *cfa.types.get(cfa.exprs.ty(expr)) else { return false };
    if let Expr::Cast(inner) = *cfa.exprs.get(expr) {
        let from = cfa.types.get(cfa.exprs.ty(inner));
        let widens = kind == FloatKind::Double || *from == Type::Float(FloatKind::Float);
        return widens && is_read(cfa, inner);
    }
    matches!(cfa.exprs.get(expr), Expr::Float(_) | Expr::Load(_))
}

/// Whether it can be known of a variable what it holds.
pub(crate) fn may_be_held(cfa: &Cfa, variable: VarId) -> bool {
    is_stable(cfa, variable) && is_scalar(cfa, cfa.variable(variable).ty.ty)
}

/// Whether nothing but the program's own operations changes a variable.
fn is_stable(cfa: &Cfa, variable: VarId) -> bool {
    let known = cfa.variable(variable);
    let is_foreign = matches!(known.kind, VarKind::Global { defined: false, .. });
    !(known.ty.qualifiers.is_volatile || known.ty.qualifiers.is_atomic || known.thread_local || is_foreign)
}

fn is_scalar(cfa: &Cfa, ty: TypeId) -> bool {
    match cfa.types.get(ty) {
        Type::Bool | Type::Int { .. } | Type::Enum(_) | Type::Pointer(_) => true,
        Type::Void
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Array { .. }
        | Type::Function(_)
        | Type::Record(_)
        | Type::Vector { .. }
        | Type::VaList => false,
    }
}
