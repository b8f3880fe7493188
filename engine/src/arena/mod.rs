//! Matches between engines.
//!
//! Pure arithmetic: [`schedule`] decides who plays which game, [`stats`] evaluates wins, draws and losses, [`sprt`] decides
//! when a match may stop, [`judge`] compares chosen moves with exact values. Play: [`process`] is an engine process, [`client`] speaks its dialect, [`referee`] plays one game,
//! [`runner`] all of them. Records: [`match_run`] keeps games in a run directory ([`crate::runs`]); [`match_log`], [`export`] and
//! [`report`] are written from it, and [`match_status`] lets viewers follow.

// Input comes from other programs and files: no text or file may end the process.
#![deny(clippy::expect_used, clippy::indexing_slicing)]

pub mod client;
pub mod engine_config;
pub mod export;
pub mod judge;
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
