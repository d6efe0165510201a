//! What evaluating an expression may do, read off the syntax before anything is lowered.
//!
//! The flags decide where operands must be saved and where `&&`, `||` and `?:` must branch. They over-approximate.

use formats::Property;
use rustc_hash::FxHashSet;

use super::candidate::{is_computed, is_operator};
use super::pure::Pure;
use crate::ast::{
    ArraySize, Ast, BaseType, DeclarationId, Derived, ExprId, ExprKind, InitializerKind, StmtId, StmtKind, Symbol, TypeNameId,
    UnaryOp,
};
use crate::known;
use crate::violation::Violation;

/// Changes objects of the program, or may.
pub(super) const EFFECT: u8 = 1;
/// Takes edges, but changes nothing except temporaries and objects of its own.
pub(super) const EDGES: u8 = 2;
/// May trap: dereferences, indexes or divides.
pub(super) const TRAP: u8 = 4;
/// Changes what others see: as `EFFECT`, but for calls of functions that change nothing.
pub(super) const CHANGE: u8 = 8;
/// Calls what may see changes of others, or reads an input.
pub(super) const SEE: u8 = 16;

/// What nothing is known of.
const ANYTHING: u8 = EFFECT | EDGES | TRAP | CHANGE | SEE;

/// The flags of every expression. Children come before their parents in the arena, so one pass is enough.
///
/// Operators that get a guard trap: their guards must stand behind what decides whether they are evaluated.
pub(super) fn compute(ast: &Ast, defined: &FxHashSet<Symbol>, pure: &Pure, guarded: bool) -> Vec<u8> {
    let functions = &Functions { defined, pure, give: gives(ast, defined) };
    let mut flags = Vec::with_capacity(ast.exprs());
    for index in 0..ast.exprs() {
        let of = |id: ExprId| flags.get(id.index()).copied().unwrap_or(ANYTHING);
        let kind = &ast[ExprId::from_index(index)].kind;
        let trap = if guarded && has_guard(kind) { TRAP } else { 0 };
        flags.push(own(ast, functions, kind, &of) | trap);
    }
    flags
}

/// What is known of the functions of a program.
struct Functions<'a> {
    defined: &'a FxHashSet<Symbol>,
    pure: &'a Pure,
    /// Something is passed to a function without a body, which may keep it: later ones may write there.
    give: bool,
}

fn gives(ast: &Ast, defined: &FxHashSet<Symbol>) -> bool {
    (0..ast.exprs()).any(|index| match &ast[ExprId::from_index(index)].kind {
        ExprKind::Call { callee, arguments } => match ast[*callee].kind {
            ExprKind::Name(name) => !arguments.is_empty() && !defined.contains(&name) && is_input(ast.name(name)),
            _ => !arguments.is_empty(),
        },
        _ => false,
    })
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

fn own(ast: &Ast, functions: &Functions<'_>, kind: &ExprKind, of: &dyn Fn(ExprId) -> u8) -> u8 {
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
        | ExprKind::AlignofType { .. }
        | ExprKind::LabelAddress(_)
        | ExprKind::Offsetof { .. }
        | ExprKind::TypesCompatible(..) => 0,
        ExprKind::Unary { op, operand } => match op {
            UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                of(*operand) | EFFECT | CHANGE
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
        ExprKind::Assign { target, value, .. } => of(*target) | of(*value) | EFFECT | CHANGE,
        ExprKind::Conditional { condition, then, otherwise } => of(*condition) | then.map_or(0, of) | of(*otherwise),
        ExprKind::Comma { left, right } => of(*left) | of(*right),
        ExprKind::Call { callee, arguments } => {
            let below = arguments.iter().fold(0, |all, argument| all | of(*argument));
            of(*callee) | below | call(ast, functions, *callee, arguments)
        }
        ExprKind::Index { base, index } => of(*base) | of(*index) | TRAP,
        ExprKind::Member { base, arrow, .. } => of(*base) | if *arrow { TRAP } else { 0 },
        ExprKind::Cast { ty, operand } => of(*operand) | lengths(ast, *ty, of),
        ExprKind::Statement(body) => EFFECT | EDGES | TRAP | statement(ast, *body, of),
        ExprKind::CompoundLiteral { .. } | ExprKind::VaArg { .. } => ANYTHING,
        ExprKind::Generic { associations, .. } => associations.iter().fold(0, |all, a| all | of(a.value)),
        ExprKind::Choose { then, otherwise, .. } => of(*then) | of(*otherwise),
        ExprKind::ConvertVector { operand, .. } => of(*operand) | EDGES,
    }
}

/// What the lengths of arrays in a type may do where it is evaluated.
fn lengths(ast: &Ast, ty: TypeNameId, of: &dyn Fn(ExprId) -> u8) -> u8 {
    let base = match ast[ty].specifiers.base {
        BaseType::TypeofExpr(expr) => of(expr),
        BaseType::TypeofType(inner) | BaseType::Atomic(inner) => lengths(ast, inner, of),
        _ => 0,
    };
    ast[ty].declarator.derived.iter().fold(base, |all, step| match step {
        Derived::Array { size: ArraySize::Expr(length), .. } => all | of(*length),
        _ => all,
    })
}

/// What a statement in an expression may do. Objects of its own may be changed and seen, too.
fn statement(ast: &Ast, statement: StmtId, of: &dyn Fn(ExprId) -> u8) -> u8 {
    let below = |inner: StmtId| self::statement(ast, inner, of);
    match &ast[statement].kind {
        StmtKind::Empty { .. } => 0,
        StmtKind::Expr(expr) => of(*expr),
        StmtKind::Compound { items, .. } => items.iter().fold(0, |all, item| all | below(*item)),
        StmtKind::If { condition, then, otherwise } => of(*condition) | below(*then) | otherwise.map_or(0, below),
        StmtKind::Declaration(id) => declaration(ast, *id, of),
        _ => ANYTHING,
    }
}

/// What a declaration of plain objects may do.
fn declaration(ast: &Ast, id: DeclarationId, of: &dyn Fn(ExprId) -> u8) -> u8 {
    let specifiers = &ast[id].specifiers;
    let base = match specifiers.base {
        BaseType::Int(_) | BaseType::Float(_) | BaseType::Bool | BaseType::Typedef(_) => 0,
        BaseType::TypeofExpr(expr) => of(expr),
        _ => ANYTHING,
    };
    let is_plain = |declared: &crate::ast::Declarator| declared.derived.iter().all(|d| matches!(d, Derived::Pointer { .. }));
    ast[id].declarators.iter().fold(base, |all, declared| {
        let declared = &ast[*declared];
        let value = match declared.initializer.map(|value| &ast[value].kind) {
            None => 0,
            Some(InitializerKind::Expr(value)) => of(*value),
            Some(InitializerKind::List(_)) => ANYTHING,
        };
        let is_plain = specifiers.storage.is_none() && is_plain(&declared.declarator) && declared.attributes.is_empty();
        all | value | if is_plain { 0 } else { ANYTHING }
    })
}

/// What a call does beyond evaluating its operands.
fn call(ast: &Ast, functions: &Functions<'_>, callee: ExprId, arguments: &[ExprId]) -> u8 {
    let ExprKind::Name(name) = ast[callee].kind else { return EFFECT | EDGES | CHANGE | SEE };
    let Functions { defined, pure, give } = functions;
    if defined.contains(&name) {
        let others = match () {
            () if pure.closed.contains(&name) => 0,
            () if pure.quiet.contains(&name) => SEE,
            () => CHANGE | SEE,
        };
        return EFFECT | EDGES | others;
    }
    let name = ast.name(name);
    if is_operator(name) {
        0
    } else if name.starts_with("__VERIFIER_nondet_") || name.starts_with("__builtin_bswap") {
        EDGES | SEE
    } else if !give && arguments.is_empty() && is_input(name) || is_value(name) {
        EFFECT | EDGES | SEE
    } else if is_computed(name) {
        EFFECT | EDGES
    } else {
        EFFECT | EDGES | CHANGE | SEE
    }
}

/// Whether nobody knows a function without a body: its results are inputs, and it writes only where arguments of such have pointed.
fn is_input(name: &str) -> bool {
    let is_error = [Property::UnreachCall, Property::Assert].iter().any(|property| known::is_error_function(name, *property));
    !is_error && known::by_name(name).is_none() && Violation::of_function(name).is_none()
}

/// Whether a function of the C library changes nothing.
fn is_value(name: &str) -> bool {
    known::is_value(name) && !known::sets_errno(name) || matches!(name, "div" | "ldiv" | "lldiv" | "imaxdiv")
}
