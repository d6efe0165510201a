//! The judge of every FALSE: a counterexample is replayed by the concrete interpreter.
//!
//! The interpreter asks for each value the program does not determine; the answers come from the counterexample, matched
//! by the edge on which they come up. Does not know the solver that found them.

use std::collections::BTreeMap;

use program::cfa::{Cfa, VarId};
use semantics::interpreter::{self, Inputs, Limits, Origin, Outcome, Request, Run};
use smt::encode::Origin as ChoiceOrigin;

use super::counterexample::Counterexample;

/// Bytes the replayed program may use.
const MEMORY: usize = 512 << 20;

/// Replays a counterexample. The run says whether it reaches the error.
#[must_use]
pub fn replay(cfa: &Cfa, counterexample: &Counterexample) -> Run {
    let mut answers = Answers::new(cfa, counterexample);
    let limits = Limits { steps: counterexample.edges.len() + 16, memory: MEMORY, skips_library: false };
    interpreter::run(cfa, &mut answers, &mut (), limits)
}

/// Whether a run reached the error.
#[must_use]
pub fn reaches_error(run: &Run) -> bool {
    run.outcome == Outcome::ErrorReached
}

/// The values of a counterexample by the number of edges passed before.
struct Answers {
    by_step: BTreeMap<usize, Vec<(u128, u32)>>,
    used: BTreeMap<usize, usize>,
    /// For each passed declaration, the leaves of the object from its start.
    objects: BTreeMap<(usize, VarId), Vec<(u128, u32)>>,
    /// The same for objects that nobody initialised before the start.
    initial: BTreeMap<VarId, Vec<(u128, u32)>>,
    /// For each passed allocation, what the new memory holds: offset, value and width of its leaves.
    contents: BTreeMap<usize, Vec<(u64, u128, u32)>>,
    parameters: Vec<VarId>,
}

impl Answers {
    fn new(cfa: &Cfa, counterexample: &Counterexample) -> Self {
        let mut answers = Self {
            by_step: BTreeMap::new(),
            used: BTreeMap::new(),
            objects: BTreeMap::new(),
            initial: counterexample.initial.iter().cloned().collect(),
            contents: BTreeMap::new(),
            parameters: cfa.function(cfa.entry).parameters.clone(),
        };
        for choice in &counterexample.choices {
            let value = (choice.value, choice.width);
            match choice.origin {
                ChoiceOrigin::Declaration(variable) => {
                    answers.objects.entry((choice.step, variable)).or_default().push(value);
                }
                ChoiceOrigin::Contents { offset, .. } => {
                    answers.contents.entry(choice.step).or_default().push((offset, choice.value, choice.width));
                }
                ChoiceOrigin::Input(_) | ChoiceOrigin::Unknown(_) => {
                    answers.by_step.entry(choice.step).or_default().push(value);
                }
                ChoiceOrigin::Approximated(_) => {}
            }
        }
        answers
    }

    /// Part of an object that was declared on the edge before `born`, as far as its leaves are packed.
    fn object(&self, variable: VarId, offset: u64, born: usize, bits: u32) -> Option<u128> {
        let declared = born.checked_sub(1).into_iter().chain([born]);
        let leaves = declared.filter_map(|step| self.objects.get(&(step, variable))).next();
        let leaves = leaves.or_else(|| self.initial.get(&variable))?;
        let mut at = 0u64;
        for &(value, width) in leaves {
            let end = at + u64::from(width.div_ceil(8));
            if (at..end).contains(&offset) {
                let shifted = value >> (8 * (offset - at)).min(127);
                let kept = u64::from(width.min(128)).saturating_sub(8 * (offset - at));
                let wanted = u64::from(bits).min(kept);
                return Some(if wanted >= 128 { shifted } else { shifted & ((1u128 << wanted) - 1) });
            }
            at = end;
        }
        None
    }

    /// Part of the memory that was allocated on the edge before `born`.
    fn allocated(&self, offset: u64, born: usize, bits: u32) -> Option<u128> {
        let passed = born.checked_sub(1).into_iter().chain([born]);
        let leaves = passed.filter_map(|step| self.contents.get(&step)).next()?;
        let (start, value, width) =
            leaves.iter().find(|(start, _, width)| (*start..*start + u64::from(width.div_ceil(8))).contains(&offset))?;
        let skipped = u32::try_from(8 * (offset - start)).unwrap_or(u32::MAX).min(127);
        let kept = width.saturating_sub(skipped).min(bits);
        let shifted = value >> skipped;
        Some(if kept >= 128 { shifted } else { shifted & ((1u128 << kept) - 1) })
    }
}

impl Inputs for Answers {
    fn value(&mut self, request: &Request) -> Option<u128> {
        match request.origin {
            Origin::Object { variable: Some(variable), offset, born } => {
                Some(self.object(variable, offset, born, request.bits).unwrap_or(0))
            }
            Origin::Object { variable: None, offset, born } => Some(self.allocated(offset, born, request.bits).unwrap_or(0)),
            // Allocation is taken to succeed.
            Origin::Allocation(_) => Some(0),
            Origin::Parameter(number) => {
                let variable = self.parameters.get(number as usize)?;
                Some(self.initial.get(variable).and_then(|leaves| leaves.first()).map_or(0, |(value, _)| *value))
            }
            Origin::Input(_) | Origin::External(_) | Origin::MissingResult(_) | Origin::Volatile(_) | Origin::Comparison(_) => {
                let used = self.used.entry(request.step).or_insert(0);
                let value = self.by_step.get(&request.step).and_then(|values| values.get(*used));
                *used += 1;
                Some(value.map_or(0, |(value, _)| *value))
            }
        }
    }
}
