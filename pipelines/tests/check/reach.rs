//! Files that a program does not need are not linked, and however a file is needed, it is.

use std::fs;

use crate::repository::Repository;
use crate::{Ran, run};

const HEADER: &str = "int limit(void);\nint bound(void);\nextern int level;\nvoid reach_error(void);\n\
    int __VERIFIER_nondet_int(void);\n";
const MAIN: &str = "#include \"all.h\"\nint main(void) {\n  if (limit() > bound())\n    reach_error();\n  return 0;\n}\n";
const LIMIT: &str = "#include \"all.h\"\nint limit(void) { return 100; }\n";

/// Further files of a program in which `bound()` is 100 wherever all of them are linked, and any number otherwise.
const BOUNDS: [(&str, &[(&str, &str)]); 17] = [
    ("a function", &[("bound.c", "#include \"all.h\"\nint bound(void) { return 100; }\n")]),
    ("another form", &[("bound.c", "int (bound)(void)\n#if 0\n;\n#else\n{ return 100; }\n#endif\n")]),
    (
        "through another file",
        &[("bound.c", "int deep(void); int bound(void) { return deep(); }\n"), ("deep.c", "int deep() { return 100; }\n")],
    ),
    (
        "a pasted name",
        &[("paste.h", "#define F(a, b) int a ## b(void) { return 100; }\n"), ("bound.c", "#include \"paste.h\"\nF(bou, nd)\n")],
    ),
    ("a macro", &[("bound.c", "#define NAME bound\n#define NOTHING(x) x\nNOTHING(int NAME(void)) { return 100; }\n")]),
    ("a header with a body", &[("body.h", "int bound(void) { return 100; }\n"), ("bound.c", "#include \"body.h\"\n")]),
    ("a computed header", &[("body.h", "int bound(void) { return 100; }\n"), ("bound.c", "#define H \"body.h\"\n#include H\n")]),
    (
        "a header of a system that pastes",
        &[("bound.c", "#include <sys/queue.h>\n#define bound_ bound\nint bound_(void) { return 100; }\n")],
    ),
    ("a label", &[("bound.c", "int other(void) __asm__(\"bound\");\nint other(void) { return 100; }\n")]),
    ("an alias", &[("bound.c", "int other(void) { return 100; }\nint bound(void) __attribute__((alias(\"other\")));\n")]),
    (
        "a label where it is used",
        &[
            ("all.h", "int limit(void);\nint bound(void) __asm__(\"other\");\nextern int level;\nvoid reach_error(void);\n"),
            ("bound.c", "int other(void) { return 100; }\n"),
        ],
    ),
    ("a variable", &[("bound.c", "#include \"all.h\"\nint bound(void) { return level; }\n"), ("level.c", "int level = 100;\n")]),
    (
        "a table of functions",
        &[
            ("bound.c", "typedef int fn(void);\nextern fn *const table[];\nint bound(void) { return table[1](); }\n"),
            ("table.c", "extern int zero(void);\nint hundred(void);\nint (*const table[])(void) = { zero, hundred };\n"),
            ("zero.c", "int zero(void) { return 0; }\n"),
            ("hundred.c", "int hundred(void) { return 100; }\n"),
        ],
    ),
    (
        "a declaration in a block",
        &[
            ("bound.c", "typedef int fn(void);\nint bound(void) { fn deep; fn *p = deep; return p(); }\n"),
            ("deep.c", "int deep(void) { return 100; }\n"),
        ],
    ),
    (
        "a tentative definition",
        &[("bound.c", "int value;\nint bound(void) { return value; }\n"), ("value.c", "int value = 100;\n")],
    ),
    (
        "a weak definition",
        &[
            ("bound.c", "__attribute__((weak)) int bound(void) { return 1000; }\n"),
            ("strong.c", "int bound(void) { return 100; }\n"),
        ],
    ),
    (
        "a constructor",
        &[
            ("bound.c", "int value;\nint bound(void) { return value; }\n"),
            ("start.c", "extern int value;\n__attribute__((constructor)) static void start(void) { value = 100; }\n"),
        ],
    ),
];

/// Files that no program here needs.
const UNNEEDED: [(&str, &str); 3] = [
    ("user.c", "#include \"all.h\"\nint use(void) { return limit() + bound() + level; }\n"),
    ("apart.c", "#include <stdio.h>\nstatic int bound; int apart(void) { printf(\"%d\\n\", bound); return bound; }\n"),
    ("same.c", "#include \"all.h\"\nint same(int x) { return x == limit() && bound() ? 1 : 0; }\n"),
];

fn repository(more: &[(&str, &str)]) -> Repository {
    let repository = Repository::new();
    for (path, text) in [("all.h", HEADER), ("main.c", MAIN), ("limit.c", LIMIT)].iter().chain(&UNNEEDED).chain(more) {
        repository.write(&format!("src/{path}"), text);
    }
    repository.commit("one");
    repository
}

/// The files of the modified program.
fn linked(ran: &Ran) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let files = report["outcomes"][0]["modified"]["files"].as_array().unwrap();
    let name = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    files.iter().map(|file| name(file["path"].as_str().unwrap())).collect()
}

#[test]
fn whatever_is_needed_is_linked() {
    for (what, more) in BOUNDS {
        let repository = repository(more);
        repository.write("src/limit.c", &LIMIT.replace("100", "101"));
        let ran = repository.check(&["--git", "HEAD", "--link", "src/*.c"]);
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{what}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("regression at src/main.c:4"), "{what}: {}", ran.stdout);
        // All files of two folders are linked.
        let base = tempfile::tempdir().unwrap();
        for file in fs::read_dir(repository.path().join("src")).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), base.path().join(file.file_name())).unwrap();
        }
        fs::write(base.path().join("limit.c"), LIMIT).unwrap();
        let whole = run(&["check", &base.path().to_string_lossy(), "src"], repository.path());
        assert_eq!(ran.last_line(), whole.last_line(), "{what}: {}{}", whole.stdout, whole.stderr);
        let ran = repository.check(&["--git", "HEAD", "--link", "src/*.c", "--json"]);
        let files = linked(&ran);
        let needed = more.iter().map(|(name, _)| *name).filter(|name| name.ends_with(".c"));
        assert!(needed.into_iter().all(|name| files.iter().any(|file| file == name)), "{what}: {files:?}");
    }
}

#[test]
fn what_is_not_needed_is_not_linked() {
    let repository = repository(BOUNDS[0].1);
    repository.write("src/limit.c", &LIMIT.replace("100", "99"));
    let ran = repository.check(&["--git", "HEAD", "--link", "src/*.c", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(linked(&ran), ["bound.c", "limit.c", "main.c"]);
    // A change that the entry function does not reach is looked at all the same.
    repository.commit("two");
    repository.write("src/apart.c", "int limit(int x, int y) { return x; }\n");
    let ran = repository.check(&["--git", "HEAD", "--link", "src/*.c"]);
    assert_ne!(ran.code, 0, "two functions of one name: {}{}", ran.stdout, ran.stderr);
}

#[test]
fn functions_that_an_entry_function_is_given_are_linked() {
    let entry = "struct s { int (*f)(void); };\nint check(struct s *s) {\n  if (s && s->f && s->f() > 100)\n    reach_error();\n  return 0;\n}\n";
    let more = [
        ("check.c", format!("#include \"all.h\"\n{entry}")),
        ("given.c", "#include \"all.h\"\nint (*p)(void) = limit;\n".into()),
    ];
    let more: Vec<(&str, &str)> = more.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let repository = repository(&more);
    repository.write("src/limit.c", &LIMIT.replace("100", "101"));
    let ran = repository.check(&["--git", "HEAD", "--link", "src/*.c", "--entry", "check"]);
    assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn flags_of_the_build_may_name_what_is_defined() {
    let repository = repository(&[("bound.c", "int plain(void) { return 100; }\n")]);
    let entry = |file: &str, flags: &str| {
        format!("{{\"directory\": \".\", \"file\": \"src/{file}.c\", \"command\": \"cc {flags} -c src/{file}.c\"}}")
    };
    let database = [entry("main", ""), entry("limit", ""), entry("bound", "-Dplain=bound"), entry("user", "")].join(",");
    repository.write("compile_commands.json", &format!("[{database}]"));
    repository.commit("build");
    repository.write("src/limit.c", &LIMIT.replace("100", "101"));
    let ran = repository.check(&["--git", "HEAD", "--target"]);
    assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn others_that_use_what_is_not_linked_are_told() {
    let repository = repository(BOUNDS[0].1);
    // The test uses `limit` through a file that the linked program does not need.
    repository.write(
        "tests/test.c",
        "int use(void);\nvoid reach_error(void);\nint main(void) { if (use() > 3) reach_error(); return 0; }\n",
    );
    repository.commit("a test");
    repository.write("src/limit.c", &LIMIT.replace("100", "99"));
    let ran = repository.check(&["--git", "HEAD", "--link", "src/*.c"]);
    assert_eq!(ran.last_line(), "UNKNOWN(not checked)", "{}{}", ran.stdout, ran.stderr);
}
