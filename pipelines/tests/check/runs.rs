//! `residue check`: exit codes, several units, budget, interruption, fallback and cache.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{Ran, finish, residue, run};

pub(crate) const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// A folder with programs: `safe` and `bad` differ from `original`, `bad` by a regression; `both` fails as `faulty` does.
pub(crate) fn programs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = |bound: &str| {
        format!(
            "{HEAD}int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  if (x {bound} && x > 10)\n    reach_error();\n  return 0;\n}}\n"
        )
    };
    for (name, bound) in [("original", "< 5"), ("safe", "< 6"), ("bad", "< 50"), ("faulty", "< 40"), ("both", "< 50 && x == 12")]
    {
        fs::write(folder.path().join(format!("{name}.c")), program(bound)).unwrap();
    }
    let other = "extern short __VERIFIER_nondet_short(void);\nint main(void) {\n  int x = __VERIFIER_nondet_short();\n  if (x == 77)\n    reach_error();\n}\n";
    fs::write(folder.path().join("reads-more.c"), format!("{HEAD}{other}")).unwrap();
    // A loop that no budget of a test is enough for.
    let hard = |step: &str| {
        format!(
            "{HEAD}int main(void) {{\n  unsigned a = __VERIFIER_nondet_int(), b = 1, n = 0;\n  while (__VERIFIER_nondet_int()) {{\n    \
             b = b * a + {step}; a = a * a ^ (b >> 3); n = n + b % 7;\n  }}\n  if (a * b == 1234567891u && n == 77777u)\n    reach_error();\n}}\n"
        )
    };
    fs::write(folder.path().join("hard.c"), hard("3u")).unwrap();
    fs::write(folder.path().join("harder.c"), hard("5u")).unwrap();
    folder
}

pub(crate) fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
}

/// A replay hands out what was found, whatever its type: fractions, infinities, NaN, negative zero, the top bit.
#[test]
fn inputs_of_every_type_are_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("float", "x > 0.25f && x < 0.5f"),
        ("float", "x != x"),
        ("float", "1.0f / x < -1e38f && x == 0.0f"),
        ("double", "x < -1e300 && x == x / 2"),
        ("double", "x > -1e-300 && x < 0.0"),
        ("char", "x == -128"),
        ("short", "x == -3"),
        ("_Bool", "x"),
        ("unsigned int", "x > 0xfffffffeu"),
        ("long long", "x < -0x7ffffffffffffffell"),
        ("unsigned long long", "x == 0xfedcba9876543210ull"),
        ("unsigned __int128", "x >> 64 == 0xfedcba9876543210ull"),
    ];
    for (ty, condition) in cases {
        let program = |condition: &str| {
            format!(
                "extern {ty} __VERIFIER_nondet_value(void);\nextern void reach_error(void);\nint main(void) {{\n  {ty} x = __VERIFIER_nondet_value();\n  if ({condition})\n    reach_error();\n}}\n"
            )
        };
        fs::write(folder.path().join("old.c"), program(&format!("0 && {condition}"))).unwrap();
        fs::write(folder.path().join("new.c"), program(condition)).unwrap();
        for via in ["native", "reduce"] {
            let ran = run(&["check", "--via", via, "old.c", "new.c"], folder.path());
            assert_eq!(
                ran.stdout,
                "regression at new.c:6 (the original passes on these inputs); property: unreach-call\nFALSE(unreach-call)\n",
                "{ty} x: {condition}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn the_exit_code_counts_what_fail_on_names() {
    let folder = programs();
    // Detector, original, modified, what the line says, exit codes for: default, regression, violation, unknown.
    for (detector, original, modified, about, codes) in [
        ("diffdp", "original.c", "safe.c", "no regression", [0, 0, 0, 0]),
        ("diffdp", "original.c", "bad.c", "regression at bad.c:6 (the original passes on these inputs)", [1, 1, 1, 0]),
        ("none", "faulty.c", "both.c", "violation at both.c:6 also in the original", [1, 0, 1, 0]),
        ("diffdp", "reads-more.c", "bad.c", "violation at bad.c:6, original not compared: ", [1, 1, 1, 0]),
    ] {
        for (fail_on, code) in ["violation,unknown", "regression", "violation", "unknown"].iter().zip(codes) {
            let ran = run(&["check", "--detector", detector, "--fail-on", fail_on, original, modified], folder.path());
            assert_eq!(ran.code, code, "{modified} --fail-on {fail_on}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stdout.starts_with(about), "{}", ran.stdout);
            let verdict = if codes[0] == 0 { "TRUE" } else { "FALSE(unreach-call)" };
            assert_eq!(ran.last_line(), verdict, "the verdict does not depend on --fail-on");
        }
    }
    for (fail_on, code) in [("violation,unknown", 3), ("regression", 0), ("unknown", 3), ("regression,violation", 0)] {
        let ran = run(&["check", "--budget", "0", "--fail-on", fail_on, "original.c", "bad.c"], folder.path());
        assert_eq!((ran.code, ran.last_line()), (code, "UNKNOWN(budget)"), "--fail-on {fail_on}");
    }
}

#[test]
fn several_entry_functions_in_any_number_of_jobs_give_the_same_report() {
    let folder = tempfile::tempdir().unwrap();
    let functions = |bound: u32| -> String {
        let function = |n: u32| format!("int f{n}(int x) {{ if (x > {n} && x < {bound}) reach_error(); return x; }}\n");
        HEAD.to_owned() + &(0..6).map(function).collect::<String>()
    };
    fs::write(folder.path().join("a.c"), functions(0)).unwrap();
    fs::write(folder.path().join("b.c"), functions(4)).unwrap();
    let reports = ["1", "2", "6"].map(|jobs| {
        let ran = run(&["check", "--jobs", jobs, "--entry", "f0,f1,f2,f3,f4,f5,f0", "a.c", "b.c"], folder.path());
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        ran.stdout
    });
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0], reports[2]);
    let lines: Vec<_> = reports[0].lines().collect();
    assert_eq!(lines[0], "b.c f0: regression at b.c:3 (the original passes on these inputs): FALSE(unreach-call)");
    assert_eq!(lines[5], "b.c f5: no regression: TRUE");
    let summary = "6 checked: 3 with a regression, 3 without a regression; property: unreach-call";
    assert_eq!(&lines[6..], [summary, "FALSE(unreach-call)"]);
}

#[test]
fn one_budget_is_for_all_units() {
    let folder = programs();
    let text = fs::read_to_string(folder.path().join("hard.c")).unwrap();
    let two = |text: &str| text.to_owned() + &text.replace(HEAD, "").replace("main", "other");
    fs::write(folder.path().join("two.c"), two(&text)).unwrap();
    fs::write(folder.path().join("two-changed.c"), two(&text.replace("3u", "5u"))).unwrap();
    let ran = run(&["check", "--budget", "4", "--entry", "main,other", "--json", "two.c", "two-changed.c"], folder.path());
    let report = json(&ran);
    assert_eq!((ran.code, report["verdict"].as_str()), (3, Some("UNKNOWN(budget)")), "{}", ran.stdout);
    let stages = report["outcomes"].as_array().unwrap().iter().flat_map(|outcome| outcome["stages"].as_array().unwrap());
    let spent: f64 = stages.map(|stage| stage["cpu_seconds"].as_f64().unwrap()).sum();
    assert!(spent < 8.0, "{spent} s were spent");
}

#[test]
fn an_interrupted_run_is_unknown() {
    let folder = programs();
    let command = duct::cmd!(residue(), "check", "--out", "artifacts", "hard.c", "harder.c").dir(folder.path());
    let handle = command.stdin_null().stdout_capture().stderr_capture().unchecked().start().unwrap();
    // The condition is there: the verifier runs, or is about to.
    while !folder.path().join("artifacts/condition.graphml").exists() {
        std::thread::yield_now();
    }
    let pid = Pid::from_raw(i32::try_from(handle.pids()[0]).unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let output = handle.wait().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", String::from_utf8_lossy(&output.stderr));
    let said = "not decided: a signal ended the run; property: unreach-call\nUNKNOWN(interrupted)\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), said);
}

/// Copies by another process: were this one to write the file, a child that another test starts at that moment would keep
/// it open, and it could not be executed.
fn copy_executable(from: &Path, to: &Path) {
    duct::cmd!("cp", from, to).run().unwrap();
}

/// The driver in a folder of its own, with a script in place of the tool `name` that may call `$real`.
pub(crate) fn with_fake(folder: &Path, name: &str, script: &str) -> std::path::PathBuf {
    use std::os::unix::fs::symlink;
    let tools = folder.join("tools");
    fs::create_dir_all(&tools).unwrap();
    let real = residue().parent().unwrap().to_owned();
    copy_executable(&residue(), &tools.join("residue"));
    for tool in ["diffdp", "diffcond", "condgen", "reduce", "verify"] {
        if tool != name {
            symlink(real.join(tool), tools.join(tool)).unwrap();
        }
    }
    let script = format!("#!/bin/sh\nreal='{}'\n{script}\n", real.join(name).display());
    duct::cmd!("sh", "-c", "cat > \"$0\" && chmod 755 \"$0\"", tools.join(name)).stdin_bytes(script).run().unwrap();
    tools.join("residue")
}

#[test]
fn a_fallback_says_what_was_verified() {
    let folder = programs();
    let here = folder.path();
    // A verifier that gets nowhere with a condition.
    let script = "case \"$*\" in\n*--condition*) echo \"$UNKNOWN\"; exit 3;;\n*) exec \"$real\" \"$@\";;\nesac";
    let driver = with_fake(here, "verify", script);
    let unknown = r#"{"producer":{"tool":"verify","version":"0"},"program":{"path":"x","sha256":"","cfa":""},"verdict":"UNKNOWN(no progress)","reason":"no progress","assumptions":[],"cpu_seconds":0,"peak_memory":0,"solver_queries":0,"statistics":{}}"#;
    let check =
        |arguments: &[&str]| finish(&duct::cmd(&driver, [&["check"], arguments].concat()).dir(here).env("UNKNOWN", unknown));
    let help = formats::Reason::NoProgress.explanation();
    let ran = check(&["original.c", "safe.c"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (3, format!("not decided: {help}; property: unreach-call\nUNKNOWN(no progress)\n").as_str()),
        "{}",
        ran.stderr
    );
    let ran = check(&["--fallback", "--out", "artifacts", "original.c", "safe.c"]);
    let about = "no violation in the whole modified program (the change check was undecided: no progress)";
    assert_eq!((ran.code, ran.stdout), (0, format!("{about}; property: unreach-call\nTRUE\n")), "{}", ran.stderr);
    assert!(fs::read_to_string(here.join("artifacts/change-verdict.json")).unwrap().contains("no progress"));
    let ran = check(&["--fallback", "original.c", "bad.c"]);
    assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"));
    assert!(ran.stdout.starts_with("regression at bad.c:6"), "{}", ran.stdout);
    let ran = run(&["check", "--budget", "3", "--fallback", "hard.c", "harder.c"], here);
    // On a busy machine the budget may be used up before the whole program's turn.
    assert!(ran.stdout.starts_with("not decided"), "{}", ran.stdout);
    assert_eq!((ran.code, ran.last_line()), (3, "UNKNOWN(budget)"));
    let ran = run(&["check", "--fallback", "original.c", "safe.c"], here);
    assert_eq!(ran.stdout, "no regression; property: unreach-call\nTRUE\n", "no fallback is needed");
}

#[test]
fn a_stage_that_crashes_hides_no_other_unit() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let two = |bound: u32| {
        format!(
            "{HEAD}int f(int x) {{ if (x == {bound}) x = 0; return x; }}\nint g(int x) {{ if (x > {bound}) reach_error(); return x; }}\n"
        )
    };
    fs::write(here.join("a.c"), two(9)).unwrap();
    fs::write(here.join("b.c"), two(8)).unwrap();
    for crash in ["echo reason >&2; exit 101", "kill -SEGV $$", "echo reason >&2; exit 2", "echo garbage"] {
        let driver =
            with_fake(here, "diffdp", &format!("case \"$*\" in\n*--entry=f*) {crash};;\n*) exec \"$real\" \"$@\";;\nesac"));
        let ran = finish(&duct::cmd!(driver, "check", "--entry", "f,g", "a.c", "b.c").dir(here));
        let is_bug = crash.contains("101") || crash.contains("SEGV");
        assert_eq!(ran.code, if is_bug { 101 } else { 2 }, "{crash}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("b.c g: regression at b.c:4"), "{crash}: {}", ran.stdout);
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{crash}");
        if is_bug {
            assert!(
                ran.stdout.contains("b.c f: not decided: ") && ran.stdout.contains("UNKNOWN(internal)"),
                "{crash}: {}",
                ran.stdout
            );
        } else {
            assert!(ran.stdout.contains("b.c f: not checked, see the error"), "{crash}: {}", ran.stdout);
            assert!(ran.stderr.contains("error: b.c: "), "{crash}: {}", ran.stderr);
        }
        assert_eq!(ran.stderr.contains("reason"), crash.contains("reason"), "{crash}: {}", ran.stderr);
        fs::remove_dir_all(here.join("tools")).unwrap();
    }
}

/// Runs a check with the cache; whether it was used.
fn cached(folder: &Path, arguments: &[&str]) -> (bool, Value) {
    let ran = run(&[&["check", "--cache", "cache", "--json"], arguments].concat(), folder);
    let report = json(&ran);
    let mut outcome = report["outcomes"][0].clone();
    let hit = outcome["cached"].as_bool().unwrap_or(false);
    outcome.as_object_mut().unwrap().remove("cached");
    if hit && let Some(Value::Array(assumptions)) = outcome.pointer_mut("/verification/assumptions") {
        let told = assumptions.iter().position(|text| text.as_str().is_some_and(|text| text.contains("the cache")));
        assumptions.remove(told.unwrap());
    }
    (hit, outcome)
}

fn entries(folder: &Path) -> Vec<std::path::PathBuf> {
    let folders = fs::read_dir(folder.join("cache")).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|folder| !folder.ends_with("proofs"));
    let subjects = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        subjects.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn a_hit_is_what_the_check_said_and_starts_no_stage() {
    let folder = programs();
    let here = folder.path();
    for (original, modified) in [("original.c", "safe.c"), ("original.c", "bad.c")] {
        let (hit, first) = cached(here, &["--out", "one", original, modified]);
        assert!(!hit);
        let (hit, second) = cached(here, &["--out", "two", original, modified]);
        assert!(hit, "{modified}");
        assert_eq!(first, second);
        for name in ["difference-graph.json", "condition.graphml", "verdict.json", "harness.c"] {
            let read = |out: &str| fs::read(here.join(out).join(name)).ok();
            assert_eq!(read("one"), read("two"), "{name}");
        }
    }
    // Nothing can be started that is not there: a driver without its tools still answers from the cache only if the
    // tools are the same, so it must not answer here.
    let alone = here.join("residue");
    copy_executable(&residue(), &alone);
    let command = duct::cmd!(&alone, "check", "--cache", "cache", "original.c", "safe.c").dir(here).env("PATH", "");
    assert_eq!(finish(&command).code, 2);
}

#[test]
fn everything_that_can_change_a_verdict_makes_a_miss() {
    let folder = programs();
    let here = folder.path();
    fs::write(here.join("limit.h"), "#define MORE 0\n").unwrap();
    let program = |bound: u32| {
        format!(
            "#include \"limit.h\"\n{HEAD}int f(int x) {{ if (x > {bound} + MORE + sizeof(long)) reach_error(); return 0; }}\nint main(void) {{ return 0; }}\n"
        )
    };
    fs::write(here.join("a.c"), program(7)).unwrap();
    fs::write(here.join("b.c"), program(8)).unwrap();
    let miss = |arguments: &[&str]| {
        assert!(!cached(here, arguments).0, "{arguments:?}");
        assert!(cached(here, arguments).0, "{arguments:?} again");
    };
    miss(&["a.c", "b.c"]);
    miss(&["--entry", "f", "a.c", "b.c"]);
    miss(&["--detector", "diffcond", "a.c", "b.c"]);
    miss(&["--detector", "none", "a.c", "b.c"]);
    miss(&["--via", "reduce", "a.c", "b.c"]);
    miss(&["--property", "assert", "a.c", "b.c"]);
    miss(&["--fallback", "a.c", "b.c"]);
    miss(&["-D", "EXTRA", "a.c", "b.c"]);
    miss(&["b.c", "a.c"]);
    fs::write(here.join("limit.h"), "#define MORE 1\n").unwrap();
    miss(&["a.c", "b.c"]);
    fs::write(here.join("b.c"), program(8) + "// moved lines count: messages name them\n").unwrap();
    miss(&["a.c", "b.c"]);
    assert!(cached(here, &["--jobs", "1", "--fail-on", "unknown", "a.c", "b.c"]).0, "these change no outcome");
}

#[test]
fn damaged_and_foreign_entries_are_no_hits() {
    let folder = programs();
    let here = folder.path();
    let (_, bad) = cached(here, &["original.c", "bad.c"]);
    let first = entries(here);
    let (_, safe) = cached(here, &["original.c", "safe.c"]);
    let second = entries(here).into_iter().find(|entry| !first.contains(entry)).unwrap();
    let (bad_entry, safe_entry) = (first[0].clone(), second);
    let original = fs::read_to_string(&safe_entry).unwrap();
    let foreign = fs::read_to_string(&bad_entry).unwrap();
    let sealed = |content: &str| format!("residue-cache-3 {}\n{content}", formats::sha256_hex(content.as_bytes()));
    let content = original.split_once('\n').unwrap().1;
    for damaged in [
        String::new(),
        original[..original.len() / 2].to_owned(),
        original.replacen("no regression", "no regressioN", 1),
        original.replacen("residue-cache-3", "residue-cache-0", 1),
        foreign.clone(),
        // Sealed again, but inconsistent, or for another check.
        sealed(&content.replacen("\"verdict\":\"TRUE\",\"class\"", "\"verdict\":\"FALSE(unreach-call)\",\"class\"", 1)),
        sealed(foreign.split_once('\n').unwrap().1),
        sealed(&content.replacen("\"files\":{", "\"files\":{\"../escaped\":\"\",", 1)),
        sealed("{}"),
    ] {
        fs::write(&safe_entry, &damaged).unwrap();
        let (hit, outcome) = cached(here, &["original.c", "safe.c"]);
        assert!(!hit, "{damaged}");
        assert_eq!(outcome["verdict"], "TRUE");
        assert!(!here.join("escaped").exists());
        // The entry was written anew.
        assert!(cached(here, &["original.c", "safe.c"]).0);
    }
    assert_eq!((bad["verdict"].as_str(), safe["verdict"].as_str()), (Some("FALSE(unreach-call)"), Some("TRUE")));
}

#[test]
fn what_ended_early_is_not_kept() {
    let folder = programs();
    let here = folder.path();
    // On a busy machine this may end before there is an outcome, or a cache.
    let ran = run(&["check", "--cache", "cache", "--json", "--budget", "2", "hard.c", "harder.c"], here);
    assert_eq!(json(&ran)["verdict"], "UNKNOWN(budget)");
    assert_eq!(fs::read_dir(here.join("cache")).map_or(0, Iterator::count), 0);
    // An unsupported construct is one for every budget.
    let text = fs::read_to_string(here.join("safe.c")).unwrap();
    let asm = text.replace("return 0;", "__asm__ volatile (\"nop\" : \"=r\"(x)); if (x == 9) reach_error(); return 0;");
    fs::write(here.join("asm.c"), asm).unwrap();
    let (_, outcome) = cached(here, &["--budget", "20", "original.c", "asm.c"]);
    assert!(outcome["verdict"].as_str().unwrap().starts_with("UNKNOWN(unsupported"), "{outcome}");
    assert!(cached(here, &["--budget", "20", "original.c", "asm.c"]).0);
    assert!(cached(here, &["--budget", "10", "original.c", "asm.c"]).0);
    assert!(!cached(here, &["--budget", "30", "original.c", "asm.c"]).0, "more budget might give an answer");
}

#[test]
fn two_runs_never_fill_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (here, out) = (folder.path(), folder.path().join("out"));
    fs::write(here.join("a.c"), "int main(void) { return 0; }\n").unwrap();
    let check = || run(&["check", "--out", "out", "a.c", "a.c"], here);
    assert_eq!(check().code, 0);
    let held = console::claim(&out, ".residue-output", "residue check --out").unwrap();
    let refused = check();
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains("out: another run is filling it") && refused.stderr.contains("name another folder"));
    // However a run ends, the folder is free then.
    drop(held);
    assert_eq!(check().code, 0);
}

#[test]
fn a_killed_run_leaves_a_folder_that_can_be_filled() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let slow = "extern void reach_error(void); extern unsigned x(void);\nint main(void) { unsigned a = x(), b = x(), c = x();\n\
        if (a > 2 && b > 2 && a * a * a + b * b * b == c * c * c && c * a == 77777 * b) reach_error(); return 0; }\n";
    fs::write(here.join("a.c"), "int main(void) { return 0; }\n").unwrap();
    fs::write(here.join("b.c"), slow).unwrap();
    let command = duct::cmd(residue(), ["check", "--out", "out", "a.c", "b.c"]).dir(here).stdin_null().stdout_null();
    let handle = command.stderr_null().unchecked().start().unwrap();
    while !here.join("out/difference-graph.json").exists() {
        assert!(handle.try_wait().unwrap().is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let refused = run(&["check", "--out", "out", "a.c", "a.c"], here);
    handle.kill().unwrap();
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    let next = run(&["check", "--out", "out", "a.c", "a.c"], here);
    assert_eq!((next.code, next.last_line()), (0, "TRUE"), "{}", next.stderr);
}
