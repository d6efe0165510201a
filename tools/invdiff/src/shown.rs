//! What is written at the end, and a table that is written once more without any of its programs.

use std::path::Path;

use console::{Budget, Exit, Input, Output, Statistics};
use formats::invariant_table::{ChurnKind, Instance, InvariantTable};

use crate::arguments::{Arguments, FailOn, Form};
use crate::{InvdiffError, report};

/// The table that is given in the place of versions.
///
/// # Errors
/// If it looks like one and cannot be read.
pub(crate) fn table(path: &Path) -> miette::Result<Option<InvariantTable>> {
    if path != Path::new("-") && !path.is_file() {
        return Ok(None);
    }
    let input = Input::read(path)?;
    let is_table = input.bytes.trim_ascii_start().starts_with(b"{");
    Ok(if is_table { Some(InvariantTable::read(&input.bytes, &input.name)?) } else { None })
}

/// Writes a table that was written before.
///
/// # Errors
/// If something is asked that only programs can answer.
pub(crate) fn again(arguments: &Arguments, table: &InvariantTable) -> miette::Result<Exit> {
    let files = arguments.invariants.iter().chain(&arguments.open).chain(&arguments.reuse);
    let asks = !arguments.at.is_empty() || !arguments.of.is_empty() || !arguments.families.is_empty() || arguments.defined;
    if asks || files.count() > 0 || !matches!(arguments.to, Form::Text | Form::Json) {
        return Err(InvdiffError::Again.into());
    }
    console::keep_apart(arguments.versions.iter().map(std::path::PathBuf::as_path), arguments.output.as_deref())?;
    let form = if arguments.to == Form::Json { json(table)? } else { report::text(table) };
    tell(arguments, table, &form)
}

/// A table in its format.
pub(crate) fn json(table: &InvariantTable) -> Result<String, InvdiffError> {
    let mut bytes = Vec::new();
    table.write(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes what is asked for, and says what it means for whoever called.
pub(crate) fn tell(arguments: &Arguments, table: &InvariantTable, form: &str) -> miette::Result<Exit> {
    if arguments.stats {
        let mut statistics = Statistics::new();
        table.statistics.iter().for_each(|(name, number)| statistics.count(name, *number));
        statistics.seconds("cpu", Budget::cpu_used().as_secs_f64());
        statistics.print();
    }
    Output::new(arguments.output.as_deref()).write_text(form)?;
    let is_bad = |kind: ChurnKind| {
        arguments.fail_on.iter().any(|bad| match bad {
            FailOn::Broken => kind == ChurnKind::Broken,
            FailOn::Gained => kind == ChurnKind::Gained,
            FailOn::Open => kind == ChurnKind::Open,
        })
    };
    let is_open = |one: &Instance| one.status.chars().all(|letter| letter == '?');
    Ok(if table.churns.iter().any(|churn| is_bad(churn.kind)) {
        Exit::Negative
    } else if !table.instances.is_empty() && table.instances.iter().all(is_open) {
        Exit::Unknown
    } else {
        Exit::Success
    })
}
