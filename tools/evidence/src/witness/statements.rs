//! Statements at whose beginning a witness can say something: the place in the text means one location of the program.
//!
//! Does not know what is said there.

use std::collections::BTreeSet;

use program::cfa::{Cfa, EdgeId, LocationId, Operation};
use program::source::Span;
use semantics::facts::Facts;
use semantics::own_text;

use super::place::around;

/// So many statements are looked for, and so many locations looked at.
const STATEMENTS: usize = 12;
const LOCATIONS: usize = 4_000;

/// The statement that begins at a location, if nothing stands before it on its line: what holds at the location holds whenever
/// that statement is reached, and only then.
///
/// Control comes from statements before it, or from the conditions of statements that it is a part of. A statement that is the
/// whole of what a condition decides is left out: another one, written before it, would take its place.
pub(super) fn statement(cfa: &Cfa, location: LocationId) -> Option<Span> {
    let next = cfa.edge(*cfa.out_edges(location).first()?).statement;
    let (on_line, _) = around(cfa, next);
    if next.is_empty() || !on_line.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let ends: Option<Vec<u32>> = cfa.in_edges(location).iter().map(|edge| end_before(cfa, *edge, next)).collect();
    let end = ends?.into_iter().max()?;
    let between = without_comments(cfa.source.slice(Span::new(end, next.lo)));
    let stands_alone = between.last().is_none_or(|byte| b";{}".contains(byte));
    stands_alone.then_some(Span::new(next.lo, next.lo + 1))
}

/// Where an edge ends that leads to where a statement begins: it belongs to one that is over, or is a condition of one around it.
fn end_before(cfa: &Cfa, edge: EdgeId, next: Span) -> Option<u32> {
    let edge = cfa.edge(edge);
    let is_over = edge.statement.hi <= next.lo;
    let is_condition = matches!(edge.operation, Operation::Assume { .. }) && !edge.span.is_empty() && edge.span.hi <= next.lo;
    let is_around = edge.statement.lo < next.lo && next.hi <= edge.statement.hi;
    if is_over { Some(edge.statement.hi) } else { (is_condition && is_around).then_some(edge.span.hi) }
}

/// Text between two places of a program, without blanks, comments and lines of the preprocessor.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut left = text;
    let mut code = Vec::new();
    while let [first, rest @ ..] = left {
        let end = match first {
            b'/' if rest.starts_with(b"*") => rest[1..].windows(2).position(|two| two == b"*/").map(|at| at + 4),
            b'/' if rest.starts_with(b"/") => left.iter().position(|byte| *byte == b'\n'),
            b'#' => left.iter().position(|byte| *byte == b'\n'),
            _ => Some(1),
        };
        if !first.is_ascii_whitespace() && end == Some(1) {
            code.push(*first);
        }
        left = &left[end.unwrap_or(left.len())..];
    }
    code
}

/// The statements from which errors are next: the last ones before them at which something can be said, a few.
///
/// A statement from which there is no other way than to an error is none of them: that it is not reached is all that could be
/// said of it. Statements of which that is known in another way are `lost`.
#[must_use]
pub fn statements_before_errors(cfa: &Cfa, lost: &BTreeSet<LocationId>) -> BTreeSet<LocationId> {
    let facts = Facts::new(cfa);
    let mut found = BTreeSet::new();
    let mut pending: Vec<LocationId> = cfa.location_ids().filter(|location| cfa.location(*location).is_error).collect();
    pending.reverse();
    let mut seen: BTreeSet<LocationId> = pending.iter().copied().collect();
    let mut lost: BTreeSet<LocationId> = seen.union(lost).copied().collect();
    while let Some(location) = pending.pop() {
        if found.len() >= STATEMENTS || seen.len() >= LOCATIONS {
            break;
        }
        let function = cfa.location(location).function;
        let out = cfa.out_edges(location);
        if !out.is_empty() && out.iter().all(|edge| lost.contains(&cfa.edge(*edge).target)) {
            lost.insert(location);
        }
        let is_library = out.iter().any(|edge| own_text::is_library(cfa, *edge));
        if !lost.contains(&location) && !is_library && !facts.calls().is_recursive(function) && statement(cfa, location).is_some()
        {
            found.insert(location);
            continue;
        }
        let is_entry = cfa.function(function).entry == Some(location);
        let calls = if is_entry { facts.calls().call_sites(function) } else { &[] };
        let before = calls.iter().chain(cfa.in_edges(location)).map(|edge| cfa.edge(*edge).source);
        pending.extend(before.filter(|at| seen.insert(*at)));
    }
    found
}
