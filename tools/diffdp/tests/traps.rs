//! The traps of difference detection: changes that look harmless and are not. Each test is named after its trap.
//!
//! Source: ALGORITHM.md 2.2-2.6, 4.

mod common;

use common::Expect::{Checked, Regression, Sound};
use common::{Expect, judge};
use diffdp::{Config, detect};

fn check(fixture: &str, expect: Expect) {
    judge(fixture, |original, modified| detect(original, modified, &Config::default(), &mut || false).0, expect);
}

macro_rules! traps {
    ($($(#[$meta:meta])* $name:ident: $expect:expr, $fixture:literal;)*) => {
        $($(#[$meta])* #[test] fn $name() { check($fixture, $expect); })*
    };
}

include!("../traps.rs");

#[test]
fn other_assembly_is_an_indicator() {
    let (original, modified) = common::pair(
        "
        //- original.c
        int main(void) { int x = 0; __asm__ volatile(\"nop\" : \"=r\"(x)); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0; __asm__ volatile(\"hlt\" : \"=r\"(x)); if (x == 1) reach_error(); }",
    );
    let (graph, _) = detect(&original, &modified, &Config::default(), &mut || false);
    assert_eq!(graph.reasons.iter().map(|r| r.rule.as_str()).collect::<Vec<_>>(), ["assembly"]);
    assert!(graph.provenance.degraded.is_some());
}

#[test]
fn equal_assembly_is_taken_together() {
    let (original, modified) = common::pair(
        "
        //- original.c
        int main(void) { int x = 0, r = 0; __asm__ volatile(\"nop\" : \"=r\"(x)); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0, r = 1; __asm__ volatile(\"nop\" : \"=r\"(x)); if (x == 1) reach_error(); }",
    );
    let (graph, _) = detect(&original, &modified, &Config::default(), &mut || false);
    assert!(common::covers_everything(&graph), "{:?}", graph.reasons);
}

#[test]
fn an_unsupported_operation_is_an_indicator() {
    let (original, modified) = common::pair(
        "
        extern int setjmp(void *); int buffer[40];
        //- original.c
        int main(void) { int r = 0; int x = setjmp(buffer); if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int r = 1; int x = setjmp(buffer); if (x == 1) reach_error(); }",
    );
    let (graph, _) = detect(&original, &modified, &Config::default(), &mut || false);
    assert_eq!(graph.reasons.iter().map(|r| r.rule.as_str()).collect::<Vec<_>>(), ["unsupported"]);
    assert!(graph.provenance.degraded.is_some());
}

#[test]
fn what_an_external_may_write_is_left_to_check() {
    let (original, modified) = common::pair(
        "
        extern void outside(int *);
        //- original.c
        int main(void) { int x = 0; if (x == 1) reach_error(); }
        //- modified.c
        int main(void) { int x = 0; outside(&x); if (x == 1) reach_error(); }",
    );
    let (graph, _) = detect(&original, &modified, &Config::default(), &mut || false);
    assert!(!common::covers_everything(&graph));
}
