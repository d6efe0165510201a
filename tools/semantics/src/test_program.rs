//! Small automata made by hand, for tests of this crate that are about shapes rather than C text.

use formats::{DataModel, ProgramOptions};
use program::cfa::{
    Cfa, CfaParts, Edge, EdgeId, Function, FunctionId, Known, Linkage, Location, LocationId, Operation, VarId, VarKind, Variable,
};
use program::expr::{BinaryOp, Expr, ExprArena, ExprId};
use program::machine::MachineModel;
use program::source::{SourceFile, Span};
use program::types::{Field, FunctionType, IntRank, QualType, Record, RecordId, Type, TypeId, TypeTable};

/// A program under construction. All scalars are `int`.
pub(crate) struct TestProgram {
    types: TypeTable,
    exprs: ExprArena,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    pub(crate) int: TypeId,
    pub(crate) pointer: TypeId,
    function_type: TypeId,
}

const NOWHERE: Span = Span { lo: 0, hi: 0 };

impl TestProgram {
    pub(crate) fn new() -> Self {
        let mut types = TypeTable::default();
        let int = types.intern(Type::Int { rank: IntRank::Int, signed: true });
        let pointer = types.intern(Type::Pointer(QualType::plain(int)));
        let result = QualType::plain(int);
        let function_type =
            types.intern(Type::Function(FunctionType { result, parameters: vec![], variadic: false, unprototyped: true }));
        Self {
            types,
            exprs: ExprArena::default(),
            variables: vec![],
            functions: vec![],
            locations: vec![],
            edges: vec![],
            int,
            pointer,
            function_type,
        }
    }

    /// A function with a body; the first one is the entry.
    pub(crate) fn function(&mut self, name: &str) -> FunctionId {
        let id = self.external(name, None);
        let (entry, exit) = (self.location(id), self.location(id));
        let function = &mut self.functions[id.index()];
        function.entry = Some(entry);
        function.exit = Some(exit);
        id
    }

    pub(crate) fn external(&mut self, name: &str, known: Option<Known>) -> FunctionId {
        self.functions.push(Function {
            name: name.into(),
            linkage: Linkage::External,
            ty: self.function_type,
            parameters: vec![],
            entry: None,
            exit: None,
            known,
            address_taken: false,
            identity: Box::default(),
            span: NOWHERE,
        });
        FunctionId::new(self.functions.len() - 1)
    }

    pub(crate) fn entry(&self, function: FunctionId) -> LocationId {
        self.functions[function.index()].entry.expect("has a body")
    }

    pub(crate) fn exit(&self, function: FunctionId) -> LocationId {
        self.functions[function.index()].exit.expect("has a body")
    }

    pub(crate) fn location(&mut self, function: FunctionId) -> LocationId {
        self.locations.push(Location::new(function));
        LocationId::new(self.locations.len() - 1)
    }

    pub(crate) fn error(&mut self, function: FunctionId) -> LocationId {
        let location = self.location(function);
        self.locations[location.index()].is_error = true;
        location
    }

    pub(crate) fn variable(&mut self, name: &str, ty: TypeId, function: Option<FunctionId>, kind: VarKind) -> VarId {
        self.variables.push(Variable {
            name: name.into(),
            ordinal: 0,
            kind,
            function,
            ty: QualType::plain(ty),
            initializer: None,
            address_taken: false,
            thread_local: false,
            align: 4,
            identity: Box::default(),
            span: NOWHERE,
        });
        VarId::new(self.variables.len() - 1)
    }

    pub(crate) fn global(&mut self, name: &str, ty: TypeId) -> VarId {
        self.variable(name, ty, None, VarKind::Global { linkage: Linkage::External, defined: true })
    }

    pub(crate) fn local(&mut self, name: &str, ty: TypeId, function: FunctionId) -> VarId {
        self.variable(name, ty, Some(function), VarKind::Local)
    }

    pub(crate) fn parameter(&mut self, name: &str, ty: TypeId, function: FunctionId) -> VarId {
        let position = u32::try_from(self.functions[function.index()].parameters.len()).expect("small");
        let id = self.variable(name, ty, Some(function), VarKind::Parameter(position));
        self.functions[function.index()].parameters.push(id);
        id
    }

    /// A record whose members have these types.
    pub(crate) fn record(&mut self, members: &[TypeId]) -> TypeId {
        let id = self.add_record(members);
        self.types.intern(Type::Record(id))
    }

    /// A union whose members have these types.
    pub(crate) fn union(&mut self, members: &[TypeId]) -> TypeId {
        let id = self.add_record(members);
        self.types.record_mut(id).is_union = true;
        self.types.intern(Type::Record(id))
    }

    fn add_record(&mut self, members: &[TypeId]) -> RecordId {
        let fields = members.iter().map(|&ty| Field { name: None, ty: QualType::plain(ty), offset: 0, bits: None, align: 4 });
        let record = Record {
            tag: None,
            is_union: false,
            fields: fields.collect(),
            size: 8,
            align: 4,
            complete: true,
            unsupported: None,
            span: NOWHERE,
        };
        self.types.add_record(record)
    }

    pub(crate) fn pointer_to(&mut self, ty: TypeId) -> TypeId {
        self.types.intern(Type::Pointer(QualType::plain(ty)))
    }

    pub(crate) fn expr(&mut self, expr: Expr, ty: TypeId) -> ExprId {
        self.exprs.intern(expr, ty)
    }

    pub(crate) fn constant(&mut self, value: u128) -> ExprId {
        self.expr(Expr::Int(value), self.int)
    }

    pub(crate) fn place(&mut self, variable: VarId) -> ExprId {
        let ty = self.variables[variable.index()].ty.ty;
        self.expr(Expr::Variable(variable), ty)
    }

    pub(crate) fn field(&mut self, place: ExprId, number: u32) -> ExprId {
        let Type::Record(record) = *self.types.get(self.exprs.ty(place)) else { panic!("no record") };
        let ty = self.types.record(record).fields[number as usize].ty.ty;
        self.expr(Expr::Field(place, number), ty)
    }

    pub(crate) fn load(&mut self, place: ExprId) -> ExprId {
        let ty = self.exprs.ty(place);
        self.expr(Expr::Load(place), ty)
    }

    pub(crate) fn value(&mut self, variable: VarId) -> ExprId {
        let place = self.place(variable);
        self.load(place)
    }

    pub(crate) fn address(&mut self, place: ExprId) -> ExprId {
        let ty = self.pointer_to(self.exprs.ty(place));
        self.expr(Expr::AddressOf(place), ty)
    }

    pub(crate) fn address_of(&mut self, variable: VarId) -> ExprId {
        let place = self.place(variable);
        self.address(place)
    }

    /// The place a pointer variable points to.
    pub(crate) fn target(&mut self, pointer: VarId) -> ExprId {
        let value = self.value(pointer);
        let Type::Pointer(to) = *self.types.get(self.exprs.ty(value)) else { panic!("no pointer") };
        self.expr(Expr::Dereference { pointer: value, volatile: false }, to.ty)
    }

    pub(crate) fn cast(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        self.expr(Expr::Cast(value), ty)
    }

    pub(crate) fn edge(&mut self, source: LocationId, operation: Operation, target: LocationId) -> EdgeId {
        self.edges.push(Edge { source, target, operation, span: NOWHERE, statement: NOWHERE, choice: None });
        EdgeId::new(self.edges.len() - 1)
    }

    /// Adds the operation behind `from`; the location it leads to.
    pub(crate) fn then(&mut self, from: &mut LocationId, operation: Operation) -> EdgeId {
        let target = self.location(self.locations[from.index()].function);
        let edge = self.edge(*from, operation, target);
        *from = target;
        edge
    }

    pub(crate) fn assign(&mut self, from: &mut LocationId, place: ExprId, value: ExprId) -> EdgeId {
        self.then(from, Operation::Assign { place, value })
    }

    pub(crate) fn call(
        &mut self,
        from: &mut LocationId,
        callee: FunctionId,
        arguments: &[ExprId],
        result: Option<VarId>,
    ) -> EdgeId {
        self.then(from, Operation::Call { callee, arguments: arguments.to_vec(), result })
    }

    /// Both branches on `variable == 0`.
    pub(crate) fn branch(&mut self, from: LocationId, variable: VarId, yes: LocationId, no: LocationId) {
        let (left, right) = (self.value(variable), self.constant(0));
        let condition = self.expr(Expr::Binary(BinaryOp::Equal, left, right), self.int);
        self.edge(from, Operation::Assume { condition, truth: true }, yes);
        self.edge(from, Operation::Assume { condition, truth: false }, no);
    }

    pub(crate) fn finish_function(&mut self, from: LocationId, value: Option<ExprId>) -> EdgeId {
        let exit = self.exit(self.locations[from.index()].function);
        self.edge(from, Operation::Return { value }, exit)
    }

    pub(crate) fn build(self) -> Cfa {
        Cfa::new(CfaParts {
            source: SourceFile::new("test.c", ""),
            options: ProgramOptions::default(),
            machine: MachineModel::new(DataModel::LP64),
            types: self.types,
            exprs: self.exprs,
            variables: self.variables,
            functions: self.functions,
            locations: self.locations,
            edges: self.edges,
            entry: FunctionId(0),
            digest: None,
        })
    }
}
