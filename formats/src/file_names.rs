//! Several file names in one argument, separated by commas.
//!
//! A comma that is part of a name is written `\,`. A backslash before a comma or another backslash is written `\\`; any other one
//! may stand alone. Whoever hands on names that others have chosen writes them with [`quoted`], so that none is read as two.
//! Does not know what is in the files.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// A name as it is written among others: [`split`] gives back just this name, whatever is in it.
#[must_use]
pub fn quoted(name: &Path) -> OsString {
    let mut bytes = Vec::with_capacity(name.as_os_str().len());
    for byte in name.as_os_str().as_bytes() {
        if matches!(byte, b',' | b'\\') {
            bytes.push(b'\\');
        }
        bytes.push(*byte);
    }
    OsString::from_vec(bytes)
}

/// The names that an argument lists.
#[must_use]
pub fn split(list: &OsStr) -> Vec<PathBuf> {
    let (mut names, mut name) = (Vec::new(), Vec::new());
    let mut bytes = list.as_bytes().iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b',' => names.push(std::mem::take(&mut name)),
            b'\\' => name.push(bytes.next_if(|next| matches!(next, b',' | b'\\')).unwrap_or(b'\\')),
            other => name.push(other),
        }
    }
    names.push(name);
    names.into_iter().map(|name| PathBuf::from(OsString::from_vec(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_names_unless_they_are_quoted() {
        for (list, names) in [
            ("a.c", &["a.c"][..]),
            ("a.c,b.c", &["a.c", "b.c"]),
            (r"p\,q.c,b.c", &["p,q.c", "b.c"]),
            (r"a\b.c", &[r"a\b.c"]),
            (r"a\\,b.c", &[r"a\", "b.c"]),
            (r"a.c\", &[r"a.c\"]),
        ] {
            let expected: Vec<PathBuf> = names.iter().map(PathBuf::from).collect();
            assert_eq!(split(OsStr::new(list)), expected, "{list}");
        }
    }

    #[test]
    fn a_quoted_name_is_one_whatever_is_in_it() {
        for name in ["a.c", "p,q.c", "c.c,/tmp/x/secret.c", r"a\,b.c", r"\", r"\\", r"a\", ",", r"\,\\,,", r"ü\n,"] {
            assert_eq!(split(&quoted(Path::new(name))), [PathBuf::from(name)], "{name}");
        }
        let bytes = Path::new(OsStr::from_bytes(b"\xff,\\\xfe"));
        assert_eq!(split(&quoted(bytes)), [bytes]);
    }
}
