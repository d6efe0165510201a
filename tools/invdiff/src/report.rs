//! A table as people read it: a letter for each version, then what changed, as a diff.

use formats::invariant_table::{
    Beside, Blame, Churn, ChurnKind, EvidenceKind, Instance, InvariantTable, Solution, Strength, Template,
};
use formats::shown::{lines, one_line};
use formats::verdict::InputValue;

/// Inputs of a run that are shown.
const MOST_INPUTS: usize = 6;

/// The table and what changed.
pub(crate) fn text(table: &InvariantTable) -> String {
    let mut out = String::new();
    for (number, version) in table.versions.iter().enumerate() {
        let reason = version.unreadable.as_ref().map_or_else(String::new, |reason| format!(" (not read: {reason})"));
        out += &format!("{}\n", one_line(&format!("{} {}{reason}", number + 1, version.label)));
    }
    for (number, point) in table.points.iter().enumerate() {
        out += &format!("\n{}\n", one_line(&format!("at {}: reached {}", point.name, point.reachable)));
        for one in table.instances.iter().filter(|one| one.point == number) {
            out += &format!("{}\n", one_line(&format!("  {}  {}{}{}", one.status, one.expression, named(one), why(one))));
        }
        for one in table.templates.iter().filter(|one| one.point == number) {
            out += &format!("{}\n", one_line(&format!("  {}: {}", one.expression, constants(table, one))));
        }
    }
    lines(&(out + &changes(table))).into_owned()
}

/// How versions with other names say a fact.
fn named(one: &Instance) -> String {
    let mut said: Vec<(&str, Vec<String>)> = Vec::new();
    for (version, text) in &one.names {
        let number = (version + 1).to_string();
        match said.iter_mut().find(|known| known.0 == text.as_str()) {
            Some(known) => known.1.push(number),
            None => said.push((text, vec![number])),
        }
    }
    said.iter().map(|(text, versions)| format!("; in {}: {text}", versions.join(" "))).collect()
}

/// What a template is in each version.
fn constants(table: &InvariantTable, template: &Template) -> String {
    let solution = |one: &Option<Solution>| match one {
        Some(one) => {
            let open = if one.tight.is_none() && !template.expression.contains("==") { " (perhaps not the best)" } else { "" };
            format!("{}{open}", table.instances[one.instance].expression)
        }
        None => "?".to_owned(),
    };
    let mut said: Vec<(String, Vec<String>)> = Vec::new();
    for (version, one) in template.solutions.iter().enumerate() {
        let (text, number) = (solution(one), (version + 1).to_string());
        match said.last_mut().filter(|last| last.0 == text) {
            Some(last) => last.1.push(number),
            None => said.push((text, vec![number])),
        }
    }
    let said: Vec<String> = said.into_iter().map(|(text, versions)| format!("{text} in {}", versions.join(" "))).collect();
    said.join(", ")
}

/// Why nobody knows, if there is one reason.
fn why(one: &Instance) -> String {
    let open: Vec<&String> =
        one.reasons.iter().filter(|(at, _)| one.status.as_bytes().get(**at) == Some(&b'?')).map(|(_, why)| why).collect();
    match open.as_slice() {
        [first, others @ ..] if others.iter().all(|other| other == first) => format!("  ({first})"),
        _ => String::new(),
    }
}

/// What changed from version to version; what nobody knows comes last.
fn changes(table: &InvariantTable) -> String {
    let mut out = String::new();
    let mut pairs: Vec<(usize, usize)> = table.churns.iter().map(|churn| (churn.from, churn.to)).collect();
    pairs.dedup();
    for (from, to) in pairs {
        let label = |at: usize| &table.versions[at].label;
        out += &format!("\n{}\n{}\n", one_line(&format!("--- {}", label(from))), one_line(&format!("+++ {}", label(to))));
        let mut known = None;
        let here = || {
            let own = table.churns.iter().filter(|churn| (churn.from, churn.to) == (from, to));
            own.filter(|churn| table.beside(churn) != Beside::Hidden)
        };
        let (told, open): (Vec<&Churn>, Vec<&Churn>) = here().partition(|churn| churn.kind != ChurnKind::Open);
        for (is_open, churn) in told.into_iter().map(|churn| (false, churn)).chain(open.into_iter().map(|churn| (true, churn))) {
            let one = &table.instances[churn.instance];
            if !is_open && known != Some(one.point) {
                known = Some(one.point);
                let strength = table.strength(one.point, (from, to)).filter(|strength| *strength != Strength::Equal);
                let strength = strength.map_or_else(String::new, |strength| format!(" {}", strength.name()));
                out += &format!("{}\n", one_line(&format!("@@ {} @@{strength}", table.points[one.point].name)));
            }
            let sign = match churn.kind {
                ChurnKind::Broken | ChurnKind::Dead | ChurnKind::Undefined | ChurnKind::OutOfScope => '-',
                ChurnKind::Gained | ChurnKind::Revived | ChurnKind::Defined | ChurnKind::InScope => '+',
                ChurnKind::Open => '?',
            };
            let place = if is_open { format!(" at {}", table.points[one.point].name) } else { String::new() };
            let beside = table.beside(churn);
            if let Beside::Before(other) = beside {
                out += &format!("{}\n", one_line(&format!("- {}", table.instances[other].expression)));
            }
            let line = format!("{sign} {}{place}: {}{}", one.expression, churn.kind.name(), witness(one, churn.from, churn.to));
            out += &format!("{}\n", one_line(&line));
            out += &churn.blame.as_ref().map(Blame::text).unwrap_or_default();
            if let Beside::After(other) = beside {
                out += &format!("{}\n", one_line(&format!("+ {}", table.instances[other].expression)));
            }
        }
    }
    out
}

/// The inputs on which one of two versions falsifies a fact.
fn witness(one: &Instance, from: usize, to: usize) -> String {
    let letter = |at: usize| one.status.chars().nth(at);
    let Some(failing) = [to, from].into_iter().find(|at| letter(*at) == Some('F')) else { return String::new() };
    let of = one.evidence.iter().find(|one| one.kind == EvidenceKind::Execution && one.versions.contains(&failing));
    match of.and_then(|one| one.inputs.as_deref()) {
        Some([]) => format!("; {} fails without inputs", if failing == to { "it now" } else { "before it" }),
        Some(inputs) => format!("; {} fails with {}", if failing == to { "it now" } else { "before it" }, said(inputs)),
        None => String::new(),
    }
}

fn said(inputs: &[InputValue]) -> String {
    let mut text = String::new();
    for (number, one) in inputs.iter().take(MOST_INPUTS).enumerate() {
        // Values of one function stand behind its name.
        let is_known = number.checked_sub(1).is_some_and(|before| inputs[before].source == one.source);
        let separator = if number == 0 { "" } else { ", " };
        text += separator;
        text += &if is_known { one.value.clone() } else { format!("{} = {}", one.source, one.value) };
    }
    let more = inputs.len().saturating_sub(MOST_INPUTS);
    if more > 0 { format!("{text}, and {more} more") } else { text }
}
