//! The interface of node stores: the statistics of a tree, a graph, or a tree with a transposition table.
//!
//! In a tree (`tree_store`, the default) an edge is its child, frames are the identity, and what [`SharedNodes`] and
//! [`PositionTable`] offer is empty.

use std::io;

use super::{
    node_arena::Chunk,
    score_bounds::MarginBounds,
    select::{RawChildStats, RawChildStatsX4, from_fixed_point},
};
use crate::{
    games::{Game, Outcome, Player},
    machine::Lanes,
    search::{EdgeView, ReferenceFrame, RootEdge, Searchable, growth_records::GrowthBuffer},
};

/// One step of the path from the root to a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchStep {
    /// The edge that was followed, by the store's numbering; at the root the root node itself.
    pub(super) edge: usize,
    /// The node that the edge leads to.
    pub(super) node: u32,
    /// The player who made the move, in the frame of the parent node.
    pub(super) mover: Player,
    /// True if the node's frame has the colours of the root's frame exchanged.
    pub(super) flipped: bool,
}

/// A node's visit count and the range of its edges, read during selection.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildRange {
    /// Visits of the edge that led to the node.
    pub(super) edge_visits: u32,
    /// Visits of the node.
    pub(super) visits: u32,
    /// The node's first edge.
    pub(super) first: usize,
    /// Number of edges; 0 for a leaf.
    pub(super) count: usize,
}

/// Changes to a node's statistics: visits, and rewards for the first player of the root's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Update {
    /// Visits to add; negative to take back virtual visits that were not made.
    pub(super) visits: i64,
    /// Number of rewards in the sums.
    reward_count: u32,
    sum: u64,
    squares: u64,
}

impl Update {
    /// One visit and its reward.
    #[inline(always)]
    pub(super) fn new(reward: u64) -> Self {
        Self {
            visits: 1,
            reward_count: 1,
            sum: reward,
            squares: square_reward(reward),
        }
    }

    /// The reward of a visit that virtual loss has counted already.
    #[inline(always)]
    pub(super) fn reward_only(reward: u64) -> Self {
        Self {
            visits: 0,
            ..Self::new(reward)
        }
    }

    #[inline(always)]
    pub(super) fn merge(&mut self, other: &Self) {
        self.visits += other.visits;
        self.reward_count += other.reward_count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// Number of rewards, their sum, and the sum of their squares, for the first player.
    #[inline(always)]
    pub(super) fn reward_sums(&self) -> (u64, u64, u64) {
        (self.reward_count.into(), self.sum, self.squares)
    }

    /// Number of virtual visits that end with this update: those with a reward, and those that are taken back.
    #[inline(always)]
    pub(super) fn completed_visits(&self) -> u64 {
        (i64::from(self.reward_count) - self.visits) as u64
    }

    /// The sums of rewards and of their squares for `player`.
    #[inline(always)]
    pub(super) fn sums_for(&self, player: Player) -> (u64, u64) {
        sums_for_player(self.sum, self.squares, self.reward_count, player)
    }
}

/// The result of [`NodeStore::expand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expansion {
    /// The leaf has children now.
    Done,
    /// Another thread is expanding the leaf.
    Busy,
    /// There is no memory for the children.
    Full,
}

/// The result of [`SharedNodes::resolve_transposition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transposition {
    /// The position is new: the leaf may be expanded.
    Own,
    /// The position has this node already, to which the step leads from now on.
    Shared(u32),
    /// There is no memory for the index entry.
    Full,
}

/// What an expansion adds to a leaf.
#[derive(Clone, Copy)]
pub(super) struct NewChildren<'a, G: Game> {
    /// The position at the leaf.
    pub(super) position: &'a G,
    /// The moves that become children.
    pub(super) moves: &'a [G::Move],
    /// One value per move if [`NodeStore::HOLDS_PRIORS`]; not read otherwise.
    pub(super) priors: &'a [f64],
}

/// What every node store offers. Stores are shared between threads: all operations of a running search take `&self`.
pub(super) trait NodeStore<G: Searchable>: Send + Sync + Sized + 'static {
    /// Removes all nodes but a new root for `root`.
    fn reset(&mut self, root: &G);

    /// Makes the child reached by `mv` the root and keeps its subtree. False, and nothing is changed, if there is no such node or
    /// not enough memory.
    fn advance(&mut self, root: &G, mv: G::Move) -> bool;

    /// Marks all visits so far as inherited, so that those of the next search can be told apart. False if there is not enough
    /// memory.
    fn mark_inherited(&mut self) -> bool;

    /// Words of memory that were requested and that the system refused.
    fn missing_words(&self) -> usize;

    /// The root node.
    fn root(&self) -> u32;

    /// Set before a search: true if more than one thread will use the store.
    fn set_parallel(&mut self, parallel: bool);

    /// Visits of a node.
    fn visits(&self, node: u32) -> u32;

    /// The first edge of a node and the number of its edges, which are consecutive; 0 for a leaf.
    fn edges(&self, node: u32) -> (usize, usize);

    /// What selection reads of the node that a step led to.
    fn child_range(&self, step: &SearchStep) -> ChildRange;

    /// Emits the records of all nodes and statistics that exist before a search.
    fn record_inherited(&self, growth: &mut GrowthBuffer<'_>);

    /// Statistics of the root that [`Self::root_stats`] does not have.
    fn root_edge(&self) -> RootEdge;

    /// A read-only copy, for [`LiveTree::copy`](crate::search::LiveTree::copy); an error if there is not enough memory.
    fn try_clone(&self) -> io::Result<Self>;

    /// The move of an edge, in the frame of its parent node.
    fn move_of(&self, edge: usize) -> G::Move;

    /// Visits of an edge.
    fn edge_visits(&self, edge: usize) -> u32;

    /// The statistics of an edge and its node, with rewards for `mover`, the player to move at the parent.
    fn child_stats(&self, edge: usize, mover: Player) -> RawChildStats;

    /// [`Self::child_stats`] of four consecutive edges of a node.
    #[inline(always)]
    fn child_stats_x4<L: Lanes>(&self, first: usize, mover: Player) -> RawChildStatsX4<L> {
        RawChildStatsX4::new([0, 1, 2, 3].map(|lane| self.child_stats(first + lane, mover)))
    }

    /// The proven result of a node, in its own frame.
    fn proven(&self, node: u32) -> Option<Outcome>;

    /// The proven result behind an edge, in the frame of its parent node.
    fn edge_proven(&self, edge: usize) -> Option<Outcome>;

    /// Sets the proven result of a node, in its own frame.
    fn set_proven(&self, node: u32, outcome: Outcome);

    /// True if the store keeps bounds of margins.
    fn keeps_score_bounds(&self) -> bool {
        false
    }

    /// The bounds of a node's margin, for the first player.
    fn score_bounds(&self, node: u32) -> MarginBounds {
        let _ = node;
        MarginBounds::UNKNOWN
    }

    /// Adds what is known of a node's margin; true if that was new.
    fn tighten_score_bounds(&self, node: u32, bounds: MarginBounds) -> bool {
        let _ = (node, bounds);
        false
    }

    /// True if every edge has a prior.
    const HOLDS_PRIORS: bool = false;

    /// Adds children to the leaf that a step led to.
    fn expand(&self, at: &SearchStep, new: NewChildren<'_, G>, chunk: &mut Chunk) -> Expansion;

    /// Plays the move of an edge in `position`, which becomes the child's position in the child's frame. Returns the child and
    /// whether colours are exchanged; two plain values, which stay in registers.
    fn follow(&self, edge: usize, position: &mut G) -> (u32, bool);

    /// Adds virtual loss during selection: visits without rewards, which make other threads prefer other children.
    fn add_virtual_loss(&self, step: &SearchStep, visits: u32);

    /// Adds visits and rewards during backpropagation.
    fn apply(&self, step: &SearchStep, update: &Update);

    /// Adds a visit and its reward to all steps of a path. Only for a single thread: without virtual loss.
    #[inline(always)]
    fn backpropagate(&self, path: &[SearchStep], reward: u64) {
        let update = Update::new(reward);
        for step in path {
            self.apply(step, &update);
        }
    }

    /// Words of memory in use, and the number of edges stored in them.
    fn usage(&self) -> (usize, u64);

    /// An edge and its statistics, for reports and for files.
    fn edge_view(&self, edge: usize) -> EdgeView<G::Move>;

    /// The root's visits, those of this search among them, and its mean for the first player of its frame.
    fn root_stats(&self) -> (u64, u64, f64);
}

/// What graphs add to [`NodeStore`]: nodes with several parents, in reference frames. Trees take the defaults.
pub(super) trait SharedNodes<G: Searchable>: NodeStore<G> {
    /// True if a node may have several incoming edges; otherwise an edge and its node have the same number.
    const IS_GRAPH: bool = false;

    /// The transformation from the parent's frame to the child's: symmetry in bits 0-2, colours exchanged in bit 3.
    fn frame_bits(&self, edge: usize) -> u32 {
        let _ = edge;
        0
    }

    /// The reference frame in which a position is stored.
    fn frame(&self, position: &G) -> ReferenceFrame {
        let _ = position;
        ReferenceFrame::default()
    }

    /// True if an edge of a graph has not been linked to a node yet.
    fn is_unlinked(&self, edge: usize) -> bool {
        let _ = edge;
        false
    }

    /// [`NodeStore::follow`] for an edge that this thread has not followed before; `mv` is its move.
    #[inline(always)]
    fn follow_new(&self, edge: usize, mv: G::Move, position: &mut G) -> (u32, bool) {
        let _ = mv;
        self.follow(edge, position)
    }

    /// Looks up the position of a leaf before it is expanded. If another node has the same position, the edge is linked to that
    /// node.
    #[inline(always)]
    fn resolve_transposition(&self, step: &SearchStep, position: &G) -> Transposition {
        let _ = (step, position);
        Transposition::Own
    }
}

/// What a store with a transposition table adds to [`NodeStore`]. Others take the defaults.
pub(super) trait PositionTable<G: Searchable>: NodeStore<G> {
    /// True if means come from a transposition table.
    const HAS_TABLE: bool = false;

    /// Emits the table entry of a node that is about to be visited for the first time.
    fn record_table_entry(&self, node: u32, growth: &mut GrowthBuffer<'_>) {
        let _ = (node, growth);
    }

    /// Entries of the table, and entries requested; `None` without a table.
    fn table_entries(&self) -> Option<(u64, u64)> {
        None
    }
}

/// Everything that a search needs of its store.
pub(super) trait SearchStore<G: Searchable>: SharedNodes<G> + PositionTable<G> {}

impl<G: Searchable, T: SharedNodes<G> + PositionTable<G>> SearchStore<G> for T {}

/// The square of a reward, both in units of 2^-32.
#[inline(always)]
pub fn square_reward(reward: u64) -> u64 {
    ((u128::from(reward) * u128::from(reward)) >> 32) as u64
}

/// Converts sums of rewards and of squared rewards from the first player to `player`. Exact and its own inverse, so sums may be
/// stored for either player.
#[inline(always)]
pub(super) fn sums_for_player(sum: u64, squares: u64, visits: u32, player: Player) -> (u64, u64) {
    match player {
        Player::First => (sum, squares),
        // The sums of 1 - x and of (1 - x)^2.
        Player::Second => {
            let all = u64::from(visits) << 32;
            (
                all.wrapping_sub(sum),
                all.wrapping_sub(2 * sum).wrapping_add(squares),
            )
        }
    }
}

/// [`sums_for_player`] for four nodes. A lane of `turned` is all ones for the second player and 0 for the first.
#[inline(always)]
pub(super) fn sums_for_player_x4<L: Lanes>(sum: L, squares: L, visits: L, turned: L) -> (L, L) {
    let all = (visits << L::splat(32)) & turned;
    let negated = (sum ^ turned) - turned;
    let twice = (sum + sum) & turned;
    (all + negated, all - twice + squares)
}

/// The mean reward for the first player; 0.5 without visits.
pub(super) fn mean(sum: u64, visits: u32) -> f64 {
    if visits == 0 {
        0.5
    } else {
        from_fixed_point(sum) / f64::from(visits)
    }
}

/// A result as two bits; 0 stands for none.
#[inline(always)]
pub(in crate::search) fn outcome_to_bits(outcome: Outcome) -> u64 {
    match outcome {
        Outcome::Win(Player::First) => 1,
        Outcome::Win(Player::Second) => 2,
        Outcome::Draw => 3,
    }
}

#[inline(always)]
pub(in crate::search) fn outcome_from_bits(bits: u64) -> Option<Outcome> {
    match bits & 3 {
        1 => Some(Outcome::Win(Player::First)),
        2 => Some(Outcome::Win(Player::Second)),
        3 => Some(Outcome::Draw),
        _ => None,
    }
}

/// A result with the players exchanged.
#[inline(always)]
pub(super) fn swap_players(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Win(player) => Outcome::Win(player.opponent()),
        Outcome::Draw => Outcome::Draw,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            bounded_store::BoundedStore, graph_store::GraphStore, node_sharing::*,
            playout::to_fixed_point, select::RawChildStatsX4, tree_store::TreeStore,
        },
        *,
    };
    use crate::{games::othello::Othello, machine::ScalarLanes};

    /// Walks to each of the root's children and demands that visits which are under way are losses for the player who
    /// moved there, and that nothing of them is left when their rewards have come.
    fn check_virtual_loss<T: SearchStore<Othello>>(mut store: T, root: &Othello) {
        store.set_parallel(true);
        store.reset(root);
        let chunk = &mut Chunk::for_parallel_worker();
        let mover = root.to_move();
        let top = SearchStep {
            edge: store.root() as usize,
            node: store.root(),
            mover: mover.opponent(),
            flipped: false,
        };
        let mut moves = Vec::new();
        root.legal_moves(&mut moves);
        let new = NewChildren {
            position: root,
            moves: &moves,
            priors: &[],
        };
        assert_eq!(store.expand(&top, new, chunk), Expansion::Done);
        let (first, count) = store.edges(store.root());
        for (edge, &mv) in (first..first + count).zip(&moves) {
            let mut position = *root;
            let (node, flipped) = store.follow_new(edge, mv, &mut position);
            let step = SearchStep {
                edge,
                node,
                mover,
                flipped,
            };
            let apply = |rewards: &[f64]| {
                for &reward in rewards {
                    store.apply(&step, &Update::reward_only(to_fixed_point(reward)));
                }
            };
            store.add_virtual_loss(&step, 2);
            apply(&[0.75, 0.25]);
            let before = store.child_stats(edge, mover);
            store.add_virtual_loss(&step, 3);
            let during = store.child_stats(edge, mover);
            let expected = RawChildStats {
                edge_visits: before.edge_visits + 3,
                visits: before.visits + 3,
                ..before
            };
            assert_eq!(during, expected, "{mv:?}");
            // The copies that selection reads agree with the node's statistics.
            let start = edge.min(first + count - 4);
            let four: RawChildStatsX4<ScalarLanes> = store.child_stats_x4(start, mover);
            let lane = edge - start;
            let seen = [four.visits, four.sum, four.squares].map(|lanes| lanes.to_array()[lane]);
            let expected = [during.visits.into(), during.sum, during.squares];
            assert_eq!(seen, expected, "{mv:?}");
            // Two come back, and one is not made after all.
            apply(&[1.0, 1.0]);
            let mut given_up = Update::default();
            given_up.visits -= 1;
            store.apply(&step, &given_up);
            let (sum, squares) =
                sums_for_player(2 * to_fixed_point(1.0), 2 * to_fixed_point(1.0), 2, mover);
            let after = RawChildStats {
                edge_visits: before.edge_visits + 2,
                visits: before.visits + 2,
                sum: before.sum + sum,
                squares: before.squares + squares,
                ..before
            };
            assert_eq!(store.child_stats(edge, mover), after, "{mv:?}");
        }
    }

    #[test]
    fn a_visit_under_way_is_a_loss_for_the_player_who_chose() {
        let mut root = Othello::start(());
        let mut moves = Vec::new();
        for ply in 0..12 {
            root.legal_moves(&mut moves);
            root.play(moves[(ply * 7 + 1) % moves.len()]);
            root.legal_moves(&mut moves);
            if moves.len() < 4 {
                continue;
            }
            check_virtual_loss(TreeStore::<true>::new(1 << 20), &root);
            check_virtual_loss(BoundedStore::<true>::new(1 << 20, 1000, true), &root);
            for grouping in [Grouping::None, Grouping::Dihedral] {
                for invert_colours in [false, true] {
                    let sharing = Sharing {
                        transpositions: true,
                        grouping,
                        invert_colours,
                    };
                    let framed = if sharing.has_grouping() {
                        sharing.canonical(&root).0
                    } else {
                        root
                    };
                    check_virtual_loss(GraphStore::<true>::new(1 << 20, sharing), &framed);
                }
            }
        }
    }
}
