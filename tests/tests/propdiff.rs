//! Differences of assertions: verdicts are those of all runs, nothing is handed on that must not be, bad input is refused.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use formats::assertions::{AssertionVerdicts, Attribution, ClauseStatus, PropertyDifference, Relation};
use formats::{Property, Reason, Verdict};
use program::cfa::{Cfa, EdgeId};
use residue_tests::generate::Generator;
use residue_tests::oracle::load;
use residue_tests::{Ran, run};
use semantics::interpreter::{EdgeObserver, Limits, Outcome, Request};
use transform::assertions::{ClauseId, Semantics, Treat, sites, treat};

/// Pairs that are tried; `RESIDUE_ASSERTIONS` changes it.
const PAIRS: u64 = 40;
/// Inputs and runs of a program that is decided by trying.
const MOST_INPUTS: usize = 8;
const MOST_RUNS: usize = 3000;

fn propdiff(arguments: &[&str], folder: &Path) -> Ran {
    let limits = ["--steps", "400000"];
    run("propdiff", arguments.iter().chain(&limits), folder).unwrap()
}

/// The clauses that some run violates when assertions let execution go on; `None` if there are too many runs.
fn violated(cfa: &Cfa) -> Option<BTreeSet<ClauseId>> {
    let free = treat(cfa, &sites(cfa), &|_| Treat::Nothing, Semantics::Observer);
    let (mut found, mut prefix) = (BTreeSet::new(), Vec::<(u128, u128)>::new());
    for _ in 0..MOST_RUNS {
        let mut read: Vec<(u128, u128)> = Vec::new();
        let mut inputs = |request: &Request| {
            let most = if matches!(request.origin, semantics::interpreter::Origin::Input(_)) { 2 } else { 1 };
            let value = prefix.get(read.len()).map_or(0, |(value, _)| *value);
            read.push((value, most));
            (read.len() <= MOST_INPUTS).then_some(value)
        };
        let mut watch = EdgeObserver(|edge: EdgeId| {
            found.extend(free.fails.iter().filter(|(_, fails)| *fails == edge).map(|(id, _)| *id));
            ControlFlow::Continue(())
        });
        let limits = Limits { steps: 20_000, ..Limits::default() };
        let done = semantics::interpreter::run(&free.recast.cfa, &mut inputs, &mut watch, limits);
        if read.len() > MOST_INPUTS || done.outcome == Outcome::StepLimit {
            return None;
        }
        while read.last().is_some_and(|(value, most)| value == most) {
            read.pop();
        }
        let Some((last, _)) = read.last_mut() else { return Some(found) };
        *last += 1;
        prefix = read;
    }
    None
}

/// Turns most of the checks around, whatever else changes: a check that is the same stays so.
fn turned(text: &str) -> String {
    let turn = |line: &str| match line.trim().strip_prefix("if (").and_then(|rest| rest.strip_suffix(") reach_error();")) {
        Some(condition) if condition.bytes().map(u32::from).sum::<u32>() % 4 != 0 => {
            format!("if (!({condition})) reach_error();")
        }
        _ => line.to_owned(),
    };
    text.lines().map(turn).collect::<Vec<_>>().join("\n") + "\n"
}

/// Compares verdicts with what all runs do; how many of them are decided, how many are FALSE, and how many there are.
fn judge(text: &str, verdicts: &Path, seed: u64) -> (usize, usize, usize) {
    let cfa = load("program.c", text);
    let read = AssertionVerdicts::read(&std::fs::read(verdicts).unwrap(), "verdicts").unwrap();
    let Some(truth) = violated(&cfa) else { return (0, 0, 0) };
    let (mut decided, mut wrong, mut all) = (0, 0, 0);
    for (site, one) in read.sites.iter().enumerate() {
        for (clause, known) in one.clauses.iter().enumerate() {
            let fails = truth.contains(&ClauseId { site, clause });
            all += 1;
            match known.verdict {
                Verdict::True => assert!(!fails, "seed {seed}: {} {} is violated\n{text}", one.line, known.text),
                Verdict::False(_) => assert!(fails, "seed {seed}: {} {} holds\n{text}", one.line, known.text),
                Verdict::Unknown(_) => continue,
            }
            decided += 1;
            wrong += usize::from(fails);
        }
    }
    (decided, wrong, all)
}

/// A random program before and after a change.
fn pair(seed: u64) -> (String, String) {
    let mut generator = Generator::new(seed);
    let program = generator.program();
    let original = program.to_string();
    // Mostly only assertions change.
    let modified = if seed.is_multiple_of(4) {
        generator.change(&program).to_string()
    } else {
        let mut changed = program.clone();
        let lines: Vec<usize> =
            original.lines().enumerate().filter(|(_, line)| line.contains("reach_error();")).map(|(n, _)| n + 1).collect();
        if let Some(line) = lines.get(seed as usize % lines.len().max(1)) {
            generator.replace_check(&mut changed, *line);
        }
        changed.to_string()
    };
    (turned(&original), turned(&modified))
}

#[test]
fn verdicts_of_random_programs_are_those_of_all_runs() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (pairs, first) = (number("RESIDUE_ASSERTIONS", PAIRS), number("RESIDUE_SEED", 0));
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (mut decided, mut failing, mut all, mut saved, mut equal) = (0, 0, 0, 0, 0);
    for seed in first..first + pairs {
        let (original, modified) = pair(seed);
        std::fs::write(here.join("o.c"), &original).unwrap();
        std::fs::write(here.join("m.c"), &modified).unwrap();
        let before = propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
        let arguments = ["--check", "--verdicts", "o.json", "--save-verdicts", "m.json", "-o", "d.json", "o.c", "m.c"];
        let after = propdiff(&arguments, here);
        assert!(before.code != 2 && after.code != 2 && after.code < 100, "seed {seed}: {} {}", before.stderr, after.stderr);
        for (text, file) in [(&original, "o.json"), (&modified, "m.json")] {
            let (known, violated, there) = judge(text, &here.join(file), seed);
            decided += known;
            failing += violated;
            all += there;
        }
        let difference = PropertyDifference::read(&std::fs::read(here.join("d.json")).unwrap(), "d.json").unwrap();
        let clauses = difference.assertions.iter().flat_map(|change| &change.clauses);
        saved += clauses.filter(|clause| clause.status != ClauseStatus::Goal).count();
        equal += usize::from(difference.code == formats::assertions::Code::Equal);
    }
    eprintln!(
        "{pairs} pairs, {equal} with the same code: {decided} of {all} clauses decided, {failing} of them violated; {saved} without a check"
    );
    assert!(decided > 2 * pairs as usize && saved > 0, "{decided} {saved}");
    // Neither answer is rare, and few clauses have none.
    assert!(5 * failing > decided && 5 * failing < 4 * decided, "{failing} of {decided}");
    assert!(10 * decided >= 9 * all, "{decided} of {all}");
}

#[test]
fn cases_with_known_verdicts() {
    let Some(cases) = residue_tests::shared("oracle/sisters/propdiff") else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let index = std::fs::read_to_string(cases.join("INDEX.csv")).unwrap();
    let mut count = 0;
    for row in index.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let (case, expected) = (fields[0], [fields[2], fields[3]]);
        let [old, new] = ["old.c", "new.c"].map(|name| cases.join(case).join(name).display().to_string());
        let files = ["old.json", "new.json"];
        let first = propdiff(&["--check", "--save-verdicts", files[0], &old], here);
        let arguments = ["--check", "--verdicts", files[0], "--save-verdicts", files[1], "-o", "d.json", &old, &new];
        let second = propdiff(&arguments, here);
        assert!(first.code < 2 && second.code < 2, "{case}: {} {}", first.stderr, second.stderr);
        for (file, expected) in files.iter().zip(expected) {
            let verdicts = AssertionVerdicts::read(&std::fs::read(here.join(file)).unwrap(), file).unwrap();
            let letter = |verdict: &Verdict| match verdict {
                Verdict::True => 'N',
                Verdict::False(_) => 'F',
                Verdict::Unknown(_) => '?',
            };
            let found: String = verdicts.sites.iter().map(|site| letter(&site.verdict)).collect();
            // Whether evaluation may trap is not asked.
            if !expected.contains('T') {
                assert_eq!(found, expected, "{case} {file}");
            }
        }
        let told = PropertyDifference::read(&std::fs::read(here.join("d.json")).unwrap(), "d.json").unwrap();
        let there = || told.assertions.iter().filter(|one| one.modified.is_some());
        let relations: Vec<String> = there().map(|one| format!("{:?}", one.relation).to_lowercase()).collect();
        assert_eq!(relations.join(" "), fields[4].replace("equal", "equivalent"), "{case}");
        let name = |one: Attribution| format!("{one:?}").to_lowercase();
        let found: BTreeSet<String> = there().flat_map(|one| &one.clauses).filter_map(|one| one.attribution).map(name).collect();
        let expected: BTreeSet<String> =
            fields[6].split("; ").filter(|one| !one.is_empty()).map(|one| one.replace([' ', '-'], "")).collect();
        assert_eq!(found, expected, "{case}");
        count += 1;
    }
    assert!(count >= 10);
}

const HEAD: &str = "void assert(int); int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int();\n";

/// What becomes of one assertion: relation, status of its clauses, verdict.
fn change(before: &str, after: &str) -> (Relation, Vec<ClauseStatus>, Verdict) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, body) in [("o.c", before), ("m.c", after)] {
        std::fs::write(here.join(name), format!("{HEAD}{body}\nreturn 0; }}\n")).unwrap();
    }
    propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
    let ran = propdiff(&["--check", "--verdicts", "o.json", "-o", "d.json", "o.c", "m.c"], here);
    let difference = PropertyDifference::read(&std::fs::read(here.join("d.json")).unwrap(), "d.json").unwrap();
    let one = &difference.assertions[0];
    let statuses = one.clauses.iter().map(|clause| clause.status).collect();
    (one.relation, statuses, ran.last_line().parse().unwrap())
}

#[test]
fn what_is_handed_on_and_what_is_not() {
    use ClauseStatus::{Goal, Implied, Inherited, Replayed};
    let fails = Verdict::False(Property::UnreachCall);
    let narrow = "if (x < 0 || x > 9) return 0; ";
    for (before, after, relation, statuses, verdict) in [
        ("assert(x < 10);", "assert(x < 10 && x >= 0);", Relation::Stronger, vec![Inherited, Goal], Verdict::True),
        ("assert(x < 10);", "assert(x < 20);", Relation::Weaker, vec![Implied], Verdict::True),
        ("assert(x < 10);", "assert(!(x > 9));", Relation::Equivalent, vec![Implied], Verdict::True),
        // A FALSE is not handed on to what says less.
        ("assert(x < 5);", "assert(x < 10);", Relation::Weaker, vec![Goal], Verdict::True),
        ("assert(x < 5);", "assert(x < 9);", Relation::Weaker, vec![Goal], fails.clone()),
        // Numbers wrap.
        (
            "assert(x + 2147483640 < 0 || x < 8);",
            "assert(x + 2147483640 < 0 || x < 7);",
            Relation::Stronger,
            vec![Goal],
            fails.clone(),
        ),
        // Two clauses together.
        (
            "assert(x < 10); assert(x > -1);",
            "assert(x > -1 && x < 10);",
            Relation::Implied,
            vec![Implied, Implied],
            Verdict::True,
        ),
        // What leads to an assertion says when it is to hold.
        ("if (x > 5) { assert(x < 10); }", "assert(x <= 5 || x < 10);", Relation::Equivalent, vec![Implied], Verdict::True),
        ("assert(x <= 5 || x < 9);", "if (x > 5) assert(x < 9);", Relation::Equivalent, vec![Replayed], fails.clone()),
        ("if (x > 5) { if (x < 8) assert(x != 9); }", "assert(x <= 6 || x != 9);", Relation::Stronger, vec![Goal], fails.clone()),
        // What is evaluated without going wrong.
        ("assert(x % 10 == x);", "assert(x % 20 == x);", Relation::Weaker, vec![Implied], Verdict::True),
        (
            "assert(x == 0 || 90 / x != 4);",
            "assert(x == 0 || 90 / x < 4 || 90 / x > 4);",
            Relation::Equivalent,
            vec![Implied],
            Verdict::True,
        ),
        // That a division never traps is not part of its verdict.
        ("assert(90 / (x - 20) != 7);", "assert(x != 20);", Relation::Weaker, vec![Goal], Verdict::True),
        // What an assertion does besides is code.
        ("assert(x++ < 10);", "assert(x < 10);", Relation::Weaker, vec![Goal], Verdict::True),
    ] {
        let found = change(&format!("{narrow}{before}"), &format!("{narrow}{after}"));
        // The first conjunct of a stronger assertion is known by S0 or S1.
        let statuses_found: Vec<ClauseStatus> =
            found.1.iter().map(|status| if *status == Inherited { Implied } else { *status }).collect();
        let statuses: Vec<ClauseStatus> =
            statuses.into_iter().map(|status| if status == Inherited { Implied } else { status }).collect();
        let relation_fits = found.0 == relation || before.contains("++");
        assert!(relation_fits && statuses_found == statuses && found.2 == verdict, "{before} {after}: {found:?}");
    }
    // What holds on one branch need not hold behind it.
    let branch = "if (x == 1) { assert(x == 1); }";
    let found = change(branch, &format!("{branch} assert(x == 1);"));
    assert_eq!(found.2, fails);
    // Another value at the start is another program, whatever only assertions read.
    let found = change("static int g = 1; assert(g == 1);", "static int g = 2; assert(g == 1);");
    assert_eq!((found.1, found.2), (vec![Goal], fails));
}

/// Assertions that are compared, with the conditions under which they can be evaluated.
const COMPARED: &[[(&str, &str); 2]] = &[
    [("x % 10 == 0", "1"), ("x % 10 == 0 || x % 10 == 5", "1")],
    [("x % 10 == 0", "1"), ("x % 5 == 0", "1")],
    [("x % 10 == 0", "1"), ("x % 10 <= 0", "1")],
    [("x % 10 == 0", "1"), ("x % 10 <= 5", "1")],
    [("x % 10 == 0", "1"), ("x % 10 == 5", "1")],
    [("x % 5 == 0", "1"), ("x % 10 == 0", "1")],
    [("x % 3 == 1", "1"), ("x % 3 != 0", "1")],
    [("x % 3 == 1", "1"), ("x % 3 == -2", "1")],
    [("x % 3 == 1 || x % 3 == -2", "1"), ("x % 3 == 1", "1")],
    [("x % -3 == 0", "1"), ("x % 3 == 0", "1")],
    [("(x & 1) == 0", "1"), ("x % 2 == 0", "1")],
    [("x % 2 == 1", "1"), ("(x & 1) == 1", "1")],
    [("x / 2 == 0", "1"), ("x >> 1 == 0 || x == -1", "1")],
    [("x / 2 == -1", "1"), ("x >> 1 == -1", "1")],
    [("x / 4 == -1", "1"), ("x < 0", "1")],
    [("x >> 2 <= 1", "1"), ("x >> 2 <= 4", "1")],
    [("x >> 1 < 0", "1"), ("x < 0", "1")],
    [("x / -1 == 5", "x != -2147483647 - 1"), ("x == -5", "1")],
    // Divisions by what may be zero.
    [("y == 0 || 10 / y <= 10", "1"), ("y == 0 || 10 / y <= 11", "1")],
    [("y == 0 || 10 / y <= 3", "1"), ("y == 0 || 10 / y <= 4", "1")],
    [("y == 0 || 10 / y <= 3", "1"), ("y == 0 || 10 / y <= 5", "1")],
    [("10 / y <= 3", "y != 0"), ("y == 0 || 10 / y <= 3", "1")],
    [("y == 0 || 10 / y <= 3", "1"), ("10 / y <= 3", "y != 0")],
    [("10 / y <= 3", "y != 0"), ("y != 0", "1")],
    [("y != 0", "1"), ("10 / y * 0 == 0", "y != 0")],
    [("x == x", "1"), ("10 / y * 0 == 0", "y != 0")],
    [("x % y == 0", "y != 0"), ("y != 0", "1")],
    // Amounts and indices in range, or not.
    [("1 << y == 4", "y >= 0 && y < 32"), ("y == 2", "1")],
    [("1 << y == 4", "y >= 0 && y < 32"), ("1 << y <= 4", "y >= 0 && y < 32")],
    [("1 << y == 4", "y >= 0 && y < 32"), ("y <= 2", "1")],
    [("t[x & 1] == 0", "1"), ("t[x & 1] == 0 || t[x & 1] == 1", "1")],
    [("t[y] == 0", "y >= 0 && y < 2"), ("t[y] <= 0", "y >= 0 && y < 2")],
    [("t[y] == 0", "y >= 0 && y < 2"), ("y < 2 && y > -2", "1")],
    [("t[0] == 0 && t[1] == 0", "1"), ("y < 0 || y > 1 || t[y] == 0", "1")],
    [("t[0] == 0", "1"), ("t[1] == 0", "1")],
    [("s.a % 4 == 0", "1"), ("s.a % 2 == 0", "1")],
    [("s.b < 4", "1"), ("s.b < 8", "1")],
    [("u.c[1] == 0", "1"), ("u.c[1] == 0 && u.c[0] == u.i", "1")],
    [("u.c[0] == 1", "1"), ("u.i % 2 != 0", "1")],
];

const OBJECTS: &str = "int x, y, t[2]; struct { int a; unsigned b : 3; } s; union { int i; unsigned char c[4]; } u;\n";

/// For each pair whether the first implies the second and the other way round, by gcc, for some values of the variables.
fn implied(folder: &Path) -> Vec<(bool, bool)> {
    let mut text = format!("#include <stdio.h>\n{OBJECTS}");
    text += "int main(void) { static int fails[100][2];\nfor (int n = 0; n < 129 * 13 * 9; n++) {\n\
             x = n % 129 - 64; y = n / 129 % 13 - 6; t[0] = n / 129 / 13 % 3 - 1; t[1] = n / 129 / 39 % 3 - 1;\n\
             s.a = x; s.b = y; u.i = x * 1024 + y;\n";
    for (number, [before, after]) in COMPARED.iter().enumerate() {
        text += &format!("{{ int a = ({}) && ({}), b = ({}) && ({});\n", before.1, before.0, after.1, after.0);
        text += &format!("fails[{number}][0] |= a && !b; fails[{number}][1] |= b && !a; }}\n");
    }
    text += &format!("}}\nfor (int n = 0; n < {}; n++) printf(\"%d %d\\n\", fails[n][0], fails[n][1]); }}\n", COMPARED.len());
    std::fs::write(folder.join("values.c"), text).unwrap();
    duct::cmd!("gcc", "-w", "-fwrapv", "-o", "values", "values.c").dir(folder).run().unwrap();
    let printed = duct::cmd!(folder.join("values")).read().unwrap();
    printed.lines().filter_map(|line| line.split_once(' ')).map(|(one, other)| (one == "0", other == "0")).collect()
}

/// A program with one assertion about some objects.
fn asserting(folder: &Path, name: &str, condition: &str) {
    std::fs::write(
        folder.join(name),
        format!("void assert(int);\n{OBJECTS}int main(void) {{ assert({condition});\nreturn 0; }}\n"),
    )
    .unwrap();
}

#[test]
fn relations_are_those_of_all_values() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let truth = implied(here);
    assert_eq!(truth.len(), COMPARED.len());
    let mut seen = BTreeSet::new();
    for ([before, after], truth) in COMPARED.iter().zip(truth) {
        asserting(here, "o.c", before.0);
        asserting(here, "m.c", after.0);
        let ran = propdiff(&["--deny", "weaker", "-o", "d.json", "o.c", "m.c"], here);
        let difference = PropertyDifference::read(&std::fs::read(here.join("d.json")).unwrap(), "d.json").unwrap();
        let expected = match truth {
            (true, true) => Relation::Equivalent,
            (true, false) => Relation::Weaker,
            (false, true) => Relation::Stronger,
            (false, false) => Relation::Incomparable,
        };
        let found = difference.assertions.iter().find(|one| one.modified.is_some()).map(|one| one.relation);
        assert_eq!(found, Some(expected), "{} {}: {}", before.0, after.0, ran.stderr);
        assert_eq!(ran.code, i32::from(expected == Relation::Weaker), "{} {}: {}", before.0, after.0, ran.stderr);
        seen.insert(expected);
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn what_is_not_known_to_say_as_much_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (objects, before, after) in [
        ("int *p = &x;", "*p < 5", "*p < 6"),
        ("int DECLARED = x;", "y < 5", "z < 6"),
        ("double d = x;", "(int)d < 5", "(int)d < 6"),
        ("static const int limits[2] = { 10, 20 };", "x < limits[0]", "x < limits[1]"),
        ("static const int least = 10;", "x < least", "x < 20"),
    ] {
        for (name, condition) in [("o.c", before), ("m.c", after)] {
            std::fs::write(here.join(name), {
                // The variable has another name.
                let objects = objects.replace("DECLARED", &condition[..1]);
                format!("{HEAD}{objects} assert({condition});\nreturn 0; }}\n")
            })
            .unwrap();
        }
        for (kind, code) in [("weaker", 1), ("unmatched", 1), ("removed", 0)] {
            let ran = propdiff(&["--deny", kind, "-o", "d.json", "o.c", "m.c"], here);
            assert_eq!(ran.code, code, "{before} {after} {kind}: {}", ran.stderr);
            assert_eq!(ran.stderr.contains("denied: m.c:3: assert"), code == 1, "{}", ran.stderr);
        }
        let written = std::fs::read(here.join("d.json")).unwrap();
        follows_schema(&written);
        let difference = PropertyDifference::read(&written, "d.json").unwrap();
        assert_eq!(difference.assertions[0].relation, Relation::Unknown, "{before} {after}");
        // What is the same is so whatever it says.
        assert_eq!(propdiff(&["--deny", "weaker,removed,unmatched", "-o", "d.json", "o.c", "o.c"], here).code, 0);
    }
}

/// Where the code has changed, or code makes a condition, nothing says that an assertion is as strong as before.
#[test]
fn what_is_not_known_to_be_the_same_is_not_called_so() {
    let program = |body: &str| {
        format!(
            "#define assert(c) ((c) ? (void)0 : __assert_fail(#c, \"\", 0, \"\"))\n\
             extern void __assert_fail(const char *, const char *, unsigned, const char *); extern int __VERIFIER_nondet_int(void);\n\
             static int ok(int v) {{ static int n; return v + n++; }}\nint main(void) {{ int x = __VERIFIER_nondet_int(), y = 0; {body} }}\n"
        )
    };
    let relations = |before: &str, after: &str| {
        let folder = tempfile::tempdir().unwrap();
        for (name, body) in [("o.c", before), ("n.c", after)] {
            std::fs::write(folder.path().join(name), program(body)).unwrap();
        }
        let ran = propdiff(&["--to", "json", "o.c", "n.c"], folder.path());
        let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a difference");
        let all = found["assertions"].as_array().unwrap();
        all.iter().map(|one| one["relation"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(relations("assert(x == 3);", "assert(x > 0); assert(x < 100);"), "weaker implied");
    assert_eq!(relations("assert(x == 3 && y == 0);", "assert(x == 3); assert(y == 0);"), "implied implied");
    let before = "assert(x > 0); x = -x; assert(x < 0);";
    assert_eq!(relations(before, "assert(x > 0); x = -x; x--; assert(x < 0); assert(x == -5);"), "same same new");
    let changed = relations("assert(x < 1000 || ok(x));", "assert(x < 2000 || ok(x));");
    assert_eq!(changed, "unknown");
    assert_eq!(relations("assert(x < 1000 || ok(x));", "assert(x < 1000 || ok(x)); y = 1;"), "same");
    let bare = relations("if (!(x > 5)) { assert(0); }", "if (x == 7) { y = 1; assert(0); }");
    assert!(bare != "stronger" && bare != "weaker" && bare != "implied", "{bare}");
}

#[test]
fn an_assertion_that_always_fails_is_itself() {
    let folder = tempfile::tempdir().unwrap();
    let program = "#define assert(c) ((c) ? (void)0 : __assert_fail(#c, \"\", 0, \"\"))\n\
        extern void __assert_fail(const char *, const char *, unsigned, const char *); extern int __VERIFIER_nondet_int(void);\n\
        int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0) x = 0;\n assert(x >= 0);\n CODE }\n";
    let lines = |code: &str| {
        std::fs::write(folder.path().join("p.c"), program.replace("CODE", code)).unwrap();
        propdiff(&["--check", "p.c"], folder.path()).stdout
    };
    let found = lines("assert(2 < 0);");
    assert!(found.contains("p.c:4:") && found.contains("p.c:5:") && !found.contains("!(x"), "{found}");
    let found = lines("if (x > 5) return 0; assert(x / 0 != 1);");
    assert!(found.ends_with("FALSE(div-zero)\n"), "{found}");
}

#[test]
fn verdicts_of_other_programs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = format!("{HEAD}assert(x != 3); return 0; }}\n");
    for (name, text) in
        [("o.c", text.clone()), ("m.c", text.replace("3", "4")), ("two.c", text.replace("assert(x", "assert(x > 1); assert(x"))]
    {
        std::fs::write(here.join(name), text).unwrap();
    }
    let checked = propdiff(&["--check", "--save-verdicts", "v.json", "o.c"], here);
    assert_eq!((checked.code, checked.last_line()), (1, "FALSE(unreach-call)"));
    assert!(checked.stdout.contains("o.c:3: x != 3: FALSE"), "{}", checked.stdout);
    let refuses = |arguments: &[&str], said: &str| {
        let ran = propdiff(arguments, here);
        assert!(ran.code == 2 && ran.stderr.contains(said), "{arguments:?}: {} {}", ran.code, ran.stderr);
    };
    refuses(&["--verdicts", "v.json", "m.c", "o.c"], "SHA-256");
    refuses(&["--32", "--verdicts", "v.json", "o.c", "m.c"], "fingerprint");
    refuses(&["--verdicts", "v.json", "--check", "o.c"], "two programs");
    refuses(&["--deny", "weaker", "--check", "o.c"], "two programs");
    refuses(&["o.c"], "one program has no difference");
    refuses(&["--save-verdicts", "o.c", "--check", "o.c"], "o.c");
    let bytes = std::fs::read_to_string(here.join("v.json")).unwrap();
    for (name, text) in [
        ("cut.json", bytes[..bytes.len() / 2].to_owned()),
        ("other.json", bytes.replace("assertion-verdicts", "something-else")),
        ("edited.json", bytes.replacen("FALSE(unreach-call)", "TRUE", 1)),
        // An edit that fits the rest of the file.
        ("turned.json", bytes.replace("FALSE(unreach-call)", "TRUE")),
        ("moved.json", bytes.replace("\"line\": 3", "\"line\": 4")),
        ("empty.json", String::new()),
    ] {
        std::fs::write(here.join(name), text).unwrap();
        refuses(&["--verdicts", name, "o.c", "m.c"], name);
    }
    // Nothing is known: relations are told all the same.
    let told = propdiff(&["o.c", "two.c"], here);
    let difference = PropertyDifference::read(told.stdout.as_bytes(), "stdout").unwrap();
    assert_eq!(difference.assertions.iter().map(|change| change.relation).collect::<Vec<_>>(), [Relation::New, Relation::Same]);
    let denied = propdiff(&["--deny", "removed", "two.c", "o.c", "-o", "d.json"], here);
    assert!(denied.code == 1 && denied.stderr.contains("denied: two.c:3"), "{}", denied.stderr);
}

/// A program with two loops, of which execution and bounded search see no end.
const LOOPS: &str = "void assert(int); int __VERIFIER_nondet_int(void);
int main(void) { int n = __VERIFIER_nondet_int(), i = 0, s = 0;
if (n < 0 || n > 100000) return 0;
while (i < n) {
INSIDE
i++; if (s < 50) s = s + 2;
}
int x = __VERIFIER_nondet_int();
if (x > s) x = s;
HERE
return 0; }
";

fn number_of(text: &str, name: &str) -> u64 {
    let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{name} in {text}"));
    line.rsplit([' ', ':']).find_map(|word| word.parse().ok()).unwrap()
}

#[test]
fn what_is_known_of_loops_is_proved_again_with_few_questions() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let before = "assert(s <= 51); assert(i <= n);";
    let after = "assert(s <= 51); assert(i <= n); assert(s < 60);";
    std::fs::write(here.join("o.c"), LOOPS.replace("HERE", before).replace("INSIDE", "")).unwrap();
    std::fs::write(here.join("m.c"), LOOPS.replace("HERE", after).replace("INSIDE", "assert(s < 52); assert(i < n);")).unwrap();
    assert_eq!(propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here).code, 0);
    let known = AssertionVerdicts::read(&std::fs::read(here.join("o.json")).unwrap(), "o.json").unwrap();
    assert!(!known.invariants.is_empty());
    let full = propdiff(&["--check", "--stats", "m.c"], here);
    let less = propdiff(&["--check", "--stats", "--verdicts", "o.json", "-o", "d.json", "o.c", "m.c"], here);
    assert_eq!((full.last_line(), less.last_line()), ("TRUE", "TRUE"));
    let asked = number_of(&less.stderr, "queries of the difference") + number_of(&less.stderr, "queries of the check");
    let scratch = number_of(&full.stderr, "queries of the check");
    assert!(2 * asked < scratch, "{asked} {scratch}");
    let difference = PropertyDifference::read(&std::fs::read(here.join("d.json")).unwrap(), "d.json").unwrap();
    assert!(difference.assertions.iter().flat_map(|change| &change.clauses).all(|clause| !clause.rests_on_file));
}

#[test]
fn known_inputs_are_run_before_anything_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, body) in [("o.c", "assert(x < 5);"), ("m.c", "assert(x < 6); assert(x != 5);")] {
        std::fs::write(here.join(name), format!("{HEAD}if (x < 0 || x > 9) return 0; {body}\nreturn 0; }}\n")).unwrap();
    }
    assert_eq!(propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here).code, 1);
    let ran = propdiff(&["--check", "--stats", "--verdicts", "o.json", "-o", "d.json", "o.c", "m.c"], here);
    let difference = PropertyDifference::read(&std::fs::read(here.join("d.json")).unwrap(), "d.json").unwrap();
    let clauses: Vec<_> = difference.assertions.iter().flat_map(|change| &change.clauses).collect();
    assert!(clauses.iter().any(|clause| clause.status == ClauseStatus::Replayed && clause.stage.as_deref() == Some("S2")));
    assert!(clauses.iter().all(|clause| matches!(clause.verdict, Verdict::False(_)) && clause.counterexample.is_some()));
    assert_eq!(number_of(&ran.stderr, "queries of the check"), 0);
}

fn follows_schema(written: &[u8]) {
    let schema = std::fs::read(residue_tests::root().join("formats/schemas/property-difference.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let mut instance: serde_json::Value = serde_json::from_slice(written).unwrap();
    let errors: Vec<String> = validator.iter_errors(&instance).take(3).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    instance["assertions"][0]["clauses"][0]["attribution"] = "guessed".into();
    assert!(!validator.is_valid(&instance));
}

#[test]
fn what_is_behind_a_failure() {
    use Attribution as A;
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let clamp = "if (x < 0) x = 0; if (x > 9) x = 9;";
    for (before, after, expected) in [
        // Same assertion, other code.
        (format!("{clamp} assert(x <= 9);"), "if (x < 0) x = 0; assert(x <= 9);".to_owned(), A::Regression),
        ("assert(x <= 9);".to_owned(), "if (x < 0) x = 0; assert(x <= 9);".to_owned(), A::PreExisting),
        // Other assertion, same code.
        (format!("{clamp} assert(x <= 9);"), format!("{clamp} assert(x < 9);"), A::PropertyUpdate),
        (format!("{clamp} assert(x < 8);"), format!("{clamp} assert(x < 9);"), A::PreExisting),
        (format!("{clamp} x = x;"), format!("{clamp} assert(x < 9); x = x;"), A::PropertyUpdate), // There was none.
        // One has become two.
        (format!("{clamp} assert(x < 8 && x >= 0);"), format!("{clamp} assert(x < 8); assert(x >= 0);"), A::PreExisting),
        (format!("{clamp} assert(x <= 9 && x >= 0);"), "if (x < 0) x = 0; assert(x <= 9); assert(x >= 0);".into(), A::Regression),
        // Both are others.
        (format!("{clamp} assert(x <= 9);"), "if (x < 0) x = 0; if (x > 19) x = 19; assert(x <= 18);".to_owned(), A::Regression),
        (
            format!("{clamp} assert(x >= 0);"),
            "if (x < 0) x = 0; if (x > 19) x = 19; assert(x <= 18);".to_owned(),
            A::FeatureAgainstProperty,
        ),
        (format!("{clamp} assert(x <= 9);"), "if (x < 0) x = 0; if (x > 8) x = 8; assert(x < 8);".to_owned(), A::PropertyUpdate),
        // One that no other stands for gets into the original where it would be.
        (
            "int r = 0; if (x == 1) r = 1; assert(r <= 1);".to_owned(),
            "int r = 0; if (x == 1) r = 1; else if (x == 2) r = 2; assert(r <= 2); assert(x != 2 || r == 0);".to_owned(),
            A::FeatureAgainstProperty,
        ),
        (
            "int r = 0; if (x == 1) r = 1; assert(r <= 1);".to_owned(),
            "int r = 0; if (x == 1) r = 1; else if (x == 2) r = 2; assert(r <= 1 || x != 2); assert(r < 3);".to_owned(),
            A::Regression,
        ),
    ] {
        std::fs::write(here.join("o.c"), format!("{HEAD}{before}\nreturn x == 77; }}\n")).unwrap();
        std::fs::write(here.join("m.c"), format!("{HEAD}{after}\nreturn x == 77; }}\n")).unwrap();
        propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
        let ran = propdiff(&["--check", "--json", "--verdicts", "o.json", "o.c", "m.c"], here);
        let difference = PropertyDifference::read(ran.stdout.as_bytes(), "stdout").unwrap();
        follows_schema(ran.stdout.as_bytes());
        let found: Vec<A> =
            difference.assertions.iter().flat_map(|change| &change.clauses).filter_map(|one| one.attribution).collect();
        assert_eq!((ran.code, found), (1, vec![expected]), "{before} {after}");
    }
}

/// A condition that calls, writes or chooses to be evaluated ends no run.
#[test]
fn what_does_more_than_branch_hides_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let head = "#include <assert.h>\nextern unsigned char __VERIFIER_nondet_uchar(void);\nextern void reach_error(void);\n\
        int arr[4]; static int ok(int x) { return x < 256; }\n\
        int main(void) { unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();\n";
    for first in [
        "assert(a > 255 && ok(a));",
        "assert(a > 255 && (b ? arr[a & 3] : a) > 3);",
        "assert(a > 255 || arr[0]++ > 3);",
        "assert(a > 255 && ({ int q = a; q; }) > 3);",
    ] {
        std::fs::write(here.join("o.c"), format!("{head}{first}\nassert(a > 2);\nassert(b < 256);\nreturn 0; }}\n")).unwrap();
        let ran = propdiff(&["--check", "o.c"], here);
        assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{first}: {}", ran.stdout);
        let told = |end: &str| ran.stdout.lines().any(|line| line.ends_with(end));
        assert!(told("a > 2: FALSE(unreach-call)") && told("b < 256: TRUE"), "{first}: {}", ran.stdout);
    }
}

#[test]
fn goals_are_programs() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let head = format!("{HEAD}if (x < 0 || x > 9) return 0;\n");
    std::fs::write(here.join("o.c"), format!("{head}assert(x < 10);\nassert(x < 5);\nreturn 0; }}\n")).unwrap();
    // Known to hold, known to fail, and two clauses of which one is open.
    let modified = "assert(x < 11);\nassert(x < 6);\nassert(x < 12 && x >= 0);\nreturn 0; }\n";
    std::fs::write(here.join("m.c"), format!("{head}{modified}")).unwrap();
    assert_eq!(propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here).code, 1);
    let goals = propdiff(&["--verdicts", "o.json", "--to", "c", "o.c", "m.c"], here);
    assert_eq!(goals.code, 0, "{}", goals.stderr);
    assert!(goals.stdout.contains("if ((x < 12) && !(x >= 0)) assert(0);"), "{}", goals.stdout);
    assert!(!goals.stdout.contains("x < 6") && !goals.stdout.contains("assert(x < 11)"), "{}", goals.stdout);
    std::fs::write(here.join("goals.c"), &goals.stdout).unwrap();
    assert_eq!(run("verify", ["goals.c"], here).unwrap().last_line(), "TRUE");
    let gcc =
        duct::cmd!("gcc", "-Wall", "-Wextra", "-Werror", "-c", "goals.c").dir(here).stderr_to_stdout().unchecked().run().unwrap();
    assert!(gcc.status.success());
    // A clause that fails is left alone in a file that fails.
    let failing = propdiff(&["--check", "--harness", "out", "--verdicts", "o.json", "o.c", "m.c"], here);
    assert!(failing.code == 1 && failing.stdout.contains("m.c:5: x < 6: FALSE"), "{}", failing.stdout);
    let file = here.join("out/line-5-site-1-clause-0.c");
    assert!(file.exists(), "{}", failing.stderr);
    duct::cmd!("gcc", "-std=gnu11", "-w", "-o", "harness", &file).dir(here).run().unwrap();
    let ran = duct::cmd!(here.join("harness")).dir(here).stdout_capture().unchecked().run().unwrap();
    assert!(ran.status.code() == Some(1) && String::from_utf8_lossy(&ran.stdout).contains("reach_error"));
}

#[test]
fn what_was_proved_is_assumed_where_goals_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |limit: u32, head: &str, last: &str| {
        format!(
            "{head}int d[3];\n{HEAD}if (x < 1 || x > {limit}) return 0;\nassert(x > 0 && x < 12);\nassert(12 / x > 0);\nassert(d[x & 1] == 0);\n\
             assert(x != 5);\n{last}\nreturn 0; }}\n"
        )
    };
    let emitted = |limit: u32, head: &str, verdicts: &str| {
        std::fs::write(here.join("m.c"), text(limit, head, "assert(x < 11);")).unwrap();
        let ran = propdiff(&["--verdicts", verdicts, "--to", "c", "o.c", "m.c"], here);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        std::fs::write(here.join("goals.c"), &ran.stdout).unwrap();
        duct::cmd!("gcc", "-Wall", "-Wextra", "-Werror", "-Wno-builtin-declaration-mismatch", "-c", "goals.c")
            .dir(here)
            .run()
            .unwrap();
        ran.stdout
    };
    let write = |head: &str| {
        std::fs::write(here.join("o.c"), text(9, head, "")).unwrap();
        propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
    };
    write("");
    let goals = emitted(9, "", "o.json");
    // What fails is no fact, nor is what may not be evaluated.
    let fact = "{ extern void abort(void); if (!(x > 0)) abort(); if ((x > 0) && !(x < 12)) abort(); }";
    assert!(goals.contains(fact) && goals.matches("abort()").count() == 2, "{goals}");
    assert_eq!(run("verify", ["goals.c"], here).unwrap().last_line(), "TRUE");
    // Nothing is known of other code.
    assert!(!emitted(8, "", "o.json").contains("abort"));
    // What rests on other verdicts was not proved.
    let mut resting = AssertionVerdicts::read(&std::fs::read(here.join("o.json")).unwrap(), "o.json").unwrap();
    resting.sites[0].clauses.iter_mut().for_each(|clause| clause.rests_on_file = true);
    let mut bytes = Vec::new();
    resting.write(&mut bytes).unwrap();
    std::fs::write(here.join("r.json"), bytes).unwrap();
    assert!(!emitted(9, "", "r.json").contains("abort"));
    // A function of that name may do anything.
    for head in ["void abort(void);\nvoid abort(void) { while (1) { } }\n", "int abort;\n"] {
        write(head);
        assert!(!emitted(9, head, "o.json").contains("abort()"), "{head}");
    }
}

/// Programs with the goals alone fail iff a run of the modified program violates a goal.
#[test]
fn facts_hide_no_violation() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (mut failing, mut holding, mut assumed) = (0, 0, 0);
    for seed in 500..500 + PAIRS {
        let (original, modified) = pair(seed);
        std::fs::write(here.join("o.c"), &original).unwrap();
        std::fs::write(here.join("m.c"), &modified).unwrap();
        propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
        let told = propdiff(&["--verdicts", "o.json", "o.c", "m.c"], here);
        let difference = PropertyDifference::read(told.stdout.as_bytes(), "stdout").unwrap();
        let goals = propdiff(&["--verdicts", "o.json", "--to", "c", "o.c", "m.c"], here);
        let Some(truth) = violated(&load("program.c", &modified)) else { continue };
        let Some(left) = violated(&load("goals.c", &goals.stdout)) else { continue };
        let is_goal = |id: &ClauseId| {
            let mut changes = difference.assertions.iter();
            let change = changes.find(|one| one.modified.as_ref().is_some_and(|place| place.site == id.site));
            change.is_some_and(|change| matches!(change.clauses[id.clause].verdict, Verdict::Unknown(_)))
        };
        assert_eq!(truth.iter().any(is_goal), !left.is_empty(), "seed {seed}\n{original}\n{modified}\n{}", goals.stdout);
        failing += usize::from(!left.is_empty());
        holding += usize::from(left.is_empty());
        assumed += goals.stdout.matches("abort()").count();
    }
    assert!(failing > 0 && holding > 0 && assumed > 20, "{failing} {holding} {assumed}");
}

#[test]
fn a_pair_says_of_changed_code_whether_what_held_still_does() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |limit: u32, last: &str| {
        format!(
            "{HEAD}if (x < 0) x = 0;\nif (x > {limit}) x = {limit};\nassert(x >= 0);\nassert(x <= 9);\n{last}\nreturn 0; }}\n"
        )
    };
    std::fs::write(here.join("o.c"), text(9, "assert(x < 4);")).unwrap();
    for (limit, verdict) in [(8, "TRUE"), (12, "FALSE(unreach-call)")] {
        std::fs::write(here.join("m.c"), text(limit, "assert(x < 5);")).unwrap();
        propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
        let ran = propdiff(&["--verdicts", "o.json", "--to", "pair", "-o", "pair", "o.c", "m.c"], here);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let read = |name: &str| std::fs::read_to_string(here.join("pair").join(name)).unwrap();
        let (original, modified, goals) = (read("original.c"), read("modified.c"), read("goals.c"));
        assert!(
            !original.contains("x < 4") && !modified.contains("x < 5") && !goals.contains("x >= 0"),
            "{original}{modified}{goals}"
        );
        let judged = run("residue", ["check", "pair/original.c", "pair/modified.c"], here).unwrap();
        assert_eq!(judged.last_line(), verdict, "{}", judged.stdout);
    }
}

#[test]
fn no_edited_file_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("o.c"), LOOPS.replace("HERE", "assert(s <= 51); assert(x != 7);").replace("INSIDE", "")).unwrap();
    std::fs::write(here.join("m.c"), LOOPS.replace("HERE", "assert(s <= 52); assert(x != 7);").replace("INSIDE", "")).unwrap();
    propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
    let bytes = std::fs::read(here.join("o.json")).unwrap();
    let whole = AssertionVerdicts::read(&bytes, "o.json").unwrap();
    let mut state = 12345u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for number in 0..1000 {
        let mut changed = bytes.clone();
        for _ in 0..=random(3) {
            let at = random(changed.len());
            match random(4) {
                0 => changed[at] = changed[at].wrapping_add(1 + random(40) as u8),
                1 => _ = changed.remove(at),
                2 => changed.insert(at, b"0129\"{}[],:eETRUFALS"[random(20)]),
                _ => changed.swap(at, random(bytes.len() - 4).min(at)),
            }
        }
        match AssertionVerdicts::read(&changed, "o.json") {
            // White space may change, or a field may be there that nobody reads.
            Ok(read) => assert_eq!(read, whole),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        if number % 40 == 0 {
            std::fs::write(here.join("x.json"), &changed).unwrap();
            let ran = propdiff(&["--check", "--verdicts", "x.json", "o.c", "m.c"], here);
            assert!(ran.code == 1 || ran.code == 2, "{}: {}", ran.code, ran.stderr);
        }
    }
    // A file that was written anew with another verdict: what can be looked at is.
    let mut forged = whole.clone();
    for site in &mut forged.sites {
        site.verdict = Verdict::True;
        for clause in &mut site.clauses {
            (clause.verdict, clause.counterexample) = (Verdict::True, None);
        }
    }
    let mut text = Vec::new();
    forged.write(&mut text).unwrap();
    std::fs::write(here.join("x.json"), &text).unwrap();
    let refused = propdiff(&["--check", "--verdicts", "x.json", "o.c", "m.c"], here);
    assert!(refused.code == 2 && refused.stderr.contains("its inputs show otherwise"), "{}", refused.stderr);
    // Without the inputs, what is not proved again is named, or checked.
    forged.counterexamples.clear();
    let mut text = Vec::new();
    forged.write(&mut text).unwrap();
    std::fs::write(here.join("x.json"), &text).unwrap();
    let told = propdiff(&["--check", "--verdicts", "x.json", "o.c", "m.c"], here);
    assert!(told.code == 1 || told.stdout.contains("x != 7: TRUE, rests on x.json"), "{}", told.stdout);
    let audited = propdiff(&["--check", "--audit", "100", "--verdicts", "x.json", "o.c", "m.c"], here);
    assert_eq!(audited.last_line(), "FALSE(unreach-call)", "{}", audited.stdout);
}

#[test]
fn without_loops_everything_in_a_file_is_proved_again_or_refuted() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for name in ["o.c", "m.c"] {
        std::fs::write(here.join(name), format!("{HEAD}if (x < 0) return 0; assert(x < 5 || x > 7);\nreturn 0; }}\n")).unwrap();
    }
    propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
    let mut forged = AssertionVerdicts::read(&std::fs::read(here.join("o.json")).unwrap(), "o.json").unwrap();
    forged.counterexamples.clear();
    forged.sites[0].verdict = Verdict::True;
    (forged.sites[0].clauses[0].verdict, forged.sites[0].clauses[0].counterexample) = (Verdict::True, None);
    let mut text = Vec::new();
    forged.write(&mut text).unwrap();
    std::fs::write(here.join("x.json"), &text).unwrap();
    let refuted = propdiff(&["--check", "--verdicts", "x.json", "o.c", "m.c"], here);
    assert!(refuted.code != 0 && !refuted.stdout.contains(": TRUE"), "{} {}", refuted.stdout, refuted.stderr);
}

/// `residue properties` on files, with a cache and reports, and between revisions.
#[test]
fn a_change_of_a_repository_has_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |assertion: &str| format!("{HEAD}if (x < 0 || x > 9) return 0;\nassert(x < 10);\n{assertion}\nreturn 0; }}\n");
    let (before, after) = (text("assert(x < 5);"), text("assert(x < 6); /* </td><script> */ assert(x >= 0);"));
    std::fs::write(here.join("o.c"), &before).unwrap();
    std::fs::write(here.join("m.c"), &after).unwrap();
    let arguments =
        ["properties", "--cache", "kept", "--report", "r.html", "--report", "r.json", "--report", "r.sarif", "o.c", "m.c"];
    let ran = run("residue", arguments, here).unwrap();
    assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{}", ran.stderr);
    assert!(ran.stdout.contains("m.c:5: x < 6: FALSE(unreach-call), pre-existing"), "{}", ran.stdout);
    let page = std::fs::read_to_string(here.join("r.html")).unwrap();
    assert!(
        page.contains("assert(x &lt; 6)")
            && page.contains("pre-existing")
            && page.contains("from line 4: <code>x &lt; 10")
            && !page.contains("<script"),
        "{page}"
    );
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(here.join("r.json")).unwrap()).unwrap();
    assert_eq!(report["format"], "properties-report");
    let sarif: serde_json::Value = serde_json::from_slice(&std::fs::read(here.join("r.sarif")).unwrap()).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let failing = results.iter().find(|one| one["level"] == "error" && one["baselineState"] == "unchanged").unwrap();
    assert!(failing["properties"]["inputs"][0].as_str().unwrap().starts_with("__VERIFIER_nondet"), "{sarif}");
    assert_eq!(failing["relatedLocations"][0]["message"]["text"], "was assert(x < 5);", "{sarif}");
    // What a clause follows from is told, though it is no finding.
    let used = &sarif["runs"][0]["properties"]["factsUsed"];
    let line = |one: &serde_json::Value| one["clause"] == "x < 10" && one["facts"][0]["line"] == 4;
    assert!(used.as_array().unwrap().iter().any(line), "{sarif}");
    if let Some(schema) = residue_tests::shared("schemas/sarif-schema-2.1.0.json") {
        let schema = serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
        let errors: Vec<String> =
            jsonschema::validator_for(&schema).unwrap().iter_errors(&sarif).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    follows_schema(&serde_json::to_vec(&report["units"][0]["difference"]).unwrap());
    assert_eq!(std::fs::read_dir(here.join("kept")).unwrap().count(), 2);
    // What was edited in the cache is found again.
    for entry in std::fs::read_dir(here.join("kept")).unwrap() {
        let path = entry.unwrap().path();
        let edited = std::fs::read_to_string(&path).unwrap().replace("FALSE(unreach-call)", "TRUE");
        std::fs::write(path, edited).unwrap();
    }
    assert_eq!(run("residue", arguments, here).unwrap().stdout, ran.stdout);
    // Between revisions.
    let git = |arguments: &[&str]| duct::cmd("git", arguments).dir(here).stdout_null().stderr_null().run().unwrap();
    git(&["init", "-q"]);
    for (text, message) in [(&before, "one"), (&after, "two")] {
        std::fs::write(here.join("p.c"), text).unwrap();
        git(&["add", "p.c"]);
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", message]);
    }
    let ran = run("residue", ["properties", "--git", "HEAD~1..HEAD", "p.c"], here).unwrap();
    assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{}", ran.stderr);
    assert!(ran.stdout.contains("p.c:5: x >= 0: TRUE"), "{}", ran.stdout);
    let denied = run("residue", ["properties", "--git", "HEAD~1..HEAD", "--deny", "weaker", "p.c"], here).unwrap();
    assert!(denied.code == 1 && denied.stderr.contains("denied: "), "{}", denied.stderr);
    assert!(denied.stderr.contains("denied: p.c:5: assert(x < 6);: weaker, was p.c:5: assert(x < 5);"), "{}", denied.stderr);
    let refused = run("residue", ["properties", "o.c"], here).unwrap();
    assert!(refused.code == 2 && refused.stderr.contains("two programs are needed"), "{}", refused.stderr);
}

/// Assertions that were taken out are gone, whatever the modified program is about then.
#[test]
fn assertions_that_are_all_gone_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let git = |arguments: &[&str]| duct::cmd("git", arguments).dir(here).stdout_null().stderr_null().run().unwrap();
    let head = "void assert(int); void reach_error(void); int __VERIFIER_nondet_int(void);\nint main(void) { int x = __VERIFIER_nondet_int();\n";
    let before = format!("{head}assert(x != 8 || x > 6);\nreturn 0; }}\n");
    std::fs::write(here.join("o.c"), &before).unwrap();
    git(&["init", "-q"]);
    for (body, told) in [
        ("return 0; }", "removed"),
        ("if (0) assert(x != 8);\nreturn 0; }", "removed"),
        ("if (x == 3 && x == 4) reach_error();\nreturn 0; }", "o.c is about assert, which is not compared"),
    ] {
        let after = format!("{head}{body}\n");
        std::fs::write(here.join("m.c"), &after).unwrap();
        for (tool, arguments) in
            [("propdiff", "--check --deny removed o.c m.c"), ("residue", "properties --deny removed,weaker o.c m.c")]
        {
            let ran = run(tool, arguments.split(' '), here).unwrap();
            let denied = ran.stderr.lines().any(|line| line.starts_with("denied: ") && line.contains(told));
            assert!(ran.code == 1 && denied, "{tool} {body}: {}{}", ran.stdout, ran.stderr);
        }
        for (text, message) in [(&before, "one"), (&after, "two")] {
            std::fs::write(here.join("p.c"), text).unwrap();
            git(&["add", "p.c"]);
            git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", message]);
        }
        let ran = run("residue", ["properties", "--git", "HEAD~1..HEAD", "--deny", "removed", "p.c"], here).unwrap();
        let denied = ran.stderr.lines().any(|line| line.starts_with("denied: "));
        assert!(ran.code == 1 && denied, "{body}: {}{}", ran.stdout, ran.stderr);
    }
}

/// What files are called that people know, and what to do where one is of no use.
#[test]
fn the_driver_speaks_of_files_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let residue = |arguments: &[&str]| run("residue", arguments.iter().copied(), here).unwrap();
    // Only looked at by executions, nothing is proved again.
    let text = |last: &str| {
        format!("{HEAD}int n = x, i = 0;\nif (n < 0) return 0;\nwhile (i < n) i++;\nassert(i <= n);\n{last}\nreturn 0; }}\n")
    };
    std::fs::write(here.join("o.c"), text("")).unwrap();
    std::fs::write(here.join("m.c"), text("assert(i <= n || n < 5);")).unwrap();
    assert_eq!(residue(&["properties", "--save-verdicts", "v.json", "o.c", "o.c"]).code, 0);
    let given = residue(&["properties", "--steps=1", "--verdicts", "v.json", "o.c", "m.c"]);
    assert!(given.stdout.contains("m.c:6: i <= n: TRUE, rests on v.json\n"), "{}", given.stdout);
    // Another file, and another way to read it.
    let other = residue(&["properties", "--verdicts", "v.json", "m.c", "m.c"]);
    let help = "propdiff --check --save-verdicts v.json m.c";
    assert!(other.code == 2 && other.stderr.contains(help) && other.stderr.contains("SHA-256"), "{}", other.stderr);
    assert!(!other.stderr.contains("detector"), "{}", other.stderr);
    let other = residue(&["properties", "--32", "--verdicts", "v.json", "o.c", "m.c"]);
    assert!(other.code == 2 && other.stderr.contains("an option differs"), "{}", other.stderr);
    // Kept verdicts of a program that includes another file now are not those of this program.
    std::fs::write(here.join("own.h"), "#define MOST 10\n").unwrap();
    std::fs::write(
        here.join("h.c"),
        format!("#include \"own.h\"\n{HEAD}if (x > MOST) x = MOST;\nassert(x <= 10);\nreturn 0; }}\n"),
    )
    .unwrap();
    assert_eq!(residue(&["properties", "--cache", "kept", "h.c", "h.c"]).last_line(), "TRUE");
    std::fs::write(here.join("own.h"), "#define MOST 12\n").unwrap();
    let found = residue(&["properties", "--cache", "kept", "h.c", "h.c"]);
    assert_eq!((found.code, found.last_line()), (1, "FALSE(unreach-call)"), "{}", found.stderr);
    // Between revisions loops are those of the text that was preprocessed, and what is known of them is proved again.
    let git = |arguments: &[&str]| duct::cmd("git", arguments).dir(here).stdout_null().stderr_null().run().unwrap();
    git(&["init", "-q"]);
    for from in ["o.c", "m.c"] {
        std::fs::copy(here.join(from), here.join("p.c")).unwrap();
        git(&["add", "p.c"]);
        git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", from]);
    }
    let change = residue(&["properties", "--steps=200000", "--git", "HEAD~1..HEAD", "--explain", "p.c"]);
    assert!(change.stdout.contains("p.c:6: i <= n: TRUE\n"), "{}", change.stdout);
    assert!(change.stderr.contains("p.c:6: assert(i <= n);: same"), "{}", change.stderr);
    let facts = residue(&["invariants", "--git", "HEAD~1..HEAD", "--at", "main:loops", "--of", "i <= n || i == 0", "p.c"]);
    assert_eq!(facts.code, 0, "{}", facts.stderr);
}

/// The verdict of a clause stands behind all that it says.
#[test]
fn a_clause_is_told_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let body = "assert(x < 5 || x >= 5); assert(x != 3 || x > 100); assert(x < 9000 && (x < 7 || x > 6));";
    std::fs::write(here.join("p.c"), format!("{HEAD}{body}\nreturn 0; }}\n")).unwrap();
    let told = propdiff(&["--check", "p.c"], here);
    for line in [
        "x < 5 || x >= 5: TRUE", "x != 3 || x > 100: FALSE(unreach-call)", "x < 9000: FALSE(unreach-call)",
        "x < 7 || x > 6: TRUE",
    ] {
        assert!(told.stdout.lines().any(|one| one.ends_with(&format!(": {line}"))), "{line}: {}", told.stdout);
    }
}

/// Programs with known verdicts: name, both texts, and a letter for each assertion of the modified one.
fn known_pairs() -> Vec<(String, String, String, String)> {
    let old = LOOPS.replace("HERE", "assert(s <= 51); assert(i <= n); assert(x < 20);").replace("INSIDE", "");
    let new = "assert(s <= 51); assert(i <= n && s < 60); assert(x < 21); assert(x < 30);";
    let new = LOOPS.replace("HERE", new).replace("INSIDE", "assert(s < 52);");
    // Only one input violates the original: what earlier failures are worth does not depend on which one was found.
    let single = |assertion: &str| format!("{HEAD}{assertion}\nreturn 0; }}\n");
    let known = (single("assert(x != 7);"), single("assert(x < 7 || x > 7);"));
    let mut all =
        vec![("loops".to_owned(), old, new, "NNNFF".to_owned()), ("a known input".to_owned(), known.0, known.1, "F".to_owned())];
    let Some(cases) = residue_tests::shared("oracle/sisters/propdiff") else { return all };
    for row in std::fs::read_to_string(cases.join("INDEX.csv")).unwrap().lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let text = |name: &str| std::fs::read_to_string(cases.join(fields[0]).join(name)).unwrap();
        all.push((fields[0].to_owned(), text("old.c"), text("new.c"), fields[3].to_owned()));
    }
    all
}

/// Whatever stages are left out, what is decided is right; each stage that is there settles something.
#[test]
fn stages_may_be_left_out() {
    const NAMES: [&str; 5] = ["S0", "S1", "S2", "S3", "S4"];
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let one_by_one = NAMES.iter().map(|left_out| vec![*left_out]);
    let step_by_step = (0..NAMES.len()).map(|last| NAMES[last + 1..].to_vec());
    let variants: Vec<Vec<&str>> = one_by_one.chain(step_by_step).collect();
    let (mut decided, mut settled) = (vec![0; variants.len()], [0; NAMES.len()]);
    let mut all = 0;
    for (name, old, new, expected) in known_pairs() {
        std::fs::write(here.join("o.c"), old).unwrap();
        std::fs::write(here.join("m.c"), new).unwrap();
        propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
        for (number, without) in variants.iter().enumerate() {
            let list = without.join(",");
            let files = ["--verdicts", "o.json", "--save-verdicts", "m.json", "-o", "d.json", "o.c", "m.c"];
            let mut arguments = ["--check", "--stats"].iter().chain(&files).copied().collect::<Vec<_>>();
            if !without.is_empty() {
                arguments.splice(0..0, ["--without", &list]);
            }
            let ran = propdiff(&arguments, here);
            assert!(ran.code < 4 && ran.code != 2, "{name} without {list}: {}", ran.stderr);
            let verdicts = AssertionVerdicts::read(&std::fs::read(here.join("m.json")).unwrap(), "m.json").unwrap();
            for (site, letter) in verdicts.sites.iter().zip(expected.chars()).filter(|_| !expected.contains('T')) {
                let fits = match &site.verdict {
                    Verdict::True => letter == 'N',
                    Verdict::False(_) => letter == 'F',
                    // Without S4 somebody must say that nobody looked.
                    Verdict::Unknown(reason) => without.contains(&"S4") && *reason == Reason::NotChecked,
                };
                assert!(fits, "{name} without {list}: {}: {} is {letter}", site.text, site.verdict);
                decided[number] += usize::from(!matches!(site.verdict, Verdict::Unknown(_)));
            }
            for (stage, count) in NAMES.iter().zip(&mut settled) {
                let found = number_of(&ran.stderr, &format!("clauses settled by {stage}"));
                assert!(found == 0 || !without.contains(stage), "{name} without {list}: {stage} {found}");
                // All stages are there in the last variant.
                *count += if without.is_empty() { found } else { 0 };
            }
        }
        all += if expected.contains('T') { 0 } else { expected.len() };
    }
    // Nothing but S4 is needed, and each stage up to it adds something.
    assert!(decided[..4].iter().all(|one| *one == all), "{decided:?} of {all}");
    assert!(decided[5..].windows(2).all(|two| two[0] < two[1]) && decided[9] == all, "{decided:?} of {all}");
    assert!(settled.iter().all(|count| *count > 0), "{settled:?}");
}

#[test]
fn clauses_name_what_they_follow_from() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let (old, new) = ("assert(x < 10);\nassert(x > -1);\nassert(x != 77);", "assert(x != 77);\nassert(x > -2 && x < 12);");
    for (name, body) in [("o.c", old), ("m.c", new)] {
        std::fs::write(here.join(name), format!("{HEAD}if (x < 0 || x > 9) return 0;\n{body}\nreturn 0; }}\n")).unwrap();
    }
    propdiff(&["--check", "--save-verdicts", "o.json", "o.c"], here);
    let told = propdiff(&["--explain", "--verdicts", "o.json", "o.c", "m.c"], here);
    follows_schema(told.stdout.as_bytes());
    let difference = PropertyDifference::read(told.stdout.as_bytes(), "stdout").unwrap();
    let clauses = difference.assertions.iter().flat_map(|change| &change.clauses);
    let facts: Vec<Vec<(u32, &str)>> =
        clauses.map(|clause| clause.facts.iter().map(|fact| (fact.line, fact.text.as_str())).collect()).collect();
    assert_eq!(facts[0], [(6, "x != 77")]);
    assert_eq!(facts[1], [(5, "x > -1")]);
    assert_eq!(facts[2], [(4, "x < 10")]);
    assert!(told.stderr.contains("from o.c:4: x < 10"), "{}", told.stderr);
}

#[test]
fn a_share_of_what_rests_on_a_file_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let body: String = (7..27).map(|number| format!("assert(x != {number}); ")).collect();
    for (name, last) in [("o.c", ""), ("m.c", "assert(x != 90);")] {
        std::fs::write(here.join(name), LOOPS.replace("HERE", &(body.clone() + last)).replace("INSIDE", "")).unwrap();
    }
    run("propdiff", ["--check", "--steps", "1", "--save-verdicts", "o.json", "o.c"], here).unwrap();
    let mut forged = AssertionVerdicts::read(&std::fs::read(here.join("o.json")).unwrap(), "o.json").unwrap();
    forged.counterexamples.clear();
    for site in &mut forged.sites {
        site.verdict = Verdict::True;
        site.clauses.iter_mut().for_each(|clause| (clause.verdict, clause.counterexample) = (Verdict::True, None));
    }
    let mut text = Vec::new();
    forged.write(&mut text).unwrap();
    std::fs::write(here.join("x.json"), &text).unwrap();
    let resting = |audit: &[&str]| {
        let arguments = [audit, &["--check", "--steps", "1000", "--verdicts", "x.json", "o.c", "m.c"]].concat();
        let ran = run("propdiff", &arguments, here).unwrap();
        ran.stdout.lines().filter(|line| line.ends_with("rests on x.json")).count()
    };
    let (all, half) = (resting(&[]), resting(&["--audit", "50"]));
    assert!(all == 20 && (5..=15).contains(&half), "{half} of {all}");
    assert_eq!((resting(&["--audit", "50"]), resting(&["--audit", "100"])), (half, 0));
    assert_eq!(run("propdiff", ["--check", "--audit", "0", "o.c", "m.c"], here).unwrap().code, 2);
}

/// Rules that must not be left out: without each of them one of these would be TRUE.
#[test]
fn nothing_is_concluded_from_what_does_not_hold() {
    let narrow = "if (x < 0 || x > 9) return 0; ";
    let fails = Verdict::False(Property::UnreachCall);
    for (before, after) in [
        // A guarded clause says nothing where its guard fails: x < 7 holds where x < 5 does, which is not everywhere.
        ("assert(x < 5 && x < 7);", "assert(x < 7);"),
        // An assertion that fails hides no other: without the first, the second fails.
        ("assert(x != 7); assert(x != 7);", "assert(x != 7);"),
        // Of contradicting facts nothing follows if one of them is none.
        ("assert(x < 5); assert(x >= 0);", "assert(x >= 0 && x < 5);"),
        // What holds in a branch is no fact behind it.
        ("if (x < 5) { assert(x < 5); } assert(x < 20);", "if (x < 5) { } assert(x < 5);"),
        // Nor is it where another way leads into the branch.
        ("if (x == 2) goto in; if (x > 5) { assert(x > 5); in: ; }", "if (x == 2) goto in; if (x > 5) { in: assert(x > 5); }"),
        // Evaluating the condition of a branch may change what is asserted in it.
        ("if (x++ > 5) { assert(x > 6); }", "assert(!(x++ > 5) || x > 6); assert(x > 1);"),
        // A weaker assertion fails too, by the same inputs.
        ("assert(x < 3);", "assert(x < 9);"),
    ] {
        let found = change(&format!("{narrow}{before}"), &format!("{narrow}{after}"));
        assert_eq!(found.2, fails, "{before} {after}");
    }
    // What was not decided is no fact.
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, body) in [("o.c", "assert(x < 10);"), ("m.c", "assert(x < 11);")] {
        let code = "int i = 0; while (i < 30000) { i++; if (x > 9) x--; }";
        std::fs::write(here.join(name), format!("{HEAD}{code} {body}\nreturn 0; }}\n")).unwrap();
    }
    let undecided = run("propdiff", ["--check", "--steps", "1", "--save-verdicts", "o.json", "o.c"], here).unwrap();
    assert_eq!(undecided.code, 3, "{}", undecided.stdout);
    let told = propdiff(&["--verdicts", "o.json", "o.c", "m.c"], here);
    let difference = PropertyDifference::read(told.stdout.as_bytes(), "stdout").unwrap();
    assert_eq!(difference.assertions[0].clauses[0].status, ClauseStatus::Goal);
}
