//! Generated programs executed by the interpreter, for comparison with what gcc makes of them.

use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, VarId};
use semantics::cursor::{ConditionCursor, Coverage};
use semantics::interpreter::{DataState, Limits, Observer, Outcome, ValueList, run};

use crate::compiled::{End, Execution};

/// Keeps the value of one variable, as long as a condition does not cover the path.
struct Watch<'a> {
    cursor: Option<&'a ConditionCursor>,
    coverage: Coverage,
    variable: VarId,
    value: u128,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        if let Some(cursor) = self.cursor {
            self.coverage = cursor.step(self.coverage, edge);
        }
        if self.coverage.is_covered() {
            return ControlFlow::Break(());
        }
        self.value = state.scalar(self.variable).unwrap_or(self.value);
        ControlFlow::Continue(())
    }
}

/// Executes a generated program on these inputs, with what its variable `checksum` holds at the end.
///
/// # Panics
/// As [`interpret_along`].
#[must_use]
#[expect(clippy::unwrap_used, reason = "nothing covers the path")]
pub fn interpret(cfa: &Cfa, values: &[i64]) -> Execution {
    interpret_along(cfa, None, values).unwrap()
}

/// As [`interpret`], along a condition; `None` if it covers the path.
///
/// # Panics
/// If the program has no such variable, or ends otherwise than a compiled program does.
#[must_use]
#[expect(clippy::unwrap_used, clippy::panic, reason = "a test asks, and fails where it should not have")]
pub fn interpret_along(cfa: &Cfa, cursor: Option<&ConditionCursor>, values: &[i64]) -> Option<Execution> {
    let variable = cfa.variable_ids().find(|id| &*cfa.variable(*id).name == "checksum").unwrap();
    let coverage = cursor.map_or(Coverage::Uncovered, ConditionCursor::start);
    let mut watch = Watch { cursor, coverage, variable, value: 0 };
    let mut inputs = ValueList::new(values.iter().map(|v| *v as u128).collect());
    let run = run(cfa, &mut inputs, &mut watch, Limits::default());
    let end = match run.outcome {
        Outcome::ErrorReached => End::Error,
        Outcome::Finished => End::Finished,
        Outcome::Aborted => End::Aborted,
        Outcome::InputsExhausted(_) => End::Exhausted,
        Outcome::Stopped => return None,
        other @ (Outcome::StepLimit | Outcome::MemoryLimit | Outcome::Undefined { .. } | Outcome::Unsupported { .. }) => {
            panic!("{other:?} at {}", run.trace.last().map_or(String::new(), |e| cfa.edge_text(*e)))
        }
    };
    Some(Execution { end, checksum: watch.value as u32, reads: run.inputs().count() })
}
