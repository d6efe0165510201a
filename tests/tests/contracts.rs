//! Contracts of recursive functions: proofs for calls of any depth, and programs in which a clause that looks kept is not.
//!
//! `verify` finds most violations before it looks at contracts. So whatever is violated is also put to that proof alone, which
//! must not succeed.

use std::fs;

use residue_tests::oracle::load;
use residue_tests::programs::Rng;
use residue_tests::proofs::{judge, number};
use residue_tests::run;
use semantics::interpreter::{Limits, Tried};
use verify::prove_by_contracts;

/// Steps for each attempt at a proof by contracts alone.
const STEPS: u64 = 200_000;

/// Random programs that are tried; `RESIDUE_CONTRACTS` changes it, `RESIDUE_SEED` the first.
const PROGRAMS_TRIED: u64 = 80;

const HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern unsigned elsewhere(int);\n\
                    extern void abort(void);\nextern void exit(int);\nextern void *malloc(unsigned long);\n";

/// The answer of `verify` in so many steps, and the clauses it names.
fn answer(body: &str, steps: &str) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("program.c"), format!("{HEAD}{body}")).unwrap();
    let ran = run("verify", ["--steps", steps, "--json", "program.c"], folder.path()).unwrap();
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    let named = report["contracts"].as_array().cloned().unwrap_or_default();
    let named = named.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
    (report["verdict"].as_str().unwrap().to_owned(), named)
}

/// What is proved by contracts alone.
fn proved(body: &str) -> Option<Vec<String>> {
    prove_by_contracts(&load("program.c", &format!("{HEAD}{body}")), STEPS).unwrap()
}

/// Programs whose calls have no bound, with a clause that the proof rests on.
const KEPT: &[(&str, &str)] = &[
    (
        "int f(int n) { if (n > 100) return n - 10; return f(f(n + 11)); }\n\
         int main(void) { int x = __VERIFIER_nondet_int(), r = f(x); if (!(r == 91 || (x > 101 && r == x - 10))) reach_error(); }\n",
        "f: ensures (\\result == 91) || (n > 101)",
    ),
    (
        "unsigned sum(unsigned n, unsigned m) { if (n == 0) return m; return sum(n - 1, m + 1); }\n\
         int main(void) { unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (sum(a, b) != a + b) reach_error(); }\n",
        "sum: ensures \\result == (n + m)",
    ),
    (
        "int odd(int n);\nint even(int n) { if (n == 0) return 1; return odd(n - 1); }\n\
         int odd(int n) { if (n == 0) return 0; return even(n - 1); }\n\
         int main(void) { int n = __VERIFIER_nondet_int(); int r = even(n); if (r > 1) reach_error(); }\n",
        "odd: ensures \\result <= 1",
    ),
    (
        "int count;\nvoid walk(int n) { if (n <= 0) return; count++; walk(n - 1); count--; walk(n - 2); }\n\
         int main(void) { int n = __VERIFIER_nondet_int(); count = 3; walk(n); if (count != 3) reach_error(); }\n",
        "walk: ensures count == \\old(count)",
    ),
    (
        "int f(int n) { if (n < 0) reach_error(); if (n == 0) return 0; return f(n / 2); }\n\
         int main(void) { int n = __VERIFIER_nondet_int(); if (n >= 0) f(n); }\n",
        "f: requires n >= 0",
    ),
    (
        "static const int most[] = { 3, 5 };\nint f(int n, int k) { int r; if (n <= 0) return most[k & 1]; r = f(n - 1, k + 1); return r > 4 ? 3 : r; }\n\
         int main(void) { int r = f(__VERIFIER_nondet_int(), 0); if (r > 5) reach_error(); }\n",
        "f: ensures \\result <= 5",
    ),
    (
        "void count(unsigned *x) { if (*x < 100000000u) { (*x)++; count(x); } }\n\
         int main(void) { unsigned x = 0; count(&x); if (x != 100000000u) reach_error(); }\n",
        "count: requires x <= 100000000U",
    ),
    (
        "void both(int *x, int *y) { if (__VERIFIER_nondet_int()) { (*x)++; (*y)++; both(x, y); } }\n\
         int main(void) { int x = 0, y = 0; both(&x, &y); if (x != y) reach_error(); }\n",
        "both: ensures x == y",
    ),
    (
        "int times(int n, int m) { if (m < 0) return times(n, -m); if (m == 0) return 0; return n + times(n, m - 1); }\n\
         int main(void) { int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); if (m < 0 || n < 0) return 0;\n\
         if (times(m, n) != times(n, m)) reach_error(); }\n",
        "times: ensures \\result == (n * m)",
    ),
    // Nobody says what a local holds that nobody wrote: runs with several values tell clauses apart.
    (
        "int counter;\nvoid count(int n, int a, int b, int c) { if (n == 0) return; counter++; count(n - 1, 0, 0, 0); }\n\
         int main(void) { int n; count(n, 0, 0, 0); int r = n; if (r != counter) reach_error(); }\n",
        "count: ensures counter == (n + \\old(counter))",
    ),
];

#[test]
fn calls_of_any_depth_are_proved() {
    for (body, clause) in KEPT {
        let (verdict, named) = answer(body, "1500000");
        assert_eq!(verdict, "TRUE", "{body}");
        assert!(named.iter().any(|one| one == clause), "{named:?}\n{body}");
        assert!(proved(body).is_some(), "{body}");
    }
}

/// Programs that violate their property, or may, in the way that a wrong rule would overlook.
const VIOLATED: &[&str] = &[
    // Deep in the recursion only.
    "int f(int n) { if (n == 1000) reach_error(); return f(n + 1); }\nint main(void) { f(0); }\n",
    "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }\nint main(void) { if (f(__VERIFIER_nondet_int()) == 7) reach_error(); }\n",
    // What is required at the first call is not at the others.
    "int f(int n) { if (n < 0) reach_error(); if (n == 3) return 0; return f(n - 2); }\nint main(void) { f(8); }\n",
    "int g(int n);\nint f(int n) { return n > 5 ? n : g(n + 1); }\nint g(int n) { if (n == 4) reach_error(); return f(n + 1); }\nint main(void) { f(1); }\n",
    // A global that a call changes.
    "int c;\nvoid f(int n) { if (n > 0) { c = c + 1; f(n - 1); } }\nint main(void) { c = 0; f(__VERIFIER_nondet_int()); if (c == 2) reach_error(); }\n",
    "int c;\nint f(int n) { if (n > 0) { f(n - 1); c = n; } return c; }\nint main(void) { c = 0; int r = f(3); if (c == 3) reach_error(); }\n",
    // One that the caller changes between calls.
    "int c;\nint f(int n) { if (n <= 0) return c; return f(n - 1); }\nint main(void) { c = 1; f(2); c = 2; if (f(2) == 2) reach_error(); }\n",
    "int f(int n) { static int s; s++; if (n > 0) f(n - 1); return s; }\nint main(void) { f(1); if (f(1) == 4) reach_error(); }\n",
    // A place that a pointer leads to.
    "int f(int n) { static int *p; static int s; int x = n; if (p) *p = 7; p = &x; if (n > 0) f(n - 1); p = 0; s += x == 7; return s; }\n\
     int main(void) { if (f(3) > 0) reach_error(); }\n",
    "int c;\nint *p = &c;\nint f(int n) { if (n > 0) { *p = n; f(n - 1); } return 0; }\nint main(void) { c = 0; f(2); if (c == 1) reach_error(); }\n",
    "void f(int n, int *p) { if (n > 0) f(n - 1, p); else *p = 1; }\nint main(void) { int x = 0; f(3, &x); if (x == 1) reach_error(); }\n",
    "int a[2];\nint f(int n) { if (n > 0) { a[n & 1] = n; return f(n - 1); } return 0; }\nint main(void) { f(2); if (a[0] == 2) reach_error(); }\n",
    "int a[2];\nint f(int n) { if (n > 0) return f(n - 1); return a[0]; }\nint main(void) { a[0] = 5; if (f(2) == 5) reach_error(); }\n",
    "struct s { int x; };\nstruct s g;\nint f(int n) { if (n > 0) { g.x = n; return f(n - 1); } return g.x; }\nint main(void) { if (f(2) == 1) reach_error(); }\n",
    "void f(int n, int *p) { if (n > 0) { *p = n; f(n - 1, p); } }\nint main(void) { int x = 0, y = 0; f(3, &x); f(2, &y); if (y == 1) reach_error(); }\n",
    "void f(int n, int *p, int *q) { if (n > 0) { (*p)++; f(n - 1, q, p); } }\nint main(void) { int x = 0, y = 0; f(3, &x, &y); if (y == 1) reach_error(); }\n",
    "int z;\nvoid f(int n, int *p) { if (n == 1) p = &z; if (n > 0) { *p = n; f(n - 1, p); } }\nint main(void) { int x = 0; f(3, &x); if (x == 2) reach_error(); }\n",
    "void f(int n, int *p) { if (n > 0) { int y = n; f(n - 1, &y); *p = y; } }\nint main(void) { int x = 0; f(3, &x); if (x == 1) reach_error(); }\n",
    "void f(int n, int *p) { if (n > 0) { ((char *)p)[1] = 1; f(n - 1, p); } }\nint main(void) { int x = 0; f(3, &x); if (x == 256) reach_error(); }\n",
    "void f(int n, int *p, const int *q) { if (n > 0) { *p = n; f(n - 1, p, q); if (*q == 1 && n == 2) reach_error(); } }\nint main(void) { int x = 0; f(3, &x, &x); }\n",
    "int g(int *p) { *p += 1; return *p; }\nvoid f(int n, int *p) { if (n > 0) { g(p); f(n - 1, p); } }\nint main(void) { int x = 0, y = 0; g(&y); f(3, &x); if (x == 3) reach_error(); }\n",
    "void f(int n, int *p) { if (n > 0) { *p = n; f(n - 1, p); } }\nvoid h(int k) { int v = 0; f(k, &v); if (v == 1) reach_error(); }\nint main(void) { h(0); h(2); }\n",
    // What was never seen in a short run, and only in one from other values than those at the start.
    "int c;\nint f(int n) { if (c == 123456789) reach_error(); return n > 0 ? f(n - 1) : 0; }\nint main(void) { c = __VERIFIER_nondet_int(); f(3); }\n",
    "int a[2];\nint f(int n) { if (a[1] == 123456789) reach_error(); return n > 0 ? f(n - 1) : 0; }\nint main(void) { a[1] = __VERIFIER_nondet_int(); f(3); }\n",
    "int g(int n, int *p);\nint f(int n) { int x = 0; g(n - 1, &x); if (x == 123456789) reach_error(); return x == 1; }\n\
     int g(int n, int *p) { if (n > 0) f(n); *p = __VERIFIER_nondet_int(); return 0; }\nint main(void) { f(3); }\n",
    "int z;\nvoid f(int n, int *p) { if (p == &z) reach_error(); if (n == 1) p = &z; if (n > 0) f(n - 1, p); }\nint main(void) { int x = 0; f(3, &x); }\n",
    "void f(int n, int *p) { if (*p == 123456789) reach_error(); if (n > 0) f(n - 1, p); }\nint main(void) { int x = 0, y = __VERIFIER_nondet_int(); f(3, &x); f(2, &y); }\n",
    "void f(int n, int *p) { if (*p == 123456789) reach_error(); if (n > 0) f(n - 1, p); }\nvoid k(int a) { int v = a; f(3, &v); }\n\
     int main(void) { k(__VERIFIER_nondet_int()); }\n",
    "void f(int n, int *p) { if (n > 0) { *p = *p + 1; f(n - 1, p); } }\nvoid k(int a) { int v = a; f(3, &v); if (v == 123456789) reach_error(); }\n\
     int main(void) { k(__VERIFIER_nondet_int()); }\n",
    "void f(int n, int *p) { int q[2]; q[1] = n; if (n > 0) { f(n - 1, p); if (q[1] != n) reach_error(); *p += q[1]; } }\n\
     void k(int a) { int v = a; f(3, &v); if (v == 123456789) reach_error(); }\nint main(void) { k(__VERIFIER_nondet_int()); }\n",
    // Through a pointer to the function, and with other types than its own.
    "int f(int n);\nint (*p)(int) = f;\nint f(int n) { if (n > 0) return p(n - 1) + 1; return 0; }\nint main(void) { if (f(2) == 2) reach_error(); }\n",
    "int f(unsigned char n) { if (n > 3) return f(n - 4); return n; }\nint main(void) { if (f(258) == 2) reach_error(); }\n",
    // What nobody returned, and what nobody knows.
    "int f(int n) { if (n > 0) f(n - 1); else return 0; }\nint main(void) { if (f(3) == 5) reach_error(); }\n",
    "unsigned f(int n) { if (n > 0) return f(n - 1); return elsewhere(n); }\nint main(void) { if (f(3) == 5) reach_error(); }\n",
    "extern int outside;\nint f(int n) { if (n > 0) return f(n - 1); return outside; }\nint main(void) { if (f(3) == 5) reach_error(); }\n",
    // A product for some arguments only.
    "int times(int n, int m) { if (m < 0) return times(n, -m); if (m == 0) return 0; return n + times(n, m - 1); }\n\
     int main(void) { if (times(2, -3) == 6) reach_error(); }\n",
    "int times(int n, int m) { if (m == 1000) return 0; if (m == 0) return 0; return n + times(n, m - 1); }\n\
     int main(void) { int m = __VERIFIER_nondet_int(); if (m >= 0 && times(2, m) != 2 * m) reach_error(); }\n",
    // On the heap.
    "int *h;\nint f(int n) { if (!h) h = malloc(4); *h = n; if (n > 0) f(n - 1); return *h; }\nint main(void) { if (f(3) == 0) reach_error(); }\n",
    // Overflow wraps.
    "int f(int n, int a) { if (n <= 0) return a; return f(n - 1, a + 1000000000); }\nint main(void) { if (f(3, 0) < 0) reach_error(); }\n",
    "int f(int n) { if (n == 0) return 0; return f(n - 1) + 2; }\nint main(void) { int n = __VERIFIER_nondet_int(); if (f(n & 7) == n && n > 3) reach_error(); if (f(n & 3) == 6) reach_error(); }\n",
];

#[test]
fn what_a_run_violates_is_not_proved() {
    for body in VIOLATED {
        assert_eq!(proved(body), None, "{body}");
        assert_ne!(answer(body, "200000").0, "TRUE", "{body}");
    }
}

const FIBONACCI: &str =
    "int fibonacci(int n) { if (n < 1) return 0; if (n == 1) return 1; return fibonacci(n - 1) + fibonacci(n - 2); }\n";

const ACKERMANN: &str = "int ackermann(int m, int n) { if (m == 0) return n + 1; if (n == 0) return ackermann(m - 1, 1);\n\
                         return ackermann(m - 1, ackermann(m, n - 1)); }\n";

/// A call of a function with a number up to some bound.
fn with_fibonacci(most: i32, violated: &str) -> String {
    format!(
        "{FIBONACCI}int main(void) {{ int x = __VERIFIER_nondet_int(); if (x > {most}) return 0; int r = fibonacci(x); if ({violated}) reach_error(); }}\n"
    )
}

fn with_ackermann(violated: &str) -> String {
    format!(
        "{ACKERMANN}int main(void) {{ int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();\n\
         if (m < 0 || m > 3 || n < 0 || n > 23) return 0; int r = ackermann(m, n); if ({violated}) reach_error(); }}\n"
    )
}

/// A function of one number, and what is violated if its result `r` for any `n` is.
fn with_any(function: &str, violated: &str) -> String {
    format!("{function}int main(void) {{ int n = __VERIFIER_nondet_int(); int r = f(n); if ({violated}) reach_error(); }}\n")
}

const THREE_MORE: &str = "int f(int n) { if (n <= 0) return 5; return f(n - 1) + 3; }\n";

/// What is proved by contracts alone, in as many steps as a table takes.
fn proved_by_tables(body: &str) -> Option<Vec<String>> {
    prove_by_contracts(&load("program.c", &format!("{HEAD}{body}")), 3 * STEPS).unwrap()
}

#[test]
fn calls_that_can_be_tabled_are_proved_to_yield_what_they_do() {
    let kept = [
        (with_fibonacci(46, "x > -5 && r < x - 1"), "fibonacci: ensures (n >= 1) || (\\result == 0)"),
        (with_fibonacci(46, "x >= 9 && r < 34"), "fibonacci: ensures (n >= 1) || (\\result == 0)"),
        (with_ackermann("r < 0"), "ackermann: ensures (m != 2) || (\\result == ((2 * n) + 3))"),
        (with_ackermann("m == 2 && n == 2 && r != 7"), "ackermann: ensures (m != 1) || (\\result == (n + 2))"),
        // It wraps, and so does what is said of it.
        (with_any(THREE_MORE, "n > 0 && (unsigned)r != 3u * n + 5"), "f: ensures (n <= 0) || (\\result == ((3 * n) + 5))"),
    ];
    for (body, clause) in &kept {
        let (verdict, named) = answer(body, "3000000");
        assert_eq!(verdict, "TRUE", "{body}");
        assert!(named.iter().any(|one| one == clause), "{named:?}\n{body}");
        assert!(proved_by_tables(body).is_some(), "{body}");
    }
}

#[test]
fn what_a_table_does_not_show_is_not_proved() {
    let violated = [
        with_fibonacci(46, "x > 0 && r < x"),
        with_fibonacci(46, "r == 1836311903"),
        with_ackermann("r == 67108861"),
        with_ackermann("m == 2 && n == 2 && r == 7"),
        // True of whole numbers, but the sum of the last two wraps.
        with_fibonacci(47, "x > -5 && r < x - 1"),
        with_any(THREE_MORE, "r < 0"),
        // What is true of all calls that are executed, and not of others.
        with_any("int f(int n) { if (n <= 0) return 0; if (n == 100000) return 7; return f(n - 1) + 1; }\n", "n > 0 && r != n"),
        with_any("int f(int n) { if (n < -1000) return 1; if (n <= 0) return 0; return f(n - 1); }\n", "n <= 0 && r != 0"),
        // Not the argument alone decides.
        with_any("int f(int n) { if (n <= 0) return __VERIFIER_nondet_int(); return f(n - 1); }\n", "r != 0"),
        with_any("int c;\nint f(int n) { if (n <= 0) return c; c = 1; return f(n - 1); }\n", "r != 0"),
        with_any("int f(int n) { int x; if (n <= 0) return x; return f(n - 1); }\n", "r != 0"),
        // Results are cut off.
        with_any(
            "unsigned char f(unsigned char n) { if (n == 0) return 0; return f(n - 1) + 2; }\n",
            "n >= 0 && n < 256 && r != 2 * n",
        ),
    ];
    for body in &violated {
        assert_eq!(proved_by_tables(body), None, "{body}");
        assert_ne!(answer(body, "200000").0, "TRUE", "{body}");
    }
    // Two whose violation a short run shows.
    for body in [&violated[0], &violated[3]] {
        assert_eq!(answer(body, "3000000").0, "FALSE(unreach-call)", "{body}");
    }
}

#[test]
fn where_a_violation_ends_the_run_nothing_is_claimed_of_the_rest() {
    // What comes behind a call that never ends is not reached.
    let never = "int f(int n) { return f(n + 1) + 1; }\nint main(void) { f(0); reach_error(); }\n";
    assert_ne!(answer(never, "200000").0, "FALSE");
    let ends = "int f(int n) { if (n > 9) exit(0); return f(n + 1) + 1; }\nint main(void) { int n = __VERIFIER_nondet_int(); f(n); reach_error(); }\n";
    assert_ne!(answer(ends, "200000").0, "FALSE");
}

#[test]
fn what_grows_with_every_step_and_numbers_of_any_width_end_no_search() {
    let call = "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }\n";
    let doubled = "x = x + x;\n".repeat(60);
    let grows =
        format!("{call}int main(void) {{ int x = f(__VERIFIER_nondet_int()); {doubled}if (x == 12345) reach_error(); }}\n");
    assert_ne!(answer(&grows, "200000").0, "FALSE");
    for ty in ["__int128", "unsigned __int128", "long", "unsigned char", "_Bool"] {
        let wide = format!(
            "{ty} count;\nvoid walk(int n) {{ {ty} old = count; if (n <= 0) return; count++; walk(n - 1); count = old; walk(n - 2); }}\n\
             int main(void) {{ count = 1; walk(__VERIFIER_nondet_int()); if (count != 1) reach_error(); }}\n"
        );
        assert_eq!(answer(&wide, "1500000").0, "TRUE", "{ty}");
    }
}

fn value(r: &mut Rng, names: &[&str]) -> String {
    let name = |r: &mut Rng| names[r.below(names.len())].to_owned();
    match r.below(6) {
        0 => r.below(4).to_string(),
        1..4 => name(r),
        4 => format!("{} {} {}", name(r), ["+", "-"][r.below(2)], r.below(3)),
        _ => format!("({} > {} ? {} : {})", name(r), r.below(3), name(r), r.below(3)),
    }
}

fn condition(r: &mut Rng, names: &[&str]) -> String {
    format!("{} {} {}", names[r.below(names.len())], ["<", "<=", "==", ">=", "!="][r.below(5)], r.below(4))
}

/// The variable beside arguments and results: what it is called in functions, and what is handed on to them.
struct Beside {
    name: &'static str,
    handed: &'static [&'static str],
}

fn statement(r: &mut Rng, names: &[&str], beside: &Beside) -> String {
    let handed = beside.handed[r.below(beside.handed.len())];
    match r.below(9) {
        0 => format!("{} = {};", beside.name, value(r, names)),
        1 => format!("if ({}) {}++;", condition(r, names), beside.name),
        2..5 => {
            let (callee, down) = (["f", "g"][r.below(2)], 1 + r.below(2));
            format!("x = {callee}(n - {down}, {}{handed});", value(r, names))
        }
        5 => format!("x = {};", value(r, names)),
        6 => format!("if ({}) return {};", condition(r, names), value(r, names)),
        7 if r.below(4) == 0 => format!("if ({} && {}) reach_error();", condition(r, names), condition(r, names)),
        _ => format!("if ({}) x = {}(n - 1, {}{handed});", condition(r, names), ["f", "g"][r.below(2)], value(r, names)),
    }
}

/// Two functions that call themselves and each other, a global or a variable of the caller, and a condition on what they give.
fn random(seed: u64) -> String {
    let mut r = Rng::new(seed);
    let by_address = r.below(3) == 0;
    let (beside, parameter) = match (by_address, r.below(6)) {
        (false, _) => (Beside { name: "c", handed: &[""] }, ""),
        (true, 0) => (Beside { name: "(*p)", handed: &[", p", ", p", ", &x"] }, ", int *p"),
        (true, _) => (Beside { name: "(*p)", handed: &[", p"] }, ", int *p"),
    };
    let names = ["n", "m", "x", beside.name, "x", "m"];
    let mut text = if by_address { String::new() } else { "int c;\n".to_owned() };
    text += &format!("int g(int n, int m{parameter});\n");
    for function in ["f", "g"] {
        let base = value(&mut r, &["m", beside.name, "n"]);
        text += &format!("int {function}(int n, int m{parameter}) {{\n  int x = {};\n  if (n <= 0) return {base};\n", r.below(3));
        for _ in 0..1 + r.below(3) {
            text += &format!("  {}\n", statement(&mut r, &names, &beside));
        }
        text += &format!("  return {};\n}}\n", value(&mut r, &names));
    }
    let seen = ["r", "n", "m", "c", "r", "r"];
    text += "int main(void) {\n  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), r;\n";
    let mut handed = "";
    if by_address {
        text += "  int c = 0, d = 0;\n";
        handed = if r.below(5) == 0 { ", n == 2 ? &c : &d" } else { ", &c" };
    }
    text += &format!("  if (n > 3{}) abort();\n", ["", " || m < 0", " || m != 1", " || m < 0 || m > 2"][r.below(4)]);
    let (one, two) = (["f", "g"][r.below(2)], ["m", "1", "m"][r.below(3)]);
    text += &format!("  r = {one}(n, {two}{handed});\n");
    let last = format!("{} && {}", condition(&mut r, &seen), condition(&mut r, &seen));
    let last = if r.below(2) == 0 { condition(&mut r, &["r", "c"]) } else { last };
    text + &format!("  if ({last}) reach_error();\n}}\n")
}

#[test]
fn nothing_that_a_run_of_a_random_program_violates_is_proved() {
    let programs = number("RESIDUE_CONTRACTS", PROGRAMS_TRIED);
    let limits = Limits { steps: 3_000, ..Limits::default() };
    let values = [0, 1, 2, 3, (-1i128).cast_unsigned(), (-2i128).cast_unsigned(), 100];
    let tried = Tried { values: &values, depth: 2, limits };
    let text = |seed| format!("{HEAD}{}", random(seed));
    let (violated, proved) = judge(programs, tried, text, |cfa| prove_by_contracts(cfa, STEPS / 4).unwrap());
    assert!(4 * violated > programs && 15 * proved > programs, "{violated} violated, {proved} proved");
}

/// What all paths have a contract for is proved of the paths that a change leaves, in about as many steps.
#[test]
fn a_condition_does_not_keep_contracts_from_being_found() {
    let folder = tempfile::tempdir().unwrap();
    let program = |least: u32| {
        format!(
            "{HEAD}int sum(int m, int n) {{ if (n == 0) return m; if (n > 0) return sum(m + 1, n - 1); return sum(m - 1, n + 1); }}\n\
             int main(void) {{ int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); if (m < {least} || n < {least}) return 0;\n\
             int r = sum(m, n); if (r != m + n) reach_error(); return 0; }}"
        )
    };
    fs::write(folder.path().join("original.c"), program(1)).unwrap();
    fs::write(folder.path().join("modified.c"), program(0)).unwrap();
    let step = |tool: &str, arguments: &[&str]| run(tool, arguments, folder.path()).unwrap();
    step("diffdp", &["-q", "original.c", "modified.c", "-o", "graph.json"]);
    step("condgen", &["-q", "graph.json", "-o", "condition.graphml"]);
    let ran = step("verify", &["-q", "--steps", "600000", "--condition", "condition.graphml", "modified.c"]);
    assert_eq!(ran.last_line(), "TRUE", "{}{}", ran.stdout, ran.stderr);
}
