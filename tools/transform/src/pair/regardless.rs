//! What a function does in both versions whatever it is given and in whatever state: a question that no caller has a part in.
//!
//! It is asked of functions that read and write numbers by name only, and call nothing but such functions. Every variable that
//! is there before the call starts with any value, the same in both versions, so an answer rests on the text of the function
//! and of what it calls, and holds in each program that has the same text there ([`Pairing::shared`] says whether one has).

use std::collections::BTreeSet;

use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::types::Type;

use super::compare::is_scalar;
use super::external::{Leaving, leaving};
use super::parts::{mentions, operands, reachable, values};
use super::plan::{Pairing, Plan};
use super::{Functions, merged};

impl Pairing<'_> {
    /// The question whether a function of the original program and its counterpart do the same with any arguments in any
    /// state. `None` where that cannot be asked: one of them goes beyond numbers that have names, or has something that the
    /// other one has not.
    #[must_use]
    pub fn regardless(&self, plan: &Plan, function: FunctionId) -> Option<Plan> {
        let twin = self.counterpart(function)?;
        let correspondence = self.comparison.correspondence();
        let mut state = BTreeSet::new();
        for (side, function) in [(0, function), (1, twin)] {
            for variable in plain(self.cfa(side), function)? {
                let other = if side == 0 { correspondence.content_back(variable) } else { correspondence.content(variable) };
                // What one version has for itself, or starts with another value, is in a state of its own.
                let other = other.filter(|_| !plan.is_own(side, variable))?;
                state.insert(if side == 0 { (variable, other) } else { (other, variable) });
            }
        }
        Some(Plan { state, ..plan.lemma(function, &BTreeSet::new()) })
    }

    /// Whether the boundary is what it is said to be when both programs are made one. Where it is, and its functions do the
    /// same regardless of who calls them, the programs do the same.
    #[must_use]
    pub fn is_kept(&self, plan: &Plan) -> bool {
        let mut own = plan.clone();
        let is_same = merged(self, &mut own).is_some() && own.original == plan.original && own.modified == plan.modified;
        let entries = [self.real_entry(), self.original.entry];
        is_same && own.own == plan.own && entries.iter().all(|entry| !plan.original.contains(entry))
    }

    /// Whether the variables of a boundary are what they are said to be when both programs are made one: what was asked of a
    /// function regardless of its callers holds here then, too.
    #[must_use]
    pub fn keeps_variables(&self, plan: &Plan) -> bool {
        let mut own = plan.clone();
        merged(self, &mut own).is_some() && own.own == plan.own
    }

    /// The function of the other program with the same text as one of this, down to all that it calls and mentions. Here both
    /// programs are the same version, used by somebody else.
    #[must_use]
    pub fn shared(&self, function: FunctionId) -> Option<FunctionId> {
        let twin = self.counterpart(function)?;
        let (ours, theirs) = (reachable(self.original, [function]), reachable(self.modified, [twin]));
        let others: Option<Functions> = ours.iter().map(|own| self.counterpart(*own).filter(|_| !self.differs(*own))).collect();
        let own = self.own_variables();
        let is_apart = |cfa: &Cfa, own: &BTreeSet<VarId>, functions: &Functions| mentions(cfa, own).is_disjoint(functions);
        let is_same = others.is_some_and(|others| others == theirs)
            && is_apart(self.original, &own[0], &ours)
            && is_apart(self.modified, &own[1], &theirs);
        is_same.then_some(twin)
    }
}

/// The variables that are there before a call and that a function may mention, if numbers with names are all that it has.
fn plain(cfa: &Cfa, function: FunctionId) -> Option<BTreeSet<VarId>> {
    let mut state = BTreeSet::new();
    let inside = reachable(cfa, [function]);
    for own in &inside {
        let Type::Function(ty) = cfa.types.get(cfa.function(*own).ty) else { return None };
        let result = cfa.types.get(ty.result.ty);
        if ty.variadic || ty.unprototyped || !(is_number(result) || matches!(result, Type::Void)) {
            return None;
        }
        for parameter in &cfa.function(*own).parameters {
            note(cfa, *parameter, &mut state)?;
        }
    }
    let is_inside = |edge: &EdgeId| inside.contains(&cfa.location(cfa.edge(*edge).source).function);
    for edge in cfa.edge_ids().filter(is_inside) {
        plain_edge(cfa, edge, &mut state)?;
    }
    Some(state)
}

fn plain_edge(cfa: &Cfa, edge: EdgeId, state: &mut BTreeSet<VarId>) -> Option<()> {
    let operation = &cfa.edge(edge).operation;
    match operation {
        Operation::Declare { variable } => note(cfa, *variable, state)?,
        Operation::Assume { .. } | Operation::Assign { .. } | Operation::Return { .. } | Operation::Blank => {}
        Operation::Call { result, .. } => {
            let is_undefined = matches!(leaving(cfa, edge), Some(Leaving::Undefined(_)));
            let is_entered = leaving(cfa, edge).is_none() && cfa.entered_callee(edge).is_some();
            if !is_undefined && !is_entered {
                return None;
            }
            result.map_or(Some(()), |variable| note(cfa, variable, state))?;
        }
        Operation::Havoc { .. } | Operation::Asm(_) | Operation::Unsupported { .. } => return None,
    }
    let mut pending: Vec<ExprId> = values(operation);
    while let Some(expr) = pending.pop() {
        let known = cfa.exprs.get(expr);
        match *known {
            Expr::Variable(variable) => note(cfa, variable, state)?,
            Expr::Int(_)
            | Expr::Float(_)
            | Expr::Load(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(_)
            | Expr::Conditional(..) => {}
            Expr::Zero
            | Expr::FunctionAddress(_)
            | Expr::AddressOf(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. } => return None,
        }
        if !is_number(cfa.types.get(cfa.exprs.ty(expr))) {
            return None;
        }
        pending.extend(operands(known).into_iter().flatten());
    }
    Some(())
}

/// Notes a variable, unless it is no plain number.
fn note(cfa: &Cfa, variable: VarId, state: &mut BTreeSet<VarId>) -> Option<()> {
    let known = cfa.variable(variable);
    let qualifiers = known.ty.qualifiers;
    if !is_number(cfa.types.get(known.ty.ty)) || qualifiers.is_volatile || qualifiers.is_atomic || known.thread_local {
        return None;
    }
    if !known.is_automatic() {
        state.insert(variable);
    }
    Some(())
}

fn is_number(ty: &Type) -> bool {
    is_scalar(ty) && !matches!(ty, Type::Pointer(_))
}
