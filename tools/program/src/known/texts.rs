//! What functions of the C library that print read of the texts they get.
//!
//! Knows formats and the functions that have them, and what gcc makes of two of them. Does not know expressions: whoever asks
//! says which arguments are literals. A function or a format that is missing here makes an access unsupported, not wrong.

use super::null::format_of;

/// How much of a text a function reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it, with its end; null is no text.
    Whole,
    /// All of it; null is printed as a text of its own, which the C libraries that there are do.
    Printed,
    /// As `Printed`, up to so many characters.
    AtMost(Bound),
}

/// A precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// As the format has it.
    Number(i32),
    /// The argument of this number; below 0 there is none.
    Argument(usize),
}

/// A text that a call reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// The number of the argument, counted from 0.
    pub argument: usize,
    /// How much of it.
    pub extent: Extent,
}

impl Extent {
    /// The function of `tools/program/library/text.c` that reads so much: of the text, and the bound if there is one.
    #[must_use]
    pub fn reader(self) -> &'static str {
        match self {
            Self::Whole => "__residue_read_text",
            Self::Printed => "__residue_print_text",
            Self::AtMost(_) => "__residue_print_some",
        }
    }
}

/// Whether a function may read texts that only its call tells.
#[must_use]
pub fn prints_texts(name: &str) -> bool {
    matches!(name, "puts" | "fputs" | "printf" | "fprintf" | "dprintf" | "__printf_chk" | "__fprintf_chk")
}

impl Yield {
    /// Of a call with a variable for its result, or without.
    #[must_use]
    #[expect(clippy::fn_params_excessive_bools, reason = "this is where the flag becomes a word")]
    pub const fn of(has_result: bool) -> Self {
        if has_result { Self::Used } else { Self::Unused }
    }
}

/// Whether an argument of a function is printed as its format says: it is read as a text, or only its value is.
#[must_use]
pub fn is_printed(name: &str, argument: usize) -> bool {
    prints_texts(name) && format_of(name).is_some_and(|format| argument > format)
}

/// Whether anybody looks at what a call yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// Somebody does.
    Used,
    /// Nobody does: gcc calls `puts` or `fputs` for two formats then, which take no null.
    Unused,
}

/// The texts that a call reads, and that it reads nothing else behind its arguments, a stream aside; `None` if that is not known.
///
/// `literal` has the bytes of an argument that is a string literal, `count` is the number of arguments.
#[must_use]
pub fn texts<'t>(name: &str, literal: impl Fn(usize) -> Option<&'t [u8]>, count: usize, result: Yield) -> Option<Vec<Text>> {
    if matches!(name, "puts" | "fputs") {
        return (count > 0).then(|| vec![Text { argument: 0, extent: Extent::Whole }]);
    }
    if !prints_texts(name) {
        return None;
    }
    let format = format_of(name)?;
    let text = literal(format)?;
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut found = of_format(text, format + 1)?;
    let is_put = result == Yield::Unused
        && match name {
            "printf" | "__printf_chk" => text == b"%s\n",
            "fprintf" | "__fprintf_chk" => text == b"%s",
            _ => false,
        };
    if is_put {
        found.iter_mut().for_each(|text| text.extent = Extent::Whole);
    }
    found.iter().all(|text| text.argument < count && argument_of(text).is_none_or(|bound| bound < count)).then_some(found)
}

fn argument_of(text: &Text) -> Option<usize> {
    match text.extent {
        Extent::AtMost(Bound::Argument(number)) => Some(number),
        Extent::AtMost(Bound::Number(_)) | Extent::Whole | Extent::Printed => None,
    }
}

/// The texts that a format asks for, the arguments counted from `next`; `None` where it writes, numbers its arguments, has wide
/// characters or is not understood.
fn of_format(format: &[u8], mut next: usize) -> Option<Vec<Text>> {
    let mut rest = format.iter().copied().peekable();
    let mut take = || {
        next += 1;
        next - 1
    };
    let mut found = Vec::new();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        while rest.next_if(|byte| b"-+ #0'".contains(byte)).is_some() {}
        if rest.next_if_eq(&b'*').is_some() {
            take();
        } else {
            while rest.next_if(u8::is_ascii_digit).is_some() {}
        }
        let mut extent = Extent::Printed;
        if rest.next_if_eq(&b'.').is_some() {
            extent = Extent::AtMost(if rest.next_if_eq(&b'*').is_some() {
                Bound::Argument(take())
            } else {
                let mut number = 0i32;
                while let Some(digit) = rest.next_if(u8::is_ascii_digit) {
                    number = number.checked_mul(10)?.checked_add(i32::from(digit - b'0'))?;
                }
                Bound::Number(number)
            });
        }
        let mut is_plain = true;
        while rest.next_if(|byte| b"hlqLjzt".contains(byte)).is_some() {
            is_plain = false;
        }
        match rest.next()? {
            b'%' => {}
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'c' | b'p' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                take();
            }
            b's' if is_plain => found.push(Text { argument: take(), extent }),
            _ => return None,
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, format: &str, count: usize, result: Yield) -> Option<Vec<(usize, Extent)>> {
        let at = format_of(name)?;
        let literal = |number: usize| (number == at).then_some(format.as_bytes());
        Some(texts(name, literal, count, result)?.into_iter().map(|text| (text.argument, text.extent)).collect())
    }

    #[test]
    fn texts_are_counted_among_all_arguments() {
        let (printed, some) = (Extent::Printed, |bound| Extent::AtMost(bound));
        assert_eq!(read("printf", "%d %-5s|%*s %%%p", 7, Yield::Unused), Some(vec![(2, printed), (4, printed)]));
        assert_eq!(
            read("fprintf", "%.3s%.*s%Lf%.s", 8, Yield::Unused).unwrap()[..2],
            [(2, some(Bound::Number(3))), (4, some(Bound::Argument(3)))]
        );
        assert_eq!(read("__fprintf_chk", "%s %llu", 5, Yield::Unused), Some(vec![(3, printed)]));
        assert_eq!(read("printf", "%.s\0%n", 2, Yield::Unused), Some(vec![(1, some(Bound::Number(0)))]));
    }

    #[test]
    fn what_gcc_puts_is_not_null() {
        assert_eq!(read("printf", "%s\n", 2, Yield::Unused), Some(vec![(1, Extent::Whole)]));
        assert_eq!(read("printf", "%s\n", 2, Yield::Used), Some(vec![(1, Extent::Printed)]));
        assert_eq!(read("fprintf", "%s", 3, Yield::Unused), Some(vec![(2, Extent::Whole)]));
        assert_eq!(texts("fputs", |_| None, 2, Yield::Used), Some(vec![Text { argument: 0, extent: Extent::Whole }]));
    }

    #[test]
    fn formats_that_write_or_are_not_understood_are_none() {
        for format in ["%n", "%ls", "%1$s", "%", "%5", "%m", "%S", "%.99999999999s", "%y"] {
            assert_eq!(read("printf", format, 3, Yield::Unused), None, "{format}");
        }
        assert_eq!(read("printf", "%s %s", 2, Yield::Unused), None, "an argument is missing");
        assert_eq!(read("printf", "%.*s", 2, Yield::Unused), None, "an argument is missing");
        assert_eq!(texts("printf", |_| None, 2, Yield::Unused), None);
        assert_eq!(texts("memcpy", |_| None, 3, Yield::Unused), None);
    }
}
