//! Bad input: exit code 2, one clear diagnostic, no output file, no panic.

use std::fs;
use std::path::Path;

use residue_tests::run;

const GOOD: &str = "extern void reach_error(void);\nint main(void) { int x = 1; if (x == 2) reach_error(); return 0; }\n";
const OTHER: &str = "extern void reach_error(void);\nint main(void) { int x = 3; if (x == 2) reach_error(); return 0; }\n";

/// A folder with a good pair and what each stage makes of it.
fn pipeline() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.c"), GOOD).unwrap();
    fs::write(folder.path().join("other.c"), OTHER).unwrap();
    for (tool, arguments) in [
        ("diffcond", "-o graph.json good.c other.c"),
        ("condgen", "-o condition.graphml graph.json"),
        ("reduce", "-o residual.c condition.graphml"),
    ] {
        let ran = run(tool, arguments.split(' '), folder.path()).unwrap();
        assert_eq!(ran.code, 0, "{tool}: {}", ran.stderr);
    }
    folder
}

/// Runs `tool arguments -o out.graphml` and checks that it refuses its input and says `word`.
fn refuses(folder: &Path, tool: &str, arguments: &str, word: &str) {
    let out = folder.join("out.graphml");
    let with_output = if tool == "verify" { "--witness out.graphml" } else { "-o out.graphml" };
    let line = format!("{with_output} {arguments}");
    let ran = run(tool, line.split(' '), folder).unwrap();
    let told = format!("{tool} {line}\nstdout: {}\nstderr: {}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, 2, "{told}");
    assert!(ran.stdout.is_empty(), "{told}");
    assert!(!out.exists(), "an output file was left behind\n{told}");
    assert!(!ran.stderr.contains("panicked"), "{told}");
    assert!(ran.stderr.contains(word), "the message does not mention `{word}`\n{told}");
    let errors = ran.stderr.matches("error").count();
    assert!(ran.stderr.lines().count() <= 14 && errors <= 4, "more than one diagnostic\n{told}");
}

#[test]
fn c_input_that_cannot_be_read() {
    let folder = pipeline();
    let here = folder.path();
    fs::create_dir(here.join("folder.c")).unwrap();
    fs::write(here.join("binary.c"), [0x7fu8, b'E', b'L', b'F', 0, 1, 2, 0xff, 0xfe]).unwrap();
    fs::write(here.join("empty.c"), "").unwrap();
    fs::write(here.join("truncated.c"), &GOOD[..GOOD.len() - 20]).unwrap();
    fs::write(here.join("syntax.c"), "int main(void) { int x = ; return 0; }\n").unwrap();
    for bad in ["missing.c", "folder.c", "binary.c", "empty.c", "truncated.c", "syntax.c"] {
        for detector in ["diffcond", "diffdp"] {
            refuses(here, detector, &format!("good.c {bad}"), bad);
            refuses(here, detector, &format!("{bad} good.c"), bad);
        }
        refuses(here, "verify", bad, bad);
        let ran = run("residue", ["check", "good.c", bad], here).unwrap();
        assert_eq!(ran.code, 2, "residue check good.c {bad}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(bad), "{}", ran.stderr);
    }
}

#[test]
fn a_syntax_error_is_reported_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("syntax.c"), "int main(void) {\n  int x = ;\n  return 0;\n}\n").unwrap();
    refuses(folder.path(), "verify", "syntax.c", "syntax.c:2:11");
}

#[test]
fn graphs_and_conditions_that_cannot_be_read() {
    let folder = pipeline();
    let here = folder.path();
    let graph = fs::read_to_string(here.join("graph.json")).unwrap();
    let condition = fs::read_to_string(here.join("condition.graphml")).unwrap();
    let write = |name: &str, text: &str| fs::write(here.join(name), text).unwrap();

    write("cut.json", &graph[..graph.len() / 2]);
    write("foreign.json", "{\"format\": \"residual-map\", \"version\": 1}");
    write("newer.json", &graph.replacen("\"version\":1", "\"version\":99", 1).replacen("\"version\": 1", "\"version\": 99", 1));
    write("empty.json", "");
    for bad in ["missing.json", "cut.json", "foreign.json", "newer.json", "empty.json", "condition.graphml"] {
        refuses(here, "condgen", bad, bad);
    }
    write("cut.graphml", &condition[..condition.len() / 2]);
    write("foreign.graphml", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    write("empty.graphml", "");
    for bad in ["missing.graphml", "cut.graphml", "foreign.graphml", "empty.graphml", "graph.json"] {
        refuses(here, "reduce", bad, bad);
        refuses(here, "verify", &format!("--condition {bad} other.c"), bad);
    }
}

#[test]
fn a_program_that_is_not_the_one_of_the_condition() {
    let folder = pipeline();
    let here = folder.path();
    refuses(here, "verify", "--condition condition.graphml good.c", "good.c");
    refuses(here, "reduce", "--program good.c condition.graphml", "good.c");
    // The same text with another meaning has another fingerprint.
    let condition = fs::read_to_string(here.join("condition.graphml")).unwrap();
    let start = condition.find("cfa-fingerprint\">").unwrap() + "cfa-fingerprint\">".len();
    let mut tampered = condition.clone().into_bytes();
    tampered[start] = if tampered[start] == b'0' { b'1' } else { b'0' };
    fs::write(here.join("tampered.graphml"), tampered).unwrap();
    refuses(here, "reduce", "tampered.graphml", "fingerprint");
    refuses(here, "verify", "--condition tampered.graphml other.c", "fingerprint");
}

#[test]
fn a_residual_program_without_its_trailer() {
    let folder = pipeline();
    let here = folder.path();
    let residual = fs::read_to_string(here.join("residual.c")).unwrap();
    let end = residual.trim_end().rfind('\n').unwrap();
    fs::write(here.join("cut.c"), &residual[..=end]).unwrap();
    refuses(here, "verify", "cut.c", "trailer");
    fs::write(here.join("changed.c"), residual.replacen("main", "mine", 1)).unwrap();
    refuses(here, "verify", "changed.c", "changed.c");
}

#[test]
fn usage_errors() {
    let folder = pipeline();
    for (tool, arguments) in [
        ("diffdp", "--match semantic good.c other.c"),
        ("diffcond", "good.c"),
        ("condgen", "--to automaton graph.json"),
        ("reduce", "--fold loop condition.graphml"),
        ("verify", "--analysis auto good.c"),
        ("verify", "--property no-such-property good.c"),
        ("residue", "check --report r.pdf good.c other.c"),
        ("residue", "check --verifier cbmc good.c other.c"),
        ("residue", "no-such-command"),
    ] {
        let ran = run(tool, arguments.split(' '), folder.path()).unwrap();
        assert_eq!(ran.code, 2, "{tool} {arguments}: {}{}", ran.stdout, ran.stderr);
    }
}
