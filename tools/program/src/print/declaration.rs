//! File-scope declarations: types, prototypes, global objects.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::names::is_static;
use super::{PrintError, Printer};
use crate::cfa::{ConstantValue, FunctionId, Known, Linkage, VarId, VarKind};
use crate::layout::{AlignedAs, align_of};
use crate::types::{QualType, Type};

impl Printer<'_> {
    /// Declarations of all types of the program, one line each entry.
    ///
    /// # Errors
    /// [`PrintError::Layout`] if a record cannot be declared with the layout it has.
    pub fn types(&self) -> Result<Vec<String>, PrintError> {
        let mut out = Vec::new();
        self.forward_declarations(&mut out);
        self.type_definitions(&mut out)?;
        Ok(out)
    }

    /// The prototype of a function under the name `name`. Under another name than its own it is `static` whatever it was.
    #[must_use]
    pub fn prototype(&self, function: FunctionId, name: &str) -> Option<String> {
        let f = self.cfa.function(function);
        let builtin = ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| f.name.starts_with(prefix));
        if builtin && f.entry.is_none() {
            return None;
        }
        let external = if f.entry.is_none() { "extern " } else { "" };
        let is_clone = *name != *f.name;
        let storage = if is_clone || f.linkage == Linkage::Internal { "static " } else { external };
        let stays = f.known == Some(Known::NoReturn) && f.entry.is_none();
        let attribute = if stays { " __attribute__((noreturn))" } else { "" };
        Some(format!("{storage}{}{attribute};", self.declarator(QualType::plain(f.ty), name.to_owned())))
    }

    /// The head of the definition of a function under the name `name`, without its body. Under another name than its own it
    /// is `static` whatever it was.
    #[must_use]
    pub fn header(&self, function: FunctionId, name: &str) -> String {
        let f = self.cfa.function(function);
        let is_clone = *name != *f.name;
        let storage = if is_clone || f.linkage == Linkage::Internal { "static " } else { "" };
        let Type::Function(ty) = self.cfa.types.get(f.ty) else {
            return format!("{storage}void {name}(void)");
        };
        let names: Vec<&str> = f.parameters.iter().map(|p| self.names.variable(*p)).collect();
        let declared: Vec<String> =
            f.parameters.iter().map(|p| self.declaration(self.cfa.variable(*p).ty, self.names.variable(*p))).collect();
        if ty.unprototyped && !names.is_empty() {
            let declarator = format!("{name}({})", names.join(", "));
            let old_style: String = declared.iter().map(|text| format!(" {text};")).collect();
            return format!("{storage}{}{old_style}", self.declarator(ty.result, declarator));
        }
        let mut list = declared;
        if ty.variadic {
            list.push("...".to_owned());
        }
        let inside = match (list.is_empty(), ty.unprototyped) {
            (true, false) => "void".to_owned(),
            _ => list.join(", "),
        };
        format!("{storage}{}", self.declarator(ty.result, format!("{name}({inside})")))
    }

    /// Declarations and definitions of all objects that live as long as the program, in source order. An object whose
    /// initial value is unsupported is declared without one; whoever prints operations on it has to say so.
    ///
    /// # Errors
    /// [`PrintError::Initializer`] if an initial value cannot be written down.
    pub fn globals(&self) -> Result<Vec<String>, PrintError> {
        let mut out = Vec::new();
        let mut declared: IndexSet<VarId, FxBuildHasher> = IndexSet::default();
        for id in self.cfa.variable_ids() {
            let hidden = self.names.is_inline(id) && matches!(self.cfa.variable(id).kind, VarKind::StringLiteral(_));
            if !is_static(self.cfa, id) || hidden {
                continue;
            }
            for mentioned in self.mentioned(id) {
                if mentioned != id && declared.insert(mentioned) {
                    out.push(self.forward(mentioned));
                }
            }
            declared.insert(id);
            out.push(self.global(id)?);
        }
        Ok(out)
    }

    /// The objects whose addresses the initialiser of a variable contains.
    fn mentioned(&self, id: VarId) -> Vec<VarId> {
        let initializer = self.cfa.variable(id).initializer.as_ref();
        let scalars = initializer.map_or(&[][..], |initializer| &initializer.scalars[..]);
        let addresses = scalars.iter().filter_map(|scalar| match scalar.value {
            ConstantValue::Address { variable, .. } => Some(variable),
            ConstantValue::Int(_) | ConstantValue::Float(_) | ConstantValue::Function(_) => None,
        });
        addresses.filter(|variable| !self.names.is_inline(*variable)).collect()
    }

    fn forward(&self, id: VarId) -> String {
        let storage = match self.storage(id) {
            "" => "extern ",
            storage => storage,
        };
        format!("{storage}{};", self.object(id))
    }

    fn global(&self, id: VarId) -> Result<String, PrintError> {
        let value = self.initializer(id)?.map_or(String::new(), |text| format!(" = {text}"));
        let alias = self.names.aliased(id).map_or(String::new(), |name| format!(" __attribute__((alias(\"{name}\")))"));
        Ok(format!("{}{}{alias}{value};", self.storage(id), self.object(id)))
    }

    fn object(&self, id: VarId) -> String {
        let variable = self.cfa.variable(id);
        let thread = if variable.thread_local { "__thread " } else { "" };
        format!("{thread}{}{}", self.declaration(variable.ty, self.names.variable(id)), self.aligned(id))
    }

    /// What a declarator of an object needs behind it for its alignment.
    pub(super) fn aligned(&self, id: VarId) -> String {
        let variable = self.cfa.variable(id);
        let natural = align_of(&self.cfa.types, self.cfa.machine, variable.ty.ty, AlignedAs::Object);
        if variable.align <= natural { String::new() } else { format!(" __attribute__((aligned({})))", variable.align) }
    }

    fn storage(&self, id: VarId) -> &'static str {
        let variable = self.cfa.variable(id);
        let unsupported = variable.initializer.as_ref().is_some_and(|initializer| initializer.unsupported.is_some());
        match variable.kind {
            VarKind::Global { linkage: Linkage::External, .. } if unsupported => "extern ",
            VarKind::Global { defined: false, .. } => "extern ",
            VarKind::Global { linkage: Linkage::External, .. } => "",
            _ => "static ",
        }
    }
}
