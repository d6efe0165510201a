//! What every execution of the original gets past, whatever its data, and what it may have written then.
//!
//! A piece of a function, from one location to another, is passed for certain if it has no loop, every operation in it
//! completes, every branching goes on whichever way it is decided, and every way comes to the other location or to a violation
//! of the property. Undefined behaviour is ignored, non-termination is not.

use program::cfa::{Cfa, EdgeId, FunctionId, Known, LocationId, Operation};
use program::outside::is_outside;
use rustc_hash::FxHashMap;
use semantics::callgraph::CallGraph;
use semantics::object_set::ObjectSet;

use crate::access::Program;

/// What comes of every execution of a piece of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// It comes to the end, having written at most these objects, or violates the property.
    Passes(ObjectSet),
    /// It violates the property.
    Violates,
}

/// Pieces of the original program.
#[derive(Debug)]
pub(crate) struct Certain {
    /// From the entry of each function to its exit; `None` if it may stay away from there.
    functions: Vec<Option<Passage>>,
    pieces: FxHashMap<(LocationId, Option<LocationId>), Option<Passage>>,
}

impl Certain {
    /// Looks at all functions, callees first.
    pub(crate) fn new(original: &mut Program, calls: &CallGraph) -> Self {
        let cfa = original.cfa;
        let mut certain = Self { functions: vec![None; cfa.functions.len()], pieces: FxHashMap::default() };
        for &function in calls.bottom_up() {
            if !cfa.enters(function) || calls.is_recursive(function) {
                continue;
            }
            let (Some(entry), Some(exit)) = (cfa.function(function).entry, cfa.function(function).exit) else { continue };
            let passage = certain.find(original, entry, Some(exit));
            certain.functions[function.index()] = passage.map(|passage| outliving(original, function, passage));
        }
        certain
    }

    /// What comes of executions from a location to another of the same function; without another, to a violation.
    pub(crate) fn piece(&mut self, original: &mut Program, from: LocationId, to: Option<LocationId>) -> Option<Passage> {
        if let Some(known) = self.pieces.get(&(from, to)) {
            return known.clone();
        }
        let found = self.find(original, from, to);
        self.pieces.insert((from, to), found.clone());
        found
    }

    /// Goes through the piece depth first; what is still open when it is met again is a loop.
    fn find(&self, original: &mut Program, from: LocationId, to: Option<LocationId>) -> Option<Passage> {
        let cfa = original.cfa;
        let mut done: FxHashMap<LocationId, Option<Passage>> = FxHashMap::default();
        let mut open = vec![from];
        while let Some(&at) = open.last() {
            if Some(at) == to {
                done.insert(at, Some(Passage::Passes(ObjectSet::new())));
            } else if cfa.location(at).is_error {
                done.insert(at, Some(Passage::Violates));
            }
            if done.get(&at).is_some_and(Option::is_some) {
                open.pop();
                continue;
            }
            let edges = cfa.out_edges(at);
            if !goes_on(cfa, edges) {
                return None;
            }
            if done.insert(at, None).is_none() {
                for &edge in edges {
                    if self.edge(original, edge)? == Passage::Violates {
                        continue;
                    }
                    let target = cfa.edge(edge).target;
                    match done.get(&target) {
                        Some(None) => return None,
                        Some(Some(_)) => {}
                        None => open.push(target),
                    }
                }
                continue;
            }
            let passage = self.join(original, edges, &done)?;
            done.insert(at, Some(passage));
            open.pop();
        }
        done.remove(&from)?
    }

    /// What comes of the edges that leave a location, when it is known what comes of where they lead.
    fn join(&self, original: &mut Program, edges: &[EdgeId], done: &FxHashMap<LocationId, Option<Passage>>) -> Option<Passage> {
        let mut passing: Option<ObjectSet> = None;
        for &edge in edges {
            let target = original.cfa.edge(edge).target;
            let Passage::Passes(mut written) = self.edge(original, edge)? else { continue };
            match done.get(&target)?.as_ref()? {
                Passage::Violates => {}
                Passage::Passes(more) => {
                    written.union_with(more);
                    passing.get_or_insert_default().union_with(&written);
                }
            }
        }
        Some(passing.map_or(Passage::Violates, Passage::Passes))
    }

    /// What comes of passing one edge.
    fn edge(&self, original: &mut Program, edge: EdgeId) -> Option<Passage> {
        let cfa = original.cfa;
        let nothing = Some(Passage::Passes(ObjectSet::new()));
        match &cfa.edge(edge).operation {
            // The arbitrary value may be the one that was there.
            Operation::Declare { .. } | Operation::Havoc { .. } => nothing,
            Operation::Blank | Operation::Assume { .. } | Operation::Return { .. } => nothing,
            Operation::Assign { .. } => Some(Passage::Passes(original.of(edge).writes.clone())),
            Operation::Call { callee, result, .. } => {
                if cfa.enters(*callee) {
                    return match self.functions[callee.index()].as_ref()? {
                        Passage::Violates => Some(Passage::Violates),
                        Passage::Passes(written) => {
                            let result = result.map(|result| original.variable(result)).unwrap_or_default();
                            Some(Passage::Passes(written.union(&result)))
                        }
                    };
                }
                match cfa.function(*callee).known {
                    // What a pointer leads to outside need not be a function.
                    None if is_outside(&cfa.function(*callee).name) => None,
                    // The result is an input: it may be what was there.
                    None => Some(Passage::Passes(original.memory_writes(edge))),
                    Some(Known::Input | Known::Allocate | Known::Free | Known::Memory | Known::Pure) => {
                        Some(Passage::Passes(original.of(edge).writes.clone()))
                    }
                    Some(Known::Error) => nothing,
                    Some(Known::NoReturn | Known::Unsupported) => None,
                }
            }
            Operation::Asm(_) | Operation::Unsupported { .. } => None,
        }
    }
}

/// Whether an execution that is at a location passes one of its edges: there is one, or one for each truth of a condition.
fn goes_on(cfa: &Cfa, edges: &[EdgeId]) -> bool {
    let assumed = |edge: EdgeId| match cfa.edge(edge).operation {
        Operation::Assume { condition, truth } => Some((condition, truth)),
        Operation::Declare { .. }
        | Operation::Assign { .. }
        | Operation::Havoc { .. }
        | Operation::Call { .. }
        | Operation::Return { .. }
        | Operation::Blank
        | Operation::Asm(_)
        | Operation::Unsupported { .. } => None,
    };
    match *edges {
        [edge] => assumed(edge).is_none(),
        [one, other] => match (assumed(one), assumed(other)) {
            (Some((condition, truth)), Some((same, opposite))) => condition == same && truth != opposite,
            (_, _) => false,
        },
        _ => false,
    }
}

/// What is left of a passage when the function has ended, and its automatic objects with it.
fn outliving(original: &Program, function: FunctionId, passage: Passage) -> Passage {
    let Passage::Passes(mut written) = passage else { return passage };
    for variable in original.cfa.variable_ids() {
        let known = original.cfa.variable(variable);
        if known.function == Some(function) && known.is_automatic() {
            written.subtract(&original.variable(variable));
        }
    }
    Passage::Passes(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;
    use crate::touch::Touch;
    use crate::types::Types;
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use semantics::facts::Facts;

    /// What comes of executions of `f` from its entry to its exit.
    fn passage(body: &str) -> Option<Passage> {
        let text = format!(
            "extern void reach_error(void); extern void abort(void); extern int in(void); int g, h;\n\
             int endless(int x) {{ while (x) x = in(); return x; }} int fails(void) {{ reach_error(); return 0; }}\n\
             int plain(int x) {{ g = x; return x; }}\n{body}\nint main(void) {{ return f(in()); }}"
        );
        let source = SourceFile::new("test.c", text);
        let cfa = program::load_source(source, &ProgramOptions::default()).expect("a program");
        let same: Vec<Option<u32>> = cfa.variable_ids().map(|variable| Some(variable.0)).collect();
        let map = Map::new(&cfa, &cfa, (&same, &[]), &mut Types::default()).expect("the same");
        let facts = [&cfa, &cfa].map(Facts::new);
        let mut touch = Touch::new(&facts, &map, &[]);
        let mut certain = Certain::new(&mut touch.original, facts[0].calls());
        let f = cfa.function_ids().find(|f| &*cfa.function(*f).name == "f").expect("f");
        let (entry, exit) = (cfa.function(f).entry.expect("a body"), cfa.function(f).exit);
        certain.piece(&mut touch.original, entry, exit)
    }

    #[test]
    fn what_may_stay_away_is_not_passed() {
        for body in [
            "int f(int x) { while (x) x = in(); return x; }",
            "int f(int x) { if (x) abort(); return x; }",
            "int f(int x) { if (x) for (;;) ; return x; }",
            "extern void __VERIFIER_assume(int); int f(int x) { __VERIFIER_assume(x); return x; }",
            "int f(int x) { return endless(x); }",
            "int f(int x) { if (x) return f(x - 1); return x; }",
            "int f(int x) { __asm__ volatile(\"nop\" : \"=r\"(x)); return x; }",
            "int f(int x) { again: if (x) { x = in(); goto again; } return x; }",
        ] {
            assert_eq!(passage(body), None, "{body}");
        }
    }

    #[test]
    fn what_ends_is_passed() {
        let written = |body: &str| match passage(body) {
            Some(Passage::Passes(written)) => written.len(),
            other => panic!("{body}: {other:?}"),
        };
        let one = written("int f(int x) { g = x; return x; }");
        assert!(one > 0);
        assert_eq!(written("int f(int x) { if (x) g = 1; else h = 1; return x; }"), one + 1);
        assert_eq!(written("int f(int x) { if (x) reach_error(); else g = 2; return x; }"), one);
        assert_eq!(written("int f(int x) { if (x) { h = 1; fails(); } g = 2; return x; }"), one);
        assert!(written("int f(int x) { plain(x); return x; }") >= one);
        assert_eq!(passage("int f(int x) { if (x) reach_error(); else fails(); return x; }"), Some(Passage::Violates));
    }
}
