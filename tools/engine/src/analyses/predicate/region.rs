//! Regions: sets of valuations of predicates.
//!
//! [`Regions`] is what the predicate domain needs of a decision diagram; [`BddRegions`] is the one implementation.
//! Does not know what a predicate means.

use std::fmt::Debug;

use biodivine_lib_bdd::{Bdd, BddVariable, BddVariableSet};

/// The position of a predicate in the table of all predicates.
pub type PredicateIndex = usize;

/// Operations on sets of valuations of predicates.
pub trait Regions {
    /// A set of valuations.
    type Region: Clone + Debug + Eq;

    /// All valuations.
    fn all(&self) -> Self::Region;
    /// No valuation.
    fn none(&self) -> Self::Region;
    /// The valuations in which a predicate has a value.
    fn literal(&self, literal: (PredicateIndex, bool)) -> Self::Region;
    /// The valuations that agree with all of these.
    fn cube(&self, literals: &[(PredicateIndex, bool)]) -> Self::Region;
    /// Intersection.
    fn and(&self, a: &Self::Region, b: &Self::Region) -> Self::Region;
    /// Union.
    fn or(&self, a: &Self::Region, b: &Self::Region) -> Self::Region;
    /// Those of `a` that are not in `b`.
    fn without(&self, a: &Self::Region, b: &Self::Region) -> Self::Region;
    /// Whether there is no valuation.
    fn is_none(&self, a: &Self::Region) -> bool;
    /// Whether every valuation of `a` is one of `b`.
    fn entails(&self, a: &Self::Region, b: &Self::Region) -> bool;
    /// The predicates the set depends on, ascending.
    fn support(&self, a: &Self::Region) -> Vec<PredicateIndex>;
    /// The set made independent of the predicates `forgotten` names.
    fn forget(&self, a: &Self::Region, forgotten: &[PredicateIndex]) -> Self::Region;
    /// Builds a value bottom-up: `leaf` for none and all, `node` for a predicate with the values for false and true.
    fn fold<T: Clone>(&self, a: &Self::Region, leaf: impl FnMut(bool) -> T, node: impl FnMut(PredicateIndex, T, T) -> T) -> T;
}

/// Regions as reduced ordered binary decision diagrams in the order in which predicates were found.
#[derive(Clone, Debug)]
pub struct BddRegions {
    variables: BddVariableSet,
    names: Vec<BddVariable>,
}

impl BddRegions {
    /// How many predicates can be told apart.
    pub const CAPACITY: u16 = 4000;

    /// An empty set of predicates.
    #[must_use]
    pub fn new() -> Self {
        let variables = BddVariableSet::new_anonymous(Self::CAPACITY);
        let names = variables.variables();
        Self { variables, names }
    }
}

impl Default for BddRegions {
    fn default() -> Self {
        Self::new()
    }
}

impl Regions for BddRegions {
    type Region = Bdd;

    fn all(&self) -> Bdd {
        self.variables.mk_true()
    }

    fn none(&self) -> Bdd {
        self.variables.mk_false()
    }

    fn literal(&self, (predicate, value): (PredicateIndex, bool)) -> Bdd {
        self.variables.mk_literal(self.names[predicate], value)
    }

    fn cube(&self, literals: &[(PredicateIndex, bool)]) -> Bdd {
        let mut sorted = literals.to_vec();
        sorted.sort_unstable();
        sorted.iter().rev().fold(self.all(), |cube, literal| cube.and(&self.literal(*literal)))
    }

    fn and(&self, a: &Bdd, b: &Bdd) -> Bdd {
        a.and(b)
    }

    fn or(&self, a: &Bdd, b: &Bdd) -> Bdd {
        a.or(b)
    }

    fn without(&self, a: &Bdd, b: &Bdd) -> Bdd {
        a.and_not(b)
    }

    fn is_none(&self, a: &Bdd) -> bool {
        a.is_false()
    }

    fn entails(&self, a: &Bdd, b: &Bdd) -> bool {
        a.and_not(b).is_false()
    }

    fn support(&self, a: &Bdd) -> Vec<PredicateIndex> {
        let mut found: Vec<PredicateIndex> = a.pointers().filter(|p| !p.is_terminal()).map(|p| a.var_of(p).to_index()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn forget(&self, a: &Bdd, forgotten: &[PredicateIndex]) -> Bdd {
        let variables: Vec<BddVariable> = forgotten.iter().map(|p| self.names[*p]).collect();
        a.exists(&variables)
    }

    fn fold<T: Clone>(&self, a: &Bdd, mut leaf: impl FnMut(bool) -> T, mut node: impl FnMut(PredicateIndex, T, T) -> T) -> T {
        // Nodes stand after their children; the two leaves come first.
        let mut values: Vec<T> = vec![leaf(false), leaf(true)];
        if a.is_false() {
            return values.swap_remove(0);
        }
        for pointer in a.pointers().skip(2) {
            let low = values[a.low_link_of(pointer).to_index()].clone();
            let high = values[a.high_link_of(pointer).to_index()].clone();
            values.push(node(a.var_of(pointer).to_index(), low, high));
        }
        values.pop().unwrap_or_else(|| leaf(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(regions: &BddRegions, a: &Bdd) -> String {
        regions.fold(a, |b| b.to_string(), |p, low, high| format!("({p}? {high} : {low})"))
    }

    #[test]
    fn folding_visits_children_first() {
        let regions = BddRegions::new();
        let a = regions.cube(&[(3, true), (1, false)]);
        assert_eq!(text(&regions, &a), "(1? false : (3? true : false))");
        assert_eq!(text(&regions, &regions.none()), "false");
        assert_eq!(text(&regions, &regions.all()), "true");
        assert_eq!(regions.support(&a), vec![1, 3]);
    }

    /// A set of valuations of four predicates as a table with a bit for each.
    fn table(regions: &BddRegions, a: &Bdd) -> u16 {
        let cube = |valuation: u16| regions.cube(&[0, 1, 2, 3].map(|p| (p, valuation >> p & 1 == 1)));
        (0..16).filter(|valuation| regions.entails(&cube(*valuation), a)).fold(0, |table, valuation| table | 1 << valuation)
    }

    #[test]
    fn operations_are_those_of_sets() {
        let regions = BddRegions::new();
        // Every region is made by operations on earlier ones; its table by the same on tables.
        let literal = |p: usize| (0..16u16).filter(|valuation| valuation >> p & 1 == 1).fold(0, |table, v| table | 1u16 << v);
        let mut all: Vec<(Bdd, u16)> = vec![(regions.all(), u16::MAX), (regions.none(), 0)];
        for p in 0..4 {
            all.push((regions.literal((p, true)), literal(p)));
            all.push((regions.literal((p, false)), !literal(p)));
        }
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut draw = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below as u64) as usize
        };
        for _ in 0..400 {
            let ((a, x), (b, y)) = (all[draw(all.len())].clone(), all[draw(all.len())].clone());
            let p = draw(4);
            let made = match draw(4) {
                0 => (regions.and(&a, &b), x & y),
                1 => (regions.or(&a, &b), x | y),
                2 => (regions.without(&a, &b), x & !y),
                _ => {
                    let either = (0..16).filter(|v| (x >> (v | 1 << p) | x >> (v & !(1 << p))) & 1 == 1);
                    (regions.forget(&a, &[p]), either.fold(0, |table, v| table | 1 << v))
                }
            };
            assert_eq!(table(&regions, &made.0), made.1);
            assert_eq!(regions.entails(&a, &b), x & !y == 0);
            assert_eq!(regions.is_none(&a), x == 0);
            assert_eq!(a == b, x == y, "equal sets are one region");
            let depends = |p: &usize| regions.forget(&a, &[*p]) != a;
            assert_eq!(regions.support(&a), (0..4).filter(depends).collect::<Vec<_>>());
            let folded =
                regions.fold(&a, |leaf| if leaf { u16::MAX } else { 0 }, |p, low, high| high & literal(p) | low & !literal(p));
            assert_eq!(folded, x);
            all.push(made);
        }
    }

    #[test]
    fn forgetting_widens() {
        let regions = BddRegions::new();
        let a = regions.cube(&[(0, true), (1, true)]);
        let b = regions.forget(&a, &[1]);
        assert!(regions.entails(&a, &b));
        assert_eq!(b, regions.literal((0, true)));
    }
}
