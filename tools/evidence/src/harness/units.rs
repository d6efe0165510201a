//! Several translation units as one text for gcc: names of the later ones are made their own.
//!
//! Every name that a unit behind the first declares, and what is `static` in the first, gets the number of the unit added,
//! wherever the unit says it. What has external linkage keeps its name for the linker by `#pragma redefine_extname`, so that
//! the units meet only there. Bodies and initialisers that give way to those of another unit are left out.
//! Does not know what a harness adds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use program::ast::{
    Ast, DeclId, DeclarationId, Derived, EnumId, Function, InitDeclarator, Item, ParametersKind, RecordId, Storage,
};
use program::cfa::{Cfa, Known, Linkage, VarKind, Variable};
use program::source::Span;

use super::text::{Patch, apply, body};

/// Names that mean something to gcc in attributes and pragmas, and are said there as they are.
const OF_THE_COMPILER: [&str; 2] = ["main", "__builtin_va_list"];

/// The text of the program with the patches applied.
pub(super) fn text(cfa: &Cfa, patches: Vec<Patch>) -> String {
    let units = cfa.source.units();
    let [_, _, ..] = units else { return apply(cfa.source.text(), patches) };
    let Ok(ast) = program::parse::parse(&cfa.source) else { return apply(cfa.source.text(), patches) };
    let mut patches = patches;
    patches.extend(losers(cfa, &ast));
    patches.extend(declarations(cfa, &ast, 1));
    let mut all = String::new();
    for (number, unit) in units.iter().enumerate() {
        let inside = patches.iter().filter(|patch| unit.span.contains(patch.span) && patch.span.lo < unit.span.hi);
        let moved = |span: Span| Span::new(span.lo - unit.span.lo, span.hi - unit.span.lo);
        let own = inside.map(|patch| Patch { span: moved(patch.span), text: patch.text.clone() }).collect();
        let patched = apply(cfa.source.slice(unit.span), own);
        let mut names = Names::of(&ast, unit.span, number);
        if number == 0 {
            // A private name of this unit may be the external one of another.
            names.internal.remove(&*cfa.function(cfa.entry).name);
            all.push_str(&renamed(&patched, &names.internal, "__u1", &names.linked("__u1", &str::to_owned)));
            continue;
        }
        for name in &names.external {
            all.push_str(&format!("#pragma redefine_extname {name}__u{} {name}\n", number + 1));
        }
        all.push_str("#pragma pack()\n");
        let suffix = format!("__u{}", number + 1);
        all.push_str(&renamed(&patched, &names.all, &suffix, &names.linked(&suffix, &str::to_owned)));
    }
    all
}

/// The text of the program with the patches applied and something added to each unit, such that no name at file scope is one
/// of another program's: each has the name of the version added. So has what the linker sees, but what `is_given` is.
pub(super) fn apart(
    cfa: &Cfa,
    (patches, added): (Vec<Patch>, &[String]),
    version: &str,
    is_given: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let ast = program::parse::parse(&cfa.source).ok()?;
    let mut patches = patches;
    patches.extend(losers(cfa, &ast));
    patches.extend(declarations(cfa, &ast, 0));
    let units = cfa.source.units();
    let known: Vec<&str> = cfa.functions.iter().filter(|f| f.linkage == Linkage::External).map(|f| &*f.name).collect();
    let mut all = String::new();
    for (number, unit) in units.iter().enumerate() {
        let inside = patches.iter().filter(|patch| unit.span.contains(patch.span) && patch.span.lo < unit.span.hi);
        let moved = |span: Span| Span::new(span.lo - unit.span.lo, span.hi - unit.span.lo);
        let own = inside.map(|patch| Patch { span: moved(patch.span), text: patch.text.clone() }).collect();
        let patched = apply(cfa.source.slice(unit.span), own) + added.get(number).map_or("", String::as_str);
        let mut names = Names::of(&ast, unit.span, number);
        // A function may be called without being declared.
        let implied = known.iter().filter(|name| is_plain(name) && !names.internal.contains(*name));
        names.external.extend(implied.copied().collect::<Vec<_>>());
        names.all.extend(names.external.iter().copied());
        names.all.insert("main");
        // No function, but what the compiler does.
        names.all.remove("alloca");
        names.external.remove("alloca");
        let suffix = if units.len() > 1 { format!("__{version}{}", number + 1) } else { format!("__{version}") };
        let external = |name: &str| if is_given(name) { name.to_owned() } else { format!("{name}__{version}") };
        for name in &names.external {
            let linked = external(name);
            if linked != format!("{name}{suffix}") {
                all.push_str(&format!("#pragma redefine_extname {name}{suffix} {linked}\n"));
            }
        }
        all.push_str("#pragma pack()\n");
        all.push_str(&renamed(&patched, &names.all, &suffix, &names.linked(&suffix, &external)));
    }
    Some(all)
}

/// A name that a program may say.
fn is_plain(name: &str) -> bool {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
    is_word && !name.starts_with("__builtin_") && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// What turns definitions that do not count into declarations.
fn losers(cfa: &Cfa, ast: &Ast) -> Vec<Patch> {
    let mut patches = Vec::new();
    for item in &ast.items {
        match item {
            Item::Function(id) => patches.extend(losing_body(cfa, ast, &ast[*id])),
            Item::Declaration(id) => patches.extend(losing_objects(cfa, ast, *id)),
            Item::StaticAssert(_) | Item::Asm(_) => {}
        }
    }
    patches
}

/// As [`losers`], for one body. Every error function of a unit's own reaches the error, whichever counts.
fn losing_body(cfa: &Cfa, ast: &Ast, function: &Function) -> Option<Patch> {
    let name = ast.name(function.declarator.name?.name);
    let other = cfa.functions.iter().find(|other| &*other.name == name && other.entry.is_some())?;
    let is_error = other.known == Some(Known::Error);
    let is_private = function.specifiers.storage == Some(Storage::Static);
    if other.span == function.span || (is_private && !is_error) {
        return None;
    }
    let text = if is_error { " { __residue_reached_error(); }" } else { ";" };
    Some(Patch { span: body(cfa.source.text(), function.span)?, text: text.to_owned() })
}

/// Declarations of the functions that later units define: gcc gives its name for the linker to what is declared only.
fn declarations(cfa: &Cfa, ast: &Ast, first: usize) -> Vec<Patch> {
    let later = ast.units.iter().skip(first).flat_map(|unit| &ast.items[unit.items.clone()]);
    let declaration = |item: &Item| {
        let Item::Function(id) = item else { return None };
        let function = &ast[*id];
        let span = body(cfa.source.text(), function.span)?;
        if function.specifiers.storage == Some(Storage::Static) {
            return None;
        }
        let is_old = match function.declarator.derived.first() {
            Some(Derived::Function(list)) => !matches!(list.kind, ParametersKind::Prototype { .. }),
            _ => false,
        };
        // Parameters without types say nothing before the definition.
        let (end, parameters) = if is_old { (function.declarator.name?.span.hi, "()") } else { (span.lo, "") };
        if is_old && function.declarator.derived.iter().skip(1).any(|derived| !matches!(derived, Derived::Pointer { .. })) {
            return None;
        }
        let head = String::from_utf8_lossy(cfa.source.slice(Span::new(function.span.lo, end)));
        let lines: Vec<&str> = head.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        let text = format!("{}{parameters}; ", lines.join(" "));
        Some(Patch { span: Span::new(function.span.lo, function.span.lo), text })
    };
    later.filter_map(declaration).collect()
}

/// As [`losers`], for the objects of one declaration if none of them counts.
fn losing_objects(cfa: &Cfa, ast: &Ast, id: DeclarationId) -> Vec<Patch> {
    let declaration = &ast[id];
    let loses = |declarator: &InitDeclarator| {
        let name = declarator.declarator.name.map(|name| ast.name(name.name)).unwrap_or_default();
        let is_it =
            |variable: &&Variable| &*variable.name == name && matches!(variable.kind, VarKind::Global { defined: true, .. });
        cfa.variables.iter().find(is_it).is_some_and(|variable| variable.span != declarator.span)
    };
    let declarators = || declaration.declarators.iter().map(|id| &ast[*id]);
    if declaration.specifiers.storage.is_some() || declaration.declarators.is_empty() || !declarators().all(loses) {
        return Vec::new();
    }
    let start = Span::new(declaration.span.lo, declaration.span.lo);
    let values = declarators().filter_map(|declarator| {
        let text = cfa.source.slice(declarator.span);
        let at = u32::try_from(text.iter().position(|byte| *byte == b'=')?).ok()?;
        let span = Span::new(declarator.span.lo + at, declarator.span.hi);
        Some(Patch { span, text: String::new() })
    });
    values.chain([Patch { span: start, text: "extern ".to_owned() }]).collect()
}

/// The names that a unit declares.
struct Names<'a> {
    all: BTreeSet<&'a str>,
    /// Those that other units may know.
    external: BTreeSet<&'a str>,
    /// Those that are `static`.
    internal: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(ast: &'a Ast, text: Span, number: usize) -> Self {
        let (mut all, mut external, mut internal) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for id in (0..ast.init_declarators()).map(DeclId::from_index) {
            let Some(name) = ast[id].declarator.name.filter(|_| text.contains(ast[id].span)) else { continue };
            let storage = ast[ast[id].declaration].specifiers.storage;
            all.insert(ast.name(name.name));
            match storage {
                Some(Storage::Static) => internal.insert(ast.name(name.name)),
                Some(Storage::Typedef | Storage::Auto | Storage::Register) => false,
                Some(Storage::Extern) | None => external.insert(ast.name(name.name)),
            };
        }
        for item in ast.units.get(number).into_iter().flat_map(|unit| &ast.items[unit.items.clone()]) {
            let Item::Function(id) = item else { continue };
            let Some(name) = ast[*id].declarator.name else { continue };
            all.insert(ast.name(name.name));
            let is_private = ast[*id].specifiers.storage == Some(Storage::Static);
            if is_private {
                internal.insert(ast.name(name.name))
            } else {
                external.insert(ast.name(name.name))
            };
        }
        let records = (0..ast.records()).map(|index| &ast[RecordId::from_index(index)]);
        all.extend(records.filter(|record| text.contains(record.span)).filter_map(|record| Some(ast.name(record.tag?.name))));
        for definition in (0..ast.enums()).map(|index| &ast[EnumId::from_index(index)]) {
            if text.contains(definition.span) {
                all.extend(definition.tag.map(|tag| ast.name(tag.name)));
                all.extend(definition.enumerators.iter().flatten().map(|enumerator| ast.name(enumerator.name.name)));
            }
        }
        all.retain(|name| !OF_THE_COMPILER.contains(name) && !name.starts_with("__builtin_"));
        external.retain(|name| all.contains(name) && !internal.contains(name));
        internal.retain(|name| all.contains(name));
        Self { all, external, internal }
    }

    /// What the linker calls the names, where that is something else: what is private has the suffix.
    fn linked(&self, suffix: &str, external: &dyn Fn(&str) -> String) -> BTreeMap<&'a str, String> {
        let private = self.internal.iter().map(|name| (*name, format!("{name}{suffix}")));
        self.external.iter().map(|name| (*name, external(name))).chain(private).collect()
    }
}

/// Attributes that say a name of the linker in a literal.
const OF_THE_LINKER: [&str; 6] = ["alias", "__alias__", "weakref", "__weakref__", "ifunc", "__ifunc__"];

/// The text with something added to the names, but in literals, comments and directives. Literals that are names of the linker
/// are those of `linked`.
fn renamed(text: &str, names: &BTreeSet<&str>, suffix: &str, linked: &BTreeMap<&str, String>) -> String {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    let (mut out, mut at, mut line_start) = (String::with_capacity(text.len() + text.len() / 8), 0, true);
    let mut attribute = Attribute::default();
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let until = |end: &[u8]| rest.windows(end.len()).position(|window| window == end).map_or(rest.len(), |p| p + end.len());
        let length = match byte {
            b'#' if line_start => until(b"\n"),
            b'/' if rest.starts_with(b"//") => until(b"\n"),
            b'/' if rest.starts_with(b"/*") => {
                2 + rest[2..].windows(2).position(|end| end == b"*/").map_or(rest.len() - 2, |p| p + 2)
            }
            b'"' | b'\'' => quoted(rest),
            byte if is_word(byte) => rest.iter().take_while(|byte| is_word(byte)).count(),
            _ => 1,
        };
        line_start = match byte {
            b'\n' => true,
            b' ' | b'\t' => line_start,
            b'#' | b'/' => bytes.get(at + length - 1) == Some(&b'\n'),
            _ => false,
        };
        let piece = &text[at..at + length];
        let name = piece.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match name.filter(|_| attribute.names_symbol()).and_then(|name| linked.get(name)) {
            Some(symbol) => _ = write!(out, "\"{symbol}\""),
            None => out.push_str(piece),
        }
        attribute.pass(piece);
        if !byte.is_ascii_digit() && names.contains(piece) {
            out.push_str(suffix);
        }
        at += length;
    }
    out
}

/// How far a text is in an attribute.
#[derive(Default)]
struct Attribute {
    /// How deep the parentheses are behind the word for it.
    depth: Option<usize>,
    /// The last word says that a name of the linker follows in parentheses.
    is_of_the_linker: bool,
}

impl Attribute {
    fn names_symbol(&self) -> bool {
        self.is_of_the_linker && self.depth.is_some_and(|depth| depth > 2)
    }

    fn pass(&mut self, piece: &str) {
        match (piece, self.depth) {
            ("__attribute__" | "__attribute", _) => self.depth = Some(0),
            ("(", Some(depth)) => self.depth = Some(depth + 1),
            (")", Some(depth)) => {
                self.depth = depth.checked_sub(1).filter(|depth| *depth > 0);
                self.is_of_the_linker = false;
            }
            (word, Some(_)) if word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') => {
                self.is_of_the_linker = OF_THE_LINKER.contains(&word);
            }
            _ => {}
        }
    }
}

/// Length of a literal that begins with a quote.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if *byte == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_changed_in_code_only() {
        let text = "#pragma x\nint x = 1; /* x */ char *s = \"x\\\"x\"; // x\nint x2 = 0x1 + x, 'x';\n  # x\nx";
        let expected = "#pragma x\nint x__u2 = 1; /* x */ char *s = \"x\\\"x\"; // x\nint x2 = 0x1 + x__u2, 'x';\n  # x\nx__u2";
        assert_eq!(renamed(text, &BTreeSet::from(["x"]), "__u2", &BTreeMap::new()), expected);
    }

    #[test]
    fn names_of_the_linker_are_changed_in_attributes() {
        let text = "int f(int) __attribute__((noinline, alias (\"h\"))); int g(void) { return alias(\"h\"); } \
            int k(int) __attribute__((section(\"h\"), __alias__(\"k\")));";
        let expected = "int f__u2(int) __attribute__((noinline, alias (\"h__old\"))); int g(void) { return alias(\"h\"); } \
            int k(int) __attribute__((section(\"h\"), __alias__(\"k\")));";
        let linked = BTreeMap::from([("h", "h__old".to_owned())]);
        assert_eq!(renamed(text, &BTreeSet::from(["f", "h"]), "__u2", &linked), expected);
    }
}
