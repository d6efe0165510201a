//! Programs of several files: a change in any of them, in a header or in the flags of the build, is seen by assertions in
//! the others.

use std::fs;
use std::path::Path;

use crate::repository::Repository;
use crate::{Ran, run};

/// A program of four files with names that clash; the assertion is in one, what it is about in the others.
const FILES: [(&str, &str); 6] = [
    (
        "include/level.h",
        "#ifndef LEVEL_H\n#define LEVEL_H\n#define RIM 100\nstruct tank { int level; int filled; };\nextern int limit;\n\
         void fill(struct tank *tank, int rain);\nvoid note(int level);\nvoid reach_error(void);\n#endif\n",
    ),
    (
        "src/main.c",
        "#include \"../include/level.h\"\nint __VERIFIER_nondet_int(void);\nstatic int count = 1;\n\
         int main(void) {\n  int rain = __VERIFIER_nondet_int();\n  if (rain < 0 || rain > 50)\n    return 0;\n\
         \x20 struct tank tank = { 60, 0 };\n  fill(&tank, rain);\n  if (tank.level > 100 || tank.filled != count)\n\
         \x20   reach_error();\n  return 0;\n}\n",
    ),
    (
        "src/fill.c",
        "#include \"../include/level.h\"\nstatic int count;\nstatic int clamp(int x) { return x > limit ? limit : x; }\n\
         void fill(struct tank *tank, int rain) {\n  count++;\n  tank->level = clamp(tank->level + rain);\n\
         \x20 tank->filled = count;\n  note(tank->level);\n}\n",
    ),
    (
        "src/note.c",
        "#include \"../include/level.h\"\nstatic int count;\nstatic int clamp(int x) { return x < 0 ? 0 : x; }\n\
         void note(int level) { count += clamp(level); }\n",
    ),
    ("src/limit.c", "#include \"../include/level.h\"\n#ifndef EXTRA\n#define EXTRA 0\n#endif\nint limit = RIM + EXTRA;\n"),
    ("tests/other.c", "int main(void) { return 0; }\n"),
];

/// Where a change is made, what is written instead, and whether the assertion sees it.
const CHANGES: [(&str, &str, &str, Seen); 8] = [
    ("src/main.c", "tank.level > 100", "tank.level > 90", Seen::Yes),
    ("src/main.c", "tank.level > 100", "tank.level >= 101", Seen::No),
    ("src/fill.c", "x > limit ? limit : x", "x > limit + 10 ? limit : x", Seen::Yes),
    ("src/fill.c", "return x > limit ? limit : x;", "if (x > limit) x = limit; return x;", Seen::No),
    ("src/note.c", "x < 0 ? 0 : x", "x < 0 ? 1 : x + 1", Seen::No),
    ("src/limit.c", "int limit = RIM + EXTRA;", "int limit = RIM + EXTRA + 7;", Seen::Yes),
    ("include/level.h", "#define RIM 100", "#define RIM 120", Seen::Yes),
    ("include/level.h", "#define RIM 100", "/* the rim */\n#define RIM 100", Seen::No),
];

fn repository() -> Repository {
    let repository = Repository::new();
    for (path, text) in FILES {
        repository.write(path, text);
    }
    repository.write("compile_commands.json", &database(""));
    repository.commit("one");
    repository
}

/// A compilation database that names the objects of a target as CMake does.
fn database(flags: &str) -> String {
    let entry = |file: &str, target: &str| {
        format!(
            "{{\"directory\": \"build\", \"file\": \"../{file}\", \"command\": \"cc {flags} -o CMakeFiles/{target}.dir/{file}.o -c ../{file}\"}}"
        )
    };
    let sources = FILES.iter().map(|(path, _)| *path).filter(|path| path.starts_with("src/"));
    let entries: Vec<String> = sources.map(|path| entry(path, "tank")).chain([entry("tests/other.c", "other")]).collect();
    format!("[{}]", entries.join(",\n"))
}

fn changed(path: &str, from: &str, to: &str) -> String {
    let text = FILES.iter().find(|(name, _)| *name == path).unwrap().1;
    assert!(text.contains(from), "{path}: {from}");
    text.replace(from, to)
}

/// Whether the assertion sees a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Yes,
    No,
}

fn is_as_expected(ran: &Ran, seen: Seen, what: &str) {
    let expected = if seen == Seen::Yes { (1, "FALSE(unreach-call)") } else { (0, "TRUE") };
    assert_eq!((ran.code, ran.last_line()), expected, "{what}: {}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_change_in_any_file_is_seen_by_assertions_in_the_others() {
    for (path, from, to, seen) in CHANGES {
        let repository = repository();
        repository.write(path, &changed(path, from, to));
        let ran = repository.check(&["--git", "HEAD", "--link", "src/*.c"]);
        is_as_expected(&ran, seen, &format!("{path}: {to}"));
        if seen == Seen::Yes {
            assert!(ran.stdout.contains("regression at src/main.c:11"), "{}", ran.stdout);
        }
        let ran = repository.check(&["--git", "HEAD", "--target=tank"]);
        is_as_expected(&ran, seen, &format!("--target, {path}: {to}"));
    }
}

#[test]
fn a_flag_of_the_build_is_a_change_too() {
    let repository = repository();
    repository.write("compile_commands.json", &database("-DEXTRA=5"));
    is_as_expected(&repository.check(&["--git", "HEAD", "--target=tank"]), Seen::Yes, "a flag");
    // All files belong to one program or the other: nothing is left that is not linked.
    let ran = repository.check(&["--git", "HEAD", "--target=tank", "--target=other"]);
    is_as_expected(&ran, Seen::Yes, "two targets");
    assert!(ran.stdout.contains("1 unchanged"), "{}{}", ran.stdout, ran.stderr);
    let ran = repository.check(&["--git", "HEAD", "--target=none"]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn without_its_files_together_a_program_is_not_checked() {
    let repository = repository();
    repository.write("src/fill.c", &changed("src/fill.c", "x > limit ? limit : x", "x > limit + 10 ? limit : x"));
    let ran = repository.check(&["--git", "HEAD"]);
    assert_eq!((ran.code, ran.last_line()), (3, "UNKNOWN(not checked)"), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("link the files of a program with --link 'PATTERN'"), "{}", ran.stdout);
    // What is linked with too little is no proof either.
    let ran = repository.check(&["--git", "HEAD", "--link", "src/main.c,src/note.c"]);
    assert_eq!((ran.code, ran.last_line()), (3, "UNKNOWN(not checked)"), "{}{}", ran.stdout, ran.stderr);
}

/// Who writes to a file below `--out` changes that one and no other, though both revisions have it.
#[test]
fn kept_files_of_both_revisions_are_two() {
    let repository = repository();
    repository.write("src/fill.c", &changed("src/fill.c", "x > limit ? limit : x", "x > limit + 10 ? limit : x"));
    repository.commit("higher");
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "--link", "src/*.c", "--out", "kept"]);
    is_as_expected(&ran, Seen::Yes, "kept");
    let units = repository.path().join("kept");
    let (mut folders, mut kept) = (vec![units], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { kept.push(path) }
        }
    }
    assert!(kept.iter().any(|file| file.ends_with("modified/src/main.c")), "{kept:?}");
    for file in kept {
        assert_eq!(std::os::unix::fs::MetadataExt::nlink(&fs::metadata(&file).unwrap()), 1, "{}", file.display());
    }
}

#[test]
fn a_function_may_move_to_another_file() {
    let repository = repository();
    repository.write("src/note.c", "#include \"../include/level.h\"\n");
    let moved = changed("src/limit.c", "int limit", "static int seen;\nvoid note(int level) { seen += level; }\nint limit");
    repository.write("src/limit.c", &moved);
    is_as_expected(&repository.check(&["--git", "HEAD", "--link", "src/*.c"]), Seen::No, "moved");
    repository.git(&["rm", "--quiet", "--force", "src/note.c"]);
    is_as_expected(&repository.check(&["--git", "HEAD", "--link", "src/*.c"]), Seen::No, "moved, and the file is gone");
    repository.git(&["mv", "src/limit.c", "src/bounds.c"]);
    is_as_expected(&repository.check(&["--git", "HEAD", "--link", "src/*.c"]), Seen::No, "renamed");
}

/// Two folders with the program, the second one changed.
fn folders(path: &str, from: &str, to: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for side in ["old", "new"] {
        for (name, text) in FILES {
            let file = folder.path().join(side).join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
        }
        let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).filter(|name| name.starts_with("src/")).collect();
        fs::write(folder.path().join(side).join("tank.list"), format!("# the tank\n{}\n", names.join("\n"))).unwrap();
    }
    fs::write(folder.path().join("new").join(path), changed(path, from, to)).unwrap();
    folder
}

#[test]
fn folders_lists_and_patterns_name_programs() {
    for (path, from, to, seen) in CHANGES {
        let folder = folders(path, from, to);
        for arguments in [
            &["check", "old/src", "new/src"][..],
            &["check", "@old/tank.list", "@new/tank.list"],
            &["check", "--link", "src/*.c", "old", "new"],
            &["check", "--via", "reduce", "old/src", "new/src"],
        ] {
            is_as_expected(&run(arguments, folder.path()), seen, &format!("{arguments:?} {path}: {to}"));
        }
    }
}

#[test]
fn what_is_written_names_the_right_files_and_compiles() {
    let folder = folders("src/fill.c", "x > limit ? limit : x", "x > limit + 10 ? limit : x");
    let arguments = [
        "check", "--via", "reduce", "--out", "out", "--report", "r.sarif", "--report", "r.html", "--report", "r.json", "old/src",
        "new/src",
    ];
    let ran = run(&arguments, folder.path());
    is_as_expected(&ran, Seen::Yes, "reports");
    assert!(ran.stdout.contains("regression at new/src/main.c:11"), "{}", ran.stdout);
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(text("r.sarif").contains("new/src/fill.c"), "{}", text("r.sarif"));
    assert!(text("r.json").contains("new/src/fill.c"));
    assert!(text("r.html").contains("limit + 10"));
    let explained = run(&["explain", "out"], folder.path());
    assert!(explained.stdout.contains("new/src/fill.c:3"), "{}{}", explained.stdout, explained.stderr);
    let graph: serde_json::Value = serde_json::from_str(&text("out/difference-graph.json")).unwrap();
    let names: Vec<&str> = graph["modified"]["files"].as_array().unwrap().iter().map(|f| f["path"].as_str().unwrap()).collect();
    assert_eq!(names, ["fill.c", "limit.c", "main.c", "note.c"]);
    compiles(folder.path(), &["-c", "out/residual.c", "-o", "residual.o"]);
    compiles(folder.path(), &["out/harness.c", "-o", "harness"]);
    let harness = duct::cmd!(folder.path().join("harness")).stdout_capture().unchecked().run().unwrap();
    assert_eq!((harness.status.code(), &harness.stdout[..]), (Some(1), &b"reach_error\n"[..]));
}

fn compiles(folder: &Path, arguments: &[&str]) {
    let command = duct::cmd("gcc", ["-std=gnu11", "-w", "-fwrapv"].iter().chain(arguments)).dir(folder);
    let ran = command.stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stdout));
}

#[test]
fn a_list_decides_nothing_else() {
    let folder = folders("src/fill.c", "count++", "count += 1");
    fs::write(folder.path().join("bad.list"), "/dev/zero\n").unwrap();
    let ran = run(&["check", "@old/tank.list", "@bad.list"], folder.path());
    assert!(ran.code == 2 && ran.stderr.contains("is no file"), "{}", ran.stderr);
    // What is in the folder of the outputs would be replaced.
    let ran = run(&["check", "--out", "new", "old/src", "new/src"], folder.path());
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    let ran = run(
        &["check", "--report", "new/src/main.c.json", "--map", "new/src/main.c", "--via", "reduce", "old/src", "new/src"],
        folder.path(),
    );
    assert!(ran.code == 2 && ran.stderr.contains("is read by this run"), "{}{}", ran.stdout, ran.stderr);
}
