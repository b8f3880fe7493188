//! Text of moves, positions and variants, and drawings. Input is untrusted: it becomes a legal move, a sound position, or a
//! [`ParseError`] that names the problem and the expected form.

use std::{borrow::Cow, fmt};

use super::{
    Game, History, Outcome, Player, SearchHints, facts::GameFacts, position_list::PositionEntry,
};

/// Longer texts than this are refused unread; the longest position of any game has a tenth of it.
pub const MAX_POSITION_BYTES: usize = 1000;

/// Which of a game's notations to write; reading takes them all. A game that lacks a style writes its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// The one used in files and between Canopy's own programs.
    #[default]
    Own,
    /// For people: chess in standard algebraic notation.
    Human,
    /// As Fairy-Stockfish and cutechess write it.
    Fairy,
}

/// Stones on squares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Columns, which are called a, b, c and so on.
    pub columns: u8,
    /// The stones, row 1 first, each row from column a on.
    pub stones: Vec<Option<Player>>,
}

impl Grid {
    /// A grid with the stones that `at` returns for each column and row, counted from 0.
    pub fn new(columns: u8, rows: u8, at: impl Fn(u8, u8) -> Option<Player>) -> Self {
        let squares = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        Self {
            columns,
            stones: squares.map(|(column, row)| at(column, row)).collect(),
        }
    }

    /// A grid of two sets of bits, the first player's first; `bit` gives a square's place in them.
    pub fn from_bitboards(
        columns: u8,
        rows: u8,
        sets: [u64; 2],
        bit: impl Fn(u8, u8) -> u8,
    ) -> Self {
        Self::new(columns, rows, |column, row| {
            let has = |set: u64| set >> bit(column, row) & 1 == 1;
            match sets.map(has) {
                [true, _] => Some(Player::First),
                [_, true] => Some(Player::Second),
                _ => None,
            }
        })
    }
}

/// A game's texts. The only trait that viewers and protocols need.
pub trait Notation: Game {
    /// What the game states about itself. The next three constants are taken from it and not to be stated again.
    const FACTS: &'static GameFacts;
    /// [`GameFacts::name`].
    const NAME: &'static str = Self::FACTS.name;
    /// [`GameFacts::players`].
    const PLAYERS: [&'static str; 2] = Self::FACTS.players;
    /// [`GameFacts::variants`].
    const VARIANTS: &'static [&'static str] = Self::FACTS.variants;
    /// What a move looks like, to complete "expected …".
    const MOVE_HELP: &'static str;
    /// What a position looks like, to complete "expected …".
    const POSITION_HELP: &'static str;
    /// What a variant looks like, to complete "expected …".
    const VARIANT_HELP: &'static str = "nothing after the name: this game has no variants";

    /// The rules that one word between colons changes; none if the word says nothing to this game.
    fn parse_variant_word(rules: Self::Rules, word: &str) -> Option<Self::Rules> {
        let _ = (rules, word);
        None
    }

    /// Writes the variant as [`Self::parse_variant_word`] reads it, colons included; nothing for the plain game.
    fn write_variant(rules: Self::Rules, out: &mut dyn fmt::Write) -> fmt::Result {
        let _ = (rules, out);
        Ok(())
    }

    /// The move that `text` means here: legal, or an error.
    fn parse_move(&self, text: &str) -> Result<Self::Move, ParseError>;

    /// Writes a legal move.
    fn write_move(&self, mv: Self::Move, style: Style, out: &mut dyn fmt::Write) -> fmt::Result;

    /// The position that `text` describes: sound, or an error. Callers use [`read_position`].
    fn parse_position(rules: Self::Rules, text: &str) -> Result<Self, ParseError>;

    /// Writes the position, without its variant, as [`Self::parse_position`] reads it.
    fn write_position(&self, style: Style, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Draws the board for people, with coordinates, in lines that each end with a newline.
    fn draw(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Writes the bare board as a file that other programs of the game read, in lines that each end with a newline; `None` for games
    /// without such a file. [`Self::parse_position`] reads it.
    fn write_board_file(&self, out: &mut dyn fmt::Write) -> Option<fmt::Result> {
        let _ = out;
        None
    }

    /// Why the game is over, in a few words; asked only when it is.
    fn end_reason(&self) -> &'static str;

    /// The score of each side (discs, stones), in games that are decided by counting.
    fn score(&self) -> Option<[u32; 2]> {
        None
    }

    /// Reads a line of a test set as other programs write them for this game; none if the line has another form. The game's
    /// name is left out, known scores are the fields `value` and `values`.
    fn parse_test_line(line: &str) -> Option<PositionEntry> {
        let _ = line;
        None
    }

    /// The position's key in opening books of Polyglot's format, in the game that has such books.
    fn polyglot_key(&self) -> Option<u64> {
        None
    }

    /// The legal move that a Polyglot book's 16 bits mean here; none if they mean no legal one.
    fn parse_polyglot_move(&self, bits: u16) -> Option<Self::Move> {
        let _ = bits;
        None
    }

    /// Splits a word of a record into moves; by default it is one.
    fn split_moves(word: &str) -> Vec<&str> {
        vec![word]
    }

    /// The board as stones on squares, for programs that can show only that.
    fn grid(&self) -> Grid;

    /// The square of the grid that a legal move is named by there, as (column, row) counted from 0; none where a move is more
    /// than one square.
    fn grid_square(&self, mv: Self::Move) -> Option<(u8, u8)> {
        let _ = mv;
        None
    }

    /// The only move there is, where records leave it out (othello's pass).
    fn implied_move(&self) -> Option<Self::Move> {
        None
    }
}

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// No such game.
    #[error("unknown game {name}: expected {known}, with a variant after a colon if wanted")]
    Game {
        /// The name, quoted.
        name: String,
        /// The names there are.
        known: String,
    },
    /// No such variant of the game.
    #[error("unknown variant {text} of {game}: expected {expected}")]
    Variant {
        /// The game.
        game: &'static str,
        /// The variant, quoted.
        text: String,
        /// The expected form.
        expected: String,
    },
    /// Not a position.
    #[error(
        "not {} position: {problem} in {text}; expected {expected}",
        with_article(game)
    )]
    Position {
        /// The game.
        game: &'static str,
        /// The position, quoted.
        text: String,
        /// The problem.
        problem: String,
        /// The expected form.
        expected: String,
    },
    /// Not the record of a game.
    #[error(
        "not {} record: {problem} in {text}; expected {expected}",
        with_article(game)
    )]
    Record {
        /// The game.
        game: &'static str,
        /// The record, quoted.
        text: String,
        /// The problem.
        problem: String,
        /// The expected form.
        expected: String,
    },
    /// Not a move at all.
    #[error("not {} move: {text}; expected {expected}", with_article(game))]
    Move {
        /// The game.
        game: &'static str,
        /// The move, quoted.
        text: String,
        /// The expected form.
        expected: String,
    },
    /// A move, but not one that may be played here.
    #[error("illegal {game} move {text}: {problem}; expected {expected}")]
    Illegal {
        /// The game.
        game: &'static str,
        /// The move, quoted.
        text: String,
        /// Why it may not be played.
        problem: String,
        /// The legal alternatives.
        expected: String,
    },
}

impl ParseError {
    pub(super) fn unknown_game(name: &str, known: &[&str]) -> Self {
        Self::Game {
            name: quote(name),
            known: join_words(known, "or"),
        }
    }

    /// `text` is no position of `G` because of `problem`, and the general description would have been right.
    pub fn position<G: Notation>(text: &str, problem: impl Into<String>) -> Self {
        Self::bad_position::<G>(text, problem, G::POSITION_HELP)
    }

    /// `text` is no position of `G` because of `problem`, where something definite was expected.
    pub fn bad_position<G: Notation>(
        text: &str,
        problem: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::Position {
            game: G::NAME,
            text: quote(text),
            problem: problem.into(),
            expected: expected.into(),
        }
    }

    /// `text` is no record of a game of `G` because of `problem`.
    pub fn bad_record<G: Notation>(
        text: &str,
        problem: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self::Record {
            game: G::NAME,
            text: quote(text),
            problem: problem.into(),
            expected: expected.into(),
        }
    }

    /// `text` is not how a move of `G` is written.
    pub fn not_a_move<G: Notation>(text: &str) -> Self {
        Self::Move {
            game: G::NAME,
            text: quote(text),
            expected: G::MOVE_HELP.into(),
        }
    }

    /// `text` may not be played in `position`.
    pub fn illegal<G: Notation>(position: &G, text: &str, problem: impl Into<String>) -> Self {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let expected = if moves.is_empty() {
            format!("no move, for the game is over ({})", position.end_reason())
        } else {
            let shown: Vec<String> = moves
                .iter()
                .take(8)
                .map(|&mv| move_text(position, mv))
                .collect();
            let more = if moves.len() > 8 { " and so on" } else { "" };
            format!("one of {}{more}", shown.join(" "))
        };
        Self::Illegal {
            game: G::NAME,
            text: quote(text),
            problem: problem.into(),
            expected,
        }
    }
}

/// A text as it may stand in a message: quoted, control characters escaped, cut after 60 characters.
pub fn quote(text: &str) -> String {
    const MAX_QUOTED_CHARS: usize = 60;
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}… ({} bytes)", &text[..end], text.len()),
    }
}

/// Escapes a text for display on one line: characters that move the cursor, change the writing direction or are invisible
/// appear as `\u{202e}`.
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for symbol in text.chars() {
        if is_invisible(symbol) {
            out.extend(symbol.escape_default());
        } else {
            out.push(symbol);
        }
    }
    Cow::Owned(out)
}

/// Control characters, direction marks (UAX #9), line separators, and other characters without width.
fn is_invisible(symbol: char) -> bool {
    symbol.is_control()
        || matches!(symbol,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn with_article(name: &str) -> String {
    let vowel = name.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}

/// Words as a list in a sentence: commas, and `conjunction` before the last one.
pub fn join_words<S: AsRef<str>>(words: &[S], conjunction: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} {conjunction} {last}", most.join(", ")),
    }
}

/// The rules of a variant, written as it stands after the game's name and the colon; empty for the plain game.
pub fn parse_variant<G: Notation>(text: &str) -> Result<G::Rules, ParseError> {
    let error = |text: &str| ParseError::Variant {
        game: G::NAME,
        text: quote(text),
        expected: G::VARIANT_HELP.to_owned(),
    };
    if text.is_empty() {
        return Ok(G::Rules::default());
    }
    let read = |words: &[&str]| {
        words.iter().try_fold(G::Rules::default(), |rules, word| {
            G::parse_variant_word(rules, word).ok_or_else(|| error(word))
        })
    };
    let mut words: Vec<&str> = text.split(':').collect();
    let rules = read(&words)?;
    words.reverse();
    // Words that contradict each other say something else in the other order.
    if read(&words)? == rules {
        Ok(rules)
    } else {
        Err(error(text))
    }
}

/// The game's name with its variant, as it is written wherever a position is.
pub fn full_name<G: Notation>(rules: G::Rules) -> String {
    let mut name = G::NAME.to_owned();
    let _ = G::write_variant(rules, &mut name);
    name
}

/// The position that `text` describes; `startpos` is where the game begins.
pub fn read_position<G: Notation>(rules: G::Rules, text: &str) -> Result<G, ParseError> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("startpos") {
        return Ok(G::start(rules));
    }
    if text.len() > MAX_POSITION_BYTES {
        let problem = format!("more than {MAX_POSITION_BYTES} bytes of text");
        return Err(ParseError::position::<G>(text, problem));
    }
    G::parse_position(rules, text)
}

/// Plays a record from `position`, the latest of `history`, calling `each` before every move. Moves a record may leave out
/// are supplied, move numbers are passed over. At an error both are left as they were when it was met.
pub fn play_moves<G: Notation + SearchHints>(
    position: &mut G,
    history: &mut History,
    record: &str,
    mut each: impl FnMut(&G, G::Move),
) -> Result<(), ParseError> {
    let mut play = |position: &mut G, history: &mut History, mv: G::Move| {
        each(position, mv);
        history.play(position, mv);
    };
    for text in record
        .split_whitespace()
        .filter_map(strip_move_number)
        .flat_map(G::split_moves)
    {
        if history.is_threefold(position) {
            return Err(ParseError::Illegal {
                game: G::NAME,
                text: quote(text),
                problem: "the game is over".to_owned(),
                expected: "no move, for the game is drawn (threefold repetition)".to_owned(),
            });
        }
        let error = match position.parse_move(text) {
            Ok(mv) => {
                play(position, history, mv);
                continue;
            }
            Err(error) => error,
        };
        let implied = position.implied_move().ok_or_else(|| error.clone())?;
        let mut after = position.clone();
        after.play(implied);
        let mv = after.parse_move(text).map_err(|_| error)?;
        play(position, history, implied);
        play(position, history, mv);
    }
    Ok(())
}

/// A word of a record without the number of the move before it, `12.e4` or `12...e5`; none if nothing is left.
pub(super) fn strip_move_number(word: &str) -> Option<&str> {
    let rest = word.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
    let word = if rest.starts_with('.') && rest.len() < word.len() {
        rest.trim_start_matches('.')
    } else {
        word
    };
    (!word.is_empty()).then_some(word)
}

/// Reads a whole number written in digits alone.
pub(super) fn parse_number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// A move as text, in the game's own style.
pub fn move_text<G: Notation>(position: &G, mv: G::Move) -> String {
    let mut text = String::new();
    let _ = position.write_move(mv, Style::Own, &mut text);
    text
}

/// A position as text, in the game's own style.
pub fn position_text<G: Notation>(position: &G) -> String {
    let mut text = String::new();
    let _ = position.write_position(Style::Own, &mut text);
    text
}

/// A position as a drawing.
pub fn board_text<G: Notation>(position: &G) -> String {
    let mut text = String::new();
    let _ = position.draw(&mut text);
    text
}

/// How a game ended, for people: who won, and why.
pub fn outcome_text<G: Notation>(outcome: Outcome, reason: &str) -> String {
    match outcome {
        Outcome::Win(player) => format!("{} wins ({reason})", G::PLAYERS[player.index()]),
        Outcome::Draw => format!("draw ({reason})"),
    }
}

/// Reads a square such as `c4`, in any case, as (column, row) counted from 0.
pub fn parse_square(text: &str, columns: u8, rows: u8) -> Option<(u8, u8)> {
    let [letter, digit] = text.as_bytes() else {
        return None;
    };
    let column = letter.to_ascii_lowercase().wrapping_sub(b'a');
    let row = digit.wrapping_sub(b'1');
    (column < columns && row < rows).then_some((column, row))
}

/// Writes the square (column, row) as `c4`.
pub fn write_square((column, row): (u8, u8), out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "{}{}", (b'a' + column) as char, row + 1)
}

/// Writes a row of a FEN: a letter for a piece, and a number for as many empty squares in a row.
pub fn write_fen_row(
    squares: impl IntoIterator<Item = Option<char>>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let mut blanks = 0;
    // A mark after the last square, which only ends a run of empty ones.
    for square in squares.into_iter().map(Some).chain([None]) {
        if square == Some(None) {
            blanks += 1;
            continue;
        }
        if blanks > 0 {
            write!(out, "{blanks}")?;
            blanks = 0;
        }
        if let Some(letter) = square.flatten() {
            out.write_char(letter)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fen_row_counts_its_empty_squares() {
        for (row, expected) in [("r..k.", "r2k1"), ("....", "4"), ("ab", "ab"), (".a", "1a")] {
            let mut text = String::new();
            let squares = row.chars().map(|letter| (letter != '.').then_some(letter));
            write_fen_row(squares, &mut text).expect("text takes all");
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn quoting_escapes_and_cuts() {
        assert_eq!(quote("a\n"), r#""a\n""#);
        let long = quote(&"ż".repeat(500));
        assert!(
            long.contains("(1000 bytes)") && long.chars().count() < 90,
            "{long}"
        );
    }

    #[test]
    fn squares_are_read_in_any_case_and_only_on_the_board() {
        assert_eq!(parse_square("C4", 8, 8), Some((2, 3)));
        for wrong in ["", "c", "c44", "i1", "a9", "a0", "4c", "ć4"] {
            assert_eq!(parse_square(wrong, 8, 8), None, "{wrong}");
        }
    }
}
