//! Under which condition on its arguments `cse` says that a call tells the versions apart: with gcc as the judge, both versions do
//! the same from the same state in every call whose arguments do not satisfy it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use formats::equivalence::EquivalenceResult;
use residue_tests::programs::Rng;
use residue_tests::run;

/// What is said of each call that tells, with its line.
fn conditions(folder: &Path, [client, old, new]: [&str; 3]) -> Vec<(u32, Option<String>)> {
    for (name, text) in [("client.c", client), ("old.c", old), ("new.c", new)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let flags = ["--json", "--steps", "400000", "--client", "client.c", "old.c", "new.c"];
    let ran = run("cse", flags, folder).unwrap();
    let result = EquivalenceResult::read(ran.stdout.as_bytes(), "result").unwrap();
    let telling = result.contexts.into_iter().filter(|context| context.arguments.is_some());
    telling.map(|context| (context.line, context.only)).collect()
}

#[test]
fn a_condition_says_why_a_call_tells() {
    let folder = tempfile::tempdir().unwrap();
    let only = |texts: [&str; 3]| {
        let said: Vec<String> = conditions(folder.path(), texts).into_iter().map(|(_, only)| only.unwrap_or_default()).collect();
        said.join("; ")
    };
    let client = "int lib(int); int client(int x) { return x > -50 && x < 50 ? lib(x) : 0; }";
    let cases = [
        ("int lib(int v) { return v * 2; }", "int lib(int v) { return v > 10 ? v : v * 2; }", "v > 10"),
        (
            "int lib(int v) { if (v >= 7) return 1; return 0; }",
            "int lib(int v) { if (7 < v) return 1; return 0; }",
            "v >= 7 && v <= 7",
        ),
        ("int lib(int v) { if (!v) return 1; return v; }", "int lib(int v) { return v; }", "v == 0"),
        // More than one kind of arguments.
        (
            "int lib(int v) { switch (v) { case 1: return 5; case 3: return 7; } return v; }",
            "int lib(int v) { switch (v) { case 1: return 6; case 3: return 8; } return v; }",
            "v == 1 || v == 3",
        ),
        // No branch is about the parameter: its sign.
        (
            "int lib(int v) { int s = 0; for (int i = 0; i < v; i++) s++; return s; }",
            "int lib(int v) { int s = 0; for (int i = 0; i < v; i++) s += 2; return s; }",
            "v > 0",
        ),
        // Nothing that all have in common.
        ("int lib(int v) { return v; }", "int lib(int v) { return v ^ 1; }", ""),
        // A conversion that does not keep values is no comparison of the parameter; its sign is.
        ("int lib(int v) { return v; }", "int lib(int v) { return (unsigned char)v > 200 ? 0 : v; }", "v < 0"),
        // The parameter is another number by then.
        (
            "int lib(int v) { v = -v; if (v > 5) return 1; return 0; }",
            "int lib(int v) { v = -v; if (v > 5) return 2; return 0; }",
            "v < 0",
        ),
    ];
    for (old, new, said) in cases {
        assert_eq!(only([client, old, new]), said, "{old}\n{new}");
    }
    // Pointers, and parameters of one type with each other.
    let client = "int lib(int *, long, long); int client(int x, long y) { int z = 3; return lib(x ? &z : 0, y & 7, 4); }";
    let (old, new) = (
        "int lib(int *p, long m, long n) { return 0; }",
        "int lib(int *p, long m, long n) { if (p && m < n) return 1; return 0; }",
    );
    assert_eq!(only([client, old, new]), "p != 0 && m < n");
    // What changed is defined for less: memory counts.
    let client = "int lib(int *, int); int client(int x) { int z[4] = { 0 }; return lib(z, x & 7); }";
    let (old, new) = ("int lib(int *p, int n) { return 0; }", "int lib(int *p, int n) { if (n > 2) return p[n] * 0; return 0; }");
    assert_eq!(only([client, old, new]), "n > 2");
    // One of two calls in a line each, of which one finds what the other left.
    let client = "int lib(int); int client(int x) {\nint a = lib(x & 3);\nreturn lib(a & 4) + a; }";
    let (old, new) = (
        "static int n; int lib(int v) { n += v; return n; }",
        "static int n; int lib(int v) { if (v == 2) n--; n += v; return n; }",
    );
    assert_eq!(only([client, old, new]), "v == 2");
}

#[test]
fn calls_that_do_not_satisfy_the_condition_do_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Rng::new(20);
    let (mut told, mut judged) = (0, 0);
    for _ in 0..60 {
        let triple = Triple::draw(&mut random);
        let [old, new] = [&triple.old, &triple.new].map(|body| triple.library("", body));
        let client = triple.client();
        let said = conditions(folder.path(), [&client, &old, &new]);
        told += said.len();
        let said: Vec<(u32, String)> = said.into_iter().filter_map(|(line, only)| Some((line, only?))).collect();
        if said.is_empty() {
            continue;
        }
        judged += said.len();
        let output = outcome(&triple.judge(&said), folder.path());
        assert_eq!(output, "", "{said:?}\n{client}\n{old}\n{new}");
    }
    assert!(told >= 30 && judged * 2 >= told, "{judged} conditions for {told} calls");
}

/// What a program prints.
fn outcome(text: &str, folder: &Path) -> String {
    std::fs::write(folder.join("judge.c"), text).unwrap();
    let built = Command::new("gcc").args(["-w", "-std=gnu11", "-fwrapv", "judge.c", "-o", "judge"]).current_dir(folder).output();
    let built = built.unwrap();
    assert!(built.status.success(), "{}\n{text}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(folder.join("judge")).output().unwrap();
    assert!(ran.status.success(), "{text}");
    String::from_utf8(ran.stdout).unwrap()
}

/// A client and two versions of a function that it calls in each of its lines.
struct Triple {
    types: [&'static str; 2],
    old: String,
    new: String,
    arguments: Vec<[&'static str; 2]>,
}

impl Triple {
    fn draw(random: &mut Rng) -> Self {
        const TYPES: [&str; 6] = ["int", "unsigned", "signed char", "long", "short", "_Bool"];
        const ARGUMENTS: [&str; 6] = ["x", "y", "x + 1", "y & 3", "-1", "x - y"];
        let types = [random.pick(&TYPES), random.pick(&TYPES)];
        let shared: Vec<String> = (0..3).map(|_| statement(random)).collect();
        let mut changed = shared.clone();
        let at = random.below(3);
        changed[at] = statement(random);
        let calls = 1 + random.below(2);
        let arguments = (0..calls).map(|_| [random.pick(&ARGUMENTS), random.pick(&ARGUMENTS)]).collect();
        Self { types, old: shared.join(" "), new: changed.join(" "), arguments }
    }

    /// A version of the function, whose names end in some way.
    fn library(&self, suffix: &str, body: &str) -> String {
        let [a, b] = self.types;
        let body = body.replace("STATE", &format!("state{suffix}"));
        format!(
            "static int state{suffix} = 1;\nint lib{suffix}({a} a, {b} b) {{ int r = 0; {body} return r + state{suffix}; }}\n"
        )
    }

    /// The client, that makes its calls in the lines from 3 on.
    fn client(&self) -> String {
        let [a, b] = self.types;
        let calls: String =
            self.arguments.iter().fold(String::new(), |text, [a, b]| text + &format!("s = s * 4 + lib({a}, {b});\n"));
        format!(
            "int lib({a}, {b});\nint client(int x, int y) {{ int s = 0; if (x < -3 || x > 4 || y < -3 || y > 4) return 0;\n{calls}return s; }}\n"
        )
    }

    /// A program that runs the client on all inputs, and prints which calls differ although their arguments do not satisfy what
    /// was said of the line.
    fn judge(&self, said: &[(u32, String)]) -> String {
        let [a, b] = self.types;
        let mut text = self.library("_old", &self.old) + &self.library("_new", &self.new);
        let conditions = said.iter().fold(String::new(), |mut text, (line, only)| {
            _ = write!(text, "if (line == {line}) holds = {only}; ");
            text
        });
        _ = write!(
            text,
            "#include <stdio.h>\nstatic int lib_at(int line, {a} a, {b} b) {{ int holds = 1, before = state_old; {conditions}\n\
             state_new = before; int new = lib_new(a, b), old = lib_old(a, b);\n\
             if (!holds && (old != new || state_old != state_new)) printf(\"%d: %lld %lld\\n\", line, (long long)a, (long long)b);\n\
             return old; }}\n#define lib(a, b) lib_at(__LINE__, a, b)\n#line 2\n"
        );
        // Without the declaration, which the macro would be read in.
        text += self.client().split_once('\n').map_or("", |(_, rest)| rest);
        text += "int main(void) { for (int x = -3; x < 5; x++) for (int y = -3; y < 5; y++) { state_old = 1; client(x, y); } return 0; }\n";
        text
    }
}

fn statement(random: &mut Rng) -> String {
    const ATOMS: [&str; 12] = [
        "a > 2", "b == 1", "!a", "b", "0 < a", "a <= b", "(int)b != 3", "a >= -1", "(unsigned char)a > 3", "b < 1", "a != 2",
        "a + b > 2",
    ];
    const VALUES: [&str; 8] = ["a", "b", "3", "a + 1", "STATE", "b ^ 1", "a & 6", "b - a"];
    const TARGETS: [&str; 4] = ["r", "STATE", "a", "r"];
    let assign = |random: &mut Rng| format!("{} = {};", random.pick(&TARGETS), random.pick(&VALUES));
    match random.below(5) {
        0 => assign(random),
        1 => format!("if ({}) {{ {} }}", random.pick(&ATOMS), assign(random)),
        2 => format!("if ({} && {}) {{ {} }}", random.pick(&ATOMS), random.pick(&ATOMS), assign(random)),
        3 => format!("if ({}) {{ {} }} else {{ {} }}", random.pick(&ATOMS), assign(random), assign(random)),
        _ => format!("switch (a) {{ case 1: {} break; case 3: {} }}", assign(random), assign(random)),
    }
}
