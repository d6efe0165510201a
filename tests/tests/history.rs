//! A library with the history a maintainer writes: each commit is checked with a harness that is laid over it, as the README
//! shows. The unit tests of the library pass in every commit; three commits are regressions all the same.

use std::fs;
use std::path::Path;

use residue_tests::{Ran, root};

/// What each commit is, from the second on, and how the lines about it begin and end. Losing a check of a pointer is no
/// violation of what the harness expects, but a read behind a null pointer.
const COMMITS: [(&str, &str, &str, &str); 12] = [
    ("ring: say push and pop, as everybody does", "unreach-call", "no regression", "TRUE"),
    ("table: extract the search for room", "unreach-call", "no regression", "TRUE"),
    ("table: count how often an entry is written", "unreach-call", "no regression", "TRUE"),
    ("ring: add first, then forget", "unreach-call", "regression at any.c:15 (the original passes", "FALSE(unreach-call)"),
    ("ring: forget in time", "unreach-call", "no regression", "TRUE"),
    ("ring: the size is a power of two, so a mask will do", "unreach-call", "no regression", "TRUE"),
    ("store: removing needs no entry of its own", "valid-deref", "regression at src/store.c:52 (", "FALSE(valid-deref)"),
    ("store: a key that is not there cannot be removed", "valid-deref", "no regression", "TRUE"),
    ("table: clearing belongs here", "unreach-call", "no regression", "TRUE"),
    ("store: say what is written", "unreach-call", "no regression", "TRUE"),
    ("table: walk with a pointer", "unreach-call", "no regression", "TRUE"),
    (
        "store: undo removes as everybody does",
        "unreach-call",
        "regression at any.c:15 (the original passes",
        "FALSE(unreach-call)",
    ),
];

fn git(folder: &Path, arguments: &[&str]) -> String {
    let person = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false"];
    duct::cmd("git", person.iter().chain(arguments)).dir(folder).stderr_capture().read().unwrap()
}

/// The repository as the patches tell it.
fn library() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    git(here, &["init", "--quiet", "--initial-branch=main", "."]);
    let series = root().join("tests/history");
    let mut patches: Vec<String> =
        fs::read_dir(&series).unwrap().map(|entry| entry.unwrap().path().display().to_string()).collect();
    patches.retain(|path| path.ends_with(".patch"));
    patches.sort();
    let mut arguments = vec!["am", "--quiet"];
    arguments.extend(patches.iter().map(String::as_str));
    git(here, &arguments);
    fs::copy(series.join("any.c"), here.join("any.c")).unwrap();
    folder
}

fn check(here: &Path, range: &str, property: &str) -> Ran {
    let arguments = ["check", "--git", range, "-I", "include", "--with", "any.c", "--link", "src/*.c", "--property", property];
    let command = duct::cmd(residue_tests::tool("residue"), arguments).dir(here);
    let output = command.stdin_null().stdout_capture().stderr_capture().unchecked().run().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

#[test]
fn each_commit_gets_the_right_answer() {
    let folder = library();
    let here = folder.path();
    for (number, (subject, property, about, verdict)) in COMMITS.iter().enumerate() {
        let back = COMMITS.len() - 1 - number;
        let (before, after) = (format!("HEAD~{}", back + 1), format!("HEAD~{back}"));
        assert_eq!(git(here, &["log", "-1", "--format=%s", &after]).trim(), *subject);
        let ran = check(here, &format!("{before}..{after}"), property);
        assert_eq!(ran.stdout.trim_end().lines().last(), Some(*verdict), "{subject}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.starts_with(about), "{subject}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn its_own_unit_tests_see_nothing() {
    let folder = library();
    let here = folder.path();
    for back in 0..=COMMITS.len() {
        git(here, &["checkout", "--quiet", &format!("main~{back}")]);
        let build = "gcc -Wall -Werror -Iinclude src/*.c tests/test_store.c -o units && ./units";
        duct::cmd!("sh", "-c", build).dir(here).stdout_null().stderr_null().run().unwrap();
    }
}

#[test]
fn files_that_are_the_same_in_both_revisions_are_reported_too() {
    let folder = library();
    let here = folder.path();
    let tool = residue_tests::tool("residue");
    let arguments = ["check", "--git", "HEAD~9..HEAD~8", "-I", "include", "--with", "any.c", "--link", "src/*.c"];
    let arguments = arguments.iter().copied().chain(["--report", "report.json", "--report", "report.html"]);
    let output = duct::cmd(tool, arguments).dir(here).stdin_null().stdout_capture().stderr_capture().unchecked().run().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let report = fs::read_to_string(here.join("report.json")).unwrap();
    assert!(report.contains("include/ring.h") || report.contains("src/ring.c"), "{report}");
    assert!(fs::metadata(here.join("report.html")).unwrap().len() > 10_000);
}
