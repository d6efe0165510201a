//! Declarations, specifiers, declarators, attributes and initialisers.

use super::{
    DeclId, DeclarationId, EnumId, ExprId, Ident, InitializerId, ParameterId, RecordId, StaticAssertId, StmtId, StringId, Symbol,
    TypeNameId,
};
use crate::source::Span;

/// `specifiers a = 1, *b;`
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Storage, qualifiers, type and attributes common to all declarators.
    pub specifiers: Specifiers,
    /// What is declared, in order; empty if only a tag is.
    pub declarators: Box<[DeclId]>,
    /// With its semicolon.
    pub span: Span,
}

/// One declarator of a declaration with what follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct InitDeclarator {
    /// The declaration in whose list it stands.
    pub declaration: DeclarationId,
    /// The declarator; it has a name.
    pub declarator: Declarator,
    /// `asm("name")` after the declarator: assembler name, or register of a register variable.
    pub asm_label: Option<StringId>,
    /// Attributes that concern this declarator only.
    pub attributes: Box<[Attribute]>,
    /// The initialiser.
    pub initializer: Option<InitializerId>,
    /// Declarator, attributes and initialiser, without comma or semicolon.
    pub span: Span,
}

/// A function definition, at file level or nested.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Storage, qualifiers, return type and attributes.
    pub specifiers: Specifiers,
    /// The declarator: the first entry of `derived` is a function.
    pub declarator: Declarator,
    /// Parameter declarations of a K&R definition.
    pub old_style: Box<[DeclarationId]>,
    /// A compound statement.
    pub body: StmtId,
    /// From the specifiers to the closing brace.
    pub span: Span,
}

/// Declaration specifiers, in whatever order they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct Specifiers {
    /// `typedef`, `extern`, `static`, `auto`, `register`.
    pub storage: Option<Storage>,
    /// `_Thread_local` or `__thread`.
    pub thread_local: bool,
    /// `inline`
    pub inline: bool,
    /// `_Noreturn`
    pub noreturn: bool,
    /// Qualifiers of the base type.
    pub qualifiers: Qualifiers,
    /// The base type.
    pub base: BaseType,
    /// `_Alignas`, in order.
    pub alignas: Box<[Alignas]>,
    /// Attributes among the specifiers.
    pub attributes: Box<[Attribute]>,
    /// From the first to the last specifier; empty where none is written.
    pub span: Span,
}

/// Storage-class specifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// Type qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic` without parentheses.
    pub is_atomic: bool,
}

/// The type that the type specifiers name together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseType {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer type.
    Int(IntKind),
    /// A real floating type.
    Float(FloatKind),
    /// `_Complex` with a floating type.
    Complex(FloatKind),
    /// `_Complex` with an integer type (GNU).
    ComplexInt(IntKind),
    /// `__builtin_va_list`
    VaList,
    /// A typedef name.
    Typedef(Symbol),
    /// `struct` or `union`
    Record(RecordId),
    /// `enum`
    Enum(EnumId),
    /// `typeof(e)`
    TypeofExpr(ExprId),
    /// `typeof(T)`
    TypeofType(TypeNameId),
    /// `_Atomic(T)`
    Atomic(TypeNameId),
    /// `__auto_type`
    Auto,
    /// No type specifier at all: `int` by the old rule.
    Implicit,
}

/// Integer types that specifiers can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntKind {
    /// `char`
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Int,
    /// `unsigned`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
}

/// Floating types that specifiers can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatKind {
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// `_Float16`
    Float16,
    /// `_Float32`
    Float32,
    /// `_Float64`
    Float64,
    /// `_Float128` or `__float128`
    Float128,
    /// `_Float32x`
    Float32x,
    /// `_Float64x`
    Float64x,
    /// `__float80`
    Float80,
    /// `_Decimal32`
    Decimal32,
    /// `_Decimal64`
    Decimal64,
    /// `_Decimal128`
    Decimal128,
}

/// `_Alignas(…)`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignas {
    /// `_Alignas(T)`
    Type(TypeNameId),
    /// `_Alignas(e)`
    Expr(ExprId),
}

/// A declarator, with or without a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// The declared name; `None` in abstract declarators.
    pub name: Option<Ident>,
    /// How the declared type is derived from the base type, read from the name outwards:
    /// `*(*f[3])(void)` is array of pointer to function returning pointer.
    pub derived: Box<[Derived]>,
    /// Attributes at the beginning of (nested) declarators.
    pub attributes: Box<[Attribute]>,
    /// From the first to the last token; empty (a place) where nothing is written.
    pub span: Span,
}

/// One step of a derived type.
#[derive(Clone, Debug, PartialEq)]
pub enum Derived {
    /// `*` with its qualifiers and attributes.
    Pointer {
        /// Qualifiers of the pointer itself.
        qualifiers: Qualifiers,
        /// Attributes after the star.
        attributes: Box<[Attribute]>,
    },
    /// `[…]`
    Array {
        /// Qualifiers inside the brackets (parameters only).
        qualifiers: Qualifiers,
        /// `static` inside the brackets (parameters only).
        is_static: bool,
        /// The bound.
        size: ArraySize,
    },
    /// `(…)`
    Function(Parameters),
}

/// The bound of an array declarator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArraySize {
    /// `[]`
    Unspecified,
    /// `[*]`
    Star,
    /// `[e]`, constant or not.
    Expr(ExprId),
}

/// A parameter list.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Its form and content.
    pub kind: ParametersKind,
    /// With its parentheses.
    pub span: Span,
}

/// The forms of parameter lists.
#[derive(Clone, Debug, PartialEq)]
pub enum ParametersKind {
    /// A prototype; `(void)` is one without parameters.
    Prototype {
        /// Forward declarations of parameters (GNU: `int n; int a[n]`).
        forward: Box<[ParameterId]>,
        /// The parameters.
        parameters: Box<[ParameterId]>,
        /// Whether `...` ends the list.
        variadic: bool,
    },
    /// `()` or the names of a K&R definition.
    OldStyle(Box<[Ident]>),
}

/// A parameter of a prototype.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its specifiers.
    pub specifiers: Specifiers,
    /// Its declarator, with or without a name.
    pub declarator: Declarator,
    /// Attributes after the declarator.
    pub attributes: Box<[Attribute]>,
    /// The whole parameter.
    pub span: Span,
}

/// A type name, as in a cast.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeName {
    /// Its specifiers.
    pub specifiers: Specifiers,
    /// An abstract declarator.
    pub declarator: Declarator,
    /// The whole type name, without parentheses.
    pub span: Span,
}

/// A `struct` or `union` specifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Structure or union.
    pub kind: RecordKind,
    /// The tag.
    pub tag: Option<Ident>,
    /// The members if the specifier has a body.
    pub members: Option<Box<[Member]>>,
    /// Attributes before the tag and after the closing brace.
    pub attributes: Box<[Attribute]>,
    /// Largest member alignment in bytes by the `#pragma pack` in force at the closing brace.
    pub pack: Option<u32>,
    /// The whole specifier.
    pub span: Span,
}

/// Structure or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// `struct`
    Struct,
    /// `union`
    Union,
}

/// A declaration inside a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// Fields of one base type.
    Fields(FieldDeclaration),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssertId),
}

/// `specifiers a, *b, c : 3;` inside a record.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDeclaration {
    /// Specifiers common to all fields.
    pub specifiers: Specifiers,
    /// The fields; none for an anonymous structure or union, or a mere tag.
    pub fields: Box<[Field]>,
    /// With its semicolon.
    pub span: Span,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its declarator; nameless for an unnamed bit-field.
    pub declarator: Declarator,
    /// Width of a bit-field.
    pub width: Option<ExprId>,
    /// Attributes after the declarator.
    pub attributes: Box<[Attribute]>,
    /// Declarator, width and attributes.
    pub span: Span,
}

/// An `enum` specifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Enum {
    /// The tag.
    pub tag: Option<Ident>,
    /// The enumerators if the specifier has a body.
    pub enumerators: Option<Box<[Enumerator]>>,
    /// Attributes before the tag and after the closing brace.
    pub attributes: Box<[Attribute]>,
    /// The whole specifier.
    pub span: Span,
}

/// An enumerator.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumerator {
    /// Its name.
    pub name: Ident,
    /// Attributes after the name.
    pub attributes: Box<[Attribute]>,
    /// Its value if written.
    pub value: Option<ExprId>,
    /// Name and value.
    pub span: Span,
}

/// `_Static_assert(condition, "message");`
#[derive(Clone, Debug, PartialEq)]
pub struct StaticAssert {
    /// What must hold.
    pub condition: ExprId,
    /// The message.
    pub message: Option<StringId>,
    /// With its semicolon.
    pub span: Span,
}

/// An initialiser.
#[derive(Clone, Debug, PartialEq)]
pub struct Initializer {
    /// What it is.
    pub kind: InitializerKind,
    /// With its braces.
    pub span: Span,
}

/// The forms of initialisers.
#[derive(Clone, Debug, PartialEq)]
pub enum InitializerKind {
    /// An expression.
    Expr(ExprId),
    /// `{ … }`, possibly empty.
    List(Box<[InitializerItem]>),
}

/// An entry of an initialiser list.
#[derive(Clone, Debug, PartialEq)]
pub struct InitializerItem {
    /// `.a[1] =`; the old `a:` is the same as `.a =`. Empty: the next position.
    pub designators: Box<[Designator]>,
    /// The value.
    pub value: InitializerId,
    /// Designators and value.
    pub span: Span,
}

/// A step of a designation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Designator {
    /// `.member`
    Member(Ident),
    /// `[index]`
    Index(ExprId),
    /// `[first ... last]`
    Range(ExprId, ExprId),
}

/// An attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// What it says.
    pub kind: AttributeKind,
    /// Name and arguments.
    pub span: Span,
}

/// The attributes that lowering distinguishes. `__name__` is the same as `name`.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeKind {
    /// `packed`
    Packed,
    /// `aligned(e)`; without argument the largest alignment of the target.
    Aligned(Option<ExprId>),
    /// `mode(name)`: another width for the declared type.
    Mode(Symbol),
    /// `vector_size(e)`
    VectorSize(ExprId),
    /// `transparent_union`
    TransparentUnion,
    /// `scalar_storage_order("…")`
    ScalarStorageOrder(StringId),
    /// `noreturn`
    NoReturn,
    /// `constructor` or `constructor(priority)`
    Constructor(Option<ExprId>),
    /// `destructor` or `destructor(priority)`
    Destructor(Option<ExprId>),
    /// `cleanup(function)`
    Cleanup(Ident),
    /// `alias("function")`
    Alias(StringId),
    /// `ifunc("resolver")`
    Ifunc(StringId),
    /// `weak`
    Weak,
    /// `weakref` or `weakref("function")`
    Weakref(Option<StringId>),
    /// An attribute without influence on meaning, by the table.
    Ignored(Symbol),
    /// An attribute that makes it another program, though one that does the same.
    Identity(Symbol),
    /// Any other attribute: not to be skipped without thought.
    Unknown(Symbol),
}
