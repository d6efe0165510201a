//! Who is affected by the change of a library: of two files, of revisions with their own headers, and in reports.

use std::path::Path;

use duct::cmd;
use residue_tests::{Ran, run};

fn clients(arguments: &[&str], folder: &Path) -> Ran {
    run("residue", ["clients", "--steps", "400000"].iter().chain(arguments), folder).unwrap()
}

fn git(folder: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    cmd("git", who.iter().chain(arguments)).dir(folder).stdout_null().run().unwrap();
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
    }
}

fn commit(folder: &Path, files: &[(&str, &str)]) {
    write(folder, files);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "change"]);
}

#[test]
fn revisions_bring_their_headers_and_clients_are_those_of_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    git(here, &["init", "-q"]);
    commit(
        here,
        &[
            ("lib/lib.h", "#define LIMIT 10\nint lib(int);\n"),
            ("lib/lib.c", "#include \"lib.h\"\nint lib(int v) { return v > 90 ? 90 : v; }\n"),
            ("clients/low.c", "#include \"../lib/lib.h\"\nint client(int x) { return lib(x & 63); }\n"),
            ("clients/high.c", "#include \"../lib/lib.h\"\nint client(int x) { return lib(x & 127); }\n"),
            ("clients/limit.c", "#include \"../lib/lib.h\"\nint client(int x) { return x > LIMIT; }\n"),
            ("clients/none.c", "int client(int x) { return x; }\n"),
        ],
    );
    // Nothing that the library or a client includes.
    commit(here, &[("README", "text\n"), ("other/lib2.c", "int other;\n")]);
    let quiet = clients(&["--library", "lib/lib.c", "--git", "HEAD~1..HEAD", "clients/*.c"], here);
    assert_eq!((quiet.code, quiet.last_line()), (0, "0 of 4 clients affected, 0 not decided"), "{}", quiet.stderr);
    assert_eq!(quiet.stdout.matches("nothing of the change can be seen in it").count(), 4, "{}", quiet.stdout);
    // A client that is changed in the same commit is the new one on both sides.
    commit(
        here,
        &[
            ("lib/lib.c", "#include \"lib.h\"\nint lib(int v) { return v > 100 ? 100 : v; }\n"),
            ("clients/none.c", "int client(int x) { return x + 1; }\n"),
        ],
    );
    let changed = clients(&["--library", "lib/lib.c", "--git", "HEAD~1..HEAD", "clients/*.c"], here);
    assert_eq!((changed.code, changed.last_line()), (1, "1 of 4 clients affected, 0 not decided"), "{}", changed.stderr);
    assert!(changed.stdout.contains("clients/high.c: NOT EQUIVALENT: lib("), "{}", changed.stdout);
    assert!(
        changed.stdout.contains("clients/low.c: EQUIVALENT: nothing that differs is reached: lib() in line 2"),
        "{}",
        changed.stdout
    );
    // A macro of the library, in the working tree.
    write(here, &[("lib/lib.h", "#define LIMIT 11\nint lib(int);\n")]);
    let header = clients(&["--library", "lib/lib.c", "--git", "HEAD", "clients/*.c"], here);
    assert_eq!(
        (header.code, header.last_line()),
        (1, "1 of 4 clients affected, 0 not decided"),
        "{} {}",
        header.stdout,
        header.stderr
    );
    assert!(header.stdout.contains("clients/limit.c: NOT EQUIVALENT"), "{}", header.stdout);
    // No name of a temporary folder is told.
    let told = clients(&["--json", "--library", "lib/lib.c", "--git", "HEAD~1", "clients/*.c"], here);
    assert!(!told.stdout.contains("residue-temporary"), "{}", told.stdout);
}

/// Headers are those of each revision, however they are found.
#[test]
fn each_revision_has_its_own_headers_wherever_they_are_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    git(here, &["init", "-q"]);
    write(
        here,
        &[
            ("inc/real.h", "#define Q 1\n"),
            ("src/lib.c", "#include \"real.h\"\nint q(void) { return Q; }\n"),
            ("src/bare.c", "#ifdef Q\nint q(void) { return Q; }\n#else\nint q(void) { return 0; }\n#endif\n"),
            ("src/sym.c", "#include \"link.h\"\nint q(void) { return Q; }\n"),
            ("clients/c.c", "int q(void); int client(void) { return q(); }\n"),
        ],
    );
    std::os::unix::fs::symlink("../inc/real.h", here.join("src/link.h")).unwrap();
    std::os::unix::fs::symlink("lib.c", here.join("src/alias.c")).unwrap();
    commit(here, &[]);
    commit(here, &[("inc/real.h", "#define Q 2\n")]);
    let absolute = format!("-I{}/inc", here.display());
    for flags in [
        &["-I", "inc", "--library", "src/lib.c"][..],
        &["--isystem", "inc", "--library", "src/lib.c"],
        &[&absolute, "--library", "src/lib.c"],
        &["-I", "inc", "--include", "real.h", "--library", "src/bare.c"],
        &["-I", "inc", "--library", "src/alias.c"],
        &["--library", "src/sym.c"],
    ] {
        let ran = clients(&[flags, &["--git", "HEAD~1..HEAD", "clients/c.c"]].concat(), here);
        assert_eq!((ran.code, ran.last_line()), (1, "1 of 1 client affected, 0 not decided"), "{flags:?}: {}", ran.stderr);
        assert!(ran.stdout.contains("returns 1, then returns 2"), "{flags:?}: {}", ran.stdout);
    }
    // Folders of the system are looked at last, and a folder that is a link may lead elsewhere in each revision.
    write(here, &[("sys/real.h", "#define Q 9\n"), ("one/q.h", "#define Q 1\n"), ("two/q.h", "#define Q 2\n")]);
    write(here, &[("src/far.c", "#include \"q.h\"\nint q(void) { return Q; }\n")]);
    std::os::unix::fs::symlink("one", here.join("far")).unwrap();
    commit(here, &[("inc/real.h", "#define Q 1\n")]);
    std::fs::remove_file(here.join("far")).unwrap();
    std::os::unix::fs::symlink("two", here.join("far")).unwrap();
    commit(here, &[("inc/real.h", "#define Q 2\n")]);
    for flags in [&["--isystem", "sys", "-I", "inc", "--library", "src/lib.c"][..], &["-I", "far", "--library", "src/far.c"]] {
        let ran = clients(&[flags, &["--git", "HEAD~1..HEAD", "clients/c.c"]].concat(), here);
        assert!(ran.stdout.contains("returns 1, then returns 2"), "{flags:?}: {} {}", ran.stdout, ran.stderr);
    }
    for flag in ["--include=inc/real.h", "--cpp-arg=-iquoteinc"] {
        let refused = clients(&[flag, "--library", "src/bare.c", "--git", "HEAD~1..HEAD", "clients/c.c"], here);
        assert_eq!(refused.code, 2, "{flag}: {}", refused.stdout);
        assert!(refused.stderr.contains("names a place of the repository"), "{flag}: {}", refused.stderr);
    }
}

/// Any verifier is asked what `cse` answers: a program for each client, also where two have the same name.
#[test]
fn what_is_asked_is_a_program_for_each_client() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    git(here, &["init", "-q"]);
    commit(
        here,
        &[
            ("lib/lib.h", "int lib(int);\n"),
            ("lib/lib.c", "#include \"lib.h\"\nint lib(int v) { return v > 90 ? 90 : v; }\n"),
            ("one/app.c", "#include \"../lib/lib.h\"\nint client(int x) { return lib(x & 63); }\n"),
            ("two/app.c", "#include \"../lib/lib.h\"\nint client(int x) { return lib(x & 127); }\n"),
        ],
    );
    commit(here, &[("lib/lib.c", "#include \"lib.h\"\nint lib(int v) { return v > 100 ? 100 : v; }\n")]);
    let flags = ["--library", "lib/lib.c", "--git", "HEAD~1..HEAD", "--to", "c", "--out", "asked", "one/*.c", "two/*.c"];
    let ran = clients(&flags, here);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "one/app.c: asked/app.c\ntwo/app.c: asked/app-2.c\n"), "{}", ran.stderr);
    for (file, expected) in [("asked/app.c", "TRUE"), ("asked/app-2.c", "FALSE(unreach-call)")] {
        let text = std::fs::read_to_string(here.join(file)).unwrap();
        assert!(!text.contains("residue-temporary") && text.contains("lib/lib.c"), "{text}");
        cmd!("gcc", "-std=gnu11", "-w", "-c", "-o", "asked.o", file).dir(here).run().unwrap();
        assert_eq!(run("verify", [file], here).unwrap().last_line(), expected);
    }
    // A client that is no C, a folder that is a file, and what does not go together.
    write(here, &[("bad.c", "int lib(int); int client(int x) { return lib(x; }\n")]);
    let files = ["--library", "lib/lib.c", "--library", "lib/lib.c", "one/app.c"];
    let bad = clients(&[["--to", "c", "--out", "asked", "bad.c"].as_slice(), &files].concat(), here);
    assert!(bad.code == 2 && bad.stderr.contains("bad.c") && bad.stdout.contains("one/app.c: asked/app.c"), "{}", bad.stderr);
    for more in [
        ["--to", "c", "--out", "bad.c"].as_slice(),
        &["--to", "c"],
        &["--out", "asked"],
        &["--to", "c", "--out", "asked", "--json"],
    ] {
        assert_eq!(clients(&[more, &files].concat(), here).code, 2, "{more:?}");
    }
}

#[test]
fn reports_escape_what_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(
        here,
        &[
            ("old.c", "int lib(int v) { return v; }\n"),
            ("new.c", "int lib(int v) { return v == 7 ? 8 : v; }\n"),
            ("<b>a&.c", "int lib(int);\nint client(int x) { return lib(x); }\n"),
            ("b.c", "int lib(int);\nint client(int x) { return lib(x & 3); }\n"),
        ],
    );
    let flags = ["--library", "old.c", "--library", "new.c", "--report", "r.html", "--report", "r.sarif", "<b>a&.c", "b.c"];
    let ran = clients(&flags, here);
    assert_eq!((ran.code, ran.last_line()), (1, "1 of 2 clients affected, 0 not decided"), "{}", ran.stderr);
    let page = std::fs::read_to_string(here.join("r.html")).unwrap();
    assert!(!page.contains("<b>a&") && page.contains("&lt;b&gt;a&amp;.c") && page.contains("lib(7)"), "{page}");
    assert!(page.contains("only where <code>v == 7</code>"), "{page}");
    let sarif: serde_json::Value = serde_json::from_slice(&std::fs::read(here.join("r.sarif")).unwrap()).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
}

/// A name is that of one file, whatever is in it: no other file is read for it.
#[test]
fn names_with_commas_are_names_of_one_client() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    git(here, &["init", "-q"]);
    let noticing = "int lib(int);\nint client(int x) { return lib(x); }\n";
    commit(
        here,
        &[
            ("lib.c", "int lib(int v) { return v; }\n"),
            ("p,q.c", noticing),
            ("back\\,slash.c", noticing),
            // Both parts of this name are files, too, which together would be a client that notices nothing.
            ("c.c,/d.c", noticing),
            ("c.c", "int client(int x) { return x; }\n"),
            ("d.c", "int other(int x) { return x; }\n"),
        ],
    );
    commit(here, &[("lib.c", "int lib(int v) { return v == 7 ? 8 : v; }\n")]);
    write(here, &[("new.c", "int lib(int v) { return v == 7 ? 8 : v; }\n"), ("old.c", "int lib(int v) { return v; }\n")]);
    for name in ["p,q.c", "back\\,slash.c", "c.c,/d.c"] {
        let ran = clients(&["--library", "old.c", "--library", "new.c", name, "c.c"], here);
        assert_eq!((ran.code, ran.last_line()), (1, "1 of 2 clients affected, 0 not decided"), "{name}: {}", ran.stderr);
        assert!(ran.stdout.starts_with(&format!("{name}: NOT EQUIVALENT: lib(7)")), "{name}: {}", ran.stdout);
    }
    let ran = clients(&["--library", "lib.c", "--git", "HEAD~1..HEAD", "p,q.c", "c.c,", "c.c"], here);
    assert_eq!((ran.code, ran.last_line()), (1, "2 of 3 clients affected, 0 not decided"), "{}", ran.stderr);
    let quoted = ["--client", "p\\,q.c", "--modified-client", "p\\,q.c", "old.c", "new.c"];
    assert_eq!(run("cse", quoted, here).unwrap().last_line(), "NOT EQUIVALENT");
}

/// A client that cannot be read is not one that notices nothing.
#[test]
fn what_cannot_be_read_is_not_equivalent() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(
        here,
        &[
            ("old.c", "int lib(int v) { return v; }\n"),
            ("new.c", "int lib(int v) { return v == 7 ? 8 : v; }\n"),
            ("good.c", "int lib(int);\nint client(int x) { return lib(x & 3); }\n"),
            ("other.c", "int lib(int);\nint client(int x) { return lib(x); }\n"),
            ("bad.c", "int client(int x) { return x\n"),
        ],
    );
    for (client, verdict, last) in [
        ("good.c", "unknown", "0 of 2 clients affected, 1 not decided"),
        ("other.c", "not-equivalent", "1 of 2 clients affected, 1 not decided"),
    ] {
        let ran = clients(&["--library", "old.c", "--library", "new.c", "--report", "r.json", client, "bad.c"], here);
        assert_eq!((ran.code, ran.last_line()), (2, last), "{client}: {}", ran.stderr);
        assert!(ran.stdout.contains("bad.c: not checked, see the error"), "{}", ran.stdout);
        let report: serde_json::Value = serde_json::from_slice(&std::fs::read(here.join("r.json")).unwrap()).unwrap();
        assert_eq!(report["verdict"], verdict, "{client}");
    }
}

#[test]
fn bad_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    write(here, &[("lib.c", "int lib(int v) { return v; }\n"), ("a.c", "int lib(int); int client(int x) { return lib(x); }\n")]);
    for arguments in [
        &["--library", "lib.c", "a.c"] as &[&str],
        &["--library", "lib.c", "--library", "lib.c"],
        &["--library", "lib.c", "--library", "missing.c", "a.c"],
        &["--library", "lib.c", "--library", "lib.c", "missing.c"],
        &["--library", "lib.c", "--library", "lib.c", "--report", "r.txt", "a.c"],
        &["--library", "lib.c", "--library", "lib.c", "--report", "a.c", "a.c"],
        &["--library", "lib.c", "--git", "HEAD", "a.c"],
    ] {
        let ran = clients(arguments, here);
        assert_eq!(ran.code, 2, "{arguments:?} {}", ran.stderr);
    }
    git(here, &["init", "-q"]);
    commit(here, &[]);
    commit(here, &[("lib.c", "int lib(int v) { return v + 1; }\n")]);
    for arguments in [
        &["--library", "lib.c", "--git", "nothing", "a.c"] as &[&str],
        &["--library", "none.c", "--git", "HEAD~1", "a.c"],
        &["--library", "lib.c", "--git", "HEAD~1", "none/*.c"],
    ] {
        let ran = clients(arguments, here);
        assert_eq!(ran.code, 2, "{arguments:?} {}", ran.stderr);
    }
}
