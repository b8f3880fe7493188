//! What othello states about itself.

use crate::games::{
    Player,
    facts::{EndingFacts, ForeignNames, GameFacts, PresetDefaults, RecordFormat},
};

const PLAIN: GameFacts = GameFacts::new("othello", "Othello", "Othello", ["Black", "White"]);

pub(super) const FACTS: GameFacts = GameFacts {
    aliases: &["reversi", "flipello"],
    score_unit: "discs",
    light_player: Player::Second,
    foreign: ForeignNames {
        fairy_stockfish: Some("flipello"),
        gtp_board_size: Some(8),
        ..PLAIN.foreign
    },
    record_formats: &[RecordFormat::Ggf],
    endings: Some(EndingFacts {
        squares: 64,
        quick: 12,
        slow: 16,
    }),
    demo_players: [
        "name=UCT search=uct go='nodes 1500'",
        "name=UCB1-tuned search=ucb1-tuned go='nodes 1500'",
    ],
    rules: include_str!("rules.txt"),
    example: "f5 d6 c3 d3 c4 f4 f6 f3 e6 e7",
    slow_to_solve: &["startpos"],
    presets: PresetDefaults {
        strong_evaluation: Some("patterns"),
        ..PLAIN.presets
    },
    ..PLAIN
};
