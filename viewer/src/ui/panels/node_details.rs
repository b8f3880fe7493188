//! The details of a node, computed once instead of in every frame.

use std::sync::Arc;

use canopy_engine::games::Player;

use crate::{
    board::{Board, Marks, MoveShare, PositionInfo},
    tree::{
        formula::{self, SelectionExplanation},
        model::{NodeState, TreeModel},
    },
};

/// Upper bound of children marked on the board; no game has as many moves, but a file may.
const MAX_MARKED_MOVES: usize = 1024;

/// Upper bounds of moves and letters of a written line.
const MAX_PATH_MOVES: usize = 60;
const MAX_PATH_CHARS: usize = 600;

/// A node and its details.
pub(super) struct NodeDetails {
    model: Arc<TreeModel>,
    node: usize,
    /// The board with its marks, or why there is none.
    pub(super) board: Result<(PositionInfo, Marks), String>,
    /// The children, and how the search chooses among them.
    pub(super) child_scores: SelectionExplanation,
    /// The moves that lead to the node, or the first of them.
    pub(super) path: String,
}

impl NodeDetails {
    /// Looks at a node, if that was not the last one anyway.
    pub(super) fn get_or_compute<'a>(
        last: &'a mut Option<Self>,
        model: &Arc<TreeModel>,
        node: usize,
    ) -> &'a Self {
        *last = last
            .take()
            .filter(|last| last.node == node && Arc::ptr_eq(&last.model, model));
        last.get_or_insert_with(|| {
            let board = node_board(model, node);
            let legal = board
                .as_ref()
                .ok()
                .map(|(board, _)| board.legal_moves.len());
            Self {
                model: Arc::clone(model),
                node,
                board,
                child_scores: formula::explain_selection(model, node, legal),
                path: path_text(model, node),
            }
        })
    }

    /// The names of the players.
    pub(super) fn player_names(&self) -> Option<[&'static str; 2]> {
        self.board
            .as_ref()
            .ok()
            .map(|(replayed, _)| replayed.players)
    }

    /// The player whose mean the node has: the one who made the move into it, at the root the opponent of the player to
    /// move.
    pub(super) fn mean_owner(&self) -> &'static str {
        let [first, second] =
            (self.player_names()).unwrap_or(["the first player", "the second player"]);
        if self.model.is_mean_of_first(self.node) {
            first
        } else {
            second
        }
    }

    /// The name of a player.
    pub(super) fn player_name(&self, player: Player) -> &'static str {
        let names = (self.player_names()).unwrap_or(["the first player", "the second player"]);
        names[player.index()]
    }

    /// Who decides at the node, in a sentence.
    pub(super) fn decider_text(&self) -> String {
        let [first, second] =
            (self.player_names()).unwrap_or(["the first player", "the second player"]);
        match self.model.node_states[self.node] {
            NodeState::First => format!("{first} decides here"),
            NodeState::Second => format!("{second} decides here"),
            NodeState::FirstWins => format!("{first} has won"),
            NodeState::SecondWins => format!("{second} has won"),
            NodeState::Draw => "drawn".to_owned(),
        }
    }
}

/// The moves that lead to a node, as far as they are worth reading.
fn path_text(model: &TreeModel, node: usize) -> String {
    let line = model.moves_to(node);
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
