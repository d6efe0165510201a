//! What `cse` says of each call: inactive only where both versions do the same, operation by operation.

use std::path::Path;

use formats::equivalence::{CallStatus, Equivalence, EquivalenceResult};
use residue_tests::{Ran, run};

use CallStatus::{Different, Digested, Inactive};
use Equivalence::{Equivalent, NotEquivalent};

fn cse(arguments: &[&str], folder: &Path) -> Ran {
    let limits = ["--steps", "400000"];
    run("cse", arguments.iter().chain(&limits), folder).unwrap()
}

/// Client, versions, verdict, and what becomes of the calls, in the order of the program.
type Case = ([&'static str; 3], Equivalence, &'static [CallStatus]);

const CASES: &[Case] = &[
    // The example of the paper.
    (
        [
            "int lib(int); int client(int x) { return x < 10 ? x : lib(x); }",
            "int lib(int v) { return v; }",
            "int lib(int v) { if (v < 10) return 9; return v; }",
        ],
        Equivalent,
        &[Inactive],
    ),
    (
        [
            "int lib(int); int client(int x) { return x > lib(x) ? x : lib(x); }",
            "int lib(int v) { return v - 1; }",
            "int lib(int v) { return v; }",
        ],
        Equivalent,
        // The original makes the first of them only.
        &[Digested, Inactive],
    ),
    // A proof by single values is looked at again with these values: where memset writes is not known otherwise.
    (
        [
            "void lib(int *, int); int client(int *p) { lib(p, 4); return 0; }",
            "void lib(int *p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }",
            "void *memset(void *, int, unsigned long); void lib(int *p, int n) { memset(p, 0, 16); }",
        ],
        Equivalent,
        &[Digested],
    ),
    // What nobody set beside a bit-field is not read by who sets that.
    (
        [
            "struct b { unsigned v : 5; }; void lib(struct b *, int); int client(int x) { struct b b = { 0 }; lib(&b, x); return b.v; }",
            "struct b { unsigned v : 5; }; void lib(struct b *b, int v) { b->v = v; }",
            "struct b { unsigned v : 5; }; void lib(struct b *b, int v) { b->v = v + 1; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    // One of two calls, in a loop.
    (
        [
            "int lib(int, int); int client(int x) { int i, s = 0; for (i = 0; i < 5; i++) s += lib(i, 0); if (x > 0 && x < 9) s += lib(x, 1); return s; }",
            "int lib(int v, int how) { if (how) v &= 7; return v; }",
            "int lib(int v, int how) { if (how) v &= 3; return v; }",
        ],
        NotEquivalent,
        &[Inactive, Different],
    ),
    (
        [
            "int lib(int, int); int client(int x) { int s = lib(x & 3, 0); return s + (lib(x & 3, 1) & 1); }",
            "int lib(int v, int how) { if (how) v |= 8; return v; }",
            "int lib(int v, int how) { if (how) v |= 4; return v; }",
        ],
        Equivalent,
        &[Inactive, Digested],
    ),
    // A branch is there the other way round, or nested the other way round, with one more in it.
    (
        [
            "int lib(int, int); int client(int x, int y) { if (x < 0 || x > 50) return 0; return lib(x, y); }",
            "int lib(int a, int b) { if (a > 20) { if (b > a) return 1; return 2; } return 3; }",
            "int lib(int a, int b) { if (!(a > 20)) return 3; if (a > 50) return 7; if (b > a) { return 1; } else { return 2; } }",
        ],
        Equivalent,
        &[Inactive],
    ),
    // What is new is in a function that is called, and in a static state that an earlier call makes.
    (
        [
            "void set(int); int get(void); int client(int x) { set(x & 7); return get(); }",
            "static int n; static int cut(int v) { return v; } void set(int v) { n = v; } int get(void) { return cut(n); }",
            "static int n; static int cut(int v) { if (v > 7) v = 7; return v; } void set(int v) { n = v; } int get(void) { return cut(n); }",
        ],
        Equivalent,
        &[Inactive],
    ),
    (
        [
            "void set(int); int get(void); int client(int x) { set(x & 15); return get(); }",
            "static int n; static int cut(int v) { return v; } void set(int v) { n = v; } int get(void) { return cut(n); }",
            "static int n; static int cut(int v) { if (v > 7) v = 7; return v; } void set(int v) { n = v; } int get(void) { return cut(n); }",
        ],
        NotEquivalent,
        &[Different],
    ),
    // A statement is gone, moved out of a branch, or another one.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int lib(int v) { v++; if (v > 8) v = 0; return v; }",
            "int lib(int v) { if (v > 8) v = 0; return v; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int lib(int v) { if (v > 1) { v += 2; } return v; }",
            "int lib(int v) { if (v > 1) { } v += 2; return v; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    // Initial values, tables, constants, types.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "static int start = 1; int lib(int v) { return start + v; }",
            "static int start = 2; int lib(int v) { return start + v; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 1); }",
            "static const int table[] = {1, 2, 3, 4}; int lib(int v) { return table[v & 3]; }",
            "static const int table[] = {1, 2, 3, 5}; int lib(int v) { return table[v & 3]; }",
        ],
        Equivalent,
        &[Digested],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 1023); }",
            "int lib(int v) { int t = v; return t; }",
            "int lib(int v) { unsigned char t = v; return t; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 63); }",
            "int lib(int v) { int t; if (v > 100) { t = 3; return t; } return v; }",
            "int lib(int v) { int t; if (v > 100) { char u = 4; return u; } return v; }",
        ],
        Equivalent,
        &[Inactive],
    ),
    // Conditions that are not there for nothing: they divide, read what may not be read, or ask.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int lib(int v) { return 1; }",
            "int lib(int v) { if (10 / v > 50) return 1; return 1; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    (
        [
            "int lib(int *); int client(int x) { int v = 1; return lib(x > 3 ? &v : (int *)0); }",
            "int lib(int *p) { return 1; }",
            "int lib(int *p) { if (*p > 5) return 1; return 1; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int ask(int); int lib(int v) { return v; }",
            "int ask(int); int lib(int v) { if (ask(v)) return v; return v; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int lib(int v) { return v; }",
            "int lib(int v) { if (v + 2147483645 < 0) return v; return v; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    // Ends of the program.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 7); }",
            "void exit(int); int lib(int v) { if (v > 7) exit(1); return v; }",
            "void exit(int); int lib(int v) { if (v > 7) exit(2); return v; }",
        ],
        Equivalent,
        &[Inactive],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 15); }",
            "void exit(int); int lib(int v) { if (v > 7) exit(1); return v; }",
            "void exit(int); int lib(int v) { if (v > 7) exit(2); return v; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    // The library calls the client, which calls it again.
    (
        [
            "int lib(int (*)(int), int); static int f(int v) { return v > 5 ? lib(0, v - 6) : v; } int client(int x) { return lib(f, x & 7); }",
            "int lib(int (*f)(int), int v) { return f ? f(v) : v; }",
            "int lib(int (*f)(int), int v) { if (!f && v > 1) return 9; return f ? f(v) : v; }",
        ],
        Equivalent,
        &[Inactive],
    ),
    (
        [
            "int lib(int (*)(int), int); static int f(int v) { return v > 5 ? lib(0, v - 5) : v; } int client(int x) { return lib(f, x & 7); }",
            "int lib(int (*f)(int), int v) { return f ? f(v) : v; }",
            "int lib(int (*f)(int), int v) { if (!f && v > 1) return 9; return f ? f(v) : v; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    // Recursion, and a loop whose bound is another one.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int lib(int n) { if (n <= 0) return 0; return 1 + lib(n - 1); }",
            "int lib(int n) { if (n <= 0) return 0; if (n > 3) n = 3; return 1 + lib(n - 1); }",
        ],
        Equivalent,
        &[Inactive],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 7); }",
            "int lib(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }",
            "int lib(int n) { int i, s = 0; for (i = 0; i < n && i < 7; i++) s += i; return s; }",
        ],
        Equivalent,
        &[Inactive],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 7); }",
            "int lib(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }",
            "int lib(int n) { int i, s = 0; for (i = 0; i < n && i < 6; i++) s += i; return s; }",
        ],
        NotEquivalent,
        &[Different],
    ),
    // A global that is seen at the end counts although nobody comes to it.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 7); }",
            "int version = 1; int lib(int v) { return v; }",
            "int version = 2; int lib(int v) { if (v > 9) v = 9; return v; }",
        ],
        NotEquivalent,
        &[],
    ),
    // Input in a loop, and more of it in one version only where nobody comes.
    (
        [
            "int __VERIFIER_nondet_int(void); int lib(int); int client(void) { int i, s = 0; for (i = 0; i < 3; i++) { int v = __VERIFIER_nondet_int(); if (v >= 0 && v < 4) s += lib(v); } return s; }",
            "int __VERIFIER_nondet_int(void); int lib(int v) { if (v < 0) return __VERIFIER_nondet_int(); return v; }",
            "int __VERIFIER_nondet_int(void); int lib(int v) { if (v < 0) return 0; return v; }",
        ],
        Equivalent,
        &[Inactive],
    ),
    // Jump tables.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int lib(int v) { switch (v) { case 0: return 5; case 1: return 6; case 8: return 1; default: return v; } }",
            "int lib(int v) { switch (v) { case 0: return 5; case 1: return 6; case 8: return 2; case 9: return 3; default: return v; } }",
        ],
        Equivalent,
        &[Inactive],
    ),
    // What is not written may not be read.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int lib(int v) { int t; if (v > 5) t = 1; return v; }",
            "int lib(int v) { int t; if (v > 5) t = 1; if (t == 8) return v; return v; }",
        ],
        Equivalence::Unknown,
        &[CallStatus::Unknown],
    ),
    // Of calls of a client that notices the change each is looked at by itself: here the second one tells, although the last one is
    // given the same, too.
    (
        [
            "int scale(int); int clip(int); int half(int); int client(int a) { if (a < -1000 || a > 1000) return 0; int s = scale(a & 63); int t = scale(a); int c = clip(t); return s + t + c + half(a); }",
            "int scale(int x) { if (x > 100) return x; return x * 2; } int clip(int x) { return x < 0 ? 0 : x; } int half(int x) { return x / 2; }",
            "int scale(int x) { if (x > 100) return x + 1; return x + x; } int clip(int x) { if (x < 0) return 0; if (x > 9000) return 9000; return x; } int half(int x) { return x >= 0 ? x / 2 : -(-x / 2); }",
        ],
        NotEquivalent,
        &[Digested, Different, Inactive, Digested],
    ),
    // What one call does differently decides nothing about what comes behind it: the second call would never be made where both had
    // to do the same in the first.
    (
        [
            "int lib(int); int client(int x) { int a = lib(1); return a + lib(2) + (x & 1); }",
            "int lib(int v) { return v; }",
            "int lib(int v) { return v + 1; }",
        ],
        NotEquivalent,
        &[Different, CallStatus::Unknown],
    ),
    // A static that both calls change.
    (
        [
            "int lib(int); int client(int x) { int a = lib(x & 3); int b = lib(5); return a * 100 + b; }",
            "static int n; int lib(int v) { n++; return v + (n > 5); }",
            "static int n; int lib(int v) { n++; return v + (n > 1); }",
        ],
        NotEquivalent,
        &[Digested, Different],
    ),
    // The modified version reads more than there is where `x` is 999, and returns the same.
    (
        [
            "int lib(int *, int); int other(int); int client(int x) { int a[2] = {1, 2}; int s = lib(a, (x & 4095) * 3 == 2997); return s + other(x & 7); }",
            "int lib(int *p, int n) { return p[n] + 0 * n; } int other(int v) { return v; }",
            "int lib(int *p, int n) { int t = p[n + 1]; return p[n] + t * 0; } int other(int v) { return v > 5 ? 0 : v; }",
        ],
        NotEquivalent,
        &[CallStatus::Unknown, Different],
    ),
    // Events count in each call.
    (
        [
            "void note(int); int lib(int); int client(int x) { int a = lib(1); int b = lib(x & 7); return a + b; }",
            "void note(int); int lib(int v) { note(v); return v; }",
            "void note(int); int lib(int v) { if (v > 5) note(0); note(v); return v; }",
        ],
        NotEquivalent,
        &[Inactive, Different],
    ),
    // A call may come to the same by way of another function, and is not blamed for what another one does.
    (
        [
            "int put(int); int size(int, int); int client(int x) { int a = size(x & 15, 4); put(x); return a + size(7, x & 1); }",
            "int note(int); int put(int v) { return note(v); } int size(int v, int k) { return v < k ? v : k; }",
            "int note(int); int abs(int); int put(int v) { return note(v == 12 ? 0 : v); } int size(int v, int k) { return abs(v < k ? v : k); }",
        ],
        NotEquivalent,
        &[Digested, Different, Digested],
    ),
];

#[test]
fn calls_are_inactive_only_where_both_versions_do_the_same() {
    let mut wrong = Vec::new();
    for (texts, verdict, statuses) in CASES {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in ["client.c", "old.c", "new.c"].iter().zip(texts) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let ran = cse(&["--json", "--stats", "--client", "client.c", "old.c", "new.c"], folder.path());
        let result = EquivalenceResult::read(ran.stdout.as_bytes(), "r.json").unwrap();
        let found: Vec<CallStatus> = result.contexts.iter().map(|context| context.status).collect();
        if (result.verdict, found.as_slice()) != (*verdict, *statuses) {
            wrong.push(format!("{texts:#?}: {:?} {found:?}", result.verdict));
        }
        if result.verdict == Equivalent && wrong.is_empty() && statuses.iter().all(|status| *status == Inactive) {
            // Nothing was asked about what differs.
            let asked = ran.stderr.lines().find_map(|line| line.strip_prefix("boundaries:"));
            assert_eq!(asked.map(str::trim), Some("0"), "{texts:?} {}", ran.stderr);
            assert_eq!(result.by.as_deref(), Some("lockstep"), "{texts:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_assumed_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text) in [
        (
            "client.c",
            "struct at { int row; }; int lib(int, struct at *); int client(int x, char how) { struct at at = { x }; if (how == 3) at.row++; return lib(x, &at) + lib(1, &at); }",
        ),
        ("old.c", "struct at { int row; }; int lib(int v, struct at *at) { return v > 100 ? at->row : 1; }"),
        ("new.c", "struct at { int row; }; int lib(int n, struct at *p) { return n > 90 ? p->row : 1; }"),
        ("first.c", "int lib(int v) { return v > 100 ? v : 1; }"),
        ("last.c", "int lib(int n) { return n > 90 ? n : 1; }"),
        ("few.c", "int assume_lib(int v) { return v < 91; }"),
        ("entry.c", "int assume(int x, char how) { return x <= 90 && how; }"),
        ("wide.c", "int assume(int x, char how) { return x <= 95; }"),
        (
            "calls.c",
            "struct at { int row; }; int assume_lib(int v, struct at *at) { if (at->row > 90) return 0; return v < 91; }",
        ),
        (
            "both.c",
            "struct at; int assume(int x, char how) { return x != 91; } static int near(int v) { return v > 91 && v < 101; } int assume_lib(int v, struct at *at) { return !near(v); }",
        ),
        ("none.c", "static int assume(int x) { return x; } int other;"),
        ("other.c", "int assume_missing(int x) { return x; }"),
        ("wrong.c", "int assume(long x) { return x; }"),
        ("broken.c", "int assume(int x) { return x"),
    ] {
        std::fs::write(here.join(name), text).unwrap();
    }
    let ask = |assumed: &str| cse(&["--assume", assumed, "--harness", "h.c", "--client", "client.c", "old.c", "new.c"], here);
    for (assumed, expected, scope) in [
        ("x <= 90", "EQUIVALENT", "for all inputs that satisfy x <= 90, and whose"),
        ("x <= 91", "NOT EQUIVALENT", ""),
        ("@entry.c", "EQUIVALENT", "for all inputs that make only calls that entry.c lets pass, and whose"),
        ("@wide.c", "NOT EQUIVALENT", ""),
        ("@calls.c", "EQUIVALENT", "calls.c lets pass"),
        ("@both.c", "EQUIVALENT", "both.c lets pass"),
    ] {
        let ran = ask(assumed);
        assert_eq!(ran.last_line(), expected, "{assumed} {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(scope), "{assumed} {}", ran.stdout);
    }
    for (assumed, said) in [
        ("@none.c", "there is no function assume"),
        ("@other.c", "nothing can be assumed of missing"),
        ("@missing.c", "missing.c"),
        ("@broken.c", "broken.c"),
        ("@wrong.c", "assume"),
    ] {
        let ran = ask(assumed);
        assert_eq!(ran.code, 2, "{assumed} {}", ran.stdout);
        assert!(ran.stderr.contains(said), "{assumed} {}", ran.stderr);
    }
    let two = cse(&["--assume", "@entry.c", "--assume", "@calls.c", "--client", "client.c", "old.c", "new.c"], here);
    assert_eq!(two.code, 2, "{}", two.stdout);
    let whole = cse(&["--assume", "@few.c", "--library", "lib", "--entry", "lib", "first.c", "last.c"], here);
    assert_eq!(whole.last_line(), "EQUIVALENT", "{}{}", whole.stdout, whole.stderr);
    // Both ways at once, and in JSON.
    let told = cse(&["--json", "--assume", "how > 3", "--assume", "@entry.c", "--client", "client.c", "old.c", "new.c"], here);
    let result = EquivalenceResult::read(told.stdout.as_bytes(), "r.json").unwrap();
    assert_eq!((result.verdict, result.relation.assume.len()), (Equivalent, 2));
}

/// A client that passes a range of numbers to loops is EQUIVALENT for these numbers, whatever is beside the range.
#[test]
fn ranges_of_arguments_are_run_through() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let old = "int mul(int a, int b) { int i, c = 0; for (i = 0; i < b; i++) c += a; return c; }";
    let new =
        |extra: &str| format!("int mul(int a, int b) {{ int i, c = 0; for (i = 0; i < a; i++) c += b; {extra} return c; }}");
    let client = "int mul(int, int); int client(int x) { return x >= 245 && x < 312 ? mul(x, 280) : 0; }";
    std::fs::write(here.join("client.c"), client).unwrap();
    std::fs::write(here.join("old.c"), old).unwrap();
    for (extra, expected, by) in [
        ("", "equivalent", Some("execution")),
        ("if (a == 312 || a == 244) c++;", "equivalent", Some("execution")),
        ("if (a == 312) for (;;) c = 1;", "equivalent", Some("execution")),
        ("if ((a ^ 0x55) == 0x16a) c++;", "equivalent", Some("execution")),
        ("if (a == 311) c++;", "not-equivalent", None),
    ] {
        std::fs::write(here.join("new.c"), new(extra)).unwrap();
        let flags = ["--json", "--steps", "400000", "--undefined", "both", "--client", "client.c", "old.c", "new.c"];
        let ran = run("cse", flags, here).unwrap();
        let result: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((result["verdict"].as_str(), result["by"].as_str()), (Some(expected), by), "{extra}");
    }
    // The more arguments, the more it is asked whether there are others.
    std::fs::write(
        here.join("client.c"),
        "int mul(int, int); int client(int x) { return x >= 833 && x < 927 ? mul(x, 880) : 0; }",
    )
    .unwrap();
    std::fs::write(here.join("new.c"), new("")).unwrap();
    let flags = ["--steps", "2000000", "--undefined", "both", "--client", "client.c", "old.c", "new.c"];
    let ran = run("cse", flags, here).unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn who_is_affected_is_told_under_which_condition() {
    let folder = tempfile::tempdir().unwrap();
    let along = |[client, old, new]: [&str; 3]| {
        for (name, text) in [("client.c", client), ("old.c", old), ("new.c", new)] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let ran = cse(&["--json", "--client", "client.c", "old.c", "new.c"], folder.path());
        let result = EquivalenceResult::read(ran.stdout.as_bytes(), "result").unwrap();
        assert_eq!(result.verdict, NotEquivalent, "{}", ran.stdout);
        result.contexts.into_iter().flat_map(|context| context.along).collect::<Vec<_>>().join(" ")
    };
    let client = "int lib(int); int client(int x) { if (x < 0 || x > 1000) return 0; return lib(x); }";
    // Each version's own branches, and none of those that look for overflows.
    let new = "int lib(int v) { return v > 100 ? v * 2 + 1 : v * 2; }";
    assert_eq!(along([client, "int lib(int v) { return v * 2; }", new]), "[v > 100]");
    let (old, new) = ("int lib(int v) { if (v > 9) return 9; return v; }", "int lib(int v) { if (v >= 9) return 8; return v; }");
    assert_eq!(along([client, old, new]), "[!(v > 9)] [v >= 9]");
    // Of a loop each text once; not what the caller asks behind it; no more than eight.
    let client = "int lib(int); int client(int x) { int y = lib(x & 3); if (y > 2) y = 2; return y; }";
    let (old, new) =
        ("int lib(int v) { int s = 0; for (int i = 0; i < v + 1; i++) s++; return s; }", "int lib(int v) { return 0; }");
    assert_eq!(along([client, old, new]), "[i < v + 1] [!(i < v + 1)]");
    let many: String = (0..12).map(|bit| format!("if (v == {bit}) return {bit}; ")).collect();
    let texts = [client, &format!("int lib(int v) {{ v += 20; {many} return 1; }}"), "int lib(int v) { return 0; }"];
    let told = along(texts);
    assert!(told.starts_with("[!(v == 0)] [!(v == 1)]") && told.ends_with("[!(v == 7)] …"), "{told}");
}

#[test]
fn a_report_leads_to_the_call_that_its_message_names() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let client = "int lib(int); int pos(int);\nint client(int x, int y) {\nint a = pos(x & 3);\nreturn a * 100 + lib(y & 7); }\n";
    write("client.c", client);
    write("old.c", "int lib(int v) { return v; } int pos(int v) { return v; }\n");
    write("new.c", "int lib(int v) { return v == 0 ? 9 : v; } int pos(int v) { return v == 3 ? 0 : v; }\n");
    let flags = ["clients", "--library", "old.c", "--library", "new.c", "--report", "r.sarif", "client.c"];
    run("residue", flags, folder.path()).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.path().join("r.sarif")).unwrap()).unwrap();
    let result = &report["runs"][0]["results"][0];
    // Both calls are different; the inputs that are shown are about the second.
    assert!(result["message"]["text"].as_str().unwrap().starts_with("lib(0) in line 4"), "{result}");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 4, "{result}");
}
