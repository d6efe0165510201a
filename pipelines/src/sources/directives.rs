//! What one line of a C text includes or asks for, without knowing the lines before and behind it.
//!
//! A line may begin within a comment, or behind a line splice: whatever it could mean counts. A name counts as told only if it
//! stands alone behind the word, as one literal; everything else (macros, more words, what the line does not end) may be any file.
//! Does not know what is done with the names.

/// What a line says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The operands, as they are written.
    pub(super) names: Vec<&'a str>,
    /// Something that the line does not tell.
    pub(super) computed: bool,
}

/// Where a directive may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    /// Here, with its sign.
    Here,
    /// Here, or in a line before.
    Before,
}

/// Directives that take a file in.
const WORDS: [&str; 4] = ["include", "include_next", "import", "embed"];
/// Signs with which directives begin, and what a splice may leave of them.
const MARKS: [&str; 6] = ["#", "%:", "??=", ":", "?=", "="];
/// Operators that ask for a file.
const ASKING: [&str; 2] = ["__has_include", "__has_embed"];

impl<'a> Line<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        let mut found = Self::default();
        found.take_directive(line, Begin::Here);
        // It may begin within a comment, which may have begun within a directive.
        if let Some((_, behind)) = line.split_once("*/") {
            found.take_directive(behind, Begin::Before);
        }
        // A splice may cut the end of a comment.
        if let Some(behind) = line.strip_prefix('/') {
            found.take_directive(behind, Begin::Before);
        }
        found.take_questions(line);
        found
    }

    /// Takes down the directive with which a text begins, if it is one that takes a file in.
    fn take_directive(&mut self, text: &'a str, begin: Begin) {
        let Some(text) = behind_comments(text) else { return };
        let mark = MARKS.iter().find_map(|mark| text.strip_prefix(mark));
        let Some(rest) = mark.or_else(|| (begin == Begin::Before).then_some(text)).and_then(behind_comments) else { return };
        let (word, rest) = word_of(rest);
        if WORDS.contains(&word) {
            match operand(rest).filter(|(_, rest)| behind_comments(rest).is_none_or(str::is_empty)) {
                Some((name, _)) => self.names.push(name),
                None => self.computed = true,
            }
        } else if matches!(word, "define" | "if" | "elif") {
            // Macros may put an operator together.
            self.computed |= words_of(rest).any(|word| WORDS.contains(&word));
        }
    }

    /// Takes down what operators ask for.
    fn take_questions(&mut self, line: &'a str) {
        for operator in ASKING {
            for (at, _) in line.match_indices(operator) {
                let before = line[..at].trim_end().trim_end_matches('(').trim_end();
                if ["defined", "ifdef", "ifndef", "elifdef", "elifndef"].iter().any(|word| before.ends_with(word)) {
                    continue;
                }
                let (_, rest) = word_of(&line[at..]);
                let asked = behind_comments(rest).and_then(|rest| operand(rest.strip_prefix('(')?));
                match asked.filter(|(_, rest)| behind_comments(rest).is_some_and(|rest| rest.starts_with(')'))) {
                    Some((name, _)) => self.names.push(name),
                    None => self.computed = true,
                }
            }
        }
    }
}

/// The name in the literal with which a text begins, and what is behind it.
fn operand(text: &str) -> Option<(&str, &str)> {
    let text = behind_comments(text)?;
    let (name, rest) = match text.strip_prefix('"') {
        Some(inside) => inside.split_once('"')?,
        None => text.strip_prefix('<')?.split_once('>')?,
    };
    // A trigraph is another sign.
    (!name.contains("??")).then_some((name, rest))
}

/// A text without blanks and comments at its begin; `None` if a comment has no end. A comment up to the end of a line is an end
/// unless it goes on in the next.
fn behind_comments(text: &str) -> Option<&str> {
    let mut rest = text.trim_ascii_start().trim_start_matches('\u{b}');
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
        if rest.starts_with("//") {
            return Some("");
        }
        let Some(comment) = rest.strip_prefix("/*") else { return Some(rest) };
        let (_, behind) = comment.split_once("*/")?;
        rest = behind;
    }
}

/// The word with which a text begins, and what is behind it.
fn word_of(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !is_of_word(c)).unwrap_or(text.len()))
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_of_word(c))
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

/// A text with the lines put together that a splice divides.
pub(super) fn spliced(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let end = line.trim_end();
        let cut = end.strip_suffix('\\').or_else(|| end.strip_suffix("??/"));
        out.push_str(cut.unwrap_or(line));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_is_told() {
        for (line, name) in [
            ("#include \"cfg.h\"", "cfg.h"),
            (" %: include_next <a/cfg.h> // \"old.h\"\r", "a/cfg.h"),
            ("??=import/**/\"cfg.h \"/* and", "cfg.h "),
            ("/* \" */ #include \"cfg.h\"", "cfg.h"),
            ("/* it\"s */ #include \"cfg.h\" /* \" */", "cfg.h"),
            ("/* \"old */ #include \"cfg.h\" // \"", "cfg.h"),
            ("/* < */ #include <cfg.h>", "cfg.h"),
            ("*/ include \"cfg.h\"", "cfg.h"),
            ("#if __has_include /* x */ ( <cfg.h> )", "cfg.h"),
        ] {
            let found = Line::of(line);
            assert!(found.names.contains(&name) && !found.computed, "{line}: {found:?}");
        }
        for line in ["// we include much", "int include = 3; // \"a\"", "#error include \"x.h\" first", "#ifdef __has_include"] {
            assert_eq!(Line::of(line), Line::default(), "{line}");
        }
    }

    #[test]
    fn all_else_may_be_any_file() {
        for line in [
            "#include HDR // was \"old.h\"",
            "#include HDR /* \"old.h\" */",
            "#include F(HDR,\"x\")",
            "#include HDR // a < b > c",
            "#include T(cfg.h) // see \"old.h\"",
            "#include HDR \"x.h\"",
            "#include \"x.h\" HDR",
            "#if __has_include(\"old.h\") || __has_include(HDR)",
            "__has_include(/* \"old.h\" */ HDR)",
            "#define ASKS __has_include",
            "#if PASTE(__has_,include)(\"cfg.h\")",
            "/* \"a\" */ %:include HDR",
            "/* \"x\" */ #include \"cf\\",
            "/* <x> */ #include <cf\\",
            "#include \"a.h\" \\",
            "/ #include HDR",
            ":include HDR",
            "\"a.h\" */ #include HDR // \"",
            "# include /* \"a.h\"",
            "#include \"cfg??-.h\"",
        ] {
            assert!(Line::of(line).computed, "{line}");
        }
    }
}
