//! Several translation units as one program: what the linker would do.
//!
//! The declarations of all units are scanned first; then it is known which names stand for the same thing, which types are
//! the same, and which definition of several counts. Lowering reads one unit after the other with a file scope of its own;
//! objects and functions with linkage are found by keys (see [`Links`]) that are the same in all units.
//! What is `static` keeps its name unless another unit says that name too: then the name of its file is added.
//! Deviations from gcc: objects without initialiser in several units are one (as with `-fcommon`), and declarations of
//! several units that contradict each other are an error, whether or not the linker would see it.
//! Does not know bodies.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::links::Links;
use super::merge::{Merger, merge_named};
use super::scope::{Entity, Scopes, Tag};
use super::units::{Fact, Facts, Strength, used};
use super::{Lowered, Lowerer};
use crate::ast::{Ast, Item, Role, Symbol};
use crate::diagnostic::Diagnostic;
use crate::known;
use crate::source::{SourceFile, Span};
use crate::types::{Type, TypeId};

/// What the scan has found out about one unit.
struct Scanned {
    links: Links,
    facts: Facts,
    /// The types of what is declared outside of functions.
    types: BTreeMap<Symbol, (TypeId, bool)>,
}

/// What a name with external linkage stands for.
struct Global {
    key: Symbol,
    /// Unit and name of the definition that counts.
    winner: Option<(usize, Symbol)>,
}

/// How the units are linked.
struct Linker<'a> {
    ast: &'a Ast,
    source: &'a SourceFile,
    units: Vec<Scanned>,
    globals: BTreeMap<Box<str>, Global>,
    /// What the program calls the things of keys that are no names, or others.
    printed: BTreeMap<Symbol, Box<str>>,
    fresh: usize,
    /// Names that a library defines with other types than the program declares them with.
    refused: BTreeSet<Box<str>>,
    /// By unit: the items that are read, if not all are.
    taken: BTreeMap<usize, BTreeSet<usize>>,
    dropped: FxHashSet<Span>,
    passed_over: Vec<Span>,
    /// Definitions that do not count and that gcc takes all the same, where they are called.
    inlined: Vec<Span>,
}

impl<'a> Lowerer<'a> {
    /// Reads a program of several units.
    pub(super) fn linked_units(&mut self) -> Lowered<()> {
        let ast = self.ast;
        let mut linker = self.scan()?;
        linker.resolve()?;
        linker.give_keys();
        let mut bodies: Vec<FxHashSet<Symbol>> = (0..ast.units.len()).map(|unit| linker.bodies(unit)).collect();
        let whole = linker.whole();
        self.linking.dropped = std::mem::take(&mut linker.dropped);
        self.linking.passed_over = std::mem::take(&mut linker.passed_over);
        let construct = "an always_inline definition beside one of another file";
        self.before_entry.extend(linker.inlined.drain(..).map(|span| (construct.into(), span)));
        for (index, unit) in ast.units.iter().enumerate() {
            self.defined = std::mem::take(&mut bodies[index]);
            self.enter_unit(index, &mut linker);
            let taken = linker.taken.get(&index);
            for item in unit.items.clone().filter(|item| taken.is_none_or(|taken| taken.contains(item))) {
                self.item(ast.items[item])?;
            }
        }
        self.scopes.clear();
        self.links = whole;
        Ok(())
    }

    /// Begins a unit: nothing is declared.
    fn enter_unit(&mut self, index: usize, linker: &mut Linker<'_>) {
        self.scopes.clear();
        self.weak.clear();
        self.linking.sharing.unit = index;
        for name in std::mem::take(&mut self.linking.aliases) {
            self.function_ids.remove(&name);
        }
        self.links = std::mem::take(&mut linker.units[index].links);
        self.linking.renamed.extend(linker.renamed_bodies(index, &self.links));
        if !linker.taken.get(&index).is_some_and(BTreeSet::is_empty) {
            self.refuse_labels();
        }
    }

    /// Reads the declarations of all units, each for itself.
    fn scan(&mut self) -> Lowered<Linker<'a>> {
        let (ast, source) = (self.ast, self.source);
        let mut scan = Lowerer::new(ast, source, self.options, super::Manner::default());
        scan.linking.scanning = true;
        let mut linker = Linker::new(ast, source);
        let (mut tags, mut names) = (Vec::new(), Vec::new());
        let (mut record_units, mut enum_units) = (Vec::new(), Vec::new());
        for (index, unit) in ast.units.iter().enumerate() {
            scan.forget_unit(Links::new(ast, unit));
            for item in unit.items.clone() {
                scan.item(ast.items[item])?;
            }
            record_units.resize(scan.types.records().count(), index);
            enum_units.resize(scan.types.enums().count(), index);
            let (ordinary, tagged) = (scan.scopes.names_of_file(), scan.scopes.tags_of_file());
            let mut facts = Facts::new(ast, unit);
            facts.share(|name| known::is_error_function(ast.name(name), self.options.property));
            let types = facts.names.keys().filter_map(|name| Some((*name, scan.declared(*name)?))).collect();
            names.push(scan.unnamed_types(&ordinary));
            tags.push(tagged.into_iter().collect::<BTreeMap<Symbol, Tag>>());
            linker.units.push(Scanned { links: std::mem::take(&mut scan.links), facts, types });
        }
        let tag_types: Vec<BTreeMap<Symbol, TypeId>> = tags.iter().map(|tags| scan.types_of(tags)).collect();
        let mut merger = Merger::new(&scan.types, &record_units, &enum_units);
        linker.compare(&mut merger)?;
        merge_named(&mut merger, &tag_types);
        merge_named(&mut merger, &names);
        let sharing = &mut self.linking.sharing;
        sharing.learn(merger);
        (sharing.tags, sharing.records, sharing.enums) = (tags, scan.records, scan.enums);
        Ok(linker)
    }

    fn forget_unit(&mut self, links: Links) {
        self.scopes = Scopes::new();
        self.links = links;
        self.globals.clear();
        self.function_ids.clear();
        self.weak.clear();
    }

    /// The type of what a name stands for, and whether it is a function.
    fn declared(&self, name: Symbol) -> Option<(TypeId, bool)> {
        match self.scopes.lookup(name)? {
            Entity::Variable(variable, _) => Some((self.variables[variable.index()].ty.ty, false)),
            Entity::Function(function) => Some((self.functions[function.index()].ty, true)),
            Entity::Typedef(..) | Entity::Constant(..) | Entity::Parameter(_) => None,
        }
    }

    /// The records and enumerations without a tag that have a name.
    fn unnamed_types(&self, ordinary: &[(Symbol, Entity)]) -> BTreeMap<Symbol, TypeId> {
        let unnamed = |(name, entity): &(Symbol, Entity)| {
            let Entity::Typedef(ty, _) = entity else { return None };
            let tag = match self.types.get(ty.ty) {
                Type::Record(record) => &self.types.record(*record).tag,
                Type::Enum(definition) => &self.types.enumeration(*definition).tag,
                _ => return None,
            };
            tag.is_none().then_some((*name, ty.ty))
        };
        ordinary.iter().filter_map(unnamed).collect()
    }

    fn types_of(&mut self, tags: &BTreeMap<Symbol, Tag>) -> BTreeMap<Symbol, TypeId> {
        let ty = |tag: Tag| match tag {
            Tag::Record(record) => Type::Record(record),
            Tag::Enum(definition) => Type::Enum(definition),
        };
        tags.iter().map(|(name, tag)| (*name, self.types.intern(ty(*tag)))).collect()
    }
}

impl<'a> Linker<'a> {
    fn new(ast: &'a Ast, source: &'a SourceFile) -> Self {
        Self {
            ast,
            source,
            units: Vec::new(),
            globals: BTreeMap::new(),
            printed: BTreeMap::new(),
            fresh: ast.symbols.len(),
            refused: BTreeSet::new(),
            taken: BTreeMap::new(),
            dropped: FxHashSet::default(),
            passed_over: Vec::new(),
            inlined: Vec::new(),
        }
    }

    fn is_library(&self, unit: usize) -> bool {
        self.ast.units[unit].role == Role::Library
    }

    /// The name by which other units know a name of external linkage.
    fn exported(&self, unit: usize, name: Symbol) -> Box<str> {
        let links = &self.units[unit].links;
        if links.aliased.contains(&name) { self.ast.name(name).into() } else { links.name(self.ast, name).into() }
    }

    /// All names of external linkage, by what the linker calls them.
    fn exports(&self) -> BTreeMap<Box<str>, Vec<(usize, Symbol)>> {
        let mut found: BTreeMap<Box<str>, Vec<(usize, Symbol)>> = BTreeMap::new();
        for (index, unit) in self.units.iter().enumerate() {
            for (name, fact) in &unit.facts.names {
                if !fact.internal {
                    found.entry(self.exported(index, *name)).or_default().push((index, *name));
                }
            }
        }
        found
    }

    fn fact(&self, (unit, name): (usize, Symbol)) -> Option<&Fact> {
        self.units.get(unit)?.facts.names.get(&name)
    }

    /// How firmly a unit defines a name.
    fn strength(&self, at: (usize, Symbol)) -> Option<Strength> {
        let is_function = self.units[at.0].types.get(&at.1).is_some_and(|(_, is_function)| *is_function);
        let fact = self.fact(at)?;
        match fact.strength {
            None if self.units[at.0].links.aliased.contains(&at.1) => {
                Some(if fact.weak { Strength::Weak } else { Strength::Strong })
            }
            // A function may be declared by the name of its type.
            Some(Strength::Tentative) if is_function => None,
            strength => strength,
        }
    }

    /// Compares what the units say of the types of what they share.
    fn compare(&mut self, merger: &mut Merger<'_>) -> Lowered<()> {
        for (text, places) in self.exports() {
            let typed = |at: &(usize, Symbol)| Some((*at, *self.units[at.0].types.get(&at.1)?));
            let typed: Vec<((usize, Symbol), (TypeId, bool))> = places.iter().filter_map(typed).collect();
            // The library has no say.
            let Some((first, (ty, is_function))) =
                typed.iter().max_by_key(|(at, _)| (!self.is_library(at.0), self.strength(*at), std::cmp::Reverse(at.0))).copied()
            else {
                continue;
            };
            for (at, (other, other_is_function)) in typed {
                if at == first || (is_function == other_is_function && merger.unify(ty, other, true)) {
                    continue;
                }
                if self.is_library(at.0) {
                    self.refused.insert(text.clone());
                } else {
                    return Err(self.contradiction(&text, first, at));
                }
            }
        }
        Ok(())
    }

    fn contradiction(&self, text: &str, first: (usize, Symbol), second: (usize, Symbol)) -> Diagnostic {
        let help = "declare it once, in a header that both files include; or link only files of one program";
        let message = format!("`{text}` is declared with another type at {}", self.place(first));
        Diagnostic::at(self.source, self.span(second), "program::link", message, "does not fit", help)
    }

    fn twice(&self, text: &str, first: (usize, Symbol), second: (usize, Symbol)) -> Diagnostic {
        let help = "link only files of one program, or make what is private to a file `static`";
        let message = format!("`{text}` is defined at {} as well", self.place(first));
        Diagnostic::at(self.source, self.span(second), "program::link", message, "second definition", help)
    }

    fn span(&self, at: (usize, Symbol)) -> Span {
        self.fact(at).map_or(Span::default(), |fact| fact.place)
    }

    fn place(&self, at: (usize, Symbol)) -> String {
        self.source.shown(self.span(at).lo).to_string()
    }

    /// Finds the definition that counts for every name.
    fn resolve(&mut self) -> Lowered<()> {
        let exports = self.exports();
        for (text, places) in &exports {
            let own = places.iter().filter(|at| !self.is_library(at.0));
            let defined: Vec<(usize, Symbol)> = own.filter(|at| self.strength(**at).is_some()).copied().collect();
            let mut strong = defined.iter().filter(|at| self.strength(**at) == Some(Strength::Strong));
            if let (Some(first), Some(second)) = (strong.next(), strong.next()) {
                return Err(self.twice(text, *first, *second));
            }
            let winner = defined.iter().max_by_key(|at| (self.strength(**at), std::cmp::Reverse(at.0))).copied();
            let key = self.ast.symbols.get(text).unwrap_or_else(|| self.fresh(text));
            self.globals.insert(text.clone(), Global { key, winner });
        }
        self.take_from_libraries(&exports);
        for (text, places) in &exports {
            let winner = self.globals.get(text).and_then(|global| global.winner);
            for at in places {
                self.drop_losers(*at, winner);
            }
        }
        Ok(())
    }

    /// Takes note of the definitions of a name in a unit that do not count.
    fn drop_losers(&mut self, at: (usize, Symbol), winner: Option<(usize, Symbol)>) {
        let Some(fact) = self.fact(at) else { return };
        let wins = winner == Some(at);
        let last = fact.definitions.len().saturating_sub(1);
        let loses = |index: usize, is_gnu: bool| !wins || (is_gnu && index < last);
        let losers = fact.definitions.iter().enumerate().filter(|(index, found)| loses(*index, found.is_gnu));
        let losers: Vec<(Span, Span)> = losers.map(|(_, found)| (found.name, found.whole)).collect();
        if !wins && winner.is_some() && !self.is_library(at.0) {
            let is_inlined = |whole: &Span| self.source.snippet(*whole).contains("always_inline");
            let inlined: Vec<Span> = losers.iter().filter(|(_, whole)| is_inlined(whole)).map(|(name, _)| *name).collect();
            self.inlined.extend(inlined);
        }
        self.dropped.extend(losers.iter().map(|(name, _)| *name));
        self.passed_over.extend(losers.iter().map(|(_, whole)| *whole));
    }

    /// Takes from the libraries what the program uses and does not define, and what that uses.
    fn take_from_libraries(&mut self, exports: &BTreeMap<Box<str>, Vec<(usize, Symbol)>>) {
        let libraries: Vec<usize> = (0..self.units.len()).filter(|unit| self.is_library(*unit)).collect();
        if libraries.is_empty() {
            return;
        }
        let mut offered: BTreeMap<&str, (usize, Symbol)> = BTreeMap::new();
        for (text, places) in exports {
            let found = places.iter().find(|at| self.is_library(at.0) && self.strength(**at).is_some());
            if let Some(at) = found.filter(|_| !self.refused.contains(text)) {
                offered.insert(text, *at);
            }
        }
        let items: BTreeMap<usize, BTreeMap<Symbol, Vec<usize>>> =
            libraries.iter().map(|unit| (*unit, items_by_name(self.ast, *unit))).collect();
        let mut wanted: Vec<Box<str>> = (0..self.units.len())
            .filter(|unit| !self.is_library(*unit))
            .flat_map(|unit| self.wanted_by(unit, self.units[unit].facts.used.iter().copied()))
            .collect();
        let mut seen: BTreeSet<(usize, Symbol)> = BTreeSet::new();
        for unit in &libraries {
            self.taken.insert(*unit, BTreeSet::new());
        }
        while let Some(text) = wanted.pop() {
            let Some(at) = offered.get(&*text).copied() else { continue };
            match self.globals.get_mut(&text) {
                Some(global) if global.winner.is_none() => global.winner = Some(at),
                Some(_) | None => continue,
            }
            let mut names = vec![at.1];
            while let Some(name) = names.pop() {
                if !seen.insert((at.0, name)) {
                    continue;
                }
                for item in items[&at.0].get(&name).into_iter().flatten() {
                    self.taken.entry(at.0).or_default().insert(*item);
                    let used: Vec<Symbol> = used(self.ast, self.exprs_of(at.0, *item)).collect();
                    wanted.extend(self.wanted_by(at.0, used.iter().copied()));
                    names.extend(used);
                }
            }
        }
        for unit in libraries {
            self.complete_library(unit);
        }
    }

    /// Types of a library unit that is used at all are read; its definitions that are not used are not.
    fn complete_library(&mut self, unit: usize) {
        let taken = self.taken.entry(unit).or_default();
        if taken.is_empty() {
            self.passed_over.push(self.source.units().get(unit).map_or(Span::default(), |text| text.span));
            return;
        }
        for item in self.ast.units[unit].items.clone() {
            match self.ast.items[item] {
                Item::Declaration(id) if !taken.contains(&item) => {
                    let declaration = &self.ast[id];
                    let is_type = declaration.specifiers.storage == Some(crate::ast::Storage::Typedef);
                    if is_type || declaration.declarators.is_empty() {
                        taken.insert(item);
                    } else {
                        self.passed_over.push(declaration.span);
                    }
                }
                Item::Function(id) if !taken.contains(&item) => self.passed_over.push(self.ast[id].span),
                Item::Declaration(_) | Item::Function(_) => {}
                Item::StaticAssert(_) | Item::Asm(_) => drop(taken.insert(item)),
            }
        }
    }

    /// What names of a unit mean to the linker if they mean anything to it.
    fn wanted_by(&self, unit: usize, names: impl Iterator<Item = Symbol>) -> Vec<Box<str>> {
        let wanted = |name: Symbol| match self.fact((unit, name)) {
            Some(fact) if fact.internal => None,
            Some(_) => Some(self.exported(unit, name)),
            None => {
                let text = self.ast.name(name);
                Some(text.strip_prefix("__builtin_").unwrap_or(text).into())
            }
        };
        names.filter_map(wanted).collect()
    }

    fn exprs_of(&self, unit: usize, item: usize) -> std::ops::Range<usize> {
        let first = self.ast.units[unit].items.start == item;
        let start = if first { self.ast.units[unit].exprs.start } else { self.ast.item_ends[item - 1] };
        start..self.ast.item_ends[item]
    }

    /// A key that is no name of the text.
    fn fresh(&mut self, text: &str) -> Symbol {
        let key = Symbol::from_index(self.fresh);
        self.fresh += 1;
        self.printed.insert(key, text.into());
        key
    }

    /// Gives every name of every unit its key.
    fn give_keys(&mut self) {
        let mut taken: BTreeSet<Box<str>> = self.globals.keys().cloned().collect();
        for unit in &self.units {
            let unknown = unit.facts.called.iter().filter(|name| !unit.facts.names.contains_key(name));
            taken.extend(unknown.map(|name| {
                let text = self.ast.name(*name);
                Box::from(text.strip_prefix("__builtin_").unwrap_or(text))
            }));
        }
        for unit in 0..self.units.len() {
            self.part(unit, &mut taken);
        }
        self.follow_aliases();
        for unit in 0..self.units.len() {
            let external: Vec<(Symbol, Symbol)> = self.external_keys(unit);
            for (name, key) in external {
                let text = self.printed.get(&key).cloned();
                self.units[unit].links.set_key(name, key, text.as_deref());
            }
            let Scanned { links, facts, .. } = &mut self.units[unit];
            links.follow_private_aliases(facts);
        }
    }

    /// Keeps what is `static` in a unit apart from what others call by the same name.
    fn part(&mut self, unit: usize, taken: &mut BTreeSet<Box<str>>) {
        let Scanned { links, facts, .. } = &self.units[unit];
        let internal = facts.names.iter().filter(|(name, fact)| fact.internal && !links.aliased.contains(name));
        let names: Vec<Symbol> = internal.map(|(name, _)| *name).collect();
        let mut fresh: BTreeMap<Symbol, Symbol> = BTreeMap::new();
        for name in names {
            let old = self.units[unit].links.key(name);
            let key = match fresh.get(&old) {
                Some(key) => *key,
                None => {
                    let text = Box::from(self.units[unit].links.name(self.ast, name));
                    let key = if taken.contains(&text) {
                        let text = self.unique(&text, unit, taken);
                        self.fresh(&text)
                    } else {
                        old
                    };
                    taken.insert(self.printed.get(&key).unwrap_or(&text).clone());
                    fresh.insert(old, key);
                    key
                }
            };
            let text = self.printed.get(&key).cloned();
            self.units[unit].links.set_key(name, key, text.as_deref());
        }
    }

    /// A name that nothing has: with the name of the file added.
    fn unique(&self, text: &str, unit: usize, taken: &BTreeSet<Box<str>>) -> String {
        let path = self.source.units().get(unit).map_or("", |unit| unit.path.as_str());
        let stem = path.rsplit('/').next().unwrap_or_default().split('.').next().unwrap_or_default();
        let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let plain = format!("{text}__{stem}");
        let free = |name: &str| !taken.contains(name) && self.ast.symbols.get(name).is_none();
        let numbered = (2u32..).map(|number| format!("{plain}_{number}"));
        std::iter::once(plain.clone()).chain(numbered).find(|name| free(name)).unwrap_or_default()
    }

    /// What an alias names in its unit other units mean as well.
    fn follow_aliases(&mut self) {
        let aliased: Vec<(Box<str>, usize, Symbol)> = self
            .globals
            .iter()
            .filter_map(|(text, global)| Some((text.clone(), global.winner?)))
            .filter(|(_, (unit, name))| self.units[*unit].links.aliased.contains(name))
            .map(|(text, (unit, name))| (text, unit, name))
            .collect();
        // An alias of an alias has the key of the last one already, for its unit.
        for (text, unit, name) in aliased {
            let target = self.units[unit].links.key(name);
            let internal = self.fact((unit, target)).is_some_and(|fact| fact.internal);
            let key = match self.globals.get(&self.exported(unit, target)) {
                Some(global) if !internal => global.key,
                _ => self.units[unit].links.key(target),
            };
            if let Some(global) = self.globals.get_mut(&text) {
                global.key = key;
            }
        }
    }

    /// The keys of names that are not `static`, those that are called without a declaration included.
    fn external_keys(&self, unit: usize) -> Vec<(Symbol, Symbol)> {
        let facts = &self.units[unit].facts;
        let declared = facts.names.iter().filter(|(_, fact)| !fact.internal).map(|(name, _)| *name);
        let unknown = facts.called.iter().filter(|name| !facts.names.contains_key(name)).copied();
        let key = |name: Symbol| Some((name, self.globals.get(&self.exported(unit, name))?.key));
        declared.chain(unknown).filter_map(key).collect()
    }

    /// The names in a unit of functions that have a body somewhere; notes what is defined at all.
    fn bodies(&mut self, unit: usize) -> FxHashSet<Symbol> {
        let mut bodies = FxHashSet::default();
        let mut defined = BTreeSet::new();
        let facts = &self.units[unit].facts;
        let unknown = facts.called.iter().filter(|name| !facts.names.contains_key(name));
        for name in facts.names.keys().chain(unknown) {
            let at = match self.fact((unit, *name)) {
                Some(fact) if fact.internal => Some((unit, *name)),
                _ => self.globals.get(&self.exported(unit, *name)).and_then(|global| global.winner),
            };
            let Some(at) = at.filter(|at| self.strength(*at).is_some()) else { continue };
            defined.insert(*name);
            let target = self.fact((at.0, self.units[at.0].links.key(at.1)));
            if [self.fact(at), target].into_iter().flatten().any(|fact| fact.has_body) {
                bodies.insert(*name);
            }
        }
        self.units[unit].links.defined = defined;
        bodies
    }

    /// What functions with a body are called that are not called as in their unit.
    fn renamed_bodies(&self, unit: usize, links: &Links) -> Vec<Box<str>> {
        let bodies = self.units[unit].facts.names.iter().filter(|(_, fact)| fact.has_body && fact.internal);
        bodies
            .map(|(name, _)| links.name(self.ast, *name))
            .filter(|name| self.ast.symbols.get(name).is_none())
            .map(Box::from)
            .collect()
    }

    /// What names mean to somebody who knows all units: what is `static` only if its name is said in one of them.
    fn whole(&self) -> Links {
        let mut links = Links::default();
        for (text, global) in &self.globals {
            if let Some(name) = self.ast.symbols.get(text) {
                links.set_key(name, global.key, self.printed.get(&global.key).map(|text| &**text));
            }
        }
        for (key, text) in &self.printed {
            links.set_key(*key, *key, Some(text));
        }
        links
    }
}

/// The names that some unit uses and none defines; some of them may be names of locals.
pub(crate) fn undefined(ast: &Ast) -> BTreeSet<String> {
    let facts: Vec<Facts> = ast.units.iter().map(|unit| Facts::new(ast, unit)).collect();
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for Facts { names, used: here, .. } in &facts {
        let private = |name: &Symbol| names.get(name).is_some_and(|fact| fact.internal);
        used.extend(here.iter().filter(|name| !private(name)).map(|name| ast.name(*name)));
    }
    for (name, fact) in facts.iter().flat_map(|facts| &facts.names) {
        if fact.strength.is_some() && !fact.internal {
            used.remove(ast.name(*name));
        }
    }
    used.into_iter().map(|name| name.strip_prefix("__builtin_").unwrap_or(name).to_owned()).collect()
}

/// The items of a unit that declare a name.
fn items_by_name(ast: &Ast, unit: usize) -> BTreeMap<Symbol, Vec<usize>> {
    let mut items: BTreeMap<Symbol, Vec<usize>> = BTreeMap::new();
    for index in ast.units[unit].items.clone() {
        match ast.items[index] {
            Item::Function(id) => {
                if let Some(name) = ast[id].declarator.name {
                    items.entry(name.name).or_default().push(index);
                }
            }
            Item::Declaration(id) => {
                for name in ast[id].declarators.iter().filter_map(|id| ast[*id].declarator.name) {
                    items.entry(name.name).or_default().push(index);
                }
            }
            Item::StaticAssert(_) | Item::Asm(_) => {}
        }
    }
    items
}
