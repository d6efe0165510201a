//! Every construct of C that is lowered computes what gcc computes.

use std::collections::BTreeMap;
use std::process::Command;

use formats::ProgramOptions;
use program::source::SourceFile;
use semantics::interpreter::{Limits, Outcome, ValueList, run};

const CONSTRUCTS: &str = include_str!("lowering/constructs.c");

/// The functions that stand for a construct.
fn constructs() -> Vec<&'static str> {
    let lines = CONSTRUCTS.lines().filter_map(|line| line.strip_prefix("long "));
    lines.filter_map(|line| line.split_once('(')).map(|(name, _)| name).collect()
}

/// What gcc makes of each function.
fn expected() -> BTreeMap<String, i64> {
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.c"), folder.path().join("all"));
    let calls: String =
        constructs().iter().map(|name| format!("g = 0; calls = 0; printf(\"{name} %ld\\n\", {name}());\n")).collect();
    let text = format!("{CONSTRUCTS}\nextern int printf(const char *, ...);\nint main(void) {{ {calls} return 0; }}\n");
    std::fs::write(&source, text).unwrap();
    let built = Command::new("gcc").args(["-w", "-O0", "-std=gnu11", "-fwrapv", "-o"]).arg(&binary).arg(&source).output();
    let built = built.unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(&binary).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split_once(' ').unwrap()).map(|(n, v)| (n.to_owned(), v.parse().unwrap())).collect()
}

#[test]
fn constructs_compute_what_gcc_computes() {
    if !residue_tests::has("gcc") {
        return;
    }
    let expected = expected();
    let mut wrong = Vec::new();
    for name in constructs() {
        let value = expected[name];
        let text = format!(
            "{CONSTRUCTS}\nvoid reach_error(void);\nint main(void) {{ if ({name}() != {value}l) reach_error(); return 0; }}\n"
        );
        let cfa = program::load_source(SourceFile::new("constructs.c", text), &ProgramOptions::default());
        let cfa = cfa.unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = run(&cfa, &mut ValueList::new(Vec::new()), &mut (), Limits::default());
        if !matches!(run.outcome, Outcome::Finished) {
            let last = run.trace.last().map_or(String::new(), |edge| cfa.edge_text(*edge));
            wrong.push(format!("{name}: not {value}: {:?} at {last}", run.outcome));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
