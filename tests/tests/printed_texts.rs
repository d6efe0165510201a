//! What functions that print read of their texts, and whose accesses count at all: with valid-deref a text has to be there as far as
//! it is read, and functions that no run comes to say nothing of where pointers lead. gcc's address sanitizer says the same of each
//! row but for a precision that is an input, which it does not look at. Null is printed by glibc, unless gcc calls `puts`.

use std::fs;

use residue_tests::run;

const HEAD: &str = "extern int printf(const char *, ...); extern int puts(const char *); typedef struct _IO_FILE FILE; extern FILE *stdout, *stderr;
extern int fprintf(FILE *, const char *, ...); extern int fputs(const char *, FILE *); extern int snprintf(char *, __SIZE_TYPE__, const char *, ...);
extern void *malloc(__SIZE_TYPE__); extern void free(void *); extern char *strcpy(char *, const char *);
extern int __VERIFIER_nondet_int(void);\n";

/// Whether a program keeps valid-deref.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Truth {
    Holds,
    Fails,
    /// Not followed: nobody may say more.
    Open,
}
use Truth::{Fails, Holds, Open};

const PRINTED: &[(Truth, &str)] = &[
    (Holds, "char b[4] = \"abc\"; printf(\"%s %d\\n\", b, 1); puts(b); fputs(b, stdout);"),
    (Fails, "char b[3] = { 'a', 'b', 'c' }; printf(\"%s %d\\n\", b, 1);"),
    (Fails, "char b[3] = { 'a', 'b', 'c' }; puts(b);"),
    (Fails, "char b[3] = { 'a', 'b', 'c' }; fputs(b, stderr);"),
    (Holds, "char b[3] = { 'a', 'b', 'c' }; printf(\"%.3s|%.*s\", b, 2, b);"),
    (Fails, "char b[3] = { 'a', 'b', 'c' }; printf(\"%.4s\", b);"),
    (Fails, "char b[3] = { 'a', 'b', 'c' }; int n = __VERIFIER_nondet_int(); printf(\"%*.*s\", 5, n, b);"),
    (
        Holds,
        "char b[3] = { 'a', 'b', 'c' }; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0; printf(\"%*.*s\", 5, n, b);",
    ),
    (Holds, "char *p = malloc(4); if (!p) return 0; strcpy(p, \"abc\"); fprintf(stderr, \"<%s>\\n\", p); free(p);"),
    (Fails, "char *p = malloc(4); if (!p) return 0; strcpy(p, \"abc\"); free(p); fprintf(stderr, \"<%s>\\n\", p);"),
    (Holds, "char *p = malloc(4); if (!p) return 0; free(p); fprintf(stderr, \"<%p>\\n\", (void *)p);"),
    (Holds, "printf(\"%s %s\", __VERIFIER_nondet_int() ? \"yes\" : \"no\", \"literal\"); fprintf(stdout, \"%%s\\n\");"),
    (Holds, "char *p = __VERIFIER_nondet_int() ? \"text\" : 0; printf(\"value %s\\n\", p);"),
    (Fails, "char *p = __VERIFIER_nondet_int() ? \"text\" : 0; printf(\"%s\\n\", p);"),
    (Fails, "char *p = __VERIFIER_nondet_int() ? \"text\" : 0; fprintf(stdout, \"%s\", p);"),
    (Holds, "char *p = __VERIFIER_nondet_int() ? \"text\" : 0; return printf(\"%s\\n\", p) < 0;"),
    (Fails, "puts((char *)0);"),
    (Open, "char b[4] = \"abc\", f[3] = \"%s\"; printf(f, b);"),
    (Open, "int n; printf(\"%n\", &n);"),
];

/// What no run comes to, before a program whose only question is how far it reads.
const UNREACHED: &[&str] = &[
    "void unused(void) { fputs(\"x\", stderr); }",
    "static int again(int d, int *o) { int t = 0; return d <= 0 ? *o : again(d - 1, &t); } int unused(void) { int r = 0; return again(3, &r); }",
    "char *find(void); char *unused(void) { return find(); }",
    "int unused(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); n = *__builtin_va_arg(l, int *); __builtin_va_end(l); return n; }",
    "extern struct t { int *p; } tab[]; int unused(void) { return *tab[1].p; }",
    "extern int *other; int *unused(int k) { int a[8]; return k ? other : &a[k]; }",
];

fn verdict(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("program.c"), text).unwrap();
    run("verify", ["-q", "--property", "valid-deref", "program.c"], folder.path()).unwrap().last_line().to_owned()
}

fn assert_is(truth: Truth, text: &str) {
    let said = verdict(text);
    let is_right = match truth {
        Holds => said == "TRUE",
        Fails => said.starts_with("FALSE"),
        Open => said.starts_with("UNKNOWN"),
    };
    assert!(is_right, "{truth:?}, but {said}:\n{text}");
}

#[test]
fn texts_are_read_as_far_as_they_are_printed() {
    for (truth, body) in PRINTED {
        assert_is(*truth, &format!("{HEAD}int main(void) {{ {body} return 0; }}\n"));
    }
}

#[test]
fn what_no_run_comes_to_says_nothing() {
    for unreached in UNREACHED {
        for (most, truth) in [(4, Holds), (5, Fails)] {
            let program = format!(
                "{HEAD}{unreached}\nint sum(int *p, int n) {{ int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }}
int main(void) {{ int a[4] = {{ 0 }}; int n = __VERIFIER_nondet_int(); if (n > {most}) n = {most}; return sum(a, n); }}\n"
            );
            assert_is(truth, &program);
            // Where it is called, it counts.
            let called =
                program.replace("return sum(a, n);", "unused(0, 0); return sum(a, n);").replace("unused(void)", "unused()");
            assert_ne!(verdict(&called), if truth == Holds { "FALSE" } else { "TRUE" }, "{called}");
        }
    }
}
