//! Generated programs executed by the interpreter, for comparison with what gcc makes of them.

use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, VarId};
use semantics::interpreter::{DataState, Limits, Observer, Outcome, ValueList, run};

use crate::compiled::{End, Execution};

/// Keeps the value of one variable.
struct Watch {
    variable: VarId,
    value: u128,
}

impl Observer for Watch {
    fn edge(&mut self, _edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        self.value = state.scalar(self.variable).unwrap_or(self.value);
        ControlFlow::Continue(())
    }
}

/// Executes a generated program on these inputs, with what its variable `checksum` holds at the end.
///
/// # Panics
/// If the program has no such variable, or ends otherwise than a compiled program does.
#[must_use]
#[expect(clippy::unwrap_used, clippy::panic, reason = "a test asks, and fails where it should not have")]
pub fn interpret(cfa: &Cfa, values: &[i64]) -> Execution {
    let variable = cfa.variable_ids().find(|id| &*cfa.variable(*id).name == "checksum").unwrap();
    let mut watch = Watch { variable, value: 0 };
    let mut inputs = ValueList::new(values.iter().map(|v| *v as u128).collect());
    let run = run(cfa, &mut inputs, &mut watch, Limits::default());
    let end = match run.outcome {
        Outcome::ErrorReached => End::Error,
        Outcome::Finished => End::Finished,
        Outcome::Aborted => End::Aborted,
        Outcome::InputsExhausted(_) => End::Exhausted,
        other @ (Outcome::StepLimit
        | Outcome::MemoryLimit
        | Outcome::Stopped
        | Outcome::Undefined { .. }
        | Outcome::Unsupported { .. }) => {
            panic!("{other:?} at {}", run.trace.last().map_or(String::new(), |e| cfa.edge_text(*e)))
        }
    };
    Execution { end, checksum: watch.value as u32, reads: run.inputs().count() }
}
