//! Preprocessed texts of earlier runs are used only where the preprocessor would make the same ones again.

use std::fs;
use std::path::{Path, PathBuf};

use formats::sha256_hex;

use crate::repository::Repository;
use crate::{Ran, run};

const MAIN: &str = "#include \"limit.h\"\nint bound(void);\nvoid reach_error(void);\nint main(void) {\n\
    \x20 if (LIMIT > bound() + 1)\n    reach_error();\n  return 0;\n}\n";
const BOUND: &str = "#include <limits.h>\n#ifdef EXTRA\n#define MORE EXTRA\n#elif __has_include(\"more.h\")\n#include \"more.h\"\n\
    #else\n#define MORE 0\n#endif\nint bound(void) { return CHAR_BIT - 8 + 100 - MORE; }\n";

/// A repository whose texts are in the cache `../cache`, and the folder it is in.
fn repository() -> (Repository, PathBuf) {
    let repository = Repository::new();
    repository.write("src/main.c", MAIN);
    repository.write("src/bound.c", BOUND);
    repository.write("include/limit.h", "#define LIMIT 100\n");
    repository.write(".gitignore", "/build/\n/cache/\n");
    repository.write("build/none.h", "");
    repository.commit("one");
    let cache = repository.path().join("cache");
    (repository, cache)
}

fn check(repository: &Repository, more: &[&str]) -> Ran {
    let arguments = ["check", "--git", "HEAD", "-I", "include", "--cache", "cache", "--link", "src/*.c"];
    run(&[&arguments[..], more].concat(), repository.path())
}

/// A change by which less is allowed: an error if anything else is another number. `number` makes it another text.
fn changed(number: u32) -> String {
    MAIN.replace("bound() + 1", "bound()").replace("return 0", &format!("return {number}"))
}

/// Makes this change, which is none, so that all files are read; they are in the cache then.
fn warm(repository: &Repository, more: &[&str]) {
    repository.write("src/main.c", &changed(1));
    let ran = check(repository, more);
    assert_eq!(ran.last_line(), "TRUE", "{}{}", ran.stdout, ran.stderr);
}

fn entries(cache: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(cache.join("texts")).unwrap().map(|folder| folder.unwrap().path());
    let mut files: Vec<PathBuf> =
        folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|file| file.unwrap().path())).collect();
    files.sort();
    files
}

/// The entry of a text that has these words.
fn entry(cache: &Path, words: &str) -> (PathBuf, String) {
    let found = entries(cache).into_iter().map(|file| (fs::read_to_string(&file).unwrap(), file));
    let (text, file) = found.into_iter().find(|(text, _)| text.contains(words)).unwrap();
    (file, text.split_once('\n').unwrap().1.to_owned())
}

fn replace(file: &Path, content: &str) {
    fs::write(file, format!("residue-text-1 {}\n{content}", sha256_hex(content.as_bytes()))).unwrap();
}

#[test]
fn whatever_makes_another_text_is_seen() {
    type Change = fn(&Repository);
    let changes: [(&str, Change); 6] = [
        ("a header", |r| drop(r.write("include/limit.h", "#define LIMIT 101\n"))),
        ("a header that comes first", |r| drop(r.write("src/limit.h", "#define LIMIT 101\n"))),
        ("a header that was looked for", |r| drop(r.write("src/more.h", "#define MORE 1\n"))),
        ("a header in place of the system's", |r| drop(r.write("include/limits.h", "#define CHAR_BIT 7\n"))),
        ("a file", |r| drop(r.write("src/bound.c", &BOUND.replace("100", "99")))),
        ("a header that is gone", |r| {
            r.git(&["rm", "--quiet", "include/limit.h"]);
            r.write("src/limit.h", "#define LIMIT 101\n");
        }),
    ];
    for (what, change) in changes {
        let (repository, cache) = repository();
        warm(&repository, &[]);
        entry(&cache, "int bound(void) {");
        change(&repository);
        let (ran, plain) = (check(&repository, &[]), repository.check(&["--git", "HEAD", "-I", "include", "--link", "src/*.c"]));
        assert_eq!(ran.last_line(), plain.last_line(), "{what}: {}{}", ran.stdout, plain.stdout);
        assert_ne!(ran.last_line(), "TRUE", "{what}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn other_flags_and_folders_make_other_texts() {
    let (repository, _) = repository();
    warm(&repository, &[]);
    let ran = check(&repository, &["-D", "EXTRA=1"]);
    assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}{}", ran.stdout, ran.stderr);
    // Headers elsewhere are looked at again, and those that come before them.
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    fs::create_dir_all(&first).unwrap();
    fs::create_dir_all(&second).unwrap();
    fs::write(second.join("more.h"), "#define MORE 0\n").unwrap();
    let (first_text, second_text) = (first.to_string_lossy().into_owned(), second.to_string_lossy().into_owned());
    let flags = ["-I", &*first_text, "-I", &*second_text];
    warm(&repository, &flags);
    fs::write(second.join("more.h"), "#define MORE 1\n").unwrap();
    assert_eq!(check(&repository, &flags).last_line(), "FALSE(unreach-call)", "another content");
    fs::write(second.join("more.h"), "#define MORE 0\n").unwrap();
    assert_eq!(check(&repository, &flags).last_line(), "TRUE", "the former content");
    fs::write(first.join("more.h"), "#define MORE 1\n").unwrap();
    assert_eq!(check(&repository, &flags).last_line(), "FALSE(unreach-call)", "another header");
}

#[test]
fn a_text_is_used_wherever_the_repository_is() {
    let (repository, cache) = repository();
    warm(&repository, &[]);
    let before = entries(&cache);
    let clone = tempfile::tempdir().unwrap();
    let other = clone.path().join("other");
    repository.git(&["clone", "--quiet", ".", &other.to_string_lossy()]);
    fs::write(other.join("src/main.c"), changed(1)).unwrap();
    let arguments = ["check", "--git", "HEAD", "-I", "include", "--link", "src/*.c", "--cache", &cache.to_string_lossy()];
    assert_eq!(run(&arguments, &other).last_line(), "TRUE");
    assert_eq!(entries(&cache), before);
    // What an entry says is believed.
    let (file, content) = entry(&cache, "int bound(void) {");
    replace(&file, &content.replace("+ 100", "+ 99"));
    fs::write(other.join("src/main.c"), changed(2)).unwrap();
    assert_eq!(run(&arguments, &other).last_line(), "FALSE(unreach-call)");
}

#[test]
fn an_entry_that_is_damaged_or_leads_elsewhere_is_none() {
    let (repository, cache) = repository();
    warm(&repository, &[]);
    let (file, content) = entry(&cache, "int bound(void) {");
    let wrong = content.replace("+ 100", "+ 99");
    let again = |what: &str, number: u32| {
        repository.write("src/main.c", &changed(number));
        let ran = check(&repository, &["--trust-cache"]);
        assert_eq!(ran.last_line(), "TRUE", "{what}: {}{}", ran.stdout, ran.stderr);
    };
    fs::write(&file, format!("residue-text-1 {}\n{wrong}", sha256_hex(content.as_bytes()))).unwrap();
    again("another hash", 2);
    replace(&file, "{}");
    again("another content", 3);
    let elsewhere = wrong.replacen("# 0 ", "# 1 \\\"/etc/passwd\\\" 1\\n# 0 ", 1);
    assert_ne!(elsewhere, wrong);
    replace(&file, &elsewhere);
    again("a file that is not the repository's", 4);
    let kept = cache.join("kept");
    replace(&kept, &wrong);
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&kept, &file).unwrap();
    again("a link", 5);
    fs::remove_file(&file).unwrap();
    replace(&file, &wrong.replace("\"key\":\"", "\"key\":\"0"));
    again("another key", 6);
}

#[test]
fn what_depends_on_more_is_not_kept() {
    for text in ["char *when = __TIMESTAMP__;", "#define H \"more.h\"\n#include H\n"] {
        let (repository, cache) = repository();
        repository.write("src/more.h", "#define MORE 0\n");
        repository.write("src/bound.c", &format!("{text}\n{BOUND}"));
        repository.commit("two");
        warm(&repository, &[]);
        assert!(entries(&cache).iter().all(|file| !fs::read_to_string(file).unwrap().contains("int bound(void) {")), "{text}");
    }
}
