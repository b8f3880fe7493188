//! Threats of Delta: slides that complete four in line.

use super::{Delta, LAST_PASSED, MAX_PLIES, NO_PICK_UP, Slide, Slides, has_four};
use crate::{
    games::{Game as _, tactics::Tactics},
    machine,
    rng::mix,
};

impl Tactics for Delta {
    const HISTORY_SLOTS: usize = 1 << 10;

    #[inline(always)]
    fn history_slot(mv: Slide) -> usize {
        usize::from(mv.from) << 5 | usize::from(mv.to)
    }

    /// Without the ply where stones are picked up, while the last ply is far away: before, it follows from the stones.
    #[inline(always)]
    fn table_key(&self, depth: u32) -> u64 {
        if self.is_pick_up() && u32::from(self.ply) + depth < MAX_PLIES.into() {
            let side = u64::from(self.ply % 2);
            mix(u64::from(self.own) | u64::from(self.opponent) << 25 | side << 50 | 1 << 60)
        } else {
            self.key()
        }
    }

    /// A slide that completes a line first.
    #[inline(always)]
    fn move_order(&self, mv: Slide, _: u32) -> i32 {
        let mut after = self.own & !(1 << mv.from | 1 << mv.pick) | 1 << mv.to;
        if !mv.is_placement() {
            after |= 1 << mv.drop_square();
        }
        i32::from(has_four(after)) << 20
    }

    /// One slide that completes a line.
    fn quiescence_moves(&self, out: &mut Vec<Slide>) {
        out.clear();
        if self.is_ply_limit_reached() {
            return;
        }
        let Some((from, to, stones)) = completing_slide(self.own, self.empty(), self.can_slide())
        else {
            return;
        };
        if !self.is_pick_up() {
            let pick = NO_PICK_UP;
            out.push(Slide { from, to, pick });
            return;
        }
        let others = self.own & !(1 << from);
        let pick = machine::iter_ones(others.into()).find(|pick| has_four(stones & !(1 << pick)));
        out.extend(pick.map(|pick| Slide { from, to, pick }));
    }

    /// The opponent could complete a line with its next slide, and the player to move cannot do so first.
    fn is_threatened(&self) -> bool {
        // The first slide is the first player's at ply 2.
        self.ply >= 2
            && completing_slide(self.opponent, self.empty(), true).is_some()
            && completing_slide(self.own, self.empty(), self.can_slide()).is_none()
    }
}

/// A slide after which these stones, with the one that it drops, have four in line: from, to, and the stones.
#[inline(always)]
fn completing_slide(stones: u32, empty: u32, can_slide: bool) -> Option<(u8, u8, u32)> {
    if !can_slide || stones.count_ones() < 3 {
        return None;
    }
    Slides::new(stones, empty).iter().find_map(|(from, to)| {
        let drop = LAST_PASSED[usize::from(from)][usize::from(to)];
        let after = stones & !(1 << from) | 1 << to | 1 << drop;
        has_four(after).then_some((from, to, after))
    })
}
