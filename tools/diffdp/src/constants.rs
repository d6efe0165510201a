//! Variables that one program gives a constant more often than the other: `x = 0` was added, dropped, or moved to where `x` is
//! 0 already.
//!
//! What agrees needs no name, as a rule (ALGORITHM.md 4.13). These variables are the exception: the program that does not assign
//! is only known to hold the constant already if that was remembered while both held it.
//! Does not know where the assignments are.

use program::cfa::{Cfa, ConstantValue, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::compare::{Comparison, Side};

use crate::terms::may_hold;

/// These variables, of the original and of the modified program.
#[derive(Debug)]
pub(crate) struct Constants([FxHashSet<VarId>; 2]);

impl Constants {
    pub(crate) fn of(comparison: &Comparison) -> Self {
        let (original, modified) = (assigned(comparison.original), assigned(comparison.modified));
        let mut found = [FxHashSet::default(), FxHashSet::default()];
        let mut compare = |variable: VarId, other: VarId| {
            let own = modified.get(&variable);
            if own != original.get(&other) {
                found[0].insert(other);
                found[1].insert(variable);
            }
        };
        for variable in modified.keys() {
            if let Some(other) = comparison.correspondence().content(*variable) {
                compare(*variable, other);
            }
        }
        for other in original.keys() {
            if let Some(variable) = comparison.correspondence().content_back(*other) {
                compare(variable, *other);
            }
        }
        Self(found)
    }

    fn side(&self, side: Side) -> &FxHashSet<VarId> {
        &self.0[usize::from(side == Side::Modified)]
    }

    /// Whether a value is to be remembered of a variable although both programs hold the same in it.
    pub(crate) fn counts(&self, program: &Cfa, side: Side, (variable, value): (VarId, ExprId)) -> bool {
        matches!(program.exprs.get(value), Expr::Int(_)) && self.side(side).contains(&variable)
    }

    /// What these variables hold before the first operation, as expressions of the program, if it has such.
    pub(crate) fn initial(&self, comparison: &Comparison, side: Side) -> Vec<(VarId, ExprId)> {
        let program = comparison.program(side);
        let wanted: FxHashMap<_, _> = self
            .side(side)
            .iter()
            .filter_map(|variable| {
                Some((*variable, (comparison.type_class(side, program.variable(*variable).ty.ty), initial(program, *variable)?)))
            })
            .collect();
        if wanted.is_empty() || &*program.function(program.entry).name != "main" {
            return Vec::new();
        }
        let mut constants = FxHashMap::default();
        for id in program.exprs.ids() {
            if let Expr::Int(bits) = *program.exprs.get(id) {
                constants.entry((comparison.type_of(side, id), bits)).or_insert(id);
            }
        }
        let mut found: Vec<(VarId, ExprId)> =
            wanted.into_iter().filter_map(|(variable, what)| Some((variable, *constants.get(&what)?))).collect();
        found.sort_unstable();
        found
    }
}

/// How often variables are assigned which constants: by variable, sorted.
fn assigned(program: &Cfa) -> FxHashMap<VarId, Vec<u128>> {
    let mut found: FxHashMap<VarId, Vec<u128>> = FxHashMap::default();
    for edge in &program.edges {
        if let Operation::Assign { place, value } = edge.operation
            && let (Expr::Variable(variable), Expr::Int(bits)) = (program.exprs.get(place), program.exprs.get(value))
            && !matches!(program.variable(*variable).kind, VarKind::Temporary(_))
            && may_hold(program, *variable)
        {
            found.entry(*variable).or_default().push(*bits);
        }
    }
    found.values_mut().for_each(|bits| bits.sort_unstable());
    found
}

/// The number that a whole static variable starts with.
fn initial(program: &Cfa, variable: VarId) -> Option<u128> {
    let initializer = program.variable(variable).initializer.as_ref().filter(|initializer| initializer.unsupported.is_none())?;
    match &initializer.scalars[..] {
        [] => Some(0),
        [only] if only.first_bit == 0 && only.ty == program.variable(variable).ty.ty => match only.value {
            ConstantValue::Int(bits) => Some(bits),
            ConstantValue::Float(_) | ConstantValue::Address { .. } | ConstantValue::Function(_) => None,
        },
        [..] => None,
    }
}
