//! Games played in the window, by people and engines.
//!
//! A [`GameConfig`] is a game to play; [`setup`] makes one from typed input. A [`game_state::GameState`] is the game as
//! people see it, an [`engine_handle::EngineHandle`] an engine that plays in it, [`session::GameSession`] combines them, and
//! [`files`] reads and writes records. A [`tournament::WindowTournament`] says which game is next. An [`option_query::OptionQuery`] asks a program for its options before a game.

use std::time::Duration;

use canopy_engine::arena::engine_config::EngineConfig;

pub mod demo_match;
pub mod engine_handle;
mod engine_run;
pub mod files;
pub mod game_state;
pub mod lesson;
pub mod match_state;
pub mod option_query;
pub mod search_run;
pub mod session;
pub mod setup;
pub mod tournament;

/// The game to play, and its players.
#[derive(Clone, Debug, PartialEq)]
pub struct GameConfig {
    /// The game, with its variant.
    pub game: String,
    /// Where it begins; empty for the game's own start.
    pub position: String,
    /// The players of the first and the second side: an engine with its limits, or a person.
    pub participants: [Option<EngineConfig>; 2],
    /// Number of games; sides are swapped after each.
    pub games: u32,
    /// Whether the growth of every move's tree is shown.
    pub animate: bool,
    /// Minimum time of an engine's move, so that a person sees it.
    pub min_move_time: Duration,
}
