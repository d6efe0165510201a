//! Constraints of expressions: which pointers the value of each may hold, from those of its operands.
//!
//! Only expressions whose pointers matter have a node: integers that are merely compared yield no pointer.
//! Does not know what becomes of a value (`operations`), nor when an address becomes data (`exposure`).

use program::cfa::Operation;
use program::expr::{Expr, ExprId, UnaryOp};
use program::types::Type;

use super::Builder;
use super::solver::Node;
use crate::objects::{Root, root};

impl Builder<'_> {
    /// Marks the expressions whose pointers matter: all pointers, integers that are kept, and their operands. Integers that
    /// are only compared yield no pointer.
    pub(super) fn find_flows(&mut self) {
        for edge in &self.cfa.edges {
            match &edge.operation {
                Operation::Assign { value, .. } | Operation::Return { value: Some(value) } => {
                    self.flows.insert(value.index());
                }
                Operation::Call { arguments, .. } => arguments.iter().for_each(|a| self.flows.insert(a.index())),
                Operation::Asm(asm) => asm.inputs.iter().for_each(|o| self.flows.insert(o.expr.index())),
                Operation::Declare { .. }
                | Operation::Assume { .. }
                | Operation::Havoc { .. }
                | Operation::Return { value: None }
                | Operation::Blank
                | Operation::Unsupported { .. } => {}
            }
        }
        for id in (0..self.cfa.exprs.len()).rev().map(ExprId::new) {
            let expr = *self.cfa.exprs.get(id);
            if self.is_pointer(id) && !expr.is_place() {
                self.flows.insert(id.index());
            }
            if self.flows.contains(id.index()) {
                for operand in self.flowing_operands(&expr) {
                    self.flows.insert(operand.index());
                }
            }
        }
    }

    /// The operands whose pointers may be in the value of an expression. Places are looked through by [`root`].
    fn flowing_operands(&self, expr: &Expr) -> Vec<ExprId> {
        match *expr {
            Expr::Unary(op, operand) => {
                if op == UnaryOp::Not {
                    vec![]
                } else {
                    vec![operand]
                }
            }
            Expr::Binary(op, left, right) => {
                if op.is_predicate() {
                    vec![]
                } else {
                    vec![left, right]
                }
            }
            Expr::PointerOffset { pointer, index, .. } => {
                if self.is_constant(pointer) {
                    vec![pointer, index]
                } else {
                    vec![pointer]
                }
            }
            Expr::PointerDifference { left, right, .. } => {
                if self.is_constant(left) || self.is_constant(right) {
                    vec![left, right]
                } else {
                    vec![]
                }
            }
            Expr::Cast(operand) => vec![operand],
            Expr::Conditional(_, then, otherwise) => vec![then, otherwise],
            Expr::Int(_)
            | Expr::Float(_)
            | Expr::Zero
            | Expr::Load(_)
            | Expr::AddressOf(_)
            | Expr::FunctionAddress(_)
            | Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..) => vec![],
        }
    }

    /// A constant, also when cast.
    pub(super) fn is_constant(&self, expr: ExprId) -> bool {
        let mut at = expr;
        while let Expr::Cast(operand) = *self.cfa.exprs.get(at) {
            at = operand;
        }
        matches!(self.cfa.exprs.get(at), Expr::Int(_))
    }

    /// The node of an expression whose operands have theirs.
    pub(super) fn expression(&mut self, id: ExprId) -> Option<Node> {
        let expr = *self.cfa.exprs.get(id);
        match expr {
            Expr::Int(value) => (value != 0 && self.is_pointer(id)).then_some(self.constant),
            Expr::Load(place) => self.loaded(id, place),
            Expr::AddressOf(place) => self.address(place),
            Expr::Cast(operand) => self.cast(id, operand),
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Conditional(..) => {
                let mut operands: Vec<Node> = self.flowing_operands(&expr).iter().filter_map(|o| self.nodes[o.index()]).collect();
                operands.dedup();
                if matches!(expr, Expr::PointerDifference { .. }) {
                    operands.iter().for_each(|&o| self.solver.copy(o, Node::ESCAPED));
                }
                self.united(&operands)
            }
            Expr::Float(_)
            | Expr::Zero
            | Expr::FunctionAddress(_)
            | Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..) => None,
        }
    }

    fn united(&mut self, nodes: &[Node]) -> Option<Node> {
        if nodes.len() < 2 {
            return nodes.first().copied();
        }
        let union = self.solver.node();
        nodes.iter().for_each(|&n| self.solver.copy(n, union));
        Some(union)
    }

    fn loaded(&mut self, id: ExprId, place: ExprId) -> Option<Node> {
        let node = if let Some(range) = self.objects.direct(self.cfa, place) {
            let contents: Vec<Node> = range.iter().map(Node::content).collect();
            self.united(&contents)?
        } else {
            let node = self.solver.node();
            match self.pointer_of(place) {
                Some(pointer) => self.solver.load(pointer, node),
                None => self.solver.contains(node, self.solver.anything()),
            }
            node
        };
        if !(self.is_pointer(id) && self.is_punned(place)) {
            return Some(node);
        }
        // Whoever stored an integer in the union chose the pointer.
        let punned = self.solver.node();
        self.solver.copy(node, punned);
        self.solver.contains(punned, self.solver.anything());
        Some(punned)
    }

    /// The pointer through which a place is reached. Places behind pointers without any known target are in external
    /// memory: a null or indeterminate pointer is undefined, an address made of constants is not ours.
    pub(super) fn pointer_of(&mut self, place: ExprId) -> Option<Node> {
        match root(self.cfa, place) {
            Some(Root::Pointer { pointer, .. }) => Some(self.nodes[pointer.index()].unwrap_or(self.constant)),
            Some(Root::Variable(_)) | None => None,
        }
    }

    pub(super) fn address(&mut self, place: ExprId) -> Option<Node> {
        match root(self.cfa, place) {
            Some(Root::Variable(variable)) => {
                let node = self.solver.node();
                for object in self.objects.of_variable(variable).iter() {
                    self.solver.contains(node, object);
                }
                Some(node)
            }
            Some(Root::Pointer { pointer, .. }) => self.nodes[pointer.index()],
            None => Some(self.external()),
        }
    }

    pub(super) fn external(&mut self) -> Node {
        let node = self.solver.node();
        self.solver.contains(node, self.solver.anything());
        node
    }

    fn cast(&mut self, id: ExprId, operand: ExprId) -> Option<Node> {
        if matches!(self.cfa.types.get(self.cfa.exprs.ty(id)), Type::Bool) {
            return None;
        }
        let inner = self.nodes[operand.index()];
        match (self.is_pointer(operand), self.is_pointer(id)) {
            (false, true) if self.is_constant(operand) => (!self.is_zero(operand)).then_some(self.constant),
            (false, true) => {
                let node = self.external();
                let made = self.solver.made();
                self.solver.contains(node, made);
                if let Some(inner) = inner {
                    self.solver.copy(inner, node);
                }
                Some(node)
            }
            (true, true) if self.is_reinterpretation(operand, id) => {
                let (node, punned) = (self.solver.node(), self.solver.punned());
                self.solver.contains(node, punned);
                if let Some(inner) = inner {
                    self.solver.copy(inner, node);
                }
                Some(node)
            }
            (true, true) | (true, false) | (false, false) => inner,
        }
    }

    fn is_zero(&self, expr: ExprId) -> bool {
        let mut at = expr;
        while let Expr::Cast(operand) = *self.cfa.exprs.get(at) {
            at = operand;
        }
        matches!(self.cfa.exprs.get(at), Expr::Int(0))
    }

    pub(super) fn is_pointer(&self, expr: ExprId) -> bool {
        matches!(self.cfa.types.get(self.cfa.exprs.ty(expr)), Type::Pointer(_))
    }

    /// Whether a place lies in a union that has a member which is no pointer.
    fn is_punned(&self, place: ExprId) -> bool {
        let mut at = place;
        loop {
            match *self.cfa.exprs.get(at) {
                Expr::Field(inner, _) => {
                    if let Type::Record(id) = *self.cfa.types.get(self.cfa.exprs.ty(inner)) {
                        let record = self.cfa.types.record(id);
                        let pointer = |ty| matches!(self.cfa.types.get(ty), Type::Pointer(_));
                        if record.is_union && !record.fields.iter().all(|f| pointer(f.ty.ty)) {
                            return true;
                        }
                    }
                    at = inner;
                }
                Expr::Index(inner, _) => at = inner,
                Expr::Variable(_) | Expr::Dereference { .. } | value!() => return false,
            }
        }
    }
}
