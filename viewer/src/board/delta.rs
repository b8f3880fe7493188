//! Delta: stones on 5 by 5 squares, with each side's reserve above or below.

use std::ops::Range;

use canopy_engine::games::{Piece, Player, Step, delta};
use egui::Color32;
use tiny_skia::Rect;

use super::{
    BLACK_STONE, BoardKind, BoardPlace, BoardStyle, GridRenderer, LastMove, Marks, PaintContext,
    PieceColours, RefusedClick, WHITE_STONE,
    animation::{AnimationScript, MovingSprite, SLIDE_MS, Sprite, Tween, lerp},
    brush::{Brush, rect_centre, with_opacity},
    place_name,
    square_map::{SquareMap, disc_owner},
    squares::{DiscStyle, GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::theme::{self, Theme, mix};

const SIDE: u8 = 5;
/// Slots of a reserve's tray.
const STONES_PER_SIDE: usize = delta::STONES_PER_SIDE as usize;

const LAYOUT: GridLayout = GridLayout::new(SIDE, SIDE, RowNumbering::BottomUp).with_strips(0.6);

/// Time from the start of a slide to the start of the dropped stone's motion.
const DROP_DELAY_MS: f32 = 110.0;

/// Stones on the board.
const STONES: DiscStyle = DiscStyle {
    radius: 0.38,
    colours: [BLACK_STONE, WHITE_STONE],
};
/// Radius of a stone in reserve, in squares.
const RESERVE_STONE_RADIUS: f32 = 0.17;

/// The game's name.
pub(super) const GAME: &str = "delta";

/// The stones by their owners, on the board and in reserve.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DeltaBoard {
    stones: SquareMap<Player>,
    /// Stones in reserve, first player first; those in motion are not counted.
    reserves: [usize; 2],
}

impl DeltaBoard {
    pub(super) fn new(pieces: &[(BoardPlace, Piece, u32)]) -> Self {
        let mut reserves = [0; 2];
        for &(place, _, count) in pieces {
            if let BoardPlace::Reserve { owner } = place {
                reserves[owner.index()] = count as usize;
            }
        }
        Self {
            stones: SquareMap::new(&LAYOUT, pieces, disc_owner),
            reserves,
        }
    }

    /// Takes a stone off the board or out of a reserve.
    fn take_stone(&mut self, place: BoardPlace) {
        if let BoardPlace::Reserve { owner } = place {
            let reserve = &mut self.reserves[owner.index()];
            *reserve = reserve.saturating_sub(1);
        } else {
            self.stones.take(place);
        }
    }

    /// A stone is placed; or one slides, and another follows from the reserve or from where it is picked up.
    pub(super) fn animation_script(&self, steps: &[Step]) -> Option<AnimationScript> {
        let tween = |step: Step, active: Range<f32>| match step {
            Step::Move {
                piece: Piece::Disc(player),
                from,
                to,
            } => Some(Tween::new(Sprite::Disc(player), from, to, active)),
            _ => None,
        };
        let lasts = DROP_DELAY_MS + SLIDE_MS;
        let tweens = match *steps {
            [placement] => vec![tween(placement, 0.0..SLIDE_MS)?],
            // The sliding stone is painted last, over the other.
            [slide, drop] => vec![
                tween(drop, DROP_DELAY_MS..lasts)?.with_visible(0.0..lasts),
                tween(slide, 0.0..SLIDE_MS)?.with_visible(0.0..lasts),
            ],
            _ => return None,
        };
        let mut still = self.clone();
        for tween in &tweens {
            still.take_stone(tween.from);
        }
        Some(AnimationScript {
            backgrounds: vec![(0.0, BoardKind::Delta(still))],
            tweens,
        })
    }

    /// Centre and radius of a stone on a square, or of the next one taken from a reserve.
    fn stone_position(
        &self,
        squares: &Squares,
        flip: bool,
        place: BoardPlace,
    ) -> Option<((f32, f32), f32)> {
        match place {
            BoardPlace::Reserve { owner } => {
                let at = reserve_position(squares, flip, owner, self.reserves[owner.index()])?;
                Some((at, squares.cell * RESERVE_STONE_RADIUS))
            }
            place => Some((squares.centre_of(place)?, squares.cell * STONES.radius)),
        }
    }

    /// Paints the stones in motion.
    fn paint_moving_stones(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        (moving, flip): (&[MovingSprite], bool),
    ) {
        for MovingSprite {
            sprite,
            from,
            to,
            progress,
        } in moving
        {
            let [from, to] = [*from, *to].map(|place| self.stone_position(squares, flip, place));
            let (Sprite::Disc(player), Some((from, small)), Some((to, large))) =
                (*sprite, from, to)
            else {
                continue;
            };
            let at = (lerp(from.0, to.0, *progress), lerp(from.1, to.1, *progress));
            let tone = self.piece_colours(player, brush.theme);
            brush.piece(at, lerp(small, large, *progress), tone);
        }
    }

    /// Paints a reserve as a tray of slots, filled or empty.
    fn paint_reserve(
        &self,
        brush: &mut Brush<'_, '_>,
        squares: &Squares,
        marks: &Marks,
        owner: Player,
    ) {
        let Some(strip) = squares.strip_rect(is_reserve_above(owner, marks.is_flipped)) else {
            return;
        };
        let tone = self.piece_colours(owner, brush.theme);
        let tray_colour = mix(brush.theme.panel, background(brush.theme), 0.6);
        let gap = squares.cell * 0.07;
        if let Some(tray) = strip.inset(0.0, gap) {
            brush.rounded_rectangle(tray, squares.cell * 0.16, theme::to_skia(tray_colour));
        }
        let radius = squares.cell * RESERVE_STONE_RADIUS;
        let left = self.reserves[owner.index()];
        for index in 0..STONES_PER_SIDE {
            let Some(at) = reserve_position(squares, marks.is_flipped, owner, index) else {
                continue;
            };
            if index < left {
                brush.piece(at, radius, tone);
            } else {
                let width = (squares.cell * 0.02).max(1.0);
                brush.ring(at, radius, width, with_opacity(brush.theme.dim, 0.4));
            }
        }
        let place = BoardPlace::Reserve { owner };
        if marks.selected == Some(place) || marks.targets.contains(&place) {
            let width = (squares.cell * 0.05).max(1.0);
            let colour = theme::to_skia(brush.theme.warm);
            brush.border(strip, squares.cell * 0.2, width, colour);
        }
    }

    /// Paints dots on the stones that the last move put down, and a ring where a slide began.
    fn paint_last_move(&self, brush: &mut Brush<'_, '_>, squares: &Squares, last: &LastMove) {
        for place in last.steps.iter().filter_map(|step| step.target()) {
            // During an animation the stone is not there yet.
            if self.stones.at(place).is_some() {
                squares.paint_last_move_dot(brush, place);
            }
        }
        let [from, _, ..] = *last.places else { return };
        if let Some(rect) = squares.rect_of(from) {
            let (radius, width) = (squares.cell * 0.14, (squares.cell * 0.04).max(1.0));
            let colour = with_opacity(brush.theme.bad, 0.9);
            brush.ring(rect_centre(rect), radius, width, colour);
        }
    }
}

/// Centre of a reserve's slot; `index` counts from 0.
fn reserve_position(
    squares: &Squares,
    flip: bool,
    owner: Player,
    index: usize,
) -> Option<(f32, f32)> {
    let (x, y) = rect_centre(squares.strip_rect(is_reserve_above(owner, flip))?);
    let step = squares.cell * 0.48;
    Some((
        x + (index as f32 - (STONES_PER_SIDE - 1) as f32 / 2.0) * step,
        y,
    ))
}

/// Colour of the board.
fn background(theme: &Theme) -> Color32 {
    themed_colour(theme, 0x5a5470, 0xbcb4cc)
}

/// Whether a reserve lies above the board.
fn is_reserve_above(owner: Player, flip: bool) -> bool {
    (owner == Player::Second) != flip
}

impl BoardStyle for DeltaBoard {
    fn piece_colours(&self, player: Player, _: &Theme) -> PieceColours {
        STONES.colours[player.index()]
    }

    fn refusal(&self, click: &RefusedClick) -> Option<String> {
        let at = place_name(click.place);
        match (self.stones.at(click.place), click.selected) {
            (Some(owner), None) if owner != click.mover => {
                let (owner, mover) = (click.name(owner), click.name(click.mover));
                Some(format!(
                    "The stone on {at} is {owner}’s; {mover} is to move."
                ))
            }
            (Some(_), None) => Some(format!("The stone on {at} cannot move.")),
            _ => None,
        }
    }
}

impl GridRenderer for DeltaBoard {
    fn layout(&self) -> GridLayout {
        LAYOUT
    }

    fn outer_rects(&self, squares: &Squares, marks: &Marks) -> Vec<(BoardPlace, Rect)> {
        [Player::First, Player::Second]
            .into_iter()
            .filter_map(|owner| {
                let strip = squares.strip_rect(is_reserve_above(owner, marks.is_flipped))?;
                Some((BoardPlace::Reserve { owner }, strip))
            })
            .collect()
    }

    fn paint_squares(&self, brush: &mut Brush<'_, '_>, squares: &Squares, over: &PaintContext<'_>) {
        let marks = over.marks;
        squares.paint_empty_board(brush, background(brush.theme));
        for owner in [Player::First, Player::Second] {
            self.paint_reserve(brush, squares, marks, owner);
        }
        squares.paint_discs(brush, &self.stones, &STONES);
        squares.paint_move_groups(brush, over.move_groups);
        squares.paint_ghost(brush, over, &self.stones, &STONES);
        squares.paint_selection(brush, marks, &self.stones);
        if let Some(last) = &marks.last_move {
            self.paint_last_move(brush, squares, last);
        }
        self.paint_moving_stones(brush, squares, (over.moving, marks.is_flipped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_lie_on_squares_and_in_reserves() {
        let (owner, c3) = (Player::First, BoardPlace::square((2, 2)));
        let (reserve, stone) = (BoardPlace::Reserve { owner }, Piece::Disc(owner));
        let mut board = DeltaBoard::new(&[(reserve, stone, 8), (c3, stone, 1)]);
        assert_eq!(board.stones.get(2, 2), Some(owner));
        assert_eq!(board.reserves, [8, 0]);
        board.take_stone(c3);
        board.take_stone(reserve);
        board.take_stone(BoardPlace::Reserve {
            owner: Player::Second,
        });
        assert_eq!((board.stones.get(2, 2), board.reserves), (None, [7, 0]));
    }
}
