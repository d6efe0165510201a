//! What the front end does not guard: reads of locals that were not written, and floats that do not fit into integers.
//!
//! Whether a local that may be read too early was written is kept in a variable beside it. A read under `&&`, `||` or `?:` of
//! one expression may not happen: it excludes no run of the original.

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, FunctionId, LocationId, Operation, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprArena, ExprId};
use program::types::{FloatKind, Type};
use rustc_hash::FxHashMap;

use super::compare::local;
use super::parts::{operands, values};
use super::writer::Writer;
use crate::editor::Editor;

/// Locals of a function that may be read before they are written.
pub(super) fn unset(cfa: &Cfa, function: FunctionId) -> BTreeSet<VarId> {
    let Some(entry) = cfa.function(function).entry else { return BTreeSet::new() };
    let is_scalar = |variable: VarId| {
        let ty = cfa.types.get(cfa.variable(variable).ty.ty);
        matches!(ty, Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_) | Type::Enum(_))
    };
    let locals: BTreeSet<VarId> = cfa
        .variable_ids()
        .filter(|id| {
            let variable = cfa.variable(*id);
            variable.function == Some(function) && variable.kind == VarKind::Local && !variable.address_taken && is_scalar(*id)
        })
        .collect();
    if locals.is_empty() {
        return locals;
    }
    // What is not written for certain, at each location.
    let mut open: FxHashMap<LocationId, BTreeSet<VarId>> = FxHashMap::default();
    open.insert(entry, locals.clone());
    let mut pending = vec![entry];
    let mut found = BTreeSet::new();
    while let Some(location) = pending.pop() {
        let here = open.get(&location).cloned().unwrap_or_default();
        for edge in cfa.out_edges(location) {
            let operation = &cfa.edge(*edge).operation;
            let read = reads(&cfa.exprs, operation);
            found.extend(read.into_keys().filter(|variable| here.contains(variable)));
            let mut behind = here.clone();
            for (variable, is_written) in operation.sets(&cfa.exprs) {
                if is_written {
                    behind.remove(&variable);
                } else if locals.contains(&variable) {
                    behind.insert(variable);
                }
            }
            let target = cfa.edge(*edge).target;
            let is_new = !open.contains_key(&target);
            let known = open.entry(target).or_default();
            let before = known.len();
            known.extend(behind);
            if is_new || known.len() > before {
                pending.push(target);
            }
        }
    }
    found
}

/// The variables that an operation reads, and whether it does for certain.
pub(super) fn reads(exprs: &ExprArena, operation: &Operation) -> BTreeMap<VarId, bool> {
    let mut found: BTreeMap<VarId, bool> = BTreeMap::new();
    let mut pending: Vec<(ExprId, bool)> = values(operation).into_iter().map(|expr| (expr, true)).collect();
    let mut seen = BTreeSet::new();
    while let Some((expr, certain)) = pending.pop() {
        if !seen.insert((expr, certain)) {
            continue;
        }
        match *exprs.get(expr) {
            Expr::Load(inner) => {
                if let Expr::Variable(variable) = *exprs.get(inner) {
                    *found.entry(variable).or_default() |= certain;
                } else {
                    pending.push((inner, certain));
                }
            }
            Expr::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, a, b) => pending.extend([(a, certain), (b, false)]),
            Expr::Conditional(condition, a, b) => pending.extend([(condition, certain), (a, false), (b, false)]),
            ref other => pending.extend(operands(other).into_iter().flatten().map(|operand| (operand, certain))),
        }
    }
    found
}

/// Flags of locals that may be read too early, by variable.
pub(super) fn flags(editor: &mut Editor, function: FunctionId, variables: impl Iterator<Item = VarId>) -> BTreeMap<VarId, VarId> {
    let int = editor.int();
    variables.map(|variable| (variable, local(editor, function, "written", int))).collect()
}

/// Conversions of floats to integers in an operation.
pub(super) fn conversions(editor: &Editor, operation: &Operation) -> Vec<ExprId> {
    let (exprs, types) = (&editor.parts.exprs, &editor.parts.types);
    let mut pending = values(operation);
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    while let Some(expr) = pending.pop() {
        if !seen.insert(expr) {
            continue;
        }
        if let Expr::Cast(operand) = *exprs.get(expr)
            && matches!(types.get(exprs.ty(operand)), Type::Float(_))
            && matches!(types.get(exprs.ty(expr)), Type::Int { .. } | Type::Enum(_))
        {
            found.push(expr);
        }
        pending.extend(operands(exprs.get(expr)).into_iter().flatten());
    }
    found
}

/// Goes on where a conversion of a float fits; where it does not is returned. `None` if no number says so.
pub(super) fn require_fit(writer: &mut Writer<'_>, conversion: ExprId) -> Option<[LocationId; 2]> {
    let editor = &mut *writer.editor;
    let Expr::Cast(operand) = *editor.parts.exprs.get(conversion) else { return None };
    let (from, to) = (editor.type_of(operand), editor.type_of(conversion));
    let Type::Float(kind) = *editor.parts.types.get(from) else { return None };
    let Type::Int { rank, signed } = *editor.parts.types.get(to) else { return None };
    let bits = i32::try_from(editor.parts.machine.int_size(rank) * 8).ok()?;
    let digits = match kind {
        FloatKind::Float => 24,
        FloatKind::Double => 53,
        FloatKind::LongDouble | FloatKind::Float128 => return None,
    };
    let least = if signed { -2f64.powi(bits - 1) } else { 0.0 };
    let limit = 2f64.powi(if signed { bits - 1 } else { bits });
    // A number just below the least one is cut off to it, where there is one.
    let (compare, least) = if bits < digits { (BinaryOp::Greater, least - 1.0) } else { (BinaryOp::GreaterEqual, least) };
    let number = |editor: &mut Editor, value: f64| {
        let bits = if kind == FloatKind::Float { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) };
        editor.expr(Expr::Float(bits), from)
    };
    let (least, limit, int) = (number(editor, least), number(editor, limit), editor.int());
    let above = editor.expr(Expr::Binary(compare, operand, least), int);
    let below = editor.expr(Expr::Binary(BinaryOp::Less, operand, limit), int);
    Some([writer.require(above), writer.require(below)])
}
