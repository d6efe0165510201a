//! Which statements a change concerns, and the changed line behind each: on a line of its own text, or where a macro, an
//! enumerator or a variable is defined that it uses.
//!
//! Attribution is by lines: a statement uses what is written on its lines. What cannot be attributed to one line (a
//! condition of the preprocessor, a flag of the build, a macro with several definitions) is [`Origin::Unknown`], no guess.
//! Invariant: every line named is one that the change added or rewrote.
//! Does not know which statements are executed.

use std::collections::{BTreeMap, BTreeSet};

use formats::explanation::{ChangeKind, Explanation};
use formats::report::{LineRange, Place};
use program::cfa::{Cfa, EdgeId, Operation};
use program::preprocess::MacroDefinition;

use super::files::Files;
use super::lines::lines_of;
use super::places::Places;
use super::tokens::{Lines, names};

/// The changed line behind a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The text of the statement is on it.
    Text(Place),
    /// Something that the statement uses is defined on it.
    Definition {
        /// What is defined.
        name: String,
        /// Where; the function has no name.
        place: Place,
    },
    /// The statement changed, but no line can be named; why.
    Unknown(String),
}

impl Origin {
    /// The changed line.
    pub(crate) const fn place(&self) -> Option<&Place> {
        match self {
            Self::Text(place) | Self::Definition { place, .. } => Some(place),
            Self::Unknown(_) => None,
        }
    }
}

/// The changed lines of the files a report shows, in the order of [`Places::row`].
pub(crate) struct ChangedLines {
    /// Names, the program first.
    pub(crate) names: Vec<String>,
    /// Changed lines of each.
    pub(crate) lines: Vec<Vec<LineRange>>,
}

impl ChangedLines {
    fn of(&self, file: &str) -> &[LineRange] {
        let index = self.names.iter().position(|name| name == file);
        index.and_then(|index| self.lines.get(index)).map_or(&[], Vec::as_slice)
    }

    fn contain(&self, file: &str, line: u32) -> bool {
        LineRange::contain(self.of(file), line)
    }
}

/// The origins of the statements that a change concerns.
pub(crate) fn origins(
    cfa: &Cfa,
    places: &Places<'_>,
    changed: &ChangedLines,
    files: Option<&Files>,
    explanation: Option<&Explanation>,
) -> BTreeMap<EdgeId, Origin> {
    let statements = cfa.edge_ids().filter(|edge| {
        let edge = cfa.edge(*edge);
        !matches!(edge.operation, Operation::Blank) && !edge.span.is_empty()
    });
    let statements: Vec<EdgeId> = statements.collect();
    let definitions = files.map(|files| Definitions::new(cfa, places, changed, files, &statements, explanation));
    let origin = |edge: EdgeId| {
        let text = text_origin(cfa, places, changed, edge);
        let used = || definitions.as_ref()?.origin(cfa, places, changed, edge);
        Some((edge, text.or_else(used)?))
    };
    statements.iter().filter_map(|edge| origin(*edge)).collect()
}

/// Offsets at which the lines of an edge begin, that of the first line being where the edge begins.
pub(crate) fn line_offsets(cfa: &Cfa, edge: EdgeId) -> impl Iterator<Item = u32> {
    let first = cfa.edge(edge).span.lo;
    lines_of(cfa, edge).filter_map(move |line| cfa.source.line(line)).map(move |span| span.lo.max(first))
}

/// The first changed line that the text of an edge is on.
fn text_origin(cfa: &Cfa, places: &Places<'_>, changed: &ChangedLines, edge: EdgeId) -> Option<Origin> {
    let is_changed = |offset: &u32| {
        let ranges = |row: (usize, u32)| Some(LineRange::contain(changed.lines.get(row.0)?, row.1));
        places.row(*offset).and_then(ranges).unwrap_or(false)
    };
    let offset = line_offsets(cfa, edge).find(is_changed)?;
    let (file, line, column) = places.file_line(offset);
    Some(Origin::Text(Place { file, line, column, ..places.of_edge(cfa, edge) }))
}

/// A line of a file.
type FileLine = (String, u32);

/// Things with a changed definition.
struct Definitions<'a> {
    /// The code of each file.
    code: BTreeMap<&'a str, Lines>,
    /// Macros of the modified program with what their replacements mention.
    macros: BTreeMap<&'a str, Vec<&'a MacroDefinition>>,
    /// Where changed things are defined; `None` if no changed line can be named.
    changed: BTreeMap<String, Option<FileLine>>,
    files: &'a Files,
}

impl<'a> Definitions<'a> {
    fn new(
        cfa: &Cfa,
        places: &Places<'_>,
        lines: &ChangedLines,
        files: &'a Files,
        statements: &[EdgeId],
        explanation: Option<&Explanation>,
    ) -> Self {
        let code = files.texts.iter().map(|(name, text)| (name.as_str(), Lines::new(text))).collect();
        let macros = by_name(&files.after);
        let mut found = Self { code, macros, changed: BTreeMap::new(), files };
        found.add_macros(lines);
        found.add_enumerators(cfa, places, lines, statements);
        found.add_variables(cfa, places, lines, explanation);
        found
    }

    /// Macros whose replacement differs. With several definitions it is not known which one a statement uses.
    fn add_macros(&mut self, lines: &ChangedLines) {
        let before = by_name(&self.files.before);
        let texts = |definitions: &[&MacroDefinition]| definitions.iter().map(|known| known.text.clone()).collect::<Vec<_>>();
        for (name, after) in &self.macros {
            if before.get(name).is_some_and(|before| texts(before) == texts(after)) {
                continue;
            }
            let place = match after.as_slice() {
                [only] => self.changed_line(&only.file, only.line, lines),
                _ => None,
            };
            self.changed.insert((*name).to_owned(), place);
        }
    }

    /// The first changed line of a directive.
    fn changed_line(&self, file: &str, line: u32, lines: &ChangedLines) -> Option<FileLine> {
        let last = self.code.get(file)?.directive_end(line);
        (line..=last).find(|line| lines.contain(file, *line)).map(|line| (file.to_owned(), line))
    }

    /// Enumerators with another value, if the change touches a single line that could define them.
    fn add_enumerators(&mut self, cfa: &Cfa, places: &Places<'_>, lines: &ChangedLines, statements: &[EdgeId]) {
        let (before, after) = (enumerators(&self.files.original), enumerators(cfa));
        let changed: Vec<&str> =
            after.iter().filter(|(name, value)| before.get(*name) != Some(value)).map(|(name, _)| *name).collect();
        if changed.is_empty() {
            return;
        }
        let mut with_statements = BTreeSet::new();
        for edge in statements {
            with_statements.extend(line_offsets(cfa, *edge).map(|offset| {
                let (file, line, _) = places.file_line(offset);
                (file, line)
            }));
        }
        let all =
            lines.names.iter().zip(&lines.lines).flat_map(|(file, ranges)| {
                ranges.iter().flat_map(|range| range.0..=range.1).map(move |line| (file.clone(), line))
            });
        let open: Vec<FileLine> = all.filter(|place| !with_statements.contains(place)).collect();
        for name in changed {
            let mentions = |place: &&FileLine| {
                let line = self.code.get(place.0.as_str()).map_or("", |code| code.line(place.1));
                !line.trim_start().starts_with('#') && names(line).any(|known| known == name)
            };
            let mut candidates = open.iter().filter(mentions);
            let only = candidates.next().filter(|_| candidates.next().is_none());
            self.changed.insert(name.to_owned(), only.cloned());
        }
    }

    /// Variables that start with another value.
    fn add_variables(&mut self, cfa: &Cfa, places: &Places<'_>, lines: &ChangedLines, explanation: Option<&Explanation>) {
        for change in explanation.map(|explanation| explanation.changes.as_slice()).unwrap_or_default() {
            let Some(place) = change.modified.as_ref().filter(|_| change.kind == ChangeKind::InitialValue) else { continue };
            let variable = cfa.variables.iter().find(|variable| variable.span.lo == place.start_offset);
            let Some(variable) = variable else { continue };
            let (file, first, _) = places.file_line(place.start_offset);
            let last = first + place.end_line.saturating_sub(place.line);
            let line = (first..=last).find(|line| lines.contain(&file, *line));
            self.changed.insert(variable.name.to_string(), line.map(|line| (file, line)));
        }
    }

    /// What is changed about an edge whose own lines are not.
    fn origin(&self, cfa: &Cfa, places: &Places<'_>, lines: &ChangedLines, edge: EdgeId) -> Option<Origin> {
        let own = places.of_edge(cfa, edge);
        let at = |(file, line): FileLine| Place { file, line, column: 1, function: own.function.clone() };
        let outside = |(file, line): FileLine| Place { file, line, column: 1, function: String::new() };
        let mut unknown = None;
        for offset in line_offsets(cfa, edge) {
            let (file, line, _) = places.file_line(offset);
            let Some(code) = self.code.get(file.as_str()) else { continue };
            let used: Vec<&str> = names(code.line(line)).collect();
            // The preprocessor puts the arguments of a macro on one line.
            let takes_arguments =
                |name: &&str| self.macros.get(name).is_some_and(|known| known.iter().any(|known| known.text.starts_with('(')));
            let last = if used.iter().any(takes_arguments) { code.closing(line) } else { line };
            if let Some(line) = (line..=last).find(|line| lines.contain(&file, *line)) {
                return Some(Origin::Text(at((file, line))));
            }
            for name in (line..=last).flat_map(|line| names(code.line(line))) {
                match self.behind(name) {
                    Some((name, Some(place))) => return Some(Origin::Definition { name, place: outside(place) }),
                    Some((name, None)) => {
                        unknown = unknown.or(Some(format!("the definition of {name} cannot be told from the changed lines")))
                    }
                    None => {}
                }
            }
        }
        let physical = lines_of(cfa, edge).any(|line| LineRange::contain(&self.files.preprocessed, line));
        let by_preprocessor = || "the preprocessor makes another text of it".to_owned();
        unknown.or_else(|| physical.then(by_preprocessor)).map(Origin::Unknown)
    }

    /// The changed definition that a name leads to: its own, or that of something its replacement mentions.
    fn behind(&self, name: &str) -> Option<(String, Option<FileLine>)> {
        let mut open = vec![name];
        let mut seen = BTreeSet::new();
        let mut unknown = None;
        while let Some(name) = open.pop() {
            if !seen.insert(name) {
                continue;
            }
            match self.changed.get(name) {
                Some(Some(place)) => return Some((name.to_owned(), Some(place.clone()))),
                Some(None) => unknown = Some((name.to_owned(), None)),
                None => {}
            }
            let replacements = self.macros.get(name).into_iter().flatten();
            open.extend(replacements.flat_map(|definition| names(&definition.text)));
        }
        unknown
    }
}

fn by_name(definitions: &[MacroDefinition]) -> BTreeMap<&str, Vec<&MacroDefinition>> {
    let mut found: BTreeMap<&str, Vec<&MacroDefinition>> = BTreeMap::new();
    for definition in definitions {
        found.entry(&definition.name).or_default().push(definition);
    }
    found
}

/// The values of all enumerators.
fn enumerators(cfa: &Cfa) -> BTreeMap<&str, i128> {
    let all = cfa.types.enums().flat_map(|(_, definition)| &definition.enumerators);
    all.map(|(name, value)| (name.as_ref(), *value)).collect()
}
