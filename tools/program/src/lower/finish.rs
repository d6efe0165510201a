//! Completing the automaton when the whole text has been read: indirect calls, calls before definitions, what runs before
//! the entry function, and locations that nothing reaches.

use rustc_hash::FxHashMap;

use super::fitting::Fitting;
use super::indirect::{IndirectCall, Rebuilt};
use super::{Lowered, Lowerer};
use crate::cfa::{
    CfaParts, Edge, Function, FunctionId, Known, Location, LocationId, Operation, StaticInitializer, VarId, VarKind, Variable,
};
use crate::diagnostic::Diagnostic;
use crate::expr::ExprArena;
use crate::machine::MachineModel;
use crate::source::{SourceFile, Span};
use crate::types::{ArrayLength, QualType, Type, TypeId, TypeTable};
use formats::ProgramOptions;

/// Number of the temporaries that expansion adds; no statement has as many of its own.
const EXTRA_TEMPORARY: u32 = 1 << 20;

/// Greater alignments than a page's are those of a linker script.
const LARGEST_ALIGNMENT: u64 = 4096;

/// The tables of a finished program.
pub(super) struct Finished {
    machine: MachineModel,
    types: TypeTable,
    exprs: ExprArena,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    entry: FunctionId,
    digest: Option<[u8; 32]>,
}

impl Finished {
    pub(super) fn complete(self, source: SourceFile, options: ProgramOptions) -> CfaParts {
        CfaParts {
            source,
            options,
            machine: self.machine,
            types: self.types,
            exprs: self.exprs,
            variables: self.variables,
            functions: self.functions,
            locations: self.locations,
            edges: self.edges,
            entry: self.entry,
            digest: self.digest,
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn finish(mut self) -> Lowered<Finished> {
        self.complete_globals();
        let entry = self.entry_function()?;
        self.run_hooks(entry);
        self.mark_addresses();
        self.check_endings(entry);
        self.begin_process(entry);
        self.expand_indirect_calls();
        self.pass_lists();
        self.adapt_calls();
        self.complete_alignments();
        self.refuse_the_rest();
        self.refuse_symbols();
        self.refuse_aligned_functions();
        self.declare_bypassed();
        self.prepend_strange();
        self.prepend_unsupported(entry);
        self.prune();
        let digest = self.needs_digest().then_some(self.ast.digest);
        Ok(Finished {
            digest,
            machine: self.machine,
            types: self.types,
            exprs: self.exprs,
            variables: self.variables,
            functions: self.functions,
            locations: self.locations,
            edges: self.edges,
            entry,
        })
    }

    fn entry_function(&self) -> Lowered<FunctionId> {
        let name = &self.options.entry;
        let found = self.links.named(self.ast, name).and_then(|key| self.function_ids.get(&key));
        match found {
            Some(id) if self.functions[id.index()].entry.is_some() => Ok(*id),
            _ if self.ast.items.is_empty() => Err(self.nothing_there()),
            _ => Err(Diagnostic::at(
                self.source,
                Span::default(),
                "program::entry",
                format!("there is no function `{name}` to start with"),
                "in this program",
                "name the function where the program starts with --entry, or give the whole program",
            )),
        }
    }

    /// The error that the program has no text to speak of.
    fn nothing_there(&self) -> Diagnostic {
        let is_blank = self.source.text().iter().all(u8::is_ascii_whitespace);
        let message = match is_blank {
            true => "the program is empty",
            false => "nothing is declared here: the program has comments or directives only",
        };
        let help = "give the file that has the program; what should have written this one may have failed";
        Diagnostic::at(self.source, Span::default(), "program::empty", message, "here", help)
    }

    /// Tentative definitions begin as zero; an array without a length has one element.
    fn complete_globals(&mut self) {
        for index in 0..self.variables.len() {
            if !matches!(self.variables[index].kind, VarKind::Global { defined: true, .. }) {
                continue;
            }
            if let Type::Array { element, length: ArrayLength::Incomplete } = *self.types.get(self.variables[index].ty.ty) {
                let length = ArrayLength::Constant(1);
                self.variables[index].ty.ty = self.types.intern(Type::Array { element, length });
            }
            self.variables[index].initializer.get_or_insert_with(StaticInitializer::default);
        }
    }

    fn expand_indirect_calls(&mut self) {
        if self.indirect.is_empty() {
            return;
        }
        let candidates: Vec<FunctionId> =
            (0..self.functions.len()).filter(|f| self.functions[*f].address_taken).map(FunctionId::new).collect();
        let fitting = Fitting::of(self);
        let calls: Vec<IndirectCall> = std::mem::take(&mut self.indirect);
        let old = std::mem::take(&mut self.edges);
        let edges = Vec::with_capacity(old.len());
        let mut rebuilt = Rebuilt { edges, old, statement: Span::default(), outside: FxHashMap::default() };
        let mut calls = calls.into_iter().peekable();
        for index in 0..rebuilt.old.len() {
            match calls.next_if(|call| call.edge.index() == index) {
                Some(call) => {
                    rebuilt.statement = rebuilt.old[index].statement;
                    self.expand(&call, (&candidates, &fitting), &mut rebuilt);
                }
                None => {
                    let edge = rebuilt.old[index].clone();
                    rebuilt.edges.push(edge);
                }
            }
        }
        self.edges = rebuilt.edges;
    }

    /// A new location in the function of another one.
    pub(super) fn sibling(&mut self, location: LocationId) -> LocationId {
        let function = self.locations[location.index()].function;
        self.locations.push(Location::new(function));
        LocationId::new(self.locations.len() - 1)
    }

    /// A new location where paths end, with the error or without.
    pub(super) fn shared_end(&mut self, location: LocationId, is_error: bool) -> LocationId {
        let end = self.sibling(location);
        self.locations[end.index()].is_error = is_error;
        end
    }

    /// A temporary for a result of another type, in the function of `location`.
    pub(super) fn extra_temporary(&mut self, ty: TypeId, location: LocationId) -> VarId {
        let function = self.locations[location.index()].function;
        let kind = VarKind::Temporary(EXTRA_TEMPORARY);
        let same = |v: &Variable| v.function == Some(function) && v.kind == kind;
        let known = self.variables.iter().enumerate().rev().take(64).find(|(_, v)| same(v) && v.ty.ty == ty);
        if let Some((index, _)) = known {
            return VarId::new(index);
        }
        let count = self.variables.iter().filter(|v| same(v)).count();
        self.variables.push(Variable {
            name: format!("__t{EXTRA_TEMPORARY}").into(),
            ordinal: u32::try_from(count).unwrap_or(u32::MAX),
            kind,
            function: Some(function),
            ty: QualType::plain(ty),
            initializer: None,
            address_taken: false,
            thread_local: false,
            align: self.align_of_object(ty),
            identity: Box::default(),
            span: Span::default(),
        });
        VarId::new(self.variables.len() - 1)
    }

    /// Fits calls that were read before the definition of their callee, or without a prototype, to its parameters.
    fn adapt_calls(&mut self) {
        for index in 0..self.edges.len() {
            let Operation::Call { callee, arguments, result } = &self.edges[index].operation else { continue };
            let function = &self.functions[callee.index()];
            if function.entry.is_none() || function.known == Some(Known::Error) {
                continue;
            }
            let parameters = &function.parameters;
            let fits = arguments.len() >= parameters.len()
                && arguments
                    .iter()
                    .zip(parameters)
                    .all(|(argument, p)| self.exprs.ty(*argument) == self.variables[p.index()].ty.ty);
            let Type::Function(ty) = self.types.get(function.ty) else { continue };
            let result_fits = result.is_none_or(|variable| self.variables[variable.index()].ty.ty == ty.result.ty);
            if fits && result_fits && (ty.variadic || arguments.len() == parameters.len()) {
                continue;
            }
            let (callee, arguments, result) = (*callee, arguments.clone(), *result);
            let passed = self.passed(&arguments, callee).filter(|_| result_fits);
            self.edges[index].operation = match passed {
                Some(arguments) => Operation::Call { callee, arguments, result },
                None => Operation::Unsupported { construct: "call that does not fit the definition".into() },
            };
        }
    }

    /// Attributes that nothing has given a meaning to are unsupported from the beginning.
    fn refuse_the_rest(&mut self) {
        let ast = self.ast;
        for attribute in ast.attributes.iter().filter(|attribute| !self.accounted.contains(&attribute.span)) {
            if self.linking.passed_over.iter().any(|text| text.contains(attribute.span)) {
                continue;
            }
            let text = self.source.snippet(attribute.span);
            let name = text.split('(').next().unwrap_or_default().trim();
            self.before_entry.push((format!("attribute {name}").into(), attribute.span));
        }
    }

    /// The addresses of functions are multiples of 16, and of nothing else that is known.
    fn refuse_aligned_functions(&mut self) {
        for (index, function) in self.functions.iter().enumerate() {
            let align = self.declared.aligns.get(&FunctionId::new(index)).copied().unwrap_or(1);
            if function.address_taken && align > 16 {
                self.before_entry.push(("address of an aligned function".into(), function.span));
            }
        }
    }

    /// A function that an attribute changes in a way that is not followed is unsupported where it begins.
    fn prepend_strange(&mut self) {
        for (function, construct) in std::mem::take(&mut self.beginnings.strange) {
            let Some(old) = self.functions[function.index()].entry else { continue };
            let span = self.functions[function.index()].span;
            let new = self.sibling(old);
            let operation = Operation::Unsupported { construct };
            self.edges.push(Edge { source: new, target: old, operation, span, statement: span, choice: None });
            self.functions[function.index()].entry = Some(new);
        }
    }

    /// Whether operations leave open what the text means.
    fn needs_digest(&self) -> bool {
        let opaque = |edge: &Edge| matches!(edge.operation, Operation::Unsupported { .. } | Operation::Asm(_));
        let strange = |ty: &Type| matches!(ty, Type::Complex(_) | Type::Vector { .. });
        self.ast.has_identity
            || self.edges.iter().any(opaque)
            || self.functions.iter().any(|function| function.known == Some(Known::Unsupported) && function.address_taken)
            || self.variables.iter().filter_map(|v| v.initializer.as_ref()).any(|initial| initial.unsupported.is_some())
            || self.types.types().any(|(_, ty)| strange(ty))
            || self.types.records().any(|(_, record)| record.unsupported.is_some())
    }

    /// The alignment of an object of a type.
    pub(super) fn align_of_object(&self, ty: TypeId) -> u64 {
        crate::layout::align_of(&self.types, self.machine, ty, crate::layout::AlignedAs::Object).max(1)
    }

    /// Types that were incomplete where an object was declared have their alignment now.
    fn complete_alignments(&mut self) {
        for index in 0..self.variables.len() {
            let natural = self.align_of_object(self.variables[index].ty.ty);
            let variable = &mut self.variables[index];
            variable.align = if variable.align == 0 { natural } else { variable.align };
            if variable.align > LARGEST_ALIGNMENT {
                self.before_entry.push(("an alignment of more than a page".into(), self.variables[index].span));
            }
        }
    }

    /// What runs before the entry function and has no treatment comes first.
    fn prepend_unsupported(&mut self, entry: FunctionId) {
        if let Some(span) = self.beginnings.labels_meet.filter(|_| self.beginnings.compares) {
            self.before_entry.push(("a comparison of addresses beside two labels at one place".into(), span));
        }
        let before = std::mem::take(&mut self.before_entry);
        for (construct, span) in before.into_iter().rev() {
            let Some(old) = self.functions[entry.index()].entry else { return };
            let new = self.sibling(old);
            let operation = Operation::Unsupported { construct };
            self.edges.push(Edge { source: new, target: old, operation, span, statement: span, choice: None });
            self.functions[entry.index()].entry = Some(new);
        }
    }

    /// Drops locations that cannot be reached from the entry of their function; entry and exit stay.
    fn prune(&mut self) {
        let mut start = vec![0u32; self.locations.len() + 1];
        for edge in &self.edges {
            start[edge.source.index() + 1] += 1;
        }
        for index in 0..self.locations.len() {
            start[index + 1] += start[index];
        }
        let mut next = start.clone();
        let mut targets = vec![LocationId(0); self.edges.len()];
        for edge in &self.edges {
            let slot = &mut next[edge.source.index()];
            targets[*slot as usize] = edge.target;
            *slot += 1;
        }
        let mut reached = vec![false; self.locations.len()];
        let mut pending: Vec<LocationId> = self.functions.iter().filter_map(|f| f.entry).collect();
        while let Some(location) = pending.pop() {
            if std::mem::replace(&mut reached[location.index()], true) {
                continue;
            }
            let range = start[location.index()] as usize..start[location.index() + 1] as usize;
            pending.extend(targets[range].iter().filter(|target| !reached[target.index()]));
        }
        for function in &self.functions {
            if let Some(exit) = function.exit {
                reached[exit.index()] = true;
            }
        }
        self.renumber(&reached);
    }

    fn renumber(&mut self, reached: &[bool]) {
        let mut number = vec![LocationId(u32::MAX); reached.len()];
        let mut kept = Vec::with_capacity(reached.len());
        for (index, location) in self.locations.iter().enumerate() {
            if reached[index] {
                number[index] = LocationId::new(kept.len());
                kept.push(*location);
            }
        }
        self.locations = kept;
        self.edges.retain(|edge| reached[edge.source.index()]);
        for edge in &mut self.edges {
            edge.source = number[edge.source.index()];
            edge.target = number[edge.target.index()];
        }
        for function in &mut self.functions {
            function.entry = function.entry.map(|entry| number[entry.index()]);
            function.exit = function.exit.map(|exit| number[exit.index()]);
        }
    }
}
