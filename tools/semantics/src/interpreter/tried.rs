//! All runs over a few values for each input: of a small program, everything that there is to see.

use program::cfa::Cfa;

use super::{Inputs, Limits, Origin, Outcome, Request, Run, run};

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct Tried<'a> {
    /// The values for each input.
    pub values: &'a [u128],
    /// Inputs of a run at most.
    pub depth: usize,
    /// Bounds of a run.
    pub limits: Limits,
}

/// Runs a program on values; behind the last one, what is no input of the program is 0.
struct Script<'a> {
    values: &'a [u128],
    used: usize,
    short: bool,
}

impl Inputs for Script<'_> {
    fn value(&mut self, request: &Request) -> Option<u128> {
        let value = self.values.get(self.used).copied();
        self.used += 1;
        self.short |= value.is_none();
        match (value, request.origin) {
            (None, Origin::Input(_)) => None,
            (value, _) => Some(value.unwrap_or(0)),
        }
    }
}

impl Tried<'_> {
    /// All runs that violate the property, each with the values it was given.
    #[must_use]
    pub fn violations(&self, program: &Cfa) -> Vec<(Vec<u128>, Run)> {
        let mut found = Vec::new();
        let mut pending = vec![Vec::new()];
        while let Some(values) = pending.pop() {
            let (done, short) = self.once(program, &values);
            if short && values.len() < self.depth {
                pending.extend(self.values.iter().map(|value| values.iter().copied().chain([*value]).collect()));
            } else if done.outcome == Outcome::ErrorReached {
                found.push((values, done));
            }
        }
        found
    }

    /// Whether a program violates the property on values.
    #[must_use]
    pub fn violates(&self, program: &Cfa, values: &[u128]) -> bool {
        self.once(program, values).0.outcome == Outcome::ErrorReached
    }

    /// A run, and whether it asked for more than it was given.
    fn once(&self, program: &Cfa, values: &[u128]) -> (Run, bool) {
        let mut script = Script { values, used: 0, short: false };
        let done = run(program, &mut script, &mut (), self.limits);
        (done, script.short)
    }
}
