//! Searches that know connect four.

pub mod rule_player;
