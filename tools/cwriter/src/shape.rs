//! The shape of a graph of blocks: order, dominators, natural loops, and where in the text each block goes.
//!
//! Invariant: every reachable block but the entry is placed exactly once: inside the branch that alone leads to it, or
//! behind the code of a block that dominates it.
//! Source: the dominator-tree scheme of N. Ramsey, "Beyond Relooper" (ICFP 2022), with C's `goto` for everything that is
//! not nested, so that irreducible graphs need nothing special.

use crate::block::Block;

/// What the arrangement of blocks in the text rests on.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Reachable blocks in reverse post-order.
    pub(crate) order: Vec<usize>,
    /// Whether a block heads a natural loop.
    pub(crate) is_header: Vec<bool>,
    /// The block in whose branch a block stands, because no other forward edge leads to it.
    pub(crate) inline_in: Vec<Option<usize>>,
    /// Blocks behind the code of a block (for a loop header: inside the loop), in order.
    pub(crate) inside: Vec<Vec<usize>>,
    /// Blocks behind the loop of a header, in order.
    pub(crate) behind: Vec<Vec<usize>>,
}

const NONE: usize = usize::MAX;

impl Shape {
    /// Analyses the graph of `blocks` from block 0; time about linear, times the depth of loops.
    pub(crate) fn new(blocks: &[Block]) -> Self {
        let order = reverse_post_order(blocks);
        let mut number = vec![NONE; blocks.len()];
        for (position, block) in order.iter().enumerate() {
            number[*block] = position;
        }
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
        for &block in &order {
            for next in blocks[block].successors() {
                predecessors[next].push(block);
            }
        }
        let dominators = Dominators::new(&order, &number, &predecessors);
        let loops = Loops::new(&order, &predecessors, &dominators);
        let mut shape = Self {
            order,
            is_header: loops.is_header.clone(),
            inline_in: vec![None; blocks.len()],
            inside: vec![Vec::new(); blocks.len()],
            behind: vec![Vec::new(); blocks.len()],
        };
        shape.place(&predecessors, &dominators, &loops);
        shape
    }

    fn place(&mut self, predecessors: &[Vec<usize>], dominators: &Dominators, loops: &Loops) {
        for &block in self.order.iter().skip(1) {
            let parent = dominators.parent[block];
            if let Some(header) = loops.outermost_left(parent, block) {
                self.behind[header].push(block);
                continue;
            }
            let forward = predecessors[block].iter().filter(|from| !dominators.dominates(block, **from)).count();
            if forward == 1 {
                self.inline_in[block] = Some(parent);
            } else {
                self.inside[parent].push(block);
            }
        }
    }
}

fn reverse_post_order(blocks: &[Block]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; blocks.len()];
    let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
    if let Some(first) = blocks.first() {
        seen[0] = true;
        stack.push((0, first.successors().collect()));
    }
    // The last successor is visited first, so that the first one comes first in the reversed order.
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, blocks[next].successors().collect()));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Immediate dominators, and intervals of the dominator tree to compare.
struct Dominators {
    parent: Vec<usize>,
    enter: Vec<usize>,
    leave: Vec<usize>,
}

impl Dominators {
    /// Source: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
    fn new(order: &[usize], number: &[usize], predecessors: &[Vec<usize>]) -> Self {
        let mut parent = vec![NONE; number.len()];
        if let Some(&entry) = order.first() {
            parent[entry] = entry;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().skip(1) {
                let mut found = NONE;
                for &from in predecessors[block].iter().filter(|from| parent[**from] != NONE) {
                    found = if found == NONE { from } else { meet(found, from, &parent, number) };
                }
                if parent[block] != found {
                    parent[block] = found;
                    changed = true;
                }
            }
        }
        let (enter, leave) = intervals(order, &parent);
        Self { parent, enter, leave }
    }

    fn dominates(&self, above: usize, below: usize) -> bool {
        self.enter[above] <= self.enter[below] && self.leave[below] <= self.leave[above]
    }
}

fn meet(a: usize, b: usize, parent: &[usize], number: &[usize]) -> usize {
    let (mut a, mut b) = (a, b);
    while a != b {
        while number[a] > number[b] {
            a = parent[a];
        }
        while number[b] > number[a] {
            b = parent[b];
        }
    }
    a
}

/// Times of a walk over the dominator tree.
fn intervals(order: &[usize], parent: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parent.len()];
    for &block in order.iter().skip(1) {
        children[parent[block]].push(block);
    }
    let (mut enter, mut leave) = (vec![0; parent.len()], vec![0; parent.len()]);
    let mut clock = 0;
    let mut stack: Vec<(usize, usize)> = order.first().map(|entry| (*entry, 0)).into_iter().collect();
    while let Some((block, next)) = stack.last_mut() {
        if *next == 0 {
            clock += 1;
            enter[*block] = clock;
        }
        if let Some(&child) = children[*block].get(*next) {
            *next += 1;
            stack.push((child, 0));
        } else {
            clock += 1;
            leave[*block] = clock;
            stack.pop();
        }
    }
    (enter, leave)
}

/// Natural loops: those of one header are one loop.
struct Loops {
    is_header: Vec<bool>,
    /// Header of the innermost loop a block is in (its own, for a header).
    innermost: Vec<usize>,
    /// Header of the next loop around the loop of a header.
    outer: Vec<usize>,
    /// How many loops a block is in.
    depth: Vec<usize>,
}

impl Loops {
    fn new(order: &[usize], predecessors: &[Vec<usize>], dominators: &Dominators) -> Self {
        let count = predecessors.len();
        let mut loops =
            Self { is_header: vec![false; count], innermost: vec![NONE; count], outer: vec![NONE; count], depth: vec![0; count] };
        // Inner headers come later in the order than outer ones.
        for &header in order.iter().rev() {
            let mut work: Vec<usize> =
                predecessors[header].iter().copied().filter(|from| dominators.dominates(header, *from)).collect();
            if work.is_empty() {
                continue;
            }
            loops.is_header[header] = true;
            loops.innermost[header] = header;
            while let Some(block) = work.pop() {
                // The outermost loop found so far stands for all of its blocks.
                let top = loops.top(block);
                if top == header {
                    continue;
                }
                let entered = if top == NONE {
                    loops.innermost[block] = header;
                    block
                } else {
                    loops.outer[top] = header;
                    top
                };
                work.extend(predecessors[entered].iter().copied());
            }
        }
        for &block in order {
            let mut header = loops.innermost[block];
            while header != NONE {
                loops.depth[block] += 1;
                header = loops.outer[header];
            }
        }
        loops
    }

    /// Header of the outermost loop known so far around a block.
    fn top(&self, block: usize) -> usize {
        let mut header = self.innermost[block];
        while header != NONE && self.outer[header] != NONE {
            header = self.outer[header];
        }
        header
    }

    /// Header of the outermost loop that contains `from` but not `to`.
    fn outermost_left(&self, from: usize, to: usize) -> Option<usize> {
        let (mut left, mut common) = (self.innermost[from], self.innermost[to]);
        // Walk up from both to the innermost loop they share; the loop below it on the side of `from` is the answer.
        let depth = |header: usize| if header == NONE { 0 } else { self.depth[header] };
        let mut answer = None;
        while left != common {
            if depth(left) >= depth(common) {
                answer = Some(left);
                left = self.outer[left];
            } else {
                common = self.outer[common];
            }
        }
        answer
    }
}
