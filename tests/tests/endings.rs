//! How the tools end when they cannot come to their end: out of time, interrupted, without a place to write to, or in front of
//! a program that nests too deep.

use std::fs;
use std::path::Path;

use residue_tests::{run, tool};

const HEAD: &str = "extern void reach_error(void);\nextern unsigned long __VERIFIER_nondet_ulong(void);\n";

/// A loop that no budget of a test is enough for.
fn hard() -> String {
    format!(
        "{HEAD}int main(void) {{\n  unsigned a = __VERIFIER_nondet_ulong(), b = 1, n = 0;\n  while (__VERIFIER_nondet_ulong()) {{\n    \
         b = b * a + 3u; a = a * a ^ (b >> 3); n = n + b % 7;\n  }}\n  if (a * b == 1234567891u && n == 77777u)\n    reach_error();\n}}\n"
    )
}

/// A text that a preprocessor makes from a few lines and never ends.
fn bomb() -> String {
    let level = |n: u32| {
        let uses = format!("A{} ", n - 1).repeat(10);
        format!("#define A{n} {uses}\n")
    };
    format!("#define A0 + 1\n{}int x = 0 A14;\nint main(void) {{ return x; }}\n", (1..15).map(level).collect::<String>())
}

#[test]
fn a_budget_holds_where_nothing_polls() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("bomb.c"), bomb()).unwrap();
    fs::write(here.join("hard.c"), hard()).unwrap();
    for program in ["bomb.c", "hard.c"] {
        let ran = run("verify", ["--budget", "1", program], here).unwrap();
        assert_eq!((ran.code, ran.last_line()), (3, "UNKNOWN(budget)"), "{program}: {}", ran.stderr);
        assert!(
            ran.stdout.starts_with("not decided: the time or the steps are up: give more with --budget or --steps"),
            "{}",
            ran.stdout
        );
        let ran = run("verify", ["--budget", "1", "--json", program], here).unwrap();
        let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((ran.code, report["reason"].as_str()), (3, Some("budget")), "{program}: {}", ran.stdout);
        let ran = run("residue", ["check", "--budget", "1", program, program], here).unwrap();
        assert!(ran.last_line() == "UNKNOWN(budget)" && ran.code == 3 || ran.last_line() == "TRUE", "{program}: {}", ran.stdout);
    }
    for detector in ["diffcond", "diffdp"] {
        let ran = run(detector, ["--budget", "1", "-o", "graph.json", "bomb.c", "hard.c"], here).unwrap();
        assert_eq!((ran.code, ran.stdout.as_str()), (4, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("the CPU budget is used up: no artifact was written"), "{}", ran.stderr);
        assert!(!here.join("graph.json").exists());
    }
}

/// Runs a shell script with the tool as `$1` in a folder.
fn script(text: &str, name: &str, folder: &Path) -> (i32, String) {
    let output = duct::cmd!("sh", "-c", text, "sh", tool(name)).dir(folder).stdout_capture().unchecked().run().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn an_interrupted_verifier_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hard.c"), hard()).unwrap();
    // Background processes of a script ignore SIGINT, and so does a tool that is started so.
    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        // Whoever starts the tests may ignore the signal.
        let text = format!("env --default-signal={signal} \"$1\" hard.c & sleep 1; kill -{signal} $!; wait $!");
        let (ended, said) = script(&text, "verify", folder.path());
        assert_eq!((ended, said.lines().last()), (code, Some("UNKNOWN(interrupted)")), "{signal}: {said}");
    }
    // `timeout` sends a signal to its child and the same to the group that the child is in.
    let text = "env --default-signal=TERM \"$1\" hard.c & sleep 1; kill -TERM $!; sleep 0.03; kill -TERM $!; wait $!";
    let (ended, said) = script(text, "verify", folder.path());
    assert_eq!((ended, said.lines().last()), (143, Some("UNKNOWN(interrupted)")), "{said}");
    // A signal that comes while the run ends for another reason takes no verdict away.
    let text = "env --default-signal=TERM \"$1\" --budget 1 hard.c & wait_for=$!; sleep 0.9; \
                for n in 1 2 3 4 5 6 7 8 9; do sleep 0.03; kill -TERM $wait_for 2>/dev/null; done; wait $wait_for";
    let (ended, said) = script(text, "verify", folder.path());
    let last = said.lines().last().unwrap_or_default();
    assert!([3, 143].contains(&ended) && ["UNKNOWN(budget)", "UNKNOWN(interrupted)"].contains(&last), "{ended} {said}");
    let (_, said) =
        script("nohup \"$1\" --budget 2 hard.c 2>/dev/null & sleep 1; kill -HUP $!; wait $!", "verify", folder.path());
    assert_eq!(said.lines().last(), Some("UNKNOWN(budget)"), "who asked to ignore a signal is obeyed");
}

#[test]
fn a_verdict_is_printed_although_its_evidence_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("bad.c"), format!("{HEAD}int main(void) {{ reach_error(); }}\n")).unwrap();
    fs::write(here.join("good.c"), format!("{HEAD}int main(void) {{ if (0 * __VERIFIER_nondet_ulong()) reach_error(); }}\n"))
        .unwrap();
    std::os::unix::fs::symlink("/dev/full", here.join("full.yml")).unwrap();
    std::os::unix::fs::symlink("/dev/full", here.join("full.c")).unwrap();
    for (arguments, verdict) in [
        (["--witness", "full.yml", "bad.c"], "FALSE(unreach-call)"),
        (["--witness", "no/such/folder.yml", "bad.c"], "FALSE(unreach-call)"),
        (["--harness", "full.c", "bad.c"], "FALSE(unreach-call)"),
        (["--witness", "full.yml", "good.c"], "TRUE"),
    ] {
        let ran = run("verify", arguments, here).unwrap();
        assert_eq!((ran.code, ran.last_line()), (2, verdict), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("cannot be written"), "{arguments:?}: {}", ran.stderr);
    }
    let (code, _) = script("\"$1\" good.c > /dev/full", "verify", here);
    assert_eq!(code, 2, "a verdict that nobody can read is no success");
}

#[test]
fn the_line_before_the_verdict_names_the_property() {
    let folder = tempfile::tempdir().unwrap();
    let assert = "#include <assert.h>\nint main(int c, char **v) { assert(c > -5 || c < 3); return 0; }\n";
    let both =
        format!("{HEAD}void assert(int);\nint main(void) {{ assert(1); if (__VERIFIER_nondet_ulong() < 0) reach_error(); }}\n");
    for (text, flags, line) in [
        ("int main(void) { return 0; }\n", [].as_slice(), "property: unreach-call (vacuous: no reach_error is called)"),
        ("int main(void) { return 0; }\n", &["--property", "assert"], "property: assert (vacuous: there is no assertion)"),
        (assert, &[], "property: assert (no reach_error is called, so assertions are checked)"),
        (assert, &["--property", "assert"], "property: assert"),
        (assert, &["--property", "unreach-call"], "property: unreach-call (vacuous: no reach_error is called)"),
        (&both, &[], "property: unreach-call"),
    ] {
        fs::write(folder.path().join("p.c"), text).unwrap();
        let ran = run("verify", [flags, ["p.c"].as_slice()].concat(), folder.path()).unwrap();
        assert_eq!((ran.code, ran.stdout), (0, format!("{line}\nTRUE\n")), "{text}{}", ran.stderr);
        let ran = run("verify", [flags, ["--json", "p.c"].as_slice()].concat(), folder.path()).unwrap();
        assert_eq!(ran.stdout.contains("\"vacuous\":true"), line.contains("vacuous"), "{}", ran.stdout);
    }
}

#[test]
fn what_nests_too_deep_is_refused_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let deep = 100_000;
    let programs = [
        ("parentheses", format!("int main(void) {{ return {}0{}; }}\n", "(".repeat(deep), ")".repeat(deep))),
        ("else if", format!("int main(int c, char **v) {{ {} return 0; }}\n", "if (c == 1) c = 2; else ".repeat(deep))),
        ("initialisers", format!("int x = {}0{};\nint main(void) {{ return x; }}\n", "{".repeat(deep), "}".repeat(deep))),
        ("blocks", format!("int main(void) {{ {} {} return 0; }}\n", "{".repeat(deep), "}".repeat(deep))),
        ("minus signs", format!("int main(int c, char **v) {{ return {}c; }}\n", "- ".repeat(deep))),
        ("sums", format!("int main(int c, char **v) {{ return c{}; }}\n", " + c".repeat(deep))),
        ("pointers", format!("int {}x;\nint main(void) {{ return 0; }}\n", "*".repeat(deep))),
    ];
    for (name, text) in programs {
        fs::write(folder.path().join("p.c"), format!("{HEAD}{text}")).unwrap();
        let ran = run("verify", ["-q", "--budget", "20", "p.c"], folder.path()).unwrap();
        assert!([0, 2, 3].contains(&ran.code), "{name}: {} {}{}", ran.code, ran.stdout, ran.stderr);
    }
}
