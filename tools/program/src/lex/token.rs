//! Tokens and keywords.
//!
//! Does not know how tokens are written beyond the spelling of keywords and punctuators.

use crate::ast::{Interner, Symbol};
use crate::source::Span;

/// A token; what `value` means depends on the kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: T,
    /// Symbol of an identifier or keyword; index into the table of its kind for literals.
    pub(crate) value: u32,
    /// Where it stands in the source text.
    pub(crate) span: Span,
}

impl Token {
    /// The name of an identifier or keyword.
    pub(crate) fn symbol(self) -> Symbol {
        Symbol::from_index(self.value as usize)
    }
}

/// Defines the kinds of tokens with their spellings, in the order of the keyword symbols.
macro_rules! tokens {
    (punctuators { $($punctuator:ident $text:literal,)* } keywords { $($keyword:ident $($spelling:literal)|+,)* }) => {
        /// Kind of a token. The name is short because the parser is full of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum T {
            /// The end of the text.
            End,
            /// An identifier, typedef name or not.
            Ident,
            /// An integer constant.
            Integer,
            /// A floating constant.
            Float,
            /// A character constant.
            Char,
            /// One piece of a string literal.
            String,
            $(#[doc = concat!("`", $text, "`")] $punctuator,)*
            $(#[doc = concat!("`", $($spelling, "` ",)+)] $keyword,)*
        }

        /// All spellings of keywords; the interner gets them first, in this order.
        const KEYWORDS: &[(&str, T)] = &[$($(($spelling, T::$keyword),)+)*];

        impl T {
            /// How the token is called in messages.
            pub(crate) fn describe(self) -> &'static str {
                match self {
                    T::End => "end of file",
                    T::Ident => "identifier",
                    T::Integer => "integer constant",
                    T::Float => "floating constant",
                    T::Char => "character constant",
                    T::String => "string literal",
                    $(T::$punctuator => concat!("`", $text, "`"),)*
                    $(T::$keyword => concat!("`", tokens!(@first $($spelling)+), "`"),)*
                }
            }

            /// Whether the token is a keyword.
            pub(crate) fn is_keyword(self) -> bool {
                matches!(self, $(T::$keyword)|*)
            }
        }
    };
    (@first $first:literal $($rest:literal)*) => { $first };
}

tokens! {
    punctuators {
        LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}",
        Semicolon ";", Comma ",", Colon ":", Question "?", Dot ".", Ellipsis "...", Arrow "->",
        Plus "+", Minus "-", Star "*", Slash "/", Percent "%", PlusPlus "++", MinusMinus "--",
        Amp "&", Pipe "|", Caret "^", Tilde "~", Bang "!", AmpAmp "&&", PipePipe "||",
        Less "<", Greater ">", LessEq "<=", GreaterEq ">=", EqEq "==", BangEq "!=",
        Shl "<<", Shr ">>", Eq "=", PlusEq "+=", MinusEq "-=", StarEq "*=", SlashEq "/=",
        PercentEq "%=", AmpEq "&=", PipeEq "|=", CaretEq "^=", ShlEq "<<=", ShrEq ">>=",
    }
    keywords {
        KwAuto "auto", KwBreak "break", KwCase "case", KwChar "char",
        KwConst "const" | "__const" | "__const__", KwContinue "continue", KwDefault "default",
        KwDo "do", KwDouble "double", KwElse "else", KwEnum "enum", KwExtern "extern",
        KwFloat "float", KwFor "for", KwGoto "goto", KwIf "if",
        KwInline "inline" | "__inline" | "__inline__", KwInt "int", KwLong "long",
        KwRegister "register", KwRestrict "restrict" | "__restrict" | "__restrict__",
        KwReturn "return", KwShort "short", KwSigned "signed" | "__signed" | "__signed__",
        KwSizeof "sizeof", KwStatic "static", KwStruct "struct", KwSwitch "switch",
        KwTypedef "typedef", KwUnion "union", KwUnsigned "unsigned", KwVoid "void",
        KwVolatile "volatile" | "__volatile" | "__volatile__", KwWhile "while",
        KwAlignas "_Alignas", KwAlignof "_Alignof", KwGnuAlignof "__alignof__" | "__alignof",
        KwAtomic "_Atomic", KwBool "_Bool",
        KwComplex "_Complex" | "__complex" | "__complex__", KwGeneric "_Generic",
        KwNoreturn "_Noreturn", KwStaticAssert "_Static_assert",
        KwThread "_Thread_local" | "__thread", KwAsm "asm" | "__asm" | "__asm__",
        KwTypeof "typeof" | "__typeof" | "__typeof__",
        KwAttribute "__attribute__" | "__attribute", KwExtension "__extension__",
        KwLabel "__label__", KwReal "__real__" | "__real", KwImag "__imag__" | "__imag",
        KwAutoType "__auto_type", KwInt128 "__int128", KwFloat16 "_Float16",
        KwFloat32 "_Float32", KwFloat64 "_Float64", KwFloat128 "_Float128" | "__float128",
        KwFloat32x "_Float32x", KwFloat64x "_Float64x", KwFloat80 "__float80",
        KwDecimal32 "_Decimal32", KwDecimal64 "_Decimal64", KwDecimal128 "_Decimal128",
        KwSegment "__seg_fs" | "__seg_gs",
        KwOffsetof "__builtin_offsetof", KwTypesCompatible "__builtin_types_compatible_p",
        KwChoose "__builtin_choose_expr", KwVaArg "__builtin_va_arg",
        KwConvertVector "__builtin_convertvector", KwPragma "_Pragma",
    }
}

/// Gives all keywords the first symbols of an empty interner.
pub(crate) fn intern_keywords(symbols: &mut Interner) {
    for (spelling, _) in KEYWORDS {
        symbols.intern(spelling);
    }
}

/// The kind of a name: a keyword or an identifier.
pub(crate) fn kind_of_name(symbol: Symbol) -> T {
    KEYWORDS.get(symbol.index()).map_or(T::Ident, |(_, kind)| *kind)
}

/// The longest punctuator at the beginning of `text`, and its length in bytes.
pub(crate) fn punctuator(text: &[u8]) -> Option<(T, u32)> {
    let next = text.get(1).copied().unwrap_or(0);
    let after = text.get(2).copied().unwrap_or(0);
    Some(match (text.first()?, next, after) {
        (b'.', b'.', b'.') => (T::Ellipsis, 3),
        (b'<', b'<', b'=') => (T::ShlEq, 3),
        (b'>', b'>', b'=') => (T::ShrEq, 3),
        (b'-', b'>', _) => (T::Arrow, 2),
        (b'+', b'+', _) => (T::PlusPlus, 2),
        (b'-', b'-', _) => (T::MinusMinus, 2),
        (b'&', b'&', _) => (T::AmpAmp, 2),
        (b'|', b'|', _) => (T::PipePipe, 2),
        (b'<', b'=', _) => (T::LessEq, 2),
        (b'>', b'=', _) => (T::GreaterEq, 2),
        (b'=', b'=', _) => (T::EqEq, 2),
        (b'!', b'=', _) => (T::BangEq, 2),
        (b'<', b'<', _) => (T::Shl, 2),
        (b'>', b'>', _) => (T::Shr, 2),
        (b'+', b'=', _) => (T::PlusEq, 2),
        (b'-', b'=', _) => (T::MinusEq, 2),
        (b'*', b'=', _) => (T::StarEq, 2),
        (b'/', b'=', _) => (T::SlashEq, 2),
        (b'%', b'=', _) => (T::PercentEq, 2),
        (b'&', b'=', _) => (T::AmpEq, 2),
        (b'|', b'=', _) => (T::PipeEq, 2),
        (b'^', b'=', _) => (T::CaretEq, 2),
        (b'<', b':', _) => (T::LBracket, 2),
        (b':', b'>', _) => (T::RBracket, 2),
        (b'<', b'%', _) => (T::LBrace, 2),
        (b'%', b'>', _) => (T::RBrace, 2),
        (first, _, _) => (single(*first)?, 1),
    })
}

/// The punctuator of one character.
fn single(byte: u8) -> Option<T> {
    Some(match byte {
        b'(' => T::LParen,
        b')' => T::RParen,
        b'[' => T::LBracket,
        b']' => T::RBracket,
        b'{' => T::LBrace,
        b'}' => T::RBrace,
        b';' => T::Semicolon,
        b',' => T::Comma,
        b':' => T::Colon,
        b'?' => T::Question,
        b'.' => T::Dot,
        b'+' => T::Plus,
        b'-' => T::Minus,
        b'*' => T::Star,
        b'/' => T::Slash,
        b'%' => T::Percent,
        b'&' => T::Amp,
        b'|' => T::Pipe,
        b'^' => T::Caret,
        b'~' => T::Tilde,
        b'!' => T::Bang,
        b'<' => T::Less,
        b'>' => T::Greater,
        b'=' => T::Eq,
        _ => return None,
    })
}
