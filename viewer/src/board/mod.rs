//! Boards: painting positions, hit-testing, and animating moves.
//!
//! A [`Board`] holds the pieces of a position and what the rules say about it ([`Explain`]); no rule is written here.
//! [`Marks`] are drawn over it: the last move, visit shares of a search, a person's selection. A [`MoveAnimation`] shows the
//! steps of a move over time. [`BoardTextures`] caches finished drawings as egui textures.
//!
//! Each game has one file: the pieces it keeps, its layout and its painting. A game without a file is drawn as stones on
//! squares. To give it a board of its own, add a file with the game's name as `GAME`, a variant of `BoardKind` and a row in
//! `CONSTRUCTORS` of `position`.
//!
//! [`Explain`]: canopy_engine::games::Explain

mod animation;
mod brush;
mod chess;
mod connect_four;
mod delta;
mod kalah;
mod othello;
mod plain;
mod position;
mod square_map;
mod squares;
#[cfg(test)]
mod tests;
mod textures;

use std::{collections::HashMap, sync::Arc};

use canopy_engine::games::{Player, Step};
use egui::Color32;
use tiny_skia::{PixmapMut, Rect};

use crate::draw::theme::Theme;
use animation::{AnimationScript, MovingSprite};
use brush::Brush;
use squares::{GridLayout, Squares};

pub use animation::MoveAnimation;
pub use canopy_engine::games::BoardPlace;
pub use position::{LastMove, PositionInfo};
pub use textures::{BoardResponse, BoardTextures};

/// A position that can be painted.
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

/// The pieces of a position, by game.
#[derive(Clone, Debug, PartialEq)]
enum BoardKind {
    Chess(chess::ChessBoard),
    Othello(othello::OthelloBoard),
    Kalah(kalah::KalahBoard),
    ConnectFour(connect_four::ConnectFourBoard),
    Delta(delta::DeltaBoard),
    Plain(plain::PlainBoard),
}

/// A move and its share of a search's visits.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveShare {
    /// The move, in the game's own notation.
    pub mv: String,
    /// Its share of all visits, from 0 to 1.
    pub share: f32,
}

/// Overlays of a board, and the point of view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The last move.
    pub last_move: Option<LastMove>,
    /// The moves of a search with their visit shares.
    pub moves: Vec<MoveShare>,
    /// Index in `moves` of the move to highlight.
    pub chosen: Option<usize>,
    /// The place a person has selected.
    pub selected: Option<BoardPlace>,
    /// The places that may be clicked next.
    pub targets: Vec<BoardPlace>,
    /// The legal target under the pointer, where a piece is previewed. In connect four any hole of the column.
    pub ghost: Option<BoardPlace>,
    /// The king in check; see [`PositionInfo::checked_king`].
    pub checked_king: Option<BoardPlace>,
    /// How many discs each player would flip where; see [`PositionInfo::captures`].
    pub captures: Vec<(BoardPlace, [u32; 2])>,
    /// Whether the board is seen from the second player's side.
    pub is_flipped: bool,
    /// Whether coordinates are drawn at the edges.
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

/// The moves that a sequence of clicks can still lead to; see [`Board::click_targets`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClickTargets {
    /// Indices of the moves that the clicks name in full; several if a promotion piece must be chosen.
    pub complete: Vec<usize>,
    /// The places that may be clicked next.
    pub next: Vec<BoardPlace>,
}

/// A choice of promotion; see [`Board::promotions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Promotion {
    /// The whole move, in the game's own notation.
    pub mv: String,
    /// The piece's name for people.
    pub piece_name: &'static str,
}

/// A click that leads to no legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedClick {
    /// The place that was selected before.
    pub selected: Option<BoardPlace>,
    /// The place that was clicked.
    pub place: BoardPlace,
    /// Whose turn it is.
    pub mover: Player,
    /// Names of the first and the second player.
    pub players: [&'static str; 2],
}

impl RefusedClick {
    /// The name of a side.
    fn name(&self, player: Player) -> &'static str {
        self.players[player.index()]
    }
}

/// The name of a square, such as "e4", and of other places in words.
fn place_name(place: BoardPlace) -> String {
    match place {
        BoardPlace::Square { column, row } => {
            format!("{}{}", char::from(b'a'.saturating_add(column)), row + 1)
        }
        BoardPlace::Pit { number, .. } => format!("pit {}", number + 1),
        BoardPlace::Store { .. } => "the store".to_owned(),
        BoardPlace::Reserve { .. } => "the reserve".to_owned(),
    }
}

/// The colours of a player's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceColours {
    /// The body.
    pub fill: Color32,
    /// The outline.
    pub edge: Color32,
}

impl PieceColours {
    /// Opaque colours from 0xrrggbb.
    const fn new(fill: u32, edge: u32) -> Self {
        Self {
            fill: rgb(fill),
            edge: rgb(edge),
        }
    }
}

/// How a board marks the last move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastMoveMark {
    /// A dot on the piece.
    Dot(Color32),
    /// A ring around the place.
    Ring(Color32),
    /// Tinted squares.
    Squares(Color32),
}

/// What a game's board shows of its players, and how its places answer clicks.
trait BoardStyle {
    /// The colours of a player's pieces.
    fn piece_colours(&self, player: Player, theme: &Theme) -> PieceColours;

    /// What a score counts, in the plural.
    fn score_unit(&self) -> &'static str {
        "points"
    }

    /// How the last move, which `player` made, is marked.
    fn last_move_mark(&self, _player: Player, theme: &Theme) -> LastMoveMark {
        LastMoveMark::Dot(theme.bad)
    }

    /// Why a click leads to no move; none if the game has no words of its own for it.
    fn refusal(&self, _: &RefusedClick) -> Option<String> {
        None
    }

    /// Whether a click on one place selects the same move as a click on the other.
    fn is_same_click(&self, one: BoardPlace, other: BoardPlace) -> bool {
        one == other
    }
}

/// Layout and painting of one game's board.
trait BoardRenderer: BoardStyle {
    /// Width and height, in the game's own unit of length.
    fn extent(&self, coordinates: bool) -> (f32, f32);

    /// Every place with its rectangle in pixels; no two overlap.
    fn place_rects(&self, area: Rect, marks: &Marks) -> Vec<(BoardPlace, Rect)>;

    /// Draws the board with its marks.
    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, over: &PaintContext<'_>);
}

/// A board of squares: a [`BoardRenderer`] that leaves the geometry to its grid.
trait GridRenderer: BoardStyle {
    /// The grid.
    fn layout(&self) -> GridLayout;

    /// Places beside the squares, with their rectangles.
    fn outer_rects(&self, _: &Squares, _: &Marks) -> Vec<(BoardPlace, Rect)> {
        Vec::new()
    }

    /// Draws the board with its marks.
    fn paint_squares(&self, brush: &mut Brush<'_, '_>, squares: &Squares, over: &PaintContext<'_>);
}

impl<T: GridRenderer> BoardRenderer for T {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        self.layout().extent(coordinates)
    }

    fn place_rects(&self, area: Rect, marks: &Marks) -> Vec<(BoardPlace, Rect)> {
        let Some(squares) = self.layout().squares(area, marks) else {
            return Vec::new();
        };
        let mut rects = squares.place_rects();
        rects.extend(self.outer_rects(&squares, marks));
        rects
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, over: &PaintContext<'_>) {
        if let Some(squares) = self.layout().squares(area, over.marks) {
            self.paint_squares(brush, &squares, over);
        }
    }
}

/// What is drawn over a board's pieces, and what [`BoardRenderer::paint`] must know to draw it.
struct PaintContext<'a> {
    marks: &'a Marks,
    /// The marked moves, grouped by from and to.
    move_groups: &'a [MoveGroup],
    /// Whose turn it is.
    mover: Player,
    /// The sprites of an animation.
    moving: &'a [MovingSprite],
    /// What the rules say about the position.
    facts: &'a BoardFacts,
}

/// Moves with the same first two places, drawn as one.
struct MoveGroup {
    places: Vec<BoardPlace>,
    share: f32,
    is_chosen: bool,
}

impl Board {
    fn renderer(&self) -> &dyn BoardRenderer {
        match &self.kind {
            BoardKind::Chess(board) => board,
            BoardKind::Othello(board) => board,
            BoardKind::Kalah(board) => board,
            BoardKind::ConnectFour(board) => board,
            BoardKind::Delta(board) => board,
            BoardKind::Plain(board) => board,
        }
    }

    /// Whose turn it is, or would be if the game were not over.
    pub fn to_move(&self) -> Player {
        self.to_move
    }

    /// Width divided by height.
    pub fn aspect(&self, marks: &Marks) -> f32 {
        let (width, height) = self.renderer().extent(marks.shows_coordinates);
        width / height
    }

    /// Paints the board centred in `area`, as large as it fits. Pixels around it are left alone.
    pub fn paint(&self, pixmap: &mut PixmapMut<'_>, area: Rect, marks: &Marks, theme: &Theme) {
        self.paint_moving(&mut Brush::new(pixmap, theme), area, marks, &[]);
    }

    /// Paints the board with the sprites of an animation.
    fn paint_moving(
        &self,
        brush: &mut Brush<'_, '_>,
        area: Rect,
        marks: &Marks,
        moving: &[MovingSprite],
    ) {
        let over = PaintContext {
            marks,
            move_groups: &self.group_moves(marks),
            mover: self.to_move,
            moving,
            facts: &self.facts,
        };
        self.renderer().paint(brush, area, &over);
    }

    /// The promotion pieces among these moves, the strongest first; none if there is no choice.
    pub fn promotions(&self, moves: &[String]) -> Vec<Promotion> {
        match self.kind {
            BoardKind::Chess(_) => chess::promotions(moves),
            _ => Vec::new(),
        }
    }

    /// Paints only the piece of a choice, centred in `area`, as large as it fits.
    pub fn paint_promotion(
        pixmap: &mut PixmapMut<'_>,
        area: Rect,
        choice: &Promotion,
        player: Player,
        theme: &Theme,
    ) {
        chess::paint_promotion(&mut Brush::new(pixmap, theme), area, choice, player);
    }

    /// The animation of a move with these steps; none if nothing moves.
    fn animation_script(&self, steps: &[Step]) -> Option<AnimationScript> {
        match &self.kind {
            BoardKind::Chess(board) => board.animation_script(steps),
            BoardKind::Othello(board) => board.animation_script(steps),
            BoardKind::Kalah(board) => board.animation_script(steps),
            BoardKind::ConnectFour(board) => board.animation_script(steps),
            BoardKind::Delta(board) => board.animation_script(steps),
            BoardKind::Plain(_) => None,
        }
    }

    /// The place at a point, when the board is painted into `area` with these marks.
    pub fn hit(&self, area: Rect, marks: &Marks, x: f32, y: f32) -> Option<BoardPlace> {
        place_at(&self.renderer().place_rects(area, marks), x, y)
    }

    /// The rectangle of a place, when the board is painted into `area` with these marks.
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

    /// The legal moves that begin with these clicks, and the next places to click.
    pub fn click_targets(&self, legal: &[impl AsRef<str>], clicks: &[BoardPlace]) -> ClickTargets {
        let renderer = self.renderer();
        let mut reach = ClickTargets::default();
        for (index, mv) in legal.iter().enumerate() {
            let places = self.move_places(mv.as_ref());
            let begins = places.len() >= clicks.len()
                && (places.iter().zip(clicks))
                    .all(|(&place, &click)| renderer.is_same_click(place, click));
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

    /// Why a click leads to no move, as a sentence.
    pub fn refusal(&self, click: &RefusedClick) -> String {
        let general = || match click.selected {
            Some(from) => format!(
                "There is no move from {} to {}.",
                place_name(from),
                place_name(click.place)
            ),
            None => format!("There is no move on {}.", place_name(click.place)),
        };
        self.renderer().refusal(click).unwrap_or_else(general)
    }

    /// How the last move, which `player` made, is marked.
    pub fn last_move_mark(&self, player: Player, theme: &Theme) -> LastMoveMark {
        self.renderer().last_move_mark(player, theme)
    }

    /// The colour of discs that stand for visit shares.
    pub fn visit_colour(theme: &Theme) -> Color32 {
        brush::visit_colour(theme)
    }

    /// What a score counts, in the plural: discs, stones.
    pub fn score_unit(&self) -> &'static str {
        self.renderer().score_unit()
    }

    /// The marked moves in painting order: least visited first, the chosen one last.
    fn group_moves(&self, marks: &Marks) -> Vec<MoveGroup> {
        let mut groups: Vec<MoveGroup> = Vec::new();
        for (index, weight) in marks.moves.iter().enumerate() {
            let places = self.move_places(&weight.mv);
            let share = if weight.share > 0.0 {
                weight.share.min(1.0)
            } else {
                0.0
            };
            let chosen = marks.chosen == Some(index);
            // The picked-up stone of delta is the third place.
            let same =
                |group: &&mut MoveGroup| group.places.iter().take(2).eq(places.iter().take(2));
            if places.is_empty() {
                continue;
            }
            match groups.iter_mut().find(same) {
                Some(group) => {
                    group.share = (group.share + share).min(1.0);
                    if chosen {
                        (group.places, group.is_chosen) = (places, true);
                    }
                }
                None => groups.push(MoveGroup {
                    places,
                    share,
                    is_chosen: chosen,
                }),
            }
        }
        groups.sort_by(|one, other| {
            (one.is_chosen.cmp(&other.is_chosen)).then(one.share.total_cmp(&other.share))
        });
        groups
    }
}

/// The place whose rectangle holds a point.
fn place_at(spots: &[(BoardPlace, Rect)], x: f32, y: f32) -> Option<BoardPlace> {
    let holds = |spot: &Rect| {
        (spot.left()..spot.right()).contains(&x) && (spot.top()..spot.bottom()).contains(&y)
    };
    (spots.iter())
        .find(|(_, spot)| holds(spot))
        .map(|(place, _)| *place)
}

/// Maps a drawing's units to pixels: its corner, and the pixels of a unit.
#[derive(Clone, Copy)]
struct FitTransform {
    left: f32,
    top: f32,
    unit: f32,
}

impl FitTransform {
    /// Scales the drawing to fit and centres it.
    fn new(area: Rect, (width, height): (f32, f32)) -> Self {
        let unit = (area.width() / width).min(area.height() / height);
        Self {
            left: area.left() + (area.width() - unit * width) / 2.0,
            top: area.top() + (area.height() - unit * height) / 2.0,
            unit,
        }
    }

    /// A rectangle of the drawing in pixels; none if it is empty.
    fn rect(&self, x: f32, y: f32, width: f32, height: f32) -> Option<Rect> {
        Rect::from_xywh(
            self.left + x * self.unit,
            self.top + y * self.unit,
            width * self.unit,
            height * self.unit,
        )
    }
}

/// An opaque colour from 0xrrggbb.
const fn rgb(figures: u32) -> Color32 {
    Color32::from_rgb((figures >> 16) as u8, (figures >> 8) as u8, figures as u8)
}

/// The colour for dark themes or the one for light themes.
fn themed_colour(theme: &Theme, dark: u32, light: u32) -> Color32 {
    rgb(if theme.is_dark { dark } else { light })
}

/// Black discs and stones.
const BLACK_STONE: PieceColours = PieceColours::new(0x15181c, 0x3a4048);

/// White discs and stones.
const WHITE_STONE: PieceColours = PieceColours::new(0xf3f1ea, 0xb9b7b0);
