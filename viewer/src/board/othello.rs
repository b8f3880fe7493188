//! Othello: black and white discs on green felt.

use canopy_engine::games::{Player, notation};
use tiny_skia::Rect;

use super::{
    BLACK_STONE, BoardKind, BoardPlace, BoardReader, BoardRenderer, Marks, PaintContext,
    PieceColours, WHITE_STONE,
    animation::{AnimationScript, MovingSprite, Sprite, Tween},
    brush::{Brush, with_opacity},
    rgb,
    squares::{GridLayout, RowNumbering, Squares},
    themed_colour,
};
use crate::draw::theme::Theme;

const SIDE: u8 = 8;

const LAYOUT: GridLayout = GridLayout {
    columns: SIDE,
    rows: SIDE,
    rim: 0.13,
    strip_height: 0.0,
    numbering: RowNumbering::TopDown,
};

/// The eight ways from a square.
const DIRECTIONS: [(i8, i8); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];

/// How long a disc takes to appear, in milliseconds.
const APPEAR_MS: f32 = 90.0;
/// When the first disc begins to turn.
const FIRST_FLIP_MS: f32 = 40.0;
/// How much later the next one in a row begins.
const FLIP_STAGGER_MS: f32 = 14.0;
/// How long a disc turns.
const FLIP_MS: f32 = 120.0;

/// How large a disc is, in squares.
const DISC_RADIUS: f32 = 0.4;

/// How the positions of the game are read.
pub(super) const READER: BoardReader = BoardReader {
    game: "othello",
    read: |text| Some(BoardKind::Othello(OthelloBoard::read(text)?)),
};

/// The discs, a1 first, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OthelloBoard {
    discs: Vec<Option<Player>>,
}

impl OthelloBoard {
    /// Reads 64 squares; what follows them is not looked at.
    pub(super) fn read(text: &str) -> Option<Self> {
        let squares = text.split_whitespace().next()?;
        let discs: Vec<Option<Player>> = (squares.chars())
            .map(|symbol| match symbol {
                'X' => Some(Some(Player::First)),
                'O' => Some(Some(Player::Second)),
                '-' => Some(None),
                _ => None,
            })
            .collect::<Option<_>>()?;
        (discs.len() == usize::from(SIDE) * usize::from(SIDE)).then_some(Self { discs })
    }

    fn disc(&self, column: u8, row: u8) -> Option<Player> {
        let index = usize::from(row) * usize::from(SIDE) + usize::from(column);
        self.discs.get(index).copied().flatten()
    }

    /// How many discs a player would capture on an empty square in one of the ways.
    fn flips_in_direction(
        &self,
        (column, row): (u8, u8),
        (across, along): (i8, i8),
        by: Player,
    ) -> u32 {
        let (mut column, mut row, mut count) = (column, row, 0);
        loop {
            let next = (
                column.checked_add_signed(across),
                row.checked_add_signed(along),
            );
            let (Some(next_column), Some(next_row)) = next else {
                return 0;
            };
            if next_column >= SIDE || next_row >= SIDE {
                return 0;
            }
            (column, row) = (next_column, next_row);
            match self.disc(column, row) {
                None => return 0,
                Some(player) if player == by => return count,
                Some(_) => count += 1,
            }
        }
    }

    /// How many discs each player would capture on which empty square, where there are any.
    pub(super) fn captures(&self) -> Vec<(BoardPlace, [u32; 2])> {
        let squares = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (column, row)));
        squares
            .filter(|&(column, row)| self.disc(column, row).is_none())
            .map(|square| {
                let all = |by| {
                    DIRECTIONS
                        .iter()
                        .map(|&direction| self.flips_in_direction(square, direction, by))
                        .sum()
                };
                let counts: [u32; 2] = [Player::First, Player::Second].map(all);
                (BoardPlace::square(square), counts)
            })
            .filter(|(_, counts)| *counts != [0, 0])
            .collect()
    }

    /// A disc appears, and those it captures turn, the nearest ones first.
    pub(super) fn animation_script(
        &self,
        after: &Self,
        places: &[BoardPlace],
    ) -> Option<AnimationScript> {
        let &[BoardPlace::Square { column, row }] = places else {
            return None;
        };
        let mut still = self.clone();
        let mut turns = Vec::new();
        let pairs = still.discs.iter_mut().zip(&after.discs);
        for (index, (disc, &now)) in (0_u8..).zip(pairs) {
            let Some(to) = now.filter(|_| *disc != now) else {
                continue;
            };
            let at = (index % SIDE, index / SIDE);
            let far = at.0.abs_diff(column).max(at.1.abs_diff(row));
            turns.push((
                BoardPlace::square(at),
                far,
                Sprite::Flipping {
                    from: disc.take(),
                    to,
                },
            ));
        }
        let farthest = turns.iter().map(|(_, far, _)| *far).max()?;
        let lasts = FIRST_FLIP_MS + FLIP_STAGGER_MS * f32::from(farthest) + FLIP_MS;
        let legs = turns.into_iter().map(|(place, far, body)| {
            let start = FIRST_FLIP_MS + FLIP_STAGGER_MS * f32::from(far);
            let moves = if far == 0 {
                0.0..APPEAR_MS
            } else {
                start..start + FLIP_MS
            };
            Tween::new(body, place, place, moves).with_visible(0.0..lasts)
        });
        Some(AnimationScript {
            tweens: legs.collect(),
            backgrounds: vec![(0.0, BoardKind::Othello(still))],
        })
    }

    /// Draws the discs that appear and turn.
    fn paint_flips(&self, brush: &mut Brush<'_, '_>, squares: &Squares, moving: &[MovingSprite]) {
        for MovingSprite {
            sprite: body,
            to: place,
            progress: along,
            ..
        } in moving
        {
            let (Sprite::Flipping { from, to }, Some(at)) = (*body, squares.centre_of(*place))
            else {
                continue;
            };
            let radius = squares.cell * DISC_RADIUS;
            let Some(from) = from else {
                let tone = self.piece_colours(to, brush.theme);
                brush.piece(at, radius * along, tone);
                continue;
            };
            let player = if *along < 0.5 { from } else { to };
            let tone = self.piece_colours(player, brush.theme);
            if *along > 0.0 && *along < 1.0 {
                let part = (along * std::f32::consts::PI).cos().abs();
                brush.flipping_piece(at, radius, part, tone);
            } else {
                brush.piece(at, radius, tone);
            }
        }
    }

    /// On each square how many discs black would capture, in black, and white, in white.
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

    /// Rings where a disc may be put, so that the figures in them can be read.
    fn paint_targets(brush: &mut Brush<'_, '_>, squares: &Squares, marks: &Marks) {
        let colour = with_opacity(themed_colour(brush.theme, 0xffffff, 0x10161d), 0.4);
        for &place in &marks.targets {
            if let Some(at) = squares
                .centre_of(place)
                .filter(|_| marks.ghost != Some(place))
            {
                let width = (squares.cell * 0.03).max(1.0);
                brush.ring(at, squares.cell * DISC_RADIUS, width, colour);
            }
        }
    }
}

impl BoardRenderer for OthelloBoard {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        LAYOUT.extent(coordinates)
    }

    fn place_rects(&self, area: Rect, marks: &Marks) -> Vec<(BoardPlace, Rect)> {
        LAYOUT
            .squares(area, marks)
            .map_or_else(Vec::new, |squares| squares.place_rects())
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &PaintContext<'_>) {
        let Some(squares) = LAYOUT.squares(area, marks) else {
            return;
        };
        squares.paint_background(brush, themed_colour(brush.theme, 0x2f6a4f, 0x4f9a76));
        squares.paint_grid(brush, 0.2);
        squares.paint_coordinates(brush);
        for (column, row) in squares.all() {
            if let (Some(player), Some(at)) = (self.disc(column, row), squares.centre(column, row))
            {
                brush.piece(
                    at,
                    squares.cell * DISC_RADIUS,
                    self.piece_colours(player, brush.theme),
                );
            }
        }
        self.paint_flips(brush, &squares, over.moving);
        squares.paint_move_groups(brush, over.move_groups);
        let is_taken = |column, row| self.disc(column, row).is_some();
        let ghost = (
            squares.cell * DISC_RADIUS,
            self.piece_colours(over.mover, brush.theme),
        );
        squares.paint_ghost(brush, marks, ghost, is_taken);
        if marks.captures.is_empty() {
            squares.paint_selection(brush, marks, is_taken);
        } else {
            Self::paint_targets(brush, &squares, marks);
            self.paint_captures(brush, &squares, marks);
        }
        for &place in &marks.last_move {
            if let BoardPlace::Square { column, row } = place
                && is_taken(column, row)
            {
                squares.paint_last_move_dot(brush, place);
            }
        }
    }

    fn move_places(&self, mv: &str, _: Player) -> Vec<BoardPlace> {
        let square = notation::parse_square(mv, SIDE, SIDE);
        square.map(BoardPlace::square).into_iter().collect()
    }

    fn piece_colours(&self, player: Player, _: &Theme) -> PieceColours {
        match player {
            Player::First => BLACK_STONE,
            Player::Second => WHITE_STONE,
        }
    }

    fn score_unit(&self) -> &'static str {
        "discs"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_are_read_from_the_upper_left_corner_on() {
        let mut text = "-".repeat(64);
        text.replace_range(0..1, "X");
        text.replace_range(10..11, "O");
        let board = OthelloBoard::read(&format!("{text} X")).unwrap();
        assert_eq!(board.disc(0, 0), Some(Player::First));
        assert_eq!(board.disc(2, 1), Some(Player::Second));
        assert_eq!(board.disc(1, 2), None);
        for wrong in ["", "X", "---", &format!("{}? X", "-".repeat(63))] {
            assert_eq!(OthelloBoard::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_move_is_a_square_and_a_pass_is_none() {
        let board = OthelloBoard::read(&"-".repeat(64)).unwrap();
        let places = |mv: &str| board.move_places(mv, Player::First);
        assert_eq!(places("c4"), [BoardPlace::Square { column: 2, row: 3 }]);
        for none in ["pass", "", "i1", "c9", "żż"] {
            assert_eq!(places(none), [], "{none}");
        }
    }
}
