//! Arrays of any length: proofs for more elements than a program is written or run with, and bounds of accesses in loops over
//! symbolic sizes. Every program has a broken form that must not be proved.

use residue_tests::run;

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
                    extern void *malloc(unsigned long); extern void free(void *);\n";

/// Steps that a clock does not decide, a few times what the programs take.
const STEPS: &str = "10000000";

fn verdict(property: &str, body: &str) -> String {
    under("LP64", property, body)
}

fn under(model: &str, property: &str, body: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{HEAD}int main(void) {{ int n = __VERIFIER_nondet_int(); {body} return 0; }}\n");
    std::fs::write(folder.path().join("p.c"), text).unwrap();
    let ran = run("verify", ["--steps", STEPS, "--data-model", model, "--property", property, "p.c"], folder.path()).unwrap();
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
fn with_narrow_addresses_long_arrays_have_room_where_no_pointer_leads_to_them() {
    let narrow = |body: &str| under("ILP32", "unreach-call", body);
    let copied = "if (n < 1 || n > 500000000) return 0; int a[n], b[n]; for (int i = 0; i < n; i++) a[i] = i; for (int i = 0; i < n; i++) b[i] = a[i];\
                  for (int i = 0; i < n; i++) if (b[i] != WRONG) reach_error();";
    assert_eq!(narrow(&copied.replace("WRONG", "i")), "TRUE");
    assert_eq!(narrow(&copied.replace("!= WRONG", "== 7")), "FALSE(unreach-call)");
    // Behind a pointer it would need addresses.
    let pointed = "if (n < 1) return 0; int a[n]; int *p = a; for (int i = 0; i < n; i++) p[i] = i;\
                   for (int i = 0; i < n; i++) if (a[i] != i) reach_error();";
    assert!(narrow(pointed).starts_with("UNKNOWN(unsupported: variable length array of more than 1 MiB"));
    // Of more than half of the address space nothing is said: gcc computes such lengths modulo 2^32, and the run goes on.
    let huge = "if (n < LEAST) return 0; int a[n]; if (n == 0x40000000) reach_error();";
    assert!(narrow(&huge.replace("LEAST", "0x40000000")).starts_with("UNKNOWN("));
    assert!(narrow(&huge.replace("LEAST", "0x1fffffff")).starts_with("UNKNOWN("));
    // Of an unsigned length no half is negative.
    let unsigned = "unsigned m = n; if (m != 0x80000001u) return 0; int a[m]; reach_error();";
    assert!(narrow(unsigned).starts_with("UNKNOWN("));
    assert_eq!(narrow(&unsigned.replace("unsigned m", "int m").replace("m != 0x80000001u", "m >= 0")), "TRUE");
    assert!(
        verdict("unreach-call", "unsigned long m = 0x8000000000000000ul + n; if (n != 1) return 0; int a[m]; reach_error();")
            .starts_with("UNKNOWN(")
    );
    // What lies behind the address of a long array is another object.
    let beside = "static int a[20000000]; static int b[40]; int *q = &b[3]; if (n < 0 || n >= 20000000) return 0; a[n] = 3;\
                  if (n < 40) b[n] = 4; if (*q == WRONG) reach_error();";
    assert_eq!(narrow(&beside.replace("WRONG", "3")), "TRUE");
    assert_eq!(narrow(&beside.replace("WRONG", "4")), "FALSE(unreach-call)");
    let bounds = "static int a[20000000]; if (n < 0 || n > LAST) return 0; a[n] = 3;";
    assert_eq!(under("ILP32", "valid-deref", &bounds.replace("LAST", "19999999")), "TRUE");
    assert_eq!(under("ILP32", "valid-deref", &bounds.replace("LAST", "20000000")), "FALSE(valid-deref)");
}

#[test]
fn cells_behind_the_first_are_known_where_a_loop_begins_with_the_second() {
    let filled = "int j = __VERIFIER_nondet_int(); if (n > 100000 || j < 1 || j > 10000) return 0; int a[n];\
                  for (int i = 1; i < n; i++) { int k = __VERIFIER_nondet_int(); if (k < 1 || k > 10000) return 0; a[i] = i + j + k; }\
                  for (int i = 1; i < n; i++) if (a[i] < i + LEAST) reach_error();";
    assert_eq!(verdict("unreach-call", &filled.replace("LEAST", "2")), "TRUE");
    assert_eq!(verdict("unreach-call", &filled.replace("LEAST", "3")), "FALSE(unreach-call)");
    // A counter that is wider than the bound.
    let wide = "if (n < 2) return 0; long a[n]; for (long i = 0; i < n; i++) a[i] = i + 1; for (long i = 0; i < n; i++) a[i] -= i;\
                for (long i = 0; i < n; i++) if (a[i] != WRONG) reach_error();";
    assert_eq!(verdict("unreach-call", &wide.replace("WRONG", "1")), "TRUE");
    assert_eq!(verdict("unreach-call", &wide.replace("WRONG", "2")), "FALSE(unreach-call)");
}

#[test]
fn what_several_loops_leave_in_cells_is_kept() {
    let chain = "if (n <= 0) return 0; long a[n], b[n]; a[0] = 1; for (int i = 1; i < n; i++) a[i] = a[i - 1] + 1;\
                 for (int i = 0; i < n; i++) b[i] = a[i] - i; for (int i = 0; i < n; i++) if (b[i] != WRONG) reach_error();";
    assert_eq!(verdict("unreach-call", &chain.replace("WRONG", "1")), "TRUE");
    assert_eq!(verdict("unreach-call", &chain.replace("!= WRONG", "== 1 && i == 2")), "FALSE(unreach-call)");
    let flags = "if (n <= 0 || n > 100000) return 0; int *a = malloc(sizeof(int) * n), *b = malloc(sizeof(int) * n);\
                 for (int i = 0; i < n; i++) if (i == 0) a[i] = 8; else a[i] = 6;\
                 for (int i = 0; i < n; i++) if (a[i] > LIMIT) b[i] = 1; else b[i] = 0;\
                 if (b[0] != 1) reach_error(); for (int i = 1; i < n; i++) if (b[i] != 0) reach_error();";
    assert_eq!(verdict("unreach-call", &flags.replace("LIMIT", "7")), "TRUE");
    assert_eq!(verdict("unreach-call", &flags.replace("LIMIT", "5")), "FALSE(unreach-call)");
}

#[test]
fn cells_at_several_times_a_counter_are_told_apart() {
    let pairs = "if (n <= 1 || n > 100000000) return 0; int a[2 * n]; for (int i = 0; i < n; i++) { a[2 * i] = 0; a[2 * i + 1] = 1; }\
                 for (int i = 0; i < n; i++) if (a[2 * i] != 0 || a[2 * i + WHICH] != 1) reach_error();";
    assert_eq!(verdict("unreach-call", &pairs.replace("WHICH", "1")), "TRUE");
    assert_eq!(verdict("unreach-call", &pairs.replace("WHICH", "0")), "FALSE(unreach-call)");
    let rests = pairs.split("for").take(2).collect::<Vec<_>>().join("for");
    let each =
        |said: &str| verdict("unreach-call", &format!("{rests} for (int i = 0; i < 2 * n; i++) if ({said}) reach_error();"));
    assert_eq!(each("a[i] != 0 && i % 2 == 0"), "TRUE");
    assert_eq!(each("a[i] != 0 && i % 4 < 2"), "FALSE(unreach-call)");
}

#[test]
fn what_holds_behind_the_first_round_of_a_loop_is_known() {
    let sum = "int s; if (n <= 0) return 0; for (int i = 0; i < n; i++) { if (i == 0) s = 0; else s = s + 2; } if (s != 2 * (n - WRONG)) reach_error();";
    assert_eq!(verdict("unreach-call", &sum.replace("WRONG", "1")), "TRUE");
    assert_eq!(verdict("unreach-call", &sum.replace("WRONG", "2")), "FALSE(unreach-call)");
    let cells = "long s[1]; if (n <= 0) return 0; int a[n]; for (int i = 0; i < n; i++) a[i] = FIRST;\
                 for (int i = 0; i < n; i++) { if (i == 0) s[0] = 0; else s[0] = s[0] + a[i]; } if (s[0] > n - LESS) reach_error();";
    let with = |first: &str, less: &str| verdict("unreach-call", &cells.replace("FIRST", first).replace("LESS", less));
    assert_eq!((with("1", "0"), with("0", "1")), ("TRUE".to_owned(), "TRUE".to_owned()));
    assert_eq!((with("2", "0"), with("1", "2")), ("FALSE(unreach-call)".to_owned(), "FALSE(unreach-call)".to_owned()));
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
