//! Typed expressions with every conversion explicit, folded where the operands are constants.

use super::Lowerer;
use super::order::Cut;
use crate::cfa::ConstantValue;
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::fold::{self, ConstantContext, IntFormat, int_format};
use crate::types::{FloatKind, IntRank, QualType, Qualifiers, Type, TypeId, TypeTable};

/// The types that the language itself mentions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basic {
    pub(super) void: TypeId,
    pub(super) bool_: TypeId,
    pub(super) char_: TypeId,
    pub(super) int: TypeId,
    pub(super) uint: TypeId,
    pub(super) long: TypeId,
    pub(super) ulong: TypeId,
    pub(super) double: TypeId,
    pub(super) void_pointer: TypeId,
}

impl Basic {
    pub(super) fn new(types: &mut TypeTable) -> Self {
        let mut int = |rank, signed| types.intern(Type::Int { rank, signed });
        let char_ = int(IntRank::PlainChar, true);
        let (plain, uint) = (int(IntRank::Int, true), int(IntRank::Int, false));
        let (long, ulong) = (int(IntRank::Long, true), int(IntRank::Long, false));
        let void = types.intern(Type::Void);
        Self {
            void,
            bool_: types.intern(Type::Bool),
            char_,
            int: plain,
            uint,
            long,
            ulong,
            double: types.intern(Type::Float(FloatKind::Double)),
            void_pointer: types.intern(Type::Pointer(QualType::plain(void))),
        }
    }
}

/// The classes of types that conversions distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Void,
    Integer,
    Float,
    Pointer,
    Record,
    Array,
    Function,
    /// Complex, vector: values without treatment.
    Strange,
    /// `va_list`
    VaList,
}

impl Lowerer<'_> {
    pub(super) fn class(&self, ty: TypeId) -> Class {
        match self.types.get(ty) {
            Type::Void => Class::Void,
            Type::Bool | Type::Int { .. } | Type::Enum(_) => Class::Integer,
            Type::Float(_) => Class::Float,
            Type::Complex(_) | Type::Vector { .. } => Class::Strange,
            Type::Pointer(_) => Class::Pointer,
            Type::Array { .. } => Class::Array,
            Type::Function(_) => Class::Function,
            Type::Record(_) => Class::Record,
            Type::VaList => Class::VaList,
        }
    }

    pub(super) fn is_scalar(&self, ty: TypeId) -> bool {
        matches!(self.class(ty), Class::Integer | Class::Float | Class::Pointer)
    }

    pub(super) fn is_arithmetic(&self, ty: TypeId) -> bool {
        matches!(self.class(ty), Class::Integer | Class::Float)
    }

    pub(super) fn format(&self, ty: TypeId) -> Option<IntFormat> {
        int_format(&self.types, self.machine, ty)
    }

    pub(super) fn pointer_to(&mut self, pointee: QualType) -> TypeId {
        let pointee = self.qualified(pointee);
        self.types.intern(Type::Pointer(pointee))
    }

    /// A type as C qualifies it: what is said of an array holds of its elements, and not of the array. One whose length is
    /// known at run time only stays as it is.
    pub(super) fn qualified(&mut self, of: QualType) -> QualType {
        if of.qualifiers == Qualifiers::default() || self.is_variable_length(of.ty) {
            return of;
        }
        let (mut lengths, mut innermost) = (Vec::new(), of);
        while let Type::Array { element, length } = *self.types.get(innermost.ty) {
            lengths.push(length);
            innermost = QualType { ty: element.ty, qualifiers: innermost.qualifiers.and(element.qualifiers) };
        }
        let around = |element, length| QualType::plain(self.types.intern(Type::Array { element, length }));
        lengths.into_iter().rev().fold(innermost, around)
    }

    /// The qualifiers of the innermost elements of an array.
    pub(super) fn element_qualifiers(&self, mut ty: TypeId) -> Qualifiers {
        let mut found = Qualifiers::default();
        while let Type::Array { element, .. } = *self.types.get(ty) {
            found = found.and(element.qualifiers);
            ty = element.ty;
        }
        found
    }

    pub(super) fn pointee(&self, ty: TypeId) -> Option<QualType> {
        match self.types.get(ty) {
            Type::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    /// The signed integer type as wide as a pointer: `ptrdiff_t` (`int` on ILP32, `long` on LP64).
    pub(super) fn ptrdiff(&self) -> TypeId {
        if self.machine.word() == 4 { self.basic.int } else { self.basic.long }
    }

    /// `size_t`
    pub(super) fn size_type(&self) -> TypeId {
        if self.machine.word() == 4 { self.basic.uint } else { self.basic.ulong }
    }

    pub(super) fn ty(&self, expr: ExprId) -> TypeId {
        self.exprs.ty(expr)
    }

    /// An integer, enumeration, `_Bool` or pointer constant, wrapped to its type.
    pub(super) fn int(&mut self, ty: TypeId, value: i128) -> ExprId {
        let pattern = self.format(ty).map_or(value as u128, |format| format.wrap(value as u128));
        self.exprs.intern(Expr::Int(pattern), ty)
    }

    pub(super) fn size_constant(&mut self, bytes: u64) -> ExprId {
        let ty = self.size_type();
        self.int(ty, i128::from(bytes))
    }

    /// Zero of any object type.
    pub(super) fn zero(&mut self, ty: TypeId) -> ExprId {
        match self.class(ty) {
            Class::Integer | Class::Pointer => self.int(ty, 0),
            Class::Float => self.exprs.intern(Expr::Float(0), ty),
            Class::Void | Class::Record | Class::Array | Class::Function | Class::Strange | Class::VaList => {
                self.exprs.intern(Expr::Zero, ty)
            }
        }
    }

    pub(super) fn constant(&mut self, value: &ConstantValue, ty: TypeId) -> Option<ExprId> {
        match value {
            ConstantValue::Int(bits) => Some(self.exprs.intern(Expr::Int(*bits), ty)),
            ConstantValue::Float(bits) => Some(self.exprs.intern(Expr::Float(*bits), ty)),
            ConstantValue::Address { .. } | ConstantValue::Function(_) => None,
        }
    }

    /// The value of a constant expression that has been lowered.
    pub(super) fn evaluate(&self, expr: ExprId) -> Option<ConstantValue> {
        fold::evaluate(self.constants(false), expr)
    }

    /// The value of what a static object begins with.
    pub(super) fn evaluate_initial(&self, expr: ExprId) -> Option<ConstantValue> {
        fold::evaluate(self.constants(true), expr)
    }

    fn constants(&self, reads_constants: bool) -> ConstantContext<'_> {
        let (types, exprs, variables) = (&self.types, &self.exprs, &self.variables);
        ConstantContext { types, exprs, variables, machine: self.machine, reads_constants }
    }

    /// Whether an expression is a literal zero that may stand for a null pointer.
    pub(super) fn is_null_constant(&self, expr: ExprId) -> bool {
        let zero = matches!(self.exprs.get(expr), Expr::Int(0));
        let ty = self.ty(expr);
        zero && (self.class(ty) == Class::Integer || ty == self.basic.void_pointer)
    }

    /// Conversion to another type; whether C allows it has been checked.
    pub(super) fn convert(&mut self, expr: ExprId, to: TypeId) -> ExprId {
        let expr = self.in_order(expr, to, Cut::Implied);
        let expr = self.without_width(expr);
        let from = self.ty(expr);
        if from == to {
            return expr;
        }
        let folded = match *self.exprs.get(expr) {
            Expr::Int(bits) => fold::convert_integer(&self.types, self.machine, from, to, bits),
            Expr::Float(bits) => fold::convert_float(&self.types, self.machine, from, to, bits),
            // A chain of pointer conversions is one.
            Expr::Cast(inner)
                if self.class(to) == Class::Pointer
                    && self.class(from) == Class::Pointer
                    && self.class(self.ty(inner)) == Class::Pointer =>
            {
                return self.convert(inner, to);
            }
            _ => None,
        };
        match folded.and_then(|value| self.constant(&value, to)) {
            Some(constant) => constant,
            None => self.exprs.intern(Expr::Cast(expr), to),
        }
    }

    /// The type an integer type is promoted to.
    pub(super) fn promoted(&self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Bool => self.basic.int,
            Type::Int { rank: IntRank::PlainChar | IntRank::Char | IntRank::Short, .. } => self.basic.int,
            Type::Enum(id) => self.promoted(self.types.enumeration(*id).underlying),
            _ => ty,
        }
    }

    pub(super) fn promote(&mut self, expr: ExprId) -> ExprId {
        if self.odd(expr).is_some() {
            return expr;
        }
        let to = self.promoted(self.ty(expr));
        self.convert(expr, to)
    }

    /// Default argument promotions.
    pub(super) fn promote_argument(&mut self, expr: ExprId) -> ExprId {
        match self.types.get(self.ty(expr)) {
            Type::Float(FloatKind::Float) => self.convert(expr, self.basic.double),
            _ => self.promote(expr),
        }
    }

    /// The common type of two arithmetic types (C11 6.3.1.8).
    pub(super) fn common_type(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let float = |types: &TypeTable, ty| match types.get(ty) {
            Type::Float(kind) => Some(*kind),
            _ => None,
        };
        match (float(&self.types, a), float(&self.types, b)) {
            (Some(x), Some(y)) => return if x >= y { a } else { b },
            (Some(_), None) => return a,
            (None, Some(_)) => return b,
            (None, None) => {}
        }
        let (a, b) = (self.promoted(a), self.promoted(b));
        let (Type::Int { rank: x, signed: s }, Type::Int { rank: y, signed: t }) =
            (self.types.get(a).clone(), self.types.get(b).clone())
        else {
            return a;
        };
        if s == t {
            return if x >= y { a } else { b };
        }
        let (signed, unsigned, signed_rank, unsigned_rank) = if s { (a, b, x, y) } else { (b, a, y, x) };
        if unsigned_rank >= signed_rank {
            unsigned
        } else if self.machine.int_size(signed_rank) > self.machine.int_size(unsigned_rank) {
            signed
        } else {
            self.types.intern(Type::Int { rank: signed_rank, signed: false })
        }
    }

    pub(super) fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        let ty = if op == UnaryOp::Not { self.basic.int } else { self.ty(operand) };
        if op == UnaryOp::Not {
            self.test(operand);
        }
        let plain = self.exprs.intern(Expr::Unary(op, operand), ty);
        match *self.exprs.get(operand) {
            Expr::Int(_) | Expr::Float(_) => self.folded(plain),
            _ => plain,
        }
    }

    /// An operator on operands whose types already fit.
    pub(super) fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let ty = if op.is_predicate() { self.basic.int } else { self.ty(left) };
        let plain = self.exprs.intern(Expr::Binary(op, left, right), ty);
        match (self.exprs.get(left), self.exprs.get(right)) {
            (Expr::Int(_) | Expr::Float(_), Expr::Int(_) | Expr::Float(_)) => self.folded(plain),
            _ => plain,
        }
    }

    /// The constant that an expression over constants is, if it is one.
    pub(super) fn folded(&mut self, expr: ExprId) -> ExprId {
        let ty = self.ty(expr);
        self.evaluate(expr).and_then(|value| self.constant(&value, ty)).unwrap_or(expr)
    }

    /// The truth of a scalar as an `int` that is 0 or 1: a predicate itself, else `e != 0`.
    pub(super) fn truth(&mut self, expr: ExprId) -> ExprId {
        match *self.exprs.get(expr) {
            Expr::Binary(op, ..) if op.is_predicate() => return expr,
            Expr::Unary(UnaryOp::Not, _) => return expr,
            Expr::Cast(inner) if self.class(self.ty(expr)) == Class::Integer && self.is_truth(inner) => return inner,
            _ => {}
        }
        self.test(expr);
        let expr = match self.class(self.ty(expr)) {
            Class::Integer => self.promote(expr),
            _ => expr,
        };
        let zero = self.zero(self.ty(expr));
        self.binary(BinaryOp::NotEqual, expr, zero)
    }

    fn is_truth(&self, expr: ExprId) -> bool {
        match *self.exprs.get(expr) {
            Expr::Binary(op, ..) => op.is_predicate(),
            Expr::Unary(op, _) => op == UnaryOp::Not,
            _ => false,
        }
    }

    /// `pointer + index` in elements.
    pub(super) fn pointer_offset(&mut self, pointer: ExprId, index: ExprId, scale: u64) -> ExprId {
        let ty = self.ty(pointer);
        let index = self.promote(index);
        if matches!(self.exprs.get(index), Expr::Int(0)) {
            return pointer;
        }
        if let Expr::AddressOf(place) = *self.exprs.get(pointer)
            && let Expr::Index(array, first) = *self.exprs.get(place)
            && matches!(self.exprs.get(first), Expr::Int(0))
            && self.pointee(ty).is_some_and(|pointee| pointee.ty == self.ty(place))
        {
            let element = self.exprs.intern(Expr::Index(array, index), self.ty(place));
            return self.exprs.intern(Expr::AddressOf(element), ty);
        }
        let plain = self.exprs.intern(Expr::PointerOffset { pointer, index, scale }, ty);
        match (self.exprs.get(pointer), self.exprs.get(index)) {
            (Expr::Int(_), Expr::Int(_)) => self.folded(plain),
            _ => plain,
        }
    }
}
