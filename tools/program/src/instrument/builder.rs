//! Expressions, edges and variables that the pass adds.

use std::collections::BTreeMap;

use crate::cfa::{
    CfaParts, Edge, Function, FunctionId, Linkage, Location, LocationId, Operation, StaticInitializer, VarId, VarKind, Variable,
};
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::source::Span;
use crate::types::{FunctionType, IntRank, QualType, Type, TypeId};
use crate::violation::Violation;

/// The tables of a program that grow.
pub(super) struct Builder<'a> {
    pub(super) parts: &'a mut CfaParts,
    /// `int`
    pub(super) int: TypeId,
    /// `void *`, the type of addresses: converting to it makes no object look like another.
    pub(super) pointer: TypeId,
    /// The unsigned integer as wide as a pointer.
    pub(super) word: TypeId,
    errors: BTreeMap<FunctionId, LocationId>,
    violations: BTreeMap<Violation, FunctionId>,
    anything: Option<VarId>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(parts: &'a mut CfaParts) -> Self {
        let int = parts.types.intern(Type::Int { rank: IntRank::Int, signed: true });
        let void = parts.types.intern(Type::Void);
        let pointer = parts.types.intern(Type::Pointer(QualType::plain(void)));
        let rank = if parts.machine.word() == 4 { IntRank::Int } else { IntRank::Long };
        let word = parts.types.intern(Type::Int { rank, signed: false });
        Self { parts, int, pointer, word, errors: BTreeMap::new(), violations: BTreeMap::new(), anything: None }
    }

    pub(super) fn get(&self, expr: ExprId) -> Expr {
        *self.parts.exprs.get(expr)
    }

    pub(super) fn ty(&self, expr: ExprId) -> &Type {
        self.parts.types.get(self.parts.exprs.ty(expr))
    }

    pub(super) fn bytes_of(&self, ty: TypeId) -> Option<u64> {
        crate::layout::size_of(&self.parts.types, self.parts.machine, ty).ok()
    }

    /// A new location in the function of another one.
    pub(super) fn location_beside(&mut self, other: LocationId) -> LocationId {
        let function = self.parts.locations[other.index()].function;
        self.parts.locations.push(Location::new(function));
        LocationId::new(self.parts.locations.len() - 1)
    }

    /// Adds an edge with the places of another one.
    pub(super) fn edge(&mut self, source: LocationId, target: LocationId, operation: Operation, at: &Edge) {
        self.parts.edges.push(Edge { source, target, operation, span: at.span, statement: at.statement, choice: None });
    }

    /// Adds the two edges of a condition.
    pub(super) fn branch(&mut self, from: LocationId, condition: ExprId, (yes, no): (LocationId, LocationId), at: &Edge) {
        self.edge(from, yes, Operation::Assume { condition, truth: true }, at);
        self.edge(from, no, Operation::Assume { condition, truth: false }, at);
    }

    /// Gives a variable null on one way, and what a call yields on the other.
    pub(super) fn null_or_call(&mut self, variable: VarId, (null, called): (LocationId, LocationId), call: &Edge) {
        let ty = self.parts.variables[variable.index()].ty.ty;
        let (place, value) = (self.place(variable), self.number(ty, 0));
        self.edge(null, call.target, Operation::Assign { place, value }, call);
        self.edge(called, call.target, call.operation.clone(), call);
    }

    /// Ends the path in an unsupported operation.
    pub(super) fn stop(&mut self, from: LocationId, construct: Box<str>, at: &Edge) {
        let end = self.location_beside(from);
        self.edge(from, end, Operation::Unsupported { construct }, at);
    }

    /// Ends the path in a violation.
    pub(super) fn violation(&mut self, from: LocationId, violation: Violation, at: &Edge) {
        let function = self.parts.locations[from.index()].function;
        let target = match self.errors.get(&function) {
            Some(known) => *known,
            None => {
                let target = self.location_beside(from);
                self.parts.locations[target.index()].is_error = true;
                self.errors.insert(function, target);
                target
            }
        };
        let callee = self.violation_function(violation);
        self.edge(from, target, Operation::Call { callee, arguments: Vec::new(), result: None }, at);
    }

    fn violation_function(&mut self, violation: Violation) -> FunctionId {
        if let Some(known) = self.violations.get(&violation) {
            return *known;
        }
        // Guards of arithmetic have it already.
        let name = violation.function();
        if let Some(known) = self.parts.functions.iter().position(|function| *function.name == *name) {
            return FunctionId::new(known);
        }
        let void = self.parts.types.intern(Type::Void);
        let ty = FunctionType { result: QualType::plain(void), parameters: Vec::new(), variadic: false, unprototyped: false };
        let ty = self.parts.types.intern(Type::Function(ty));
        self.parts.functions.push(Function::error(&name, ty));
        let id = FunctionId::new(self.parts.functions.len() - 1);
        self.violations.insert(violation, id);
        id
    }

    /// A variable of the pass: static, zero at the start.
    pub(super) fn ghost(&mut self, name: &str, ty: TypeId) -> VarId {
        let align = crate::layout::align_of(&self.parts.types, self.parts.machine, ty, crate::layout::AlignedAs::Object);
        self.parts.variables.push(Variable {
            name: format!("__residue_{name}").into(),
            ordinal: 0,
            kind: VarKind::Global { linkage: Linkage::Internal, defined: true },
            function: None,
            ty: QualType::plain(ty),
            initializer: Some(StaticInitializer::default()),
            address_taken: false,
            thread_local: false,
            align: align.max(1),
            identity: Box::default(),
            span: Span::default(),
        });
        VarId::new(self.parts.variables.len() - 1)
    }

    /// A condition that may hold or not.
    pub(super) fn nobody_knows(&mut self) -> ExprId {
        let variable = match self.anything {
            Some(known) => known,
            None => {
                let variable = self.ghost("anything", self.int);
                let made = &mut self.parts.variables[variable.index()];
                made.kind = VarKind::Global { linkage: Linkage::External, defined: false };
                made.initializer = None;
                self.anything = Some(variable);
                variable
            }
        };
        self.is_set(variable)
    }

    pub(super) fn place(&mut self, variable: VarId) -> ExprId {
        let ty = self.parts.variables[variable.index()].ty.ty;
        self.parts.exprs.intern(Expr::Variable(variable), ty)
    }

    pub(super) fn load(&mut self, variable: VarId) -> ExprId {
        let place = self.place(variable);
        let ty = self.parts.variables[variable.index()].ty.ty;
        self.parts.exprs.intern(Expr::Load(place), ty)
    }

    pub(super) fn number(&mut self, ty: TypeId, value: u64) -> ExprId {
        self.parts.exprs.intern(Expr::Int(u128::from(value)), ty)
    }

    /// The null address.
    pub(super) fn null(&mut self) -> ExprId {
        self.number(self.pointer, 0)
    }

    /// A pointer as an address.
    pub(super) fn address(&mut self, pointer: ExprId) -> ExprId {
        self.converted(pointer, self.pointer)
    }

    pub(super) fn converted(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        if self.parts.exprs.ty(value) == ty {
            return value;
        }
        if let Expr::Cast(inner) = self.get(value)
            && ty == self.pointer
            && matches!(self.ty(value), Type::Pointer(_))
            && matches!(self.ty(inner), Type::Pointer(_))
        {
            return self.converted(inner, ty);
        }
        self.parts.exprs.intern(Expr::Cast(value), ty)
    }

    /// The first address of a variable that the current function can name.
    pub(super) fn start_of(&mut self, variable: VarId) -> ExprId {
        let place = self.place(variable);
        let ty = self.parts.variables[variable.index()].ty;
        let ty = self.parts.types.intern(Type::Pointer(ty));
        let address = self.parts.exprs.intern(Expr::AddressOf(place), ty);
        self.address(address)
    }

    /// `address + index * scale` bytes.
    pub(super) fn offset(&mut self, address: ExprId, index: ExprId, scale: u64) -> ExprId {
        self.parts.exprs.intern(Expr::PointerOffset { pointer: address, index, scale }, self.pointer)
    }

    /// `address + bytes`, which may be negative.
    pub(super) fn moved(&mut self, address: ExprId, bytes: i128) -> ExprId {
        if bytes == 0 {
            return address;
        }
        let mask = if self.parts.machine.word() == 4 { u128::from(u32::MAX) } else { u128::from(u64::MAX) };
        let index = self.parts.exprs.intern(Expr::Int(bytes.cast_unsigned() & mask), self.word);
        self.offset(address, index, 1)
    }

    pub(super) fn compare(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.parts.exprs.intern(Expr::Binary(op, a, b), self.int)
    }

    /// Whether an address is at most so many bytes behind another one.
    pub(super) fn is_near(&mut self, address: ExprId, start: ExprId, bytes: ExprId) -> ExprId {
        let rank = if self.parts.machine.word() == 4 { IntRank::Int } else { IntRank::Long };
        let signed = self.parts.types.intern(Type::Int { rank, signed: true });
        let distance = Expr::PointerDifference { left: address, right: start, scale: 1 };
        let distance = self.parts.exprs.intern(distance, signed);
        let distance = self.converted(distance, self.word);
        self.compare(BinaryOp::LessEqual, distance, bytes)
    }

    /// Whether a number or an address is not zero.
    pub(super) fn is_set(&mut self, variable: VarId) -> ExprId {
        let value = self.load(variable);
        let ty = self.parts.variables[variable.index()].ty.ty;
        let zero = self.number(ty, 0);
        self.compare(BinaryOp::NotEqual, value, zero)
    }

    pub(super) fn not(&mut self, value: ExprId) -> ExprId {
        self.parts.exprs.intern(Expr::Unary(UnaryOp::Not, value), self.int)
    }

    /// All of them; 1 if there is none.
    pub(super) fn all(&mut self, conditions: &[ExprId]) -> ExprId {
        self.joined(BinaryOp::LogicalAnd, conditions, 1)
    }

    /// One of them; 0 if there is none.
    pub(super) fn any(&mut self, conditions: &[ExprId]) -> ExprId {
        self.joined(BinaryOp::LogicalOr, conditions, 0)
    }

    fn joined(&mut self, op: BinaryOp, conditions: &[ExprId], none: u64) -> ExprId {
        let mut all = conditions.iter().copied();
        let Some(first) = all.next() else { return self.number(self.int, none) };
        all.fold(first, |before, next| self.compare(op, before, next))
    }

    pub(super) fn choose(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.parts.exprs.ty(then);
        self.parts.exprs.intern(Expr::Conditional(condition, then, otherwise), ty)
    }
}
