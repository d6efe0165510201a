//! A counterexample as text: one line per statement, with the values behind it.
//!
//! Says what the replayed run did, nothing else. Does not know how the run was found.

use std::fmt::Write;

use program::cfa::{Cfa, EdgeId};
use semantics::interpreter::{Limits, Run, origin_constant, origin_name};
use semantics::steps::{self, RunStep};

/// Bounds of the repeated run: it ended before, so they only keep a mistake from running for ever.
const LIMITS: Limits = Limits { steps: 50_000_000, memory: 1 << 30, skips_library: false };
/// Columns that places take at most before texts move.
const WIDEST_PLACE: usize = 40;

/// The text of a run to the error; empty if it cannot be repeated.
#[must_use]
pub fn text(cfa: &Cfa, run: &Run) -> String {
    let Some(found) = steps::of_run(cfa, run, LIMITS) else { return String::new() };
    let mut out = String::from("counterexample:\n");
    for read in &run.reads {
        let origin = read.request.origin;
        out_line(&mut out, format_args!("  input {} = {}", origin_name(cfa, origin), origin_constant(cfa, origin, read.value)));
    }
    let places: Vec<String> = found.steps.iter().map(|step| place(cfa, first(step))).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0).min(WIDEST_PLACE);
    for (number, (step, place)) in found.steps.iter().zip(&places).enumerate() {
        if number == found.resumes_at && found.omitted > 0 {
            out_line(&mut out, format_args!("  {:width$}  ... {} statements are left out", "", found.omitted));
        }
        let values: Vec<String> = step.values.iter().map(|value| format!("{} = {}", value.name, value.value)).collect();
        let values = if values.is_empty() { String::new() } else { format!("   // {}", values.join(", ")) };
        let indent = 2 * step.depth;
        out_line(&mut out, format_args!("  {place:width$}  {:indent$}{}{values}", "", step.text(cfa)));
    }
    if let Some(violation) = found.violation {
        out_line(&mut out, format_args!("  {:width$}  violates the property", place(cfa, violation)));
    }
    out
}

fn out_line(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing into a string does not fail.
    let _ = writeln!(out, "{line}");
}

fn first(step: &RunStep) -> EdgeId {
    step.edges.first().copied().unwrap_or(EdgeId(0))
}

fn place(cfa: &Cfa, edge: EdgeId) -> String {
    let place = cfa.source.location(cfa.edge(edge).span.lo);
    format!("{}:{}", place.file, place.line)
}
