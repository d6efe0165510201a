//! What the evaluation of a value needs to go right: a divisor that is not zero, an amount or index that is in range.
//!
//! Most operations need nothing, and those by a suitable constant do not either. What is left is a list of conditions on operands,
//! so that questions about assertions can say "it can be evaluated" beside "it holds". Exact for values of variables, their members
//! and elements; of all others (behind pointers, volatile, floats that become integers) nothing is said.

#![expect(clippy::wildcard_enum_match_arm, reason = "a few forms of many are constants, parts of variables, or integers")]

use program::cfa::{Cfa, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::{ArrayLength, IntRank, QualType, Type, TypeId};
use transform::Editor;

/// A condition under which an operation goes right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A divisor is not zero. With the least value of the dividend, as bits: nor is it -1 where the dividend is that.
    Divides { dividend: ExprId, divisor: ExprId, least: Option<u128> },
    /// A number is at least 0 and below a limit.
    Below { number: ExprId, limit: u64 },
    /// Needs of an operand that is evaluated only where a condition has a truth.
    Where { condition: ExprId, truth: bool, needs: Vec<Need> },
}

/// What the evaluation of a number needs; `None` if it depends on more than variables, or nobody can say.
pub(crate) fn needs(cfa: &Cfa, value: ExprId) -> Option<Vec<Need>> {
    stacker::maybe_grow(64 << 10, 1 << 20, || {
        let ty = cfa.exprs.ty(value);
        if !is_number(cfa.types.get(ty)) {
            return None;
        }
        match *cfa.exprs.get(value) {
            Expr::Int(_) | Expr::Float(_) => Some(Vec::new()),
            Expr::Unary(_, operand) => needs(cfa, operand),
            // A float that an integer cannot represent has no value there.
            Expr::Cast(from) => (!is_float(cfa, cfa.exprs.ty(from)) || is_float(cfa, ty)).then(|| needs(cfa, from))?,
            Expr::Load(place) => needs_of_place(cfa, place),
            Expr::Binary(op, left, right) => needs_of_operation(cfa, (op, left, right), ty),
            Expr::Conditional(condition, yes, no) => {
                let mut found = needs(cfa, condition)?;
                found.extend(under(condition, true, needs(cfa, yes)?));
                found.extend(under(condition, false, needs(cfa, no)?));
                Some(found)
            }
            Expr::Zero
            | Expr::AddressOf(_)
            | Expr::FunctionAddress(_)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::Field(..)
            | Expr::Index(..) => None,
        }
    })
}

fn needs_of_operation(cfa: &Cfa, (op, left, right): (BinaryOp, ExprId, ExprId), ty: TypeId) -> Option<Vec<Need>> {
    let (mut found, mut others) = (needs(cfa, left)?, needs(cfa, right)?);
    match op {
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
            others = under(left, op == BinaryOp::LogicalAnd, others).into_iter().collect();
        }
        BinaryOp::Divide | BinaryOp::Remainder if !is_float(cfa, ty) => {
            let (bits, signed) = integer(cfa, ty)?;
            let ones = u128::MAX >> (128 - bits);
            let known = constant(cfa, right);
            if known.is_none_or(|by| by == 0 || (signed && by == ones)) {
                let least = signed.then_some(1 << (bits - 1));
                others.push(Need::Divides { dividend: left, divisor: right, least });
            }
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => others.extend(below(cfa, right, u64::from(integer(cfa, ty)?.0))?),
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::Divide
        | BinaryOp::Remainder
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual => {}
    }
    found.append(&mut others);
    Some(found)
}

/// What reading a part of a variable needs.
fn needs_of_place(cfa: &Cfa, mut place: ExprId) -> Option<Vec<Need>> {
    let mut found = Vec::new();
    loop {
        match *cfa.exprs.get(place) {
            Expr::Variable(variable) => return is_still(cfa.variable(variable).ty).then_some(found),
            Expr::Field(record, number) => {
                let Type::Record(id) = *cfa.types.get(cfa.exprs.ty(record)) else { return None };
                let field = cfa.types.record(id).fields.get(number as usize)?;
                is_still(field.ty).then_some(())?;
                place = record;
            }
            Expr::Index(array, index) => {
                let Type::Array { element, length: ArrayLength::Constant(length) } = *cfa.types.get(cfa.exprs.ty(array)) else {
                    return None;
                };
                is_still(element).then_some(())?;
                found.extend(needs(cfa, index)?);
                found.extend(below(cfa, index, length)?);
                place = array;
            }
            _ => return None,
        }
    }
}

/// Whether nobody but the program changes an object.
fn is_still(ty: QualType) -> bool {
    !ty.qualifiers.is_volatile && !ty.qualifiers.is_atomic
}

/// That a number is in range, if that needs to be said; `None` if it is too wide to say so.
fn below(cfa: &Cfa, number: ExprId, limit: u64) -> Option<Option<Need>> {
    let (bits, signed) = integer(cfa, cfa.exprs.ty(number))?;
    let is_fine = |value: u128| value < u128::from(limit) && (!signed || value >> (bits - 1) == 0);
    match constant(cfa, number) {
        Some(value) if is_fine(value) => Some(None),
        _ => (bits <= 64).then_some(Some(Need::Below { number, limit })),
    }
}

#[expect(clippy::fn_params_excessive_bools, reason = "the truth of a condition")]
fn under(condition: ExprId, truth: bool, needs: Vec<Need>) -> Option<Need> {
    (!needs.is_empty()).then_some(Need::Where { condition, truth, needs })
}

/// An integer constant, as bits of its type.
fn constant(cfa: &Cfa, value: ExprId) -> Option<u128> {
    match *cfa.exprs.get(value) {
        Expr::Int(bits) => Some(bits),
        Expr::Cast(from) => {
            let ((to, _), (bits, signed)) = (integer(cfa, cfa.exprs.ty(value))?, integer(cfa, cfa.exprs.ty(from))?);
            let known = constant(cfa, from)?;
            let is_negative = signed && known >> (bits - 1) & 1 == 1;
            let extended = if is_negative { known | !(u128::MAX >> (128 - bits)) } else { known };
            Some(extended & (u128::MAX >> (128 - to)))
        }
        _ => None,
    }
}

/// The width of an integer type in bits, and whether it is signed. `_Bool` converts in another way and is none.
fn integer(cfa: &Cfa, ty: TypeId) -> Option<(u32, bool)> {
    match *cfa.types.get(ty) {
        Type::Int { rank, signed } => Some((u32::try_from(8 * cfa.machine.int_size(rank)).ok()?, signed)),
        Type::Enum(id) => integer(cfa, cfa.types.enumeration(id).underlying),
        _ => None,
    }
}

fn is_float(cfa: &Cfa, ty: TypeId) -> bool {
    matches!(cfa.types.get(ty), Type::Float(_))
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_))
}

/// The variables that a value is made of.
pub(crate) fn variables(cfa: &Cfa, value: ExprId) -> Vec<VarId> {
    let (mut found, mut pending) = (Vec::new(), vec![value]);
    while let Some(expr) = pending.pop() {
        found.extend(match *cfa.exprs.get(expr) {
            Expr::Variable(variable) => Some(variable),
            _ => None,
        });
        pending.extend(cfa.exprs.get(expr).operands());
    }
    found
}

/// Whether an object may have the same content in all runs: a state in which it has another refutes nothing.
pub(crate) fn is_fixed(cfa: &Cfa, variable: VarId) -> bool {
    let variable = cfa.variable(variable);
    matches!(variable.kind, VarKind::StringLiteral(_)) || has_const(cfa, variable.ty)
}

/// Whether an object, or a part of it, may not be written.
fn has_const(cfa: &Cfa, ty: QualType) -> bool {
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        match *cfa.types.get(ty.ty) {
            _ if ty.qualifiers.is_const => return true,
            Type::Array { element, .. } => pending.push(element),
            Type::Record(id) => pending.extend(cfa.types.record(id).fields.iter().map(|field| field.ty)),
            _ => {}
        }
    }
    false
}

/// "All of these are met", as an expression of a program that has another name for each value.
pub(crate) fn met(editor: &mut Editor, needs: &[Need], name: &dyn Fn(ExprId) -> ExprId) -> ExprId {
    let int = editor.int();
    let mut all = editor.number(int, 1);
    for need in needs {
        let one = met_one(editor, need, name);
        all = editor.expr(Expr::Binary(BinaryOp::LogicalAnd, all, one), int);
    }
    all
}

fn met_one(editor: &mut Editor, need: &Need, name: &dyn Fn(ExprId) -> ExprId) -> ExprId {
    let int = editor.int();
    match need {
        Need::Divides { dividend, divisor, least } => {
            let (dividend, divisor) = (name(*dividend), name(*divisor));
            let divides = editor.truth(divisor);
            let Some(least) = *least else { return divides };
            let ty = editor.type_of(divisor);
            let (least, ones) = (editor.number(ty, least), editor.number(ty, least | (least - 1)));
            let (is_least, is_minus_one) = (editor.equal(dividend, least), editor.equal(divisor, ones));
            let overflows = editor.expr(Expr::Binary(BinaryOp::LogicalAnd, is_least, is_minus_one), int);
            let fits = editor.expr(Expr::Unary(UnaryOp::Not, overflows), int);
            editor.expr(Expr::Binary(BinaryOp::LogicalAnd, divides, fits), int)
        }
        Need::Below { number, limit } => {
            // A negative number is a large one.
            let wide = editor.ty(Type::Int { rank: IntRank::LongLong, signed: false });
            let number = editor.expr(Expr::Cast(name(*number)), wide);
            let limit = editor.number(wide, u128::from(*limit));
            editor.expr(Expr::Binary(BinaryOp::Less, number, limit), int)
        }
        Need::Where { condition, truth, needs } => {
            let holds = editor.truth(name(*condition));
            let other = if *truth { editor.expr(Expr::Unary(UnaryOp::Not, holds), int) } else { holds };
            let met = met(editor, needs, name);
            editor.expr(Expr::Binary(BinaryOp::LogicalOr, other, met), int)
        }
    }
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use program::cfa::Operation;
    use program::source::SourceFile;

    use super::*;

    /// How many needs the one condition of a program has; `None` if nothing is known of it.
    fn number(condition: &str) -> Option<usize> {
        let text = format!(
            "int x, y; unsigned u; signed char c; double d; int *p; volatile int v; int t[4]; struct {{ int a[3]; volatile int b; }} s;\n\
             int main(void) {{ if ({condition}) return 1; return 0; }}"
        );
        let cfa = program::load_source(SourceFile::new("a.c", text), &ProgramOptions::default()).unwrap();
        let found = cfa.edge_ids().find_map(|edge| match cfa.edge(edge).operation {
            Operation::Assume { condition, truth: true } => Some(condition),
            _ => None,
        });
        needs(&cfa, found.unwrap()).map(|needs| needs.len())
    }

    #[test]
    fn what_goes_right_with_all_values_needs_nothing() {
        for fine in [
            "x % 10 == 0", "x / -2", "u / 4294967295u", "x >> 31", "u << 0", "t[3]", "s.a[2] > t[0]", "d / y > 1", "c / 'a'",
            "t[(signed char)2]",
        ] {
            assert_eq!(number(fine), Some(0), "{fine}");
        }
        for one in ["x / y", "u % u", "x / -1", "x >> y", "1 << 32", "1 << -1", "t[x]", "t[4]", "t[-1]", "s.a[c]"] {
            assert_eq!(number(one), Some(1), "{one}");
        }
        assert_eq!(number("t[x / y] >> t[0]"), Some(3));
        for unknown in ["*p", "p[1]", "s.b", "(int)d"] {
            assert_eq!(number(unknown), None, "{unknown}");
        }
    }
}
