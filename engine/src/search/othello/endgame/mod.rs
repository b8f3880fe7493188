//! The exact solver of endings: the score of othello positions with up to about 24 empty squares.
//!
//! Null-window negamax with a table, moves in order of the opponent's mobility, and parity. The score is the difference of discs
//! at the end under best play; see [`EmptySquares`].

use crate::{
    games::{
        Game as _,
        othello::{Othello, OthelloMove},
    },
    search::exact::{
        Exact, ExactMoves, ExactValue, SolveContext, ValueClass, node_counter::Stopped,
    },
};
use board::Board;
use negamax::Negamax;
use table::Table;

mod board;
mod last_squares;
mod negamax;
mod order;
mod score;
mod table;

pub use score::EmptySquares;

/// Exact solver of othello. The same questions in the same order always take the same nodes.
pub struct OthelloSolver {
    table: Table,
    empty_squares: EmptySquares,
    nodes: u64,
}

impl OthelloSolver {
    /// A solver whose table takes at most `bytes`.
    pub fn with_memory(bytes: usize, empty_squares: EmptySquares) -> Self {
        Self {
            table: Table::with_memory(bytes),
            empty_squares,
            nodes: 0,
        }
    }

    /// Bytes of the table, which is all but a few of the solver's.
    pub fn memory_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Runs `search` under the limits of `context`, under which `spent` nodes are already spent.
    fn run<T>(
        &mut self,
        empty: u64,
        context: &mut SolveContext<'_>,
        spent: u64,
        search: impl FnOnce(&mut Negamax<'_>) -> Result<T, Stopped>,
    ) -> Option<T> {
        let uses_table = self.table.begin(empty);
        let mut is_exhausted = |nodes| context.is_exhausted(spent + nodes);
        let mut negamax = Negamax::new(
            &self.table,
            uses_table,
            self.empty_squares,
            &mut is_exhausted,
        );
        let result = search(&mut negamax);
        self.nodes += negamax.nodes;
        result.ok()
    }

    /// The value by a score; how many plies are left is known at the end of the game only.
    fn value_of(position: &Othello, score: i32) -> ExactValue {
        ExactValue {
            class: ValueClass::from_score(score),
            score: Some(score),
            plies: position.outcome().map(|_| 0),
        }
    }
}

impl Exact<Othello> for OthelloSolver {
    fn value(&mut self, position: &Othello, context: &mut SolveContext<'_>) -> Option<ExactValue> {
        let board = board_of(position);
        if position.outcome().is_some() {
            let score = self.empty_squares.final_score(board);
            return Some(Self::value_of(position, score));
        }
        let score = self.run(board.empty(), context, 0, |negamax| negamax.score(board, 0))?;
        Some(Self::value_of(position, score))
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn clear(&mut self) {
        self.table.clear();
        self.nodes = 0;
    }

    fn score_convention(&self) -> &'static str {
        self.empty_squares.describe()
    }

    /// The node limit is one for all moves.
    fn values(
        &mut self,
        position: &Othello,
        context: &mut SolveContext<'_>,
    ) -> ExactMoves<Othello> {
        let start = self.nodes;
        let empty = board_of(position).empty();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        let mut guess = 0;
        (moves.into_iter())
            .map(|mv| {
                let child = after(position, mv);
                let board = board_of(&child);
                let spent = self.nodes - start;
                let score = if child.outcome().is_some() {
                    Some(self.empty_squares.final_score(board))
                } else {
                    self.run(empty, context, spent, |negamax| negamax.score(board, guess))
                };
                guess = score.unwrap_or(guess);
                (
                    mv,
                    score.map(|score| Self::value_of(&child, score).before_move(false)),
                )
            })
            .collect()
    }

    /// Of each move it is only asked whether it keeps the score, which takes one null window.
    fn best_line(
        &mut self,
        position: &Othello,
        context: &mut SolveContext<'_>,
    ) -> Vec<OthelloMove> {
        let start = self.nodes;
        let empty = board_of(position).empty();
        let mut line = Vec::new();
        let Some(score) = self.value(position, context).and_then(|value| value.score) else {
            return line;
        };
        let mut score = score;
        let mut position = *position;
        while position.outcome().is_none() {
            let mut moves = Vec::new();
            position.legal_moves(&mut moves);
            let spent = self.nodes - start;
            let best = self.run(empty, context, spent, |negamax| {
                for &mv in &moves {
                    let child = after(&position, mv);
                    if negamax.bound(board_of(&child), -score)? <= -score {
                        return Ok(Some(mv));
                    }
                }
                Ok(None)
            });
            let Some(best) = best.flatten() else { break };
            position.play(best);
            line.push(best);
            score = -score;
        }
        line
    }
}

fn after(position: &Othello, mv: OthelloMove) -> Othello {
    let mut child = *position;
    child.play(mv);
    child
}

fn board_of(position: &Othello) -> Board {
    let [own, opponent] = position.to_move().own_first(position.discs());
    Board { own, opponent }
}
