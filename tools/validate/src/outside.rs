//! Whether foreign variables that code outside the program may look at lead it to the same objects in both programs.
//!
//! They do if no operation of either program gives them, by name, a value that may be a pointer, and if their initial values
//! lead, directly and on, to variables that are the same.

use std::collections::BTreeSet;

use program::cfa::{Cfa, ConstantValue, Operation, VarId, VarKind};
use program::expr::ExprId;
use semantics::objects::{Root, root};

use crate::access::{Program, holds_pointers};
use crate::map::Map;

/// Whether each of some variables of the modified program leads where its counterpart leads.
pub(crate) fn lead_alike(modified: &Program, original: &Program, map: &Map, variables: &[VarId]) -> bool {
    if variables.is_empty() {
        return true;
    }
    let (mine, theirs) = (given_pointers(modified), given_pointers(original));
    variables.iter().all(|variable| {
        let Some(other) = map.identity(*variable) else { return false };
        let starts = (initially(modified.cfa, *variable), initially(original.cfa, other));
        let (Some(from), Some(to)) = starts else { return false };
        let same = |v: &VarId| map.identity(*v).is_some_and(|o| to.contains(&o));
        !mine.contains(variable) && !theirs.contains(&other) && from.iter().all(same)
    })
}

/// The variables that operations give, by name, what may be a pointer into the program.
fn given_pointers(program: &Program) -> BTreeSet<VarId> {
    let cfa = program.cfa;
    let named = |place: ExprId| match root(cfa, place) {
        Some(Root::Variable(variable)) => Some(variable),
        Some(Root::Pointer { .. }) | None => None,
    };
    let mut given = BTreeSet::new();
    for edge in &cfa.edges {
        match &edge.operation {
            Operation::Assign { place, value } => {
                let leads = holds_pointers(cfa, cfa.exprs.ty(*value)) && program.leads_inside(*value);
                given.extend(named(*place).filter(|_| leads));
            }
            Operation::Call { result, callee, .. } => {
                given.extend(*result);
                if cfa.enters(*callee) {
                    given.extend(&cfa.function(*callee).parameters);
                }
            }
            Operation::Asm(asm) => given.extend(asm.outputs.iter().filter_map(|output| named(output.expr))),
            Operation::Havoc { .. }
            | Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Unsupported { .. } => {}
        }
    }
    given
}

/// The variables whose addresses are in the initial value of one, and in theirs; none if that is not known.
fn initially(cfa: &Cfa, variable: VarId) -> Option<BTreeSet<VarId>> {
    let mut found = BTreeSet::new();
    let mut open = vec![variable];
    while let Some(variable) = open.pop() {
        let known = cfa.variable(variable);
        match (&known.kind, &known.initializer) {
            // It leads where the outside leads; or to text, which nobody writes; or nowhere, having no value yet.
            (VarKind::Global { defined: false, .. } | VarKind::StringLiteral(_), _) => {}
            (VarKind::Global { .. } | VarKind::StaticLocal, None) => return None,
            (_, None) => {}
            (_, Some(initializer)) if initializer.unsupported.is_some() => return None,
            (_, Some(initializer)) => {
                for scalar in &initializer.scalars {
                    if let ConstantValue::Address { variable, .. } = scalar.value
                        && !matches!(cfa.variable(variable).kind, VarKind::StringLiteral(_))
                        && found.insert(variable)
                    {
                        open.push(variable);
                    }
                }
            }
        }
    }
    Some(found)
}
