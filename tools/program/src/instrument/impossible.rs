//! Allocation that cannot succeed: a block beyond what a process has addresses for is null in every run.
//!
//! In front of each call whose size may be that large, a branch on the size to a null result; where types and constants rule
//! such sizes out, nothing. Memory that may run out is something else (`allocation`), and memory on the stack is always there.

use crate::cfa::{Edge, Known, Operation};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::known::{Allocation, plain, special};
use crate::types::{IntRank, Type, TypeId};

use super::builder::Builder;

/// The bytes that a process may ask for at most, by its addresses: 2^47, or 3 GiB of 32 bits. Less may fail as well (glibc refuses
/// more than `PTRDIFF_MAX` since 2.30), but that is taken to succeed.
fn limit(builder: &Builder<'_>) -> u64 {
    if builder.parts.machine.word() == 4 { 3 << 30 } else { (1 << 47) - 1 }
}

/// Gives null for blocks that cannot be.
pub(super) fn let_fail(builder: &mut Builder<'_>) {
    for index in 0..builder.parts.edges.len() {
        let Operation::Call { callee, result: Some(result), arguments } = &builder.parts.edges[index].operation else { continue };
        let function = &builder.parts.functions[callee.index()];
        if function.known != Some(Known::Allocate) {
            continue;
        }
        let (result, arguments) = (*result, arguments.clone());
        let Some((first, second)) = factors(&function.name) else { continue };
        let Some(first) = arguments.get(first).copied() else { continue };
        let second = second.and_then(|second| arguments.get(second).copied());
        let Some(too_much) = too_much(builder, first, second) else { continue };
        let call = builder.parts.edges[index].clone();
        let [fails, works] = [(); 2].map(|()| builder.location_beside(call.source));
        builder.parts.edges[index] =
            Edge { target: fails, operation: Operation::Assume { condition: too_much, truth: true }, ..call.clone() };
        builder.edge(call.source, works, Operation::Assume { condition: too_much, truth: false }, &call);
        builder.null_or_call(result, (fails, works), &call);
    }
}

/// The arguments that say how much is asked for of the heap.
fn factors(name: &str) -> Option<(usize, Option<usize>)> {
    match special(plain(name))?.allocation? {
        Allocation::Aligned => Some((1, None)),
        Allocation::Local | Allocation::Internal | Allocation::Text => None,
        other @ (Allocation::Size | Allocation::Product | Allocation::Again | Allocation::AgainProduct) => other.factors(),
    }
}

/// Whether a number of bytes, or a product of two numbers, is too much; `None` if it never is.
fn too_much(builder: &mut Builder<'_>, first: ExprId, second: Option<ExprId>) -> Option<ExprId> {
    let limit = limit(builder);
    let Some(second) = second else {
        return (most(builder, first) > u128::from(limit)).then(|| above(builder, first, limit));
    };
    let (most_first, most_second) = (most(builder, first), most(builder, second));
    if most_first.saturating_mul(most_second) <= u128::from(limit) {
        return None;
    }
    match (constant(builder, first), constant(builder, second)) {
        (Some(number), None) => Some(above(builder, second, limit / number)),
        (_, Some(number)) => Some(above(builder, first, limit / number)),
        (None, None) => {
            let rank = if builder.parts.machine.word() == 4 { IntRank::LongLong } else { IntRank::Int128 };
            let wide = builder.parts.types.intern(Type::Int { rank, signed: false });
            let [first, second] = [first, second].map(|factor| {
                let factor = builder.converted(factor, builder.word);
                builder.converted(factor, wide)
            });
            let product = builder.parts.exprs.intern(Expr::Binary(BinaryOp::Multiply, first, second), wide);
            Some(above(builder, product, limit))
        }
    }
}

fn above(builder: &mut Builder<'_>, value: ExprId, limit: u64) -> ExprId {
    let own = builder.parts.exprs.ty(value);
    let ty = if is_wide(builder, own) { own } else { builder.word };
    let value = builder.converted(value, ty);
    let limit = builder.number(ty, limit);
    builder.compare(BinaryOp::Greater, value, limit)
}

/// Whether a type holds every number of bytes.
fn is_wide(builder: &Builder<'_>, ty: TypeId) -> bool {
    let unsigned = matches!(builder.parts.types.get(ty), Type::Int { signed: false, .. });
    unsigned && builder.bytes_of(ty).is_some_and(|bytes| bytes >= builder.parts.machine.word())
}

/// A number that is written, other than 0.
fn constant(builder: &Builder<'_>, value: ExprId) -> Option<u64> {
    match builder.get(value) {
        Expr::Int(number) => u64::try_from(number).ok().filter(|number| *number > 0),
        _ => None,
    }
}

/// The most that a number of bytes can be by its type and what is written: all that its type holds where it may wrap around, and
/// more than anything where it may be negative, which is a large number of bytes.
fn most(builder: &Builder<'_>, value: ExprId) -> u128 {
    let found = match builder.get(value) {
        Expr::Int(number) => number,
        Expr::Cast(inner) => most(builder, inner),
        Expr::Binary(BinaryOp::Multiply, a, b) => most(builder, a).saturating_mul(most(builder, b)),
        Expr::Binary(BinaryOp::Add, a, b) => most(builder, a).saturating_add(most(builder, b)),
        _ => u128::MAX,
    };
    let bits = builder.bytes_of(builder.parts.exprs.ty(value)).map_or(128, |bytes| 8 * bytes);
    match builder.ty(value) {
        Type::Bool => 1,
        Type::Int { signed: false, .. } if bits < 128 => found.min((1 << bits) - 1),
        Type::Int { signed: true, .. } if bits <= 128 && found < 1 << (bits - 1) => found,
        _ => u128::MAX,
    }
}
