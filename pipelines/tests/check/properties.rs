//! `residue properties` between revisions: what it did not look at, and the folder of its cache.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::repository::Repository;
use crate::{Ran, finish, residue, run};

const HEAD: &str = "extern void assert(int); extern int __VERIFIER_nondet_int(void);\n";

fn properties(repository: &Repository, more: &[&str]) -> Ran {
    run(&[&["properties", "--git", "HEAD~1..HEAD"], more].concat(), repository.path())
}

#[test]
fn what_was_not_looked_at_is_unknown() {
    let repository = Repository::new();
    repository.write("app.c", &format!("{HEAD}int f(int x);\nint main(void) {{ assert(f(1) == 1); return 0; }}\n"));
    repository.write("lib.c", "int f(int x) { return x; }\n");
    repository.commit("Before");
    repository.write("lib.c", "int f(int x) { return x + 1; }\n");
    repository.commit("After");
    for more in [&[][..], &["app.c"], &["--deny", "weaker,removed,unmatched"]] {
        let ran = properties(&repository, &[more, &["--report", "r.json", "--report", "r.sarif"]].concat());
        assert_eq!((ran.code, ran.last_line()), (3, "UNKNOWN(not checked)"), "{more:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("lib.c"), "the lines say what: {}", ran.stdout);
        let read = |name: &str| fs::read_to_string(repository.path().join(name)).unwrap();
        assert!(read("r.json").contains("\"verdict\": \"UNKNOWN(not checked)\""), "{}", read("r.json"));
        assert!(read("r.sarif").contains("\"ruleId\": \"not-checked\""), "{}", read("r.sarif"));
    }
    let json = properties(&repository, &["--json"]);
    assert!(json.code == 3 && json.stdout.contains("UNKNOWN(not checked)"), "{}", json.stdout);
}

#[test]
fn the_assertions_of_a_file_that_is_gone_are_gone() {
    let repository = Repository::new();
    repository.write("p.c", &format!("{HEAD}int main(void) {{ assert(1); return 0; }}\n"));
    repository.write("q.c", "int main(void) { return 0; }\n");
    repository.commit("Before");
    repository.git(&["rm", "--quiet", "p.c"]);
    repository.commit("After");
    let ran = properties(&repository, &["--deny", "removed"]);
    assert!(ran.code == 1 && ran.stderr.contains("denied: p.c is deleted"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_cache_is_the_users_alone() {
    let repository = Repository::new();
    let here = repository.path();
    let text = format!("{HEAD}int main(void) {{ int x = __VERIFIER_nondet_int(); assert(x == x); return 0; }}\n");
    repository.write("o.c", &text);
    repository.write("m.c", &text.replace("return 0", "return 1"));
    let ask = |more: &[&str]| run(&[&["properties", "--cache", "cache"], more, &["o.c", "m.c"]].concat(), here);
    let first = ask(&[]);
    assert_eq!((first.code, first.last_line()), (0, "TRUE"), "{}", first.stderr);
    let entries = || fs::read_dir(here.join("cache")).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(entries().len(), 2);
    let mode = |mode| fs::set_permissions(here.join("cache"), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    let refused = ask(&[]);
    assert!(refused.code == 2 && refused.stderr.contains("--trust-cache"), "{}{}", refused.stdout, refused.stderr);
    assert_eq!(ask(&["--trust-cache"]).stdout, first.stdout);
    mode(0o700);
    // What is no file is neither read nor written through, and nobody waits for it.
    let victim = repository.write("victim", "mine\n");
    for entry in entries() {
        fs::remove_file(&entry).unwrap();
        symlink(&victim, &entry).unwrap();
    }
    let ran = ask(&[]);
    assert!(ran.stdout == first.stdout && ran.stderr.contains("symbolic link"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine\n");
    for entry in entries() {
        fs::remove_file(&entry).unwrap();
        duct::cmd!("mkfifo", &entry).run().unwrap();
    }
    assert_eq!(ask(&[]).stdout, first.stdout);
}

/// The driver beside tools of which `other` is another build.
fn with_other_build(folder: &std::path::Path, other: &str) -> std::path::PathBuf {
    let (tools, real) = (folder.join("tools"), residue().parent().unwrap().to_owned());
    fs::create_dir_all(&tools).unwrap();
    duct::cmd!("cp", residue(), tools.join("residue")).run().unwrap();
    duct::cmd!("sh", "-c", "cat \"$1\" - > \"$0\" && chmod 755 \"$0\"", tools.join(other), real.join(other))
        .stdin_bytes("\0")
        .run()
        .unwrap();
    tools.join("residue")
}

#[test]
fn what_another_build_has_found_is_found_again() {
    let repository = Repository::new();
    let here = repository.path();
    let text = format!("{HEAD}int main(void) {{ int x = __VERIFIER_nondet_int(); assert(x == x); return 0; }}\n");
    repository.write("m.c", &text);
    repository.commit("Before");
    repository.write("m.c", &text.replace("return 0", "return 1"));
    repository.commit("After");
    for (command, tool, number) in [("properties", "propdiff", 2), ("invariants", "invdiff", 1)] {
        let tools = tempfile::tempdir().unwrap();
        let other = with_other_build(tools.path(), tool);
        let ask = |driver: &std::path::Path| {
            let arguments = [command, "--git", "HEAD~1..HEAD", "--cache", command, "m.c"];
            let libraries = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            let ran = finish(&duct::cmd(driver, arguments).dir(here).env("LD_LIBRARY_PATH", libraries));
            assert!(ran.code != 2 && !ran.stderr.contains("nothing is cached"), "{command}: {}", ran.stderr);
            fs::read_dir(here.join(command)).unwrap().count()
        };
        assert_eq!([ask(&residue()), ask(&residue()), ask(&other), ask(&other)], [number, number, 2 * number, 2 * number]);
    }
}

#[test]
fn names_mean_files() {
    let repository = Repository::new();
    repository.write("t.c", "int f(int x) { return x; }\n");
    repository.write(":x.c", "int main(void) { return 0; }\n");
    repository.commit("Before");
    repository.write("t.c", "int f(int x) { return x + 1; }\n");
    repository.write(":x.c", "int main(void) { return 1; }\n");
    repository.commit("After");
    let ran = repository.check(&["--git", "HEAD~1..HEAD", "--", ":x.c"]);
    assert!(ran.code == 0 && ran.stdout.contains("TRUE"), "{}{}", ran.stdout, ran.stderr);
    let ran = run(&["clients", "--git", "HEAD~1..HEAD", "--library", "t.c", "t.c"], repository.path());
    assert!(ran.code == 2 && ran.stderr.contains("is a file of the library"), "{}{}", ran.stdout, ran.stderr);
}

/// A revision's library that names a header of the working tree by its whole path has that header in both revisions.
#[test]
fn libraries_are_made_of_their_own_revision() {
    let repository = Repository::new();
    repository.write("k.h", "#define K 1\n");
    let header = repository.path().join("k.h");
    for include in [format!("#include \"{}\"", header.display()), format!("#define H \"{}\"\n#include H", header.display())] {
        repository.write("lib.c", &format!("{include}\nint f(int x) {{ return x + K; }}\n"));
        repository.write("k.h", "#define K 1\n");
        repository.write("client.c", "int f(int);\nint main(void) { return f(1); }\n");
        repository.commit("Before");
        repository.write("k.h", "#define K 2\n");
        repository.commit("After");
        for range in ["HEAD~1", "HEAD~1..HEAD"] {
            let ran = run(&["clients", "--git", range, "--library", "lib.c", "client.c"], repository.path());
            assert!(ran.code == 2 && ran.stderr.contains("which is not that of HEAD~1"), "{}{}", ran.stdout, ran.stderr);
        }
    }
}
