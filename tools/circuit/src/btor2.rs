//! The Btor2 format: the transition system itself, on bit vectors.
//!
//! Variables have the bits that the circuit has latches for; what is constant is a constant here too, what is equal is taken
//! from where it is held. Division and shifts mean in Btor2 what they mean in terms.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rustc_hash::FxHashMap;
use smt::{Op, Sort, TermId, TermStore};

use engine::circuit::job::Job;
use engine::circuit::sequential::Held;
use engine::circuit::steps::Bit;

/// Writes the system of a job.
///
/// # Errors
/// What `out` reports.
pub fn write(store: &TermStore, job: &Job, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Text { store, lines: String::new(), next: 1, sorts: BTreeMap::new(), known: FxHashMap::default() };
    text.system(job);
    out.write_all(text.lines.as_bytes())
}

/// A node of the file.
type Line = usize;

struct Text<'a> {
    store: &'a TermStore,
    lines: String,
    next: Line,
    sorts: BTreeMap<u32, Line>,
    known: FxHashMap<TermId, Line>,
}

/// A state of the file: some bits of a variable, lowest first.
struct State {
    line: Line,
    held: Vec<Held>,
}

impl Text<'_> {
    fn line(&mut self, words: &str) -> Line {
        let number = self.next;
        self.lines.push_str(&format!("{number} {words}\n"));
        self.next += 1;
        number
    }

    fn sort(&mut self, width: u32) -> Line {
        if let Some(&known) = self.sorts.get(&width) {
            return known;
        }
        let line = self.line(&format!("sort bitvec {width}"));
        self.sorts.insert(width, line);
        line
    }

    /// An operation of this width on earlier lines.
    fn op(&mut self, name: &str, width: u32, args: &[Line]) -> Line {
        let sort = self.sort(width);
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        self.line(&format!("{name} {sort} {}", args.join(" ")))
    }

    fn constant(&mut self, width: u32, value: u128) -> Line {
        let sort = self.sort(width);
        let digits: String = (0..width).rev().map(|at| if at < 128 && value >> at & 1 == 1 { '1' } else { '0' }).collect();
        self.line(&format!("const {sort} {digits}"))
    }

    fn width(&self, term: TermId) -> u32 {
        match self.store.sort(term) {
            Sort::BitVec(width) => width,
            Sort::Bool | Sort::Array { .. } => 1,
        }
    }

    fn slice(&mut self, of: Line, high: u32, low: u32) -> Line {
        let sort = self.sort(high - low + 1);
        self.line(&format!("slice {sort} {of} {high} {low}"))
    }

    /// The states: the program counter, and what is kept of each variable.
    fn states(&mut self, job: &Job) -> Vec<State> {
        let mut groups: BTreeMap<Option<TermId>, Vec<Held>> = BTreeMap::new();
        for held in &job.circuit.kept {
            let owner = if let Held::Bit(bit) = held { Some(job.names.owner(*bit).0) } else { None };
            groups.entry(owner).or_default().push(*held);
        }
        groups
            .into_iter()
            .map(|(owner, held)| {
                let sort = self.sort(formats::dense(held.len()));
                let name = owner.and_then(|owner| job.names.variables.get(&owner)).map_or("counter", String::as_str);
                let line = self.line(&format!("state {sort} {name}"));
                let zero = self.constant(formats::dense(held.len()), 0);
                self.line(&format!("init {sort} {line} {zero}"));
                State { line, held }
            })
            .collect()
    }

    fn system(&mut self, job: &Job) {
        let states = self.states(job);
        let mut single: BTreeMap<Held, Line> = BTreeMap::new();
        for state in &states {
            for (at, held) in (0..).zip(&state.held) {
                let line = if state.held.len() == 1 { state.line } else { self.slice(state.line, at, at) };
                single.insert(*held, line);
            }
        }
        self.variables(job, &single);
        self.inputs(job);
        let taken = self.steps(job, &single);
        self.next_states(job, (&states, &single), &taken);
    }

    /// The values that come up.
    fn inputs(&mut self, job: &Job) {
        for (term, name) in &job.names.inputs {
            let sort = self.sort(self.width(*term));
            let line = self.line(&format!("input {sort} {name}"));
            self.known.insert(*term, line);
        }
    }

    /// The variables, put together from what is held of them.
    fn variables(&mut self, job: &Job, single: &BTreeMap<Held, Line>) {
        for (variable, bits) in &job.steps.variables {
            let mut whole: Option<(Line, u32)> = None;
            for bit in bits {
                let line = self.held(job, single, *bit);
                whole = Some(match whole {
                    None => (line, 1),
                    Some((below, width)) => (self.op("concat", width + 1, &[line, below]), width + 1),
                });
            }
            if let Some((line, _)) = whole {
                self.known.insert(*variable, line);
            }
        }
    }

    fn held(&mut self, job: &Job, single: &BTreeMap<Held, Line>, bit: Bit) -> Line {
        let representative = job.facts.representative[bit.0 as usize];
        match single.get(&Held::Bit(representative)) {
            Some(line) => *line,
            None => self.constant(1, u128::from(job.facts.constant(&job.steps, bit).unwrap_or(0))),
        }
    }

    /// When each step is taken; nothing for one that no run takes. Violations are written.
    fn steps(&mut self, job: &Job, single: &BTreeMap<Held, Line>) -> Vec<Option<Line>> {
        let mut at = BTreeMap::new();
        for code in job.circuit.codes.iter().flatten() {
            let here = self.at(job, single, *code);
            at.insert(*code, here);
        }
        let (mut found, mut bad) = (Vec::new(), self.constant(1, 0));
        for step in &job.system.steps {
            let Some(here) = job.circuit.codes[step.from].and_then(|code| at.get(&code).copied()) else {
                found.push(None);
                continue;
            };
            let guard = self.term(step.guard);
            let taken = self.op("and", 1, &[here, guard]);
            if step.to.is_err() {
                bad = self.op("or", 1, &[bad, taken]);
            }
            found.push(Some(taken));
        }
        self.line(&format!("bad {bad} violation"));
        found
    }

    fn at(&mut self, job: &Job, single: &BTreeMap<Held, Line>, code: u32) -> Line {
        let mut here = self.constant(1, 1);
        for held in &job.circuit.kept {
            let (Held::Counter(at), Some(&line)) = (held, single.get(held)) else { continue };
            let bit = if code >> at & 1 == 1 { line } else { self.op("not", 1, &[line]) };
            here = self.op("and", 1, &[here, bit]);
        }
        here
    }

    fn next_states(&mut self, job: &Job, (states, single): (&[State], &BTreeMap<Held, Line>), taken: &[Option<Line>]) {
        for state in states {
            let mut whole: Option<(Line, u32)> = None;
            for held in &state.held {
                let line = match held {
                    Held::Counter(at) => self.next_counter(job, taken, *at),
                    Held::Bit(bit) => self.next_bit(job, (single, taken), *bit),
                };
                whole = Some(match whole {
                    None => (line, 1),
                    Some((below, width)) => (self.op("concat", width + 1, &[line, below]), width + 1),
                });
            }
            if let Some((line, width)) = whole {
                let sort = self.sort(width);
                self.line(&format!("next {sort} {} {line}", state.line));
            }
        }
    }

    fn next_counter(&mut self, job: &Job, taken: &[Option<Line>], at: u32) -> Line {
        let mut next = self.constant(1, u128::from(job.circuit.end >> at & 1));
        for (step, taken) in job.system.steps.iter().zip(taken) {
            let (Ok(to), Some(taken)) = (step.to, taken) else { continue };
            let Some(code) = job.circuit.codes[to] else { continue };
            let value = self.constant(1, u128::from(code >> at & 1));
            next = self.op("ite", 1, &[*taken, value, next]);
        }
        next
    }

    fn next_bit(&mut self, job: &Job, (single, taken): (&BTreeMap<Held, Line>, &[Option<Line>]), bit: Bit) -> Line {
        let (variable, at) = job.names.owner(bit);
        let mut next = self.held(job, single, bit);
        for (step, taken) in job.system.steps.iter().zip(taken) {
            let (Ok(_), Some(taken)) = (step.to, taken) else { continue };
            let Some((_, value)) = step.values.iter().find(|(own, _)| *own == variable) else { continue };
            let whole = self.term(*value);
            let one = if self.width(variable) == 1 { whole } else { self.slice(whole, at, at) };
            next = self.op("ite", 1, &[*taken, one, next]);
        }
        next
    }

    /// The line of a term.
    fn term(&mut self, term: TermId) -> Line {
        for part in self.store.post_order(&[term], |part| self.known.contains_key(&part)) {
            let line = self.one(part);
            self.known.insert(part, line);
        }
        self.known[&term]
    }

    fn one(&mut self, term: TermId) -> Line {
        let (op, width) = (self.store.op(term), self.width(term));
        let args: Vec<Line> = self.store.args(term).iter().map(|arg| self.known[arg]).collect();
        match (op, args.as_slice()) {
            (Op::True, _) => self.constant(1, 1),
            (Op::False, _) => self.constant(1, 0),
            (Op::Bits(value), _) => self.constant(width, value),
            (Op::Extract { low }, [a]) => self.slice(*a, low + width - 1, low),
            (Op::ZeroExtend | Op::SignExtend, [a]) => {
                let name = if op == Op::ZeroExtend { "uext" } else { "sext" };
                let more = width - self.width(self.store.args(term)[0]);
                let sort = self.sort(width);
                self.line(&format!("{name} {sort} {a} {more}"))
            }
            (Op::Ite, _) => self.op("ite", width, &args),
            (op, [first, rest @ ..]) if !rest.is_empty() => {
                let name = name(op);
                rest.iter().fold(*first, |line, arg| self.op(name, width, &[line, *arg]))
            }
            (op, args) => self.op(name(op), width, args),
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the rest has no name of its own here")]
fn name(op: Op) -> &'static str {
    match op {
        Op::Not | Op::BitNot => "not",
        Op::And | Op::BitAnd => "and",
        Op::Or | Op::BitOr => "or",
        Op::BitXor => "xor",
        Op::Eq => "eq",
        Op::Add => "add",
        Op::Mul => "mul",
        Op::Neg => "neg",
        Op::UDiv => "udiv",
        Op::SDiv => "sdiv",
        Op::URem => "urem",
        Op::SRem => "srem",
        Op::Shl => "sll",
        Op::LShr => "srl",
        Op::AShr => "sra",
        Op::ULt => "ult",
        Op::SLt => "slt",
        Op::Concat => "concat",
        _ => "unknown",
    }
}
