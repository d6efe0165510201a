//! The machine: data state, call stack and the step along an edge.

use formats::Property;
use program::cfa::{Cfa, ConstantValue, EdgeId, FunctionId, Known, LocationId, Operation, StaticInitializer, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::types::Type;

use super::addresses::{makes_numbers, may_be_addresses};
use super::arithmetic::truncate;
use super::fault::Fault;
use super::kind::{Kind, Layouts};
use super::memory::{Area, Birth, Content, Handle, Memory, Place, WHOLE, Zone};
use super::seeds::Seeds;
use super::waiting::Locks;
use super::{Inputs, Limits, Origin, Outcome, Request, ValueRead};
use crate::views::may_take_apart;

/// A function that was entered and not yet left.
#[derive(Clone, Copy, Debug)]
struct Frame {
    function: FunctionId,
    /// Number of its first automatic object.
    base: usize,
    /// The call edge it returns to; `None` for the entry function.
    call: Option<EdgeId>,
}

/// The automatic objects of each function, and where each variable is among them.
struct FrameLayouts {
    variables: Vec<Vec<VarId>>,
    slots: Vec<u32>,
}

/// All that changes during a run, besides its position.
pub(super) struct Machine<'a> {
    pub(super) cfa: &'a Cfa,
    pub(super) layouts: Layouts,
    pub(super) memory: Memory,
    pub(super) inputs: &'a mut dyn Inputs,
    frames: Vec<Frame>,
    frame_layouts: FrameLayouts,
    /// See [`may_be_addresses`].
    pub(super) has_addresses: bool,
    /// Numbers are made of pointers by casts.
    pub(super) makes_numbers: bool,
    /// Parts of pointers may be read as numbers.
    pub(super) takes_apart: bool,
    /// Some operator has looked at bits of an address that depend on the layout.
    pub(super) looks_at_addresses: bool,
    statics: Vec<Option<Handle>>,
    pub(super) reads: Vec<ValueRead>,
    pub(super) step: usize,
    skips_library: bool,
    pub(super) missing: Missing,
    pub(super) locks: Locks,
    pub(super) seeds: Seeds,
}

/// What a function gives back that ends without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// It is asked for.
    Value,
    /// Nothing that may be looked at; it may be handed on.
    Unreadable,
}

/// What an observer sees of a data state.
pub struct DataState<'m> {
    view: &'m (dyn View + 'm),
}

/// The reading half of a [`Machine`], apart from the lifetime of its inputs.
trait View {
    fn scalar(&self, variable: VarId) -> Option<u128>;
    fn place(&self, place: ExprId) -> Option<u128>;
    fn written(&self, place: ExprId) -> Option<u128>;
    fn depth(&self) -> usize;
}

impl DataState<'_> {
    /// The bit pattern of a scalar variable: a static one, or one of the function that is being executed.
    ///
    /// `None` if some byte is unknown (nothing was written to it or asked for), or if it is no scalar.
    #[must_use]
    pub fn scalar(&self, variable: VarId) -> Option<u128> {
        self.view.scalar(variable)
    }

    /// The bit pattern of the scalar at a place of the function that is being executed, bit-fields excepted.
    ///
    /// `None` if some byte of it is unknown, if where it is depends on more than pointers and indices that are constants or
    /// values at such places, or if there is no object.
    #[must_use]
    pub fn place(&self, place: ExprId) -> Option<u128> {
        self.view.place(place)
    }

    /// As [`Self::place`], and `None` as well if nothing was ever written to some of its bits, wherever they were copied from.
    #[must_use]
    pub fn written(&self, place: ExprId) -> Option<u128> {
        self.view.written(place)
    }

    /// How many functions have been entered and not left, the entry function included.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.view.depth()
    }
}

impl View for Machine<'_> {
    fn scalar(&self, variable: VarId) -> Option<u128> {
        let ty = self.cfa.variable(variable).ty.ty;
        let (Kind::Int { .. } | Kind::F32 | Kind::F64) = self.layouts.kind(ty) else { return None };
        let handle = self.variable(variable).ok()?;
        let area = self.memory.area(Some(handle), self.memory.address(handle), self.layouts.size(ty)?).ok()?;
        self.memory.unknown(area).is_empty().then(|| little_endian(self.memory.bytes(area)))
    }

    fn place(&self, place: ExprId) -> Option<u128> {
        self.peek(place, PEEK_DEPTH)
    }

    fn written(&self, place: ExprId) -> Option<u128> {
        let area = self.scalar_at(place, PEEK_DEPTH).filter(|area| self.memory.guesses(*area, WHOLE).is_empty())?;
        Some(little_endian(self.memory.bytes(area)))
    }

    fn depth(&self) -> usize {
        self.frames.len()
    }
}

/// How deep places are nested that an observer may look at.
const PEEK_DEPTH: u32 = 24;

/// Looking without asking for values.
impl Machine<'_> {
    /// The scalar at a place.
    fn peek(&self, place: ExprId, depth: u32) -> Option<u128> {
        Some(little_endian(self.memory.bytes(self.scalar_at(place, depth)?)))
    }

    /// The bytes of the scalar at a place, if all are known.
    fn scalar_at(&self, place: ExprId, depth: u32) -> Option<Area> {
        let ty = self.cfa.exprs.ty(place);
        let (Kind::Int { .. } | Kind::F32 | Kind::F64) = self.layouts.kind(ty) else { return None };
        let (handle, address) = self.locate(place, depth)?;
        let area = self.memory.area(handle, address, self.layouts.size(ty)?).ok()?;
        self.memory.unknown(area).is_empty().then_some(area)
    }

    /// Where a place is.
    fn locate(&self, place: ExprId, depth: u32) -> Option<(Option<Handle>, u64)> {
        let depth = depth.checked_sub(1)?;
        let cfa = self.cfa;
        match *cfa.exprs.get(place) {
            Expr::Variable(variable) => {
                let handle = self.variable(variable).ok()?;
                Some((Some(handle), self.memory.address(handle)))
            }
            Expr::Dereference { pointer, volatile: false } => Some((None, u64::try_from(self.known(pointer, depth)?).ok()?)),
            Expr::Field(record, number) => {
                let (handle, base) = self.locate(record, depth)?;
                let Type::Record(id) = cfa.types.get(cfa.exprs.ty(record)) else { return None };
                let field = cfa.types.record(*id).fields.get(number as usize).filter(|field| field.bits.is_none())?;
                Some((handle, base.checked_add(field.offset)?))
            }
            Expr::Index(array, index) => {
                let (handle, base) = self.locate(array, depth)?;
                let index = u64::try_from(self.known(index, depth)?).ok()?;
                let size = self.layouts.size(cfa.exprs.ty(place))?;
                Some((handle, base.checked_add(index.checked_mul(size)?)?))
            }
            Expr::Dereference { volatile: true, .. }
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Zero
            | Expr::Load(_)
            | Expr::AddressOf(_)
            | Expr::FunctionAddress(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Cast(_)
            | Expr::Conditional(..) => None,
        }
    }

    /// A pointer or a number that is not negative.
    fn known(&self, value: ExprId, depth: u32) -> Option<u128> {
        let depth = depth.checked_sub(1)?;
        let cfa = self.cfa;
        let Kind::Int { bits, signed, .. } = self.layouts.kind(cfa.exprs.ty(value)) else { return None };
        let found = match *cfa.exprs.get(value) {
            Expr::Int(number) => number,
            Expr::Load(place) => self.peek(place, depth)?,
            Expr::AddressOf(place) => u128::from(self.locate(place, depth)?.1),
            Expr::Cast(from) => self.known(from, depth)?,
            Expr::Float(_)
            | Expr::Zero
            | Expr::FunctionAddress(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Conditional(..)
            | Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..) => return None,
        };
        // What a conversion would change or a sign would turn around is left alone.
        let fits = found >> (bits - u32::from(signed)).min(127) == 0;
        fits.then_some(found)
    }
}

/// The number whose little-endian bytes these are.
pub(super) fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, byte| (value << 8) | u128::from(*byte))
}

impl<'a> Machine<'a> {
    pub(super) fn new(cfa: &'a Cfa, inputs: &'a mut dyn Inputs, limits: Limits, layout: u64) -> Self {
        Self {
            cfa,
            layouts: Layouts::new(cfa),
            memory: if cfa.options.property == Property::ValidDeref {
                Memory::spacious(cfa.machine.word(), limits.memory, layout)
            } else {
                Memory::new(cfa.machine.word(), limits.memory, layout)
            },
            inputs,
            frames: Vec::new(),
            frame_layouts: FrameLayouts::new(cfa),
            has_addresses: may_be_addresses(cfa),
            makes_numbers: makes_numbers(cfa),
            takes_apart: may_take_apart(cfa),
            looks_at_addresses: false,
            statics: vec![None; cfa.variables.len()],
            reads: Vec::new(),
            step: 0,
            // Bodies have guards of their own where operations or accesses are checked.
            skips_library: limits.skips_library && matches!(cfa.options.property, Property::UnreachCall | Property::Assert),
            missing: Missing::Value,
            locks: Locks::default(),
            seeds: Seeds::default(),
        }
    }

    pub(super) fn state(&self) -> DataState<'_> {
        DataState { view: self }
    }

    /// Asks for a value.
    pub(super) fn ask(&mut self, origin: Origin, bits: u32) -> Result<u128, Fault> {
        let request = Request { origin, bits, step: self.step };
        let value = match (self.inputs.value(&request), origin) {
            (Some(value), _) => truncate(value, bits),
            (None, Origin::Input(_)) => return Err(Fault::Exhausted),
            (None, _) => 0,
        };
        self.reads.push(ValueRead { request, value, decided: false, seen: true });
        Ok(value)
    }

    /// Makes static objects and the frame of the entry function.
    pub(super) fn start(&mut self) -> Result<(), Fault> {
        for id in self.cfa.variable_ids() {
            if self.frame_layouts.slots[id.index()] != u32::MAX {
                continue;
            }
            let variable = self.cfa.variable(id);
            let birth = Birth {
                variable: Some(id),
                size: self.layouts.size(variable.ty.ty).map(|size| self.cfa.size_of_object(id).unwrap_or(size)),
                align: variable.align,
                constant: matches!(variable.kind, VarKind::StringLiteral(_)),
                step: 0,
            };
            let content = if variable.initializer.is_some() { Content::Zero } else { Content::Unknown };
            let handle = self.memory.allocate(Zone::Static, birth, content)?;
            self.statics[id.index()] = Some(handle);
        }
        for id in self.cfa.variable_ids() {
            let (Some(handle), Some(initializer)) = (self.statics[id.index()], &self.cfa.variable(id).initializer) else {
                continue;
            };
            self.initialize(id, handle, initializer)?;
        }
        self.enter(self.cfa.entry, None)?;
        self.entry_parameters()
    }

    fn initialize(&mut self, id: VarId, handle: Handle, initializer: &StaticInitializer) -> Result<(), Fault> {
        if initializer.unsupported.is_some() || self.layouts.size(self.cfa.variable(id).ty.ty).is_none() {
            self.memory.make_opaque(handle);
            return Ok(());
        }
        let base = self.memory.address(handle);
        if let VarKind::StringLiteral(bytes) = &self.cfa.variable(id).kind {
            let len = (bytes.len() as u64).min(self.memory.size(handle));
            let area = self.memory.area(Some(handle), base, len)?;
            let target = self.memory.bytes_mut(area);
            target.copy_from_slice(&bytes[..target.len()]);
        }
        for scalar in &initializer.scalars {
            let value = match scalar.value {
                ConstantValue::Int(bits) | ConstantValue::Float(bits) => bits,
                ConstantValue::Address { variable, offset } => {
                    let target = self.variable(variable)?;
                    u128::from(self.memory.address(target).wrapping_add_signed(offset))
                }
                ConstantValue::Function(function) => u128::from(self.memory.function_address(function)),
            };
            let place = Place {
                object: Some(handle),
                address: base + scalar.first_bit / 8,
                bits: Some((formats::small(scalar.first_bit % 8), scalar.width)),
                volatile: false,
            };
            self.store_scalar(place, value, 0)?;
        }
        Ok(())
    }

    /// Gives the parameters of the entry function arbitrary values.
    fn entry_parameters(&mut self) -> Result<(), Fault> {
        let parameters = self.cfa.function(self.cfa.entry).parameters.clone();
        for (number, parameter) in parameters.into_iter().enumerate() {
            let Type::Pointer(pointee) = self.cfa.types.get(self.cfa.variable(parameter).ty.ty) else { continue };
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let address = if self.ask(Origin::Parameter(number), 1)? == 0 {
                0
            } else {
                let size = self.layouts.size(pointee.ty);
                let birth = Birth { variable: None, size, align: 1, constant: false, step: 0 };
                let handle = self.memory.allocate(Zone::Heap, birth, Content::Unknown)?;
                self.memory.address(handle)
            };
            self.assign_variable(parameter, u128::from(address))?;
        }
        Ok(())
    }

    fn enter(&mut self, function: FunctionId, call: Option<EdgeId>) -> Result<(), Fault> {
        let base = self.memory.stack_height();
        for index in 0..self.frame_layouts.variables[function.index()].len() {
            let variable = self.frame_layouts.variables[function.index()][index];
            let size = self.layouts.size(self.cfa.variable(variable).ty.ty);
            let align = self.cfa.variable(variable).align;
            let birth = Birth { variable: Some(variable), size, align, constant: false, step: self.step };
            self.memory.allocate(Zone::Stack, birth, Content::Unknown)?;
        }
        self.frames.push(Frame { function, base, call });
        Ok(())
    }

    /// The object of a variable: the one of the innermost frame for an automatic one.
    pub(super) fn variable(&self, variable: VarId) -> Result<Handle, Fault> {
        let slot = self.frame_layouts.slots[variable.index()];
        if slot == u32::MAX {
            return self.statics[variable.index()].ok_or_else(|| Fault::Unsupported("variable without object".into()));
        }
        match self.frames.last() {
            Some(frame) if self.cfa.variable(variable).function == Some(frame.function) => {
                Ok(self.memory.stack_handle(frame.base + slot as usize))
            }
            _ => Err(Fault::Unsupported("variable of another function".into())),
        }
    }

    /// The edge taken at a location; `None` if there is none.
    pub(super) fn choose(&mut self, location: LocationId) -> Result<Option<EdgeId>, (EdgeId, Fault)> {
        let cfa = self.cfa;
        let mut last: Option<(ExprId, bool)> = None;
        for &edge in cfa.out_edges(location) {
            let Operation::Assume { condition, truth } = cfa.edge(edge).operation else {
                return Ok(Some(edge));
            };
            let holds = match last {
                Some((known, value)) if known == condition => value,
                _ => self.evaluate(condition).map_err(|fault| (edge, fault))? != 0,
            };
            if holds == truth {
                return Ok(Some(edge));
            }
            last = Some((condition, holds));
        }
        Ok(None)
    }

    pub(super) fn end(&self, location: LocationId) -> Outcome {
        let entry = self.cfa.function(self.cfa.entry);
        if self.frames.is_empty() && entry.exit == Some(location) { Outcome::Finished } else { Outcome::Aborted }
    }

    /// Executes the operation of an edge and yields the next location.
    pub(super) fn pass(&mut self, id: EdgeId) -> Result<LocationId, Fault> {
        let cfa = self.cfa;
        let edge = cfa.edge(id);
        match &edge.operation {
            Operation::Assume { .. } | Operation::Blank => {}
            Operation::Declare { variable } => {
                let handle = self.variable(*variable)?;
                self.memory.forget(handle, self.step);
            }
            Operation::Assign { place, value } => self.assign(*place, *value)?,
            Operation::Havoc { variable, input } => {
                let value = self.input(*input)?;
                if let Some(variable) = variable {
                    self.assign_variable(*variable, value)?;
                }
            }
            Operation::Call { callee, arguments, result } => {
                if cfa.enters(*callee) && !self.is_computed(*callee) {
                    return self.call(id, *callee, arguments);
                }
                if cfa.function(*callee).known != Some(Known::Error) {
                    self.call_external(*callee, arguments, *result)?;
                }
            }
            Operation::Return { value } => return self.give_back(edge.target, *value),
            Operation::Asm(_) => return Err(Fault::Unsupported("inline assembly".into())),
            Operation::Unsupported { construct } => return Err(Fault::Unsupported(construct.clone())),
        }
        Ok(edge.target)
    }

    /// Whether a body of the C library need not be entered.
    fn is_computed(&self, callee: FunctionId) -> bool {
        let function = self.cfa.function(callee);
        self.skips_library
            && self.cfa.options.library.is_own()
            && self.cfa.source.is_library(function.span)
            && super::is_computed(&function.name)
    }

    fn input(&mut self, input: FunctionId) -> Result<u128, Fault> {
        let Type::Function(function) = self.cfa.types.get(self.cfa.function(input).ty) else {
            return Err(Fault::Unsupported("input that is no function".into()));
        };
        let result = self.layouts.get(function.result.ty);
        match (result.kind, result.size) {
            (Kind::Int { boolean: true, .. }, _) => self.ask(Origin::Input(input), 1),
            (Kind::Int { bits, .. }, _) => self.ask(Origin::Input(input), bits),
            (Kind::F32, _) => self.ask(Origin::Input(input), 32),
            (Kind::F64, _) => self.ask(Origin::Input(input), 64),
            (Kind::Void, _) => Ok(0),
            (Kind::Aggregate, _) => Err(Fault::Unsupported("input of an aggregate type".into())),
            (Kind::Unsupported(construct), _) => Err(Fault::Unsupported(construct.into())),
        }
    }

    fn call(&mut self, edge: EdgeId, callee: FunctionId, arguments: &[ExprId]) -> Result<LocationId, Fault> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.value(*argument)?);
        }
        self.enter(callee, Some(edge))?;
        let function = self.cfa.function(callee);
        for (parameter, value) in function.parameters.iter().zip(&values) {
            self.store_value(*parameter, value)?;
        }
        function.entry.ok_or_else(|| Fault::Unsupported("function without entry".into()))
    }

    fn give_back(&mut self, exit: LocationId, value: Option<ExprId>) -> Result<LocationId, Fault> {
        let is_withheld = value.is_some_and(|expr| self.is_withheld(expr));
        let value = match value {
            Some(expr) if !is_withheld => Some(self.value(expr)?),
            Some(_) | None => None,
        };
        let Some(frame) = self.frames.pop() else {
            return Err(Fault::Unsupported("return without a call".into()));
        };
        self.memory.pop_to(frame.base);
        let Some(call) = frame.call else { return Ok(exit) };
        let edge = self.cfa.edge(call);
        if let Some(result) = edge.operation.result() {
            match value {
                Some(value) => self.store_value(result, &value)?,
                None if is_withheld || self.missing == Missing::Unreadable => {
                    let handle = self.variable(result)?;
                    self.memory.make_opaque(handle);
                }
                None => {
                    let value = self.missing_result(frame.function, result)?;
                    self.assign_variable(result, value)?;
                }
            }
        }
        Ok(edge.target)
    }

    fn missing_result(&mut self, function: FunctionId, result: VarId) -> Result<u128, Fault> {
        match self.layouts.get(self.cfa.variable(result).ty.ty) {
            layout if layout.kind == Kind::Aggregate => Err(Fault::Unsupported("missing result of an aggregate type".into())),
            layout => {
                let bits = u32::try_from(layout.size.unwrap_or(0) * 8).unwrap_or(0);
                self.ask(Origin::MissingResult(function), bits)
            }
        }
    }
}

impl FrameLayouts {
    fn new(cfa: &Cfa) -> Self {
        let mut variables = vec![Vec::new(); cfa.functions.len()];
        let mut slots = vec![u32::MAX; cfa.variables.len()];
        for id in cfa.variable_ids() {
            let variable = cfa.variable(id);
            let automatic = match variable.kind {
                VarKind::Local | VarKind::Parameter(_) | VarKind::Temporary(_) => true,
                VarKind::CompoundLiteral => variable.initializer.is_none(),
                VarKind::Global { .. } | VarKind::StaticLocal | VarKind::StringLiteral(_) => false,
            };
            let (true, Some(function)) = (automatic, variable.function) else { continue };
            let frame = &mut variables[function.index()];
            slots[id.index()] = u32::try_from(frame.len()).unwrap_or(u32::MAX);
            frame.push(id);
        }
        Self { variables, slots }
    }
}
