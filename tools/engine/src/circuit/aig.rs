//! And-inverter graphs: every function of bits as conjunctions of two, each built once.
//!
//! Nodes are in topological order: the operands of a conjunction are older than it. Does not know terms or latches.

use rustc_hash::FxHashMap;

/// A node of a graph or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The constant 0.
    pub const FALSE: Lit = Lit(0);
    /// The constant 1.
    pub const TRUE: Lit = Lit(1);

    /// The node.
    #[must_use]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the complement is meant.
    #[must_use]
    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    /// The value as a literal.
    #[must_use]
    pub fn constant(value: u128) -> Lit {
        if value & 1 == 1 { Lit::TRUE } else { Lit::FALSE }
    }

    /// The value, if it is one.
    #[must_use]
    pub fn as_constant(self) -> Option<u8> {
        (self.node() == 0).then_some(u8::from(self.is_complement()))
    }

    /// This literal, or its complement if `by` is one.
    #[must_use]
    pub fn complemented_like(self, by: Lit) -> Lit {
        Lit(self.0 ^ (by.0 & 1))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The constant 0.
    False,
    /// A free bit, by its number.
    Input(u32),
    /// A conjunction.
    And(Lit, Lit),
}

/// A graph.
#[derive(Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    known: FxHashMap<(Lit, Lit), Lit>,
    inputs: u32,
}

impl Default for Aig {
    fn default() -> Self {
        Self { nodes: vec![Node::False], known: FxHashMap::default(), inputs: 0 }
    }
}

impl Aig {
    /// How many nodes there are, with the constant.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: the constant is always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a node is.
    #[must_use]
    pub fn node(&self, at: usize) -> Node {
        self.nodes[at]
    }

    /// A new free bit.
    pub fn input(&mut self) -> Lit {
        self.nodes.push(Node::Input(self.inputs));
        self.inputs += 1;
        self.last()
    }

    fn last(&self) -> Lit {
        Lit(formats::dense(self.nodes.len() - 1) << 1)
    }

    /// The conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        self.nodes.push(Node::And(a, b));
        let new = self.last();
        self.known.insert((a, b), new);
        new
    }

    /// The disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Whether the two differ.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let neither = self.and(!a, !b);
        let both = self.and(a, b);
        self.and(!neither, !both)
    }

    /// `if condition then yes else no`.
    pub fn mux(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        if yes == no {
            return yes;
        }
        let first = self.and(condition, yes);
        let second = self.and(!condition, no);
        self.or(first, second)
    }

    /// The conjunction of all.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(Lit::TRUE, |all, lit| self.and(all, *lit))
    }

    /// The disjunction of all.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        lits.iter().fold(Lit::FALSE, |any, lit| self.or(any, *lit))
    }

    /// The nodes that literals depend on, operands first.
    #[must_use]
    pub fn cone(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<usize> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open: Vec<usize> = roots.into_iter().map(Lit::node).collect();
        let mut found = Vec::new();
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                found.push(at);
                if let Node::And(a, b) = self.nodes[at] {
                    open.extend([a.node(), b.node()]);
                }
            }
        }
        found.sort_unstable();
        found
    }
}
