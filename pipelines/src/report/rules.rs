//! The rules of SARIF logs: what a finding of their kind means, and what to do about it.
//!
//! A finding about a change has a rule for its class and property, so that a code host can mute one property and keep another.
//! Does not know which findings there are.

use std::collections::BTreeSet;

use formats::report::{Report, Unit};
use serde_json::{Value, json};

/// Where the method is described: Beyer, Jakobs, Lemberger, Difference Verification with Conditions, SEFM 2020.
pub(super) const INFORMATION: &str = "https://doi.org/10.1007/978-3-030-58768-0_8";

/// A kind of finding about a change.
struct Class {
    id: &'static str,
    level: &'static str,
    /// What it says, in a sentence.
    short: &'static str,
    /// What it means.
    full: &'static str,
    /// What to do.
    help: &'static str,
}

const CLASSES: [Class; 4] = [
    Class {
        id: "regression",
        level: "error",
        short: "The change makes the program violate its property on inputs on which the original passes.",
        full: "The counterexample was replayed on both programs: the modified one violates the property, the original passes on \
               the same inputs. The location is the last changed statement that was executed before the violation.",
        help: "Follow the code flow from the changed statement to the violation; `residue check --out DIR` writes a harness in C \
               that gcc builds and that reaches it, `residue explain DIR` tells how the change comes to have this effect.",
    },
    Class {
        id: "not-compared",
        level: "error",
        short: "The modified program violates its property; the original could not be compared.",
        full: "The counterexample was replayed on the modified program. Whether the original passes on these inputs is not known, \
               because there is no original or it could not be executed on them.",
        help: "Follow the code flow to the violation. With a version of the program before the change that can be executed, the \
               check tells whether the violation is new.",
    },
    Class {
        id: "violation-in-both",
        level: "warning",
        short: "The modified program violates its property, and so does the original on the same inputs.",
        full: "The counterexample was replayed on both programs, and both violate the property: the change is not to blame.",
        help: "Repair the violation in both programs; until then other violations behind it may be hidden.",
    },
    Class {
        id: "undecided",
        level: "note",
        short: "It was not decided whether the change makes the program violate its property.",
        full: "This is no proof and no finding. The verdict names the reason: a construct that is not modelled, with its place, \
               or the budget.",
        help: "Give more time with `--budget`, ask another verifier with `--verifier`, or keep the named construct off the paths \
               that are checked.",
    },
];

/// The name, the position and the level of the rule of a finding about a unit; nothing for a proof.
pub(super) fn of_unit(report: &Report, unit: &Unit) -> Option<(String, usize, &'static str)> {
    let class = CLASSES.iter().find(|class| class.id == unit.class)?;
    let id = format!("{}/{}", class.id, property(unit));
    let index = ids(report).iter().position(|(class, property)| format!("{}/{property}", class.id) == id)?;
    Some((id, index, class.level))
}

/// The rules that findings of a report can have.
pub(super) fn of_report(report: &Report) -> Vec<Value> {
    let rules = ids(report).into_iter().map(|(class, property)| {
        let text = |sentence: &str| json!({"text": format!("{sentence} The property: {}.", meaning(&property))});
        json!({
            "id": format!("{}/{property}", class.id),
            "name": name(class.id, &property),
            "shortDescription": {"text": class.short},
            "fullDescription": text(class.full),
            "help": text(class.help),
            "helpUri": INFORMATION,
            "defaultConfiguration": {"level": class.level},
            "properties": {"tags": ["correctness", property]},
        })
    });
    rules.collect()
}

/// Every class with every property of the report.
fn ids(report: &Report) -> Vec<(&'static Class, String)> {
    let properties: BTreeSet<String> = report.units.iter().map(property).collect();
    CLASSES.iter().flat_map(|class| properties.iter().map(move |property| (class, property.clone()))).collect()
}

/// The property that a unit is about: the violated one, else the one that was asked for.
fn property(unit: &Unit) -> String {
    let violated = unit.verdict.strip_prefix("FALSE(").and_then(|rest| rest.strip_suffix(')'));
    violated.map_or_else(|| unit.options.property.to_string(), str::to_owned)
}

/// What a property says, by its name.
fn meaning(property: &str) -> &'static str {
    match property {
        "unreach-call" => "`reach_error` is never called",
        "assert" => "no `assert` fails",
        "div-zero" => "no integer is divided by zero",
        "shift" => "every shift is by at least 0 and less than the width, and no `<<` of a signed number loses a bit",
        "no-overflow" => "signed arithmetic does not overflow",
        "valid-deref" => "every access is to an object that is there",
        "valid-free" => "what is freed was allocated, and not freed before",
        "valid-memtrack" => "all that was allocated is freed, or still pointed to",
        _ => "all that were asked for",
    }
}

/// A name as code hosts show it: `RegressionDivZero`.
fn name(class: &str, property: &str) -> String {
    let words = class.split('-').chain(property.split(|c: char| !c.is_ascii_alphanumeric()));
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
    };
    words.map(capital).collect()
}
