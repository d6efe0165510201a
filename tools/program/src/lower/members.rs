//! Whether two members belong to one object and are not the same one, so that nothing they are written as can make them meet.
//!
//! Knows names: both are members of what one variable is or points to, and nothing changes that variable. Does not know pointers: what
//! two of them lead to may lie across each other.

use super::Lowerer;
use super::scope::Entity;
use crate::ast::{self, ExprKind};
use crate::expr::{Expr, ExprId};
use crate::types::Type;

/// A member of what a variable is, or points to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    of: ast::Symbol,
    arrow: bool,
    name: ast::Symbol,
}

impl Lowerer<'_> {
    /// The member that a place is, if it is one of what a variable is or points to.
    pub(super) fn member_named(&self, place: ast::ExprId) -> Option<Member> {
        let ExprKind::Member { base, arrow, member } = &self.ast[place].kind else { return None };
        let ExprKind::Name(of) = self.ast[*base].kind else { return None };
        Some(Member { of, arrow: *arrow, name: member.name })
    }

    /// Whether a place is another member of the same object than all of these, which an expression of an item assigns to, and
    /// nothing else.
    pub(super) fn is_apart(&self, place: ExprId, written: &[Member], item: usize) -> bool {
        let Expr::Field(base, number) = *self.exprs.get(place) else { return false };
        let Type::Record(record) = *self.types.get(self.exprs.ty(base)) else { return false };
        let record = self.types.record(record);
        let own = record.fields.get(number as usize).and_then(|field| field.name.as_deref());
        let Some(own) = own.filter(|_| record.complete && !record.is_union) else { return false };
        written.iter().all(|member| {
            let name = self.ast.name(member.name);
            let is_other = name != own && record.fields.iter().any(|field| field.name.as_deref() == Some(name));
            is_other && self.is_of(base, *member) && (!member.arrow || self.is_unaddressed(item, member.of))
        })
    }

    /// Whether a place is what the variable of a member is, or points to.
    fn is_of(&self, base: ExprId, member: Member) -> bool {
        let Some(Entity::Variable(variable, ..)) = self.scopes.lookup(member.of) else { return false };
        let named = match *self.exprs.get(base) {
            Expr::Dereference { pointer, .. } if member.arrow => match *self.exprs.get(pointer) {
                Expr::Load(place) => place,
                _ => return false,
            },
            _ if member.arrow => return false,
            _ => base,
        };
        *self.exprs.get(named) == Expr::Variable(variable)
    }
}
