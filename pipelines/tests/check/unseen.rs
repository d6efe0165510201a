//! Changes that no text of a C file shows: flags, symbolic links, the order of files, what git was told not to look at, and names
//! that lead elsewhere. None of them may end as TRUE.

use std::fs;

use crate::repository::Repository;
use crate::run;

const PROGRAM: &str = "extern void reach_error(void);\nint main(void) { return 0; }\n";

/// A database of one file with these arguments.
fn database(arguments: &str) -> String {
    format!(r#"[{{"directory": ".", "file": "a.c", "arguments": ["cc", {arguments}, "-c", "a.c"]}}]"#)
}

/// The last line of a check of the last commit.
fn last(repository: &Repository, more: &[&str]) -> String {
    let ran = repository.check(&[&["-q", "--git", "HEAD~1..HEAD"], more].concat());
    format!("{} [{}]", ran.last_line(), ran.stdout.replace('\n', "; "))
}

#[test]
fn a_flag_that_is_not_followed_is_a_change() {
    for (before, after, is_seen) in [
        ("\"-O0\"", "\"-O2\"", true),
        ("\"-O1\"", "\"-O3\"", false),
        ("\"-g\"", "\"-Wall\"", false),
        ("\"-g\"", "\"-funsigned-char\"", true),
        ("\"-fpack-struct=1\"", "\"-g\"", true),
        ("\"-g\"", "\"-ffast-math\"", true),
        ("\"-g\"", "\"-mavx2\"", true),
        ("\"-g\"", "\"-Wl,--wrap=f\"", true),
    ] {
        let repository = Repository::new();
        repository.write("a.c", PROGRAM);
        repository.write("compile_commands.json", &database(before));
        repository.commit("Before");
        repository.write("compile_commands.json", &database(after));
        repository.commit("After");
        for more in [&[][..], &["a.c"]] {
            let found = last(&repository, more);
            assert_eq!(found.starts_with("UNKNOWN(not checked)"), is_seen, "{before} {after}: {found}");
            assert_eq!(found.starts_with("TRUE"), !is_seen, "{before} {after}: {found}");
        }
    }
}

/// The last line of a check of a change of the words of the command that compiles a program in which `K` must be 1.
fn of_words(before: &[&str], after: &[&str]) -> String {
    let words = |words: &[&str]| {
        let words = [words, &["-c", "a.c"]].concat();
        serde_json::json!([{"directory": ".", "file": "a.c", "arguments": words}]).to_string()
    };
    let repository = Repository::new();
    repository.write("a.c", "extern void reach_error(void);\nint main(void) { if (K != 1) reach_error(); return 0; }\n");
    repository.write("k.h", "#define K 1\n");
    repository.write("l.h", "#define K 2\n");
    repository.write("compile_commands.json", &words(before));
    repository.commit("Before");
    repository.write("compile_commands.json", &words(after));
    repository.write("README", "Words.\n");
    repository.commit("After");
    last(&repository, &[])
}

#[test]
fn every_word_of_a_command_counts_in_its_order() {
    for (before, after, verdict) in [
        (&["gcc", "--define-macro", "K=1"][..], &["gcc", "--define-macro", "K=2"][..], "FALSE"),
        (&["gcc", "--include", "k.h"], &["gcc", "--include", "l.h"], "FALSE"),
        (&["gcc", "-DK=2", "-UK", "-DK=1"], &["gcc", "-DK=1", "-UK", "-DK=2"], "FALSE"),
        (&["gcc", "-DK=1", "-A", "x=1"], &["gcc", "-DK=1", "-A", "x=2"], "UNKNOWN(not checked)"),
        (&["gcc", "-DK=1", "-O0", "-O2"], &["gcc", "-DK=1", "-O2", "-O0"], "UNKNOWN(not checked)"),
        (
            &["gcc", "-DK=1", "-fsigned-char", "-funsigned-char"],
            &["gcc", "-DK=1", "-funsigned-char", "-fsigned-char"],
            "UNKNOWN(not checked)",
        ),
        (&["gcc", "-DK=1"], &["clang", "-DK=1"], "UNKNOWN(not checked)"),
        (&["gcc", "-DK=1"], &["arm-none-eabi-gcc", "-DK=1"], "UNKNOWN(not checked)"),
        (&["sh", "-c", "gcc -DK=1", "-DK=1"], &["sh", "-c", "gcc -DK=2", "-DK=1"], "UNKNOWN(not checked)"),
        (&["gcc", "-DK=1"], &["ccache", "/usr/bin/gcc", "-DK=1"], "TRUE"),
    ] {
        let found = of_words(before, after);
        assert!(found.starts_with(verdict), "{before:?} {after:?}: {found}");
    }
}

#[test]
fn flags_in_files_are_those_of_the_revision() {
    let repository = Repository::new();
    repository.write("a.c", "extern void reach_error(void);\nint main(void) { if (K != 1) reach_error(); return 0; }\n");
    repository.write("compile_commands.json", &database("\"@f.rsp\""));
    repository.write("f.rsp", "-g @d/g.rsp\n");
    repository.write("d/g.rsp", "-DK=1\n");
    repository.commit("Before");
    repository.write("README", "Words.\n");
    repository.commit("Nothing");
    assert!(last(&repository, &[]).starts_with("TRUE"), "{}", last(&repository, &[]));
    let ran = repository.check(&["-q", "--git", "HEAD"]);
    assert!(ran.last_line().starts_with("TRUE"), "as they are in the working tree: {}{}", ran.stdout, ran.stderr);
    repository.write("d/g.rsp", "-DK=2\n");
    repository.commit("Another value");
    assert!(last(&repository, &[]).starts_with("FALSE"), "{}", last(&repository, &[]));
}

#[test]
fn a_file_that_only_one_revision_compiles_is_a_change() {
    let databases = |files: &[&str]| {
        let entry = |file: &&str| serde_json::json!({"directory": ".", "file": file, "arguments": ["gcc", "-c", file]});
        serde_json::Value::Array(files.iter().map(entry).collect()).to_string()
    };
    let repository = Repository::new();
    let program = "extern void reach_error(void); int b(void);\nint main(void) { if (b() != 1) reach_error(); return 0; }\n";
    repository.write("a.c", program);
    repository.write("lib/b.c", "int b(void) { return 1; }\n");
    repository.write("alt/b.c", "int b(void) { return 2; }\n");
    repository.write("compile_commands.json", &databases(&["a.c", "lib/b.c"]));
    repository.commit("Before");
    repository.write("compile_commands.json", &databases(&["a.c", "alt/b.c"]));
    repository.commit("Another file");
    let found = last(&repository, &[]);
    assert!(found.starts_with("UNKNOWN(not checked)"), "{found}");
    assert!(found.contains("alt/b.c: only HEAD compiles it") && found.contains("lib/b.c: only HEAD~1 compiles it"), "{found}");
    assert!(last(&repository, &["--target"]).starts_with("FALSE"), "{}", last(&repository, &["--target"]));
    repository.write("c.c", "int c(void) { return 0; }\n");
    repository.write("compile_commands.json", &databases(&["alt/b.c", "a.c", "c.c"]));
    repository.commit("A new file");
    let found = last(&repository, &["a.c"]);
    assert!(found.starts_with("TRUE"), "a new file is no other one: {found}");
}

#[test]
fn flags_of_a_build_without_database_are_a_change() {
    for (file, before, after, is_seen) in [
        ("Makefile", "CFLAGS = -DK=1\n", "CFLAGS = -DK=2\n", true),
        ("Makefile", "CFLAGS = -DK=1\n", "# Flags.\nCFLAGS = -Wall -DK=1\nclean:\n\trm -f a.o\n", false),
        ("CMakeLists.txt", "add_executable(a a.c)\n", "add_executable(a a.c)\nadd_definitions(-DK=2)\n", true),
        ("CMakeLists.txt", "project(a)\n", "project(b)\n", false),
    ] {
        let repository = Repository::new();
        repository.write("a.c", PROGRAM);
        repository.write(file, before);
        repository.commit("Before");
        repository.write(file, after);
        repository.commit("After");
        for more in [&[][..], &["a.c"]] {
            let found = last(&repository, more);
            assert_eq!(found.starts_with("UNKNOWN(not checked)"), is_seen, "{after}: {found}");
        }
        // What was built before the change says nothing of it.
        repository.write(".git/info/exclude", "build\n");
        repository.write("build/compile_commands.json", &database("\"-DK=1\""));
        assert_eq!(last(&repository, &[]).starts_with("UNKNOWN(not checked)"), is_seen, "{after}");
        repository.git(&["reset", "-q", "--hard", "HEAD~1"]);
        repository.write("compile_commands.json", &database("\"-DK=1\""));
        repository.commit("With a database");
        repository.write(file, after);
        repository.commit("After");
        assert!(
            last(&repository, &[]).starts_with("TRUE"),
            "the database says that nothing has changed: {}",
            last(&repository, &[])
        );
    }
}

#[test]
fn flags_of_a_library_and_its_clients_are_a_change_for_clients() {
    let database = |library: &str, client: &str, other: &str| {
        let entry =
            |file: &str, flag: &str| serde_json::json!({"directory": ".", "file": file, "arguments": ["gcc", flag, "-c", file]});
        serde_json::json!([entry("l.c", library), entry("c.c", client), entry("o.c", other)]).to_string()
    };
    for (after, makefile, is_seen) in [
        (database("-DK=2", "-g", "-g"), "", true),
        (database("-DK=1", "-DK=2", "-g"), "", true),
        (database("-DK=1", "-g", "-DK=2"), "CFLAGS = -DK=2\n", false),
        (String::new(), "CFLAGS = -DK=2\n", true),
        (String::new(), "CFLAGS = -DK=1\nclean:\n", false),
    ] {
        let repository = Repository::new();
        repository.write("l.c", "#ifndef K\n#define K 1\n#endif\nint k(void) { return K; }\n");
        repository.write("c.c", "int k(void);\nint main(void) { return k(); }\n");
        repository.write("o.c", "int o;\n");
        repository.write("Makefile", "CFLAGS = -DK=1\n");
        let has_database = !after.is_empty();
        if has_database {
            repository.write("compile_commands.json", &database("-DK=1", "-g", "-g"));
        }
        repository.commit("Before");
        if has_database {
            repository.write("compile_commands.json", &after);
        }
        repository.write("Makefile", makefile);
        repository.write("README", "Words.\n");
        repository.commit("After");
        let ran = run(&["clients", "--library", "l.c", "--git", "HEAD~1..HEAD", "c.c"], repository.path());
        assert_eq!(
            ran.stdout.contains("c.c: UNKNOWN: not checked: "),
            is_seen,
            "{after}{makefile}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert_eq!(ran.code, if is_seen { 3 } else { 0 }, "{}", ran.stdout);
    }
}

#[test]
fn each_way_in_which_a_file_is_compiled_counts() {
    let source = "extern void reach_error(void);\nint main(void) { if (X == 3) reach_error(); return 0; }\n";
    let database = |u: &str| {
        let entry = |target: &str, x: &str| {
            format!(
                r#"{{"directory": ".", "file": "a.c", "output": "{target}.dir/a.o", "arguments": ["cc", "-DX={x}", "-c", "a.c"]}}"#
            )
        };
        format!("[{}, {}]", entry("t", "1"), entry("u", u))
    };
    let repository = Repository::new();
    repository.write("a.c", source);
    repository.write("compile_commands.json", &database("2"));
    repository.commit("Before");
    repository.write("compile_commands.json", &database("3"));
    repository.commit("After");
    assert!(last(&repository, &[]).starts_with("UNKNOWN(not checked)"), "{}", last(&repository, &[]));
    assert!(last(&repository, &["--target=t"]).starts_with("TRUE"), "{}", last(&repository, &["--target=t"]));
    assert!(last(&repository, &["--target=u"]).starts_with("FALSE"), "{}", last(&repository, &["--target=u"]));
}

#[test]
fn a_link_that_leads_to_another_folder_is_a_change() {
    let link = |repository: &Repository, to: &str| {
        let _ = fs::remove_file(repository.path().join("d"));
        std::os::unix::fs::symlink(to, repository.path().join("d")).unwrap();
    };
    let repository = Repository::new();
    for limit in ["5", "6"] {
        repository.write(&format!("d{limit}/l.h"), &format!("#define L {limit}\n"));
    }
    let source = "extern void reach_error(void);\n#include \"d/l.h\"\nint main(void) { if (L == 6) reach_error(); return 0; }\n";
    repository.write("a.c", source);
    link(&repository, "d5");
    repository.commit("Before");
    link(&repository, "d6");
    repository.commit("After");
    for more in [&[][..], &["a.c"]] {
        assert!(last(&repository, more).starts_with("FALSE"), "{}", last(&repository, more));
    }
    repository.write("a.c", PROGRAM);
    repository.commit("Without the header");
    link(&repository, "d5");
    repository.commit("Back");
    assert!(last(&repository, &[]).starts_with("UNKNOWN(not checked)"), "{}", last(&repository, &[]));
    assert!(last(&repository, &["a.c"]).starts_with("TRUE"), "{}", last(&repository, &["a.c"]));
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "--link", "a.c,d/*.c"]);
    assert!(ran.stderr.contains("d/*.c names no C file"), "{}", ran.stderr);
}

#[test]
fn the_order_of_files_counts() {
    let repository = Repository::new();
    repository.write("a.c", "extern void reach_error(void);\nint g;\nint main(void) { if (g == 1) reach_error(); return 0; }\n");
    let sets = |value: &str| format!("extern int g;\n__attribute__((constructor)) static void set(void) {{ g = {value}; }}\n");
    repository.write("b.c", &sets("1"));
    repository.write("c.c", &sets("2"));
    repository.commit("Before");
    repository.git(&["mv", "b.c", "d.c"]);
    repository.commit("After");
    let found = last(&repository, &["--link", "*.c"]);
    assert!(found.starts_with("FALSE"), "{found}");
}

#[test]
fn what_git_was_told_not_to_look_at_is_looked_at() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let repository = Repository::new();
        repository.write("a.c", PROGRAM);
        repository.commit("Before");
        repository.git(&["update-index", flag, "a.c"]);
        repository.write("a.c", &PROGRAM.replace("return 0", "reach_error(); return 0"));
        let ran = repository.check(&["-q", "--git", "HEAD"]);
        assert!(ran.last_line().starts_with("FALSE"), "{flag}: {}{}", ran.stdout, ran.stderr);
        let listed = repository.git(&["ls-files", "-v"]);
        assert!(!listed.starts_with('H'), "the user's index is as it was: {listed}");
    }
}

#[test]
fn a_name_that_leads_to_what_has_changed_is_seen() {
    let user = "extern void reach_error(void); int call(void);\nint main(void) { if (call() == 2) reach_error(); return 0; }\n";
    for (file, before) in [
        ("l.c", "int real(void) { return 1; }\nint call(void) __attribute__((alias(\"real\")));\n"),
        ("l.c", "int real(void) __asm__(\"call\");\nint real(void) { return 1; }\n"),
        ("l.S", ".globl call\ncall: mov $1, %eax /* return 1 */\n ret\n"),
    ] {
        let repository = Repository::new();
        repository.write("a.c", user);
        repository.write(file, before);
        repository.commit("Before");
        repository.write(file, &before.replace("return 1", "return 2").replace("$1", "$2"));
        repository.commit("After");
        let found = last(&repository, &["a.c"]);
        assert!(found.starts_with("UNKNOWN(not checked)"), "{before}: {found}");
    }
}

#[test]
fn what_runs_by_itself_and_names_of_the_library_and_of_assembly_are_seen_in_other_files() {
    let rest = "static int other(void) { return 7; }\n";
    for (user, lib, from, to) in [
        (
            "int g; int one(void);\nint main(void) { one(); if (g != 0) reach_error(); return 0; }\n",
            "extern int g; int one(void) { return 1; } __attribute__((constructor)) static void w(void) { g = 0; }\n",
            "g = 0",
            "g = 1",
        ),
        (
            "int abs(int); int one(void);\nint main(void) { one(); if (abs(-3) != 3) reach_error(); return 0; }\n",
            "int one(void) { return 1; } int abs(int x) { return x < 0 ? -x : x; }\n",
            "x < 0 ? -x : x",
            "x",
        ),
        (
            "int k(void); int one(void);\nint main(void) { if (k() != 1) reach_error(); return 0; }\n",
            "int one(void) { return 1; } asm(\".globl k\\nk: mov $1,%eax\\n ret\\n\");\n",
            "$1",
            "$2",
        ),
    ] {
        let repository = Repository::new();
        repository.write("a.c", &format!("extern void reach_error(void); {user}"));
        repository.write(
            "m.c",
            "extern void reach_error(void); int one(void);\nint main(void) { if (one() != 1) reach_error(); return 0; }\n",
        );
        repository.write("b.c", &format!("{lib}{rest}"));
        repository.commit("Before");
        repository.write("b.c", &format!("{}{rest}", lib.replace(from, to)));
        repository.commit("After");
        for more in [&["a.c"][..], &["--link", "m.c,b.c"]] {
            let found = last(&repository, more);
            assert!(found.starts_with("UNKNOWN("), "{lib}{more:?}: {found}");
        }
        repository.write("b.c", &format!("{}{}", lib.replace(from, to), rest.replace('7', "8")));
        repository.commit("Other");
        assert!(last(&repository, &["a.c"]).starts_with("TRUE"), "{lib}: {}", last(&repository, &["a.c"]));
    }
}

#[test]
fn what_the_assembler_takes_in_is_a_change() {
    let header = "#define INCBIN(n, f) __asm__(\".global \" #n \"\\n\" #n \":\\n.incbin \\\"\" f \"\\\"\\n.byte 0\\n.text\\n\"); extern const char n[]\n";
    let main = "extern void reach_error(void);\nint main(void) { return 0; }\n";
    for source in [
        format!("#include \"incbin.h\"\nINCBIN(k, \"d/k.bin\");\n{main}"),
        format!("asm(\".include \\\"k.bin\\\"\");\n{main}"),
        format!("asm(\".incbin \"\n  \"\\\"k.bin\\\"\");\n{main}"),
    ] {
        let repository = Repository::new();
        repository.write("incbin.h", header);
        repository.write("a.c", &source);
        repository.write("lib.c", &source.replace("int main(void)", "int lib(int x)").replace("return 0", "return x"));
        repository.write("app.c", "int lib(int);\nint client(int x) { return lib(x); }\n");
        repository.write("d/k.bin", "1");
        repository.write("other.bin", "1");
        repository.commit("Before");
        repository.write("d/k.bin", "2");
        repository.commit("After");
        for more in [&["a.c"][..], &[]] {
            assert!(last(&repository, more).starts_with("UNKNOWN(not checked)"), "{source}: {}", last(&repository, more));
        }
        let clients = || {
            let range = ["clients", "--library", "lib.c", "--git", "HEAD~1..HEAD", "app.c"];
            crate::run(&range, repository.path()).last_line().to_owned()
        };
        assert_eq!(clients(), "0 of 1 client affected, 1 not decided", "{source}");
        repository.write("other.bin", "2");
        repository.commit("Other");
        assert!(last(&repository, &["a.c"]).starts_with("TRUE"), "{source}: {}", last(&repository, &["a.c"]));
        assert_eq!(clients(), "0 of 1 client affected, 0 not decided", "{source}");
    }
}

#[test]
fn a_directive_that_comments_go_through_is_one() {
    let repository = Repository::new();
    let main = "extern void reach_error(void);\nint main(void) { if (K == 2) reach_error(); return 0; }\n";
    repository.write("a.c", &format!("/*\n*/ # /* x\n*/ include /*\ny */ \"k.h\"\n{main}"));
    repository.write("k.h", "#define K 1\n");
    repository.commit("Before");
    repository.write("k.h", "#define K 2\n");
    repository.commit("After");
    assert!(last(&repository, &["a.c"]).starts_with("FALSE"), "{}", last(&repository, &["a.c"]));
}

#[test]
fn a_name_that_a_flag_or_a_line_splice_hides_is_seen() {
    let user = |call: &str| {
        format!(
            "extern void reach_error(void); int lib_k(void); int k(void);\nint main(void) {{ if ({call} == 2) reach_error(); return 0; }}\n"
        )
    };
    let flag = user("k()").replace("int k(void);", "").replace("int lib_k(void);", "int k(void);");
    for (source, flags) in [
        (flag.clone(), &["-Dk=lib_k"][..]),
        (flag.clone(), &["-D", "k=j", "-D", "j=lib_k"]),
        (user("lib_\\\nk()").replace("int lib_k(void);", "int lib\\\n_k(void);"), &[]),
    ] {
        let repository = Repository::new();
        repository.write("a.c", &source);
        repository.write("b.c", "int lib_k(void) { return 1; }\n");
        repository.commit("Before");
        repository.write("b.c", "int lib_k(void) { return 2; }\n");
        repository.commit("After");
        let found = last(&repository, &[flags, &["a.c"]].concat());
        assert!(found.starts_with("UNKNOWN(not checked)"), "{source}: {found}");
    }
    let repository = Repository::new();
    repository.write("a.c", &flag);
    repository.write("compile_commands.json", &database("\"-Dk=lib_k\""));
    repository.write("b.c", "int lib_k(void) { return 1; }\n");
    repository.commit("Before");
    repository.write("b.c", "int lib_k(void) { return 2; }\n");
    repository.commit("After");
    assert!(last(&repository, &["a.c"]).starts_with("UNKNOWN(not checked)"), "{}", last(&repository, &["a.c"]));
}

#[test]
fn what_another_file_takes_in_is_a_change_for_who_uses_it() {
    let repository = Repository::new();
    repository.write(
        "a.c",
        "extern void reach_error(void); extern const char k[];\nint main(void) { if (k[0] == 50) reach_error(); return 0; }\n",
    );
    repository.write("b.c", "asm(\".data\\n.globl k\\nk: .incbin \\\"k.bin\\\"\\n.text\");\n");
    repository.write("c.c", PROGRAM);
    repository.write("k.bin", "1");
    repository.commit("Before");
    repository.write("k.bin", "2");
    repository.commit("After");
    assert!(last(&repository, &["a.c"]).starts_with("UNKNOWN(not checked)"), "{}", last(&repository, &["a.c"]));
    assert!(last(&repository, &["c.c"]).starts_with("TRUE"), "{}", last(&repository, &["c.c"]));
}

/// A submodule of the working tree is what lies there, committed or not.
#[test]
fn a_submodule_counts_as_it_is_there() {
    let (other, repository) = (Repository::new(), Repository::new());
    other.write("limit.h", "#define LIMIT 1\n");
    other.commit("A limit");
    let from = other.path().display().to_string();
    repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &from, "sub"]);
    let main = "int main(void) { if (LIMIT > 10) reach_error(); return 0; }\n";
    repository.write("main.c", &format!("extern void reach_error(void);\n#include \"sub/limit.h\"\n{main}"));
    repository.write("lib.c", "#include \"sub/limit.h\"\nint limit(void) { return LIMIT; }\n");
    repository.write("client.c", "int limit(void);\nint client(void) { return limit(); }\n");
    repository.commit("With a submodule");
    let clients = |range: &str| run(&["clients", "--git", range, "--library", "lib.c", "client.c"], repository.path()).stdout;
    let ran = repository.check(&["--git", "HEAD", "main.c"]);
    assert!(ran.stdout.ends_with("TRUE\n") && clients("HEAD").contains("EQUIVALENT"), "{}", ran.stdout);
    repository.write("sub/limit.h", "#define LIMIT 11\n");
    for _ in 0..2 {
        let ran = repository.check(&["--git", "HEAD", "main.c"]);
        assert!(ran.stdout.ends_with("UNKNOWN(not checked)\n"), "{}", ran.stdout);
        assert!(clients("HEAD").contains("client.c: UNKNOWN: sub is another one now"), "{}", clients("HEAD"));
        repository.git(&["-C", "sub", "commit", "--quiet", "--all", "--allow-empty", "--message", "Another limit"]);
    }
    repository.commit("Another commit of it");
    assert!(clients("HEAD~1..HEAD").contains("client.c: UNKNOWN: sub is another one now"), "{}", clients("HEAD~1..HEAD"));
}

/// Links and flags of a build are changes of a program too.
#[test]
fn the_commit_that_changes_a_link_or_flags_is_a_version() {
    for is_link in [true, false] {
        let repository = Repository::new();
        let flags = |limit: &str| if is_link { database("\"-DNONE\"") } else { database(&format!("\"-DLIMIT={limit}\"")) };
        for limit in ["1", "11"] {
            repository
                .write(&format!("d{limit}/limit.h"), &if is_link { format!("#define LIMIT {limit}\n") } else { String::new() });
        }
        let to = |folder: &str| {
            let _ = fs::remove_file(repository.path().join("d"));
            std::os::unix::fs::symlink(folder, repository.path().join("d")).unwrap();
        };
        let text = if is_link { "#include \"d/limit.h\"\n" } else { "\n" };
        let text = format!("{text}int main(void) {{ int x = LIMIT; return x; }}\n");
        repository.write("a.c", &text);
        repository.write("compile_commands.json", &flags("1"));
        if is_link {
            to("d1");
        }
        repository.commit("Before");
        repository.write("compile_commands.json", &flags("11"));
        if is_link {
            to("d11");
        }
        repository.commit("Breaks");
        repository.write("a.c", &format!("{text}int other;\n"));
        repository.commit("Innocent");
        let ran = run(&["invariants", "--git", "HEAD~2..HEAD", "--of", "x <= 10", "a.c"], repository.path());
        assert!(
            ran.stdout.contains("HFF") && ran.stdout.contains("Breaks\n- x <= 10 at exit: broken"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
    }
}
