//! Pointers that lead to something with pointers in it, although their type says otherwise: `(char *)&record`, or what `memcpy` gets.
//!
//! What is read through one as a number may be a pointer, or a part of one. A pointer that is cast back to its own type is none.
//! Knows types and expressions. Does not know where a pointer leads within its object: that walking from a member to its
//! neighbours is no matter of a cast, nor memory that had no type yet, nor what a record is that a pointer to anything led to.

use program::cfa::Cfa;
use program::expr::{BinaryOp, Expr, ExprId};
use program::layout::size_of;
use program::types::{ArrayLength, Type, TypeId};

use crate::carriers::Carriers;
use crate::objects::{Root, root};
use crate::pointers::{Holds, holds_pointer, is_source};

/// The pointers of a program that hide what they lead to, and numbers that were made of them.
#[derive(Debug)]
pub struct Views {
    carriers: Carriers,
}

impl Views {
    /// The views of a program, if it has any.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Option<Self> {
        let has_some = (0..cfa.exprs.len()).map(ExprId::new).any(|expr| hides(cfa, expr));
        has_some.then(|| Self { carriers: Carriers::new(cfa, &[], |carriers, expr| is_view(cfa, carriers, expr)) })
    }

    /// Whether what is read from a place may be a pointer, or a part of one, without being of such a type.
    #[must_use]
    pub fn reads_pointers(&self, cfa: &Cfa, place: ExprId) -> bool {
        is_behind_view(cfa, &self.carriers, place)
    }
}

/// Whether a view leads to a place.
fn is_behind_view(cfa: &Cfa, carriers: &Carriers, place: ExprId) -> bool {
    matches!(root(cfa, place), Some(Root::Pointer { pointer, .. }) if is_view(cfa, carriers, pointer))
}

/// Whether a value may be a pointer that hides what it leads to, or a number made of one.
fn is_view(cfa: &Cfa, carriers: &Carriers, expr: ExprId) -> bool {
    if hides(cfa, expr) {
        return true;
    }
    let leads_to_pointers = !may_hide(cfa, cfa.exprs.ty(expr));
    if leads_to_pointers && pointed_record(cfa, expr).is_none() {
        return false;
    }
    match *cfa.exprs.get(expr) {
        // What led to anything is taken to be what it is cast to.
        Expr::Cast(operand) => (!leads_to_pointers || pointed_record(cfa, operand).is_some()) && is_view(cfa, carriers, operand),
        Expr::PointerOffset { pointer, .. } => is_view(cfa, carriers, pointer),
        Expr::AddressOf(place) => is_behind_view(cfa, carriers, place),
        Expr::Load(place) => carriers.may_load(cfa, place),
        Expr::Conditional(_, left, right)
        | Expr::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::BitAnd | BinaryOp::BitOr, left, right) => {
            is_view(cfa, carriers, left) || is_view(cfa, carriers, right)
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
    let (Type::Pointer(from), to) = (cfa.types.get(cfa.exprs.ty(operand)), cfa.exprs.ty(expr)) else { return false };
    let hides_some = |to: TypeId| overlays(cfa, from.ty, to);
    holds_pointer(cfa, from.ty, Holds::Anywhere) && (may_hide(cfa, to) || pointed_record(cfa, expr).is_some_and(hides_some))
}

/// The record that a pointer leads to, as its type says.
fn pointed_record(cfa: &Cfa, expr: ExprId) -> Option<TypeId> {
    let Type::Pointer(to) = cfa.types.get(cfa.exprs.ty(expr)) else { return None };
    matches!(cfa.types.get(to.ty), Type::Record(_)).then_some(to.ty)
}

/// Whether one type has numbers where the other has pointers.
fn overlays(cfa: &Cfa, pointers: TypeId, numbers: TypeId) -> bool {
    if pointers == numbers {
        return false;
    }
    let (held, read) = (Scalars::of(cfa, pointers), Scalars::of(cfa, numbers));
    let (word, mut begins) = (cfa.machine.word(), held.pointers);
    begins.sort_unstable();
    read.numbers.iter().any(|&(begin, end)| {
        let next = begins.partition_point(|pointer| pointer.saturating_add(word) <= begin);
        begins.get(next).is_some_and(|pointer| *pointer < end)
    })
}

/// Parts of one type that are looked at, scalars or not.
const MOST_PARTS: usize = 4000;

/// Where an object of a type has pointers and where numbers, in bytes.
#[derive(Debug, Default)]
struct Scalars {
    pointers: Vec<u64>,
    /// From the first byte to behind the last.
    numbers: Vec<(u64, u64)>,
    /// Parts that were looked at.
    parts: usize,
}

impl Scalars {
    fn of(cfa: &Cfa, ty: TypeId) -> Self {
        let mut scalars = Self::default();
        scalars.add(cfa, (ty, 0));
        scalars
    }

    fn add(&mut self, cfa: &Cfa, (ty, begin): (TypeId, u64)) {
        let size = |ty| size_of(&cfa.types, cfa.machine, ty).unwrap_or(0);
        self.parts += 1;
        match cfa.types.get(ty) {
            Type::Record(record) => {
                for field in &cfa.types.record(*record).fields {
                    self.add(cfa, (field.ty.ty, begin.saturating_add(field.offset)));
                }
            }
            Type::Array { element, length } => {
                let (size, count) = (size(element.ty), if let ArrayLength::Constant(count) = length { *count } else { 1 });
                for at in (0..count).take_while(|_| size > 0) {
                    if self.parts >= MOST_PARTS {
                        return;
                    }
                    self.add(cfa, (element.ty, begin.saturating_add(size.saturating_mul(at))));
                }
            }
            Type::Pointer(_) => self.pointers.push(begin),
            Type::Void
            | Type::Bool
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Enum(_)
            | Type::Function(_)
            | Type::Vector { .. }
            | Type::VaList => self.numbers.push((begin, begin.saturating_add(size(ty)))),
        }
    }
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
