//! What is on the stack, and what is left at the end: blocks that end with a function or a scope are not accessed behind it, and
//! blocks that nothing points to are leaks. No sanitizer of gcc finds the first, and the second only as far as no old copy of a
//! pointer lies on the stack, so each row says what is true.

use std::fs;

use residue_tests::run;

const HEAD: &str = "#include <alloca.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\n\
                    static void stop(int n) { if (n) exit(0); }\n";

/// Whether a program keeps the property.
#[derive(Clone, Copy)]
enum Truth {
    Holds,
    Fails,
}
use Truth::{Fails, Holds};

/// What a verdict may be: this one, or, where `open`, UNKNOWN as well.
struct Row {
    truth: Truth,
    open: bool,
    text: &'static str,
}

const fn decided(truth: Truth, text: &'static str) -> Row {
    Row { truth, open: false, text }
}

const fn sound(truth: Truth, text: &'static str) -> Row {
    Row { truth, open: true, text }
}

const DEREFERENCES: &[Row] = &[
    // Behind the literal in the text, and before it in the next round.
    decided(
        Fails,
        "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) { if (p) return *p; p = (int[1]){ i }; } return 0; }",
    ),
    decided(
        Fails,
        "int main(void) { int *p = 0, n = 0; while (n < 2) { n++; if (p) *p = 3; p = (int[1]){ n }; } return 0; }",
    ),
    decided(
        Holds,
        "int main(void) { int n = 0, *p = 0; do { if (p) n += *p; } while ((p = (int[1]){ 1 }), n < 2); return 0; }",
    ),
    decided(
        Holds,
        "int main(void) { int *p = 0; for (int i = 0; i < 3; i++, p = (int[1]){ 2 }) if (p) *p = 1; return 0; }",
    ),
    // Where there is one run and functions of the C library could be computed.
    decided(Fails, "#include <string.h>\nint main(void) { char *p; { char s[2] = \"a\"; p = s; } return strlen(p); }"),
    decided(Fails, "#include <string.h>\nint main(void) { static const char k[4]; memset((void *)k, 1, 2); return 0; }"),
    decided(
        Fails,
        "#include <string.h>\nint main(void) { char *p; { char s[2] = \"a\"; p = s; } char t[2]; return memcmp(p, t, 0) + strcmp(p, \"a\"); }",
    ),
    decided(
        Fails,
        "struct S { int a; }; int main(void) { struct S *p; if (__VERIFIER_nondet_int()) p = &(struct S){ 1 }; else p = &(struct S){ 2 }; return p->a; }",
    ),
    decided(
        Fails,
        "int main(void) { int *p; do p = &(int){ 3 }; while (*p == 4); return 0; }",
    ),
    decided(
        Fails,
        "int main(void) { int *p; while (p = &(int){ __VERIFIER_nondet_int() }, *p > 4); return *p; }",
    ),
    decided(
        Fails,
        "int main(void) { int *p; if ((p = &(int){ 3 }), *p > 4) return 1; return *p; }",
    ),
    decided(
        Holds,
        "int main(void) { int *p, s = 0; if ((p = &(int){ 3 }), *p > 2) s = *p; { p = &(int){ 4 }; s += *p; } return s; }",
    ),
    decided(
        Holds,
        "int main(void) { int s = 0; for (int *p = &(int){ 3 }; *p > 0; *p -= 1) s += *p; return s; }",
    ),
    decided(
        Fails,
        "const int c = 1; int main(void) { *(int *)&c = 2; return 0; }",
    ),
    decided(
        Fails,
        "int main(void) { \"hello\"[0] = 'x'; return 0; }",
    ),
    decided(
        Holds,
        "int main(void) { char s[] = \"hello\"; s[0] = 'x'; return \"hello\"[0] == s[0]; }",
    ),
    decided(
        Fails,
        "static const int t[3] = { 1, 2, 3 }; static void put(int *p) { *p = 2; } int main(void) { put((int *)t + 1); return 0; }",
    ),
    decided(
        Fails,
        "static const struct { int a; } t = { 1 }; int main(void) { int *p = (int *)&t; *p = 2; return 0; }",
    ),
    decided(
        Holds,
        "static const int t[3] = { 1, 2, 3 }; static int get(const int *p) { return *p; } int main(void) { return get(t + 1); }",
    ),
    decided(
        Holds,
        "static int t[3]; static void put(const int *p) { *(int *)p = 2; } int main(void) { put(t + 1); return 0; }",
    ),
    decided(
        Fails,
        "int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { if (p) *p = 1; int x = 0; p = &x; *p = 2; } return 0; }",
    ),
    decided(
        Fails,
        "static int *g; static void use(void) { if (g) *g = 1; }
         int main(void) { for (int i = 0; i < 3; i++) { use(); int x = 0; g = &x; use(); } return 0; }",
    ),
    decided(
        Holds,
        "static int *g; static void use(void) { if (g) *g = 1; }
         int main(void) { for (int i = 0; i < 3; i++) { use(); int x = 0; g = &x; use(); g = 0; } return 0; }",
    ),
    sound(
        Holds,
        "int main(void) { int *p = 0, i = 0; for (;;) { again: if (p) *p = 1; int x = 0; p = &x; if (i++ < 2) goto again;
         p = 0; if (i > 5) break; } return 0; }",
    ),
    decided(
        Holds,
        "int main(void) { for (int i = 0, *q = &i, y = *q; i < 3; (*q)++) { int x = 1, *p = &x, z = *p; x = z + y; } return 0; }",
    ),
    decided(
        Holds,
        "struct n { struct n *next; int v; }; int main(void) { int s = 0; for (int i = 0; i < 3; i++) {
         struct n a = { &a, i }; s += a.next->v; int *q = &(int){ i }; s += *q; s += *&(int){ 2 }; } return s > 100; }",
    ),
    decided(
        Fails,
        "char *make(int n) { char *made = alloca(n); made[0] = 1; return made; } int main(void) { return make(4)[0] == 2; }",
    ),
    decided(
        Holds,
        "char *make(int n) { char *made = malloc(n); made[0] = 1; return made; } int main(void) { return make(4)[0] == 2; }",
    ),
    decided(
        Fails,
        "int *kept; void keep(int n) { int *cell = alloca(sizeof *cell); *cell = n; if (*cell > 3) cell = 0; kept = cell; }
         int main(void) { keep(__VERIFIER_nondet_int()); return kept ? *kept : 0; }",
    ),
    decided(
        Holds,
        "int *kept; void keep(int n) { int *cell = alloca(sizeof *cell); *cell = n; kept = *cell > 3 ? cell : 0; kept = 0; }
         int main(void) { keep(__VERIFIER_nondet_int()); return kept ? *kept : 0; }",
    ),
    decided(
        Fails,
        "int fixed; int *last(int n) { int a[n]; a[n - 1] = 3; return n > 1 ? &a[n - 1] : &fixed; }
         int main(void) { int n = __VERIFIER_nondet_int(); return n < 1 || n > 3 ? 0 : *last(n); }",
    ),
    decided(
        Holds,
        "int fixed; int *last(int n) { int a[n]; a[n - 1] = 3; return n > 3 ? &a[n - 1] : &fixed; }
         int main(void) { int n = __VERIFIER_nondet_int(); return n < 1 || n > 3 ? 0 : *last(n); }",
    ),
    decided(
        Fails,
        "int get(int *p) { return *p; } int main(void) { int n = __VERIFIER_nondet_int(), x = 1, *p = &x; if (n < 1 || n > 3) return 0;
         { int a[n]; a[0] = 2; if (n == 2) p = a; if (get(p) == 7) return 0; } return get(p); }",
    ),
    decided(
        Holds,
        "int get(int *p) { return *p; } int main(void) { int n = __VERIFIER_nondet_int(), x = 1, *p = &x; if (n < 1 || n > 3) return 0;
         { int a[n]; a[0] = 2; if (n == 2) p = a; if (get(p) == 7) return 0; p = &x; } return get(p); }",
    ),
    // What a recursive function has is not told apart from what it has further down.
    sound(
        Holds,
        "int f(int n) { char *p = alloca(n + 1); p[n] = 1; int r = n > 0 && n < 3 ? f(n - 1) : 0; p[n] = 2; return r + p[n]; }
         int main(void) { return f(2); }",
    ),
    sound(
        Holds,
        "int f(int n) { char p[n + 1]; p[n] = 1; int r = n > 0 && n < 3 ? f(n - 1) : 0; p[n] = 2; return r + p[n]; }
         int main(void) { return f(2); }",
    ),
    sound(
        Holds,
        "void put(char *p, int n) { p[n] = 1; } int f(int n) { char p[n + 1]; int r = n > 0 && n < 3 ? f(n - 1) : 0; put(p, n); return r; }
         int main(void) { return f(2); }",
    ),
    sound(
        Fails,
        "void put(char *p, int n) { p[n] = 1; } int f(int n) { char p[n + 1]; int r = n > 0 && n < 3 ? f(n - 1) : 0; put(p, n + 1); \
         return r; } int main(void) { return f(2); }",
    ),
    // The end of an array takes what was allocated since.
    sound(Fails, "int main(void) { char *p; { char a[__VERIFIER_nondet_int() != 0 ? 3 : 2]; a[0] = 1; p = alloca(2); } return p[0] = 2; }"),
    sound(Holds, "int main(void) { int n = __VERIFIER_nondet_int() & 3; int a[n + 1][2]; a[n][1] = 2; return a[n][1]; }"),
    sound(Fails, "int main(void) { int n = __VERIFIER_nondet_int() & 3; int a[2][n + 1]; a[0][n + 1] = 2; return 0; }"),
    decided(Fails, "int main(void) { int n = __VERIFIER_nondet_int() & 3; int a[n]; return (a[0] = 1) - 1; }"),
    decided(Fails, "struct s { int x, y; }; int main(void) { int n = __VERIFIER_nondet_int() & 3; struct s a[n]; a->y = 1; return 0; }"),
];

const ENDS: &[Row] = &[
    sound(
        Holds,
        "struct s { char *p; }; int main(void) { struct s s; s.p = malloc(2); stop(__VERIFIER_nondet_int()); free(s.p); return 0; }",
    ),
    decided(
        Holds,
        "void clear(char **p, int n) { free(*p); *p = 0; stop(n); }
         int main(void) { char *p = malloc(1); clear(&p, __VERIFIER_nondet_int()); return 0; }",
    ),
    decided(
        Holds,
        "void clear(char **p, int n) { *p = 0; stop(n); }
         int main(void) { char *p = malloc(1), *q = p; clear(&p, __VERIFIER_nondet_int()); free(q); return 0; }",
    ),
    sound(
        Fails,
        "void clear(char **p, int n) { *p = 0; stop(n); } int main(void) { char *p = malloc(1); clear(&p, 1); return 0; }",
    ),
    sound(
        Holds,
        "void f(int n) { char *p = malloc(1); if (n > 0 && n < 3) f(n - 1); stop(1); free(p); } int main(void) { f(1); return 0; }",
    ),
    sound(Holds, "int main(void) { char *p[2]; p[0] = malloc(1); p[1] = malloc(2); stop(1); free(p[0]); free(p[1]); return 0; }"),
    decided(Holds, "void with(char *p) { stop(p[0]); free(p); } int main(void) { with(calloc(1, 1)); return 0; }"),
    decided(Fails, "void with(char *p) { p = 0; stop(1); } int main(void) { with(calloc(1, 1)); return 0; }"),
    decided(Holds, "void with(char *p) { p = 0; stop(1); } int main(void) { char *k = calloc(1, 1); with(k); return 0; }"),
    decided(
        Fails,
        "void a(int n) { char *t = malloc(3); if (n == 5) t = 0; stop(n); free(t); } int main(void) { a(__VERIFIER_nondet_int() & 7); return 0; }",
    ),
    sound(Holds, "int main(void) { void **h = malloc(sizeof *h); *h = malloc(8); stop(1); return 0; }"),
    sound(Fails, "int main(void) { void **h = malloc(sizeof *h); *h = h; h = 0; return 0; }"),
    decided(
        Holds,
        "struct n { void *data; }; static struct n *h; int main(void) { h = malloc(sizeof *h); h->data = malloc(3); return 0; }",
    ),
    decided(
        Fails,
        "struct n { void *data; }; static struct n *h; int main(void) { h = malloc(sizeof *h); h->data = malloc(3); h = 0; return 0; }",
    ),
    sound(
        Fails,
        "struct n { void *data; }; static struct n *h; int main(void) { h = malloc(sizeof *h); h->data = malloc(3); h->data = 0; return 0; }",
    ),
    decided(
        Holds,
        "static char *b; static void done(void) { free(b); } int main(void) { b = malloc(1); atexit(done); stop(1); return 0; }",
    ),
    decided(
        Fails,
        "static char *b; static void done(void) { b = 0; } int main(void) { b = malloc(1); atexit(done); stop(1); return 0; }",
    ),
    sound(Holds, "static unsigned long k; int main(void) { k = (unsigned long)malloc(3); return 0; }"),
    sound(Holds, "static union { char *p; long l; } u; int main(void) { u.p = malloc(1); return 0; }"),
    decided(
        Holds,
        "char *get(void) { static char *c; if (!c) c = malloc(4); return c; } int main(void) { get(); get(); return 0; }",
    ),
    sound(
        Holds,
        "void *memcpy(void *, const void *, unsigned long); static char store[8];
         int main(void) { char *p = malloc(2); memcpy(store, &p, 8); return 0; }",
    ),
    decided(Fails, "static char *g; int main(void) { for (int i = 0; i < 3; i++) g = malloc(1); return 0; }"),
    decided(Fails, "int main(void) { { char *q = malloc(2); q[0] = 1; } stop(1); return 0; }"),
    decided(Fails, "static char *g; int main(void) { g = malloc(4); g += 4; return 0; }"),
];

/// What a pointer leads to that was kept from an earlier round of a loop: no run of gcc shows it, as all rounds have one address.
const ROUNDS: &[Row] = &[
    decided(Fails, "int main(void) { int *p = 0; for (int i = 0; i < 2; i++) { int a[10]; if (i == 0) p = a; else p[0] = 1; } return 0; }"),
    decided(
        Fails,
        "int main(void) { int *p = 0, n = __VERIFIER_nondet_int(); while (n-- > 0) { int a; if (p) *p = 3; p = &a; } return 0; }",
    ),
    decided(
        Fails,
        "struct n { struct n *next; int v; }; int main(void) { struct n *h = 0; for (int i = 0; i < 3; i++) {
         struct n x; x.v = i; x.next = h; h = &x; } int s = 0; while (h) { s += h->v; h = h->next; } return s; }",
    ),
    sound(
        Fails,
        "struct n { struct n *next; int v; }; static struct n *h; static void push(struct n *x) { x->next = h; h = x; }
         int main(void) { for (int i = 0; i < 3; i++) { struct n x; x.v = i; push(&x); if (h->next) h->next->v = 2; } return 0; }",
    ),
    sound(
        Fails,
        "struct h { int *p; }; static void keep(struct h *h, int *p) { if (!h->p) h->p = p; }
         int main(void) { struct h h = { 0 }; for (int i = 0; i < 3; i++) { int a = i; keep(&h, &a); *h.p = 2; } return 0; }",
    ),
    sound(
        Fails,
        "#include <string.h>\nint main(void) { char *p = 0; int s = 0; for (int i = 0; i < 3; i++) { char b[4]; memset(b, 0, 4);
         if (p) s += *p; p = strchr(b, 0); } return s; }",
    ),
    sound(
        Fails,
        "int main(void) { int *p[2] = { 0, 0 }; for (int i = 0; i < 3; i++) { int a = i; if (p[0]) *p[0] = 1; p[0] = &a; } return 0; }",
    ),
    sound(
        Fails,
        "int main(void) { char *p = 0; for (int i = 0; i < 3; i++) { char a[4]; if (p) p[-1] = 1; p = a + 1; } return 0; }",
    ),
    sound(
        Fails,
        "int main(void) { unsigned long k = 0; for (int i = 0; i < 3; i++) { int a = i; if (k) *(int *)k = 1; k = (unsigned long)&a; } return 0; }",
    ),
    sound(
        Fails,
        "static int *same(int *p) { return p; } int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { int a = i;
         if (p) *p = 1; p = same(&a); } return 0; }",
    ),
    sound(
        Fails,
        "int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { switch (i) { int a; case 0: p = &a; *p = 1; break; case 1: *p = 2; } } return 0; }",
    ),
    sound(
        Fails,
        "int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { if (i) goto in; int a; in: if (p) *p = 1; p = &a; } return 0; }",
    ),
    sound(
        Holds,
        "int main(void) { int *p = 0, i = 0; again:; int a = i; if (p) *p = 1; p = &a; if (++i < 3) goto again; return 0; }",
    ),
    decided(
        Holds,
        "static void set(int *p) { *p = 4; } int main(void) { int n = __VERIFIER_nondet_int(); while (n-- > 0) {
         int a; set(&a); int *q = &a; *q = 3; } return 0; }",
    ),
    decided(Holds, "int main(void) { int *p = 0; for (int i = 0; i < 3; i++) { int a = i; p = &a; *p = 2; } return 0; }"),
    decided(
        Holds,
        "struct h { int *p; int n; }; static int get(struct h *h) { return *h->p + h->n; } int main(void) { int s = 0;
         for (int i = 0; i < 3; i++) { int a = i; struct h h = { &a, 1 }; s += get(&h); } return s; }",
    ),
    decided(
        Holds,
        "static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; } int main(void) { int s = 0;
         for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) { int a = i, b = j; swap(&a, &b); s += a; } return s; }",
    ),
];

/// What is freed may come again: comparisons of the program do not tell the blocks apart, those of the guards do.
const FREED: &[Row] = &[
    sound(
        Fails,
        "int main(void) { char *y = malloc(8); free(y); char *x = malloc(8); if (x == y) free(x); free(x); return 0; }",
    ),
    sound(
        Fails,
        "int main(void) { char *y = malloc(8); unsigned long a = (unsigned long)y; free(y); char *x = malloc(8);
         if ((unsigned long)x == a) free(x); free(x); return 0; }",
    ),
    sound(
        Fails,
        "static unsigned long f(void) { int a; return (unsigned long)&a; } static unsigned long g(void) { int b; return (unsigned long)&b; }
         int main(void) { char *x = malloc(1); if (f() == g()) free(x); free(x); return 0; }",
    ),
    decided(
        Fails,
        "int main(void) { char *y = malloc(8); free(y); char *x = malloc(8); free(y); free(x); return 0; }",
    ),
    decided(
        Holds,
        "int main(void) { char *y = malloc(8), *x = malloc(8); if (x == y) free(x); free(x); free(y); return 0; }",
    ),
    decided(
        Holds,
        "struct n { struct n *next; }; int main(void) { struct n *h = 0; for (int i = 0; i < 3; i++) { struct n *x = malloc(sizeof *x);
         x->next = h; h = x; } while (h != 0) { struct n *x = h; h = h->next; free(x); } return 0; }",
    ),
];

/// What functions of the library are given and yield.
const GIVEN: &[Row] = &[
    sound(Holds, "#include <errno.h>\nint main(void) { return errno; }"),
    decided(
        Holds,
        "extern const unsigned short **__ctype_b_loc(void);
         int main(void) { int c = __VERIFIER_nondet_int(); if (c < 0 || c > 255) return 0; return (*__ctype_b_loc())[c] & 2048; }",
    ),
    sound(Holds, "#include <errno.h>\nint main(void) { errno = 0; if (errno) return 1; return 0; }"),
    sound(Fails, "int main(void) { return atoi((char *)0); }"),
    sound(Fails, "#include <stdio.h>\nint main(void) { return puts(0); }"),
    decided(Holds, "#include <stdio.h>\nint main(void) { return printf(\"%p\", (void *)0) + fflush(0); }"),
];

fn check(property: &str, rows: &[Row]) {
    let folder = tempfile::tempdir().unwrap();
    for Row { truth, open, text } in rows {
        fs::write(folder.path().join("p.c"), format!("{HEAD}{text}\n")).unwrap();
        let ran = run("verify", ["--property", property, "--budget", "10", "p.c"], folder.path()).unwrap();
        let is_open = *open && ran.last_line().starts_with("UNKNOWN");
        let expected = match truth {
            Holds => "TRUE".to_owned(),
            Fails => format!("FALSE({property})"),
        };
        assert!(
            is_open || ran.last_line() == expected,
            "{} instead of {expected}: {} {}\n{text}",
            ran.last_line(),
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn blocks_on_the_stack_end_with_their_function_or_scope() {
    check("valid-deref", DEREFERENCES);
}

#[test]
fn each_round_has_locals_of_its_own() {
    check("valid-deref", ROUNDS);
}

#[test]
fn freed_memory_comes_again() {
    check("valid-free", FREED);
}

#[test]
fn the_library_is_given_no_null_to_read_from() {
    check("valid-deref", GIVEN);
}

#[test]
fn what_is_pointed_to_at_the_end_is_no_leak() {
    check("valid-memtrack", ENDS);
}
