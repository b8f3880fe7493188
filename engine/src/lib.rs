//! Canopy's engine: five games, many searches, text protocols, and search trees on disk.
//!
//! The layers, lowest first; a layer may name itself and those before it (`tests/layering.rs` checks it):
//!
//! 1. [`machine`]: what depends on the processor and the system, and the only `unsafe` code.
//! 2. [`rng`]: the one source of random numbers.
//! 3. [`games`]: rules, notations, evaluations and symmetries of the games, and the list of them.
//! 4. [`search`]: Monte-Carlo and classical searches, all repeatable.
//! 5. [`tree`]: search trees as plain data, and the files they live in.
//! 6. [`catalog`]: the table of searches and their parameters.
//! 7. [`session`]: a game in progress and its search, behind text.
//! 8. [`protocol`]: the dialects in which programs talk about games.
//! 9. [`arena`]: matches between engines, and what their results are worth.
//! 10. [`cli`]: the command line.

pub mod machine;

pub mod rng;

pub mod games;

pub mod search;

pub mod tree;

pub mod catalog;

pub mod session;

pub mod protocol;

pub mod arena;

pub mod cli;
