//! Functions whose addresses get outside: code there may call them, although no run of the program shows it.

use residue_tests::{Ran, run};

fn cse(client: &str, original: &str, (from, to): (&str, &str), flags: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let modified = original.replacen(from, to, 1);
    assert_ne!(original, modified);
    for (name, text) in [("client.c", client), ("old.c", original), ("new.c", &modified)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let asked = flags.iter().copied().chain(["--steps", "400000", "--client", "client.c", "old.c", "new.c"]);
    run("cse", asked, folder.path()).unwrap()
}

const CLIENT: &str = "int f(int); int client(int a) { return f(a); }";
const EDIT: (&str, &str) = ("return x;", "return x ^ 1;");

/// Each way out is one.
#[test]
fn what_code_outside_may_call_has_to_do_the_same() {
    let reg = "void reg(int (*)(int)); static int h(int x) { return x; }";
    let ops = "struct ops { int (*r)(int); }; void use(struct ops *); static int h(int x) { return x; }";
    for (client, library) in [
        (CLIENT, format!("{reg} int f(int a) {{ reg(h); return 0; }}")),
        (CLIENT, format!("{reg} static int g(int x) {{ return h(x); }} int f(int a) {{ reg(g); return 0; }}")),
        (CLIENT, format!("{reg} static int (*k)(int) = h; int f(int a) {{ if (a) reg(k); return 0; }}")),
        (CLIENT, format!("{ops} static struct ops o; int f(int a) {{ o.r = h; use(&o); return 0; }}")),
        (CLIENT, format!("{ops} struct ops o = {{h}}; int f(int a) {{ return 0; }}")),
        (
            CLIENT,
            format!(
                "#include <stdlib.h>\n{ops} int f(int a) {{ struct ops *p = malloc(sizeof *p); if (!p) return 1; p->r = h; use(p); return 0; }}"
            ),
        ),
        (CLIENT, "int (*hook)(int); static int h(int x) { return x; } int f(int a) { hook = h; return 0; }".to_owned()),
        (
            CLIENT,
            "void tell(long); static int h(int x) { return x; } int f(int a) { long n = (long)h; tell(n); return 0; }".to_owned(),
        ),
        (
            "typedef int (*F)(int); F get(void); F client(void) { return get(); }",
            "typedef int (*F)(int); static int h(int x) { return x; } F get(void) { return h; }".to_owned(),
        ),
        (
            "struct s { int (*r)(int); }; void put(struct s *); void client(struct s *p) { if (p) put(p); }",
            "struct s { int (*r)(int); }; static int h(int x) { return x; } void put(struct s *p) { p->r = h; }".to_owned(),
        ),
    ] {
        let ran = cse(client, &library, EDIT, &[]);
        assert!(ran.last_line().starts_with("UNKNOWN(not checked: h() differs"), "{library}\n{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 3, "{library}");
        // One program cannot ask about it either.
        assert_eq!(cse(client, &library, EDIT, &["--to", "c"]).code, 2, "{library}");
    }
}

/// Nothing is lost where an address stays inside, or both versions do the same whoever calls them.
#[test]
fn what_stays_inside_is_decided_by_its_calls() {
    let table = "void tell(int); static int h(int x) { return x * 2; } static int k(int x) { return x; }
                 static struct { int id; int (*call)(int); } t[] = {{1, h}, {2, k}};
                 int f(int a) { tell(t[a & 1].id); return t[a & 1].id + t[a & 1].call(a & 255); }";
    let unused = "static int h(int x) { return x; } static int k(int x) { return x; }
                  static int (*const t[])(int) = {h}; static int (*const u[])(int) = {k};
                  void tell(int); int f(int a) { tell(u[0](a)); return t[0](a); }";
    let same = "void reg(int (*)(int)); static int s; static int h(int x) { s = x & 255; return s * 2; }
                int f(int a) { reg(h); return 0; }";
    for (library, edit, expected) in [
        (table, ("x * 2", "x + x"), "EQUIVALENT"),
        (table, ("x * 2", "x * 3"), "NOT EQUIVALENT"),
        (unused, ("return x;", "return x | x;"), "EQUIVALENT"),
        (same, ("s * 2", "s + s"), "EQUIVALENT"),
    ] {
        let ran = cse(CLIENT, library, edit, &[]);
        assert_eq!(ran.last_line(), expected, "{library}\n{}{}", ran.stdout, ran.stderr);
    }
}

const GLOBALS: &str = "functions without a body read and write no global of the program but what they are given";

/// What code outside could do with variables is said where it is called, and only there.
#[test]
fn what_is_taken_for_granted_is_said() {
    let library = "int g; void tell(void); int f(int a) { g = 1; tell(); g = 0; return 0; }";
    let ran = cse(CLIENT, library, ("g = 1", "g = 2"), &[]);
    assert!(ran.stdout.contains(&format!("assumed: {GLOBALS}\n")) && ran.last_line() == "EQUIVALENT", "{}", ran.stdout);
    let told = cse(CLIENT, library, ("g = 1", "g = 2"), &["--json"]);
    assert!(told.stdout.contains(&format!("\"{GLOBALS}\"")), "{}", told.stdout);
    let quiet = cse(CLIENT, "int f(int a) { return a; }", ("return a", "return a | a"), &[]);
    assert!(!quiet.stdout.contains("assumed") && quiet.last_line() == "EQUIVALENT", "{}", quiet.stdout);
    let client = "int f(int *); int client(int *p) { if (!p) return 0; return f(p); }";
    let made = cse(client, "int f(int *p) { return *p; }", ("return *p", "return p[0] | *p"), &[]);
    assert!(made.stdout.contains("assumed: p points to 4 elements, which nothing else points to\n"), "{}", made.stdout);
    assert_eq!(made.last_line(), "EQUIVALENT");
    let different = cse(CLIENT, library, ("return 0", "return 1"), &[]);
    assert!(!different.stdout.contains("assumed") && different.last_line() == "NOT EQUIVALENT", "{}", different.stdout);
}

/// Variables are looked at when the entry function returns.
#[test]
fn what_is_not_observed_is_said() {
    let exits = "#include <stdlib.h>\nint g; int f(int a) { if (a == 5) { g = 1; exit(1); } return 0; }";
    let ran = cse(CLIENT, exits, ("g = 1", "g = 2"), &[]);
    assert_eq!(ran.last_line(), "EQUIVALENT");
    assert!(ran.stdout.contains(", globals and memory not where the program exits before it returns\n"), "{}", ran.stdout);
    assert_eq!(cse(CLIENT, exits, ("exit(1)", "exit(2)"), &[]).last_line(), "NOT EQUIVALENT");
    let elsewhere = cse(CLIENT, "extern int g; int f(int a) { g = a; return 0; }", ("g = a", "g = 0"), &[]);
    assert!(elsewhere.stdout.contains(", no globals that are defined elsewhere\n"), "{}", elsewhere.stdout);
}
