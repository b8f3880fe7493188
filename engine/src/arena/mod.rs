//! Matches between engines.
//!
//! Pure arithmetic: [`schedule`] decides who plays which game, [`stats`] evaluates wins, draws and losses, [`sprt`] decides
//! when a match may stop, [`judge`] compares chosen moves with exact values. [`listed_position`] is a position to try searches on. Play: [`process`] is an engine process, [`client`] speaks its dialect, [`referee`] plays one game,
//! [`runner`] all of them; [`tournament`] plays series of games as report 001's files describe them. Records: [`match_run`] keeps games in a run directory ([`crate::runs`]); [`match_log`], [`export`] and
//! [`report`] are written from it, and [`match_status`] lets viewers follow. [`watch`] makes trees of what engines say, and [`check`] tells whether they keep to their protocol.

// Input comes from other programs and files: no text or file may end the process.
#![deny(clippy::expect_used, clippy::indexing_slicing)]

pub mod check;
pub mod client;
pub mod engine_config;
pub mod export;
mod game_worker;
pub mod judge;
pub mod listed_position;
pub mod match_log;
pub mod match_run;
pub mod match_status;
pub mod openings;
pub mod process;
pub mod referee;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod sprt;
pub mod stats;
pub mod time_control;
pub mod tournament;
pub mod viewer_program;
pub mod watch;
