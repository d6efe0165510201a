//! Names that a unit declares at file level without `static` and then with it, which makes it no program (C17 6.2.2p7).
//!
//! Does not know types, nor declarations in blocks.

use rustc_hash::FxHashSet;

use super::{Lowered, Lowerer};
use crate::ast::{self, Item, Storage, Symbol};

impl Lowerer<'_> {
    /// `static` behind a declaration without it. One without it behind one with it means the same thing, but for objects.
    pub(super) fn check_storage(&self) -> Lowered<()> {
        self.ast.units.iter().try_for_each(|unit| {
            let (mut visible, mut hidden) = (FxHashSet::default(), FxHashSet::default());
            self.ast.items[unit.items.clone()].iter().try_for_each(|item| match item {
                Item::Declaration(id) => {
                    let declaration = &self.ast[*id];
                    let storage = declaration.specifiers.storage;
                    let names = declaration.declarators.iter().filter_map(|id| self.ast[*id].declarator.name);
                    let mut names = names.filter(|_| storage != Some(Storage::Typedef));
                    names.try_for_each(|name| self.check_again(name, storage, (&mut visible, &mut hidden)))
                }
                Item::Function(id) => {
                    let definition = &self.ast[*id];
                    let storage = definition.specifiers.storage;
                    let mut name = definition.declarator.name.into_iter();
                    name.try_for_each(|name| self.check_again(name, storage, (&mut visible, &mut hidden)))
                }
                Item::StaticAssert(_) | Item::Asm(_) => Ok(()),
            })
        })
    }

    fn check_again(
        &self,
        name: ast::Ident,
        storage: Option<Storage>,
        (visible, hidden): (&mut FxHashSet<Symbol>, &mut FxHashSet<Symbol>),
    ) -> Lowered<()> {
        let is_static = storage == Some(Storage::Static);
        if is_static && visible.contains(&name.name) {
            let message = format!("`{}` is static here, and not where it was declared before", self.ast.name(name.name));
            return Err(self.error(name.span, message, "another linkage"));
        }
        if is_static {
            hidden.insert(name.name);
        } else if !hidden.contains(&name.name) {
            visible.insert(name.name);
        }
        Ok(())
    }
}
