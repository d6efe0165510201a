//! Variable argument lists: what `...` passes is an object of the caller, and a hidden last parameter points to it.
//!
//! A call of a variadic function that has a body assigns its surplus arguments to the members of a structure, each in a slot
//! of whole words, and passes the structure's address. `va_list` holds the address of the next slot: `va_start` takes it from
//! the hidden parameter, `va_arg` reads there and goes on by the size of the slot. On LP64 `va_list` is an array of one
//! structure, as gcc has it, so a function that gets one as an argument moves its caller's list; on ILP32 it is a pointer.
//!
//! Only a program with a `va_arg` is read like this; in others a list only goes to functions without a body.
//! Soundness: reading an argument with another type than it was passed with is undefined, as in C; here it reads the same
//! bytes. An argument that no slot holds (vectors, `_Complex`, aligned more than a word) is an unsupported operation.
//! A function without a body that writes or yields something gets no list: what it reads there is not followed.
//! Does not know the registers of the ABI.

use super::build::Class;
use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, ExprKind};
use crate::cfa::{Edge, FunctionId, Operation, VarId, VarKind, Variable};
use crate::layout::{AlignedAs, FieldSpec, RecordSpec, align_of, lay_out};
use crate::source::Span;
use crate::types::{ArrayLength, FloatKind, FunctionType, QualType, Qualifiers, Record, RecordId, Type, TypeId};

/// The name of the hidden parameter and of the objects it points to.
pub(crate) const ARGUMENTS: &str = "__arguments";

/// What lowering knows about variable argument lists.
#[derive(Default)]
pub(super) struct Lists {
    /// The program reads lists itself.
    pub(super) read: bool,
    /// The structure of a `va_list` on LP64.
    record: Option<RecordId>,
    /// The hidden parameters.
    parameters: rustc_hash::FxHashMap<FunctionId, VarId>,
    /// Structures for surplus arguments by the types of these.
    records: rustc_hash::FxHashMap<Vec<TypeId>, TypeId>,
    /// Objects for surplus arguments by calling function and type.
    objects: rustc_hash::FxHashMap<(FunctionId, TypeId), VarId>,
}

impl Lists {
    pub(super) fn new(ast: &ast::Ast) -> Self {
        let read = (0..ast.exprs()).any(|index| matches!(ast[ast::ExprId::from_index(index)].kind, ExprKind::VaArg { .. }));
        Self { read, ..Self::default() }
    }
}

impl Lowerer<'_> {
    /// The type `__builtin_va_list`.
    pub(super) fn list_type(&mut self) -> TypeId {
        if !self.lists.read {
            return self.types.intern(Type::VaList);
        }
        let record = match self.lists.record {
            Some(record) => record,
            None => {
                let record = self.list_record();
                *self.lists.record.insert(record)
            }
        };
        let element = QualType::plain(self.types.intern(Type::Record(record)));
        if self.machine.word() == 4 {
            return self.pointer_to(element);
        }
        self.types.intern(Type::Array { element, length: ArrayLength::Constant(1) })
    }

    /// The structure of a list on LP64; what a list points to on ILP32, which nobody looks into.
    fn list_record(&mut self) -> RecordId {
        if self.machine.word() == 4 {
            return self.structure(vec![slot("slot", self.basic.char_)]);
        }
        let length = ArrayLength::Constant(2);
        let rest = self.types.intern(Type::Array { element: QualType::plain(self.basic.ulong), length });
        let members = [slot("next", self.basic.void_pointer), slot("rest", rest)];
        self.structure(members.to_vec())
    }

    /// Whether a value is a list that is modelled, or points to one.
    pub(super) fn is_list(&self, ty: TypeId) -> bool {
        let mut ty = ty;
        loop {
            ty = match (self.types.get(ty), self.lists.record) {
                (Type::Pointer(to), _) => to.ty,
                (Type::Array { element, .. }, _) => element.ty,
                (Type::Record(record), Some(list)) => return *record == list,
                _ => return false,
            };
        }
    }

    fn structure(&mut self, fields: Vec<FieldSpec>) -> RecordId {
        let spec = RecordSpec { is_union: false, fields, packed: false, align: None, pack: None };
        // The members have sizes.
        let (fields, size, align) = match lay_out(&self.types, self.machine, spec) {
            Ok(layout) => (layout.fields, layout.size, layout.align),
            Err(_) => (Vec::new(), 0, 1),
        };
        let span = Span::default();
        self.types.add_record(Record { tag: None, is_union: false, fields, size, align, complete: true, unsupported: None, span })
    }

    /// The hidden parameter of a function whose body begins.
    pub(super) fn add_list_parameter(&mut self, function: FunctionId) {
        let Type::Function(ty) = self.types.get(self.functions[function.index()].ty) else { return };
        if !self.lists.read || !ty.variadic || ty.unprototyped {
            return;
        }
        let number = u32::try_from(self.functions[function.index()].parameters.len()).unwrap_or(u32::MAX);
        let span = self.functions[function.index()].span;
        let ty = QualType::plain(self.basic.void_pointer);
        let variable = self.new_variable(ARGUMENTS.into(), VarKind::Parameter(number), ty, span);
        self.functions[function.index()].parameters.push(variable);
        self.lists.parameters.insert(function, variable);
    }

    /// Number of parameters that are passed as they are, if there is a hidden one too.
    pub(super) fn fixed_parameters(&self, function: FunctionId) -> Option<usize> {
        self.lists.parameters.get(&function).map(|_| self.functions[function.index()].parameters.len() - 1)
    }

    /// The place where a list keeps the address of its next slot; `None` if the operand is no list that is modelled.
    fn next_slot(&mut self, list: ast::ExprId) -> Lowered<Option<Place>> {
        let span = self.ast[list].span;
        let operand = self.operand(list)?;
        let place = if self.machine.word() == 4 {
            match operand {
                Operand::Place(place) if self.is_list(self.ty(place.expr)) => place,
                _ => return Ok(None),
            }
        } else {
            let pointer = self.rvalue(operand, span)?;
            let pointee = self.pointee(self.ty(pointer)).map(|pointee| self.types.get(pointee.ty));
            match (pointee, self.lists.record) {
                (Some(Type::Record(record)), Some(list)) if *record == list => {}
                _ => return Ok(None),
            }
            let Operand::Place(list) = self.dereference(pointer, span)? else { return Ok(None) };
            match self.field(list, 0) {
                Some(place) => place,
                None => return Ok(None),
            }
        };
        let expr = self.freeze(place.expr, span);
        Ok(Some(Place { expr, ..place }))
    }

    /// `va_start`, `va_copy` and `va_end` of a list that is modelled.
    pub(super) fn modelled_list(&mut self, name: &str, list: ast::ExprId, arguments: &[ast::ExprId], span: Span) -> Lowered<()> {
        let Some(place) = self.next_slot(list)? else {
            self.unsupported(name, span);
            return Ok(());
        };
        let value = match (name, arguments) {
            ("va_start" | "c23_va_start", _) => {
                let parameter = self.body.function.and_then(|function| self.lists.parameters.get(&function).copied());
                parameter.map(|parameter| self.load_variable(parameter))
            }
            ("va_copy", [_, source]) => match self.next_slot(*source)? {
                Some(source) => Some(self.rvalue(Operand::Place(source), span)?),
                None => None,
            },
            _ => return Ok(()),
        };
        match value {
            Some(value) => {
                let value = self.convert(value, self.ty(place.expr));
                self.store(place, value, span);
            }
            None => self.unsupported(name, span),
        }
        Ok(())
    }

    /// `va_arg(list, ty)`.
    pub(super) fn list_argument(&mut self, list: ast::ExprId, ty: TypeId, span: Span) -> Lowered<Operand> {
        // No argument is passed as `char`, `short`, `_Bool` or `float`: gcc stops a program that reads one.
        let narrow = match self.types.get(ty) {
            Type::Float(kind) => *kind == FloatKind::Float,
            Type::Enum(_) => false,
            _ => self.class(ty) == Class::Integer && self.promoted(ty) != ty,
        };
        let (Some(place), Some(bytes), false) = (self.next_slot(list)?, self.slot_size(ty), narrow) else {
            return Ok(Operand::Value(self.unsupported_value("va_arg", span, ty)));
        };
        if bytes == 0 {
            return Ok(Operand::Value(self.zero(ty)));
        }
        let current = self.rvalue(Operand::Place(place), span)?;
        let current = self.save_always(current, span);
        let step = self.int(self.basic.int, i128::from(bytes));
        let next = self.pointer_offset(current, step, 1);
        self.store(place, next, span);
        let pointer = self.pointer_to(QualType::plain(ty));
        let pointer = self.convert(current, pointer);
        let operand = self.dereference(pointer, span)?;
        let value = self.rvalue(operand, span)?;
        Ok(Operand::Value(self.save_always(value, span)))
    }

    /// Bytes of the slot for an argument of a type; `None` if no slot can hold it.
    fn slot_size(&self, ty: TypeId) -> Option<u64> {
        let word = self.machine.word();
        let plain = self.is_scalar(ty) || self.class(ty) == Class::Record;
        if !plain || align_of(&self.types, self.machine, ty, AlignedAs::Member) > word {
            return None;
        }
        self.size_of(ty).ok().map(|bytes| bytes.next_multiple_of(word))
    }

    /// Gives every call of a function that reads a list the object that the list goes through, and those functions their
    /// types with the hidden parameter.
    pub(super) fn pass_lists(&mut self) {
        if self.lists.parameters.is_empty() {
            return;
        }
        let old = std::mem::take(&mut self.edges);
        let mut edges = Vec::with_capacity(old.len());
        for edge in old {
            self.pass_list(edge, &mut edges);
        }
        self.edges = edges;
        let functions: Vec<FunctionId> = self.lists.parameters.keys().copied().collect();
        for function in functions {
            let Type::Function(ty) = self.types.get(self.functions[function.index()].ty).clone() else { continue };
            let mut parameters = ty.parameters;
            parameters.push(QualType::plain(self.basic.void_pointer));
            let ty = FunctionType { parameters, variadic: false, ..ty };
            self.functions[function.index()].ty = self.types.intern(Type::Function(ty));
        }
    }

    fn pass_list(&mut self, mut edge: Edge, edges: &mut Vec<Edge>) {
        let Operation::Call { callee, arguments, .. } = &mut edge.operation else { return edges.push(edge) };
        let Some(fixed) = self.fixed_parameters(*callee).filter(|fixed| *fixed <= arguments.len()) else {
            return edges.push(edge);
        };
        let surplus = arguments.split_off(fixed);
        if surplus.is_empty() {
            arguments.push(self.int(self.basic.void_pointer, 0));
            return edges.push(edge);
        }
        let types: Vec<TypeId> = surplus.iter().map(|value| self.ty(*value)).collect();
        if types.iter().any(|ty| self.slot_size(*ty).is_none()) {
            edge.operation = Operation::Unsupported { construct: "variable argument of this type".into() };
            return edges.push(edge);
        }
        let object = self.arguments_object(self.locations[edge.source.index()].function, types, edge.span);
        let place = Place { expr: self.variable(object), qualifiers: Qualifiers::default(), bits: None };
        let address = self.address_of(place);
        arguments.push(self.convert(address, self.basic.void_pointer));
        let (mut source, span, statement) = (edge.source, edge.span, edge.statement);
        let mut push = |this: &mut Self, operation| {
            let target = this.sibling(source);
            edges.push(Edge { source, target, operation, span, statement, choice: None });
            source = target;
        };
        push(self, Operation::Declare { variable: object });
        for (index, value) in surplus.into_iter().enumerate() {
            // A member without a size is passed by nothing.
            let Some(member) = self.field(place, index).filter(|member| self.slot_size(self.ty(member.expr)) != Some(0)) else {
                continue;
            };
            push(self, Operation::Assign { place: member.expr, value });
        }
        edge.source = source;
        edges.push(edge);
    }

    /// The object of a function that surplus arguments of these types go through.
    fn arguments_object(&mut self, function: FunctionId, types: Vec<TypeId>, span: Span) -> VarId {
        let ty = match self.lists.records.get(&types) {
            Some(ty) => *ty,
            None => {
                let word = self.machine.word();
                let member = |ty| FieldSpec { own_align: Some(word), ..slot("a", ty) };
                let members = types.iter().enumerate();
                let members = members.map(|(n, ty)| FieldSpec { name: Some(format!("a{n}").into()), ..member(*ty) }).collect();
                let record = self.structure(members);
                let ty = self.types.intern(Type::Record(record));
                self.lists.records.insert(types, ty);
                ty
            }
        };
        if let Some(known) = self.lists.objects.get(&(function, ty)) {
            return *known;
        }
        let name: Box<str> = format!("{ARGUMENTS}{}", self.signature(ty)).into();
        let same = |v: &&Variable| v.function == Some(function) && v.name == name;
        let ordinal = u32::try_from(self.variables.iter().filter(same).count()).unwrap_or(u32::MAX);
        self.variables.push(Variable {
            name,
            ordinal,
            kind: VarKind::CompoundLiteral,
            function: Some(function),
            ty: QualType::plain(ty),
            initializer: None,
            address_taken: true,
            thread_local: false,
            align: 0,
            identity: Box::default(),
            span,
        });
        let object = VarId::new(self.variables.len() - 1);
        self.lists.objects.insert((function, ty), object);
        object
    }

    /// A name for the members of a structure by their kinds and sizes, so that an edit elsewhere renames no object.
    fn signature(&self, ty: TypeId) -> String {
        let Type::Record(record) = self.types.get(ty) else { return String::new() };
        let fields = self.types.record(*record).fields.iter();
        let word = |ty| match self.class(ty) {
            Class::Float => "f",
            Class::Pointer => "p",
            Class::Record => "r",
            _ => "i",
        };
        fields.map(|field| format!("_{}{}", word(field.ty.ty), self.size_of(field.ty.ty).unwrap_or(0))).collect()
    }
}

fn slot(name: &str, ty: TypeId) -> FieldSpec {
    let ty = QualType::plain(ty);
    FieldSpec { name: Some(name.into()), ty, type_align: None, own_align: None, packed: false, width: None }
}
