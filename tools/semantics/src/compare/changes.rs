//! The differences between two program texts, as explanations name them.
//!
//! Each difference is listed once. Operations that read the same and mean something else differ in a type: then the
//! declarations that differ are named, if they can be found.

use std::collections::BTreeSet;

use formats::explanation::{Change, ChangeKind, Place};
use indexmap::IndexSet;
use program::cfa::{Cfa, EdgeId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};

use super::places::{edge_place, function_place, statement_place, variable_place};
use super::{Comparison, Side};

/// The differences that were named so far.
#[derive(Debug)]
pub struct Changes<'a> {
    comparison: &'a Comparison<'a>,
    list: IndexSet<Change>,
}

impl<'a> Changes<'a> {
    /// No differences yet.
    #[must_use]
    pub fn new(comparison: &'a Comparison<'a>) -> Self {
        Self { comparison, list: IndexSet::new() }
    }

    /// The list; numbers are positions in it.
    #[must_use]
    pub fn finish(self) -> Vec<Change> {
        self.list.into_iter().collect()
    }

    /// A change by its number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&Change> {
        self.list.get_index(number as usize)
    }

    /// An operation that is only in the modified program.
    pub fn inserted(&mut self, modified: EdgeId) -> u32 {
        let place = edge_place(Side::Modified, self.comparison.modified, modified);
        self.add(ChangeKind::Inserted, None, Some(place))
    }

    /// An operation that is only in the original program.
    pub fn deleted(&mut self, original: EdgeId) -> u32 {
        let place = edge_place(Side::Original, self.comparison.original, original);
        self.add(ChangeKind::Deleted, Some(place), None)
    }

    /// An operation that is executed somewhere else now.
    pub fn moved(&mut self, modified: EdgeId, original: EdgeId) -> u32 {
        let (m, o) = self.places(modified, original);
        self.add(ChangeKind::Moved, Some(o), Some(m))
    }

    /// An operation that became another one.
    pub fn replaced(&mut self, modified: EdgeId, original: EdgeId) -> u32 {
        let (m, o) = self.places(modified, original);
        if m.text != o.text {
            return self.add(ChangeKind::Modified, Some(o), Some(m));
        }
        let program = self.comparison.modified;
        let m = statement_place(Side::Modified, program, modified);
        let o = statement_place(Side::Original, self.comparison.original, original);
        if m.text != o.text {
            return self.add(ChangeKind::Modified, Some(o), Some(m));
        }
        self.redeclared(modified).unwrap_or_else(|| self.add(ChangeKind::Type, Some(o), Some(m)))
    }

    /// A variable that starts with another value.
    pub fn initial_value(&mut self, modified: VarId) -> u32 {
        self.variable(ChangeKind::InitialValue, modified)
    }

    /// A variable whose type is another one.
    pub fn retyped(&mut self, modified: VarId) -> u32 {
        self.variable(ChangeKind::Type, modified)
    }

    /// The declaration that makes an operation of the modified program differ although it reads the same: of a variable
    /// it mentions, or of the function it calls.
    pub fn redeclared(&mut self, modified: EdgeId) -> Option<u32> {
        let program = self.comparison.modified;
        let map = self.comparison.correspondence();
        let is_named = |v: &VarId| match program.variable(*v).kind {
            VarKind::Global { .. } | VarKind::StaticLocal | VarKind::Local | VarKind::Parameter(_) => true,
            VarKind::Temporary(_) | VarKind::StringLiteral(_) | VarKind::CompoundLiteral => false,
        };
        let differs = |v: &VarId| is_named(v) && map.content(*v).is_none();
        let callee = match program.edge(modified).operation {
            Operation::Call { callee, .. } | Operation::Havoc { input: callee, .. } => Some(callee),
            Operation::Return { .. } => Some(program.location(program.edge(modified).source).function),
            Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => None,
        };
        if let Some(variable) = variables(program, modified).into_iter().find(differs) {
            return Some(self.retyped(variable));
        }
        let callee = callee.filter(|f| map.strict_function(*f).is_none())?;
        let o = map.function(callee).map(|f| function_place(Side::Original, self.comparison.original, f));
        Some(self.add(ChangeKind::Type, o, Some(function_place(Side::Modified, program, callee))))
    }

    fn variable(&mut self, kind: ChangeKind, modified: VarId) -> u32 {
        let other = self.comparison.correspondence().identity(modified);
        let o = other.map(|v| variable_place(Side::Original, self.comparison.original, v));
        let kind = if o.is_none() { ChangeKind::Inserted } else { kind };
        self.add(kind, o, Some(variable_place(Side::Modified, self.comparison.modified, modified)))
    }

    fn places(&self, modified: EdgeId, original: EdgeId) -> (Place, Place) {
        let m = edge_place(Side::Modified, self.comparison.modified, modified);
        (m, edge_place(Side::Original, self.comparison.original, original))
    }

    fn add(&mut self, kind: ChangeKind, original: Option<Place>, modified: Option<Place>) -> u32 {
        // Several operations of one text are one change.
        let quoted = |place: Option<Place>| place.map(|place| Place { edge: None, ..place });
        let (number, _) = self.list.insert_full(Change { kind, original: quoted(original), modified: quoted(modified) });
        u32::try_from(number).unwrap_or(u32::MAX)
    }
}

/// The variables an operation mentions.
#[must_use]
pub fn variables(program: &Cfa, edge: EdgeId) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<ExprId> = Vec::new();
    match &program.edge(edge).operation {
        Operation::Declare { variable } => found.extend([*variable]),
        Operation::Assume { condition, .. } => pending.push(*condition),
        Operation::Assign { place, value } => pending.extend([*place, *value]),
        Operation::Havoc { variable, .. } => found.extend(*variable),
        Operation::Call { arguments, result, .. } => {
            found.extend(*result);
            pending.extend(arguments);
        }
        Operation::Return { value } => pending.extend(*value),
        Operation::Asm(asm) => pending.extend(asm.outputs.iter().chain(&asm.inputs).map(|operand| operand.expr)),
        Operation::Blank | Operation::Unsupported { .. } => {}
    }
    let mut seen = BTreeSet::new();
    while let Some(expr) = pending.pop() {
        if seen.insert(expr) {
            let expr = program.exprs.get(expr);
            if let Expr::Variable(variable) = expr {
                found.insert(*variable);
            }
            pending.extend(expr.operands());
        }
    }
    found
}
