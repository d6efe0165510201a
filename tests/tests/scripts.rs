//! The tests of `tests/python`: benchmark scripts, tool-info modules, a run through BenchExec, the workflow.
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

#[test]
fn external_removes_nothing_of_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("venv")).unwrap();
    std::fs::write(folder.path().join("venv/precious"), "mine").unwrap();
    let make = |external: &str| {
        let command = duct::cmd!("make", "--no-print-directory", "own-external", format!("EXTERNAL={external}")).dir(root());
        let output = command.stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (is_taken, told) = make(folder.path().to_str().unwrap());
    assert!(!is_taken && told.contains(".residue-external is missing"), "{told}");
    assert!(folder.path().join("venv/precious").exists());
    assert!(!make("").0, "an empty name would be the root");
    let new = folder.path().join("new");
    assert!(make(new.to_str().unwrap()).0 && make(new.to_str().unwrap()).0);
    let rules = std::fs::read_to_string(root().join("Makefile")).unwrap();
    let rules = rules.lines().filter(|line| ["$(VENV)/", "$(ESBMC):", "$(VALIDATOR):"].iter().any(|rule| line.starts_with(rule)));
    assert!(
        rules.clone().count() == 3 && rules.clone().all(|rule| rule.ends_with("| own-external")),
        "{:?}",
        rules.collect::<Vec<_>>()
    );
}

#[test]
fn a_benchmark_empties_no_folder_of_others() {
    let script = "import sys, unittest; sys.path[:0] = ['tests/python', 'benchmarks']; import test_folders; unittest.main(test_folders, argv=['x'])";
    let ran =
        duct::cmd!("python3", "-B", "-c", script).dir(root()).stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}
