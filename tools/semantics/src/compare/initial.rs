//! What the two programs do not agree on before their first operation: contents without counterpart, and initial values.

use std::collections::BTreeSet;

use program::cfa::{Cfa, ConstantValue, Operation, StaticInitializer, VarId, VarKind};
use program::expr::Expr;

use super::types::TypeClass;
use super::{Correspondence, Side};

/// Variables and names on which the programs disagree at the start.
#[derive(Debug)]
pub(super) struct Differing {
    original: Vec<VarId>,
    modified: Vec<VarId>,
    initially: Vec<VarId>,
    globals: Vec<Box<str>>,
}

type Program<'a> = (&'a Cfa, &'a [TypeClass]);

impl Differing {
    pub(super) fn new((o, o_types): Program, (m, m_types): Program, map: &Correspondence) -> Self {
        let original = o.variable_ids().filter(|v| !is_literal(o, *v) && map.content_back(*v).is_none()).collect();
        let modified = m.variable_ids().filter(|v| !is_literal(m, *v) && map.content(*v).is_none()).collect();
        let (o_mentioned, m_mentioned) = (mentioned(o), mentioned(m));
        let is_mentioned = |v: VarId, other: VarId| m_mentioned[v.index()] || o_mentioned[other.index()];
        let initially: Vec<_> = m
            .variable_ids()
            .filter(|v| {
                map.content(*v).is_some_and(|other| {
                    let (a, b) = (&o.variable(other).initializer, &m.variable(*v).initializer);
                    is_mentioned(*v, other) && !same_initializer((a.as_ref(), o_types), (b.as_ref(), m_types), map)
                })
            })
            .collect();
        let globals = differing_globals(m, map, &initially, is_mentioned);
        Self { original, modified, initially, globals }
    }

    pub(super) fn without_counterpart(&self, side: Side) -> &[VarId] {
        match side {
            Side::Original => &self.original,
            Side::Modified => &self.modified,
        }
    }

    pub(super) fn initially_different(&self) -> &[VarId] {
        &self.initially
    }

    pub(super) fn globals(&self) -> &[Box<str>] {
        &self.globals
    }
}

fn is_literal(program: &Cfa, variable: VarId) -> bool {
    matches!(program.variable(variable).kind, VarKind::StringLiteral(_))
}

fn same_initializer(
    (a, a_types): (Option<&StaticInitializer>, &[TypeClass]),
    (b, b_types): (Option<&StaticInitializer>, &[TypeClass]),
    map: &Correspondence,
) -> bool {
    let (a, b) = match (a, b) {
        (None, None) => return true,
        (Some(a), Some(b)) => (a, b),
        (None, Some(_)) | (Some(_), None) => return false,
    };
    a.unsupported.is_none()
        && b.unsupported.is_none()
        && a.scalars.len() == b.scalars.len()
        && a.scalars.iter().zip(&b.scalars).all(|(x, y)| {
            x.first_bit == y.first_bit
                && x.width == y.width
                && a_types[x.ty.index()] == b_types[y.ty.index()]
                && same_constant(&x.value, &y.value, map)
        })
}

fn same_constant(original: &ConstantValue, modified: &ConstantValue, map: &Correspondence) -> bool {
    match (original, modified) {
        (ConstantValue::Int(a), ConstantValue::Int(b)) | (ConstantValue::Float(a), ConstantValue::Float(b)) => a == b,
        (ConstantValue::Address { variable: v, offset: a }, ConstantValue::Address { variable: w, offset: b }) => {
            a == b && map.variable_class(Side::Original, *v) == map.variable_class(Side::Modified, *w)
        }
        (ConstantValue::Function(f), ConstantValue::Function(g)) => map.function(*g) == Some(*f),
        (ConstantValue::Int(_) | ConstantValue::Float(_) | ConstantValue::Address { .. } | ConstantValue::Function(_), _) => {
            false
        }
    }
}

/// Static objects of equal name that differ and are mentioned somewhere.
fn differing_globals(
    m: &Cfa,
    map: &Correspondence,
    initially: &[VarId],
    is_mentioned: impl Fn(VarId, VarId) -> bool,
) -> Vec<Box<str>> {
    let mut names = BTreeSet::new();
    for id in m.variable_ids() {
        let variable = m.variable(id);
        // A compound literal outside of functions is an object like those with a name.
        if variable.is_automatic() || is_literal(m, id) {
            continue;
        }
        let Some(other) = map.identity(id) else { continue };
        let differs = map.content(id).is_none() || initially.binary_search(&id).is_ok();
        if differs && is_mentioned(id, other) {
            names.insert(variable.name.clone());
        }
    }
    names.into_iter().collect()
}

/// Which variables occur in operations, or in the initial values of variables that occur.
fn mentioned(program: &Cfa) -> Vec<bool> {
    let mut seen = vec![false; program.variables.len()];
    let mut pending: Vec<VarId> = Vec::new();
    // Expressions are only interned for operations and static initialisers of the program.
    for index in 0..program.exprs.len() {
        if let Expr::Variable(v) = program.exprs.get(program::expr::ExprId::new(index)) {
            pending.push(*v);
        }
    }
    for edge in &program.edges {
        pending.extend(edge.operation.result());
        if let Operation::Declare { variable } = edge.operation {
            pending.push(variable);
        }
    }
    while let Some(variable) = pending.pop() {
        if std::mem::replace(&mut seen[variable.index()], true) {
            continue;
        }
        for scalar in program.variable(variable).initializer.iter().flat_map(|i| &i.scalars) {
            if let ConstantValue::Address { variable, .. } = scalar.value {
                pending.push(variable);
            }
        }
    }
    seen
}
