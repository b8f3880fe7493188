//! Animation of a move: backgrounds and tweened sprites as functions of time.
//!
//! Each game's file turns the steps of a move into an [`AnimationScript`]; this file plays it. Callers pass the time; nothing
//! here reads a clock.

use std::{ops::Range, time::Duration};

use canopy_engine::games::Player;
use tiny_skia::{PixmapMut, Rect};

use super::{Board, BoardKind, BoardPlace, Marks, brush::Brush};
use crate::draw::theme::Theme;

/// Duration of a piece's slide.
pub(super) const SLIDE_MS: f32 = 160.0;

/// The animation of one move. A frame depends only on the time since the start.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveAnimation {
    /// The board behind the sprites and the time from which it is shown, in milliseconds, ascending.
    backgrounds: Vec<(f32, Board)>,
    tweens: Vec<Tween>,
    final_board: Board,
    duration_ms: f32,
}

/// What a game animates. All times are in milliseconds since the start.
pub(super) struct AnimationScript {
    /// The board behind the sprites and the time from which it is shown, ascending.
    pub(super) backgrounds: Vec<(f32, BoardKind)>,
    pub(super) tweens: Vec<Tween>,
}

/// A sprite's motion from one place to another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tween {
    pub(super) sprite: Sprite,
    pub(super) from: BoardPlace,
    pub(super) to: BoardPlace,
    /// When the sprite is drawn.
    pub(super) visible: Range<f32>,
    /// When it moves; it rests before and after.
    pub(super) active: Range<f32>,
    pub(super) easing: Easing,
}

/// What moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sprite {
    /// A chess piece by its FEN letter.
    Piece(char),
    /// A disc or a stone of a player.
    Disc(Player),
    /// A disc that appears or flips.
    Flipping {
        /// The owner before; none if it appears.
        from: Option<Player>,
        /// The owner after.
        to: Player,
    },
    /// A number of kalah stones in a hand.
    Stones(u32),
}

/// Progress as a function of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Easing {
    /// Smoothstep: slow at both ends.
    Smooth,
    /// Free fall, then one small bounce.
    FallAndBounce {
        /// The share of the time at which it lands.
        landing: f32,
        /// Height of the bounce as a share of the distance.
        bounce: f32,
    },
}

/// A sprite at one point in time.
pub(super) struct MovingSprite {
    pub(super) sprite: Sprite,
    pub(super) from: BoardPlace,
    pub(super) to: BoardPlace,
    /// Share of the distance covered, from 0 to 1.
    pub(super) progress: f32,
}

impl Tween {
    /// A smooth motion, visible while it is active.
    pub(super) fn new(
        sprite: Sprite,
        from: BoardPlace,
        to: BoardPlace,
        active: Range<f32>,
    ) -> Self {
        Self {
            sprite,
            from,
            to,
            visible: active.clone(),
            active,
            easing: Easing::Smooth,
        }
    }

    /// The same motion, visible for longer.
    pub(super) fn with_visible(self, visible: Range<f32>) -> Self {
        Self { visible, ..self }
    }

    fn at(&self, time: f32) -> MovingSprite {
        let lasts = (self.active.end - self.active.start).max(f32::MIN_POSITIVE);
        let part = ((time - self.active.start) / lasts).clamp(0.0, 1.0);
        MovingSprite {
            sprite: self.sprite,
            from: self.from,
            to: self.to,
            progress: self.easing.ease(part),
        }
    }
}

impl Easing {
    /// Share of the distance covered after a share of the time, both from 0 to 1.
    fn ease(self, part: f32) -> f32 {
        match self {
            Self::Smooth => part * part * (3.0 - 2.0 * part),
            Self::FallAndBounce { landing, .. } if part < landing => (part / landing).powi(2),
            Self::FallAndBounce { landing, bounce } => {
                let after = (part - landing) / (1.0 - landing).max(f32::MIN_POSITIVE);
                1.0 - bounce * 4.0 * after * (1.0 - after)
            }
        }
    }
}

impl MoveAnimation {
    /// Animates the last of `moves`, which are read as in [`Board::after_moves`]. None if they are illegal or nothing moves:
    /// no moves, a pass, or a game without a board of its own.
    pub fn new(game: &str, position: &str, moves: &[impl AsRef<str>]) -> Option<Self> {
        let (_, earlier) = moves.split_last()?;
        let before = Board::after_moves(game, position, earlier).ok()?;
        let after = Board::after_moves(game, position, moves).ok()?;
        let steps = &after.last_move.as_ref()?.steps;
        let AnimationScript {
            backgrounds,
            tweens,
        } = before.board.animation_script(steps)?;
        let board = |kind: BoardKind| Board {
            kind,
            ..before.board.clone()
        };
        Some(Self {
            backgrounds: (backgrounds.into_iter())
                .map(|(from, kind)| (from, board(kind)))
                .collect(),
            duration_ms: (tweens.iter())
                .map(|tween| tween.visible.end)
                .fold(0.0, f32::max),
            tweens,
            final_board: after.board,
        })
    }

    /// The duration; afterwards [`Self::final_board`] is shown.
    pub fn duration(&self) -> Duration {
        Duration::from_secs_f32(self.duration_ms / 1000.0)
    }

    /// The board after the move.
    pub fn final_board(&self) -> &Board {
        &self.final_board
    }

    /// Whether it has ended at this time since the start.
    pub fn is_over(&self, at: Duration) -> bool {
        at >= self.duration()
    }

    /// Paints the frame at this time since the start, as [`Board::paint`] does. Of the marks, which belong to the position
    /// after the move, only the last move is shown until the end.
    pub fn paint(
        &self,
        at: Duration,
        pixmap: &mut PixmapMut<'_>,
        area: Rect,
        marks: &Marks,
        theme: &Theme,
    ) {
        let Some((board, moving)) = self.frame(at) else {
            self.final_board.paint(pixmap, area, marks, theme);
            return;
        };
        let marks = Marks {
            last_move: marks.last_move.clone(),
            is_flipped: marks.is_flipped,
            shows_coordinates: marks.shows_coordinates,
            ..Marks::default()
        };
        board.paint_moving(&mut Brush::new(pixmap, theme), area, &marks, &moving);
    }

    /// The background and the sprites; none after the end.
    fn frame(&self, at: Duration) -> Option<(&Board, Vec<MovingSprite>)> {
        if self.is_over(at) {
            return None;
        }
        let time = at.as_secs_f32() * 1000.0;
        let (_, board) = self
            .backgrounds
            .iter()
            .rev()
            .find(|(from, _)| *from <= time)?;
        let moving = (self.tweens.iter())
            .filter(|tween| tween.visible.contains(&time))
            .map(|tween| tween.at(time));
        Some((board, moving.collect()))
    }
}

/// Linear interpolation; `share` runs from 0 to 1.
pub(super) fn lerp(from: f32, to: f32, share: f32) -> f32 {
    from + (to - from) * share
}

#[cfg(test)]
mod tests {
    use canopy_engine::rng::Rng;
    use tiny_skia::Pixmap;

    use super::*;
    use crate::board::PositionInfo;

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

    /// Every animation of some random games, between the positions before and after it.
    fn motions(game: &str, seeds: Range<u64>) -> Vec<(PositionInfo, MoveAnimation, PositionInfo)> {
        let mut all = Vec::new();
        for seed in seeds {
            let mut rng = Rng::new(seed);
            let mut before = Board::after_moves(game, "", &[""; 0]).unwrap();
            while !before.legal_moves.is_empty() && all.len() < 400 {
                let mv =
                    before.legal_moves[rng.below(before.legal_moves.len() as u32) as usize].clone();
                let after = Board::after_moves(game, &before.position, &[&mv]).unwrap();
                let motion = MoveAnimation::new(game, &before.position, &[&mv]);
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

    fn moving(motion: &MoveAnimation, at: Duration) -> Pixmap {
        let (mut pixmap, area) = whole(&motion.final_board);
        let (marks, theme) = (Marks::default(), Theme::dark());
        motion.paint(at, &mut pixmap.as_mut(), area, &marks, &theme);
        pixmap
    }

    /// Whether two pictures are equal outside some places.
    fn is_same_outside(one: &Pixmap, other: &Pixmap, board: &Board, places: &[BoardPlace]) -> bool {
        let (_, area) = whole(board);
        let marks = Marks::default();
        let spots: Vec<Rect> = (places.iter())
            .filter_map(|&place| board.place_rect(area, &marks, place)?.outset(2.0, 2.0))
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
                let from: Vec<BoardPlace> = motion.tweens.iter().map(|tween| tween.from).collect();
                let old = still(&before.board);
                assert!(
                    is_same_outside(&first, &old, &before.board, &from),
                    "{game} {} {:?}",
                    before.position,
                    after.last_move
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
                let mut places: Vec<BoardPlace> =
                    motion.tweens.iter().map(|tween| tween.to).collect();
                // A pawn captured en passant is drawn until the end.
                if let (Some(last), "chess" | "chess:960") = (&after.last_move, game)
                    && let [
                        BoardPlace::Square { row, .. },
                        BoardPlace::Square { column, .. },
                    ] = last.places[..]
                {
                    places.push(BoardPlace::Square { column, row });
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
                    after.last_move
                );
            }
        }
    }

    #[test]
    fn no_stone_is_lost_while_it_is_sown() {
        for game in ["kalah", "kalah:6x4:empty-capture", "kalah:3x5", "kalah:1x1"] {
            for (before, motion, after) in motions(game, 0..12) {
                let stones = |board: &Board| match &board.kind {
                    BoardKind::Kalah(board) => board.total(),
                    _ => 0,
                };
                let total = stones(&before.board);
                let mut time = Duration::ZERO;
                while let Some((board, hands)) = motion.frame(time) {
                    let in_hand = hands.iter().map(|hand| match hand.sprite {
                        Sprite::Stones(stones) => stones,
                        _ => 0,
                    });
                    assert_eq!(stones(board) + in_hand.sum::<u32>(), total, "{time:?}");
                    time += Duration::from_millis(23);
                }
                let (_, end) = motion.backgrounds.last().unwrap();
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
        let motion = MoveAnimation::new("connect-four", "", &["4"]).unwrap();
        let along = |millis: u64| {
            let (_, moving) = motion.frame(Duration::from_millis(millis)).unwrap();
            moving[0].progress
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
            let motion = MoveAnimation::new(game, position, &[mv]).unwrap();
            let ways = motion
                .tweens
                .iter()
                .map(|tween| (tween.sprite, tween.from, tween.to));
            ways.collect::<Vec<_>>()
        };
        let square = |column: u8, row: u8| BoardPlace::Square { column, row };
        let castles = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        let mut ways = motion("chess", castles, "e1g1");
        ways.sort_by_key(|(sprite, _, _)| *sprite == Sprite::Piece('R'));
        let king = (Sprite::Piece('K'), square(4, 0), square(6, 0));
        let rook = (Sprite::Piece('R'), square(7, 0), square(5, 0));
        assert_eq!(ways, [king, rook]);
        let pawn = motion("chess", "8/P6k/8/8/8/8/7K/8 w - - 0 1", "a7a8n");
        assert_eq!(pawn, [(Sprite::Piece('P'), square(0, 6), square(0, 7))]);
    }

    #[test]
    fn where_nothing_moves_there_is_no_motion() {
        assert_eq!(MoveAnimation::new("chess", "", &[""; 0]), None);
        assert_eq!(MoveAnimation::new("chess", "", &["e2e5"]), None);
        assert_eq!(MoveAnimation::new("go", "", &["e2e4"]), None);
    }
}
