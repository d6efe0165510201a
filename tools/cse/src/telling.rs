//! Which call tells the versions apart: of those of what changed up to which both are given the same, the first that was seen to
//! do something else, or the only one that is not known to do the same; and the branches that it takes with its arguments.
//!
//! Other arguments that take the same branches are of the same kind; whether the versions differ for all of them, or for others, is
//! not known here.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of types")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::expr::BinaryOp;
use program::types::{Type, TypeId};
use semantics::interpreter::{DataState, Observer, constant_of};
use transform::pair::{Atom, External, Leaving, With, external, leaving};

/// Calls of one run that are compared.
const MOST_CALLS: usize = 10_000;
/// Branches of a call that are told.
const MOST_BRANCHES: usize = 8;

/// A call of what changed.
#[derive(Clone, Debug)]
pub(crate) struct TellingCall {
    /// In the original program.
    pub(crate) edge: EdgeId,
    /// With its arguments, as text.
    pub(crate) text: String,
    /// The branches that it takes in the original and then in the modified program, each text once.
    pub(crate) along: Vec<String>,
    /// Those of them that compare parameters, and hold for what these are given.
    pub(crate) branches: Vec<Atom>,
    /// The signs of the numbers among its arguments.
    pub(crate) signs: Vec<Atom>,
}

/// The calls from what is the same in both programs into what is not.
pub(crate) fn calls_into(cfa: &Cfa, inside: &BTreeSet<FunctionId>) -> Vec<(EdgeId, FunctionId)> {
    let call = |edge: EdgeId| {
        let caller = cfa.location(cfa.edge(edge).source).function;
        let callee = cfa.entered_callee(edge)?;
        (!inside.contains(&caller) && inside.contains(&callee)).then_some((edge, callee))
    };
    cfa.edge_ids().filter_map(call).collect()
}

/// The call that tells, of those before the programs call with other arguments, or elsewhere, with the branches it takes in both.
/// Calls that are excluded, because both versions do the same there, tell nothing. `None` if it may be one of several.
pub(crate) fn telling(programs: [&Cfa; 2], made: [Vec<Made>; 2], excluded: &BTreeSet<EdgeId>) -> Option<TellingCall> {
    let [original, modified] = &made;
    let same = original.iter().zip(modified).take_while(|(a, b)| a.text == b.text).count();
    let is_open = |number: &usize| original.get(*number).is_some_and(|call| !excluded.contains(&call.edge));
    let differs = |number: &usize| *number < same && original[*number].differs(&modified[*number]);
    let open: Vec<usize> = (0..same.max(1)).filter(is_open).collect();
    let seen = open.iter().copied().find(differs);
    let is_one = |number: &usize| open.iter().all(|other| original[*other].edge == original[*number].edge);
    let number = seen.or_else(|| open.last().copied().filter(is_one))?;
    let telling = original.get(number)?;
    let other = modified.get(number).filter(|_| number < same);
    let mut along: Vec<String> = Vec::new();
    let mut branches: Vec<Atom> = Vec::new();
    for (cfa, call) in programs.into_iter().zip([Some(telling), other]) {
        let Some(call) = call else { continue };
        for branch in &call.branches {
            let text = cfa.edge_text(*branch);
            if !along.contains(&text) {
                along.push(text);
            }
            branches.extend(Atom::of_branch(cfa, call.callee, *branch));
        }
    }
    let original = programs[0];
    let parameters = &original.function(telling.callee).parameters;
    let is_pointer = |place: usize| matches!(original.types.get(original.variable(parameters[place]).ty.ty), Type::Pointer(_));
    let numbers = telling.arguments.iter().enumerate().filter(|(place, _)| !is_pointer(*place));
    let signs = numbers.filter_map(|(place, value)| Some(sign(place, (*value)?))).collect();
    branches.retain(|atom| atom.holds(&telling.arguments) == Some(true));
    if along.len() > MOST_BRANCHES {
        along.truncate(MOST_BRANCHES);
        along.push("…".to_owned());
    }
    Some(TellingCall { edge: telling.edge, text: telling.text.clone(), along, branches, signs })
}

/// Notes calls, as text.
pub(crate) struct Calls<'a> {
    cfa: &'a Cfa,
    of: &'a [(EdgeId, FunctionId)],
    made: Vec<Made>,
    /// How deep the last one is, as long as it is active.
    depth: Option<usize>,
}

/// What is seen of a call from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The run ended in it.
    Active,
    /// It returned, and this is what, if it is a number.
    Returned(Option<u128>),
}

/// A call that was made.
pub(crate) struct Made {
    edge: EdgeId,
    callee: FunctionId,
    text: String,
    /// The numbers that it is given; of pointers only whether they are null.
    arguments: Vec<Option<i128>>,
    /// The first branches that it takes, each once.
    branches: Vec<EdgeId>,
    /// Events in it.
    events: usize,
    end: End,
}

impl Made {
    /// Whether it is seen from outside that another version of it does something else.
    fn differs(&self, other: &Self) -> bool {
        self.events != other.events
            || match (self.end, other.end) {
                (End::Returned(a), End::Returned(b)) => a.zip(b).is_some_and(|(a, b)| a != b),
                (a, b) => a != b,
            }
    }
}

impl<'a> Calls<'a> {
    /// Notes these calls of a run.
    pub(crate) fn new(cfa: &'a Cfa, of: &'a [(EdgeId, FunctionId)]) -> Self {
        Self { cfa, of, made: Vec::new(), depth: None }
    }

    /// Those that were made, in their order.
    pub(crate) fn made(self) -> Vec<Made> {
        self.made
    }

    /// Takes down how the last call ends.
    fn ended(&mut self, state: &DataState<'_>) {
        if self.depth.is_none_or(|own| state.depth() >= own) {
            return;
        }
        self.depth = None;
        if let Some(call) = self.made.last_mut() {
            let result = match self.cfa.edge(call.edge).operation {
                Operation::Call { result, .. } => result,
                _ => None,
            };
            call.end = End::Returned(result.and_then(|result| state.scalar(result)));
        }
    }

    /// Takes down the branch that the last call takes.
    fn follow(&mut self, edge: EdgeId) {
        let cfa = self.cfa;
        let (Some(_), Some(call)) = (self.depth, self.made.last_mut()) else { return };
        let is_event = |callee| cfa.function(callee).entry.is_none() && external(cfa.function(callee)) == External::Event;
        call.events += usize::from(matches!(cfa.edge(edge).operation, Operation::Call { callee, .. } if is_event(callee)));
        let is_branch = matches!(cfa.edge(edge).operation, Operation::Assume { .. });
        if !is_branch || call.branches.len() >= 2 * MOST_BRANCHES || call.branches.contains(&edge) {
            return;
        }
        // Branches before what may not be defined are not in the text.
        let is_undefined = |edge: &EdgeId| matches!(leaving(cfa, *edge), Some(Leaving::Undefined(_)));
        let is_guard = |edge: &EdgeId| cfa.out_edges(cfa.edge(*edge).target).iter().any(is_undefined);
        if !cfa.out_edges(cfa.edge(edge).source).iter().any(is_guard) {
            call.branches.push(edge);
        }
    }
}

impl Observer for Calls<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        self.ended(state);
        self.follow(edge);
        let Some((_, called)) = self.of.iter().find(|(known, _)| *known == edge) else { return ControlFlow::Continue(()) };
        let callee = self.cfa.function(*called);
        let argument = |parameter: &VarId| {
            let ty = self.cfa.variable(*parameter).ty.ty;
            let is_pointer = matches!(self.cfa.types.get(ty), Type::Pointer(_));
            match state.scalar(*parameter) {
                Some(0) if is_pointer => "null".to_owned(),
                Some(bits) if !is_pointer => constant_of(self.cfa, ty, bits),
                _ => "…".to_owned(),
            }
        };
        let texts: Vec<String> = callee.parameters.iter().map(argument).collect();
        let number = |parameter: &VarId| number(self.cfa, self.cfa.variable(*parameter).ty.ty, state.scalar(*parameter)?);
        let arguments = callee.parameters.iter().map(number).collect();
        self.depth = Some(state.depth());
        let text = format!("{}({})", callee.name, texts.join(", "));
        self.made.push(Made { edge, callee: *called, text, arguments, branches: Vec::new(), events: 0, end: End::Active });
        if self.made.len() < MOST_CALLS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// What the sign of an argument says.
fn sign(parameter: usize, value: i128) -> Atom {
    let relation = match value.signum() {
        1 => BinaryOp::Greater,
        -1 => BinaryOp::Less,
        _ => BinaryOp::Equal,
    };
    Atom { parameter, relation, with: With::Number(0) }
}

/// The number that bits of a type are; of a pointer whether it is null.
fn number(cfa: &Cfa, ty: TypeId, bits: u128) -> Option<i128> {
    match *cfa.types.get(ty) {
        Type::Pointer(_) => Some(i128::from(bits != 0)),
        Type::Bool => i128::try_from(bits).ok(),
        Type::Enum(id) => number(cfa, cfa.types.enumeration(id).underlying, bits),
        Type::Int { rank, signed } => {
            let unused = 128_u32.checked_sub(8 * u32::try_from(cfa.machine.int_size(rank)).ok()?)?;
            let top = bits << unused;
            if signed { Some(top.cast_signed() >> unused) } else { i128::try_from(bits).ok() }
        }
        _ => None,
    }
}
