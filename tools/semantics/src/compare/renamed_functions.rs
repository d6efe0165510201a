//! Which functions were given another name: a guess by what they do.
//!
//! Functions that the map by name leaves over, with bodies and equal types, are compared by their operations, in which
//! variables of their own and everything else that has lost its counterpart are blanks. Who has most in common is paired
//! first; who has less than half of its operations in common is not.
//! Any one-to-one map between functions with bodies is right: a name means something to code outside the program only, which
//! calls nothing back. So a guess decides only how much is found to be identical.

use program::cfa::{Cfa, FunctionId, VarKind};
use rustc_hash::FxHashMap;

use super::alignment::edges_by_function;
use super::content::Program;
use super::reading::{Numbers, read};

/// Pairs of functions that are compared at most; of more, those of a program that was written anew, none is.
const MOST: usize = 20_000;

/// Pairs functions that are left over.
pub(super) fn pair(o: Program, m: Program, paired: &mut [Option<FunctionId>]) {
    let mut taken = vec![false; o.0.functions.len()];
    paired.iter().flatten().for_each(|other| taken[other.index()] = true);
    let mine: Vec<FunctionId> = m.0.function_ids().filter(|f| paired[f.index()].is_none() && can_be_renamed(m.0, *f)).collect();
    let theirs: Vec<FunctionId> = o.0.function_ids().filter(|g| !taken[g.index()] && can_be_renamed(o.0, *g)).collect();
    if mine.is_empty() || theirs.is_empty() || mine.len() * theirs.len() > MOST {
        return;
    }
    let globals = shared_globals(o.0, m.0);
    let back: FxHashMap<FunctionId, FunctionId> =
        paired.iter().enumerate().filter_map(|(index, other)| Some(((*other)?, FunctionId::new(index)))).collect();
    let left = shapes(m, &mine, &globals, &|f| paired[f.index()].map(|other| other.0));
    let right = shapes(o, &theirs, &globals, &|g| back.contains_key(&g).then_some(g.0));
    let mut found: Vec<(usize, (FunctionId, FunctionId))> = Vec::new();
    for (f, shape) in mine.iter().zip(&left) {
        for (g, other) in theirs.iter().zip(&right) {
            let both = in_common(shape, other);
            let same_type = m.1[m.0.function(*f).ty.index()] == o.1[o.0.function(*g).ty.index()];
            if same_type && m.0.function(*f).linkage == o.0.function(*g).linkage && 2 * both >= shape.len().max(other.len()) {
                // In thousandths of all operations of the two.
                found.push((2000 * both / (shape.len() + other.len()).max(1), (*f, *g)));
            }
        }
    }
    found.sort_unstable_by_key(|(share, pair)| (std::cmp::Reverse(*share), *pair));
    for (_, (f, g)) in found {
        if paired[f.index()].is_none() && !std::mem::replace(&mut taken[g.index()], true) {
            paired[f.index()] = Some(g);
        }
    }
}

/// A function of the program's own that nothing but the program knows by name.
fn can_be_renamed(program: &Cfa, function: FunctionId) -> bool {
    let known = program.function(function);
    known.entry.is_some() && known.known.is_none() && function != program.entry
}

/// A number for each name of a global that both programs have.
fn shared_globals<'a>(original: &'a Cfa, modified: &Cfa) -> FxHashMap<&'a str, u32> {
    let of = |program: &'a Cfa| program.variables.iter().filter(|v| matches!(v.kind, VarKind::Global { .. })).map(|v| &*v.name);
    let mut shared: FxHashMap<&str, u32> = of(original).zip(0..).collect();
    let mine: rustc_hash::FxHashSet<&str> =
        modified.variables.iter().filter(|v| matches!(v.kind, VarKind::Global { .. })).map(|v| &*v.name).collect();
    shared.retain(|name, _| mine.contains(name));
    shared
}

/// What the operations of functions do, as sorted numbers.
fn shapes(
    program: Program,
    functions: &[FunctionId],
    globals: &FxHashMap<&str, u32>,
    number: &dyn Fn(FunctionId) -> Option<u32>,
) -> Vec<Vec<u32>> {
    let edges = edges_by_function(program.0);
    let variable = |variable: program::cfa::VarId| {
        let known = program.0.variable(variable);
        if matches!(known.kind, VarKind::Global { .. }) { globals.get(&*known.name).copied() } else { None }
    };
    let numbers = Numbers { variable: &variable, function: number };
    let shape = |function: &FunctionId| {
        let mut shape: Vec<u32> = edges[function.index()].iter().map(|edge| read(&program, *edge, &numbers).0).collect();
        shape.sort_unstable();
        shape
    };
    functions.iter().map(shape).collect()
}

/// How many numbers two sorted lists have in common.
fn in_common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, both) = (i + 1, j + 1, both + 1),
        }
    }
    both
}
