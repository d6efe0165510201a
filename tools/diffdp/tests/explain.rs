//! Explanations as a maintainer reads them.
#![allow(clippy::expect_used, reason = "everything here is a test")]

mod common;

use console::{Look, explanation_text};
use diffdp::{Config, detect_and_explain};

/// The explanation of a fixture as text.
fn told(fixture: &str) -> String {
    let (original, modified) = common::pair(fixture);
    let (graph, _, explanation) = detect_and_explain(&original, &modified, &Config::default(), &mut || false);
    explanation.check_against(&graph).expect("it explains the graph");
    explanation_text(&explanation, Look::Plain)
}

#[test]
fn a_value_through_a_call_to_an_assertion() {
    insta::assert_snapshot!(told(
        "//- original.c
int scale(int v) {
    return v * 3;
}
int main(void) {
    int limit = 3;
    int x = scale(limit);
    if (x > 12)
        reach_error();
}
//- modified.c
int scale(int v) {
    return v * 3;
}
int main(void) {
    int limit = 5;
    int x = scale(limit);
    if (x > 12)
        reach_error();
}
"
    ));
}

#[test]
fn an_assignment_that_was_deleted() {
    insta::assert_snapshot!(told(
        "//- original.c
int state;
int main(void) {
    state = __VERIFIER_nondet_int();
    if (state < 0)
        state = 0;
    for (int i = 0; i < 3; i++)
        if (state < 0)
            reach_error();
}
//- modified.c
int state;
int main(void) {
    state = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++)
        if (state < 0)
            reach_error();
}
"
    ));
}

#[test]
fn a_check_that_was_inserted() {
    insta::assert_snapshot!(told(
        "//- original.c
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 3)
        reach_error();
    return x;
}
//- modified.c
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 3)
        reach_error();
    if (x == 4)
        reach_error();
    return x;
}
"
    ));
}

#[test]
fn what_only_one_program_executes_behind_a_changed_condition() {
    insta::assert_snapshot!(told(
        "//- original.c
int main(void) {
    int n = __VERIFIER_nondet_int(), full = 0;
    if (n > 10)
        full = 1;
    if (n > 9 && !full)
        reach_error();
}
//- modified.c
int main(void) {
    int n = __VERIFIER_nondet_int(), full = 0;
    if (n > 12)
        full = 1;
    if (n > 9 && !full)
        reach_error();
}
"
    ));
}

#[test]
fn a_variable_of_another_type() {
    insta::assert_snapshot!(told(
        "//- original.c
int main(void) {
    int small = __VERIFIER_nondet_int();
    if (small > 300)
        reach_error();
}
//- modified.c
int main(void) {
    unsigned char small = __VERIFIER_nondet_int();
    if (small > 300)
        reach_error();
}
"
    ));
}

#[test]
fn another_initial_value() {
    insta::assert_snapshot!(told(
        "//- original.c
static int allowed[2] = { 1, 2 };
int main(void) {
    if (allowed[0] == 0)
        reach_error();
}
//- modified.c
static int allowed[2] = { 0, 2 };
int main(void) {
    if (allowed[0] == 0)
        reach_error();
}
"
    ));
}

#[test]
fn recursion_is_no_change() {
    insta::assert_snapshot!(told(
        "//- original.c
int down(int n) { return n <= 0 ? 0 : down(n - 1); }
int main(int n, char **names) {
    if (down(n))
        reach_error();
}
//- modified.c
int down(int n) { return n <= 0 ? 1 : down(n - 1); }
int main(int n, char **names) {
    if (down(n))
        reach_error();
}
"
    ));
}

#[test]
fn nothing_to_check() {
    let text = told("int main(void) {\n//- original.c\nint x = 1; }\n//- modified.c\nint x = 2; }\n");
    assert!(text.starts_with("nothing has to be checked again"), "{text}");
}

#[test]
fn the_place_that_an_assertion_names_is_no_cause() {
    let told = told(
        "extern void __assert_fail(const char *, const char *, unsigned, const char *);
//- original.c
int main(void) {
    int n = __VERIFIER_nondet_int(), sum = n, total = 0;
    total += n;
    if (sum != total)
        __assert_fail(\"sum == total\", \"original.c\", 5, \"main\");
}
//- modified.c
int main(void) {
    int n = __VERIFIER_nondet_int(), sum = n, total = 0;
    if (sum != total)
        __assert_fail(\"sum == total\", \"modified.c\", 4, \"main\");
}
",
    );
    let causes: Vec<&str> = told.lines().filter(|line| line.starts_with("cause: ")).collect();
    assert!(matches!(*causes, [only] if only.starts_with("cause: deleted")), "{told}");
}
