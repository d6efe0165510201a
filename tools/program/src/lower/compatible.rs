//! Which types are compatible (C11 6.2.7).

use super::Lowerer;
use crate::types::{ArrayLength, FloatKind, FunctionType, IntRank, QualType, Type, TypeId};

/// What a function without a prototype is compatible with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unprototyped {
    /// Any other: it may well be the one that is meant.
    Anything,
    /// One whose parameters promotion leaves as they are (C11 6.7.6.3p15).
    Promoted,
}

impl Lowerer<'_> {
    /// Whether two types are compatible, top-level qualifiers aside; functions without a prototype with all that have their
    /// result.
    pub(super) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        self.are_compatible(a, b, Unprototyped::Anything)
    }

    /// Whether a program is told that two types are compatible: as the standard has it, and qualifiers of the elements of arrays
    /// are aside as well.
    pub(super) fn compatible_when_asked(&self, mut a: TypeId, mut b: TypeId) -> bool {
        while let (Type::Array { element: x, length: m }, Type::Array { element: y, length: n }) =
            (self.types.get(a), self.types.get(b))
        {
            if !same_length(*m, *n) {
                return false;
            }
            (a, b) = (x.ty, y.ty);
        }
        self.are_compatible(a, b, Unprototyped::Promoted)
    }

    fn are_compatible(&self, a: TypeId, b: TypeId, unprototyped: Unprototyped) -> bool {
        if a == b {
            return true;
        }
        let same = |x: QualType, y: QualType| x.qualifiers == y.qualifiers && self.are_compatible(x.ty, y.ty, unprototyped);
        match (self.types.get(a), self.types.get(b)) {
            (Type::Enum(id), Type::Int { .. }) => self.types.enumeration(*id).underlying == b,
            (Type::Int { .. }, Type::Enum(id)) => self.types.enumeration(*id).underlying == a,
            (Type::Pointer(x), Type::Pointer(y)) => same(*x, *y),
            (Type::Array { element: x, length: m }, Type::Array { element: y, length: n }) => same_length(*m, *n) && same(*x, *y),
            (Type::Function(f), Type::Function(g)) => {
                self.are_compatible(f.result.ty, g.result.ty, unprototyped) && self.take_the_same(f, g, unprototyped)
            }
            _ => false,
        }
    }

    /// Whether functions can be called with the same arguments.
    fn take_the_same(&self, f: &FunctionType, g: &FunctionType, unprototyped: Unprototyped) -> bool {
        let is_left = |f: &FunctionType| !f.variadic && f.parameters.iter().all(|parameter| !self.is_promoted(parameter.ty));
        match (f.unprototyped, g.unprototyped) {
            (false, false) => {
                let mut pairs = f.parameters.iter().zip(&g.parameters);
                f.parameters.len() == g.parameters.len()
                    && f.variadic == g.variadic
                    && pairs.all(|(x, y)| self.are_compatible(x.ty, y.ty, unprototyped))
            }
            (true, true) => true,
            (true, false) => unprototyped == Unprototyped::Anything || is_left(g),
            (false, true) => unprototyped == Unprototyped::Anything || is_left(f),
        }
    }

    /// Whether an argument of this type becomes another where no prototype says otherwise.
    fn is_promoted(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            Type::Bool | Type::Int { rank: IntRank::PlainChar | IntRank::Char | IntRank::Short, .. } => true,
            Type::Float(kind) => kind == FloatKind::Float,
            Type::Enum(id) => self.is_promoted(self.types.enumeration(id).underlying),
            _ => false,
        }
    }
}

fn same_length(m: ArrayLength, n: ArrayLength) -> bool {
    match (m, n) {
        (ArrayLength::Constant(m), ArrayLength::Constant(n)) => m == n,
        _ => true,
    }
}
