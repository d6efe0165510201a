//! `verify --invariants`: what a witness of any tool proposes is used where it holds, and a wrong proposal changes no verdict.
//! `verify --steps`: no clock decides anything.

use std::fs;

use residue_tests::run;

const SAFE: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
  while (i < n) { i = i + 1; j = j + 1; }
  if (i != j) reach_error();
  return 0;
}
";

/// A correctness witness with one invariant of the loop on line 4.
fn witness(expression: &str) -> String {
    format!(
        "- entry_type: invariant_set
  metadata:
    format_version: \"2.0\"
    uuid: \"1\"
    creation_time: \"2026-01-01T00:00:00Z\"
    producer:
      name: other
      version: \"1\"
    task:
      input_files: [program.c]
      input_file_hashes:
        program.c: \"{}\"
      specification: \"G ! call(reach_error())\"
      data_model: LP64
      language: C
  content:
    - invariant:
        type: loop_invariant
        location:
          file_name: program.c
          line: 4
          column: 3
          function: main
        value: \"{expression}\"
        format: c_expression
",
        "0".repeat(64)
    )
}

#[test]
fn a_wrong_proposal_changes_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let violated = SAFE.replace("i != j", "i == 3");
    for (text, verdict) in [(SAFE, "TRUE"), (&violated, "FALSE(unreach-call)")] {
        fs::write(folder.path().join("program.c"), text).unwrap();
        for expression in ["i == j", "i == 0", "j < 3 && i < 3", "0", "n == 7", "i > j", "unknown == 1", "i ==", "i / j == 1"] {
            fs::write(folder.path().join("w.yml"), witness(expression)).unwrap();
            let ran = run("verify", ["--invariants", "w.yml", "program.c"], folder.path()).unwrap();
            assert_eq!(ran.stdout.trim_end().lines().last(), Some(verdict), "{expression}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_proposal_that_holds_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    // No template speaks of three bits.
    let text = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
  unsigned b = 5, c = 5;
  while (__VERIFIER_nondet_uint()) { if (b != 5) reach_error(); b = c & 7; c = c + 8; }
  return 0;
}
";
    fs::write(folder.path().join("program.c"), text).unwrap();
    fs::write(folder.path().join("w.yml"), witness("(c & 7) == 5")).unwrap();
    let proved = |arguments: &[&str]| {
        let ran = run("verify", [arguments, &["--analysis", "candidates", "program.c"]].concat(), folder.path()).unwrap();
        ran.stdout.trim_end().lines().last() == Some("TRUE")
    };
    assert!(proved(&["--invariants", "w.yml"]));
    assert!(!proved(&[]));
}

#[test]
fn two_runs_with_the_same_steps_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    // The product needs a question that no share of this size can answer.
    let hard = "extern unsigned long __VERIFIER_nondet_ulong(void); extern void reach_error(void);
int main(void) {
  unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
  if (a > 1 && b > 1 && a < 4294967296 && b < 4294967296 && a * b == 1000000016000000063) reach_error();
  return 0;
}
";
    for (text, steps) in [(SAFE, "100000"), (hard, "60000")] {
        fs::write(folder.path().join("program.c"), text).unwrap();
        let once = || {
            let ran = run("verify", ["--steps", steps, "--stats", "program.c"], folder.path()).unwrap();
            let numbers: Vec<&str> = ran.stderr.lines().filter(|line| !line.contains("CPU")).collect();
            (ran.stdout.clone(), numbers.join("\n"))
        };
        assert_eq!(once(), once());
    }
}
