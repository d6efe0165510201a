//! `residue invariants`: versions of a file from git or from the disk, with gaps, merges, renames and windows, and what is reported.

use std::path::Path;

use formats::invariant_table::InvariantTable;
use residue_tests::{Ran, run, shared};
use serde_json::Value;

const HEAD: &str = "extern unsigned char __VERIFIER_nondet_uchar(void);\n";

fn text(bound: &str) -> String {
    format!(
        "{HEAD}int main(void) {{\n  int x = __VERIFIER_nondet_uchar();\n  if (x > {bound})\n    x = 0;\nP:;\n  return x;\n}}\n"
    )
}

fn git(here: &Path, arguments: &[&str]) {
    let names = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    let all: Vec<&str> = names.iter().chain(arguments).copied().collect();
    duct::cmd("git", all).dir(here).stdout_null().stderr_null().run().unwrap();
}

fn commit(here: &Path, file: &str, text: &str, message: &str) {
    std::fs::write(here.join(file), text).unwrap();
    git(here, &["add", "-A"]);
    git(here, &["commit", "-qm", message]);
}

fn invariants(here: &Path, more: &[&str]) -> Ran {
    let arguments: Vec<&str> =
        ["invariants", "--at", "label:P", "--of", "x <= 100", "--steps", "60000"].iter().chain(more).copied().collect();
    run("residue", arguments, here).unwrap()
}

fn json(here: &Path, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(here.join(name)).unwrap()).unwrap()
}

/// Holds an object against the schema of its format.
fn is_as_described(format: &str, object: &Value) {
    let schema = residue_tests::root().join(format!("formats/schemas/{format}.schema.json"));
    let validator = jsonschema::validator_for(&serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap()).unwrap();
    let errors: Vec<String> = validator.iter_errors(object).take(3).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let mut other = object.clone();
    other["format"] = "other".into();
    assert!(!validator.is_valid(&other));
}

/// A history with all that may happen to a file.
fn history(here: &Path) {
    git(here, &["init", "-q"]);
    commit(here, "old.c", &text("100"), "begin");
    commit(here, "README", "nothing", "beside it");
    git(here, &["mv", "old.c", "new.c"]);
    git(here, &["commit", "-qm", "move <script>alert(1)</script>"]);
    commit(here, "new.c", &text("100").replace("int x", "int int x"), "does not parse");
    commit(here, "new.c", &text("90"), "repair");
    git(here, &["checkout", "-qb", "side"]);
    commit(here, "new.c", &text("300"), "beside: all");
    commit(here, "new.c", &text("127"), "beside: less");
    git(here, &["checkout", "-q", "main"]);
    commit(here, "bound.h", "#define BOUND 127\n", "a header that nobody includes");
    git(here, &["merge", "-q", "--no-ff", "-m", "merge the side", "side"]);
    commit(here, "new.c", &("#include \"bound.h\"\n".to_owned() + &text("BOUND")), "by a macro");
    commit(here, "bound.h", "#define BOUND 99 /* less */\n", "less");
    commit(here, "bound.h", "#define BOUND 99\n", "only a comment");
}

#[test]
fn commits_of_a_file_are_its_versions() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    history(here);
    let reports = ["--report", "r.html", "--report", "r.json", "--report", "r.sarif"];
    let range: Vec<&str> = ["--git", "HEAD~8..HEAD", "new.c"].into_iter().chain(reports).collect();
    let ran = invariants(here, &range);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("\n  HH?HFFH  x <= 100\n"), "{}", ran.stdout);
    // What was done beside the first parent is one change, and the gap is no change at all.
    assert!(ran.stdout.contains("merge the side\n- x <= 100 at label:P: broken; fails with __VERIFIER_nondet_uchar() = "));
    assert!(ran.stdout.contains("    + new.c:4: if (x > 127)\n"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("beside:") && !ran.stdout.contains("only a comment"), "{}", ran.stdout);
    assert!(ran.stdout.contains("does not parse (not read: "), "{}", ran.stdout);
    // Nothing says where the versions were written.
    assert!(!ran.stderr.contains("residue-temporary"), "{}", ran.stderr);
    let report = json(here, "r.json");
    assert_eq!(report["format"], "invariants-report");
    let unit = &report["units"][0];
    assert_eq!((&unit["versions"][0]["path"], &unit["versions"][1]["path"]), (&"old.c".into(), &"new.c".into()));
    assert_eq!((&unit["rows"][0]["letters"], &unit["changes"][0]["to"]), (&"HH?HFFH".into(), &4.into()));
    let table = &unit["windows"][0]["table"];
    is_as_described("invariant-table", table);
    is_as_described("invariants-report", &report);
    InvariantTable::read(&serde_json::to_vec(table).unwrap(), "table").unwrap();
    let page = std::fs::read_to_string(here.join("r.html")).unwrap();
    assert!(page.contains("x &lt;= 100") && page.contains("move &lt;script&gt;") && !page.contains("<script"), "{page}");
    assert!(page.contains("<summary>F</summary>") && page.contains("fails in a run"), "{page}");
    let sarif = json(here, "r.sarif");
    let result = &sarif["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"new.c".into(), &4.into()));
    assert_eq!((&result["baselineState"], &result["level"]), (&"absent".into(), &"note".into()));
    if let Some(schema) = shared("schemas/sarif-schema-2.1.0.json") {
        let schema: Value = serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(&sarif).take(3).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    // The last commit that is looked at breaks it, and so does the working tree.
    let gate = invariants(here, &["--git", "HEAD~4..HEAD~3", "--fail-on", "broken", "--report", "r.sarif", "new.c"]);
    assert_eq!(gate.code, 1, "{} {}", gate.stdout, gate.stderr);
    let result = &json(here, "r.sarif")["runs"][0]["results"][0];
    assert_eq!((&result["baselineState"], &result["level"]), (&"new".into(), &"error".into()));
    std::fs::write(here.join("new.c"), text("101")).unwrap();
    let now = invariants(here, &["--git", "HEAD~1", "--fail-on", "broken", "new.c"]);
    assert!(now.code == 1 && now.stdout.contains("the working tree\n- x <= 100"), "{} {}", now.stdout, now.stderr);
}

#[test]
fn tables_are_kept_and_not_believed_when_edited() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    history(here);
    let range = ["--git", "HEAD~8..HEAD", "--cache", "kept", "new.c"];
    let first = invariants(here, &range);
    let kept: Vec<_> = std::fs::read_dir(here.join("kept")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(invariants(here, &range).stdout, first.stdout);
    let edited = std::fs::read_to_string(&kept[0]).unwrap().replace("HHHFFH", "HHHHHH");
    std::fs::write(&kept[0], edited).unwrap();
    assert_eq!(invariants(here, &range).stdout, first.stdout);
    // Another question has another table.
    invariants(here, &["--of", "x >= 0", "--git", "HEAD~8..HEAD", "--cache", "kept", "new.c"]);
    assert_eq!(std::fs::read_dir(here.join("kept")).unwrap().count(), 2);
}

#[test]
fn long_histories_are_compared_in_windows() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    git(here, &["init", "-q"]);
    // The change from one window to the next is one like any other.
    let bound = |number: usize| if number < 64 { "100" } else { "101" };
    for number in 0..66 {
        commit(here, "p.c", &(text(bound(number)) + &format!("int n{number};\n")), &format!("number {number}"));
    }
    let ran = invariants(here, &["--git", "HEAD~65..HEAD", "--report", "r.json", "p.c"]);
    let report = json(here, "r.json");
    let unit = &report["units"][0];
    assert_eq!(unit["rows"][0]["letters"], "H".repeat(64) + "FF", "{}", ran.stderr);
    assert_eq!((unit["changes"].as_array().unwrap().len(), &unit["changes"][0]["to"]), (1, &64.into()));
    assert_eq!(unit["windows"][1]["versions"], serde_json::json!([63, 64, 65]));
}

#[test]
fn files_are_versions_too() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, bound) in [("a.c", "100"), ("b.c", "120"), ("c.c", "(")] {
        std::fs::write(here.join(name), text(bound)).unwrap();
    }
    let ran = invariants(here, &["--report", "r.sarif", "a.c", "b.c", "c.c"]);
    assert!(ran.code == 0 && ran.stdout.contains("  HF?  x <= 100\n"), "{} {}", ran.stdout, ran.stderr);
    let place = &json(here, "r.sarif")["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"b.c".into(), &4.into()));
    git(here, &["init", "-q"]);
    let refused: [(&[&str], &str); 8] = [
        (&["a.c"], "fewer than two versions"),
        (&["a.c", "none.c"], "none.c"),
        (&["a.c", "c.c"], "fewer than two versions"),
        (&["--git", "HEAD~1..HEAD", "a.c"], "no commit"),
        (&["--git", "HEAD~1..HEAD", "../../a.c"], "commit"),
        (&["--report", "r.txt", "a.c", "b.c"], "r.txt"),
        (&["--report", "b.c", "a.c", "b.c"], "b.c"),
        (&["--property", "no-overflow", "a.c", "b.c"], "--property"),
    ];
    for (arguments, said) in refused {
        let ran = invariants(here, arguments);
        assert!(
            ran.code == 2 && ran.stderr.contains(said) && ran.stdout.is_empty(),
            "{arguments:?}: {} {}",
            ran.code,
            ran.stderr
        );
    }
    for message in ["one", "two"] {
        commit(here, "a.c", &(text("100") + &format!("/* {message} */\n")), message);
    }
    let outside = invariants(here, &["--git", "HEAD~1..HEAD", "../a.c"]);
    assert!(outside.code == 2 && outside.stderr.contains("no file of the repository"), "{}", outside.stderr);
    let unknown = invariants(here, &["--git", "HEAD~1..HEAD", "d.c"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("d.c"), "{}", unknown.stderr);
}

/// A repository of a program of several files: a limit in a file of its own, and files that do not belong to the program.
fn linked(here: &Path) {
    git(here, &["init", "-q"]);
    std::fs::create_dir(here.join("src")).unwrap();
    let limit = |bound: &str| format!("int limit(int x) {{\n  if (x > {bound})\n    x = {bound};\n  return x;\n}}\n");
    let main = format!(
        "{HEAD}int limit(int); extern int used;\nint main(void) {{\n  int x = limit(__VERIFIER_nondet_uchar());\nP:;\n  return x;\n}}\n"
    );
    std::fs::write(here.join("src/main.c"), main).unwrap();
    // It is not needed, and would not even parse.
    std::fs::write(here.join("src/other.c"), "int limit2(void) { int int y; return y; }\n").unwrap();
    commit(here, "src/limit.c", &limit("90"), "begin");
    commit(here, "src/other.c", "int limit2(void) { return 2; }\n", "what does not belong to it");
    commit(here, "README", "nothing", "beside it");
    commit(here, "src/limit.c", &limit("127"), "more");
    std::fs::remove_file(here.join("src/limit.c")).unwrap();
    commit(here, "src/bound.c", &("#include \"most.h\"\n".to_owned() + &limit("MOST")), "does not compile");
    commit(here, "src/most.h", "#define MOST 100\n", "does, in a file with another name");
}

#[test]
fn programs_of_several_files_have_a_past() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    linked(here);
    let range = ["--git", "HEAD~5..HEAD", "--link", "src/*.c", "--cache", "kept", "--report", "r.sarif", "--report", "r.json"];
    let ran = invariants(here, &range);
    assert!(ran.code == 0 && ran.stdout.contains("\n  HF?H  x <= 100\n"), "{} {}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(" more\n- x <= 100 at label:P: broken; fails with"), "{}", ran.stdout);
    assert!(ran.stdout.contains("    + src/limit.c:2: if (x > 127)\n"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("belong") && ran.stdout.contains("does not compile (not read: "), "{}", ran.stdout);
    assert!(!(ran.stdout + &ran.stderr).contains("residue-temporary"));
    let place = &json(here, "r.sarif")["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"src/limit.c".into(), &2.into()));
    let report = json(here, "r.json");
    assert_eq!(report["units"][0]["path"], "src/*.c");
    is_as_described("invariants-report", &report);
    assert_eq!(std::fs::read_dir(here.join("kept")).unwrap().count(), 1);
    // From a folder of the repository, up to the working tree, with what is in a file that nothing else leads to.
    std::fs::write(here.join("src/other.c"), "int used = 127; int limit2(void) { return 2; }\n").unwrap();
    let arguments = ["invariants", "--at", "label:P", "--of", "x <= used", "--git", "HEAD~2", "--link", "*.c"];
    let there = run("residue", arguments, &here.join("src")).unwrap();
    assert!(there.stdout.contains("the working tree") && there.stdout.contains("  F?FH  x <= used\n"), "{}", there.stdout);
    let none = invariants(here, &["--git", "HEAD~1..HEAD", "--link", "lib/*.c"]);
    assert!(none.code == 2 && none.stderr.contains("lib/*.c names no C file"), "{}", none.stderr);
}

#[test]
fn a_harness_is_laid_over_all_versions() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    linked(here);
    let harness = |include: &str| {
        format!("{HEAD}{include}\nint harness(void) {{ int x = limit(__VERIFIER_nondet_uchar());\nP:;\n  return x; }}\n")
    };
    std::fs::write(here.join("h.c"), harness("int limit(int);")).unwrap();
    let range = ["--git", "HEAD~5..HEAD", "--with", "h.c", "--entry", "harness"];
    let ran = invariants(here, &[range.as_slice(), &["--link", "src/*.c"]].concat());
    assert!(ran.code == 0 && ran.stdout.contains("\n  HF?H  x <= 100\n"), "{} {}", ran.stdout, ran.stderr);
    // One that includes what it is for is what is asked about, and a header may be laid over as well.
    std::fs::write(here.join("h.c"), harness("#include \"src/limit.c\"")).unwrap();
    let alone = invariants(here, &["--git", "HEAD~5..HEAD~2", "--with", "h.c", "--entry", "harness"]);
    assert!(alone.code == 0 && alone.stdout.contains("\n  HF  x <= 100\n"), "{} {}", alone.stdout, alone.stderr);
    std::fs::write(here.join("src/most.h"), "#define MOST 101\n").unwrap();
    let header = invariants(here, &["--git", "HEAD~2..HEAD", "--with", "src/most.h", "--link", "src/*.c"]);
    assert!(header.code == 0 && header.stdout.contains("\n  FF  x <= 100\n"), "{} {}", header.stdout, header.stderr);
    // Of folders a pattern names the files, and a file of the same name gives way.
    for (name, bound) in [("v1", "100"), ("v2", "101")] {
        std::fs::create_dir_all(here.join(name).join("deep")).unwrap();
        let limit = format!("int limit(int x) {{ return x > {bound} ? {bound} : x; }}\n");
        std::fs::write(here.join(name).join("deep/limit.c"), limit).unwrap();
        std::fs::write(here.join(name).join("h.c"), "int no = program").unwrap();
    }
    std::fs::write(here.join("h.c"), harness("int limit(int);")).unwrap();
    let folders = invariants(here, &["--link", "**/*.c", "--with", "h.c", "--entry", "harness", "v1", "v2"]);
    assert!(folders.code == 0 && folders.stdout.contains("\n  HF  x <= 100\n"), "{} {}", folders.stdout, folders.stderr);
    let refused: [(&[&str], &str); 3] = [
        (&["--link", "*.c", "h.c", "h.c"], "no folder"),
        (&["--with", "none.c", "--git", "HEAD~1", "h.c"], "none.c"),
        (&["--with", "src/most.h", "--git", "HEAD~1"], "nothing is named"),
    ];
    for (arguments, said) in refused {
        let ran = invariants(here, arguments);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{arguments:?}: {} {}", ran.code, ran.stderr);
    }
}
