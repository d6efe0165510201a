//! Which proposals are worth a row of the table.
//!
//! Does not know how letters come about.

use std::cmp::Ordering;

use formats::invariant_table::{Instance, InvariantTable};

use crate::families::Seen;
use crate::foreign::WITNESS;
use crate::solve::TEMPLATE;

/// Leaves out proposals that hold nowhere, and bounds that say less than others and hold in the same versions.
pub(crate) fn tidy(table: &mut InvariantTable) {
    let bound = |one: &Instance| -> Option<(String, bool, Seen)> {
        let (name, rest) = one.expression.split_once(' ')?;
        let (op, value) = rest.split_once(' ')?;
        let upper = match op {
            "<=" => true,
            ">=" => false,
            _ => return None,
        };
        let value = value.parse().map(Seen::Whole).ok().or_else(|| value.parse().map(Seen::Real).ok())?;
        Some((name.to_owned(), upper, value))
    };
    let is_asked = |one: &Instance| ["user", TEMPLATE, WITNESS].contains(&one.family.as_str());
    let all = table.instances.clone();
    table.instances.retain(|one| {
        if is_asked(one) {
            return true;
        }
        let says_more = |other: &Instance| match (bound(one), bound(other)) {
            (Some((a, upper, value)), Some((b, other_upper, other_value))) => {
                let order = if upper { Ordering::Less } else { Ordering::Greater };
                (a, upper) == (b, other_upper) && other_value.against(value) == Some(order)
            }
            _ => false,
        };
        let implied = all
            .iter()
            .any(|other| !is_asked(other) && (other.point, &other.status) == (one.point, &one.status) && says_more(other));
        one.status.contains('H') && !implied
    });
    table.churns = table.changes();
}
