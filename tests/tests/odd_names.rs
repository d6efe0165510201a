//! Names of files with characters that mean something to a format, a shell or a format string survive every artifact.

use std::fs;
use std::path::Path;

use residue_tests::oracle::for_seeds;
use residue_tests::{root, run};
use serde_json::Value;

const NAMES: [&str; 8] =
    ["a b'c\"q.c", "a&b<c>]]>.c", "p%20%s\\n\\s.c", "#h,b;c.c", "@at.c", "-dash.c", "ü€$HOME`x`.c", "c:1:2{x}*?=b.c"];

/// Runs a tool, which must end with `code`, and gives what it prints.
fn ran(here: &Path, code: i32, tool: &str, arguments: &[&str]) -> String {
    let ran = run(tool, arguments, here).unwrap();
    assert_eq!(ran.code, code, "{tool} {arguments:?}: {}", ran.stderr);
    ran.stdout
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn read(here: &Path, name: &str) -> String {
    fs::read_to_string(here.join(name)).unwrap()
}

/// The stages one by one: each reads what the one before wrote, and finds the programs by their names.
fn stages(here: &Path, original: &str, name: &str) {
    let whole = ["--certificate", "told.json", "--explain-json", "why.json", "-o", "g.json", "--", original, name];
    ran(here, 0, "diffdp", &whole);
    assert_eq!(json(&read(here, "g.json"))["modified"]["path"], name);
    assert_eq!(json(&read(here, "why.json"))["modified"]["path"], name);
    ran(here, 0, "condgen", &["-o", "c.graphml", "g.json"]);
    ran(here, 0, "condgen", &["--to", "dot", "g.json"]);
    ran(here, 0, "residue", &["validate", "--certificate", "told.json", "g.json"]);
    ran(here, 0, "reduce", &["-o", "r.c", "--map", "map.json", "c.graphml"]);
    ran(here, 1, "verify", &["r.c"]);
    let proof = ["--condition", "c.graphml", "--witness", "w.graphml", "--harness", "h.c", "--", name];
    ran(here, 1, "verify", &proof);
    ran(here, 1, "verify", &["--witness", "w.yml", "--", name]);
    let program = format!("--program={name}");
    for witness in ["w.graphml", "w.yml"] {
        ran(here, 0, "residue", &["witness", &program, witness]);
    }
    assert_eq!(json(&ran(here, 0, "residue", &["cfa", "--to", "json", "--", name]))["program"]["path"], name);
    ran(here, 0, "circuit", &["-o", "c.aig", "--map", "circuit.json", "--", name]);
    assert_eq!(json(&read(here, "circuit.json"))["program"]["path"], name);
    assert!(duct::cmd!("gcc", "-o", "h", "h.c").dir(here).run().unwrap().status.success());
}

/// The whole chain with its reports.
fn reports(here: &Path, original: &str, name: &str) {
    let flags = ["check", "-q", "--out", "out", "--report", "r.html", "--report", "r.json", "--report", "r.sarif", "--"];
    ran(here, 1, "residue", &[&flags[..], &[original, name]].concat());
    assert_eq!(json(&read(here, "r.json"))["units"][0]["modified"]["path"], name);
    let place = &json(&read(here, "r.sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    let address = place["artifactLocation"]["uri"].as_str().unwrap();
    assert_eq!(unescaped(address), name);
    let page = read(here, "r.html");
    assert!(!page.contains("a&b<c>"), "the page escapes {name}");
    assert!(ran(here, 0, "residue", &["explain", "out"]).contains("the comparison ends"));
    let answer = json(&ran(here, 1, "residue", &["check", "--json", "--", original, name]));
    assert_eq!(answer["outcomes"][0]["modified"]["path"], name);
}

/// The path of an address (RFC 3986).
fn unescaped(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = address.bytes();
    while let Some(byte) = rest.next() {
        let digits = |rest: &mut std::str::Bytes<'_>| [rest.next().unwrap(), rest.next().unwrap()];
        let digits = if byte == b'%' { Some(digits(&mut rest)) } else { None };
        bytes.push(digits.map_or(byte, |two| u8::from_str_radix(std::str::from_utf8(&two).unwrap(), 16).unwrap()));
    }
    String::from_utf8(bytes).unwrap()
}

/// A code host takes lines of its log for commands: no tool prints one because a file is called so.
#[test]
fn no_name_is_a_command() {
    let program = "#include <assert.h>\nint lib(int);\nint client(int x) { return lib(x); }\n\
                   int main(int x, char **y) { assert(x != 3); assert(x < 5 || x >= 5); return 0; }\n";
    for name in ["::warning::as.c", "##[error]pwn.c"] {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        fs::write(here.join(name), program).unwrap();
        fs::write(here.join("old.c"), "int lib(int v) { return v; }\n").unwrap();
        fs::write(here.join("new.c"), "int lib(int v) { return v == 7 ? 8 : v; }\n").unwrap();
        for (tool, arguments) in [
            ("propdiff", &["--check", "--explain", name, name][..]),
            ("cse", &["--entry", "client", "--client", name, "old.c", "new.c"]),
            ("invdiff", &["--steps", "2000", name, name]),
            ("residue", &["clients", "--entry", "client", "--library", "old.c", "--library", "new.c", name, "missing.c"]),
            ("residue", &["clients", "--library", "old.c", "--library", "new.c", "--to", "c", "--out", "asked", name]),
            ("residue", &["properties", "--explain", name, name]),
            ("residue", &["invariants", "--steps", "2000", name, name]),
            ("residue", &["entries", name]),
        ] {
            let ran = run(tool, arguments, here).unwrap();
            assert!(ran.stdout.contains(&name[name.len() - 4..]), "{tool} {arguments:?}: {} {}", ran.stdout, ran.stderr);
            for line in ran.stdout.lines().chain(ran.stderr.lines()) {
                let begins = ["::", "##"].iter().any(|mark| line.trim_start().starts_with(mark));
                assert!(!begins && !line.contains("##["), "{tool} {arguments:?}: {line}");
            }
        }
    }
}

#[test]
fn names_with_odd_characters_survive_every_format() {
    let demo = root().join("pipelines/demo");
    for_seeds(0..NAMES.len() as u64, |number| {
        let name = NAMES[number as usize];
        let folder = tempfile::tempdir().unwrap();
        let original = format!("o_{name}");
        fs::copy(demo.join("original.c"), folder.path().join(&original)).unwrap();
        fs::copy(demo.join("regression.c"), folder.path().join(name)).unwrap();
        stages(folder.path(), &original, name);
        reports(folder.path(), &original, name);
    });
}
