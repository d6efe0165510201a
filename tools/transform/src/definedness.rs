//! Operations that must be defined: the guards of the front end with other consequences.
//!
//! The front end puts a guard before each operation that may violate a property of operations ([`Property`], one at a
//! time: division by zero, shifts, signed overflow, accesses). What is made here is nothing but another end of the runs
//! that a guard catches: they are excluded, or a goal, or noted in a variable.
//!
//! Whether a local was written before it is read has no guard.

use formats::{ProgramOptions, Property};
use program::cfa::{Cfa, FunctionId, LocationId, Operation, VarId};
use program::diagnostic::Diagnostic;
use program::source::SourceFile;
use program::types::QualType;

use crate::Recast;
use crate::assertions::{Site, Style, sites};
use crate::editor::Editor;

/// What becomes of runs that are not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sink {
    /// They end, and count as none.
    Excluded,
    /// They reach the error location of their function.
    Goal,
    /// They go on, and a variable is 1 from then on.
    Flag,
}

/// A program with guards.
#[derive(Debug)]
pub struct Guarded {
    /// The program.
    pub recast: Recast,
    /// The error locations.
    pub goals: Vec<LocationId>,
    /// What notes undefined operations, if anything does.
    pub flag: Option<VarId>,
}

/// Reads a program with guards of a property of operations. Its error function is none there.
///
/// # Errors
/// As [`program::load_source`].
pub fn load(source: SourceFile, options: &ProgramOptions, property: Property) -> Result<Cfa, Diagnostic> {
    program::load_source(source, &ProgramOptions { property, ..options.clone() })
}

/// Gives the guards of a program that was read with [`load`] other ends, by the function they are in.
#[must_use]
pub fn checks(cfa: &Cfa, sink: &dyn Fn(FunctionId) -> Sink) -> Guarded {
    let mut editor = Editor::new(cfa);
    let guards: Vec<Site> = sites(cfa);
    let function_of = |site: &Site| cfa.location(site.at).function;
    let is_flagged = |site: &Site| sink(function_of(site)) == Sink::Flag;
    let int = editor.int();
    let flag = guards.iter().any(is_flagged).then(|| editor.ghost("undefined", QualType::plain(int)));
    let mut goals: Vec<LocationId> = Vec::new();
    for site in &guards {
        let edge = editor.edge(site.error).clone();
        let at = (edge.span, edge.statement);
        match (sink(function_of(site)), flag, site.after) {
            (Sink::Goal, _, _) => {
                if !goals.contains(&edge.target) {
                    goals.push(edge.target);
                }
            }
            // What is behind a guard that stands alone is unknown.
            (Sink::Flag, Some(flag), Some(after)) if matches!(site.style, Style::Guard(_)) => {
                let noted = editor.location_beside(edge.source);
                editor.parts.edges[site.error.index()].operation = Operation::Blank;
                editor.lead(site.error, noted);
                let (place, value) = (editor.place(flag), editor.number(int, 1));
                editor.add(noted, after, Operation::Assign { place, value }, at);
            }
            (Sink::Excluded | Sink::Flag, _, _) => {
                let end = editor.location_beside(edge.source);
                editor.parts.edges[site.error.index()].operation = Operation::Blank;
                editor.lead(site.error, end);
            }
        }
    }
    for (index, location) in editor.parts.locations.iter_mut().enumerate() {
        location.is_error &= goals.contains(&LocationId::new(index));
    }
    Guarded { recast: editor.finish(), goals, flag }
}
