//! The protocol server: UCI, UGI, GTP and NBoard over one session.
//!
//! [`Server`] is a state machine without I/O or clock, so that tests can drive it. [`stdio`] connects it to standard input and
//! output. `dialect` is the table of dialects; `uci`, `gtp` and `nboard` hold their tables of commands and their rendering. They
//! share `server_core`: the session, [`options`], the `task` from request to result, and the `tree_outputs`.

// Input comes from other programs and files: no text or file may end the process.
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::indexing_slicing))]

mod book_file;
pub mod client_watch;
pub mod clock;
mod dialect;
mod gtp;
mod nboard;
pub mod options;
pub mod score;
mod server;
mod server_core;
pub mod stdio;
mod task;
mod tree_outputs;
mod uci;

pub use self::{
    dialect::ProtocolKind,
    server::{ConfigError, Server, ServerConfig},
    server_core::{ServerEvent, ServerEventSink},
};
