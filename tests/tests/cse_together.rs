//! Several clients of one library in one run: each gets the verdict it gets alone, whoever was asked about before it.
//!
//! What is proved for one client must not count for another where the client has a part in it: by its arguments, its variables,
//! its own functions that the library calls, the state in which it leaves the library, or its order of calls.

use std::path::Path;

use residue_tests::run;

const STEPS: &str = "200000";

/// What differs between the clients; the library before and after; the clients with their verdicts.
type Case = (&'static str, [&'static str; 2], &'static [(&'static str, &'static str)]);

const CASES: &[Case] = &[
    (
        "arguments",
        ["int lib(int x) { return x > 7 ? 7 : x; }", "int lib(int x) { return x > 9 ? 9 : x; }"],
        &[
            ("int lib(int); int client(int x) { return lib(x & 7); }", "equivalent"),
            ("int lib(int); int client(int x) { return lib(x & 15); }", "not-equivalent"),
        ],
    ),
    (
        "a function of the client that the library calls",
        [
            "int own(unsigned); int lib(unsigned x) { return own(x); }",
            "int own(unsigned); int lib(unsigned x) { return own(x + (x == 5)); }",
        ],
        &[
            ("int lib(unsigned); int own(unsigned v) { return 3; } int client(unsigned x) { return lib(x); }", "equivalent"),
            (
                "int lib(unsigned); int own(unsigned v) { return v & 1; } int client(unsigned x) { return lib(x); }",
                "not-equivalent",
            ),
            ("int lib(unsigned); int own(unsigned v) { return v & ~7; } int client(unsigned x) { return lib(x); }", "equivalent"),
        ],
    ),
    (
        "an input that a client defines",
        ["int input(void); int lib(int x) { int a = input(); return a - a + x; }", "int lib(int x) { return x; }"],
        &[
            ("int lib(int); int input(void) { return 3; } int client(int x) { return lib(x); }", "equivalent"),
            ("int lib(int); int n; int input(void) { return n++ & 7; } int client(int x) { return lib(x); }", "not-equivalent"),
        ],
    ),
    (
        "a variable of the client",
        [
            "extern int mode; int lib(int x) { return mode ? x : x; }",
            "extern int mode; int lib(int x) { return mode ? x : (int)(x + 1u); }",
        ],
        &[
            ("int lib(int); int mode = 1; int client(int x) { return lib(x); }", "equivalent"),
            ("int lib(int); int mode; int client(int x) { return lib(x); }", "not-equivalent"),
            ("int lib(int); int mode = 1; int client(int x) { mode = x; return lib(3); }", "not-equivalent"),
        ],
    ),
    (
        "the state of the library",
        [
            "static int on; void set(int v) { on = v; } int lib(int x) { return on ? 1 : x; }",
            "static int on; void set(int v) { on = v; } int lib(int x) { return on ? 2 : x; }",
        ],
        &[
            ("int lib(int); int client(int x) { return lib(x); }", "equivalent"),
            ("int lib(int); void set(int); int client(int x) { set(x); return lib(x); }", "not-equivalent"),
        ],
    ),
    (
        "a variable that one version does not write",
        [
            "int g; int *at(void) { return &g; } int lib(int x) { g = 0; return x; }",
            "int g; int *at(void) { return &g; } int lib(int x) { return x; }",
        ],
        &[
            ("int lib(int); int client(int x) { return lib(x); }", "equivalent"),
            ("int lib(int); int *at(void); int client(int x) { *at() = 4; return lib(x); }", "not-equivalent"),
        ],
    ),
    (
        "the initial value of a variable",
        [
            "static int n = 1; void off(int v) { n = v; } int lib(int x) { return (x & 7) + n; }",
            "static int n = 2; void off(int v) { n = v; } int lib(int x) { return (x & 7) + n; }",
        ],
        &[
            ("int lib(int); void off(int); int client(int x) { off(3); return lib(x); }", "equivalent"),
            ("int lib(int); int client(int x) { return lib(x); }", "not-equivalent"),
        ],
    ),
    (
        "where it is defined",
        ["int lib(int x, int y) { return y > 0 ? 9 / y : 0; }", "int lib(int x, int y) { return y >= 0 ? 9 / y : 0; }"],
        &[
            ("int lib(int, int); int client(int x, int y) { return lib(x, (y & 3) + 1); }", "equivalent"),
            ("int lib(int, int); int client(int x, int y) { return lib(x, y & 3); }", "not-equivalent"),
        ],
    ),
    (
        "nothing",
        [
            "static int n; int lib(int x) { if (n > 5) return 5; n++; return x & 1 ? n : 0; }",
            "static int n; int lib(int x) { if (n >= 6) return 5; n = n + 1; return x % 2 != 0 ? n : 0; }",
        ],
        &[
            ("int lib(int); int client(int x) { return lib(x); }", "equivalent"),
            ("int lib(int); static int n; int client(int x) { return lib(x) + lib(n); }", "equivalent"),
        ],
    ),
];

/// The verdicts about some clients in one run, with what is behind them.
fn together(folder: &Path, clients: &[String]) -> Vec<(String, Option<String>)> {
    let mut arguments = vec!["--json", "--steps", STEPS, "--client", &clients[0]];
    clients[1..].iter().for_each(|client| arguments.extend(["--also", client]));
    arguments.extend(["old.c", "new.c"]);
    let ran = run("cse", &arguments, folder).unwrap();
    let objects = serde_json::Deserializer::from_str(&ran.stdout).into_iter::<serde_json::Value>();
    let told = |object: serde_json::Value| {
        let text = |name: &str| object[name].as_str().map(str::to_owned);
        (text("verdict").unwrap_or_else(|| "none".to_owned()), text("by"))
    };
    objects.map(|object| told(object.unwrap())).collect()
}

fn written(folder: &Path, libraries: [&str; 2], clients: &[(&str, &str)]) -> Vec<String> {
    for (name, text) in ["old.c", "new.c"].iter().zip(libraries) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let names: Vec<String> = (0..clients.len()).map(|number| format!("c{number}.c")).collect();
    names.iter().zip(clients).for_each(|(name, (text, _))| std::fs::write(folder.join(name), text).unwrap());
    names
}

#[test]
fn no_client_answers_for_another() {
    for (what, libraries, clients) in CASES {
        let folder = tempfile::tempdir().unwrap();
        let mut names = written(folder.path(), *libraries, clients);
        let mut expected: Vec<&str> = clients.iter().map(|(_, verdict)| *verdict).collect();
        for _ in clients.iter() {
            let found: Vec<String> = together(folder.path(), &names).into_iter().map(|(verdict, _)| verdict).collect();
            assert_eq!(found, expected, "{what} {names:?}");
            names.rotate_left(1);
            expected.rotate_left(1);
        }
    }
}

/// Clients that agree whatever they pass are not tried each, and one that cannot be read is `null` and takes nobody with it.
#[test]
fn what_holds_for_all_is_proved_once() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (_, libraries, _) = CASES.last().unwrap();
    let clients = ["lib(x)", "lib(x) + lib(3)"].map(|result| format!("int lib(int); int client(int x) {{ return {result}; }}"));
    let mut names = written(here, *libraries, &[(&clients[0], ""), (&clients[1], "")]);
    std::fs::write(here.join("bad.c"), "int lib(int); int client(int x) { return lib(x; }").unwrap();
    names.insert(1, "bad.c".to_owned());
    let flags =
        ["--json", "--stats", "--steps", STEPS, "--client", "c0.c", "--also", "bad.c", "--also", "c1.c", "old.c", "new.c"];
    let ran = run("cse", flags, here).unwrap();
    assert_eq!((ran.code, ran.stderr.matches("bad.c").count() > 0), (2, true), "{}", ran.stderr);
    let runs = ran.stderr.lines().filter(|line| line.starts_with("runs:") && line.ends_with(" 0")).count();
    assert_eq!(runs, 2, "{}", ran.stderr);
    let verdicts: Vec<String> = together(here, &names).into_iter().map(|(verdict, _)| verdict).collect();
    assert_eq!(verdicts, ["equivalent", "none", "equivalent"]);
    for flags in [
        ["--client", "c0.c", "--also", "c1.c", "old.c", "new.c"].as_slice(),
        &["--json", "--also", "c1.c", "old.c", "new.c"],
        &[
            "--json", "--client", "c0.c", "--modified-client", "c0.c", "--also", "c1.c", "--modified-also", "c0.c", "old.c",
            "new.c",
        ],
        &["--json", "--client", "c0.c", "--also", "c1.c", "--to", "c", "old.c", "new.c"],
    ] {
        let ran = run("cse", flags, here).unwrap();
        assert_eq!((ran.code, ran.stderr.is_empty()), (2, false), "{flags:?}");
    }
}
