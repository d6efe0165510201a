//! Probes: C expressions from outside, with the meaning they have at a place of a program.
//!
//! The texts stand behind that of the program, are read as expressions with the type names of its files, and are lowered where
//! lowering comes to their places, while the scopes there are open. A probe at a statement or a loop puts one edge that does
//! nothing there, so that its location is passed exactly when the text would be evaluated; numbers of edges are not
//! those of the program as it is read without probes, so artifacts carry the fingerprint of that and name edges by keys.
//! Does not know what probes are for.

#![allow(clippy::wildcard_enum_match_arm, reason = "a few kinds of statements have statements in them")]

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, ExprId as AstExpr, Item, LabelKind, StmtId, StmtKind};
use crate::cfa::{Cfa, Edge, FunctionId, LocationId, Operation};
use crate::diagnostic::Diagnostic;
use crate::expr::ExprId;
use crate::source::{SourceFile, Span};

/// What the message of a probe's diagnostic ends with if control never comes to its place.
pub const UNREACHED: &str = "nothing comes to this place";
/// What it ends with if its text names what is not declared there.
pub const UNDECLARED: &str = "is not declared";

/// Where a probe is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbePlace {
    /// At the statement behind a label, which is in one function only.
    Label(String),
    /// Before the first statement that begins on a line of the program's own file.
    Line(u32),
    /// Where a function begins; its parameters have their values.
    Entry(String),
    /// Where a function is left, before the value to be returned is computed; it sees the parameters, as they are then.
    Exit(String),
    /// Where the condition of the loop is evaluated, or for `do` where a round begins, each time. The place is that of the keyword.
    Loop {
        /// Line, from 1.
        line: u32,
        /// Byte column, from 1; 0: the first loop on the line.
        column: u32,
    },
    /// The same, of the loop whose keyword begins at a byte of the text: lines of preprocessed texts are those of other files.
    LoopAt(u32),
    /// Before the statement that begins at a byte of the text.
    Before(u32),
}

/// An expression from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Where.
    pub at: ProbePlace,
    /// A scalar expression in C.
    pub text: String,
}

/// What an expression means at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// Where it is: one location, or for [`ProbePlace::Exit`] one before each return. Control is there whenever it would be
    /// evaluated, and only then. Probes at one place share their locations.
    pub locations: Vec<LocationId>,
    /// The expression.
    pub expr: ExprId,
    /// Its evaluation cannot trap: it dereferences, indexes and divides nothing. It has no effect in any case.
    pub pure: bool,
    /// Its text, behind that of the program.
    pub span: Span,
}

/// Probes with their places in the tree.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    pub(crate) statements: FxHashMap<StmtId, Vec<usize>>,
    pub(crate) loops: FxHashMap<Span, Vec<usize>>,
    pub(crate) all: Vec<Reading>,
}

/// One probe while the program is lowered.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) expr: AstExpr,
    pub(crate) span: Span,
    /// It is evaluated where the function is left.
    pub(crate) exit: bool,
    pub(crate) function: Option<FunctionId>,
    pub(crate) found: Option<Result<(ExprId, bool), Diagnostic>>,
}

/// The text of the program with those of probes, and where each is.
pub(crate) fn appended(source: SourceFile, probes: &[Probe]) -> Option<(SourceFile, Vec<Span>)> {
    let mut text = String::new();
    let mut lines = Vec::new();
    for probe in probes {
        let line = probe.text.replace(['\n', '\r'], " ");
        lines.push((text.len(), line.len()));
        text.push_str(&line);
        text.push('\n');
    }
    let (source, base) = source.annotated("<probes>", &text)?;
    let base = base as usize;
    let span =
        |(at, length): (usize, usize)| Some(Span::new(u32::try_from(base + at).ok()?, u32::try_from(base + at + length).ok()?));
    let spans = lines.into_iter().map(span).collect::<Option<Vec<Span>>>()?;
    Some((source, spans))
}

/// The names that the files of a program give to types.
pub(crate) fn type_names(ast: &Ast) -> Vec<crate::ast::Symbol> {
    let mut names = Vec::new();
    for item in &ast.items {
        let Item::Declaration(id) = item else { continue };
        if ast[*id].specifiers.storage == Some(crate::ast::Storage::Typedef) {
            names.extend(ast[*id].declarators.iter().filter_map(|one| Some(ast[*one].declarator.name?.name)));
        }
    }
    names
}

/// A statement with the function it is in.
struct Found {
    id: StmtId,
    span: Span,
    label: Option<crate::ast::Symbol>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A block or what has a label: what is in it is the statement.
    Around,
    Loop,
    Plain,
}

/// All statements of a program, in the order of the text.
fn statements(ast: &Ast) -> Vec<Found> {
    let mut found = Vec::new();
    let mut pending: Vec<(StmtId, Option<crate::ast::Symbol>)> = Vec::new();
    for item in &ast.items {
        if let Item::Function(id) = item {
            pending.push((ast[*id].body, None));
        }
    }
    while let Some((id, label)) = pending.pop() {
        let statement = &ast[id];
        let mut inner: Vec<(StmtId, Option<crate::ast::Symbol>)> = Vec::new();
        let kind = match &statement.kind {
            StmtKind::Compound { items, .. } => {
                inner.extend(items.iter().map(|item| (*item, None)));
                Kind::Around
            }
            StmtKind::Labeled { labels, body } => {
                let name = labels.iter().find_map(|label| match &label.kind {
                    LabelKind::Name(name) => Some(name.name),
                    LabelKind::Case { .. } | LabelKind::Default => None,
                });
                inner.push((*body, name));
                Kind::Around
            }
            StmtKind::If { then, otherwise, .. } => {
                inner.push((*then, None));
                inner.extend(otherwise.map(|otherwise| (otherwise, None)));
                Kind::Plain
            }
            StmtKind::Switch { body, .. } => {
                inner.push((*body, None));
                Kind::Plain
            }
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. } => {
                inner.push((*body, None));
                Kind::Loop
            }
            _ => Kind::Plain,
        };
        found.push(Found { id, span: statement.span, label, kind });
        pending.extend(inner);
    }
    found.sort_by_key(|one| (one.span.lo, std::cmp::Reverse(one.span.hi)));
    found
}

/// Puts probes into the tree of a program; those without a place are answered at once.
pub(crate) fn place(
    source: &SourceFile,
    ast: &Ast,
    probes: &[Probe],
    exprs: Vec<Result<AstExpr, Diagnostic>>,
    spans: &[Span],
) -> (Probes, Vec<Result<usize, Diagnostic>>) {
    let all = statements(ast);
    let mut placed = Probes::default();
    let mut answers = Vec::new();
    for ((probe, expr), span) in probes.iter().zip(exprs).zip(spans) {
        let number = placed.all.len();
        let answer = expr.and_then(|expr| {
            let missing = |what: String| {
                let help = "name a place that the program has, with code that can be reached";
                Diagnostic::at(source, *span, "program::probe", what, "this expression has no place", help)
            };
            match find(source, ast, &all, &probe.at).map_err(missing)? {
                Place::Statement(id) => placed.statements.entry(id).or_default().push(number),
                Place::Loop(span) => placed.loops.entry(span).or_default().push(number),
            }
            let exit = matches!(probe.at, ProbePlace::Exit(_));
            placed.all.push(Reading { expr, span: *span, exit, function: None, found: None });
            Ok(number)
        });
        answers.push(answer);
    }
    (placed, answers)
}

/// A statement of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// All of it, without labels in front of it.
    pub span: Span,
    /// It is a declaration, which braces around it would hide.
    pub declares: bool,
}

/// The first statement that begins on a line, or the one at a column of it, in a function if one is named. `None` if there is
/// none.
///
/// # Errors
/// If the text is no program.
pub fn statement_at(
    source: &SourceFile,
    (line, column): (u32, Option<u32>),
    function: Option<&str>,
) -> Result<Option<Statement>, Diagnostic> {
    let ast = crate::parse::parse(source)?;
    let is_inside = |span: Span| {
        function.is_none_or(|wanted| {
            ast.items.iter().any(|item| match item {
                Item::Function(id) => {
                    let name = ast[*id].declarator.name;
                    name.is_some_and(|name| ast.name(name.name) == wanted) && ast[ast[*id].body].span.contains(span)
                }
                _ => false,
            })
        })
    };
    let fits = |one: &Found| {
        let place = source.location(one.span.lo);
        place.line == line && place.file == source.name() && column.is_none_or(|column| place.column == column)
    };
    let all = statements(&ast);
    let found = all.iter().find(|one| one.kind != Kind::Around && fits(one) && is_inside(one.span));
    Ok(found.map(|one| Statement { span: one.span, declares: matches!(ast[one.id].kind, StmtKind::Declaration(_)) }))
}

enum Place {
    Statement(StmtId),
    Loop(Span),
}

fn find(source: &SourceFile, ast: &Ast, all: &[Found], at: &ProbePlace) -> Result<Place, String> {
    let is_on = |span: Span, line: u32| {
        let place = source.location(span.lo);
        place.line == line && place.file == source.name()
    };
    let body = |wanted: &str| {
        let function = ast.items.iter().find_map(|item| match item {
            Item::Function(id) => {
                let name = ast[*id].declarator.name?;
                (ast.name(name.name) == wanted).then_some(ast[*id].body)
            }
            _ => None,
        });
        function.map(Place::Statement).ok_or_else(|| format!("there is no function `{wanted}` with a body"))
    };
    match at {
        ProbePlace::Entry(name) | ProbePlace::Exit(name) => body(name),
        ProbePlace::Label(name) => {
            let mut labelled = all.iter().filter(|one| one.label.is_some_and(|label| ast.name(label) == name));
            match (labelled.next(), labelled.next()) {
                (Some(one), None) => Ok(Place::Statement(one.id)),
                (None, _) => Err(format!("there is no label `{name}`")),
                (Some(_), Some(_)) => Err(format!("several functions have a label `{name}`")),
            }
        }
        ProbePlace::Line(line) => {
            let mut plain = all.iter().filter(|one| one.kind != Kind::Around && is_on(one.span, *line));
            plain.next().map(|one| Place::Statement(one.id)).ok_or_else(|| format!("no statement begins on line {line}"))
        }
        ProbePlace::Before(offset) => {
            let mut plain = all.iter().filter(|one| one.kind != Kind::Around && one.span.lo == *offset);
            plain.next().map(|one| Place::Statement(one.id)).ok_or_else(|| format!("no statement begins at byte {offset}"))
        }
        ProbePlace::LoopAt(offset) => {
            let mut loops = all.iter().filter(|one| one.kind == Kind::Loop && one.span.lo == *offset);
            loops.next().map(|one| Place::Loop(one.span)).ok_or_else(|| format!("no loop begins at byte {offset}"))
        }
        ProbePlace::Loop { line, column } => {
            let fits = |span: Span| is_on(span, *line) && (*column == 0 || source.location(span.lo).column == *column);
            let mut loops = all.iter().filter(|one| one.kind == Kind::Loop && fits(one.span));
            loops.next().map(|one| Place::Loop(one.span)).ok_or_else(|| format!("no loop begins on line {line} there"))
        }
    }
}

/// The locations between probes at one place: nothing happens there, so that each expression means the same at all of them.
fn beside(cfa: &Cfa, mut locations: Vec<LocationId>, is_probe: &dyn Fn(&Edge) -> bool) -> Vec<LocationId> {
    let mut at = 0;
    while let Some(location) = locations.get(at).copied() {
        let before =
            cfa.in_edges(location).iter().map(|edge| cfa.edge(*edge)).filter(|edge| is_probe(edge)).map(|edge| edge.source);
        let behind =
            cfa.out_edges(location).iter().map(|edge| cfa.edge(*edge)).filter(|edge| is_probe(edge)).map(|edge| edge.target);
        // What other ways lead to is no longer between them.
        let only = |target: &LocationId| cfa.in_edges(*target).iter().all(|edge| is_probe(cfa.edge(*edge)));
        let has_one = |target: &LocationId| cfa.out_edges(*target).iter().any(|edge| is_probe(cfa.edge(*edge)));
        let is_alone = only(&location);
        let near: Vec<LocationId> = before.filter(|_| is_alone).chain(behind.filter(only).filter(has_one)).collect();
        locations.extend(near.into_iter().filter(|one| !locations.contains(one)).collect::<Vec<_>>());
        at += 1;
    }
    locations.sort_unstable();
    locations
}

/// What became of probes in a finished automaton.
pub(crate) fn found(
    cfa: &Cfa,
    readings: Vec<Reading>,
    answers: Vec<Result<usize, Diagnostic>>,
) -> Vec<Result<Probed, Diagnostic>> {
    let mut edges: FxHashMap<Span, Vec<LocationId>> = FxHashMap::default();
    for edge in &cfa.edges {
        if matches!(edge.operation, Operation::Blank) {
            edges.entry(edge.span).or_default().push(edge.source);
        }
    }
    let spans: FxHashSet<Span> = readings.iter().map(|reading| reading.span).collect();
    let is_probe = |edge: &Edge| matches!(edge.operation, Operation::Blank) && spans.contains(&edge.span);
    let mut readings: Vec<Option<Reading>> = readings.into_iter().map(Some).collect();
    let unreached = |span: Span| {
        let help = "name a place that the program can come to";
        Diagnostic::at(&cfa.source, span, "program::probe", UNREACHED, "never evaluated", help)
    };
    let probed = |reading: Reading| {
        let span = reading.span;
        let (expr, pure) = reading.found.unwrap_or_else(|| Err(unreached(span)))?;
        let locations = match reading.function.filter(|_| reading.exit) {
            Some(function) => {
                let exit = cfa.function(function).exit;
                let mut all: Vec<LocationId> =
                    exit.iter().flat_map(|exit| cfa.in_edges(*exit)).map(|edge| cfa.edge(*edge).source).collect();
                all.sort_unstable();
                all.dedup();
                all
            }
            None => beside(cfa, edges.get(&span).cloned().unwrap_or_default(), &is_probe),
        };
        if locations.is_empty() {
            return Err(unreached(span));
        }
        Ok(Probed { locations, expr, pure, span })
    };
    answers
        .into_iter()
        .map(|answer| answer.and_then(|number| readings[number].take().map_or_else(|| Err(unreached(Span::default())), probed)))
        .collect()
}
