//! Addresses that are computed from an object by way of places before or far behind it: `b + i - 1`, `&b[8] - n`, `--p`. They are in
//! the object they come from, whatever object the constant part of the sum lies in.
//!
//! Every analysis is asked alone, and inputs are shifted so that a run with small ones shows nothing.

use std::fs;
use std::path::Path;

use residue_tests::run;

const HEAD: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern void *malloc(__SIZE_TYPE__);
struct s { int u, v; };\n";

/// Where the two objects come from: at file level, and in `main`.
const STORAGE: [(&str, &str, &str); 4] = [
    ("global", "struct s a[8], b[8];", ""),
    ("local", "", "struct s a[8] = { { 0 } }, b[8] = { { 0 } };"),
    ("static", "", "static struct s a[8], b[8];"),
    ("allocated", "", "struct s *a = malloc(sizeof(struct s[8])), *b = malloc(sizeof(struct s[8])); if (!a || !b) return 0;"),
];

/// How the address of `b[i - 1]` is computed.
const WAYS: [&str; 7] = [
    "p = b + i - 1;",
    "p = &b[i]; p = p - 1;",
    "p = b + i; --p;",
    "p = &b[8] - (9 - i);",
    "p = b + (i + 100) - 101;",
    "p = j ? b : b + 1; p = p + i - 1; if (!j) p--;",
    "p = j ? a : b; p = p + i; p = p - 1; if (j) return 0;",
];

/// What is done with it, so that the error is reached for all inputs that come there.
const USES: [&str; 2] =
    ["p->v = 7; if (b[i - 1].v OP 7) reach_error();", "b[i - 1].v = 7; a[0].u = 1; if (p->v OP 7) reach_error();"];

const ANALYSES: [&str; 6] = ["values", "bounded", "candidates", "induction", "circuit", "predicates"];

fn verify(options: &[&str], folder: &Path) -> String {
    let arguments = ["-q"].iter().chain(options).chain(&["program.c"]);
    run("verify", arguments.copied(), folder).unwrap().last_line().to_owned()
}

fn program((before, within): (&str, &str), way: &str, usage: &str, op: &str) -> String {
    format!(
        "{HEAD}{before}\nint main(void) {{ {within}
    int i = __VERIFIER_nondet_int() - 7919 + 2, j = __VERIFIER_nondet_int() - 7919; if (i < 1 || i > 7) return 0;
    struct s *p; {way} {} return 0; }}\n",
        usage.replace("OP", op)
    )
}

#[test]
fn sums_are_in_the_object_they_come_from() {
    let folder = tempfile::tempdir().unwrap();
    for (storage, before, within) in STORAGE {
        for (number, way) in WAYS.into_iter().enumerate() {
            let usage = USES[number % 2];
            for model in ["--64", "--32"] {
                for (op, wrong) in [("==", "TRUE"), ("!=", "FALSE")] {
                    let text = program((before, within), way, usage, op);
                    fs::write(folder.path().join("program.c"), &text).unwrap();
                    let all = verify(&[model], folder.path());
                    assert!(!all.starts_with(wrong), "{storage} {model}: {all}\n{text}");
                    for analysis in ANALYSES {
                        let said = verify(&[model, "--analysis", analysis], folder.path());
                        assert!(!said.starts_with(wrong), "{storage} {model} {analysis}: {said}\n{text}");
                    }
                    // Blocks that are not there may be null, and nothing more is asked of them here.
                    let right = if wrong == "TRUE" { "FALSE" } else { "TRUE" };
                    assert!(storage == "allocated" || all.starts_with(right), "{storage} {model}: {all}\n{text}");
                }
            }
        }
    }
}

#[test]
fn numbers_as_large_as_distances_between_objects_name_none() {
    let folder = tempfile::tempdir().unwrap();
    for distance in ["274877906944L", "(1L << 38) + 4", "1000000000000L", "(1L << 37)"] {
        let text = format!(
            "{HEAD}extern long __VERIFIER_nondet_long(void); int a[4], b[4];
int main(void) {{ long x = __VERIFIER_nondet_long(); if (x != {distance} + 1) return 0;
    int *p = b + (x - ({distance})); *p = 3; if (b[1] == 3) reach_error(); return 0; }}\n"
        );
        fs::write(folder.path().join("program.c"), &text).unwrap();
        for analysis in ANALYSES {
            let said = verify(&["--analysis", analysis], folder.path());
            assert!(!said.starts_with("TRUE"), "{analysis}: {said}\n{text}");
        }
        assert!(verify(&[], folder.path()).starts_with("FALSE"), "{text}");
    }
}
