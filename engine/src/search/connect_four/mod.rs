//! Searches that know connect four.

pub mod rules;
