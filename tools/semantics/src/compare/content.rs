//! Whether two variables hold the same: linkage, definedness, kind and type, and what their addresses say.
//!
//! Does not know which variables are compared.

use program::cfa::{Cfa, VarId, VarKind, Variable};

use super::types::{Marks, TypeClass};

/// A program and the classes of its types.
pub(super) type Program<'a> = (&'a Cfa, &'a [TypeClass]);

/// Whether the address of an object says the same in both programs: its last bits depend on its alignment.
pub(super) fn same_address(a: &Variable, b: &Variable) -> bool {
    a.identity == b.identity && (a.align == b.align || !(a.address_taken || b.address_taken))
}

/// Whether variables of two programs have the same kind, type and linkage.
pub(super) fn same_content((o, o_types): Program, original: VarId, (m, m_types): Program, modified: VarId) -> bool {
    let (a, b) = (o.variable(original), m.variable(modified));
    let same_kind = match (&a.kind, &b.kind) {
        (VarKind::Global { linkage: la, defined: da }, VarKind::Global { linkage: lb, defined: db }) => la == lb && da == db,
        (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
    };
    same_kind
        && o_types[a.ty.ty.index()] == m_types[b.ty.ty.index()]
        && Marks::from(a.ty.qualifiers) == Marks::from(b.ty.qualifiers)
        && a.thread_local == b.thread_local
}
