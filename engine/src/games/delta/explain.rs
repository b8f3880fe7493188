//! Delta's moves step by step: a stone is placed or slides, another is dropped behind it; and the lines that won.

use super::{Delta, EQUALISER_PLY, NO_PICK_UP, Slide, lines_of_four};
use crate::games::{
    BoardPlace, Explain, Game as _, Notation as _, Piece, Player, Step, explain::places_of,
    notation::write_square,
};

fn square(bit: u8) -> (u8, u8) {
    (bit % 5, bit / 5)
}

fn place(bit: u8) -> BoardPlace {
    BoardPlace::square(square(bit))
}

impl Delta {
    fn mover_name(&self) -> &'static str {
        Self::PLAYERS[self.to_move().index()]
    }
}

impl Explain for Delta {
    fn pieces(&self) -> Vec<(BoardPlace, Piece, u32)> {
        let mut pieces = Vec::new();
        for (owner, stones) in [Player::First, Player::Second]
            .into_iter()
            .zip(self.stones())
        {
            let piece = Piece::Disc(owner);
            pieces.push((BoardPlace::Reserve { owner }, piece, self.reserve(owner)));
            pieces.extend(places_of(stones.into(), square).map(|place| (place, piece, 1)));
        }
        pieces
    }

    fn move_places(&self, mv: Slide) -> Vec<BoardPlace> {
        if mv.is_placement() {
            return vec![place(mv.to)];
        }
        let picked = (mv.pick != NO_PICK_UP).then(|| place(mv.pick));
        [place(mv.from), place(mv.to)]
            .into_iter()
            .chain(picked)
            .collect()
    }

    /// The slide, then the drop.
    fn steps(&self, mv: Slide) -> Vec<Step> {
        let owner = self.to_move();
        let piece = Piece::Disc(owner);
        let reserve = BoardPlace::Reserve { owner };
        let from_to = |from: BoardPlace, to: u8| Step::Move {
            piece,
            from,
            to: place(to),
        };
        if mv.is_placement() {
            return vec![from_to(reserve, mv.to)];
        }
        let supply = if mv.pick == NO_PICK_UP {
            reserve
        } else {
            place(mv.pick)
        };
        vec![
            from_to(place(mv.from), mv.to),
            from_to(supply, mv.drop_square()),
        ]
    }

    fn winning_lines(&self) -> Vec<Vec<BoardPlace>> {
        (self.stones().into_iter())
            .flat_map(lines_of_four)
            .map(|line| places_of(line.into(), square).collect())
            .collect()
    }

    fn move_note(&self, mv: Slide) -> Option<String> {
        let mover = self.mover_name();
        if mv.is_placement() && self.ply == EQUALISER_PLY {
            return Some(format!("{mover} placed a stone again (equaliser)"));
        }
        let mut picked = String::new();
        (mv.pick != NO_PICK_UP && write_square(square(mv.pick), &mut picked).is_ok())
            .then(|| format!("{mover} picked up {picked}"))
    }

    fn position_note(&self) -> Option<String> {
        let mover = self.mover_name();
        if self.ply == EQUALISER_PLY && self.placements() != 0 {
            let verb = if self.slides().count() == 0 {
                "must"
            } else {
                "may"
            };
            return Some(format!("{mover} {verb} place a stone again (equaliser)"));
        }
        (self.is_pick_up())
            .then(|| format!("{mover} has no stones left: after a slide one is picked up"))
    }
}
