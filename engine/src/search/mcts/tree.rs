//! The plain tree: nodes of four words in one arena, children side by side.
//!
//! ```text
//! word 0   visits (low half), visits before this search (high half)
//! word 1   sum of rewards for the player who moved here, 1 being 2^32
//! word 2   first child (low half), number of children (high half); 0 for a leaf, all ones while a thread expands it
//! word 3   move (bits 0-23), who made it (bit 24), certain result (bits 32-33)
//! word 4   sum of squared rewards, where the formula wants it
//! last     key of the position, where a table wants it
//! ```

use std::sync::atomic::Ordering;

use super::{
    arena::{Arena, Plot},
    select::ChildStats,
    store::{
        Expansion, News, Step, Store, as_rewards, mean, outcome_bits, outcome_of_bits, sums_seen_by,
    },
};
use crate::{
    games::{Outcome, Player},
    search::{Edge, Frame, Reward, Searchable},
};

const VISITS: usize = 0;
const SUM: usize = 1;
const CHILDREN: usize = 2;
const MOVE: usize = 3;
const SQUARES_WORD: usize = 4;
const BUSY: u64 = u64::MAX;
const MOVER_BIT: u32 = 24;
const PROVEN_BIT: u32 = 32;

/// A tree of statistics.
pub(super) struct Tree<const SQUARES: bool, const KEYED: bool = false> {
    arena: Arena,
    parallel: bool,
}

impl<const SQUARES: bool, const KEYED: bool> Tree<SQUARES, KEYED> {
    const WORDS: usize = 4 + SQUARES as usize + KEYED as usize;
    const KEY: usize = Self::WORDS - 1;

    /// A tree that never takes more than so many bytes.
    pub(super) fn new(bytes: usize) -> Self {
        // Node numbers have 32 bits.
        let nodes = (bytes / 8 / Self::WORDS).clamp(1, u32::MAX as usize - 1);
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

    #[inline(always)]
    fn init(&self, node: u32, mv: u32, mover: Player, key: u64) {
        let word = Self::word(node);
        self.arena.set(word + VISITS, 0);
        self.arena.set(word + SUM, 0);
        self.arena.set(word + CHILDREN, 0);
        self.arena
            .set(word + MOVE, u64::from(mv) | (mover as u64) << MOVER_BIT);
        if SQUARES {
            self.arena.set(word + SQUARES_WORD, 0);
        }
        if KEYED {
            self.arena.set(word + Self::KEY, key);
        }
    }

    #[inline(always)]
    fn children(&self, node: u32) -> (u32, u32) {
        match self
            .arena
            .word(Self::word(node) + CHILDREN)
            .load(Ordering::Acquire)
        {
            BUSY => (0, 0),
            word => (word as u32, (word >> 32) as u32),
        }
    }

    fn mover(&self, node: u32) -> Player {
        let bit = self.arena.get(Self::word(node) + MOVE) >> MOVER_BIT & 1;
        if bit == 0 {
            Player::First
        } else {
            Player::Second
        }
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
        self.arena.set(MOVE, self.arena.get(MOVE) ^ 1 << MOVER_BIT);
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

    /// Moves what hangs below `root` to the front of the arena, `root` itself becoming node 0.
    ///
    /// Blocks slide down in the order of their places; the pointers to them are mended when all have moved.
    fn keep_only(&mut self, root: u32) {
        // (first child, number, parent), as they were.
        let mut blocks = Vec::new();
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.children(node);
            if count > 0 {
                blocks.push((first, count, node));
                pending.extend((first..first + count).filter(|&child| self.children(child).1 > 0));
            }
        }
        blocks.sort_unstable();
        self.arena.copy_down(Self::word(root), 0, Self::WORDS);
        // Where each block went: (first child as it was, as it is).
        let mut moved: Vec<(u32, u32)> = Vec::with_capacity(blocks.len());
        let mut end = 1;
        for &(first, count, _) in &blocks {
            self.arena.copy_down(
                Self::word(first),
                Self::word(end),
                count as usize * Self::WORDS,
            );
            moved.push((first, end));
            end += count;
        }
        for (&(_, count, parent), &(_, now)) in blocks.iter().zip(&moved) {
            let parent = if parent == root {
                0
            } else {
                let block = moved.partition_point(|&(was, _)| was <= parent) - 1;
                parent - moved[block].0 + moved[block].1
            };
            self.arena.set(
                Self::word(parent) + CHILDREN,
                u64::from(now) | u64::from(count) << 32,
            );
        }
        self.arena.truncate(Self::word(end));
    }
}

impl<G: Searchable, const SQUARES: bool, const KEYED: bool> Store<G> for Tree<SQUARES, KEYED> {
    const STRIDE: usize = 1;

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
        let bits = u64::from(G::move_to_bits(mv));
        let found = (first..first + count).find(|&child| {
            self.arena.get(Self::word(child) + MOVE) & ((1 << MOVER_BIT) - 1) == bits
        });
        if let Some(child) = found {
            self.keep_only(child);
            let mut after = root.clone();
            after.play(mv);
            self.keep_root_for(after.to_move().opponent());
        }
        found.is_some()
    }

    fn mark_inherited(&mut self) {
        for word in (0..self.arena.used()).step_by(Self::WORDS) {
            let visits = self.arena.get(word + VISITS) & u64::from(u32::MAX);
            self.arena.set(word + VISITS, visits | visits << 32);
        }
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
    fn move_of(&self, edge: usize) -> G::Move {
        G::move_from_bits(self.arena.get(edge * Self::WORDS + MOVE) as u32 & ((1 << MOVER_BIT) - 1))
    }

    #[inline(always)]
    fn stats(&self, edge: usize, _: Player) -> ChildStats {
        let words = self.arena.slice(edge * Self::WORDS, Self::WORDS);
        let visits = f64::from(words[VISITS].load(Ordering::Relaxed) as u32);
        ChildStats {
            chosen: visits,
            visits,
            sum: as_rewards(words[SUM].load(Ordering::Relaxed)),
            squares: if SQUARES {
                as_rewards(words[SQUARES_WORD].load(Ordering::Relaxed))
            } else {
                0.0
            },
        }
    }

    #[inline(always)]
    fn can_follow(&self, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        outcome_of_bits(self.arena.get(Self::word(node) + MOVE) >> PROVEN_BIT)
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        outcome_of_bits(self.arena.get(edge * Self::WORDS + MOVE) >> PROVEN_BIT)
    }

    fn prove(&self, node: u32, outcome: Outcome) {
        self.arena
            .word(Self::word(node) + MOVE)
            .fetch_or(outcome_bits(outcome) << PROVEN_BIT, Ordering::Relaxed);
    }

    #[inline(always)]
    fn expand(&self, node: u32, position: &G, moves: &[G::Move], plot: &mut Plot) -> Expansion {
        let children = self.arena.word(Self::word(node) + CHILDREN);
        if self.parallel
            && children
                .compare_exchange(0, BUSY, Ordering::Relaxed, Ordering::Relaxed)
                .is_err()
        {
            return Expansion::Busy;
        }
        let Some(start) = self.arena.reserve(moves.len() * Self::WORDS, plot) else {
            children.store(0, Ordering::Relaxed);
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
        children.store(
            u64::from(first) | (moves.len() as u64) << 32,
            Ordering::Release,
        );
        Expansion::Done
    }

    #[inline(always)]
    fn follow(&self, edge: usize, position: &mut G, _: bool, _: &mut Plot) -> Option<Step> {
        let mover = position.to_move();
        position.play(Store::<G>::move_of(self, edge));
        Some(Step {
            edge,
            node: edge as u32,
            mover,
            flipped: false,
            announced: false,
        })
    }

    #[inline(always)]
    fn announce(&self, step: &Step) {
        self.arena.add(Self::word(step.node) + VISITS, 1, true);
    }

    #[inline(always)]
    fn tell(&self, step: &Step, news: &News) {
        let word = Self::word(step.node);
        let (sum, squares) = news.seen_by(step.mover);
        if news.visits > 0 {
            self.arena
                .add(word + VISITS, news.visits.into(), self.parallel);
        }
        self.arena.add(word + SUM, sum, self.parallel);
        if SQUARES {
            self.arena.add(word + SQUARES_WORD, squares, self.parallel);
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
        }
    }

    fn root_figures(&self) -> (u64, u64, f64) {
        let (visits, inherited, value) = self.figures(0);
        (visits, visits - inherited, value)
    }
}
