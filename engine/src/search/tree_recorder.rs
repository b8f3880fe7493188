//! Records the nodes of a classical search, up to a limit, so that its tree can be viewed like a Monte-Carlo tree.

use std::io;

use super::{Bound, Cut, EdgeView, LiveTree, Reward, RootEdge, TreeCopy, TreeView, WindowResult};
use crate::games::{
    Game, Outcome, Player,
    evaluate::{WIN_VALUE, squash},
};

const NONE: u32 = u32::MAX;

/// Values from here on are proven wins: [`WIN_VALUE`] minus the ply of the win. Evaluations are clamped below.
pub(super) const MIN_WIN_VALUE: i32 = WIN_VALUE - 10_000;

/// Converts a value v for `mover` to a reward: 0 or 1 for `mover` if proven, else 0.5 + 0.5 v / (|v| + 200).
pub(super) fn value_to_reward(value: i32, mover: Player) -> Reward {
    if value >= MIN_WIN_VALUE {
        return Reward::from_player(mover, 1.0);
    }
    if value <= -MIN_WIN_VALUE {
        return Reward::from_player(mover, 0.0);
    }
    // `squash` maps to 0.2..0.8; stretch that to 0..1.
    Reward::new((squash(value, mover, 200) - 0.2) / 0.6)
}

/// The proven result that a value for `mover` stands for, if any.
pub(super) fn value_to_outcome(value: i32, mover: Player) -> Option<Outcome> {
    if value >= MIN_WIN_VALUE {
        Some(Outcome::Win(mover))
    } else {
        (value <= -MIN_WIN_VALUE).then(|| Outcome::Win(mover.opponent()))
    }
}

#[derive(Clone)]
struct RecordedNode<M> {
    mv: Option<M>,
    value: Reward,
    proven: Option<Outcome>,
    /// Size of the searched subtree, this node included; 0 if pruned.
    visits: u64,
    pruned: bool,
    window: Option<WindowResult>,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
}

/// Recorder of a depth-first search. Nodes are stored in the order they are entered.
#[derive(Clone)]
pub(super) struct TreeRecorder<G: Game> {
    root: Option<G>,
    nodes: Vec<RecordedNode<G::Move>>,
    max_nodes: usize,
}

/// A recorded node, or a placeholder once the recorder is full.
#[derive(Clone, Copy)]
pub(super) struct NodeHandle(u32);

impl NodeHandle {
    /// Of a node that no tree shows.
    pub(super) const NONE: Self = Self(NONE);
}

impl<G: Game> TreeRecorder<G> {
    /// A recorder of at most `max_nodes` nodes.
    pub(super) fn new(max_nodes: usize) -> Self {
        Self {
            root: None,
            nodes: Vec::new(),
            max_nodes,
        }
    }

    /// Discards the nodes and starts a new tree; returns the root.
    pub(super) fn start(&mut self, root: &G) -> NodeHandle {
        self.root = Some(root.clone());
        self.nodes.clear();
        self.push(NONE, None)
    }

    /// True if nothing has been recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn push(&mut self, parent: u32, mv: Option<G::Move>) -> NodeHandle {
        if self.nodes.len() >= self.max_nodes || parent == NONE && mv.is_some() {
            return NodeHandle(NONE);
        }
        let index = self.nodes.len() as u32;
        self.nodes.push(RecordedNode {
            mv,
            value: Reward::EVEN,
            proven: None,
            visits: 0,
            pruned: false,
            window: None,
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
        NodeHandle(index)
    }

    /// Records a child of `parent`. Descendants of a placeholder are placeholders.
    #[inline(always)]
    pub(super) fn enter(&mut self, parent: NodeHandle, mv: G::Move) -> NodeHandle {
        if parent.0 == NONE {
            parent
        } else {
            self.push(parent.0, Some(mv))
        }
    }

    /// Records the result of a node: its value for `mover`, the player to move there, and the size of its subtree.
    #[inline(always)]
    pub(super) fn leave(&mut self, entry: NodeHandle, value: i32, mover: Player, nodes: u64) {
        if let Some(node) = self.nodes.get_mut(entry.0 as usize) {
            node.value = value_to_reward(value, mover);
            node.proven = value_to_outcome(value, mover);
            node.visits = nodes;
        }
    }

    /// Whether children of a node would be recorded.
    #[inline(always)]
    pub(super) fn is_recording(&self, parent: NodeHandle) -> bool {
        parent.0 != NONE && self.nodes.len() < self.max_nodes
    }

    /// Forgets what is below a node, the last one entered at its ply: it is going to be searched again.
    pub(super) fn restart(&mut self, entry: NodeHandle) {
        if let Some(node) = self.nodes.get_mut(entry.0 as usize) {
            node.first_child = NONE;
            node.last_child = NONE;
            self.nodes.truncate(entry.0 as usize + 1);
        }
    }

    /// Records the window of a node and what came of it.
    #[inline(always)]
    pub(super) fn record_window(
        &mut self,
        entry: NodeHandle,
        result: impl FnOnce() -> WindowResult,
    ) {
        if let Some(node) = self.nodes.get_mut(entry.0 as usize) {
            node.window = Some(result());
        }
    }

    /// Records that a node was searched less deeply, and that this was enough.
    pub(super) fn record_reduction(&mut self, entry: NodeHandle) {
        let node = self.nodes.get_mut(entry.0 as usize);
        if let Some(window) = node.and_then(|node| node.window.as_mut()) {
            window.cut = Cut::Reduction;
        }
    }

    /// Records a node whose result is proven, draws included.
    pub(super) fn record_proven(&mut self, entry: NodeHandle, outcome: Outcome, nodes: u64) {
        if let Some(node) = self.nodes.get_mut(entry.0 as usize) {
            node.value = Reward::from_outcome(outcome);
            node.proven = Some(outcome);
            node.visits = nodes;
        }
    }

    /// Records moves that a beta cutoff skipped.
    pub(super) fn record_pruned(&mut self, parent: NodeHandle, moves: &[G::Move]) {
        for &mv in moves {
            let NodeHandle(index) = self.enter(parent, mv);
            if let Some(node) = self.nodes.get_mut(index as usize) {
                node.pruned = true;
                node.window = Some(WindowResult {
                    value: None,
                    alpha: None,
                    beta: None,
                    bound: Bound::Exact,
                    cut: Cut::NotSearched,
                    depth: 0,
                });
            }
        }
    }
}

impl<G: Game> TreeView<G> for TreeRecorder<G> {
    fn root_position(&self) -> &G {
        self.root
            .as_ref()
            .expect("lent out only when something was written down")
    }

    fn root(&self) -> u32 {
        0
    }

    fn root_stats(&self) -> (u64, u64, Reward) {
        let root = &self.nodes[0];
        (root.visits, root.visits, root.value)
    }

    fn for_each_edge(&self, node: u32, visit: &mut dyn FnMut(EdgeView<G::Move>)) {
        let mut next = self.nodes[node as usize].first_child;
        while let Some(node) = self.nodes.get(next as usize) {
            if let Some(mv) = node.mv {
                visit(EdgeView {
                    mv,
                    child: Some(next),
                    visits: node.visits,
                    recent_visits: node.visits,
                    node_visits: node.visits,
                    value: node.value,
                    proven: node.proven,
                    pruned: node.pruned,
                    prior: None,
                    squares: f64::NAN,
                    table: None,
                    window: node.window,
                });
            }
            next = node.next_sibling;
        }
    }

    fn root_edge(&self) -> RootEdge {
        RootEdge {
            proven: self.nodes[0].proven,
            window: self.nodes[0].window,
            ..RootEdge::default()
        }
    }
}

impl<G: Game> LiveTree<G> for TreeRecorder<G> {
    fn copy(&self) -> io::Result<TreeCopy<G>> {
        let mut nodes = Vec::new();
        nodes.try_reserve_exact(self.nodes.len())?;
        nodes.extend_from_slice(&self.nodes);
        Ok(Box::new(Self {
            root: self.root.clone(),
            nodes,
            max_nodes: self.max_nodes,
        }))
    }
}
