//! Threads behind the window: reading files, replaying growth journals, drawing with care, watching folders.

pub mod journal_bench;
pub mod loader;
pub mod render;
pub mod replay;
pub mod watch;
