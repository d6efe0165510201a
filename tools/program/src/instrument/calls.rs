//! Calls that begin and end blocks of memory, or that access memory as functions of the library do.

use formats::Property;

use super::blocks::{Block, Site, followed};
use super::ending::leaves_through_c;
use super::{Pass, Step};
use crate::cfa::{EdgeId, FunctionId, Known, VarId};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::known::{Allocation, accesses};
use crate::source::Span;
use crate::violation::Violation;

/// What is said where more blocks of an allocation are there than are told apart.
pub(super) const SEVERAL_BLOCKS: &str = "more blocks of one allocation at the same time than are told apart";

impl Pass<'_> {
    /// What has to be done before a call.
    pub(super) fn before_call(
        &mut self,
        id: EdgeId,
        (callee, arguments): (FunctionId, &[ExprId]),
        function: FunctionId,
        at: Span,
        steps: &mut Vec<Step>,
    ) {
        let (known, has_body, name) = {
            let callee = &self.builder.parts.functions[callee.index()];
            (callee.known, callee.entry.is_some(), callee.name.clone())
        };
        if known == Some(Known::Error) {
            return;
        }
        if has_body {
            if self.property == Property::ValidDeref {
                self.streams_of_body(callee, &name, arguments, steps);
                self.objects.end(&mut self.builder, function, Some(at), steps);
            }
            self.keep_frame((function, at), callee, steps);
            return;
        }
        match known {
            Some(Known::Free) => {
                if let [pointer] = *arguments {
                    self.before_free(pointer, steps);
                }
            }
            Some(Known::Allocate) => self.before_allocation(id, (callee, arguments), function, steps),
            Some(Known::NoReturn) if self.property == Property::ValidMemtrack && leaves_through_c(&name) => {
                self.at_the_end(Some((function, at)), steps);
            }
            Some(Known::Memory | Known::Pure)
                if self.property == Property::ValidDeref && !self.texts_are_read(id, &name, arguments) =>
            {
                self.library_accesses(&name, arguments, function, at, steps);
            }
            None if self.property == Property::ValidDeref && accesses(&name).is_some() => {
                self.library_accesses(&name, arguments, function, at, steps);
            }
            _ => {}
        }
    }

    fn before_free(&mut self, pointer: ExprId, steps: &mut Vec<Step>) {
        let address = self.builder.address(pointer);
        if self.property == Property::ValidFree {
            let none = self.builder.null();
            let mut allowed = vec![self.builder.compare(BinaryOp::Equal, address, none)];
            for block in self.blocks() {
                allowed.push(self.is_block(block, address));
            }
            let ok = self.builder.any(&allowed);
            steps.push(Step::Guard { ok, null: None, violation: Violation::InvalidFree, may_be_unknown: true });
        }
        for block in self.blocks() {
            let (base, none) = (self.builder.load(block.base), self.builder.null());
            let same = self.builder.compare(BinaryOp::Equal, base, address);
            let value = self.builder.choose(same, none, base);
            steps.push(Step::Assign(block.base, value));
        }
    }

    fn blocks(&self) -> Vec<Block> {
        self.objects.blocks().collect()
    }

    /// Whether an address is the first one of a block that is there.
    fn is_block(&mut self, block: Block, address: ExprId) -> ExprId {
        let base = self.builder.load(block.base);
        let alive = self.builder.is_set(block.base);
        let same = self.builder.compare(BinaryOp::Equal, base, address);
        self.builder.all(&[alive, same])
    }

    /// Whether `realloc` only frees, as that of glibc does: a size of 0, and something to free.
    fn only_frees(&mut self, old: ExprId, size: ExprId) -> ExprId {
        let (address, none) = (self.builder.address(old), self.builder.null());
        let had = self.builder.compare(BinaryOp::NotEqual, address, none);
        let (word, size) = (self.builder.word, self.builder.converted(size, self.builder.word));
        let zero = self.builder.number(word, 0);
        let nothing = self.builder.compare(BinaryOp::Equal, size, zero);
        self.builder.all(&[had, nothing])
    }

    fn before_allocation(
        &mut self,
        id: EdgeId,
        (callee, arguments): (FunctionId, &[ExprId]),
        function: FunctionId,
        steps: &mut Vec<Step>,
    ) {
        let Some(allocation) = followed(&self.builder, callee) else { return };
        let Some(site) = self.objects.sites.get(&id).cloned() else { return };
        let word = self.builder.word;
        let size = match (allocation, arguments) {
            (Allocation::Size, [size]) => self.builder.converted(*size, word),
            (Allocation::Product, [count, size]) => {
                let (count, size) = (self.builder.converted(*count, word), self.builder.converted(*size, word));
                self.builder.parts.exprs.intern(Expr::Binary(BinaryOp::Multiply, count, size), word)
            }
            (Allocation::Again, [old, size]) => {
                if let Some(freed) = site.freed {
                    let only = self.only_frees(*old, *size);
                    steps.push(Step::Assign(freed, only));
                }
                self.before_free(*old, steps);
                self.builder.converted(*size, word)
            }
            (Allocation::Local, [size, ..]) => {
                if self.objects.has_extents(&self.builder, function) {
                    steps.push(Step::Unsupported("alloca beside arrays of variable length".into()));
                }
                self.builder.converted(*size, word)
            }
            (Allocation::Aligned, [_, size]) => self.builder.converted(*size, word),
            _ => {
                steps.push(Step::Unsupported("allocation with unusual arguments".into()));
                return;
            }
        };
        let mut full: Vec<ExprId> = site.blocks.iter().map(|block| self.builder.is_set(block.base)).collect();
        full.extend(self.allocates(&site));
        let full = self.builder.all(&full);
        if let Some(more) = self.objects.more {
            let (one, before) = (self.builder.number(self.builder.int, 1), self.builder.load(more));
            let value = self.builder.choose(full, one, before);
            steps.push(Step::Assign(more, value));
        }
        if self.property == Property::ValidMemtrack {
            // A block that is no longer told apart could be lost from here on, in a program that never ends.
            let ok = self.builder.not(full);
            steps.push(Step::Need(ok, SEVERAL_BLOCKS.into()));
        }
        steps.push(Step::Assign(site.asked, size));
    }

    /// What has to be done after a call.
    pub(super) fn behind_call(&mut self, id: EdgeId, result: Option<VarId>) -> Vec<Step> {
        let Some(site) = self.objects.sites.get(&id).cloned() else { return Vec::new() };
        let Some(result) = result else {
            let lost = "memory that is lost where it is allocated";
            return vec![match site.freed {
                Some(freed) => Step::Need(self.builder.is_set(freed), lost.into()),
                None => Step::Unsupported(lost.into()),
            }];
        };
        let mut steps = Vec::new();
        let pointer = self.builder.load(result);
        let address = self.builder.address(pointer);
        let size = self.builder.load(site.asked);
        self.suppose_apart(&site, (address, size), &mut steps);
        self.keep(&site, (address, size), &mut steps);
        steps
    }

    /// Blocks that are there at the same time lie apart.
    fn suppose_apart(&mut self, site: &Site, (address, size): (ExprId, ExprId), steps: &mut Vec<Step>) {
        let end = self.builder.offset(address, size, 1);
        let ends = self.builder.compare(BinaryOp::GreaterEqual, end, address);
        steps.push(Step::Suppose(ends));
        // The only block of an allocation is gone, or nothing is known of it from here on.
        let own = |other: &Block| matches!(*site.blocks, [only] if only.base == other.base);
        for other in self.blocks().into_iter().filter(|other| !own(other)) {
            let (base, bytes) = (self.builder.load(other.base), self.builder.load(other.size));
            let gone = self.builder.is_set(other.base);
            let gone = self.builder.not(gone);
            let behind = self.builder.is_near(address, base, bytes);
            let before = self.builder.is_near(base, address, size);
            let [behind, before] = [behind, before].map(|near| self.builder.not(near));
            let apart = self.builder.all(&[behind, before]);
            let apart = self.builder.any(&[gone, apart]);
            steps.push(Step::Suppose(apart));
        }
    }

    /// That a call has not only freed, if it may.
    fn allocates(&mut self, site: &Site) -> Option<ExprId> {
        let freed = self.builder.is_set(site.freed?);
        Some(self.builder.not(freed))
    }

    /// Puts a new block where there is room, or in the place of the last one.
    ///
    /// From the last place to the first: whether a place is taken depends on those before it, which are as they were.
    fn keep(&mut self, site: &Site, (address, size): (ExprId, ExprId), steps: &mut Vec<Step>) {
        for (number, block) in site.blocks.iter().enumerate().rev() {
            let mut here: Vec<ExprId> = site.blocks[..number].iter().map(|block| self.builder.is_set(block.base)).collect();
            if number + 1 < site.blocks.len() {
                let taken = self.builder.is_set(block.base);
                here.push(self.builder.not(taken));
            }
            here.extend(self.allocates(site));
            let (mut base, mut bytes) = (address, size);
            if !here.is_empty() {
                let here = self.builder.all(&here);
                let (old_base, old_bytes) = (self.builder.load(block.base), self.builder.load(block.size));
                base = self.builder.choose(here, address, old_base);
                bytes = self.builder.choose(here, size, old_bytes);
            }
            // The size first: whether the place is taken is asked for both.
            if block.size != site.asked {
                steps.push(Step::Assign(block.size, bytes));
            }
            steps.push(Step::Assign(block.base, base));
        }
    }

    /// What has to be done before a function is left.
    pub(super) fn before_return(&mut self, function: FunctionId, steps: &mut Vec<Step>) {
        if function != self.builder.parts.entry {
            self.objects.end_blocks(&mut self.builder, function, steps);
            self.objects.end(&mut self.builder, function, None, steps);
        } else if self.property == Property::ValidMemtrack {
            self.at_the_end(None, steps);
        }
    }
}
