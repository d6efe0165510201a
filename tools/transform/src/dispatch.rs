//! Ways that part by the version: conditions on a variable that no edge writes.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use program::cfa::{LocationId, VarId};
use program::expr::{BinaryOp, Expr, ExprArena, ExprId};
use program::source::Span;
use program::types::{IntRank, Type, TypeId};

use crate::editor::Editor;

/// The variable that says which version runs, and the types around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selector {
    pub(crate) variable: VarId,
    /// Of sets of versions.
    set: TypeId,
    unsigned: TypeId,
}

impl Selector {
    pub(crate) fn new(editor: &mut Editor, versions: usize) -> Self {
        let unsigned = editor.ty(Type::Int { rank: IntRank::Int, signed: false });
        let wide = editor.ty(Type::Int { rank: IntRank::LongLong, signed: false });
        let variable = editor.choice("version", unsigned);
        Self { variable, set: if versions > 32 { wide } else { unsigned }, unsigned }
    }

    /// Whether the version is one of a set: `((S >> version) & 1) != 0`.
    fn is_in(self, editor: &mut Editor, set: u64) -> ExprId {
        let version = editor.load(self.variable);
        let all = editor.number(self.set, u128::from(set));
        let shifted = editor.expr(Expr::Binary(BinaryOp::ShiftRight, all, version), self.set);
        let one = editor.number(self.set, 1);
        let bit = editor.expr(Expr::Binary(BinaryOp::BitAnd, shifted, one), self.set);
        let zero = editor.number(self.set, 0);
        let int = editor.int();
        editor.expr(Expr::Binary(BinaryOp::NotEqual, bit, zero), int)
    }

    /// Whether there is such a version.
    pub(crate) fn is_below(self, editor: &mut Editor, versions: usize) -> ExprId {
        let version = editor.load(self.variable);
        let limit = editor.number(self.unsigned, versions as u128);
        let int = editor.int();
        editor.expr(Expr::Binary(BinaryOp::Less, version, limit), int)
    }

    /// Leads each set of versions its way; together the sets are all versions that come here.
    pub(crate) fn dispatch(self, editor: &mut Editor, from: LocationId, ways: &[(u64, LocationId)], at: (Span, Span)) {
        let mut here = from;
        let mut left = ways;
        while let [(set, target), rest @ ..] = left
            && let [(_, last), more @ ..] = rest
        {
            let next = if more.is_empty() { *last } else { editor.location_beside(from) };
            let condition = self.is_in(editor, *set);
            editor.branch(here, condition, (*target, next), at);
            here = next;
            left = rest;
        }
    }
}

/// The value of a condition on the version alone; `None` for any other.
pub(crate) fn decided(exprs: &ExprArena, condition: ExprId, selector: VarId, version: u64) -> Option<bool> {
    let mut mentioned = false;
    let value = value(exprs, condition, selector, version, &mut mentioned, 8)?;
    mentioned.then_some(value != 0)
}

fn value(exprs: &ExprArena, expr: ExprId, selector: VarId, version: u64, mentioned: &mut bool, depth: u32) -> Option<u64> {
    let depth = depth.checked_sub(1)?;
    match *exprs.get(expr) {
        Expr::Int(bits) => u64::try_from(bits).ok(),
        Expr::Load(place) => match *exprs.get(place) {
            Expr::Variable(variable) if variable == selector => {
                *mentioned = true;
                Some(version)
            }
            _ => None,
        },
        Expr::Binary(op, a, b) => {
            let (a, b) =
                (value(exprs, a, selector, version, mentioned, depth)?, value(exprs, b, selector, version, mentioned, depth)?);
            match op {
                BinaryOp::ShiftRight => a.checked_shr(u32::try_from(b).ok()?),
                BinaryOp::BitAnd => Some(a & b),
                BinaryOp::NotEqual => Some(u64::from(a != b)),
                BinaryOp::Less => Some(u64::from(a < b)),
                _ => None,
            }
        }
        _ => None,
    }
}
