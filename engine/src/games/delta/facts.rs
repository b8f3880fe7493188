//! What delta states about itself.

use crate::games::{
    Player,
    facts::{BoardFacts, GameFacts, PresetDefaults},
};

const PLAIN: GameFacts = GameFacts::new("delta", "Delta", "Delta", ["Black", "White"]);

pub(super) const FACTS: GameFacts = GameFacts {
    light_player: Player::Second,
    variants: &["forced", "off"],
    is_solved_on_clock: true,
    board: BoardFacts {
        coordinate_range: "a–e",
        has_home_sides: true,
        ..PLAIN.board
    },
    demo_players: [
        "name=UCT search=uct go='nodes 2000'",
        "name=Deepening search=deepening go='depth 3'",
    ],
    rules: include_str!("rules.txt"),
    example: "b2 c3 b2b5 b3 b5e5 b3d1 b4e4 c3a3",
    slow_to_solve: &["startpos"],
    presets: PresetDefaults {
        strong_evaluation: Some("reach"),
        ..PLAIN.presets
    },
    ..PLAIN
};
