//! `diffdp --without KIND`: each kind of reasoning is needed by some pair, and what is left without it is right.

use std::path::Path;

use diffdp::{Config, Detected, Kind, Wanted, detect_with};
use formats::DifferenceGraph;
use residue_tests::oracle::{Sample, for_seeds};
use residue_tests::proofs::number;
use residue_tests::run;

/// Random pairs that are tried; `RESIDUE_PAIRS` changes it, `RESIDUE_SEED` the first.
const PAIRS: u64 = 400;

const HEAD: &str =
    "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nextern char *strcpy(char *, const char *);\n";

/// A kind, and the bodies of `main` of two programs: with it nothing is left to check.
const PAIR_OF: [(Kind, &str, &str); 6] = [
    (
        Kind::Alignment,
        "int d, y; d = 3; y = 2; if (y > __VERIFIER_nondet_int()) reach_error();",
        "int d, y; y = 2; if (y > __VERIFIER_nondet_int()) reach_error();",
    ),
    (
        Kind::Renames,
        "int t = __VERIFIER_nondet_int(); t = t + 1; if (t == 3) reach_error();",
        "int u = __VERIFIER_nondet_int(); u = u + 1; if (u == 3) reach_error();",
    ),
    (
        Kind::Names,
        "int a = __VERIFIER_nondet_int(), b = a / 3; if (a + b > 3) reach_error();",
        "int a = __VERIFIER_nondet_int(), b = a / 3; int sum = a + b; if (sum > 3) reach_error();",
    ),
    (
        Kind::Walks,
        "int a = __VERIFIER_nondet_int(), d; if (a > 4) d = 1; else d = 2; if (a == 3) reach_error();",
        "int a = __VERIFIER_nondet_int(), d; if (a == 3) reach_error();",
    ),
    (
        Kind::DeadEnds,
        "int a = __VERIFIER_nondet_int(), z; if (a == 3) reach_error(); z = a + 1; if (z == 3) a = 2;",
        "int a = __VERIFIER_nondet_int(), z; if (a == 3) reach_error(); z = a * 2; if (z == 3) a = 2;",
    ),
    (
        Kind::Library,
        "char text[8]; strcpy(text, \"abc\"); if (__VERIFIER_nondet_int() == 3) reach_error();",
        "char text[8]; if (__VERIFIER_nondet_int() == 3) reach_error();",
    ),
];

/// The graph of `o.c` and `m.c`, whose certificate is found right.
fn graph(without: Option<Kind>, here: &Path) -> DifferenceGraph {
    let left_out = without.map(|kind| format!("--without={}", kind.name()));
    let files = ["--certificate", "certificate.json", "-o", "graph.json", "o.c", "m.c"];
    let arguments: Vec<&str> = left_out.as_deref().into_iter().chain(files).collect();
    let ran = run("diffdp", arguments, here).unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = run("residue", ["validate", "--certificate", "certificate.json", "graph.json"], here).unwrap();
    assert!(ran.stdout.starts_with("VALID"), "without {without:?}: {}{}", ran.stdout, ran.stderr);
    DifferenceGraph::read(&std::fs::read(here.join("graph.json")).unwrap(), "graph.json").unwrap()
}

#[test]
fn each_kind_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (kind, original, modified) in PAIR_OF {
        for (name, body) in [("o.c", original), ("m.c", modified)] {
            std::fs::write(here.join(name), format!("{HEAD}int main(void) {{ {body} return 0; }}\n")).unwrap();
        }
        let all = graph(None, here);
        assert!(all.indicators.is_empty(), "{kind:?}: {} left", all.indicators.len());
        let without = graph(Some(kind), here);
        assert!(!without.indicators.is_empty(), "nothing is left without {kind:?}");
        assert_eq!(without.provenance.producer.options["without"], kind.name());
    }
}

#[test]
fn graphs_without_a_kind_are_right() {
    let first = number("RESIDUE_SEED", 0);
    let rows = for_seeds(first..first + number("RESIDUE_PAIRS", PAIRS), |seed| {
        let sample = Sample::named(seed);
        for &kind in Kind::all() {
            let config = Config { left_out: [kind].into_iter().collect(), ..Config::default() };
            let wanted = Wanted { certificate: true, ..Wanted::default() };
            let Detected { graph, certificate, .. } =
                detect_with(&sample.original, &sample.modified, &config, wanted, &mut || false);
            assert!(!sample.judge(&graph).unsound, "without {kind:?} a regression is covered: {}", sample.describe());
            let validated = validate::validate(&sample.original, &sample.modified, &graph, &certificate.unwrap());
            assert!(validated.is_ok(), "without {kind:?}: {}: {}", validated.unwrap_err(), sample.describe());
        }
        sample.is_regression()
    });
    assert!(rows.iter().any(|regression| *regression));
}
