//! The exact solver.
//!
//! Scores are in Pascal Pons' convention: the stones that the winner has not yet played when the game ends, of 21 each, plus
//! one: positive if the player to move wins, negative if the opponent does, 0 for a draw.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::{sync::mpsc, time::Duration};

use crate::{
    games::{
        Game as _,
        connect_four::{Column, ConnectFour, has_four},
    },
    search::exact::{Exact, ExactValue, SolveContext, ValueClass},
};
use board::{Board, CELLS, mirrored};
use negamax::{Negamax, Stopped};
use table::Table;

mod board;
mod follow_up;
mod negamax;
mod order;
mod table;

/// How often the thread that asked looks at its limits while other threads finish.
const SUPERVISE_INTERVAL: Duration = Duration::from_millis(2);

/// Exact solver of connect four. With one thread, the same questions in the same order always take the same nodes.
pub struct ConnectFourSolver {
    table: Table,
    threads: usize,
    nodes: u64,
}

impl ConnectFourSolver {
    /// A solver whose table grows to at most `bytes`. With several `threads`, [`Exact::values`] solves moves at the same time.
    pub fn with_memory(bytes: usize, threads: usize) -> Self {
        Self {
            table: Table::with_memory(bytes),
            threads: threads.max(1),
            nodes: 0,
        }
    }

    /// Bytes that the table has grown to.
    pub fn memory_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Runs `search` on this thread under the limits of `context`. `before` are the nodes already spent under them.
    fn run<T>(
        &mut self,
        context: &mut SolveContext<'_>,
        before: u64,
        search: impl FnOnce(&mut Negamax<'_>) -> Result<T, Stopped>,
    ) -> Option<T> {
        let mut is_exhausted = |nodes| context.is_exhausted(before + nodes);
        let mut negamax = Negamax::new(&self.table, &mut is_exhausted);
        let result = search(&mut negamax);
        self.nodes += negamax.nodes;
        result.ok()
    }

    /// The scores of `boards`, in which nobody has won, solved by several threads.
    fn scores(&mut self, boards: &[Board], context: &mut SolveContext<'_>) -> Vec<Option<i32>> {
        let (next, nodes, halt) = (
            AtomicUsize::new(0),
            AtomicU64::new(0),
            AtomicBool::new(false),
        );
        let (sender, results) = mpsc::channel();
        let mut scores = vec![None; boards.len()];
        let table = &self.table;
        std::thread::scope(|scope| {
            for _ in 0..self.threads.min(boards.len()) {
                let (next, nodes, halt) = (&next, &nodes, &halt);
                let (sender, mut budget) = (sender.clone(), context.helper_budget());
                scope.spawn(move || {
                    let mut counted = 0;
                    let mut is_exhausted = |own_nodes| {
                        nodes.fetch_add(own_nodes - counted, Relaxed);
                        counted = own_nodes;
                        halt.load(Relaxed) || budget.is_exhausted(own_nodes)
                    };
                    let mut negamax = Negamax::new(table, &mut is_exhausted);
                    while let Some(index) = Some(next.fetch_add(1, Relaxed))
                        && let Some(board) = boards.get(index)
                        && let Ok(score) = negamax.score(board)
                    {
                        // The receiver outlives the threads.
                        let _ = sender.send((index, score));
                    }
                    let own_nodes = negamax.nodes;
                    nodes.fetch_add(own_nodes - counted, Relaxed);
                });
            }
            drop(sender);
            loop {
                match results.recv_timeout(SUPERVISE_INTERVAL) {
                    Ok((index, score)) => scores[index] = Some(score),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
                if context.is_exhausted(nodes.load(Relaxed)) {
                    halt.store(true, Relaxed);
                }
            }
        });
        self.nodes += nodes.into_inner();
        scores
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
        let score = self.run(context, 0, |negamax| negamax.score(&board))?;
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
    ) -> Vec<(Column, Option<ExactValue>)> {
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
            let child = Board::new(&child);
            if has_four(child.opponent()) {
                values[index] = Some(value_of_lost_game(&child).before_move(false));
            } else {
                unsolved.push((index, child));
            }
        }
        let boards: Vec<Board> = unsolved.iter().map(|&(_, child)| child).collect();
        let scores = if self.threads > 1 && boards.len() > 1 {
            self.scores(&boards, context)
        } else {
            let start = self.nodes;
            let solve = |child: &Board| {
                let before = self.nodes - start;
                self.run(context, before, |negamax| negamax.score(child))
            };
            boards.iter().map(solve).collect()
        };
        for ((index, child), score) in unsolved.into_iter().zip(scores) {
            values[index] = score.map(|score| value_of_score(&child, score).before_move(false));
        }
        for index in distinct..moves.len() {
            values[index] = values[moves.len() - 1 - index];
        }
        moves.into_iter().zip(values).collect()
    }

    /// Asks of each move only whether it is as good as the best, which takes one null window.
    fn best_line(&mut self, position: &ConnectFour, context: &mut SolveContext<'_>) -> Vec<Column> {
        let mut position = *position;
        let mut line = Vec::new();
        if position.outcome().is_some() {
            return line;
        }
        let start = self.nodes;
        let board = Board::new(&position);
        let Some(mut score) = self.run(context, 0, |negamax| negamax.score(&board)) else {
            return line;
        };
        let mut moves = Vec::new();
        while position.outcome().is_none() {
            position.legal_moves(&mut moves);
            let before = self.nodes - start;
            let best = self.run(context, before, |negamax| {
                for &mv in &moves {
                    let mut child = position;
                    child.play(mv);
                    let child = Board::new(&child);
                    let is_best = if has_four(child.opponent()) {
                        true
                    } else {
                        !negamax.is_above(&child, -score)?
                    };
                    if is_best {
                        return Ok(Some(mv));
                    }
                }
                Ok(None)
            });
            let Some(Some(best)) = best else { break };
            position.play(best);
            line.push(best);
            score = -score;
        }
        line
    }
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
