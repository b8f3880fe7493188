//! Score-bounded MCTS-Solver (Cazenave and Saffidine 2010): for every node of a tree a lower and an upper bound of the margin
//! with which the first player wins, in games decided by counting.
//!
//! The paper's pessimistic and optimistic bounds, with three deviations: a position gives bounds of its own as soon as it is expanded
//! ([`SearchHints::margin_bounds`](crate::games::SearchHints::margin_bounds)), playouts below a node whose result is proven count as that result,
//! and bounds prune but add no bias to the selection formula.

use std::{io, sync::atomic::Ordering};

use crate::{
    games::{Outcome, Player},
    machine::AtomicWords,
};

/// Bounds of a margin: points of the first player minus those of the second at the end of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MarginBounds {
    pub(super) lower: i32,
    pub(super) upper: i32,
}

impl MarginBounds {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        lower: i32::MIN,
        upper: i32::MAX,
    };

    pub(super) fn new([lower, upper]: [i32; 2]) -> Self {
        Self { lower, upper }
    }

    /// True if the margin is known.
    #[inline(always)]
    pub(super) fn is_exact(self) -> bool {
        self.lower >= self.upper
    }

    /// The result, if the bounds tell it.
    pub(super) fn outcome(self) -> Option<Outcome> {
        match self {
            Self { lower: 1.., .. } => Some(Outcome::Win(Player::First)),
            Self { upper: ..=-1, .. } => Some(Outcome::Win(Player::Second)),
            Self { lower: 0, upper: 0 } => Some(Outcome::Draw),
            _ => None,
        }
    }

    /// The bounds of the player's own margin.
    pub(super) fn for_player(self, player: Player) -> Self {
        match player {
            Player::First => self,
            Player::Second => Self {
                lower: self.upper.saturating_neg(),
                upper: self.lower.saturating_neg(),
            },
        }
    }

    /// What both say.
    pub(super) fn intersect(self, other: Self) -> Self {
        Self {
            lower: self.lower.max(other.lower),
            upper: self.upper.min(other.upper),
        }
    }

    /// The bounds if `player` may choose between positions of these bounds and of `other`.
    fn choose(self, other: Self, player: Player) -> Self {
        let pick = |one: i32, two: i32| match player {
            Player::First => one.max(two),
            Player::Second => one.min(two),
        };
        Self {
            lower: pick(self.lower, other.lower),
            upper: pick(self.upper, other.upper),
        }
    }

    /// The bounds of a position in which `player` moves, from those after each move; `UNKNOWN` without moves.
    pub(super) fn of_choice(children: impl Iterator<Item = Self>, player: Player) -> Self {
        (children.reduce(|one, other| one.choose(other, player))).unwrap_or(Self::UNKNOWN)
    }

    /// As a word, in which [`Self::UNKNOWN`] is 0.
    fn to_word(self) -> u64 {
        let lower = self.lower.wrapping_sub(i32::MIN) as u32;
        let upper = self.upper.wrapping_sub(i32::MAX) as u32;
        u64::from(lower) | u64::from(upper) << 32
    }

    fn from_word(word: u64) -> Self {
        Self {
            lower: (word as u32 as i32).wrapping_add(i32::MIN),
            upper: ((word >> 32) as u32 as i32).wrapping_add(i32::MAX),
        }
    }
}

/// The bounds of all nodes of a tree, a word each. Nodes beyond the memory that the system grants stay unknown.
pub(super) struct ScoreBounds {
    words: AtomicWords,
}

impl ScoreBounds {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            words: AtomicWords::zeroed_up_to(nodes),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, node: u32) -> MarginBounds {
        (self.words.get(node as usize)).map_or(MarginBounds::UNKNOWN, |word| {
            MarginBounds::from_word(word.load(Ordering::Relaxed))
        })
    }

    /// Adds what is known of a node; true if that was new. Threads may do so at once.
    pub(super) fn tighten(&self, node: u32, bounds: MarginBounds) -> bool {
        let Some(word) = self.words.get(node as usize) else {
            return false;
        };
        let tighter = |word| {
            let known = MarginBounds::from_word(word);
            let both = known.intersect(bounds);
            (both != known).then(|| both.to_word())
        };
        word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, tighter)
            .is_ok()
    }

    /// Forgets what is known of `count` nodes.
    pub(super) fn clear(&self, first: u32, count: usize) {
        let words = self.words.iter().skip(first as usize).take(count);
        words.for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Moves what is known of a node to another.
    pub(super) fn relocate(&self, from: u32, to: u32) {
        if let Some(new) = self.words.get(to as usize) {
            new.store(self.get(from).to_word(), Ordering::Relaxed);
        }
    }

    /// A copy for the first `nodes` nodes.
    pub(super) fn try_clone(&self, nodes: usize) -> io::Result<Self> {
        let words = AtomicWords::zeroed(nodes.min(self.words.len()))?;
        for (new, old) in words.iter().zip(self.words.iter()) {
            new.store(old.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        Ok(Self { words })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(lower: i32, upper: i32) -> MarginBounds {
        MarginBounds { lower, upper }
    }

    #[test]
    fn bounds_tell_the_result_by_their_sign() {
        assert_eq!(bounds(1, 9).outcome(), Some(Outcome::Win(Player::First)));
        assert_eq!(bounds(-9, -1).outcome(), Some(Outcome::Win(Player::Second)));
        assert_eq!(bounds(0, 0).outcome(), Some(Outcome::Draw));
        for open in [bounds(0, 1), bounds(-1, 0), MarginBounds::UNKNOWN] {
            assert_eq!(open.outcome(), None, "{open:?}");
        }
    }

    #[test]
    fn the_first_player_takes_the_maximum_and_the_second_the_minimum() {
        let children = || [bounds(-3, 5), bounds(1, 2), bounds(-7, 9)].into_iter();
        assert_eq!(
            MarginBounds::of_choice(children(), Player::First),
            bounds(1, 9)
        );
        assert_eq!(
            MarginBounds::of_choice(children(), Player::Second),
            bounds(-7, 2)
        );
    }

    #[test]
    fn what_is_known_of_a_node_only_grows() {
        let known = ScoreBounds::new(3);
        assert_eq!(known.get(1), MarginBounds::UNKNOWN);
        assert!(known.tighten(1, bounds(-64, 64)));
        assert!(known.tighten(1, bounds(-70, 3)));
        assert!(!known.tighten(1, bounds(-65, 64)));
        assert_eq!(known.get(1), bounds(-64, 3));
        known.relocate(1, 0);
        known.clear(1, 2);
        assert_eq!(
            (known.get(0), known.get(1)),
            (bounds(-64, 3), MarginBounds::UNKNOWN)
        );
        // Nodes that there is no memory for stay unknown.
        assert!(!known.tighten(3, bounds(0, 0)));
        assert_eq!(known.get(3), MarginBounds::UNKNOWN);
    }
}
