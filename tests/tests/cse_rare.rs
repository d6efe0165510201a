//! Differences that one input in four thousand million shows: no trial finds them, so a rule that a proof leaves out is a wrong
//! EQUIVALENT here.

use residue_tests::run;

/// True for one `x`.
const RARE: &str = "x * 7919u + 12345u == 0x9e3779b9u";
const CLIENT: &str = "int lib(unsigned); int client(unsigned x) { return lib(x); }";

fn verdict(client: &str, library: &str, (from, to): (&str, &str), steps: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let original = library.replace("RARE", RARE);
    let modified = original.replacen(from, to, 1);
    assert_ne!(original, modified);
    for (name, text) in [("client.c", client), ("old.c", &original), ("new.c", &modified)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let ran = run("cse", ["--steps", steps, "--client", "client.c", "old.c", "new.c"], folder.path()).unwrap();
    assert!(!ran.last_line().is_empty(), "{}", ran.stderr);
    ran.last_line().to_owned()
}

#[test]
fn no_rule_of_a_proof_is_left_out() {
    for (what, library, edit) in [
        (
            "what only a callee of a callee does",
            "static int deep(unsigned x) { if (RARE) return 1; return 0; }
             static int near(unsigned x) { return deep(x) + 1; } int lib(unsigned x) { return near(x); }",
            ("return 1;", "return 2;"),
        ),
        (
            "the same statements in another order",
            "static unsigned s; int lib(unsigned x) { s = 0; if (RARE) { s = 1; s = 2; } return (int)s; }",
            ("s = 1; s = 2;", "s = 2; s = 1;"),
        ),
        (
            "another initial value",
            "static int table = 3; int lib(unsigned x) { if (RARE) return table; return 0; }",
            ("table = 3", "table = 4"),
        ),
        ("a global", "int seen; int lib(unsigned x) { if (RARE) seen = 1; return 0; }", ("seen = 1", "seen = 2")),
        ("an event", "void tell(int); int lib(unsigned x) { if (RARE) tell(1); return 0; }", ("tell(1)", "tell(2)")),
        (
            "what is undefined in one version only",
            "int lib(unsigned x) { if (RARE) return 1; return 1; }",
            ("return 1;", "return 1 / (int)(x - x);"),
        ),
    ] {
        assert_eq!(verdict(CLIENT, library, edit, "200000"), "NOT EQUIVALENT", "{what}");
    }
    let client = "int lib(unsigned, int *); int client(unsigned x, int *p) { if (!p) return 0; return lib(x, p); }";
    let library = "int lib(unsigned x, int *p) { if (RARE) *p = 1; return 0; }";
    assert_eq!(verdict(client, library, ("*p = 1", "*p = 2"), "200000"), "NOT EQUIVALENT", "what the caller points to");
}

/// Where work ends before an answer, nothing is equal: neither what no step was left for, nor functions that call each other and
/// of which one does something else, so deep that nothing goes there.
#[test]
fn what_is_not_looked_at_to_the_end_is_not_the_same() {
    let library = "int lib(unsigned x) { if (RARE) return 1; return 0; }";
    let found = verdict(CLIENT, library, ("return 1", "return 2"), "1");
    assert!(found.starts_with("UNKNOWN"), "{found}");
    let client = "unsigned lib(unsigned); int client(unsigned x) { return (int)lib(x & 0x3ffff); }";
    let library = "unsigned odd(unsigned n); unsigned lib(unsigned n) { if (n == 0) return 1; return odd(n - 1); }
        unsigned odd(unsigned n) { if (n == 0) return 0; return lib(n - 1); }";
    let edit = ("if (n == 0) return 0;", "if (n == 100001) return 5; if (n == 0) return 0;");
    let found = verdict(client, library, edit, "30000");
    assert!(found.starts_with("UNKNOWN"), "{found}");
}

/// How a run ends, and what a compiler is promised, by one version and by the other: undefined in the modified one is a difference,
/// in the original one no run at all.
#[test]
fn what_ends_a_run_and_what_is_promised_is_part_of_it() {
    let library = "int lib(unsigned x) { if (RARE) return 1; return (int)(x & 7); }";
    for (what, edit) in [
        ("a trap", "__builtin_trap();"),
        ("a point that is not reached", "__builtin_unreachable();"),
        ("a bit of zero", "return 1 + 0 * __builtin_clz(x - x);"),
        ("the last bit of zero", "return 1 + 0 * __builtin_ctzl(x - x);"),
        ("an empty array", "{ int a[x - x]; return 1 + 0 * (int)sizeof a; }"),
        ("an array of negative length", "{ int n = -1, a[n]; return 1 + 0 * (int)sizeof a; }"),
    ] {
        assert_eq!(verdict(CLIENT, library, ("return 1;", edit), "200000"), "NOT EQUIVALENT", "{what}");
        if what != "a trap" {
            let undefined = library.replace("return 1;", edit);
            assert_eq!(verdict(CLIENT, &undefined, (edit, "return 2;"), "200000"), "EQUIVALENT", "{what}");
        }
    }
    let library = "int lib(unsigned x) { if (RARE) return 1; return 0; }";
    let verdict = verdict(CLIENT, library, ("return 1;", "{ __asm__ volatile(\"ud2\"); return 1; }"), "200000");
    assert_ne!(verdict, "EQUIVALENT", "an instruction that ends the program");
}

/// What nobody reads is evaluated all the same: where that is not defined, the modified version is less defined.
#[test]
fn what_is_evaluated_for_nothing_counts() {
    for statement in [
        "a[x];", "(void)a[x];", "a[x] == 3;", "(long)a[x];", "!a[x];", "(a[x], 0);", "x ? a[x] : 0;", "switch (a[x]) {}",
        "switch (a[x]) { default:; }", "__builtin_expect(a[x], 1);", "(int)(x * 1e10);",
        "switch ((int)(x * 1e10)) { default:; }",
    ] {
        let library = format!("static int a[2]; int lib(unsigned x) {{ if (RARE) {{ /**/; }} return a[1]; }} // {statement}");
        let found = verdict(CLIENT, &library, ("/**/;", statement), "200000");
        assert_eq!(found, "NOT EQUIVALENT", "{statement}");
    }
    let library = "extern volatile int v; int lib(unsigned x) { v; return 0; }";
    let found = verdict(CLIENT, library, ("v; return", "v; v; return"), "200000");
    assert!(found.starts_with("UNKNOWN"), "{found}");
    let library = "void srand(unsigned); int rand(void); int lib(unsigned x) { srand(1); return rand(); }";
    assert_eq!(verdict(CLIENT, library, ("srand(1)", "srand(2)"), "200000"), "NOT EQUIVALENT");
    let library = "void exit(int); int lib(unsigned x) { if (RARE) exit(3); return 0; }";
    assert_eq!(verdict(CLIENT, library, ("exit(3)", "exit(259)"), "200000"), "EQUIVALENT");
    assert_eq!(verdict(CLIENT, library, ("exit(3)", "exit(260)"), "200000"), "NOT EQUIVALENT");
}

/// A private object can be seen through a pointer that is given away, and by a function that is.
#[test]
fn what_pointers_lead_to_is_not_hidden() {
    for (what, client, library) in [
        (
            "a pointer that is returned",
            "int *lib(unsigned); int *client(unsigned x) { return lib(x); }",
            "static int s; int *lib(unsigned x) { s = x; return &s; }",
        ),
        (
            "a pointer in a global",
            "char *shown; void lib(unsigned); int client(unsigned x) { lib(x); return 0; }",
            "extern char *shown; static char s[4]; void lib(unsigned x) { shown = s; *s = x; }",
        ),
        (
            "a pointer in a structure",
            "struct r { int *p; }; struct r lib(unsigned); struct r client(unsigned x) { return lib(x); }",
            "struct r { int *p; }; static int s; struct r lib(unsigned x) { struct r r = { &s }; s = x; return r; }",
        ),
        (
            "a function that reads it",
            "typedef int f(void); f *lib(unsigned); f *client(unsigned x) { return lib(x); }",
            "typedef int f(void); static int s; static int h(void) { return s; } f *lib(unsigned x) { s = x; return h; }",
        ),
    ] {
        let found = verdict(client, library, ("= x;", "= x + 1;"), "200000");
        assert!(found.starts_with("UNKNOWN") || found == "NOT EQUIVALENT", "{what}: {found}");
    }
    let library = "static int s; int lib(unsigned x) { s = x; return 0; }";
    assert_eq!(verdict(CLIENT, library, ("s = x;", "s = x + 1;"), "200000"), "EQUIVALENT", "nobody sees it");
}

/// Whoever goes on behind a call may look at bits that comparisons member by member, and of numbers, do not see.
#[test]
fn what_members_and_numbers_do_not_say_is_the_same_too() {
    let record = "struct s { char c; int i; }; void lib(struct s *, unsigned);";
    let padding = "struct s { char c; int i; };
        void lib(struct s *p, unsigned x) { if (RARE) ((char *)p)[1] = 3; p->i = 1; }";
    let clients = [
        "int client(unsigned x) { struct s b; ((char *)&b)[1] = 4; lib(&b, x); return ((char *)&b)[1]; }",
        "int client(unsigned x) { union { struct s s; char all[8]; } u; u.all[1] = 4; lib(&u.s, x); return u.all[1]; }",
        "void *memcpy(void *, const void *, unsigned long);
        int client(unsigned x) { struct s b; char all[8]; ((char *)&b)[1] = 4; lib(&b, x); memcpy(all, &b, 8); return all[1]; }",
    ];
    for client in clients {
        let found = verdict(&format!("{record} {client}"), padding, ("[1] = 3", "[1] = 5"), "200000");
        assert!(found.starts_with("UNKNOWN") || found == "NOT EQUIVALENT", "{client}: {found}");
    }
    // Characters that are read through a type that the record has members of, elsewhere.
    let parts = "struct raw { char a[8]; }; struct in { int k; char a[8]; }; struct s { char c; int i; char name[8]; struct raw r; struct in in; };";
    let padding = format!("{parts} void lib(struct s *p, unsigned x) {{ if (RARE) ((char *)p)[1] = 3; p->i = 1; }}");
    for read in ["(*(char (*)[8])&b)[1]", "((struct raw *)&b)->a[1]", "((struct in *)&b)->a[-3]"] {
        let client = format!(
            "{parts} void lib(struct s *, unsigned);
            int client(unsigned x) {{ struct s b; ((char *)&b)[1] = 4; lib(&b, x); return {read}; }}"
        );
        let found = verdict(&client, &padding, ("[1] = 3", "[1] = 5"), "200000");
        assert!(found.starts_with("UNKNOWN") || found == "NOT EQUIVALENT", "{read}: {found}");
    }
    let bits = "void *memcpy(void *, const void *, unsigned long);";
    let handed = (
        format!(
            "{bits} void lib(float *, unsigned); int client(unsigned x) {{ float f = 0; int k; lib(&f, x); memcpy(&k, &f, 4); return k; }}"
        ),
        format!("{bits} void lib(float *p, unsigned x) {{ int k = 0x7fc00000; if (RARE) k = 0x7fc00001; memcpy(p, &k, 4); }}"),
    );
    let returned = (
        format!(
            "{bits} double lib(unsigned); int client(unsigned x) {{ double f = lib(x); long k; memcpy(&k, &f, 8); return (int)k; }}"
        ),
        format!(
            "{bits} double lib(unsigned x) {{ long k = 0x7ff8000000000000; double f; if (RARE) k += 0x7fc00001; memcpy(&f, &k, 8); return f; }}"
        ),
    );
    for (client, library) in [handed, returned] {
        assert_eq!(verdict(&client, &library, ("0x7fc00001", "0x7fc00002"), "200000"), "NOT EQUIVALENT", "{client}");
    }
}

/// Records and floats that nobody takes apart are compared as before.
#[test]
fn what_nobody_looks_at_stays_proved() {
    let client = "struct s { char c; int i; double d; }; void lib(struct s *, unsigned, double);
        int client(unsigned x, double d) { struct s b = { 1, 2, d }; lib(&b, x, d); return b.i + (b.d > 0); }";
    let library = "struct s { char c; int i; double d; };
        void lib(struct s *p, unsigned x, double d) { p->i = (int)(x * 2); p->d = d * 2; }";
    assert_eq!(verdict(client, library, ("x * 2", "x + x"), "200000"), "EQUIVALENT");
    assert_eq!(verdict(client, library, ("p->d = d * 2", "double twice = d * 2; p->d = twice"), "200000"), "EQUIVALENT");
}

/// Which NaN an operation yields is open, and who looks at its bits sees it, whatever way the address goes.
#[test]
fn bits_of_a_nan_are_seen_on_every_way() {
    let library = "double lib(double d) { double r = d - d; return r; }";
    for look in [
        "return ((char *)&r)[7] < 0;",
        "return (int)*(long *)(void *)&r;",
        "void *p = &r; long **q = (long **)&p; return (int)**q;",
        "union { void *p; long *q; } u; u.p = &r; return (int)*u.q;",
        "void *p = &r; unsigned long n = (unsigned long)p; return (int)*(long *)n;",
        "double *p = &r; long **q = (long **)&p; return (int)**q;",
        "void *p = &r; long *q; memcpy(&q, &p, sizeof p); return (int)*q;",
        "void *m = malloc(8); double *p = m; *p = r; long *q = m; return (int)*q;",
        "static void *m; m = malloc(8); double *p = m; *p = r; memcpy(&d, m, 8); long *q = m; return (int)*q;",
        "struct { void *p; } s = { &r }; struct t { long *p; }; return (int)*((struct t *)&s)->p;",
    ] {
        let client = format!(
            "void *memcpy(void *, const void *, unsigned long); void *malloc(unsigned long);
            double lib(double); int client(double d) {{ double r = lib(d); {look} }}"
        );
        let found = verdict(&client, library, ("return r;", "return r != r ? __builtin_nan(\"\") : r;"), "200000");
        assert!(found.starts_with("UNKNOWN") || found == "NOT EQUIVALENT", "{look}: {found}");
    }
}

/// A record has bytes between its members, and members that nobody sets: copies of it say nothing of what is in them, and hide
/// no difference of what is in others. Who looks there sees what any run may have.
#[test]
fn what_is_copied_along_with_a_record_hides_no_difference() {
    let client =
        "struct s { int a; char b; }; struct s lib(unsigned); int client(unsigned x) { struct s s = lib(x); return s.a; }";
    for (what, library) in [
        (
            "a gap",
            "struct s { int a; char b; }; struct s lib(unsigned x) { struct s s = { 0, 1 }; if (RARE) s.a = 1; return s; }",
        ),
        (
            "a member",
            "struct s { int a; char b; }; struct s lib(unsigned x) { struct s s; s.a = 0; if (RARE) s.a = 1; return s; }",
        ),
    ] {
        assert_eq!(verdict(client, library, ("s.a = 1", "s.a = 2"), "600000"), "NOT EQUIVALENT", "{what}");
    }
    let library = "struct s { int a; char b; }; struct s out; int lib(unsigned x) { struct s s; s.a = 0; out = s; return 0; }";
    let found = verdict(CLIENT, library, ("s.a = 0;", "s.a = 0; s.b = 1;"), "600000");
    assert_ne!(found, "NOT EQUIVALENT", "what the original leaves open is nothing that the modified version does otherwise");
}
