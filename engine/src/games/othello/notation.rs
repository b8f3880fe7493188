//! Othello as text: OBF positions (`X`, `O`, `-`; a1 first, rows from the top), moves such as `d3`, transcripts.

use std::fmt;

use super::{Othello, PASS, Place};
use crate::games::{
    Game as _, Notation, ParseError, Player,
    notation::{Grid, Style, parse_square, quote, write_square},
};

const PASSES: [&str; 5] = ["pass", "ps", "pa", "--", "@@@@"];

impl Notation for Othello {
    const NAME: &'static str = "othello";
    const ALIASES: &'static [&'static str] = &["reversi"];
    const PLAYERS: [&'static str; 2] = ["Black", "White"];
    const MOVE_HELP: &'static str = "a square from a1 to h8, or pass";
    const POSITION_HELP: &'static str = "64 squares of X (black), O (white) and - (empty) from a1 to h1, a2 to h2 and so on, \
        then X or O to move; or the word mirrored for the mirrored start";

    fn parse_move(&self, text: &str) -> Result<Place, ParseError> {
        let text = text.trim();
        let mv = if PASSES.iter().any(|pass| pass.eq_ignore_ascii_case(text)) {
            PASS
        } else {
            let (column, row) =
                parse_square(text, 8, 8).ok_or_else(|| ParseError::not_a_move::<Self>(text))?;
            Place(row * 8 + column)
        };
        if self.is_legal(mv) {
            return Ok(mv);
        }
        let problem = if self.outcome().is_some() {
            "the game is over"
        } else if mv == PASS {
            "only who has no square to play on may pass"
        } else if self.squares() == 0 {
            "who has no square to play on must pass"
        } else if (self.own | self.opponent) >> mv.0 & 1 == 1 {
            "the square is taken"
        } else {
            "it turns no disc over"
        };
        Err(ParseError::illegal(self, text, problem))
    }

    fn write_move(&self, mv: Place, _: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        if mv == PASS {
            out.write_str("pass")
        } else {
            write_square((mv.0 % 8, mv.0 / 8), out)
        }
    }

    fn parse_position(_: (), text: &str) -> Result<Self, ParseError> {
        if text.eq_ignore_ascii_case("mirrored") {
            return Ok(Self::mirrored_start());
        }
        let error = |problem: String| ParseError::position::<Self>(text, problem);
        // OBF goes on with `; move:score` for every scored move, and `%` begins a comment.
        let main = text.split([';', '%']).next().unwrap_or_default();
        let symbols: Vec<char> = main
            .chars()
            .filter(|symbol| !symbol.is_whitespace() && *symbol != '/')
            .collect();
        let [squares @ .., side] = symbols.as_slice() else {
            return Err(error("no square".into()));
        };
        let player_of = |symbol: char| match symbol {
            'X' | 'x' | '*' => Some(Player::First),
            'O' | 'o' => Some(Player::Second),
            _ => None,
        };
        let mut discs = [0u64; 2];
        for (square, &symbol) in squares.iter().enumerate() {
            match player_of(symbol) {
                Some(player) if square < 64 => discs[player.index()] |= 1 << square,
                Some(_) => {}
                None if symbol == '-' || symbol == '.' => {}
                None => return Err(error(format!("symbol {}", quote(&symbol.to_string())))),
            }
        }
        if squares.len() == 63 && (*side == '-' || *side == '.' || player_of(*side).is_some()) {
            return Err(error(
                "64 squares and no side to move, or 63 squares,".into(),
            ));
        }
        if squares.len() != 64 {
            return Err(error(format!(
                "{} squares and the side {side:?}",
                squares.len()
            )));
        }
        let to_move =
            player_of(*side).ok_or_else(|| error(format!("side {}", quote(&side.to_string()))))?;
        if (discs[0] | discs[1]) & super::CENTRE != super::CENTRE {
            return Err(Self::refuse(
                text,
                "an empty square among d4, e4, d5 and e5",
                "discs on all four: a game begins there",
            ));
        }
        let [own, opponent] = if to_move == Player::First {
            discs
        } else {
            [discs[1], discs[0]]
        };
        Ok(Self {
            own,
            opponent,
            to_move,
        })
    }

    fn write_position(&self, _: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        for square in 0..64 {
            out.write_char(self.symbol(square, '-'))?;
        }
        write!(
            out,
            " {}",
            if self.to_move == Player::First {
                'X'
            } else {
                'O'
            }
        )
    }

    fn draw(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str("   a b c d e f g h\n")?;
        for row in 0..8 {
            write!(out, "{} ", row + 1)?;
            for column in 0..8 {
                write!(out, " {}", self.symbol(row * 8 + column, '.'))?;
            }
            out.write_char('\n')?;
        }
        let [black, white] = self.discs().map(u64::count_ones);
        writeln!(out, "X Black {black}, O White {white}")
    }

    fn reason(&self) -> &'static str {
        if (self.own | self.opponent) == u64::MAX {
            "board full"
        } else {
            "neither side can move"
        }
    }

    fn score(&self) -> Option<[u32; 2]> {
        Some(self.discs().map(u64::count_ones))
    }

    /// Moves may stand together, as in `f5d6PAc3`.
    fn split_moves(word: &str) -> Vec<&str> {
        split_transcript(word).unwrap_or_else(|| vec![word])
    }

    fn grid(&self) -> Grid {
        Grid::of_bits(8, 8, self.discs(), |column, row| row * 8 + column)
    }

    fn grid_square(&self, mv: Place) -> Option<(u8, u8)> {
        (mv != PASS).then_some((mv.0 % 8, mv.0 / 8))
    }

    fn implied_move(&self) -> Option<Place> {
        self.is_legal(PASS).then_some(PASS)
    }
}

/// The moves of a transcript without blanks; none if it is not all moves.
fn split_transcript(mut text: &str) -> Option<Vec<&str>> {
    let mut moves = Vec::new();
    while !text.is_empty() {
        let starts_with = |pass: &&&str| {
            text.get(..pass.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(pass))
        };
        let length = match PASSES.iter().find(starts_with) {
            Some(pass) => pass.len(),
            None => parse_square(text.get(..2)?, 8, 8).map(|_| 2)?,
        };
        let (mv, rest) = text.split_at(length);
        moves.push(mv);
        text = rest;
    }
    Some(moves)
}

impl Othello {
    fn symbol(&self, square: u8, empty: char) -> char {
        let [black, white] = self.discs();
        if black >> square & 1 == 1 {
            'X'
        } else if white >> square & 1 == 1 {
            'O'
        } else {
            empty
        }
    }

    fn refuse(text: &str, problem: &str, expected: &str) -> ParseError {
        ParseError::bad_position::<Self>(text, problem, expected)
    }
}
