//! Values are symmetric, and features are what one counts by hand.

use super::*;
use crate::games::{Game as _, SearchHints as _, notation::read_position};
use crate::rng::Rng;

fn read(text: &str) -> Chess {
    read_position(Default::default(), text).unwrap()
}

fn list(text: &str) -> [i32; FEATURES] {
    let mut list = [0; FEATURES];
    features(read(text).board(), &mut list);
    list
}

/// A FEN with the ranks reversed and the colours exchanged, and one with the files reversed; both without castling.
fn images(position: &Chess) -> [String; 2] {
    let text = crate::games::notation::position_text(position);
    let fields: Vec<&str> = text.split(' ').collect();
    let exchange = |letter: char| match letter {
        letter if letter.is_ascii_uppercase() => letter.to_ascii_lowercase(),
        letter => letter.to_ascii_uppercase(),
    };
    let ranks: Vec<&str> = fields[0].split('/').collect();
    let turned: Vec<String> = ranks
        .iter()
        .rev()
        .map(|rank| rank.chars().map(exchange).collect())
        .collect();
    let mirrored: Vec<String> = ranks
        .iter()
        .map(|rank| rank.chars().rev().collect())
        .collect();
    let other = if fields[1] == "w" { "b" } else { "w" };
    [
        format!("{} {other} - - 0 1", turned.join("/")),
        format!("{} {} - - 0 1", mirrored.join("/"), fields[1]),
    ]
}

#[test]
fn values_are_the_same_for_exchanged_colours_and_in_a_mirror() {
    let mut rng = Rng::new(8);
    let mut values = Vec::new();
    for _ in 0..40 {
        let mut position = Chess::start(Default::default());
        while position.play_random(&mut rng) && values.len() % 200 != 199 {
            let found = value(&position);
            for image in images(&position) {
                // Without its en passant square and clock the position may be another, but not for this evaluation.
                assert_eq!(value(&read(&image)), found, "{image}");
            }
            assert!(found.abs() < 20_000, "{found}");
            values.push(found);
        }
        values.push(0);
    }
    values.sort_unstable();
    values.dedup();
    assert!(values.len() > 300, "values differ");
}

#[test]
fn features_of_positions_worked_out_by_hand() {
    // White: a passed pawn on a5 beside another on b5, doubled pawns on h2 and h3. Black: an isolated pawn on f7.
    let found = list("6k1/5p2/8/PP6/8/7P/7P/6K1 w - - 0 1");
    assert_eq!(found[MATERIAL], 3);
    assert_eq!(found[DOUBLED], 1);
    assert_eq!(found[ISOLATED], 2 - 1, "both on the h file, f7");
    assert_eq!(
        found[PASSED..PASSED + 6],
        [-1, 1, 0, 2, 0, 0],
        "f7 from Black's side, h3"
    );
    assert_eq!(found[CONNECTED..CONNECTED + 6], [0, 0, 0, 2, 0, 0]);
    // a6 and b6 are 6 and 5 files from g1, 6 and 5 from g8. h3 is not yet on the fourth rank.
    assert_eq!(found[PASSED_KINGS..PASSED_KINGS + 2], [6 + 5, 6 + 5]);
    assert_eq!(
        found[SHELTER..SHELTER + 2],
        [1 - 1, 1],
        "h2 and h3; f7 before g8"
    );
    assert_eq!(
        found[KING_FILES..KING_FILES + 2],
        [2 - 2, 1 - 1],
        "f and g; g and h, of which g has none"
    );

    // A knight on d5, supported from e4, that no pawn can attack; a rook on the open d file; a queen attacked by a pawn.
    let found = list("4k3/8/5q2/3NP3/4P3/8/8/3RK3 w - - 0 1");
    assert_eq!(found[OUTPOSTS], 1);
    assert_eq!(found[ROOK_FILES..ROOK_FILES + 2], [1, 0]);
    assert_eq!(found[THREATS..THREATS + 4], [0, 0, 1, 1]);
    assert_eq!(found[MATERIAL..MATERIAL + 5], [2, 1, 0, 1, -1]);
    // The knight: b4 b6 c3 c7 e3 e7 f4 f6. The rook: a1 b1 c1, d2 d3 d4.
    assert_eq!([found[MOBILITY], found[MOBILITY + 2]], [8, 6]);
    assert_eq!(found[LOOSE], 1 - 1, "the queen, and the pawn on e5");
    assert_eq!(found[TEMPO], 1);
}

#[test]
fn weights_are_taken_between_middle_game_and_end_game() {
    let bare = read("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    assert_eq!(
        stage(bare.board()),
        Stage {
            knot: 0,
            share: 24,
            parts: 24
        }
    );
    let start = Chess::start(Default::default());
    assert_eq!(
        stage(start.board()),
        Stage {
            knot: 0,
            share: 0,
            parts: 24
        }
    );
    let value_of_tempo = i32::from(WEIGHTS[TEMPO][0]);
    assert_eq!(
        value(&start),
        value_of_tempo,
        "all else is the same for both sides"
    );
}

#[test]
fn quiet_positions_have_no_check_and_nothing_to_win() {
    for (text, quiet) in [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", false),
        ("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", false),
        ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", false),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", false),
    ] {
        assert_eq!(is_quiet(read(text).board()), quiet, "{text}");
    }
}

#[test]
fn a_lone_king_is_driven_to_the_edge_and_bare_minor_pieces_are_worth_little() {
    let centre = value(&read("8/8/8/4k3/8/8/8/R3K3 w - - 0 1"));
    let edge = value(&read("4k3/8/4K3/8/8/8/8/R7 w - - 0 1"));
    assert!(edge > centre && centre > 300, "{edge} {centre}");
    let knight = value(&read("4k3/4p3/8/8/8/8/8/N3K3 w - - 0 1"));
    assert!(knight.abs() < 60, "{knight}");
}
