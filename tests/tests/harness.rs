//! The harness of every FALSE builds with gcc, as its first line says, and reaches the error.

use std::fs;
use std::path::Path;

use residue_tests::run;

const HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

/// Programs that reach the error and use something that a harness must supply, by what that is.
const PROGRAMS: &[(&str, &[&str], &str)] = &[
    (
        "functions that a compiler calls for a builtin",
        &[],
        "extern double floor(double); extern double __VERIFIER_nondet_double(void);\n\
         int main(void) { double x = __VERIFIER_nondet_double(); if (floor(x) == -3 && x != -3 && __builtin_ceil(x) == -2 && __builtin_round(x) == -2\n\
         && __builtin_truncf((float)x) == -2) reach_error(); return 0; }\n",
    ),
    (
        "functions that a compiler calls for a builtin, without a library",
        &["--32"],
        "extern double floor(double), rint(double); extern double __VERIFIER_nondet_double(void);\n\
         int main(void) { double x = __VERIFIER_nondet_double(); if (floor(x) == -3 && __builtin_round(x) == -2 && rint(x) == -2) reach_error(); return 0; }\n",
    ),
    (
        "a function of that name in the program",
        &[],
        "double floor(double x) { return x + 1; }\n\
         int main(void) { double x = __VERIFIER_nondet_int(); if (floor(x) == 8) reach_error(); return 0; }\n",
    ),
    ("a number of arguments", &[], "int main(int argc, char **argv) { if (argc == 10) reach_error(); return 0; }\n"),
    (
        "a number of arguments of a program with a constructor",
        &[],
        "static int set; __attribute__((constructor)) static void begin(void) { set = 1; }\n\
         int main(int argc, char **argv) { if (set && argc == 3 && __VERIFIER_nondet_int() == 9) reach_error(); return 0; }\n",
    ),
    (
        "a function of the system whose result does not matter",
        &[],
        "#include <math.h>\n#include <wchar.h>\n\
         int main(void) { mbstate_t s = {0}; double x = sin(0.5); int y = mbsinit(&s); if (__VERIFIER_nondet_int() == 9) reach_error(); return 0; }\n",
    ),
    (
        "an own declaration of __VERIFIER_assume",
        &[],
        "extern void __VERIFIER_assume(long long);\nint main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x == 77); if (x > 5) reach_error(); return 0; }\n",
    ),
    (
        "an assumption of another type that no prototype describes",
        &[],
        "void __VERIFIER_assume();\nint main(void) { unsigned char x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 250); if (x != 3) reach_error(); return 0; }\n",
    ),
    (
        "bit-fields that an initialiser fills",
        &[],
        "struct t { long long pad : 12; long long field : 52; };\n\
         int main(void) { struct t t = { 0x123, 5 }; t.field |= 2; if (t.pad == 0x123 && t.field == 7) reach_error(); return 0; }\n",
    ),
    (
        "arguments that are read in the order of the compiler",
        &[],
        "int f(int a, int b) { if (a == 17 && b == 4) reach_error(); return 0; }\n\
         int main(void) { f(__VERIFIER_nondet_int(), __VERIFIER_nondet_int()); return 0; }\n",
    ),
    (
        "undefined objects",
        &[],
        "extern int limit; extern unsigned char table[16]; struct s { short a; long b; }; extern struct s one; extern const int fixed;\n\
         int main(void) { if (limit == 12345 && table[3] == 9 && one.b == 0 && fixed == 6) reach_error(); return 0; }\n",
    ),
    (
        "library calls that return structs",
        &[],
        "typedef struct { int quot; int rem; } div_t; extern div_t part(int, int); struct big { long a[5]; }; extern struct big get(char);\n\
         int main(void) { div_t d = part(7, 2); struct big b; b = get(1); if (d.quot == 0 && d.rem == 0 && b.a[4] == 0) reach_error(); return 0; }\n",
    ),
    (
        "headers of the system",
        &[],
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n\
         int main(void) { uint32_t x = __VERIFIER_nondet_int(); char *p = malloc(4); if (!p) return 0; memset(p, 0, 4); if (x == 0xfffffff0u && strlen(p) == 0) { printf(\"%u\\n\", x); reach_error(); } return 0; }\n",
    ),
    (
        "a header of the program",
        &["-I", "include"],
        "#include \"own.h\"\nint main(void) { if (__VERIFIER_nondet_int() == OWN) reach_error(); return own(0); }\n",
    ),
    (
        "functions that are called without a declaration",
        &[],
        "int main(void) { int x = undeclared(1, 2); if (x == 42) reach_error(); return 0; }\n",
    ),
    (
        "results of struct and pointer types",
        &[],
        "struct p { int x, y; }; extern struct p get_p(void); extern char *__VERIFIER_nondet_charp(void);\n\
         int main(void) { struct p p = get_p(); char *c = __VERIFIER_nondet_charp(); if (p.x == 0 && p.y == 0 && c == 0) reach_error(); return 0; }\n",
    ),
    (
        "inputs of every scalar type",
        &[],
        "extern float __VERIFIER_nondet_float(void); extern _Bool __VERIFIER_nondet_bool(void); extern unsigned __int128 __VERIFIER_nondet_uint128(void);\n\
         int main(void) { float f = __VERIFIER_nondet_float(); _Bool b = __VERIFIER_nondet_bool(); unsigned __int128 w = __VERIFIER_nondet_uint128();\n\
         if (f > 0.25f && f < 0.5f && b && (unsigned long)(w >> 64) == 77) reach_error(); return 0; }\n",
    ),
    (
        "ILP32 without a library",
        &["--32"],
        "extern long __VERIFIER_nondet_long(void); extern long long __VERIFIER_nondet_longlong(void); extern int limit;\n\
         int main(void) { long x = __VERIFIER_nondet_long(); long long y = __VERIFIER_nondet_longlong(); if (sizeof x == 4 && x == -9 && y / 3 == 4000000000LL && y % 3 == 1 && limit == 4) reach_error(); return 0; }\n",
    ),
    (
        "what runs at the end, without a library",
        &["--32"],
        "extern int atexit(void (*)(void)); extern void exit(int); int count; void last(void) { if (count == 2) reach_error(); } void first(void) { count++; }\n\
         int main(void) { atexit(last); atexit(first); atexit(first); if (__VERIFIER_nondet_int() == 4) exit(0); exit(3); }\n",
    ),
    (
        "what runs at the end",
        &[],
        "extern int atexit(void (*)(void)); extern void exit(int); int x; void last(void) { if (x == 5) reach_error(); }\n\
         int main(void) { atexit(last); x = __VERIFIER_nondet_int(); if (x == 4) return 0; exit(0); }\n",
    ),
    (
        "what runs at the end of `main`",
        &[],
        "extern int atexit(void (*)(void)); int x; void last(void) { if (x == 5) reach_error(); }\n\
         int main(void) { atexit(last); x = __VERIFIER_nondet_int(); return 0; }\n",
    ),
    (
        "what runs at the end of `main`, without a library",
        &["--32"],
        "extern int atexit(void (*)(void)); int x; void last(void) { if (x == 5) reach_error(); }\n\
         int main(void) { atexit(last); x = __VERIFIER_nondet_int(); return 0; }\n",
    ),
    (
        "names of the harness' own",
        &[],
        "int __residue_input = 3; int __residue_call1(int x) { return x; } static int __residue_end(void) { return 0; }\n\
         int main(void) { int uninitialised; if (__residue_call1(__VERIFIER_nondet_int()) == 5 && uninitialised == 3 && __residue_input == 3 && !__residue_end()) reach_error(); return 0; }\n",
    ),
    (
        "objects and functions named as those of a library",
        &[],
        "int free = 3; int index; int strlen(int x) { return x + 1; } static int calloc = 2;\n\
         int main(void) { if (strlen(__VERIFIER_nondet_int()) == 9 && free == 3 && index == 0 && calloc == 2) reach_error(); return 0; }\n",
    ),
    (
        "an entry function beside main",
        &["--entry", "start"],
        "int start(int x, double d) { if (x == 8 && d > 1.5 && d < 2) reach_error(); return 0; }\nint main(void) { return start(1, 2); }\n",
    ),
    (
        "a static entry function",
        &["--entry", "start"],
        "static int start(unsigned char x) { if (x == 200) reach_error(); return 0; }\nint (*keep)(unsigned char) = start;\n",
    ),
    (
        "overflow that wraps",
        &[],
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0 && x + x < 0 && x + 1 > 0) reach_error(); return 0; }\n",
    ),
    (
        "assertions without a body",
        &["--property", "assert"],
        "extern void __VERIFIER_assert(int);\nint main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assert(x != 31); return 0; }\n",
    ),
    (
        "assertions of the system's header",
        &["--property", "assert"],
        "#include <assert.h>\nint main(void) { int x = __VERIFIER_nondet_int(); assert(x != 31); return 0; }\n",
    ),
    (
        "a weak object that nothing defines",
        &[],
        "extern int there __attribute__((weak));\nint main(void) { int x = __VERIFIER_nondet_int(); if (x == 4 && &there == 0) reach_error(); return 0; }\n",
    ),
    (
        "what allocated blocks hold",
        &[],
        "extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);\n\
         int main(void) { int *a = malloc(8), *z = calloc(1, 4), *b = malloc(12); if (!a || !z || !b) return 0; a[0] = 1;\n\
         if (a[1] == 3 && !*z && b[2] == 77) reach_error(); return 0; }\n",
    ),
    (
        "functions that are said to do nothing but yield a result",
        &[],
        "__attribute__((pure)) int get(int i) { if (i == 3) reach_error(); return i; }\n\
         int main(void) { get(__VERIFIER_nondet_int()); return 0; }\n",
    ),
    (
        "padding of a compound literal",
        &[],
        "struct p { int x; unsigned char y; };\n\
         static int f(struct p p, unsigned char a) { return p.y == 1 && a == 7; }\n\
         int main(void) { unsigned char a = __VERIFIER_nondet_int(); if (f((struct p){a, 1}, a)) reach_error(); return 0; }\n",
    ),
    (
        "implicit int and old declarations",
        &[],
        "f(x) { return x; }\nmain() { if (f(__VERIFIER_nondet_int()) == 6) reach_error(); return 0; }\n",
    ),
];

/// Builds as the first line says, and runs; what came out.
fn build_and_run(folder: &Path, name: &str) -> (i32, String) {
    let text = fs::read_to_string(folder.join("harness.c")).unwrap();
    let first = text.lines().next().unwrap();
    let command = first.split('`').nth(1).unwrap_or_else(|| panic!("{name}: {first}")).replace("FILE", "harness.c");
    let output = duct::cmd!("sh", "-c", command).dir(folder).stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn every_harness_builds_and_reaches_the_error() {
    for (name, flags, text) in PROGRAMS {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        fs::create_dir(here.join("include")).unwrap();
        fs::write(here.join("include/own.h"), "#define OWN 4711\nstatic inline int own(int x) { return x; }\n").unwrap();
        fs::write(here.join("p.c"), format!("{HEAD}{text}")).unwrap();
        let ran = run("verify", [flags, ["--budget", "30", "--harness", "harness.c", "p.c"].as_slice()].concat(), here).unwrap();
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{name}: {}{}", ran.stdout, ran.stderr);
        let (code, said) = build_and_run(here, name);
        assert_eq!((code, said.lines().last()), (1, Some("reach_error")), "{name}: {said}");
    }
}
