//! A [`PartialTree`] at one time and the iterations that led there, as bytes.
//!
//! ```text
//! part        varints: iterations done, nodes of the whole tree, fewest visits, 1 if there are squares, nodes; then node by node, parents first:
//!             flags, a byte: 1 visits before the search, 2 it has children, 4 a proven result, 8 a sum of eight bytes, 16 squares of
//!             eight bytes;
//!             the parent's distance to that of the node before, 0 -1 1 -2 2 ... as 0 1 2 3 4; the code of its move; visits;
//!             the sum in units of 2^31, or eight bytes; if there are squares, their sum in units of 2^30, or eight bytes;
//!             where flags say so: visits before the search, since when it
//!             has children, since when it has its result times 4 plus the result
//! rewards     their number, a byte; each eight bytes
//! iterations  their number; then from the last to the first: the node, the number of the reward, a byte, or 255 and five
//!             bytes, and the number of nodes created
//! ```

use super::{
    super::{
        extra::{outcome_code, outcome_from_code},
        growth::{JournalKind, NONE},
    },
    partial_tree::{PartialIteration, PartialTree, PartialTreeNode},
};
use crate::games::MoveCode;

const INHERITED: u8 = 1;
const EXPANDED: u8 = 2;
const PROVEN: u8 = 4;
const WIDE_SUM: u8 = 8;
const WIDE_SQUARES: u8 = 16;
/// Instead of the number of a reward: the reward itself follows.
const INLINE_REWARD: u8 = 255;

/// Numbers of seven bits a byte, the lowest first; the eighth bit says that there is more.
pub(super) fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes bytes off the front of a slice.
pub(super) struct ByteReader<'a>(pub(super) &'a [u8]);

impl ByteReader<'_> {
    #[inline]
    pub(super) fn read_byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    #[inline]
    pub(super) fn read_varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.read_byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    #[inline]
    fn read_u32(&mut self) -> Option<u32> {
        u32::try_from(self.read_varint()?).ok()
    }

    /// Eight bytes.
    pub(super) fn read_u64(&mut self) -> Option<u64> {
        self.read_fixed_width::<8>()
    }

    fn read_fixed_width<const N: usize>(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        let mut wide = [0; 8];
        for (to, &from) in wide.iter_mut().zip(bytes) {
            *to = from;
        }
        Some(u64::from_le_bytes(wide))
    }
}

pub(super) fn encode(part: &PartialTree, steps: &[PartialIteration]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 * part.nodes.len() + 6 * steps.len());
    for number in [
        part.iteration.into(),
        part.total_nodes,
        part.min_visits.into(),
        part.has_squares.into(),
        part.nodes.len() as u64,
    ] {
        put_varint(number, &mut out);
    }
    let mut before = 0;
    for node in &part.nodes {
        put_node(node, part.has_squares, before, &mut out);
        before = node.parent;
    }
    let rewards = frequent_rewards(steps);
    out.push(rewards.len() as u8);
    for reward in &rewards {
        out.extend_from_slice(&reward.to_le_bytes());
    }
    put_varint(steps.len() as u64, &mut out);
    for step in steps.iter().rev() {
        put_varint(step.node.into(), &mut out);
        match rewards.iter().position(|&reward| reward == step.reward) {
            Some(index) => out.push(index as u8),
            None => {
                out.push(INLINE_REWARD);
                out.extend_from_slice(&step.reward.to_le_bytes()[..5]);
            }
        }
        put_varint(step.new_nodes.into(), &mut out);
    }
    out
}

/// The first rewards that are met, as many as get a number; those of won, lost and drawn games are among them.
fn frequent_rewards(steps: &[PartialIteration]) -> Vec<u64> {
    const MAX_FREQUENT_REWARDS: usize = 32;
    let mut rewards: Vec<u64> = Vec::new();
    for step in steps {
        if rewards.len() < MAX_FREQUENT_REWARDS && !rewards.contains(&step.reward) {
            rewards.push(step.reward);
        }
    }
    rewards
}

fn put_node(node: &PartialTreeNode, has_squares: bool, before: u32, out: &mut Vec<u8>) {
    let is_wide = node.sum & ((1 << 31) - 1) != 0;
    let has_wide_squares = has_squares && node.squares & ((1 << 30) - 1) != 0;
    let has_children = node.child_count > 0;
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    out.push(
        flag(node.inherited > 0, INHERITED)
            | flag(has_children, EXPANDED)
            | flag(node.proven.is_some(), PROVEN)
            | flag(is_wide, WIDE_SUM)
            | flag(has_wide_squares, WIDE_SQUARES),
    );
    let distance = i64::from(node.parent) - i64::from(before);
    put_varint(((distance << 1) ^ (distance >> 63)) as u64, out);
    put_varint(node.move_code.into(), out);
    put_varint(node.visits.into(), out);
    if is_wide {
        out.extend_from_slice(&node.sum.to_le_bytes());
    } else {
        put_varint(node.sum >> 31, out);
    }
    if has_wide_squares {
        out.extend_from_slice(&node.squares.to_le_bytes());
    } else if has_squares {
        put_varint(node.squares >> 30, out);
    }
    if node.inherited > 0 {
        put_varint(node.inherited.into(), out);
    }
    if has_children {
        put_varint(node.expanded_at.into(), out);
    }
    if node.proven.is_some() {
        let code = u64::from(outcome_code(node.proven));
        put_varint(u64::from(node.proven_at) << 2 | code, out);
    }
}

/// Inverse of [`encode`], the first iteration first; none if the bytes are damaged.
pub(super) fn decode(
    kind: JournalKind,
    bytes: &[u8],
) -> Option<(PartialTree, Vec<PartialIteration>)> {
    let mut bytes = ByteReader(bytes);
    let mut part = PartialTree {
        kind,
        iteration: bytes.read_u32()?,
        total_nodes: bytes.read_varint()?,
        min_visits: bytes.read_u32()?,
        has_squares: bytes.read_byte()? == 1,
        nodes: Vec::new(),
    };
    let count = bytes.read_u32()? as usize;
    // A node takes five bytes at least.
    if count == 0 || count > bytes.0.len() / 5 {
        return None;
    }
    part.nodes.reserve_exact(count);
    let mut before = 0;
    for index in 0..count as u32 {
        let node = read_node(&mut bytes, part.has_squares, before)?;
        before = node.parent;
        if index > 0 {
            // Children follow each other.
            let parent = part.nodes.get_mut(node.parent as usize)?;
            if parent.child_count == 0 {
                parent.first_child = index;
            } else if parent.first_child + u32::from(parent.child_count) != index {
                return None;
            }
            parent.child_count = parent.child_count.checked_add(1)?;
        } else if node.parent != 0 {
            return None;
        }
        part.nodes.push(node);
    }
    let known = bytes.read_byte()?;
    let rewards: Vec<u64> = (0..known)
        .map(|_| bytes.read_u64())
        .collect::<Option<_>>()?;
    let count = bytes.read_u32()? as usize;
    // An iteration takes three.
    if count > bytes.0.len() / 3 || count > part.iteration as usize {
        return None;
    }
    let mut steps = vec![
        PartialIteration {
            reward: 0,
            node: 0,
            new_nodes: 0
        };
        count
    ];
    for step in steps.iter_mut().rev() {
        let node = bytes.read_u32()?;
        let reward = match bytes.read_byte()? {
            INLINE_REWARD => bytes.read_fixed_width::<5>()?,
            index => *rewards.get(usize::from(index))?,
        };
        if node as usize >= part.nodes.len() {
            return None;
        }
        *step = PartialIteration {
            node,
            reward,
            new_nodes: bytes.read_u32()?,
        };
    }
    bytes.0.is_empty().then_some((part, steps))
}

fn read_node(
    bytes: &mut ByteReader<'_>,
    has_squares: bool,
    before: u32,
) -> Option<PartialTreeNode> {
    let flags = bytes.read_byte()?;
    let distance = bytes.read_varint()?;
    let distance = (distance >> 1) as i64 ^ -((distance & 1) as i64);
    let parent = u32::try_from(i64::from(before).checked_add(distance)?).ok()?;
    let code = MoveCode::try_from(bytes.read_varint()?).ok()?;
    let mut node = PartialTreeNode::new(parent, code);
    node.visits = bytes.read_u32()?;
    node.sum = if flags & WIDE_SUM != 0 {
        bytes.read_fixed_width::<8>()?
    } else {
        bytes.read_varint()?.checked_mul(1 << 31)?
    };
    if flags & WIDE_SQUARES != 0 {
        node.squares = bytes.read_fixed_width::<8>()?;
    } else if has_squares {
        node.squares = bytes.read_varint()?.checked_mul(1 << 30)?;
    }
    if flags & INHERITED != 0 {
        node.inherited = bytes.read_u32()?;
    }
    if flags & EXPANDED != 0 {
        node.expanded_at = bytes.read_u32()?;
    }
    if flags & PROVEN != 0 {
        let packed = bytes.read_varint()?;
        node.proven = outcome_from_code(packed as u8 & 3)?;
        node.proven_at = u32::try_from(packed >> 2).ok()?;
    } else {
        node.proven_at = NONE;
    }
    Some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{games::Outcome, rng::Rng};

    /// A part with every kind of node, and iterations with frequent and rare rewards.
    fn sample() -> (PartialTree, Vec<PartialIteration>) {
        let mut nodes = vec![PartialTreeNode::new(0, 0)];
        for index in 1..30_u32 {
            let parent = (index - 1) / 3;
            let mut node = PartialTreeNode::new(parent, index as u16);
            (node.visits, node.sum) = (90 - index, u64::from(index) << 31 | u64::from(index % 2));
            node.squares = u64::from(index % 3) << 29;
            node.inherited = index % 5;
            if index % 7 == 0 {
                (node.proven, node.proven_at) = (Some(Outcome::Draw), index);
            }
            let before = &mut nodes[parent as usize];
            if before.child_count == 0 {
                (before.first_child, before.expanded_at) = (index, 1);
            }
            before.child_count += 1;
            nodes.push(node);
        }
        let part = PartialTree {
            kind: JournalKind::default(),
            iteration: 60,
            nodes,
            total_nodes: 500,
            min_visits: 3,
            has_squares: true,
        };
        let step = |index: u32| PartialIteration {
            reward: u64::from(index) << 20,
            node: index % 30,
            new_nodes: index % 4,
        };
        (part, (0..50).map(step).collect())
    }

    #[test]
    fn a_part_is_decoded_as_it_was_encoded() {
        let (part, steps) = sample();
        let (again, same) = decode(part.kind, &encode(&part, &steps)).unwrap();
        assert_eq!((again.nodes, same), (part.nodes, steps));
        assert_eq!((again.iteration, again.total_nodes), (60, 500));
    }

    /// A checkpoint whose hash was forged too is refused, or is one that can be moved through.
    #[test]
    fn a_damaged_part_is_refused_or_can_be_moved_through() {
        let (part, steps) = sample();
        let sound = encode(&part, &steps);
        let mut rng = Rng::new(15);
        let mut accepted = 0;
        for _ in 0..5000 {
            let mut bytes = sound.clone();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len() as u32) as usize;
                match rng.below(5) {
                    0 => bytes.truncate(at.max(1)),
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, 0xff),
                    _ => bytes[at] = rng.bits() as u8,
                }
            }
            let Some((mut part, steps)) = decode(part.kind, &bytes) else {
                continue;
            };
            part.apply_iterations(&steps, false);
            part.apply_iterations(&steps, true);
            let last = part.nodes.len() as u32 - 1;
            assert!(part.move_codes_to(last).len() <= part.nodes.len());
            accepted += 1;
        }
        assert!((1..5000).contains(&accepted), "{accepted}");
    }
}
