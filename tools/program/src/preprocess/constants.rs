//! Types of integer constants in C90, said in the text.
//!
//! A decimal constant that is too large for `long` is an `unsigned long` in C90 if that holds it, and a `long long` since C99,
//! which is what the front end reads. Those constants get the suffix that says their type, so that a preprocessed text means
//! the same under every standard, and another standard makes another text where it makes another meaning.
//! Invariant: lines stay what they are, and a text that has its suffixes is not changed again.
//! Does not know the other differences between the standards, such as what `inline` means.
//! Source: ISO 9899:1990 §6.1.3.2; beyond `unsigned long` GCC, which goes on with `long long` and `unsigned long long`.

use formats::DataModel;

use super::scan::{comment, line, literal, word};

/// The names of C90 and its dialects for `-std=`.
const C90: [&str; 6] = ["c89", "c90", "gnu89", "gnu90", "iso9899:1990", "iso9899:199409"];

/// Whether arguments of the preprocessor choose C90 or a dialect of it; of several standards the last counts.
#[must_use]
pub fn is_c90(arguments: &[String]) -> bool {
    let mut chosen = None;
    let mut arguments = arguments.iter().map(String::as_str);
    while let Some(argument) = arguments.next() {
        let standard = match argument {
            "-ansi" | "--ansi" => Some("c90"),
            "--std" => arguments.next(),
            _ => argument.strip_prefix("--std=").or_else(|| argument.strip_prefix("-std=")),
        };
        chosen = standard.or(chosen);
    }
    chosen.is_some_and(|standard| C90.contains(&standard))
}

/// A text that the preprocessor has made with these arguments, in which every constant has the type in C99 that its standard
/// gives it. Constants beyond 64 bits stay as they are, for no suffix says what a compiler makes of them.
#[must_use]
pub fn typed_constants(text: Vec<u8>, arguments: &[String], model: DataModel) -> Vec<u8> {
    if is_c90(arguments) { suffixed(&text, model) } else { text }
}

fn suffixed(text: &[u8], model: DataModel) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut at_line_start = true;
    while let Some(byte) = rest.first() {
        let length = match byte {
            b'#' if at_line_start => line(rest),
            b'/' if rest.starts_with(b"/*") => comment(rest),
            b'/' if rest.starts_with(b"//") => line(rest),
            b'"' | b'\'' => literal(rest),
            // A number may follow at once: `case 1 ...2:`.
            b'.' if rest.starts_with(b"...") => 3,
            b'.' | b'0'..=b'9' => number(rest).max(1),
            _ => word(rest).len().max(1),
        };
        at_line_start = *byte == b'\n' || at_line_start && byte.is_ascii_whitespace();
        let (token, behind) = rest.split_at(length);
        match typed(token, model) {
            Some((digits, suffix)) => {
                out.extend_from_slice(digits);
                out.extend_from_slice(suffix);
            }
            None => out.extend_from_slice(token),
        }
        rest = behind;
    }
    out
}

/// Length of the preprocessing number at the beginning; 0 for a dot that begins none.
fn number(text: &[u8]) -> usize {
    if text.first() == Some(&b'.') && !text.get(1).is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    let mut before = 0;
    let is_part = |byte: &&u8| {
        let is_sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
        before = **byte;
        is_sign || byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')
    };
    text.iter().take_while(is_part).count()
}

/// The digits of a decimal constant and the suffix it needs; `None` for any other token, and for a constant that has the same
/// type in both standards.
fn typed(token: &[u8], model: DataModel) -> Option<(&[u8], &'static [u8])> {
    // A constant that begins with zero is an octal or hexadecimal one, for which both standards have unsigned types.
    if !matches!(token.first(), Some(b'1'..=b'9')) {
        return None;
    }
    let (digits, suffix) = token.split_at(token.iter().take_while(|byte| byte.is_ascii_digit()).count());
    let may_be_long = match suffix {
        b"" | b"l" | b"L" => true,
        b"ll" | b"LL" => false,
        _ => return None,
    };
    let value: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let largest_long_long = i64::MAX.unsigned_abs();
    let (largest_long, largest_unsigned_long) = match model {
        DataModel::ILP32 => (u64::from(i32::MAX.unsigned_abs()), u64::from(u32::MAX)),
        DataModel::LP64 => (largest_long_long, u64::MAX),
    };
    if may_be_long && value > largest_long && value <= largest_unsigned_long {
        Some((digits, b"UL"))
    } else if value > largest_long_long {
        Some((digits, b"ULL"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str, model: DataModel) -> String {
        String::from_utf8(suffixed(text.as_bytes(), model)).unwrap()
    }

    fn chooses(arguments: &[&str]) -> bool {
        is_c90(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_standard_counts() {
        for arguments in [
            &["-std=gnu89"][..],
            &["-std=c90"],
            &["--std=iso9899:199409"],
            &["-ansi"],
            &["-std=gnu99", "-ansi"],
            &["--std", "c89"],
            &["-std=c11", "-DX", "-std=iso9899:1990"],
        ] {
            assert!(chooses(arguments), "{arguments:?}");
        }
        for arguments in
            [&[][..], &["-DX"], &["-std=gnu99"], &["-ansi", "-std=c99"], &["-std=c89", "--std", "c11"], &["-std=c9x"]]
        {
            assert!(!chooses(arguments), "{arguments:?}");
        }
    }

    #[test]
    fn other_standards_leave_texts_alone() {
        let text = b"long long x = 2147483648;".to_vec();
        assert_eq!(typed_constants(text.clone(), &["-std=gnu99".to_owned()], DataModel::ILP32), text);
        assert_ne!(typed_constants(text.clone(), &["-std=gnu89".to_owned()], DataModel::ILP32), text);
    }

    #[test]
    fn a_program_that_is_read_has_them() {
        let text = b"#define X 2147483648\n\nlong long x = X; char *s = \"2147483648\";\n".to_vec();
        let preprocessor = vec!["-std=gnu89".to_owned()];
        let options = formats::ProgramOptions { data_model: DataModel::ILP32, preprocessor, ..Default::default() };
        let source = super::super::preprocess_bytes("-".as_ref(), text, &options).unwrap();
        let read = String::from_utf8_lossy(source.text()).into_owned();
        assert!(read.ends_with("\nlong long x = 2147483648UL; char *s = \"2147483648\";\n"), "{read}");
        assert_eq!(source.location(u32::try_from(read.find("long").unwrap()).unwrap()).line, 3);
    }

    /// As gcc 12 tells with `_Generic` for `-std=gnu89`.
    #[test]
    fn constants_have_their_types_of_c90() {
        let narrow = [
            ("2147483647", "2147483647"),
            ("2147483648", "2147483648UL"),
            ("2147483648l", "2147483648UL"),
            ("4294967295L", "4294967295UL"),
            ("4294967296", "4294967296"),
            ("2147483648LL", "2147483648LL"),
            ("9223372036854775807", "9223372036854775807"),
            ("9223372036854775808", "9223372036854775808ULL"),
            ("9223372036854775808L", "9223372036854775808ULL"),
            ("9223372036854775808ll", "9223372036854775808ULL"),
            ("18446744073709551615", "18446744073709551615ULL"),
            ("18446744073709551616", "18446744073709551616"),
        ];
        let wide = [
            ("2147483648", "2147483648"),
            ("9223372036854775807LL", "9223372036854775807LL"),
            ("9223372036854775808", "9223372036854775808UL"),
            ("18446744073709551615L", "18446744073709551615UL"),
            ("9223372036854775808LL", "9223372036854775808ULL"),
            ("18446744073709551616LL", "18446744073709551616LL"),
        ];
        let pairs = narrow.map(|pair| (DataModel::ILP32, pair)).into_iter().chain(wide.map(|pair| (DataModel::LP64, pair)));
        for (model, (before, after)) in pairs {
            assert_eq!(made(before, model), after, "{before} for {model}");
            assert_eq!(made(after, model), after, "{after} for {model}");
        }
    }

    #[test]
    fn constants_are_found_wherever_they_are() {
        for (before, after) in [
            ("f(-2147483648,x+2147483648)", "f(-2147483648UL,x+2147483648UL)"),
            ("case 1 ...2147483648:", "case 1 ...2147483648UL:"),
            ("\"\\\"\"2147483648'\\''", "\"\\\"\"2147483648UL'\\''"),
            ("a/2147483648/2", "a/2147483648UL/2"),
            ("# 1 \"f\"\n2147483648", "# 1 \"f\"\n2147483648UL"),
            ("/* # */2147483648\n", "/* # */2147483648UL\n"),
        ] {
            assert_eq!(made(before, DataModel::ILP32), after);
        }
    }

    #[test]
    fn what_is_no_decimal_constant_stays() {
        for text in [
            "0x80000000 020000000000 0b10000000000000000000000000000000 0xe+2147483648",
            "2147483648U 2147483648uL 2147483648ull 2147483648i 2147483648lL",
            "2147483648.0 1.2147483648 .2147483648 2147483648e1 1e2147483648 1e+2147483648 1.5 1e10 2147483648.",
            "x2147483648 _2147483648 $2147483648 x.x2147483648",
            "\"2147483648\" L\"\\\" 2147483648\" '2147483648' u'\\'2147483648'",
            "/* 2147483648 */ // 2147483648 \\\n2147483648",
            "# 2147483648 \"f\"\n  # 2147483648 \"f\"\n#pragma x 2147483648\n#define X 2147483648\n",
            "",
            ".",
            "\"2147483648",
            "/* 2147483648",
        ] {
            assert_eq!(made(text, DataModel::ILP32), text);
        }
    }
}
