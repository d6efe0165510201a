//! Circuits against two judges: the evaluation of terms, and the interpreter of programs.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what is not expected fails")]

mod aiger;
mod btor2;
mod elements;
mod equal;
mod graph;
mod programs;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::evidence::replay::{reaches_error, replay};
use engine::session::{Clock, Memory, Sessions};
use formats::{ProgramOptions, Reason};
use program::cfa::{Cfa, EdgeId, LocationId, Operation};
use semantics::interpreter::{self, DataState, Limits, Observer};
use smt::terms::Assignment;
use smt::{Op, Sort, TermId, TermStore, Value};

use self::programs::{Draw, program};
use circuit::trace;
use engine::circuit::aig::{Aig, Lit, Node};
use engine::circuit::blast::Blaster;
use engine::circuit::facts::Facts;
use engine::circuit::sequential::{Circuit, Held, Unread};
use engine::circuit::system::{LARGEST, System};
use engine::circuit::trace::follow;
use engine::circuit::{Job, steps};

/// The values of all nodes of a graph where free bits have these values.
fn simulate(aig: &Aig, free: &BTreeMap<usize, bool>) -> Vec<bool> {
    let mut values = vec![false; aig.len()];
    for at in 0..aig.len() {
        let of = |lit: Lit| values[lit.node()] != lit.is_complement();
        values[at] = match aig.node(at) {
            Node::False => false,
            Node::Input(_) => free.get(&at).copied().unwrap_or(false),
            Node::And(a, b) => of(a) && of(b),
        };
    }
    values
}

/// A term for each operator on variables `a` and `b` of this width, and on truth values.
fn every_operator(store: &mut TermStore, width: u32) -> Vec<TermId> {
    let [a, b] = ["a", "b"].map(|name| store.variable(&format!("{name}{width}"), Sort::BitVec(width)));
    let [p, q] = ["p", "q"].map(|name| store.variable(name, Sort::Bool));
    let half = width.div_ceil(2);
    let three = store.bits(width, 3);
    let (less, fewer) = (store.ult(a, b), store.slt(a, b));
    let sum = store.add(a, b);
    vec![
        store.add(a, b),
        store.add(sum, three),
        store.mul(a, b),
        store.mul(three, b),
        store.neg(a),
        store.udiv(a, b),
        store.sdiv(a, b),
        store.urem(a, b),
        store.srem(a, b),
        store.udiv(a, three),
        store.bit_not(a),
        store.bit_and(a, b),
        store.bit_or(a, b),
        store.bit_xor(a, b),
        store.shl(a, b),
        store.lshr(a, b),
        store.ashr(a, b),
        store.ashr(a, three),
        less,
        fewer,
        store.eq(a, b),
        store.concat(a, b),
        store.extract(a, width - 1, width / 2),
        store.extract(a, half - 1, 0),
        store.zero_extend(a, width + 5),
        store.sign_extend(a, width + 5),
        store.ite(p, a, b),
        store.and(&[p, q, less]),
        store.or(&[p, q, fewer]),
        store.not(less),
        store.eq(p, q),
        store.ite(p, q, less),
    ]
}

/// Values of interest and random ones.
fn value(draw: &mut Draw, width: u32) -> u128 {
    let top = 1u128 << (width - 1);
    let all = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    let random = (0..4).fold(0, |value, _| value << 32 | draw.below(1 << 31) as u128 ^ (draw.below(1 << 31) as u128) << 7);
    [0, 1, 2, 3, top, top - 1, all, all - 1, u128::from(width), random, random, random, random][draw.below(13)] & all
}

#[test]
fn every_operator_has_the_bits_of_its_value() {
    let mut draw = Draw::new(1);
    let mut seen = std::collections::BTreeSet::new();
    for width in (1..=17).chain([31, 32, 33, 63, 64]) {
        let mut store = TermStore::new();
        let terms = every_operator(&mut store, width);
        let mut blaster = Blaster::default();
        let bits: Vec<Vec<Lit>> = terms.iter().map(|term| blaster.bits(&store, *term).unwrap().to_vec()).collect();
        let variables = store.variables_of(&terms);
        let free: Vec<(TermId, Vec<Lit>)> =
            variables.iter().map(|variable| (*variable, blaster.bits(&store, *variable).unwrap().to_vec())).collect();
        for _ in 0..if width < 9 { 60 } else { 25 } {
            let (mut values, mut given) = (Assignment::new(), BTreeMap::new());
            for (variable, lits) in &free {
                let chosen = value(&mut draw, formats::dense(lits.len()));
                given.extend(lits.iter().enumerate().map(|(at, lit)| (lit.node(), chosen >> at & 1 == 1)));
                values.set(
                    *variable,
                    match store.sort(*variable) {
                        Sort::Bool => Value::Bool(chosen == 1),
                        Sort::BitVec(_) | Sort::Array { .. } => Value::Bits { width, value: chosen },
                    },
                );
            }
            let nodes = simulate(&blaster.aig, &given);
            for (term, lits) in terms.iter().zip(&bits) {
                let found =
                    lits.iter().rev().fold(0u128, |all, lit| all << 1 | u128::from(nodes[lit.node()] != lit.is_complement()));
                let expected = match store.eval(*term, &values).unwrap() {
                    Value::Bool(truth) => u128::from(truth),
                    Value::Bits { value, .. } => value,
                    Value::Array(_) => panic!("an array"),
                };
                assert_eq!(found, expected, "{} with {values:?}", store.print(*term));
                seen.insert(format!("{:?}", store.op(*term)).chars().take_while(char::is_ascii_alphabetic).collect::<String>());
            }
        }
    }
    assert!(seen.len() >= 24, "{} operators", seen.len());
}

#[test]
fn operators_on_floats_and_arrays_have_no_bits() {
    let mut store = TermStore::new();
    let [a, b] = ["a", "b"].map(|name| store.variable(name, Sort::BitVec(32)));
    let sum = store.float_arithmetic(Op::FAdd, a, b);
    assert!(Blaster::default().bits(&store, sum).is_err());
}

fn load(text: &str) -> Cfa {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    std::fs::write(&file, text).unwrap();
    program::load(&file, &ProgramOptions::default()).unwrap()
}

fn with_job<T>(cfa: &Cfa, then: impl FnOnce(Result<(&mut engine::session::Session<'_>, &Job), Reason>) -> T) -> T {
    let mut sessions = Sessions::open(cfa, None, &Arc::new(AtomicBool::new(false)), Clock::None).unwrap();
    let session = sessions.of(Memory::Exact);
    match System::of(session, LARGEST) {
        Err(reason) => then(Err(reason)),
        Ok(system) => {
            let job = Job::of(&session.store, system, (Unread::Kept, steps::LARGEST)).unwrap();
            then(Ok((session, &job)))
        }
    }
}

fn file_of(job: &Job, circuit: &Circuit) -> aiger::Aiger {
    let mut bytes = Vec::new();
    circuit::aiger::write(circuit, &circuit::aiger::Symbols::of(circuit, &job.names), &mut bytes).unwrap();
    aiger::Aiger::read(&bytes)
}

/// Frames of a simulation of the file: its inputs as the trace of a model checker, its states, and whether it ended with bad.
struct Simulated {
    text: String,
    states: Vec<Vec<bool>>,
    bad: bool,
}

fn play(file: &aiger::Aiger, draw: &mut Draw, frames: usize) -> Simulated {
    let mut simulated = Simulated { text: String::new(), states: vec![file.start()], bad: false };
    for frame in 0..frames {
        // Small numbers are more interesting.
        let small = draw.below(3) > 0;
        let low = |name: &str| name.rsplit_once('.').unwrap().1.parse::<u32>().unwrap() < 3;
        let inputs: Vec<bool> = file.input_names.iter().map(|name| draw.below(2) == 1 && (!small || low(name))).collect();
        for (name, value) in file.input_names.iter().zip(&inputs) {
            simulated.text.push_str(&format!("{name}@{frame}={}\n", u8::from(*value)));
        }
        let (bad, next) = file.step(simulated.states.last().unwrap(), &inputs);
        if bad {
            simulated.bad = true;
            break;
        }
        simulated.states.push(next);
    }
    simulated
}

/// The values of the program's variables whenever a run comes to one of these locations.
struct Heads<'a> {
    cfa: &'a Cfa,
    heads: Vec<LocationId>,
    calls: Vec<EdgeId>,
    seen: Vec<(LocationId, BTreeMap<String, u128>)>,
}

impl Observer for Heads<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        let target = match self.cfa.entered_callee(edge) {
            Some(callee) => {
                self.calls.push(edge);
                self.cfa.function(callee).entry.unwrap()
            }
            None if matches!(self.cfa.edge(edge).operation, Operation::Return { .. }) => {
                self.calls.pop().map_or(self.cfa.edge(edge).target, |call| self.cfa.edge(call).target)
            }
            None => self.cfa.edge(edge).target,
        };
        if self.heads.contains(&target) {
            let value = |id| Some((self.cfa.variable(id).name.to_string(), state.scalar(id)?));
            self.seen.push((target, self.cfa.variable_ids().filter_map(value).collect()));
        }
        ControlFlow::Continue(())
    }
}

/// What latches say of a variable in a state, where all its bits are known.
fn value_of(job: &Job, variable: TermId, state: &[bool]) -> Option<u128> {
    let mut value = 0;
    for (at, bit) in job.steps.variables[&variable].iter().enumerate() {
        let representative = job.facts.representative[bit.0 as usize];
        let one = match job.facts.constant(&job.steps, *bit) {
            Some(constant) => constant == 1,
            None => {
                let latch = job.circuit.latches.iter().position(|latch| latch.held == Held::Bit(representative))?;
                state[latch]
            }
        };
        value |= u128::from(one) << at;
    }
    Some(value)
}

fn position_of(job: &Job, state: &[bool]) -> Option<usize> {
    let bits = job.circuit.latches.iter().zip(state);
    let counter = bits.fold(0, |code, (latch, one)| match latch.held {
        Held::Counter(at) => code | u32::from(*one) << at,
        Held::Bit(_) => code,
    });
    job.circuit.codes.iter().position(|code| *code == Some(counter))
}

/// The run of the interpreter on the inputs of a simulation goes where the circuit goes, with the same values.
#[test]
fn a_circuit_goes_where_the_program_goes() {
    let (mut violated, mut compared, mut heads, mut ended) = (0, 0, 0, 0);
    for seed in 0..250 {
        let text = program(seed);
        let cfa = load(&text);
        with_job(&cfa, |made| {
            let (session, job) = made.unwrap_or_else(|reason| panic!("{seed}: {reason}\n{text}"));
            let file = file_of(job, &job.circuit);
            for run in 0..6 {
                let simulated = play(&file, &mut Draw::new(seed * 100 + run), 12);
                violated += usize::from(simulated.bad);
                if simulated.text.is_empty() {
                    continue;
                }
                let frames = trace::read(&simulated.text, job).unwrap();
                let found = follow(session, &job.system, &frames).unwrap();
                let replayed = replay(&cfa, &found);
                // What the interpreter does behind the last frame is nobody's business.
                let reached = reaches_error(&replayed) && replayed.trace.len() <= found.edges.len();
                assert_eq!(reached, simulated.bad, "{seed} {run}: {:?}\n{text}", replayed.outcome);
                let locations = job.system.positions[1..].iter().map(|position| position.location).collect();
                let mut observer = Heads { cfa: &cfa, heads: locations, calls: Vec::new(), seen: Vec::new() };
                let mut reads = replayed.reads.iter().map(|read| read.value);
                let mut inputs = |_: &interpreter::Request| reads.next();
                let limits = Limits { steps: found.edges.len() + 16, ..Limits::default() };
                interpreter::run(&cfa, &mut inputs, &mut observer, limits);
                let mut seen = observer.seen.into_iter();
                for state in &simulated.states[1..] {
                    let Some(at) = position_of(job, state) else {
                        ended += 1;
                        break;
                    };
                    let Some((location, values)) = seen.next() else { break };
                    assert_eq!(job.system.positions[at].location, location, "{seed} {run}\n{text}");
                    heads += 1;
                    for variable in &job.system.live[at] {
                        let id = session.explorer.encoder.variable_of(&session.store, *variable);
                        let name = id.map(|id| cfa.variable(id).name.to_string());
                        let Some(expected) = name.and_then(|name| values.get(&name)) else { continue };
                        let Some(found) = value_of(job, *variable, state) else { continue };
                        assert_eq!(found, *expected, "{seed} {run}: {}\n{text}", session.store.print(*variable));
                        compared += 1;
                    }
                }
            }
        });
    }
    assert!(violated > 50 && compared > 5_000 && heads > 2_000 && ended > 50, "{violated} {compared} {heads} {ended}");
}

/// With and without what was found constant or equal, and in both formats, the same is bad.
#[test]
fn reduced_circuits_and_both_formats_agree() {
    let (mut bad, mut smaller) = (0, 0);
    for seed in 0..120 {
        let text = program(seed);
        let cfa = load(&text);
        with_job(&cfa, |made| {
            let (session, job) = made.unwrap();
            let whole = Circuit::of(&job.steps, &Facts::none(&job.steps), Unread::Kept);
            smaller += usize::from(job.circuit.latches.len() < whole.latches.len());
            let (reduced, unreduced) = (file_of(job, &job.circuit), file_of(job, &whole));
            let mut words = Vec::new();
            circuit::btor2::write(&session.store, job, &mut words).unwrap();
            let system = btor2::Btor2::read(&String::from_utf8(words).unwrap());
            for run in 0..4 {
                let mut draw = Draw::new(seed * 77 + run);
                let (mut one, mut other, mut third) = (reduced.start(), unreduced.start(), system.start());
                for frame in 0..10 {
                    let small = draw.below(3) > 0;
                    let bits: BTreeMap<&str, bool> = unreduced
                        .input_names
                        .iter()
                        .map(|name| {
                            let low = name.rsplit_once('.').unwrap().1.parse::<u32>().unwrap() < 3;
                            (name.as_str(), draw.below(2) == 1 && (!small || low))
                        })
                        .collect();
                    let given = |names: &[String]| names.iter().map(|name| bits[name.as_str()]).collect::<Vec<bool>>();
                    let numbers = system.inputs.iter().map(|(line, name, width)| {
                        let bit = |at| bits.get(format!("{name}.{at}").as_str()).copied().unwrap_or(false);
                        (*line, (0..*width).map(bit).collect())
                    });
                    let (a, b) = (
                        reduced.step(&one, &given(&reduced.input_names)),
                        unreduced.step(&other, &given(&unreduced.input_names)),
                    );
                    let c = system.step(&third, &numbers.collect());
                    assert_eq!((a.0, b.0), (b.0, c.0), "{seed} {run} frame {frame}\n{text}");
                    bad += usize::from(a.0);
                    (one, other, third) = (a.1, b.1, c.1);
                }
            }
        });
    }
    assert!(bad > 20 && smaller > 60, "{bad} {smaller}");
}

#[test]
fn what_has_no_circuit_says_why() {
    let head = "extern int input(void); extern void reach_error(void); extern void *malloc(unsigned long);\n";
    for (body, word) in [
        ("int f(int n) { return n > 0 ? f(n - 1) + 1 : 0; } int main(void) { if (f(input()) < 0) reach_error(); }", "recursion"),
        ("int main(void) { double x = input(); if (x + 1.0 < x) reach_error(); }", "floating-point arithmetic at "),
        ("int main(void) { int *p = malloc(4); *p = input(); if (*p == 3) reach_error(); }", "allocated memory at "),
        ("int a[100000]; int main(void) { int i = input(); a[i & 7] = 1; if (a[3]) reach_error(); }", "array of that length"),
        ("int setjmp(int *); int main(void) { int b[9]; if (setjmp(b)) reach_error(); }", "setjmp"),
    ] {
        let cfa = load(&format!("{head}{body}\n"));
        with_job(&cfa, |made| match made {
            Ok(_) => panic!("{body}"),
            Err(reason) => assert!(
                reason.to_string().contains(word) && (word == "recursion" || reason.to_string().ends_with("program.c:2")),
                "{body}: {reason}"
            ),
        });
    }
}
