//! Conditions on the arguments of a call: comparisons of parameters with numbers and with each other, as C writes them.
//!
//! They are about numbers and not about types: an [`Atom`] compares what the parameter holds, and means the same in every program
//! in which the parameter has this type.
//! Does not know memory behind pointers, floats, or arithmetic.

use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::{IntRank, Type, TypeId};

use crate::editor::Editor;
use crate::focus::{constant, integer};

/// What a parameter is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum With {
    /// A number that its type has; 0 for a pointer.
    Number(i128),
    /// Another parameter of the same type, by its place.
    Parameter(usize),
}

/// A comparison of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Atom {
    /// The place of the parameter.
    pub parameter: usize,
    /// How it compares: a predicate.
    pub relation: BinaryOp,
    /// With what.
    pub with: With,
}

/// Comparisons of which all hold, for one of several reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition(pub Vec<Vec<Atom>>);

impl Atom {
    /// What a branch of a function says of its parameters, if they still hold what they were given; `None` if it is about more
    /// than a comparison of a parameter.
    #[must_use]
    pub fn of_branch(cfa: &Cfa, function: FunctionId, branch: EdgeId) -> Option<Self> {
        let Operation::Assume { condition, truth } = cfa.edge(branch).operation else { return None };
        let (mut condition, mut truth) = (condition, truth);
        loop {
            match *cfa.exprs.get(condition) {
                Expr::Unary(UnaryOp::Not, inner) => (condition, truth) = (inner, !truth),
                Expr::Cast(inner) if is_predicate(cfa, inner) => condition = inner,
                _ => break,
            }
        }
        let parameter = |expr: ExprId| parameter(cfa, function, expr);
        let (relation, left, right) = match *cfa.exprs.get(condition) {
            Expr::Binary(relation, left, right) if swapped(relation).is_some() => (relation, left, right),
            _ => {
                let relation = if truth { BinaryOp::NotEqual } else { BinaryOp::Equal };
                return Some(Self { parameter: parameter(condition)?, relation, with: With::Number(0) });
            }
        };
        let relation = if truth { relation } else { relation.opposite()? };
        let (place, relation, other) = match parameter(left) {
            Some(place) => (place, relation, right),
            None => (parameter(right)?, swapped(relation)?, left),
        };
        let ty = |place: usize| cfa.variable(cfa.function(function).parameters[place]).ty.ty;
        let with = match parameter(other) {
            Some(second) if ty(second) == ty(place) => With::Parameter(second),
            Some(_) => return None,
            None => With::Number(number(cfa, ty(place), relation, other)?),
        };
        Some(Self { parameter: place, relation, with })
    }

    /// Whether it holds for arguments, as far as they are known.
    #[must_use]
    pub fn holds(&self, arguments: &[Option<i128>]) -> Option<bool> {
        let left = (*arguments.get(self.parameter)?)?;
        let right = match self.with {
            With::Number(number) => number,
            With::Parameter(second) => (*arguments.get(second)?)?,
        };
        match self.relation {
            BinaryOp::Equal => Some(left == right),
            BinaryOp::NotEqual => Some(left != right),
            BinaryOp::Less => Some(left < right),
            BinaryOp::LessEqual => Some(left <= right),
            BinaryOp::Greater => Some(left > right),
            BinaryOp::GreaterEqual => Some(left >= right),
            _ => None,
        }
    }

    /// As C, with the names of the parameters; `None` if one has no name.
    #[must_use]
    pub fn text(&self, cfa: &Cfa, function: FunctionId) -> Option<String> {
        let name = |place: usize| {
            let variable = cfa.variable(*cfa.function(function).parameters.get(place)?);
            (!variable.name.is_empty()).then(|| variable.name.to_string())
        };
        let with = match self.with {
            With::Number(number) => number.to_string(),
            With::Parameter(second) => name(second)?,
        };
        Some(format!("{} {} {with}", name(self.parameter)?, self.relation.symbol()))
    }

    /// The comparison of arguments of the types of the parameters, in a program that is written; `None` if it cannot be said.
    fn of_arguments(&self, editor: &mut Editor, (arguments, types): (&[ExprId], &[TypeId])) -> Option<ExprId> {
        let given = |place: usize, editor: &Editor| {
            let argument = *arguments.get(place)?;
            (editor.type_of(argument) == *types.get(place)?).then_some(argument)
        };
        let left = given(self.parameter, editor)?;
        let ty = editor.type_of(left);
        let right = match self.with {
            With::Parameter(second) => given(second, editor).filter(|right| editor.type_of(*right) == ty)?,
            With::Number(number) => {
                let bits = bits(editor, ty)?;
                editor.number(ty, number.cast_unsigned() & (u128::MAX >> (128 - bits)))
            }
        };
        let int = editor.int();
        let [left, right] = [left, right].map(|operand| promoted(editor, operand));
        Some(editor.expr(Expr::Binary(self.relation, left, right), int))
    }
}

impl Condition {
    /// As C, with the names of the parameters.
    #[must_use]
    pub fn text(&self, cfa: &Cfa, function: FunctionId) -> Option<String> {
        let all = |atoms: &Vec<Atom>| {
            let texts: Option<Vec<String>> = atoms.iter().map(|atom| atom.text(cfa, function)).collect();
            texts.map(|texts| texts.join(" && "))
        };
        let any: Option<Vec<String>> = self.0.iter().map(all).collect();
        any.map(|texts| texts.join(" || "))
    }

    /// What it says of arguments in a program that is written; what cannot be said is false, so that less is left out.
    pub(super) fn of_arguments(&self, editor: &mut Editor, arguments: (&[ExprId], &[TypeId])) -> ExprId {
        let int = editor.int();
        let mut any = editor.number(int, 0);
        for atoms in &self.0 {
            let mut all = editor.number(int, 1);
            for atom in atoms {
                let one = atom.of_arguments(editor, arguments).unwrap_or_else(|| editor.number(int, 0));
                all = editor.expr(Expr::Binary(BinaryOp::LogicalAnd, all, one), int);
            }
            any = editor.expr(Expr::Binary(BinaryOp::LogicalOr, any, all), int);
        }
        any
    }
}

/// What is narrower than `int` is compared as one.
fn promoted(editor: &mut Editor, operand: ExprId) -> ExprId {
    let is_narrow = match editor.parts.types.get(editor.type_of(operand)) {
        Type::Bool => true,
        Type::Int { rank, .. } => *rank < IntRank::Int,
        _ => false,
    };
    let int = editor.int();
    if is_narrow { editor.expr(Expr::Cast(operand), int) } else { operand }
}

/// Bits of a type of which numbers are compared.
fn bits(editor: &Editor, ty: TypeId) -> Option<u64> {
    let parts = &editor.parts;
    let bytes = program::layout::size_of(&parts.types, parts.machine, ty).ok()?;
    let is_scalar = matches!(parts.types.get(ty), Type::Bool | Type::Int { .. } | Type::Enum(_) | Type::Pointer(_));
    (is_scalar && (1..=8).contains(&bytes)).then_some(8 * bytes)
}

fn is_predicate(cfa: &Cfa, expr: ExprId) -> bool {
    match *cfa.exprs.get(expr) {
        Expr::Binary(relation, ..) => swapped(relation).is_some(),
        Expr::Unary(UnaryOp::Not, _) => true,
        _ => false,
    }
}

/// The parameter that an expression is the value of, through conversions that keep all its values.
fn parameter(cfa: &Cfa, function: FunctionId, expr: ExprId) -> Option<usize> {
    let place = |variable: VarId| cfa.function(function).parameters.iter().position(|parameter| *parameter == variable);
    match *cfa.exprs.get(expr) {
        Expr::Load(inner) => match *cfa.exprs.get(inner) {
            Expr::Variable(variable) => place(variable).filter(|_| {
                let ty = cfa.variable(variable).ty.ty;
                integer(cfa, ty).is_some() || matches!(cfa.types.get(ty), Type::Pointer(_))
            }),
            _ => None,
        },
        Expr::Cast(inner) => {
            let types = [expr, inner].map(|expr| integer(cfa, cfa.exprs.ty(expr)));
            let keeps = match types {
                [Some((to, signed)), Some((from, was_signed))] => {
                    if signed == was_signed {
                        to >= from
                    } else {
                        signed && to > from
                    }
                }
                // Between pointers.
                [None, None] => true,
                _ => false,
            };
            parameter(cfa, function, inner).filter(|_| keeps)
        }
        _ => None,
    }
}

/// The number that a parameter is compared with, if its type has it.
fn number(cfa: &Cfa, ty: TypeId, relation: BinaryOp, expr: ExprId) -> Option<i128> {
    if matches!(cfa.types.get(ty), Type::Pointer(_)) {
        let is_null = matches!(cfa.exprs.get(expr), Expr::Int(0));
        return (is_null && matches!(relation, BinaryOp::Equal | BinaryOp::NotEqual)).then_some(0);
    }
    let (bits, signed) = if *cfa.types.get(ty) == Type::Bool { (1, false) } else { integer(cfa, ty)? };
    let number = constant(cfa, expr)?;
    let (least, greatest) = if signed { (-(1_i128 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1_i128 << bits) - 1) };
    (least..=greatest).contains(&number).then_some(number)
}

/// The same comparison with the operands the other way round; `None` if it is none.
fn swapped(relation: BinaryOp) -> Option<BinaryOp> {
    Some(match relation {
        BinaryOp::Equal | BinaryOp::NotEqual => relation,
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        _ => return None,
    })
}
