//! A byte that is neither 0 nor 1 is no value of `_Bool`, and compilers do not agree on what it is: nothing is decided by it.
//! What does not hang on it is decided.

use std::fs;

use residue_tests::run;

fn verdict(body: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "extern void reach_error(void); extern char __VERIFIER_nondet_char(void); extern void *memcpy(void *, const void *, unsigned long);\n
        union either {{ char byte; _Bool truth; int number; }};\n{body}"
    );
    fs::write(folder.path().join("program.c"), text).unwrap();
    run("verify", ["-q", "program.c"], folder.path()).unwrap().last_line().to_owned()
}

#[test]
fn bytes_that_are_no_truth_value_decide_nothing() {
    for (what, body) in [
        ("in a union, as a number", "int main(void) { union either u; u.byte = 2; if (u.truth > 1) reach_error(); return 0; }"),
        ("in a union, as a condition", "int main(void) { union either u; u.byte = 2; if (u.truth) reach_error(); return 0; }"),
        ("in a union, as no condition", "int main(void) { union either u; u.byte = 2; if (!u.truth) reach_error(); return 0; }"),
        (
            "behind a pointer to truth values",
            "int main(void) { char c = 'a'; _Bool *p = (_Bool *)&c; if (*p > 2) reach_error(); return 0; }",
        ),
        (
            "added up",
            "int main(void) { char a[3] = { 0, 1, 7 }; _Bool *p = (_Bool *)a; if (p[0] + p[1] + p[2] != 2) reach_error(); return 0; }",
        ),
    ] {
        let verdict = verdict(body);
        assert!(verdict.starts_with("UNKNOWN"), "{what}: {verdict}");
    }
}

#[test]
fn nothing_is_false_by_bytes_written_to_a_truth_value() {
    for (what, body) in [
        (
            "behind a pointer to bytes",
            "int main(void) { _Bool b = 0; *(char *)&b = __VERIFIER_nondet_char(); if (b == 7) reach_error(); return 0; }",
        ),
        ("copied", "int main(void) { char c = 2; _Bool b; memcpy(&b, &c, 1); int i = b; if (i == 2) reach_error(); return 0; }"),
    ] {
        let verdict = verdict(body);
        assert!(!verdict.starts_with("FALSE"), "{what}: {verdict}");
    }
}

#[test]
fn bytes_that_are_truth_values_decide() {
    for (expected, body) in [
        ("TRUE", "int main(void) { union either u; u.byte = 1; if (u.truth != 1) reach_error(); return 0; }"),
        ("FALSE", "int main(void) { union either u; u.byte = 1; if (u.truth) reach_error(); return 0; }"),
        (
            "TRUE",
            "int main(void) { union either u; u.truth = __VERIFIER_nondet_char(); if (u.truth > 1) reach_error(); return 0; }",
        ),
        (
            "FALSE",
            "int main(void) { union either u; u.truth = __VERIFIER_nondet_char(); if (u.byte == 1) reach_error(); return 0; }",
        ),
        ("TRUE", "int main(void) { union either u; u.number = 0; if (u.truth) reach_error(); return 0; }"),
        (
            "TRUE",
            "int main(void) { char c = __VERIFIER_nondet_char() > 0; _Bool b = *(_Bool *)&c; if (b > 1) reach_error(); return 0; }",
        ),
    ] {
        let verdict = verdict(body);
        assert!(verdict.starts_with(expected), "{expected}: {body}: {verdict}");
    }
}
