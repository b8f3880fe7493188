//! The plain tree: nodes of three words in one arena, children side by side.
//!
//! ```text
//! word 0   visits (low half), visits before this search (high half)
//! word 1   sum of rewards for the player who moved here, 1 being 2^32
//! then     sum of squared rewards, where the formula wants it
//! then     first child (bits 0-31), number of children (32-43; 0 for a leaf, all ones while a thread expands it),
//!          move (44-58), who made it (59), certain result (60-61)
//! last     key of the position, where a table wants it
//! ```

use std::{io, sync::atomic::Ordering};

use super::{
    arena::{Arena, Plot, add},
    select::{Four, Tally, as_rewards},
    store::{
        Expansion, News, Outlook, Step, Store, mean, outcome_bits, outcome_of_bits, sums_seen_by,
    },
};
use crate::{
    games::{Outcome, Player},
    machine::Lanes,
    search::{
        Edge, Frame, Reward, RootEdge, Searchable,
        growth::{Record, TAGS, Teller},
    },
};

const VISITS: usize = 0;
const SUM: usize = 1;
const SQUARES_WORD: usize = 2;
/// The bits of the shape that tell of children, and what they say while a thread makes them.
const CHILDREN: u64 = (1 << MOVE_BIT) - 1;
const BUSY: u64 = (MOST_CHILDREN + 1) << 32;
const MOST_CHILDREN: u64 = (1 << 12) - 2;
const MOVE_BIT: u32 = 44;
const MOVE_BITS: u32 = 15;
const MOVER_BIT: u32 = MOVE_BIT + MOVE_BITS;
const PROVEN_BIT: u32 = MOVER_BIT + 1;
/// Set in the shape of nodes that stay, only while others are thrown away.
const KEPT: u64 = 1 << (PROVEN_BIT + 2);

/// A tree of statistics.
pub(super) struct Tree<const SQUARES: bool, const KEYED: bool = false> {
    arena: Arena,
    parallel: bool,
}

impl<const SQUARES: bool, const KEYED: bool> Tree<SQUARES, KEYED> {
    const WORDS: usize = 3 + SQUARES as usize + KEYED as usize;
    const SHAPE: usize = 2 + SQUARES as usize;
    const KEY: usize = Self::WORDS - 1;

    /// A tree that never takes more than so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        // Node numbers have 32 bits, and the last few of those mean something else to who hears of them.
        let nodes = (bytes / 8 / Self::WORDS).clamp(1, TAGS as usize);
        Self {
            arena: Arena::new(nodes * Self::WORDS),
            parallel: false,
        }
    }

    #[inline(always)]
    fn word(node: u32) -> usize {
        node as usize * Self::WORDS
    }

    /// The key of a node's position.
    #[inline(always)]
    pub(super) fn key(&self, node: u32) -> u64 {
        self.arena.get(Self::word(node) + Self::KEY)
    }

    /// What a node knows, for the player who moved there.
    #[inline(always)]
    pub(super) fn tally_of(&self, node: u32) -> Tally {
        let words = self.arena.slice(Self::word(node), Self::WORDS);
        let visits = words[VISITS].load(Ordering::Relaxed) as u32;
        Tally {
            chosen: visits,
            visits,
            sum: words[SUM].load(Ordering::Relaxed),
            squares: if SQUARES {
                words[SQUARES_WORD].load(Ordering::Relaxed)
            } else {
                0
            },
        }
    }

    #[inline(always)]
    fn init(&self, node: u32, mv: u32, mover: Player, key: u64) {
        let word = Self::word(node);
        self.arena.set(word + VISITS, 0);
        self.arena.set(word + SUM, 0);
        self.arena.set(
            word + Self::SHAPE,
            u64::from(mv) << MOVE_BIT | (mover as u64) << MOVER_BIT,
        );
        if SQUARES {
            self.arena.set(word + SQUARES_WORD, 0);
        }
        if KEYED {
            self.arena.set(word + Self::KEY, key);
        }
    }

    #[inline(always)]
    fn shape(&self, node: u32) -> u64 {
        self.arena.get(Self::word(node) + Self::SHAPE)
    }

    fn set_shape(&self, node: u32, shape: u64) {
        self.arena.set(Self::word(node) + Self::SHAPE, shape);
    }

    /// The first child and how many there are.
    #[inline(always)]
    fn children(&self, node: u32) -> (u32, u32) {
        let shape = self
            .arena
            .word(Self::word(node) + Self::SHAPE)
            .load(Ordering::Acquire);
        children_of(shape)
    }

    fn mover(&self, node: u32) -> Player {
        if self.shape(node) >> MOVER_BIT & 1 == 0 {
            Player::First
        } else {
            Player::Second
        }
    }

    #[inline(always)]
    fn move_bits(&self, node: u32) -> u32 {
        (self.shape(node) >> MOVE_BIT) as u32 & ((1 << MOVE_BITS) - 1)
    }

    /// Keeps the root's sums for `player`: at the root that is the opponent of the side to move, who after an extra turn did
    /// not make the move that led here.
    fn keep_root_for(&mut self, player: Player) {
        if self.mover(0) == player {
            return;
        }
        let visits = self.arena.get(VISITS) as u32;
        let squares = if SQUARES {
            self.arena.get(SQUARES_WORD)
        } else {
            0
        };
        let (sum, squares) = sums_seen_by(self.arena.get(SUM), squares, visits, Player::Second);
        self.arena.set(SUM, sum);
        if SQUARES {
            self.arena.set(SQUARES_WORD, squares);
        }
        self.arena
            .set(Self::SHAPE, self.arena.get(Self::SHAPE) ^ 1 << MOVER_BIT);
    }

    /// Visits, those before this search, and the value for the first player.
    fn figures(&self, node: u32) -> (u64, u64, f64) {
        let word = self.arena.get(Self::word(node) + VISITS);
        let visits = word as u32;
        // Kept for the one who moved here; the other way round it is the same calculation.
        let (sum, _) = sums_seen_by(
            self.arena.get(Self::word(node) + SUM),
            0,
            visits,
            self.mover(node),
        );
        (visits.into(), word >> 32, mean(sum, visits))
    }

    /// The sum of squared rewards for the first player.
    fn squares(&self, node: u32) -> f64 {
        if !SQUARES {
            return f64::NAN;
        }
        let word = Self::word(node);
        let visits = self.arena.get(word + VISITS) as u32;
        let (sum, squares) = (
            self.arena.get(word + SUM),
            self.arena.get(word + SQUARES_WORD),
        );
        as_rewards(sums_seen_by(sum, squares, visits, self.mover(node)).1)
    }

    /// Moves what hangs below `root` to the front of the arena, `root` itself becoming node 0, all others staying in their
    /// order. No memory is needed beside the tree's own: what stays is marked, and where it goes is noted in place of the
    /// inherited visits, which are counted anew for every search.
    fn keep_only(&mut self, root: u32) {
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.children(node);
            for child in first..first + count {
                self.set_shape(child, self.shape(child) | KEPT);
                if self.children(child).1 > 0 {
                    pending.push(child);
                }
            }
        }
        let mut end = 1;
        for node in self.kept() {
            let visits = self.arena.get(Self::word(node) + VISITS) & u64::from(u32::MAX);
            self.arena
                .set(Self::word(node) + VISITS, visits | u64::from(end) << 32);
            end += 1;
        }
        for node in std::iter::once(root).chain(self.kept()) {
            let (first, count) = self.children(node);
            if count > 0 {
                let now = self.arena.get(Self::word(first) + VISITS) >> 32;
                let others = self.shape(node) & !CHILDREN;
                self.set_shape(node, others | now | u64::from(count) << 32);
            }
        }
        self.arena.copy_down(Self::word(root), 0, Self::WORDS);
        for node in 1..self.nodes() {
            if self.shape(node) & KEPT != 0 {
                self.set_shape(node, self.shape(node) & !KEPT);
                let place = (self.arena.get(Self::word(node) + VISITS) >> 32) as u32;
                let (from, to) = (Self::word(node), Self::word(place));
                self.arena.copy_down(from, to, Self::WORDS);
            }
        }
        self.arena.truncate(Self::word(end));
        for word in (0..self.arena.used()).step_by(Self::WORDS) {
            let visits = self.arena.get(word + VISITS) & u64::from(u32::MAX);
            self.arena.set(word + VISITS, visits);
        }
    }

    /// The nodes that are marked to stay.
    fn kept(&self) -> impl Iterator<Item = u32> {
        (1..self.nodes()).filter(|&node| self.shape(node) & KEPT != 0)
    }

    fn nodes(&self) -> u32 {
        (self.arena.used() / Self::WORDS) as u32
    }
}

/// The first child and how many there are, by a node's shape.
#[inline(always)]
fn children_of(shape: u64) -> (u32, u32) {
    match shape & CHILDREN {
        BUSY => (0, 0),
        children => (children as u32, (children >> 32) as u32),
    }
}

impl<G: Searchable, const SQUARES: bool, const KEYED: bool> Store<G> for Tree<SQUARES, KEYED> {
    fn reset(&mut self, root: &G) {
        self.arena.truncate(Self::WORDS);
        self.init(
            0,
            0,
            root.to_move().opponent(),
            if KEYED { root.key() } else { 0 },
        );
    }

    fn advance(&mut self, root: &G, mv: G::Move) -> bool {
        let (first, count) = self.children(0);
        let bits = G::move_to_bits(mv);
        let found = (first..first + count).find(|&child| self.move_bits(child) == bits);
        if let Some(child) = found {
            self.keep_only(child);
            let mut after = root.clone();
            after.play(mv);
            self.keep_root_for(after.to_move().opponent());
        }
        found.is_some()
    }

    fn mark_inherited(&mut self) -> bool {
        for word in (0..self.arena.used()).step_by(Self::WORDS) {
            let visits = self.arena.get(word + VISITS) & u64::from(u32::MAX);
            self.arena.set(word + VISITS, visits | visits << 32);
        }
        true
    }

    fn missing(&self) -> usize {
        self.arena.missing()
    }

    fn root(&self) -> u32 {
        0
    }

    fn frame(&self, _: &G) -> Frame {
        Frame::default()
    }

    fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    #[inline(always)]
    fn visits(&self, node: u32) -> u32 {
        self.arena.get(Self::word(node) + VISITS) as u32
    }

    #[inline(always)]
    fn edges(&self, node: u32) -> (usize, usize) {
        let (first, count) = self.children(node);
        (first as usize, count as usize)
    }

    #[inline(always)]
    fn outlook(&self, step: &Step) -> Outlook {
        let node = self.arena.slice(Self::word(step.node), Self::WORDS);
        let visits = node[VISITS].load(Ordering::Relaxed) as u32;
        let (first, count) = children_of(node[Self::SHAPE].load(Ordering::Acquire));
        Outlook {
            chosen: visits,
            visits,
            first: first as usize,
            count: count as usize,
        }
    }

    #[inline(always)]
    fn move_of(&self, edge: usize) -> G::Move {
        G::move_from_bits(self.move_bits(edge as u32))
    }

    #[inline(always)]
    fn tally(&self, edge: usize, _: Player) -> Tally {
        self.tally_of(edge as u32)
    }

    #[inline(always)]
    fn four_tallies<L: Lanes>(&self, first: usize, _: Player) -> Four<L> {
        let nodes = &self.arena.words()[first * Self::WORDS..];
        let (visits, sum, squares) = if SQUARES {
            let [visits, sum, squares, _] = L::four_columns(nodes, Self::WORDS);
            (visits, sum, squares)
        } else {
            let [visits, sum] = L::two_columns(nodes, Self::WORDS);
            (visits, sum, L::splat(0))
        };
        let visits = visits & L::splat(u32::MAX.into());
        Four {
            chosen: visits,
            visits,
            sum,
            squares,
        }
    }

    #[inline(always)]
    fn chosen(&self, edge: usize) -> u32 {
        Store::<G>::visits(self, edge as u32)
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        outcome_of_bits(self.shape(node) >> PROVEN_BIT)
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        outcome_of_bits(self.shape(edge as u32) >> PROVEN_BIT)
    }

    fn prove(&self, node: u32, outcome: Outcome) {
        self.arena
            .word(Self::word(node) + Self::SHAPE)
            .fetch_or(outcome_bits(outcome) << PROVEN_BIT, Ordering::Relaxed);
    }

    #[inline(always)]
    fn expand(&self, at: &Step, position: &G, moves: &[G::Move], plot: &mut Plot) -> Expansion {
        const { assert!(G::MOVE_BITS <= MOVE_BITS) };
        debug_assert!(moves.len() as u64 <= MOST_CHILDREN);
        let shape = self.arena.word(Self::word(at.node) + Self::SHAPE);
        if self.parallel {
            // Only the first thread to say so may go on.
            let childless = shape.load(Ordering::Relaxed) & !CHILDREN;
            let taken = shape.compare_exchange(
                childless,
                childless | BUSY,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if taken.is_err() {
                return Expansion::Busy;
            }
        }
        let Some(start) = self.arena.reserve(moves.len() * Self::WORDS, plot) else {
            shape.fetch_and(!CHILDREN, Ordering::Relaxed);
            return Expansion::Full;
        };
        let first = (start / Self::WORDS) as u32;
        let mover = position.to_move();
        for (child, &mv) in (first..).zip(moves) {
            let key = if KEYED {
                let mut after = position.clone();
                after.play(mv);
                after.key()
            } else {
                0
            };
            self.init(child, G::move_to_bits(mv), mover, key);
        }
        let children = u64::from(first) | (moves.len() as u64) << 32;
        // A result may be proven in the same word meanwhile.
        if self.parallel {
            shape.fetch_xor(children ^ BUSY, Ordering::Release);
        } else {
            shape.store(shape.load(Ordering::Relaxed) | children, Ordering::Relaxed);
        }
        Expansion::Done
    }

    #[inline(always)]
    fn follow(&self, edge: usize, position: &mut G) -> (u32, bool) {
        position.play(Store::<G>::move_of(self, edge));
        (edge as u32, false)
    }

    #[inline(always)]
    fn announce(&self, step: &Step, visits: u32) {
        let visited = self.arena.word(Self::word(step.node) + VISITS);
        add(visited, visits.into(), true);
    }

    #[inline(always)]
    fn tell(&self, step: &Step, news: &News) {
        let node = self.arena.slice(Self::word(step.node), Self::WORDS);
        let (sum, squares) = news.seen_by(step.mover);
        if news.visits != 0 {
            add(&node[VISITS], news.visits as u64, self.parallel);
        }
        add(&node[SUM], sum, self.parallel);
        if SQUARES {
            add(&node[SQUARES_WORD], squares, self.parallel);
        }
    }

    fn usage(&self) -> (usize, u64) {
        (self.arena.used(), (self.arena.used() / Self::WORDS) as u64)
    }

    fn view(&self, edge: usize) -> Edge<G::Move> {
        let node = edge as u32;
        let (visits, inherited, value) = self.figures(node);
        Edge {
            mv: Store::<G>::move_of(self, edge),
            child: Some(node),
            visits,
            recent_visits: visits - inherited,
            node_visits: visits,
            value: Reward::new(value),
            proven: Store::<G>::proven(self, node),
            cut: false,
            squares: self.squares(node),
            table: None,
        }
    }

    fn tell_inherited(&self, teller: &mut Teller<'_>) {
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            let (first, count) = self.children(node);
            if count > 0 {
                let codes = (first..first + count).map(|child| self.move_bits(child));
                teller.tell_moves(node, first, codes);
            }
            let word = Self::word(node);
            let visits = self.arena.get(word + VISITS) as u32;
            let squares = if SQUARES {
                self.arena.get(word + SQUARES_WORD)
            } else {
                0
            };
            let (sum, squares) = sums_seen_by(
                self.arena.get(word + SUM),
                squares,
                visits,
                self.mover(node),
            );
            if visits > 0 {
                teller.tell(Record::Known { node, visits, sum });
            }
            if SQUARES && (visits > 0 || node == 0) {
                teller.tell(Record::Squares { node, squares });
            }
            if let Some(outcome) = Store::<G>::proven(self, node) {
                teller.tell(Record::Proven { node, outcome });
            }
            pending.extend(first..first + count);
        }
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            squares: self.squares(0),
            proven: Store::<G>::proven(self, 0),
            ..RootEdge::default()
        }
    }

    fn copy(&self) -> io::Result<Self> {
        Ok(Self {
            arena: self.arena.copy()?,
            parallel: false,
        })
    }

    fn root_figures(&self) -> (u64, u64, f64) {
        let (visits, inherited, value) = self.figures(0);
        (visits, visits - inherited, value)
    }
}
