//! Members of records: `s.f`, `p->f`, `offsetof`, and the way to a member through unnamed records.

use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, OffsetofStep};
use crate::cfa::Operation;
use crate::expr::{Expr, ExprId};
use crate::source::Span;
use crate::types::{Qualifiers, RecordId, Type, TypeId};

impl Lowerer<'_> {
    /// The numbers of the members that lead to the one of this name.
    pub(super) fn find_member(&self, record: RecordId, name: &str) -> Option<Vec<usize>> {
        let fields = &self.types.record(record).fields;
        if let Some(index) = fields.iter().position(|field| field.name.as_deref() == Some(name)) {
            return Some(vec![index]);
        }
        fields.iter().enumerate().filter(|(_, field)| field.name.is_none()).find_map(|(index, field)| {
            let Type::Record(inner) = self.types.get(field.ty.ty) else { return None };
            let mut path = self.find_member(*inner, name)?;
            path.insert(0, index);
            Some(path)
        })
    }

    fn member_path(&self, ty: TypeId, member: ast::Ident) -> Lowered<Vec<usize>> {
        let name = self.ast.name(member.name);
        let Type::Record(record) = *self.types.get(ty) else {
            let message = format!("member `{name}` of something that is neither a structure nor a union");
            return Err(self.error(member.span, message, "no members here"));
        };
        if !self.types.record(record).complete {
            let message = format!("member `{name}` of an incomplete type");
            return Err(self.error(member.span, message, "the structure is not defined"));
        }
        self.find_member(record, name)
            .ok_or_else(|| self.error(member.span, format!("no member named `{name}`"), "unknown member"))
    }

    /// `base.member` or `base->member`.
    pub(super) fn member(&mut self, base: ast::ExprId, arrow: bool, member: ast::Ident) -> Lowered<Operand> {
        let span = self.ast[base].span;
        let operand = self.operand(base)?;
        let mut place = if arrow {
            let pointer = self.rvalue(operand, span)?;
            match self.dereference(pointer, span)? {
                Operand::Place(place) => place,
                Operand::Void | Operand::Value(_) | Operand::Function(_) => {
                    return Err(self.error(span, "`->` needs a pointer to a structure or union", "not such a pointer"));
                }
            }
        } else {
            self.record_place(operand, span)?
        };
        for index in self.member_path(self.ty(place.expr), member)? {
            place =
                self.field(place, index).ok_or_else(|| self.error(member.span, "this member has no place", "unknown member"))?;
        }
        Ok(Operand::Place(place))
    }

    /// The place of a record operand; a value gets one of its own.
    fn record_place(&mut self, operand: Operand, span: Span) -> Lowered<Place> {
        let value = match operand {
            Operand::Place(place) => return Ok(place),
            Operand::Void | Operand::Function(_) => {
                return Err(self.error(span, "`.` needs a structure or union", "neither of them"));
            }
            Operand::Value(value) => value,
        };
        let expr = match *self.exprs.get(value) {
            Expr::Load(place) => place,
            _ => {
                let temporary = self.temporary(self.ty(value));
                let place = self.variable(temporary);
                self.emit(Operation::Assign { place, value }, span);
                place
            }
        };
        Ok(Place { expr, qualifiers: Qualifiers::default(), bits: None })
    }

    /// `__builtin_offsetof(T, path)`
    pub(super) fn offset_of(&mut self, ty: ast::TypeNameId, path: &[OffsetofStep], span: Span) -> Lowered<ExprId> {
        let record = self.type_name(ty)?.ty;
        // The address of the member in an object at address 0.
        let pointer = self.pointer_to(record);
        let null = self.int(pointer, 0);
        let base = self.exprs.intern(Expr::Dereference { pointer: null, volatile: false }, record.ty);
        let mut place = Place { expr: base, qualifiers: Qualifiers::default(), bits: None };
        for step in path {
            let (member, index) = match step {
                OffsetofStep::Member(member) => (Some(*member), None),
                OffsetofStep::Arrow(member) => (Some(*member), Some(self.int(self.basic.int, 0))),
                OffsetofStep::Index(index) => (None, Some(self.value(*index)?)),
            };
            if let Some(index) = index {
                place = self
                    .element(place, index)
                    .ok_or_else(|| self.error(span, "an index into something that is no array", "in this path"))?;
            }
            if let Some(member) = member {
                for index in self.member_path(self.ty(place.expr), member)? {
                    place =
                        self.field(place, index).ok_or_else(|| self.error(span, "this member has no place", "in this path"))?;
                }
            }
        }
        if place.bits.is_some() {
            return Err(self.error(span, "a bit-field has no offset in bytes", "in this path"));
        }
        let size = self.size_type();
        if let Some(construct) = self.strange_layout(place.expr) {
            return Ok(self.unsupported_value(&construct, span, size));
        }
        let address = self.exprs.intern(Expr::AddressOf(place.expr), pointer);
        let offset = self.convert(address, size);
        Ok(self.folded(offset))
    }
}
