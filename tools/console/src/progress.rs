//! What a tool is doing right now, on a terminal only.

use crate::budget::Budget;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::time::Duration;

/// One line on stderr that says what the tool is doing; nothing if stderr is no terminal.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Progress that is shown if stderr is a terminal, with the share of a budget of CPU time that is used up.
    #[must_use]
    pub fn on_terminal(budget: Option<Duration>) -> Self {
        if !io::stderr().is_terminal() {
            return Self::none();
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}{share} {prefix}{msg}") {
            let used = move |_: &ProgressState, out: &mut dyn Write| {
                // What cannot be shown is no reason to stop.
                let _ = out.write_str(&share(Budget::cpu_used(), budget));
            };
            bar.set_style(style.with_key("share", used));
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
            bar.set_message(format!(": {}", formats::shown::one_line(&message())));
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Which share of a budget is used up: `, 12% of 60 s CPU`.
fn share(used: Duration, budget: Option<Duration>) -> String {
    let Some(budget) = budget.filter(|budget| !budget.is_zero()) else { return String::new() };
    format!(", {:.0}% of {} s CPU", 100.0 * used.as_secs_f64() / budget.as_secs_f64(), budget.as_secs_f64())
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_a_budget() {
        let seconds = Duration::from_secs;
        assert_eq!(share(seconds(6), Some(seconds(48))), ", 12% of 48 s CPU");
        assert_eq!(share(seconds(6), None), "");
        assert_eq!(share(seconds(6), Some(Duration::ZERO)), "");
    }
}
