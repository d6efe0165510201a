//! Bounded search and k-induction on circuits, side by side.
//!
//! The base unrolls from the start: a model of the output is a violation. The step unrolls from anywhere, with no violation but in
//! the last step and no state twice: where it has no model, and the base had none as deep, there is no violation at all.
//! Source: Sheeran, Singh, Stålmarck, FMCAD 2000; that states differ is demanded of those that a model shows equal, as in
//! Eén, Sörensson, BMC 2003.

use super::super::sequential::Circuit;
use super::Trace;
use super::sat::{Effort, Found};
use super::unrolling::{From, Unrolling};
use crate::control::Stop;

/// Nodes of an unrolling.
const NODES: usize = 6_000_000;

/// Conflicts of a step's question at least.
const CONFLICTS: u64 = 20_000;

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A violation.
    Violation(Trace),
    /// There is none: no violation within so many steps, and none behind as many without one.
    Safe(usize),
    /// Unrollings are too large.
    TooLarge,
}

/// The search.
#[derive(Debug)]
pub struct Induction {
    base: Unrolling,
    step: Unrolling,
    /// Steps from the start without a violation.
    clean: usize,
    /// Steps from anywhere that were asked about, or left out.
    asked: usize,
    /// Steps from anywhere whose last one was demanded to be clean.
    demanded: usize,
}

impl Induction {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(circuit: &Circuit) -> Self {
        let (base, step) = (Unrolling::new(circuit, From::Start), Unrolling::new(circuit, From::Anywhere));
        Self { base, step, clean: 0, asked: 0, demanded: 0 }
    }

    /// Steps from the start without a violation.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.clean
    }

    /// Goes on until something is found out.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the effort is used up: it can be called again.
    pub fn run(&mut self, circuit: &Circuit, effort: Effort<'_>) -> Result<Answer, Stop> {
        loop {
            if self.base.nodes() > NODES || self.step.nodes() > NODES {
                return Ok(Answer::TooLarge);
            }
            if self.asked == self.clean {
                if let Some(trace) = self.look(circuit, effort)? {
                    return Ok(Answer::Violation(trace));
                }
                self.clean += 1;
            }
            if self.prove(circuit, effort)? {
                return Ok(Answer::Safe(self.clean));
            }
            self.asked = self.clean;
        }
    }

    /// Looks for a violation in the next step from the start.
    fn look(&mut self, circuit: &Circuit, effort: Effort<'_>) -> Result<Option<Trace>, Stop> {
        let last = self.clean;
        extend(&mut self.base, circuit, last, effort);
        let Some(bad) = self.base.bad(last) else { return Ok(None) };
        if self.base.sat.solve(&[bad], None, effort)? == Found::Model {
            return Ok(Some(self.base.trace(last)));
        }
        self.base.sat.add(&[!bad]);
        Ok(None)
    }

    /// Whether there is no violation behind as many clean steps as are known from the start.
    fn prove(&mut self, circuit: &Circuit, effort: Effort<'_>) -> Result<bool, Stop> {
        let last = self.clean;
        while self.demanded < last {
            extend(&mut self.step, circuit, self.demanded, effort);
            if let Some(bad) = self.step.bad(self.demanded) {
                self.step.sat.add(&[!bad]);
            }
            self.demanded += 1;
        }
        extend(&mut self.step, circuit, last, effort);
        let Some(bad) = self.step.bad(last) else { return Ok(true) };
        let conflicts = CONFLICTS * (last as u64 + 1);
        loop {
            match self.step.sat.solve(&[bad], Some(conflicts), effort)? {
                Found::None => return Ok(true),
                Found::Limit => return Ok(false),
                Found::Model => {}
            }
            if !self.tell_apart(last) {
                return Ok(false);
            }
        }
    }

    /// Demands that steps differ which the model shows equal; `false` if there are none.
    fn tell_apart(&mut self, last: usize) -> bool {
        let states: Vec<Vec<Option<bool>>> = (0..=last).map(|at| self.step.state(at)).collect();
        let mut found = false;
        for (at, state) in states.iter().enumerate() {
            let Some(other) = states[..at].iter().position(|earlier| earlier == state) else { continue };
            self.step.differ(other, at);
            found = true;
        }
        found
    }
}

fn extend(unrolling: &mut Unrolling, circuit: &Circuit, to: usize, effort: Effort<'_>) {
    while unrolling.len() <= to {
        unrolling.extend(circuit);
        effort.meter.charge(circuit.aig.len() as u64 / 4);
    }
}
