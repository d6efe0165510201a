//! Whether two objects are equal, member by member.

use program::cfa::{FunctionId, LocationId, Operation, VarId, VarKind, Variable};
use program::expr::{BinaryOp, Expr, ExprId};
use program::layout::{AlignedAs, align_of};
use program::source::Span;
use program::types::{ArrayLength, FloatKind, IntRank, QualType, Type, TypeId};

use super::writer::Writer;
use crate::editor::Editor;

/// Elements of an array that are compared one by one; of longer ones any element is.
const FEW: u64 = 4;

/// Whether two scalars are equal: floats are if both are no number, or if they are equal and have the same sign.
pub(super) fn equal(editor: &mut Editor, a: ExprId, b: ExprId) -> ExprId {
    let ty = editor.type_of(a);
    if !matches!(editor.parts.types.get(ty), Type::Float(_)) {
        return editor.equal(a, b);
    }
    let int = editor.int();
    let mut both = |op: BinaryOp, a: ExprId, b: ExprId| editor.expr(Expr::Binary(op, a, b), int);
    let (odd, other) = (both(BinaryOp::NotEqual, a, a), both(BinaryOp::NotEqual, b, b));
    let none = both(BinaryOp::LogicalAnd, odd, other);
    let same = both(BinaryOp::Equal, a, b);
    let zero = editor.expr(Expr::Float(0), ty);
    let one = {
        let int_one = editor.number(int, 1);
        editor.expr(Expr::Cast(int_one), ty)
    };
    // Zeros are told apart by what one divided by them is.
    let (inverse, inverse_of_other) =
        (editor.expr(Expr::Binary(BinaryOp::Divide, one, a), ty), editor.expr(Expr::Binary(BinaryOp::Divide, one, b), ty));
    let mut both = |op: BinaryOp, a: ExprId, b: ExprId| editor.expr(Expr::Binary(op, a, b), int);
    let signs = both(BinaryOp::Equal, inverse, inverse_of_other);
    let is_not_zero = both(BinaryOp::NotEqual, a, zero);
    let signs = both(BinaryOp::LogicalOr, is_not_zero, signs);
    let same = both(BinaryOp::LogicalAnd, same, signs);
    both(BinaryOp::LogicalOr, none, same)
}

/// Whether a type has one value.
pub(super) fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_) | Type::Enum(_))
}

/// A local that is added to a function.
pub(super) fn local(editor: &mut Editor, function: FunctionId, name: &str, ty: TypeId) -> VarId {
    let align = align_of(&editor.parts.types, editor.parts.machine, ty, AlignedAs::Object).max(1);
    let name: Box<str> = format!("__residue_{name}_{}", editor.parts.variables.len()).into();
    editor.parts.variables.push(Variable {
        name,
        ordinal: 0,
        kind: VarKind::Local,
        function: Some(function),
        ty: QualType::plain(ty),
        initializer: None,
        address_taken: false,
        thread_local: false,
        align,
        identity: Box::default(),
        span: Span::default(),
    });
    VarId::new(editor.parts.variables.len() - 1)
}

/// When two floats are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Floats {
    /// For people, and for programs that look at no bits of floats: both are no number, or they are equal and have the same sign.
    Alike,
    /// For a program that goes on with one of them and may look at its bits: all bits are the same.
    Exactly,
}

/// A type whose values cannot be compared.
#[derive(Debug)]
pub(super) struct Incomparable;

/// Goes on where two places of one type hold the same, and to `differs` where not. Bytes between members are not looked at.
pub(super) fn compare(
    writer: &mut Writer<'_>,
    function: FunctionId,
    (a, b): (ExprId, ExprId),
    (floats, differs): (Floats, LocationId),
) -> Result<(), Incomparable> {
    let ty = writer.editor.type_of(a);
    match writer.editor.parts.types.get(ty).clone() {
        Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Pointer(_) | Type::Enum(_) => {
            let (a, b) = match floats {
                Floats::Exactly if is_float(writer.editor, ty) => (bits(writer.editor, a)?, bits(writer.editor, b)?),
                Floats::Exactly | Floats::Alike => (a, b),
            };
            let ty = writer.editor.type_of(a);
            let (x, y) = (writer.editor.expr(Expr::Load(a), ty), writer.editor.expr(Expr::Load(b), ty));
            let same = equal(writer.editor, x, y);
            let no = writer.require(same);
            let behind = std::mem::replace(&mut writer.here, no);
            writer.lead(differs);
            writer.here = behind;
            Ok(())
        }
        Type::Record(id) => {
            let record = writer.editor.parts.types.record(id).clone();
            if record.is_union || !record.complete || record.unsupported.is_some() {
                return Err(Incomparable);
            }
            for (number, field) in record.fields.iter().enumerate() {
                let is_padding = field.name.is_none() && field.bits.is_some();
                let Some(number) = u32::try_from(number).ok().filter(|_| !is_padding) else { continue };
                let (x, y) = (
                    writer.editor.expr(Expr::Field(a, number), field.ty.ty),
                    writer.editor.expr(Expr::Field(b, number), field.ty.ty),
                );
                compare(writer, function, (x, y), (floats, differs))?;
            }
            Ok(())
        }
        Type::Array { element, length: ArrayLength::Constant(length) } => {
            let size = writer.editor.ty(Type::Int { rank: IntRank::Long, signed: false });
            let mut indices: Vec<ExprId> = Vec::new();
            if length <= FEW {
                indices.extend((0..length).map(|index| writer.editor.number(size, u128::from(index))));
            } else {
                indices.push(any_below(writer, function, size, length));
            }
            for index in indices {
                let (x, y) = (
                    writer.editor.expr(Expr::Index(a, index), element.ty),
                    writer.editor.expr(Expr::Index(b, index), element.ty),
                );
                compare(writer, function, (x, y), (floats, differs))?;
            }
            Ok(())
        }
        _ => Err(Incomparable),
    }
}

fn is_float(editor: &Editor, ty: TypeId) -> bool {
    matches!(editor.parts.types.get(ty), Type::Float(_))
}

/// The place of a float as one of an integer with the same bits.
fn bits(editor: &mut Editor, place: ExprId) -> Result<ExprId, Incomparable> {
    let float = editor.type_of(place);
    let rank = match editor.parts.types.get(float) {
        Type::Float(FloatKind::Float) => IntRank::Int,
        Type::Float(FloatKind::Double) => IntRank::LongLong,
        _ => return Err(Incomparable),
    };
    let number = editor.ty(Type::Int { rank, signed: false });
    let [to_float, to_number] = [float, number].map(|ty| editor.ty(Type::Pointer(QualType::plain(ty))));
    let address = editor.expr(Expr::AddressOf(place), to_float);
    let pointer = editor.expr(Expr::Cast(address), to_number);
    Ok(editor.expr(Expr::Dereference { pointer, volatile: false }, number))
}

/// Any number below another one.
fn any_below(writer: &mut Writer<'_>, function: FunctionId, size: TypeId, length: u64) -> ExprId {
    let variable = local(writer.editor, function, "index", size);
    writer.then(Operation::Declare { variable });
    let (index, limit) = (writer.editor.load(variable), writer.editor.number(size, u128::from(length)));
    let int = writer.editor.int();
    let below = writer.editor.expr(Expr::Binary(BinaryOp::Less, index, limit), int);
    _ = writer.require(below);
    index
}
