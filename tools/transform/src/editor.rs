//! The tables of a program while it is being changed.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use program::cfa::{
    Cfa, CfaParts, Edge, EdgeId, Function, FunctionId, Known, Linkage, Location, LocationId, Operation, StaticInitializer, VarId,
    VarKind, Variable,
};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::layout::{AlignedAs, align_of};
use program::source::Span;
use program::types::{FunctionType, IntRank, QualType, Type, TypeId};
use rustc_hash::FxHashMap;

use crate::Recast;
use crate::merge::mapped;

/// A program that is being changed. What is in it keeps its identity; edges may be led elsewhere and added.
#[derive(Debug)]
pub struct Editor {
    pub(crate) parts: CfaParts,
    pub(crate) origin: Vec<Option<(u8, EdgeId)>>,
    pub(crate) assumptions: Vec<String>,
    /// `int`
    int: TypeId,
}

impl Editor {
    /// Begins with a copy of a program.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Self {
        let origin = cfa.edge_ids().map(|edge| Some((0, edge))).collect();
        Self { assumptions: cfa.assumptions.clone(), ..Self::of(cfa.parts(), origin) }
    }

    /// Goes on with tables whose edges come from elsewhere.
    pub(crate) fn of(mut parts: CfaParts, origin: Vec<Option<(u8, EdgeId)>>) -> Self {
        let int = parts.types.intern(Type::Int { rank: IntRank::Int, signed: true });
        Self { parts, origin, assumptions: Vec::new(), int }
    }

    /// The program.
    #[must_use]
    pub fn finish(self) -> Recast {
        let mut cfa = Cfa::new(self.parts);
        cfa.assumptions = self.assumptions;
        Recast { cfa, origin: self.origin }
    }

    /// Leaves out edges that nothing comes to from the entry of their function.
    pub(crate) fn drop_unreached(&mut self) {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); self.parts.locations.len()];
        for (index, edge) in self.parts.edges.iter().enumerate() {
            leaving[edge.source.index()].push(index);
        }
        let mut reached = vec![false; leaving.len()];
        let mut pending: Vec<LocationId> = self.parts.functions.iter().filter_map(|function| function.entry).collect();
        while let Some(location) = pending.pop() {
            if !std::mem::replace(&mut reached[location.index()], true) {
                pending.extend(leaving[location.index()].iter().map(|edge| self.parts.edges[*edge].target));
            }
        }
        let mut kept = self.parts.edges.iter().map(|edge| reached[edge.source.index()]).collect::<Vec<_>>().into_iter();
        self.origin.retain(|_| kept.next().unwrap_or_default());
        self.parts.edges.retain(|edge| reached[edge.source.index()]);
    }

    /// The type `int`.
    #[must_use]
    pub fn int(&self) -> TypeId {
        self.int
    }

    /// A new location in the function of another one.
    pub fn location_beside(&mut self, other: LocationId) -> LocationId {
        let function = self.parts.locations[other.index()].function;
        self.location_in(function)
    }

    pub(crate) fn location_in(&mut self, function: FunctionId) -> LocationId {
        self.parts.locations.push(Location::new(function));
        LocationId::new(self.parts.locations.len() - 1)
    }

    /// An edge.
    #[must_use]
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.parts.edges[edge.index()]
    }

    /// Leads an edge elsewhere.
    pub fn lead(&mut self, edge: EdgeId, target: LocationId) {
        self.parts.edges[edge.index()].target = target;
    }

    /// Adds an edge.
    pub fn add(
        &mut self,
        source: LocationId,
        target: LocationId,
        operation: Operation,
        (span, statement): (Span, Span),
    ) -> EdgeId {
        self.parts.edges.push(Edge { source, target, operation, span, statement, choice: None });
        self.origin.push(None);
        EdgeId::new(self.parts.edges.len() - 1)
    }

    /// Adds the two edges of a condition, which is an `int` that is 0 or 1.
    pub fn branch(&mut self, from: LocationId, condition: ExprId, (yes, no): (LocationId, LocationId), at: (Span, Span)) {
        self.add(from, yes, Operation::Assume { condition, truth: true }, at);
        self.add(from, no, Operation::Assume { condition, truth: false }, at);
    }

    /// Puts a location in front of another one: all edges lead there, and what is added behind it comes before the edges of
    /// `at`, which leave another location from now on. Returns the location that these leave.
    ///
    /// The entry of a function, if it is `at`, stays where it is: what is added is passed first.
    pub fn before(&mut self, at: LocationId) -> LocationId {
        let behind = self.location_beside(at);
        for edge in &mut self.parts.edges {
            if edge.source == at {
                edge.source = behind;
            }
        }
        behind
    }

    /// Adds a call of an error function, which leads to an error location: a known one of the same function, or a new one.
    pub fn error_behind(&mut self, from: LocationId, known: Option<LocationId>, at: (Span, Span)) -> LocationId {
        let error = known.unwrap_or_else(|| self.location_beside(from));
        self.parts.locations[error.index()].is_error = true;
        let callee = self.error_function();
        self.add(from, error, Operation::Call { callee, arguments: Vec::new(), result: None }, at);
        error
    }

    fn error_function(&mut self) -> FunctionId {
        if let Some(known) = self.parts.functions.iter().position(|function| function.known == Some(Known::Error)) {
            return FunctionId::new(known);
        }
        let void = self.parts.types.intern(Type::Void);
        let ty = FunctionType { result: QualType::plain(void), parameters: Vec::new(), variadic: false, unprototyped: false };
        let ty = self.parts.types.intern(Type::Function(ty));
        self.parts.functions.push(Function { known: Some(Known::Error), ..plain_function("__residue_reached", ty) });
        FunctionId::new(self.parts.functions.len() - 1)
    }

    /// A new function that gives an input of a type.
    pub fn input_function(&mut self, result: TypeId) -> FunctionId {
        let result = QualType::plain(result);
        let ty = FunctionType { result, parameters: Vec::new(), variadic: false, unprototyped: false };
        let ty = self.parts.types.intern(Type::Function(ty));
        self.parts.functions.push(Function { known: Some(Known::Input), ..plain_function("__residue_any", ty) });
        FunctionId::new(self.parts.functions.len() - 1)
    }

    /// A static variable that is zero at the start, and that only added edges mention.
    pub fn ghost(&mut self, name: &str, ty: QualType) -> VarId {
        self.global(name, ty, Some(StaticInitializer::default()))
    }

    /// A variable that has any value, always the same: no edge writes it.
    pub fn choice(&mut self, name: &str, ty: TypeId) -> VarId {
        self.global(name, QualType::plain(ty), None)
    }

    /// A variable of a function that only added edges mention.
    pub fn local(&mut self, name: &str, ty: QualType, function: FunctionId) -> VarId {
        let variable = self.global(name, ty, None);
        let own = &mut self.parts.variables[variable.index()];
        (own.kind, own.function) = (VarKind::Local, Some(function));
        variable
    }

    fn global(&mut self, name: &str, ty: QualType, initializer: Option<StaticInitializer>) -> VarId {
        let align = align_of(&self.parts.types, self.parts.machine, ty.ty, AlignedAs::Object).max(1);
        let mut name = format!("__residue_{name}");
        while self.parts.variables.iter().any(|variable| *variable.name == *name) {
            name.push('_');
        }
        let defined = initializer.is_some();
        let linkage = if defined { Linkage::Internal } else { Linkage::External };
        self.parts.variables.push(Variable {
            name: name.into(),
            ordinal: 0,
            kind: VarKind::Global { linkage, defined },
            function: None,
            ty,
            initializer,
            address_taken: false,
            thread_local: false,
            align,
            identity: Box::default(),
            span: Span::default(),
        });
        VarId::new(self.parts.variables.len() - 1)
    }

    /// A variable as a place.
    pub fn place(&mut self, variable: VarId) -> ExprId {
        let ty = self.parts.variables[variable.index()].ty.ty;
        self.parts.exprs.intern(Expr::Variable(variable), ty)
    }

    /// The value of a variable.
    pub fn load(&mut self, variable: VarId) -> ExprId {
        let (place, ty) = (self.place(variable), self.parts.variables[variable.index()].ty.ty);
        self.parts.exprs.intern(Expr::Load(place), ty)
    }

    /// A constant of an integer type, as its bits.
    pub fn number(&mut self, ty: TypeId, bits: u128) -> ExprId {
        self.parts.exprs.intern(Expr::Int(bits), ty)
    }

    /// The type of an expression.
    #[must_use]
    pub fn type_of(&self, expr: ExprId) -> TypeId {
        self.parts.exprs.ty(expr)
    }

    /// Adds an expression.
    pub fn expr(&mut self, expr: Expr, ty: TypeId) -> ExprId {
        self.parts.exprs.intern(expr, ty)
    }

    /// Adds a type.
    pub fn ty(&mut self, ty: Type) -> TypeId {
        self.parts.types.intern(ty)
    }

    /// An expression with others in the place of some.
    pub fn substituted(&mut self, expr: ExprId, known: &FxHashMap<ExprId, ExprId>) -> ExprId {
        if known.is_empty() {
            return expr;
        }
        if let Some(new) = known.get(&expr) {
            return *new;
        }
        let old = *self.parts.exprs.get(expr);
        let operands: Vec<(ExprId, ExprId)> = old.operands().map(|operand| (operand, self.substituted(operand, known))).collect();
        if operands.iter().all(|(old, new)| old == new) {
            return expr;
        }
        let of = |operand| operands.iter().find(|(old, _)| *old == operand).map_or(operand, |(_, new)| *new);
        let ty = self.parts.exprs.ty(expr);
        self.expr(mapped(&old, of), ty)
    }

    /// Whether a scalar is not zero, as an `int` that is 0 or 1.
    pub fn truth(&mut self, value: ExprId) -> ExprId {
        match *self.parts.exprs.get(value) {
            Expr::Binary(op, ..) if op.is_predicate() => value,
            Expr::Unary(UnaryOp::Not, _) => value,
            _ => {
                let ty = self.parts.exprs.ty(value);
                let is_float = matches!(self.parts.types.get(ty), Type::Float(_));
                let zero = self.parts.exprs.intern(if is_float { Expr::Float(0) } else { Expr::Int(0) }, ty);
                self.parts.exprs.intern(Expr::Binary(BinaryOp::NotEqual, value, zero), self.int)
            }
        }
    }

    /// Whether two values of one scalar type are equal.
    pub fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.parts.exprs.intern(Expr::Binary(BinaryOp::Equal, a, b), self.int)
    }
}

/// A function that no text has.
pub(crate) fn plain_function(name: &str, ty: TypeId) -> Function {
    Function::new(name, Linkage::External, ty, Span::default())
}
