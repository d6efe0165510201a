//! Functions as their syntax shows them: what they assign to, whom they call, whether they could go round for ever.
//!
//! Knows: names; which are a function's own, and which are objects of the whole program. Does not know: types (an element is one of
//! an array if its declarator says so), and what follows for calls (`pure`).

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    Ast, AttributeKind, BaseType, DeclId, Derived, ExprId, ExprKind, Function, Item, ParametersKind, Specifiers, StmtId,
    StmtKind, Storage, Symbol, UnaryOp,
};
use crate::known;
use crate::source::Span;

/// Names of objects, and of how many dimensions each is an array.
pub(super) type Objects = FxHashMap<Symbol, usize>;

/// A function with a body, its expressions, and the objects that live as long as a call.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) name: Symbol,
    pub(super) is_static: bool,
    pub(super) exprs: Range<usize>,
    pub(super) own: Objects,
    /// Numbers and pointers of its own that live longer.
    state: FxHashSet<Symbol>,
    /// The functions that it calls; `None` if it also calls what has no name.
    pub(super) callees: Option<FxHashSet<Symbol>>,
    /// There is nothing in it that could go round for ever, calls aside.
    pub(super) is_straight: bool,
    /// What it assigns to, calls aside; `None` if it assigns to what has no name.
    pub(super) changes: Option<Changes>,
}

/// What a function assigns to but its own objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Objects of the whole program.
    pub(super) names: FxHashSet<Symbol>,
    /// `static` locals to which nothing points: only calls see them.
    pub(super) has_state: bool,
}

/// What a function declares.
#[derive(Debug, Default)]
struct Declared {
    /// Parameters and locals that live as long as a call.
    own: Objects,
    /// Numbers and pointers that live longer, and which nobody else can name.
    state: FxHashSet<Symbol>,
    /// What else lives longer.
    lasting: FxHashSet<Symbol>,
}

/// Functions that are defined once, under a name that is nothing else.
pub(super) fn candidates(ast: &Ast) -> Vec<Candidate> {
    let (mut found, mut seen, mut twice, mut inner) =
        (Vec::new(), FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    let (mut start, mut declared, mut stated) = (0, 0, 0);
    let mut globals = globals(ast);
    let cleaning = cleaning(ast);
    for (item, end) in ast.items.iter().zip(&ast.item_ends) {
        let exprs = start..*end;
        start = *end;
        let Item::Function(id) = item else { continue };
        let function = &ast[*id];
        let Some(name) = function.declarator.name.map(|name| name.name) else { continue };
        if !seen.insert(name) {
            twice.insert(name);
        }
        let Declared { mut own, mut state, lasting } = names(ast, function, &mut declared);
        inner.extend(own.keys().chain(&lasting).chain(&state).copied());
        own.retain(|name, _| !lasting.contains(name) && !state.contains(name) && !globals.contains_key(name));
        state.retain(|name| !lasting.contains(name) && !globals.contains_key(name));
        let callees = callees(ast, exprs.clone());
        let is_straight = (stated..function.body.index()).all(|index| is_straight(&ast[StmtId::from_index(index)].kind));
        stated = function.body.index();
        let is_static = function.specifiers.storage == Some(Storage::Static);
        found.push(Candidate { name, is_static, exprs, own, state, callees, is_straight, changes: None });
    }
    found.retain(|of| !twice.contains(&of.name) && !inner.contains(&of.name) && !cleaning.contains(&of.name));
    if is_one_object_named_twice(ast) {
        globals.clear();
    }
    globals.retain(|name, _| !inner.contains(name));
    for of in &mut found {
        of.changes = changes(ast, of, &globals);
    }
    found
}

/// The functions that call others where scopes are left, which no expression shows.
fn cleaning(ast: &Ast) -> FxHashSet<Symbol> {
    let cleanups = ast.attributes.iter().filter(|attribute| matches!(attribute.kind, AttributeKind::Cleanup(_)));
    let cleanups: Vec<Span> = cleanups.map(|attribute| attribute.span).collect();
    let functions = ast.items.iter().filter_map(|item| if let Item::Function(id) = item { Some(&ast[*id]) } else { None });
    let calls = |function: &&Function| cleanups.iter().any(|at| function.span.lo <= at.lo && at.hi <= function.span.hi);
    functions.filter(calls).filter_map(|function| Some(function.declarator.name?.name)).collect()
}

/// The objects that are declared outside of functions.
fn globals(ast: &Ast) -> Objects {
    let mut globals = Objects::default();
    for item in &ast.items {
        let Item::Declaration(id) = item else { continue };
        for declarator in &ast[*id].declarators {
            add(&mut globals, &ast[*declarator].declarator);
        }
    }
    globals
}

fn add(objects: &mut Objects, declarator: &crate::ast::Declarator) {
    let Some(name) = declarator.name else { return };
    let dimensions = declarator.derived.iter().take_while(|derived| matches!(derived, Derived::Array { .. })).count();
    objects.entry(name.name).and_modify(|known| *known = dimensions.min(*known)).or_insert(dimensions);
}

/// Whether two names may be those of one object.
pub(super) fn is_one_object_named_twice(ast: &Ast) -> bool {
    let is_labelled = |index| ast[DeclId::from_index(index)].asm_label.is_some();
    let is_alias = |kind: &AttributeKind| matches!(kind, AttributeKind::Alias(_) | AttributeKind::Weakref(_));
    (0..ast.init_declarators()).any(is_labelled)
        || ast.attributes.iter().any(|attribute| is_alias(&attribute.kind))
        || ast.pragmas.iter().any(|pragma| ast.name(pragma.name).starts_with("weak"))
        || ast.items.iter().any(|item| matches!(item, Item::Asm(_)))
}

/// The variables that a place may be, or be a part of, without a pointer in between.
pub(super) fn bases(ast: &Ast, place: ExprId) -> Vec<Symbol> {
    let (mut found, mut open) = (Vec::new(), vec![place]);
    while let Some(place) = open.pop() {
        match &ast[place].kind {
            ExprKind::Name(name) => found.push(*name),
            ExprKind::Member { base, arrow: false, .. } | ExprKind::Index { base, .. } => open.push(*base),
            ExprKind::Unary { op: UnaryOp::Extension | UnaryOp::Real | UnaryOp::Imag, operand } => open.push(*operand),
            ExprKind::Generic { associations, .. } => open.extend(associations.iter().map(|association| association.value)),
            ExprKind::Choose { then, otherwise, .. } => open.extend([*then, *otherwise]),
            _ => {}
        }
    }
    found
}

/// The names that a function declares. `at` is where its declarators are looked for from.
fn names(ast: &Ast, function: &Function, at: &mut usize) -> Declared {
    let Declared { mut own, mut state, mut lasting } = Declared::default();
    if let Some(Derived::Function(parameters)) = function.declarator.derived.first() {
        match &parameters.kind {
            ParametersKind::Prototype { parameters, .. } => {
                own.extend(parameters.iter().filter_map(|id| ast[*id].declarator.name).map(|name| (name.name, 0)));
            }
            // Their declarations are found below, and an array among them is a pointer.
            ParametersKind::OldStyle(names) => own.extend(names.iter().map(|name| (name.name, 0))),
        }
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
        let name = declared.declarator.name.map(|name| name.name);
        if is_number(specifiers) && declared.declarator.derived.iter().all(|part| matches!(part, Derived::Pointer { .. })) {
            state.extend(name);
        } else if lasts || specifiers.qualifiers.is_volatile {
            lasting.extend(name);
        } else {
            add(&mut own, &declared.declarator);
        }
    }
    Declared { own, state, lasting }
}

/// Whether specifiers are those of a `static` number.
fn is_number(specifiers: &Specifiers) -> bool {
    let is_plain = !specifiers.thread_local && !specifiers.qualifiers.is_volatile;
    let is_number = matches!(specifiers.base, BaseType::Bool | BaseType::Int(_) | BaseType::Float(_));
    is_plain && is_number && specifiers.storage == Some(Storage::Static)
}

/// What a function assigns to but its own objects.
fn changes(ast: &Ast, of: &Candidate, globals: &Objects) -> Option<Changes> {
    let mut found = Changes::default();
    let mut state = of.state.clone();
    for index in of.exprs.clone() {
        if let ExprKind::Unary { op: UnaryOp::AddressOf, operand } = ast[ExprId::from_index(index)].kind {
            let addressed = bases(ast, operand);
            state.retain(|name| !addressed.contains(name));
        }
    }
    for index in of.exprs.clone() {
        let place = match &ast[ExprId::from_index(index)].kind {
            ExprKind::Assign { target, .. } => *target,
            ExprKind::Unary { op, operand } if is_step(*op) => *operand,
            ExprKind::VaArg { .. } => return None,
            _ => continue,
        };
        let (name, dimensions) = element(ast, place)?;
        let is_one = |objects: &Objects| objects.get(&name).is_some_and(|most| dimensions <= *most);
        if is_one(globals) {
            found.names.insert(name);
        } else if dimensions == 0 && state.contains(&name) {
            found.has_state = true;
        } else if !is_one(&of.own) {
            return None;
        }
    }
    Some(found)
}

/// The variable that a place is a member of or an element of, and how many indices stand directly behind its name.
fn element(ast: &Ast, mut place: ExprId) -> Option<(Symbol, usize)> {
    let mut indices = 0;
    loop {
        place = match ast[place].kind {
            ExprKind::Member { base, arrow: false, .. } if indices == 0 => base,
            ExprKind::Index { base, .. } => {
                indices += 1;
                base
            }
            ExprKind::Name(name) => return Some((name, indices)),
            _ => return None,
        };
    }
}

/// Whether a statement, but for those in it, leads only to what follows.
pub(super) fn is_straight(statement: &StmtKind) -> bool {
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

/// The functions that expressions call.
fn callees(ast: &Ast, exprs: Range<usize>) -> Option<FxHashSet<Symbol>> {
    let mut found = FxHashSet::default();
    for index in exprs {
        let ExprKind::Call { callee, .. } = ast[ExprId::from_index(index)].kind else { continue };
        let ExprKind::Name(name) = ast[callee].kind else { return None };
        let text = ast.name(name);
        // Where code is missing, nothing is said of what follows.
        if !(is_operator(text) || is_computed(text) || known::is_gap(text)) {
            found.insert(name);
        }
    }
    Some(found)
}

/// Builtins that look at the bits of a number; each has relatives for wider ones.
const BITS: [&str; 6] = ["clz", "ctz", "popcount", "parity", "ffs", "clrsb"];
/// Builtins that compute with numbers that have a floating point.
const REAL: [&str; 40] = [
    "fabs", "floor", "ceil", "trunc", "round", "isnan", "isinf", "isinf_sign", "isfinite", "finite", "isnormal", "fpclassify",
    "isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered", "signbit", "inf", "nan", "huge_val",
    "fabsf", "floorf", "ceilf", "truncf", "roundf", "isnanf", "isinff", "finitef", "signbitf", "inff", "infl", "nanf", "nanl",
    "nans", "nansf", "nansl", "huge_valf", "huge_vall",
];

/// Whether a function is a builtin that computes a value in several steps, and changes and sees nothing else.
pub(super) fn is_computed(name: &str) -> bool {
    let Some(name) = name.strip_prefix("__builtin_") else { return false };
    BITS.contains(&name.trim_end_matches('l')) || REAL.contains(&name)
}

/// Whether a function is one of those that compute a value and do nothing else, without a body.
pub(super) fn is_operator(name: &str) -> bool {
    matches!(name, "__builtin_expect" | "__builtin_constant_p" | "__builtin_object_size")
}
