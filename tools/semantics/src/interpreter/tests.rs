//! The interpreter on small programs: how runs end, and what they ask for.

use formats::{DataModel, ProgramOptions};
use program::cfa::Cfa;
use program::source::SourceFile;

use super::{Limits, Origin, Outcome, Request, Run, UndefinedKind, replay, run};

const HEAD: &str = "extern void abort(void);\nextern int __VERIFIER_nondet_int(void);\nextern void *malloc(unsigned long);\n\
    extern void free(void *);\nextern void *memcpy(void *, const void *, unsigned long);\nextern int other(void);\n\
    void reach_error(void) { abort(); }\n";

fn load(body: &str, data_model: DataModel) -> Cfa {
    let options = ProgramOptions { data_model, ..ProgramOptions::default() };
    let source = SourceFile::new("program.c", format!("{HEAD}{body}"));
    program::load_source(source, &options).unwrap()
}

fn ends(body: &str, values: &[u128]) -> Outcome {
    let cfa = load(body, DataModel::LP64);
    replay(&cfa, values, Limits::default()).outcome
}

fn undefined(body: &str) -> UndefinedKind {
    let outcome = ends(body, &[0]);
    let Outcome::Undefined { kind, .. } = outcome else { panic!("{outcome:?}") };
    kind
}

/// Whether the program calls `reach_error` if and only if `condition` holds at the end of `body`.
fn holds(declarations: &str, body: &str, condition: &str) {
    for (text, expected) in [("", Outcome::ErrorReached), ("!", Outcome::Finished)] {
        let body = format!("{declarations}\nint main(void) {{ {body} if ({text}({condition})) reach_error(); return 0; }}");
        assert_eq!(ends(&body, &[7]), expected, "{body}");
    }
}

#[test]
fn ends_of_runs() {
    assert_eq!(ends("int main(void) { return 0; }", &[]), Outcome::Finished);
    assert_eq!(ends("int main(void) { abort(); }", &[]), Outcome::Aborted);
    assert_eq!(ends("int main(void) { for (;;) { } }", &[]), Outcome::StepLimit);
    assert!(matches!(ends("int main(void) { return __VERIFIER_nondet_int(); }", &[]), Outcome::InputsExhausted(_)));
    let body = "int main(void) { if (__VERIFIER_nondet_int() == 5) reach_error(); return 0; }";
    assert_eq!(ends(body, &[5]), Outcome::ErrorReached);
    assert_eq!(ends(body, &[6]), Outcome::Finished);
    assert!(matches!(ends("int main(void) { __asm__ volatile (\"nop\"); return 0; }", &[]), Outcome::Unsupported { .. }));
    assert!(matches!(ends("int main(void) { long double d = 1; d += 1; return 0; }", &[]), Outcome::Unsupported { .. }));
}

#[test]
fn undefined_operations() {
    assert_eq!(undefined("int main(void) { int *p = 0; return *p; }"), UndefinedKind::NullPointer);
    assert_eq!(undefined("int main(void) { int a[2]; int i = 2; a[i] = 1; return 0; }"), UndefinedKind::OutOfBounds);
    assert_eq!(undefined("int main(void) { int i = __VERIFIER_nondet_int(); return 1 / i; }"), UndefinedKind::Division);
    assert_eq!(undefined("int main(void) { int i = 32; return 1 << i; }"), UndefinedKind::Shift);
    assert_eq!(undefined("int main(void) { double d = 1e10; return (int)d; }"), UndefinedKind::FloatConversion);
    assert_eq!(undefined("int main(void) { char *p = \"abc\"; p[0] = 'x'; return 0; }"), UndefinedKind::ReadOnly);
    assert_eq!(undefined("int main(void) { int *p = malloc(4); free(p); return *p; }"), UndefinedKind::DeadObject);
    assert_eq!(undefined("int main(void) { int x; free(&x); return 0; }"), UndefinedKind::InvalidFree);
    let dangling = "int *leak(void) { int x = 1; int *p = &x; return p; } int main(void) { int *p = leak(); return *p; }";
    assert_eq!(undefined(dangling), UndefinedKind::OutOfBounds);
}

#[test]
fn memory_is_made_of_bytes() {
    holds("union { int i; unsigned char c[4]; } u;", "u.i = 0x01020304;", "u.c[0] == 4 && u.c[3] == 1");
    holds("struct { char c; int i; } s;", "char *p = (char *)&s; p[4] = 9;", "s.i == 9");
    holds("struct { unsigned a : 3; int b : 5; } s;", "s.a = 9; s.b = -1; s.a++;", "s.a == 2 && s.b == -1");
    holds("int a[3] = { 1, 2, 3 }; int *p = &a[1];", "int *q = a; q += 2;", "p[1] == 3 && q - p == 1 && p[-1] == 1");
    holds("", "long x = 5; long y = (long)&x; *(long *)y = 6;", "x == 6");
    holds("struct s { int a[2]; } s = { { 1, 2 } };", "struct s t = s; s.a[0] = 8;", "t.a[0] == 1 && t.a[1] == 2");
    holds("", "int *p = malloc(8); p[1] = 4; int q[2]; q[0] = 1; memcpy(q, p, 0); memcpy(&q[0], &p[1], 4);", "q[0] == 4");
    holds("", "float f = 0.1f; double d = 0.1;", "f != d && (float)d == f");
}

#[test]
fn addresses_are_multiples_of_what_objects_ask_for() {
    holds(
        "char pad, far __attribute__((aligned(128)));",
        "_Alignas(64) char near[3];",
        "(long)&far % 128 == 0 && (long)near % 64 == 0",
    );
    holds(
        "char pad[3]; typedef int wide __attribute__((aligned(256))); wide x;",
        "char c; wide y;",
        "((long)&x | (long)&y) % 256 == 0",
    );
}

#[test]
fn calls_have_frames() {
    holds("int fac(int n) { int r; if (n < 2) r = 1; else r = n * fac(n - 1); return r; }", "", "fac(5) == 120");
    holds("int add(int x) { return x + 1; } int (*f)(int) = add;", "int y = f(1);", "y == 2");
    holds("int count(void) { static int n = 3; return n++; }", "count();", "count() == 4");
}

/// Every value that C leaves open is asked for, once for each time it becomes open.
#[test]
fn open_values_are_asked_for() {
    let body = "int global; extern int outside; int main(int argc, char **argv) {\n\
        int sum = other() + outside; for (int i = 0; i < 2; i++) { int x; sum += x; sum += x; } return sum + argc + (argv == 0); }";
    let cfa = load(body, DataModel::ILP32);
    let mut origins = Vec::new();
    let mut source = |request: &Request| {
        origins.push(request.origin);
        Some(1)
    };
    let Run { outcome, reads, .. } = run(&cfa, &mut source, &mut (), Limits::default());
    assert_eq!(outcome, Outcome::Finished);
    assert_eq!(reads.len(), origins.len());
    let name = |origin: &Origin| super::origin_name(&cfa, *origin);
    let names: Vec<String> = origins.iter().map(name).collect();
    assert_eq!(names.iter().filter(|n| n.starts_with("main::x")).count(), 2, "{names:?}");
    for expected in ["parameter 1 of main", "other()", "outside#0 + 0", "main::argc#0 + 0"] {
        assert!(names.iter().any(|n| n == expected), "{expected} in {names:?}");
    }
}

/// Pointers have the width of the data model, and `long` with them.
#[test]
fn data_models_differ() {
    let body = "int main(void) { int x; if (sizeof(&x) == 4 && (long)&x == (int)(long)&x) reach_error(); return 0; }";
    let outcome = |data_model| replay(&load(body, data_model), &[], Limits::default()).outcome;
    assert_eq!(outcome(DataModel::ILP32), Outcome::ErrorReached);
    assert_eq!(outcome(DataModel::LP64), Outcome::Finished);
}

/// What functions on memory yield and write is what gcc's library yields and writes.
#[test]
fn functions_on_memory_are_computed() {
    let declared = "extern void *memset(void *, int, unsigned long); extern void *memchr(const void *, int, unsigned long);\n\
        extern unsigned long strlen(const char *); extern char *strcat(char *, const char *);\n\
        extern char *strncat(char *, const char *, unsigned long); extern char *strrchr(const char *, int);\n\
        extern char *strstr(const char *, const char *); extern unsigned long strspn(const char *, const char *);\n\
        extern char *strpbrk(const char *, const char *); extern int strncmp(const char *, const char *, unsigned long);\n\
        extern char *stpcpy(char *, const char *); extern char *__strcpy_chk(char *, const char *, unsigned long);\n";
    let checks = [
        "char b[8]; memset(b, 'x', 7); b[7] = 0; if (strlen(b) != 7) reach_error();",
        "char b[8] = \"ab\"; strcat(b, \"cd\"); if (b[3] != 'd' || b[4]) reach_error();",
        "char b[8] = \"ab\"; strncat(b, \"cdef\", 2); if (b[3] != 'd' || b[4]) reach_error();",
        "char *s = \"abcabc\"; if (strrchr(s, 'b') != s + 4 || strstr(s, \"ca\") != s + 2) reach_error();",
        "char *s = \"abc\"; if (strrchr(s, 0) != s + 3 || strstr(s, \"cb\") || memchr(s, 'c', 2)) reach_error();",
        "char *s = \"aab,c\"; if (strspn(s, \"ba\") != 3 || strpbrk(s, \",\") != s + 3) reach_error();",
        "if (strncmp(\"abX\", \"abY\", 2) || strncmp(\"ab\", \"abc\", 3) >= 0) reach_error();",
        "char b[8]; if (stpcpy(b, \"abc\") != b + 3 || __strcpy_chk(b, \"x\", 8) != b || b[1]) reach_error();",
    ];
    for check in checks {
        let body = format!("{declared}int main(void) {{ {check} return 0; }}");
        assert_eq!(ends(&body, &[]), Outcome::Finished, "{check}");
    }
}

/// Which number tells that texts differ is left open by the library, and asked for.
#[test]
fn a_difference_is_a_number_of_the_right_sign() {
    let body = "extern int strcmp(const char *, const char *);\n\
        int main(void) { char c[] = \"c\"; if (strcmp(c, \"a\") == 1) reach_error(); return 0; }";
    // The body that the C library of the tools has for it asks nothing.
    let options = ProgramOptions { library: formats::Library::None, ..ProgramOptions::default() };
    let cfa = program::load_source(SourceFile::new("test.c", format!("{HEAD}{body}")), &options).unwrap();
    let answered = |answer: u128| {
        let mut inputs = |request: &Request| Some(if matches!(request.origin, Origin::Comparison(_)) { answer } else { 0 });
        run(&cfa, &mut inputs, &mut (), Limits::default()).outcome
    };
    assert_eq!((answered(0), answered(1)), (Outcome::Finished, Outcome::ErrorReached));
}

/// A `va_list` walks over the arguments of its own call, whatever was called in between.
#[test]
fn variadic_functions_read_their_arguments() {
    let declared = "typedef __builtin_va_list va_list; struct pair { int a; long b[3]; };\n\
        static int next(va_list *list) { return __builtin_va_arg(*list, int); }\n\
        static int rest(int n, va_list list) { int s = 0; while (n--) s = s * 10 + __builtin_va_arg(list, int); return s; }\n\
        static int all(int n, ...) { va_list l; __builtin_va_start(l, n); int s = rest(n, l); __builtin_va_end(l); return s; }\n\
        static int twice(int n, ...) { va_list l, m; __builtin_va_start(l, n); int s = next(&l); __builtin_va_copy(m, l);\n\
            s = s * 10 + __builtin_va_arg(m, int); s = s * 10 + next(&l); return s; }\n\
        static long mixed(int n, ...) { va_list l; __builtin_va_start(l, n); struct pair p = __builtin_va_arg(l, struct pair);\n\
            double d = __builtin_va_arg(l, double); char *s = __builtin_va_arg(l, char *); return p.b[2] + (long)d + s[1]; }\n";
    let checks = [
        "if (all(3, 1, 2, 3) != 123 || all(0) != 0) reach_error();",
        "if (all(2, all(1, 4), all(2, 0, 5)) != 45) reach_error();",
        "if (twice(2, 7, 8) != 788) reach_error();",
        "struct pair p = { 1, { 2, 3, 40 } }; if (mixed(1, p, 2.5f, \"ab\") != 40 + 2 + 'b') reach_error();",
    ];
    for check in checks {
        for model in [DataModel::LP64, DataModel::ILP32] {
            let cfa = load(&format!("{declared}int main(void) {{ {check} return 0; }}"), model);
            assert_eq!(replay(&cfa, &[], Limits::default()).outcome, Outcome::Finished, "{check}");
        }
    }
}

/// The values are those of gcc 12 without optimisation.
#[test]
fn builtins_have_the_values_of_gcc() {
    let declared = "struct S { int a; char b[6]; int c[3]; } s; char b[11]; double inf, zero, one = 1, small = 1e-310; int x = 5;\n\
        int calls; int eff(void) { calls++; return 1; } int *p; long big = 1L << 40;\n\
        extern int abs(int); extern long labs(long); extern int isinf(double);\n";
    let equal = [
        ("__builtin_object_size(b, 0)", "11"),
        ("__builtin_object_size(s.b, 0)", "20"),
        ("__builtin_object_size(s.b, 1)", "6"),
        ("__builtin_object_size(&s.b[2], 1)", "4"),
        ("__builtin_object_size(\"abc\", 0)", "4"),
        ("__builtin_object_size(p, 0)", "-1"),
        ("__builtin_object_size(p, 2)", "0"),
        ("__builtin_object_size((eff(), b), 0) + calls", "-1"),
        ("__builtin_constant_p(&x)", "0"),
        ("__builtin_constant_p(\"abc\")", "1"),
        ("__builtin_constant_p(b)", "0"),
        ("__builtin_constant_p((long)&b)", "0"),
        ("__builtin_constant_p(x)", "0"),
        ("__builtin_constant_p(1 + 2)", "1"),
        ("__builtin_constant_p((char *)12)", "1"),
        ("__builtin_constant_p((eff(), 1)) + calls", "0"),
        ("__builtin_expect(x, eff()) + calls", "6"),
        ("({ int e = __builtin_expect(x == 5, eff()) ? 2 : 0; e + calls; })", "3"),
        ("(__builtin_prefetch((eff(), b)), calls)", "1"),
        ("__builtin_isinf(-inf)", "1"),
        ("__builtin_isinf_sign(-inf)", "-1"),
        ("isinf(-inf)", "1"),
        ("__builtin_isfinite(inf)", "0"),
        ("__builtin_isfinite(-one)", "1"),
        ("__builtin_isnormal(small)", "0"),
        ("__builtin_isnormal(-one)", "1"),
        ("__builtin_isunordered(one, __builtin_nan(\"\"))", "1"),
        ("__builtin_isgreater(1, 2.5f)", "0"),
        ("__builtin_islessgreater(one, zero)", "1"),
        ("__builtin_fpclassify(1, 2, 3, 4, 5, -zero)", "5"),
        ("__builtin_fpclassify(1, 2, 3, 4, 5, small)", "4"),
        ("__builtin_fpclassify(1, 2, 3, 4, 5, inf)", "2"),
        ("abs(-7) + labs(-big) - big", "7"),
        ("__builtin_abs(-2147483647 - 1)", "-2147483647 - 1"),
        ("__builtin_clrsb(-1)", "31"),
        ("__builtin_clrsb(1)", "30"),
        ("__builtin_clrsbl(0)", "63"),
        ("__builtin_sadd_overflow(2147483647, 1, &x) + x", "-2147483647"),
        ("__builtin_uadd_overflow(1u, 2u, (unsigned *)&x) + x", "3"),
        ("__builtin_mul_overflow_p(65536, 65536, 0)", "1"),
        ("__builtin_add_overflow_p(255, 1, (unsigned char)0)", "1"),
        ("__builtin_sub_overflow(x, 7, &x) + x", "-2"),
        ("x + 2147483647 < 0", "1"),
    ];
    for (expression, value) in equal {
        let body =
            format!("{declared}int main(void) {{ inf = 1 / zero; long r = {expression}; if (r != {value}) reach_error(); }}");
        assert_eq!(ends(&body, &[]), Outcome::Finished, "{expression}");
    }
}

/// What has no row in the table of builtins is never accepted as nothing.
#[test]
fn other_builtins_are_unsupported() {
    for call in ["__builtin_frame_address(0)", "__builtin_return_address(0)", "__builtin_made_up(1)", "__sync_made_up(&x)"] {
        let outcome = ends(&format!("int x; int main(void) {{ (void){call}; reach_error(); }}"), &[]);
        assert!(matches!(outcome, Outcome::Unsupported { .. }), "{call}: {outcome:?}");
    }
}

/// How many reads of what nothing was written to somebody looked at.
fn seen(body: &str) -> usize {
    let head = "struct s { char a; int b; unsigned c : 3, d : 5; };\n";
    let cfa = load(&format!("{head}int main(void) {{ struct s x, y; x.a = 1; x.c = 2; {body} return 0; }}"), DataModel::LP64);
    let done = replay(&cfa, &[], Limits::default());
    assert_eq!(done.outcome, Outcome::Finished, "{body}");
    done.reads.iter().filter(|read| read.seen).count()
}

#[test]
fn what_is_only_copied_is_not_looked_at() {
    for copies in [
        "y = x;",
        "y = x; int i = y.a + y.c;",
        "memcpy(&y, &x, sizeof x); x = y; int i = x.a + x.c;",
        "y = x; y.b = 3; y.d = 1; int i = y.b + y.d;",
        "for (int k = 0; k < 2; k++) { struct s z; if (k) z = x; else z.b = 5, z.d = 1; int i = k || z.b + z.d; }",
    ] {
        assert_eq!(seen(copies), 0, "{copies}");
    }
    for looks in ["y = x; int i = y.b;", "y = x; int i = x.b;", "memcpy(&y, &x, sizeof x); x = y; int i = x.d;"] {
        assert!(seen(looks) > 0, "{looks}");
    }
    let by_bytes = "y = x; int i = ((char *)&y)[1];";
    assert_eq!(seen(by_bytes), 1, "{by_bytes}");
}
