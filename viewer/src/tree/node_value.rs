//! The values of a tree's nodes, seen by the player whom a setting names.

use canopy_engine::{
    explain::Bound,
    games::{Outcome, Player},
};
use serde::{Deserialize, Serialize};

use crate::tree::{
    model::{NodeState, TreeModel},
    proof,
    search_window::ClassicalColumns,
    value_text::{Value, Wording},
};

/// Whose values are shown, everywhere alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ValueView {
    /// The side to move at the root, at every depth.
    #[default]
    Root,
    /// The player who begins the game.
    First,
    /// At each node the side to move there.
    Mover,
}

impl ValueView {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Root, Self::First, Self::Mover];

    /// Its name in the settings and of its control.
    pub fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::First => "first",
            Self::Mover => "mover",
        }
    }
}

/// The names of the sides as another program's moves tell them, else numbers.
fn foreign_players(model: &TreeModel) -> [&'static str; 2] {
    let begins = |node: usize, word: &str| model.tree.move_name(model.row(node)).starts_with(word);
    let is_coloured = (model.children_of(0).take(1))
        .any(|child| begins(child, "white ") || begins(child, "black "));
    if is_coloured {
        ["White", "Black"]
    } else {
        Wording::default().players
    }
}

/// The words of a model's game.
pub fn wording(model: &TreeModel) -> Wording {
    match &model.meta {
        Some(meta) if !meta.game.is_empty() => Wording::of_game(&meta.game),
        _ => Wording::default().with_players(foreign_players(model)),
    }
}

/// The values of a tree.
#[derive(Clone, Copy)]
pub struct NodeValues<'a> {
    model: &'a TreeModel,
    view: ValueView,
    /// The words of its game.
    pub wording: Wording,
    is_classical: bool,
    /// The values of a classical search as it had them, where the tree has them.
    columns: Option<ClassicalColumns<'a>>,
    /// Whether all means are rewards from 0 to 1.
    is_unit_scale: bool,
}

impl<'a> NodeValues<'a> {
    /// The values of `model` in a view.
    pub fn new(model: &'a TreeModel, view: ValueView) -> Self {
        let (least, most) = model.mean_range;
        let root = model.node(0).mean;
        let is_unit = |least: f64, most: f64| least >= -1e-9 && most <= 1.0 + 1e-9;
        Self {
            model,
            view,
            wording: wording(model),
            is_classical: model.is_classical(),
            columns: ClassicalColumns::of(model),
            is_unit_scale: (least > most || is_unit(least, most))
                && (model.node(0).visits <= 0 || is_unit(root, root)),
        }
    }

    /// The tree.
    pub fn model(&self) -> &'a TreeModel {
        self.model
    }

    /// The player who chooses among the children of a node.
    pub fn chooser(&self, node: usize) -> Player {
        proof::player(self.model.node_states[node].is_first())
    }

    /// Whose value is told at a node.
    pub fn owner(&self, node: usize) -> Player {
        match self.view {
            ValueView::First => Player::First,
            ValueView::Root => self.chooser(0),
            ValueView::Mover => match self.model.node_states[node] {
                NodeState::First => Player::First,
                NodeState::Second => Player::Second,
                // Nobody is to move there: whoever did not make the last move.
                _ => proof::player(!self.model.is_mean_of_first(node)),
            },
        }
    }

    /// The player whose reward a node's mean is.
    pub fn mean_owner(&self, node: usize) -> Player {
        proof::player(self.model.is_mean_of_first(node))
    }

    /// The value of a node for [`Self::owner`], without searching for the length of a win.
    pub fn quick_value(&self, node: usize) -> Value {
        self.value_with(node, false)
    }

    /// The same, with the length of a win and bounds where the tree tells them.
    pub fn value(&self, node: usize) -> Value {
        self.value_with(node, true)
    }

    fn value_with(&self, node: usize, is_thorough: bool) -> Value {
        let model = self.model;
        match model.node_states[node] {
            NodeState::First | NodeState::Second => {}
            NodeState::FirstWins => return over(Some(Player::First)),
            NodeState::SecondWins => return over(Some(Player::Second)),
            NodeState::Draw => return over(None),
        }
        let row = model.row(node);
        let value = self.row_value(row, self.mean_owner(node), self.owner(node));
        match value {
            Value::Proven {
                winner: Some(winner),
                ..
            } if is_thorough => Value::Proven {
                winner: Some(winner),
                moves: proof::moves_to_win(model, row, winner),
            },
            Value::Points { points, .. } if is_thorough && self.columns.is_none() => {
                let bound = self.bound_for(node, self.owner(node));
                Value::Points { points, bound }
            }
            value => value,
        }
    }

    /// The value of a child, by its row and its node if it is shown, for [`Self::owner`] of its parent.
    pub fn child_value(&self, row: usize, child: Option<usize>, parent: usize) -> Value {
        let owner = self.owner(parent);
        match (self.row_value(row, self.chooser(parent), owner), child) {
            (Value::Points { points, .. }, Some(child)) if self.columns.is_none() => {
                let bound = self.bound_for(child, owner);
                Value::Points { points, bound }
            }
            (value, _) => value,
        }
    }

    /// What the value of a classical search's node is for a player.
    fn bound_for(&self, node: usize, player: Player) -> Bound {
        let bound = proof::bound(self.model, node);
        match self.model.node_states[node].is_first() == (player == Player::First) {
            true => bound,
            false => bound.reversed(),
        }
    }

    /// The value of a row, whose mean is that of one player, for another. Rows need not be shown.
    pub fn row_value(&self, row: usize, mean_owner: Player, owner: Player) -> Value {
        let node = &self.model.tree.nodes()[row];
        let told = self.model.extra.as_ref().and_then(|all| all.get(row));
        match told.and_then(|extra| extra.proven) {
            Some(Outcome::Win(winner)) => return proven(Some(winner)),
            Some(Outcome::Draw) => return proven(None),
            None => {}
        }
        if node.visits <= 0 || !node.mean.is_finite() {
            return Value::Unknown;
        }
        if !self.is_unit_scale {
            return Value::Foreign(node.mean);
        }
        let share = if mean_owner == owner {
            node.mean
        } else {
            1.0 - node.mean
        };
        if !self.is_classical {
            let visits = node.visits.unsigned_abs().into();
            return Value::Share { share, visits };
        }
        let told = self
            .columns
            .map(|columns| columns.row(row, mean_owner, owner));
        match (classical_value(share, owner), told) {
            (Value::Points { .. }, Some(told)) => match told.value {
                Some(points) => Value::Points {
                    points,
                    bound: told.bound,
                },
                None => Value::Unknown,
            },
            (value, _) => value,
        }
    }

    /// Whose value is told: [`Self::owner`], but of foreign scales only the mean's own player is known.
    fn told_owner(&self, node: usize, value: &Value) -> Player {
        match value {
            Value::Foreign(_) => self.mean_owner(node),
            _ => self.owner(node),
        }
    }

    /// The value of a node as a sentence.
    pub fn sentence(&self, node: usize) -> String {
        let value = self.value(node);
        (self.wording).sentence(self.told_owner(node, &value), &value)
    }

    /// The value of a node in the few words of a label.
    pub fn label(&self, node: usize) -> String {
        let value = self.quick_value(node);
        (self.wording).label(self.told_owner(node, &value), &value)
    }

    /// What stands before a node's figure, and the figure.
    pub fn subject_and_figure(&self, node: usize) -> (Option<String>, String) {
        let value = self.value(node);
        let owner = self.told_owner(node, &value);
        let figure = self.wording.figure(&value);
        (self.wording.subject(owner, &value), figure)
    }
}

/// The value of a classical search from the share that its files have: 0 and 1 are proven losses and wins, anything else is
/// 0.5 + 0.5 v / (|v| + 200) for v hundredths of a point.
pub fn classical_value(share: f64, owner: Player) -> Value {
    if share >= 1.0 {
        return proven(Some(owner));
    }
    if share <= 0.0 {
        return proven(Some(owner.opponent()));
    }
    let part = 2.0 * share - 1.0;
    Value::Points {
        points: 2.0 * part / (1.0 - part.abs()),
        bound: Bound::Exact,
    }
}

fn over(winner: Option<Player>) -> Value {
    Value::Over { winner }
}

fn proven(winner: Option<Player>) -> Value {
    Value::Proven {
        winner,
        moves: None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{Tree, TreeRow, meta::Meta};

    use super::*;
    use crate::tree::model::ModelSource;

    /// A root with White to move in othello, a child and a grandchild, and a move that was never tried.
    fn model(parameters: &[(&str, &str)], game: &str) -> TreeModel {
        let row = |row: TreeRow<'static>, state| TreeRow { state, ..row };
        let rows = [
            TreeRow::new("", 2_000, 0.52, 2),
            row(TreeRow::new("c2", 1_500, 0.49, 1), "p1"),
            row(TreeRow::new("b4", 900, 0.52, 0), "p2"),
            row(TreeRow::new("d6", 0, 0.0, 0), "p1"),
        ];
        let parameters = (parameters.iter()).map(|&(name, value)| (name.into(), value.into()));
        TreeModel::new(ModelSource {
            meta: Some(Arc::new(Meta {
                game: game.to_owned(),
                to_move: 2,
                parameters: parameters.collect(),
                ..Meta::default()
            })),
            ..ModelSource::of(Tree::from_rows(rows).expect("a whole tree"))
        })
    }

    fn told(model: &TreeModel, view: ValueView) -> Vec<String> {
        let values = NodeValues::new(model, view);
        (0..model.len()).map(|node| values.sentence(node)).collect()
    }

    /// White is to move at the root. The root's mean is Black's, so White has 48 there; c2 was White's, b4 Black's move.
    #[test]
    fn one_view_holds_for_the_whole_tree() {
        let model = model(&[("select", "uct")], "othello");
        // By node: the root, c2, d6, b4.
        assert_eq!(
            told(&model, ValueView::Root),
            [
                "White wins 48.0 %",
                "White wins 49.0 %",
                "–",
                "White wins 48 %"
            ]
        );
        assert_eq!(
            told(&model, ValueView::First),
            [
                "Black wins 52.0 %",
                "Black wins 51.0 %",
                "–",
                "Black wins 52 %"
            ]
        );
        assert_eq!(
            told(&model, ValueView::Mover),
            [
                "White wins 48.0 %",
                "Black wins 51.0 %",
                "–",
                "White wins 48 %"
            ]
        );
    }

    /// v = 300 hundredths: 0.5 + 0.5 · 300 / 500 = 0.8; v = -40: 0.5 - 0.5 · 40 / 240 = 0.41667.
    #[test]
    fn a_squashed_evaluation_is_told_in_points_again() {
        let points = |share: f64| match classical_value(share, Player::First) {
            Value::Points { points, .. } => points,
            other => panic!("{other:?}"),
        };
        assert!((points(0.8) - 3.0).abs() < 1e-9);
        assert!((points(0.416_666_666_7) + 0.4).abs() < 1e-6);
        assert_eq!(
            classical_value(0.0, Player::First),
            proven(Some(Player::Second))
        );
        let kalah = model(&[("depth", "4")], "kalah");
        // 0.48 for North, who is to move: -0.04 · 2 / 0.96 = -0.08 of a stone.
        assert_eq!(
            told(&kalah, ValueView::Root)[0],
            "North at least −0.1 stones"
        );
    }

    #[test]
    fn means_of_another_scale_are_told_as_they_are() {
        let rows = [
            TreeRow::new("", 0, 0.0, 2),
            TreeRow::new("white e2e4", 3, 4.5, 0),
            TreeRow::new("white a2a3", 2, -2.0, 0),
        ];
        let tree = Tree::from_rows(rows).expect("a whole tree");
        let model = TreeModel::new(ModelSource::of(tree));
        assert_eq!(
            told(&model, ValueView::Root),
            ["–", "White on average 4.50", "White on average −2.00"]
        );
    }

    #[test]
    fn an_ended_game_has_a_result_and_no_share() {
        let rows = [("", 2), ("p1win", 0), ("draw", 0)].map(|(state, children)| TreeRow {
            state,
            ..TreeRow::new("1", 5, 1.0, children)
        });
        let tree = Tree::from_rows(rows).expect("a whole tree");
        let model = TreeModel::new(ModelSource::of(tree));
        assert_eq!(
            told(&model, ValueView::Mover)[1..],
            ["Player 1 has won", "drawn"]
        );
    }
}
