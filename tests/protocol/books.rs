//! Opening books: their moves come at once and by weight, and what is wrong with a book is said.

use std::{collections::HashSet, path::PathBuf};

use canopy_engine::{
    games::{Game as _, Notation as _, chess::Chess, notation},
    session::OpeningBook,
};

use super::*;

/// The key of the start position, as the format's description publishes it.
const START_KEY: u64 = 0x463b_9618_1691_fc9c;

/// An entry of a Polyglot book: a move from square to square, a1 being 0 and h8 63.
fn entry(key: u64, (from, to): (u16, u16), weight: u16) -> Vec<u8> {
    let mut bytes = key.to_be_bytes().to_vec();
    bytes.extend((from << 6 | to).to_be_bytes());
    bytes.extend(weight.to_be_bytes());
    bytes.extend([0; 4]);
    bytes
}

/// What UCI says before a move of a book: nothing was searched.
const FROM_BOOK: &str = "info string book\ninfo depth 0 score cp 0\n";

const A2A3: (u16, u16) = (8, 16);
const D2D4: (u16, u16) = (11, 27);
const E2E4: (u16, u16) = (12, 28);

fn write_book(scratch: &Scratch, name: &str, bytes: &[u8]) -> PathBuf {
    fs::create_dir_all(&scratch.0).expect("a directory can be made");
    let path = scratch.0.join(name);
    fs::write(&path, bytes).expect("a book can be written");
    path
}

/// What the program says to UCI commands with this book.
fn talk(book: &Path, lines: &str) -> String {
    let file = format!("BookFile={}", book.display());
    let arguments = ["--option", "OwnBook=true", "--option", &file];
    let (text, well) = run_piped(&arguments, format!("uci\n{lines}\n").as_bytes());
    assert!(well, "{text}");
    let (_, answers) = text.split_once("uciok\n").expect("a handshake");
    answers.to_owned()
}

#[test]
fn a_book_answers_at_once_and_by_weight() {
    let scratch = Scratch::new("protocol-books");
    let entries = [
        entry(START_KEY, A2A3, 0),
        entry(START_KEY, D2D4, 1),
        entry(START_KEY, E2E4, 3),
        // No legal move.
        entry(START_KEY, (0, 63), 9),
    ];
    let book = write_book(&scratch, "book.bin", &entries.concat());
    let script: Vec<String> = (1..=200)
        .map(|seed| {
            format!("setoption name Seed value {seed}\nposition startpos\ngo nodes 5\nwait")
        })
        .collect();
    let script = script.join("\n");
    let text = talk(&book, &script);
    let answers: Vec<&str> = text.lines().collect();
    assert_eq!(answers.len(), 600, "{text}");
    for lines in answers.chunks(3) {
        assert_eq!(lines[..2], ["info string book", "info depth 0 score cp 0"]);
    }
    let count = |answer| answers.iter().filter(|&&line| line == answer).count();
    let [king, queen] = [count("bestmove e2e4"), count("bestmove d2d4")];
    assert_eq!(king + queen, 200, "{text}");
    // Of 200 draws with a chance of 3/4: outside of this range once in 100,000 times.
    assert!((120..=176).contains(&king), "{king}");
    assert_eq!(talk(&book, &script), text, "a seed repeats its draws");
}

#[test]
fn what_is_not_a_plain_move_of_the_book_is_searched() {
    let scratch = Scratch::new("protocol-books-else");
    let book = write_book(&scratch, "book.bin", &entry(START_KEY, E2E4, 1));
    for line in [
        "position startpos moves e2e4\ngo nodes 5",
        "position startpos\ngo nodes 5 searchmoves a2a3",
        "position startpos\ngo infinite\nstop",
        "setoption name MultiPV value 2\nposition startpos\ngo nodes 5",
        "setoption name OwnBook value false\nposition startpos\ngo nodes 5",
        "setoption name Game value connect-four\ngo nodes 5",
    ] {
        let text = talk(&book, line);
        assert!(!text.contains("info string"), "{line}: {text}");
        assert!(last_line(&text).starts_with("bestmove "), "{line}: {text}");
    }
    // Chess960 castles the same way, so its start at number 518 is the same position.
    let text = talk(
        &book,
        "setoption name UCI_Chess960 value true\nposition startpos\ngo nodes 5",
    );
    assert_eq!(text, format!("{FROM_BOOK}bestmove e2e4\n"));
}

#[test]
fn a_missing_or_damaged_book_is_told_once_and_the_search_goes_on() {
    let scratch = Scratch::new("protocol-books-damaged");
    let sound = entry(START_KEY, E2E4, 1);
    let unsorted = [entry(9, E2E4, 1), entry(8, E2E4, 1)].concat();
    let missing = scratch.0.join("missing.bin");
    for (book, expected) in [
        (missing, "cannot read the book "),
        (
            write_book(&scratch, "empty.bin", &[]),
            "is no Polyglot book",
        ),
        (
            write_book(&scratch, "cut.bin", &sound[..15]),
            "expected entries of 16 bytes, found 15",
        ),
        (
            write_book(&scratch, "unsorted.bin", &unsorted),
            "entry 1 is not in ascending order",
        ),
        (
            write_book(&scratch, "cut.cbook", b"CANOPYB1\x05kal"),
            "the game's name is damaged",
        ),
        (scratch.0.clone(), "it is not a file"),
        (
            PathBuf::new(),
            "OwnBook needs an opening book: set BookFile",
        ),
    ] {
        let text = talk(&book, "go nodes 5\nwait\ngo nodes 5\nwait");
        let told: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("info string "))
            .collect();
        assert_eq!(told.len(), 1, "{text}");
        assert!(
            told[0].contains(expected) && told[0].ends_with("; searching without a book"),
            "{text}"
        );
        assert_eq!(text.matches("bestmove ").count(), 2, "{text}");
    }
}

#[test]
fn a_book_of_exact_values_plays_its_best_moves_in_its_own_game_only() {
    let scratch = Scratch::new("protocol-books-exact");
    fs::create_dir_all(&scratch.0).expect("a directory can be made");
    let book = scratch.0.join("small.cbook");
    let made = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args([
            "book",
            "make",
            "--game",
            "kalah:3x2",
            "--plies",
            "2",
            "--out",
        ])
        .arg(&book)
        .output()
        .expect("the program starts");
    assert!(made.status.success(), "{made:?}");
    let text = talk(&book, "setoption name Game value kalah:3x2\ngo nodes 5");
    let best = text
        .strip_prefix(&format!("{FROM_BOOK}bestmove "))
        .expect(&text)
        .trim();
    let values = Command::new(env!("CARGO_BIN_EXE_canopy-engine"))
        .args(["book", "show"])
        .arg(&book)
        .output()
        .expect("the program starts");
    let values = String::from_utf8(values.stdout).expect("text");
    let row = values
        .lines()
        .find(|line| line.split_whitespace().next() == Some(best));
    assert!(
        row.is_some_and(|row| row.ends_with("best")),
        "{best} is a best move: {values}"
    );
    let text = talk(&book, "setoption name Game value kalah\ngo nodes 5");
    assert!(!text.contains("info string"), "{text}");
}

#[test]
fn other_dialects_take_moves_from_the_book_too() {
    let scratch = Scratch::new("protocol-books-gtp");
    let book = write_book(&scratch, "book.bin", &entry(START_KEY, E2E4, 1));
    let file = format!("BookFile={}", book.display());
    let arguments = [
        "--option",
        "OwnBook=true",
        "--option",
        &file,
        "--protocol",
        "gtp",
    ];
    let (text, well) = run_piped(&arguments, b"genmove white\nquit\n");
    assert!(well && text.starts_with("= e2e4"), "{text}");
}

/// Debian's book of 180,000 entries and its own reader, which prints lines such as `1. e4{39%} a6 2. d4{100%}`: the moves of one
/// side, with their shares of the weight.
#[test]
fn polyglots_own_program_reads_the_same_moves_and_weights() {
    const PROGRAM: &str = "/usr/games/polyglot";
    const BOOK: &str = "/usr/share/games/gnuchess/book.bin";
    if !Path::new(PROGRAM).exists() || !Path::new(BOOK).exists() {
        support::untested("polyglot and gnuchess-book");
        return;
    }
    let scratch = Scratch::new("protocol-books-polyglot");
    fs::create_dir_all(&scratch.0).expect("a directory can be made");
    let book = OpeningBook::read(Path::new(BOOK)).expect("a book");
    for side in ["white", "black"] {
        let dump = scratch.0.join(side);
        let output = Command::new(PROGRAM)
            .args(["dump-book", "-bin", BOOK, "-color", side, "-out"])
            .arg(&dump)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        let text = fs::read_to_string(&dump).expect("it has written the lines");
        let mut seen = HashSet::new();
        // Neighbouring lines have most of their moves in common.
        for line in text.lines().skip(1).step_by(8) {
            check_line(&book, line, &mut seen);
        }
        assert!(seen.len() > 5_000, "{side}: {} moves", seen.len());
    }
}

/// Checks the moves of a line whose share is told; those in `seen` were checked before.
fn check_line(book: &OpeningBook, line: &str, seen: &mut HashSet<String>) {
    let mut position = Chess::start(Default::default());
    // Remarks such as `{trans: line=3, ply=7}` follow after a blank.
    let moves = line.split(" {").next().unwrap_or_default();
    let words = moves.split_whitespace().filter(|word| {
        // Numbers of lines and moves.
        !word.ends_with([':', '.'])
    });
    for word in words {
        let (san, share) = match word.split_once('{') {
            Some((san, share)) => (san, share.strip_suffix("%}")),
            None => (word, None),
        };
        let Ok(mv) = position.parse_move(san) else {
            panic!("{word}: {line}");
        };
        if let Some(share) = share
            && seen.insert(format!("{} {san}", notation::position_text(&position)))
        {
            let share: f64 = share.parse().expect("a number");
            let moves = book.moves(&position);
            let total: u32 = moves.iter().map(|(_, weight)| weight).sum();
            let found = moves.iter().find(|(known, _)| *known == mv);
            let weight = found.map_or(0, |(_, weight)| *weight);
            let percent = 100.0 * f64::from(weight) / f64::from(total.max(1));
            assert!(
                (percent - share).abs() <= 1.0,
                "{percent} for {word}: {line}"
            );
        }
        position.play(mv);
    }
}
