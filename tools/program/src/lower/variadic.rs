//! Variadic functions with a body, written as what they are on the machine: the caller puts the surplus arguments into slots of
//! its own and passes a pointer to them as one more parameter; a `va_list` walks over the slots.
//!
//! A slot is a union of eight bytes; what does not fit is passed as a pointer to a copy. So every tool sees ordinary reads and
//! writes, and two calls that differ in a surplus argument differ in what they store.
//! Invariant: either all variadic functions with a body are written so, or none is: not where a `va_list` leaves the program
//! (`vprintf`), a variadic function is called through a pointer, or without a prototype. Then [`super::lower`] starts again,
//! `va_arg` is unsupported, and what the list holds is unknown.

use super::build::Class;
use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, Symbol};
use crate::cfa::FunctionId;
use crate::expr::ExprId;
use crate::source::Span;
use crate::types::{
    ArrayLength, Field, FloatKind, FunctionType, IntRank, QualType, Qualifiers, Record, RecordId, Type, TypeId, TypeTable,
};

/// Members of a slot.
const WORD: usize = 0;
const NUMBER: usize = 1;
const POINTER: usize = 2;

/// Bytes of a slot.
const SLOT: u64 = 8;

/// The types that variadic functions are written with.
#[derive(Clone, Debug)]
pub(super) struct Variadics {
    slot: TypeId,
    /// A pointer to a slot.
    cursor: TypeId,
    /// What `va_list` is: on LP64 an array of one record that begins with the cursor, as gcc has it; on ILP32 the cursor.
    list: TypeId,
    /// Functions that are written with a list of slots.
    functions: Vec<FunctionId>,
    /// Something does not let the program be written so.
    pub(super) obstacle: bool,
}

impl Variadics {
    pub(super) fn new(types: &mut TypeTable, word: u64) -> Self {
        let plain = QualType::plain;
        let field = |name: &str, ty: TypeId, offset: u64| Field {
            name: Some(name.into()),
            ty: plain(ty),
            offset,
            bits: None,
            align: word,
        };
        let record = |types: &mut TypeTable, tag: &str, is_union: bool, fields: Vec<Field>, size: u64| -> RecordId {
            types.add_record(Record {
                tag: Some(tag.into()),
                is_union,
                fields,
                size,
                align: word,
                complete: true,
                unsupported: None,
                span: Span::default(),
            })
        };
        let void = types.intern(Type::Void);
        let pointer = types.intern(Type::Pointer(plain(void)));
        let bits = types.intern(Type::Int { rank: IntRank::LongLong, signed: false });
        let double = types.intern(Type::Float(FloatKind::Double));
        let members = vec![field("word", bits, 0), field("number", double, 0), field("pointer", pointer, 0)];
        let slot = record(types, "__va_slot", true, members, SLOT);
        let slot = types.intern(Type::Record(slot));
        let cursor = types.intern(Type::Pointer(plain(slot)));
        let list = if word == 4 {
            cursor
        } else {
            let rest = types.intern(Type::Array { element: plain(bits), length: ArrayLength::Constant(2) });
            let members = vec![field("next", cursor, 0), field("rest", rest, word)];
            let head = record(types, "__va_head", false, members, 3 * word);
            let head = types.intern(Type::Record(head));
            types.intern(Type::Array { element: plain(head), length: ArrayLength::Constant(1) })
        };
        Self { slot, cursor, list, functions: Vec::new(), obstacle: false }
    }
}

impl Lowerer<'_> {
    /// The type that `va_list` names.
    pub(super) fn list_type(&mut self) -> TypeId {
        match &self.variadics {
            Some(variadics) => variadics.list,
            None => self.types.intern(Type::VaList),
        }
    }

    /// The type of a function of this name: a variadic one with a body has one more parameter instead.
    pub(super) fn with_slots(&mut self, name: Symbol, ty: TypeId) -> TypeId {
        let Some(variadics) = &self.variadics else { return ty };
        let Type::Function(function) = self.types.get(ty) else { return ty };
        let entry = *self.ast.name(name) == *self.options.entry;
        if !function.variadic || entry || !self.defined.contains(&name) {
            return ty;
        }
        let mut parameters = function.parameters.clone();
        parameters.push(QualType::plain(variadics.cursor));
        let written = FunctionType { result: function.result, parameters, variadic: false, unprototyped: false };
        self.types.intern(Type::Function(written))
    }

    /// Remembers a function whose type [`Self::with_slots`] changed.
    pub(super) fn note_slots(&mut self, function: FunctionId) {
        if let Some(variadics) = &mut self.variadics
            && !variadics.functions.contains(&function)
        {
            variadics.functions.push(function);
        }
    }

    /// Whether a function is written with slots.
    pub(super) fn takes_slots(&self, function: FunctionId) -> bool {
        self.variadics.as_ref().is_some_and(|variadics| variadics.functions.contains(&function))
    }

    /// Something keeps the program from being written with slots.
    pub(super) fn refuse_slots(&mut self) {
        if let Some(variadics) = &mut self.variadics {
            variadics.obstacle = true;
        }
    }

    /// Whether the program was written with slots and must not be.
    pub(super) fn slots_refused(&self) -> bool {
        self.variadics.as_ref().is_some_and(|variadics| {
            variadics.obstacle || variadics.functions.iter().any(|f| self.functions[f.index()].address_taken)
        })
    }

    /// A list that is given to code outside the program, which reads it in its own way.
    pub(super) fn note_lists(&mut self, values: &[ExprId]) {
        let Some(variadics) = &self.variadics else { return };
        let (list, cursor) = (variadics.list, variadics.cursor);
        let head = match self.types.get(list) {
            Type::Array { element, .. } => element.ty,
            _ => cursor,
        };
        let is_list = |ty: TypeId| ty == list || ty == head || ty == cursor;
        let leaves = values.iter().any(|value| {
            let ty = self.ty(*value);
            is_list(ty) || self.pointee(ty).is_some_and(|to| is_list(to.ty))
        });
        if leaves {
            self.refuse_slots();
        }
    }

    /// Puts the surplus arguments of a call into slots; what is left are the arguments of the function as it is written.
    pub(super) fn fill_slots(&mut self, mut values: Vec<ExprId>, named: usize, span: Span) -> Lowered<Vec<ExprId>> {
        let Some((slot, cursor)) = self.variadics.as_ref().map(|v| (v.slot, v.cursor)) else { return Ok(values) };
        let surplus = values.split_off(named.min(values.len()));
        if surplus.is_empty() {
            values.push(self.zero(cursor));
            return Ok(values);
        }
        let length = ArrayLength::Constant(surplus.len() as u64);
        let array = self.types.intern(Type::Array { element: QualType::plain(slot), length });
        let slots = self.temporary(array);
        for (index, value) in (0..).zip(surplus) {
            let (member, value) = self.in_slot(value, span);
            let expr = self.variable(slots);
            let index = self.int(self.basic.int, index);
            let whole = Place { expr, qualifiers: Qualifiers::default(), bits: None };
            let place = self.element(whole, index).and_then(|slot| self.field(slot, member));
            let Some(place) = place else { continue };
            let value = self.convert(value, self.ty(place.expr));
            self.store(place, value, span);
        }
        let expr = self.variable(slots);
        values.push(self.decay(Place { expr, qualifiers: Qualifiers::default(), bits: None }));
        Ok(values)
    }

    /// The member of a slot for a value of a type; `None` where a pointer to the value is passed.
    fn member_for(&self, ty: TypeId) -> Option<usize> {
        match self.class(ty) {
            Class::Integer if self.size_of(ty).is_ok_and(|bytes| bytes <= SLOT) => Some(WORD),
            Class::Float if matches!(self.types.get(ty), Type::Float(FloatKind::Double)) => Some(NUMBER),
            Class::Pointer => Some(POINTER),
            _ => None,
        }
    }

    fn in_slot(&mut self, value: ExprId, span: Span) -> (usize, ExprId) {
        let ty = self.ty(value);
        if let Some(member) = self.member_for(ty) {
            return (member, value);
        }
        let copy = self.temporary(ty);
        let expr = self.variable(copy);
        let place = Place { expr, qualifiers: Qualifiers::default(), bits: None };
        self.store(place, value, span);
        (POINTER, self.address_of(place))
    }

    /// `va_start(list, …)`
    pub(super) fn start_list(&mut self, list: ast::ExprId, span: Span) -> Lowered<()> {
        let cursor = self.list_cursor(list, span)?;
        match (cursor, self.body.slots) {
            (Some(cursor), Some(slots)) => {
                let first = self.load_variable(slots);
                self.store(cursor, first, span);
            }
            _ => self.unsupported("va_start", span),
        }
        Ok(())
    }

    /// `va_copy(to, from)`
    pub(super) fn copy_list(&mut self, to: ast::ExprId, from: ast::ExprId, span: Span) -> Lowered<()> {
        let to = self.list_cursor(to, span)?;
        let from = self.list_cursor(from, span)?;
        match (to, from) {
            (Some(to), Some(from)) => {
                let value = self.rvalue(Operand::Place(from), span)?;
                self.store(to, value, span);
            }
            _ => self.unsupported("va_copy", span),
        }
        Ok(())
    }

    /// `va_arg(list, ty)`
    pub(super) fn next_argument(&mut self, list: ast::ExprId, ty: TypeId, span: Span) -> Lowered<Operand> {
        if self.variadics.is_none() || ty == self.basic.void {
            self.discard(list)?;
            return self.unknown_argument(ty, span);
        }
        let Some(cursor) = self.list_cursor(list, span)? else { return self.unknown_argument(ty, span) };
        // What `float`, `char`, `short` and `_Bool` are passed as is another type: gcc stops the program.
        let narrow = match self.class(ty) {
            Class::Integer => self.promoted(ty) != ty && !matches!(self.types.get(ty), Type::Enum(_)),
            Class::Float => matches!(self.types.get(ty), Type::Float(FloatKind::Float)),
            Class::Array | Class::Function | Class::Strange => true,
            Class::Void | Class::Pointer | Class::Record | Class::VaList => false,
        };
        if narrow {
            return self.unknown_argument(ty, span);
        }
        let here = self.rvalue(Operand::Place(cursor), span)?;
        let here = self.save_always(here, span);
        let one = self.int(self.basic.int, 1);
        let next = self.pointer_offset(here, one, SLOT);
        self.store(cursor, next, span);
        let Operand::Place(slot) = self.dereference(here, span)? else { return self.unknown_argument(ty, span) };
        let member = self.member_for(ty);
        let Some(place) = self.field(slot, member.unwrap_or(POINTER)) else { return self.unknown_argument(ty, span) };
        let value = self.rvalue(Operand::Place(place), span)?;
        let value = match member {
            Some(_) => self.convert(value, ty),
            None => {
                let to = self.pointer_to(QualType::plain(ty));
                let pointer = self.convert(value, to);
                let copy = self.dereference(pointer, span)?;
                self.rvalue(copy, span)?
            }
        };
        Ok(Operand::Value(self.save_always(value, span)))
    }

    fn unknown_argument(&mut self, ty: TypeId, span: Span) -> Lowered<Operand> {
        if ty == self.basic.void {
            self.unsupported("va_arg", span);
            return Ok(Operand::Void);
        }
        Ok(Operand::Value(self.unsupported_value("va_arg", span, ty)))
    }

    /// Where a list keeps its cursor; `None` if the expression is no list.
    fn list_cursor(&mut self, list: ast::ExprId, span: Span) -> Lowered<Option<Place>> {
        let Some((list_type, cursor)) = self.variadics.as_ref().map(|v| (v.list, v.cursor)) else { return Ok(None) };
        let operand = self.operand(list)?;
        let place = if list_type == cursor {
            match operand {
                Operand::Place(place) if self.ty(place.expr) == cursor => Some(place),
                _ => None,
            }
        } else {
            let pointer = self.rvalue(operand, span)?;
            let pointer = self.save(pointer, span);
            let head = self.pointee(self.ty(pointer)).map(|to| to.ty);
            let is_head = matches!(self.types.get(list_type), Type::Array { element, .. } if Some(element.ty) == head);
            match self.dereference(pointer, span) {
                Ok(Operand::Place(whole)) if is_head => self.field(whole, 0),
                _ => None,
            }
        };
        Ok(place.map(|place| Place { expr: self.freeze(place.expr, span), ..place }))
    }
}
