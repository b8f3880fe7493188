//! Moves as people read them: chess in standard algebraic notation, where files have "g1f3".

use std::{
    borrow::Cow,
    collections::HashMap,
    fmt,
    sync::{Mutex, OnceLock, PoisonError},
};

use canopy_engine::{
    games::{
        self, Playable, Visitor,
        notation::{self, Style, move_text},
    },
    tree::{Tree, meta::Meta},
};

use super::TreeModel;

/// Upper bound of remembered positions and texts; beyond it all are forgotten.
const MAX_REMEMBERED: usize = 1 << 14;
/// Upper bound of moves replayed for one text.
const MAX_REPLAYED_MOVES: usize = 512;

/// Reads the moves of one tree. It is made when a move is first asked for.
#[derive(Default)]
pub(super) struct MoveReader(OnceLock<Option<Mutex<Box<dyn ReadMoves>>>>);

impl fmt::Debug for MoveReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MoveReader")
    }
}

impl MoveReader {
    /// The move into a row; none where the file's own text will do.
    fn read(&self, tree: &Tree, meta: Option<&Meta>, row: usize) -> Option<String> {
        let reader = self.0.get_or_init(|| {
            let meta = meta?;
            let opened = games::with_game(&meta.game, OpenReader(&meta.position));
            opened.ok().flatten().map(Mutex::new)
        });
        let mut reader = (reader.as_ref()?.lock()).unwrap_or_else(PoisonError::into_inner);
        reader.read(tree, row)
    }
}

/// Reads moves of a game whose type is not known here.
trait ReadMoves: Send {
    /// The move into a row; none if the rules do not allow the moves that lead there.
    fn read(&mut self, tree: &Tree, row: usize) -> Option<String>;
}

/// Opens a reader for a position; none if people read the game's own notation.
struct OpenReader<'a>(&'a str);

impl Visitor for OpenReader<'_> {
    type Out = Option<Box<dyn ReadMoves>>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let start = match self.0.trim() {
            "" => "startpos",
            position => position,
        };
        let start: G = notation::read_position(rules, start).ok()?;
        let mut moves = Vec::new();
        start.legal_moves(&mut moves);
        let differs = |&mv: &G::Move| human_text(&start, mv) != move_text(&start, mv);
        moves.iter().any(differs).then(|| {
            let reader = Positions {
                start,
                positions: HashMap::new(),
                texts: HashMap::new(),
            };
            Box::new(reader) as Box<dyn ReadMoves>
        })
    }
}

fn human_text<G: Playable>(position: &G, mv: G::Move) -> String {
    let mut text = String::new();
    match position.write_move(mv, Style::Human, &mut text) {
        Ok(()) => text,
        Err(_) => move_text(position, mv),
    }
}

/// The positions and texts of rows that were read, by row.
struct Positions<G> {
    start: G,
    positions: HashMap<usize, G>,
    texts: HashMap<usize, Option<String>>,
}

impl<G: Playable> Positions<G> {
    /// The position at a row.
    fn position(&mut self, tree: &Tree, row: usize) -> Option<G> {
        let mut missing = Vec::new();
        let mut at = row;
        while at != 0 && !self.positions.contains_key(&at) {
            missing.push(at);
            at = tree.nodes()[at].parent as usize;
            if missing.len() > MAX_REPLAYED_MOVES {
                return None;
            }
        }
        let mut position = self.positions.get(&at).unwrap_or(&self.start).clone();
        for row in missing.into_iter().rev() {
            position.play(position.parse_move(tree.move_name(row)).ok()?);
            self.positions.insert(row, position.clone());
        }
        Some(position)
    }
}

impl<G: Playable> ReadMoves for Positions<G> {
    fn read(&mut self, tree: &Tree, row: usize) -> Option<String> {
        if let Some(known) = self.texts.get(&row) {
            return known.clone();
        }
        if self.positions.len() + self.texts.len() > MAX_REMEMBERED {
            self.positions.clear();
            self.texts.clear();
        }
        let above = self.position(tree, tree.nodes()[row].parent as usize);
        let text = above.and_then(|above| {
            let mv = above.parse_move(tree.move_name(row)).ok()?;
            Some(human_text(&above, mv))
        });
        self.texts.insert(row, text.clone());
        text
    }
}

impl TreeModel {
    /// The move into a row as people read it; empty at the root.
    pub fn row_reading(&self, row: usize) -> Cow<'_, str> {
        if row == 0 {
            return Cow::Borrowed("");
        }
        match self.reader.read(&self.tree, self.meta.as_deref(), row) {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(self.tree.move_name(row)),
        }
    }

    /// The move into a node as people read it, or the moves where an edge is several; empty at the root.
    pub fn reading(&self, node: usize) -> Cow<'_, str> {
        if node == 0 {
            return Cow::Borrowed("");
        }
        let above = self.row(self.parents[node] as usize);
        match self.rows_between(above, self.row(node)).as_slice() {
            [row] => self.row_reading(*row),
            rows => {
                let texts: Vec<_> = rows.iter().map(|&row| self.row_reading(row)).collect();
                Cow::Owned(texts.join(" "))
            }
        }
    }

    /// The moves from the root to a node as people read them.
    pub fn readings_to(&self, node: usize) -> Vec<Cow<'_, str>> {
        (self.rows_between(0, self.row(node)).into_iter())
            .map(|row| self.row_reading(row))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use canopy_engine::tree::{Tree, TreeRow};

    use super::*;
    use crate::tree::model::ModelSource;

    fn model(game: &str, rows: &[(&str, u32)]) -> TreeModel {
        let rows = (rows.iter()).map(|&(name, children)| TreeRow::new(name, 0, 0.0, children));
        let meta = Meta {
            game: game.to_owned(),
            ..Meta::default()
        };
        TreeModel::new(ModelSource {
            meta: Some(Arc::new(meta)),
            ..ModelSource::of(Tree::from_rows(rows).expect("a whole tree"))
        })
    }

    #[test]
    fn chess_is_read_in_algebraic_notation() {
        let rows = [("", 2), ("e2e4", 1), ("g8f6", 1), ("e4e5", 0), ("b1c3", 0)];
        let model = model("chess", &rows);
        let texts: Vec<_> = (0..model.len()).map(|node| model.reading(node)).collect();
        assert_eq!(texts, ["", "e4", "Nc3", "Nf6", "e5"]);
        assert_eq!(model.readings_to(4), ["e4", "Nf6", "e5"]);
        assert_eq!(model.moves_to(4), ["e2e4", "g8f6", "e4e5"]);
    }

    #[test]
    fn moves_that_no_rule_knows_are_read_as_they_are_written() {
        let odd = model("chess", &[("", 1), ("e2e5", 1), ("g8f6", 0)]);
        assert_eq!(odd.readings_to(2), ["e2e5", "g8f6"]);
        let othello = model("othello", &[("", 1), ("f5", 0)]);
        assert_eq!(othello.reading(1), "f5");
        let unknown = model("go", &[("", 1), ("D4", 0)]);
        assert_eq!(unknown.reading(1), "D4");
    }
}
