//! Programs of several files mean what `gcc a.c b.c` makes of them, and what gcc refuses to link is refused.

use std::fs;
use std::path::Path;
use std::process::Command;

use formats::ProgramOptions;
use program::cfa::Cfa;
use semantics::interpreter::{Limits, Outcome, ValueList, run};

/// How a program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    Error,
    Finished,
    /// It is no program.
    Refused(String),
    Other(String),
}

/// Executes the program with gcc.
fn by_gcc(folder: &Path) -> End {
    let end = tempfile::tempdir().unwrap();
    let (error, binary) = (end.path().join("error.c"), end.path().join("program"));
    fs::write(&error, "void exit(int); void reach_error(void) { exit(7); }\n").unwrap();
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    let output = Command::new("gcc")
        .args(["-w", "-O0", "-fcommon", "-fno-builtin", "-o"])
        .arg(&binary)
        .args(&files)
        .arg(&error)
        .output()
        .unwrap();
    if !output.status.success() {
        return End::Refused(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    match Command::new(&binary).status().unwrap().code() {
        Some(0) => End::Finished,
        Some(7) => End::Error,
        other => End::Other(format!("{other:?}")),
    }
}

fn by_us(folder: &Path) -> End {
    match program::load(folder, &ProgramOptions::default()) {
        Ok(cfa) => executed(&cfa),
        Err(error) => End::Refused(error.to_string()),
    }
}

fn executed(cfa: &Cfa) -> End {
    let run = run(cfa, &mut ValueList::new(Vec::new()), &mut (), Limits::default());
    match run.outcome {
        Outcome::ErrorReached => End::Error,
        Outcome::Finished => End::Finished,
        other @ (Outcome::Aborted
        | Outcome::StepLimit
        | Outcome::MemoryLimit
        | Outcome::InputsExhausted(_)
        | Outcome::Stopped
        | Outcome::Undefined { .. }
        | Outcome::Unsupported { .. }) => End::Other(format!("{other:?}")),
    }
}

/// Names and texts.
type Files = &'static [(&'static str, &'static str)];

fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Files whose program reaches the error as gcc builds it, so that everything in it counts.
const ERRORS: &[(&str, Files)] = &[
    ("a function of another file", &[
        ("a.c", "int f(int); void reach_error(void); int main(void) { if (f(1) == 2) reach_error(); return 0; }"),
        ("b.c", "int f(int x) { return x + 1; }"),
    ]),
    ("static names stay apart", &[
        (
            "a.c",
            "static int n = 1; static int up(void) { return ++n; } int g(void); void reach_error(void);
            int main(void) { up(); if (g() == 101 && n == 2) reach_error(); return 0; }",
        ),
        ("b.c", "static int n = 100; static int up(void) { return ++n; } int g(void) { return up(); }"),
    ]),
    ("a static name beside an external one", &[
        (
            "a.c",
            "static int n = 1; int g(void); void reach_error(void);
            int main(void) { n = 5; if (g() == 7) reach_error(); return 0; }",
        ),
        ("b.c", "int n = 7; int g(void) { return n; }"),
        ("c.c", "extern int n; int h(void) { return n; }"),
    ]),
    ("a static function hides the one of the library from no other file", &[
        (
            "a.c",
            "static int abs(int x) { return x + 40; } int g(int); void reach_error(void);
            int main(void) { if (abs(2) == 42 && g(-3) == 3) reach_error(); return 0; }",
        ),
        ("b.c", "int abs(int); int g(int x) { return abs(x); }"),
    ]),
    ("static functions for errors in two files", &[
        ("a.c", "int f(void); int main(void) { return f(); }"),
        ("b.c", "static int reach(void) { return 1; } void reach_error(void); int f(void) { if (reach()) reach_error(); return 0; }"),
        ("c.c", "static int reach(void) { return 0; } int g(void) { return reach(); }"),
    ]),
    ("an error function of its own in each file", &[
        ("a.c", "void exit(int); static void reach_error(void) { exit(7); } int f(void); int main(void) { if (f() > 5) reach_error(); return f(); }"),
        ("b.c", "void exit(int); static void reach_error(void) { exit(7); } int f(void) { static int n; if (n++) reach_error(); return n; }"),
    ]),
    ("tentative definitions and one initialiser", &[
        ("a.c", "int n; extern int m; void reach_error(void); int main(void) { if (n == 3 && m == 0) reach_error(); return 0; }"),
        ("b.c", "int n = 3; int m;"),
        ("c.c", "int n; int m;"),
    ]),
    ("an array that another file completes", &[
        (
            "a.c",
            "extern int t[]; int sum(void); void reach_error(void);
            int main(void) { t[2] = 9; if (sum() == 12) reach_error(); return 0; }",
        ),
        ("b.c", "int t[] = { 1, 2, 3 }; int sum(void) { return t[0] + t[1] + t[2]; }"),
    ]),
    ("a structure through a header and an opaque one", &[
        (
            "a.c",
            "struct s; struct p { int x; struct p *next; }; typedef struct { int a[2]; } pair; struct s *make(struct p *, pair);
            int look(const struct s *); void reach_error(void);
            int main(void) { struct p two = { 2, 0 }, one = { 1, &two }; pair q = { { 3, 4 } };
            if (look(make(&one, q)) == 10) reach_error(); return 0; }",
        ),
        (
            "b.c",
            "struct p { int x; struct p *next; }; typedef struct { int a[2]; } pair; struct s { int sum; }; static struct s it;
            struct s *make(struct p *p, pair q) { it.sum = q.a[0] + q.a[1]; for (; p; p = p->next) it.sum += p->x; return &it; }
            int look(const struct s *s) { return s->sum; }",
        ),
        ("c.c", "struct s { char other; }; static struct s mine; char c(void) { return mine.other; }"),
    ]),
    ("a weak function gives way", &[
        ("a.c", "int f(void); void reach_error(void); int main(void) { if (f() == 2) reach_error(); return 0; }"),
        ("b.c", "__attribute__((weak)) int f(void) { return 1; }"),
        ("c.c", "int f(void) { return 2; }"),
    ]),
    ("a weak object gives way", &[
        ("a.c", "extern int n; void reach_error(void); int main(void) { if (n == 2) reach_error(); return 0; }"),
        ("b.c", "__attribute__((weak)) int n = 1;"),
        ("c.c", "int n = 2;"),
    ]),
    ("a weak function alone", &[
        ("a.c", "int f(void); void reach_error(void); int main(void) { if (f() == 1) reach_error(); return 0; }"),
        ("b.c", "__attribute__((weak)) int f(void) { return 1; }"),
    ]),
    ("a weak reference that another file satisfies", &[
        (
            "a.c",
            "int f(void) __attribute__((weak)); void reach_error(void);
            int main(void) { if (f && f() == 4) reach_error(); return 0; }",
        ),
        ("b.c", "int f(void) { return 4; }"),
    ]),
    ("an inline definition beside the function itself", &[
        ("a.c", "inline int f(void) { return 3; } void reach_error(void); int main(void) { if (f() == 3) reach_error(); return 0; }"),
        ("b.c", "int f(void) { return 3; }"),
    ]),
    ("inline definitions of a header, one of them extern", &[
        (
            "a.c",
            "inline int f(int x) { return x + 1; } int g(void); void reach_error(void);
            int main(void) { if (f(1) + g() == 5) reach_error(); return 0; }",
        ),
        ("b.c", "inline int f(int x) { return x + 1; } extern inline int f(int x); int g(void) { return f(2); }"),
    ]),
    ("static inline functions of a header", &[
        (
            "a.c",
            "static inline int f(int x) { static int n; return n += x; } int g(void); void reach_error(void);
            int main(void) { if (f(1) == 1 && g() == 2 && f(1) == 2) reach_error(); return 0; }",
        ),
        ("b.c", "static inline int f(int x) { static int n; return n += x; } int g(void) { return f(2); }"),
    ]),
    ("an assembler name", &[
        ("a.c", "extern int other asm(\"n\"); void reach_error(void); int main(void) { if (other == 6) reach_error(); return 0; }"),
        ("b.c", "int n = 6;"),
    ]),
    ("an assembler name on the side of the definition", &[
        ("a.c", "int f(void); void reach_error(void); int main(void) { if (f() == 6) reach_error(); return 0; }"),
        ("b.c", "int g(void) asm(\"f\"); int g(void) { return 6; }"),
    ]),
    ("an alias of something static", &[
        ("a.c", "int f(void); void reach_error(void); int main(void) { if (f() == 6) reach_error(); return 0; }"),
        ("b.c", "static int g(void) { return 6; } int f(void) __attribute__((alias(\"g\")));"),
        ("c.c", "static int g(void) { return 7; } int h(void) { return g(); }"),
    ]),
    ("a weak alias gives way", &[
        ("a.c", "int f(void); void reach_error(void); int main(void) { if (f() == 8) reach_error(); return 0; }"),
        ("b.c", "int g(void) { return 6; } int f(void) __attribute__((weak, alias(\"g\"))); int h(void) { return f(); }"),
        ("c.c", "int f(void) { return 8; }"),
    ]),
    ("a function of the library that a file defines", &[
        (
            "a.c",
            "unsigned long strlen(const char *); void reach_error(void);
            int main(void) { if (strlen(\"abc\") == 77) reach_error(); return 0; }",
        ),
        ("b.c", "unsigned long strlen(const char *s) { return s[0] == 'a' ? 77 : 0; }"),
    ]),
    ("declarations in blocks", &[
        (
            "a.c",
            "static int s = 4; void reach_error(void);
            int main(void) { extern int n; extern int s; int f(int); if (f(n) == 6 && s == 4) reach_error(); return 0; }",
        ),
        ("b.c", "int n = 5; static int s = 9; int f(int x) { extern int n; return x + (n == 5) + (s == 8); }"),
    ]),
    ("calls without a declaration", &[
        ("a.c", "int main(void) { if (f(2) == 3) reach_error(); return 0; }"),
        ("b.c", "int f(int x) { return x + 1; }"),
    ]),
    ("a constant of one file is none of the other", &[
        ("a.c", "enum { N = 3 }; typedef int T; int f(void); void reach_error(void); int main(void) { T x = N; if (f() == 5 && x == 3) reach_error(); return 0; }"),
        ("b.c", "int N = 4; static int T = 1; int f(void) { return N + T; }"),
    ]),
    ("addresses of functions of other files", &[
        (
            "a.c",
            "typedef int (*op)(int); extern op ops[]; void reach_error(void);
            static int twice(int x) { return 3 * x; } op own = twice;
            int main(void) { if (ops[0](2) == 4 && ops[1](2) == 3 && own(1) == 3) reach_error(); return 0; }",
        ),
        (
            "b.c",
            "typedef int (*op)(int); int inc(int); static int twice(int x) { return 2 * x; } op ops[] = { twice, inc };",
        ),
        ("c.c", "int inc(int x) { return x + 1; }"),
    ]),
    ("types of one tag that have nothing to do with each other", &[
        (
            "a.c",
            "struct item { int a; char b; }; int f(void); void reach_error(void);
            int main(void) { struct item i = { f(), 'x' }; if (i.a == 12 && sizeof i == 8) reach_error(); return 0; }",
        ),
        ("b.c", "struct item { long a; long b; long c; }; int f(void) { return sizeof(struct item) / 2; }"),
    ]),
    ("const in one file only", &[
        ("a.c", "extern const int limit; int f(const char *); void reach_error(void); int main(void) { if (limit == 3 && f(\"z\") == 'z') reach_error(); return 0; }"),
        ("b.c", "int limit = 3; int f(char *s) { return s[0]; }"),
    ]),
    ("variadic functions across files", &[
        (
            "a.c",
            "int sum(int, ...); void reach_error(void); int main(void) { if (sum(3, 1, 2, 3) == 6) reach_error(); return 0; }",
        ),
        (
            "b.c",
            "#include <stdarg.h>
            static int vsum(int n, va_list l) { int s = 0; while (n--) s += va_arg(l, int); return s; }
            int sum(int n, ...) { va_list l; va_start(l, n); int s = vsum(n, l); va_end(l); return s; }",
        ),
        (
            "c.c",
            "#include <stdarg.h>
            static int vsum(int n, va_list l) { return n; }
            int other(int n, ...) { va_list l; va_start(l, n); int s = vsum(n, l); va_end(l); return s; }",
        ),
    ]),
    ("a unit does not end in the next one", &[
        ("a.c", "void reach_error(void); int f(void); int main(void) { if (f()) reach_error(); return 0; } // ends \\"),
        ("b.c", "int f(void) { return 1; }"),
    ]),
    ("packing ends with its file", &[
        ("a.c", "#pragma pack(1)\nstruct t { char a; int b; }; int f(void); void reach_error(void); int main(void) { if (sizeof(struct t) == 5 && f() == 8) reach_error(); return 0; }"),
        ("b.c", "struct t { char a; int b; }; int f(void) { return sizeof(struct t); }"),
    ]),
];

#[test]
fn linked_programs_do_what_gcc_makes_of_them() {
    if !residue_tests::has("gcc") {
        return;
    }
    for (what, files) in ERRORS {
        let folder = written(files);
        assert_eq!(by_gcc(folder.path()), End::Error, "{what}: the test");
        assert_eq!(by_us(folder.path()), End::Error, "{what}");
    }
}

/// What cannot be linked, and the message.
const REFUSED: &[(&str, Files, &str)] = &[
    (
        "two bodies",
        &[("a.c", "int f(void) { return 1; } int main(void) { return f(); }"), ("b.c", "int f(void) { return 2; }")],
        "b.c:1:5: `f` is defined at DIR/a.c:1:5 as well",
    ),
    (
        "two initialisers",
        &[("a.c", "int n = 1; int main(void) { return n; }"), ("b.c", "int n = 1;")],
        "b.c:1:5: `n` is defined at DIR/a.c:1:5 as well",
    ),
    (
        "a body in one file twice",
        &[
            ("a.c", "int g(void); int main(void) { return g(); }"),
            ("b.c", "int g(void) { return 1; }\nint g(void) { return 2; }"),
        ],
        "b.c:2:5: this function is defined twice",
    ),
    (
        "an object and a function",
        &[("a.c", "int n = 1; int main(void) { return n; }"), ("b.c", "int n(void) { return 1; }")],
        "`n` is declared with another type at",
    ),
    ("no entry", &[("a.c", "int f(void) { return 1; }"), ("b.c", "int n;")], "there is no function `main` to start with"),
];

#[test]
fn what_gcc_does_not_link_is_refused() {
    if !residue_tests::has("gcc") {
        return;
    }
    for (what, files, message) in REFUSED {
        let folder = written(files);
        assert!(matches!(by_gcc(folder.path()), End::Refused(_)), "{what}: the test");
        let End::Refused(found) = by_us(folder.path()) else { panic!("{what}: linked") };
        let expected = message.replace("DIR", &folder.path().display().to_string());
        assert!(found.contains(&expected), "{what}: {found}");
    }
}

/// The linker does not see what contradicts itself here; whoever reads the program must.
const CONTRADICTIONS: &[(&str, &str, &str)] = &[
    ("extern long n;", "int n = 1;", "`n`"),
    ("extern char s[];", "char *s;", "`s`"),
    ("long f(int);", "int f(int x) { return x; }", "`f`"),
    ("int f(long);", "int f(int x) { return x; }", "`f`"),
    ("struct s { int a; }; extern struct s o;", "struct s { int a; int b; }; struct s o;", "`o`"),
    ("struct s { int a; }; void f(struct s *);", "struct s { char a; }; void f(struct s *p) { }", "`f`"),
    ("extern int t[3];", "int t[4];", "`t`"),
    ("enum e { A }; extern enum e o;", "enum e { A, B }; enum e o;", "`o`"),
];

#[test]
fn declarations_that_contradict_each_other_are_refused_with_both_places() {
    for (declared, defined, name) in CONTRADICTIONS {
        let first = format!("{declared}\nint main(void) {{ return 0; }}\n");
        let folder = written(&[("a.c", &first), ("b.c", defined)]);
        let End::Refused(found) = by_us(folder.path()) else { panic!("{declared}: linked") };
        assert!(found.contains("a.c:1:") && found.contains("b.c:1:") && found.contains(name), "{declared}: {found}");
    }
}

#[test]
fn a_file_does_not_end_in_another_one() {
    for (first, second) in [
        ("int main(void) { return 0; } /* ", " */ int n;"),
        ("int main(void) { return 0; ", "} int n;"),
        ("typedef int T; int main(void) { return 0; }", "T n;"),
        ("enum { N = 1 }; int main(void) { return 0; }", "int a[N];"),
        ("static int n = 1; int main(void) { return 0; }", "int f(void) { return n; }"),
        ("struct s { int a; }; int main(void) { return 0; }", "int f(void) { return sizeof(struct s); }"),
        ("int main(void) { return 0; } char *s = \"a", "b\";"),
        ("int main(void) { return 0; }\n#pragma pack(1)\n# 1 \"b.c\"\nint", "n;"),
    ] {
        let folder = written(&[("a.c", first), ("b.c", second)]);
        let found = by_us(folder.path());
        assert!(matches!(found, End::Refused(_)), "{first} | {second}: {found:?}");
    }
}

#[test]
fn the_text_of_a_residual_program_is_no_part_of_a_program() {
    let folder = written(&[("a.c", "int main(void) { return 0; }"), ("b.c", "/* residual program */ int n;")]);
    let End::Refused(found) = by_us(folder.path()) else { panic!("read") };
    assert!(found.contains("is a residual program"), "{found}");
}

#[test]
fn the_caller_of_a_function_is_in_its_file() {
    let folder = written(&[
        ("a.c", "static int f(int *p) { return *p; } int g(void) { int x = 1; return f(&x); }"),
        (
            "b.c",
            "struct s { int a; struct s *next; }; static int f(int *p) { return *p + 1; } void reach_error(void);
            int check(struct s *s) { if (f(&s->a) < 0) reach_error(); return 0; }",
        ),
        ("c.c", "struct s { char other; }; int h(struct s *s) { return s->other; }"),
    ]);
    let options = ProgramOptions { entry: "check".to_owned(), ..ProgramOptions::default() };
    let cfa = program::load(folder.path(), &options).unwrap();
    let place = |name: &str| {
        let function = cfa.functions.iter().find(|function| &*function.name == name).unwrap();
        let place = cfa.source.location(function.span.lo);
        format!("{}:{}", place.file.rsplit('/').next().unwrap(), place.line)
    };
    assert_eq!((place("check"), place("h"), place("f")), ("b.c:2".to_owned(), "c.c:1".to_owned(), "a.c:1".to_owned()));
    assert_eq!(cfa.function(cfa.entry).name.as_ref(), "__made_caller");
    assert_eq!(place("__made_caller"), "<caller of check>:1");
}

/// Runs a tool of this build: its exit code and what it prints.
fn tool(name: &str, arguments: &[&str], folder: &Path) -> (i32, String) {
    let output = Command::new(residue_tests::tool(name)).args(arguments).current_dir(folder).output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn harnesses_of_several_files_are_one() {
    if !residue_tests::has("gcc") {
        return;
    }
    let mut built = 0;
    for (what, files) in ERRORS {
        let folder = written(files);
        let (code, text) = tool("verify", &["--budget", "20", "--harness", "harness.out", "."], folder.path());
        if code != 1 {
            assert_eq!(code, 3, "{what}: {text}");
            continue;
        }
        let gcc = Command::new("gcc")
            .args(["-std=gnu11", "-w", "-fwrapv", "-fcommon", "-fno-builtin", "-x", "c", "harness.out", "-o", "harness"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        // What gcc cannot say in one text is left to the files themselves.
        if gcc.status.success() {
            let output = Command::new(folder.path().join("harness")).output().unwrap();
            assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b"reach_error\n"[..]), "{what}");
            built += 1;
        } else {
            eprintln!("{what}: {}", String::from_utf8_lossy(&gcc.stderr));
        }
    }
    assert!(built * 10 >= ERRORS.len() * 8, "{built} of {}", ERRORS.len());
}
