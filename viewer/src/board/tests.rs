//! Properties of all games' boards, golden pictures, and sheets for people to look at.
//!
//! `cargo test --workspace --lib board` writes sheets of boards to `target/board-dark-240.png` and the like.

use std::path::PathBuf;

use canopy_engine::{
    games::{self, FACTS, Playable},
    rng::Rng,
};
use tiny_skia::Pixmap;

use super::*;
use crate::draw::theme;

mod clicks;
mod events;
mod pictures;
mod places;
mod replays;

fn square(column: u8, row: u8) -> BoardPlace {
    BoardPlace::Square { column, row }
}

fn area(width: f32, height: f32) -> Rect {
    Rect::from_xywh(0.0, 0.0, width, height).unwrap()
}

/// Every game with every variant that is worth showing.
fn every_variant() -> Vec<String> {
    struct Variants;
    impl games::Visitor for Variants {
        type Out = Vec<String>;

        fn visit<G: Playable>(self, _: G::Rules) -> Self::Out {
            let plain = [G::NAME.to_owned()].into_iter();
            let named = (G::VARIANTS.iter()).map(|variant| format!("{}:{variant}", G::NAME));
            plain.chain(named).collect()
        }
    }
    (FACTS.iter())
        .flat_map(|facts| games::with_game(facts.name, Variants).unwrap())
        .collect()
}

/// Every position of a random game, from the start to its end or to `most` moves.
fn random_game(game: &str, seed: u64, most: usize) -> Vec<PositionInfo> {
    let mut rng = Rng::new(seed);
    let mut moves: Vec<String> = Vec::new();
    let mut positions = Vec::new();
    loop {
        let now = Board::after_moves(game, "", &moves).unwrap();
        let legal = now.legal_moves.clone();
        positions.push(now);
        if legal.is_empty() || moves.len() == most {
            return positions;
        }
        moves.push(legal[rng.below(legal.len() as u32) as usize].clone());
    }
}

/// Every kind of mark that the position offers.
fn all_marks(now: &PositionInfo) -> Marks {
    let count = now.legal_moves.len() as f32;
    let places: Vec<BoardPlace> = (now.legal_moves.iter())
        .flat_map(|mv| now.board.move_places(mv))
        .collect();
    Marks {
        last_move: now.last_move.clone(),
        moves: (now.legal_moves.iter())
            .map(|mv| MoveShare {
                mv: mv.clone(),
                share: 1.0 / count,
            })
            .collect(),
        chosen: Some(0),
        selected: places.first().copied(),
        ghost: places.last().copied(),
        targets: places,
        checked_king: now.checked_king,
        captures: now.captures.clone(),
        is_flipped: false,
        shows_coordinates: true,
    }
}

#[test]
fn the_side_with_the_lighter_pieces_is_the_one_that_its_game_states() {
    let brightness =
        |colour: Color32| u32::from(colour.r()) + u32::from(colour.g()) + u32::from(colour.b());
    for facts in FACTS {
        let board = Board::after_moves(facts.name, "", &[""; 0]).unwrap().board;
        for theme in [Theme::dark(), Theme::light()] {
            let fill = |player| brightness(board.piece_colours(player, &theme).fill);
            let light = facts.light_player;
            assert!(fill(light) > fill(light.opponent()), "{}", facts.name);
        }
    }
}
