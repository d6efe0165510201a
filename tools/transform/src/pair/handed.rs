//! Functions that code outside of the program may call: their addresses may get there.
//!
//! An address gets outside with the arguments of a function without a body, with what the entry function returns or writes
//! where its caller looks, with a variable of external linkage, and with everything that leads to it from there. Addresses that
//! are only compared, which is how a call through a pointer finds what it calls, get nowhere.
//! Flow-insensitive; places behind pointers are those of [`PointsTo`]. Pointers and other data in one object are told apart as
//! long as nobody looks at the object as something else.

use std::collections::BTreeSet;

use program::cfa::{Cfa, ConstantValue, EdgeId, FunctionId, Known, Linkage, Operation, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::outside::is_outside;
use program::types::{Type, TypeId};
use rustc_hash::FxHashMap;
use semantics::facts::Facts;
use semantics::objects::{ObjectId, Objects, Root, root};
use semantics::pointsto::PointsTo;

use super::Functions;
use super::parts::{operands, reachable, values};

/// What a value is made of, and what it is put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    Outside,
    /// The address of a function.
    Function(FunctionId),
    /// The address of an object: who has it has what is in the object.
    Object(ObjectId),
    /// What pointers an object holds.
    Pointers(ObjectId),
    /// What else it holds.
    Data(ObjectId),
    /// What a function returns.
    Result(FunctionId),
}

/// The functions whose addresses the operations of a program or its initial values mention.
pub(super) fn addresses(cfa: &Cfa) -> Functions {
    // The table of expressions has callees of plain calls, too, which no operation mentions.
    let mut pending: Vec<ExprId> = cfa.edges.iter().flat_map(|edge| values(&edge.operation)).collect();
    let (mut seen, mut in_text) = (vec![false; cfa.exprs.len()], Functions::new());
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match *cfa.exprs.get(id) {
            Expr::FunctionAddress(function) => _ = in_text.insert(function),
            ref other => pending.extend(operands(other).into_iter().flatten()),
        }
    }
    let scalars = cfa.variable_ids().filter_map(|id| cfa.variable(id).initializer.as_ref()).flat_map(|all| &all.scalars);
    let at_start = scalars.filter_map(|scalar| match scalar.value {
        ConstantValue::Function(function) => Some(function),
        _ => None,
    });
    in_text.extend(at_start);
    in_text
}

/// The functions of a program whose addresses may get outside; `entry` is the one that is asked about, `made` calls it.
pub(super) fn handed_out(cfa: &Cfa, entry: FunctionId, made: Option<FunctionId>) -> Functions {
    let facts = Facts::new(cfa);
    let mut found = Functions::new();
    loop {
        let mut flow = Flow { cfa, objects: facts.objects(), points_to: facts.points_to(), into: FxHashMap::default() };
        flow.program((entry, made), &found);
        let larger: Functions = flow.outside().union(&found).copied().collect();
        if larger == found {
            return found;
        }
        found = larger;
    }
}

struct Flow<'a> {
    cfa: &'a Cfa,
    objects: &'a Objects,
    points_to: &'a PointsTo,
    /// What is put into a node.
    into: FxHashMap<Node, Vec<Node>>,
}

impl Flow<'_> {
    fn add(&mut self, to: Node, from: Node) {
        self.into.entry(to).or_default().push(from);
    }

    fn program(&mut self, (entry, made): (FunctionId, Option<FunctionId>), found: &Functions) {
        let cfa = self.cfa;
        let inside = reachable(cfa, [cfa.entry]);
        let called_outside = reachable(cfa, found.iter().copied());
        for edge in cfa.edge_ids() {
            let function = cfa.location(cfa.edge(edge).source).function;
            if inside.contains(&function) {
                self.edge(edge, function);
            } else if called_outside.contains(&function) {
                // Nobody followed the pointers of what only code outside calls.
                self.give_all(&values(&cfa.edge(edge).operation));
            }
        }
        self.add(Node::Outside, Node::Result(entry));
        for object in self.points_to.anything().iter() {
            self.add(Node::Outside, Node::Object(object));
        }
        for id in cfa.variable_ids() {
            self.variable(id, made);
        }
        for id in cfa.exprs.ids() {
            self.other_view(id);
        }
    }

    fn variable(&mut self, id: VarId, made: Option<FunctionId>) {
        let variable = self.cfa.variable(id);
        let is_exported = matches!(variable.kind, VarKind::Global { linkage: Linkage::External, .. });
        let is_callers = made.is_some() && variable.function == made;
        for object in self.objects.of_variable(id).iter() {
            if is_exported || is_callers {
                self.add(Node::Outside, Node::Object(object));
            }
            for scalar in variable.initializer.iter().flat_map(|initializer| &initializer.scalars) {
                match scalar.value {
                    ConstantValue::Function(function) => self.add(Node::Pointers(object), Node::Function(function)),
                    ConstantValue::Address { variable, .. } => {
                        for other in self.objects.of_variable(variable).iter() {
                            self.add(Node::Pointers(object), Node::Object(other));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Objects that are looked at as something else: what is read there as data may be a pointer.
    fn other_view(&mut self, id: ExprId) {
        let (exprs, types) = (&self.cfa.exprs, &self.cfa.types);
        let Expr::Cast(pointer) = *exprs.get(id) else { return };
        let Type::Pointer(to) = types.get(exprs.ty(id)) else { return };
        if matches!(types.get(to.ty), Type::Void | Type::Function(_)) {
            return;
        }
        let seen = self.element(to.ty);
        for object in self.points_to.targets(pointer).iter() {
            let is_other = match self.objects.get(object).ty {
                Some(ty) => self.element(ty) != seen,
                None => self.is_data(seen),
            };
            if is_other {
                self.add(Node::Data(object), Node::Pointers(object));
            }
        }
    }

    fn element(&self, mut ty: TypeId) -> TypeId {
        while let Type::Array { element, .. } = self.cfa.types.get(ty) {
            ty = element.ty;
        }
        ty
    }

    fn is_data(&self, ty: TypeId) -> bool {
        use Type::{Bool, Complex, Enum, Float, Int, Vector};
        matches!(self.cfa.types.get(ty), Bool | Int { .. } | Float(_) | Complex(_) | Enum(_) | Vector { .. })
    }

    fn edge(&mut self, edge: EdgeId, function: FunctionId) {
        let cfa = self.cfa;
        match &cfa.edge(edge).operation {
            Operation::Assign { place, value } => {
                let value = self.sources(*value);
                for object in self.places(*place) {
                    self.store(object, cfa.exprs.ty(*place), &value);
                }
            }
            Operation::Call { callee, arguments, result } => self.call(edge, *callee, arguments, *result),
            Operation::Return { value: Some(value) } => {
                for source in self.sources(*value) {
                    self.add(Node::Result(function), source);
                }
            }
            Operation::Asm(asm) => {
                let all: Vec<ExprId> = asm.inputs.iter().chain(&asm.outputs).map(|operand| operand.expr).collect();
                self.give_all(&all);
            }
            // What is not understood may do anything with any address.
            Operation::Unsupported { .. } => {
                for function in addresses(cfa) {
                    self.add(Node::Outside, Node::Function(function));
                }
            }
            Operation::Return { value: None }
            | Operation::Assume { .. }
            | Operation::Declare { .. }
            | Operation::Havoc { .. }
            | Operation::Blank => {}
        }
    }

    fn call(&mut self, edge: EdgeId, callee: FunctionId, arguments: &[ExprId], result: Option<VarId>) {
        let (cfa, function) = (self.cfa, self.cfa.function(callee));
        let given: Vec<Vec<Node>> = arguments.iter().map(|argument| self.sources(*argument)).collect();
        let mut returned = vec![Node::Result(callee)];
        if cfa.entered_callee(edge).is_some() {
            for (number, given) in given.iter().enumerate() {
                match function.parameters.get(number) {
                    Some(parameter) => self.set(*parameter, given),
                    None => given.iter().for_each(|source| self.add(Node::Outside, *source)),
                }
            }
        } else {
            let keeps = matches!(function.known, None | Some(Known::Unsupported));
            // What stands for code outside has the pointer first that led there: that is no function of the program.
            let skipped = usize::from(is_outside(&function.name));
            for (argument, given) in arguments.iter().zip(&given).skip(skipped) {
                // A function that is known keeps no address, but calls what it is given to call.
                let is_out = keeps || self.is_function(*argument);
                given.iter().filter(|_| is_out).for_each(|source| self.add(Node::Outside, *source));
            }
            if function.known == Some(Known::Memory) {
                self.copies(arguments);
            }
            returned = given.into_iter().skip(skipped).flatten().collect();
            returned.extend(self.objects.heap(edge).map(Node::Object));
        }
        if let Some(result) = result {
            self.set(result, &returned);
        }
    }

    fn is_function(&self, argument: ExprId) -> bool {
        let (exprs, types) = (&self.cfa.exprs, &self.cfa.types);
        let is_one =
            |id: ExprId| matches!(types.get(exprs.ty(id)), Type::Pointer(to) if matches!(types.get(to.ty), Type::Function(_)));
        match *exprs.get(argument) {
            Expr::Cast(inner) => is_one(argument) || is_one(inner),
            _ => is_one(argument),
        }
    }

    /// What is behind the arguments of a function that copies may be behind all of them, whatever it is there.
    fn copies(&mut self, arguments: &[ExprId]) {
        let is_pointer = |id: &&ExprId| matches!(self.cfa.types.get(self.cfa.exprs.ty(**id)), Type::Pointer(_));
        let pointers: Vec<ExprId> = arguments.iter().filter(is_pointer).copied().collect();
        for (number, from) in pointers.iter().enumerate() {
            let from: Vec<ObjectId> = self.points_to.targets(*from).iter().collect();
            let others = pointers.iter().enumerate().filter(|(other, _)| *other != number);
            for (_, to) in others {
                for to in self.points_to.targets(*to).iter() {
                    for from in &from {
                        let held = [Node::Pointers(*from), Node::Data(*from)];
                        match to {
                            ObjectId::EXTERNAL => held.into_iter().for_each(|node| self.add(Node::Outside, node)),
                            to => held.into_iter().for_each(|node| {
                                self.add(Node::Pointers(to), node);
                                self.add(Node::Data(to), node);
                            }),
                        }
                    }
                }
            }
        }
    }

    fn set(&mut self, variable: VarId, value: &[Node]) {
        let ty = self.cfa.variable(variable).ty.ty;
        for object in self.objects.of_variable(variable).iter() {
            self.store(object, ty, value);
        }
    }

    fn store(&mut self, object: ObjectId, ty: TypeId, value: &[Node]) {
        let is_scalar = self.is_data(ty) || matches!(self.cfa.types.get(ty), Type::Pointer(_));
        for source in value {
            let to = match source {
                _ if object == ObjectId::EXTERNAL => Node::Outside,
                Node::Data(_) if !is_scalar => Node::Data(object),
                _ if self.is_data(ty) => Node::Data(object),
                _ => Node::Pointers(object),
            };
            self.add(to, *source);
        }
    }

    /// The objects of a place.
    fn places(&self, place: ExprId) -> Vec<ObjectId> {
        if let Some(range) = self.objects.direct(self.cfa, place) {
            return range.iter().collect();
        }
        match root(self.cfa, place) {
            Some(Root::Variable(variable)) => self.objects.of_variable(variable).iter().collect(),
            Some(Root::Pointer { pointer, .. }) => self.points_to.targets(pointer).iter().collect(),
            None => self.points_to.anything().iter().collect(),
        }
    }

    /// What the value of an expression may be made of.
    fn sources(&self, expr: ExprId) -> Vec<Node> {
        let exprs = &self.cfa.exprs;
        let (mut found, mut pending) = (Vec::new(), vec![expr]);
        while let Some(id) = pending.pop() {
            match *exprs.get(id) {
                Expr::FunctionAddress(function) => found.push(Node::Function(function)),
                Expr::Load(place) => self.load(place, exprs.ty(id), &mut found),
                Expr::Variable(_) | Expr::Field(..) | Expr::Index(..) | Expr::Dereference { .. } => {
                    self.load(id, exprs.ty(id), &mut found);
                }
                Expr::AddressOf(place) => match root(self.cfa, place) {
                    Some(Root::Pointer { pointer, .. }) => pending.push(pointer),
                    _ => found.extend(self.places(place).into_iter().map(Node::Object)),
                },
                Expr::Unary(UnaryOp::Not, _) | Expr::PointerDifference { .. } => {}
                Expr::Binary(op, ..) if op.is_predicate() || matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) => {}
                Expr::Conditional(_, then, otherwise) => pending.extend([then, otherwise]),
                ref other => pending.extend(operands(other).into_iter().flatten()),
            }
        }
        found
    }

    fn load(&self, place: ExprId, ty: TypeId, found: &mut Vec<Node>) {
        let is_data = self.is_data(ty) && !self.is_in_union(place);
        for object in self.places(place) {
            found.push(Node::Data(object));
            if !is_data {
                found.push(Node::Pointers(object));
            }
        }
    }

    fn is_in_union(&self, place: ExprId) -> bool {
        let (exprs, types) = (&self.cfa.exprs, &self.cfa.types);
        let mut at = place;
        loop {
            at = match *exprs.get(at) {
                Expr::Field(inner, _) => {
                    if matches!(types.get(exprs.ty(inner)), Type::Record(id) if types.record(*id).is_union) {
                        return true;
                    }
                    inner
                }
                Expr::Index(inner, _) => inner,
                _ => return false,
            };
        }
    }

    /// Everything that is mentioned gets outside.
    fn give_all(&mut self, all: &[ExprId]) {
        let mut pending = all.to_vec();
        while let Some(id) = pending.pop() {
            match *self.cfa.exprs.get(id) {
                Expr::FunctionAddress(function) => self.add(Node::Outside, Node::Function(function)),
                Expr::Variable(variable) => {
                    for object in self.objects.of_variable(variable).iter() {
                        self.add(Node::Outside, Node::Object(object));
                    }
                }
                ref other => pending.extend(operands(other).into_iter().flatten()),
            }
        }
    }

    /// The functions that are reached from outside, against the flow.
    fn outside(&self) -> Functions {
        let (mut seen, mut pending, mut found) = (BTreeSet::new(), vec![Node::Outside], Functions::new());
        while let Some(node) = pending.pop() {
            if !seen.insert(node) {
                continue;
            }
            match node {
                Node::Function(function) => _ = found.insert(function),
                Node::Object(object) => pending.extend([Node::Pointers(object), Node::Data(object)]),
                Node::Outside | Node::Pointers(_) | Node::Data(_) | Node::Result(_) => {}
            }
            pending.extend(self.into.get(&node).into_iter().flatten());
        }
        found.retain(|function| self.cfa.function(*function).entry.is_some());
        found
    }
}
