//! From where the error can be reached.
//!
//! Context-insensitive by function summaries: a location reaches the error *in its frame* (also through the functions it
//! calls) or by *returning*; together with the actual stack this decides a [`Point`] as exactly as the call stack allows.
//! Over-approximates: every assume is taken to be passable, unsupported operations count as the error, inline assembly too
//! (see [`Assembly`]), and so does a call of a function known to be unsupported. Indirect calls are direct ones in the CFA already.

use fixedbitset::FixedBitSet;
use program::cfa::{Cfa, EdgeId, FunctionId, Known, LocationId, Operation};

use crate::callgraph::{CallGraph, external_returns};
use crate::stack::{Point, StackTable};

/// What inline assembly counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assembly {
    /// All of it may reach the error: for the comparison of programs, which knows assembly by its text.
    Opaque,
    /// Assembly of which is known what it may write only writes that.
    Understood,
}

/// Which locations can reach the error of a program.
#[derive(Clone, Debug)]
pub struct ErrorReach {
    in_frame: FixedBitSet,
    returns: FixedBitSet,
    /// Where the error is hit by what cannot be understood rather than by the error function: sources of such edges.
    opaque: FixedBitSet,
}

impl ErrorReach {
    /// Computes reachability of the error. Time linear in the CFA.
    #[must_use]
    pub fn new(cfa: &Cfa, calls: &CallGraph, assembly: Assembly) -> Self {
        let count = cfa.locations.len();
        let empty = FixedBitSet::with_capacity(count);
        let mut reach = Self { in_frame: empty.clone(), returns: empty.clone(), opaque: empty };
        reach.find_returning(cfa, calls);
        for edge in cfa.edge_ids().filter(|&e| is_opaque(cfa, e, assembly)) {
            reach.opaque.insert(cfa.edge(edge).source.index());
        }
        reach.find_reaching(cfa, calls);
        reach
    }

    /// Whether the error can be reached from here without leaving the function.
    #[must_use]
    pub fn can_reach_in_frame(&self, location: LocationId) -> bool {
        self.in_frame.contains(location.index())
    }

    /// Whether the exit of the function can be reached from here.
    #[must_use]
    pub fn returns(&self, location: LocationId) -> bool {
        self.returns.contains(location.index())
    }

    /// Whether an edge that leaves this location cannot be understood and therefore counts as reaching the error.
    #[must_use]
    pub fn is_opaque(&self, location: LocationId) -> bool {
        self.opaque.contains(location.index())
    }

    /// Whether the error can be reached from a point: in its function or behind one of the calls it returns from.
    ///
    /// Time linear in the depth of the stack at worst; most answers come from the first frame.
    #[must_use]
    pub fn can_reach(&self, cfa: &Cfa, stacks: &StackTable, point: Point) -> bool {
        let mut point = point;
        loop {
            if self.can_reach_in_frame(point.location) {
                return true;
            }
            if !self.returns(point.location) {
                return false;
            }
            let Some((call, below)) = stacks.pop(point.stack) else { return false };
            point = Point { location: cfa.edge(call).target, stack: below };
        }
    }

    /// Whether the error can be reached from the start of the program.
    #[must_use]
    pub fn from_start(&self, cfa: &Cfa) -> bool {
        self.can_reach_in_frame(cfa.entry_location())
    }

    fn find_returning(&mut self, cfa: &Cfa, calls: &CallGraph) {
        let mut wait: Vec<LocationId> = cfa.functions.iter().filter_map(|f| f.exit).collect();
        while let Some(location) = wait.pop() {
            if self.returns.put(location.index()) {
                continue;
            }
            for &edge in cfa.in_edges(location) {
                if self.completes(cfa, edge) {
                    wait.push(cfa.edge(edge).source);
                }
            }
            let function = cfa.location(location).function;
            if cfa.function(function).entry == Some(location) && cfa.enters(function) {
                let behind = calls.call_sites(function).iter().map(|&call| cfa.edge(call));
                wait.extend(behind.filter(|e| self.returns.contains(e.target.index())).map(|e| e.source));
            }
        }
    }

    fn find_reaching(&mut self, cfa: &Cfa, calls: &CallGraph) {
        let errors = cfa.location_ids().filter(|&l| cfa.location(l).is_error || self.is_opaque(l));
        let mut wait: Vec<LocationId> = errors.collect();
        while let Some(location) = wait.pop() {
            if self.in_frame.put(location.index()) {
                continue;
            }
            for &edge in cfa.in_edges(location) {
                if cfa.location(location).is_error || self.completes(cfa, edge) {
                    wait.push(cfa.edge(edge).source);
                }
            }
            let function = cfa.location(location).function;
            if cfa.function(function).entry == Some(location) && cfa.enters(function) {
                wait.extend(calls.call_sites(function).iter().map(|&call| cfa.edge(call).source));
            }
        }
    }

    /// Whether a path can go along the edge to its target within the function, as far as known yet.
    fn completes(&self, cfa: &Cfa, edge: EdgeId) -> bool {
        let Some(callee) = cfa.called(edge) else { return true };
        match cfa.function(callee).entry {
            Some(entry) if cfa.enters(callee) => self.returns.contains(entry.index()),
            _ => external_returns(cfa.function(callee).known),
        }
    }
}

/// The construct on an edge that has no sound treatment where two programs are compared.
#[must_use]
pub fn not_compared(cfa: &Cfa, edge: EdgeId) -> Option<String> {
    let operation = &cfa.edge(edge).operation;
    if let Operation::Asm(asm) = operation {
        return asm.has_labels.then(|| "inline assembly that jumps".to_owned());
    }
    match opaque_callee(cfa, edge) {
        Some(callee) => Some(format!("call of {}", cfa.function(callee).name)),
        None => operation.unsupported().map(str::to_owned),
    }
}

/// The function without a body that an edge calls, if nobody knows what it does.
#[must_use]
pub fn opaque_callee(cfa: &Cfa, edge: EdgeId) -> Option<FunctionId> {
    let is_opaque = |callee: &FunctionId| !cfa.enters(*callee) && cfa.function(*callee).known == Some(Known::Unsupported);
    cfa.called(edge).filter(is_opaque)
}

/// Whether an edge counts as reaching the error by itself, because what it does is not understood.
#[must_use]
pub fn is_opaque(cfa: &Cfa, edge: EdgeId, assembly: Assembly) -> bool {
    let operation = &cfa.edge(edge).operation;
    if let Operation::Asm(asm) = operation {
        return assembly == Assembly::Opaque || program::assembly::writes(cfa, asm).is_none();
    }
    operation.unsupported().is_some() || opaque_callee(cfa, edge).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::Loops;
    use crate::stack::StackId;
    use crate::test_program::TestProgram;
    use program::cfa::{Cfa, FunctionId};

    fn reach(cfa: &Cfa) -> ErrorReach {
        ErrorReach::new(cfa, &CallGraph::new(cfa, &Loops::new(cfa)), Assembly::Opaque)
    }

    fn add_error(p: &mut TestProgram, at: LocationId, function: FunctionId) {
        let error = p.external("reach_error", Some(Known::Error));
        let bad = p.error(function);
        p.edge(at, Operation::Call { callee: error, arguments: vec![], result: None }, bad);
    }

    /// A callee that returns to a caller that fails only after the first of two calls.
    #[test]
    fn the_stack_decides_behind_which_call_the_error_is() {
        let mut p = TestProgram::new();
        let (main, f) = (p.function("main"), p.function("f"));
        let x = p.local("x", p.int, main);
        let mut at = p.entry(main);
        let first = p.call(&mut at, f, &[], None);
        let on = p.location(main);
        let bad = p.location(main);
        p.branch(at, x, bad, on);
        add_error(&mut p, bad, main);
        at = on;
        let second = p.call(&mut at, f, &[], None);
        p.finish_function(at, None);
        let inside = p.entry(f);
        p.finish_function(inside, None);
        let cfa = p.build();
        let reach = reach(&cfa);
        let mut stacks = StackTable::new();
        let mut can = |call| {
            let stack = stacks.push(StackId::EMPTY, call);
            reach.can_reach(&cfa, &stacks, Point { location: inside, stack })
        };
        assert!(can(first) && !can(second));
        assert!(reach.from_start(&cfa) && !reach.can_reach_in_frame(inside) && reach.returns(inside));
        assert!(!reach.can_reach_in_frame(at) && !reach.returns(bad));
    }

    #[test]
    fn what_does_not_return_shields_the_error_behind_it() {
        let mut p = TestProgram::new();
        let (main, f) = (p.function("main"), p.function("f"));
        let mut at = p.entry(main);
        p.call(&mut at, f, &[], None);
        add_error(&mut p, at, main);
        let spin = p.entry(f);
        p.edge(spin, Operation::Blank, spin);
        let cfa = p.build();
        assert!(!reach(&cfa).from_start(&cfa));
    }

    #[test]
    fn an_error_in_a_callee_is_reached_through_calls_and_recursion() {
        let mut p = TestProgram::new();
        let (main, f) = (p.function("main"), p.function("f"));
        let mut at = p.entry(main);
        p.call(&mut at, f, &[], None);
        let x = p.local("x", p.int, f);
        let (bad, deeper) = (p.location(f), p.location(f));
        p.branch(p.entry(f), x, bad, deeper);
        add_error(&mut p, bad, f);
        let mut back = deeper;
        p.call(&mut back, f, &[], None);
        p.finish_function(back, None);
        let cfa = p.build();
        // Recursion never ends, so nothing behind the call is reached, but the error inside is.
        assert!(reach(&cfa).from_start(&cfa));
    }

    /// p30: what cannot be understood may be the error.
    #[test]
    fn the_unknown_counts_as_the_error() {
        for operation in [
            |p: &mut TestProgram| (p.external("setjmp", Some(Known::Unsupported)), true),
            |p: &mut TestProgram| (p.external("unused", None), false),
        ] {
            let mut p = TestProgram::new();
            let main = p.function("main");
            let (callee, call) = operation(&mut p);
            let mut at = p.entry(main);
            if call {
                p.call(&mut at, callee, &[], None);
            } else {
                p.then(&mut at, Operation::Unsupported { construct: "goto *".into() });
            }
            p.finish_function(at, None);
            let cfa = p.build();
            let reach = reach(&cfa);
            assert!(reach.from_start(&cfa) && reach.is_opaque(cfa.entry_location()));
        }
    }
}
