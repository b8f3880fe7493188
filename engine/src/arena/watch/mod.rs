//! Trees of engines that write none: the union of the lines an engine tells while it thinks.
//!
//! [`analysis`] reads what UCI, UGI and GTP engines say about moves, [`line_board`] gives the moves of a line their names and states,
//! [`line_tree`] joins lines to a tree, [`recorder`] writes it while it grows, [`conversation`] finds the searches in a dialogue between
//! any two programs, and [`proxy`] stands between them.

pub mod analysis;
pub mod conversation;
pub mod driver;
pub mod line_board;
pub mod line_tree;
pub mod proxy;
pub mod recorder;
