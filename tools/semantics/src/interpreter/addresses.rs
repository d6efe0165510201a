//! In which layouts of memory runs are tried, and whether numbers of a program may be addresses.

use program::cfa::Cfa;
use program::expr::{Expr, ExprId};
use program::types::Type;

/// The layouts in which a run is tried that looks at bits of addresses. In the first all objects begin at multiples of 16.
pub(super) const LAYOUTS: [u64; 4] = [0, 1, 2, 7];

/// Whether numbers of a program may be addresses.
pub(super) fn may_be_addresses(cfa: &Cfa) -> bool {
    cfa.machine.word() >= 8 || makes_numbers(cfa)
}

/// Whether a program makes numbers of pointers.
pub(super) fn makes_numbers(cfa: &Cfa) -> bool {
    (0..cfa.exprs.len()).map(ExprId::new).any(|expr| makes_number(cfa, expr))
}

/// Whether an expression is a number made of a pointer.
fn makes_number(cfa: &Cfa, expr: ExprId) -> bool {
    let Expr::Cast(operand) = *cfa.exprs.get(expr) else { return false };
    let pointer = matches!(cfa.types.get(cfa.exprs.ty(operand)), Type::Pointer(_));
    pointer && matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Int { .. } | Type::Enum(_))
}
