//! Report 002's rule-based player. In order: win; block an immediate win; a safe strategic move; a random safe move; a random
//! move. A move is safe if the opponent has no immediate win after it.
//!
//! Strategic moves, in order: stop two adjacent opposing discs on the bottom row from becoming three; play the centre column
//! until it holds five discs; extend an own horizontal run in a row of the right parity, odd for the first player and even for
//! the second (zugzwang control: Allis 1988). Deviation: the report says "make three"; moves are ranked by the run's length.

use crate::machine::iter_ones;
use crate::{
    games::{
        Game as _, Player,
        connect_four::{COLUMNS, Column, ConnectFour, has_four},
    },
    rng::{Rng, child_seed},
    search::{
        BestMove, Search, SearchTask,
        random::{allowed_moves, result_from_ranking},
    },
};

/// Report 002's rule-based player.
pub struct RulePlayer {
    seed: u64,
    searches: u64,
}

const CENTRE: u8 = COLUMNS / 2;
/// Discs in the centre column from which it is no longer preferred.
const MAX_CENTRE_DISCS: u32 = 5;

impl RulePlayer {
    /// `seed` decides between moves of equal rank.
    pub fn new(seed: u64) -> Self {
        Self { seed, searches: 0 }
    }
}

/// Bitboards from the perspective of the player to move; bit 7 * column + row.
struct MoverView {
    own: u64,
    other: u64,
    landing: u64,
    mover: Player,
}

impl MoverView {
    fn new(position: &ConnectFour) -> Self {
        let mover = position.to_move();
        let discs = position.discs();
        let own = discs[mover.index()];
        Self {
            own,
            other: discs[1 - mover.index()],
            landing: position.landing_cells(),
            mover,
        }
    }

    fn cell(&self, Column(column): Column) -> u64 {
        self.landing & (0b111_1111 << (column * 7))
    }

    /// True if the opponent has no immediate win after a disc in `column`.
    fn is_safe(&self, column: Column) -> bool {
        let cell = self.cell(column);
        // The cell above becomes playable, unless it is in the spare row above the board.
        let landing = self.landing & !cell | (cell << 1) & !SPARE_ROW;
        iter_ones(landing).all(|reply| !has_four(self.other | 1 << reply))
    }

    /// True if a disc in `column` stops two adjacent opposing discs on the bottom row from becoming three.
    fn prevents_three(&self, column: Column) -> bool {
        let cell = self.cell(column);
        let Column(at) = column;
        if cell & BOTTOM_ROW == 0 {
            return false;
        }
        let theirs = |column: i8| (0..7).contains(&column) && self.other >> (column * 7) & 1 == 1;
        let at = at as i8;
        theirs(at - 1) && theirs(at - 2) || theirs(at + 1) && theirs(at + 2)
    }

    /// Length of the own horizontal run that a disc in `column` makes; 0 in a row of the wrong parity.
    fn run(&self, Column(column): Column) -> u32 {
        let cell = self.cell(Column(column));
        let row = cell.trailing_zeros() % 7;
        // Rows count from 1 at the bottom; the first player wants odd ones.
        let suits = row.is_multiple_of(2) == (self.mover == Player::First);
        if !suits {
            return 0;
        }
        let own =
            |column: i8| (0..7).contains(&column) && self.own >> (column as u32 * 7 + row) & 1 == 1;
        let along = |step: i8| {
            (1..4)
                .take_while(|distance| own(column as i8 + step * distance))
                .count() as u32
        };
        1 + along(1) + along(-1)
    }
}

/// The bottom cell of each column, and the spare cell above each column.
const BOTTOM_ROW: u64 = 0x0000_0408_1020_4081;
const SPARE_ROW: u64 = BOTTOM_ROW << 6;

impl RulePlayer {
    /// The move by the first rule that applies.
    fn pick_move(position: &ConnectFour, moves: &[Column], rng: &mut Rng) -> Column {
        let view = MoverView::new(position);
        let pick =
            |wanted: &dyn Fn(Column) -> bool| moves.iter().copied().find(|&column| wanted(column));
        if let Some(win) = pick(&|column| has_four(view.own | view.cell(column))) {
            return win;
        }
        if let Some(block) = pick(&|column| has_four(view.other | view.cell(column))) {
            return block;
        }
        let safe: Vec<Column> = moves
            .iter()
            .copied()
            .filter(|&column| view.is_safe(column))
            .collect();
        if let Some(&column) = safe.iter().find(|&&column| view.prevents_three(column)) {
            return column;
        }
        let discs = view.own | view.other;
        let height = (discs >> (CENTRE * 7) & 0b111_1111).count_ones();
        if height < MAX_CENTRE_DISCS && safe.contains(&Column(CENTRE)) {
            return Column(CENTRE);
        }
        let longest = safe
            .iter()
            .map(|&column| view.run(column))
            .max()
            .unwrap_or(0);
        let candidates: Vec<Column> = if safe.is_empty() {
            moves.to_vec()
        } else {
            // Without a row of the right parity all runs are 0 and any safe move will do.
            safe.into_iter()
                .filter(|&column| view.run(column) == longest)
                .collect()
        };
        candidates[rng.below(candidates.len() as u32) as usize]
    }
}

impl Search<ConnectFour> for RulePlayer {
    fn search(&mut self, task: SearchTask<'_, ConnectFour>) -> BestMove<Column> {
        let mut rng = Rng::new(child_seed(self.seed, self.searches));
        self.searches += 1;
        let mut moves = allowed_moves(&task);
        let best = Self::pick_move(task.root, &moves, &mut rng);
        moves.sort_by_key(|&mv| mv != best);
        result_from_ranking(task.root, moves.into_iter().map(|mv| (mv, 0)).collect())
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn clear(&mut self) {
        self.searches = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::notation::read_position;

    fn plays(columns: &str) -> u8 {
        let position: ConnectFour = read_position((), columns).unwrap();
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        RulePlayer::pick_move(&position, &moves, &mut Rng::new(1)).0 + 1
    }

    #[test]
    fn the_rules_in_their_order() {
        assert_eq!(plays("112233"), 4, "wins");
        assert_eq!(plays("1122337"), 4, "stops a win");
        assert_eq!(plays("5"), 4, "opens in the centre");
        assert_eq!(
            plays("2373"),
            4,
            "prevents a three: O on c1 would have b1 beside it"
        );
        assert_eq!(plays("44"), 4, "goes on in the centre");
    }

    #[test]
    fn the_first_player_wants_odd_rows_and_the_second_even_ones() {
        let run = |columns: &str, column: u8| {
            let position: ConnectFour = read_position((), columns).unwrap();
            MoverView::new(&position).run(Column(column - 1))
        };
        assert_eq!(run("17", 2), 2, "X beside X on the first row");
        assert_eq!(run("17", 4), 1);
        assert_eq!(run("17", 1), 0, "the second row is not for X");
        assert_eq!(run("112", 2), 2, "O beside O on the second row");
        assert_eq!(run("112", 3), 0, "the first row is not for O");
    }

    #[test]
    fn a_move_that_gives_the_game_away_is_not_safe() {
        // X wins with d2 once d1 is filled.
        let position: ConnectFour =
            read_position((), "......./......./......./......./XXX.OO./OXO.XOX O")
                .unwrap_or_else(|error| panic!("{error}"));
        let view = MoverView::new(&position);
        assert!(!view.is_safe(Column(3)));
        assert!(view.is_safe(Column(0)));
    }
}
