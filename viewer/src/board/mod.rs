//! Draws the positions of the games, and says which place of a board a point means.
//!
//! A [`Board`] is read from the text that a game itself writes of a position; of the engine this room knows nothing but the
//! games' notations. [`Marks`] are what lies over a board: the last move, how often a search tried which move, what a person
//! has taken hold of. A [`Motion`] is a move under way. [`Pictures`] keeps finished drawings as textures of the interface.
//!
//! Each game is one file here: what of a position it keeps, where its places lie, and how it is painted. A game without a
//! file is drawn as stones on squares. To give it a board of its own, add a file, and a row to `Kind` and to `Board::read`.

mod brush;
mod chess;
mod connect_four;
mod delta;
mod kalah;
mod motion;
mod othello;
mod pictures;
mod plain;
mod replay;
mod squares;
#[cfg(test)]
mod tests;

use canopy_engine::games::Player;
use egui::Color32;
use tiny_skia::{PixmapMut, Rect};

use crate::theme::Theme;
use brush::Brush;
use motion::{Changes, Moving};

pub use motion::Motion;
pub use pictures::{Pictures, Shown};
pub use replay::{Played, Replayed};

/// A position to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    kind: Kind,
    to_move: Player,
}

/// The games that can be drawn.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Chess(chess::Chess),
    Othello(othello::Othello),
    Kalah(kalah::Kalah),
    ConnectFour(connect_four::ConnectFour),
    Delta(delta::Delta),
    Plain(plain::Plain),
}

/// A place of a board that a person can point at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A square or a hole, counted from 0 as the game's notation counts: a1 is (0, 0), whichever corner it is drawn in.
    Square {
        /// The column: 0 for a.
        column: u8,
        /// The row: 0 for 1.
        row: u8,
    },
    /// A pit of kalah.
    Pit {
        /// Whose side it lies on.
        owner: Player,
        /// Counted from 0 at its owner's left.
        number: u8,
    },
    /// A player's store of kalah.
    Store {
        /// Whose it is.
        owner: Player,
    },
    /// The stones of a player that are not yet on the board.
    Reserve {
        /// Whose they are.
        owner: Player,
    },
}

impl Place {
    /// The square of that column and row, as a pair.
    const fn square((column, row): (u8, u8)) -> Self {
        Self::Square { column, row }
    }
}

/// A move, and how much of a search went into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// The move, in the game's own notation.
    pub mv: String,
    /// Its share of all visits, from 0 to 1.
    pub share: f32,
}

/// What lies over a board, and how one looks at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The places of the last move; see [`Played::places`].
    pub last: Vec<Place>,
    /// The moves of a search.
    pub moves: Vec<Weight>,
    /// Which of `moves` stands out.
    pub chosen: Option<usize>,
    /// What a person has taken hold of.
    pub selected: Option<Place>,
    /// Where it may go.
    pub targets: Vec<Place>,
    /// Where a piece would go if it were let go of: what the pointer is over. In connect four any hole of a column will do.
    pub ghost: Option<Place>,
    /// The king in check; see [`Replayed::check`].
    pub check: Option<Place>,
    /// How many discs each player would capture where; see [`Replayed::captures`].
    pub captures: Vec<(Place, [u32; 2])>,
    /// Whether one looks from the second player's side.
    pub flip: bool,
    /// Whether columns and rows are named at the edge.
    pub coordinates: bool,
}

/// Where clicks may lead: see [`Board::reach`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
    /// Which moves the clicks name in full, by their place in the list: several where a pawn must say what it becomes.
    pub complete: Vec<usize>,
    /// What may be clicked next.
    pub next: Vec<Place>,
}

/// What a pawn may become: see [`Board::promotions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The whole move, in the game's own notation.
    pub mv: String,
    /// What the piece is called.
    pub name: &'static str,
}

/// The colours of a player's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tone {
    /// Their bodies.
    pub fill: Color32,
    /// Their outlines.
    pub edge: Color32,
}

/// What each game knows about its own board.
trait Face {
    /// Width and height, in the game's own unit of length.
    fn extent(&self, coordinates: bool) -> (f32, f32);

    /// Every place, and where it lies. No two overlap.
    fn spots(&self, area: Rect, marks: &Marks) -> Vec<(Place, Rect)>;

    /// Draws the board with its marks.
    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &Overlay<'_>);

    /// The places that a move names, in the order in which a person would click them.
    fn places_of(&self, mv: &str, mover: Player) -> Vec<Place>;

    /// The colours of a player's pieces.
    fn tone(&self, player: Player, theme: &Theme) -> Tone;

    /// What a score counts.
    fn counted(&self) -> &'static str {
        "points"
    }

    /// Whether a click on one place means the other.
    fn is_same(&self, one: Place, other: Place) -> bool {
        one == other
    }
}

/// What lies over a board besides its marks.
struct Overlay<'a> {
    /// The moves of the marks by where they go.
    routes: &'a [Route],
    /// Whose turn it is.
    mover: Player,
    /// What is on its way.
    moving: &'a [Moving],
}

/// All moves that go the same way, put together.
struct Route {
    places: Vec<Place>,
    share: f32,
    chosen: bool,
}

impl Board {
    fn face(&self) -> &dyn Face {
        match &self.kind {
            Kind::Chess(face) => face,
            Kind::Othello(face) => face,
            Kind::Kalah(face) => face,
            Kind::ConnectFour(face) => face,
            Kind::Delta(face) => face,
            Kind::Plain(face) => face,
        }
    }

    /// Whose turn it is, or would be if the game were not over.
    pub fn to_move(&self) -> Player {
        self.to_move
    }

    /// How many times wider than high the drawing is.
    pub fn aspect(&self, marks: &Marks) -> f32 {
        let (width, height) = self.face().extent(marks.coordinates);
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
        moving: &[Moving],
    ) {
        let over = Overlay {
            routes: &self.routes(marks),
            mover: self.to_move,
            moving,
        };
        self.face().paint(brush, area, marks, &over);
    }

    /// The pieces between which these moves leave the choice, the strongest first; none if they leave none.
    pub fn promotions(&self, moves: &[String]) -> Vec<Choice> {
        match self.kind {
            Kind::Chess(_) => chess::promotions(moves),
            _ => Vec::new(),
        }
    }

    /// Draws the piece of a choice alone, as large as it fits into the middle of `area`.
    pub fn paint_choice(
        pixmap: &mut PixmapMut<'_>,
        area: Rect,
        choice: &Choice,
        player: Player,
        theme: &Theme,
    ) {
        chess::paint_choice(&mut Brush::new(pixmap, theme), area, choice, player);
    }

    /// The king of the player to move, if it is in check.
    fn check(&self) -> Option<Place> {
        match &self.kind {
            Kind::Chess(face) => face.checked(self.to_move),
            _ => None,
        }
    }

    /// How many discs each player would capture on which empty square.
    fn captures(&self) -> Vec<(Place, [u32; 2])> {
        match &self.kind {
            Kind::Othello(face) => face.captures(),
            _ => Vec::new(),
        }
    }

    /// How a move by the player to move changes this board into another.
    fn changes(&self, after: &Self, mv: &str, rules: &str) -> Option<Changes> {
        let (places, mover) = (self.places_of(mv), self.to_move);
        match (&self.kind, &after.kind) {
            (Kind::Chess(face), Kind::Chess(after)) => face.changes(after, &places, mover),
            (Kind::Othello(face), Kind::Othello(after)) => face.changes(after, &places),
            (Kind::Kalah(face), Kind::Kalah(_)) => face.changes(&places, rules),
            (Kind::ConnectFour(face), Kind::ConnectFour(_)) => face.changes(&places, mover),
            (Kind::Delta(face), Kind::Delta(_)) => face.changes(&places, mover),
            _ => None,
        }
    }

    /// The place that lies at a point, when the board is drawn into `area` with these marks.
    pub fn hit(&self, area: Rect, marks: &Marks, x: f32, y: f32) -> Option<Place> {
        place_at(&self.face().spots(area, marks), x, y)
    }

    /// Where a place lies, when the board is drawn into `area` with these marks.
    pub fn spot(&self, area: Rect, marks: &Marks, place: Place) -> Option<Rect> {
        (self.face().spots(area, marks).into_iter())
            .find(|(other, _)| *other == place)
            .map(|(_, spot)| spot)
    }

    /// The places that a move names, in the order in which a person would click them: a square, a pit, or from where to
    /// where, and in delta what is picked up. None for a pass, and for what is not a move in the game's own notation.
    pub fn places_of(&self, mv: &str) -> Vec<Place> {
        self.face().places_of(mv.trim(), self.to_move)
    }

    /// Which of the legal moves these clicks name, and where they may go on.
    pub fn reach(&self, legal: &[impl AsRef<str>], clicks: &[Place]) -> Reach {
        let face = self.face();
        let mut reach = Reach::default();
        for (index, mv) in legal.iter().enumerate() {
            let places = self.places_of(mv.as_ref());
            let begins = places.len() >= clicks.len()
                && (places.iter().zip(clicks)).all(|(&place, &click)| face.is_same(place, click));
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
    pub fn tone(&self, player: Player, theme: &Theme) -> Tone {
        self.face().tone(player, theme)
    }

    /// What a score counts: discs, stones.
    pub fn counted(&self) -> &'static str {
        self.face().counted()
    }

    /// The marked moves, put together where they go the same way; the least visited first and the chosen one last.
    fn routes(&self, marks: &Marks) -> Vec<Route> {
        let mut routes: Vec<Route> = Vec::new();
        for (index, weight) in marks.moves.iter().enumerate() {
            let places = self.places_of(&weight.mv);
            let share = if weight.share > 0.0 {
                weight.share.min(1.0)
            } else {
                0.0
            };
            let chosen = marks.chosen == Some(index);
            // What is picked up in the end does not change the way.
            let same = |route: &&mut Route| route.places.iter().take(2).eq(places.iter().take(2));
            if places.is_empty() {
                continue;
            }
            match routes.iter_mut().find(same) {
                Some(route) => {
                    route.share = (route.share + share).min(1.0);
                    if chosen {
                        (route.places, route.chosen) = (places, true);
                    }
                }
                None => routes.push(Route {
                    places,
                    share,
                    chosen,
                }),
            }
        }
        routes.sort_by(|one, other| {
            (one.chosen.cmp(&other.chosen)).then(one.share.total_cmp(&other.share))
        });
        routes
    }
}

/// The place whose spot holds a point.
fn place_at(spots: &[(Place, Rect)], x: f32, y: f32) -> Option<Place> {
    let holds = |spot: &Rect| {
        (spot.left()..spot.right()).contains(&x) && (spot.top()..spot.bottom()).contains(&y)
    };
    (spots.iter())
        .find(|(_, spot)| holds(spot))
        .map(|(place, _)| *place)
}

/// The part of a board's area that its drawing takes: where it begins, and how many pixels a unit has.
#[derive(Clone, Copy)]
struct Fit {
    left: f32,
    top: f32,
    unit: f32,
}

impl Fit {
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
fn either(theme: &Theme, dark: u32, light: u32) -> Color32 {
    rgb(if theme.dark { dark } else { light })
}

/// Black discs and stones.
const BLACK: Tone = Tone {
    fill: rgb(0x15181c),
    edge: rgb(0x3a4048),
};

/// White discs and stones.
const WHITE: Tone = Tone {
    fill: rgb(0xf3f1ea),
    edge: rgb(0xb9b7b0),
};
