//! `make install`: the installed tree works without the checkout and without environment variables, wherever it is moved.

use std::fs;
use std::path::{Path, PathBuf};

use duct::cmd;
use residue_tests::{root, target};

const TOOLS: [&str; 10] =
    ["diffcond", "diffdp", "condgen", "reduce", "verify", "propdiff", "invdiff", "cse", "circuit", "residue"];

fn make(goal: &str, prefix: &Path) {
    let variables = [format!("PREFIX={}", prefix.display()), format!("CARGO_TARGET_DIR={}", target().display())];
    let command = cmd!("make", "--silent", "--no-print-directory", goal, &variables[0], &variables[1]);
    command.dir(root()).stdout_capture().env_remove("MAKEFLAGS").run().unwrap();
}

/// An installation that was moved after it was made.
fn installed(folder: &Path) -> PathBuf {
    make("install-built", &folder.join("made"));
    let moved = folder.join("moved");
    fs::rename(folder.join("made"), &moved).unwrap();
    moved
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn installed_tools_need_nothing_of_the_checkout() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = installed(folder.path()).canonicalize().unwrap();
    for tool in ["verify", "diffdp"] {
        let libraries = cmd!("ldd", prefix.join("bin").join(tool)).env_remove("LD_LIBRARY_PATH").read().unwrap();
        let z3 = libraries.lines().find(|line| line.contains("libz3")).unwrap();
        let path = Path::new(z3.split_whitespace().nth(2).unwrap()).canonicalize().unwrap();
        assert!(path.starts_with(prefix.join("lib/residue")), "{tool} uses {}", path.display());
    }
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    for name in ["original.c", "refactored.c", "regression.c"] {
        fs::copy(root().join("pipelines/demo").join(name), programs.join(name)).unwrap();
    }
    for (modified, code, verdict) in [("refactored.c", 0, "TRUE"), ("regression.c", 1, "FALSE(unreach-call)")] {
        let check = cmd!(prefix.join("bin/residue"), "check", "original.c", modified).dir(&programs);
        let output = check.full_env([("PATH", "/usr/bin:/bin")]).stdout_capture().unchecked().run().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!((output.status.code(), stdout.lines().last()), (Some(code), Some(verdict)), "{stdout}");
    }
}

#[test]
fn schemas_are_installed() {
    let folder = tempfile::tempdir().unwrap();
    let schemas = installed(folder.path()).join("share/residue/schemas");
    let ours = fs::read_dir(root().join("formats/schemas")).unwrap().map(|entry| entry.unwrap().file_name());
    let ours: Vec<_> = ours.collect();
    assert!(ours.len() > 20);
    for name in ours {
        let schema: serde_json::Value = serde_json::from_slice(&fs::read(schemas.join(&name)).unwrap()).unwrap();
        // That of witnesses is not ours.
        assert!(name == "witness-2.schema.json" || schema["$id"] == name.to_str().unwrap(), "{name:?}");
    }
}

#[test]
fn uninstall_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    make("install-built", folder.path());
    assert!(files(folder.path()).len() > 30);
    make("uninstall", folder.path());
    assert_eq!(files(folder.path()), Vec::<PathBuf>::new());
}

#[test]
fn man_pages_render() {
    let folder = tempfile::tempdir().unwrap();
    let pages = installed(folder.path()).join("share/man/man1");
    for name in TOOLS
        .into_iter()
        .chain(["residue-check", "residue-explain", "residue-witness", "residue-cfa", "residue-entries", "residue-validate"])
    {
        let page = fs::read_to_string(pages.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{name}");
    }
    assert!(fs::read_to_string(pages.join("diffdp.1")).unwrap().contains("\\-\\-match"));
    for page in files(&pages) {
        let text = fs::read_to_string(&page).unwrap();
        let requests =
            text.lines().filter(|line| line.starts_with(['.', '\''])).map(|line| line.split_whitespace().next().unwrap());
        let strange: Vec<_> = requests.filter(|request| !KNOWN_REQUESTS.contains(request)).collect();
        assert!(strange.is_empty(), "{}: {strange:?}", page.display());
        // Where groff is at hand it is asked too: a warning is a page that does not look as it should.
        if let Ok(output) = cmd!("groff", "-man", "-Tutf8", "-ww", "-z", &page).stderr_capture().unchecked().run() {
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{}", page.display());
        }
    }
}

const KNOWN_REQUESTS: [&str; 12] = [".TH", ".SH", ".SS", ".TP", ".PP", ".IP", ".RS", ".RE", ".br", ".ie", ".el", ".sp"];

/// What bash offers for the last of `words`.
fn completed(completions: &Path, words: &[&str]) -> Vec<String> {
    let tool = words[0];
    let script = format!(
        "source '{}' && COMP_WORDS=({}) COMP_CWORD={} && _{tool} {tool} '{}' '{}' && printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        completions.join(tool).display(),
        words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
        words.len() - 1,
        words[words.len() - 1],
        words[words.len() - 2],
    );
    cmd!("bash", "--norc", "-c", script).read().unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn shells_complete_options_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let share = installed(folder.path()).join("share");
    let bash = share.join("bash-completion/completions");
    assert_eq!(completed(&bash, &["verify", "--wit"]), ["--witness"]);
    assert_eq!(completed(&bash, &["diffdp", "--match", "id"]), ["identical"]);
    assert_eq!(completed(&bash, &["residue", "exp"]), ["explain"]);
    assert_eq!(completed(&bash, &["residue", "check", "--detector", "diffc"]), ["diffcond"]);
    for tool in TOOLS {
        let zsh = fs::read_to_string(share.join("zsh/site-functions").join(format!("_{tool}"))).unwrap();
        assert!(zsh.starts_with(&format!("#compdef {tool}")), "{tool}");
        let fish = fs::read_to_string(share.join("fish/vendor_completions.d").join(format!("{tool}.fish"))).unwrap();
        assert!(fish.contains(&format!("complete -c {tool}")), "{tool}");
    }
}
