//! Two words of a graph's slot: its shape, which says what is known of a move and of the position behind it, and its ties,
//! which say where that position's node is and which other moves lead there.
//!
//! ```text
//! shape   bits 0-29    first child
//!              30-41   number of children (0 for a leaf, all ones while a thread makes them)
//!              42-56   move
//!              57-58   certain result, in the node's frame
//!              59-61   symmetry by which the move leads into the node's frame
//!              62      whether colours are exchanged on the way
//!
//! ties    bits 0-29    the next slot whose move leads to the same node; 0 for none
//!              30-59   lower part of the position's key if the node is here; the slot of the node if it is elsewhere
//!              60      whether there was no room for it in the index, when several threads worked
//!              61      whether the key is there
//!              62      whether the node is here
//!              63      whether the node is in another slot
//! ```
//!
//! A move that was never followed has no ties.

use super::store::{outcome_bits, outcome_of_bits};
use crate::{
    games::{Outcome, Symmetry},
    machine::Lanes,
};

const COUNT_BIT: u32 = 30;
const MOVE_BIT: u32 = 42;
const PROVEN_BIT: u32 = 57;
const SYMMETRY_BIT: u32 = 59;
const INVERTED_BIT: u32 = 62;
const PLACE: u64 = (1 << COUNT_BIT) - 1;

/// What a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape(pub(super) u64);

impl Shape {
    /// Slots are numbered with so many bits.
    pub(super) const PLACE_BITS: u32 = COUNT_BIT;
    /// Moves have at most so many bits.
    pub(super) const MOVE_BITS: u32 = PROVEN_BIT - MOVE_BIT;
    /// The most children a node can have.
    pub(super) const MOST_CHILDREN: usize = (1 << (MOVE_BIT - COUNT_BIT)) - 2;
    /// The bits that tell of children, and what they say while a thread makes them.
    pub(super) const CHILDREN: u64 = (1 << MOVE_BIT) - 1;
    pub(super) const BUSY: u64 = (Self::MOST_CHILDREN as u64 + 1) << COUNT_BIT;
    /// A leaf that no move leads to.
    pub(super) const ROOT: Self = Self(0);

    /// A move, and nothing known of what is behind it.
    #[inline(always)]
    pub(super) fn of_move(mv: u32) -> Self {
        Self(u64::from(mv) << MOVE_BIT)
    }

    /// The bits of [`Self::CHILDREN`] for `count` children from slot `first` on.
    #[inline(always)]
    pub(super) fn of_children(first: usize, count: usize) -> u64 {
        first as u64 | (count as u64) << COUNT_BIT
    }

    /// The bits to be set for the way into the node's frame.
    #[inline(always)]
    pub(super) fn of_frame(symmetry: Symmetry, inverted: bool) -> u64 {
        u64::from(symmetry.to_bits()) << SYMMETRY_BIT | u64::from(inverted) << INVERTED_BIT
    }

    /// The same move, with all that is known of the node behind it: its children and its result.
    pub(super) fn knowing(self, node: Self) -> Self {
        const OF_NODE: u64 = Shape::CHILDREN | 3 << PROVEN_BIT;
        Self(self.0 & !OF_NODE | node.0 & OF_NODE)
    }

    /// With another first child.
    pub(super) fn placed(self, place: u32) -> Self {
        Self(self.0 & !PLACE | u64::from(place))
    }

    /// The first child; 0 if there is none.
    #[inline(always)]
    pub(super) fn place(self) -> u32 {
        (self.0 & PLACE) as u32
    }

    /// The first child and how many there are.
    #[inline(always)]
    pub(super) fn children(self) -> (usize, usize) {
        match self.0 & Self::CHILDREN {
            Self::BUSY => (0, 0),
            children => (self.place() as usize, (children >> COUNT_BIT) as usize),
        }
    }

    #[inline(always)]
    pub(super) fn mv(self) -> u32 {
        (self.0 >> MOVE_BIT) as u32 & ((1 << Self::MOVE_BITS) - 1)
    }

    #[inline(always)]
    pub(super) fn symmetry(self) -> Symmetry {
        Symmetry::from_bits((self.0 >> SYMMETRY_BIT) as u8)
    }

    #[inline(always)]
    pub(super) fn inverted(self) -> bool {
        self.0 >> INVERTED_BIT & 1 == 1
    }

    /// For four shapes, all ones where [`Self::inverted`] and 0 where not.
    #[inline(always)]
    pub(super) fn four_inverted<L: Lanes>(shapes: [u64; 4]) -> L {
        let inverted = L::from(shapes) >> L::splat(INVERTED_BIT.into()) & L::splat(1);
        L::splat(0) - inverted
    }

    #[inline(always)]
    pub(super) fn proven(self) -> Option<Outcome> {
        outcome_of_bits(self.0 >> PROVEN_BIT)
    }

    /// The bits to be set for a certain result.
    pub(super) fn proof(outcome: Outcome) -> u64 {
        outcome_bits(outcome) << PROVEN_BIT
    }
}

/// How a slot hangs together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ties(pub(super) u64);

impl Ties {
    /// A move that was never followed.
    pub(super) const NONE: Self = Self(0);

    const OUTSIDE: u64 = 1 << 60;
    const KEYED: u64 = 1 << 61;
    const HERE: u64 = 1 << 62;
    const ELSEWHERE: u64 = 1 << 63;
    const HIGH: u64 = PLACE << COUNT_BIT;

    /// A slot that may be going to have the node of a position whose mixed key is `key`.
    #[inline(always)]
    pub(super) fn keyed(key: u64) -> Self {
        Self(Self::KEYED | (key & PLACE) << COUNT_BIT)
    }

    /// Whether the node of that position is here, or is going to be.
    #[inline(always)]
    pub(super) fn is_of(self, key: u64) -> bool {
        const KEY: u64 = Ties::KEYED | Ties::HIGH;
        self.0 & KEY == Self::keyed(key).0
    }

    /// With the node here.
    #[inline(always)]
    pub(super) fn here(self) -> Self {
        Self(self.0 | Self::HERE)
    }

    /// With no room for it in the index.
    #[inline(always)]
    pub(super) fn outside(self) -> Self {
        Self(self.0 | Self::OUTSIDE)
    }

    #[inline(always)]
    pub(super) fn is_outside(self) -> bool {
        self.0 & Self::OUTSIDE != 0
    }

    /// With the node in slot `node`.
    #[inline(always)]
    pub(super) fn elsewhere(node: u32) -> Self {
        Self(Self::ELSEWHERE | u64::from(node) << COUNT_BIT)
    }

    /// With another next slot.
    #[inline(always)]
    pub(super) fn before(self, next: u32) -> Self {
        Self(self.0 & !PLACE | u64::from(next))
    }

    /// The next slot whose move leads to the same node; 0 for none.
    #[inline(always)]
    pub(super) fn next(self) -> u32 {
        (self.0 & PLACE) as u32
    }

    /// Whether the move was followed.
    #[inline(always)]
    pub(super) fn is_tied(self) -> bool {
        self.0 & (Self::HERE | Self::ELSEWHERE) != 0
    }

    #[inline(always)]
    pub(super) fn is_elsewhere(self) -> bool {
        self.0 & Self::ELSEWHERE != 0
    }

    /// The slot of the node behind the move in slot `here`, which was followed.
    #[inline(always)]
    pub(super) fn node(self, here: u32) -> u32 {
        // Without a jump, for nobody could foretell it.
        let elsewhere = ((self.0 as i64) >> 63) as u32;
        (self.0 >> COUNT_BIT & PLACE) as u32 & elsewhere | here & !elsewhere
    }
}
