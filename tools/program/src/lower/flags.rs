//! What evaluating an expression may do, read off the syntax before anything is lowered.
//!
//! The flags decide where operands must be saved and where `&&`, `||` and `?:` must branch. They over-approximate.

use rustc_hash::FxHashSet;

use crate::ast::{Ast, ExprId, ExprKind, Symbol, UnaryOp};

/// Changes objects of the program, or may.
pub(super) const EFFECT: u8 = 1;
/// Takes edges, but changes nothing except temporaries and objects of its own.
pub(super) const EDGES: u8 = 2;
/// May trap: dereferences, indexes or divides.
pub(super) const TRAP: u8 = 4;

/// The flags of every expression. Children come before their parents in the arena, so one pass is enough.
///
/// Operators that get a guard trap: their guards must stand behind what decides whether they are evaluated.
pub(super) fn compute(ast: &Ast, defined: &FxHashSet<Symbol>, guarded: bool) -> Vec<u8> {
    let mut flags = Vec::with_capacity(ast.exprs());
    for index in 0..ast.exprs() {
        let of = |id: ExprId| flags.get(id.index()).copied().unwrap_or(EFFECT | EDGES | TRAP);
        let kind = &ast[ExprId::from_index(index)].kind;
        let trap = if guarded && has_guard(kind) { TRAP } else { 0 };
        flags.push(own(ast, defined, kind, &of) | trap);
    }
    flags
}

/// Operators whose guard takes edges with some property.
fn has_guard(kind: &ExprKind) -> bool {
    use crate::ast::BinaryOp::{Add, Multiply, ShiftLeft, ShiftRight, Subtract};
    match kind {
        ExprKind::Binary { op, .. } => matches!(op, Add | Subtract | Multiply | ShiftLeft | ShiftRight),
        ExprKind::Unary { op, .. } => *op == UnaryOp::Minus,
        _ => false,
    }
}

fn own(ast: &Ast, defined: &FxHashSet<Symbol>, kind: &ExprKind, of: &dyn Fn(ExprId) -> u8) -> u8 {
    use crate::ast::BinaryOp::{Divide, Remainder};
    match kind {
        ExprKind::Name(_)
        | ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Char(_)
        | ExprKind::String(_)
        | ExprKind::SizeofExpr(_)
        | ExprKind::SizeofType(_)
        | ExprKind::AlignofExpr(_)
        | ExprKind::AlignofType(_)
        | ExprKind::LabelAddress(_)
        | ExprKind::Offsetof { .. }
        | ExprKind::TypesCompatible(..) => 0,
        ExprKind::Unary { op, operand } => match op {
            UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                of(*operand) | EFFECT
            }
            UnaryOp::Deref => of(*operand) | TRAP,
            UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Not | UnaryOp::BitNot | UnaryOp::AddressOf | UnaryOp::Extension => {
                of(*operand)
            }
            UnaryOp::Real | UnaryOp::Imag => of(*operand) | EDGES,
        },
        ExprKind::Binary { op, left, right } => {
            let trap = if matches!(op, Divide | Remainder) { TRAP } else { 0 };
            of(*left) | of(*right) | trap
        }
        ExprKind::Assign { target, value, .. } => of(*target) | of(*value) | EFFECT,
        ExprKind::Conditional { condition, then, otherwise } => of(*condition) | then.map_or(0, of) | of(*otherwise),
        ExprKind::Comma { left, right } => of(*left) | of(*right),
        ExprKind::Call { callee, arguments } => {
            let arguments = arguments.iter().fold(0, |all, argument| all | of(*argument));
            of(*callee) | arguments | call(ast, defined, *callee)
        }
        ExprKind::Index { base, index } => of(*base) | of(*index) | TRAP,
        ExprKind::Member { base, arrow, .. } => of(*base) | if *arrow { TRAP } else { 0 },
        ExprKind::Cast { operand, .. } => of(*operand),
        ExprKind::CompoundLiteral { .. } | ExprKind::Statement(_) | ExprKind::VaArg { .. } => EFFECT | EDGES | TRAP,
        ExprKind::Generic { associations, .. } => associations.iter().fold(0, |all, a| all | of(a.value)),
        ExprKind::Choose { then, otherwise, .. } => of(*then) | of(*otherwise),
        ExprKind::ConvertVector { operand, .. } => of(*operand) | EDGES,
    }
}

/// What a call does beyond evaluating its operands.
fn call(ast: &Ast, defined: &FxHashSet<Symbol>, callee: ExprId) -> u8 {
    let ExprKind::Name(name) = ast[callee].kind else { return EFFECT | EDGES };
    if defined.contains(&name) {
        return EFFECT | EDGES;
    }
    let name = ast.name(name);
    if matches!(name, "__builtin_expect" | "__builtin_constant_p" | "__builtin_object_size") {
        0
    } else if name.starts_with("__VERIFIER_nondet_") || name.starts_with("__builtin_bswap") {
        EDGES
    } else {
        EFFECT | EDGES
    }
}
