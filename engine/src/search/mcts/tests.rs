//! Tests of the positions and last moves that playouts receive.

use std::sync::{Arc, Mutex};

use super::{
    playout::{LastMoves, Playout, REWARD_ONE},
    select::Uct,
    *,
};
use crate::{
    games::{
        Game, History, Player, SearchHints as _,
        connect_four::{Column, ConnectFour},
        kalah::Kalah,
    },
    rng::Rng,
    search::{SearchLimits, StopFlag},
};

/// A policy that makes no playout and records the positions it was called for.
struct RecordingPlayout<G>(Arc<Mutex<Vec<(G, LastMoves)>>>);

impl<G: Game> Playout<G> for RecordingPlayout<G> {
    fn uses_last_moves(&self) -> bool {
        true
    }

    fn simulate(&mut self, position: &G, last_moves: LastMoves, rng: &mut Rng) -> u64 {
        self.0.lock().unwrap().push((position.clone(), last_moves));
        if rng.below(2) == 0 { REWARD_ONE } else { 0 }
    }

    fn clear(&mut self) {}
}

impl<G: Game> RecordablePlayout<G> for RecordingPlayout<G> {
    fn simulate_recorded(
        &mut self,
        position: &G,
        last_moves: LastMoves,
        rng: &mut Rng,
        _: &mut Vec<G::Move>,
    ) -> u64 {
        self.simulate(position, last_moves, rng)
    }
}

/// The positions, and last moves, of all playouts of a search in a graph with every grouping.
fn recorded_playouts<G: Searchable>(
    root: &G,
    history: &History,
    threads: usize,
) -> Vec<(G, LastMoves)> {
    let config = MctsConfig {
        sharing: Sharing {
            transpositions: true,
            grouping: Grouping::Dihedral,
            invert_colours: true,
        },
        store: StoreKind::Graph,
        threads,
        memory_mb: 16,
        ..MctsConfig::default()
    };
    let store = GraphStore::<false>::new(16 << 20, config.sharing);
    let select = Uct::new(&config.selection());
    let mut search = Mcts::<G, _, _>::new(config, select, store);
    let seen = Arc::new(Mutex::new(Vec::new()));
    search.playouts = (0..threads)
        .map(|_| Box::new(RecordingPlayout(Arc::clone(&seen))) as Box<dyn RecordablePlayout<G>>)
        .collect();
    search.search(SearchTask::new(
        root,
        history,
        &SearchLimits::iterations(5000),
        &StopFlag::new(),
    ));
    let found = seen.lock().unwrap().clone();
    assert!(found.len() > 1000, "{}", found.len());
    found
}

#[test]
fn playouts_that_follow_the_trail_are_played_on_the_board_of_the_game() {
    for (columns, threads) in [([0, 1, 1], 1), ([6, 5, 5], 1), ([6, 5, 5], 3)] {
        let mut root = ConnectFour::start(());
        let mut history = History::new();
        history.push(&root);
        for column in columns {
            history.play(&mut root, Column(column));
        }
        let stones = ConnectFour::discs;
        let of_game = stones(&root);
        for (position, last_moves) in recorded_playouts(&root, &history, threads) {
            let now = stones(&position);
            for player in 0..2 {
                assert_eq!(
                    now[player] & of_game[player],
                    of_game[player],
                    "{position:?}"
                );
            }
            // The last move is the opponent's, the one before it one's own.
            let mover = position.to_move();
            for (context, player) in [
                (last_moves.last, mover.opponent()),
                (last_moves.previous, mover),
            ] {
                let cell = context.expect("there were moves before the root");
                let cells = now[player.index()];
                assert!(
                    cells >> cell & 1 == 1,
                    "{cell} of {player:?} in {position:?}"
                );
            }
        }
    }
}

#[test]
fn playouts_keep_to_the_colours_of_the_game() {
    let mut root = Kalah::start(crate::games::kalah::KalahRules::default());
    let mut history = History::new();
    let mut rng = Rng::new(5);
    for _ in 0..12 {
        let mv = root.random_move(&mut rng).expect("the game is not over");
        history.play(&mut root, mv);
    }
    let stores =
        |position: &Kalah| [Player::First, Player::Second].map(|player| position.store(player));
    let [south, north] = stores(&root);
    assert_ne!(south, north, "else nothing could be told apart");
    let mut turned = false;
    for (position, _) in recorded_playouts(&root, &history, 1) {
        let [now_south, now_north] = stores(&position);
        assert!(now_south >= south && now_north >= north, "{position:?}");
        turned |= position.to_move() != root.to_move();
    }
    assert!(turned);
}

#[test]
fn the_first_playout_answers_the_last_moves_of_the_game() {
    let mut root = ConnectFour::start(());
    let mut history = History::new();
    history.push(&root);
    let none = recorded_playouts(&root, &history, 1)[0].1;
    assert_eq!(none, LastMoves::default());
    for column in [2, 4] {
        history.play(&mut root, Column(column));
    }
    // Cells are column * 7 + row.
    let last_moves = LastMoves {
        previous: Some(14),
        last: Some(28),
    };
    assert_eq!(recorded_playouts(&root, &history, 1)[0], (root, last_moves));
}

#[test]
fn report_000s_program_stops_after_90_percent_of_its_time() {
    let mut config = MctsConfig {
        legacy: Legacy::of(Program::Report000),
        millis: Some(1000),
        ..MctsConfig::default()
    };
    let time = |config: &MctsConfig| {
        let limits = config.effective_limits(&SearchLimits::default());
        limits.time.map(|time| time.as_millis())
    };
    assert_eq!(time(&config), Some(1000));
    config.legacy.switch(true);
    assert_eq!(time(&config), Some(900));
}
