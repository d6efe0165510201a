//! When an expression has a value: divisors, shifts and indices of arrays, and inputs that were read.
//!
//! What pointers lead to is not said: a run in which that is not there ends where the expression is evaluated.

#![allow(clippy::wildcard_enum_match_arm, reason = "an operator that is not named here is defined wherever its operands are")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, VarId};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::{ArrayLength, IntRank, Type, TypeId};
use transform::Editor;

/// The expressions that one is made of, each behind its operands.
fn parts(cfa: &Cfa, expr: ExprId) -> BTreeSet<ExprId> {
    let (mut found, mut pending) = (BTreeSet::new(), vec![expr]);
    while let Some(one) = pending.pop() {
        if found.insert(one) {
            pending.extend(cfa.exprs.get(one).operands());
        }
    }
    found
}

/// The expression with other variables; the editor is that of the program.
pub(crate) fn replaced(cfa: &Cfa, editor: &mut Editor, expr: ExprId, by: &BTreeMap<VarId, VarId>) -> ExprId {
    let mut new: BTreeMap<ExprId, ExprId> = BTreeMap::new();
    for one in parts(cfa, expr) {
        let of = |operand: ExprId| new.get(&operand).copied().unwrap_or(operand);
        let expr = match *cfa.exprs.get(one) {
            constant @ (Expr::Int(_) | Expr::Float(_) | Expr::Zero | Expr::FunctionAddress(_)) => constant,
            Expr::Variable(variable) => Expr::Variable(by.get(&variable).copied().unwrap_or(variable)),
            Expr::Load(place) => Expr::Load(of(place)),
            Expr::AddressOf(place) => Expr::AddressOf(of(place)),
            Expr::Unary(op, operand) => Expr::Unary(op, of(operand)),
            Expr::Binary(op, a, b) => Expr::Binary(op, of(a), of(b)),
            Expr::PointerOffset { pointer, index, scale } => {
                Expr::PointerOffset { pointer: of(pointer), index: of(index), scale }
            }
            Expr::PointerDifference { left, right, scale } => Expr::PointerDifference { left: of(left), right: of(right), scale },
            Expr::Cast(operand) => Expr::Cast(of(operand)),
            Expr::Conditional(condition, a, b) => Expr::Conditional(of(condition), of(a), of(b)),
            Expr::Dereference { pointer, volatile } => Expr::Dereference { pointer: of(pointer), volatile },
            Expr::Field(place, number) => Expr::Field(of(place), number),
            Expr::Index(array, index) => Expr::Index(of(array), of(index)),
        };
        let made = editor.expr(expr, cfa.exprs.ty(one));
        new.insert(one, made);
    }
    new.get(&expr).copied().unwrap_or(expr)
}

/// Writes down when an expression has a value.
pub(crate) struct Definedness<'a> {
    pub(crate) cfa: &'a Cfa,
    pub(crate) editor: &'a mut Editor,
    /// The variables that `replaced` puts in.
    pub(crate) by: &'a BTreeMap<VarId, VarId>,
    /// Variables with a condition under which they have a value: `counter > number`.
    pub(crate) read: &'a BTreeMap<VarId, (VarId, u64)>,
    /// Whether arithmetic in signed types has no value where it overflows; it wraps otherwise.
    pub(crate) overflow: bool,
}

impl Definedness<'_> {
    /// When an expression has a value; `None`: always. Conditions are `int`s that are 0 or 1.
    pub(crate) fn of(&mut self, expr: ExprId) -> Option<ExprId> {
        let mut known: BTreeMap<ExprId, Option<ExprId>> = BTreeMap::new();
        for one in parts(self.cfa, expr) {
            let of = |operand: ExprId| known.get(&operand).copied().flatten();
            let condition = match *self.cfa.exprs.get(one) {
                Expr::Variable(variable) => self.was_read(variable),
                Expr::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), a, b) => {
                    let second = of(b).map(|b| {
                        let (a, yes) = (self.said(a), self.constant(1));
                        let (then, otherwise) = if op == BinaryOp::LogicalAnd { (b, yes) } else { (yes, b) };
                        self.choose(a, then, otherwise)
                    });
                    self.both(of(a), second)
                }
                Expr::Conditional(condition, a, b) => {
                    let inside = (of(a).is_some() || of(b).is_some()).then(|| {
                        let yes = self.constant(1);
                        let said = self.said(condition);
                        self.choose(said, of(a).unwrap_or(yes), of(b).unwrap_or(yes))
                    });
                    self.both(of(condition), inside)
                }
                Expr::Binary(op, a, b) => {
                    let operands = self.both(of(a), of(b));
                    let own = match op {
                        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => self.arithmetic(op, (a, b)),
                        _ => self.operator(op, (a, b)),
                    };
                    self.both(operands, own)
                }
                Expr::Unary(UnaryOp::Negate, operand) => {
                    let own = self.negation(operand);
                    self.both(of(operand), own)
                }
                Expr::Index(array, index) => {
                    let operands = self.both(of(array), of(index));
                    let own = self.index(array, index);
                    self.both(operands, own)
                }
                other => {
                    let operands: Vec<ExprId> = other.operands().collect();
                    operands.into_iter().fold(None, |all, operand| self.both(all, of(operand)))
                }
            };
            known.insert(one, condition);
        }
        known.remove(&expr).flatten()
    }

    /// An expression as it is evaluated.
    fn said(&mut self, expr: ExprId) -> ExprId {
        let replaced = replaced(self.cfa, self.editor, expr, self.by);
        self.editor.truth(replaced)
    }

    fn value(&mut self, expr: ExprId) -> ExprId {
        replaced(self.cfa, self.editor, expr, self.by)
    }

    fn constant(&mut self, value: u128) -> ExprId {
        let int = self.editor.int();
        self.editor.number(int, value)
    }

    fn choose(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let int = self.editor.int();
        self.editor.expr(Expr::Conditional(condition, then, otherwise), int)
    }

    pub(crate) fn both(&mut self, a: Option<ExprId>, b: Option<ExprId>) -> Option<ExprId> {
        match (a, b) {
            (Some(a), Some(b)) => {
                let no = self.constant(0);
                Some(self.choose(a, b, no))
            }
            (one, None) | (None, one) => one,
        }
    }

    fn compare(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let int = self.editor.int();
        self.editor.expr(Expr::Binary(op, a, b), int)
    }

    fn was_read(&mut self, variable: VarId) -> Option<ExprId> {
        let (counter, number) = *self.read.get(&variable)?;
        let count = self.editor.load(counter);
        let ty = self.editor.type_of(count);
        let number = self.editor.number(ty, u128::from(number));
        Some(self.compare(BinaryOp::Less, number, count))
    }

    /// The width and signedness of an integer type.
    fn integer(&self, ty: TypeId) -> Option<(u32, bool)> {
        match self.cfa.types.get(ty) {
            Type::Int { rank, signed } => Some((u32::try_from(self.cfa.machine.int_size(*rank) * 8).ok()?, *signed)),
            _ => None,
        }
    }

    fn operator(&mut self, op: BinaryOp, (a, b): (ExprId, ExprId)) -> Option<ExprId> {
        let ty = self.cfa.exprs.ty(b);
        let (width, signed) = self.integer(ty)?;
        let ones = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let constant = match *self.cfa.exprs.get(b) {
            Expr::Int(bits) => Some(bits & ones),
            _ => None,
        };
        match op {
            BinaryOp::Divide | BinaryOp::Remainder => {
                if constant.is_some_and(|value| value != 0 && (!signed || value != ones)) {
                    return None;
                }
                let (value, zero) = (self.value(b), self.editor.number(ty, 0));
                let nonzero = self.compare(BinaryOp::NotEqual, value, zero);
                let overflow = signed.then(|| {
                    let (minus, least) = (self.editor.number(ty, ones), self.editor.number(ty, 1 << (width - 1)));
                    let dividend = self.value(a);
                    let (first, second) =
                        (self.compare(BinaryOp::NotEqual, value, minus), self.compare(BinaryOp::NotEqual, dividend, least));
                    let yes = self.constant(1);
                    self.choose(first, yes, second)
                });
                self.both(Some(nonzero), overflow)
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let (bits, _) = self.integer(self.cfa.exprs.ty(a))?;
                if constant.is_some_and(|value| value < u128::from(bits)) {
                    return None;
                }
                self.below(b, u128::from(bits))
            }
            _ => None,
        }
    }

    /// Whether arithmetic in a signed type fits: computed in a wider one.
    fn arithmetic(&mut self, op: BinaryOp, (a, b): (ExprId, ExprId)) -> Option<ExprId> {
        let (width, signed) = self.integer(self.cfa.exprs.ty(a))?;
        if !self.overflow || !signed || width > 64 {
            return None;
        }
        let rank = if width < 64 && op != BinaryOp::Multiply || width <= 32 { IntRank::LongLong } else { IntRank::Int128 };
        let bits: u32 = if rank == IntRank::Int128 { 128 } else { 64 };
        let wide = self.editor.ty(Type::Int { rank, signed: true });
        let [a, b] = [a, b].map(|operand| {
            let value = self.value(operand);
            self.editor.expr(Expr::Cast(value), wide)
        });
        let result = self.editor.expr(Expr::Binary(op, a, b), wide);
        let ones = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
        let (most, least) = ((1u128 << (width - 1)) - 1, (1u128 << (width - 1)).wrapping_neg() & ones);
        let (least, most) = (self.editor.number(wide, least), self.editor.number(wide, most));
        let (above, below) = (self.compare(BinaryOp::LessEqual, least, result), self.compare(BinaryOp::LessEqual, result, most));
        self.both(Some(above), Some(below))
    }

    /// Whether the negation of a signed integer fits.
    fn negation(&mut self, operand: ExprId) -> Option<ExprId> {
        let ty = self.cfa.exprs.ty(operand);
        let (width, _) = self.integer(ty).filter(|(_, signed)| *signed && self.overflow)?;
        let (value, least) = (self.value(operand), self.editor.number(ty, 1 << (width - 1)));
        Some(self.compare(BinaryOp::NotEqual, value, least))
    }

    /// Whether an integer is at least 0 and below a limit, which its type may have no room for.
    fn below(&mut self, expr: ExprId, limit: u128) -> Option<ExprId> {
        let ty = self.cfa.exprs.ty(expr);
        let (width, signed) = self.integer(ty)?;
        let greatest = if width >= 128 { u128::MAX } else { (1 << (width - u32::from(signed))) - 1 };
        let value = self.value(expr);
        let zero = self.editor.number(ty, 0);
        let least = signed.then(|| self.compare(BinaryOp::LessEqual, zero, value));
        let most = (limit <= greatest).then(|| {
            let limit = self.editor.number(ty, limit);
            self.compare(BinaryOp::Less, value, limit)
        });
        self.both(least, most)
    }

    fn index(&mut self, array: ExprId, index: ExprId) -> Option<ExprId> {
        let Type::Array { length: ArrayLength::Constant(length), .. } = self.cfa.types.get(self.cfa.exprs.ty(array)) else {
            return None;
        };
        let length = u128::from(*length);
        match *self.cfa.exprs.get(index) {
            Expr::Int(bits) if bits < length => None,
            _ => self.below(index, length),
        }
    }
}
