//! What operations of small automata read and write.

use program::cfa::Known;
use program::expr::Expr;

use super::*;
use crate::loops::Loops;
use crate::test_program::TestProgram;

struct Fixture {
    cfa: Cfa,
    objects: Objects,
    effects: Effects,
}

impl Fixture {
    fn new(p: TestProgram) -> Self {
        let cfa = p.build();
        let calls = CallGraph::new(&cfa, &Loops::new(&cfa));
        let objects = Objects::new(&cfa, &calls);
        let points_to = PointsTo::new(&cfa, &calls, &objects);
        let effects = Effects::new(&cfa, &calls, &objects, &points_to);
        Self { cfa, objects, effects }
    }

    fn names(&self, set: &ObjectSet) -> String {
        let names: Vec<_> = set.iter().map(|o| self.objects.name(&self.cfa, o).replace("main::", "")).collect();
        names.join(" ")
    }

    /// `uses / defs / kills`.
    fn show(&self, effect: Effect<'_>) -> String {
        [effect.uses, effect.defs, effect.kills].map(|s| self.names(s)).join(" / ")
    }

    fn of(&self, edge: EdgeId) -> String {
        self.show(self.effects.of(edge))
    }
}

/// p04, p39: a store through a pointer kills only the one object it must hit.
#[test]
fn stores_through_pointers_write_their_targets() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let (x, y, n) = (p.local("x", p.int, main), p.local("y", p.int, main), p.local("n", p.int, main));
    let (one, two) = (p.local("p", p.pointer, main), p.local("q", p.pointer, main));
    let mut at = p.entry(main);
    for (to, of) in [(one, x), (two, x), (two, y)] {
        let (place, value) = (p.place(to), p.address_of(of));
        p.assign(&mut at, place, value);
    }
    let value = p.value(n);
    let (first, second) = (p.target(one), p.target(two));
    let sure = p.assign(&mut at, first, value);
    let unsure = p.assign(&mut at, second, value);
    let place = p.place(n);
    let read = p.load(second);
    let load = p.assign(&mut at, place, read);
    let f = Fixture::new(p);
    assert_eq!(f.of(sure), "n p / x / x");
    assert_eq!(f.of(unsure), "n q / x y / ");
    assert_eq!(f.of(load), "x y q / n / n");
}

/// p29, p35, p36: members of one object, elements and affected indices never clear it.
#[test]
fn parts_of_an_object_are_never_killed() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let record = p.record(&[p.int, p.int]);
    let (split, whole) = (p.local("s", record, main), p.local("t", record, main));
    let array = p.local("a", record, main);
    let i = p.local("i", p.int, main);
    let kept = p.local("kept", p.pointer, main);
    let mut at = p.entry(main);
    let (place, address) = (p.place(kept), p.address_of(whole));
    p.assign(&mut at, place, address);
    let zero = p.constant(0);
    let s = p.place(split);
    let member = p.field(s, 1);
    let by_name = p.assign(&mut at, member, zero);
    let t = p.place(whole);
    let member = p.field(t, 1);
    let part = p.assign(&mut at, member, zero);
    let (place, index) = (p.place(array), p.value(i));
    let element = p.expr(Expr::Index(place, index), p.int);
    let indexed = p.assign(&mut at, element, zero);
    let value = p.load(t);
    let copy = p.assign(&mut at, s, value);
    let f = Fixture::new(p);
    assert_eq!(f.of(by_name), " / s.(unnamed) / s.(unnamed)");
    assert_eq!(f.of(part), " / t / ");
    assert_eq!(f.of(indexed), "i / a.(unnamed) a.(unnamed) / ");
    assert_eq!(f.of(copy), "t / s.(unnamed) s.(unnamed) / s.(unnamed) s.(unnamed)");
}

#[test]
fn calls_bind_and_returns_assign_at_the_call() {
    let mut p = TestProgram::new();
    let (main, g) = (p.function("main"), p.function("g"));
    let (x, y) = (p.local("x", p.int, main), p.local("y", p.int, main));
    let (a, total) = (p.parameter("a", p.int, g), p.global("total", p.int));
    let mut at = p.entry(main);
    let value = p.value(x);
    let call = p.call(&mut at, g, &[value], Some(y));
    p.finish_function(at, None);
    let mut at = p.entry(g);
    let (place, value) = (p.place(total), p.value(a));
    p.assign(&mut at, place, value);
    let back = p.finish_function(at, Some(value));
    let f = Fixture::new(p);
    assert_eq!(f.of(call), "x / g::a / g::a");
    assert_eq!(f.show(f.effects.returning(&f.cfa, back, call)), "g::a / y / y");
    let whole = f.effects.whole_call(&f.cfa, call);
    assert_eq!(f.names(&whole.refs), "x g::a");
    assert_eq!(f.names(&whole.mods), "y g::a total");
    assert_eq!(f.names(&f.effects.summary(main).mods), "y g::a total");
}

#[test]
fn externals_write_what_escaped_and_only_known_ones_do_not() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let (unknown, pure) = (p.external("ioctl", None), p.external("printf", Some(Known::Pure)));
    let abort = p.external("abort", Some(Known::NoReturn));
    let (x, y, r) = (p.local("x", p.int, main), p.local("y", p.int, main), p.local("r", p.int, main));
    let mut at = p.entry(main);
    let address = p.address_of(x);
    p.address_of(y);
    let call = p.call(&mut at, unknown, &[address], Some(r));
    let later = p.call(&mut at, unknown, &[], None);
    let print = p.call(&mut at, pure, &[address], Some(r));
    let stop = p.call(&mut at, abort, &[], None);
    let f = Fixture::new(p);
    assert_eq!(f.of(call), "x / external memory x r / r");
    assert_eq!(f.of(later), " / external memory x / ");
    assert_eq!(f.of(print), "x / r / r");
    assert!(f.effects.of(call).completes && !f.effects.of(stop).completes);
}

#[test]
fn inputs_declarations_and_the_unknown() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let input = p.external("__VERIFIER_nondet_int", Some(Known::Input));
    let x = p.local("x", p.int, main);
    let mut at = p.entry(main);
    let declare = p.then(&mut at, Operation::Declare { variable: x });
    let havoc = p.then(&mut at, Operation::Havoc { variable: Some(x), input });
    let unknown = p.then(&mut at, Operation::Unsupported { construct: "va_arg".into() });
    let f = Fixture::new(p);
    for edge in [declare, havoc] {
        assert_eq!(f.of(edge), " / x / x");
        assert!(f.effects.of(edge).arbitrary && f.effects.of(edge).completes);
    }
    assert_eq!(f.of(unknown), "external memory x / external memory x / ");
    assert!(!f.effects.of(unknown).completes);
}

/// A volatile access is an input only where its pointer may leave the program.
#[test]
fn volatile_reads_of_own_objects_are_no_inputs() {
    let mut p = TestProgram::new();
    let main = p.function("main");
    let x = p.local("x", p.int, main);
    let (own, device) = (p.local("p", p.pointer, main), p.local("q", p.pointer, main));
    let mut at = p.entry(main);
    let (place, value) = (p.place(own), p.address_of(x));
    p.assign(&mut at, place, value);
    let seven = p.constant(7);
    let (place, value) = (p.place(device), p.cast(seven, p.pointer));
    p.assign(&mut at, place, value);
    let reads = [own, device].map(|v| {
        let pointer = p.value(v);
        let place = p.expr(Expr::Dereference { pointer, volatile: true }, p.int);
        p.load(place)
    });
    let f = Fixture::new(p);
    assert_eq!(reads.map(|r| f.effects.reads_input(r)), [false, true]);
    assert_eq!(f.names(f.effects.uses_of(reads[0])), "x p");
    assert_eq!(f.names(f.effects.uses_of(reads[1])), "external memory q");
}
