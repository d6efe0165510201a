//! Which globals may still be read by what a program does from a location on.
//!
//! A global whose address is not taken is read by name only: by an edge behind the location, by a function that is called
//! there, or behind the calls that are open. Writing a part of one reads nothing of it. All other globals may always be read.
//! Known imprecision: a value that is overwritten before it is read counts as read.
//! Soundness rests on nothing here: who forgets a value that is read after all knows less there, and no more.

use fixedbitset::FixedBitSet;
use program::cfa::{Cfa, FunctionId, LocationId, Operation, VarId};
use program::expr::{Expr, ExprId};
use semantics::callgraph::CallGraph;

use super::liveness::{owner, variables};

/// Globals times locations; of a program with more, every global may always be read.
const MOST_BITS: usize = 1 << 28;

/// Which globals each location may still come to read.
#[derive(Clone, Debug)]
pub struct LaterReads {
    /// Position among the globals that are tracked; `None`: may always be read.
    number: Vec<Option<u32>>,
    /// For each location what is read from there until the function returns.
    read: Vec<FixedBitSet>,
}

impl LaterReads {
    /// Solves a program. Time O(edges · globals) per pass, few passes.
    #[must_use]
    pub fn new(cfa: &Cfa, calls: &CallGraph) -> Self {
        let is_tracked = |id: &VarId| owner(cfa, *id).is_none() && !cfa.variable(*id).address_taken;
        let tracked: Vec<VarId> = cfa.variable_ids().filter(is_tracked).collect();
        let mut number = vec![None; cfa.variables.len()];
        if tracked.len().saturating_mul(cfa.locations.len()) > MOST_BITS {
            return Self { number, read: Vec::new() };
        }
        for (at, id) in (0..).zip(&tracked) {
            number[id.index()] = Some(at);
        }
        let own = own_reads(cfa, &number, tracked.len());
        let whole = reads_of_functions(cfa, calls, &own, tracked.len());
        let mut read = own;
        for edge in cfa.edge_ids() {
            if let Some(callee) = cfa.called(edge) {
                read[cfa.edge(edge).source.index()].union_with(&whole[callee.index()]);
            }
        }
        let mut open: Vec<LocationId> = cfa.location_ids().collect();
        let mut is_open = FixedBitSet::with_capacity(open.len());
        is_open.insert_range(..);
        while let Some(location) = open.pop() {
            is_open.set(location.index(), false);
            let here = read[location.index()].clone();
            for source in cfa.in_edges(location).iter().map(|edge| cfa.edge(*edge).source) {
                let before = &mut read[source.index()];
                if !here.is_subset(before) {
                    before.union_with(&here);
                    if !is_open.put(source.index()) {
                        open.push(source);
                    }
                }
            }
        }
        Self { number, read }
    }

    /// Whether a global may still be read from a location on, before its function returns; also what is no global.
    #[must_use]
    pub fn may_read(&self, location: LocationId, variable: VarId) -> bool {
        self.number[variable.index()].is_none_or(|number| self.read[location.index()].contains(number as usize))
    }
}

/// For each location the globals that the edges leaving it mention by name, other than to overwrite them.
fn own_reads(cfa: &Cfa, number: &[Option<u32>], count: usize) -> Vec<FixedBitSet> {
    let mut reads = vec![FixedBitSet::with_capacity(count); cfa.locations.len()];
    let mut found = Vec::new();
    for edge in cfa.edge_ids().map(|id| cfa.edge(id)) {
        match &edge.operation {
            Operation::Assume { condition, .. } => variables(cfa, *condition, &mut found),
            Operation::Assign { place, value } => {
                variables(cfa, *value, &mut found);
                of_place(cfa, *place, &mut found);
            }
            Operation::Call { arguments, .. } => arguments.iter().for_each(|argument| variables(cfa, *argument, &mut found)),
            Operation::Return { value } => value.iter().for_each(|value| variables(cfa, *value, &mut found)),
            Operation::Asm(asm) => {
                asm.outputs.iter().chain(&asm.inputs).for_each(|operand| variables(cfa, operand.expr, &mut found));
            }
            Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Blank | Operation::Unsupported { .. } => {}
        }
        let known = found.drain(..).filter_map(|variable| number[variable.index()]);
        known.for_each(|number| reads[edge.source.index()].insert(number as usize));
    }
    reads
}

/// What finding a place reads: its indices and pointers, not the variable that it is a part of.
fn of_place(cfa: &Cfa, mut place: ExprId, found: &mut Vec<VarId>) {
    loop {
        let part = cfa.exprs.get(place);
        if let Expr::Field(whole, _) = *part {
            place = whole;
        } else if let Expr::Index(whole, index) = *part {
            variables(cfa, index, found);
            place = whole;
        } else {
            break;
        }
    }
    if !matches!(cfa.exprs.get(place), Expr::Variable(_)) {
        variables(cfa, place, found);
    }
}

/// What each function reads, with all that it calls.
fn reads_of_functions(cfa: &Cfa, calls: &CallGraph, own: &[FixedBitSet], count: usize) -> Vec<FixedBitSet> {
    let mut whole = vec![FixedBitSet::with_capacity(count); cfa.functions.len()];
    for location in cfa.location_ids() {
        whole[cfa.location(location).function.index()].union_with(&own[location.index()]);
    }
    let mut open: Vec<FunctionId> = calls.bottom_up().iter().rev().copied().collect();
    while let Some(function) = open.pop() {
        let here = whole[function.index()].clone();
        for call in calls.call_sites(function) {
            let caller = cfa.location(cfa.edge(*call).source).function;
            if !here.is_subset(&whole[caller.index()]) {
                whole[caller.index()].union_with(&here);
                open.push(caller);
            }
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use semantics::loops::Loops;

    use super::*;

    fn read_at_line(text: &str, line: u32) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program.c");
        std::fs::write(&file, text).unwrap();
        let cfa = program::load(&file, &ProgramOptions::default()).unwrap();
        let later = LaterReads::new(&cfa, &CallGraph::new(&cfa, &Loops::new(&cfa)));
        let edge = cfa.edge_ids().find(|edge| cfa.source.location(cfa.edge(*edge).span.lo).line == line).unwrap();
        let globals = cfa.variable_ids().filter(|id| cfa.variable(*id).function.is_none());
        let read = globals.filter(|id| later.may_read(cfa.edge(edge).source, *id));
        read.map(|id| cfa.variable(id).name.to_string()).collect()
    }

    const TEXT: &str = "int a, b, c, d, t[4], *p = &d;\nint g(int x) { return x ? g(x - 1) + b : c; }\nint f(int i) {\n  t[i] = 1;\n\
                        \x20 return g(i);\n}\nint main(void) {\n  a = 1;\n  int x = a + f(2);\n  while (x)\n    x -= t[x];\n  c = 5;\n  return x;\n}\n";

    #[test]
    fn a_global_is_read_by_what_follows_and_what_that_calls() {
        assert_eq!(read_at_line(TEXT, 8), ["a", "b", "c", "d", "t"]);
        assert_eq!(read_at_line(TEXT, 10), ["d", "t"], "what is only written is not read, what a pointer may reach is");
        assert_eq!(read_at_line(TEXT, 12), ["d"]);
    }

    #[test]
    fn what_callers_read_is_no_matter_of_the_function() {
        assert_eq!(read_at_line(TEXT, 4), ["b", "c", "d"]);
    }
}
