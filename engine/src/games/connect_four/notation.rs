//! Connect four as text: rows of `.XO`, Pascal Pons' strings of columns, and Fairy-Stockfish's `cfour`.

use crate::machine::iter_ones;
use std::fmt;

use super::{BOARD, COLUMNS, Column, ConnectFour, ROWS, facts, has_four};
use crate::games::{
    Game as _, Notation, ParseError, Player,
    facts::GameFacts,
    notation::{Grid, Style, parse_square, quote, write_square},
    position_list::PositionEntry,
};

impl Notation for ConnectFour {
    const FACTS: &'static GameFacts = &facts::FACTS;
    const MOVE_HELP: &'static str = "a column from 1 to 7, or a drop such as P@d1";
    const POSITION_HELP: &'static str = "six rows of seven . X O from the top with / between them, then X or O to move; \
        or the columns played so far, such as 4453; or a cfour FEN such as 7/7/7/7/7/3P3 b";

    fn parse_move(&self, text: &str) -> Result<Column, ParseError> {
        let text = text.trim();
        let column = match text.as_bytes() {
            [digit @ b'1'..=b'7'] => digit - b'1',
            [b'P' | b'p', b'@', ..] => {
                let (column, row) = parse_square(&text[2..], COLUMNS, ROWS)
                    .ok_or_else(|| ParseError::not_a_move::<Self>(text))?;
                let landing = self.landing_row(column);
                if self.is_legal(Column(column)) && landing != Some(row) {
                    let problem = format!(
                        "a disc dropped there does not come to rest in row {}",
                        row + 1
                    );
                    return Err(ParseError::illegal(self, text, problem));
                }
                column
            }
            _ => return Err(ParseError::not_a_move::<Self>(text)),
        };
        if self.is_legal(Column(column)) {
            Ok(Column(column))
        } else {
            let problem = if self.is_over() {
                "the game is over"
            } else {
                "that column is full"
            };
            Err(ParseError::illegal(self, text, problem))
        }
    }

    fn write_move(
        &self,
        Column(column): Column,
        style: Style,
        out: &mut dyn fmt::Write,
    ) -> fmt::Result {
        match (style, self.landing_row(column)) {
            (Style::Fairy, Some(row)) => {
                out.write_str("P@")?;
                write_square((column, row), out)
            }
            _ => write!(out, "{}", column + 1),
        }
    }

    fn parse_position(_: (), text: &str) -> Result<Self, ParseError> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return from_columns(text);
        }
        from_rows(text)
    }

    fn write_position(&self, style: Style, out: &mut dyn fmt::Write) -> fmt::Result {
        let fairy = style == Style::Fairy;
        for row in (0..ROWS).rev() {
            let mut blanks = 0;
            for column in 0..COLUMNS {
                let disc = self.disc(column, row);
                if fairy && disc.is_none() {
                    blanks += 1;
                    continue;
                }
                if blanks > 0 {
                    write!(out, "{blanks}")?;
                    blanks = 0;
                }
                out.write_char(match (disc, fairy) {
                    (None, _) => '.',
                    (Some(Player::First), false) => 'X',
                    (Some(Player::Second), false) => 'O',
                    (Some(Player::First), true) => 'P',
                    (Some(Player::Second), true) => 'p',
                })?;
            }
            if blanks > 0 {
                write!(out, "{blanks}")?;
            }
            if row > 0 {
                out.write_char('/')?;
            }
        }
        let first = self.to_move() == Player::First;
        if fairy {
            let plies = self.plies() as usize;
            let hands = [21 - plies.div_ceil(2), 21 - plies / 2];
            let side = if first { 'w' } else { 'b' };
            write!(
                out,
                "[{}{}] {side} - - 0 {}",
                "P".repeat(hands[0]),
                "p".repeat(hands[1]),
                plies / 2 + 1
            )
        } else {
            write!(out, " {}", if first { 'X' } else { 'O' })
        }
    }

    fn draw(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        for row in (0..ROWS).rev() {
            write!(out, "{} ", row + 1)?;
            for column in 0..COLUMNS {
                let symbol = match self.disc(column, row) {
                    None => '.',
                    Some(Player::First) => 'X',
                    Some(Player::Second) => 'O',
                };
                write!(out, " {symbol}")?;
            }
            out.write_char('\n')?;
        }
        out.write_str("   1 2 3 4 5 6 7\n")
    }

    /// Pascal Pons' test sets, `COLUMNS SCORE`; or `COLUMNS SCORE,...,SCORE` with a score for each column, `-` for a full one.
    fn parse_test_line(line: &str) -> Option<PositionEntry> {
        let mut words = line.split_whitespace();
        let (columns, scores) = (words.next()?, words.next()?);
        if !columns.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let scores: Vec<Option<i32>> = scores
            .split(',')
            .map(|score| match score {
                "-" => Some(None),
                _ => score.parse().ok().map(Some),
            })
            .collect::<Option<_>>()?;
        let best = scores.iter().flatten().max()?;
        let mut fields = vec![("value".to_owned(), best.to_string())];
        if scores.len() > 1 {
            let values: Vec<String> = (1..)
                .zip(&scores)
                .filter_map(|(column, score)| score.map(|score| format!("{column}:{score}")))
                .collect();
            fields.push(("values".to_owned(), values.join(",")));
        }
        Some(PositionEntry {
            position: "startpos".to_owned(),
            moves: columns.to_owned(),
            fields,
            ..PositionEntry::default()
        })
    }

    fn grid(&self) -> Grid {
        Grid::from_bitboards(COLUMNS, ROWS, self.discs(), |column, row| column * 7 + row)
    }

    fn grid_square(&self, Column(column): Column) -> Option<(u8, u8)> {
        Some((column, self.landing_row(column)?))
    }

    fn end_reason(&self) -> &'static str {
        if has_four(self.opponent) {
            "four in line"
        } else {
            "board full"
        }
    }

    /// Columns may stand together, as in `4453`.
    fn split_moves(word: &str) -> Vec<&str> {
        if !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return vec![word];
        }
        (0..word.len()).map(|start| &word[start..=start]).collect()
    }
}

impl ConnectFour {
    fn disc(&self, column: u8, row: u8) -> Option<Player> {
        let [first, second] = self.discs();
        let cell = column * 7 + row;
        if first >> cell & 1 == 1 {
            Some(Player::First)
        } else {
            (second >> cell & 1 == 1).then_some(Player::Second)
        }
    }

    fn landing_row(&self, column: u8) -> Option<u8> {
        iter_ones(self.landing_cells())
            .find(|cell| cell / 7 == column)
            .map(|cell| cell % 7)
    }
}

fn from_columns(text: &str) -> Result<ConnectFour, ParseError> {
    let mut position = ConnectFour::start(());
    for (index, digit) in text.bytes().enumerate() {
        let column = Column(digit.wrapping_sub(b'1'));
        if !position.is_legal(column) {
            let problem = if column.0 >= COLUMNS {
                format!("column {:?}", digit as char)
            } else if position.is_over() {
                format!("move {} after the game was over", index + 1)
            } else {
                format!(
                    "move {} into column {}, which was full,",
                    index + 1,
                    column.0 + 1
                )
            };
            return Err(ParseError::bad_position::<ConnectFour>(
                text,
                problem,
                "columns from 1 to 7 with room in them, of a game that is not yet over when they are played",
            ));
        }
        position.play(column);
    }
    Ok(position)
}

fn from_rows(text: &str) -> Result<ConnectFour, ParseError> {
    let error = |problem: String| ParseError::position::<ConnectFour>(text, problem);
    // Rows stand between slashes or on lines of their own.
    let words: Vec<&str> = text.split_whitespace().collect();
    let lines = if words.first().is_some_and(|word| word.contains('/')) {
        1
    } else {
        usize::from(ROWS)
    };
    let Some((rows, rest)) = words.split_at_checked(lines) else {
        return Err(error(format!("{} rows instead of 6", words.len())));
    };
    let rows = rows.join("/");
    let (rows, hand) = match rows.split_once('[') {
        Some((rows, hand)) => (rows, Some(hand)),
        None => (rows.as_str(), None),
    };
    let rows: Vec<&str> = rows.split('/').collect();
    if rows.len() != usize::from(ROWS) {
        return Err(error(format!("{} rows instead of 6", rows.len())));
    }
    let Some((side, tail)) = rest.split_first() else {
        return Err(error("no side to move".into()));
    };
    // Fairy-Stockfish goes on with castling, en passant and two counters.
    let is_number = |word: &str| {
        !word.is_empty() && word.len() < 6 && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !matches!(tail, [] | ["-", "-"])
        && !matches!(tail, ["-", "-", one, two] if is_number(one) && is_number(two))
    {
        return Err(error(format!(
            "{} after the side to move",
            quote(&tail.join(" "))
        )));
    }
    let mut discs = [0u64; 2];
    for (from_top, row) in rows.iter().enumerate() {
        let mut column = 0;
        for symbol in row.chars() {
            let blanks = symbol
                .to_digit(10)
                .filter(|&digit| (1..=7).contains(&digit));
            let player = match symbol {
                'X' | 'x' | 'P' => Some(0),
                'O' | 'o' | 'p' => Some(1),
                '.' => None,
                _ if blanks.is_some() => None,
                other => return Err(error(format!("symbol {other:?} in row {}", quote(row)))),
            };
            if let Some(player) = player
                && column < COLUMNS.into()
            {
                discs[player] |= 1 << (column * 7 + usize::from(ROWS) - 1 - from_top);
            }
            column += blanks.unwrap_or(1) as usize;
        }
        if column != usize::from(COLUMNS) {
            return Err(error(format!(
                "{column} cells instead of 7 in row {}",
                quote(row)
            )));
        }
    }
    if let Some(hand) = hand {
        // The discs in hand follow from the board.
        let left = |letter: char| hand.chars().filter(|&symbol| symbol == letter).count() as u32;
        let expected = [
            21 - discs[0].count_ones().min(21),
            21 - discs[1].count_ones().min(21),
        ];
        let is_sound = hand.ends_with(']') && hand.trim_end_matches(['P', 'p', ']']).is_empty();
        if !is_sound || hand != "]" && [left('P'), left('p')] != expected {
            return Err(error(format!("discs in hand {}", quote(hand))));
        }
    }
    let to_move = match *side {
        "X" | "x" | "w" | "W" => Player::First,
        "O" | "o" | "b" | "B" => Player::Second,
        other => return Err(error(format!("side {}", quote(other)))),
    };
    check_position(text, discs, to_move)
}

/// Refuses positions that falling discs and alternating turns cannot reach.
fn check_position(
    text: &str,
    [first, second]: [u64; 2],
    to_move: Player,
) -> Result<ConnectFour, ParseError> {
    let refuse = |problem: String, expected: &str| {
        Err(ParseError::bad_position::<ConnectFour>(
            text, problem, expected,
        ))
    };
    let occupied = first | second;
    if let Some(cell) =
        iter_ones(occupied).find(|cell| cell % 7 > 0 && occupied >> (cell - 1) & 1 == 0)
    {
        let problem = format!("a disc in column {} with nothing below it", cell / 7 + 1);
        return refuse(problem, "discs that have fallen as far as they can");
    }
    let counts = [first.count_ones(), second.count_ones()];
    let [own, opponent] = to_move.own_first([first, second]);
    let position = ConnectFour { own, opponent };
    let expected = "X and O in equal number with X to move, or one X more with O to move";
    if counts[0] != counts[1] && counts[0] != counts[1] + 1 || position.to_move() != to_move {
        return refuse(
            format!("{} X and {} O with that side to move", counts[0], counts[1]),
            expected,
        );
    }
    if has_four(position.own) {
        let problem = if has_four(position.opponent) {
            "four in line for both sides"
        } else {
            "a win for the side to move"
        };
        return refuse(
            problem.into(),
            "at most one side with four in line, the one that moved last",
        );
    }
    // The four must have been made by the last disc: without some topmost disc of the winner there is none.
    let tops = occupied & !((occupied & BOARD) >> 1);
    if has_four(position.opponent)
        && !iter_ones(tops & position.opponent)
            .any(|cell| !has_four(position.opponent & !(1 << cell)))
    {
        let problem = "fours that no last disc can have made together";
        return refuse(
            problem.into(),
            "a position in which one disc completed every line of four",
        );
    }
    Ok(position)
}
