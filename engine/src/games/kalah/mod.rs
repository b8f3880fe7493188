//! Kalah (mancala): sow a pit's stones anticlockwise, capture, and have more stones in your store at the end.
//!
//! The decisions behind the rules: the opponent's store is skipped; a last stone in the own store means moving
//! again; a last stone alone in an own pit captures itself and the stones opposite, if there are any (with `empty
//! capture`, itself even if there are none); when after any sowing one side's pits are all empty the game ends and
//! the rest goes to its owner. One move is one sowing.
//!
//! Each side is seven bytes of a word: its pits from its left, with fewer than six pits the last ones unused, then its
//! store. Sowing is an addition to both words, from a table.
//!
//! ```text
//!              5  4  3  2  1  0        bytes of `other`, the opponent's side
//!           6                     6    the stores
//!              0  1  2  3  4  5        bytes of `own`, the side of the player to move
//! ```

use super::{Game, MoveCode, Outcome, Player, SearchHints, Symmetric, Symmetry};
use crate::machine;
use crate::rng::{Rng, mix};

mod eval;
mod explain;
mod facts;
mod notation;
mod sowing;
mod sowing_weights;
mod tactics;

/// The variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KalahRules {
    /// Pits on each side, 1 to 6.
    pub pits: u8,
    /// Stones in each pit at the start, 1 to 6.
    pub stones: u8,
    /// Whether a last stone opposite an empty pit is captured too.
    pub empty_capture: bool,
}

impl Default for KalahRules {
    fn default() -> Self {
        Self {
            pits: MAX_PITS,
            stones: 4,
            empty_capture: false,
        }
    }
}

impl KalahRules {
    /// All stones of a game.
    pub fn total_stones(self) -> u32 {
        2 * u32::from(self.pits) * u32::from(self.stones)
    }
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kalah {
    own: u64,
    other: u64,
    to_move: Player,
    rules: KalahRules,
}

/// A pit of the player to move, counted from 0 at its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pit(pub u8);

const MAX_PITS: u8 = 6;
const MAX_STONES: usize = 72;
const STORE_BYTE: u32 = 6;
const PITS_MASK: u64 = (1 << 48) - 1;

/// Stones that a sowing adds to both sides; byte 7 of `own` is where the last stone falls (see [`Kalah::play`]).
#[derive(Clone, Copy)]
struct SowingDelta {
    own: u64,
    other: u64,
}

/// By pits on a side - 1, pit, and stones in it.
static SOWING_TABLE: [[[SowingDelta; MAX_STONES + 1]; MAX_PITS as usize]; MAX_PITS as usize] = {
    let mut table = [[[SowingDelta { own: 0, other: 0 }; MAX_STONES + 1]; MAX_PITS as usize];
        MAX_PITS as usize];
    let mut pits = 1;
    while pits <= MAX_PITS as usize {
        let mut pit = 0;
        while pit < pits {
            let mut stones = 1;
            while stones <= MAX_STONES {
                table[pits - 1][pit][stones] = compute_sowing(pits, pit, stones);
                stones += 1;
            }
            pit += 1;
        }
        pits += 1;
    }
    table
};

/// Where a stone falls, as bytes of the two sides.
enum SownPlace {
    /// A pit of the mover, or its store.
    OwnByte(usize),
    /// A pit of the opponent.
    OpponentPit(usize),
}

/// Places of a lap: own pits, own store, opponent's pits.
const fn lap_length(pits: usize) -> usize {
    2 * pits + 1
}

/// Where the stone of that number falls, counted from 1, when `pit` is sown.
const fn sown_place(pits: usize, pit: usize, number: usize) -> SownPlace {
    let along = (pit + number) % lap_length(pits);
    if along > pits {
        SownPlace::OpponentPit(along - pits - 1)
    } else if along == pits {
        SownPlace::OwnByte(STORE_BYTE as usize)
    } else {
        SownPlace::OwnByte(along)
    }
}

const fn compute_sowing(pits: usize, pit: usize, stones: usize) -> SowingDelta {
    let lap = lap_length(pits);
    let mut change = SowingDelta { own: 0, other: 0 };
    let mut step = 1;
    while step <= lap {
        let dropped = (stones / lap + (step <= stones % lap) as usize) as u64;
        let last = step == (stones - 1) % lap + 1;
        match sown_place(pits, pit, step) {
            SownPlace::OpponentPit(pit) => {
                change.other += dropped << (8 * pit);
                change.own += (last as u64) << 59;
            }
            SownPlace::OwnByte(byte) => {
                change.own += dropped << (8 * byte);
                change.own += (last as u64 * byte as u64) << 56;
            }
        }
        step += 1;
    }
    change.own = change.own.wrapping_sub((stones as u64) << (8 * pit));
    change
}

impl Kalah {
    /// The stones in the pits of `player`, from its left; as many as the variant has pits.
    pub fn pits(&self, player: Player) -> impl Iterator<Item = u8> {
        let side = self.side(player);
        (0..u32::from(self.rules.pits)).map(move |pit| byte(side, pit))
    }

    /// The stones in the store of `player`.
    pub fn store(&self, player: Player) -> u8 {
        byte(self.side(player), STORE_BYTE)
    }

    fn side(&self, player: Player) -> u64 {
        if player == self.to_move {
            self.own
        } else {
            self.other
        }
    }

    /// The playable pits, as the top bits of the bytes of a word.
    #[inline(always)]
    fn playable(&self) -> u64 {
        // No pit holds more than 72 stones, so adding 127 sets the top bit of every byte but the empty ones.
        ((self.own & PITS_MASK) + 0x7f7f_7f7f_7f7f) & 0x8080_8080_8080
    }

    /// The position with these stones, swept if one side is empty.
    fn new(rules: KalahRules, own: u64, other: u64, to_move: Player) -> Self {
        let mut position = Self {
            own,
            other,
            to_move,
            rules,
        };
        position.sweep_if_over();
        position
    }

    /// Sows a pit; the byte where the last stone falls: an own pit (0 to 5), the own store (6), or somewhere on the
    /// opponent's side (8).
    #[inline(always)]
    fn sow(&mut self, pit: u8) -> u32 {
        let stones = byte(self.own, pit.into());
        let sowing =
            SOWING_TABLE[usize::from(self.rules.pits - 1)][usize::from(pit)][usize::from(stones)];
        let own = self.own.wrapping_add(sowing.own);
        self.other = self.other.wrapping_add(sowing.other);
        self.own = own & ((1 << 56) - 1);
        (own >> 56) as u32
    }

    /// Takes what the last stone captures, itself included, to the mover's store; `last` as [`Self::sow`] returns it.
    #[inline(always)]
    fn capture(&mut self, last: u32) {
        let pits = u32::from(self.rules.pits);
        // Captures and extra turns come too irregularly for a processor to guess, hence no branch: `mask` picks.
        let pit = last.min(pits - 1);
        let opposite = pits - 1 - pit;
        let captured = byte(self.other, opposite);
        let alone = pit == last && byte(self.own, pit) == 1;
        let mask = u64::from(alone & (captured != 0 || self.rules.empty_capture)).wrapping_neg();
        self.own += mask & (((u64::from(captured) + 1) << (8 * STORE_BYTE)) - (1 << (8 * pit)));
        self.other -= mask & u64::from(captured) << (8 * opposite);
    }

    #[inline(always)]
    fn sweep_if_over(&mut self) {
        if self.own & PITS_MASK == 0 || self.other & PITS_MASK == 0 {
            self.own = swept(self.own);
            self.other = swept(self.other);
        }
    }
}

#[inline(always)]
fn byte(side: u64, place: u32) -> u8 {
    (side >> (8 * place)) as u8
}

/// A side with all its stones in the store.
fn swept(side: u64) -> u64 {
    // The product's top byte is the sum of all bytes.
    (side.wrapping_mul(0x0101_0101_0101_0101) >> 56) << (8 * STORE_BYTE)
}

impl Game for Kalah {
    type Rules = KalahRules;
    type Move = Pit;

    const MOVE_BITS: u32 = 3;

    #[inline(always)]
    fn move_to_bits(mv: Pit) -> MoveCode {
        mv.0.into()
    }

    #[inline(always)]
    fn move_from_bits(bits: MoveCode) -> Self::Move {
        Pit(bits as u8)
    }

    fn start(rules: KalahRules) -> Self {
        let side = (0..rules.pits).fold(0, |side, pit| side | u64::from(rules.stones) << (8 * pit));
        Self {
            own: side,
            other: side,
            to_move: Player::First,
            rules,
        }
    }

    fn rules(&self) -> KalahRules {
        self.rules
    }

    #[inline(always)]
    fn to_move(&self) -> Player {
        self.to_move
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        // A finished board has been swept, an unfinished one has stones on both sides.
        if self.own & PITS_MASK != 0 {
            return None;
        }
        Some(Outcome::by_score(
            self.store(Player::First).into(),
            self.store(Player::Second).into(),
        ))
    }

    #[inline(always)]
    fn legal_moves(&self, out: &mut Vec<Pit>) {
        out.clear();
        out.extend(machine::iter_ones(self.playable()).map(|bit| Pit(bit / 8)));
    }

    #[inline(always)]
    fn is_legal(&self, Pit(pit): Pit) -> bool {
        pit < self.rules.pits && byte(self.own, pit.into()) != 0
    }

    #[inline(always)]
    fn play(&mut self, Pit(pit): Pit) {
        debug_assert!(self.is_legal(Pit(pit)), "pit {pit} in {self:?}");
        let last = self.sow(pit);
        self.capture(last);
        self.sweep_if_over();
        let passes = last != STORE_BYTE;
        let exchange = (self.own ^ self.other) & u64::from(passes).wrapping_neg();
        self.own ^= exchange;
        self.other ^= exchange;
        self.to_move = if passes {
            self.to_move.opponent()
        } else {
            self.to_move
        };
    }

    #[inline(always)]
    fn key(&self) -> u64 {
        mix(self.own ^ mix(self.other ^ (self.to_move as u64) << 63))
    }

    fn piece_count(&self) -> u32 {
        self.pits(Player::First)
            .chain(self.pits(Player::Second))
            .map(u32::from)
            .sum()
    }
}

impl SearchHints for Kalah {
    /// The stones in the pits: a sowing brings about one home.
    fn expected_plies_left(&self) -> Option<u32> {
        Some(self.piece_count().max(1))
    }

    /// Stones in a store stay there, and all others may go to either side.
    fn margin_bounds(&self) -> Option<[i32; 2]> {
        let store = |player| i32::from(self.store(player));
        let margin = store(Player::First) - store(Player::Second);
        let open = self.piece_count() as i32;
        Some([margin - open, margin + open])
    }

    #[inline(always)]
    fn random_move(&self, rng: &mut Rng) -> Option<Pit> {
        let playable = self.playable();
        if playable == 0 {
            return None;
        }
        Some(Pit(
            (machine::select(playable, rng.below(playable.count_ones())) / 8) as u8,
        ))
    }

    fn perft_count(&self) -> u64 {
        self.playable().count_ones().into()
    }
}

impl Symmetric for Kalah {
    fn image(&self, _: Symmetry) -> Self {
        *self
    }

    fn image_of_move(mv: Pit, _: Symmetry) -> Pit {
        mv
    }

    /// The board turned round. Both sides have the same moves from their own seats.
    fn inverted(&self) -> Option<Self> {
        Some(Self {
            to_move: self.to_move.opponent(),
            ..*self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sowing stone by stone, from the words of the rules.
    fn sow_by_hand(
        rules: KalahRules,
        side: &mut [Vec<u8>; 2],
        store: &mut [u8; 2],
        mover: usize,
        pit: usize,
    ) -> usize {
        let pits = usize::from(rules.pits);
        let mut hand = std::mem::take(&mut side[mover][pit]);
        let (mut row, mut place) = (mover, pit);
        while hand > 0 {
            place += 1;
            if place == pits && row == mover {
                store[mover] += 1;
                hand -= 1;
                if hand == 0 {
                    return mover;
                }
            }
            if place >= pits {
                (row, place) = (1 - row, 0);
            }
            side[row][place] += 1;
            hand -= 1;
        }
        if row == mover && side[row][place] == 1 {
            let captured = side[1 - row][pits - 1 - place];
            if captured > 0 || rules.empty_capture {
                side[1 - row][pits - 1 - place] = 0;
                side[row][place] = 0;
                store[mover] += captured + 1;
            }
        }
        1 - mover
    }

    #[test]
    fn the_table_agrees_with_sowing_by_hand() {
        let mut rng = Rng::new(11);
        for pits in 1..=6 {
            for stones in 1..=6 {
                for empty_capture in [false, true] {
                    let rules = KalahRules {
                        pits,
                        stones,
                        empty_capture,
                    };
                    for _ in 0..40 {
                        let mut game = Kalah::start(rules);
                        let mut side = [vec![stones; pits.into()], vec![stones; pits.into()]];
                        let mut store = [0; 2];
                        let mut mover = 0;
                        while let Some(mv) = game.random_move(&mut rng) {
                            game.play(mv);
                            mover = sow_by_hand(rules, &mut side, &mut store, mover, mv.0.into());
                            if side
                                .iter()
                                .any(|pits| pits.iter().all(|&stones| stones == 0))
                            {
                                for player in 0..2 {
                                    store[player] += side[player].iter().sum::<u8>();
                                    side[player].fill(0);
                                }
                                assert!(game.outcome().is_some());
                            }
                            for player in [Player::First, Player::Second] {
                                assert_eq!(
                                    game.pits(player).collect::<Vec<_>>(),
                                    side[player.index()],
                                    "{rules:?}"
                                );
                                assert_eq!(game.store(player), store[player.index()]);
                            }
                            assert_eq!(game.to_move().index(), mover, "{rules:?}");
                        }
                    }
                }
            }
        }
    }
}
