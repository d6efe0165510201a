//! Assertions as pieces of the program's text: taken out, replaced, put elsewhere.
//!
//! The text is the preprocessed one, so that what people see as a macro is what the compiler sees, and lines are kept by its
//! markers. An assertion can be handled if it is a statement of its own and evaluating it has no effect besides.

#![expect(clippy::wildcard_enum_match_arm, reason = "a few operations are conditions")]

use evidence::harness::text::{Patch, apply};
use formats::ProgramOptions;
use program::cfa::{Cfa, Operation};
use program::load_source;
use program::source::{SourceFile, Span};
use transform::assertions::{Site, Style};

use crate::Loaded;

/// The statement that an assertion is.
pub(crate) fn statement(cfa: &Cfa, site: &Site) -> Option<Span> {
    let edge = cfa.edge(site.call.unwrap_or(site.error));
    let span = match site.style {
        Style::Wrapper | Style::Bare => edge.statement,
        Style::Assert | Style::Branch => site.span,
        // An operation is code.
        Style::Guard(_) => return None,
    };
    // Of several files there is no one text.
    if cfa.source.is_library(span) || cfa.source.units().iter().filter(|unit| !cfa.source.is_library(unit.span)).count() > 1 {
        return None;
    }
    let is_call = matches!(site.style, Style::Wrapper | Style::Bare);
    let whole = trimmed(&cfa.source.snippet(span)) == trimmed(&cfa.source.snippet(edge.span));
    ((!is_call || whole) && !has_effect(cfa, site, span)).then_some(span)
}

/// A statement without what ends it.
fn trimmed(text: &str) -> String {
    text.trim().trim_end_matches(';').trim_end().to_owned()
}

/// Whether anything but conditions and the failing part comes from a statement.
fn has_effect(cfa: &Cfa, site: &Site, span: Span) -> bool {
    cfa.edge_ids().any(|id| {
        let edge = cfa.edge(id);
        let is_part = id == site.error || Some(id) == site.call;
        let is_condition = match &edge.operation {
            Operation::Assume { .. } | Operation::Blank => true,
            Operation::Call { callee, .. } => cfa.location(edge.target).is_error || cfa.function(*callee).known.is_some(),
            _ => false,
        };
        !is_part && !is_condition && span.contains(edge.span) && !edge.span.is_empty()
    })
}

/// The text of an assertion as a statement, whatever stands around it.
pub(crate) fn as_statement(cfa: &Cfa, span: Span) -> Option<String> {
    let text = one_line(&cfa.source.snippet(span))?;
    let ended = if text.ends_with([';', '}']) { text } else { format!("{text};") };
    Some(format!("{{ {ended} }}"))
}

/// A piece of the text on one line, without markers of the preprocessor. `None` if a comment would swallow what follows.
pub(crate) fn one_line(text: &str) -> Option<String> {
    if text.contains("//") {
        return None;
    }
    let joined = text.replace("\\\n", "");
    let lines = joined.lines().filter(|line| !line.trim_start().starts_with('#'));
    Some(lines.collect::<Vec<_>>().join(" ").trim().to_owned())
}

/// What stands for a statement in place of another; an expression statement keeps what ends it.
pub(crate) fn in_place(cfa: &Cfa, span: Span, statement: &str) -> Patch {
    let ends_itself = cfa.source.snippet(span).trim_end().ends_with([';', '}']);
    // `({ ... })` is an expression to which the `;` behind it belongs.
    let text = if ends_itself { statement.to_owned() } else { format!("({statement})") };
    Patch { span, text }
}

/// A program with pieces of its text replaced; the places in the new text of the replacements.
pub(crate) struct Patched {
    pub(crate) text: String,
    pub(crate) places: Vec<Span>,
}

/// Replaces pieces of a program's own text.
pub(crate) fn patched(cfa: &Cfa, mut patches: Vec<Patch>) -> Patched {
    patches.sort_by_key(|patch| (patch.span.lo, patch.span.hi));
    let mut places = Vec::new();
    let mut shift: i64 = 0;
    for patch in &patches {
        let ends = cfa.source.slice(patch.span).iter().filter(|byte| **byte == b'\n').count() as i64;
        let length = patch.text.len() as i64;
        let lo = i64::from(patch.span.lo) + shift;
        let offset = |at: i64| u32::try_from(at).unwrap_or(u32::MAX);
        places.push(Span::new(offset(lo), offset(lo + length)));
        shift += length + ends - i64::from(patch.span.len());
    }
    Patched { text: apply(cfa.source.own_text(), patches), places }
}

/// Reads a text as the program of which it was made.
pub(crate) fn read(of: &Loaded, text: &str, options: &ProgramOptions) -> Option<Loaded> {
    let path = of.cfa.source.path();
    let source = if of.cfa.source.is_preprocessed() {
        SourceFile::preprocessed(path, text.as_bytes(), text.as_bytes().to_vec())
    } else {
        SourceFile::new(path, text)
    };
    let cfa = load_source(source, options).ok()?;
    Some(Loaded::new(cfa, std::path::Path::new(&of.name)))
}
