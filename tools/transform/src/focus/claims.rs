//! Claims worth asking for: comparisons of members with numbers of the program and with each other.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, Operation};
use program::expr::{BinaryOp, Expr, ExprId};
use program::known::{self, Allocation};
use program::layout::size_of;
use program::types::{Type, TypeId};
use semantics::facts::Facts;
use semantics::objects::ObjectKind;

use super::forms::used;
use super::{Candidate, Claim, Class};

/// Numbers of the program that members are compared to, smallest magnitudes first.
const MOST_NUMBERS: usize = 10;

/// A member that only few numbers are stored in is one of them.
const FEW: usize = 4;

/// Members that are compared to each other.
const MOST_COMPARED: usize = 6;

/// Bits and signedness of an integer type.
pub(crate) fn integer(cfa: &Cfa, ty: TypeId) -> Option<(u64, bool)> {
    let bits = |ty| size_of(&cfa.types, cfa.machine, ty).ok().map(|bytes| 8 * bytes);
    match *cfa.types.get(ty) {
        Type::Bool => Some((bits(ty)?, false)),
        Type::Int { signed, .. } => Some((bits(ty)?, signed)).filter(|(bits, _)| *bits <= 64),
        Type::Enum(id) => integer(cfa, cfa.types.enumeration(id).underlying),
        _ => None,
    }
}

/// The number a constant is, through conversions.
pub(crate) fn constant(cfa: &Cfa, expr: ExprId) -> Option<i128> {
    match *cfa.exprs.get(expr) {
        Expr::Int(value) => {
            let (bits, signed) = integer(cfa, cfa.exprs.ty(expr))?;
            let value = i128::try_from(value).ok()?;
            let top = 1_i128 << (bits - 1);
            Some(if signed && value >= top { value - 2 * top } else { value })
        }
        Expr::Cast(operand) => {
            let value = constant(cfa, operand)?;
            let (bits, signed) = integer(cfa, cfa.exprs.ty(expr))?;
            let (least, most) =
                if signed { (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1) } else { (0, (1_i128 << bits) - 1) };
            (least..=most).contains(&value).then_some(value)
        }
        _ => None,
    }
}

/// Whether an expression is a null pointer constant.
fn is_null(cfa: &Cfa, expr: ExprId) -> bool {
    match *cfa.exprs.get(expr) {
        Expr::Int(value) => value == 0,
        Expr::Cast(operand) => is_null(cfa, operand),
        _ => false,
    }
}

/// What is stored in a member.
#[derive(Clone, Debug, Default)]
struct Stored {
    numbers: BTreeSet<i128>,
    /// Something is stored that is no constant.
    others: bool,
    null: bool,
}

/// Claims about the objects of some classes.
#[must_use]
pub fn claims(facts: &Facts<'_>, classes: &[Class]) -> Vec<Candidate> {
    let cfa = facts.cfa();
    let numbers = numbers(cfa);
    let mut found = Vec::new();
    for (number, class) in classes.iter().enumerate() {
        let stored = stored(facts, class);
        let fields = &cfa.types.record(class.record).fields;
        let mut add = |claim| found.push(Candidate { class: number, claim });
        for member in &class.members {
            let Some(field) = fields.get(*member as usize) else { continue };
            let stored = stored.get(member).cloned().unwrap_or_default();
            if matches!(cfa.types.get(field.ty.ty), Type::Pointer(_)) {
                if stored.others && !stored.null {
                    add(Claim::Null(*member, false));
                }
            } else if let Some((_, signed)) = integer(cfa, field.ty.ty) {
                of_integer(*member, if signed { i128::MIN } else { 0 }, &stored, &numbers).into_iter().for_each(&mut add);
            }
        }
        compared(cfa, class).into_iter().for_each(&mut add);
    }
    found
}

/// Claims about an integer member whose type has no smaller number than `least`, if it is not far below.
fn of_integer(member: u32, least: i128, stored: &Stored, numbers: &[i128]) -> Vec<Claim> {
    let mut found = Vec::new();
    if !stored.others && stored.numbers.len() <= FEW {
        found.push(Claim::OneOf(member, stored.numbers.iter().copied().collect()));
        return found;
    }
    let bounds: BTreeSet<i128> = numbers.iter().copied().chain(stored.numbers.iter().copied()).collect();
    for bound in bounds {
        if bound > least {
            found.push(Claim::Number(member, BinaryOp::GreaterEqual, bound));
        }
        if bound >= least {
            found.push(Claim::Number(member, BinaryOp::LessEqual, bound));
        }
    }
    found
}

fn compared(cfa: &Cfa, class: &Class) -> Vec<Claim> {
    let fields = &cfa.types.record(class.record).fields;
    let ty = |member: u32| fields.get(member as usize).map(|field| field.ty.ty);
    let is_integer = |member: &u32| ty(*member).is_some_and(|ty| integer(cfa, ty).is_some());
    let members: Vec<u32> = class.members.iter().copied().filter(is_integer).take(MOST_COMPARED).collect();
    let mut found = Vec::new();
    for (at, one) in members.iter().enumerate() {
        for other in members[at + 1..].iter().filter(|other| ty(*one) == ty(**other)) {
            for op in [BinaryOp::LessEqual, BinaryOp::GreaterEqual, BinaryOp::NotEqual] {
                found.push(Claim::Member(*one, op, *other));
            }
        }
    }
    found
}

/// The numbers that something is compared to, those next to where an inequality changes, and those that are added: what counts
/// from zero is at least that afterwards.
fn numbers(cfa: &Cfa) -> Vec<i128> {
    let mut found = BTreeSet::from([0]);
    for (id, _) in used(cfa).iter().enumerate().filter(|(_, used)| **used) {
        let Expr::Binary(op, one, other) = *cfa.exprs.get(ExprId::new(id)) else { continue };
        for (number, below) in [(constant(cfa, other), false), (constant(cfa, one), true)] {
            let Some(number) = number else { continue };
            if op == BinaryOp::Add {
                found.insert(number);
            }
            let beside = match (op, below) {
                (BinaryOp::Less | BinaryOp::GreaterEqual, false) | (BinaryOp::Greater | BinaryOp::LessEqual, true) => number - 1,
                (BinaryOp::Greater | BinaryOp::LessEqual, false) | (BinaryOp::Less | BinaryOp::GreaterEqual, true) => number + 1,
                (BinaryOp::Equal | BinaryOp::NotEqual, _) => number,
                _ => continue,
            };
            found.extend([number, beside]);
        }
    }
    let mut found: Vec<i128> = found.into_iter().filter(|number| i64::try_from(*number).is_ok()).collect();
    found.sort_by_key(|number| (number.abs(), *number));
    found.truncate(MOST_NUMBERS);
    found
}

/// What is stored in the members of a class, by the text.
fn stored(facts: &Facts<'_>, class: &Class) -> BTreeMap<u32, Stored> {
    let cfa = facts.cfa();
    let mut found: BTreeMap<u32, Stored> = BTreeMap::new();
    for edge in &cfa.edges {
        let Operation::Assign { place, value } = edge.operation else { continue };
        let Expr::Field(inner, member) = *cfa.exprs.get(place) else { continue };
        let Expr::Dereference { pointer, .. } = *cfa.exprs.get(inner) else { continue };
        let of_class = |kind: &ObjectKind| matches!(kind, ObjectKind::Heap { site } if class.sites.contains(site));
        if !facts.points_to().targets(pointer).iter().any(|object| of_class(&facts.objects().get(object).kind)) {
            continue;
        }
        let stored = found.entry(member).or_default();
        if is_null(cfa, value) && matches!(cfa.types.get(cfa.exprs.ty(place)), Type::Pointer(_)) {
            stored.null = true;
        } else if let Some(number) = constant(cfa, value) {
            stored.numbers.insert(number);
        } else {
            stored.others = true;
        }
    }
    let allocates_zero = class.sites.iter().any(|site| {
        let Operation::Call { callee, .. } = cfa.edge(*site).operation else { return false };
        let row = known::special(&cfa.function(callee).name);
        matches!(row.and_then(|row| row.allocation), Some(Allocation::Product))
    });
    if allocates_zero {
        for member in &class.members {
            let stored = found.entry(*member).or_default();
            stored.numbers.insert(0);
            stored.null = true;
        }
    }
    found
}

/// A claim in words: `struct node: value >= 0`.
#[must_use]
pub fn text(cfa: &Cfa, class: &Class, claim: &Claim) -> String {
    let record = cfa.types.record(class.record);
    let name = |member: u32| {
        let field = record.fields.get(member as usize);
        field.and_then(|field| field.name.as_deref()).unwrap_or("?").to_owned()
    };
    let sign = |op: BinaryOp| match op {
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        _ => "!=",
    };
    let what = match claim {
        Claim::Number(member, op, number) => format!("{} {} {number}", name(*member), sign(*op)),
        Claim::Member(one, op, other) => format!("{} {} {}", name(*one), sign(*op), name(*other)),
        Claim::OneOf(member, numbers) => {
            let one = |number: &i128| format!("{} == {number}", name(*member));
            numbers.iter().map(one).collect::<Vec<_>>().join(" || ")
        }
        Claim::Null(member, null) => format!("{} {} 0", name(*member), if *null { "==" } else { "!=" }),
    };
    format!("struct {}: {what}", record.tag.as_deref().unwrap_or("(no tag)"))
}
