//! The tree of a classical search: the nodes it visited, up to a number, as they can be looked at beside a Monte-Carlo
//! tree.

use std::io;

use super::{Edge, LiveTree, Reward, RootEdge, TreeView};
use crate::games::{
    Game, Outcome, Player,
    evaluate::{WIN, squash},
};

const NONE: u32 = u32::MAX;

/// A value at least so large means a win within so many plies, not an opinion.
pub(super) const CERTAIN: i32 = WIN - 10_000;

/// What a value for `mover` is worth as a result: 0 and 1 for certain ones, in between by an S-shaped curve on which two
/// points ahead are three quarters.
pub(super) fn reward_of(value: i32, mover: Player) -> Reward {
    if value >= CERTAIN {
        return Reward::of(mover, 1.0);
    }
    if value <= -CERTAIN {
        return Reward::of(mover, 0.0);
    }
    // `squash` leaves 0.2 on either side; stretch it to the whole range.
    Reward::new((squash(value, mover, 200) - 0.2) / 0.6)
}

/// The certain result that a value for `mover` means, if it means one.
pub(super) fn proven_by(value: i32, mover: Player) -> Option<Outcome> {
    if value >= CERTAIN {
        Some(Outcome::Win(mover))
    } else {
        (value <= -CERTAIN).then(|| Outcome::Win(mover.opponent()))
    }
}

#[derive(Clone)]
struct Node<M> {
    mv: Option<M>,
    /// For the player to move at this node.
    value: Reward,
    proven: Option<Outcome>,
    /// Nodes searched below, itself included; 0 for one that was cut off.
    visits: u64,
    cut: bool,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
}

/// Writes down a search as it goes.
#[derive(Clone)]
pub(super) struct Recorder<G: Game> {
    root: Option<G>,
    nodes: Vec<Node<G::Move>>,
    most: usize,
}

/// A node that may have been too many to write down.
#[derive(Clone, Copy)]
pub(super) struct Entry(u32);

impl<G: Game> Recorder<G> {
    /// Writes down at most so many nodes.
    pub(super) fn new(most: usize) -> Self {
        Self {
            root: None,
            nodes: Vec::new(),
            most,
        }
    }

    /// Begins again at `root`.
    pub(super) fn begin(&mut self, root: &G) -> Entry {
        self.root = Some(root.clone());
        self.nodes.clear();
        self.push(NONE, None)
    }

    /// Whether there is something to look at.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn push(&mut self, parent: u32, mv: Option<G::Move>) -> Entry {
        if self.nodes.len() >= self.most || parent == NONE && mv.is_some() {
            return Entry(NONE);
        }
        let index = self.nodes.len() as u32;
        self.nodes.push(Node {
            mv,
            value: Reward::EVEN,
            proven: None,
            visits: 0,
            cut: false,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
        });
        if parent != NONE {
            let last = self.nodes[parent as usize].last_child;
            if last == NONE {
                self.nodes[parent as usize].first_child = index;
            } else {
                self.nodes[last as usize].next_sibling = index;
            }
            self.nodes[parent as usize].last_child = index;
        }
        Entry(index)
    }

    /// A move is followed.
    #[inline(always)]
    pub(super) fn enter(&mut self, parent: Entry, mv: G::Move) -> Entry {
        if parent.0 == NONE {
            parent
        } else {
            self.push(parent.0, Some(mv))
        }
    }

    /// And what came of it: the value for `mover`, who is to move there, and the nodes it took.
    #[inline(always)]
    pub(super) fn leave(&mut self, entry: Entry, value: i32, mover: Player, nodes: u64) {
        if let Some(node) = self.nodes.get_mut(entry.0 as usize) {
            node.value = reward_of(value, mover);
            node.proven = proven_by(value, mover);
            node.visits = nodes;
        }
    }

    /// These moves were cut off.
    pub(super) fn cut(&mut self, parent: Entry, moves: &[G::Move]) {
        for &mv in moves {
            let Entry(index) = self.enter(parent, mv);
            if let Some(node) = self.nodes.get_mut(index as usize) {
                node.cut = true;
            }
        }
    }
}

impl<G: Game> TreeView<G> for Recorder<G> {
    fn root_position(&self) -> &G {
        self.root
            .as_ref()
            .expect("lent out only when something was written down")
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_figures(&self) -> (u64, u64, Reward) {
        let root = &self.nodes[0];
        (root.visits, root.visits, root.value)
    }

    fn edges(&self, node: u32, visit: &mut dyn FnMut(Edge<G::Move>)) {
        let mut next = self.nodes[node as usize].first_child;
        while let Some(node) = self.nodes.get(next as usize) {
            if let Some(mv) = node.mv {
                visit(Edge {
                    mv,
                    child: Some(next),
                    visits: node.visits,
                    recent_visits: node.visits,
                    node_visits: node.visits,
                    value: node.value,
                    proven: node.proven,
                    cut: node.cut,
                    squares: f64::NAN,
                    table: None,
                });
            }
            next = node.next_sibling;
        }
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            proven: self.nodes[0].proven,
            ..RootEdge::default()
        }
    }
}

impl<G: Game> LiveTree<G> for Recorder<G> {
    fn copy(&self) -> io::Result<Box<dyn TreeView<G> + Send>> {
        let mut nodes = Vec::new();
        nodes.try_reserve_exact(self.nodes.len())?;
        nodes.extend_from_slice(&self.nodes);
        Ok(Box::new(Self {
            root: self.root.clone(),
            nodes,
            most: self.most,
        }))
    }
}
