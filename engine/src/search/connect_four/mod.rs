//! Searches for connect four only.

pub mod rule_player;
pub mod solver;
