//! What connect four states about itself.

use crate::games::{
    Player,
    facts::{BoardFacts, ForeignNames, GameFacts, PresetDefaults},
};

const PLAIN: GameFacts = GameFacts::new("connect-four", "Connect four", "Connect Four", ["X", "O"]);

pub(super) const FACTS: GameFacts = GameFacts {
    light_player: Player::Second,
    aliases: &["connect4", "connect_four", "cfour"],
    foreign: ForeignNames {
        fairy_stockfish: Some("cfour"),
        ..PLAIN.foreign
    },
    // Columns stand together, as in 4453.
    move_separator: "",
    board: BoardFacts {
        coordinate_range: "1–7",
        // A disc falls by itself.
        marks_first_click: false,
        ..PLAIN.board
    },
    rules: include_str!("rules.txt"),
    example: "4 3 7 5 5 3 3 4 4 3 4 3",
    presets: PresetDefaults {
        strong_evaluation: Some("threats"),
        ..PLAIN.presets
    },
    ..PLAIN
};
