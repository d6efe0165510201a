//! A construct without sound treatment is never the reason of a TRUE: it may itself reach the error, even where nothing
//! behind it can.

use std::fs;

use residue_tests::run;

const ORIGINAL_CALLS_NOTHING: [(&str, &str, &str); 2] = [
    (
        "a function of another type, called through a pointer",
        "void h(long x) { BODY } void k(int x) { }\nint main(void) { void (*p)(int) = k; p = (void (*)(int))h; p(3); return 0; }\n",
        "unsupported",
    ),
    (
        "a function that runs at the end of the program",
        "extern int at_quick_exit(void (*)(void));\nvoid h(void) { BODY }\nint main(void) { at_quick_exit(h); return 0; }\n",
        "unsupported: at_quick_exit",
    ),
];

#[test]
fn what_is_not_understood_may_reach_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text, reason) in ORIGINAL_CALLS_NOTHING {
        let program = |body: &str| format!("extern void reach_error(void);\n{}", text.replace("BODY", body));
        fs::write(here.join("original.c"), program("")).unwrap();
        fs::write(here.join("modified.c"), program("reach_error();")).unwrap();
        let ran = run("verify", ["-q", "modified.c"], here).unwrap();
        assert!(ran.last_line().contains(reason), "{name}: {}{}", ran.stdout, ran.stderr);
        for detector in ["diffcond", "diffdp"] {
            for via in ["native", "reduce"] {
                let arguments = ["check", "-q", "--detector", detector, "--via", via, "original.c", "modified.c"];
                let ran = run("residue", arguments, here).unwrap();
                assert_eq!(ran.code, 3, "{name}, {detector}, {via}: {}{}", ran.stdout, ran.stderr);
            }
        }
    }
}

#[test]
fn a_function_without_a_body_may_write_what_it_is_given_pointers_to() {
    let folder = tempfile::tempdir().unwrap();
    let text = "extern void reach_error(void);\nextern int unknown(int *);\nint main(void) { int x = 0; unknown(&x); if (x == 7) reach_error(); return 0; }\n";
    fs::write(folder.path().join("program.c"), text).unwrap();
    let ran = run("verify", ["-q", "program.c"], folder.path()).unwrap();
    assert_ne!(ran.last_line(), "TRUE", "{}{}", ran.stdout, ran.stderr);
}

/// It may keep the pointers it finds behind its arguments, and write there when it, or another one, is called again.
#[test]
fn a_function_without_a_body_may_write_what_its_arguments_lead_to() {
    let folder = tempfile::tempdir().unwrap();
    let head = "extern void reach_error(void);\nstruct w { int *p; };\nextern void one(struct w *);\n\
        extern void two(const struct w *);\nextern void keep(int *);\nextern void later(void);\n";
    for body in [
        "struct w w = {&x}; one(&w);",
        "struct w w = {&x}; two(&w);",
        "keep(&x); x = 0; later();",
        "struct w w = {0}; keep(&x); x = 0; one(&w);",
    ] {
        let text = format!("{head}int main(void) {{ int x = 0; {body} if (x == 7) reach_error(); return 0; }}\n");
        fs::write(folder.path().join("program.c"), text).unwrap();
        let ran = run("verify", ["-q", "program.c"], folder.path()).unwrap();
        assert_ne!(ran.last_line(), "TRUE", "{body}: {}{}", ran.stdout, ran.stderr);
    }
    let text = format!("{head}int main(void) {{ int x = 0, y = 1; keep(&y); later(); if (x == 7) reach_error(); return 0; }}\n");
    fs::write(folder.path().join("program.c"), text).unwrap();
    assert_eq!(run("verify", ["-q", "program.c"], folder.path()).unwrap().last_line(), "TRUE");
}

/// Where objects lie is not what the layout of some analysis says.
#[test]
fn what_depends_on_the_places_of_objects_is_not_decided() {
    let folder = tempfile::tempdir().unwrap();
    let head = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\ntypedef unsigned long word;\n\
        char a, b;\nint c[2], d[2];\n";
    for condition in [
        "(word)&a < (word)&b", "(word)&a >= (word)&b", "(word)&c[n & 1] < (word)&d[n & 1]", "(word)&c[n & 1] >= (word)&d[n & 1]",
        "(word)&a & 1", "!((word)&a & 1)", "((word)&c[n & 1] >> 4 & 7) == 0", "((word)&c[n & 1] >> 4 & 7) != 0",
        "(unsigned char)(word)&a == 16", "(word)&c % 64 == 0", "(word)&c % 64 != 0",
    ] {
        for start in ["int n = 0;", "int n = __VERIFIER_nondet_int();"] {
            let text = format!("{head}int main(void) {{ {start} if ({condition}) reach_error(); return 0; }}\n");
            fs::write(folder.path().join("program.c"), text).unwrap();
            let ran = run("verify", ["-q", "program.c"], folder.path()).unwrap();
            assert!(ran.last_line().starts_with("UNKNOWN"), "{start} {condition}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

/// Literals may lie in one place, and labels; compilers choose.
#[test]
fn what_compilers_lay_into_one_place_is_not_decided() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let compared = |operator: &str| {
        [
            format!("const char *p = \"xabc\" + 1, *q = \"abc\"; if (p {operator} q) reach_error();"),
            format!("const void *p = U\"abc\", *q = L\"abc\"; if (p {operator} q) reach_error();"),
            format!("void *p = &&a, *q = &&b; a: b: if (p {operator} q) reach_error();"),
            format!("void *p = &&a, *q = &&b; a: ; {{ }} b: if (p {operator} q) reach_error();"),
            format!("const char *p = \"abc\"; if (p {operator} other()) reach_error();"),
        ]
    };
    let head = "extern void reach_error(void);\nconst char *other(void);\n";
    fs::create_dir(here.join("both")).unwrap();
    fs::write(here.join("both/other.c"), "const char *other(void) { return \"abc\"; }\n").unwrap();
    for body in compared("==").into_iter().chain(compared("!=")) {
        fs::write(here.join("both/main.c"), format!("{head}int main(void) {{ {body} return 0; }}\n")).unwrap();
        let ran = run("verify", ["-q", "both"], here).unwrap();
        assert!(ran.last_line().starts_with("UNKNOWN"), "{body}: {}{}", ran.stdout, ran.stderr);
    }
    for body in [
        "const char *p = \"abd\", *q = \"abd\"; if (p != q) reach_error();",
        "const char *p = \"xabd\", *q = \"abd\"; if (p == q) reach_error();",
        "const char *p = __func__, *q = \"main\"; if (p == q) reach_error();",
        "void *t[] = { &&a, &&b }; int x = 0; goto *t[1]; a: b: x++; if (x != 1) reach_error();",
    ] {
        fs::write(here.join("both/main.c"), format!("{head}int main(void) {{ {body} return 0; }}\n")).unwrap();
        assert_eq!(run("verify", ["-q", "both"], here).unwrap().last_line(), "TRUE", "{body}");
    }
}

/// One text would make one object of literals of two files, and decide what is open of the program.
#[test]
fn no_residual_program_decides_what_literals_of_several_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (literal, is_refused) in [("abc", true), ("abd", false)] {
        for (name, limit) in [("old", 3), ("new", 4)] {
            fs::create_dir_all(here.join(name)).unwrap();
            let other = format!("const char *other(void) {{ return \"{literal}\"; }}\n");
            fs::write(here.join(name).join("other.c"), other).unwrap();
            let main = format!(
                "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); const char *other(void);\n\
                 int main(void) {{ int x = __VERIFIER_nondet_int(); if (x > 3) x = {limit}; if (x > 5) reach_error();\n\
                 const char *p = \"abc\", *q = other(); if (p != q) reach_error(); return 0; }}\n"
            );
            fs::write(here.join(name).join("main.c"), main).unwrap();
        }
        for (tool, arguments) in [
            ("diffdp", &["old", "new", "-o", "graph.json"][..]),
            ("condgen", &["graph.json", "-o", "condition.graphml"]),
            ("reduce", &["condition.graphml", "-o", "residual.c"]),
        ] {
            let ran = run(tool, arguments, here).unwrap();
            let is_wrong = tool == "reduce" && is_refused;
            assert_eq!(ran.code, if is_wrong { 2 } else { 0 }, "{tool} {literal}: {}", ran.stderr);
            assert_eq!(ran.stderr.contains("\"abc\", which several files have"), is_wrong, "{tool}: {}", ran.stderr);
        }
    }
}

/// Operands whose order compilers choose may end the run, whichever is evaluated first.
#[test]
fn an_order_is_open_where_the_operands_begin() {
    let folder = tempfile::tempdir().unwrap();
    let head = "extern void reach_error(void);\nextern void exit(int);\nstatic int quit(void) { exit(0); return 0; }\n\
        static int loop(int n) { while (n) ; return 0; }\nstatic int bad(void) { reach_error(); return 0; }\n\
        static int id(int x) { return x; }\n";
    for value in [
        "-quit() + bad()", "-loop(1) + bad()", "-(quit() - bad())", "!(quit() - bad())", "id(1) + -quit() + bad()",
        "(id(0) || quit() / 2 + bad())", "(char)(quit() * 2 + bad())",
    ] {
        fs::write(folder.path().join("program.c"), format!("{head}int main(void) {{ return {value}; }}\n")).unwrap();
        let ran = run("verify", ["-q", "program.c"], folder.path()).unwrap();
        assert!(ran.last_line().starts_with("UNKNOWN(unsupported: order of operands"), "{value}: {}", ran.last_line());
    }
    // Where it is not come to it says nothing.
    let text = format!("{head}int main(void) {{ int x = id(0); if (x && -quit() + bad()) return 1; return 0; }}\n");
    fs::write(folder.path().join("program.c"), text).unwrap();
    assert_eq!(run("verify", ["-q", "program.c"], folder.path()).unwrap().last_line(), "TRUE");
}

#[test]
fn a_result_that_was_never_given_is_no_reason_for_a_counterexample() {
    let head = "extern void reach_error(void);\nint f(int x) { if (x > 0) return 1; }\n";
    let folder = tempfile::tempdir().unwrap();
    for (name, main, expected) in [
        // Whatever the machine holds is another number than 10, or is not: gcc decides.
        ("other.c", "int main(void) { if (f(-1) != 10) reach_error(); return 0; }", "UNKNOWN"),
        ("same.c", "int main(void) { if (f(-1) == 10) reach_error(); return 0; }", "UNKNOWN"),
        ("given.c", "int main(void) { if (f(1) == 1) reach_error(); return 0; }", "FALSE"),
        ("unused.c", "int main(void) { f(-1); reach_error(); return 0; }", "FALSE"),
        ("handed.c", "long g(void) { return f(-1); } int main(void) { g(); reach_error(); return 0; }", "FALSE"),
        ("kept.c", "int g(void) { int x = f(-1); return x; } int main(void) { g(); reach_error(); return 0; }", "FALSE"),
        ("changed.c", "int g(void) { return f(-1) + 1; } int main(void) { g(); reach_error(); return 0; }", "UNKNOWN"),
        ("used.c", "int g(void) { return f(-1); } int main(void) { if (g() != 3) reach_error(); return 0; }", "UNKNOWN"),
        (
            "twice.c",
            "int g(void) { return f(-1); } int main(void) { for (int i = 0; i < 3; i++) g(); reach_error(); return 0; }",
            "FALSE",
        ),
    ] {
        fs::write(folder.path().join(name), format!("{head}{main}\n")).unwrap();
        let ran = run("verify", ["-q", name], folder.path()).unwrap();
        let last = ran.last_line();
        assert!(last.starts_with(expected), "{name}: {last}");
        assert!(expected != "UNKNOWN" || last.contains("ends without a value"), "{name}: {last}");
    }
}

#[test]
fn a_function_that_never_returns_is_not_followed_back() {
    let folder = tempfile::tempdir().unwrap();
    let verdict = |body: &str| {
        let text = format!("extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n{body}");
        std::fs::write(folder.path().join("program.c"), text).unwrap();
        run("verify", ["-q", "program.c"], folder.path()).unwrap().last_line().to_owned()
    };
    for body in [
        "_Noreturn void f(void) { } int main(void) { f(); reach_error(); return 0; }",
        "void f(int n) __attribute__((noreturn)); void f(int n) { if (n) return; for (;;) ; } int main(void) { f(__VERIFIER_nondet_int()); reach_error(); return 0; }",
    ] {
        assert!(verdict(body).starts_with("UNKNOWN"), "{body}");
    }
    let ends = "_Noreturn void f(int n) { for (;;) ; } int main(void) { if (__VERIFIER_nondet_int()) f(1); return 0; }";
    assert_eq!(verdict(ends), "TRUE");
}

const ASSEMBLY_HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nstruct s { int a, b; };\n\
    struct s global;\nunsigned long bits[2];\nvoid f(void) { reach_error(); }\n";

/// Assembly of which is known what it may write: nothing else changes, whatever it does.
#[test]
fn assembly_writes_only_what_it_names() {
    let folder = tempfile::tempdir().unwrap();
    for body in [
        "int x = 1; asm volatile(\"outb %b0,%w1\" : : \"a\" (x), \"Nd\" (3)); if (x != 1) reach_error();",
        "int x = 1; char c; asm volatile(\"inb %w1,%b0\" : \"=a\" (c) : \"Nd\" (3)); if (x != 1) reach_error();",
        "struct s v = {1, 2}; struct s *p = &v; asm volatile(\"lock; incl %0\" : \"+m\" (p->b)); if (v.a != 1) reach_error();",
        "global.a = 4; asm volatile(\"lock; bts %1,%0\" : \"+m\" (bits[0]) : \"Ir\" (7) : \"memory\"); if (global.a != 4) reach_error();",
        "int x; asm volatile(\"movl %%gs:%P1,%0\" : \"=r\" (x) : \"p\" (&global)); if (x > 3 && x < 3) reach_error();",
    ] {
        fs::write(folder.path().join("program.c"), format!("{ASSEMBLY_HEAD}int main(void) {{ {body} return 0; }}\n")).unwrap();
        let ran = run("verify", ["-q", "program.c"], folder.path()).unwrap();
        assert_eq!(ran.last_line(), "TRUE", "{body}: {}{}", ran.stdout, ran.stderr);
    }
}

/// Each of these reaches the error if the assembly does what it may do. Nobody executes it, so there is no FALSE either.
#[test]
fn assembly_may_write_all_it_names_and_is_no_reason_for_a_verdict_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    for body in [
        "char c = 0; asm volatile(\"inb %w1,%b0\" : \"=a\" (c) : \"Nd\" (3)); if (c == 7) reach_error();",
        "global.b = 1; asm volatile(\"lock; incl %0\" : \"+m\" (global.b)); if (global.b == 2) reach_error();",
        "struct s v = {1, 2}; struct s *p = &v; asm volatile(\"incq %0\" : \"+m\" (p->a)); if (v.b != 2) reach_error();",
        "bits[1] = 0; asm volatile(\"bts %1,%0\" : \"+m\" (bits[0]) : \"Ir\" (70L) : \"memory\"); if (bits[1]) reach_error();",
        "int x = 1, y = 2; asm volatile(\"xchgl %0,%1\" : \"+r\" (x), \"+m\" (y)); if (x == 2 && y == 1) reach_error();",
        "int x = 0; int *p = &x; asm volatile(\"movl %0,%1\" : : \"r\" (5), \"m\" (*p) : \"memory\"); if (x == 5) reach_error();",
        "int x = 0, *p = 0; asm(\"nop\" : \"=r\" (p) : \"0\" (&x)); *p = 3; if (x == 3) reach_error();",
        "int x = 0, y = 0, *p = &y; asm volatile(\"xchgq %0,%1\" : \"+m\" (p) : \"r\" (&x)); *p = 3; if (x == 3) reach_error();",
        "int x = 0, i; for (i = 0; i < 9; i++) asm(\"incl %0\" : \"+r\" (x)); if (x == 9) reach_error();",
        "int x = 0; asm volatile(\"movl $1,(%0)\" : : \"r\" (&x) : \"memory\"); if (x == 1) reach_error();",
        "asm volatile(\"movl $1,%P0\" : : \"i\" (&global.a) : \"memory\"); if (global.a == 1) reach_error();",
        "asm volatile(\"call f\" ::: \"memory\");",
        "asm volatile(\"jmp *%0\" : : \"r\" (f));",
        "asm volatile(\".byte 0xe8\\n.long f - . - 4\");",
    ] {
        fs::write(folder.path().join("program.c"), format!("{ASSEMBLY_HEAD}int main(void) {{ {body} return 0; }}\n")).unwrap();
        fs::write(folder.path().join("original.c"), format!("{ASSEMBLY_HEAD}int main(void) {{ return 0; }}\n")).unwrap();
        for analysis in ["values", "bounded", "predicates", "single-execution,values,bounded,predicates"] {
            let ran = run("verify", ["-q", "--budget", "30", "--analysis", analysis, "program.c"], folder.path()).unwrap();
            assert_eq!(ran.code, 3, "{analysis}: {body}: {}{}", ran.stdout, ran.stderr);
        }
        for via in ["native", "reduce"] {
            let ran = run("residue", ["check", "-q", "--via", via, "original.c", "program.c"], folder.path()).unwrap();
            assert!(
                ran.last_line().starts_with("UNKNOWN(unsupported: inline assembly"),
                "{via}: {body}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
}
