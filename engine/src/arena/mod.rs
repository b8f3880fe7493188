//! Matches between engines: who plays whom, by which rules, and what the results are worth.
//!
//! [`schedule`] says which game is played by whom, [`stats`] what wins, draws and losses amount to, [`sprt`] when a
//! match may stop: pure arithmetic. [`process`] is an engine as a process, [`client`] the conversation with it, [`referee`]
//! plays one game, [`runner`] all of them. [`journal`] is what a match is remembered by; [`records`] and [`report`] are written
//! from it, and [`live`] lets others follow.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod client;
pub mod engines;
pub mod go;
pub mod halt;
pub mod journal;
pub mod live;
pub mod openings;
pub mod process;
pub mod records;
pub mod referee;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod sprt;
pub mod stats;
