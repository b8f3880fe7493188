//! Delta (Erich Brunner, 1975) on 5 by 5: slide a stone over at least one empty square, drop a new one behind it,
//! make four in line.
//!
//! Each side has nine stones. The first move of each is a plain placement; the second player's second move may be one
//! too (the equaliser). A slide goes two squares or more, in any of eight directions, over and onto empty squares, and
//! a stone from the reserve is dropped on the last square passed. With the reserve empty, another stone of the own
//! colour is picked up and dropped instead. Four or five in line win, judged when the move is complete; who has no
//! move loses; the third repetition of a position in the pick-up phase and the 200th ply are draws.
//!
//! ```text
//!  5  20 21 22 23 24
//!  4  15 16 17 18 19      bit = row * 5 + column,
//!  3  10 11 12 13 14      rows counted from the bottom
//!  2   5  6  7  8  9
//!  1   0  1  2  3  4
//!      a  b  c  d  e
//! ```

use super::{Game, MoveCode, Outcome, Player, SearchHints, Symmetric, Symmetry, fours};
use crate::machine;
use crate::rng::{Rng, mix};

mod eval;
mod explain;
mod facts;
mod notation;
mod reach;
mod reach_weights;
mod slides;
mod tactics;

use slides::Slides;

/// Stones of each side.
pub const STONES_PER_SIDE: u32 = 9;
/// The ply at which a game is drawn.
pub const MAX_PLIES: u8 = 200;

/// The ply of the second player's second move, which may be a plain placement.
const EQUALISER_PLY: u8 = 3;

const BOARD: u32 = (1 << 25) - 1;

/// Whether the second player's second move may be a plain placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Equaliser {
    /// It may.
    #[default]
    Optional,
    /// It must.
    Forced,
    /// It may not.
    Off,
}

/// A position. Boards are kept from the side of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delta {
    own: u32,
    opponent: u32,
    ply: u8,
    equaliser: Equaliser,
}

/// A move: a placement (`from` is `to`), a slide, or a slide with a pick-up. Square = row * 5 + column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slide {
    /// Where the stone comes from.
    pub from: u8,
    /// Where it goes to.
    pub to: u8,
    /// The stone that is picked up to be dropped; [`NO_PICK_UP`] while there are stones in reserve.
    pub pick: u8,
}

/// No square.
pub const NO_PICK_UP: u8 = 25;

impl Slide {
    #[inline(always)]
    fn placement(square: u8) -> Self {
        Self {
            from: square,
            to: square,
            pick: NO_PICK_UP,
        }
    }

    /// Whether a stone comes from outside the board and nothing slides.
    #[inline(always)]
    pub fn is_placement(self) -> bool {
        self.from == self.to
    }

    /// The square a slide drops a stone on: the last one it passes.
    #[inline(always)]
    pub fn drop_square(self) -> u8 {
        LAST_PASSED[usize::from(self.from)][usize::from(self.to)]
    }
}

/// The square next to the second one, on the side of the first.
static LAST_PASSED: [[u8; 25]; 25] = {
    let mut table = [[0; 25]; 25];
    let mut pair = 0i32;
    while pair < 625 {
        let (from, to) = (pair / 25, pair % 25);
        let columns = (to % 5 - from % 5).signum();
        let rows = (to / 5 - from / 5).signum();
        table[from as usize][to as usize] = (to - rows * 5 - columns) as u8;
        pair += 1;
    }
    table
};

impl Delta {
    /// The stones of each player, first player first, as bits of the layout above.
    pub fn stones(&self) -> [u32; 2] {
        self.to_move().own_first([self.own, self.opponent])
    }

    /// Moves made so far.
    pub fn ply(&self) -> u8 {
        self.ply
    }

    /// Stones of `player` that are not on the board.
    pub fn reserve(&self, player: Player) -> u32 {
        STONES_PER_SIDE - self.stones()[player.index()].count_ones()
    }

    /// Whether the player to move must pick up a stone after its slide.
    #[inline(always)]
    pub fn is_pick_up(&self) -> bool {
        self.ply >= 2 * STONES_PER_SIDE as u8
    }

    #[inline(always)]
    fn empty(&self) -> u32 {
        BOARD & !(self.own | self.opponent)
    }

    #[inline(always)]
    fn placements(&self) -> u32 {
        match (self.ply, self.equaliser) {
            (0 | 1, _) | (EQUALISER_PLY, Equaliser::Optional | Equaliser::Forced) => self.empty(),
            _ => 0,
        }
    }

    #[inline(always)]
    fn can_slide(&self) -> bool {
        self.ply > 1 && !(self.ply == EQUALISER_PLY && self.equaliser == Equaliser::Forced)
    }

    #[inline(always)]
    fn slides(&self) -> Slides {
        if self.can_slide() {
            Slides::new(self.own, self.empty())
        } else {
            Slides::NONE
        }
    }

    #[inline(always)]
    fn is_ply_limit_reached(&self) -> bool {
        self.ply >= MAX_PLIES || has_four(self.opponent)
    }

    fn is_blocked(&self) -> bool {
        self.placements() == 0 && self.slides().count() == 0
    }
}

/// Whether some four of the stones stand in line.
#[inline(always)]
pub fn has_four(stones: u32) -> bool {
    let [across, up, rising, falling] = fours(stones);
    across | up | rising | falling != 0
}

/// Every line of four stones, as bits; five in line are two of them.
fn lines_of_four(stones: u32) -> impl Iterator<Item = u32> {
    fours::lines(fours(stones).map(u64::from), LINE_STEPS).map(|line| line as u32)
}

/// From one square of a line to the next, as a shift: across, up, rising, falling.
const LINE_STEPS: [u32; 4] = [1, 5, 6, 4];

/// The lowest bits of all lines of four squares.
const LINE_STARTS: [u64; 4] = {
    let [across, up, rising, falling] = fours(BOARD);
    [across as u64, up as u64, rising as u64, falling as u64]
};

/// The lowest bits of all lines of four, by [`LINE_STEPS`].
#[inline(always)]
const fn fours(stones: u32) -> [u32; 4] {
    const LEFT: u32 = 0b00011_00011_00011_00011_00011;
    const RIGHT: u32 = 0b11000_11000_11000_11000_11000;
    [
        four_along::<1>(stones) & LEFT,
        four_along::<5>(stones),
        four_along::<6>(stones) & LEFT,
        four_along::<4>(stones) & RIGHT,
    ]
}

#[inline(always)]
const fn four_along<const STEP: u32>(stones: u32) -> u32 {
    let pairs = stones & (stones >> STEP);
    pairs & (pairs >> (2 * STEP))
}

impl Game for Delta {
    type Rules = Equaliser;
    type Move = Slide;

    const MOVE_BITS: u32 = 15;

    #[inline(always)]
    fn move_to_bits(mv: Slide) -> MoveCode {
        MoveCode::from(mv.from) << 10 | MoveCode::from(mv.to) << 5 | MoveCode::from(mv.pick)
    }

    #[inline(always)]
    fn move_from_bits(bits: MoveCode) -> Self::Move {
        Slide {
            from: (bits >> 10) as u8,
            to: (bits >> 5 & 31) as u8,
            pick: (bits & 31) as u8,
        }
    }

    fn start(equaliser: Equaliser) -> Self {
        Self {
            own: 0,
            opponent: 0,
            ply: 0,
            equaliser,
        }
    }

    fn rules(&self) -> Equaliser {
        self.equaliser
    }

    #[inline(always)]
    fn to_move(&self) -> Player {
        if self.ply.is_multiple_of(2) {
            Player::First
        } else {
            Player::Second
        }
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        if has_four(self.opponent) || self.is_blocked() {
            Some(Outcome::Win(self.to_move().opponent()))
        } else {
            (self.ply >= MAX_PLIES).then_some(Outcome::Draw)
        }
    }

    #[inline(always)]
    fn legal_moves(&self, out: &mut Vec<Slide>) {
        out.clear();
        if self.is_ply_limit_reached() {
            return;
        }
        // A bit for every pair of squares puts them in order.
        let mut pairs = [0u64; 25];
        let mut origins = self.placements();
        for square in machine::iter_ones(origins.into()) {
            pairs[usize::from(square)] = 1 << square;
        }
        for (from, to) in self.slides().iter() {
            pairs[usize::from(from)] |= 1 << to;
            origins |= 1 << from;
        }
        for from in machine::iter_ones(origins.into()) {
            for to in machine::iter_ones(pairs[usize::from(from)]) {
                if self.is_pick_up() {
                    let others = self.own & !(1 << from);
                    out.extend(machine::iter_ones(others.into()).map(|pick| Slide {
                        from,
                        to,
                        pick,
                    }));
                } else {
                    let pick = NO_PICK_UP;
                    out.push(Slide { from, to, pick });
                }
            }
        }
    }

    fn is_legal(&self, mv: Slide) -> bool {
        if self.is_ply_limit_reached() || mv.from >= NO_PICK_UP || mv.to >= NO_PICK_UP {
            return false;
        }
        if mv.is_placement() {
            return mv.pick == NO_PICK_UP && self.placements() >> mv.to & 1 == 1;
        }
        let pick_is_right = if self.is_pick_up() {
            mv.pick < NO_PICK_UP && mv.pick != mv.from && self.own >> mv.pick & 1 == 1
        } else {
            mv.pick == NO_PICK_UP
        };
        pick_is_right && self.slides().iter().any(|slide| slide == (mv.from, mv.to))
    }

    #[inline(always)]
    fn play(&mut self, mv: Slide) {
        debug_assert!(self.is_legal(mv), "{mv:?} in {self:?}");
        let mut own = self.own;
        if mv.is_placement() {
            own |= 1 << mv.to;
        } else {
            // A pick of NONE is bit 25, off the board.
            own &= !(1 << mv.from | 1 << mv.pick);
            own |= 1 << mv.to | 1 << mv.drop_square();
        }
        (self.own, self.opponent) = (self.opponent, own);
        self.ply += 1;
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        // 25 + 25 + 8 bits, one to one; the ply says whose turn it is.
        mix(u64::from(self.own) | u64::from(self.opponent) << 25 | u64::from(self.ply) << 50)
    }

    fn piece_count(&self) -> u32 {
        (self.own | self.opponent).count_ones()
    }

    fn repetition_key(&self) -> Option<u64> {
        let side = u64::from(self.ply % 2);
        self.is_pick_up()
            .then(|| mix(u64::from(self.own) | u64::from(self.opponent) << 25 | side << 50))
    }
}

impl SearchHints for Delta {
    /// Games between good players end after 9 to 21 plies, mostly before all stones are placed; those that do not go on for a while.
    fn expected_plies_left(&self) -> Option<u32> {
        Some(u32::from(16_u8.saturating_sub(self.ply)).max(6))
    }

    const HAS_FAST_MOVE_GENERATION: bool = false;

    #[inline(always)]
    fn final_outcome(&self) -> Outcome {
        // Without four in line it was the end of moves, but for the last ply of all.
        if self.ply < MAX_PLIES {
            Outcome::Win(self.to_move().opponent())
        } else {
            self.outcome().unwrap_or(Outcome::Draw)
        }
    }

    #[inline(always)]
    fn random_move(&self, rng: &mut Rng) -> Option<Slide> {
        if self.is_ply_limit_reached() {
            return None;
        }
        let placements = self.placements();
        let slides = self.slides();
        let ways = placements.count_ones() + slides.count();
        if ways == 0 {
            return None;
        }
        let way = rng.below(ways);
        let Some(slide) = way.checked_sub(placements.count_ones()) else {
            return Some(Slide::placement(
                machine::select(placements.into(), way) as u8
            ));
        };
        let (from, to) = slides.get(slide);
        let pick = if self.is_pick_up() {
            let others = self.own & !(1 << from);
            machine::select(others.into(), rng.below(others.count_ones())) as u8
        } else {
            NO_PICK_UP
        };
        Some(Slide { from, to, pick })
    }

    fn perft_count(&self) -> u64 {
        if self.is_ply_limit_reached() {
            return 0;
        }
        let picks = if self.is_pick_up() {
            STONES_PER_SIDE - 1
        } else {
            1
        };
        (self.placements().count_ones() + self.slides().count() * picks).into()
    }
}

impl Symmetric for Delta {
    const SYMMETRIES: &'static [Symmetry] = &Symmetry::ALL;

    fn image(&self, symmetry: Symmetry) -> Self {
        Self {
            own: image(self.own, symmetry),
            opponent: image(self.opponent, symmetry),
            ..*self
        }
    }

    fn image_of_move(mv: Slide, symmetry: Symmetry) -> Slide {
        let square = |square| {
            if square == NO_PICK_UP {
                NO_PICK_UP
            } else {
                image_of_square(square, symmetry)
            }
        };
        Slide {
            from: square(mv.from),
            to: square(mv.to),
            pick: square(mv.pick),
        }
    }
}

const fn image_of_square(square: u8, symmetry: Symmetry) -> u8 {
    let (column, row) = symmetry.map_square((square % 5, square / 5), 5);
    row * 5 + column
}

fn image(stones: u32, symmetry: Symmetry) -> u32 {
    machine::iter_ones(stones.into()).fold(0, |image, square| {
        image | 1 << image_of_square(square, symmetry)
    })
}
