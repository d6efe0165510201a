//! Reverse post-order, loops and loop heads of every function.
//!
//! A depth-first search per function numbers its reachable locations in reverse post-order; an edge to a location whose
//! visit is still going on is a *back edge*, its target a *loop head*. The loop of a head is what reaches a back edge to
//! it without passing the head. A function in which some head does not dominate the source of a back edge is
//! *irreducible*: every cycle still passes a loop head, but the loop may have other ways in.
//! Does not follow calls: recursion is in [`crate::callgraph`].

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId};

/// A loop of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where every iteration passes.
    pub head: LocationId,
    /// The locations of the loop, the head included, ascending.
    pub body: Vec<LocationId>,
    /// The edges that lead back to the head.
    pub back_edges: Vec<EdgeId>,
    /// The head dominates the sources of all back edges.
    pub reducible: bool,
}

impl Loop {
    /// Whether a location belongs to the loop.
    #[must_use]
    pub fn contains(&self, location: LocationId) -> bool {
        self.body.binary_search(&location).is_ok()
    }
}

/// The loops of a program.
#[derive(Clone, Debug)]
pub struct Loops {
    order: Vec<u32>,
    head_of: Vec<Option<u32>>,
    loops: Vec<Loop>,
    by_function: Vec<Vec<u32>>,
}

const UNREACHABLE: u32 = u32::MAX;

impl Loops {
    /// Finds the loops of all functions. Time O(edges · loop depth).
    #[must_use]
    pub fn new(cfa: &Cfa) -> Self {
        let count = cfa.locations.len();
        let mut result = Self {
            order: vec![UNREACHABLE; count],
            head_of: vec![None; count],
            loops: Vec::new(),
            by_function: vec![Vec::new(); cfa.functions.len()],
        };
        let mut search = Search { cfa, state: vec![Visit::New; count], dominator: vec![None; count] };
        for function in cfa.function_ids() {
            if let Some(entry) = cfa.function(function).entry {
                result.add_function(&mut search, function, entry);
            }
        }
        result
    }

    /// The position of a location in the reverse post-order of its function; `None` if no path within the function leads
    /// there.
    #[must_use]
    pub fn order(&self, location: LocationId) -> Option<u32> {
        let order = self.order[location.index()];
        (order != UNREACHABLE).then_some(order)
    }

    /// Whether a path within its function leads from the entry to the location.
    #[must_use]
    pub fn is_reachable(&self, location: LocationId) -> bool {
        self.order(location).is_some()
    }

    /// Whether a location is a loop head.
    #[must_use]
    pub fn is_head(&self, location: LocationId) -> bool {
        self.head_of[location.index()].is_some()
    }

    /// The loop with this head.
    #[must_use]
    pub fn with_head(&self, location: LocationId) -> Option<&Loop> {
        self.head_of[location.index()].map(|i| &self.loops[i as usize])
    }

    /// All loops, by function and reverse post-order of the heads.
    #[must_use]
    pub fn all(&self) -> &[Loop] {
        &self.loops
    }

    /// The loops of a function, in reverse post-order of their heads: outer ones first.
    pub fn of_function(&self, function: FunctionId) -> impl Iterator<Item = &Loop> {
        self.by_function[function.index()].iter().map(|&i| &self.loops[i as usize])
    }

    /// Whether a cycle of the function can be entered past its head.
    #[must_use]
    pub fn is_irreducible(&self, function: FunctionId) -> bool {
        self.of_function(function).any(|l| !l.reducible)
    }

    fn add_function(&mut self, search: &mut Search<'_>, function: FunctionId, entry: LocationId) {
        let (reverse_post_order, back_edges) = search.depth_first(entry);
        for (position, location) in (0u32..).zip(&reverse_post_order) {
            self.order[location.index()] = position;
        }
        if back_edges.is_empty() {
            return;
        }
        search.dominators(&reverse_post_order, &self.order);
        let mut heads: Vec<LocationId> = back_edges.iter().map(|&e| search.cfa.edge(e).target).collect();
        heads.sort_unstable_by_key(|l| self.order[l.index()]);
        heads.dedup();
        for head in heads {
            let own: Vec<EdgeId> = back_edges.iter().copied().filter(|&e| search.cfa.edge(e).target == head).collect();
            let number = u32::try_from(self.loops.len()).unwrap_or(u32::MAX);
            self.head_of[head.index()] = Some(number);
            self.by_function[function.index()].push(number);
            let reducible = own.iter().all(|&e| search.dominates(head, search.cfa.edge(e).source, &self.order));
            let body = self.body(search.cfa, head, &own);
            self.loops.push(Loop { head, body, back_edges: own, reducible });
        }
    }

    /// What reaches a back edge backwards without passing the head.
    fn body(&self, cfa: &Cfa, head: LocationId, back_edges: &[EdgeId]) -> Vec<LocationId> {
        let mut inside = vec![head];
        let mut seen: rustc_hash::FxHashSet<LocationId> = std::iter::once(head).collect();
        let mut wait: Vec<LocationId> = back_edges.iter().map(|&e| cfa.edge(e).source).collect();
        while let Some(location) = wait.pop() {
            if !self.is_reachable(location) || !seen.insert(location) {
                continue;
            }
            inside.push(location);
            wait.extend(cfa.in_edges(location).iter().map(|&e| cfa.edge(e).source));
        }
        inside.sort_unstable();
        inside
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

struct Search<'a> {
    cfa: &'a Cfa,
    state: Vec<Visit>,
    dominator: Vec<Option<LocationId>>,
}

impl Search<'_> {
    /// The reachable locations in reverse post-order, and the back edges in ascending order.
    fn depth_first(&mut self, entry: LocationId) -> (Vec<LocationId>, Vec<EdgeId>) {
        let mut order = Vec::new();
        let mut back_edges = Vec::new();
        let mut frames = vec![(entry, 0usize)];
        self.state[entry.index()] = Visit::Open;
        while let Some((location, next)) = frames.last_mut() {
            // Last edge first: the reverse post-order then follows the source text.
            let out = self.cfa.out_edges(*location);
            if *next == out.len() {
                self.state[location.index()] = Visit::Done;
                order.push(*location);
                frames.pop();
                continue;
            }
            *next += 1;
            let edge = out[out.len() - *next];
            let target = self.cfa.edge(edge).target;
            match self.state[target.index()] {
                Visit::New => {
                    self.state[target.index()] = Visit::Open;
                    frames.push((target, 0));
                }
                Visit::Open => back_edges.push(edge),
                Visit::Done => {}
            }
        }
        order.reverse();
        back_edges.sort_unstable();
        (order, back_edges)
    }

    /// Immediate dominators by iteration in reverse post-order.
    fn dominators(&mut self, locations: &[LocationId], order: &[u32]) {
        let Some((&entry, rest)) = locations.split_first() else { return };
        self.dominator[entry.index()] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for &location in rest {
                let known = self.cfa.in_edges(location).iter().map(|&e| self.cfa.edge(e).source);
                let known = known.filter(|l| self.dominator[l.index()].is_some());
                let new = known.reduce(|a, b| self.common_dominator(a, b, order));
                if new != self.dominator[location.index()] {
                    self.dominator[location.index()] = new;
                    changed = true;
                }
            }
        }
    }

    fn common_dominator(&self, mut a: LocationId, mut b: LocationId, order: &[u32]) -> LocationId {
        while a != b {
            if order[a.index()] < order[b.index()] {
                std::mem::swap(&mut a, &mut b);
            }
            match self.dominator[a.index()] {
                Some(up) if up != a => a = up,
                _ => return b,
            }
        }
        a
    }

    fn dominates(&self, above: LocationId, mut below: LocationId, order: &[u32]) -> bool {
        while order[below.index()] > order[above.index()] {
            match self.dominator[below.index()] {
                Some(up) if up != below => below = up,
                _ => return false,
            }
        }
        below == above
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::TestProgram;
    use program::cfa::Operation;

    #[test]
    fn nested_loops_have_their_heads_and_bodies() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let x = p.local("x", p.int, main);
        let (outer, inner) = (p.entry(main), p.location(main));
        let (body, end) = (p.location(main), p.location(main));
        p.branch(outer, x, inner, end);
        p.branch(inner, x, body, outer);
        p.edge(body, Operation::Blank, inner);
        p.finish_function(end, None);
        let cfa = p.build();
        let loops = Loops::new(&cfa);
        let found: Vec<_> = loops.of_function(main).map(|l| (l.head, l.body.clone(), l.reducible)).collect();
        let mut all = vec![outer, inner, body];
        all.sort_unstable();
        assert_eq!(found, vec![(outer, all, true), (inner, vec![inner, body], true)]);
        assert!(loops.order(outer) < loops.order(inner) && loops.order(inner) < loops.order(body));
    }

    #[test]
    fn a_loop_with_two_entries_is_irreducible() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let x = p.local("x", p.int, main);
        let (start, left, right) = (p.entry(main), p.location(main), p.location(main));
        p.branch(start, x, left, right);
        p.edge(left, Operation::Blank, right);
        p.branch(right, x, left, cfa_exit(&p, main));
        let loops = Loops::new(&p.build());
        assert!(loops.is_irreducible(main));
        assert_eq!(loops.all().len(), 1);
    }

    fn cfa_exit(p: &TestProgram, function: FunctionId) -> LocationId {
        p.exit(function)
    }

    #[test]
    fn dead_code_is_in_no_loop() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        p.finish_function(p.entry(main), None);
        let dead = p.location(main);
        p.edge(dead, Operation::Blank, dead);
        let loops = Loops::new(&p.build());
        assert!(loops.all().is_empty() && !loops.is_reachable(dead));
    }
}
