//! Edges written one behind the other, at one place of a program.

use program::cfa::{LocationId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::source::Span;
use program::types::{Type, TypeId};

use crate::editor::Editor;

/// Edges that are added one behind the other.
pub(super) struct Writer<'e> {
    pub(super) editor: &'e mut Editor,
    pub(super) here: LocationId,
    pub(super) at: (Span, Span),
}

impl Writer<'_> {
    pub(super) fn then(&mut self, operation: Operation) {
        let next = self.editor.location_beside(self.here);
        self.editor.add(self.here, next, operation, self.at);
        self.here = next;
    }

    pub(super) fn assign(&mut self, place: ExprId, value: ExprId) {
        self.then(Operation::Assign { place, value });
    }

    pub(super) fn set(&mut self, variable: VarId, value: ExprId) {
        let place = self.editor.place(variable);
        self.assign(place, value);
    }

    /// Goes on where a condition holds; where it does not is returned.
    pub(super) fn require(&mut self, condition: ExprId) -> LocationId {
        let (yes, no) = (self.editor.location_beside(self.here), self.editor.location_beside(self.here));
        self.editor.branch(self.here, condition, (yes, no), self.at);
        self.here = yes;
        no
    }

    pub(super) fn lead(&mut self, target: LocationId) {
        self.editor.add(self.here, target, Operation::Blank, self.at);
    }

    pub(super) fn increment(&mut self, variable: VarId, unsigned: TypeId) {
        let (old, one) = (self.editor.load(variable), self.editor.number(unsigned, 1));
        let new = self.editor.expr(Expr::Binary(BinaryOp::Add, old, one), unsigned);
        self.set(variable, new);
    }

    pub(super) fn element(&mut self, array: VarId, index: ExprId) -> ExprId {
        let (place, ty) = (self.editor.place(array), self.editor.parts.variables[array.index()].ty.ty);
        let Type::Array { element, .. } = *self.editor.parts.types.get(ty) else { return place };
        self.editor.expr(Expr::Index(place, index), element.ty)
    }

    pub(super) fn load(&mut self, place: ExprId) -> ExprId {
        let ty = self.editor.type_of(place);
        self.editor.expr(Expr::Load(place), ty)
    }

    pub(super) fn below(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let int = self.editor.int();
        self.editor.expr(Expr::Binary(BinaryOp::Less, a, b), int)
    }
}
