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
