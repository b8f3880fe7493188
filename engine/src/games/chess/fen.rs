//! Strict FEN and EPD. cozy-chess builds the board; whatever it would accept wrongly, or refuse without a reason, is checked
//! here first, field by field.

use cozy_chess::{
    BitBoard, BoardBuilder, BoardBuilderError, CastleRights, Color, File, Piece, Rank, Square,
    get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
};

use super::{Chess, ChessRules, FIFTY_MOVE_PLIES};
use crate::games::{
    ParseError,
    notation::{parse_number, quote},
};

const PIECE_LETTERS: [(char, Piece); 6] = [
    ('p', Piece::Pawn),
    ('n', Piece::Knight),
    ('b', Piece::Bishop),
    ('r', Piece::Rook),
    ('q', Piece::Queen),
    ('k', Piece::King),
];

/// A piece as its FEN letter.
pub(super) fn piece_letter(piece: Piece, color: Color) -> char {
    let letter = PIECE_LETTERS[piece as usize].0;
    if color == Color::White {
        letter.to_ascii_uppercase()
    } else {
        letter
    }
}

/// The problem, and the expected form where there is a definite one.
struct FenError(String, Option<&'static str>);

impl From<String> for FenError {
    fn from(problem: String) -> Self {
        Self(problem, None)
    }
}

fn fen_error(problem: impl Into<String>, expected: &'static str) -> FenError {
    FenError(problem.into(), Some(expected))
}

pub(super) fn parse(rules: ChessRules, text: &str) -> Result<Chess, ParseError> {
    parse_fields(rules, text).map_err(|FenError(problem, expected)| match expected {
        Some(expected) => ParseError::bad_position::<Chess>(text, problem, expected),
        None => ParseError::position::<Chess>(text, problem),
    })
}

fn parse_fields(rules: ChessRules, text: &str) -> Result<Chess, FenError> {
    let (fields, operations) = split_operations(text);
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let (main, counters) = match fields.as_slice() {
        [board, side, castling, en_passant, counters @ ..] if counters.len() <= 2 => {
            ([*board, *side, *castling, *en_passant], counters)
        }
        _ => return Err(format!("{} fields instead of 4 to 6", fields.len()).into()),
    };
    let mut counters = [0, 1].map(|index| counters.get(index).copied());
    read_operations(operations, &mut counters)?;
    let [board, side, castling, en_passant] = main;
    let mut builder = BoardBuilder::empty();
    read_board(board, &mut builder)?;
    builder.side_to_move = match side {
        "w" | "W" => Color::White,
        "b" | "B" => Color::Black,
        _ => return Err(fen_error(format!("side {}", quote(side)), "w or b")),
    };
    check_pieces(&builder)?;
    read_castling(castling, rules, &mut builder)?;
    read_en_passant(en_passant, &mut builder)?;
    let counter = |index: usize, default: u16| match counters[index] {
        None => Ok(default),
        Some(text) => parse_number::<u16>(text).ok_or_else(|| {
            let name = ["half-move clock", "move number"][index];
            fen_error(
                format!("{name} {}", quote(text)),
                "a whole number below 65536",
            )
        }),
    };
    builder.halfmove_clock = counter(0, 0)?.min(FIFTY_MOVE_PLIES.into()) as u8;
    builder.fullmove_number = counter(1, 1)?.max(1);
    let board = builder.build().map_err(|error| match error {
        BoardBuilderError::InvalidEnPassant => fen_error(
            format!("en passant square {}", quote(en_passant)),
            "a square that a pawn has just passed by moving two squares, or -",
        ),
        BoardBuilderError::InvalidCastlingRights => castling_error(castling),
        _ => fen_error(
            "a king attacked by three pieces",
            "one or two checks at most",
        ),
    })?;
    if board.checkers().len() > 2 {
        return Err(fen_error(
            "a king attacked by three pieces",
            "one or two checks at most",
        ));
    }
    Ok(Chess { board, rules })
}

/// Parts a FEN from the operations of an EPD, which begin with a letter after four fields or after six.
fn split_operations(text: &str) -> (&str, &str) {
    let mut rest = text;
    for field in 0..=6 {
        rest = rest.trim_start();
        if matches!(field, 4 | 6) && rest.starts_with(|symbol: char| symbol.is_ascii_alphabetic()) {
            return text.split_at(text.len() - rest.len());
        }
        let Some(end) = rest.find(char::is_whitespace) else {
            break;
        };
        rest = &rest[end..];
    }
    (text, "")
}

/// Reads the operations of an EPD, `bm Nf3; hmvc 4; id "x; y";`: the counters are taken, all else is passed over.
fn read_operations<'a>(text: &'a str, counters: &mut [Option<&'a str>; 2]) -> Result<(), FenError> {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut quoted = false;
        let end = rest.find(|symbol| {
            quoted ^= symbol == '"';
            symbol == ';' && !quoted
        });
        let Some((operation, after)) = end.and_then(|end| rest.split_at_checked(end)) else {
            return Err(fen_error(
                format!("EPD operation {} without its end", quote(rest)),
                "a semicolon after every operation, such as bm Nf3; hmvc 4;",
            ));
        };
        let mut words = operation.split_whitespace();
        let counter = match words.next() {
            Some("hmvc") => Some(0),
            Some("fmvn") => Some(1),
            Some(opcode) if opcode.starts_with(|symbol: char| symbol.is_ascii_alphabetic()) => None,
            _ => {
                return Err(fen_error(
                    format!("EPD operation {}", quote(operation)),
                    "a word and what belongs to it, such as bm Nf3; or hmvc 4;",
                ));
            }
        };
        if let Some(counter) = counter {
            // A counter without its number is not a number either.
            counters[counter] = Some(words.next().unwrap_or_default());
        }
        rest = after[1..].trim_start();
    }
    Ok(())
}

fn read_board(text: &str, builder: &mut BoardBuilder) -> Result<(), FenError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != 8 {
        return Err(format!("{} ranks instead of 8", ranks.len()).into());
    }
    for (rank, row) in Rank::ALL.iter().rev().zip(ranks) {
        let mut file = 0;
        for symbol in row.chars() {
            if let Some(blanks) = symbol.to_digit(10).filter(|digit| (1..=8).contains(digit)) {
                file += blanks as usize;
                continue;
            }
            let lower = symbol.to_ascii_lowercase();
            let Some(&(_, piece)) = PIECE_LETTERS.iter().find(|&&(letter, _)| letter == lower)
            else {
                return Err(format!("symbol {symbol:?} in rank {}", quote(row)).into());
            };
            let color = if symbol.is_ascii_uppercase() {
                Color::White
            } else {
                Color::Black
            };
            if let Some(file) = File::try_index(file) {
                *builder.square_mut(Square::new(file, *rank)) = Some((piece, color));
            }
            file += 1;
        }
        if file != 8 {
            return Err(format!("{file} squares in rank {}", quote(row)).into());
        }
    }
    Ok(())
}

fn squares_of(builder: &BoardBuilder, wanted: (Piece, Color)) -> BitBoard {
    Square::ALL
        .into_iter()
        .filter(|&square| builder.square(square) == Some(wanted))
        .collect()
}

fn check_pieces(builder: &BoardBuilder) -> Result<(), FenError> {
    let mut kings = [Square::A1; 2];
    for color in Color::ALL {
        let name = if color == Color::White {
            "white"
        } else {
            "black"
        };
        let found = squares_of(builder, (Piece::King, color));
        if found.len() != 1 {
            return Err(fen_error(
                format!("{} {name} kings", found.len()),
                "one king on each side",
            ));
        }
        kings[color as usize] = found.next_square().unwrap_or(Square::A1);
        let pawns = squares_of(builder, (Piece::Pawn, color));
        if pawns.len() > 8 {
            return Err(fen_error(
                format!("{} {name} pawns", pawns.len()),
                "at most 8 pawns on each side",
            ));
        }
        if let Some(square) =
            (pawns & (Rank::First.bitboard() | Rank::Eighth.bitboard())).next_square()
        {
            return Err(fen_error(
                format!("a {name} pawn on {square}"),
                "no pawn on the first or the last rank",
            ));
        }
        let pieces: u32 = Piece::ALL
            .iter()
            .map(|&piece| squares_of(builder, (piece, color)).len())
            .sum();
        if pieces > 16 {
            return Err(fen_error(
                format!("{pieces} {name} pieces"),
                "at most 16 pieces on each side",
            ));
        }
    }
    if get_king_moves(kings[0]).has(kings[1]) {
        return Err(fen_error(
            format!("kings side by side on {} and {}", kings[0], kings[1]),
            "kings that do not touch",
        ));
    }
    let mover = builder.side_to_move;
    let prey = kings[!mover as usize];
    if let Some(attacker) = attackers(builder, prey, mover).next_square() {
        let problem = format!("the side not to move in check from {attacker}");
        return Err(fen_error(
            problem,
            "no check against the side that has just moved",
        ));
    }
    Ok(())
}

/// The pieces of `color` that attack `target`.
fn attackers(builder: &BoardBuilder, target: Square, color: Color) -> BitBoard {
    let occupied: BitBoard = Square::ALL
        .into_iter()
        .filter(|&square| builder.square(square).is_some())
        .collect();
    let pieces = |piece| squares_of(builder, (piece, color));
    let queens = pieces(Piece::Queen);
    get_pawn_attacks(target, !color) & pieces(Piece::Pawn)
        | get_knight_moves(target) & pieces(Piece::Knight)
        | get_bishop_moves(target, occupied) & (pieces(Piece::Bishop) | queens)
        | get_rook_moves(target, occupied) & (pieces(Piece::Rook) | queens)
}

fn castling_error(text: &str) -> FenError {
    fen_error(
        format!("castling rights {}", quote(text)),
        "- or some of KQkq, each with its king and rook at home",
    )
}

fn read_castling(
    text: &str,
    rules: ChessRules,
    builder: &mut BoardBuilder,
) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    for symbol in text.chars() {
        let color = if symbol.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let back = Rank::First.relative_to(color);
        let rooks = squares_of(builder, (Piece::Rook, color)) & back.bitboard();
        let king = squares_of(builder, (Piece::King, color))
            .next_square()
            .unwrap_or(Square::A1);
        let wing = symbol.to_ascii_lowercase();
        let rook = match wing {
            'k' | 'q' if !rules.chess960 => {
                let home = if wing == 'k' { File::H } else { File::A };
                (king.file() == File::E && rooks.has(Square::new(home, back))).then_some(home)
            }
            // The outermost rook on that wing.
            'k' => rooks
                .iter()
                .map(Square::file)
                .filter(|&file| file > king.file())
                .max(),
            'q' => rooks
                .iter()
                .map(Square::file)
                .filter(|&file| file < king.file())
                .min(),
            'a'..='h' if rules.chess960 => File::try_index(wing as usize - 'a' as usize)
                .filter(|&file| file != king.file() && rooks.has(Square::new(file, back))),
            _ => None,
        };
        let rook = rook
            .filter(|_| king.rank() == back)
            .ok_or_else(|| castling_error(text))?;
        let rights: &mut CastleRights = builder.castle_rights_mut(color);
        let right = if rook > king.file() {
            &mut rights.short
        } else {
            &mut rights.long
        };
        if right.replace(rook).is_some() {
            return Err(castling_error(text));
        }
    }
    Ok(())
}

fn read_en_passant(text: &str, builder: &mut BoardBuilder) -> Result<(), FenError> {
    if text == "-" {
        return Ok(());
    }
    let rank = Rank::Sixth.relative_to(builder.side_to_move);
    let expected = "- or a square on rank 6 with w to move, on rank 3 with b to move";
    let square = text
        .parse::<Square>()
        .ok()
        .filter(|square| square.rank() == rank);
    builder.en_passant = Some(
        square.ok_or_else(|| fen_error(format!("en passant square {}", quote(text)), expected))?,
    );
    Ok(())
}
