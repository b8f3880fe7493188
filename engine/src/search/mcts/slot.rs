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

use super::node_store::{outcome_from_bits, outcome_to_bits};
use crate::{
    games::{MAX_MOVE_BITS, MoveCode, Outcome, Symmetry},
    machine::Lanes,
};

const COUNT_BIT: u32 = 30;
const MOVE_BIT: u32 = 42;
const PROVEN_BIT: u32 = MOVE_BIT + MAX_MOVE_BITS;
const SYMMETRY_BIT: u32 = PROVEN_BIT + 2;
const INVERTED_BIT: u32 = SYMMETRY_BIT + 3;
const SLOT_MASK: u64 = (1 << COUNT_BIT) - 1;

/// What a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotShape(pub(super) u64);

impl SlotShape {
    /// Slots are numbered with so many bits.
    pub(super) const SLOT_BITS: u32 = COUNT_BIT;
    /// The most children a node can have.
    pub(super) const MAX_CHILDREN: usize = (1 << (MOVE_BIT - COUNT_BIT)) - 2;
    /// The bits that tell of children, and what they say while a thread makes them.
    pub(super) const CHILDREN_MASK: u64 = (1 << MOVE_BIT) - 1;
    pub(super) const EXPANDING: u64 = (Self::MAX_CHILDREN as u64 + 1) << COUNT_BIT;
    /// A leaf that no move leads to.
    pub(super) const ROOT: Self = Self(0);

    /// A move, and nothing known of what is behind it.
    #[inline(always)]
    pub(super) fn from_move(mv: MoveCode) -> Self {
        Self(u64::from(mv) << MOVE_BIT)
    }

    /// The bits of [`Self::CHILDREN_MASK`] for `count` children from slot `first` on.
    #[inline(always)]
    pub(super) fn children_bits(first: usize, count: usize) -> u64 {
        first as u64 | (count as u64) << COUNT_BIT
    }

    /// The bits to be set for the way into the node's frame.
    #[inline(always)]
    pub(super) fn frame_bits(symmetry: Symmetry, inverted: bool) -> u64 {
        u64::from(symmetry.to_bits()) << SYMMETRY_BIT | u64::from(inverted) << INVERTED_BIT
    }

    /// The same move, with all that is known of the node behind it: its children and its result.
    pub(super) fn with_node_bits(self, node: Self) -> Self {
        const OF_NODE: u64 = SlotShape::CHILDREN_MASK | 3 << PROVEN_BIT;
        Self(self.0 & !OF_NODE | node.0 & OF_NODE)
    }

    /// With another first child.
    pub(super) fn with_first_child(self, place: u32) -> Self {
        Self(self.0 & !SLOT_MASK | u64::from(place))
    }

    /// The first child; 0 if there is none.
    #[inline(always)]
    pub(super) fn first_child(self) -> u32 {
        (self.0 & SLOT_MASK) as u32
    }

    /// The first child and how many there are.
    #[inline(always)]
    pub(super) fn children(self) -> (usize, usize) {
        match self.0 & Self::CHILDREN_MASK {
            Self::EXPANDING => (0, 0),
            children => (
                self.first_child() as usize,
                (children >> COUNT_BIT) as usize,
            ),
        }
    }

    #[inline(always)]
    pub(super) fn mv(self) -> MoveCode {
        (self.0 >> MOVE_BIT) as MoveCode & ((1 << MAX_MOVE_BITS) - 1)
    }

    #[inline(always)]
    pub(super) fn symmetry(self) -> Symmetry {
        Symmetry::from_bits((self.0 >> SYMMETRY_BIT) as u8)
    }

    #[inline(always)]
    pub(super) fn is_inverted(self) -> bool {
        self.0 >> INVERTED_BIT & 1 == 1
    }

    /// For four shapes, all ones where [`Self::is_inverted`] and 0 where not.
    #[inline(always)]
    pub(super) fn inverted_masks_x4<L: Lanes>(shapes: [u64; 4]) -> L {
        let inverted = L::from(shapes) >> L::splat(INVERTED_BIT.into()) & L::splat(1);
        L::splat(0) - inverted
    }

    #[inline(always)]
    pub(super) fn proven(self) -> Option<Outcome> {
        outcome_from_bits(self.0 >> PROVEN_BIT)
    }

    /// The bits to be set for a certain result.
    pub(super) fn proven_bits(outcome: Outcome) -> u64 {
        outcome_to_bits(outcome) << PROVEN_BIT
    }
}

/// How a slot hangs together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedNode(pub(super) u64);

impl SharedNode {
    /// A move that was never followed.
    pub(super) const UNLINKED: Self = Self(0);

    const UNINDEXED: u64 = 1 << 60;
    const KEYED: u64 = 1 << 61;
    const HERE: u64 = 1 << 62;
    const ELSEWHERE: u64 = 1 << 63;
    const KEY_OR_SLOT_MASK: u64 = SLOT_MASK << COUNT_BIT;

    /// A slot that may be going to have the node of a position whose mixed key is `key`.
    #[inline(always)]
    pub(super) fn with_key(key: u64) -> Self {
        Self(Self::KEYED | (key & SLOT_MASK) << COUNT_BIT)
    }

    /// Whether the node of that position is here, or is going to be.
    #[inline(always)]
    pub(super) fn has_key(self, key: u64) -> bool {
        const KEY: u64 = SharedNode::KEYED | SharedNode::KEY_OR_SLOT_MASK;
        self.0 & KEY == Self::with_key(key).0
    }

    /// With the node here.
    #[inline(always)]
    pub(super) fn stored_here(self) -> Self {
        Self(self.0 | Self::HERE)
    }

    /// With no room for it in the index.
    #[inline(always)]
    pub(super) fn unindexed(self) -> Self {
        Self(self.0 | Self::UNINDEXED)
    }

    #[inline(always)]
    pub(super) fn is_unindexed(self) -> bool {
        self.0 & Self::UNINDEXED != 0
    }

    /// With the node in slot `node`.
    #[inline(always)]
    pub(super) fn stored_in(node: u32) -> Self {
        Self(Self::ELSEWHERE | u64::from(node) << COUNT_BIT)
    }

    /// With another next slot.
    #[inline(always)]
    pub(super) fn with_next(self, next: u32) -> Self {
        Self(self.0 & !SLOT_MASK | u64::from(next))
    }

    /// The next slot whose move leads to the same node; 0 for none.
    #[inline(always)]
    pub(super) fn next(self) -> u32 {
        (self.0 & SLOT_MASK) as u32
    }

    /// Whether the move was followed.
    #[inline(always)]
    pub(super) fn is_linked(self) -> bool {
        self.0 & (Self::HERE | Self::ELSEWHERE) != 0
    }

    #[inline(always)]
    pub(super) fn is_stored_elsewhere(self) -> bool {
        self.0 & Self::ELSEWHERE != 0
    }

    /// The slot of the node behind the move in slot `here`, which was followed.
    #[inline(always)]
    pub(super) fn node(self, here: u32) -> u32 {
        // Without a jump, for nobody could foretell it.
        let elsewhere = ((self.0 as i64) >> 63) as u32;
        (self.0 >> COUNT_BIT & SLOT_MASK) as u32 & elsewhere | here & !elsewhere
    }
}
