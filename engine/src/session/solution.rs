//! Questions to an exact solver and their answers, with moves as text.

use std::time::Duration;

use super::typed_session::move_text;
use crate::{
    games::{Playable, notation::Style},
    search::{
        SearchLimits, StopFlag,
        exact::{self, Exact, ExactValue, SolveContext, SolveProgress},
    },
};

/// A question to a solver.
#[derive(Clone, Debug)]
pub struct SolveRequest {
    /// When to give up; time and nodes count.
    pub limits: SearchLimits,
    /// Whether the value of every move is wanted.
    pub wants_moves: bool,
    /// Whether a line of best play is wanted.
    pub wants_pv: bool,
    /// How moves are written.
    pub style: Style,
    /// Gives up when set.
    pub stop: StopFlag,
}

/// What a solver found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// The value for the player to move; none if a limit was reached first.
    pub value: Option<ExactValue>,
    /// What scores count, where there are several conventions; else empty.
    pub score_convention: &'static str,
    /// Every legal move and its value for the player who moves, in move order; empty if not wanted.
    pub moves: Vec<(String, Option<ExactValue>)>,
    /// A line of best play; empty if not wanted, and as long as the limits allowed.
    pub pv: Vec<String>,
    /// Positions looked at.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// Moves with their values, `MOVE:CLASS[:SCORE[:PLIES]]` with blanks between them; `unknown` for what was not solved.
pub fn values_text(moves: &[(String, Option<ExactValue>)]) -> String {
    let texts: Vec<String> = (moves.iter())
        .map(|(text, value)| format!("{text}:{}", value_text(*value)))
        .collect();
    texts.join(" ")
}

/// A value as text; `unknown` if there is none.
pub fn value_text(value: Option<ExactValue>) -> String {
    value.map_or_else(|| "unknown".to_owned(), |value| value.to_string())
}

/// Asks `solver` about `position`.
pub fn solve<G: Playable>(
    solver: &mut dyn Exact<G>,
    position: &G,
    request: &SolveRequest,
    on_progress: &mut dyn FnMut(SolveProgress),
) -> Solution {
    const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);
    let nodes_before = solver.nodes();
    let mut context = SolveContext::start(
        &request.limits,
        &request.stop,
        Some(PROGRESS_INTERVAL),
        on_progress,
    );
    let mut value = solver.value(position, &mut context);
    let moves = if request.wants_moves {
        solver.values(position, &mut context)
    } else {
        Vec::new()
    };
    if value.is_none() {
        // The values of all moves may be known where the position itself was given up just before.
        value = exact::solved(moves.clone()).and_then(|moves| {
            moves
                .into_iter()
                .map(|(_, value)| value)
                .max_by_key(ExactValue::rank)
        });
    }
    let pv = if request.wants_pv && value.is_some() {
        solver.best_line(position, &mut context)
    } else {
        Vec::new()
    };
    let time = context.elapsed();
    Solution {
        value,
        score_convention: solver.score_convention(),
        moves: moves
            .into_iter()
            .map(|(mv, value)| (move_text(position, mv, request.style), value))
            .collect(),
        pv: line_texts(position, &pv, request.style),
        nodes: solver.nodes() - nodes_before,
        time,
    }
}

fn line_texts<G: Playable>(position: &G, line: &[G::Move], style: Style) -> Vec<String> {
    let mut position = position.clone();
    line.iter()
        .map(|&mv| {
            let text = move_text(&position, mv, style);
            position.play(mv);
            text
        })
        .collect()
}
