//! A simulator of Btor2 files, written from the format's description.

use std::collections::BTreeMap;

/// A file as it was read: its lines by number.
pub(super) struct Btor2 {
    lines: Vec<(usize, Vec<String>)>,
    widths: BTreeMap<usize, u32>,
    /// The inputs with their names and widths.
    pub(super) inputs: Vec<(usize, String, u32)>,
    states: Vec<usize>,
}

/// Values of states by line, bits lowest first.
pub(super) type Values = BTreeMap<usize, Vec<bool>>;

impl Btor2 {
    pub(super) fn read(text: &str) -> Btor2 {
        let mut file = Btor2 { lines: Vec::new(), widths: BTreeMap::new(), inputs: Vec::new(), states: Vec::new() };
        let mut sorts = BTreeMap::new();
        for line in text.lines() {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let number: usize = words[0].parse().unwrap();
            assert!(file.lines.last().is_none_or(|(before, _)| *before < number), "{line}");
            match words[1].as_str() {
                "sort" => {
                    sorts.insert(number, words[3].parse::<u32>().unwrap());
                }
                "init" | "next" | "bad" => {}
                _ => {
                    file.widths.insert(number, sorts[&words[2].parse().unwrap()]);
                }
            }
            match words[1].as_str() {
                "input" => file.inputs.push((number, words[3].clone(), file.widths[&number])),
                "state" => file.states.push(number),
                _ => {}
            }
            file.lines.push((number, words[1..].to_vec()));
        }
        file
    }

    pub(super) fn start(&self) -> Values {
        let values = self.evaluate(&Values::new(), &Values::new());
        let init = |words: &Vec<String>| (words[0] == "init").then(|| (number(&words[2]), values[&number(&words[3])].clone()));
        self.lines.iter().filter_map(|(_, words)| init(words)).collect()
    }

    /// Whether something is bad in a state with these inputs, and the next state.
    pub(super) fn step(&self, state: &Values, inputs: &Values) -> (bool, Values) {
        let values = self.evaluate(state, inputs);
        let (mut bad, mut next) = (false, Values::new());
        for (_, words) in &self.lines {
            match words[0].as_str() {
                "bad" => bad |= values[&number(&words[1])][0],
                "next" => {
                    next.insert(number(&words[2]), values[&number(&words[3])].clone());
                }
                _ => {}
            }
        }
        (bad, next)
    }

    fn evaluate(&self, state: &Values, inputs: &Values) -> Values {
        let mut values = Values::new();
        for (line, words) in &self.lines {
            let Some(&width) = self.widths.get(line) else { continue };
            let arg = |at: usize| values.get(&number(&words[at])).cloned().unwrap_or_default();
            let (a, b) = if words.len() > 3 && !["const", "slice", "uext", "sext", "input", "state"].contains(&words[0].as_str())
            {
                (arg(2), arg(3))
            } else {
                (
                    if words.len() > 2 && words[0] != "const" && words[0] != "input" && words[0] != "state" {
                        arg(2)
                    } else {
                        vec![]
                    },
                    vec![],
                )
            };
            let zero = || vec![false; width as usize];
            let value = match words[0].as_str() {
                "input" => inputs.get(line).cloned().unwrap_or_else(zero),
                "state" => state.get(line).cloned().unwrap_or_else(zero),
                "const" => words[2].chars().rev().map(|digit| digit == '1').collect(),
                "slice" => a[number(&words[4])..=number(&words[3])].to_vec(),
                "uext" | "sext" => {
                    let fill = words[0] == "sext" && a[a.len() - 1];
                    let mut wider = a;
                    wider.resize(width as usize, fill);
                    wider
                }
                "concat" => b.iter().chain(&a).copied().collect(),
                "ite" => {
                    if a[0] {
                        b
                    } else {
                        arg(4)
                    }
                }
                "not" => a.iter().map(|bit| !bit).collect(),
                name => operation(name, &a, &b),
            };
            assert_eq!(value.len(), width as usize, "{line} {words:?}");
            values.insert(*line, value);
        }
        values
    }
}

fn number(word: &str) -> usize {
    word.parse().unwrap()
}

fn unsigned(bits: &[bool]) -> u128 {
    bits.iter().rev().fold(0, |value, bit| value << 1 | u128::from(*bit))
}

fn signed(bits: &[bool]) -> i128 {
    let value = unsigned(bits).cast_signed();
    if bits[bits.len() - 1] { value - (1i128 << bits.len()) } else { value }
}

fn operation(name: &str, a: &[bool], b: &[bool]) -> Vec<bool> {
    let (x, y, width) = (unsigned(a), if b.is_empty() { 0 } else { unsigned(b) }, a.len());
    assert!(width < 100);
    let (sx, sy) = (signed(a), if b.is_empty() { 0 } else { signed(b) });
    let truth = |holds: bool| vec![holds];
    let value: u128 = match name {
        "eq" => return truth(x == y),
        "ult" => return truth(x < y),
        "slt" => return truth(sx < sy),
        "and" => x & y,
        "or" => x | y,
        "xor" => x ^ y,
        "neg" => x.wrapping_neg(),
        "add" => x.wrapping_add(y),
        "mul" => x.wrapping_mul(y),
        "udiv" => x.checked_div(y).unwrap_or(u128::MAX),
        "urem" => x.checked_rem(y).unwrap_or(x),
        "sdiv" => if sy == 0 { if sx < 0 { 1 } else { -1 } } else { sx / sy }.cast_unsigned(),
        "srem" => if sy == 0 { sx } else { sx % sy }.cast_unsigned(),
        "sll" => {
            if y >= width as u128 {
                0
            } else {
                x << y
            }
        }
        "srl" => {
            if y >= width as u128 {
                0
            } else {
                x >> y
            }
        }
        "sra" => (if y >= width as u128 { if sx < 0 { -1 } else { 0 } } else { sx >> y }).cast_unsigned(),
        other => panic!("{other}"),
    };
    (0..width).map(|at| value >> at & 1 == 1).collect()
}
