//! What there is to say of a node, worked out once and not for every frame.

use std::sync::Arc;

use canopy_engine::games::Player;

use crate::{
    board::{Board, Marks, Replayed, Weight},
    formula::{self, Why},
    model::{Decider, Model},
};

/// At most so many children of a node are marked on its board; no game has so many moves, but a file may say so.
const MOST_MOVES: usize = 1024;

/// So many moves of a line are written, and so many letters of them.
const MOST_OF_LINE: usize = 60;
const MOST_LETTERS: usize = 600;

/// A node and what there is to say of it.
pub(super) struct Glance {
    model: Arc<Model>,
    node: usize,
    /// The board with what lies over it, or why there is none.
    pub(super) board: Result<(Replayed, Marks), String>,
    /// The children, and how the search chooses among them.
    pub(super) why: Why,
    /// The moves that lead to the node, or the first of them.
    pub(super) line: String,
}

impl Glance {
    /// Looks at a node, if that was not the last one anyway.
    pub(super) fn at<'a>(last: &'a mut Option<Self>, model: &Arc<Model>, node: usize) -> &'a Self {
        *last = last
            .take()
            .filter(|last| last.node == node && Arc::ptr_eq(&last.model, model));
        last.get_or_insert_with(|| {
            let board = board_of(model, node);
            let legal = board.as_ref().ok().map(|(board, _)| board.legal.len());
            Self {
                model: Arc::clone(model),
                node,
                board,
                why: formula::why(model, node, legal),
                line: line_of(model, node),
            }
        })
    }

    /// What the players are called.
    pub(super) fn players(&self) -> Option<[&'static str; 2]> {
        self.board
            .as_ref()
            .ok()
            .map(|(replayed, _)| replayed.players)
    }

    /// Whose mean the node's is: who made the move into it, at the root who did not.
    pub(super) fn mean_of(&self) -> &'static str {
        let [first, second] = (self.players()).unwrap_or(["the first player", "the second player"]);
        if self.model.mean_is_of_first(self.node) {
            first
        } else {
            second
        }
    }

    /// What a player is called.
    pub(super) fn name_of(&self, player: Player) -> &'static str {
        let names = (self.players()).unwrap_or(["the first player", "the second player"]);
        names[player.index()]
    }

    /// Who decides at the node, in a sentence.
    pub(super) fn who(&self) -> String {
        let [first, second] = (self.players()).unwrap_or(["the first player", "the second player"]);
        match self.model.deciders[self.node] {
            Decider::First => format!("{first} decides here"),
            Decider::Second => format!("{second} decides here"),
            Decider::FirstWins => format!("{first} has won"),
            Decider::SecondWins => format!("{second} has won"),
            Decider::Draw => "drawn".to_owned(),
        }
    }
}

/// The moves that lead to a node, as far as they are worth reading.
fn line_of(model: &Model, node: usize) -> String {
    let line = model.line(node);
    let shown = line.len().min(MOST_OF_LINE);
    let text = line[..shown].join(" ");
    let text: String = text.chars().take(MOST_LETTERS).collect();
    if shown < line.len() {
        text + " …"
    } else {
        text
    }
}

/// The board of a node, with what lies over it; an error says why there is none.
fn board_of(model: &Model, node: usize) -> Result<(Replayed, Marks), String> {
    let meta = model.meta.as_ref().ok_or("the game is not known")?;
    let replayed = Board::replay(&meta.game, &meta.position, &model.line(node))?;
    let visits = |row: usize| model.tree.nodes()[row].visits.max(0) as f32;
    let mut children = model.child_rows(node);
    children.truncate(MOST_MOVES);
    let total: f32 = children.iter().map(|&row| visits(row)).sum();
    let preferred = model.preferred_child(node).map(|child| model.row(child));
    let chosen = preferred.and_then(|row| children.iter().position(|&other| other == row));
    let marks = Marks {
        last: (replayed.last.as_ref()).map_or_else(Vec::new, |last| last.places.clone()),
        moves: (children.into_iter())
            .map(|row| Weight {
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
    use canopy_engine::tree::{Builder, Row, meta::Meta};

    use super::*;
    use crate::{
        board::Place,
        model::{Sift, Source},
    };

    /// A tree of connect four: the root, its two children, and a child of the first.
    fn model(game: &str, rows: [(&str, i32, u32); 4]) -> Model {
        let mut builder = Builder::default();
        for (move_name, visits, children) in rows {
            let row = Row {
                move_name,
                visits,
                children,
                ..Row::default()
            };
            builder.push(&row).unwrap();
        }
        let meta = Meta {
            game: game.to_owned(),
            ..Meta::default()
        };
        let tree = builder.finish().unwrap();
        Model::new(Source {
            meta: Some(Arc::new(meta)),
            ..Source::of(tree)
        })
    }

    #[test]
    fn the_board_of_a_node_shows_its_children_and_how_it_was_reached() {
        let model = model(
            "connect-four",
            [("", 40, 2), ("4", 30, 1), ("4", 29, 0), ("1", 10, 0)],
        );
        let (root, marks) = board_of(&model, 0).unwrap();
        assert_eq!((root.turn.as_str(), root.last), ("X to move", None));
        let shares: Vec<(&str, f32)> = (marks.moves.iter())
            .map(|weight| (weight.mv.as_str(), weight.share))
            .collect();
        assert_eq!(shares, [("4", 0.75), ("1", 0.25)]);
        assert_eq!(marks.chosen, Some(0));
        let (leaf, marks) = board_of(&model, 3).unwrap();
        assert_eq!(leaf.turn, "X to move");
        assert_eq!(marks.last, [Place::Square { column: 3, row: 1 }]);
        assert_eq!((marks.moves.len(), marks.chosen), (0, None));
    }

    #[test]
    fn what_is_hidden_counts_on_the_board() {
        let whole = model(
            "connect-four",
            [("", 40, 2), ("4", 30, 1), ("4", 29, 0), ("1", 10, 0)],
        );
        let sift = Sift {
            best: Some(1),
            ..Sift::default()
        };
        let part = Model::sifted(whole.source(), &sift);
        assert_eq!(part.children_of(0).len(), 1);
        let marks = |model: &Model| board_of(model, 0).unwrap().1;
        assert_eq!(marks(&part), marks(&whole));
    }

    #[test]
    fn a_node_that_no_game_explains_has_no_board() {
        let rows = [("", 4, 2), ("x", 0, 1), ("y", -1, 0), ("z", 3, 0)];
        assert!(board_of(&model("chess", rows), 0).is_ok());
        assert!(board_of(&model("chess", rows), 1).is_err());
        assert!(board_of(&model("go", rows), 0).is_err());
    }
}
