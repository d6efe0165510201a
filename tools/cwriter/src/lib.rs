//! A program as C text: functions stay functions, natural loops become loops, the rest is joined by `goto`.
//!
//! * `graph` says what is written: functions as graphs of places, with what is cut; [`whole`] is all of a program;
//! * `merge` makes these smaller without changing what they do, `block` makes basic blocks of them, `shape` and `arrange`
//!   say where each goes in the text, `emit` and `text` write it.
//!
//! The text is sealed and has the runs of the graphs; `#line` leads every statement back to the source.
//! Does not know conditions, nor why anything is cut.

mod arrange;
mod block;
mod emit;
mod graph;
mod merge;
mod shape;
mod text;

use formats::SourceSpan;
use program::cfa::Cfa;
use program::print::PrintError;

pub use emit::cut_edges;
pub use graph::{FunctionIndex, Node, ResidualFunction, Target, whole};
pub use merge::smaller;

/// How control flow is written.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Branches and loops, `goto` for the rest.
    #[default]
    Structured,
    /// Labels and `goto` only.
    Goto,
}

/// A text.
#[derive(Clone, Debug)]
pub struct Written {
    /// The C text, sealed.
    pub text: String,
    /// Where its lines come from in the source, ascending.
    pub map: Vec<SourceSpan>,
}

/// Writes functions of a program, the first of which is that of the entry. Blocks nest as deep as is said at most;
/// `header` are lines for the first comment.
///
/// # Errors
/// [`PrintError`] if a type, initial value or operation cannot be written as C.
pub fn write(
    cfa: &Cfa,
    functions: &[ResidualFunction],
    (style, max_nesting): (Style, u32),
    header: &[String],
) -> Result<Written, PrintError> {
    emit::Emitter::new(cfa, functions, style, max_nesting).emit(header)
}
