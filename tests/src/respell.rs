//! Programs whose values are computed in another way: mostly the same values, now and then almost the same.

use fastrand::Rng;

/// Ways to write a value `V` that leave it what it is; `x` is a variable of every function.
const EQUAL: [&str; 7] = ["0 + (V)", "-(-(V))", "(V) * 1", "(V) + x - x", "x + (V) - x", "~(~(V))", "((V) << 1) / 2"];
/// Ways that do not, for some values.
const ALMOST: [&str; 6] = ["(V) | 1", "(V) ^ 1", "(V) + x - y", "(V) & 1", "((V) | x) & 3", "((V) + 1) / 2"];

/// The text of a generated program with some of the values that it assigns and returns written in another way; `wrong` of
/// them, if there are so many, in one that may change it.
#[must_use]
pub fn respelled(text: &str, rng: &mut Rng, wrong: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let places: Vec<usize> = (0..lines.len()).filter(|line| parts(lines[*line]).is_some()).collect();
    let changed: Vec<usize> = (0..wrong.min(places.len())).map(|_| places[rng.usize(..places.len())]).collect();
    let mut result = String::new();
    for (number, line) in lines.iter().enumerate() {
        match parts(line) {
            Some((before, value)) if changed.contains(&number) => {
                result.extend([before, &ALMOST[rng.usize(..ALMOST.len())].replace('V', value), ";"]);
            }
            Some((before, value)) if rng.u8(..3) == 0 => {
                result.extend([before, &EQUAL[rng.usize(..EQUAL.len())].replace('V', value), ";"]);
            }
            Some(_) | None => result.push_str(line),
        }
        result.push('\n');
    }
    result
}

/// What stands before the value that a line of a body assigns or returns, and the value.
fn parts(line: &str) -> Option<(&str, &str)> {
    let body = line.strip_suffix(';').filter(|_| line.starts_with("    "))?;
    let start = match (body.trim_start().strip_prefix("return "), body.split_once(" = ")) {
        (Some(value), _) => body.len() - value.len(),
        (None, Some((target, value))) if is_plain(target.trim_start()) => body.len() - value.len(),
        (None, _) => return None,
    };
    let (before, value) = body.split_at(start);
    // No addresses, structs or calls with effects, and nothing of several statements.
    let is_value = !value.contains(['&', ';', '=', '{', '"']) || value.contains("& 3]") && !value.contains([';', '{', '=']);
    (is_value && !value.contains("in()") && value != "saved" && value != "s" && !value.starts_with('f'))
        .then_some((before, value))
}

/// Whether this is a place that holds a number.
fn is_plain(target: &str) -> bool {
    !target.contains(' ') && !["p", "h", "s", "saved"].contains(&target) || target.starts_with("a[") && target.ends_with("& 3]")
}
