//! Facts with `?`: `x <= ?`, `x == ?`, `y == ? * x + ?`. The constants of each version, by examples and counterexamples.
//!
//! What runs show says which constants are possible; these are asked for, and the inputs on which one fails show more. A bound
//! is the least (the greatest) that is proved, and it is tight where the next one fails. Nothing is decided here for good: the
//! facts with their constants are asked again as those of a user.

use std::collections::{BTreeMap, BTreeSet};

use crate::observe::Row;
use crate::shapes::literal;

/// Rounds of questions.
pub(crate) const ROUNDS: usize = 24;
/// Constants that are asked for at once, of one template and version.
const AT_ONCE: usize = 3;
/// Rows that are kept of a version.
const MOST_ROWS: usize = 300;
/// Constants of a linear template at most.
const MOST_UNKNOWN: usize = 4;

/// On which side of the values that runs show a bound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Above,
    Below,
}

/// What a template asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// `E <= ?`, `E < ?`: the least; `E >= ?`, `E > ?`: the greatest.
    Bound {
        /// Smaller constants say more.
        side: Side,
    },
    /// `E == ? * F + ? + G`: column 0 is `E`; of the others those with a constant, each with its sign, and those without.
    Linear { unknown: Vec<(Option<usize>, i128)>, known: Vec<(usize, i128)> },
}

/// A fact with constants that are not known.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// As it was given.
    pub(crate) text: String,
    /// The text between the constants.
    pieces: Vec<String>,
    /// Expressions whose values say which constants are possible.
    pub(crate) columns: Vec<String>,
    shape: Shape,
}

/// The text at its `?`; `None` if it has none, or if they are those of conditional expressions.
fn split(text: &str) -> Option<Vec<String>> {
    if text.contains(['"', '\'', ':']) || !text.contains('?') {
        return None;
    }
    Some(text.split('?').map(str::to_owned).collect())
}

/// The positions of an operator outside of parentheses; operators are read as long as they are.
fn operators(text: &str) -> Vec<(usize, &str)> {
    const LONG: [&str; 12] = ["<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "->", "++", "--", "&&"];
    let (mut found, mut depth, mut at) = (Vec::new(), 0usize, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let length = LONG
            .iter()
            .find(|one| rest.starts_with(**one))
            .map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |one| one.len());
        match &rest[..length] {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            other if depth == 0 && !other.chars().any(|c| c.is_alphanumeric() || c == '_' || c.is_whitespace()) => {
                found.push((at, other));
            }
            _ => {}
        }
        at += length;
    }
    found
}

impl Template {
    /// Reads a fact with `?`; `None` if it is none. The error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, String>> {
        let pieces = split(text)?;
        Some(Self::of(text, pieces).ok_or_else(|| {
            "write ? for the bound of an expression (x <= ?), or for factors and summands behind == (y == ? * x + ?)".to_owned()
        }))
    }

    fn of(text: &str, pieces: Vec<String>) -> Option<Self> {
        let is_relation = |op: &str| matches!(op, "<=" | ">=" | "<" | ">" | "==" | "!=" | "&&" | "|" | "^" | "&" | "=");
        let relations: Vec<(usize, &str)> = operators(text).into_iter().filter(|(_, op)| is_relation(op)).collect();
        let &[(at, op)] = relations.as_slice() else { return None };
        let (left, right) = (text[..at].trim(), text[at + op.len()..].trim());
        if left.is_empty() || left.contains('?') {
            return None;
        }
        let (text, mut columns) = (text.to_owned(), vec![left.to_owned()]);
        let shape = match op {
            "<=" | "<" if right == "?" => Shape::Bound { side: Side::Above },
            ">=" | ">" if right == "?" => Shape::Bound { side: Side::Below },
            "==" => linear(right, &mut columns)?,
            _ => return None,
        };
        Some(Self { text, pieces, columns, shape })
    }

    /// The fact with constants.
    fn with(&self, constants: &[i128]) -> String {
        let mut text = self.pieces.first().cloned().unwrap_or_default();
        for (constant, piece) in constants.iter().zip(self.pieces.iter().skip(1)) {
            text += &literal(*constant);
            text += piece;
        }
        text
    }

    /// Whether greater constants say less; `None` for equations.
    pub(crate) const fn side(&self) -> Option<Side> {
        match self.shape {
            Shape::Bound { side } => Some(side),
            Shape::Linear { .. } => None,
        }
    }

    /// How far a bound is from the values that fit: `x < 5` is `x <= 4`.
    fn strict(&self) -> i128 {
        let op = self.pieces.first().map_or("", |piece| piece.trim_end());
        i128::from(op.ends_with('<') || op.ends_with('>'))
    }
}

/// The right side of an equation: summands, some of which have a factor that is not known.
fn linear(text: &str, columns: &mut Vec<String>) -> Option<Shape> {
    let (mut unknown, mut known) = (Vec::new(), Vec::new());
    let signs: Vec<(usize, &str)> = operators(text).into_iter().filter(|(_, op)| matches!(*op, "+" | "-")).collect();
    // A sign in front is one of the first summand.
    let mut begin = 0;
    let mut sign = 1;
    let mut summands = Vec::new();
    for (at, op) in signs {
        let before = text[begin..at].trim();
        if before.is_empty() && begin == 0 {
            sign = if op == "-" { -1 } else { 1 };
        } else {
            summands.push((before, sign));
            sign = if op == "-" { -1 } else { 1 };
        }
        begin = at + op.len();
    }
    summands.push((text[begin..].trim(), sign));
    for (summand, sign) in summands {
        let mut column = |text: &str| {
            columns.push(text.to_owned());
            columns.len() - 1
        };
        let factor = summand
            .strip_prefix('?')
            .and_then(|rest| rest.trim_start().strip_prefix('*'))
            .or_else(|| summand.strip_suffix('?').and_then(|rest| rest.trim_end().strip_suffix('*')));
        match (summand, factor) {
            ("?", _) => unknown.push((None, sign)),
            (_, Some(of)) if !of.contains('?') && !of.trim().is_empty() => unknown.push((Some(column(of.trim())), sign)),
            (plain, _) if !plain.contains('?') && !plain.is_empty() => known.push((column(plain), sign)),
            _ => return None,
        }
    }
    (1..=MOST_UNKNOWN).contains(&unknown.len()).then_some(Shape::Linear { unknown, known })
}

/// What is known of the constants of a template in a version.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    rows: BTreeSet<Row>,
    /// For bounds the most extreme value that is seen, or that a constant is known to be too small for.
    seen: Option<i128>,
    /// The best bound that is proved.
    proved: Option<i128>,
    /// Constants that nobody could decide.
    undecided: BTreeSet<i128>,
    /// Facts that are settled.
    settled: BTreeMap<Vec<i128>, bool>,
}

impl Search {
    /// Takes down what a run shows.
    pub(crate) fn see(&mut self, template: &Template, rows: Vec<Row>) {
        for row in rows {
            if let (Some(side), Some(Some(value))) = (template.side(), row.first()) {
                self.reach(side, *value);
            }
            if self.rows.len() < MOST_ROWS {
                self.rows.insert(row);
            }
        }
    }

    fn reach(&mut self, side: Side, value: i128) {
        self.seen = Some(match self.seen {
            Some(seen) if side == Side::Above => seen.max(value),
            Some(seen) => seen.min(value),
            None => value,
        });
    }

    /// Constants that are to be asked for next, each with its fact.
    pub(crate) fn next(&self, template: &Template, thresholds: &[i128]) -> Vec<(Vec<i128>, String)> {
        let all = match &template.shape {
            Shape::Bound { side } => self.bounds(*side, thresholds).into_iter().map(|one| vec![one]).collect(),
            Shape::Linear { unknown, known } => {
                let found = solve(&self.rows, unknown, known);
                found.into_iter().filter(|one| !self.settled.contains_key(one)).collect::<Vec<_>>()
            }
        };
        let shift = template.strict() * if template.side() == Some(Side::Below) { -1 } else { 1 };
        all.into_iter()
            .map(|constants| {
                let shown: Vec<i128> =
                    constants.iter().map(|one| one + if template.side().is_some() { shift } else { 0 }).collect();
                let text = template.with(&shown);
                (constants, text)
            })
            .collect()
    }

    fn bounds(&self, side: Side, thresholds: &[i128]) -> Vec<i128> {
        let upper = side == Side::Above;
        let Some(seen) = self.seen else { return Vec::new() };
        if self.proved == Some(seen) {
            return Vec::new();
        }
        let is_inside = |value: &i128| {
            let beyond = |a: i128, b: i128| if upper { a > b } else { a < b };
            !self.undecided.contains(value)
                && (*value == seen || beyond(*value, seen))
                && self.proved.is_none_or(|proved| beyond(proved, *value))
        };
        let mut found: Vec<i128> = vec![seen];
        found.extend(self.proved.map(|proved| seen + (proved - seen) / 2));
        let is_new = |one: &i128| !self.undecided.contains(one) && if upper { *one > seen } else { *one < seen };
        if upper {
            found.extend(thresholds.iter().copied().filter(is_new).take(AT_ONCE));
        } else {
            found.extend(thresholds.iter().rev().copied().filter(is_new).take(AT_ONCE));
        }
        // Without a bound that is proved, the limits of types are tried as well.
        if self.proved.is_none() {
            let limits = [7, 8, 15, 16, 31, 32, 63].map(|bits| if upper { (1i128 << bits) - 1 } else { -(1i128 << bits) });
            found.extend(limits.into_iter().filter(is_new).take(2));
            found.extend((!upper && seen > 0).then_some(0));
        }
        let mut known = BTreeSet::new();
        found.retain(|one| is_inside(one) && known.insert(*one));
        found
    }

    /// Takes down an answer: whether the constants are right, if anybody knows.
    pub(crate) fn answer(&mut self, template: &Template, constants: &[i128], is_right: Option<bool>) {
        let (Some(side), &[value]) = (template.side(), constants) else {
            self.settled.insert(constants.to_vec(), is_right == Some(true));
            return;
        };
        match is_right {
            Some(true) => {
                let better = self.proved.is_none_or(|proved| if side == Side::Above { value < proved } else { value > proved });
                self.proved = if better { Some(value) } else { self.proved };
            }
            Some(false) => self.reach(side, if side == Side::Above { value + 1 } else { value - 1 }),
            None => _ = self.undecided.insert(value),
        }
    }

    /// The facts that the search ends with: what is proved, and for bounds the next one, which is to fail.
    pub(crate) fn found(&self, template: &Template) -> Vec<(i128, String)> {
        let Some(side) = template.side() else {
            let right = self.settled.iter().filter(|(_, is_right)| **is_right);
            return right.take(1).map(|(constants, _)| (0, template.with(constants))).collect();
        };
        let step = if side == Side::Above { 1 } else { -1 };
        let shift = template.strict() * step;
        let Some(proved) = self.proved else { return Vec::new() };
        [proved, proved - step].into_iter().map(|one| (one, template.with(&[one + shift]))).collect()
    }
}

/// Constants for which an equation holds in all rows, if they are integers; those that rows leave open are 0.
fn solve(rows: &BTreeSet<Row>, unknown: &[(Option<usize>, i128)], known: &[(usize, i128)]) -> Option<Vec<i128>> {
    let mut reduced: Vec<(usize, Vec<i128>)> = Vec::new();
    for row in rows {
        let value = |column: usize| row.get(column).copied().flatten();
        let mut of: Vec<i128> = Vec::new();
        for (column, sign) in unknown {
            of.push(sign * column.map_or(Some(1), value)?);
        }
        let mut right = value(0)?;
        for (column, sign) in known {
            right = right.checked_sub(sign * value(*column)?)?;
        }
        of.push(right);
        for (pivot, one) in &reduced {
            let (a, b) = (one[*pivot], of[*pivot]);
            for (own, other) in of.iter_mut().zip(one) {
                *own = own.checked_mul(a)?.checked_sub(other.checked_mul(b)?)?;
            }
        }
        let divisor = of.iter().fold(0i128, |a, b| gcd(a, *b)).max(1);
        of.iter_mut().for_each(|one| *one /= divisor);
        match of[..unknown.len()].iter().position(|one| *one != 0) {
            Some(pivot) => reduced.push((pivot, of)),
            None if of.last() == Some(&0) => {}
            None => return None,
        }
    }
    if reduced.is_empty() && rows.is_empty() {
        return None;
    }
    let mut found = vec![0i128; unknown.len()];
    for (pivot, one) in reduced.iter().rev() {
        let mut right = *one.last()?;
        for (at, factor) in one[..unknown.len()].iter().enumerate().filter(|(at, _)| at != pivot) {
            right = right.checked_sub(factor.checked_mul(found[at])?)?;
        }
        if right % one[*pivot] != 0 {
            return None;
        }
        found[*pivot] = right / one[*pivot];
    }
    Some(found)
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str) -> Template {
        Template::parse(text).unwrap().unwrap()
    }

    fn rows(rows: &[&[i128]]) -> Vec<Row> {
        rows.iter().map(|row| row.iter().map(|one| Some(*one)).collect()).collect()
    }

    #[test]
    fn what_is_a_template() {
        assert_eq!(template("x + 1 <= ?").columns, ["x + 1"]);
        assert_eq!(template("a[i - 1] < ?").with(&[-3]), "a[i - 1] < -3");
        assert_eq!(template("y == ? * x - ? + p->z").columns, ["y", "x", "p->z"]);
        assert_eq!(template("y == (a + b) * ? + ?").columns, ["y", "(a + b)"]);
        for none in ["x <= 3", "a ? b : c", "c == '?'", "x == (a ? 1 : 2)"] {
            assert!(Template::parse(none).is_none(), "{none}");
        }
        for wrong in
            ["? <= x", "x != ?", "x == ? / 2", "x == ? * ?", "x <= ? + 1", "x == ? && y == ?", "x & ?", "x == 1 <= ?", "?"]
        {
            assert!(Template::parse(wrong).unwrap().is_err(), "{wrong}");
        }
    }

    #[test]
    fn equations_are_solved_on_what_is_seen() {
        let solved = |text: &str, seen: &[&[i128]]| {
            let (template, mut search) = (template(text), Search::default());
            search.see(&template, rows(seen));
            search.next(&template, &[]).into_iter().map(|(_, text)| text).next()
        };
        assert_eq!(solved("y == ? * x + ?", &[&[3, 1], &[5, 2], &[9, 4]]).as_deref(), Some("y == 2 * x + 1"));
        assert_eq!(solved("y == ? * x - ?", &[&[-7, 1], &[-9, 2]]).as_deref(), Some("y == -2 * x - 5"));
        assert_eq!(solved("y == ? * x + ?", &[&[3, 1], &[5, 2], &[8, 4]]), None);
        assert_eq!(solved("2 * y == ? * x", &[&[6, 4]]), None);
        assert_eq!(solved("y == ?", &[&[4], &[4]]).as_deref(), Some("y == 4"));
        assert_eq!(solved("y == ?", &[]), None);
        assert_eq!(solved("y == ? + z", &[&[4, 1], &[5, 2]]).as_deref(), Some("y == 3 + z"));
    }

    #[test]
    fn bounds_close_in() {
        // The truth is 127, and nothing is seen but 3; runs show nothing.
        for (text, truth) in [("x <= ?", 127), ("x < ?", 127), ("x >= ?", -40), ("x > ?", -40)] {
            let (template, mut search) = (template(text), Search::default());
            search.see(&template, rows(&[&[3]]));
            let upper = template.side().unwrap() == Side::Above;
            let mut rounds = 0;
            while let asked @ [_, ..] = search.next(&template, &[99, 100]).as_slice() {
                for (constants, _) in asked {
                    let is_right = if upper { constants[0] >= truth } else { constants[0] <= truth };
                    search.answer(&template, constants, Some(is_right));
                }
                rounds += 1;
                assert!(rounds < ROUNDS, "{text} {search:?}");
            }
            let shown = match text {
                "x <= ?" => ["x <= 127", "x <= 126"],
                "x < ?" => ["x < 128", "x < 127"],
                "x >= ?" => ["x >= -40", "x >= -39"],
                _ => ["x > -41", "x > -40"],
            };
            let found: Vec<String> = search.found(&template).into_iter().map(|(_, text)| text).collect();
            assert_eq!(found, shown);
        }
    }

    #[test]
    fn what_nobody_decides_is_not_asked_again() {
        let (template, mut search) = (template("x <= ?"), Search::default());
        search.see(&template, rows(&[&[3]]));
        for _ in 0..ROUNDS {
            for (constants, _) in search.next(&template, &[]) {
                search.answer(&template, &constants, (constants[0] > 1000).then_some(true));
            }
        }
        assert!(search.next(&template, &[]).is_empty() && search.found(&template)[0].0 > 1000);
    }
}
