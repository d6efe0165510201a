//! What a function without a body is for whoever watches the program.

use program::cfa::{Cfa, EdgeId, Function, Known, Operation};
use program::known::{self, Ending, Handlers, Results};
use program::violation::Violation;

/// What the call of a function without a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum External {
    /// Something that is seen: the function, its arguments, and its place among other events.
    Event,
    /// A value from elsewhere: the k-th call of the function yields the same in both programs.
    Value,
    /// A value that the arguments decide.
    Computed,
    /// What it does to memory is known, or that nothing is known of it.
    Modelled,
}

/// What calling a function without a body is.
#[must_use]
pub fn external(function: &Function) -> External {
    let name = known::plain(&function.name);
    match function.known {
        None => External::Event,
        Some(Known::Pure) if known::is_output(name) || known::decides_others(name) => External::Event,
        Some(Known::Pure) if known::results(name) == Results::Computed => External::Computed,
        Some(Known::Pure | Known::Input) => External::Value,
        Some(Known::Error | Known::NoReturn | Known::Allocate | Known::Free | Known::Memory | Known::Unsupported) => {
            External::Modelled
        }
    }
}

/// How an edge leaves the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// An operation that has no meaning.
    Undefined(Violation),
    /// `abort`, or an assertion that fails.
    Abort,
    /// `exit` or a relative, by what runs before the end; the first argument is the code.
    Exit(Handlers),
    /// Another function that does not return.
    Other,
}

/// How an edge leaves the program, if it does.
#[must_use]
pub fn leaving(cfa: &Cfa, edge: EdgeId) -> Option<Leaving> {
    let edge = cfa.edge(edge);
    let Operation::Call { callee, .. } = &edge.operation else { return None };
    let function = cfa.function(*callee);
    if cfa.location(edge.target).is_error {
        return Some(Violation::of_function(&function.name).map_or(Leaving::Abort, Leaving::Undefined));
    }
    if cfa.enters(*callee) || !cfa.out_edges(edge.target).is_empty() || function.known != Some(Known::NoReturn) {
        return None;
    }
    Some(match known::special(&function.name).and_then(|row| row.ending) {
        Some(Ending::Exit(handlers)) => Leaving::Exit(handlers),
        Some(Ending::Abort) => Leaving::Abort,
        Some(Ending::Message | Ending::Waits) | None => Leaving::Other,
    })
}
