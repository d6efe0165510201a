//! What is assumed of arguments and no arguments satisfy: a verdict about no run says so, whichever tool gives it.

use std::path::Path;

use residue_tests::{Ran, run};

const PROGRAM: &str = "#include <assert.h>\nint f(int n, char *s) {\n  assert(n < 100);\n  return n + 1;\n}\n";

fn ran(tool: &str, arguments: &[&str], folder: &Path) -> Ran {
    run(tool, arguments, folder).unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.c"), PROGRAM).unwrap();
    std::fs::write(folder.path().join("b.c"), PROGRAM.replace("n + 1", "n + 2")).unwrap();
    folder
}

/// What nothing satisfies, and what something does.
const NOTHING: &[&str] = &["--assume", "n > 5 && n < 3"];
const SOMETHING: &[&str] = &["--assume", "n > 5", "--assume", "n < 9 && s != 0"];

#[test]
fn a_proof_about_no_call_is_vacuous() {
    let folder = folder();
    let here = folder.path();
    for more in [&[][..], &["--property", "assert"], &["--property", "assert,shift"]] {
        for (assumed, is_vacuous) in [(NOTHING, true), (SOMETHING, false)] {
            let arguments = [&["--entry", "f"], assumed, more, &["a.c"]].concat();
            let verified = ran("verify", &arguments, here);
            assert_eq!((verified.code, verified.last_line()), (0, "TRUE"), "{arguments:?}: {}", verified.stdout);
            assert_eq!(verified.stdout.contains("vacuous"), is_vacuous, "{arguments:?}: {}", verified.stdout);
            assert_eq!(verified.stderr.contains("no arguments satisfy"), is_vacuous, "{arguments:?}: {}", verified.stderr);
            let report = ran("verify", &[&["--json"], &arguments[..]].concat(), here);
            assert_eq!(report.stdout.contains("\"vacuous\":true"), is_vacuous, "{arguments:?}: {}", report.stdout);
        }
    }
    // Each by itself can be satisfied.
    let both = ran("verify", &["--entry", "f", "--assume", "n > 5", "--assume", "n < 3", "a.c"], here);
    assert!(both.stdout.contains("vacuous"), "{}", both.stdout);
}

#[test]
fn a_check_of_no_call_is_vacuous() {
    let folder = folder();
    for via in ["native", "reduce"] {
        for (assumed, code, about) in [(NOTHING, 3, "no arguments satisfy"), (SOMETHING, 0, "no regression")] {
            let arguments = ["check", "--via", via, "--fail-on", "vacuous", "--entry", "f", "--cache", "cache"];
            // Again from the cache.
            for _ in 0..2 {
                let checked = ran("residue", &[&arguments, assumed, &["a.c", "b.c"]].concat(), folder.path());
                assert_eq!((checked.code, checked.last_line()), (code, "TRUE"), "{via} {assumed:?}: {}", checked.stdout);
                assert!(checked.stdout.contains(about), "{via} {assumed:?}: {}", checked.stdout);
            }
        }
    }
}

#[test]
fn versions_that_are_never_called_say_so() {
    let folder = folder();
    let here = folder.path();
    let changed = PROGRAM.replace("return n + 1", "if (n > 50) return 7; return n + 1");
    std::fs::write(here.join("c.c"), changed).unwrap();
    std::fs::write(here.join("nothing.c"), "int assume(int n, char *s) { return n > 5 && n < 3; }\n").unwrap();
    std::fs::write(here.join("something.c"), "int assume(int n, char *s) { return n > 5 && n < 9; }\n").unwrap();
    for (assumed, is_vacuous) in [
        (NOTHING, true),
        (&["--assume", "@nothing.c"], true),
        (&["--assume", "n > 5", "--assume", "@nothing.c"], true),
        (SOMETHING, false),
        (&["--assume", "@something.c"], false),
    ] {
        let compared = ran("cse", &[&["--entry", "f"], assumed, &["a.c", "c.c"]].concat(), here);
        assert_eq!((compared.code, compared.last_line()), (0, "EQUIVALENT"), "{assumed:?}: {}", compared.stdout);
        assert_eq!(compared.stdout.contains("vacuous: no arguments satisfy"), is_vacuous, "{assumed:?}: {}", compared.stdout);
        assert_eq!(compared.stderr.contains("no arguments satisfy"), is_vacuous, "{assumed:?}: {}", compared.stderr);
    }
    for (assumed, is_vacuous) in [(NOTHING, true), (SOMETHING, false)] {
        for tool in ["propdiff", "invdiff"] {
            let ran = ran(tool, &[&["--entry", "f"], assumed, &["a.c", "b.c"]].concat(), here);
            assert_eq!(
                ran.stderr.contains("no arguments satisfy"),
                is_vacuous,
                "{tool} {assumed:?}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
}

#[test]
fn a_client_that_is_never_called_says_so() {
    let folder = folder();
    let here = folder.path();
    std::fs::write(here.join("client.c"), "int f(int n, char *s);\nint client(int k) { return f(k, 0); }\n").unwrap();
    for (assumed, about) in [("k > 5 && k < 3", "vacuous: no arguments satisfy"), ("k > 500", "")] {
        let arguments = ["clients", "--assume", assumed, "--library", "a.c", "--library", "b.c", "client.c"];
        let listed = ran("residue", &arguments, here);
        assert!(listed.stdout.contains(about), "{}{}", listed.stdout, listed.stderr);
        assert_eq!(listed.stdout.contains("vacuous"), !about.is_empty(), "{}{}", listed.stdout, listed.stderr);
    }
}
