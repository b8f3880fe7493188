//! What othello states about itself.

use crate::games::{
    Player,
    facts::{ForeignNames, GameFacts, RecordFormat},
};

const PLAIN: GameFacts = GameFacts::new("othello", "Othello", "Othello", ["Black", "White"]);

pub(super) const FACTS: GameFacts = GameFacts {
    aliases: &["reversi", "flipello"],
    dark_player: Some(Player::First),
    foreign: ForeignNames {
        fairy_stockfish: Some("flipello"),
        gtp_board_size: Some(8),
        ..PLAIN.foreign
    },
    record_formats: &[RecordFormat::Ggf],
    demo_players: [
        "name=UCT search=uct go='nodes 1500'",
        "name=UCB1-tuned search=ucb1-tuned go='nodes 1500'",
    ],
    rules: include_str!("rules.txt"),
    example: "f5 d6 c3 d3 c4 f4 f6 f3 e6 e7",
    ..PLAIN
};
