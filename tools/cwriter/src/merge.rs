//! Making residual functions smaller without changing what they do: dead ends are cut, what nothing leads to is dropped,
//! equal functions are merged.
//!
//! Invariant: the entry function stays number 0.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use program::cfa::{Cfa, EdgeId, Known, Operation};
use rustc_hash::FxBuildHasher;

use crate::graph::{FunctionIndex, ResidualFunction, Target};

/// The same functions, smaller.
#[must_use]
pub fn smaller(cfa: &Cfa, mut functions: Vec<ResidualFunction>) -> Vec<ResidualFunction> {
    for function in &mut functions {
        cut_dead_ends(cfa, function);
    }
    merge_equal(drop_unreachable(functions))
}

/// Cuts edges behind which the program can only stop: nothing but assumes and calls that do not return is left there, so
/// where the cut is makes no difference, and more functions come out equal.
fn cut_dead_ends(cfa: &Cfa, function: &mut ResidualFunction) {
    let harmless = |edge: EdgeId| match &cfa.edge(edge).operation {
        Operation::Assume { .. } | Operation::Blank => true,
        Operation::Call { callee, .. } => cfa.function(*callee).known == Some(Known::NoReturn),
        Operation::Declare { .. }
        | Operation::Assign { .. }
        | Operation::Havoc { .. }
        | Operation::Return { .. }
        | Operation::Asm(_)
        | Operation::Unsupported { .. } => false,
    };
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); function.nodes.len()];
    let mut open: Vec<usize> = vec![0; function.nodes.len()];
    let mut work = Vec::new();
    for (index, node) in function.nodes.iter().enumerate() {
        open[index] = node.edges.iter().filter(|(_, target)| *target != Target::Cut).count();
        for (edge, target) in &node.edges {
            if let (true, Target::Node(next)) = (harmless(*edge), target) {
                predecessors[*next].push(index);
            }
        }
        if open[index] == 0 && !cfa.location(node.location).is_error {
            work.push(index);
        }
    }
    let mut dead = vec![false; function.nodes.len()];
    while let Some(index) = work.pop() {
        dead[index] = true;
        for &from in &predecessors[index] {
            open[from] -= 1;
            if open[from] == 0 {
                work.push(from);
            }
        }
    }
    for (edge, target) in function.nodes.iter_mut().flat_map(|node| &mut node.edges) {
        if let Target::Node(next) = target
            && dead[*next]
            && harmless(*edge)
        {
            *target = Target::Cut;
        }
    }
}

/// Drops nodes and functions that nothing leads to.
fn drop_unreachable(functions: Vec<ResidualFunction>) -> Vec<ResidualFunction> {
    let kept: Vec<ResidualFunction> = functions.into_iter().map(drop_nodes).collect();
    let mut order: IndexSet<FunctionIndex, FxBuildHasher> = IndexSet::default();
    order.insert(0);
    let mut next = 0;
    while let Some(&index) = order.get_index(next) {
        next += 1;
        for (_, target) in kept[index].nodes.iter().flat_map(|node| &node.edges) {
            if let Target::Call { callee, .. } = target {
                order.insert(*callee);
            }
        }
    }
    let class: Vec<usize> = (0..kept.len()).map(|index| order.get_index_of(&index).unwrap_or(0)).collect();
    order.iter().map(|index| renumber(kept[*index].clone(), &class)).collect()
}

fn drop_nodes(function: ResidualFunction) -> ResidualFunction {
    let mut order: IndexSet<usize, FxBuildHasher> = IndexSet::default();
    order.insert(0);
    let mut next = 0;
    while let Some(&index) = order.get_index(next) {
        next += 1;
        for (_, target) in &function.nodes[index].edges {
            match target {
                Target::Node(node) => order.extend([*node]),
                Target::Call { after, .. } => order.extend(after.iter().copied()),
                Target::Cut | Target::Return(_) => {}
            }
        }
    }
    let place = |node: usize| order.get_index_of(&node).unwrap_or(0);
    let nodes = order.iter().map(|index| {
        let mut node = function.nodes[*index].clone();
        for (_, target) in &mut node.edges {
            match target {
                Target::Node(next) => *next = place(*next),
                Target::Call { after, .. } => after.iter_mut().for_each(|next| *next = place(*next)),
                Target::Cut | Target::Return(_) => {}
            }
        }
        node
    });
    ResidualFunction { nodes: nodes.collect(), ..function }
}

/// Merges functions that are equal up to which of equal functions they call: the coarsest such partition.
fn merge_equal(functions: Vec<ResidualFunction>) -> Vec<ResidualFunction> {
    let mut class = vec![0usize; functions.len()];
    let mut classes = 1;
    loop {
        let mut signatures: BTreeMap<(usize, Vec<u8>), usize> = BTreeMap::new();
        let mut next = Vec::with_capacity(functions.len());
        for (index, function) in functions.iter().enumerate() {
            let count = signatures.len();
            next.push(*signatures.entry((class[index], signature(function, &class))).or_insert(count));
        }
        let found = signatures.len();
        class = next;
        if found == classes {
            break;
        }
        classes = found;
    }
    let mut kept: Vec<Option<ResidualFunction>> = vec![None; classes];
    for (index, function) in functions.into_iter().enumerate() {
        let slot = &mut kept[class[index]];
        if slot.is_none() {
            *slot = Some(renumber(function, &class));
        }
    }
    kept.into_iter().flatten().collect()
}

/// Everything that tells a function apart from others, callees by their class.
fn signature(function: &ResidualFunction, class: &[usize]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |value: usize| bytes.extend_from_slice(&value.to_le_bytes());
    put(function.function.index());
    put(function.exits);
    for node in &function.nodes {
        put(node.location.index());
        for (edge, target) in &node.edges {
            put(edge.index());
            match target {
                Target::Cut => put(0),
                Target::Node(node) => [1, *node].into_iter().for_each(&mut put),
                Target::Return(exit) => [2, *exit].into_iter().for_each(&mut put),
                Target::Call { callee, after } => {
                    [3, class[*callee], after.len()].into_iter().chain(after.iter().copied()).for_each(&mut put);
                }
            }
        }
    }
    bytes
}

fn renumber(mut function: ResidualFunction, class: &[usize]) -> ResidualFunction {
    for (_, target) in function.nodes.iter_mut().flat_map(|node| &mut node.edges) {
        if let Target::Call { callee, .. } = target {
            *callee = class[*callee];
        }
    }
    function
}
