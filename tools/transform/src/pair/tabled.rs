//! Calls with few arguments: a function that reads nothing but its arguments is a table of what it returns.
//!
//! Does not know how a table is filled. A run with arguments that are in no table reaches an error location.

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::types::{QualType, Type};

use super::external::{Leaving, leaving};
use super::observed::{Observed, function_alone};
use super::parts::{operands, reachable, values};
use super::plan::Pairing;
use super::writer::Writer;
use crate::Recast;
use crate::editor::Editor;

/// What a function does with some arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It returns, with these bits.
    Returns(Option<u128>),
    /// It does something undefined, so that the run does not count.
    Excluded,
}

/// What a function does, by its arguments as bits.
pub type Table = BTreeMap<Vec<u128>, Entry>;

/// A program whose calls of some functions are tables.
#[derive(Debug)]
pub struct Tabled {
    /// The program.
    pub recast: Recast,
    /// Where arguments are that no table has: the error location, the function, and the variables that hold the arguments.
    pub missing: Vec<(LocationId, FunctionId, Vec<VarId>)>,
}

/// Whether what a function of the original program does depends on its arguments only, which are integers, in both versions.
#[must_use]
pub fn is_closed(pairing: &Pairing<'_>, function: FunctionId) -> bool {
    let Some(twin) = pairing.counterpart(function) else { return false };
    (0..2).all(|side| {
        let (cfa, function) = (pairing.cfa(side), if side == 0 { function } else { twin });
        let Type::Function(ty) = cfa.types.get(cfa.function(function).ty) else { return false };
        let is_void = matches!(cfa.types.get(ty.result.ty), Type::Void);
        let is_plain = (is_void || is_integer(cfa.types.get(ty.result.ty))) && !ty.variadic && !ty.unprototyped;
        let inside = reachable(cfa, [function]);
        let mut edges = cfa.edge_ids().filter(|edge| inside.contains(&cfa.location(cfa.edge(*edge).source).function));
        is_plain && edges.all(|edge| is_closed_edge(cfa, edge))
    })
}

fn is_closed_edge(cfa: &Cfa, edge: EdgeId) -> bool {
    let operation = &cfa.edge(edge).operation;
    let is_own = |variable: VarId| {
        let variable = cfa.variable(variable);
        variable.is_automatic() && !variable.ty.qualifiers.is_volatile && is_integer(cfa.types.get(variable.ty.ty))
    };
    let is_known = match operation {
        Operation::Declare { variable } => is_own(*variable),
        Operation::Assume { .. } | Operation::Assign { .. } | Operation::Return { .. } | Operation::Blank => true,
        Operation::Call { result, .. } => {
            let is_undefined = matches!(leaving(cfa, edge), Some(Leaving::Undefined(_)));
            is_undefined || cfa.entered_callee(edge).is_some() && result.is_none_or(is_own)
        }
        Operation::Havoc { .. } | Operation::Asm(_) | Operation::Unsupported { .. } => false,
    };
    let mut pending: Vec<ExprId> = values(operation);
    while let Some(expr) = pending.pop() {
        let known = cfa.exprs.get(expr);
        let is_plain = match *known {
            Expr::Variable(variable) => is_own(variable),
            Expr::Int(_) | Expr::Load(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(_) | Expr::Conditional(..) => {
                is_integer(cfa.types.get(cfa.exprs.ty(expr)))
            }
            Expr::Float(_)
            | Expr::Zero
            | Expr::FunctionAddress(_)
            | Expr::AddressOf(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. } => false,
        };
        if !is_plain {
            return false;
        }
        pending.extend(operands(known).into_iter().flatten());
    }
    is_known
}

fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int { .. })
}

/// Whether a function of the original program, or its counterpart, may go around in a circle.
#[must_use]
pub fn goes_around(pairing: &Pairing<'_>, function: FunctionId) -> bool {
    let twin = pairing.counterpart(function);
    [(pairing.original, Some(function)), (pairing.modified, twin)].into_iter().any(|(cfa, function)| {
        let inside = reachable(cfa, function);
        let is_inside = |edge: &EdgeId| inside.contains(&cfa.location(cfa.edge(*edge).source).function);
        let mut left: Vec<(LocationId, LocationId)> = Vec::new();
        for edge in cfa.edge_ids().filter(is_inside) {
            let known = cfa.edge(edge);
            left.push((known.source, known.target));
            let entry = cfa.entered_callee(edge).and_then(|callee| cfa.function(callee).entry);
            left.extend(entry.map(|entry| (known.source, entry)));
        }
        // What nothing leads on from is on no circle.
        loop {
            let sources: BTreeSet<LocationId> = left.iter().map(|(source, _)| *source).collect();
            let before = left.len();
            left.retain(|(_, target)| sources.contains(target));
            if left.len() == before {
                return !left.is_empty();
            }
        }
    })
}

/// A version's function alone, to be run on arguments.
#[must_use]
pub fn alone(pairing: &Pairing<'_>, side: usize, function: FunctionId) -> Option<Observed> {
    let function = if side == 0 { function } else { pairing.counterpart(function)? };
    Some(function_alone(pairing.cfa(side), function))
}

/// The original program with tables in place of calls. `None` if arguments have other types than parameters.
#[must_use]
pub fn tabled(pairing: &Pairing<'_>, calls: &[(EdgeId, FunctionId)], tables: &BTreeMap<FunctionId, Table>) -> Option<Tabled> {
    let cfa = pairing.original;
    let mut editor = Editor::new(cfa);
    let mut missing = Vec::new();
    for (edge, callee) in calls {
        let known = editor.edge(*edge).clone();
        let at = (known.span, known.statement);
        let Operation::Call { arguments, result, .. } = known.operation else { return None };
        let parameters = &cfa.function(*callee).parameters;
        let is_alike = |(argument, parameter): (&ExprId, &VarId)| cfa.exprs.ty(*argument) == cfa.variable(*parameter).ty.ty;
        if arguments.len() != parameters.len() || !arguments.iter().zip(parameters).all(is_alike) {
            return None;
        }
        let Type::Function(ty) = cfa.types.get(cfa.function(*callee).ty) else { return None };
        let ty = ty.result.ty;
        let start = editor.location_beside(known.source);
        editor.parts.edges[edge.index()].operation = Operation::Blank;
        editor.lead(*edge, start);
        let mut writer = Writer { editor: &mut editor, here: start, at };
        let mut held = Vec::new();
        for argument in &arguments {
            let own = QualType::plain(writer.editor.type_of(*argument));
            let ghost = writer.editor.ghost("given", own);
            writer.set(ghost, *argument);
            held.push(ghost);
        }
        for (given, entry) in tables.get(callee).into_iter().flatten() {
            let others = given_these(&mut writer, &held, given);
            if let Entry::Returns(bits) = entry {
                if let (Some(variable), Some(bits)) = (result, bits) {
                    let wanted = writer.editor.parts.variables[variable.index()].ty.ty;
                    let mut value = writer.editor.number(ty, *bits);
                    if wanted != ty {
                        value = writer.editor.expr(Expr::Cast(value), wanted);
                    }
                    writer.set(variable, value);
                }
                writer.lead(known.target);
            }
            let next = writer.editor.location_beside(start);
            for other in others {
                writer.editor.add(other, next, Operation::Blank, at);
            }
            if held.is_empty() {
                // Without arguments there is one entry.
                continue;
            }
            writer.here = next;
        }
        let here = writer.here;
        if !(held.is_empty() && tables.get(callee).is_some_and(|table| !table.is_empty())) {
            let error = editor.error_behind(here, None, at);
            missing.push((error, *callee, held));
        }
    }
    Some(Tabled { recast: editor.finish(), missing })
}

/// Goes on where variables have these values; where they have not is returned.
fn given_these(writer: &mut Writer<'_>, held: &[VarId], given: &[u128]) -> Vec<LocationId> {
    let mut others = Vec::new();
    for (variable, bits) in held.iter().zip(given) {
        let value = writer.editor.load(*variable);
        let own = writer.editor.type_of(value);
        let number = writer.editor.number(own, *bits);
        let is_it = writer.editor.equal(value, number);
        others.push(writer.require(is_it));
    }
    others
}
