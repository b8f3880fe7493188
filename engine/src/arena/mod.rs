//! Matches between engines: what the results are worth.
//!
//! [`stats`] says what wins, draws and losses amount to, [`sprt`] when a match may stop. Both are pure arithmetic.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod sprt;
pub mod stats;
