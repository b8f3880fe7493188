//! The transposition graph: positions reached in different ways share one node, and so may positions that differ only by a
//! symmetry of the board or an exchange of colours.
//!
//! How often a move was chosen is kept with the move, what the position behind it is worth with the node (Childs, Brodeur
//! and Kocsis 2008, UCT1 with values from the child). A grouped position is stored as one of its images, its frame; the way
//! down is walked in the frames of the nodes, and a move knows how to get from one to the next. Keys contain what makes
//! a game end, so the graph has no cycles.
//!
//! A position joins the graph when it is expanded, and from then on every move to it finds it there. Before that it has had
//! a playout or two and is a leaf of the move that led there, however many other such leaves there are; if another has
//! joined the graph before it, what it was told is told to that one. Most leaves are never expanded, and the index is a
//! third as large without them. Beside other threads a position joins the graph at once: what a leaf was told could not
//! be told to another node while they are telling it more.
//!
//! A move that is followed for the first time ends the way down and is played out, whether or not the position behind it is
//! known: an iteration goes one move further than those before it, as in a tree.
//!
//! Moves lie side by side in slots, as the children in the tree do. The first move to reach a position has the node in its
//! own slot, and a node is called by that. Later ones are tied to it, and each has a copy of the node's figures in its own
//! slot: a look at a node's moves is then a look at one piece of memory, and the way down jumps about no more than in a tree.
//! The price is paid on the way up, where nobody waits: the node tells all moves that lead to it what it was told.
//!
//! ```text
//! word 0   times chosen (low half); visits of the node (high half)
//! word 1   sum of rewards for the first player of the node's frame, 1 being 2^32
//! then     sum of their squares, where the formula wants it
//! then     shape: see `slot`
//! last     ties: see `slot`
//! ```
//!
//! Of a node's children the other moves know or learn when they are followed, and of a certain result only the node itself
//! knows. While several threads are at work a copy may be a little behind; when one works alone, none ever is.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{
    arena::{Arena, Plot, add},
    index::Index,
    select::{Four, Tally, as_rewards},
    sharing::{Sharing, frame_of},
    slot::{Shape, Ties},
    store::{
        Expansion, News, Outlook, Settled, Step, Store, exchanged, four_sums_seen_by, mean,
        sums_seen_by,
    },
};
use crate::{
    games::{Outcome, Player, Symmetry},
    machine::{Lanes, prefetch},
    rng::mix,
    search::{
        Edge, Frame, Reward, RootEdge, Searchable,
        growth::{Record, TAGS, Teller},
    },
};

mod keep;
#[cfg(test)]
mod tests;

const COUNTS: usize = 0;
const SUM: usize = 1;
const SQUARES_WORD: usize = 2;
/// One visit of a node, in the word that counts them.
const VISIT_BIT: u32 = 32;
/// How often a move was chosen, in the same word.
const CHOSEN: u64 = (1 << VISIT_BIT) - 1;
/// The first slot that is used. Slot 0 stands for none, and has no ties.
const FIRST: u32 = 1;

/// A graph of statistics.
pub(super) struct Graph<const SQUARES: bool> {
    arena: Arena,
    /// Nodes by key; none if nothing is shared.
    index: Option<Index>,
    root: u32,
    /// The counts of every slot before this search; slots beyond the last are newer.
    counts_before: Vec<u64>,
    sharing: Sharing,
    parallel: bool,
}

impl<const SQUARES: bool> Graph<SQUARES> {
    const WORDS: usize = 4 + SQUARES as usize;
    const SHAPE: usize = Self::WORDS - 2;
    const TIES: usize = Self::WORDS - 1;

    /// A graph that never takes more than so many bytes.
    pub(super) fn new(bytes: usize, sharing: Sharing) -> Self {
        // A node takes an entry and a half of the index, and as much again in the tables it has outgrown; but there are
        // far fewer nodes than slots, for few moves are followed.
        let reserved = if sharing.transpositions { bytes / 5 } else { 0 };
        const { assert!(1 << Shape::PLACE_BITS <= TAGS) };
        // Beside its words a slot may need one for the counts of before.
        let slots = (bytes - reserved) / 8 / (Self::WORDS + 1);
        Self {
            arena: Arena::new(slots.clamp(16, (1 << Shape::PLACE_BITS) - 1) * Self::WORDS),
            index: sharing.transpositions.then(|| Index::new(reserved / 8)),
            root: FIRST,
            counts_before: Vec::new(),
            sharing,
            parallel: false,
        }
    }

    /// Where a slot begins.
    #[inline(always)]
    fn word(slot: u32) -> usize {
        slot as usize * Self::WORDS
    }

    /// The slots in use, slot 0 among them.
    fn slots(&self) -> u32 {
        (self.arena.used() / Self::WORDS) as u32
    }

    #[inline(always)]
    fn shape(&self, slot: u32) -> Shape {
        let word = self.arena.word(Self::word(slot) + Self::SHAPE);
        Shape(word.load(Ordering::Acquire))
    }

    fn set_shape(&self, slot: u32, shape: Shape) {
        self.arena.set(Self::word(slot) + Self::SHAPE, shape.0);
    }

    #[inline(always)]
    fn ties(&self, slot: u32) -> Ties {
        let word = self.arena.word(Self::word(slot) + Self::TIES);
        Ties(word.load(Ordering::Acquire))
    }

    fn set_ties(&self, slot: u32, ties: Ties) {
        self.arena.set(Self::word(slot) + Self::TIES, ties.0);
    }

    /// Puts other ties in place of `old` ones, if those are still there.
    #[inline(always)]
    fn replace_ties(&self, slot: u32, old: Ties, new: Ties) -> bool {
        let word = self.arena.word(Self::word(slot) + Self::TIES);
        if !self.parallel {
            word.store(new.0, Ordering::Relaxed);
            return true;
        }
        word.compare_exchange(old.0, new.0, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }

    /// The node behind the move in a slot, if it was followed.
    #[inline(always)]
    fn node(&self, slot: u32) -> Option<u32> {
        let ties = self.ties(slot);
        ties.is_tied().then(|| ties.node(slot))
    }

    /// The node of a mixed key that has joined the graph.
    #[inline(always)]
    fn find(&self, key: u64) -> Option<u32> {
        let index = self.index.as_ref()?;
        index.find(key, |node| self.ties(node).is_of(key))
    }

    /// Lets the leaf in `slot` join the graph. Its node is there from now on, or where an equal position's is already; none
    /// if there is no room in the index.
    #[inline(always)]
    fn enter(&self, key: u64, slot: u32) -> Option<u32> {
        let Some(index) = &self.index else {
            return Some(slot);
        };
        let is_meant = |node| self.ties(node).is_of(key);
        index.find_or_insert(key, slot, is_meant, self.parallel)
    }

    /// Ties a slot to a node elsewhere: it has the node's figures from now on, and those that the node will have.
    fn join(&self, slot: u32, node: u32) {
        loop {
            let ties = self.ties(node);
            self.set_ties(slot, Ties::elsewhere(node).before(ties.next()));
            if self.replace_ties(node, ties, ties.before(slot)) {
                break;
            }
        }
        self.show(self.slot(slot), self.told(node), self.parallel);
        self.learn_children(slot, node);
    }

    /// The counts of a slot, its sum and its squares. The last is another word where squares are not kept, and then nobody
    /// looks at it.
    #[inline(always)]
    fn told(&self, slot: u32) -> [u64; 3] {
        let words = self.slot(slot);
        [COUNTS, SUM, SQUARES_WORD].map(|word| words[word].load(Ordering::Relaxed))
    }

    /// [`Store::follow_new`] beside other threads, one of which may be following the same move: the node it leads to.
    fn tie_beside_others(&self, slot: u32, key: u64, frame: u64) -> u32 {
        // Who finds the slot in the index looks here. If another thread has been faster, it is the same key.
        self.replace_ties(slot, Ties::NONE, Ties::keyed(key));
        // A leaf for which there is no room in the index stays a leaf.
        let entered = self.enter(key, slot);
        let node = entered.unwrap_or(slot);
        // Who sees the ties must see the frame.
        if frame != 0 {
            let word = self.arena.word(Self::word(slot) + Self::SHAPE);
            word.fetch_or(frame, Ordering::AcqRel);
        }
        loop {
            let ties = self.ties(slot);
            if ties.is_tied() {
                return ties.node(slot);
            }
            let tied = match entered {
                Some(node) if node != slot => Ties::elsewhere(node),
                Some(_) => ties.here(),
                None => ties.here().outside(),
            };
            if self.replace_ties(slot, ties, tied) {
                break;
            }
        }
        if node != slot {
            self.join(slot, node);
        }
        node
    }

    /// The words of a slot.
    #[inline(always)]
    fn slot(&self, slot: u32) -> &[AtomicU64] {
        self.arena.slice(Self::word(slot), Self::WORDS)
    }

    /// Lets a slot have what a node was told.
    #[inline(always)]
    fn show(&self, slot: &[AtomicU64], [counts, sum, squares]: [u64; 3], parallel: bool) {
        let seen = |own: u64| counts & !CHOSEN | own & CHOSEN;
        let own = &slot[COUNTS];
        if parallel {
            let _ = own.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |own| Some(seen(own)));
        } else {
            own.store(seen(own.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
        slot[SUM].store(sum, Ordering::Relaxed);
        if SQUARES {
            slot[SQUARES_WORD].store(squares, Ordering::Relaxed);
        }
    }

    /// Lets a slot know of its node's children, if there are any by now.
    #[inline(always)]
    fn learn_children(&self, slot: u32, node: u32) {
        let (first, count) = self.shape(node).children();
        let children = Shape::of_children(first, count);
        let word = self.arena.word(Self::word(slot) + Self::SHAPE);
        // They were 0 or the same before.
        if self.parallel {
            word.fetch_or(children, Ordering::AcqRel);
        } else {
            word.store(word.load(Ordering::Relaxed) | children, Ordering::Relaxed);
        }
    }

    /// Counts visits of a node and adds rewards; what the node has then is shown to all moves that lead there.
    #[inline(always)]
    fn add(&self, node: u32, visits: u64, [sum, squares]: [u64; 2], parallel: bool) {
        let node = self.slot(node);
        let counts = add(&node[COUNTS], visits << VISIT_BIT, parallel);
        let sum = add(&node[SUM], sum, parallel);
        let squares = if SQUARES {
            add(&node[SQUARES_WORD], squares, parallel)
        } else {
            0
        };
        let mut next = Ties(node[Self::TIES].load(Ordering::Acquire)).next();
        while next != 0 {
            let slot = self.slot(next);
            self.show(slot, [counts, sum, squares], parallel);
            next = Ties(slot[Self::TIES].load(Ordering::Acquire)).next();
        }
    }

    /// What visits that are under way pay the first player of the frame of the node they lead to: they count as lost by the
    /// player who chose the move (virtual loss). A loss is its own square.
    #[inline(always)]
    fn lost_by_chooser(&self, step: &Step, visits: u64) -> u64 {
        // No move leads to the root.
        let is_turned = step.node != self.root && self.shape(step.edge as u32).inverted();
        match turned_if(step.mover, is_turned) {
            Player::First => 0,
            Player::Second => visits << 32,
        }
    }

    /// Adds rewards and their squares to a slot, and shows them to nobody.
    #[inline(always)]
    fn add_rewards(&self, slot: &[AtomicU64], [sum, squares]: [u64; 2]) {
        if sum != 0 {
            add(&slot[SUM], sum, self.parallel);
            if SQUARES {
                add(&slot[SQUARES_WORD], squares, self.parallel);
            }
        }
    }

    /// Visits, and the value for the first player of the node's frame.
    fn figures(&self, node: u32) -> (u32, f64) {
        let word = Self::word(node);
        let visits = (self.arena.get(word + COUNTS) >> VISIT_BIT) as u32;
        (visits, mean(self.arena.get(word + SUM), visits))
    }

    /// The sum of squared rewards for the first player of the node's frame.
    fn squares(&self, node: u32) -> f64 {
        if SQUARES {
            as_rewards(self.arena.get(Self::word(node) + SQUARES_WORD))
        } else {
            f64::NAN
        }
    }

    /// The counts of a slot before this search.
    fn before(&self, slot: u32) -> u64 {
        self.counts_before.get(slot as usize).copied().unwrap_or(0)
    }
}

#[inline(always)]
fn turned_if(player: Player, inverted: bool) -> Player {
    if inverted { player.opponent() } else { player }
}

impl<G: Searchable, const SQUARES: bool> Store<G> for Graph<SQUARES> {
    const IS_GRAPH: bool = true;

    fn frame_bits(&self, edge: usize) -> u32 {
        let shape = self.shape(edge as u32);
        u32::from(shape.symmetry().to_bits()) | u32::from(shape.inverted()) << 3
    }

    fn tell_inherited(&self, teller: &mut Teller<'_>) {
        let mut seen = vec![false; self.slots() as usize];
        seen[self.root as usize] = true;
        let mut pending = vec![self.root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.shape(node).children();
            let slots = first as u32..(first + count) as u32;
            if count > 0 {
                let codes = slots.clone().map(|slot| self.shape(slot).mv());
                teller.tell_moves(node, first as u32, codes);
            }
            let visits = Store::<G>::visits(self, node);
            if visits > 0 {
                let sum = self.arena.get(Self::word(node) + SUM);
                teller.tell(Record::Known { node, visits, sum });
            }
            if SQUARES && (visits > 0 || node == self.root) {
                let squares = self.arena.get(Self::word(node) + SQUARES_WORD);
                teller.tell(Record::Squares { node, squares });
            }
            if let Some(outcome) = Store::<G>::proven(self, node) {
                teller.tell(Record::Proven { node, outcome });
            }
            for slot in slots {
                let Some(child) = self.node(slot) else {
                    continue;
                };
                teller.tell(Record::Link {
                    edge: slot,
                    node: child,
                    frame: Store::<G>::frame_bits(self, slot as usize),
                });
                teller.tell(Record::Chosen {
                    edge: slot,
                    visits: Store::<G>::chosen(self, slot as usize),
                });
                if !std::mem::replace(&mut seen[child as usize], true) {
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

    fn copy(&self) -> io::Result<Self> {
        let mut counts_before = Vec::new();
        counts_before.try_reserve_exact(self.counts_before.len())?;
        counts_before.extend_from_slice(&self.counts_before);
        Ok(Self {
            arena: self.arena.copy()?,
            index: None,
            root: self.root,
            counts_before,
            sharing: self.sharing,
            parallel: false,
        })
    }

    fn reset(&mut self, root: &G) {
        self.arena.truncate(Self::word(FIRST + 1));
        for word in 0..Self::word(FIRST + 1) {
            self.arena.set(word, 0);
        }
        self.set_shape(FIRST, Shape::ROOT);
        self.root = FIRST;
        if let Some(index) = &mut self.index {
            index.clear();
        }
        let key = if self.sharing.groups() {
            self.sharing.canonical(root).0.key()
        } else {
            root.key()
        };
        self.set_ties(FIRST, Ties::keyed(mix(key)).here());
        // An empty index has room.
        let _ = self.enter(mix(key), FIRST);
    }

    fn advance(&mut self, root: &G, mv: G::Move) -> bool {
        let mv = match Store::<G>::frame(self, root).symmetry {
            Some(symmetry) => G::image_of_move(mv, symmetry),
            None => mv,
        };
        let (first, count) = self.shape(self.root).children();
        let bits = G::move_to_bits(mv);
        let found = (first as u32..)
            .take(count)
            .find(|&slot| self.shape(slot).mv() == bits)
            .and_then(|slot| self.node(slot));
        found.is_some_and(|node| self.keep_only(node))
    }

    fn mark_inherited(&mut self) -> bool {
        self.counts_before = Vec::new();
        if Store::<G>::visits(self, self.root) == 0 {
            return true;
        }
        let mut counts = Vec::new();
        let has_room = counts.try_reserve_exact(self.slots() as usize).is_ok();
        if has_room {
            counts.extend((0..self.slots()).map(|slot| self.arena.get(Self::word(slot) + COUNTS)));
            self.counts_before = counts;
        }
        has_room
    }

    fn missing(&self) -> usize {
        self.arena.missing() + self.index.as_ref().map_or(0, Index::missing)
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
        (self.arena.get(Self::word(node) + COUNTS) >> VISIT_BIT) as u32
    }

    #[inline(always)]
    fn edges(&self, node: u32) -> (usize, usize) {
        self.shape(node).children()
    }

    #[inline(always)]
    fn outlook(&self, step: &Step) -> Outlook {
        let near = self.slot(step.edge as u32);
        let counts = near[COUNTS].load(Ordering::Relaxed);
        let (first, count) = Shape(near[Self::SHAPE].load(Ordering::Acquire)).children();
        Outlook {
            chosen: counts as u32,
            visits: (counts >> VISIT_BIT) as u32,
            first,
            count,
        }
    }

    #[inline(always)]
    fn move_of(&self, edge: usize) -> G::Move {
        G::move_from_bits(self.shape(edge as u32).mv())
    }

    #[inline(always)]
    fn tally(&self, edge: usize, mover: Player) -> Tally {
        // The node's own figures, which are never behind; none if there is no node.
        let node = self.slot(self.node(edge as u32).unwrap_or(edge as u32));
        let visits = (node[COUNTS].load(Ordering::Relaxed) >> VISIT_BIT) as u32;
        let squares = if SQUARES {
            node[SQUARES_WORD].load(Ordering::Relaxed)
        } else {
            0
        };
        let inverted = self.shape(edge as u32).inverted();
        let (sum, squares) = sums_seen_by(
            node[SUM].load(Ordering::Relaxed),
            squares,
            visits,
            turned_if(mover, inverted),
        );
        Tally {
            chosen: Store::<G>::chosen(self, edge),
            visits,
            sum,
            squares: if SQUARES { squares } else { 0 },
        }
    }

    #[inline(always)]
    fn four_tallies<L: Lanes>(&self, first: usize, mover: Player) -> Four<L> {
        let slots = &self.arena.words()[Self::word(first as u32)..];
        let (counts, sum, squares) = if SQUARES {
            let [counts, sum, squares, _] = L::four_columns(slots, Self::WORDS);
            (counts, sum, squares)
        } else {
            let [counts, sum] = L::two_columns(slots, Self::WORDS);
            (counts, sum, L::splat(0))
        };
        let visits = counts >> L::splat(VISIT_BIT.into());
        let mut turned = L::splat((mover as u64).wrapping_neg());
        if self.sharing.invert_colours {
            let shapes = [0, 1, 2, 3].map(|lane| self.shape((first + lane) as u32).0);
            turned = turned ^ Shape::four_inverted(shapes);
        }
        let (sum, squares) = four_sums_seen_by(sum, squares, visits, turned);
        Four {
            chosen: counts & L::splat(CHOSEN),
            visits,
            sum,
            squares: if SQUARES { squares } else { L::splat(0) },
        }
    }

    #[inline(always)]
    fn chosen(&self, edge: usize) -> u32 {
        self.arena.get(Self::word(edge as u32) + COUNTS) as u32
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        self.shape(node).proven()
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        let proven = self.shape(self.node(edge as u32)?).proven()?;
        Some(if self.shape(edge as u32).inverted() {
            exchanged(proven)
        } else {
            proven
        })
    }

    fn prove(&self, node: u32, outcome: Outcome) {
        self.arena
            .word(Self::word(node) + Self::SHAPE)
            .fetch_or(Shape::proof(outcome), Ordering::Relaxed);
    }

    #[inline(always)]
    fn expand(&self, at: &Step, _: &G, moves: &[G::Move], plot: &mut Plot) -> Expansion {
        const { assert!(G::MOVE_BITS <= Shape::MOVE_BITS) };
        debug_assert!(moves.len() <= Shape::MOST_CHILDREN);
        let word = self.arena.word(Self::word(at.node) + Self::SHAPE);
        if self.parallel {
            let childless = word.load(Ordering::Relaxed) & !Shape::CHILDREN;
            // Only the first thread to say so may go on.
            let taken = word.compare_exchange(
                childless,
                childless | Shape::BUSY,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if taken.is_err() {
                return Expansion::Busy;
            }
        }
        let Some(start) = self.arena.reserve(moves.len() * Self::WORDS, plot) else {
            word.fetch_and(!Shape::CHILDREN, Ordering::Relaxed);
            return Expansion::Full;
        };
        for (start, &mv) in (start..).step_by(Self::WORDS).zip(moves) {
            self.arena.set(start + COUNTS, 0);
            self.arena.set(start + SUM, 0);
            let shape = Shape::of_move(G::move_to_bits(mv));
            self.arena.set(start + Self::SHAPE, shape.0);
            self.arena.set(start + Self::TIES, Ties::NONE.0);
            if SQUARES {
                self.arena.set(start + SQUARES_WORD, 0);
            }
        }
        let children = Shape::of_children(start / Self::WORDS, moves.len());
        // A result may be proven in the same word meanwhile.
        if self.parallel {
            word.fetch_xor(children ^ Shape::BUSY, Ordering::Release);
        } else {
            word.store(word.load(Ordering::Relaxed) | children, Ordering::Relaxed);
        }
        self.learn_children(at.edge as u32, at.node);
        Expansion::Done
    }

    fn is_unfollowed(&self, edge: usize) -> bool {
        !self.ties(edge as u32).is_tied()
    }

    #[inline(always)]
    fn follow(&self, edge: usize, position: &mut G) -> (u32, bool) {
        let slot = edge as u32;
        let words = self.slot(slot);
        // In this order: who sees the ties sees the frame.
        let ties = Ties(words[Self::TIES].load(Ordering::Acquire));
        let shape = Shape(words[Self::SHAPE].load(Ordering::Acquire));
        let mv = G::move_from_bits(shape.mv());
        if !ties.is_tied() {
            return Store::<G>::follow_new(self, edge, mv, position);
        }
        let node = ties.node(slot);
        // Who else is to be told of this visit.
        prefetch(self.arena.words(), Self::word(node));
        prefetch(self.arena.words(), Self::word(ties.next()));
        position.play(mv);
        let mut inverted = false;
        if self.sharing.groups() {
            inverted = shape.inverted();
            if inverted && let Some(image) = position.inverted() {
                *position = image;
            }
            if shape.symmetry() != Symmetry::IDENTITY {
                *position = position.image(shape.symmetry());
            }
        }
        (node, inverted)
    }

    /// Apart from the loop, whose other steps would have to carry all that is needed here.
    #[inline(never)]
    fn follow_new(&self, edge: usize, mv: G::Move, position: &mut G) -> (u32, bool) {
        let slot = edge as u32;
        let words = self.slot(slot);
        prefetch(words, COUNTS);
        position.play(mv);
        let (mut symmetry, mut inverted) = (Symmetry::IDENTITY, false);
        if self.sharing.groups() {
            (*position, symmetry, inverted) = self.sharing.canonical(position);
        }
        let key = mix(position.key());
        let frame = Shape::of_frame(symmetry, inverted);
        let node = if self.parallel {
            self.tie_beside_others(slot, key, frame)
        } else {
            // Nothing is read here that may be far away, only written.
            debug_assert!(
                Store::<G>::is_unfollowed(self, edge),
                "{slot} was followed before"
            );
            let shape = Shape(Shape::of_move(G::move_to_bits(mv)).0 | frame);
            words[Self::SHAPE].store(shape.0, Ordering::Relaxed);
            match self.find(key) {
                Some(node) => {
                    words[COUNTS].store(0, Ordering::Relaxed);
                    self.join(slot, node);
                    node
                }
                None => {
                    words[Self::TIES].store(Ties::keyed(key).here().0, Ordering::Relaxed);
                    slot
                }
            }
        };
        (node, inverted)
    }

    #[inline(never)]
    fn settle(&self, step: &Step, position: &G) -> Settled {
        if self.index.is_none() {
            return Settled::Here;
        }
        let slot = step.edge as u32;
        if step.node != slot {
            // The node may have got children since this move was tied to it.
            self.learn_children(slot, step.node);
            return match self.shape(slot).children() {
                (_, 0) => Settled::Here,
                _ => Settled::Elsewhere(step.node),
            };
        }
        // Beside other threads it has joined the graph already, if there was room.
        if self.parallel && !self.ties(slot).is_outside() {
            return Settled::Here;
        }
        let Some(node) = self.enter(mix(position.key()), slot) else {
            return Settled::NoRoom;
        };
        if node == slot {
            return Settled::Here;
        }
        if self.parallel {
            // There was no room for it before, but there was for another since.
            return Settled::NoRoom;
        }
        let [counts, rewards @ ..] = self.told(slot);
        self.join(slot, node);
        self.add(node, counts >> VISIT_BIT, rewards, false);
        Settled::Elsewhere(node)
    }

    #[inline(always)]
    fn announce(&self, step: &Step, visits: u32) {
        let lost = self.lost_by_chooser(step, visits.into());
        let (visits, of_node) = (u64::from(visits), u64::from(visits) << VISIT_BIT);
        let node = self.slot(step.node);
        if step.edge as u32 == step.node {
            add(&node[COUNTS], of_node + visits, self.parallel);
        } else {
            add(&node[COUNTS], of_node, self.parallel);
            // Other threads look at the copy. It is put right when the node is told.
            let edge = self.slot(step.edge as u32);
            add(&edge[COUNTS], of_node + visits, self.parallel);
            self.add_rewards(edge, [lost; 2]);
        }
        self.add_rewards(node, [lost; 2]);
    }

    /// Apart from the loop, where threads that are alone tell whole paths.
    #[inline(never)]
    fn tell(&self, step: &Step, news: &News) {
        let rewards = news.seen_by(turned_if(Player::First, step.flipped));
        let lost = self.lost_by_chooser(step, news.arrived());
        let rewards = <[u64; 2]>::from(rewards).map(|sum| sum.wrapping_sub(lost));
        let visits = news.visits as u64;
        self.add(step.node, visits, rewards, self.parallel);
        if visits != 0 {
            let edge = self.arena.word(Self::word(step.edge as u32) + COUNTS);
            add(edge, visits, self.parallel);
        }
    }

    #[inline(always)]
    fn tell_all(&self, path: &[Step], reward: u64) {
        let rewards = [Player::First, Player::Second]
            .map(|player| <[u64; 2]>::from(News::of(reward).seen_by(player)));
        for step in path {
            self.add(step.node, 1, rewards[usize::from(step.flipped)], false);
            let edge = self.arena.word(Self::word(step.edge as u32) + COUNTS);
            add(edge, 1, false);
        }
    }

    fn usage(&self) -> (usize, u64) {
        let index = self.index.as_ref().map_or(0, Index::words);
        let words = self.arena.used() + index + self.counts_before.len();
        (words, u64::from(self.slots() - FIRST))
    }

    fn view(&self, edge: usize) -> Edge<G::Move> {
        let child = self.node(edge as u32);
        // What is known of no node is known of a move that was never followed.
        let node = child.unwrap_or(edge as u32);
        let chosen = Store::<G>::chosen(self, edge);
        let before = self.before(edge as u32) as u32;
        let (node_visits, value) = self.figures(node);
        Edge {
            mv: Store::<G>::move_of(self, edge),
            child,
            visits: chosen.into(),
            recent_visits: (chosen - before).into(),
            node_visits: node_visits.into(),
            value: Reward::new(value),
            proven: Store::<G>::proven(self, node),
            cut: false,
            squares: self.squares(node),
            table: None,
        }
    }

    fn root_figures(&self) -> (u64, u64, f64) {
        let (visits, value) = self.figures(self.root);
        let before = (self.before(self.root) >> VISIT_BIT) as u32;
        (visits.into(), (visits - before).into(), value)
    }
}
