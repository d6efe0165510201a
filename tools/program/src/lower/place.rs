//! Places and values: what an expression denotes, and how one becomes the other.

use super::build::Class;
use super::odd::Odd;
use super::{Lowered, Lowerer};
use crate::cfa::{FunctionId, Operation, VarId, VarKind};
use crate::expr::{Expr, ExprId};
use crate::source::Span;
use crate::types::{ArrayLength, QualType, Qualifiers, Type, TypeId};

/// A place with what its type does not say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) expr: ExprId,
    pub(super) qualifiers: Qualifiers,
    /// Width, if it is a bit-field.
    pub(super) bits: Option<u32>,
}

/// What an expression denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    /// Nothing.
    Void,
    /// A value.
    Value(ExprId),
    /// An object or a part of one.
    Place(Place),
    /// A function; the expression is a pointer to it.
    Function(ExprId),
}

impl Lowerer<'_> {
    /// The place of a whole variable.
    pub(super) fn variable(&mut self, variable: VarId) -> ExprId {
        let ty = self.variables[variable.index()].ty.ty;
        self.exprs.intern(Expr::Variable(variable), ty)
    }

    pub(super) fn variable_place(&mut self, variable: VarId, qualifiers: Qualifiers) -> Operand {
        if let Some(ty) = self.arrays.get(&variable).copied() {
            return self.array_place(variable, ty, qualifiers);
        }
        Operand::Place(Place { expr: self.variable(variable), qualifiers, bits: None })
    }

    /// The value of a whole variable.
    pub(super) fn load_variable(&mut self, variable: VarId) -> ExprId {
        let place = self.variable(variable);
        let ty = self.ty(place);
        self.exprs.intern(Expr::Load(place), ty)
    }

    /// The pointer to a function.
    pub(super) fn function_address(&mut self, function: FunctionId) -> ExprId {
        let ty = self.functions[function.index()].ty;
        let pointer = self.pointer_to(QualType::plain(ty));
        self.exprs.intern(Expr::FunctionAddress(function), pointer)
    }

    /// The type of an operand before any conversion, with its qualifiers.
    pub(super) fn operand_type(&self, operand: Operand) -> QualType {
        match operand {
            Operand::Void => QualType::plain(self.basic.void),
            Operand::Value(value) => QualType::plain(self.ty(value)),
            Operand::Place(place) => QualType { ty: self.ty(place.expr), qualifiers: place.qualifiers },
            Operand::Function(pointer) => self.pointee(self.ty(pointer)).unwrap_or(QualType::plain(self.basic.void)),
        }
    }

    /// The value of an operand: lvalue conversion, decay, and the promotion of narrow bit-fields.
    pub(super) fn rvalue(&mut self, operand: Operand, span: Span) -> Lowered<ExprId> {
        match operand {
            Operand::Void => Err(self.error(span, "a value is needed here, but this is `void`", "has no value")),
            Operand::Value(value) => Ok(value),
            Operand::Function(pointer) => Ok(pointer),
            Operand::Place(place) => match self.class(self.ty(place.expr)) {
                Class::Array => Ok(self.decay(place)),
                Class::Void => Err(self.error(span, "a value is needed here, but this is `void`", "has no value")),
                Class::Function => Ok(self.address_of(place)),
                Class::Strange => {
                    let ty = self.ty(place.expr);
                    Ok(self.unsupported_value(self.strange_name(ty), span, ty))
                }
                Class::Record => self.load_record(place, span),
                Class::Integer | Class::Float | Class::Pointer | Class::VaList => Ok(self.load_scalar(place, span)),
            },
        }
    }

    pub(super) fn strange_name(&self, ty: TypeId) -> &'static str {
        match self.types.get(ty) {
            Type::Complex(_) => "complex arithmetic",
            _ => "vector type",
        }
    }

    fn load_record(&mut self, place: Place, span: Span) -> Lowered<ExprId> {
        let ty = self.ty(place.expr);
        let Type::Record(id) = *self.types.get(ty) else { return Ok(place.expr) };
        let record = self.types.record(id);
        if !record.complete {
            return Err(self.error(span, "the type of this value is incomplete", "incomplete type"));
        }
        if let Some(construct) = record.unsupported.clone().or_else(|| self.strange_layout(place.expr)) {
            return Ok(self.unsupported_value(&construct, span, ty));
        }
        Ok(self.exprs.intern(Expr::Load(place.expr), ty))
    }

    fn load_scalar(&mut self, place: Place, span: Span) -> ExprId {
        let ty = self.ty(place.expr);
        if let Some(construct) = self.strange_layout(place.expr) {
            return self.unsupported_value(&construct, span, ty);
        }
        let mut value = self.exprs.intern(Expr::Load(place.expr), ty);
        if self.is_reversed(place.expr) {
            // The bytes are read one by one.
            let bytes = self.save_always(value, span);
            return self.other_order(bytes);
        }
        if place.qualifiers.is_volatile && self.through_pointer(place.expr) {
            // Each read may yield another value: it must not be merged with its equals.
            value = self.save_always(value, span);
        }
        match place.bits {
            Some(width) => self.promote_bit_field(value, width),
            None => value,
        }
    }

    /// A record around the place whose layout cannot be treated.
    pub(super) fn strange_layout(&self, mut place: ExprId) -> Option<Box<str>> {
        loop {
            match *self.exprs.get(place) {
                Expr::Field(record, _) => {
                    if let Type::Record(id) = self.types.get(self.ty(record))
                        && let Some(construct) = &self.types.record(*id).unsupported
                    {
                        return Some(construct.clone());
                    }
                    place = record;
                }
                Expr::Index(array, _) => place = array,
                _ => return None,
            }
        }
    }

    /// A bit-field narrower than `int` is an `int`; one that is wider has arithmetic of its own width in gcc.
    fn promote_bit_field(&mut self, value: ExprId, width: u32) -> ExprId {
        let ty = self.ty(value);
        let Some(format) = self.format(ty) else { return value };
        if width < 32 || (width == 32 && format.signed) {
            let int = self.basic.int;
            return self.convert(value, int);
        }
        if width == 32 {
            let uint = self.basic.uint;
            return self.convert(value, uint);
        }
        if width < format.bits {
            return self.with_width(value, Odd { width, signed: format.signed });
        }
        value
    }

    fn through_pointer(&self, mut place: ExprId) -> bool {
        loop {
            match *self.exprs.get(place) {
                Expr::Dereference { .. } => return true,
                Expr::Field(outer, _) | Expr::Index(outer, _) => place = outer,
                _ => return false,
            }
        }
    }

    /// The pointer to the first element of an array.
    pub(super) fn decay(&mut self, place: Place) -> ExprId {
        let Type::Array { element, .. } = *self.types.get(self.ty(place.expr)) else { return place.expr };
        let element = QualType { ty: element.ty, qualifiers: element.qualifiers.and(place.qualifiers) };
        if let Some(construct) = self.strange_layout(place.expr) {
            let pointer = self.pointer_to(element);
            return self.unsupported_value(&construct, self.body.statement, pointer);
        }
        if self.is_reversed(place.expr) {
            let pointer = self.pointer_to(element);
            return self.unsupported_value(super::reversed::NAME, self.body.statement, pointer);
        }
        let pointer = self.pointer_to(element);
        if let Expr::Dereference { pointer: whole, .. } = *self.exprs.get(place.expr)
            && self.is_variable_length(self.ty(place.expr))
        {
            return self.convert(whole, pointer);
        }
        let zero = self.int(self.basic.int, 0);
        let first = self.exprs.intern(Expr::Index(place.expr, zero), element.ty);
        self.exprs.intern(Expr::AddressOf(first), pointer)
    }

    pub(super) fn address_of(&mut self, place: Place) -> ExprId {
        let pointee = QualType { ty: self.ty(place.expr), qualifiers: place.qualifiers };
        let ty = self.pointer_to(pointee);
        if let Some(construct) = self.strange_layout(place.expr) {
            return self.unsupported_value(&construct, self.body.statement, ty);
        }
        if self.is_reversed(place.expr) {
            return self.unsupported_value(super::reversed::NAME, self.body.statement, ty);
        }
        if let Expr::Dereference { pointer, .. } = *self.exprs.get(place.expr) {
            return self.convert(pointer, ty);
        }
        self.exprs.intern(Expr::AddressOf(place.expr), ty)
    }

    /// What a pointer value points to.
    pub(super) fn dereference(&mut self, pointer: ExprId, span: Span) -> Lowered<Operand> {
        let Some(pointee) = self.pointee(self.ty(pointer)) else {
            return Err(self.error(span, "only a pointer can be dereferenced", "not a pointer"));
        };
        if self.class(pointee.ty) == Class::Function {
            return Ok(Operand::Function(pointer));
        }
        if let Expr::AddressOf(place) = *self.exprs.get(pointer) {
            // Elements may have got their qualifiers from around the array.
            let qualifiers = pointee.qualifiers.and(self.element_qualifiers(pointee.ty));
            if self.qualified(QualType { ty: self.ty(place), qualifiers }).ty == pointee.ty {
                return Ok(Operand::Place(Place { expr: place, qualifiers, bits: None }));
            }
        }
        let volatile = pointee.qualifiers.is_volatile;
        let expr = self.exprs.intern(Expr::Dereference { pointer, volatile }, pointee.ty);
        Ok(Operand::Place(Place { expr, qualifiers: pointee.qualifiers, bits: None }))
    }

    /// Member number `index` of a record place.
    pub(super) fn field(&mut self, record: Place, index: usize) -> Option<Place> {
        let Type::Record(id) = *self.types.get(self.ty(record.expr)) else { return None };
        let field = self.types.record(id).fields.get(index)?;
        let (ty, bits) = (field.ty, field.bits.map(|bits| bits.width));
        let number = u32::try_from(index).ok()?;
        let expr = self.exprs.intern(Expr::Field(record.expr, number), ty.ty);
        let qualifiers = record.qualifiers.and(ty.qualifiers);
        Some(Place { expr, qualifiers, bits })
    }

    /// Element `index` of an array place.
    pub(super) fn element(&mut self, array: Place, index: ExprId) -> Option<Place> {
        let Type::Array { element, .. } = *self.types.get(self.ty(array.expr)) else { return None };
        let expr = self.exprs.intern(Expr::Index(array.expr, index), element.ty);
        Some(Place { expr, qualifiers: array.qualifiers.and(element.qualifiers), bits: None })
    }

    /// Bytes of what a pointer of type `ty` steps over; `None` (after an unsupported operation) if not constant.
    pub(super) fn scale(&mut self, ty: TypeId, span: Span) -> Lowered<u64> {
        let pointee = self.pointee(ty).map_or(self.basic.void, |pointee| pointee.ty);
        match self.size_of(pointee) {
            Ok(bytes) => Ok(bytes),
            Err(crate::layout::SizeError::Incomplete) => {
                Err(self.error(span, "pointer arithmetic on an incomplete type", "points to an incomplete type"))
            }
            Err(_) => {
                self.unsupported("pointer to an array of variable length", span);
                Ok(1)
            }
        }
    }

    /// Saves a value whose operands may change; constants and what only reads temporaries stay as they are.
    pub(super) fn save(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.is_stable(value) { value } else { self.save_always(value, span) }
    }

    pub(super) fn save_always(&mut self, value: ExprId, span: Span) -> ExprId {
        let temporary = self.temporary(self.ty(value));
        let place = self.variable(temporary);
        let odd = self.odd(value);
        let value = self.without_width(value);
        self.emit(Operation::Assign { place, value }, span);
        let saved = self.load_variable(temporary);
        odd.map_or(saved, |odd| self.with_width(saved, odd))
    }

    fn is_stable(&self, value: ExprId) -> bool {
        // A large value is better saved than read through again and again.
        let mut pending = vec![value];
        for _ in 0..32 {
            let Some(id) = pending.pop() else { return true };
            match *self.exprs.get(id) {
                Expr::Load(place) => match *self.exprs.get(place) {
                    Expr::Variable(variable) if matches!(self.variables[variable.index()].kind, VarKind::Temporary(_)) => {}
                    _ => return false,
                },
                ref other => pending.extend(other.operands()),
            }
        }
        false
    }

    /// Saves the pointers and indexes a place depends on.
    pub(super) fn freeze(&mut self, place: ExprId, span: Span) -> ExprId {
        let ty = self.ty(place);
        match *self.exprs.get(place) {
            Expr::Dereference { pointer, volatile } => {
                let pointer = self.save(pointer, span);
                self.exprs.intern(Expr::Dereference { pointer, volatile }, ty)
            }
            Expr::Field(record, field) => {
                let record = self.freeze(record, span);
                self.exprs.intern(Expr::Field(record, field), ty)
            }
            Expr::Index(array, index) => {
                let array = self.freeze(array, span);
                let index = self.save(index, span);
                self.exprs.intern(Expr::Index(array, index), ty)
            }
            _ => place,
        }
    }

    /// Writes a value of the place's own type.
    pub(super) fn store(&mut self, place: Place, value: ExprId, span: Span) {
        if let Some(construct) = self.strange_layout(place.expr) {
            self.unsupported(&construct, span);
            return;
        }
        let ty = self.ty(place.expr);
        if self.class(ty) == Class::Strange {
            let name = self.strange_name(ty);
            self.unsupported(name, span);
            return;
        }
        let value = if self.is_reversed(place.expr) { self.other_order(value) } else { value };
        self.emit_choice(value, span, &|value| Operation::Assign { place: place.expr, value });
    }

    /// Takes an edge that says that a construct has no treatment.
    pub(super) fn unsupported(&mut self, construct: &str, span: Span) {
        self.emit(Operation::Unsupported { construct: construct.into() }, span);
    }

    /// As [`Self::unsupported`], for a construct that has a value.
    pub(super) fn unsupported_value(&mut self, construct: &str, span: Span, ty: TypeId) -> ExprId {
        self.unsupported(construct, span);
        self.arbitrary(ty, span)
    }

    /// An arbitrary value: that of a temporary that has just been declared.
    pub(super) fn arbitrary(&mut self, ty: TypeId, span: Span) -> ExprId {
        let variable = self.temporary(ty);
        self.emit(Operation::Declare { variable }, span);
        self.load_variable(variable)
    }

    /// Whether an object of this type has a size that is known at run time only.
    pub(super) fn is_variable_length(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Array { length: ArrayLength::Variable(_), .. } => true,
            Type::Array { element, .. } => self.is_variable_length(element.ty),
            Type::Record(id) => self.types.record(*id).has_variable_size(),
            _ => false,
        }
    }
}
