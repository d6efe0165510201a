//! The caller of an entry function that takes more than numbers.
//!
//! A function that is checked on its own is called from nowhere, so what its pointers lead to has to be made: fresh objects
//! with arbitrary contents, arrays and strings of a few elements, structs whose own pointers lead to further objects or are
//! null, a few levels deep. The caller is C text behind that of the program, so that everything that reads, prints or
//! builds programs treats it as any other function. It takes the numbers among the arguments as parameters.
//! TRUE then rests on these bounds: [`Caller::assumptions`] says what they are.
//! Does not know what becomes of the program; `main` is called by the system and gets no caller.

#![allow(clippy::wildcard_enum_match_arm, reason = "a few types lead somewhere; every other one holds a plain value")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use formats::{CallerOptions, ProgramOptions};

use crate::ast::{Ast, DeclId, DeclarationId, Derived, Function, Item, Parameter, ParametersKind};
use crate::cfa::{Cfa, FunctionId};
use crate::diagnostic::Diagnostic;
use crate::lower::lower;
use crate::parse::parse;
use crate::source::{SourceFile, Span};
use crate::types::{ArrayLength, Field, FloatKind, IntRank, QualType, Type, TypeId};

/// The name of the caller; a number is added where the program has such a name.
pub const CALLER: &str = "__made_caller";
/// The deepest and longest that is made, whatever an artifact asks for.
const DEEPEST: u32 = 8;
const LONGEST: u32 = 4096;
/// The longest array of pointers whose elements each get an object.
const POINTERS: u64 = 8;
/// Objects that a caller makes at most: structs of many pointers multiply.
const OBJECTS: u32 = 500;

/// A caller as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Its name.
    pub name: String,
    /// What it calls.
    pub entry: String,
    /// Its definition, one line each statement.
    pub text: String,
    /// What it takes for granted, a sentence each.
    pub assumptions: Vec<String>,
    /// The number of the translation unit it belongs to: that of what it calls.
    unit: usize,
    /// Its last statement.
    call: String,
}

/// How a parameter is written: a declaration around its name.
struct Written {
    before: String,
    name: String,
    after: String,
    is_array: bool,
}

impl Written {
    /// The declaration with another name; the first bound of an array, which says nothing, becomes 1.
    fn renamed(&self, name: &str) -> String {
        let (before, after) = (&self.before, &self.after);
        if !self.is_array {
            return format!("{before}{name}{after}");
        }
        let start = after.find('[').unwrap_or(0);
        let end = start + bracket(&after[start..]);
        format!("{before}{name}{}[1]{}", &after[..start], &after[end..])
    }
}

impl Caller {
    /// A caller that reports an error in place of its call: for whoever asks whether it comes so far.
    #[must_use]
    pub(crate) fn reporting(mut self) -> Self {
        let before = self.text.rfind(&self.call).unwrap_or(self.text.len());
        self.text.truncate(before);
        self.text.push_str("  { extern void reach_error(void); reach_error(); }\n}\n");
        self
    }

    /// The program with its caller.
    #[must_use]
    pub fn added_to(&self, source: &SourceFile) -> SourceFile {
        source.extended(&format!("<caller of {}>", self.entry), &self.text, self.unit)
    }
}

/// The length of what stands in the brackets that a text begins with, and of these.
fn bracket(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// The caller of the entry function of a program, if that takes more than numbers or something is assumed of its arguments.
///
/// # Errors
/// A diagnostic if an assumption is no expression, or a parameter cannot be made.
pub fn caller(ast: &Ast, cfa: &Cfa) -> Result<Option<Caller>, Diagnostic> {
    let options = &cfa.options.caller;
    let entry = cfa.function(cfa.entry);
    if &*entry.name == "main" && options.assume.is_empty() {
        return Ok(None);
    }
    let leads = entry.parameters.iter().any(|parameter| leads_to_memory(cfa, cfa.variable(*parameter).ty.ty));
    if !leads && options.assume.is_empty() {
        return Ok(None);
    }
    made(ast, cfa)
}

/// The caller of the entry function of a program, whether it needs one or not; nothing if the program does not define it.
fn made(ast: &Ast, cfa: &Cfa) -> Result<Option<Caller>, Diagnostic> {
    let Some(function) = definition(ast, cfa.function(cfa.entry).span) else { return Ok(None) };
    let mut writer = Writer::new(ast, cfa, &cfa.options.caller);
    writer.unit = cfa.source.units().iter().position(|unit| unit.span.contains(function.span)).unwrap_or_default();
    if let Some(name) = function.declarator.name {
        ast.name(name.name).clone_into(&mut writer.entry);
    }
    writer.function(function)?;
    Ok(Some(writer.finish()))
}

/// A function that may be an entry function.
#[derive(Debug)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// The file it is defined in, as line markers name it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The caller it would get, also where it needs none; `None` for `main`, which the system calls. A diagnostic where none
    /// can be made.
    pub caller: Result<Option<Caller>, Diagnostic>,
}

/// The functions of a program that may be entry functions, in the order of its text.
///
/// # Errors
/// A diagnostic if it is no C program.
pub fn candidates(source: SourceFile, options: &ProgramOptions) -> Result<Vec<Candidate>, Diagnostic> {
    let ast = parse(&source)?;
    let names: Vec<&str> = ast.items.iter().filter_map(|item| defined(&ast, item)).collect();
    let mut found = None;
    for name in &names {
        let options = ProgramOptions { entry: (*name).to_owned(), ..options.clone() };
        match lower(&ast, source.clone(), options) {
            Ok(cfa) => {
                found = Some(cfa);
                break;
            }
            // Of two functions of the same name in two files one is called otherwise.
            Err(error) if miette::Diagnostic::code(&error).is_some_and(|code| code.to_string() == "program::entry") => {}
            Err(error) => return Err(error),
        }
    }
    let Some(mut cfa) = found else { return Ok(Vec::new()) };
    let mut ids: Vec<FunctionId> = cfa.function_ids().filter(|id| cfa.function(*id).entry.is_some()).collect();
    ids.retain(|id| definition(&ast, cfa.function(*id).span).is_some());
    ids.sort_by_key(|id| cfa.function(*id).span.lo);
    let mut candidates = Vec::with_capacity(ids.len());
    for id in ids {
        let function = cfa.function(id);
        let (name, place) = (function.name.to_string(), cfa.source.location(function.span.lo));
        let (file, line) = (place.file.to_owned(), place.line);
        cfa.entry = id;
        cfa.options.entry.clone_from(&name);
        let caller = if name == "main" { Ok(None) } else { made(&ast, &cfa) };
        candidates.push(Candidate { name, file, line, caller });
    }
    Ok(candidates)
}

/// The name of a function that an item defines.
fn defined<'a>(ast: &'a Ast, item: &Item) -> Option<&'a str> {
    match item {
        Item::Function(id) => ast[*id].declarator.name.map(|ident| ast.name(ident.name)),
        Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    }
}

/// The definition of a function at file level, by its place: several files may have one of the same name.
fn definition(ast: &Ast, place: Span) -> Option<&Function> {
    ast.items.iter().find_map(|item| match item {
        Item::Function(id) => Some(&ast[*id]).filter(|f| f.span == place),
        Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    })
}

/// Whether a value of the type holds a pointer.
fn leads_to_memory(cfa: &Cfa, ty: TypeId) -> bool {
    stacker::maybe_grow(64 << 10, 1 << 20, || match cfa.types.get(ty) {
        Type::Pointer(_) => true,
        Type::Array { element, .. } => leads_to_memory(cfa, element.ty),
        Type::Record(record) => cfa.types.record(*record).fields.iter().any(|field| leads_to_memory(cfa, field.ty.ty)),
        _ => false,
    })
}

struct Writer<'a> {
    ast: &'a Ast,
    cfa: &'a Cfa,
    options: &'a CallerOptions,
    depth: u32,
    length: u32,
    name: String,
    /// What the function is called in its unit.
    entry: String,
    unit: usize,
    parameters: Vec<String>,
    body: String,
    arguments: Vec<String>,
    objects: u32,
    /// How many elements the next object has at least.
    promised: u64,
    choices: u32,
    assumptions: Vec<String>,
    /// Where pointers to functions within objects lead, in words.
    functions: BTreeSet<String>,
}

impl<'a> Writer<'a> {
    fn new(ast: &'a Ast, cfa: &'a Cfa, options: &'a CallerOptions) -> Self {
        let text = String::from_utf8_lossy(cfa.source.text());
        let mut name = CALLER.to_owned();
        for number in 2.. {
            if !text.contains(&name) {
                break;
            }
            name = format!("{CALLER}_{number}");
        }
        Self {
            ast,
            cfa,
            options,
            depth: options.depth.min(DEEPEST),
            length: options.length.clamp(1, LONGEST),
            name,
            entry: cfa.options.entry.clone(),
            unit: 0,
            parameters: Vec::new(),
            body: String::new(),
            arguments: Vec::new(),
            objects: 0,
            promised: 1,
            choices: 0,
            assumptions: Vec::new(),
            functions: BTreeSet::new(),
        }
    }

    fn function(&mut self, function: &Function) -> Result<(), Diagnostic> {
        let unsuitable = |message: &str| {
            let (span, help) = (function.declarator.span, "write a caller in C: a function without parameters, and start there");
            let message = format!("{message}, so no caller can be made for it");
            Diagnostic::at(&self.cfa.source, span, "program::caller", message, "this function", help)
        };
        let Some(Derived::Function(list)) = function.declarator.derived.first() else {
            return Err(unsuitable("this function has no parameter list of its own"));
        };
        let written = match &list.kind {
            ParametersKind::Prototype { parameters, .. } => {
                parameters.iter().map(|id| self.written(&self.ast[*id])).collect::<Option<Vec<Written>>>()
            }
            ParametersKind::OldStyle(names) => {
                Some(names.iter().map(|name| self.written_behind(&function.old_style, self.ast.name(name.name))).collect())
            }
        };
        let Some(written) = written else { return Err(unsuitable("a parameter has no name")) };
        for (number, (parameter, variable)) in written.into_iter().zip(&self.cfa.function(self.cfa.entry).parameters).enumerate()
        {
            let ty = self.cfa.variable(*variable).ty.ty;
            self.promised = self.cfa.promised.iter().find(|(of, _)| of == variable).map_or(1, |(_, count)| (*count).max(1));
            if leads_to_memory(self.cfa, ty) {
                self.made(number, &parameter, ty);
            } else {
                self.parameters.push(format!("{}{}{}", parameter.before, parameter.name, parameter.after));
            }
            self.arguments.push(parameter.name);
        }
        self.assumed()
    }

    /// How a parameter of a prototype is written; `None` if it has no name.
    fn written(&self, parameter: &Parameter) -> Option<Written> {
        let (source, name) = (&self.cfa.source, parameter.declarator.name?);
        let before = source.snippet(Span::new(parameter.span.lo, name.span.lo)).into_owned();
        let after = source.snippet(Span::new(name.span.hi, parameter.span.hi)).into_owned();
        let is_array = matches!(parameter.declarator.derived.first(), Some(Derived::Array { .. }));
        Some(Written { before, name: self.ast.name(name.name).to_owned(), after, is_array })
    }

    /// How a parameter is written of which the type stands behind the list (K&R); what stands nowhere is an `int`.
    fn written_behind(&self, declarations: &[DeclarationId], wanted: &str) -> Written {
        let source = &self.cfa.source;
        for declaration in declarations.iter().map(|id| &self.ast[*id]) {
            let declarators = || declaration.declarators.iter().map(|id| &self.ast[*id].declarator);
            let Some(first) = declarators().next() else { continue };
            let named =
                declarators().find_map(|one| one.name.filter(|name| self.ast.name(name.name) == wanted).map(|name| (one, name)));
            let Some((declarator, name)) = named else { continue };
            let specifiers = source.snippet(Span::new(declaration.span.lo, first.span.lo));
            let before = format!("{specifiers}{}", source.snippet(Span::new(declarator.span.lo, name.span.lo)));
            let after = source.snippet(Span::new(name.span.hi, declarator.span.hi)).into_owned();
            let is_array = matches!(declarator.derived.first(), Some(Derived::Array { .. }));
            return Written { before, name: wanted.to_owned(), after, is_array };
        }
        Written { before: "int ".to_owned(), name: wanted.to_owned(), after: String::new(), is_array: false }
    }

    /// A parameter that gets an object. A declaration of the same type under another name says what the type is.
    fn made(&mut self, number: usize, parameter: &Written, ty: TypeId) {
        let (dummy, name) = (format!("__made_type_{number}"), &parameter.name);
        let _ = writeln!(self.body, "  {};", parameter.renamed(&dummy));
        let Type::Pointer(target) = *self.cfa.types.get(ty) else {
            // A struct with pointers in it.
            let _ = writeln!(self.body, "  __typeof__({dummy}) {name};");
            self.initialise(name, ty, 0);
            self.assumptions.push(format!("what the pointers of {name} lead to is shared by no other pointer"));
            return;
        };
        let (what, object) = self.object(&format!("__typeof__(*{dummy})"), target, 0);
        let _ = writeln!(self.body, "  __typeof__(&*{dummy}) {name} = (void *){object};");
        self.assumptions.push(format!("{name} points to {what}, which nothing else points to"));
    }

    /// Declares and fills an object that a pointer leads to; what it is in words, and its address as an expression.
    fn object(&mut self, written: &str, ty: QualType, depth: u32) -> (String, String) {
        let name = format!("__made_object_{}", self.objects);
        self.objects += 1;
        let promised = std::mem::replace(&mut self.promised, 1);
        let length = u64::from(self.length).max(promised);
        let plural = |what: &str| if length == 1 { format!("1 {what}") } else { format!("{length} {what}s") };
        match self.cfa.types.get(ty.ty) {
            Type::Function(_) => {
                self.objects -= 1;
                let (what, chosen) = self.function_of(ty.ty);
                (what, chosen)
            }
            Type::Int { rank: IntRank::PlainChar, .. } => {
                let _ = writeln!(self.body, "  char {name}[{}];\n  {name}[{length}] = 0;", length + 1);
                (format!("a string of at most {} in an array of {}", plural("character"), length + 1), name)
            }
            Type::Void => {
                let _ = writeln!(self.body, "  unsigned char {name}[{length}] __attribute__((aligned(16)));");
                (plural("byte"), name)
            }
            Type::Int { .. } | Type::Bool | Type::Float(_) | Type::Enum(_) => {
                let element = self.scalar(ty.ty);
                let _ = writeln!(self.body, "  {element} {name}[{length}];");
                (plural("element"), name)
            }
            Type::Pointer(_) => {
                let _ = writeln!(self.body, "  __typeof__(({written})0) {name}[{length}];");
                self.elements(&name, ty.ty, length, depth);
                (plural("pointer"), name)
            }
            Type::Record(record) if self.cfa.types.record(*record).complete => {
                if promised > 1 {
                    self.row(written, &name, (ty.ty, promised), depth);
                    return (format!("{promised} structs"), name);
                }
                let _ = writeln!(self.body, "  {written} {name};");
                self.initialise(&name, ty.ty, depth);
                ("one struct".to_owned(), format!("&{name}"))
            }
            Type::Array { .. } if promised > 1 => {
                self.row(written, &name, (ty.ty, promised), depth);
                (format!("{promised} arrays"), name)
            }
            Type::Array { .. } => {
                let _ = writeln!(self.body, "  {written} {name};");
                self.initialise(&name, ty.ty, depth);
                ("one array".to_owned(), format!("&{name}"))
            }
            _ => {
                // Nothing can be read behind it.
                let _ = writeln!(self.body, "  char {name};");
                ("something of unknown type".to_owned(), format!("&{name}"))
            }
        }
    }

    /// As many structs or arrays as a caller promises; the pointers in those behind the first ones are null.
    fn row(&mut self, written: &str, name: &str, (ty, count): (TypeId, u64), depth: u32) {
        let _ = writeln!(self.body, "  {written} {name}[{count}];");
        for at in 0..count.min(POINTERS) {
            self.initialise(&format!("{name}[{at}]"), ty, depth);
        }
        if count > POINTERS && leads_to_memory(self.cfa, ty) {
            let _ = writeln!(self.body, "  for (unsigned long __made_row = {POINTERS}; __made_row < {count}; __made_row++) {{");
            let deepest = self.depth;
            self.initialise(&format!("{name}[__made_row]"), ty, deepest);
            let _ = writeln!(self.body, "  }}");
        }
    }

    /// Gives every pointer in an object something to lead to; what else there is stays arbitrary.
    fn initialise(&mut self, place: &str, ty: TypeId, depth: u32) {
        match self.cfa.types.get(ty).clone() {
            Type::Pointer(target) => {
                let value = self.pointer(&format!("__typeof__(*{place})"), target, depth);
                // The member may be const.
                let _ = writeln!(self.body, "  *(void **)&{place} = {value};");
            }
            Type::Array { element, length: ArrayLength::Constant(count) } if leads_to_memory(self.cfa, element.ty) => {
                self.elements(place, element.ty, count, depth);
            }
            Type::Record(record) => {
                let record = self.cfa.types.record(record);
                let fields: Vec<Field> = record.fields.clone();
                if record.is_union {
                    return;
                }
                for field in fields.iter().filter(|field| leads_to_memory(self.cfa, field.ty.ty)) {
                    let inner = match &field.name {
                        Some(name) => format!("{place}.{name}"),
                        None => place.to_owned(),
                    };
                    stacker::maybe_grow(64 << 10, 1 << 20, || self.initialise(&inner, field.ty.ty, depth));
                }
            }
            _ => {}
        }
    }

    fn elements(&mut self, place: &str, element: TypeId, count: u64, depth: u32) {
        for at in 0..count.min(POINTERS) {
            self.initialise(&format!("{place}[{at}]"), element, depth);
        }
        if count > POINTERS && matches!(self.cfa.types.get(element), Type::Pointer(_)) {
            let _ = writeln!(
                self.body,
                "  for (unsigned long __made_at = {POINTERS}; __made_at < {count}; __made_at++) \
                 *(void **)&{place}[__made_at] = 0;"
            );
        }
    }

    /// A pointer inside an object: null, or to an object of its own.
    fn pointer(&mut self, written: &str, target: QualType, depth: u32) -> String {
        if matches!(self.cfa.types.get(target.ty), Type::Function(_)) {
            let (what, chosen) = self.function_of(target.ty);
            self.functions.insert(what);
            return chosen;
        }
        if depth >= self.depth || self.objects >= OBJECTS {
            return "(void *)0".to_owned();
        }
        let (_, object) = self.object(written, target, depth + 1);
        let choice = self.choice();
        format!("{choice} ? (void *){object} : (void *)0")
    }

    /// One of the functions of a type whose address is taken, or null.
    fn function_of(&mut self, ty: TypeId) -> (String, String) {
        let found: Vec<FunctionId> = self
            .cfa
            .function_ids()
            .filter(|id| self.cfa.function(*id).address_taken && self.cfa.function(*id).ty == ty)
            .filter(|id| self.can_be_said(&self.cfa.function(*id).name))
            .collect();
        let mut text = String::new();
        for id in &found {
            let choice = self.choice();
            let _ = write!(text, "{choice} ? (void *)&{} : ", self.cfa.function(*id).name);
        }
        let names: Vec<&str> = found.iter().map(|id| &*self.cfa.function(*id).name).collect();
        let what = match names.as_slice() {
            [] => "no function".to_owned(),
            names => format!("none of the functions but {}", names.join(", ")),
        };
        (what, format!("({text}(void *)0)"))
    }

    /// Whether the unit declares a name, so that the caller can say it.
    fn can_be_said(&self, name: &str) -> bool {
        let [_, _, ..] = &self.ast.units[..] else { return true };
        let Some(unit) = self.ast.units.get(self.unit) else { return false };
        let declared = unit.declarators.clone().filter_map(|index| self.ast[DeclId::from_index(index)].declarator.name);
        let defined = self.ast.items[unit.items.clone()].iter().filter_map(|item| match item {
            Item::Function(id) => self.ast[*id].declarator.name,
            Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
        });
        declared.chain(defined).any(|ident| self.ast.name(ident.name) == name)
    }

    fn choice(&mut self) -> String {
        let name = format!("__made_choice_{}", self.choices);
        self.choices += 1;
        let _ = writeln!(self.body, "  unsigned char {name};");
        name
    }

    /// The name of a scalar type without qualifiers.
    fn scalar(&self, ty: TypeId) -> String {
        match self.cfa.types.get(ty) {
            Type::Bool => "_Bool".to_owned(),
            Type::Enum(id) => self.scalar(self.cfa.types.enumeration(*id).underlying),
            Type::Int { rank, signed } => {
                let sign = if *signed { "signed" } else { "unsigned" };
                match rank {
                    IntRank::PlainChar => "char".to_owned(),
                    IntRank::Char => format!("{sign} char"),
                    IntRank::Short => format!("{sign} short"),
                    IntRank::Int => format!("{sign} int"),
                    IntRank::Long => format!("{sign} long"),
                    IntRank::LongLong => format!("{sign} long long"),
                    IntRank::Int128 => format!("{sign} __int128"),
                }
            }
            Type::Float(FloatKind::Float) => "float".to_owned(),
            Type::Float(FloatKind::Double) => "double".to_owned(),
            Type::Float(FloatKind::Float128) => "__float128".to_owned(),
            _ => "long double".to_owned(),
        }
    }

    /// What the user says of the arguments.
    fn assumed(&mut self) -> Result<(), Diagnostic> {
        for expression in &self.options.assume {
            if !is_expression(expression) {
                let (message, help) = (
                    format!("`{}` is no expression that can be assumed", formats::shown::one_line(expression)),
                    "write a C expression over the parameters, without statements, strings and comments",
                );
                return Err(Diagnostic::at(&self.cfa.source, Span::default(), "program::assume", message, "", help));
            }
            let _ = writeln!(self.body, "  if (!({expression})) return;");
            self.assumptions.push(format!("the arguments satisfy {expression}"));
        }
        Ok(())
    }

    fn finish(mut self) -> Caller {
        let entry = self.entry.clone();
        let parameters = if self.parameters.is_empty() { "void".to_owned() } else { self.parameters.join(", ") };
        let call = format!("  {entry}({});\n}}\n", self.arguments.join(", "));
        let text = format!("void {}({parameters}) {{\n{}{call}", self.name, self.body);
        if self.body.contains("__made_choice_") {
            let depth = self.depth;
            self.assumptions.push(format!("pointers in structs are null or lead to objects of their own, {depth} levels deep"));
        }
        for what in &self.functions {
            self.assumptions.push(format!("pointers to functions in structs and arrays lead to {what}"));
        }
        self.assumptions.push(format!("{entry} is called once, in the initial state of the program"));
        Caller { name: self.name, entry, text, assumptions: self.assumptions, unit: self.unit, call }
    }
}

/// Whether a text is one expression, as far as its characters tell: it cannot end the statement it is put into.
fn is_expression(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ if c.is_ascii_alphanumeric() || " _.<>=!&|^~+-*/%?:,'".contains(c) => {}
            _ => return false,
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !text.trim().is_empty() && !text.contains("//") && !text.contains("/*") && text.len() <= 4096
}
