//! Does a run come to where both versions part? One program that is both as long as they do the same, and then the original.
//!
//! Both versions are walked through at once. Where the next operations are the same in the common tables, there is one edge.
//! Conditions of one version only are looked at in the state both are in, as they change nothing. Any other operation of one
//! version only is a place where both part. A run that comes to no such place does the same in both versions, and is defined
//! and ends in one iff it does in the other but for endless loops without any effect.
//! Source: client-specific equivalence, the inactive case; operations are compared as sequences.

use std::collections::BTreeSet;
use std::collections::hash_map::Entry;

use program::cfa::{EdgeId, FunctionId, LocationId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::source::Span;
use program::types::{QualType, Type};
use rustc_hash::FxHashMap;

use super::checks::unset;
use super::compare::local;
use super::external::{Leaving, leaving};
use super::parts::{mentioning, operands, reachable};
use super::plan::{Pairing, Plan};
use super::writer::Writer;
use super::{PairError, empty};
use crate::Recast;
use crate::editor::Editor;
use crate::merge::{Apart, Merged, merge};

/// Calls that are told apart.
const MOST_CALLS: usize = 64;
/// Places of one function, in pairs.
const MOST_PLACES: usize = 20_000;

/// Both versions as far as they do the same, and from there on the original.
#[derive(Debug)]
pub struct Reached {
    /// The program.
    pub recast: Recast,
    /// Where both part: first in any call, then in each call from what is the same into what is not, where there are several.
    pub goals: Vec<(Option<EdgeId>, Vec<LocationId>)>,
    /// The name of the variable whose value is the number of the goal that is asked about, where there are several.
    pub choice: Option<String>,
}

/// Makes the program; `calls` are edges of the original program. `None` if both versions part before they start.
///
/// # Errors
/// [`PairError::TooLong`].
pub fn reached(pairing: &Pairing<'_>, plan: &Plan, calls: &[EdgeId]) -> Result<Option<Reached>, PairError> {
    let (original, modified) = (pairing.original, pairing.modified);
    let comparisons = std::slice::from_ref(pairing.comparison);
    let apart = Apart { functions: BTreeSet::new(), other_initials: true };
    let mut merged = merge(&[original, modified], comparisons, &apart).ok_or(PairError::TooLong)?;
    let mut plan = plan.clone();
    while plan.correct(pairing, &merged) {}
    let plan = &plan;
    if pairing.counterpart(original.entry) != Some(modified.entry) || plan.starts_apart(pairing) {
        return Ok(None);
    }
    let editor = empty(original, &mut merged);
    let calls = if calls.len() > MOST_CALLS { &[] } else { calls };
    let mentioning = [0, 1].map(|side| mentioning(pairing.cfa(side), plan.own(side)));
    let shared: BTreeSet<VarId> = modified
        .variable_ids()
        .filter(|id| !plan.is_own(1, *id))
        .map(|id| merged.maps[1].variable(id))
        .filter(|id| original.variable_ids().any(|other| merged.maps[0].variable(other) == *id))
        .collect();
    let mut walker = Walker {
        pairing,
        plan,
        merged,
        editor,
        calls,
        mentioning,
        shared,
        site: None,
        goals: Vec::new(),
        ends: FxHashMap::default(),
    };
    walker.build();
    let Walker { goals, editor, site, .. } = walker;
    let choice = site.map(|site| editor.parts.variables[site.choice.index()].name.to_string());
    Ok(Some(Reached { recast: editor.finish(), goals, choice }))
}

struct Walker<'a> {
    pairing: &'a Pairing<'a>,
    plan: &'a Plan,
    merged: Merged,
    editor: Editor,
    calls: &'a [EdgeId],
    /// Edges that mention what is another thing in both versions.
    mentioning: [BTreeSet<EdgeId>; 2],
    /// Variables that are one thing in both versions.
    shared: BTreeSet<VarId>,
    /// Where there are several calls, which one it is.
    site: Option<Site>,
    goals: Vec<(Option<EdgeId>, Vec<LocationId>)>,
    /// What leads to the error of a goal in a function, by the number of the goal: who looks for it asks once about all ways there.
    ends: FxHashMap<(usize, FunctionId), LocationId>,
}

/// The number of the call that a run is in, and that of the call that is asked about.
#[derive(Clone, Copy)]
struct Site {
    number: VarId,
    choice: VarId,
}

/// A function that is walked through: its places, by those of both versions.
struct Walk {
    function: FunctionId,
    /// Places of the original alone.
    alone: FxHashMap<LocationId, LocationId>,
    exits: (LocationId, LocationId),
    known: FxHashMap<(LocationId, LocationId), LocationId>,
    pending: Vec<(LocationId, LocationId)>,
    /// Locals of each version that may be read before they are written.
    unset: [BTreeSet<VarId>; 2],
}

impl Walker<'_> {
    fn build(&mut self) {
        let original = self.pairing.original;
        if self.calls.len() > 1 {
            let int = self.editor.int();
            let number = self.editor.ghost("site", QualType::plain(int));
            self.site = Some(Site { number, choice: self.editor.choice("asked", int) });
        }
        self.goals.push((None, Vec::new()));
        if self.calls.len() > 1 {
            self.goals.extend(self.calls.iter().map(|call| (Some(*call), Vec::new())));
        }
        for function in reachable(original, [original.entry]) {
            if self.plan.inside().contains(&function) {
                self.both(function);
            } else {
                self.one(function);
            }
        }
        self.editor.parts.entry = self.merged.maps[0].functions[original.entry.index()];
        self.editor.assumptions.clone_from(&original.assumptions);
    }

    /// A function that is the same in both versions.
    fn one(&mut self, own: FunctionId) {
        let cfa = self.pairing.original;
        let function = self.merged.maps[0].functions[own.index()];
        let (Some(entry), Some(exit)) = (cfa.function(own).entry, cfa.function(own).exit) else { return };
        let mut known: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        for at in [entry, exit] {
            let new = self.editor.location_in(function);
            known.entry(at).or_insert(new);
        }
        self.alone(function, entry, &mut known);
        let function = &mut self.editor.parts.functions[function.index()];
        (function.entry, function.exit) = (Some(known[&entry]), Some(known[&exit]));
    }

    /// The original from one of its places on.
    fn alone(&mut self, function: FunctionId, from: LocationId, known: &mut FxHashMap<LocationId, LocationId>) {
        let cfa = self.pairing.original;
        let mut pending = vec![from];
        while let Some(at) = pending.pop() {
            for edge in cfa.out_edges(at) {
                let target = cfa.edge(*edge).target;
                if let Entry::Vacant(new) = known.entry(target) {
                    new.insert(self.editor.location_in(function));
                    pending.push(target);
                }
                self.edge(0, *edge, known[&at], known[&target]);
            }
        }
    }

    /// An edge that both versions pass, or that changes nothing.
    fn edge(&mut self, side: usize, own: EdgeId, source: LocationId, target: LocationId) {
        let cfa = self.pairing.cfa(side);
        let at = self.spans(side, own);
        let operation = match leaving(cfa, own) {
            // Of a run that is not defined nothing is said, and an error is the end.
            Some(Leaving::Undefined(_) | Leaving::Abort) => Operation::Blank,
            _ => self.merged.operation(side, cfa.edge(own)),
        };
        let call = self.calls.iter().position(|call| side == 0 && *call == own);
        let Some((site, call)) = self.site.zip(call) else {
            let new = self.editor.add(source, target, operation, at);
            self.editor.origin[new.index()] = Some((u8::from(side == 1), own));
            return;
        };
        // Behind the call it is again the one that it was.
        let (int, function) = (self.editor.int(), self.editor.parts.locations[source.index()].function);
        let before = local(&mut self.editor, function, "site", int);
        let mut writer = Writer { editor: &mut self.editor, here: source, at };
        let last = writer.editor.load(site.number);
        writer.set(before, last);
        let number = writer.editor.number(int, call as u128 + 1);
        writer.set(site.number, number);
        let here = writer.here;
        let behind = self.editor.location_beside(here);
        let new = self.editor.add(here, behind, operation, at);
        self.editor.origin[new.index()] = Some((0, own));
        let mut writer = Writer { editor: &mut self.editor, here: behind, at };
        let last = writer.editor.load(before);
        writer.set(site.number, last);
        writer.lead(target);
    }

    fn spans(&self, side: usize, edge: EdgeId) -> (Span, Span) {
        let edge = self.pairing.cfa(side).edge(edge);
        (self.merged.span(side, edge.span), self.merged.span(side, edge.statement))
    }

    /// A function that is not.
    fn both(&mut self, own: FunctionId) {
        let (original, modified) = (self.pairing.original, self.pairing.modified);
        let function = self.merged.maps[0].functions[own.index()];
        let begin = self.editor.location_in(function);
        let end = self.editor.location_in(function);
        let known = &mut self.editor.parts.functions[function.index()];
        (known.entry, known.exit) = (Some(begin), Some(end));
        let twin = self.pairing.counterpart(own).filter(|twin| self.merged.maps[1].functions[twin.index()] == function);
        let places = twin.and_then(|twin| {
            let (ours, theirs) = (original.function(own), modified.function(twin));
            Some(((ours.entry?, theirs.entry?), (ours.exit?, theirs.exit?), twin))
        });
        let Some((entries, exits, twin)) = places else {
            let mut known = FxHashMap::default();
            known.extend(original.function(own).exit.map(|exit| (exit, end)));
            let Some(entry) = original.function(own).entry else { return };
            let start = self.editor.location_in(function);
            known.insert(entry, start);
            self.alone(function, entry, &mut known);
            self.part(begin, start, (Span::default(), Span::default()));
            return;
        };
        let mut walk = Walk {
            function,
            alone: [(exits.0, end)].into_iter().collect(),
            exits,
            known: FxHashMap::default(),
            pending: vec![entries],
            unset: [unset(original, own), unset(modified, twin)],
        };
        walk.known.insert(entries, begin);
        walk.known.insert(exits, end);
        while let Some(at) = walk.pending.pop() {
            self.step(&mut walk, at);
        }
    }

    /// What both versions do at a place of each.
    fn step(&mut self, walk: &mut Walk, at: (LocationId, LocationId)) {
        let (original, modified) = (self.pairing.original, self.pairing.modified);
        let here = walk.known[&at];
        let edges = [original.out_edges(at.0).to_vec(), modified.out_edges(at.1).to_vec()];
        let is_over = edges.iter().all(Vec::is_empty);
        if is_over && at == walk.exits {
            return;
        }
        let is_full = walk.known.len() > MOST_PLACES;
        let ends = (at.0 == walk.exits.0, at.1 == walk.exits.1);
        if is_over && !ends.0 && !ends.1 && original.location(at.0).is_error == modified.location(at.1).is_error {
            // Neither goes on: what was called does not return.
            return;
        }
        if !is_over && !is_full && self.is_same(&edges) {
            for (edge, twin) in edges[0].iter().zip(&edges[1]) {
                let target = self.place(walk, (original.edge(*edge).target, modified.edge(*twin).target));
                self.edge(0, *edge, here, target);
            }
            return;
        }
        let silent = (0..2).find(|side| self.is_silent(*side, &edges[*side], &walk.unset[*side]));
        let Some(side) = silent.filter(|_| !is_full) else {
            let start = at.0;
            let edge = edges[1].first().map(|edge| (1, *edge)).or(edges[0].first().map(|edge| (0, *edge)));
            let at = edge.map_or((Span::default(), Span::default()), |(side, edge)| self.spans(side, edge));
            let (place, is_new) = match walk.alone.get(&start) {
                Some(known) => (*known, false),
                None => (self.editor.location_in(walk.function), true),
            };
            if is_new {
                walk.alone.insert(start, place);
                self.alone(walk.function, start, &mut walk.alone);
            }
            self.part(here, place, at);
            return;
        };
        for edge in &edges[side] {
            let next = self.pairing.cfa(side).edge(*edge);
            let target = self.place(walk, if side == 0 { (next.target, at.1) } else { (at.0, next.target) });
            if matches!(next.operation, Operation::Assume { .. }) {
                self.edge(side, *edge, here, target);
            } else {
                let at = self.spans(side, *edge);
                self.editor.add(here, target, Operation::Blank, at);
            }
        }
    }

    fn place(&mut self, walk: &mut Walk, at: (LocationId, LocationId)) -> LocationId {
        if let Some(known) = walk.known.get(&at) {
            return *known;
        }
        let new = self.editor.location_in(walk.function);
        walk.known.insert(at, new);
        walk.pending.push(at);
        new
    }

    /// Whether both versions do the same next.
    fn is_same(&self, edges: &[Vec<EdgeId>; 2]) -> bool {
        let (original, modified) = (self.pairing.original, self.pairing.modified);
        edges[0].len() == edges[1].len()
            && edges[0].iter().zip(&edges[1]).all(|(edge, twin)| {
                let (mine, theirs) = (original.edge(*edge), modified.edge(*twin));
                let is_opaque = matches!(mine.operation, Operation::Unsupported { .. });
                let is_own = self.mentioning[0].contains(edge) || self.mentioning[1].contains(twin);
                let enters = (original.entered_callee(*edge).is_some(), modified.entered_callee(*twin).is_some());
                let errors = (original.location(mine.target).is_error, modified.location(theirs.target).is_error);
                !is_opaque
                    && !is_own
                    && enters.0 == enters.1
                    && errors.0 == errors.1
                    && self.merged.operation(0, mine) == self.merged.operation(1, theirs)
                    && self.pairing.comparison.identical(*twin, *edge)
            })
    }

    /// Whether what one version does next changes nothing, and is defined.
    fn is_silent(&self, side: usize, edges: &[EdgeId], unset: &BTreeSet<VarId>) -> bool {
        let cfa = self.pairing.cfa(side);
        !edges.is_empty()
            && edges.iter().all(|edge| match &cfa.edge(*edge).operation {
                Operation::Assume { condition, .. } => self.is_plain(side, *condition, unset),
                Operation::Blank => true,
                Operation::Declare { variable } => !self.shared.contains(&self.merged.maps[side].variable(*variable)),
                Operation::Assign { .. }
                | Operation::Havoc { .. }
                | Operation::Call { .. }
                | Operation::Return { .. }
                | Operation::Asm(_)
                | Operation::Unsupported { .. } => false,
            })
    }

    /// Whether the value of an expression is there in the state of both versions, whatever it is.
    fn is_plain(&self, side: usize, expr: ExprId, unset: &BTreeSet<VarId>) -> bool {
        let cfa = self.pairing.cfa(side);
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            let ty = cfa.exprs.ty(expr);
            match *cfa.exprs.get(expr) {
                Expr::Load(place) => {
                    let Expr::Variable(id) = *cfa.exprs.get(place) else { return false };
                    let variable = cfa.variable(id);
                    let is_written = match variable.kind {
                        VarKind::Local => !variable.address_taken && !unset.contains(&id) && is_scalar(cfa.types.get(ty)),
                        _ => true,
                    };
                    let is_shared = self.shared.contains(&self.merged.maps[side].variable(id));
                    if !is_written || !is_shared || variable.ty.qualifiers.is_volatile {
                        return false;
                    }
                }
                Expr::Cast(inner) => {
                    let from_float = matches!(cfa.types.get(cfa.exprs.ty(inner)), Type::Float(_));
                    if from_float && !matches!(cfa.types.get(ty), Type::Float(_)) {
                        return false;
                    }
                    pending.push(inner);
                }
                ref simple @ (Expr::Int(_) | Expr::Float(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..)) => {
                    pending.extend(operands(simple).into_iter().flatten());
                }
                Expr::Zero
                | Expr::FunctionAddress(_)
                | Expr::Variable(_)
                | Expr::AddressOf(_)
                | Expr::Dereference { .. }
                | Expr::Field(..)
                | Expr::Index(..)
                | Expr::PointerOffset { .. }
                | Expr::PointerDifference { .. } => return false,
            }
        }
        true
    }

    /// Both versions part here: an error location for each call that it may be. The original goes on.
    fn part(&mut self, here: LocationId, original: LocationId, at: (Span, Span)) {
        let Some(site) = self.site else {
            self.end(0, here, at);
            return;
        };
        let int = self.editor.int();
        let mut here = here;
        let turn = |walker: &mut Self, here: LocationId, variable: VarId, number: usize| {
            let value = walker.editor.load(variable);
            let own = walker.editor.number(int, number as u128);
            let is_it = walker.editor.equal(value, own);
            let (yes, no) = (walker.editor.location_beside(here), walker.editor.location_beside(here));
            walker.editor.branch(here, is_it, (yes, no), at);
            (yes, no)
        };
        for number in 0..self.goals.len() {
            let (mut asked, no) = turn(self, here, site.choice, number);
            if number > 0 {
                let (inside, outside) = turn(self, asked, site.number, number);
                self.editor.add(outside, original, Operation::Blank, at);
                asked = inside;
            }
            self.end(number, asked, at);
            here = no;
        }
        self.editor.add(here, original, Operation::Blank, at);
    }

    /// The error of a goal.
    fn end(&mut self, number: usize, here: LocationId, at: (Span, Span)) {
        let function = self.editor.parts.locations[here.index()].function;
        let end = match self.ends.entry((number, function)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let end = *new.insert(self.editor.location_in(function));
                self.goals[number].1.push(self.editor.error_behind(end, None, at));
                end
            }
        };
        self.editor.add(here, end, Operation::Blank, at);
    }
}

fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_) | Type::Enum(_))
}
