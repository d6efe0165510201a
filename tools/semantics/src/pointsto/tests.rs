//! Tests on small automata.

use super::*;
use crate::loops::Loops;
use crate::test_program::TestProgram;
use program::cfa::{Known, Linkage, VarKind};
use program::expr::Expr;

fn solve(p: TestProgram) -> (Cfa, Objects, PointsTo) {
    let cfa = p.build();
    let calls = CallGraph::new(&cfa, &Loops::new(&cfa));
    let objects = Objects::new(&cfa, &calls);
    let points_to = PointsTo::new(&cfa, &calls, &objects);
    (cfa, objects, points_to)
}

/// The names of what the pointer may point into.
fn names(solved: &(Cfa, Objects, PointsTo), pointer: ExprId) -> Vec<String> {
    solved.2.targets(pointer).iter().map(|o| solved.1.name(&solved.0, o)).collect()
}

#[test]
fn a_pointer_points_to_what_it_was_given() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let (x, y) = (p.local("x", p.int, main), p.local("y", p.int, main));
    let (pointer, other) = (p.local("p", p.pointer, main), p.local("q", p.pointer, main));
    let mut at = p.entry(main);
    for (to, of) in [(pointer, x), (other, y)] {
        let (place, value) = (p.place(to), p.address_of(of));
        p.assign(&mut at, place, value);
    }
    let (to, one) = (p.target(pointer), p.constant(1));
    p.assign(&mut at, to, one);
    let (left, right) = (p.value(pointer), p.value(other));
    let solved = solve(p);
    assert_eq!(names(&solved, left), ["main::x"]);
    assert_eq!(names(&solved, right), ["main::y"]);
    assert_eq!(solved.2.anything(), &ObjectSet::single(ObjectId::EXTERNAL));
}

/// p05: two levels of pointers.
#[test]
fn stores_through_pointers_to_pointers_are_seen() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let twice = p.pointer_to(p.pointer);
    let x = p.local("x", p.int, main);
    let (pointer, outer) = (p.local("p", p.pointer, main), p.local("pp", twice, main));
    let mut at = p.entry(main);
    let (place, value) = (p.place(outer), p.address_of(pointer));
    p.assign(&mut at, place, value);
    let (place, value) = (p.target(outer), p.address_of(x));
    p.assign(&mut at, place, value);
    let read = p.value(pointer);
    let through = p.target(outer);
    let loaded = p.load(through);
    p.expr(Expr::Dereference { pointer: loaded, volatile: false }, p.int);
    let solved = solve(p);
    assert_eq!(names(&solved, read), ["main::x"]);
    assert_eq!(names(&solved, loaded), ["main::x"]);
}

#[test]
fn calls_carry_pointers_both_ways_and_cycles_collapse() {
    let mut p = TestProgram::new();
    let (main, id) = (p.function("main"), p.function("id"));
    let x = p.local("x", p.int, main);
    let (r, formal, copy) = (p.local("r", p.pointer, main), p.parameter("a", p.pointer, id), p.local("b", p.pointer, id));
    let mut at = p.entry(main);
    let argument = p.address_of(x);
    p.call(&mut at, id, &[argument], Some(r));
    let read = p.target(r);
    let value = p.load(read);
    p.finish_function(at, Some(value));
    let mut at = p.entry(id);
    for (to, from) in [(copy, formal), (formal, copy)] {
        let (place, value) = (p.place(to), p.value(from));
        p.assign(&mut at, place, value);
    }
    let value = p.value(copy);
    p.finish_function(at, Some(value));
    let pointer = p.value(r);
    let solved = solve(p);
    assert_eq!(names(&solved, pointer), ["main::x"]);
}

/// An external keeps what it gets, hands out whatever it has, and stores into what it reaches.
#[test]
fn externals_see_what_escapes_and_what_that_reaches() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let keep = p.external("keep", None);
    let give = p.external("give", None);
    let (x, y, z) = (p.local("x", p.int, main), p.local("y", p.int, main), p.local("z", p.int, main));
    let inner = p.local("inner", p.pointer, main);
    let (r, q) = (p.local("r", p.pointer, main), p.local("q", p.pointer, main));
    let mut at = p.entry(main);
    let (place, value) = (p.place(inner), p.address_of(x));
    p.assign(&mut at, place, value);
    let argument = p.address_of(inner);
    p.call(&mut at, keep, &[argument], None);
    p.call(&mut at, give, &[], Some(r));
    let (place, value) = (p.place(q), p.address_of(y));
    p.assign(&mut at, place, value);
    let (to, from) = (p.target(r), p.target(q));
    let value = p.load(from);
    p.assign(&mut at, to, value);
    // Another pointer stored where the unknown pointer leads escapes as well.
    let twice = p.pointer_to(p.pointer);
    let pointer = p.value(r);
    let cast = p.cast(pointer, twice);
    let slot = p.expr(Expr::Dereference { pointer: cast, volatile: false }, p.pointer);
    let value = p.address_of(z);
    p.assign(&mut at, slot, value);
    let (mine, given) = (p.value(inner), p.value(r));
    let _ = mine;
    let seen = p.target(inner);
    let solved_pointer = p.value(inner);
    p.load(seen);
    let solved = solve(p);
    let all = ["external memory", "main::x", "main::z", "main::inner"];
    assert_eq!(names(&solved, given), all);
    assert_eq!(names(&solved, solved_pointer), all);
    assert!(!solved.2.is_escaped(solved.1.of_variable(y).first));
}

#[test]
fn undefined_globals_and_integers_lead_anywhere() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let g = p.variable("g", p.pointer, None, VarKind::Global { linkage: Linkage::External, defined: false });
    let n = p.local("n", p.int, main);
    let hidden = p.local("hidden", p.int, main);
    let zero = p.constant(0);
    let seven = p.constant(7);
    let number = p.value(n);
    let (made, null, fixed) = (p.cast(number, p.pointer), p.cast(zero, p.pointer), p.cast(seven, p.pointer));
    for pointer in [made, null, fixed] {
        p.expr(Expr::Dereference { pointer, volatile: false }, p.int);
    }
    p.address_of(hidden);
    p.target(g);
    let from_global = p.value(g);
    let solved = solve(p);
    assert_eq!(names(&solved, made), ["external memory", "g"]);
    assert_eq!(names(&solved, from_global), ["external memory", "g"]);
    assert_eq!(names(&solved, null), ["external memory"]);
    assert_eq!(names(&solved, fixed), ["external memory"]);
}

/// `malloc`, `memcpy` of a pointer, and a pointer that passes through an integer.
#[test]
fn pointers_survive_copies_and_casts() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let (malloc, memcpy) = (p.external("malloc", Some(Known::Allocate)), p.external("memcpy", Some(Known::Memory)));
    let (a, b, h) = (p.local("a", p.pointer, main), p.local("b", p.pointer, main), p.local("h", p.pointer, main));
    let (n, back) = (p.local("n", p.int, main), p.local("back", p.pointer, main));
    let mut at = p.entry(main);
    p.call(&mut at, malloc, &[], Some(h));
    let (place, value) = (p.place(a), p.value(h));
    p.assign(&mut at, place, value);
    let (to, from) = (p.address_of(b), p.address_of(a));
    p.call(&mut at, memcpy, &[to, from], None);
    let (place, value) = (p.place(n), p.value(b));
    let value = p.cast(value, p.int);
    p.assign(&mut at, place, value);
    let (place, value) = (p.place(back), p.value(n));
    let value = p.cast(value, p.pointer);
    p.assign(&mut at, place, value);
    p.target(b);
    p.target(back);
    let (copied, restored) = (p.value(b), p.value(back));
    let solved = solve(p);
    assert_eq!(names(&solved, copied), ["what main allocates at line 1"]);
    assert_eq!(names(&solved, restored), ["external memory", "what main allocates at line 1"]);
}
