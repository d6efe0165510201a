//! Pieces of program text as explanations quote them.

use formats::dense;
use formats::explanation::{Place, ProgramSide};
use program::cfa::{Cfa, EdgeId, FunctionId, VarId};
use program::source::{SourceFile, Span};

use super::Side;

/// Lines quoted of one place at most.
const LINES: u32 = 4;
/// Characters quoted of one line at most.
const LONGEST_LINE: usize = 400;

impl From<Side> for ProgramSide {
    fn from(side: Side) -> Self {
        match side {
            Side::Original => Self::Original,
            Side::Modified => Self::Modified,
        }
    }
}

/// The text of an edge.
#[must_use]
pub fn edge_place(side: Side, program: &Cfa, edge: EdgeId) -> Place {
    let function = program.location(program.edge(edge).source).function;
    place(side, program, program.shown_span(edge), Some(function), Some(edge))
}

/// The statement around an edge.
#[must_use]
pub fn statement_place(side: Side, program: &Cfa, edge: EdgeId) -> Place {
    let function = program.location(program.edge(edge).source).function;
    place(side, program, program.edge(edge).statement, Some(function), Some(edge))
}

/// The declarator of a variable.
#[must_use]
pub fn variable_place(side: Side, program: &Cfa, variable: VarId) -> Place {
    let variable = program.variable(variable);
    place(side, program, variable.span, variable.function, None)
}

/// The name of a function where it is defined or declared.
#[must_use]
pub fn function_place(side: Side, program: &Cfa, function: FunctionId) -> Place {
    place(side, program, program.function(function).span, None, None)
}

fn place(side: Side, program: &Cfa, span: Span, function: Option<FunctionId>, edge: Option<EdgeId>) -> Place {
    let source = &program.source;
    let (start, end) = (source.location(span.lo), source.location(span.hi));
    let (first, last) = (source.position(span.lo).line, source.position(span.hi).line);
    let line = |number: u32| {
        let text = source.line(number).map(|line| source.snippet(line).into_owned()).unwrap_or_default();
        text.chars().take(LONGEST_LINE).collect::<String>()
    };
    let place = Place {
        program: side.into(),
        file: start.file.to_owned(),
        function: function.map(|f| program.function(f).name.to_string()),
        edge: edge.map(|e| e.0),
        line: start.line,
        column: start.column,
        // A line marker in the middle makes no sense of the distance.
        end_line: if end.line >= start.line { end.line } else { start.line },
        end_column: end.column,
        physical_line: first,
        start_offset: span.lo,
        end_offset: span.hi,
        text: program.one_line(span),
        lines: (first..=last.clamp(first, first + LINES - 1)).map(line).collect(),
    };
    as_written(source, place)
}

/// The place as people wrote it, where macros have changed the line: an assertion, not what it expands to.
///
/// Its columns go by what stands before and behind it in both lines, and where that differs, by all of the line.
fn as_written(source: &SourceFile, mut place: Place) -> Place {
    let last = place.end_line.clamp(place.line, place.line + LINES - 1);
    let written = (place.line..=last).map(|line| Some(source.written_line(&place.file, line)?.into_owned()));
    let Some(written) = written.collect::<Option<Vec<String>>>() else { return place };
    let (Some(first), Some(end), Some(expanded), Some(expanded_end)) =
        (written.first(), written.last(), place.lines.first(), place.lines.last())
    else {
        return place;
    };
    if first.trim().is_empty() || written.iter().map(|line| line.trim_end()).eq(place.lines.iter().map(|line| line.trim_end())) {
        return place;
    }
    let (begins, ends) = ((place.column as usize).saturating_sub(1), (place.end_column as usize).saturating_sub(1));
    let before = common(first.bytes(), expanded.bytes());
    let behind = common(end.trim_end().bytes().rev(), expanded_end.trim_end().bytes().rev());
    let rest = expanded_end.trim_end().len().saturating_sub(ends);
    let start = if begins <= before { begins } else { first.len() - first.trim_start().len() };
    let stop = match (written.len(), place.lines.len()) {
        // The macro is further right.
        (1, 1) if ends <= before => ends,
        _ if rest <= behind => end.trim_end().len() - rest,
        _ => end.trim_end().len(),
    };
    let start = start_of(first, start);
    let stop = start_of(end, stop.max(if written.len() == 1 { start } else { 0 }));
    let count = written.len();
    let pieces = written.iter().enumerate().map(|(number, line)| {
        let hi = if number + 1 == count { stop } else { line.len() };
        line.get(if number == 0 { start } else { 0 }..hi).unwrap_or(line)
    });
    place.text = pieces.flat_map(str::split_whitespace).collect::<Vec<&str>>().join(" ");
    (place.column, place.end_line, place.end_column) = (dense(start) + 1, last, dense(stop) + 1);
    place.lines = written.iter().map(|line| line.chars().take(LONGEST_LINE).collect()).collect();
    place
}

/// How many bytes two texts have in common.
fn common(one: impl Iterator<Item = u8>, other: impl Iterator<Item = u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// The nearest place at or before `at` where a character begins.
fn start_of(line: &str, at: usize) -> usize {
    (0..=at.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0)
}
