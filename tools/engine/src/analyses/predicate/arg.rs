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
