//! The concrete interpreter: one execution of a program, byte for byte.
//!
//! [`run`] executes a [`Cfa`] from its entry with the values an [`Inputs`] supplies and says exactly where the execution
//! ends. Memory is byte-accurate: every object has an address of its own, aligned and non-null, and a pointer is the
//! integer that is its address, so casts and unions work. Nothing is guessed: whatever C leaves arbitrary (inputs,
//! uninitialised bytes, results of functions without a body) is asked for, and undefined or unsupported operations end
//! the run with their kind and edge.
//!
//! Invariants: the run depends on the program, the answers of `Inputs` and the [`Limits`] only. Integer arithmetic wraps
//! (as everywhere in the project); division by zero, shifts out of range, conversions of floats that do not fit, and
//! accesses outside an object or to a dead one are undefined.
//! Does not know symbolic states or solvers; shares the lowering with the verifier, so a fault there passes it.

mod addresses;
mod arithmetic;
mod evaluate;
mod execute;
mod external;
mod fault;
mod guessed;
mod kind;
mod layout;
mod library;
mod machine;
mod memory;
mod names;
mod reading;
mod recorded;
mod seeds;
mod tried;
mod waiting;

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, VarId};

pub use self::external::is_computed;
pub use self::library::{is_real, real};
pub use self::machine::DataState;
pub use self::names::{constant_of, input_value, origin_constant, origin_name};
pub use self::recorded::Recorded;
pub use self::tried::Tried;

/// What a machine decides and C does not: a run that violates the property for one of two choices only is none of the program.
pub const DECIDED_BY_THE_MACHINE: [&str; 2] = ["bits of an address", "result of a function that ends without a value"];

/// What a value is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A call of an input function.
    Input(FunctionId),
    /// The result of another function without a body.
    External(FunctionId),
    /// A parameter of the entry function. For a pointer: 0 is null, anything else a fresh object.
    Parameter(u32),
    /// Bytes of an object that nothing was written to since it came into being.
    Object {
        /// The variable; `None` for allocated memory.
        variable: Option<VarId>,
        /// Offset of the first byte.
        offset: u64,
        /// Number of edges passed when the object came into being or its declaration was last passed.
        born: usize,
    },
    /// A function with a result ended without giving one.
    MissingResult(FunctionId),
    /// A volatile read through a pointer to no object of the program.
    Volatile(u64),
    /// Whether an allocation fails: 1 yields null.
    Allocation(FunctionId),
    /// What tells that a comparison found a difference of more than 1: 0 the difference, 1 its sign.
    Comparison(FunctionId),
}

impl Origin {
    /// Whether two values are asked for by the same thing, at whatever step.
    #[must_use]
    pub fn is_same_thing(self, other: Self) -> bool {
        match (self, other) {
            (Self::Object { variable: a, offset: x, .. }, Self::Object { variable: b, offset: y, .. }) => (a, x) == (b, y),
            _ => self == other,
        }
    }
}

/// A request for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What for.
    pub origin: Origin,
    /// Width of the value in bits; more are cut off.
    pub bits: u32,
    /// Number of edges passed before.
    pub step: usize,
}

/// Where the values of inputs come from.
///
/// `None` as answer to an [`Origin::Input`] ends the run with [`Outcome::InputsExhausted`]; for every other origin it
/// means 0.
pub trait Inputs {
    /// The value for a request: its bit pattern.
    fn value(&mut self, request: &Request) -> Option<u128>;

    /// What a function of the C library yields whose result the arguments decide, but no standard says exactly, as this machine
    /// computes it ([`real`]). `None`, and the run ends there, unless whoever runs it wants to know what happens on one machine:
    /// such a value shows nothing of any other.
    fn real(&mut self, _name: &str, _arguments: &[f64]) -> Option<f64> {
        None
    }
}

impl<F: FnMut(&Request) -> Option<u128>> Inputs for F {
    fn value(&mut self, request: &Request) -> Option<u128> {
        self(request)
    }
}

/// Values for the input functions in the order of their calls; everything else is 0.
#[derive(Clone, Debug, Default)]
pub struct ValueList {
    values: Vec<u128>,
    next: usize,
}

impl ValueList {
    /// The given bit patterns, first call first.
    #[must_use]
    pub fn new(values: Vec<u128>) -> Self {
        Self { values, next: 0 }
    }
}

impl Inputs for ValueList {
    fn value(&mut self, request: &Request) -> Option<u128> {
        if !matches!(request.origin, Origin::Input(_)) {
            return Some(0);
        }
        let value = self.values.get(self.next).copied();
        self.next += 1;
        value
    }
}

/// Follows a run.
pub trait Observer {
    /// Called after each edge with the data state it leads to; a call edge before the first edge of the callee.
    ///
    /// `Break` ends the run with [`Outcome::Stopped`], even if the edge leads to an error location.
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()>;
}

/// Watches nothing.
impl Observer for () {
    fn edge(&mut self, _edge: EdgeId, _state: &DataState<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Follows the edges only.
pub struct EdgeObserver<F>(pub F);

impl<F: FnMut(EdgeId) -> ControlFlow<()>> Observer for EdgeObserver<F> {
    fn edge(&mut self, edge: EdgeId, _state: &DataState<'_>) -> ControlFlow<()> {
        (self.0)(edge)
    }
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of edges.
    pub steps: usize,
    /// Bytes of all objects together.
    pub memory: usize,
    /// Bodies of the C library are not entered where what they do is computed: the trace passes over them. Where operations or
    /// accesses are checked, bodies are entered all the same: they may violate the property.
    pub skips_library: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 1_000_000, memory: 256 << 20, skips_library: false }
    }
}

/// Why an operation has no defined effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UndefinedKind {
    /// An access through a null pointer (or close to it).
    NullPointer,
    /// An access outside every object, or across the end of one.
    OutOfBounds,
    /// An access to an object that was freed.
    DeadObject,
    /// A store to a string literal.
    ReadOnly,
    /// `free` or `realloc` of something that was not allocated.
    InvalidFree,
    /// Integer division or remainder by zero, or of the smallest number by -1.
    Division,
    /// A shift by a negative number or by at least the width.
    Shift,
    /// A float that the integer type cannot represent.
    FloatConversion,
    /// `memcpy` of overlapping areas, or alike.
    LibraryCall,
}

impl UndefinedKind {
    /// A phrase for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NullPointer => "null pointer access",
            Self::OutOfBounds => "access out of bounds",
            Self::DeadObject => "access to a dead object",
            Self::ReadOnly => "store to a string literal",
            Self::InvalidFree => "free of memory that was not allocated",
            Self::Division => "division by zero or overflow of a division",
            Self::Shift => "shift out of range",
            Self::FloatConversion => "float out of the range of an integer",
            Self::LibraryCall => "library function outside its contract",
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At an error location.
    ErrorReached,
    /// The entry function returned.
    Finished,
    /// A call that does not return, or an assumption that does not hold.
    Aborted,
    /// After [`Limits::steps`] edges.
    StepLimit,
    /// More memory needed than [`Limits::memory`].
    MemoryLimit,
    /// [`Inputs`] had no value for an input function. The edge reads it.
    InputsExhausted(EdgeId),
    /// The observer ended it.
    Stopped,
    /// An operation without defined effect.
    Undefined {
        /// Which.
        kind: UndefinedKind,
        /// Where.
        edge: EdgeId,
    },
    /// A construct the interpreter does not treat.
    Unsupported {
        /// Which.
        construct: Box<str>,
        /// Where; `None` before the first edge.
        edge: Option<EdgeId>,
    },
}

/// A value that a run asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueRead {
    /// What for, and when.
    pub request: Request,
    /// The answer, cut to the width.
    pub value: u128,
    /// The program decides it: the result of a function of the C library that follows from its arguments.
    pub decided: bool,
    /// Something else than a copy looked at it.
    pub seen: bool,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// The location where it ended; for an edge that could not be taken, its source.
    pub location: LocationId,
    /// The edges taken, in order; calls, callees' edges and returns included.
    pub trace: Vec<EdgeId>,
    /// All values asked for, in order.
    pub reads: Vec<ValueRead>,
    /// It looked at bits of addresses that depend on the layout of memory. It ended alike in several layouts, but in others
    /// it might not.
    pub looks_at_addresses: bool,
}

impl Run {
    /// The values of input functions in the order of their calls.
    pub fn inputs(&self) -> impl Iterator<Item = (FunctionId, u128)> + '_ {
        self.reads.iter().filter_map(|read| {
            let Origin::Input(function) = read.request.origin else { return None };
            Some((function, read.value))
        })
    }
}

/// Executes a program.
///
/// Time is linear in the number of edges taken, with the size of each frame at a call.
pub fn run(cfa: &Cfa, inputs: &mut dyn Inputs, observer: &mut dyn Observer, limits: Limits) -> Run {
    execute::execute(cfa, inputs, observer, limits)
}

/// Executes a program on the given input values, first call first.
#[must_use]
pub fn replay(cfa: &Cfa, values: &[u128], limits: Limits) -> Run {
    run(cfa, &mut ValueList::new(values.to_vec()), &mut (), limits)
}
