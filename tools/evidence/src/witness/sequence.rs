//! The path of a run as waypoints: the results of its inputs, its branches, and the violation.
//!
//! Every waypoint is passed by the run; which waypoints there are depends on what can be located in the text: a branch
//! counts if one edge decides a whole `if` or `while`, so conditions with `&&` and `||` are left to the inputs. Of a
//! preprocessed program only lines are known, and only waypoints that a line tells are given.

use formats::witness::Place;
use formats::witness::yaml::{ViolationSequence, Waypoint, WaypointKind};
use formats::{Producer, ProgramFile, witness::Metadata};
use program::cfa::{Cfa, EdgeId, Operation};
use program::source::Span;
use semantics::interpreter::{Origin, Run};
use semantics::own_text;

use super::place::{around, branching_keyword, place};
use super::{is_told, result_value};

/// The waypoints of a run.
#[must_use]
pub fn sequence(cfa: &Cfa, program: &ProgramFile, producer: &Producer, run: &Run) -> ViolationSequence {
    let mut waypoints = Vec::new();
    let mut reads = run.reads.iter().peekable();
    let end = own_text::end(cfa, run);
    let before_the_end = end.map_or(0, |end| end.step);
    for (step, &edge) in run.trace.iter().enumerate().take(before_the_end) {
        let mut value = None;
        while let Some(read) = reads.next_if(|read| read.request.step <= step) {
            if let (Origin::Input(function), true) = (read.request.origin, read.request.step == step) {
                value = result_value(cfa, function, read.value);
            }
        }
        waypoints.extend(waypoint(cfa, edge, value));
    }
    if let Some(end) = end {
        waypoints.push(Waypoint { kind: WaypointKind::Target, place: at(cfa, end.edge, cfa.edge(end.edge).span) });
    }
    ViolationSequence { metadata: Metadata::new(producer, program, &cfa.options), waypoints }
}

fn waypoint(cfa: &Cfa, id: EdgeId, value: Option<String>) -> Option<Waypoint> {
    if !is_told(cfa, id) {
        return None;
    }
    let edge = cfa.edge(id);
    let has_columns = !cfa.source.is_preprocessed();
    let (kind, span) = match (&edge.operation, value) {
        (Operation::Assume { .. }, _) if !has_columns => return None,
        (Operation::Assume { truth, .. }, _) => (WaypointKind::Branching(*truth), branching_keyword(cfa, edge)?),
        (_, Some(value)) => {
            let parenthesis = Span::new(edge.span.hi.saturating_sub(1), edge.span.hi);
            let (before, behind) = around(cfa, parenthesis);
            let calls = before.iter().chain(behind).filter(|&&byte| byte == b'(').count();
            if cfa.source.slice(parenthesis) != b")" || (!has_columns && calls != 1) {
                return None;
            }
            (WaypointKind::FunctionReturn(value), parenthesis)
        }
        (_, None) => return None,
    };
    let place = at(cfa, id, span);
    // A file that the witness does not name cannot be referred to.
    place.file.is_none().then_some(Waypoint { kind, place })
}

fn at(cfa: &Cfa, edge: EdgeId, span: Span) -> Place {
    let function = cfa.function(cfa.location(cfa.edge(edge).source).function).name.to_string();
    Place { function: Some(function), end_line: None, start_offset: None, end_offset: None, ..place(cfa, span) }
}
