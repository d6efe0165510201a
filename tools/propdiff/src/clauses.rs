//! Clauses as formulas: the ways to fail, each a list of conditions that hold or do not.

#![expect(clippy::wildcard_enum_match_arm, reason = "one form of expressions is a text")]

use formats::Property;
use program::cfa::{Cfa, EdgeId, LocationId, Operation, VarKind};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::known::is_error_function;
use transform::Editor;
use transform::assertions::{Clause, Site, Style};

use crate::defined::needs;

/// Ways to fail that are listed at most.
const MOST_WAYS: usize = 64;

/// The ways in which a clause fails: conditions and whether each holds, in the order of evaluation. `None` if there are too many,
/// or it is no condition.
pub(crate) fn ways(cfa: &Cfa, site: &Site, position: usize) -> Option<Vec<Vec<(ExprId, bool)>>> {
    let clause = site.clauses.get(position)?;
    if clause.conjunct.is_some() {
        let mut way: Vec<(ExprId, bool)> =
            site.clauses[..position].iter().filter_map(|before| Some((before.conjunct?, true))).collect();
        way.push((clause.conjunct?, false));
        return Some(vec![way]);
    }
    let condition = |edge: &EdgeId| match cfa.edge(*edge).operation {
        Operation::Assume { condition, truth } => Some((condition, truth)),
        _ => None,
    };
    let ways = edge_ways(cfa, site, position)?;
    let mut found: Vec<Vec<(ExprId, bool)>> =
        ways.iter().map(|way| way.iter().map(condition).collect()).collect::<Option<_>>()?;
    found.sort_unstable();
    Some(found)
}

/// The ways in which a clause fails whose conditions are edges, as the edges.
pub(crate) fn edge_ways(cfa: &Cfa, site: &Site, position: usize) -> Option<Vec<Vec<EdgeId>>> {
    let clause = site.clauses.get(position).filter(|clause| clause.conjunct.is_none())?;
    if site.style == Style::Bare {
        return None;
    }
    let mut found = Vec::new();
    let mut pending: Vec<(LocationId, Vec<EdgeId>)> = vec![(site.at, Vec::new())];
    while let Some((at, way)) = pending.pop() {
        for edge in cfa.out_edges(at) {
            if !matches!(cfa.edge(*edge).operation, Operation::Assume { .. }) {
                return None;
            }
            let mut longer = way.clone();
            longer.push(*edge);
            if clause.fails.contains(edge) {
                found.push(longer);
            } else if is_inside(cfa, site, cfa.edge(*edge).target, *edge) {
                pending.push((cfa.edge(*edge).target, longer));
            }
            if found.len() + pending.len() > MOST_WAYS {
                return None;
            }
        }
    }
    Some(found)
}

/// Whether evaluation of an assertion goes on at a location.
fn is_inside(cfa: &Cfa, site: &Site, location: LocationId, from: EdgeId) -> bool {
    let fails = |edge: &EdgeId| site.clauses.iter().any(|clause| clause.fails.contains(edge));
    Some(location) != site.after
        && !fails(&from)
        && !cfa.out_edges(location).is_empty()
        && cfa.out_edges(location).iter().all(|edge| {
            let edge = cfa.edge(*edge);
            matches!(edge.operation, Operation::Assume { .. }) && site.span.contains(edge.span)
        })
}

/// The text of an assertion, for people: what the macro was given, where that is known, not what it became.
pub(crate) fn site_text(cfa: &Cfa, site: &Site) -> String {
    match asserted(cfa, site) {
        Some(text) => format!("assert({text})"),
        None => cfa.one_line(site.span),
    }
}

/// The text that `assert` hands on to the function that reports its failure.
fn asserted(cfa: &Cfa, site: &Site) -> Option<String> {
    let Operation::Call { callee, arguments, .. } = &cfa.edge(site.error).operation else { return None };
    if !is_error_function(&cfa.function(*callee).name, Property::Assert) {
        return None;
    }
    let mut at = *arguments.first()?;
    loop {
        match *cfa.exprs.get(at) {
            Expr::Cast(inner) | Expr::AddressOf(inner) | Expr::Index(inner, _) => at = inner,
            Expr::Variable(variable) => {
                let VarKind::StringLiteral(bytes) = &cfa.variable(variable).kind else { return None };
                let text = bytes.split(|byte| *byte == 0).next()?;
                return Some(String::from_utf8_lossy(text).into_owned());
            }
            _ => return None,
        }
    }
}

/// The text of a clause, for people.
pub(crate) fn text(cfa: &Cfa, site: &Site, clause: &Clause) -> String {
    match clause.fails.first().map(|edge| cfa.edge(*edge)) {
        Some(edge) => match edge.operation.branch() {
            Some(false) => cfa.one_line(edge.span),
            Some(true) => format!("!({})", cfa.one_line(edge.span)),
            None => match asserted(cfa, site).filter(|_| site.after.is_some()) {
                Some(text) => text,
                None if site.after.is_some() => cfa.one_line(site.span),
                None => format!("never {}", cfa.one_line(edge.span)),
            },
        },
        None => cfa.one_line(site.span),
    }
}

/// Whether a value depends on variables only, and is defined whatever they are: it means the same wherever they have the same
/// values.
pub(crate) fn is_plain(cfa: &Cfa, value: ExprId) -> bool {
    needs(cfa, value).is_some_and(|needs| needs.is_empty())
}

/// A condition on a way to fail, in the names of the program that is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) condition: ExprId,
    pub(crate) truth: bool,
    /// That it can be evaluated, if that is not always so.
    pub(crate) defined: Option<ExprId>,
}

/// What an evaluation that goes wrong counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The assertion does not hold: for what is claimed, and wherever assertions are compared.
    Fails,
    /// Nothing is known: for facts, whose verdicts are about runs on which they can be evaluated.
    Nothing,
}

/// "Holds", as an expression: none of the ways is taken.
pub(crate) fn holds(editor: &mut Editor, ways: &[Vec<Step>], wrong: Wrong) -> ExprId {
    let int = editor.int();
    let mut all = editor.number(int, 1);
    for way in ways {
        let mut taken = editor.number(int, 1);
        for step in way {
            let mut literal = editor.truth(step.condition);
            if !step.truth {
                literal = not(editor, literal);
            }
            match (step.defined, wrong) {
                (Some(defined), Wrong::Fails) => {
                    let undefined = not(editor, defined);
                    let stuck = and(editor, taken, undefined);
                    let other = not(editor, stuck);
                    all = and(editor, all, other);
                }
                (Some(defined), Wrong::Nothing) => taken = and(editor, taken, defined),
                (None, _) => {}
            }
            taken = and(editor, taken, literal);
        }
        let other = not(editor, taken);
        all = and(editor, all, other);
    }
    all
}

fn and(editor: &mut Editor, a: ExprId, b: ExprId) -> ExprId {
    let int = editor.int();
    editor.expr(Expr::Binary(BinaryOp::LogicalAnd, a, b), int)
}

fn not(editor: &mut Editor, value: ExprId) -> ExprId {
    let int = editor.int();
    editor.expr(Expr::Unary(UnaryOp::Not, value), int)
}
