//! Harmless changes: nothing may be left to check.

mod common;

use common::Expect::Covered;
use common::judge;
use diffdp::{Config, Match, detect};

fn check(fixture: &str) {
    judge(fixture, |original, modified| detect(original, modified, &Config::default(), &mut || false).0, Covered);
}

macro_rules! covered {
    ($($(#[$meta:meta])* $name:ident: $fixture:literal;)*) => { $($(#[$meta])* #[test] fn $name() { check($fixture); })* };
}

covered! {
    p19_change_the_property_does_not_depend_on: "
        //- original.c
        int main(void) { int x = 0, r = 5; if (x == 1) reach_error(); return r; }
        //- modified.c
        int main(void) { int x = 0, r = 6; if (x == 1) reach_error(); return r; }";

    p20_overwritten_before_it_matters: "
        //- original.c
        int main(void) { int r = 5; r = 0; if (r == 1) reach_error(); }
        //- modified.c
        int main(void) { int r = 6; r = 0; if (r == 1) reach_error(); }";

    p22_the_same_bug_in_both: "
        //- original.c
        int main(void) { int r = 1; reach_error(); }
        //- modified.c
        int main(void) { int r = 2; reach_error(); }";

    p42_another_member_is_checked: "
        struct s { int a, b; };
        //- original.c
        int main(void) { struct s s; s.a = 0; s.b = 0; if (s.b == 1) reach_error(); }
        //- modified.c
        int main(void) { struct s s; s.a = 5; s.b = 0; if (s.b == 1) reach_error(); }";

    assignment_inserted_in_front: "
        //- original.c
        int main(void) { int x = 1, y = 0; x = 2; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 1, y = 0; y = 7; x = 2; if (x == 1) reach_error(); }";

    footnote_4_needs_a_look_ahead: "
        //- original.c
        int x; int main(void) { x = 1; x = 2; if (x == 1) reach_error(); }
        //- modified.c
        int x; int main(void) { x = 0; x = 1; x = 2; if (x == 1) reach_error(); }";

    footnote_6_the_original_has_more_to_do_before_it_fails: "
        //- original.c
        int main(void) { int x = 0, y = 0; y = 1; y = 2; reach_error(); }
        //- modified.c
        int main(void) { int x = 0, y = 0; reach_error(); }";

    stronger_condition: "
        //- original.c
        int main(void) { int x = __VERIFIER_nondet_int(), r = 0; if (x < 10) reach_error(); }
        //- modified.c
        int main(void) { int x = __VERIFIER_nondet_int(), r = 0; if (x < 5) reach_error(); }";

    equivalent_condition_for_the_solver: "
        //- original.c
        int main(void) { unsigned x = __VERIFIER_nondet_uint(); if ((x & 1) == 1) reach_error(); }
        //- modified.c
        int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x % 2 == 1) reach_error(); }";

    inserted_branching: "
        //- original.c
        int main(void) { int x = 0, r = 0; x = __VERIFIER_nondet_int(); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, r = 0; if (r) { r = 1; } else { r = 2; } x = __VERIFIER_nondet_int(); if (x == 1) reach_error(); }";

    deleted_branching: "
        //- original.c
        int main(void) { int x = 0, r = 0; if (r) { r = 1; } else { r = 2; } x = 3; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, r = 0; x = 3; if (x == 1) reach_error(); }";

    affected_branching_without_consequence: "
        //- original.c
        int main(void) { int x = 0, r = 0, t = 0; if (r) { t = 1; } else { t = 2; } if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, r = 1, t = 0; if (r) { t = 1; } else { t = 2; } if (x == 1) reach_error(); }";

    deleted_call_that_returns: "
        int t; void log(int v) { if (v) t = 1; else t = 2; }
        //- original.c
        int main(void) { int x = 0; log(1); x = 3; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0; x = 3; if (x == 1) reach_error(); }";

    inserted_call: "
        int t; void log(int v) { if (v) t = 1; else t = 2; }
        //- original.c
        int main(void) { int x = 0; x = 3; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0; log(1); x = 3; if (x == 1) reach_error(); }";

    changed_callee_without_consequence: "
        //- original.c
        int t; int f(int v) { t = v; return 0; } int main(void) { if (f(1) == 1) reach_error(); }
        //- modified.c
        int t; int f(int v) { t = v + 1; if (v) t = 0; return 0; } int main(void) { if (f(1) == 1) reach_error(); }";

    parameter_added: "
        //- original.c
        int f(int a) { return a; } int main(void) { if (f(0) == 1) reach_error(); }
        //- modified.c
        int f(int a, int unused) { return a; } int main(void) { if (f(0, 7) == 1) reach_error(); }";

    parameter_renamed: "
        //- original.c
        int f(int a) { return a; } int main(void) { if (f(0) == 1) reach_error(); }
        //- modified.c
        int f(int b) { return b; } int main(void) { if (f(0) == 1) reach_error(); }";

    call_in_a_loop: "
        int n; int next(void) { n = n + 1; return n; }
        //- original.c
        int main(void) { int i, r = 0; for (i = 0; i < 3; i++) next(); if (n == 9) reach_error(); return r; }
        //- modified.c
        int main(void) { int i, r = 1; for (i = 0; i < 3; i++) next(); if (n == 9) reach_error(); return r; }";

    inserted_call_does_not_rename_temporaries: "
        int f(int v) { return v; }
        //- original.c
        int main(void) { int x = 0, r = 0; if (f(x) + f(x) == 1) reach_error(); return r; }
        //- modified.c
        int main(void) { int x = 0, r = 0; r = f(3) + f(4); if (f(x) + f(x) == 1) reach_error(); return r; }";

    tags_do_not_count: "
        //- original.c
        struct a1 { int m; }; int main(void) { struct a1 s; int r = 0; s.m = 0; if (s.m) reach_error(); return r; }
        //- modified.c
        struct a2 { int m; }; int main(void) { struct a2 s; int r = 1; s.m = 0; if (s.m) reach_error(); return r; }";

    const_does_not_count: "
        //- original.c
        int main(void) { int x = 0; int r = 0; if (x) reach_error(); return r; }
        //- modified.c
        int main(void) { const int x = 0; int r = 1; if (x) reach_error(); return r; }";

    /// A pointer to a struct is a pointer to a struct: only the members that are used count.
    struct_grows_behind_a_pointer: "
        //- original.c
        struct s { int a; }; int f(struct s *p) { return p == 0; } int main(void) { if (f(0) == 0) reach_error(); }
        //- modified.c
        struct s { int a, b; }; int f(struct s *p) { return p == 0; } int main(void) { if (f(0) == 0) reach_error(); }";

    moved_function: "
        //- original.c
        int f(void) { return 0; } int g(void) { return 0; } int main(void) { int r = 0; if (f() + g()) reach_error(); return r; }
        //- modified.c
        int g(void) { return 0; } int f(void) { return 0; } int main(void) { int r = 1; if (f() + g()) reach_error(); return r; }";

    added_global: "
        //- original.c
        int main(void) { int x = 0; if (x) reach_error(); }
        //- modified.c
        int added = 1; int main(void) { int x = 0; added = 2; if (x) reach_error(); }";

    result_of_an_external_is_an_input: "
        extern int outside(int);
        //- original.c
        int main(void) { int x = outside(1); if (x) reach_error(); }
        //- modified.c
        int main(void) { int x = outside(2); if (x) reach_error(); }";

    input_replaced_by_a_constant: "
        //- original.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 1; if (x == 1) reach_error(); }";

    declared_again_in_both: "
        //- original.c
        int main(void) { int r = 0; for (int i = 0; i < 2; i++) { int x; x = i; if (x == 7) reach_error(); } return r; }
        //- modified.c
        int main(void) { int r = 1; for (int i = 0; i < 2; i++) { int x; x = i; if (x == 7) reach_error(); } return r; }";

    locals_of_functions_that_call_each_other: "
        int f(int n); int g(int n) { int x; x = n; if (x) return 0; return x; } int f(int n) { return g(n); }
        //- original.c
        int main(void) { int r = 0; if (f(1) == 5) reach_error(); return r; }
        //- modified.c
        int main(void) { int r = 1; if (f(1) == 5) reach_error(); return r; }";
}

#[test]
fn identical_only_asks_no_solver() {
    let (original, modified) = common::pair(
        "
        //- original.c
        int main(void) { unsigned x = __VERIFIER_nondet_uint(); if ((x & 1) == 1) reach_error(); }
        //- modified.c
        int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x % 2 == 1) reach_error(); }",
    );
    let config = Config { matching: Match::Identical, ..Config::default() };
    let (graph, statistics) = detect(&original, &modified, &config, &mut || false);
    assert_eq!(statistics.queries, 0);
    assert!(!common::covers_everything(&graph));
}

#[test]
fn equal_programs_give_one_leaf() {
    let (original, modified) = common::pair(
        "int main(void) { int x = __VERIFIER_nondet_int(); while (x) x--; reach_error(); }
        //- original.c
        //- modified.c
        ",
    );
    let (graph, _) = detect(&original, &modified, &Config::default(), &mut || false);
    assert_eq!((graph.nodes, graph.edges.len(), graph.indicators.len()), (1, 0, 0));
}

#[test]
fn an_interrupted_run_is_sound_and_says_so() {
    let (original, modified) = common::pair(
        "
        //- original.c
        int main(void) { int x = 0, y = 0; x = 1; y = x; if (y == 2) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, y = 0; x = 2; y = x; if (y == 2) reach_error(); }",
    );
    for steps in 0..12 {
        let mut left = steps;
        let (graph, statistics) = detect(&original, &modified, &Config::default(), &mut || {
            left -= 1;
            left < 0
        });
        assert_eq!(statistics.interrupted, graph.provenance.degraded.is_some());
        for run in common::violations(&modified) {
            assert!(!common::covers(&graph, &run), "after {steps} steps");
        }
    }
}

#[test]
fn every_indicator_has_a_reason() {
    let (original, modified) = common::pair(
        "
        //- original.c
        int main(void) { int x = 1; if (x == 2) reach_error(); }
        //- modified.c
        int main(void) { int x = 2; if (x == 2) reach_error(); }",
    );
    let (graph, _) = detect(&original, &modified, &Config::default(), &mut || false);
    assert!(!graph.indicators.is_empty());
    for indicator in &graph.indicators {
        assert!(graph.reasons.iter().any(|reason| reason.indicator == *indicator && reason.edge.is_some()));
    }
}

/// What is left to check of a pair with `--match semantic`, all runs tried, and with `--match implied`.
fn semantic(fixture: &str, expect: common::Expect) {
    let config = |matching| Config { matching, ..Config::default() };
    let detected = |matching| move |original: &_, modified: &_| detect(original, modified, &config(matching), &mut || false).0;
    judge(fixture, detected(Match::Semantic), expect);
    // The switch is what makes the difference.
    judge(fixture, detected(Match::Implied), common::Expect::Checked);
}

/// A program that computes `x` of three inputs and checks it.
fn computing(original: &str, modified: &str) -> String {
    let body = |computed: &str| {
        format!(
            "int f(int v) {{ return v; }} extern int outside(int *); int v[4]; struct s {{ int m; }} s; int main(void) {{ int a = __VERIFIER_nondet_int();
             int b = __VERIFIER_nondet_int(), x = 0; int *p = &v[1]; {computed} if (x == 7) reach_error(); return 0; }}"
        )
    };
    format!("//- original.c\n{}\n//- modified.c\n{}", body(original), body(modified))
}

#[test]
fn equal_values_are_found() {
    for (original, modified) in [
        ("x = a + b;", "x = b + a;"),
        ("x = (a + b) + 3;", "x = a + (3 + b);"),
        ("x = a * 2;", "x = a << 1;"),
        ("x = a + a;", "x = 2 * a;"),
        ("x = a % 4u;", "x = a & 3;"),
        ("x = !(a > 0 & b > 0);", "x = a <= 0 | b <= 0;"),
        ("x = a < b;", "x = b > a;"),
        ("x = 1 + (a > 0 ? a : b);", "x = 1 + (a <= 0 ? b : a);"),
        ("x = f(a + b);", "x = f(b + a);"),
        ("x = 5; if (a - b > 0) x = x + 2;", "x = 5; if (0 < a - b) x = 2 + x;"),
        ("v[1] = a + b; x = v[1];", "v[1] = b + a; x = v[1];"),
        ("*p = a + b; x = *p;", "*p = b + a; x = *p;"),
        ("s.m = a + b; x = s.m;", "s.m = b + a; x = s.m;"),
        ("x = a; x += 1;", "x = a; x = 1 + x;"),
        // Whatever differs, the difference does not count.
        ("int r = 1; x = a + (r - r);", "int r = 2; x = (r - r) + a;"),
    ] {
        semantic(&computing(original, modified), Covered);
    }
}

#[test]
fn values_that_may_differ_are_kept_apart() {
    for (original, modified) in [
        ("x = a + b;", "x = a - b;"),
        ("x = a * 2;", "x = a << 2;"),
        ("x = a % 4;", "x = a & 3;"),
        ("x = a / 2;", "x = a >> 1;"),
        ("x = (a + b) / 2;", "x = a / 2 + b / 2;"),
        ("x = a < b;", "x = b >= a;"),
        ("x = !(a > 0 & b > 0);", "x = a <= 0 & b <= 0;"),
        ("x = (unsigned char)(a + b);", "x = (unsigned char)a + b;"),
        ("v[1] = a + b; x = v[1];", "v[2] = b + a; x = v[1];"),
        ("s.m = 0; x = s.m;", "s.m = 7; x = s.m + 0;"),
        // Equal expressions of what differs.
        ("int r = 1; x = a + r;", "int r = 2; x = r + a;"),
        ("v[1] = 1; x = a + *p;", "v[1] = 2; x = *p + a;"),
        ("v[1] = 1; x = v[b & 3] + a;", "v[1] = 2; x = a + v[b & 3];"),
        ("int i = 1; v[i] = a + b; x = v[1];", "int i = 2; v[i] = b + a; x = v[1];"),
        // The same bits are another number.
        ("float r = 1; x = (int)(r + a);", "int r = 1; x = (int)((float)r - a);"),
    ] {
        semantic(&computing(original, modified), common::Expect::Checked);
    }
}
