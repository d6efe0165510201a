//! Records whose scalars are stored with their most significant byte first: `scalar_storage_order("big-endian")`.
//!
//! The automaton knows nothing of it: what is read from such a member or written to it has its bytes reversed by operators.
//! Only integers, arrays of them and other records are followed as members, and only by plain accesses; gcc gives no address
//! of such a scalar. The order of the machine itself changes nothing.

use super::Lowerer;
use super::build::Class;
use crate::expr::{Expr, ExprId};
use crate::types::{ArrayLength, IntRank, RecordId, Type, TypeId};

/// What the unsupported operation is called.
pub(super) const NAME: &str = "scalar_storage_order";

impl Lowerer<'_> {
    /// Makes a record one of the other order if all of its members are followed.
    pub(super) fn reverse(&mut self, record: RecordId) -> bool {
        let fields = &self.types.record(record).fields;
        let followed = fields.iter().all(|field| field.bits.is_none() && self.is_reversible(field.ty.ty));
        if followed {
            self.reversed.insert(record);
        }
        followed
    }

    fn is_reversible(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Int { rank, .. } => *rank != IntRank::Int128,
            Type::Array { element, length: ArrayLength::Constant(_) } => self.is_reversible(element.ty),
            Type::Record(_) => true,
            _ => false,
        }
    }

    /// Whether a place is a scalar, or an array of such, in a record of the other order itself.
    pub(super) fn is_reversed(&self, mut place: ExprId) -> bool {
        if self.reversed.is_empty() || matches!(self.class(self.ty(place)), Class::Record) {
            return false;
        }
        loop {
            match *self.exprs.get(place) {
                Expr::Index(array, _) if matches!(self.class(self.ty(array)), Class::Array) => place = array,
                Expr::Field(record, _) => {
                    return matches!(self.types.get(self.ty(record)), Type::Record(id) if self.reversed.contains(id));
                }
                _ => return false,
            }
            if matches!(self.class(self.ty(place)), Class::Record) {
                return false;
            }
        }
    }

    /// Whether an object has scalars of the other order somewhere.
    pub(super) fn has_reversed(&self, ty: TypeId) -> bool {
        if self.reversed.is_empty() {
            return false;
        }
        match self.types.get(ty) {
            Type::Array { element, .. } => self.has_reversed(element.ty),
            Type::Record(id) => {
                let fields = &self.types.record(*id).fields;
                self.reversed.contains(id) || fields.iter().any(|field| self.has_reversed(field.ty.ty))
            }
            _ => false,
        }
    }

    /// An integer with its bytes in the other order.
    pub(super) fn other_order(&mut self, value: ExprId) -> ExprId {
        let ty = self.ty(value);
        let &Type::Int { rank, .. } = self.types.get(ty) else { return value };
        let bytes = self.machine.int_size(rank);
        if bytes == 1 {
            return value;
        }
        let unsigned = self.types.intern(Type::Int { rank, signed: false });
        let plain = self.convert(value, unsigned);
        let swapped = self.byte_swap(plain, i128::from(8 * bytes));
        self.convert(swapped, ty)
    }
}
