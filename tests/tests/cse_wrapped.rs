//! Questions that are asked in another way too: with arithmetic that wraps, with real functions as the machine computes them, with
//! what a function was given. None of it may answer what was not asked.

use residue_tests::run;

fn verdict(client: &str, libraries: [&str; 2], flags: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("client.c", client), ("old.c", libraries[0]), ("new.c", libraries[1])] {
        std::fs::write(folder.path().join(name), format!("{text}\n")).unwrap();
    }
    let mut arguments = vec!["--steps", "3000000", "--harness", "both.c", "--client", "client.c"];
    arguments.extend(flags);
    arguments.extend(["old.c", "new.c"]);
    let ran = run("cse", &arguments, folder.path()).unwrap();
    let shown = folder.path().join("both.c");
    let mut said = String::new();
    if shown.exists() {
        let command =
            "gcc -std=gnu11 -w -O0 -fsanitize=undefined -fsanitize-undefined-trap-on-error both.c -lm -o both && ./both";
        let gcc = duct::cmd!("sh", "-c", command).dir(folder.path()).unchecked().stdout_capture().run().unwrap();
        said = gcc.status.code().map_or_else(String::new, |code| code.to_string());
    }
    assert!(!ran.last_line().is_empty(), "{}", ran.stderr);
    (ran.last_line().to_owned(), said)
}

const CLIENT: &str = "int lib(int); int client(int x) { return lib(x); }";

/// What holds with arithmetic that wraps holds where both are defined; what does not hold there may hold all the same.
#[test]
fn arithmetic_that_wraps_proves_and_does_not_refute() {
    let sums = ["int lib(int x) { return 3 * x + x; }", "int lib(int x) { return x * 2 + 2 * x; }"];
    assert_eq!(verdict(CLIENT, sums, &["--undefined", "both"]).0, "EQUIVALENT");
    // With arithmetic that wraps these differ, where it must fit they do not.
    let halves = ["int lib(int x) { return (x + x) / 2; }", "int lib(int x) { return x; }"];
    let found = verdict(CLIENT, halves, &["--undefined", "both"]).0;
    assert_ne!(found, "NOT EQUIVALENT");
    assert_eq!(verdict(CLIENT, halves, &["--overflow", "wrap"]).0, "NOT EQUIVALENT");
    // A version that is defined elsewhere than the other one is not the same without `both`.
    let wide = ["int lib(int x) { return (int)(x + 1u); }", "int lib(int x) { return x + 1; }"];
    assert_eq!(verdict(CLIENT, wide, &[]).0, "NOT EQUIVALENT");
    assert_eq!(verdict(CLIENT, wide, &["--undefined", "both"]).0, "EQUIVALENT");
}

/// Bits that a shift to the left loses are lost where arithmetic wraps, as gcc has it with `-fwrapv`.
#[test]
fn shifts_wrap_too() {
    let shift = "int lib(int x) { return x << 3; }";
    let product = [shift, "int lib(int x) { return x * 8; }"];
    assert_eq!(verdict(CLIENT, product, &["--overflow", "wrap"]).0, "EQUIVALENT");
    let negative = [shift, "int lib(int x) { return x < 0 ? 1 : x << 3; }"];
    assert_eq!(verdict(CLIENT, negative, &["--overflow", "wrap"]).0, "NOT EQUIVALENT");
    assert_eq!(verdict(CLIENT, negative, &["--undefined", "both"]).0, "EQUIVALENT");
}

/// Two calls with the same arguments yield the same, with others anything; a difference counts where gcc shows it.
#[test]
fn real_functions_are_the_same_only_for_the_same_arguments() {
    let client = "double lib(double); double client(double x) { return lib(x); }";
    let declared = "double sin(double); double pow(double, double); double lib(double x)";
    let library = |body: &str| format!("{declared} {{ return {body}; }}");
    for (original, modified, expected) in [
        ("sin(x) + 1", "1 + sin(x)", "EQUIVALENT"),
        ("sin(x)", "sin(-x)", "NOT EQUIVALENT"),
        ("pow(x, 3)", "pow(3, x)", "NOT EQUIVALENT"),
    ] {
        let found = verdict(client, [&library(original), &library(modified)], &[]);
        assert_eq!(found.0, expected, "{original} {modified}");
        assert!(expected == "EQUIVALENT" || found.1 == "0", "{original} {modified}: gcc shows no difference");
    }
    // Nothing is known of its range, and no run shows anything.
    let large = [library("sin(x) > 2"), library("0")];
    let found = verdict(client, [&large[0], &large[1]], &[]).0;
    assert!(found.starts_with("UNKNOWN"), "{found}");
    // A function of that name that the client defines is no other one.
    let own = "double lib(double); double sin(double x) { return x + 1; } double client(double x) { return lib(x); }";
    let found = verdict(own, [&library("sin(x)"), &library("x + 1")], &[]).0;
    assert_eq!(found, "EQUIVALENT");
}

/// What a function was given is that of the call it is in.
#[test]
fn loops_of_one_version_know_what_their_function_was_given() {
    let original = "int lib(int n) { int c = 0; while (n > 0) { n--; c++; } return c; }";
    let modified = "int lib(int n) { return n > 0 ? n : 0; }";
    assert_eq!(verdict(CLIENT, [original, modified], &[]).0, "EQUIVALENT");
    let twice = "int lib(int); int client(int x) { lib(5); return lib(x); }";
    let rare = "int lib(int n) { return n > 0 ? n == 1234567 ? n - 1 : n : 0; }";
    let found = verdict(twice, [original, rare], &[]).0;
    assert_ne!(found, "EQUIVALENT");
}

/// What loops of the second version are given is known in terms of those of the first, which run before.
#[test]
fn loops_of_both_versions_know_what_their_functions_were_given() {
    let client = "int lib(int); int client(int x) { return x > 0 ? -lib(-x) : lib(x); }";
    let original = "int lib(int x) { int counter = 0; while (x < 0) { x++; counter++; } return counter; }";
    let modified = |result: &str| format!("int lib(int x) {{ if (x < 0) return {result}; while (x >= 0) x = x; return x; }}");
    assert_eq!(verdict(client, [original, &modified("-x")], &["--undefined", "both"]).0, "EQUIVALENT");
    assert_eq!(verdict(client, [original, &modified("x == -177 ? 5 : -x")], &["--undefined", "both"]).0, "NOT EQUIVALENT");
}

/// That both versions run one after the other from the beginning changes no verdict.
#[test]
fn verdicts_do_not_rest_on_the_lockstep() {
    let libraries = ["int lib(int x) { return x > 7 ? 7 : x; }", "int lib(int x) { return x > 9 ? 9 : x; }"];
    for (client, expected) in [
        ("int lib(int); int client(int x) { return lib(x & 7); }", "EQUIVALENT"),
        ("int lib(int); int client(int x) { return lib(x & 15); }", "NOT EQUIVALENT"),
    ] {
        assert_eq!(verdict(client, libraries, &["--without", "lockstep"]).0, expected);
        assert_eq!(verdict(client, libraries, &[]).0, expected);
    }
}
