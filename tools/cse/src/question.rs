//! What is asked, as one C program for any verifier: at the entry function, where a difference is one that is observed.

use console::{Exit, Output};
use program::cfa::FunctionId;
use transform::emit::c_text;
use transform::pair::{Pairing, Plan, ROOM, Relation, pair};

use crate::CseError;
use crate::arguments::Arguments;

/// Writes the program.
pub(crate) fn write(
    arguments: &Arguments,
    pairing: &Pairing<'_>,
    changes: Option<&Plan>,
    (relation, scope): (Relation, &str),
) -> miette::Result<Exit> {
    let refused = |what: String| CseError::NotOneProgram { what };
    if let Some(handed) = changes.map(Plan::handed).filter(|handed| !handed.is_empty()) {
        let name = |function: &FunctionId| pairing.original.function(*function).name.to_string();
        let first = handed.functions.iter().map(name).chain(handed.alone.iter().cloned()).next().unwrap_or_default();
        return Err(refused(format!("{first}() differs, and code outside gets its address and may call it")).into());
    }
    let model = pairing.original.options.data_model;
    let mut header = vec![
        format!("{ERROR}() is called iff the versions differ: {} and {}", name(arguments, 0), name(arguments, 1)),
        format!(
            "a run that passes more than {ROOM} inputs of one function, or {ROOM} events, may call it although they do the same"
        ),
        scope.to_owned(),
        format!(
            "{model:?}; functions without a body yield any value and change nothing; signed arithmetic wraps, accesses to memory are defined"
        ),
    ];
    let text = match changes {
        Some(changes) => {
            let mut both = pair(pairing, &pairing.whole(changes), relation).map_err(|error| refused(error.to_string()))?;
            c_text(&mut both.recast.cfa, &header).map_err(|error| refused(error.to_string()))?
        }
        None => {
            header.push("nothing changed that the program comes to".to_owned());
            let lines: String = header.iter().map(|line| format!(" * {}\n", line.replace("*/", "* /"))).collect();
            format!("/*\n{lines} */\nint main(void)\n{{\n  return 0;\n}}\n")
        }
    };
    Output::new(arguments.output.as_deref()).write_text(&text)?;
    Ok(Exit::Success)
}

const ERROR: &str = "reach_error";

fn name(arguments: &Arguments, version: usize) -> String {
    formats::shown::name(&arguments.programs[version])
}
