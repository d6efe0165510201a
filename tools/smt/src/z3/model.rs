//! Reading values out of a Z3 model.

use std::collections::BTreeMap;

use z3::DeclKind;
use z3::ast::{Ast, BV, Dynamic};

use crate::terms::{ArrayValue, Sort, Value};

/// The value of a term; `None` if it is not of a form we read.
pub(super) fn value(model: &z3::Model, ast: &Dynamic, sort: Sort) -> Option<Value> {
    let value = model.eval(ast, true)?;
    match sort {
        Sort::Bool => value.as_bool()?.as_bool().map(Value::Bool),
        Sort::BitVec(width) => Some(Value::Bits { width, value: bits(&value.as_bv()?, width)? }),
        Sort::Array { index, element } => array(model, value, index, element).map(Value::Array),
    }
}

pub(super) fn bits(value: &BV, width: u32) -> Option<u128> {
    match width {
        0..=64 => value.as_u64().map(u128::from),
        65..=128 => {
            let high = value.extract(width - 1, 64).simplify().as_u64()?;
            let low = value.extract(63, 0).simplify().as_u64()?;
            Some(u128::from(high) << 64 | u128::from(low))
        }
        _ => None,
    }
}

/// Array values come as stores over a constant array, or as a function table.
fn array(model: &z3::Model, value: Dynamic, index: u32, element: u32) -> Option<ArrayValue> {
    let mut entries = BTreeMap::new();
    let mut rest = value;
    loop {
        let decl = rest.safe_decl().ok()?;
        let kind = decl.kind();
        if kind == DeclKind::Store {
            let at = bits(&rest.nth_child(1)?.as_bv()?, index)?;
            let new = bits(&rest.nth_child(2)?.as_bv()?, element)?;
            // The outermost store wins.
            entries.entry(at).or_insert(new);
            rest = rest.nth_child(0)?;
        } else if kind == DeclKind::ConstArray {
            let default = bits(&rest.nth_child(0)?.as_bv()?, element)?;
            return Some(ArrayValue { index, element, default, entries });
        } else if kind == DeclKind::AsArray {
            let table = model.get_func_interp(&rest.as_array()?.as_array_func_decl()?)?;
            for entry in table.get_entries() {
                let at = bits(&entry.get_args().first()?.as_bv()?, index)?;
                let new = bits(&entry.get_value().as_bv()?, element)?;
                entries.entry(at).or_insert(new);
            }
            let default = bits(&table.get_else()?.as_bv()?, element)?;
            return Some(ArrayValue { index, element, default, entries });
        } else {
            return None;
        }
    }
}
