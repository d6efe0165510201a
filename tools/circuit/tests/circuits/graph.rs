//! Graphs against truth tables.

use engine::circuit::aig::{Aig, Lit, Node};

/// The value of a literal where free bits are those of a number.
fn value(aig: &Aig, lit: Lit, bits: u32) -> bool {
    let mut values = vec![false; aig.len()];
    for at in 0..aig.len() {
        let of = |lit: Lit, values: &[bool]| values[lit.node()] != lit.is_complement();
        values[at] = match aig.node(at) {
            Node::False => false,
            Node::Input(number) => bits >> number & 1 == 1,
            Node::And(a, b) => of(a, &values) && of(b, &values),
        };
    }
    values[lit.node()] != lit.is_complement()
}

#[test]
fn functions_of_two_and_three_bits() {
    let mut aig = Aig::default();
    let (a, b, c) = (aig.input(), aig.input(), aig.input());
    let (and, or, xor, mux) = (aig.and(a, b), aig.or(a, !b), aig.xor(a, b), aig.mux(a, b, c));
    for bits in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|at| bits >> at & 1 == 1);
        assert_eq!(value(&aig, and, bits), x && y);
        assert_eq!(value(&aig, or, bits), x || !y);
        assert_eq!(value(&aig, xor, bits), x != y);
        assert_eq!(value(&aig, mux, bits), if x { y } else { z });
    }
}

#[test]
fn what_is_known_is_not_built_again() {
    let mut aig = Aig::default();
    let (a, b) = (aig.input(), aig.input());
    let first = aig.and(a, b);
    let before = aig.len();
    assert_eq!(aig.and(b, a), first);
    assert_eq!((aig.and(a, !a), aig.and(a, Lit::TRUE), aig.or(a, a)), (Lit::FALSE, a, a));
    assert_eq!(aig.len(), before);
    assert_eq!(aig.cone([first]).len(), 3);
}
