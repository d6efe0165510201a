//! What the witness of a TRUE says of the program: every invariant is written into it where it is said to hold, and gcc runs that
//! on inputs. Where a proof has no formula for a loop, or is one by contracts, there is one all the same.

use formats::witness::{CorrectnessWitness, InvariantKind, Witness};
use residue_tests::compiled::{End, compile};
use residue_tests::run;

const BEFORE: &str = "extern int __VERIFIER_nondet_int(void); extern void abort(void); unsigned checksum;\n\
                      void reach_error(void) { abort(); }\n";

/// The witness of a program that is safe.
fn witness(text: &str, options: &[&str]) -> CorrectnessWitness {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("p.c"), text).unwrap();
    let arguments = [options, &["--steps", "3000000", "--witness", "w.yml", "p.c"]].concat();
    let ran = run("verify", arguments, folder.path()).unwrap();
    assert_eq!(ran.last_line(), "TRUE", "{text}{}", ran.stderr);
    let bytes = std::fs::read(folder.path().join("w.yml")).unwrap();
    match Witness::read(&bytes, "w.yml") {
        Ok(Witness::Correctness(witness)) => witness,
        other => panic!("{other:?}"),
    }
}

/// A program that comes to the error where an invariant does not hold.
fn checked(text: &str, witness: &CorrectnessWitness) -> String {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut parts: Vec<(usize, String)> = witness
        .invariants
        .iter()
        .map(|invariant| {
            let at = starts[invariant.place.line as usize - 1] + invariant.place.column.unwrap() as usize - 1;
            let holds = &invariant.expression;
            match invariant.kind {
                InvariantKind::Location => (at, format!("if (!({holds})) reach_error();\n")),
                InvariantKind::Loop => {
                    let head = text[at..].find(if text[at..].starts_with("for") { ';' } else { '(' }).unwrap();
                    (at + head + 1, format!("(({holds}) ? 0 : (reach_error(), 0)),"))
                }
            }
        })
        .collect();
    parts.sort();
    let mut all = text.to_owned();
    for (at, part) in parts.into_iter().rev() {
        all.insert_str(at, &part);
    }
    all
}

/// Runs a program with its invariants in it; they hold, and there are so many of each kind.
fn holds(body: &str, options: &[&str], (loops, locations): (usize, usize)) -> CorrectnessWitness {
    let text = format!("{BEFORE}{body}");
    let witness = witness(&text, options);
    let of_kind = |kind: InvariantKind| witness.invariants.iter().filter(|invariant| invariant.kind == kind).count();
    assert_eq!((of_kind(InvariantKind::Loop), of_kind(InvariantKind::Location)), (loops, locations), "{:?}", witness.invariants);
    let folder = tempfile::tempdir().unwrap();
    let compiled = compile(&checked(&text, &witness), folder.path(), "p").unwrap();
    for input in [-2_147_483_648, -7, -1, 0, 1, 2, 3, 4, 5, 9, 10, 30, 31, 99, 100, 101, 102, 2_147_483_647] {
        for other in [0, 3, 14] {
            let ran = compiled.execute(&[input, other, 2]).unwrap();
            assert_ne!(ran.end, End::Error, "{input} {other}: {:?}", witness.invariants);
        }
    }
    witness
}

#[test]
fn loops_that_were_followed_to_their_end_have_invariants() {
    holds(
        "int main(void) { int i, s = 0;\n for (i = 0; i < 10; i++)\n s += 2;\n if (s != 20) reach_error(); return 0; }",
        &["--analysis", "values"],
        (1, 0),
    );
    // A loop in a function that is called twice: one of what is known of the calls holds.
    holds(
        "static int twice(int n) { int i = n;\n while (i < n + 3)\n i++;\n return i; }\n\
         int main(void) { if (twice(1) != 4 || twice(10) != 13) reach_error(); return 0; }",
        &["--analysis", "values"],
        (1, 0),
    );
    // Behind the second call there is no error, so that nothing is known of the loop in it.
    holds(
        "static int further(int n) { int i = n;\n while (i < n + 3)\n i++;\n return i; }\n\
         int main(void) { if (further(1) != 4) reach_error(); return further(10); }",
        &[],
        (0, 0),
    );
    // What follows has no error, and is not looked at: nothing is said of it, but of the statement before.
    holds(
        "int main(void) { int n = 4, i;\n if (n != 4) reach_error();\n for (i = 0; i < 10; i++)\n n += 2;\n return 0; }",
        &["--analysis", "values"],
        (0, 1),
    );
}

#[test]
fn contracts_are_said_behind_calls() {
    let witness = holds(
        "int f91(int x) { if (x > 100) return x - 10; return f91(f91(x + 11)); }\n\
         int main(void) { int x = __VERIFIER_nondet_int();\n if (x < -2147483637) return 0;\n int y = f91(x);\n\
         if (y != 91 && !(x > 101 && y == x - 10)) reach_error();\n return 0; }",
        &[],
        (0, 1),
    );
    assert!(witness.invariants[0].expression.contains("91"), "{:?}", witness.invariants);
}

/// Behind a call is a place of its own only where nothing else leads there and no other statement is in between; a variable
/// that is written since is not what was passed.
#[test]
fn nothing_is_said_where_it_does_not_hold() {
    holds(
        "int g;\nint f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }\n\
         int main(void) { int n = __VERIFIER_nondet_int();\n if (n < 0 || n > 30) return 0;\n int x;\n\
         int a = f(n % 100), b = 7;\n n = f(n % 50);\n b = 3;\n int m = n;\n int r = f(m);\n m = 17;\n\
         if ((x = f(m)) > 3)\n b = 4;\n x = f(b); b = 100;\n int q = f(b);\n int *p = &m;\n x = f(m);\n *p = 5;\n\
         {\n int z = f(12);\n }\n b = 4;\n if (b == 4)\n x = f(4);\n else\n x = f(5);\n b = 9;\n g = f(b);\n b = 10;\n\
         switch (b) {\n case 9: x = f(6);\n case 10: x = x + 1;\n default:\n x = f(9);\n }\n b = 9;\n\
         if (r < 0) reach_error();\n return x + a + q; }",
        &[],
        (0, 6),
    );
}

/// Without loops it is what holds where errors are next: that none is reached, and more where that is found.
#[test]
fn statements_before_errors_have_invariants() {
    let witness = holds(
        "void check(int c) {\n if (!c) { reach_error(); } }\n\
         int main(void) {\n int x = __VERIFIER_nondet_int(), y = 3;\n if (x < 0)\n x = 0;\n y += x > 2; // a { comment\n\
         check(y < 5);\n if (x > 3 && y == 3) {\n reach_error();\n abort(); }\n return 0; }",
        &[],
        (0, 2),
    );
    assert!(witness.invariants.iter().any(|one| one.expression.contains("y != 3")), "{:?}", witness.invariants);
    // Behind recursion, and as floats.
    let witness = holds(
        "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n\
         int main(void) { int r = f(5);\n double d = __VERIFIER_nondet_int();\n if (d > 100 || d < 0)\n d = 7;\n\
         if (r != 5) reach_error();\n if (!(d / 2 <= 50 && d <= 100)) reach_error();\n return 0; }",
        &[],
        (0, 2),
    );
    assert!(witness.invariants.iter().any(|one| one.expression.contains("(d <= 1e2)")), "{:?}", witness.invariants);
    // In each of several calls, one of what is known of them; errors that would be certain are looked at from before.
    holds(
        "int g;\nint half(int n) {\n int h = n / 2;\n if (h > n && n > 0)\n {\n if (g > 3)\n reach_error();\n reach_error(); }\n\
         return h; }\n\
         int main(void) { g = __VERIFIER_nondet_int();\n return half(g) + half(4); }",
        &[],
        (0, 1),
    );
}

/// Which number an address is is a matter of each build, and a variable that is in no text cannot be named.
#[test]
fn what_only_holds_in_a_model_is_not_said() {
    let unsaid = |body: &str| {
        let witness = witness(&format!("{BEFORE}{body}"), &[]);
        let all: String = witness.invariants.iter().map(|one| one.expression.as_str()).collect();
        assert!(!all.contains("base") && !all.contains("__"), "{all}");
    };
    unsaid(
        "int main(void) {\n int v[4] = {0}, i = __VERIFIER_nondet_int();\n if (i < 0 || i > 3) return 0;\n\
         unsigned long base = (unsigned long)v;\n *(int *)(base + 4 * i) = 1;\n if (v[i] != 1) reach_error();\n return 0; }",
    );
    unsaid(
        "int main(void) {\n unsigned n = __VERIFIER_nondet_int();\n if (n < 2 || n > 5) return 0;\n int a[n];\n a[1] = 4;\n\
         if (sizeof a != n * sizeof(int)) reach_error();\n if (a[1] != 4) reach_error();\n return 0; }",
    );
    // What may change by itself.
    unsaid(
        "volatile int base[2] = {1, 2};\nint main(void) {\n int x = __VERIFIER_nondet_int() & 3;\n base[0] = 3;\n\
         if (x > 3 && base[0] == 3)\n { x = 4; reach_error(); }\n return x + base[1]; }",
    );
}
