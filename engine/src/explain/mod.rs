//! Why a search prefers one move of its root to another: figures and sentences, computed from its tree, the sidecar and the growth
//! journal.
//!
//! [`SearchFacts`] reads a tree, [`explain`] compares two of its moves, [`lead`] finds in a journal since when one is ahead of the
//! other, [`truth`] judges moves by exact values. The command line prints the sentences, and the viewer shows the same ones.

// Input comes from other programs and files: no text or file may end the process.
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::indexing_slicing))]

use std::fmt;

use crate::arena::stats::{Interval, NORMAL_95, wilson_interval};

pub use crate::search::{
    Bound, Cut,
    exact::{ExactValue, ValueClass},
};

pub use self::{
    facts::{MoveFacts, MoveValue, Reply, SearchFacts},
    lead::{LeadChange, LeadReply},
    words::{Phrase, Sentence, SignedPoints, sentence_text},
};

mod classical;
mod facts;
pub mod lead;
mod playouts;
mod readings;
#[cfg(test)]
mod tests;
pub mod truth;
mod words;

/// Why there is nothing to explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplainError {
    /// The tree has no sidecar, or one without a game.
    NoSidecar,
    /// The root has fewer than two moves.
    TooFewMoves,
    /// A move is not one of the root's, which are these.
    NoSuchMove {
        /// As it was given.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The same move twice.
    SameMove(String),
}

impl fmt::Display for ExplainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSidecar => f.write_str(
                "the tree has no sidecar (.json) that names its game, so nobody knows whose values these are: keep the two files together",
            ),
            Self::TooFewMoves => {
                f.write_str("the tree has no two moves at its root to be compared")
            }
            Self::NoSuchMove { name, known } => {
                let known = known.join(" ");
                write!(f, "the root has no move \"{name}\": expected one of {known}")
            }
            Self::SameMove(name) => {
                write!(f, "the move \"{name}\" twice: expected two different moves")
            }
        }
    }
}

/// What is said about two moves of a root.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The two moves, the one that is asked about first.
    pub moves: [MoveFacts; 2],
    /// At most four sentences.
    pub sentences: Vec<Sentence>,
}

/// Compares two moves of the root, given as the file or as people write them; without any, what was chosen and the best of the
/// others. `lead` is what a growth journal says of them, in this order.
pub fn explain(
    facts: &SearchFacts<'_>,
    moves: Option<[&str; 2]>,
    lead: Option<&LeadChange>,
) -> Result<Explanation, ExplainError> {
    let [one, other] = facts.choose_moves(moves)?;
    let moves = [facts.move_facts(one), facts.move_facts(other)];
    let sentences = match facts.is_classical() {
        true => classical::sentences(facts, &moves),
        false => playouts::sentences(facts, &moves, lead),
    };
    Ok(Explanation { moves, sentences })
}

/// Where the true share of wins lies with 95 % confidence, after so many playouts.
pub fn interval(share: f64, visits: u64) -> Interval {
    wilson_interval(share.clamp(0.0, 1.0), visits as f64, NORMAL_95)
}

/// Whether one share is above another by more than chance explains, with 95 % confidence.
///
/// The lower end of the interval of the difference by Newcombe (1998), method 10, which is made from Wilson's intervals.
pub fn is_clearly_better((better, visits): (f64, u64), (other, other_visits): (f64, u64)) -> bool {
    let below = better - interval(better, visits).low;
    let above = interval(other, other_visits).high - other;
    better - other > below.hypot(above)
}
