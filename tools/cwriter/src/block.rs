//! Residual functions as basic blocks: what is executed, and where control goes.
//!
//! Invariants: block 0 is the entry; every branch has two different destinations; blocks without effect lie on no path,
//! except where a path has nothing else.
//! Does not know how blocks are arranged in the text.

use program::cfa::{Cfa, EdgeId, Known, Operation, VarId};
use program::expr::{Expr, ExprId};

use crate::graph::{FunctionIndex, Node, ResidualFunction, Target};

/// A step that is not control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The operation of an edge.
    Operation(EdgeId),
    /// A call of a residual function.
    Call(EdgeId, FunctionIndex),
    /// A declaration was passed again: the variable becomes arbitrary.
    Refresh(EdgeId, VarId),
}

impl Step {
    /// The edge it comes from.
    pub(crate) const fn edge(self) -> EdgeId {
        match self {
            Self::Operation(edge) | Self::Call(edge, _) | Self::Refresh(edge, _) => edge,
        }
    }
}

/// What a branch depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// An expression, of the assume edge.
    Expr(EdgeId, ExprId),
    /// The function called last was left by this exit.
    Exit(EdgeId, usize),
}

/// Where control goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// To a block.
    Block(usize),
    /// Nowhere: what follows is covered, or cannot be reached.
    Stop,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// One way.
    Jump(Destination),
    /// One of two.
    Branch {
        /// Decides.
        condition: Condition,
        /// If it holds.
        then: Destination,
        /// If not.
        otherwise: Destination,
    },
    /// By the return edge, and by which exit.
    Return(EdgeId, usize),
    /// The last step does not return.
    Never,
}

/// A basic block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// What it does.
    pub(crate) steps: Vec<Step>,
    /// How it ends.
    pub(crate) end: End,
}

impl Block {
    /// Where it may lead.
    pub(crate) fn successors(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let (first, second) = match self.end {
            End::Jump(to) => (Some(to), None),
            End::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            End::Return(..) | End::Never => (None, None),
        };
        [first, second].into_iter().filter_map(|to| match to {
            Some(Destination::Block(block)) => Some(block),
            Some(Destination::Stop) | None => None,
        })
    }
}

/// The blocks of a residual function.
pub(crate) fn blocks(cfa: &Cfa, function: &ResidualFunction) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        function.nodes.iter().map(|_| Block { steps: Vec::new(), end: End::Jump(Destination::Stop) }).collect();
    for (index, node) in function.nodes.iter().enumerate() {
        fill(cfa, index, node, &mut blocks);
    }
    refresh_declared(cfa, &mut blocks);
    skip_empty(&mut blocks);
    blocks
}

/// Turns the edges of one node into a block, with further blocks behind it for further branches.
fn fill(cfa: &Cfa, index: usize, node: &Node, blocks: &mut Vec<Block>) {
    let mut at = index;
    let last = node.edges.len().saturating_sub(1);
    for (position, (edge, target)) in node.edges.iter().enumerate() {
        let Operation::Assume { condition, truth } = cfa.edge(*edge).operation else {
            return single(cfa, *edge, target, at, blocks);
        };
        let to = destination(target);
        // Assumes exclude each other and leave no case out: the last of several needs no test.
        if position == last && position > 0 {
            blocks[at].end = End::Jump(to);
            return;
        }
        let rest = if position == last {
            Destination::Stop
        } else {
            blocks.push(Block { steps: Vec::new(), end: End::Jump(Destination::Stop) });
            Destination::Block(blocks.len() - 1)
        };
        let (then, otherwise) = if truth { (to, rest) } else { (rest, to) };
        blocks[at].end = branch(Condition::Expr(*edge, condition), then, otherwise);
        at = blocks.len() - 1;
    }
}

fn branch(condition: Condition, then: Destination, otherwise: Destination) -> End {
    if then == otherwise { End::Jump(then) } else { End::Branch { condition, then, otherwise } }
}

const fn destination(target: &Target) -> Destination {
    match target {
        Target::Node(node) => Destination::Block(*node),
        Target::Cut | Target::Call { .. } | Target::Return(_) => Destination::Stop,
    }
}

/// The only edge of a node, no assume.
fn single(cfa: &Cfa, edge: EdgeId, target: &Target, at: usize, blocks: &mut Vec<Block>) {
    match target {
        Target::Cut => blocks[at].end = End::Jump(Destination::Stop),
        Target::Return(exit) => blocks[at].end = End::Return(edge, *exit),
        Target::Node(node) => {
            if !matches!(cfa.edge(edge).operation, Operation::Blank) {
                blocks[at].steps.push(Step::Operation(edge));
            }
            let stays = cfa.out_edges(cfa.edge(edge).target).is_empty();
            blocks[at].end = if stays && does_not_return(cfa, edge) { End::Never } else { End::Jump(Destination::Block(*node)) };
        }
        Target::Call { callee, after } => {
            blocks[at].steps.push(Step::Call(edge, *callee));
            dispatch(edge, after, at, blocks);
        }
    }
}

fn does_not_return(cfa: &Cfa, edge: EdgeId) -> bool {
    let Operation::Call { callee, .. } = cfa.edge(edge).operation else { return false };
    cfa.function(callee).known == Some(Known::NoReturn)
}

/// Behind a call: one way per exit of the callee.
fn dispatch(edge: EdgeId, after: &[usize], at: usize, blocks: &mut Vec<Block>) {
    let mut at = at;
    for (exit, node) in after.iter().enumerate() {
        if exit + 1 == after.len() {
            blocks[at].end = End::Jump(Destination::Block(*node));
            return;
        }
        blocks.push(Block { steps: Vec::new(), end: End::Jump(Destination::Stop) });
        let rest = blocks.len() - 1;
        blocks[at].end = branch(Condition::Exit(edge, exit), Destination::Block(*node), Destination::Block(rest));
        at = rest;
    }
}

/// Leads every edge past blocks that do nothing.
fn skip_empty(blocks: &mut [Block]) {
    let goal: Vec<Destination> = (0..blocks.len()).map(|block| past_empty(blocks, block)).collect();
    let follow = |to: Destination| match to {
        Destination::Block(block) => goal[block],
        Destination::Stop => Destination::Stop,
    };
    for block in blocks {
        block.end = match block.end {
            End::Jump(to) => End::Jump(follow(to)),
            End::Branch { condition, then, otherwise } => branch(condition, follow(then), follow(otherwise)),
            end @ (End::Return(..) | End::Never) => end,
        };
    }
}

fn past_empty(blocks: &[Block], start: usize) -> Destination {
    let mut at = start;
    for _ in 0..blocks.len() {
        match (blocks[at].steps.is_empty(), blocks[at].end) {
            (true, End::Jump(Destination::Block(next))) if next != at => at = next,
            (true, End::Jump(Destination::Stop)) => return Destination::Stop,
            (_, End::Jump(_) | End::Branch { .. } | End::Return(..) | End::Never) => return Destination::Block(at),
        }
    }
    // A cycle of blocks that do nothing.
    Destination::Block(start)
}

/// Replaces declarations that may be passed more than once by what makes the variable arbitrary again, unless it is
/// overwritten at once. The others need nothing: the variable is arbitrary when the function is entered.
fn refresh_declared(cfa: &Cfa, blocks: &mut [Block]) {
    let repeated = on_cycles(blocks);
    for index in 0..blocks.len() {
        let mut steps = Vec::with_capacity(blocks[index].steps.len());
        for (position, step) in blocks[index].steps.iter().enumerate() {
            let Operation::Declare { variable } = cfa.edge(step.edge()).operation else {
                steps.push(*step);
                continue;
            };
            if repeated[index] && !overwritten(cfa, blocks, index, position + 1, variable) {
                steps.push(Step::Refresh(step.edge(), variable));
            }
        }
        blocks[index].steps = steps;
    }
}

/// Whether the first step from here on that mentions `variable` writes all of it; only straight control flow is followed.
fn overwritten(cfa: &Cfa, blocks: &[Block], block: usize, position: usize, variable: VarId) -> bool {
    let (mut block, mut position) = (block, position);
    for _ in 0..blocks.len() {
        for step in &blocks[block].steps[position..] {
            let operation = &cfa.edge(step.edge()).operation;
            match operation {
                Operation::Declare { .. } => {}
                Operation::Assign { place, value } if *cfa.exprs.get(*place) == Expr::Variable(variable) => {
                    return !mentions(cfa, *value, variable);
                }
                Operation::Assign { place, value } => {
                    if mentions(cfa, *place, variable) || mentions(cfa, *value, variable) || is_read_elsewhere(cfa, variable) {
                        return false;
                    }
                }
                Operation::Havoc { variable: Some(target), .. } if *target == variable => return true,
                Operation::Havoc { .. } => {}
                Operation::Assume { .. }
                | Operation::Call { .. }
                | Operation::Return { .. }
                | Operation::Blank
                | Operation::Asm(_)
                | Operation::Unsupported { .. } => return false,
            }
        }
        match blocks[block].end {
            End::Jump(Destination::Block(next)) => (block, position) = (next, 0),
            End::Jump(Destination::Stop) | End::Branch { .. } | End::Return(..) | End::Never => return false,
        }
    }
    false
}

/// Whether the variable may be read without being named.
fn is_read_elsewhere(cfa: &Cfa, variable: VarId) -> bool {
    cfa.variable(variable).address_taken
}

/// Whether an expression names a variable.
fn mentions(cfa: &Cfa, expr: ExprId, variable: VarId) -> bool {
    let mut work = vec![expr];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        if *cfa.exprs.get(id) == Expr::Variable(variable) {
            return true;
        }
        work.extend(cfa.exprs.get(id).operands());
    }
    false
}

/// For each block whether it lies on a cycle.
fn on_cycles(blocks: &[Block]) -> Vec<bool> {
    let mut graph = petgraph::graph::DiGraph::<(), ()>::with_capacity(blocks.len(), blocks.len() * 2);
    for _ in blocks {
        graph.add_node(());
    }
    let node = petgraph::graph::NodeIndex::new;
    for (index, block) in blocks.iter().enumerate() {
        for next in block.successors() {
            graph.add_edge(node(index), node(next), ());
        }
    }
    let mut repeated = vec![false; blocks.len()];
    // Iterative, unlike Tarjan's algorithm in this library.
    for component in petgraph::algo::kosaraju_scc(&graph) {
        let cyclic = component.len() > 1 || component.iter().any(|n| graph.contains_edge(*n, *n));
        for member in component {
            repeated[member.index()] = cyclic;
        }
    }
    repeated
}
