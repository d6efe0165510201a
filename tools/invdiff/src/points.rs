//! Points that versions have in common: how they are named, and where each is in a version.
//!
//! A wrong match makes a comparison odd, never a letter wrong: each is about its version alone.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of types and operations")]

use formats::witness::Place;
use program::cfa::{Cfa, EdgeId, LocationId, Operation};
use program::probe::ProbePlace;
use program::source::Span;
use transform::weave::{WeaveError, weave};

use crate::prepare::{Spot, Version, is_own};

/// A place that versions may have.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Exit(Option<String>),
    Entry(String),
    Loops(String),
    Label(String),
    Calls(String),
    Line(u32),
}

/// A point with where it is in each version that could be read.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) spots: Vec<Spot>,
}

fn parse(text: &str) -> Option<Name> {
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
    if text == "exit" {
        return Some(Name::Exit(None));
    }
    if let Some((first, second)) = text.split_once(':') {
        let (first, second) = (first.trim(), second.trim());
        return match (first, second) {
            ("label", name) if is_name(&name) => Some(Name::Label(name.to_owned())),
            ("calls", name) if is_name(&name) => Some(Name::Calls(name.to_owned())),
            (name, "entry") if is_name(&name) => Some(Name::Entry(name.to_owned())),
            (name, "exit") if is_name(&name) => Some(Name::Exit(Some(name.to_owned()))),
            (name, "loops") if is_name(&name) => Some(Name::Loops(name.to_owned())),
            _ => None,
        };
    }
    text.parse().ok().filter(|line| *line > 0).map(Name::Line)
}

/// Finds a point in versions. The error says what is wrong with its name.
pub(crate) fn find(text: &str, versions: &[Option<Version>]) -> Result<Vec<Point>, String> {
    // One of several, as tables name it.
    if let Some((several, number)) = text.rsplit_once(' ')
        && number.parse::<usize>().is_ok()
        && matches!(parse(several), Some(Name::Loops(_) | Name::Calls(_)))
    {
        let one: Vec<Point> = find(several, versions)?.into_iter().filter(|point| point.name == text).collect();
        return if one.is_empty() { Err(format!("no version has `{text}`")) } else { Ok(one) };
    }
    let what = "exit, FUNCTION:entry, FUNCTION:exit, FUNCTION:loops, label:NAME, calls:NAME, or a line";
    let name = parse(text).ok_or_else(|| format!("`{text}` is no point: write {what}"))?;
    let one = |spot: &dyn Fn(&Version) -> Spot| {
        let spots = versions.iter().map(|version| version.as_ref().map_or_else(unread, spot)).collect();
        vec![Point { name: text.to_owned(), spots }]
    };
    Ok(match name {
        Name::Exit(function) => one(&|version| exit(version, function.as_deref().unwrap_or(&version.cfa.options.entry))),
        Name::Entry(function) => one(&|_| Spot::At(vec![ProbePlace::Entry(function.clone())])),
        Name::Label(label) => one(&|_| Spot::At(vec![ProbePlace::Label(label.clone())])),
        Name::Loops(function) => numbered(text, "loop", versions, &|version| loops(version, &function)),
        Name::Calls(function) => numbered(text, "call", versions, &|version| calls(version, &function)),
        Name::Line(line) => vec![Point { name: text.to_owned(), spots: lines(line, versions)? }],
    })
}

fn unread() -> Spot {
    Spot::Missing("the version could not be read".to_owned())
}

/// Points that are told apart by their order in the text.
fn numbered(text: &str, what: &str, versions: &[Option<Version>], places: &dyn Fn(&Version) -> Vec<ProbePlace>) -> Vec<Point> {
    let all: Vec<Vec<ProbePlace>> = versions.iter().map(|version| version.as_ref().map_or_else(Vec::new, places)).collect();
    let most = all.iter().map(Vec::len).max().unwrap_or_default();
    let spot = |places: &Vec<ProbePlace>, number: usize| match places.get(number) {
        Some(place) => Spot::At(vec![place.clone()]),
        None => Spot::Missing(format!("there is no {what} {}", number + 1)),
    };
    let point = |number: usize| Point {
        name: format!("{text} {}", number + 1),
        spots: all.iter().map(|places| spot(places, number)).collect(),
    };
    (0..most).map(point).collect()
}

/// Before each `return` of a function; what is declared there can be named.
fn exit(version: &Version, name: &str) -> Spot {
    let cfa = &version.cfa;
    let own = cfa.function_ids().find(|id| *cfa.function(*id).name == *name);
    let Some(exit) = own.and_then(|id| cfa.function(id).exit) else {
        return Spot::At(vec![ProbePlace::Exit(name.to_owned())]);
    };
    let mut offsets = Vec::new();
    for edge in cfa.in_edges(exit).iter().map(|edge| cfa.edge(*edge)) {
        if !cfa.source.slice(edge.statement).starts_with(b"return") {
            return Spot::At(vec![ProbePlace::Exit(name.to_owned())]);
        }
        offsets.push(edge.statement.lo);
    }
    offsets.sort_unstable();
    offsets.dedup();
    // Texts that were put in front of the program move it.
    match offsets.iter().all(|offset| same_text(version, *offset)) {
        true if !offsets.is_empty() => Spot::At(offsets.into_iter().map(ProbePlace::Before).collect()),
        _ => Spot::At(vec![ProbePlace::Exit(name.to_owned())]),
    }
}

/// Whether an offset of the automaton is one of the text that was read.
fn same_text(version: &Version, offset: u32) -> bool {
    let end = offset as usize;
    let (read, lowered) = (version.source.text(), version.cfa.source.text());
    read.get(..end).is_some_and(|text| lowered.get(..end) == Some(text))
}

fn loops(version: &Version, function: &str) -> Vec<ProbePlace> {
    let places = evidence::witness::loop_places(&version.cfa).remove(function).unwrap_or_default();
    let point = |(keyword, place): (Span, Place)| match same_text(version, keyword.hi) {
        true => ProbePlace::LoopAt(keyword.lo),
        false => ProbePlace::Loop { line: place.line, column: place.column.unwrap_or_default() },
    };
    places.into_iter().map(point).collect()
}

fn calls(version: &Version, function: &str) -> Vec<ProbePlace> {
    let cfa = &version.cfa;
    let mut offsets: Vec<u32> = cfa
        .edges
        .iter()
        .filter(|edge| match edge.operation {
            Operation::Call { callee, .. } => *cfa.function(callee).name == *function,
            Operation::Havoc { input, .. } => *cfa.function(input).name == *function,
            _ => false,
        })
        .filter(|edge| !cfa.source.is_library(edge.statement))
        .map(|edge| edge.statement.lo)
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    offsets.into_iter().filter(|offset| same_text(version, *offset)).map(ProbePlace::Before).collect()
}

/// A line of the last version, and where the same code is in the others.
fn lines(line: u32, versions: &[Option<Version>]) -> Result<Vec<Spot>, String> {
    let nowhere = || format!("no statement begins on line {line} of the last version");
    let last = versions.iter().rposition(Option::is_some).ok_or_else(nowhere)?;
    let code =
        code(last, line, versions).map_err(|error| format!("line {line} cannot be found in the other versions: {error}"))?;
    let code = code.ok_or_else(nowhere)?;
    let spot = |(version, begins): (&Option<Version>, Option<u32>)| match (version, begins) {
        (None, _) => unread(),
        (Some(_), Some(offset)) => Spot::At(vec![ProbePlace::Before(offset)]),
        (Some(_), None) => Spot::Missing(format!("the code of line {line} is not there")),
    };
    Ok(versions.iter().zip(code).map(spot).collect())
}

/// Where the code that is on a line of one version begins in each; nothing if no statement begins there.
fn code(number: usize, line: u32, versions: &[Option<Version>]) -> Result<Option<Vec<Option<u32>>>, WeaveError> {
    let read: Vec<&Version> = versions.iter().flatten().collect();
    let own = versions[..number].iter().flatten().count();
    let cfas: Vec<&Cfa> = read.iter().map(|version| &version.cfa).collect();
    let weave = weave(&cfas)?;
    let cfa = cfas[own];
    let is_on = |edge: &EdgeId| {
        let statement = cfa.edge(*edge).statement;
        let found = cfa.source.location(statement.lo);
        statement != Span::default() && found.line == line && is_own(&cfa.source, found.file)
    };
    let begins = |edge: &EdgeId| (cfa.edge(*edge).statement.lo, *edge);
    let Some(first) = cfa.edge_ids().filter(is_on).min_by_key(begins) else { return Ok(None) };
    let at = weave.at[own][cfa.edge(first).source.index()];
    let offset = |number: usize| {
        let version = read[number];
        let here = (0..version.cfa.locations.len()).map(LocationId::new).find(|here| weave.at[number][here.index()] == at);
        let edges = here.map(|here| version.cfa.out_edges(here)).unwrap_or_default();
        let spans = edges.iter().map(|edge| version.cfa.edge(*edge).statement).filter(|span| *span != Span::default());
        spans.map(|span| span.lo).min().filter(|offset| same_text(version, *offset))
    };
    let mut found = (0..read.len()).map(offset);
    Ok(Some(versions.iter().map(|version| version.as_ref().and_then(|_| found.next().flatten())).collect()))
}

/// The name of the point on a line of one version: the line where the last version has its code.
pub(crate) fn named_line(number: usize, line: u32, versions: &[Option<Version>]) -> Option<String> {
    let last = versions.iter().rposition(Option::is_some)?;
    let offset = code(number, line, versions).ok()??[last]?;
    let source = &versions[last].as_ref()?.source;
    let place = source.location(offset);
    is_own(source, place.file).then(|| place.line.to_string())
}

/// The name of the point of a loop of one version.
pub(crate) fn named_loop(version: &Version, line: u32, column: Option<u32>) -> Option<String> {
    let is_here = |place: &Place| place.line == line && (column.is_none() || place.column.is_none() || place.column == column);
    evidence::witness::loop_places(&version.cfa).into_iter().find_map(|(function, places)| {
        let number = places.iter().position(|(_, place)| is_here(place))?;
        Some(format!("{function}:loops {}", number + 1))
    })
}

/// Places that versions have in common, to be named where one was not found.
pub(crate) fn common(versions: &[Option<Version>]) -> Vec<String> {
    let names = |version: &Version| -> Vec<String> {
        let cfa = &version.cfa;
        let own = cfa.function_ids().filter(|id| cfa.function(*id).entry.is_some());
        let own = own.filter(|id| !cfa.source.is_library(cfa.function(*id).span));
        own.map(|id| cfa.function(id).name.to_string()).collect()
    };
    let all: Vec<Vec<String>> = versions.iter().flatten().map(names).collect();
    let Some((first, others)) = all.split_first() else { return Vec::new() };
    let mut found: Vec<String> =
        first.iter().filter(|name| others.iter().any(|other| other.contains(name))).map(|name| format!("{name}:exit")).collect();
    found.truncate(6);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_names() {
        assert_eq!(parse("exit"), Some(Name::Exit(None)));
        assert_eq!(parse("f:exit"), Some(Name::Exit(Some("f".to_owned()))));
        assert_eq!(parse("label:P1"), Some(Name::Label("P1".to_owned())));
        assert_eq!(parse("12"), Some(Name::Line(12)));
        for wrong in ["", "0", "-1", "label:", "f:", ":exit", "f:middle", "label:a b", "f g:entry", "1.5", "exit:"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
