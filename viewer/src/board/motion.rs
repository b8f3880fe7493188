//! A move under way: what stands still, and what is on its way where, at any time.
//!
//! Each game says in its own file what a move changes; here it is put in order of time. Nothing here looks at a clock.

use std::{ops::Range, time::Duration};

use canopy_engine::games::Player;
use tiny_skia::{PixmapMut, Rect};

use super::{Board, Kind, Marks, Place, brush::Brush};
use crate::theme::Theme;

/// How long a piece slides, in milliseconds.
pub(super) const SLIDE: f32 = 160.0;

/// The last of some moves, as it is made. What it looks like depends on nothing but the time since it began.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// What stands still, and from when on, in milliseconds; the earliest comes first.
    scenes: Vec<(f32, Board)>,
    legs: Vec<Leg>,
    after: Board,
    /// In milliseconds.
    lasts: f32,
}

/// How a move changes a board. All times are in milliseconds since it began.
pub(super) struct Changes {
    /// What stands still, and from when on; the earliest comes first.
    pub(super) still: Vec<(f32, Kind)>,
    pub(super) legs: Vec<Leg>,
}

/// A way that something goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leg {
    pub(super) body: Body,
    pub(super) from: Place,
    pub(super) to: Place,
    /// When it is shown.
    pub(super) shown: Range<f32>,
    /// When it moves; before and after it waits.
    pub(super) moves: Range<f32>,
    pub(super) pace: Pace,
}

/// What is on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Body {
    /// A piece of chess, by its letter.
    Piece(char),
    /// A disc or a stone of a player.
    Disc(Player),
    /// A disc that is put down, or turned over if it lay there before.
    Turning {
        /// Whose it was.
        from: Option<Player>,
        /// Whose it becomes.
        to: Player,
    },
    /// So many stones of kalah.
    Stones(u32),
}

/// How fast it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    /// Slowly at first and in the end.
    Smooth,
    /// Faster and faster; then it jumps up once, a little.
    Fall {
        /// Which part of the time it falls.
        landing: f32,
        /// How high it jumps, as a part of the way.
        jump: f32,
    },
}

/// What is on its way at one time.
pub(super) struct Moving {
    pub(super) body: Body,
    pub(super) from: Place,
    pub(super) to: Place,
    /// How much of the way it has gone, from 0 to 1.
    pub(super) along: f32,
}

impl Leg {
    /// Goes from place to place at an easy pace, and is shown as long as it moves.
    pub(super) fn new(body: Body, from: Place, to: Place, moves: Range<f32>) -> Self {
        Self {
            body,
            from,
            to,
            shown: moves.clone(),
            moves,
            pace: Pace::Smooth,
        }
    }

    /// The same, shown before and after it moves too.
    pub(super) fn shown(self, shown: Range<f32>) -> Self {
        Self { shown, ..self }
    }

    fn at(&self, time: f32) -> Moving {
        let lasts = (self.moves.end - self.moves.start).max(f32::MIN_POSITIVE);
        let part = ((time - self.moves.start) / lasts).clamp(0.0, 1.0);
        Moving {
            body: self.body,
            from: self.from,
            to: self.to,
            along: self.pace.along(part),
        }
    }
}

impl Pace {
    /// How much of the way is gone after this part of the time.
    fn along(self, part: f32) -> f32 {
        match self {
            Self::Smooth => part * part * (3.0 - 2.0 * part),
            Self::Fall { landing, .. } if part < landing => (part / landing).powi(2),
            Self::Fall { landing, jump } => {
                let after = (part - landing) / (1.0 - landing).max(f32::MIN_POSITIVE);
                1.0 - jump * 4.0 * after * (1.0 - after)
            }
        }
    }
}

impl Motion {
    /// The last of `moves` from `position`, as [`Board::replay`] reads them. None if they cannot be played, or nothing moves:
    /// there are no moves, the last one is a pass, or the game has no board of its own.
    pub fn new(game: &str, position: &str, moves: &[impl AsRef<str>]) -> Option<Self> {
        let (_, earlier) = moves.split_last()?;
        let before = Board::replay(game, position, earlier).ok()?;
        let after = Board::replay(game, position, moves).ok()?;
        let mv = &after.last.as_ref()?.mv;
        Self::between(before.board, after.board, mv, game)
    }

    /// A move that changes one board into another; `game` is its name with its variant.
    fn between(before: Board, after: Board, mv: &str, game: &str) -> Option<Self> {
        let Changes { still, legs } = before.changes(&after, mv, game)?;
        let lasts = legs.iter().map(|leg| leg.shown.end).fold(0.0, f32::max);
        let to_move = before.to_move;
        let board = |kind: Kind| Board { kind, to_move };
        Some(Self {
            scenes: (still.into_iter())
                .map(|(from, kind)| (from, board(kind)))
                .collect(),
            legs,
            after,
            lasts,
        })
    }

    /// How long it takes. From then on the board is the one after the move.
    pub fn duration(&self) -> Duration {
        Duration::from_secs_f32(self.lasts / 1000.0)
    }

    /// The board when it is over.
    pub fn after(&self) -> &Board {
        &self.after
    }

    /// Whether it is over so long after it began.
    pub fn is_over(&self, at: Duration) -> bool {
        at >= self.duration()
    }

    /// Draws what is to be seen so long after it began, as [`Board::paint`] draws a board. Of the marks of the position to
    /// come only the last move is shown before it is there.
    pub fn paint(
        &self,
        at: Duration,
        pixmap: &mut PixmapMut<'_>,
        area: Rect,
        marks: &Marks,
        theme: &Theme,
    ) {
        let Some((board, moving)) = self.frame(at) else {
            self.after.paint(pixmap, area, marks, theme);
            return;
        };
        let marks = Marks {
            last: marks.last.clone(),
            flip: marks.flip,
            coordinates: marks.coordinates,
            ..Marks::default()
        };
        board.paint_moving(&mut Brush::new(pixmap, theme), area, &marks, &moving);
    }

    /// What stands still and what is on its way; none if it is over.
    fn frame(&self, at: Duration) -> Option<(&Board, Vec<Moving>)> {
        if self.is_over(at) {
            return None;
        }
        let time = at.as_secs_f32() * 1000.0;
        let (_, board) = self.scenes.iter().rev().find(|(from, _)| *from <= time)?;
        let moving = (self.legs.iter())
            .filter(|leg| leg.shown.contains(&time))
            .map(|leg| leg.at(time));
        Some((board, moving.collect()))
    }
}

/// A number on the way from one to another.
pub(super) fn between(from: f32, to: f32, along: f32) -> f32 {
    from + (to - from) * along
}

#[cfg(test)]
mod tests {
    use canopy_engine::rng::Rng;
    use tiny_skia::Pixmap;

    use super::*;
    use crate::board::Replayed;

    const GAMES: [&str; 9] = [
        "chess",
        "chess:960",
        "othello",
        "kalah",
        "kalah:6x4:empty-capture",
        "kalah:3x5",
        "connect-four",
        "delta",
        "delta:off",
    ];

    /// Random games: each motion with the position before it and the one after it.
    fn motions(game: &str, seeds: Range<u64>) -> Vec<(Replayed, Motion, Replayed)> {
        let mut all = Vec::new();
        for seed in seeds {
            let mut rng = Rng::new(seed);
            let mut before = Board::replay(game, "", &[""; 0]).unwrap();
            while !before.legal.is_empty() && all.len() < 400 {
                let mv = before.legal[rng.below(before.legal.len() as u32) as usize].clone();
                let after = Board::replay(game, &before.position, &[&mv]).unwrap();
                let motion = Motion::new(game, &before.position, &[&mv]);
                assert_eq!(motion.is_none(), mv == "pass", "{game} {mv}");
                if let Some(motion) = motion {
                    all.push((before, motion, after.clone()));
                }
                before = after;
            }
        }
        all
    }

    fn whole(board: &Board) -> (Pixmap, Rect) {
        let height = (240.0 / board.aspect(&Marks::default())).round();
        let pixmap = Pixmap::new(240, height as u32).unwrap();
        (pixmap, Rect::from_xywh(0.0, 0.0, 240.0, height).unwrap())
    }

    fn still(board: &Board) -> Pixmap {
        let (mut pixmap, area) = whole(board);
        let (marks, theme) = (Marks::default(), Theme::dark());
        board.paint(&mut pixmap.as_mut(), area, &marks, &theme);
        pixmap
    }

    fn moving(motion: &Motion, at: Duration) -> Pixmap {
        let (mut pixmap, area) = whole(&motion.after);
        let (marks, theme) = (Marks::default(), Theme::dark());
        motion.paint(at, &mut pixmap.as_mut(), area, &marks, &theme);
        pixmap
    }

    /// Whether two pictures are the same outside of some places.
    fn is_same_outside(one: &Pixmap, other: &Pixmap, board: &Board, places: &[Place]) -> bool {
        let (_, area) = whole(board);
        let marks = Marks::default();
        let spots: Vec<Rect> = (places.iter())
            .filter_map(|&place| board.spot(area, &marks, place)?.outset(2.0, 2.0))
            .collect();
        let is_spared = |index: usize| {
            let (x, y) = (index as u32 % one.width(), index as u32 / one.width());
            let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
            (spots.iter()).any(|spot| {
                (spot.left()..spot.right()).contains(&x) && (spot.top()..spot.bottom()).contains(&y)
            })
        };
        (one.pixels().iter().zip(other.pixels()).enumerate())
            .all(|(index, (one, other))| one == other || is_spared(index))
    }

    #[test]
    fn a_motion_begins_with_the_old_position_and_ends_with_the_new_one() {
        for game in GAMES {
            for (before, motion, after) in motions(game, 0..1).iter().step_by(3) {
                let lasts = motion.duration();
                let first = moving(motion, Duration::ZERO);
                let from: Vec<Place> = motion.legs.iter().map(|leg| leg.from).collect();
                let old = still(&before.board);
                assert!(
                    is_same_outside(&first, &old, &before.board, &from),
                    "{game} {} {:?}",
                    before.position,
                    after.last
                );
                let new = still(&after.board);
                assert!(moving(motion, lasts) == new, "{game}");
                assert!(moving(motion, lasts * 2) == new, "{game}");
                assert!(first != new, "{game} {}", before.position);
            }
        }
    }

    #[test]
    fn a_motion_arrives_where_the_new_position_has_its_pieces() {
        for game in GAMES {
            for (before, motion, after) in motions(game, 1..2).iter().step_by(3) {
                let almost = motion.duration().saturating_sub(Duration::from_micros(50));
                let mut places: Vec<Place> = motion.legs.iter().map(|leg| leg.to).collect();
                // A pawn that is taken in passing stands until then.
                if let (Some(last), "chess" | "chess:960") = (&after.last, game)
                    && let [Place::Square { row, .. }, Place::Square { column, .. }] =
                        last.places[..]
                {
                    places.push(Place::Square { column, row });
                }
                assert!(
                    is_same_outside(
                        &moving(motion, almost),
                        &still(&after.board),
                        &after.board,
                        &places
                    ),
                    "{game} {} {:?}",
                    before.position,
                    after.last
                );
            }
        }
    }

    #[test]
    fn no_stone_is_lost_while_it_is_sown() {
        for game in ["kalah", "kalah:6x4:empty-capture", "kalah:3x5", "kalah:1x1"] {
            for (before, motion, after) in motions(game, 0..12) {
                let stones = |board: &Board| match &board.kind {
                    Kind::Kalah(board) => board.total(),
                    _ => 0,
                };
                let total = stones(&before.board);
                let mut time = Duration::ZERO;
                while let Some((board, hands)) = motion.frame(time) {
                    let in_hand = hands.iter().map(|hand| match hand.body {
                        Body::Stones(stones) => stones,
                        _ => 0,
                    });
                    assert_eq!(stones(board) + in_hand.sum::<u32>(), total, "{time:?}");
                    time += Duration::from_millis(23);
                }
                let (_, end) = motion.scenes.last().unwrap();
                assert_eq!(end.kind, after.board.kind, "{game} {}", before.position);
            }
        }
    }

    #[test]
    fn motions_take_a_moment() {
        for game in GAMES {
            for (_, motion, _) in motions(game, 2..3) {
                let millis = motion.duration().as_millis();
                let longest = if game.starts_with("kalah") { 4000 } else { 600 };
                assert!((150..=longest).contains(&millis), "{game} {millis} ms");
            }
        }
    }

    #[test]
    fn a_disc_falls_faster_and_faster_and_does_not_fall_through() {
        let motion = Motion::new("connect-four", "", &["4"]).unwrap();
        let along = |millis: u64| {
            let (_, moving) = motion.frame(Duration::from_millis(millis)).unwrap();
            moving[0].along
        };
        let steps = [0, 100, 200, 300].map(along);
        assert!(steps[1] - steps[0] < steps[2] - steps[1]);
        assert!(steps[2] - steps[1] < steps[3] - steps[2]);
        for millis in 0..motion.duration().as_millis() as u64 {
            assert!((0.0..=1.0).contains(&along(millis)));
        }
    }

    #[test]
    fn a_castling_king_takes_its_rook_along() {
        let motion = |game: &str, position: &str, mv: &str| {
            let motion = Motion::new(game, position, &[mv]).unwrap();
            let ways = motion.legs.iter().map(|leg| (leg.body, leg.from, leg.to));
            ways.collect::<Vec<_>>()
        };
        let square = |column: u8, row: u8| Place::Square { column, row };
        let castles = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        let mut ways = motion("chess", castles, "e1g1");
        ways.sort_by_key(|(body, _, _)| *body == Body::Piece('R'));
        let king = (Body::Piece('K'), square(4, 0), square(6, 0));
        let rook = (Body::Piece('R'), square(7, 0), square(5, 0));
        assert_eq!(ways, [king, rook]);
        let pawn = motion("chess", "8/P6k/8/8/8/8/7K/8 w - - 0 1", "a7a8n");
        assert_eq!(pawn, [(Body::Piece('P'), square(0, 6), square(0, 7))]);
    }

    #[test]
    fn where_nothing_moves_there_is_no_motion() {
        assert_eq!(Motion::new("chess", "", &[""; 0]), None);
        assert_eq!(Motion::new("chess", "", &["e2e5"]), None);
        assert_eq!(Motion::new("go", "", &["e2e4"]), None);
    }
}
