//! Clauses as formulas: the ways to fail, each a list of conditions that hold or do not.

#![expect(clippy::wildcard_enum_match_arm, reason = "one form of expressions is a text")]

use std::collections::{BTreeMap, BTreeSet};

use formats::Property;
use program::cfa::{Cfa, EdgeId, LocationId, Operation, VarKind};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::known::is_error_function;
use transform::Editor;
use transform::assertions::{Clause, Site, Style};

use crate::defined::needs;

/// Ways to fail that are listed at most.
const MOST_WAYS: usize = 64;
/// Ways to fail that are told at most.
const MOST_SAID: usize = 4;

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

/// The text of a clause, for people: all that has to hold, not only the condition that is evaluated last.
pub(crate) fn text(cfa: &Cfa, site: &Site, clause: &Clause) -> String {
    let Some(fails) = clause.fails.first() else { return cfa.one_line(site.span) };
    if cfa.edge(*fails).operation.branch().is_none() {
        // The run ends there, or goes on behind a condition that is no clause of its own.
        return match asserted(cfa, site).filter(|_| site.after.is_some()) {
            Some(text) => text,
            None if site.after.is_some() => cfa.one_line(site.span),
            None => format!("never {}", cfa.one_line(cfa.edge(*fails).span)),
        };
    }
    let ways = own_ways(cfa, site, *fails);
    if site.clauses.len() == 1 && ways.as_ref().is_none_or(|ways| ways.iter().any(|way| way.len() > 1)) {
        // What the macro was given is what people have written.
        let whole = site_text(cfa, site);
        let given = whole.trim_end_matches(';').trim_end().strip_prefix("assert(").and_then(|text| text.strip_suffix(')'));
        if let Some(given) = given {
            return given.trim().to_owned();
        }
    }
    match ways {
        Some(ways) if ways.len() <= MOST_SAID => said(cfa, &ways),
        Some(_) | None => site_text(cfa, site),
    }
}

/// That none of some ways to fail is taken.
fn said(cfa: &Cfa, ways: &[Vec<EdgeId>]) -> String {
    let otherwise = |edge: &EdgeId, alone: bool| {
        let text = cfa.one_line(cfa.edge(*edge).span);
        match cfa.edge(*edge).operation.branch() {
            Some(true) => format!("!({text})"),
            _ if alone || binds(&text) => text,
            _ => format!("({text})"),
        }
    };
    let disjunction = |way: &Vec<EdgeId>| {
        let parts: Vec<String> = way.iter().map(|edge| otherwise(edge, way.len() == 1)).collect();
        if ways.len() > 1 && parts.len() > 1 { format!("({})", parts.join(" || ")) } else { parts.join(" || ") }
    };
    ways.iter().map(disjunction).collect::<Vec<_>>().join(" && ")
}

/// Whether a text can be an operand of `||` as it is: outside of its parentheses nothing binds less.
fn binds(text: &str) -> bool {
    let (bytes, mut depth) = (text.as_bytes(), 0i32);
    for (at, byte) in bytes.iter().enumerate() {
        let (before, after) = (at.checked_sub(1).map_or(b' ', |at| bytes[at]), bytes.get(at + 1).copied().unwrap_or(b' '));
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b'?' | b',' if depth == 0 => return false,
            b'=' if depth == 0 && after != b'=' && !matches!(before, b'=' | b'!' | b'<' | b'>') => return false,
            b'<' | b'>' if depth == 0 && before == *byte && after == b'=' => return false,
            _ => {}
        }
    }
    true
}

/// The ways to fail by an edge from where its conjunct begins: what has to hold before is what other clauses say.
fn own_ways(cfa: &Cfa, site: &Site, fails: EdgeId) -> Option<Vec<Vec<EdgeId>>> {
    let last = cfa.edge(fails).source;
    let order = evaluated(cfa, site);
    let position: BTreeMap<LocationId, usize> = order.iter().enumerate().map(|(at, location)| (*location, at)).collect();
    let end = *position.get(&last)?;
    // A conjunct begins where all ways meet that have not failed: none passes it by.
    let (mut begin, mut reach) = (site.at, 0);
    for (at, location) in order[..=end].iter().enumerate() {
        if reach <= at {
            begin = *location;
        }
        let targets = passing(cfa, site, *location).map(|edge| position.get(&cfa.edge(edge).target).copied());
        reach = targets.map(|target| target.unwrap_or(order.len())).fold(reach, usize::max);
    }
    let (mut found, mut pending) = (Vec::new(), vec![(begin, Vec::new())]);
    while let Some((at, way)) = pending.pop() {
        let longer = |edge: EdgeId| [way.as_slice(), &[edge]].concat();
        if at == last {
            found.push(longer(fails));
            continue;
        }
        let next = passing(cfa, site, at).filter(|edge| position.get(&cfa.edge(*edge).target).is_some_and(|to| *to <= end));
        pending.extend(next.map(|edge| (cfa.edge(edge).target, longer(edge))));
        if found.len() + pending.len() > MOST_WAYS || way.len() > order.len() {
            return None;
        }
    }
    found.sort_unstable();
    Some(found)
}

/// The edges of a condition by which an assertion does not fail.
fn passing<'a>(cfa: &'a Cfa, site: &'a Site, at: LocationId) -> impl Iterator<Item = EdgeId> + 'a {
    let fails = |edge: &EdgeId| site.clauses.iter().any(|clause| clause.fails.contains(edge));
    cfa.out_edges(at).iter().copied().filter(move |edge| !fails(edge))
}

/// The conditions of an assertion, each behind those from which it is reached.
fn evaluated(cfa: &Cfa, site: &Site) -> Vec<LocationId> {
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    let mut pending = vec![(site.at, false)];
    while let Some((at, is_done)) = pending.pop() {
        if is_done {
            order.push(at);
        } else if site.conditions.contains(&at) && seen.insert(at) {
            pending.push((at, true));
            pending.extend(passing(cfa, site, at).map(|edge| (cfa.edge(edge).target, false)));
        }
    }
    order.reverse();
    order
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

#[cfg(test)]
mod tests {
    use super::*;
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use transform::assertions::sites;

    /// The texts of the clauses of the only assertion of a program.
    fn texts(statement: &str) -> Vec<String> {
        let text =
            format!("void assert(int);\nvoid reach_error(void);\nint f(int a, int b, int c) {{ {statement} return 0; }}\n");
        let property = if statement.contains("reach_error") { Property::UnreachCall } else { Property::Assert };
        let options = ProgramOptions { entry: "f".to_owned(), property, ..ProgramOptions::default() };
        let cfa = program::load_source(SourceFile::new("p.c", text), &options).unwrap();
        let sites = sites(&cfa);
        let [site] = sites.as_slice() else { panic!("{statement}: {} sites", sites.len()) };
        site.clauses.iter().map(|clause| super::text(&cfa, site, clause)).collect()
    }

    #[test]
    fn a_clause_is_told_as_a_whole() {
        for (statement, expected) in [
            ("assert(a < 5);", &["a < 5"][..]),
            ("assert(a < 5 || a >= 5);", &["a < 5 || a >= 5"]),
            ("assert(!(a > 1 || b > 1 || c > 1) || a == 4);", &["!(a > 1 || b > 1 || c > 1) || a == 4"]),
            ("assert(a && b > 1);", &["a", "b > 1"]),
            ("assert(a > 1 && (b > 1 || c > 1));", &["a > 1", "b > 1 || c > 1"]),
            ("assert((a > 1 || b > 1) && (b > 2 || c > 2) && c);", &["a > 1 || b > 1", "b > 2 || c > 2", "c"]),
            ("if (a > 9) reach_error();", &["!(a > 9)"]),
            ("if (!(a > 9 || b > 9)) reach_error();", &["a > 9 || b > 9"]),
            ("if (a > 9 && b > 9) reach_error();", &["!(a > 9) || !(b > 9)"]),
        ] {
            assert_eq!(texts(statement), expected, "{statement}");
        }
    }

    #[test]
    fn operands_that_bind_less_are_in_parentheses() {
        for text in ["a = b", "a ? b : c", "a, b", "a <<= 1"] {
            assert!(!binds(text), "{text}");
        }
        for text in ["a <= b", "f(a, b)", "a == b && c != d", "a << 1", "x[i = 1]"] {
            assert!(binds(text), "{text}");
        }
    }
}
