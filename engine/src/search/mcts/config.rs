//! What can be set about a Monte-Carlo tree search.

use std::{num::NonZero, sync::OnceLock, thread};

use super::{
    node_sharing::{Grouping, Sharing},
    playout::PlayoutPolicy,
    select::{Fpu, RewardRange, SelectFormula, Selection},
};

/// How a leaf gets its children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpansionRule {
    /// All of them, and the playout starts from the first.
    #[default]
    AllFirst,
    /// All of them, and the playout starts from one at random.
    AllRandom,
    /// One in each iteration, in the order of the moves.
    One,
}

/// Where statistics are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// A tree.
    #[default]
    Tree,
    /// A graph in which positions share nodes.
    Graph,
    /// A tree whose means come from a bounded table of positions.
    Bounded,
}

/// Which move is played in the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FinalChoice {
    /// The most visited one.
    #[default]
    Visits,
    /// The one with the highest mean.
    Mean,
    /// The one with the highest lower confidence bound: mean - C sqrt(ln N / n).
    LowerBound,
}

/// All of it. `Default` is what the reports' players have in common; the catalogue has better constants for our own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsConfig {
    /// The formula that chooses among children.
    pub formula: SelectFormula,
    /// Its constant C.
    pub exploration: f64,
    /// The scale of rewards the formula sees.
    pub reward_range: RewardRange,
    /// What stands for the mean of a child that was never chosen.
    pub fpu: Fpu,
    /// How playouts are played.
    pub policy: PlayoutPolicy,
    /// Whether last good replies are forgotten when they lose.
    pub forgetting: bool,
    /// Plies after which a playout is cut off and the game's own guess is paid.
    pub playout_limit: Option<u32>,
    /// How leaves get children.
    pub expansion: ExpansionRule,
    /// On which of its visits.
    pub expand_on: u32,
    /// Where statistics are kept.
    pub store: StoreKind,
    /// What a graph shares.
    pub sharing: Sharing,
    /// Entries of a bounded table.
    pub entries: usize,
    /// Whether a bounded table stores and compares keys.
    pub verify_key: bool,
    /// With so many men or more in play, a graph gives way to a tree; 0 for never.
    pub opening_pieces: u32,
    /// The part of the iterations that is made before that.
    pub opening_fraction: f64,
    /// Which move is played.
    pub final_choice: FinalChoice,
    /// Whether what is known is kept from one move to the next.
    pub reuse: bool,
    /// Whether certain wins and losses are passed up (Winands, Björnsson and Saito 2008).
    pub solver: bool,
    /// Iterations, if no limit is given.
    pub iterations: Option<u64>,
    /// Milliseconds, if no limit is given.
    pub millis: Option<u64>,
    /// Memory for statistics, never exceeded.
    pub memory_mb: usize,
    /// Threads that grow the tree.
    pub threads: usize,
    /// Which random numbers.
    pub seed: u64,
}

/// The most threads a search gets on this machine: 64, or four for each processor if that is more. Further ones would only
/// wait for each other.
pub fn max_threads() -> usize {
    static MAX: OnceLock<usize> = OnceLock::new();
    *MAX.get_or_init(|| {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        (4 * processors).max(64)
    })
}

impl MctsConfig {
    /// How children are chosen.
    pub fn selection(&self) -> Selection {
        Selection {
            formula: self.formula,
            exploration: self.exploration,
            reward_range: self.reward_range,
            fpu: self.fpu,
        }
    }

    /// Whether the constant C makes a difference: UCB1-tuned has none, but the final choice by a lower bound has.
    pub fn uses_exploration(&self) -> bool {
        self.formula.has_exploration() || self.final_choice == FinalChoice::LowerBound
    }

    /// How many of a node's moves have been followed after so many visits, if each that did not end there took a new one.
    #[inline(always)]
    pub(super) fn expected_visited_moves(&self, visits: u32) -> usize {
        (visits + 1).saturating_sub(self.expand_on) as usize
    }
}

impl Default for MctsConfig {
    fn default() -> Self {
        Self {
            formula: SelectFormula::Uct,
            exploration: 1.41,
            reward_range: RewardRange::ZeroToOne,
            fpu: Fpu::Infinite,
            policy: PlayoutPolicy::Uniform,
            forgetting: false,
            playout_limit: None,
            expansion: ExpansionRule::AllFirst,
            expand_on: 2,
            store: StoreKind::Tree,
            sharing: Sharing {
                transpositions: true,
                grouping: Grouping::None,
                invert_colours: false,
            },
            entries: 8_000_000,
            verify_key: true,
            opening_pieces: 0,
            opening_fraction: 0.5,
            final_choice: FinalChoice::Visits,
            reuse: true,
            solver: false,
            iterations: None,
            millis: None,
            memory_mb: 1024,
            threads: 1,
            seed: 1,
        }
    }
}
