//! Runs of both programs on the same inputs.
//!
//! Inputs are values at bounds, constants of both texts and their neighbours, and what a proof attempt found. A difference is
//! one that two runs of the untouched programs show.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of types and origins")]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use console::Budget;
use formats::verdict::InputValue;
use program::cfa::{Cfa, EdgeId, FunctionId, VarId};
use program::expr::Expr;
use program::types::{FloatKind, Type, TypeId};
use semantics::interpreter::{
    Inputs, Limits, Observer, Origin, Request, Run, ValueRead, constant_of, input_value, origin_name, real, run,
};
use transform::pair::{End, Observed, Pairing, Plan, Relation, Seen, observed};

use crate::telling::{Calls, TellingCall, calls_into, telling};

/// Bounds of one run of a trial.
const TRY: Limits = Limits { steps: 20_000, memory: 64 << 20, skips_library: false };
/// Bounds of a run on inputs that somebody claims to be telling.
const REPLAY: Limits = Limits { steps: 20_000_000, memory: 1 << 30, skips_library: false };
/// Runs of each program, and edges of all of them.
const MOST_RUNS: usize = 2500;
/// Those of them that are run before anything is proved.
const FEW_RUNS: usize = 400;
const MOST_EDGES: usize = 4_000_000;
/// Values of integers that are tried.
const MOST_VALUES: usize = 120;

/// Inputs of a run, whatever order they are asked for in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stimulus {
    /// Values of the parameters of the entry function, by number and offset.
    parameters: BTreeMap<(u32, u64), u128>,
    /// Values of functions by name, in the order of the calls.
    streams: BTreeMap<String, Vec<u128>>,
    others: BTreeMap<String, u128>,
    /// Where what is not said comes from; zeros if there is none.
    seed: Option<u64>,
}

/// Inputs that tell the programs apart.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    pub(crate) inputs: Vec<InputValue>,
    /// What each program does.
    pub(crate) outcomes: [String; 2],
    /// What differs first.
    pub(crate) what: String,
    /// What both programs were given.
    pub(crate) stimulus: Stimulus,
    /// The runs, of the programs as they are watched.
    pub(crate) runs: Box<[Run; 2]>,
}

/// Values to try.
#[derive(Debug, Default)]
struct Pool {
    integers: Vec<u128>,
    floats: Vec<f64>,
}

/// Both programs, watched.
pub(crate) struct Trials {
    watched: [Observed; 2],
    relation: Relation,
    pool: Pool,
    parameters: Vec<Option<FloatKind>>,
    /// The calls of what changed, in each program.
    calls: [Vec<(EdgeId, FunctionId)>; 2],
    /// Inputs that were tried, and edges of the runs.
    tried: Cell<usize>,
    edges: Cell<usize>,
}

impl Stimulus {
    /// The inputs of a run of a pair, whose parameters are those of the entry function.
    pub(crate) fn of_run(cfa: &Cfa, run: &Run) -> Self {
        let mut stimulus = Self::default();
        for read in run.reads.iter().filter(|read| !read.decided) {
            match read.request.origin {
                origin if parameter(cfa, origin).is_some() => {
                    stimulus.parameters.extend(parameter(cfa, origin).map(|place| (place, read.value)));
                }
                Origin::Input(function) | Origin::External(function) => {
                    stimulus.streams.entry(cfa.function(function).name.to_string()).or_default().push(read.value);
                }
                origin => _ = stimulus.others.entry(origin_name(cfa, origin)).or_insert(read.value),
            }
        }
        stimulus
    }
}

/// Which parameter of the entry function is asked for, if one is.
fn parameter(cfa: &Cfa, origin: Origin) -> Option<(u32, u64)> {
    match origin {
        Origin::Parameter(number) => Some((number, 0)),
        Origin::Object { variable: Some(variable), offset, .. } => {
            let position = cfa.function(cfa.entry).parameters.iter().position(|parameter| *parameter == variable)?;
            Some((u32::try_from(position).ok()?, offset))
        }
        _ => None,
    }
}

/// Answers what a run asks for.
struct Feed<'a> {
    cfa: &'a Cfa,
    stimulus: &'a Stimulus,
    pool: &'a Pool,
    asked: RefCell<BTreeMap<String, usize>>,
}

impl Inputs for Feed<'_> {
    fn value(&mut self, request: &Request) -> Option<u128> {
        match request.origin {
            origin if parameter(self.cfa, origin).is_some() => {
                let said = parameter(self.cfa, origin).and_then(|place| self.stimulus.parameters.get(&place));
                Some(said.copied().unwrap_or(0))
            }
            Origin::Input(function) | Origin::External(function) => {
                let name = self.cfa.function(function).name.to_string();
                let mut asked = self.asked.borrow_mut();
                let position = asked.entry(name.clone()).or_default();
                let at = std::mem::replace(position, *position + 1);
                let said = self.stimulus.streams.get(&name).and_then(|values| values.get(at).copied());
                let kind = result_kind(self.cfa, self.cfa.function(function).ty);
                said.or_else(|| self.stimulus.seed.map(|seed| self.pool.pick(mix(seed, &name, at), kind))).or(Some(0))
            }
            Origin::Allocation(_) => Some(0),
            origin => {
                let name = origin_name(self.cfa, origin);
                let said = self.stimulus.others.get(&name).copied();
                let kind = if let Origin::Object { variable: Some(id), .. } = origin { scalar_kind(self.cfa, id) } else { None };
                said.or_else(|| self.stimulus.seed.map(|seed| self.pool.pick(mix(seed, &name, 0), kind))).or(Some(0))
            }
        }
    }

    /// Both programs run on this machine, with one library.
    fn real(&mut self, name: &str, arguments: &[f64]) -> Option<f64> {
        real(name, arguments)
    }
}

/// A number that depends on all of these.
fn mix(seed: u64, name: &str, position: usize) -> u64 {
    let mut hash = seed ^ 0x9e37_79b9_7f4a_7c15;
    for byte in name.bytes().chain(position.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        hash ^= hash >> 29;
    }
    hash
}

fn result_kind(cfa: &Cfa, ty: TypeId) -> Option<FloatKind> {
    let Type::Function(ty) = cfa.types.get(ty) else { return None };
    float_kind(cfa, ty.result.ty)
}

fn scalar_kind(cfa: &Cfa, variable: VarId) -> Option<FloatKind> {
    float_kind(cfa, cfa.variable(variable).ty.ty)
}

fn float_kind(cfa: &Cfa, ty: TypeId) -> Option<FloatKind> {
    if let Type::Float(kind) = cfa.types.get(ty) { Some(*kind) } else { None }
}

impl Pool {
    fn new(programs: [&Cfa; 2]) -> Self {
        let mut numbers: Vec<i128> = Vec::new();
        let mut floats: Vec<f64> =
            vec![0.0, 1.0, -1.0, f64::NAN, -0.0, 0.5, 1.5, 2.0, f64::INFINITY, f64::NEG_INFINITY, 1e9, -1e9];
        for cfa in programs {
            for id in cfa.exprs.ids() {
                let ty = cfa.exprs.ty(id);
                match (*cfa.exprs.get(id), cfa.types.get(ty)) {
                    (Expr::Int(bits), Type::Int { rank, signed }) => {
                        let width = u32::try_from(cfa.machine.int_size(*rank) * 8).unwrap_or(128);
                        let shift = 128 - width.clamp(1, 128);
                        let shifted = (bits << shift).cast_signed() >> shift;
                        numbers.push(if *signed { shifted } else { bits.cast_signed() });
                    }
                    (Expr::Float(bits), Type::Float(FloatKind::Float)) => {
                        floats.extend(u32::try_from(bits).ok().map(|bits| f64::from(f32::from_bits(bits))));
                    }
                    (Expr::Float(bits), Type::Float(FloatKind::Double)) => {
                        floats.extend(u64::try_from(bits).ok().map(f64::from_bits));
                    }
                    _ => {}
                }
            }
        }
        numbers.sort_by_key(|number| (number.unsigned_abs(), *number));
        numbers.dedup();
        let bounds =
            [0, 1, -1, 2, 3, -2, 4, 7, 8, i128::from(i32::MAX), i128::from(i32::MIN), i128::from(i64::MAX), i128::from(i64::MIN)];
        let near =
            numbers.iter().flat_map(|number| [*number, number.wrapping_add(1), number.wrapping_sub(1), number.wrapping_neg()]);
        let mut integers: Vec<u128> = Vec::new();
        for number in bounds.into_iter().chain(near) {
            let bits = number.cast_unsigned();
            if !integers.contains(&bits) && integers.len() < MOST_VALUES {
                integers.push(bits);
            }
        }
        let around: Vec<f64> = floats.iter().flat_map(|value| [value + 1.0, value - 1.0, -value]).collect();
        floats.extend(around);
        floats.truncate(MOST_VALUES);
        Self { integers, floats }
    }

    fn pick(&self, hash: u64, kind: Option<FloatKind>) -> u128 {
        let at = |length: usize| usize::try_from((hash >> 7) % (length.max(1) as u64)).unwrap_or(0);
        // Small numbers are worth as much as all others.
        match kind {
            None if hash & 3 == 0 => u128::from((hash >> 40) % 17).wrapping_sub(4),
            None if hash & 15 == 1 => u128::from((hash >> 40) % 400),
            None => self.integers.get(at(self.integers.len())).copied().unwrap_or(0),
            Some(kind) => bits_of(self.floats.get(at(self.floats.len())).copied().unwrap_or(0.0), kind),
        }
    }

    fn values(&self, kind: Option<FloatKind>) -> Vec<u128> {
        match kind {
            None => self.integers.clone(),
            Some(kind) => self.floats.iter().map(|value| bits_of(*value, kind)).collect(),
        }
    }
}

fn bits_of(value: f64, kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Float => u128::from((value as f32).to_bits()),
        FloatKind::Double | FloatKind::LongDouble | FloatKind::Float128 => u128::from(value.to_bits()),
    }
}

impl Trials {
    /// Watches both programs. `None` if the entry functions cannot be called alike.
    pub(crate) fn new(pairing: &Pairing<'_>, relation: Relation, changes: &Plan) -> Option<Self> {
        let watched = [observed(pairing, 0)?, observed(pairing, 1)?];
        let cfa = &watched[0].recast.cfa;
        let other = &watched[1].recast.cfa;
        if cfa.function(cfa.entry).parameters.len() != other.function(other.entry).parameters.len() {
            return None;
        }
        let parameters = cfa.function(cfa.entry).parameters.iter().map(|parameter| scalar_kind(cfa, *parameter)).collect();
        let pool = Pool::new([pairing.original, pairing.modified]);
        let calls = [(pairing.original, changes.inside()), (pairing.modified, changes.inside_modified())];
        let calls = calls.map(|(cfa, inside)| calls_into(cfa, inside));
        Some(Self { watched, relation, pool, parameters, calls, tried: Cell::new(0), edges: Cell::new(0) })
    }

    /// A program as it is watched.
    pub(crate) fn watched(&self, side: usize) -> &Cfa {
        &self.watched[side].recast.cfa
    }

    /// Tries the first inputs.
    pub(crate) fn begin(&self, budget: &Budget) -> Option<Difference> {
        self.search(budget, FEW_RUNS)
    }

    /// Tries those that were left, if there are any.
    pub(crate) fn go_on(&self, budget: &Budget) -> Option<Difference> {
        self.search(budget, MOST_RUNS)
    }

    /// How many inputs were tried.
    pub(crate) fn tried(&self) -> usize {
        self.tried.get()
    }

    fn search(&self, budget: &Budget, most: usize) -> Option<Difference> {
        for stimulus in self.stimuli().take(most).skip(self.tried.get()) {
            if self.edges.get() > MOST_EDGES || budget.exhausted() {
                return None;
            }
            let (found, passed) = self.compare(&stimulus, TRY);
            self.edges.set(self.edges.get() + passed);
            self.tried.set(self.tried.get() + 1);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Runs a program that was made of both on the inputs that are tried, until somebody has seen enough.
    pub(crate) fn visit(
        &self,
        cfa: &Cfa,
        budget: &Budget,
        (given, most): (&BTreeMap<String, u128>, usize),
        see: &mut dyn FnMut(&Run) -> bool,
    ) {
        let mut edges = 0;
        for mut stimulus in self.stimuli().take(most) {
            if edges > MOST_EDGES / 4 || budget.exhausted() {
                return;
            }
            stimulus.others.clone_from(given);
            let mut feed = Feed { cfa, stimulus: &stimulus, pool: &self.pool, asked: RefCell::default() };
            let done = run(cfa, &mut feed, &mut (), TRY);
            edges += done.trace.len();
            if !see(&done) {
                return;
            }
        }
    }

    /// Runs a program again on the inputs of a run of it.
    pub(crate) fn again(&self, cfa: &Cfa, found: &Run, observer: &mut dyn Observer) {
        let stimulus = Stimulus::of_run(cfa, found);
        let mut feed = Feed { cfa, stimulus: &stimulus, pool: &self.pool, asked: RefCell::default() };
        _ = run(cfa, &mut feed, observer, REPLAY);
    }

    /// Runs both programs on some inputs.
    pub(crate) fn replay(&self, stimulus: &Stimulus) -> Option<Difference> {
        self.compare(stimulus, REPLAY).0
    }

    fn stimuli(&self) -> impl Iterator<Item = Stimulus> + '_ {
        let values: Vec<Vec<u128>> = self.parameters.iter().map(|kind| self.pool.values(*kind)).collect();
        let small = || (0..65).flat_map(|number: i128| [number.cast_unsigned(), (-number).cast_unsigned()]);
        let mut all: Vec<Vec<u128>> = vec![vec![0; values.len()]];
        for (position, own) in values.iter().enumerate() {
            let is_only = values.len() == 1 && self.parameters[position].is_none();
            for other in [0, 1] {
                for value in own.iter().copied().chain(small().filter(|_| is_only)) {
                    let mut one = vec![other; values.len()];
                    one[position] = value;
                    all.push(one);
                }
            }
        }
        let others = (0..).take(MOST_RUNS.saturating_sub(all.len())).map(|number| {
            let pick = |position: usize| self.pool.pick(mix(number, "parameter", position), self.parameters[position]);
            (0..self.parameters.len()).map(pick).collect()
        });
        let stimulus = |(seed, parameters): (u64, Vec<u128>)| {
            let parameters = (0..).zip(parameters).map(|(number, value)| ((number, 0), value)).collect();
            Stimulus { parameters, seed: Some(seed), ..Stimulus::default() }
        };
        (0..).zip(all.into_iter().chain(others)).map(stimulus).take(MOST_RUNS)
    }

    fn compare(&self, stimulus: &Stimulus, limits: Limits) -> (Option<Difference>, usize) {
        let run = |side: usize| {
            let cfa = &self.watched[side].recast.cfa;
            let mut feed = Feed { cfa, stimulus, pool: &self.pool, asked: RefCell::default() };
            self.watched[side].run(&mut feed, limits)
        };
        let (original, first) = run(0);
        // Of a run that counts for nothing there is nothing to compare.
        if original.is_indeterminate || matches!(original.end, End::Undefined(_) | End::Unknown(_) | End::Blocked) {
            return (None, first.trace.len());
        }
        let (modified, second) = run(1);
        let passed = first.trace.len() + second.trace.len();
        let Some(what) = self.judge(&original, &modified) else { return (None, passed) };
        let cfa = &self.watched[0].recast.cfa;
        let longer = if first.reads.len() >= second.reads.len() { (cfa, &first) } else { (&self.watched[1].recast.cfa, &second) };
        let inputs = inputs_of(longer.0, longer.1);
        let outcomes = [self.told(&original), self.told(&modified)];
        let stimulus = stimulus.clone();
        (Some(Difference { inputs, outcomes, what, stimulus, runs: Box::new([first, second]) }), passed)
    }

    /// The last call of what changed before the programs call it with other arguments, or elsewhere; of calls in which both
    /// versions are known to do the same none is.
    pub(crate) fn telling_call(&self, stimulus: &Stimulus, excluded: &BTreeSet<EdgeId>) -> Option<TellingCall> {
        let made = [0, 1].map(|side| {
            let cfa = &self.watched[side].recast.cfa;
            let mut feed = Feed { cfa, stimulus, pool: &self.pool, asked: RefCell::default() };
            let mut calls = Calls::new(cfa, &self.calls[side]);
            _ = run(cfa, &mut feed, &mut calls, REPLAY);
            calls.made()
        });
        telling([0, 1].map(|side| &self.watched[side].recast.cfa), made, excluded)
    }

    /// What differs, if it counts.
    fn judge(&self, original: &Seen, modified: &Seen) -> Option<String> {
        let relation = self.relation;
        if let End::Undefined(what) = &modified.end {
            return relation.preserve.then(|| format!("{what} in the modified version only"));
        }
        if modified.is_indeterminate || matches!(modified.end, End::Unknown(_) | End::Blocked) {
            return None;
        }
        if relation.events && original.events != modified.events {
            let mut pairs = original.events.iter().zip(&modified.events);
            let first = pairs.position(|(a, b)| a != b).unwrap_or(original.events.len().min(modified.events.len()));
            let unknown = |event: Option<&transform::pair::Happening>| event.is_some_and(|event| event.arguments.contains(&None));
            if unknown(original.events.get(first)) || unknown(modified.events.get(first)) {
                return None;
            }
            return Some(format!("event {}", first + 1));
        }
        match (&original.end, &modified.end) {
            (End::Returned(a, places), End::Returned(b, others)) => {
                if relation.returned && a.is_some() && b.is_some() && a != b {
                    return Some("the result".to_owned());
                }
                let mut places = places.iter().zip(others).zip(&self.watched[0].names);
                let is_counted = |name: &str| if name.starts_with("__made_") { relation.memory } else { relation.globals };
                let other = places.find(|((a, b), name)| a.is_some() && b.is_some() && a != b && is_counted(name));
                other.map(|(_, name)| name.clone())
            }
            (a, b) => (a != b).then(|| "how it ends".to_owned()),
        }
    }

    /// What a run does, in words.
    fn told(&self, seen: &Seen) -> String {
        let end = match &seen.end {
            End::Returned(Some(value), _) => format!("returns {}", self.result(*value)),
            End::Returned(None, _) => "returns".to_owned(),
            End::Aborted => "aborts".to_owned(),
            End::Exited(name, code) => format!("{name}({})", u32::try_from(*code).unwrap_or(0).cast_signed()),
            End::Undefined(what) => format!("is not defined: {what}"),
            End::Blocked | End::Unknown(_) => "ends".to_owned(),
        };
        match seen.events.len() {
            0 => end,
            1 => format!("{end}, after 1 event"),
            number => format!("{end}, after {number} events"),
        }
    }

    fn result(&self, bits: u128) -> String {
        let cfa = &self.watched[0].recast.cfa;
        let entry = cfa.function_ids().find(|id| *cfa.function(*id).name == *cfa.options.entry);
        let ty = entry.map(|entry| cfa.function(entry).ty);
        let Some(Type::Function(ty)) = ty.map(|ty| cfa.types.get(ty)) else { return bits.to_string() };
        constant_of(cfa, ty.result.ty, bits)
    }
}

/// What a run read, by name.
fn inputs_of(cfa: &Cfa, run: &Run) -> Vec<InputValue> {
    let input = |read: &ValueRead| {
        let Some((number, offset)) = parameter(cfa, read.request.origin) else { return input_value(cfa, read) };
        let parameter = cfa.function(cfa.entry).parameters.get(number as usize).filter(|_| offset == 0);
        let constant = |id: &VarId| constant_of(cfa, cfa.variable(*id).ty.ty, read.value);
        let value = parameter.map_or_else(|| read.value.to_string(), constant);
        InputValue { source: format!("parameter {}", number + 1), line: 0, value, bits: read.value }
    };
    let is_shown = |read: &&ValueRead| !read.decided && read.seen && !matches!(read.request.origin, Origin::Allocation(_));
    run.reads.iter().filter(is_shown).map(input).collect()
}
