//! The abstract reachability graph: a tree of abstraction states, and which valuations are reached at each position.
//!
//! A node holds only valuations that no earlier node of its position holds, so coverage needs no edges: a position's
//! reached set is the union of its nodes. Invariant: every possible successor valuation of an expanded node is in the
//! reached set of its position; removing nodes reopens the expanded nodes that may have relied on them.
//! Does not know blocks or predicates.

use std::collections::BTreeSet;

use biodivine_lib_bdd::Bdd;
use indexmap::IndexMap;

use crate::control::Position;

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub usize);

/// Where a node came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The node.
    pub node: NodeId,
    /// The exit of the node's block.
    pub exit: usize,
}

/// An abstraction state.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it is.
    pub position: Position,
    /// Whether it is the start of the program.
    pub initial: bool,
    /// Its valuations of predicates.
    pub region: Bdd,
    /// Where it came from.
    pub parent: Option<Parent>,
    /// Nodes on the way to it.
    pub depth: usize,
    /// How many predicates its location had when it was computed.
    pub precision: usize,
    /// How many lemmas its location had then.
    pub lemmas: usize,
    children: Vec<NodeId>,
    removed: bool,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Arg {
    nodes: Vec<Node>,
    expanded: BTreeSet<NodeId>,
    reached: IndexMap<Position, Vec<NodeId>>,
}

impl Arg {
    /// Adds a node; `known` is how many predicates and lemmas its location has.
    pub fn add(&mut self, position: Position, region: Bdd, parent: Option<Parent>, known: (usize, usize)) -> NodeId {
        let (precision, lemmas) = known;
        let id = NodeId(self.nodes.len());
        let depth = parent.map_or(0, |p| self.node(p.node).depth + 1);
        if let Some(p) = parent {
            self.nodes[p.node.0].children.push(id);
        }
        let initial = parent.is_none();
        self.nodes.push(Node {
            position,
            initial,
            region,
            parent,
            depth,
            precision,
            lemmas,
            children: Vec::new(),
            removed: false,
        });
        if !initial {
            self.reached.entry(position).or_default().push(id);
        }
        id
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The nodes of a position, oldest first.
    pub fn at(&self, position: Position) -> impl Iterator<Item = NodeId> + '_ {
        self.reached.get(&position).into_iter().flatten().copied()
    }

    /// All positions with nodes, in order of discovery.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        self.reached.iter().filter(|(_, nodes)| !nodes.is_empty()).map(|(p, _)| *p)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.reached.values().map(Vec::len).sum()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes from the start of the program to this one.
    #[must_use]
    pub fn path_to(&self, id: NodeId) -> Vec<NodeId> {
        let mut path = vec![id];
        let mut at = id;
        while let Some(parent) = self.node(at).parent {
            at = parent.node;
            path.push(at);
        }
        path.reverse();
        path
    }

    /// Notes that all successors of a node were computed.
    pub fn set_expanded(&mut self, id: NodeId) {
        self.expanded.insert(id);
    }

    /// Whether a node is still part of the graph.
    #[must_use]
    pub fn is_live(&self, id: NodeId) -> bool {
        !self.node(id).removed
    }

    /// Removes a node with everything below it, and yields the expanded nodes that must be expanded again: those
    /// `may_reach` says of that they can lead to the position of a removed node.
    pub fn remove(&mut self, id: NodeId, mut may_reach: impl FnMut(&Node, Position) -> bool) -> Vec<NodeId> {
        let mut positions = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let node = &mut self.nodes[id.0];
            node.removed = true;
            positions.insert(node.position);
            open.append(&mut node.children);
            self.expanded.remove(&id);
        }
        if let Some(parent) = self.node(id).parent {
            self.nodes[parent.node.0].children.retain(|child| *child != id);
        }
        for position in &positions {
            if let Some(reached) = self.reached.get_mut(position) {
                let nodes = &self.nodes;
                reached.retain(|id| !nodes[id.0].removed);
            }
        }
        let reopened: Vec<NodeId> =
            self.expanded.iter().copied().filter(|id| positions.iter().any(|p| may_reach(&self.nodes[id.0], *p))).collect();
        for id in &reopened {
            self.expanded.remove(id);
        }
        reopened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyses::predicate::region::{BddRegions, Regions};
    use program::cfa::LocationId;
    use semantics::stack::StackId;

    fn position(number: u32) -> Position {
        Position { location: LocationId(number), stack: StackId(0), condition: 0 }
    }

    /// start -> first (1) -> second (2) -> third (1), and start -> other (3).
    fn graph() -> (Arg, [NodeId; 5]) {
        let regions = BddRegions::new();
        let mut arg = Arg::default();
        let under = |node, exit| Some(Parent { node, exit });
        let start = arg.add(position(0), regions.all(), None, (0, 0));
        let first = arg.add(position(1), regions.literal((0, true)), under(start, 0), (1, 0));
        let second = arg.add(position(2), regions.all(), under(first, 1), (1, 0));
        let third = arg.add(position(1), regions.literal((0, false)), under(second, 0), (1, 0));
        let other = arg.add(position(3), regions.all(), under(start, 1), (1, 0));
        [start, first, second, other].into_iter().for_each(|node| arg.set_expanded(node));
        (arg, [start, first, second, third, other])
    }

    #[test]
    fn a_path_leads_from_the_start() {
        let (arg, [start, first, second, third, other]) = graph();
        assert_eq!(arg.path_to(third), [start, first, second, third]);
        assert_eq!(arg.node(third).depth, 3);
        assert_eq!(arg.at(position(1)).collect::<Vec<_>>(), [first, third]);
        assert_eq!(arg.at(position(0)).count(), 0, "the start is no state of its position");
        assert_eq!((arg.len(), arg.positions().count()), (4, 3));
        assert!(arg.is_live(other));
    }

    /// Whoever may have found its successor in a removed node has to look again; what is removed itself has not.
    #[test]
    fn removing_a_node_reopens_those_that_relied_on_it() {
        let (mut arg, [start, first, second, third, other]) = graph();
        let to_the_second = |node: &Node, to: Position| node.position == position(3) && to == position(2);
        let reopened =
            arg.remove(second, |node, to| to_the_second(node, to) || node.position == position(1) && to == position(2));
        assert_eq!(reopened, [first, other]);
        assert!(!arg.is_live(second) && !arg.is_live(third) && arg.is_live(first) && arg.is_live(start));
        assert_eq!(arg.at(position(1)).collect::<Vec<_>>(), [first]);
        assert_eq!(arg.at(position(2)).count(), 0);
        // They are open now, and not reopened twice.
        arg.set_expanded(other);
        assert_eq!(arg.remove(first, |_, _| true), [start, other]);
    }
}
