//! How long a proven win takes, and whether the value of a classical search is a bound.

use canopy_engine::{
    explain::Bound,
    games::{Outcome, Player},
};

use crate::tree::model::TreeModel;

/// Larger subtrees are not searched for the length of a win.
const MAX_PROOF_ROWS: usize = 50_000;
/// Upper bound of nodes looked at for a bound.
const MAX_BOUND_NODES: usize = 1_000;

/// The player to move at a row, as our own files name it.
fn to_move(model: &TreeModel, row: usize) -> Option<Player> {
    if row == 0 {
        return Some(player(model.node_states[0].is_first()));
    }
    match model.tree.state(row).split(' ').next() {
        Some("p1") => Some(Player::First),
        Some("p2") => Some(Player::Second),
        _ => None,
    }
}

pub(super) fn player(is_first: bool) -> Player {
    if is_first {
        Player::First
    } else {
        Player::Second
    }
}

/// The proven result of a row: that of the rules at the end of a game, that of a solver, or a classical search's certain
/// value.
pub(super) fn proven(model: &TreeModel, row: usize) -> Option<Outcome> {
    let word = model.tree.state(row).split(' ').next().unwrap_or("");
    let told = model.extra.as_ref().and_then(|all| all.get(row));
    Outcome::parse(word).or_else(|| told.and_then(|extra| extra.proven))
}

/// The number of the winner's own moves from a row to the end of the game, if the tree has the whole proof: the winner
/// takes the shortest way, the other the longest.
pub(super) fn moves_to_win(model: &TreeModel, row: usize, winner: Player) -> Option<u32> {
    let nodes = model.tree.nodes();
    // In pre-order a subtree ends when no row of it waits for children any more.
    let mut open = 1_usize;
    let mut end = row;
    while open > 0 {
        open = open - 1 + nodes.get(end)?.children as usize;
        end += 1;
        if end - row > MAX_PROOF_ROWS {
            return None;
        }
    }
    // From the leaves up: by row, the moves still to make, as far as they are known; and whether all children are.
    let mut shortest: Vec<Option<u32>> = vec![None; end - row];
    let mut longest: Vec<Option<u32>> = vec![Some(0); end - row];
    for at in (row..end).rev() {
        let is_won = proven(model, at) == Some(Outcome::Win(winner));
        let known = match (is_won, nodes[at].children) {
            (false, _) => None,
            (true, 0) => Outcome::parse(model.tree.state(at)).map(|_| 0),
            (true, _) if to_move(model, at)? == winner => shortest[at - row],
            (true, _) => longest[at - row],
        };
        if at == row {
            return known;
        }
        let above = nodes[at].parent as usize;
        let own = u32::from(to_move(model, above)? == winner);
        let moves = known.map(|moves| moves + own);
        let slot = &mut shortest[above - row];
        *slot = match (*slot, moves) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let slot = &mut longest[above - row];
        *slot = (*slot).zip(moves).map(|(one, other)| one.max(other));
    }
    None
}

/// What the value of a node of a classical search is for the player to move there: a cutoff leaves moves out, so that it is
/// at least what was found; where the best move's value is a bound, so is the node's.
pub(super) fn bound(model: &TreeModel, node: usize) -> Bound {
    let mut budget = MAX_BOUND_NODES;
    bound_within(model, node, &mut budget)
}

fn bound_within(model: &TreeModel, node: usize, budget: &mut usize) -> Bound {
    let rows = model.child_rows(node);
    let nodes = model.tree.nodes();
    if rows.iter().any(|&row| nodes[row].visits == 0) {
        return Bound::AtLeast;
    }
    let children = model.children_of(node);
    if rows.is_empty() || children.len() < rows.len() || *budget < rows.len() {
        return Bound::Exact;
    }
    *budget -= rows.len();
    let best = (children.clone())
        .map(|child| model.node(child).mean)
        .fold(f64::NEG_INFINITY, f64::max);
    // The other side's bound is reversed; one exact value among equals is enough.
    let mut found = None;
    for child in children.filter(|&child| model.node(child).mean == best) {
        match bound_within(model, child, budget).reversed() {
            Bound::Exact => return Bound::Exact,
            bound => found = found.or(Some(bound)),
        }
    }
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{Tree, TreeRow, extra::Extra, meta::Meta};

    use super::*;
    use crate::tree::model::ModelSource;

    /// A model of rows given as state, visits, mean, children and proven result.
    fn model(rows: &[(&str, i32, f64, u32, Option<Player>)]) -> TreeModel {
        let extras = rows.iter().map(|(.., winner)| Extra {
            proven: winner.map(Outcome::Win),
            ..Extra::default()
        });
        let rows = (rows.iter()).map(|&(state, visits, mean, children, _)| TreeRow {
            state,
            ..TreeRow::new("m", visits, mean, children)
        });
        TreeModel::new(ModelSource {
            meta: Some(Arc::new(Meta {
                to_move: 1,
                ..Meta::default()
            })),
            extra: Some(Arc::new(extras.collect())),
            ..ModelSource::of(Tree::from_rows(rows).expect("a whole tree"))
        })
    }

    /// The first player wins at once by one move, or in two by the other; the second player delays as long as it can.
    #[test]
    fn the_winner_is_quick_and_the_loser_slow() {
        let first = Some(Player::First);
        let rows = [
            ("game", 9, 0.0, 1, first),
            ("p2", 8, 1.0, 2, first),
            ("p1", 3, 0.0, 1, first),
            ("p1win", 2, 1.0, 0, None),
            ("p1", 3, 0.0, 1, first),
            ("p2", 2, 1.0, 1, first),
            ("p1", 1, 0.0, 1, first),
            ("p1win", 1, 1.0, 0, None),
        ];
        let model = model(&rows);
        // Into row 1, into row 5, into row 7: three moves of the first player.
        assert_eq!(moves_to_win(&model, 0, Player::First), Some(3));
        assert_eq!(moves_to_win(&model, 2, Player::First), Some(1));
        assert_eq!(moves_to_win(&model, 3, Player::First), Some(0));
        assert_eq!(moves_to_win(&model, 0, Player::Second), None);
    }

    #[test]
    fn a_proof_with_a_gap_has_no_length() {
        let first = Some(Player::First);
        let open = [
            ("game", 9, 0.0, 1, first),
            ("p2", 8, 1.0, 2, first),
            ("p1win", 3, 1.0, 0, None),
            ("p1", 3, 0.4, 0, None),
        ];
        assert_eq!(moves_to_win(&model(&open), 0, Player::First), None);
        // A shared node's subtree is elsewhere.
        let shared = [("game", 9, 0.0, 1, first), ("=1", 8, 1.0, 0, first)];
        assert_eq!(moves_to_win(&model(&shared), 0, Player::First), None);
    }

    #[test]
    fn a_cutoff_makes_a_bound_and_its_parent_the_opposite_one() {
        let rows = [
            ("game", 9, 0.4, 2, None),
            ("p2", 4, 0.6, 2, None),
            ("p1", 1, 0.4, 0, None),
            ("p1", 0, 0.0, 0, None),
            ("p2", 4, 0.5, 1, None),
            ("p1", 2, 0.5, 0, None),
        ];
        let model = model(&rows);
        let cut = model.find_row(1).expect("it is shown");
        assert_eq!(bound(&model, cut), Bound::AtLeast);
        assert_eq!(
            bound(&model, 0),
            Bound::AtMost,
            "its best move is a cut one"
        );
        let whole = model.find_row(4).expect("it is shown");
        assert_eq!(bound(&model, whole), Bound::Exact);
    }
}
