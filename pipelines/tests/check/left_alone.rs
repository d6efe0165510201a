//! Functions that a change leaves alone: counted, not checked. What may reach them in any way is never one of them.

use crate::repository::Repository;

/// Whether the check of `f` after a change says that nothing it leads to has changed.
fn is_left_alone(before: &str, after: &str, more: &[&str]) -> bool {
    let repository = Repository::new();
    repository.write("a.c", &format!("extern void reach_error(void);\n{before}\n"));
    repository.commit("Before");
    repository.write("a.c", &format!("extern void reach_error(void);\n{after}\n"));
    let ran = repository.check(&[&["--git", "HEAD", "--entry", "f", "--budget", "2"], more].concat());
    let is_alone = ran.stdout.contains("0 checked: 1 unaffected by the change");
    assert_eq!(is_alone && ran.last_line() == "TRUE", is_alone, "{before}\n{after}\n{}{}", ran.stdout, ran.stderr);
    assert_ne!(ran.code, 101, "{before}\n{after}\n{}{}", ran.stdout, ran.stderr);
    is_alone
}

#[test]
fn what_leads_to_no_change_is_left_alone() {
    let f = "static int low(int x) { return x & 3; }\nint f(int x) { if (low(x) > 3) reach_error(); return 0; }\n";
    for (before, after) in [
        ("int g(int x) { return x; }", "int g(int x) { return x + 1; }"),
        ("int g(int x) { return x; }", "int g(int x) { return f(x); }"),
        ("int g(int x) { return x; }", ""),
        (
            "",
            "static int deep(int);\nstatic int count;\nint g(int x) { return deep(x); }\nstatic int deep(int x) { return ++count; }",
        ),
        ("static int old(int);\nint g(int x) { return old(x); }\nint old(int x) { return x; }", "int g(int x) { return x; }"),
        ("int main(void) { return f(1); }", "int main(void) { return f(2); }"),
    ] {
        assert!(is_left_alone(&format!("{f}{before}"), &format!("{f}{after}"), &[]), "{before} -> {after}");
        assert!(!is_left_alone(&format!("{f}{before}"), &format!("{f}{after}"), &["--validated"]), "{before} -> {after}");
    }
}

/// A function that changes.
const ONE: &str = "int g(void) { return 1; }";

/// What a change of one text to another has to do with `f`, the program with `$` for it, and the two texts.
const WAYS: &[(&str, &str, &str, &str)] = &[
    ("a call", "$ int f(int x) { return g(); }", ONE, "int g(void) { return 2; }"),
    ("a call behind another", "$ int h(void) { return g(); } int f(int x) { return h(); }", ONE, "int g(void) { return 2; }"),
    ("a table", "$ int (*t[])(void) = {g}; int f(int x) { return t[0](); }", ONE, "int g(void) { return 2; }"),
    ("a value", "int t = $; int f(int x) { return t; }", "1", "2"),
    ("a type", "struct s { $ a; }; int f(int x) { return sizeof(struct s); }", "int", "long"),
    ("a constant", "enum { A = $ }; int f(int x) { return A; }", "1", "2"),
    (
        "a second name",
        "$ int h(void) __attribute__((alias(\"g\"))); int f(int x) { return h(); }",
        ONE,
        "int g(void) { return 2; }",
    ),
    (
        "a name for a loader",
        "$ void *find(const char *); int f(int x) { return find(\"g\") != 0; }",
        ONE,
        "int g(void) { return 2; }",
    ),
    ("assembly", "$ int f(int x) { __asm__(\"call g\"); return 0; }", ONE, "int g(void) { return 2; }"),
    (
        "what runs before",
        "int v; __attribute__((constructor)) static void set(void) { v = $; } static int g(void) { return v; } int f(int x) { return g(); }",
        "1",
        "2",
    ),
    (
        "what runs before and is new",
        "int v; $ int f(int x) { return v; }",
        "",
        "__attribute__((constructor)) static void set(void) { v = 1; }",
    ),
    (
        "what runs behind",
        "void *malloc(unsigned long); char *strdup(const char *); $ int f(int x) { return *strdup(\"a\"); }",
        "static char b[9]; void *malloc(unsigned long n) { return b; }",
        "static char b[9]; void *malloc(unsigned long n) { return b + 1; }",
    ),
    (
        "what is cleaned up",
        "$ int f(int x) { int y __attribute__((cleanup(g))) = x; return y; }",
        "void g(int *p) { }",
        "void g(int *p) { reach_error(); }",
    ),
    (
        "what it is given",
        "$ int h(void) { int (*p)(void) = g; return p(); } int f(int (*p)(void)) { return p ? p() : 0; }",
        ONE,
        "int g(void) { return 2; }",
    ),
    (
        "what it is given in a structure",
        "struct s { int (*p)(void); }; $ int h(void) { struct s s = {g}; return s.p(); } int f(struct s *s) { return s->p(); }",
        ONE,
        "int g(void) { return 2; }",
    ),
    (
        "what it is given as anything",
        "struct s { int (*p)(void); }; $ int h(void) { struct s s = {g}; return s.p(); } int f(void *s) { return ((struct s *)s)->p(); }",
        ONE,
        "int g(void) { return 2; }",
    ),
    (
        "a section",
        "$ int (*p)(void) __attribute__((section(\"tab\"))) = g; extern int (*__start_tab[])(void); int f(int x) { return __start_tab[0](); }",
        ONE,
        "int g(void) { return 2; }",
    ),
    (
        "a pragma within",
        "void g(void) { $ } struct s { char c; int i; }; int f(int x) { return sizeof(struct s); }",
        "",
        "\n#pragma pack(1)\n",
    ),
    ("a name that hides another", "$ int f(int x) { return abs(x); }", "", "int abs(int x);"),
    ("a declaration", "$ int f(int x) { return h(x); }", "long h(int);", "char h(int);"),
    ("what is gone", "int g(void); $ int f(int x) { return g(); }", ONE, ""),
    (
        "what is there twice",
        "$ int f(int x) { static int v = 1; return g() + v; }",
        ONE,
        "int g(void) { static int v = 1; return v++; }",
    ),
];

#[test]
fn what_may_reach_a_function_is_no_stranger_to_it() {
    for (what, text, before, after) in WAYS {
        let [before, after] = [before, after].map(|part| text.replace('$', part));
        assert!(!is_left_alone(&before, &after, &[]), "{what}: {before} -> {after}");
    }
    // Who defines a pointer outside of the program may have put any function there.
    for outside in [
        "extern int (*hook)(void);",
        "typedef int call(void); call *hook(void);",
        "struct s { int (*p)(void); }; extern struct s hook[2];",
    ] {
        let text =
            |result: u32| format!("{outside}\nint g(void) {{ return {result}; }}\nint f(int x) {{ return &hook != 0; }}\n");
        assert!(!is_left_alone(&text(1), &text(2), &[]), "{outside}");
    }
    // What is called before it is declared means something else in C90.
    let [g, f] = ["double g(int x) { return 1; }\n", "int f(int x) { return g(1); }\n"];
    assert!(!is_left_alone(&format!("{g}{f}"), &format!("{f}{g}"), &["-std=gnu89"]));
    // What is assumed of arguments is part of the question.
    let text =
        |limit: u32| format!("int ok(int x) {{ return x < {limit}; }}\nint f(int x) {{ if (x > 9) reach_error(); return 0; }}\n");
    assert!(!is_left_alone(&text(9), &text(11), &["--assume", "ok(x)"]));
    assert!(is_left_alone(&text(9), &text(11), &["--assume", "x < 9"]));
}

#[test]
fn a_comment_leaves_everything_alone() {
    let given = "int h(void);\nint f(int (*p)(void)) { return p ? p() : 0; }\n";
    assert!(is_left_alone(given, &format!("/* Copyright */\n{given}"), &[]));
    assert!(is_left_alone(given, &given.replace("int h(void);", "int h(void);\nint k(void);"), &[]));
    assert!(!is_left_alone(given, &format!("{given}int k(void) {{ return 1; }}\n"), &[]), "it may be given");
}

#[test]
fn a_program_of_other_files_is_looked_at() {
    let repository = Repository::new();
    repository.write("a.c", "int g(void);\nint f(int x) { return g(); }\n");
    repository.write("b.c", "int g(void) { return 1; }\n");
    repository.write("c.c", "int h(void) { return 1; }\n");
    repository.commit("Before");
    repository.write("c.c", "int h(void) { return 2; }\n");
    let alone = "0 checked: 1 unaffected";
    let ran = repository.check(&["--git", "HEAD", "--entry", "f", "--link", "*.c"]);
    assert!(ran.stdout.contains(alone), "{}{}", ran.stdout, ran.stderr);
    repository.write("b.c", "int g(void) { return 2; }\n");
    let ran = repository.check(&["--git", "HEAD", "--entry", "f", "--link", "*.c"]);
    assert!(!ran.stdout.contains(alone), "{}{}", ran.stdout, ran.stderr);
    // Not linked, the other file is seen nevertheless.
    let ran = repository.check(&["--git", "HEAD", "--entry", "f"]);
    assert!(ran.stdout.contains("it uses g, which has changed in b.c"), "{}{}", ran.stdout, ran.stderr);
    repository.write("a.c", "int g(void);\nint f(int x) { return g(); }\nint k(void) { return 1; }\n");
    let ran = repository.check(&["--git", "HEAD", "--entry", "f"]);
    assert!(ran.stdout.contains("it uses g, which has changed in b.c"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.last_line(), "UNKNOWN(not checked)");
}
