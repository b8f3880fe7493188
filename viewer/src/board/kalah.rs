//! Kalah: wells with stones and their counts. The lower player's store is on the right.

use canopy_engine::games::{Piece, Player, Step};
use egui::Color32;
use tiny_skia::Rect;

use super::{
    BoardKind, BoardPlace, BoardRenderer, BoardStyle, FitTransform, LastMoveMark, Marks, MoveGroup,
    PaintContext, PieceColours, RefusedClick,
    animation::{AnimationScript, MovingSprite, Sprite, Tween, lerp},
    brush::{Brush, coordinate_size, rect_centre, visit_colour, with_opacity},
    themed_colour,
};
use crate::draw::theme::{self, Theme, mix};

// Lengths; the unit is the width of a pit with its margin.
const RIM_WIDTH: f32 = 0.18;
const STORE_WIDTH: f32 = 0.96;
/// Gap between a store and the pits.
const STORE_GAP: f32 = 0.1;
/// Height of a row of pits.
const ROW_HEIGHT: f32 = 0.96;
/// Height of the band with the stone counts.
const COUNT_BAND_HEIGHT: f32 = 0.4;
/// Height of the band with the pit numbers, if coordinates are shown.
const PIT_LABEL_HEIGHT: f32 = 0.42;
/// Diameter of a well.
const WELL_SIZE: f32 = 0.86;

/// With fewer pixels to a pit, the count is drawn in the well instead of stones.
const MIN_PIT_PIXELS_FOR_STONES: f32 = 16.5;

/// Time from one sown stone to the next.
const SOW_INTERVAL_MS: f32 = 110.0;
/// Upper bound for sowing all stones of a pit.
const MAX_SOWING_MS: f32 = 2400.0;
/// Pause before captured or remaining stones are carried to a store.
const CARRY_DELAY_MS: f32 = 120.0;
/// Duration of carrying them.
const CARRY_MS: f32 = 260.0;

/// Height of the sowing hand above a well, in pits.
const HAND_HEIGHT: f32 = 0.12;

/// The game's name.
pub(super) const GAME: &str = "kalah";

/// Stone counts, first player first; pits from their owner's left.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KalahBoard {
    stores: [u32; 2],
    pits: [Vec<u32>; 2],
}

/// Positions of pits and stores in pixels.
struct KalahLayout {
    fit: FitTransform,
    pits: usize,
    is_flipped: bool,
    label_height: f32,
}

impl KalahBoard {
    pub(super) fn new(pieces: &[(BoardPlace, Piece, u32)]) -> Self {
        let mut board = Self {
            stores: [0; 2],
            pits: [Vec::new(), Vec::new()],
        };
        // The rules list the pits of a player in order.
        for &(place, _, stones) in pieces {
            match place {
                BoardPlace::Pit { owner, .. } => board.pits[owner.index()].push(stones),
                BoardPlace::Store { owner } => board.stores[owner.index()] = stones,
                BoardPlace::Square { .. } | BoardPlace::Reserve { .. } => {}
            }
        }
        board
    }

    fn pit_count(&self) -> usize {
        let [south, _] = &self.pits;
        south.len()
    }

    fn layout(&self, area: Rect, marks: &Marks) -> KalahLayout {
        KalahLayout {
            fit: FitTransform::new(area, self.extent(marks.shows_coordinates)),
            pits: self.pit_count(),
            is_flipped: marks.is_flipped,
            label_height: if marks.shows_coordinates {
                PIT_LABEL_HEIGHT
            } else {
                0.0
            },
        }
    }

    /// Every store and pit with its stone count.
    fn wells(&self) -> Vec<(BoardPlace, u32)> {
        let mut wells = Vec::new();
        for owner in [Player::First, Player::Second] {
            wells.push((BoardPlace::Store { owner }, self.stores[owner.index()]));
            for (number, &stones) in (0..).zip(&self.pits[owner.index()]) {
                wells.push((BoardPlace::Pit { owner, number }, stones));
            }
        }
        wells
    }
}

impl KalahBoard {
    fn well_mut(&mut self, place: BoardPlace) -> Option<&mut u32> {
        match place {
            BoardPlace::Pit { owner, number } => {
                self.pits[owner.index()].get_mut(usize::from(number))
            }
            BoardPlace::Store { owner } => Some(&mut self.stores[owner.index()]),
            BoardPlace::Square { .. } | BoardPlace::Reserve { .. } => None,
        }
    }

    /// Stones on the whole board.
    #[cfg(test)]
    pub(super) fn total(&self) -> u32 {
        self.wells().iter().map(|(_, stones)| stones).sum()
    }

    /// Empties a well; how many stones it held.
    fn take_stones(&mut self, place: BoardPlace) -> u32 {
        self.well_mut(place).map_or(0, std::mem::take)
    }

    fn add_stones(&mut self, place: BoardPlace, stones: u32) {
        if let Some(well) = self.well_mut(place) {
            *well += stones;
        }
    }

    /// A hand sows stone by stone; then captured stones, and at the end of the game remaining ones, are carried to the stores.
    pub(super) fn animation_script(&self, steps: &[Step]) -> Option<AnimationScript> {
        let Some(&Step::Sow { from: pit, .. }) = steps.first() else {
            return None;
        };
        let (mut sown, mut captured, mut remaining) = (Vec::new(), Vec::new(), Vec::new());
        for step in steps {
            match *step {
                Step::Sow { to, .. } => sown.push(to),
                Step::CaptureStones { count, from, to } => captured.push((from, count, to)),
                Step::Sweep { count, from, to } => remaining.push((from, count, to)),
                _ => {}
            }
        }
        let mut board = self.clone();
        let mut hand = board.take_stones(pit);
        let step = SOW_INTERVAL_MS.min(MAX_SOWING_MS / hand as f32);
        let mut script = AnimationScript {
            backgrounds: vec![(0.0, BoardKind::Kalah(board.clone()))],
            tweens: vec![Tween::new(Sprite::Stones(hand), pit, pit, 0.0..step)],
        };
        let (mut time, mut from) = (step, pit);
        for place in sown {
            let moves = time..time + step;
            script
                .tweens
                .push(Tween::new(Sprite::Stones(hand), from, place, moves));
            time += step;
            hand = hand.saturating_sub(1);
            board.add_stones(place, 1);
            script
                .backgrounds
                .push((time, BoardKind::Kalah(board.clone())));
            from = place;
        }
        board.animate_carry(captured, &mut time, &mut script);
        board.animate_carry(remaining, &mut time, &mut script);
        Some(script)
    }

    /// Appends stones carried from pits to stores, all at once, given as (from, count, to).
    fn animate_carry(
        &mut self,
        carried: Vec<(BoardPlace, u32, BoardPlace)>,
        time: &mut f32,
        script: &mut AnimationScript,
    ) {
        if carried.is_empty() {
            return;
        }
        let (start, end) = (*time, *time + CARRY_DELAY_MS + CARRY_MS);
        for &(from, stones, to) in &carried {
            self.take_stones(from);
            let tween = Tween::new(
                Sprite::Stones(stones),
                from,
                to,
                start + CARRY_DELAY_MS..end,
            );
            script.tweens.push(tween.with_visible(start..end));
        }
        script
            .backgrounds
            .push((start, BoardKind::Kalah(self.clone())));
        for (_, stones, to) in carried {
            self.add_stones(to, stones);
        }
        script
            .backgrounds
            .push((end, BoardKind::Kalah(self.clone())));
        *time = end;
    }

    /// Paints stones in motion as bowls that hold them.
    fn paint_hands(brush: &mut Brush<'_, '_>, layout: &KalahLayout, moving: &[MovingSprite]) {
        let unit = layout.fit.unit;
        let colours = kalah_colours(brush.theme);
        for hand in moving {
            let [from, to] =
                [hand.from, hand.to].map(|place| layout.well_rect(place).map(rect_centre));
            let (Sprite::Stones(stones), Some(from), Some(to)) = (hand.sprite, from, to) else {
                continue;
            };
            let raised = if hand.from == hand.to {
                hand.progress
            } else {
                1.0
            } * HAND_HEIGHT
                * unit;
            let at = (
                lerp(from.0, to.0, hand.progress),
                lerp(from.1, to.1, hand.progress) - raised,
            );
            let half = unit * 0.38;
            let bowl = mix(colours.board, colours.text, 0.16);
            let width = (unit * 0.03).max(1.0);
            let below = (at.0, at.1 + raised);
            brush.disc(below, half, with_opacity(Color32::BLACK, 0.3));
            brush.disc(at, half, theme::to_skia(bowl));
            brush.ring(at, half, width, with_opacity(colours.text, 0.5));
            if unit < MIN_PIT_PIXELS_FOR_STONES {
                brush.text(&stones.to_string(), at, unit * 0.6, colours.text);
                continue;
            }
            let (heap, radius) = heap_positions(stones);
            for (dx, dy) in heap {
                let stone = (at.0 + dx * half, at.1 + dy * half);
                brush.piece(stone, radius * half, colours.stone);
            }
        }
    }
}

impl KalahLayout {
    fn is_below(&self, owner: Player) -> bool {
        (owner == Player::First) != self.is_flipped
    }

    /// The clickable rectangle of a place, its stone count included; no two overlap.
    fn place_rect(&self, place: BoardPlace) -> Option<Rect> {
        let (owner, number) = match place {
            BoardPlace::Pit { owner, number } => (owner, Some(number)),
            BoardPlace::Store { owner } => (owner, None),
            BoardPlace::Square { .. } | BoardPlace::Reserve { .. } => return None,
        };
        let below = self.is_below(owner);
        let top = self.label_height + RIM_WIDTH;
        let pits_left = RIM_WIDTH + STORE_WIDTH + STORE_GAP;
        match number {
            None => {
                let x = if below {
                    pits_left + self.pits as f32 + STORE_GAP
                } else {
                    RIM_WIDTH
                };
                self.fit
                    .rect(x, top, STORE_WIDTH, 2.0 * (COUNT_BAND_HEIGHT + ROW_HEIGHT))
            }
            Some(number) => {
                let number = usize::from(number);
                let from_left = if below {
                    number
                } else {
                    self.pits.checked_sub(1 + number)?
                };
                let y = if below {
                    top + COUNT_BAND_HEIGHT + ROW_HEIGHT
                } else {
                    top
                };
                let is_here = from_left < self.pits;
                let x = pits_left + from_left as f32;
                is_here.then(|| self.fit.rect(x, y, 1.0, COUNT_BAND_HEIGHT + ROW_HEIGHT))?
            }
        }
    }

    /// The rectangle around the well of a place.
    fn well_rect(&self, place: BoardPlace) -> Option<Rect> {
        let spot = self.place_rect(place)?;
        let unit = self.fit.unit;
        match place {
            BoardPlace::Pit { owner, .. } => {
                let band = if self.is_below(owner) {
                    0.0
                } else {
                    COUNT_BAND_HEIGHT * unit
                };
                let aside = (1.0 - WELL_SIZE) / 2.0 * unit;
                let top = spot.top() + band + (ROW_HEIGHT - WELL_SIZE) / 2.0 * unit;
                Rect::from_xywh(spot.left() + aside, top, WELL_SIZE * unit, WELL_SIZE * unit)
            }
            _ => {
                let aside = (ROW_HEIGHT - WELL_SIZE) / 2.0 * unit;
                let high = (2.0 * ROW_HEIGHT * unit) - 2.0 * aside;
                let top = spot.top() + COUNT_BAND_HEIGHT * unit + aside;
                Rect::from_xywh(
                    spot.left() + aside,
                    top,
                    STORE_WIDTH * unit - 2.0 * aside,
                    high,
                )
            }
        }
    }

    /// Centre of a place's label: the stone count in the band beside its row, or the pit number outside the board.
    fn label_position(
        &self,
        place: BoardPlace,
        owner: Player,
        outside: bool,
    ) -> Option<(f32, f32)> {
        let spot = self.place_rect(place)?;
        let away = if outside {
            RIM_WIDTH + PIT_LABEL_HEIGHT / 2.0
        } else {
            -COUNT_BAND_HEIGHT / 2.0 + 0.03
        };
        let y = if self.is_below(owner) {
            spot.bottom() + away * self.fit.unit
        } else {
            spot.top() - away * self.fit.unit
        };
        Some((rect_centre(spot).0, y))
    }
}

/// Offsets of stones from the centre of a round well, and their radius; the well's radius is 1.
fn heap_positions(stones: u32) -> (Vec<(f32, f32)>, f32) {
    let turn = std::f32::consts::TAU;
    let around = |count: u32, radius: f32| {
        (0..count).map(move |index| {
            let angle = turn * (index as f32 / count as f32 - 0.25);
            (radius * angle.cos(), radius * angle.sin())
        })
    };
    match stones {
        0 => (Vec::new(), 0.0),
        1 => (vec![(0.0, 0.0)], 0.25),
        2..=6 => (around(stones, 0.28 + 0.05 * stones as f32).collect(), 0.25),
        7..=10 => (around(stones - 1, 0.6).chain([(0.0, 0.0)]).collect(), 0.2),
        11..=14 => (
            around(10, 0.7).chain(around(stones - 10, 0.27)).collect(),
            0.17,
        ),
        _ => {
            // Fermat's spiral with the golden angle spreads them evenly (Vogel, 1979).
            let golden = turn * 0.381_966;
            let wide = 0.8;
            let seeds = (0..stones).map(|index| {
                let radius = wide * ((index as f32 + 0.5) / stones as f32).sqrt();
                let angle = golden * index as f32;
                (radius * angle.cos(), radius * angle.sin())
            });
            (seeds.collect(), 0.62 / (stones as f32).sqrt())
        }
    }
}

/// Centres of the stones in a store, in rows from its foot, and their radius.
fn pile_positions(stones: u32, store: Rect) -> (Vec<(f32, f32)>, f32) {
    let inner = store.width() * 0.8;
    let high = store.height() - (store.width() - inner);
    let step_of = |across: u32| inner / across as f32;
    let holds = |across: u32| across * (high / step_of(across)).floor() as u32;
    let across = (3..=12)
        .find(|&across| holds(across) >= stones)
        .unwrap_or(12);
    let step = step_of(across);
    let (left, foot) = (
        store.left() + (store.width() - inner) / 2.0,
        store.bottom() - (store.width() - inner) / 2.0,
    );
    let at = |index: u32| {
        let (column, row) = ((index % across) as f32, (index / across) as f32);
        (left + (column + 0.5) * step, foot - (row + 0.5) * step)
    };
    let shown = stones.min(holds(across));
    ((0..shown).map(at).collect(), step * 0.42)
}

/// The colours of the board.
struct KalahColours {
    board: Color32,
    well: Color32,
    stone: PieceColours,
    text: Color32,
}

fn kalah_colours(theme: &Theme) -> KalahColours {
    KalahColours {
        board: themed_colour(theme, 0x5a4a3c, 0xd9c3a3),
        well: themed_colour(theme, 0x3c3128, 0xbfa480),
        stone: PieceColours {
            fill: themed_colour(theme, 0xd9c7a4, 0x5f4a35),
            edge: themed_colour(theme, 0x8d7c5f, 0x3d2e1f),
        },
        text: themed_colour(theme, 0xf0e6d4, 0x3a2d1f),
    }
}

impl KalahBoard {
    fn paint_well(
        &self,
        brush: &mut Brush<'_, '_>,
        layout: &KalahLayout,
        place: BoardPlace,
        stones: u32,
    ) {
        let colours = kalah_colours(brush.theme);
        let (Some(well), Some(owner)) = (layout.well_rect(place), place.owner()) else {
            return;
        };
        let unit = layout.fit.unit;
        let small = unit < MIN_PIT_PIXELS_FOR_STONES;
        if small {
            let size = unit * 0.6;
            brush.text(&stones.to_string(), rect_centre(well), size, colours.text);
            return;
        }
        let (stones_at, radius) = if matches!(place, BoardPlace::Store { .. }) {
            pile_positions(stones, well)
        } else {
            let (heap, radius) = heap_positions(stones);
            let (x, y) = rect_centre(well);
            let half = well.width() / 2.0;
            let at = heap
                .into_iter()
                .map(|(dx, dy)| (x + dx * half, y + dy * half));
            (at.collect(), radius * half)
        };
        for at in stones_at {
            brush.piece(at, radius, colours.stone);
        }
        if let Some(at) = layout.label_position(place, owner, false) {
            let colour = if stones == 0 {
                mix(colours.board, colours.text, 0.55)
            } else {
                colours.text
            };
            brush.text(&stones.to_string(), at, unit * 0.37, colour);
        }
    }

    /// Rings around the last move, the targets and the selection, and the preview under the pointer.
    fn paint_marks(brush: &mut Brush<'_, '_>, layout: &KalahLayout, marks: &Marks) {
        let width = (layout.fit.unit * 0.055).max(1.0);
        let (last, held) = (brush.theme.bad, brush.theme.warm);
        let may = themed_colour(brush.theme, 0xffffff, 0x10161d);
        let rings = (marks
            .last_places()
            .iter()
            .map(|&place| (place, theme::to_skia(last))))
        .chain(
            marks
                .targets
                .iter()
                .map(|&place| (place, with_opacity(may, 0.5))),
        )
        .chain(marks.selected.map(|place| (place, theme::to_skia(held))));
        for (place, colour) in rings {
            if let Some(well) = layout.well_rect(place) {
                brush.border(well, well.width() / 2.0, width, colour);
            }
        }
        if let Some(well) = marks.ghost.and_then(|place| layout.well_rect(place)) {
            brush.rounded_rectangle(well, well.width() / 2.0, with_opacity(may, 0.14));
            brush.border(well, well.width() / 2.0, width, theme::to_skia(held));
        }
    }

    /// Discs whose areas are the moves' visit shares.
    fn paint_move_groups(brush: &mut Brush<'_, '_>, layout: &KalahLayout, groups: &[MoveGroup]) {
        for group in groups {
            let well = group
                .places
                .first()
                .and_then(|&place| layout.well_rect(place));
            if let Some(well) = well.filter(|_| group.share > 0.0 || group.is_chosen) {
                let radius = well.width() / 2.0 * group.share.sqrt().max(0.12);
                let opacity = match (group.is_chosen, layout.fit.unit < MIN_PIT_PIXELS_FOR_STONES) {
                    (true, false) => 0.85,
                    // The stone count is drawn over it.
                    (true, true) => 0.55,
                    (false, _) => 0.4,
                };
                brush.disc(
                    rect_centre(well),
                    radius,
                    with_opacity(visit_colour(brush.theme), opacity),
                );
            }
        }
    }
}

impl BoardStyle for KalahBoard {
    /// Stones belong to nobody; players have the colours of their tree nodes.
    fn piece_colours(&self, player: Player, theme: &Theme) -> PieceColours {
        PieceColours {
            fill: match player {
                Player::First => theme.light_player,
                Player::Second => theme.dark_player,
            },
            edge: theme.dim,
        }
    }

    fn score_unit(&self) -> &'static str {
        "stones"
    }

    fn refusal(&self, click: &RefusedClick) -> Option<String> {
        let mover = click.name(click.mover);
        Some(match click.place {
            BoardPlace::Pit { owner, .. } if owner != click.mover => {
                let owner = click.name(owner);
                format!("This is a pit of {owner}; {mover} is to move.")
            }
            BoardPlace::Pit { number, .. } => format!("Pit {} is empty.", number + 1),
            BoardPlace::Store { .. } => {
                format!("Nothing is sown from a store; {mover} chooses a pit.")
            }
            BoardPlace::Square { .. } | BoardPlace::Reserve { .. } => return None,
        })
    }

    fn last_move_mark(&self, _: Player, theme: &Theme) -> LastMoveMark {
        LastMoveMark::Ring(theme.bad)
    }
}

impl BoardRenderer for KalahBoard {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        let names = if coordinates {
            2.0 * PIT_LABEL_HEIGHT
        } else {
            0.0
        };
        (
            2.0 * (RIM_WIDTH + STORE_WIDTH + STORE_GAP) + self.pit_count() as f32,
            2.0 * (RIM_WIDTH + COUNT_BAND_HEIGHT + ROW_HEIGHT) + names,
        )
    }

    fn place_rects(&self, area: Rect, marks: &Marks) -> Vec<(BoardPlace, Rect)> {
        let layout = self.layout(area, marks);
        (self.wells().into_iter())
            .filter_map(|(place, _)| Some((place, layout.place_rect(place)?)))
            .collect()
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, over: &PaintContext<'_>) {
        let marks = over.marks;
        let layout = self.layout(area, marks);
        let colours = kalah_colours(brush.theme);
        let (width, height) = self.extent(false);
        let unit = layout.fit.unit;
        if let Some(board) = layout.fit.rect(0.0, layout.label_height, width, height) {
            brush.rounded_rectangle(board, unit * 0.5, theme::to_skia(colours.board));
        }
        for (place, _) in self.wells() {
            if let Some(well) = layout.well_rect(place) {
                brush.rounded_rectangle(well, well.width() / 2.0, theme::to_skia(colours.well));
            }
        }
        Self::paint_move_groups(brush, &layout, over.move_groups);
        Self::paint_marks(brush, &layout, marks);
        let names = coordinate_size(width * unit, PIT_LABEL_HEIGHT * unit);
        for (place, stones) in self.wells() {
            self.paint_well(brush, &layout, place, stones);
            if let (BoardPlace::Pit { owner, number }, true) = (place, marks.shows_coordinates)
                && let Some(at) = layout.label_position(place, owner, true)
            {
                let name = (number + 1).to_string();
                brush.text(&name, at, names, brush.theme.dim);
            }
        }
        Self::paint_hands(brush, &layout, over.moving);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_lie_in_stores_and_pits_of_any_number() {
        let owner = Player::Second;
        let wells = [
            (BoardPlace::Pit { owner, number: 0 }, Piece::Stone, 5),
            (BoardPlace::Pit { owner, number: 1 }, Piece::Stone, 0),
            (BoardPlace::Store { owner }, Piece::Stone, 2),
        ];
        let board = KalahBoard::new(&wells);
        assert_eq!(board.stores, [0, 2]);
        assert_eq!(board.pits, [vec![], vec![5, 0]]);
    }

    #[test]
    fn stones_stay_in_their_wells() {
        for stones in 0..=72 {
            let (heap, radius) = heap_positions(stones);
            assert_eq!(heap.len(), stones as usize);
            for (x, y) in heap {
                assert!(x.hypot(y) + radius < 1.01, "{stones} stones");
            }
            let store = Rect::from_xywh(10.0, 20.0, 30.0, 70.0).unwrap();
            let (pile, radius) = pile_positions(stones, store);
            assert_eq!(pile.len(), stones as usize);
            for (x, y) in pile {
                assert!(x - radius > store.left() && x + radius < store.right());
                assert!(y - radius > store.top() && y + radius < store.bottom());
            }
        }
    }
}
