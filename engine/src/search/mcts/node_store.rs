//! Where statistics live: what the loop asks of a tree, a graph, or a tree with a table.

use std::io;

use super::{
    node_arena::Chunk,
    select::{RawChildStats, RawChildStatsX4, from_fixed_point},
};
use crate::{
    games::{Outcome, Player},
    machine::Lanes,
    search::{EdgeView, ReferenceFrame, RootEdge, Searchable, growth_records::GrowthBuffer},
};

/// One step of the way from the root to a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchStep {
    /// The move that was followed, as the store numbers them; at the root the root itself.
    pub(super) edge: usize,
    /// The node it led to, by its own name.
    pub(super) node: u32,
    /// Who made the move, in the frame of the node before.
    pub(super) mover: Player,
    /// Whether the colours at the node are those of the root exchanged.
    pub(super) flipped: bool,
}

/// What the way down wants to know of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildRange {
    /// How often its move was chosen.
    pub(super) edge_visits: u32,
    /// The visits of the node it leads to.
    pub(super) visits: u32,
    /// The first of the node's moves.
    pub(super) first: usize,
    /// How many there are.
    pub(super) count: usize,
}

/// What a node is to be told: rewards for the first player of the root, and how many visits they came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Update {
    /// Visits that are not counted yet; below 0 for visits that were counted and not made.
    pub(super) visits: i64,
    /// Rewards that are not added yet.
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

    /// One reward of a visit that is counted already.
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

    /// How many rewards, their sum, and the sum of their squares, for the first player.
    #[inline(always)]
    pub(super) fn reward_sums(&self) -> (u64, u64, u64) {
        (self.reward_count.into(), self.sum, self.squares)
    }

    /// How many of the visits that were counted on the way down are over by this: those that brought a reward, and those
    /// that were not made after all.
    #[inline(always)]
    pub(super) fn completed_visits(&self) -> u64 {
        (i64::from(self.reward_count) - self.visits) as u64
    }

    /// The sums of rewards and of their squares, seen by `player`.
    #[inline(always)]
    pub(super) fn sums_for(&self, player: Player) -> (u64, u64) {
        sums_for_player(self.sum, self.squares, self.reward_count, player)
    }
}

/// What came of an attempt to give a leaf its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expansion {
    /// It has them now.
    Done,
    /// Another thread is at it.
    Busy,
    /// There is no memory for them.
    Full,
}

/// What came of a leaf's wish to be expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transposition {
    /// It may be.
    Own,
    /// The step leads to this node, where its position is known.
    Shared(u32),
    /// There is no memory for it.
    Full,
}

/// A store of statistics, shared between threads: what every store has. Everything that may happen while threads are at work takes `&self`.
pub(super) trait NodeStore<G: Searchable>: Send + Sync + Sized + 'static {
    /// Forgets everything and puts `root` at the root.
    fn reset(&mut self, root: &G);

    /// Makes the position after `mv` the root, if it is known and there is memory to do so; false if not, and nothing is
    /// changed.
    fn advance(&mut self, root: &G, mv: G::Move) -> bool;

    /// Calls all visits so far inherited: those of the coming search are counted beside them. False if there is no memory to
    /// do so.
    fn mark_inherited(&mut self) -> bool;

    /// Words of memory that were asked for and that the system refused.
    fn missing_words(&self) -> usize;

    /// The root.
    fn root(&self) -> u32;

    /// Whether more than one thread is going to work.
    fn set_parallel(&mut self, parallel: bool);

    /// The visits of a node.
    fn visits(&self, node: u32) -> u32;

    /// The first of a node's moves and their number; 0 for a leaf. They are numbered one after the other.
    fn edges(&self, node: u32) -> (usize, usize);

    /// All that is wanted on the way down.
    fn child_range(&self, step: &SearchStep) -> ChildRange;

    /// Tells all that is known before a search begins.
    fn record_inherited(&self, growth: &mut GrowthBuffer<'_>);

    /// What is known of the root beside its figures.
    fn root_edge(&self) -> RootEdge;

    /// The store as it is now, only to be looked at; an error if there is no memory for it.
    fn try_clone(&self) -> io::Result<Self>;

    /// The move, in the frame of the node it is made at.
    fn move_of(&self, edge: usize) -> G::Move;

    /// How often a move was chosen.
    fn edge_visits(&self, edge: usize) -> u32;

    /// What the parent knows of a move when `mover` chooses.
    fn child_stats(&self, edge: usize, mover: Player) -> RawChildStats;

    /// The same of four moves of a node, from `first` on.
    #[inline(always)]
    fn child_stats_x4<L: Lanes>(&self, first: usize, mover: Player) -> RawChildStatsX4<L> {
        RawChildStatsX4::new([0, 1, 2, 3].map(|lane| self.child_stats(first + lane, mover)))
    }

    /// The certain result at a node, in its own frame.
    fn proven(&self, node: u32) -> Option<Outcome>;

    /// The certain result behind a move, in the frame of the node it is made at.
    fn edge_proven(&self, edge: usize) -> Option<Outcome>;

    /// Notes a certain result at a node, in its own frame.
    fn set_proven(&self, node: u32, outcome: Outcome);

    /// Whether it keeps a prior with every move.
    const HOLDS_PRIORS: bool = false;

    /// Gives the leaf that a step led to its children. `priors` has one for each of them if the store keeps them, else it
    /// may be empty.
    fn expand(
        &self,
        at: &SearchStep,
        position: &G,
        moves: &[G::Move],
        priors: &[f64],
        chunk: &mut Chunk,
    ) -> Expansion;

    /// Plays the move of an edge in `position`, which becomes the position of the node it leads to, in that node's
    /// frame; the node, and whether colours are exchanged on the way. (Two plain values, which stay in registers.)
    fn follow(&self, edge: usize, position: &mut G) -> (u32, bool);

    /// Counts visits on the way down, before their rewards are known: other threads are put off by them.
    fn add_virtual_loss(&self, step: &SearchStep, visits: u32);

    /// Adds visits and rewards on the way up.
    fn apply(&self, step: &SearchStep, update: &Update);

    /// Adds a visit and its reward to all steps of a path, for a thread that works alone.
    #[inline(always)]
    fn backpropagate(&self, path: &[SearchStep], reward: u64) {
        let update = Update::new(reward);
        for step in path {
            self.apply(step, &update);
        }
    }

    /// Words of memory in use, and how many moves with their statistics are stored in them.
    fn usage(&self) -> (usize, u64);

    /// The move of an edge and all there is to know, for those who look on.
    fn edge_view(&self, edge: usize) -> EdgeView<G::Move>;

    /// Visits of the root in all and in this search, and the root's value for the first player of its frame.
    fn root_stats(&self) -> (u64, u64, f64);
}

/// What only graphs have. A store in which one move alone leads to each node takes the defaults.
pub(super) trait SharedNodes<G: Searchable>: NodeStore<G> {
    /// Whether a node may be reached in more ways than one; if not, a move and the node behind it have the same number.
    const IS_GRAPH: bool = false;

    /// How the frame of the node behind a move comes from the one before: the symmetry in bits 0-2, colours exchanged in
    /// bit 3.
    fn frame_bits(&self, edge: usize) -> u32 {
        let _ = edge;
        0
    }

    /// The frame in which a position is kept.
    fn frame(&self, position: &G) -> ReferenceFrame {
        let _ = position;
        ReferenceFrame::default()
    }

    /// In a graph, whether it is not known yet where a move leads.
    fn is_unlinked(&self, edge: usize) -> bool {
        let _ = edge;
        false
    }

    /// [`NodeStore::follow`] for a move that was never followed, at least by this thread: `mv`.
    #[inline(always)]
    fn follow_new(&self, edge: usize, mv: G::Move, position: &mut G) -> (u32, bool) {
        let _ = mv;
        self.follow(edge, position)
    }

    /// To be asked before the leaf that a step led to is expanded. Where equal positions share a node, the step may lead to
    /// another node from now on.
    #[inline(always)]
    fn resolve_transposition(&self, step: &SearchStep, position: &G) -> Transposition {
        let _ = (step, position);
        Transposition::Own
    }
}

/// What only a store has whose means come from a table of positions. Others take the defaults.
pub(super) trait PositionTable<G: Searchable>: NodeStore<G> {
    /// Whether means come from a table of positions.
    const HAS_TABLE: bool = false;

    /// Tells which entry of the table a node has that is visited for the first time, and what is in it already.
    fn record_table_entry(&self, node: u32, growth: &mut GrowthBuffer<'_>) {
        let _ = (node, growth);
    }

    /// How many entries its table has and how many were asked for, if it has one.
    fn table_entries(&self) -> Option<(u64, u64)> {
        None
    }
}

/// A store that a search can grow.
pub(super) trait SearchStore<G: Searchable>: SharedNodes<G> + PositionTable<G> {}

impl<G: Searchable, T: SharedNodes<G> + PositionTable<G>> SearchStore<G> for T {}

/// The square of a reward, as a whole number.
#[inline(always)]
pub fn square_reward(reward: u64) -> u64 {
    ((u128::from(reward) * u128::from(reward)) >> 32) as u64
}

/// A sum of rewards for the first player over so many visits, and the sum of their squares, seen by `player`. Exact, so
/// that it does not matter for whom a sum is kept.
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

/// The same for four nodes. `turned` is all ones for one that is seen by the second player, and 0 for one that is not.
#[inline(always)]
pub(super) fn sums_for_player_x4<L: Lanes>(sum: L, squares: L, visits: L, turned: L) -> (L, L) {
    let all = (visits << L::splat(32)) & turned;
    let negated = (sum ^ turned) - turned;
    let twice = (sum + sum) & turned;
    (all + negated, all - twice + squares)
}

/// The mean of rewards for the first player; even if there are none.
pub(super) fn mean(sum: u64, visits: u32) -> f64 {
    if visits == 0 {
        0.5
    } else {
        from_fixed_point(sum) / f64::from(visits)
    }
}

/// Results as two bits; 0 is none.
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
    use crate::{
        games::{Game as _, othello::Othello},
        machine::ScalarLanes,
    };

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
        assert_eq!(
            store.expand(&top, root, &moves, &[], chunk),
            Expansion::Done
        );
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
            // The copies that the way down looks at say the same, as far as they are of this move.
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
