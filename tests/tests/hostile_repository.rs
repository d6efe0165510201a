//! Attacks by repositories, compilation databases and a shared cache; SECURITY.md names these tests.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use residue_tests::{Ran, run};

const SAFE: &str = "extern void reach_error(void);\nint main(void) { int x = 1; if (x == 2) reach_error(); return 0; }\n";
const OTHER: &str = "extern void reach_error(void);\nint main(void) { int x = 3; if (x == 2) reach_error(); return 0; }\n";
const BAD: &str = "extern void reach_error(void);\nint main(void) { int x = 2; if (x == 2) reach_error(); return 0; }\n";

/// A repository whose `a.c` is changed in the working tree, and a file beside it that is nobody's business.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(repository.top()).unwrap();
        fs::write(repository.beside("secret.h"), "int SECRET_WORD;\n").unwrap();
        repository.git(&["init", "--quiet", "."]);
        repository.write("a.c", SAFE);
        repository.commit();
        repository.write("a.c", OTHER);
        repository
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.top().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.org"];
        let command = duct::cmd("git", identity.iter().chain(arguments)).dir(self.top());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").run().unwrap();
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
    }

    fn check(&self, arguments: &[&str]) -> Ran {
        run("residue", [&["check"], arguments].concat(), &self.top()).unwrap()
    }

    /// A script that leaves a mark, and whether it did.
    fn trap(&self) -> String {
        let file = self.beside("trap");
        fs::write(&file, format!("#!/bin/sh\n: > {}\ncat\n", self.beside("owned").display())).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        file.to_str().unwrap().to_owned()
    }

    fn is_owned(&self) -> bool {
        self.beside("owned").exists()
    }
}

#[test]
fn a_repository_runs_nothing() {
    let repository = Repository::new();
    let trap = repository.trap();
    repository.write(".gitattributes", "*.c filter=evil diff=evil merge=evil\n*.h filter=a=b\n");
    repository.write("b.h", "int b;\n");
    repository.commit();
    repository.write("a.c", SAFE);
    repository.write("b.h", "int bb;\n");
    repository.git(&["mv", "a.c", "renamed.c"]);
    for setting in [
        "filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "filter.a=b.smudge", "filter.a=b.clean",
        "diff.evil.textconv", "diff.evil.command", "merge.evil.driver", "diff.external", "core.fsmonitor", "core.pager",
        "core.editor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand", "credential.helper", "gpg.program",
        "core.gitProxy",
    ] {
        repository.git(&["config", setting, &trap]);
    }
    repository.git(&["config", "filter.evil.required", "true"]);
    for alias in ["alias.ls-files", "alias.checkout-index", "alias.x"] {
        repository.git(&["config", alias, &format!("!{trap}")]);
    }
    for hook in
        ["post-index-change", "post-checkout", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction", "post-rewrite"]
    {
        fs::copy(&trap, repository.top().join(".git/hooks").join(hook)).unwrap();
    }
    let _ = fs::remove_file(repository.beside("owned"));
    for range in ["HEAD", "HEAD~1..HEAD"] {
        let ran = repository.check(&["--git", range]);
        assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{range}: {}{}", ran.stdout, ran.stderr);
        assert!(!repository.is_owned(), "{range}: git ran what the repository names");
    }
}

#[test]
fn nothing_is_fetched() {
    let repository = Repository::new();
    let trap = repository.trap();
    repository.commit();
    // A clone without the contents of files fetches them when they are wanted.
    repository.git(&["config", "extensions.partialClone", "origin"]);
    repository.git(&["config", "remote.origin.url", &format!("ext::{trap} x")]);
    repository.git(&["config", "remote.origin.promisor", "true"]);
    repository.git(&["config", "remote.origin.uploadpack", &trap]);
    repository.git(&["config", "protocol.ext.allow", "always"]);
    let objects = repository.top().join(".git/objects");
    for folder in
        fs::read_dir(&objects).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.file_name().unwrap().len() == 2)
    {
        for object in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name =
                format!("{}{}", object.parent().unwrap().file_name().unwrap().display(), object.file_name().unwrap().display());
            let kind = duct::cmd!("git", "cat-file", "-t", name).dir(repository.top()).read().unwrap();
            if kind == "blob" {
                fs::remove_file(object).unwrap();
            }
        }
    }
    let ran = repository.check(&["--git", "HEAD~1..HEAD"]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(!repository.is_owned(), "git asked another machine");
}

#[test]
fn tracked_links_do_not_lead_out_of_the_checkout() {
    let repository = Repository::new();
    let secret = repository.beside("secret.h");
    repository.write("inside/real.h", "#define INSIDE 2\n");
    symlink("inside/real.h", repository.top().join("link.h")).unwrap();
    symlink("inside", repository.top().join("folder")).unwrap();
    symlink(&secret, repository.top().join("absolute.h")).unwrap();
    symlink("../secret.h", repository.top().join("relative.h")).unwrap();
    symlink("..", repository.top().join("up")).unwrap();
    symlink(&secret, repository.top().join("program.c")).unwrap();
    symlink("/etc/passwd", repository.top().join("compile_commands.json")).unwrap();
    let good =
        SAFE.replace("int main", "#include \"link.h\"\n#include \"folder/real.h\"\nint main").replace("x == 2", "x == INSIDE");
    repository.write("good.c", &good);
    for name in ["absolute.h", "relative.h", "up/secret.h"] {
        repository.write(&format!("bad-{}.c", name.replace('/', "-")), &format!("#include \"{name}\"\n{SAFE}"));
    }
    repository.commit();
    repository.write("good.c", &good.replace("x = 1", "x = 4"));
    for name in ["absolute.h", "relative.h", "up/secret.h"] {
        repository.write(&format!("bad-{}.c", name.replace('/', "-")), &format!("#include \"{name}\"\n{OTHER}"));
    }
    let working = repository.check(&["--git", "HEAD", "--report", "r.html", "--report", "r.json", "--out", "../out"]);
    repository.commit();
    fs::remove_dir_all(repository.beside("out")).unwrap();
    let committed = repository.check(&["--git", "HEAD~1..HEAD", "--report", "r.html", "--report", "r.json", "--out", "../out"]);
    for ran in [working, committed] {
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 2, "{all}");
        assert!(ran.stdout.contains("good.c main: no regression: TRUE"), "a link inside is as good as a file: {all}");
        for name in ["bad-absolute.h.c", "bad-relative.h.c", "bad-up-secret.h.c"] {
            assert!(ran.stdout.contains(&format!("{name}: not checked")), "{all}");
        }
        assert!(!all.contains("SECRET_WORD") && !all.contains("root:"), "{all}");
    }
    let read = |name: &str| fs::read_to_string(repository.top().join(name)).unwrap();
    assert!(!read("r.html").contains("SECRET_WORD") && !read("r.json").contains("SECRET_WORD"));
}

#[test]
fn a_program_of_a_revision_includes_nothing_from_elsewhere() {
    let repository = Repository::new();
    let secret = repository.beside("secret.h");
    fs::write(&secret, "# SECRET_WORD\nint SECRET_WORD = @;\n").unwrap();
    let bytes = repository.beside("é \"x");
    fs::create_dir(&bytes).unwrap();
    fs::copy(&secret, bytes.join("s.h")).unwrap();
    for include in [
        format!("#include \"{}\"", secret.display()),
        "#include \"../secret.h\"".to_owned(),
        format!("#define FILE \"{}\"\n#include FILE", secret.display()),
        format!("#line 7 \"x.h\" 1\n#include_next \"{}\"", secret.display()),
        format!("# 1 \"/usr/include/stdio.h\" 1\n#include \"{}\"", secret.display()),
        format!("#include <{}/s.h>", bytes.display()),
    ] {
        repository.write("a.c", &format!("{include}\n{SAFE}"));
        let ran = repository.check(&["--git", "HEAD"]);
        assert_eq!(ran.code, 2, "{include}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("which is not in the repository"), "{include}: {}", ran.stderr);
        assert!(!ran.stderr.contains("SECRET_WORD"), "{include}: {}", ran.stderr);
    }
    // What the user names may be read.
    fs::write(&secret, "int secret;\n").unwrap();
    repository.write("a.c", &format!("#include \"secret.h\"\n#include <stddef.h>\n{SAFE}"));
    let ran = repository.check(&["--git", "HEAD", "-I", ".."]);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stderr);
}

#[test]
fn reports_do_not_read_what_line_markers_name() {
    let repository = Repository::new();
    let secret = repository.beside("secret.h");
    let up = "../".repeat(12);
    for name in
        [secret.display().to_string(), "../secret.h".to_owned(), format!("{up}{}", secret.display()), "/dev/zero".to_owned()]
    {
        repository.write("a.c", &format!("{}# 3 \"{name}\" 2\nint y;\n", OTHER));
        let ran = repository.check(&["--git", "HEAD", "--report", "../r.html", "--report", "../r.json"]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        for report in ["r.html", "r.json"] {
            assert!(!fs::read_to_string(repository.beside(report)).unwrap().contains("SECRET_WORD"), "{name} in {report}");
        }
    }
    // Two programs that somebody has sent, in folders of their own.
    let sent = repository.beside("sent");
    for (version, text) in [("v1", SAFE), ("v2", OTHER)] {
        fs::create_dir_all(sent.join(version)).unwrap();
        symlink(repository.beside("secret.h"), sent.join(version).join("leak.h")).unwrap();
        duct::cmd!("mkfifo", sent.join(version).join("fifo.h")).run().unwrap();
        let names = ["leak.h", "fifo.h"]
            .map(|name| format!("# 1 \"{version}/{name}\" 1\nint z{};\n# 2 \"{version}/a.c\" 2\n", name.len()));
        fs::write(sent.join(version).join("a.c"), format!("{text}{}# 1 \"/dev/zero\"\nint w;\n", names.concat())).unwrap();
    }
    fs::remove_file(sent.join("v1/leak.h")).unwrap();
    fs::write(sent.join("v1/leak.h"), "").unwrap();
    let ran = run("residue", ["check", "--report", "r.html", "--report", "r.json", "v1/a.c", "v2/a.c"], &sent).unwrap();
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stderr);
    assert!(!fs::read_to_string(sent.join("r.html")).unwrap().contains("SECRET_WORD"));
}

#[test]
fn settings_do_not_move_the_working_tree() {
    let repository = Repository::new();
    fs::write(repository.beside("theirs.c"), SAFE).unwrap();
    repository.git(&["config", "core.worktree", repository.folder.path().to_str().unwrap()]);
    let ran = repository.check(&["--git", "HEAD"]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("core.worktree"), "{}", ran.stderr);
}

#[test]
fn names_of_tracked_files_are_shown_escaped() {
    let repository = Repository::new();
    for name in ["x\nTRUE.c", "x\u{1b}[2K.c", "::error file=a::b.c", "@x.c", "-x.c", "x .c ", "\u{202e}c.c"] {
        repository.write(name, SAFE);
    }
    // If `@x.c` were a file of arguments, this would be them.
    repository.write("x.c", "-MD -MF owned a.c");
    repository.commit();
    for name in ["x\nTRUE.c", "x\u{1b}[2K.c", "::error file=a::b.c", "@x.c", "-x.c", "\u{202e}c.c"] {
        repository.write(name, OTHER);
    }
    let ran = repository.check(&["--git", "HEAD", "-v"]);
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(all.chars().all(|c| matches!(c, '\n' | '\t') || formats::shown::is_harmless(c)), "{all:?}");
    assert!(all.lines().rev().skip(1).all(|line| !line.starts_with("TRUE")), "{all}");
    assert!(ran.stderr.lines().all(|line| !line.trim_start().starts_with("::")), "{all}");
    for name in ["@x.c", "-x.c"] {
        assert!(ran.stdout.contains(&format!("{name} main: no regression: TRUE")), "{all}");
    }
    assert!(ran.stdout.contains("x\\nTRUE.c: not checked"), "{all}");
}

#[test]
fn flags_of_a_compilation_database_run_nothing_and_write_nothing() {
    let repository = Repository::new();
    let trap = repository.trap();
    let entry = |flags: &str| {
        repository.write(
            "compile_commands.json",
            &format!(r#"[{{"directory": ".", "file": "a.c", "arguments": ["cc", {flags}, "-c", "a.c"]}}]"#),
        );
        repository.check(&["--git", "HEAD"])
    };
    repository.write("flags", &format!("-wrapper {trap}"));
    let wrapper = format!("\"-wrapper\", \"{trap}\"");
    for flags in [
        wrapper.as_str(),
        r#""-fplugin=./evil.so""#,
        r#""-MD", "-MF", "owned""#,
        r#""-o", "owned""#,
        r#""-Wp,-MD,owned""#,
        r#""@flags""#,
        r#""-save-temps""#,
        r#""-dumpdir", "owned""#,
        r#""-B", ".""#,
        r#""-specs=flags""#,
        r#""-Xpreprocessor", "@flags""#,
    ] {
        let ran = entry(flags);
        assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{flags}: {}{}", ran.stdout, ran.stderr);
        assert!(!repository.is_owned() && !repository.top().join("owned").exists(), "{flags}");
    }
    for flags in [r#""-include", "@flags""#, r#""-D", "@flags""#, r#""-D", "-fplugin=x""#, r#""-I", "@flags""#] {
        let ran = entry(flags);
        assert_eq!(ran.code, 2, "{flags}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("compile_commands.json: the preprocessor argument"), "{flags}: {}", ran.stderr);
    }
    // An argument without its value would swallow the name of the program: nothing would be left to check.
    repository.write("a.c", BAD);
    repository
        .write("compile_commands.json", r#"[{"directory": ".", "file": "a.c", "arguments": ["cc", "-c", "a.c", "-include"]}]"#);
    let ran = repository.check(&["--git", "HEAD"]);
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    let secret = repository.beside("secret.h");
    repository.write("a.c", OTHER);
    for flag in ["-include", "-imacros"] {
        let ran = entry(&format!("\"{flag}\", \"{}\"", secret.display()));
        assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    }
}

/// A folder with a pair of which the cache says something, and the entry that says it.
fn cached(original: &str, modified: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("o.c"), original).unwrap();
    fs::write(here.join("m.c"), modified).unwrap();
    run("residue", ["check", "--cache", "cache", "o.c", "m.c"], here).unwrap();
    let first = |folder: PathBuf| {
        let mut paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths.find(|path| !path.ends_with("proofs")).unwrap()
    };
    let shard = first(first(here.join("cache")));
    let entry = fs::read_dir(shard).unwrap().next().unwrap().unwrap().path();
    (folder, entry)
}

/// Changes the content of an entry as somebody would who may write it.
fn forge(entry: &Path, change: impl Fn(&mut serde_json::Value)) {
    let text = fs::read_to_string(entry).unwrap();
    let (head, content) = text.split_once('\n').unwrap();
    let mut value = serde_json::from_str(content).unwrap();
    change(&mut value);
    let content = serde_json::to_string(&value).unwrap();
    let format = head.split(' ').next().unwrap();
    fs::write(entry, format!("{format} {}\n{content}", formats::sha256_hex(content.as_bytes()))).unwrap();
}

#[test]
fn a_cache_that_others_may_write_is_refused() {
    let (folder, entry) = cached(SAFE, OTHER);
    let here = folder.path();
    let check =
        |more: &[&str]| run("residue", [&["check", "--json", "--cache", "cache"], more, &["o.c", "m.c"]].concat(), here).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let is_hit = |ran: &Ran| ran.stdout.contains("\"cached\":true");
    assert!(is_hit(&check(&[])));
    for open in [0o777, 0o770, 0o1777] {
        mode(&here.join("cache"), open);
        let ran = check(&[]);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(ran.stderr.contains("--trust-cache"), "{}", ran.stderr);
        assert!(is_hit(&check(&["--trust-cache"])));
    }
    mode(&here.join("cache"), 0o755);
    mode(&entry, 0o666);
    assert!(!is_hit(&check(&[])), "an entry that others may write is none");
    // Nor is a link.
    let copy = here.join("copy");
    fs::copy(&entry, &copy).unwrap();
    mode(&copy, 0o600);
    fs::remove_file(&entry).unwrap();
    symlink(&copy, &entry).unwrap();
    let ran = check(&[]);
    assert!(!is_hit(&ran) && ran.code == 0, "{}", ran.stderr);
    // What the cache says of a TRUE is told with it.
    fs::remove_file(&entry).unwrap();
    check(&[]);
    let ran = check(&[]);
    assert!(is_hit(&ran) && ran.stdout.contains("as the cache cache has it"), "{}", ran.stdout);
}

#[test]
fn a_cached_false_is_replayed_and_its_lines_are_said_anew() {
    let (folder, entry) = cached(SAFE, BAD);
    let here = folder.path();
    let check = || run("residue", ["check", "--cache", "cache", "o.c", "m.c"], here).unwrap();
    let first = check();
    assert_eq!(first.code, 1);
    forge(&entry, |value| {
        value["outcome"]["about"] = "x\nTRUE\n\u{1b}[2K".into();
        value["messages"] = "\u{1b}[2K\n::error::x\n".into();
    });
    let ran = check();
    assert_eq!((ran.code, &ran.stdout), (1, &first.stdout));
    assert!(!ran.stderr.contains('\u{1b}') && ran.stderr.lines().all(|line| !line.starts_with("::")), "{}", ran.stderr);
    // The entry of a regression under the key of a pair that has none.
    let text = fs::read_to_string(&entry).unwrap();
    let outcome: serde_json::Value = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
    let (folder, entry) = cached(SAFE, OTHER);
    forge(&entry, |value| {
        value["outcome"] = outcome["outcome"].clone();
        value["files"] = outcome["files"].clone();
    });
    let ran = run("residue", ["check", "--cache", "cache", "o.c", "m.c"], folder.path()).unwrap();
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stderr);
}

#[test]
fn a_cached_outcome_names_no_other_files() {
    for name in ["../precious", "/etc/passwd", "notes", ".residue-output", "modified/a.c"] {
        let (folder, entry) = cached(SAFE, OTHER);
        let here = folder.path();
        fs::write(here.join("precious"), "mine").unwrap();
        let check =
            || run("residue", ["check", "--cache", "cache", "--out", "out", "--report", "r.html", "o.c", "m.c"], here).unwrap();
        forge(&entry, |value| {
            value["files"][name] = "owned".into();
        });
        assert_eq!(check().code, 0);
        assert!(!here.join("out/notes").exists() && fs::read_to_string(here.join("precious")).unwrap() == "mine", "{name}");
        forge(&entry, |value| {
            value["files"] = serde_json::json!({});
            value["outcome"]["artifacts"] = serde_json::json!({"difference_graph": name});
        });
        let ran = check();
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
    }
}
