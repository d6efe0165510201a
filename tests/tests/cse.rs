//! Client-specific equivalence: verdicts are those of all runs, bad input is refused, and two runs do the same.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use duct::cmd;
use formats::equivalence::{CallStatus, Equivalence, EquivalenceResult};
use residue_tests::libraries::SAMPLES;
use residue_tests::programs::Rng;
use residue_tests::{Ran, run};

/// Triples that are tried; `RESIDUE_TRIPLES=N` or `RESIDUE_TRIPLES=FROM..TO` changes it.
const TRIPLES: u64 = 16;

/// The numbers of the triples that are tried.
fn triples() -> std::ops::Range<u64> {
    let Ok(said) = std::env::var("RESIDUE_TRIPLES") else { return 0..TRIPLES };
    let (from, to) = said.split_once("..").unwrap_or(("0", &said));
    from.parse().unwrap()..to.parse().unwrap()
}

fn cse(arguments: &[&str], folder: &Path) -> Ran {
    let limits = ["--steps", "400000"];
    run("cse", arguments.iter().chain(&limits), folder).unwrap()
}

/// The verdict about a client and two versions of its library.
fn verdict(texts: [&str; 3], flags: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in ["client.c", "old.c", "new.c"].iter().zip(texts) {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let arguments: Vec<&str> = flags.iter().copied().chain(["--client", "client.c", "old.c", "new.c"]).collect();
    let ran =
        if flags.contains(&"--steps") { run("cse", &arguments, folder.path()).unwrap() } else { cse(&arguments, folder.path()) };
    assert_ne!(ran.code, 2, "{}", ran.stderr);
    ran.last_line().to_owned()
}

fn short(verdict: &str) -> &str {
    match verdict {
        "EQUIVALENT" => "EQ",
        "NOT EQUIVALENT" => "NEQ",
        _ => "?",
    }
}

#[test]
fn cases_with_known_verdicts() {
    let Some(cases) = residue_tests::shared("oracle/sisters/cse") else { return };
    let index = std::fs::read_to_string(cases.join("INDEX.csv")).unwrap();
    let mut lines = index.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| names.iter().position(|other| *other == name).unwrap();
    let (mut all, mut decided) = (0, 0);
    for row in lines {
        let fields: Vec<&str> = row.split(',').collect();
        let path = |name: &str| cases.join(fields[column(name)]).display().to_string();
        let (client, old, new) = (path("client"), path("old"), path("new"));
        let relations: [(&str, &[&str]); 4] = [
            ("default", &[]),
            ("both", &["--undefined", "both"]),
            ("wrap", &["--overflow", "wrap"]),
            ("return", &["--observe", "return"]),
        ];
        for (relation, flags) in relations {
            let steps = ["--steps", "60000", "--client", &client];
            let ran = run("cse", flags.iter().chain(&steps).chain(&[old.as_str(), new.as_str()]), Path::new(".")).unwrap();
            let found = short(ran.last_line());
            assert!(found == "?" || found == fields[column(relation)], "{} {relation}: {found}", fields[0]);
            (all, decided) = (all + 1, decided + i32::from(found != "?"));
        }
    }
    assert!(all >= 40 && 4 * decided >= 3 * all, "{decided} of {all}");
}

#[test]
fn what_clients_notice() {
    for (what, texts, expected) in SAMPLES {
        for (flags, expected) in [["--undefined", "preserve"], ["--undefined", "both"]].iter().zip(expected) {
            let found = verdict(*texts, flags);
            assert_eq!(short(&found), *expected, "{what} {flags:?}: {found}");
        }
    }
}

#[test]
fn what_is_not_understood_is_not_taken_for_the_same() {
    let client = "int lib(int); int client(int x) { return lib(x); }";
    for (library, (from, to), expected) in [
        ("struct j { long b[25]; }; int _setjmp(struct j *); void longjmp(struct j *, int); struct j J, K;
          static void g(void) { longjmp(&J, 1); } int lib(int x) { if (_setjmp(&J)) return 1; if (_setjmp(&K)) return 2; g(); return 3; }",
          ("longjmp(&J", "longjmp(&K"), "?"),
        ("int lib(int x) { auto int h(int); int h(int y) { return y + x; } return h(1); }", ("y + x", "y - x"), "?"),
        ("typedef int v4 __attribute__((vector_size(16))); int lib(int x) { v4 a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, c = a + b; return c[1]; }",
          ("a + b", "a - b"), "?"),
        ("typedef int v4 __attribute__((vector_size(16))); v4 a = {1, 2, 3, 4}; int lib(int x) { return ((int *)&a)[1]; }",
          ("{1, 2", "{1, 5"), "?"),
        ("int lib(int x) { _Complex double c = 1.0 + 2.0i; return (int)__real__ c; }", ("__real__", "__imag__"), "?"),
        ("int lib(int x) { int r; __asm__(\"movl $1, %0\" : \"=r\"(r)); return r; }", ("$1", "$2"), "?"),
        ("int scanf(const char *, ...); int lib(int x) { double a = 1, b = 1; scanf(\"%*Lf%lf\", &a); return a < b; }", ("&a", "&b"), "?"),
        // Where nothing comes to it, or the text is the same, it does not matter.
        ("int lib(int x) { if (x != x) __asm__(\"movl $1, %0\" : \"=r\"(x)); return x; }", ("$1", "$2"), "EQ"),
        ("int lib(int x) { __asm__(\"movl $1, %0\" : \"=r\"(x)); return x; }", ("lib(int x)", "lib(int  x)"), "EQ"),
    ] {
        let modified = library.replacen(from, to, 1);
        for flags in [["--undefined", "preserve"], ["--undefined", "both"]] {
            let found = verdict([client, library, &modified], &flags);
            assert_eq!(short(&found), expected, "{library}: {found}");
        }
    }
}

#[test]
fn what_is_pointed_to_is_observed() {
    let texts = [
        "int lib(int *, int); int client(int *p, int n) { return lib(p, n & 3); }",
        "int lib(int *p, int n) { p[n] = 1; return 0; }",
        "int lib(int *p, int n) { p[n] = 2; return 0; }",
    ];
    assert_eq!(verdict(texts, &[]), "NOT EQUIVALENT");
    assert_eq!(verdict(texts, &["--observe", "return"]), "EQUIVALENT");
    let same = [texts[0], texts[1], "int lib(int *p, int n) { *(p + n) = 1; return 0; }"];
    assert_eq!(verdict(same, &[]), "EQUIVALENT");
}

#[test]
fn each_version_has_its_own_headers() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text) in [
        ("o/lib.h", "#define LIMIT 10\nstruct pair { int a, b; };\nstruct pair lib(int);\n"),
        ("m/lib.h", "#define LIMIT 10\nstruct pair { int b, a, c; };\nstruct pair lib(int);\n"),
        ("n/lib.h", "#define LIMIT 11\nstruct pair { int a, b; };\nstruct pair lib(int);\n"),
        ("client.c", "#include \"lib.h\"\nint client(int x) { return x < LIMIT ? lib(x & 7).a : 0; }\n"),
        ("lib.c", "#include \"lib.h\"\nstruct pair lib(int v) { struct pair p = { .a = v, .b = 1 }; return p; }\n"),
    ] {
        std::fs::create_dir_all(here.join(name).parent().unwrap()).unwrap();
        std::fs::write(here.join(name), text).unwrap();
    }
    for (header, expected) in [("o", "EQUIVALENT"), ("m", "EQUIVALENT"), ("n", "NOT EQUIVALENT")] {
        let flags = ["--original-include", "o", "--modified-include", header, "--client", "client.c", "lib.c", "lib.c"];
        let ran = cse(&flags, here);
        assert_eq!(ran.last_line(), expected, "{header} {}", ran.stderr);
    }
}

#[test]
fn bad_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text) in [
        ("client.c", "int lib(int); int client(int x) { return lib(x); }"),
        ("other.c", "long lib(int); int client(int x) { return (int) lib(x); }"),
        ("old.c", "int lib(int v) { return v; }"),
        ("new.c", "int lib(int v) { return v + 1; }"),
        ("whole.c", "static int f(int v) { return v; } int g(int v) { return v; } int main(void) { return f(1) + g(2); }"),
        ("changed.c", "static int f(int v) { return v + 1; } int g(int v) { return v; } int main(void) { return f(1) + g(2); }"),
        ("wrong.c", "int lib(int v) { return"),
    ] {
        std::fs::write(here.join(name), text).unwrap();
    }
    for arguments in [
        &["--client", "missing.c", "old.c", "new.c"] as &[&str],
        &["--client", "client.c", "missing.c", "new.c"],
        &["--client", "client.c", "old.c", "wrong.c"],
        &["--client", "client.c", "--entry", "missing", "old.c", "new.c"],
        &["--client", "client.c,client.c", "old.c", "new.c"],
        &["--client", "other.c", "old.c", "new.c"],
        &["--client", "client.c", "--library", "lib", "old.c", "new.c"],
        &["--client", "client.c", "old.c"],
        &["--client", "client.c\n", "old.c", "new.c"],
        &["--library", "missing", "whole.c", "whole.c"],
        &["--library", "g", "whole.c", "changed.c"],
        &["--observe", "nothing", "whole.c", "changed.c"],
    ] {
        let ran = cse(arguments, here);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?} {}", ran.stderr);
    }
    let told = cse(&["--library", "g", "whole.c", "changed.c"], here);
    assert!(told.stderr.contains("f changed"), "{}", told.stderr);
    assert_eq!(cse(&["--library", "f", "whole.c", "changed.c"], here).last_line(), "NOT EQUIVALENT");
    assert_eq!(cse(&["whole.c", "whole.c"], here).last_line(), "EQUIVALENT");
}

#[test]
fn the_result_follows_its_schema() {
    let demo = residue_tests::root().join("tools/cse/demo");
    let schema = std::fs::read(residue_tests::root().join("formats/schemas/equivalence.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    for (client, expected, status) in [
        ("volume.c", Equivalence::Equivalent, CallStatus::Digested),
        ("zoom.c", Equivalence::NotEquivalent, CallStatus::Different),
    ] {
        let ran = cse(&["--json", "--client", client, "old.c", "new.c"], &demo);
        let mut written: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let errors: Vec<String> = validator.iter_errors(&written).take(3).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let result = EquivalenceResult::read(ran.stdout.as_bytes(), "r.json").unwrap();
        assert_eq!(result.verdict, expected);
        assert_eq!(result.contexts.iter().map(|context| (context.status, context.line)).collect::<Vec<_>>(), [(status, 8)]);
        // A verdict whose evidence is gone is none.
        written.as_object_mut().unwrap().remove("counterexample");
        written["verdict"] = "not-equivalent".into();
        assert!(!validator.is_valid(&written));
        assert!(EquivalenceResult::read(written.to_string().as_bytes(), "r.json").is_err());
    }
}

#[test]
fn two_runs_do_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (client, old, new) = triple(7, Operations::Usual);
    for (name, text) in [("client.c", client), ("old.c", old), ("new.c", new)] {
        std::fs::write(here.join(name), text).unwrap();
    }
    let once = || {
        let ran = cse(&["--stats", "--json", "--client", "client.c", "old.c", "new.c"], here);
        let counted =
            ran.stderr.lines().filter(|line| !line.contains("cpu") && !line.contains("memory")).collect::<Vec<_>>().join("\n");
        (ran.code, ran.stdout, counted)
    };
    assert_eq!(once(), once());
}

/// What expressions of a library have besides what is always defined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operations {
    /// Operands that nothing is undefined for but overflow.
    Usual,
    /// Divisors, distances of shifts and indices that may be anything.
    Undefined,
}

fn expression(random: &mut Rng, depth: u32, kind: Operations) -> String {
    const NAMES: [&str; 6] = ["v", "w", "st", "g", "*p", "v"];
    if depth == 0 || random.one_in(3) {
        return NAMES[random.below(NAMES.len())].to_owned();
    }
    if random.one_in(6) {
        return random.below(10).to_string();
    }
    if kind == Operations::Undefined && random.one_in(3) {
        let inner = expression(random, depth - 1, kind);
        let left = expression(random, 0, kind);
        return match random.below(5) {
            0 => format!("({left} / ({inner} & 3))"),
            1 => format!("({left} % ({inner} - 2))"),
            2 => format!("({left} >> ({inner} & 63))"),
            3 => format!("(({left} & 15) << ({inner} & 31))"),
            _ => format!("a[{inner} & 7]"),
        };
    }
    let operator = ["+", "-", "&", "^", "<", "==", "*", "/", "<<"][random.below(9)];
    let left = expression(random, depth - 1, kind);
    let right = match operator {
        "/" => (1 + random.below(4)).to_string(),
        "<<" => random.below(3).to_string(),
        _ => expression(random, depth - 1, kind),
    };
    format!("({left} {operator} {right})")
}

fn statement(random: &mut Rng, depth: u32, kind: Operations) -> String {
    let value = expression(random, 2, kind);
    match random.below(if depth == 0 { 7 } else { 9 }) {
        0..=2 => format!("v = {value};"),
        3 => format!("st = {value};"),
        4 => format!("g = {value};"),
        5 => format!("*p = {value};"),
        6 => format!("emit({value});"),
        7 => {
            format!("if ({value}) {{ {} }} else {{ {} }}", statement(random, depth - 1, kind), statement(random, depth - 1, kind))
        }
        _ => format!("{{ int i; for (i = 0; i < (w & 3); i++) {{ {} }} }}", statement(random, depth - 1, kind)),
    }
}

/// A client and two versions of its library.
fn triple(seed: u64, kind: Operations) -> (String, String, String) {
    let mut random = Rng::new(seed);
    let mut statements: Vec<String> = (0..2 + random.below(4)).map(|_| statement(&mut random, 1, kind)).collect();
    let array = if kind == Operations::Undefined { "static int a[5] = { 3, 0, 7 };\n" } else { "" };
    let library = |statements: &[String], start: usize| {
        let mut text =
            format!("extern void emit(int); extern int g;\n{array}static int st = {start};\nint lib(int v, int w, int *p) {{\n");
        statements.iter().for_each(|statement| _ = writeln!(text, "    {statement}"));
        text + "    return v;\n}\n"
    };
    let old = library(&statements, 1);
    let at = random.below(statements.len());
    let start = match random.below(5) {
        0 => {
            statements.remove(at);
            1
        }
        1 => {
            statements[at] = statement(&mut random, 1, kind);
            1
        }
        2 => {
            statements.insert(at, format!("if (v > {}) v = {};", random.below(200), random.below(9)));
            1
        }
        3 => 2,
        // What the statement does is guarded now, or not any more where somebody looks.
        _ if kind == Operations::Undefined && random.one_in(2) => {
            statements[at] = format!("if (w {} {}) {{ {} }}", [">", "!="][random.below(2)], random.below(4), statements[at]);
            1
        }
        _ => {
            // Nothing but another way to write it.
            let other = statements[at].replace("v = ", "int t; t = ").replace("int t; t = ", "v = 0 + ");
            statements[at] = format!("{{ int same = w; {other} w = same; }}");
            1
        }
    };
    let new = library(&statements, start);
    let call = ["r = lib(x, y, &q);", "r = lib(x & 1, 2, &q);", "r = lib(x, y, &q); r ^= lib(y, r & 3, &g);"][random.below(3)];
    let seen = ["r", "r & 1", "r > 20", "q"][random.below(4)];
    let client = format!(
        "int lib(int v, int w, int *p);\nint g;\nint client(int x, int y) {{ int q = 3, r = 0; x &= 7; y &= 7; {call} return {seen}; }}\n"
    );
    (client, old, new)
}

/// Runs a client on all of its inputs, each in a process of its own.
const DRIVER: &str = r#"
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
int client(int, int);
extern int g;
void emit(int v) { printf("e%d ", v); }
int main(void)
{
    setvbuf(stdout, 0, _IONBF, 0);
    for (int x = 0; x < 8; x++)
        for (int y = 0; y < 8; y++) {
            int status;
            pid_t child = fork();
            if (!child) {
                int r = client(x, y);
                printf("r%d g%d", r, g);
                _exit(0);
            }
            waitpid(child, &status, 0);
            printf(WIFSIGNALED(status) ? "undefined\n" : "\n");
        }
    return 0;
}
"#;

/// What gcc makes of a client with a library, for each input.
fn outcomes(folder: &Path, library: &str) -> Vec<String> {
    let flags = ["-w", "-std=gnu11", "-O0", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"];
    let files = ["client.c", library, "driver.c", "-o", "all"];
    cmd("gcc", flags.iter().chain(&files)).dir(folder).run().unwrap();
    let printed = cmd!(folder.join("all")).read().unwrap();
    printed.lines().map(str::to_owned).collect()
}

/// Whether some input tells two versions apart, with `preserve` and with `both`.
fn truth(folder: &Path) -> [bool; 2] {
    let (old, new) = (outcomes(folder, "old.c"), outcomes(folder, "new.c"));
    let is_undefined = |line: &str| line.ends_with("undefined");
    let mut found = [false; 2];
    for (_, after) in old.iter().zip(&new).filter(|(before, after)| before != after && !is_undefined(before)) {
        found[0] = true;
        found[1] |= !is_undefined(after);
    }
    found
}

#[test]
fn random_triples_get_the_verdict_of_all_runs() {
    judged(Operations::Usual);
}

/// The modified version may not be undefined where the original is defined, unless such runs do not count.
#[test]
fn random_triples_with_undefined_operations_get_the_verdict_of_all_runs() {
    judged(Operations::Undefined);
}

fn judged(kind: Operations) {
    let mut counts: BTreeMap<(bool, &str), u32> = BTreeMap::new();
    for seed in triples() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let (client, old, new) = triple(seed, kind);
        for (name, text) in [("client.c", client.as_str()), ("old.c", &old), ("new.c", &new), ("driver.c", DRIVER)] {
            std::fs::write(here.join(name), text).unwrap();
        }
        for (flag, differs) in ["preserve", "both"].iter().zip(truth(here)) {
            let ran = cse(&["--undefined", flag, "--client", "client.c", "old.c", "new.c"], here);
            let found = match short(ran.last_line()) {
                "EQ" => "EQ",
                "NEQ" => "NEQ",
                _ => "?",
            };
            *counts.entry((differs, found)).or_default() += 1;
            let expected = if differs { "NEQ" } else { "EQ" };
            assert!(found == "?" || found == expected, "{seed} {flag}: {found}\n{client}\n{old}\n{new}");
        }
    }
    let count = |of: &dyn Fn(bool, &str) -> bool| {
        counts.iter().filter(|((differs, found), _)| of(*differs, found)).map(|(_, n)| n).sum::<u32>()
    };
    eprintln!("{counts:?}");
    let (all, decided, different) = (count(&|_, _| true), count(&|_, found| found != "?"), count(&|_, found| found == "NEQ"));
    assert!(5 * decided >= 4 * all, "{counts:?}");
    // Operations that may be undefined hide more changes: where a call is undefined before, nothing has to be the same.
    let share = if kind == Operations::Usual { 5 } else { 10 };
    assert!(share * different >= decided && 5 * different <= 4 * decided, "{counts:?}");
}

/// The last turn of two loops is not where one of them goes on alone: what holds where both wait is all that the proof needs.
#[test]
fn loops_side_by_side_end_together() {
    let library = |last: &str| {
        format!(
            "int scale(int v, int by) {{ int i, r = 0; if (by < 0 || by > 12) return 0; for (i = 0; i < by; i++) r += v; return {last}; }}"
        )
    };
    let client = |most: u32| {
        format!(
            "int scale(int, int); int client(int x, int n) {{ if (n > {most} || x > 100 || x < -100) return 0; return scale(x, n); }}"
        )
    };
    let (old, new) = (library("r"), library("by > 10 ? r + 1 : r"));
    assert_eq!(verdict([&client(8), &old, &new], &["--steps", "30000"]), "EQUIVALENT");
    assert_eq!(verdict([&client(11), &old, &new], &["--steps", "30000"]), "NOT EQUIVALENT");
    // The modified version goes around once more.
    let longer = old.replace("i < by", "i <= by");
    assert_eq!(verdict([&client(8), &old, &longer], &["--steps", "30000"]), "NOT EQUIVALENT");
}

/// What few paths lead to is proved by going through them, before values are enumerated.
#[test]
fn states_of_a_library_take_few_steps() {
    let library = |add: &str| format!("static int total; int add(int v) {{ {add} return total; }}");
    let client = |from: u32| {
        format!(
            "int add(int); int client(int n) {{ int i, r = 0; if (n < 0 || n > 3) return 0; for (i = 0; i < n; i++) r = add(i + {from}); return r; }}"
        )
    };
    let (old, new) = (library("total = total + v;"), library("if (v == 4) v = 3; total = v + total;"));
    assert_eq!(verdict([&client(11), &old, &new], &["--steps", "20000"]), "EQUIVALENT");
    assert_eq!(verdict([&client(2), &old, &new], &["--steps", "20000"]), "NOT EQUIVALENT");
}
