//! The complete example on the page of each format is what a tool writes; it follows the schema, and the reader reads it.
//!
//! A block behind a line `<!-- example of NAME: COMMAND -->` is what the command prints, with breaks in long JSON; behind
//! `<!-- example of NAME -->` it is what people write themselves. The programs are those of `formats/README.md`, each behind a line
//! `<!-- program NAME -->`. With `UPDATE_DOCUMENTS=1` blocks are written anew.

use std::fs;
use std::path::{Path, PathBuf};

use formats::assertions::{AssertionVerdicts, PropertyDifference};
use formats::witness::Witness;
use formats::{
    Certificate, CircuitMap, Condition, DifferenceGraph, ErrorReport, Explanation, ResidualMap, ValidationReport, VerdictReport,
};
use residue_tests::schemas::strict;
use residue_tests::{root, target};
use serde_json::Value;

/// As long as a line of an example may be.
const WIDTH: usize = 130;
/// Members that another run of the same tool has otherwise.
const VOLATILE: [&str; 4] = ["cpu_seconds", "peak_memory", "statistics", "solver_queries"];

/// An example of a page: name, command, and the lines of its block.
struct Example {
    name: String,
    command: Option<String>,
    block: std::ops::Range<usize>,
}

fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("formats/docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = entries.chain([root().join("pipelines/docs/reports.md")]).collect();
    pages.sort();
    pages
}

/// The lines of the block behind line `at`.
fn block(lines: &[&str], at: usize) -> std::ops::Range<usize> {
    let open = at + lines[at..].iter().position(|line| line.starts_with("```")).unwrap() + 1;
    open..open + lines[open..].iter().position(|line| *line == "```").unwrap()
}

fn examples(text: &str) -> Vec<Example> {
    let lines: Vec<&str> = text.lines().collect();
    let marked = lines.iter().enumerate().filter_map(|(at, line)| {
        let marker = line.strip_prefix("<!-- example of ")?.strip_suffix(" -->")?;
        let (name, command) = marker.split_once(": ").map_or((marker, None), |(name, command)| (name, Some(command.to_owned())));
        Some(Example { name: name.to_owned(), command, block: block(&lines, at) })
    });
    marked.collect()
}

/// A folder with the programs of the examples.
fn programs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join("formats/README.md")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.strip_prefix("<!-- program ").and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        fs::write(folder.path().join(name), lines[block(&lines, at)].join("\n") + "\n").unwrap();
    }
    folder
}

fn printed(command: &str, folder: &Path) -> String {
    let path = format!("{}:{}", target().join("release").display(), std::env::var("PATH").unwrap());
    let shell = duct::cmd!("bash", "-c", command).dir(folder).env("PATH", path).stderr_null().unchecked();
    shell.read().unwrap()
}

/// JSON with a line for each member of what does not fit on one; the members stay in their order.
fn broken(json: &str, indent: usize) -> String {
    let json = json.trim();
    if json.len() + indent <= WIDTH || !json.starts_with(['{', '[']) {
        return json.to_owned();
    }
    let pad = " ".repeat(indent + 2);
    let items: Vec<String> =
        items(&json[1..json.len() - 1]).into_iter().map(|item| pad.clone() + &member(item, indent + 2)).collect();
    format!("{}\n{}\n{}{}", &json[..1], items.join(",\n"), " ".repeat(indent), &json[json.len() - 1..])
}

/// A member `"name":VALUE`, or a value alone.
fn member(item: &str, indent: usize) -> String {
    let name = item.strip_prefix('"').and_then(|rest| rest.find("\":")).map_or(0, |at| at + 3);
    format!("{}{}", &item[..name], broken(&item[name..], indent))
}

/// What commas separate, outside of texts and brackets.
fn items(json: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth, mut in_text, mut escaped) = (Vec::new(), 0, 0, false, false);
    for (at, byte) in json.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth -= 1,
            b',' if !in_text && depth == 0 => {
                items.push(&json[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&json[start..]);
    items
}

/// White space outside of texts does not count in JSON.
fn compact(json: &str) -> String {
    let (mut out, mut in_text, mut escaped) = (String::new(), false, false);
    for c in json.chars() {
        if in_text || !c.is_whitespace() {
            out.push(c);
        }
        match c {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => in_text = !in_text,
            _ => {}
        }
    }
    out
}

/// The value without what differs from run to run.
fn stable(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        VOLATILE.iter().for_each(|member| drop(object.remove(*member)));
        object.values_mut().for_each(|inner| *inner = stable(inner.take()));
    } else if let Some(items) = value.as_array_mut() {
        items.iter_mut().for_each(|inner| *inner = stable(inner.take()));
    }
    value
}

/// Whether a block says what a command prints.
fn agrees(said: &str, printed: &str) -> bool {
    match (serde_json::from_str(said), serde_json::from_str(printed)) {
        (Ok(said), Ok(printed)) => stable(said) == stable(printed),
        _ => said.trim_end() == printed.trim_end(),
    }
}

/// Reads an example with the reader of its format.
fn read(name: &str, text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    let error = |error: formats::ArtifactError| error.to_string();
    match name {
        "assertion-verdicts" => AssertionVerdicts::read(bytes, name).map(drop).map_err(error),
        "property-difference" => PropertyDifference::read(bytes, name).map(drop).map_err(error),
        "certificate" => Certificate::read(bytes, name).map(drop).map_err(error),
        "circuit-map" => CircuitMap::read(bytes, name).map(drop).map_err(error),
        "condition" => Condition::read(bytes, name).map(drop).map_err(error),
        "difference-graph" => DifferenceGraph::read(bytes, name).map(drop).map_err(error),
        "equivalence" => formats::equivalence::EquivalenceResult::read(bytes, name).map(drop).map_err(error),
        "explanation" => Explanation::read(bytes, name).map(drop).map_err(error),
        "invariant-table" => formats::invariant_table::InvariantTable::read(bytes, name).map(drop).map_err(error),
        "proof" => formats::proof::Proof::read(bytes, name).map(drop).map_err(error),
        "properties" => formats::property_set::read(bytes, name).map(drop).map_err(error),
        "report" => formats::report::Report::read(bytes, name).map(drop).map_err(error),
        "residual-map" => ResidualMap::read(bytes, name).map(drop).map_err(error),
        "witness-2" | "witness-graphml" => Witness::read(bytes, name).map(drop).map_err(error),
        "verdict" => serde_json::from_str::<VerdictReport>(text).map(drop).map_err(|error| error.to_string()),
        "validation" => serde_json::from_str::<ValidationReport>(text).map(drop).map_err(|error| error.to_string()),
        "error" => serde_json::from_str::<ErrorReport>(text).map(drop).map_err(|error| error.to_string()),
        // Nothing of ours reads these.
        "cfa" | "check" | "witness-summary" => Ok(()),
        "properties-report" | "invariants-report" | "clients-report" | "entries" | "bench-stage" => Ok(()),
        _ => Err("no reader is known".to_owned()),
    }
}

/// What is wrong with an example by the schema of its format, if it has one.
fn against_schema(name: &str, text: &str) -> Vec<String> {
    let file = root().join(format!("formats/schemas/{name}.schema.json"));
    let Ok(schema) = fs::read(file) else {
        return if text.starts_with('{') { vec![format!("{name}: no schema")] } else { Vec::new() };
    };
    let mut schema: Value = serde_json::from_slice(&schema).unwrap();
    if name != "witness-2" {
        // That of witnesses is put together from parts that do not know of each other.
        strict(&mut schema);
    }
    let instance: Value =
        if text.starts_with('{') { serde_json::from_str(text).unwrap() } else { serde_saphyr::from_str(text).unwrap() };
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator.iter_errors(&instance).map(|error| format!("{name}: {}: {error}", error.instance_path())).collect()
}

#[test]
fn every_format_has_a_complete_example() {
    let folder = programs();
    let (mut wrong, mut names) = (Vec::new(), Vec::new());
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let (mut whole, mut done, mut is_other): (Vec<String>, usize, bool) = (Vec::new(), 0, false);
        for Example { name, command, block } in examples(&text) {
            let mut shown = lines[block.clone()].join("\n");
            if let Some(command) = command {
                let printed = printed(&command, folder.path());
                if !agrees(&shown, &printed) {
                    wrong.push(format!("{}: {command}\n--- said\n{shown}\n--- printed\n{printed}", page.display()));
                    shown = if printed.starts_with('{') { broken(&compact(&printed), 0) } else { printed };
                    is_other = true;
                }
            }
            wrong.extend(against_schema(&name, &shown));
            wrong.extend(read(&name, &shown).err().map(|error| format!("{name}: {error}")));
            whole.extend(lines[done..block.start].iter().map(|line| (*line).to_owned()));
            whole.push(shown);
            done = block.end;
            names.push(name);
        }
        whole.extend(lines[done..].iter().map(|line| (*line).to_owned()));
        if is_other && std::env::var_os("UPDATE_DOCUMENTS").is_some() {
            fs::write(&page, whole.join("\n") + "\n").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let schemas = fs::read_dir(root().join("formats/schemas")).unwrap().map(|entry| entry.unwrap().file_name());
    let formats: Vec<String> = schemas.map(|name| name.to_string_lossy().replace(".schema.json", "")).collect();
    let missing: Vec<&String> = formats.iter().filter(|name| !names.contains(name)).collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
}
