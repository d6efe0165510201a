//! Where colours are shown. Does not know what is coloured.

use std::io::IsTerminal;

/// Whether a stream shows colours: one of a terminal, unless `NO_COLOR` is set to anything.
pub(crate) fn shows_colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
