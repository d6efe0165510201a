//! From what a verifier says about a violation to inputs that reach it.
//!
//! A witness names values on lines. They are handed out to a run of the residual program wherever it reads an input on such
//! a line; what the witness leaves out is taken to be 0. The run decides: inputs on which the residual program does not
//! reach its error are no counterexample.
//! Does not know the modified program; the driver replays there afterwards.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

use formats::verdict::{Counterexample, InputValue};
use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId};
use program::types::{FloatKind, Type};
use semantics::interpreter::{self, EdgeObserver, Limits, Origin, Outcome, Request, Run};
use serde::Deserialize;

use super::input::{Prepared, argument};

/// Bounds of a run.
const LIMITS: Limits = Limits { steps: 20_000_000, memory: 1 << 30, skips_library: false };

/// On `line` of the program, `what` (a variable, or `\result` for what the called function returned) is `value`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Assignment {
    line: u32,
    what: String,
    value: String,
}

/// How values are given to the places that read an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handing {
    /// In the order of the witness: a place whose line is not next in it gets 0.
    InOrder,
    /// For each line by itself.
    PerLine,
}

/// Inputs that reach the error, or why there are none.
pub(super) fn find(prepared: &Prepared, assignments: &[Assignment]) -> Result<Counterexample, String> {
    let mut ending = String::new();
    for handing in [Handing::InOrder, Handing::PerLine] {
        let run = run(prepared, assignments, handing);
        if run.outcome == Outcome::ErrorReached
            && let Some(found) = counterexample(&prepared.cfa, &run)
        {
            return Ok(found);
        }
        ending = told(&run.outcome);
    }
    let given =
        if assignments.is_empty() { "it names no inputs".to_owned() } else { format!("its inputs do not replay: {ending}") };
    Err(given)
}

fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::StepLimit | Outcome::MemoryLimit => "the run does not end within the limits of a replay".to_owned(),
        Outcome::Undefined { kind, .. } => format!("the run ends in undefined behaviour ({})", kind.name()),
        Outcome::Unsupported { construct, .. } => format!("the run ends in an unsupported construct ({construct})"),
        Outcome::ErrorReached | Outcome::Finished | Outcome::Aborted => "the run ends without a violation".to_owned(),
        Outcome::InputsExhausted(_) | Outcome::Stopped => "the run ends without a violation".to_owned(),
    }
}

fn run(prepared: &Prepared, assignments: &[Assignment], handing: Handing) -> Run {
    let walk = RefCell::new(Walk::new(prepared, assignments, handing));
    let mut inputs = |request: &Request| Some(walk.borrow_mut().value(request));
    let mut observer = EdgeObserver(|edge| {
        walk.borrow_mut().pass(edge);
        ControlFlow::Continue(())
    });
    interpreter::run(&prepared.cfa, &mut inputs, &mut observer, LIMITS)
}

/// Where a run is, and which values are left for it.
struct Walk<'a> {
    cfa: &'a Cfa,
    handing: Handing,
    at: Option<LocationId>,
    calls: Vec<EdgeId>,
    /// For [`Handing::InOrder`].
    values: VecDeque<(u32, &'a str)>,
    /// For [`Handing::PerLine`].
    by_line: BTreeMap<u32, VecDeque<&'a str>>,
    arguments: BTreeMap<u32, &'a str>,
}

impl<'a> Walk<'a> {
    fn new(prepared: &'a Prepared, assignments: &'a [Assignment], handing: Handing) -> Self {
        let cfa = &prepared.cfa;
        let sites = sites(cfa);
        let (mut values, mut by_line, mut arguments) = (VecDeque::new(), BTreeMap::<_, VecDeque<_>>::new(), BTreeMap::new());
        for assignment in assignments {
            let value = assignment.value.as_str();
            let names = sites.get(&assignment.line);
            if names.is_some_and(|names| assignment.what == "\\result" || names.contains(&assignment.what.as_str())) {
                values.push_back((assignment.line, value));
                by_line.entry(assignment.line).or_default().push_back(value);
            }
            let number = prepared.arguments_line.and_then(|first| assignment.line.checked_sub(first));
            if let Some(number) = number.filter(|number| assignment.what == argument(*number as usize)) {
                arguments.insert(number, value);
            }
        }
        let at = cfa.function(cfa.entry).entry;
        Self { cfa, handing, at, calls: Vec::new(), values, by_line, arguments }
    }

    fn value(&mut self, request: &Request) -> u128 {
        match request.origin {
            Origin::Parameter(number) => self.arguments.get(&number).copied().and_then(integer).unwrap_or(0),
            Origin::Input(function) | Origin::External(function) => {
                self.read().and_then(|text| result(self.cfa, function, text)).unwrap_or(0)
            }
            Origin::Object { .. }
            | Origin::MissingResult(_)
            | Origin::Volatile(_)
            | Origin::Allocation(_)
            | Origin::Comparison(_) => 0,
        }
    }

    /// The value for the input that is read where the run is.
    fn read(&mut self) -> Option<&'a str> {
        let edge = *self.at.and_then(|location| self.cfa.out_edges(location).first())?;
        let line = line(self.cfa, edge);
        match self.handing {
            Handing::PerLine => self.by_line.get_mut(&line)?.pop_front(),
            Handing::InOrder => {
                let next = self.values.front().filter(|(next, _)| *next == line)?.1;
                self.values.pop_front();
                Some(next)
            }
        }
    }

    fn pass(&mut self, edge: EdgeId) {
        let taken = self.cfa.edge(edge);
        self.at = match (&taken.operation, self.cfa.entered_callee(edge)) {
            (_, Some(callee)) => {
                self.calls.push(edge);
                self.cfa.function(callee).entry
            }
            (Operation::Return { .. }, None) => self.calls.pop().map(|call| self.cfa.edge(call).target),
            _ => Some(taken.target),
        };
    }
}

/// The lines on which something is read, with the variables it goes to.
fn sites(cfa: &Cfa) -> BTreeMap<u32, Vec<&str>> {
    let mut found: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (number, edge) in cfa.edges.iter().enumerate() {
        let read: Option<VarId> = match &edge.operation {
            Operation::Havoc { variable, .. } => *variable,
            Operation::Call { callee, result, .. } if cfa.function(*callee).entry.is_none() => *result,
            Operation::Call { .. } | Operation::Declare { .. } | Operation::Assume { .. } | Operation::Assign { .. } => None,
            Operation::Return { .. } | Operation::Blank | Operation::Asm(_) | Operation::Unsupported { .. } => None,
        };
        if let Some(variable) = read {
            found.entry(line(cfa, EdgeId::new(number))).or_default().push(&cfa.variable(variable).name);
        }
    }
    found
}

fn line(cfa: &Cfa, edge: EdgeId) -> u32 {
    cfa.source.position(cfa.edge(edge).span.lo).line
}

/// The bits of what a function returns from their decimal text.
fn result(cfa: &Cfa, function: FunctionId, text: &str) -> Option<u128> {
    let Type::Function(ty) = cfa.types.get(cfa.function(function).ty) else { return integer(text) };
    match cfa.types.get(ty.result.ty) {
        Type::Float(FloatKind::Float) => text.parse::<f32>().ok().map(|value| u128::from(value.to_bits())),
        Type::Float(FloatKind::Double) => text.parse::<f64>().ok().map(|value| u128::from(value.to_bits())),
        Type::Float(FloatKind::LongDouble | FloatKind::Float128) | Type::Complex(_) => None,
        Type::Void | Type::Bool | Type::Int { .. } | Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => integer(text),
        Type::Record(_) | Type::Enum(_) | Type::Vector { .. } | Type::VaList => integer(text),
    }
}

/// The bits of an integer from its decimal text; negative numbers as two's complement.
fn integer(text: &str) -> Option<u128> {
    text.parse().ok().or_else(|| text.parse::<i128>().ok().map(i128::cast_unsigned))
}

/// What a run that reaches the error read.
fn counterexample(cfa: &Cfa, run: &Run) -> Option<Counterexample> {
    let violation = cfa.edge_info(*run.trace.last()?);
    let inputs = run.reads.iter().map(|read| {
        let origin = read.request.origin;
        let line = run.trace.get(read.request.step).map_or(0, |edge| line(cfa, *edge));
        let source = interpreter::origin_name(cfa, origin);
        InputValue { source, line, value: interpreter::origin_constant(cfa, origin, read.value), bits: read.value }
    });
    Some(Counterexample { violation, inputs: inputs.collect() })
}
