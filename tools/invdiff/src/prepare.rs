//! A version with the facts that are asked of it: what each says there, as expressions at locations.
//!
//! The program is read again with the facts as probes. What they remember has names that a text in front of the program
//! declares; afterwards these become variables that only added assignments write. Nothing else of the program changes.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of types and operations")]

use std::collections::BTreeMap;

use formats::dense;
use program::cfa::{Cfa, FunctionId, LocationId, Operation, VarId};
use program::diagnostic::Diagnostic;
use program::expr::{Expr, ExprId};
use program::probe::{Probe, ProbePlace, Probed, UNDECLARED, UNREACHED};
use program::source::{Role, SourceFile};
use program::types::{FloatKind, IntRank, Type, TypeId};
use transform::instrument::{Ghost as Remembered, Instrumenter};

use crate::definedness::{Definedness, replaced};
use crate::expression::{Ghost, Text};
use crate::marks;

/// Where what is remembered is declared.
const DECLARED: &str = "<remembered>";

/// What begins the names of what is remembered.
const NAME: &str = "__residue_remembered_";

/// A version as it was read.
#[derive(Debug)]
pub(crate) struct Version {
    /// The text, preprocessed.
    pub(crate) source: SourceFile,
    /// The program without anything that is asked.
    pub(crate) cfa: Cfa,
}

/// Where a point is in a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// At all of these.
    At(Vec<ProbePlace>),
    /// Nowhere, and why.
    Missing(String),
}

/// A fact that is asked of all versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The position of the point.
    pub(crate) point: usize,
    /// What it says.
    pub(crate) text: Text,
    /// Who proposed it.
    pub(crate) family: &'static str,
}

/// Conditions at locations: each is evaluated whenever control is there.
pub(crate) type Conditions = Vec<(LocationId, ExprId)>;

/// What a fact, or a point, is in a version.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// This is to hold.
    Says {
        /// What is to hold; for a point nothing ever does.
        holds: Conditions,
        /// When the expressions have values, where that is not always.
        defined: Conditions,
        /// Evaluation may end a run.
        traps: bool,
    },
    /// The program has no way to the point.
    Unreached,
    /// The version has no such point, or does not know a name.
    Missing(String),
    /// It is no expression there that can be asked for.
    Unusable(String),
}

/// A version with what is asked of it.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) cfa: Cfa,
    pub(crate) points: Vec<Meaning>,
    pub(crate) facts: Vec<Meaning>,
    /// The lines of each point.
    pub(crate) lines: Vec<Vec<u32>>,
    /// The function of each point, where it is in one.
    pub(crate) functions: Vec<Option<String>>,
    /// How facts are said here, by their positions, where that is not how they were given.
    pub(crate) renamed: BTreeMap<usize, Text>,
}

/// Which runs conditions are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// All.
    All,
    /// Those in which nothing undefined happens.
    Defined,
}

/// A probe that is no fact has this text.
const HERE: &str = "1";

/// Reads a version with facts.
///
/// Conditions are about some runs only.
pub(crate) fn prepare(version: &Version, spots: &[Spot], facts: &[Fact], runs: Runs) -> Result<Prepared, Diagnostic> {
    let ghosts = Ghosts::new(version, spots, facts)?;
    let declarations = ghosts.declarations();
    let source = version.source.with_declarations(DECLARED, &declarations);
    let source = source.ok_or_else(|| Diagnostic::too_long(std::path::Path::new(version.source.path())))?;
    let shift = &|offset: u32| {
        let own = version.source.units().iter().filter(|unit| unit.role == Role::Program && unit.span.lo <= offset).count();
        offset.saturating_add(dense(own).saturating_mul(dense(declarations.len())))
    };
    let mut asking = Asking::default();
    let points: Vec<Vec<usize>> = spots.iter().map(|spot| asking.ask(spot, HERE, shift)).collect();
    let texts: Vec<Vec<usize>> = facts
        .iter()
        .map(|fact| match ghosts.text(fact) {
            Ok(text) => asking.ask(&spots[fact.point], &text, shift),
            Err(_) => Vec::new(),
        })
        .collect();
    let entries: Vec<Option<usize>> = ghosts.all.iter().map(|one| one.entry().map(|probe| asking.add(probe))).collect();
    let (cfa, answers) = program::load_with(source, &version.cfa.options, &asking.probes)?;
    let answers: Vec<Result<Probed, String>> = answers.into_iter().map(|one| one.map_err(|error| error.to_string())).collect();
    let entry = |number: usize| entries[number].and_then(|at| answers[at].as_ref().ok()).map(|probed| probed.expr);
    let (mut cfa, mut remembered) = ghosts.remember(cfa, &entry);
    let mut mark = None;
    if runs == Runs::Defined {
        let marked = marks::mark(&cfa);
        (cfa, mark) = (marked.cfa, Some(marked.mark));
        remembered.read.extend(marked.written);
    }
    let lines = points.iter().map(|point| lines(&cfa, version, point, &answers)).collect();
    let mut meanings = Meanings { editor: transform::Editor::new(&cfa), cfa: &cfa, answers, remembered, mark };
    let points: Vec<Meaning> = spots.iter().zip(&points).map(|(spot, probes)| meanings.of(spot, probes, About::Point)).collect();
    let facts: Vec<Meaning> = facts
        .iter()
        .zip(&texts)
        .map(|(fact, probes)| match ghosts.text(fact) {
            Ok(_) => meanings.of(&spots[fact.point], probes, About::Fact),
            Err(reason) if reason.ends_with(UNDECLARED) => Meaning::Missing(said(&reason)),
            Err(reason) => Meaning::Unusable(reason),
        })
        .collect();
    let function = |point: &Meaning| match point {
        Meaning::Says { holds, .. } => {
            let at = holds.first()?.0;
            Some(cfa.function(cfa.location(at).function).name.to_string())
        }
        _ => None,
    };
    let functions = points.iter().map(function).collect();
    Ok(Prepared { cfa: meanings.editor.finish().cfa, points, facts, lines, functions, renamed: BTreeMap::new() })
}

/// Whether a file is the program itself, and no header; a text that was preprocessed before names it first.
pub(crate) fn is_own(source: &SourceFile, file: &str) -> bool {
    file == source.name() || source.files().get(1).is_some_and(|first| first == file)
}

fn lines(cfa: &Cfa, version: &Version, probes: &[usize], answers: &[Result<Probed, String>]) -> Vec<u32> {
    let found = probes.iter().filter_map(|at| answers[*at].as_ref().ok()).flat_map(|probed| &probed.locations);
    let line = |location: &LocationId| {
        let mut spans = cfa.out_edges(*location).iter().map(|edge| cfa.edge(*edge).statement);
        // Behind the edges of probes comes what the text has there.
        let first = spans.next()?;
        let place = cfa.source.location(first.lo);
        is_own(&version.source, place.file).then_some(place.line)
    };
    let mut lines: Vec<u32> = found.filter_map(line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The probes of a version.
#[derive(Default)]
struct Asking {
    probes: Vec<Probe>,
}

impl Asking {
    fn add(&mut self, probe: Probe) -> usize {
        self.probes.push(probe);
        self.probes.len() - 1
    }

    fn ask(&mut self, spot: &Spot, text: &str, shift: &dyn Fn(u32) -> u32) -> Vec<usize> {
        let Spot::At(places) = spot else { return Vec::new() };
        let moved = |place: &ProbePlace| match place {
            ProbePlace::Before(offset) => ProbePlace::Before(shift(*offset)),
            ProbePlace::LoopAt(offset) => ProbePlace::LoopAt(shift(*offset)),
            other @ (ProbePlace::Label(_)
            | ProbePlace::Line(_)
            | ProbePlace::Entry(_)
            | ProbePlace::Exit(_)
            | ProbePlace::Loop { .. }) => other.clone(),
        };
        places.iter().map(|place| self.add(Probe { at: moved(place), text: text.to_owned() })).collect()
    }
}

/// A value to be remembered, as far as the version has it.
struct Kept {
    ghost: Ghost,
    /// For an old value, of which function.
    function: Option<String>,
    /// The C type; the error says why there is none.
    ty: Result<&'static str, String>,
    /// The input function.
    input: Option<String>,
}

impl Kept {
    fn entry(&self) -> Option<Probe> {
        match (&self.ghost, &self.function, &self.ty) {
            (Ghost::Old(text), Some(function), Ok(_)) => {
                Some(Probe { at: ProbePlace::Entry(function.clone()), text: text.clone() })
            }
            _ => None,
        }
    }
}

/// What the facts remember.
struct Ghosts {
    all: Vec<Kept>,
    /// The function of each point.
    functions: Vec<Option<String>>,
}

impl Ghosts {
    fn new(version: &Version, spots: &[Spot], facts: &[Fact]) -> Result<Self, Diagnostic> {
        let mut ghosts = Self { all: Vec::new(), functions: vec![None; spots.len()] };
        let is_old = |ghost: &Ghost| matches!(ghost, Ghost::Old(_));
        if facts.iter().any(|fact| fact.text.ghosts().any(is_old)) {
            ghosts.functions = functions(version, spots)?;
        }
        let mut olds = Vec::new();
        for fact in facts {
            for ghost in fact.text.ghosts() {
                let function = ghosts.functions[fact.point].clone().filter(|_| is_old(ghost));
                if ghosts.all.iter().any(|one| (&one.ghost, &one.function) == (ghost, &function)) {
                    continue;
                }
                let (ty, input) = match ghost {
                    Ghost::Input(name, _) => input(&version.cfa, name.as_deref()),
                    Ghost::Old(_) => {
                        olds.push(ghosts.all.len());
                        (Err("nothing comes to the entry of the function".to_owned()), None)
                    }
                };
                ghosts.all.push(Kept { ghost: ghost.clone(), function, ty, input });
            }
        }
        ghosts.old_types(version, &olds)?;
        Ok(ghosts)
    }

    fn old_types(&mut self, version: &Version, olds: &[usize]) -> Result<(), Diagnostic> {
        let mut probes = Vec::new();
        for at in olds {
            let Kept { ghost: Ghost::Old(text), function, .. } = &self.all[*at] else { continue };
            let Some(function) = function else { continue };
            probes.push((*at, Probe { at: ProbePlace::Entry(function.clone()), text: text.clone() }));
        }
        if probes.is_empty() {
            return Ok(());
        }
        let asked: Vec<Probe> = probes.iter().map(|(_, probe)| probe.clone()).collect();
        let (cfa, answers) = program::load_with(version.source.clone(), &version.cfa.options, &asked)?;
        for ((at, _), answer) in probes.iter().zip(answers) {
            self.all[*at].ty = match answer {
                Ok(probed) if !probed.pure => Err("what old() remembers may not be there at the entry".to_owned()),
                Ok(probed) => c_type(&cfa, cfa.exprs.ty(probed.expr)).ok_or_else(|| "old() remembers numbers only".to_owned()),
                Err(error) => Err(error.to_string()),
            };
        }
        Ok(())
    }

    fn position(&self, ghost: &Ghost, point: usize) -> Option<usize> {
        let function = self.functions[point].as_ref().filter(|_| matches!(ghost, Ghost::Old(_)));
        self.all.iter().position(|one| (&one.ghost, one.function.as_ref()) == (ghost, function))
    }

    /// A fact in C with names for what is remembered, or why there is none.
    fn text(&self, fact: &Fact) -> Result<String, String> {
        for ghost in fact.text.ghosts() {
            if let Some(at) = self.position(ghost, fact.point) {
                self.all[at].ty.clone()?;
            }
        }
        Ok(fact.text.in_c(&|ghost| format!("{NAME}{}", self.position(ghost, fact.point).unwrap_or_default())))
    }

    /// What each file of the version has to declare, so that facts can name what is remembered.
    fn declarations(&self) -> String {
        let declaration = |(number, one): (usize, &Kept)| Some(format!("extern {} {NAME}{number};\n", one.ty.as_ref().ok()?));
        self.all.iter().enumerate().filter_map(declaration).collect()
    }

    /// The program in which everything is remembered.
    fn remember(&self, cfa: Cfa, entry: &dyn Fn(usize) -> Option<ExprId>) -> (Cfa, Variables) {
        let mut variables = Variables::default();
        if self.all.is_empty() {
            return (cfa, variables);
        }
        let function = |name: &str| cfa.function_ids().find(|id| *cfa.function(*id).name == *name);
        let mut instrumenter = Instrumenter::new(&cfa);
        for (number, one) in self.all.iter().enumerate() {
            let name = format!("{NAME}{number}");
            let declared: Vec<VarId> = cfa.variable_ids().filter(|id| *cfa.variable(*id).name == *name).collect();
            if declared.is_empty() {
                continue;
            }
            let made = match (&one.ghost, &one.input, &one.function) {
                (Ghost::Input(_, at), Some(input), _) => function(input).and_then(|id| {
                    let ghost = instrumenter.ghost(Remembered::Input(id, *at))?;
                    let counter = instrumenter.counter(id);
                    variables.read.extend(declared.iter().map(|one| (*one, (counter, *at))));
                    Some(ghost)
                }),
                (Ghost::Old(_), _, Some(name)) => match (function(name), entry(number)) {
                    (Some(id), Some(expr)) if !calls_itself(&cfa, id) => instrumenter.ghost(Remembered::AtEntry(id, expr)),
                    _ => None,
                },
                _ => None,
            };
            match made {
                Some(ghost) => variables.by.extend(declared.iter().map(|one| (*one, ghost))),
                None => variables.lost.extend(declared),
            }
        }
        (instrumenter.finish().recast.cfa, variables)
    }
}

/// Whether a function may be entered while it is being executed.
fn calls_itself(cfa: &Cfa, function: FunctionId) -> bool {
    semantics::facts::Facts::new(cfa).calls().is_recursive(function)
}

/// The variables that stand for what is remembered.
#[derive(Debug, Default)]
struct Variables {
    by: BTreeMap<VarId, VarId>,
    read: BTreeMap<VarId, (VarId, u64)>,
    /// Those that nothing is remembered for.
    lost: Vec<VarId>,
}

/// The function of each point.
fn functions(version: &Version, spots: &[Spot]) -> Result<Vec<Option<String>>, Diagnostic> {
    let mut asking = Asking::default();
    let asked: Vec<Vec<usize>> = spots.iter().map(|spot| asking.ask(spot, HERE, &|offset| offset)).collect();
    let (cfa, answers) = program::load_with(version.source.clone(), &version.cfa.options, &asking.probes)?;
    let function = |probes: &Vec<usize>| {
        let probed = probes.iter().find_map(|at| answers[*at].as_ref().ok())?;
        let function = cfa.location(*probed.locations.first()?).function;
        Some(cfa.function(function).name.to_string())
    };
    Ok(asked.iter().map(function).collect())
}

/// The type of an input function, and its name.
fn input(cfa: &Cfa, wanted: Option<&str>) -> (Result<&'static str, String>, Option<String>) {
    let mut functions: Vec<FunctionId> = cfa
        .edges
        .iter()
        .filter_map(|edge| match edge.operation {
            Operation::Havoc { input, .. } => Some(input),
            _ => None,
        })
        .collect();
    functions.sort_unstable();
    functions.dedup();
    functions.retain(|id| wanted.is_none_or(|name| *cfa.function(*id).name == *name));
    let &[function] = functions.as_slice() else {
        let what =
            if functions.is_empty() { "no such input is read" } else { "there are several input functions: in(FUNCTION, N)" };
        return (Err(what.to_owned()), None);
    };
    let Type::Function(ty) = cfa.types.get(cfa.function(function).ty) else { return (Err("no function".to_owned()), None) };
    let ty = c_type(cfa, ty.result.ty).ok_or_else(|| "inputs that are no numbers cannot be named".to_owned());
    (ty, Some(cfa.function(function).name.to_string()))
}

/// A type of numbers, in C.
pub(crate) fn c_type(cfa: &Cfa, ty: TypeId) -> Option<&'static str> {
    let mut ty = cfa.types.get(ty);
    if let Type::Enum(id) = ty {
        ty = cfa.types.get(cfa.types.enumeration(*id).underlying);
    }
    Some(match ty {
        Type::Bool => "_Bool",
        Type::Int { rank: IntRank::PlainChar, .. } => "char",
        Type::Int { rank: IntRank::Char, signed: true } => "signed char",
        Type::Int { rank: IntRank::Char, signed: false } => "unsigned char",
        Type::Int { rank: IntRank::Short, signed: true } => "short",
        Type::Int { rank: IntRank::Short, signed: false } => "unsigned short",
        Type::Int { rank: IntRank::Int, signed: true } => "int",
        Type::Int { rank: IntRank::Int, signed: false } => "unsigned int",
        Type::Int { rank: IntRank::Long, signed: true } => "long",
        Type::Int { rank: IntRank::Long, signed: false } => "unsigned long",
        Type::Int { rank: IntRank::LongLong, signed: true } => "long long",
        Type::Int { rank: IntRank::LongLong, signed: false } => "unsigned long long",
        Type::Float(FloatKind::Float) => "float",
        Type::Float(FloatKind::Double) => "double",
        _ => return None,
    })
}

/// What a probe is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Point,
    Fact,
}

/// Makes meanings of what the front end says of probes.
struct Meanings<'a> {
    cfa: &'a Cfa,
    editor: transform::Editor,
    answers: Vec<Result<Probed, String>>,
    remembered: Variables,
    /// What says that a run is undefined.
    mark: Option<VarId>,
}

impl Meanings<'_> {
    fn of(&mut self, spot: &Spot, probes: &[usize], about: About) -> Meaning {
        if let Spot::Missing(reason) = spot {
            return Meaning::Missing(reason.clone());
        }
        let (mut found, mut traps) = (Vec::new(), false);
        for at in probes {
            match &self.answers[*at] {
                Ok(probed) => {
                    traps |= !probed.pure;
                    found.extend(first_of(self.cfa, &probed.locations).into_iter().map(|location| (location, probed.expr)));
                }
                Err(reason) if reason.ends_with(UNREACHED) => {}
                Err(reason) if about == About::Point || reason.ends_with(UNDECLARED) => return Meaning::Missing(said(reason)),
                Err(reason) => return Meaning::Unusable(said(reason)),
            }
        }
        if found.is_empty() {
            return Meaning::Unreached;
        }
        if found.iter().any(|(_, expr)| self.any(*expr, &|one| self.is_volatile(one))) {
            return Meaning::Unusable("it reads what is volatile".to_owned());
        }
        if found.iter().any(|(_, expr)| self.any(*expr, &|one| self.is_lost(one))) {
            return Meaning::Unusable("old() is not remembered for a function that may call itself".to_owned());
        }
        let Self { cfa, remembered, editor, mark, .. } = self;
        let (mut holds, mut defined) = (Vec::new(), Vec::new());
        for (at, expr) in found {
            let undefined = mark.map(|mark| {
                let mark = editor.load(mark);
                editor.truth(mark)
            });
            let int = editor.int();
            let (yes, no) = (editor.number(int, 1), editor.number(int, 0));
            if about == About::Point {
                holds.push((at, undefined.unwrap_or(no)));
                // Whether any run comes there, whatever happened in it.
                defined.extend(undefined.map(|_| (at, no)));
                continue;
            }
            let value = replaced(cfa, editor, expr, &remembered.by);
            let value = editor.truth(value);
            let mut when = Definedness { cfa, editor, by: &remembered.by, read: &remembered.read, overflow: mark.is_some() };
            let condition = when.of(expr);
            let unless = |editor: &mut transform::Editor, condition: ExprId| match undefined {
                Some(undefined) => editor.expr(Expr::Conditional(undefined, yes, condition), int),
                None => condition,
            };
            let value = match condition {
                Some(condition) => {
                    defined.push((at, unless(editor, condition)));
                    editor.expr(Expr::Conditional(condition, value, yes), int)
                }
                None => value,
            };
            holds.push((at, unless(editor, value)));
        }
        Meaning::Says { holds, defined, traps }
    }

    /// Whether something is so of an expression or a part of it.
    fn any(&self, expr: ExprId, is: &dyn Fn(&Expr) -> bool) -> bool {
        let mut pending = vec![expr];
        while let Some(one) = pending.pop() {
            let expr = self.cfa.exprs.get(one);
            if is(expr) {
                return true;
            }
            pending.extend(expr.operands());
        }
        false
    }

    fn is_lost(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Variable(variable) if self.remembered.lost.contains(variable))
    }

    fn is_volatile(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Variable(variable) => self.cfa.variable(*variable).ty.qualifiers.is_volatile,
            Expr::Dereference { volatile, .. } => *volatile,
            _ => false,
        }
    }
}

/// A diagnostic without its place, which is in the text of the probe.
fn said(reason: &str) -> String {
    reason.split_once(": ").map_or(reason, |(_, said)| said).to_owned()
}

/// Of locations between which nothing happens, those that are come to first.
fn first_of(cfa: &Cfa, locations: &[LocationId]) -> Vec<LocationId> {
    let is_behind = |location: &LocationId| {
        let before = cfa.in_edges(*location);
        let passes = |edge: &program::cfa::EdgeId| {
            let edge = cfa.edge(*edge);
            matches!(edge.operation, Operation::Blank) && locations.contains(&edge.source)
        };
        !before.is_empty() && before.iter().all(passes)
    };
    let first: Vec<LocationId> = locations.iter().copied().filter(|location| !is_behind(location)).collect();
    if first.is_empty() { locations.to_vec() } else { first }
}
