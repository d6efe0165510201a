//! What judges the tools from outside: own programs and pairs of every kind of construct, programs of csmith, random pairs
//! from a wide part of C. gcc says what is true; the scripts in `judges` say how.
//!
//! `make nightly` runs the same judges on thousands of seeds.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use formats::ProgramOptions;
use residue_tests::{has, root, skip, target};
use semantics::interpreter::{Limits, Outcome, ValueList, run};

/// The judges use all cores each.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The interpreter of `make external`, which can read task definitions.
fn python() -> Option<PathBuf> {
    let found = root().join("third-party/external/venv/bin/python");
    if found.exists() && has("gcc") {
        return Some(found);
    }
    if !found.exists() {
        skip("the virtual environment is missing (make external): judges");
    }
    None
}

/// Runs a judge; it fails if an answer is wrong.
fn judge(script: &str, arguments: &[&str]) -> Option<String> {
    let python = python()?;
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let script = root().join("tests/judges").join(script);
    let words = [script.into_os_string()].into_iter().chain(arguments.iter().map(Into::into));
    let output = duct::cmd(python, words)
        .dir(root())
        .env("RESIDUE_TOOLS", target().join("release"))
        .stdin_null()
        .stderr_to_stdout()
        .stdout_capture()
        .unchecked()
        .run()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    println!("{text}");
    Some(text)
}

/// As many at a time as there are cores, all told.
fn jobs() -> String {
    if let Ok(threads) = std::env::var("RUST_TEST_THREADS") {
        return threads;
    }
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get).to_string()
}

/// Whether csmith is there, with its headers.
fn has_csmith() -> bool {
    has("csmith") && {
        let headers = std::path::Path::new("/usr/include/csmith/safe_math.h").exists();
        if !headers {
            skip("the headers of csmith are missing: package libcsmith-dev");
        }
        headers
    }
}

#[test]
fn own_programs_and_pairs_of_every_kind_and_the_floor() {
    judge("judged.py", &["--jobs", &jobs(), "--floor", "tests/floor.csv"]);
}

#[test]
fn own_programs_with_constants_that_no_tool_can_compute_with() {
    judge("hidden.py", &["--every", "2", "--each", "8", "--at-least", "500", "--jobs", &jobs()]);
}

#[test]
fn programs_with_one_defect_and_their_repaired_forms() {
    judge("defects.py", &["--random", "4", "--blocks", "8", "--jobs", &jobs()]);
}

#[test]
fn programs_with_lists_and_buffers_on_the_heap() {
    judge("heap.py", &["--floor", "tests/heap.csv", "--budget", "4"]);
}

#[test]
fn programs_with_arrays_whose_size_only_a_run_knows() {
    judge("heap.py", &["--folder", "tests/arrays", "--floor", "tests/arrays.csv", "--budget", "4"]);
}

#[test]
fn random_programs_with_loops_over_arrays() {
    judge("arrays.py", &["--count", "30", "--budget", "2"]);
}

#[test]
fn random_pairs_from_a_wide_part_of_c() {
    judge("pairs.py", &["--count", "100", "--budget", "2", "--jobs", &jobs()]);
}

#[test]
fn each_call_of_random_clients() {
    judge("calls.py", &["--count", "40", "--jobs", &jobs()]);
}

#[test]
fn random_pairs_with_other_names() {
    judge("pairs.py", &["--renamed", "--first", "5001", "--count", "30", "--budget", "2", "--jobs", &jobs()]);
}

#[test]
fn programs_of_csmith() {
    if has_csmith() {
        judge("csmith.py", &["--count", "36", "--jobs", &jobs()]);
        judge("csmith.py", &["--count", "14", "--budget", "2", "--without-execution", "--jobs", &jobs()]);
    }
}

#[test]
fn pairs_of_csmith() {
    if has_csmith() {
        judge("csmith.py", &["--count", "18", "--pairs", "--jobs", &jobs()]);
    }
}

#[test]
fn the_interpreter_agrees_with_gcc_on_programs_of_csmith() {
    if !has_csmith() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    if judge("csmith.py", &["--count", "100", "--interpreter", place]).is_none() {
        return;
    }
    let (mut count, mut open) = (0, 0);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let expected = match name.split('.').nth(1) {
            Some("safe") => Outcome::Finished,
            Some("unsafe") => Outcome::ErrorReached,
            _ => continue,
        };
        let cfa = program::load(&path, &ProgramOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let done = run(&cfa, &mut ValueList::new(Vec::new()), &mut (), Limits::default());
        // csmith lets operands call functions whose effects do not meet; that shows only where somebody looks through pointers.
        if matches!(&done.outcome, Outcome::Unsupported { construct, .. } if construct.starts_with("order of operands")) {
            open += 1;
            continue;
        }
        let place = || done.trace.last().map_or(String::new(), |edge| cfa.edge_text(*edge));
        assert!(
            done.outcome == expected,
            "{name}: {:?} at {}\n{}",
            done.outcome,
            place(),
            std::fs::read_to_string(&path).unwrap()
        );
        count += 1;
    }
    assert!(count > 60 && open * 4 < count, "{count} programs, and {open} with an order of operands that shows");
}
