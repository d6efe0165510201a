//! An entry function that takes more than numbers is called with objects that are made for it: what is found there is confirmed by
//! gcc, what is proved says on which bounds it rests, and every stage sees the same caller.

use std::fs;
use std::path::Path;

use residue_tests::{Ran, run};

const ERROR: &str = "void reach_error(void);\nvoid check(int holds) { if (!holds) reach_error(); }\n";

fn verify(text: &str, arguments: &[&str], folder: &Path) -> Ran {
    fs::write(folder.join("program.c"), format!("{ERROR}{text}")).unwrap();
    let given = ["--budget", "60", "--entry", "f", "-v", "program.c"];
    run("verify", given.iter().chain(arguments), folder).unwrap()
}

/// FALSE, and the harness reaches the error.
fn fails(text: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let ran = verify(text, &[arguments, &["--harness", "harness.c"]].concat(), folder.path());
    assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{text}: {}", ran.stderr);
    let build = duct::cmd!("gcc", "-std=gnu11", "-w", "-fwrapv", "harness.c").dir(folder.path());
    build.run().unwrap();
    let binary = folder.path().join("a.out");
    let output = duct::cmd!(binary).unchecked().stdout_capture().run().unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
}

/// TRUE, and why is told.
fn holds(text: &str, arguments: &[&str], assumption: &str) {
    let folder = tempfile::tempdir().unwrap();
    let ran = verify(text, arguments, folder.path());
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{text}: {}", ran.stderr);
    assert!(ran.stderr.contains(assumption), "{text}: {}", ran.stderr);
}

#[test]
fn strings_end_within_their_length() {
    let text = "static int f(const char *s) { int i = 0; while (s[i]) i++; check(i < LENGTH); return i; }";
    fails(&text.replace("LENGTH", "4"), &[]);
    holds(&text.replace("LENGTH", "5"), &[], "s points to a string of at most 4 characters");
    fails(&text.replace("LENGTH", "6"), &["--entry-length", "6"]);
    holds(&text.replace("LENGTH", "5"), &[], "in an array of 5");
}

#[test]
fn it_is_said_where_pointers_to_functions_in_objects_lead() {
    let text = "struct ops { int (*get)(int); }; static int f(struct ops *o) { check(!o->get); return 0; }";
    holds(text, &[], "pointers to functions in structs and arrays lead to no function");
    let own = "static int plain(int y) { return y; } int (*own)(int) = plain; struct ops { int (*get)(int); };\
               static int f(struct ops *o) { check(!o->get || o->get(2) == 2); return 0; }";
    holds(own, &[], "pointers to functions in structs and arrays lead to none of the functions but plain");
}

#[test]
fn a_caller_gives_as_many_elements_as_the_parameter_promises() {
    let sum = "int f(int a[static 3 * 4]) { int s = 0; for (int i = 0; i < 12; i++) s += a[i] & 1; check(s <= MOST); return s; }";
    let memory = ["--property", "valid-deref"];
    holds(&sum.replace("MOST", "12"), &[], "a points to 12 elements");
    holds(&sum.replace("MOST", "12"), &memory, "a points to 12 elements");
    fails(&sum.replace("MOST", "11"), &[]);
    let pairs = "struct pair { int x, *y; }; int f(struct pair p[const static sizeof(int[2])]) { return p[7].x + (p[6].y ? *p[6].y : 0); }";
    holds(pairs, &memory, "p points to 8 structs");
    let rows = "int f(int n, char *a[static 2], int rows[static 10][3]) { return rows[9][2] + (a[1] ? *a[1] : 0) + n; }";
    holds(rows, &memory, "rows points to 10 arrays");
    let links =
        "struct link { struct link *next; int n; }; int f(struct link l[static 20]) { check(!l[19].next); return l[19].n; }";
    holds(links, &[], "l points to 20 structs");
}

#[test]
fn arrays_are_arbitrary() {
    fails("void f(int a[], unsigned n) { if (n < 4) check(a[n] != 77); }", &[]);
    fails("void f(const short *const a) { check(a[3] != -5); }", &[]);
    fails("typedef unsigned char byte; void f(byte *a, byte *b) { check(a[0] != 200 || b[0] != 100); }", &[]);
    holds("void f(int *a, int *b) { *b = 1; *a = 2; check(*b == 1); }", &[], "which nothing else points to");
    fails("void f(void *p) { check(*(unsigned char *)p != 9); }", &[]);
}

#[test]
fn definitions_of_the_old_style_get_callers() {
    let text = "typedef struct s { int *p; int n; } s; int f(x, a, b, n, c, g)
        register s *x; char *a, b[9]; int n; char c; int (*g)(int);
        { if (x->p && *x->p == 5 && a[0] == 'k' && b[1] == 'z' && n == 7 && c == 'q' && m == 3) check(WHAT); return 0; }";
    let text = text.replace("n, c, g)", "n, c, g, m)");
    fails(&text.replace("WHAT", "0"), &[]);
    fails(&text.replace("WHAT", "g != 0"), &[]);
    holds(&text.replace("WHAT", "x->n == x->n && a[4] == 0"), &[], "a points to a string of at most 4 characters");
    fails("int f(x) float x; { check(x != 1.5f); return 0; }", &[]);
    holds("void f(n) short n; { check(n < 9); }", &["--assume", "n < 9"], "n < 9");
}

#[test]
fn structs_lead_to_others_a_few_levels_deep() {
    let list = "typedef struct node { const struct node *next; const int value; } node;";
    let walk = |limit: u32| {
        format!("{list} void f(node const *l) {{ int n = 0; for (const node *p = l; p; p = p->next) n++; check(n != {limit}); }}")
    };
    fails(&walk(1), &[]);
    fails(&walk(3), &[]);
    holds(&walk(4), &[], "2 levels deep");
    fails(&walk(4), &["--entry-depth", "3"]);
    fails(&format!("{list} void f(node *l) {{ if (l->next) check(l->next->value != 12); }}"), &[]);
    let nested = "struct s { struct { char *name; int n; }; struct { int *cells[2]; } in; union { int *a; long b; } u; };";
    fails(&format!("{nested} void f(struct s x) {{ if (x.in.cells[1]) check(*x.in.cells[1] != 3); }}"), &[]);
    fails(&format!("{nested} int f(struct s *x) {{ if (x->name) check(x->name[0] != 'a' || x->n != 2); return 0; }}"), &[]);
    fails("struct hidden; void f(struct hidden *h, int n) { check(h != 0 && n != 1); }", &[]);
}

#[test]
fn functions_are_those_whose_address_is_taken() {
    let text = "static int one(int x) { return x + 1; } int (*keep)(int) = one; int other(int x) { return 0; }";
    holds(&format!("{text} void f(int (*g)(int)) {{ if (g) check(g(1) == 2); }}"), &[], "none of the functions but one");
    fails(&format!("{text} struct ops {{ int (*g)(int); }}; void f(struct ops *o) {{ if (o->g) check(o->g(1) != 2); }}"), &[]);
    fails("void f(void (*g)(void)) { check(g != 0); }", &[]);
}

#[test]
fn what_is_assumed_holds() {
    let text = "void f(int n, int *a) { check(n + a[0] != 20); }";
    fails(text, &["--assume", "n <= 8"]);
    holds(text, &["--assume", "n <= 8", "--assume", "n > 0 && a[0] > 0", "--assume", "a[0] < 'a' - 90"], "n <= 8");
    holds("void f(int n) { check(n < 9); }", &["--assume", "n <= 8"], "n <= 8");
    let folder = tempfile::tempdir().unwrap();
    for bad in ["1); reach_error(", "n; ", "n\nn", "n // ", "n /* ", "({ n; })", "\"x\"", "", "m > 2", "n +", "#"] {
        let ran = verify(text, &["--assume", bad], folder.path());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{bad}: {}", ran.stderr);
    }
}

#[test]
fn every_stage_sees_the_same_caller() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = "struct s { int *p; }; static int f(struct s *s, int n) { if (s->p && n == 2) check(*s->p != LIMIT); return 0; }";
    fs::write(here.join("original.c"), format!("{ERROR}{}", text.replace("LIMIT", "7"))).unwrap();
    fs::write(here.join("modified.c"), format!("{ERROR}{}", text.replace("LIMIT", "8"))).unwrap();
    fs::write(here.join("same.c"), format!("{ERROR}/* */ {}", text.replace("LIMIT", "7"))).unwrap();
    for via in [["--via", "native"], ["--via", "reduce"]] {
        let check = |modified: &str| {
            let given = ["check", "--entry", "f", "--entry-length", "2", "original.c", modified];
            run("residue", given.iter().chain(&via), here).unwrap()
        };
        let ran = check("modified.c");
        assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{}", ran.stderr);
        let ran = check("same.c");
        assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stderr);
    }
    let detect = run("diffdp", ["--entry", "f", "--assume", "n != 2", "-o", "g.json", "original.c", "modified.c"], here).unwrap();
    assert_eq!(detect.code, 0, "{}", detect.stderr);
    assert_eq!(run("condgen", ["-o", "c.graphml", "g.json"], here).unwrap().code, 0);
    assert_eq!(run("reduce", ["-o", "r.c", "c.graphml"], here).unwrap().code, 0);
    for arguments in [["r.c"].as_slice(), &["--condition", "c.graphml", "modified.c"]] {
        let ran = run("verify", arguments, here).unwrap();
        assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{arguments:?}: {}", ran.stderr);
    }
    let ran = run("verify", ["--condition", "c.graphml", "--assume", "n == 2", "modified.c"], here).unwrap();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("fixes"), "{}", ran.stderr);
    let hostile = fs::read_to_string(here.join("c.graphml")).unwrap().replace("n != 2", "n); reach_error(");
    fs::write(here.join("hostile.graphml"), hostile).unwrap();
    let ran = run("verify", ["--condition", "hostile.graphml", "modified.c"], here).unwrap();
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
}
