//! Both versions on inputs that tell them apart, as one C file.

use std::path::Path;

use console::Output;
use evidence::harness::beside::{Manner, Version, beside, command};
use program::cfa::{Cfa, FunctionId, VarId};
use transform::pair::{External, Pairing, external, looked_at};

use crate::arguments::{Arguments, Observed, Overflow};
use crate::trials::{Difference, Trials};

/// What becomes undefined in arithmetic; all else is an access to memory.
const ARITHMETIC: &[&str] = &["division", "shift", "overflow", "modulo", "conversion"];

/// Writes the file and says how it is built.
pub(crate) fn write(
    arguments: &Arguments,
    file: &Path,
    pairing: &Pairing<'_>,
    (trials, difference): (&Trials, &Difference),
) -> miette::Result<()> {
    let observes = |what: Observed| arguments.observe.contains(&what);
    let outcome = difference.outcomes.iter().find_map(|outcome| outcome.strip_prefix("is not defined: "));
    let is_arithmetic = |what: &str| ARITHMETIC.iter().any(|word| what.contains(word));
    let manner = Manner {
        returned: observes(Observed::Return),
        wraps: arguments.overflow == Overflow::Wrap,
        memory: outcome.is_some_and(|what| !is_arithmetic(what)),
    };
    let is_counted = |cfa: &Cfa, id: &VarId| {
        let is_made = cfa.variable(*id).name.starts_with("__made_");
        if is_made { observes(Observed::Memory) } else { observes(Observed::Globals) }
    };
    let is_event = |cfa: &Cfa, id: &FunctionId| {
        let function = cfa.function(*id);
        observes(Observed::Events) && function.entry.is_none() && external(function) == External::Event
    };
    let version = |side: usize| {
        let cfa = if side == 0 { pairing.original } else { pairing.modified };
        Version {
            cfa,
            run: (trials.watched(side), &difference.runs[side]),
            places: looked_at(pairing, side).into_iter().filter(|id| is_counted(cfa, id)).collect(),
            events: cfa.function_ids().filter(|id| is_event(cfa, id)).collect(),
        }
    };
    let (original, modified) = (version(0), version(1));
    let Some(text) = beside([&original, &modified], manner) else {
        arguments
            .shared
            .console()
            .warning(format!("{}: no harness: the caller that was made is not found again", file.display()));
        return Ok(());
    };
    Output::new(Some(file)).write_text(&text)?;
    let name = formats::shown::name(file);
    let command = command(pairing.original.options.data_model, manner, &name);
    arguments.shared.console().print(format!("both versions on the inputs that tell them apart: {command} && ./a.out"));
    Ok(())
}
