//! What playouts are given.

use std::sync::{Arc, Mutex};

use super::{playout::ONE, *};
use crate::{
    games::{
        Game, History,
        connect_four::{Column, ConnectFour},
        kalah::Kalah,
    },
    rng::Rng,
    search::Stop,
};

/// A policy that plays nothing and notes from where it should have.
struct Witness<G>(Arc<Mutex<Vec<(G, Trail)>>>);

impl<G: Game> Playout<G> for Witness<G> {
    fn follows_trail(&self) -> bool {
        true
    }

    fn run(&mut self, position: &G, trail: Trail, rng: &mut Rng) -> u64 {
        self.0.lock().unwrap().push((position.clone(), trail));
        if rng.below(2) == 0 { ONE } else { 0 }
    }

    fn clear(&mut self) {}
}

/// The positions from which a search in a graph that groups all it can wanted playouts, and the moves before them.
fn witnessed<G: Searchable>(root: &G, history: &History, threads: usize) -> Vec<(G, Trail)> {
    let config = Config {
        sharing: Sharing {
            transpositions: true,
            grouping: Grouping::Dihedral,
            invert_colours: true,
        },
        store: StoreKind::Graph,
        threads,
        memory_mb: 16,
        ..Config::default()
    };
    let store = Graph::<false>::new(16 << 20, config.sharing);
    let select = Uct::new(config.exploration, config.reward_range);
    let mut search = Mcts::<G, _, _>::new(config, select, store);
    let seen = Arc::new(Mutex::new(Vec::new()));
    search.playouts = (0..threads)
        .map(|_| Box::new(Witness(Arc::clone(&seen))) as Box<dyn Playout<G>>)
        .collect();
    search.choose(Task::new(
        root,
        history,
        &Limits::iterations(5000),
        &Stop::new(),
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
        for (position, trail) in witnessed(&root, &history, threads) {
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
            for (context, player) in [(trail.last, mover.opponent()), (trail.before, mover)] {
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
    let mut root = Kalah::start(crate::games::kalah::Rules::default());
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
    for (position, _) in witnessed(&root, &history, 1) {
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
    let none = witnessed(&root, &history, 1)[0].1;
    assert_eq!(none, Trail::default());
    for column in [2, 4] {
        history.play(&mut root, Column(column));
    }
    // Cells are column * 7 + row.
    let trail = Trail {
        before: Some(14),
        last: Some(28),
    };
    assert_eq!(witnessed(&root, &history, 1)[0], (root, trail));
}
