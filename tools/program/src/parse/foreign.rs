//! Whether a text that is no C is C++, by what stands where it stops being C.
//!
//! Looked at only behind a mistake, so that a C program may call its variables `class` and `new`.

use super::{Parser, SyntaxError};
use crate::lex::T;
use crate::source::Span;

/// Words with which statements and members of C++ begin, where C would have the name of a type.
const WORDS: &[&str] = &[
    "class", "constexpr", "delete", "explicit", "friend", "mutable", "namespace", "private", "protected", "public", "template",
    "typename", "using", "virtual",
];

/// Words before the angle bracket of C++.
const BEFORE_ANGLES: &[&str] = &["const_cast", "dynamic_cast", "reinterpret_cast", "static_cast", "template"];

/// Behind these no C has `&`.
const TYPES: &[T] = &[T::KwChar, T::KwShort, T::KwInt, T::KwLong, T::KwSigned, T::KwUnsigned, T::KwFloat, T::KwDouble];

impl Parser<'_> {
    /// What is said of a text instead of its mistakes, if one of them is that it is C++.
    pub(super) fn foreign(&self) -> Option<SyntaxError> {
        let span = self.faults.iter().find_map(|fault| self.is_cplusplus(fault))?;
        Some(SyntaxError {
            span,
            message: "the program is C++, which is not read".to_owned(),
            label: "no C has this".to_owned(),
            help: "give a program in C; the name of the file does not count".to_owned(),
            unknown: None,
        })
    }

    /// The place that only C++ has, at a mistake.
    fn is_cplusplus(&self, fault: &SyntaxError) -> Option<Span> {
        if fault.unknown.is_some_and(|name| WORDS.contains(&self.name(name))) {
            return Some(fault.span);
        }
        let at = self.tokens.list.partition_point(|token| token.span.lo < fault.span.lo);
        let kind = |place: Option<usize>| Some(self.tokens.list.get(place?)?.kind);
        let precedes = |place: Option<usize>, words: &[&str]| {
            let token = place.and_then(|place| self.tokens.list.get(place));
            token.is_some_and(|token| token.kind == T::Ident && words.contains(&self.name(token.symbol())))
        };
        let (this, before, earlier) = (Some(at), at.checked_sub(1), at.checked_sub(2));
        let angle = |place: Option<usize>, word| kind(place) == Some(T::Less) && precedes(word, BEFORE_ANGLES);
        let scope = |first: Option<usize>| {
            let pair = first.and_then(|first| self.tokens.list.get(first..first + 2));
            pair.is_some_and(|pair| pair.iter().all(|one| one.kind == T::Colon) && pair[0].span.hi == pair[1].span.lo)
        };
        let linkage = kind(before) == Some(T::KwExtern) && kind(this) == Some(T::String);
        let reference = kind(before).is_some_and(|kind| TYPES.contains(&kind)) && kind(this) == Some(T::Amp);
        let is_it = linkage
            || reference
            || precedes(before, &["new"])
            || angle(this, before)
            || angle(before, earlier)
            || scope(this)
            || scope(before);
        is_it.then_some(fault.span)
    }
}
