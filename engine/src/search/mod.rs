//! The search interface: a [`SearchTask`] goes in, [`SearchReport`]s come out on the way, a [`BestMove`] at the end.
//!
//! A search blocks the calling thread. With one thread, one seed and no time limit it is deterministic. It never prints, reads
//! the clock only through [`budget`], and is generic over the game; a search for one game lives in a module of that name.

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::games::{Evaluate, Game, History, Outcome, Player, SearchHints, Symmetric, Tactics};

mod alpha_beta;
pub mod budget;
pub mod chess;
pub mod classical;
pub mod connect_four;
pub mod delta;
mod depth_first;
pub mod exact;
mod full_nodes;
pub mod greedy;
pub mod growth_records;
pub mod kalah;
pub mod legacy;
pub mod mcts;
mod minimax;
pub mod othello;
pub mod pacing;
pub mod random;
mod tree_recorder;
mod window;

pub use window::{Bound, Cut, WindowResult};

/// The capabilities a search needs of a game: rules, evaluations, symmetries. No notation.
pub trait Searchable: Game + SearchHints + Evaluate + Symmetric + Tactics {}

impl<G: Game + SearchHints + Evaluate + Symmetric + Tactics> Searchable for G {}

/// Expected result from the first player's perspective: 0 loss, 0.5 draw, 1 win. Change sides only with [`Self::for_player`].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Reward(f64);

impl Reward {
    /// A draw, or a position of which nothing is known.
    pub const EVEN: Self = Self(0.5);

    /// A reward from the first player's perspective, from 0 to 1.
    pub fn new(first: f64) -> Self {
        Self(first)
    }

    /// A reward from `player`'s perspective, converted to the first player's.
    pub fn from_player(player: Player, value: f64) -> Self {
        Self(flip_perspective(value, player))
    }

    /// The reward of a finished game.
    pub fn from_outcome(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win(Player::First) => Self(1.0),
            Outcome::Win(Player::Second) => Self(0.0),
            Outcome::Draw => Self::EVEN,
        }
    }

    /// The expected result from `player`'s perspective, from 0 to 1.
    pub fn for_player(self, player: Player) -> f64 {
        flip_perspective(self.0, player)
    }
}

fn flip_perspective(value: f64, player: Player) -> f64 {
    match player {
        Player::First => value,
        Player::Second => 1.0 - value,
    }
}

/// Limits of a search. The first one reached ends it; without any it runs until it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Playouts. Searches without playouts take it as a node limit.
    pub iterations: Option<u64>,
    /// Nodes. Searches with playouts take it as an iteration limit.
    pub nodes: Option<u64>,
    /// Plies. Searches with playouts end when their principal variation has this length; see [`budget::DepthLimit`].
    pub depth: Option<u32>,
    /// Wall-clock time since the start of the search; the deadline of its [`budget::SearchBudget`].
    pub time: Option<Duration>,
}

impl SearchLimits {
    /// An iteration limit only.
    pub fn iterations(count: u64) -> Self {
        Self {
            iterations: Some(count),
            ..Self::default()
        }
    }

    /// A depth limit only, in plies.
    pub fn depth(plies: u32) -> Self {
        Self {
            depth: Some(plies),
            ..Self::default()
        }
    }

    /// What is left of these limits after so much time: a millisecond at least.
    pub fn after(&self, elapsed: Duration) -> Self {
        const MIN_TIME: Duration = Duration::from_millis(1);
        let left = |time: Duration| time.saturating_sub(elapsed).max(MIN_TIME);
        Self {
            time: self.time.map(left),
            ..*self
        }
    }

    /// These limits, or the given defaults if no limit is set.
    pub fn or_default(&self, iterations: Option<u64>, millis: Option<u64>) -> Self {
        if *self != Self::default() {
            return *self;
        }
        Self {
            iterations,
            time: millis.map(Duration::from_millis),
            ..*self
        }
    }

    /// The smaller of the node and iteration limits, for searches in which both mean the same.
    pub fn node_limit(&self) -> Option<u64> {
        match (self.iterations, self.nodes) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }
}

/// A stop request for a running search. Clones share the flag; searches poll it and end within about a millisecond.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A cleared flag.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests the stop.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once the stop was requested.
    #[inline(always)]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A request to search one position.
pub struct SearchTask<'a, G: Game> {
    /// The root position; never a finished game.
    pub root: &'a G,
    /// The positions of the game so far, root included; repetitions are detected with it.
    pub history: &'a History,
    /// Root moves to consider (UCI `searchmoves`); all legal moves if `None`. Never empty.
    pub search_moves: Option<&'a [G::Move]>,
    /// Number of best root moves that need exact values (UCI `MultiPV`); at least 1.
    pub multi_pv: usize,
    /// Limits of this search.
    pub limits: &'a SearchLimits,
    /// How it may deviate from its time limit.
    pub pacing: pacing::Pacing,
    /// Stop request from outside.
    pub stop: &'a StopFlag,
    /// Progress reports; `None` for none.
    pub reports: Option<ReportCallback<'a, G>>,
    /// Views of the growing tree; `None` for none.
    pub snapshots: Option<SnapshotCallback<'a, G>>,
    /// Views of the tree of every depth that a deepening search completes, whatever the interval; `None` for none.
    pub depths: Option<SnapshotCallback<'a, G>>,
    /// Receives the growth records of every iteration; only searches with playouts have any.
    pub observer: Option<&'a dyn growth_records::GrowthObserver>,
}

impl<'a, G: Game> SearchTask<'a, G> {
    /// A search of all legal moves with one principal variation and no callbacks.
    pub fn new(
        root: &'a G,
        history: &'a History,
        limits: &'a SearchLimits,
        stop: &'a StopFlag,
    ) -> Self {
        Self {
            root,
            history,
            search_moves: None,
            multi_pv: 1,
            limits,
            pacing: pacing::Pacing::default(),
            stop,
            reports: None,
            snapshots: None,
            depths: None,
            observer: None,
        }
    }

    /// The same search within other limits, as one search hands it to another.
    pub fn with_limits<'b>(self, limits: &'b SearchLimits) -> SearchTask<'b, G>
    where
        'a: 'b,
    {
        SearchTask {
            root: self.root,
            history: self.history,
            search_moves: self.search_moves,
            multi_pv: self.multi_pv,
            limits,
            pacing: self.pacing,
            stop: self.stop,
            reports: self.reports.map(ReportCallback::shorten_lifetime),
            snapshots: self.snapshots.map(SnapshotCallback::shorten_lifetime),
            depths: self.depths.map(SnapshotCallback::shorten_lifetime),
            observer: self.observer,
        }
    }
}

/// A callback for periodic progress reports.
pub struct ReportCallback<'a, G: Game> {
    /// Time between two reports.
    pub interval: Duration,
    /// Receives the current report.
    pub callback: &'a mut (dyn FnMut(&SearchReport<G::Move>) + 'a),
}

impl<'a, G: Game> ReportCallback<'a, G> {
    /// The same callback with the shorter lifetime of an inner task.
    pub fn shorten_lifetime<'b>(self) -> ReportCallback<'b, G>
    where
        'a: 'b,
    {
        ReportCallback {
            interval: self.interval,
            callback: self.callback,
        }
    }
}

/// A callback for periodic views of the growing tree.
pub struct SnapshotCallback<'a, G: Game> {
    /// Time between two views.
    pub interval: Duration,
    /// Receives the tree. The search is paused until it returns.
    pub callback: &'a mut SnapshotFn<'a, G>,
}

/// Receives the growing tree and the report that belongs to it.
pub type SnapshotFn<'a, G> = dyn FnMut(&dyn LiveTree<G>, &SearchReport<<G as Game>::Move>) + 'a;

impl<'a, G: Game> SnapshotCallback<'a, G> {
    /// The same callback with the shorter lifetime of an inner task.
    pub fn shorten_lifetime<'b>(self) -> SnapshotCallback<'b, G>
    where
        'a: 'b,
    {
        SnapshotCallback {
            interval: self.interval,
            callback: self.callback,
        }
    }
}

/// A depth that a deepening search has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedDepth<M> {
    /// Plies.
    pub depth: u32,
    /// Value of the root for the player to move, in the units of the evaluation.
    pub value: i32,
    /// Positions that were visited below the root at this depth alone.
    pub nodes: u64,
    /// Positions that minimax visits at this depth; `None` if they were not asked for or are too many.
    pub full_nodes: Option<u64>,
    /// The best move.
    pub best: M,
}

/// Progress or result of a search: its counters and its ranked root moves.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport<M> {
    /// Completed playouts; 0 for searches without playouts.
    pub iterations: u64,
    /// Positions visited below the root over all depths, as in report 003; playouts for searches with playouts.
    pub nodes: u64,
    /// Leaves evaluated, finished games included, as in report 004; 0 for searches with playouts.
    pub leaves: u64,
    /// Plies: the last completed depth, or the length of the principal variation for searches with playouts.
    pub depth: u32,
    /// Value of the root.
    pub value: Reward,
    /// Root moves, best first.
    pub root_moves: Vec<RootMove<M>>,
    /// Edges stored with their statistics; 0 for searches that store none.
    pub stored_moves: u64,
    /// Bytes taken by the stored edges.
    pub memory_bytes: u64,
    /// Set when the memory limit keeps the tree from growing.
    pub memory_full: bool,
}

impl<M: Copy> SearchReport<M> {
    /// The principal variation; empty until a move has been searched.
    pub fn pv(&self) -> &[M] {
        self.root_moves.first().map_or(&[], |best| &best.pv)
    }
}

/// A root move and its statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// Playouts or nodes spent on the move.
    pub visits: u64,
    /// Value of the move.
    pub value: Reward,
    /// Value for the player to move in the units of the evaluation; `None` for searches without an evaluation.
    pub score: Option<i32>,
    /// The result with best play, where it is proven.
    pub proven: Option<Outcome>,
    /// Principal variation, beginning with this move.
    pub pv: Vec<M>,
}

/// The chosen move and the report it rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct BestMove<M> {
    /// The move.
    pub mv: M,
    /// The report at the time of the choice.
    pub report: SearchReport<M>,
}

/// One way to choose a move.
///
/// Run a search, and read its tree:
///
/// ```
/// use canopy_engine::{
///     catalog,
///     games::{Game, History, connect_four::ConnectFour},
///     search::{SearchLimits, SearchTask, StopFlag},
///     tree::snapshot::{self, SnapshotOptions},
/// };
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let spec = catalog::parse::<ConnectFour>("uct,exploration=0.7")?;
/// let mut search = catalog::build::<ConnectFour>(&spec).ok_or("it plays another game")?;
///
/// let position = ConnectFour::start(Default::default());
/// let mut history = History::new();
/// history.push(&position);
/// let limits = SearchLimits::iterations(500);
/// let best = search.search(SearchTask::new(&position, &history, &limits, &StopFlag::new()));
/// assert_eq!(best.report.iterations, 500);
/// assert_eq!(best.report.pv()[0], best.mv);
///
/// let live = search.tree().ok_or("it grows no tree")?;
/// let tree = snapshot::take(&*live.copy()?, &SnapshotOptions::default())?.tree;
/// let sizes = tree.subtree_sizes();
/// let visits: i32 = tree.children(0, &sizes).map(|row| tree.nodes()[row].visits).sum();
/// assert!(tree.nodes()[0].visits >= visits);
/// # Ok(())
/// # }
/// ```
pub trait Search<G: Game>: Send {
    /// Searches until a limit is reached or the stop flag is set. Always returns a legal move.
    fn search(&mut self, task: SearchTask<'_, G>) -> BestMove<G::Move>;

    /// The game continued with `mv`. Statistics below that move may be reused.
    fn advance(&mut self, mv: G::Move) {
        let _ = mv;
    }

    /// Discards all statistics, for a new game.
    fn clear(&mut self) {}

    /// Sets the seed of the searches that follow.
    fn reseed(&mut self, seed: u64);

    /// A sentence about the last search that the user should read.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Resources that are smaller than configured because memory is short.
    fn shortfalls(&self) -> Vec<Shortfall> {
        Vec::new()
    }

    /// The depths that the last search has completed one after the other; empty for searches that do not deepen.
    fn completed_depths(&self) -> &[CompletedDepth<G::Move>] {
        &[]
    }

    /// The tree or graph of the last search, for searches that store one.
    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        None
    }
}

/// A resource that is smaller than configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// Node memory in bytes: the operating system refused the rest.
    Memory {
        /// Bytes obtained.
        bytes: u64,
        /// Bytes requested.
        wanted: u64,
    },
    /// Entries of a bounded transposition table.
    Entries {
        /// Entries obtained.
        entries: u64,
        /// Entries requested.
        wanted: u64,
        /// Memory limit in bytes.
        limit: u64,
    },
    /// Reply slots of LGR-2, for each thread.
    Replies {
        /// Slots obtained.
        slots: u64,
        /// Slots that would be of use.
        wanted: u64,
        /// Memory limit in bytes.
        limit: u64,
    },
}

impl Shortfall {
    /// True if less was obtained than requested.
    pub fn is_short(&self) -> bool {
        let (Self::Memory { bytes: has, wanted }
        | Self::Entries {
            entries: has,
            wanted,
            ..
        }
        | Self::Replies {
            slots: has, wanted, ..
        }) = *self;
        has < wanted
    }
}

impl fmt::Display for Shortfall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: u64| bytes >> 20;
        match *self {
            Self::Memory { bytes, wanted } => write!(
                out,
                "the system gives {} of the {} MB of memory asked for: the search does with less",
                mb(bytes),
                mb(wanted)
            ),
            Self::Entries {
                entries,
                wanted,
                limit,
            } => write!(
                out,
                "the table has {entries} of the {wanted} entries asked for: there is no memory for more (the limit is {} MB)",
                mb(limit)
            ),
            Self::Replies {
                slots,
                wanted,
                limit,
            } => write!(
                out,
                "each thread has {slots} of {wanted} slots for replies to two moves: there is no memory for more (the limit is {} MB)",
                mb(limit)
            ),
        }
    }
}

/// Read access to the tree or graph of a search. Nodes are named by ids of the store.
pub trait TreeView<G: Game> {
    /// The position at the root.
    fn root_position(&self) -> &G;

    /// The id of the root.
    fn root(&self) -> u32;

    /// The root's visits, its visits in this search alone, and its value.
    fn root_stats(&self) -> (u64, u64, Reward);

    /// The frame in which `position` is stored: a graph that groups positions stores one image of each group.
    fn frame(&self, position: &G) -> ReferenceFrame {
        let _ = position;
        ReferenceFrame::default()
    }

    /// Visits each edge of `node`; moves are in the frame of that node's position.
    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>));

    /// Visits each edge of `node` in the order of [`Self::for_each_edge`], with its visits and child only. Cheaper for walks over
    /// the whole tree.
    fn for_each_child(&self, node: u32, visit: &mut dyn FnMut(u64, Option<u32>)) {
        self.for_each_edge(node, &mut |edge| visit(edge.visits, edge.child));
    }

    /// The mean of a node without visits, whoever moved there.
    fn unvisited_mean(&self) -> f64 {
        0.5
    }

    /// Number of nodes; `None` where they would have to be counted. Trees (not graphs) replayed from a growth journal
    /// know it, those of searches do not.
    fn node_count(&self) -> Option<u64> {
        None
    }

    /// True if a node may have several parents.
    fn is_graph(&self) -> bool {
        false
    }

    /// Statistics of the root that other nodes have on the edge leading to them.
    fn root_edge(&self) -> RootEdge;

    /// Bounds of the first player's margin that the search has proven for a node; `None` if it proves none.
    fn margin_bounds(&self, node: u32) -> Option<[i32; 2]> {
        let _ = node;
        None
    }
}

/// Tree of a search that may still be running.
pub trait LiveTree<G: Game>: TreeView<G> {
    /// A copy that can be read while the search continues; an error if there is no memory for it.
    fn copy(&self) -> io::Result<TreeCopy<G>>;
}

/// A copy of a search's tree, for another thread.
pub type TreeCopy<G> = Box<dyn TreeView<G> + Send>;

/// Edge statistics of the root, which no edge leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootEdge {
    /// Sum of squared rewards for the first player of the root's frame; NaN if the search keeps none.
    pub squares: f64,
    /// The root's transposition table entry, for stores with a bounded table.
    pub table: Option<TableEntry>,
    /// The proven result in the root's frame.
    pub proven: Option<Outcome>,
    /// What a search of the alpha-beta family found at the root.
    pub window: Option<WindowResult>,
}

impl Default for RootEdge {
    fn default() -> Self {
        Self {
            squares: f64::NAN,
            table: None,
            proven: None,
            window: None,
        }
    }
}

/// A position's entry in a bounded transposition table, shared by all paths to the position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableEntry {
    /// Number of rewards recorded.
    pub visits: u32,
    /// Mean reward for the first player of the node's frame.
    pub mean: f64,
    /// Sum of squared rewards for the same player; NaN if the search keeps none.
    pub squares: f64,
}

/// The transformation from a position on the board to its stored image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceFrame {
    /// Board symmetry; `None` for the identity.
    pub symmetry: Option<crate::games::Symmetry>,
    /// True if colours and side to move are exchanged.
    pub inverted: bool,
}

/// An edge of a search tree: a move, its statistics, and the child it leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeView<M> {
    /// The move, in the frame of the parent.
    pub mv: M,
    /// The child; `None` if the move was never followed.
    pub child: Option<u32>,
    /// Visits of the edge.
    pub visits: u64,
    /// Visits of the edge in this search alone.
    pub recent_visits: u64,
    /// Visits of the child by all edges that lead to it.
    pub node_visits: u64,
    /// Value of the child in the child's frame; [`Reward::EVEN`] if it was never visited.
    pub value: Reward,
    /// The proven result in the child's frame.
    pub proven: Option<Outcome>,
    /// True if alpha-beta cut the move off without searching it.
    pub pruned: bool,
    /// How likely the move is to be the best, as judged before any visit; none if the search has no such judgement.
    pub prior: Option<f64>,
    /// Sum of the child's squared rewards for the first player of its frame; not a number if the search keeps none.
    pub squares: f64,
    /// The child's transposition table entry; `None` without a bounded table and before the first visit.
    pub table: Option<TableEntry>,
    /// What a search of the alpha-beta family found at the child; `None` for other searches.
    pub window: Option<WindowResult>,
}
