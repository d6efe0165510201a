//! Stages of others on the trap pairs: `residue bench-stage` finds what they lose, and nothing in ours.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use residue_tests::{Ran, run, tool};

/// A stage that is a shell script.
fn script(here: &Path, name: &str, body: &str) {
    let path = here.join(name);
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn bench(here: &Path, arguments: &[&str]) -> Ran {
    run("residue", [&["bench-stage"], arguments].concat(), here).unwrap()
}

/// The last line of an answer, in numbers: pairs, lost, without an answer.
fn numbers(ran: &Ran) -> (u32, u32, u32) {
    let digits = |word: &str| word.parse().ok();
    let found: Vec<u32> = ran.last_line().split_whitespace().filter_map(digits).collect();
    assert_eq!(found.len(), 3, "{}{}", ran.stdout, ran.stderr);
    (found[0], found[1], found[2])
}

#[test]
fn our_own_stages_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| tool(name).display().to_string();
    for arguments in [
        vec![path("diffdp")],
        vec![path("diffcond")],
        vec!["--stage".to_owned(), "condgen".to_owned(), path("condgen")],
        vec!["--stage=condgen".to_owned(), "--".to_owned(), path("condgen"), "--minimize=false".to_owned()],
        vec!["--stage=reduce".to_owned(), path("reduce")],
        vec!["--stage=reduce".to_owned(), "--".to_owned(), path("reduce"), "--fold=none".to_owned(), "--style=goto".to_owned()],
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = bench(folder.path(), &arguments);
        let (pairs, lost, failed) = numbers(&ran);
        assert!(pairs >= 60 && (lost, failed, ran.code) == (0, 0, 0), "{arguments:?}: {}", ran.stdout);
    }
}

#[test]
fn stages_that_lose_regressions_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let path = |name: &str| tool(name).display().to_string();
    // One that sees no difference, one that drops the property, one that covers what is written behind a pointer.
    script(here, "same", &format!("exec {} \"$2\" \"$2\"", path("diffdp")));
    script(here, "mute", &format!("{} | sed 's/reach_error();/;/'", path("reduce")));
    let same = bench(here, &["./same"]);
    let (pairs, lost, _) = numbers(&same);
    assert!(same.code == 1 && lost * 10 > pairs * 8, "{}", same.stdout);
    assert!(same.stdout.contains("u3_affected_index: loses a regression\n"), "{}", same.stdout);
    assert!(same.stdout.contains("loses a regression: the run that reads "), "{}", same.stdout);
    let mute = bench(here, &["--stage", "reduce", "--keep", "kept", "./mute"]);
    assert!(mute.code == 1 && numbers(&mute).1 > 60, "{}", mute.stdout);
    for name in ["original.c", "modified.c", "condition.graphml", "residual.c"] {
        assert!(here.join("kept/u3_affected_index").join(name).exists(), "{name}");
    }
    // A folder of somebody else is not filled.
    fs::create_dir(here.join("mine")).unwrap();
    fs::write(here.join("mine/file"), "").unwrap();
    let refused = bench(here, &["--keep", "mine", "./same"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let json = bench(here, &["--json", "./same"]);
    let told: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((told["format"].as_str(), told["version"].as_u64()), (Some("bench-stage"), Some(1)));
    assert_eq!(told["pairs"].as_array().unwrap().len(), pairs as usize);
    assert_eq!(told["pairs"][0]["result"], "lost");
}

#[test]
fn stages_without_an_answer_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    script(here, "fails", "echo 'what is this' >&2; exit 3");
    script(here, "talks", "echo hello");
    for (arguments, word) in
        [(vec!["./fails"], "what is this"), (vec!["./talks"], "refuses"), (vec!["--stage=reduce", "./talks"], "")]
    {
        let ran = bench(here, &arguments);
        let (pairs, lost, failed) = numbers(&ran);
        assert!((lost, ran.code) == (0, 3) && failed == pairs && ran.stdout.contains(word), "{arguments:?}: {}", ran.stdout);
    }
    let missing = bench(here, &["./nothing-of-that-name"]);
    assert!(missing.code == 2 && missing.stdout.is_empty(), "{}{}", missing.stdout, missing.stderr);
}
