//! Since when one move of the root is ahead of another, from the growth journal.

use super::SearchFacts;
use crate::{
    games::Player,
    tree::{meta::Meta, replay_reader::ReplayReader},
};

/// Nodes of the trees in which the answers are counted: the most visited ones.
const MAX_NODES: u64 = 20_000;
/// Fewer tries of the other move say nothing about its answers.
const MIN_TRIES: u32 = 10;

/// Since when a move has more visits than another.
#[derive(Clone, Debug, PartialEq)]
pub struct LeadChange {
    /// The first iteration from which on it is ahead for good.
    pub iteration: u32,
    /// How exactly that is known, in iterations.
    pub resolution: u32,
    /// The answer that the other move met most before; none where there were few tries.
    pub reply: Option<LeadReply>,
}

/// The answer that a move met most in the second half of the iterations before it fell behind.
#[derive(Clone, Debug, PartialEq)]
pub struct LeadReply {
    /// As people read it.
    pub text: String,
    /// Who makes it.
    pub player: Player,
    /// How often it was tried then.
    pub tries: u32,
    /// How often any answer was tried then.
    pub of: u32,
    /// The iteration at which the counting begins.
    pub since: u32,
}

/// What a journal says of two moves, given as files write them; none if the first is not ahead at the end.
pub fn find(
    journal: &mut ReplayReader,
    meta: &Meta,
    [ahead, behind]: [&str; 2],
) -> Result<Option<LeadChange>, String> {
    let moves = journal.root_move_history(2)?.moves;
    let place = |name: &str| moves.iter().position(|mv| mv == name);
    let (Some(one), Some(other)) = (place(ahead), place(behind)) else {
        return Ok(None);
    };
    let Some((iteration, resolution)) = journal.ahead_since(one, other) else {
        return Ok(None);
    };
    let reply = find_reply(journal, meta, behind, iteration)?;
    Ok(Some(LeadChange {
        iteration,
        resolution,
        reply,
    }))
}

/// The answer to a move that was tried most in the second half of the iterations up to one.
fn find_reply(
    journal: &mut ReplayReader,
    meta: &Meta,
    mv: &str,
    until: u32,
) -> Result<Option<LeadReply>, String> {
    let since = until / 2;
    let before = replies(journal, meta, mv, since)?;
    let after = replies(journal, meta, mv, until)?;
    let tries_before = |text: &str| {
        let known = before.iter().find(|(known, ..)| known == text);
        known.map_or(0, |&(_, _, tries)| tries)
    };
    let tries: Vec<(String, Player, u32)> = (after.into_iter())
        .map(|(text, player, tries)| {
            let new = tries.saturating_sub(tries_before(&text));
            (text, player, new as u32)
        })
        .collect();
    let of = tries.iter().map(|&(.., tries)| tries).sum();
    // Of equals the first.
    let most = tries.into_iter().rev().max_by_key(|&(.., tries)| tries);
    Ok(most
        .filter(|&(.., tries)| of >= MIN_TRIES && tries > 0)
        .map(|(text, player, tries)| LeadReply {
            text,
            player,
            tries,
            of,
            since,
        }))
}

/// The answers to a move of the root after so many iterations, who makes them, and their visits.
fn replies(
    journal: &mut ReplayReader,
    meta: &Meta,
    mv: &str,
    iteration: u32,
) -> Result<Vec<(String, Player, u64)>, String> {
    let taken = journal.tree_at(iteration, Some(MAX_NODES))?;
    let facts =
        SearchFacts::new(&taken.tree, Some(meta), None).map_err(|error| error.to_string())?;
    let mut rows = facts.children(0).into_iter();
    let Some(row) = rows.find(|&row| taken.tree.move_name(row) == mv) else {
        return Ok(Vec::new());
    };
    let player = facts.mover(row);
    Ok((facts.moves_of(row).into_iter())
        .map(|(row, text)| (text, player, facts.visits(row)))
        .collect())
}
