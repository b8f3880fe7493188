//! The dialects in which game programs talk: UCI, UGI, GTP and NBoard, over one session.
//!
//! [`Server`] takes lines and events and answers with text; it reads no clock and does no input or output, so that tests can
//! drive it. [`stdio`] connects it with the world: one reader, one writer, one search thread. A dialect (`uci`, `gtp`,
//! `nboard`) holds its own handshake and rendering; what they share (`core`) knows no text.

pub mod client_watch;
pub mod clock;
mod gtp;
mod nboard;
pub mod options;
pub mod score;
mod server;
mod server_core;
pub mod stdio;
mod uci;

pub use self::{
    server::{ConfigError, ProtocolKind, Server, ServerConfig},
    server_core::{ServerEvent, ServerEventSink},
};
