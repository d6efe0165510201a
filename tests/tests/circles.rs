//! No circles of files: within a crate, what a file names in other files can be read before it.
//!
//! Looked at is what the text names by path (`use`, `crate::…`, `super::…`), re-exports followed to where a thing is defined.
//! A file may name its own folders' `mod.rs` and the crate's root: a room's types are known in the room. Tests, and what a
//! method call leads to, do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use residue_tests::root;

/// A module: the names that lead to it from the root of its crate.
type Module = Vec<String>;

/// The files of a crate by module.
fn modules(folder: &Path, at: &[String], found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut module = at.to_vec();
        if path.is_dir() {
            module.push(stem);
            modules(&path, &module, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "main" {
            if stem != "mod" && !(stem == "lib" && at.is_empty()) {
                module.push(stem);
            }
            found.insert(module, without_tests(&fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The text without comments and without its tests.
fn without_tests(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    text.lines().map(|line| line.split("//").next().unwrap()).collect::<Vec<_>>().join("\n")
}

/// The paths that a tree of `use` names, without what comes behind `as`.
fn paths(tree: &str, before: &[String], found: &mut Vec<Vec<String>>) {
    let (mut depth, mut begin) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[begin..]);
    for part in parts.into_iter().map(str::trim).filter(|part| !part.is_empty()) {
        let (head, inner) = part.split_once('{').map_or((part, None), |(head, inner)| (head, inner.strip_suffix('}')));
        let head = head.split(" as ").next().unwrap();
        let mut all = before.to_vec();
        all.extend(head.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
        match inner {
            Some(inner) => paths(inner, &all, found),
            None => found.push(all),
        }
    }
}

/// All paths that a text names: those of its `use`, `true` for `pub use`, and those that begin with `crate` or `super` elsewhere.
fn named(text: &str) -> Vec<(bool, Vec<String>)> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in text.split_inclusive(';') {
        let begins = |line: &str| {
            let line = line.trim_start();
            let line = line
                .strip_prefix("pub")
                .map_or(line, |line| line.strip_prefix('(').map_or(line, |l| &l[l.find(')').unwrap() + 1..]));
            line.trim_start().starts_with("use ")
        };
        match statement.lines().position(begins) {
            Some(first) => {
                let lines: Vec<&str> = statement.lines().skip(first).collect();
                let whole = lines.join(" ");
                let tree = whole.split_once("use ").unwrap().1.trim_end().trim_end_matches(';');
                let mut trees = Vec::new();
                paths(tree, &[], &mut trees);
                found.extend(trees.into_iter().map(|path| (whole.trim_start().starts_with("pub"), path)));
            }
            None => rest.push_str(statement),
        }
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    for word in rest.split(|c: char| !is_name(c)) {
        if ["crate::", "super::", "self::"].iter().any(|head| word.starts_with(head)) {
            found.push((false, word.split("::").map(str::to_owned).filter(|name| !name.is_empty()).collect()));
        }
    }
    found
}

/// A path that a module names, from the root of the crate; `None` for one of another crate.
fn from_root(module: &[String], path: &[String], all: &BTreeMap<Module, String>) -> Option<Module> {
    let mut base = match path.first().map(String::as_str) {
        Some("crate") => Vec::new(),
        Some("super" | "self") => module.to_vec(),
        Some(first) => {
            let mut child = module.to_vec();
            child.push(first.to_owned());
            return all.contains_key(&child).then(|| [module, path].concat());
        }
        None => return None,
    };
    for name in path {
        match name.as_str() {
            "crate" | "self" => {}
            "super" => _ = base.pop(),
            _ => base.push(name.clone()),
        }
    }
    Some(base)
}

/// The module that a path leads to: where the thing is defined that it names.
fn defined(path: &[String], all: &BTreeMap<Module, String>, exported: &BTreeMap<Module, Module>) -> Option<Module> {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let length = (0..=path.len()).rev().find(|length| all.contains_key(&path[..*length]))?;
        let again = path.get(..length + 1).and_then(|name| exported.get(name)).filter(|to| !path.starts_with(to));
        match again {
            Some(to) => path = [to.as_slice(), &path[length + 1..]].concat(),
            None => return Some(path[..length].to_vec()),
        }
    }
    None
}

/// For each file of a crate the files that it names.
fn graph(folder: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut all = BTreeMap::new();
    modules(folder, &[], &mut all);
    let names: BTreeMap<Module, Vec<(bool, Vec<String>)>> =
        all.iter().map(|(module, text)| (module.clone(), named(text))).collect();
    let mut exported: BTreeMap<Module, Module> = BTreeMap::new();
    for (module, names) in &names {
        for (_, path) in names.iter().filter(|(public, _)| *public) {
            let Some(to) = from_root(module, path, &all) else { continue };
            let own = [module.as_slice(), &[path.last().unwrap().clone()]].concat();
            if own != to && !all.contains_key(&own) {
                exported.insert(own, to);
            }
        }
    }
    let mut graph = BTreeMap::new();
    for (module, names) in &names {
        let targets = names.iter().filter_map(|(_, path)| defined(&from_root(module, path, &all)?, &all, &exported));
        let others: BTreeSet<Module> = targets.filter(|to| !module.starts_with(to)).collect();
        graph.insert(module.clone(), others);
    }
    graph
}

/// A circle, if there is one: files of which each names the next, and the last the first.
fn circle(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<String>> {
    let mut left: BTreeSet<&Module> = graph.keys().collect();
    // Whoever names nobody that is left is on no circle.
    while let Some(done) = left.iter().copied().find(|module| graph[*module].iter().all(|to| !left.contains(to))) {
        left.remove(done);
    }
    let mut path = vec![*left.first()?];
    loop {
        let next = graph[*path.last().unwrap()].iter().find(|to| left.contains(to)).unwrap();
        if let Some(begin) = path.iter().position(|known| *known == next) {
            return Some(path[begin..].iter().map(|module| module.join("/")).collect());
        }
        path.push(next);
    }
}

fn crates() -> Vec<PathBuf> {
    let tools = fs::read_dir(root().join("tools")).unwrap().map(|entry| entry.unwrap().path());
    let others = ["formats", "pipelines", "tests"].map(|name| root().join(name));
    let mut folders: Vec<PathBuf> =
        tools.chain(others).map(|folder| folder.join("src")).filter(|folder| folder.is_dir()).collect();
    folders.sort();
    folders
}

#[test]
fn no_circle_of_files() {
    let folders = crates();
    assert!(folders.len() > 12);
    let mut edges = 0;
    for folder in folders {
        let graph = graph(&folder);
        edges += graph.values().map(BTreeSet::len).sum::<usize>();
        let found = circle(&graph);
        assert!(found.is_none(), "{}: each names the next: {}", folder.display(), found.unwrap().join(" -> "));
    }
    assert!(edges > 700, "{edges} names of other files: the test would see nothing");
}

#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod a; pub mod b;\npub use a::{One, Two as Three};\n");
    write("a.rs", "use crate::b::{self, c::{C, D}};\npub struct One;\n");
    write("b/mod.rs", "mod c;\npub use c::C;\npub struct B;\n");
    write("b/c.rs", "use super::B;\nfn f() { let _ = 3; }\n");
    assert_eq!(circle(&graph(folder.path())), None);
    // By a re-export of the root, in an expression, behind a comment, in a test.
    for (text, found) in [
        ("use super::B;\nuse crate::One;\n", true),
        ("use super::B;\nfn f() { crate::a::g(); }\n", true),
        ("use super::B;\n// use crate::a::One;\n", false),
        ("use super::B;\n#[cfg(test)]\nmod tests {\n    use crate::a::One;\n}\n", false),
    ] {
        write("b/c.rs", text);
        assert_eq!(circle(&graph(folder.path())).is_some(), found, "{text}");
    }
}
