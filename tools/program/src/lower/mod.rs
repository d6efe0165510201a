//! Resolution and lowering: from the syntax tree to the control-flow automaton, in one pass over the text.
//!
//! Every name is resolved where it is read, every conversion is made explicit, and everything with an effect becomes an
//! edge of its own. **Order of evaluation**, as gcc has it where C leaves it open: operands from left to right, but a variable
//! behind the operand that it can change places with (`is_read_last`), arguments from right to left, each saved in a
//! temporary if a later one may change what it reads; an assignment evaluates its value before
//! its place unless that is a call whose result is stored as it is, and reads the target of `op=` last.
//! Where the order of operands shows, plain ones are read as gcc reads them, and others are unsupported (`shown`).
//! Invariant: a construct without treatment becomes an [`Operation::Unsupported`](crate::cfa::Operation::Unsupported)
//! where the path reaches it; a program that gcc rejects is a [`Diagnostic`].
//! Does not know how text becomes a tree, nor what operations mean.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "most matches look for a few of many forms of syntax, types or expressions; the default is the cautious case"
)]
#![allow(clippy::fn_params_excessive_bools, reason = "a flag here is a property of the construct that is lowered")]

mod address_taken;
mod again;
mod aligned;
mod assign;
mod atomic;
mod blocks;
mod build;
mod builtin;
mod bypassed;
mod call;
mod candidate;
mod choice;
mod classify;
mod cleanup;
mod compatible;
mod condition;
mod cursor;
mod declarator;
mod declare;
mod delayed;
mod exit;
mod expanded;
mod expression;
mod fences;
mod finish;
mod first;
mod fitting;
mod flags;
mod flow;
mod function;
mod given;
mod guard;
mod indirect;
mod init;
mod linkage;
mod links;
mod literal;
mod member;
mod members;
mod merge;
mod narrow;
mod null;
mod object;
mod object_size;
mod odd;
mod operand_names;
mod operator;
mod order;
mod outside;
mod overflow;
mod place;
mod probe;
mod pure;
mod record;
mod reversed;
mod scope;
mod start;
mod statement;
mod switch;
mod symbols;
mod texts;
mod units;
mod variadic;
mod vla;
mod written;

use formats::ProgramOptions;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::collections::BTreeMap;

use self::blocks::Blocks;
use self::build::Basic;
use self::exit::{AtExit, Hook};
use self::flow::Body;
pub use self::guard::Guards;
use self::indirect::IndirectCall;
pub(crate) use self::linkage::undefined;
use self::links::Links;
use self::merge::Sharing;
use self::pure::Pure;
use self::scope::Scopes;
pub(crate) use self::variadic::ARGUMENTS;
use self::variadic::Lists;
pub(crate) use self::vla::{Room, is_too_long};
use crate::ast::{Ast, AttributeKind, Item, Symbol};
use crate::cfa::{Cfa, Edge, Function, FunctionId, Location, RefusedCall, VarId, Variable};
use crate::diagnostic::Diagnostic;
use crate::expr::{ExprArena, ExprId};
use crate::instrument::{Facts, instrument};
use crate::machine::MachineModel;
use crate::probe::Probes;
use crate::source::{SourceFile, Span};
use crate::types::{EnumId, RecordId, TypeId, TypeTable};
use crate::violation::Violation;

/// What lowering a construct yields.
pub(crate) type Lowered<T> = Result<T, Diagnostic>;

/// Builds the automaton of a program.
///
/// Time and size are linear in the text, the expansion of indirect calls excepted (calls times address-taken functions).
///
/// # Errors
/// A diagnostic if the program is no valid C, or has no entry function.
pub fn lower(ast: &Ast, source: SourceFile, options: ProgramOptions) -> Result<Cfa, Diagnostic> {
    lower_with(ast, source, options, Manner::default(), &mut Probes::default())
}

/// Stack that must be left before another expression or statement is entered, and what is added if it is not.
const RED_ZONE: usize = 128 * 1024;
const STACK_STEP: usize = 4 * 1024 * 1024;

/// How a program is read, besides its options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Guards besides those of the property.
    pub(crate) guards: Guards,
    /// How long arrays of variable length may be.
    pub(crate) room: Room,
}

/// As [`lower`], in the given manner, for a program with expressions from outside, which get what they mean.
pub(crate) fn lower_with(
    ast: &Ast,
    source: SourceFile,
    options: ProgramOptions,
    manner: Manner,
    probes: &mut Probes,
) -> Result<Cfa, Diagnostic> {
    let mut lowerer = Lowerer::new(ast, &source, &options, manner);
    lowerer.probes = std::mem::take(probes);
    lowerer.program()?;
    *probes = std::mem::take(&mut lowerer.probes);
    let refused = std::mem::take(&mut lowerer.refused);
    let promised = std::mem::take(&mut lowerer.declared.promised);
    let facts = Facts {
        lifetimes: std::mem::take(&mut lowerer.blocks).lifetimes(),
        extents: std::mem::take(&mut lowerer.lengths.extents),
        reads_lists: lowerer.lists.read,
    };
    let mut parts = lowerer.finish()?.complete(source, options);
    instrument(&mut parts, &facts);
    let mut cfa = Cfa::new(parts);
    cfa.refused = refused;
    cfa.promised = promised;
    Ok(cfa)
}

/// The state of lowering one program.
pub(crate) struct Lowerer<'a> {
    ast: &'a Ast,
    source: &'a SourceFile,
    options: &'a ProgramOptions,
    /// Which operations get guards, those of the property included, and how long arrays may be.
    manner: Manner,
    /// The blocks that locals are declared in.
    blocks: Blocks,
    /// The names of which an item takes an address, once somebody asks.
    addressed: OnceCell<written::Addressed>,
    /// The error functions of guards.
    violations: BTreeMap<Violation, FunctionId>,
    machine: MachineModel,
    types: TypeTable,
    basic: Basic,
    exprs: ExprArena,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    scopes: Scopes,
    flags: Vec<u8>,
    /// What calls of functions change.
    pure: Pure,
    /// Functions with a body somewhere in the text.
    defined: FxHashSet<Symbol>,
    /// Those of them that the program itself has, and not the library.
    own: FxHashSet<Symbol>,
    /// Objects with linkage.
    globals: FxHashMap<Symbol, VarId>,
    /// Functions and objects that need not exist: their address may be null.
    weak: FxHashSet<Symbol>,
    /// For those that the program does not define, an input that says whether something else does.
    absent: FxHashMap<Symbol, VarId>,
    function_ids: FxHashMap<Symbol, FunctionId>,
    records: FxHashMap<crate::ast::RecordId, RecordId>,
    enums: FxHashMap<crate::ast::EnumId, EnumId>,
    /// Records whose scalars have the most significant byte first.
    reversed: FxHashSet<RecordId>,
    /// The objects of strings, and the first units that have them.
    strings: FxHashMap<literal::Text, (VarId, usize)>,
    /// Values that gcc computes in a width of their own.
    odd_widths: FxHashMap<ExprId, odd::Odd>,
    reading: Reading,
    body: Body,
    /// Greater than 0 while an expression is read without being evaluated.
    quiet: u32,
    /// Something read while quiet would have taken an edge.
    impure: bool,
    unevaluated: u32,
    /// Parameter lists around what is being read.
    in_prototype: u32,
    indirect: Vec<IndirectCall>,
    /// The variables of lengths.
    lengths: Lengths,
    /// Arrays of variable length, with the types they are declared with.
    arrays: FxHashMap<VarId, TypeId>,
    /// The type of something declared is being read: its lengths may have effects.
    declares: bool,
    /// Some object has a cleanup attribute.
    cleans_up: bool,
    /// What runs before the entry function and behind it.
    hooks: Vec<Hook>,
    /// Where functions wait that `atexit` is given.
    at_exit: Option<AtExit>,
    /// What the program does before its entry function that cannot be treated.
    before_entry: Vec<(Box<str>, Span)>,
    lists: Lists,
    /// Some string literal has a `%n`.
    counts: bool,
    /// Which names the linker takes for the same thing.
    links: Links,
    /// Attributes whose meaning has been followed, or taken for unsupported where they stand.
    accounted: FxHashSet<Span>,
    /// Types that some name gives an alignment of its own.
    aligned: FxHashSet<TypeId>,
    /// What functions are declared with.
    declared: DeclaredFunctions,
    beginnings: Beginnings,
    /// Calls that are unsupported because of what is called.
    refused: Vec<RefusedCall>,
    /// What a program of several translation units needs besides.
    linking: Linking,
    /// Expressions from outside.
    probes: Probes,
}

/// Variables that hold what is known of arrays of variable length when the program runs.
#[derive(Default)]
struct Lengths {
    /// The lengths that types of arrays name, by number.
    named: Vec<VarId>,
    /// Those of them whose negative values look like long ones.
    signed: Vec<VarId>,
    /// Arrays, with their bytes.
    extents: Vec<(VarId, VarId)>,
}

/// What stands where functions with a body begin.
#[derive(Default)]
struct Beginnings {
    /// Those that are unsupported.
    strange: Vec<(FunctionId, Box<str>)>,
    /// Those with labels that may be reached past declarations.
    bypassing: FxHashSet<FunctionId>,
    /// Where two labels at one place have their addresses taken.
    labels_meet: Option<Span>,
    /// Some addresses are compared.
    compares: bool,
}

/// What a program of several translation units needs besides.
#[derive(Default)]
struct Linking {
    /// There are several.
    several: bool,
    /// Bodies are passed over.
    scanning: bool,
    /// Which types of several units are the same.
    sharing: Sharing,
    /// The names of definitions that others take precedence over, and what is not taken from a library.
    dropped: FxHashSet<Span>,
    /// Texts that do not belong to the program.
    passed_over: Vec<Span>,
    /// Functions with a body whose name in the program is not the one in their unit.
    renamed: FxHashSet<Box<str>>,
    /// Builtins that stand for library functions in the present unit.
    aliases: Vec<Symbol>,
}

/// The names of functions that have a body in those parts of the text.
fn with_bodies(ast: &Ast, links: &Links, counts: impl Fn(Span) -> bool) -> FxHashSet<Symbol> {
    let name = |item: &Item| match item {
        Item::Function(id) => ast[*id].declarator.name.filter(|_| counts(ast[*id].span)).map(|name| name.name),
        Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    };
    let mut defined = ast.items.iter().filter_map(name).collect();
    links.spread(&mut defined);
    defined
}

/// What functions are declared with that their types do not say.
#[derive(Debug, Default)]
struct DeclaredFunctions {
    aligns: FxHashMap<FunctionId, u64>,
    /// Those that never return.
    endless: FxHashSet<FunctionId>,
    /// Parameters whose callers promise so many elements.
    promised: Vec<(VarId, u64)>,
}

/// Why an expression is read.
#[derive(Debug, Default)]
struct Reading {
    /// For what a static object begins with.
    is_static_value: bool,
    /// For the bit-field that this statement expression names last.
    asked: Option<narrow::Asked>,
}

impl<'a> Lowerer<'a> {
    #[expect(clippy::too_many_lines, reason = "a line for each field")]
    fn new(ast: &'a Ast, source: &'a SourceFile, options: &'a ProgramOptions, manner: Manner) -> Self {
        let manner = Manner { guards: Guards::of(source, options.property).with(manner.guards), ..manner };
        let mut types = TypeTable::default();
        let basic = Basic::new(&mut types);
        let links = if let [unit] = &ast.units[..] { Links::new(ast, unit) } else { Links::default() };
        let defined = with_bodies(ast, &links, |_| true);
        let pure = Pure::of(ast, options.property);
        Self {
            ast,
            source,
            options,
            manner,
            blocks: Blocks::default(),
            addressed: OnceCell::new(),
            violations: BTreeMap::new(),
            machine: MachineModel::new(options.data_model),
            types,
            basic,
            exprs: ExprArena::default(),
            variables: Vec::new(),
            functions: Vec::new(),
            locations: Vec::new(),
            edges: Vec::new(),
            scopes: Scopes::new(),
            flags: flags::compute(ast, &defined, &pure, manner.guards.any()),
            pure,
            defined,
            own: with_bodies(ast, &links, |span| !source.is_library(span)),
            globals: FxHashMap::default(),
            weak: FxHashSet::default(),
            absent: FxHashMap::default(),
            function_ids: FxHashMap::default(),
            records: FxHashMap::default(),
            enums: FxHashMap::default(),
            reversed: FxHashSet::default(),
            strings: FxHashMap::default(),
            odd_widths: FxHashMap::default(),
            reading: Reading::default(),
            body: Body::file_level(),
            quiet: 0,
            impure: false,
            unevaluated: 0,
            in_prototype: 0,
            indirect: Vec::new(),
            lengths: Lengths::default(),
            arrays: FxHashMap::default(),
            declares: false,
            cleans_up: ast.attributes.iter().any(|attribute| matches!(attribute.kind, AttributeKind::Cleanup(_))),
            hooks: Vec::new(),
            at_exit: None,
            before_entry: Vec::new(),
            links,
            accounted: FxHashSet::default(),
            aligned: FxHashSet::default(),
            declared: DeclaredFunctions::default(),
            beginnings: Beginnings::default(),
            refused: Vec::new(),
            linking: Linking { several: ast.units.len() > 1, ..Linking::default() },
            lists: Lists::new(ast),
            probes: Probes::default(),
            counts: ast.strings.iter().any(|literal| crate::known::has_count(&literal.units)),
        }
    }

    fn program(&mut self) -> Lowered<()> {
        let ast = self.ast;
        self.check_storage()?;
        for pragma in &ast.pragmas {
            if self.links.followed.contains(&pragma.span) {
                continue;
            }
            let name = ast.name(pragma.name);
            let words = if name.starts_with("GCC") || name.starts_with("STDC") { 2 } else { 1 };
            let words: Vec<&str> = name.split([' ', '\t', '(']).filter(|word| !word.is_empty()).take(words).collect();
            let construct = format!("#pragma {}", words.join(" ")).into();
            self.before_entry.push((construct, pragma.span));
        }
        if self.linking.several {
            return self.linked_units();
        }
        self.refuse_labels();
        ast.items.iter().try_for_each(|item| self.item(*item))
    }

    /// Labels that are not followed are unsupported from the beginning.
    fn refuse_labels(&mut self) {
        for (construct, span) in &self.links.broken {
            self.before_entry.push((construct.clone(), *span));
        }
    }

    fn item(&mut self, item: Item) -> Lowered<()> {
        match item {
            Item::Declaration(id) => self.declaration(id)?,
            Item::Function(id) => self.function_definition(id)?,
            Item::StaticAssert(id) => self.static_assert(id)?,
            Item::Asm(id) => self.file_level_asm(id),
        }
        Ok(())
    }

    /// A diagnostic about a place in the program.
    fn error(&self, span: Span, message: impl Into<String>, label: &str) -> Diagnostic {
        let help = "correct it, or check that all of its text was given; if gcc accepts the program, please report it";
        Diagnostic::at(self.source, span, "program::meaning", message, label, help)
    }

    /// Runs `read` on something that is not evaluated: no edge is taken. Says too whether one would have been.
    fn quietly<T>(&mut self, read: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<(T, bool)> {
        let cursor = self.body.cursor.take();
        let impure = std::mem::replace(&mut self.impure, false);
        let temporaries = self.body.next_temporary;
        self.quiet += 1;
        let result = read(self);
        self.quiet -= 1;
        self.body.next_temporary = temporaries;
        self.body.cursor = cursor;
        let effects = std::mem::replace(&mut self.impure, impure);
        Ok((result?, effects))
    }

    fn size_of(&self, ty: TypeId) -> Result<u64, crate::layout::SizeError> {
        crate::layout::size_of(&self.types, self.machine, ty)
    }
}
