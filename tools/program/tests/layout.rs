//! Layout of random records and the bytes of their static initialisers, against gcc for both data models.

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

use formats::DataModel;
use gcc::Random;
use program::cfa::{Cfa, ConstantValue, VarKind};
use program::types::{Record, Type};

const SCALARS: [&str; 18] = [
    "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long",
    "unsigned long long", "_Bool", "float", "double", "long double", "void *", "enum E", "wide",
];
const BIT_TYPES: [&str; 10] =
    ["int", "unsigned", "char", "unsigned char", "short", "unsigned short", "long", "unsigned long long", "_Bool", "enum E"];

/// A random record named `S<index>`; `before` records can be nested.
fn record(random: &mut Random, index: usize, packs: bool) -> String {
    let mut text = String::new();
    let pack = packs && random.chance(25);
    if pack {
        let _ = writeln!(text, "#pragma pack(push, {})", random.pick(&["1", "2", "4", "8"]));
    }
    let kind = if random.chance(15) { "union" } else { "struct" };
    let _ = writeln!(text, "typedef {kind} {} S{index} {{", attribute(random, 15));
    members(random, &mut text, index, "f", 0);
    if kind == "struct" && random.chance(8) {
        let _ = writeln!(text, "  int first; {} flexible[];", random.pick(&["char", "int", "long long"]));
    }
    let _ = writeln!(text, "}} {} T{index};", attribute(random, 15));
    if pack {
        text.push_str("#pragma pack(pop)\n");
    }
    text
}

fn attribute(random: &mut Random, percent: u64) -> String {
    if !random.chance(percent) {
        return String::new();
    }
    match random.below(3) {
        0 => "__attribute__((packed))".into(),
        1 => format!("__attribute__((aligned({})))", random.pick(&["1", "2", "4", "8", "16", "32"])),
        _ => format!("__attribute__((packed, aligned({})))", random.pick(&["2", "4", "8"])),
    }
}

fn members(random: &mut Random, text: &mut String, index: usize, prefix: &str, depth: u32) {
    for number in 0..random.below(7) {
        let name = format!("{prefix}{number}");
        match random.below(20) {
            0..=6 => {
                let ty = random.pick(&BIT_TYPES);
                let widest = match ty {
                    "_Bool" => 1,
                    "char" | "unsigned char" => 8,
                    "short" | "unsigned short" => 16,
                    "unsigned long long" => 64,
                    _ => 32,
                };
                let width = 1 + random.below(widest);
                match random.below(8) {
                    0 => {
                        let _ = writeln!(text, "  {ty} : 0;");
                    }
                    1 => {
                        let _ = writeln!(text, "  {ty} : {width};");
                    }
                    _ => {
                        let _ = writeln!(text, "  {ty} {name} : {width} {};", attribute(random, 8));
                    }
                }
            }
            7 if depth < 2 => {
                let kind = if random.chance(50) { "union" } else { "struct" };
                let _ = writeln!(text, "  {kind} {{");
                members(random, text, index, &format!("{name}_"), depth + 1);
                text.push_str("  };\n");
            }
            8 | 9 if index > 0 => {
                let _ = writeln!(text, "  T{} {name} {};", random.below(index as u64), attribute(random, 8));
            }
            10 | 11 => {
                let length = random.below(4);
                let _ = writeln!(text, "  {} {name}[{length}] {};", random.pick(&SCALARS), attribute(random, 8));
            }
            _ => {
                let _ = writeln!(text, "  {} {name} {};", random.pick(&SCALARS), attribute(random, 8));
            }
        }
    }
}

fn prelude() -> &'static str {
    "enum E { A, B = 5 }; typedef long long wide __attribute__((aligned(8)));\n"
}

/// The names of the named members of a record, those of unnamed records included, with the way to them.
fn named_members(cfa: &Cfa, record: &Record, base: u64, out: &mut Vec<(String, u64, Option<u32>)>) {
    for field in &record.fields {
        match &field.name {
            Some(name) => out.push((name.to_string(), base + field.offset, field.bits.map(|bits| bits.width))),
            None => {
                let Type::Record(inner) = cfa.types.get(field.ty.ty) else { continue };
                named_members(cfa, cfa.types.record(*inner), base + field.offset, out);
            }
        }
    }
}

fn find<'a>(cfa: &'a Cfa, tag: &str) -> &'a Record {
    cfa.types.records().find(|(_, record)| record.tag.as_deref() == Some(tag)).unwrap().1
}

/// The bytes of a static object by our initialiser.
fn bytes(cfa: &Cfa, name: &str) -> Vec<u8> {
    let variable = cfa.variables.iter().find(|v| &*v.name == name && matches!(v.kind, VarKind::Global { .. })).unwrap();
    let size = program::layout::size_of(&cfa.types, cfa.machine, variable.ty.ty).unwrap();
    let mut bytes = vec![0u8; size as usize];
    let initializer = variable.initializer.as_ref().unwrap();
    assert_eq!(initializer.unsupported, None, "{name}");
    for scalar in &initializer.scalars {
        let (ConstantValue::Int(bits) | ConstantValue::Float(bits)) = scalar.value else { continue };
        let width = if matches!(scalar.value, ConstantValue::Float(_)) { scalar.width.min(80) } else { scalar.width };
        for bit in 0..u64::from(width) {
            let at = scalar.first_bit + bit;
            if at / 8 >= size {
                bytes.resize(at as usize / 8 + 1, 0);
            }
            bytes[at as usize / 8] |= u8::from(bits >> bit & 1 != 0) << (at % 8);
        }
    }
    bytes
}

#[test]
fn random_records_are_laid_out_as_gcc_does() {
    if !gcc::available() {
        return;
    }
    for seed in 0..12 {
        let mut random = Random::new(seed + 1);
        let mut text = prelude().to_owned();
        let count = 40;
        for index in 0..count {
            text.push_str(&record(&mut random, index, seed % 2 == 1));
        }
        for model in gcc::MODELS {
            check_layout(&text, count, model, seed);
        }
    }
}

fn check_layout(text: &str, count: usize, model: DataModel, seed: u64) {
    let cfa = gcc::cfa(&format!("{text}int main(void) {{ return 0; }}\n"), model).unwrap_or_else(|e| panic!("{e}"));
    let mut asserts = String::new();
    let mut objects = String::new();
    for index in 0..count {
        let record = find(&cfa, &format!("S{index}"));
        let _ = writeln!(asserts, "_Static_assert(sizeof(T{index}) == {}, \"T{index} size\");", record.size);
        let _ = writeln!(asserts, "_Static_assert(_Alignof(struct_S{index}) == {}, \"T{index} align\");", record.align);
        let mut members = Vec::new();
        named_members(&cfa, record, 0, &mut members);
        for (name, offset, width) in members {
            match width {
                None => {
                    let _ = writeln!(
                        asserts,
                        "_Static_assert(__builtin_offsetof(T{index}, {name}) == {offset}, \"T{index}.{name}\");"
                    );
                }
                Some(_) => {
                    let _ = writeln!(objects, "T{index} v{index}_{name} = {{ .{name} = -1 }};");
                }
            }
        }
    }
    // The alignment of the record itself, not of the typedef, which has attributes of its own.
    for index in 0..count {
        let kind = if find(&cfa, &format!("S{index}")).is_union { "union" } else { "struct" };
        asserts = asserts.replace(&format!("struct_S{index})"), &format!("{kind} S{index})"));
    }
    let whole = format!("{text}{asserts}");
    if let Err(messages) = gcc::gcc(&["-fsyntax-only", gcc::flag(model)], &whole) {
        panic!("seed {seed}, {model}: {messages}\n{text}");
    }
    let initialised = format!("{text}{objects}int main(void) {{ return 0; }}\n");
    let expected = gcc::objects(&initialised, model);
    let cfa = gcc::cfa(&initialised, model).unwrap_or_else(|e| panic!("{e}"));
    for (name, expected) in &expected {
        if name.starts_with('v') {
            assert_eq!(&bytes(&cfa, name), expected, "seed {seed}, {model}, {name}\n{text}");
        }
    }
}

const INITIALISERS: &str = r#"
struct P { int x, y; };
struct Q { struct P p[2]; char name[5]; union { int i; float f; double d; } u; unsigned b : 3, c : 7; };
int a0[] = { 1, 2, [5] = 3, 4, [1] = 9 };
int a1[10] = { [2 ... 4] = 7, 8, [9] = 1 };
int a2[2][3] = { 1, 2, 3, 4 };
int a3[2][3] = { { 1 }, { 2, 3 } };
int a4[][2] = { 1, 2, 3, { 4, 5 }, [4] = { 6 } };
struct Q q0 = { 1, 2, 3, 4, 'a', 'b', 0, 0, 0, 5, 3, 100 };
struct Q q1 = { { { 1, 2 }, 3 }, { 'x' }, .u.d = 2.5, .c = -1 };
struct Q q2 = { .p[1].y = 4, 'n', 'm', .u = { .f = 1.0f }, 5 };
struct Q q3[2] = { [1].p = { [0] = { .y = 1 }, { 2 } }, [0] = { .b = 9 } };
struct { int n; struct { short s; union { char c; int i; }; }; } anon = { 1, { 2, { 3 } } };
struct { int n; struct { short s; union { char c; int i; }; }; } named = { .i = 7, .n = 1 };
unsigned char bytes0[3] = { 255, 256 + 1, -1 };
float fl[] = { 1, 2.5, -0.0, 1e10, 0x1.8p3 };
double db[] = { 1, 2.5f, 1.0 / 3, (int) 3.9, 5 / 2 };
long long ll[] = { 1ll << 40, -1, 0xffffffff, ~0u, ~0 };
_Bool bo[] = { 2, 0, 0.5, 1 };
int scalar = { 5 };
int braces = { { 6 } };
enum { RED, GREEN = 10, BLUE } e = BLUE;
struct P copy = (struct P) { 3, 4 };
struct P parr[] = { (struct P) { 1, 2 }, { .y = 3 }, 4, 5 };
int lit[] = (int[]) { 1, 2, 3 };
struct { int n; int tail[]; } flex = { 2, { 7, 8 } };
short sh = (char) 200 + (unsigned char) 200;
unsigned long ul = sizeof(struct Q) * 2 - 1;
int cond = 1 ? 2 : 3 / 0;
int logic = 1 || 1 / 0;
int off = __builtin_offsetof(struct Q, u.d) + __builtin_offsetof(struct Q, p[1].y);
"#;

#[test]
fn initialisers_give_the_bytes_that_gcc_gives() {
    if !gcc::available() {
        return;
    }
    let text = format!("{INITIALISERS}int main(void) {{ return 0; }}\n");
    for model in gcc::MODELS {
        let cfa = gcc::cfa(&text, model).unwrap_or_else(|e| panic!("{e}"));
        let expected = gcc::objects(&text, model);
        let mut seen = 0;
        for (name, expected) in expected.iter().filter(|(name, _)| *name != "main") {
            let mut ours = bytes(&cfa, name);
            ours.resize(ours.len().max(expected.len()), 0);
            assert_eq!(&ours, expected, "{model}, {name}");
            seen += 1;
        }
        assert!(seen >= 28, "{seen} objects");
    }
}
