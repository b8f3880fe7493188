//! Searches: how they are asked, how they answer, and what they show of what they did.
//!
//! A search blocks, reports on the way if asked to, answers with a [`BestMove`], and repeats itself under one seed. It never
//! prints, reads no clock but [`budget`]'s, and knows no game by name (those that do live in a folder of that game).

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::games::{Evaluate, Game, History, Outcome, Player, Symmetric};

mod alpha_beta;
pub mod budget;
pub mod classical;
pub mod connect_four;
pub mod greedy;
pub mod growth_records;
pub mod mcts;
mod minimax;
pub mod othello;
pub mod random;
mod tree_recorder;

/// What a game must be able to do to be searched: no text.
pub trait Searchable: Game + Evaluate + Symmetric {}

impl<G: Game + Evaluate + Symmetric> Searchable for G {}

/// The expected result for the first player: 0 lost, 1 won. Turn it round only with [`Self::for_player`].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Reward(f64);

impl Reward {
    /// Nobody is ahead.
    pub const EVEN: Self = Self(0.5);

    /// What the first player can expect.
    pub fn new(first: f64) -> Self {
        Self(first)
    }

    /// The expectation of `player`, as the first player's.
    pub fn from_player(player: Player, value: f64) -> Self {
        Self(flip_perspective(value, player))
    }

    /// What a finished game is worth.
    pub fn from_outcome(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win(Player::First) => Self(1.0),
            Outcome::Win(Player::Second) => Self(0.0),
            Outcome::Draw => Self::EVEN,
        }
    }

    /// What `player` can expect.
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

/// When to stop; the first limit reached counts. No limit at all means until stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchLimits {
    /// Completed playouts. Searches without playouts take it as a limit of nodes.
    pub iterations: Option<u64>,
    /// Nodes visited. Searches with playouts take it as a limit of iterations.
    pub nodes: Option<u64>,
    /// Plies looked ahead. Searches with playouts stop when their principal variation is so long.
    pub depth: Option<u32>,
    /// Time.
    pub time: Option<Duration>,
}

impl SearchLimits {
    /// A number of iterations and nothing else.
    pub fn iterations(count: u64) -> Self {
        Self {
            iterations: Some(count),
            ..Self::default()
        }
    }

    /// A depth and nothing else.
    pub fn depth(plies: u32) -> Self {
        Self {
            depth: Some(plies),
            ..Self::default()
        }
    }

    /// These limits, or if there are none at all the given ones.
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

    /// The limit of nodes or iterations, whichever is smaller: for a search that makes no difference between them.
    pub fn node_limit(&self) -> Option<u64> {
        match (self.iterations, self.nodes) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }
}

/// Tells a running search to stop. Cheap to clone; obeyed within a millisecond or so.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    #[inline(always)]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is to be searched.
pub struct SearchTask<'a, G: Game> {
    /// The position, which is never a finished game.
    pub root: &'a G,
    /// The positions the game has passed through, the root included.
    pub history: &'a History,
    /// The moves to choose among; none for all legal ones. Never an empty list.
    pub search_moves: Option<&'a [G::Move]>,
    /// How many of the best moves are to have exact values; 1 or more.
    pub multi_pv: usize,
    /// When to stop.
    pub limits: &'a SearchLimits,
    /// Stops it from outside.
    pub stop: &'a StopFlag,
    /// Hears how the search is getting on; nobody if none.
    pub reports: Option<ReportCallback<'a, G>>,
    /// Looks at the tree while it grows; never if none.
    pub snapshots: Option<SnapshotCallback<'a, G>>,
    /// Hears how the tree grows, iteration by iteration, from searches with playouts.
    pub observer: Option<&'a dyn growth_records::GrowthObserver>,
}

impl<'a, G: Game> SearchTask<'a, G> {
    /// A search of all moves that nobody watches.
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
            stop,
            reports: None,
            snapshots: None,
            observer: None,
        }
    }
}

/// Somebody who hears how a search is getting on.
pub struct ReportCallback<'a, G: Game> {
    /// How often.
    pub interval: Duration,
    /// Hears what is known so far.
    pub callback: &'a mut (dyn FnMut(&SearchReport<G::Move>) + 'a),
}

impl<'a, G: Game> ReportCallback<'a, G> {
    /// The same for a task that does not last as long.
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

/// Somebody who looks at a tree while it grows.
pub struct SnapshotCallback<'a, G: Game> {
    /// How often.
    pub interval: Duration,
    /// Is shown the tree; the search waits meanwhile.
    pub callback: &'a mut SnapshotFn<'a, G>,
}

/// Looks at a growing tree and at what the search knows.
pub type SnapshotFn<'a, G> = dyn FnMut(&dyn LiveTree<G>, &SearchReport<<G as Game>::Move>) + 'a;

impl<'a, G: Game> SnapshotCallback<'a, G> {
    /// The same for a task that does not last as long.
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

/// What a search knows, on the way or at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport<M> {
    /// Completed playouts; 0 for searches without playouts.
    pub iterations: u64,
    /// Positions visited below the root, as report 003 counts them; playouts, for searches with playouts.
    pub nodes: u64,
    /// Positions evaluated, as report 004 counts them; 0 for searches with playouts.
    pub leaves: u64,
    /// Plies looked ahead: the last finished depth, or the length of the principal variation.
    pub depth: u32,
    /// What the root is worth.
    pub value: Reward,
    /// Every move at the root, the best first.
    pub root_moves: Vec<RootMove<M>>,
    /// Moves kept in memory with their statistics; 0 for searches that keep none.
    pub stored_moves: u64,
    /// Bytes that they take.
    pub memory_bytes: u64,
    /// Whether memory ran out, so that the tree stopped growing.
    pub memory_full: bool,
}

impl<M: Copy> SearchReport<M> {
    /// The line both sides are expected to play; empty if nothing is known yet.
    pub fn pv(&self) -> &[M] {
        self.root_moves.first().map_or(&[], |best| &best.pv)
    }
}

/// What a search thinks of one move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// How much of the search went into it: playouts or nodes.
    pub visits: u64,
    /// What it is worth.
    pub value: Reward,
    /// Its value for the player to move, in the units of the evaluation; for searches that have one.
    pub score: Option<i32>,
    /// The result it certainly leads to, where that is known.
    pub proven: Option<Outcome>,
    /// The move and what is expected to follow.
    pub pv: Vec<M>,
}

/// What a search chose, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct BestMove<M> {
    /// The move.
    pub mv: M,
    /// What was known when it was chosen.
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
/// let tree = snapshot::take(&*live.snapshot()?, &SnapshotOptions::default())?.tree;
/// let sizes = tree.subtree_sizes();
/// let visits: i32 = tree.children(0, &sizes).map(|row| tree.nodes()[row].visits).sum();
/// assert!(tree.nodes()[0].visits >= visits);
/// # Ok(())
/// # }
/// ```
pub trait Search<G: Game>: Send {
    /// Searches, and blocks until a limit is reached or the flag is set. Always answers with a legal move.
    fn search(&mut self, task: SearchTask<'_, G>) -> BestMove<G::Move>;

    /// The game went on with `mv`; what is known of the position after it may be kept.
    fn advance(&mut self, mv: G::Move) {
        let _ = mv;
    }

    /// Forgets everything: another game begins.
    fn clear(&mut self) {}

    /// Other random numbers from the next search on.
    fn reseed(&mut self, seed: u64);

    /// What it has less of than was asked for, because there is not enough memory.
    fn shortfalls(&self) -> Vec<Shortfall> {
        Vec::new()
    }

    /// The tree or graph the last search grew, if it grows one.
    fn tree(&self) -> Option<&dyn LiveTree<G>> {
        None
    }
}

/// Something a search has less of than was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortfall {
    /// Memory, in bytes: the system refused the rest.
    Memory {
        /// What there is.
        bytes: u64,
        /// What was asked for.
        wanted: u64,
    },
    /// Entries of a table.
    Entries {
        /// What there is.
        entries: u64,
        /// What was asked for.
        wanted: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// Slots for replies to two moves, of each thread.
    Replies {
        /// What there is.
        slots: u64,
        /// What would be of use.
        wanted: u64,
        /// The limit, in bytes.
        limit: u64,
    },
}

impl Shortfall {
    /// Whether there is really less than was asked for.
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

/// What may be asked of a grown tree or graph.
pub trait TreeView<G: Game> {
    /// The position at its root.
    fn root_position(&self) -> &G;

    /// The root.
    fn root(&self) -> u32;

    /// Visits of the root, those of this search alone, and the root's value.
    fn root_stats(&self) -> (u64, u64, Reward);

    /// The frame in which `position` is kept: where positions are grouped, a position is stored as one of its images.
    fn frame(&self, position: &G) -> ReferenceFrame {
        let _ = position;
        ReferenceFrame::default()
    }

    /// Calls `visit` for each move at `node`, in the frame of that node's position.
    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>));

    /// Calls `visit` with the visits of each move at `node` and the node it leads to, in the order of [`Self::for_each_edge`]: for
    /// those who want to know nothing else, and much of it.
    fn for_each_child(&self, node: u32, visit: &mut dyn FnMut(u64, Option<u32>)) {
        self.for_each_edge(node, &mut |edge| visit(edge.visits, edge.child));
    }

    /// How many nodes there are, if that is known without counting them; none for graphs.
    fn node_count(&self) -> Option<u64> {
        None
    }

    /// Whether a node may be reached in more ways than one.
    fn is_graph(&self) -> bool {
        false
    }

    /// What the root knows beside its figures, as the edges of other nodes have it.
    fn root_edge(&self) -> RootEdge;
}

/// A tree that a search may go on growing.
pub trait LiveTree<G: Game>: TreeView<G> {
    /// The tree as it is now, to be looked at while the search goes on; an error if there is no memory for it.
    fn snapshot(&self) -> io::Result<Box<dyn TreeView<G> + Send>>;
}

/// What is known of a root that no move led to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootEdge {
    /// Sum of squared rewards for the first player of the root's frame; not a number if the search keeps none.
    pub squares: f64,
    /// The root's entry in a table of positions, if there is one.
    pub table: Option<TableEntry>,
    /// The certain result in the root's frame, where it is known.
    pub proven: Option<Outcome>,
}

impl Default for RootEdge {
    fn default() -> Self {
        Self {
            squares: f64::NAN,
            table: None,
            proven: None,
        }
    }
}

/// What a table of positions knows of a node's position, whatever way led to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableEntry {
    /// How many rewards it was told.
    pub visits: u32,
    /// Their mean for the first player of the node's frame.
    pub mean: f64,
    /// The sum of their squares for the same player; not a number if the search keeps none.
    pub squares: f64,
}

/// How a stored position comes from the one on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceFrame {
    /// The board is seen through this symmetry; none for the identity.
    pub symmetry: Option<crate::games::Symmetry>,
    /// The colours and the side to move are exchanged.
    pub inverted: bool,
}

/// A move in a grown tree, and the node it leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeView<M> {
    /// The move, in the frame of the node it is made at.
    pub mv: M,
    /// The node it leads to; none if it was never followed.
    pub child: Option<u32>,
    /// How often it was followed.
    pub visits: u64,
    /// How often in this search alone.
    pub recent_visits: u64,
    /// How often the child was visited, by this move or others.
    pub node_visits: u64,
    /// What the child is worth, in the child's frame; even if it was never visited.
    pub value: Reward,
    /// The certain result, in the child's frame, where it is known.
    pub proven: Option<Outcome>,
    /// Whether the move was left out because it could not matter any more (alpha-beta).
    pub pruned: bool,
    /// How likely the move is to be the best, as judged before any visit; none if the search has no such judgement.
    pub prior: Option<f64>,
    /// Sum of the child's squared rewards for the first player of its frame; not a number if the search keeps none.
    pub squares: f64,
    /// The entry of the child's position in a table of positions, if there is one and the child was visited.
    pub table: Option<TableEntry>,
}
