//! The variables, functions and expressions of several programs in one arena.
//!
//! Programs come one after another. A function of a program is that of the one before iff a call of the one is a call of
//! the other ([`Correspondence::strict_function`]) and the types are one in the common table; a variable iff it has a
//! counterpart of equal content of the same type, kind, alignment and, unless it can be assigned at the start, initial
//! value. All others stay apart, under a name of their own. Whatever is merged, each program keeps its meaning: merging
//! decides how much is shared only, and [`crate::certificate`] checks it.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::BTreeSet;

use program::cfa::{
    Cfa, ConstantValue, Edge, Function, FunctionId, InitialScalar, InlineAsm, Operation, StaticInitializer, VarId, Variable,
};
use program::expr::{Expr, ExprArena, ExprId};
use program::source::{SourceFile, Span};
use program::types::{QualType, Qualifiers, Type, TypeId, TypeTable};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::compare::{Comparison, Correspondence};

use crate::merge_types;

/// Where the things of one program are in the common tables.
#[derive(Debug)]
pub(crate) struct Maps {
    pub(crate) types: Vec<TypeId>,
    pub(crate) variables: Vec<VarId>,
    pub(crate) functions: Vec<FunctionId>,
    /// What the address of a function is written with.
    addresses: Vec<FunctionId>,
    pub(crate) exprs: Vec<ExprId>,
    /// Where its text begins.
    base: u32,
}

/// The common tables.
#[derive(Debug)]
pub(crate) struct Merged {
    pub(crate) source: SourceFile,
    pub(crate) types: TypeTable,
    pub(crate) exprs: ExprArena,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) maps: Vec<Maps>,
    /// The initial value of each scalar that differs between programs: variable, program, value.
    pub(crate) initial: Vec<(VarId, usize, InitialScalar)>,
}

/// What must not be shared.
#[derive(Debug, Default)]
pub(crate) struct Apart {
    /// Functions of programs.
    pub(crate) functions: BTreeSet<(usize, FunctionId)>,
    /// A variable whose initial value differs, even if that is one number. The address of a function is then that of its
    /// counterpart, shared or not: it stands for both.
    pub(crate) other_initials: bool,
}

/// Merges programs; `comparisons` are those of each with the next one. `None` if their texts are too long together.
pub(crate) fn merge(programs: &[&Cfa], comparisons: &[Comparison<'_>], apart: &Apart) -> Option<Merged> {
    let texts = programs.iter().enumerate().map(|(number, cfa)| (format!("{number}"), cfa.source.clone())).collect();
    let name = programs.first().map_or("", |cfa| cfa.source.path());
    let source = SourceFile::join(name, texts)?;
    let mut merged = Merged {
        source,
        types: TypeTable::default(),
        exprs: ExprArena::default(),
        variables: Vec::new(),
        functions: Vec::new(),
        maps: Vec::new(),
        initial: Vec::new(),
    };
    let suffix = suffix(programs);
    for (number, program) in programs.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| comparisons[before].correspondence());
        merged.add(number, program, before, apart, &suffix);
    }
    Some(merged)
}

/// How the names of what is apart end: as no name of a program does.
fn suffix(programs: &[&Cfa]) -> String {
    let mut suffix = "__v".to_owned();
    let taken = |suffix: &str| {
        let names = |cfa: &Cfa| {
            cfa.variables.iter().any(|variable| variable.name.contains(suffix))
                || cfa.functions.iter().any(|function| function.name.contains(suffix))
        };
        programs.iter().any(|cfa| names(cfa))
    };
    while taken(&suffix) {
        suffix.insert(0, '_');
    }
    suffix
}

impl Merged {
    fn add(&mut self, number: usize, program: &Cfa, before: Option<&Correspondence>, apart: &Apart, suffix: &str) {
        let types = merge_types::merge(&mut self.types, program);
        let base = self.source.units().get(number).map_or(0, |unit| unit.span.lo);
        let maps = Maps {
            types,
            variables: Vec::new(),
            functions: Vec::new(),
            addresses: Vec::new(),
            exprs: Vec::with_capacity(program.exprs.len()),
            base,
        };
        let mut adding = Adding { merged: self, number, program, maps, suffix, strict: apart.other_initials };
        let mut functions = adding.shared_functions(before, apart);
        let mut variables = adding.shared_variables(before, &functions);
        for (index, shared) in functions.iter_mut().enumerate() {
            // Parameters correspond position by position.
            let parameters = &program.functions[index].parameters;
            if parameters.iter().any(|parameter| variables[parameter.index()].is_none()) {
                *shared = None;
            }
        }
        for (index, variable) in program.variables.iter().enumerate() {
            if variable.function.is_some_and(|function| functions[function.index()].is_none()) {
                variables[index] = None;
            }
        }
        let tokens: Vec<Option<FunctionId>> = program.function_ids().map(|id| adding.token(id, before, &functions)).collect();
        adding.drop_other_initials(&mut variables, &tokens);
        adding.functions(&functions);
        let own = adding.maps.functions.clone();
        adding.maps.addresses = tokens.iter().zip(own).map(|(token, own)| token.unwrap_or(own)).collect();
        adding.variables(variables);
        adding.exprs();
        let maps = adding.maps;
        self.maps.push(maps);
    }

    /// An edge's operation in the common tables.
    pub(crate) fn operation(&self, program: usize, edge: &Edge) -> Operation {
        self.maps[program].operation(&edge.operation)
    }

    /// A place of a program's text in the common one.
    pub(crate) fn span(&self, program: usize, span: Span) -> Span {
        self.maps[program].span(span)
    }
}

impl Maps {
    pub(crate) fn expr(&self, expr: ExprId) -> ExprId {
        self.exprs[expr.index()]
    }

    pub(crate) fn variable(&self, variable: VarId) -> VarId {
        self.variables[variable.index()]
    }

    fn span(&self, span: Span) -> Span {
        Span::new(span.lo.saturating_add(self.base), span.hi.saturating_add(self.base))
    }

    fn operation(&self, operation: &Operation) -> Operation {
        match operation {
            Operation::Declare { variable } => Operation::Declare { variable: self.variable(*variable) },
            Operation::Assume { condition, truth } => Operation::Assume { condition: self.expr(*condition), truth: *truth },
            Operation::Assign { place, value } => Operation::Assign { place: self.expr(*place), value: self.expr(*value) },
            Operation::Havoc { variable, input } => Operation::Havoc {
                variable: variable.map(|variable| self.variable(variable)),
                input: self.functions[input.index()],
            },
            Operation::Call { callee, arguments, result } => Operation::Call {
                callee: self.functions[callee.index()],
                arguments: arguments.iter().map(|argument| self.expr(*argument)).collect(),
                result: result.map(|result| self.variable(result)),
            },
            Operation::Return { value } => Operation::Return { value: value.map(|value| self.expr(value)) },
            Operation::Blank => Operation::Blank,
            Operation::Asm(asm) => {
                let mut asm: InlineAsm = (**asm).clone();
                for operand in asm.outputs.iter_mut().chain(&mut asm.inputs) {
                    operand.expr = self.expr(operand.expr);
                }
                Operation::Asm(Box::new(asm))
            }
            Operation::Unsupported { construct } => Operation::Unsupported { construct: construct.clone() },
        }
    }
}

/// One program while it is added.
struct Adding<'a> {
    merged: &'a mut Merged,
    number: usize,
    program: &'a Cfa,
    maps: Maps,
    suffix: &'a str,
    /// See [`Apart::other_initials`].
    strict: bool,
}

impl Adding<'_> {
    fn ty(&self, ty: QualType) -> QualType {
        let qualifiers = Qualifiers { is_const: false, ..ty.qualifiers };
        QualType { ty: self.maps.types[ty.ty.index()], qualifiers }
    }

    fn last(&self) -> Option<&Maps> {
        self.merged.maps.last()
    }

    /// The functions of the common table that those of the program are.
    fn shared_functions(&self, before: Option<&Correspondence>, apart: &Apart) -> Vec<Option<FunctionId>> {
        let shared = |id: FunctionId| {
            let last = self.last()?;
            let other = last.functions[before?.strict_function(id)?.index()];
            let (mine, theirs) = (self.program.function(id), &self.merged.functions[other.index()]);
            let same = self.maps.types[mine.ty.index()] == theirs.ty && !apart.functions.contains(&(self.number, id));
            same.then_some(other)
        };
        self.program.function_ids().map(shared).collect()
    }

    /// The function whose address stands for that of a function of the program.
    fn token(&self, id: FunctionId, before: Option<&Correspondence>, shared: &[Option<FunctionId>]) -> Option<FunctionId> {
        let counterpart = || Some(self.last()?.functions[before?.strict_function(id)?.index()]);
        shared[id.index()].or_else(|| if self.strict { counterpart() } else { None })
    }

    /// The variables of the common table that those of the program may be.
    fn shared_variables(&self, before: Option<&Correspondence>, functions: &[Option<FunctionId>]) -> Vec<Option<VarId>> {
        let mut taken = FxHashSet::default();
        let mut shared: Vec<Option<VarId>> = Vec::with_capacity(self.program.variables.len());
        for id in self.program.variable_ids() {
            let other = before.zip(self.last()).and_then(|(before, last)| Some(last.variable(before.content(id)?)));
            let mine = self.program.variable(id);
            shared.push(other.filter(|other| {
                let theirs = &self.merged.variables[other.index()];
                let function = match mine.function {
                    Some(function) => functions[function.index()].is_some_and(|function| theirs.function == Some(function)),
                    None => theirs.function.is_none(),
                };
                let same = function
                    && mine.kind == theirs.kind
                    && self.ty(mine.ty) == theirs.ty
                    && (mine.thread_local, mine.align) == (theirs.thread_local, theirs.align)
                    && mine.identity == theirs.identity;
                same && taken.insert(*other)
            }));
        }
        shared
    }

    /// Takes back variables whose initial values differ otherwise than in one scalar.
    fn drop_other_initials(&self, shared: &mut [Option<VarId>], functions: &[Option<FunctionId>]) {
        loop {
            let differs = |index: usize| {
                let other = shared[index]?;
                let same = |variable: VarId| shared[variable.index()];
                let mine = self.program.variables[index].initializer.as_ref();
                let theirs = self.merged.variables[other.index()].initializer.as_ref();
                let mine = mine.map(|one| self.initializer(one, &same, &|function| functions[function.index()]));
                let equal = match (&mine, theirs) {
                    (None, None) => true,
                    (Some(Some(mine)), Some(theirs)) => {
                        mine == theirs || !self.strict && self.is_one_scalar(mine, index) && self.is_one_scalar(theirs, index)
                    }
                    (Some(None), _) | (None, Some(_)) | (Some(_), None) => false,
                };
                (!equal).then_some(index)
            };
            let different: Vec<usize> = (0..shared.len()).filter_map(differs).collect();
            if different.is_empty() {
                return;
            }
            different.into_iter().for_each(|index| shared[index] = None);
        }
    }

    /// Whether an initial value is that of a scalar variable, so that an assignment can give it.
    fn is_one_scalar(&self, initializer: &StaticInitializer, variable: usize) -> bool {
        let variable = &self.program.variables[variable];
        let is_scalar = match self.program.types.get(variable.ty.ty) {
            Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_) | Type::Enum(_) => true,
            Type::Void | Type::Complex(_) | Type::Array { .. } | Type::Function(_) | Type::Record(_) => false,
            Type::Vector { .. } | Type::VaList => false,
        };
        let is_number = |scalar: &InitialScalar| matches!(scalar.value, ConstantValue::Int(_) | ConstantValue::Float(_));
        is_scalar
            && !variable.thread_local
            && !variable.ty.qualifiers.is_volatile
            && initializer.unsupported.is_none()
            && initializer.scalars.len() <= 1
            && initializer.scalars.iter().all(is_number)
    }

    /// An initial value in the common tables; `None` if it names what has no counterpart there.
    fn initializer(
        &self,
        initializer: &StaticInitializer,
        variable: &dyn Fn(VarId) -> Option<VarId>,
        function: &dyn Fn(FunctionId) -> Option<FunctionId>,
    ) -> Option<StaticInitializer> {
        let scalar = |scalar: &InitialScalar| {
            let value = match &scalar.value {
                ConstantValue::Int(_) | ConstantValue::Float(_) => scalar.value.clone(),
                ConstantValue::Address { variable: of, offset } => {
                    ConstantValue::Address { variable: variable(*of)?, offset: *offset }
                }
                ConstantValue::Function(of) => ConstantValue::Function(function(*of)?),
            };
            Some(InitialScalar { ty: self.maps.types[scalar.ty.index()], value, ..scalar.clone() })
        };
        let scalars = initializer.scalars.iter().map(scalar).collect::<Option<_>>()?;
        Some(StaticInitializer { scalars, unsupported: initializer.unsupported.clone() })
    }

    /// Adds the functions that are not shared.
    fn functions(&mut self, shared: &[Option<FunctionId>]) {
        let used: FxHashSet<Box<str>> = self.merged.functions.iter().map(|function| function.name.clone()).collect();
        for (index, function) in self.program.functions.iter().enumerate() {
            let id = match shared[index] {
                Some(id) => {
                    self.merged.functions[id.index()].address_taken |= function.address_taken;
                    id
                }
                None => {
                    // What is known of functions without a body is known by their names.
                    let clashes = function.entry.is_some() && used.contains(&function.name);
                    self.merged.functions.push(Function {
                        name: if clashes { self.renamed(&function.name) } else { function.name.clone() },
                        ty: self.maps.types[function.ty.index()],
                        parameters: Vec::new(),
                        entry: None,
                        exit: None,
                        span: self.maps.span(function.span),
                        ..function.clone()
                    });
                    FunctionId::new(self.merged.functions.len() - 1)
                }
            };
            self.maps.functions.push(id);
        }
    }

    fn renamed(&self, name: &str) -> Box<str> {
        format!("{name}{}{}", self.suffix, self.number + 1).into()
    }

    /// Adds the variables that are not shared, with their initial values, and the parameters of functions.
    fn variables(&mut self, shared: Vec<Option<VarId>>) {
        let used: FxHashSet<(Option<FunctionId>, Box<str>)> =
            self.merged.variables.iter().map(|variable| (variable.function, variable.name.clone())).collect();
        for (index, variable) in self.program.variables.iter().enumerate() {
            let function = variable.function.map(|function| self.maps.functions[function.index()]);
            let id = match shared[index] {
                Some(id) => {
                    self.merged.variables[id.index()].address_taken |= variable.address_taken;
                    id
                }
                None => {
                    let clashes = used.contains(&(function, variable.name.clone()));
                    self.merged.variables.push(Variable {
                        name: if clashes { self.renamed(&variable.name) } else { variable.name.clone() },
                        function,
                        ty: self.ty(variable.ty),
                        initializer: None,
                        span: self.maps.span(variable.span),
                        ..variable.clone()
                    });
                    VarId::new(self.merged.variables.len() - 1)
                }
            };
            self.maps.variables.push(id);
        }
        let is_new = |index: usize| shared[index].is_none();
        for (index, variable) in self.program.variables.iter().enumerate() {
            let Some(own) = &variable.initializer else { continue };
            let (variables, functions) = (&self.maps.variables, &self.maps.addresses);
            let all = |id: VarId| Some(variables[id.index()]);
            let initializer = self.initializer(own, &all, &|id| Some(functions[id.index()]));
            let id = self.maps.variables[index];
            if is_new(index) {
                self.merged.variables[id.index()].initializer = initializer;
            } else if initializer != self.merged.variables[id.index()].initializer {
                let scalar = self.one_scalar(initializer, id);
                self.merged.initial.push((id, self.number, scalar));
            }
        }
        for (index, function) in self.program.functions.iter().enumerate() {
            let parameters = function.parameters.iter().map(|parameter| self.maps.variable(*parameter)).collect();
            self.merged.functions[self.maps.functions[index].index()].parameters = parameters;
        }
    }

    /// The value of a scalar variable, zero if none is given.
    fn one_scalar(&self, initializer: Option<StaticInitializer>, variable: VarId) -> InitialScalar {
        let ty = self.merged.variables[variable.index()].ty.ty;
        let zero = match self.merged.types.get(ty) {
            Type::Float(_) => ConstantValue::Float(0),
            _ => ConstantValue::Int(0),
        };
        let given = initializer.and_then(|initializer| initializer.scalars.into_iter().next());
        given.unwrap_or(InitialScalar { first_bit: 0, width: 0, ty, value: zero })
    }

    fn exprs(&mut self) {
        for id in self.program.exprs.ids() {
            let of = |operand: ExprId| self.maps.exprs[operand.index()];
            let expr = match *self.program.exprs.get(id) {
                Expr::FunctionAddress(function) => Expr::FunctionAddress(self.maps.addresses[function.index()]),
                Expr::Variable(variable) => Expr::Variable(self.maps.variable(variable)),
                ref expr => mapped(expr, of),
            };
            let ty = self.maps.types[self.program.exprs.ty(id).index()];
            let new = self.merged.exprs.intern(expr, ty);
            self.maps.exprs.push(new);
        }
    }
}

/// An expression over other operands; variables and functions stay what they are.
pub(crate) fn mapped(expr: &Expr, of: impl Fn(ExprId) -> ExprId) -> Expr {
    match *expr {
        leaf @ (Expr::Int(_) | Expr::Float(_) | Expr::Zero | Expr::FunctionAddress(_) | Expr::Variable(_)) => leaf,
        Expr::Load(place) => Expr::Load(of(place)),
        Expr::AddressOf(place) => Expr::AddressOf(of(place)),
        Expr::Unary(op, operand) => Expr::Unary(op, of(operand)),
        Expr::Binary(op, a, b) => Expr::Binary(op, of(a), of(b)),
        Expr::PointerOffset { pointer, index, scale } => Expr::PointerOffset { pointer: of(pointer), index: of(index), scale },
        Expr::PointerDifference { left, right, scale } => Expr::PointerDifference { left: of(left), right: of(right), scale },
        Expr::Cast(operand) => Expr::Cast(of(operand)),
        Expr::Conditional(condition, a, b) => Expr::Conditional(of(condition), of(a), of(b)),
        Expr::Dereference { pointer, volatile } => Expr::Dereference { pointer: of(pointer), volatile },
        Expr::Field(place, number) => Expr::Field(of(place), number),
        Expr::Index(array, index) => Expr::Index(of(array), of(index)),
    }
}

/// The programs that have each common function, with their own.
pub(crate) fn owners(maps: &[Maps]) -> FxHashMap<FunctionId, Vec<(usize, FunctionId)>> {
    let mut owners: FxHashMap<FunctionId, Vec<(usize, FunctionId)>> = FxHashMap::default();
    for (program, maps) in maps.iter().enumerate() {
        for (index, id) in maps.functions.iter().enumerate() {
            owners.entry(*id).or_default().push((program, FunctionId::new(index)));
        }
    }
    owners
}
