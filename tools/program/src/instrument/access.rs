//! Which places an operation accesses, in the order of evaluation, and what has to hold of them.

use rustc_hash::FxHashSet;

use super::objects::{Access, Bytes, is_read_only, size_of_object};
use super::rounds::EARLIER_ROUND;
use super::{Pass, Step};
use crate::cfa::{FunctionId, Operation, VarId, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::source::Span;
use crate::types::{ArrayLength, Type, TypeId};
use crate::violation::Violation;

/// Stack to keep free below each level of an expression, and how much more to take at once.
const RED_ZONE: usize = 64 << 10;
const MORE_STACK: usize = 1 << 20;

/// A place that is read or written.
#[derive(Clone, Copy, Debug)]
struct Touched {
    place: ExprId,
    writes: bool,
    /// It is only if this holds.
    when: Option<ExprId>,
}

/// Where a place is, relative to what its path begins with.
#[derive(Clone, Debug)]
struct Located {
    root: Root,
    /// Constant part of the offset in bytes.
    offset: i128,
    /// Indices that are no constants, with their strides.
    moving: Vec<(ExprId, u64)>,
    /// What has to hold of indices.
    indices: Vec<ExprId>,
    /// The declared types do not say where the object ends.
    is_open: bool,
    /// Bits of a bit-field from its first byte on.
    bits: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Root {
    Variable(VarId),
    Pointer(ExprId),
}

/// The places of one operation so far.
#[derive(Default)]
struct Found {
    places: Vec<Touched>,
    seen: FxHashSet<ExprId>,
}

impl Pass<'_> {
    /// The guards of all accesses of an operation.
    pub(super) fn accesses(&mut self, operation: &Operation, function: FunctionId, at: Span, steps: &mut Vec<Step>) {
        let mut found = Found::default();
        match operation {
            Operation::Assume { condition, .. } => self.value(*condition, None, &mut found),
            Operation::Assign { place, value } => {
                self.value(*value, None, &mut found);
                self.inner(*place, None, &mut found);
                found.places.push(Touched { place: *place, writes: true, when: None });
            }
            Operation::Call { arguments, .. } => {
                arguments.iter().for_each(|argument| self.value(*argument, None, &mut found));
            }
            Operation::Return { value: Some(value) } => self.value(*value, None, &mut found),
            Operation::Asm(asm) => {
                for operand in asm.inputs.iter().chain(&asm.outputs) {
                    self.value(operand.expr, None, &mut found);
                }
            }
            _ => {}
        }
        for touched in found.places {
            self.check(touched, function, at, steps);
        }
    }

    fn value(&mut self, expr: ExprId, when: Option<ExprId>, found: &mut Found) {
        if when.is_none() && !found.seen.insert(expr) {
            return;
        }
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || self.value_here(expr, when, found));
    }

    fn value_here(&mut self, expr: ExprId, when: Option<ExprId>, found: &mut Found) {
        match self.builder.get(expr) {
            Expr::Load(place) => {
                self.inner(place, when, found);
                found.places.push(Touched { place, writes: false, when });
            }
            Expr::AddressOf(place) => self.inner(place, when, found),
            Expr::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), a, b) => {
                self.value(a, when, found);
                let needed = if op == BinaryOp::LogicalAnd { a } else { self.builder.not(a) };
                let both = self.also(when, needed);
                self.value(b, Some(both), found);
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.value(condition, when, found);
                let yes = self.also(when, condition);
                self.value(then, Some(yes), found);
                let no = self.builder.not(condition);
                let no = self.also(when, no);
                self.value(otherwise, Some(no), found);
            }
            Expr::Variable(_) | Expr::Dereference { .. } | Expr::Field(..) | Expr::Index(..) => self.inner(expr, when, found),
            other => other.operands().for_each(|operand| self.value(operand, when, found)),
        }
    }

    fn also(&mut self, when: Option<ExprId>, condition: ExprId) -> ExprId {
        when.map_or(condition, |when| self.builder.all(&[when, condition]))
    }

    /// The pointers and indices that a place is found by.
    fn inner(&mut self, mut place: ExprId, when: Option<ExprId>, found: &mut Found) {
        let mut indices = Vec::new();
        loop {
            match self.builder.get(place) {
                Expr::Dereference { pointer, .. } => {
                    self.value(pointer, when, found);
                    break;
                }
                Expr::Field(record, _) => place = record,
                Expr::Index(array, index) => {
                    indices.push(index);
                    place = array;
                }
                _ => break,
            }
        }
        indices.into_iter().rev().for_each(|index| self.value(index, when, found));
    }

    /// The guards of one place.
    fn check(&mut self, touched: Touched, function: FunctionId, at: Span, steps: &mut Vec<Step>) {
        let Some(located) = self.locate(touched.place) else {
            steps.push(Step::Unsupported("access to an object of unknown size".into()));
            return;
        };
        for index in &located.indices {
            let ok = self.only_when(touched.when, *index);
            steps.push(Step::Guard { ok, null: None, violation: Violation::Index, may_be_unknown: false });
        }
        if let Root::Variable(variable) = located.root
            && !located.is_open
            && !self.objects.has_extent(variable)
        {
            if touched.writes && is_read_only(&self.builder, variable) {
                let never = self.builder.number(self.builder.int, 0);
                let ok = self.only_when(touched.when, never);
                steps.push(Step::Guard { ok, null: None, violation: Violation::InvalidPointer, may_be_unknown: false });
            }
            return;
        }
        let ty = self.builder.parts.exprs.ty(touched.place);
        if *self.builder.parts.types.get(ty) == Type::Void {
            return;
        }
        let Some(bytes) = located.bits.map(|bits| bits.div_ceil(8)).or_else(|| self.builder.bytes_of(ty)) else {
            steps.push(Step::Unsupported("access to an object of unknown size".into()));
            return;
        };
        if bytes == 0 {
            return;
        }
        if self.is_of_unknown_size(&located) {
            steps.push(Step::Unsupported("access to an object of unknown size".into()));
            return;
        }
        let (start, target, null) = match located.root {
            Root::Variable(variable) => (self.builder.start_of(variable), Some(variable), None),
            Root::Pointer(pointer) => {
                let start = self.builder.address(pointer);
                let none = self.builder.null();
                let is_null = self.builder.compare(BinaryOp::Equal, start, none);
                (start, self.target(pointer), Some(is_null))
            }
        };
        let mut address = start;
        for (index, stride) in &located.moving {
            address = self.builder.offset(address, *index, *stride);
        }
        let address = self.builder.moved(address, located.offset);
        let bytes = Bytes::Known(bytes);
        let access = Access { address, bytes, writes: touched.writes, target, function, at };
        if let Some(needed) = self.objects.is_of_this_round(&mut self.builder, access) {
            steps.push(Step::Need(self.only_when(touched.when, needed), EARLIER_ROUND.into()));
        }
        let valid = self.objects.is_valid(&mut self.builder, access);
        let ok = self.only_when(touched.when, valid);
        let null = null.filter(|_| target.is_none());
        let may_be_unknown = target.is_none();
        steps.push(Step::Guard { ok, null, violation: Violation::InvalidPointer, may_be_unknown });
    }

    /// Whether the text says which object is accessed, but nobody how long it is.
    fn is_of_unknown_size(&self, located: &Located) -> bool {
        let target = match located.root {
            Root::Variable(variable) => Some(variable),
            Root::Pointer(pointer) => self.target(pointer),
        };
        let is_unknown = |variable: VarId| {
            let kind = &self.builder.parts.variables[variable.index()].kind;
            let elsewhere = located.is_open && matches!(kind, VarKind::Global { defined: false, .. });
            elsewhere || size_of_object(&self.builder, variable).is_none()
        };
        target.is_some_and(is_unknown)
    }

    fn only_when(&mut self, when: Option<ExprId>, ok: ExprId) -> ExprId {
        match when {
            None => ok,
            Some(when) => {
                let not = self.builder.not(when);
                self.builder.any(&[not, ok])
            }
        }
    }

    /// The variable that a pointer is made from, if the text says so.
    fn target(&self, pointer: ExprId) -> Option<VarId> {
        let mut at = pointer;
        loop {
            at = match self.builder.get(at) {
                Expr::Cast(inner) if matches!(self.builder.ty(inner), Type::Pointer(_)) => inner,
                Expr::PointerOffset { pointer, .. } => pointer,
                Expr::AddressOf(place) | Expr::Field(place, _) | Expr::Index(place, _) => place,
                Expr::Dereference { pointer, .. } => pointer,
                Expr::Variable(variable) => return Some(variable),
                _ => return None,
            };
        }
    }

    fn locate(&mut self, place: ExprId) -> Option<Located> {
        let mut path = Vec::new();
        let mut at = place;
        let root = loop {
            match self.builder.get(at) {
                Expr::Variable(variable) => break Root::Variable(variable),
                Expr::Dereference { pointer, .. } => break Root::Pointer(pointer),
                Expr::Field(outer, _) | Expr::Index(outer, _) => {
                    path.push(at);
                    at = outer;
                }
                _ => return None,
            }
        };
        let mut located = Located { root, offset: 0, moving: Vec::new(), indices: Vec::new(), is_open: false, bits: None };
        for step in path.into_iter().rev() {
            match self.builder.get(step) {
                Expr::Field(record, number) => {
                    let Type::Record(id) = *self.builder.ty(record) else { return None };
                    let field = self.builder.parts.types.record(id).fields.get(number as usize)?;
                    match field.bits {
                        Some(bits) => {
                            located.offset += i128::from(bits.first_bit / 8);
                            located.bits = Some(bits.first_bit % 8 + u64::from(bits.width));
                        }
                        None => located.offset += i128::from(field.offset),
                    }
                }
                Expr::Index(array, index) => self.element(array, index, self.builder.parts.exprs.ty(step), &mut located)?,
                _ => return None,
            }
        }
        Some(located)
    }

    fn element(&mut self, array: ExprId, index: ExprId, element: TypeId, located: &mut Located) -> Option<()> {
        let stride = self.builder.bytes_of(element)?;
        let format =
            crate::fold::int_format(&self.builder.parts.types, self.builder.parts.machine, self.builder.parts.exprs.ty(index))?;
        let known = match self.builder.get(index) {
            Expr::Int(bits) => Some(format.value(bits)),
            _ => None,
        };
        match known {
            Some(number) => located.offset += number.checked_mul(i128::from(stride))?,
            None => located.moving.push((index, stride)),
        }
        let Type::Array { length, .. } = *self.builder.ty(array) else { return None };
        let behind_pointer = matches!(located.root, Root::Pointer(_));
        match length {
            // What ends a structure may go on behind it, as far as memory goes.
            ArrayLength::Constant(0) => located.is_open = true,
            ArrayLength::Constant(_) if behind_pointer && self.is_trailing(array) => located.is_open = true,
            ArrayLength::Constant(count) => match known {
                Some(number) if (0..i128::from(count)).contains(&number) => {}
                _ => {
                    let word = self.builder.word;
                    let index = self.builder.converted(index, word);
                    let count = self.builder.number(word, count);
                    located.indices.push(self.builder.compare(BinaryOp::Less, index, count));
                }
            },
            _ => located.is_open = true,
        }
        Some(())
    }

    /// Whether an array is what a structure ends with, at every level: what gcc takes for one of flexible length.
    fn is_trailing(&self, array: ExprId) -> bool {
        let mut at = array;
        let mut is_member = false;
        while let Expr::Field(outer, number) = self.builder.get(at) {
            let Type::Record(id) = self.builder.ty(outer) else { return false };
            let record = self.builder.parts.types.record(*id);
            if !record.is_union && number as usize + 1 < record.fields.len() {
                return false;
            }
            is_member = true;
            at = outer;
        }
        is_member
    }
}
