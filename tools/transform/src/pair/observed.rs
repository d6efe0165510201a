//! One program, watched: what a run of it shows to the outside.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, FunctionId, Linkage, Operation, VarId, VarKind, Variable};
use program::expr::{Expr, ExprId};
use program::known::Handlers;
use program::source::Span;
use program::types::{ArrayLength, FloatKind, FunctionType, QualType, Type, TypeId};
use semantics::interpreter::{DataState, Inputs, Limits, Observer, Origin, Outcome, Run, run};

use super::compare::local;
use super::external::{External, Leaving, external, leaving};
use super::plan::Pairing;
use crate::Recast;
use crate::editor::{Editor, plain_function};

/// Scalars of one object that are looked at.
const MOST_PLACES: usize = 4096;

/// A call that is seen, with what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// The function, with the texts of literals among the arguments.
    pub name: String,
    /// Other arguments as bits; `None` for what has no value of its own.
    pub arguments: Vec<Option<u128>>,
}

/// How a watched run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The entry function returned: its result, and what is in the places that are looked at.
    Returned(Option<u128>, Vec<Option<u128>>),
    /// `abort`, or an assertion failed.
    Aborted,
    /// `exit` or a relative, with its code.
    Exited(&'static str, u128),
    /// Something undefined.
    Undefined(String),
    /// What is assumed of inputs does not hold.
    Blocked,
    /// Nobody knows: too long, or not modelled.
    Unknown(String),
}

/// What a run shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its end.
    pub end: End,
    /// What happened before.
    pub events: Vec<Happening>,
    /// It read what was never written.
    pub is_indeterminate: bool,
}

/// What is looked at of a scalar.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Plain,
    Float(u32),
    /// Only whether it is null.
    Pointer,
}

/// A program with what is seen of it.
#[derive(Debug)]
pub struct Observed {
    /// The program.
    pub recast: Recast,
    /// Names of the places that are looked at at the end.
    pub names: Vec<String>,
    happenings: BTreeMap<EdgeId, (String, Vec<Option<VarId>>)>,
    done: EdgeId,
    result: Option<(VarId, Kind)>,
    places: Vec<(ExprId, Kind)>,
    made: Option<FunctionId>,
}

/// Watches one of two programs; both show the same places in the same order.
#[must_use]
pub fn observed(pairing: &Pairing<'_>, side: usize) -> Option<Observed> {
    let cfa = pairing.cfa(side);
    let mut editor = Editor::new(cfa);
    let mut happenings = BTreeMap::new();
    for edge in cfa.edge_ids() {
        if let Some((name, variables)) = noted(&mut editor, cfa, edge) {
            happenings.insert(edge, (name, variables));
        }
    }
    let real = pairing.real_entry();
    let real = if side == 0 { real } else { pairing.counterpart(real)? };
    let is_made = pairing.made_caller().is_some();
    let (call, caller) = if is_made {
        let made = cfa.entry;
        let is_call =
            |edge: &EdgeId| cfa.location(cfa.edge(*edge).source).function == made && cfa.entered_callee(*edge) == Some(real);
        (cfa.edge_ids().find(is_call)?, made)
    } else {
        start(&mut editor, real)
    };
    let result = result_of(&mut editor, call, caller);
    let edge = editor.edge(call).clone();
    let behind = editor.location_beside(edge.source);
    editor.lead(call, behind);
    let done = editor.add(behind, edge.target, Operation::Blank, (edge.span, edge.statement));
    let (mut names, mut places) = (Vec::new(), Vec::new());
    for variable in looked_at(pairing, side) {
        let (place, name) = (editor.place(variable), cfa.variable(variable).name.to_string());
        scalars(&mut editor, place, &name, &mut names, &mut places);
    }
    let made = is_made.then_some(caller);
    Some(Observed { recast: editor.finish(), names, happenings, done, result, places, made })
}

/// A function with its own arguments and result, and nothing else that is seen.
pub(super) fn function_alone(cfa: &Cfa, function: FunctionId) -> Observed {
    let mut editor = Editor::new(cfa);
    let (call, caller) = start(&mut editor, function);
    let result = result_of(&mut editor, call, caller);
    let edge = editor.edge(call).clone();
    let behind = editor.location_beside(edge.source);
    editor.lead(call, behind);
    let done = editor.add(behind, edge.target, Operation::Blank, (edge.span, edge.statement));
    let (happenings, names, places) = (BTreeMap::new(), Vec::new(), Vec::new());
    Observed { recast: editor.finish(), names, happenings, done, result, places, made: None }
}

/// The variables that are looked at, in the order of the original.
#[must_use]
pub fn looked_at(pairing: &Pairing<'_>, side: usize) -> Vec<VarId> {
    let is_made = pairing.made_caller().is_some();
    let is_seen = |variable: &Variable| matches!(variable.kind, VarKind::Global { linkage: Linkage::External, defined: true });
    let mut found = Vec::new();
    let correspondence = pairing.comparison.correspondence();
    for id in pairing.original.variable_ids() {
        let variable = pairing.original.variable(id);
        let is_passed = is_made && variable.function == Some(pairing.original.entry) && variable.kind == VarKind::Local;
        if !is_seen(variable) && !is_passed {
            continue;
        }
        let Some(other) = correspondence.content_back(id) else { continue };
        let twin = pairing.modified.variable(other);
        if is_seen(variable) && is_seen(twin) || is_passed && twin.kind == VarKind::Local {
            found.push(if side == 0 { id } else { other });
        }
    }
    found
}

/// The scalars of a place.
fn scalars(editor: &mut Editor, place: ExprId, name: &str, names: &mut Vec<String>, found: &mut Vec<(ExprId, Kind)>) {
    if names.len() >= MOST_PLACES {
        return;
    }
    let ty = editor.type_of(place);
    if let Some(kind) = kind(editor, ty) {
        names.push(name.to_owned());
        found.push((place, kind));
        return;
    }
    match editor.parts.types.get(ty).clone() {
        Type::Record(id) if !editor.parts.types.record(id).is_union => {
            for (number, field) in editor.parts.types.record(id).fields.clone().into_iter().enumerate() {
                let Some(number) = u32::try_from(number).ok().filter(|_| field.bits.is_none()) else { continue };
                let inner = editor.expr(Expr::Field(place, number), field.ty.ty);
                scalars(editor, inner, &format!("{name}.{}", field.name.unwrap_or_default()), names, found);
            }
        }
        Type::Array { element, length: ArrayLength::Constant(length) } => {
            let int = editor.int();
            for index in 0..length.min(MOST_PLACES as u64) {
                let number = editor.number(int, u128::from(index));
                let inner = editor.expr(Expr::Index(place, number), element.ty);
                scalars(editor, inner, &format!("{name}[{index}]"), names, found);
            }
        }
        _ => {}
    }
}

fn kind(editor: &Editor, ty: TypeId) -> Option<Kind> {
    match editor.parts.types.get(ty) {
        Type::Bool | Type::Int { .. } | Type::Enum(_) => Some(Kind::Plain),
        Type::Float(FloatKind::Float) => Some(Kind::Float(32)),
        Type::Float(FloatKind::Double) => Some(Kind::Float(64)),
        Type::Pointer(_) => Some(Kind::Pointer),
        _ => None,
    }
}

/// A function that calls the entry function; the call, and the function.
fn start(editor: &mut Editor, entry: FunctionId) -> (EdgeId, FunctionId) {
    let types: Vec<TypeId> = editor.parts.functions[entry.index()]
        .parameters
        .iter()
        .map(|parameter| editor.parts.variables[parameter.index()].ty.ty)
        .collect();
    let void = editor.ty(Type::Void);
    let parameters = types.iter().map(|ty| QualType::plain(*ty)).collect();
    let ty = FunctionType { result: QualType::plain(void), parameters, variadic: false, unprototyped: false };
    let ty = editor.ty(Type::Function(ty));
    let id = FunctionId::new(editor.parts.functions.len());
    editor.parts.functions.push(plain_function("__residue_watched", ty));
    let (source, behind, exit) = (editor.location_in(id), editor.location_in(id), editor.location_in(id));
    let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
    for (number, ty) in types.into_iter().enumerate() {
        let variable = local(editor, id, "argument", ty);
        editor.parts.variables[variable.index()].kind = VarKind::Parameter(u32::try_from(number).unwrap_or(u32::MAX));
        parameters.push(variable);
        arguments.push(editor.load(variable));
    }
    let function = &mut editor.parts.functions[id.index()];
    (function.entry, function.exit, function.parameters) = (Some(source), Some(exit), parameters);
    editor.parts.entry = id;
    let at = (Span::default(), Span::default());
    let call = editor.add(source, behind, Operation::Call { callee: entry, arguments, result: None }, at);
    editor.add(behind, exit, Operation::Return { value: None }, at);
    (call, id)
}

/// The variable that gets the result of a call, if it is a scalar.
fn result_of(editor: &mut Editor, call: EdgeId, caller: FunctionId) -> Option<(VarId, Kind)> {
    let Operation::Call { callee, arguments, result } = editor.edge(call).operation.clone() else { return None };
    let Type::Function(ty) = editor.parts.types.get(editor.parts.functions[callee.index()].ty).clone() else { return None };
    let kind = kind(editor, ty.result.ty)?;
    let variable = result.unwrap_or_else(|| local(editor, caller, "result", ty.result.ty));
    editor.parts.edges[call.index()].operation = Operation::Call { callee, arguments, result: Some(variable) };
    Some((variable, kind))
}

/// Keeps the arguments of a call that is seen in variables: its name, and they.
fn noted(editor: &mut Editor, cfa: &Cfa, edge: EdgeId) -> Option<(String, Vec<Option<VarId>>)> {
    let Operation::Call { callee, arguments, .. } = &cfa.edge(edge).operation else { return None };
    let function = cfa.function(*callee);
    let is_end = matches!(leaving(cfa, edge), Some(Leaving::Exit(_) | Leaving::Other));
    let is_event = function.entry.is_none() && external(function) == External::Event;
    if !is_end && !is_event {
        return None;
    }
    let mut name = function.name.to_string();
    let mut kept = Vec::new();
    for argument in arguments {
        let ty = cfa.exprs.ty(*argument);
        if let Some(text) = literal(cfa, *argument) {
            name += &format!("\0{}", text.escape_ascii());
        } else if matches!(kind(editor, ty), Some(Kind::Plain | Kind::Float(_))) {
            let ghost = editor.ghost("argument", QualType::plain(ty));
            let (place, source) = (editor.place(ghost), editor.edge(edge).source);
            let next = editor.location_beside(source);
            let at = (editor.edge(edge).span, editor.edge(edge).statement);
            editor.parts.edges[edge.index()].source = next;
            editor.add(source, next, Operation::Assign { place, value: *argument }, at);
            kept.push(Some(ghost));
        } else {
            kept.push(None);
        }
    }
    Some((name, kept))
}

fn literal(cfa: &Cfa, expr: ExprId) -> Option<&[u8]> {
    let VarKind::StringLiteral(text) = &cfa.variable(cfa.exprs.beginning_of(expr)?).kind else { return None };
    Some(text)
}

impl Observed {
    /// Runs the program.
    pub fn run(&self, inputs: &mut dyn Inputs, limits: Limits) -> (Seen, Run) {
        let mut watch = Watch { of: self, events: Vec::new(), end: None };
        let done = run(&self.recast.cfa, inputs, &mut watch, limits);
        let Watch { mut events, end, .. } = watch;
        let mut end = end.unwrap_or_else(|| self.end(&done, &mut events));
        if done.looks_at_addresses {
            end = End::Unknown("bits of an address".to_owned());
        }
        let is_unwritten = |origin: Origin| match origin {
            Origin::Object { variable: Some(variable), .. } => {
                let is_given = self.recast.cfa.function(self.recast.cfa.entry).parameters.contains(&variable);
                let variable = self.recast.cfa.variable(variable);
                !is_given && variable.is_automatic() && (self.made.is_none() || variable.function != self.made)
            }
            Origin::Object { variable: None, .. } | Origin::MissingResult(_) => true,
            _ => false,
        };
        let is_indeterminate = done.reads.iter().any(|read| !read.decided && read.seen && is_unwritten(read.request.origin));
        (Seen { end, events, is_indeterminate }, done)
    }

    fn end(&self, done: &Run, events: &mut Vec<Happening>) -> End {
        let leaving = done.trace.last().and_then(|edge| leaving(&self.recast.cfa, *edge));
        match (&done.outcome, leaving) {
            (Outcome::ErrorReached | Outcome::Aborted, Some(Leaving::Undefined(violation))) => {
                End::Undefined(violation.name().to_owned())
            }
            (Outcome::ErrorReached | Outcome::Aborted, Some(Leaving::Abort)) => End::Aborted,
            (Outcome::Aborted, Some(Leaving::Exit(handlers))) => {
                let name = match handlers {
                    Handlers::AtExit => "exit",
                    Handlers::AtQuickExit => "quick_exit",
                    Handlers::None => "_exit",
                };
                let code = events.pop().and_then(|last| last.arguments.first().copied().flatten());
                code.map_or_else(|| End::Unknown(format!("code of {name}")), |code| End::Exited(name, code & 0xff))
            }
            (Outcome::Aborted, Some(Leaving::Other)) => End::Aborted,
            (Outcome::Aborted, None) => End::Blocked,
            (Outcome::Undefined { kind, .. }, _) => End::Undefined(kind.name().to_owned()),
            (Outcome::Unsupported { construct, .. }, _) => End::Unknown(construct.to_string()),
            (outcome, _) => End::Unknown(format!("{outcome:?}")),
        }
    }
}

struct Watch<'a> {
    of: &'a Observed,
    events: Vec<Happening>,
    end: Option<End>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        if let Some((name, kept)) = self.of.happenings.get(&edge) {
            let arguments = kept.iter().map(|variable| state.scalar((*variable)?)).collect();
            self.events.push(Happening { name: name.clone(), arguments });
        }
        if edge == self.of.done {
            let value = self.of.result.and_then(|(variable, kind)| shown(state.scalar(variable), kind));
            let places = self.of.places.iter().map(|(place, kind)| shown(state.written(*place), *kind)).collect();
            self.end = Some(End::Returned(value, places));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// A value as it compares: all NaN are one, and of a pointer only whether it is null.
fn shown(bits: Option<u128>, kind: Kind) -> Option<u128> {
    let bits = bits?;
    Some(match kind {
        Kind::Plain => bits,
        Kind::Float(32) if f32::from_bits(u32::try_from(bits).ok()?).is_nan() => u128::MAX,
        Kind::Float(64) if f64::from_bits(u64::try_from(bits).ok()?).is_nan() => u128::MAX,
        Kind::Float(_) => bits,
        Kind::Pointer => u128::from(bits != 0),
    })
}
