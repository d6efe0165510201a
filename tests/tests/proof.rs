//! The proof that the rules of `diffdp` are sound is accepted by Coq, rests on nothing, and notices a rule that is wrong.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

use residue_tests::{has, root};

fn folder() -> PathBuf {
    root().join("tools/diffdp/proof")
}

/// The files of the proof, each behind those it needs.
fn files() -> Vec<String> {
    let project = fs::read_to_string(folder().join("_CoqProject")).unwrap();
    project.lines().filter(|line| line.ends_with(".v")).map(str::to_owned).collect()
}

fn compile(file: &str, here: &Path) -> Output {
    let command = duct::cmd!("coqc", "-q", "-Q", ".", "DiffDP", file).dir(here).stdin_null();
    command.stdout_capture().stderr_capture().unchecked().run().unwrap()
}

/// The compiled proof, and what Coq printed; nothing without Coq. Compiled once for all tests.
fn compiled() -> Option<&'static (tempfile::TempDir, String)> {
    static COMPILED: OnceLock<(tempfile::TempDir, String)> = OnceLock::new();
    has("coqc").then(|| {
        COMPILED.get_or_init(|| {
            let here = tempfile::tempdir().unwrap();
            let mut printed = String::new();
            for file in files() {
                fs::copy(folder().join(&file), here.path().join(&file)).unwrap();
                let output = compile(&file, here.path());
                assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
                printed.push_str(&String::from_utf8_lossy(&output.stdout));
            }
            (here, printed)
        })
    })
}

#[test]
fn every_file_is_accepted_and_the_theorems_assume_nothing() {
    let Some((_, printed)) = compiled() else { return };
    let asked = fs::read_to_string(folder().join("Theorems.v")).unwrap().matches("Print Assumptions").count();
    let closed = printed.lines().filter(|line| *line == "Closed under the global context").count();
    assert!(asked >= 19);
    assert_eq!(closed, asked, "{printed}");
}

/// What would make Coq accept anything.
#[test]
fn nothing_is_admitted_and_every_file_is_compiled() {
    let listed = files();
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".v") {
            continue;
        }
        assert!(listed.contains(&name), "{name} is not in _CoqProject");
        let text = fs::read_to_string(folder().join(&name)).unwrap();
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let bad = ["Admitted", "admit", "Axiom", "Axioms", "Parameter", "Parameters", "Conjecture", "bypass_check", "Unset"];
        let found: Vec<_> = words.filter(|word| bad.contains(word)).collect();
        assert!(found.is_empty(), "{name}: {found:?}");
        let lines = text.lines().count();
        assert!(text.starts_with("(*") && lines <= 800, "{name}: {lines} lines, or no word about what it is");
    }
}

/// A file, what it says, and what makes it wrong.
const WRONG: [(&str, &str, &str); 12] = [
    // What an operation may write counts as overwritten.
    ("Rules.v", "diff V (akill a) else", "diff V (adef a) else"),
    // An assignment of the modified program alone affects nothing.
    ("Rules.v", "| None => Some (l, union V (adef a))", "| None => Some (l, V)"),
    // What the original writes while the modified program waits affects nothing.
    ("Rules.v", "walkf n (l :: seen) t (union W (adef b))", "walkf n (l :: seen) t W"),
    // Whatever may differ, an assume is followed.
    ("Rules.v", "then Some (t, W)\n      else if f_lazy", "then Some (t, W)\n      else if true then Some (t, W) else if f_lazy"),
    // An equation stays although what its term reads is written, and makes a variable agree whatever that is.
    ("Facts.v", "(forall y, In y (reads t) -> ~ In y (adef a)) ->\n  holds c (x, t)", "True ->\n  holds c (x, t)"),
    ("Facts.v", "disjoint (reads t) V = true ->\n  agree (diff", "True ->\n  agree (diff"),
    // A step need not bring what is known behind it.
    ("Local.v", "agree V1 c1 c1' /\\ K s' s c1 c1')", "agree V1 c1 c1')"),
    // The checker of certificates takes a smaller set for the larger, a dead end for a leaf, an edge that is missing.
    ("Certificate.v", "subset V (affected m)", "subset (affected m) V"),
    ("Certificate.v", "| Dead => dead (snd e)", "| Dead => true"),
    ("Certificate.v", "(length (answers m) =? length (fedges F' (at_modified m))) &&", "true &&"),
    // It looks at one branch only, and lets a condition accept behind an indicator.
    ("Certificate.v", "else if is k m then Some (k, union Y Z) else None", "else Some (k, Y)"),
    ("Condition.v", "match v with Indicator => never q | _ => false end", "match v with Indicator => true | _ => false end"),
];

#[test]
fn a_rule_that_is_wrong_is_refused() {
    let Some((right, _)) = compiled() else { return };
    let mut seen = BTreeSet::new();
    for (file, from, to) in WRONG {
        let here = tempfile::tempdir().unwrap();
        for before in files().iter().take_while(|before| *before != file) {
            let name = Path::new(before).with_extension("vo");
            fs::copy(right.path().join(&name), here.path().join(&name)).unwrap();
        }
        let text = fs::read_to_string(folder().join(file)).unwrap();
        fs::write(here.path().join(file), &text).unwrap();
        assert!(!seen.insert(file) || compile(file, here.path()).status.success(), "{file} as it is");
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(here.path().join(file), text.replacen(from, to, 1)).unwrap();
        assert!(!compile(file, here.path()).status.success(), "{file}: {to}");
    }
}

/// Numbers of sections that a text cites: behind the name of the document, apart from each other by commas, or from one to
/// another.
fn cited(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for behind in text.split("ALGORITHM.md ").skip(1) {
        let end = behind.find(|c: char| !(c.is_ascii_digit() || ".,- ".contains(c))).unwrap_or(behind.len());
        for number in behind[..end].split([',', '-', ' ']) {
            let number = number.trim_end_matches('.');
            if !number.is_empty() {
                found.push(number.to_owned());
            }
        }
    }
    found
}

fn texts(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs" || e == "v" || e == "md") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

#[test]
fn sections_that_are_cited_exist() {
    let document = fs::read_to_string(root().join("tools/diffdp/ALGORITHM.md")).unwrap();
    let sections: Vec<&str> =
        document.lines().filter(|line| line.starts_with('#')).filter_map(|line| line.split(' ').nth(1)).collect();
    let mut found = Vec::new();
    texts(&root().join("tools"), &mut found);
    let mut all = 0;
    for (path, text) in &found {
        assert!(!text.contains("algorithms.md"), "{} cites what is not here", path.display());
        for number in cited(text) {
            assert!(sections.contains(&number.as_str()), "{}: ALGORITHM.md has no section {number}", path.display());
            all += 1;
        }
    }
    assert!(all > 30, "{all}");
}

/// The document and the proof speak of the same theorems.
#[test]
fn theorems_that_are_named_exist() {
    let document = fs::read_to_string(root().join("tools/diffdp/ALGORITHM.md")).unwrap();
    let mut proof = String::new();
    files().iter().for_each(|file| proof.push_str(&fs::read_to_string(folder().join(file)).unwrap()));
    let kinds = ["Theorem", "Corollary", "Lemma"];
    let states = |name: &str| kinds.iter().any(|kind| proof.contains(&format!("{kind} {name} ")));
    let table = document.split_once("### 8.1").unwrap().1.split_once("### 8.2").unwrap().0;
    let is_name = |word: &&str| word.contains('_') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let steps = document.split('`').skip(1).step_by(2).filter(|word| word.starts_with("sim_"));
    let named: Vec<&str> = table.split('`').skip(1).step_by(2).filter(is_name).chain(steps).collect();
    assert!(named.len() >= 10);
    let missing: Vec<_> = named.iter().filter(|name| !states(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
