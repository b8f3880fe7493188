//! Extra turns and captures of kalah.

use super::{Kalah, Pit, STORE_BYTE, byte};
use crate::{games::tactics::Tactics, machine};

impl Kalah {
    /// Whether sowing a pit gives another turn.
    #[inline(always)]
    fn gives_turn(&self, Pit(pit): Pit) -> bool {
        let stones = u32::from(byte(self.own, pit.into()));
        let pits = u32::from(self.rules.pits);
        (u32::from(pit) + stones) % (2 * pits + 1) == pits
    }

    /// The stones that a sowing brings into the mover's store.
    #[inline(always)]
    fn stones_gained(&self, mv: Pit) -> i32 {
        let before = byte(self.own, STORE_BYTE);
        let mut after = *self;
        let last = after.sow(mv.0);
        after.capture(last);
        i32::from(byte(after.own, STORE_BYTE)) - i32::from(before)
    }
}

impl Tactics for Kalah {
    /// Extra turns first, from the pit nearest to the store, then what wins most stones.
    #[inline(always)]
    fn move_order(&self, mv: Pit, _: u32) -> i32 {
        let turn = i32::from(self.gives_turn(mv));
        turn << 18 | self.stones_gained(mv) << 13 | i32::from(mv.0) << 10
    }

    /// Sowings that win more than one stone or another turn.
    fn quiescence_moves(&self, out: &mut Vec<Pit>) {
        out.clear();
        out.extend(
            machine::iter_ones(self.playable())
                .map(|bit| Pit(bit / 8))
                .filter(|&mv| self.gives_turn(mv) || self.stones_gained(mv) > 1),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{Game as _, SearchHints as _, kalah::KalahRules},
        rng::Rng,
    };

    #[test]
    fn extra_turns_and_gains_are_those_of_the_rules() {
        let mut rng = Rng::new(5);
        for game in 0..240 {
            let rules = KalahRules {
                pits: 1 + game % 6,
                empty_capture: game % 2 == 0,
                ..KalahRules::default()
            };
            let mut position = Kalah::start(rules);
            while let Some(mv) = position.random_move(&mut rng) {
                let (mover, before) = (position.to_move(), position);
                position.play(mv);
                if position.outcome().is_none() {
                    assert_eq!(before.gives_turn(mv), position.to_move() == mover);
                    let gained = i32::from(position.store(mover)) - i32::from(before.store(mover));
                    assert_eq!(before.stones_gained(mv), gained);
                }
            }
        }
    }
}
