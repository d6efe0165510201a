//! Circuits of whole programs: read by a model checker of others, whose counterexamples and invariants come back.

use std::fs;
use std::path::Path;
use std::process::Command;

use residue_tests::{Ran, has, root, run, shared, skip};

/// Programs with what is known of them.
const PROGRAMS: &[(&str, bool)] = &[
    ("int x = 0, y = 0; while (in()) { if (x < 7) { x++; y += 2; } if (y != 2 * x) reach_error(); }", true),
    ("int x = 0; while (in()) { x = x + 2; if (x == 10) reach_error(); }", false),
    // Wraps around: odd numbers only.
    ("unsigned char x = 1; while (in()) { x += 2; if (x == 0) reach_error(); }", true),
    ("unsigned char x = 1; while (in()) { x += 2; if (x == 255) reach_error(); }", false),
    // The step of induction holds, the base case fails.
    ("int x = 4, stop = 0; while (in()) { if (x == 4) reach_error(); x = 5; }", false),
    // A division that traps ends the run before the error.
    ("int x = in(), y = 8 / x; if (x == 0) reach_error(); if (y > 8) reach_error();", true),
    ("int a[5] = {0}, i = in(); if (i < 0 || i > 4) return 0; a[i] = i; while (in()) { if (a[i] != i) reach_error(); }", true),
    ("int a[40], i = 0; while (i < 40) { a[i] = i; i++; } if (a[in() & 31] == 30) reach_error();", false),
    ("short s = in(); int t = s; while (in()) { if (t > 32767 || t < -32768) reach_error(); t = (short)(t + 1); }", true),
    ("int n = in(), m; while (in()) { m = n; n = in(); } if (n == m && n == 3) reach_error();", false),
];

fn text(body: &str) -> String {
    format!("extern int in(void);\nextern void reach_error(void);\nint main(void) {{\n  {body}\n  return 0;\n}}\n")
}

fn circuit(arguments: &str, here: &Path) -> Ran {
    run("circuit", arguments.split(' '), here).unwrap()
}

/// What ABC prints for these commands.
fn abc(commands: &str, here: &Path) -> String {
    let output = Command::new("berkeley-abc").args(["-q", commands]).current_dir(here).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether the circuit in `p.aig` never violates anything, if ABC finds out; what it found is in `p.cex` and `p.pla`.
fn decided(here: &Path, seconds: u32) -> Option<bool> {
    let said = abc(&format!("read p.aig; pdr -d -I p.pla -T {seconds}; write_cex -n p.cex"), here);
    if said.contains("Property proved") {
        return Some(true);
    }
    said.contains("was asserted in frame").then_some(false)
}

#[test]
fn model_checkers_find_the_truth_and_it_comes_back() {
    if !has("berkeley-abc") {
        return;
    }
    for (number, (body, safe)) in PROGRAMS.iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        fs::write(here.join("p.c"), text(body)).unwrap();
        let made = circuit("-o p.aig p.c", here);
        assert_eq!((made.code, made.stdout.as_str()), (0, ""), "{number}: {}", made.stderr);
        assert!(abc("read p.aig; print_stats", here).contains("i/o ="), "{number}");
        let header = fs::read(here.join("p.aig")).unwrap();
        let words: Vec<&[u8]> = header.split(|byte| *byte == b'\n').next().unwrap().split(|byte| *byte == b' ').collect();
        if words[3] == b"0" && header.windows(3).any(|three| three == b"\n0\n") {
            assert!(safe, "{number}");
            continue;
        }
        assert_eq!(decided(here, 60), Some(*safe), "{number}");
        let back = if *safe { "--invariant p.pla p.c" } else { "--trace p.cex --witness p.yml p.c" };
        let ran = circuit(back, here);
        let expected = if *safe { (0, "TRUE") } else { (1, "FALSE(unreach-call)") };
        assert_eq!((ran.code, ran.last_line()), expected, "{number}: {}", ran.stderr);
        assert_eq!(run("verify", ["p.c"], here).unwrap().last_line(), expected.1, "{number}");
        assert_eq!(here.join("p.yml").exists(), !safe);
    }
}

/// Whatever is changed in a trace or an invariant, nothing is believed that is not so.
#[test]
fn spoiled_evidence_is_refused() {
    if !has("berkeley-abc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("p.c"), text(PROGRAMS[1].0)).unwrap();
    assert_eq!(circuit("-o p.aig p.c", here).code, 0);
    assert_eq!(decided(here, 60), Some(false));
    let trace = fs::read_to_string(here.join("p.cex")).unwrap();
    let zero: String = trace.lines().map(|line| line.split('=').next().unwrap().to_owned() + "=0\n").collect();
    for (spoiled, code, told) in [
        (zero.replace("# DONE=0\n", ""), 3, "the counterexample does not replay"),
        (trace.replace("input0.0@0", "elsewhere@0"), 2, "the circuit has no such input"),
        (trace.replace("@0=", "@zero="), 2, "not understood"),
        (trace.replace("@1=", "@99999999999="), 2, "not understood"),
        ("1\nb0\n".to_owned(), 2, "neither"),
        (String::new(), 2, ""),
    ] {
        fs::write(here.join("spoiled.cex"), spoiled).unwrap();
        let ran = circuit("--trace spoiled.cex --witness w.yml p.c", here);
        assert!(ran.code == code && (ran.stdout + &ran.stderr).contains(told), "{told}: {}", ran.stderr);
        assert!(!here.join("w.yml").exists());
    }
    // The invariant of a safe program says nothing of one that fails, and nothing without its cubes.
    fs::write(here.join("safe.c"), text(PROGRAMS[2].0)).unwrap();
    assert_eq!(circuit("-o p.aig safe.c", here).code, 0);
    let body = "unsigned char x = 1; while (in()) { x += 2; if (x == 8) reach_error(); if (in() == 77) x = 6; }";
    fs::write(here.join("fails.c"), text(body)).unwrap();
    for (pla, code, told) in [
        (".i 1\n.o 1\n.p 0\n.ilb main::x.1\n.ob inv\n.e\n", 3, "the invariant is no proof"),
        (".i 1\n.o 1\n.p 1\n.ilb main::x.1\n.ob inv\n1 1\n.e\n", 3, "the invariant is no proof"),
        (".i 1\n.o 1\n.p 1\n.ilb main::q.1\n.ob inv\n1 1\n.e\n", 2, "no latch of this name"),
        (".i 1\n.o 1\n.p 1\n.ilb main::x.1\n.ob inv\n1 1\n", 2, "the end of the file"),
        (".i 1\n.o 1\n.p 1\n.ilb main::x.1\n.ob inv\n11 1\n.e\n", 2, "line 6: not understood"),
    ] {
        fs::write(here.join("spoiled.pla"), pla).unwrap();
        let ran = circuit("--invariant spoiled.pla fails.c", here);
        assert!(ran.code == code && (ran.stdout + &ran.stderr).contains(told), "{told}: {}", ran.stderr);
    }
}

#[test]
fn what_has_no_circuit_leaves_the_output_alone() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("p.c"), text("float f = in(); if (f * 2.0f == 3.0f) reach_error();")).unwrap();
    fs::write(here.join("p.aig"), "before").unwrap();
    let ran = circuit("-o p.aig --map p.json p.c", here);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, "UNKNOWN(unsupported: floating-point arithmetic at p.c:4)\n"));
    assert_eq!(fs::read_to_string(here.join("p.aig")).unwrap(), "before");
    assert!(!here.join("p.json").exists());
    for (arguments, told) in [
        ("missing.c", "no such file"),
        ("--to vhdl p.c", "invalid value"),
        ("--trace p.c --map m.json p.c", "cannot be used with"),
        ("-o p.c p.c", "p.c"),
        ("--condition p.c p.c", "p.c"),
    ] {
        let ran = circuit(arguments, here);
        assert!(ran.code == 2 && ran.stdout.is_empty() && ran.stderr.contains(told), "{arguments}: {}", ran.stderr);
    }
}

/// Under a condition that covers the only violation there is none in the circuit, without it there is.
#[test]
fn covered_paths_are_not_in_the_circuit() {
    if !has("berkeley-abc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = text("int x = 0, y = 0; while (in()) { x++; if (x == 3) reach_error(); } y = 1; if (y == 9) reach_error();");
    fs::write(here.join("old.c"), &program).unwrap();
    fs::write(here.join("new.c"), program.replace("y = 1;", "y = 2;")).unwrap();
    for (tool, arguments) in [("diffdp", "old.c new.c -o graph.json"), ("condgen", "graph.json -o condition.graphml")] {
        assert_eq!(run(tool, arguments.split(' '), here).unwrap().code, 0);
    }
    assert_eq!(circuit("-o p.aig new.c", here).code, 0);
    assert_eq!(decided(here, 60), Some(false));
    let ran = circuit("--condition condition.graphml -o p.aig new.c", here);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_ne!(decided(here, 60), Some(false));
}

/// Small programs of others with a known verdict: never another one.
#[test]
fn programs_of_others_are_not_decided_wrongly() {
    if !has("berkeley-abc") {
        return;
    }
    let Some(list) = shared("tasks/singles.csv") else { return };
    let tasks = list.parent().unwrap().to_owned();
    let mut rows: Vec<(u64, String, bool, String)> = Vec::new();
    for line in fs::read_to_string(&list).unwrap().lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let size = fs::metadata(tasks.join(fields[0])).map_or(u64::MAX, |data| data.len());
        rows.push((size, fields[0].to_owned(), fields[1] == "true", fields[2].to_owned()));
    }
    rows.sort();
    let (mut circuits, mut known) = (0, 0);
    for (_, program, safe, model) in rows.into_iter().take(60) {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let file = tasks.join(&program).display().to_string();
        let ran = circuit(&format!("--budget 10 --data-model {model} -o p.aig {file}"), here);
        if ran.code != 0 {
            assert!(ran.code == 3 && ran.stdout.starts_with("UNKNOWN("), "{program}: {} {}", ran.stdout, ran.stderr);
            continue;
        }
        circuits += 1;
        if let Some(found) = decided(here, 2) {
            known += 1;
            assert_eq!(found, safe, "{program}");
            let back = if found { "--invariant p.pla" } else { "--trace p.cex" };
            let ran = circuit(&format!("--budget 20 --data-model {model} {back} {file}"), here);
            assert!(ran.code == i32::from(!found) || ran.last_line().starts_with("UNKNOWN("), "{program}: {}", ran.stdout);
        }
    }
    assert!(circuits > 25 && known > 15, "{known} of {circuits}");
}

#[test]
fn abc_is_a_verifier_by_name() {
    if !has("berkeley-abc") {
        return;
    }
    if !root().join("third-party/external/venv/bin/python3").exists() {
        skip("BenchExec is missing: make external");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let old = text("int x = 0, y = 0; while (in()) { x = x + 1 & 7; y = y + 1 & 7; if (x != y) reach_error(); }");
    for (name, from, to) in
        [("old.c", "", ""), ("same.c", "y = y + 1 & 7", "y = 1 + y & 7"), ("faulty.c", "y = y + 1 & 7", "y = y + 1 & 3")]
    {
        fs::write(here.join(name), if from.is_empty() { old.clone() } else { old.replace(from, to) }).unwrap();
    }
    fs::write(
        here.join("float.c"),
        old.replace("int x = 0,", "float f = in(); if (f + 1 == f) y = 1; int x = 0,")
            .replace("  float", "  int y = 0; float")
            .replace(", y = 0;", ";"),
    )
    .unwrap();
    for (modified, code, verdict, told) in [
        ("same.c", 0, "TRUE", ""),
        ("faulty.c", 1, "FALSE(unreach-call)", "the counterexample was replayed"),
        ("float.c", 3, "UNKNOWN(verifier: ABC: there is no circuit (unsupported: floating-point arithmetic", ""),
    ] {
        let ran =
            run("residue", ["check", "--verifier", "abc", "--budget", "60", "--out", "kept", "old.c", modified], here).unwrap();
        let log = fs::read_to_string(here.join("kept/verifier/output.log")).unwrap_or_default();
        assert_eq!(ran.code, code, "{modified}: {}{}\n{log}", ran.stdout, ran.stderr);
        assert!(ran.last_line().starts_with(verdict) && log.contains(told), "{modified}: {}\n{log}", ran.stdout);
        fs::remove_dir_all(here.join("kept")).unwrap();
    }
    let ran = run("residue", ["check", "--verifier", "abc:-x", "old.c", "faulty.c"], here).unwrap();
    assert!(ran.code == 2 && ran.stderr.contains("abc takes no options"), "{}", ran.stderr);
}
