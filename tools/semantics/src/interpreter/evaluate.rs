//! Expressions and places in a data state.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use program::cfa::VarId;
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::{Type, TypeId};

use super::arithmetic::{binary, convert, extend, truncate, unary};
use super::fault::Fault;
use super::guessed::Copied;
use super::kind::Kind;
use super::machine::{Machine, little_endian};
use super::memory::{Area, Place};
use super::{Origin, UndefinedKind};

/// A value of any type.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A bit pattern.
    Scalar(u128),
    /// The bytes of an aggregate.
    Bytes(Copied),
}

/// Stack to keep free below each level of an expression, and how much more to take at once.
const RED_ZONE: usize = 64 << 10;
const MORE_STACK: usize = 1 << 20;

impl Machine<'_> {
    /// The value of a scalar expression.
    pub(super) fn evaluate(&mut self, id: ExprId) -> Result<u128, Fault> {
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || self.evaluate_here(id))
    }

    fn evaluate_here(&mut self, id: ExprId) -> Result<u128, Fault> {
        let arena = &self.cfa.exprs;
        let ty = arena.ty(id);
        match *arena.get(id) {
            Expr::Int(bits) | Expr::Float(bits) => Ok(bits),
            Expr::Zero => Ok(0),
            Expr::Load(place) => {
                let place = self.place(place)?;
                self.load_scalar(place, ty)
            }
            Expr::AddressOf(place) => {
                let address = self.place(place)?.address;
                Ok(self.pointer(address))
            }
            Expr::FunctionAddress(function) => Ok(u128::from(self.memory.function_address(function))),
            Expr::Unary(op, operand) => {
                let kind = self.kind_of(operand);
                let value = self.evaluate(operand)?;
                unary(op, value, kind)
            }
            Expr::Binary(op, left, right) => self.evaluate_binary(op, left, right),
            Expr::PointerOffset { pointer, index, scale } => {
                let base = self.evaluate(pointer)?;
                let index = self.index(index)?;
                Ok(self.pointer(low(base).wrapping_add(index.wrapping_mul(scale))))
            }
            Expr::PointerDifference { left, right, scale } => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                self.difference(left, right, scale)
            }
            Expr::Cast(operand) => {
                let (from, to) = (self.kind_of(operand), self.layouts.kind(ty));
                let from = self.pointer_source(operand, from);
                let value = self.evaluate(operand)?;
                self.note_part((operand, value), from, to)?;
                convert(value, from, to)
            }
            Expr::Conditional(condition, then, otherwise) => {
                let kind = self.kind_of(condition);
                let value = self.evaluate(condition)?;
                self.evaluate(if super::arithmetic::is_true(value, kind)? { then } else { otherwise })
            }
            Expr::Variable(_) | Expr::Dereference { .. } | Expr::Field(..) | Expr::Index(..) => {
                let place = self.place(id)?;
                self.load_scalar(place, ty)
            }
        }
    }

    fn evaluate_binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Result<u128, Fault> {
        let (a, b) = (self.kind_of(left), self.kind_of(right));
        let x = self.evaluate(left)?;
        // The operands neither trap nor have effects, but what is not needed need not be asked for.
        match op {
            BinaryOp::LogicalAnd if !super::arithmetic::is_true(x, a)? => return Ok(0),
            BinaryOp::LogicalOr if super::arithmetic::is_true(x, a)? => return Ok(1),
            _ => {}
        }
        let y = self.evaluate(right)?;
        self.refuse_layout(op, (x, a), (y, b))?;
        self.refuse_place(op, (left, x), (right, y))?;
        self.refuse_meeting(op, (left, x), (right, y))?;
        binary(op, x, a, y, b)
    }

    fn difference(&self, left: u128, right: u128, scale: u64) -> Result<u128, Fault> {
        let bits = self.word_bits();
        let bytes = super::arithmetic::sign_extend(truncate(left.wrapping_sub(right), bits), bits);
        if scale == 0 {
            return Err(Fault::Undefined(UndefinedKind::Division));
        }
        Ok(truncate((bytes / i128::from(scale)) as u128, bits))
    }

    pub(super) fn kind_of(&self, id: ExprId) -> Kind {
        self.layouts.kind(self.cfa.exprs.ty(id))
    }

    /// Pointers are extended by their sign when they are converted to wider integers, as gcc does.
    fn pointer_source(&self, operand: ExprId, kind: Kind) -> Kind {
        match (self.cfa.types.get(self.cfa.exprs.ty(operand)), kind) {
            (Type::Pointer(_), Kind::Int { bits, boolean, .. }) => Kind::Int { bits, signed: true, boolean },
            _ => kind,
        }
    }

    pub(super) fn word_bits(&self) -> u32 {
        if self.cfa.machine.word() >= 8 { 64 } else { 32 }
    }

    /// An address cut to the width of a pointer.
    fn pointer(&self, address: u64) -> u128 {
        truncate(u128::from(address), self.word_bits())
    }

    /// The value of an index, extended to 64 bits.
    fn index(&mut self, id: ExprId) -> Result<u64, Fault> {
        let kind = self.kind_of(id);
        let value = self.evaluate(id)?;
        match kind {
            Kind::Int { bits, signed, .. } => Ok(low(extend(value, bits, signed))),
            Kind::F32 | Kind::F64 | Kind::Aggregate | Kind::Void | Kind::Unsupported(_) => {
                Err(Fault::Unsupported("index that is no integer".into()))
            }
        }
    }

    /// Where a place is; nothing is accessed.
    pub(super) fn place(&mut self, id: ExprId) -> Result<Place, Fault> {
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || self.place_here(id))
    }

    fn place_here(&mut self, id: ExprId) -> Result<Place, Fault> {
        let cfa = self.cfa;
        match *cfa.exprs.get(id) {
            Expr::Variable(variable) => {
                let handle = self.variable(variable)?;
                let address = self.memory.address(handle);
                Ok(Place { object: Some(handle), address, bits: None, volatile: false })
            }
            Expr::Dereference { pointer, volatile } => {
                let address = low(self.evaluate(pointer)?);
                Ok(Place { object: None, address, bits: None, volatile })
            }
            Expr::Field(record, number) => {
                let base = self.place(record)?;
                let Type::Record(id) = cfa.types.get(cfa.exprs.ty(record)) else {
                    return Err(Fault::Unsupported("member of something that is no record".into()));
                };
                let Some(field) = cfa.types.record(*id).fields.get(number as usize) else {
                    return Err(Fault::Unsupported("member of an incomplete record".into()));
                };
                let Some(bits) = field.bits else {
                    return Ok(Place { address: self.offset(base.address, field.offset), ..base });
                };
                let address = self.offset(base.address, bits.first_bit / 8);
                Ok(Place { address, bits: Some((formats::small(bits.first_bit % 8), bits.width)), ..base })
            }
            Expr::Index(array, index) => {
                let base = self.place(array)?;
                let index = self.index(index)?;
                let Some(size) = self.layouts.size(cfa.exprs.ty(id)) else {
                    return Err(Fault::Unsupported("element of unknown size".into()));
                };
                Ok(Place { address: self.offset(base.address, index.wrapping_mul(size)), ..base })
            }
            _ => Err(Fault::Unsupported("place that is no lvalue".into())),
        }
    }

    fn offset(&self, address: u64, bytes: u64) -> u64 {
        low(self.pointer(address.wrapping_add(bytes)))
    }

    /// Reads a scalar of type `ty`.
    pub(super) fn load_scalar(&mut self, place: Place, ty: TypeId) -> Result<u128, Fault> {
        let layout = self.layouts.get(ty);
        let (width, signed, boolean) = match layout.kind {
            Kind::Int { bits, signed, boolean } => (bits, signed, boolean),
            Kind::F32 => (32, false, false),
            Kind::F64 => (64, false, false),
            Kind::Aggregate => return Err(Fault::Unsupported("aggregate as a scalar".into())),
            Kind::Void => return Err(Fault::Unsupported("value of type void".into())),
            Kind::Unsupported(construct) => return Err(Fault::Unsupported(construct.into())),
        };
        let (first, bits) = place.bits.unwrap_or((0, width));
        if place.volatile && place.object.is_none() && place.address >= 4096 && self.memory.find(place.address).is_none() {
            return self.ask(Origin::Volatile(place.address), bits);
        }
        let len = u64::from((first + bits).div_ceil(8));
        let area = self.memory.area(place.object, place.address, len)?;
        match place.bits {
            Some(field) => self.read_bits(area, field)?,
            None => self.read(area, if boolean { 1 } else { width_of(area) })?,
        }
        let value = truncate(shifted(self.memory.bytes(area), first), bits);
        if self.takes_apart && !self.looks_at_addresses && bits < self.word_bits() {
            self.note_part_of_pointer(place);
        }
        if layout.kind == Kind::F64 && self.word_bits() == bits {
            self.refuse_float(value)?;
        }
        if boolean && value > 1 {
            // Undefined, and compilers do not agree on what it is.
            return Err(Fault::Unsupported("`_Bool` that is neither 0 nor 1".into()));
        }
        Ok(if signed { truncate(extend(value, bits, true), width) } else { value })
    }

    /// Writes the lowest bits of `value`; `width` counts unless the place is a bit-field.
    pub(super) fn store_scalar(&mut self, place: Place, value: u128, width: u32) -> Result<(), Fault> {
        let (first, bits) = place.bits.unwrap_or((0, width));
        if place.volatile && place.object.is_none() && place.address >= 4096 && self.memory.find(place.address).is_none() {
            return Ok(());
        }
        let len = u64::from((first + bits).div_ceil(8));
        let area = self.memory.area(place.object, place.address, len)?;
        if self.memory.is_constant(area) && self.step > 0 {
            return Err(Fault::Undefined(UndefinedKind::ReadOnly));
        }
        if bits < self.word_bits().min(width) {
            self.note_cut(value);
        }
        if first % 8 == 0 && bits % 8 == 0 {
            let bytes = self.memory.bytes_mut(area);
            let source = value.to_le_bytes();
            let len = bytes.len();
            bytes.copy_from_slice(&source[..len]);
            return Ok(());
        }
        self.memory.write_bits(area, (first, bits), value);
        Ok(())
    }

    /// The value of an expression of any type.
    pub(super) fn value(&mut self, id: ExprId) -> Result<Value, Fault> {
        let cfa = self.cfa;
        let layout = self.layouts.get(cfa.exprs.ty(id));
        if layout.kind != Kind::Aggregate {
            return Ok(Value::Scalar(self.evaluate(id)?));
        }
        let Some(size) = layout.size else {
            return Err(Fault::Unsupported("aggregate of unknown size".into()));
        };
        let place = match *cfa.exprs.get(id) {
            Expr::Zero => {
                let bytes = vec![0; usize::try_from(size).unwrap_or(0)];
                return Ok(Value::Bytes(Copied { bytes, guesses: Vec::new() }));
            }
            Expr::Load(place) => place,
            Expr::Conditional(condition, then, otherwise) => {
                let chosen = if self.evaluate(condition)? != 0 { then } else { otherwise };
                return self.value(chosen);
            }
            Expr::Cast(operand) => return self.value(operand),
            _ => return Err(Fault::Unsupported("aggregate value".into())),
        };
        let place = self.place(place)?;
        let area = self.memory.area(place.object, place.address, size)?;
        self.read_along(area, width_of(area))?;
        Ok(Value::Bytes(self.memory.copied(area)))
    }

    /// Writes the value of one expression to the place of another.
    pub(super) fn assign(&mut self, place: ExprId, value: ExprId) -> Result<(), Fault> {
        let ty = self.cfa.exprs.ty(place);
        if let Expr::Variable(variable) = *self.cfa.exprs.get(place) {
            if self.is_withheld(value) {
                return self.withhold(variable);
            }
            let value = self.value(value)?;
            return self.store_value(variable, &value);
        }
        let value = self.value(value)?;
        let place = self.place(place)?;
        self.store(place, ty, &value)
    }

    fn store(&mut self, place: Place, ty: TypeId, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Scalar(value) => match self.layouts.kind(ty) {
                Kind::Int { bits, .. } => self.store_scalar(place, *value, bits),
                Kind::F32 => self.store_scalar(place, *value, 32),
                Kind::F64 => self.store_scalar(place, *value, 64),
                Kind::Aggregate => Err(Fault::Unsupported("scalar assigned to an aggregate".into())),
                Kind::Void => Ok(()),
                Kind::Unsupported(construct) => Err(Fault::Unsupported(construct.into())),
            },
            Value::Bytes(copy) => {
                let area = self.memory.area(place.object, place.address, copy.bytes.len() as u64)?;
                if self.memory.is_constant(area) {
                    return Err(Fault::Undefined(UndefinedKind::ReadOnly));
                }
                self.memory.write_copy(area, copy);
                Ok(())
            }
        }
    }

    /// Writes a bit pattern to a scalar variable.
    pub(super) fn assign_variable(&mut self, variable: VarId, value: u128) -> Result<(), Fault> {
        self.store_value(variable, &Value::Scalar(value))
    }

    /// Writes a value to a variable.
    pub(super) fn store_value(&mut self, variable: VarId, value: &Value) -> Result<(), Fault> {
        let handle = self.variable(variable)?;
        self.memory.reveal(handle);
        let place = Place { object: Some(handle), address: self.memory.address(handle), bits: None, volatile: false };
        self.store(place, self.cfa.variable(variable).ty.ty, value)
    }
}

/// Bytes as a number, without its lowest `first` bits.
fn shifted(bytes: &[u8], first: u32) -> u128 {
    if bytes.len() <= 16 {
        return little_endian(bytes) >> first;
    }
    let low = little_endian(&bytes[..16]) >> first;
    if first == 0 { low } else { low | (little_endian(&bytes[16..]) << (128 - first)) }
}

/// Bits of an area, as far as one value can hold them.
fn width_of(area: Area) -> u32 {
    u32::try_from(area.len * 8).unwrap_or(128).min(128)
}

/// The lowest 64 bits.
const fn low(value: u128) -> u64 {
    value as u64
}
