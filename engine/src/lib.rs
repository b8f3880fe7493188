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
//! 9. [`runs`]: run directories, which many processes and machines share.
//! 10. [`arena`]: matches between engines, and what their results are worth.
//! 11. [`reports`]: what experiments and matches show, as pages, Markdown and CSV.
//! 12. [`explain`]: why a search prefers one move to another, in sentences and figures.
//! 13. [`experiments`]: published tables run again, and one's own, from files.
//! 14. [`cli`]: the command line.
//!
//! The way of one `go movetime 100`, by the functions that hand it on:
//!
//! - The request: `cli::serve` makes the [`protocol::ServerConfig`], [`protocol::stdio::serve`] reads the line,
//!   [`protocol::Server::on_line`] gives it to the dialect (`dialect::detect` chooses one by the first command; a bare `go` is UCI),
//!   `Uci::go` parses it (`uci::commands` is the table of commands), `ServerCore::start` turns the `GoRequest` into limits, configures the search ([`catalog::configure`],
//!   [`catalog::build`]; the first row, `uct`, unless the option `Search` says another), opens the directory of trees
//!   (`TreeOutputs::open`), and [`session::Session::start`] (`TypedSession::start`) spawns the search thread.
//! - The search: `SearchJob::run`, [`session::search_job::search_and_record`], [`search::Search::search`]. In [`search::mcts`],
//!   `run_workers` starts the budget, `Worker::run_iteration` is repeated until the deadline, and `build_report` ranks the moves.
//!   An iteration has four phases, methods of `Worker`: `select` (the formula `Uct` on the children of a `TreeStore`), `expand`,
//!   `simulate` (`UniformPlayout`) and `backpropagate`.
//! - The answer: [`session::SessionEvent::Done`] reaches [`protocol::Server::on_event`], `ServerCore::finish_task` takes the result,
//!   and `Uci::on_done` sends `bestmove`.
//! - The file: [`tree::writer::SearchFiles::finish`] copies the tree (`Mcts::copy`, in `report`); the writer thread makes rows of
//!   the copy ([`tree::snapshot::take`]), writes the sidecar ([`tree::meta::to_json`]) and a file of the rows
//!   ([`tree::files::Format::write`], [`tree::binary::write`]).
//!
//! Examples: play a game ([`games::Game`]), run a search and read its tree ([`search::Search`]), open a tree file
//! ([`tree::files::read`]). Drive a [`protocol::Server`] without I/O, by lines, events of its search thread and a clock of
//! your own:
//!
//! ```
//! use std::{sync::{Arc, mpsc}, time::Duration};
//! use canopy_engine::protocol::{Server, ServerConfig};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (sender, events) = mpsc::channel();
//! let config = ServerConfig { game: Some("kalah".into()), ..ServerConfig::default() };
//! let mut server = Server::new(&config, Arc::new(move |event| drop(sender.send(event))))?;
//!
//! let now = Duration::ZERO;
//! assert!(server.on_line("ugi", now).ends_with("ugiok\n"));
//! server.on_line("position startpos moves 3", now);
//! let mut text = server.on_line("go nodes 100", now);
//! while !text.contains("bestmove ") {
//!     text += &server.on_event(events.recv()?, now);
//! }
//! server.on_line("quit", now);
//! assert!(server.is_over());
//! # Ok(())
//! # }
//! ```

// Modules that read what other programs write also refuse `expect` and unchecked indexes.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::panic))]

pub mod machine;

pub mod rng;

pub mod games;

pub mod search;

pub mod tree;

pub mod catalog;

pub mod session;

pub mod protocol;

pub mod runs;

pub mod arena;

pub mod reports;

pub mod explain;

pub mod experiments;

pub mod cli;
