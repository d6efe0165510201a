//! Operations: what passing an edge does to a state, and under which condition it can be passed.

use program::assembly::{self, Write};
use program::cfa::{ConstantValue, EdgeId, FunctionId, InlineAsm, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::known::{self, Results};
use program::types::Type;

use super::memory::Objects;
use super::shape::{Class, Scalar, ShapeId};
use super::{Context, Depth, Encoder, MISFIT, OUTSIDE, Origin, State, Unsupported};
use crate::terms::{Sort, TermId, TermStore};

impl Encoder<'_> {
    /// Passes an edge within its function: anything but the call of an entered function, a return
    /// included only for its lack of effect. The term is the condition under which it is passed.
    ///
    /// # Errors
    /// [`Unsupported`] if the operation has no sound treatment.
    pub fn pass(
        &mut self,
        store: &mut TermStore,
        state: &mut dyn State,
        edge: EdgeId,
        depth: Depth,
    ) -> Result<TermId, Unsupported> {
        let mut context = Context::new(self, store, state, (edge, depth));
        let condition = context.operation()?;
        Ok(context.and_defined(condition))
    }

    /// What an expression says as a condition, evaluated where an edge starts.
    ///
    /// # Errors
    /// As [`Encoder::pass`].
    pub fn formula(
        &mut self,
        store: &mut TermStore,
        state: &mut dyn State,
        (edge, depth): (EdgeId, Depth),
        expr: ExprId,
    ) -> Result<TermId, Unsupported> {
        Context::new(self, store, state, (edge, depth)).condition(expr)
    }

    /// Enters the callee of a call edge: binds its parameters.
    ///
    /// # Errors
    /// As [`Encoder::pass`].
    pub fn enter(
        &mut self,
        store: &mut TermStore,
        state: &mut dyn State,
        call: EdgeId,
        caller: Depth,
        callee: Depth,
    ) -> Result<TermId, Unsupported> {
        let mut context = Context::new(self, store, state, (call, caller));
        let condition = context.bind(callee)?;
        Ok(context.and_defined(condition))
    }

    /// Returns along a return edge to behind a call edge: assigns the result.
    ///
    /// # Errors
    /// As [`Encoder::pass`].
    pub fn leave(
        &mut self,
        store: &mut TermStore,
        state: &mut dyn State,
        return_edge: EdgeId,
        callee: Depth,
        call: EdgeId,
        caller: Depth,
    ) -> Result<TermId, Unsupported> {
        let mut context = Context::new(self, store, state, (return_edge, callee));
        let truth = context.store.tt();
        let cfa = context.encoder.cfa;
        let Operation::Call { result: Some(result), .. } = cfa.edge(call).operation else {
            return Ok(truth);
        };
        let Operation::Return { value } = cfa.edge(return_edge).operation else {
            return Err(context.unsupported("return along an edge that is none"));
        };
        let values = match value {
            Some(value) => Some(context.evaluate(value)?),
            None => None,
        };
        context.depth = caller;
        match values {
            Some(values) => context.assign_variable(result, &values),
            None => context.forget(result, Origin::Unknown(return_edge)),
        }
        Ok(context.and_defined(truth))
    }

    /// Gives every object of static storage its initial value; one whose initialiser was not
    /// understood any value. Undefined `extern` objects keep the value the state has for them.
    pub fn initialise(&mut self, store: &mut TermStore, state: &mut dyn State) {
        for variable in self.cfa.variable_ids() {
            let Some(initializer) = &self.cfa.variable(variable).initializer else { continue };
            if initializer.unsupported.is_none() {
                self.initialise_variable(store, state, variable);
                continue;
            }
            for term in self.terms_of(store, variable, 0) {
                let sort = store.sort(term);
                let value = state.fresh(store, Origin::Declaration(variable), sort);
                state.set(store, term, value);
            }
        }
        self.heap.initialise(store, state);
    }

    pub(super) fn initialise_variable(&mut self, store: &mut TermStore, state: &mut dyn State, variable: VarId) {
        let cfa = self.cfa;
        let Some(initializer) = &cfa.variable(variable).initializer else { return };
        let shape = self.objects.shape(variable);
        let leaves = self.shapes.leaves(cfa, shape);
        let terms = self.terms_of(store, variable, 0);
        let mut values: Vec<TermId> = terms.iter().map(|term| super::value::zero(store, store.sort(*term))).collect();
        for scalar in &initializer.scalars {
            let bits = match scalar.value {
                ConstantValue::Int(bits) | ConstantValue::Float(bits) => bits,
                ConstantValue::Address { variable, offset } => {
                    let base = i128::from(self.objects.base(variable));
                    (base + i128::from(offset)) as u128
                }
                ConstantValue::Function(function) => u128::from(Objects::code(function)),
            };
            let Some((at, index, shift)) = self.find_scalar(&leaves, shape, scalar.first_bit) else {
                continue;
            };
            let Some(held) = values.get(at).copied() else { continue };
            let width = leaves[at].width;
            let index = index.map(|index| store.bits(super::memory::INDEX, index));
            let old = index.map_or(held, |index| store.select(held, index));
            // Parts of a union that are set one after the other share its leaf.
            let kept = crate::terms::mask(scalar.width.min(128));
            let old = store.as_bits(old).unwrap_or(0);
            let value = store.bits(width, old | (bits & kept) << shift);
            values[at] = index.map_or(value, |index| store.store(held, index, value));
        }
        for (term, value) in terms.into_iter().zip(values) {
            state.set(store, term, value);
        }
    }

    /// The leaf, the flattened element and the bit within it where a scalar of an initialiser is.
    fn find_scalar(&self, leaves: &[super::shape::Leaf], root: ShapeId, first_bit: u64) -> Option<(usize, Option<u128>, u64)> {
        use super::shape::Kind;
        let (mut shape, mut offset, mut leaf, mut index) = (root, first_bit, 0u64, None);
        loop {
            let here = self.shapes.get(shape);
            match &here.kind {
                Kind::Scalar | Kind::Union(_) => {
                    let at = leaf as usize;
                    return (at < leaves.len()).then_some((at, index, offset));
                }
                Kind::Record(fields) => {
                    let field = fields.iter().rev().find(|field| {
                        let inner = self.shapes.get(field.shape);
                        // A flexible array member goes on to the end of the object.
                        let flexible = matches!(inner.kind, Kind::Array { count: None, .. });
                        field.first_bit <= offset && (flexible || offset < field.first_bit + inner.bits.max(1))
                    })?;
                    shape = field.shape;
                    offset -= field.first_bit;
                    leaf += u64::from(field.first_leaf);
                }
                Kind::Fixed { count, element } => {
                    let inner = self.shapes.get(*element);
                    let at = offset.checked_div(inner.bits).filter(|at| at < count)?;
                    leaf += at * u64::from(inner.leaves);
                    offset -= at * inner.bits;
                    shape = *element;
                }
                Kind::Array { count, element } => {
                    let at = offset.checked_div(self.shapes.get(*element).bits)?;
                    let outer = index.unwrap_or(0) * u128::from(count.unwrap_or(0));
                    index = Some(outer + u128::from(at));
                    offset -= at * self.shapes.get(*element).bits;
                    shape = *element;
                }
                Kind::Opaque => return None,
            }
        }
    }
}

/// How assembly is named where it keeps a verdict from being given.
const ASSEMBLY: &str = "inline assembly";

/// The value of an expression of any object type.
enum Values {
    Scalar(TermId),
    Aggregate(ShapeId, Vec<TermId>),
}

impl Context<'_, '_> {
    fn operation(&mut self) -> Result<TermId, Unsupported> {
        let cfa = self.encoder.cfa;
        let truth = self.store.tt();
        match &cfa.edge(self.edge).operation {
            Operation::Declare { variable } => self.forget(*variable, Origin::Declaration(*variable)),
            Operation::Assume { condition, truth } => {
                let holds = self.condition(*condition)?;
                return Ok(if *truth { holds } else { self.store.not(holds) });
            }
            Operation::Assign { place, value } => self.assign(*place, *value)?,
            Operation::Havoc { variable, .. } => {
                if let Some(variable) = variable {
                    self.forget(*variable, Origin::Input(self.edge));
                }
            }
            Operation::Call { callee, arguments, result } => {
                return self.external(*callee, arguments, *result);
            }
            Operation::Return { .. } | Operation::Blank => {}
            Operation::Asm(asm) => self.assembly(asm)?,
            Operation::Unsupported { construct } => return Err(self.unsupported(&**construct)),
        }
        Ok(truth)
    }

    fn evaluate(&mut self, expr: ExprId) -> Result<Values, Unsupported> {
        let ty = self.encoder.cfa.exprs.ty(expr);
        match self.is_aggregate(ty) {
            Some(shape) => Ok(Values::Aggregate(shape, self.aggregate(expr, shape)?)),
            None => Ok(Values::Scalar(self.value(expr)?)),
        }
    }

    fn assign(&mut self, place: ExprId, value: ExprId) -> Result<(), Unsupported> {
        let ty = self.encoder.cfa.exprs.ty(place);
        let (from, value) = (value, self.evaluate(value)?);
        let cases = self.place(place)?;
        match value {
            Values::Scalar(value) => {
                let open = self.address_in_field(place, (from, value));
                let value = self.unless(open, value);
                self.write(&cases, value, ty)
            }
            Values::Aggregate(shape, values) => {
                self.write_aggregate(&cases, shape, &values);
                Ok(())
            }
        }
    }

    /// Gives everything that assembly may write an arbitrary value, if that can be told.
    fn assembly(&mut self, asm: &InlineAsm) -> Result<(), Unsupported> {
        let cfa = self.encoder.cfa;
        let Some(writes) = assembly::writes(cfa, asm) else { return Err(self.unsupported(ASSEMBLY)) };
        // A path through it is no counterexample, whether it writes something or not: nobody executed it.
        self.encoder.approximations.insert(self.edge, ASSEMBLY);
        for write in writes {
            match write {
                Write::Place(place) => match Scalar::of(cfa, cfa.exprs.ty(place)) {
                    Some(Scalar { width, .. }) => {
                        let value = self.arbitrary(ASSEMBLY, Sort::BitVec(width));
                        let cases = self.place(place)?;
                        self.write(&cases, value, cfa.exprs.ty(place))?;
                    }
                    None => self.damage_around(place)?,
                },
                Write::Object(place) => self.damage_around(place)?,
            }
        }
        Ok(())
    }

    /// Damages every object that a place may be a part of.
    fn damage_around(&mut self, mut place: ExprId) -> Result<(), Unsupported> {
        let exprs = &self.encoder.cfa.exprs;
        while let Expr::Field(outer, _) | Expr::Index(outer, _) = *exprs.get(place) {
            place = outer;
        }
        if let Expr::Variable(variable) = *exprs.get(place) {
            let always = self.store.tt();
            self.damage((variable, self.frame_of(variable)), always, MISFIT);
            return Ok(());
        }
        let Expr::Dereference { pointer, .. } = *exprs.get(place) else { return Err(self.unsupported(ASSEMBLY)) };
        let address = self.value(pointer)?;
        for (variable, guard) in self.pointees(pointer, address) {
            self.damage((variable, 0), guard, MISFIT);
        }
        Ok(())
    }

    /// Gives a whole variable of the current frame a value.
    fn assign_variable(&mut self, variable: VarId, values: &Values) {
        let depth = self.frame_of(variable);
        let terms = self.leaf_terms((variable, depth));
        match values {
            Values::Scalar(value) => {
                for term in terms {
                    if let Sort::BitVec(width) = self.store.sort(term) {
                        let value = self.store.resize_unsigned(*value, width);
                        self.state.set(self.store, term, value);
                    }
                }
            }
            Values::Aggregate(_, values) => {
                for (term, value) in terms.into_iter().zip(values) {
                    self.state.set(self.store, term, *value);
                }
            }
        }
    }

    /// The activation whose object the current function means by the name of a variable.
    pub(super) fn frame_of(&self, variable: VarId) -> Depth {
        if self.encoder.cfa.variable(variable).is_automatic() { self.depth } else { 0 }
    }

    /// Makes a variable arbitrary.
    fn forget(&mut self, variable: VarId, origin: Origin) {
        let depth = self.frame_of(variable);
        for term in self.leaf_terms((variable, depth)) {
            let sort = self.store.sort(term);
            let value = self.state.fresh(self.store, origin, sort);
            if matches!(origin, Origin::Declaration(_)) {
                self.encoder.indeterminate.insert(value);
            }
            self.state.set(self.store, term, value);
        }
    }

    /// Evaluates the arguments in the caller's frame and assigns them in the callee's.
    fn bind(&mut self, callee_depth: Depth) -> Result<TermId, Unsupported> {
        let cfa = self.encoder.cfa;
        let Operation::Call { callee, arguments, .. } = &cfa.edge(self.edge).operation else {
            return Err(self.unsupported("entering something that is no call"));
        };
        let parameters = &cfa.function(*callee).parameters;
        let mut values = Vec::with_capacity(parameters.len());
        for argument in arguments.iter().take(parameters.len()) {
            values.push(self.evaluate(*argument)?);
        }
        let caller_depth = std::mem::replace(&mut self.depth, callee_depth);
        for (at, parameter) in parameters.iter().enumerate() {
            match values.get(at) {
                Some(value) => self.bind_one(*parameter, value),
                None => self.forget(*parameter, Origin::Unknown(self.edge)),
            }
        }
        self.depth = caller_depth;
        Ok(self.store.tt())
    }

    /// An argument of a call without prototype may have another width than the parameter.
    fn bind_one(&mut self, parameter: VarId, value: &Values) {
        let cfa = self.encoder.cfa;
        let ty = cfa.variable(parameter).ty.ty;
        let fits = match (value, Scalar::of(cfa, ty)) {
            (Values::Scalar(value), Some(scalar)) => self.store.width(*value) == scalar.width,
            (Values::Aggregate(shape, _), None) => self.encoder.shapes.of(cfa, ty) == *shape,
            (Values::Scalar(_), None) | (Values::Aggregate(..), Some(_)) => false,
        };
        if fits {
            self.assign_variable(parameter, value);
        } else {
            self.forget(parameter, Origin::Unknown(self.edge));
        }
    }

    /// A call of a function whose body is not entered.
    fn external(&mut self, callee: FunctionId, arguments: &[ExprId], result: Option<VarId>) -> Result<TermId, Unsupported> {
        let cfa = self.encoder.cfa;
        let truth = self.store.tt();
        let function = cfa.function(callee);
        if function.known == Some(Known::Allocate)
            && let Some(condition) = self.allocate(&function.name, arguments, result)?
        {
            return Ok(condition);
        }
        if function.known == Some(Known::Memory) && self.block(&function.name, arguments, result)? {
            return Ok(truth);
        }
        match function.known {
            Some(Known::Free) => {
                if let [block, ..] = arguments {
                    self.release(*block)?;
                }
            }
            Some(Known::Unsupported) => {
                return Err(self.unsupported(format!("call of {}", function.name)));
            }
            Some(Known::Memory) => {
                self.damage_arguments(arguments)?;
            }
            None => {
                self.damage_arguments(arguments)?;
                let always = self.store.tt();
                let caller = cfa.location(cfa.edge(self.edge).source).function;
                for variable in self.encoder.lent_by(caller) {
                    self.damage((variable, 0), always, OUTSIDE);
                }
                self.damage_escaped();
            }
            Some(Known::Error | Known::NoReturn | Known::Input | Known::Allocate | Known::Pure) => {}
        }
        let Some(result) = result else { return Ok(truth) };
        let origin = match function.known {
            Some(Known::Input) => Origin::Input(self.edge),
            _ => Origin::Unknown(self.edge),
        };
        self.forget(result, origin);
        if function.known == Some(Known::Allocate) {
            return Ok(self.above_all_objects(result));
        }
        let results = if function.known == Some(Known::Pure) { known::results(&function.name) } else { Results::Any };
        Ok(match results {
            Results::Between(low, high) => self.between(result, low, high),
            Results::Somewhere => self.above_all_objects(result),
            Results::Any | Results::Computed => truth,
        })
    }

    /// Whether an integer variable has a value between two others.
    fn between(&mut self, variable: VarId, low: i32, high: i32) -> TermId {
        let depth = self.frame_of(variable);
        let mut holds = vec![self.store.tt()];
        for term in self.leaf_terms((variable, depth)) {
            let value = self.state.get(self.store, term);
            if let Sort::BitVec(width @ 32..) = self.store.sort(value) {
                let low = self.store.bits(width, i128::from(low).cast_unsigned());
                let high = self.store.bits(width, i128::from(high).cast_unsigned());
                holds.push(self.store.sle(low, value));
                holds.push(self.store.sle(value, high));
            }
        }
        self.store.and(&holds)
    }

    /// Whether a pointer variable points to memory that is no object of the program.
    fn above_all_objects(&mut self, pointer: VarId) -> TermId {
        let depth = self.frame_of(pointer);
        let mut holds = vec![self.store.tt()];
        for term in self.leaf_terms((pointer, depth)) {
            let value = self.state.get(self.store, term);
            let heap = self.store.bits(self.word(), u128::from(self.encoder.objects.heap()));
            if self.store.sort(value) == self.store.sort(heap) {
                holds.push(self.store.ule(heap, value));
            }
        }
        self.store.and(&holds)
    }

    /// Damages every object an argument may point to: a function without a body may write there.
    fn damage_arguments(&mut self, arguments: &[ExprId]) -> Result<(), Unsupported> {
        let cfa = self.encoder.cfa;
        for argument in arguments {
            let ty = cfa.exprs.ty(*argument);
            let Some(Scalar { class: Class::Pointer, .. }) = Scalar::of(cfa, ty) else { continue };
            if let Type::Pointer(pointee) = cfa.types.get(ty)
                && (pointee.qualifiers.is_const || matches!(cfa.types.get(pointee.ty), Type::Function(_)))
            {
                continue;
            }
            let address = self.value(*argument)?;
            for (variable, guard) in self.pointees(*argument, address) {
                // Blocks of the heap are no variables of the program.
                let is_literal = || matches!(cfa.variable(variable).kind, VarKind::StringLiteral(_));
                if self.encoder.objects.is_hidden(variable) || !is_literal() {
                    self.damage((variable, 0), guard, OUTSIDE);
                }
            }
        }
        Ok(())
    }

    /// The variables an address may lie in, with the condition for it: the outermost activation of each, since taking the
    /// address in an inner one is unsupported.
    fn pointees(&mut self, pointer: ExprId, address: TermId) -> Vec<(VarId, TermId)> {
        if let Some(variable) = self.named_object(address) {
            return vec![(variable, self.store.tt())];
        }
        let targets = self.encoder.points_to.targets(pointer);
        let word = self.word();
        let mut found = Vec::new();
        let mut pieces = self.encoder.heap.pieces(&targets.sites);
        pieces.retain(|piece| self.is_in_use(*piece));
        for variable in targets.variables.into_iter().chain(pieces) {
            let base = self.encoder.objects.base(variable);
            let bytes = self.encoder.objects.size(variable).max(1);
            let base = self.store.bits(word, u128::from(base));
            let size = self.store.bits(word, u128::from(bytes));
            let offset = self.store.sub(address, base);
            let inside = self.store.ult(offset, size);
            if inside != self.store.ff() {
                found.push((variable, inside));
            }
        }
        found
    }
}
