//! Assertions given beside the program, verifiers that are not ours on what a difference leaves open, files that cannot be written.

use std::path::Path;

use formats::Verdict;
use formats::assertions::{AssertionVerdicts, PropertyDifference, Relation};
use formats::property_set;
use residue_tests::{Ran, root, run, skip, verifier};

/// Edited files that are tried; `RESIDUE_EDITS` changes it.
const EDITS: usize = 200;

const PROGRAM: &str = "#define MAX 9
extern int __VERIFIER_nondet_int(void);
static int clamp(int v) {
  int r = v;
  if (v > MAX)
    r = MAX;
  else if (v < 0)
    r = 0;
  return r;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = clamp(x);
  switch (y) {
  case 3: y = 4;
  }
  return y;
}
";

fn set(properties: &[(u32, &str)]) -> String {
    let mut text = "- entry_type: invariant_set\n  metadata: {format_version: \"2.0\"}\n  content:\n".to_owned();
    for (line, value) in properties {
        text += &format!("  - invariant: {{type: location_invariant, location: {{line: {line}}}, value: '{value}'}}\n");
    }
    text
}

fn propdiff(arguments: &[&str], here: &Path) -> Ran {
    run("propdiff", arguments, here).unwrap()
}

fn write(here: &Path, name: &str, text: impl AsRef<[u8]>) {
    std::fs::write(here.join(name), text).unwrap();
}

fn difference(here: &Path, name: &str) -> PropertyDifference {
    PropertyDifference::read(&std::fs::read(here.join(name)).unwrap(), name).unwrap()
}

#[test]
fn assertions_may_stand_beside_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "p.c", PROGRAM);
    write(here, "a.yml", set(&[(8, "v < 0"), (9, "r >= 0 && r <= 9"), (13, "x < 8 || x >= 8"), (15, "y == 3")]));
    write(here, "b.yml", set(&[(8, "v < -1"), (9, "r < 10 && r >= 0"), (17, "y != 3")]));
    let first = propdiff(&["--check", "--properties", "a.yml", "--save-verdicts", "a.json", "p.c"], here);
    assert_eq!((first.code, first.last_line()), (0, "TRUE"), "{} {}", first.stdout, first.stderr);
    assert!(first.stdout.contains("p.c:8: (v < 0): TRUE"), "{}", first.stdout);
    let sets = ["--properties", "a.yml", "--properties", "b.yml"];
    let both = |more: &[&str]| {
        let arguments: Vec<&str> = sets.iter().chain(more).copied().collect();
        propdiff(&arguments, here)
    };
    let second = both(&["--check", "--verdicts", "a.json", "-o", "d.json", "--harness", "out", "p.c"]);
    assert_eq!((second.code, second.last_line()), (1, "FALSE(unreach-call)"), "{} {}", second.stdout, second.stderr);
    assert!(second.stdout.contains("p.c:8: (v < -1): FALSE(unreach-call), property update"), "{}", second.stdout);
    assert!(second.stdout.contains("p.c:17: (y != 3): TRUE"), "{}", second.stdout);
    let relations: Vec<Relation> = difference(here, "d.json").assertions.iter().map(|one| one.relation).collect();
    assert!(relations.starts_with(&[Relation::Stronger, Relation::Equivalent]), "{relations:?}");
    assert!(relations.contains(&Relation::Removed), "{relations:?}");
    // What is emitted is a program, and a failing property has a file that shows it.
    let goals = both(&["--verdicts", "a.json", "--to", "c", "p.c"]);
    write(here, "goals.c", &goals.stdout);
    assert_eq!(run("verify", ["goals.c"], here).unwrap().last_line(), "FALSE(unreach-call)");
    let shown = std::fs::read_dir(here.join("out")).unwrap().filter_map(Result::ok).find(|one| one.path().extension().is_some());
    duct::cmd!("gcc", "-w", "-o", "harness", shown.unwrap().path()).dir(here).run().unwrap();
    let ran = duct::cmd!(here.join("harness")).dir(here).stdout_capture().unchecked().run().unwrap();
    assert_eq!(ran.status.code(), Some(1));
    // Verdicts are of the program with its properties.
    let other = propdiff(&["--properties", "b.yml", "--verdicts", "a.json", "p.c", "p.c"], here);
    assert!(other.code == 2 && other.stderr.contains("SHA-256"), "{}", other.stderr);
    // The driver hands them on.
    let driver = run("residue", ["properties", "--properties=a.yml", "--properties=b.yml", "p.c", "p.c"], here).unwrap();
    assert_eq!((driver.code, driver.last_line()), (1, "FALSE(unreach-call)"), "{}", driver.stderr);
}

#[test]
fn asserted_as_the_program_asserts() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int();\n\
        if (x > 3)\nreturn 1;\nassert(x < 4);\nreturn 0; }\n";
    write(here, "p.c", text);
    write(here, "a.yml", set(&[(5, "x > 3"), (7, "x != 3")]));
    let told = propdiff(&["--check", "--properties", "a.yml", "p.c"], here);
    assert!(told.stdout.contains("property: assert") && told.code == 1, "{} {}", told.stdout, told.stderr);
    assert!(told.stdout.contains("p.c:5: (x > 3): TRUE") && told.stdout.contains("p.c:7: (x != 3): FALSE"), "{}", told.stdout);
}

#[test]
fn what_is_no_property_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "p.c", PROGRAM);
    for (text, said) in [
        (set(&[(9, "r = 3")]), "effects"),
        (set(&[(9, "r++ < 3")]), "effects"),
        (set(&[(9, "clamp(r)")]), "effects"),
        (set(&[(9, "1); r = 5; if (1")]), "property 1"),
        (set(&[(9, "r > 0 // )")]), "comment"),
        (set(&[(9, "nosuch > 1")]), "nosuch"),
        (set(&[(9, "r > 0"), (9, "x > 0")]), "property 2"),
        (set(&[(99, "1")]), "no statement begins at line 99"),
        (set(&[(3, "1")]), "no statement begins at line 3"),
        (set(&[(9, "r > 0")]).replace("line: 9", "line: 9, file_name: other.c"), "other.c"),
        (set(&[(9, "r > 0")]).replace("line: 9", "line: 9, function: main"), "in main"),
        (set(&[(9, "r > 0")]).replace("location_invariant", "loop_invariant"), "loop_invariant"),
        (PROGRAM.to_owned(), "properties"),
        (String::new(), "properties"),
    ] {
        write(here, "a.yml", &text);
        let ran = propdiff(&["--check", "--properties", "a.yml", "p.c"], here);
        assert!(
            ran.code == 2 && ran.stderr.contains(said) && ran.stderr.contains("a.yml"),
            "{said}: {} {}",
            ran.code,
            ran.stderr
        );
    }
    write(here, "a.yml", set(&[(9, "r > 0")]));
    let many = propdiff(&["--properties=a.yml", "--properties=a.yml", "--properties=a.yml", "p.c"], here);
    assert!(many.code == 2 && many.stderr.contains("3 times"), "{}", many.stderr);
    let over = propdiff(&["--check", "--properties=a.yml", "--save-verdicts=a.yml", "p.c"], here);
    assert!(over.code == 2 && std::fs::read_to_string(here.join("a.yml")).unwrap() == set(&[(9, "r > 0")]), "{}", over.stderr);
}

/// Edited files are read as other properties, or refused.
#[test]
fn edited_properties_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, "p.c", PROGRAM);
    let bytes = set(&[(8, "v < 0"), (9, "r >= 0 && r <= 9"), (13, "x < 8 || x >= 8")]).into_bytes();
    let edits = std::env::var("RESIDUE_EDITS").ok().and_then(|number| number.parse().ok()).unwrap_or(EDITS);
    let mut state = 4711u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut read = 0;
    for _ in 0..edits {
        let mut changed = bytes.clone();
        for _ in 0..=random(3) {
            let at = random(changed.len().max(1)).min(changed.len().saturating_sub(1));
            if changed.is_empty() {
                break;
            }
            match random(12) {
                0..4 => changed[at] = changed[at].wrapping_add(1 + random(40) as u8),
                4..8 => _ = changed.remove(at),
                8..11 => changed.insert(at, b"0129\"{}[],:&*|>'%-#"[random(19)]),
                _ => changed.truncate(at),
            }
        }
        read += usize::from(property_set::read(&changed, "a.yml").is_ok());
        write(here, "a.yml", &changed);
        let ran = propdiff(&["--check", "--steps", "20000", "--properties", "a.yml", "p.c"], here);
        let text = String::from_utf8_lossy(&changed);
        assert!((0..=3).contains(&ran.code) && !ran.stderr.contains("bug"), "{}: {}\n{text}", ran.code, ran.stderr);
        assert!(ran.code != 2 || ran.stderr.contains("help:"), "{}\n{text}", ran.stderr);
    }
    // Both happen.
    assert!(read > edits / 20 && read < edits, "{read} of {edits}");
}

#[test]
fn assertions_that_no_run_comes_to_keep_their_counterparts() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |more: &str| {
        format!(
            "void assert(int); int __VERIFIER_nondet_int(void);\nint spare(int a, int b) {{ assert(a > 0);{more} assert(b > 1); return a; }}\n\
             int main(void) {{ int x = __VERIFIER_nondet_int();\nassert(x != 3);\nreturn 0; }}\n"
        )
    };
    write(here, "o.c", text(""));
    write(here, "m.c", text(" assert(a != b);"));
    assert_eq!(propdiff(&["-o", "d.json", "o.c", "m.c"], here).code, 0);
    let relations: Vec<Relation> = difference(here, "d.json").assertions.iter().map(|one| one.relation).collect();
    assert_eq!(relations, [Relation::Same, Relation::New, Relation::Same, Relation::Same]);
}

#[test]
fn a_verdict_is_told_whatever_becomes_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = "void assert(int); int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int();\n\
        assert(x != 3);\nreturn 0; }\n";
    for name in ["o.c", "m.c", "taken"] {
        write(here, name, text);
    }
    for arguments in [
        &["--check", "--save-verdicts", "nowhere/v.json", "m.c"][..],
        &["--check", "--harness", "taken/out", "m.c"],
        &["--check", "--harness", "taken", "m.c"],
        &["--check", "-o", "nowhere/d.json", "o.c", "m.c"],
        &["--check", "--to", "c", "-o", "nowhere/d.c", "o.c", "m.c"],
    ] {
        let ran = propdiff(arguments, here);
        assert_eq!((ran.code, ran.last_line()), (2, "FALSE(unreach-call)"), "{arguments:?} {}", ran.stderr);
        assert!(ran.stderr.contains("error: "), "{}", ran.stderr);
    }
    let ran = run("residue", ["properties", "--save-verdicts", "nowhere/v.json", "o.c", "m.c"], here).unwrap();
    assert_eq!((ran.code, ran.last_line()), (2, "FALSE(unreach-call)"), "{}", ran.stderr);
}

/// With `once` the verifier violates `x != 3`, as long as that is there, and proves the rest.
const OPTIONS: &str = r#"
echo ran >> "$FAKE_LOG"
case $1 in
unknown) echo UNKNOWN ;;
once) if grep -q 'x == 3\|x != 3' "$program"; then witness 3; else echo TRUE; fi ;;
wrong) witness 8 ;;
*) echo TRUE ;;
esac
"#;

/// `residue properties` with a verifier of the folder, which `path` finds or does not find.
fn asked(here: &Path, path: &std::ffi::OsStr, option: &str, more: &[&str]) -> Ran {
    let verifier = format!("--verifier=fakes.fake:{option}");
    let words = ["properties", "--steps=1", &verifier].into_iter().chain(more.iter().copied());
    let output = duct::cmd(residue_tests::tool("residue"), words)
        .dir(here)
        .env("PATH", path)
        .env("PYTHONPATH", here)
        .env("FAKE_LOG", here.join("log"))
        .env("RESIDUE_EXTERNAL", root().join("third-party/external"))
        .stdin_null()
        .stdout_capture()
        .stderr_capture()
        .unchecked()
        .run()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

#[test]
fn another_verifier_decides_what_is_open() {
    if !root().join("third-party/external/venv/bin/python3").exists() {
        skip("BenchExec is missing: make external");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let head = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n  \
        int x = __VERIFIER_nondet_int();\n  if (x < 0 || x > 9) return 0;\n";
    let check = |condition: &str| format!("  if (!({condition})) reach_error();\n");
    write(here, "o.c", format!("{head}{}  return 0;\n}}\n", check("x < 10")));
    write(here, "m.c", format!("{head}{}{}{}  return 0;\n}}\n", check("x < 10"), check("x != 3"), check("x > -1")));
    verifier::fake(here, OPTIONS);
    let usual = std::env::var_os("PATH").unwrap();
    let asked = |path: &std::ffi::OsStr, option: &str, more: &[&str]| asked(here, path, option, more);
    let residue = |path: &std::ffi::OsStr, option: &str, more: &[&str]| asked(path, option, &[more, &["o.c", "m.c"]].concat());
    let known = std::env::join_paths([here.to_path_buf()].into_iter().chain(std::env::split_paths(&usual))).unwrap();
    let ran = residue(&known, "once", &["--report", "r.json", "--save-verdicts", "v.json"]);
    assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{} {}", ran.stdout, ran.stderr);
    let violated = "m.c:7: (x != 3): FALSE(unreach-call), property update";
    assert!(ran.stdout.contains(violated) && ran.stdout.contains("m.c:8: (x > -1): TRUE, Fake 1.0 says so"), "{}", ran.stdout);
    // Its word is no verdict to build on.
    let saved = AssertionVerdicts::read(&std::fs::read(here.join("v.json")).unwrap(), "v.json").unwrap();
    assert!(saved.sites.iter().flat_map(|site| &site.clauses).all(|clause| clause.by.as_deref() != Some("Fake 1.0")));
    assert!(matches!(saved.sites[2].verdict, Verdict::Unknown(_)), "{:?}", saved.sites[2]);
    // Inputs that violate nothing are no answer, and neither is silence.
    for option in ["wrong", "unknown"] {
        let ran = residue(&known, option, &[]);
        assert!(ran.code == 3 && ran.last_line().starts_with("UNKNOWN"), "{option}: {} {}", ran.stdout, ran.stderr);
    }
    // Between revisions too.
    let git = |arguments: &[&str]| duct::cmd("git", arguments).dir(here).stdout_null().stderr_null().run().unwrap();
    git(&["init", "-q"]);
    for from in ["o.c", "m.c"] {
        std::fs::copy(here.join(from), here.join("p.c")).unwrap();
        git(&["add", "p.c"]);
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", from]);
    }
    let ran = asked(&known, "once", &["--git", "HEAD~1..HEAD", "p.c"]);
    assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{} {}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("p.c:8: (x > -1): TRUE, Fake 1.0 says so"), "{}", ran.stdout);
    // A program of the current folder is not run.
    std::fs::remove_file(here.join("log")).unwrap();
    for path in [".:", ":", ""] {
        let mut list = std::ffi::OsString::from(path);
        list.push(&usual);
        let ran = residue(&list, "true", &[]);
        assert!(ran.code == 2 && !here.join("log").exists(), "{path}: {} {}", ran.code, ran.stderr);
    }
}

/// A file that cannot be read is no file whose assertions hold.
#[test]
fn what_cannot_be_read_is_not_true() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let git = |arguments: &[&str]| duct::cmd("git", arguments).dir(here).stdout_null().stderr_null().run().unwrap();
    git(&["init", "-q"]);
    let assertion = "#include <assert.h>\nint main(void) { int x = 1; assert(x == 1); return 0; }\n";
    for (good, bad) in [
        (assertion.to_owned(), assertion.to_owned()),
        (assertion.replace("int x", "long x"), "int main(void) { int x = ; return 0; }\n".to_owned()),
    ] {
        write(here, "good.c", good);
        write(here, "bad.c", bad);
        git(&["add", "-A"]);
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "commit", "-qm", "change"]);
    }
    let arguments = ["properties", "--git", "HEAD~1..HEAD", "--report", "r.json", "good.c", "bad.c"];
    let ran = run("residue", arguments, here).unwrap();
    assert_eq!(ran.code, 2, "{} {}", ran.stdout, ran.stderr);
    assert!(ran.last_line().starts_with("UNKNOWN(unsupported: unusable input at bad.c"), "{} {}", ran.stdout, ran.stderr);
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(here.join("r.json")).unwrap()).unwrap();
    assert_eq!(report["verdict"], ran.last_line());
}

/// Whether an assertion can be evaluated is a question of its own: a machine has no value for what a solver has one for.
#[test]
fn an_assertion_that_cannot_be_evaluated_fails() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let body = |assertion: &str| {
        format!(
            "#include <assert.h>\nint __VERIFIER_nondet_int(void);\n\
             int main(void) {{ int x = __VERIFIER_nondet_int(), a[4] = {{1, 2, 3, 4}}, *p = x > 5 ? &x : 0; (void)p;\n\
             if (x < 0 || x > 9) return 0;\n{assertion}\nreturn 0; }}\n"
        )
    };
    let fails = |property: &str| Some(format!("FALSE({property})"));
    for (assertion, evaluation, inputs) in [
        ("assert(100 / x >= 0);", fails("div-zero"), "0"),
        ("assert(x == 0 || 100 / x >= 0);", Some("TRUE".to_owned()), ""),
        ("assert(x < 3 || 100 % (x - 7) >= 0);", fails("div-zero"), "7"),
        ("if (x) assert(100 / x >= 0);", Some("TRUE".to_owned()), ""),
        // That an assertion before it fails hides nothing.
        ("assert(x != 7); assert(x < 3 || 100 / (x - 7) < 200);", fails("div-zero"), "7"),
        ("assert(x > 4 || a[x] > 0);", fails("valid-deref"), "4"),
        ("assert(x > 3 || a[x] > 0);", Some("TRUE".to_owned()), ""),
        ("assert(x < 5 || *p == x);", fails("valid-deref"), "5"),
        ("assert(!p || *p == x);", Some("TRUE".to_owned()), ""),
        // What has nothing to do with the assertion is not its evaluation.
        ("if (x > 3) x = 100 / x; assert(x >= 0);", None, ""),
        ("assert(x >= 0);", None, ""),
    ] {
        write(here, "o.c", body("assert(x < 100);"));
        write(here, "m.c", body(assertion));
        propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
        let ran = propdiff(&["--check", "--verdicts", "o.json", "--save-verdicts", "m.json", "-o", "d.json", "o.c", "m.c"], here);
        let told = difference(here, "d.json");
        let last = told.assertions.iter().rev().find(|change| change.modified.is_some()).unwrap();
        let found = last.evaluation.as_ref().map(|found| found.verdict.to_string());
        assert_eq!(found, evaluation, "{assertion}\n{}", ran.stdout);
        assert!(last.clauses.iter().all(|clause| clause.verdict == Verdict::True), "{assertion}\n{}", ran.stdout);
        let failing = evaluation.filter(|verdict| verdict.starts_with("FALSE"));
        let read = last.evaluation.as_ref().and_then(|found| found.counterexample);
        let read = read.map(|at| told.counterexamples[at].inputs[0].value.clone());
        assert_eq!(read.unwrap_or_default(), inputs, "{assertion}");
        let verdicts = AssertionVerdicts::read(&std::fs::read(here.join("m.json")).unwrap(), "m.json").unwrap();
        let site = verdicts.sites.last().unwrap();
        assert_eq!(site.verdict.to_string(), failing.clone().unwrap_or_else(|| "TRUE".to_owned()), "{assertion}");
        assert_eq!(ran.stdout.contains("evaluation: FALSE"), failing.is_some());
        assert!(failing.is_none() || ran.code == 1);
        // What is written down is read again.
        let again = propdiff(&["--check", "--verdicts", "m.json", "m.c", "m.c"], here);
        assert_eq!(again.last_line(), ran.last_line(), "{assertion}\n{}", again.stderr);
    }
}
