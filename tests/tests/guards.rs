//! A guard that has become stricter lets nothing new through: what it says is handed to a function, or kept in a variable, and
//! the detector has to see that it implies what the original asked. Random guards, with truth from trying all values that could
//! tell two of them apart.

use diffdp::{Config, Detected, Wanted, detect_with};
use fastrand::Rng;
use formats::ProgramOptions;
use program::cfa::Cfa;
use program::source::SourceFile;

/// `GUARD` stands for what differs.
const HANDED: &str = "
    extern void reach_error(void); extern void abort(void); extern int in(void); extern unsigned more(void); extern float real(void);
    void assume(int ok) { if (!ok) abort(); }
    int main(void) { int x = in(); unsigned u = more(); float f = real(); assume(GUARD); if (x + f > 3 || u == 9) reach_error(); }";
const KEPT: &str = "
    extern void reach_error(void); extern int in(void); extern unsigned more(void); extern float real(void);
    int main(void) { int x = in(); unsigned u = more(); float f = real(); _Bool ok = GUARD; if (!ok) return 1;
    if (x + f > 3 || u == 9) reach_error(); return 0; }";
const CALLED: &str = "
    extern void reach_error(void); extern int in(void); extern unsigned more(void); extern float real(void);
    int x; unsigned u; float f; static int valid(void) { return GUARD; }
    int main(void) { x = in(); u = more(); f = real(); if (!valid()) return 1; if (x + f > 3 || u == 9) reach_error(); return 0; }";

fn load(form: &str, guard: &str) -> Cfa {
    let source = SourceFile::new("program.c", form.replace("GUARD", guard));
    program::load_source(source, &ProgramOptions::default()).expect("a program")
}

/// Whether nothing is left to check; what the detector says of it is always accepted.
fn is_covered(form: &str, original: &str, modified: &str) -> bool {
    let (original, modified) = (load(form, original), load(form, modified));
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let Detected { graph, certificate, .. } = detect_with(&original, &modified, &Config::default(), wanted, &mut || false);
    let checked = validate::validate(&original, &modified, &graph, &certificate.unwrap());
    assert!(checked.is_ok(), "{}", checked.unwrap_err());
    graph.indicators.is_empty()
}

#[test]
fn stricter_guards_are_covered_and_others_are_not() {
    for (original, modified, is_stricter) in [
        ("x > -6 && x < 6", "x > -4 && x < 4", true),
        ("x > -4 && x < 4", "x > -6 && x < 6", false),
        ("x < 6", "x < 6 && u != 3", true),
        ("x < 6 && u != 3", "x < 6", false),
        ("x < 6 || u > 2", "x == 3", true),
        ("x == 3", "x < 6 || u > 2", false),
        ("x != 0", "x", true),
        ("x", "x > 0", true),
        ("x > 0", "x", false),
        ("u > 4", "u > 4000000000u", true),
        // The same bits in another order.
        ("x > -2", "(int)u > 0", false),
        ("u < 4", "x < 4 && u < 5", false),
        ("f > -0.6f && f < 0.6f", "f > -0.4f && f < 0.4f", true),
        ("f > -0.4f && f < 0.4f", "f > -0.6f && f < 0.6f", false),
        ("f >= 0.0f", "f > -0.0f", true),
        ("f > 0.0f", "f >= -0.0f", false),
        ("f < 0.5", "f < 0.25", true),
        ("!(f >= 0.6f)", "f < 0.4f", true),
        // What is no number passes.
        ("f < 0.6f", "!(f >= 0.4f)", false),
        ("f != 1.0f", "!(f >= 0.4f)", true),
        ("f < 1.0f || f > 1.0f", "f != 1.0f", false),
        // Nothing is less than the least.
        ("f < -__builtin_inff()", "f == -__builtin_inff()", false),
        ("f <= -__builtin_inff()", "f == -__builtin_inff()", true),
    ] {
        for form in [HANDED, KEPT, CALLED] {
            assert_eq!(is_covered(form, original, modified), is_stricter, "{original} -> {modified} in {form}");
        }
    }
}

/// A guard: an atom, or two guards with an operator; and whether it is negated.
enum Guard {
    Atom(char, &'static str, f64, bool),
    Both(Box<(Guard, Guard)>, bool, bool),
}

impl Guard {
    fn random(random: &mut Rng, depth: u32) -> Self {
        if depth == 0 || random.u32(..10) < 4 {
            let variable = ['x', 'u', 'f'][random.usize(..3)];
            let op = ["<", "<=", ">", ">=", "==", "!="][random.usize(..6)];
            let low = if variable == 'u' { 0 } else { -2 };
            Self::Atom(variable, op, f64::from(random.i32(low..3)), random.u32(..10) < 2)
        } else {
            let parts = Box::new((Self::random(random, depth - 1), Self::random(random, depth - 1)));
            Self::Both(parts, random.bool(), random.u32(..10) < 2)
        }
    }

    /// Another with one constant moved, or a part dropped.
    fn changed(&self, random: &mut Rng) -> Self {
        match self {
            Self::Atom(variable, op, constant, negated) => {
                let moved = (constant + f64::from(random.i32(-1..2))).max(if *variable == 'u' { 0.0 } else { -3.0 });
                Self::Atom(*variable, op, moved, *negated)
            }
            Self::Both(parts, and, negated) => match random.u32(..5) {
                0 if !negated => parts.0.changed(random),
                1 => Self::Both(Box::new((parts.0.changed(random), parts.1.changed(random))), !and, *negated),
                2 => Self::Both(Box::new((parts.1.changed(random), parts.0.changed(random))), *and, *negated),
                _ => Self::Both(Box::new((parts.0.changed(random), parts.1.changed(random))), *and, *negated),
            },
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Atom(variable, op, constant, negated) => {
                let constant = match variable {
                    'u' => format!("{constant}u"),
                    'f' => format!("{constant:.1}f"),
                    _ => format!("{constant}"),
                };
                format!("{}({variable} {op} {constant})", if *negated { "!" } else { "" })
            }
            Self::Both(parts, and, negated) => {
                let op = if *and { "&&" } else { "||" };
                format!("{}({} {op} {})", if *negated { "!" } else { "" }, parts.0.text(), parts.1.text())
            }
        }
    }

    fn holds(&self, values: (f64, f64, f64)) -> bool {
        match self {
            Self::Atom(variable, op, constant, negated) => {
                let value = match variable {
                    'x' => values.0,
                    'u' => values.1,
                    _ => values.2,
                };
                let holds = match *op {
                    "<" => value < *constant,
                    "<=" => value <= *constant,
                    ">" => value > *constant,
                    ">=" => value >= *constant,
                    "==" => value == *constant,
                    _ => value != *constant,
                };
                holds != *negated
            }
            Self::Both(parts, and, negated) => {
                let (a, b) = (parts.0.holds(values), parts.1.holds(values));
                (if *and { a && b } else { a || b }) != *negated
            }
        }
    }
}

#[test]
fn random_guards_are_covered_only_where_all_values_say_so() {
    let mut random = Rng::with_seed(20);
    let (whole, natural) = ((-4..5).map(f64::from), (0..5).map(f64::from));
    let real = [f64::NAN, f64::NEG_INFINITY, f64::INFINITY].into_iter().chain((-9..10).map(|n| f64::from(n) / 2.0));
    let (whole, natural, real): (Vec<f64>, Vec<f64>, Vec<f64>) = (whole.collect(), natural.collect(), real.collect());
    let (mut stricter, mut covered) = (0, 0);
    for _ in 0..300 {
        let original = Guard::random(&mut random, 2);
        let modified = original.changed(&mut random);
        let all = whole.iter().flat_map(|x| natural.iter().flat_map(|u| real.iter().map(|f| (*x, *u, *f))));
        let is_stricter = all.into_iter().all(|values| !modified.holds(values) || original.holds(values));
        let form = [HANDED, KEPT, CALLED][random.usize(..3)];
        let (before, after) = (original.text(), modified.text());
        if is_covered(form, &before, &after) {
            assert!(is_stricter, "{before} -> {after} lets more through");
            covered += 1;
        }
        stricter += usize::from(is_stricter);
    }
    assert!(stricter > 100 && covered * 10 >= stricter * 8, "{covered} of {stricter}");
}
