//! Gates as clauses: of what is asked about only, with one variable for a choice or a conjunction of several.

use super::super::aig::{Aig, Lit, Node};
use super::super::sequential::Circuit;
use super::Cube;
use super::sat::{Clausal, Literal, Sat};

/// Operands of a conjunction that becomes one variable.
const OPERANDS: usize = 8;

/// The nodes of a graph that are variables already.
#[derive(Debug, Default)]
pub struct Encoded {
    of: Vec<Option<Literal>>,
    /// The clauses, if they are wanted again for other solvers.
    kept: Option<Vec<Vec<Literal>>>,
}

/// What a node is, with all that lies between it and its operands.
enum Gate {
    Free,
    False,
    /// The conjunction of all.
    All(Vec<Lit>),
    /// If the first then the second, else the third.
    Choice(Lit, Lit, Lit),
}

impl Encoded {
    /// One that keeps its clauses.
    #[must_use]
    pub fn keeping() -> Self {
        Self { of: Vec::new(), kept: Some(Vec::new()) }
    }

    /// The clauses that were kept.
    #[must_use]
    pub fn into_clauses(self) -> Vec<Vec<Literal>> {
        self.kept.unwrap_or_default()
    }

    /// The literal that stands for one of the graph, if it was encoded.
    #[must_use]
    pub fn known(&self, lit: Lit) -> Option<Literal> {
        self.of.get(lit.node()).copied().flatten().map(|found| found.is(!lit.is_complement()))
    }

    /// The literal that stands for one of the graph, with the clauses of all that it depends on.
    pub fn literal(&mut self, aig: &Aig, sat: &mut impl Clausal, lit: Lit) -> Literal {
        if self.of.len() < aig.len() {
            self.of.resize(aig.len(), None);
        }
        let mut open = vec![lit.node()];
        while let Some(&at) = open.last() {
            if self.of[at].is_some() {
                open.pop();
                continue;
            }
            let gate = self.gate(aig, at);
            let operands: &[Lit] = match &gate {
                Gate::Free | Gate::False => &[],
                Gate::All(operands) => operands,
                Gate::Choice(condition, yes, no) => &[*condition, *yes, *no],
            };
            let before = open.len();
            open.extend(operands.iter().map(|operand| operand.node()).filter(|node| self.of[*node].is_none()));
            if open.len() > before {
                continue;
            }
            let operands: Vec<Literal> = operands.iter().filter_map(|operand| self.known(*operand)).collect();
            let new = sat.variable();
            self.define(sat, new, &gate, &operands);
            self.of[at] = Some(new);
            open.pop();
        }
        // Every node that was open has a variable now.
        self.known(lit).unwrap_or_else(|| sat.variable())
    }

    fn define(&mut self, sat: &mut impl Clausal, new: Literal, gate: &Gate, operands: &[Literal]) {
        match (gate, operands) {
            (Gate::False, _) => self.add(sat, &[!new]),
            (Gate::Choice(..), &[condition, yes, no]) => {
                self.add(sat, &[!condition, !yes, new]);
                self.add(sat, &[!condition, yes, !new]);
                self.add(sat, &[condition, !no, new]);
                self.add(sat, &[condition, no, !new]);
                if yes.variable() != no.variable() {
                    self.add(sat, &[!yes, !no, new]);
                    self.add(sat, &[yes, no, !new]);
                }
            }
            (Gate::All(_), operands) => {
                let mut whole: Vec<Literal> = operands.iter().map(|operand| !*operand).collect();
                whole.push(new);
                self.add(sat, &whole);
                operands.iter().for_each(|operand| self.add(sat, &[!new, *operand]));
            }
            (Gate::Free | Gate::Choice(..), _) => {}
        }
    }

    /// What a node is. A part of a conjunction that is a variable already, or a choice, is an operand.
    fn gate(&self, aig: &Aig, at: usize) -> Gate {
        let Node::And(a, b) = aig.node(at) else {
            return if aig.node(at) == Node::False { Gate::False } else { Gate::Free };
        };
        if let Some((condition, yes, no)) = choice(aig, a, b) {
            return Gate::Choice(condition, yes, no);
        }
        let (mut operands, mut next) = (vec![a, b], 0);
        while let Some(&operand) = operands.get(next) {
            match aig.node(operand.node()) {
                Node::And(a, b)
                    if !operand.is_complement()
                        && operands.len() < OPERANDS
                        && self.of[operand.node()].is_none()
                        && choice(aig, a, b).is_none() =>
                {
                    operands[next] = a;
                    operands.push(b);
                }
                Node::And(..) | Node::Input(_) | Node::False => next += 1,
            }
        }
        operands.sort_unstable();
        operands.dedup();
        Gate::All(operands)
    }

    fn add(&mut self, sat: &mut impl Clausal, clause: &[Literal]) {
        sat.add(clause);
        if let Some(kept) = &mut self.kept {
            kept.push(clause.to_vec());
        }
    }
}

/// One step of a circuit as clauses, for any number of solvers and steps.
#[derive(Debug)]
pub struct Clauses {
    clauses: Vec<Vec<Literal>>,
    /// How many variables there are.
    pub variables: usize,
    /// How many gates they stand for.
    pub gates: usize,
    /// The latches, in the order of the circuit.
    pub now: Vec<Literal>,
    /// What they hold in the next step.
    pub next: Vec<Literal>,
    /// The inputs.
    pub inputs: Vec<Literal>,
    /// The output.
    pub bad: Literal,
}

impl Clauses {
    /// The clauses of a circuit.
    #[must_use]
    pub fn of(circuit: &Circuit) -> Self {
        let (mut sat, mut encoded) = (Sat::default(), Encoded::keeping());
        let mut literal = |lit| encoded.literal(&circuit.aig, &mut sat, lit);
        let now = circuit.latches.iter().map(|latch| literal(latch.now)).collect();
        let next = circuit.latches.iter().map(|latch| literal(latch.next)).collect();
        let inputs = circuit.inputs.iter().map(|(.., lit)| literal(*lit)).collect();
        let bad = literal(circuit.bad);
        let (clauses, gates) = (encoded.into_clauses(), circuit.aig.len());
        Self { clauses, variables: sat.variables(), gates, now, next, inputs, bad }
    }

    /// A solver that knows one step.
    #[must_use]
    pub fn solver(&self) -> Sat {
        let mut sat = Sat::default();
        self.add_to(&mut sat);
        sat
    }

    /// Adds a step with variables of its own, and says how many there were before.
    pub fn add_to(&self, sat: &mut impl Clausal) -> usize {
        let before = sat.variables();
        (0..self.variables).for_each(|_| {
            sat.variable();
        });
        let mut moved = Vec::new();
        for clause in &self.clauses {
            moved.clear();
            moved.extend(clause.iter().map(|literal| literal.moved(before)));
            sat.add(&moved);
        }
        before
    }

    /// That a state is outside of a cube.
    #[must_use]
    pub fn clause(&self, cube: &Cube) -> Vec<Literal> {
        cube.iter().map(|(at, value)| self.now[*at as usize].is(!*value)).collect()
    }
}

/// A conjunction of neither `c and t` nor `not c and e`: if `c` then not `t`, else not `e`.
fn choice(aig: &Aig, a: Lit, b: Lit) -> Option<(Lit, Lit, Lit)> {
    if !a.is_complement() || !b.is_complement() {
        return None;
    }
    let (Node::And(c, t), Node::And(d, e)) = (aig.node(a.node()), aig.node(b.node())) else { return None };
    for (condition, yes) in [(c, t), (t, c)] {
        for (other, no) in [(d, e), (e, d)] {
            if condition == !other {
                return Some((condition, !yes, !no));
            }
        }
    }
    None
}
