//! Which functions may have a contract, and the variables that contracts speak of.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, FunctionId, Operation, VarId};
use program::types::{QualType, Type, TypeId};
use semantics::effects::Effects;
use semantics::facts::Facts;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::ObjectKind;

use crate::Editor;

/// The variables of one call: ghosts, and the globals themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// The arguments.
    pub(super) arguments: Vec<VarId>,
    /// The result.
    pub(super) result: Option<VarId>,
    /// For each global that a call may write what it was before.
    pub(super) before: Vec<(VarId, VarId)>,
}

/// A function that has a contract.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// The call that is passed over: clauses speak of these.
    pub(super) call: Frame,
    /// The call whose body is looked at.
    pub(super) checked: Frame,
    /// Globals that it depends on, or writes, and that are no constants.
    pub(super) touched: Vec<VarId>,
}

/// A program with variables for contracts of its recursive functions; nothing mentions them yet.
#[derive(Debug)]
pub struct Setting {
    /// The program.
    pub(super) base: Cfa,
    pub(super) signatures: BTreeMap<FunctionId, Signature>,
}

/// A setting that is being made, with expressions for clauses.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) editor: Editor,
    pub(super) signatures: BTreeMap<FunctionId, Signature>,
}

/// What contracts of the recursive functions of a program speak of; `None` if there are none, or one of them has no contract.
#[must_use]
pub(super) fn opening(facts: &Facts<'_>) -> Option<Opening> {
    let cfa = facts.cfa();
    let calls = facts.calls();
    let reached = calls.reachable_from(cfa.entry);
    let recursive: Vec<FunctionId> =
        reached.iter().copied().filter(|function| calls.is_recursive(*function) && cfa.enters(*function)).collect();
    if recursive.is_empty() || recursive.contains(&cfa.entry) {
        return None;
    }
    let effects = Effects::new(cfa, calls, facts.objects(), facts.points_to());
    let mut editor = Editor::new(cfa);
    let mut signatures = BTreeMap::new();
    for function in recursive {
        let world =
            World { facts, effects: &effects, ever: &effects.summary(cfa.entry).mods, inside: calls.reachable_from(function) };
        let (touched, written) = world.globals(function)?;
        let (result, parameters) = world.numbers(function)?;
        let frame = |editor: &mut Editor| Frame {
            arguments: parameters.iter().map(|ty| editor.ghost("argument", QualType::plain(*ty))).collect(),
            result: result.map(|ty| editor.ghost("result", QualType::plain(ty))),
            before: written
                .iter()
                .map(|global| (*global, editor.ghost("before", QualType::plain(cfa.variable(*global).ty.ty))))
                .collect(),
        };
        let signature = Signature { call: frame(&mut editor), checked: frame(&mut editor), touched };
        signatures.insert(function, signature);
    }
    Some(Opening { editor, signatures })
}

/// What contracts of the recursive functions of a program speak of, without clauses; `None` if there are none.
#[must_use]
pub fn setting(facts: &Facts<'_>) -> Option<Setting> {
    opening(facts).map(Opening::close)
}

impl Opening {
    pub(super) fn close(self) -> Setting {
        Setting { base: self.editor.finish().cfa, signatures: self.signatures }
    }
}

/// What a function works on.
struct World<'a> {
    facts: &'a Facts<'a>,
    effects: &'a Effects,
    /// What some run writes.
    ever: &'a ObjectSet,
    inside: Vec<FunctionId>,
}

/// Whose an object is, seen from a call of a function.
enum Owner {
    /// A variable that every call has for itself.
    Call,
    /// Nobody writes it.
    Constant,
    /// A global number that only its name leads to.
    Global(VarId),
}

impl World<'_> {
    /// The types of the result and of the parameters, if all are numbers.
    fn numbers(&self, function: FunctionId) -> Option<(Option<TypeId>, Vec<TypeId>)> {
        let cfa = self.facts.cfa();
        let known = cfa.function(function);
        let Type::Function(ty) = cfa.types.get(known.ty) else { return None };
        if ty.variadic || known.address_taken {
            return None;
        }
        let result = match cfa.types.get(ty.result.ty) {
            Type::Void => None,
            _ => Some(ty.result.ty).filter(|ty| is_number(cfa, *ty)).map(Some)?,
        };
        let parameters: Vec<TypeId> = known.parameters.iter().map(|parameter| cfa.variable(*parameter).ty.ty).collect();
        let results = cfa.edge_ids().filter_map(|edge| match &cfa.edge(edge).operation {
            Operation::Call { callee, arguments, result } if *callee == function => Some((arguments, *result)),
            _ => None,
        });
        // Calls through other types than that of the definition are nothing to count on.
        let mut agree = results.map(|(arguments, variable)| {
            arguments.len() == parameters.len()
                && arguments.iter().zip(&parameters).all(|(argument, ty)| cfa.exprs.ty(*argument) == *ty)
                && variable.is_none_or(|variable| Some(cfa.variable(variable).ty.ty) == result)
        });
        (agree.all(|agrees| agrees) && parameters.iter().all(|ty| is_number(cfa, *ty))).then_some((result, parameters))
    }

    /// The globals that a call depends on or writes, and those that it writes.
    fn globals(&self, function: FunctionId) -> Option<(Vec<VarId>, Vec<VarId>)> {
        let summary = self.effects.summary(function);
        let (mut touched, mut written) = (BTreeSet::new(), BTreeSet::new());
        for object in summary.mods.iter() {
            if let Owner::Global(variable) = self.owner(object)? {
                written.insert(variable);
            }
        }
        for object in summary.refs.iter() {
            if let Owner::Global(variable) = self.owner(object)? {
                touched.insert(variable);
            }
        }
        touched.extend(written.iter().copied());
        Some((touched.into_iter().collect(), written.into_iter().collect()))
    }

    fn owner(&self, object: ObjectId) -> Option<Owner> {
        let cfa = self.facts.cfa();
        let objects = self.facts.objects();
        let (ObjectKind::Variable(id) | ObjectKind::Member { variable: id, .. }) = objects.get(object).kind else { return None };
        let variable = cfa.variable(id);
        if variable.is_automatic() {
            let owner = variable.function.filter(|owner| self.inside.contains(owner))?;
            // Where an open call's variable can be reached by its address, a deeper call is not alone with its own.
            let alone = !self.facts.calls().is_recursive(owner) || !objects.is_address_taken(id);
            return alone.then_some(Owner::Call);
        }
        let is_defined = variable.initializer.is_some();
        if is_defined && objects.of_variable(id).iter().all(|part| !self.ever.contains(part)) {
            return Some(Owner::Constant);
        }
        let plain = !variable.thread_local && !variable.ty.qualifiers.is_volatile && !variable.ty.qualifiers.is_atomic;
        (plain && is_number(cfa, variable.ty.ty) && !objects.is_address_taken(id)).then_some(Owner::Global(id))
    }
}

fn is_number(cfa: &Cfa, ty: TypeId) -> bool {
    matches!(cfa.types.get(ty), Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_))
}
