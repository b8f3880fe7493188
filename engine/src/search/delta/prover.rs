//! Proofs of Delta: whether a side can force a win within a number of plies.
//!
//! # Why answers do not depend on the path
//!
//! With stones in reserve every ply brings one more onto the board, so no position recurs. In the pick-up phase positions can
//! recur; the third occurrence and the 200th ply are draws. Let D be the number of plies in which a side forces its win on a board
//! without regard to these two rules. D depends on the board and on who moves alone. A side that has a win and always plays a
//! quickest one comes to boards of ever smaller D, so no board recurs before its win. Repetition therefore takes no win away, and
//! it cannot give one. So a side wins a position exactly if D is at most the plies left to the 200th; if neither side does, it is a
//! draw. The prover answers "is D at most n?", and its table holds bounds of D.

use super::{
    board::{
        BOARD, can_win_at_once, completing_squares, count_slides, for_each_slide, is_pick_up, pack,
        pack_canonical,
    },
    proof_table::{ProofTable, Question},
};
use crate::{
    games::delta::{Equaliser, STONES_PER_SIDE},
    search::exact::SolveContext,
};

/// The limits of the question ran out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interrupted;

/// A board, from the side of the player to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) own: u32,
    pub(super) opponent: u32,
    /// Plies played, at most [`PICK_UP_PLY`].
    pub(super) ply: u8,
}

/// The first ply of the pick-up phase. Until then there are as many stones on the board as plies were played.
pub(super) const PICK_UP_PLY: u8 = 2 * STONES_PER_SIDE as u8;

/// The ply of the equaliser.
const EQUALISER_PLY: u8 = 3;
/// Up to so many stones the images of a board share a table entry; later they hardly ever meet (1 % of the nodes).
const MAX_CANONICAL_PLY: u8 = 8;
/// Plies below which the table is not asked about every child before the first is searched.
const MIN_CHILD_PROBE_PLIES: u32 = 5;
/// Nodes between two looks at the limits.
const NODES_PER_CHECK: u64 = 16;

impl Node {
    fn after(self, stones: u32) -> Self {
        Self {
            own: self.opponent,
            opponent: stones,
            ply: (self.ply + 1).min(PICK_UP_PLY),
        }
    }

    fn question(self, attacker_to_move: bool) -> Question {
        let board = if self.ply <= MAX_CANONICAL_PLY {
            pack_canonical(self.own, self.opponent)
        } else {
            pack(self.own, self.opponent)
        };
        Question::new(board, attacker_to_move)
    }
}

/// The stones of a mover after its move, and how promising that is: greater is searched first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) stones: u32,
    order: i32,
}

/// What a look at all moves of a node tells.
enum Expansion {
    /// The mover wins within so many plies.
    MoverWins(u32),
    /// The moves that do not lose at once are on the stack.
    Open,
}

/// One question to the prover: its table, limits and working memory.
pub(super) struct Prover<'a, 'c> {
    pub(super) table: &'a mut ProofTable,
    pub(super) context: &'a mut SolveContext<'c>,
    pub(super) equaliser: Equaliser,
    /// Nodes since the question was asked.
    pub(super) nodes: u64,
    /// The children of all nodes on the path.
    pub(super) children: &'a mut Vec<Child>,
}

impl Prover<'_, '_> {
    /// Whether the attacker, who is to move or not, wins within `plies`: an odd number if it is to move, else an even one.
    pub(super) fn attacker_wins(
        &mut self,
        node: Node,
        attacker_to_move: bool,
        plies: u32,
    ) -> Result<bool, Interrupted> {
        debug_assert_eq!(plies % 2 == 1, attacker_to_move);
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_CHECK) && self.context.is_exhausted(self.nodes) {
            return Err(Interrupted);
        }
        if can_win_at_once(node.own, node.opponent) && self.can_slide(node) {
            return Ok(attacker_to_move);
        }
        if plies == 0 && self.has_move(node) {
            return Ok(false);
        }
        let question = node.question(attacker_to_move);
        if let Some(answer) = self.table.answer(question, plies) {
            return Ok(answer);
        }
        let nodes_before = self.nodes;
        let base = self.children.len();
        let answer = self.search_children(node, attacker_to_move, plies);
        self.children.truncate(base);
        let answer = answer?;
        let nodes = self.nodes - nodes_before;
        self.table.store(question, plies, answer, nodes);
        Ok(answer)
    }

    fn search_children(
        &mut self,
        node: Node,
        attacker_to_move: bool,
        plies: u32,
    ) -> Result<bool, Interrupted> {
        let base = self.children.len();
        if let Expansion::MoverWins(within) = self.expand(node, plies) {
            // A win of the defender is no win of the attacker however late it comes.
            return Ok(attacker_to_move && within <= plies);
        }
        if attacker_to_move && plies < 3 {
            return Ok(false);
        }
        if plies >= MIN_CHILD_PROBE_PLIES
            && self.is_decided_by_table(node, attacker_to_move, plies, base)
        {
            return Ok(attacker_to_move);
        }
        for index in base..self.children.len() {
            let rest = &mut self.children[index..];
            let best = (0..rest.len()).reduce(|best, next| {
                if rest[next].order > rest[best].order {
                    next
                } else {
                    best
                }
            });
            rest.swap(0, best.unwrap_or(0));
            let child = node.after(rest[0].stones);
            if self.attacker_wins(child, !attacker_to_move, plies - 1)? == attacker_to_move {
                return Ok(attacker_to_move);
            }
        }
        Ok(!attacker_to_move)
    }

    /// Puts all moves of a node on the stack but those that lose at once.
    fn expand(&mut self, node: Node, plies: u32) -> Expansion {
        let base = self.children.len();
        self.push_moves(node);
        if self.children.len() == base {
            return Expansion::Open;
        }
        let opponent_places = self.can_place(node.ply + 1);
        let mut kept = base;
        for index in base..self.children.len() {
            let stones = self.children[index].stones;
            let empty = BOARD & !(stones | node.opponent);
            let mobility = count_slides(node.opponent, empty);
            if mobility == 0 && !opponent_places {
                return Expansion::MoverWins(1);
            }
            if !opponent_places && can_win_at_once(node.opponent, stones) {
                continue;
            }
            let mut safe_replies = mobility;
            if plies >= 2 && !opponent_places && can_win_at_once(stones, node.opponent) {
                if let Some(count) = count_safe_replies(node.opponent, stones) {
                    safe_replies = count;
                }
                if safe_replies == 0 {
                    return Expansion::MoverWins(3);
                }
            }
            let lines = (completing_squares(stones) & empty).count_ones();
            // Replies that do not lose at once count most: without them a proof takes twice the nodes.
            let order = 2 * lines as i32 - 4 * safe_replies as i32 - 3 * mobility as i32;
            self.children[kept] = Child { stones, order };
            kept += 1;
        }
        self.children.truncate(kept);
        Expansion::Open
    }

    /// Enhanced transposition cut-off: true if the table knows a child that decides the node for its mover. Children that it knows
    /// to be of no use are removed.
    fn is_decided_by_table(
        &mut self,
        node: Node,
        attacker_to_move: bool,
        plies: u32,
        base: usize,
    ) -> bool {
        let mut kept = base;
        for index in base..self.children.len() {
            let child = self.children[index];
            let question = node.after(child.stones).question(!attacker_to_move);
            match self.table.answer(question, plies - 1) {
                Some(won) if won == attacker_to_move => return true,
                Some(_) => {}
                None => {
                    self.children[kept] = child;
                    kept += 1;
                }
            }
        }
        self.children.truncate(kept);
        false
    }

    /// Puts the boards that the moves of a node lead to on the stack, each once.
    pub(super) fn push_moves(&mut self, node: Node) {
        let Node { own, opponent, ply } = node;
        let base = self.children.len();
        let children = &mut *self.children;
        let mut push = |stones| children.push(Child { stones, order: 0 });
        if self.equaliser.can_place(ply) {
            for square in crate::machine::iter_ones((BOARD & !(own | opponent)).into()) {
                push(own | 1 << square);
            }
        }
        if self.equaliser.can_slide(ply) {
            for_each_slide(own, opponent, push);
        }
        if is_pick_up(own) {
            self.children[base..].sort_unstable_by_key(|child| child.stones);
            let mut kept = base;
            for index in base..self.children.len() {
                if index == base || self.children[index].stones != self.children[kept - 1].stones {
                    self.children[kept] = self.children[index];
                    kept += 1;
                }
            }
            self.children.truncate(kept);
        }
    }

    fn can_place(&self, ply: u8) -> bool {
        self.equaliser.can_place(ply)
    }

    fn can_slide(&self, node: Node) -> bool {
        self.equaliser.can_slide(node.ply)
    }

    fn has_move(&self, node: Node) -> bool {
        let empty = BOARD & !(node.own | node.opponent);
        self.can_place(node.ply) || self.can_slide(node) && count_slides(node.own, empty) > 0
    }
}

/// The replies of `own` after which the opponent cannot win at once; `None` in the pick-up phase, where counting them costs more
/// than it saves.
fn count_safe_replies(own: u32, opponent: u32) -> Option<u32> {
    if is_pick_up(own) {
        return None;
    }
    let mut count = 0;
    for_each_slide(own, opponent, |stones| {
        count += u32::from(!can_win_at_once(opponent, stones));
    });
    Some(count)
}

/// The rules of the first plies.
trait FirstPlies {
    fn can_place(self, ply: u8) -> bool;
    fn can_slide(self, ply: u8) -> bool;
}

impl FirstPlies for Equaliser {
    #[inline(always)]
    fn can_place(self, ply: u8) -> bool {
        ply < 2 || ply == EQUALISER_PLY && self != Self::Off
    }

    #[inline(always)]
    fn can_slide(self, ply: u8) -> bool {
        ply >= 2 && !(ply == EQUALISER_PLY && self == Self::Forced)
    }
}
