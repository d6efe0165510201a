//! Harnesses of `cse`: gcc builds them, and they show the difference that was claimed.

use std::path::Path;

use duct::cmd;
use residue_tests::libraries::SAMPLES;
use residue_tests::{Ran, run};

fn cse(arguments: &[&str], folder: &Path) -> Ran {
    let limits = ["--steps", "400000"];
    run("cse", arguments.iter().chain(&limits), folder).unwrap()
}

/// What a harness says that gcc builds, and its status.
fn harness(texts: [&str; 3], flags: &[&str]) -> (String, i32) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in ["client.c", "old.c", "new.c"].iter().zip(texts) {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let files = ["--harness", "both.c", "--client", "client.c", "old.c", "new.c"];
    let ran = cse(&flags.iter().copied().chain(files).collect::<Vec<_>>(), folder.path());
    assert_eq!(ran.last_line(), "NOT EQUIVALENT", "{}", ran.stderr);
    built(folder.path(), &ran.stderr)
}

/// Builds a harness as the terminal says and runs it.
fn built(folder: &Path, told: &str) -> (String, i32) {
    let command = told.lines().find_map(|line| line.split_once("apart: gcc ")).map(|(_, command)| command);
    let command = command.unwrap_or_else(|| panic!("{told}")).strip_suffix(" && ./a.out").unwrap();
    let text = std::fs::read_to_string(folder.join("both.c")).unwrap();
    assert!(text.lines().next().unwrap().contains(&format!("`gcc {}", command.replace("both.c", "FILE"))), "{told}");
    let gcc = cmd("gcc", command.split(' ')).dir(folder).stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
    assert!(gcc.status.success(), "{}\n{text}", String::from_utf8_lossy(&gcc.stdout));
    let run = cmd!(folder.join("a.out")).stdout_capture().unchecked().run().unwrap();
    (String::from_utf8_lossy(&run.stdout).into_owned(), run.status.code().unwrap())
}

#[test]
fn harnesses_show_what_differs() {
    for (what, texts, expected) in SAMPLES {
        for (flags, expected) in [["--undefined", "preserve"], ["--undefined", "both"]].iter().zip(expected) {
            if *expected == "NEQ" {
                let (shown, status) = harness(*texts, flags);
                assert!(status == 0 && shown.contains("first difference:"), "{what} {flags:?}: {shown}");
            }
        }
    }
}

/// A client, two versions, and lines that the harness shows.
const SHOWN: &[([&str; 3], &[&str])] = &[
    // What no operation calls has a definition all the same.
    (
        [
            "void __VERIFIER_assume(int); int lib(int); int client(int x) { __VERIFIER_assume(x > 3); return lib(x); }",
            "int lib(int v) { return v; }",
            "int lib(int v) { return v == 7 ? 0 : v; }",
        ],
        &["original: returns 7", "modified: returns 0"],
    ),
    // What is an operation of the program is a call of the machine's library again.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 31); }",
            "#include <stdlib.h>\nint lib(int v) { return abs(v - 9) + div(v, 7).rem; }",
            "#include <stdlib.h>\nint lib(int v) { return abs(v - 9) + div(v, 7).quot; }",
        ],
        &["first difference:"],
    ),
    (
        [
            "int lib(int); static int lim(int v) { return v > 9 ? 9 : v; } int client(int x) { return lim(lib(x & 31)); }",
            "static int lim(int v) { return v & 3; } int lib(int v) { return lim(v); }",
            "static int lim(int v) { return v & 7; } int lib(int v) { return lim(v); }",
        ],
        &["  original: returns 3", "  modified: returns 7"],
    ),
    // The linker's name of a function is another one, in attributes too.
    (
        [
            "int lib(int); int client(int x) { return lib(x & 15); }",
            "int h(int v) { return v; } int f(int) __attribute__((alias(\"h\"))); int lib(int v) { return h(v); }",
            "int h(int v) { return v == 7 ? 0 : v; } int f(int) __attribute__((alias(\"h\"))); int lib(int v) { return h(v); }",
        ],
        &["original: returns 7", "modified: returns 0"],
    ),
    (
        [
            "#include <stdlib.h>\nint lib(int); int client(int x) { return lib(x & 15); }",
            "#include <stdlib.h>\nint lib(int v) { if (v == 5) exit(3); return 0; }",
            "#include <stdlib.h>\nint lib(int v) { if (v == 5) abort(); return 0; }",
        ],
        &["  original: exits with 3", "  modified: aborts"],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 15); }",
            "#include <assert.h>\nint lib(int v) { assert(v != 7); return 0; }",
            "#include <assert.h>\nint lib(int v) { return 0; }",
        ],
        &["  original: aborts", "  modified: returns 0"],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x); }",
            "int reached; int lib(int v) { reached = v == 4; return 1; }",
            "int reached; int lib(int v) { reached = v == 5; return 1; }",
        ],
        &["  returns 1", "  original: reached = 1", "  modified: reached = 0"],
    ),
    (
        [
            "struct p { int a; struct { char c[2]; double d; }; int bits : 3; }; struct p box; void lib(int, struct p *); void client(int x) { lib(x, &box); }",
            "struct p { int a; struct { char c[2]; double d; }; int bits : 3; }; void lib(int v, struct p *p) { p->c[1] = v; p->d = 0.5; }",
            "struct p { int a; struct { char c[2]; double d; }; int bits : 3; }; void lib(int v, struct p *p) { p->c[1] = v; p->d = -0.5; }",
        ],
        &["  returns", "  original: box.d = 0.5", "  modified: box.d = -0.5"],
    ),
    (
        [
            "void lib(int *, int); void client(int *p, int n) { lib(p, n & 1); }",
            "void lib(int *p, int n) { p[n] += 1; }",
            "void lib(int *p, int n) { p[n] += 2; }",
        ],
        &["  original: __made_object_0[0] = ", "  modified: __made_object_0[0] = "],
    ),
    (
        [
            "int __VERIFIER_nondet_int(void); long read_device(int); long lib(int); long client(void) { return lib(__VERIFIER_nondet_int()) + read_device(2); }",
            "long read_device(int); long lib(int v) { return v == 123456 ? read_device(1) : 7; }",
            "long read_device(int); long lib(int v) { return v == 123456 ? read_device(3) : 7; }",
        ],
        &["  original: read_device(1)", "  modified: read_device(3)"],
    ),
    (
        [
            "int lib(int); int main(void) { return lib(1); }",
            "int lib(int v) { static int calls; return v + calls++; }",
            "int lib(int v) { static int calls = 1; return v + calls++; }",
        ],
        &["  original: returns 1", "  modified: returns 2"],
    ),
    (
        [
            "int lib(int); int client(int x) { return lib(x & 7); }",
            "#include <stdlib.h>\nint lib(int v) { int *p = malloc(8 * sizeof *p); p[v] = 1; int r = p[v]; free(p); return r; }",
            "#include <stdlib.h>\nint lib(int v) { int *p = malloc(4 * sizeof *p); p[v] = 1; int r = p[v]; free(p); return r; }",
        ],
        &["  original: returns 1", "  modified: is not defined"],
    ),
    (
        [
            "int lib(int); int size, main_count; typedef struct count count; struct count { int number; }; int client(int number) { count text = { number }; size = lib(text.number); return 0; }",
            "enum { size_of = 4 }; typedef int number; number lib(number to) { number from[2] = { size_of, to }; return from[0]; }",
            "enum { size_of = 5 }; typedef int number; number lib(number to) { number from[2] = { size_of, to }; return from[0]; }",
        ],
        &["  original: size = 4", "  modified: size = 5"],
    ),
    (
        [
            "int lib(); int client(x) int x; { return lib(x); }",
            "int lib(v) int v; { return puts(\"a\\tb\") > 1000 ? v : v == 17; }",
            "int lib(v) int v; { return puts(\"a\\tb\") > 1000 ? v : v == 18; }",
        ],
        &["puts(\"a\\011b\")", "  original: returns ", "  modified: returns "],
    ),
    (
        [
            "#include <stdio.h>\nint lib(int, char *); int client(int x) { char text[8] = \"abc\"; return lib(x & 3, text); }",
            "#include <string.h>\nint lib(int n, char *to) { to[n] = 'x'; return strlen(to) + memcmp(to, \"ab\", 2); }",
            "#include <string.h>\nint lib(int n, char *to) { to[n] = 0; return strlen(to) + memcmp(to, \"ab\", 2); }",
        ],
        &["  original: returns ", "  modified: returns "],
    ),
    (
        [
            "extern int setting; int lib(int); int client(int x) { return lib(x); }",
            "extern int setting; int lib(int v) { return setting == 77 ? v : 0; }",
            "extern int setting; int lib(int v) { return setting == 77 ? v + 1 : 0; }",
        ],
        &["  original: returns ", "  modified: returns "],
    ),
];

#[test]
fn harnesses_show_each_kind_of_outcome() {
    for (texts, lines) in SHOWN {
        let (shown, status) = harness(*texts, &[]);
        assert_eq!(status, 0, "{texts:?}\n{shown}");
        for line in *lines {
            assert!(shown.contains(line), "{texts:?}\n{line}\n{shown}");
        }
    }
}

#[test]
fn a_harness_has_the_headers_and_files_of_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text) in [
        ("o/lib.h", "struct box { int v; int w; }; enum { LIMIT = 10 };\nstruct box make(int); int use(struct box *);\n"),
        (
            "m/lib.h",
            "struct box { long pad; int v; int w; }; enum { LIMIT = 12 };\nstruct box make(int); int use(struct box *);\n",
        ),
        (
            "client.c",
            "#include <stdio.h>\n#include \"lib.h\"\nstatic int cut(int x) { return x + 1; } int total;\nint client(int x) { struct box b = make(cut(x)); total += b.v; printf(\"%d\\n\", total); return use(&b); }\n",
        ),
        (
            "lib/make.c",
            "#include \"lib.h\"\nstatic int cut(int x) { return x > LIMIT ? LIMIT : x; } int made;\nstruct box make(int a) { struct box r = { .v = cut(a) }; made++; return r; }\n",
        ),
        (
            "lib/use.c",
            "#include \"lib.h\"\nextern int made; static int cut(int x) { return x / 2; }\nint use(struct box *b) { return cut(b->v) + made + b->w; }\n",
        ),
    ] {
        std::fs::create_dir_all(here.join(name).parent().unwrap()).unwrap();
        std::fs::write(here.join(name), text).unwrap();
    }
    let flags =
        ["--original-include", "o", "--modified-include", "m", "--harness", "both.c", "--client", "client.c", "lib", "lib"];
    let ran = cse(&flags, here);
    assert_eq!(ran.last_line(), "NOT EQUIVALENT", "{}", ran.stderr);
    let (shown, status) = built(here, &ran.stderr);
    assert!(status == 0 && shown.contains("  original: printf(\"%d\\n\") prints \"10\\n\""), "{shown}");
    // One of the inputs is no place for it, and what is equivalent has none.
    let refused = cse(&["--harness", "client.c", "--client", "client.c", "lib", "lib"], here);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    std::fs::remove_file(here.join("both.c")).unwrap();
    let same =
        ["--original-include", "o", "--modified-include", "o", "--harness", "both.c", "--client", "client.c", "lib", "lib"];
    assert_eq!(cse(&same, here).last_line(), "EQUIVALENT");
    assert!(!here.join("both.c").exists());
}

/// Where memory runs out, the harness says so to the version that asks.
#[test]
fn memory_runs_out_in_a_harness_too() {
    let malloc = "void *malloc(unsigned long); void free(void *);";
    let old =
        format!("{malloc} int lib(int v) {{ int *p = malloc(4); if (!p) return -1; *p = v; int r = *p; free(p); return r; }}");
    let client = "int lib(int); int client(int x) { return lib(x & 15); }";
    let (shown, status) = harness([client, &old, "int lib(int v) { return v; }"], &["--malloc-may-fail"]);
    assert!(status == 0 && shown.contains("original: returns -1"), "{shown}");
}
