//! The details of a node, computed once instead of in every frame.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    board::{Board, Marks, MoveShare, PositionInfo},
    tree::{
        formula::{self, SelectionExplanation},
        model::{NodeState, TreeModel},
        node_value::{NodeValues, ValueView},
        summary::{self, Phrase},
        value_text::{NO_DATA, Value},
    },
};

/// Upper bound of children marked on the board; no game has as many moves, but a file may.
const MAX_MARKED_MOVES: usize = 1024;

/// Upper bounds of moves and letters of a written line.
const MAX_PATH_MOVES: usize = 60;
const MAX_PATH_CHARS: usize = 600;

/// Upper bound of moves of the expected line.
const MAX_EXPECTED_MOVES: usize = 40;

/// A node and its details.
pub(super) struct NodeDetails {
    model: Arc<TreeModel>,
    node: usize,
    view: ValueView,
    /// The board with its marks, or why there is none.
    pub(super) board: Result<(PositionInfo, Marks), String>,
    /// The children, and how the search chooses among them.
    pub(super) child_scores: SelectionExplanation,
    /// The moves that lead to the node, or the first of them.
    pub(super) path: String,
    /// The names of the sides, the one that begins first.
    pub(super) players: [&'static str; 2],
    /// The value as a sentence, such as "Black wins 48.0 %".
    pub(super) value_text: String,
    /// What stands before the value's figure, and the figure.
    pub(super) value_parts: (Option<String>, String),
    /// The owner's share of wins with the number of playouts, where the value is one.
    pub(super) share: Option<(f64, u64)>,
    /// The player whose reward the mean of the node's row is.
    pub(super) mean_owner: &'static str,
    /// The heading over the values of children.
    pub(super) child_value_heading: String,
    /// The values of children for one player, by row; only where no formula tells their terms.
    child_values: BTreeMap<usize, String>,
    /// What the figures say, in sentences.
    pub(super) in_words: Vec<Phrase>,
    /// The nodes that the search expects from here on.
    pub(super) expected_line: Vec<usize>,
}

impl NodeDetails {
    /// Looks at a node, if that was not the last one anyway.
    pub(super) fn get_or_compute<'a>(
        last: &'a mut Option<Self>,
        model: &Arc<TreeModel>,
        node: usize,
        view: ValueView,
    ) -> &'a Self {
        *last = last.take().filter(|last| {
            last.node == node && last.view == view && Arc::ptr_eq(&last.model, model)
        });
        last.get_or_insert_with(|| Self::compute(model, node, view))
    }

    fn compute(model: &Arc<TreeModel>, node: usize, view: ValueView) -> Self {
        let board = node_board(model, node);
        let legal = board
            .as_ref()
            .ok()
            .map(|(board, _)| board.legal_moves.len());
        let child_scores = formula::explain_selection(model, node, legal);
        let values = NodeValues::new(model, view);
        let value = values.value(node);
        let (child_value_heading, child_values) = match child_scores.formula {
            Some(_) => (String::new(), BTreeMap::new()),
            None => child_values(&values, &child_scores, node),
        };
        Self {
            model: Arc::clone(model),
            node,
            view,
            board,
            path: path_text(model, node),
            players: values.wording.players,
            value_text: values.sentence(node),
            value_parts: values.subject_and_figure(node),
            share: match value {
                Value::Share { share, visits } if !model.is_of_lines() => Some((share, visits)),
                _ => None,
            },
            mean_owner: values.wording.name(values.mean_owner(node)),
            child_value_heading,
            child_values,
            in_words: summary::in_words(&values, node, &child_scores),
            child_scores,
            expected_line: expected_line(model, node),
        }
    }

    /// The tree.
    pub(super) fn model(&self) -> &TreeModel {
        &self.model
    }

    /// The node.
    pub(super) fn node(&self) -> usize {
        self.node
    }

    /// The name of the player who chooses among the children.
    pub(super) fn chooser(&self) -> &'static str {
        self.players[self.child_scores.to_move.index()]
    }

    /// The value of a child, where no formula tells its terms.
    pub(super) fn child_value(&self, row: usize) -> &str {
        self.child_values.get(&row).map_or(NO_DATA, String::as_str)
    }

    /// Who is to move at the node, or how the game ended.
    pub(super) fn turn_text(&self) -> String {
        let [first, second] = self.players;
        match self.model.node_states[self.node] {
            NodeState::First => format!("{first} to move"),
            NodeState::Second => format!("{second} to move"),
            NodeState::FirstWins => format!("{first} has won"),
            NodeState::SecondWins => format!("{second} has won"),
            NodeState::Draw => "drawn".to_owned(),
        }
    }
}

/// The values of a node's children, all for the player whose values are told at the node, and the heading that says so.
fn child_values(
    values: &NodeValues<'_>,
    why: &SelectionExplanation,
    node: usize,
) -> (String, BTreeMap<usize, String>) {
    let owner = values.owner(node);
    let known: Vec<(usize, Value)> = (why.all_children())
        .take(MAX_MARKED_MOVES)
        .map(|terms| (terms.row, values.child_value(terms.row, terms.node, node)))
        .collect();
    let name = values.wording.name(owner);
    let is = |fits: fn(&Value) -> bool| known.iter().any(|(_, value)| fits(value));
    let heading = if is(|value| matches!(value, Value::Share { .. })) {
        format!("{name} wins")
    } else if is(|value| matches!(value, Value::Foreign(_))) {
        format!("{}’s average", values.wording.name(why.to_move))
    } else {
        format!("{name}’s value")
    };
    let texts = (known.into_iter())
        .map(|(row, value)| (row, values.wording.figure(&value)))
        .collect();
    (heading, texts)
}

/// The nodes that the search expects after a node, the best child of each.
fn expected_line(model: &TreeModel, node: usize) -> Vec<usize> {
    let line = std::iter::successors(model.best_child(node), |&at| model.best_child(at));
    line.take(MAX_EXPECTED_MOVES).collect()
}

/// The moves that lead to a node, as far as they are worth reading.
fn path_text(model: &TreeModel, node: usize) -> String {
    let line = model.readings_to(node);
    let shown = line.len().min(MAX_PATH_MOVES);
    let text = line[..shown].join(" ");
    let text: String = text.chars().take(MAX_PATH_CHARS).collect();
    if shown < line.len() {
        text + " …"
    } else {
        text
    }
}

/// The board of a node with its marks; an error says why there is none.
fn node_board(model: &TreeModel, node: usize) -> Result<(PositionInfo, Marks), String> {
    let meta = model.meta.as_ref().ok_or("the game is not known")?;
    let replayed = Board::after_moves(&meta.game, &meta.position, &model.moves_to(node))?;
    let visits = |row: usize| model.tree.nodes()[row].visits.max(0) as f32;
    let mut children = model.child_rows(node);
    children.truncate(MAX_MARKED_MOVES);
    let total: f32 = children.iter().map(|&row| visits(row)).sum();
    let preferred = model.best_child(node).map(|child| model.row(child));
    let chosen = preferred.and_then(|row| children.iter().position(|&other| other == row));
    let marks = Marks {
        last_move: replayed.last_move.clone(),
        moves: (children.into_iter())
            .map(|row| MoveShare {
                mv: model.tree.move_name(row).to_owned(),
                share: visits(row) / total.max(1.0),
            })
            .collect(),
        chosen,
        checked_king: replayed.checked_king,
        ..Marks::default()
    };
    Ok((replayed, marks))
}

#[cfg(test)]
mod tests {
    use canopy_engine::tree::{TreeBuilder, TreeRow, meta::Meta};

    use super::*;
    use crate::{
        board::BoardPlace,
        tree::model::{Filter, ModelSource},
    };

    /// A tree of connect four: the root, its two children, and a child of the first.
    fn model(game: &str, rows: [(&str, i32, u32); 4]) -> TreeModel {
        let mut builder = TreeBuilder::default();
        for (move_name, visits, children) in rows {
            let row = TreeRow {
                move_name,
                visits,
                children,
                ..TreeRow::default()
            };
            builder.push(&row).unwrap();
        }
        let meta = Meta {
            game: game.to_owned(),
            ..Meta::default()
        };
        let tree = builder.finish().unwrap();
        TreeModel::new(ModelSource {
            meta: Some(Arc::new(meta)),
            ..ModelSource::of(tree)
        })
    }

    #[test]
    fn the_board_of_a_node_shows_its_children_and_how_it_was_reached() {
        let model = model(
            "connect-four",
            [("", 40, 2), ("4", 30, 1), ("4", 29, 0), ("1", 10, 0)],
        );
        let (root, marks) = node_board(&model, 0).unwrap();
        assert_eq!(
            (root.turn_text.as_str(), root.last_move),
            ("X to move", None)
        );
        let shares: Vec<(&str, f32)> = (marks.moves.iter())
            .map(|weight| (weight.mv.as_str(), weight.share))
            .collect();
        assert_eq!(shares, [("4", 0.75), ("1", 0.25)]);
        assert_eq!(marks.chosen, Some(0));
        let (leaf, marks) = node_board(&model, 3).unwrap();
        assert_eq!(leaf.turn_text, "X to move");
        let last = marks.last_move.unwrap();
        assert_eq!(last.places, [BoardPlace::Square { column: 3, row: 1 }]);
        assert_eq!((marks.moves.len(), marks.chosen), (0, None));
    }

    #[test]
    fn what_is_hidden_counts_on_the_board() {
        let whole = model(
            "connect-four",
            [("", 40, 2), ("4", 30, 1), ("4", 29, 0), ("1", 10, 0)],
        );
        let filter = Filter {
            max_children: Some(1),
            ..Filter::default()
        };
        let part = TreeModel::filtered(whole.source(), &filter);
        assert_eq!(part.children_of(0).len(), 1);
        let marks = |model: &TreeModel| node_board(model, 0).unwrap().1;
        assert_eq!(marks(&part), marks(&whole));
    }

    #[test]
    fn a_node_that_no_game_explains_has_no_board() {
        let rows = [("", 4, 2), ("x", 0, 1), ("y", -1, 0), ("z", 3, 0)];
        assert!(node_board(&model("chess", rows), 0).is_ok());
        assert!(node_board(&model("chess", rows), 1).is_err());
        assert!(node_board(&model("go", rows), 0).is_err());
    }
}
