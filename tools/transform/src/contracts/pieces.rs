//! What calls yield, as linear functions of their arguments case by case, and as numbers where no case fits: guessed from calls
//! that were executed.
//!
//! A *piece* says that in one case (always, where a condition of the body holds or does not, or where an argument is a certain
//! number) the result is a sum of multiples of the arguments. Arithmetic wraps as that of the program does, so such a clause needs
//! no bounds: `ackermann(2, n) == 2 * n + 3` for every `n`. A function that grows faster has no pieces, but each of its calls
//! that a program gets to has a number, which is what shows that sums of them do not overflow.
//! Guesses only; whoever proves them does not look here.

use std::collections::BTreeSet;

use program::cfa::{ConstantValue, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::fold::{ConstantContext, IntFormat, evaluate, int_format};
use program::types::TypeId;
use rustc_hash::FxHashMap;

use super::arithmetic::Arithmetic;
use super::frame::Setting;
use super::separate::Tabled;
use super::{Clause, When};
use crate::Editor;

/// Numbers that an argument may have for each to be a case.
const FEW: usize = 8;

/// Calls besides as many as a sum has parts that have to agree with it.
const AGREE: usize = 3;

/// Calls that a sum is found from.
const ROWS: usize = 24;

/// Calls that are said one by one, for each function.
const ALONE: usize = 80;

/// A call that was executed: bit patterns of its arguments and of its result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The arguments.
    pub arguments: Vec<u128>,
    /// The result.
    pub result: u128,
}

/// When a piece says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Always,
    /// The condition of the body holds, or does not.
    Condition(ExprId, bool),
    /// The argument of this place is this number.
    Argument(usize, u128),
}

/// The result of a function in one case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    case: Case,
    constant: i128,
    /// For each argument what it is multiplied by.
    factors: Vec<i128>,
}

/// How calls of a function are read.
#[derive(Debug)]
struct Reading<'a> {
    setting: &'a Setting,
    tabled: &'a Tabled,
    editor: Editor,
    arguments: Vec<IntFormat>,
    /// The type of a result in sums, and how it is read.
    sum: TypeId,
    sums: IntFormat,
    result: IntFormat,
}

impl<'a> Reading<'a> {
    fn new(setting: &'a Setting, tabled: &'a Tabled) -> Option<Self> {
        let mut editor = Editor::new(&setting.base);
        let result = editor.load(tabled.result);
        let ty = editor.type_of(result);
        let promoted = Arithmetic { editor: &mut editor }.like(result, 0)?;
        let sum = editor.type_of(promoted);
        let base = &setting.base;
        let format = |ty: TypeId| int_format(&editor.parts.types, base.machine, ty);
        let arguments = tabled.arguments.iter().map(|one| format(base.variable(*one).ty.ty)).collect::<Option<_>>()?;
        let (sums, result) = (format(sum)?, format(ty)?);
        Some(Self { setting, tabled, arguments, sum, sums, result, editor })
    }

    fn numbers(&self, arguments: &[u128]) -> Vec<i128> {
        self.arguments.iter().zip(arguments).map(|(format, bits)| format.value(*bits)).collect()
    }

    /// Whether a call is of a case.
    fn is_in(&mut self, case: Case, arguments: &[u128]) -> Option<bool> {
        match case {
            Case::Always => Some(true),
            Case::Argument(place, bits) => Some(arguments.get(place) == Some(&bits)),
            Case::Condition(condition, truth) => {
                let mut known = FxHashMap::default();
                for (variable, bits) in self.tabled.arguments.iter().zip(arguments) {
                    let load = self.editor.load(*variable);
                    let ty = self.editor.type_of(load);
                    known.insert(load, self.editor.number(ty, *bits));
                }
                let said = self.editor.substituted(condition, &known);
                let said = self.editor.truth(said);
                let parts = &self.editor.parts;
                let context = ConstantContext {
                    types: &parts.types,
                    exprs: &parts.exprs,
                    variables: &parts.variables,
                    machine: parts.machine,
                    reads_constants: false,
                };
                let ConstantValue::Int(bits) = evaluate(context, said)? else { return None };
                Some((bits != 0) == truth)
            }
        }
    }

    /// What a piece says of a call, whether it is of its case or not, in the type of sums.
    fn sum_of(&self, piece: &Piece, arguments: &[u128]) -> u128 {
        let numbers = self.numbers(arguments);
        let products = numbers.iter().zip(&piece.factors).map(|(number, factor)| number.wrapping_mul(*factor));
        self.sums.wrap(products.fold(piece.constant, i128::wrapping_add).cast_unsigned())
    }

    /// A piece that all calls of its case agree with.
    fn fit(&mut self, case: Case, points: &[&Point]) -> Option<Piece> {
        let rows: Vec<Vec<i128>> = points.iter().map(|point| self.row(point)).collect();
        let (solution, rank) = solve(&rows, self.arguments.len() + 1)?;
        let (constant, factors) = solution.split_first()?;
        let piece = Piece { case, constant: *constant, factors: factors.to_vec() };
        let agrees = |point: &&Point| self.sum_of(&piece, &point.arguments) == self.sums.wrap(self.result.extend(point.result));
        (points.len() >= rank + AGREE && points.iter().all(agrees)).then_some(piece)
    }

    /// One, the arguments, and the result of a call.
    fn row(&self, point: &Point) -> Vec<i128> {
        let mut row = vec![1];
        row.extend(self.numbers(&point.arguments));
        row.push(self.result.value(point.result));
        row
    }

    /// The cases that are looked at, those that say most first.
    fn cases(&self, points: &[Point]) -> Vec<Case> {
        let mut found = vec![Case::Always];
        for condition in self.setting.cases.get(&self.tabled.function).into_iter().flatten() {
            found.extend([Case::Condition(*condition, true), Case::Condition(*condition, false)]);
        }
        for place in 0..self.arguments.len() {
            let values: BTreeSet<u128> = points.iter().filter_map(|point| point.arguments.get(place)).copied().collect();
            if values.len() <= FEW {
                found.extend(values.into_iter().map(|value| Case::Argument(place, value)));
            }
        }
        found
    }
}

/// What calls of a function yield, as far as executed calls show it.
#[derive(Debug)]
pub struct Pieces<'a> {
    reading: Reading<'a>,
    found: Vec<Piece>,
    /// Calls that no piece says anything of.
    alone: Vec<Point>,
}

impl<'a> Pieces<'a> {
    /// The pieces that calls of a function agree with: of each case only what no earlier one says.
    #[must_use]
    pub fn fitted(setting: &'a Setting, tabled: &'a Tabled, points: &[Point]) -> Option<Self> {
        let mut reading = Reading::new(setting, tabled)?;
        let mut left: BTreeSet<usize> = (0..points.len()).collect();
        let mut found = Vec::new();
        for case in reading.cases(points) {
            let is_in = |reading: &mut Reading<'_>, point: &Point| reading.is_in(case, &point.arguments) == Some(true);
            let own: Vec<usize> = (0..points.len()).filter(|at| is_in(&mut reading, &points[*at])).collect();
            if own.iter().all(|at| !left.contains(at)) {
                continue;
            }
            let agreeing: Vec<&Point> = own.iter().map(|at| &points[*at]).collect();
            if let Some(piece) = reading.fit(case, &agreeing) {
                found.push(piece);
                left.retain(|at| !own.contains(at));
            }
        }
        let alone = left.into_iter().map(|at| points[at].clone()).collect();
        Some(Self { reading, found, alone })
    }

    /// What a call yields if its piece is right.
    pub fn said(&mut self, arguments: &[u128]) -> Option<u128> {
        let place = (0..self.found.len()).find(|at| self.reading.is_in(self.found[*at].case, arguments) == Some(true))?;
        let sum = self.reading.sum_of(&self.found[place], arguments);
        Some(self.reading.result.wrap(sum))
    }

    /// Whether nothing is said of calls that were not executed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// What is to be claimed.
    #[must_use]
    pub fn claimed(self) -> Claimed {
        let alone = if self.alone.len() <= ALONE { self.alone } else { Vec::new() };
        Claimed { tabled: self.reading.tabled.clone(), sum: self.reading.sum, sums: self.reading.sums, pieces: self.found, alone }
    }
}

/// Pieces and single calls of one function that may be claimed.
#[derive(Clone, Debug)]
pub struct Claimed {
    tabled: Tabled,
    sum: TypeId,
    sums: IntFormat,
    pieces: Vec<Piece>,
    alone: Vec<Point>,
}

/// A setting with clauses that say what is claimed.
#[must_use]
pub fn as_clauses(setting: Setting, claimed: &[Claimed]) -> (Setting, Vec<Clause>) {
    let Setting { base, signatures, cases } = setting;
    let mut editor = Editor::new(&base);
    let mut found = Vec::new();
    for one in claimed {
        let pieces = one.pieces.iter().map(|piece| one.piece(&mut editor, piece)).collect::<Vec<_>>();
        let alone = one.calls(&mut editor);
        let clause = |holds: ExprId| Clause { function: one.tabled.function, when: When::Ensures, holds };
        found.extend(pieces.into_iter().flatten().chain(alone).map(clause));
    }
    (Setting { base: editor.finish().cfa, signatures, cases }, found)
}

impl Claimed {
    /// Whether nothing is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.alone.is_empty()
    }

    /// That the result is what a piece says, or the case is another one.
    fn piece(&self, editor: &mut Editor, piece: &Piece) -> Option<ExprId> {
        let mut sum = None;
        for (variable, factor) in self.tabled.arguments.iter().zip(&piece.factors).filter(|(_, factor)| **factor != 0) {
            let load = editor.load(*variable);
            let value = if editor.type_of(load) == self.sum { load } else { editor.expr(Expr::Cast(load), self.sum) };
            let part = match *factor {
                1 => value,
                factor => {
                    let factor = editor.number(self.sum, self.sums.wrap(factor.cast_unsigned()));
                    editor.expr(Expr::Binary(BinaryOp::Multiply, factor, value), self.sum)
                }
            };
            sum = Some(sum.map_or(part, |sum| editor.expr(Expr::Binary(BinaryOp::Add, sum, part), self.sum)));
        }
        let constant = editor.number(self.sum, self.sums.wrap(piece.constant.cast_unsigned()));
        let sum = match sum {
            Some(sum) if piece.constant == 0 => sum,
            Some(sum) => editor.expr(Expr::Binary(BinaryOp::Add, sum, constant), self.sum),
            None => constant,
        };
        let result = editor.load(self.tabled.result);
        let mut arithmetic = Arithmetic { editor };
        let equal = arithmetic.compare(BinaryOp::Equal, result, sum)?;
        match piece.case {
            Case::Always => Some(equal),
            Case::Condition(condition, true) => {
                let other = arithmetic.not(condition);
                arithmetic.any(&[other, equal])
            }
            Case::Condition(condition, false) => arithmetic.any(&[condition, equal]),
            Case::Argument(place, bits) => {
                let other = self.differs(arithmetic.editor, place, bits)?;
                Arithmetic { editor }.any(&[other, equal])
            }
        }
    }

    /// What single calls yield, as one clause: each rests on others, so that they hold together or not at all.
    fn calls(&self, editor: &mut Editor) -> Option<ExprId> {
        let int = editor.int();
        let all = self.alone.iter().map(|point| self.call(editor, point)).collect::<Option<Vec<_>>>()?;
        all.into_iter().reduce(|all, one| editor.expr(Expr::Binary(BinaryOp::LogicalAnd, all, one), int))
    }

    /// That the result of a call is this, or the arguments are others.
    fn call(&self, editor: &mut Editor, point: &Point) -> Option<ExprId> {
        let mut parts = Vec::new();
        for (place, bits) in point.arguments.iter().enumerate() {
            parts.push(self.differs(editor, place, *bits)?);
        }
        parts.push(is_number(editor, (self.tabled.result, BinaryOp::Equal), point.result)?);
        Arithmetic { editor }.any(&parts)
    }

    fn differs(&self, editor: &mut Editor, place: usize, bits: u128) -> Option<ExprId> {
        is_number(editor, (*self.tabled.arguments.get(place)?, BinaryOp::NotEqual), bits)
    }
}

/// A comparison of a variable with a number of its own type.
fn is_number(editor: &mut Editor, (variable, op): (VarId, BinaryOp), bits: u128) -> Option<ExprId> {
    let value = editor.load(variable);
    let ty = editor.type_of(value);
    let number = editor.number(ty, bits);
    Arithmetic { editor }.compare(op, value, number)
}

/// Numbers `x` with `row . x = last of row` for the rows, which say as much as so many of them, if there are whole ones. Rows that
/// are small are looked at only: others may have wrapped.
fn solve(rows: &[Vec<i128>], width: usize) -> Option<(Vec<i128>, usize)> {
    let mut rows: Vec<&Vec<i128>> = rows.iter().collect();
    rows.sort_by_key(|row| row.iter().map(|number| number.unsigned_abs()).max());
    let mut basis: Vec<(usize, Vec<i128>)> = Vec::new();
    for row in rows.into_iter().take(ROWS) {
        let mut row = row.clone();
        for (pivot, known) in &basis {
            row = without(&row, known, *pivot)?;
        }
        let Some(pivot) = row.iter().position(|number| *number != 0) else { continue };
        if pivot >= width {
            return None;
        }
        for (_, known) in &mut basis {
            *known = without(known, &row, pivot)?;
        }
        basis.push((pivot, row));
    }
    let mut solution = vec![0; width];
    let rank = basis.len();
    for (pivot, row) in basis {
        let (last, factor) = (*row.last()?, row[pivot]);
        solution[pivot] = (last % factor == 0).then(|| last / factor)?;
    }
    Some((solution, rank))
}

/// A row with as much of another one taken away as makes it zero at a place.
fn without(row: &[i128], other: &[i128], at: usize) -> Option<Vec<i128>> {
    let (own, others) = (row[at], other[at]);
    let difference = |(a, b): (&i128, &i128)| a.checked_mul(others)?.checked_sub(b.checked_mul(own)?);
    let mut row = row.iter().zip(other).map(difference).collect::<Option<Vec<i128>>>()?;
    let divisor = row.iter().fold(0_u128, |divisor, number| common(divisor, number.unsigned_abs()));
    if let Some(divisor) = i128::try_from(divisor).ok().filter(|divisor| *divisor > 1) {
        row.iter_mut().for_each(|number| *number /= divisor);
    }
    Some(row)
}

/// The greatest common divisor.
fn common(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn a_sum_is_found_that_all_small_rows_agree_with() {
        // result = 3 + 2 * n, whatever m is.
        let rows: Vec<Vec<i128>> = (0..5).map(|n| vec![1, n, 7, 3 + 2 * n]).collect();
        let (solution, rank) = solve(&rows, 3).unwrap();
        assert_eq!(rank, 2);
        assert!(rows.iter().all(|row| (0..3).map(|at| row[at] * solution[at]).sum::<i128>() == row[3]), "{solution:?}");
    }

    #[test]
    fn rows_without_a_sum_of_whole_numbers_have_none() {
        let squares: Vec<Vec<i128>> = (0..5).map(|n| vec![1, n, n * n]).collect();
        assert_eq!(solve(&squares, 2), None);
        let halves: Vec<Vec<i128>> = (0..3).map(|n| vec![1, 2 * n, n]).collect();
        assert_eq!(solve(&halves, 2), None);
        assert_eq!(solve(&[vec![1, i128::MAX, 1], vec![1, i128::MIN, 2]], 2), None);
    }
}
