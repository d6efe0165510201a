//! What of a repository is read: what a change concerns, and no more.

use crate::repository::Repository;

const UNIT: &str = "extern void reach_error(void);\nint f(int x) { if (x == LIMIT) reach_error(); return x; }\n";

/// The lines about units of a check of the working tree, and the verdict.
fn lines(repository: &Repository, more: &[&str]) -> Vec<String> {
    let ran = repository.check(&[&["-q", "--git", "HEAD", "--entry", "f"], more].concat());
    assert!(!ran.stdout.is_empty(), "{}", ran.stderr);
    ran.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn a_file_without_a_difference_is_not_read() {
    let repository = Repository::new();
    repository.write("a.c", &UNIT.replace("LIMIT", "1"));
    // It cannot be preprocessed, which is nobody's business.
    repository.write("b.c", "#error no\n");
    repository.commit("Two files");
    repository.write("a.c", &UNIT.replace("LIMIT", "2"));
    let found = lines(&repository, &[]);
    assert!(found[0].starts_with("a.c f: regression"), "{found:?}");
    assert_eq!(found[1], "1 checked: 1 with a regression, 1 unchanged; property: unreach-call");
    let found = lines(&repository, &["a.c"]);
    assert_eq!(found.last().unwrap(), "FALSE(unreach-call)");
}

#[test]
fn a_difference_is_seen_wherever_it_is_included_from() {
    for (what, source, header) in [
        ("directly", "#include \"inc/limit.h\"\n", "inc/limit.h"),
        ("with blanks", "  #  include \"inc/limit.h\" /* why */\n", "inc/limit.h"),
        ("through another header", "#include \"outer.h\"\n", "inc/limit.h"),
        ("by a macro", "#define HEADER \"inc/limit.h\"\n#include HEADER\n", "inc/limit.h"),
        ("behind a splice", "#include \\\n\"inc/limit.h\"\n", "inc/limit.h"),
        ("with the word cut", "#inc\\\nlude \"inc/limit.h\"\n", "inc/limit.h"),
        ("by digraphs", "%:include \"inc/limit.h\"\n", "inc/limit.h"),
        ("behind a comment", "/* */ # /* */ include \"inc/limit.h\"\n", "inc/limit.h"),
        ("as another C file", "#include \"limit.c\"\n", "limit.c"),
    ] {
        let repository = Repository::new();
        repository.write("outer.h", "#include <inc/limit.h>\n");
        repository.write("inc/limit.h", "#define LIMIT 1\n");
        repository.write("limit.c", "#define LIMIT 1\n");
        repository.write("src/f.c", &format!("{source}{UNIT}"));
        repository.commit("Before");
        repository.write(header, "#define LIMIT 2\n");
        let found = lines(&repository, &["-I", ".", "src/f.c"]);
        assert_eq!(found.last().unwrap(), "FALSE(unreach-call)", "{what}: {found:?}");
        repository.commit("After");
        let ran = repository.check(&["--git", "HEAD~1..HEAD", "--entry", "f", "-I", ".", "src/f.c"]);
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{what}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_header_that_is_new_or_gone_is_a_difference() {
    let repository = Repository::new();
    let source = format!("#if __has_include(\"limit.h\")\n#include \"limit.h\"\n#else\n#define LIMIT 1\n#endif\n{UNIT}");
    repository.write("f.c", &source);
    repository.commit("Before");
    repository.write("limit.h", "#define LIMIT 2\n");
    repository.commit("After");
    for range in ["HEAD~1..HEAD", "HEAD..HEAD~1"] {
        let ran = repository.check(&["--git", range, "--entry", "f", "f.c"]);
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{range}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn users_of_what_has_changed_are_found_in_files_without_a_difference() {
    for (what, user) in [
        ("by name", "int limit(int); void reach_error(void); int f(int x) { if (limit(x) > 100) reach_error(); return 0; }\n"),
        (
            "by a name that is put together",
            "#define CALL(name) lim##name(x)\nint limit(int); void reach_error(void);\n\
             int f(int x) { if (CALL(it) > 100) reach_error(); return 0; }\n",
        ),
        (
            "by a macro of a header",
            "#include \"call.h\"\nvoid reach_error(void); int f(int x) { if (CALL > 100) reach_error(); return 0; }\n",
        ),
    ] {
        let repository = Repository::new();
        repository.write("call.h", "int limit(int);\n#define CALL limit(x)\n");
        repository.write("f.c", user);
        repository.write("middle.c", "int deep(int); int limit(int x) { return deep(x); }\n");
        repository.write("deep.c", "int deep(int x) { return x > 100 ? 100 : x; }\n");
        repository.commit("Before");
        repository.write("deep.c", "int deep(int x) { return x > 200 ? 100 : x; }\n");
        for pathspecs in [[].as_slice(), &["f.c"]] {
            let found = lines(&repository, pathspecs);
            assert_eq!(found.last().unwrap(), "UNKNOWN(not checked)", "{what} {pathspecs:?}: {found:?}");
            let uses = found.iter().any(|line| line.starts_with("f.c f: it uses limit, which has changed in middle.c"));
            assert!(uses, "{what} {pathspecs:?}: {found:?}");
        }
    }
}

#[test]
fn a_linked_program_reads_what_is_the_same_once() {
    let repository = Repository::new();
    repository
        .write("f.c", "int limit(int); void reach_error(void); int f(int x) { if (limit(x) > 100) reach_error(); return 0; }\n");
    repository.write("limit.c", "int limit(int x) { return x > 100 ? 100 : x; }\n");
    repository.write("other.c", "#error no part of it\n");
    repository.commit("Before");
    repository.write("limit.c", "int limit(int x) { return x > 200 ? 100 : x; }\n");
    assert_eq!(lines(&repository, &["--link", "f.c,limit.c", "f.c"]).last().unwrap(), "FALSE(unreach-call)");
    repository.write("limit.c", "int limit(int x) { return x >= 100 ? 100 : x; }\n");
    assert_eq!(lines(&repository, &["--link", "f.c,limit.c", "f.c"]).last().unwrap(), "TRUE");
}
