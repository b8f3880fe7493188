//! Forced wins within a number of plies, and the moves to them.

use super::{Exact, MAX_LINE_PLIES, SolveContext, WinGoal};
use crate::games::{self, Game, Player};

/// The quickest forced win of the player to move within `plies`, with one of `moves` or any if they are none: a line to its end with the
/// longest resistance. None inside if there is no such win; none at all if the limits, or the solver's way of solving, leave that open.
pub fn quickest_win<G: Game>(
    solver: &mut (impl Exact<G> + ?Sized),
    position: &G,
    moves: &[G::Move],
    plies: u32,
    context: &mut SolveContext<'_>,
) -> Option<Option<Vec<G::Move>>> {
    let mover = position.to_move();
    let mut successors = games::successors(position);
    successors.retain(|(mv, _)| moves.is_empty() || moves.contains(mv));
    let nodes_before = solver.nodes();
    for within in 0..plies.min(MAX_LINE_PLIES as u32) {
        for (mv, child) in &successors {
            if context.is_exhausted(solver.nodes() - nodes_before) {
                return None;
            }
            let goal = WinGoal {
                position: child,
                attacker: mover,
                plies: within,
            };
            if solver.wins_within(goal, context)? {
                let mut line = vec![*mv];
                line.extend(forced_line(solver, child, mover, within, context));
                return Some(Some(line));
            }
        }
    }
    (plies <= MAX_LINE_PLIES as u32).then_some(None)
}

/// The moves to the end of the game where `attacker` wins in `plies` and not sooner, or as far as the limits allow.
pub fn forced_line<G: Game>(
    solver: &mut (impl Exact<G> + ?Sized),
    position: &G,
    attacker: Player,
    plies: u32,
    context: &mut SolveContext<'_>,
) -> Vec<G::Move> {
    let mut line = Vec::new();
    let mut position = position.clone();
    for left in (0..plies).rev() {
        let is_attacker = position.to_move() == attacker;
        let next = games::successors(&position).into_iter().find(|(_, child)| {
            // The other side holds out for as long as it can.
            let within = if is_attacker {
                Some(left)
            } else {
                left.checked_sub(1)
            };
            let goal = within.map(|plies| WinGoal {
                position: child,
                attacker,
                plies,
            });
            match goal.map(|goal| solver.wins_within(goal, context)) {
                Some(wins) => wins == Some(is_attacker),
                None => true,
            }
        });
        let Some((mv, child)) = next else { break };
        position = child;
        line.push(mv);
    }
    line
}
