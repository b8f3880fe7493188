//! Experiments: every published table run again by one command, with a verdict, and one's own from a file.
//!
//! An experiment is data ([`file::ExperimentFile`], TOML). Its trials are of one of several [`kinds`]; they are done and kept as those
//! of every run ([`crate::runs`]), and [`report`] makes a [`crate::reports::Report`] of them.
//!
//! - An experiment more: a file in `builtin/` and its row in [`builtin`].
//! - A kind of trials more: see [`kinds`].

// Files come from people: no text may end the process.
#![deny(clippy::expect_used, clippy::indexing_slicing)]

pub mod beside;
pub mod builtin;
pub mod check;
pub mod document;
pub mod experiment;
pub mod file;
pub mod kinds;
pub mod play;
pub mod records;
pub mod report;
pub mod run;
pub mod scale;
pub mod schema;
pub mod summary;
