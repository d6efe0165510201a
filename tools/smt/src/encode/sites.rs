//! The calls whose memory is modelled: what it holds, how much of it there is, and how often it is asked for.

#![expect(clippy::wildcard_enum_match_arm, reason = "few operations and expressions say something of memory")]

use std::collections::BTreeSet;

use program::cfa::{Cfa, EdgeId, FunctionId, Known, Operation, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::{Type, TypeId};
use semantics::callgraph::CallGraph;
use semantics::facts::Facts;
use semantics::loops::Loops;
use semantics::objects::Objects;
use semantics::pointsto::PointsTo;

use super::heap::{Site, factors};

/// More calls of a function that passes memory on are not told apart.
const MOST_CALLERS: usize = 32;

/// Pieces of memory of all calls together: each costs something in every state.
const MOST_PIECES: u32 = 512;

/// The calls whose memory is modelled; at most so many pieces of memory are told apart per call that allocates.
pub(super) fn sites(facts: &Facts<'_>, pieces: u32) -> Vec<Site> {
    let cfa = facts.cfa();
    let finder = Finder {
        cfa,
        loops: facts.loops(),
        calls: facts.calls(),
        objects: facts.objects(),
        points_to: facts.points_to(),
        views: views(cfa),
    };
    finder.sites(pieces)
}

/// Conversions of pointers to nothing in particular: the operand, and what the result points to.
fn views(cfa: &Cfa) -> Vec<(ExprId, TypeId)> {
    let pointee = |expr: ExprId| match cfa.types.get(cfa.exprs.ty(expr)) {
        Type::Pointer(to) => Some(to.ty),
        _ => None,
    };
    let is_void = |ty: TypeId| matches!(cfa.types.get(ty), Type::Void);
    let mut found = Vec::new();
    for expr in (0..cfa.exprs.len()).map(ExprId::new) {
        if let Expr::Cast(operand) = *cfa.exprs.get(expr)
            && pointee(operand).is_some_and(is_void)
            && let Some(to) = pointee(expr)
            && !is_void(to)
            && !matches!(cfa.types.get(to), Type::Function(_))
        {
            found.push((operand, to));
        }
    }
    found
}

/// Looks for the calls that allocate, and for what their memory holds.
struct Finder<'a> {
    cfa: &'a Cfa,
    loops: &'a Loops,
    calls: &'a CallGraph,
    objects: &'a Objects,
    points_to: &'a PointsTo,
    views: Vec<(ExprId, TypeId)>,
}

impl Finder<'_> {
    fn sites(&self, pieces: u32) -> Vec<Site> {
        let times = self.times();
        let mut found = Vec::new();
        for call in self.cfa.edge_ids() {
            let Operation::Call { callee, result: Some(result), .. } = self.cfa.edge(call).operation else { continue };
            if self.cfa.enters(callee) || self.cfa.function(callee).known != Some(Known::Allocate) {
                continue;
            }
            let Some(object) = self.objects.heap(call) else { continue };
            let function = self.cfa.location(self.cfa.edge(call).source).function;
            let site = Site {
                call,
                caller: None,
                element: None,
                size: self.size(call, None),
                times: self.passed(call, &times),
                pieces,
                escapes: self.points_to.is_escaped(object),
                grows: self.grows(call),
            };
            let own = self.viewed_as(call, result);
            let callers = self.calls.call_sites(function);
            if own.is_some() || callers.len() > MOST_CALLERS || self.calls.is_recursive(function) {
                found.push(Site { element: own.or_else(|| self.seen_as(call)), ..site });
                continue;
            }
            let contexts: Vec<(EdgeId, TypeId)> = callers.iter().filter_map(|caller| self.viewed_in(*caller)).collect();
            for (caller, element) in &contexts {
                let times = self.passed(*caller, &times).filter(|_| self.in_loop(call) == Some(false));
                let size = self.size(call, Some(*caller));
                found.push(Site { caller: Some(*caller), element: Some(*element), size, times, ..site.clone() });
            }
            if contexts.len() < callers.len() || contexts.is_empty() {
                found.push(Site { element: self.seen_as(call), ..site });
            }
        }
        let count = u32::try_from(found.len()).unwrap_or(u32::MAX).max(1);
        if count > MOST_PIECES {
            return Vec::new();
        }
        let share = (MOST_PIECES / count).clamp(1, pieces);
        found.iter_mut().for_each(|site| site.pieces = share);
        found
    }

    /// What the result of a call, which a variable gets, is converted to, where that is one type.
    fn viewed_as(&self, call: EdgeId, variable: VarId) -> Option<TypeId> {
        let is_it = |operand: ExprId| match *self.cfa.exprs.get(operand) {
            Expr::Load(place) => matches!(*self.cfa.exprs.get(place), Expr::Variable(other) if other == variable),
            _ => false,
        };
        let fits = |(operand, to): &(ExprId, TypeId)| is_it(*operand).then_some(*to);
        if !matches!(self.cfa.variable(variable).kind, VarKind::Temporary(_)) {
            return self.only(self.views.iter().filter_map(fits));
        }
        // Other calls may use the same temporary variable.
        let mut found = Vec::new();
        for next in self.cfa.out_edges(self.cfa.edge(call).target) {
            let Operation::Assign { value, .. } = self.cfa.edge(*next).operation else { continue };
            if let Expr::Cast(operand) = *self.cfa.exprs.get(value)
                && let Type::Pointer(to) = self.cfa.types.get(self.cfa.exprs.ty(value))
            {
                found.extend(fits(&(operand, to.ty)).filter(|ty| !matches!(self.cfa.types.get(*ty), Type::Void)));
            }
        }
        self.only(found.into_iter())
    }

    /// The type that a caller takes the result of its call for, with the call.
    fn viewed_in(&self, caller: EdgeId) -> Option<(EdgeId, TypeId)> {
        match self.cfa.edge(caller).operation {
            Operation::Call { result: Some(result), .. } => Some((caller, self.viewed_as(caller, result)?)),
            _ => None,
        }
    }

    /// What any pointer to the memory is converted to, where that is one type.
    fn seen_as(&self, call: EdgeId) -> Option<TypeId> {
        let object = self.objects.heap(call)?;
        let leads_there = |operand: ExprId| self.points_to.targets(operand).contains(object);
        self.only(self.views.iter().filter(|(operand, _)| leads_there(*operand)).map(|(_, to)| *to))
    }

    fn only(&self, types: impl Iterator<Item = TypeId>) -> Option<TypeId> {
        let types: BTreeSet<TypeId> = types.collect();
        let is_byte = |ty: &&TypeId| program::layout::size_of(&self.cfa.types, self.cfa.machine, **ty) == Ok(1);
        let wide: Vec<&TypeId> = types.iter().filter(|ty| !is_byte(ty)).collect();
        match (wide.as_slice(), types.first()) {
            ([only], _) => Some(**only),
            ([], Some(byte)) => Some(*byte),
            _ => None,
        }
    }

    /// How many bytes a call asks for, where its text says so, or that of the call that began the activation.
    fn size(&self, call: EdgeId, caller: Option<EdgeId>) -> Option<u64> {
        let Operation::Call { callee, arguments, .. } = &self.cfa.edge(call).operation else { return None };
        let (first, second) = factors(&self.cfa.function(*callee).name)?;
        let mut size = self.constant(*arguments.get(first)?, caller)?;
        if let Some(second) = second {
            size = size.checked_mul(self.constant(*arguments.get(second)?, caller)?)?;
        }
        Some(size)
    }

    fn constant(&self, expr: ExprId, caller: Option<EdgeId>) -> Option<u64> {
        let both = |a: ExprId, b: ExprId| Some((self.constant(a, caller)?, self.constant(b, caller)?));
        let value = match *self.cfa.exprs.get(expr) {
            Expr::Int(value) => u64::try_from(value).ok()?,
            Expr::Zero => 0,
            Expr::Cast(inner) => self.constant(inner, caller)?,
            Expr::Binary(BinaryOp::Multiply, a, b) => both(a, b).and_then(|(a, b)| a.checked_mul(b))?,
            Expr::Binary(BinaryOp::Add, a, b) => both(a, b).and_then(|(a, b)| a.checked_add(b))?,
            Expr::Load(place) => {
                let Expr::Variable(parameter) = *self.cfa.exprs.get(place) else { return None };
                let Operation::Call { callee, arguments, .. } = &self.cfa.edge(caller?).operation else { return None };
                let number = self.cfa.function(*callee).parameters.iter().position(|own| *own == parameter)?;
                self.constant(*arguments.get(number).filter(|_| !self.is_written(parameter))?, None)?
            }
            _ => return None,
        };
        // Conversions cut off nothing from small numbers.
        Some(value).filter(|value| *value < 1 << 31)
    }

    /// Whether a parameter may change after the call.
    fn is_written(&self, parameter: VarId) -> bool {
        let is_it = |place: ExprId| matches!(*self.cfa.exprs.get(place), Expr::Variable(variable) if variable == parameter);
        self.cfa.variable(parameter).address_taken
            || self.cfa.edges.iter().any(|edge| match &edge.operation {
                Operation::Assign { place, .. } => is_it(*place),
                Operation::Havoc { variable, .. } => *variable == Some(parameter),
                Operation::Call { result, .. } => *result == Some(parameter),
                Operation::Asm(_) => true,
                _ => false,
            })
    }

    /// Whether the memory of a call may be an argument of `realloc`.
    fn grows(&self, call: EdgeId) -> bool {
        let Some(object) = self.objects.heap(call) else { return true };
        self.cfa.edges.iter().any(|edge| match &edge.operation {
            Operation::Call { callee, arguments, .. } => {
                let function = self.cfa.function(*callee);
                let moved = arguments.first().filter(|_| function.known == Some(Known::Allocate));
                moved.is_some_and(|old| function.name.contains("realloc") && self.points_to.targets(*old).contains(object))
            }
            _ => false,
        })
    }

    /// How often a run calls each function at most.
    fn times(&self) -> Vec<Option<u32>> {
        let mut times: Vec<Option<u32>> = vec![Some(0); self.cfa.functions.len()];
        for function in self.calls.bottom_up().iter().rev() {
            let mut sum = Some(u32::from(*function == self.cfa.entry));
            for call in self.calls.call_sites(*function) {
                let own = self.passed(*call, &times);
                sum = sum.and_then(|sum| sum.checked_add(own?));
            }
            let bounded = !self.calls.is_recursive(*function);
            times[function.index()] = if bounded { sum } else { None };
        }
        times
    }

    /// How often a run passes an edge at most, given how often it calls functions.
    fn passed(&self, edge: EdgeId, times: &[Option<u32>]) -> Option<u32> {
        let function: FunctionId = self.cfa.location(self.cfa.edge(edge).source).function;
        times[function.index()].filter(|_| self.in_loop(edge) == Some(false))
    }

    /// Whether an edge is part of a loop of its function; `None` if that cannot be told.
    fn in_loop(&self, edge: EdgeId) -> Option<bool> {
        let source = self.cfa.edge(edge).source;
        let function = self.cfa.location(source).function;
        let known = !self.loops.is_irreducible(function);
        known.then(|| self.loops.of_function(function).any(|one| one.contains(source)))
    }
}
