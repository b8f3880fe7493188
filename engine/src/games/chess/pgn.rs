//! Games of chess in PGN, the notation that chess programs exchange.

use std::fmt;

use super::{Chess, ChessMove};
use crate::games::{
    Game as _, Notation as _, ParseError,
    notation::{self, Style, quote},
};

/// Longer texts than this are refused unread.
pub const MAX_PGN_BYTES: usize = 1 << 20;

/// Lines of moves are no longer than this.
const MAX_LINE_LENGTH: usize = 79;

/// The seven tags every game has, in their order.
const SEVEN_TAG_ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// The record of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct PgnRecord {
    /// The tags, by name.
    pub tags: Vec<(String, String)>,
    /// The position it began with.
    pub start: Chess,
    /// The moves from there, each with a comment, which may be empty.
    pub moves: Vec<(ChessMove, String)>,
}

impl PgnRecord {
    /// A game that has only just begun.
    pub fn new(start: Chess) -> Self {
        Self {
            tags: Vec::new(),
            start,
            moves: Vec::new(),
        }
    }

    /// A game of which the variant, the start and the moves are known as texts; none if they are not sound.
    pub fn from_moves<'a>(
        variant: &str,
        start: &str,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Option<Self> {
        let rules = notation::parse_variant::<Chess>(variant).ok()?;
        let mut record = Self::new(notation::read_position(rules, start).ok()?);
        if rules.chess960 {
            record.set_tag("Variant", "Chess960");
        }
        let mut position = record.start.clone();
        for text in moves {
            let mv = position.parse_move(text).ok()?;
            position.play(mv);
            record.moves.push((mv, String::new()));
        }
        Some(record)
    }

    /// A tag's value; `?` if it is missing.
    pub fn tag(&self, name: &str) -> &str {
        let found = self.tags.iter().find(|(known, _)| known == name);
        match (found, name) {
            (Some((_, value)), _) => value,
            (None, "Date") => "????.??.??",
            (None, "Result") => "*",
            (None, _) => "?",
        }
    }

    /// Sets a tag.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        self.tags.retain(|(known, _)| known != name);
        self.tags.push((name.to_owned(), value.into()));
    }

    /// The position after all moves.
    pub fn position(&self) -> Chess {
        let mut position = self.start.clone();
        for (mv, _) in &self.moves {
            position.play(*mv);
        }
        position
    }

    /// Reads the first game of a text. Every move has been checked. Variations and marks such as `$1` are passed over.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let refuse = |problem: String, expected: &str| {
            ParseError::bad_record::<Chess>(text, problem, expected)
        };
        if text.len() > MAX_PGN_BYTES {
            let problem = format!("more than {MAX_PGN_BYTES} bytes of text");
            return Err(refuse(problem, "one game"));
        }
        let mut tags: Vec<(String, String)> = Vec::new();
        let mut rest = text.trim_start_matches('\u{feff}').trim_start();
        while let Some(inner) = rest.strip_prefix('[') {
            let (tag, after) = read_tag(inner)
                .ok_or_else(|| refuse(format!("{} is no tag", quote(rest)), "[Name \"value\"]"))?;
            tags.push(tag);
            rest = after.trim_start();
        }
        let value = |name: &str| {
            let found = tags.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.as_str())
        };
        let rules = super::ChessRules {
            chess960: value("Variant")
                .is_some_and(|variant| variant.to_lowercase().contains("960")),
        };
        let start: Chess = notation::read_position(rules, value("FEN").unwrap_or("startpos"))?;
        let mut record = Self {
            tags,
            start,
            moves: Vec::new(),
        };
        let mut position = record.start.clone();
        let mut depth = 0_usize;
        for token in tokens(rest) {
            match token {
                Token::Open => depth += 1,
                Token::Close if depth == 0 => {
                    return Err(refuse("a ) without its (".to_owned(), "moves"));
                }
                Token::Close => depth -= 1,
                _ if depth > 0 => {}
                Token::Comment(comment) => {
                    if let Some((_, said)) = record.moves.last_mut() {
                        *said = comment.split_whitespace().collect::<Vec<_>>().join(" ");
                    }
                }
                Token::Word("1-0" | "0-1" | "1/2-1/2" | "*") => break,
                Token::Word(word) if word.starts_with('$') => {}
                Token::Word(word) => {
                    let mv = position.parse_move(word)?;
                    position.play(mv);
                    record.moves.push((mv, String::new()));
                }
            }
        }
        if depth > 0 {
            return Err(refuse("a ( without its )".to_owned(), "moves"));
        }
        Ok(record)
    }
}

/// Reads `Name "value"]`; returns the tag and the rest of the text.
fn read_tag(text: &str) -> Option<((String, String), &str)> {
    let (name, rest) = text.split_once('"')?;
    let mut value = String::new();
    let mut symbols = rest.char_indices();
    let end = loop {
        match symbols.next()? {
            (_, '\\') => value.push(symbols.next()?.1),
            (at, '"') => break at,
            (_, symbol) => value.push(symbol),
        }
    };
    let after = rest.get(end + 1..)?.trim_start().strip_prefix(']')?;
    let name = name.trim();
    (!name.is_empty()).then(|| ((name.to_owned(), value), after))
}

enum Token<'a> {
    Word(&'a str),
    Comment(&'a str),
    Open,
    Close,
}

/// The tokens of the movetext, without move numbers.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let first = rest.chars().next()?;
            let upto = |end: usize| rest.split_at(end.min(rest.len()));
            match first {
                '(' | ')' => {
                    rest = upto(1).1;
                    return Some(if first == '(' {
                        Token::Open
                    } else {
                        Token::Close
                    });
                }
                '{' => {
                    let end = rest.find('}').unwrap_or(rest.len());
                    let (comment, after) = upto(end);
                    rest = after.strip_prefix('}').unwrap_or(after);
                    return Some(Token::Comment(comment.trim_start_matches('{')));
                }
                ';' | '%' => {
                    let end = rest.find('\n').unwrap_or(rest.len());
                    let (comment, after) = upto(end);
                    rest = after;
                    if first == ';' {
                        return Some(Token::Comment(comment.trim_start_matches(';')));
                    }
                }
                _ => {
                    let ends = |symbol: char| symbol.is_whitespace() || "(){};".contains(symbol);
                    let (word, after) =
                        upto(rest.find(ends).unwrap_or(rest.len()).max(first.len_utf8()));
                    rest = after;
                    if let Some(word) = notation::strip_move_number(word) {
                        return Some(Token::Word(word));
                    }
                }
            }
        }
    })
}

/// Writes the record as [`PgnRecord::parse`] reads it.
impl fmt::Display for PgnRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = |out: &mut fmt::Formatter<'_>, name: &str, value: &str| {
            let value = value.replace(['\n', '\r'], " ");
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(out, "[{name} \"{value}\"]")
        };
        for name in SEVEN_TAG_ROSTER {
            tag(out, name, self.tag(name))?;
        }
        let is_rare =
            |name: &str| !SEVEN_TAG_ROSTER.contains(&name) && !["SetUp", "FEN"].contains(&name);
        for (name, value) in self.tags.iter().filter(|(name, _)| is_rare(name)) {
            tag(out, name, value)?;
        }
        if self.start != Chess::start(self.start.rules()) {
            tag(out, "SetUp", "1")?;
            tag(out, "FEN", &notation::position_text(&self.start))?;
        }
        writeln!(out)?;
        let mut column = 0;
        let mut word = |out: &mut fmt::Formatter<'_>, word: &str| {
            if column > 0 && column + 1 + word.len() > MAX_LINE_LENGTH {
                out.write_str("\n")?;
                column = 0;
            } else if column > 0 {
                out.write_str(" ")?;
                column += 1;
            }
            column += word.len();
            out.write_str(word)
        };
        let mut position = self.start.clone();
        let mut needs_number = true;
        for (mv, comment) in &self.moves {
            let number = position.board().fullmove_number();
            match position.board().side_to_move() {
                cozy_chess::Color::White => word(out, &format!("{number}."))?,
                cozy_chess::Color::Black if needs_number => word(out, &format!("{number}..."))?,
                cozy_chess::Color::Black => {}
            }
            let mut text = String::new();
            position.write_move(*mv, Style::Human, &mut text)?;
            word(out, &text)?;
            needs_number = !comment.is_empty();
            if needs_number {
                let comment = format!("{{{}}}", comment.replace(['{', '}'], ""));
                for part in comment.split_whitespace() {
                    word(out, part)?;
                }
            }
            position.play(*mv);
        }
        word(out, self.tag("Result"))?;
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let text = "[Event \"A \\\"cup\\\"\"]\n[White \"x\"]\n\n1. e4 {+0.3/5 0.1s} e5 (1... c5 2. Nf3 (2. c3)) 2.Nf3 $1 Nc6 ; yes\n3. Bb5 a6 1-0\n";
        let record = PgnRecord::parse(text).expect("a sound record");
        assert_eq!(record.moves.len(), 6);
        assert_eq!(record.moves[0].1, "+0.3/5 0.1s");
        assert_eq!(record.tag("Event"), "A \"cup\"");
        let again = PgnRecord::parse(&record.to_string()).expect("what was written");
        assert_eq!(again.moves, record.moves);
        assert_eq!(again.tag("Event"), record.tag("Event"));
        assert_eq!(again.to_string(), record.to_string());
    }

    #[test]
    fn another_start_is_kept() {
        let text = "[FEN \"4k3/P7/8/8/8/8/8/4K3 b - - 0 7\"]\n7... Kd7 8. a8=N *";
        let record = PgnRecord::parse(text).expect("a sound record");
        let written = record.to_string();
        assert!(
            written.contains("[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 b - - 0 7\"]"),
            "{written}"
        );
        assert!(written.contains("7... Kd7 8. a8=N *"), "{written}");
        assert_eq!(
            PgnRecord::parse(&written)
                .expect("what was written")
                .position(),
            record.position()
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, problem) in [
            ("1. e5", "illegal"),
            ("[Event x]", "no tag"),
            ("1. e4 (1. d4", "a ( without"),
            ("1. e4 )", "a ) without"),
            ("[FEN \"nonsense\"]", "position"),
        ] {
            let error = PgnRecord::parse(text).expect_err(text).to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
