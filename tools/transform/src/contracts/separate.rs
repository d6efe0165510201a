//! Calls of recursive functions one at a time, so that each is executed once and looked up from then on.
//!
//! In the program that is made a call of a function with a contract yields any value. Whoever executes it can give the value that a
//! call with the same arguments had before, or find out that there is none yet and execute that call first. That is right for
//! functions only whose result nothing but the arguments decides; it is for guesses, so nothing rests on that.

use std::collections::BTreeSet;

use program::cfa::{Cfa, FunctionId, VarId};
use program::fold::int_format;

use super::frame::{Setting, Signature};
use super::made::contracted;
use super::numbers;
use crate::focus::Blame;

/// Bits of the widest numbers in tables.
const WIDEST: u32 = 64;

/// A program in which calls are executed one at a time.
#[derive(Debug)]
pub struct Separate {
    /// The program.
    pub cfa: Cfa,
    /// Any value; with which call the program begins: [`Tabled::number`]. With 0 it begins as it always does.
    pub first: VarId,
    /// The functions whose calls can be looked up.
    pub functions: Vec<Tabled>,
    /// The numbers in the text, small ones first.
    pub numbers: Vec<i128>,
}

/// A function whose calls can be looked up.
#[derive(Clone, Debug)]
pub struct Tabled {
    /// Which.
    pub function: FunctionId,
    /// What the program has to be told to begin with a call.
    pub number: u128,
    /// What a call that is passed over is called with.
    pub arguments: Vec<VarId>,
    /// What it yields: an input.
    pub result: VarId,
    /// What the call that the program begins with is called with: inputs.
    pub given: Vec<VarId>,
    /// What that call yields.
    pub gives: VarId,
}

/// The program of a setting with calls to be executed one at a time; `None` if no function is one of numbers alone.
#[must_use]
pub fn separate(setting: &Setting) -> Option<Separate> {
    let base = &setting.base;
    let functions: Vec<Tabled> = setting
        .signatures
        .iter()
        .enumerate()
        .filter_map(|(place, (function, signature))| tabled(base, (*function, signature), place))
        .collect();
    if functions.is_empty() {
        return None;
    }
    let made = contracted(setting, &[], Blame::First);
    let numbers: BTreeSet<i128> = numbers::of_functions(base).into_values().flatten().collect();
    let mut numbers: Vec<i128> = numbers.into_iter().collect();
    numbers.sort_by_key(|number| number.unsigned_abs());
    Some(Separate { cfa: made.recast.cfa, first: made.first, functions, numbers })
}

fn tabled(cfa: &Cfa, (function, signature): (FunctionId, &Signature), place: usize) -> Option<Tabled> {
    if !signature.touched.is_empty() || !signature.call.before.is_empty() {
        return None;
    }
    let (call, checked) = (&signature.call, &signature.checked);
    let arguments: Vec<VarId> = call.arguments.iter().copied().collect::<Option<_>>()?;
    let given: Vec<VarId> = checked.arguments.iter().copied().collect::<Option<_>>()?;
    let (result, gives) = (call.result?, checked.result?);
    let is_integer = |variable: &VarId| {
        int_format(&cfa.types, cfa.machine, cfa.variable(*variable).ty.ty).is_some_and(|format| format.bits <= WIDEST)
    };
    let all = !arguments.is_empty() && arguments.iter().chain([&result]).all(is_integer);
    all.then(|| Tabled { function, number: place as u128 + 1, arguments, result, given, gives })
}
