//! Memory that runs out: what `--malloc-may-fail` finds, and that its counterexamples run.

use std::fs;
use std::path::Path;
use std::process::Command;

use residue_tests::{has, run, skip};

const HEAD: &str = "#include <stdlib.h>\n#include <string.h>\nextern void reach_error(void);\n";

fn verdict(folder: &Path, flags: &[&str], text: &str) -> String {
    let file = folder.join("program.c");
    fs::write(&file, format!("{HEAD}{text}\n")).unwrap();
    let arguments = ["-q", "--budget", "20"].iter().chain(flags).copied().chain([file.to_str().unwrap()]);
    run("verify", arguments, folder).unwrap().last_line().to_owned()
}

/// Programs that fail if memory runs out, and their repaired forms.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "unreach-call",
        "int main(void) { int *p = malloc(4), *q = calloc(1, 4); if (p && !q) reach_error(); }",
        "int main(void) { int *p = malloc(4), *q = calloc(1, 4); if (p && q && p == q) reach_error(); }",
    ),
    (
        "valid-deref",
        "int main(void) { char *copy = strdup(\"ab\"); int first = copy[0]; free(copy); return first; }",
        "int main(void) { char *copy = strdup(\"ab\"); if (!copy) return 1; int first = copy[0]; free(copy); return first; }",
    ),
    (
        "valid-deref",
        "int main(void) { void *(*get)(size_t) = malloc; int *p = get(4); *p = 1; free(p); }",
        "int main(void) { void *(*get)(size_t) = malloc; int *p = get(4); if (p) *p = 1; free(p); }",
    ),
    (
        "valid-memtrack",
        "int main(void) { char *p = malloc(4); p = realloc(p, 8); free(p); }",
        "int main(void) { char *p = malloc(4), *q = realloc(p, 8); if (q) p = q; free(p); }",
    ),
];

#[test]
fn allocation_fails_only_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (property, faulty, repaired) in PROGRAMS {
        let fails = verdict(folder, &["--malloc-may-fail", "--property", property], faulty);
        assert!(fails.starts_with("FALSE"), "{fails}: {faulty}");
        for (flags, text) in [(&["--malloc-may-fail", "--property", property][..], repaired), (&["--property", property], faulty)]
        {
            let holds = verdict(folder, flags, text);
            assert!(holds.starts_with("TRUE"), "{holds} with {flags:?}: {text}");
        }
    }
}

#[test]
fn a_lost_check_is_a_regression_and_its_harness_fails() {
    if !has("gcc") {
        return skip("gcc is missing");
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (property, faulty, repaired) in PROGRAMS {
        fs::write(folder.join("old.c"), format!("{HEAD}{repaired}\n")).unwrap();
        fs::write(folder.join("new.c"), format!("{HEAD}{faulty}\n")).unwrap();
        let flags = ["check", "-q", "--malloc-may-fail", "--property", property, "--out", "out", "old.c", "new.c"];
        let found = run("residue", flags, folder).unwrap();
        assert!(found.last_line().starts_with("FALSE"), "{}", found.stdout);
        let _ = fs::remove_dir_all(folder.join("out"));
        let flags = ["-q", "--malloc-may-fail", "--property", property, "--harness", "harness.c", "new.c"];
        run("verify", flags, folder).unwrap();
        let first = fs::read_to_string(folder.join("harness.c")).unwrap();
        let command = first.split('`').nth(1).unwrap().split("FILE").next().unwrap().to_owned();
        let built = Command::new("sh").args(["-c", &format!("{command} harness.c -o harness")]).current_dir(folder).status();
        assert!(built.unwrap().success(), "{command}");
        let ended = Command::new(folder.join("harness")).output().unwrap();
        assert_eq!(ended.status.code(), Some(1), "{faulty}");
        fs::remove_file(folder.join("harness.c")).unwrap();
    }
}

/// Programs that ask for blocks that no process has addresses for, and their verdicts: glibc yields null.
const IMPOSSIBLE: &[(&str, &str)] = &[
    ("FALSE", "int main(void) { if (malloc((size_t)-1) == NULL) reach_error(); }"),
    ("TRUE", "int main(void) { if (malloc((size_t)-1) != NULL) reach_error(); }"),
    ("FALSE", "int main(void) { char *p = malloc(4), *q = realloc(p, (size_t)-1); if (!q) reach_error(); }"),
    ("FALSE", "int main(void) { if (!aligned_alloc(16, (size_t)-16)) reach_error(); }"),
    ("FALSE", "int main(void) { if (!calloc((size_t)1 << 33, (size_t)1 << 33)) reach_error(); }"),
    ("TRUE", "int main(void) { if (!calloc((size_t)1 << 20, 4)) reach_error(); }"),
    (
        "TRUE",
        "extern int any(void); int main(void) { int n = any(); int *p = malloc(n * sizeof *p); if (!p && n >= 0) reach_error(); }",
    ),
    ("FALSE", "extern int any(void); int main(void) { int n = any(); int *p = malloc(n * sizeof *p); if (!p) reach_error(); }"),
    (
        "FALSE",
        "extern unsigned any(void); int main(void) { size_t n = any(), m = any(); if (!calloc(n, m) && n > 9) reach_error(); }",
    ),
    ("TRUE", "extern unsigned any(void); int main(void) { if (!malloc(any() * (size_t)8 + 16)) reach_error(); }"),
    ("FALSE", "int main(void) { char *p = malloc(4); free(p); p = realloc(0, -1); if (!p) reach_error(); }"),
];

#[test]
fn blocks_that_cannot_be_are_null() {
    let folder = tempfile::tempdir().unwrap();
    for (expected, text) in IMPOSSIBLE {
        let found = verdict(folder.path(), &[], text);
        assert!(found.starts_with(expected), "{found}: {text}");
    }
}
