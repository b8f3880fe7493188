//! Othello: black and white discs on green felt.

use canopy_engine::games::{Piece, Player, Step};

use super::{
    BLACK_STONE, BoardKind, BoardPlace, BoardStyle, GridRenderer, Marks, PaintContext,
    PieceColours, RefusedClick, WHITE_STONE,
    animation::{AnimationScript, MovingSprite, Sprite, Tween},
    brush::{Brush, with_opacity},
    place_name, rgb,
    square_map::{SquareMap, disc_owner},
    squares::{DiscStyle, GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::theme::Theme;

const SIDE: u8 = 8;

const LAYOUT: GridLayout = GridLayout::new(SIDE, SIDE, RowNumbering::TopDown).with_rim(0.13);

/// Duration of a new disc's appearance.
const APPEAR_MS: f32 = 90.0;
/// Time from the start to the first flip.
const FIRST_FLIP_MS: f32 = 40.0;
/// Delay of a flip per square of distance.
const FLIP_STAGGER_MS: f32 = 14.0;
/// Duration of a flip.
const FLIP_MS: f32 = 120.0;

const DISCS: DiscStyle = DiscStyle {
    radius: 0.4,
    colours: [BLACK_STONE, WHITE_STONE],
};

/// The game's name.
pub(super) const GAME: &str = "othello";

/// The discs by their owners.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OthelloBoard {
    discs: SquareMap<Player>,
}

impl OthelloBoard {
    pub(super) fn new(pieces: &[(BoardPlace, Piece, u32)]) -> Self {
        Self {
            discs: SquareMap::new(&LAYOUT, pieces, disc_owner),
        }
    }

    /// A disc appears, and the discs it flips turn over, nearest first.
    pub(super) fn animation_script(&self, steps: &[Step]) -> Option<AnimationScript> {
        let placed = (steps.iter()).find_map(|step| match *step {
            Step::Place { at, .. } => Some(at),
            _ => None,
        })?;
        let mut still = self.clone();
        let mut turns = Vec::new();
        for step in steps {
            let (at, from, to) = match *step {
                Step::Place {
                    piece: Piece::Disc(to),
                    at,
                } => (at, None, to),
                Step::Flip { at, to } => (at, still.discs.take(at), to),
                _ => continue,
            };
            turns.push((at, distance(placed, at)?, Sprite::Flipping { from, to }));
        }
        let farthest = turns.iter().map(|(_, far, _)| *far).max()?;
        let lasts = FIRST_FLIP_MS + FLIP_STAGGER_MS * f32::from(farthest) + FLIP_MS;
        let tweens = turns.into_iter().map(|(place, far, sprite)| {
            let start = FIRST_FLIP_MS + FLIP_STAGGER_MS * f32::from(far);
            let active = if far == 0 {
                0.0..APPEAR_MS
            } else {
                start..start + FLIP_MS
            };
            Tween::new(sprite, place, place, active).with_visible(0.0..lasts)
        });
        Some(AnimationScript {
            tweens: tweens.collect(),
            backgrounds: vec![(0.0, BoardKind::Othello(still))],
        })
    }

    /// Paints the discs that appear or flip.
    fn paint_flips(&self, brush: &mut Brush<'_, '_>, squares: &Squares, moving: &[MovingSprite]) {
        for MovingSprite {
            sprite,
            to: place,
            progress,
            ..
        } in moving
        {
            let (Sprite::Flipping { from, to }, Some(at)) = (*sprite, squares.centre_of(*place))
            else {
                continue;
            };
            let radius = squares.cell * DISCS.radius;
            let Some(from) = from else {
                let tone = self.piece_colours(to, brush.theme);
                brush.piece(at, radius * progress, tone);
                continue;
            };
            let player = if *progress < 0.5 { from } else { to };
            let tone = self.piece_colours(player, brush.theme);
            if *progress > 0.0 && *progress < 1.0 {
                let part = (progress * std::f32::consts::PI).cos().abs();
                brush.flipping_piece(at, radius, part, tone);
            } else {
                brush.piece(at, radius, tone);
            }
        }
    }

    /// Paints on each square how many discs Black would flip, in black, and White, in white.
    fn paint_captures(&self, brush: &mut Brush<'_, '_>, squares: &Squares, marks: &Marks) {
        let size = squares.cell * 0.32;
        let colours = [rgb(0x0a0d10), rgb(0xf6f4ee)];
        for &(place, counts) in &marks.captures {
            let Some((x, y)) = squares
                .centre_of(place)
                .filter(|_| marks.ghost != Some(place))
            else {
                continue;
            };
            let aside = match counts {
                [0, _] | [_, 0] => 0.0,
                _ => squares.cell * 0.19,
            };
            for ((count, colour), side) in counts.into_iter().zip(colours).zip([-1.0, 1.0]) {
                if count > 0 {
                    let at = (x + side * aside, y);
                    brush.semibold_text(&count.to_string(), at, size, colour);
                }
            }
        }
    }

    /// Paints legal squares as rings, which leave room for the flip counts.
    fn paint_targets(brush: &mut Brush<'_, '_>, squares: &Squares, marks: &Marks) {
        let colour = with_opacity(themed_colour(brush.theme, 0xffffff, 0x10161d), 0.4);
        for &place in &marks.targets {
            if let Some(at) = squares
                .centre_of(place)
                .filter(|_| marks.ghost != Some(place))
            {
                let width = (squares.cell * 0.03).max(1.0);
                brush.ring(at, squares.cell * DISCS.radius, width, colour);
            }
        }
    }
}

/// Chebyshev distance of two squares; none if a place is no square.
fn distance(one: BoardPlace, other: BoardPlace) -> Option<u8> {
    let coordinates = |place: BoardPlace| match place {
        BoardPlace::Square { column, row } => Some((column, row)),
        _ => None,
    };
    let (one, other) = (coordinates(one)?, coordinates(other)?);
    Some(one.0.abs_diff(other.0).max(one.1.abs_diff(other.1)))
}

impl BoardStyle for OthelloBoard {
    fn piece_colours(&self, player: Player, _: &Theme) -> PieceColours {
        DISCS.colours[player.index()]
    }

    fn score_unit(&self) -> &'static str {
        "discs"
    }

    fn refusal(&self, click: &RefusedClick) -> Option<String> {
        let at = place_name(click.place);
        Some(match self.discs.at(click.place) {
            Some(_) => format!("There is a disc on {at} already."),
            None => {
                let mover = click.name(click.mover);
                format!("A disc of {mover} on {at} would turn none over.")
            }
        })
    }
}

impl GridRenderer for OthelloBoard {
    fn layout(&self) -> GridLayout {
        LAYOUT
    }

    fn paint_squares(&self, brush: &mut Brush<'_, '_>, squares: &Squares, over: &PaintContext<'_>) {
        let marks = over.marks;
        squares.paint_empty_board(brush, themed_colour(brush.theme, 0x2f6a4f, 0x4f9a76));
        squares.paint_discs(brush, &self.discs, &DISCS);
        self.paint_flips(brush, squares, over.moving);
        squares.paint_move_groups(brush, over.move_groups);
        squares.paint_ghost(brush, over, &self.discs, &DISCS);
        if marks.captures.is_empty() {
            squares.paint_selection(brush, marks, &self.discs);
        } else {
            Self::paint_targets(brush, squares, marks);
            self.paint_captures(brush, squares, marks);
        }
        for &place in marks.last_places() {
            if self.discs.at(place).is_some() {
                squares.paint_last_move_dot(brush, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_the_steps_of_a_king() {
        let [a1, c2, pass] = [
            BoardPlace::square((0, 0)),
            BoardPlace::square((2, 1)),
            BoardPlace::Reserve {
                owner: Player::First,
            },
        ];
        assert_eq!(distance(c2, a1), Some(2));
        assert_eq!(distance(a1, a1), Some(0));
        assert_eq!(distance(a1, pass), None);
    }
}
