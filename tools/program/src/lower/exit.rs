//! What runs before the entry function and when the program ends: constructors, destructors and the functions `atexit` is
//! given.
//!
//! Constructors become calls before the entry function in the order of glibc's start-up code: of ascending priority, those
//! of one priority as they are defined. When the entry function returns, and where `exit` is called, one function added here
//! calls what `atexit` was given, last first, and then the destructors in the opposite order of constructors. What `atexit`
//! is given waits in a table, so that a function that registers another one, or ends the program itself, does what glibc
//! makes of it. `abort`, `_exit` and `quick_exit` run nothing.
//! Where that is not exact, it is unsupported: an entry function that is called by the program or is not `main`, an end by a
//! function nobody knows, a destructor that registers or ends something.

use rustc_hash::FxHashSet;

use super::call::Destination;
use super::cursor::Cursor;
use super::flow::Body;
use super::scope::Entity;
use super::{Lowered, Lowerer};
use crate::ast::{self, Symbol};
use crate::cfa::{Edge, Function, FunctionId, Known, Linkage, LocationId, Operation, StaticInitializer, VarId, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::known::{Ending, special};
use crate::source::Span;
use crate::types::{ArrayLength, FunctionType, QualType, Type, TypeId};

/// Functions that the table has room for.
const ROOM: u64 = 64;
/// The function that is added.
const ENDING: &str = "__run_at_exit";
/// The priority of what is declared without one.
const LAST: i128 = 65535;

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    /// A constructor.
    Before,
    /// A destructor.
    Behind,
}

impl Moment {
    fn name(self) -> &'static str {
        match self {
            Self::Before => "constructor",
            Self::Behind => "destructor",
        }
    }
}

/// A function that runs before the entry function or behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hook {
    function: FunctionId,
    moment: Moment,
    priority: i128,
    span: Span,
}

/// Where functions wait that `atexit` is given.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtExit {
    table: VarId,
    count: VarId,
    span: Span,
}

impl Lowerer<'_> {
    /// Takes note of the constructors and destructors a function is declared as.
    pub(super) fn add_hooks(
        &mut self,
        function: FunctionId,
        hooks: &[(Moment, Option<ast::ExprId>)],
        shared: bool,
        span: Span,
    ) -> Lowered<()> {
        for (moment, priority) in hooks {
            let priority = match priority {
                Some(expr) => self.integer_constant(*expr)?.0,
                None => LAST,
            };
            let known = self.hooks.iter().find(|hook| hook.function == function && hook.moment == *moment);
            let agrees = known.is_none_or(|hook| hook.priority == priority);
            if shared || !agrees || self.options.entry != "main" {
                self.before_entry.push((moment.name().into(), span));
            } else if known.is_none() {
                self.hooks.push(Hook { function, moment: *moment, priority, span });
            }
        }
        Ok(())
    }

    /// The type of the function that `atexit` takes, if the name stands for the one of the library.
    pub(super) fn is_at_exit(&mut self, name: Symbol) -> Option<TypeId> {
        let Some(Entity::Function(function)) = self.scopes.lookup(name) else { return None };
        let Type::Function(ty) = self.types.get(self.functions[function.index()].ty).clone() else { return None };
        let handler = self.handler_type();
        let handler = self.pointer_to(QualType::plain(handler));
        let fits = matches!(ty.parameters[..], [parameter] if self.compatible(parameter.ty, handler));
        let library = !self.defined.contains(&name) && self.options.entry == "main";
        (library && fits && !ty.unprototyped && ty.result.ty == self.basic.int).then_some(handler)
    }

    fn handler_type(&mut self) -> TypeId {
        let result = QualType::plain(self.basic.void);
        let ty = FunctionType { result, parameters: Vec::new(), variadic: false, unprototyped: false };
        self.types.intern(Type::Function(ty))
    }

    /// `atexit(argument)`, which is given memory enough.
    pub(super) fn register_at_exit(&mut self, argument: ast::ExprId, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let argument_span = self.ast[argument].span;
        let value = self.value(argument)?;
        let value = self.assign_convert(value, ty, argument_span)?;
        let int = self.basic.int;
        let success = self.int(int, 0);
        if self.quiet > 0 {
            self.impure = true;
            return Ok(success);
        }
        if self.body.cursor == Cursor::Dead {
            return Ok(success);
        }
        let AtExit { table, count, .. } = self.at_exit_table(ty, span);
        let full = self.load_variable(count);
        let room = self.int(int, i128::from(ROOM));
        let fits = self.binary(BinaryOp::Less, full, room);
        let (holds, fails) = self.fork(fits, span);
        self.body.cursor = fails;
        let end = self.dead_end();
        self.emit_last(Operation::Unsupported { construct: "more functions than `atexit` has to take".into() }, span, end);
        self.body.cursor = holds;
        let place = self.variable(table);
        let place = self.exprs.intern(Expr::Index(place, full), ty);
        self.emit(Operation::Assign { place, value }, span);
        self.count_by(count, 1, span);
        Ok(success)
    }

    fn count_by(&mut self, count: VarId, step: i128, span: Span) {
        let (value, step) = (self.load_variable(count), self.int(self.basic.int, step));
        let value = self.binary(BinaryOp::Add, value, step);
        let place = self.variable(count);
        self.emit(Operation::Assign { place, value }, span);
    }

    fn at_exit_table(&mut self, ty: TypeId, span: Span) -> AtExit {
        if let Some(known) = self.at_exit {
            return known;
        }
        let element = QualType::plain(ty);
        let table = self.types.intern(Type::Array { element, length: ArrayLength::Constant(ROOM) });
        let table = self.state("__at_exit_functions", table);
        let count = self.state("__at_exit_count", self.basic.int);
        *self.at_exit.insert(AtExit { table, count, span })
    }

    fn state(&mut self, name: &str, ty: TypeId) -> VarId {
        let kind = VarKind::Global { linkage: Linkage::Internal, defined: true };
        let variable = self.new_variable(name.into(), kind, QualType::plain(ty), Span::default());
        self.variables[variable.index()].initializer = Some(StaticInitializer::default());
        variable
    }

    /// Lets constructors run before the entry function, and the rest where the program ends.
    pub(super) fn run_hooks(&mut self, entry: FunctionId) {
        let mut hooks = std::mem::take(&mut self.hooks);
        let begins = |hook: &Hook| self.functions[hook.function.index()].entry;
        hooks.sort_by_key(|hook| (hook.priority, begins(hook)));
        let (good, bad): (Vec<Hook>, Vec<Hook>) = hooks.into_iter().partition(|hook| self.is_followed(hook, entry));
        for hook in bad {
            self.before_entry.push((hook.moment.name().into(), hook.span));
        }
        let (before, mut behind): (Vec<Hook>, Vec<Hook>) = good.into_iter().partition(|hook| hook.moment == Moment::Before);
        behind.reverse();
        let ends = self.at_exit.is_some() || !behind.is_empty();
        if self.is_called(entry) && (ends || !before.is_empty()) {
            let what = if ends { "end of an entry function that is called" } else { "constructor" };
            self.before_entry.push((what.into(), self.functions[entry.index()].span));
            return;
        }
        if ends {
            self.end_with(entry, &behind);
        }
        self.hooks.clone_from(&before);
        for hook in before.iter().rev() {
            let Some(old) = self.functions[entry.index()].entry else { return };
            let new = self.sibling(old);
            let operation = Operation::Call { callee: hook.function, arguments: Vec::new(), result: None };
            self.edges.push(Edge { source: new, target: old, operation, span: hook.span, statement: hook.span, choice: None });
            self.functions[entry.index()].entry = Some(new);
        }
    }

    /// Whether the function of a hook has a body that can be called without arguments.
    fn is_followed(&self, hook: &Hook, entry: FunctionId) -> bool {
        let function = &self.functions[hook.function.index()];
        hook.function != entry && function.entry.is_some() && function.parameters.is_empty() && function.known.is_none()
    }

    pub(super) fn is_called(&self, function: FunctionId) -> bool {
        self.edges.iter().any(|edge| matches!(edge.operation, Operation::Call { callee, .. } if callee == function))
    }

    /// Calls what runs at the end wherever the program ends.
    fn end_with(&mut self, entry: FunctionId, destructors: &[Hook]) {
        let first = self.edges.len();
        let span = destructors.first().map_or_else(|| self.at_exit.map_or(Span::default(), |at| at.span), |hook| hook.span);
        let runs = self.ending_function(destructors, span);
        self.check_destructors(destructors, first);
        for index in 0..first {
            match &self.edges[index].operation {
                Operation::Call { callee, .. } => {
                    let function = &self.functions[callee.index()];
                    match (function.known, ending(&function.name)) {
                        (Some(Known::NoReturn), _) if function.entry.is_some() => {}
                        (Some(Known::NoReturn), Some(ending)) if ending.runs() => self.run_before(index, runs),
                        (Some(Known::NoReturn), None) => {
                            let construct = format!("end of the program by `{}`", function.name).into();
                            self.edges[index].operation = Operation::Unsupported { construct };
                        }
                        _ => {}
                    }
                }
                Operation::Return { .. } if self.locations[self.edges[index].source.index()].function == entry => {
                    self.run_before(index, runs);
                }
                _ => {}
            }
        }
    }

    /// Puts a call before an operation. A value that is returned is computed first.
    fn run_before(&mut self, index: usize, runs: FunctionId) {
        let Edge { source, target, operation, span, statement, .. } = self.edges[index].clone();
        let call = Operation::Call { callee: runs, arguments: Vec::new(), result: None };
        let mut operations = vec![call];
        match operation {
            Operation::Return { value: Some(value) } => {
                let temporary = self.extra_temporary(self.exprs.ty(value), source);
                let place = self.variable(temporary);
                operations.insert(0, Operation::Assign { place, value });
                operations.push(Operation::Return { value: Some(self.load_variable(temporary)) });
            }
            other => operations.push(other),
        }
        let mut at = source;
        let last = operations.len() - 1;
        for (number, operation) in operations.into_iter().enumerate() {
            let next = if number == last { target } else { self.sibling(source) };
            let edge = Edge { source: at, target: next, operation, span, statement, choice: None };
            if number == 0 {
                self.edges[index] = edge;
            } else {
                self.edges.push(edge);
            }
            at = next;
        }
    }

    /// The function that runs all there is to run at the end.
    fn ending_function(&mut self, destructors: &[Hook], span: Span) -> FunctionId {
        let ty = self.handler_type();
        let function = FunctionId::new(self.functions.len());
        self.functions.push(Function::new(ENDING, Linkage::Internal, ty, span));
        let outer = std::mem::replace(&mut self.body, Body::file_level());
        self.body.function = Some(function);
        self.body.statement = span;
        let entry = self.new_location();
        self.body.exit = self.new_location();
        self.body.cursor = Cursor::At(entry);
        if let Some(at_exit) = self.at_exit {
            self.drain(at_exit, entry, span);
        }
        for hook in destructors {
            let callee = hook.function;
            self.emit(Operation::Call { callee, arguments: Vec::new(), result: None }, hook.span);
        }
        let exit = self.body.exit;
        self.emit_last(Operation::Return { value: None }, span, exit);
        self.functions[function.index()].entry = Some(entry);
        self.functions[function.index()].exit = Some(exit);
        self.body = outer;
        function
    }

    /// Calls the functions of the table, last first, until none is left.
    fn drain(&mut self, at_exit: AtExit, head: LocationId, span: Span) {
        let (left, none) = (self.load_variable(at_exit.count), self.int(self.basic.int, 0));
        let some = self.binary(BinaryOp::Greater, left, none);
        let (holds, fails) = self.fork(some, span);
        self.body.cursor = holds;
        self.count_by(at_exit.count, -1, span);
        let table = self.variable(at_exit.table);
        let Type::Array { element, .. } = *self.types.get(self.ty(table)) else { return };
        let place = self.exprs.intern(Expr::Index(table, left), element.ty);
        let pointer = self.exprs.intern(Expr::Load(place), element.ty);
        self.call_pointer(pointer, Vec::new(), self.basic.void, span, Destination::Nowhere);
        self.jump(head, span);
        self.body.cursor = fails;
    }

    /// A destructor that registers a function, or ends the program, has an order of its own in glibc.
    fn check_destructors(&mut self, destructors: &[Hook], end: usize) {
        let mut reached: FxHashSet<FunctionId> = FxHashSet::default();
        let mut pending: Vec<FunctionId> = destructors.iter().map(|hook| hook.function).collect();
        let mut disturbs = false;
        while let Some(function) = pending.pop() {
            if !reached.insert(function) {
                continue;
            }
            for edge in &self.edges[..end] {
                if self.locations[edge.source.index()].function != function {
                    continue;
                }
                match &edge.operation {
                    Operation::Call { callee, .. } => {
                        disturbs |= ending(&self.functions[callee.index()].name).is_some_and(Ending::runs);
                        pending.push(*callee);
                    }
                    Operation::Assign { place, .. } => {
                        let count = self.at_exit.map(|at| at.count);
                        disturbs |= matches!(*self.exprs.get(*place), Expr::Variable(variable) if Some(variable) == count);
                    }
                    _ => {}
                }
            }
            let indirect = self.indirect.iter().any(|call| self.function_of(call.edge) == function);
            disturbs |= indirect;
        }
        if disturbs && let Some(first) = destructors.first() {
            self.before_entry.push(("destructor that ends the program, or may".into(), first.span));
        }
    }

    fn function_of(&self, edge: crate::cfa::EdgeId) -> FunctionId {
        self.locations[self.edges[edge.index()].source.index()].function
    }

    /// Functions that end the program may not be called through pointers where something runs at the end, nor the entry
    /// function where something runs before it.
    pub(super) fn check_endings(&mut self, entry: FunctionId) {
        let ends = self.functions.iter().any(|function| &*function.name == ENDING);
        if self.functions[entry.index()].address_taken && !self.hooks.is_empty() {
            self.before_entry.push(("constructor".into(), self.functions[entry.index()].span));
        }
        if !ends {
            return;
        }
        for index in 0..self.functions.len() {
            let function = &self.functions[index];
            let ends = function.known == Some(Known::NoReturn) && ending(&function.name).is_none_or(Ending::runs);
            let strange = (ends && function.entry.is_none()) || index == entry.index();
            if strange && function.address_taken {
                let construct = format!("address of `{}` in a program where something runs at its end", function.name);
                self.before_entry.push((construct.into(), function.span));
            }
        }
    }
}

/// How a function that does not return ends the program, by its name.
fn ending(name: &str) -> Option<Ending> {
    special(name)?.ending
}
