//! Atomic builtins, `__sync_*` and `__atomic_*`: in a program with one thread, what they compute is all they do.

use super::build::Class;
use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast;
use crate::cfa::Operation;
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::source::Span;
use crate::types::{IntRank, QualType, Qualifiers, Type, TypeId};

/// The operators of read-modify-write builtins.
const OPERATORS: [&str; 6] = ["add", "sub", "or", "and", "xor", "nand"];

/// How much of an object a builtin reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Byte,
}

impl Lowerer<'_> {
    /// An atomic builtin with its full name; `None` if it is not known.
    pub(super) fn atomic(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<Operand>> {
        if let Some((op, new)) = update(name) {
            if arguments.len() < 2 {
                return Ok(None);
            }
            let Some(place) = self.atomic_place(arguments[0], span)? else { return Ok(None) };
            let operand = self.value(arguments[1])?;
            self.discard_rest(&arguments[2..])?;
            return self.update(op, new, place, operand, span).map(|result| Some(Operand::Value(result)));
        }
        let known = |count: usize| arguments.len() >= count;
        match name {
            "__sync_synchronize" | "__atomic_thread_fence" | "__atomic_signal_fence" => {
                self.discard_rest(arguments)?;
                Ok(Some(Operand::Void))
            }
            "__atomic_load_n" if known(1) => self.atomic_read(arguments, span),
            "__atomic_load" | "__atomic_store" if known(2) => self.atomic_copy(name, arguments, span),
            "__atomic_store_n" | "__atomic_exchange_n" | "__sync_lock_test_and_set" if known(2) => {
                let Some(place) = self.atomic_place(arguments[0], span)? else { return Ok(None) };
                let new = self.atomic_operand(arguments[1], place, span)?;
                self.discard_rest(&arguments[2..])?;
                let old = if name == "__atomic_store_n" { None } else { Some(self.atomic_load(place, span)?) };
                self.store(place, new, span);
                Ok(Some(old.map_or(Operand::Void, Operand::Value)))
            }
            "__atomic_exchange" if known(3) => {
                let Some(place) = self.atomic_place(arguments[0], span)? else { return Ok(None) };
                let Some(new) = self.atomic_place(arguments[1], span)? else { return Ok(None) };
                let Some(result) = self.atomic_place(arguments[2], span)? else { return Ok(None) };
                let (new, old) = (self.atomic_load(new, span)?, self.atomic_load(place, span)?);
                self.store(place, new, span);
                self.store(result, old, span);
                Ok(Some(Operand::Void))
            }
            "__sync_lock_release" | "__atomic_clear" if known(1) => {
                let part = if name == "__atomic_clear" { Part::Byte } else { Part::Whole };
                let Some(place) = self.atomic_part(arguments[0], part, span)? else { return Ok(None) };
                self.discard_rest(&arguments[1..])?;
                let zero = self.zero(self.ty(place.expr));
                self.store(place, zero, span);
                Ok(Some(Operand::Void))
            }
            "__atomic_test_and_set" if known(1) => self.test_and_set(arguments, span),
            "__sync_bool_compare_and_swap" | "__sync_val_compare_and_swap" if known(3) => {
                self.sync_compare(name, arguments, span)
            }
            "__atomic_compare_exchange_n" | "__atomic_compare_exchange" if known(3) => {
                self.compare_exchange(name, arguments, span)
            }
            _ => Ok(None),
        }
    }

    fn discard_rest(&mut self, arguments: &[ast::ExprId]) -> Lowered<()> {
        arguments.iter().try_for_each(|argument| self.discard(*argument))
    }

    /// `__atomic_test_and_set`: sets a byte to 1, whatever the type of the pointer. What was there is the result as it is, and no
    /// truth value if it is another number than 0 and 1: nobody goes on with that.
    fn test_and_set(&mut self, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<Operand>> {
        let Some(place) = self.atomic_part(arguments[0], Part::Byte, span)? else { return Ok(None) };
        self.discard_rest(&arguments[1..])?;
        let old = self.atomic_load(place, span)?;
        let one = self.int(self.ty(place.expr), 1);
        if self.quiet == 0 {
            let is_other = self.binary(BinaryOp::Greater, old, one);
            let (other, truth) = self.fork(is_other, span);
            self.body.cursor = other;
            if self.here().is_some() {
                let end = self.dead_end();
                let construct = "__atomic_test_and_set of neither 0 nor 1".into();
                self.emit_last(Operation::Unsupported { construct }, span, end);
            }
            self.body.cursor = truth;
        }
        self.store(place, one, span);
        let truth = self.truth(old);
        Ok(Some(Operand::Value(self.convert(truth, self.basic.bool_))))
    }

    /// What a pointer argument points to; a byte for `void *`. `None` if it is nothing scalar.
    fn atomic_place(&mut self, pointer: ast::ExprId, span: Span) -> Lowered<Option<Place>> {
        self.atomic_part(pointer, Part::Whole, span)
    }

    /// The same, or the first byte of it.
    fn atomic_part(&mut self, pointer: ast::ExprId, part: Part, span: Span) -> Lowered<Option<Place>> {
        let pointer = self.value(pointer)?;
        let mut pointer = self.save(pointer, span);
        let is_byte = |pointee: QualType| part == Part::Byte || pointee.ty == self.basic.void;
        if self.pointee(self.ty(pointer)).is_some_and(is_byte) {
            let byte = self.types.intern(Type::Int { rank: IntRank::Char, signed: false });
            let ty = self.pointer_to(QualType::plain(byte));
            pointer = self.convert(pointer, ty);
        }
        let Operand::Place(place) = self.dereference(pointer, span)? else { return Ok(None) };
        let scalar = self.is_scalar(self.ty(place.expr));
        Ok(scalar.then_some(Place { qualifiers: Qualifiers::default(), ..place }))
    }

    /// A value for a place, saved.
    fn atomic_operand(&mut self, argument: ast::ExprId, place: Place, span: Span) -> Lowered<ExprId> {
        let value = self.value(argument)?;
        let value = self.assign_convert(value, self.ty(place.expr), span)?;
        Ok(self.save(value, span))
    }

    /// The value at a place, saved.
    fn atomic_load(&mut self, place: Place, span: Span) -> Lowered<ExprId> {
        let value = self.rvalue(Operand::Place(place), span)?;
        Ok(self.save_always(value, span))
    }

    fn atomic_read(&mut self, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<Operand>> {
        let Some(place) = self.atomic_place(arguments[0], span)? else { return Ok(None) };
        self.discard_rest(&arguments[1..])?;
        self.atomic_load(place, span).map(|value| Some(Operand::Value(value)))
    }

    /// `__atomic_load(from, to, order)` and `__atomic_store(to, from, order)`.
    fn atomic_copy(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<Operand>> {
        let Some(first) = self.atomic_place(arguments[0], span)? else { return Ok(None) };
        let Some(second) = self.atomic_place(arguments[1], span)? else { return Ok(None) };
        self.discard_rest(&arguments[2..])?;
        let (from, to) = if name == "__atomic_load" { (first, second) } else { (second, first) };
        let value = self.atomic_load(from, span)?;
        let value = self.assign_convert(value, self.ty(to.expr), span)?;
        self.store(to, value, span);
        Ok(Some(Operand::Void))
    }

    /// Reads, computes and writes; the old value, or the `new` one.
    fn update(&mut self, op: &str, new: bool, place: Place, operand: ExprId, span: Span) -> Lowered<ExprId> {
        let ty = self.ty(place.expr);
        // Pointers are not scaled.
        let word = if self.class(ty) == Class::Pointer { self.ptrdiff() } else { ty };
        let operand = self.assign_convert(operand, word, span)?;
        let operand = self.save(operand, span);
        let old = self.atomic_load(place, span)?;
        let left = self.convert(old, word);
        let left = self.promote(left);
        let right = self.convert(operand, self.ty(left));
        let operator = match op {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Subtract,
            "or" => BinaryOp::BitOr,
            "xor" => BinaryOp::BitXor,
            _ => BinaryOp::BitAnd,
        };
        let mut result = self.binary(operator, left, right);
        if op == "nand" {
            result = self.unary(UnaryOp::Complement, result);
        }
        let result = self.convert(result, ty);
        let result = if new { self.save(result, span) } else { result };
        self.store(place, result, span);
        Ok(if new { result } else { old })
    }

    /// `__sync_bool_compare_and_swap(p, expected, desired)` and its sibling that yields the old value.
    fn sync_compare(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<Operand>> {
        let Some(place) = self.atomic_place(arguments[0], span)? else { return Ok(None) };
        let expected = self.atomic_operand(arguments[1], place, span)?;
        let desired = self.atomic_operand(arguments[2], place, span)?;
        let old = self.atomic_load(place, span)?;
        let equal = self.equal(old, expected);
        let new = self.choose(equal, desired, old, self.ty(place.expr));
        self.store(place, new, span);
        let result = if name.contains("bool") { self.convert(equal, self.basic.bool_) } else { old };
        Ok(Some(Operand::Value(result)))
    }

    /// `__atomic_compare_exchange`: writes `desired` if the place is as `expected`, else updates `expected`.
    fn compare_exchange(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<Operand>> {
        let Some(place) = self.atomic_place(arguments[0], span)? else { return Ok(None) };
        let Some(expected) = self.atomic_place(arguments[1], span)? else { return Ok(None) };
        let desired = if name.ends_with("_n") {
            self.atomic_operand(arguments[2], place, span)?
        } else {
            let Some(desired) = self.atomic_place(arguments[2], span)? else { return Ok(None) };
            self.atomic_load(desired, span)?
        };
        self.discard_rest(&arguments[3..])?;
        let old = self.atomic_load(place, span)?;
        let wanted = self.atomic_load(expected, span)?;
        let equal = self.equal(old, wanted);
        let new = self.choose(equal, desired, old, self.ty(place.expr));
        self.store(place, new, span);
        let seen = self.choose(equal, wanted, old, self.ty(expected.expr));
        self.store(expected, seen, span);
        Ok(Some(Operand::Value(self.convert(equal, self.basic.bool_))))
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.promote(a), self.promote(b));
        let b = self.convert(b, self.ty(a));
        self.binary(BinaryOp::Equal, a, b)
    }

    fn choose(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: TypeId) -> ExprId {
        let (then, otherwise) = (self.convert(then, ty), self.convert(otherwise, ty));
        match *self.exprs.get(condition) {
            Expr::Int(0) => otherwise,
            Expr::Int(_) => then,
            _ => self.exprs.intern(Expr::Conditional(condition, then, otherwise), ty),
        }
    }
}

/// The operator of a read-modify-write builtin, and whether it yields the new value.
fn update(name: &str) -> Option<(&'static str, bool)> {
    let find = |text: &str| OPERATORS.into_iter().find(|op| *op == text);
    if let Some(rest) = name.strip_prefix("__sync_") {
        if let Some(op) = rest.strip_prefix("fetch_and_") {
            return find(op).map(|op| (op, false));
        }
        return rest.strip_suffix("_and_fetch").and_then(find).map(|op| (op, true));
    }
    let rest = name.strip_prefix("__atomic_")?;
    if let Some(op) = rest.strip_prefix("fetch_") {
        return find(op).map(|op| (op, false));
    }
    rest.strip_suffix("_fetch").and_then(find).map(|op| (op, true))
}
