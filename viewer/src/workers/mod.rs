//! Background threads of the window: loading trees, replaying growth journals, drawing at full quality and in
//! small, watching folders.

#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod journal_bench;
pub mod loader;
pub mod render;
pub mod replay;
pub mod thumbnails;
pub mod watch;
