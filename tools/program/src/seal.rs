//! The seal of a residual program: its last line carries the hash of everything above it.
//!
//! A truncated stream of C text often still parses, with the missing functions as unknown ones, and would then be
//! proved. So whoever reads a text that begins like a residual program refuses it unless the seal fits.
//! Does not know what a residual program contains.

use std::path::{Path, PathBuf};

use formats::{DataModel, Property};
use sha2::{Digest, Sha256};

/// How every residual program begins.
pub const BEGINNING: &str = "/* residual program";

/// How a residual program is to be read, as its first comment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Sizes of types.
    pub data_model: DataModel,
    /// Function where the program starts.
    pub entry: String,
    /// What must not happen.
    pub property: Property,
}

/// What the first comment of a residual program says about how to read it; `None` if it says nothing.
#[must_use]
pub fn reading(text: &[u8]) -> Option<Reading> {
    let text = text.strip_prefix(BEGINNING.as_bytes())?;
    let end = text.windows(2).position(|pair| pair == b"*/")?;
    let comment = std::str::from_utf8(&text[..end]).ok()?;
    let field = |name: &str| comment.lines().find_map(|line| line.strip_prefix(" * ")?.strip_prefix(name)?.strip_prefix(": "));
    Some(Reading {
        data_model: field("data-model")?.parse().ok()?,
        entry: field("entry")?.to_owned(),
        property: field("property")?.parse().ok()?,
    })
}

/// Refuses a text that begins like a residual program where programs come from outside and are checked for a property of
/// operations: nothing guards the operations of such a text, for a reducer has written its guards. That it was a reducer who
/// wrote it no seal shows, nor that it did so for this property.
///
/// # Errors
/// [`GuardsMissing`] if it is one.
pub fn refuse(path: &Path, text: &[u8], property: Property) -> Result<(), GuardsMissing> {
    if property.is_of_operations() && text.starts_with(BEGINNING.as_bytes()) {
        return Err(GuardsMissing { path: path.to_owned() });
    }
    Ok(())
}

/// A residual program in the place of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{}: a residual program, whose operations nothing guards any more", formats::shown::name(.path))]
#[diagnostic(code(program::residual), help("give the program that it was made of, or let `verify` read it by itself"))]
pub struct GuardsMissing {
    path: PathBuf,
}

const TRAILER: &str = "/* residual program: SHA-256 of everything above is ";
const END: &str = " */\n";

/// Why a residual program is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The last line is missing.
    #[error("a residual program without its trailer: the text was cut off, build it again")]
    MissingTrailer,
    /// The text is not the one the trailer was made for.
    #[error("a residual program whose trailer carries another hash: the text was changed, build it again")]
    Mismatch,
}

/// Appends the trailer to a text that begins with [`BEGINNING`] and ends with a line end.
#[must_use]
pub fn seal(text: String) -> String {
    let hash = hash(text.as_bytes());
    text + TRAILER + &hash + END
}

/// Whether the text is a residual program, i.e. begins like one.
///
/// # Errors
/// [`SealError`] if it is one and its trailer does not fit.
pub fn check(text: &[u8]) -> Result<bool, SealError> {
    if !text.starts_with(BEGINNING.as_bytes()) {
        return Ok(false);
    }
    let body = text.strip_suffix(END.as_bytes()).ok_or(SealError::MissingTrailer)?;
    let start = body.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (above, last) = body.split_at(start);
    let found = last.strip_prefix(TRAILER.as_bytes()).ok_or(SealError::MissingTrailer)?;
    if found == hash(above).as_bytes() { Ok(true) } else { Err(SealError::Mismatch) }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comment_says_how_to_read_the_rest() {
        let text = format!("{BEGINNING}\n * data-model: ILP32\n * entry: start\n * property: assert\n */\nint x;\n");
        let expected = Reading { data_model: DataModel::ILP32, entry: "start".to_owned(), property: Property::Assert };
        assert_eq!(reading(text.as_bytes()), Some(expected));
        assert_eq!(reading(b"int x;"), None);
        assert_eq!(reading(format!("{BEGINNING} */").as_bytes()), None);
    }

    #[test]
    fn whose_guards_are_taken_for_given_is_refused_from_outside() {
        let path = Path::new("a.c");
        let sealed = seal(format!("{BEGINNING}\n * property: no-overflow\n */\nint main(void) {{ return 0; }}\n"));
        let refused = refuse(path, sealed.as_bytes(), Property::NoOverflow).unwrap_err();
        assert_eq!(refused.to_string(), "a.c: a residual program, whose operations nothing guards any more");
        assert_eq!(refuse(path, sealed.as_bytes(), Property::UnreachCall), Ok(()));
        assert_eq!(refuse(path, b"int main(void) { return 0; }", Property::NoOverflow), Ok(()));
    }

    #[test]
    fn only_the_whole_text_passes() {
        let sealed = seal(format!("{BEGINNING} */\nint main(void) {{ return 0; }}\n"));
        assert_eq!(check(sealed.as_bytes()), Ok(true));
        for cut in BEGINNING.len()..sealed.len() {
            assert!(check(&sealed.as_bytes()[..cut]).is_err(), "cut after {cut} bytes");
        }
        assert_eq!(check(sealed.replacen("main", "mine", 1).as_bytes()), Err(SealError::Mismatch));
        assert_eq!(check(b"int main(void) { return 0; }"), Ok(false));
    }
}
