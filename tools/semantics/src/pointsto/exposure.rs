//! Where addresses become data: what happens to their bits can no longer be followed, so what they point to escapes.
//!
//! * A pointer that is converted to an integer exposes its targets, unless the integer is only compared with constants
//!   (which tells one bit per place in the program, and is how null and error pointers are recognised).
//! * Pointers in memory that is looked at as something else expose theirs: members of a union, memory behind a pointer to
//!   a type without pointers that was converted from another one or copied with `memcpy`, integer variables. What is
//!   stored there as data may be read as any pointer.
//! * A pointer that is compared with, or subtracted from, one made from an integer: a search could find it.
//!
//! Converting a pointer to `char *` for arithmetic only, and back, exposes nothing.
//! Does not know where pointers lead; that is what the constraints are for.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a few forms of expressions and types are looked for; every other one, new ones included, exposes"
)]
#![expect(clippy::fn_params_excessive_bools, reason = "whether the value of an expression becomes data is handed down")]

use fixedbitset::FixedBitSet;
use program::cfa::{Cfa, Known, Operation};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::known::Moves;
use program::types::{RecordId, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::solver::Node;
use super::{Builder, memory_function};
use crate::objects::used_expressions;

/// Whether objects of a type hold pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    Pointers,
    NoPointers,
    /// `void`, functions, types without a definition.
    Unknown,
}

/// What the types of one program hold.
pub(super) struct Contents<'a> {
    cfa: &'a Cfa,
    known: FxHashMap<TypeId, Holds>,
}

impl<'a> Contents<'a> {
    pub(super) fn new(cfa: &'a Cfa) -> Self {
        Self { cfa, known: FxHashMap::default() }
    }

    fn of(&mut self, ty: TypeId) -> Holds {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let found = self.search(ty);
        self.known.insert(ty, found);
        found
    }

    fn search(&self, ty: TypeId) -> Holds {
        let types = &self.cfa.types;
        let (mut open, mut seen) = (vec![ty], FxHashSet::<RecordId>::default());
        let mut found = Holds::NoPointers;
        while let Some(ty) = open.pop() {
            match types.get(ty) {
                Type::Pointer(_) | Type::VaList => return Holds::Pointers,
                Type::Array { element, .. } => open.push(element.ty),
                Type::Record(id) => {
                    if !types.record(*id).complete {
                        found = Holds::Unknown;
                    } else if seen.insert(*id) {
                        open.extend(types.record(*id).fields.iter().map(|f| f.ty.ty));
                    }
                }
                Type::Void | Type::Function(_) => found = Holds::Unknown,
                Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Complex(_) | Type::Enum(_) | Type::Vector { .. } => {}
            }
        }
        found
    }

    /// What a pointer expression's type says of its target.
    fn pointee(&mut self, pointer: ExprId) -> Option<(TypeId, Holds)> {
        let Type::Pointer(to) = *self.cfa.types.get(self.cfa.exprs.ty(pointer)) else { return None };
        Some((to.ty, self.of(to.ty)))
    }
}

impl Builder<'_> {
    /// Integer loads whose pointers matter beside those of [`Builder::find_flows`].
    pub(super) fn find_exposing_loads(&mut self) {
        let mut contents = Contents::new(self.cfa);
        for id in used_expressions(self.cfa).ones().map(ExprId::new) {
            if let Expr::Load(place) = *self.cfa.exprs.get(id)
                && !self.is_pointer(id)
                && self.is_pointer_seen_as_data(&mut contents, id, place)
            {
                self.flows.insert(id.index());
            }
        }
    }

    /// Adds the constraints for everything in the module's description.
    pub(super) fn add_exposures(&mut self) {
        let cfa = self.cfa;
        let used = used_expressions(cfa);
        let mut contents = Contents::new(cfa);
        let data = self.used_as_data(&used, &mut contents);
        for id in used.ones().map(ExprId::new) {
            match *cfa.exprs.get(id) {
                Expr::Cast(operand) if data.contains(id.index()) && self.is_pointer(operand) => {
                    if self.is_pointer(id) {
                        self.expose_reinterpreted(&mut contents, operand, id);
                    } else if !matches!(cfa.types.get(cfa.exprs.ty(id)), Type::Bool) {
                        self.escape(operand);
                    }
                }
                Expr::Load(place) if !self.is_pointer(id) && self.is_pointer_seen_as_data(&mut contents, id, place) => {
                    self.escape(id);
                }
                Expr::Binary(op, left, right) if op.is_predicate() && self.is_pointer(left) => self.meet(left, right),
                Expr::PointerDifference { left, right, .. } => self.meet(left, right),
                _ => {}
            }
        }
        for (object, o) in self.objects.iter() {
            if o.ty.is_some_and(|ty| contents.of(ty) == Holds::NoPointers) {
                self.solver.copy(Node::content(object), Node::ESCAPED);
            }
        }
        self.expose_copies(&mut contents);
    }

    /// Two pointers whose relation the program asks for: whoever makes one from integers can find the other.
    fn meet(&mut self, left: ExprId, right: ExprId) {
        if let (Some(left), Some(right)) = (self.nodes[left.index()], self.nodes[right.index()]) {
            self.solver.meet(left, right);
            self.solver.meet(right, left);
        }
    }

    /// Whether a load of something that is no pointer reads a union that may hold one.
    fn is_pointer_seen_as_data(&self, contents: &mut Contents<'_>, load: ExprId, place: ExprId) -> bool {
        let exprs = &self.cfa.exprs;
        if contents.of(exprs.ty(load)) == Holds::Pointers {
            return false;
        }
        let mut at = place;
        loop {
            match *exprs.get(at) {
                Expr::Field(inner, _) => {
                    let union = match *self.cfa.types.get(exprs.ty(inner)) {
                        Type::Record(id) => self.cfa.types.record(id).is_union,
                        _ => false,
                    };
                    if union && contents.of(exprs.ty(inner)) != Holds::NoPointers {
                        return true;
                    }
                    at = inner;
                }
                Expr::Index(inner, _) => at = inner,
                _ => return false,
            }
        }
    }

    /// A pointer of one type becomes a pointer of another: memory with pointers may be read as data through it.
    fn expose_reinterpreted(&mut self, contents: &mut Contents<'_>, from: ExprId, to: ExprId) {
        let Some((to_ty, _)) = contents.pointee(to) else { return };
        let Some((from_ty, from_holds)) = contents.pointee(self.origin(from)) else { return };
        if from_ty == to_ty {
            return;
        }
        let Some(pointer) = self.nodes[from.index()] else { return };
        let inner = match *self.cfa.types.get(to_ty) {
            Type::Pointer(inner) => Some(contents.of(inner.ty)),
            _ => None,
        };
        if inner == Some(Holds::NoPointers) && from_holds != Holds::NoPointers {
            // Pointers to pointers that are read as pointers to data.
            let middle = self.solver.node();
            self.solver.load(pointer, middle);
            self.expose_content(middle);
        }
        if self.is_reinterpretation(from, to) {
            self.expose_content(pointer);
        }
    }

    /// What the memory behind a pointer holds escapes.
    fn expose_content(&mut self, pointer: Node) {
        let content = self.solver.node();
        self.solver.load(pointer, content);
        self.solver.copy(content, Node::ESCAPED);
    }

    /// The pointer that a pointer was converted or computed from.
    fn origin(&self, pointer: ExprId) -> ExprId {
        let mut at = pointer;
        loop {
            match *self.cfa.exprs.get(at) {
                Expr::Cast(inner) if self.is_pointer(inner) => at = inner,
                Expr::PointerOffset { pointer, .. } if self.is_pointer(pointer) => at = pointer,
                _ => return at,
            }
        }
    }

    /// Whether a conversion between pointers lets memory with pointers be seen as data, or data as pointers.
    pub(super) fn is_reinterpretation(&mut self, from: ExprId, to: ExprId) -> bool {
        let origin = self.origin(from);
        match (self.contents.pointee(origin), self.contents.pointee(to)) {
            (Some((_, from)), Some((_, to))) => (from == Holds::NoPointers) != (to == Holds::NoPointers) && to != Holds::Unknown,
            _ => false,
        }
    }

    /// Data that is stored through a pointer may be a pointer to who looks at it as one.
    pub(super) fn store_data(&mut self, place: ExprId) {
        let mut at = place;
        loop {
            match *self.cfa.exprs.get(at) {
                Expr::Field(inner, _) | Expr::Index(inner, _) => at = inner,
                Expr::Dereference { pointer, .. } if self.contents.of(self.cfa.exprs.ty(at)) == Holds::NoPointers => {
                    if let Some(pointer) = self.nodes[pointer.index()] {
                        self.solver.store_data(pointer);
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    /// `memcpy` between memory of different types.
    fn expose_copies(&mut self, contents: &mut Contents<'_>) {
        for edge in &self.cfa.edges {
            let Operation::Call { callee, arguments, .. } = &edge.operation else { continue };
            let function = self.cfa.function(*callee);
            let (Some(Known::Memory), Some(Moves::Copy { .. })) = (function.known, memory_function(&function.name)) else {
                continue;
            };
            let [to, from, ..] = arguments[..] else { continue };
            let types = [to, from].map(|a| contents.pointee(self.origin(a)));
            let same = matches!(types, [Some((to, Holds::Pointers)), Some((from, _))] if to == from);
            if same {
                continue;
            }
            if let Some(pointer) = self.nodes[from.index()] {
                self.expose_content(pointer);
            }
            if let Some(pointer) = self.nodes[to.index()] {
                self.solver.store_anything(pointer);
            }
        }
    }

    /// The used expressions whose value goes where its bits can be taken apart, or, for a pointer, where it is followed.
    fn used_as_data(&self, used: &FixedBitSet, contents: &mut Contents<'_>) -> FixedBitSet {
        let mut data = FixedBitSet::with_capacity(self.cfa.exprs.len());
        let mut mark = |expr: ExprId| data.insert(expr.index());
        for edge in &self.cfa.edges {
            match &edge.operation {
                Operation::Assign { place, value } => [*place, *value].into_iter().for_each(&mut mark),
                Operation::Call { arguments, .. } => arguments.iter().copied().for_each(&mut mark),
                Operation::Return { value } => value.iter().copied().for_each(&mut mark),
                Operation::Asm(asm) => asm.inputs.iter().chain(&asm.outputs).map(|o| o.expr).for_each(&mut mark),
                Operation::Assume { .. }
                | Operation::Declare { .. }
                | Operation::Havoc { .. }
                | Operation::Blank
                | Operation::Unsupported { .. } => {}
            }
        }
        for id in (0..self.cfa.exprs.len()).rev().map(ExprId::new).filter(|id| used.contains(id.index())) {
            let whole = data.contains(id.index());
            for operand in self.operands_as_data(contents, id, whole) {
                data.insert(operand.index());
            }
        }
        data
    }

    /// The operands that become data in an expression; `whole` says whether its value does.
    fn operands_as_data(&self, contents: &mut Contents<'_>, id: ExprId, whole: bool) -> Vec<ExprId> {
        let expr = *self.cfa.exprs.get(id);
        match expr {
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, ..) => vec![],
            Expr::Binary(op, left, right) if op.is_predicate() => {
                let harmless = self.is_pointer(left) || self.is_constant(left) || self.is_constant(right);
                if harmless { vec![] } else { vec![left, right] }
            }
            Expr::Conditional(_, then, otherwise) if whole => vec![then, otherwise],
            Expr::Conditional(..) | Expr::PointerDifference { .. } => vec![],
            Expr::PointerOffset { pointer, index, .. } if whole => vec![pointer, index],
            Expr::PointerOffset { index, .. } => vec![index],
            Expr::Cast(operand) => {
                let kept = match (contents.pointee(operand), contents.pointee(id)) {
                    // Back to what it was, after arithmetic.
                    (Some((_, Holds::NoPointers)), Some((_, Holds::Pointers))) => false,
                    (Some(_), _) => whole || self.is_narrow(id),
                    (None, Some(_)) => true,
                    (None, None) => whole || self.is_narrow(id),
                };
                if kept { vec![operand] } else { vec![] }
            }
            _ => expr.operands().collect(),
        }
    }

    /// Whether an expression has an integer type that holds less than a pointer; truth values tell no more than a
    /// comparison does.
    fn is_narrow(&self, expr: ExprId) -> bool {
        let cfa = self.cfa;
        match *cfa.types.get(cfa.exprs.ty(expr)) {
            Type::Int { rank, .. } => cfa.machine.int_size(rank) < cfa.machine.word(),
            Type::Bool | Type::Pointer(_) => false,
            _ => true,
        }
    }
}
