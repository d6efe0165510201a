//! Facts that the tool proposes: what runs of the versions do not contradict, written as C.
//!
//! A proposal is a guess and nothing else; each is asked for as if a user had given it.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of types and operations")]

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, LocationId, VarId};
use program::diagnostic::Diagnostic;
use program::expr::Expr;
use program::probe::{Probe, ProbePlace, Probed};
use program::types::{FloatKind, Type, TypeId};
use semantics::interpreter::{DataState, Limits, Observer, Origin, run};

use crate::arguments::Family;
use crate::definitions::definitions;
use crate::expression::Text;
use crate::judge::{Tried, constants};
use crate::points::Point;
use crate::prepare::{Fact, Spot, Version};
use crate::shapes::{self, literal};

/// Variables of a point that are looked at.
const MOST_VARIABLES: usize = 8;
/// Runs of a version, and visits of a point that are noted.
const RUNS: u64 = 60;
const MOST_ROWS: usize = 400;
const LIMITS: Limits = Limits { steps: 20_000, memory: 64 << 20, skips_library: false };
/// Proposals for a point.
const MOST_FACTS: usize = 48;

/// What variables were at the visits of a point; the first input last.
type Row = Vec<Option<Seen>>;

/// What a variable was.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen {
    Whole(i128),
    /// A `float` is a `double` of the same value.
    Real(f64),
}

impl Seen {
    /// The order of two values of one kind, as C has it; none with NaN.
    pub(crate) fn against(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(own), Self::Whole(other)) => Some(own.cmp(&other)),
            (Self::Real(own), Self::Real(other)) => own.partial_cmp(&other),
            (Self::Whole(_), Self::Real(_)) | (Self::Real(_), Self::Whole(_)) => None,
        }
    }

    const fn whole(self) -> Option<i128> {
        match self {
            Self::Whole(value) => Some(value),
            Self::Real(_) => None,
        }
    }

    const fn real(self) -> Option<f64> {
        match self {
            Self::Real(value) => Some(value),
            Self::Whole(_) => None,
        }
    }
}

/// Variables that proposals are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// Integers.
    Whole,
    /// Integers, and numbers of `float` and `double`.
    All,
}

/// Proposals of some families for all points.
pub(crate) fn propose(
    families: &[Family],
    versions: &[Option<Version>],
    points: &[Point],
    kinds: Kinds,
) -> Result<Vec<Fact>, Diagnostic> {
    let mut facts = Vec::new();
    for (number, point) in points.iter().enumerate() {
        let names = names(versions, point, kinds);
        let mut proposals = Proposals { families, found: BTreeSet::new(), all: Vec::new() };
        for (version, spot) in versions.iter().zip(&point.spots) {
            if let (Some(version), Spot::At(places)) = (version, spot) {
                let (names, rows) = rows(version, places, &names)?;
                let bounds = (thresholds(&version.cfa), real_thresholds(&version.cfa));
                proposals.of_rows(&names, &rows, (&bounds.0, &bounds.1));
            }
        }
        if kinds == Kinds::All {
            let assigned = versions.iter().flatten().flat_map(|version| definitions(&version.cfa));
            assigned.for_each(|text| proposals.add(Family::Definition, text));
        }
        proposals.all.truncate(MOST_FACTS);
        for (family, text) in proposals.all {
            if let Ok(text) = Text::parse(&text) {
                facts.push(Fact { point: number, text, family });
            }
        }
    }
    Ok(facts)
}

/// Names of numbers that may be in scope at a point.
fn names(versions: &[Option<Version>], point: &Point, kinds: Kinds) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for version in
        versions.iter().zip(&point.spots).filter(|(_, spot)| matches!(spot, Spot::At(_))).filter_map(|(one, _)| one.as_ref())
    {
        let cfa = &version.cfa;
        for id in cfa.variable_ids() {
            let variable = cfa.variable(id);
            let is_plain = variable.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let is_own = !variable.name.is_empty() && !variable.name.starts_with("__") && !cfa.source.is_library(variable.span);
            let is_number = match cfa.types.get(variable.ty.ty) {
                Type::Int { .. } | Type::Bool => true,
                Type::Float(FloatKind::Float | FloatKind::Double) => kinds == Kinds::All,
                _ => false,
            } && !variable.ty.qualifiers.is_volatile;
            if is_plain && is_own && is_number && !names.iter().any(|name| **name == *variable.name) {
                names.push(variable.name.to_string());
            }
        }
    }
    names
}

/// The names that can be said at places, and what they were there in runs.
fn rows(version: &Version, places: &[ProbePlace], names: &[String]) -> Result<(Vec<String>, Vec<Row>), Diagnostic> {
    let probes: Vec<Probe> =
        names.iter().flat_map(|name| places.iter().map(move |at| Probe { at: at.clone(), text: name.clone() })).collect();
    let (cfa, answers) = program::load_with(version.source.clone(), &version.cfa.options, &probes)?;
    let mut said = Vec::new();
    let mut visits: BTreeMap<LocationId, Vec<Option<(VarId, TypeId)>>> = BTreeMap::new();
    for (number, name) in names.iter().enumerate() {
        let of: Vec<&Probed> = answers[number * places.len()..][..places.len()].iter().flatten().collect();
        if of.is_empty() || said.len() >= MOST_VARIABLES {
            continue;
        }
        for probed in of {
            for at in &probed.locations {
                let seen = visits.entry(*at).or_default();
                seen.resize(said.len(), None);
                seen.push(variable(&cfa, probed));
            }
        }
        said.push(name.clone());
    }
    visits.values_mut().for_each(|seen| seen.resize(said.len(), None));
    let constants = constants(&cfa);
    let mut rows = Vec::new();
    for seed in 0..RUNS {
        let mut watch = Watch { cfa: &cfa, visits: &visits, steps: 0, seen: Vec::new() };
        let done = run(&cfa, &mut Tried::new(seed, &constants), &mut watch, LIMITS);
        let first = done.reads.iter().find_map(|read| match read.request.origin {
            Origin::Input(input) => Some((read.request.step, seen(&cfa, read.value, result(&cfa, input)?)?)),
            _ => None,
        });
        for (step, mut row) in watch.seen {
            row.push(first.filter(|(read, _)| *read < step).map(|(_, value)| value));
            rows.push(row);
        }
        if rows.len() > MOST_ROWS {
            break;
        }
    }
    Ok((said, rows))
}

fn result(cfa: &Cfa, input: program::cfa::FunctionId) -> Option<TypeId> {
    match cfa.types.get(cfa.function(input).ty) {
        Type::Function(ty) => Some(ty.result.ty),
        _ => None,
    }
}

/// The variable that a probe reads.
fn variable(cfa: &Cfa, probed: &Probed) -> Option<(VarId, TypeId)> {
    let Expr::Load(place) = *cfa.exprs.get(probed.expr) else { return None };
    match *cfa.exprs.get(place) {
        Expr::Variable(variable) => Some((variable, cfa.variable(variable).ty.ty)),
        _ => None,
    }
}

/// A bit pattern as a number.
pub(crate) fn number(cfa: &Cfa, bits: u128, ty: TypeId) -> Option<i128> {
    match cfa.types.get(ty) {
        Type::Bool => i128::try_from(bits & 1).ok(),
        Type::Int { rank, signed } => {
            let width = u32::try_from(cfa.machine.int_size(*rank) * 8).ok().filter(|width| *width < 128)?;
            let value = i128::try_from(bits & ((1 << width) - 1)).ok()?;
            Some(if *signed && value >> (width - 1) & 1 == 1 { value - (1 << width) } else { value })
        }
        _ => None,
    }
}

/// A bit pattern as what a proposal can be about.
fn seen(cfa: &Cfa, bits: u128, ty: TypeId) -> Option<Seen> {
    match cfa.types.get(ty) {
        Type::Float(FloatKind::Float) => Some(Seen::Real(f64::from(f32::from_bits(u32::try_from(bits & 0xffff_ffff).ok()?)))),
        Type::Float(FloatKind::Double) => Some(Seen::Real(f64::from_bits(u64::try_from(bits & u128::from(u64::MAX)).ok()?))),
        _ => number(cfa, bits, ty).map(Seen::Whole),
    }
}

/// Notes what variables are when a place is passed.
struct Watch<'a> {
    cfa: &'a Cfa,
    visits: &'a BTreeMap<LocationId, Vec<Option<(VarId, TypeId)>>>,
    steps: usize,
    seen: Vec<(usize, Row)>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        self.steps += 1;
        // The edge that leaves a place shows what was there: it does nothing.
        let edge = self.cfa.edge(edge);
        if matches!(edge.operation, program::cfa::Operation::Blank)
            && self.seen.len() < MOST_ROWS
            && let Some(variables) = self.visits.get(&edge.source)
        {
            let value = |one: &Option<(VarId, TypeId)>| {
                let (variable, ty) = (*one)?;
                seen(self.cfa, state.scalar(variable)?, ty)
            };
            self.seen.push((self.steps, variables.iter().map(value).collect()));
        }
        ControlFlow::Continue(())
    }
}

/// Numbers that a program compares with.
pub(crate) fn thresholds(cfa: &Cfa) -> Vec<i128> {
    let signed = |bits: u128| {
        if bits >> 31 == 1 { i128::try_from(bits).ok().map(|value| value - (1 << 32)) } else { i128::try_from(bits).ok() }
    };
    let mut found: BTreeSet<i128> = BTreeSet::new();
    for id in cfa.exprs.ids() {
        if let Expr::Int(bits) = *cfa.exprs.get(id)
            && let Some(value) = signed(bits)
        {
            found.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
        }
    }
    found.extend([-128, 127, 255, -32768, 32767, 65535]);
    found.into_iter().collect()
}

/// Numbers that a program may compare floating-point numbers with, in order: its constants, and zero.
fn real_thresholds(cfa: &Cfa) -> Vec<f64> {
    let mut found = vec![0.0];
    for id in cfa.exprs.ids() {
        let value = match *cfa.exprs.get(id) {
            Expr::Float(bits) => seen(cfa, bits, cfa.exprs.ty(id)).and_then(Seen::real),
            // What is an integer in the text is converted where it is compared.
            Expr::Int(bits) => number(cfa, bits, cfa.exprs.ty(id)).and_then(|value| i32::try_from(value).ok()).map(f64::from),
            _ => None,
        };
        found.extend(value.filter(|value| value.is_finite()));
    }
    found.sort_by(f64::total_cmp);
    found
}

/// Proposals, each once, in the order in which they were made.
struct Proposals<'a> {
    families: &'a [Family],
    found: BTreeSet<String>,
    all: Vec<(&'static str, String)>,
}

impl Proposals<'_> {
    fn add(&mut self, family: Family, text: String) {
        if self.families.contains(&family) && self.found.insert(text.clone()) {
            self.all.push((family.name(), text));
        }
    }

    fn add_some(&mut self, family: Family, text: Option<String>) {
        text.into_iter().for_each(|text| self.add(family, text));
    }

    fn of_rows(&mut self, names: &[String], rows: &[Row], (thresholds, reals): (&[i128], &[f64])) {
        let whole = |row: &Row, at: usize| row[at]?.whole();
        for (at, name) in names.iter().enumerate() {
            let values: BTreeSet<i128> = rows.iter().filter_map(|row| whole(row, at)).collect();
            self.of_values(name, &values, thresholds);
            let values: Vec<f64> = rows.iter().filter_map(|row| row[at]?.real()).collect();
            self.of_reals(name, &values, reals);
        }
        for (a, first) in names.iter().enumerate() {
            for (b, second) in names.iter().enumerate().filter(|(b, _)| *b != a) {
                let pairs: BTreeSet<(i128, i128)> =
                    rows.iter().filter_map(|row| Some((whole(row, a)?, whole(row, b)?))).collect();
                self.of_pairs((first, second), (a, b), &pairs);
                let pairs: Vec<(f64, f64)> = rows.iter().filter_map(|row| Some((row[a]?.real()?, row[b]?.real()?))).collect();
                self.of_real_pairs((first, second), (a, b), &pairs);
            }
            let pairs: Vec<(Seen, Seen)> = rows.iter().filter_map(|row| Some((row[a]?, (*row.last()?)?))).collect();
            let is_one = pairs.iter().all(|(_, input)| input.against(pairs[0].1) == Some(Ordering::Equal));
            if !is_one && pairs.iter().all(|(a, b)| a.against(*b) == Some(Ordering::Equal)) {
                self.add(Family::Definition, format!("{first} == in(0)"));
            }
        }
    }

    fn of_values(&mut self, name: &str, values: &BTreeSet<i128>, thresholds: &[i128]) {
        let (Some(least), Some(most)) = (values.first().copied(), values.last().copied()) else { return };
        if least == most {
            self.add(Family::Constant, format!("{name} == {}", literal(least)));
        }
        self.add(Family::Bounds, format!("{name} >= {}", literal(least)));
        self.add(Family::Bounds, format!("{name} <= {}", literal(most)));
        if let Some(bound) = thresholds.iter().rev().find(|bound| **bound < least) {
            self.add(Family::Bounds, format!("{name} >= {}", literal(*bound)));
        }
        if let Some(bound) = thresholds.iter().find(|bound| **bound > most) {
            self.add(Family::Bounds, format!("{name} <= {}", literal(*bound)));
        }
        if values.len() > 1 {
            if values.iter().all(|value| value % 2 == 0) {
                self.add(Family::Parity, format!("{name} % 2 == 0"));
            }
            if values.iter().all(|value| value % 2 != 0) {
                self.add(Family::Parity, format!("{name} % 2 != 0"));
            }
        }
        self.add_some(Family::OneOf, shapes::one_of(name, values));
        self.add_some(Family::Mask, shapes::fixed_bits(name, values));
    }

    /// Bounds say that a number is none that C compares with nothing; `-0.0` and `0.0` are one.
    fn of_reals(&mut self, name: &str, values: &[f64], thresholds: &[f64]) {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return;
        }
        self.add_some(Family::SignBit, shapes::sign(name, values));
        let (least, most) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(*value), b.max(*value)));
        self.add(Family::Number, format!("{name} == {name}"));
        // `{:?}` is the shortest text that is read as this number, and always one of a floating-point constant.
        if least == most && least.is_finite() {
            self.add(Family::Constant, format!("{name} == {least:?}"));
        }
        let below = thresholds.iter().rev().find(|bound| **bound < least);
        for bound in [Some(&least), below].into_iter().flatten().filter(|bound| bound.is_finite()) {
            self.add(Family::Bounds, format!("{name} >= {bound:?}"));
        }
        let above = thresholds.iter().find(|bound| **bound > most);
        for bound in [Some(&most), above].into_iter().flatten().filter(|bound| bound.is_finite()) {
            self.add(Family::Bounds, format!("{name} <= {bound:?}"));
        }
    }

    fn of_real_pairs(&mut self, (first, second): (&str, &str), (a, b): (usize, usize), pairs: &[(f64, f64)]) {
        if pairs.len() < 2 {
            return;
        }
        if pairs.iter().all(|(a, b)| a == b) {
            if a < b {
                self.add(Family::Order, format!("{first} == {second}"));
            }
        } else if pairs.iter().all(|(a, b)| a < b) {
            self.add(Family::Order, format!("{first} < {second}"));
        } else if pairs.iter().all(|(a, b)| a <= b) {
            self.add(Family::Order, format!("{first} <= {second}"));
        }
    }

    fn of_pairs(&mut self, (first, second): (&str, &str), (a, b): (usize, usize), pairs: &BTreeSet<(i128, i128)>) {
        if pairs.len() < 2 {
            return;
        }
        let in_order = a < b;
        let all = |holds: &dyn Fn(i128, i128) -> bool| pairs.iter().all(|(a, b)| holds(*a, *b));
        if all(&|a, b| a == b) {
            if in_order {
                self.add(Family::Order, format!("{first} == {second}"));
            }
        } else if all(&|a, b| a < b) {
            self.add(Family::Order, format!("{first} < {second}"));
        } else if all(&|a, b| a <= b) {
            self.add(Family::Order, format!("{first} <= {second}"));
        }
        self.add_some(Family::Linear, shapes::line((first, second), pairs));
        let distances: BTreeSet<i128> = pairs.iter().map(|(a, b)| a - b).collect();
        if let (1, Some(distance)) = (distances.len(), distances.first())
            && in_order
            && *distance != 0
            && distance.abs() < 1000
        {
            let (sign, size) = if *distance > 0 { ('+', *distance) } else { ('-', -*distance) };
            self.add(Family::Definition, format!("{first} == {second} {sign} {size}"));
        }
    }
}
