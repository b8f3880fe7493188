//! The configuration of a Monte-Carlo tree search.

use std::{num::NonZero, sync::OnceLock, thread};

use super::{
    node_sharing::{Grouping, Sharing},
    playout::PlayoutPolicy,
    select::{Fpu, RewardRange, SelectFormula, Selection},
};

/// How a leaf is expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExpansionRule {
    /// Adds all children; the playout starts from the first.
    #[default]
    AllFirst,
    /// Adds all children; the playout starts from a random one.
    AllRandom,
    /// Adds one child per iteration, in move order (Coulom 2006).
    One,
}

/// The kind of node store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreKind {
    /// A tree.
    #[default]
    Tree,
    /// A graph in which positions share nodes.
    Graph,
    /// A tree whose means come from a transposition table of fixed size.
    Bounded,
}

/// The criterion by which the final move is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FinalChoice {
    /// Most visits (robust child, Chaslot et al. 2008).
    #[default]
    Visits,
    /// Highest mean (max child).
    Mean,
    /// Highest lower confidence bound: mean - C sqrt(ln N / n) (secure child).
    LowerBound,
}

/// Parameters of a Monte-Carlo tree search. `Default` is what the players of the reports have in common; the catalogue has
/// better constants for its own searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsConfig {
    /// The selection formula.
    pub formula: SelectFormula,
    /// The formula's exploration constant C.
    pub exploration: f64,
    /// The scale of rewards the formula sees.
    pub reward_range: RewardRange,
    /// First-play urgency: the value of an unvisited child.
    pub fpu: Fpu,
    /// The playout policy.
    pub policy: PlayoutPolicy,
    /// True if last good replies are forgotten when they lose (LGRF, Baier and Drake 2010).
    pub forgetting: bool,
    /// Plies after which a playout is truncated and rewarded by the game's evaluation; `None` for no limit.
    pub playout_limit: Option<u32>,
    /// How a leaf is expanded.
    pub expansion: ExpansionRule,
    /// The visit on which a leaf is expanded, from 1.
    pub expand_on: u32,
    /// The kind of node store.
    pub store: StoreKind,
    /// Which positions share a node, in a graph.
    pub sharing: Sharing,
    /// Number of entries of a bounded table.
    pub entries: usize,
    /// True if a bounded table stores and compares keys.
    pub verify_key: bool,
    /// Number of pieces in play from which on a tree replaces the graph; 0 for never.
    pub opening_pieces: u32,
    /// Fraction of the iterations that a search makes with fewer pieces than that.
    pub opening_fraction: f64,
    /// How the final move is chosen.
    pub final_choice: FinalChoice,
    /// True if the subtree of the move played is kept for the next search.
    pub reuse: bool,
    /// True if proven results are backpropagated (MCTS-Solver, Winands, Björnsson and Saito 2008).
    pub solver: bool,
    /// Iterations of a search without limits.
    pub iterations: Option<u64>,
    /// Milliseconds of a search without limits.
    pub millis: Option<u64>,
    /// Memory limit for statistics, in megabytes.
    pub memory_mb: usize,
    /// Number of threads.
    pub threads: usize,
    /// Seed of the random number generator.
    pub seed: u64,
}

/// Upper limit of a search's threads on this machine: 64, or four per processor if that is more. More would only wait for
/// each other.
pub fn max_threads() -> usize {
    static MAX: OnceLock<usize> = OnceLock::new();
    *MAX.get_or_init(|| {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        (4 * processors).max(64)
    })
}

impl MctsConfig {
    /// The selection part of the configuration.
    pub fn selection(&self) -> Selection {
        Selection {
            formula: self.formula,
            exploration: self.exploration,
            reward_range: self.reward_range,
            fpu: self.fpu,
        }
    }

    /// True if the constant C has an effect: in the formula, or in the final choice by lower bound.
    pub fn uses_exploration(&self) -> bool {
        self.formula.has_exploration() || self.final_choice == FinalChoice::LowerBound
    }

    /// Number of a node's moves visited after `visits` visits, if every visit that did not end at the node took an unvisited move.
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
