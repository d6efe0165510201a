//! `residue check --git`: which files of a change are checked, and how their revisions are read.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::repository::Repository;
use crate::{Ran, finish, residue, run};

/// A program whose violation depends on `LIMIT`: safe up to 10.
const CLAMP: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int clamp(int x) {
  if (x > LIMIT)
    x = LIMIT;
  if (x > 10)
    reach_error();
  return x;
}
int main(void) { return clamp(__VERIFIER_nondet_int()); }
";

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
}

/// `PATH ENTRY CLASS` of each outcome.
fn outcomes(report: &Value) -> Vec<String> {
    let outcomes = report["outcomes"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    outcomes
        .map(|outcome| {
            let (path, class) = (text(&outcome["modified"]["path"]), text(&outcome["class"]));
            format!("{path} {} {class}", text(&outcome["options"]["entry"]))
        })
        .collect()
}

/// `PATH ENTRY WHY` of what was skipped.
fn skipped(report: &Value) -> Vec<String> {
    let skipped = report["skipped"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    skipped.map(|skipped| [&skipped["path"], &skipped["entry"], &skipped["why"]].map(text).join(" ")).collect()
}

#[test]
fn a_change_of_a_header_selects_the_files_that_include_it() {
    let repository = Repository::new();
    repository.write("include/limit.h", "#define LIMIT 10\n");
    repository.write("src/with blank.c", &format!("#include \"limit.h\"\n{CLAMP}"));
    repository.write("src/deep/er/other.c", "int main(void) { return 0; }\n");
    repository.commit("one");
    repository.write("include/limit.h", "#define LIMIT 11\n");
    // The working tree, and the same change as a commit.
    let check = |range: &str| repository.check(&["--git", range, "--json", "-I", "include", "--", "src/**/*.c"]);
    let working = check("HEAD");
    repository.commit("two");
    for ran in [working, check("HEAD~1..HEAD"), check("HEAD~1.."), check("HEAD~1...HEAD")] {
        let report = json(&ran);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert_eq!(outcomes(&report), ["src/with blank.c main regression"]);
        assert_eq!(skipped(&report), ["src/deep/er/other.c - unchanged"]);
        let outcome = &report["outcomes"][0];
        assert_eq!(outcome["violation"]["file"], "src/with blank.c");
        assert_eq!(outcome["violation"]["line"], 8);
        assert_eq!(outcome["modified"]["flags"], serde_json::json!(["-Iinclude"]));
        assert!(!ran.stdout.contains("residue-temporary"), "a temporary folder shows: {}", ran.stdout);
    }
    let ran = check("HEAD..HEAD");
    assert_eq!((ran.code, ran.last_line(), outcomes(&json(&ran)).len()), (0, ran.last_line(), 0));
    assert_eq!(json(&ran)["verdict"], "TRUE");
}

#[test]
fn assertions_are_explained_as_they_were_written() {
    let repository = Repository::new();
    let program = "#include \"check.h\"\n#define LIMIT 10\nint main(void) {\n  int v = input();\n  if (v > LIMIT) v = LIMIT;\n  \
                   CHECK(v <= LIMIT);\n  CHECK(\n    v < LIMIT + 5);\n  return 0;\n}\n";
    let header = "int input(void);\nvoid reach_error(void);\n#define CHECK(x) do { if (!(x)) reach_error(); } while (0)\n";
    repository.write("include/check.h", header);
    repository.write("src/p.c", program);
    repository.commit("one");
    repository.write("src/p.c", &program.replace("v = LIMIT;", "v = LIMIT + 9;"));
    repository.commit("two");
    let flags = ["--git", "HEAD~1..HEAD", "-I", "include", "--out", "out", "--", "src/p.c"];
    assert_eq!(repository.check(&flags).code, 1);
    let told = run(&["explain", "out"], repository.path());
    for quoted in ["CHECK(v <= LIMIT);", "if (v > LIMIT) v = LIMIT + 9;", "CHECK("] {
        assert!(told.stdout.contains(quoted), "{quoted}\n{}", told.stdout);
    }
    let excerpt = |line: &str| {
        line.split_once('|').filter(|(number, _)| number.trim().parse::<u32>().is_ok()).map(|(_, text)| text.trim().to_owned())
    };
    let excerpts: Vec<String> = told.stdout.lines().filter_map(excerpt).collect();
    assert!(
        !excerpts.is_empty() && excerpts.iter().all(|text| !text.is_empty() && !text.contains("reach_error")),
        "{excerpts:?}"
    );
}

#[test]
fn renamed_new_and_deleted_files() {
    let repository = Repository::new();
    let text = CLAMP.replace("LIMIT", "10");
    repository.write("old name.c", &text);
    repository.write("gone.c", "int main(void) { return 0; }\n// nothing like the others\n");
    repository.write("moved.c", &text.replace("clamp", "cut"));
    repository.commit("one");
    repository.git(&["mv", "old name.c", "new name.c"]);
    repository.git(&["mv", "moved.c", "only-moved.c"]);
    repository.write("new name.c", &text.replace("x > 10", "x >= 11"));
    repository.git(&["rm", "--quiet", "gone.c"]);
    repository.write("added.c", &CLAMP.replace("LIMIT", "12").replace("int clamp", "long some_other_name; int clamp"));
    let working = repository.check(&["--git", "HEAD", "--json"]);
    repository.commit("two");
    for ran in [working, repository.check(&["--git", "HEAD~1..HEAD", "--json"])] {
        let report = json(&ran);
        assert_eq!(outcomes(&report), ["added.c main not-compared", "new name.c main no-regression"], "{}", ran.stdout);
        assert_eq!(skipped(&report), ["gone.c - deleted", "only-moved.c - unchanged"]);
        assert_eq!(report["outcomes"][1]["original"]["path"], "old name.c");
        assert!(report["outcomes"][0]["original"].is_null());
        assert!(report["outcomes"][0]["about"].as_str().unwrap().contains("does not have the file"), "{}", ran.stdout);
        assert!(ran.stderr.contains("gone.c is deleted: not checked"), "{}", ran.stderr);
        assert_eq!(ran.code, 1);
    }
    // A file that is named is checked alone; the lines are those of two files.
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "new name.c"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "no regression; property: unreach-call\nTRUE\n"));
}

/// A compilation database for `src/a.c` as a build folder would have it.
fn database(root: &Path, macros: &str) -> String {
    let root = root.display();
    format!(
        r#"[{{"directory": "{root}/build", "file": "../src/a.c",
              "command": "gcc {macros} -I../include -O2 -c ../src/a.c -o a.o"}}]"#
    )
}

#[test]
fn flags_of_a_revision_come_from_its_own_compilation_database() {
    let repository = Repository::new();
    let foreign = Path::new("/home/somebody/project");
    repository.write("src/a.c", &format!("#include <offset.h>\n{CLAMP}"));
    repository.write("include/offset.h", "extern int offset;\n");
    repository.write("compile_commands.json", &database(foreign, "-DLIMIT=9"));
    repository.commit("one");
    repository.write("compile_commands.json", &database(foreign, "-DLIMIT=11"));
    repository.commit("two: only a macro changes");
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "--json"]);
    let report = json(&ran);
    assert_eq!(outcomes(&report), ["src/a.c main regression"], "{}", ran.stderr);
    assert_eq!(report["outcomes"][0]["original"]["flags"], serde_json::json!(["-DLIMIT=9", "-Iinclude"]));
    assert_eq!(report["outcomes"][0]["modified"]["flags"], serde_json::json!(["-DLIMIT=11", "-Iinclude"]));
    // What the command line says comes after the flags of the build.
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "-U", "LIMIT", "-D", "LIMIT=7"]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stdout);
    // A database that is named is taken where it is not committed.
    let named = repository.write("elsewhere/flags.json", &database(repository.path(), "-DLIMIT=8"));
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "--compile-commands", named.to_str().unwrap()]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stdout);
    let ran = repository.check(&["--git", "HEAD", "--compile-commands", "none.json"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[test]
fn headers_of_a_build_folder_are_found_and_headers_of_the_other_revision_are_not() {
    let repository = Repository::new();
    repository.write(".gitignore", "build/\n");
    repository.write("src/a.c", &format!("#include <config.h>\n{CLAMP}"));
    repository.write("build/config.h", "#define LIMIT 10\n");
    let text = database(repository.path(), "-I.");
    repository.write("build/compile_commands.json", &text);
    repository.commit("one");
    repository.write("src/a.c", &format!("#include <config.h>\n{}", CLAMP.replace("x > 10", "x > 9")));
    let report = json(&repository.check(&["--git", "HEAD", "--json"]));
    assert_eq!(outcomes(&report), ["src/a.c main regression"]);
    assert_eq!(report["outcomes"][0]["violation"]["line"], 8);
    // The header that only the working tree has is no header of the revision.
    repository.write("src/a.c", &format!("#include \"limit.h\"\n{CLAMP}"));
    repository.write("src/limit.h", "#define LIMIT 10\n");
    repository.commit("two: with a header that is added later");
    repository.git(&["rm", "--quiet", "--cached", "src/limit.h"]);
    repository.git(&["commit", "--quiet", "--message", "three: without it"]);
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "--json"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(json(&ran)["failures"][0]["message"].as_str().unwrap().contains("limit.h"), "{}", ran.stdout);
}

#[test]
fn every_file_with_every_entry_function_is_a_unit() {
    let repository = Repository::new();
    let two =
        "extern void reach_error(void);\nint f(int x) { if (x == 3) reach_error(); return x; }\nint g(int x) { return x; }\n";
    repository.write("one.c", two);
    repository.write("two.c", "extern void reach_error(void);\nint g(int x) { return x; }\n");
    repository.write("three.c", "int h(void) { return 1; }\n");
    repository.commit("one");
    repository.write("one.c", &two.replace("return x;", "return x + 0;"));
    repository.write("two.c", "extern void reach_error(void);\nint g(int x) { if (x) reach_error(); return x; }\n");
    repository.write("three.c", "int h(void) { return 2; }\n");
    let ran = repository.check(&["--git", "HEAD", "--entry", "f,g", "--out", "artifacts"]);
    assert_eq!(
        ran.stdout,
        "one.c f: no regression: TRUE\n\
         one.c g: no regression: TRUE\n\
         two.c g: regression at two.c:2 (the original passes on these inputs): FALSE(unreach-call)\n\
         three.c does not define f: not checked; name its functions with --entry\n\
         3 checked: 1 with a regression, 2 without a regression, 1 not checked; property: unreach-call\n\
         FALSE(unreach-call)\n"
    );
    assert_eq!(ran.code, 1);
    for unit in ["one.c/f", "one.c/g", "two.c/g"] {
        assert!(repository.path().join("artifacts").join(unit).join("condition.graphml").is_file(), "{unit}");
    }
    let explained = run(&["explain", "artifacts/two.c/g"], repository.path());
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    // Our own copies of programs are no new files.
    let again = repository.check(&["--git", "HEAD", "--entry", "f,g", "--out", "artifacts"]);
    assert_eq!(again.stdout, ran.stdout);
    fs::remove_dir_all(repository.path().join("artifacts")).unwrap();
    let ran = repository.check(&["--git", "HEAD", "--entry", "f,gg"]);
    assert_eq!(ran.code, 2, "a slip of the pen: {}", ran.stdout);
}

#[test]
fn what_cannot_be_used_hides_no_other_result() {
    let repository = Repository::new();
    repository.write("bad.c", "int main(void) { return 0; }\n");
    repository.write("good.c", &CLAMP.replace("LIMIT", "10"));
    repository.write("was-bad.c", "int main(void) { return }\n");
    repository.commit("one");
    repository.write("bad.c", "int main(void) { return }\n");
    repository.write("good.c", &CLAMP.replace("LIMIT", "11"));
    repository.write("was-bad.c", "int main(void) { return 0; }\n");
    let ran = repository.check(&["--git", "HEAD"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("good.c main: regression at good.c:7"), "{}", ran.stdout);
    assert!(ran.stdout.contains("bad.c main: not checked, see the error"), "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("was-bad.c main: nothing to violate: the modified program calls no reach_error and has no assertion: TRUE")
    );
    assert_eq!(ran.last_line(), "FALSE(unreach-call)");
    assert!(ran.stderr.contains("error: bad.c: bad.c:1:25: expected an expression, found `}`\n  help: "), "{}", ran.stderr);
}

#[test]
fn arguments_that_name_nothing() {
    let repository = Repository::new();
    repository.write("a.c", "int main(void) { return 0; }\n");
    repository.commit("one");
    for arguments in [
        ["--git", "no-such-branch", "a.c"].as_slice(),
        &["--git", "HEAD", "b.c"],
        &["--git", "HEAD", "--", "src/**/*.c"],
        &["--git", "--output=x", "a.c"],
        &["--git", "HEAD", "--entry", "f,,g"],
        &["--git", "HEAD", "--task", "a.yml"],
        &["--compile-commands", "a.json", "a.c", "a.c"],
        &["--fail-on", "everything", "a.c", "a.c"],
        &["--jobs", "0", "a.c", "a.c"],
        &["a.c"],
        &["a.c", "a.c", "a.c"],
    ] {
        let ran = repository.check(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}: {}", ran.stderr);
    }
    let outside = tempfile::tempdir().unwrap();
    let ran = run(&["check", "--git", "HEAD"], outside.path());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[test]
fn the_repository_and_the_machine_are_left_as_they_were() {
    let repository = Repository::new();
    repository.write("src/a.c", &CLAMP.replace("LIMIT", "10"));
    repository.commit("one");
    repository.write("src/a.c", &CLAMP.replace("LIMIT", "11"));
    repository.write("src/untracked.c", "int main(void) { return 0; }\n");
    let status = || (repository.git(&["status", "--porcelain"]), repository.git(&["worktree", "list"]));
    let index = || fs::read(repository.path().join(".git/index")).unwrap();
    let before = (status(), index());
    let temporary = tempfile::tempdir().unwrap();
    let command = duct::cmd!(residue(), "check", "--git", "HEAD", "--", "src").dir(repository.path());
    let ran = finish(&command.env("TMPDIR", temporary.path()));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(before, (status(), index()));
    // A folder for temporary files inside the repository, with a relative name.
    fs::create_dir(repository.path().join("scratch")).unwrap();
    let ran = finish(&duct::cmd!(residue(), "check", "--git", "HEAD").dir(repository.path()).env("TMPDIR", "scratch"));
    assert_eq!(
        ran.stdout.lines().next(),
        Some("src/a.c main: regression at src/a.c:7 (the original passes on these inputs): FALSE(unreach-call)")
    );
    assert!(ran.stdout.contains("2 checked: 1 with a regression, 1 with nothing to violate"), "{}{}", ran.stdout, ran.stderr);
    for pause in [0, 20, 100] {
        let handle =
            duct::cmd!(residue(), "check", "--git", "HEAD~0..HEAD").dir(repository.path()).env("TMPDIR", temporary.path());
        let handle = handle.stdin_null().stdout_capture().stderr_capture().unchecked().start().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(pause));
        let pid = rustix::process::Pid::from_raw(i32::try_from(handle.pids()[0]).unwrap()).unwrap();
        // It may have ended already, and before it listens to signals it has made nothing.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        handle.wait().unwrap();
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0, "no checkout is left after {pause} ms");
    }
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0, "no checkout is left");
}

#[test]
fn messages_about_clients_name_the_files_of_the_repository() {
    let repository = Repository::new();
    repository.write("lib.c", "int lib(int x) { return x; }\n");
    repository.write("app.c", "int lib(int);\nint client(int x) { return lib(x); }\n");
    repository.commit("Before");
    repository.write("lib.c", "int lib(int x) { return x + ; }\n");
    repository.commit("After");
    let ran = crate::run(&["clients", "--library", "lib.c", "--git", "HEAD~1..HEAD", "app.c"], repository.path());
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(all.contains("lib.c:1:") && !all.contains("residue-temporary-"), "{all}");
}
