//! Matches between engines: who plays whom, and what the results are worth.
//!
//! [`schedule`] says which game is played by whom, [`stats`] what wins, draws and losses amount to, [`sprt`] when a
//! match may stop. These three are pure arithmetic.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod schedule;
pub mod sprt;
pub mod stats;
