//! Properties given beside a program: what is to hold at places of it, in a file of its own.
//!
//! The file is an `invariant_set` as correctness witnesses 2.x have it, of which only the invariants are read, so that a
//! witness can be one: a sequence of entries with `content`, each element an `invariant` of type `location_invariant`.
//! Does not know programs: whether a place is there is not decided here.

use serde::Deserialize;
use serde_json::Value;

use crate::ArtifactError;

/// The name of the format, for messages.
pub const FORMAT: &str = "properties (invariant_set)";
/// More properties than this are refused.
pub const MOST: usize = 10_000;

/// What is to hold before a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The file of the statement, if it is named.
    pub file: Option<String>,
    /// The function of the statement, if it is named.
    pub function: Option<String>,
    /// The line that the statement begins on, from 1.
    pub line: u32,
    /// The column that it begins at, from 1; the first statement of the line without it.
    pub column: Option<u32>,
    /// What is to hold, in C.
    pub expression: String,
}

#[derive(Deserialize)]
struct Entry {
    entry_type: String,
    #[serde(default)]
    content: Vec<Element>,
}

#[derive(Deserialize)]
struct Element {
    invariant: Wire,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(rename = "type")]
    kind: String,
    location: Location,
    value: Value,
    #[serde(default)]
    format: Option<String>,
}

#[derive(Deserialize)]
struct Location {
    #[serde(default)]
    file_name: Option<String>,
    #[serde(default)]
    function: Option<String>,
    line: u32,
    #[serde(default)]
    column: Option<u32>,
}

/// Reads properties; `file` is the name in messages.
///
/// # Errors
/// [`ArtifactError`] for what is no such file, or has something that is not a property of a place.
pub fn read(bytes: &[u8], file: &str) -> Result<Vec<Property>, ArtifactError> {
    let malformed = |message: String| ArtifactError::Malformed {
        file: file.to_owned(),
        expected: FORMAT.to_owned(),
        line: 1,
        column: 1,
        message,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| malformed(error.to_string()))?;
    let entries: Vec<Value> = serde_saphyr::from_str(text).map_err(|error| {
        // What follows is an excerpt.
        let message = error.to_string();
        let line = message.lines().next().unwrap_or_default();
        malformed(line.strip_prefix("error: ").unwrap_or(line).to_owned())
    })?;
    let mut found = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let at = |message: String| malformed(format!("entry {}: {message}", number + 1));
        let entry = Entry::deserialize(entry).map_err(|error| at(error.to_string()))?;
        if entry.entry_type != "invariant_set" {
            return Err(at(format!("`{}` where `invariant_set` is expected", entry.entry_type)));
        }
        for (position, element) in entry.content.into_iter().enumerate() {
            let property = property(element.invariant).map_err(|why| at(format!("element {}: {why}", position + 1)))?;
            found.push(property);
        }
    }
    match found.len() {
        0 => Err(malformed("there is no property in it".to_owned())),
        1..=MOST => Ok(found),
        number => Err(malformed(format!("{number} properties, of {MOST} that are read"))),
    }
}

fn property(wire: Wire) -> Result<Property, String> {
    match wire.kind.as_str() {
        "location_invariant" => {}
        "loop_invariant" => {
            return Err("a `loop_invariant`: name the first statement of the loop, or the one behind it, in a \
                        `location_invariant`"
                .to_owned());
        }
        other => return Err(format!("`{other}` where `location_invariant` is expected")),
    }
    if wire.format.as_deref().is_some_and(|format| !matches!(format, "c_expression" | "C")) {
        return Err("the format is not `c_expression`".to_owned());
    }
    let expression = match wire.value {
        Value::String(text) => text,
        Value::Bool(value) => u8::from(value).to_string(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return Err("`value` is no C expression".to_owned()),
    };
    let expression = expression.split_whitespace().collect::<Vec<_>>().join(" ");
    if expression.is_empty() || expression.contains(char::is_control) {
        return Err("`value` is no C expression".to_owned());
    }
    // It will stand in a line with other text.
    if ["//", "/*", "??/", "%:", "#"].iter().any(|what| expression.contains(what)) {
        return Err("`value` has a comment or a directive in it".to_owned());
    }
    let Location { file_name, function, line, column } = wire.location;
    if line == 0 || column == Some(0) {
        return Err("lines and columns count from 1".to_owned());
    }
    Ok(Property { file: file_name, function, line, column, expression })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "- entry_type: invariant_set
  metadata: {format_version: \"2.0\"}
  content:
  - invariant: {type: location_invariant, location: {line: 4, column: 3, function: main}, value: \"x <= 9 &&\\n x > 0\"}
  - invariant: {type: location_invariant, location: {file_name: p.c, line: 5}, value: 1, format: c_expression}
";

    #[test]
    fn properties_are_read() {
        let found = read(FILE.as_bytes(), "p.yml").unwrap();
        assert_eq!(found[0].expression, "x <= 9 && x > 0");
        assert_eq!((found[0].line, found[0].column, found[0].function.as_deref()), (4, Some(3), Some("main")));
        assert_eq!((found[1].line, found[1].file.as_deref(), found[1].expression.as_str()), (5, Some("p.c"), "1"));
    }

    #[test]
    fn what_is_none_is_refused() {
        for (from, to, said) in [
            ("location_invariant", "loop_invariant", "first statement of the loop"),
            ("location_invariant", "contract", "is expected"),
            ("invariant_set", "violation_sequence", "is expected"),
            ("line: 4", "line: 0", "count from 1"),
            ("line: 4", "line: -4", "entry 1"),
            ("column: 3", "column: 0", "count from 1"),
            ("value: 1", "value: [1]", "no C expression"),
            ("value: 1", "value: \"\"", "no C expression"),
            ("value: 1", "value: \"x > 0 // why\"", "comment"),
            ("value: 1", "value: \"x /* y */ > 0\"", "comment"),
            ("c_expression", "acsl", "c_expression"),
            ("content", "contents", "no property"),
            ("- invariant: {type: location_invariant, location: {line: 4", "- invariant: {location: {line: 4", "type"),
        ] {
            let error = read(FILE.replacen(from, to, 1).as_bytes(), "p.yml").unwrap_err();
            assert!(format!("{error:?}").contains(said), "{from} {to}: {error:?}");
        }
        for bytes in [&b""[..], b"\xff\xfe", b"{}", b"- 1", b"[]", b"- entry_type: [", b"&a [*a]"] {
            assert!(read(bytes, "p.yml").is_err(), "{bytes:?}");
        }
    }
}
