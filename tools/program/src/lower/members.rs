//! Whether two members are parts of one kind of structure that have nothing in common.
//!
//! Knows names of members and the records of the program. Two structures of one type are the same object or lie apart, unless one
//! of them is an arm of a union, where another arm may have a second one at another place.

use super::Lowerer;
use crate::ast;
use crate::expr::{Expr, ExprId};
use crate::types::{RecordId, Type, TypeId};

impl Lowerer<'_> {
    /// Whether a place is a member that no assignment to members of these names changes: each name is that of another member of
    /// the same structure, and of no other record.
    pub(super) fn is_apart(&self, place: ExprId, written: &[ast::Symbol]) -> bool {
        let Expr::Field(base, number) = *self.exprs.get(place) else { return false };
        let Type::Record(record) = *self.types.get(self.exprs.ty(base)) else { return false };
        let of = self.types.record(record);
        let own = of.fields.get(number as usize).and_then(|field| field.name.as_deref());
        let Some(own) = own.filter(|_| of.complete && !of.is_union) else { return false };
        let is_other = |name: &ast::Symbol| {
            let name = self.ast.name(*name);
            let has = |id: RecordId| self.types.record(id).fields.iter().any(|field| field.name.as_deref() == Some(name));
            name != own && has(record) && self.types.records().all(|(id, _)| id == record || !has(id))
        };
        written.iter().all(is_other) && !self.is_arm(record)
    }

    /// Whether a record is an arm of a union, or a part of one.
    fn is_arm(&self, record: RecordId) -> bool {
        let mut unions = self.types.records().filter(|(_, one)| one.is_union);
        unions.any(|(_, one)| one.fields.iter().any(|field| self.has_in_it(field.ty.ty, record)))
    }

    fn has_in_it(&self, ty: TypeId, wanted: RecordId) -> bool {
        match *self.types.get(ty) {
            Type::Array { element, .. } => self.has_in_it(element.ty, wanted),
            Type::Record(id) => {
                id == wanted || self.types.record(id).fields.iter().any(|field| self.has_in_it(field.ty.ty, wanted))
            }
            _ => false,
        }
    }
}
