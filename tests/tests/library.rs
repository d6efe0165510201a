//! Verdicts agree with what the C library says of its functions: what they write through pointers is not missed, and
//! results that they never have are no counterexample.

use std::fs;

use residue_tests::run;

/// Declarations and the body of `main`, which reaches the error.
const REACHED: &[(&str, &str)] = &[
    ("extern long time(long *); long x = 0;", "time(&x); if (x == 7) reach_error();"),
    ("extern long time(long *);", "long x; long y = time(&x); if (x == 7 && y == 7) reach_error();"),
    ("extern int printf(const char *, ...); int n;", "printf(\"abc%n\", &n); if (n == 3) reach_error();"),
    ("extern int sprintf(char *, const char *, ...); char b[8];", "sprintf(b, \"%d\", 7); if (b[0] == '7') reach_error();"),
    ("char b[8];", "__builtin_sprintf(b, \"%d\", 7); if (b[0] == '7') reach_error();"),
    ("extern long strtol(const char *, char **, int); char *e;", "strtol(\"12\", &e, 10); if (e) reach_error();"),
    ("extern char *strtok(char *, const char *); char s[4] = \"a,b\";", "strtok(s, \",\"); if (!s[1]) reach_error();"),
    ("extern double frexp(double, int *); int e = 100;", "frexp(1.0, &e); if (e == 1) reach_error();"),
    ("extern int gettimeofday(long *, void *); long t[2];", "gettimeofday(t, 0); if (t[0]) reach_error();"),
    ("extern long recv(int, void *, unsigned long, int); char b;", "recv(0, &b, 1, 0); if (b == 1) reach_error();"),
    ("extern void bcopy(const void *, void *, unsigned long); int a = 1, b;", "bcopy(&a, &b, 4); if (b == 1) reach_error();"),
    (
        "extern int __isoc23_sscanf(const char *, const char *, ...); int b;",
        "__isoc23_sscanf(\"1\", \"%d\", &b); if (b == 1) reach_error();",
    ),
    ("extern int pthread_once(int *, void (*)(void)); int o; void h(void) { reach_error(); }", "pthread_once(&o, h);"),
    (
        "extern void __VERIFIER_nondet_memory(void *, unsigned long); int g = 5;",
        "__VERIFIER_nondet_memory(&g, 4); if (g != 5) reach_error();",
    ),
    ("extern void __VERIFIER_nondet_thing(int *);", "int y = 0; __VERIFIER_nondet_thing(&y); if (y == 1) reach_error();"),
    (
        "extern double fmod(double, double); extern double __VERIFIER_nondet_double(void);",
        "if (fmod(__VERIFIER_nondet_double(), 4) == 1.5) reach_error();",
    ),
    (
        "extern double fmin(double, double); extern double __VERIFIER_nondet_double(void);",
        "if (fmin(__VERIFIER_nondet_double(), 2) != 2) reach_error();",
    ),
    (
        "extern double __VERIFIER_nondet_double(void);",
        "double x = __VERIFIER_nondet_double(); if (__builtin_signbit(x) && x == 0) reach_error();",
    ),
    (
        "extern double __VERIFIER_nondet_double(void);",
        "double x = __VERIFIER_nondet_double(); if (x != x && __builtin_signbit(x)) reach_error();",
    ),
    (
        "extern double __VERIFIER_nondet_double(void);",
        "double x = __VERIFIER_nondet_double(); if (x != x && !__builtin_signbit(x)) reach_error();",
    ),
    ("extern double fmin(double, double);", "double z = 0.0; if (1 / fmin(z, -z) < 0) reach_error();"),
    ("extern double fmin(double, double);", "double z = 0.0; if (1 / fmin(z, -z) > 0) reach_error();"),
    ("extern int fesetround(int);", "fesetround(1024); float x = 1.0f, y = 3.0f; if (x / y > 0.333333f) reach_error();"),
    // Names of the library that mean something else here.
    ("extern int round(int *);", "int y = 0; round(&y); if (y == 1) reach_error();"),
    ("extern int err(int);", "err(1); reach_error();"),
    ("extern int getchar(void);", "if (getchar() == -1) reach_error();"),
    ("extern int isdigit(int);", "if (isdigit('5')) reach_error();"),
];

/// The same where it does not.
const NOT_REACHED: &[(&str, &str)] = &[
    ("extern int rand(void);", "if (rand() < 0) reach_error();"),
    // They may fail, but not because of what the program does.
    ("extern int puts(const char *);", "if (puts(\"a\") < 1) reach_error();"),
    ("#include <stdio.h>\n", "if (fflush(stdout) || fputs(\"a\", stdout) == EOF) reach_error();"),
    ("extern int getchar(void);", "if (getchar() == 1000) reach_error();"),
    ("extern double fabs(double);", "if (fabs(-1.0) != 1.0) reach_error();"),
    ("extern double sin(double);", "if (sin(0.0) > 1.0) reach_error();"),
    ("extern int isdigit(int);", "if (!isdigit('5')) reach_error();"),
    ("extern int toupper(int);", "if (toupper('a') != 'A') reach_error();"),
    ("extern int atoi(const char *);", "if (atoi(\"5\") != 5) reach_error();"),
    ("extern char *strdup(const char *);", "char *p = strdup(\"a\"); if (p[0] != 'a') reach_error();"),
    ("extern long time(long *);", "long x; long y = time(&x); if (x != y) reach_error();"),
    ("extern int printf(const char *, ...); int n = 5;", "printf(\"abc%n\", &n); if (n == 5) reach_error();"),
    (
        "extern int sprintf(char *, const char *, ...);",
        "char b[8] = \"\"; sprintf(b, \"%d\", 7); if (b[0] != '7') reach_error();",
    ),
    ("extern int sprintf(char *, const char *, ...);", "char b[8]; if (sprintf(b, \"%d\", 7) != 1) reach_error();"),
    ("extern int raise(int);", "raise(9); reach_error();"),
    ("#include <wchar.h>\n", "mbstate_t s = {0}; if (!mbsinit(&s)) reach_error();"),
    ("#include <time.h>\n", "if (difftime(5, 3) != 2) reach_error();"),
    (
        "#include <pthread.h>\n",
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int got = pthread_mutex_lock(&m), same = got; if (same != 0) reach_error();",
    ),
    ("extern int __fpclassifyf(float);", "if (__fpclassifyf(1e-40f) != 3) reach_error();"),
    (
        "extern double sqrt(double), rint(double); extern long lrint(double);",
        "if (sqrt(2.25) != 1.5 || lrint(2.5) != 2) reach_error();",
    ),
    ("extern double sqrt(double);", "double z = 0; if (sqrt(z) * sqrt(z) != z) reach_error();"),
    ("extern int fesetround(int), fegetround(void);", "if (fesetround(0) != 0 || fegetround() != 0) reach_error();"),
];

/// Of these it is known that they do not reach it.
const PROVED: &[(&str, &str)] = &[
    (
        "extern double fmin(double, double); extern double __VERIFIER_nondet_double(void);",
        "double x = __VERIFIER_nondet_double(); if (x != 0 && fmin(x, 0.0) > 0) reach_error();",
    ),
    (
        "extern double copysign(double, double); extern double __VERIFIER_nondet_double(void);",
        "double x = __VERIFIER_nondet_double(); if (x == x && copysign(x, -1.0) > 0) reach_error();",
    ),
    (
        "extern float rintf(float); extern float __VERIFIER_nondet_float(void);",
        "float x = __VERIFIER_nondet_float(); if (x > 1 && x < 9 && (rintf(x) > 9 || rintf(x) < 1)) reach_error();",
    ),
    (
        "extern double __VERIFIER_nondet_double(void);",
        "double x = __VERIFIER_nondet_double(); if (x > 1 && __builtin_signbit(x)) reach_error();",
    ),
    ("extern double modf(double, double *);", "double whole; if (modf(-2.25, &whole) != -0.25 || whole != -2) reach_error();"),
];

#[test]
fn numbers_are_what_the_library_computes() {
    for (declarations, body) in PROVED {
        assert_eq!(verdict(declarations, body), "TRUE", "{body}");
    }
}

fn verdict(declarations: &str, body: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("extern void reach_error(void);\n{declarations}\nint main(void) {{ {body} return 0; }}\n");
    fs::write(folder.path().join("program.c"), text).unwrap();
    let ran = run("verify", ["-q", "--budget", "20", "program.c"], folder.path()).unwrap();
    assert!(matches!(ran.code, 0 | 1 | 3), "{body}: {}{}", ran.stdout, ran.stderr);
    ran.last_line().to_owned()
}

#[test]
fn what_library_functions_write_is_not_missed() {
    for (declarations, body) in REACHED {
        assert_ne!(verdict(declarations, body), "TRUE", "{body}");
    }
}

#[test]
fn results_that_library_functions_never_have_are_no_counterexample() {
    for (declarations, body) in NOT_REACHED {
        let verdict = verdict(declarations, body);
        assert!(!verdict.starts_with("FALSE"), "{body}: {verdict}");
    }
}

#[test]
fn contents_that_nobody_reads_do_not_matter() {
    let declarations = "extern int sprintf(char *, const char *, ...); extern int __VERIFIER_nondet_int(void); char b[8];";
    let verdict = verdict(declarations, "sprintf(b, \"%d\", 7); if (__VERIFIER_nondet_int() == 3) reach_error();");
    assert!(verdict.starts_with("FALSE"), "{verdict}");
}
