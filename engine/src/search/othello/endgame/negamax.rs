//! Null-window searches: whether a position is worth more than alpha, and a bound of how much it is worth.
//!
//! All results are fail-soft: above alpha a lower bound of the score, else an upper bound. `!alpha`, which is `-alpha - 1`, is
//! the window seen by the other player.

use super::{
    board::{Board, Parity},
    last_squares::{LastFour, last_three, last_two, nearly_full, odd_first},
    order::{Child, promise},
    score::EmptySquares,
    table::{Entry, Table},
};
use crate::{
    machine::{InstructionSet, Routine, run_routine},
    search::exact::node_counter::Stopped,
};

/// Less than any score.
pub(super) const NO_SCORE: i32 = -127;
/// The greatest score.
const MAX_SCORE: i32 = 64;
/// From so many empty squares on, moves are sorted.
const SORTED_FROM: u32 = 7;
/// From so many on, positions are kept in the table.
const STORED_FROM: u32 = 8;
/// From so many on, the table is asked about all moves before one is searched (enhanced transposition cut-off, Plaat 1996).
const ENHANCED_FROM: u32 = 9;

/// A search of one question.
pub(super) struct Negamax<'a> {
    table: &'a Table,
    /// Whether the table has names for the empty squares.
    uses_table: bool,
    pub(super) empty_squares: EmptySquares,
    pub(super) nodes: u64,
    is_stopped: bool,
    is_exhausted: &'a mut dyn FnMut(u64) -> bool,
    /// The moves of all nodes on the current line, behind each other.
    children: Vec<Child>,
}

impl<'a> Negamax<'a> {
    /// A search that asks `is_exhausted` with its nodes whether it must stop. `uses_table` is what [`Table::begin`] said.
    pub(super) fn new(
        table: &'a Table,
        uses_table: bool,
        empty_squares: EmptySquares,
        is_exhausted: &'a mut dyn FnMut(u64) -> bool,
    ) -> Self {
        Self {
            table,
            uses_table,
            empty_squares,
            nodes: 0,
            is_stopped: false,
            is_exhausted,
            children: Vec::with_capacity(256),
        }
    }

    /// A bound of the score of `board`: a lower one above alpha, else an upper one.
    pub(super) fn bound(&mut self, board: Board, alpha: i32) -> Result<i32, Stopped> {
        self.children.clear();
        self.check();
        if self.is_stopped {
            return Err(Stopped);
        }
        let bound = run_routine::<Root, Self>(self, (board, alpha));
        if self.is_stopped {
            Err(Stopped)
        } else {
            Ok(bound)
        }
    }

    /// The score of `board`, by null windows that begin at a guess and move towards it (MTD, Plaat 1996).
    pub(super) fn score(&mut self, board: Board, guess: i32) -> Result<i32, Stopped> {
        let step = self.empty_squares.step();
        let (mut lower, mut upper) = (-MAX_SCORE, MAX_SCORE);
        // Scores of which the step is 2 are even.
        let mut alpha = guess / step * step - 1;
        while lower < upper {
            let bound = self.bound(board, alpha)?;
            if bound > alpha {
                lower = bound;
                alpha = bound + step - 1;
            } else {
                upper = bound;
                alpha = bound - 1;
            }
        }
        Ok(lower)
    }

    #[inline(always)]
    fn check(&mut self) {
        self.is_stopped |= (self.is_exhausted)(self.nodes);
    }
}

/// The first node of a search.
struct Root;

impl<'a> Routine<Negamax<'a>> for Root {
    type Arguments = (Board, i32);
    type Out = i32;

    #[inline(always)]
    fn run<S: InstructionSet>(
        set: S,
        negamax: &mut Negamax<'a>,
        (board, alpha): Self::Arguments,
    ) -> i32 {
        let empty = board.empty();
        let parity = Parity::of(empty);
        let [a, b, c, _] = odd_first(if empty.count_ones() < 4 { empty } else { 0 }, parity);
        match empty.count_ones() {
            0 | 1 => nearly_full(negamax.empty_squares, board),
            2 => last_two::<S::Lanes>(negamax, board, [a, b], alpha),
            3 => last_three::<S::Lanes>(negamax, board, [a, b, c], alpha),
            empty_count => {
                let vacant = if negamax.uses_table {
                    negamax.table.name_bits(empty)
                } else {
                    0
                };
                let node = Node {
                    board,
                    alpha,
                    parity,
                    vacant,
                    empty_count,
                };
                node.search(set, negamax)
            }
        }
    }
}

/// A position to be searched.
#[derive(Clone, Copy)]
struct Node {
    board: Board,
    alpha: i32,
    parity: Parity,
    /// The empty squares by their names in the table.
    vacant: u32,
    empty_count: u32,
}

impl Node {
    /// The node after a move of this one; its names are needed where it is stored.
    #[inline(always)]
    fn child(&self, board: Board, square: u32, vacant: u32) -> Self {
        Self {
            board,
            alpha: !self.alpha,
            parity: self.parity.after(square),
            vacant,
            empty_count: self.empty_count - 1,
        }
    }

    #[inline(always)]
    fn search<S: InstructionSet>(self, set: S, negamax: &mut Negamax<'_>) -> i32 {
        match self.empty_count {
            ..=4 => set.call::<LastFour, _>(negamax, (self.board, self.parity, self.alpha)),
            5..SORTED_FROM => set.call::<Shallow, _>(negamax, self),
            _ => set.call::<Deep, _>(negamax, self),
        }
    }

    /// The score where the player to move has no move.
    #[inline(always)]
    fn search_pass<S: InstructionSet>(self, set: S, negamax: &mut Negamax<'_>) -> i32 {
        let passed = Self {
            board: self.board.passed(),
            alpha: !self.alpha,
            ..self
        };
        if passed.board.moves::<S::Lanes>() == 0 {
            return negamax.empty_squares.final_score(self.board);
        }
        -passed.search(set, negamax)
    }
}

/// Five or six empty squares: moves into odd quadrants first.
struct Shallow;

impl<'a> Routine<Negamax<'a>> for Shallow {
    type Arguments = Node;
    type Out = i32;

    #[inline(always)]
    fn run<S: InstructionSet>(set: S, negamax: &mut Negamax<'a>, node: Node) -> i32 {
        negamax.nodes += 1;
        let moves = node.board.moves::<S::Lanes>();
        if moves == 0 {
            return node.search_pass(set, negamax);
        }
        let odd = node.parity.odd_squares();
        let mut best = NO_SCORE;
        for mut squares in [moves & odd, moves & !odd] {
            while squares != 0 {
                let square = squares.trailing_zeros();
                squares &= squares - 1;
                let board = node
                    .board
                    .after(square, node.board.flips::<S::Lanes>(square));
                let child = node.child(board, square, 0);
                best = best.max(-child.search(set, negamax));
                if best > node.alpha {
                    return best;
                }
            }
        }
        best
    }
}

/// More empty squares: with the table, and the most promising moves first.
struct Deep;

impl<'a> Routine<Negamax<'a>> for Deep {
    type Arguments = Node;
    type Out = i32;

    #[inline(always)]
    fn run<S: InstructionSet>(set: S, negamax: &mut Negamax<'a>, node: Node) -> i32 {
        negamax.nodes += 1;
        // These are few of the nodes. In a new table each may have to wait for a huge page.
        if node.empty_count >= STORED_FROM {
            negamax.check();
        }
        if let Some(bound) = stability_bound(&node) {
            return bound;
        }
        let moves = node.board.moves::<S::Lanes>();
        if moves == 0 {
            return node.search_pass(set, negamax);
        }
        let is_stored = node.empty_count >= STORED_FROM && negamax.uses_table;
        let mut known = Entry {
            lower: -MAX_SCORE,
            upper: MAX_SCORE,
            best: 0,
        };
        let mut best_before = None;
        if is_stored && let Some(entry) = negamax.table.get(node.board.own, node.vacant) {
            if entry.lower > node.alpha {
                return entry.lower;
            }
            if entry.upper <= node.alpha {
                return entry.upper;
            }
            known = entry;
            best_before = Some(negamax.table.best_square(entry));
        }
        let nodes_before = negamax.nodes;
        let first = negamax.children.len();
        let listed = list_children::<S>(negamax, &node, moves, best_before, is_stored);
        let best = match listed {
            Some(bound) => (bound, None),
            None => search_children(set, negamax, &node, first),
        };
        negamax.children.truncate(first);
        if negamax.is_stopped {
            return 0;
        }
        let (best, Some(square)) = best else {
            return best.0;
        };
        if is_stored {
            if best > node.alpha {
                known.lower = known.lower.max(best);
            } else {
                known.upper = known.upper.min(best);
            }
            known.best = negamax.table.name(square);
            let nodes = negamax.nodes - nodes_before;
            (negamax.table).put(node.board.own, node.vacant, known, nodes);
        }
        best
    }
}

/// An upper bound of the score by discs of the opponent that stay, if it settles the question.
#[inline(always)]
fn stability_bound(node: &Node) -> Option<i32> {
    // With more to turn over, discs that settle it are too rare to be looked for.
    if node.alpha < 2 * node.empty_count as i32 - 2 {
        return None;
    }
    let stable = node.board.stable_of_opponent().count_ones();
    let bound = MAX_SCORE - 2 * stable as i32;
    (bound <= node.alpha).then_some(bound)
}

/// Lists the moves with their promises. Gives a lower bound of the score instead, if one of them settles the question at once.
#[inline(always)]
fn list_children<S: InstructionSet>(
    negamax: &mut Negamax<'_>,
    node: &Node,
    mut moves: u64,
    best_before: Option<u32>,
    is_stored: bool,
) -> Option<i32> {
    /// Behind all that are not known to be bad.
    const KNOWN_BAD: i32 = 1 << 12;
    let asks_table = is_stored && node.empty_count >= ENHANCED_FROM;
    while moves != 0 {
        let square = moves.trailing_zeros();
        moves &= moves - 1;
        let flips = node.board.flips::<S::Lanes>(square);
        if flips == node.board.opponent {
            // Nothing is left of the opponent.
            let empty = node.empty_count as i32 - 1;
            return Some(negamax.empty_squares.with_empty(64 - empty, empty));
        }
        let mut child = Child {
            board: node.board.after(square, flips),
            square,
            promise: 0,
        };
        if asks_table {
            let vacant = node.vacant & !negamax.table.name_bit(square);
            if let Some(entry) = negamax.table.get(child.board.own, vacant) {
                if -entry.upper > node.alpha {
                    return Some(-entry.upper);
                }
                if -entry.lower <= node.alpha {
                    child.promise -= KNOWN_BAD;
                }
            }
        }
        child.promise += if best_before == Some(square) {
            2 * KNOWN_BAD
        } else {
            promise::<S::Lanes>(&child, node.parity, node.empty_count)
        };
        negamax.children.push(child);
    }
    None
}

/// Searches the moves listed from `first` on, the most promising ones first. Gives the best score and its move.
#[inline(always)]
fn search_children<S: InstructionSet>(
    set: S,
    negamax: &mut Negamax<'_>,
    node: &Node,
    first: usize,
) -> (i32, Option<u32>) {
    let end = negamax.children.len();
    let (mut best, mut best_square) = (NO_SCORE, None);
    for place in first..end {
        let mut most = place;
        for other in place + 1..end {
            if negamax.children[other].promise > negamax.children[most].promise {
                most = other;
            }
        }
        negamax.children.swap(place, most);
        let Child { board, square, .. } = negamax.children[place];
        let vacant = node.vacant & !negamax.table.name_bit(square);
        let score = -node.child(board, square, vacant).search(set, negamax);
        if negamax.is_stopped {
            break;
        }
        if score > best {
            (best, best_square) = (score, Some(square));
            if score > node.alpha {
                break;
            }
        }
    }
    (best, best_square)
}
