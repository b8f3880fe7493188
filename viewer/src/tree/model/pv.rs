//! The principal variation of a tree, and whose its statistics are.

use canopy_engine::{
    games::{self, Player},
    tree::{Tree, meta::Meta},
};

use super::TreeModel;

/// Whether a sidecar is that of a classical search, which looks ahead to a depth and chooses among children by value instead
/// of a selection formula.
pub(super) fn is_classical(meta: &Meta) -> bool {
    meta.parameters.contains_key("depth") && !meta.parameters.contains_key("select")
}

/// Whether a tree is the union of the lines that an engine told, and its visits count them.
fn is_of_lines(meta: &Meta) -> bool {
    meta.parameters
        .get("visits")
        .is_some_and(|visits| visits == "lines")
}

/// The side whose nodes are filled light: what the tree's game states, the first player where no game is known.
pub(super) fn light_player(meta: Option<&Meta>) -> Player {
    let facts = meta.and_then(|meta| games::facts_of(&meta.game));
    facts.map_or(Player::First, |facts| facts.light_player)
}

impl TreeModel {
    /// Whether the tree is the union of the lines that an engine told: its visits are lines, its means scores.
    pub fn is_of_lines(&self) -> bool {
        self.meta.as_deref().is_some_and(is_of_lines)
    }

    /// What visits count.
    pub fn visits_unit(&self) -> &'static str {
        match self.is_of_lines() {
            true => "lines",
            false if self.is_classical() => "nodes",
            false => "visits",
        }
    }

    /// Whether the tree is that of a classical search: its visits are nodes searched, its means values.
    pub fn is_classical(&self) -> bool {
        self.meta.as_deref().is_some_and(is_classical)
    }

    /// Whether a node's mean is the first player's: that of the player who made the move into it, at the root of the
    /// opponent of the player to move.
    pub fn is_mean_of_first(&self, node: usize) -> bool {
        let decider = self.node_states[self.parents[node] as usize].is_first();
        if node == 0 { !decider } else { decider }
    }

    /// The child that a search would play: the next of the principal variation, else the highest value of a classical
    /// search, else the most visited. None if no child was visited.
    pub fn best_child(&self, node: usize) -> Option<usize> {
        let children = self.children_of(node);
        let at = (self.pv.iter()).position(|&other| other == node);
        if let Some(&next) = at.and_then(|at| self.pv.get(at + 1)) {
            return Some(next);
        }
        if children.is_empty() {
            return None;
        }
        if !self.is_classical() {
            let peak = self.most_visited(children);
            return (self.visits(peak) > 0).then_some(peak);
        }
        let searched = children.filter(|&child| self.visits(child) > 0);
        searched.reduce(|best, other| {
            // The first of equals: later ones are only known to be no better.
            if self.node(other).mean > self.node(best).mean {
                other
            } else {
                best
            }
        })
    }

    /// The principal variation of a classical search, as far as it is shown; none for other searches.
    pub(super) fn classical_pv(&self) -> Option<Vec<usize>> {
        let rows = classical_line(&self.tree, self.meta.as_deref())?;
        Some(self.nodes_along(&rows))
    }
}

/// The rows of a classical search's principal variation: the sidecar's line, as far as it is in the tree; without one, the
/// chosen move and the best values from there on. None for other searches.
pub(super) fn classical_line(tree: &Tree, meta: Option<&Meta>) -> Option<Vec<u32>> {
    let is_told = |meta: &&Meta| is_of_lines(meta) && !meta.line.is_empty();
    let meta = meta.filter(|meta| is_classical(meta) || is_told(meta))?;
    let sizes = tree.subtree_sizes();
    let nodes = tree.nodes();
    let named = |row: usize, name: &str| {
        let mut children = tree.children(row, &sizes);
        children.find(|&child| tree.move_name(child) == name)
    };
    let best = |row: usize| {
        let searched = (tree.children(row, &sizes)).filter(|&child| nodes[child].visits > 0);
        searched.reduce(|best, other| {
            if nodes[other].mean > nodes[best].mean {
                other
            } else {
                best
            }
        })
    };
    let mut rows = vec![0_u32];
    if meta.line.is_empty() {
        let chosen = meta.chosen.as_deref();
        let mut next = chosen.map_or_else(|| best(0), |name| named(0, name));
        while let Some(row) = next {
            rows.push(row as u32);
            next = best(row);
        }
    } else {
        let mut at = 0;
        for name in &meta.line {
            let Some(row) = named(at, name) else { break };
            rows.push(row as u32);
            at = row;
        }
    }
    Some(rows)
}

/// The root and the row of the move that was chosen: a search may choose one that it did not visit most.
pub(super) fn chosen_move(tree: &Tree, meta: Option<&Meta>) -> Option<Vec<u32>> {
    let chosen = meta?.chosen.as_deref()?;
    let sizes = tree.subtree_sizes();
    let mut children = tree.children(0, &sizes);
    let row = children.find(|&child| tree.move_name(child) == chosen)?;
    Some(vec![0, row as u32])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{Tree, TreeRow};

    use super::*;
    use crate::tree::model::ModelSource;

    /// Root with three children; the second is the best, the first has the most nodes below it, the third was cut off.
    fn model(meta: Meta) -> TreeModel {
        let rows = [
            ("", 40, 0.4, 3),
            ("a", 30, 0.5, 1),
            ("x", 29, 0.5, 0),
            ("b", 5, 0.7, 2),
            ("y", 2, 0.2, 0),
            ("z", 2, 0.3, 0),
            ("c", 0, 0.9, 0),
        ];
        let rows =
            rows.map(|(name, visits, mean, children)| TreeRow::new(name, visits, mean, children));
        TreeModel::new(ModelSource {
            meta: Some(Arc::new(meta)),
            ..ModelSource::of(Tree::from_rows(rows).expect("a whole tree"))
        })
    }

    fn meta(parameter: &str) -> Meta {
        Meta {
            parameters: [(parameter.to_owned(), "x".to_owned())].into(),
            ..Meta::default()
        }
    }

    fn line(model: &TreeModel) -> Vec<&str> {
        (model.pv.iter())
            .map(|&node| model.tree.move_name(model.row(node)))
            .collect()
    }

    #[test]
    fn the_line_of_a_classical_search_is_what_it_chose_and_not_what_it_visited_most() {
        assert_eq!(line(&model(meta("select"))), ["", "a", "x"]);
        let classical = model(meta("depth"));
        assert_eq!(line(&classical), ["", "b", "z"], "the best values");
        assert_eq!(classical.best_child(0), Some(2));
        let chosen = Meta {
            chosen: Some("a".to_owned()),
            ..meta("depth")
        };
        assert_eq!(line(&model(chosen.clone())), ["", "a", "x"]);
        let told = Meta {
            line: ["b", "y", "no such move"].map(str::to_owned).to_vec(),
            chosen: Some("b".to_owned()),
            ..chosen
        };
        assert_eq!(line(&model(told)), ["", "b", "y"]);
    }

    #[test]
    fn a_mean_is_that_of_who_made_the_move() {
        let model = model(meta("depth"));
        let first: Vec<bool> = [0, 1, 4].map(|node| model.is_mean_of_first(node)).to_vec();
        assert_eq!(first, [false, true, false]);
    }

    #[test]
    fn light_nodes_are_those_of_the_side_with_the_lighter_pieces() {
        let name_of_light = |game: &str| {
            let meta = Meta {
                game: game.to_owned(),
                ..Meta::default()
            };
            let facts = games::facts_of(game)?;
            Some(facts.players[light_player(Some(&meta)).index()])
        };
        for (game, light) in [
            ("chess", "White"),
            ("othello", "White"),
            ("delta:off", "White"),
            ("kalah:4x3", "South"),
            ("connect-four", "O"),
        ] {
            assert_eq!(name_of_light(game), Some(light), "{game}");
        }
        assert_eq!(light_player(None), Player::First);
    }
}
