//! Explanations for people: each finding with the change behind it, and the lines between them in the order of the story.
//!
//! Everything shown is in the explanation; no program is read again.

use crate::colours::shows_colours;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use formats::explanation::{Cause, Change, ChangeKind, Finding, Link, LinkKind, Object, Place, ProgramSide};
use formats::{Explanation, shown};
use indexmap::IndexMap;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Links of one chain that are shown at most; of longer ones, the middle is left out.
const SHOWN: usize = 10;

/// Bytes of a path that are shown at least in part.
const LONGEST_PATH: usize = 70;

/// How a text may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Characters only.
    Plain,
    /// With colours for a terminal.
    Coloured,
}

impl Look {
    /// What stdout shows.
    #[must_use]
    pub fn of_stdout() -> Self {
        if shows_colours(&std::io::stdout()) { Self::Coloured } else { Self::Plain }
    }
}

/// An explanation as text: a paragraph per finding, or a line that says that there is none.
#[must_use]
pub fn explanation_text(explanation: &Explanation, look: Look) -> String {
    let explanation = &escaped(explanation);
    let renderer = match look {
        Look::Plain => Renderer::plain(),
        Look::Coloured => Renderer::styled(),
    };
    // Places with the same message and the same story are told together.
    let mut together: IndexMap<(&str, String), Vec<&Finding>> = IndexMap::new();
    for (number, finding) in explanation.findings.iter().enumerate() {
        let alone = || format!("{number}");
        let story = || renderer.render(&causes(explanation, finding, &mut Told::default()));
        let story = if finding.causes.is_empty() { alone() } else { story() };
        together.entry((&finding.message, story)).or_default().push(finding);
    }
    let mut told = Told::default();
    let paragraphs = together.values().map(|findings| renderer.render(&groups(explanation, findings, &mut told)));
    let mut paragraphs: Vec<String> = paragraphs.collect();
    if paragraphs.is_empty() {
        paragraphs
            .push("nothing has to be checked again: no path of the modified program can violate the property newly".to_owned());
    }
    for construct in explanation.provenance.degraded.iter().flatten() {
        paragraphs.push(format!("not understood, so everything behind it is checked again: {construct}"));
    }
    paragraphs.join("\n\n") + "\n"
}

/// The explanation with its texts escaped, each on one line: they were taken from programs or came from elsewhere.
fn escaped(explanation: &Explanation) -> Explanation {
    let text = |text: &mut String| {
        if let Cow::Owned(escaped) = shown::one_line(text) {
            *text = escaped;
        }
    };
    let place = |place: &mut Place| {
        text(&mut place.file);
        text(&mut place.text);
        place.lines.iter_mut().chain(&mut place.function).for_each(text);
    };
    let mut escaped = explanation.clone();
    for change in &mut escaped.changes {
        change.original.iter_mut().chain(&mut change.modified).for_each(place);
    }
    for finding in &mut escaped.findings {
        text(&mut finding.message);
        finding.place.iter_mut().chain(&mut finding.original).for_each(place);
        for link in finding.causes.iter_mut().flat_map(|cause| &mut cause.chain) {
            place(&mut link.place);
            link.object.iter_mut().chain(&mut link.from).for_each(|object| text(&mut object.name));
        }
    }
    escaped.provenance.degraded.iter_mut().flatten().for_each(text);
    escaped
}

/// A change in one line: `modified at new.c:3: x = 1 -> x = 2`.
#[must_use]
pub fn change_line(change: &Change) -> String {
    let at = |place: &Place| format!("{}:{}", short(&place.file), place.line);
    match (&change.original, &change.modified) {
        (Some(old), Some(new)) => {
            let verb = match change.kind {
                ChangeKind::Modified | ChangeKind::Type if old.text == new.text => {
                    let what = "same text, other macros, types or constants";
                    return format!("{what}: {} at {}, before at {}", quoted(new), at(new), at(old));
                }
                ChangeKind::Modified | ChangeKind::Inserted | ChangeKind::Deleted => "modified",
                ChangeKind::Moved => return format!("executed elsewhere: {} at {}, before at {}", quoted(new), at(new), at(old)),
                ChangeKind::InitialValue => "starts with another value",
                ChangeKind::Type => "declared differently",
            };
            format!("{verb} at {}: {} -> {}", at(new), quoted(old), quoted(new))
        }
        (None, Some(new)) => format!("inserted at {}: {}", at(new), quoted(new)),
        (Some(old), None) => format!("deleted, was at {}: {}", at(old), quoted(old)),
        (None, None) => "changed".to_owned(),
    }
}

/// A path without its beginning if it is long, as those that build systems leave in line markers are.
fn short(path: &str) -> String {
    if path.len() <= LONGEST_PATH {
        return path.to_owned();
    }
    let start = path.len() - LONGEST_PATH;
    let slash = path.char_indices().find(|(at, c)| *at >= start && *c == '/').map_or(0, |(at, _)| at);
    if slash == 0 { path.to_owned() } else { format!("…{}", &path[slash..]) }
}

fn quoted(place: &Place) -> String {
    format!("`{}`", place.text)
}

/// What earlier paragraphs have shown of each change: by its number, the steps behind it with where they are.
type Told<'a> = BTreeMap<u32, BTreeSet<(&'a Place, String)>>;

/// A paragraph about findings that differ in their places only.
fn groups<'a>(explanation: &'a Explanation, findings: &[&'a Finding], told: &mut Told<'a>) -> Vec<Group<'a>> {
    let Some(finding) = findings.first() else { return Vec::new() };
    let title = Level::WARNING.with_name("recheck").primary_title(finding.message.as_str());
    let ends = findings.iter().filter_map(|finding| finding.place.as_ref());
    let ends = ends.map(|place| Mark { place, kind: AnnotationKind::Primary, label: "here the comparison ends".to_owned() });
    let mut groups = vec![title.elements(snippets(ends.collect()))];
    groups.extend(causes(explanation, finding, told));
    groups
}

/// What is behind a finding; of a change that was told before, only the steps behind it that are new.
fn causes<'a>(explanation: &'a Explanation, finding: &'a Finding, told: &mut Told<'a>) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    for (number, cause) in finding.causes.iter().enumerate() {
        let Some(change) = explanation.change(cause) else { continue };
        let title = Level::NOTE.with_name(if number == 0 { "cause" } else { "also" });
        let (mut marks, mut line) = (story(change, cause), change_line(change));
        match told.get(&cause.change) {
            Some(known) => {
                marks.retain(|mark| !known.contains(&(mark.place, mark.label.clone())));
                line = as_above(change);
            }
            None => drop(told.insert(cause.change, BTreeSet::new())),
        }
        told.entry(cause.change).or_default().extend(marks.iter().map(|mark| (mark.place, mark.label.clone())));
        let title = title.secondary_title(line);
        groups.push(if marks.is_empty() { Group::with_title(title) } else { title.elements(snippets(marks)) });
    }
    // A foreign detector's reasons name no changes at all.
    if finding.causes.is_empty() && !explanation.changes.is_empty() && CAUSED.contains(&finding.rule.as_str()) {
        let text = "no single change could be named; what was compared is not at the same place in both programs any more";
        groups.push(Group::with_title(Level::NOTE.with_name("cause").secondary_title(text)));
    }
    groups
}

/// A change that was told before.
fn as_above(change: &Change) -> String {
    let place = change.modified.as_ref().or(change.original.as_ref());
    place.map_or_else(|| "as above".to_owned(), |place| format!("the change at {}:{}, as above", short(&place.file), place.line))
}

/// The rules that only fail because of a change.
const CAUSED: [&str; 4] = ["affected-condition", "new-violation", "original-cannot-fail", "assembly"];

/// A place with what is to be said about it.
struct Mark<'a> {
    place: &'a Place,
    kind: AnnotationKind,
    label: String,
}

/// The places from a change to where its effect ends.
fn story<'a>(change: &'a Change, cause: &'a Cause) -> Vec<Mark<'a>> {
    let mut marks = Vec::new();
    let mut mark = |place: &'a Place, label: String| marks.push(Mark { place, kind: AnnotationKind::Context, label });
    match (&change.original, &change.modified) {
        (Some(old), Some(new)) => {
            mark(old, "before".to_owned());
            mark(new, "now".to_owned());
        }
        (None, Some(new)) => mark(new, "inserted".to_owned()),
        (Some(old), None) => mark(old, "deleted".to_owned()),
        (None, None) => {}
    }
    let left_out = cause.chain.len().saturating_sub(SHOWN);
    for (number, link) in cause.chain.iter().enumerate() {
        if left_out > 0 && (SHOWN / 2..SHOWN / 2 + left_out).contains(&number) {
            continue;
        }
        let mut label = label(link);
        if left_out > 0 && number == SHOWN / 2 + left_out {
            let links = if left_out == 1 { "link" } else { "links" };
            label = format!("(after {left_out} more {links}) {label}");
        }
        mark(&link.place, label);
    }
    marks
}

fn label(link: &Link) -> String {
    let name = |object: &Option<Object>| object.as_ref().map_or_else(|| "it".to_owned(), |o| format!("`{}`", o.name));
    match link.kind {
        LinkKind::Affects => format!("affects {}", name(&link.object)),
        LinkKind::Carries => format!("{} depends on {}", name(&link.object), name(&link.from)),
        LinkKind::Decides if link.from.is_some() => format!("depends on {}: the programs part here", name(&link.from)),
        LinkKind::Decides => "the programs part here".to_owned(),
        LinkKind::Alone => {
            let whose = match link.place.program {
                ProgramSide::Original => "the original",
                ProgramSide::Modified => "the modified program",
            };
            format!("only {whose} comes here, which affects {}", name(&link.object))
        }
    }
}

/// One snippet per line of text; what is said about the same line in a row stands together.
fn snippets(marks: Vec<Mark<'_>>) -> Vec<Snippet<'_, Annotation<'_>>> {
    let mut snippets: Vec<Snippet<'_, Annotation<'_>>> = Vec::new();
    let mut last: Option<&Place> = None;
    let mut pending: Vec<(&Place, Vec<Mark<'_>>)> = Vec::new();
    for mark in marks {
        let same = |one: &Place, other: &Place| one.program == other.program && one.file == other.file && one.line == other.line;
        match pending.last_mut() {
            Some((_, together)) if last.is_some_and(|last| same(last, mark.place)) => merge(together, mark),
            _ => {
                last = Some(mark.place);
                pending.push((mark.place, vec![mark]));
            }
        }
    }
    for (place, marks) in pending {
        let line = place.lines.first().map_or("", String::as_str);
        let annotations = marks.into_iter().map(|mark| {
            let annotation = mark.kind.span(columns(mark.place, line));
            annotation.label(mark.label)
        });
        let snippet = Snippet::source(line).line_start(place.line as usize).path(short(&place.file));
        snippets.push(snippet.annotations(annotations));
    }
    snippets
}

/// Adds a mark to those of a line; two about the same text become one.
fn merge<'a>(together: &mut Vec<Mark<'a>>, mark: Mark<'a>) {
    let start = |place: &Place| (place.start_offset, place.end_offset);
    match together.iter_mut().find(|other| start(other.place) == start(mark.place)) {
        Some(other) if other.label == mark.label => {}
        Some(other) => other.label = format!("{}, {}", other.label, mark.label),
        None => together.push(mark),
    }
}

/// The bytes of a line that belong to a place; a place of several lines goes to the end of the first.
fn columns(place: &Place, line: &str) -> std::ops::Range<usize> {
    let boundary = |column: usize| (0..=column.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let start = boundary((place.column as usize).saturating_sub(1));
    let end = if place.end_line == place.line { boundary((place.end_column as usize).saturating_sub(1)) } else { line.len() };
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Producer, ProgramFile, ProgramOptions, Provenance};

    fn place(program: ProgramSide, line: u32, text: &str, within: &str) -> Place {
        let column = u32::try_from(within.find(text).unwrap()).unwrap() + 1;
        let length = u32::try_from(text.len()).unwrap();
        Place {
            program,
            file: if program == ProgramSide::Original { "old.c" } else { "new.c" }.to_owned(),
            function: Some("main".to_owned()),
            edge: None,
            line,
            column,
            end_line: line,
            end_column: column + length,
            physical_line: line,
            start_offset: line * 100 + column,
            end_offset: line * 100 + column + length,
            text: text.to_owned(),
            lines: vec![within.to_owned()],
        }
    }

    fn explanation(findings: Vec<Finding>) -> Explanation {
        let file = |path: &str| ProgramFile { path: path.to_owned(), sha256: String::new(), ..ProgramFile::default() };
        let old = place(ProgramSide::Original, 3, "x = 1", "    int x = 1;");
        let new = place(ProgramSide::Modified, 4, "x = 2", "    int x = 2;");
        Explanation {
            provenance: Provenance {
                producer: Producer::new("diffdp", "0"),
                original: file("old.c"),
                modified: file("new.c"),
                options: ProgramOptions::default(),
                degraded: Some(vec!["inline assembly".to_owned()]),
            },
            changes: vec![Change { kind: ChangeKind::Modified, original: Some(old), modified: Some(new) }],
            findings,
        }
    }

    fn finding(chain: Vec<Link>) -> Finding {
        Finding {
            rule: "new-violation".to_owned(),
            message: "only the modified program violates the property here".to_owned(),
            indicators: vec![1],
            edges: vec![9],
            place: Some(place(ProgramSide::Modified, 9, "reach_error()", "        reach_error();")),
            original: None,
            causes: vec![Cause { change: 0, chain }],
        }
    }

    #[test]
    fn a_finding_is_told_from_the_change_to_its_end() {
        let object = |name: &str| Some(Object { name: name.to_owned(), function: None });
        let link = |kind, object, from, place| Link { kind, object, from, place };
        let chain = vec![
            link(LinkKind::Affects, object("x"), None, place(ProgramSide::Modified, 4, "x = 2", "    int x = 2;")),
            link(LinkKind::Carries, object("y"), object("x"), place(ProgramSide::Modified, 6, "y = x + 1", "    y = x + 1;")),
            link(LinkKind::Decides, None, object("y"), place(ProgramSide::Modified, 8, "y > 1", "    if (y > 1)")),
        ];
        insta::assert_snapshot!(explanation_text(&explanation(vec![finding(chain)]), Look::Plain));
    }

    #[test]
    fn the_middle_of_a_long_chain_is_left_out() {
        let link = |line| Link {
            kind: LinkKind::Carries,
            object: None,
            from: None,
            place: place(ProgramSide::Modified, line, "y", "    y = x + 1;"),
        };
        let text = explanation_text(&explanation(vec![finding((10..40).map(link).collect())]), Look::Plain);
        assert!(text.contains("(after 20 more links)") && text.lines().count() < 70, "{text}");
    }

    #[test]
    fn a_change_is_told_once() {
        let link = |line, text, within| Link {
            kind: LinkKind::Carries,
            object: Some(Object { name: "y".to_owned(), function: None }),
            from: Some(Object { name: "x".to_owned(), function: None }),
            place: place(ProgramSide::Modified, line, text, within),
        };
        let first = finding(vec![link(6, "y = x + 1", "    y = x + 1;")]);
        let about = |message: &str, chain: Vec<Link>| Finding { message: message.to_owned(), ..finding(chain) };
        let chain = vec![link(6, "y = x + 1", "    y = x + 1;"), link(7, "y = x - 1", "    y = x - 1;")];
        let findings = vec![first.clone(), about("another one", chain), about("and another one", first.causes[0].chain.clone())];
        insta::assert_snapshot!(explanation_text(&explanation(findings), Look::Plain));
    }

    #[test]
    fn nothing_to_check_is_said_in_a_line() {
        let text = explanation_text(&explanation(Vec::new()), Look::Plain);
        assert!(text.starts_with("nothing has to be checked again"), "{text}");
        assert!(text.ends_with("inline assembly\n"), "{text}");
    }

    #[test]
    fn places_that_do_not_fit_their_line_are_cut() {
        let mut odd = place(ProgramSide::Modified, 9, "é", "aé");
        odd.column = 3;
        odd.end_column = 99;
        assert_eq!(columns(&odd, "aé"), 1..3);
        odd.end_line = 12;
        assert_eq!(columns(&odd, ""), 0..0);
    }
}
