//! Several clients of one library, one after the other in one run.
//!
//! Each gets the verdict it would get alone. They share that files are read once, and what holds of functions of the library
//! whoever calls them. Results are printed as they come, an object each, so that none is lost with a later one.

use console::{Exit, Output};

use crate::arguments::Arguments;
use crate::known::Known;
use crate::sources::Readings;
use crate::{Asking, one, report};

/// Decides about all clients.
pub(crate) fn run(arguments: &Arguments, asking: &Asking<'_>) -> miette::Result<Exit> {
    let clients = arguments.each();
    let (mut known, readings) = (Known::default(), Readings::default());
    let mut exit = Exit::Success;
    for (number, own) in clients.iter().enumerate() {
        let left = u32::try_from(clients.len() - number).unwrap_or(u32::MAX);
        let budget = asking.budget.share(asking.budget.remaining().map(|all| all / left))?;
        let (text, said) = told(own, &Asking { budget: &budget, ..*asking }, &mut known, &readings)?;
        Output::new(None).write_text(&text)?;
        exit = worse(exit, said);
    }
    console::answer("", exit)?;
    Ok(exit)
}

/// What is printed of one client: nothing but `null` where it cannot be used, which is told besides.
fn told(arguments: &Arguments, asking: &Asking<'_>, known: &mut Known, readings: &Readings) -> miette::Result<(String, Exit)> {
    let result = match one(arguments, asking, Some(known), readings) {
        Ok(result) => result,
        Err(error) => {
            let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
            let client: Vec<String> = arguments.client_files().into_iter().map(formats::shown::name).collect();
            arguments.shared.console().print(format!("error: {}: {}", client.join(","), causes.join(": ")));
            return Ok(("null\n".to_owned(), Exit::Usage));
        }
    };
    let mut text = Vec::new();
    result.write(&mut text).map_err(|error| miette::miette!("{error}"))?;
    Ok((String::from_utf8_lossy(&text).into_owned(), report::exit(&result)))
}

/// Unusable input before a difference before what is not decided.
fn worse(one: Exit, other: Exit) -> Exit {
    let order = [Exit::Usage, Exit::Negative, Exit::Unknown];
    order.into_iter().find(|exit| *exit == one || *exit == other).unwrap_or(one)
}
