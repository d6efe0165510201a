//! Memory, initialisers and evaluation order as gcc has them: each row is a condition that holds. The program that fails
//! where it does not is never FALSE, the one that fails where it does never TRUE; rows that are modelled are decided.
//! gcc confirms every row where it is installed.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use residue_tests::{run, skip};

const HEAD: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); typedef __builtin_va_list va_list;\n";

/// What `verify` must say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// Both verdicts.
    Decided,
    /// Nothing wrong.
    Sound,
}
use Expect::{Decided, Sound};

/// Declarations, statements of `main`, the condition that holds behind them.
type Row = (Expect, &'static str, &'static str, &'static str);

const COUNTER: &str = "int c; int g(void) { c++; return 3; }";

const STATICS_AND_FRAMES: &[Row] = &[
    (Decided, "int f(int n) { static int c; c++; if (n > 0) f(n - 1); return c; }", "", "f(2) == 3"),
    (Decided, "int f(int n) { static int c; c = n; if (n > 0) f(n - 1); return c; }", "", "f(1) == 0"),
    (Sound, "int *f(int n) { static int c; int *q = &c; if (n > 0) f(n - 1); *q += 1; return q; }", "", "*f(2) == 3"),
    (Sound, "const char *f(int n) { if (n > 0) return f(n - 1); return \"ab\"; }", "", "f(2)[1] == 'b'"),
    (Sound, "int f(int n, int *p) { int x = n; if (n == 0) return *p; return f(n - 1, &x); }", "", "f(2, 0) == 1"),
    (Sound, "int f(int n) { int *l = (int[]){ n, 2 }; if (n > 0) f(n - 1); return l[0]; }", "", "f(2) == 2"),
    (
        Sound,
        "int h(int n, int *p) { if (n == 0) { *p = 9; return 0; } return h(n - 1, p); }",
        "int x = 0, y = 0; int *q = __VERIFIER_nondet_int() ? &x : &y; h(3, q);",
        "*q == 9 && x + y == 9",
    ),
];

/// What ends a structure behind a pointer may have more elements than it says.
const MORE_THAN_DECLARED: &[Row] = &[
    (
        Sound,
        "void *malloc(unsigned long); struct h { int n; int a[1]; };",
        "struct h *h = malloc(20); int k = __VERIFIER_nondet_int() & 3; h->a[0] = 0; h->a[3] = 3; if (k != 3) return 0;",
        "h->a[k] == 3",
    ),
    (
        Sound,
        "void *malloc(unsigned long); struct h { int n; int a[2]; };",
        "struct h *h = malloc(400); int k = (__VERIFIER_nondet_int() & 31) ^ 1; h->a[1] = 5; h->a[k] = 3; if (k != 2) return 0;",
        "h->a[1] == 5",
    ),
    (
        Sound,
        "void *malloc(unsigned long); struct h { int n; union { int w; char c[2]; } u; };",
        "struct h *h = malloc(8); int k = __VERIFIER_nondet_int() & 3; h->u.w = 0x01020304; if (k != 3) return 0;",
        "h->u.c[k] == 1",
    ),
    (
        Sound,
        "void *malloc(unsigned long); struct h { int n; struct { int x; char y; } a[1]; };",
        "struct h *h = malloc(40); int k = (__VERIFIER_nondet_int() & 3) ^ 1; h->a[0].x = 1; h->a[2].x = 7; if (k != 2) return 0;",
        "h->a[k].x == 7",
    ),
    (
        Sound,
        "void *malloc(unsigned long); struct h { int n; int a[100]; };",
        "struct h *h = malloc(808); int k = (__VERIFIER_nondet_int() & 255) ^ 103; h[1].n = 0; h->a[k] = 3; if (k != 100) return 0;",
        "h[1].n == 3",
    ),
    (
        Decided,
        "struct h { int n; int a[4]; }; int f(struct h *h, int k) { return h->a[k & 3]; }",
        "struct h h = { 0, { 1, 2, 3, 4 } }; int k = __VERIFIER_nondet_int() & 3;",
        "f(&h, k) == k + 1",
    ),
];

/// A part that is given twice, parts that are given in another order, and members of a union: declarations as in `S`.
const OVERRIDES: &[Row] = &[
    (Decided, S, "struct S s = { .b = g(), .a = { g(), g() } };", "s.a[0] == 1 && s.a[1] == 2 && s.b == 3"),
    (Decided, S, "int q[4] = { [2] = g(), [0] = g(), g() };", "q[0] == 1 && q[1] == 2 && q[2] == 3 && q[3] == 0"),
    (Decided, S, "int a[2] = { [0] = g(), [0] = 2 };", "n == 0 && a[0] == 2"),
    (Decided, S, "struct S s = { .a = { 1, 2 }, .a = { 3 } };", "s.a[0] == 3 && s.a[1] == 0"),
    (Decided, "struct S { int a[2]; int b; } s = { .a = { 1, 2 }, .a = { 3 } };", "", "s.a[0] == 3 && s.a[1] == 0"),
    (Decided, S, "struct S s = { .a = { g(), g() }, .a[1] = 5 };", "n == 1 && s.a[0] == 1 && s.a[1] == 5"),
    (Decided, S, "struct S s = { .a = { g(), g() }, .a = { 5 } };", "n == 0 && s.a[0] == 5 && s.a[1] == 0"),
    (Decided, S, "struct T t = { .s = f(), .s.b = 5 };", "t.s.a[0] == 0 && t.s.a[1] == 0 && t.s.b == 5 && n == 0"),
    (Decided, S, "struct S s = { { 1, 2 }, 3 }; struct T t = { .s = s, .s.b = 5 };", "t.s.a[0] == 0 && t.s.b == 5"),
    (Decided, S, "struct T t = { .s = (struct S){ { 1, 2 }, 3 }, .s.b = 5 };", "t.s.a[0] == 0 && t.s.b == 5"),
    (Decided, S, "static struct T t = { .s = (struct S){ { 1, 2 }, 3 }, .s.b = 5 };", "t.s.a[0] == 1 && t.s.b == 5"),
    (Decided, S, "struct T t = { .s = { { 1, 2 }, 3 }, .s.b = 9, .s = { .b = 4 } };", "t.s.a[1] == 0 && t.s.b == 4"),
    (
        Decided,
        S,
        "struct { char a[4]; } x = { .a = \"abc\", .a[1] = 'x' };",
        "x.a[0] == 'a' && x.a[1] == 'x' && x.a[2] == 'c' && x.a[3] == 0",
    ),
    (
        Decided,
        "char s[3][4] = { [0 ... 2] = \"abc\", [1][1] = 'x' };",
        "",
        "s[0][1] == 'b' && s[1][0] == 'a' && s[1][1] == 'x' && s[1][2] == 'c' && s[2][1] == 'b'",
    ),
    (Decided, S, "int r[4] = { [0 ... 3] = g(), [0] = 9 };", "r[0] == 9 && r[1] == 1 && r[3] == 1 && n == 1"),
    (Decided, S, "int r[4] = { [0 ... 3] = g(), [0 ... 3] = g() };", "r[0] == 1 && r[3] == 1 && n == 1"),
    (
        Decided,
        S,
        "int r[4] = { [0 ... 3] = g(), [1 ... 2] = g() };",
        "r[0] == 1 && r[1] == 2 && r[2] == 2 && r[3] == 1 && n == 2",
    ),
    (
        Sound,
        S,
        "struct S r[2] = { [0 ... 1] = { { g(), 2 }, g() }, [0].b = 7 };",
        "r[0].a[0] == 0 && r[0].b == 7 && r[1].a[0] == 1 && r[1].b == 2",
    ),
    (
        Decided,
        S,
        "struct S r[2] = { [0 ... 1] = { { g(), 2 }, g() }, [0] = { .b = 7 } };",
        "r[0].a[0] == 0 && r[0].b == 7 && r[1].a[0] == 1 && r[1].b == 2 && n == 2",
    ),
    (
        Decided,
        S,
        "struct S r[3] = { [0 ... 2] = { { 1, 2 }, 3 }, [1].b = 7 };",
        "r[0].b == 3 && r[1].a[0] == 1 && r[1].b == 7 && r[2].b == 3",
    ),
    (
        Decided,
        S,
        "struct S r[2] = { { { 1, 2 }, 3 }, { { 4, 5 }, 6 }, [0].a[1] = g(), [0] = f(), [0].b = 4 };",
        "r[0].a[0] == 0 && r[0].a[1] == 0 && r[0].b == 4 && r[1].b == 6 && n == 0",
    ),
    (Decided, S, "union U u = { .s.a[0] = 1, .i = 2, .s.b = 3 };", "u.s.a[0] == 0 && u.s.b == 3"),
    (
        Decided,
        "struct P { int x; char y[2]; }; union U { struct P p; float f; } u = { 42, 1, .f = 2 }, v = { .f = 2, .p.y[1] = 3 };",
        "",
        "u.p.y[0] == 0 && u.f == 2 && v.p.x == 0 && v.p.y[1] == 3",
    ),
    (
        Decided,
        S,
        "struct { unsigned a : 3, b : 5; int c; } s = { .b = g(), .a = g(), .a = 5 };",
        "s.a == 5 && s.b == 1 && s.c == 0 && n == 1",
    ),
    (
        Decided,
        S,
        "struct { struct { int x, y; }; int z; } s = { .y = g(), .x = g(), .z = 1, .x = 8 };",
        "s.x == 8 && s.y == 1 && s.z == 1 && n == 1",
    ),
];

/// Items behind a designation that leads into an unnamed member, or to several elements.
const BEHIND: &[Row] = &[
    (
        Decided,
        "struct N { int k; struct { int u, v; }; union { int w; char z[4]; }; int l; };",
        "struct N a = { .u = 4, 5, 6, 7 }; struct N b = { .w = 1, 2 };",
        "a.k == 0 && a.u == 4 && a.v == 5 && a.w == 6 && a.l == 7 && b.w == 1 && b.l == 2 && b.u == 0",
    ),
    (
        Decided,
        "struct N { int k; struct { int u, v; }; int l; } a[2] = { 0, [0 ... 0].u = 4, 8, [1] = { .v = 3, 9, .k = 1 } };",
        "",
        "a[0].k == 0 && a[0].u == 4 && a[0].v == 8 && a[0].l == 0 && a[1].v == 3 && a[1].l == 9 && a[1].k == 1",
    ),
    (
        Decided,
        "struct I { struct { int x, y; } in; int z; };",
        "struct I a[3] = { [0 ... 1].in.x = 1, 2, 3, 4 }; struct I b[3] = { [0 ... 1] = 5, 6, 7 };",
        "a[0].in.x == 1 && a[0].in.y == 0 && a[0].z == 0 && a[1].in.y == 2 && a[1].z == 3 && a[2].in.x == 4 \
         && b[0].in.x == 5 && b[0].in.y == 0 && b[1].in.y == 6 && b[1].z == 7 && b[2].in.x == 0",
    ),
];

const S: &str = "struct S { int a[2]; int b; }; struct T { struct S s; int c; }; union U { struct S s; int i; }; int n; \
                 int g(void) { return ++n; } struct S f(void) { struct S s = { { 7, 8 }, 9 }; ++n; return s; }";

/// A selection or a loop is a block, and so is each statement in it.
const BLOCKS: &[Row] = &[
    (Decided, "enum { in = 0 };", "int a = 0; if (sizeof(enum { in = 1 })) a = in;", "a == 1 && in == 0"),
    (Decided, "enum { in = 0 };", "int a = 0; while (sizeof(enum { in = 1 })) { a = in; break; }", "a == 1 && in == 0"),
    (Decided, "enum { in = 0 };", "int a = 0; switch (sizeof(enum { in = 1 })) { default: a = in; }", "a == 1 && in == 0"),
    (Decided, "enum { in = 5 };", "int a = 0; do a = in; while (0 * sizeof(enum { in = 1 }));", "a == 5 && in == 5"),
    (Decided, "enum { in = 0 };", "int a = 0, n = 0; if (n) a = sizeof(enum { in = 1 }); else a = in;", "a == 0 && in == 0"),
    (Decided, "enum { in = 0 };", "int a = 0; for (;; sizeof(enum { in = 1 })) { a = in; break; }", "a == 1 && in == 0"),
    (Decided, "typedef int in;", "int a = 0; if (sizeof(enum { in = 1 })) a = in; in b = 3;", "a == 1 && b == 3"),
];

/// Where C leaves the order open, gcc's: each call writes its number down.
const ORDER: &[Row] = &[
    (Decided, LOG, "f(g(1), g(2));", "h == 219"),
    (Decided, LOG, "f(f(g(1), g(2)), g(3));", "h == 32199"),
    (Decided, LOG, "a[0] = 1; int x = f(a[0], (a[0] = 2, g(1)));", "h == 19 && x == 2"),
    (Decided, LOG, "int x = g(1) - g(2);", "h == 12"),
    (Decided, LOG, "*p(1) = g(2);", "h == 12"),
    (Decided, LOG, "*p(1) = g(2) + 1;", "h == 21"),
    (Decided, LOG, "*p(1) = -g(2);", "h == 21"),
    (Decided, LOG, "*p(1) = *p(2);", "h == 21"),
    (Decided, LOG, "*p(1) = f(g(2), 1);", "h == 219"),
    (Decided, LOG, "*p(1) = g(2) ? g(3) : g(4);", "h == 241"),
    (Decided, LOG, "*p(1) = *p(2) = g(3) + 1;", "h == 321"),
    (Decided, LOG, "*p(1) += g(2);", "h == 21"),
    (Decided, LOG, "*p(1) += *p(2) += g(3);", "h == 321"),
    (Decided, LOG, "a[g(1)] = g(2);", "h == 12"),
    (Decided, LOG, "a[g(1)] = g(2) * g(3);", "h == 231"),
    (Decided, LOG, "q(1)->l = g(2);", "h == 21"),
    (Decided, LOG, "q(1)->b = g(2);", "h == 21"),
    (Decided, LOG, "q(1)->s = (struct S){ g(2), g(3) };", "h == 123"),
    (Decided, LOG, "q(1)->s = q(2)->s;", "h == 21"),
    (Decided, LOG, "int n = 0; a[n++] = g(1) + 1; a[n++] = 7;", "a[0] == 2 && a[1] == 7 && n == 2"),
];

const LOG: &str = "int h; int g(int i) { h = h * 10 + i; return i & 1; } int f(int x, int y) { h = h * 10 + 9; return x; } \
                   int a[4]; int *p(int i) { h = h * 10 + i; return &a[i & 3]; } struct S { int x, y; }; \
                   struct T { struct S s; unsigned b : 5; long l; } t; struct T *q(int i) { h = h * 10 + i; return &t; }";

const INITIALISERS: &[Row] = &[
    (Decided, "struct S { int n; int a[]; } s = { 2, { 7, 8, 0 } };", "", "s.a[1] == 8 && s.a[2] == 0 && s.n == 2"),
    (Sound, "struct S { int n; char a[]; } s = { 2, \"abc\" };", "int i = 2;", "s.a[i] == 'c' && s.a[3] == 0"),
    (
        Sound,
        "struct S { int n; struct { int x, y; } a[]; } s = { 2, { { 1, 2 }, { 3 } } }, *p = &s;",
        "",
        "p->a[1].x == 3 && p->a[1].y == 0 && sizeof s == 4",
    ),
    (Decided, "int n; int g(void) { return ++n; }", "int a[4] = { [0 ... 2] = g() };", "a[0] + a[1] + a[2] == 3 && n == 1"),
    (Decided, "", "int a[3] = { [0 ... 2] = __VERIFIER_nondet_int() };", "a[0] == a[1] && a[1] == a[2]"),
    (
        Sound,
        "int n; int g(void) { return ++n; } struct P { int x, y; };",
        "struct P a[3] = { [0 ... 1] = { g(), g() }, [2].y = g() };",
        "a[0].x + a[0].y == 3 && a[1].x == a[0].x && a[1].y == a[0].y && n == 3 && a[2].y == 3",
    ),
    (Sound, "int n; int g(void) { return ++n; }", "int a[2][3] = { [0 ... 1][0 ... 2] = g() };", "n == 1 && a[1][2] == 1"),
    (Decided, "", "int a[2][2] = { [1] = 5 };", "a[1][0] == 5 && a[0][0] == 0 && a[1][1] == 0"),
    (
        Decided,
        "int a[2][2][2] = { [1] = 5, 6, 7, [0][1] = 9 };",
        "",
        "a[1][0][0] == 5 && a[1][0][1] == 6 && a[1][1][0] == 7 && a[0][1][0] == 9",
    ),
    (
        Decided,
        "struct T { int k; struct { int x; int y; } in; int z; };",
        "struct T t = { .in = 1, 2, 3 };",
        "t.k == 0 && t.in.x == 1 && t.in.y == 2 && t.z == 3",
    ),
];

const LENGTHS: &[Row] = &[
    (Decided, "int f(int n, int a[n++]) { return n; }", "int a[10];", "f(3, a) == 4"),
    (Decided, "int f(n, a) int n; int a[n++]; { return n; }", "int a[10];", "f(3, a) == 3"),
    (Sound, "int c; int g(void) { c++; return 3; } int f(int n, int a[][g()]) { return c; }", "int a[10][3];", "f(3, a) == 1"),
    (Sound, COUNTER, "typedef int T[g()];", "c == 1"),
    (Sound, COUNTER, "int k = sizeof(int[g()]); (void)k;", "c == 1"),
    (Sound, COUNTER, "int x[4]; void *q = (int (*)[g()])x; (void)q;", "c == 1"),
    (Sound, COUNTER, "int v[c + 1]; int (*p)[c + 1] = &v; typeof(*(g(), p)) y; (void)y;", "c == 1"),
    (Sound, "", "int n = 3; struct { int a[n]; int b; } s; s.b = 4; s.a[0] = 1;", "s.b == 4 && sizeof s == 16"),
];

const ADDRESSES: &[Row] = &[
    (
        Sound,
        "int x;",
        "int *p = &x; unsigned long v = 0; for (int i = 0; i < 64; i++) if (((unsigned long)p >> i) & 1) v |= 1ul << i; \
         *(int *)v = 2;",
        "x == 2",
    ),
    (
        Sound,
        "int x; unsigned char t[256];",
        "for (int i = 0; i < 256; i++) t[i] = i; int *p = &x, *q; \
         for (int i = 0; i < 8; i++) ((unsigned char *)&q)[i] = t[((unsigned char *)&p)[i]]; *q = 2;",
        "x == 2",
    ),
    (Sound, "char a[1ul << 33];", "a[0] = 1; a[1ul << 32] = 2;", "a[0] == 1"),
];

const STRANGE: &[Row] = &[
    (
        Sound,
        "typedef int v4 __attribute__((vector_size(16)));",
        "v4 a = { 1, 2, 3, 4 }; int i = 1; a[2] = 7;",
        "a[i] + a[2] == 9",
    ),
    (Sound, "", "__complex__ double d; __real__ d = 1; __imag__ d = 2; *&__real__ d = 3;", "__real__ d + __imag__ d == 5"),
    (Decided, "", "int x = 3;", "__real__ x == 3 && __imag__ x == 0"),
    (
        Sound,
        "typedef union { int *i; const int *c; } U __attribute__((transparent_union)); int f(U u) { return *u.i; }",
        "int x = 3;",
        "f(&x) == 3",
    ),
    (
        Sound,
        "int f(int n, ...) { va_list a; typeof(a) *q = &a; typeof(va_list) b; (void)b; __builtin_va_start(a, n); \
         int r = __builtin_va_arg(*q, int); __builtin_va_end(a); return r; }",
        "",
        "f(1, 5) == 5",
    ),
];

/// A run that divides by zero ends there, and one that does not come to the division goes on.
const QUOTIENTS: &[Row] = &[
    (Decided, "", "int x = __VERIFIER_nondet_int(); if (x < 0 || x > 9) return 0; int q = 100 / x;", "q > 10 && x != 0"),
    (Decided, "", "unsigned x = __VERIFIER_nondet_int(); unsigned q = 100 % x;", "x > 0 && q < x"),
    // gcc does not divide here.
    (Sound, "", "static int x; int q = 0 % x;", "q == 0"),
    (Sound, "", "static int zero; int x = zero - 2147483647 - 1; int q = x / -1;", "q == x"),
    (Decided, "int f(int x) { return 7 / x; }", "int x = __VERIFIER_nondet_int(), q = f(x);", "x != 0"),
    (Decided, "", "int x = __VERIFIER_nondet_int() != 0; int q = x != 0 && 100 / x > 5;", "q == x"),
    (Decided, "", "int x = __VERIFIER_nondet_int() != 0; int q = x == 0 || 100 / x > 5;", "q == 1"),
    (Decided, "", "int x = __VERIFIER_nondet_int() != 0; int q = x ? 100 / x : 7;", "x ? q == 100 : q == 7"),
    (Decided, "", "int x = __VERIFIER_nondet_int() != 0; int q = 0; if (x && 100 / x > 5) q = 1;", "q == x"),
];

fn program(row: &Row, not: &str) -> String {
    let (_, declarations, statements, condition) = row;
    format!("{HEAD}{declarations}\nint main(void) {{ {statements} if ({not}({condition})) reach_error(); return 0; }}\n")
}

/// Whether gcc's program fails; `None` without gcc.
fn fails(folder: &Path, text: &str) -> Option<bool> {
    let mut all = String::from(text);
    let body = "\n#include <stdlib.h>\nvoid reach_error(void) { exit(42); }\nint __VERIFIER_nondet_int(void) { return 3; }\n";
    write!(all, "{body}").expect("a string takes text");
    fs::write(folder.join("gcc.c"), all).expect("the folder is ours");
    let built = Command::new("gcc").args(["-w", "-O0", "gcc.c", "-o", "gcc.out"]).current_dir(folder).status().ok()?;
    assert!(built.success(), "gcc rejects {text}");
    let code = Command::new(folder.join("gcc.out")).status().expect("was just built").code();
    Some(code == Some(42))
}

fn check(rows: &[Row]) {
    let folder = tempfile::tempdir().expect("a folder for programs");
    for row in rows {
        for holds in [true, false] {
            let text = program(row, if holds { "" } else { "!" });
            match fails(folder.path(), &text) {
                Some(fails) => assert_eq!(fails, holds, "gcc disagrees: {text}"),
                None => skip("gcc is not installed"),
            }
            fs::write(folder.path().join("program.c"), &text).expect("the folder is ours");
            let ran = run("verify", ["-q", "--budget", "20", "program.c"], folder.path()).expect("verify runs");
            let (right, wrong) = if holds { ("FALSE", "TRUE") } else { ("TRUE", "FALSE") };
            let verdict = ran.last_line();
            assert!(!verdict.starts_with(wrong), "{verdict} for {text}");
            assert!(verdict.starts_with(right) || verdict.starts_with("UNKNOWN"), "{}{} for {text}", ran.stdout, ran.stderr);
            assert!(row.0 == Sound || verdict.starts_with(right), "{verdict} for {text}");
        }
    }
}

#[test]
fn statics_and_frames_of_recursive_functions() {
    check(STATICS_AND_FRAMES);
}

#[test]
fn arrays_that_end_a_structure() {
    check(MORE_THAN_DECLARED);
}

#[test]
fn initialisers_of_parts() {
    check(INITIALISERS);
}

#[test]
fn lengths_are_evaluated_as_often_as_by_gcc() {
    check(LENGTHS);
}

#[test]
fn addresses_that_become_data() {
    check(ADDRESSES);
}

#[test]
fn strange_types_are_read() {
    check(STRANGE);
}

#[test]
fn parts_that_are_given_twice() {
    check(OVERRIDES);
}

#[test]
fn selections_and_loops_are_blocks() {
    check(BLOCKS);
}

#[test]
fn what_is_evaluated_first() {
    check(ORDER);
}

#[test]
fn what_stands_behind_a_designation() {
    check(BEHIND);
}

#[test]
fn quotients_that_are_none() {
    check(QUOTIENTS);
}
