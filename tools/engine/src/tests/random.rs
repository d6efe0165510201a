//! Random programs of a few bits with a judge of their own: all their states by brute force.
//!
//! A program has three variables of two bits, inputs of two bits, branches and loops without a bound. What its statements mean is
//! written down here a second time, on sets of states, so that a mistake of the front end or the encoder shows as well.

use std::collections::BTreeSet;
use std::fmt::Write;

/// The values of the three variables.
pub(crate) type State = [u8; 3];

/// A sum of two bits: of variables, constants and inputs.
#[derive(Clone, Copy, Debug)]
enum Value {
    Constant(u8),
    Variable(usize),
    Input,
}

#[derive(Clone, Copy, Debug)]
enum Condition {
    Equal(usize, Value),
    Less(usize, usize),
    Input,
}

#[derive(Clone, Debug)]
enum Statement {
    Set(usize, Value, Value),
    If(Condition, Vec<Statement>, Vec<Statement>),
    While(Condition, Vec<Statement>),
    Check(Condition),
}

/// Which programs are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loops {
    /// Loops that may go on for ever.
    Any,
    /// None.
    None,
}

/// A program.
#[derive(Clone, Debug)]
pub(crate) struct Program(Vec<Statement>);

/// What a program can do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truth {
    /// Whether the error is reached.
    pub(crate) violated: bool,
    /// The states at the heads of its loops, in the order of the text.
    pub(crate) heads: Vec<BTreeSet<State>>,
}

const NAMES: [&str; 3] = ["a", "b", "c"];

/// Numbers drawn in a fixed way.
#[derive(Clone, Debug)]
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn value(&mut self) -> Value {
        match self.below(6) {
            0 | 1 => Value::Constant(u8::try_from(self.below(4)).unwrap()),
            5 => Value::Input,
            _ => Value::Variable(self.below(3)),
        }
    }

    fn condition(&mut self) -> Condition {
        match self.below(5) {
            0 | 1 => Condition::Equal(self.below(3), Value::Constant(u8::try_from(self.below(4)).unwrap())),
            2 => Condition::Equal(self.below(3), Value::Variable(self.below(3))),
            3 => Condition::Less(self.below(3), self.below(3)),
            _ => Condition::Input,
        }
    }

    fn block(&mut self, depth: usize, loops: Loops) -> Vec<Statement> {
        (0..1 + self.below(3)).map(|_| self.statement(depth, loops)).collect()
    }

    fn statement(&mut self, depth: usize, loops: Loops) -> Statement {
        match self.below(if depth == 0 { 3 } else { 7 }) {
            3 | 4 => Statement::If(self.condition(), self.block(depth - 1, loops), self.block(depth - 1, loops)),
            5 | 6 if loops == Loops::Any => Statement::While(self.condition(), self.block(depth - 1, loops)),
            _ => Statement::Set(self.below(3), self.value(), self.value()),
        }
    }
}

impl Program {
    /// A program that ends with a check.
    pub(crate) fn draw(seed: u64, loops: Loops) -> Self {
        let mut draw = Draw::new(seed);
        let mut statements: Vec<Statement> = (0..2 + draw.below(2)).flat_map(|_| draw.block(2, loops)).collect();
        let (variable, value) = (draw.below(3), u8::try_from(draw.below(4)).unwrap());
        statements.push(Statement::Check(Condition::Equal(variable, Value::Constant(value))));
        Self(statements)
    }

    /// A loop for ever around some statements and a check: one block from its head to its head.
    pub(crate) fn draw_step(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let mut body: Vec<Statement> = (0..2).flat_map(|_| draw.block(2, Loops::None)).collect();
        body.push(Statement::Check(draw.condition()));
        Self(vec![Statement::While(Condition::Equal(0, Value::Variable(0)), body)])
    }

    /// Its text.
    pub(crate) fn text(&self) -> String {
        let mut text = "int main(void) {\n  unsigned a = 0, b = 0, c = 0;\n".to_owned();
        print(&self.0, 1, &mut text);
        text + "  return 0;\n}\n"
    }

    /// What it can do, tried out.
    pub(crate) fn truth(&self) -> Truth {
        let mut truth = Truth::default();
        pass(&self.0, &BTreeSet::from([[0; 3]]), &mut truth, &mut 0);
        truth
    }

    /// The decisions that a run of the body of the first loop takes from a state, with the state behind it; `None` if it ends at
    /// the check. Each input in turn is one of `inputs`.
    pub(crate) fn step(&self, state: State, inputs: &mut dyn Iterator<Item = u8>) -> (Vec<bool>, Option<State>) {
        let [Statement::While(_, body)] = self.0.as_slice() else { panic!("no step") };
        let (mut state, mut decisions) = (state, Vec::new());
        let goes_on = walk(body, &mut state, inputs, &mut decisions);
        (decisions, goes_on.then_some(state))
    }
}

fn print(statements: &[Statement], depth: usize, text: &mut String) {
    let value = |value: Value| match value {
        Value::Constant(constant) => constant.to_string(),
        Value::Variable(at) => NAMES[at].to_owned(),
        Value::Input => "__VERIFIER_nondet_uint()".to_owned(),
    };
    let condition = |condition: Condition| match condition {
        Condition::Equal(at, to) => format!("{} == {}", NAMES[at], value(to)),
        Condition::Less(a, b) => format!("{} < {}", NAMES[a], NAMES[b]),
        Condition::Input => "__VERIFIER_nondet_uint() & 1".to_owned(),
    };
    let before = "  ".repeat(depth);
    for statement in statements {
        match statement {
            Statement::Set(at, a, b) => writeln!(text, "{before}{} = ({} + {}) & 3;", NAMES[*at], value(*a), value(*b)).unwrap(),
            Statement::If(on, yes, no) => {
                writeln!(text, "{before}if ({}) {{", condition(*on)).unwrap();
                print(yes, depth + 1, text);
                writeln!(text, "{before}}} else {{").unwrap();
                print(no, depth + 1, text);
                writeln!(text, "{before}}}").unwrap();
            }
            Statement::While(on, body) => {
                writeln!(text, "{before}while ({}) {{", condition(*on)).unwrap();
                print(body, depth + 1, text);
                writeln!(text, "{before}}}").unwrap();
            }
            Statement::Check(on) => writeln!(text, "{before}if ({}) reach_error();", condition(*on)).unwrap(),
        }
    }
}

fn values(value: Value, state: State) -> Vec<u8> {
    match value {
        Value::Constant(constant) => vec![constant],
        Value::Variable(at) => vec![state[at]],
        Value::Input => (0..4).collect(),
    }
}

/// The ways a condition may turn out in a state.
fn ways(condition: Condition, state: State) -> Vec<bool> {
    match condition {
        Condition::Equal(at, to) => values(to, state).into_iter().map(|value| value == state[at]).collect(),
        Condition::Less(a, b) => vec![state[a] < state[b]],
        Condition::Input => vec![false, true],
    }
}

fn split(condition: Condition, states: &BTreeSet<State>) -> [BTreeSet<State>; 2] {
    [true, false].map(|way| states.iter().copied().filter(|state| ways(condition, *state).contains(&way)).collect())
}

/// The states behind statements; what is found on the way goes to the truth.
fn pass(statements: &[Statement], states: &BTreeSet<State>, truth: &mut Truth, next: &mut usize) -> BTreeSet<State> {
    let mut states = states.clone();
    for statement in statements {
        states = match statement {
            Statement::Set(at, a, b) => {
                let mut after = BTreeSet::new();
                for state in states {
                    for x in values(*a, state) {
                        for y in values(*b, state) {
                            let mut to = state;
                            to[*at] = (x + y) & 3;
                            after.insert(to);
                        }
                    }
                }
                after
            }
            Statement::If(on, yes, no) => {
                let [held, other] = split(*on, &states);
                let mut after = pass(yes, &held, truth, next);
                after.extend(pass(no, &other, truth, next));
                after
            }
            Statement::While(on, body) => {
                let own = *next;
                *next += 1;
                let inner = *next;
                truth.heads.resize(truth.heads.len().max(*next), BTreeSet::new());
                loop {
                    let [held, _] = split(*on, &states);
                    *next = inner;
                    let behind = pass(body, &held, truth, next);
                    if behind.is_subset(&states) {
                        break;
                    }
                    states.extend(behind);
                }
                truth.heads[own].extend(states.iter().copied());
                let [_, left] = split(*on, &states);
                left
            }
            Statement::Check(on) => {
                let [held, other] = split(*on, &states);
                truth.violated |= !held.is_empty();
                other
            }
        };
    }
    states
}

/// Walks through statements without loops; whether the run goes on behind them.
fn walk(statements: &[Statement], state: &mut State, inputs: &mut dyn Iterator<Item = u8>, decisions: &mut Vec<bool>) -> bool {
    fn value(value: Value, state: State, inputs: &mut dyn Iterator<Item = u8>) -> u8 {
        match value {
            Value::Constant(constant) => constant,
            Value::Variable(at) => state[at],
            Value::Input => inputs.next().unwrap(),
        }
    }
    for statement in statements {
        let mut decide = |on: Condition, state: State| {
            let holds = match on {
                Condition::Equal(at, to) => state[at] == value(to, state, inputs),
                Condition::Less(a, b) => state[a] < state[b],
                Condition::Input => inputs.next().unwrap() & 1 == 1,
            };
            decisions.push(holds);
            holds
        };
        match statement {
            Statement::Set(at, a, b) => {
                let x = value(*a, *state, inputs);
                state[*at] = (x + value(*b, *state, inputs)) & 3;
            }
            Statement::If(on, yes, no) => {
                let side = if decide(*on, *state) { yes } else { no };
                if !walk(side, state, inputs, decisions) {
                    return false;
                }
            }
            Statement::Check(on) => {
                if decide(*on, *state) {
                    return false;
                }
            }
            Statement::While(..) => panic!("a loop in a step"),
        }
    }
    true
}
