//! Matches between engines: who plays whom, by which rules, and what the results are worth.
//!
//! [`schedule`] says which game is played by whom, [`stats`] what wins, draws and losses amount to, [`sprt`] when a
//! match may stop: pure arithmetic. [`process`] is an engine as a process, [`client`] the conversation with it, [`referee`]
//! plays one game, [`runner`] all of them. [`match_log`] is what a match is remembered by; [`export`] and [`report`] are written
//! from it, and [`match_status`] lets others follow.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod client;
pub mod engine_config;
pub mod export;
pub mod halt;
pub mod match_log;
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
