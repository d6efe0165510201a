//! Which functions may have a contract, and the variables that contracts speak of.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, FunctionId, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::types::{QualType, Type, TypeId};
use semantics::effects::Effects;
use semantics::facts::Facts;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::ObjectKind;

use crate::Editor;

/// The variables of one call: ghosts, and the outer variables themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// The arguments; `None` for a pointer that is always the same.
    pub(super) arguments: Vec<Option<VarId>>,
    /// The result.
    pub(super) result: Option<VarId>,
    /// For each outer variable that a call may write what it was before.
    pub(super) before: Vec<(VarId, VarId)>,
}

/// A function that has a contract.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// The call that is passed over: clauses speak of these.
    pub(super) call: Frame,
    /// The call whose body is looked at.
    pub(super) checked: Frame,
    /// Outer variables that it depends on, or writes, and that are no constants: globals, and variables of functions that
    /// call it, each of which there is only once.
    pub(super) touched: Vec<VarId>,
    /// For each parameter the address that every call passes, if it is a pointer.
    pub(super) fixed: Vec<Option<ExprId>>,
}

/// A program with variables for contracts of its recursive functions; nothing mentions them yet.
#[derive(Debug)]
pub struct Setting {
    /// The program.
    pub(super) base: Cfa,
    pub(super) signatures: BTreeMap<FunctionId, Signature>,
    /// Conditions in the body of each function, over the arguments of a call.
    pub(super) cases: BTreeMap<FunctionId, Vec<ExprId>>,
}

/// A setting that is being made, with expressions for clauses.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) editor: Editor,
    pub(super) signatures: BTreeMap<FunctionId, Signature>,
    /// The variables that parameters always lead to.
    pub(super) led: BTreeMap<VarId, VarId>,
}

impl Opening {
    /// The variable that a place is.
    pub(super) fn variable(&self, cfa: &Cfa, place: ExprId) -> Option<VarId> {
        match *cfa.exprs.get(place) {
            Expr::Variable(variable) => Some(variable),
            Expr::Dereference { pointer, .. } => {
                let Expr::Load(inner) = *cfa.exprs.get(pointer) else { return None };
                let Expr::Variable(parameter) = *cfa.exprs.get(inner) else { return None };
                self.led.get(&parameter).copied().filter(|led| cfa.variable(*led).ty.ty == cfa.exprs.ty(place))
            }
            _ => None,
        }
    }
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
    let fixed = fixed(cfa);
    let effects = Effects::new(cfa, calls, facts.objects(), facts.points_to());
    let mut editor = Editor::new(cfa);
    let mut signatures = BTreeMap::new();
    for function in recursive {
        let world = World {
            facts,
            effects: &effects,
            ever: &effects.summary(cfa.entry).mods,
            inside: calls.reachable_from(function),
            fixed: &fixed,
        };
        let (touched, written) = world.outer(function)?;
        let (result, parameters) = world.numbers(function)?;
        let frame = |editor: &mut Editor| Frame {
            arguments: parameters.iter().map(|ty| ty.map(|ty| editor.ghost("argument", QualType::plain(ty)))).collect(),
            result: result.map(|ty| editor.ghost("result", QualType::plain(ty))),
            before: written
                .iter()
                .map(|global| (*global, editor.ghost("before", QualType::plain(cfa.variable(*global).ty.ty))))
                .collect(),
        };
        let fixed = cfa.function(function).parameters.iter().map(|parameter| fixed.get(parameter).copied()).collect();
        let signature = Signature { call: frame(&mut editor), checked: frame(&mut editor), touched, fixed };
        signatures.insert(function, signature);
    }
    let target = |(parameter, address): (&VarId, &ExprId)| {
        let Expr::AddressOf(place) = *cfa.exprs.get(*address) else { return None };
        let Expr::Variable(variable) = *cfa.exprs.get(place) else { return None };
        Some((*parameter, variable))
    };
    Some(Opening { editor, signatures, led: fixed.iter().filter_map(target).collect() })
}

impl Opening {
    pub(super) fn close(self, cases: BTreeMap<FunctionId, Vec<ExprId>>) -> Setting {
        Setting { base: self.editor.finish().cfa, signatures: self.signatures, cases }
    }
}

/// What a function works on.
struct World<'a> {
    facts: &'a Facts<'a>,
    effects: &'a Effects,
    /// What some run writes.
    ever: &'a ObjectSet,
    inside: Vec<FunctionId>,
    /// Parameters that are always the same address.
    fixed: &'a BTreeMap<VarId, ExprId>,
}

/// Whose an object is, seen from a call of a function.
enum Owner {
    /// A variable that every call has for itself.
    Call,
    /// Nobody writes it.
    Constant,
    /// A number that there is once, and that outlives the call.
    Outer(VarId),
}

impl World<'_> {
    /// The types of the result and of the parameters, if all are numbers; `None` for pointers that are always the same.
    fn numbers(&self, function: FunctionId) -> Option<(Option<TypeId>, Vec<Option<TypeId>>)> {
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
        if !agree.all(|agrees| agrees) {
            return None;
        }
        let number = |(parameter, ty): (&VarId, TypeId)| match self.fixed.contains_key(parameter) {
            true => Some(None),
            false => is_number(cfa, ty).then_some(Some(ty)),
        };
        let parameters = known.parameters.iter().zip(parameters).map(number).collect::<Option<_>>()?;
        Some((result, parameters))
    }

    /// The outer variables that a call depends on or writes, and those that it writes.
    fn outer(&self, function: FunctionId) -> Option<(Vec<VarId>, Vec<VarId>)> {
        let summary = self.effects.summary(function);
        let (mut touched, mut written) = (BTreeSet::new(), BTreeSet::new());
        for object in summary.mods.iter() {
            if let Owner::Outer(variable) = self.owner(object)? {
                written.insert(variable);
            }
        }
        for object in summary.refs.iter() {
            if let Owner::Outer(variable) = self.owner(object)? {
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
        let plain = !variable.thread_local && !variable.ty.qualifiers.is_volatile && !variable.ty.qualifiers.is_atomic;
        let outer = (plain && is_number(cfa, variable.ty.ty)).then_some(Owner::Outer(id));
        if variable.is_automatic() {
            let owner = variable.function?;
            let is_recursive = self.facts.calls().is_recursive(owner);
            if !self.inside.contains(&owner) {
                return outer.filter(|_| !is_recursive);
            }
            // Where an open call's variable can be reached by its address, a deeper call is not alone with its own.
            return (!is_recursive || !objects.is_address_taken(id)).then_some(Owner::Call);
        }
        let is_defined = variable.initializer.is_some();
        if is_defined && objects.of_variable(id).iter().all(|part| !self.ever.contains(part)) {
            return Some(Owner::Constant);
        }
        outer
    }
}

/// Parameters that are the address of one and the same variable in every call, with that address.
fn fixed(cfa: &Cfa) -> BTreeMap<VarId, ExprId> {
    let mut addresses: BTreeMap<VarId, Fixed> = BTreeMap::new();
    for function in cfa.function_ids().filter(|function| cfa.enters(*function)) {
        let is_open = function == cfa.entry || cfa.function(function).address_taken;
        for parameter in &cfa.function(function).parameters {
            let variable = cfa.variable(*parameter);
            if matches!(cfa.types.get(variable.ty.ty), Type::Pointer(_)) {
                let changes = is_open || variable.address_taken || variable.ty.qualifiers.is_volatile;
                addresses.insert(*parameter, if changes { Fixed::Changes } else { Fixed::Uncalled });
            }
        }
    }
    for edge in cfa.edge_ids() {
        for (variable, _) in cfa.edge(edge).operation.sets(&cfa.exprs) {
            addresses.entry(variable).and_modify(|fixed| *fixed = Fixed::Changes);
        }
    }
    loop {
        let before = addresses.clone();
        for edge in cfa.edge_ids() {
            let Operation::Call { callee, arguments, .. } = &cfa.edge(edge).operation else { continue };
            let parameters = &cfa.function(*callee).parameters;
            for (number, parameter) in parameters.iter().enumerate() {
                let passed = arguments.get(number).map_or(Fixed::Changes, |argument| address(cfa, *argument, &addresses));
                addresses.entry(*parameter).and_modify(|fixed| *fixed = fixed.and(passed));
            }
        }
        if addresses == before {
            break;
        }
    }
    let known = |(parameter, fixed)| if let Fixed::Always(address) = fixed { Some((parameter, address)) } else { None };
    addresses.into_iter().filter_map(known).collect()
}

/// What is passed for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fixed {
    /// Nothing, as far as is known.
    Uncalled,
    /// This address.
    Always(ExprId),
    /// Anything else.
    Changes,
}

impl Fixed {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Uncalled, other) => other,
            (one, Self::Uncalled) => one,
            (one, other) if one == other => one,
            _ => Self::Changes,
        }
    }
}

fn address(cfa: &Cfa, argument: ExprId, known: &BTreeMap<VarId, Fixed>) -> Fixed {
    match *cfa.exprs.get(argument) {
        Expr::AddressOf(place) if matches!(cfa.exprs.get(place), Expr::Variable(_)) => Fixed::Always(argument),
        Expr::Load(place) => match *cfa.exprs.get(place) {
            Expr::Variable(variable) => known.get(&variable).copied().unwrap_or(Fixed::Changes),
            _ => Fixed::Changes,
        },
        _ => Fixed::Changes,
    }
}

fn is_number(cfa: &Cfa, ty: TypeId) -> bool {
    matches!(cfa.types.get(ty), Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_))
}
