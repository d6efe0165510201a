//! `__attribute__((…))`.

use super::{Parse, Parser};
use crate::ast::{Attribute, AttributeKind, Ident, Symbol};
use crate::lex::T;

/// Attributes that change neither layout, nor values, nor control flow. Those that only promise
/// something to the optimiser, name a section, choose a calling convention or ask for a warning.
const IGNORED: &[&str] = &[
    "access",
    "alloc_align",
    "alloc_size",
    "always_inline",
    "artificial",
    "assume_aligned",
    "bnd_instrument",
    "cdecl",
    "cold",
    "common",
    "const",
    "deprecated",
    "designated_init",
    "dllexport",
    "dllimport",
    "error",
    "externally_visible",
    "fallthrough",
    "fastcall",
    "fd_arg",
    "fd_arg_read",
    "fd_arg_write",
    "flatten",
    "force_align_arg_pointer",
    "format",
    "format_arg",
    "gcc_struct",
    "gnu_inline",
    "hot",
    "leaf",
    "malloc",
    "may_alias",
    "ms_abi",
    "no_address_safety_analysis",
    "no_icf",
    "no_instrument_function",
    "no_profile_instrument_function",
    "no_reorder",
    "no_sanitize",
    "no_sanitize_address",
    "no_sanitize_thread",
    "no_sanitize_undefined",
    "no_split_stack",
    "no_stack_limit",
    "no_stack_protector",
    "nocf_check",
    "noclone",
    "nocommon",
    "noinit",
    "noinline",
    "noipa",
    "nonnull",
    "nonstring",
    "noplt",
    "nothrow",
    "optimize",
    "patchable_function_entry",
    "pure",
    "regparm",
    "retain",
    "returns_nonnull",
    "section",
    "sentinel",
    "simd",
    "sseregparm",
    "stack_protect",
    "stdcall",
    "symver",
    "sysv_abi",
    "tainted_args",
    "target",
    "target_clones",
    "thiscall",
    "tls_model",
    "unavailable",
    "uninitialized",
    "unused",
    "used",
    "visibility",
    "warn_if_not_aligned",
    "warn_unused_result",
    "warning",
    "zero_call_used_regs",
];

impl Parser<'_> {
    /// All attributes that stand here, perhaps none.
    pub(super) fn attributes(&mut self) -> Parse<Vec<Attribute>> {
        let mut attributes = Vec::new();
        while self.accept(T::KwAttribute) {
            self.expect(T::LParen, "after `__attribute__`")?;
            self.expect(T::LParen, "after `__attribute__(`")?;
            loop {
                while self.accept(T::Comma) {}
                if self.peek() == T::RParen {
                    break;
                }
                attributes.push(self.attribute()?);
                if !matches!(self.peek(), T::Comma | T::RParen) {
                    return Err(self.expected("`,` or `)` after the attribute"));
                }
            }
            self.expect(T::RParen, "after the attributes")?;
            self.expect(T::RParen, "after the attributes")?;
        }
        Ok(attributes)
    }

    /// Number of tokens of the attributes that begin at this distance.
    pub(super) fn attributes_length(&self, distance: usize) -> usize {
        let mut at = distance;
        while self.peek_at(at) == T::KwAttribute {
            let mut depth = 0_u32;
            loop {
                at += 1;
                match self.peek_at(at) {
                    T::LParen => depth += 1,
                    T::RParen => depth = depth.saturating_sub(1),
                    T::End => return at - distance,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            at += 1;
        }
        at - distance
    }

    fn attribute(&mut self) -> Parse<Attribute> {
        let token = self.token();
        if token.kind != T::Ident && !token.kind.is_keyword() {
            return Err(self.expected("the name of an attribute"));
        }
        self.advance();
        let name = self.plain_name(token.symbol());
        let kind = self.attribute_kind(name)?;
        Ok(Attribute {
            kind,
            span: self.since(token.span.lo),
        })
    }

    /// `name` for `__name__`.
    fn plain_name(&mut self, symbol: Symbol) -> Symbol {
        let name = self.name(symbol);
        let plain = name
            .strip_prefix("__")
            .and_then(|rest| rest.strip_suffix("__"));
        match plain.filter(|plain| !plain.is_empty()).map(str::to_owned) {
            Some(plain) => self.ast.symbols.intern(&plain),
            None => symbol,
        }
    }

    /// The meaning of an attribute; its arguments, if any, stand here.
    fn attribute_kind(&mut self, symbol: Symbol) -> Parse<AttributeKind> {
        let name = self.name(symbol).to_owned();
        let has_arguments = self.peek() == T::LParen;
        let kind = match (name.as_str(), has_arguments) {
            ("packed", false) => AttributeKind::Packed,
            ("noreturn", false) => AttributeKind::NoReturn,
            ("weak", false) => AttributeKind::Weak,
            ("weakref", false) => AttributeKind::Weakref(None),
            ("transparent_union", false) => AttributeKind::TransparentUnion,
            ("aligned", false) => AttributeKind::Aligned(None),
            ("constructor", false) => AttributeKind::Constructor(None),
            ("destructor", false) => AttributeKind::Destructor(None),
            ("aligned" | "vector_size" | "constructor" | "destructor", true) => {
                return self.attribute_with_value(&name);
            }
            ("alias" | "ifunc" | "weakref" | "scalar_storage_order", true)
                if self.peek_at(1) == T::String =>
            {
                return self.attribute_with_text(&name);
            }
            ("mode" | "cleanup", true) if self.peek_at(2) == T::RParen => {
                return self.attribute_with_name(symbol, &name);
            }
            _ if IGNORED.binary_search(&name.as_str()).is_ok() => AttributeKind::Ignored(symbol),
            _ => AttributeKind::Unknown(symbol),
        };
        if has_arguments {
            self.skip_parenthesis()?;
        }
        Ok(kind)
    }

    fn attribute_with_value(&mut self, name: &str) -> Parse<AttributeKind> {
        self.advance();
        let value = self.nested(Self::assignment)?;
        self.expect(T::RParen, "after the argument of the attribute")?;
        Ok(match name {
            "aligned" => AttributeKind::Aligned(Some(value)),
            "vector_size" => AttributeKind::VectorSize(value),
            "constructor" => AttributeKind::Constructor(Some(value)),
            _ => AttributeKind::Destructor(Some(value)),
        })
    }

    fn attribute_with_text(&mut self, name: &str) -> Parse<AttributeKind> {
        self.advance();
        let text = self.string("as argument of the attribute")?;
        self.expect(T::RParen, "after the argument of the attribute")?;
        Ok(match name {
            "alias" => AttributeKind::Alias(text),
            "ifunc" => AttributeKind::Ifunc(text),
            "weakref" => AttributeKind::Weakref(Some(text)),
            _ => AttributeKind::ScalarStorageOrder(text),
        })
    }

    fn attribute_with_name(&mut self, symbol: Symbol, name: &str) -> Parse<AttributeKind> {
        self.advance();
        let token = self.advance();
        self.expect(T::RParen, "after the argument of the attribute")?;
        if token.kind != T::Ident {
            return Ok(AttributeKind::Unknown(symbol));
        }
        Ok(match name {
            "mode" => AttributeKind::Mode(self.plain_name(token.symbol())),
            _ => AttributeKind::Cleanup(Ident {
                name: token.symbol(),
                span: token.span,
            }),
        })
    }

    /// Skips the arguments of an attribute whose name says all there is to know.
    fn skip_parenthesis(&mut self) -> Parse<()> {
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                T::LParen => depth += 1,
                T::RParen => depth -= 1,
                T::End => return Err(self.expected("`)` after the arguments of the attribute")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_sorted() {
        assert!(super::IGNORED.is_sorted());
    }
}
