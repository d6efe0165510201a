//! Headers of the working tree that git ignores, or does not know yet, in the place of those that a revision finds.

use std::os::unix::fs::symlink;

use crate::repository::Repository;
use crate::run;

const MAIN: &str = "#include <assert.h>\n#include \"x.h\"\nint main(void) { int i = LIMIT; assert(i == 10); return 0; }\n";

/// A repository whose `A` comes before `B`, and is ignored in part.
fn repository() -> Repository {
    let repository = Repository::new();
    repository.write("a.c", MAIN);
    repository.write("lib.c", "#include \"x.h\"\nint get(int a) { return a + LIMIT; }\n");
    repository.write("client.c", "int get(int a);\nint main(void) { return get(1); }\n");
    repository.write("A/other.h", "");
    repository.write("B/x.h", "#define LIMIT 10\n");
    repository.write(".gitignore", "/A/*\n!/A/other.h\n");
    repository.commit("one");
    repository
}

/// The last line of what a command says of the working tree.
fn last(repository: &Repository, command: &[&str]) -> String {
    let ran = run(&[command, &["--git", "HEAD", "-I", "A", "-I", "B"]].concat(), repository.path());
    format!("{} [{}{}]", ran.last_line(), ran.stdout, ran.stderr)
}

#[test]
fn an_ignored_header_in_the_place_of_another_is_a_change() {
    let repository = repository();
    for (number, check, clients) in [(10, "TRUE", "0 of 1"), (11, "FALSE", "1 of 1")] {
        repository.write("A/x.h", &format!("#define LIMIT {number}\n"));
        for command in [&["check", "a.c"][..], &["properties", "a.c"]] {
            let found = last(&repository, command);
            assert!(found.starts_with(check), "{command:?} {number}: {found}");
        }
        let found = last(&repository, &["clients", "--library", "lib.c", "client.c"]);
        assert!(found.starts_with(clients), "{number}: {found}");
    }
    for command in [&["check"][..], &["check", "--link", "a.c"]] {
        let found = last(&repository, command);
        assert!(found.starts_with("FALSE"), "{command:?}: {found}");
    }
    // What both revisions are taken to have is no change.
    let found = last(&repository, &["check", "--with", "A/x.h", "a.c"]);
    assert!(found.starts_with("TRUE"), "{found}");
}

#[test]
fn a_new_folder_is_none_of_the_original_s() {
    let repository = repository();
    repository.git(&["rm", "--quiet", "-r", "A", ".gitignore"]);
    repository.commit("two");
    repository.write("A/x.h", "#define LIMIT 11\n");
    let found = last(&repository, &["check", "a.c"]);
    assert!(found.starts_with("FALSE"), "{found}");
}

#[test]
fn headers_of_the_system_and_those_that_are_asked_for_can_be_hidden_too() {
    for (text, header, content) in [
        (
            "#include <limits.h>\n#if CHAR_BIT == 8\n#define N 10\n#else\n#define N 11\n#endif\n",
            "limits.h",
            "#define CHAR_BIT 7\n",
        ),
        ("#if __has_include(\"more.h\")\n#define N 11\n#else\n#define N 10\n#endif\n", "more.h", ""),
    ] {
        let repository = repository();
        repository.write("a.c", &format!("{text}#define LIMIT N\n{}", MAIN.replace("#include \"x.h\"", "")));
        repository.commit("two");
        repository.write(&format!("A/{header}"), content);
        let found = last(&repository, &["check", "a.c"]);
        assert!(found.starts_with("FALSE"), "{header}: {found}");
    }
}

#[test]
fn an_ignored_link_to_a_folder_hides_what_is_in_it() {
    let repository = repository();
    repository.write("a.c", &MAIN.replace("x.h", "gen/x.h"));
    repository.write("B/gen/x.h", "#define LIMIT 10\n");
    repository.commit("two");
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("x.h"), "#define LIMIT 11\n").unwrap();
    symlink(elsewhere.path(), repository.path().join("A/gen")).unwrap();
    let flags = elsewhere.path().to_string_lossy().into_owned();
    let found = last(&repository, &["check", "-I", &flags, "a.c"]);
    assert!(found.starts_with("FALSE"), "{found}");
}

#[test]
fn a_header_of_a_build_that_hides_nothing_is_the_same_for_both() {
    let repository = repository();
    repository.write("b.c", &MAIN.replace("x.h", "config.h"));
    repository.commit("two");
    repository.write("A/config.h", "#define LIMIT 10\n");
    let found = last(&repository, &["check", "b.c"]);
    assert!(found.starts_with("TRUE") && found.contains("1 unchanged"), "{found}");
}
