//! Constants of versions: every letter of a fact with `?` is that of all runs of the version as gcc compiles it, and the bounds
//! that are called tight are the best.

use std::fmt::Write as _;
use std::path::Path;

use formats::invariant_table::InvariantTable;
use residue_tests::run;

const HEAD: &str = "extern unsigned char __VERIFIER_nondet_uchar(void); extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);\n";

/// What runs `main` on all inputs: one byte, then one bit.
const RUNS: &str = r#"
#include <setjmp.h>
#include <stdio.h>
static jmp_buf out; static unsigned char byte; static _Bool bit; static char seen[64][2]; static long long least[8], most[8];
unsigned char __VERIFIER_nondet_uchar(void) { return byte; }
_Bool __VERIFIER_nondet_bool(void) { return bit; }
static void stop(void) { longjmp(out, 1); }
#define abort stop
#define main program
"#;
const ALL: &str = r#"
#undef main
int main(void) {
    for (int i = 0; i < 512; i++) {
        byte = i & 255; bit = i >> 8;
        if (!setjmp(out)) program();
    }
    for (int i = 0; i < 64; i++) putchar(seen[i][0] ? 'F' : seen[i][1] ? 'H' : 'U');
    return 0;
}
"#;

/// The letters of facts at `P` in a version, by all its runs.
fn truth(folder: &Path, text: &str, facts: &[&str]) -> String {
    let mut checks = String::from("P:;");
    for (number, fact) in facts.iter().enumerate() {
        write!(checks, " seen[{number}][!!({fact})] = 1;").unwrap();
    }
    std::fs::write(folder.join("all.c"), format!("{RUNS}{}{ALL}", text.replace("P:;", &checks))).unwrap();
    duct::cmd!("gcc", "-w", "-O1", "-fwrapv", "-o", "all", "all.c").dir(folder).run().unwrap();
    let letters = duct::cmd!(folder.join("all")).read().unwrap();
    letters.chars().take(facts.len()).collect()
}

/// Templates at `P` in versions, which are bodies of `main`. How many solutions there are, of how many that are possible.
fn judged(bodies: &[&str], templates: &[&str], more: &[&str]) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let texts: Vec<String> = bodies.iter().map(|body| format!("{HEAD}int main(void) {{ {body} P:; return 0; }}\n")).collect();
    let mut arguments = vec!["--to", "json", "--at", "label:P", "--steps", "400000"];
    templates.iter().for_each(|template| arguments.extend(["--of", template]));
    arguments.extend(more);
    let names: Vec<String> = (0..texts.len()).map(|number| format!("v{number}.c")).collect();
    for (name, text) in names.iter().zip(&texts) {
        std::fs::write(here.join(name), text).unwrap();
    }
    arguments.extend(names.iter().map(String::as_str));
    let ran = run("invdiff", &arguments, here).unwrap();
    let table =
        InvariantTable::read(ran.stdout.as_bytes(), "t").unwrap_or_else(|error| panic!("{bodies:?} {error} {}", ran.stderr));
    let facts: Vec<&str> = table.instances.iter().map(|one| one.expression.as_str()).collect();
    let (mut found, mut possible) = (0, 0);
    for (version, text) in texts.iter().enumerate() {
        let truth = truth(here, text, &facts);
        for (one, expected) in table.instances.iter().zip(truth.chars()) {
            let letter = one.status.chars().nth(version).unwrap();
            assert!(letter == expected || letter == '?', "{}: {letter} is not {expected}\n{text}", one.expression);
        }
        if !truth.contains('U') {
            possible += table.templates.len();
            let of = table.templates.iter().filter_map(|one| Some((one, one.solutions[version].as_ref()?)));
            found += of.filter(|(one, solution)| solution.tight.is_some() || one.expression.contains("==")).count();
        }
    }
    (found, possible)
}

const BYTE: &str = "int x = __VERIFIER_nondet_uchar();";

#[test]
fn bounds_are_the_best_that_hold() {
    let with = |rest: &str| format!("{BYTE} {rest}");
    // Each is one chain; values are rare, at the ends of types, behind a wrap, or only where another branch was taken.
    let chains: [&[&str]; 20] = [
        &["if (x > 100) x = 100;", "if (x > 127) x = 127;", "if (x >= 127) x = 127;"],
        &["if (x == 201) x = 1000; else x = 3;", "if (x == 201) x = 1001; else x = 3;", "if (x == 300) x = 1002;"],
        &["x = -x;", "x = -x - 1;", "x = ~x;"],
        &["x = x * x;", "x = x * x * x;", "x = x * 255 + 3;"],
        &["unsigned char c = x + 1; x = c;", "unsigned char c = x * 2; x = c;", "signed char c = x; x = c;"],
        &["x = x % 7;", "x = (x - 100) % 7;", "x = 100 / (x + 1);"],
        &["x = x << 4;", "x = x >> 3;", "x = x ^ 0x55;"],
        &["if (x < 200) abort();", "if (x > 17) abort();", "if (x != 99) abort();"],
        &[
            "int i = 0; while (i < x) i++; x = i;", "int i = 0; while (i <= x) i++; x = i;",
            "int i = 0; while (i < 9) i++; x = i;",
        ],
        &["if (x & 1) x = -2147483647 - 1;", "if (x == 7) x = 2147483647;", "x = 2147483647 - x;"],
        &["x = x > 9 ? 9 : x;", "x = x > 9 ? x : 9;", "x = x == 9 ? 1 : 2;"],
        &[
            "int a[3] = {5, 9, 2}; x = a[x % 3];",
            "int a[3] = {5, 9, 2}; x = a[x % 2];",
            "int a[3] = {5, 19, 2}; a[x & 1] = 7; x = a[1];",
        ],
        &["if (__VERIFIER_nondet_bool()) x = 500;", "if (__VERIFIER_nondet_bool() && x == 3) x = 500;", "if (x) x = 1;"],
        &["while (x > 10) x = x - 10;", "while (x >= 10) x = x - 10;", "while (x > 3) x = x / 2;"],
        &["return 0;", "if (x == 44) x = -44; else return 0;", "x = 5;"],
        &["struct { int a; char b; } s = {x, 3}; x = s.a + s.b;", "struct { int a; char b; } s = {3, 200}; x = s.b;", "x = 1;"],
        &["int *p = &x; *p = *p + 1;", "int y = 3; int *p = x ? &x : &y; *p = 9; x = x + y;", "int y; int *p = &y; *p = 9;"],
        &["switch (x) { case 3: x = 77; break; case 4: x = 78; default: x = 2; }", "switch (x) { case 3: x = 77; }", "x = 0;"],
        &["x = (short)(x * 300);", "x = (unsigned short)(x * 300);", "x = (signed char)(x * 3);"],
        &[
            "int k = 0; for (int i = 0; i < 8; i++) if (x >> i & 1) k++; x = k;",
            "int k = 0; for (int i = 0; i < 7; i++) if (x >> i & 1) k++; x = k;",
            "x = !!x;",
        ],
    ];
    let (mut found, mut possible) = (0, 0);
    for chain in chains {
        let bodies: Vec<String> = chain.iter().map(|rest| with(rest)).collect();
        let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
        let one = judged(&bodies, &["x <= ?", "x > ?"], &[]);
        (found, possible) = (found + one.0, possible + one.1);
    }
    assert!(possible > 90 && 10 * found >= 9 * possible, "{found} of {possible}");
}

#[test]
fn equations_are_those_of_all_runs() {
    let chains: [(&[&str], &[&str]); 12] = [
        (&["int y = 2 * x + 1;", "int y = 3 * x;", "int y = x; if (x == 200) y = 7;"], &["y == ? * x + ?"]),
        (
            &["int y = x - 7; int z = y + x;", "int y = 7 - x; int z = y - x;", "int y = 5; int z = 5;"],
            &["z == ? * x + ? * y + ?", "y == ?"],
        ),
        (&["unsigned char y = x + 200;", "unsigned char y = x;", "int y = x;"], &["y == ? * x + ?", "y == x + ?"]),
        (&["int y = x * x;", "int y = x << 1;", "int y = x | 1;"], &["y == ? * x + ?", "y == ? * (x + 1) - ?"]),
        (&["int y = 0; while (y < x) y++;", "int y = 0; while (y < x) y += 2;", "int y = 9;"], &["y == ? * x", "y == x + ?"]),
        (&["int y = x > 254 ? 3 : 4;", "int y = 4;", "int y = x > 300 ? 3 : 4;"], &["y == ?"]),
        (&["long y = 4294967296 * x;", "long y = -4294967296 * x;", "long y = x;"], &["y == ? * x"]),
        (&["int y = x / 2;", "int y = x / 2 * 2;", "int y = 2 * (x / 2) + x % 2;"], &["2 * y == ? * x + ?", "y == ? * x + ?"]),
        (&["unsigned y = x - 1;", "unsigned y = -x;", "unsigned y = x + 1;"], &["y == ? * x + ?"]),
        (&["int a[2] = {x, x + 3}; int y = a[1];", "int a[2] = {x, 3}; int y = a[x & 1];", "int y = 0;"], &["y == ? * x + ?"]),
        (&["int y = 1; if (x > 3) return 0;", "int y = 1; if (x < 300) return 0;", "int y = x % 1;"], &["y == ?", "x == ? * y"]),
        (&["int y = 5 - x; y = -y;", "int y = 5; y = y - x;", "int y = -x;"], &["y == -5 + ? * x", "-y == ? * x + ?"]),
    ];
    for (chain, templates) in chains {
        let bodies: Vec<String> = chain.iter().map(|rest| format!("{BYTE} {rest}")).collect();
        judged(&bodies.iter().map(String::as_str).collect::<Vec<_>>(), templates, &[]);
    }
    let lines = ["int y = 2 * x + 1;", "int y = 2 * x + 1 + (x == 77);", "int y = 3 - x;"].map(|rest| format!("{BYTE} {rest}"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(judged(&lines, &["y == ? * x + ?"], &[]), (2, 3));
    assert_eq!(judged(&lines, &["y == ? * x + ?", "y <= ?"], &["--defined"]), (5, 6));
}

#[test]
fn a_bound_that_moves_is_told_from_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |bound: u32| format!("{HEAD}int main(void) {{ {BYTE} if (x > {bound}) x = 0;\nP:; return x; }}\n");
    for (number, bound) in [100, 127, 50].into_iter().enumerate() {
        std::fs::write(here.join(format!("v{}.c", number + 1)), text(bound)).unwrap();
    }
    let own = ["--at", "label:P", "--of", "x <= ?"];
    let files = ["v1.c", "v2.c", "v3.c"];
    let shown = run("invdiff", own.iter().chain(&files), here).unwrap().stdout;
    assert!(shown.contains("  x <= ?: x <= 100 in 1, x <= 127 in 2, x <= 50 in 3\n"), "{shown}");
    let order = ["- x <= 100: broken", "+ x <= 127\n", "- x <= 127\n", "+ x <= 50: gained"].map(|part| shown.find(part).unwrap());
    assert!(order.is_sorted() && !shown.contains("x <= 126:") && !shown.contains("x <= 99:"), "{shown}");
    let driver = run("residue", ["invariants"].iter().chain(&own).chain(&files), here).unwrap().stdout;
    assert!(driver.contains("+ x <= 127 at label:P\n") && driver.contains("- x <= 127 at label:P\n"), "{driver}");
    // A table says which facts they are, with a proof and a run for each.
    let json = run("invdiff", own.iter().chain(&["--to", "json"]).chain(&files), here).unwrap().stdout;
    let schema = std::fs::read(residue_tests::root().join("formats/schemas/invariant-table.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    assert!(validator.is_valid(&serde_json::from_str(&json).unwrap()));
    let table = InvariantTable::read(json.as_bytes(), "t").unwrap();
    let first = table.templates[0].solutions[0].clone().unwrap();
    assert_eq!(table.instances[first.instance].expression, "x <= 100");
    assert_eq!(table.instances[first.tight.unwrap()].expression, "x <= 99");
    let mut wrong = table;
    wrong.templates[0].solutions[1] = Some(first);
    let mut bytes = Vec::new();
    wrong.write(&mut bytes).unwrap();
    assert!(InvariantTable::read(&bytes, "t").is_err());
    for (fact, said) in [("x <= ? + 1", "x <= ?"), ("? <= x", "x <= ?"), ("q <= ?", "q")] {
        let refused = run("invdiff", ["--at", "label:P", "--of", fact, "v1.c", "v2.c"], here).unwrap();
        assert!(refused.code == 2 && refused.stderr.contains(said), "{fact}: {}", refused.stderr);
    }
    let refused = run("invdiff", ["--to", "c", "--at", "label:P", "--of", "x <= ?", "v1.c", "v2.c"], here).unwrap();
    assert!(refused.code == 2 && refused.stderr.contains("--invariants"), "{}", refused.stderr);
}

#[test]
fn proposals_about_floating_point_numbers_are_so_in_all_runs() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    // Halves, a limit, infinity less itself, zeros of both signs, and a number that no type has.
    let bodies = [
        "float f = x; double d = f * 0.5;",
        "float f = x; double d = f * 0.5; if (d > 100) d = 100;",
        "float f = x; double d = f * 0.5; if (x == 201) { d = 1e308 * f; d = d - d; }",
        "float f = x & 1 ? 0.0f : -0.0f; double d = f;",
        "float f = 0.1f; double d = x & 1 ? f : 0.1;",
    ];
    let texts = bodies.map(|body| format!("{HEAD}int main(void) {{ {BYTE} {body} P:; return 0; }}\n"));
    let names: Vec<String> = (0..texts.len()).map(|number| format!("v{number}.c")).collect();
    for (name, text) in names.iter().zip(&texts) {
        std::fs::write(here.join(name), text).unwrap();
    }
    let mut arguments =
        vec!["--to", "json", "--at", "label:P", "--steps", "400000", "--families", "constant,bounds,order,number"];
    arguments.extend(names.iter().map(String::as_str));
    let ran = run("invdiff", &arguments, here).unwrap();
    let table = InvariantTable::read(ran.stdout.as_bytes(), "t").unwrap_or_else(|error| panic!("{error} {}", ran.stderr));
    let facts: Vec<&str> = table.instances.iter().map(|one| one.expression.as_str()).collect();
    let (mut all, mut decided) = (0, 0);
    for (version, text) in texts.iter().enumerate() {
        for (one, expected) in table.instances.iter().zip(truth(here, text, &facts).chars()) {
            let letter = one.status.chars().nth(version).unwrap();
            assert!(letter == expected || letter == '?', "{}: {letter} is not {expected}\n{text}", one.expression);
            (all, decided) = (all + 1, decided + usize::from(letter != '?'));
        }
    }
    assert!(10 * decided >= 9 * all, "{decided} of {all}");
    let letters = |fact: &str| table.instances.iter().find(|one| one.expression == fact).map(|one| one.status.clone());
    let expected = [("d == d", "HHFHH"), ("d >= 0.0", "HHFHH"), ("f == 0.10000000149011612", "FFFFH"), ("d <= 100.0", "FHFHH")];
    for (fact, status) in expected {
        assert_eq!(letters(fact).as_deref(), Some(status), "{fact} of {facts:?}");
    }
}

#[test]
fn what_the_text_assigns_is_proposed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |sum: &str, more: &str| {
        format!(
            "{HEAD}int main(void) {{ {BYTE} int n = __VERIFIER_nondet_bool(); int y = {sum};\nunsigned char c = y * 3;\n{more} P:; return y; }}\n"
        )
    };
    let texts = [text("x + n", ""), text("x - n", ""), text("x + n", "n = 2;")];
    let names = ["a.c", "b.c", "c.c"];
    for (name, text) in names.iter().zip(&texts) {
        std::fs::write(here.join(name), text).unwrap();
    }
    let ran = run("invdiff", ["--to", "json", "--at", "label:P", "--families", "definition"].iter().chain(&names), here).unwrap();
    let table = InvariantTable::read(ran.stdout.as_bytes(), "t").unwrap_or_else(|error| panic!("{error} {}", ran.stderr));
    let letters = |fact: &str| table.instances.iter().find(|one| one.expression == fact).map(|one| one.status.as_str());
    assert_eq!((letters("y == x + n"), letters("y == x - n")), (Some("HFF"), Some("FHF")));
    assert_eq!(letters("c == (unsigned char)(y * 3)"), Some("HHH"));
    assert!(table.instances.iter().all(|one| one.family == "definition"));
}

/// Families that nobody gets unasked: what they propose is so in all runs or not, as letters say.
#[test]
fn families_that_are_named_are_proposed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let bodies = [
        "int a = x > 9 ? 4 : x > 5 ? 12 : 44; int y = 3 * x - 1; double d = n ? 0.0 : 1.5;",
        "int a = x > 9 ? 4 : x > 5 ? 12 : 46; int y = 3 * x + 1; double d = n ? -0.0 : 1.5;",
        "int a = x > 9 ? 4 : 12; int y = 3 * x - 1; double d = n ? -0.0 : -1.5;",
    ];
    let texts = bodies
        .map(|body| format!("{HEAD}int main(void) {{ {BYTE} _Bool n = __VERIFIER_nondet_bool(); {body} P:; return 0; }}\n"));
    let names = ["a.c", "b.c", "c.c"];
    for (name, text) in names.iter().zip(&texts) {
        std::fs::write(here.join(name), text).unwrap();
    }
    let own = ["--to", "json", "--at", "label:P", "--steps", "300000", "--families", "one-of,linear,mask,sign-bit"];
    let ran = run("invdiff", own.iter().chain(&names), here).unwrap();
    let table = InvariantTable::read(ran.stdout.as_bytes(), "t").unwrap_or_else(|error| panic!("{error} {}", ran.stderr));
    let facts: Vec<&str> = table.instances.iter().map(|one| one.expression.as_str()).collect();
    for (version, text) in texts.iter().enumerate() {
        for (one, expected) in table.instances.iter().zip(truth(here, text, &facts).chars()) {
            let letter = one.status.chars().nth(version).unwrap();
            assert!(letter == expected || letter == '?', "{}: {letter} is not {expected}\n{text}", one.expression);
        }
    }
    let expected = [
        ("one-of", "a == 4 || a == 12 || a == 44", "HFH"),
        ("linear", "y == 3 * x - 1", "HFH"),
        ("mask", "(a & 23) == 4", "HFH"),
        ("sign-bit", "__builtin_signbit(d) == 0", "HFF"),
        ("sign-bit", "__builtin_signbit(d) != 0", "FFH"),
    ];
    for (family, fact, status) in expected {
        let found =
            table.instances.iter().find(|one| one.expression == fact).map(|one| (one.family.as_str(), one.status.as_str()));
        assert_eq!(found, Some((family, status)), "{fact} of {facts:?}");
    }
}
