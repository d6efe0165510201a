//! Invariants of versions: letters are those of all runs, whether versions are looked at together or alone; bad input is refused.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use formats::invariant_table::{ChurnKind, InvariantTable};
use program::cfa::{Cfa, EdgeId, Operation};
use residue_tests::oracle::load;
use residue_tests::programs::Rng;
use residue_tests::{Ran, run};
use semantics::interpreter::{EdgeObserver, Limits, Outcome, Request};

/// Chains that are tried; `RESIDUE_CHAINS` changes it.
const CHAINS: u64 = 10;
const MOST_RUNS: usize = 5000;

fn invdiff(arguments: &[&str], folder: &Path) -> Ran {
    run("invdiff", arguments, folder).unwrap()
}

fn table(ran: &Ran) -> InvariantTable {
    InvariantTable::read(ran.stdout.as_bytes(), "stdout").unwrap_or_else(|error| panic!("{error}\n{}", ran.stderr))
}

fn write(folder: &Path, texts: &[&str]) -> Vec<String> {
    let name = |(number, text): (usize, &&str)| {
        let name = format!("v{}.c", number + 1);
        std::fs::write(folder.join(&name), text).unwrap();
        name
    };
    texts.iter().enumerate().map(name).collect()
}

/// The letters of facts at the label `P`.
fn letters(texts: &[&str], facts: &[&str], more: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let files = write(folder.path(), texts);
    let mut arguments = vec!["--to", "json", "--at", "label:P"];
    facts.iter().for_each(|fact| arguments.extend(["--of", fact]));
    arguments.extend(more.iter().chain(&files.iter().map(String::as_str).collect::<Vec<_>>()));
    let ran = invdiff(&arguments, folder.path());
    table(&ran).instances.into_iter().map(|one| one.status).collect()
}

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void); void abort(void);\n";

/// The letters of facts at the end of `main`, behind each of some texts.
fn ends(bodies: &[&str], facts: &[&str]) -> Vec<String> {
    let texts: Vec<String> = bodies.iter().map(|body| format!("{HEAD}int main(void) {{ {body} P:; return 0; }}\n")).collect();
    letters(&texts.iter().map(String::as_str).collect::<Vec<_>>(), facts, &[])
}

#[test]
fn letters_say_what_is_so() {
    // A proof, a run, no way there, and the same for a type that wraps.
    assert_eq!(ends(&["int x = 1;", "int x = 2;", "int x = 1; if (x) return 1;"], &["x == 1"]), ["HFU"]);
    assert_eq!(ends(&["unsigned char x = 255; x++;", "int x = 255; x++;"], &["x == 0", "x == 256"]), ["HF", "FH"]);
    // A name that some versions lack, and one of another type.
    assert_eq!(ends(&["int x = 1;", "int y = 1;", "struct { int a; } x = {1};"], &["x == 1"]), ["HN?"]);
    // A loop with another bound, and one that never ends.
    let counts = |bound: &str| format!("int i = 0; int n = __VERIFIER_nondet_uchar(); while (i < {bound}) i++;");
    assert_eq!(ends(&[&counts("n"), &counts("n + 1"), &counts("300")], &["i <= 255", "i == n"]), ["HFF", "HFF"]);
    assert_eq!(ends(&["int x = 1; while (1) { }", "int x = 1;"], &["x == 1"]), ["UH"]);
    // What the place lies behind.
    assert_eq!(
        ends(&["int x = __VERIFIER_nondet_int(); if (x < 3) abort();", "int x = __VERIFIER_nondet_int();"], &["x >= 3"]),
        ["HF"]
    );
}

#[test]
fn what_is_remembered_is_what_was_read() {
    let reads = |first: &str, second: &str| {
        format!("int {first} = __VERIFIER_nondet_uchar(); int {second} = __VERIFIER_nondet_uchar(); int r = a - b;")
    };
    let facts = ["r == in(0) - in(1)", "r == a - b", "in(0) >= 0"];
    assert_eq!(ends(&[&reads("a", "b"), &reads("b", "a")], &facts), ["HF", "HH", "HH"]);
    // An input that some runs have not read has no value.
    let some = "int x = 0; if (__VERIFIER_nondet_bool()) x = __VERIFIER_nondet_uchar();";
    assert_eq!(ends(&[some, "int x = __VERIFIER_nondet_uchar();"], &["x == in(__VERIFIER_nondet_uchar, 0)"]), ["XH"]);
    let texts = ["x = x + 1;", "x = x + 2;"]
        .map(|body| format!("{HEAD}static int f(int x) {{ {body} P:; return x; }}\nint main(void) {{ f(1); return f(5); }}\n"));
    assert_eq!(letters(&[&texts[0], &texts[1]], &["x == old(x) + 1", "x > old(x)"], &[]), ["HF", "HH"]);
}

#[test]
fn an_expression_without_a_value_is_no_fact() {
    let body = |from: u32| format!("int x = __VERIFIER_nondet_uchar() + {from}; int a[3] = {{1, 2, 3}};");
    let facts = ["100000 / x > 0", "x == 0 || 5 / x >= 0", "1 << x != 0 || x > 31", "a[x] <= 3"];
    assert_eq!(ends(&[&body(0), &body(1)], &facts), ["XH", "HH", "XX", "XX"]);
    // A run in which it is false is one whatever happens in others.
    assert_eq!(ends(&[&body(0), &body(1)], &["10 / x > 1"]), ["FF"]);
}

#[test]
fn assembly_writes_its_outputs() {
    let text = "extern int __VERIFIER_nondet_int(void); int main(void) { int r, s;
        if (__VERIFIER_nondet_int()) __asm__(\"inb %1, %0\" : \"=a\"(r) : \"d\"(8)); else r = 1;
        s = r; P:; return 0; }\n";
    assert_eq!(letters(&[text, &text.replace("s = r", "s = r + 0")], &["s == 1"], &["--defined"]), ["??"]);
}

#[test]
fn calls_are_told_apart_and_state_is_kept() {
    let texts = ["return v + 1;", "if (v > 10) return v; return v + 1;"].map(|body| {
        format!("{HEAD}static int f(int v) {{ {body} }}\nint main(void) {{ int p = f(1); int q = f(20); P:; return p + q; }}\n")
    });
    assert_eq!(letters(&[&texts[0], &texts[1]], &["p == 2", "q == 21"], &[]), ["HH", "HF"]);
    let texts = ["static int n = 0;", "int n = 0;"].map(|kept| {
        format!(
            "{HEAD}static int f(void) {{ {kept} n = n + 1; return n; }}\nint main(void) {{ f(); int x = f(); P:; return x; }}\n"
        )
    });
    assert_eq!(letters(&[&texts[0], &texts[1]], &["x == 2", "x == 1"], &[]), ["HF", "FH"]);
    let texts = ["n <= 0 ? 0 : 1 + f(n - 1)", "n <= 0 ? 0 : 2 + f(n - 1)"]
        .map(|sum| format!("{HEAD}static int f(int n) {{ return {sum}; }}\nint main(void) {{ int x = f(3); P:; return x; }}\n"));
    assert_eq!(letters(&[&texts[0], &texts[1]], &["x == 3", "x >= 3"], &[]), ["HF", "HH"]);
}

#[test]
fn cases_with_known_letters() {
    let Some(cases) = residue_tests::shared("oracle/sisters/invdiff") else { return };
    let folder = tempfile::tempdir().unwrap();
    let index = std::fs::read_to_string(cases.join("INDEX.csv")).unwrap();
    let mut groups: BTreeMap<(String, usize, String), Vec<(String, String)>> = BTreeMap::new();
    for row in index.lines().skip(1) {
        // Only the last fields may be quoted.
        let fields: Vec<&str> = row.splitn(6, ',').collect();
        let [case, versions, point, fact, expected, _] = fields.as_slice() else { panic!("{row}") };
        let key = ((*case).to_owned(), versions.parse().unwrap(), (*point).to_owned());
        let fact = fact.replace("IN0", "in(0)").replace("IN1", "in(1)");
        groups.entry(key).or_default().push((fact, (*expected).to_owned()));
    }
    let (mut all, mut decided) = (0, 0);
    for ((case, versions, point), facts) in groups {
        let at = format!("label:{point}");
        let files: Vec<String> =
            (1..=versions).map(|n| cases.join(&case).join(format!("v{n}.c")).display().to_string()).collect();
        let mut arguments = vec!["--to", "json", "--steps", "600000", "--at", &at];
        // Only where it is asked for, what happened before counts.
        arguments.extend(facts.iter().any(|(_, expected)| expected.contains('X')).then_some("--defined"));
        facts.iter().for_each(|(fact, _)| arguments.extend(["--of", fact]));
        arguments.extend(files.iter().map(String::as_str));
        let found = table(&invdiff(&arguments, folder.path()));
        for (one, (fact, expected)) in found.instances.iter().zip(&facts) {
            for (letter, expected) in one.status.chars().zip(expected.chars()) {
                assert!(letter == expected || letter == '?', "{case} {fact}: {} is not {expected}", one.status);
                all += 1;
                decided += usize::from(letter != '?');
            }
        }
    }
    assert!(all > 80 && 10 * decided >= 9 * all, "{decided} of {all}");
}

/// A random program: statements, of which some are edited from version to version.
struct Chain {
    rng: Rng,
}

/// What is asked: a fact, the condition under which it has a value, and whether the fact is about `d`.
const FACTS: [(&str, &str); 12] = [
    ("a <= 3", "1"),
    ("a >= 0", "1"),
    ("b != 2", "1"),
    ("a == b", "1"),
    ("a <= b + 2", "1"),
    ("c % 2 == 0", "1"),
    ("c <= 5", "1"),
    ("c >= 0 && c < 200", "1"),
    ("a + b >= c || c > 1", "1"),
    ("b >= 0", "1"),
    ("6 / a >= 0", "a != 0"),
    ("a < 4 || b < 4", "1"),
];

impl Chain {
    fn pick(&mut self, from: &[&str]) -> String {
        from[self.rng.below(from.len())].to_owned()
    }

    fn value(&mut self) -> String {
        let (x, k) = (self.pick(&["a", "b", "c"]), self.rng.below(4));
        match self.rng.below(7) {
            0 => k.to_string(),
            1 => format!("{x} + {k}"),
            2 => format!("{x} - {k}"),
            3 => "__VERIFIER_nondet_bool()".to_owned(),
            4 => format!("f({x})"),
            5 => format!("({x} & 3) * 2"),
            _ => x,
        }
    }

    fn condition(&mut self) -> String {
        let (x, k) = (self.pick(&["a", "b", "c"]), self.rng.below(4));
        let op = self.pick(&["<", ">", "==", "!=", "<="]);
        if self.rng.one_in(4) { "__VERIFIER_nondet_bool()".to_owned() } else { format!("{x} {op} {k}") }
    }

    fn statement(&mut self, depth: usize) -> String {
        let target = self.pick(&["a", "b", "c"]);
        match self.rng.below(if depth == 0 { 4 } else { 9 }) {
            0..=3 => format!("{target} = {};", self.value()),
            4 | 5 => format!("if ({}) {{ {} }}", self.condition(), self.statement(depth - 1)),
            6 => {
                format!("if ({}) {{ {} }} else {{ {} }}", self.condition(), self.statement(depth - 1), self.statement(depth - 1))
            }
            7 => format!("for (int i = 0; i < {}; i++) {{ {} }}", self.rng.below(3) + 1, self.statement(depth - 1)),
            _ => format!("if ({}) return 0;", self.condition()),
        }
    }

    fn program(&mut self) -> Program {
        let body = (0..3 + self.rng.below(5)).map(|_| self.statement(2)).collect();
        let types = [0; 3].map(|_| self.pick(&["int", "int", "unsigned char", "signed char", "short"]));
        Program { types, callee: ("f".to_owned(), "v + 1".to_owned()), body, looped: self.rng.one_in(3) }
    }

    fn edit(&mut self, program: &mut Program) {
        let at = self.rng.below(program.body.len());
        match self.rng.below(8) {
            0 | 1 => program.body[at] = self.statement(2),
            2 => program.body.insert(at, self.statement(2)),
            3 if program.body.len() > 2 => _ = program.body.remove(at),
            4 => program.callee.1 = self.pick(&["v + 1", "v", "v > 1 ? v - 1 : 2", "v * 2"]),
            5 => program.callee.0 = self.pick(&["f", "g"]),
            6 => program.types[self.rng.below(3)] = self.pick(&["int", "unsigned char", "signed char"]),
            _ => program.body.swap(at, 0),
        }
    }
}

#[derive(Clone)]
struct Program {
    types: [String; 3],
    callee: (String, String),
    body: Vec<String>,
    /// The point is visited several times.
    looped: bool,
}

impl Program {
    /// The text, with statements at the point.
    fn text(&self, seen: &str) -> String {
        let [a, b, c] = &self.types;
        let (name, result) = &self.callee;
        let body = self.body.join("\n  ").replace("f(", &format!("{name}("));
        let point = format!("P:; {seen}");
        let body = if self.looped {
            format!("for (int k = 0; k < 2; k++) {{\n  {body}\n  {point}\n  }}")
        } else {
            format!("{body}\n  {point}")
        };
        format!(
            "{HEAD}static int {name}(int v) {{ return {result}; }}\nint main(void) {{ {a} a = __VERIFIER_nondet_bool(); {b} b = 0; {c} c = 2;\n  {body}\n  return 0;\n}}\n"
        )
    }

    /// The letters of all facts, by all runs; `None` if there are too many.
    fn truth(&self) -> Option<String> {
        let check = |(number, (fact, defined)): (usize, &(&str, &str))| {
            format!("if (!({defined})) undefined{number}(); else if (!({fact})) fails{number}(); ")
        };
        let declared: String = (0..FACTS.len()).map(|n| format!("void undefined{n}(void); void fails{n}(void); ")).collect();
        let text: String = FACTS.iter().enumerate().map(check).collect();
        let cfa = load("truth.c", &(declared + "void reached(void);\n" + &self.text(&format!("reached(); {text}"))));
        let called = calls(&cfa)?;
        let letter = |number: usize| match () {
            () if !called.contains_key("reached") => 'U',
            () if called.contains_key(&format!("fails{number}")) => 'F',
            () if called.contains_key(&format!("undefined{number}")) => 'X',
            () => 'H',
        };
        Some((0..FACTS.len()).map(letter).collect())
    }
}

/// The functions without a body that some run calls; `None` if there are too many runs.
fn calls(cfa: &Cfa) -> Option<BTreeMap<String, ()>> {
    let (mut found, mut prefix) = (BTreeMap::new(), Vec::<u128>::new());
    for _ in 0..MOST_RUNS {
        let mut read: Vec<u128> = Vec::new();
        let mut inputs = |_: &Request| {
            let value = prefix.get(read.len()).copied().unwrap_or_default();
            read.push(value);
            Some(value)
        };
        let mut watch = EdgeObserver(|edge: EdgeId| {
            if let Operation::Call { callee, .. } = cfa.edge(edge).operation {
                found.insert(cfa.function(callee).name.to_string(), ());
            }
            ControlFlow::Continue(())
        });
        let done = semantics::interpreter::run(cfa, &mut inputs, &mut watch, Limits { steps: 20_000, ..Limits::default() });
        if read.len() > 16 || done.outcome == Outcome::StepLimit {
            return None;
        }
        while read.last() == Some(&1) {
            read.pop();
        }
        let Some(last) = read.last_mut() else { return Some(found) };
        *last = 1;
        prefix = read;
    }
    None
}

#[test]
fn letters_of_random_chains_are_those_of_all_runs() {
    let number = std::env::var("RESIDUE_CHAINS").ok().and_then(|text| text.parse().ok()).unwrap_or(CHAINS);
    let first = std::env::var("RESIDUE_CHAINS_FROM").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let found = residue_tests::oracle::for_seeds(first..first + number, |seed| {
        let mut chain = Chain { rng: Rng::new(seed) };
        let mut program = chain.program();
        let mut versions = vec![program.clone()];
        for _ in 0..1 + chain.rng.below(4) {
            (0..1 + chain.rng.below(2)).for_each(|_| chain.edit(&mut program));
            versions.push(program.clone());
        }
        let truth: Option<Vec<String>> = versions.iter().map(Program::truth).collect();
        let truth = truth?;
        let texts: Vec<String> = versions.iter().map(|version| version.text("")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let facts: Vec<&str> = FACTS.iter().map(|(fact, _)| *fact).collect();
        let together = letters(&texts, &facts, &["--steps", "300000"]);
        let alone = if seed % 3 == 0 { letters(&texts, &facts, &["--separate", "--steps", "300000"]) } else { together.clone() };
        let (mut all, mut decided) = (0usize, 0usize);
        for (fact, (together, alone)) in together.iter().zip(&alone).enumerate() {
            for (version, (one, other)) in together.chars().zip(alone.chars()).enumerate() {
                let expected = truth[version].chars().nth(fact).unwrap();
                let fits = |letter: char| letter == expected || letter == '?';
                let shown = || {
                    format!(
                        "seed {seed}, version {version}, {}: {one}{other} is not {expected}\n{}",
                        FACTS[fact].0, texts[version]
                    )
                };
                assert!(fits(one) && fits(other), "{}", shown());
                all += 1;
                decided += usize::from(one != '?');
            }
        }
        Some((all, decided, truth.concat()))
    });
    let found: Vec<(usize, usize, String)> = found.into_iter().flatten().collect();
    let (all, decided) = found.iter().fold((0, 0), |(all, decided), one| (all + one.0, decided + one.1));
    let letters: String = found.iter().map(|one| one.2.as_str()).collect();
    let count = |letter: char| letters.chars().filter(|one| *one == letter).count();
    eprintln!(
        "{} chains: {decided} of {all} letters; H {} F {} U {} X {}",
        found.len(),
        count('H'),
        count('F'),
        count('U'),
        count('X')
    );
    assert!(10 * decided >= 9 * all && all > 100, "{decided} of {all}");
    // No letter is rare, unless other chains are looked at than those of every day.
    let is_usual = std::env::var_os("RESIDUE_CHAINS").is_none();
    assert!(!is_usual || 5 * count('H') > all && 10 * count('F') > all && count('U') > 0 && count('X') > 0);
}

/// Letters are about one version each: in which order versions stand, and how often, changes none.
#[test]
fn order_and_copies_of_versions_change_no_letter() {
    let (mut all, mut same) = (0usize, 0usize);
    for seed in 300..303 {
        let mut chain = Chain { rng: Rng::new(seed) };
        let mut program = chain.program();
        let mut texts = vec![program.text("")];
        for _ in 0..2 {
            chain.edit(&mut program);
            texts.push(program.text(""));
        }
        let facts: Vec<&str> = FACTS.iter().map(|(fact, _)| *fact).collect();
        let ask = |order: &[usize]| {
            let texts: Vec<&str> = order.iter().map(|at| texts[*at].as_str()).collect();
            letters(&texts, &facts, &["--steps", "300000"])
        };
        let known = ask(&[0, 1, 2]);
        for order in [[2, 1, 0].as_slice(), &[1, 2, 0], &[0, 1, 1, 2, 0, 2]] {
            for (fact, (known, other)) in known.iter().zip(ask(order)).enumerate() {
                for (at, letter) in order.iter().zip(other.chars()) {
                    let expected = known.chars().nth(*at).unwrap();
                    let fits = letter == expected || letter == '?' || expected == '?';
                    assert!(fits, "seed {seed}, {order:?}, {}: {letter} is not {expected}", FACTS[fact].0);
                    all += 1;
                    same += usize::from(letter == expected);
                }
                let of_first = |at: usize| order.iter().zip(other.chars()).find(|(version, _)| **version == at).map(|one| one.1);
                let is_one = order.iter().zip(other.chars()).all(|(at, letter)| Some(letter) == of_first(*at));
                assert!(is_one, "seed {seed}, {order:?}, {}: copies of a version have other letters", FACTS[fact].0);
            }
        }
    }
    assert!(all > 300 && 100 * same >= 98 * all, "{same} of {all}");
}

#[test]
fn what_the_text_assigns_to_floats_is_proposed() {
    let folder = tempfile::tempdir().unwrap();
    let text = |sum: &str| {
        format!(
            "double __VERIFIER_nondet_double(void);\nint main(void) {{ double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double(), \
             mean = 0, last = 1;\nfloat f = 0;\nmean = ({sum}) / 2; f = mean * 2; last = a; a = 3; P:; return 0; }}\n"
        )
    };
    let files = write(folder.path(), &[&text("a + b"), &text("a - b"), &text("a + b")]);
    let mut arguments = vec!["--to", "json", "--at", "label:P", "--steps", "200000", "--families", "definition"];
    arguments.extend(files.iter().map(String::as_str));
    let found = table(&invdiff(&arguments, folder.path()));
    let of = |text: &str| found.instances.iter().find(|one| one.expression == text).map(|one| one.status.as_str());
    // What rounding or NaN makes of it is so of both sides; that of `f` is rounded once more.
    assert_eq!(of("f == (float)(mean * 2) || f != f"), Some("HHH"), "{found:?}");
    // By then `a` is another number.
    assert!(of("mean == (a + b) / 2 || mean != mean").is_none_or(|status| !status.contains('H')), "{found:?}");
    let unchanged = [text("a + b").replace("a = 3; ", ""), text("a - b").replace("a = 3; ", "")];
    let files = write(folder.path(), &[&unchanged[0], &unchanged[1]]);
    arguments.truncate(7);
    arguments.push("definition");
    arguments.extend(files.iter().map(String::as_str));
    let found = table(&invdiff(&arguments, folder.path()));
    let of = |text: &str| found.instances.iter().find(|one| one.expression == text).map(|one| one.status.as_str());
    assert_eq!(of("mean == (a + b) / 2 || mean != mean"), Some("HF"), "{found:?}");
    assert_eq!(of("mean == (a - b) / 2 || mean != mean"), Some("FH"), "{found:?}");
    assert_eq!(of("last == a || last != last"), Some("HH"), "{found:?}");
}

/// Behind what nobody can treat nothing is decided, and that is no long work; where no run comes there it is as if it were not.
#[test]
fn obstacles_are_looked_at_before_what_is_behind_them() {
    let folder = tempfile::tempdir().unwrap();
    let text = |guard: &str, step: u32| {
        format!(
            "{HEAD}int main(void) {{ int n = __VERIFIER_nondet_uchar(), i = 0; {guard} while (i < n) i = i + {step}; P:; return i; }}"
        )
    };
    let ask = |guard: &str| {
        let files = write(folder.path(), &[&text(guard, 1), &text(guard, 2)]);
        let mut arguments = vec!["--to", "json", "--at", "label:P", "--steps", "60000", "--families", "none"];
        arguments.extend(["--of", "i <= n", "--of", "i >= 0", "--of", "i <= 256", "--of", "n < 256", "--of", "n >= 0"]);
        arguments.extend(files.iter().map(String::as_str));
        let found = table(&invdiff(&arguments, folder.path()));
        let letters: Vec<String> = found.instances.iter().map(|one| one.status.clone()).collect();
        (letters, found)
    };
    let read = "{ int scanf(const char *, ...); long double d; scanf(\"%Lf\", &d); }";
    let (letters, behind) = ask(read);
    assert_eq!(letters, ["??"; 5]);
    assert!(behind.instances.iter().all(|one| format!("{one:?}").contains("unsupported")), "{behind:?}");
    assert!(behind.statistics["queries"] <= 12, "{}", behind.statistics["queries"]);
    // One of two ways, none that is taken, and a function that is behind it.
    assert_eq!(ask(&format!("if (n == 7) {read}")).0[0], "?F");
    assert_eq!(ask(&format!("if (n > 255) {read}")).0[0], "HF");
    assert_eq!(ask(&format!("n = -1; if (n > 0) {{ {read} }} else abort();")).0, ["UU"; 5]);
}

#[test]
fn two_runs_write_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let loops = |step: &str| {
        format!(
            "{HEAD}int main(void) {{ int n = __VERIFIER_nondet_uchar(), i = 0; while (i < n) i = i + {step}; P:; return i; }}"
        )
    };
    let files = write(folder.path(), &[&loops("1"), &loops("2"), &loops("1")]);
    let mut arguments =
        vec!["--to", "json", "--at", "label:P", "--steps", "60000", "--of", "i <= n", "--families", "bounds,order"];
    arguments.extend(files.iter().map(String::as_str));
    let first = invdiff(&arguments, folder.path());
    assert_eq!(first.stdout, invdiff(&arguments, folder.path()).stdout);
    let found = table(&first);
    // A fact of the user stays whatever becomes of it.
    assert_eq!(found.instances[0].status, "HFH");
    assert!(found.churns.iter().any(|churn| churn.kind == ChurnKind::Broken));
    let schema = std::fs::read(residue_tests::root().join("formats/schemas/invariant-table.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let mut instance: serde_json::Value = serde_json::from_str(&first.stdout).unwrap();
    let errors: Vec<String> = validator.iter_errors(&instance).take(3).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    instance["instances"][0]["status"] = "HFQ".into();
    assert!(!validator.is_valid(&instance));
}

#[test]
fn what_is_written_can_be_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |bound: &str| {
        format!("{HEAD}int main(void) {{ int x = __VERIFIER_nondet_uchar(); if (x > {bound}) x = 0; P:; return x; }}")
    };
    let files = write(here, &[&text("100"), &text("127")]);
    let shown = invdiff(&["--at", "label:P", "--of", "x <= 100", "--of", "x <= 127", "v1.c", "v2.c"], here);
    assert!(shown.stdout.contains("\n- x <= 100: broken; it now fails with __VERIFIER_nondet_uchar() = "), "{}", shown.stdout);
    assert_eq!(invdiff(&["--at", "label:P", "--of", "x <= 100", "--to", "json", "-o", "t.json", "v1.c", "v2.c"], here).code, 0);
    let again = invdiff(&["--invariants", "t.json", "--fail-on", "broken", "--to", "json", "v2.c", "v1.c", "v1.c"], here);
    assert_eq!((again.code, table(&again).instances[0].status.as_str()), (0, "FHH"));
    let again = invdiff(&["--invariants", "t.json", "--fail-on", "broken,gained", &files[0], &files[1]], here);
    assert_eq!(again.code, 1);
    std::fs::write(here.join("facts"), "# facts\nlabel:P: x >= 0\n\nexit: x <= 127\n").unwrap();
    let listed = invdiff(&["--invariants", "facts", "--to", "json", "v1.c", "v2.c"], here);
    let listed: Vec<String> = table(&listed).instances.into_iter().map(|one| one.status).collect();
    assert_eq!(listed, ["HH", "HH"]);
    // A table says the same without its programs, and answers nothing else.
    let texts = ["--at", "label:P", "--of", "x <= 100", "v1.c", "v2.c"];
    let shown = invdiff(&texts, here).stdout;
    std::fs::remove_file(here.join("v1.c")).unwrap();
    assert_eq!(invdiff(&["t.json"], here).stdout, shown);
    let written = invdiff(&["--to", "json", "--fail-on", "broken", "t.json"], here);
    assert_eq!((written.code, written.stdout), (1, std::fs::read_to_string(here.join("t.json")).unwrap()));
    let refused: [&[&str]; 4] = [&["--to", "dot"], &["--of", "x > 0"], &["--defined"], &["--reuse", "t.json"]];
    for more in refused {
        let ran = invdiff(&[more, &["t.json"]].concat(), here);
        assert!(ran.code == 2 && ran.stderr.contains("one table") && ran.stdout.is_empty(), "{more:?}: {}", ran.stderr);
    }
}

/// Every fact of a witness of one version is taken up by the verifier, at a place that it finds.
#[test]
fn what_holds_in_a_version_is_a_witness_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |bound: &str| {
        format!(
            "{HEAD}void reach_error(void);\nint main(void) {{\n  int n = __VERIFIER_nondet_uchar(), i = 0, s = 0, a[2] = {{0}};\n  while (i < {bound}) {{\n    i = i + 1;\n    s = s + 3;\n  }}\nP:;\n  int r = s; if (s != 3 * i) reach_error();\n  return r;\n}}\n"
        )
    };
    write(here, &[&text("n"), &text("n + 1")]);
    let ask = |form: &str| {
        let facts = ["--of", "s == 3 * i", "--of", "i <= n", "--of", "a[i & 1] == 0", "--of", "in(0) == n"];
        let more = ["--at", "main:loops", "--at", "label:P", "--at", "exit", "--steps", "600000", "--to", form, "v1.c", "v2.c"];
        invdiff(&[facts.as_slice(), more.as_slice()].concat(), here)
    };
    let first = ask("witness:1");
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert_eq!(first.stdout.matches("value: s == 3 * i").count(), 3, "{}", first.stdout);
    assert_eq!(first.stdout.matches("i <= n").count(), 3, "{}", first.stdout);
    assert_eq!(first.stdout.matches("loop_invariant").count(), 2, "{}", first.stdout);
    // What may have no value, or is not C for others, and what fails in the version, is not in it.
    assert!(!first.stdout.contains("in(0)") && !first.stdout.contains("a[i"), "{}", first.stdout);
    let second = ask("witness:2").stdout;
    assert!(second.contains("s == 3 * i") && !second.contains("i <= n"), "{second}");
    std::fs::write(here.join("w.yml"), &first.stdout).unwrap();
    let shown = run("residue", ["witness", "--program", "v1.c", "w.yml"], here).unwrap();
    assert_eq!(shown.code, 0, "{} {}", shown.stdout, shown.stderr);
    let told = run("verify", ["--invariants", "w.yml", "--steps", "200000", "-v", "v1.c"], here).unwrap();
    assert_eq!((told.code, told.last_line()), (0, "TRUE"), "{} {}", told.stdout, told.stderr);
    for (form, said) in [("witness:3", "version 3"), ("witness:0", "witness:N"), ("witness:", "witness:N"), ("d", "witness:N")] {
        let refused = ask(form);
        assert!(refused.code == 2 && refused.stderr.contains(said), "{form}: {}", refused.stderr);
    }
    let some = invdiff(&["--defined", "--to", "witness:1", "v1.c", "v2.c"], here);
    assert!(some.code == 2 && some.stderr.contains("--defined"), "{}", some.stderr);
    let dot = ask("dot").stdout;
    assert!(dot.starts_with("digraph versions {") && dot.contains("label=\"2: ") && dot.contains("xlabel=\"label:P\""), "{dot}");
    assert!(dot.ends_with("}\n") && dot.matches('{').count() == dot.matches('}').count(), "{dot}");
}

#[test]
fn the_code_behind_a_change_is_that_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |body: &str| {
        format!(
            "{HEAD}static int g = 1;\nint main(void) {{\n  int x = __VERIFIER_nondet_uchar();\n{body}\nP:;\n  g = 2;\n  return x;\n}}\n"
        )
    };
    // A statement that the run does not pass, or only behind the point, is not behind it; code that is gone is.
    write(
        here,
        &[
            &text("  if (x > 9)\n    x = 9;"),
            &text("  if (x == 300)\n    x = 4;"),
            &text("  if (x > 9)\n    return 0;").replace("g = 2;", "g = 3;"),
        ],
    );
    let ran = invdiff(&["--at", "label:P", "--of", "x <= 9", "--to", "json", "v1.c", "v2.c", "v3.c"], here);
    let found = table(&ran);
    assert_eq!(found.instances[0].status, "HFH");
    let lines = |churn: usize| {
        let blame = found.churns[churn].blame.as_ref().unwrap();
        let numbers = |of: &[formats::invariant_table::Line]| of.iter().map(|line| line.line).collect::<Vec<u32>>();
        assert!(blame.shared.iter().any(|line| line.text.starts_with("int x = ")), "{blame:?}");
        (numbers(&blame.removed), numbers(&blame.added))
    };
    assert_eq!(lines(0), (vec![6, 7], vec![6]));
    assert_eq!(lines(1), (vec![6], vec![6, 7]));
    let shown = invdiff(&["--at", "label:P", "--of", "x <= 9", "v1.c", "v2.c"], here).stdout;
    assert!(shown.contains("@@ label:P @@ weakened\n") && shown.contains("\n    + v2.c:6: if (x == 300)\n"), "{shown}");
}

#[test]
fn bad_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = format!("{HEAD}int main(void) {{ int x = 1; P:; return x; }}");
    write(here, &[&text, &text, "int main(void) { int x = 1;"]);
    let many: Vec<&str> = vec!["v1.c"; 65];
    let refused: [(&[&str], &str); 14] = [
        (&["v1.c"], "1 versions"),
        (&many, "65 versions"),
        (&["v1.c", "none.c"], "none.c"),
        (&["v1.c", "v3.c"], "fewer than two versions"),
        (&["--at", "label:Q", "v1.c", "v2.c"], "main:exit"),
        (&["--at", "nowhere", "v1.c", "v2.c"], "no point"),
        (&["--at", "9", "v1.c", "v2.c"], "line 9"),
        (&["--at", "label:P", "--of", "x +", "v1.c", "v2.c"], "x +"),
        (&["--at", "label:P", "--of", "y == 1", "v1.c", "v2.c"], "y"),
        (&["--at", "label:P", "--of", "x = 1", "v1.c", "v2.c"], "x = 1"),
        (&["--at", "label:P", "--of", "in(x) == 1", "v1.c", "v2.c"], "in(x)"),
        (&["--at", "label:P", "--of", "main() == 1", "v1.c", "v2.c"], "main()"),
        (&["--property", "no-overflow", "v1.c", "v2.c"], "property"),
        (&["-o", "v1.c", "v1.c", "v2.c"], "v1.c"),
    ];
    for (arguments, said) in refused {
        let ran = invdiff(arguments, here);
        assert!(
            ran.code == 2 && ran.stderr.contains(said) && ran.stdout.is_empty(),
            "{arguments:?}: {} {}",
            ran.code,
            ran.stderr
        );
    }
    // A version that is no program is named and takes part in nothing.
    let ran = invdiff(&["--at", "label:P", "--of", "x == 1", "--to", "json", "v1.c", "v3.c", "v2.c"], here);
    let found = table(&ran);
    assert_eq!((ran.code, found.instances[0].status.as_str(), found.churns.len()), (0, "H?H", 0));
    assert!(found.versions[1].program.is_none() && ran.stderr.contains("v3.c"));
    for length in [10, 200, 400] {
        let table = invdiff(&["--at", "label:P", "--of", "x == 1", "--to", "json", "v1.c", "v2.c"], here).stdout;
        std::fs::write(here.join("t.json"), &table[..length]).unwrap();
        assert_eq!(invdiff(&["--invariants", "t.json", "v1.c", "v2.c"], here).code, 2);
    }
}
