//! Values as terms: trees whose leaves are constants and what variables and memory hold now.
//!
//! A term of one program has the same number as one of the other iff they are the same tree over objects that correspond:
//! operators, types, conversions and sizes of elements are exactly the same. Two executions in which the objects that a term
//! reads agree give it the same value.
//! Invariant: no term has a number with a floating point, but one that is read, or a constant, and compared; a volatile or atomic
//! access; or memory that code outside the program owns. Its `reads` are all objects of its program that its value depends on.
//! Does not know what a variable is known to hold; who does replaces it ([`Known`]).
//! Source: ALGORITHM.md 4.13.

mod implied;

use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexSet;
use program::cfa::{Cfa, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::fold::{IntFormat, int_format};
use program::types::{FloatKind, Type, TypeId};
use rustc_hash::{FxBuildHasher, FxHashMap};
use semantics::compare::{Comparison, Side, TypeClass, ValueClass};
use semantics::object_set::{ObjectId, ObjectSet};

use crate::effects::Effects;

/// Nodes of a term at most, those of what is put in for its variables included.
const LARGEST: u32 = 80;

/// A term, of any of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TermId(u32);

/// A term of one program and what its value depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) id: TermId,
    /// What its value depends on, by the program's own numbers.
    pub(crate) reads: ObjectSet,
    /// What it names, read or not, by the program's own numbers.
    pub(crate) names: ObjectSet,
    size: u32,
}

/// What a variable is known to hold.
pub(crate) trait Known {
    fn value(&self, side: Side, variable: VarId) -> Option<&Rc<Term>>;
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Head {
    Int(u128),
    Float(u128),
    /// An expression without operands.
    Leaf(ValueClass),
    Load,
    AddressOf,
    Unary(UnaryOp),
    Binary(BinaryOp),
    PointerOffset(u64),
    PointerDifference(u64),
    Cast,
    Conditional,
    Target,
    Bits(u64, u32),
    Member(u64),
    Element(TypeClass),
}

/// The numbers of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Number {
    /// Integers of so many bits.
    Whole { width: u32, signed: bool },
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    head: Head,
    /// Of a value.
    ty: Option<TypeClass>,
    /// What a value is, if constants may be compared with it.
    number: Option<Number>,
    /// It is a truth value: 0 or 1.
    truth: bool,
    operands: Vec<TermId>,
}

/// The terms of both programs.
#[derive(Debug)]
pub(crate) struct Terms<'a> {
    comparison: &'a Comparison<'a>,
    effects: &'a Effects<'a>,
    nodes: RefCell<IndexSet<Node, FxBuildHasher>>,
    plain: RefCell<FxHashMap<(Side, ExprId), Rc<Plain>>>,
}

/// The term of a value where nothing is known of variables.
#[derive(Debug)]
struct Plain {
    /// The variables of which it was asked what is known.
    asked: Vec<VarId>,
    term: Option<Rc<Term>>,
}

/// Knows nothing, and remembers what was asked.
#[derive(Default)]
struct Nothing {
    asked: RefCell<Vec<VarId>>,
}

impl Known for Nothing {
    fn value(&self, _: Side, variable: VarId) -> Option<&Rc<Term>> {
        self.asked.borrow_mut().push(variable);
        None
    }
}

/// A term that grows.
#[derive(Default)]
struct Draft {
    reads: ObjectSet,
    names: ObjectSet,
    size: u32,
}

impl Draft {
    fn grow(&mut self, nodes: u32) -> Option<()> {
        self.size += nodes;
        (self.size <= LARGEST).then_some(())
    }
}

impl<'a> Terms<'a> {
    pub(crate) fn new(comparison: &'a Comparison<'a>, effects: &'a Effects<'a>) -> Self {
        Self { comparison, effects, nodes: RefCell::default(), plain: RefCell::default() }
    }

    /// The term of a value, with what is known of variables put in for them; none if it is not to be compared.
    ///
    /// Conditions are asked for again and again, mostly where nothing is known of what they read.
    pub(crate) fn of(&self, side: Side, expr: ExprId, known: &impl Known) -> Option<Rc<Term>> {
        let plain = self.plain(side, expr);
        let is_plain = plain.asked.iter().all(|variable| known.value(side, *variable).is_none());
        if is_plain { plain.term.clone() } else { self.grown(side, expr, known).map(Rc::new) }
    }

    fn plain(&self, side: Side, expr: ExprId) -> Rc<Plain> {
        if let Some(plain) = self.plain.borrow().get(&(side, expr)) {
            return Rc::clone(plain);
        }
        let nothing = Nothing::default();
        let term = self.grown(side, expr, &nothing).map(Rc::new);
        let plain = Rc::new(Plain { asked: nothing.asked.into_inner(), term });
        self.plain.borrow_mut().insert((side, expr), Rc::clone(&plain));
        plain
    }

    fn grown(&self, side: Side, expr: ExprId, known: &impl Known) -> Option<Term> {
        let mut draft = Draft::default();
        if !is_scalar(self.comparison.program(side), self.comparison.program(side).exprs.ty(expr)) {
            return None;
        }
        let id = self.grow(side, expr, known, &mut draft)?;
        let Draft { reads, names, size } = draft;
        Some(Term { id, reads, names, size })
    }

    fn grow(&self, side: Side, expr: ExprId, known: &impl Known, draft: &mut Draft) -> Option<TermId> {
        draft.grow(1)?;
        let program = self.comparison.program(side);
        let ty = program.exprs.ty(expr);
        let at = *program.exprs.get(expr);
        if let Expr::Load(place) = at {
            if let Some(term) = self.held(side, expr, place, known) {
                draft.grow(term.size)?;
                draft.reads.union_with(&term.reads);
                draft.names.union_with(&term.names);
                return Some(term.id);
            }
            let read = self.effects.raw(side).place(program, place);
            if read.contains(ObjectId::EXTERNAL) {
                return None;
            }
            draft.reads.union_with(&read);
        }
        let head = self.head(side, expr, draft)?;
        let fits = |operand: ExprId| {
            let ty = program.exprs.ty(operand);
            let is_exact = || (is_comparison(at) || is_real(program, expr)) && is_exact(program, operand);
            program.exprs.get(operand).is_place() || is_scalar(program, ty) || is_exact()
        };
        if !at.operands().all(fits) {
            return None;
        }
        let operands = at.operands().map(|operand| self.grow(side, operand, known, draft));
        let operands = operands.collect::<Option<Vec<TermId>>>()?;
        let ty_class = (!at.is_place()).then(|| self.comparison.type_class(side, ty));
        let number = if at.is_place() { None } else { number(program, ty) };
        let is_truth = || !at.is_place() && matches!(program.types.get(ty), Type::Bool);
        let truth = if let Expr::Binary(op, ..) = at {
            op.is_predicate()
        } else {
            matches!(at, Expr::Unary(UnaryOp::Not, _)) || is_truth()
        };
        let (number, _) = self.nodes.borrow_mut().insert_full(Node { head, ty: ty_class, number, truth, operands });
        Some(TermId(u32::try_from(number).ok()?))
    }

    /// What is known of a variable that is loaded as what it is.
    fn held<'k>(&self, side: Side, load: ExprId, place: ExprId, known: &'k impl Known) -> Option<&'k Rc<Term>> {
        let program = self.comparison.program(side);
        let Expr::Variable(variable) = *program.exprs.get(place) else { return None };
        let loaded = self.comparison.type_of(side, load);
        if self.comparison.type_class(side, program.variable(variable).ty.ty) != loaded {
            return None;
        }
        known.value(side, variable)
    }

    /// An expression without its operands; none if it is not to be compared.
    fn head(&self, side: Side, expr: ExprId, draft: &mut Draft) -> Option<Head> {
        let program = self.comparison.program(side);
        let head = match *program.exprs.get(expr) {
            Expr::Int(bits) => Head::Int(bits),
            Expr::FunctionAddress(_) => Head::Leaf(self.comparison.value(side, expr)),
            Expr::Float(bits) => Head::Float(bits),
            Expr::Zero => return None,
            Expr::Load(_) => Head::Load,
            Expr::AddressOf(_) => Head::AddressOf,
            Expr::Unary(op, _) => Head::Unary(op),
            Expr::Binary(op, ..) => Head::Binary(op),
            Expr::PointerOffset { scale, .. } => Head::PointerOffset(scale),
            Expr::PointerDifference { scale, .. } => Head::PointerDifference(scale),
            Expr::Cast(_) => Head::Cast,
            Expr::Conditional(..) => Head::Conditional,
            Expr::Variable(variable) => {
                if !is_plain(program, variable) {
                    return None;
                }
                draft.names.union_with(&self.effects.raw(side).objects.of_variable(variable).set());
                Head::Leaf(self.comparison.value(side, expr))
            }
            Expr::Dereference { volatile, .. } => {
                if volatile {
                    return None;
                }
                Head::Target
            }
            Expr::Field(record, number) => {
                let Type::Record(id) = program.types.get(program.exprs.ty(record)) else { return None };
                let field = program.types.record(*id).fields.get(number as usize)?;
                if field.ty.qualifiers.is_volatile || field.ty.qualifiers.is_atomic {
                    return None;
                }
                match field.bits {
                    Some(bits) => Head::Bits(bits.first_bit, bits.width),
                    None => Head::Member(field.offset),
                }
            }
            Expr::Index(..) => Head::Element(self.comparison.type_of(side, expr)),
        };
        Some(head)
    }

    /// What decides a condition: a term that is not zero iff the condition has the truth value.
    #[allow(clippy::fn_params_excessive_bools, reason = "the flag is the truth of a condition, as edges have it")]
    pub(crate) fn decider(&self, condition: TermId, truth: bool) -> (TermId, bool) {
        let nodes = self.nodes.borrow();
        let (mut at, mut truth) = (condition, truth);
        let node = |id: TermId| nodes.get_index(id.0 as usize);
        while let Some(Node { head, operands, ty: _, number: _, truth: is_truth }) = node(at) {
            let is_zero = |id: &TermId| node(*id).is_some_and(|n| n.head == Head::Int(0));
            let inner_truth = operands.first().and_then(|inner| node(*inner)).is_some_and(|inner| inner.truth);
            match (head, operands.as_slice()) {
                (Head::Unary(UnaryOp::Not), [inner]) => (at, truth) = (*inner, !truth),
                (Head::Binary(BinaryOp::NotEqual), [inner, zero]) if is_zero(zero) => at = *inner,
                (Head::Binary(BinaryOp::Equal), [inner, zero]) if is_zero(zero) => (at, truth) = (*inner, !truth),
                // No conversion of 0 or 1 changes whether it is zero, nor does one to a truth value.
                (Head::Cast, [inner]) if *is_truth || inner_truth => at = *inner,
                (_, _) => return (at, truth),
            }
        }
        (at, truth)
    }
}

/// Whether a variable may be named in a term.
fn is_plain(program: &Cfa, variable: VarId) -> bool {
    let known = program.variable(variable);
    let qualifiers = known.ty.qualifiers;
    let outside = matches!(known.kind, VarKind::Global { defined: false, .. });
    !qualifiers.is_volatile && !qualifiers.is_atomic && !known.thread_local && !outside
}

fn is_comparison(expr: Expr) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(expr, Expr::Binary(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual, ..))
}

/// What constants of a type are compared as.
fn number(program: &Cfa, ty: TypeId) -> Option<Number> {
    let of = program.types.get(ty);
    if let Type::Float(kind) = of {
        return match kind {
            FloatKind::Float => Some(Number::Single),
            FloatKind::Double => Some(Number::Double),
            FloatKind::LongDouble | FloatKind::Float128 => None,
        };
    }
    // Constants of other types have no order, or one that is not that of their bits.
    let format = int_format(&program.types, program.machine, ty).filter(|_| matches!(of, Type::Int { .. } | Type::Bool));
    format.map(|IntFormat { bits, signed }| Number::Whole { width: bits, signed })
}

fn is_real(program: &Cfa, expr: ExprId) -> bool {
    let is_value = !program.exprs.get(expr).is_place();
    is_value && matches!(number(program, program.exprs.ty(expr)), Some(Number::Single | Number::Double))
}

/// Whether a value with a floating point is one that is read, or a constant, perhaps widened: a comparison of it says the same
/// whenever what is read is the same. What arithmetic yields may be no number, of bits that are left open.
fn is_exact(program: &Cfa, expr: ExprId) -> bool {
    if let Expr::Cast(inner) = *program.exprs.get(expr) {
        let widens = number(program, program.exprs.ty(expr)) == Some(Number::Double);
        let is_single = number(program, program.exprs.ty(inner)) == Some(Number::Single);
        return is_real(program, expr) && (widens || is_single) && is_exact(program, inner);
    }
    is_real(program, expr) && matches!(program.exprs.get(expr), Expr::Float(_) | Expr::Load(_))
}

/// Whether values of a type are compared as terms.
pub(crate) fn is_scalar(program: &Cfa, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Bool | Type::Int { .. } | Type::Pointer(_) | Type::Enum(_) => true,
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

/// Whether what a variable holds may be remembered as a term: it is a scalar, and nothing but the program writes it.
pub(crate) fn may_hold(program: &Cfa, variable: VarId) -> bool {
    is_plain(program, variable) && is_scalar(program, program.variable(variable).ty.ty)
}
