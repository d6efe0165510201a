//! The traps of difference detection, for the syntactic detector: the same fixtures as for `diffdp`.
//!
//! Source: ALGORITHM.md 7, 2.2-2.6 (of `diffdp`).

#[path = "../../diffdp/tests/common/mod.rs"]
mod common;

use common::Expect::{Checked, Regression, Sound};
use common::{Expect, judge};
use diffcond::detect;

fn check(fixture: &str, expect: Expect) {
    judge(fixture, |original, modified| detect(original, modified, &mut || false), expect);
}

macro_rules! traps {
    ($($(#[$meta:meta])* $name:ident: $expect:expr, $fixture:literal;)*) => {
        $($(#[$meta])* #[test] fn $name() { check($fixture, $expect); })*
    };
}

include!("../../diffdp/traps.rs");

fn rules(fixture: &str) -> Vec<String> {
    let (original, modified) = common::pair(fixture);
    detect(&original, &modified, &mut || false).reasons.into_iter().map(|reason| reason.rule).collect()
}

#[test]
fn added_and_moved_declarations_are_no_difference() {
    let none = rules(
        "
        //- original.c
        int g, h; int f(void) { return 0; } int main(void) { if (f() + g + h) reach_error(); }
        //- modified.c
        int added; int h, g; extern int more; int f(void) { return 0; } int unused(void) { return 1; }
        int main(void) { if (f() + g + h) reach_error(); }",
    );
    assert_eq!(none, [""; 0]);
}

#[test]
fn a_used_global_that_differs_makes_the_first_node_the_indicator() {
    let first = rules(
        "
        //- original.c
        int g = 1; int main(void) { int x = g; if (x) reach_error(); }
        //- modified.c
        int g = 2; int main(void) { int x = g; if (x) reach_error(); }",
    );
    assert_eq!(first, ["differing-global"]);
    let unused = rules(
        "
        //- original.c
        int g = 1; int main(void) { int x = 0; if (x) reach_error(); }
        //- modified.c
        int g = 2; int main(void) { int x = 0; if (x) reach_error(); }",
    );
    assert_eq!(unused, [""; 0]);
}

#[test]
fn only_what_follows_a_difference_is_left_to_check() {
    let (original, modified) = common::pair(
        "
        //- original.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x) { x = 1; } else { x = 2; } if (x == 3) reach_error(); }
        //- modified.c
        int main(void) { int x = __VERIFIER_nondet_int(); if (x) { x = 3; } else { x = 2; } if (x == 3) reach_error(); }",
    );
    let graph = detect(&original, &modified, &mut || false);
    let violations = common::violations(&modified);
    assert!(!violations.is_empty());
    assert!(violations.iter().all(|run| !common::covers(&graph, run)));
    assert!(graph.edges.len() > graph.nodes as usize - 1, "{graph:?}");
}

#[test]
fn an_interrupted_run_is_sound_and_says_so() {
    let (original, modified) = common::pair(
        "
        //- original.c
        int main(void) { int x = 1; if (x == 2) reach_error(); }
        //- modified.c
        int main(void) { int x = 2; if (x == 2) reach_error(); }",
    );
    for steps in 0..6 {
        let mut left = steps;
        let graph = detect(&original, &modified, &mut || {
            left -= 1;
            left < 0
        });
        assert!(common::violations(&modified).iter().all(|run| !common::covers(&graph, run)), "after {steps} steps");
    }
}
