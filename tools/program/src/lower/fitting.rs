//! Which functions a call through a pointer may lead to, of those whose address is taken.
//!
//! All of them in a program that is whole: gcc really calls a function of another type, and what it then gets is followed. A
//! program that exchanges pointers with functions that nobody knows, such as a driver without its kernel, has tables of
//! functions that only those hand back, and every pointer that comes from there would lead to every function of every
//! table. There a call leads to functions of its own type only, as C demands (C11 6.5.2.2, paragraph 9), unless the program
//! itself gives them another: a function *strays* if its address, or a pointer of its type, is converted to another type,
//! lies in a union or in an object that is looked at as another one, or goes through inline assembly.
//! [`crate::outside::assumptions`] says what that takes for granted.
//!
//! Does not know where pointers lead: that is `semantics::pointsto`.

use rustc_hash::FxHashSet;

use super::Lowerer;
use crate::cfa::{ConstantValue, FunctionId, Operation, VarId};
use crate::expr::{Expr, ExprId};
use crate::layout::size_of;
use crate::outside::exchanges_pointers;
use crate::types::{ArrayLength, Type, TypeId};

/// Structures of more scalars are not compared.
const MOST_SCALARS: u64 = 10_000;

/// Which functions fit calls of other types.
pub(super) struct Fitting {
    /// For each function; `None` if all of them do.
    strays: Option<Vec<bool>>,
}

impl Fitting {
    /// Of the whole program, before the first call through a pointer is expanded.
    pub(super) fn of(lowerer: &Lowerer<'_>) -> Self {
        let is_pointer = |ty: TypeId| lowerer.pointee(ty).is_some();
        let in_expression = |expr: ExprId| is_pointer(lowerer.ty(expr));
        let in_variable = |variable: VarId| is_pointer(lowerer.variables[variable.index()].ty.ty);
        if !exchanges_pointers((&lowerer.edges, &lowerer.functions), in_expression, in_variable) {
            return Self { strays: None };
        }
        let functions = vec![false; lowerer.functions.len()];
        let mut found =
            Straying { lowerer, functions, types: Vec::new(), seen: FxHashSet::default(), views: FxHashSet::default() };
        found.expressions();
        found.initial_values();
        found.unions();
        found.assembly();
        Self { strays: Some(found.all()) }
    }

    /// Whether a pointer that is called may lead to a function.
    pub(super) fn admits(&self, lowerer: &Lowerer<'_>, pointer: ExprId, function: FunctionId) -> bool {
        let Some(strays) = &self.strays else { return true };
        let Some(called) = lowerer.pointee(lowerer.ty(pointer)) else { return true };
        strays[function.index()] || lowerer.fits(lowerer.functions[function.index()].ty, called.ty)
    }
}

impl Lowerer<'_> {
    /// Whether types of functions are compatible and both say what the parameters are; true if one is no function.
    fn fits(&self, a: TypeId, b: TypeId) -> bool {
        let (Type::Function(one), Type::Function(other)) = (self.types.get(a), self.types.get(b)) else { return true };
        one.unprototyped || other.unprototyped || self.compatible(a, b)
    }

    /// The type of function that a pointer leads to.
    fn function_type(&self, ty: TypeId) -> Option<TypeId> {
        let to = self.pointee(ty)?.ty;
        matches!(self.types.get(to), Type::Function(_)).then_some(to)
    }
}

/// What strays, as it is found.
struct Straying<'l, 'a> {
    lowerer: &'l Lowerer<'a>,
    /// By function: its own address does.
    functions: Vec<bool>,
    /// Types of functions: some pointer to such a function does.
    types: Vec<TypeId>,
    /// Types whose objects give away what they hold.
    seen: FxHashSet<TypeId>,
    /// Structures that were compared with those that they are looked at as.
    views: FxHashSet<(TypeId, TypeId)>,
}

impl Straying<'_, '_> {
    /// A value becomes one of another type.
    fn converted(&mut self, value: ExprId, to: TypeId) {
        let from = self.lowerer.ty(value);
        let Some(function) = self.lowerer.function_type(from) else { return self.looked_at(from, to) };
        let keeps = self.lowerer.function_type(to).is_some_and(|to| self.keeps(function, to));
        if !keeps {
            self.lost(value, function);
        }
    }

    /// A pointer to an object becomes one of another type: pointers to functions in the object may be read as that. Structures that
    /// become `void` are taken to come back as what they were.
    fn looked_at(&mut self, from: TypeId, to: TypeId) {
        let types = &self.lowerer.types;
        let (Some(object), Some(as_object)) = (self.lowerer.pointee(from), self.lowerer.pointee(to)) else { return };
        let is_record = |ty: TypeId| matches!(types.get(ty), Type::Record(_));
        match (is_record(object.ty), is_record(as_object.ty)) {
            (true, true) if self.views.insert((object.ty, as_object.ty)) => {
                // From a member to what it is a member of: the way back is computed, often behind the conversion.
                if !self.holds(as_object.ty, object.ty) {
                    self.differing(object.ty, as_object.ty);
                }
            }
            (true, _) => {}
            (false, _) if object.ty != as_object.ty => self.inside(vec![object.ty]),
            (false, _) => {}
        }
    }

    /// Whether an object of one type has one of another in it.
    fn holds(&self, whole: TypeId, part: TypeId) -> bool {
        let (mut pending, mut seen) = (vec![whole], FxHashSet::default());
        while let Some(ty) = pending.pop() {
            if ty == part {
                return true;
            }
            match self.lowerer.types.get(ty) {
                Type::Array { element, .. } => pending.push(element.ty),
                Type::Record(record) if seen.insert(*record) => {
                    pending.extend(self.lowerer.types.record(*record).fields.iter().map(|field| field.ty.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// Pointers to functions in one structure where the other has something else.
    fn differing(&mut self, one: TypeId, other: TypeId) {
        let (Some(one), Some(other)) = (self.scalars(one), self.scalars(other)) else { return self.inside(vec![one, other]) };
        for (mine, theirs) in [(&one, &other), (&other, &one)] {
            let end = theirs.last().map_or(0, |(offset, _)| offset + 1);
            for (offset, ty) in mine.iter().filter(|(offset, _)| *offset < end) {
                let Some(function) = self.lowerer.function_type(*ty) else { continue };
                let there = theirs.iter().filter(|(at, _)| at == offset);
                let mut found = there.map(|(_, ty)| self.lowerer.function_type(*ty).is_some_and(|ty| self.keeps(function, ty)));
                if !found.next().is_some_and(|first| first && found.all(|keeps| keeps)) {
                    self.add(function);
                }
            }
        }
    }

    /// The scalars of an object with their offsets, in order; `None` if they are many.
    fn scalars(&self, ty: TypeId) -> Option<Vec<(u64, TypeId)>> {
        let (mut found, mut pending) = (Vec::new(), vec![(0, ty)]);
        while let Some((offset, ty)) = pending.pop() {
            match self.lowerer.types.get(ty) {
                Type::Array { element, length: ArrayLength::Constant(length) } if *length <= MOST_SCALARS => {
                    let size = size_of(&self.lowerer.types, self.lowerer.machine, element.ty).ok()?;
                    pending.extend((0..*length).map(|index| (offset + index * size, element.ty)));
                }
                Type::Array { .. } => return None,
                Type::Record(record) => {
                    let fields = &self.lowerer.types.record(*record).fields;
                    pending.extend(fields.iter().map(|field| (offset + field.offset, field.ty.ty)));
                }
                _ => found.push((offset, ty)),
            }
            if found.len() + pending.len() > MOST_SCALARS as usize {
                return None;
            }
        }
        found.sort_unstable_by_key(|(offset, _)| *offset);
        Some(found)
    }

    /// Whether a pointer that has become one to the other type can still only be called as what it is. A type without
    /// parameters says nothing about the next conversion.
    fn keeps(&self, from: TypeId, to: TypeId) -> bool {
        let is_open = |ty: TypeId| matches!(self.lowerer.types.get(ty), Type::Function(ty) if ty.unprototyped);
        from == to || !is_open(from) && !is_open(to) && self.lowerer.compatible(from, to)
    }

    /// What a value leads to may be called as anything.
    fn lost(&mut self, value: ExprId, ty: TypeId) {
        match *self.lowerer.exprs.get(value) {
            Expr::FunctionAddress(function) => self.functions[function.index()] = true,
            _ => self.add(ty),
        }
    }

    fn add(&mut self, ty: TypeId) {
        if !self.types.contains(&ty) {
            self.types.push(ty);
        }
    }

    fn expressions(&mut self) {
        for id in (0..self.lowerer.exprs.len()).map(ExprId::new) {
            if let Expr::Cast(value) = *self.lowerer.exprs.get(id) {
                self.converted(value, self.lowerer.ty(id));
            }
        }
    }

    fn initial_values(&mut self) {
        for initializer in self.lowerer.variables.iter().filter_map(|variable| variable.initializer.as_ref()) {
            for scalar in &initializer.scalars {
                if let ConstantValue::Function(function) = scalar.value {
                    let own = self.lowerer.functions[function.index()].ty;
                    let keeps = self.lowerer.function_type(scalar.ty).is_some_and(|to| self.keeps(own, to));
                    self.functions[function.index()] |= !keeps;
                }
            }
        }
    }

    /// A member of a union may be read as another one.
    fn unions(&mut self) {
        let unions = self.lowerer.types.records().filter(|(_, record)| record.is_union);
        let members = unions.flat_map(|(_, record)| record.fields.iter().map(|field| field.ty.ty)).collect();
        self.inside(members);
    }

    /// Pointers to functions that lie in objects of some types.
    fn inside(&mut self, mut pending: Vec<TypeId>) {
        while let Some(ty) = pending.pop() {
            if !self.seen.insert(ty) {
                continue;
            }
            match self.lowerer.types.get(ty) {
                Type::Array { element, .. } => pending.push(element.ty),
                Type::Record(record) => {
                    pending.extend(self.lowerer.types.record(*record).fields.iter().map(|field| field.ty.ty));
                }
                Type::Pointer(_) => {
                    if let Some(function) = self.lowerer.function_type(ty) {
                        self.add(function);
                    }
                }
                _ => {}
            }
        }
    }

    fn assembly(&mut self) {
        for edge in &self.lowerer.edges {
            let Operation::Asm(asm) = &edge.operation else { continue };
            for operand in asm.inputs.iter().chain(&asm.outputs) {
                if let Some(ty) = self.lowerer.function_type(self.lowerer.ty(operand.expr)) {
                    self.lost(operand.expr, ty);
                }
            }
        }
    }

    /// For each function whether it strays.
    fn all(self) -> Vec<bool> {
        let lowerer = self.lowerer;
        let strays = |ty: TypeId| self.types.iter().any(|stray| lowerer.fits(ty, *stray));
        self.functions.iter().zip(&lowerer.functions).map(|(own, function)| *own || strays(function.ty)).collect()
    }
}
