//! Games that are played in the window: by people, by engines, by both.
//!
//! A [`GameConfig`] says what is to be played and by whom; [`setup`] makes one of what is typed in. A [`game_state::GameState`] is the game
//! as people see it, an [`engine_handle::EngineHandle`] an engine that plays in it, [`session::GameSession`] both together, and [`files`] are what is kept of it.

use std::time::Duration;

use canopy_engine::arena::engine_config::EngineConfig;

pub mod demo_match;
pub mod engine_handle;
pub mod files;
pub mod game_state;
pub mod match_state;
pub mod session;
pub mod setup;

/// What is to be played, and by whom.
#[derive(Clone, Debug, PartialEq)]
pub struct GameConfig {
    /// The game, with its variant.
    pub game: String,
    /// Where it begins; empty for the game's own start.
    pub position: String,
    /// Who plays the first and the second side: an engine, which says how long its moves may take, or a person.
    pub participants: [Option<EngineConfig>; 2],
    /// How many games there are to be, sides swapped from one to the next.
    pub games: u32,
    /// Whether one sees how the tree of every move grows.
    pub animate: bool,
    /// How long an engine's move takes at least, so that a person sees it.
    pub min_move_time: Duration,
}
