//! Lists in two columns, as wide as the terminal.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _},
};

/// The first column is at least so wide, blanks included.
const MIN_FIRST_WIDTH: usize = 24;
/// Between the columns.
const COLUMN_GAP: usize = 2;
/// A second column narrower than this is not worth having: the terminal breaks the lines itself.
const MIN_TEXT_WIDTH: usize = 20;

/// Width of standard output; none if it is no terminal and lines may have any length.
pub(super) fn terminal_width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        Some(usize::from(size.ws_col)).filter(|&width| width > 0)
    }
    #[cfg(not(unix))]
    None
}

/// Formats rows of a word and its meaning in two columns; text beyond the width wraps within its column.
pub(super) fn format_columns(rows: &[(String, String)], width: Option<usize>) -> String {
    let longest = rows.iter().map(|(word, _)| word.chars().count()).max();
    let first = (longest.unwrap_or(0) + COLUMN_GAP).max(MIN_FIRST_WIDTH);
    let room = width.and_then(|width| width.checked_sub(first));
    let room = room.filter(|&room| room >= MIN_TEXT_WIDTH);
    let mut out = String::new();
    for (word, text) in rows {
        let mut lines = match room {
            Some(room) => wrap(text, room),
            None => vec![text.clone()],
        }
        .into_iter();
        let begin = lines.next().unwrap_or_default();
        let _ = writeln!(out, "{word:<first$}{begin}");
        for line in lines {
            let _ = writeln!(out, "{:first$}{line}", "");
        }
    }
    out
}

/// Wraps a text at blanks, where there are any, into lines of at most `width` characters.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + length <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(word: &str, text: &str) -> (String, String) {
        (word.to_owned(), text.to_owned())
    }

    #[test]
    fn a_long_word_never_touches_its_text() {
        let rows = [
            row("exploration=1.4142135623730951", "The constant"),
            row("seed=1", "Which"),
        ];
        assert_eq!(
            format_columns(&rows, None),
            "exploration=1.4142135623730951  The constant\nseed=1                          Which\n"
        );
    }

    #[test]
    fn lines_fit_the_terminal() {
        let rows = [row(
            "uct",
            "UCT, the plain Monte-Carlo tree search, with a sentence that is long",
        )];
        let text = format_columns(&rows, Some(50));
        assert!(text.lines().count() > 1, "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 50, "{line}");
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words.join(" "), format!("uct {}", rows[0].1));
        // Where there is no room for a second column nothing is broken.
        assert_eq!(format_columns(&rows, Some(30)).lines().count(), 1);
    }
}
