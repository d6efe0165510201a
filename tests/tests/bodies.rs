//! Bodies of the C library: whose they are, when they are taken, and that counterexamples through input functions are fed.

use std::fs;
use std::path::Path;

use residue_tests::{has, run, skip};

const ERROR: &str = "extern void reach_error(void); extern char __VERIFIER_nondet_char(void);\n";

fn verdict(folder: &Path, flags: &[&str], text: &str) -> String {
    let file = folder.join("program.c");
    fs::write(&file, format!("{ERROR}{text}\n")).unwrap();
    let arguments = ["-q", "--budget", "10"].iter().chain(flags).copied().chain([file.to_str().unwrap()]);
    run("verify", arguments, folder).unwrap().last_line().to_owned()
}

#[test]
fn a_body_is_taken_where_the_function_is_the_one_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (text, expected) in [
        // The program's own definition wins, whatever it does.
        ("unsigned long strlen(const char *s) { return 7; } int main(void) { if (strlen(\"a\") == 7) reach_error(); }", "FALSE"),
        // Another type is another function: it yields any value.
        ("extern int strlen(const char *, int); int main(void) { if (strlen(\"a\", 1) == 7) reach_error(); }", "UNKNOWN"),
        // Names of the program are not those of the library's parameters, and types not its types.
        (
            "typedef char s; typedef int n; enum { i = 5, found = 6 }; extern char *strrchr(const char *, int);
             int main(void) { s t[] = {'a', 'b', 0}; n k = i; if (strrchr(t, 'b') != t + 1 || k != 5) reach_error(); }",
            "TRUE",
        ),
        // A static function with the name of a helper: nothing is taken, and what is known by name is not enough for TRUE.
        (
            "static int __residue_among(char c, const char *s) { return 0; } extern unsigned long strspn(const char *, const char *);
             int main(void) { char t[2] = {__VERIFIER_nondet_char(), 0};
             if (__residue_among(1, t) || strspn(t, \"ab\") > 1) reach_error(); }",
            "UNKNOWN",
        ),
        // Undeclared, and through a pointer.
        ("int main(void) { char t[2] = {__VERIFIER_nondet_char(), 0}; if (strlen(t) > 1) reach_error(); }", "TRUE"),
        (
            "extern int atoi(const char *); int main(void) { int (*f)(const char *) = atoi; char t[2] = {__VERIFIER_nondet_char(), 0};
             if (f(t) > 9) reach_error(); }",
            "TRUE",
        ),
        // A conversion without code: what is written is not known.
        (
            "extern int sprintf(char *, const char *, ...); int main(void) { char t[9]; sprintf(t, \"%g\", 1.0);
             if (t[0] == '1') reach_error(); }",
            "UNKNOWN",
        ),
        // Who looks at errno sees what the function does there.
        (
            "extern int *__errno_location(void); extern long strtol(const char *, char **, int);
             int main(void) { *__errno_location() = 0; strtol(\"99999999999999999999\", 0, 10); if (*__errno_location()) reach_error(); }",
            "UNKNOWN",
        ),
        // errno is somewhere.
        (
            "extern int *__errno_location(void); int main(void) { if (!__errno_location()) reach_error(); }",
            "TRUE",
        ),
    ] {
        let found = verdict(folder, &[], text);
        assert!(found.starts_with(expected), "{found}: {text}");
    }
}

/// Detectors know functions of the library by name, without bodies: where its tables are is not for a check to choose.
#[test]
fn tables_of_the_library_are_somewhere() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |last: &str| {
        format!(
            "{ERROR}extern const unsigned short **__ctype_b_loc(void);
             int main(void) {{ int c = __VERIFIER_nondet_char() & 127, n = (*__ctype_b_loc())[c] & 2048; {last} }}\n"
        )
    };
    fs::write(here.join("old.c"), text("return n;")).unwrap();
    fs::write(here.join("new.c"), text("return n + (*__ctype_b_loc())[c + 1];")).unwrap();
    for (original, modified) in [("old.c", "new.c"), ("new.c", "old.c")] {
        let ran =
            run("residue", ["check", "-q", "--property", "valid-deref", "--budget", "10", original, modified], here).unwrap();
        assert!(!ran.last_line().starts_with("FALSE"), "{original} {modified}: {}", ran.stdout);
    }
}

#[test]
fn structures_and_numbers_are_moved_as_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let declared =
        "extern void *memcpy(void *, const void *, unsigned long); extern void *memmove(void *, const void *, unsigned long);
        extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
        struct pair { int *at; char tag; }; int target = 4;
        static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }";
    for body in [
        "struct pair a = {&target, 'x'}, b; memcpy(&b, &a, sizeof b); if (*b.at != 4 || b.tag != 'x') reach_error();",
        "int a[3] = {__VERIFIER_nondet_char(), 2, 3}; memmove(a + 1, a, 8); if (a[0] != a[1] || a[2] != 2) reach_error();",
        "int a[3] = {__VERIFIER_nondet_char(), 2, 3}; qsort(a, 3, sizeof *a, order); if (a[0] > a[1] || a[1] > a[2]) reach_error();",
    ] {
        let found = verdict(folder.path(), &[], &format!("{declared} int main(void) {{ {body} return 0; }}"));
        assert!(found.starts_with("TRUE"), "{found}: {body}");
    }
}

/// Nobody knows the lines of our bodies, and no other tool has them.
#[test]
fn a_violation_in_a_body_is_told_at_its_call() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let declared = "extern void *memset(void *, int, unsigned long);
extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
int a[3] = {3, 1, 2}, n = 3; char b[4];
static int order(const void *x, const void *y) { memset(b, 0, n); return a[*(const int *)x - LESS] - *(const int *)y + 1; }
";
    for (less, count, expected) in [
        ("1", "2, 8", "access outside of every object at program.c:8 in `qsort`"),
        ("1", "3, 4", "access outside of every object at program.c:9 in `memset`"),
        ("0", "3, 4", "index out of bounds at program.c:4"),
    ] {
        // What `order` did within `qsort` lies behind when `qsort` itself goes wrong.
        let main = format!("int main(void)\n{{\n\n    qsort(a, {count}, order);\n    memset(b, 1, n + 2);\n}}\n");
        fs::write(here.join("program.c"), declared.replace("LESS", less) + &main).unwrap();
        for witness in ["w.graphml", "w.yml"] {
            let arguments = ["-q", "--property", "valid-deref", "--trace", "--witness", witness, "program.c"];
            let ran = run("verify", arguments, here).unwrap();
            assert!(ran.stdout.contains(expected), "{expected}: {}", ran.stdout);
            assert!(!ran.stdout.contains("C library"), "{}", ran.stdout);
            assert!(!ran.stdout.contains("[!("), "a guard is no branch: {}", ran.stdout);
            let read = run("residue", ["witness", "--program", "program.c", witness], here).unwrap();
            assert!(!read.stderr.contains("other files"), "{}", read.stderr);
            assert!(!read.stdout.contains("branch"), "no branch was written: {}", read.stdout);
        }
        let arguments = ["check", "-q", "--property", "valid-deref", "--report", "r.json", "passes.c", "program.c"];
        fs::write(here.join("passes.c"), "int main(void) { return 0; }\n").unwrap();
        let ran = run("residue", arguments, here).unwrap();
        let (what, rest) = expected.split_once(" at ").unwrap();
        let (place, within) =
            rest.split_once(" in ").map_or((rest, String::new()), |(place, name)| (place, format!(" in {name}")));
        let told = format!("regression at {place} ({what}{within}; the original passes");
        assert!(ran.stdout.contains(&told), "{told}: {}", ran.stdout);
    }
}

#[test]
fn another_library_or_none_replaces_the_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let own = folder.join("own");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("a.c"), "static int seven(void) { return 7; }\nint atoi(const char *s) { return seven(); }\n").unwrap();
    let text = "extern int atoi(const char *); extern unsigned long strlen(const char *);
        int main(void) { char t[2] = {__VERIFIER_nondet_char(), 0}; if (atoi(t) == 7) reach_error(); return 0; }";
    let long = text.replace("atoi(t) == 7", "atoi(t) != 7");
    let flag = format!("--libc={}", own.display());
    assert!(verdict(folder, &[&flag], text).starts_with("FALSE"));
    assert!(verdict(folder, &[&flag], &long).starts_with("TRUE"));
    assert!(verdict(folder, &[], &long).starts_with("FALSE"));
    assert!(!verdict(folder, &["--no-libc"], &long).starts_with("TRUE"));
    let fingerprint = |flags: &[&str], text: &str| {
        fs::write(folder.join("program.c"), format!("{ERROR}{text}")).unwrap();
        let ran = run("residue", ["cfa", "--to", "json"].iter().chain(flags).copied().chain(["program.c"]), folder).unwrap();
        let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        json["program"]["cfa"].as_str().unwrap().to_owned()
    };
    assert_ne!(fingerprint(&[&flag], text), fingerprint(&[], text));
    assert_ne!(fingerprint(&["--no-libc"], text), fingerprint(&[], text));
    let without = "extern int atoi(const char *); int unused(void) { return atoi(\"\"); } int main(void) { return 0; }";
    assert_eq!(fingerprint(&["--no-libc"], without), fingerprint(&[], without));
}

#[test]
fn a_change_that_matters_nowhere_by_name_needs_no_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "#include <stdio.h>
        extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        int main(void) { int n = __VERIFIER_nondet_int(), state = 1; char b[24]; if (n < 0) return 0;
        sprintf(b, \"%d\", n); puts(b); if (state != 1) reach_error(); return b[0] == '-'; }";
    let looks = text.replace("if (state", "if (b[0] == '-') reach_error(); if (state");
    fs::write(folder.join("old.c"), text).unwrap();
    fs::write(folder.join("looks.c"), &looks).unwrap();
    for (original, modified, expected) in [
        ("old.c", text.replace("%d", "%i"), (true, true)),
        // What it writes matters now, and the bodies say what that is.
        ("looks.c", looks.replace("%d", "%i"), (false, false)),
        ("looks.c", looks.replace("n < 0", "n < -1"), (false, false)),
        ("old.c", text.replace("state = 1", "state = 2"), (false, false)),
    ] {
        fs::write(folder.join("new.c"), &modified).unwrap();
        let ran = run("diffdp", ["-q", original, "new.c"], folder).unwrap();
        let graph: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let by_name = graph["library"] == "none";
        let settled = graph["indicators"].as_array().unwrap().is_empty();
        assert_eq!((by_name, settled), expected, "{modified}");
    }
}

#[test]
fn scanf_finds_what_its_format_may_find() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let start = "extern int scanf(const char *, ...);";
    for (text, expected) in [
        // A number ends where no digit stands, a word before a blank, and blanks are skipped.
        ("int main(void) { int a; char c; if (scanf(\"%d%c\", &a, &c) == 2 && c == '7') reach_error(); }", "TRUE"),
        ("int main(void) { int a; char c; if (scanf(\"%x%c\", &a, &c) == 2 && c == 'g') reach_error(); }", "FALSE"),
        ("int main(void) { int a; char c; if (scanf(\"%d %c\", &a, &c) == 2 && c == '7') reach_error(); }", "FALSE"),
        ("int main(void) { int a; char c; if (scanf(\"%d %c\", &a, &c) == 2 && c == ' ') reach_error(); }", "TRUE"),
        ("int main(void) { char n[3], c; if (scanf(\"%2[a]%c\", n, &c) == 2 && !n[1] && c == 'a') reach_error(); }", "TRUE"),
        ("int main(void) { char n[3], c; if (scanf(\"%2s%c\", n, &c) == 2 && n[1] && c == 'x') reach_error(); }", "FALSE"),
        ("int main(void) { char n[3]; if (scanf(\"%2[^;],\", n) == 1 && n[0] == ';') reach_error(); }", "TRUE"),
        // The end stays the end; what is not read keeps its value, and the result counts.
        (
            "int main(void) { int a, b = 5; if (scanf(\"%d\", &a) < 0 && (scanf(\"%d\", &b) >= 0 || b != 5)) reach_error(); }",
            "TRUE",
        ),
        ("int main(void) { int a = 3, b = 4; if (scanf(\"%d,%d\", &a, &b) == 1 && b != 4) reach_error(); }", "TRUE"),
        ("int main(void) { int a, b; if (scanf(\"%d,%d\", &a, &b) == 2 && a + b == 9) reach_error(); }", "FALSE"),
        // Numbers of a width, and what does not fit stays in the input.
        ("int main(void) { int a; if (scanf(\"%2d\", &a) == 1 && (a > 99 || a < -9)) reach_error(); }", "TRUE"),
        ("int main(void) { int a; if (scanf(\"%2x\", &a) == 1 && a == 0xfe) reach_error(); }", "FALSE"),
        ("int main(void) { int a; if (scanf(\"%d\", &a) == 0 && scanf(\"%d\", &a) == 1) reach_error(); }", "UNKNOWN"),
        // Other functions read the same input.
        (
            "extern int getchar(void); int main(void) { int a; if (scanf(\"%d\", &a) == 1 && getchar() == '1') reach_error(); }",
            "UNKNOWN",
        ),
        // Of streams only the standard input is known, as long as that is what it is called.
        (
            "struct f; extern struct f *stdin; extern int fscanf(struct f *, const char *, ...);
             int main(void) { int a, b = 2; if (fscanf(stdin, \"%d\", &a) < 0 && (scanf(\"%d\", &b) >= 0 || b != 2)) reach_error(); }",
            "TRUE",
        ),
        (
            "struct f; extern struct f *stdin, *file; extern int fscanf(struct f *, const char *, ...);
             int main(void) { int a = 1; if (fscanf(file, \"%d\", &a) == 0 && a != 1) reach_error(); }",
            "UNKNOWN",
        ),
        (
            "struct f; extern struct f *stdin, *file; extern int fscanf(struct f *, const char *, ...);
             int main(void) { int a = 1; stdin = file; if (fscanf(stdin, \"%d\", &a) == 0 && a != 1) reach_error(); }",
            "UNKNOWN",
        ),
    ] {
        let found = verdict(folder, &[], &format!("{start} {text}"));
        assert!(found.starts_with(expected), "{found}: {text}");
    }
}

#[test]
fn scanf_reads_any_floating_point_number() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (text, expected) in [
        // What is not read keeps its value, and the result counts.
        ("double a = 3; if (scanf(\"%lf\", &a) != 1 && a != 3) reach_error();", "TRUE"),
        ("double a = 3; int r = scanf(\"%lf\", &a); if (r > 1 || r < -1) reach_error();", "TRUE"),
        ("float a = 1, b = 2; if (scanf(\"%f%g\", &a, &b) == 1 && b != 2) reach_error();", "TRUE"),
        ("float a = 1, b = 2; if (scanf(\"%*f%e\", &a, &b) > 1 || b != 2) reach_error();", "TRUE"),
        // All numbers, those that are none too.
        ("double a = 3; if (scanf(\"%lf\", &a) == 1 && a != a) reach_error();", "FALSE"),
        ("float a = 3; if (scanf(\"%a\", &a) == 1 && a == 0.1f) reach_error();", "FALSE"),
        ("double a = 3; if (scanf(\"%la\", &a) == 1 && a > 1e308 && a - a != 0) reach_error();", "FALSE"),
        // A digit follows what is no number only, or what a width ends.
        ("double a; char c; if (scanf(\"%lf%c\", &a, &c) == 2 && c == '7' && a == 1) reach_error();", "TRUE"),
        ("double a; char c; if (scanf(\"%lf%c\", &a, &c) == 2 && c == '7') reach_error();", "FALSE"),
        ("double a; char c; if (scanf(\"%30lf%c\", &a, &c) == 2 && c == '7' && a == 1) reach_error();", "FALSE"),
        ("double a; char c; if (scanf(\"%3lf%c\", &a, &c) == 2 && c == '7') reach_error();", "UNKNOWN"),
        // A few characters make a few numbers.
        ("float a; if (scanf(\"%3f\", &a) == 1 && a == 1.5f) reach_error();", "FALSE"),
        ("float a; if (scanf(\"%3f\", &a) == 1 && a == 12.5f) reach_error();", "UNKNOWN"),
        ("long double a; if (scanf(\"%Lf\", &a) == 1) reach_error();", "UNKNOWN"),
        // Members and cells.
        (
            "struct { int k; float x[3]; } v = {1, {2, 3, 4}}; scanf(\"%g\", &v.x[1]); if (v.x[0] != 2 || v.x[2] != 4 || v.k != 1) reach_error();",
            "TRUE",
        ),
        // Texts that are known.
        ("double a; if (sscanf(\"2.5e1 x\", \"%lf\", &a) != 1 || a != 25) reach_error();", "TRUE"),
        (
            "float a; char c = 0; if (sscanf(\"0.1e-2z\", \"%f%c\", &a, &c) != 2 || a != 0.001f || c != 'z') reach_error();",
            "TRUE",
        ),
        ("double a = 7; if (sscanf(\"-.\", \"%lf\", &a) != 0 || a != 7) reach_error();", "TRUE"),
        ("double a = 7; if (sscanf(\"3.14159265358979323846\", \"%lf\", &a) == 1 && a > 4) reach_error();", "UNKNOWN"),
    ] {
        let start = "extern int scanf(const char *, ...); extern int sscanf(const char *, const char *, ...);";
        let found = verdict(folder, &[], &format!("{start} int main(void) {{ {text} }}"));
        assert!(found.starts_with(expected), "{found}: {text}");
    }
}

#[test]
fn counterexamples_through_input_functions_are_fed() {
    if !has("gcc") {
        return skip("gcc is missing");
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for text in [
        "#include <stdio.h>\n#include <string.h>\nint main(void) { char b[8]; if (!fgets(b, 8, stdin)) return 0;
         if (!strcmp(b, \"hey\\n\")) reach_error(); return 0; }",
        "#include <unistd.h>\nint main(void) { unsigned char b[4]; long n = read(0, b, 4);
         if (n == 3 && b[0] + b[1] == 300 && b[2] == 7) reach_error(); return 0; }",
        "#include <stdio.h>\nint main(void) { int a; char c; if (scanf(\"%d%c\", &a, &c) == 2 && a == -7 && c == 'x') reach_error(); return 0; }",
        "#include <stdio.h>\n#include <string.h>\nint main(void) { char n[5]; short v; if (scanf(\" %4[^=]=%hi\", n, &v) != 2) return 0;
         if (!strcmp(n, \"ab\") && v == 77) reach_error(); return 0; }",
        "#include <stdio.h>\nstruct s { int k; float x[3]; };\nint main(void) { struct s v = {1, {2, 3, 4}}; double d = 0, e = 0;
         if (scanf(\"%d %g,%lf;%3le\", &v.k, &v.x[1], &d, &e) != 4) return 0;
         if (v.k == 9 && v.x[0] == 2 && v.x[1] == 0.1f && d == 1e300 && e == 0.5) reach_error(); return 0; }",
        "#include <stdio.h>\nint main(void) { float f = 1; if (fscanf(stdin, \"%f\", &f) == 1 && f != f) reach_error(); return 0; }",
        "#include <stdio.h>\n#include <string.h>\nint main(void) { char n[5]; if (scanf(\"%4s\", n) == 1 && !strcmp(n, \"up\")
         && scanf(\"%*c\") == -1) reach_error(); return 0; }",
    ] {
        let harness = folder.join("harness.c");
        let found = verdict(folder, &["--harness", harness.to_str().unwrap()], text);
        assert!(found.starts_with("FALSE"), "{found}: {text}");
        let binary = folder.join("harness");
        duct::cmd!("gcc", "-std=gnu11", "-w", "-fwrapv", &harness, "-o", &binary).run().unwrap();
        let ran = duct::cmd!(&binary).stdin_null().stdout_capture().unchecked().run().unwrap();
        assert_eq!((ran.status.code(), &*ran.stdout), (Some(1), &b"reach_error\n"[..]), "{text}");
    }
}
