//! What expressions are when a point is passed: numbers that runs of a version show.
//!
//! Does not know why they are wanted; what was not seen may be nevertheless.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, LocationId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::source::Span;
use program::types::{QualType, TypeId};
use semantics::interpreter::{DataState, Inputs, Limits, Observer, run};
use transform::Editor;

use crate::families::number;
use crate::prepare::{Conditions, Meaning, Prepared};

/// Bounds of a run, and the visits of a point that are noted.
const LIMITS: Limits = Limits { steps: 200_000, memory: 64 << 20, skips_library: false };
const MOST_ROWS: usize = 4000;

/// Values of all expressions at a visit; none where one has no value.
pub(crate) type Row = Vec<Option<i128>>;

/// A version that notes expressions.
pub(crate) struct Observed {
    cfa: Cfa,
    /// By the edge that shows them, the variables that hold them.
    shown: BTreeMap<EdgeId, Vec<Option<Noted>>>,
}

/// A variable that holds a value, and one that says whether it does.
#[derive(Clone, Copy)]
struct Noted {
    value: VarId,
    ty: TypeId,
    known: VarId,
}

/// The text of the fact that makes an expression one to be noted.
pub(crate) fn noted(text: &str) -> String {
    format!("({text}) != 0")
}

impl Observed {
    /// The version with the expressions of some of its facts, whose texts are those of [`noted`].
    pub(crate) fn new(prepared: &Prepared, facts: &[usize]) -> Self {
        let mut editor = Editor::new(&prepared.cfa);
        let mut at: BTreeMap<LocationId, Vec<Option<ExprId>>> = BTreeMap::new();
        for (column, fact) in facts.iter().enumerate() {
            let none = Conditions::new();
            let holds = match &prepared.facts[*fact] {
                Meaning::Says { holds, traps: false, .. } => holds,
                _ => &none,
            };
            for (location, condition) in holds {
                let row = at.entry(*location).or_insert_with(|| vec![None; facts.len()]);
                row[column] = Some(*condition);
            }
        }
        let place = (Span::default(), Span::default());
        let mut shown = BTreeMap::new();
        for (location, conditions) in at {
            let behind = editor.before(location);
            let mut here = location;
            let mut variables = Vec::new();
            for condition in conditions {
                let parts = condition.and_then(|condition| parts(&prepared.cfa, condition));
                variables.push(parts.map(|(when, value)| {
                    let (next, noted) = note(&mut editor, here, (&when, value));
                    here = next;
                    noted
                }));
            }
            let edge = editor.add(here, behind, Operation::Blank, place);
            shown.insert(edge, variables);
        }
        Self { shown, cfa: editor.finish().cfa }
    }

    /// The program that is executed.
    pub(crate) fn cfa(&self) -> &Cfa {
        &self.cfa
    }

    /// What a run shows.
    pub(crate) fn run(&self, inputs: &mut dyn Inputs) -> Vec<Row> {
        let mut watch = Watch { observed: self, rows: Vec::new() };
        let done = run(&self.cfa, inputs, &mut watch, LIMITS);
        // What depends on where objects lie need not be so elsewhere.
        if done.looks_at_addresses { Vec::new() } else { watch.rows }
    }
}

fn set(editor: &mut Editor, (from, to): (LocationId, LocationId), variable: VarId, value: u128) {
    let place = editor.place(variable);
    let ty = editor.type_of(place);
    let value = editor.number(ty, value);
    editor.add(from, to, Operation::Assign { place, value }, (Span::default(), Span::default()));
}

/// Notes an expression where some conditions are as they should be; returns where that ends.
fn note(editor: &mut Editor, here: LocationId, (when, value): (&[(ExprId, bool)], ExprId)) -> (LocationId, Noted) {
    let (ty, int, place) = (editor.type_of(value), editor.int(), (Span::default(), Span::default()));
    let noted =
        Noted { value: editor.ghost("noted", QualType::plain(ty)), ty, known: editor.ghost("known", QualType::plain(int)) };
    let (next, mut at) = (editor.location_beside(here), editor.location_beside(here));
    set(editor, (here, at), noted.known, 0);
    for (condition, wanted) in when {
        let behind = editor.location_beside(here);
        let condition = editor.truth(*condition);
        let ways = if *wanted { (behind, next) } else { (next, behind) };
        editor.branch(at, condition, ways, place);
        at = behind;
    }
    let behind = editor.location_beside(here);
    let target = editor.place(noted.value);
    editor.add(at, behind, Operation::Assign { place: target, value }, place);
    set(editor, (behind, next), noted.known, 1);
    (next, noted)
}

/// The expression behind a noted fact, and what has to hold and what must not where it has a value.
fn parts(cfa: &Cfa, condition: ExprId) -> Option<(Vec<(ExprId, bool)>, ExprId)> {
    let (mut when, mut at) = (Vec::new(), condition);
    loop {
        match *cfa.exprs.get(at) {
            Expr::Binary(BinaryOp::NotEqual, value, zero) if *cfa.exprs.get(zero) == Expr::Int(0) => {
                // The truth of a condition is that of what it is about.
                if !matches!(cfa.exprs.get(value), Expr::Conditional(..)) {
                    return Some((when, value));
                }
                at = value;
            }
            Expr::Conditional(condition, holds, otherwise) if *cfa.exprs.get(otherwise) == Expr::Int(1) => {
                when.push((condition, true));
                at = holds;
            }
            Expr::Conditional(condition, holds, otherwise) if *cfa.exprs.get(holds) == Expr::Int(1) => {
                when.push((condition, false));
                at = otherwise;
            }
            _ => return None,
        }
    }
}

struct Watch<'a> {
    observed: &'a Observed,
    rows: Vec<Row>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        if let Some(variables) = self.observed.shown.get(&edge)
            && self.rows.len() < MOST_ROWS
        {
            let value = |one: &Option<Noted>| {
                let noted = (*one)?;
                (state.scalar(noted.known)? != 0).then_some(())?;
                number(&self.observed.cfa, state.scalar(noted.value)?, noted.ty)
            };
            let row: Row = variables.iter().map(value).collect();
            self.rows.push(row);
        }
        ControlFlow::Continue(())
    }
}
