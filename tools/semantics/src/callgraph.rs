//! Who calls whom, which functions are recursive, and which calls may not come back.
//!
//! Indirect calls are direct ones behind assumes on the pointer already, so the graph is complete. A call enters its
//! callee iff [`Cfa::enters`]: the error function never is entered.
//! *May not return* over-approximates: a function with a loop, recursion, a dead end (failed assumption, `abort`, error),
//! inline assembly, an unsupported operation, or a call of such a function. Functions without a body return unless known
//! not to (undefined behaviour is ignored, non-termination is not).

use program::cfa::{Cfa, EdgeId, Function, FunctionId, Known, Operation};
use program::outside::is_outside;

use crate::loops::Loops;
use crate::scc::{Components, components};

/// The call graph of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Vec<Vec<FunctionId>>,
    call_sites: Vec<Vec<EdgeId>>,
    components: Components,
    recursive: Vec<bool>,
    may_not_return: Vec<bool>,
    bottom_up: Vec<FunctionId>,
}

impl CallGraph {
    /// Builds the call graph. Time linear in the CFA.
    #[must_use]
    pub fn new(cfa: &Cfa, loops: &Loops) -> Self {
        let count = cfa.functions.len();
        let mut callees = vec![Vec::new(); count];
        let mut call_sites = vec![Vec::new(); count];
        for edge in cfa.edge_ids() {
            if let Operation::Call { callee, .. } = cfa.edge(edge).operation {
                call_sites[callee.index()].push(edge);
                if cfa.enters(callee) {
                    callees[cfa.location(cfa.edge(edge).source).function.index()].push(callee);
                }
            }
        }
        for list in &mut callees {
            list.sort_unstable();
            list.dedup();
        }
        let numbers: Vec<Vec<u32>> = callees.iter().map(|l: &Vec<FunctionId>| l.iter().map(|f| f.0).collect()).collect();
        let components = components(count, |f| &numbers[f as usize]);
        let mut sizes = vec![0u32; components.count];
        for &c in &components.of {
            sizes[c as usize] += 1;
        }
        let recursive = cfa
            .function_ids()
            .map(|f| sizes[components.of[f.index()] as usize] > 1 || callees[f.index()].binary_search(&f).is_ok());
        let recursive: Vec<bool> = recursive.collect();
        let mut bottom_up: Vec<FunctionId> = cfa.function_ids().collect();
        bottom_up.sort_by_key(|f| components.of[f.index()]);
        let mut graph = Self { callees, call_sites, components, may_not_return: recursive.clone(), recursive, bottom_up };
        graph.find_endless(cfa, loops);
        graph
    }

    /// The functions a body enters directly, ascending.
    #[must_use]
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        &self.callees[function.index()]
    }

    /// The call edges that name a function, entered or not.
    #[must_use]
    pub fn call_sites(&self, function: FunctionId) -> &[EdgeId] {
        &self.call_sites[function.index()]
    }

    /// Whether a function can be active twice at once.
    #[must_use]
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.recursive[function.index()]
    }

    /// Whether two functions call each other, directly or not (or are the same).
    #[must_use]
    pub fn same_component(&self, left: FunctionId, right: FunctionId) -> bool {
        self.components.of[left.index()] == self.components.of[right.index()]
    }

    /// Whether a call of the function may fail to come back.
    #[must_use]
    pub fn may_not_return(&self, function: FunctionId) -> bool {
        self.may_not_return[function.index()]
    }

    /// All functions, callees before callers; mutually recursive ones are neighbours.
    #[must_use]
    pub fn bottom_up(&self) -> &[FunctionId] {
        &self.bottom_up
    }

    /// The functions reachable from `root` by calls, `root` included, ascending.
    #[must_use]
    pub fn reachable_from(&self, root: FunctionId) -> Vec<FunctionId> {
        let mut seen = vec![false; self.callees.len()];
        let mut wait = vec![root];
        while let Some(function) = wait.pop() {
            if !std::mem::replace(&mut seen[function.index()], true) {
                wait.extend_from_slice(self.callees(function));
            }
        }
        (0..seen.len()).filter(|&f| seen[f]).map(FunctionId::new).collect()
    }

    fn find_endless(&mut self, cfa: &Cfa, loops: &Loops) {
        for &function in &self.bottom_up {
            let f = cfa.function(function);
            self.may_not_return[function.index()] |=
                if cfa.enters(function) { loops.of_function(function).next().is_some() } else { !certainly_returns(f) };
        }
        for location in cfa.location_ids().filter(|&l| loops.is_reachable(l)) {
            let function = cfa.location(location).function;
            let dead_end = cfa.out_edges(location).is_empty() && cfa.function(function).exit != Some(location);
            let stuck = cfa.out_edges(location).iter().any(|&e| match cfa.edge(e).operation {
                Operation::Asm(_) | Operation::Unsupported { .. } => true,
                Operation::Call { callee, .. } => !cfa.enters(callee) && !certainly_returns(cfa.function(callee)),
                Operation::Declare { .. }
                | Operation::Assume { .. }
                | Operation::Assign { .. }
                | Operation::Havoc { .. }
                | Operation::Return { .. }
                | Operation::Blank => false,
            });
            self.may_not_return[function.index()] |= dead_end || stuck;
        }
        for &function in &self.bottom_up {
            let endless = self.callees[function.index()].iter().any(|c| self.may_not_return[c.index()]);
            self.may_not_return[function.index()] |= endless;
        }
    }
}

/// Whether a call of a function without a body (or of the error function) is taken to come back.
#[must_use]
pub fn external_returns(known: Option<Known>) -> bool {
    match known {
        Some(Known::Error | Known::NoReturn | Known::Unsupported) => false,
        Some(Known::Input | Known::Allocate | Known::Free | Known::Memory | Known::Pure) | None => true,
    }
}

/// Whether a call of a function without a body comes back in every execution. What a pointer leads to outside the program need not
/// be a function at all.
#[must_use]
pub fn certainly_returns(function: &Function) -> bool {
    external_returns(function.known) && !is_outside(&function.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::TestProgram;

    fn graph(p: TestProgram) -> CallGraph {
        let cfa = p.build();
        CallGraph::new(&cfa, &Loops::new(&cfa))
    }

    /// `main` calls `f`, whose body is made by `body` from its entry.
    fn with_callee(body: impl FnOnce(&mut TestProgram, FunctionId)) -> (CallGraph, FunctionId) {
        let mut p = TestProgram::new();
        let (main, f) = (p.function("main"), p.function("f"));
        let mut at = p.entry(main);
        p.call(&mut at, f, &[], None);
        p.finish_function(at, None);
        body(&mut p, f);
        (graph(p), f)
    }

    #[test]
    fn straight_code_returns() {
        let (calls, f) = with_callee(|p, f| {
            p.finish_function(p.entry(f), None);
        });
        assert!(!calls.may_not_return(f) && !calls.is_recursive(f));
        assert_eq!(calls.bottom_up()[0], f);
    }

    #[test]
    fn loops_dead_ends_and_the_unknown_may_not_return() {
        let (calls, f) = with_callee(|p, f| {
            let at = p.entry(f);
            p.edge(at, Operation::Blank, at);
        });
        assert!(calls.may_not_return(f) && calls.may_not_return(FunctionId(0)));
        let (calls, f) = with_callee(|p, f| {
            let abort = p.external("abort", Some(Known::NoReturn));
            let mut at = p.entry(f);
            p.call(&mut at, abort, &[], None);
        });
        assert!(calls.may_not_return(f));
        let (calls, f) = with_callee(|p, f| {
            let x = p.local("x", p.int, f);
            let (dead, exit) = (p.location(f), p.exit(f));
            p.branch(p.entry(f), x, dead, exit);
        });
        assert!(calls.may_not_return(f));
        let (calls, f) = with_callee(|p, f| {
            let mut at = p.entry(f);
            p.then(&mut at, Operation::Unsupported { construct: "setjmp".into() });
            p.finish_function(at, None);
        });
        assert!(calls.may_not_return(f));
    }

    #[test]
    fn recursion_is_found_through_others_and_may_not_return() {
        let mut p = TestProgram::new();
        let (main, f, g) = (p.function("main"), p.function("f"), p.function("g"));
        for (from, to) in [(main, f), (f, g), (g, f)] {
            let mut at = p.entry(from);
            p.call(&mut at, to, &[], None);
            p.finish_function(at, None);
        }
        let calls = graph(p);
        assert!(calls.is_recursive(f) && calls.is_recursive(g) && !calls.is_recursive(main));
        assert!(calls.same_component(f, g) && calls.may_not_return(main));
        assert_eq!(calls.reachable_from(f), vec![f, g]);
    }

    #[test]
    fn the_body_of_the_error_function_is_not_entered() {
        let mut p = TestProgram::new();
        let (main, error) = (p.function("main"), p.external("reach_error", Some(Known::Error)));
        let (mut at, bad) = (p.entry(main), p.error(main));
        p.edge(at, Operation::Call { callee: error, arguments: vec![], result: None }, bad);
        p.then(&mut at, Operation::Blank);
        let calls = graph(p);
        assert!(calls.callees(main).is_empty() && calls.call_sites(error).len() == 1);
        assert!(calls.may_not_return(main) && calls.may_not_return(error));
    }
}
