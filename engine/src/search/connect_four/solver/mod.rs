//! The exact solver.
//!
//! Scores are in Pascal Pons' convention: the stones that the winner has not yet played when the game ends, of 21 each, plus
//! one: positive if the player to move wins, negative if the opponent does, 0 for a draw.

use std::ops::Range;

use super::opening_book;
use crate::{
    games::{
        Game as _,
        connect_four::{Column, ConnectFour, has_four},
    },
    search::exact::{
        Exact, ExactMoves, ExactValue, SolveContext, ValueClass,
        crew::{self, InProgress, NodeRange, Questions},
        node_counter::Stopped,
    },
};
use board::{Board, CELLS, mirrored};
use negamax::Negamax;
use table::Table;

mod board;
mod follow_up;
mod negamax;
mod order;
mod table;

/// Nodes in which a line of best play is continued where the book ends, about 0.1 s: what the book knows is told at once.
const MAX_NODES_BEYOND_BOOK: u64 = 1_000_000;

/// Exact solver of connect four. With one thread, the same questions in the same order always take the same nodes.
pub struct ConnectFourSolver {
    table: Table,
    threads: usize,
    uses_book: bool,
    nodes: u64,
}

impl ConnectFourSolver {
    /// A solver whose table grows to at most `bytes`. Several `threads` share the work on one position and on many.
    pub fn with_memory(bytes: usize, threads: usize) -> Self {
        Self {
            table: Table::with_memory(bytes),
            threads: threads.max(1),
            uses_book: false,
            nodes: 0,
        }
    }

    /// The same solver, which takes what the embedded book knows from there.
    pub fn with_book(self) -> Self {
        Self {
            uses_book: true,
            ..self
        }
    }

    /// Bytes that the table has grown to.
    pub fn memory_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Runs `search` on this thread under the limits of `context`. `nodes` is from those already spent under them to the most.
    fn run<T>(
        &mut self,
        context: &mut SolveContext<'_>,
        nodes: Range<u64>,
        search: impl FnOnce(&mut Negamax<'_>) -> Result<T, Stopped>,
    ) -> Option<T> {
        let mut is_exhausted = |new| {
            let spent = nodes.start + new;
            context.is_exhausted(spent) || spent >= nodes.end
        };
        let mut negamax = Negamax::new(&self.table, &mut is_exhausted);
        let result = search(&mut negamax);
        self.nodes += negamax.counter.nodes;
        result.ok()
    }

    /// The scores of `boards`, in which nobody has won.
    fn scores(&mut self, boards: &[Board], context: &mut SolveContext<'_>) -> Vec<Option<i32>> {
        if self.threads > 1 && !boards.is_empty() {
            return self.scores_by_threads(boards, context);
        }
        let start = self.nodes;
        let solve = |board: &Board| {
            let spent = self.nodes - start;
            self.run(context, spent..u64::MAX, |negamax| negamax.score(board))
        };
        boards.iter().map(solve).collect()
    }

    fn scores_by_threads(
        &mut self,
        boards: &[Board],
        context: &mut SolveContext<'_>,
    ) -> Vec<Option<i32>> {
        let questions = Questions::new(boards.to_vec());
        let table = &self.table;
        let solve = |board: &Board,
                     must_end: &mut dyn FnMut(u64) -> bool,
                     in_progress: Option<&InProgress>| {
            let mut negamax = Negamax::new(table, must_end).sharing(in_progress);
            (negamax.score(board).ok(), negamax.counter.nodes)
        };
        let all = NodeRange {
            made: 0,
            pause_at: u64::MAX,
        };
        self.nodes += crew::search(&solve, self.threads, &questions, all, context).nodes;
        questions.into_values()
    }

    /// The first move of a position that is worth its `score`. Of each move it is only asked whether it is as good, which takes one
    /// null window. `nodes` as in [`Self::run`].
    fn first_best(
        &mut self,
        position: &ConnectFour,
        score: i32,
        nodes: Range<u64>,
        context: &mut SolveContext<'_>,
    ) -> Option<Column> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let uses_book = self.uses_book;
        self.run(context, nodes, |negamax| {
            for mv in moves {
                let mut child = *position;
                child.play(mv);
                let board = Board::new(&child);
                let is_best = if has_four(board.opponent()) {
                    true
                } else if let Some(known) = book_score(&child, uses_book) {
                    known == -score
                } else {
                    !negamax.is_above(&board, -score)?
                };
                if is_best {
                    return Ok(Some(mv));
                }
            }
            Ok(None)
        })?
    }
}

impl Exact<ConnectFour> for ConnectFourSolver {
    fn value(
        &mut self,
        position: &ConnectFour,
        context: &mut SolveContext<'_>,
    ) -> Option<ExactValue> {
        let board = Board::new(position);
        if has_four(board.opponent()) {
            return Some(value_of_lost_game(&board));
        }
        let score = match book_score(position, self.uses_book) {
            Some(score) => score,
            None => self.scores(&[board], context).pop()??,
        };
        Some(value_of_score(&board, score))
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn clear(&mut self) {
        self.table.clear();
        self.nodes = 0;
    }

    /// Mirror images of moves from a symmetric position are not solved again.
    fn values(
        &mut self,
        position: &ConnectFour,
        context: &mut SolveContext<'_>,
    ) -> ExactMoves<ConnectFour> {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let board = Board::new(position);
        let is_symmetric =
            mirrored(board.own) == board.own && mirrored(board.occupied) == board.occupied;
        let distinct = if is_symmetric {
            moves.len().div_ceil(2)
        } else {
            moves.len()
        };
        let mut values = vec![None; moves.len()];
        let mut unsolved = Vec::new();
        for (index, &mv) in moves[..distinct].iter().enumerate() {
            let mut child = *position;
            child.play(mv);
            let board = Board::new(&child);
            if has_four(board.opponent()) {
                values[index] = Some(value_of_lost_game(&board).before_move(false));
            } else if let Some(score) = book_score(&child, self.uses_book) {
                values[index] = Some(value_of_score(&board, score).before_move(false));
            } else {
                unsolved.push((index, board));
            }
        }
        let boards: Vec<Board> = unsolved.iter().map(|&(_, child)| child).collect();
        let scores = self.scores(&boards, context);
        for ((index, child), score) in unsolved.into_iter().zip(scores) {
            values[index] = score.map(|score| value_of_score(&child, score).before_move(false));
        }
        for index in distinct..moves.len() {
            values[index] = values[moves.len() - 1 - index];
        }
        moves.into_iter().zip(values).collect()
    }

    /// A line that begins in the book ends a little behind it, so that what the book knows is told at once.
    fn best_line(&mut self, position: &ConnectFour, context: &mut SolveContext<'_>) -> Vec<Column> {
        let mut line = Vec::new();
        if position.outcome().is_some() {
            return line;
        }
        let start = self.nodes;
        let max_nodes = match book_score(position, self.uses_book) {
            Some(_) => MAX_NODES_BEYOND_BOOK,
            None => u64::MAX,
        };
        let Some(value) = self.value(position, context) else {
            return line;
        };
        let mut position = *position;
        let mut score = value.score.unwrap_or(0);
        while position.outcome().is_none() {
            let nodes = self.nodes - start..max_nodes;
            let Some(best) = self.first_best(&position, score, nodes, context) else {
                break;
            };
            position.play(best);
            line.push(best);
            score = -score;
        }
        line
    }
}

/// The score of a position in which nobody has won, if it may be taken from the book and is there.
fn book_score(position: &ConnectFour, uses_book: bool) -> Option<i32> {
    uses_book.then(|| opening_book::score(position))?
}

/// The value of a position in which the opponent of the player to move has four.
fn value_of_lost_game(board: &Board) -> ExactValue {
    ExactValue {
        class: ValueClass::Loss,
        score: Some(board.stones.div_ceil(2) as i32 - 22),
        plies: Some(0),
    }
}

/// The value of a position in which nobody has four, by its score: the number of stones at the end follows from it.
fn value_of_score(board: &Board, score: i32) -> ExactValue {
    let winners_stones = 22 - score.abs();
    let is_first_to_move = board.stones.is_multiple_of(2);
    let (class, is_won_by_first) = match score {
        1.. => (ValueClass::Win, is_first_to_move),
        0 => (ValueClass::Draw, false),
        _ => (ValueClass::Loss, !is_first_to_move),
    };
    let stones_at_end = match class {
        ValueClass::Draw => CELLS as i32,
        _ => 2 * winners_stones - i32::from(is_won_by_first),
    };
    ExactValue {
        class,
        score: Some(score),
        plies: Some((stones_at_end - board.stones as i32) as u32),
    }
}
