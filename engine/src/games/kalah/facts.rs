//! What kalah states about itself.

use crate::games::facts::{BoardFacts, GameFacts, PresetDefaults};

const PLAIN: GameFacts = GameFacts::new("kalah", "Kalah", "Kalah", ["South", "North"]);

pub(super) const FACTS: GameFacts = GameFacts {
    aliases: &["mancala"],
    value_unit: "stones",
    score_unit: "stones",
    variants: &[
        "6x4:empty-capture",
        "4x3",
        "1x1",
        "2x6",
        "6x6",
        "3x5:empty-capture",
        "5x1",
    ],
    board: BoardFacts {
        coordinate_range: "1–6",
        has_home_sides: true,
        ..PLAIN.board
    },
    demo_players: [
        "name=UCT search=uct go='nodes 2500'",
        "name=Alpha-beta search=alpha-beta go='depth 6'",
    ],
    rules: include_str!("rules.txt"),
    example: "3 6 2 5 1 4 2 3",
    slow_to_solve: &["startpos"],
    presets: PresetDefaults {
        strong_evaluation: Some("sowing"),
        ..PLAIN.presets
    },
    ..PLAIN
};
