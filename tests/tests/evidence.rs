//! The witnesses of `verify`: they keep the rules of their formats, and what they say is true.

use std::fs;
use std::path::Path;
use std::process::Command;

use formats::witness::graphml::findings;
use formats::witness::{CorrectnessWitness, HashComparison, ViolationWitness, Witness};
use residue_tests::{Ran, root, run};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
                       extern void abort(void);\nvoid reach_error() { abort(); }\n";

/// Programs that fail, with the values of their inputs.
const FAILING: &[(&str, &[&str])] = &[
    (
        "int main() {\n  int x = __VERIFIER_nondet_int();\n  if (x == -7) {\n    unsigned char c = __VERIFIER_nondet_uchar();\n\
         \x20   while (c != 250) { return 0; }\n    reach_error();\n  }\n  return 0;\n}\n",
        &["-7", "250"],
    ),
    (
        "int f(int n) { if (n > 2 && n < 4) return 1; return 0; }\nint main() {\n  int n = 0;\n  while (n < 2) n++;\n\
         \x20 if (f(n + (__VERIFIER_nondet_int() == 1)))\n    reach_error();\n  return 0;\n}\n",
        &["1"],
    ),
    // Enumerators are numbers with a sign; there is no constant for a pointer other than null.
    (
        "enum e { LOW = -1, HIGH };\nextern enum e __VERIFIER_nondet_e(void);\nextern void *__VERIFIER_nondet_pointer(void);\n\
         int main() {\n  enum e e = __VERIFIER_nondet_e();\n  void *p = __VERIFIER_nondet_pointer();\n\
         \x20 void *q = __VERIFIER_nondet_pointer();\n  if (e == LOW && p != 0 && q == 0)\n    reach_error();\n  return 0;\n}\n",
        &["-1", "0"],
    ),
];

/// Programs that hold, by predicate abstraction over loops.
const HOLDING: &[&str] = &[
    "int main() {\n  unsigned int x = 0;\n  int y = 5;\n  while (__VERIFIER_nondet_int()) {\n    if (x < 4u) x = x + 1;\n\
     \x20   y = -y;\n  }\n  if (x > 4u) reach_error();\n  return 0;\n}\n",
    "int limit(int v) { if (v > 9) return 9; return v; }\nint main() {\n  int level = 0, n = 0;\n\
     \x20 for (n = 0; __VERIFIER_nondet_int(); n = 1) {\n    int x = level;\n    level = limit(x + 3);\n  }\n\
     \x20 while (__VERIFIER_nondet_int() > 2) { n = 2; }\n  if (level > 9) reach_error();\n  return 0;\n}\n",
    "short s = -3;\nint main() {\n  int x = 1;\n  while (__VERIFIER_nondet_int()) { int x = 7; s = s == -3 ? 4 : -3; }\n\
     \x20 if (s != 4 && s != -3) reach_error();\n  if (x != 1) reach_error();\n  return 0;\n}\n",
    // A loop whose condition is no step of its own, with states that are enumerated.
    "int main() {\n  int state = 0, n = 0;\n  while (1) {\n    int in = __VERIFIER_nondet_int();\n    if (in == 4) return 0;\n\
     \x20   if (state == 0) { if (in > 0) state = 1; }\n    else if (state == 1) { n = 1; if (in == 2) state = 2; }\n\
     \x20   else { if (n != 1) reach_error(); state = 0; }\n  }\n}\n",
    "int main() {\n  unsigned char n = __VERIFIER_nondet_uchar(), i = 0;\n  for (; 1; ) {\n    if (i >= n) break;\n    i++;\n  }\n\
     \x20 if (i != n) reach_error();\n  return 0;\n}\n",
];

fn verify(folder: &Path, body: &str, name: &str) -> Ran {
    fs::write(folder.join("p.c"), format!("{PRELUDE}{body}")).unwrap();
    run("verify", ["--budget", "60", "--witness", name, "p.c"], folder).unwrap()
}

/// The witness, after a look at the rules of its format.
fn read(folder: &Path, name: &str) -> Witness {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    if name.ends_with(".graphml") {
        assert_eq!(findings(&text, name).unwrap(), [], "{text}");
    } else {
        let schema = fs::read_to_string(root().join("formats/schemas/witness-2.schema.json")).unwrap();
        let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
        let value: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
        let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{text}");
    }
    let witness = Witness::read(text.as_bytes(), name).unwrap();
    let program = fs::read(folder.join("p.c")).unwrap();
    accepts(folder, name);
    assert_eq!(witness.metadata().compare_program(&program), HashComparison::Agrees { algorithm: "SHA-256" });
    witness
}

/// `residue witness` finds nothing at all to object to, and shows as much as there is.
fn accepts(folder: &Path, name: &str) {
    let ran = run("residue", ["witness", "--strict", "--program", "p.c", name], folder).unwrap();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", fs::read_to_string(folder.join(name)).unwrap());
    assert!(ran.stdout.contains("p.c: SHA-256 agrees"), "{}", ran.stdout);
    let text = fs::read(folder.join(name)).unwrap();
    let arguments = ["witness", "--to", "json", "--program", "p.c", "-"];
    let piped = duct::cmd(residue_tests::tool("residue"), arguments).dir(folder).stdin_bytes(text).read().unwrap();
    let value: serde_json::Value = serde_json::from_str(&piped).unwrap();
    assert_eq!((&value["file"], &value["compared"]["hash"]), (&"<stdin>".into(), &"SHA-256".into()));
    let count = value["steps"].as_array().or(value["invariants"].as_array()).unwrap().len();
    assert!(ran.stdout.contains(&format!("\n{count} ")), "{}", ran.stdout);
}

fn violation(folder: &Path, name: &str) -> ViolationWitness {
    match read(folder, name) {
        Witness::Violation(witness) => witness,
        Witness::Correctness(witness) => panic!("{witness:?}"),
    }
}

fn correctness(folder: &Path, name: &str) -> CorrectnessWitness {
    match read(folder, name) {
        Witness::Correctness(witness) => witness,
        Witness::Violation(witness) => panic!("{witness:?}"),
    }
}

#[test]
fn violations_are_told_as_they_are() {
    for (body, values) in FAILING {
        let folder = tempfile::tempdir().unwrap();
        for name in ["w.graphml", "w.yml"] {
            let ran = verify(folder.path(), body, name);
            assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{}", ran.stderr);
            let witness = violation(folder.path(), name);
            let inputs: Vec<&str> = witness.inputs().map(|input| input.value).collect();
            assert_eq!(inputs, *values, "{name}");
            let lines: Vec<String> = format!("{PRELUDE}{body}").lines().map(str::to_owned).collect();
            let line = |number: u32| lines[number as usize - 1].as_str();
            let last = witness.steps.last().unwrap();
            assert!(last.is_violation && line(last.place.line).contains("reach_error();"), "{last:?}");
            for step in &witness.steps {
                let text = line(step.place.line);
                let passes = step.branch.is_some() || step.enters.is_some() || step.returns_from.is_some();
                assert!(passes || step.assumption.is_some() || step.is_violation, "a step that says nothing: {step:?}");
                let column = step.place.column.map(|column| &text[column as usize - 1..]);
                if step.input().is_some() {
                    assert!(text.contains("__VERIFIER_nondet") && column.is_none_or(|rest| rest.starts_with(')')), "{step:?}");
                } else if let (Some(_), Some(rest)) = (step.branch, column) {
                    assert!(rest.starts_with("if (") || rest.starts_with("while ("), "{step:?}");
                }
            }
        }
    }
}

/// A program in which every invariant is checked at its loop; a trap ends it where one fails.
fn checked(program: &str, witness: &CorrectnessWitness) -> String {
    let lines: Vec<&str> = program.lines().collect();
    let mut places: Vec<(usize, usize, &str)> = witness
        .invariants
        .iter()
        .map(|invariant| {
            let place = &invariant.place;
            (place.line as usize, place.column.unwrap() as usize, invariant.expression.as_str())
        })
        .collect();
    places.sort_unstable();
    let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    for &(line, column, expression) in places.iter().rev() {
        let text = &mut lines[line - 1];
        let rest = &text[column - 1..];
        assert!(rest.starts_with("while (") || rest.starts_with("for ("), "{rest}");
        let offset = if rest.starts_with("while") { "while (".len() } else { rest.find("; ").unwrap() + 2 };
        text.insert_str(column - 1 + offset, &format!("({expression} ? 0 : (__builtin_trap(), 0)), "));
    }
    lines.join("\n")
}

#[test]
fn invariants_hold() {
    let mut told = 0;
    for body in HOLDING {
        let folder = tempfile::tempdir().unwrap();
        let ran = verify(folder.path(), body, "w.yml");
        assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stderr);
        let witness = correctness(folder.path(), "w.yml");
        assert!(!witness.invariants.is_empty(), "{body}");
        told += witness.invariants.len();
        let inputs = "static unsigned seed;\nint __VERIFIER_nondet_int(void) { seed = seed * 1103515245u + 12345u; return (int)(seed >> 16) % 5; }\nunsigned char __VERIFIER_nondet_uchar(void) { return seed = seed * 1103515245u + 12345u, seed >> 16; }\n";
        let main = "int run(void);\nint main(void) { for (seed = 0; seed < 300u; ) { unsigned old = seed; run(); seed = old + 1; } return 0; }\n";
        let text = checked(&format!("{PRELUDE}{body}"), &witness).replace("int main()", "int run(void)");
        fs::write(folder.path().join("c.c"), format!("{text}\n{inputs}{main}")).unwrap();
        let compiled = Command::new("gcc").args(["-w", "-o", "c", "c.c"]).current_dir(folder.path()).status().unwrap();
        assert!(compiled.success(), "{text}");
        let status = Command::new(folder.path().join("c")).status().unwrap();
        assert!(status.success(), "an invariant does not hold:\n{text}");
        // The same claims by lines.
        verify(folder.path(), body, "w.graphml");
        let by_line = correctness(folder.path(), "w.graphml");
        assert!(by_line.invariants.len() <= witness.invariants.len());
    }
    assert!(told >= 3, "{told}");
}

/// The witness of a TRUE under a condition, by its name, where `y = -y` is the change.
fn under_condition(here: &Path, body: &str, name: &str) -> CorrectnessWitness {
    fs::write(here.join("old.c"), format!("{PRELUDE}{}", body.replace("y = -y", "y = y"))).unwrap();
    fs::write(here.join("p.c"), format!("{PRELUDE}{body}")).unwrap();
    assert_eq!(run("diffcond", ["-o", "g.json", "old.c", "p.c"], here).unwrap().code, 0);
    assert_eq!(run("condgen", ["-o", "c.graphml", "g.json"], here).unwrap().code, 0);
    let ran = run("verify", ["--condition", "c.graphml", "--witness", name, "p.c"], here).unwrap();
    assert_eq!(ran.last_line(), "TRUE", "{}", ran.stderr);
    correctness(here, name)
}

#[test]
fn a_proof_of_uncovered_paths_claims_no_invariants() {
    let folder = tempfile::tempdir().unwrap();
    // A branch that the change does not touch.
    let body = "int main() {\n  unsigned int x = 0;\n  int y = 5;\n  if (__VERIFIER_nondet_int()) {\n    while (__VERIFIER_nondet_int())\n\
                \x20     if (x < 7u) x = x + 1;\n    if (x > 7u) reach_error();\n    return 0;\n  }\n  while (__VERIFIER_nondet_int()) {\n\
                \x20   if (x < 4u) x = x + 1;\n    y = -y;\n  }\n  if (x > 4u) reach_error();\n  return 0;\n}\n";
    for name in ["w.yml", "w.graphml"] {
        let witness = under_condition(folder.path(), body, name);
        assert!(witness.invariants.is_empty());
        assert!(witness.metadata.description.unwrap().contains("uncovered"));
    }
}

#[test]
fn a_proof_of_all_paths_claims_them_under_a_condition_too() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["w.yml", "w.graphml"] {
        let witness = under_condition(folder.path(), HOLDING[0], name);
        assert!(!witness.invariants.is_empty());
        assert!(!witness.metadata.description.unwrap_or_default().contains("uncovered"));
    }
}

#[test]
fn other_endings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["w.json", "w", "w.graphml.gz"] {
        let ran = verify(folder.path(), HOLDING[0], name);
        assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(name) && !folder.path().join(name).exists(), "{}", ran.stderr);
    }
}

/// ESBMC as a validator of witnesses in YAML; `make test` installs it.
fn validator() -> Option<std::path::PathBuf> {
    let path = root().join("third-party/external/bin/esbmc-8.4");
    if path.exists() {
        return Some(path);
    }
    residue_tests::skip("ESBMC 8.4 is missing (make validator)");
    None
}

fn validate(validator: &Path, folder: &Path, kind: &str, witness: &str) -> String {
    let mut command = Command::new(validator);
    command.args(["p.c", &format!("--validate-{kind}-witness"), "--witness", witness]);
    if kind == "correctness" {
        command.arg("--k-induction");
    }
    let output = command.current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What people read of a counterexample: the inputs, each statement with the values behind it, and calls further in.
#[test]
fn a_counterexample_as_text() {
    let folder = tempfile::tempdir().unwrap();
    let body = "int twice(int v) {\n  return 2 * v;\n}\nint main() {\n  float f = __VERIFIER_nondet_float();\n\
                \x20 int x = __VERIFIER_nondet_int();\n  if (f > 0.5f && f < 0.75f && twice(x) == 14 && x > 0)\n    reach_error();\n}\n";
    fs::write(folder.path().join("p.c"), format!("extern float __VERIFIER_nondet_float(void); {PRELUDE}{body}")).unwrap();
    for analysis in ["values", "bounded", "predicates", "bounded,predicates"] {
        let ran = run("verify", ["--trace", "--analysis", analysis, "p.c"], folder.path()).unwrap();
        if ran.last_line() != "FALSE(unreach-call)" {
            assert_eq!((analysis, ran.last_line(), ran.stderr.as_str()), ("values", "UNKNOWN(no progress)", ""));
            continue;
        }
        assert_eq!(ran.stdout, "property: unreach-call\nFALSE(unreach-call)\n");
        for line in [
            "  input __VERIFIER_nondet_int() = 7",
            "  p.c:10    x = __VERIFIER_nondet_int()   // x = 7",
            "  p.c:6       return 2 * v;   // (result) = 14",
            "  p.c:12    reach_error()",
        ] {
            assert!(ran.stderr.lines().any(|printed| printed == line), "{analysis}: {line}\n{}", ran.stderr);
        }
    }
    let ran = run("verify", ["--trace", "--analysis", "single-execution", "p.c"], folder.path()).unwrap();
    assert_eq!((ran.code, ran.stderr.as_str()), (3, ""));
}

#[test]
fn another_tool_confirms_invariants() {
    let Some(validator) = validator() else { return };
    let folder = tempfile::tempdir().unwrap();
    let prelude = "extern void __assert_fail(const char *, const char *, unsigned int, const char *);\n";
    let body = HOLDING[0].replace("reach_error()", "__assert_fail(\"0\", \"p.c\", 1, \"main\")");
    fs::write(folder.path().join("p.c"), format!("{prelude}{PRELUDE}{body}")).unwrap();
    let arguments = ["--property", "assert", "--witness", "w.yml", "p.c"];
    assert_eq!(run("verify", arguments, folder.path()).unwrap().last_line(), "TRUE");
    let said = validate(&validator, folder.path(), "correctness", "w.yml");
    assert!(said.contains("loop invariant base case") && said.contains("VERIFICATION SUCCESSFUL"), "{said}");
    let text = fs::read_to_string(folder.path().join("w.yml")).unwrap();
    assert!(text.contains("x == 1U"), "{text}");
    fs::write(folder.path().join("wrong.yml"), text.replace("x == 1U", "x == 2U")).unwrap();
    let said = validate(&validator, folder.path(), "correctness", "wrong.yml");
    assert!(!said.contains("VERIFICATION SUCCESSFUL"), "{said}");
}

#[test]
fn another_tool_confirms_a_violation() {
    let Some(validator) = validator() else { return };
    let folder = tempfile::tempdir().unwrap();
    let text = "extern int __VERIFIER_nondet_int(void);\n\
                extern void __assert_fail(const char *, const char *, unsigned int, const char *);\n\
                int main() {\n  int x = __VERIFIER_nondet_int();\n  int y = 3;\n  if (x > 6) {\n    y = 4;\n  }\n\
                \x20 if (x == y + 4) {\n    __assert_fail(\"0\", \"p.c\", 10, \"main\");\n  }\n  return 0;\n}\n";
    fs::write(folder.path().join("p.c"), text).unwrap();
    let arguments = ["--property", "assert", "--witness", "w.yml", "p.c"];
    assert_eq!(run("verify", arguments, folder.path()).unwrap().code, 1);
    let said = validate(&validator, folder.path(), "violation", "w.yml");
    assert!(said.contains("VERIFICATION FAILED"), "{said}");
    let witness = fs::read_to_string(folder.path().join("w.yml")).unwrap();
    for (told, wrong) in [("\\result == 8", "\\result == 7"), ("\"true\"", "\"false\"")] {
        assert!(witness.contains(told), "{witness}");
        fs::write(folder.path().join("wrong.yml"), witness.replace(told, wrong)).unwrap();
        let said = validate(&validator, folder.path(), "violation", "wrong.yml");
        assert!(!said.contains("VERIFICATION FAILED"), "{said}");
    }
}
