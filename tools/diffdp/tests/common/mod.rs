//! Pairs of programs as one text, and what may be said about them, by trying all inputs.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::expect_used, clippy::panic, reason = "only used by tests")]

use formats::{DataModel, DifferenceGraph, ProgramOptions, Property};
use program::cfa::Cfa;
use program::load::load_source;
use program::source::SourceFile;
use semantics::interpreter::{Limits, Run, Tried};

/// Every program starts with these.
const PRELUDE: &str = "extern void reach_error(void); extern void abort(void); extern void exit(int);\n\
    extern int __VERIFIER_nondet_int(void); extern unsigned int __VERIFIER_nondet_uint(void);\n";

/// The values tried for whatever is arbitrary.
const VALUES: [u128; 4] = [0, 1, 2, 5];

/// Arbitrary values a run may ask for before it is given up.
const DEPTH: usize = 4;

/// The two programs of a fixture: what stands behind `//- original.c` and behind `//- modified.c`; what stands before
/// both belongs to both. Where a fixture calls `__assert_fail`, that is the violation.
pub(crate) fn pair(fixture: &str) -> (Cfa, Cfa) {
    let (common, rest) = fixture.split_once("//- original.c").expect("an original");
    let (original, modified) = rest.split_once("//- modified.c").expect("a modified program");
    (load(&format!("{common}{original}")), load(&format!("{common}{modified}")))
}

fn load(text: &str) -> Cfa {
    let property = if text.contains("__assert_fail(") { Property::Assert } else { Property::UnreachCall };
    let options = ProgramOptions { data_model: DataModel::LP64, property, ..ProgramOptions::default() };
    match load_source(SourceFile::new("fixture.c", format!("{PRELUDE}{text}")), &options) {
        Ok(program) => program,
        Err(diagnostic) => panic!("{diagnostic:?}\n{text}"),
    }
}

/// Whether nothing is left to check.
pub(crate) fn covers_everything(graph: &DifferenceGraph) -> bool {
    graph.indicators.is_empty()
}

/// Which nodes can reach an indicator.
fn open(graph: &DifferenceGraph) -> Vec<bool> {
    let mut open = vec![false; graph.nodes as usize];
    let mut pending = graph.indicators.clone();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut open[node as usize], true) {
            pending.extend(graph.edges.iter().filter(|e| e.to == node).map(|e| e.from));
        }
    }
    open
}

/// Whether the condition made of a graph covers a path.
pub(crate) fn covers(graph: &DifferenceGraph, run: &Run) -> bool {
    let open = open(graph);
    let mut at = 0;
    for edge in &run.trace {
        if !open[at as usize] {
            return true;
        }
        match graph.edges.iter().find(|e| e.from == at && e.edge == edge.0) {
            Some(step) => at = step.to,
            None => return false,
        }
    }
    !open[at as usize]
}

/// All runs that violate the property, with the values tried.
pub(crate) fn violations(program: &Cfa) -> Vec<Run> {
    let limits = Limits { steps: 5_000, ..Limits::default() };
    let tried = Tried { values: &VALUES, depth: DEPTH, limits };
    tried.violations(program).into_iter().map(|(_, run)| run).collect()
}

/// What a fixture must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// A regression that has to be left to check.
    Regression,
    /// Something has to be left to check: what differs is beyond the interpreter.
    Checked,
    /// Nothing may be left to check.
    Covered,
    /// Sound, whatever is covered.
    Sound,
}

/// Checks a graph of a fixture against all runs: no covered path may violate what the original cannot violate.
pub(crate) fn judge(fixture: &str, detect: impl Fn(&Cfa, &Cfa) -> DifferenceGraph, expect: Expect) {
    let (original, modified) = pair(fixture);
    let graph = detect(&original, &modified);
    let runs = violations(&modified);
    let safe = violations(&original).is_empty();
    for run in &runs {
        assert!(!safe || !covers(&graph, run), "a regression is covered:\n{fixture}\n{graph:#?}");
    }
    match expect {
        Expect::Regression => {
            assert!(safe && !runs.is_empty(), "no regression: {} violations, original safe: {safe}\n{fixture}", runs.len());
        }
        Expect::Checked => {
            assert!(!covers_everything(&graph), "nothing is left to check:\n{fixture}");
        }
        Expect::Covered => {
            assert!(covers_everything(&graph), "something is left to check:\n{fixture}\n{:#?}", graph.reasons);
        }
        Expect::Sound => {}
    }
}
