//! Chess endings solved: tables of all positions with three and four men, and a solver that uses them.

mod solver;
mod table_set;
pub mod tables;

pub use solver::{ChessSolver, random_ending};
pub use table_set::TableStore;
