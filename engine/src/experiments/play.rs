//! Games between searches in this process.

use crate::{
    arena::openings::Opening,
    catalog::{self, Spec},
    games::{Outcome, Playable, Player, notation::move_text},
    rng::child_seed,
    search::{Search, SearchLimits, SearchTask, StopFlag, budget::Stopwatch},
};

/// A game that was played to its end. Arrays have the first player's figure first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// All moves, those of the opening included, with blanks between them.
    pub moves: String,
    /// Plies of the opening.
    pub opening_plies: u32,
    /// How it ended.
    pub result: Outcome,
    /// Discs or stones at the end, in games that are decided by counting.
    pub score: Option<[u32; 2]>,
    /// Nodes or playouts.
    pub nodes: [u64; 2],
    /// Leaves evaluated.
    pub leaves: [u64; 2],
    /// Moves that were searched; those that records leave out, such as passes, are not.
    pub searched: [u64; 2],
    /// Microseconds of thought.
    pub micros: [u64; 2],
}

/// What a player spent on one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveFigures {
    /// Whether it counts among the moves that were searched.
    pub searched: bool,
    /// Nodes or playouts.
    pub nodes: u64,
    /// Leaves evaluated.
    pub leaves: u64,
    /// Microseconds of thought.
    pub micros: u64,
}

impl PlayedGame {
    /// A game of which only the length of the opening is known.
    pub fn new(opening_plies: usize) -> Self {
        Self {
            moves: String::new(),
            opening_plies: opening_plies as u32,
            result: Outcome::Draw,
            score: None,
            nodes: [0; 2],
            leaves: [0; 2],
            searched: [0; 2],
            micros: [0; 2],
        }
    }

    /// Adds the figures of a move.
    pub fn count_move(&mut self, side: Player, figures: MoveFigures) {
        let figures = [
            (&mut self.nodes, figures.nodes),
            (&mut self.leaves, figures.leaves),
            (&mut self.searched, u64::from(figures.searched)),
            (&mut self.micros, figures.micros),
        ];
        for (sums, figure) in figures {
            if let Some(sum) = sums.get_mut(side.index()) {
                *sum += figure;
            }
        }
    }
}

/// Openings that are tried before the last one is taken as it is.
const MAX_BALANCE_TRIES: u64 = 200;

/// An opening followed by random plies after which `judge` expects no more than `within` above or below half a point for the side to
/// move. None if a stop was requested.
pub fn balanced_opening<G: Playable>(
    opening: &Opening<G>,
    (plies, seed): (u32, u64),
    (judge, within): (&Spec, f64),
    stop: &StopFlag,
) -> Option<Opening<G>> {
    let limits = SearchLimits::default();
    let mut tried = opening.with_random_plies(plies, seed);
    for attempt in 0..MAX_BALANCE_TRIES {
        let (position, history) = tried.final_position();
        let mut search = catalog::build::<G>(&judge.with_seed(seed.max(1)))?;
        let choice = search.search(SearchTask::new(&position, &history, &limits, stop));
        if stop.is_set() {
            return None;
        }
        let expected = choice.report.value.for_player(position.to_move());
        if (expected - 0.5).abs() <= within {
            break;
        }
        tried = opening.with_random_plies(plies, child_seed(seed, attempt));
    }
    Some(tried)
}

/// Plays a game after an opening; the searches and their seeds are those of the first and of the second player. None if a stop was
/// requested, or if a search is for another game.
pub fn play_game<G: Playable>(
    opening: &Opening<G>,
    specs: [&Spec; 2],
    seeds: [u64; 2],
    stop: &StopFlag,
) -> Option<PlayedGame> {
    let [first, second] = [(specs[0], seeds[0]), (specs[1], seeds[1])]
        .map(|(spec, seed)| catalog::build::<G>(&spec.with_seed(seed)));
    let mut searches: [Box<dyn Search<G>>; 2] = [first?, second?];
    let mut words = Vec::new();
    let mut replayed = opening.start.clone();
    for &mv in &opening.moves {
        words.push(move_text(&replayed, mv));
        replayed.play(mv);
    }
    let (mut position, mut history) = opening.final_position();
    let mut game = PlayedGame::new(opening.moves.len());
    let limits = SearchLimits::default();
    let result = loop {
        if let Some(outcome) = history.outcome(&position) {
            break outcome;
        }
        let side = position.to_move();
        let [first, second] = &mut searches;
        let search = match side {
            Player::First => &mut *first,
            Player::Second => &mut *second,
        };
        let watch = Stopwatch::start();
        let choice = search.search(SearchTask::new(&position, &history, &limits, stop));
        let micros = watch.elapsed().as_micros() as u64;
        if stop.is_set() {
            return None;
        }
        game.count_move(
            side,
            MoveFigures {
                searched: position.implied_move().is_none(),
                nodes: choice.report.nodes,
                leaves: choice.report.leaves,
                micros,
            },
        );
        words.push(move_text(&position, choice.mv));
        searches
            .iter_mut()
            .for_each(|search| search.advance(choice.mv));
        history.play(&mut position, choice.mv);
    };
    game.moves = words.join(" ");
    game.result = result;
    game.score = position.score();
    Some(game)
}
