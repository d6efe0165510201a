//! Where the guards of properties of operations stand, and where there are none.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use formats::{ProgramOptions, Property};
use program::cfa::{Cfa, Operation};
use program::source::SourceFile;
use program::violation::Violation;

fn cfa(property: Property, text: &str) -> Cfa {
    let options = ProgramOptions { property, ..ProgramOptions::default() };
    program::load_source(SourceFile::new("a.c", text), &options).unwrap()
}

/// What the program is checked for, in order: the violation and the text it is about.
fn guards(property: Property, statements: &str) -> Vec<String> {
    let text = format!(
        "void *malloc(unsigned long); void free(void *);\n\
         int g(int *p) {{ return 0; }} int a[4]; unsigned u;\nint main(void) {{ int x, y, *p, *q; long w;\n{statements}\nreturn 0; }}"
    );
    let cfa = cfa(property, &text);
    let names = cfa.edges.iter().filter_map(|edge| {
        let Operation::Call { callee, .. } = edge.operation else { return None };
        let violation = Violation::of_function(&cfa.function(callee).name)?;
        assert!(cfa.location(edge.target).is_error);
        Some(format!("{}: {}", violation.name(), cfa.source.snippet(edge.span)))
    });
    names.collect()
}

#[test]
fn arithmetic_is_guarded_in_the_order_of_evaluation() {
    assert_eq!(
        guards(Property::NoOverflow, "x = (x + y) * -x;"),
        ["signed overflow: (x + y)", "signed overflow: -x", "signed overflow: (x + y) * -x"]
    );
    assert_eq!(guards(Property::NoOverflow, "x++; y -= 3; w = 2 * w;").len(), 3);
    assert_eq!(guards(Property::NoOverflow, "x = x / y;"), ["signed overflow: x / y"]);
    assert_eq!(guards(Property::DivZero, "x = x / y % 3;"), ["division by zero: x / y"]);
    assert_eq!(guards(Property::Shift, "x = x << y;").len(), 2);
    assert_eq!(guards(Property::Shift, "u = u << 3; x = x >> 1;"), [""; 0]);
}

#[test]
fn what_cannot_go_wrong_or_is_not_evaluated_has_no_guard() {
    assert_eq!(guards(Property::NoOverflow, "u = u + 1; p = q - x; x = sizeof(x + y); x = x * 1; w = p - q; u = -u;"), [""; 0]);
    assert_eq!(guards(Property::NoOverflow, "__sync_fetch_and_add(&x, 1); __builtin_add_overflow(x, y, &x);"), [""; 0]);
    assert_eq!(guards(Property::DivZero, "w = 1.0 / x;"), [""; 0]);
    assert_eq!(guards(Property::ValidDeref, "x = a[3]; p = &a[x]; q = p + 1;"), [""; 0]);
}

/// What gcc computes by `__atomic_fetch_add` wraps; anything else it computes as of other objects, and stores that.
#[test]
fn sums_that_update_atomic_integers_wrap() {
    let count = |statement: &str| guards(Property::NoOverflow, &format!("_Atomic int a; _Atomic long *b; {statement}")).len();
    for wraps in ["a += x;", "a -= x;", "a++; --a;", "x = a++;", "*b += x;", "(*b)--;", "a += w;"] {
        assert_eq!(count(wraps), 0, "{wraps}");
    }
    for fits in ["a *= x;", "a = a + x;", "a = -a;", "x += a;", "a += x + 1;", "enum e { N = -1 }; _Atomic enum e e; e += x;"] {
        assert_eq!(count(fits), 1, "{fits}");
    }
}

/// The local of each call is another object: what may lead to that of an earlier one leads nowhere, or nobody knows where.
#[test]
fn the_local_of_an_earlier_call_is_gone() {
    let is_lost = |body: &str, again: &str| {
        let text = format!(
            "int g, *own, *seen, **far = &seen; int f(int *p) {{ int k = 1; {body} return *p; }}\n\
             int main(void) {{ f(&g); {again} return 0; }}"
        );
        let is_earlier = |construct: &str| construct.contains("there again");
        let cfa = cfa(Property::ValidDeref, &text);
        cfa.edges.iter().any(|edge| matches!(&edge.operation, Operation::Unsupported { construct } if is_earlier(construct)))
    };
    assert!(is_lost("*far = &k;", "f(&g);"));
    assert!(is_lost("seen = &k;", "for (int i = 0; i < 3; i++) f(&g);"));
    assert!(!is_lost("*far = &k;", ""));
    for known in ["own = &k;", "p = &k;", "int *q = &k; *q = 2;"] {
        assert!(!is_lost(known, "f(&g);"), "{known}");
    }
}

#[test]
fn a_guard_stands_behind_what_decides_whether_its_operation_is_evaluated() {
    let text = "int main(int x) { return x && 1 / x; }";
    let cfa = cfa(Property::DivZero, text);
    let first = cfa.edge(cfa.out_edges(cfa.entry_location())[0]);
    assert_eq!(cfa.source.snippet(first.span), "x");
}

#[test]
fn accesses_through_pointers_and_indices_are_guarded() {
    assert_eq!(guards(Property::ValidDeref, "x = a[y];"), ["index out of bounds: x = a[y]"]);
    assert_eq!(guards(Property::ValidDeref, "p = &x; *p = *q;").len(), 4);
    assert!(guards(Property::ValidFree, "p = malloc(4); free(p);").contains(&"invalid free: free(p)".to_owned()));
    assert!(guards(Property::ValidMemtrack, "p = malloc(4);").contains(&"memory leak: return 0;".to_owned()));
}

#[test]
fn the_property_is_part_of_the_fingerprint() {
    let text = "int main(void) { return 0; }";
    let mut all: Vec<String> = Property::ALL.iter().map(|property| cfa(*property, text).fingerprint()).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), Property::ALL.len());
}

#[test]
fn memory_that_is_not_described_makes_no_violation() {
    let text = "int *get(void); int main(void) { int *p = get(); return p ? *p : 0; }";
    let cfa = cfa(Property::ValidDeref, text);
    assert!(cfa.edges.iter().any(|edge| matches!(edge.operation, Operation::Unsupported { .. })));
}

#[test]
fn an_object_whose_length_nobody_knows_makes_no_violation() {
    for text in [
        "extern int a[]; int main(void) { int n; return a[n]; }",
        "struct v { int n; int a[]; }; extern struct v g; int main(void) { int n; return g.a[n]; }",
    ] {
        let cfa = cfa(Property::ValidDeref, text);
        assert!(cfa.edges.iter().any(|edge| matches!(edge.operation, Operation::Unsupported { .. })), "{text}");
    }
}

#[test]
fn an_unsupported_operation_may_be_a_violation_of_operations() {
    let text = "int setjmp(void *); int main(void) { setjmp(0); return 0; }";
    for property in Property::ALL.into_iter().filter(|property| property.is_of_operations()) {
        assert!(program::can_violate(&cfa(property, text)), "{property}");
    }
}

/// Which of two operands is evaluated first shows only what one of them ends or changes.
#[test]
fn functions_that_come_back_and_change_nothing_may_be_called_in_any_order() {
    let open = |functions: &str, value: &str| {
        let text = format!("void exit(int); int g, h; {functions}\nint main(void) {{ return {value}; }}");
        let cfa = cfa(Property::NoOverflow, &text);
        cfa.edges.iter().any(
            |edge| matches!(&edge.operation, Operation::Unsupported { construct, .. } if construct.contains("order of operands")),
        )
    };
    let quiet = "static int f(void) { return 3 * g; }";
    assert!(!open(quiet, "g + h - f()"));
    assert!(!open(&format!("{quiet} static int d(int x) {{ if (x > 0) return f() + 1; return 0; }}"), "g * h - d(g - 3) * 2"));
    assert!(open("static int f(void) { return g++; }", "g + h - f()"));
    assert!(open(&format!("{quiet} static int l(void) {{ while (g) ; return 1; }}"), "(f() << 1) - l() / 2"));
    assert!(open(&format!("{quiet} static int l(int n) {{ return n ? l(n - 1) : 0; }}"), "(f() << 1) - l(h) / 2"));
    assert!(open(&format!("{quiet} static int l(int n) {{ exit(n); return 0; }}"), "(f() << 1) - l(h) / 2"));
}
