//! Background threads of the window: loading trees, replaying growth journals, drawing at full quality and in
//! small, watching folders.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::panic))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::indexing_slicing))]

pub mod compare;
pub mod growth;
pub mod journal_bench;
pub mod loader;
pub mod page;
pub mod render;
pub mod replay;
pub mod solver;
pub mod steps;
pub mod thumbnails;
pub mod watch;
