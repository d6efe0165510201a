//! What is said of formulas at the loop of a small program, and what is left out.

use super::*;
use formats::ProgramOptions;
use program::source::SourceFile;

const PROGRAM: &str = "int g; unsigned int u; int *p; volatile int v; short s;\n\
    int f(int a) { int x = 1; { int y = 2; x = y; } for (int i = 0; i < 3; i++) { x++; }\n\
    { int g = 7; x = g; } int z = 3; /* { */ while (x < a) { int k = \"}\"[0]; int z2 = k; x++; } return z; }\n\
    int main(void) { int x = 0; return f(3) + x; }\n";

/// Says formulas at the `while` loop of a program.
struct Speaker {
    cfa: Cfa,
    offset: u32,
    store: TermStore,
}

impl Speaker {
    fn new(program: &str) -> Self {
        let source = SourceFile::new("a.c", program.to_owned());
        let cfa = program::load_source(source, &ProgramOptions::default()).unwrap();
        Self { cfa, offset: u32::try_from(program.find("while").unwrap()).unwrap(), store: TermStore::new() }
    }

    /// The variable of 32 bits of a function (`f::x`) or of the file, the number-th of this name there.
    fn variable(&mut self, name: &str, number: usize, activation: u32) -> TermId {
        let (owner, plain) = name.split_once("::").map_or((None, name), |(owner, plain)| (Some(owner), plain));
        let is_it = |id: &VarId| {
            let variable = self.cfa.variable(*id);
            &*variable.name == plain && variable.function.map(|f| &*self.cfa.function(f).name) == owner
        };
        let object = self.cfa.variable_ids().filter(is_it).nth(number).unwrap_or_else(|| panic!("{name}"));
        let symbol = Symbol::Leaf(Leaf { program: 0, object, activation, leaf: 0 });
        self.store.symbol_variable(symbol, Sort::BitVec(32))
    }

    /// `name < value` of 32 bits.
    fn less(&mut self, name: &str, value: i128) -> TermId {
        let variable = self.variable(name, 0, 0);
        let value = self.store.signed_bits(32, value);
        self.store.slt(variable, value)
    }

    fn said(&self, formula: TermId) -> Option<String> {
        let function = self.cfa.function_ids().find(|&id| &*self.cfa.function(id).name == "f").unwrap();
        implied(&self.store, &Scope::new(&self.cfa, &BTreeSet::new(), function, self.offset), formula)
    }
}

/// What is said of a formula at the `while` loop.
fn said(build: impl FnOnce(&mut Speaker) -> TermId) -> Option<String> {
    let mut speaker = Speaker::new(PROGRAM);
    let formula = build(&mut speaker);
    speaker.said(formula)
}

#[test]
fn variables_that_can_be_named() {
    for (name, text) in
        [("f::x", "(x < -4)"), ("f::a", "(a < -4)"), ("f::z", "(z < -4)"), ("u", "((int)u < -4)"), ("g", "(g < -4)")]
    {
        assert_eq!(said(|speaker| speaker.less(name, -4)), Some(text.replace("-4", "(-4)")), "{name}");
    }
    // Behind a block or loop, not yet declared, volatile, a pointer, another function.
    for name in ["f::g", "f::y", "f::i", "f::k", "f::z2", "v", "p", "main::x"] {
        assert_eq!(said(|speaker| speaker.less(name, 4)), None, "{name}");
    }
    // Of another width.
    assert_eq!(said(|speaker| speaker.less("s", 4)), None);
    // In another frame.
    let outer = |speaker: &mut Speaker| {
        let (x, four) = (speaker.variable("f::x", 0, 1), speaker.store.bits(32, 4));
        speaker.store.slt(x, four)
    };
    assert_eq!(said(outer), None);
}

/// Of variables of one name, the name means the innermost that is declared already; formulas about the others are left out.
#[test]
fn shadowed_variables_are_not_taken_for_each_other() {
    let program = "int x; int f(int a) { int x = 1; { int x = a; while (x < 9) { int x = 3; a += x; x++; } a += x; } return a + x; }\n\
                   int main(void) { return f(3); }\n";
    let said = |program: &str, names: &[(&str, usize)]| {
        let mut speaker = Speaker::new(program);
        let all: Vec<TermId> = (1..)
            .zip(names)
            .map(|(value, (name, number))| {
                let (x, value) = (speaker.variable(name, *number, 0), speaker.store.bits(32, value));
                speaker.store.eq(x, value)
            })
            .collect();
        let formula = speaker.store.and(&all);
        speaker.said(formula)
    };
    let all = [("x", 0), ("f::x", 0), ("f::x", 1), ("f::x", 2)];
    assert_eq!(said(program, &all).as_deref(), Some("(x == 3)"));
    for (name, number) in [("x", 0), ("f::x", 0), ("f::x", 2)] {
        assert_eq!(said(program, &[(name, number)]), None, "{name} {number}");
    }
    let again = program.replace("while", "{ extern int x; while").replace("x++; }", "x++; } }");
    assert_eq!(said(&again, &all), None);
}

#[test]
fn conjuncts_are_dropped_and_disjunctions_with_them() {
    let both = |speaker: &mut Speaker| (speaker.less("f::x", 4), speaker.less("f::g", 4));
    assert_eq!(
        said(|speaker| {
            let (a, b) = both(speaker);
            speaker.store.and(&[a, b])
        })
        .as_deref(),
        Some("(x < 4)")
    );
    assert_eq!(
        said(|speaker| {
            let (a, b) = both(speaker);
            speaker.store.or(&[a, b])
        }),
        None
    );
    let negated = |speaker: &mut Speaker| {
        let (a, b) = both(speaker);
        let all = speaker.store.and(&[a, b]);
        speaker.store.not(all)
    };
    assert_eq!(said(negated), None);
    let neither = |speaker: &mut Speaker| {
        let (a, b) = both(speaker);
        let any = speaker.store.or(&[a, b]);
        speaker.store.not(any)
    };
    assert_eq!(said(neither).as_deref(), Some("(x >= 4)"));
}

#[test]
fn arithmetic_wraps() {
    let sum = |speaker: &mut Speaker| {
        let (x, u) = (speaker.variable("f::x", 0, 0), speaker.variable("u", 0, 0));
        let store = &mut speaker.store;
        let (sum, limit) = (store.add(x, u), store.signed_bits(32, i128::from(i32::MIN)));
        store.eq(sum, limit)
    };
    let text = said(sum).unwrap();
    // The store may have moved a summand to the other side.
    assert!(text.contains("(unsigned int)"), "{text}");
    assert!(text.contains("2147483648U"), "{text}");
    let least = |speaker: &mut Speaker| {
        let x = speaker.variable("f::x", 0, 0);
        let store = &mut speaker.store;
        let limit = store.signed_bits(32, i128::from(i32::MIN));
        store.eq(x, limit)
    };
    assert!(said(least).unwrap().contains("(-2147483647 - 1)"));
}

/// What one case says of nothing else is said of all together: single bits, and truth values that are compared.
#[test]
fn bits_and_truth_values_are_compared() {
    let bit = |speaker: &mut Speaker| {
        let x = speaker.variable("f::x", 0, 0);
        let (bit, one) = (speaker.store.extract(x, 4, 4), speaker.store.bits(1, 1));
        speaker.store.eq(bit, one)
    };
    let text = said(bit).unwrap();
    assert!(text.contains("(((unsigned int)x >> 4) & 1U)") && text.contains("1U") && text.contains(" == "), "{text}");
    let same = |speaker: &mut Speaker| {
        let (a, b) = (speaker.less("f::x", 4), speaker.less("f::a", 7));
        speaker.store.eq(a, b)
    };
    let text = said(same).unwrap();
    assert!(text.contains("(x < 4)") && text.contains("(a < 7)") && text.contains("=="), "{text}");
    // Half of an equality says nothing.
    let unknown = |speaker: &mut Speaker| {
        let (a, b) = (speaker.less("f::x", 4), speaker.less("f::g", 7));
        speaker.store.eq(a, b)
    };
    assert_eq!(said(unknown), None);
}

/// More cases than anybody reads: what each variable is in all of them.
#[test]
fn many_cases_are_said_by_the_values_of_each_variable() {
    let many = |speaker: &mut Speaker| {
        let cases: Vec<TermId> = (0..900_i128)
            .map(|number| {
                let literals: Vec<TermId> = [("f::x", number - 3), ("f::z", number % 2), ("f::a", number % 7), ("f::g", 5)]
                    .into_iter()
                    .map(|(name, value)| {
                        let (variable, value) = (speaker.variable(name, 0, 0), speaker.store.signed_bits(32, value));
                        speaker.store.eq(variable, value)
                    })
                    .collect();
                speaker.store.and(&literals)
            })
            .collect();
        speaker.store.or(&cases)
    };
    let text = said(many).unwrap();
    for part in ["(x >= (-3)) && (x <= 896)", "((z == 0) || (z == 1))", "(a >= 0) && (a <= 6)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('g'), "{text}");
}

/// Divisions by numbers that have a value in C whatever is divided.
#[test]
fn divisions_by_constants_are_said() {
    let divided = |divisor: u128, op: fn(&mut TermStore, TermId, TermId) -> TermId| {
        said(|speaker| {
            let (x, by, zero) = (speaker.variable("f::x", 0, 0), speaker.store.bits(32, divisor), speaker.store.bits(32, 0));
            let quotient = op(&mut speaker.store, x, by);
            speaker.store.slt(quotient, zero)
        })
    };
    assert_eq!(divided(3, TermStore::srem).as_deref(), Some("((x % 3) < 0)"));
    assert_eq!(divided(3, TermStore::sdiv).as_deref(), Some("((x / 3) < 0)"));
    assert_eq!(divided(3, TermStore::urem).as_deref(), Some("((int)((unsigned int)x % 3U) < 0)"));
    for divisor in [0, u128::from(u32::MAX), 1 << 31] {
        assert_eq!(divided(divisor, TermStore::srem), None, "{divisor}");
    }
}
