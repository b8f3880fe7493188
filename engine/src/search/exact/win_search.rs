//! Wins within a number of plies, for games in which positions can recur.
//!
//! A forced win within n plies is a win whatever happened before and whatever the rules say about repetition: a side that always
//! plays a quickest win comes nearer to it with every move, so it never returns to a position, nor to one that differs in the
//! counters of the rules alone, for with less room left a win takes no fewer plies. Nor does repetition give anybody a win. So all
//! that the table holds is true on every path.

use super::{
    bounds_table::{Bounds, NO_MOVE},
    generic::{Halt, Question},
};
use crate::games::{Outcome, Playable, Player};

/// Longer wins than this are not looked for.
pub(super) const MAX_PLIES: u16 = 400;
/// Plies from which moves are ordered by the number of replies.
const MIN_ORDERED_PLIES: u16 = 3;
/// The lower bound of a win that does not exist.
const NEVER: i16 = i16::MAX;

/// Whether the attacker wins within the plies of the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Won,
    /// Not within these plies.
    NotYet,
    /// Not in any number of plies: every line has ended otherwise.
    Never,
}

/// Whether `attacker` wins within `plies`.
pub(super) fn wins_within<G: Playable>(
    question: &mut Question<'_, '_, G>,
    position: &G,
    attacker: Player,
    plies: u16,
) -> Result<Answer, Halt> {
    question.count_node()?;
    if plies == 0 {
        return Ok(match position.outcome() {
            Some(outcome) => final_answer(outcome, attacker),
            None => Answer::NotYet,
        });
    }
    // In this search the bounds are those of the plies to the attacker's win: the table is of one attacker by its salt.
    let key = position.key() ^ SALTS[attacker.index()];
    let (known, best) = question.table.get(key);
    let bound = plies as i16;
    if known.lower == NEVER {
        return Ok(Answer::Never);
    }
    if bound >= known.upper {
        return Ok(Answer::Won);
    }
    if bound <= known.lower {
        return Ok(Answer::NotYet);
    }
    let nodes_before = question.nodes;
    let (answer, best) = search_moves(question, position, attacker, plies, best)?;
    let bounds = match answer {
        Answer::Won => Bounds {
            upper: bound,
            ..known
        },
        Answer::NotYet => Bounds {
            lower: bound,
            ..known
        },
        Answer::Never => Bounds {
            lower: NEVER,
            ..known
        },
    };
    let nodes = question.nodes - nodes_before;
    question.table.store(key, bounds, best, nodes);
    Ok(answer)
}

/// Keys of positions and attackers are told apart by these.
const SALTS: [u64; 2] = [0x5bf0_3635_dd3c_9a21, 0xa4f2_91c7_0b6e_d853];

fn final_answer(outcome: Outcome, attacker: Player) -> Answer {
    if outcome == Outcome::Win(attacker) {
        Answer::Won
    } else {
        Answer::Never
    }
}

/// The answer, and the move that decides it.
fn search_moves<G: Playable>(
    question: &mut Question<'_, '_, G>,
    position: &G,
    attacker: Player,
    plies: u16,
    best: u16,
) -> Result<(Answer, u16), Halt> {
    let mut moves = Vec::new();
    position.legal_moves(&mut moves);
    if moves.is_empty() {
        return Ok((final_answer(position.final_outcome(), attacker), NO_MOVE));
    }
    let attacks = position.to_move() == attacker;
    if plies >= MIN_ORDERED_PLIES {
        // Few replies are good for both: for the attacker they make a small proof, for the defender often a check.
        moves.sort_by_cached_key(|&mv| {
            let mut child = position.clone();
            child.play(mv);
            let is_best = G::move_to_bits(mv) == best;
            (!is_best, child.perft_count())
        });
    }
    let mut all_never = true;
    for mv in moves {
        let mut child = position.clone();
        child.play(mv);
        let answer = wins_within(question, &child, attacker, plies - 1)?;
        all_never &= answer == Answer::Never;
        let decides = if attacks {
            answer == Answer::Won
        } else {
            // One way out is enough; that it is one for ever is known only if it is.
            answer != Answer::Won
        };
        if decides {
            return Ok((answer, G::move_to_bits(mv)));
        }
    }
    let answer = match (attacks, all_never) {
        (false, _) => Answer::Won,
        (true, true) => Answer::Never,
        (true, false) => Answer::NotYet,
    };
    Ok((answer, NO_MOVE))
}
