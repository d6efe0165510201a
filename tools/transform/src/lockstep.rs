//! Whether two programs are the same but for their places, and which location is which.

use program::cfa::{Cfa, LocationId, Operation};
use semantics::compare::Comparison;

/// For each location of the modified program the one of the original it is, where control can come to it; `None` if the
/// programs differ in an operation, a function, or the value a variable starts with.
///
/// Sound: programs with such a map have the same runs. It is not complete: programs may be the same in other ways.
#[must_use]
pub fn lockstep(comparison: &Comparison<'_>) -> Option<Vec<Option<LocationId>>> {
    let (original, modified) = (comparison.original, comparison.modified);
    // What only assertions mention counts as well: nothing here knows whether that is so.
    if !comparison.initially_different().is_empty()
        || !comparison.differing_globals().is_empty()
        || comparison.correspondence().strict_function(modified.entry) != Some(original.entry)
    {
        return None;
    }
    let mut map: Vec<Option<LocationId>> = vec![None; modified.locations.len()];
    let mut back: Vec<Option<LocationId>> = vec![None; original.locations.len()];
    let mut entered = vec![false; modified.functions.len()];
    let mut pending = vec![(modified.entry_location(), original.entry_location())];
    let mut functions = vec![modified.entry];
    loop {
        let Some((mine, theirs)) = pending.pop() else {
            let Some(function) = functions.pop() else { return Some(map) };
            if std::mem::replace(&mut entered[function.index()], true) {
                continue;
            }
            let other = comparison.correspondence().strict_function(function)?;
            if let (Some(mine), Some(theirs)) = (modified.function(function).entry, original.function(other).entry) {
                pending.push((mine, theirs));
            }
            continue;
        };
        // An assertion that one program has not is an edge there that does nothing, at a place that the other has not.
        let (mine, theirs) = match (blank(modified, mine), blank(original, theirs)) {
            (Some(next), None) => (next, theirs),
            (None, Some(next)) => (mine, next),
            (Some(_), Some(_)) | (None, None) => (mine, theirs),
        };
        match (map[mine.index()], back[theirs.index()]) {
            (None, None) => {}
            (Some(known), Some(own)) if known == theirs && own == mine => continue,
            _ => return None,
        }
        (map[mine.index()], back[theirs.index()]) = (Some(theirs), Some(mine));
        let (edges, others) = (modified.out_edges(mine), original.out_edges(theirs));
        if edges.len() != others.len() || modified.location(mine).is_error != original.location(theirs).is_error {
            return None;
        }
        for (edge, other) in edges.iter().zip(others) {
            let same_obstacle = matches!(
                (&modified.edge(*edge).operation, &original.edge(*other).operation),
                (Operation::Unsupported { construct: a }, Operation::Unsupported { construct: b }) if a == b
            );
            if !same_obstacle && !comparison.identical(*edge, *other) {
                return None;
            }
            functions.extend(modified.entered_callee(*edge));
            pending.push((modified.edge(*edge).target, original.edge(*other).target));
        }
    }
}

/// Where control goes from a location if the only edge there does nothing.
fn blank(cfa: &Cfa, location: LocationId) -> Option<LocationId> {
    match cfa.out_edges(location) {
        [only] if matches!(cfa.edge(*only).operation, Operation::Blank) => Some(cfa.edge(*only).target),
        _ => None,
    }
}
