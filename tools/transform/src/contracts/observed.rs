//! The program as it is, watched: which clauses do its runs not keep?
//!
//! Every activation of a function keeps its arguments, and what it may write, as they were. A clause that does not hold is no
//! error: an edge is passed that says so, and the run goes on.

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::source::Span;
use program::types::QualType;
use rustc_hash::FxHashMap;

use super::frame::{Setting, Signature};
use super::{Clause, When};
use crate::{Editor, Recast};

/// A program that is watched.
#[derive(Debug)]
pub struct Observed {
    /// The program.
    pub recast: Recast,
    /// The edges that are passed where a clause does not hold, with the place of the clause among those given.
    pub broken: BTreeMap<EdgeId, usize>,
}

/// The program of a setting with edges that say where a clause does not hold.
#[must_use]
pub fn observed(setting: &Setting, clauses: &[Clause]) -> Observed {
    let frames = setting.signatures.values().map(|signature| &signature.call);
    let ghosts =
        frames.flat_map(|call| call.arguments.iter().flatten().chain(&call.result).chain(call.before.iter().map(|(_, old)| old)));
    let ghosts = ghosts.copied().collect();
    let mut watching = Watching { setting, clauses, editor: Editor::new(&setting.base), broken: BTreeMap::new(), ghosts };
    for (function, signature) in &setting.signatures {
        watching.function(*function, signature);
    }
    Observed { recast: watching.editor.finish(), broken: watching.broken }
}

struct Watching<'a> {
    setting: &'a Setting,
    clauses: &'a [Clause],
    editor: Editor,
    broken: BTreeMap<EdgeId, usize>,
    /// What clauses speak of and no function has.
    ghosts: BTreeSet<VarId>,
}

impl Watching<'_> {
    fn function(&mut self, function: FunctionId, signature: &Signature) {
        let known = self.setting.base.function(function);
        let Some(entry) = known.entry else { return };
        let at = (known.span, known.span);
        let behind = self.editor.before(entry);
        let mut here = entry;
        let mut own = FxHashMap::default();
        let values = signature.call.arguments.iter().zip(&known.parameters).filter_map(|(ghost, one)| Some(((*ghost)?, *one)));
        let values: Vec<(VarId, ExprId)> = values.map(|(ghost, one)| (ghost, self.editor.load(one))).collect();
        let outer = self.outer(signature, &known.parameters);
        let before = signature.call.before.iter().filter_map(|(variable, before)| Some((*before, *outer.get(variable)?)));
        for (variable, value) in &outer {
            own.insert(self.editor.load(*variable), *value);
        }
        for (ghost, value) in values.into_iter().chain(before) {
            let local = self.local(function, ghost);
            here = self.assign(here, local, value, at);
            own.insert(self.editor.load(ghost), self.editor.load(local));
        }
        here = self.watch(here, (function, When::Requires), &own, at);
        self.editor.add(here, behind, Operation::Blank, at);
        let result = signature.call.result.map(|ghost| (ghost, self.local(function, ghost)));
        if let Some((ghost, local)) = result {
            own.insert(self.editor.load(ghost), self.editor.load(local));
        }
        for edge in self.setting.base.edge_ids() {
            let end = self.setting.base.edge(edge);
            if let Operation::Return { value } = end.operation
                && self.setting.base.location(end.source).function == function
                && value.is_some() == result.is_some()
            {
                let source = self.editor.edge(edge).source;
                let mut here = source;
                let left = self.editor.before(source);
                if let (Some((_, local)), Some(value)) = (result, value) {
                    here = self.assign(here, local, value, at);
                }
                here = self.watch(here, (function, When::Ensures), &own, at);
                self.editor.add(here, left, Operation::Blank, at);
            }
        }
    }

    /// The values of outer variables, as the function can read them: globals by name, others through a parameter.
    fn outer(&mut self, signature: &Signature, parameters: &[VarId]) -> BTreeMap<VarId, ExprId> {
        let base = &self.setting.base;
        let mut found = BTreeMap::new();
        for variable in &signature.touched {
            if !base.variable(*variable).is_automatic() {
                found.insert(*variable, self.editor.load(*variable));
                continue;
            }
            let leads = |address: &Option<ExprId>| {
                let Expr::AddressOf(place) = *base.exprs.get((*address)?) else { return None };
                (*base.exprs.get(place) == Expr::Variable(*variable)).then_some(())
            };
            let position = signature.fixed.iter().position(|address| leads(address).is_some());
            if let Some(parameter) = position.and_then(|position| parameters.get(position)) {
                let pointer = self.editor.load(*parameter);
                let ty = base.variable(*variable).ty.ty;
                let place = self.editor.expr(Expr::Dereference { pointer, volatile: false }, ty);
                found.insert(*variable, self.editor.expr(Expr::Load(place), ty));
            }
        }
        found
    }

    /// Whether a function can evaluate an expression.
    fn can_say(&self, function: FunctionId, expr: ExprId) -> bool {
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            let one = self.editor.parts.exprs.get(expr);
            if let Expr::Variable(variable) = one {
                let elsewhere = self.editor.parts.variables[variable.index()].function.is_some_and(|owner| owner != function);
                if elsewhere || self.ghosts.contains(variable) {
                    return false;
                }
            }
            pending.extend(one.operands());
        }
        true
    }

    /// A variable of a function, of the type of another one.
    fn local(&mut self, function: FunctionId, like: VarId) -> VarId {
        let ty = self.editor.parts.variables[like.index()].ty.ty;
        self.editor.local("seen", QualType::plain(ty), function)
    }

    fn assign(&mut self, from: LocationId, variable: VarId, value: ExprId, at: (Span, Span)) -> LocationId {
        let (declared, next) = (self.editor.location_beside(from), self.editor.location_beside(from));
        self.editor.add(from, declared, Operation::Declare { variable }, at);
        let place = self.editor.place(variable);
        self.editor.add(declared, next, Operation::Assign { place, value }, at);
        next
    }

    fn watch(
        &mut self,
        from: LocationId,
        (function, when): (FunctionId, When),
        own: &FxHashMap<ExprId, ExprId>,
        at: (Span, Span),
    ) -> LocationId {
        let mut here = from;
        for (number, clause) in self.clauses.iter().enumerate() {
            if clause.function != function || clause.when != when {
                continue;
            }
            let holds = self.editor.substituted(clause.holds, own);
            if !self.can_say(function, holds) {
                continue;
            }
            let condition = self.editor.truth(holds);
            let (next, fails) = (self.editor.location_beside(from), self.editor.location_beside(from));
            self.editor.branch(here, condition, (next, fails), at);
            let broken = self.editor.add(fails, next, Operation::Blank, at);
            self.broken.insert(broken, number);
            here = next;
        }
        here
    }
}
