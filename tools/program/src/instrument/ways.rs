//! Where the addresses of locals go, whatever the order of statements.
//!
//! * Soundness: what holds an address has got it along an assignment, an argument or a result, or from memory that somebody stored
//!   it to; numbers narrower than an address hold none, unless they are on their way from memory to memory.
//!
//! Does not know which objects pointers lead to: what is stored through one may be read through any other.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::builder::Builder;
use crate::cfa::{Edge, FunctionId, Known, Operation, VarId, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::known::{copies_only, special};
use crate::types::{Type, TypeId};

/// A graph whose nodes are the variables, what is read through pointers, what is stored through
/// pointers, and the results of functions.
pub(super) struct Ways {
    pub(super) variables: usize,
    /// From the addresses of locals; with it, whether the address may be moved on the way.
    addresses: BTreeMap<VarId, Vec<(usize, bool)>>,
    edges: Vec<Vec<(usize, bool)>>,
}

/// Where a value may have an address from.
enum Source {
    Address(VarId),
    Node(usize),
}

impl Ways {
    pub(super) fn new(builder: &Builder<'_>) -> Self {
        let parts = &*builder.parts;
        let variables = parts.variables.len();
        let mut ways =
            Self { variables, addresses: BTreeMap::new(), edges: vec![Vec::new(); variables + 2 + parts.functions.len()] };
        for (index, variable) in parts.variables.iter().enumerate() {
            if variable.address_taken {
                let read = ways.read();
                ways.edges[index].push((read, false));
            }
        }
        for edge in &parts.edges {
            ways.operation(builder, edge);
        }
        ways
    }

    /// What is read through pointers.
    const fn read(&self) -> usize {
        self.variables
    }

    /// What is stored through pointers, or kept by code that is not here.
    pub(super) const fn stored(&self) -> usize {
        self.variables + 1
    }

    const fn result_of(&self, function: FunctionId) -> usize {
        self.variables + 2 + function.index()
    }

    fn operation(&mut self, builder: &Builder<'_>, edge: &Edge) {
        let everywhere = [self.read(), self.stored()];
        match &edge.operation {
            Operation::Assign { place, value } => match root(builder, *place) {
                Some(variable) if is_narrow(builder, variable) => {}
                Some(variable) => self.flow(builder, *value, &[variable.index()]),
                None => self.flow(builder, *value, &everywhere),
            },
            Operation::Call { callee, arguments, result } => {
                self.call(builder, (*callee, arguments), result.map(VarId::index));
            }
            Operation::Return { value: Some(value) } => {
                let function = builder.parts.locations[edge.source.index()].function;
                if !is_narrow_type(builder, builder.parts.exprs.ty(*value)) {
                    self.flow(builder, *value, &[self.result_of(function)]);
                }
            }
            Operation::Asm(asm) => {
                for operand in asm.inputs.iter().chain(&asm.outputs) {
                    self.flow(builder, operand.expr, &everywhere);
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, builder: &Builder<'_>, (callee, arguments): (FunctionId, &[ExprId]), result: Option<usize>) {
        let function = &builder.parts.functions[callee.index()];
        let everywhere = [self.read(), self.stored()];
        if function.entry.is_some() {
            for (number, argument) in arguments.iter().enumerate() {
                match function.parameters.get(number) {
                    Some(parameter) if is_narrow(builder, *parameter) => {}
                    Some(parameter) => self.flow(builder, *argument, &[parameter.index()]),
                    None => self.flow(builder, *argument, &everywhere),
                }
            }
            if let Some(result) = result {
                let node = self.result_of(callee);
                self.edges[node].push((result, false));
            }
            return;
        }
        let keeps = match function.known {
            Some(Known::Memory) => !copies_only(&function.name),
            None | Some(Known::Unsupported) => true,
            Some(Known::Error | Known::NoReturn | Known::Input | Known::Allocate | Known::Free | Known::Pure) => false,
        };
        let yields = keeps || special(&function.name).is_some_and(|row| row.yields_argument);
        let mut targets: Vec<usize> = if keeps { everywhere.to_vec() } else { Vec::new() };
        targets.extend(result.filter(|result| yields && !is_narrow(builder, VarId::new(*result))));
        if !targets.is_empty() {
            arguments.iter().for_each(|argument| self.moved(builder, *argument, &targets));
        }
        if matches!(function.known, Some(Known::Memory | Known::Unsupported) | None) {
            // What is in memory is copied to where a pointer leads.
            let (read, stored) = (self.read(), self.stored());
            self.edges[read].push((stored, false));
        }
    }

    /// What a value may have goes to these nodes.
    fn flow(&mut self, builder: &Builder<'_>, value: ExprId, targets: &[usize]) {
        for (source, moved) in sources(builder, value, self.read()) {
            self.add(&source, targets, moved);
        }
    }

    /// As [`Self::flow`], at another offset.
    fn moved(&mut self, builder: &Builder<'_>, value: ExprId, targets: &[usize]) {
        for (source, _) in sources(builder, value, self.read()) {
            self.add(&source, targets, true);
        }
    }

    fn add(&mut self, source: &Source, targets: &[usize], moved: bool) {
        let from = match source {
            Source::Address(variable) => self.addresses.entry(*variable).or_default(),
            Source::Node(node) => &mut self.edges[*node],
        };
        from.extend(targets.iter().map(|target| (*target, moved)));
    }

    /// The nodes that the address of a local may get to, and whether it may be moved on the way.
    pub(super) fn from(&self, variable: VarId) -> (FxHashSet<usize>, bool) {
        let (mut reached, mut is_moved) = (FxHashSet::default(), false);
        let mut pending = self.addresses.get(&variable).cloned().unwrap_or_default();
        while let Some((node, moved)) = pending.pop() {
            is_moved |= moved;
            if reached.insert(node) {
                pending.extend(&self.edges[node]);
            }
        }
        (reached, is_moved)
    }
}

/// The variable that a place is a part of; `None` behind a pointer.
fn root(builder: &Builder<'_>, mut place: ExprId) -> Option<VarId> {
    loop {
        match builder.get(place) {
            Expr::Field(outer, _) | Expr::Index(outer, _) => place = outer,
            Expr::Variable(variable) => return Some(variable),
            _ => return None,
        }
    }
}

/// Where a value may have an address from, and whether it may be another one than that.
fn sources(builder: &Builder<'_>, value: ExprId, read: usize) -> Vec<(Source, bool)> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut pending = vec![(value, false)];
    while let Some((expr, moved)) = pending.pop() {
        if !seen.insert((expr, moved)) {
            continue;
        }
        match builder.get(expr) {
            Expr::Load(place) => {
                found.push((Source::Node(root(builder, place).map_or(read, VarId::index)), moved));
            }
            Expr::AddressOf(place) => {
                let moves = moved || !has_constant_indices(builder, place);
                match pointer_of(builder, place) {
                    Some(pointer) => pending.push((pointer, true)),
                    None => found.extend(root(builder, place).map(|variable| (Source::Address(variable), moves))),
                }
            }
            Expr::Conditional(_, then, otherwise) => pending.extend([(then, moved), (otherwise, moved)]),
            Expr::Cast(inner) => pending.push((inner, moved)),
            Expr::PointerDifference { .. } => {}
            Expr::Binary(op, ..) if yields_truth(op) => {}
            // A number that is computed is on no way from memory to memory.
            Expr::Unary(..) | Expr::Binary(..) if is_narrow_type(builder, builder.parts.exprs.ty(expr)) => {}
            other => pending.extend(other.operands().map(|operand| (operand, true))),
        }
    }
    found
}

/// The pointer that a place lies behind.
fn pointer_of(builder: &Builder<'_>, mut place: ExprId) -> Option<ExprId> {
    loop {
        match builder.get(place) {
            Expr::Field(outer, _) | Expr::Index(outer, _) => place = outer,
            Expr::Dereference { pointer, .. } => return Some(pointer),
            _ => return None,
        }
    }
}

/// Whether a part of a variable is named by constants, and lies in it.
fn has_constant_indices(builder: &Builder<'_>, mut place: ExprId) -> bool {
    loop {
        match builder.get(place) {
            Expr::Field(outer, _) => place = outer,
            Expr::Index(outer, index) => {
                let (Expr::Int(number), Some(whole), Some(one)) = (
                    builder.get(index),
                    builder.bytes_of(builder.parts.exprs.ty(outer)),
                    builder.bytes_of(builder.parts.exprs.ty(place)),
                ) else {
                    return false;
                };
                if number.saturating_add(1).saturating_mul(u128::from(one)) > u128::from(whole) {
                    return false;
                }
                place = outer;
            }
            _ => return true,
        }
    }
}

/// Whether a variable is too narrow for an address. One that the program does not name may hold a byte of it that is on its way
/// from memory to memory.
fn is_narrow(builder: &Builder<'_>, variable: VarId) -> bool {
    let variable = &builder.parts.variables[variable.index()];
    !matches!(variable.kind, VarKind::Temporary(_)) && is_narrow_type(builder, variable.ty.ty)
}

fn is_narrow_type(builder: &Builder<'_>, ty: TypeId) -> bool {
    let is_number = matches!(builder.parts.types.get(ty), Type::Int { .. } | Type::Enum(_) | Type::Float(_));
    is_number && builder.bytes_of(ty).is_some_and(|bytes| bytes < builder.parts.machine.word())
}

const fn yields_truth(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Less
            | BinaryOp::Greater
            | BinaryOp::LessEqual
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr
    )
}
