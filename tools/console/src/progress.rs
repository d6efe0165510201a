//! What a tool is doing right now, on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// One line on stderr that says what the tool is doing; nothing if stderr is no terminal.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Progress that is shown if stderr is a terminal.
    #[must_use]
    pub fn on_terminal() -> Self {
        if !io::stderr().is_terminal() {
            return Self::none();
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {prefix}: {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar: Some(bar) }
    }

    /// Progress that is never shown.
    #[must_use]
    pub const fn none() -> Self {
        Self { bar: None }
    }

    /// Names what begins now.
    pub fn phase(&self, name: &str) {
        if let Some(bar) = &self.bar {
            bar.set_prefix(name.to_owned());
            bar.set_message("");
        }
    }

    /// Says how far it is; `message` is called only if it is shown.
    pub fn update(&self, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            // Files are named in it.
            bar.set_message(formats::shown::one_line(&message()).into_owned());
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
