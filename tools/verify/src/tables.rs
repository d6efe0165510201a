//! Tables of calls: what recursive functions yield, found out by executing each call once.
//!
//! A run that comes to a call that is in no table ends there; the call is executed, and the run begins anew. So a function that
//! calls itself twice takes as many runs as there are different calls. Linear pieces of what is known by then stand for calls in
//! a second round, which so comes to calls behind many others.
//! What is found is guessed of all calls: see [`transform::contracts::Pieces`].

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use program::cfa::{Cfa, EdgeId, LocationId, Operation, VarId};
use semantics::interpreter::{self, DataState, Inputs, Limits, Observer, Origin, Request};
use transform::contracts::{Claimed, Pieces, Point, Separate, Setting, Tabled, separate};

/// Rounds: without pieces, and with those of the first one.
const ROUNDS: usize = 2;

/// Calls that are executed in a round.
const CALLS: usize = 600;

/// Edges that are passed in a round, and in one run.
const EDGES: usize = 300_000;
const LIMITS: Limits = Limits { steps: 5_000, memory: 1 << 18, skips_library: true };

/// Small numbers that are tried as inputs, and numbers of the text, each with its neighbours.
const SMALL: std::ops::Range<i128> = -6..9;
const NUMBERS: usize = 8;

/// Runs of the program that are begun with different inputs in a round.
const TRIALS: usize = 400;

/// Edges that are passed while an edge is encoded: what a run costs.
const FASTER: u64 = 16;

/// A call: which function of those with tables, and its arguments.
type Call = (usize, Vec<u128>);

/// What calls of a program yield may be, and the steps it took to find out.
pub(crate) fn tabled(setting: &Setting, stop: &AtomicBool) -> (Vec<Claimed>, u64) {
    let Some(separate) = separate(setting) else { return (Vec::new(), 0) };
    let pool = pool(&separate.numbers);
    let mut tables =
        Tables { separate: &separate, known: BTreeMap::new(), pieces: Vec::new(), calls: 0, edges: 0, drawn: 0, stop };
    let mut edges = 0;
    for round in 0..ROUNDS {
        if round > 0 {
            tables.pieces = tables.fitted(setting);
            if tables.pieces.iter().flatten().all(Pieces::is_empty) {
                break;
            }
        }
        (tables.calls, tables.edges) = (0, 0);
        for trial in 0..TRIALS {
            // With so many inputs there are no others.
            let others = u32::try_from(tables.drawn).ok().and_then(|drawn| pool.len().checked_pow(drawn));
            if tables.is_over() || (trial > 0 && others.is_some_and(|others| trial >= others)) {
                break;
            }
            tables.program(&pool, trial);
        }
        edges += tables.edges;
    }
    let claimed = tables.fitted(setting).into_iter().flatten().map(Pieces::claimed).filter(|one| !one.is_empty()).collect();
    (claimed, edges as u64 / FASTER)
}

/// Numbers that are tried as inputs.
fn pool(numbers: &[i128]) -> Vec<u128> {
    let near = numbers.iter().take(NUMBERS).flat_map(|number| [number.saturating_sub(1), *number, number.saturating_add(1)]);
    let all: BTreeSet<i128> = SMALL.chain(near).collect();
    let mut all: Vec<i128> = all.into_iter().collect();
    all.sort_by_key(|number| (number.unsigned_abs(), *number));
    all.into_iter().map(i128::cast_unsigned).collect()
}

struct Tables<'a> {
    separate: &'a Separate,
    known: BTreeMap<Call, u128>,
    pieces: Vec<Option<Pieces<'a>>>,
    calls: usize,
    edges: usize,
    /// Inputs of the run that asked for most.
    drawn: usize,
    stop: &'a AtomicBool,
}

impl<'a> Tables<'a> {
    fn is_over(&self) -> bool {
        self.calls >= CALLS || self.edges >= EDGES || self.stop.load(Ordering::Relaxed)
    }

    /// The pieces of each function.
    fn fitted(&self, setting: &'a Setting) -> Vec<Option<Pieces<'a>>> {
        let of = |(place, tabled): (usize, &'a Tabled)| {
            let own = self.known.iter().filter(|((function, _), _)| *function == place);
            let points: Vec<Point> =
                own.map(|((_, arguments), result)| Point { arguments: arguments.clone(), result: *result }).collect();
            Pieces::fitted(setting, tabled, &points)
        };
        self.separate.functions.iter().enumerate().map(of).collect()
    }

    /// Runs the program with inputs of a trial, until no call is missing.
    fn program(&mut self, pool: &[u128], trial: usize) {
        let inputs = |number: usize| {
            let place = u32::try_from(number).ok().and_then(|number| pool.len().checked_pow(number));
            place.and_then(|place| pool.get(trial / place % pool.len())).or(pool.get(trial % pool.len())).copied()
        };
        while !self.is_over() {
            let End::Missing(call) = self.run(None, &inputs) else { return };
            if self.execute(call).is_none() {
                return;
            }
        }
    }

    /// Executes a call, and first those that it needs.
    fn execute(&mut self, call: Call) -> Option<()> {
        let mut open = vec![call];
        let mut waiting = BTreeSet::new();
        while let Some(call) = open.last().cloned() {
            if self.is_over() {
                return None;
            }
            match self.run(Some(&call), &|_| None) {
                End::Yields(result) => {
                    self.known.insert(call, result);
                    self.calls += 1;
                    open.pop();
                }
                End::Missing(needed) => {
                    waiting.insert(call);
                    // One that waits for itself never ends.
                    if waiting.contains(&needed) {
                        return None;
                    }
                    open.push(needed);
                }
                End::Otherwise => return None,
            }
        }
        Some(())
    }

    /// What a call yields, as far as is known.
    fn known(&mut self, call: &Call) -> Option<u128> {
        let known = self.known.get(call).copied();
        known.or_else(|| self.pieces.get_mut(call.0)?.as_mut()?.said(&call.1))
    }

    /// Runs the program, or one call.
    fn run(&mut self, call: Option<&Call>, inputs: &dyn Fn(usize) -> Option<u128>) -> End {
        let separate = self.separate;
        let begin = separate.cfa.entry_location();
        let shared = Shared { tables: self, call, at: begin, behind: Vec::new(), passed: None, drawn: 0, end: None };
        let shared = RefCell::new(shared);
        let run = interpreter::run(&separate.cfa, &mut Asks { shared: &shared, inputs }, &mut Sees(&shared), LIMITS);
        let Shared { end, drawn, .. } = shared.into_inner();
        self.drawn = self.drawn.max(drawn);
        self.edges += run.trace.len() + 1;
        end.unwrap_or(End::Otherwise)
    }
}

/// How a run ends.
#[derive(Clone, Debug)]
enum End {
    /// At a call that is not known.
    Missing(Call),
    /// The call yields this.
    Yields(u128),
    Otherwise,
}

/// What the inputs of a run and its observer both see.
struct Shared<'r, 'a> {
    tables: &'r mut Tables<'a>,
    call: Option<&'r Call>,
    at: LocationId,
    /// Where control goes on behind the calls that are open.
    behind: Vec<LocationId>,
    /// The call whose result is asked for next.
    passed: Option<Call>,
    drawn: usize,
    end: Option<End>,
}

impl Shared<'_, '_> {
    fn cfa(&self) -> &Cfa {
        &self.tables.separate.cfa
    }

    /// Where an edge leads, behind which so many functions are open; and whether one has returned.
    fn follow(&mut self, edge: EdgeId, depth: usize) -> (LocationId, bool) {
        let (target, callee) = (self.cfa().edge(edge).target, self.cfa().called(edge));
        if depth > self.behind.len() + 1 {
            self.behind.push(target);
            return (callee.and_then(|callee| self.cfa().function(callee).entry).unwrap_or(target), false);
        }
        if depth <= self.behind.len() {
            return (self.behind.pop().unwrap_or(target), true);
        }
        (target, false)
    }

    /// The variable that gets an input next.
    fn next_input(&self) -> Option<VarId> {
        let edge = self.cfa().out_edges(self.at).first()?;
        if let Operation::Havoc { variable, .. } = self.cfa().edge(*edge).operation { variable } else { None }
    }

    /// Which function a variable is the result of.
    fn result_of(&self, variable: VarId) -> Option<usize> {
        self.tables.separate.functions.iter().position(|one| one.result == variable)
    }

    fn input(&mut self, inputs: &dyn Fn(usize) -> Option<u128>) -> Option<u128> {
        let variable = self.next_input();
        if let Some(function) = variable.and_then(|variable| self.result_of(variable)) {
            let call = self.passed.take().filter(|call| call.0 == function);
            let known = call.as_ref().and_then(|call| self.tables.known(call));
            if known.is_none() {
                self.end = Some(call.map_or(End::Otherwise, End::Missing));
            }
            return Some(known.unwrap_or(0));
        }
        let Some((function, arguments)) = self.call else {
            self.drawn += 1;
            return inputs(self.drawn - 1);
        };
        let given = &self.tables.separate.functions[*function].given;
        let place = variable.and_then(|variable| given.iter().position(|one| *one == variable));
        let value = place.and_then(|place| arguments.get(place)).copied();
        if value.is_none() {
            // Not the arguments alone decide what it yields.
            self.end = Some(End::Otherwise);
        }
        Some(value.unwrap_or(0))
    }
}

struct Asks<'s, 'r, 'a> {
    shared: &'s RefCell<Shared<'r, 'a>>,
    inputs: &'s dyn Fn(usize) -> Option<u128>,
}

impl Inputs for Asks<'_, '_, '_> {
    fn value(&mut self, request: &Request) -> Option<u128> {
        let mut shared = self.shared.borrow_mut();
        if let Origin::Input(_) = request.origin {
            return shared.input(self.inputs);
        }
        let first = shared.tables.separate.first;
        if let Origin::Object { variable, .. } = request.origin
            && variable == Some(first)
        {
            let number = shared.call.map(|(function, _)| shared.tables.separate.functions[*function].number);
            return Some(number.unwrap_or(0));
        }
        if shared.call.is_some() {
            shared.end = Some(End::Otherwise);
        }
        Some(0)
    }
}

struct Sees<'s, 'r, 'a>(&'s RefCell<Shared<'r, 'a>>);

impl Observer for Sees<'_, '_, '_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        let mut shared = self.0.borrow_mut();
        if shared.end.is_some() {
            return ControlFlow::Break(());
        }
        let (target, returns) = shared.follow(edge, state.depth());
        shared.at = target;
        if let Some((function, _)) = shared.call.filter(|_| returns && state.depth() == 1) {
            let result = state.scalar(shared.tables.separate.functions[*function].gives);
            shared.end = Some(result.map_or(End::Otherwise, End::Yields));
            return ControlFlow::Break(());
        }
        let next = shared.next_input().and_then(|variable| shared.result_of(variable));
        if let Some(function) = next {
            let arguments = &shared.tables.separate.functions[function].arguments;
            let values: Option<Vec<u128>> = arguments.iter().map(|one| state.scalar(*one)).collect();
            shared.passed = values.map(|values| (function, values));
        }
        ControlFlow::Continue(())
    }
}
