//! Runs of the interpreter in which assertions let execution go on: which clauses do given inputs violate?
//!
//! A clause that a run passes the failing edge of is violated, whatever led to the inputs (rule R5 of the corrected method).
//! Does not know where inputs come from.

#![expect(clippy::wildcard_enum_match_arm, reason = "an operation that is not named here is one that may read inputs")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use console::Budget;
use formats::verdict::InputValue;
use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId, VarKind};
use program::types::Type;
use semantics::interpreter::{DataState, Inputs, Limits, Observer, Origin, Outcome, Recorded, Request, Run, input_value, run};
use transform::assertions::{ClauseId, Semantics, Site, Treat, Treated, treat};

/// Steps of the run of a recorded input: longer ones are left to the analyses.
pub(crate) const LONGEST: u64 = 4_000_000;
/// Steps that any run may take.
const SHORT: u64 = 20_000;
/// Steps of a run of inputs that are tried, and of all together.
const LONGEST_TRY: u64 = 50_000;
const ALL_TRIES: u64 = 150_000;
/// Inputs of a run that are varied, and runs with varied inputs.
const VARIED: usize = 6;
const TRIES: usize = 60;
/// Edges between two looks at the budget.
const EDGES: u64 = 4096;

/// A program whose assertions let execution go on.
#[derive(Debug)]
pub(crate) struct Observed {
    free: Treated,
}

/// What a run showed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) violated: BTreeSet<ClauseId>,
    /// It came to its end, and asked for what the inputs are in their order.
    pub(crate) complete: bool,
    /// What it asked for, in order.
    pub(crate) inputs: Vec<InputValue>,
    /// How long it was until it had violated what it did, and in all.
    pub(crate) length: u64,
    passed: u64,
}

/// How long a run may be that does what one of some length did.
pub(crate) fn similar(length: u64) -> u64 {
    length.saturating_mul(4).saturating_add(SHORT).min(LONGEST)
}

const fn limits(steps: u64) -> Limits {
    Limits { steps: steps as usize, memory: 1 << 30, skips_library: false }
}

impl Observed {
    pub(crate) fn new(cfa: &Cfa, sites: &[Site]) -> Self {
        Self { free: treat(cfa, sites, &|_| Treat::Nothing, Semantics::Observer) }
    }

    pub(crate) fn cfa(&self) -> &Cfa {
        &self.free.recast.cfa
    }

    /// The edges that are passed when a clause is violated.
    pub(crate) fn fails(&self) -> &[(ClauseId, EdgeId)] {
        &self.free.fails
    }

    /// Runs the program on recorded inputs for so many steps.
    pub(crate) fn on(&self, inputs: &[InputValue], steps: u64, budget: &Budget) -> Seen {
        self.until(inputs, (steps, None), budget)
    }

    /// As [`Self::on`]; where the program reads more than was recorded it reads zeros. What it violates then counts, and that it
    /// does not says nothing about other inputs, but about these: they were passed.
    pub(crate) fn on_and_on(&self, inputs: &[InputValue], steps: u64, budget: &Budget) -> Seen {
        let mut seen = self.on(inputs, steps, budget);
        if seen.complete {
            let mut recorded = Recorded::new(self.cfa(), inputs);
            let mut more = |request: &Request| recorded.value(request).or_else(|| (!recorded.diverged()).then_some(0));
            seen.violated.extend(self.seen(&mut more, (limits(steps), None), budget).violated);
        }
        seen
    }

    /// As [`Self::on`], but not much longer than until some clauses are violated.
    pub(crate) fn until(
        &self,
        inputs: &[InputValue],
        (steps, wanted): (u64, Option<&BTreeSet<ClauseId>>),
        budget: &Budget,
    ) -> Seen {
        let mut recorded = Recorded::new(self.cfa(), inputs);
        let mut seen = self.seen(&mut recorded, (limits(steps), wanted), budget);
        seen.complete &= !recorded.diverged();
        seen
    }

    fn seen(&self, inputs: &mut dyn Inputs, (limits, wanted): (Limits, Option<&BTreeSet<ClauseId>>), budget: &Budget) -> Seen {
        let (violated, circle) = (BTreeSet::new(), Circle::new(self.cfa()));
        let mut watch = Watch { of: self, violated, budget, passed: 0, length: 0, ends: None, wanted, circle };
        let done = run(self.cfa(), inputs, &mut watch, limits);
        let ended = matches!(done.outcome, Outcome::Finished | Outcome::Aborted | Outcome::InputsExhausted(_));
        let complete = ended || watch.circle.as_ref().is_some_and(|circle| circle.closed);
        let length = if watch.violated.is_empty() { watch.passed } else { watch.length };
        Seen { violated: watch.violated, complete, inputs: named(self.cfa(), &done, &|_| true), length, passed: watch.passed }
    }

    /// Runs the program on inputs near recorded ones: what they violate, with the inputs. Each clause is found once.
    pub(crate) fn near(&self, recorded: &[&[InputValue]], length: u64, budget: &Budget) -> Vec<Seen> {
        let (mut found, mut known) = (Vec::new(), BTreeSet::new());
        let each = similar(length).min(LONGEST_TRY);
        let mut left_of_all = ALL_TRIES;
        for values in variants(recorded) {
            if budget.exhausted() || left_of_all < each {
                break;
            }
            let mut left = values.into_iter();
            // Behind the recorded inputs everything is zero.
            let mut inputs = |request: &Request| match request.origin {
                Origin::Input(_) => Some(left.next().unwrap_or(0)),
                _ => Some(0),
            };
            let seen = self.seen(&mut inputs, (limits(each), None), budget);
            left_of_all = left_of_all.saturating_sub(seen.passed);
            if !seen.violated.is_subset(&known) {
                known.extend(seen.violated.iter().copied());
                found.push(seen);
            }
        }
        found
    }
}

/// Notes what a run violates, until it ends, goes round in a circle, or the budget is used up.
struct Watch<'a> {
    of: &'a Observed,
    violated: BTreeSet<ClauseId>,
    budget: &'a Budget,
    passed: u64,
    /// When it violated something for the last time that it had not before.
    length: u64,
    /// When it ends, once all that is wanted is violated.
    ends: Option<u64>,
    wanted: Option<&'a BTreeSet<ClauseId>>,
    circle: Option<Circle>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        self.passed += 1;
        for (id, _) in self.of.fails().iter().filter(|(_, fails)| *fails == edge) {
            if self.violated.insert(*id) {
                self.length = self.passed;
                let all = self.wanted.is_some_and(|wanted| wanted.is_subset(&self.violated));
                self.ends = all.then(|| similar(self.passed));
            }
        }
        if self.ends.is_some_and(|end| self.passed > end) {
            return ControlFlow::Break(());
        }
        let closes = self.circle.as_mut().is_some_and(|circle| circle.closes(self.of.cfa(), edge, state, self.passed));
        let ends = closes || (self.passed.is_multiple_of(EDGES) && self.budget.exhausted());
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Finds out that a run comes back to a state that it was in, without an input between: it never ends, and shows nothing new.
/// For programs whose variables are all numbers that only their names reach: their values, the place and the calls are the state.
struct Circle {
    /// Static variables, and those of each function.
    variables: Vec<(Option<FunctionId>, VarId)>,
    remembered: Option<Remembered>,
    /// When the state is remembered next: at distances that double (Brent).
    next: u64,
    closed: bool,
}

struct Remembered {
    edge: EdgeId,
    depth: usize,
    values: Vec<Option<u128>>,
}

impl Circle {
    /// Nothing for programs with other variables.
    fn new(cfa: &Cfa) -> Option<Self> {
        let mut variables = Vec::new();
        for id in cfa.variable_ids() {
            let variable = cfa.variable(id);
            if matches!(variable.kind, VarKind::StringLiteral(_)) {
                continue;
            }
            let is_number =
                matches!(cfa.types.get(variable.ty.ty), Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_));
            if !is_number || variable.address_taken || variable.ty.qualifiers.is_volatile || variable.thread_local {
                return None;
            }
            let owner = variable.function.filter(|_| !matches!(variable.kind, VarKind::StaticLocal));
            variables.push((owner, id));
        }
        Some(Self { variables, remembered: None, next: 256, closed: false })
    }

    fn closes(&mut self, cfa: &Cfa, edge: EdgeId, state: &DataState<'_>, passed: u64) -> bool {
        let edge_of = cfa.edge(edge);
        // What a function without a body does is not known, and a new object is asked for when it is read; below the
        // remembered call its caller goes on.
        let reads = match &edge_of.operation {
            Operation::Call { callee, .. } => cfa.function(*callee).entry.is_none(),
            Operation::Assign { .. } | Operation::Assume { .. } | Operation::Blank | Operation::Return { .. } => false,
            _ => true,
        };
        let left = self.remembered.as_ref().is_some_and(|one| state.depth() < one.depth);
        if reads || left {
            self.remembered = None;
            self.next = passed + 256;
            return false;
        }
        // At a call or a return the variables are those of two functions.
        if !matches!(edge_of.operation, Operation::Assign { .. } | Operation::Assume { .. } | Operation::Blank) {
            return false;
        }
        let is_due = passed >= self.next;
        let is_same_place = self.remembered.as_ref().is_some_and(|one| (one.edge, one.depth) == (edge, state.depth()));
        if !is_due && !is_same_place {
            return false;
        }
        let here = cfa.location(edge_of.target).function;
        let seen = self.variables.iter().filter(|(owner, _)| owner.is_none_or(|owner| owner == here));
        let values: Vec<Option<u128>> = seen.map(|(_, variable)| state.scalar(*variable)).collect();
        self.closed = is_same_place && self.remembered.as_ref().is_some_and(|one| one.values == values);
        if is_due {
            self.remembered = Some(Remembered { edge, depth: state.depth(), values });
            self.next = passed * 2;
        }
        self.closed
    }
}

/// What a run read that the program does not decide, by name.
pub(crate) fn named(cfa: &Cfa, run: &Run, counts: &dyn Fn(Origin) -> bool) -> Vec<InputValue> {
    let reads = run.reads.iter().filter(|read| !read.decided && counts(read.request.origin));
    reads.map(|read| input_value(cfa, read)).collect()
}

/// Values of inputs near recorded ones: one of them is smaller or greater by one, zero, a bound, or that of another.
fn variants(recorded: &[&[InputValue]]) -> Vec<Vec<u128>> {
    let mut found: Vec<Vec<u128>> = Vec::new();
    for inputs in recorded {
        let values: Vec<u128> = inputs.iter().filter(|one| one.source.ends_with("()")).map(|one| one.bits).collect();
        for at in 0..values.len().min(VARIED) {
            let old = values[at];
            let bounds = [0, 1, u128::MAX, 0x7fff_ffff, 0x8000_0000];
            let others = values.iter().take(VARIED).copied();
            for new in [old.wrapping_add(1), old.wrapping_sub(1)].into_iter().chain(others).chain(bounds) {
                let mut varied = values.clone();
                varied[at] = new;
                if new != old && !found.contains(&varied) {
                    found.push(varied);
                }
            }
        }
        if found.len() >= TRIES {
            break;
        }
    }
    found.truncate(TRIES);
    found
}
