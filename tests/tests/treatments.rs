//! Every claim of the treatment tables is shown: `tests/treatments/KIND/NAME.c`, with and without `-DMODIFIED`, differs in
//! nothing but the thing of the row; gcc runs both alike, and the front end treats it as the row says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use formats::ProgramOptions;
use program::cfa::{Cfa, Operation};
use program::source::SourceFile;
use program::treatment::{Row, Treatment, tables};
use residue_tests::{root, run, skip};

fn folder() -> PathBuf {
    root().join("tests/treatments")
}

/// The program that shows a row.
fn evidence(kind: &str, row: &Row) -> PathBuf {
    folder().join(kind).join(format!("{}.c", row.name.replace([' ', '/'], "-")))
}

/// The preprocessed text of one of the two programs.
fn text(file: &Path, define: &str) -> String {
    duct::cmd!("gcc", "-std=gnu11", "-E", "-P", define, file).read().unwrap()
}

fn automaton(text: &str) -> Cfa {
    let source = SourceFile::new("evidence.c", text);
    program::load_source(source, &ProgramOptions::default()).unwrap()
}

/// What a program prints when gcc builds it; it ends with 0.
fn output(text: &str, level: &str, folder: &Path) -> String {
    let source = folder.join("evidence.c");
    let binary = folder.join("evidence");
    let behind = "\nvoid reach_error(void) { __builtin_exit(99); }\n";
    fs::write(&source, format!("{text}{behind}")).unwrap();
    duct::cmd!("gcc", "-std=gnu11", level, "-w", "-fwrapv", "-o", &binary, &source, "-lm").run().unwrap();
    duct::cmd!(&binary).read().unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What is wrong with the evidence of a row.
fn objection(row: &Row, file: &Path, scratch: &Path) -> Option<String> {
    let texts = [text(file, "-UMODIFIED"), text(file, "-DMODIFIED")];
    if texts[0] == texts[1] {
        return Some("both programs are the same".to_owned());
    }
    for level in ["-O0", "-O2"] {
        let [original, modified] = [&texts[0], &texts[1]].map(|text| output(text, level, scratch));
        if original.is_empty() || original != modified {
            return Some(format!("{level}: `{original}` becomes `{modified}`"));
        }
    }
    let [original, modified] = [&texts[0], &texts[1]].map(|text| automaton(text).fingerprint());
    if (original == modified) != (row.treatment == Treatment::Harmless) {
        return Some(format!("a row that is {:?}, and fingerprints that say otherwise", row.treatment));
    }
    let changed = scratch.join("modified.c");
    fs::write(&changed, &texts[1]).unwrap();
    let ran = run("verify", ["--budget", "10", changed.to_str().unwrap()], scratch).unwrap();
    let verdict = ran.last_line();
    (verdict.starts_with("FALSE") || ran.code == 101).then(|| format!("verify says {verdict}"))
}

#[test]
fn every_claim_is_shown() {
    if !residue_tests::has("gcc") {
        return skip("gcc is missing");
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut objections = Vec::new();
    for (kind, rows) in tables() {
        for row in rows.iter().filter(|row| row.needs_evidence()) {
            let file = evidence(kind, row);
            let wrong = if file.exists() { objection(row, &file, scratch.path()) } else { Some("no evidence".to_owned()) };
            objections.extend(wrong.map(|wrong| format!("{kind} {}: {wrong}", row.name)));
        }
    }
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn every_program_shows_a_row() {
    let mut wanted = BTreeSet::new();
    for (kind, rows) in tables() {
        wanted.extend(rows.iter().filter(|row| row.needs_evidence()).map(|row| evidence(kind, row)));
    }
    let folders = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    for folder in folders {
        for file in fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            assert!(wanted.contains(&file), "{} shows no row", file.display());
        }
    }
}

/// Whether something in the program is unsupported where it takes effect.
fn is_unsupported(cfa: &Cfa) -> bool {
    cfa.edges.iter().any(|edge| matches!(edge.operation, Operation::Unsupported { .. }))
        || cfa.types.records().any(|(_, record)| record.unsupported.is_some())
}

#[test]
fn what_is_in_no_table_is_unsupported() {
    let tail = "int main(void) { return g + f(); }\n";
    let unknown = [
        "int g; __attribute__((made_up)) int f(void) { return 0; }",
        "int g; int f(void) __attribute__((made_up(1, \"x\")));",
        "int g; int f(void) { int x __attribute__((made_up)) = 0; return x; }",
        "int g; int f(void) { static int x __attribute__((made_up)) = 0; return x; }",
        "int g __attribute__((made_up)); int f(void) { return 0; }",
        "struct s { int x; } __attribute__((made_up)) s; int g; int f(void) { return s.x; }",
        "struct s { int x __attribute__((made_up)); } s; int g; int f(void) { return s.x; }",
        "typedef int t __attribute__((made_up)); t g; int f(void) { return 0; }",
        "int g; int f(void) { label: __attribute__((made_up)); return 0; }",
        "int g; int f(void) { __attribute__((made_up)); return 0; }",
        "enum e { A __attribute__((made_up)), B } g; int f(void) { return 0; }",
        "int g; int h(int x __attribute__((made_up))) { return x; } int f(void) { return h(1); }",
        "int *__attribute__((made_up)) p; int g; int f(void) { return p != 0; }",
        "int g; int (*p)(void) __attribute__((made_up)); int f(void) { return p != 0; }",
        "int g; int f(void) { return (int __attribute__((made_up)))1; }",
        "int g [[made::up]]; int f(void) { return 0; }",
        "int g; int f(void) { register int x asm(\"ebx\"); return x; }",
        "#pragma GCC made_up\nint g; int f(void) { return 0; }",
        "#pragma STDC MADE_UP ON\nint g; int f(void) { return 0; }",
        "asm(\"made: up\"); int g; int f(void) { return 0; }",
    ];
    let kept: Vec<&str> = unknown.into_iter().filter(|text| !is_unsupported(&automaton(&format!("{text}\n{tail}")))).collect();
    assert!(kept.is_empty(), "accepted silently:\n{}", kept.join("\n"));
    // gcc passes over pragmas that it does not know, but the program is another one.
    let fingerprint = |text: &str| automaton(&format!("{text}\nint g; int f(void) {{ return 0; }}\n{tail}")).fingerprint();
    assert_ne!(fingerprint("#pragma made up"), fingerprint(""));
    assert_ne!(fingerprint("_Pragma(\"made up\")"), fingerprint("_Pragma(\"made down\")"));
}
