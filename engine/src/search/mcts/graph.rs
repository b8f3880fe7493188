//! The transposition graph: positions reached in different ways share one node, and so may positions that differ only by a
//! symmetry of the board or an exchange of colours.
//!
//! How often a move was chosen is kept on the edge, what the position behind it is worth on the node (Childs, Brodeur and
//! Kocsis 2008, UCT1 with values from the child). A grouped position is stored as one of its images, its frame; the way
//! down is walked in the frames of the nodes, and an edge knows how to get from one to the next. Keys contain what makes
//! a game end, so the graph has no cycles.
//!
//! ```text
//! node: word 0   visits (low half), visits before this search (high half)
//!       word 1   sum of rewards for the first player of the node's frame, 1 being 2^32
//!       word 2   first edge (bits 0-31), number of edges (32-43; as in the tree), certain result in the node's frame (60-61)
//!       word 3   key
//!       word 4   sum of squared rewards, where the formula wants it; then word 5 is not used
//! edge: word 0   times chosen (low half), before this search (high half)
//!       word 1   node (low half; 0 for none), move (24 bits), symmetry (3 bits), colours exchanged (1 bit)
//! ```

use std::sync::{
    PoisonError, RwLock,
    atomic::{AtomicU64, Ordering},
};

use super::{
    arena::{Arena, Plot},
    index::{Index, Slot},
    select::{Tally, as_rewards},
    store::{
        Expansion, News, Step, Store, exchanged, mean, outcome_bits, outcome_of_bits, sums_seen_by,
    },
};
use crate::{
    games::{Outcome, Player, Symmetry},
    search::{
        Edge, Frame, Reward, RootEdge, Searchable,
        growth::{Record, Teller},
    },
};

const VISITS: usize = 0;
const SUM: usize = 1;
const SHAPE: usize = 2;
const KEY: usize = 3;
const SQUARES_WORD: usize = 4;
/// The bits of the shape that tell of edges, and what they say while a thread makes them.
const EDGES: u64 = (1 << 44) - 1;
const BUSY: u64 = (MOST_EDGES + 1) << 32;
const MOST_EDGES: u64 = (1 << 12) - 2;
const PROVEN_BIT: u32 = 60;
const EDGE_WORDS: usize = 2;
/// Memory is taken in pieces of so many words: a node of four words then never lies across two lines of the cache.
const PIECE: usize = 4;

/// Which positions count as the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// Only equal ones.
    #[default]
    None,
    /// Also rotated ones.
    Rotations,
    /// Also rotated and mirrored ones.
    Dihedral,
}

/// How a graph groups positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// Whether positions share nodes at all; without, the graph is a tree.
    pub transpositions: bool,
    /// The symmetries.
    pub grouping: Grouping,
    /// Whether positions with colours and side to move exchanged count as the same.
    pub invert_colours: bool,
}

impl Sharing {
    /// Whether a position may be kept as another one.
    #[inline(always)]
    fn groups(self) -> bool {
        self.grouping != Grouping::None || self.invert_colours
    }

    fn symmetries<G: Searchable>(self) -> impl Iterator<Item = Symmetry> {
        let allowed: &[Symmetry] = match self.grouping {
            Grouping::None => &[],
            Grouping::Rotations => &Symmetry::ROTATIONS,
            Grouping::Dihedral => &Symmetry::ALL,
        };
        allowed
            .iter()
            .copied()
            .filter(|symmetry| G::SYMMETRIES.contains(symmetry))
    }

    /// The image under which a position is kept: the one with the smallest key.
    fn canonical<G: Searchable>(self, position: &G) -> (G, Symmetry, bool) {
        let mut best = (position.key(), position.clone(), Symmetry::IDENTITY, false);
        let mut consider = |image: G, symmetry, inverted| {
            let key = image.key();
            if key < best.0 {
                best = (key, image, symmetry, inverted);
            }
        };
        let inverted = if self.invert_colours {
            position.inverted()
        } else {
            None
        };
        for symmetry in self
            .symmetries::<G>()
            .filter(|&symmetry| symmetry != Symmetry::IDENTITY)
        {
            consider(position.image(symmetry), symmetry, false);
            if let Some(inverted) = &inverted {
                consider(inverted.image(symmetry), symmetry, true);
            }
        }
        if let Some(inverted) = inverted {
            consider(inverted, Symmetry::IDENTITY, true);
        }
        (best.1, best.2, best.3)
    }
}

/// The frame in which a position is kept by a graph that groups so.
pub fn frame_of<G: Searchable>(position: &G, sharing: Sharing) -> Frame {
    if !sharing.groups() {
        return Frame::default();
    }
    let (_, symmetry, inverted) = sharing.canonical(position);
    Frame {
        symmetry: (symmetry != Symmetry::IDENTITY).then_some(symmetry),
        inverted,
    }
}

/// A graph of statistics.
pub(super) struct Graph<const SQUARES: bool> {
    arena: Arena,
    /// Nodes by key; none if nothing is shared.
    index: Option<RwLock<Index>>,
    root: u32,
    /// Edges in the arena.
    edges: AtomicU64,
    sharing: Sharing,
    parallel: bool,
}

impl<const SQUARES: bool> Graph<SQUARES> {
    const NODE: usize = if SQUARES { 6 } else { PIECE };
    /// No node is at word 0, so that 0 can mean none: what is read there is a node without visits.
    const FIRST: usize = 2 * PIECE;

    /// A graph that never takes more than so many bytes.
    pub(super) fn new(bytes: usize, sharing: Sharing) -> Self {
        // A node with its edge takes 56 bytes or more and a slot and a half of the index, which while it grows exists twice.
        let reserved = if sharing.transpositions { bytes / 4 } else { 0 };
        let words = ((bytes - reserved) / 8).clamp(64, u32::MAX as usize);
        Self {
            arena: Arena::new(words),
            index: sharing
                .transpositions
                .then(|| RwLock::new(Index::new(reserved / 8 * 2 / 3))),
            root: 0,
            edges: AtomicU64::new(0),
            sharing,
            parallel: false,
        }
    }

    fn new_node(&self, key: u64, plot: &mut Plot) -> Option<u32> {
        let start = self.arena.reserve(Self::NODE, plot)?;
        for word in 0..Self::NODE {
            self.arena
                .set(start + word, if word == KEY { key } else { 0 });
        }
        Some(start as u32)
    }

    /// The key of a node.
    #[inline(always)]
    fn key(&self, node: u32) -> u64 {
        self.arena.get(node as usize + KEY)
    }

    /// The node of a key, made if it is not there yet; none if there is no room.
    fn node_of(&self, key: u64, plot: &mut Plot) -> Option<u32> {
        let Some(lock) = &self.index else {
            return self.new_node(key, plot);
        };
        let mut fresh = None;
        loop {
            let index = lock.read().unwrap_or_else(PoisonError::into_inner);
            match index.find_or_insert(key, &|node| self.key(node), || {
                fresh = fresh.or_else(|| self.new_node(key, plot));
                fresh
            }) {
                Slot::Node(node) => return Some(node),
                Slot::NoMemory => return None,
                Slot::Crowded => {}
            }
            drop(index);
            let mut index = lock.write().unwrap_or_else(PoisonError::into_inner);
            if index.is_crowded() && !index.grow(&|node| self.key(node)) {
                return None;
            }
        }
    }

    #[inline(always)]
    fn edge_range(&self, node: u32) -> (usize, usize) {
        let shape = self
            .arena
            .word(node as usize + SHAPE)
            .load(Ordering::Acquire);
        match shape & EDGES {
            BUSY => (0, 0),
            edges => (edges as u32 as usize, (edges >> 32) as usize),
        }
    }

    /// The memory a run of edges takes.
    #[inline(always)]
    fn words_of_edges(count: usize) -> usize {
        let words = count * EDGE_WORDS;
        if SQUARES {
            words
        } else {
            words.next_multiple_of(PIECE)
        }
    }

    #[inline(always)]
    fn link(&self, edge: usize) -> Link {
        Link(self.arena.word(edge + 1).load(Ordering::Acquire))
    }

    /// Visits, and the value for the first player of the node's frame.
    fn figures(&self, node: u32) -> (u32, f64) {
        let visits = self.arena.get(node as usize + VISITS) as u32;
        (visits, mean(self.arena.get(node as usize + SUM), visits))
    }

    /// The sum of squared rewards for the first player of the node's frame.
    fn squares(&self, node: u32) -> f64 {
        if SQUARES {
            as_rewards(self.arena.get(node as usize + SQUARES_WORD))
        } else {
            f64::NAN
        }
    }

    /// Keeps what can be reached from `root` and slides it to the front of the arena.
    fn keep_only(&mut self, root: u32) {
        // (place, words) of every node and every run of edges that is still wanted.
        let mut blocks = vec![(root as usize, Self::NODE)];
        let mut seen = std::collections::HashSet::from([root]);
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.edge_range(node);
            if count == 0 {
                continue;
            }
            blocks.push((first, Self::words_of_edges(count)));
            for edge in (first..).step_by(EDGE_WORDS).take(count) {
                let child = self.link(edge).node();
                if child != 0 && seen.insert(child) {
                    blocks.push((child as usize, Self::NODE));
                    pending.push(child);
                }
            }
        }
        blocks.sort_unstable();
        let mut end = Self::FIRST;
        let moved: Vec<(usize, usize)> = blocks
            .iter()
            .map(|&(from, words)| {
                self.arena.copy_down(from, end, words);
                end += words;
                (from, end - words)
            })
            .collect();
        let place = |was: usize| {
            let found = moved.binary_search_by_key(&was, |&(from, _)| from);
            found.map_or(0, |index| moved[index].1)
        };
        self.arena.truncate(end);
        *self.edges.get_mut() = 0;
        let mut index = self
            .index
            .take()
            .map(|lock| lock.into_inner().unwrap_or_else(PoisonError::into_inner));
        if let Some(index) = &mut index {
            index.clear();
        }
        for &(was, words) in &blocks {
            let now = place(was);
            if seen.contains(&(was as u32)) {
                let shape = self.arena.get(now + SHAPE);
                if shape & EDGES != 0 {
                    let first = place(shape as u32 as usize) as u64;
                    self.arena.set(now + SHAPE, shape >> 32 << 32 | first);
                    *self.edges.get_mut() += (shape & EDGES) >> 32;
                }
                if let Some(index) = &mut index {
                    // There was room for more nodes than these.
                    let _ = index.insert(self.key(now as u32), now as u32, &|node| self.key(node));
                }
            } else {
                for edge in (now..now + words).step_by(EDGE_WORDS) {
                    let link = self.arena.get(edge + 1);
                    let node = link as u32 as usize;
                    if node != 0 {
                        self.arena
                            .set(edge + 1, link >> 32 << 32 | place(node) as u64);
                    }
                }
            }
        }
        self.root = place(root as usize) as u32;
        self.index = index.map(RwLock::new);
    }
}

/// The second word of an edge.
#[derive(Clone, Copy)]
struct Link(u64);

impl Link {
    #[inline(always)]
    fn new(node: u32, mv: u32, symmetry: Symmetry, inverted: bool) -> Self {
        let frame = u64::from(symmetry.to_bits()) | u64::from(inverted) << 3;
        Self(u64::from(node) | u64::from(mv) << 32 | frame << 56)
    }

    #[inline(always)]
    fn node(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    fn mv(self) -> u32 {
        (self.0 >> 32) as u32 & 0xff_ffff
    }

    #[inline(always)]
    fn symmetry(self) -> Symmetry {
        Symmetry::from_bits((self.0 >> 56) as u8)
    }

    #[inline(always)]
    fn inverted(self) -> bool {
        self.0 >> 59 & 1 == 1
    }
}

#[inline(always)]
fn turned_if(player: Player, inverted: bool) -> Player {
    if inverted { player.opponent() } else { player }
}

impl<G: Searchable, const SQUARES: bool> Store<G> for Graph<SQUARES> {
    const STRIDE: usize = EDGE_WORDS;
    const IS_GRAPH: bool = true;

    fn frame_bits(&self, edge: usize) -> u32 {
        let link = self.link(edge);
        u32::from(link.symmetry().to_bits()) | u32::from(link.inverted()) << 3
    }

    fn tell_inherited(&self, teller: &mut Teller<'_>) {
        let mut pending = vec![self.root];
        let mut seen = std::collections::HashSet::from([self.root]);
        while let Some(node) = pending.pop() {
            let (first, count) = self.edge_range(node);
            let edges = || (first..).step_by(EDGE_WORDS).take(count);
            if count > 0 {
                let codes: Vec<u32> = edges().map(|edge| self.link(edge).mv()).collect();
                teller.tell(Record::Moves {
                    node,
                    first: first as u32,
                    stride: EDGE_WORDS as u32,
                    codes: &codes,
                });
            }
            let visits = self.arena.get(node as usize + VISITS) as u32;
            if visits > 0 {
                let sum = self.arena.get(node as usize + SUM);
                teller.tell(Record::Known { node, visits, sum });
            }
            if let Some(outcome) = Store::<G>::proven(self, node) {
                teller.tell(Record::Proven { node, outcome });
            }
            for edge in edges() {
                let child = self.link(edge).node();
                if child == 0 {
                    continue;
                }
                teller.tell(Record::Link {
                    edge: edge as u32,
                    node: child,
                    frame: Store::<G>::frame_bits(self, edge),
                });
                teller.tell(Record::Chosen {
                    edge: edge as u32,
                    visits: self.arena.get(edge) as u32,
                });
                if seen.insert(child) {
                    pending.push(child);
                }
            }
        }
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            squares: self.squares(self.root),
            proven: Store::<G>::proven(self, self.root),
            ..RootEdge::default()
        }
    }

    fn copy(&self) -> Self {
        Self {
            arena: self.arena.copy(),
            index: None,
            root: self.root,
            edges: AtomicU64::new(self.edges.load(Ordering::Relaxed)),
            sharing: self.sharing,
            parallel: false,
        }
    }

    fn reset(&mut self, root: &G) {
        self.arena.truncate(Self::FIRST);
        *self.edges.get_mut() = 0;
        if let Some(index) = &mut self.index {
            index
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
        }
        let key = if self.sharing.groups() {
            self.sharing.canonical(root).0.key()
        } else {
            root.key()
        };
        // The arena has room for one node.
        self.root = self
            .node_of(key, &mut Plot::default())
            .unwrap_or(Self::FIRST as u32);
    }

    fn advance(&mut self, root: &G, mv: G::Move) -> bool {
        let mv = match Store::<G>::frame(self, root).symmetry {
            Some(symmetry) => G::image_of_move(mv, symmetry),
            None => mv,
        };
        let (first, count) = self.edge_range(self.root);
        let links = (first..)
            .step_by(EDGE_WORDS)
            .take(count)
            .map(|edge| self.link(edge));
        let bits = G::move_to_bits(mv);
        let found = links
            .filter(|link| link.node() != 0)
            .find(|link| link.mv() == bits);
        if let Some(link) = found {
            self.keep_only(link.node());
        }
        found.is_some()
    }

    fn mark_inherited(&mut self) {
        let mut pending = vec![self.root];
        let mut seen = std::collections::HashSet::from([self.root]);
        let mark = |arena: &Arena, word: usize| {
            let visits = arena.get(word) & u64::from(u32::MAX);
            arena.set(word, visits | visits << 32);
        };
        while let Some(node) = pending.pop() {
            mark(&self.arena, node as usize + VISITS);
            let (first, count) = self.edge_range(node);
            for edge in (first..).step_by(EDGE_WORDS).take(count) {
                mark(&self.arena, edge);
                let child = self.link(edge).node();
                if child != 0 && seen.insert(child) {
                    pending.push(child);
                }
            }
        }
    }

    fn root(&self) -> u32 {
        self.root
    }

    fn frame(&self, position: &G) -> Frame {
        frame_of(position, self.sharing)
    }

    fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    #[inline(always)]
    fn visits(&self, node: u32) -> u32 {
        self.arena.get(node as usize + VISITS) as u32
    }

    #[inline(always)]
    fn edges(&self, node: u32) -> (usize, usize) {
        self.edge_range(node)
    }

    #[inline(always)]
    fn move_of(&self, edge: usize) -> G::Move {
        G::move_from_bits(self.link(edge).mv())
    }

    #[inline(always)]
    fn tally(&self, edge: usize, mover: Player) -> Tally {
        let link = self.link(edge);
        // Without a node these are the figures of one that was never visited.
        let node = self.arena.slice(link.node() as usize, Self::NODE);
        let visits = node[VISITS].load(Ordering::Relaxed) as u32;
        let squares = if SQUARES {
            node[SQUARES_WORD].load(Ordering::Relaxed)
        } else {
            0
        };
        let (sum, squares) = sums_seen_by(
            node[SUM].load(Ordering::Relaxed),
            squares,
            visits,
            turned_if(mover, link.inverted()),
        );
        Tally {
            chosen: self.arena.get(edge) as u32,
            visits: visits.max(1),
            sum,
            squares: if SQUARES { squares } else { 0 },
        }
    }

    #[inline(always)]
    fn can_follow(&self, edge: usize) -> bool {
        self.link(edge).node() != 0
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        outcome_of_bits(self.arena.get(node as usize + SHAPE) >> PROVEN_BIT)
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        let link = self.link(edge);
        if link.node() == 0 {
            return None;
        }
        let proven = Store::<G>::proven(self, link.node())?;
        Some(if link.inverted() {
            exchanged(proven)
        } else {
            proven
        })
    }

    fn prove(&self, node: u32, outcome: Outcome) {
        self.arena
            .word(node as usize + SHAPE)
            .fetch_or(outcome_bits(outcome) << PROVEN_BIT, Ordering::Relaxed);
    }

    #[inline(always)]
    fn expand(&self, node: u32, _: &G, moves: &[G::Move], plot: &mut Plot) -> Expansion {
        debug_assert!(moves.len() as u64 <= MOST_EDGES);
        let shape = self.arena.word(node as usize + SHAPE);
        if self.parallel {
            // Only the first thread to say so may go on.
            let childless = shape.load(Ordering::Relaxed) & !EDGES;
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
        let words = Self::words_of_edges(moves.len());
        let Some(first) = self.arena.reserve(words, plot) else {
            shape.fetch_and(!EDGES, Ordering::Relaxed);
            return Expansion::Full;
        };
        for (edge, &mv) in (first..).step_by(EDGE_WORDS).zip(moves) {
            self.arena.set(edge, 0);
            self.arena.set(
                edge + 1,
                Link::new(0, G::move_to_bits(mv), Symmetry::IDENTITY, false).0,
            );
        }
        for word in moves.len() * EDGE_WORDS..words {
            self.arena.set(first + word, 0);
        }
        let edges = first as u64 | (moves.len() as u64) << 32;
        // A result may be proven in the same word meanwhile.
        if self.parallel {
            shape.fetch_xor(edges ^ BUSY, Ordering::Release);
        } else {
            shape.store(shape.load(Ordering::Relaxed) | edges, Ordering::Relaxed);
        }
        self.edges.fetch_add(moves.len() as u64, Ordering::Relaxed);
        Expansion::Done
    }

    #[inline(always)]
    fn follow(
        &self,
        edge: usize,
        position: &mut G,
        flipped: bool,
        plot: &mut Plot,
    ) -> Option<Step> {
        let mover = position.to_move();
        let mut link = self.link(edge);
        let mv = G::move_from_bits(link.mv());
        let mut is_new = false;
        if link.node() == 0 {
            let mut after = position.clone();
            after.play(mv);
            let (symmetry, inverted) = if self.sharing.groups() {
                let (image, symmetry, inverted) = self.sharing.canonical(&after);
                after = image;
                (symmetry, inverted)
            } else {
                (Symmetry::IDENTITY, false)
            };
            let node = self.node_of(after.key(), plot)?;
            let made = Link::new(node, link.mv(), symmetry, inverted);
            // Another thread may have come here first: then its node counts.
            let word = self.arena.word(edge + 1);
            match word.compare_exchange(link.0, made.0, Ordering::Release, Ordering::Acquire) {
                Ok(_) => {
                    link = made;
                    is_new = true;
                }
                Err(other) => link = Link(other),
            }
            *position = after;
        } else {
            position.play(mv);
            if link.inverted()
                && let Some(inverted) = position.inverted()
            {
                *position = inverted;
            }
            if link.symmetry() != Symmetry::IDENTITY {
                *position = position.image(link.symmetry());
            }
        }
        Some(Step {
            edge,
            node: link.node(),
            mover,
            flipped: flipped ^ link.inverted(),
            is_new,
        })
    }

    #[inline(always)]
    fn announce(&self, step: &Step, visits: u32) {
        self.arena
            .add(step.node as usize + VISITS, visits.into(), true);
        if step.edge != 0 {
            self.arena.add(step.edge, visits.into(), true);
        }
    }

    #[inline(always)]
    fn tell(&self, step: &Step, news: &News) {
        let node = step.node as usize;
        let (sum, squares) = news.seen_by(turned_if(Player::First, step.flipped));
        if news.visits != 0 {
            let visits = news.visits as u64;
            self.arena.add(node + VISITS, visits, self.parallel);
            if step.edge != 0 {
                self.arena.add(step.edge, visits, self.parallel);
            }
        }
        self.arena.add(node + SUM, sum, self.parallel);
        if SQUARES {
            self.arena.add(node + SQUARES_WORD, squares, self.parallel);
        }
    }

    fn usage(&self) -> (usize, u64) {
        let index = self.index.as_ref().map_or(0, |lock| {
            lock.read().unwrap_or_else(PoisonError::into_inner).len()
        });
        let words = self.arena.used() + index;
        (words, 1 + self.edges.load(Ordering::Relaxed))
    }

    fn view(&self, edge: usize) -> Edge<G::Move> {
        let link = self.link(edge);
        let word = self.arena.get(edge);
        let child = (link.node() != 0).then_some(link.node());
        let (node_visits, value) = child.map_or((0, 0.5), |node| self.figures(node));
        Edge {
            mv: G::move_from_bits(link.mv()),
            child,
            visits: u64::from(word as u32),
            recent_visits: u64::from(word as u32) - (word >> 32),
            node_visits: node_visits.into(),
            value: Reward::new(value),
            proven: child.and_then(|node| Store::<G>::proven(self, node)),
            cut: false,
            squares: child.map_or(f64::NAN, |node| self.squares(node)),
            table: f64::NAN,
        }
    }

    fn root_figures(&self) -> (u64, u64, f64) {
        let inherited = self.arena.get(self.root as usize + VISITS) >> 32;
        let (visits, value) = self.figures(self.root);
        (visits.into(), u64::from(visits) - inherited, value)
    }
}
