//! Character constants and string literals: prefixes, escapes, joining.

use crate::ast::{CharLiteral, Encoding};
use formats::dense;

/// The encoding a prefix asks for, and its length; `text` begins at the prefix.
pub(crate) fn prefix(text: &[u8]) -> Option<(Encoding, usize)> {
    Some(match text {
        [b'"' | b'\'', ..] => (Encoding::Plain, 0),
        [b'L', b'"' | b'\'', ..] => (Encoding::Wide, 1),
        [b'u', b'"' | b'\'', ..] => (Encoding::Char16, 1),
        [b'U', b'"' | b'\'', ..] => (Encoding::Char32, 1),
        [b'u', b'8', b'"', ..] => (Encoding::Utf8, 2),
        _ => return None,
    })
}

/// Length of the constant or literal that begins with a quote, quotes included; `None` if its
/// line ends before it does.
pub(crate) fn quoted_length(text: &[u8]) -> Option<usize> {
    let quote = *text.first()?;
    let mut at = 1;
    loop {
        match *text.get(at)? {
            b'\n' => return None,
            b'\\' if text.get(at + 1) != Some(&b'\n') => at += 2,
            byte => {
                at += 1;
                if byte == quote {
                    return Some(at);
                }
            }
        }
    }
}

/// Reads a character constant, prefix included.
pub(crate) fn char_constant(text: &[u8]) -> Result<CharLiteral, String> {
    let (encoding, skipped) = prefix(text).ok_or("malformed character constant")?;
    let mut units = Vec::new();
    decode(&text[skipped + 1..text.len() - 1], encoding, &mut units)?;
    let value = match encoding {
        Encoding::Plain | Encoding::Utf8 => units.iter().fold(0, |value: u32, unit| value.wrapping_shl(8) | unit),
        Encoding::Char16 | Encoding::Char32 | Encoding::Wide => units.last().copied().unwrap_or(0),
    };
    if units.is_empty() {
        return Err("empty character constant".to_owned());
    }
    Ok(CharLiteral { encoding, value, units: dense(units.len()) })
}

/// Joins the pieces of a string literal, each with prefix and quotes.
pub(crate) fn string_literal(pieces: &[&[u8]]) -> Result<(Encoding, Box<[u32]>), String> {
    let mut encoding = Encoding::Plain;
    for piece in pieces {
        match prefix(piece) {
            None | Some((Encoding::Plain, _)) => {}
            Some((other, _)) if encoding == Encoding::Plain || encoding == other => encoding = other,
            Some(_) => return Err("string literals of different kinds cannot be joined".to_owned()),
        }
    }
    let mut units = Vec::with_capacity(pieces.iter().map(|piece| piece.len()).sum());
    for piece in pieces {
        let skipped = prefix(piece).map_or(0, |(_, length)| length);
        decode(&piece[skipped + 1..piece.len() - 1], encoding, &mut units)?;
    }
    Ok((encoding, units.into()))
}

/// Appends the code units of the characters and escapes between the quotes.
fn decode(text: &[u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<(), String> {
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'\\' {
            at += 1 + escape(&text[at + 1..], encoding, units)?;
        } else if text[at] < 0x80 || matches!(encoding, Encoding::Plain | Encoding::Utf8) {
            units.push(u32::from(text[at]));
            at += 1;
        } else {
            let (character, length) = utf8(&text[at..]).ok_or("a wide literal that is not UTF-8")?;
            push_character(character, encoding, units);
            at += length;
        }
    }
    Ok(())
}

/// The UTF-8 character at the beginning of `text`.
fn utf8(text: &[u8]) -> Option<(char, usize)> {
    (2..=4).find_map(|length| {
        let character = std::str::from_utf8(text.get(..length)?).ok()?.chars().next()?;
        Some((character, length))
    })
}

/// Appends a character in the encoding.
fn push_character(character: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => {
            units.extend(character.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        Encoding::Char16 => {
            units.extend(character.encode_utf16(&mut [0; 2]).iter().map(|unit| u32::from(*unit)));
        }
        Encoding::Char32 | Encoding::Wide => units.push(character as u32),
    }
}

/// Appends the meaning of an escape; `text` begins after the backslash. Returns its length.
fn escape(text: &[u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<usize, String> {
    let first = *text.first().ok_or("a backslash at the end of a literal")?;
    let simple = match first {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' | b'E' => 27,
        b'x' => return hexadecimal(text, encoding, units),
        b'0'..=b'7' => {
            let digits = text.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let octal = |value, byte: &u8| value * 8 + u32::from(byte - b'0');
            units.push(text[..digits].iter().fold(0, octal) & unit_mask(encoding));
            return Ok(digits);
        }
        b'u' | b'U' => return universal(text, encoding, units),
        // As gcc does with a warning: an unknown escape is the character itself.
        other if other < 0x80 => other,
        _ => return Err("a backslash before a character that is not ASCII".to_owned()),
    };
    units.push(u32::from(simple));
    Ok(1)
}

/// `\x…` with any number of digits, cut to the size of a unit.
fn hexadecimal(text: &[u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<usize, String> {
    let digits = text[1..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits == 0 {
        return Err("`\\x` without digits".to_owned());
    }
    let value =
        text[1..=digits].iter().fold(0_u32, |value, byte| value.wrapping_shl(4) | (*byte as char).to_digit(16).unwrap_or(0));
    units.push(value & unit_mask(encoding));
    Ok(digits + 1)
}

/// `\u….` and `\U……..`: a character by its number.
fn universal(text: &[u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<usize, String> {
    let (character, length) = universal_character(text).ok_or("a malformed universal character name")?;
    push_character(character, encoding, units);
    Ok(length)
}

/// The character of `u….` or `U……..`, and the length with the letter.
pub(crate) fn universal_character(text: &[u8]) -> Option<(char, usize)> {
    let digits = if *text.first()? == b'u' { 4 } else { 8 };
    let number = std::str::from_utf8(text.get(1..=digits)?).ok()?;
    if !number.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some((char::from_u32(u32::from_str_radix(number, 16).ok()?)?, digits + 1))
}

/// The bits of one code unit.
fn unit_mask(encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xff,
        Encoding::Char16 => 0xffff,
        Encoding::Char32 | Encoding::Wide => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(pieces: &[&str]) -> String {
        let pieces: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
        match string_literal(&pieces) {
            Ok((encoding, units)) => format!("{encoding:?} {units:x?}"),
            Err(message) => message,
        }
    }

    #[test]
    fn strings_are_joined_in_the_widest_encoding() {
        assert_eq!(string(&[r#""ab""#, r#""c\n\0""#]), "Plain [61, 62, 63, a, 0]");
        assert_eq!(string(&[r#""é""#]), "Plain [c3, a9]");
        assert_eq!(string(&[r#""é\xff""#, r#"L"b""#]), "Wide [e9, ff, 62]");
        assert_eq!(string(&[r#"u"\U0001F600\xfffff""#]), "Char16 [d83d, de00, ffff]");
        assert_eq!(string(&[r#"u8"\u00e9""#]), "Utf8 [c3, a9]");
        assert_eq!(string(&[r#"U"😀""#]), "Char32 [1f600]");
        assert_eq!(string(&[r#"L"a""#, r#"U"b""#]), "string literals of different kinds cannot be joined");
        assert_eq!(string(&[r#""\e\q\1234\x41g""#]), "Plain [1b, 71, 53, 34, 41, 67]");
        assert_eq!(string(&[r#""\x""#]), "`\\x` without digits");
    }

    #[test]
    fn character_constants() {
        let value = |text: &str| char_constant(text.as_bytes()).map(|c| (c.value, c.units));
        assert_eq!(value("'a'"), Ok((97, 1)));
        assert_eq!(value(r"'\377'"), Ok((255, 1)));
        assert_eq!(value("'ab'"), Ok((0x6162, 2)));
        assert_eq!(value(r"L'\x20ac'"), Ok((0x20ac, 1)));
        assert_eq!(value("u'é'"), Ok((0xe9, 1)));
        assert_eq!(value(r"'\''"), Ok((39, 1)));
        assert!(value("''").is_err());
    }

    #[test]
    fn quotes_end_on_their_line() {
        assert_eq!(quoted_length(br#""a\"b" c"#), Some(6));
        assert_eq!(quoted_length(b"\"ab\n\""), None);
        assert_eq!(quoted_length(b"'a"), None);
        assert_eq!(quoted_length(b"'\\\n'"), None);
    }
}
