//! Two objects have different addresses in every run of ours, and not in every run: memory comes again, and where one object ends
//! another one may begin. What hangs on that is neither TRUE nor FALSE; what does not is proved.

use std::fs;

use residue_tests::run;

fn verdict(body: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "extern void reach_error(void); extern int in(void);\n
        extern void *malloc(unsigned long); extern void *realloc(void *, unsigned long); extern void free(void *);\n{body}"
    );
    fs::write(folder.path().join("program.c"), text).unwrap();
    run("verify", ["-q", "program.c"], folder.path()).unwrap().last_line().to_owned()
}

/// A program whose verdict would hang on where things lie.
fn assert_undecided(what: &str, body: &str) {
    let verdict = verdict(body);
    assert!(verdict.starts_with("UNKNOWN"), "{what}: {verdict}");
}

#[test]
fn addresses_that_another_run_may_have_the_same_decide_nothing() {
    for (what, body) in [
        (
            "memory that was freed",
            "int main(void) { int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) reach_error(); return 0; }",
        ),
        (
            "perhaps freed",
            "int main(void) { int *p = malloc(4); if (in()) free(p); int *q = malloc(4); if (p && p == q) reach_error(); return 0; }",
        ),
        (
            "as a number",
            "int main(void) { unsigned long p = (unsigned long)malloc(4); free((void *)p); unsigned long q = (unsigned long)malloc(4); if (p && p == q) reach_error(); return 0; }",
        ),
        (
            "enlarged in place",
            "int main(void) { int *p = malloc(4); *p = in(); int *q = realloc(p, 8); if (q && q != p) return 0; if (q) reach_error(); return 0; }",
        ),
        (
            "an object of an earlier call",
            "int *keep; void f(void) { int a = 0; if (keep == &a) reach_error(); keep = &a; } int main(void) { f(); f(); return 0; }",
        ),
        (
            "of another function",
            "int *f(void) { int a = 1; int *p = &a; return in() ? p : 0; } int g(int *p) { int b = 2; return p == &b; } int main(void) { if (g(f())) reach_error(); return 0; }",
        ),
        ("a neighbour", "int main(void) { int x = 1, y = 2; if (&x + 1 == &y || &y + 1 == &x) reach_error(); return x - y; }"),
        (
            "a neighbour behind one of many pointers",
            "int a, b, c, d, e, f, g, h, y; int *t[8] = { &a, &b, &c, &d, &e, &f, &g, &h }; int main(void) { int *p = t[in() & 7]; if (p + 1 == &y) reach_error(); return 0; }",
        ),
        (
            "a neighbour behind a pointer",
            "int a[2], b[2]; int main(void) { int *p = in() ? a + 1 : a; if (p + 1 == b) reach_error(); return 0; }",
        ),
    ] {
        assert_undecided(what, body);
    }
}

#[test]
fn objects_that_live_together_have_different_addresses() {
    for (what, body) in [
        (
            "two locals",
            "int same(int *p, int *q) { return p == q; } int main(void) { int x = in(), y = x; if (same(&x, &y)) reach_error(); return 0; }",
        ),
        (
            "two pieces",
            "int main(void) { int *p = malloc(4), *q = malloc(4); if (p && p == q) reach_error(); if (in()) free(p); return 0; }",
        ),
        (
            "all the way to the end",
            "int main(void) { int a[4], n = 0; for (int *p = a; p != a + 4; p++) n++; if (n != 4) reach_error(); return 0; }",
        ),
        ("two globals", "int x, y; int main(void) { int *p = in() ? &x : &y; if (p == &x && p == &y) reach_error(); return 0; }"),
        (
            "a local that is there and one of a call",
            "int f(int *p) { int b = 2; return p == &b; } int main(void) { int x = in(); if (f(&x)) reach_error(); return 0; }",
        ),
        ("freed and null", "int main(void) { int *p = malloc(4); free(p); if (p == 0) reach_error(); return 0; }"),
        (
            "freed both, nothing new",
            "int main(void) { int *p = malloc(4), *q = malloc(4); free(p); free(q); if (p == q) reach_error(); return 0; }",
        ),
    ] {
        assert_eq!(verdict(body), "TRUE", "{what}");
    }
}

#[test]
fn bits_and_the_order_of_addresses_of_functions_decide_nothing() {
    const FUNCTIONS: &str = "int f(int x) { return x; } int g(int x) { return x + 1; } typedef int (*F)(int);";
    for (what, body) in [
        ("their order", "int main(void) { if ((unsigned long)f < (unsigned long)g) reach_error(); return 0; }"),
        ("their order, turned", "int main(void) { if ((unsigned long)f > (unsigned long)g) reach_error(); return 0; }"),
        ("the lowest bits", "int main(void) { if ((unsigned long)f & 15) reach_error(); return 0; }"),
        ("the lowest bits, turned", "int main(void) { if (!((unsigned long)f & 15)) reach_error(); return 0; }"),
        ("the lowest byte", "int main(void) { if (!(char)(unsigned long)g) reach_error(); return 0; }"),
        ("the lowest half", "int main(void) { int low = (int)(long)g; if (low == 0) reach_error(); return 0; }"),
        ("of one of two", "int main(void) { F p = in() ? f : g; if ((unsigned long)p % 16) reach_error(); return 0; }"),
    ] {
        assert_undecided(what, &format!("{FUNCTIONS}\n{body}"));
    }
    for (what, body) in [
        ("there and back", "int main(void) { unsigned long a = (unsigned long)f; if (((F)a)(3) != 3) reach_error(); return 0; }"),
        ("two functions", "int main(void) { F p = in() ? f : g; if (p == f && p == g) reach_error(); return 0; }"),
        ("never null", "int main(void) { unsigned long a = (unsigned long)g; if (a == 0) reach_error(); return 0; }"),
        (
            "moved and moved back",
            "int main(void) { unsigned long a = (unsigned long)g; a += 4; a -= 4; if (((F)a)(3) != 4) reach_error(); return 0; }",
        ),
    ] {
        assert_eq!(verdict(&format!("{FUNCTIONS}\n{body}")), "TRUE", "{what}");
    }
}

const ONE_OF_TWO: &str = "extern unsigned long __VERIFIER_nondet_ulong(void); int x, y; unsigned long kept, *where = &kept; struct S { int a; unsigned long n; } s;";

#[test]
fn bits_of_addresses_decide_nothing_whichever_way_they_come() {
    for (what, body) in [
        ("one of two", "int main(void) { int *p = in() ? &x : &y; if ((unsigned long)p & 8) reach_error(); return 0; }"),
        (
            "one of two paths",
            "int main(void) { int *p = &x; if (in()) p = &y; if ((unsigned long)p % 16) reach_error(); return 0; }",
        ),
        (
            "behind a loop",
            "int main(void) { int *p = &x, i = in(); if (i) p = &y; while (i < 5) { i++; if ((unsigned long)p >> 63) reach_error(); } return 0; }",
        ),
        (
            "as a number behind a loop",
            "int main(void) { int i = in(); unsigned long a = (unsigned long)(i ? &x : &y); while (i < 5) { i++; if (a & 8) reach_error(); } return 0; }",
        ),
        (
            "in memory",
            "int main(void) { int i = in(); *where = (unsigned long)(i ? &x : &y); while (i < 5) { i++; if (kept & 8) reach_error(); } return 0; }",
        ),
        (
            "in a member",
            "int main(void) { int i = in(); s.n = (unsigned long)(i ? &x : &y); while (i < 5) { i++; if (s.n & 8) reach_error(); } return 0; }",
        ),
        (
            "of a function",
            "unsigned long f(int *p) { return (unsigned long)p + 4; } int main(void) { int i = in(); unsigned long a = f(i ? &x : &y); while (i < 5) { i++; if (a * 3 == 7) reach_error(); } return 0; }",
        ),
        (
            "from the start",
            "unsigned long a = (unsigned long)&x; int main(void) { int i = in(); while (i < 4) { i++; if (in()) a = 5; if (a & 8) reach_error(); } return 0; }",
        ),
        (
            "cut behind a loop",
            "int main(void) { int i = in(); unsigned long a = (unsigned long)(i ? &x : &y); while (i < 5) { i++; if ((int)a == 12345) reach_error(); } return 0; }",
        ),
    ] {
        assert_undecided(what, &format!("{ONE_OF_TWO}\n{body}"));
    }
}

#[test]
fn numbers_beside_addresses_are_still_numbers() {
    for (what, body) in [
        (
            "a number beside one",
            "int main(void) { unsigned long n = __VERIFIER_nondet_ulong(), k = n; kept = (unsigned long)&x; unsigned long m = n; if (n % 2 == 0 && (k & 1) && m == n) reach_error(); return 0; }",
        ),
        (
            "an error as a pointer",
            "int main(void) { int *p = in() ? &x : (int *)-12L; long e = (long)p; if (p != &x && (int)e != -12) reach_error(); return 0; }",
        ),
        (
            "a small number in the same variable",
            "int main(void) { int i = in(); unsigned long a = (unsigned long)&x; if (i) a = 6; while (i < 5) { i++; if (a < 100 && (a & 1)) reach_error(); } return 0; }",
        ),
        (
            "there and back",
            "int main(void) { int *p = in() ? &x : &y; unsigned long a = (unsigned long)p; x = 1; y = 2; if (*(int *)a != *p) reach_error(); return 0; }",
        ),
        (
            "a distance",
            "int main(void) { static int t[8]; int *p = t + (in() & 7); if (((unsigned long)p - (unsigned long)t) / 4 > 7) reach_error(); return 0; }",
        ),
    ] {
        assert_eq!(verdict(&format!("{ONE_OF_TWO}\n{body}")), "TRUE", "{what}");
    }
}

#[test]
fn parts_of_stored_pointers_decide_nothing() {
    const OBJECTS: &str = "extern void *memcpy(void *, const void *, unsigned long); int x, y; int f(void) { return 1; }\n\
        union { int *p; unsigned long n; unsigned char b[8]; } u; union { int (*p)(void); unsigned char b[8]; } v; struct { int *p; long n; } s;";
    for (what, body) in [
        ("a union", "int main(void) { u.p = &x; if (u.n & 8) reach_error(); return 0; }"),
        (
            "a union behind a loop",
            "int main(void) { int i = in(); u.p = i ? &x : &y; while (i < 4) { i++; if (u.n & 8) reach_error(); } return 0; }",
        ),
        ("a byte of a union", "int main(void) { u.p = in() ? &x : &y; if (u.b[0] == 1) reach_error(); return 0; }"),
        ("a byte of a function", "int main(void) { v.p = f; if (v.b[0] == 1) reach_error(); return 0; }"),
        ("a copy", "int main(void) { int *p = &x; unsigned long n; memcpy(&n, &p, 8); if (n & 8) reach_error(); return 0; }"),
        ("a number behind a pointer", "int main(void) { int *p = &x; if (*(unsigned long *)&p & 8) reach_error(); return 0; }"),
        ("a byte behind a pointer", "int main(void) { int *p = &x; if (*(unsigned char *)&p & 8) reach_error(); return 0; }"),
        (
            "a byte of one of two",
            "int main(void) { int *p = in() ? &x : &y; if (*(unsigned char *)&p & 8) reach_error(); return 0; }",
        ),
    ] {
        assert_undecided(what, &format!("{OBJECTS}\n{body}"));
    }
    for (what, body) in [
        ("a number in a union", "int main(void) { u.p = &x; u.n = 7; if (u.b[0] != 7 || (u.n & 8)) reach_error(); return 0; }"),
        ("a null pointer", "int main(void) { u.p = 0; if (u.b[3] || u.n) reach_error(); return 0; }"),
        (
            "the same twice",
            "int main(void) { u.p = in() ? &x : &y; unsigned long n = u.n; if (u.p != (int *)n) reach_error(); return 0; }",
        ),
        ("a member beside", "int main(void) { s.p = &x; s.n = in(); if (s.n % 2 == 0 && (s.n & 1)) reach_error(); return 0; }"),
    ] {
        assert_eq!(verdict(&format!("{OBJECTS}\n{body}")), "TRUE", "{what}");
    }
}

#[test]
fn pointers_within_records_are_no_numbers() {
    const OBJECTS: &str = "extern void *memcpy(void *, const void *, unsigned long); int x, y; struct S { int *p; long n; } s, d; struct { long a, b; } t; char b[16];\n\
        void copy(void *to, const void *from, unsigned n) { char *t = to; const char *f = from; while (n--) *t++ = *f++; }\n\
        unsigned long number(void *p) { unsigned long r = 0; unsigned char *b = p; for (int k = 0; k < 8; k++) r |= (unsigned long)b[k] << 8 * k; return r; }";
    for (what, body) in [
        ("a byte", "int main(void) { s.p = &x; if (((unsigned char *)&s)[0] & 8) reach_error(); return 0; }"),
        ("a word", "int main(void) { s.p = &x; if (*(unsigned long *)&s & 8) reach_error(); return 0; }"),
        ("all bytes", "int main(void) { s.p = &x; if (number(&s) & 8) reach_error(); return 0; }"),
        ("a copy", "int main(void) { s.p = &x; memcpy(&t, &s, sizeof s); if (t.a & 8) reach_error(); return 0; }"),
        ("as another record", "int main(void) { s.p = &x; t = *(__typeof__(t) *)&s; if (t.a & 8) reach_error(); return 0; }"),
        ("a copy by bytes", "int main(void) { s.p = &x; copy(b, &s, 8); if (b[0] & 8) reach_error(); return 0; }"),
        ("a copy to a number", "int main(void) { s.p = &x; copy(&t, &s, 8); if (t.a & 8) reach_error(); return 0; }"),
        ("a copy to a member beside", "int main(void) { s.p = &x; copy(&d.n, &s.p, 8); if (d.n & 8) reach_error(); return 0; }"),
        (
            "a copy to allocated memory",
            "int main(void) { char *h = malloc(8); s.p = &x; copy(h, &s.p, 8); if (h[0] & 8) reach_error(); return 0; }",
        ),
    ] {
        assert_undecided(what, &format!("{OBJECTS}\n{body}"));
    }
    for (what, body) in [
        (
            "copied by bytes",
            "int main(void) { s.p = in() ? &x : &y; s.n = 7; copy(&d, &s, sizeof s); if (d.p != s.p || d.n != 7) reach_error(); return 0; }",
        ),
        (
            "copied to allocated memory",
            "int main(void) { s.p = &x; struct S *m = malloc(sizeof *m); if (!m) return 0; copy(m, &s, sizeof s); if (m->p != &x) reach_error(); return 0; }",
        ),
        (
            "narrow numbers beside",
            "int main(void) { s.p = &x; s.n = in() & 7; int a = ((int *)&s)[2], b = ((int *)&s)[2]; if (a - b || a < b) reach_error(); return 0; }",
        ),
        (
            "a number beside",
            "int main(void) { s.p = &x; s.n = in() & 7; long n = ((long *)&s)[1]; if (n > 7 || n % 2 == 0 && (s.n & 1)) reach_error(); return 0; }",
        ),
    ] {
        assert_eq!(verdict(&format!("{OBJECTS}\n{body}")), "TRUE", "{what}");
    }
}

#[test]
fn the_order_of_objects_decides_nothing_behind_loops() {
    const OBJECTS: &str =
        "int x, y, t[10], u[10]; void clear(int *p, int *end) { while (p < end) { if (end - p > 10) reach_error(); *p++ = 0; } }";
    for (what, body) in [
        (
            "pointers",
            "int main(void) { int i = in(); int *a = &x, *b = &y; while (i < 4) { i++; if (i == 2) a = &x; } if (a > b) reach_error(); return 0; }",
        ),
        (
            "numbers",
            "int main(void) { int i = in(); unsigned long a = (unsigned long)&x, b = (unsigned long)&y; while (i < 4) { i++; if (i == 2) a = a + 0; } if (a > b) reach_error(); return 0; }",
        ),
        (
            "one of two each",
            "int main(void) { int *p = in() ? t : u, *q = in() ? t + 5 : u + 5; if (p < q) return 0; if (p == t && q == u + 5) reach_error(); return 0; }",
        ),
        ("labels", "int main(void) { void *a = &&l, *b = &&m; if (in()) goto *a; m: if (a < b) reach_error(); l: return 0; }"),
        (
            "the other order of labels",
            "int main(void) { void *a = &&l, *b = &&m; if (in()) goto *a; m: if (a > b) reach_error(); l: return 0; }",
        ),
        (
            "bits of labels",
            "int main(void) { void *a = &&l; if (in()) goto *a; if ((unsigned long)a & 4) reach_error(); l: return 0; }",
        ),
    ] {
        assert_undecided(what, &format!("{OBJECTS}\n{body}"));
    }
    for (what, body) in [
        ("each within its own", "int main(void) { clear(t, t + 10); clear(u, u + 10); return 0; }"),
        (
            "null or not",
            "int main(void) { int *p = 0; if (in()) p = &x; if (p > (int *)0 && p != &x) reach_error(); if ((unsigned long)p > 0 && !p) reach_error(); return 0; }",
        ),
        (
            "a jump to a label",
            "int main(void) { void *a = in() ? &&l : &&m; int n = 0; goto *a; m: n = 1; l: if (n == 0 && a != &&l) reach_error(); return 0; }",
        ),
    ] {
        assert_eq!(verdict(&format!("{OBJECTS}\n{body}")), "TRUE", "{what}");
    }
}

#[test]
fn addresses_in_numbers_of_another_kind_decide_nothing() {
    const OBJECTS: &str =
        "int x, y; struct B { int *p; long n; } b; struct A { long a; int *p; }; struct { unsigned long lo : 5, hi : 59; } f;
        union { int *p; double d; } u; long get(struct A *a) { return a->a; }";
    for (what, body) in [
        ("wider", "int main(void) { unsigned __int128 v = (unsigned long)&x; if (v & 8) reach_error(); return 0; }"),
        (
            "wider, cut again",
            "int main(void) { unsigned __int128 v = (unsigned long)(in() ? &x : &y); if ((unsigned long)(v >> 3) & 1) reach_error(); return 0; }",
        ),
        ("a bit-field", "int main(void) { f.lo = (unsigned long)(in() ? &x : &y); if (f.lo & 8) reach_error(); return 0; }"),
        ("a number beside", "int main(void) { if ((unsigned long)&x > 0x40000010ul) reach_error(); return 0; }"),
        ("the same number", "int main(void) { if (in() && (unsigned long)&x == 0x404028ul) reach_error(); return 0; }"),
        ("a pointer beside", "int main(void) { if (&x < (int *)0x700000000000) return 0; reach_error(); return 0; }"),
        ("a float read", "int main(void) { b.p = in() ? &x : &y; if (*(double *)&b > 1e-310) reach_error(); return 0; }"),
        ("a float of a union", "int main(void) { u.p = &x; if (u.d > 1e-310) reach_error(); return 0; }"),
        ("made a float", "int main(void) { double d = (unsigned long)&x; if (in() && d > 1e9) reach_error(); return 0; }"),
        ("another record", "int main(void) { b.p = &x; if (((struct A *)&b)->a & 8) reach_error(); return 0; }"),
        (
            "another record behind a loop",
            "int main(void) { int i = in(); b.p = in() ? &x : &y; while (i < 4) { i++; if (get((struct A *)&b) & 8) reach_error(); } return 0; }",
        ),
    ] {
        assert_undecided(what, &format!("{OBJECTS}\n{body}"));
    }
    for (what, body) in [
        (
            "wider and back",
            "int main(void) { x = in() & 1; unsigned __int128 v = (unsigned long)&x; if (v & 3) reach_error(); if (*(int *)(unsigned long)v > 1) reach_error(); return 0; }",
        ),
        (
            "one of two kinds",
            "int main(void) { int k = in(); if (k) u.d = 2.5; else u.p = &x; if (k && u.d != 2.5) reach_error(); if (!k && u.p != &x) reach_error(); return 0; }",
        ),
        (
            "a record that begins alike",
            "struct C { int *p; long n; int m; } c; int main(void) { c.n = in() & 7; c.p = &x; struct B *s = (struct B *)&c; if (s->n & 8) reach_error(); if (s->p != &x) reach_error(); return 0; }",
        ),
        (
            "an error",
            "int main(void) { int *p = in() ? &x : (int *)-12l; if (p != &x && (unsigned long)p <= (unsigned long)-4096l) reach_error(); return 0; }",
        ),
        (
            "numbers as large as addresses",
            "int main(void) { unsigned long n = (1ul << 31) >> 1, m = in() ? 0x40000010 : 0; double d = n; if (n != 1073741824ul || d != 1073741824.0 || m > 0x40000010ul) reach_error(); return 0; }",
        ),
        ("a wide field", "int main(void) { f.hi = in() & 7; f.lo = in(); if (f.hi > 7 || f.lo > 31) reach_error(); return 0; }"),
    ] {
        assert_eq!(verdict(&format!("{OBJECTS}\n{body}")), "TRUE", "{what}");
    }
}

/// Without an address a number is one, and what it is decides.
#[test]
fn numbers_as_large_as_addresses_decide() {
    let body = "int x; int main(void) { unsigned long n = 1ul << (30 + (in() & 3)); double d = n; x = n == 1073741824ul && d == 1073741824.0; if (x) reach_error(); return 0; }";
    assert_eq!(verdict(body), "FALSE(unreach-call)");
}
