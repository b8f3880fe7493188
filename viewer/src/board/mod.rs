//! Draws the positions of the games, and says which place of a board a point means.
//!
//! A [`Board`] is read from the text that a game itself writes of a position; of the engine this room knows nothing but the
//! games' notations. [`Marks`] are what lies over a board: the last move, how often a search tried which move, what a person
//! has taken hold of. A [`MoveAnimation`] is a move under way. [`BoardTextures`] keeps finished drawings as textures of the interface.
//!
//! Each game is one file here: what of a position it keeps, where its places lie, and how it is painted. A game without a
//! file is drawn as stones on squares. To give it a board of its own, add a file with a `READER`, and a row to `BoardKind` and to
//! `READERS` of `position`.

mod animation;
mod brush;
mod chess;
mod connect_four;
mod delta;
mod kalah;
mod othello;
mod plain;
mod position;
mod squares;
#[cfg(test)]
mod tests;
mod textures;

use std::{collections::HashMap, sync::Arc};

use canopy_engine::games::{Piece, Player, Step};
use egui::Color32;
use tiny_skia::{PixmapMut, Rect};

use crate::draw::theme::Theme;
use animation::{AnimationScript, MovingSprite};
use brush::Brush;

pub use animation::MoveAnimation;
pub use canopy_engine::games::BoardPlace;
pub use position::{LastMove, PositionInfo};
pub use textures::{BoardResponse, BoardTextures};

/// A position to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    kind: BoardKind,
    to_move: Player,
    facts: Arc<BoardFacts>,
}

/// What the rules say about a position besides its pieces.
#[derive(Debug, PartialEq, Eq)]
struct BoardFacts {
    /// The places that name each legal move, by the move in the game's own notation.
    move_places: HashMap<String, Vec<BoardPlace>>,
    winning_lines: Vec<Vec<BoardPlace>>,
}

/// The games that can be drawn.
#[derive(Clone, Debug, PartialEq)]
enum BoardKind {
    Chess(chess::ChessBoard),
    Othello(othello::OthelloBoard),
    Kalah(kalah::KalahBoard),
    ConnectFour(connect_four::ConnectFourBoard),
    Delta(delta::DeltaBoard),
    Plain(plain::PlainBoard),
}

/// Makes the board of one game.
struct BoardConstructor {
    /// The game's name.
    game: &'static str,
    /// A board with these pieces; see [`canopy_engine::games::Explain::pieces`].
    new: fn(&[(BoardPlace, Piece, u32)]) -> BoardKind,
}

/// A move, and how much of a search went into it.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveShare {
    /// The move, in the game's own notation.
    pub mv: String,
    /// Its share of all visits, from 0 to 1.
    pub share: f32,
}

/// What lies over a board, and how one looks at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The last move.
    pub last_move: Option<LastMove>,
    /// The moves of a search.
    pub moves: Vec<MoveShare>,
    /// Which of `moves` stands out.
    pub chosen: Option<usize>,
    /// What a person has taken hold of.
    pub selected: Option<BoardPlace>,
    /// Where it may go.
    pub targets: Vec<BoardPlace>,
    /// Where a piece would go if it were let go of: what the pointer is over. In connect four any hole of a column will do.
    pub ghost: Option<BoardPlace>,
    /// The king in check; see [`PositionInfo::checked_king`].
    pub checked_king: Option<BoardPlace>,
    /// How many discs each player would capture where; see [`PositionInfo::captures`].
    pub captures: Vec<(BoardPlace, [u32; 2])>,
    /// Whether one looks from the second player's side.
    pub is_flipped: bool,
    /// Whether columns and rows are named at the edge.
    pub shows_coordinates: bool,
}

impl Marks {
    /// The places that name the last move.
    fn last_places(&self) -> &[BoardPlace] {
        self.last_move
            .as_ref()
            .map_or(&[], |last| last.places.as_slice())
    }
}

/// Where clicks may lead: see [`Board::click_targets`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClickTargets {
    /// Which moves the clicks name in full, by their place in the list: several where a pawn must say what it becomes.
    pub complete: Vec<usize>,
    /// What may be clicked next.
    pub next: Vec<BoardPlace>,
}

/// What a pawn may become: see [`Board::promotions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promotion {
    /// The whole move, in the game's own notation.
    pub mv: String,
    /// What the piece is called.
    pub piece_name: &'static str,
}

/// The colours of a player's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceColours {
    /// Their bodies.
    pub fill: Color32,
    /// Their outlines.
    pub edge: Color32,
}

/// What each game knows about its own board.
trait BoardRenderer {
    /// Width and height, in the game's own unit of length.
    fn extent(&self, coordinates: bool) -> (f32, f32);

    /// Every place, and where it lies. No two overlap.
    fn place_rects(&self, area: Rect, marks: &Marks) -> Vec<(BoardPlace, Rect)>;

    /// Draws the board with its marks.
    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &PaintContext<'_>);

    /// The colours of a player's pieces.
    fn piece_colours(&self, player: Player, theme: &Theme) -> PieceColours;

    /// What a score counts.
    fn score_unit(&self) -> &'static str {
        "points"
    }

    /// Whether a click on one place means the other.
    fn is_same_click(&self, one: BoardPlace, other: BoardPlace) -> bool {
        one == other
    }
}

/// What lies over a board besides its marks.
struct PaintContext<'a> {
    /// The moves of the marks by where they go.
    move_groups: &'a [MoveGroup],
    /// Whose turn it is.
    mover: Player,
    /// What is on its way.
    moving: &'a [MovingSprite],
    /// What the rules say about the position.
    facts: &'a BoardFacts,
}

/// All moves that go the same way, put together.
struct MoveGroup {
    places: Vec<BoardPlace>,
    share: f32,
    is_chosen: bool,
}

impl Board {
    fn renderer(&self) -> &dyn BoardRenderer {
        match &self.kind {
            BoardKind::Chess(face) => face,
            BoardKind::Othello(face) => face,
            BoardKind::Kalah(face) => face,
            BoardKind::ConnectFour(face) => face,
            BoardKind::Delta(face) => face,
            BoardKind::Plain(face) => face,
        }
    }

    /// Whose turn it is, or would be if the game were not over.
    pub fn to_move(&self) -> Player {
        self.to_move
    }

    /// How many times wider than high the drawing is.
    pub fn aspect(&self, marks: &Marks) -> f32 {
        let (width, height) = self.renderer().extent(marks.shows_coordinates);
        width / height
    }

    /// Draws the board as large as it fits into the middle of `area`. What lies around it is left as it is.
    pub fn paint(&self, pixmap: &mut PixmapMut<'_>, area: Rect, marks: &Marks, theme: &Theme) {
        self.paint_moving(&mut Brush::new(pixmap, theme), area, marks, &[]);
    }

    /// Draws the board with something on its way.
    fn paint_moving(
        &self,
        brush: &mut Brush<'_, '_>,
        area: Rect,
        marks: &Marks,
        moving: &[MovingSprite],
    ) {
        let over = PaintContext {
            move_groups: &self.group_moves(marks),
            mover: self.to_move,
            moving,
            facts: &self.facts,
        };
        self.renderer().paint(brush, area, marks, &over);
    }

    /// The pieces between which these moves leave the choice, the strongest first; none if they leave none.
    pub fn promotions(&self, moves: &[String]) -> Vec<Promotion> {
        match self.kind {
            BoardKind::Chess(_) => chess::promotions(moves),
            _ => Vec::new(),
        }
    }

    /// Draws the piece of a choice alone, as large as it fits into the middle of `area`.
    pub fn paint_promotion(
        pixmap: &mut PixmapMut<'_>,
        area: Rect,
        choice: &Promotion,
        player: Player,
        theme: &Theme,
    ) {
        chess::paint_promotion(&mut Brush::new(pixmap, theme), area, choice, player);
    }

    /// How the steps of a move by the player to move change this board; none if nothing moves.
    fn animation_script(&self, steps: &[Step]) -> Option<AnimationScript> {
        match &self.kind {
            BoardKind::Chess(face) => face.animation_script(steps),
            BoardKind::Othello(face) => face.animation_script(steps),
            BoardKind::Kalah(face) => face.animation_script(steps),
            BoardKind::ConnectFour(face) => face.animation_script(steps),
            BoardKind::Delta(face) => face.animation_script(steps),
            BoardKind::Plain(_) => None,
        }
    }

    /// The place that lies at a point, when the board is drawn into `area` with these marks.
    pub fn hit(&self, area: Rect, marks: &Marks, x: f32, y: f32) -> Option<BoardPlace> {
        place_at(&self.renderer().place_rects(area, marks), x, y)
    }

    /// Where a place lies, when the board is drawn into `area` with these marks.
    pub fn place_rect(&self, area: Rect, marks: &Marks, place: BoardPlace) -> Option<Rect> {
        (self.renderer().place_rects(area, marks).into_iter())
            .find(|(other, _)| *other == place)
            .map(|(_, spot)| spot)
    }

    /// The places that a move names, in the order in which a person would click them: a square, a pit, or from where to
    /// where, and in delta what is picked up. None for a pass, and for what is not a legal move in the game's own notation.
    pub fn move_places(&self, mv: &str) -> Vec<BoardPlace> {
        (self.facts.move_places.get(mv.trim()).cloned()).unwrap_or_default()
    }

    /// Which of the legal moves these clicks name, and where they may go on.
    pub fn click_targets(&self, legal: &[impl AsRef<str>], clicks: &[BoardPlace]) -> ClickTargets {
        let face = self.renderer();
        let mut reach = ClickTargets::default();
        for (index, mv) in legal.iter().enumerate() {
            let places = self.move_places(mv.as_ref());
            let begins = places.len() >= clicks.len()
                && (places.iter().zip(clicks))
                    .all(|(&place, &click)| face.is_same_click(place, click));
            if places.is_empty() || !begins {
                continue;
            }
            match places.get(clicks.len()) {
                None => reach.complete.push(index),
                Some(&place) if !reach.next.contains(&place) => reach.next.push(place),
                Some(_) => {}
            }
        }
        reach
    }

    /// The colours of a player's pieces.
    pub fn piece_colours(&self, player: Player, theme: &Theme) -> PieceColours {
        self.renderer().piece_colours(player, theme)
    }

    /// What a score counts: discs, stones.
    pub fn score_unit(&self) -> &'static str {
        self.renderer().score_unit()
    }

    /// The marked moves, put together where they go the same way; the least visited first and the chosen one last.
    fn group_moves(&self, marks: &Marks) -> Vec<MoveGroup> {
        let mut routes: Vec<MoveGroup> = Vec::new();
        for (index, weight) in marks.moves.iter().enumerate() {
            let places = self.move_places(&weight.mv);
            let share = if weight.share > 0.0 {
                weight.share.min(1.0)
            } else {
                0.0
            };
            let chosen = marks.chosen == Some(index);
            // What is picked up in the end does not change the way.
            let same =
                |route: &&mut MoveGroup| route.places.iter().take(2).eq(places.iter().take(2));
            if places.is_empty() {
                continue;
            }
            match routes.iter_mut().find(same) {
                Some(route) => {
                    route.share = (route.share + share).min(1.0);
                    if chosen {
                        (route.places, route.is_chosen) = (places, true);
                    }
                }
                None => routes.push(MoveGroup {
                    places,
                    share,
                    is_chosen: chosen,
                }),
            }
        }
        routes.sort_by(|one, other| {
            (one.is_chosen.cmp(&other.is_chosen)).then(one.share.total_cmp(&other.share))
        });
        routes
    }
}

/// The place whose spot holds a point.
fn place_at(spots: &[(BoardPlace, Rect)], x: f32, y: f32) -> Option<BoardPlace> {
    let holds = |spot: &Rect| {
        (spot.left()..spot.right()).contains(&x) && (spot.top()..spot.bottom()).contains(&y)
    };
    (spots.iter())
        .find(|(_, spot)| holds(spot))
        .map(|(place, _)| *place)
}

/// The part of a board's area that its drawing takes: where it begins, and how many pixels a unit has.
#[derive(Clone, Copy)]
struct FitTransform {
    left: f32,
    top: f32,
    unit: f32,
}

impl FitTransform {
    /// As large as it goes, in the middle.
    fn new(area: Rect, (width, height): (f32, f32)) -> Self {
        let unit = (area.width() / width).min(area.height() / height);
        Self {
            left: area.left() + (area.width() - unit * width) / 2.0,
            top: area.top() + (area.height() - unit * height) / 2.0,
            unit,
        }
    }

    /// The rectangle at a place of the drawing, in pixels; none if it has no extent.
    fn rect(&self, x: f32, y: f32, width: f32, height: f32) -> Option<Rect> {
        Rect::from_xywh(
            self.left + x * self.unit,
            self.top + y * self.unit,
            width * self.unit,
            height * self.unit,
        )
    }
}

/// An opaque colour from its six hexadecimal figures.
const fn rgb(figures: u32) -> Color32 {
    Color32::from_rgb((figures >> 16) as u8, (figures >> 8) as u8, figures as u8)
}

/// The one colour on dark ground, the other on light ground.
fn themed_colour(theme: &Theme, dark: u32, light: u32) -> Color32 {
    rgb(if theme.is_dark { dark } else { light })
}

/// Black discs and stones.
const BLACK_STONE: PieceColours = PieceColours {
    fill: rgb(0x15181c),
    edge: rgb(0x3a4048),
};

/// White discs and stones.
const WHITE_STONE: PieceColours = PieceColours {
    fill: rgb(0xf3f1ea),
    edge: rgb(0xb9b7b0),
};
