//! Tournaments as report 001 configures them: a JSON file names the players, and every two of them play series of games.
//!
//! [`config`] reads the file by the table of [`keys`]; [`series`] decides who plays which game with which seed, and when a series is
//! over; [`run`] plays series in a run directory ([`crate::runs`]), where a series is one trial; [`standings`] makes tables of them.

pub mod config;
pub mod keys;
pub mod run;
pub mod series;
pub mod standings;

use serde::{Deserialize, Serialize};

/// What a series of two players is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TournamentMode {
    /// One game.
    #[default]
    Match,
    /// Best of three: it is over as soon as a player has two points.
    Tournament,
}

impl TournamentMode {
    /// Games of a series at most.
    pub fn max_games(self) -> u64 {
        match self {
            Self::Match => 1,
            Self::Tournament => 3,
        }
    }
}
