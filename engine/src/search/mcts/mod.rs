//! Monte-Carlo tree search: one loop, three axes.
//!
//! The axes are the selection formula, the playout policy and the node store; every combination works for every game.
//!
//! - [`MctsConfig`] says which, [`build`] puts them together; `opening_switch` has one search for the opening, one for the rest.
//! - `search_loop` runs a `worker` on every thread until the budget is used up. A worker makes one iteration after another:
//!   selection, expansion, simulation, backpropagation. `report` ranks the root moves and exposes the tree.
//! - `select` has the formulas (`logarithm` for them), `playout` the policies, with `last_good_reply`.
//! - `node_store` is the interface of the stores: `tree_store`, `graph_store` (with `slot`, `node_sharing` and
//!   `transposition_index`) and `bounded_store`, all on a `node_arena`. `proof` measures results that the solver proved,
//!   `score_bounds` keeps bounds of margins.
//!
//! Threads share one tree (tree parallelisation without locks, Enzenberger and Müller 2010) and spread over it by virtual loss
//! (Chaslot, Winands and van den Herik 2008). One thread with one seed gives the same tree on every machine.

use std::{marker::PhantomData, num::NonZero, sync::OnceLock, thread};

use self::{
    bounded_store::BoundedStore,
    graph_store::GraphStore,
    node_store::SearchStore,
    playout::RecordablePlayout,
    select::{FormulaVisitor, Select},
    tree_store::TreeStore,
};
use super::{
    BestMove, LiveTree, ReferenceFrame, Reward, RootMove, Search, SearchLimits, SearchTask,
    Searchable, Shortfall,
    exact::ExactFrom,
    legacy::{Legacy, Program},
};

mod bounded_store;
mod graph_store;
mod last_good_reply;
mod logarithm;
mod node_arena;
mod node_sharing;
mod node_store;
mod opening_switch;
mod playout;
mod proof;
mod recorded_playout;
mod report;
mod score_bounds;
mod search_loop;
mod select;
mod slot;
#[cfg(test)]
mod tests;
mod transposition_index;
mod tree_store;
mod worker;

pub(in crate::search) use logarithm::ln;
pub use node_sharing::{Grouping, Sharing, canonical_frame};
pub use node_store::square_reward;
pub(in crate::search) use node_store::{outcome_from_bits, outcome_to_bits};
pub use playout::PlayoutPolicy;
pub use select::{ChildStats, Fpu, ParentStats, RewardRange, SelectFormula, Selection, Terms};

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

/// Parameters of a Monte-Carlo tree search. `Default` is UCT in a tree with uniform playouts, C = 1.41 and one thread: what the
/// players of the reports have in common. The catalogue has better constants for its own searches.
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
    /// True if the solver proves margins in games decided by counting, too; only in a tree. Switches the solver on.
    pub score_bounds: bool,
    /// Iterations of a search without limits.
    pub iterations: Option<u64>,
    /// Milliseconds of a search without limits.
    pub millis: Option<u64>,
    /// Memory limit for statistics, in megabytes.
    pub memory_mb: usize,
    /// Number of threads.
    pub threads: usize,
    /// When the game's exact solver takes over; none in games without one. The catalogue builds it around this search.
    pub exact_from: Option<ExactFrom>,
    /// Seed of the random number generator.
    pub seed: u64,
    /// The program whose defects can be repeated.
    pub legacy: Legacy,
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

    /// The limits of a search that was asked for with `limits`.
    fn effective_limits(&self, limits: &SearchLimits) -> SearchLimits {
        let limits = limits.or_default(self.iterations, self.millis);
        SearchLimits {
            iterations: limits.node_limit(),
            time: match self.legacy.active() {
                // Report 000's program stops after 90 % of the time it is given.
                Some(Program::Report000) => limits.time.map(|time| time * 9 / 10),
                _ => limits.time,
            },
            ..limits
        }
    }

    /// The mean of a node without visits in tree files: report 000's program wrote 0.
    fn unvisited_mean(&self) -> f64 {
        match self.legacy.active() {
            Some(Program::Report000) => 0.0,
            _ => 0.5,
        }
    }

    /// Number of a node's moves visited after `visits` visits, if every visit that did not end at the node took an unvisited move.
    #[inline(always)]
    fn expected_visited_moves(&self, visits: u32) -> usize {
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
            score_bounds: false,
            iterations: None,
            millis: None,
            memory_mb: 1024,
            threads: 1,
            exact_from: None,
            seed: 1,
            legacy: Legacy::default(),
        }
    }
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

/// The search that a configuration describes.
pub fn build<G: Searchable>(mut config: MctsConfig) -> Box<dyn Search<G>> {
    config.solver |= config.score_bounds;
    if config.opening_pieces > 0 {
        return Box::new(opening_switch::OpeningSwitch::new(config));
    }
    config.selection().visit(Build {
        config,
        game: PhantomData,
    })
}

/// Builds the search with a formula of its own type.
struct Build<G> {
    config: MctsConfig,
    game: PhantomData<G>,
}

impl<G: Searchable> FormulaVisitor for Build<G> {
    type Out = Box<dyn Search<G>>;

    fn visit<S: Select, const SQUARES: bool, const PRIORS: bool>(self, select: S) -> Self::Out {
        build_with_store::<G, S, SQUARES, PRIORS>(self.config, select)
    }
}

fn build_with_store<G: Searchable, S: Select, const SQUARES: bool, const PRIORS: bool>(
    config: MctsConfig,
    select: S,
) -> Box<dyn Search<G>> {
    let bytes = (config.memory_mb << 20).saturating_sub(total_reply_table_bytes::<G>(&config));
    match config.store {
        StoreKind::Tree => {
            let store = match config.score_bounds {
                true => TreeStore::<SQUARES, PRIORS>::with_score_bounds(bytes),
                false => TreeStore::<SQUARES, PRIORS>::new(bytes),
            };
            Box::new(Mcts::new(config, select, store))
        }
        StoreKind::Graph => Box::new(Mcts::new(
            config,
            select,
            GraphStore::<SQUARES, PRIORS>::new(bytes, config.sharing),
        )),
        StoreKind::Bounded => {
            let store =
                BoundedStore::<SQUARES, PRIORS>::new(bytes, config.entries, config.verify_key);
            Box::new(Mcts::new(config, select, store))
        }
    }
}

/// Memory limit, in bytes, of one thread's reply tables: all threads together get at most half of the memory.
fn playout_memory_bytes(config: &MctsConfig) -> usize {
    (config.memory_mb << 20) / 2 / config.threads.max(1)
}

/// Bytes that the reply tables of all threads take.
fn total_reply_table_bytes<G: Searchable>(config: &MctsConfig) -> usize {
    config.threads.max(1)
        * config
            .policy
            .reply_table_bytes::<G>(playout_memory_bytes(config))
}

/// A Monte-Carlo tree search: a configuration with its formula, node store and playout policies.
struct Mcts<G, T, S> {
    config: MctsConfig,
    select: S,
    store: T,
    /// One playout policy per thread.
    playouts: Vec<Box<dyn RecordablePlayout<G>>>,
    /// The position of the store's root; `None` before the first search and after `clear`.
    root: Option<G>,
    /// True if a search from this root was restricted to some of its moves.
    is_restricted: bool,
    /// Number of searches since the game began; part of the seed.
    search_count: u64,
}

impl<G: Searchable, T: SearchStore<G>, S: Select> Mcts<G, T, S> {
    fn new(config: MctsConfig, select: S, mut store: T) -> Self {
        let threads = config.threads.max(1);
        store.set_parallel(threads > 1);
        let playouts = (0..threads)
            .map(|_| {
                let MctsConfig {
                    policy,
                    playout_limit,
                    forgetting,
                    ..
                } = config;
                playout::build_playout(
                    policy,
                    playout_limit,
                    forgetting,
                    playout_memory_bytes(&config),
                )
            })
            .collect();
        Self {
            config,
            select,
            store,
            playouts,
            root: None,
            is_restricted: false,
            search_count: 0,
        }
    }

    /// Keeps the store if `root` is its root already, resets it otherwise, and marks its statistics as inherited.
    fn prepare_root(&mut self, root: &G) {
        if !(self.config.reuse && self.root.as_ref() == Some(root)) {
            self.store.reset(root);
            self.root = Some(root.clone());
            self.is_restricted = false;
        }
        if !self.store.mark_inherited() {
            // No memory to count this search's visits apart: start from an empty tree.
            self.store.reset(root);
            self.store.mark_inherited();
        }
    }

    /// The root in its node's reference frame, and that frame.
    fn position_in_frame(&self, root: &G) -> (G, ReferenceFrame) {
        let frame = self.store.frame(root);
        let mut image = root.clone();
        if frame.inverted
            && let Some(inverted) = image.inverted()
        {
            image = inverted;
        }
        if let Some(symmetry) = frame.symmetry {
            image = image.image(symmetry);
        }
        (image, frame)
    }
}

impl<G: Searchable, T: SearchStore<G>, S: Select> Search<G> for Mcts<G, T, S> {
    fn search(&mut self, mut task: SearchTask<'_, G>) -> BestMove<G::Move> {
        let root = task.root;
        let mut legal = Vec::new();
        root.legal_moves(&mut legal);
        let permitted: Vec<G::Move> = legal
            .iter()
            .copied()
            .filter(|mv| task.search_moves.is_none_or(|moves| moves.contains(mv)))
            .collect();
        self.prepare_root(root);
        let (framed, _) = self.position_in_frame(root);
        // Indexed like the root's edges, which are in the move order of the framed position.
        let allowed = task.search_moves.map(|_| {
            let frame = self.store.frame(root);
            let mut listed = Vec::new();
            framed.legal_moves(&mut listed);
            let here = |mv| {
                frame
                    .symmetry
                    .map_or(mv, |symmetry| G::image_of_move(mv, symmetry.inverse()))
            };
            listed
                .into_iter()
                .map(|mv| permitted.contains(&here(mv)))
                .collect::<Vec<bool>>()
        });
        let (iterations, full) = self.run_workers(&mut task, &framed, allowed.as_deref());
        self.search_count += 1;
        let mut report = self.build_report(root, task.search_moves, iterations, full);
        if report.root_moves.is_empty() {
            // Stopped before the root was expanded: list the moves without statistics.
            report.root_moves = permitted
                .iter()
                .map(|&mv| RootMove {
                    mv,
                    visits: 0,
                    value: Reward::EVEN,
                    score: None,
                    proven: None,
                    pv: vec![mv],
                })
                .collect();
        }
        let best = report.root_moves.first().map_or(legal[0], |best| best.mv);
        BestMove { mv: best, report }
    }

    fn advance(&mut self, mv: G::Move) {
        let Some(root) = &self.root else { return };
        if self.config.reuse && root.is_legal(mv) && self.store.advance(root, mv) {
            if let Some(root) = &mut self.root {
                root.play(mv);
            }
            self.is_restricted = false;
        } else {
            self.root = None;
        }
    }

    fn reseed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    fn clear(&mut self) {
        self.root = None;
        self.search_count = 0;
        for playout in &mut self.playouts {
            playout.clear();
        }
    }

    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        self.root.is_some().then_some(self)
    }

    fn shortfalls(&self) -> Vec<Shortfall> {
        let limit = (self.config.memory_mb as u64) << 20;
        let refused = self.store.missing_words() as u64 * 8;
        let memory = (refused > 0).then(|| Shortfall::Memory {
            bytes: limit.saturating_sub(refused),
            wanted: limit,
        });
        let table = (self.store.table_entries()).map(|(entries, wanted)| Shortfall::Entries {
            entries,
            wanted,
            limit,
        });
        let slots = (self.config.policy).reply_slots::<G>(playout_memory_bytes(&self.config));
        let replies = slots.map(|(slots, wanted)| Shortfall::Replies {
            slots,
            wanted,
            limit,
        });
        [memory, table, replies]
            .into_iter()
            .flatten()
            .filter(Shortfall::is_short)
            .collect()
    }
}
