//! What is asked of versions as one C program: gcc compiles it, our verifier decides it as letters say, and others are believed
//! as far as they can be. What witnesses of one version say is asked of all.

use std::path::Path;

use formats::invariant_table::{EvidenceKind, InvariantTable};
use residue_tests::{Ran, root, run, skip, verifier};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void); void abort(void); void reach_error(void);\n";

fn write(folder: &Path, texts: &[String]) -> Vec<String> {
    let name = |(number, text): (usize, &String)| {
        let name = format!("v{}.c", number + 1);
        std::fs::write(folder.join(&name), format!("{HEAD}{text}")).unwrap();
        name
    };
    texts.iter().enumerate().map(name).collect()
}

fn invdiff(arguments: &[&str], files: &[String], here: &Path) -> Ran {
    let all: Vec<&str> = arguments.iter().copied().chain(files.iter().map(String::as_str)).collect();
    run("invdiff", all, here).unwrap()
}

/// A program that is written compiles, and our verifier decides it as the letters of the fact say.
fn decided_alike(texts: &[String], facts: &[&str], more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let files = write(here, texts);
    for fact in facts {
        let ask = |form: &str, output: &str| {
            let own = ["--at", "label:P", "--of", fact, "--to", form, "-o", output];
            let ran = invdiff(&[own.as_slice(), more].concat(), &files, here);
            assert_eq!(ran.code, 0, "{fact}: {}", ran.stderr);
        };
        ask("json", "t.json");
        ask("c", "all.c");
        let table = InvariantTable::read(&std::fs::read(here.join("t.json")).unwrap(), "t.json").unwrap();
        let letters = &table.instances[0].status;
        assert!(!letters.contains('?'), "{fact}: {letters}");
        duct::cmd!("gcc", "-c", "-o", "all.o", "all.c").dir(here).stderr_capture().run().unwrap_or_else(|error| {
            panic!("{fact}: {error}\n{}", std::fs::read_to_string(here.join("all.c")).unwrap());
        });
        let ran = run("verify", ["--budget=60", "all.c"], here).unwrap();
        let expected = if letters.contains(['F', 'X']) { "FALSE(unreach-call)" } else { "TRUE" };
        assert_eq!(ran.last_line(), expected, "{fact} {letters}: {}", ran.stderr);
    }
}

#[test]
fn a_program_for_others_says_what_letters_say() {
    let main = |body: &str| format!("int main(void) {{ {body} P:; return 0; }}\n");
    let all = |bodies: &[&str]| bodies.iter().map(|body| main(body)).collect::<Vec<_>>();
    // Types that differ, a name that one lacks, points that nothing comes to, and errors of the versions themselves.
    let bodies = ["unsigned char x = 255; x++;", "int x = 255; x++;", "int y = 1; if (y) reach_error();", "int y = 0;"];
    decided_alike(&all(&bodies), &["x == 0", "x == 0 || x == 256", "y == 0"], &[]);
    let loops = |by: &str| format!("int n = __VERIFIER_nondet_uchar(), i = 0, s = 0; while (i < n) {{ i++; s += {by}; }}");
    decided_alike(&all(&[&loops("2"), &loops("2 + 0"), &loops("3")]), &["i == n", "s == 2 * i", "i <= n"], &[]);
    let reads =
        ["int a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();", "int b = 1, a = __VERIFIER_nondet_uchar();"];
    decided_alike(&all(&reads), &["a == in(0)", "in(1) == b", "a / b >= 0", "b != 0 || a >= 0"], &[]);
    decided_alike(&all(&["int x; int z = 1;", "int x = 3; int z = x;"]), &["z > 0", "x == 3"], &["--defined"]);
    let calls = |body: &str| {
        format!(
            "struct s {{ int a; int b; }};\nstatic int f(struct s *p) {{ {body} }}\nint main(void) {{ struct s v = {{1, 2}}; int r = f(&v); P:; return r; }}\n"
        )
    };
    decided_alike(&[calls("return p->a;"), calls("p->b = 1; return p->b;"), calls("return p->b;")], &["r == 1", "r <= v.b"], &[]);
}

#[test]
fn what_is_known_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text =
        |bound: &str| format!("int main(void) {{ int x = __VERIFIER_nondet_uchar(); if (x > {bound}) x = 0; P:; return x; }}\n");
    let files = write(here, &[text("100"), text("127"), text("50")]);
    let own = ["--at", "label:P", "--of", "x <= 100", "--of", "x >= 0", "--steps", "1"];
    let open = invdiff(&[own.as_slice(), &["--to", "json", "-o", "t.json"]].concat(), &files, here);
    let table = InvariantTable::read(&std::fs::read(here.join("t.json")).unwrap(), "t.json").unwrap();
    assert_eq!((open.code, table.instances[0].status.as_str()), (0, "?F?"), "the test needs what is open");
    let left = invdiff(&["--to", "c", "--open", "t.json", "-o", "left.c"], &files, here);
    let text = std::fs::read_to_string(here.join("left.c")).unwrap();
    assert!(left.code == 0 && text.contains("question 0: instance 0, versions 0 2: x <= 100 at label:P"), "{text}");
    assert_eq!(run("verify", ["left.c"], here).unwrap().last_line(), "TRUE");
    // All of it is no invariant of all.
    let all = invdiff(&["--to", "c", "--at", "label:P", "--of", "x <= 100", "-o", "all.c"], &files, here);
    assert_eq!((all.code, run("verify", ["all.c"], here).unwrap().last_line()), (0, "FALSE(unreach-call)"));
    for (arguments, said) in [
        (["--to", "json", "--open", "t.json"].as_slice(), "--open"),
        (&["--to", "c"], "no fact"),
        (&["--to", "c", "--open", "left.c"], "left.c"),
    ] {
        let refused = invdiff(arguments, &files, here);
        assert!(refused.code == 2 && refused.stderr.contains(said), "{arguments:?}: {}", refused.stderr);
    }
    let other = invdiff(&["--to", "c", "--open", "t.json"], &[files[0].clone(), files[2].clone(), files[1].clone()], here);
    assert!(other.code == 2 && other.stderr.contains("other versions"), "{}", other.stderr);
}

/// Of each version a witness may be given, of its lines; whatever it says is asked.
#[test]
fn what_a_witness_of_one_version_says_is_asked_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |above: &str, bound: &str| {
        format!(
            "{above}int main(void) {{\n  int n = __VERIFIER_nondet_uchar(), i = 0, s = 0;\n  while (i < {bound}) {{\n    i = i + 1;\n    s = s + 3;\n  }}\n  n = n + 1;\n  if (s != 3 * i) reach_error();\n  return s;\n}}\n"
        )
    };
    let files = write(here, &[text("", "n"), text("", "n + 1"), text("\n\n", "n")]);
    // What a verifier proves of the first version holds in all or not.
    let proof = run("verify", ["--witness", "w.graphml", &files[0]], here).unwrap();
    assert_eq!(proof.last_line(), "TRUE", "{}", proof.stderr);
    let ask = |witness: &str, more: &[&str]| {
        let own = ["--invariants", witness, "--steps", "300000", "--families", "none"];
        invdiff(&[own.as_slice(), more].concat(), &files, here)
    };
    let found = ask("w.graphml", &["--to", "json"]);
    let found = InvariantTable::read(found.stdout.as_bytes(), "t").unwrap_or_else(|error| panic!("{error} {}", found.stderr));
    assert!(!found.instances.is_empty() && found.points.iter().all(|point| point.name == "main:loops 1"), "{found:?}");
    assert!(found.instances.iter().all(|one| one.family == "witness" && one.status.starts_with('H')), "{found:?}");
    // One in YAML, with what is wrong, what is no expression there, and what has no place.
    let hash = &found.versions[0].program.as_ref().unwrap().sha256;
    let entry = |line: u32, kind: &str, value: &str| {
        format!(
            "  - invariant:\n      type: {kind}\n      location: {{file_name: v1.c, line: {line}, column: 3, function: main}}\n      value: \"{value}\"\n      format: c_expression\n"
        )
    };
    let witness = |hash: &str| {
        let head = format!(
            "- entry_type: invariant_set\n  metadata:\n    format_version: \"2.0\"\n    uuid: 8e80bc27-a93d-594b-bb97-2680cc23f3a2\n    creation_time: \"2024-01-01T00:00:00Z\"\n    producer: {{name: other, version: \"1\"}}\n    task:\n      input_files: [v1.c]\n      input_file_hashes: {{v1.c: {hash}}}\n      specification: \"G ! call(reach_error())\"\n      data_model: LP64\n      language: C\n  content:\n"
        );
        // Two lines stand in front of each version: its loop is on the fifth.
        head + &entry(5, "loop_invariant", "i <= n")
            + &entry(5, "loop_invariant", "s == 2 * i")
            + &entry(9, "location_invariant", "i <= n")
            + &entry(9, "location_invariant", "k == 1")
            + &entry(70, "location_invariant", "i >= 0")
    };
    std::fs::write(here.join("w.yml"), witness(hash)).unwrap();
    let found = ask("w.yml", &["--to", "json"]);
    let table = InvariantTable::read(found.stdout.as_bytes(), "t").unwrap_or_else(|error| panic!("{error} {}", found.stderr));
    let rows: Vec<(&str, &str, &str)> = table
        .instances
        .iter()
        .map(|one| (table.points[one.point].name.as_str(), one.expression.as_str(), one.status.as_str()))
        .collect();
    // The last version has the place two lines further down.
    let expected = [
        ("main:loops 1", "i <= n", "HFH"),
        ("main:loops 1", "s == 2 * i", "FFF"),
        ("11", "i <= n", "HFH"),
        ("11", "k == 1", "NNN"),
    ];
    assert_eq!(rows, expected, "{}", found.stderr);
    assert!(found.stderr.contains("`i >= 0` at line 70 is left out"), "{}", found.stderr);
    std::fs::write(here.join("other.yml"), witness(&"ab".repeat(32))).unwrap();
    let other = ask("other.yml", &[]);
    assert!(other.code == 2 && other.stderr.contains("none of the versions") && other.stdout.is_empty(), "{}", other.stderr);
    std::fs::write(here.join("cut.yml"), &witness(hash)[..200]).unwrap();
    assert_eq!(ask("cut.yml", &[]).code, 2);
}

/// The verifier violates `x <= 100` of the version that allows more, as long as that is asked, and proves the rest.
const OPTIONS: &str = r#"
assume() {
    line=$(grep -n "= __VERIFIER_nondet_$1()" "$program" | sed -n "$2p" | cut -d: -f1)
    cat >> "$witness" <<END
    - waypoint:
        type: assumption
        action: follow
        location: {line: $line}
        constraint: {value: "$3", format: c_expression}
END
}
says() {
    witness="$(dirname "$program")/witness.yml"
    printf -- '- entry_type: violation_sequence\n  content:\n  - segment:\n' > "$witness"
    assume uint 1 "__residue_version == $1"; assume uint 2 "__residue_goal == 0"; assume uchar 1 "__t0 == $2"
    echo FALSE
}
case $1 in
unknown) echo UNKNOWN ;;
once) if grep -q 'instance 0, versions 0 1' "$program"; then says 1 120; else echo TRUE; fi ;;
wrong) says 0 3 ;;
*) echo TRUE ;;
esac
"#;

#[test]
fn another_verifier_decides_letters_that_are_open() {
    if !root().join("third-party/external/venv/bin/python3").exists() {
        skip("BenchExec is missing: make external");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    // Only 120 violates: no input that is tried does.
    let text = |not: &str| {
        format!(
            "int main(void) {{ int x = __VERIFIER_nondet_uchar(); int y = x * 7 % 256; int z = x; if (y != {not}) x = 0; P:; return z; }}\n"
        )
    };
    let files = write(here, &[text("94"), text("72"), text("300")]);
    verifier::fake(here, OPTIONS);
    let usual = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths([here.to_path_buf()].into_iter().chain(std::env::split_paths(&usual))).unwrap();
    let asked = |option: &str, facts: &[&str]| {
        let verifier = format!("--verifier=fakes.fake:{option}");
        let mut words = vec!["invariants", "--json", "--at", "label:P", "--steps=1", &verifier];
        facts.iter().for_each(|fact| words.extend(["--of", fact]));
        words.extend(files.iter().map(String::as_str));
        let output = duct::cmd(residue_tests::tool("residue"), words)
            .dir(here)
            .env("PATH", &path)
            .env("PYTHONPATH", here)
            .env("RESIDUE_EXTERNAL", root().join("third-party/external"))
            .stdin_null()
            .stdout_capture()
            .stderr_capture()
            .unchecked()
            .run()
            .unwrap();
        let (out, error) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let listing: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out} {error}"));
        (listing["units"][0]["windows"][0]["table"].clone(), error.into_owned())
    };
    let letters = |table: &serde_json::Value, at: usize| table["instances"][at]["status"].as_str().unwrap().to_owned();
    let (found, error) = asked("once", &["x <= 100", "x >= 0"]);
    assert_eq!((letters(&found, 0), letters(&found, 1)), ("HFH".to_owned(), "HHH".to_owned()), "{error}");
    // The run is one of the version, and the word has its name.
    let of = |kind: &str| found["instances"][0]["evidence"].as_array().unwrap().iter().find(|one| one["kind"] == kind).cloned();
    let executed = of("execution").unwrap();
    assert_eq!((executed["versions"][0].as_u64(), executed["inputs"][0]["value"].as_str()), (Some(1), Some("120")), "{found}");
    let word = of("external").unwrap();
    assert_eq!((word["by"].as_str(), word["versions"].to_string().as_str()), (Some("Fake 1.0"), "[0,2]"));
    let bytes = found.to_string();
    let table = InvariantTable::read(bytes.as_bytes(), "t").unwrap();
    assert!(table.instances[0].evidence.iter().any(|one| one.kind == EvidenceKind::External));
    // Inputs that violate nothing are no answer, and neither is silence.
    for option in ["wrong", "unknown"] {
        let (found, error) = asked(option, &["x <= 100"]);
        assert!(letters(&found, 0).contains('?') && error.contains("note: fakes.fake"), "{option}: {found} {error}");
    }
    // What cannot be asked is not proved by an answer about the rest.
    std::fs::write(here.join("v3.c"), format!("{HEAD}int main(void) {{ volatile int x = 0; P:; return x; }}\n")).unwrap();
    let (found, error) = asked("true", &["x <= 100"]);
    assert_eq!(letters(&found, 0).chars().nth(2), Some('?'), "{error}");
}
