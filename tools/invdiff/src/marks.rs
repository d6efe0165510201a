//! Runs in which nothing undefined happens: the others are marked, and go on.
//!
//! A mark is set before an operation that divides by zero, shifts too far, overflows a signed type, leaves an array, or reads a
//! scalar local to which nothing was written. What pointers lead to is not looked at. In functions that may call themselves,
//! reads are not either: an activation would see what another one wrote.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::BTreeMap;

use program::cfa::{Cfa, EdgeId, LocationId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::source::Span;
use program::types::{IntRank, QualType, Type};
use semantics::facts::Facts;
use transform::Editor;

use crate::definedness::Definedness;

/// A program whose undefined runs are marked.
#[derive(Debug)]
pub(crate) struct Marked {
    pub(crate) cfa: Cfa,
    /// Not zero once a run is undefined.
    pub(crate) mark: VarId,
    /// For locals that may be read too early, what says that they were written, as `Definedness::read` wants it.
    pub(crate) written: BTreeMap<VarId, (VarId, u64)>,
}

/// Marks what is undefined. Locations, edges and expressions of the program keep their numbers.
pub(crate) fn mark(cfa: &Cfa) -> Marked {
    let mut editor = Editor::new(cfa);
    let int = editor.int();
    let mark = editor.ghost("undefined", QualType::plain(int));
    let written = written(cfa, &mut editor);
    let place = (Span::default(), Span::default());
    for at in cfa.location_ids() {
        let mut condition = None;
        for edge in cfa.out_edges(at) {
            for expr in evaluated(cfa, *edge) {
                let by = BTreeMap::new();
                let mut when = Definedness { cfa, editor: &mut editor, by: &by, read: &written, overflow: true };
                let own = when.of(expr);
                condition = when.both(condition, own);
            }
        }
        let Some(condition) = condition else { continue };
        let behind = editor.before(at);
        let undefined = editor.location_beside(at);
        let condition = editor.truth(condition);
        editor.branch(at, condition, (behind, undefined), place);
        set(&mut editor, (undefined, behind), mark, 1);
    }
    for edge in cfa.edge_ids() {
        for (variable, is_written) in cfa.edge(edge).operation.sets(&cfa.exprs) {
            let Some((bit, _)) = written.get(&variable) else { continue };
            let (target, begin) = (editor.edge(edge).target, editor.location_beside(cfa.edge(edge).target));
            editor.lead(edge, begin);
            set(&mut editor, (begin, target), *bit, u128::from(is_written));
        }
    }
    Marked { cfa: editor.finish().cfa, mark, written }
}

fn set(editor: &mut Editor, (from, to): (LocationId, LocationId), variable: VarId, value: u128) {
    let place = editor.place(variable);
    let ty = editor.type_of(place);
    let value = editor.number(ty, value);
    editor.add(from, to, Operation::Assign { place, value }, (Span::default(), Span::default()));
}

/// A variable for each scalar local that says whether it was written since its declaration was passed.
fn written(cfa: &Cfa, editor: &mut Editor) -> BTreeMap<VarId, (VarId, u64)> {
    let facts = Facts::new(cfa);
    let unsigned = editor.ty(Type::Int { rank: IntRank::Int, signed: false });
    let declared = cfa.edges.iter().filter_map(|edge| match edge.operation {
        Operation::Declare { variable } => Some(variable),
        _ => None,
    });
    let mut found = BTreeMap::new();
    for id in declared {
        let variable = cfa.variable(id);
        let is_scalar = matches!(
            cfa.types.get(variable.ty.ty),
            Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_) | Type::Pointer(_)
        );
        let is_plain = variable.kind == VarKind::Local && !variable.address_taken && !variable.ty.qualifiers.is_volatile;
        let is_single = variable.function.is_some_and(|function| !facts.calls().is_recursive(function));
        if is_scalar && is_plain && is_single && !found.contains_key(&id) {
            found.insert(id, (editor.ghost("written", QualType::plain(unsigned)), 0));
        }
    }
    found
}

/// What an edge evaluates.
fn evaluated(cfa: &Cfa, edge: EdgeId) -> Vec<ExprId> {
    match &cfa.edge(edge).operation {
        Operation::Assume { condition, .. } => vec![*condition],
        Operation::Assign { place, value } => match cfa.exprs.get(*place) {
            Expr::Variable(_) => vec![*value],
            _ => vec![*place, *value],
        },
        Operation::Call { arguments, .. } => arguments.clone(),
        Operation::Return { value } => value.iter().copied().collect(),
        _ => Vec::new(),
    }
}
