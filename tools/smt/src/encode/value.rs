//! Values of typed expressions.
//!
//! Every conversion of C is explicit in the expression, so an operator works on operands of one
//! width. Integers wrap; division by zero and oversized shifts have the values of SMT-LIB.

#![expect(clippy::wildcard_enum_match_arm, reason = "operators that do not fit are refused in one place")]

use program::cfa::Cfa;
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::{Type, TypeId};

use super::memory::Objects;
use super::shape::{Class, Kind, Scalar, ShapeId};
use super::{Context, Unsupported};
use crate::terms::{Op, Sort, TermId};

impl Context<'_, '_> {
    /// What a scalar type is.
    pub(super) fn scalar(&self, ty: TypeId) -> Result<Scalar, Unsupported> {
        let cfa = self.encoder.cfa;
        Scalar::of(cfa, ty).ok_or_else(|| {
            let what = match cfa.types.get(ty) {
                Type::Complex(_) => "complex number",
                Type::Vector { .. } => "vector type",
                Type::VaList => "variable argument list",
                Type::Record(_) | Type::Array { .. } => "aggregate used as a scalar",
                Type::Void | Type::Function(_) => "value without a type",
                Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_) | Type::Enum(_) => "scalar",
            };
            self.unsupported(what)
        })
    }

    /// Whether an expression is true, i.e. not zero.
    pub(super) fn condition(&mut self, expr: ExprId) -> Result<TermId, Unsupported> {
        // Expressions nest as deeply as the program's text.
        stacker::maybe_grow(64 << 10, 1 << 20, || self.condition_here(expr))
    }

    fn condition_here(&mut self, expr: ExprId) -> Result<TermId, Unsupported> {
        let exprs = &self.encoder.cfa.exprs;
        match *exprs.get(expr) {
            Expr::Unary(UnaryOp::Not, inner) => {
                let inner = self.condition(inner)?;
                Ok(self.store.not(inner))
            }
            Expr::Binary(op, a, b) if op.is_predicate() => self.predicate(op, a, b),
            _ => {
                let scalar = self.scalar(exprs.ty(expr))?;
                let value = self.value(expr)?;
                Ok(self.is_true(value, scalar))
            }
        }
    }

    fn is_true(&mut self, value: TermId, scalar: Scalar) -> TermId {
        if scalar.class == Class::Float && !is_modelled(scalar.width) {
            return self.arbitrary("long double", Sort::Bool);
        }
        let value = if scalar.class == Class::Float {
            // Both zeros are false.
            self.store.extract(value, scalar.width - 2, 0)
        } else {
            value
        };
        let zero = self.store.bits(self.store.width(value), 0);
        self.store.ne(value, zero)
    }

    /// The value of a scalar expression, as wide as its type.
    pub(super) fn value(&mut self, expr: ExprId) -> Result<TermId, Unsupported> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.value_here(expr))
    }

    fn value_here(&mut self, expr: ExprId) -> Result<TermId, Unsupported> {
        let cfa = self.encoder.cfa;
        let ty = cfa.exprs.ty(expr);
        let scalar = self.scalar(ty)?;
        match *cfa.exprs.get(expr) {
            Expr::Int(bits) | Expr::Float(bits) => Ok(self.store.bits(scalar.width, bits)),
            Expr::Zero => Ok(self.store.bits(scalar.width, 0)),
            Expr::Load(place) if self.encoder.symbolic && self.behind_pointer(place) => self.read_symbolic(place, ty),
            Expr::Load(place) => {
                let cases = self.place(place)?;
                let value = self.read(&cases, ty)?;
                let open = if scalar.class == Class::Float { self.address_as_float((expr, place), value) } else { None };
                Ok(self.unless(open, value))
            }
            Expr::AddressOf(place) => self.address(place),
            Expr::FunctionAddress(function) if self.encoder.symbolic => {
                Ok(self.encoder.code_symbol(self.store, function, scalar.width))
            }
            Expr::FunctionAddress(function) => Ok(self.store.bits(scalar.width, u128::from(Objects::code(function)))),
            Expr::Unary(op, operand) => self.unary(op, expr, operand, scalar),
            Expr::Binary(op, a, b) if op.is_predicate() => {
                let holds = self.predicate(op, a, b)?;
                Ok(self.store.from_bool(holds, scalar.width))
            }
            Expr::Binary(op, a, b) => self.binary(op, a, b, scalar),
            Expr::PointerOffset { pointer, index, scale } => {
                let base = self.value(pointer)?;
                let from = self.scalar(cfa.exprs.ty(index))?;
                let index = self.value(index)?;
                let index = self.resized(index, from, scalar.width);
                let scale = self.store.bits(scalar.width, u128::from(scale));
                let offset = self.store.mul(index, scale);
                Ok(self.store.add(base, offset))
            }
            Expr::PointerDifference { left, right, scale } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                let difference = self.store.sub(left, right);
                self.exact_quotient(difference, scale)
            }
            Expr::Cast(operand) => self.cast(operand, scalar),
            Expr::Conditional(condition, yes, no) => {
                let condition = self.condition(condition)?;
                let (yes, no) = self.lazily(|context| Ok((context.value(yes)?, context.value(no)?)))?;
                Ok(self.store.ite(condition, yes, no))
            }
            Expr::Variable(_) | Expr::Dereference { .. } | Expr::Field(..) | Expr::Index(..) => {
                Err(self.unsupported("place used as a value"))
            }
        }
    }

    /// The difference of two pointers into one array, in elements.
    fn exact_quotient(&mut self, difference: TermId, scale: u64) -> Result<TermId, Unsupported> {
        if scale == 0 {
            return Err(self.unsupported("difference of pointers to objects of size zero"));
        }
        let (quotient, rest) = self.store.divide(difference, u128::from(scale));
        if self.store.as_bits(rest) == Some(0) {
            return Ok(quotient);
        }
        let width = self.store.width(difference);
        let scale = self.store.bits(width, u128::from(scale));
        Ok(self.store.sdiv(difference, scale))
    }

    fn unary(&mut self, op: UnaryOp, expr: ExprId, operand: ExprId, scalar: Scalar) -> Result<TermId, Unsupported> {
        match op {
            UnaryOp::Not => {
                let holds = self.condition(expr)?;
                Ok(self.store.from_bool(holds, scalar.width))
            }
            UnaryOp::Negate if scalar.class == Class::Float => {
                let value = self.value(operand)?;
                Ok(self.float_negate(value))
            }
            UnaryOp::Negate => {
                let value = self.value(operand)?;
                Ok(self.store.neg(value))
            }
            UnaryOp::Complement => {
                let value = self.value(operand)?;
                Ok(self.store.bit_not(value))
            }
        }
    }

    fn float_negate(&mut self, value: TermId) -> TermId {
        let width = self.store.width(value);
        if !is_modelled(width) {
            return self.arbitrary("long double", Sort::BitVec(width));
        }
        let sign = self.store.bits(width, 1 << (width - 1));
        self.store.bit_xor(value, sign)
    }

    fn predicate(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Result<TermId, Unsupported> {
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            if op == BinaryOp::LogicalOr
                && let Some(zeros) = self.zeros_of_one_sign(a, b)?
            {
                return Ok(zeros);
            }
            let a = self.condition(a)?;
            let b = self.lazily(|context| context.condition(b))?;
            return Ok(if op == BinaryOp::LogicalAnd { self.store.and(&[a, b]) } else { self.store.or(&[a, b]) });
        }
        let exprs = &self.encoder.cfa.exprs;
        let scalar = self.scalar(exprs.ty(a))?;
        let (left, right) = (a, b);
        let (a, b) = (self.value(a)?, self.value(b)?);
        if scalar.class == Class::Float {
            return Ok(self.float_predicate(op, a, b));
        }
        if let Some(open) = self.address_equality(op, (left, a), (right, b)) {
            return Ok(open);
        }
        let open = self.address_order(op, (left, a), (right, b));
        if scalar.class == Class::Pointer
            && !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
            && let Some(order) = self.order_of_pieces((left, a), (right, b))
        {
            let inside = self.ordered(op, a, b);
            let inside = self.unless(open, inside);
            let [same, other] = order;
            return Ok(self.store.ite(same, inside, other));
        }
        let result =
            if scalar.class == Class::Pointer { self.ordered(op, a, b) } else { self.order_of_numbers(op, a, b, scalar) };
        Ok(self.unless(open, result))
    }

    /// A comparison of integers.
    fn order_of_numbers(&mut self, op: BinaryOp, a: TermId, b: TermId, scalar: Scalar) -> TermId {
        let store = &mut *self.store;
        match (op, scalar.signed) {
            (BinaryOp::Equal, _) => store.eq(a, b),
            (BinaryOp::NotEqual, _) => store.ne(a, b),
            (BinaryOp::Less, true) => store.slt(a, b),
            (BinaryOp::Less, false) => store.ult(a, b),
            (BinaryOp::LessEqual, true) => store.sle(a, b),
            (BinaryOp::LessEqual, false) => store.ule(a, b),
            (BinaryOp::Greater, true) => store.slt(b, a),
            (BinaryOp::Greater, false) => store.ult(b, a),
            (BinaryOp::GreaterEqual, true) => store.sle(b, a),
            _ => store.ule(b, a),
        }
    }

    /// The order of addresses.
    fn ordered(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let store = &mut *self.store;
        match op {
            BinaryOp::Equal => store.eq(a, b),
            BinaryOp::NotEqual => store.ne(a, b),
            BinaryOp::Less => store.ult(a, b),
            BinaryOp::LessEqual => store.ule(a, b),
            BinaryOp::Greater => store.ult(b, a),
            _ => store.ule(b, a),
        }
    }

    /// Evaluates operands that a run may not come to.
    fn lazily<T>(&mut self, of: impl FnOnce(&mut Self) -> Result<T, Unsupported>) -> Result<T, Unsupported> {
        self.lazy += 1;
        let value = of(self);
        self.lazy -= 1;
        value
    }

    /// Notes that nothing is divided by zero: machines trap. Nothing is said where a compiler need not divide, for it does not
    /// look at what the result does not depend on: zero by anything, a number by itself, one by -1 that does not fit.
    fn divides(&mut self, a: TermId, b: TermId, width: u32) {
        if self.lazy > 0 || a == b || self.store.as_bits(a) == Some(0) {
            return;
        }
        let zero = self.store.bits(width, 0);
        let divides = self.store.ne(b, zero);
        self.defined.push(divides);
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, scalar: Scalar) -> Result<TermId, Unsupported> {
        let a = self.value(left)?;
        let b = self.value(right)?;
        if scalar.class == Class::Float {
            return self.float_arithmetic(op, a, b);
        }
        let open = self.address_bits(op, (left, a), (right, b), scalar);
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            self.divides(a, b, scalar.width);
        }
        let result = self.arithmetic(op, a, b, scalar)?;
        Ok(self.unless(open, result))
    }

    fn arithmetic(&mut self, op: BinaryOp, a: TermId, b: TermId, scalar: Scalar) -> Result<TermId, Unsupported> {
        let store = &mut *self.store;
        Ok(match op {
            BinaryOp::Add => store.add(a, b),
            BinaryOp::Subtract => store.sub(a, b),
            BinaryOp::Multiply => store.mul(a, b),
            BinaryOp::Divide if scalar.signed => store.sdiv(a, b),
            BinaryOp::Divide => store.udiv(a, b),
            BinaryOp::Remainder if scalar.signed => store.srem(a, b),
            BinaryOp::Remainder => store.urem(a, b),
            BinaryOp::BitAnd => store.bit_and(a, b),
            BinaryOp::BitOr => store.bit_or(a, b),
            BinaryOp::BitXor => store.bit_xor(a, b),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                // An amount that does not fit is undefined.
                let amount = store.resize_unsigned(b, scalar.width);
                match (op, scalar.signed) {
                    (BinaryOp::ShiftLeft, _) => store.shl(a, amount),
                    (_, true) => store.ashr(a, amount),
                    (_, false) => store.lshr(a, amount),
                }
            }
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr => return Err(self.unsupported("predicate as arithmetic")),
        })
    }

    fn cast(&mut self, operand: ExprId, to: Scalar) -> Result<TermId, Unsupported> {
        let from = self.scalar(self.encoder.cfa.exprs.ty(operand))?;
        if to.class == Class::Bool {
            let holds = self.condition(operand)?;
            return Ok(self.store.from_bool(holds, to.width));
        }
        if to.class == Class::Pointer
            && let Some(pointer) = self.pointer_behind(operand)
        {
            return self.value(pointer);
        }
        let mut value = self.value(operand)?;
        if from.class == Class::Pointer && to.class == Class::Integer {
            value = self.as_number(operand, value);
        }
        let open = self.address_part((operand, value), to);
        let result = match (from.class, to.class) {
            (Class::Float, Class::Float) if from.width == to.width => value,
            (Class::Float, _) | (_, Class::Float) => self.float_cast(value, from, to),
            _ => self.resized(value, from, to.width),
        };
        Ok(self.unless(open, result))
    }

    /// `a != 0 || 1 / a == 1 / b`, by which C tells zeros apart, without the quotients: they are what a solver is slowest at.
    /// Where `a` is a zero its inverse is infinite, and so is that of all numbers up to a limit far below the normal ones.
    fn zeros_of_one_sign(&mut self, left: ExprId, right: ExprId) -> Result<Option<TermId>, Unsupported> {
        let exprs = &self.encoder.cfa.exprs;
        let (&Expr::Binary(BinaryOp::NotEqual, tested, zero), &Expr::Binary(BinaryOp::Equal, inverse, other)) =
            (exprs.get(left), exprs.get(right))
        else {
            return Ok(None);
        };
        let divisor = |expr: ExprId| match *exprs.get(expr) {
            Expr::Binary(BinaryOp::Divide, one, divisor) => Some((one, divisor)),
            _ => None,
        };
        let (Some((one, a)), Some((same_one, b))) = (divisor(inverse), divisor(other)) else { return Ok(None) };
        let scalar = self.scalar(exprs.ty(inverse))?;
        let is_one = |bits| matches!((scalar.width, bits), (32, 0x3f80_0000) | (64, 0x3ff0_0000_0000_0000));
        if scalar.class != Class::Float || !is_modelled(scalar.width) || exprs.ty(tested) != exprs.ty(inverse) {
            return Ok(None);
        }
        let (zero, ones) = (self.value(zero)?, [self.value(one)?, self.value(same_one)?]);
        let are_ones = ones.iter().all(|one| self.store.as_bits(*one).is_some_and(is_one));
        let tested = self.value(tested)?;
        let a = self.lazily(|context| context.value(a))?;
        if self.store.as_bits(zero) != Some(0) || !are_ones || a != tested {
            return Ok(None);
        }
        let b = self.lazily(|context| context.value(b))?;
        let store = &mut *self.store;
        let sign = scalar.width - 1;
        let (magnitude, small) = (store.extract(a, sign - 1, 0), store.extract(b, sign - 1, 0));
        let (nothing, limit) = (store.bits(sign, 0), store.bits(sign, largest_with_infinite_inverse(scalar.width)));
        let is_not_zero = store.ne(magnitude, nothing);
        let (sign_of_a, sign_of_b) = (store.extract(a, sign, sign), store.extract(b, sign, sign));
        let (same, is_small) = (store.eq(sign_of_a, sign_of_b), store.ule(small, limit));
        let zeros = store.and(&[same, is_small]);
        Ok(Some(store.or(&[is_not_zero, zeros])))
    }

    fn float_predicate(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        if !is_modelled(self.store.width(a)) {
            return self.arbitrary("long double", Sort::Bool);
        }
        let store = &mut *self.store;
        match op {
            BinaryOp::Equal => store.float_compare(Op::FEq, a, b),
            BinaryOp::NotEqual => {
                let equal = store.float_compare(Op::FEq, a, b);
                store.not(equal)
            }
            BinaryOp::Less => store.float_compare(Op::FLt, a, b),
            BinaryOp::LessEqual => store.float_compare(Op::FLe, a, b),
            BinaryOp::Greater => store.float_compare(Op::FLt, b, a),
            _ => store.float_compare(Op::FLe, b, a),
        }
    }

    fn float_arithmetic(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Result<TermId, Unsupported> {
        let sort = self.store.sort(a);
        if !is_modelled(self.store.width(a)) {
            return Ok(self.arbitrary("long double", sort));
        }
        let op = match op {
            BinaryOp::Add => Op::FAdd,
            BinaryOp::Subtract => Op::FSub,
            BinaryOp::Multiply => Op::FMul,
            BinaryOp::Divide => Op::FDiv,
            _ => return Err(self.unsupported(format!("{op:?} of floats"))),
        };
        let result = self.store.float_arithmetic(op, a, b);
        Ok(self.any_nan(result))
    }

    /// The result of an operation, with open bits if it is no number and the program may look at them: which operand a NaN is
    /// taken from, and what sign it has, the language leaves open, and machine and compiler do it differently.
    fn any_nan(&mut self, result: TermId) -> TermId {
        let width = self.store.width(result);
        if !self.encoder.sees_bits || self.store.as_bits(result).is_some() {
            return result;
        }
        let is_number = self.store.float_compare(Op::FEq, result, result);
        let any = self.arbitrary("bits of a NaN", Sort::BitVec(width));
        // Machines make quiet ones, whose first bit behind the exponent is set.
        let quiet = self.store.bits(width, if width == 32 { 0x7fc0_0000 } else { 0x7ff8_0000_0000_0000 });
        let nan = self.store.bit_or(any, quiet);
        self.store.ite(is_number, result, nan)
    }

    /// Conversion between a float and another arithmetic type, neither of them `_Bool`.
    fn float_cast(&mut self, value: TermId, from: Scalar, to: Scalar) -> TermId {
        let floats = [from, to].into_iter().filter(|scalar| scalar.class == Class::Float);
        if !floats.clone().all(|float| is_modelled(float.width)) {
            return self.arbitrary("long double", Sort::BitVec(to.width));
        }
        let op = match (from.class, to.class) {
            (Class::Float, Class::Float) => Op::FConvert,
            (Class::Float, _) if to.signed => Op::FToSigned,
            (Class::Float, _) => Op::FToUnsigned,
            _ if from.signed => Op::FFromSigned,
            _ => Op::FFromUnsigned,
        };
        let result = self.store.float_conversion(op, value, to.width);
        if matches!(op, Op::FConvert) && from.width != to.width { self.any_nan(result) } else { result }
    }

    /// Conversion between integers and pointers: the source decides how bits are filled. Like gcc,
    /// a pointer is extended with its sign.
    fn resized(&mut self, value: TermId, from: Scalar, width: u32) -> TermId {
        if from.signed || from.class == Class::Pointer {
            self.store.resize_signed(value, width)
        } else {
            self.store.resize_unsigned(value, width)
        }
    }

    /// The values of all leaves of an aggregate expression.
    pub(super) fn aggregate(&mut self, expr: ExprId, shape: ShapeId) -> Result<Vec<TermId>, Unsupported> {
        let cfa = self.encoder.cfa;
        match *cfa.exprs.get(expr) {
            Expr::Load(place) => {
                let cases = self.place(place)?;
                Ok(self.read_aggregate(&cases, shape))
            }
            Expr::Zero => {
                let leaves = self.encoder.shapes.leaves(cfa, shape);
                Ok(leaves
                    .iter()
                    .map(|leaf| {
                        let sort = super::memory::leaf_sort(leaf.width, leaf.dimensions);
                        zero(self.store, sort)
                    })
                    .collect())
            }
            Expr::Conditional(condition, yes, no) => {
                let condition = self.condition(condition)?;
                let (yes, no) = self.lazily(|context| Ok((context.aggregate(yes, shape)?, context.aggregate(no, shape)?)))?;
                let pairs = yes.into_iter().zip(no);
                Ok(pairs.map(|(yes, no)| self.store.ite(condition, yes, no)).collect())
            }
            ref other => Err(self.unsupported(format!("{other:?} as an aggregate"))),
        }
    }

    /// Whether values of a type are copied leaf by leaf.
    pub(super) fn is_aggregate(&mut self, ty: TypeId) -> Option<ShapeId> {
        let shape = self.encoder.shapes.of(self.encoder.cfa, ty);
        match self.encoder.shapes.get(shape).kind {
            Kind::Scalar => None,
            Kind::Record(_) | Kind::Union(_) | Kind::Fixed { .. } | Kind::Array { .. } => Some(shape),
            Kind::Opaque => {
                let aggregate = matches!(self.encoder.cfa.types.get(ty), Type::Record(_) | Type::Array { .. });
                aggregate.then_some(shape)
            }
        }
    }
}

/// Whether floats of this width have operators: single and double precision.
fn is_modelled(width: u32) -> bool {
    width == 32 || width == 64
}

/// The bits of the largest positive float whose inverse rounds to infinity: 2^-128 and 2^-1024.
fn largest_with_infinite_inverse(width: u32) -> u128 {
    if width == 32 { 1 << 21 } else { 1 << 50 }
}

/// The value of a leaf all of whose bytes are zero.
pub(super) fn zero(store: &mut crate::terms::TermStore, sort: Sort) -> TermId {
    match sort {
        Sort::Bool => store.ff(),
        Sort::BitVec(width) => store.bits(width, 0),
        Sort::Array { index, element } => {
            let element = store.bits(element, 0);
            store.const_array(index, element)
        }
    }
}

/// Whether a pointer may come to address a scalar as one of another type: it is converted from a
/// pointer to something else, or made from an integer that is not a constant.
///
/// Conversions of fresh memory to what it is modelled as do not count.
pub(super) fn has_punning(cfa: &Cfa, is_first_view: impl Fn(ExprId) -> bool) -> bool {
    (0..cfa.exprs.len()).map(ExprId::new).filter(|expr| !is_first_view(*expr)).any(|expr| {
        let Expr::Cast(operand) = *cfa.exprs.get(expr) else { return false };
        let Type::Pointer(to) = cfa.types.get(cfa.exprs.ty(expr)) else { return false };
        if matches!(cfa.types.get(to.ty), Type::Void | Type::Function(_)) {
            return false;
        }
        match cfa.types.get(cfa.exprs.ty(operand)) {
            Type::Pointer(from) => from.ty != to.ty,
            _ => !matches!(cfa.exprs.get(operand), Expr::Int(_)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::largest_with_infinite_inverse;

    #[test]
    fn inverses_are_infinite_up_to_the_limit() {
        let float = |bits: u128| 1.0 / f32::from_bits(u32::try_from(bits).unwrap());
        let double = |bits: u128| 1.0 / f64::from_bits(u64::try_from(bits).unwrap());
        let (limit, wide) = (largest_with_infinite_inverse(32), largest_with_infinite_inverse(64));
        assert!(float(limit).is_infinite() && float(limit + 1).is_finite());
        assert!(double(wide).is_infinite() && double(wide + 1).is_finite());
    }
}
