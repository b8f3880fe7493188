//! The transposition graph: positions reached in different ways share one node, and so may positions that differ only by a
//! symmetry of the board or an exchange of colours.
//!
//! How often a move was chosen is kept with the move, what the position behind it is worth with the node (Childs, Brodeur
//! and Kocsis 2008, UCT1 with values from the child). A grouped position is stored as one of its images, its frame; the way
//! down is walked in the frames of the nodes, and a move knows how to get from one to the next. Keys contain what makes
//! a game end, so the graph has no cycles.
//!
//! Moves lie side by side in slots, as the children in the tree do. The first move to reach a position has the node in its
//! own slot, so that a look at a node's moves is a look at one piece of memory; later ones have a link to that slot. A
//! node is called by the slot it is in.
//!
//! ```text
//! word 0   times chosen (low half); visits of the node (high half)
//! word 1   sum of rewards for the first player of the node's frame, 1 being 2^32
//! word 2   shape: see there
//! word 3   key of the position behind the move, once it was followed
//! word 4   sum of squared rewards, where the formula wants it
//! ```

use std::sync::atomic::Ordering;

use super::{
    arena::{Arena, Plot},
    index::Index,
    select::{Four, Tally, as_rewards},
    sharing::{Sharing, frame_of},
    slot::Shape,
    store::{Expansion, News, Step, Store, exchanged, four_sums_seen_by, mean, sums_seen_by},
};
use crate::{
    games::{Outcome, Player, Symmetry},
    machine::Lanes,
    search::{
        Edge, Frame, Reward, RootEdge, Searchable,
        growth::{Record, TAGS, Teller},
    },
};

const COUNTS: usize = 0;
const SUM: usize = 1;
const SHAPE: usize = 2;
const KEY: usize = 3;
const SQUARES_WORD: usize = 4;
/// One visit of a node, in the word that counts them.
const VISIT_BIT: u32 = 32;
/// The first slot that is used. Slot 0 is a node without visits, which stands for those that are not there yet.
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
        Shape(
            self.arena
                .word(Self::word(slot) + SHAPE)
                .load(Ordering::Acquire),
        )
    }

    fn set_shape(&self, slot: u32, shape: Shape) {
        self.arena.set(Self::word(slot) + SHAPE, shape.0);
    }

    /// The node of a key. If there is none yet, it is going to be in `slot`; none if there is no room in the index.
    #[inline(always)]
    fn node_of(&self, key: u64, slot: u32) -> Option<u32> {
        let Some(index) = &self.index else {
            return Some(slot);
        };
        // Who finds the slot in the index looks here.
        self.arena.set(Self::word(slot) + KEY, key);
        let key_of = |slot| self.arena.get(Self::word(slot) + KEY);
        index.find_or_insert(key, slot, key_of, self.parallel)
    }

    /// Notes which node the move in `slot` leads to, and how. Another thread may have done so at the same time; and a
    /// third may have found the node in the index and a result for it, which stays.
    #[inline(always)]
    fn connect(&self, slot: u32, node: u32, symmetry: Symmetry, inverted: bool) -> Shape {
        let word = self.arena.word(Self::word(slot) + SHAPE);
        let mut shape = self.shape(slot);
        while shape.node(slot) == 0 {
            let connected = shape.leading_to(node, slot, symmetry, inverted);
            if !self.parallel {
                word.store(connected.0, Ordering::Relaxed);
                return connected;
            }
            match word.compare_exchange(shape.0, connected.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return connected,
                Err(now) => shape = Shape(now),
            }
        }
        shape
    }

    /// Counts visits of a node and of the move that led there.
    #[inline(always)]
    fn count(&self, step: &Step, visits: u64) {
        let node = Self::word(step.node) + COUNTS;
        let edge = Self::word(step.edge as u32) + COUNTS;
        let of_node = visits << VISIT_BIT;
        // Beside others one step is better than two; alone a jump that nobody could foretell is worse.
        if self.parallel && node == edge {
            self.arena.add(node, of_node.wrapping_add(visits), true);
            return;
        }
        self.arena.add(node, of_node, self.parallel);
        if step.edge != 0 {
            self.arena.add(edge, visits, self.parallel);
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

    /// Keeps what can be reached from the node `root` and slides it to the front of the arena.
    fn keep_only(&mut self, root: u32) {
        let slots = self.slots();
        // Where a slot goes; 0 if it does not stay. At first only whether it stays.
        let mut places = vec![0; slots as usize];
        places[root as usize] = root;
        let mut pending = vec![root];
        while let Some(node) = pending.pop() {
            let (first, count) = self.shape(node).children();
            // The children of a node that was met before stay already.
            if count == 0 || places[first] != 0 {
                continue;
            }
            for slot in (first as u32..).take(count) {
                places[slot as usize] = slot;
                pending.push(self.shape(slot).node(slot));
            }
        }
        for slot in (0..slots).filter(|&slot| places[slot as usize] != 0) {
            let node = self.shape(slot).node(slot);
            if node != 0 && places[node as usize] == 0 {
                self.save_node(node, slot);
            }
        }
        let (mut end, mut before) = (FIRST, 0);
        for slot in 0..slots {
            if places[slot as usize] != 0 {
                self.arena
                    .copy_down(Self::word(slot), Self::word(end), Self::WORDS);
                if let Some(&counts) = self.counts_before.get(slot as usize) {
                    self.counts_before[end as usize] = counts;
                    before = end + 1;
                }
                places[slot as usize] = end;
                end += 1;
            }
        }
        self.counts_before.truncate(before as usize);
        self.arena.truncate(Self::word(end));
        self.root = places[root as usize];
        if let Some(index) = &mut self.index {
            index.clear();
        }
        for slot in FIRST..end {
            let shape = self.shape(slot);
            self.set_shape(slot, shape.placed(places[shape.place() as usize]));
            if !shape.is_link() {
                // There was room for more nodes than these.
                let _ = self.node_of(self.arena.get(Self::word(slot) + KEY), slot);
            }
        }
    }

    /// The slot of a node is not going to stay, but `slot` is, which has a link to it: the node moves there. The links
    /// of others find it by the link that it leaves behind.
    fn save_node(&self, node: u32, slot: u32) {
        let (shape, old) = (self.shape(slot), self.shape(node));
        if old.is_link() {
            return self.set_shape(slot, shape.placed(old.place()));
        }
        let (from, to) = (Self::word(node), Self::word(slot));
        let visits = self.arena.get(from + COUNTS) >> VISIT_BIT << VISIT_BIT;
        self.arena
            .set(to + COUNTS, visits | self.arena.get(to + COUNTS));
        for word in (0..Self::WORDS).filter(|&word| word != COUNTS && word != SHAPE) {
            self.arena.set(to + word, self.arena.get(from + word));
        }
        self.set_shape(slot, shape.taking_over(old));
        self.set_shape(node, Shape::link_to(slot));
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
            if let Some(outcome) = Store::<G>::proven(self, node) {
                teller.tell(Record::Proven { node, outcome });
            }
            for slot in slots {
                let child = self.shape(slot).node(slot);
                if child == 0 {
                    continue;
                }
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

    fn copy(&self) -> Self {
        Self {
            arena: self.arena.copy(),
            index: None,
            root: self.root,
            counts_before: self.counts_before.clone(),
            sharing: self.sharing,
            parallel: false,
        }
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
        // An empty index has room.
        let _ = self.node_of(key, FIRST);
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
            .map(|slot| self.shape(slot).node(slot))
            .filter(|&node| node != 0);
        if let Some(node) = found {
            self.keep_only(node);
        }
        found.is_some()
    }

    fn mark_inherited(&mut self) {
        self.counts_before = Vec::new();
        if Store::<G>::visits(self, self.root) > 0 {
            self.counts_before = (0..self.slots())
                .map(|slot| self.arena.get(Self::word(slot) + COUNTS))
                .collect();
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
        (self.arena.get(Self::word(node) + COUNTS) >> VISIT_BIT) as u32
    }

    #[inline(always)]
    fn edges(&self, node: u32) -> (usize, usize) {
        self.shape(node).children()
    }

    #[inline(always)]
    fn move_of(&self, edge: usize) -> G::Move {
        G::move_from_bits(self.shape(edge as u32).mv())
    }

    #[inline(always)]
    fn tally(&self, edge: usize, mover: Player) -> Tally {
        let own = self.arena.slice(Self::word(edge as u32), Self::WORDS);
        let shape = Shape(own[SHAPE].load(Ordering::Acquire));
        // Without a node these are the figures of one that was never visited.
        let node = Self::word(shape.node(edge as u32));
        let node = self.arena.slice(node, Self::WORDS);
        let visits = (node[COUNTS].load(Ordering::Relaxed) >> VISIT_BIT) as u32;
        let squares = if SQUARES {
            node[SQUARES_WORD].load(Ordering::Relaxed)
        } else {
            0
        };
        let (sum, squares) = sums_seen_by(
            node[SUM].load(Ordering::Relaxed),
            squares,
            visits,
            turned_if(mover, shape.inverted()),
        );
        Tally {
            chosen: own[COUNTS].load(Ordering::Relaxed) as u32,
            visits,
            sum,
            squares: if SQUARES { squares } else { 0 },
        }
    }

    #[inline(always)]
    fn four_tallies<L: Lanes>(&self, first: usize, mover: Player) -> Four<L> {
        let words = self.arena.words();
        let own = &words[Self::word(first as u32)..][..4 * Self::WORDS];
        let mut chosen = [0; 4];
        let mut visits = [0; 4];
        let mut sum = [0; 4];
        let mut squares = [0; 4];
        let mut shapes = [0; 4];
        for lane in 0..4 {
            let own = &own[lane * Self::WORDS..][..Self::WORDS];
            let shape = Shape(own[SHAPE].load(Ordering::Acquire));
            // Without a node these are the figures of one that was never visited.
            let node = Self::word(shape.node((first + lane) as u32));
            let node = &words[node..node + Self::WORDS];
            chosen[lane] = own[COUNTS].load(Ordering::Relaxed);
            visits[lane] = node[COUNTS].load(Ordering::Relaxed);
            sum[lane] = node[SUM].load(Ordering::Relaxed);
            if SQUARES {
                squares[lane] = node[SQUARES_WORD].load(Ordering::Relaxed);
            }
            shapes[lane] = shape.0;
        }
        let visits = L::from(visits) >> L::splat(VISIT_BIT.into());
        let mut turned = L::splat(if mover == Player::First { 0 } else { !0 });
        if self.sharing.invert_colours {
            turned = turned ^ Shape::four_inverted(shapes);
        }
        let (sum, squares) = four_sums_seen_by(sum.into(), squares.into(), visits, turned);
        Four {
            chosen: L::from(chosen) & L::splat(u32::MAX.into()),
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
    fn can_follow(&self, edge: usize) -> bool {
        let has_room = |index: &Index| !index.is_full();
        self.shape(edge as u32).node(edge as u32) != 0 || self.index.as_ref().is_none_or(has_room)
    }

    #[inline(always)]
    fn proven(&self, node: u32) -> Option<Outcome> {
        self.shape(node).proven()
    }

    #[inline(always)]
    fn edge_proven(&self, edge: usize) -> Option<Outcome> {
        let shape = self.shape(edge as u32);
        let proven = self.shape(shape.node(edge as u32)).proven()?;
        Some(if shape.inverted() {
            exchanged(proven)
        } else {
            proven
        })
    }

    fn prove(&self, node: u32, outcome: Outcome) {
        self.arena
            .word(Self::word(node) + SHAPE)
            .fetch_or(Shape::proof(outcome), Ordering::Relaxed);
    }

    #[inline(always)]
    fn expand(&self, node: u32, _: &G, moves: &[G::Move], plot: &mut Plot) -> Expansion {
        const { assert!(G::MOVE_BITS <= Shape::MOVE_BITS) };
        debug_assert!(moves.len() <= Shape::MOST_CHILDREN);
        let word = self.arena.word(Self::word(node) + SHAPE);
        if self.parallel {
            let childless = word.load(Ordering::Relaxed) & !Shape::CHILDREN;
            // The thread that put the node into the index has not said yet that it is here.
            if Shape(childless).is_link() {
                return Expansion::Busy;
            }
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
            self.arena.set(start + SHAPE, shape.0);
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
        Expansion::Done
    }

    #[inline(always)]
    fn follow(&self, edge: usize, position: &mut G, flipped: bool, _: &mut Plot) -> Option<Step> {
        let slot = edge as u32;
        let mover = position.to_move();
        let mut shape = self.shape(slot);
        let mv = G::move_from_bits(shape.mv());
        let is_new = shape.node(slot) == 0;
        if is_new {
            let mut after = position.clone();
            after.play(mv);
            let (symmetry, inverted) = if self.sharing.groups() {
                let (image, symmetry, inverted) = self.sharing.canonical(&after);
                after = image;
                (symmetry, inverted)
            } else {
                (Symmetry::IDENTITY, false)
            };
            let node = self.node_of(after.key(), slot)?;
            shape = self.connect(slot, node, symmetry, inverted);
            *position = after;
        } else {
            position.play(mv);
            if shape.inverted()
                && let Some(inverted) = position.inverted()
            {
                *position = inverted;
            }
            if shape.symmetry() != Symmetry::IDENTITY {
                *position = position.image(shape.symmetry());
            }
        }
        Some(Step {
            edge,
            node: shape.node(slot),
            mover,
            flipped: flipped ^ shape.inverted(),
            is_new,
        })
    }

    #[inline(always)]
    fn announce(&self, step: &Step, visits: u32) {
        self.count(step, visits.into());
    }

    #[inline(always)]
    fn tell(&self, step: &Step, news: &News) {
        let node = Self::word(step.node);
        let (sum, squares) = news.seen_by(turned_if(Player::First, step.flipped));
        if news.visits != 0 {
            self.count(step, news.visits as u64);
        }
        self.arena.add(node + SUM, sum, self.parallel);
        if SQUARES {
            self.arena.add(node + SQUARES_WORD, squares, self.parallel);
        }
    }

    fn usage(&self) -> (usize, u64) {
        let index = self.index.as_ref().map_or(0, Index::words);
        let words = self.arena.used() + index + self.counts_before.len();
        (words, u64::from(self.slots() - FIRST))
    }

    fn view(&self, edge: usize) -> Edge<G::Move> {
        let shape = self.shape(edge as u32);
        let node = shape.node(edge as u32);
        let chosen = Store::<G>::chosen(self, edge);
        let before = self.before(edge as u32) as u32;
        let (node_visits, value) = self.figures(node);
        Edge {
            mv: G::move_from_bits(shape.mv()),
            child: (node != 0).then_some(node),
            visits: chosen.into(),
            recent_visits: (chosen - before).into(),
            node_visits: node_visits.into(),
            value: Reward::new(value),
            proven: Store::<G>::proven(self, node),
            cut: false,
            squares: self.squares(node),
            table: f64::NAN,
        }
    }

    fn root_figures(&self) -> (u64, u64, f64) {
        let (visits, value) = self.figures(self.root);
        let before = (self.before(self.root) >> VISIT_BIT) as u32;
        (visits.into(), (visits - before).into(), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{
            Game as _,
            connect_four::{Column, ConnectFour},
        },
        search::mcts::playout::ONE,
    };

    /// Plays `line` from the root, which wins; the node it leads to, and how often its last move was chosen.
    fn walk(graph: &impl Store<ConnectFour>, root: &ConnectFour, line: &[u8]) -> (u32, u32) {
        let mut position = *root;
        let mut path = vec![Step {
            edge: 0,
            node: graph.root(),
            mover: Player::Second,
            flipped: false,
            is_new: false,
        }];
        let plot = &mut Plot::default();
        for &column in line {
            let node = path[path.len() - 1].node;
            if graph.edges(node).1 == 0 {
                let mut moves = Vec::new();
                position.legal_moves(&mut moves);
                assert_eq!(graph.expand(node, &position, &moves, plot), Expansion::Done);
            }
            let (first, count) = graph.edges(node);
            let edge = (first..first + count)
                .find(|&edge| graph.move_of(edge) == Column(column))
                .expect("the column has room");
            path.push(graph.follow(edge, &mut position, false, plot).unwrap());
        }
        for step in &path {
            graph.tell(step, &News::of(ONE));
        }
        let last = path[path.len() - 1];
        (last.node, graph.chosen(last.edge))
    }

    #[test]
    fn a_node_outlives_the_move_that_reached_it_first() {
        let sharing = Sharing {
            transpositions: true,
            ..Sharing::default()
        };
        let mut graph = Graph::<true>::new(1 << 20, sharing);
        let mut root = ConnectFour::start(());
        graph.reset(&root);
        let (node, _) = walk(&graph, &root, &[0, 1, 4, 3, 2]);
        walk(&graph, &root, &[0, 1, 4, 3, 2, 5]);
        assert_eq!(walk(&graph, &root, &[2, 1, 0, 3, 4]), (node, 1));
        assert_eq!(walk(&graph, &root, &[2, 3, 4, 1, 0]), (node, 1));
        assert_eq!(walk(&graph, &root, &[2, 3, 4, 1, 0]), (node, 2));
        assert!(graph.advance(&root, Column(2)));
        root.play(Column(2));
        assert_eq!(Store::<ConnectFour>::root_figures(&graph), (3, 3, 1.0));
        Store::<ConnectFour>::mark_inherited(&mut graph);
        assert_eq!(Store::<ConnectFour>::root_figures(&graph), (3, 0, 1.0));
        // Both moves that are left lead to it, with what was known of it and what hangs below.
        let (node, chosen) = walk(&graph, &root, &[1, 0, 3, 4]);
        assert_eq!((chosen, graph.figures(node)), (2, (6, 1.0)));
        assert_eq!(walk(&graph, &root, &[3, 4, 1, 0]), (node, 3));
        assert_eq!(graph.figures(node), (7, 1.0));
        let squares = graph.arena.get(Graph::<true>::word(node) + SQUARES_WORD);
        assert_eq!(squares, 7 * ONE);
        let (below, chosen) = walk(&graph, &root, &[1, 0, 3, 4, 5]);
        assert_eq!((chosen, graph.figures(below)), (2, (2, 1.0)));
        // A way that was not taken before finds what is there.
        assert_eq!(walk(&graph, &root, &[1, 0, 5, 4, 3]), (below, 1));
    }
}
