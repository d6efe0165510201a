//! What the documents show on a console is what happens.
//!
//! With `UPDATE_DOCUMENTS=1` the output of commands that print something else is replaced in the documents.

use std::fs;
use std::path::{Path, PathBuf};

use residue_tests::documents::{Document, agrees};
use residue_tests::oracle::for_seeds;
use residue_tests::{root, skip};

/// Folders that hold documents.
const PARTS: [&str; 5] = ["formats", "tools", "pipelines", "tests", "benchmarks"];

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Differences between a document and what happens; the document as it should be.
fn check(text: &str, document: &Document) -> (Vec<String>, String) {
    let lines: Vec<&str> = text.lines().collect();
    let printed = document.run().unwrap_or_else(|error| panic!("{error}"));
    let (mut differences, mut whole, mut done) = (Vec::new(), Vec::new(), 0);
    for (step, printed) in document.steps.iter().zip(&printed) {
        let said = &lines[step.output.clone()];
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        whole.extend(owned(&lines[done..step.output.start]));
        done = step.output.end;
        if agrees(said, &printed) {
            whole.extend(owned(said));
        } else {
            differences.push(format!("$ {}\n--- said\n{}\n--- printed\n{}\n", step.command, said.join("\n"), printed.join("\n")));
            whole.extend(printed.iter().map(|line| (*line).to_owned()));
        }
    }
    whole.extend(owned(&lines[done..]));
    (differences, whole.join("\n") + "\n")
}

#[test]
fn documents_show_what_happens() {
    let mut found = vec![root().join("README.md")];
    PARTS.iter().for_each(|part| documents(&root().join(part), &mut found));
    found.sort();
    let answers = for_seeds(0..found.len() as u64, |number| judge(&found[number as usize]));
    assert!(answers.iter().any(Option::is_some));
    let wrong: Vec<String> = answers.into_iter().flatten().flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where a document does not show what happens; nothing of one that shows nothing, or that cannot be tried here.
fn judge(path: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    let document = Document::parse(&text)?;
    let shows = |word: &str| document.steps.iter().any(|step| step.command.contains(word));
    let is_missing = |name: &str| duct::cmd!("sh", "-c", format!("command -v {name}")).stdout_null().run().is_err();
    if (shows("python3") || shows(".py")) && is_missing("python3") {
        skip(&format!("python3 is missing: {}", path.display()));
        return None;
    }
    if shows("--verifier") && (!root().join("third-party/external/bin/esbmc").exists() || is_missing("frama-c")) {
        skip(&format!("ESBMC or Frama-C are missing (make external): {}", path.display()));
        return None;
    }
    if shows("berkeley-abc") && is_missing("berkeley-abc") {
        skip(&format!("ABC is missing (make abc): {}", path.display()));
        return None;
    }
    let (differences, whole) = check(&text, &document);
    if !differences.is_empty() && std::env::var_os("UPDATE_DOCUMENTS").is_some() {
        fs::write(path, whole).unwrap();
    }
    Some(differences.into_iter().map(|difference| format!("{}\n{difference}", path.display())).collect())
}

fn owned<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    lines.iter().map(|line| (*line).to_owned())
}

/// Every command says how it is used, and what its exit codes mean.
#[test]
fn every_help_has_an_example_and_the_exit_codes() {
    let here = root();
    let tools = ["diffcond", "diffdp", "condgen", "reduce", "verify", "propdiff", "invdiff", "cse", "circuit"];
    let commands =
        ["bench-stage", "check", "clients", "cfa", "entries", "explain", "invariants", "properties", "validate", "witness"];
    let alone = tools.iter().map(|tool| (*tool, vec!["--help"])).chain([("residue", vec!["--help"])]);
    for (tool, arguments) in alone.chain(commands.iter().map(|command| ("residue", vec![*command, "--help"]))) {
        let ran = residue_tests::run(tool, &arguments, &here).unwrap();
        assert_eq!(ran.code, 0, "{tool} {arguments:?}");
        let (_, examples) = ran.stdout.split_once("Example").unwrap_or_else(|| panic!("{tool} {arguments:?} has no example"));
        assert!(examples.lines().any(|line| line.trim_start().starts_with(tool)), "{tool} {arguments:?}: {examples}");
        assert!(ran.stdout.to_lowercase().contains("exit code"), "{tool} {arguments:?} does not say its exit codes");
    }
}
