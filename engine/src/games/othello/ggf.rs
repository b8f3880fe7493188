//! Records of whole games in the Generic Game Format, as the Generic Game Server and NBoard write them:
//! `(;GM[Othello]PC[NBoard]PB[one]PW[two]TI[5:00]TY[8]BO[8 <64 squares> *]B[F5]W[F6//1.23];)`.

use std::fmt;

use super::{Othello, OthelloMove, PASS, notation::from_obf};
use crate::games::{
    Game as _, Notation as _, ParseError, Player,
    notation::{self, parse_number, parse_square, quote, write_square},
};

/// Longer texts than this are refused unread.
pub const MAX_GGF_BYTES: usize = 64 * 1024;

/// The record of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GgfRecord {
    /// Where it was played.
    pub place: String,
    /// When it was played, as the record has it; empty if it does not say.
    pub date: String,
    /// The names of Black and White.
    pub players: [String; 2],
    /// The clocks of Black and White at the start; none without a clock.
    pub clocks: [Option<GgfClock>; 2],
    /// How it ended; none while that is not known.
    pub result: Option<GgfResult>,
    /// The position it began with.
    pub start: Othello,
    /// The moves from there, passes included.
    pub moves: Vec<OthelloMove>,
}

/// A clock, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GgfClock {
    /// For the whole game.
    pub main: u32,
    /// Added with every move.
    pub increment: u32,
    /// Given once when the time is up; none if the record does not say.
    pub grace: Option<u32>,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GgfResult {
    /// Black's discs less White's.
    pub margin: f64,
    /// How the game ended.
    pub ending: GgfEnding,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GgfEnding {
    /// It was played out.
    #[default]
    Played,
    /// One side resigned.
    Resigned,
    /// One side's time was up.
    TimeOut,
    /// The players agreed on the score.
    Agreed,
}

/// The suffix letters of a result, by ending.
const ENDINGS: [(GgfEnding, &str); 3] = [
    (GgfEnding::Resigned, "r"),
    (GgfEnding::TimeOut, "t"),
    (GgfEnding::Agreed, "s"),
];

impl GgfRecord {
    /// A game that has only just begun.
    pub fn new(start: Othello) -> Self {
        Self {
            place: String::new(),
            date: String::new(),
            players: Default::default(),
            clocks: [None; 2],
            result: None,
            start,
            moves: Vec::new(),
        }
    }

    /// A game of which the start and the moves are known as texts; none if they are not sound.
    pub fn from_moves<'a>(start: &str, moves: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut position: Othello = notation::read_position((), start).ok()?;
        let mut record = Self::new(position);
        for text in moves {
            let mv = position.parse_move(text).ok()?;
            position.play(mv);
            record.moves.push(mv);
        }
        Some(record)
    }

    /// Reads one game. Every move has been checked; passes that were left out are put in, and passes after the end are
    /// left out. A property that is not known is passed over; a clock or a result that cannot be read is none.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let refuse = |problem: String, expected: &str| {
            ParseError::bad_record::<Othello>(text, problem, expected)
        };
        if text.len() > MAX_GGF_BYTES {
            let problem = format!("more than {MAX_GGF_BYTES} bytes of text");
            return Err(refuse(problem, "one game"));
        }
        let mut record = Self::new(Othello::start(()));
        let mut board = None;
        let mut moves = Vec::new();
        for (name, value) in properties(text)? {
            match name {
                "GM" if !value.trim().eq_ignore_ascii_case("othello") => {
                    let problem = format!("the game {}", quote(&value));
                    return Err(refuse(problem, "GM[Othello]"));
                }
                "PC" => record.place = one_line(&value),
                "DT" => record.date = one_line(&value),
                "PB" => record.players[0] = one_line(&value),
                "PW" => record.players[1] = one_line(&value),
                "TI" => record.clocks = [read_clock(&value); 2],
                "TB" => record.clocks[0] = read_clock(&value),
                "TW" => record.clocks[1] = read_clock(&value),
                "RE" => record.result = read_result(&value),
                "BO" if board.is_some() => {
                    return Err(refuse("a second board".into(), "one BO[...] for one game"));
                }
                "BO" => board = Some(value),
                "B" => moves.push((Player::First, value)),
                "W" => moves.push((Player::Second, value)),
                _ => {}
            }
        }
        let board = board.ok_or_else(|| {
            let expected = "the position the game began with, such as BO[8 ---...--- *]";
            refuse("no board".into(), expected)
        })?;
        let (size, squares) = board
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((&board, ""));
        if size != "8" {
            let problem = format!("a board of size {}", quote(size));
            return Err(refuse(problem, "8, then 64 squares and the side to move"));
        }
        record.start = from_obf(squares)?;
        let mut position = record.start;
        for (player, text) in moves {
            record.replay(&mut position, player, &text)?;
        }
        Ok(record)
    }

    /// Plays and notes one move, with the pass before it if that was left out.
    fn replay(
        &mut self,
        position: &mut Othello,
        player: Player,
        text: &str,
    ) -> Result<(), ParseError> {
        // An evaluation and a time may follow the move.
        let text = text.split('/').next().unwrap_or_default().trim();
        let is_pass = ["pa", "pass"]
            .iter()
            .any(|pass| pass.eq_ignore_ascii_case(text));
        if !is_pass && parse_square(text, 8, 8).is_none() {
            return Err(ParseError::Move {
                game: Othello::NAME,
                text: quote(text),
                expected: "a square from A1 to H8, or PA".to_owned(),
            });
        }
        if is_pass && position.outcome().is_some() {
            return Ok(());
        }
        if position.to_move != player && position.is_legal(PASS) {
            position.play(PASS);
            self.moves.push(PASS);
        }
        if position.to_move != player && position.outcome().is_none() {
            let names = Othello::PLAYERS;
            let problem = format!(
                "{} is to move, not {}",
                names[position.to_move.index()],
                names[player.index()]
            );
            return Err(ParseError::illegal(position, text, problem));
        }
        let mv = position.parse_move(text)?;
        position.play(mv);
        self.moves.push(mv);
        Ok(())
    }

    /// The position after all moves.
    pub fn position(&self) -> Othello {
        let mut position = self.start;
        for mv in self.legal_moves() {
            position.play(mv);
        }
        position
    }

    /// The moves up to the first that is not legal. In a record that was read all are.
    fn legal_moves(&self) -> impl Iterator<Item = OthelloMove> {
        let mut position = self.start;
        self.moves.iter().copied().take_while(move |&mv| {
            let is_legal = position.is_legal(mv);
            if is_legal {
                position.play(mv);
            }
            is_legal
        })
    }
}

/// Writes the record on one line, as [`GgfRecord::parse`] reads it; moves only up to the first that is not legal.
impl fmt::Display for GgfRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |text: &str| one_line(text).replace('\\', "\\\\").replace(']', "\\]");
        let [black, white] = &self.players;
        write!(out, "(;GM[Othello]PC[{}]", text(&self.place))?;
        if !self.date.is_empty() {
            write!(out, "DT[{}]", text(&self.date))?;
        }
        write!(out, "PB[{}]PW[{}]RE[", text(black), text(white))?;
        match self.result.filter(|score| score.margin.is_finite()) {
            None => out.write_str("?]")?,
            Some(GgfResult { margin, ending }) => {
                write!(out, "{margin:+}")?;
                match ENDINGS.iter().find(|(known, _)| *known == ending) {
                    Some((_, letter)) => write!(out, ":{letter}]")?,
                    None => out.write_str("]")?,
                }
            }
        }
        match self.clocks {
            [Some(black), Some(white)] if black == white => write!(out, "TI[{black}]")?,
            clocks => {
                for (name, clock) in ["TB", "TW"].into_iter().zip(clocks) {
                    if let Some(clock) = clock {
                        write!(out, "{name}[{clock}]")?;
                    }
                }
            }
        }
        out.write_str("TY[8]BO[8 ")?;
        let [black, white] = self.start.discs();
        for square in 0..64 {
            out.write_str(match (black >> square & 1, white >> square & 1) {
                (1, _) => "*",
                (_, 1) => "O",
                _ => "-",
            })?;
        }
        let symbol = |player, black, white| {
            if player == Player::First {
                black
            } else {
                white
            }
        };
        write!(out, " {}]", symbol(self.start.to_move, "*", "O"))?;
        let mut position = self.start;
        for mv in self.legal_moves() {
            write!(out, "{}[", symbol(position.to_move, "B", "W"))?;
            if mv == PASS {
                out.write_str("PA")?;
            } else {
                let mut square = String::new();
                write_square((mv.0 % 8, mv.0 / 8), &mut square)?;
                out.write_str(&square.to_ascii_uppercase())?;
            }
            out.write_str("]")?;
            position.play(mv);
        }
        out.write_str(";)")
    }
}

/// As it stands between the brackets of `TI`, the parts that are 0 left blank.
impl fmt::Display for GgfClock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_time(self.main, out)?;
        if self.increment > 0 || self.grace.is_some() {
            out.write_str("/")?;
        }
        if self.increment > 0 {
            write_time(self.increment, out)?;
        }
        if let Some(grace) = self.grace {
            out.write_str("/")?;
            write_time(grace, out)?;
        }
        Ok(())
    }
}

fn write_time(seconds: u32, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        write!(out, "{hours}:{minutes:02}:{seconds:02}")
    } else {
        write!(out, "{minutes}:{seconds:02}")
    }
}

/// Reads `main/increment/grace`; none if it says nothing, or that there is no time at all.
fn read_clock(text: &str) -> Option<GgfClock> {
    let mut parts = text.trim().split('/');
    let mut part = || match parts.next().map(str::trim) {
        None => Some(None),
        Some("") => Some(Some(0)),
        Some(time) => read_time(time).map(Some),
    };
    let clock = GgfClock {
        main: part()?.unwrap_or(0),
        increment: part()?.unwrap_or(0),
        grace: part()?,
    };
    (parts.next().is_none() && (clock.main > 0 || clock.increment > 0)).then_some(clock)
}

/// Reads `days.hours:minutes:seconds`, of which all but the seconds may be missing.
fn read_time(text: &str) -> Option<u32> {
    let (days, clock) = text.split_once('.').unwrap_or(("0", text));
    let parts: Vec<&str> = clock.split(':').collect();
    if parts.len() > 3 || clock.len() < text.len() && parts.len() < 3 {
        return None;
    }
    let start = parse_number::<u32>(days)?.checked_mul(if parts.len() == 3 { 24 } else { 0 })?;
    parts
        .iter()
        .enumerate()
        .try_fold(start, |time, (index, part)| {
            let time = if index > 0 {
                time.checked_mul(60)?
            } else {
                time
            };
            time.checked_add(parse_number(part)?)
        })
}

/// Reads `+12`, or `-2.00:r` with the ending; none if unknown, as with `?`.
fn read_result(text: &str) -> Option<GgfResult> {
    let (margin, ending) = match text.trim().split_once(':') {
        Some((margin, letter)) => {
            let known = |(_, known): &&(GgfEnding, &str)| known.eq_ignore_ascii_case(letter.trim());
            (margin, ENDINGS.iter().find(known)?.0)
        }
        None => (text.trim(), GgfEnding::Played),
    };
    let margin = margin
        .parse()
        .ok()
        .filter(|margin: &f64| margin.is_finite())?;
    Some(GgfResult { margin, ending })
}

/// A text without line breaks, and with single blanks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The properties of the only game in a text, in their order, with their values unescaped.
fn properties(text: &str) -> Result<Vec<(&str, String)>, ParseError> {
    let refuse = |problem: String, expected: &str| {
        Err(ParseError::bad_record::<Othello>(text, problem, expected))
    };
    let Some(mut rest) = text.trim().strip_prefix("(;") else {
        return refuse("no (; at the start".into(), "(; properties ;)");
    };
    let mut properties = Vec::new();
    let mut last = "";
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(";)") {
            if after.trim().is_empty() {
                return Ok(properties);
            }
            return refuse(format!("{} after its end", quote(after.trim())), "one game");
        }
        let letters = rest.trim_start_matches(|symbol: char| symbol.is_ascii_alphabetic());
        let (name, after) = rest.split_at(rest.len() - letters.len());
        let Some(value) = after.trim_start().strip_prefix('[') else {
            let problem = if rest.is_empty() {
                "no ;) at the end".to_owned()
            } else {
                format!("{} where a property should be", quote(rest))
            };
            return refuse(problem, "properties such as B[F5], and then ;)");
        };
        // A bracket without a name is another value of the same property.
        let name = if name.is_empty() { last } else { name };
        if name.is_empty() {
            let problem = format!("a value without a name, {},", quote(rest));
            return refuse(problem, "properties such as B[F5]");
        }
        last = name;
        let mut read = String::new();
        let mut symbols = value.char_indices();
        let end = loop {
            match symbols.next() {
                None => {
                    let problem = format!("no ] after {}", quote(rest));
                    return refuse(
                        problem,
                        "properties such as B[F5], and \\] for a ] in a value",
                    );
                }
                Some((index, ']')) => break index,
                Some((_, '\\')) => read.extend(symbols.next().map(|(_, symbol)| symbol)),
                Some((_, symbol)) => read.push(symbol),
            }
        };
        properties.push((name, read));
        rest = &value[end + 1..];
    }
}
