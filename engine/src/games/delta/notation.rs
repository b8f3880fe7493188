//! Delta as text: rows from the top with `*` black and `o` white, and moves such as `b2`, `b2b5` and `b2b5xc3`.

use std::fmt;

use super::{Delta, Equaliser, MAX_PLIES, NO_PICK_UP, STONES_PER_SIDE, Slide, facts, has_four};
use crate::games::{
    Game as _, Notation, ParseError, Player,
    facts::GameFacts,
    notation::{Grid, Style, parse_number, parse_square, quote, write_fen_row, write_square},
};

impl Notation for Delta {
    const FACTS: &'static GameFacts = &facts::FACTS;
    const MOVE_HELP: &'static str = "a square to place on such as b2, a slide such as b2b5, or a slide that picks up a stone such as b2b5xc3";
    const POSITION_HELP: &'static str = "five rows of * (black), o (white) and . (empty) from the top with / between them, a \
        digit standing for that many empty squares; then b or w to move; then the number of plies played";
    const VARIANT_HELP: &'static str = "optional, forced or off, for the equaliser";

    fn parse_variant_word(_: Equaliser, word: &str) -> Option<Equaliser> {
        match word.to_ascii_lowercase().as_str() {
            "optional" => Some(Equaliser::Optional),
            "forced" => Some(Equaliser::Forced),
            "off" => Some(Equaliser::Off),
            _ => None,
        }
    }

    fn write_variant(equaliser: Equaliser, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(match equaliser {
            Equaliser::Optional => "",
            Equaliser::Forced => ":forced",
            Equaliser::Off => ":off",
        })
    }

    /// Reads also `b2b5/b4`, which names the square of the dropped stone, and a `+` for a threat at the end.
    fn parse_move(&self, text: &str) -> Result<Slide, ParseError> {
        let (mv, drop) = split_move(text.trim().trim_end_matches('+'))
            .ok_or_else(|| ParseError::not_a_move::<Self>(text))?;
        if self.is_legal(mv) {
            return match drop {
                Some(drop) if mv.is_placement() || drop != mv.drop_square() => {
                    let problem = "the stone is dropped on the last square that the slide passes";
                    Err(ParseError::illegal(self, text, problem))
                }
                _ => Ok(mv),
            };
        }
        Err(ParseError::illegal(
            self,
            text,
            self.illegal_move_reason(mv),
        ))
    }

    fn write_move(&self, mv: Slide, _: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        if !mv.is_placement() {
            write_square((mv.from % 5, mv.from / 5), out)?;
        }
        write_square((mv.to % 5, mv.to / 5), out)?;
        if mv.pick != NO_PICK_UP {
            out.write_char('x')?;
            write_square((mv.pick % 5, mv.pick / 5), out)?;
        }
        Ok(())
    }

    fn parse_position(equaliser: Equaliser, text: &str) -> Result<Self, ParseError> {
        let error = |problem: String| ParseError::position::<Self>(text, problem);
        let words: Vec<&str> = text
            .split(|c: char| c == '/' || c.is_whitespace())
            .filter(|w| !w.is_empty())
            .collect();
        let Some((rows, rest)) = words.split_at_checked(5) else {
            return Err(error(format!("{} rows", words.len())));
        };
        let mut stones = [0u32; 2];
        for (from_top, row) in rows.iter().enumerate() {
            let mut column = 0;
            for symbol in row.chars() {
                let blanks = symbol
                    .to_digit(10)
                    .filter(|&digit| (1..=5).contains(&digit));
                let player = match symbol {
                    '*' => Some(0),
                    'o' | 'O' => Some(1),
                    '.' => None,
                    _ if blanks.is_some() => None,
                    other => return Err(error(format!("symbol {other:?} in row {}", quote(row)))),
                };
                if let Some(player) = player
                    && column < 5
                {
                    stones[player] |= 1 << ((4 - from_top) * 5 + column);
                }
                column += blanks.unwrap_or(1) as usize;
            }
            if column != 5 {
                return Err(error(format!("{column} squares in row {}", quote(row))));
            }
        }
        let side = match rest.first() {
            None => None,
            Some(&("b" | "B")) => Some(Player::First),
            Some(&("w" | "W")) => Some(Player::Second),
            Some(other) => return Err(error(format!("side {}", quote(other)))),
        };
        let ply = match rest.get(1) {
            None => None,
            Some(text) => match parse_number(text) {
                Some(ply) if ply <= MAX_PLIES => Some(ply),
                _ => {
                    let problem = format!("number of plies {} (at most {MAX_PLIES})", quote(text));
                    return Err(error(problem));
                }
            },
        };
        if let Some(more) = rest.get(2) {
            return Err(error(format!("{} after the plies", quote(more))));
        }
        check_position(text, equaliser, stones, side, ply)
    }

    fn write_position(&self, _: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        for row in (0..5).rev() {
            let symbols = (0..5).map(|column| self.symbol(row * 5 + column));
            write_fen_row(symbols.map(|symbol| (symbol != '.').then_some(symbol)), out)?;
            out.write_char(if row > 0 { '/' } else { ' ' })?;
        }
        write!(
            out,
            "{} {}",
            if self.to_move() == Player::First {
                'b'
            } else {
                'w'
            },
            self.ply
        )
    }

    fn draw(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for row in (0..5).rev() {
            write!(out, "{} ", row + 1)?;
            for column in 0..5 {
                write!(out, " {}", self.symbol(row * 5 + column))?;
            }
            out.write_char('\n')?;
        }
        out.write_str("   a b c d e\n")?;
        let [black, white] = [Player::First, Player::Second].map(|player| self.reserve(player));
        writeln!(
            out,
            "* Black, {black} in reserve; o White, {white} in reserve; ply {}",
            self.ply
        )
    }

    /// Report 003's file: five lines of five squares. A sixth names the side to move where the stones do not tell it.
    fn write_board_file(&self, out: &mut dyn fmt::Write) -> Option<fmt::Result> {
        let write = |out: &mut dyn fmt::Write| {
            for row in (0..5).rev() {
                for column in 0..5 {
                    out.write_char(self.symbol(row * 5 + column))?;
                }
                out.write_char('\n')?;
            }
            let is_full = self.piece_count() == 2 * STONES_PER_SIDE;
            match (is_full, self.to_move()) {
                (false, _) => Ok(()),
                (true, Player::First) => out.write_str("b\n"),
                (true, Player::Second) => out.write_str("w\n"),
            }
        };
        Some(write(out))
    }

    fn grid(&self) -> Grid {
        let stones = self.stones().map(u64::from);
        Grid::from_bitboards(5, 5, stones, |column, row| row * 5 + column)
    }

    fn grid_square(&self, mv: Slide) -> Option<(u8, u8)> {
        mv.is_placement().then_some((mv.to % 5, mv.to / 5))
    }

    fn end_reason(&self) -> &'static str {
        if has_four(self.opponent) {
            "four in line"
        } else if self.is_blocked() {
            "blocked"
        } else {
            "200 plies"
        }
    }
}

/// The parts of a move, sound or not: the move itself, and the drop square if it is named.
fn split_move(text: &str) -> Option<(Slide, Option<u8>)> {
    let square = |text: &str| parse_square(text, 5, 5).map(|(column, row)| row * 5 + column);
    let part = |start: usize| text.get(start..start + 2).and_then(square);
    let from = part(0)?;
    if text.len() == 2 {
        return Some((Slide::placement(from), None));
    }
    let to = part(2)?;
    let mut mv = Slide {
        from,
        to,
        pick: NO_PICK_UP,
    };
    let mut drop = None;
    let mut rest = text.get(4..)?;
    while !rest.is_empty() {
        let named = rest.get(1..3).and_then(square)?;
        match rest.as_bytes()[0] {
            b'x' | b'X' if mv.pick == NO_PICK_UP => mv.pick = named,
            b'/' if drop.is_none() => drop = Some(named),
            _ => return None,
        }
        rest = &rest[3..];
    }
    // A slide from a square onto itself is not a placement.
    (from != to).then_some((mv, drop))
}

impl Delta {
    fn symbol(&self, square: u8) -> char {
        let [black, white] = self.stones();
        if black >> square & 1 == 1 {
            '*'
        } else if white >> square & 1 == 1 {
            'o'
        } else {
            '.'
        }
    }

    fn illegal_move_reason(&self, mv: Slide) -> &'static str {
        if self.outcome().is_some() {
            "the game is over"
        } else if mv.is_placement() {
            if self.placements() == 0 {
                "no plain placement is allowed now"
            } else {
                "the square is taken"
            }
        } else if !self.can_slide() {
            "only a plain placement is allowed now"
        } else if self.own >> mv.from & 1 == 0 {
            "there is no stone of the player to move on its first square"
        } else if !self.slides().iter().any(|slide| slide == (mv.from, mv.to)) {
            "a slide goes two squares or more in a straight line, over and onto empty squares"
        } else if !self.is_pick_up() {
            "nothing is picked up while there are stones in reserve"
        } else if mv.pick == NO_PICK_UP {
            "with no stone in reserve another own stone must be picked up"
        } else {
            "the stone picked up must be another one of the own colour"
        }
    }
}

/// Refuses unreachable positions, and derives the side and the ply where they are missing.
fn check_position(
    text: &str,
    equaliser: Equaliser,
    [black, white]: [u32; 2],
    side: Option<Player>,
    ply: Option<u8>,
) -> Result<Delta, ParseError> {
    let refuse = |problem: String, expected: &str| {
        Err(ParseError::bad_position::<Delta>(text, problem, expected))
    };
    let [blacks, whites] = [black, white].map(u32::count_ones);
    let on_board = (blacks + whites) as u8;
    let full = on_board == 2 * STONES_PER_SIDE as u8;
    if blacks > STONES_PER_SIDE
        || whites > STONES_PER_SIDE
        || blacks != whites && blacks != whites + 1
    {
        let expected = "at most nine stones each, in equal number or one black stone more";
        return refuse(
            format!("{blacks} black and {whites} white stones"),
            expected,
        );
    }
    // Every ply brings one stone onto the board until all eighteen are there.
    let ply = match (ply, side) {
        (Some(ply), _) => ply,
        (None, Some(Player::Second)) if full => on_board + 1,
        (None, _) => on_board,
    };
    if ply != on_board && !(full && ply > on_board) {
        let expected = "as many plies as stones, or at least 18 once all are on the board";
        return refuse(
            format!("{ply} plies with {on_board} stones on the board"),
            expected,
        );
    }
    let position = if ply.is_multiple_of(2) {
        Delta {
            own: black,
            opponent: white,
            ply,
            equaliser,
        }
    } else {
        Delta {
            own: white,
            opponent: black,
            ply,
            equaliser,
        }
    };
    if side.is_some_and(|side| side != position.to_move()) {
        let problem = format!("the wrong side to move after {ply} plies");
        return refuse(
            problem,
            "b to move after an even number of plies, w after an odd number",
        );
    }
    if has_four(position.own) {
        let both = has_four(position.opponent);
        let problem = if both {
            "four in line for both sides"
        } else {
            "four in line for the side to move"
        };
        return refuse(
            problem.into(),
            "four in line at most for the side that moved last",
        );
    }
    Ok(position)
}
