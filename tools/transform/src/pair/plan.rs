//! What is inside the boundary.

use std::collections::BTreeSet;
use std::rc::Rc;

use program::cfa::{Cfa, ConstantValue, EdgeId, FunctionId, InitialScalar, Linkage, Operation, VarId, VarKind};
use rustc_hash::FxHashMap;
use semantics::compare::{Comparison, Side};

use super::Functions;
use super::condition::Condition;
use super::handed::{addresses, handed_out};
use super::parts::{mentions, reachable};
use crate::merge::Merged;

/// Two programs and what is the same in them.
#[derive(Debug)]
pub struct Pairing<'a> {
    /// The original program.
    pub original: &'a Cfa,
    /// The modified program.
    pub modified: &'a Cfa,
    /// How they compare.
    pub comparison: &'a Comparison<'a>,
    /// For each function of the original program that of the modified.
    back: Vec<Option<FunctionId>>,
    /// Functions of the original program, with a body each, that are the same operation by operation, and which edges are which.
    same: FxHashMap<FunctionId, Vec<(EdgeId, EdgeId)>>,
    /// Functions from which the entry function is called with arguments that are made.
    made: Option<FunctionId>,
}

/// The functions inside the boundary.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub(super) original: Functions,
    pub(super) modified: Functions,
    /// Variables of the original and of the modified program that are none of the other one.
    pub(super) own: [BTreeSet<VarId>; 2],
    /// Calls of functions with loops in both versions are written side by side.
    pub(super) in_turns: bool,
    /// Functions of the original program that do the same as their counterparts wherever they are given the same.
    pub(super) summaries: Functions,
    /// The function whose bodies are compared with any arguments, to know that.
    pub(super) lemma: Option<FunctionId>,
    /// The only call from outside that is compared; others are calls of the original.
    pub(super) only: Option<EdgeId>,
    /// Where a call is one of the original although it would be compared.
    pub(super) unless: Option<Condition>,
    /// Variables of both programs that have any value before that, the same in both.
    pub(super) state: BTreeSet<(VarId, VarId)>,
    /// Functions that code outside may call and that are not the same.
    pub(super) handed: Rc<Handed>,
}

/// What code outside may call of what is not the same: the addresses of functions get there.
#[derive(Clone, Debug, Default)]
pub struct Handed {
    /// Functions of the original program that have a counterpart.
    pub functions: BTreeSet<FunctionId>,
    /// Functions of one version only, by their names.
    pub alone: BTreeSet<String>,
    /// The program itself comes to nothing that changed.
    pub only: bool,
}

impl<'a> Pairing<'a> {
    /// Compares two programs function by function.
    #[must_use]
    pub fn new(comparison: &'a Comparison<'a>) -> Self {
        let (original, modified) = (comparison.original, comparison.modified);
        let mut back = vec![None; original.functions.len()];
        for function in modified.function_ids() {
            if let Some(other) = comparison.correspondence().strict_function(function) {
                back[other.index()] = Some(function);
            }
        }
        let mut same = FxHashMap::default();
        for function in original.function_ids() {
            if let Some(other) = back[function.index()]
                && let Some(edges) = walk(comparison, function, other)
            {
                same.insert(function, edges);
            }
        }
        let is_made = *original.function(original.entry).name != *original.options.entry;
        let made = is_made.then_some(original.entry);
        Self { original, modified, comparison, back, same, made }
    }

    /// The function that calls the entry function with arguments that were made.
    #[must_use]
    pub fn made_caller(&self) -> Option<FunctionId> {
        self.made
    }

    /// The entry function, called by what was made or by nobody.
    #[must_use]
    pub fn real_entry(&self) -> FunctionId {
        let called = |made: FunctionId| {
            let edges =
                self.original.edge_ids().filter(|edge| self.original.location(self.original.edge(*edge).source).function == made);
            let mut callees = edges.filter_map(|edge| self.original.entered_callee(edge));
            callees.find(|callee| *self.original.function(*callee).name == *self.original.options.entry)
        };
        self.made.and_then(called).unwrap_or(self.original.entry)
    }

    /// Whether a function of the original program is not the same in the modified one.
    #[must_use]
    pub fn differs(&self, original: FunctionId) -> bool {
        !self.same.contains_key(&original)
    }

    /// The function of the modified program that one of the original is.
    #[must_use]
    pub fn counterpart(&self, original: FunctionId) -> Option<FunctionId> {
        self.back[original.index()]
    }

    /// The same edges of a function that is the same in both programs.
    pub(super) fn edges(&self, original: FunctionId) -> &[(EdgeId, EdgeId)] {
        self.same.get(&original).map_or(&[], Vec::as_slice)
    }

    /// The smallest boundary: all that changed, and all it calls. `None` if nothing changed that the program comes to.
    #[must_use]
    pub fn changes(&self) -> Option<Plan> {
        let mut plan = Plan { own: self.own_variables(), ..Plan::default() };
        // Such a global is seen at the end even if nobody reads it.
        if plan.starts_apart(self) {
            plan.original.insert(self.real_entry());
        }
        // What is not understood may do something else although nothing else differs.
        if !self.original.leaves_open_what(self.modified) {
            let opaque = |edge: &EdgeId| matches!(self.original.edge(*edge).operation, Operation::Unsupported { .. });
            let edges = self.original.edge_ids().filter(opaque);
            plan.original.extend(edges.map(|edge| self.original.location(self.original.edge(edge).source).function));
        }
        self.complete(&mut plan);
        let mut handed = self.handed(&plan);
        let reached = |cfa: &Cfa, functions: &Functions| reachable(cfa, [cfa.entry]).intersection(functions).next().is_some();
        let changed = reached(self.original, &plan.original) || reached(self.modified, &plan.modified);
        let entries = self.comparison.correspondence().strict_function(self.modified.entry) == Some(self.original.entry);
        handed.only = !changed && entries;
        let is_some = !handed.only || !handed.is_empty();
        plan.handed = Rc::new(handed);
        is_some.then_some(plan)
    }

    /// What of a boundary code outside may come to by itself.
    fn handed(&self, plan: &Plan) -> Handed {
        let mut handed = Handed::default();
        let correspondence = self.comparison.correspondence();
        for side in 0..2 {
            let cfa = self.cfa(side);
            let inside = [&plan.original, &plan.modified][side];
            if reachable(cfa, addresses(cfa)).is_disjoint(inside) {
                continue;
            }
            let Some(entry) = (if side == 0 { Some(self.real_entry()) } else { self.counterpart(self.real_entry()) }) else {
                continue;
            };
            let made = self.made.is_some().then_some(cfa.entry);
            let mentions = mentions(cfa, &plan.own[side]);
            let mut seen = Functions::new();
            let mut pending: Vec<FunctionId> = handed_out(cfa, entry, made).into_iter().collect();
            while let Some(function) = pending.pop() {
                if cfa.function(function).entry.is_none() || !seen.insert(function) {
                    continue;
                }
                let original = if side == 0 { Some(function) } else { correspondence.strict_function(function) };
                match original.filter(|original| self.counterpart(*original).is_some()) {
                    Some(original) if self.differs(original) || mentions.contains(&function) || self.is_open(cfa, function) => {
                        handed.functions.insert(original);
                    }
                    Some(_) => pending.extend(callees(cfa, function)),
                    None => _ = handed.alone.insert(cfa.function(function).name.to_string()),
                }
            }
        }
        handed
    }

    /// Whether a function has what is not understood, and may be another thing in each version.
    fn is_open(&self, cfa: &Cfa, function: FunctionId) -> bool {
        let is_opaque = |edge: EdgeId| {
            let edge = cfa.edge(edge);
            cfa.location(edge.source).function == function && matches!(edge.operation, Operation::Unsupported { .. })
        };
        !self.original.leaves_open_what(self.modified) && cfa.edge_ids().any(is_opaque)
    }

    /// A larger boundary: the callers too. `None` if it is the largest.
    #[must_use]
    pub fn grown(&self, plan: &Plan) -> Option<Plan> {
        let mut larger = plan.clone();
        let outside = reachable(self.original, [self.original.entry]);
        let calls_inside = |function: &FunctionId| {
            let edges = self.edges(*function).iter();
            let mut callees = edges.filter_map(|(edge, _)| self.original.entered_callee(*edge));
            callees.any(|callee| plan.original.contains(&callee))
        };
        let callers =
            outside.difference(&plan.original).filter(|function| calls_inside(function) && self.made != Some(**function));
        larger.original.extend(callers.copied().collect::<Vec<_>>());
        self.complete(&mut larger);
        (larger.original.len() > plan.original.len()).then_some(larger)
    }

    /// The largest boundary: the entry function.
    #[must_use]
    pub fn whole(&self, plan: &Plan) -> Plan {
        let mut whole = plan.clone();
        while let Some(larger) = self.grown(&whole) {
            whole = larger;
        }
        whole
    }

    /// Variables that are not the same in both programs.
    pub(super) fn own_variables(&self) -> [BTreeSet<VarId>; 2] {
        let (comparison, correspondence) = (self.comparison, self.comparison.correspondence());
        let side = |side: Side, cfa: &Cfa| -> BTreeSet<VarId> {
            let named = comparison.differing_globals();
            let is_named = |id: &VarId| {
                let variable = cfa.variable(*id);
                !variable.is_automatic() && named.contains(&variable.name)
            };
            comparison.without_counterpart(side).iter().copied().chain(cfa.variable_ids().filter(is_named)).collect()
        };
        let mut own = [side(Side::Original, self.original), side(Side::Modified, self.modified)];
        for variable in comparison.initially_different() {
            own[1].insert(*variable);
            own[0].extend(correspondence.content(*variable));
        }
        // What is seen at the end counts even if nobody mentions it.
        for id in self.modified.variable_ids() {
            let Some(other) = correspondence.content(id) else { continue };
            if !self.modified.variable(id).is_automatic() && !self.starts_alike(other, id) {
                own[0].insert(other);
                own[1].insert(id);
            }
        }
        for (side, own) in own.iter_mut().enumerate() {
            for id in self.cfa(side).variable_ids().collect::<Vec<_>>() {
                let other = if side == 1 { correspondence.content(id) } else { correspondence.content_back(id) };
                if !self.cfa(side).variable(id).is_automatic() && other.is_none() {
                    own.insert(id);
                }
            }
        }
        self.spread(&mut own);
        own
    }

    /// Whether two variables have the same initial value.
    fn starts_alike(&self, original: VarId, modified: VarId) -> bool {
        let correspondence = self.comparison.correspondence();
        let (a, b) = (&self.original.variable(original).initializer, &self.modified.variable(modified).initializer);
        let (Some(a), Some(b)) = (a, b) else { return a.is_none() && b.is_none() };
        let same = |(a, b): (&InitialScalar, &InitialScalar)| {
            let values = match (&a.value, &b.value) {
                (ConstantValue::Address { variable: x, offset: i }, ConstantValue::Address { variable: y, offset: j }) => {
                    i == j && correspondence.content(*y).is_some_and(|known| known == *x || self.is_same_literal(*x, *y))
                }
                (ConstantValue::Function(x), ConstantValue::Function(y)) => correspondence.strict_function(*y) == Some(*x),
                (x, y) => x == y,
            };
            (a.first_bit, a.width) == (b.first_bit, b.width) && values
        };
        let counts = |scalar: &&InitialScalar| !matches!(scalar.value, ConstantValue::Int(0) | ConstantValue::Float(0));
        let (xs, ys): (Vec<_>, Vec<_>) = (a.scalars.iter().filter(counts).collect(), b.scalars.iter().filter(counts).collect());
        let is_said = a.unsupported.is_none() && b.unsupported.is_none() || self.original.leaves_open_what(self.modified);
        is_said && xs.len() == ys.len() && xs.into_iter().zip(ys).all(same)
    }

    fn is_same_literal(&self, original: VarId, modified: VarId) -> bool {
        let (original, modified) = (self.original.variable(original), self.modified.variable(modified));
        let kinds = (&original.kind, &modified.kind);
        original.identity == modified.identity
            && matches!(kinds, (VarKind::StringLiteral(a), VarKind::StringLiteral(b)) if a == b)
    }

    /// A variable that starts with the address of another is as different as that, and so is its counterpart.
    fn spread(&self, own: &mut [BTreeSet<VarId>; 2]) {
        let correspondence = self.comparison.correspondence();
        loop {
            let before = own[0].len() + own[1].len();
            for (side, own) in own.iter_mut().enumerate() {
                let cfa = self.cfa(side);
                for id in cfa.variable_ids() {
                    let scalars = cfa.variable(id).initializer.iter().flat_map(|initializer| &initializer.scalars);
                    let mut values = scalars.map(|scalar| &scalar.value);
                    if values.any(|value| matches!(value, ConstantValue::Address { variable, .. } if own.contains(variable))) {
                        own.insert(id);
                    }
                }
            }
            let other: Vec<VarId> = own[1].iter().filter_map(|id| correspondence.content(*id)).collect();
            own[0].extend(other);
            let other: Vec<VarId> = own[0].iter().filter_map(|id| correspondence.content_back(*id)).collect();
            own[1].extend(other);
            if own[0].len() + own[1].len() == before {
                return;
            }
        }
    }

    pub(super) fn cfa(&self, side: usize) -> &'a Cfa {
        if side == 0 { self.original } else { self.modified }
    }

    /// Adds what must be inside: what is not the same, and all that is called from inside.
    fn complete(&self, plan: &mut Plan) {
        for side in 0..2 {
            let cfa = self.cfa(side);
            let mentions = mentions(cfa, &plan.own[side]);
            for function in cfa.function_ids().filter(|id| cfa.function(*id).entry.is_some()) {
                let is_same = if side == 0 {
                    self.same.contains_key(&function)
                } else {
                    let other = self.comparison.correspondence().strict_function(function);
                    other.is_some_and(|other| self.same.contains_key(&other))
                };
                if !is_same || mentions.contains(&function) {
                    plan.side(side).insert(function);
                }
            }
        }
        loop {
            let before = plan.original.len() + plan.modified.len();
            for side in 0..2 {
                let inside = reachable(self.cfa(side), plan.side(side).iter().copied());
                plan.side(side).extend(inside);
            }
            let back: Vec<FunctionId> = plan.original.iter().filter_map(|id| self.counterpart(*id)).collect();
            plan.modified.extend(back.into_iter().filter(|id| self.modified.function(*id).entry.is_some()));
            let correspondence = self.comparison.correspondence();
            let other: Vec<FunctionId> = plan.modified.iter().filter_map(|id| correspondence.strict_function(*id)).collect();
            plan.original.extend(other.into_iter().filter(|id| self.original.function(*id).entry.is_some()));
            if plan.original.len() + plan.modified.len() == before {
                return;
            }
        }
    }
}

impl Handed {
    /// Whether there is no such function.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.alone.is_empty()
    }
}

impl Plan {
    /// The functions of the original program that are inside.
    #[must_use]
    pub fn inside(&self) -> &BTreeSet<FunctionId> {
        &self.original
    }

    /// The functions of the modified program that are inside.
    #[must_use]
    pub fn inside_modified(&self) -> &BTreeSet<FunctionId> {
        &self.modified
    }

    /// What code outside may call, and do something else in each version, although no caller in the program shows it.
    #[must_use]
    pub fn handed(&self) -> &Handed {
        &self.handed
    }

    /// The same boundary, where it is known of some functions that they do the same as their counterparts.
    #[must_use]
    pub fn knowing(&self, summaries: &BTreeSet<FunctionId>) -> Self {
        Self { summaries: summaries.clone(), ..self.clone() }
    }

    /// The question whether one function does the same as its counterpart, given that some do in its place.
    #[must_use]
    pub fn lemma(&self, function: FunctionId, summaries: &BTreeSet<FunctionId>) -> Self {
        Self { lemma: Some(function), ..self.knowing(summaries) }
    }

    /// The same boundary, where both versions are compared in one call of the original program and every other one from outside
    /// is a call of the original.
    #[must_use]
    pub fn only_at(&self, call: EdgeId) -> Self {
        Self { only: Some(call), ..self.clone() }
    }

    /// The same boundary, where calls whose arguments satisfy a condition are calls of the original. The condition is about the
    /// parameters of what is called at the only call that is compared ([`Self::only_at`]).
    #[must_use]
    pub fn unless(&self, condition: Condition) -> Self {
        Self { unless: Some(condition), ..self.clone() }
    }

    /// The function of the original program that is known to do the same, if a version calls that or its counterpart.
    pub(super) fn summary(&self, pairing: &Pairing<'_>, version: usize, callee: FunctionId) -> Option<FunctionId> {
        let own = |function: &FunctionId| match version {
            0 => *function == callee,
            _ => pairing.counterpart(*function) == Some(callee),
        };
        self.summaries.iter().copied().find(own)
    }

    /// The same boundary, with both versions of what has loops side by side.
    #[must_use]
    pub fn in_turns(&self) -> Self {
        Self { in_turns: true, ..self.clone() }
    }

    fn side(&mut self, side: usize) -> &mut Functions {
        if side == 0 { &mut self.original } else { &mut self.modified }
    }

    /// Variables of a version that have no counterpart that starts as they do.
    pub(super) fn own(&self, side: usize) -> &BTreeSet<VarId> {
        &self.own[side]
    }

    /// Whether something that is seen at the end is another thing in both versions.
    pub(super) fn starts_apart(&self, pairing: &Pairing<'_>) -> bool {
        let names = |side: usize| -> BTreeSet<&str> {
            let cfa = pairing.cfa(side);
            self.own[side].iter().filter(|id| is_seen(cfa, **id)).map(|id| &*cfa.variable(*id).name).collect()
        };
        !names(0).is_disjoint(&names(1))
    }

    /// Whether a variable has no counterpart that starts as it does.
    pub(super) fn is_own(&self, side: usize, variable: VarId) -> bool {
        self.own[side].contains(&variable)
    }

    /// The functions of the modified program that have to be apart from those of the original.
    pub(super) fn apart(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.modified.iter().copied()
    }

    /// Whether the caller that was made is inside: then nobody is left to look at what its pointers lead to.
    pub(super) fn is_beyond(&self, pairing: &Pairing<'_>) -> bool {
        pairing.made.is_some_and(|made| self.original.contains(&made))
    }

    /// Takes inside what the common tables did not make one although it is the same. Whether there was such a thing.
    pub(super) fn correct(&mut self, pairing: &Pairing<'_>, merged: &Merged) -> bool {
        let before = (self.original.len() + self.modified.len(), self.own[0].len() + self.own[1].len());
        let correspondence = pairing.comparison.correspondence();
        let [first, second] = &merged.maps[..] else { return false };
        for id in pairing.modified.variable_ids() {
            let variable = pairing.modified.variable(id);
            let is_literal = matches!(variable.kind, VarKind::StringLiteral(_));
            let Some(other) = correspondence.content(id).filter(|_| variable.function.is_none()) else { continue };
            if first.variable(other) != second.variable(id) && !is_literal {
                self.own[0].insert(other);
                self.own[1].insert(id);
            }
        }
        for id in pairing.modified.function_ids() {
            let Some(other) = correspondence.strict_function(id) else { continue };
            let has_body = pairing.modified.function(id).entry.is_some();
            if has_body && !self.modified.contains(&id) && first.functions[other.index()] != second.functions[id.index()] {
                self.modified.insert(id);
            }
        }
        pairing.spread(&mut self.own);
        pairing.complete(self);
        before != (self.original.len() + self.modified.len(), self.own[0].len() + self.own[1].len())
    }
}

/// Whether a variable is a global that other files see.
fn is_seen(cfa: &Cfa, variable: VarId) -> bool {
    matches!(cfa.variable(variable).kind, VarKind::Global { linkage: Linkage::External, defined: true })
}

/// The functions with a body that one enters.
fn callees(cfa: &Cfa, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
    let own = move |edge: &EdgeId| cfa.location(cfa.edge(*edge).source).function == function;
    cfa.edge_ids().filter(own).filter_map(|edge| cfa.entered_callee(edge))
}

/// Walks through two functions at once: which edges are which; `None` if they differ.
fn walk(comparison: &Comparison<'_>, original: FunctionId, modified: FunctionId) -> Option<Vec<(EdgeId, EdgeId)>> {
    let (o, m) = (comparison.original, comparison.modified);
    let (ours, theirs) = (o.function(original), m.function(modified));
    if ours.parameters.len() != theirs.parameters.len() {
        return None;
    }
    let mut edges = Vec::new();
    let mut known = FxHashMap::default();
    let mut back = FxHashMap::default();
    let mut pending = vec![(ours.entry?, theirs.entry?)];
    while let Some((at, other)) = pending.pop() {
        match (known.insert(at, other), back.insert(other, at)) {
            (None, None) => {}
            (Some(before), Some(behind)) if before == other && behind == at => continue,
            _ => return None,
        }
        let (mine, others) = (o.out_edges(at), m.out_edges(other));
        if mine.len() != others.len() || o.location(at).is_error != m.location(other).is_error {
            return None;
        }
        for (edge, twin) in mine.iter().zip(others) {
            let operations = (&o.edge(*edge).operation, &m.edge(*twin).operation);
            // What is not understood ends every analysis of a program made of both.
            let is_same = match operations {
                (Operation::Unsupported { construct: a }, Operation::Unsupported { construct: b }) => a == b,
                _ => comparison.identical(*twin, *edge),
            };
            if !is_same {
                return None;
            }
            edges.push((*edge, *twin));
            pending.push((o.edge(*edge).target, m.edge(*twin).target));
        }
    }
    Some(edges)
}
