//! Functions that change nothing that others see.
//!
//! Read off the syntax. Knows: assignments, calls, which names are not a function's own. Does not know: whether a call comes back.
//! What is found is a subset: whoever writes through a pointer or an index, reads an input or calls what has no body is not in it.

use std::ops::Range;

use formats::Property;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    Ast, AttributeKind, DeclId, Derived, ExprId, ExprKind, Function, Item, ParametersKind, StmtId, StmtKind, Storage, Symbol,
    UnaryOp,
};
use crate::known;

/// A function with a body, its expressions, and the objects that live as long as a call.
struct Candidate {
    name: Symbol,
    is_static: bool,
    exprs: Range<usize>,
    own: FxHashSet<Symbol>,
    /// The functions that it calls; `None` if it also calls what has no name.
    callees: Option<FxHashSet<Symbol>>,
    /// There is nothing in it that could go round for ever, calls aside.
    is_straight: bool,
}

/// Functions whose calls are not seen.
#[derive(Debug, Default)]
pub(super) struct Pure {
    /// Those that change no object but their own and read no input.
    pub(super) quiet: FxHashSet<Symbol>,
    /// Those of them that read no other object either: their value depends on their arguments alone.
    pub(super) closed: FxHashSet<Symbol>,
}

impl Pure {
    /// Looks at all functions but those that the property or the field gives a meaning.
    pub(super) fn of(ast: &Ast, property: Property) -> Self {
        let special = |name: &str| name.starts_with("__VERIFIER_") || known::is_error_function(name, property);
        let is_odd = ast.asms() > 0 || ast.attributes.iter().any(|a| matches!(a.kind, AttributeKind::Cleanup(_)));
        if is_odd {
            return Self::default();
        }
        let mut candidates = candidates(ast);
        candidates.retain(|of| !special(ast.name(of.name)) && changes_its_own(ast, of));
        let elsewhere = elsewhere(ast, &candidates);
        candidates.retain(|of| !elsewhere.contains(&of.name));
        if !matches!(property, Property::UnreachCall | Property::Assert) {
            return Self { quiet: returning(&candidates), closed: FxHashSet::default() };
        }
        let quiet = closure(&mut candidates);
        let functions: FxHashSet<Symbol> = quiet.iter().copied().collect();
        candidates.retain(|of| reads_its_own(ast, of, &functions));
        Self { quiet, closed: closure(&mut candidates) }
    }
}

/// Those of the candidates that call only each other.
fn closure(candidates: &mut Vec<Candidate>) -> FxHashSet<Symbol> {
    loop {
        let found: FxHashSet<Symbol> = candidates.iter().map(|of| of.name).collect();
        candidates.retain(|of| of.callees.as_ref().is_some_and(|callees| callees.is_subset(&found)));
        if candidates.len() == found.len() {
            return found;
        }
    }
}

/// Those of the candidates that call only each other, and always come back. Where the property is one of operations they may
/// violate it, which shows whether something else has ended the run before: what ends runs must not be among them.
fn returning(candidates: &[Candidate]) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    loop {
        let is_new = |of: &&Candidate| of.is_straight && !found.contains(&of.name);
        let calls_found = |of: &&Candidate| of.callees.as_ref().is_some_and(|callees| callees.is_subset(&found));
        let more: Vec<Symbol> = candidates.iter().filter(is_new).filter(calls_found).map(|of| of.name).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// Functions that are defined once.
fn candidates(ast: &Ast) -> Vec<Candidate> {
    let (mut found, mut seen, mut twice) = (Vec::new(), FxHashSet::default(), FxHashSet::default());
    let (mut start, mut declared, mut stated) = (0, 0, 0);
    for (item, end) in ast.items.iter().zip(&ast.item_ends) {
        let exprs = start..*end;
        start = *end;
        let Item::Function(id) = item else { continue };
        let function = &ast[*id];
        let Some(name) = function.declarator.name.map(|name| name.name) else { continue };
        if !seen.insert(name) {
            twice.insert(name);
        }
        let own = own(ast, function, &mut declared);
        let callees = callees(ast, exprs.clone());
        let is_straight = (stated..function.body.index()).all(|index| is_straight(&ast[StmtId::from_index(index)].kind));
        stated = function.body.index();
        let is_static = function.specifiers.storage == Some(Storage::Static);
        found.push(Candidate { name, is_static, exprs, own, callees, is_straight });
    }
    found.retain(|of| !twice.contains(&of.name));
    found
}

/// Whether a statement, but for those in it, leads only to what follows.
fn is_straight(statement: &StmtKind) -> bool {
    match statement {
        StmtKind::While { .. }
        | StmtKind::DoWhile { .. }
        | StmtKind::For { .. }
        | StmtKind::Goto(_)
        | StmtKind::ComputedGoto(_)
        | StmtKind::Function(_)
        | StmtKind::Asm(_) => false,
        StmtKind::Empty { .. }
        | StmtKind::Expr(_)
        | StmtKind::Compound { .. }
        | StmtKind::Declaration(_)
        | StmtKind::StaticAssert(_)
        | StmtKind::Labeled { .. }
        | StmtKind::If { .. }
        | StmtKind::Switch { .. }
        | StmtKind::Continue
        | StmtKind::Break
        | StmtKind::Return(_) => true,
    }
}

/// The names of a function's parameters and locals that are nothing else in it. `at` is where its declarators are looked for from.
fn own(ast: &Ast, function: &Function, at: &mut usize) -> FxHashSet<Symbol> {
    let (mut own, mut lasting) = (FxHashSet::default(), FxHashSet::default());
    if let Some(Derived::Function(parameters)) = function.declarator.derived.first()
        && let ParametersKind::Prototype { parameters, .. } = &parameters.kind
    {
        own.extend(parameters.iter().filter_map(|id| ast[*id].declarator.name).map(|name| name.name));
    }
    while *at < ast.init_declarators() {
        let declared = &ast[DeclId::from_index(*at)];
        if declared.span.lo >= function.span.hi {
            break;
        }
        *at += 1;
        if declared.span.lo < function.span.lo {
            continue;
        }
        let specifiers = &ast[declared.declaration].specifiers;
        let lasts = matches!(specifiers.storage, Some(Storage::Static | Storage::Extern)) || specifiers.thread_local;
        let names = if lasts || specifiers.qualifiers.is_volatile { &mut lasting } else { &mut own };
        names.extend(declared.declarator.name.map(|name| name.name));
    }
    own.retain(|name| !lasting.contains(name));
    own
}

/// The names of `static` functions that other units use, too: for something else.
fn elsewhere(ast: &Ast, candidates: &[Candidate]) -> FxHashSet<Symbol> {
    if ast.units.len() < 2 {
        return FxHashSet::default();
    }
    let unit = |index: usize| ast.units.partition_point(|unit| unit.exprs.end <= index);
    let mut homes = FxHashMap::default();
    for of in candidates.iter().filter(|of| of.is_static && !of.exprs.is_empty()) {
        homes.insert(of.name, unit(of.exprs.start));
    }
    let mut found = FxHashSet::default();
    for index in 0..ast.exprs() {
        if let ExprKind::Name(name) = ast[ExprId::from_index(index)].kind
            && homes.get(&name).is_some_and(|home| *home != unit(index))
        {
            found.insert(name);
        }
    }
    found
}

/// Whether a function assigns to objects of its own alone, calls aside.
fn changes_its_own(ast: &Ast, of: &Candidate) -> bool {
    let is_own = |place: ExprId| root(ast, place).is_some_and(|name| of.own.contains(&name));
    of.exprs.clone().all(|index| match &ast[ExprId::from_index(index)].kind {
        ExprKind::Assign { target: place, .. } => is_own(*place),
        ExprKind::Unary { op, operand } if is_step(*op) => is_own(*operand),
        ExprKind::VaArg { .. } => false,
        _ => true,
    })
}

/// Whether a function reads objects of its own alone, calls of `functions` aside.
fn reads_its_own(ast: &Ast, of: &Candidate, functions: &FxHashSet<Symbol>) -> bool {
    of.exprs.clone().all(|index| match &ast[ExprId::from_index(index)].kind {
        ExprKind::Name(name) => of.own.contains(name) || functions.contains(name) || is_operator(ast.name(*name)),
        ExprKind::Unary { op: UnaryOp::Deref, .. } | ExprKind::Index { .. } | ExprKind::Member { arrow: true, .. } => false,
        _ => true,
    })
}

/// `++` and `--`.
pub(super) fn is_step(op: UnaryOp) -> bool {
    matches!(op, UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement)
}

/// The variable that a place is, or is a member of.
pub(super) fn root(ast: &Ast, mut place: ExprId) -> Option<Symbol> {
    loop {
        place = match ast[place].kind {
            ExprKind::Member { base, arrow: false, .. } => base,
            ExprKind::Name(name) => return Some(name),
            _ => return None,
        };
    }
}

fn callees(ast: &Ast, exprs: Range<usize>) -> Option<FxHashSet<Symbol>> {
    let mut found = FxHashSet::default();
    for index in exprs {
        let ExprKind::Call { callee, .. } = ast[ExprId::from_index(index)].kind else { continue };
        let ExprKind::Name(name) = ast[callee].kind else { return None };
        if !is_operator(ast.name(name)) {
            found.insert(name);
        }
    }
    Some(found)
}

/// Whether a function is one of those that compute a value and do nothing else, without a body.
pub(super) fn is_operator(name: &str) -> bool {
    matches!(name, "__builtin_expect" | "__builtin_constant_p" | "__builtin_object_size")
}
