//! Two words of a graph's slot. The shape word holds the move, the node's children, proven result and reference frame; the link
//! word says which slot holds the node and which other slots lead to it.
//!
//! ```text
//! shape   bits 0-29    first child
//!              30-41   number of children (0 for a leaf, all ones while a thread adds them)
//!              42-56   move
//!              57-58   proven result, in the node's frame
//!              59-61   symmetry from the parent's frame to the node's
//!              62      set if colours are exchanged between the frames
//!
//! link    bits 0-29    next slot that leads to the same node; 0 for none
//!              30-59   low bits of the position's key if the node is in this slot, else the node's slot
//!              60      set if the index had no room for the node (several threads only)
//!              61      set if bits 30-59 are a key
//!              62      set if the node is in this slot
//!              63      set if the node is in another slot
//! ```
//!
//! The link word of an edge that was never followed is 0.

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

/// The shape word of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotShape(pub(super) u64);

impl SlotShape {
    /// Width of slot numbers in bits.
    pub(super) const SLOT_BITS: u32 = COUNT_BIT;
    /// Upper limit of a node's children.
    pub(super) const MAX_CHILDREN: usize = (1 << (MOVE_BIT - COUNT_BIT)) - 2;
    /// The bits of first child and child count, and their value while a thread adds children.
    pub(super) const CHILDREN_MASK: u64 = (1 << MOVE_BIT) - 1;
    pub(super) const EXPANDING: u64 = (Self::MAX_CHILDREN as u64 + 1) << COUNT_BIT;
    /// A leaf without a move.
    pub(super) const ROOT: Self = Self(0);

    /// An edge that was never followed.
    #[inline(always)]
    pub(super) fn from_move(mv: MoveCode) -> Self {
        Self(u64::from(mv) << MOVE_BIT)
    }

    /// The bits of [`Self::CHILDREN_MASK`] for `count` children from slot `first` on.
    #[inline(always)]
    pub(super) fn children_bits(first: usize, count: usize) -> u64 {
        first as u64 | (count as u64) << COUNT_BIT
    }

    /// The bits of the transformation into the node's frame.
    #[inline(always)]
    pub(super) fn frame_bits(symmetry: Symmetry, inverted: bool) -> u64 {
        u64::from(symmetry.to_bits()) << SYMMETRY_BIT | u64::from(inverted) << INVERTED_BIT
    }

    /// The same move and frame, with the children and proven result of `node`.
    pub(super) fn with_node_bits(self, node: Self) -> Self {
        const OF_NODE: u64 = SlotShape::CHILDREN_MASK | 3 << PROVEN_BIT;
        Self(self.0 & !OF_NODE | node.0 & OF_NODE)
    }

    /// Replaces the first child.
    pub(super) fn with_first_child(self, place: u32) -> Self {
        Self(self.0 & !SLOT_MASK | u64::from(place))
    }

    /// The first child; 0 for a leaf.
    #[inline(always)]
    pub(super) fn first_child(self) -> u32 {
        (self.0 & SLOT_MASK) as u32
    }

    /// The first child and the number of children.
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

    /// [`Self::is_inverted`] of four shapes as lane masks: all ones or 0.
    #[inline(always)]
    pub(super) fn inverted_masks_x4<L: Lanes>(shapes: [u64; 4]) -> L {
        let inverted = L::from(shapes) >> L::splat(INVERTED_BIT.into()) & L::splat(1);
        L::splat(0) - inverted
    }

    #[inline(always)]
    pub(super) fn proven(self) -> Option<Outcome> {
        outcome_from_bits(self.0 >> PROVEN_BIT)
    }

    /// The bits of a proven result.
    pub(super) fn proven_bits(outcome: Outcome) -> u64 {
        outcome_to_bits(outcome) << PROVEN_BIT
    }
}

/// The link word of a slot: where the node is, and the list of slots that lead to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SharedNode(pub(super) u64);

impl SharedNode {
    /// An edge that was never followed.
    pub(super) const UNLINKED: Self = Self(0);

    const UNINDEXED: u64 = 1 << 60;
    const KEYED: u64 = 1 << 61;
    const HERE: u64 = 1 << 62;
    const ELSEWHERE: u64 = 1 << 63;
    const KEY_OR_SLOT_MASK: u64 = SLOT_MASK << COUNT_BIT;

    /// A slot that may become the node of the position with the mixed key `key`.
    #[inline(always)]
    pub(super) fn with_key(key: u64) -> Self {
        Self(Self::KEYED | (key & SLOT_MASK) << COUNT_BIT)
    }

    /// True if this slot is, or may become, the node of the position with that key.
    #[inline(always)]
    pub(super) fn has_key(self, key: u64) -> bool {
        const KEY: u64 = SharedNode::KEYED | SharedNode::KEY_OR_SLOT_MASK;
        self.0 & KEY == Self::with_key(key).0
    }

    /// Marks the node as stored in this slot.
    #[inline(always)]
    pub(super) fn stored_here(self) -> Self {
        Self(self.0 | Self::HERE)
    }

    /// Marks the node as missing in the index, which was full.
    #[inline(always)]
    pub(super) fn unindexed(self) -> Self {
        Self(self.0 | Self::UNINDEXED)
    }

    #[inline(always)]
    pub(super) fn is_unindexed(self) -> bool {
        self.0 & Self::UNINDEXED != 0
    }

    /// A link to the node in slot `node`.
    #[inline(always)]
    pub(super) fn stored_in(node: u32) -> Self {
        Self(Self::ELSEWHERE | u64::from(node) << COUNT_BIT)
    }

    /// Replaces the next slot.
    #[inline(always)]
    pub(super) fn with_next(self, next: u32) -> Self {
        Self(self.0 & !SLOT_MASK | u64::from(next))
    }

    /// The next slot that leads to the same node; 0 for none.
    #[inline(always)]
    pub(super) fn next(self) -> u32 {
        (self.0 & SLOT_MASK) as u32
    }

    /// True if the edge was followed, so that its node is known.
    #[inline(always)]
    pub(super) fn is_linked(self) -> bool {
        self.0 & (Self::HERE | Self::ELSEWHERE) != 0
    }

    #[inline(always)]
    pub(super) fn is_stored_elsewhere(self) -> bool {
        self.0 & Self::ELSEWHERE != 0
    }

    /// The slot of the node that the linked slot `here` leads to.
    #[inline(always)]
    pub(super) fn node(self, here: u32) -> u32 {
        // Branch-free: the branch would be unpredictable.
        let elsewhere = ((self.0 as i64) >> 63) as u32;
        (self.0 >> COUNT_BIT & SLOT_MASK) as u32 & elsewhere | here & !elsewhere
    }
}
