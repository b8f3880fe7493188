//! Searches for connect four only.

pub mod opening_book;
pub mod rule_player;
pub mod solver;
