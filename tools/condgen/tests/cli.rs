//! The command line of `condgen`: what it reads, writes and refuses.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const GRAPH: &str = include_str!("example.json");

fn condgen(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_condgen"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A tool that refuses its command line does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Expects exit code 2, nothing on stdout, and one diagnostic that contains `part`; no output file.
fn refuses(arguments: &[&str], input: &[u8], part: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    let all: Vec<&str> = arguments.iter().copied().chain(["-o", file.to_str().unwrap()]).collect();
    let output = condgen(&all, input);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
    assert!(output.stdout.is_empty());
    assert!(stderr.contains(part), "{arguments:?}: expected `{part}` in: {stderr}");
    assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
    assert!(!file.exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn graphml_from_stdin_and_from_a_file() {
    let piped = condgen(&[], GRAPH.as_bytes());
    assert_eq!(piped.status.code(), Some(0), "{}", text(&piped.stderr));
    assert!(piped.stderr.is_empty());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/example.json");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.graphml");
    let named = condgen(&[path.to_str().unwrap(), "-o", file.to_str().unwrap()], b"");
    assert_eq!((named.status.code(), named.stdout.as_slice()), (Some(0), &b""[..]));
    assert_eq!(fs::read(&file).unwrap(), piped.stdout);
    insta::assert_snapshot!("example", text(&piped.stdout));
}

#[test]
fn pictures_and_statistics() {
    let output = condgen(&["-", "--to", "dot", "--minimize=false", "--stats"], GRAPH.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("digraph condition {\n"));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("condition states: 4") && stderr.contains("CPU time:"), "{stderr}");
    let minimized = condgen(&["--stats", "--minimize"], GRAPH.as_bytes());
    assert!(text(&minimized.stderr).contains("condition states: 3"), "{}", text(&minimized.stderr));
}

#[test]
fn an_automaton_for_cpachecker() {
    let output = condgen(&["--to", "spc"], GRAPH.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    insta::assert_snapshot!("example.spc", text(&output.stdout));
}

#[test]
fn bad_inputs() {
    refuses(&[], b"", "<stdin>: the file is empty, expected a difference-graph");
    refuses(&[], &GRAPH.as_bytes()[..300], "ends in the middle");
    refuses(&[], b"int main(void) { return 0; }", "expected a difference-graph, found another file");
    refuses(&[], b"\x7fELF\0\0", "binary file");
    refuses(
        &[],
        GRAPH.replace("\"version\":1,", "\"version\":9,").as_bytes(),
        "version 9 of the difference-graph format is newer",
    );
    refuses(&[], GRAPH.replace("difference-graph", "residual-map").as_bytes(), "found format `residual-map`");
    refuses(&["/nonexistent/graph.json"], b"", "/nonexistent/graph.json: no such file");
    refuses(&["/"], b"", "/: is a directory");
}

#[test]
fn bad_command_lines() {
    refuses(&["--to", "automaton"], b"", "invalid value 'automaton'");
    refuses(&["--frobnicate"], b"", "unexpected argument");
    refuses(&["--64"], GRAPH.as_bytes(), "--data-model says LP64, but <stdin> fixes ILP32");
    refuses(&["--entry", "f"], GRAPH.as_bytes(), "--entry says f, but <stdin> fixes main");
    let output = condgen(&["-o", "/nonexistent/out"], GRAPH.as_bytes());
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/nonexistent/out: cannot be written"));
}

#[test]
fn an_exhausted_budget_covers_nothing() {
    let output = condgen(&["--budget", "0"], GRAPH.as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).contains("warning: interrupted: the condition covers nothing"));
    assert!(!text(&output.stdout).contains("<data key=\"sink\">"));
}

#[test]
fn help_and_version() {
    let version = condgen(&["--version"], b"");
    assert_eq!(version.status.code(), Some(0));
    assert!(version.stderr.is_empty());
    assert!(text(&version.stdout).starts_with("condgen 0."), "{}", text(&version.stdout));
    assert_eq!(condgen(&["--help"], b"").status.code(), Some(0));
}

#[test]
fn a_closed_pipe_ends_the_tool_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_condgen"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let _ = child.stdin.take().unwrap().write_all(GRAPH.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}
