//! Inputs of an earlier run, by name, so that another program can be run on them.
//!
//! Does not know where they were recorded.

use std::collections::{BTreeMap, VecDeque};

use formats::verdict::InputValue;
use program::cfa::Cfa;

use super::{Inputs, Request, origin_name};

/// The inputs of a counterexample, handed out to a program that may not be the one they were found on.
#[derive(Debug)]
pub struct Recorded<'a> {
    cfa: &'a Cfa,
    /// Values of input functions in the order of their calls.
    calls: VecDeque<(&'a str, u128)>,
    /// Everything else that was arbitrary, by name.
    others: BTreeMap<&'a str, VecDeque<u128>>,
    /// A request came that the counterexample does not answer in its order.
    diverged: bool,
}

impl<'a> Recorded<'a> {
    /// The values, for a program.
    #[must_use]
    pub fn new(cfa: &'a Cfa, inputs: &'a [InputValue]) -> Self {
        let mut calls = VecDeque::new();
        let mut others: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        for input in inputs {
            match input.source.strip_suffix("()") {
                Some(function) => calls.push_back((function, input.bits)),
                None => others.entry(input.source.as_str()).or_default().push_back(input.bits),
            }
        }
        Self { cfa, calls, others, diverged: false }
    }

    /// Whether the program read other inputs, or in another order.
    #[must_use]
    pub const fn diverged(&self) -> bool {
        self.diverged
    }
}

impl Inputs for Recorded<'_> {
    fn value(&mut self, request: &Request) -> Option<u128> {
        let name = origin_name(self.cfa, request.origin);
        if let Some(function) = name.strip_suffix("()") {
            let (expected, value) = self.calls.pop_front()?;
            self.diverged |= expected != function;
            return (!self.diverged).then_some(value);
        }
        self.others.get_mut(name.as_str()).and_then(VecDeque::pop_front).or(Some(0))
    }
}
