//! Declaration specifiers: storage, qualifiers, and the words that make a type together.

use super::names::NameKind;
use super::{Parse, Parser};
use crate::ast::{Alignas, Attribute, AttributeKind, BaseType, FloatKind, IntKind, Qualifiers, Specifiers, Storage};
use crate::lex::{T, Token};
use crate::treatment::{self, specifiers};

/// The type words seen so far, as a set; `long` counts twice.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Words(u16);

impl Words {
    const VOID: Self = Self(1);
    const CHAR: Self = Self(1 << 1);
    const SHORT: Self = Self(1 << 2);
    const INT: Self = Self(1 << 3);
    const LONG: Self = Self(1 << 4);
    const LONG_LONG: Self = Self(1 << 5);
    const FLOAT: Self = Self(1 << 6);
    const DOUBLE: Self = Self(1 << 7);
    const SIGNED: Self = Self(1 << 8);
    const UNSIGNED: Self = Self(1 << 9);
    const BOOL: Self = Self(1 << 10);
    const COMPLEX: Self = Self(1 << 11);
    const INT128: Self = Self(1 << 12);

    fn of(kind: T) -> Option<Self> {
        Some(match kind {
            T::KwVoid => Self::VOID,
            T::KwChar => Self::CHAR,
            T::KwShort => Self::SHORT,
            T::KwInt => Self::INT,
            T::KwLong => Self::LONG,
            T::KwFloat => Self::FLOAT,
            T::KwDouble => Self::DOUBLE,
            T::KwSigned => Self::SIGNED,
            T::KwUnsigned => Self::UNSIGNED,
            T::KwBool => Self::BOOL,
            T::KwComplex => Self::COMPLEX,
            T::KwInt128 => Self::INT128,
            _ => return None,
        })
    }

    fn has(self, word: Self) -> bool {
        self.0 & word.0 != 0
    }

    fn without(self, word: Self) -> Self {
        Self(self.0 & !word.0)
    }

    /// Adds a word; false if it is there already.
    fn insert(&mut self, word: Self) -> bool {
        if word == Self::LONG && self.has(Self::LONG) {
            return self.insert(Self::LONG_LONG);
        }
        let fresh = !self.has(word);
        self.0 |= word.0;
        fresh
    }

    /// The type that the words name together; `None` if they contradict each other.
    fn resolve(self) -> Option<BaseType> {
        let rest = self.without(Self::COMPLEX);
        let base = match rest.float() {
            Some(kind) => BaseType::Float(kind),
            None if rest == Self::VOID => BaseType::Void,
            None if rest == Self::BOOL => BaseType::Bool,
            None if rest == Self::default() && self.has(Self::COMPLEX) => BaseType::Float(FloatKind::Double),
            None if rest == Self::default() => BaseType::Implicit,
            None => BaseType::Int(rest.integer()?),
        };
        match base {
            _ if !self.has(Self::COMPLEX) => Some(base),
            BaseType::Float(kind) => Some(BaseType::Complex(kind)),
            BaseType::Int(kind) => Some(BaseType::ComplexInt(kind)),
            _ => None,
        }
    }

    fn float(self) -> Option<FloatKind> {
        const LONG_DOUBLE: Words = Words(Words::LONG.0 | Words::DOUBLE.0);
        match self {
            Self::FLOAT => Some(FloatKind::Float),
            Self::DOUBLE => Some(FloatKind::Double),
            LONG_DOUBLE => Some(FloatKind::LongDouble),
            _ => None,
        }
    }

    fn integer(self) -> Option<IntKind> {
        let signed = self.has(Self::SIGNED);
        let unsigned = self.has(Self::UNSIGNED);
        if signed && unsigned {
            return None;
        }
        let choose = |plain, other| if unsigned { other } else { plain };
        let size = self.without(Self::SIGNED).without(Self::UNSIGNED);
        Some(match size {
            Self::CHAR if signed => IntKind::SignedChar,
            Self::CHAR => choose(IntKind::Char, IntKind::UnsignedChar),
            Self::INT128 => choose(IntKind::Int128, IntKind::UnsignedInt128),
            _ => match size.without(Self::INT) {
                Self(0) => choose(IntKind::Int, IntKind::UnsignedInt),
                Self::SHORT => choose(IntKind::Short, IntKind::UnsignedShort),
                Self::LONG => choose(IntKind::Long, IntKind::UnsignedLong),
                both if both == Self(Self::LONG.0 | Self::LONG_LONG.0) => choose(IntKind::LongLong, IntKind::UnsignedLongLong),
                _ => return None,
            },
        })
    }
}

/// Specifiers in the making.
#[derive(Default)]
struct Builder {
    storage: Option<Storage>,
    thread_local: bool,
    inline: bool,
    noreturn: bool,
    qualifiers: Qualifiers,
    words: Words,
    /// A type that is not made of words.
    other: Option<BaseType>,
    /// `_Float32` and the like, which only `_Complex` may accompany.
    float: Option<FloatKind>,
    alignas: Vec<Alignas>,
    attributes: Vec<Attribute>,
}

impl Builder {
    fn has_type(&self) -> bool {
        self.other.is_some() || self.float.is_some() || self.words != Words::default()
    }

    fn base(&self) -> Option<BaseType> {
        match (self.other, self.float) {
            (Some(other), None) if self.words == Words::default() => Some(other),
            (None, Some(float)) if self.words == Words::default() => Some(BaseType::Float(float)),
            (None, Some(float)) if self.words == Words::COMPLEX => Some(BaseType::Complex(float)),
            (None, None) => self.words.resolve(),
            _ => None,
        }
    }
}

impl Parser<'_> {
    /// Whether the token at this distance begins declaration specifiers.
    pub(super) fn starts_type(&self, distance: usize) -> bool {
        match self.peek_at(distance) {
            T::Ident => self.is_typedef_at(distance),
            T::LBracket => self.at_attributes(distance),
            kind => is_specifier(kind),
        }
    }

    /// All specifiers that stand here, perhaps none.
    pub(super) fn specifiers(&mut self) -> Parse<Specifiers> {
        let lo = self.lo();
        let mut builder = Builder::default();
        while self.specifier(&mut builder)? {}
        let span = self.since(lo);
        let Some(base) = builder.base() else {
            let message = "these type specifiers name no type together";
            return Err(self.wrong(span, message, "write the specifiers of one type"));
        };
        Ok(Specifiers {
            storage: builder.storage,
            thread_local: builder.thread_local,
            inline: builder.inline,
            noreturn: builder.noreturn,
            qualifiers: builder.qualifiers,
            base,
            alignas: builder.alignas.into(),
            attributes: builder.attributes.into(),
            span,
        })
    }

    /// Specifiers where a type must stand.
    pub(super) fn type_specifiers(&mut self, context: &str) -> Parse<Specifiers> {
        if !self.starts_type(0) {
            if self.peek() == T::Ident {
                let token = self.token();
                let name = crate::ast::Ident { name: token.symbol(), span: token.span };
                return Err(self.unknown_type(name));
            }
            return Err(self.expected(&format!("a type {context}")));
        }
        self.specifiers()
    }

    /// Takes one specifier; false if there is none.
    fn specifier(&mut self, builder: &mut Builder) -> Parse<bool> {
        let token = self.token();
        if is_specifier(token.kind) {
            self.admit(token);
        }
        if let Some(word) = Words::of(token.kind) {
            self.advance();
            if builder.other.is_some() {
                return Err(self.second_type(token.span));
            }
            if !builder.words.insert(word) {
                let message = format!("duplicate {}", token.kind.describe());
                return Err(self.wrong(token.span, message, "remove one of them"));
            }
            return Ok(true);
        }
        if let Some(kind) = float_word(token.kind) {
            self.advance();
            if builder.has_type() && builder.words != Words::COMPLEX {
                return Err(self.second_type(token.span));
            }
            builder.float = Some(kind);
            return Ok(true);
        }
        match token.kind {
            T::Ident => return self.typedef_name(builder),
            T::KwTypedef => self.storage(builder, Storage::Typedef)?,
            T::KwExtern => self.storage(builder, Storage::Extern)?,
            T::KwStatic => self.storage(builder, Storage::Static)?,
            T::KwAuto => self.storage(builder, Storage::Auto)?,
            T::KwRegister => self.storage(builder, Storage::Register)?,
            T::KwThread => {
                self.advance();
                builder.thread_local = true;
            }
            T::KwInline => {
                self.advance();
                builder.inline = true;
            }
            T::KwNoreturn => {
                self.advance();
                builder.noreturn = true;
            }
            _ if self.at_attributes(0) => builder.attributes.extend(self.attributes()?),
            T::KwSegment => builder.attributes.push(self.segment()),
            T::KwAlignas => {
                let alignas = self.alignas()?;
                builder.alignas.push(alignas);
            }
            T::KwAtomic if self.peek_at(1) == T::LParen => self.other_type(builder)?,
            _ if self.qualifier(&mut builder.qualifiers) => {}
            T::KwStruct | T::KwUnion | T::KwEnum | T::KwTypeof | T::KwAutoType => {
                self.other_type(builder)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A typedef name is a specifier only where no type was named before.
    fn typedef_name(&mut self, builder: &mut Builder) -> Parse<bool> {
        let name = self.token().symbol();
        let base = match self.names.kind(name) {
            NameKind::Ordinary => return Ok(false),
            _ if builder.has_type() => return Ok(false),
            NameKind::Typedef => BaseType::Typedef(name),
            NameKind::Predefined(base) => base,
        };
        self.advance();
        builder.other = Some(base);
        Ok(true)
    }

    fn storage(&mut self, builder: &mut Builder, storage: Storage) -> Parse<()> {
        let token = self.advance();
        if builder.storage.is_some() {
            let message = "more than one storage class in a declaration";
            return Err(self.wrong(token.span, message, "keep one storage class"));
        }
        builder.storage = Some(storage);
        Ok(())
    }

    /// Takes a type qualifier; false if there is none.
    pub(super) fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        match self.peek() {
            T::KwConst => qualifiers.is_const = true,
            T::KwVolatile => qualifiers.is_volatile = true,
            T::KwRestrict => qualifiers.is_restrict = true,
            T::KwAtomic => qualifiers.is_atomic = true,
            _ => return false,
        }
        self.advance();
        true
    }

    /// Looks a specifier up: one that no table knows is unsupported.
    fn admit(&mut self, token: Token) {
        let known = treatment::find(specifiers::ROWS, token.kind.describe().trim_matches('`'));
        if known.is_none() && token.kind != T::KwAttribute {
            let kind = AttributeKind::Unknown(token.symbol());
            self.ast.attributes.push(Attribute { kind, span: token.span });
        }
    }

    /// `__seg_fs` and `__seg_gs` are kept as an attribute of their name.
    pub(super) fn segment(&mut self) -> Attribute {
        let token = self.advance();
        let attribute = Attribute { kind: AttributeKind::Unknown(token.symbol()), span: token.span };
        self.ast.attributes.push(attribute.clone());
        attribute
    }

    /// A type specifier that no other one may accompany.
    fn other_type(&mut self, builder: &mut Builder) -> Parse<()> {
        let lo = self.lo();
        let base = match self.peek() {
            T::KwStruct | T::KwUnion => self.nested(Self::record).map(BaseType::Record)?,
            T::KwEnum => BaseType::Enum(self.enumeration()?),
            T::KwTypeof => self.nested(Self::typeof_specifier)?,
            T::KwAutoType => {
                self.advance();
                BaseType::Auto
            }
            _ => {
                self.advance();
                self.expect(T::LParen, "after `_Atomic`")?;
                let ty = self.nested(Self::type_name)?;
                self.expect(T::RParen, "after the type")?;
                BaseType::Atomic(ty)
            }
        };
        if builder.has_type() {
            return Err(self.second_type(self.since(lo)));
        }
        builder.other = Some(base);
        Ok(())
    }

    fn second_type(&self, span: crate::source::Span) -> Box<super::SyntaxError> {
        let message = "two types in one declaration";
        self.wrong(span, message, "is a `;` missing before this place? keep one type")
    }

    fn typeof_specifier(&mut self) -> Parse<BaseType> {
        self.advance();
        self.expect(T::LParen, "after `typeof`")?;
        let base =
            if self.starts_type(0) { BaseType::TypeofType(self.type_name()?) } else { BaseType::TypeofExpr(self.expression()?) };
        self.expect(T::RParen, "after the operand of `typeof`")?;
        Ok(base)
    }

    fn alignas(&mut self) -> Parse<Alignas> {
        self.advance();
        self.expect(T::LParen, "after `_Alignas`")?;
        let alignas =
            if self.starts_type(0) { Alignas::Type(self.nested(Self::type_name)?) } else { Alignas::Expr(self.conditional()?) };
        self.expect(T::RParen, "after the alignment")?;
        Ok(alignas)
    }
}

/// The type of `_Float32` and its like.
fn float_word(kind: T) -> Option<FloatKind> {
    Some(match kind {
        T::KwFloat16 => FloatKind::Float16,
        T::KwFloat32 => FloatKind::Float32,
        T::KwFloat64 => FloatKind::Float64,
        T::KwFloat128 => FloatKind::Float128,
        T::KwFloat32x => FloatKind::Float32x,
        T::KwFloat64x => FloatKind::Float64x,
        T::KwFloat80 => FloatKind::Float80,
        T::KwDecimal32 => FloatKind::Decimal32,
        T::KwDecimal64 => FloatKind::Decimal64,
        T::KwDecimal128 => FloatKind::Decimal128,
        _ => return None,
    })
}

/// Whether a keyword is a declaration specifier.
fn is_specifier(kind: T) -> bool {
    Words::of(kind).is_some()
        || float_word(kind).is_some()
        || matches!(
            kind,
            T::KwTypedef
                | T::KwExtern
                | T::KwStatic
                | T::KwAuto
                | T::KwRegister
                | T::KwThread
                | T::KwInline
                | T::KwNoreturn
                | T::KwAttribute
                | T::KwSegment
                | T::KwAlignas
                | T::KwAtomic
                | T::KwConst
                | T::KwVolatile
                | T::KwRestrict
                | T::KwStruct
                | T::KwUnion
                | T::KwEnum
                | T::KwTypeof
                | T::KwAutoType
        )
}
