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

/// No template speaks of three bits.
const BITS: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
  unsigned b = 5, c = 5;
  while (__VERIFIER_nondet_uint()) { if (b != 5) reach_error(); b = c & 7; c = c + 8; }
  return 0;
}
";

#[test]
fn proposals_are_used_under_a_condition_and_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("original.c"), BITS).unwrap();
    fs::write(folder.path().join("program.c"), BITS.replace("c + 8", "c + 16")).unwrap();
    fs::write(folder.path().join("w.yml"), witness("(c & 7) == 5 && c != 4")).unwrap();
    fs::write(folder.path().join("wrong.yml"), witness("c == 5")).unwrap();
    run("diffdp", ["-o", "g.json", "original.c", "program.c"], folder.path()).unwrap();
    run("condgen", ["-o", "c.graphml", "g.json"], folder.path()).unwrap();
    let verify = |proposed: &[&str]| {
        let limits = ["--condition", "c.graphml", "--analysis", "candidates", "--steps", "2000000"];
        let arguments = [&limits[..], proposed, &["program.c"]].concat();
        let ran = run("verify", arguments, folder.path()).unwrap();
        (ran.stdout.trim_end().lines().last().unwrap_or_default().to_owned(), ran.stderr)
    };
    let (verdict, told) = verify(&["--invariants", "w.yml", "--invariants", "wrong.yml"]);
    assert_eq!(verdict, "TRUE", "{told}");
    assert!(told.contains("rests on a proposed invariant: (c & 7) == 5"), "{told}");
    assert!(!told.contains("rests on a proposed invariant: c == 5"), "{told}");
    let (verdict, told) = verify(&["--invariants", "wrong.yml"]);
    assert!(verdict.starts_with("UNKNOWN") && !told.contains("rests on"), "{verdict} {told}");
}

/// Steps of a verification that says TRUE, as `--stats` tells them.
fn steps(stderr: &str) -> u64 {
    let line = stderr.lines().find(|line| line.trim_start().starts_with("steps:")).unwrap_or_else(|| panic!("{stderr}"));
    line.rsplit(' ').next().unwrap().trim().parse().unwrap()
}

/// Needs several predicates, which takes several refinements to find.
const PHASES: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0, k = 0, phase = 0; int x = 0;
  { int x = 7; k = x - 7; }
  while (i < n) {
    int x = 1;
    if (phase == 0) { phase = 1; k = k + 3; } else if (phase == 1) { phase = 2; k = k + x; } else { phase = 0; k = k - 4; }
    i = i + 1;
  }
  if (phase == 0 && k != 0) reach_error();
  if (phase == 1 && k != 3) reach_error();
  if (phase == 2 && k != 4) reach_error();
  return x;
}
";

#[test]
fn a_proof_of_one_version_helps_with_the_next() {
    let folder = tempfile::tempdir().unwrap();
    // Lines move, a variable is added, something is computed in another way.
    let next =
        PHASES.replace("int main(void) {\n", "int main(void) {\n  int unused = 3;\n\n").replace("k = k + 3", "k = 3 + k - 0 * n");
    for (name, text) in [("original.c", PHASES), ("modified.c", &next), ("violated.c", &next.replace("k - 4", "k - 5"))] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let verify = |arguments: &[&str]| {
        let ran = run("verify", [&["--stats", "--steps", "3000000"], arguments].concat(), folder.path()).unwrap();
        (ran.stdout.trim_end().lines().last().unwrap_or_default().to_owned(), steps(&ran.stderr))
    };
    let (verdict, _) = verify(&["--proof", "proof.json", "original.c"]);
    assert_eq!(verdict, "TRUE");
    let kept = fs::read(folder.path().join("proof.json")).unwrap();
    let (verdict, alone) = verify(&["modified.c"]);
    assert_eq!(verdict, "TRUE");
    let (verdict, helped) = verify(&["--proof", "proof.json", "modified.c"]);
    assert_eq!(verdict, "TRUE");
    assert!(helped * 2 < alone, "{helped} steps with the proof of the original, {alone} without");
    // What does not hold any more changes no verdict, and what a FALSE leaves is what was there.
    fs::write(folder.path().join("proof.json"), &kept).unwrap();
    assert_eq!(verify(&["--proof", "proof.json", "violated.c"]).0, "FALSE(unreach-call)");
    assert_eq!(fs::read(folder.path().join("proof.json")).unwrap(), kept);
    // Neither does what is no proof, or lies.
    let text = String::from_utf8(kept).unwrap();
    for broken in
        ["{", &text.replace("\"eq\"", "\"slt\""), &text.replace("\"not\"", "\"and\""), &text.replace("\"k\"", "\"phase\"")]
    {
        fs::write(folder.path().join("proof.json"), broken).unwrap();
        assert_eq!(verify(&["--proof", "proof.json", "modified.c"]).0, "TRUE");
        fs::write(folder.path().join("proof.json"), broken).unwrap();
        assert_eq!(verify(&["--proof", "proof.json", "violated.c"]).0, "FALSE(unreach-call)");
    }
}

/// Explicit values count to a hundred thousand; predicates need none to see that the loop ends where its condition says.
const LONG: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) {
  unsigned i = 0, x = 0;
  while (i < 100000) { i = i + 1; x = __VERIFIER_nondet_uint(); }
  if (i < 100000) reach_error();
  return x;
}
";

#[test]
fn the_analysis_behind_a_proof_goes_first_in_the_next_version() {
    let folder = tempfile::tempdir().unwrap();
    let violated = LONG.replace("{ i = i + 1;", "{ if (x == 7) reach_error(); i = i + 1;");
    let early = LONG.replace("while (i", "while (i != 4 && i");
    for (name, text) in
        [("original.c", LONG), ("modified.c", &LONG.replace("i + 1", "1 + i")), ("violated.c", &violated), ("early.c", &early)]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let verify = |arguments: &[&str]| {
        let ran = run("verify", [&["--stats", "--steps", "3000000"], arguments].concat(), folder.path()).unwrap();
        (ran.stdout.trim_end().lines().last().unwrap_or_default().to_owned(), steps(&ran.stderr))
    };
    let proof = folder.path().join("proof.json");
    let (verdict, first) = verify(&["--proof", "proof.json", "original.c"]);
    assert_eq!(verdict, "TRUE");
    let kept = fs::read_to_string(&proof).unwrap();
    let known: serde_json::Value = serde_json::from_str(&kept).unwrap();
    assert_eq!((&known["by"]["name"], known["steps"].as_u64()), (&serde_json::Value::from("predicates"), Some(first)));
    let (_, alone) = verify(&["modified.c"]);
    let (verdict, helped) = verify(&["--proof", "proof.json", "modified.c"]);
    assert_eq!(verdict, "TRUE");
    assert!(helped * 5 < alone, "{helped} steps with the proof of the original, {alone} without");
    // The version after that gets as much help: what counts is what it took without.
    assert_eq!(fs::read_to_string(&proof).unwrap(), kept);
    // Nobody is believed: neither which analysis it was, nor what it took.
    for name in [
        "execution", "explicit values", "ranges", "bounded search", "candidates", "k-induction", "circuit",
        "localized predicates", "nobody",
    ] {
        for steps in [0, 9_000, u64::MAX] {
            let mut lie = known.clone();
            lie["by"]["name"] = name.into();
            lie["by"]["steps"] = steps.into();
            lie["steps"] = steps.into();
            for (program, expected) in
                [("modified.c", "TRUE"), ("violated.c", "FALSE(unreach-call)"), ("early.c", "FALSE(unreach-call)")]
            {
                fs::write(&proof, lie.to_string()).unwrap();
                assert_eq!(verify(&["--proof", "proof.json", program]).0, expected, "{name} {steps}");
            }
        }
    }
}

#[test]
fn a_check_offers_what_the_check_before_it_rested_on() {
    let second = PHASES.replace("k = k + 3", "k = 3 + k");
    let third = second.replace("k = k + x", "k = x + k").replace("int x = 0;", "int x = 0;\n");
    // By a file, and by the cache.
    for flags in [["--proof", "kept.json"], ["--cache", "cache"]] {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("first.c", PHASES), ("second.c", &second), ("third.c", &third)] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let check = |flags: &[&str], original: &str, modified: &str| {
            let arguments = [&["check", "--steps", "3000000", "--json"], flags, &[original, modified]].concat();
            let ran = run("residue", arguments, folder.path()).unwrap();
            let report: serde_json::Value = serde_json::from_str(ran.stdout.trim_end().lines().last().unwrap()).unwrap();
            assert_eq!(report["verdict"], "TRUE", "{}", ran.stderr);
            report["outcomes"][0]["verification"]["statistics"]["steps"].as_f64().unwrap()
        };
        check(&flags, "first.c", "second.c");
        let helped = check(&flags, "second.c", "third.c");
        let alone = check(&[], "second.c", "third.c");
        assert!(helped * 2.0 < alone, "{flags:?}: {helped} steps after the check before, {alone} without");
    }
}

/// The driver too: neither its look by the names of library functions nor the shares of verifiers end by a clock.
#[test]
fn two_checks_with_the_same_steps_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    // `strlen` has a body of ours, so the unit is first looked at without.
    let text = PHASES.replace(
        "int main(void) {",
        "extern unsigned long strlen(const char *);\nint main(void) {\n  char s[4] = \"abc\"; if (strlen(s) > 3) return 0;",
    );
    fs::write(folder.path().join("original.c"), &text).unwrap();
    fs::write(folder.path().join("modified.c"), text.replace("k = k + 3", "k = 3 + k")).unwrap();
    let check = |steps: &str, budget: &[&str]| {
        let arguments = [&["check", "--json", "--fallback", "--steps", steps], budget, &["original.c", "modified.c"]].concat();
        let ran = run("residue", arguments, folder.path()).unwrap();
        let mut report: serde_json::Value = serde_json::from_str(ran.stdout.trim_end().lines().last().unwrap()).unwrap();
        let outcome = report["outcomes"][0].take();
        let mut statistics = outcome["verification"]["statistics"].clone();
        statistics.as_object_mut().unwrap().remove("CPU time");
        (outcome["verdict"].clone(), outcome["turns"].clone(), statistics)
    };
    for steps in ["3000", "3000000"] {
        // A budget that is not used up decides nothing either.
        assert_eq!(check(steps, &[]), check(steps, &["--budget", "300"]));
    }
}
