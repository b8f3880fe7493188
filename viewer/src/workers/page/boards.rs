//! The boards of a page: what every move changes, so that the page can put together the board of any node.

use std::collections::{BTreeMap, HashMap};

use canopy_engine::games::{
    self, BoardPlace, Piece, Playable, Player, Visitor,
    notation::{self, Grid},
};
use serde::Serialize;
use tiny_skia::Rect;

use crate::{board::Board, draw::theme::Theme, tree::model::TreeModel};

/// The height of a board in the page's units.
const BOARD_HEIGHT: f32 = 1000.0;

/// All boards of a tree.
#[derive(Serialize)]
pub(super) struct PageBoards {
    width: f32,
    height: f32,
    /// Left, top, width and height of every place.
    places: Vec<[f32; 4]>,
    /// Places that are no squares: round ones, with the number of their stones.
    round: Vec<bool>,
    /// By square: whether it is one of the dark squares of chess.
    dark: Vec<bool>,
    /// What can lie on a place: a letter of chess, or "1" and "2" for the players' discs, or "" for counted stones.
    pieces: Vec<String>,
    /// Fill and outline of the players' discs.
    colours: [[String; 2]; 2],
    /// By node: place, piece (from 1; 0 for none) and count, of every place that differs from the board above.
    changes: Vec<Vec<u32>>,
}

/// The boards of a tree; none if its game or one of its moves is unknown.
pub(super) fn of_model(model: &TreeModel) -> Option<PageBoards> {
    let meta = model.meta.as_ref()?;
    let root = Board::after_moves(&meta.game, &meta.position, &[""; 0]).ok()?;
    let replay = Replay {
        model,
        root: &meta.position,
        board: &root.board,
    };
    games::with_game(&meta.game, replay).ok()?
}

struct Replay<'a> {
    model: &'a TreeModel,
    root: &'a str,
    board: &'a Board,
}

type Pieces = BTreeMap<BoardPlace, (Piece, u32)>;

impl Visitor for Replay<'_> {
    type Out = Option<PageBoards>;

    fn visit<G: Playable>(self, rules: G::Rules) -> Self::Out {
        let start = match self.root.trim() {
            "" => "startpos",
            position => position,
        };
        let root: G = notation::read_position(rules, start).ok()?;
        let mut tables = Tables::new(&root.grid());
        let mut positions: Vec<G> = Vec::with_capacity(self.model.len());
        let mut changes = Vec::with_capacity(self.model.len());
        for node in 0..self.model.len() {
            let (position, above) = if node == 0 {
                (root.clone(), Pieces::new())
            } else {
                let parent = *self.model.parents.get(node)? as usize;
                let before = positions.get(parent)?;
                let mut position = before.clone();
                for text in self.model.move_text(node).split(' ') {
                    let mv = position.parse_move(text).ok()?;
                    position.play(mv);
                }
                (position, pieces(before))
            };
            changes.push(tables.changes(&above, &pieces(&position)));
            positions.push(position);
        }
        Some(tables.finish(self.board, changes))
    }
}

fn pieces<G: Playable>(position: &G) -> Pieces {
    let pieces = position.pieces().into_iter();
    pieces
        .map(|(place, piece, count)| (place, (piece, count)))
        .collect()
}

/// Places and pieces by number.
struct Tables {
    places: Vec<BoardPlace>,
    place_numbers: HashMap<BoardPlace, u32>,
    pieces: Vec<Piece>,
}

impl Tables {
    /// The squares of a grid, and nothing else yet.
    fn new(grid: &Grid) -> Self {
        let mut tables = Self {
            places: Vec::new(),
            place_numbers: HashMap::new(),
            pieces: Vec::new(),
        };
        let columns = usize::from(grid.columns).max(1);
        for index in 0..grid.stones.len() {
            let square = ((index % columns) as u8, (index / columns) as u8);
            tables.place(BoardPlace::square(square));
        }
        tables
    }

    fn place(&mut self, place: BoardPlace) -> u32 {
        let places = &mut self.places;
        *self.place_numbers.entry(place).or_insert_with(|| {
            places.push(place);
            places.len() as u32 - 1
        })
    }

    /// The number of a piece, from 1.
    fn piece(&mut self, piece: Piece) -> u32 {
        let known = self.pieces.iter().position(|&known| known == piece);
        let index = known.unwrap_or_else(|| {
            self.pieces.push(piece);
            self.pieces.len() - 1
        });
        index as u32 + 1
    }

    fn changes(&mut self, above: &Pieces, now: &Pieces) -> Vec<u32> {
        let mut changes = Vec::new();
        for place in above.keys().filter(|place| !now.contains_key(place)) {
            changes.extend([self.place(*place), 0, 0]);
        }
        for (place, lies) in now {
            if above.get(place) != Some(lies) {
                let number = self.place(*place);
                changes.extend([number, self.piece(lies.0), lies.1]);
            }
        }
        changes
    }

    fn finish(self, board: &Board, changes: Vec<Vec<u32>>) -> PageBoards {
        let marks = crate::board::Marks::default();
        let width = BOARD_HEIGHT * board.aspect(&marks);
        let area = Rect::from_xywh(0.0, 0.0, width, BOARD_HEIGHT);
        let spot = |place: &BoardPlace| {
            let rect = area.and_then(|area| board.place_rect(area, &marks, *place));
            rect.map_or([0.0; 4], |rect| {
                [rect.x(), rect.y(), rect.width(), rect.height()].map(f32::round)
            })
        };
        let colours = |player| {
            let colours = board.piece_colours(player, &Theme::light());
            [colours.fill, colours.edge]
                .map(|colour| format!("#{:02x}{:02x}{:02x}", colour.r(), colour.g(), colour.b()))
        };
        let is_chess = self
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Chess(_)));
        PageBoards {
            width: width.round(),
            height: BOARD_HEIGHT,
            places: self.places.iter().map(spot).collect(),
            round: (self.places.iter())
                .map(|place| !matches!(place, BoardPlace::Square { .. }))
                .collect(),
            dark: (self.places.iter())
                .map(|place| match place {
                    BoardPlace::Square { column, row } => is_chess && (column + row) % 2 == 0,
                    _ => false,
                })
                .collect(),
            pieces: self.pieces.iter().map(|&piece| letter(piece)).collect(),
            colours: [colours(Player::First), colours(Player::Second)],
            changes,
        }
    }
}

fn letter(piece: Piece) -> String {
    match piece {
        Piece::Chess(letter) => letter.to_string(),
        Piece::Disc(Player::First) => "1".to_owned(),
        Piece::Disc(Player::Second) => "2".to_owned(),
        Piece::Stone => String::new(),
    }
}
