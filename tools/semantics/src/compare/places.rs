//! Pieces of program text as explanations quote them.

use formats::explanation::{LINES, LONGEST_LINE, Place, ProgramSide};
use program::cfa::{Cfa, EdgeId, FunctionId, VarId};
use program::source::Span;

use super::Side;

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
    place.as_written(|file, line| source.written_line(file, line))
}
