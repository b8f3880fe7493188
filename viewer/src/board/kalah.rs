//! Kalah: wells with stones in them, and their numbers. Who sits below has the store on the right.

use canopy_engine::games::Player;
use egui::Color32;
use tiny_skia::Rect;

use super::{
    Face, Fit, Kind, Marks, Overlay, Place, Route, Tone,
    brush::{Brush, faint, glow, middle, name_size},
    either,
    motion::{Body, Changes, Leg, Moving, between},
};
use crate::theme::{self, Theme, mix};

// Lengths, of which a pit with the room around it is one.
const RIM: f32 = 0.18;
const STORE: f32 = 0.96;
/// Between a store and the pits.
const GAP: f32 = 0.1;
/// How high a row of pits is.
const ROW: f32 = 0.96;
/// The room for the numbers of stones.
const BAND: f32 = 0.4;
/// The room for the numbers of pits, where they are shown.
const NAMES: f32 = 0.42;
/// A well, as wide as high.
const WELL: f32 = 0.86;

/// Below this many pixels to a pit, stones are too small: their number stands in the well instead.
const SMALLEST_PIT: f32 = 16.5;

// Times, in milliseconds.
/// From one stone that is sown to the next.
const SOW: f32 = 110.0;
/// At most so long for all of them.
const LONGEST: f32 = 2400.0;
/// Before stones are carried away.
const REST: f32 = 120.0;
/// While stones are carried to a store.
const CARRY: f32 = 260.0;

/// How high a hand is above a well, in pits.
const RAISED: f32 = 0.12;

/// The stones of both sides: in the stores, and in the pits, each from its owner's left.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kalah {
    stores: [u32; 2],
    pits: [Vec<u32>; 2],
}

/// What a move does, one thing after the other.
struct Sowing {
    /// Where its stones fall.
    way: Vec<Place>,
    /// What is captured then.
    captured: Vec<(Place, u32)>,
    /// What its owners take when the game is over.
    rest: Vec<(Place, u32)>,
}

/// Where things lie.
struct Plan {
    fit: Fit,
    pits: usize,
    flip: bool,
    names: f32,
}

impl Kalah {
    /// Reads `<pits,store,store,pits…,pits…>`; what follows it is not looked at.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (literal, _) = text.strip_prefix('<')?.split_once('>')?;
        let numbers: Vec<u32> = literal
            .split(',')
            .map(|number| number.trim().parse().ok())
            .collect::<Option<_>>()?;
        let [pits, south, north, rest @ ..] = numbers.as_slice() else {
            return None;
        };
        let pits = usize::try_from(*pits).ok()?;
        let is_sound = (1..=9).contains(&pits) && rest.len() == 2 * pits;
        let (first, second) = rest.split_at_checked(pits).filter(|_| is_sound)?;
        Some(Self {
            stores: [*south, *north],
            pits: [first.to_vec(), second.to_vec()],
        })
    }

    fn count(&self) -> usize {
        let [south, _] = &self.pits;
        south.len()
    }

    fn plan(&self, area: Rect, marks: &Marks) -> Plan {
        Plan {
            fit: Fit::new(area, self.extent(marks.coordinates)),
            pits: self.count(),
            flip: marks.flip,
            names: if marks.coordinates { NAMES } else { 0.0 },
        }
    }

    /// Each well with the stones in it.
    fn wells(&self) -> Vec<(Place, u32)> {
        let mut wells = Vec::new();
        for owner in [Player::First, Player::Second] {
            wells.push((Place::Store { owner }, self.stores[owner.index()]));
            for (number, &stones) in (0..).zip(&self.pits[owner.index()]) {
                wells.push((Place::Pit { owner, number }, stones));
            }
        }
        wells
    }
}

impl Kalah {
    fn well_mut(&mut self, place: Place) -> Option<&mut u32> {
        match place {
            Place::Pit { owner, number } => self.pits[owner.index()].get_mut(usize::from(number)),
            Place::Store { owner } => Some(&mut self.stores[owner.index()]),
            Place::Square { .. } | Place::Reserve { .. } => None,
        }
    }

    /// All stones.
    #[cfg(test)]
    pub(super) fn total(&self) -> u32 {
        self.wells().iter().map(|(_, stones)| stones).sum()
    }

    /// Takes all stones out of a well.
    fn empty(&mut self, place: Place) -> u32 {
        self.well_mut(place).map_or(0, std::mem::take)
    }

    fn add(&mut self, place: Place, stones: u32) {
        if let Some(well) = self.well_mut(place) {
            *well += stones;
        }
    }

    /// The well after another one, as the mover sows.
    fn next(&self, place: Place, mover: Player) -> Place {
        match place {
            Place::Pit { owner, number } if usize::from(number) + 1 < self.count() => Place::Pit {
                owner,
                number: number + 1,
            },
            Place::Pit { owner, .. } if owner == mover => Place::Store { owner },
            Place::Pit { .. } => Place::Pit {
                owner: mover,
                number: 0,
            },
            _ => Place::Pit {
                owner: mover.opponent(),
                number: 0,
            },
        }
    }

    /// What a move does that sows this pit; `empty_capture` as the variant has it.
    fn sowing(&self, pit: Place, empty_capture: bool) -> Option<Sowing> {
        let mover = owner_of(pit)?;
        let mut board = self.clone();
        let mut way = Vec::new();
        let mut place = pit;
        for _ in 0..board.empty(pit) {
            place = board.next(place, mover);
            board.add(place, 1);
            way.push(place);
        }
        let captured = board.captured(place, mover, empty_capture);
        for &(from, _) in &captured {
            board.empty(from);
        }
        let rest = if board
            .pits
            .iter()
            .any(|side| side.iter().all(|&pit| pit == 0))
        {
            let pits = board.wells().into_iter();
            pits.filter(|(place, stones)| matches!(place, Place::Pit { .. }) && *stones > 0)
                .collect()
        } else {
            Vec::new()
        };
        (!way.is_empty()).then_some(Sowing {
            way,
            captured,
            rest,
        })
    }

    /// What a last stone captures, itself included.
    fn captured(&self, last: Place, mover: Player, empty_capture: bool) -> Vec<(Place, u32)> {
        let Place::Pit { owner, number } = last else {
            return Vec::new();
        };
        let opposite = Place::Pit {
            owner: mover.opponent(),
            number: (self.count() as u8).saturating_sub(1 + number),
        };
        let stones_in = |place: Place| {
            let wells = self.wells().into_iter();
            wells
                .filter(|(other, _)| *other == place)
                .map(|(_, stones)| stones)
                .sum::<u32>()
        };
        let taken = stones_in(opposite);
        let captures = owner == mover && stones_in(last) == 1 && (taken > 0 || empty_capture);
        let both = [(last, 1), (opposite, taken)].into_iter();
        both.filter(|(_, stones)| captures && *stones > 0).collect()
    }

    /// What is worth telling of a move that sows this pit: an extra turn, a capture, what its owner takes in the end.
    pub(super) fn told(&self, pit: Place, rules: &str, players: [&str; 2]) -> Option<String> {
        let sowing = self.sowing(pit, has_empty_capture(rules))?;
        let stones = |count: u32| match count {
            1 => "1 stone".to_owned(),
            count => format!("{count} stones"),
        };
        let mut told = Vec::new();
        let is_last_in_store = matches!(sowing.way.last(), Some(Place::Store { .. }));
        if is_last_in_store && sowing.rest.is_empty() {
            told.push("extra turn".to_owned());
        }
        let captured: u32 = sowing.captured.iter().map(|(_, count)| count).sum();
        if captured > 0 {
            told.push(format!("captured {}", stones(captured)));
        }
        if let Some(owner) = sowing.rest.first().and_then(|(place, _)| owner_of(*place)) {
            let rest: u32 = sowing.rest.iter().map(|(_, count)| count).sum();
            told.push(format!("{} keeps {}", players[owner.index()], stones(rest)));
        }
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// A hand goes from well to well and lets a stone fall into each; then what is captured, and in the end what is left,
    /// is carried to the stores.
    pub(super) fn changes(&self, places: &[Place], rules: &str) -> Option<Changes> {
        let &[pit] = places else { return None };
        let sowing = self.sowing(pit, has_empty_capture(rules))?;
        let mut board = self.clone();
        let mut hand = board.empty(pit);
        let step = SOW.min(LONGEST / hand as f32);
        let mut story = Changes {
            still: vec![(0.0, Kind::Kalah(board.clone()))],
            legs: vec![Leg::new(Body::Stones(hand), pit, pit, 0.0..step)],
        };
        let (mut time, mut from) = (step, pit);
        for place in sowing.way {
            let moves = time..time + step;
            story
                .legs
                .push(Leg::new(Body::Stones(hand), from, place, moves));
            time += step;
            hand -= 1;
            board.add(place, 1);
            story.still.push((time, Kind::Kalah(board.clone())));
            from = place;
        }
        let mover = owner_of(pit)?;
        let captured = (sowing.captured.into_iter())
            .map(|(place, stones)| (place, stones, Place::Store { owner: mover }));
        board.carry(captured.collect(), &mut time, &mut story);
        let rest = sowing.rest.into_iter().filter_map(|(place, stones)| {
            let owner = owner_of(place)?;
            Some((place, stones, Place::Store { owner }))
        });
        board.carry(rest.collect(), &mut time, &mut story);
        Some(story)
    }

    /// Adds to a story that stones are carried from wells to stores, all at once.
    fn carry(&mut self, ways: Vec<(Place, u32, Place)>, time: &mut f32, story: &mut Changes) {
        if ways.is_empty() {
            return;
        }
        let (start, end) = (*time, *time + REST + CARRY);
        for &(from, stones, to) in &ways {
            self.empty(from);
            let leg = Leg::new(Body::Stones(stones), from, to, start + REST..end);
            story.legs.push(leg.shown(start..end));
        }
        story.still.push((start, Kind::Kalah(self.clone())));
        for (_, stones, to) in ways {
            self.add(to, stones);
        }
        story.still.push((end, Kind::Kalah(self.clone())));
        *time = end;
    }

    /// Draws the hands: bowls with stones in them.
    fn paint_moving(brush: &mut Brush<'_, '_>, plan: &Plan, moving: &[Moving]) {
        let unit = plan.fit.unit;
        let colours = wood(brush.theme);
        for hand in moving {
            let [from, to] = [hand.from, hand.to].map(|place| plan.well(place).map(middle));
            let (Body::Stones(stones), Some(from), Some(to)) = (hand.body, from, to) else {
                continue;
            };
            let raised = if hand.from == hand.to {
                hand.along
            } else {
                1.0
            } * RAISED
                * unit;
            let at = (
                between(from.0, to.0, hand.along),
                between(from.1, to.1, hand.along) - raised,
            );
            let half = unit * 0.38;
            let bowl = mix(colours.board, colours.text, 0.16);
            let width = (unit * 0.03).max(1.0);
            let below = (at.0, at.1 + raised);
            brush.disc(below, half, faint(Color32::BLACK, 0.3));
            brush.disc(at, half, theme::skia(bowl));
            brush.ring(at, half, width, faint(colours.text, 0.5));
            if unit < SMALLEST_PIT {
                brush.text(&stones.to_string(), at, unit * 0.6, colours.text);
                continue;
            }
            let (heap, radius) = heap(stones);
            for (dx, dy) in heap {
                let stone = (at.0 + dx * half, at.1 + dy * half);
                brush.piece(stone, radius * half, colours.stone);
            }
        }
    }
}

/// Whether a variant lets a stone capture itself alone.
fn has_empty_capture(rules: &str) -> bool {
    rules.to_ascii_lowercase().contains("empty-capture")
}

impl Plan {
    fn is_below(&self, owner: Player) -> bool {
        (owner == Player::First) != self.flip
    }

    /// The room that belongs to a place, from which no other place takes anything.
    fn spot(&self, place: Place) -> Option<Rect> {
        let (owner, number) = match place {
            Place::Pit { owner, number } => (owner, Some(number)),
            Place::Store { owner } => (owner, None),
            Place::Square { .. } | Place::Reserve { .. } => return None,
        };
        let below = self.is_below(owner);
        let top = self.names + RIM;
        let pits_left = RIM + STORE + GAP;
        match number {
            None => {
                let x = if below {
                    pits_left + self.pits as f32 + GAP
                } else {
                    RIM
                };
                self.fit.rect(x, top, STORE, 2.0 * (BAND + ROW))
            }
            Some(number) => {
                let number = usize::from(number);
                let from_left = if below {
                    number
                } else {
                    self.pits.checked_sub(1 + number)?
                };
                let y = if below { top + BAND + ROW } else { top };
                let is_here = from_left < self.pits;
                let x = pits_left + from_left as f32;
                is_here.then(|| self.fit.rect(x, y, 1.0, BAND + ROW))?
            }
        }
    }

    /// The well of a place.
    fn well(&self, place: Place) -> Option<Rect> {
        let spot = self.spot(place)?;
        let unit = self.fit.unit;
        match place {
            Place::Pit { owner, .. } => {
                let band = if self.is_below(owner) {
                    0.0
                } else {
                    BAND * unit
                };
                let aside = (1.0 - WELL) / 2.0 * unit;
                let top = spot.top() + band + (ROW - WELL) / 2.0 * unit;
                Rect::from_xywh(spot.left() + aside, top, WELL * unit, WELL * unit)
            }
            _ => {
                let aside = (ROW - WELL) / 2.0 * unit;
                let high = (2.0 * ROW * unit) - 2.0 * aside;
                let top = spot.top() + BAND * unit + aside;
                Rect::from_xywh(spot.left() + aside, top, STORE * unit - 2.0 * aside, high)
            }
        }
    }

    /// Where a number stands that belongs to a place: in the band beside its row, or beyond the board's edge.
    fn beside(&self, place: Place, owner: Player, outside: bool) -> Option<(f32, f32)> {
        let spot = self.spot(place)?;
        let away = if outside {
            RIM + NAMES / 2.0
        } else {
            -BAND / 2.0 + 0.03
        };
        let y = if self.is_below(owner) {
            spot.bottom() + away * self.fit.unit
        } else {
            spot.top() - away * self.fit.unit
        };
        Some((middle(spot).0, y))
    }
}

/// Whose place it is.
fn owner_of(place: Place) -> Option<Player> {
    match place {
        Place::Pit { owner, .. } | Place::Store { owner } => Some(owner),
        Place::Square { .. } | Place::Reserve { .. } => None,
    }
}

/// Where so many stones lie in a round well, from its middle, and how large they are; the well's radius is 1.
fn heap(stones: u32) -> (Vec<(f32, f32)>, f32) {
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
            // Each next one a golden angle further round, so that they lie evenly like the seeds of a sunflower.
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

/// Where so many stones lie in a store, in rows from its foot, and how large they are.
fn pile(stones: u32, store: Rect) -> (Vec<(f32, f32)>, f32) {
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
struct Wood {
    board: Color32,
    well: Color32,
    stone: Tone,
    text: Color32,
}

fn wood(theme: &Theme) -> Wood {
    Wood {
        board: either(theme, 0x5a4a3c, 0xd9c3a3),
        well: either(theme, 0x3c3128, 0xbfa480),
        stone: Tone {
            fill: either(theme, 0xd9c7a4, 0x5f4a35),
            edge: either(theme, 0x8d7c5f, 0x3d2e1f),
        },
        text: either(theme, 0xf0e6d4, 0x3a2d1f),
    }
}

impl Kalah {
    fn paint_well(&self, brush: &mut Brush<'_, '_>, plan: &Plan, place: Place, stones: u32) {
        let colours = wood(brush.theme);
        let (Some(well), Some(owner)) = (plan.well(place), owner_of(place)) else {
            return;
        };
        let unit = plan.fit.unit;
        let small = unit < SMALLEST_PIT;
        if small {
            let size = unit * 0.6;
            brush.text(&stones.to_string(), middle(well), size, colours.text);
            return;
        }
        let (stones_at, radius) = if matches!(place, Place::Store { .. }) {
            pile(stones, well)
        } else {
            let (heap, radius) = heap(stones);
            let (x, y) = middle(well);
            let half = well.width() / 2.0;
            let at = heap
                .into_iter()
                .map(|(dx, dy)| (x + dx * half, y + dy * half));
            (at.collect(), radius * half)
        };
        for at in stones_at {
            brush.piece(at, radius, colours.stone);
        }
        if let Some(at) = plan.beside(place, owner, false) {
            let colour = if stones == 0 {
                mix(colours.board, colours.text, 0.55)
            } else {
                colours.text
            };
            brush.text(&stones.to_string(), at, unit * 0.37, colour);
        }
    }

    /// Shares, and rings around what was played, is held, or may be played.
    fn paint_marks(brush: &mut Brush<'_, '_>, plan: &Plan, marks: &Marks) {
        let width = (plan.fit.unit * 0.055).max(1.0);
        let (last, held) = (brush.theme.bad, brush.theme.warm);
        let may = either(brush.theme, 0xffffff, 0x10161d);
        let rings = (marks.last.iter().map(|&place| (place, theme::skia(last))))
            .chain(marks.targets.iter().map(|&place| (place, faint(may, 0.5))))
            .chain(marks.selected.map(|place| (place, theme::skia(held))));
        for (place, colour) in rings {
            if let Some(well) = plan.well(place) {
                brush.border(well, well.width() / 2.0, width, colour);
            }
        }
        if let Some(well) = marks.ghost.and_then(|place| plan.well(place)) {
            brush.rounded(well, well.width() / 2.0, faint(may, 0.14));
            brush.border(well, well.width() / 2.0, width, theme::skia(held));
        }
    }

    /// Warm discs whose areas are the shares of the moves.
    fn paint_routes(brush: &mut Brush<'_, '_>, plan: &Plan, routes: &[Route]) {
        for route in routes {
            let well = route.places.first().and_then(|&place| plan.well(place));
            if let Some(well) = well.filter(|_| route.share > 0.0 || route.chosen) {
                let radius = well.width() / 2.0 * route.share.sqrt().max(0.12);
                let opacity = match (route.chosen, plan.fit.unit < SMALLEST_PIT) {
                    (true, false) => 0.85,
                    // A number has to be read on it.
                    (true, true) => 0.55,
                    (false, _) => 0.4,
                };
                brush.disc(middle(well), radius, faint(glow(brush.theme), opacity));
            }
        }
    }
}

impl Face for Kalah {
    fn extent(&self, coordinates: bool) -> (f32, f32) {
        let names = if coordinates { 2.0 * NAMES } else { 0.0 };
        (
            2.0 * (RIM + STORE + GAP) + self.count() as f32,
            2.0 * (RIM + BAND + ROW) + names,
        )
    }

    fn spots(&self, area: Rect, marks: &Marks) -> Vec<(Place, Rect)> {
        let plan = self.plan(area, marks);
        (self.wells().into_iter())
            .filter_map(|(place, _)| Some((place, plan.spot(place)?)))
            .collect()
    }

    fn paint(&self, brush: &mut Brush<'_, '_>, area: Rect, marks: &Marks, over: &Overlay<'_>) {
        let plan = self.plan(area, marks);
        let colours = wood(brush.theme);
        let (width, height) = self.extent(false);
        let unit = plan.fit.unit;
        if let Some(board) = plan.fit.rect(0.0, plan.names, width, height) {
            brush.rounded(board, unit * 0.5, theme::skia(colours.board));
        }
        for (place, _) in self.wells() {
            if let Some(well) = plan.well(place) {
                brush.rounded(well, well.width() / 2.0, theme::skia(colours.well));
            }
        }
        Self::paint_routes(brush, &plan, over.routes);
        Self::paint_marks(brush, &plan, marks);
        let names = name_size(width * unit, NAMES * unit);
        for (place, stones) in self.wells() {
            self.paint_well(brush, &plan, place, stones);
            if let (Place::Pit { owner, number }, true) = (place, marks.coordinates)
                && let Some(at) = plan.beside(place, owner, true)
            {
                let name = (number + 1).to_string();
                brush.text(&name, at, names, brush.theme.dim);
            }
        }
        Self::paint_moving(brush, &plan, over.moving);
    }

    /// The pit of the player to move, counted from its left.
    fn places_of(&self, mv: &str, mover: Player) -> Vec<Place> {
        let [digit @ b'1'..=b'9'] = mv.as_bytes() else {
            return Vec::new();
        };
        let number = digit - b'1';
        let pit = Place::Pit {
            owner: mover,
            number,
        };
        let is_here = usize::from(number) < self.count();
        is_here.then_some(pit).into_iter().collect()
    }

    /// Stones belong to nobody: players have the colours that their nodes of a tree have.
    fn tone(&self, player: Player, theme: &Theme) -> Tone {
        Tone {
            fill: match player {
                Player::First => theme.first_player,
                Player::Second => theme.second_player,
            },
            edge: theme.dim,
        }
    }

    fn counted(&self) -> &'static str {
        "stones"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_and_pits_of_any_number_are_read() {
        let board = Kalah::read("<6,1,2,0,5,5,5,0,5,6,1,6,5,5,7> n").unwrap();
        assert_eq!(board.stores, [1, 2]);
        assert_eq!(board.pits[0], [0, 5, 5, 5, 0, 5]);
        assert_eq!(board.pits[1], [6, 1, 6, 5, 5, 7]);
        let small = Kalah::read("<1,0,0,1,1> s").unwrap();
        assert_eq!(small.count(), 1);
        for wrong in [
            "",
            "<>",
            "<0,0,0>",
            "<6,0,0,4>",
            "<1,0,0,1,x> s",
            "<1,0,0,1,1",
            "<99999999999,0,0>",
        ] {
            assert_eq!(Kalah::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_move_is_a_pit_of_the_mover() {
        let board = Kalah::read("<4,0,0,3,3,3,3,3,3,3,3> n").unwrap();
        let owner = Player::Second;
        let places = |mv: &str| board.places_of(mv, owner);
        assert_eq!(places("2"), [Place::Pit { owner, number: 1 }]);
        for none in ["", "0", "5", "12", "a"] {
            assert_eq!(places(none), [], "{none}");
        }
    }

    #[test]
    fn stones_stay_in_their_wells() {
        for stones in 0..=72 {
            let (heap, radius) = heap(stones);
            assert_eq!(heap.len(), stones as usize);
            for (x, y) in heap {
                assert!(x.hypot(y) + radius < 1.01, "{stones} stones");
            }
            let store = Rect::from_xywh(10.0, 20.0, 30.0, 70.0).unwrap();
            let (pile, radius) = pile(stones, store);
            assert_eq!(pile.len(), stones as usize);
            for (x, y) in pile {
                assert!(x - radius > store.left() && x + radius < store.right());
                assert!(y - radius > store.top() && y + radius < store.bottom());
            }
        }
    }
}
