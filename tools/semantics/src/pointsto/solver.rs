//! Inclusion constraints between sets of objects, and their least solution.
//!
//! A node holds a set of objects; the node of an object is what the object may contain. Sets may hold the pseudo-object
//! [`Solver::anything`]: external memory and every object that has *escaped* to it. External memory's own node collects
//! the escaped objects; loads from it, and from escaped objects, yield `anything` instead of enumerating them, which
//! keeps the graph small and denotes the same set.
//! Method: rounds of collapsing cycles, propagating in topological order, and adding the edges that loads and stores
//! call for, until there are none (wave propagation). Every step is monotone, so the result does not depend on order.

use rustc_hash::FxHashSet;

use crate::object_set::{ObjectId, ObjectSet};
use crate::scc::components;

/// A set of objects to be solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Node(pub(super) u32);

impl Node {
    /// What external memory holds: its objects are the escaped ones.
    pub(super) const ESCAPED: Self = Self(0);

    /// What an object contains.
    pub(super) fn content(object: ObjectId) -> Self {
        Self(object.0)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the nodes of one representative share.
#[derive(Clone, Debug, Default)]
struct Entry {
    set: ObjectSet,
    /// The part of `set` that loads and stores have seen.
    seen: ObjectSet,
    /// Supersets.
    copies: Vec<u32>,
    /// `n ⊇ content of what this points to`.
    loads: Vec<Node>,
    /// `content of what this points to ⊇ n`.
    stores: Vec<Node>,
}

/// What follows from a mark.
#[derive(Clone, Copy, Debug)]
enum Consequence {
    /// What the node contains escapes.
    Escape(Node),
    /// The content of what the marked node points to may be anything.
    StoreAnything,
}

/// The constraints of a program.
#[derive(Clone, Debug)]
pub(super) struct Solver {
    entries: Vec<Entry>,
    parent: Vec<u32>,
    objects: usize,
    edges: FxHashSet<(u32, u32)>,
    escaped: ObjectSet,
    /// What holds once a node has a mark.
    marked: Vec<(Node, ObjectId, Consequence)>,
}

impl Solver {
    /// Constraints over this many objects; their nodes exist already.
    pub(super) fn new(objects: usize) -> Self {
        let nodes = u32::try_from(objects).unwrap_or(u32::MAX);
        Self {
            entries: vec![Entry::default(); objects],
            parent: (0..nodes).collect(),
            objects,
            edges: FxHashSet::default(),
            escaped: ObjectSet::new(),
            marked: Vec::new(),
        }
    }

    /// The pseudo-object for external memory and every escaped object.
    pub(super) fn anything(&self) -> ObjectId {
        ObjectId::new(self.objects)
    }

    /// The mark of a pointer that was made from an integer; it comes with [`Self::anything`].
    pub(super) fn made(&self) -> ObjectId {
        ObjectId::new(self.objects + 1)
    }

    /// The mark of a pointer through which memory with pointers may be seen as data.
    pub(super) fn punned(&self) -> ObjectId {
        ObjectId::new(self.objects + 2)
    }

    fn is_mark(&self, object: ObjectId) -> bool {
        object == self.made() || object == self.punned()
    }

    /// A new node.
    pub(super) fn node(&mut self) -> Node {
        let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.entries.push(Entry::default());
        self.parent.push(number);
        Node(number)
    }

    /// `object ∈ node`.
    pub(super) fn contains(&mut self, node: Node, object: ObjectId) {
        let node = self.find(node);
        self.entries[node.index()].set.insert(object);
    }

    /// `from ⊆ to`.
    pub(super) fn copy(&mut self, from: Node, to: Node) {
        self.add_copy(from, to);
    }

    /// `to ⊇ contents of what pointer points to`.
    pub(super) fn load(&mut self, pointer: Node, to: Node) {
        let pointer = self.find(pointer);
        self.entries[pointer.index()].loads.push(to);
    }

    /// `contents of what pointer points to ⊇ from`.
    pub(super) fn store(&mut self, from: Node, pointer: Node) {
        let pointer = self.find(pointer);
        self.entries[pointer.index()].stores.push(from);
    }

    /// If `maker` may be made from an integer, what `found` points to escapes.
    pub(super) fn meet(&mut self, maker: Node, found: Node) {
        self.marked.push((maker, self.made(), Consequence::Escape(found)));
    }

    /// Data is stored where `pointer` points to: if pointers may be there, they become anything.
    pub(super) fn store_data(&mut self, pointer: Node) {
        self.marked.push((pointer, self.punned(), Consequence::StoreAnything));
    }

    /// Finds the least solution.
    pub(super) fn solve(&mut self) {
        loop {
            let order = self.collapse_cycles();
            self.propagate(&order);
            let escaped = self.add_escapes();
            let marked = self.add_consequences();
            if !self.add_edges() && !escaped && !marked {
                return;
            }
        }
    }

    /// The solved set of a node; the pseudo-object stands for itself.
    pub(super) fn set(&self, node: Node) -> &ObjectSet {
        &self.entries[self.find(node).index()].set
    }

    /// The escaped objects.
    pub(super) fn escaped(&self) -> &ObjectSet {
        &self.escaped
    }

    fn find(&self, node: Node) -> Node {
        let mut at = node.0;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        Node(at)
    }

    fn add_copy(&mut self, from: Node, to: Node) -> bool {
        let (from, to) = (self.find(from), self.find(to));
        // What escaped is read as `anything`, never edge by edge.
        if from == to || from == Node::ESCAPED || !self.edges.insert((from.0, to.0)) {
            return false;
        }
        self.entries[from.index()].copies.push(to.0);
        true
    }

    /// Unites the nodes of every cycle of copies; the representatives, sources first.
    fn collapse_cycles(&mut self) -> Vec<u32> {
        let found = components(self.entries.len(), |n| &self.entries[n as usize].copies);
        // Counting sort by component, the largest number first: edges lead to smaller ones.
        let component = |node: u32| found.count - 1 - found.of[node as usize] as usize;
        let alive = |node: &u32| self.parent[*node as usize] == *node;
        let nodes = (0u32..).take(self.entries.len());
        let mut start = vec![0usize; found.count + 1];
        nodes.clone().filter(alive).for_each(|node| start[component(node) + 1] += 1);
        for i in 0..found.count {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut sorted = vec![0u32; start[found.count]];
        for node in nodes.filter(alive) {
            sorted[next[component(node)]] = node;
            next[component(node)] += 1;
        }
        let mut order = Vec::with_capacity(found.count);
        for group in start.windows(2).map(|w| &sorted[w[0]..w[1]]) {
            let Some((&keep, rest)) = group.split_first() else { continue };
            order.push(keep);
            rest.iter().for_each(|&node| self.unite(keep, node));
        }
        if order.len() < sorted.len() {
            self.normalise_edges();
        }
        order
    }

    fn unite(&mut self, keep: u32, gone: u32) {
        self.parent[gone as usize] = keep;
        let entry = std::mem::take(&mut self.entries[gone as usize]);
        let into = &mut self.entries[keep as usize];
        into.set.union_with(&entry.set);
        // What one of them has not seen must be looked at again.
        into.seen = into.seen.intersection(&entry.seen);
        into.copies.extend(entry.copies);
        into.loads.extend(entry.loads);
        into.stores.extend(entry.stores);
    }

    /// After nodes were united: edges between representatives, each once.
    fn normalise_edges(&mut self) {
        for node in 0..self.parent.len() {
            self.parent[node] = self.find(Node(self.parent[node])).0;
        }
        self.edges.clear();
        for from in (0u32..).take(self.entries.len()) {
            let mut copies = std::mem::take(&mut self.entries[from as usize].copies);
            for to in &mut copies {
                *to = self.parent[*to as usize];
            }
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|&to| to != from);
            self.edges.extend(copies.iter().map(|&to| (from, to)));
            self.entries[from as usize].copies = copies;
        }
    }

    fn propagate(&mut self, order: &[u32]) {
        let anything = self.anything();
        for &node in order {
            let entry = &mut self.entries[node as usize];
            if entry.set.is_empty() {
                continue;
            }
            if node != Node::ESCAPED.0 && entry.set.contains(anything) {
                entry.set.subtract(&self.escaped);
            }
            let set = std::mem::take(&mut entry.set);
            let copies = std::mem::take(&mut entry.copies);
            for &to in &copies {
                self.entries[to as usize].set.union_with(&set);
            }
            let entry = &mut self.entries[node as usize];
            entry.set = set;
            entry.copies = copies;
        }
    }

    /// What an escaped object contains escapes as well, and anything may be stored there. Whether something is new.
    fn add_escapes(&mut self) -> bool {
        let mut now = self.entries[Node::ESCAPED.index()].set.clone();
        now.remove(self.anything());
        now.remove(ObjectId::EXTERNAL);
        now.remove(self.made());
        now.remove(self.punned());
        let new = now.difference(&self.escaped);
        for object in new.iter() {
            let content = Node::content(object);
            self.contains(content, self.anything());
            self.add_copy(content, Node::ESCAPED);
        }
        self.escaped = now;
        !new.is_empty()
    }

    /// Adds what follows from the marks that nodes have got. Whether there is something new.
    fn add_consequences(&mut self) -> bool {
        let marked = std::mem::take(&mut self.marked);
        let (due, rest): (Vec<_>, Vec<_>) = marked.into_iter().partition(|&(node, mark, _)| self.set(node).contains(mark));
        self.marked = rest;
        let mut changed = false;
        for (node, _, consequence) in due {
            match consequence {
                Consequence::Escape(found) => changed |= self.add_copy(found, Node::ESCAPED),
                Consequence::StoreAnything => {
                    self.store_anything(node);
                    changed = true;
                }
            }
        }
        changed
    }

    /// The content of what `pointer` points to may be anything, made from an integer.
    pub(super) fn store_anything(&mut self, pointer: Node) {
        let data = self.node();
        self.contains(data, self.anything());
        self.contains(data, self.made());
        self.store(data, pointer);
        let pointer = self.find(pointer);
        // What it points to was perhaps looked at already, without this store.
        self.entries[pointer.index()].seen = ObjectSet::new();
    }

    /// Adds the copies that loads and stores call for. Whether there are new ones.
    fn add_edges(&mut self) -> bool {
        let mut changed = false;
        for pointer in 0..self.entries.len() {
            let entry = &mut self.entries[pointer];
            if entry.loads.is_empty() && entry.stores.is_empty() {
                continue;
            }
            let new = entry.set.difference(&entry.seen);
            if new.is_empty() {
                continue;
            }
            entry.seen.union_with(&new);
            let (loads, stores) = (std::mem::take(&mut entry.loads), std::mem::take(&mut entry.stores));
            for object in new.iter() {
                changed |= self.add_edges_of(object, &loads, &stores);
            }
            self.entries[pointer].loads = loads;
            self.entries[pointer].stores = stores;
        }
        changed
    }

    fn add_edges_of(&mut self, object: ObjectId, loads: &[Node], stores: &[Node]) -> bool {
        let anything = self.anything();
        let mut changed = false;
        if self.is_mark(object) {
            return false;
        }
        if object == anything || object == ObjectId::EXTERNAL || self.escaped.contains(object) {
            for &to in loads {
                let to = self.find(to);
                changed |= self.entries[to.index()].set.insert(anything);
            }
            for &from in stores {
                changed |= self.add_copy(from, Node::ESCAPED);
            }
        } else {
            for &to in loads {
                changed |= self.add_copy(Node::content(object), to);
            }
            for &from in stores {
                changed |= self.add_copy(from, Node::content(object));
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OBJECTS: usize = 6;
    const NODES: u32 = 14;

    #[derive(Clone, Copy, Debug)]
    enum Constraint {
        Contains(u32, u32),
        Copy(u32, u32),
        Load(u32, u32),
        Store(u32, u32),
    }

    fn constraint() -> impl Strategy<Value = Constraint> {
        let node = || 0..NODES;
        prop_oneof![
            // The last object number stands for `anything`.
            2 => (node(), 0..u32::try_from(OBJECTS).unwrap() + 1).prop_map(|(n, o)| Constraint::Contains(n, o)),
            3 => (node(), node()).prop_map(|(a, b)| Constraint::Copy(a, b)),
            2 => (node(), node()).prop_map(|(a, b)| Constraint::Load(a, b)),
            2 => (node(), node()).prop_map(|(a, b)| Constraint::Store(a, b)),
        ]
    }

    /// Sets without the pseudo-object, by plain iteration: node 0 holds the escaped objects.
    fn naive(constraints: &[Constraint]) -> Vec<ObjectSet> {
        let mut sets = vec![ObjectSet::new(); NODES as usize];
        let outside = |sets: &[ObjectSet]| {
            let mut all = sets[0].clone();
            all.insert(ObjectId::EXTERNAL);
            all
        };
        loop {
            let before = sets.clone();
            let escaped: Vec<_> = sets[0].iter().filter(|&o| o != ObjectId::EXTERNAL).collect();
            for object in escaped {
                let content = sets[object.index()].union(&outside(&sets));
                sets[0].union_with(&content);
                sets[object.index()] = content;
            }
            for &constraint in constraints {
                match constraint {
                    Constraint::Contains(n, o) if o as usize == OBJECTS => {
                        let all = outside(&sets);
                        sets[n as usize].union_with(&all);
                    }
                    Constraint::Contains(n, o) => {
                        sets[n as usize].insert(ObjectId(o));
                    }
                    // What escaped is read through loads only.
                    Constraint::Copy(0, _) => {}
                    Constraint::Copy(a, b) => {
                        let from = sets[a as usize].clone();
                        sets[b as usize].union_with(&from);
                    }
                    Constraint::Load(p, n) => {
                        for object in sets[p as usize].clone().iter() {
                            let content =
                                if object == ObjectId::EXTERNAL { outside(&sets) } else { sets[object.index()].clone() };
                            sets[n as usize].union_with(&content);
                        }
                    }
                    Constraint::Store(0, _) => {}
                    Constraint::Store(v, p) => {
                        let value = sets[v as usize].clone();
                        for object in sets[p as usize].clone().iter() {
                            sets[object.index()].union_with(&value);
                        }
                    }
                }
            }
            if sets == before {
                sets[0].remove(ObjectId::EXTERNAL);
                return sets;
            }
        }
    }

    fn wave(constraints: &[Constraint]) -> Vec<ObjectSet> {
        let mut solver = Solver::new(OBJECTS);
        for _ in OBJECTS..NODES as usize {
            solver.node();
        }
        for &constraint in constraints {
            match constraint {
                Constraint::Contains(n, o) => solver.contains(Node(n), ObjectId(o)),
                Constraint::Copy(a, b) => solver.copy(Node(a), Node(b)),
                Constraint::Load(p, n) => solver.load(Node(p), Node(n)),
                Constraint::Store(v, p) => solver.store(Node(v), Node(p)),
            }
        }
        solver.solve();
        let expand = |n: u32| {
            let mut set = solver.set(Node(n)).clone();
            if set.remove(solver.anything()) {
                set.union_with(solver.escaped());
                set.insert(ObjectId::EXTERNAL);
            }
            set
        };
        let mut sets: Vec<ObjectSet> = (0..NODES).map(expand).collect();
        sets[0].remove(ObjectId::EXTERNAL);
        sets
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_least_solution_is_found(constraints in prop::collection::vec(constraint(), 0..30)) {
            // Loads and stores never name the node of what escaped as a pointer.
            let usable = |c: &Constraint| !matches!(c, Constraint::Load(0, _) | Constraint::Store(_, 0) | Constraint::Load(_, 0));
            let constraints: Vec<_> = constraints.into_iter().filter(usable).collect();
            prop_assert_eq!(wave(&constraints), naive(&constraints));
        }
    }
}
