//! The exact solver of kalah, for boards of all sizes and both capture rules.
//!
//! The score is the difference of the stores at the end, for the player to move. The ideas are those of Irving, Donkers and
//! Uiterwijk (Solving Kalah, 2000): an endgame database, MTD(f), and moves in a fixed order, nearest to the store first. The
//! database here is indexed without gaps and grows while the search runs.

use super::exact::{Exact, ExactMoves, ExactValue, SolveContext, ValueClass};
use crate::games::{
    Game as _, Player,
    kalah::{Kalah, KalahRules, Pit},
};
use engine::Engine;
use layout::Board;

mod build;
mod database;
mod engine;
mod layout;
mod negamax;
mod table;
#[cfg(test)]
mod tests;

/// Exact solver of kalah. With one thread, the same questions in the same order always take the same nodes.
pub struct KalahSolver {
    rules: KalahRules,
    memory: usize,
    threads: usize,
    engine: Engine,
}

impl KalahSolver {
    /// A solver that takes at most `memory` bytes: half for the table, the rest for the database. Several `threads` share the work
    /// on one position and on many.
    pub fn new(rules: KalahRules, memory: usize, threads: usize) -> Self {
        Self {
            rules,
            memory,
            threads,
            engine: Engine::new(rules, memory, threads),
        }
    }

    /// Bytes that table and database have grown to.
    pub fn memory_bytes(&self) -> usize {
        self.engine.bytes()
    }

    /// Bytes that the solver takes when table and database are as large as they may become, and the last layer is being built.
    pub fn max_memory_bytes(&self) -> usize {
        self.engine.max_bytes()
    }

    /// Builds the database of positions with up to so many stones, or as many as the memory allows, and returns the number of
    /// positions that it has; none if the limits were reached.
    pub fn build_database(&mut self, stones: usize, context: &mut SolveContext<'_>) -> Option<u64> {
        self.engine.build_database(stones, context)
    }

    /// Forgets everything if the position is of another board or capture rule.
    fn adopt_rules(&mut self, rules: KalahRules) {
        let is_same =
            self.rules.pits == rules.pits && self.rules.empty_capture == rules.empty_capture;
        self.rules = rules;
        if !is_same {
            let nodes = self.engine.nodes;
            self.engine = Engine::new(rules, self.memory, self.threads);
            self.engine.nodes = nodes;
        }
    }

    /// The first move of an open position that is worth its `score`. Of each move it is only asked whether it is as good, which
    /// takes one null window.
    fn first_best(
        &mut self,
        position: &Kalah,
        score: i32,
        nodes_before: u64,
        context: &mut SolveContext<'_>,
    ) -> Option<Pit> {
        let children = children(position);
        self.engine.run(context, nodes_before, |negamax| {
            for (mv, child) in &children {
                let same_player = child.to_move() == position.to_move();
                let settled = settled(child);
                let is_best = if same_player {
                    let goal = score - settled;
                    negamax.bound(board(child), goal)? >= goal
                } else {
                    // Values of a position are all odd or all even.
                    let goal = -score - settled + 2;
                    negamax.bound(board(child), goal)? < goal
                };
                if is_best {
                    return Ok(Some(*mv));
                }
            }
            Ok(None)
        })?
    }
}

impl Exact<Kalah> for KalahSolver {
    fn value(&mut self, position: &Kalah, context: &mut SolveContext<'_>) -> Option<ExactValue> {
        self.adopt_rules(position.rules());
        let value = self.engine.values(vec![board(position)], context).pop()??;
        Some(value_of_score(position, settled(position) + value))
    }

    fn nodes(&self) -> u64 {
        self.engine.nodes
    }

    fn clear(&mut self) {
        self.engine.clear();
    }

    /// The node limit is one for all moves.
    fn values(&mut self, position: &Kalah, context: &mut SolveContext<'_>) -> ExactMoves<Kalah> {
        self.adopt_rules(position.rules());
        let children = children(position);
        let boards = children.iter().map(|(_, child)| board(child)).collect();
        let values = self.engine.values(boards, context);
        (children.into_iter().zip(values))
            .map(|((mv, child), value)| {
                let same_player = child.to_move() == position.to_move();
                let value = value.map(|value| value_of_score(&child, settled(&child) + value));
                (mv, value.map(|value| value.before_move(same_player)))
            })
            .collect()
    }

    fn best_line(&mut self, position: &Kalah, context: &mut SolveContext<'_>) -> Vec<Pit> {
        let mut line = Vec::new();
        let start = self.nodes();
        let score = self.value(position, context).and_then(|value| value.score);
        let Some(mut score) = score else {
            return line;
        };
        let mut position = *position;
        while position.outcome().is_none() {
            let nodes = self.nodes() - start;
            let Some(best) = self.first_best(&position, score, nodes, context) else {
                break;
            };
            let mover = position.to_move();
            position.play(best);
            line.push(best);
            if position.to_move() != mover {
                score = -score;
            }
        }
        line
    }
}

/// The positions that the moves lead to.
fn children(position: &Kalah) -> Vec<(Pit, Kalah)> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    let after = |mv: Pit| {
        let mut child = *position;
        child.play(mv);
        (mv, child)
    };
    moves.into_iter().map(after).collect()
}

/// The stones in the pits of a position.
fn board(position: &Kalah) -> Board {
    let side = |player: Player| {
        let pits = position.pits(player).enumerate();
        pits.fold(0, |side, (pit, stones)| {
            side | u64::from(stones) << (8 * pit)
        })
    };
    let mover = position.to_move();
    Board {
        own: side(mover),
        other: side(mover.opponent()),
    }
}

/// The difference of the stores, for the player to move.
fn settled(position: &Kalah) -> i32 {
    let mover = position.to_move();
    i32::from(position.store(mover)) - i32::from(position.store(mover.opponent()))
}

fn value_of_score(position: &Kalah, score: i32) -> ExactValue {
    ExactValue {
        class: ValueClass::from_score(score),
        score: Some(score),
        plies: position.outcome().map(|_| 0),
    }
}
