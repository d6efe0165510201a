//! Idioms of programs that call the C library on bytes that nobody knows: each of `tests/idioms` with an assertion that
//! holds and one that fails. gcc tries all contents.

use std::fs;
use std::path::{Path, PathBuf};

use residue_tests::oracle::for_seeds;
use residue_tests::{has, root, run, skip};

/// Idioms that may stay undecided.
const SLACK: usize = 2;

fn idioms() -> Vec<PathBuf> {
    let folder = root().join("tests/idioms");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "c") && !path.ends_with("driver.c")).collect();
    found.sort();
    found
}

/// Whether the program reaches the error on some contents.
fn violates(idiom: &Path, define: &str, folder: &Path) -> bool {
    let (driver, binary) = (root().join("tests/idioms/driver.c"), folder.join("idiom"));
    let object = folder.join("idiom.o");
    let flags = ["-std=gnu11", "-O2", "-w", "-fwrapv", "-fno-builtin"];
    duct::cmd(
        "gcc",
        flags.iter().copied().chain(["-c", "-Dmain=idiom_main", define]).map(Into::into).chain([
            idiom.as_os_str().to_owned(),
            "-o".into(),
            object.as_os_str().to_owned(),
        ]),
    )
    .run()
    .unwrap();
    duct::cmd!("gcc", "-O2", "-w", "-fno-builtin", &driver, &object, "-o", &binary).run().unwrap();
    match duct::cmd!(&binary).unchecked().run().unwrap().status.code() {
        Some(0) => false,
        Some(1) => true,
        other => panic!("{}: {other:?}", idiom.display()),
    }
}

/// What is not decided of an idiom with a true and with a false assertion.
fn undecided(idiom: &Path) -> Vec<String> {
    let scratch = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for (define, expected) in [("-DRIGHT", "TRUE"), ("-DWRONG", "FALSE")] {
        assert_eq!(violates(idiom, define, scratch.path()), expected == "FALSE", "{} {define}", idiom.display());
        let ran = run("verify", ["--budget", "10", define, idiom.to_str().unwrap()], scratch.path()).unwrap();
        let verdict = ran.last_line();
        let told = format!("{} {define}: {verdict}", idiom.display());
        assert!(verdict.starts_with(expected) || verdict.starts_with("UNKNOWN"), "{told}");
        if verdict.starts_with("UNKNOWN") {
            found.push(told);
        }
    }
    found
}

#[test]
fn idioms_of_the_c_library_are_decided() {
    if !has("gcc") {
        return skip("gcc is missing");
    }
    let idioms = idioms();
    let count = idioms.len();
    let answers = for_seeds(0..count as u64, |number| undecided(&idioms[number as usize]));
    let undecided: Vec<String> = answers.into_iter().flatten().collect();
    assert!(count >= 24 && undecided.len() <= SLACK, "{count} idioms:\n{}", undecided.join("\n"));
}
