//! Arrays of any length: proofs for more elements than a program is written or run with, and bounds of accesses in loops over
//! symbolic sizes. Every program has a broken form that must not be proved.

use residue_tests::run;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
                    extern void *malloc(unsigned long); extern void free(void *);\n";

/// Steps that a clock does not decide, a few times what the programs take.
const STEPS: &str = "3000000";

fn verdict(property: &str, body: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{HEAD}int main(void) {{ int n = __VERIFIER_nondet_int(); {body} return 0; }}\n");
    std::fs::write(folder.path().join("p.c"), text).unwrap();
    let ran = run("verify", ["--steps", STEPS, "--property", property, "p.c"], folder.path()).unwrap();
    ran.last_line().to_owned()
}

#[test]
fn what_holds_for_any_length_is_proved() {
    let filled = "if (n < 1) return 0; struct { char c; int x; } a[n]; for (int i = 0; i < n; i++) { a[i].x = 3; a[i].c = 1; }";
    let sum = "for (int i = 0; i < n; i++) if (a[i].x + a[i].c != SUM) reach_error();";
    let with = |number: &str| verdict("unreach-call", &format!("{filled}{}", sum.replace("SUM", number)));
    assert_eq!((with("4"), with("5")), ("TRUE".to_owned(), "FALSE(unreach-call)".to_owned()));
}

#[test]
fn what_fails_for_long_ones_only_is_no_proof_and_no_counterexample() {
    let rows = "if (n < 1) return 0; long a[n][2]; a[0][1] = 1; if (n == 500000) reach_error();";
    assert!(verdict("unreach-call", rows).starts_with("UNKNOWN(unsupported: variable length array of more than 1 MiB"));
    // Bounded before it is declared, it is one of the usual length.
    let bounded = rows.replace("n < 1", "n < 1 || n > 1000");
    assert_eq!(verdict("unreach-call", &bounded), "TRUE");
}

#[test]
fn a_run_may_reach_far_into_a_long_array() {
    let far =
        "static int a[20000000]; if (n < 10000000 || n > 10000005) return 0; a[n] = 3; if (a[n - 1] + a[n] == 3) reach_error();";
    assert_eq!(verdict("unreach-call", far), "FALSE(unreach-call)");
}

/// A program whose accesses are in bounds, what is to be replaced in it, and by what, so that they are not.
const ACCESSES: [[&str; 3]; 7] = [
    ["if (n < 1) return 0; int a[n]; for (int i = 0; i < n; i++) a[i] = 3;", "i < n", "i <= n"],
    [
        "if (n < 1) return 0; int *a = malloc(n * sizeof(int)); for (int i = 0; i < n; i++) a[i] = i; free(a);",
        "i = 0;",
        "i = -1;",
    ],
    [
        "if (n < 1 || n > 1000) return 0; int *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);\
         for (int i = 0; i < n; i++) a[i] = i; for (int i = 0; i < n; i++) b[i] = a[n - 1 - i]; free(a); free(b);",
        "n - 1 - i",
        "n - i",
    ],
    [
        "if (n < 2 || n > 1000) return 0; int a[n]; for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();\
         for (int i = 0; i < n - 1; i++) for (int j = 0; j < n - 1 - i; j++)\
         if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }",
        "j < n - 1 - i",
        "j < n - i",
    ],
    [
        "if (n < 1 || n > 1000) return 0; int *a = malloc(n * sizeof(int)), *end = a + n;\
         for (int *p = a; p != end; p++) *p = 1; for (int *p = a; p < end; p++) *p += 1; free(a);",
        "p < end",
        "p <= end",
    ],
    [
        "if (n < 1 || n > 1000) return 0; int a[n]; for (int i = 0; i < n; i++) a[i] = i;\
         int low = 0, high = n - 1, wanted = __VERIFIER_nondet_int(); while (low <= high) { int middle = low + (high - low) / 2;\
         if (a[middle] == wanted) return 1; if (a[middle] < wanted) low = middle + 1; else high = middle - 1; }",
        "high = n - 1",
        "high = n",
    ],
    [
        "if (n < 0 || n > 1000) return 0; char *s = malloc(n + 1); for (int i = 0; i < n; i++) s[i] = 'x'; s[n] = 0;\
         char *p = s; while (*p) p++; free(s);",
        "s[n] = 0;",
        "s[n + 1] = 0;",
    ],
];

#[test]
fn accesses_in_loops_over_symbolic_sizes_are_bounded() {
    for [program, wanted, broken] in ACCESSES {
        assert_eq!(verdict("valid-deref", program), "TRUE", "{program}");
        let other = program.replace(wanted, broken);
        assert_ne!(other, program);
        assert_eq!(verdict("valid-deref", &other), "FALSE(valid-deref)", "{other}");
    }
}
