//! Expressions from outside mean at a place of a program what their text compiled there means.

use formats::ProgramOptions;
use program::cfa::{Cfa, Operation};
use program::expr::{BinaryOp, Expr};
use program::probe::{Probe, ProbePlace, Probed};
use program::source::SourceFile;
use program::types::{IntRank, Type};
use residue_tests::compiled;
use residue_tests::interpreted::interpret;
use residue_tests::programs::{self, Rng, Shape};
use transform::Editor;

/// Programs that are tried; `RESIDUE_PROGRAMS` changes it.
const PROGRAMS: u64 = 60;

/// What the text of a probe becomes in C.
fn statement(expr: &str, number: usize) -> String {
    format!("checksum = checksum * 31u + (unsigned int)({expr}) + {number}u;")
}

/// The text in the parentheses that open at the end of a prefix.
fn parenthesised<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(prefix)?;
    let mut depth = 1;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&rest[..at]);
        }
    }
    None
}

const GLOBAL: [&str; 6] =
    ["g0 + g1 * 3", "(short)(g4 >> 2) < g3", "-g2", "sizeof g4 + (g2 ? g0 : g3)", "s0.hi ^ s1.in.n", "!g1 && g0 != 7"];

/// Probes for a program, and the program with their texts compiled in.
fn probes(text: &str, rng: &mut Rng) -> (Vec<Probe>, String) {
    let mut probes: Vec<Probe> = Vec::new();
    let mut compiled = String::new();
    let mut add = |at: ProbePlace, text: String| {
        let line = statement(&text, probes.len());
        probes.push(Probe { at, text });
        line
    };
    let (mut header, mut leaving) = ("", None);
    for (number, line) in text.lines().enumerate() {
        let number = u32::try_from(number + 1).unwrap();
        let trimmed = line.trim_start();
        let global = GLOBAL[rng.below(GLOBAL.len())];
        let before = parenthesised(trimmed, "if (").map(|condition| {
            let text = match rng.below(4) {
                0 => condition.to_owned(),
                1 => format!("!({condition}) || {global}"),
                2 => format!("({condition}) * 5 - ({global})"),
                _ => format!("({condition}) ? {global} : 7"),
            };
            add(ProbePlace::Line(number), text)
        });
        let mut written = format!("{} {trimmed}", before.unwrap_or_default());
        if let Some(condition) = parenthesised(trimmed, "while (").filter(|_| trimmed.ends_with('{')) {
            let each = add(ProbePlace::Loop { line: number, column: 0 }, global.to_owned());
            written = format!("while (({{ {each} 1; }}) && ({condition})) {{");
        } else if line == "{" {
            let name = header.split('(').next().unwrap().rsplit(' ').next().unwrap().to_owned();
            let text = if header.contains(" p0") { format!("p0 + ({global})") } else { global.to_owned() };
            written = format!("{{ {}", add(ProbePlace::Entry(name.clone()), text.clone()));
            leaving = rng.one_in(2).then(|| add(ProbePlace::Exit(name), text));
        } else if let (Some(leaving), Some((head, value))) = (&leaving, written.split_once("return ")) {
            written = format!("{head} {{ {leaving} return {value} }}");
        }
        compiled.push_str(&written);
        compiled.push('\n');
        header = line;
    }
    (probes, compiled)
}

/// The program with an assignment at each probe.
fn instrumented(cfa: &Cfa, found: &[(usize, &Probed)]) -> Cfa {
    let checksum = cfa.variable_ids().find(|id| &*cfa.variable(*id).name == "checksum").unwrap();
    let mut editor = Editor::new(cfa);
    let unsigned = editor.ty(Type::Int { rank: IntRank::Int, signed: false });
    for (number, probed) in found {
        for at in &probed.locations {
            let behind = editor.before(*at);
            let place = editor.place(checksum);
            let (old, factor) = (editor.load(checksum), editor.number(unsigned, 31));
            let scaled = editor.expr(Expr::Binary(BinaryOp::Multiply, old, factor), unsigned);
            let same = editor.type_of(probed.expr) == unsigned;
            let value = if same { probed.expr } else { editor.expr(Expr::Cast(probed.expr), unsigned) };
            let sum = editor.expr(Expr::Binary(BinaryOp::Add, scaled, value), unsigned);
            let number = editor.number(unsigned, *number as u128);
            let value = editor.expr(Expr::Binary(BinaryOp::Add, sum, number), unsigned);
            editor.add(*at, behind, Operation::Assign { place, value }, (probed.span, probed.span));
        }
    }
    editor.finish().cfa
}

#[test]
fn probes_mean_what_their_text_means_there() {
    if !residue_tests::has("gcc") {
        return;
    }
    let number = |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (count, start) = (number("RESIDUE_PROGRAMS", PROGRAMS), number("RESIDUE_SEED", 1));
    let folder = tempfile::tempdir().unwrap();
    let (mut tried, mut trapping, mut unreached, mut different) = (0, 0, 0, 0);
    for seed in start..start + count {
        let text = programs::program(seed, Shape::default()).text();
        let mut rng = Rng::new(seed ^ 0x9806e);
        let (all, with) = probes(&text, &mut rng);
        let source = || SourceFile::new(format!("{seed}.c"), text.clone());
        let (cfa, found) = program::load_with(source(), &ProgramOptions::default(), &all).unwrap();
        let known: Vec<(usize, &Probed)> =
            found.iter().enumerate().filter_map(|(number, probed)| Some((number, probed.as_ref().ok()?))).collect();
        for (probe, answer) in all.iter().zip(&found) {
            if let Err(error) = answer {
                assert!(error.to_string().contains("nothing comes"), "seed {seed}: {error} {probe:?}\n{text}");
                unreached += 1;
            }
        }
        tried += known.len();
        trapping += known.iter().filter(|(_, probed)| !probed.pure).count();
        let made = instrumented(&cfa, &known);
        let binary = compiled::compile(&with, folder.path(), "program").unwrap_or_else(|e| panic!("{seed}: {e}\n{with}"));
        for _ in 0..3 {
            let values: Vec<i64> = (0..30).map(|_| if rng.one_in(3) { rng.draw() as i64 } else { rng.below(6) as i64 }).collect();
            let (expected, found) = (binary.execute(&values).unwrap(), interpret(&made, &values));
            assert_eq!(expected, found, "seed {seed}, inputs {values:?}\n{with}");
            different += usize::from(interpret(&cfa, &values).checksum != found.checksum);
        }
    }
    eprintln!(
        "{tried} probes, {trapping} of them may trap, {unreached} where nothing comes; {different} of {} checksums changed",
        count * 3
    );
    assert!(tried > 5 * count as usize && different > count as usize);
}

const TEXT: &str = "typedef unsigned char byte; struct s { int a; } v; enum { FIVE = 5 };\n\
    int f(int a) { { int a = 3; a++; }\n\
    for (int i = 0; i < a; i++) v.a += i;\n\
    HERE: a = a + 1; return a; }\n\
    int main(void) { int a = 4; f(a);\n\
    if (0) { a = 2;\n\
    a = 7; }\n\
    return 0; }\n";

fn one(at: ProbePlace, text: &str) -> Result<Probed, String> {
    let probe = Probe { at, text: text.to_owned() };
    let (cfa, mut found) = program::load_with(SourceFile::new("a.c", TEXT), &ProgramOptions::default(), &[probe]).unwrap();
    let found = found.remove(0).map_err(|error| error.to_string())?;
    assert!(found.locations.iter().all(|at| at.index() < cfa.locations.len()));
    Ok(found)
}

#[test]
fn places_of_all_kinds() {
    use ProbePlace::{Before, Entry, Exit, Label, Line, Loop};
    let name = |text: &str| text.to_owned();
    for (at, text) in [
        (Entry(name("f")), "a > (byte)300 + FIVE"),
        (Exit(name("f")), "a == v.a"),
        (Label(name("HERE")), "a"),
        (Line(3), "a * 2u"),
        (Loop { line: 3, column: 1 }, "i <= a"),
        (Loop { line: 3, column: 0 }, "i <= a && ({ 1; }) ? 1 : 0"),
        (Before(u32::try_from(TEXT.find("HERE").unwrap() + 6).unwrap()), "a"),
    ] {
        let found = one(at.clone(), text);
        if text.contains("({") {
            assert!(found.is_err());
        } else {
            assert_eq!(found.as_ref().map(|found| (found.locations.len(), found.pure)), Ok((1, true)), "{at:?}");
        }
    }
    assert!(!one(Line(3), "100 / a").unwrap().pure);
    for (at, text, said) in [
        (Line(3), "i", "`i`"),
        (Line(3), "a b", "expected"),
        (Line(3), "", "expected"),
        (Line(3), "a = 1", "effects"),
        (Line(3), "f(1)", "effects"),
        (Line(3), "v", "number or pointer"),
        (Line(1), "1", "no statement begins on line 1"),
        (Line(7), "1", "nothing comes"),
        (Entry(name("g")), "1", "no function `g`"),
        (Label(name("THERE")), "1", "no label"),
        (Loop { line: 4, column: 0 }, "1", "no loop"),
        (Before(3), "1", "no statement begins at byte 3"),
    ] {
        let error = one(at.clone(), text).unwrap_err();
        assert!(error.contains(said), "{at:?} {text}: {error}");
    }
}

#[test]
fn probes_change_nothing_but_edges_that_do_nothing() {
    let plain = program::load_source(SourceFile::new("a.c", TEXT), &ProgramOptions::default()).unwrap();
    let probe = Probe { at: ProbePlace::Line(3), text: "a".to_owned() };
    let (probed, _) = program::load_with(SourceFile::new("a.c", TEXT), &ProgramOptions::default(), &[probe]).unwrap();
    let keys = |cfa: &Cfa| -> Vec<_> {
        let own = cfa.edge_ids().filter(|edge| !matches!(cfa.edge(*edge).operation, Operation::Blank));
        own.map(|edge| cfa.edge_key(edge)).collect()
    };
    assert_eq!(keys(&plain), keys(&probed));
    assert_eq!(plain.edges.len() + 1, probed.edges.len());
    assert_eq!(plain.source.sha256_hex(), probed.source.sha256_hex());
    // Without probes it is the same program.
    let (none, _) = program::load_with(SourceFile::new("a.c", TEXT), &ProgramOptions::default(), &[]).unwrap();
    assert_eq!(plain.fingerprint(), none.fingerprint());
}
