//! The word of a graph's slot that says what it is: a move, and the node behind it or where that node is found.
//!
//! ```text
//! bits 0-29    first child, if the node is here; else the slot where it is, 0 for nowhere yet
//!      30-41   number of children (0 for a leaf, all ones while a thread makes them)
//!      42-56   move
//!      57-58   certain result, in the node's frame
//!      59-61   symmetry by which the move leads into the node's frame
//!      62      whether colours are exchanged on the way
//!      63      whether the node is in another slot
//! ```

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
const LINK: u64 = 1 << 63;

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

    /// A move that was never followed.
    #[inline(always)]
    pub(super) fn of_move(mv: u32) -> Self {
        Self(LINK | u64::from(mv) << MOVE_BIT)
    }

    /// The bits of [`Self::CHILDREN`] for `count` children from slot `first` on.
    #[inline(always)]
    pub(super) fn of_children(first: usize, count: usize) -> u64 {
        first as u64 | (count as u64) << COUNT_BIT
    }

    /// The move in slot `here`, now that it leads to the node in slot `node`.
    #[inline(always)]
    pub(super) fn leading_to(
        self,
        node: u32,
        here: u32,
        symmetry: Symmetry,
        inverted: bool,
    ) -> Self {
        let frame =
            u64::from(symmetry.to_bits()) << SYMMETRY_BIT | u64::from(inverted) << INVERTED_BIT;
        if node == here {
            Self(self.0 & !LINK | frame)
        } else {
            Self(self.0 | frame | u64::from(node))
        }
    }

    /// The same move, the node behind it being one whose slot is `node`: its children and its result.
    pub(super) fn taking_over(self, node: Self) -> Self {
        const OF_NODE: u64 = Shape::CHILDREN | 3 << PROVEN_BIT;
        Self(self.0 & !OF_NODE & !LINK | node.0 & OF_NODE)
    }

    /// With another slot number in it.
    pub(super) fn placed(self, place: u32) -> Self {
        Self(self.0 & !PLACE | u64::from(place))
    }

    /// A slot that has nothing but a link.
    pub(super) fn link_to(node: u32) -> Self {
        Self(LINK | u64::from(node))
    }

    /// Whether the node is in another slot, or nowhere yet.
    #[inline(always)]
    pub(super) fn is_link(self) -> bool {
        self.0 & LINK != 0
    }

    /// The slot number in it: the first child's, or that of the node, 0 for none.
    #[inline(always)]
    pub(super) fn place(self) -> u32 {
        (self.0 & PLACE) as u32
    }

    /// The slot of the node behind the move in slot `here`; 0 if there is none yet.
    #[inline(always)]
    pub(super) fn node(self, here: u32) -> u32 {
        // Without a jump, for nobody could foretell it.
        let elsewhere = ((self.0 as i64) >> 63) as u32;
        self.place() & elsewhere | here & !elsewhere
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
