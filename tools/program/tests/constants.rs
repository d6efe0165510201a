//! Value and type of random constant expressions, against gcc for both data models.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    clippy::fn_params_excessive_bools,
    reason = "a test stops at the first surprise and says how far it came"
)]

mod gcc;

use std::fmt::Write;

use gcc::Random;
use program::cfa::{Cfa, ConstantValue};

const TYPES: [&str; 13] = [
    "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long",
    "unsigned long long", "_Bool", "enum E",
];

const LITERALS: [&str; 26] = [
    "0", "1", "2", "7", "127", "128", "255", "0x7fffffff", "2147483648", "0x80000000", "4294967295", "0xffffffff", "4294967296",
    "1u", "3000000000u", "5l", "6ul", "7ll", "8ull", "0x7fffffffffffffff", "0xffffffffffffffff", "'a'", "'\\377'", "'\\n'",
    "L'x'", "sizeof(long)",
];

fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return match random.below(10) {
            0 => random.pick(&["A", "B", "C", "D"]).to_owned(),
            1 => format!("({}) {}", random.pick(&TYPES), random.pick(&LITERALS)),
            _ => random.pick(&LITERALS).to_owned(),
        };
    }
    let mut inner = || expression(random, depth - 1);
    let (a, b, c) = (inner(), inner(), inner());
    match random.below(16) {
        0..=4 => format!("({a} {} {b})", random.pick(&["+", "-", "*", "&", "|", "^"])),
        5 => format!("({a} {} (({b} & 7) + 1))", random.pick(&["/", "%"])),
        6 | 7 => format!("({a} {} ({b} & 31))", random.pick(&["<<", ">>"])),
        8 | 9 => format!("({a} {} {b})", random.pick(&["<", ">", "<=", ">=", "==", "!="])),
        10 => format!("({a} {} {b})", random.pick(&["&&", "||"])),
        11 => format!("({a} ? {b} : {c})"),
        12 => format!("({} {a})", random.pick(&["-", "~", "!", "+"])),
        13 => format!("(({}) {a})", random.pick(&TYPES)),
        14 => format!("((int) ((short) {a} {} {}))", random.pick(&["*", "+", "-", "/"]), random.pick(&["2.5", "0.1f", "3.0L"])),
        _ => format!("((short) {a} {} {})", random.pick(&["<", "==", ">="]), random.pick(&["2.5", "0.1f", "3.0L"])),
    }
}

fn program(seed: u64, count: usize) -> String {
    let mut random = Random::new(seed);
    let mut text = "enum E { A, B = 200, C = -5 }; enum { D = 0xfffffffff };\n".to_owned();
    for index in 0..count {
        let depth = 1 + random.below(4) as u32;
        let e = expression(&mut random, depth);
        let _ = writeln!(text, "unsigned long long v{index} = ({e});");
        let _ = write!(text, "int t{index} = 1 + _Generic(({e})");
        // `enum E` is compatible with an integer type that stands in the list already.
        for (number, ty) in TYPES.iter().filter(|ty| **ty != "enum E").enumerate() {
            let _ = write!(text, ", {ty}: {}", number + 1);
        }
        text.push_str(", default: 0);\n");
        let _ = writeln!(text, "int s{index} = sizeof({e}) + __alignof__({e}) * 100;");
    }
    text.push_str("int main(void) { return 0; }\n");
    text
}

fn value(cfa: &Cfa, name: &str) -> u128 {
    let variable = cfa.variables.iter().find(|variable| &*variable.name == name).unwrap();
    let initializer = variable.initializer.as_ref().unwrap();
    assert_eq!(initializer.unsupported, None, "{name}");
    match initializer.scalars.first().map(|scalar| &scalar.value) {
        None => 0,
        Some(ConstantValue::Int(bits)) => *bits,
        Some(other) => panic!("{name}: {other:?}"),
    }
}

#[test]
fn constants_have_the_value_and_type_that_gcc_gives_them() {
    if !gcc::available() {
        return;
    }
    for seed in 0..10 {
        let text = program(seed + 100, 100);
        for model in gcc::MODELS {
            let expected = gcc::objects(&text, model);
            let cfa = gcc::cfa(&text, model).unwrap_or_else(|error| panic!("{error}"));
            let mut seen = 0;
            for (name, bytes) in expected.iter().filter(|(name, _)| *name != "main") {
                let line = || text.lines().find(|line| line.contains(&format!(" {name} ="))).unwrap_or("").to_owned();
                let theirs = bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
                assert_eq!(value(&cfa, name), theirs, "{model}: {}", line());
                seen += 1;
            }
            assert_eq!(seen, 300);
        }
    }
}

const FLOATS: &str = r#"
float f0 = 0.1f, f1 = 1.0f / 3, f2 = 16777217, f3 = (float) 0.1, f4 = 1e-45f, f5 = -0.0f, f6 = 3.4028235e38f;
double d0 = 0.1, d1 = 1.0 / 3, d2 = 9007199254740993LL, d3 = 0.1f, d4 = 4.9e-324, d5 = 0x1.fffp-3, d6 = .5e1;
double d7 = 18446744073709551615ULL, d8 = -9223372036854775807LL, d9 = 1.0L / 3, da = (float) 1e10 + 1;
int c0 = 0.1 + 0.2 == 0.3, c1 = 0.1f == 0.1, c2 = 1e308 * 10 > 1, c3 = (int) -2.9, c4 = (unsigned char) 200.7;
int c5 = !0.0, c6 = !0.5, c7 = (_Bool) 0.1, c8 = 0.5 && 0.1, c9 = 1.5 ? 2 : 3;
long long l0 = 1e18, l1 = -1.5e9, l2 = (long long) 0x1p62;
"#;

#[test]
fn floats_are_folded_as_gcc_folds_them() {
    if !gcc::available() {
        return;
    }
    let text = format!("{FLOATS}int main(void) {{ return 0; }}\n");
    // x87 computes with excess precision, which is not followed.
    let model = formats::DataModel::LP64;
    let expected = gcc::objects(&text, model);
    let cfa = gcc::cfa(&text, model).unwrap_or_else(|error| panic!("{error}"));
    for (name, bytes) in expected.iter().filter(|(name, _)| *name != "main") {
        let theirs = bytes.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
        let variable = cfa.variables.iter().find(|variable| &*variable.name == name.as_str()).unwrap();
        let scalars = &variable.initializer.as_ref().unwrap().scalars;
        let ours = match scalars.first().map(|scalar| &scalar.value) {
            None => 0,
            Some(ConstantValue::Int(bits) | ConstantValue::Float(bits)) => *bits,
            Some(other) => panic!("{name}: {other:?}"),
        };
        assert_eq!(ours, theirs, "{name}");
    }
}
