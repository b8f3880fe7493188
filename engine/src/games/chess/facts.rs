//! What chess states about itself.

use crate::games::facts::{
    BoardFacts, ForeignNames, GameFacts, PresetDefaults, RecordFormat, VariantOption,
};

const PLAIN: GameFacts = GameFacts::new("chess", "Chess", "Chess", ["White", "Black"]);

pub(super) const FACTS: GameFacts = GameFacts {
    value_unit: "",
    win_verb: "mates",
    variants: &["960"],
    foreign: ForeignNames {
        is_uci_default: true,
        variant_option: Some(VariantOption {
            name: "UCI_Chess960",
            variant: "960",
            help: "Chess960: castling is written as the king taking its rook",
        }),
        ..PLAIN.foreign
    },
    record_formats: &[RecordFormat::Pgn],
    board: BoardFacts {
        has_home_sides: true,
        marks_first_click: false,
        ..PLAIN.board
    },
    // Random chess leads nowhere: a few plies and a count of the men say more, and differ little from move to move, so that C is
    // small. 92 % of the points in duels against C = 1.41 and playouts of 25 plies, at equal iterations.
    presets: PresetDefaults {
        exploration: 0.1,
        playout_limit: Some(5),
        strong_evaluation: Some("tapered"),
    },
    demo_players: [
        "name=UCT search=uct,playout_limit=25 go='nodes 1200'",
        "name=Alpha-beta search=alpha-beta go='depth 3'",
    ],
    rules: include_str!("rules.txt"),
    example: "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6",
    // Mostly for making tables.
    slow_to_solve: &[
        "fen 8/8/8/3k4/8/8/5p2/Q3K3 w - - 0 1",
        "fen 8/8/8/3k4/8/8/5P2/R3K3 w - - 0 1",
        "fen 8/8/8/3k4/8/8/5N2/B3K3 w - - 0 1",
        "fen 8/8/8/3k4/8/8/5r2/Q3K3 w - - 0 1",
        "startpos",
    ],
    ..PLAIN
};
