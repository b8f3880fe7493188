//! Progress of long commands on standard error: a bar with rate and remaining time on a terminal, a line a minute elsewhere.

use std::{
    io::{self, IsTerminal as _},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{runs::status::duration_text, search::budget::Stopwatch};

/// Where there is no terminal, a line is printed this often.
const LOG_INTERVAL: Duration = Duration::from_secs(60);
/// Redraws of a terminal's line in a second.
const REDRAW_RATE: u8 = 10;

/// How far a command is.
pub(super) struct Progress {
    /// What is counted: "games".
    unit: &'static str,
    /// The line of a terminal; none where there is none.
    bar: Option<ProgressBar>,
    stopwatch: Stopwatch,
    last_line: Duration,
    total: u64,
    /// What was done before this command.
    before: u64,
    new: u64,
    /// What else is told, such as the score of a match.
    note: String,
}

impl Progress {
    /// Nothing is shown before [`Self::begin`].
    pub(super) fn new(unit: &'static str) -> Self {
        Self {
            unit,
            bar: None,
            stopwatch: Stopwatch::start(),
            last_line: Duration::ZERO,
            total: 0,
            before: 0,
            new: 0,
            note: String::new(),
        }
    }

    /// Begins with `before` of `total` done; a total of 0 is not known.
    pub(super) fn begin(&mut self, total: u64, before: u64) {
        self.total = total;
        self.before = before;
        self.stopwatch = Stopwatch::start();
        if io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(
                (total > 0).then_some(total),
                ProgressDrawTarget::stderr_with_hz(REDRAW_RATE),
            );
            let template = match total {
                0 => "{spinner} {pos} {wide_msg}",
                _ => "[{bar:12}] {pos} of {len} {wide_msg}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("##."));
            }
            bar.set_position(before);
            self.bar = Some(bar);
            self.draw();
        }
    }

    /// So many have been done by this command.
    pub(super) fn advance_to(&mut self, new: u64) {
        self.new = new;
        self.tick();
    }

    /// What is told beside it from now on.
    pub(super) fn set_note(&mut self, note: String) {
        self.note = note;
    }

    /// Shows it again, if it is time.
    pub(super) fn tick(&mut self) {
        if self.bar.is_some() {
            self.draw();
            return;
        }
        if let Some(line) = self.due_line(self.stopwatch.elapsed()) {
            super::print_message(&line);
        }
    }

    /// The line for places without a terminal, if the last one is long enough ago.
    fn due_line(&mut self, now: Duration) -> Option<String> {
        if now < self.last_line + LOG_INTERVAL {
            return None;
        }
        self.last_line = now;
        Some(self.line(now))
    }

    fn draw(&self) {
        if let Some(bar) = &self.bar {
            bar.set_position(self.before + self.new);
            bar.set_message(self.pace(self.stopwatch.elapsed()));
        }
    }

    /// Rate, remaining time and note: `games, 12.5 a minute, 3 min left; uct 3-1-0 87.5 %`.
    fn pace(&self, elapsed: Duration) -> String {
        let left = self.total.saturating_sub(self.before + self.new);
        let mut text = self.unit.to_owned();
        text += &pace_text(self.new, left, elapsed);
        if !self.note.is_empty() {
            text += &format!("; {}", self.note);
        }
        text
    }

    /// The whole line.
    fn line(&self, elapsed: Duration) -> String {
        let done = self.before + self.new;
        match self.total {
            0 => format!("{done} {}", self.pace(elapsed)),
            total => format!("{done} of {total} {}", self.pace(elapsed)),
        }
    }

    /// Says something to the user beside it.
    pub(super) fn tell(&self, text: &str) {
        self.suspend(|| super::print_message(text));
    }

    /// Takes the line away while `write` writes to the same terminal.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the line away.
    pub(super) fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// The rate of `new` steps in some time, and how long the rest takes: `, 12.5 a minute, 3 min left`; empty before the first step.
fn pace_text(new: u64, left: u64, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if new == 0 || seconds <= 0.0 {
        return String::new();
    }
    let rate = new as f64 / seconds;
    let mut text = match rate {
        rate if rate >= 10.0 => format!(", {rate:.0} a second"),
        rate if rate >= 1.0 => format!(", {rate:.1} a second"),
        rate => format!(", {:.1} a minute", 60.0 * rate),
    };
    if left > 0 {
        text += &format!(", {} left", duration_text(left as f64 / rate));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pace_is_rate_and_remaining_time() {
        let after = |new, left, seconds| pace_text(new, left, Duration::from_secs(seconds));
        assert_eq!(after(0, 10, 5), "");
        assert_eq!(after(5, 0, 0), "");
        assert_eq!(after(500, 0, 5), ", 100 a second");
        assert_eq!(after(15, 0, 10), ", 1.5 a second");
        let rest = duration_text(120.0);
        assert_eq!(after(10, 20, 60), format!(", 10.0 a minute, {rest} left"));
    }

    #[test]
    fn a_line_counts_what_was_done_before_and_says_the_note() {
        let mut progress = Progress::new("games");
        progress.before = 40;
        assert_eq!(progress.line(Duration::ZERO), "40 games");
        progress.total = 100;
        progress.set_note("uct 3-1-0 87.5 %".to_owned());
        assert_eq!(
            progress.line(Duration::ZERO),
            "40 of 100 games; uct 3-1-0 87.5 %"
        );
    }

    #[test]
    fn without_a_terminal_there_is_a_line_a_minute() {
        let mut progress = Progress::new("games");
        (progress.total, progress.before) = (100, 40);
        let mut lines = Vec::new();
        for second in 0..200 {
            progress.new = second / 10;
            lines.extend(progress.due_line(Duration::from_secs(second)));
        }
        assert_eq!(
            lines,
            [
                "46 of 100 games, 6.0 a minute, 9 min left",
                "52 of 100 games, 6.0 a minute, 8 min left",
                "58 of 100 games, 6.0 a minute, 7 min left",
            ]
        );
    }
}
