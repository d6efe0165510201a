//! Random programs that take addresses apart, compare and copy them, with truth from gcc: where objects lie decides nothing.
//!
//! A TRUE is wrong if a compiled program violates the property for some inputs, a FALSE if none does. Inputs are single bits.

use std::fs;
use std::path::Path;

use residue_tests::programs::Rng;
use residue_tests::run;

/// Random programs that are tried; `RESIDUE_LAYOUTS` changes it, `RESIDUE_SEED` the first.
const PROGRAMS_TRIED: u64 = 60;

const HEAD: &str = r"
extern void reach_error(void); extern int in(void); extern void *malloc(unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
struct S { int *p; long n; char c[8]; } s, d, *h; union U { int *p; unsigned long n; unsigned char b[8]; } u;
int x, y, t[8], w[8]; long l; char buf[32]; unsigned long num[4];
int f(int a) { return a + 1; } int g(int a) { return a + 2; }
void copy(void *to, const void *from, unsigned n) { char *a = to; const char *b = from; while (n--) *a++ = *b++; }
unsigned long word(void *p) { return *(unsigned long *)p; }
int *pick(int k) { return k ? &x : t + 3; }
int main(void) {
  int i = in() & 1, *p = &x, *q = t; unsigned long a = 0, b = 4;
  h = malloc(sizeof *h); if (!h) return 0;
  h->p = 0; s.p = &x; d.p = &y; u.p = t;
";

/// Inputs are the bits of a number, from the lowest on and again.
const INPUTS: &str = "extern void _Exit(int) __attribute__((noreturn)); extern int atoi(const char *);\n\
    static unsigned next, bits; void reach_error(void) { _Exit(99); } int in(void) { return bits >> next++ % 6 & 1; }\n\
    __attribute__((constructor)) static void begin(int count, char **words) { bits = atoi(words[count - 1]); }\n";

const POINTERS: &[&str] = &[
    "&x", "&y", "t", "t + 3", "w + 2", "p", "q", "s.p", "d.p", "u.p", "pick(i)", "(i ? &x : &y)", "h->p", "(int *)a", "(int *)b",
];

const COPIES: &[&str] = &[
    "memcpy(&d, &s, sizeof s);", "copy(&d, &s, sizeof s);", "d = s;", "memcpy(num, &s, 16);", "copy(buf, &s, 16);",
    "copy(num, &u, 8);", "memcpy(buf, &p, 8);", "copy(&q, buf, 8);", "copy(&q, &s, 8);", "memcpy(h, &s, sizeof s);",
    "copy(h, &s, sizeof s);", "memcpy(&p, &num[0], 8);", "copy(&d.n, &s.p, 8);", "copy(&s.p, &d.n, 8);", "a = b;", "b = a;",
    "p = q;", "s = d;", "u.n = a;", "num[1] = num[0];",
];

struct Source(Rng);

impl Source {
    fn pick(&mut self, from: &[&str]) -> String {
        from[self.0.below(from.len())].to_owned()
    }

    fn pointer(&mut self) -> String {
        self.pick(POINTERS)
    }

    /// A number, perhaps an address, under so many operators.
    fn number(&mut self, depth: usize) -> String {
        let kind = if depth > 2 { 0 } else { self.0.below(12) };
        match kind {
            0..3 => self.pick(&["a", "b", "num[0]", "num[1]", "u.n", "(unsigned long)s.n"]),
            3..6 => format!("(unsigned long)({})", self.pointer()),
            6 => self.pick(&[
                "word(&s)", "word(&u)", "word(buf)", "*(unsigned long *)&s", "*(unsigned long *)&p", "((unsigned long *)&d)[0]",
                "((unsigned long *)&d)[1]",
            ]),
            7 => self.pick(&["(unsigned long)f", "(unsigned long)(i ? f : g)"]),
            8 => {
                let (op, other) = (self.pick(&["+", "-"]), self.pick(&["1", "4", "8", "i", "16"]));
                format!("({} {op} {other})", self.number(depth + 1))
            }
            9 => {
                let (op, other) = (self.pick(&["&", "|", "^"]), self.pick(&["1", "3", "7", "15", "~7ul", "~0ul", "8", "0"]));
                format!("({} {op} {other})", self.number(depth + 1))
            }
            10 => {
                let (op, other) = (self.pick(&[">>", "<<"]), self.pick(&["1", "3", "0", "32"]));
                format!("({} {op} {other})", self.number(depth + 1))
            }
            _ => format!("({} - {})", self.number(depth + 1), self.number(depth + 1)),
        }
    }

    fn byte(&mut self) -> String {
        let at = self.0.below(16);
        match self.0.below(6) {
            0 => format!("((unsigned char *)&s)[{}]", at % 8),
            1 => format!("u.b[{}]", at % 8),
            2 => format!("((unsigned char *)&p)[{}]", at % 8),
            3 => format!("buf[{at}]"),
            4 => format!("((char *)num)[{at}]"),
            _ => format!("(unsigned char)({})", self.number(1)),
        }
    }

    fn condition(&mut self) -> String {
        let order = self.pick(&["<", ">", "<=", ">=", "==", "!="]);
        match self.0.below(8) {
            0 | 1 => format!("({}) {order} ({})", self.pointer(), self.pointer()),
            2 => format!("{} {order} {}", self.number(0), self.number(0)),
            3 => format!("{} & {}", self.byte(), self.pick(&["1", "8", "64", "15"])),
            4 => format!("{} & {}", self.number(0), self.pick(&["1", "8", "3", "16", "7"])),
            5 => format!("{} % {}", self.number(0), self.pick(&["2", "4", "16", "3"])),
            6 => format!("(int)({}) {order} {}", self.number(0), self.pick(&["0", "5"])),
            _ => format!("l > {} || {} == {}", self.pick(&["0", "8", "-4"]), self.byte(), self.pick(&["0", "1", "16"])),
        }
    }

    /// A statement within so many others.
    fn statement(&mut self, depth: usize) -> String {
        match self.0.below(if depth < 2 { 15 } else { 12 }) {
            0 | 1 => format!("{} = {};", self.pick(&["p", "q", "s.p", "d.p", "u.p", "h->p"]), self.pointer()),
            2 | 3 => format!("{} = {};", self.pick(&["a", "b", "num[0]", "num[1]", "u.n", "s.n"]), self.number(0)),
            4 | 5 => self.pick(COPIES),
            6 => format!("a = {};", self.byte()),
            7 => format!("s.n = (long){};", self.number(0)),
            8 => format!("buf[{}] = {};", self.0.below(16), self.byte()),
            9 => "i++;".to_owned(),
            10 => format!("if ({} & {}) i = {};", self.number(0), self.pick(&["1", "8", "3"]), self.0.below(3)),
            11 => format!("l = (long)({}) - (long)({});", self.pointer(), self.pointer()),
            12 => format!("if (in()) {{ {} {} }}", self.statement(depth + 1), self.statement(depth + 1)),
            13 => format!("for (int k = 0; k < {}; k++) {{ {} }}", self.pick(&["2", "3", "(i & 3)"]), self.statement(depth + 1)),
            _ => {
                format!("if ({}) {{ {} }} else {{ {} }}", self.condition(), self.statement(depth + 1), self.statement(depth + 1))
            }
        }
    }

    fn program(&mut self) -> String {
        let body: Vec<String> = (0..2 + self.0.below(6)).map(|_| self.statement(0)).collect();
        format!("{HEAD}  {}\n  if ({}) reach_error();\n  return 0;\n}}\n", body.join("\n  "), self.condition())
    }
}

/// Whether the program, compiled with these options, violates its property for some inputs.
fn is_violated(folder: &Path, options: &[&str]) -> bool {
    let flags = ["-O0", "-w", "-fno-strict-aliasing", "program.c", "inputs.c", "-o", "program"];
    duct::cmd("gcc", flags.iter().chain(options)).dir(folder).run().unwrap();
    let binary = folder.join("program");
    (0..64).any(|bits: u32| {
        let ended = duct::cmd(&binary, [bits.to_string()]).unchecked().run().unwrap();
        ended.status.code() == Some(99)
    })
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

#[test]
fn random_programs_that_take_addresses_apart_get_no_verdict_that_gcc_contradicts() {
    let (first, tried) = (number("RESIDUE_SEED", 1), number("RESIDUE_LAYOUTS", PROGRAMS_TRIED));
    let mut decided = [0, 0];
    for seed in first..first + tried {
        let folder = tempfile::tempdir().unwrap();
        let text = Source(Rng::new(seed)).program();
        fs::write(folder.path().join("program.c"), &text).unwrap();
        fs::write(folder.path().join("inputs.c"), INPUTS).unwrap();
        let ran = run("verify", ["-q", "--steps", "20000", "program.c"], folder.path()).unwrap();
        let verdict = ran.last_line();
        let holds = match verdict.split('(').next() {
            Some("UNKNOWN") => continue,
            Some("TRUE") => true,
            _ => false,
        };
        let violated = [&[][..], &["-no-pie", "-fno-toplevel-reorder"]].map(|options| is_violated(folder.path(), options));
        assert!(holds != violated.contains(&true), "seed {seed}: {verdict}, violated {violated:?}\n{text}");
        decided[usize::from(holds)] += 1;
    }
    // A verifier that gives up on addresses would be as little use as a wrong one.
    assert!(decided.iter().all(|some| some * 8 >= tried), "FALSE and TRUE: {decided:?} of {tried}");
}
