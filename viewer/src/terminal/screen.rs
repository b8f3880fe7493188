//! Lines on a terminal, drawn over and over in one place, or one after the other where there is none.

use std::io::{self, IsTerminal as _, Write};

/// The style of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineStyle {
    /// As text does.
    #[default]
    Plain,
    /// Emphasis.
    Bold,
    /// The move the search chose.
    Highlight,
    /// Secondary text.
    Dim,
}

/// A line with how it looks.
pub(super) type StyledLine = (LineStyle, String);

/// The output, and its capabilities.
pub(super) struct TerminalScreen<W> {
    out: W,
    /// Columns and rows; none where lines only follow each other.
    size: Option<fn() -> (usize, usize)>,
    has_colour: bool,
    /// The lines of the last frame.
    last_frame: Vec<StyledLine>,
}

impl TerminalScreen<io::Stdout> {
    /// Standard output. Redirected, or on a terminal that knows no codes, it gets plain lines.
    pub(super) fn stdout() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let out = io::stdout();
        let is_terminal = out.is_terminal() && !is_dumb && cfg!(unix);
        Self {
            out,
            size: is_terminal.then_some(terminal_size as fn() -> (usize, usize)),
            has_colour: !is_set("NO_COLOR"),
            last_frame: Vec::new(),
        }
    }
}

impl<W: Write> TerminalScreen<W> {
    /// Whether frames can overwrite each other.
    pub(super) fn is_terminal(&self) -> bool {
        self.size.is_some()
    }

    /// Draws a frame over the last one.
    pub(super) fn draw(&mut self, mut frame: Vec<StyledLine>) -> io::Result<()> {
        let Some(size) = self.size else { return Ok(()) };
        let (columns, rows) = size();
        frame.truncate(rows.saturating_sub(1).max(1));
        for (_, text) in &mut frame {
            *text = text
                .chars()
                .take(columns.saturating_sub(1).max(1))
                .collect();
        }
        if frame == self.last_frame {
            return Ok(());
        }
        if !self.last_frame.is_empty() {
            write!(self.out, "\x1b[{}A\r", self.last_frame.len())?;
        }
        for (tone, text) in &frame {
            let code = match tone {
                _ if !self.has_colour => "",
                LineStyle::Plain => "",
                LineStyle::Bold => "\x1b[1m",
                LineStyle::Highlight => "\x1b[36m",
                LineStyle::Dim => "\x1b[2m",
            };
            let end = if code.is_empty() { "" } else { "\x1b[0m" };
            writeln!(self.out, "{code}{text}{end}\x1b[K")?;
        }
        write!(self.out, "\x1b[J")?;
        self.last_frame = frame;
        self.out.flush()
    }

    /// Writes a line that stays.
    pub(super) fn print_line(&mut self, text: &str) -> io::Result<()> {
        // A frame before it stays, too.
        self.last_frame.clear();
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }
}

/// Columns and rows of the terminal.
fn terminal_size() -> (usize, usize) {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
        && size.ws_row > 0
    {
        return (size.ws_col.into(), size.ws_row.into());
    }
    (80, 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(is_terminal: bool) -> TerminalScreen<Vec<u8>> {
        TerminalScreen {
            out: Vec::new(),
            size: is_terminal.then_some(|| (10, 4)),
            has_colour: false,
            last_frame: Vec::new(),
        }
    }

    fn frame(lines: &[&str]) -> Vec<StyledLine> {
        let line = |text: &&str| (LineStyle::Plain, (*text).to_owned());
        lines.iter().map(line).collect()
    }

    #[test]
    fn a_frame_is_drawn_over_the_last_one_and_fits_the_terminal() {
        let mut screen = screen(true);
        let long = ["0123456789", "b", "c", "not seen"];
        screen.draw(frame(&long)).expect("memory takes everything");
        assert_eq!(screen.out, b"012345678\x1b[K\nb\x1b[K\nc\x1b[K\n\x1b[J");
        screen.out.clear();
        screen.draw(frame(&long)).expect("memory takes everything");
        assert!(screen.out.is_empty(), "nothing has changed");
        screen.draw(frame(&["a"])).expect("memory takes everything");
        assert_eq!(screen.out, b"\x1b[3A\ra\x1b[K\n\x1b[J");
    }

    #[test]
    fn without_a_terminal_there_are_lines_and_no_codes() {
        let mut screen = screen(false);
        screen.draw(frame(&["a"])).expect("memory takes everything");
        screen.print_line("b").expect("memory takes everything");
        assert_eq!(screen.out, b"b\n");
    }
}
