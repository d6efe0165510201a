//! From the lines of a residual program to those of the modified program.
//!
//! Does not know how either was made.

use formats::VerdictReport;
use formats::residual_map::{ResidualMap, SourceSpan};

/// Replaces the lines in what a verifier said about a residual program by those of the modified program (as it is after
/// preprocessing); what stands for no line of it gets line 0.
pub(crate) fn to_modified(report: &mut VerdictReport, map: &ResidualMap) {
    let span = |line: u32| map.spans_of(line).first().copied();
    for invariant in &mut report.invariants {
        (invariant.line, invariant.column) = start(span(invariant.line));
    }
    let Some(counterexample) = &mut report.counterexample else { return };
    for input in &mut counterexample.inputs {
        input.line = start(span(input.line)).0;
    }
    let key = &mut counterexample.violation.key;
    let found = span(key.line);
    (key.line, key.column) = start(found);
    (key.end_line, key.end_column) = found.map_or((0, 0), |span| (span.end_line, span.end_column));
}

fn start(span: Option<SourceSpan>) -> (u32, u32) {
    span.map_or((0, 0), |span| (span.line, span.column))
}
