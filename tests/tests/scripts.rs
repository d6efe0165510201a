//! The tests of `tests/python`: benchmark scripts, judges, tool-info modules, a run through BenchExec, the workflow.
//!
//! They run in the virtual environment of `make external`, which `make test` depends on.

use residue_tests::{root, skip};

fn python(test: &str) {
    let interpreter = root().join("third-party/external/venv/bin/python");
    if !interpreter.exists() {
        skip(&format!("BenchExec and Snakemake are missing (make external): {test}"));
        return;
    }
    let script = format!("tests/python/{test}.py");
    let ran = duct::cmd!(interpreter, "-m", "unittest", "--verbose", script).dir(root());
    let output = ran.stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    println!("{text}");
}

#[test]
fn benchmark_scripts() {
    python("test_benchmarks");
}

#[test]
fn judges() {
    python("test_judges");
}

#[test]
fn tool_info_modules() {
    python("test_toolinfo");
}

#[test]
fn smoke_set() {
    python("test_smoke");
}

#[test]
fn workflow() {
    python("test_workflow");
}
