//! Othello as text: OBF positions (`X`, `O`, `-`; a1 first, rows from the top), moves such as `d3`, transcripts; and
//! Fairy-Stockfish's `flipello`, whose `P` is the first player and whose row 1 is at the bottom.

use std::fmt;

use super::{Othello, OthelloMove, PASS, facts};
use crate::games::{
    Game as _, Notation, ParseError, Player,
    facts::GameFacts,
    notation::{Grid, Style, parse_number, parse_square, quote, write_fen_row, write_square},
    position_list::PositionEntry,
};

const PASSES: [&str; 5] = ["pass", "ps", "pa", "--", "@@@@"];

/// Discs that each side of `flipello` has in hand at the start.
const DISCS_IN_HAND: u32 = 60;

impl Notation for Othello {
    const FACTS: &'static GameFacts = &facts::FACTS;
    const MOVE_HELP: &'static str =
        "a square from a1 to h8, or pass, or a drop such as P@d3 with rows from the bottom";
    const POSITION_HELP: &'static str = "64 squares of X (black), O (white) and - (empty) from a1 to h1, a2 to h2 and so on, \
        then X or O to move; or the word mirrored for the mirrored start; or a flipello FEN such as \
        8/8/8/3pP3/3Pp3/8/8/8 w";

    fn parse_move(&self, text: &str) -> Result<OthelloMove, ParseError> {
        let text = text.trim();
        let mv = if PASSES.iter().any(|pass| pass.eq_ignore_ascii_case(text)) || is_null_move(text)
        {
            PASS
        } else {
            let (square, flip) = match text.strip_prefix(['P', 'p']) {
                // Rows from the bottom.
                Some(drop) => (drop.strip_prefix('@').unwrap_or(""), 7),
                None => (text, 0),
            };
            let (column, row) =
                parse_square(square, 8, 8).ok_or_else(|| ParseError::not_a_move::<Self>(text))?;
            OthelloMove((row ^ flip) * 8 + column)
        };
        if self.is_legal(mv) {
            return Ok(mv);
        }
        let problem = if self.outcome().is_some() {
            "the game is over"
        } else if mv == PASS {
            "only who has no square to play on may pass"
        } else if self.legal_squares() == 0 {
            "who has no square to play on must pass"
        } else if (self.own | self.opponent) >> mv.0 & 1 == 1 {
            "the square is taken"
        } else {
            "it turns no disc over"
        };
        Err(ParseError::illegal(self, text, problem))
    }

    fn write_move(&self, mv: OthelloMove, style: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        if style == Style::Fairy {
            return self.write_fairy_move(mv, out);
        }
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
        if is_fairy(text) {
            return from_fairy(text);
        }
        from_obf(text)
    }

    fn write_position(&self, style: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        if style == Style::Fairy {
            return self.write_fairy_position(out);
        }
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

    fn end_reason(&self) -> &'static str {
        if (self.own | self.opponent) == u64::MAX {
            "board full"
        } else {
            "neither side can move"
        }
    }

    fn score(&self) -> Option<[u32; 2]> {
        Some(self.discs().map(u64::count_ones))
    }

    /// OBF problem files: the position, then `; MOVE:SCORE` for each move whose score is known.
    fn parse_test_line(line: &str) -> Option<PositionEntry> {
        let (position, rest) = line.split_once(';')?;
        let scores: Vec<(String, i32)> = rest
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty() && !part.starts_with('%'))
            .map(|part| {
                let (mv, score) = part.split_once(':')?;
                let score = score.split_whitespace().next()?.parse().ok()?;
                Some((mv.trim().to_ascii_lowercase(), score))
            })
            .collect::<Option<_>>()?;
        let mut fields = Vec::new();
        if let Some(best) = scores.iter().map(|&(_, score)| score).max() {
            let values: Vec<String> = (scores.iter())
                .map(|(mv, score)| format!("{mv}:{score}"))
                .collect();
            fields.push(("value".to_owned(), best.to_string()));
            fields.push(("values".to_owned(), values.join(",")));
        }
        Some(PositionEntry {
            position: position.trim().to_owned(),
            fields,
            ..PositionEntry::default()
        })
    }

    /// Moves may stand together, as in `f5d6PAc3`; a square that comes twice running is a pass of `flipello`.
    fn split_moves(word: &str) -> Vec<&str> {
        split_transcript(word).unwrap_or_else(|| vec![word])
    }

    fn grid(&self) -> Grid {
        Grid::from_bitboards(8, 8, self.discs(), |column, row| row * 8 + column)
    }

    fn grid_square(&self, mv: OthelloMove) -> Option<(u8, u8)> {
        (mv != PASS).then_some((mv.0 % 8, mv.0 / 8))
    }

    fn implied_move(&self) -> Option<OthelloMove> {
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
            None if text.get(..4).is_some_and(is_null_move) => 4,
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

    /// Refuses unreachable positions: those with an empty square in the middle.
    fn check_position(text: &str, discs: [u64; 2], to_move: Player) -> Result<Self, ParseError> {
        if (discs[0] | discs[1]) & super::CENTRE != super::CENTRE {
            return Err(ParseError::bad_position::<Self>(
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

    /// A pass is a disc that stays where it is: the mover's first one, counted from a1 at the bottom.
    fn write_fairy_move(&self, mv: OthelloMove, out: &mut dyn fmt::Write) -> fmt::Result {
        if mv == PASS {
            let first = self.own.swap_bytes().trailing_zeros() as u8 % 64;
            let square = (first % 8, first / 8);
            write_square(square, out)?;
            return write_square(square, out);
        }
        out.write_str("P@")?;
        write_square((mv.0 % 8, 7 - mv.0 / 8), out)
    }

    /// Passes are not part of a position: the discs in hand and the move number are those of a game with as few as there
    /// can have been, the second player's if there was one.
    fn write_fairy_position(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for row in 0..8 {
            if row > 0 {
                out.write_char('/')?;
            }
            let letters = (0..8).map(|column| match self.symbol(row * 8 + column, '-') {
                'X' => Some('P'),
                'O' => Some('p'),
                _ => None,
            });
            write_fen_row(letters, out)?;
        }
        let dropped = (self.own | self.opponent).count_ones().saturating_sub(4);
        let first = self.to_move == Player::First;
        let passes = u32::from(dropped.is_multiple_of(2) != first);
        let hands = [
            DISCS_IN_HAND - dropped.div_ceil(2),
            DISCS_IN_HAND - dropped / 2,
        ];
        write!(
            out,
            "[{}{}] {} - - 0 {}",
            "P".repeat(hands[0] as usize),
            "p".repeat(hands[1] as usize),
            if first { 'w' } else { 'b' },
            (dropped + passes) / 2 + 1
        )
    }
}

/// Whether the text is a move from a square to the same square, which is how `flipello` writes a pass.
fn is_null_move(text: &str) -> bool {
    match (text.get(..2), text.get(2..)) {
        (Some(from), Some(to)) => {
            parse_square(from, 8, 8).is_some_and(|square| parse_square(to, 8, 8) == Some(square))
        }
        _ => false,
    }
}

/// Reads 64 squares and a side.
pub(super) fn from_obf(text: &str) -> Result<Othello, ParseError> {
    let error = |problem: String| ParseError::position::<Othello>(text, problem);
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
    Othello::check_position(text, discs, to_move)
}

/// Whether the rows are those of a FEN: OBF knows neither digits nor the letter P.
fn is_fairy(text: &str) -> bool {
    let rows = text.split_whitespace().next().unwrap_or_default();
    rows.contains('/')
        && rows.contains(|symbol: char| symbol.is_ascii_digit() || matches!(symbol, 'P' | 'p'))
}

/// Reads `8/8/8/3pP3/3Pp3/8/8/8[PPpp] w - - 0 1`; the discs in hand, castling, en passant and the counters may be missing.
fn from_fairy(text: &str) -> Result<Othello, ParseError> {
    let refuse = |problem: String, expected: &str| {
        ParseError::bad_position::<Othello>(text, problem, expected)
    };
    let mut words = text.split_whitespace();
    let board = words.next().unwrap_or_default();
    let (rows, hand) = match board.split_once('[') {
        Some((rows, hand)) => (rows, hand),
        None => (board, "]"),
    };
    // The number of discs in hand does not matter; only their letters are checked.
    let discs_in_hand = hand
        .strip_suffix(']')
        .map(|discs| discs.trim_matches(['P', 'p']));
    if discs_in_hand != Some("") {
        return Err(refuse(
            format!("discs in hand {}", quote(hand)),
            "some of P and p between brackets",
        ));
    }
    let rows: Vec<&str> = rows.split('/').collect();
    if rows.len() != 8 {
        let problem = format!("{} rows instead of 8", rows.len());
        return Err(refuse(
            problem,
            "eight rows from the top with / between them",
        ));
    }
    let mut discs = [0u64; 2];
    for (from_top, row) in rows.iter().enumerate() {
        let mut column = 0;
        for symbol in row.chars() {
            let player = match symbol {
                'P' => 0,
                'p' => 1,
                '1'..='8' => {
                    column += symbol as usize - '0' as usize;
                    continue;
                }
                _ => {
                    return Err(refuse(
                        format!("symbol {symbol:?} in row {}", quote(row)),
                        "P (first player), p (second player) and digits for runs of empty squares",
                    ));
                }
            };
            if column < 8 {
                discs[player] |= 1 << (8 * from_top + column);
            }
            column += 1;
        }
        if column != 8 {
            let problem = format!("{column} squares in row {}", quote(row));
            return Err(refuse(problem, "eight squares in each row"));
        }
    }
    let to_move = match words.next() {
        Some("w" | "W") => Player::First,
        Some("b" | "B") => Player::Second,
        side => {
            let problem = match side {
                Some(side) => format!("side {}", quote(side)),
                None => "no side to move".to_owned(),
            };
            return Err(refuse(
                problem,
                "w for the first player or b for the second",
            ));
        }
    };
    let mut tail: Vec<&str> = words.collect();
    if let ["-", "-", ..] = tail[..] {
        tail.drain(..2);
    }
    let is_counter = |word: &&str| parse_number::<u16>(word).is_some();
    if !matches!(tail.len(), 0 | 2) || !tail.iter().all(is_counter) {
        return Err(refuse(
            format!("{} after the side to move", quote(&tail.join(" "))),
            "- - and two counters, or nothing",
        ));
    }
    Othello::check_position(text, discs, to_move)
}
