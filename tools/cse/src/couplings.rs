//! What may hold between both versions where they wait for each other: read off runs, and proposed to the proof.
//!
//! Equations between two variables, lines, and sums of two variables that no run contradicts. A wrong one costs time only:
//! what is not inductive is dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, LocationId, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::{IntRank, Type, TypeId};
use semantics::interpreter::{DataState, Limits, Observer, Origin, Request, run};
use transform::pair::{Meeting, Pair};

/// Executions, their edges, and states of one place that are kept.
const EXECUTIONS: u64 = 24;
const LIMITS: Limits = Limits { steps: 4_000, memory: 1 << 24, skips_library: true };
const STATES: usize = 120;
/// Variables of one place, and formulas of each kind.
const VARIABLES: usize = 24;
const MOST: usize = 24;
/// Up to here the greatest value seen may be the greatest there is.
const FEW: i128 = 16;
/// Factors of lines, and of sums.
const FACTORS: i128 = 64;
const WEIGHTS: &[i128] = &[1, -1, 2, -2, 3, -3, 4, -4, 5, 8, 10];

/// An integer variable.
#[derive(Clone, Copy, Debug)]
struct Column {
    variable: VarId,
    ty: TypeId,
    width: u32,
    signed: bool,
    /// It takes part in sums.
    counts: bool,
}

/// Values of the columns, state by state.
struct Table {
    columns: Vec<Column>,
    states: Vec<Vec<Option<u128>>>,
}

/// Formulas for the places where both versions wait for each other; where they do not, for loops of one of them.
pub(crate) fn couplings(pair: &mut Pair) -> Vec<(LocationId, ExprId)> {
    let meetings = if pair.is_in_turns { &pair.meetings } else { &pair.heads };
    let tables = tables(&pair.recast.cfa, meetings);
    let mut found = Vec::new();
    for (meeting, mut table) in meetings.iter().zip(tables) {
        let mut writer = Formulas { cfa: &mut pair.recast.cfa, found: meeting.known.iter().copied().collect() };
        table.propose(&mut writer);
        found.extend(writer.found.into_iter().map(|formula| (meeting.at, formula)));
    }
    found
}

fn tables(cfa: &Cfa, meetings: &[Meeting]) -> Vec<Table> {
    let column = |variable: &VarId| {
        let ty = cfa.variable(*variable).ty.ty;
        let Type::Int { rank, signed } = *cfa.types.get(ty) else { return None };
        let width = u32::try_from(cfa.machine.int_size(rank) * 8).ok().filter(|width| *width <= 64)?;
        Some(Column { variable: *variable, ty, width, signed, counts: width >= 32 })
    };
    let columns = meetings.iter().map(|meeting| meeting.variables.iter().filter_map(column).take(VARIABLES).collect());
    let columns: Vec<Vec<Column>> = columns.collect();
    let mut watch = Watch { cfa, at: BTreeMap::new(), columns: &columns, states: vec![Vec::new(); meetings.len()] };
    watch.at.extend(meetings.iter().enumerate().map(|(number, meeting)| (meeting.at, number)));
    for number in 0..EXECUTIONS {
        let mut draw = number;
        let mut inputs = |request: &Request| {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let small = u128::from(draw >> 33) % (2 + 3 * u128::from(number));
            Some(if matches!(request.origin, Origin::Comparison(_) | Origin::Allocation(_)) { 0 } else { small })
        };
        _ = run(cfa, &mut inputs, &mut watch, LIMITS);
    }
    let states = std::mem::take(&mut watch.states);
    columns.into_iter().zip(states).map(|(columns, states)| Table { columns, states }).collect()
}

struct Watch<'a> {
    cfa: &'a Cfa,
    at: BTreeMap<LocationId, usize>,
    columns: &'a [Vec<Column>],
    states: Vec<Vec<Vec<Option<u128>>>>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        if let Some(number) = self.at.get(&self.cfa.edge(edge).target)
            && self.states[*number].len() < STATES
        {
            let value = |column: &Column| Some(state.scalar(column.variable)? & mask(column.width));
            self.states[*number].push(self.columns[*number].iter().map(value).collect());
        }
        ControlFlow::Continue(())
    }
}

fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width.clamp(1, 128))
}

/// The number that some bits are, with the sign that makes it small.
fn signed(bits: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    (bits << shift).cast_signed() >> shift
}

/// Formulas in the making.
struct Formulas<'a> {
    cfa: &'a mut Cfa,
    found: BTreeSet<ExprId>,
}

impl Formulas<'_> {
    fn load(&mut self, column: Column) -> ExprId {
        let place = self.cfa.exprs.intern(Expr::Variable(column.variable), column.ty);
        self.cfa.exprs.intern(Expr::Load(place), column.ty)
    }

    fn number(&mut self, column: Column, value: i128) -> ExprId {
        self.cfa.exprs.intern(Expr::Int(value.cast_unsigned() & mask(column.width)), column.ty)
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, column: Column) -> ExprId {
        self.cfa.exprs.intern(Expr::Binary(op, a, b), column.ty)
    }

    /// `factor * column`
    fn times(&mut self, factor: i128, column: Column) -> ExprId {
        let value = self.load(column);
        if factor == 1 {
            return value;
        }
        let factor = self.number(column, factor);
        self.binary(BinaryOp::Multiply, factor, value, column)
    }

    fn note(&mut self, op: BinaryOp, a: ExprId, b: ExprId) {
        let int = self.cfa.types.intern(Type::Int { rank: IntRank::Int, signed: true });
        let formula = self.cfa.exprs.intern(Expr::Binary(op, a, b), int);
        self.found.insert(formula);
    }
}

impl Table {
    /// Whether something holds in all states that know these columns, with how many different points there are.
    fn points<const N: usize>(&self, at: [usize; N]) -> BTreeSet<[u128; N]> {
        let mut points = BTreeSet::new();
        for state in &self.states {
            let values: Vec<u128> = at.iter().filter_map(|column| state[*column]).collect();
            points.extend(<[u128; N]>::try_from(values).ok());
        }
        points
    }

    fn propose(&mut self, writer: &mut Formulas<'_>) {
        let mut left: Vec<usize> = Vec::new();
        for at in 0..self.columns.len() {
            let column = self.columns[at];
            let is_same = |other: &&usize| {
                let points = self.points([**other, at]);
                self.columns[**other].ty == column.ty && !points.is_empty() && points.iter().all(|[a, b]| a == b)
            };
            if let Some(other) = left.iter().find(is_same) {
                let (a, b) = (writer.load(self.columns[*other]), writer.load(column));
                writer.note(BinaryOp::Equal, a, b);
                continue;
            }
            let values = self.points([at]);
            if let (Some([only]), 1) = (values.first(), values.len()) {
                let (value, number) = (writer.load(column), writer.number(column, only.cast_signed()));
                writer.note(BinaryOp::Equal, value, number);
            }
            left.push(at);
        }
        left.retain(|at| self.points([*at]).len() > 1);
        self.bounds(writer, &left);
        let mut free: Vec<usize> = Vec::new();
        for at in left.iter().copied().filter(|at| self.columns[*at].counts) {
            let line = free.iter().find_map(|other| Some((*other, self.line(*other, at)?)));
            let Some((other, (factor, offset))) = line else {
                free.push(at);
                continue;
            };
            let column = self.columns[at];
            let (value, product, offset) =
                (writer.load(column), writer.times(factor, self.columns[other]), writer.number(column, offset));
            let sum = writer.binary(BinaryOp::Add, product, offset, column);
            writer.note(BinaryOp::Equal, value, sum);
        }
        self.sums(writer, &free);
    }

    /// `y == factor * x + offset`, for the last of two columns.
    fn line(&self, x: usize, y: usize) -> Option<(i128, i128)> {
        let column = self.columns[y];
        let points = self.points([x, y]);
        let (first, second) = (points.first()?, points.iter().find(|point| point[0] != points.first().map_or(0, |p| p[0]))?);
        if points.len() < 3 || self.columns[x].ty != column.ty {
            return None;
        }
        let difference = |number: usize| signed(second[number].wrapping_sub(first[number]) & mask(column.width), column.width);
        let (dx, dy) = (difference(0), difference(1));
        if dx == 0 || dy == 0 || dy % dx != 0 || (dy / dx).abs() > FACTORS {
            return None;
        }
        let factor = dy / dx;
        let offset = |[x, y]: &[u128; 2]| y.cast_signed().wrapping_sub(factor.wrapping_mul(x.cast_signed())).cast_unsigned();
        let own = offset(first) & mask(column.width);
        points.iter().all(|point| offset(point) & mask(column.width) == own).then_some((factor, signed(own, column.width)))
    }

    /// `z == x + weight * y + offset`.
    fn sums(&self, writer: &mut Formulas<'_>, free: &[usize]) {
        let mut number = 0;
        for (z, x, y) in free.iter().flat_map(|z| free.iter().flat_map(move |x| free.iter().map(move |y| (*z, *x, *y)))) {
            let column = self.columns[z];
            let is_alike = [x, y].iter().all(|other| *other != z && self.columns[*other].ty == column.ty);
            if x == y || !is_alike || number >= MOST {
                continue;
            }
            let points = self.points([z, x, y]);
            if points.len() < 5 {
                continue;
            }
            for weight in WEIGHTS.iter().filter(|weight| **weight != 1 || x < y) {
                let offset = |[z, x, y]: &[u128; 3]| {
                    let sum = x.cast_signed().wrapping_add(weight.wrapping_mul(y.cast_signed()));
                    z.cast_signed().wrapping_sub(sum).cast_unsigned() & mask(column.width)
                };
                let Some(own) = points.first().map(offset) else { continue };
                if points.iter().all(|point| offset(point) == own) {
                    let (value, x, y) =
                        (writer.load(column), writer.load(self.columns[x]), writer.times(*weight, self.columns[y]));
                    let sum = writer.binary(BinaryOp::Add, x, y, column);
                    let own = writer.number(column, signed(own, column.width));
                    let sum = writer.binary(BinaryOp::Add, sum, own, column);
                    writer.note(BinaryOp::Equal, value, sum);
                    number += 1;
                    break;
                }
            }
        }
    }

    /// Orders between columns, and signs.
    fn bounds(&self, writer: &mut Formulas<'_>, left: &[usize]) {
        let value = |column: Column, bits: u128| if column.signed { signed(bits, column.width) } else { bits.cast_signed() };
        let mut number = 0;
        for x in left {
            let column = self.columns[*x];
            if column.signed && self.points([*x]).iter().all(|[bits]| value(column, *bits) >= 0) {
                let (zero, own) = (writer.number(column, 0), writer.load(column));
                writer.note(BinaryOp::LessEqual, zero, own);
            }
            let most = self.points([*x]).iter().map(|[bits]| value(column, *bits)).max();
            if let Some(most) = most.filter(|most| (0..=FEW).contains(most)) {
                let (own, most) = (writer.load(column), writer.number(column, most));
                writer.note(BinaryOp::LessEqual, own, most);
            }
            for y in left.iter().filter(|y| *y != x && self.columns[**y].ty == column.ty) {
                let points = self.points([*x, *y]);
                if number < MOST && points.len() > 2 && points.iter().all(|[a, b]| value(column, *a) <= value(column, *b)) {
                    let (a, b) = (writer.load(column), writer.load(self.columns[*y]));
                    writer.note(BinaryOp::LessEqual, a, b);
                    number += 1;
                }
            }
        }
    }
}
