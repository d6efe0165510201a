//! Rules of the repository that no compiler checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use residue_tests::root;

/// Rust files of the checkout, without build output.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "third-party", ".git"].contains(&name.as_str()) {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

fn all_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    sources(&root(), &mut found);
    assert!(found.len() > 50);
    found
}

#[test]
fn files_can_be_read_in_one_sitting() {
    let lengths = all_sources().into_iter().map(|path| (fs::read_to_string(&path).unwrap().lines().count(), path));
    let is_test = |path: &Path| path.components().any(|c| c.as_os_str() == "tests");
    let long: Vec<_> = lengths.filter(|(lines, path)| *lines > 800 && !is_test(path)).collect();
    assert!(long.is_empty(), "more than 800 lines: {long:?}");
}

#[test]
fn every_source_file_says_what_it_is() {
    let silent: Vec<_> = all_sources().into_iter().filter(|path| !fs::read_to_string(path).unwrap().starts_with("//")).collect();
    assert!(silent.is_empty(), "no module documentation: {silent:?}");
}

#[test]
fn paths_in_the_architecture_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let tops = ["formats/", "tools/", "pipelines/", "tests/", "benchmarks/"];
    let quoted = text.split('`').skip(1).step_by(2);
    let paths: BTreeSet<_> = quoted.filter(|word| tops.iter().any(|top| word.starts_with(top))).collect();
    assert!(paths.len() > 10);
    let missing: Vec<_> = paths.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn crates_and_tools_have_a_readme() {
    let tools = fs::read_dir(root().join("tools")).unwrap().map(|entry| entry.unwrap().path());
    let folders = tools.chain(["formats", "pipelines", "tests", "benchmarks"].map(|name| root().join(name)));
    let missing: Vec<_> = folders.filter(|folder| !folder.join("README.md").exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// What each crate may depend on (architecture: dependency direction).
const ALLOWED: &[(&str, &[&str])] = &[
    ("gate", &[]),
    ("formats", &[]),
    ("console", &["formats"]),
    ("program", &["formats"]),
    ("semantics", &["formats", "program"]),
    ("smt", &["formats", "program", "semantics"]),
    ("engine", &["formats", "program", "semantics", "smt"]),
    ("evidence", &["formats", "program", "semantics", "smt"]),
    ("transform", &["formats", "program", "semantics"]),
    ("cwriter", &["formats", "program"]),
    ("condgen", &["formats", "console"]),
    ("reduce", &["formats", "console", "program", "semantics", "cwriter"]),
    ("diffcond", &["formats", "console", "program", "semantics"]),
    ("diffdp", &["formats", "console", "program", "semantics", "smt"]),
    ("validate", &["formats", "program", "semantics", "smt"]),
    ("verify", &["formats", "console", "program", "semantics", "smt", "engine", "evidence", "transform"]),
    ("propdiff", &["formats", "console", "program", "semantics", "smt", "engine", "evidence", "transform"]),
    ("invdiff", &["formats", "console", "program", "semantics", "smt", "engine", "evidence", "transform", "cwriter"]),
    ("cse", &["formats", "console", "program", "semantics", "smt", "engine", "evidence", "transform"]),
    ("circuit", &["formats", "console", "program", "semantics", "smt", "engine", "evidence"]),
    ("pipelines", &["formats", "console", "program", "semantics", "validate"]),
];

#[test]
fn dependencies_point_in_one_direction() {
    let command = duct::cmd!("cargo", "metadata", "--format-version", "1", "--no-deps", "--offline");
    let metadata: serde_json::Value = serde_json::from_str(&command.dir(root()).read().unwrap()).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let ours: BTreeSet<_> = packages.iter().map(|package| package["name"].as_str().unwrap()).collect();
    for (name, allowed) in ALLOWED {
        let package = packages.iter().find(|p| p["name"] == *name).unwrap_or_else(|| panic!("no crate {name}"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            let normal = dependency["kind"].is_null();
            assert!(!normal || !ours.contains(on) || allowed.contains(&on), "{name} must not depend on {on}");
            assert!(!on.starts_with("z3") || *name == "smt", "{name} must not link Z3 itself");
        }
    }
}

/// Every promise of SECURITY.md names a test that is there.
#[test]
fn promises_of_security_have_tests() {
    let text = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let promises = text.split_once("\n### ").unwrap().1.split_once("\n## ").unwrap().0;
    let mut tests = String::new();
    for path in all_sources() {
        tests.push_str(&fs::read_to_string(path).unwrap());
    }
    for entry in fs::read_dir(root().join("tests/python")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "py") {
            tests.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    let is_test = |name: &str| {
        tests.contains(&format!("#[test]\nfn {name}()"))
            || tests.contains(&format!("#[test]\n    fn {name}()"))
            || tests.contains(&format!("def {name}("))
    };
    let mut count = 0;
    for promise in promises.split("\n* ").skip(1).chain(promises.split("### Sizes").skip(1)) {
        let named = promise.split_once("Test").unwrap_or_else(|| panic!("no test is named: {promise}")).1;
        let names: Vec<&str> = named.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test is named: {promise}");
        for name in names.into_iter().filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_')) {
            assert!(is_test(name), "SECURITY.md names the test {name}, which is not there");
            count += 1;
        }
    }
    assert!(count > 35, "{count}");
}

/// The reasons that the text of an attribute gives, by a rough look: what stands in its parentheses.
fn lint_attributes(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("#[").chain(text.match_indices("#![")) {
        let inside = text[at..].trim_start_matches(['#', '!', '[']);
        let line = text[..at].matches('\n').count() + 1;
        let is_comment = text[..at].rsplit('\n').next().is_some_and(|before| before.contains("//") || before.contains('"'));
        let lints = ["allow(", "expect("].iter().any(|word| inside.starts_with(word))
            || (inside.starts_with("cfg_attr(") && inside.split(']').next().is_some_and(|a| a.contains("allow(")));
        if lints && !is_comment {
            // No reason contains the end of an attribute.
            found.push((line, inside.split(")]").next().unwrap_or(inside).to_owned()));
        }
    }
    found
}

#[test]
fn every_exception_from_a_lint_has_a_reason() {
    let mut silent = Vec::new();
    for path in all_sources() {
        let text = fs::read_to_string(&path).unwrap();
        let without = lint_attributes(&text).into_iter().filter(|(_, attribute)| !attribute.contains("reason = \""));
        silent.extend(without.map(|(line, attribute)| format!("{}:{line}: {attribute}", path.display())));
    }
    assert!(silent.is_empty(), "write `reason = \"…\"`:\n{}", silent.join("\n"));
    assert_eq!(lint_attributes("#[allow(a)]\n#![expect(b, reason = \"c\")]\n// #[allow(d)]").len(), 2);
}

/// Numbers of 32 bits are made by `formats::dense` and `formats::small`, which check; `as` would cut off what does not fit.
#[test]
fn no_number_is_cut_off_silently() {
    // Bits of floats, a character, an amount that was compared with the width before.
    let harmless = ["from_bits(", "units.push(character as u32)", "let amount = amount as u32;"];
    let mut found = Vec::new();
    for path in all_sources() {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let is_test =
            name.split('/').any(|part| part == "tests" || part == "tests.rs" || part == "benches" || part == "benchmarks");
        if is_test || name == "formats/src/dense.rs" {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let lines = code.lines().enumerate().filter(|(_, line)| line.contains(" as u32"));
        let cut = lines.filter(|(_, line)| !harmless.iter().any(|known| line.contains(known)));
        found.extend(cut.map(|(at, line)| format!("{name}:{}: {}", at + 1, line.trim())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Where a test may say that it was skipped.
const GATE: [&str; 2] = ["tests/gate/src/lib.rs", "tests/tests/tidy.rs"];

#[test]
fn every_skipped_test_passes_the_gate() {
    let mut silent = Vec::new();
    for path in all_sources() {
        let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        for word in ["RESIDUE_SHARED", "\"skipped: ", "skipped.txt\""] {
            let told = text.lines().filter(|line| !line.trim_start().starts_with("//") && line.contains(word));
            if !GATE.contains(&name.as_str()) && told.count() > 0 {
                silent.push(format!("{name} says {word} itself instead of calling `gate`"));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// The names under which a package's sources may speak of a dependency, `-` as `_`.
fn speaks_of(sources: &[String], dependency: &str) -> bool {
    let word = dependency.replace('-', "_");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    sources.iter().any(|text| {
        text.match_indices(&word).any(|(at, _)| {
            let (before, behind) = (&text[..at], &text[at + word.len()..]);
            !before.ends_with(is_part) && !behind.starts_with(is_part)
        })
    })
}

#[test]
fn no_dependency_is_unused() {
    let command = duct::cmd!("cargo", "metadata", "--format-version", "1", "--no-deps", "--offline");
    let metadata: serde_json::Value = serde_json::from_str(&command.dir(root()).read().unwrap()).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let folders: Vec<_> =
        packages.iter().map(|p| Path::new(p["manifest_path"].as_str().unwrap()).parent().unwrap().to_path_buf()).collect();
    let mut unused = Vec::new();
    for (package, folder) in packages.iter().zip(&folders) {
        let mut files = Vec::new();
        sources(folder, &mut files);
        // Packages inside of this one speak for themselves; some targets lie elsewhere.
        files.retain(|file| !folders.iter().any(|f| f != folder && f.starts_with(folder) && file.starts_with(f)));
        files.extend(package["targets"].as_array().unwrap().iter().map(|t| PathBuf::from(t["src_path"].as_str().unwrap())));
        let code = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap();
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
        };
        let texts: Vec<_> = files.iter().map(code).collect();
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["rename"].as_str().or(dependency["name"].as_str()).unwrap();
            if !speaks_of(&texts, name) {
                unused.push(format!("{} does not use {name}", package["name"]));
            }
        }
    }
    assert!(unused.is_empty(), "{unused:?}");
    assert!(speaks_of(&["use a_b::c;".to_owned()], "a-b") && !speaks_of(&["use a_bc::c;".to_owned()], "a-b"));
}
