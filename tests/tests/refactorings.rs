//! Refactorings, each with a sibling that looks like it and breaks the property: nothing is left to check of the one, the
//! other is left to check, and the certificates of both are found right.

use diffdp::{Config, Detected, Wanted, detect_with};
use residue_tests::oracle::Sample;

/// What a change is called, what both programs begin with, the original, the same otherwise, and something else.
struct Change {
    name: &'static str,
    original: &'static str,
    harmless: &'static str,
    wrong: &'static str,
}

fn program(text: &str) -> String {
    let text = text.replace("in()", "__VERIFIER_nondet_uchar()");
    format!("extern void reach_error(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n{text}\n")
}

/// Detects with a configuration, has the certificate checked, and returns whether something is left and whether a
/// regression is covered.
fn judge(sample: &Sample, config: &Config) -> (bool, bool) {
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let Detected { graph, certificate, .. } = detect_with(&sample.original, &sample.modified, config, wanted, &mut || false);
    let checked = validate::validate(&sample.original, &sample.modified, &graph, &certificate.unwrap());
    assert!(checked.is_ok(), "{}: {}", checked.unwrap_err(), sample.describe());
    (!graph.indicators.is_empty(), sample.judge(&graph).unsound)
}

fn check(changes: &[Change], config: &Config) {
    for Change { name, original, harmless, wrong } in changes {
        let [original, harmless, wrong] = [original, harmless, wrong].map(|text| program(text));
        let same = Sample::from_texts(&original, &harmless);
        assert!(same.safe && same.violations.is_empty(), "{name} is a regression");
        assert_eq!(judge(&same, config), (false, false), "{name}");
        let other = Sample::from_texts(&original, &wrong);
        assert!(other.is_regression(), "{name}: what is wrong is none");
        assert_eq!(judge(&other, config), (true, false), "{name}, wrong");
    }
}

#[test]
fn variables_are_renamed() {
    check(
        &[
            Change {
                name: "a local variable",
                original: "int main(void) { int a = in(); int b = a + 1; if (b < a) reach_error(); }",
                harmless: "int main(void) { int a = in(); int c = a + 1; if (c < a) reach_error(); }",
                wrong: "int main(void) { int a = in(); int c = a - 1; if (c < a) reach_error(); }",
            },
            Change {
                name: "all of a loop's",
                original: "int main(void) { int n = in(); int s = 0; while (n > 0) { s = s + 2; n = n - 1; } if (s == 5) reach_error(); }",
                harmless: "int main(void) { int k = in(); int t = 0; while (k > 0) { t = t + 2; k = k - 1; } if (t == 5) reach_error(); }",
                wrong: "int main(void) { int k = in(); int t = 1; while (k > 0) { t = t + 2; k = k - 1; } if (t == 5) reach_error(); }",
            },
            Change {
                name: "two of one type that are told apart by use",
                original: "int main(void) { int a = in(); int b = 4; if (a == b) reach_error(); a = a - b; if (a > 0) reach_error(); }",
                harmless: "int main(void) { int v = in(); int u = 4; if (v == u) reach_error(); v = v - u; if (v > 0) reach_error(); }",
                wrong: "int main(void) { int v = in(); int u = 4; if (v == u) reach_error(); v = u - v; if (v > 0) reach_error(); }",
            },
            Change {
                name: "one that pointers lead to",
                original: "int main(void) { int a[2]; int *p = a; a[0] = in(); a[1] = 4; if (*p + a[1] < 4) reach_error(); }",
                harmless: "int main(void) { int b[2]; int *p = b; b[0] = in(); b[1] = 4; if (*p + b[1] < 4) reach_error(); }",
                wrong: "int main(void) { int b[2]; int *p = b; b[0] = in(); b[1] = 4; if (*p + b[1] < 5) reach_error(); }",
            },
            Change {
                name: "parameters that changed places",
                original: "int f(int x, int y) { if (x > 1) return x; return x + y; } int main(void) { if (f(in(), 1) > 2) reach_error(); }",
                harmless: "int f(int v, int w) { if (v > 1) return v; return v + w; } int main(void) { if (f(in(), 1) > 2) reach_error(); }",
                wrong: "int f(int v, int w) { if (v > 0) return v; return w + 3; } int main(void) { if (f(in(), 1) > 2) reach_error(); }",
            },
            Change {
                name: "a static one",
                original: "int f(void) { static int calls = 1; calls = calls + 1; return calls; } int main(void) { f(); if (f() > 3) reach_error(); }",
                harmless: "int f(void) { static int count = 1; count = count + 1; return count; } int main(void) { f(); if (f() > 3) reach_error(); }",
                wrong: "int f(void) { static int count = 2; count = count + 1; return count; } int main(void) { f(); if (f() > 3) reach_error(); }",
            },
        ],
        &Config::default(),
    );
}

#[test]
fn functions_and_static_variables_are_renamed() {
    check(
        &[
            Change {
                name: "a function",
                original: "int add(int x, int y) { return x + y; } int main(void) { int a = in(); if (add(a, 2) == 0) reach_error(); }",
                harmless: "int sum(int x, int y) { return x + y; } int main(void) { int a = in(); if (sum(a, 2) == 0) reach_error(); }",
                wrong: "int sum(int x, int y) { return x - y; } int main(void) { int a = in(); if (sum(a, 2) == 0) reach_error(); }",
            },
            Change {
                name: "a static variable of the program",
                original: "static int total; int main(void) { total = total + in(); total = total + 1; if (total == 0) reach_error(); }",
                harmless: "static int all; int main(void) { all = all + in(); all = all + 1; if (all == 0) reach_error(); }",
                wrong: "static int all; int main(void) { all = all - in(); all = all + 1; if (all == 0) reach_error(); }",
            },
            Change {
                name: "a static variable that starts with another value",
                original: "static int limit = 3; int main(void) { if (in() + limit == 2) reach_error(); limit = 4; }",
                harmless: "static int most = 3; int main(void) { if (in() + most == 2) reach_error(); most = 4; }",
                wrong: "static int most = 2; int main(void) { if (in() + most == 2) reach_error(); most = 4; }",
            },
            Change {
                name: "both, with their callers",
                original: "static int t; static void put(int x) { t = t + x; } static void both(int x) { put(x); put(3); }
                    int main(void) { both(in()); if (t == 2) reach_error(); }",
                harmless: "static int sum; static void add(int x) { sum = sum + x; } static void twice(int x) { add(x); add(3); }
                    int main(void) { twice(in()); if (sum == 2) reach_error(); }",
                wrong: "static int sum; static void add(int x) { sum = sum + x; } static void twice(int x) { add(x); add(2); }
                    int main(void) { twice(in()); if (sum == 2) reach_error(); }",
            },
            Change {
                name: "two functions of one shape that are told apart by what they write",
                original: "static int a, b; static void seta(int x) { a = x; } static void setb(int x) { b = x; }
                    int main(void) { seta(in()); setb(3); if (a == 1 && b == 4) reach_error(); }",
                harmless: "static int a, b; static void first(int x) { a = x; } static void second(int x) { b = x; }
                    int main(void) { first(in()); second(3); if (a == 1 && b == 4) reach_error(); }",
                wrong: "static int a, b; static void first(int x) { a = x; } static void second(int x) { b = x; }
                    int main(void) { first(in()); second(4); if (a == 1 && b == 4) reach_error(); }",
            },
            Change {
                name: "functions in a table",
                original: "static int up(int x) { return x + 1; } static int down(int x) { return x - 1; }
                    static int (*const table[2])(int) = {up, down};
                    int main(void) { int (*f)(int) = table[in() & 1]; if (f == up && table[1] == f) reach_error(); }",
                harmless: "static int more(int x) { return x + 1; } static int less(int x) { return x - 1; }
                    static int (*const table[2])(int) = {more, less};
                    int main(void) { int (*f)(int) = table[in() & 1]; if (f == more && table[1] == f) reach_error(); }",
                wrong: "static int more(int x) { return x + 1; } static int less(int x) { return x - 1; }
                    static int (*const table[2])(int) = {more, less};
                    int main(void) { int (*f)(int) = table[in() & 1]; if (f == less && table[1] == f) reach_error(); }",
            },
        ],
        &Config::default(),
    );
}

#[test]
fn values_are_named_and_moved() {
    check(
        &[
            Change {
                name: "a sum",
                original: "int main(void) { int a = in(), b = in(); int x = (a + b) * 2; if (x == 7) reach_error(); }",
                harmless: "int main(void) { int a = in(), b = in(); int t = a + b; int x = t * 2; if (x == 7) reach_error(); }",
                wrong: "int main(void) { int a = in(), b = in(); int t = a + b; int x = t * 2 + 1; if (x == 7) reach_error(); }",
            },
            Change {
                name: "a sum in a loop",
                original: "int main(void) { int n = in(), s = 0; for (int i = 0; i < n; i++) s = s + (i + i) * 2; if (s == 6) reach_error(); }",
                harmless: "int main(void) { int n = in(), s = 0; for (int i = 0; i < n; i++) { int t = i + i; s = s + t * 2; } if (s == 6) reach_error(); }",
                wrong: "int main(void) { int n = in(), s = 0, t = 3; for (int i = 0; i < n; i++) { s = s + t * 2; t = i + i; } if (s == 6) reach_error(); }",
            },
            Change {
                name: "a condition",
                original: "int main(void) { int a = in(), x = 0; if (a > 1) x = 1; if (x == 2) reach_error(); }",
                harmless: "int main(void) { int a = in(), x = 0; const _Bool big = a > 1; if (big) x = 1; if (x == 2) reach_error(); }",
                wrong: "int main(void) { int a = in(), x = 0; const _Bool big = a > 1; if (big) x = 2; if (x == 2) reach_error(); }",
            },
            Change {
                name: "a function for a value",
                original: "int main(void) { int a = in(); int x = (a + 1) * 2; if (x == 7) reach_error(); }",
                harmless: "static int twice(int v) { int w = v + v - v; w = v; return w * 2; } int main(void) { int a = in(); int x = twice(a + 1); if (x == 7) reach_error(); }",
                wrong: "static int twice(int v) { int w = v; w = w + 1; return w * 2 + 1; } int main(void) { int a = in(); int x = twice(a + 1); if (x == 7) reach_error(); }",
            },
            Change {
                name: "a value for a function",
                original: "static int twice(int v) { int w = v; return w * 2; } int main(void) { int a = in(); int x = twice(a + 1); if (x == 7) reach_error(); }",
                harmless: "int main(void) { int a = in(); int x = (a + 1) * 2; if (x == 7) reach_error(); }",
                wrong: "int main(void) { int a = in(); int x = (a + 1) * 2 + 1; if (x == 7) reach_error(); }",
            },
            Change {
                name: "statements that do not depend on each other",
                original: "int g, h; int main(void) { int a = in(); g = a * 2; h = a + 1; if (g == 7 && h > 0) reach_error(); }",
                harmless: "int g, h; int main(void) { int a = in(); h = a + 1; g = a * 2; if (g == 7 && h > 0) reach_error(); }",
                wrong: "int g, h; int main(void) { int a = in(); h = a + 1; g = h * 2 + 1; if (g == 7 && h > 0) reach_error(); }",
            },
            Change {
                name: "a number that is there already",
                original: "int a, b; void set(void) { a = 0; } void sum(void) { a = b + 1; } int main(void) { set(); sum(); if (a != b + 1) reach_error(); }",
                harmless: "int a, b; void sum(void) { a = b + 1; } void set(void) { a = 0; b = 0; sum(); } int main(void) { set(); if (a != b + 1) reach_error(); }",
                wrong: "int a, b; void sum(void) { a = b + 1; } void set(void) { a = 0; b = 2; sum(); } int main(void) { set(); if (a == 3) reach_error(); }",
            },
            Change {
                name: "a flag that is cleared twice",
                original: "int main(void) { int n = in(), seen = 0; for (int i = 0; i < n; i++) if (i == 2) seen = 1; if (seen && n < 3) reach_error(); }",
                harmless: "int main(void) { int n = in(), seen = 0; seen = 0; for (int i = 0; i < n; i++) if (i == 2) seen = 1; if (seen && n < 3) reach_error(); }",
                wrong: "int main(void) { int n = in(), seen = 0; for (int i = 0; i < n; i++) { if (i == 2) seen = 1; } seen = 1; if (seen && n < 3) reach_error(); }",
            },
        ],
        &Config::default(),
    );
}

/// What variables hold decides branches: a way that cannot be gone is none, and one that can is.
#[test]
fn branches_are_ruled_out() {
    check(
        &[
            Change {
                name: "a flag that nobody sets",
                original: "int f(int a) { return a & 1; } int main(void) { if (f(in()) > 1) reach_error(); }",
                harmless: "int f(int a, int u) { if (u) return a; return a & 1; } int main(void) { if (f(in(), 0) > 1) reach_error(); }",
                wrong: "int f(int a, int u) { if (u) return a; return a & 1; } int main(void) { if (f(in(), 1) > 1) reach_error(); }",
            },
            Change {
                name: "a mode that is another one",
                original: "int f(int a) { return a & 1; } int main(void) { if (f(in()) > 1) reach_error(); }",
                harmless: "int f(int a, unsigned m) { if (m == 2 || m > 7) return a; return a & 1; } int main(void) { if (f(in(), 3) > 1) reach_error(); }",
                wrong: "int f(int a, unsigned m) { if (m == 2 || m > 7) return a; return a & 1; } int main(void) { if (f(in(), -3) > 1) reach_error(); }",
            },
            Change {
                name: "an address that is asked for",
                original: "int f(int *p) { return *p & 1; } int main(void) { int x = in(); if (f(&x) > 1) reach_error(); }",
                harmless: "int f(int *p) { if (!p) return 3; return *p & 1; } int main(void) { int x = in(); if (f(&x) > 1) reach_error(); }",
                wrong: "int f(int *p) { if (p) return *p; return 0; } int main(void) { int x = in(); if (f(&x) > 1) reach_error(); }",
            },
            Change {
                name: "a pointer that is lost",
                original: "struct s { int a, b; }; int f(int *p) { return *p & 1; } int main(void) { struct s x; x.b = in(); if (f(&x.b) > 1) reach_error(); }",
                harmless: "struct s { int a, b; }; int f(int *p) { if (p == 0) return 3; return *p & 1; } int main(void) { struct s x; x.b = in(); if (f(&x.b) > 1) reach_error(); }",
                wrong: "struct s { int a, b; }; int f(int *p) { if (*p == 1) p = 0; if (p == 0) return 3; return *p & 1; } int main(void) { struct s x; x.b = in(); if (f(&x.b) > 1) reach_error(); }",
            },
            Change {
                name: "a flag that something sets",
                original: "int main(void) { int x = in() & 1; if (x > 1) reach_error(); }",
                harmless: "int main(void) { int u = 0, v = 1, *p = &v; int x = in() & 1; *p = 1; if (u) x = 3; if (x > 1) reach_error(); }",
                wrong: "int main(void) { int u = 0, v = 1, *p = &u; int x = in() & 1; *p = 1; if (u) x = 3; if (x > 1) reach_error(); }",
            },
            Change {
                name: "one that is set in a later round",
                original: "int main(void) { int x = in() & 1; for (int i = 0; i < 2; i = i + 1) { if (x > 1) reach_error(); } }",
                harmless: "int main(void) { int x = in() & 1; int u = 0; for (int i = 0; i < 2; i = i + 1) { if (u) x = 3; if (x > 1) reach_error(); u = 0; } }",
                wrong: "int main(void) { int x = in() & 1; int u = 0; for (int i = 0; i < 2; i = i + 1) { if (u) x = 3; if (x > 1) reach_error(); u = 1; } }",
            },
            Change {
                name: "a result that is not kept",
                original: "int g(int x) { return x & 1; } int main(void) { int t = g(in()); if (t > 1) reach_error(); }",
                harmless: "int g(int x) { return x & 1; } int main(void) { if (g(in()) > 1) reach_error(); }",
                wrong: "int g(int x) { return x & 1; } int main(void) { if (g(in()) > 0) reach_error(); }",
            },
            Change {
                name: "a result of what has changed since",
                original: "int s; int g(int x) { return x & s; } int main(void) { s = 1; int t = g(in()); s = 3; if (t > 1) reach_error(); }",
                harmless: "int s; int g(int x) { return x & s; } int main(void) { s = 1; int r = g(in()); s = 3; if (r > 1) reach_error(); }",
                wrong: "int s; int g(int x) { return x & s; } int main(void) { s = 1; s = 3; if (g(in()) > 1) reach_error(); }",
            },
        ],
        &Config::default(),
    );
}

#[test]
fn choices_are_branches() {
    check(
        &[
            Change {
                name: "an `if` that became a `?:`",
                original: "int main(void) { int a = in(), x; if (a > 0 && a != 2) x = a; else x = 7; if (x == 2) reach_error(); }",
                harmless: "int main(void) { int a = in(), x = a > 0 && a != 2 ? a : 7; if (x == 2) reach_error(); }",
                wrong: "int main(void) { int a = in(), x = a > 0 && a != 3 ? a : 7; if (x == 2) reach_error(); }",
            },
            Change {
                name: "a `?:` that became an `if`",
                original: "int f(int a) { return a > 0 ? a - 1 : 5; } int main(void) { if (f(in()) == 6) reach_error(); }",
                harmless: "int f(int a) { if (a > 0) return a - 1; return 5; } int main(void) { if (f(in()) == 6) reach_error(); }",
                wrong: "int f(int a) { if (a > 0) return a - 1; return 6; } int main(void) { if (f(in()) == 6) reach_error(); }",
            },
            Change {
                name: "one of several choices",
                original: "int main(void) { int a = in(); char s = a < 1 ? 1 : a < 2 ? 2 : 3; if (s == 4) reach_error(); }",
                harmless: "int main(void) { int a = in(); char s; if (a < 1) s = 1; else { s = a < 2 ? 2 : 3; } if (s == 4) reach_error(); }",
                wrong: "int main(void) { int a = in(); char s; if (a < 1) s = 1; else { s = a < 2 ? 4 : 3; } if (s == 4) reach_error(); }",
            },
        ],
        &Config::default(),
    );
}

#[test]
fn choices_get_names_and_steps_lines() {
    check(
        &[
            Change {
                name: "a choice that got a name",
                original: "void check(int c) { if (!c) reach_error(); } int main(void) { int a = in(), b = in(); check((a > b ? a : b) >= a); }",
                harmless: "void check(int c) { if (!c) reach_error(); } int main(void) { int a = in(), b = in(); int m = a > b ? a : b; check(m >= a); }",
                wrong: "void check(int c) { if (!c) reach_error(); } int main(void) { int a = in(), b = in(); int m = a > b ? b : a; check(m >= a); }",
            },
            Change {
                name: "a choice that lost its name",
                original: "int f(int a, int b) { return a > b ? a : b; } int main(void) { int a = in(), b = in(); int m = a > b ? a : b + 1; int v = f(a, b); if (m + v < a) reach_error(); }",
                harmless: "int f(int a, int b) { int r = a > b ? a : b; return r; } int main(void) { int a = in(), b = in(); int v = f(a, b); if ((a > b ? a : b + 1) + v < a) reach_error(); }",
                wrong: "int f(int a, int b) { int r = a > b ? 0 : b; return r; } int main(void) { int a = in(), b = in(); int v = f(a, b); if ((a > b ? -1 : b + 1) + v < a) reach_error(); }",
            },
            Change {
                name: "a choice of what has changed since",
                original: "int main(void) { int a = in(), m = a > 1 ? a : 2; a = 1; if (m < (a > 1 ? a : 2)) reach_error(); }",
                harmless: "int main(void) { int a = in(); int m = a > 1 ? a : 2; a = 1; int n = a > 1 ? a : 2; if (m < n) reach_error(); }",
                wrong: "int main(void) { int a = in(); a = 1; int m = a > 1 ? a : 1; if (m < 2) reach_error(); }",
            },
            Change {
                name: "a condition that became a flag",
                original: "int main(void) { int a = in(); if (a > 0 && a < 2) { if (a == 2) reach_error(); } }",
                harmless: "int main(void) { int a = in(), ok; if (a > 0 && a < 2) ok = 1; else ok = 0; if (ok) { if (a == 2) reach_error(); } }",
                wrong: "int main(void) { int a = in(), ok; if (a > 0 && a < 3) ok = 1; else ok = 0; if (ok) { if (a == 2) reach_error(); } }",
            },
            Change {
                name: "a step on a line of its own",
                original: "int main(void) { int a[2], n = 0, v = in(); a[n++] = v; a[n++] = 3; if (a[0] > 255 || n > 2) reach_error(); }",
                harmless: "int main(void) { int a[2], n = 0, v = in(); a[n] = v; n++; a[n] = 3; n++; if (a[0] > 255 || n > 2) reach_error(); }",
                wrong: "int main(void) { int a[3], n = 0, v = in(); a[n] = v; n++; n++; a[n] = 3; n++; if (a[0] > 255 || n > 2) reach_error(); }",
            },
            Change {
                name: "steps of a loop that copies",
                original: "int main(void) { char s[3] = { 1, 2, 0 }, d[3], *p = s, *q = d; s[0] = in(); while (p < s + 3) { *q++ = *p++; } if (d[1] != 2) reach_error(); }",
                harmless: "int main(void) { char s[3] = { 1, 2, 0 }, d[3], *p = s, *q = d; s[0] = in(); while (p < s + 3) { *q = *p; q++; p++; } if (d[1] != 2) reach_error(); }",
                wrong: "int main(void) { char s[3] = { 1, 2, 0 }, d[3], *p = s, *q = d; s[0] = in(); while (p < s + 3) { *q = *p + (p == s + 1); q++; p++; } if (d[1] != 2) reach_error(); }",
            },
            Change {
                name: "a number that is taken before it is counted",
                original: "static int count; int next(void) { int id = count++; return id; } int main(void) { next(); if (next() != 1) reach_error(); }",
                harmless: "static int count; int next(void) { int id = count; count = count + 1; return id; } int main(void) { next(); if (next() != 1) reach_error(); }",
                wrong: "static int count; int next(void) { count = count + 1; int id = count; return id; } int main(void) { next(); if (next() != 1) reach_error(); }",
            },
        ],
        &Config::default(),
    );
}

#[test]
fn choices_among_constants_are_flags_and_names() {
    check(
        &[
            Change {
                name: "a flag that is set on two ways",
                original: "int main(void) { int a = in(), b = in(); int ok = a > 0 && b > 1 ? 1 : 0; if (!ok) { if (a + b == 4) reach_error(); } }",
                harmless: "int main(void) { int a = in(), b = in(), ok; if (a > 0 && b > 1) ok = 1; else ok = 0; if (!ok) { if (a + b == 4) reach_error(); } }",
                wrong: "int main(void) { int a = in(), b = in(), ok; if (a > 0 && b > 1) ok = 0; else ok = 1; if (!ok) { if (a + b == 4) reach_error(); } }",
            },
            Change {
                name: "a choice within a sum that got a name",
                original: "int main(void) { int a = in(), b = in(); int s = b + (a > b ? 1 : 0); if (s == 4) reach_error(); }",
                harmless: "int main(void) { int a = in(), b = in(); int ok = a > b ? 1 : 0; int s = b + ok; if (s == 4) reach_error(); }",
                wrong: "int main(void) { int a = in(), b = in(); int ok = a > b ? 2 : 0; int s = b + ok; if (s == 3) reach_error(); }",
            },
            Change {
                name: "functions that became choices",
                original: "int p(int a) { return a > 0 ? 1 : 0; } int main(void) { int a = in(), b = in(); if (p(a) + p(b) == 2) { if (a + b == 5) reach_error(); } }",
                harmless: "int main(void) { int a = in(), b = in(); if ((a > 0 ? 1 : 0) + (b > 0 ? 1 : 0) == 2) { if (a + b == 5) reach_error(); } }",
                wrong: "int main(void) { int a = in(), b = in(); if ((a > 0 ? 1 : 0) + (b > 0 ? 1 : 0) == 1) { if (a + b == 1) reach_error(); } }",
            },
        ],
        &Config::default(),
    );
}
