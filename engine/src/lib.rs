//! Canopy's engine: five games, many searches, text protocols, and search trees on disk.
//!
//! The layers, lowest first; a layer may name itself and those before it (`tests/layering.rs` checks it):
//!
//! 1. [`rng`]: the one source of random numbers.
//! 2. [`games`]: rules, notations, evaluations and symmetries of the games, and the list of them.
//! 3. [`cli`]: the command line.

pub mod rng;

pub mod games;

pub mod cli;
