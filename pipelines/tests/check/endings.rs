//! How runs of `residue check` end: what was not looked at, what nothing could violate, stages that fail, and signals.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::repository::Repository;
use crate::runs::{HEAD, json, programs, with_fake};
use crate::{Ran, finish, residue, run};

const MAIN: &str =
    "extern void reach_error(void);\nint help(int);\nint main(void) {\n  if (help(1) > 2)\n    reach_error();\n  return 0;\n}\n";
const HELP: &str = "static int inner(int x) { return x; }\nint help(int x) { return inner(x); }\n";

/// The code is that of UNKNOWN, the verdict says that something was not checked, and a line says what.
fn is_not_checked(ran: &Ran, line: &str) {
    assert_eq!((ran.code, ran.last_line()), (3, "UNKNOWN(not checked)"), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
}

/// The violation is found without bodies of the C library, which the original calls on these inputs.
#[test]
fn the_original_is_run_with_bodies_where_it_has_to_be() {
    let text = |call: &str| {
        format!(
            "#include <stdio.h>\nextern void reach_error(void); extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n\
             char d[16] = {{0}}; int a = __VERIFIER_nondet_int(); if (a < 0 || a > 9) return 0;\n\
             {call} sprintf(d, \"a%d\", a); if (d[0] == 0) reach_error(); return 0; }}\n"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("old.c"), text("")).unwrap();
    fs::write(here.join("new.c"), text("if (a != 7)")).unwrap();
    let ran = run(&["check", "old.c", "new.c"], here);
    assert!(ran.stdout.starts_with("regression at new.c:5 "), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_file_without_an_entry_function_is_never_true() {
    let repository = Repository::new();
    repository.write("src/help.c", HELP);
    repository.commit("one");
    repository.write("src/help.c", &HELP.replace("return x", "return x + 9"));
    let ran = repository.check(&["--git", "HEAD", "src/help.c"]);
    assert_eq!(ran.code, 2, "no file so much as mentions main: {}", ran.stdout);
    repository.write("src/new.c", "// main is elsewhere\nint other(void) { return 1; }\n");
    is_not_checked(
        &repository.check(&["--git", "HEAD"]),
        "src/help.c does not define main: not checked; name its functions with --entry",
    );
}

#[test]
fn a_body_that_changed_in_another_file_is_never_true() {
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("help.c", HELP);
    repository.write("deep.c", "int deep(void) { return 1; }\n");
    repository.commit("one");
    repository.write("help.c", &HELP.replace("return x;", "return x + 9;"));
    let line = "main.c main: it uses help, which has changed in help.c: not checked together";
    is_not_checked(&repository.check(&["--git", "HEAD"]), line);
    is_not_checked(&repository.check(&["--git", "HEAD", "main.c"]), line);
    is_not_checked(&repository.check(&["--git", "HEAD", "--entry", "main,help"]), line);
    repository.write("main.c", &MAIN.replace("> 2", "> 3 && 0"));
    is_not_checked(&repository.check(&["--git", "HEAD", "main.c"]), line);
    // What nobody calls is nobody's business.
    repository.write("help.c", HELP);
    repository.write("deep.c", "int deep(void) { return 2; }\n");
    let ran = repository.check(&["--git", "HEAD", "main.c"]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stdout);
}

#[test]
fn a_deleted_file_that_is_in_use_is_never_true() {
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("help.c", HELP);
    repository.write("unused.c", "int unused(void) { return 7; }\n");
    repository.commit("one");
    repository.git(&["rm", "--quiet", "unused.c"]);
    let ran = repository.check(&["--git", "HEAD"]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stdout);
    repository.git(&["rm", "--quiet", "help.c"]);
    is_not_checked(&repository.check(&["--git", "HEAD"]), "help.c is deleted, but main.c uses help: not checked");
}

#[test]
fn a_program_that_is_no_c_is_never_true() {
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("start.S", "start: nop\n");
    repository.commit("one");
    repository.write("start.S", "start: ret\n");
    is_not_checked(&repository.check(&["--git", "HEAD"]), "start.S is no C: not checked");
    let ran = repository.check(&["--git", "HEAD", "main.c"]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stdout);
}

/// What a submodule has, and what a header is generated from, git does not show.
#[test]
fn a_change_behind_what_git_shows_is_never_true() {
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("made.h.in", "#define BOUND @BOUND@\n");
    repository.write("configure.in", "bound=2\n");
    let module = |digit: &str| format!("160000,{},lib", digit.repeat(40));
    // Only what is named is committed: there is no folder of the submodule.
    let commit = |what: &[&str]| {
        repository.git(what);
        repository.git(&["commit", "--quiet", "--message", "next"]);
    };
    repository.commit("one");
    commit(&["update-index", "--add", "--cacheinfo", &module("1")]);
    repository.write("configure.in", "bound=3\n");
    commit(&["add", "configure.in"]);
    let ran = repository.check(&["--git", "HEAD~1..HEAD"]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stdout);
    repository.write("made.h.in", "#define BOUND (@BOUND@)\n");
    commit(&["add", "made.h.in"]);
    is_not_checked(&repository.check(&["--git", "HEAD~1..HEAD"]), "made.h.in is no C: not checked");
    commit(&["update-index", "--cacheinfo", &module("2")]);
    is_not_checked(&repository.check(&["--git", "HEAD~1..HEAD"]), "lib is no C: not checked");
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "main.c"]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stdout);
    assert!(ran.stderr.contains("lib is a submodule: that another commit of it is used is not checked"), "{}", ran.stderr);
}

#[test]
fn a_change_that_the_compiler_does_not_see_is_said_so() {
    let repository = Repository::new();
    repository.write("main.c", &format!("#define UNUSED 1\n{MAIN}"));
    repository.commit("one");
    repository.write("main.c", &format!("#define UNUSED 2\n{MAIN}"));
    let ran = repository.check(&["--git", "HEAD", "-v"]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 changed in the text but not for the compiler"), "{}", ran.stdout);
    assert!(ran.stderr.contains("main.c: the text changed, what the compiler sees did not"), "{}", ran.stderr);
    let text = MAIN;
    fs::write(repository.path().join("commented.c"), format!("// a comment\n{text}")).unwrap();
    fs::write(repository.path().join("plain.c"), text).unwrap();
    let ran = run(&["check", "plain.c", "commented.c"], repository.path());
    let about = "no regression (the text changed, what the compiler sees did not); property: unreach-call\nTRUE\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, about));
}

#[test]
fn what_nothing_can_violate_is_a_class_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.c"), "int main(void) { return 0; }\n").unwrap();
    fs::write(here.join("b.c"), "int main(void) { int x = 1; return x; }\n").unwrap();
    for via in ["native", "reduce"] {
        let ran = run(&["check", "--via", via, "a.c", "b.c"], here);
        assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stderr);
        assert!(ran.stdout.starts_with("nothing to violate: the modified program calls no reach_error"), "{}", ran.stdout);
        let ran = run(&["check", "--via", via, "--fail-on", "vacuous", "--json", "a.c", "b.c"], here);
        assert_eq!((ran.code, json(&ran)["class"].as_str()), (3, Some("vacuous")), "{}", ran.stdout);
    }
    // All paths are covered, but the program could be violated.
    let folder = programs();
    for via in ["native", "reduce"] {
        let ran = run(&["check", "--via", via, "--fail-on", "vacuous", "original.c", "original.c"], folder.path());
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "no regression; property: unreach-call\nTRUE\n"), "{via}");
    }
}

#[test]
fn a_program_with_assertions_only_is_checked_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |bound: &str| {
        format!(
            "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {{\n  int x = __VERIFIER_nondet_int();\n  if (x < {bound})\n    assert(x < 10);\n  return 0;\n}}\n"
        )
    };
    fs::write(here.join("a.c"), text("9")).unwrap();
    fs::write(here.join("b.c"), text("11")).unwrap();
    for detector in ["none", "diffcond", "diffdp"] {
        for via in ["native", "reduce"] {
            let ran = run(&["check", "--detector", detector, "--via", via, "a.c", "b.c"], here);
            assert_eq!(ran.code, 1, "{detector} {via}: {}{}", ran.stdout, ran.stderr);
            let about = "regression at b.c:6 (the original passes on these inputs); property: assert";
            assert_eq!(ran.stdout, format!("{about}\nFALSE(unreach-call)\n"), "{detector} {via}");
        }
    }
    let ran = run(&["check", "--property", "unreach-call", "a.c", "b.c"], here);
    assert!(ran.code == 0 && ran.stdout.starts_with("nothing to violate"), "{}", ran.stdout);
    let repository = Repository::new();
    repository.write("a.c", &text("9"));
    repository.commit("one");
    repository.write("a.c", &text("11"));
    let ran = repository.check(&["--git", "HEAD"]);
    assert!(ran.code == 1 && ran.stdout.contains("property: assert"), "{}", ran.stdout);
}

#[test]
fn assertions_beside_calls_of_an_error_function_are_told() {
    let repository = Repository::new();
    let text = |bound: &str| {
        format!(
            "extern void assert(int);\nextern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
             int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  assert(x < {bound});\n  if (x > x) reach_error();\n}}\n"
        )
    };
    repository.write("a.c", &text("9"));
    repository.commit("one");
    repository.write("a.c", &text("8"));
    let told = "a.c: an assertion is not checked, as the program calls an error function";
    let ran = repository.check(&["--git", "HEAD"]);
    assert!(ran.code == 0 && ran.stderr.contains(told), "{}{}", ran.stdout, ran.stderr);
    for property in ["unreach-call", "unreach-call,assert"] {
        let ran = repository.check(&["--git", "HEAD", "--property", property]);
        assert!(!ran.stderr.contains(told), "{property}: {}", ran.stderr);
    }
}

#[test]
fn a_verdict_is_printed_even_if_nothing_else_can_be_written() {
    let folder = programs();
    let here = folder.path();
    std::os::unix::fs::symlink("/dev/full", here.join("full.html")).unwrap();
    std::os::unix::fs::symlink("/dev/full", here.join("full.json")).unwrap();
    for (arguments, told) in [
        (["--report", "full.html"].as_slice(), "full.html: cannot be written"),
        (&["--report", "full.json", "--report", "good.sarif"], "full.json: cannot be written"),
        (&["--report", "no/such/folder.html"], "no/such/folder.html: cannot be written"),
        (&["--via", "reduce", "--map", "no/such/map.json"], "no/such/map.json"),
        (&["--out", "/dev/full/x"], "/dev/full/x: the artifacts cannot be kept"),
    ] {
        let ran = run(&[&["check"], arguments, &["original.c", "bad.c"]].concat(), here);
        assert_eq!((ran.code, ran.last_line()), (2, "FALSE(unreach-call)"), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(told), "{arguments:?}: {}", ran.stderr);
    }
    assert!(here.join("good.sarif").is_file(), "one report that cannot be written hides no other");
}

#[test]
fn a_stage_with_a_bug_or_without_memory_is_unknown() {
    let folder = programs();
    let here = folder.path();
    for (tool, script, verdict, code) in [
        ("verify", "echo reason >&2; exit 101", "UNKNOWN(internal)", 101),
        ("verify", "kill -SEGV $$", "UNKNOWN(internal)", 101),
        ("diffdp", "kill -ABRT $$", "UNKNOWN(internal)", 101),
        ("diffdp", "kill -KILL $$", "UNKNOWN(memory)", 3),
        ("condgen", "exit 4", "UNKNOWN(budget)", 3),
        ("condgen", "exit 5", "UNKNOWN(memory)", 3),
    ] {
        let driver = with_fake(here, tool, script);
        let ran = finish(&duct::cmd!(driver, "check", "--report", "r.json", "original.c", "bad.c").dir(here));
        assert_eq!((ran.code, ran.last_line()), (code, verdict), "{tool} {script}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.starts_with("not decided: "), "{}", ran.stdout);
        assert!(here.join("r.json").is_file(), "the report is written all the same");
        fs::remove_file(here.join("r.json")).unwrap();
        fs::remove_dir_all(here.join("tools")).unwrap();
    }
}

/// The processes of this build that run in `folder`.
fn running_in(folder: &Path) -> Vec<String> {
    let folder = fs::canonicalize(folder).unwrap();
    let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok).map(|entry| entry.path());
    let here = all.filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder));
    here.filter_map(|process| fs::read_to_string(process.join("comm")).ok()).map(|name| name.trim().to_owned()).collect()
}

/// Waits until nothing runs in the folder; whether that came to be.
fn is_left_alone(folder: &Path) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(20) {
        if running_in(folder).is_empty() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_signal_ends_a_run_with_its_own_code_and_leaves_nothing_running() {
    let signals = [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129), (Signal::KILL, 137)];
    // What the tests were started to ignore, as in a background job, the tool ignores as well.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    let ignored = u64::from_str_radix(mask, 16).unwrap();
    for (signal, code) in signals.into_iter().filter(|(_, code)| ignored >> (code - 129) & 1 == 0) {
        let folder = programs();
        let here = folder.path();
        let command =
            duct::cmd!(residue(), "check", "--fail-on", "regression", "--out", "artifacts", "hard.c", "harder.c").dir(here);
        let handle = command.stdin_null().stdout_capture().stderr_capture().unchecked().start().unwrap();
        while !running_in(here).iter().any(|name| name == "verify") {
            std::thread::yield_now();
        }
        let pid = Pid::from_raw(i32::try_from(handle.pids()[0]).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        let output = handle.wait().unwrap();
        let ended = std::os::unix::process::ExitStatusExt::signal(&output.status).map(|signal| 128 + signal);
        assert_eq!(output.status.code().or(ended), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        if signal != Signal::KILL {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.ends_with("UNKNOWN(interrupted)\n"), "{said}");
        }
        assert!(here.join("artifacts/condition.graphml").exists(), "artifacts so far are kept");
        assert!(is_left_alone(here), "{signal:?}: {:?} still run", running_in(here));
    }
}

#[test]
fn a_stage_that_does_not_listen_is_ended_with_the_budget() {
    let folder = programs();
    let here = folder.path();
    // It neither polls nor listens, and what works is a child of it.
    let driver = with_fake(here, "verify", "trap '' TERM; sh -c 'trap \"\" TERM; while :; do :; done'");
    let ran = finish(&duct::cmd!(driver, "check", "--budget", "2", "--json", "original.c", "bad.c").dir(here));
    assert_eq!((ran.code, json(&ran)["verdict"].as_str()), (3, Some("UNKNOWN(budget)")), "{}{}", ran.stdout, ran.stderr);
    assert!(is_left_alone(here), "{:?}", running_in(here));
}

#[test]
fn a_reason_says_what_stands_in_the_way_and_what_helps() {
    let folder = tempfile::tempdir().unwrap();
    let text = |n: u32| {
        format!(
            "{HEAD}int main(void) {{\n  int n = __VERIFIER_nondet_int();\n  int a[n];\n  a[0] = {n};\n  if (a[0] == 3)\n    reach_error();\n}}\n"
        )
    };
    fs::write(folder.path().join("a.c"), text(1)).unwrap();
    fs::write(folder.path().join("b.c"), text(2)).unwrap();
    let ran = run(&["check", "a.c", "b.c"], folder.path());
    if ran.code == 3 {
        let about =
            "not decided: b.c:5: an array whose length is known only when the program runs, and may be more than 1 MiB: check or";
        assert!(ran.stdout.starts_with(about), "{}", ran.stdout);
    }
}
