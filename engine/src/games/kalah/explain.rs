//! Kalah's moves step by step: stones are sown one by one, captured, and swept at the end of the game.

use super::{Kalah, Pit, SownPlace, byte, sown_place};
use crate::games::{BoardPlace, Explain, Game as _, Notation as _, Piece, Player, Step};

impl Kalah {
    /// The pits that hold fewer stones afterwards, the mover's first, and how many fewer.
    fn emptied_pits(&self, after: &Self) -> Vec<(BoardPlace, u32)> {
        let mut emptied = Vec::new();
        for owner in [self.to_move, self.to_move.opponent()] {
            for (number, (before, after)) in (0..).zip(self.pits(owner).zip(after.pits(owner))) {
                if before > after {
                    let pit = BoardPlace::Pit { owner, number };
                    emptied.push((pit, u32::from(before - after)));
                }
            }
        }
        emptied
    }

    /// Where the stones of a pit fall, one after the other.
    fn sown_places(&self, Pit(pit): Pit) -> impl Iterator<Item = BoardPlace> {
        let (mover, pits) = (self.to_move, self.rules.pits);
        (1..=byte(self.own, pit.into())).map(move |number| {
            match sown_place(pits.into(), pit.into(), number.into()) {
                SownPlace::OwnByte(number) if number < usize::from(pits) => BoardPlace::Pit {
                    owner: mover,
                    number: number as u8,
                },
                SownPlace::OwnByte(_) => BoardPlace::Store { owner: mover },
                SownPlace::OpponentPit(number) => BoardPlace::Pit {
                    owner: mover.opponent(),
                    number: number as u8,
                },
            }
        })
    }
}

impl Explain for Kalah {
    fn pieces(&self) -> Vec<(BoardPlace, Piece, u32)> {
        let mut wells = Vec::new();
        for owner in [Player::First, Player::Second] {
            let store = BoardPlace::Store { owner };
            wells.push((store, Piece::Stone, self.store(owner).into()));
            for (number, stones) in (0..).zip(self.pits(owner)) {
                let pit = BoardPlace::Pit { owner, number };
                wells.push((pit, Piece::Stone, stones.into()));
            }
        }
        wells
    }

    fn move_places(&self, Pit(number): Pit) -> Vec<BoardPlace> {
        let owner = self.to_move;
        vec![BoardPlace::Pit { owner, number }]
    }

    fn steps(&self, mv: Pit) -> Vec<Step> {
        let owner = self.to_move;
        let pit = BoardPlace::Pit {
            owner,
            number: mv.0,
        };
        let mut steps: Vec<Step> = (self.sown_places(mv))
            .map(|to| Step::Sow { from: pit, to })
            .collect();
        let mut sown = *self;
        let last = sown.sow(mv.0);
        let mut captured = sown;
        captured.capture(last);
        let mut swept = captured;
        swept.sweep_if_over();
        let captures = sown.emptied_pits(&captured).into_iter();
        steps.extend(captures.map(|(from, count)| Step::CaptureStones {
            count,
            from,
            to: BoardPlace::Store { owner },
        }));
        let remaining = captured.emptied_pits(&swept).into_iter();
        steps.extend(remaining.filter_map(|(from, count)| {
            let owner = from.owner()?;
            let to = BoardPlace::Store { owner };
            Some(Step::Sweep { count, from, to })
        }));
        steps
    }

    /// An extra turn, a capture, and what a player keeps at the end.
    fn move_note(&self, mv: Pit) -> Option<String> {
        let mut after = *self;
        after.play(mv);
        let (mut captured, mut kept, mut keeper) = (0, 0, None);
        for step in self.steps(mv) {
            match step {
                Step::CaptureStones { count, .. } => captured += count,
                Step::Sweep { count, to, .. } => {
                    kept += count;
                    keeper = to.owner();
                }
                _ => {}
            }
        }
        let mut notes = Vec::new();
        if after.to_move == self.to_move && after.outcome().is_none() {
            notes.push("extra turn".to_owned());
        }
        if captured > 0 {
            notes.push(format!("captured {}", stone_count(captured)));
        }
        if let Some(player) = keeper {
            let name = Self::PLAYERS[player.index()];
            notes.push(format!("{name} keeps {}", stone_count(kept)));
        }
        (!notes.is_empty()).then(|| notes.join(", "))
    }
}

fn stone_count(count: u32) -> String {
    match count {
        1 => "1 stone".to_owned(),
        count => format!("{count} stones"),
    }
}
