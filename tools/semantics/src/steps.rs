//! A run to the error as the statements it executes, with the values people want to see.
//!
//! The run is repeated by the interpreter on recorded inputs. Consecutive edges of one statement make one step. Long runs
//! keep their first and their last steps. What a call of the C library does there is left out: the call shows what it is given
//! and what it returns. Shown are the values, behind the step, of the scalars its operations mention, of
//! parameters at a call and of results at a return; a place whose value nothing has asked for is left out.
//! Does not know how a step is shown.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::rc::Rc;

use formats::report::Value;
use program::cfa::{Cfa, EdgeId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::types::{FloatKind, Type};

use crate::interpreter::{self, DataState, Inputs, Limits, Observer, Outcome, Run};
use crate::own_text;

/// Steps kept from the beginning and from the end of a run.
const FIRST: usize = 300;
const LAST: usize = 1_700;
/// Values shown of one step.
const MOST_VALUES: usize = 8;
/// How deep names of places are nested.
const NAME_DEPTH: u32 = 16;

/// One step: edges of one statement.
#[derive(Clone, Debug)]
pub struct RunStep {
    /// The edges, at least one.
    pub edges: Vec<EdgeId>,
    /// How many functions have been entered and not left.
    pub depth: usize,
    /// Values behind the last edge.
    pub values: Vec<Value>,
}

/// A run of the modified program to the violation.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// The steps that are kept.
    pub steps: Vec<RunStep>,
    /// How many are left out.
    pub omitted: usize,
    /// Index of the first step behind the omitted ones.
    pub resumes_at: usize,
    /// The edge that violates the property, or the call of the C library that does.
    pub violation: Option<EdgeId>,
    /// The last edge before it for which the caller's test held.
    pub last_match: Option<EdgeId>,
}

impl RunStep {
    /// What the step does: the texts of its operations, the largest one where one is part of another.
    #[must_use]
    pub fn text(&self, cfa: &Cfa) -> String {
        let mut texts: Vec<String> = Vec::new();
        for edge in &self.edges {
            let ends_function = matches!(cfa.edge(*edge).operation, Operation::Return { value: None });
            // The end of a function body has no text but its brace; a guard is no branch that somebody wrote.
            let text = match ends_function {
                true => "return".to_owned(),
                false if own_text::is_guard(cfa, *edge) => cfa.bare_text(*edge),
                false => cfa.edge_text(*edge),
            };
            if text.is_empty() || texts.iter().any(|known| known.contains(&text)) {
                continue;
            }
            texts.retain(|known| !text.contains(known.as_str()));
            texts.push(text);
        }
        texts.join("; ")
    }
}

/// Repeats a run; `None` if it does not reach the violation. `test` picks edges for [`Steps::last_match`].
pub fn steps(cfa: &Cfa, inputs: &mut dyn Inputs, limits: Limits, test: &dyn Fn(EdgeId) -> bool) -> Option<Steps> {
    let mut recorder = Recorder::new(cfa, test);
    let run = interpreter::run(cfa, inputs, &mut recorder, limits);
    if run.outcome != Outcome::ErrorReached {
        return None;
    }
    let violation = own_text::end(cfa, &run).map(|end| end.edge);
    Some(recorder.finish(violation))
}

/// The steps of a run to the error, which is repeated with what it read.
#[must_use]
pub fn of_run(cfa: &Cfa, run: &Run, limits: Limits) -> Option<Steps> {
    let mut values = run.reads.iter().map(|read| read.value);
    steps(cfa, &mut |_: &interpreter::Request| values.next(), limits, &|_| false)
}

/// Places with their names.
type NamedPlaces = Rc<[(ExprId, String)]>;

struct Recorder<'a> {
    cfa: &'a Cfa,
    test: &'a dyn Fn(EdgeId) -> bool,
    first: Vec<RunStep>,
    last: VecDeque<RunStep>,
    omitted: usize,
    /// Call edges that have not returned.
    calls: Vec<EdgeId>,
    /// Places of interest by edge with their names, filled when the edge is first passed.
    mentioned: Vec<Option<NamedPlaces>>,
    last_match: Option<EdgeId>,
}

impl Observer for Recorder<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        if (self.test)(edge) {
            self.last_match = Some(edge);
        }
        let entered = self.cfa.entered_callee(edge);
        let is_return = matches!(self.cfa.edge(edge).operation, Operation::Return { .. });
        let depth = state.depth() + usize::from(is_return) - usize::from(entered.is_some());
        let returned_to = if is_return { self.calls.pop() } else { None };
        let cfa = self.cfa;
        let values: Vec<Value> = match (entered, returned_to) {
            (Some(callee), _) => {
                self.calls.push(edge);
                let parameters = cfa.function(callee).parameters.iter();
                parameters.filter_map(|parameter| value(cfa, *parameter, state)).take(MOST_VALUES).collect()
            }
            (None, Some(call)) => {
                let value = cfa.edge(call).operation.result().and_then(|variable| value(cfa, variable, state));
                // The name is that of the caller, which the step is not in.
                value.map(|value| Value { name: "(result)".to_owned(), ..value }).into_iter().collect()
            }
            (None, None) => {
                let places = self.mentioned(edge);
                let value = |(place, name): &(ExprId, String)| {
                    let bits = state.place(*place)?;
                    Some(Value { name: name.clone(), value: constant(cfa, cfa.types.get(cfa.exprs.ty(*place)), bits) })
                };
                places.iter().filter_map(value).take(MOST_VALUES).collect()
            }
        };
        if !own_text::is_library(cfa, edge) {
            self.record(edge, depth, values);
        } else if let Some(call) = returned_to {
            self.record_result(call, values);
        }
        ControlFlow::Continue(())
    }
}

impl<'a> Recorder<'a> {
    fn new(cfa: &'a Cfa, test: &'a dyn Fn(EdgeId) -> bool) -> Self {
        let mentioned = vec![None; cfa.edges.len()];
        Self { cfa, test, first: Vec::new(), last: VecDeque::new(), omitted: 0, calls: Vec::new(), mentioned, last_match: None }
    }

    /// Adds an edge to the last step, or begins another one.
    fn record(&mut self, edge: EdgeId, depth: usize, values: Vec<Value>) {
        let cfa = self.cfa;
        let same = |step: &RunStep| {
            let before = step.edges.last().map(|last| cfa.edge(*last));
            // Control that comes back to where the step began passes the statement once more.
            let again = step.edges.contains(&edge);
            let continues = before.is_some_and(|before| before.statement == cfa.edge(edge).statement);
            step.depth == depth && continues && !again
        };
        let open = if self.last.is_empty() { self.first.last_mut() } else { self.last.back_mut() };
        if let Some(step) = open.filter(|step| same(step)) {
            step.edges.push(edge);
            for value in values {
                step.values.retain(|known| known.name != value.name);
                step.values.push(value);
            }
            return;
        }
        if cfa.edge(edge).span.is_empty() {
            // Made by lowering: there is nothing to see.
            return;
        }
        let step = RunStep { edges: vec![edge], depth, values };
        if self.first.len() < FIRST && self.last.is_empty() {
            return self.first.push(step);
        }
        self.last.push_back(step);
        if self.last.len() > LAST {
            self.last.pop_front();
            self.omitted += 1;
        }
    }

    /// Adds what the C library returned to the step that called it, unless steps within (of functions that it called) are behind.
    fn record_result(&mut self, call: EdgeId, values: Vec<Value>) {
        let last = if self.last.is_empty() { self.first.last_mut() } else { self.last.back_mut() };
        if let Some(step) = last.filter(|step| step.edges.last() == Some(&call)) {
            step.values.extend(values);
        }
    }

    fn mentioned(&mut self, edge: EdgeId) -> NamedPlaces {
        let cfa = self.cfa;
        let slot = &mut self.mentioned[edge.index()];
        Rc::clone(slot.get_or_insert_with(|| named_places(cfa, &cfa.edge(edge).operation).into()))
    }

    fn finish(self, violation: Option<EdgeId>) -> Steps {
        let resumes_at = self.first.len();
        let steps = self.first.into_iter().chain(self.last).collect();
        Steps { steps, omitted: self.omitted, resumes_at, violation, last_match: self.last_match }
    }
}

/// The places an operation mentions that have a name, the one it writes first.
fn named_places(cfa: &Cfa, operation: &Operation) -> Vec<(ExprId, String)> {
    let roots: Vec<ExprId> = match operation {
        Operation::Declare { .. } | Operation::Blank | Operation::Asm(_) | Operation::Unsupported { .. } => Vec::new(),
        Operation::Assume { condition, .. } => vec![*condition],
        Operation::Assign { place, value } => vec![*place, *value],
        Operation::Havoc { variable, .. } => variable.and_then(|variable| place_of(cfa, variable)).into_iter().collect(),
        Operation::Call { arguments, result, .. } => {
            let result = result.and_then(|variable| place_of(cfa, variable));
            result.into_iter().chain(arguments.iter().copied()).collect()
        }
        Operation::Return { value } => value.iter().copied().collect(),
    };
    let mut found: Vec<(ExprId, String)> = Vec::new();
    let mut open: Vec<ExprId> = roots.into_iter().rev().collect();
    while let Some(id) = open.pop() {
        let expression = cfa.exprs.get(id);
        if expression.is_place()
            && !found.iter().any(|(known, _)| *known == id)
            && let Some(name) = place_name(cfa, id, NAME_DEPTH)
        {
            found.push((id, name));
        }
        let operands: Vec<ExprId> = expression.operands().collect();
        open.extend(operands.into_iter().rev());
    }
    found
}

/// The place that is a variable, if some expression mentions it.
fn place_of(cfa: &Cfa, variable: VarId) -> Option<ExprId> {
    cfa.exprs.ids().find(|id| *cfa.exprs.get(*id) == Expr::Variable(variable))
}

/// A place as C text; `None` for what people have no name for.
fn place_name(cfa: &Cfa, place: ExprId, depth: u32) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match *cfa.exprs.get(place) {
        Expr::Variable(variable) => name(cfa, variable).map(str::to_owned),
        Expr::Field(record, number) => {
            let Type::Record(id) = cfa.types.get(cfa.exprs.ty(record)) else { return None };
            let field = cfa.types.record(*id).fields.get(number as usize)?.name.as_deref()?;
            match *cfa.exprs.get(record) {
                Expr::Dereference { pointer, .. } => Some(format!("{}->{field}", value_name(cfa, pointer, depth)?)),
                _ => Some(format!("{}.{field}", place_name(cfa, record, depth)?)),
            }
        }
        Expr::Index(array, index) => Some(format!("{}[{}]", place_name(cfa, array, depth)?, value_name(cfa, index, depth)?)),
        Expr::Dereference { pointer, .. } => Some(format!("*{}", value_name(cfa, pointer, depth)?)),
        _ => None,
    }
}

/// A value that is a constant or at a place.
fn value_name(cfa: &Cfa, value: ExprId, depth: u32) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match *cfa.exprs.get(value) {
        Expr::Int(number) => Some(constant(cfa, cfa.types.get(cfa.exprs.ty(value)), number)),
        Expr::Load(place) => place_name(cfa, place, depth),
        Expr::Cast(from) => value_name(cfa, from, depth),
        _ => None,
    }
}

/// The name of a variable in the source.
fn name(cfa: &Cfa, variable: VarId) -> Option<&str> {
    let known = cfa.variable(variable);
    match known.kind {
        VarKind::Temporary(_) | VarKind::StringLiteral(_) | VarKind::CompoundLiteral => None,
        VarKind::Global { .. } | VarKind::StaticLocal | VarKind::Local | VarKind::Parameter(_) => Some(&known.name),
    }
}

/// The value of a scalar variable; a temporary has no name.
fn value(cfa: &Cfa, variable: VarId, state: &DataState<'_>) -> Option<Value> {
    let bits = state.scalar(variable)?;
    let ty = cfa.types.get(cfa.variable(variable).ty.ty);
    Some(Value { name: name(cfa, variable).unwrap_or_default().to_owned(), value: constant(cfa, ty, bits) })
}

/// Bits as a C constant of a scalar type.
fn constant(cfa: &Cfa, ty: &Type, bits: u128) -> String {
    match ty {
        Type::Int { rank, signed: true } => {
            let unused = 128 - u32::try_from(cfa.machine.int_size(*rank) * 8).unwrap_or(128).min(128);
            let shifted = bits.checked_shl(unused).unwrap_or(0).cast_signed();
            (shifted >> unused.min(127)).to_string()
        }
        Type::Enum(id) => {
            let definition = cfa.types.enumeration(*id);
            let number = constant(cfa, cfa.types.get(definition.underlying), bits);
            match definition.enumerators.iter().find(|(_, value)| value.to_string() == number) {
                Some((name, _)) => format!("{name} ({number})"),
                None => number,
            }
        }
        Type::Pointer(_) if bits == 0 => "NULL".to_owned(),
        Type::Pointer(_) => format!("{bits:#x}"),
        Type::Float(FloatKind::Float) => format!("{:?}", f32::from_bits(u32::try_from(bits).unwrap_or(0))),
        Type::Float(FloatKind::Double) => format!("{:?}", f64::from_bits(u64::try_from(bits).unwrap_or(0))),
        Type::Float(FloatKind::LongDouble | FloatKind::Float128)
        | Type::Int { signed: false, .. }
        | Type::Bool
        | Type::Void
        | Type::Complex(_)
        | Type::Array { .. }
        | Type::Function(_)
        | Type::Record(_)
        | Type::Vector { .. }
        | Type::VaList => bits.to_string(),
    }
}
